//! From systems of equations to what is computed: assignments where an unknown enters linearly and alone, iterations
//! on torn blocks elsewhere.
//!
//! A torn block with a single tear in which what is left is linear is an assignment too: the whole block then is a
//! chain of formulas. A division that they contain is by something that may vanish; where it does the result is not
//! finite, and the failure names the equation.

use std::sync::Arc;

use modeshift_dae::{Derivative, EquationId, ExpressionId, Rewritten, VariableId};

use super::affine::{affine, solved};
use super::tearing::{Torn, substitute, tear};
use crate::program::failure::NotBuilt;
use crate::program::programs::Workshop;
use crate::program::states::quantities::{Quantities, QuantityIndex};
use crate::program::states::stages::System;

/// A quantity that is an expression of others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assignment {
    pub target: QuantityIndex,
    /// The quantity as an expression.
    pub target_expression: ExpressionId,
    pub expression: ExpressionId,
    /// The equation it comes from.
    pub equation: Derivative<EquationId>,
}

/// Equations that are solved by iteration.
#[derive(Clone, Debug)]
pub(crate) struct Iteration {
    pub unknowns: Vec<QuantityIndex>,
    pub unknown_quantities: Vec<Derivative<VariableId>>,
    pub residuals: Vec<ExpressionId>,
    pub equations: Vec<Derivative<EquationId>>,
    /// What follows from the unknowns within the block; it is assigned again once they are known.
    pub formulas: Vec<Assignment>,
}

/// What is computed at once.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Assign(Assignment),
    Iterate(Iteration),
}

impl Item {
    /// The first of the quantities that it computes.
    pub fn first_target(&self) -> QuantityIndex {
        match self {
            Item::Assign(assignment) => assignment.target,
            Item::Iterate(iteration) => iteration.unknowns[0],
        }
    }
}

/// A system of a mode with its residuals as expressions.
pub(crate) struct Equations<'a> {
    pub system: &'a System,
    pub names: Vec<Derivative<EquationId>>,
    pub residuals: Vec<ExpressionId>,
}

/// The equations and unknowns of a block: the same in whatever mode it occurs.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct BlockKey {
    residuals: Box<[ExpressionId]>,
    unknowns: Box<[ExpressionId]>,
}

/// A block after tearing.
pub(crate) struct TornBlock {
    torn: Torn,
    /// The only tear as an expression, where what is left of the block is linear in it.
    only_tear: Option<ExpressionId>,
}

impl Workshop<'_> {
    /// Appends what solves a system.
    pub fn plan(
        &mut self,
        quantities: &Quantities,
        equations: &Equations<'_>,
        items: &mut Vec<Item>,
    ) -> Result<(), NotBuilt> {
        let unknowns: Vec<ExpressionId> =
            equations.system.unknowns.iter().map(|&unknown| self.quantity(quantities, unknown)).collect();
        if let ([residual], [unknown]) = (&equations.residuals[..], &unknowns[..])
            && let Some(expression) = self.solved(*residual, *unknown)
        {
            items.push(Item::Assign(equations.assignment(0, 0, *unknown, expression)));
            return Ok(());
        }
        let block = self.torn(&equations.residuals, &unknowns);
        let TornBlock { torn, only_tear } = &*block;
        match *only_tear {
            Some(expression) => {
                let (equation, tear) = (torn.residuals[0], torn.tears[0]);
                items.push(Item::Assign(equations.assignment(equation, tear, unknowns[tear], expression)));
            }
            None => items.push(Item::Iterate(iteration(quantities, equations, &unknowns, torn))),
        }
        items.extend(formulas(equations, &unknowns, torn).map(Item::Assign));
        Ok(())
    }

    /// A block after tearing; remembered.
    fn torn(&mut self, residuals: &[ExpressionId], unknowns: &[ExpressionId]) -> Arc<TornBlock> {
        let key = BlockKey { residuals: residuals.into(), unknowns: unknowns.into() };
        if let Some(known) = self.torn_blocks().get(&key) {
            return known.clone();
        }
        let (model, leaves) = self.arena_and_leaves();
        let torn = tear(model, leaves, residuals, unknowns);
        let only_tear = self.only_tear(residuals, unknowns, &torn);
        let block = Arc::new(TornBlock { torn, only_tear });
        self.torn_blocks().insert(key, block.clone());
        block
    }

    /// The only tear of a block as an expression, if what is left of the block is linear in it.
    fn only_tear(
        &mut self,
        residuals: &[ExpressionId],
        unknowns: &[ExpressionId],
        torn: &Torn,
    ) -> Option<ExpressionId> {
        let (&[tear], &[residual]) = (&torn.tears[..], &torn.residuals[..]) else { return None };
        let e = self.expressions();
        let mut replaced = Rewritten::new();
        for formula in &torn.formulas {
            let expression = substitute(e, formula.expression, &mut replaced);
            replaced.insert(unknowns[formula.unknown], (), expression);
        }
        let residual_of_tear = substitute(e, residuals[residual], &mut replaced);
        let affine = affine(e, residual_of_tear, unknowns[tear])?;
        Some(solved(e, affine))
    }
}

impl Equations<'_> {
    fn assignment(
        &self,
        equation: usize,
        unknown: usize,
        target_expression: ExpressionId,
        expression: ExpressionId,
    ) -> Assignment {
        let (target, equation) = (self.system.unknowns[unknown], self.names[equation]);
        Assignment { target, target_expression, expression, equation }
    }
}

fn formulas<'a>(
    equations: &'a Equations<'a>,
    unknowns: &'a [ExpressionId],
    torn: &'a Torn,
) -> impl Iterator<Item = Assignment> + 'a {
    torn.formulas.iter().map(|it| equations.assignment(it.equation, it.unknown, unknowns[it.unknown], it.expression))
}

fn iteration(quantities: &Quantities, equations: &Equations<'_>, unknowns: &[ExpressionId], torn: &Torn) -> Iteration {
    let tears: Vec<QuantityIndex> = torn.tears.iter().map(|&tear| equations.system.unknowns[tear]).collect();
    Iteration {
        unknown_quantities: tears.iter().map(|&tear| quantities.get(tear)).collect(),
        unknowns: tears,
        residuals: torn.residuals.iter().map(|&equation| equations.residuals[equation]).collect(),
        equations: torn.residuals.iter().map(|&equation| equations.names[equation]).collect(),
        formulas: formulas(equations, unknowns, torn).collect(),
    }
}

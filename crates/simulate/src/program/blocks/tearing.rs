//! Tearing: within a block, unknowns that follow from others by an explicit formula are not iterated on.
//!
//! Greedily: an equation with one unknown left is solved for it if that unknown enters linearly with a coefficient that
//! is a number; if there is none, an unknown is torn, that is, taken as known: one that the fewest equations could be
//! solved for, and among these the one that occurs most. The equations that are
//! left over determine the torn unknowns. Formulas are kept shallow: long chains of them, as along a ladder of
//! resistors, would amplify rounding.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use modeshift_dae::{ExpressionId, Expressions, Node, Rewritten};
use rustc_hash::FxHashMap;

use super::affine::{Affine, affine, solved};
use super::leaves::Leaves;

/// Larger blocks are left to the sparse solver as they are.
const LARGEST: usize = 400;
/// How many formulas may follow from each other.
const DEEPEST: u32 = 6;

/// A block after tearing; unknowns and equations by their positions.
#[derive(Debug, Default)]
pub(crate) struct Torn {
    /// Equations with the unknowns they give, in an order in which they can be evaluated.
    pub formulas: Vec<Formula>,
    /// What is iterated on.
    pub tears: Vec<usize>,
    /// The equations that are left, as many as tears.
    pub residuals: Vec<usize>,
}

/// An unknown that follows from others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Formula {
    pub equation: usize,
    pub unknown: usize,
    pub expression: ExpressionId,
}

/// Tears a block of equations `residual = 0`.
pub(crate) fn tear(
    e: &mut Expressions,
    leaves: &mut Leaves,
    residuals: &[ExpressionId],
    unknowns: &[ExpressionId],
) -> Torn {
    if unknowns.len() > LARGEST {
        let all: Vec<usize> = (0..unknowns.len()).collect();
        return Torn { formulas: Vec::new(), tears: all.clone(), residuals: all };
    }
    let mut tearing = Tearing::new(e, leaves, residuals, unknowns);
    while tearing.open_unknowns > 0 {
        match tearing.ready.pop_first() {
            Some(equation) => tearing.try_formula(e, equation),
            None => tearing.tear_one(),
        }
    }
    let Tearing { mut result, is_formula, .. } = tearing;
    result.tears.sort_unstable();
    result.residuals = (0..residuals.len()).filter(|&equation| !is_formula[equation]).collect();
    assert_eq!(result.tears.len(), result.residuals.len(), "a square block stays square");
    result
}

struct Tearing<'a> {
    residuals: &'a [ExpressionId],
    unknowns: &'a [ExpressionId],
    unknowns_of: Vec<Vec<usize>>,
    /// In how many equations each unknown could be solved for.
    solvable_in: Vec<u32>,
    equations_of: Vec<Vec<usize>>,
    /// How many unknowns of each equation are open.
    open_in: Vec<usize>,
    /// The depth of the formula of each unknown that is not open.
    depths: Vec<Option<u32>>,
    is_formula: Vec<bool>,
    open_unknowns: usize,
    /// Equations with one open unknown.
    ready: BTreeSet<usize>,
    result: Torn,
}

impl<'a> Tearing<'a> {
    fn new(
        e: &mut Expressions,
        leaves: &mut Leaves,
        residuals: &'a [ExpressionId],
        unknowns: &'a [ExpressionId],
    ) -> Self {
        let position: FxHashMap<Node, usize> = unknowns.iter().enumerate().map(|(at, &id)| (e.node(id), at)).collect();
        let mut equations_of = vec![Vec::new(); unknowns.len()];
        let mut solvable_in = vec![0; unknowns.len()];
        let mut unknowns_of = Vec::with_capacity(residuals.len());
        for (equation, &residual) in residuals.iter().enumerate() {
            let leaves = leaves.of(e, residual).iter();
            let positions = leaves.filter_map(|leaf| position.get(&Node::Variable(leaf.of, leaf.order)));
            let mut found: Vec<usize> = positions.copied().collect();
            found.sort_unstable();
            for &unknown in &found {
                equations_of[unknown].push(equation);
                solvable_in[unknown] += u32::from(firm(e, residual, unknowns[unknown]).is_some());
            }
            unknowns_of.push(found);
        }
        let open_in: Vec<usize> = unknowns_of.iter().map(Vec::len).collect();
        let ready = (0..residuals.len()).filter(|&equation| open_in[equation] == 1).collect();
        Tearing {
            residuals,
            unknowns,
            unknowns_of,
            solvable_in,
            equations_of,
            open_in,
            depths: vec![None; unknowns.len()],
            is_formula: vec![false; residuals.len()],
            open_unknowns: unknowns.len(),
            ready,
            result: Torn::default(),
        }
    }

    fn try_formula(&mut self, e: &mut Expressions, equation: usize) {
        let open = self.unknowns_of[equation].iter().copied().find(|&unknown| self.depths[unknown].is_none());
        let unknown = open.expect("a ready equation has one open unknown");
        let depth = self.unknowns_of[equation].iter().filter_map(|&other| self.depths[other]).max().unwrap_or(0) + 1;
        if depth > DEEPEST {
            return;
        }
        let Some(affine) = firm(e, self.residuals[equation], self.unknowns[unknown]) else { return };
        let expression = solved(e, affine);
        self.is_formula[equation] = true;
        self.result.formulas.push(Formula { equation, unknown, expression });
        self.close(unknown, depth);
    }

    /// Further ties go to the first.
    fn tear_one(&mut self) {
        let open = (0..self.unknowns.len()).filter(|&unknown| self.depths[unknown].is_none());
        let uses = |unknown: usize| self.equations_of[unknown].iter().filter(|&&it| !self.is_formula[it]).count();
        let torn = open.min_by_key(|&unknown| (self.solvable_in[unknown], Reverse(uses(unknown)), unknown));
        let torn = torn.expect("an unknown is open");
        self.result.tears.push(torn);
        self.close(torn, 0);
    }

    fn close(&mut self, unknown: usize, depth: u32) {
        self.depths[unknown] = Some(depth);
        self.open_unknowns -= 1;
        for &equation in &self.equations_of[unknown] {
            self.open_in[equation] -= 1;
            match self.open_in[equation] {
                1 if !self.is_formula[equation] => self.ready.insert(equation),
                _ => self.ready.remove(&equation),
            };
        }
    }
}

/// The equation as a linear function of an unknown whose coefficient is a number that is not zero.
fn firm(e: &mut Expressions, residual: ExpressionId, unknown: ExpressionId) -> Option<Affine> {
    let affine = affine(e, residual, unknown)?;
    let coefficient = e.literal(affine.coefficient)?;
    (coefficient != 0.0).then_some(affine)
}

/// The expression with variables replaced, outside left limits.
pub(crate) fn substitute(e: &mut Expressions, root: ExpressionId, replaced: &mut Rewritten) -> ExpressionId {
    e.rewrite_outside(root, replaced, |node| matches!(node, Node::Pre(_)), |_, id| id)
}

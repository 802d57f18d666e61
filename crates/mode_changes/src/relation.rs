//! Relations in the definitions of mode variables, as functions of a jet.
//!
//! `left >= right` holds where the series of `left - right` is not below zero. A relation that reads variables of the
//! current instant is decided in a candidate mode, after its restart. A relation of left limits alone (`pre(s) <= 0`)
//! is decided along the jet of the mode being left, one of time alone by time.

use std::cell::OnceCell;

use modeshift_dae::{ExpressionId, FlatModel, Node, RelationOperator, VariableId};
use modeshift_numerics::{Input, NativeFunctions};

use crate::difference_tape::{DifferenceTape, unknowns_in};
use crate::guard_sign::{GuardSeries, Sign, Term};
use crate::jet::{Jet, Residuals};
use crate::left::Past;
use crate::mode_structure::{Column, ModeStructure, Row};
use crate::restart::Restart;

/// A relation in the definition of a mode variable.
pub struct Relation {
    /// The relation in the model.
    pub expression: ExpressionId,
    /// Whether it is inside `pre`: then all its variables are left limits.
    pub is_before: bool,
    operator: RelationOperator,
    sides: [ExpressionId; 2],
    /// Unknowns of the current instant in it, with the orders that are written, ascending.
    reads: Vec<(VariableId, u32)>,
    /// The same of those inside `pre`.
    left_reads: Vec<(VariableId, u32)>,
    compiled: OnceCell<Option<DifferenceTape>>,
}

/// A difference is clearly not zero if it is this large, relative to its terms: far beyond all noise.
const CLEAR: f64 = 1e-3;

/// All that gives relations their values, besides a jet.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub model: &'a FlatModel,
    pub natives: &'a NativeFunctions,
    /// Values of parameters, discrete variables, modes and left limits.
    pub known: &'a dyn Fn(Input) -> Option<f64>,
}

impl Relation {
    /// `None` if the expression is no relation.
    pub(crate) fn new(model: &FlatModel, expression: ExpressionId, is_before: bool) -> Option<Self> {
        let Node::Relation(operator, left, right) = model.expressions.node(expression) else { return None };
        let sides = [left, right];
        let (reads, mut left_reads) = (unknowns_in(model, &sides), Vec::new());
        for side in sides {
            model.expressions.for_each(side, |_, node| {
                if let Node::Pre(inner) = node {
                    left_reads.extend(unknowns_in(model, &[inner]));
                }
                true
            });
        }
        left_reads.sort_unstable();
        left_reads.dedup();
        Some(Relation { expression, is_before, operator, sides, reads, left_reads, compiled: OnceCell::new() })
    }

    /// Whether it depends on a continuous variable at the current instant: then a candidate mode decides it.
    pub fn is_of_candidate(&self) -> bool {
        !self.is_before && !self.reads.is_empty()
    }

    /// Variables of the current instant with the orders that are written.
    pub fn reads(&self) -> &[(VariableId, u32)] {
        if self.is_before { &[] } else { &self.reads }
    }

    /// Whether it holds where the difference of its sides has this sign; `None` where either is allowed.
    pub(crate) fn holds(&self, sign: Sign) -> Option<bool> {
        use RelationOperator::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        match (self.operator, sign) {
            (Less | LessEqual, Sign::Decided(_, value)) => Some(value < 0.0),
            (Greater | GreaterEqual, Sign::Decided(_, value)) => Some(value > 0.0),
            (Equal, sign) => Some(sign == Sign::Vanishing),
            (NotEqual, sign) => Some(sign != Sign::Vanishing),
            (_, Sign::Vanishing) => None,
        }
    }

    /// Whether it holds where both sides are equal.
    pub(crate) fn holds_at_zero(&self) -> bool {
        use RelationOperator::{Equal, GreaterEqual, LessEqual};
        matches!(self.operator, Equal | GreaterEqual | LessEqual)
    }

    fn tape(&self, surroundings: &Surroundings) -> Option<&DifferenceTape> {
        let Surroundings { model, natives, .. } = *surroundings;
        let compile = || DifferenceTape::new(model, natives, self.sides, &|_| None).ok();
        self.compiled.get_or_init(compile).as_ref()
    }

    /// The variables that it reads of a mode, now or before, with the orders that are written.
    pub(crate) fn columns(&self, structure: &ModeStructure) -> Vec<(Column, u32)> {
        let read = self.reads.iter().chain(&self.left_reads);
        read.filter_map(|&(variable, order)| Some((structure.column(variable)?, order))).collect()
    }

    /// The sign along a jet where the value alone leaves no doubt.
    pub(crate) fn clear_sign(&self, surroundings: &Surroundings, structure: &ModeStructure, jet: &Jet) -> Option<Sign> {
        let sides = self.tape(surroundings)?.left_at(structure, surroundings.known).sides(jet);
        let difference = sides[0] - sides[1];
        let is_clear = difference.abs() > CLEAR * (sides[0].abs() + sides[1].abs());
        (is_clear && difference.is_finite()).then_some(Sign::Decided(Term::Derivative(0), difference))
    }

    /// The series in a candidate mode after its restart, with `highest` derivatives.
    pub(crate) fn series(
        &self,
        surroundings: &Surroundings,
        structure: &ModeStructure,
        past: &Past,
        restart: &Restart,
        highest: u32,
    ) -> GuardSeries {
        let Some(tape) = self.tape(surroundings) else { return GuardSeries::default() };
        GuardSeries::new(&tape.at(structure, surroundings.known), Row(0), past, restart, highest)
    }

    /// The series along a jet of a mode, without impulses; left limits of variables are those of the jet.
    pub(crate) fn series_along(
        &self,
        surroundings: &Surroundings,
        structure: &ModeStructure,
        jet: &Jet,
        highest: u32,
    ) -> GuardSeries {
        let Some(tape) = self.tape(surroundings) else { return GuardSeries::default() };
        let along = tape.left_at(structure, surroundings.known);
        let [left, right] = along.sides(jet);
        let size = left.abs() + right.abs();
        let size = if size.is_finite() { size } else { 0.0 };
        GuardSeries { weights: Vec::new(), derivatives: along.residual(Row(0), jet, highest), size }
    }
}

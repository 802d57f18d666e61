//! Relations in the definitions of mode variables, as functions of a jet.
//!
//! `left >= right` holds where the series of `left - right` is not below zero. A relation that reads variables of the
//! current instant is decided in a candidate mode, after its restart. A relation of left limits alone (`pre(s) <= 0`)
//! is decided along the jet of the mode being left, one of time alone by time.

use std::cell::{OnceCell, RefCell};

use modeshift_dae::{ExpressionId, FlatModel, Node, RelationOperator, VariableId};
use modeshift_numerics::{Compiler, Differentiated, Input, NativeFunctions, Tape, TaylorWorkspace, Workspace};

use crate::equation_tapes::{difference, for_each_partial, input_series};
use crate::guard_sign::{GuardSeries, Sign, Term};
use crate::jet::{Jet, Partial, Residuals};
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
    compiled: OnceCell<Option<Compiled>>,
}

/// The sides of a relation with their derivatives, and buffers for their values.
struct Compiled {
    tape: Differentiated,
    values: RefCell<Workspace>,
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
        let (reads, mut left_reads) = (reads(model, &sides), Vec::new());
        for side in sides {
            model.expressions.for_each(side, |_, node| {
                if let Node::Pre(inner) = node {
                    left_reads.extend(self::reads(model, &[inner]));
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

    fn compiled(&self, surroundings: &Surroundings) -> Option<&Compiled> {
        let compile = || {
            let inputs: Vec<Input> = self.reads.iter().map(|&(variable, k)| Input::Variable(variable, k)).collect();
            let compiler = Compiler::new(surroundings.model, surroundings.natives);
            let tape = compiler.differentiated(&self.sides, &inputs).ok()?;
            let values = RefCell::new(tape.residuals.workspace());
            Some(Compiled { tape, values })
        };
        self.compiled.get_or_init(compile).as_ref()
    }

    /// The variables that it reads of a mode, now or before, with the orders that are written.
    pub(crate) fn columns(&self, structure: &ModeStructure) -> Vec<(Column, u32)> {
        let read = self.reads.iter().chain(&self.left_reads);
        read.filter_map(|&(variable, order)| Some((structure.column(variable)?, order))).collect()
    }

    /// The sign along a jet where the value alone leaves no doubt.
    pub(crate) fn clear_sign(&self, surroundings: &Surroundings, structure: &ModeStructure, jet: &Jet) -> Option<Sign> {
        let Compiled { tape, values } = self.compiled(surroundings)?;
        let along = Along { relation: self, tape, structure, known: surroundings.known, is_left: true };
        let inputs: Vec<f64> = tape.residuals.inputs().iter().map(|&input| along.value(input, jet)).collect();
        let mut sides = [f64::NAN; 2];
        tape.residuals.evaluate(&inputs, &mut values.borrow_mut(), &mut sides);
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
        match self.compiled(surroundings) {
            Some(Compiled { tape, .. }) => {
                let along = Along { relation: self, tape, structure, known: surroundings.known, is_left: false };
                GuardSeries::new(&along, Row(0), past, restart, highest)
            }
            None => GuardSeries::default(),
        }
    }

    /// The series along a jet of a mode, without impulses; left limits of variables are those of the jet.
    pub(crate) fn series_along(
        &self,
        surroundings: &Surroundings,
        structure: &ModeStructure,
        jet: &Jet,
        highest: u32,
    ) -> GuardSeries {
        let Some(Compiled { tape, .. }) = self.compiled(surroundings) else { return GuardSeries::default() };
        let along = Along { relation: self, tape, structure, known: surroundings.known, is_left: true };
        let outputs = along.outputs(&tape.residuals, jet, highest);
        let length = highest as usize + 1;
        let size = outputs[0].abs() + outputs[length].abs();
        let size = if size.is_finite() { size } else { 0.0 };
        GuardSeries { weights: Vec::new(), derivatives: difference(&outputs, highest), size }
    }
}

/// Continuous unknowns of the current instant in expressions, ascending.
pub(crate) fn reads(model: &FlatModel, expressions: &[ExpressionId]) -> Vec<(VariableId, u32)> {
    let mut reads = Vec::new();
    for &expression in expressions {
        model.expressions.for_each(expression, |_, node| {
            if let Node::Variable(variable, order) = node
                && model.variables[variable].is_continuous_unknown()
            {
                reads.push((variable, order));
            }
            !matches!(node, Node::Pre(_))
        });
    }
    reads.sort_unstable();
    reads.dedup();
    reads
}

/// A relation as the residual of an equation.
struct Along<'a> {
    relation: &'a Relation,
    tape: &'a Differentiated,
    structure: &'a ModeStructure,
    known: &'a dyn Fn(Input) -> Option<f64>,
    /// Whether left limits of variables are followed along the jet instead of being constants.
    is_left: bool,
}

impl Along<'_> {
    /// The input that is followed along the jet.
    fn followed(&self, input: Input) -> Input {
        match input {
            Input::LeftVariable(variable, order) if self.is_left && self.structure.column(variable).is_some() => {
                Input::Variable(variable, order)
            }
            other => other,
        }
    }

    fn value(&self, input: Input, jet: &Jet) -> f64 {
        let column = |variable| self.structure.column(variable);
        match self.followed(input) {
            Input::Time => jet.time,
            Input::Variable(variable, order) if column(variable).is_some() => {
                column(variable).map_or(f64::NAN, |column| jet.get(column, order))
            }
            other => (self.known)(other).unwrap_or(f64::NAN),
        }
    }

    fn outputs(&self, tape: &Tape, jet: &Jet, highest: u32) -> Vec<f64> {
        let inputs: Vec<Input> = tape.inputs().iter().map(|&input| self.followed(input)).collect();
        let series = input_series(&inputs, jet, highest, |variable| self.structure.column(variable), self.known);
        let mut outputs = vec![0.0; tape.output_count() * (highest as usize + 1)];
        tape.evaluate_taylor(&series, &mut TaylorWorkspace::new(tape, highest as usize), &mut outputs);
        outputs
    }
}

impl Residuals for Along<'_> {
    fn residual(&self, _: Row, jet: &Jet, highest: u32) -> Vec<f64> {
        difference(&self.outputs(&self.tape.residuals, jet, highest), highest)
    }

    fn partials(&self, _: Row, jet: &Jet, highest: u32) -> Vec<Partial> {
        let outputs = self.outputs(self.tape.tape(), jet, highest);
        let mut shares = vec![vec![0.0; highest as usize + 1]; self.relation.reads.len()];
        for_each_partial(self.tape, &outputs, highest, |unknown, k, share| shares[unknown][k] += share);
        let reads = self.relation.reads.iter().zip(shares);
        let partial = |(&(variable, order), derivatives): (&(VariableId, u32), Vec<f64>)| {
            Some(Partial { column: self.structure.column(variable)?, order, derivatives })
        };
        reads.filter_map(partial).collect()
    }
}

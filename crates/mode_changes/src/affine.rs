//! Differences of two expressions as affine functions of the variables of a mode, linearized at left limits.

use std::collections::BTreeMap;

use modeshift_dae::ExpressionId;
use modeshift_numerics::{Compiler, Input, TaylorWorkspace};

use crate::equation_tapes::{difference, for_each_partial, input_series};
use crate::jet::Jet;
use crate::memory::Derivative;
use crate::mode_structure::{Column, ModeStructure};
use crate::relation::{Surroundings, reads};

/// `constant + Σ coefficient x^(k)`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Affine {
    /// The coefficients, none of them zero.
    pub terms: BTreeMap<Derivative, f64>,
    /// The constant.
    pub constant: f64,
}

impl Affine {
    /// A multiple of a variable.
    pub fn variable(column: Column, coefficient: f64) -> Self {
        Affine { terms: BTreeMap::from([((column, 0), coefficient)]), constant: 0.0 }
    }

    /// The difference of two expressions at a jet; `None` where one of them has no number there.
    pub(crate) fn difference(
        sides: [ExpressionId; 2],
        surroundings: &Surroundings,
        structure: &ModeStructure,
        jet: &Jet,
    ) -> Option<Self> {
        let column_of = |variable| structure.column(variable);
        let read = reads(surroundings.model, &sides);
        let unknowns: Vec<Derivative> = read.iter().filter_map(|&(it, order)| Some((column_of(it)?, order))).collect();
        let inputs = unknowns.iter().map(|&(column, order)| Input::Variable(structure.variable(column), order));
        let inputs: Vec<Input> = inputs.collect();
        let compiler = Compiler::new(surroundings.model, surroundings.natives);
        let compiler = compiler.with_known_inputs(|input| (surroundings.known)(input));
        let compiled = compiler.differentiated(&sides, &inputs).ok()?;
        let tape = compiled.tape();
        let series = input_series(tape.inputs(), jet, 0, column_of, surroundings.known);
        let mut outputs = vec![0.0; tape.output_count()];
        tape.evaluate_taylor(&series, &mut TaylorWorkspace::new(tape, 0), &mut outputs);
        let mut affine = Affine { terms: BTreeMap::new(), constant: difference(&outputs, 0)[0] };
        for_each_partial(&compiled, &outputs, 0, |unknown, _, share| {
            affine.constant -= share * jet.get(unknowns[unknown].0, unknowns[unknown].1);
            *affine.terms.entry(unknowns[unknown]).or_default() += share;
        });
        affine.terms.retain(|_, coefficient| *coefficient != 0.0);
        let is_finite = affine.constant.is_finite() && affine.terms.values().all(|value| value.is_finite());
        is_finite.then_some(affine)
    }

    /// Puts in for a variable what `zero = 0` says about it; nothing if that says nothing.
    pub(crate) fn eliminate(&mut self, column: Column, zero: &Affine) {
        let (own, pivot) = (self.terms.get(&(column, 0)).copied(), zero.terms.get(&(column, 0)).copied());
        let (Some(own), Some(pivot)) = (own, pivot) else { return };
        let factor = own / pivot;
        for (&derivative, &coefficient) in &zero.terms {
            *self.terms.entry(derivative).or_default() -= factor * coefficient;
        }
        self.constant -= factor * zero.constant;
        self.terms.remove(&(column, 0));
        self.terms.retain(|_, coefficient| *coefficient != 0.0);
    }
}

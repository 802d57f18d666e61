//! Differences of two expressions as affine functions of the variables of a mode, linearized at left limits.

use std::collections::BTreeMap;

use modeshift_dae::{Derivative, ExpressionId, FlatModel};
use modeshift_numerics::{Input, NativeFunctions};
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

use super::difference_tape::DifferenceTape;
use super::jet::{Jet, Partial, Residuals};

/// All that gives expressions their values, besides a jet.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub model: &'a FlatModel,
    pub natives: &'a NativeFunctions,
    /// Values of parameters, discrete variables, modes and left limits.
    pub known: &'a dyn Fn(Input) -> Option<f64>,
}

/// `constant + Σ coefficient x^(k)`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Affine {
    /// The coefficients, none of them zero.
    pub terms: BTreeMap<Derivative<Column>, f64>,
    /// The constant.
    pub constant: f64,
}

impl Affine {
    /// The difference of two expressions at a jet; `None` where one of them has no number there.
    pub(crate) fn difference(
        sides: [ExpressionId; 2],
        surroundings: &Surroundings,
        structure: &ModeStructure,
        jet: &Jet,
    ) -> Option<Self> {
        let Surroundings { model, natives, known } = *surroundings;
        let tape = DifferenceTape::new(model, natives, sides, &|input| known(input)).ok()?;
        let at = tape.at(structure, known);
        let mut affine = Affine { terms: BTreeMap::new(), constant: at.residual(Row(0), jet, 0)[0] };
        for Partial { column, order, derivatives } in at.partials(Row(0), jet, 0) {
            affine.constant -= derivatives[0] * jet.get(column, order);
            *affine.terms.entry(Derivative::new(column, order)).or_default() += derivatives[0];
        }
        affine.terms.retain(|_, coefficient| *coefficient != 0.0);
        let is_finite = affine.constant.is_finite() && affine.terms.values().all(|value| value.is_finite());
        is_finite.then_some(affine)
    }

    /// Puts in for a variable what `zero = 0` says about it; nothing if that says nothing.
    pub(crate) fn eliminate(&mut self, column: Column, zero: &Affine) {
        let (own, pivot) = (
            self.terms.get(&Derivative::new(column, 0)).copied(),
            zero.terms.get(&Derivative::new(column, 0)).copied(),
        );
        let (Some(own), Some(pivot)) = (own, pivot) else { return };
        let factor = own / pivot;
        for (&derivative, &coefficient) in &zero.terms {
            *self.terms.entry(derivative).or_default() -= factor * coefficient;
        }
        self.constant -= factor * zero.constant;
        self.terms.remove(&Derivative::new(column, 0));
        self.terms.retain(|_, coefficient| *coefficient != 0.0);
    }
}

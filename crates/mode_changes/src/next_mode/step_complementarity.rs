//! Which elements of a cluster change, as a linear complementarity problem: one implicit step of a regular mode.
//!
//! In the mode each element imposes that one of its quantities vanishes (a blocking diode its current) and leaves its
//! partner free (the voltage). With one implicit Euler step, the free quantities are affine in the imposed ones,
//! `b = q + M a`: one factorization, one solve per element. Both must not be negative, and one of each pair must
//! vanish. At a short step impulses are included: they are what grows as the step shrinks.
//!
//! An element with three states is two pairs at one equation. A stuck body imposes that its speed vanishes; forward it
//! moves where the friction is at its one limit, backward where it is at the other: the speed is the difference of two
//! imposed quantities, and each has a free partner, how far the friction is from that limit.

use super::search::Complementarity;
use crate::one_change::StepSystem;
use crate::one_mode::Affine;
use modeshift_numerics::small_dense::Matrix;
use modeshift_structure::one_mode::Row;

/// A pair of quantities of an element, in the state that the element has in the reference mode.
#[derive(Clone, Debug)]
pub struct ElementPair {
    /// `1` or `-1`: times the residual of the equation that says that the imposed quantity vanishes, it is the quantity.
    pub imposed_sign: f64,
    /// The free quantity.
    pub free: Affine,
    /// The state it is in, and the other.
    pub states: (u32, u32),
}

/// A step, and how its result changes with the residuals of some equations.
pub(crate) struct StepResponse {
    system: StepSystem,
    step: f64,
    base: Vec<f64>,
    sensitivities: Vec<Vec<f64>>,
}

impl StepResponse {
    /// `None` if the step cannot be solved.
    pub(crate) fn new(system: StepSystem, step: f64, rows: &[Row]) -> Option<Self> {
        let (base, sensitivities) = system.step_with_sensitivities(step, rows)?;
        Some(StepResponse { system, step, base, sensitivities })
    }

    /// A function after the step, and how it changes with each of the rows.
    pub(crate) fn of(&self, function: &Affine) -> (f64, Vec<f64>) {
        let after = |values: &[f64]| -> f64 {
            let terms = function.terms.iter();
            terms.map(|(&limit, value)| value * self.system.derivative(values, self.step, limit)).sum()
        };
        let slope = |values: &Vec<f64>| -> f64 {
            let terms = function.terms.iter();
            terms.map(|(&limit, value)| value * self.system.slope(values, self.step, limit)).sum()
        };
        (function.constant + after(&self.base), self.sensitivities.iter().map(slope).collect())
    }

    /// The problem of these pairs, whose rows are those of the response.
    pub(crate) fn complementarity(&self, pairs: &[ElementPair]) -> Complementarity {
        let mut matrix = Matrix::zero(pairs.len());
        let mut constant = Vec::new();
        for (i, pair) in pairs.iter().enumerate() {
            let (value, slopes) = self.of(&pair.free);
            constant.push(value);
            pairs.iter().zip(slopes).enumerate().for_each(|(k, (other, slope))| {
                matrix.add(i, k, other.imposed_sign * slope);
            });
        }
        Complementarity { constant, matrix, states: pairs.iter().map(|pair| pair.states).collect() }
    }
}

//! Which modes are affine, and are solved exactly.
//!
//! Whether a mode is affine is read off its equations when it is first entered, and again when what stands still has other values in
//! coefficients. Whether it pays to solve it exactly is a matter of size, and of rounding: what exponentials lose of what is
//! slow beside what is fast must be far below the tolerance.

use std::collections::BTreeSet;
use std::sync::Arc;

use modeshift_dae::{EquationId, FlatModel, Mode};
use rustc_hash::FxHashSet;

use crate::integrate::{Field, FieldBuilder, Method, Problem, Wave};
use crate::program::{AffineMode, NotAffine, Programs, Surroundings};
use crate::run::modes::{ModeOde, VisitedMode};
use crate::run::phase::integrate_until::PhaseSettings;

/// Up to so many states it pays. Exponentials are full matrices: on heat that flows along a rod with some eighty events, exact solutions take a
/// quarter of the time of backward differentiation with 10 to 60 states, a third with 120, and as long with 250.
const MOST_STATES: usize = 100;
/// And up to so many where the mode rings: then only the nonzero coefficients count, and steps of other methods are shorter still. A
/// line of 400 states takes a ninth of the time; reading a mode takes longer than that pays with some thousand.
const MOST_RINGING_STATES: usize = 2000;
/// Rounding over the whole run, as a share of the tolerance.
const ROUNDING_SHARE: f64 = 1e-2;

/// A mode as an affine system.
pub(crate) enum KnownAffine {
    /// It is one, for some values of what stands still.
    Affine(Box<AffineMode>, Arc<Field>),
    /// It is none, and that does not depend on values.
    Not(NotAffine),
}

/// What a run has found out about the modes that it integrated.
#[derive(Default)]
pub(crate) struct ExactModes {
    exactly: FxHashSet<Mode>,
    /// Whether a large mode was looked at in vain: others of the model are like it, and to read each takes longer than its event.
    is_vain: bool,
    not_affine: BTreeSet<EquationId>,
}

impl ExactModes {
    fn learn(&mut self, mode: &Mode, found: &KnownAffine) {
        match found {
            KnownAffine::Affine(..) => _ = self.exactly.insert(mode.clone()),
            KnownAffine::Not(NotAffine { equation }) => self.not_affine.extend(*equation),
        }
    }

    /// How many modes were solved exactly, and the equations that others are not affine because of, where all were to be.
    pub fn summary(&self, model: &FlatModel, method: Method) -> (usize, Vec<String>) {
        let wanted = self.not_affine.iter().filter(|_| method == Method::Exact);
        (self.exactly.len(), wanted.map(|&equation| model.equations[equation].name.to_string()).collect())
    }
}

impl VisitedMode<'_> {
    /// Makes the problem one that is solved exactly, where the method asks for it and the mode is affine.
    pub fn solve_exactly(
        &self,
        programs: &Programs<'_>,
        surroundings: &Surroundings,
        settings: &PhaseSettings,
        problem: &Problem<ModeOde<'_>>,
        known: &mut ExactModes,
    ) {
        if !matches!(settings.method, Method::Auto | Method::Exact) {
            return;
        }
        let is_known = match &*self.affine.borrow() {
            Some(KnownAffine::Affine(mode, _)) => mode.is_for(surroundings),
            Some(KnownAffine::Not(_)) => true,
            None => false,
        };
        if is_known {
            return;
        }
        let is_large = self.program.borrow().states().len() > MOST_STATES;
        let found = match settings.method == Method::Auto && is_large && known.is_vain {
            true => KnownAffine::Not(NotAffine { equation: None }),
            false => self.read_affine(programs, surroundings, settings),
        };
        known.is_vain |= is_large && matches!(found, KnownAffine::Not(_));
        let exact = match &found {
            KnownAffine::Affine(mode, field) => Some((field.clone(), mode.inputs.clone())),
            KnownAffine::Not(_) => None,
        };
        known.learn(&self.values, &found);
        problem.system().set_exact(exact);
        *self.affine.borrow_mut() = Some(found);
    }

    fn read_affine(
        &self,
        programs: &Programs<'_>,
        surroundings: &Surroundings,
        settings: &PhaseSettings,
    ) -> KnownAffine {
        let program = self.program.borrow();
        let is_auto = settings.method == Method::Auto;
        if is_auto && program.states().len() > MOST_RINGING_STATES {
            return KnownAffine::Not(NotAffine { equation: None });
        }
        match program.affine(programs, surroundings) {
            Ok(mode) => {
                let field = Arc::new(field(&mode));
                let rounding = field.rounding_over(settings.stop - settings.start);
                // Other methods are exact for polynomials too.
                let is_large = program.states().len() > MOST_STATES && !field.rings();
                if is_auto && (is_large || field.is_polynomial() || rounding > ROUNDING_SHARE * settings.tolerance) {
                    return KnownAffine::Not(NotAffine { equation: None });
                }
                KnownAffine::Affine(Box::new(mode), field)
            }
            Err(reason) => KnownAffine::Not(reason),
        }
    }
}

fn field(mode: &AffineMode) -> Field {
    let mut builder = FieldBuilder::new(mode.states.len(), mode.inputs.len());
    fill(&mut builder, mode);
    builder.build()
}

/// Puts the slopes of a mode into a field.
pub(crate) fn fill(builder: &mut FieldBuilder, mode: &AffineMode) {
    for slope in 0..mode.states.len() {
        mode.states[slope].iter().for_each(|&(state, factor)| builder.state(slope, state, factor));
        mode.by_inputs[slope].iter().for_each(|&(input, factor)| builder.input(slope, input, factor));
        for term in &mode.terms[slope] {
            if term.is_constant() {
                builder.constant(slope, term.cosine);
            } else {
                let wave = Wave { power: term.power, rate: term.rate, frequency: term.frequency };
                builder.wave(slope, wave, term.cosine, term.sine);
            }
        }
    }
}

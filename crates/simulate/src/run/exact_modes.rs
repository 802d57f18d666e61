//! Which modes are affine, and are solved exactly.
//!
//! Whether a mode is affine is read off its equations when it is first entered, and again when what stands still has other values in
//! coefficients. Whether it pays to solve it exactly is a matter of size, and of rounding: what exponentials lose of what is
//! slow beside what is fast must be far below the tolerance. That is a matter of the time that has passed, not of how long the run will
//! last: up to any time, results are the same wherever it stops.

use std::collections::BTreeSet;
use std::sync::Arc;

use modeshift_dae::{EquationId, Mode, MultimodeDae};
use rustc_hash::FxHashSet;

use crate::integrate::{Field, FieldBuilder, Method, Problem, Wave};
use crate::program::{AffineMode, NotAffine, Programs, Surroundings};
use crate::run::modes::{ModeOde, VisitedMode};
use crate::run::output::ModeInShort;
use crate::run::phase::integrate_until::PhaseSettings;

/// Up to so many states it pays. Exponentials are full matrices: on heat that flows along a rod with some eighty events, exact solutions take a
/// quarter of the time of backward differentiation with 10 to 60 states, a third with 120, and as long with 250.
pub(crate) const MOST_STATES: usize = 100;
/// And up to so many where the mode rings: then only the nonzero coefficients count, and steps of other methods are shorter still. A
/// line of 400 states takes a ninth of the time; reading a mode takes longer than that pays with some thousand.
const MOST_RINGING_STATES: usize = 2000;
/// So many are named in the summary of a run.
const MOST_NAMED: usize = 8;
/// Rounding since the start, in tolerances. It is a bound: entries are rounded by half of what it says, and rates are of half the speed of the
/// field that two ends of a tiny resistance have together, so that a solution is wrong by ten tolerances at most, as other methods may
/// be; on a ladder of rectifiers with resistances of 1e-5, rounding was a fortieth of it. And a mode that changes its method in the middle of a
/// run is the worse for it: what follows events of tiny resistances is in no steps as exact.
const ROUNDING_SHARE: f64 = 40.0;

/// A mode as an affine system.
pub(crate) enum KnownAffine {
    /// It is one, for some values of what stands still, and solved exactly up to a time.
    Affine(Box<AffineMode>, Arc<Field>, Trusted),
    /// It is none, and that does not depend on values.
    Not(NotAffine),
}

/// Up to when a mode is solved exactly.
#[derive(Clone, Copy)]
pub(crate) struct Trusted {
    start: f64,
    until: f64,
    /// Whether that was looked at closely.
    is_final: bool,
}

impl Trusted {
    fn new(field: &Field, settings: &PhaseSettings) -> Self {
        let PhaseSettings { start, tolerance, method, .. } = *settings;
        let is_final = method == Method::Exact;
        let length = if is_final { f64::INFINITY } else { field.rounds_within(ROUNDING_SHARE * tolerance) };
        Trusted { start, until: start + length, is_final }
    }

    fn holds_at(&mut self, time: f64, field: &Field) -> bool {
        if time > self.until && !self.is_final {
            *self =
                Trusted { until: self.start + field.rounds_alike_until(time - self.start), is_final: true, ..*self };
        }
        time <= self.until
    }
}

/// What a run has found out about the modes that it integrated.
#[derive(Default)]
pub(crate) struct ExactModes {
    exactly: FxHashSet<Mode>,
    first: Vec<Mode>,
    /// Whether a large mode was looked at in vain: others of the model are like it, and to read each takes longer than its event.
    is_vain: bool,
    not_affine: BTreeSet<EquationId>,
}

impl ExactModes {
    fn learn(&mut self, mode: &Mode, found: &KnownAffine) {
        match found {
            KnownAffine::Affine(..) => {
                if self.exactly.insert(mode.clone()) && self.first.len() < MOST_NAMED {
                    self.first.push(mode.clone());
                }
            }
            KnownAffine::Not(NotAffine { equation }) => self.not_affine.extend(*equation),
        }
    }

    /// How many modes were solved exactly and the first of them, and the equations that others are not affine because of, where all were
    /// to be.
    pub fn summary(&self, dae: &MultimodeDae, method: Method) -> (usize, Vec<String>, Vec<String>) {
        let wanted = self.not_affine.iter().filter(|_| method == Method::Exact);
        let named = wanted.map(|&equation| dae.model.equations[equation].name.to_string()).collect();
        let modes = self.first.iter().map(|values| ModeInShort { dae, values }.to_string());
        (self.exactly.len(), modes.collect(), named)
    }
}

impl VisitedMode<'_> {
    /// Makes the problem one that is solved exactly, where the method asks for it and the mode is affine.
    pub fn solve_exactly(
        &self,
        programs: &Programs<'_>,
        surroundings: &Surroundings,
        settings: &PhaseSettings,
        (problem, time): (&Problem<ModeOde<'_>>, f64),
        known: &mut ExactModes,
    ) {
        if !matches!(settings.method, Method::Auto | Method::Exact) {
            return;
        }
        let is_lost = match &mut *self.affine.borrow_mut() {
            Some(KnownAffine::Affine(mode, field, trusted)) => {
                let holds = trusted.holds_at(time, field);
                if holds && mode.is_for(surroundings) {
                    return;
                }
                !holds
            }
            Some(KnownAffine::Not(_)) => return,
            None => false,
        };
        let is_large = self.program.borrow().states().len() > MOST_STATES;
        let mut found = match is_lost || settings.method == Method::Auto && is_large && known.is_vain {
            true => KnownAffine::Not(NotAffine { equation: None }),
            false => self.read_affine(programs, surroundings, settings),
        };
        if let KnownAffine::Affine(_, field, trusted) = &mut found
            && !trusted.holds_at(time, field)
        {
            found = KnownAffine::Not(NotAffine { equation: None });
        }
        known.is_vain |= is_large && matches!(found, KnownAffine::Not(_));
        let exact = match &found {
            KnownAffine::Affine(mode, field, _) => Some((field.clone(), mode.inputs.clone())),
            KnownAffine::Not(_) => None,
        };
        known.learn(&self.values, &found);
        problem.system().set_exact(exact);
        *self.affine.borrow_mut() = Some(found);
    }

    /// Whether the mode is one that is solved exactly, still at this time.
    pub fn is_exact_at(&self, time: f64) -> bool {
        match &mut *self.affine.borrow_mut() {
            Some(KnownAffine::Affine(_, field, trusted)) => trusted.holds_at(time, field),
            _ => false,
        }
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
                // Other methods are exact for polynomials too.
                let is_large = program.states().len() > MOST_STATES && !field.rings();
                if is_auto && (is_large || field.is_polynomial()) {
                    return KnownAffine::Not(NotAffine { equation: None });
                }
                let trusted = Trusted::new(&field, settings);
                KnownAffine::Affine(Box::new(mode), field, trusted)
            }
            Err(reason) => KnownAffine::Not(reason),
        }
    }
}

/// An affine system as a linear one.
pub(crate) fn field(mode: &AffineMode) -> Field {
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

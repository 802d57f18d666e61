//! A candidate for the right side of a micro-step: the restart that follows from a settled discrete part, and which atoms
//! contradict it.

use std::rc::Rc;

use modeshift_dae::{RelationId, VariableId};
use modeshift_mode_changes::{Sign, Term};
use modeshift_numerics::Input;

use crate::results::CostPart;
use crate::run::instant::Instant;
use crate::run::instant::discrete_fixpoint::{MicroStep, Settled};
use crate::run::instant::restart::{Circumstances, NoRestart, Restarted};
use crate::run::modes::{NoMode, VisitedMode};
use crate::run::prepare::relations::Moment;
use crate::run::values::{Occasion, Side};

/// What speaks against a mode.
#[derive(Clone, Debug)]
pub(crate) enum Objection {
    Mode(NoMode),
    Restart(NoRestart),
    /// An atom has another truth there.
    Atom(RelationId, (Term, f64)),
    /// In words.
    Words(String),
}

/// A candidate for the right side of a micro-step.
pub(crate) struct Candidate<'a> {
    pub restarted: Restarted<'a>,
    pub is_transient: bool,
    /// Whether anything at all differs from the left side in the continuous part.
    pub is_new: bool,
}

/// An atom that has another truth than was assumed, and the term that says so.
pub(crate) type Violation = (RelationId, (Term, f64));

impl<'a> Instant<'_, 'a> {
    /// The right side that follows from a settled discrete part.
    pub fn candidate(&mut self, step: &MicroStep<'_, 'a>, settled: &Settled) -> Result<Candidate<'a>, Objection> {
        let changed = self.prepared.felt_changes(&step.left.discrete, &settled.discrete);
        let is_same = settled.mode == step.left.mode.values && changed.is_empty();
        if is_same && !settled.is_transient && !step.must_restart {
            let side = Side { discrete: settled.discrete.clone(), ..step.left.clone() };
            return Ok(Candidate { restarted: Restarted::unchanged(side), is_transient: false, is_new: false });
        }
        self.visited.meter.done(CostPart::Selection);
        let mode = self.visited.get(&settled.mode).map_err(Objection::Mode)?;
        let known = self.prepared.known(step.left, &settled.discrete, step.occasion, step.sampled);
        let circumstances = self.circumstances(step, settled, &mode, &changed, &known);
        let is_transient = settled.is_transient;
        let restarted = if is_transient { circumstances.transient(&settled.laws) } else { circumstances.restarted() };
        let mut restarted = restarted.map_err(Objection::Restart)?;
        drop(known);
        let is_complete = !step.must_restart && restarted.side.jet.iter().all(|value| !value.is_nan());
        if !is_transient && !is_complete {
            self.complete(&mut restarted)?;
        }
        self.visited.meter.count_restart();
        self.visited.meter.done(CostPart::Restart);
        Ok(Candidate { restarted, is_transient, is_new: true })
    }

    /// What a restart in a mode needs to know.
    pub fn circumstances<'r>(
        &'r self,
        step: &'r MicroStep<'_, 'a>,
        settled: &'r Settled,
        mode: &'r Rc<VisitedMode<'a>>,
        changed: &'r [VariableId],
        known: &'r dyn Fn(Input) -> Option<f64>,
    ) -> Circumstances<'r, 'a> {
        Circumstances { prepared: self.prepared, left: step.left, mode, discrete: &settled.discrete, changed, known }
    }

    /// What a restart did not touch, from the states.
    fn complete(&mut self, restarted: &mut Restarted<'a>) -> Result<(), Objection> {
        let side = &restarted.side;
        let mode = side.mode.clone();
        self.visited.surround(side);
        let mut jet: Vec<f64> = side.jet.iter().map(|&value| if value.is_nan() { 0.0 } else { value }).collect();
        let surroundings = self.visited.surroundings.clone();
        let surroundings = surroundings.borrow();
        self.visited.meter.done(CostPart::Restart);
        mode.choose_states(&mut self.visited.programs, side.time, &jet, &surroundings)
            .map_err(|failure| Objection::Mode(NoMode::NotBuilt(failure)))?;
        self.visited.meter.done(CostPart::Program);
        let mut program = mode.program.borrow_mut();
        let mut states = Vec::new();
        program.states_of(&side.jet, &mut states);
        if states.iter().any(|value| value.is_nan()) {
            return Err(Objection::Words("some right limits of states are not determined".to_string()));
        }
        let evaluated = program.evaluate(side.time, &states, &surroundings, &mut jet);
        evaluated.map_err(|failure| Objection::Words(failure.explain(&self.visited.programs).message))?;
        restarted.set_jet(jet);
        Ok(())
    }

    /// Atoms whose truths the right side contradicts, each with the term that says so.
    pub fn violated(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
    ) -> Vec<Violation> {
        if candidate.is_transient {
            return Vec::new();
        }
        if !candidate.is_new {
            return self.kept_although_crossed(step, settled);
        }
        let values = self.memory.buffers.atom_values(
            self.prepared,
            (step.left, &candidate.restarted.side),
            step.occasion,
            step.sampled,
        );
        let (mut violated, mut vanishing) = (Vec::new(), Vec::new());
        for (atom, &value) in values.iter_enumerated() {
            let it = &self.prepared.discrete.atoms[atom];
            if !step.decides(it.moment) || value.0.is_nan() {
                continue;
            }
            let truth = settled.discrete[it.variable] != 0.0;
            let sign = self.sign(step, settled, candidate, atom, value);
            let Sign::Decided(term, decided) = sign else {
                vanishing.push(atom);
                continue;
            };
            if (decided > 0.0) != (it.side(truth) > 0.0) {
                violated.push((atom, (term, decided)));
            }
        }
        if violated.is_empty() && self.check_invariants(settled).is_err() {
            violated.extend(self.not_as_written(settled, &vanishing));
        }
        violated
    }

    /// Of atoms that vanish identically, and so may have any truth, those that have not the one that is written down for
    /// zero: where an invariant excludes the mode, they are the ones that can change.
    fn not_as_written(&self, settled: &Settled, vanishing: &[RelationId]) -> Vec<Violation> {
        let others = vanishing.iter().filter_map(|&atom| {
            let it = &self.prepared.discrete.atoms[atom];
            let truth = settled.discrete[it.variable] != 0.0;
            (truth != it.holds_at_zero()).then(|| (atom, (Term::Derivative(0), -it.side(truth))))
        });
        others.collect()
    }

    /// Atoms that crossed zero, but have the truth that they had before.
    fn kept_although_crossed(&self, step: &MicroStep<'_, 'a>, settled: &Settled) -> Vec<Violation> {
        let kept = step.crossed.iter().filter_map(|&atom| {
            let it = &self.prepared.discrete.atoms[atom];
            let before = step.left.discrete[it.variable];
            let is_kept = it.moment == Moment::Now && settled.discrete[it.variable] == before;
            is_kept.then(|| (atom, (Term::Derivative(1), -it.side(before != 0.0))))
        });
        kept.collect()
    }

    /// The sign of an atom on the right side.
    pub fn sign(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
        atom: RelationId,
        value: (f64, f64),
    ) -> Sign {
        let is_clear = self.memory.is_clear(self.prepared, atom, value);
        if is_clear && candidate.restarted.weights.is_empty() {
            return Sign::Decided(Term::Derivative(0), value.0);
        }
        let Some(series) = self.memory.series(self.prepared, atom) else { return Sign::Vanishing };
        if is_clear && !candidate.restarted.has_impulse_in(&series) {
            return Sign::Decided(Term::Derivative(0), value.0);
        }
        let known = self.prepared.known(step.left, &settled.discrete, step.occasion, step.sampled);
        let mut noise = self.prepared.noise;
        noise.floor = noise.floor.max(self.memory.scales[atom]);
        candidate.restarted.sign(&series, &known, &noise).unwrap_or(Sign::Vanishing)
    }

    /// Whether atoms that crossed zero and turn back decide nothing any more once `pre` values are new, as the upper
    /// threshold of a hysteresis once the lower one counts. If so, the right side has their truths right after.
    pub fn is_forgotten(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
        violated: &[Violation],
    ) -> bool {
        let crossed = violated.iter().all(|(atom, _)| step.crossed.contains(atom))
            && step.crossed.iter().all(|&atom| {
                let variable = self.prepared.discrete.atoms[atom].variable;
                settled.discrete[variable] != step.left.discrete[variable]
            });
        if !crossed || !candidate.is_new || candidate.is_transient || step.must_restart {
            return false;
        }
        let mut discrete = settled.discrete.clone();
        for &(atom, _) in violated {
            let variable = self.prepared.discrete.atoms[atom].variable;
            discrete[variable] = 1.0 - discrete[variable];
        }
        let side = candidate.restarted.side.clone();
        let next = MicroStep { left: &side, occasion: Occasion::default(), sampled: &[], crossed: &[], ..*step };
        // Conditions of `when` rise if they were not true at this instant.
        let conditions = self.memory.conditions.clone();
        self.memory.remember_conditions();
        let later = self.settle(&next, discrete.clone());
        self.memory.conditions = conditions;
        let is_same = later.is_ok_and(|later| later.mode == settled.mode && later.whens.is_empty());
        let again = self.settle(step, settled.discrete.clone());
        if is_same && again.is_ok() {
            candidate.restarted.side.discrete = discrete;
        }
        is_same && again.is_ok()
    }
}

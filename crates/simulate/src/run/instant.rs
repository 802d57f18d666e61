//! An instant of change: from left limits and what fired to right limits, in as many micro-steps as it takes.
//!
//! A micro-step settles the discrete part (definitions, `when` clauses), restarts the mode that follows from it, and
//! compares the truths that were assumed for atoms with their signs at the right limits; until they agree, violated
//! atoms change their truth, all at once, and where that leads nowhere, as next-mode selection finds (`selection`).
//! Then left limits are right limits, `pre` values are new, and the next micro-step begins; an instant ends with a
//! micro-step in which nothing happens.
//!
//! Atoms of left limits (`last(i) >= Imax`) are decided before a micro-step and stay. An instant in which laws of a
//! `when` act is transient: it is followed by another in which the mode that goes on is selected anew, all atoms by
//! their series there (E22 §8.4).

use modeshift_dae::{ExpressionId, IndexVec, VariableId, WhenAction, WhenActionKind};
use modeshift_diagnostics::Span;
use modeshift_mode_changes::{Sign, Term};
use rustc_hash::FxHashSet;

use super::conditions::Moment;
use super::engine::Engine;
use super::modes::NoMode;
use super::restarting::{Circumstances, NoRestart, Restarted};
use super::side::{Phase, Side, input_between};

/// Rounds of evaluating discrete equations before they count as undecided.
const MOST_DISCRETE_ROUNDS: usize = 100;
/// Micro-steps of one instant.
const MOST_MICRO_STEPS: usize = 100;
/// Candidates tried by changing all violated atoms at once.
const MOST_CANDIDATES: usize = 12;

/// What happened, so that there is an instant.
#[derive(Clone, Debug, Default)]
pub(super) struct Fired {
    /// Atoms that change their truth.
    pub atoms: Vec<usize>,
    /// Stairs that go up (`true`) or down a step.
    pub stairs: Vec<(usize, bool)>,
    /// Calls of `sample` that are due.
    pub samples: Vec<ExpressionId>,
    /// Whether something crossed that was never clearly on its side since the last event: events accumulate.
    pub is_doubtful: bool,
}

impl Fired {
    /// Whether nothing crossed: something is due because of the time alone.
    pub fn is_empty(&self) -> bool {
        self.atoms.is_empty() && self.stairs.is_empty()
    }
}

/// What came of an instant.
pub(super) struct Outcome<'a> {
    pub right: Side<'a>,
    /// The modes passed through, the last one not included.
    pub cascade: Vec<Vec<bool>>,
    pub impulses: Vec<(VariableId, Vec<f64>)>,
    /// Conditions of `when` branches that fired.
    pub whens: Vec<Span>,
    /// The message of `terminate`.
    pub terminated: Option<ExpressionId>,
    /// Whether continuous values may have changed.
    pub restarted: bool,
    /// Atoms that fired or whose truth changed, with the truth they changed to.
    pub changed_atoms: Vec<(usize, bool)>,
    /// Samplings that were due.
    pub samples: Vec<ExpressionId>,
}

impl<'a> Outcome<'a> {
    /// Whether there is something to see: another mode, a `when` that fired, other values.
    pub fn is_visible(&self, engine: &Engine<'a>, left: &Side<'a>) -> bool {
        let declared = engine.system.kept.iter().chain(engine.system.defined.iter().map(|(id, _)| id));
        let declared = declared.filter(|id| id.0 < engine.system.declared_count);
        let changed = |&id: &VariableId| left.discrete[id].to_bits() != self.right.discrete[id].to_bits();
        self.restarted || !self.whens.is_empty() || declared.clone().any(changed)
    }
}

/// Why there are no right limits.
#[derive(Clone, Debug)]
pub(super) enum NoOutcome {
    /// No mode accepts itself: what speaks against those that were tried.
    NoMode(Vec<(Vec<bool>, Objection)>),
    /// Discrete equations go round in circles; some of the variables.
    Unsettled(Vec<VariableId>),
    /// Micro-steps go on for ever, through these modes.
    Endless(Vec<Vec<bool>>),
    /// A required condition does not hold; the number of the invariant, or the span of an assertion in a `when`.
    Invariant(usize, Vec<bool>),
    /// An `assert` in a `when`.
    Assertion(ExpressionId, Span),
}

/// What speaks against a mode.
#[derive(Clone, Debug)]
pub(super) enum Objection {
    Mode(NoMode),
    Restart(NoRestart),
    /// An atom has another truth there.
    Atom(usize, Option<(Term, f64)>),
    /// It was tried, with this in words.
    Words(String),
}

/// A candidate for the right side of a micro-step.
pub(super) struct Candidate<'a> {
    pub restarted: Restarted<'a>,
    pub is_transient: bool,
    /// Whether anything at all differs from the left side in the continuous part.
    pub is_new: bool,
}

/// A micro-step under way.
pub(super) struct MicroStep<'s, 'a> {
    pub left: &'s Side<'a>,
    pub phase: Phase,
    pub sampled: &'s [ExpressionId],
    /// Atoms that crossed zero: in the mode being left they cannot keep their truth.
    pub crossed: &'s [usize],
    /// Atoms of left limits are decided by their series too: after a transient instant.
    pub all_by_series: bool,
    /// The jet of the left side is incomplete: a restart is needed in any case.
    pub must_restart: bool,
}

/// The discrete part after settling.
pub(super) struct Settled {
    pub discrete: IndexVec<VariableId, f64>,
    pub mode: Vec<bool>,
    pub laws: Vec<WhenAction>,
    pub whens: Vec<Span>,
    pub terminated: Option<ExpressionId>,
}

impl<'a> Engine<'a> {
    /// From the left to the right side of an instant.
    pub fn instant(&mut self, left: &Side<'a>, fired: &Fired, phase: Phase) -> Result<Outcome<'a>, NoOutcome> {
        let mut outcome = Outcome {
            right: left.clone(),
            cascade: Vec::new(),
            impulses: Vec::new(),
            whens: Vec::new(),
            terminated: None,
            restarted: false,
            changed_atoms: Vec::new(),
            samples: fired.samples.clone(),
        };
        let mut proposal = self.proposal(left, fired);
        let momentary = phase != Phase::default() || !fired.samples.is_empty();
        let (mut phase, mut transient) = (phase, false);
        for number in 0..MOST_MICRO_STEPS {
            let before = outcome.right.clone();
            let step = MicroStep {
                left: &before,
                phase,
                sampled: &fired.samples,
                crossed: if number == 0 { &fired.atoms } else { &[] },
                all_by_series: transient,
                must_restart: transient,
            };
            let (settled, candidate) = self.micro_step(&step, proposal)?;
            let happened = number == 0 || transient || self.something_happened(&before, &settled, &candidate);
            self.remember_conditions();
            outcome.whens.extend(&settled.whens);
            outcome.terminated = outcome.terminated.or(settled.terminated);
            outcome.restarted |= candidate.is_new;
            outcome.impulses.extend(candidate.restarted.weights.iter().cloned());
            if settled.mode != before.mode.values && number > 0 {
                outcome.cascade.push(before.mode.values.clone());
            }
            transient = candidate.is_transient;
            outcome.right = candidate.restarted.side;
            if !happened || outcome.terminated.is_some() && !transient {
                outcome.changed_atoms = self.changed_atoms(left, &outcome.right, &fired.atoms);
                if momentary {
                    self.learn_conditions(&outcome.right);
                }
                return Ok(outcome);
            }
            phase.initial = false;
            proposal = self.next_proposal(left, &outcome.right, transient);
        }
        Err(NoOutcome::Endless(outcome.cascade))
    }

    /// Discrete values with what fired changed.
    fn proposal(&self, left: &Side<'a>, fired: &Fired) -> IndexVec<VariableId, f64> {
        let mut discrete = left.discrete.clone();
        for &atom in &fired.atoms {
            let variable = self.system.atoms[atom].variable;
            discrete[variable] = 1.0 - discrete[variable];
        }
        for &(stair, above) in &fired.stairs {
            let stair = self.system.stairs[stair];
            discrete[stair.variable] = stair.rounding.neighbour(discrete[stair.variable], above);
        }
        discrete
    }

    /// Truths for the next micro-step: of left limits by what they are now; after a transient instant, what is at zero
    /// goes back to what it was before.
    fn next_proposal(&mut self, first: &Side<'a>, left: &Side<'a>, transient: bool) -> IndexVec<VariableId, f64> {
        let values = self.atom_values(left, left, Phase::default(), &[]);
        let mut discrete = left.discrete.clone();
        for (atom, &value) in values.iter().enumerate() {
            let it = self.system.atoms[atom];
            let decided_here = it.moment == Moment::Before || transient && it.moment == Moment::Now;
            if !decided_here || value.0.is_nan() {
                continue;
            }
            if self.is_clear(atom, value) {
                discrete[it.variable] = f64::from(u8::from((value.0 > 0.0) == it.holds_above()));
            } else if transient {
                discrete[it.variable] = first.discrete[it.variable];
            }
        }
        self.update_stairs(left, &mut discrete);
        discrete
    }

    /// Stairs of continuous arguments, where the argument is clearly on another step.
    fn update_stairs(&mut self, side: &Side<'a>, discrete: &mut IndexVec<VariableId, f64>) {
        if self.system.stairs.is_empty() {
            return;
        }
        let (model, skipped) = (&self.dae.model, 2 * self.system.atoms.len());
        let inputs = |input| input_between(model, input, (side, side), Phase::default(), &[]);
        let arguments = self.system.watched.evaluate(inputs)[skipped..].to_vec();
        for (stair, argument) in self.system.stairs.iter().zip(arguments) {
            let (low, high) = stair.rounding.edges(discrete[stair.variable]);
            let margin = self.noise.relative * argument.abs().max(1.0);
            if argument < low - margin || argument > high + margin {
                discrete[stair.variable] = stair.rounding.step(argument);
            }
        }
    }

    fn remember_conditions(&mut self) {
        let values = self.system.formulas.values();
        for (known, &value) in self.conditions.iter_mut().zip(values) {
            *known = value != 0.0;
        }
    }

    /// Evaluates all `when` conditions without acting on them, for the first instant.
    pub fn learn_conditions(&mut self, side: &Side<'a>) {
        let model = &self.dae.model;
        self.system.formulas.evaluate(|input| input_between(model, input, (side, side), Phase::default(), &[]));
        self.remember_conditions();
    }

    fn something_happened(&self, before: &Side<'a>, settled: &Settled, candidate: &Candidate<'a>) -> bool {
        let same = |&id: &VariableId| before.discrete[id].to_bits() == settled.discrete[id].to_bits();
        let discrete = self.system.kept.iter().chain(self.system.defined.iter().map(|(id, _)| id));
        candidate.is_new || !settled.whens.is_empty() || !discrete.clone().all(same)
    }

    fn changed_atoms(&self, left: &Side<'a>, right: &Side<'a>, fired: &[usize]) -> Vec<(usize, bool)> {
        let truth = |side: &Side<'a>, atom: usize| side.discrete[self.system.atoms[atom].variable] != 0.0;
        let changed = |&atom: &usize| fired.contains(&atom) || truth(left, atom) != truth(right, atom);
        (0..self.system.atoms.len()).filter(changed).map(|atom| (atom, !truth(left, atom))).collect()
    }

    /// One micro-step from proposed truths.
    fn micro_step(
        &mut self,
        step: &MicroStep<'_, 'a>,
        proposal: IndexVec<VariableId, f64>,
    ) -> Result<(Settled, Candidate<'a>), NoOutcome> {
        let mut discrete = proposal.clone();
        let mut seen: FxHashSet<Vec<bool>> = FxHashSet::default();
        let mut objections = Vec::new();
        let mut touched: Vec<usize> = Vec::new();
        for _ in 0..MOST_CANDIDATES {
            if !seen.insert(self.truths(&discrete)) {
                break;
            }
            let settled = self.settle(step, discrete)?;
            match self.candidate(step, &settled) {
                Err(objection) => {
                    objections.push((settled.mode.clone(), objection));
                    break;
                }
                Ok(mut candidate) => {
                    let violated = self.violated(step, &settled, &mut candidate);
                    if violated.is_empty() {
                        self.check_invariants(&settled)?;
                        return Ok((settled, candidate));
                    }
                    if self.is_forgotten(step, &settled, &mut candidate, &violated) {
                        self.check_invariants(&settled)?;
                        return Ok((settled, candidate));
                    }
                    let (atom, sign) = violated[0];
                    objections.push((settled.mode.clone(), Objection::Atom(atom, sign)));
                    touched.extend(violated.iter().map(|&(atom, _)| atom));
                    discrete = settled.discrete;
                    for (atom, _) in violated {
                        let variable = self.system.atoms[atom].variable;
                        discrete[variable] = 1.0 - discrete[variable];
                    }
                }
            }
        }
        self.select(step, proposal, touched, objections)
    }

    /// Whether atoms that crossed zero and turn back decide nothing any more once `pre` values are new, as the upper
    /// threshold of a hysteresis once the lower one counts. If so, the right side has their truths right after.
    fn is_forgotten(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
        violated: &[(usize, Option<(Term, f64)>)],
    ) -> bool {
        let crossed = violated.iter().all(|(atom, _)| step.crossed.contains(atom));
        if !crossed || !candidate.is_new || candidate.is_transient || step.must_restart {
            return false;
        }
        let mut discrete = settled.discrete.clone();
        for &(atom, _) in violated {
            let variable = self.system.atoms[atom].variable;
            discrete[variable] = 1.0 - discrete[variable];
        }
        let side = candidate.restarted.side.clone();
        let next = MicroStep { left: &side, phase: Phase::default(), sampled: &[], crossed: &[], ..*step };
        let Ok(later) = self.settle(&next, discrete.clone()) else { return false };
        let is_same = later.mode == settled.mode && later.laws.is_empty();
        // Conditions of `when` are those of this micro-step.
        let again = self.settle(step, settled.discrete.clone());
        if is_same && again.is_ok() {
            candidate.restarted.side.discrete = discrete;
        }
        is_same && again.is_ok()
    }

    /// The truths of all atoms.
    pub fn truths(&self, discrete: &IndexVec<VariableId, f64>) -> Vec<bool> {
        self.system.atoms.iter().map(|atom| discrete[atom.variable] != 0.0).collect()
    }

    /// Evaluates the discrete part until it does not change any more.
    pub fn settle(
        &mut self,
        step: &MicroStep<'_, 'a>,
        discrete: IndexVec<VariableId, f64>,
    ) -> Result<Settled, NoOutcome> {
        let mut right = Side { discrete, ..step.left.clone() };
        let mut changed = Vec::new();
        for _ in 0..MOST_DISCRETE_ROUNDS {
            changed.clear();
            if self.update_time(right.time, &mut right.discrete) {
                changed.push(VariableId(0));
            }
            let model = &self.dae.model;
            let inputs = |input| input_between(model, input, (step.left, &right), step.phase, step.sampled);
            self.system.formulas.evaluate(inputs);
            let values = self.system.formulas.values();
            for &(id, place) in &self.system.defined {
                let place = &values[place];
                if right.discrete[id].to_bits() != place.to_bits() {
                    right.discrete[id] = *place;
                    changed.push(id);
                }
            }
            let settled = self.act(&mut right.discrete, &mut changed)?;
            if changed.is_empty() {
                let mode = self.system.modes().collect();
                let (laws, whens, terminated) = settled;
                return Ok(Settled { discrete: right.discrete, mode, laws, whens, terminated });
            }
        }
        changed.retain(|id| id.0 != 0);
        Err(NoOutcome::Unsettled(changed))
    }

    /// What the `when` clauses that fire do: assignments now, laws for the restart.
    #[allow(clippy::type_complexity)] // laws, places of conditions, message of `terminate`
    fn act(
        &self,
        discrete: &mut IndexVec<VariableId, f64>,
        changed: &mut Vec<VariableId>,
    ) -> Result<(Vec<WhenAction>, Vec<Span>, Option<ExpressionId>), NoOutcome> {
        let values = self.system.formulas.values();
        let (mut laws, mut whens, mut terminated) = (Vec::new(), Vec::new(), None);
        for clause in self.system.clauses.iter().filter(|clause| values[clause.guard] != 0.0) {
            let fires = |place: usize| values[place] != 0.0 && !self.conditions[place];
            let Some(branch) = clause.branches.iter().find(|branch| branch.conditions.clone().any(fires)) else {
                continue;
            };
            whens.push(branch.span);
            for (action, _, value) in branch.actions.iter().filter(|action| values[action.1] != 0.0) {
                match (&action.kind, value) {
                    (WhenActionKind::Assign(id, _), Some(place))
                        if discrete[*id].to_bits() != values[*place].to_bits() =>
                    {
                        discrete[*id] = values[*place];
                        changed.push(*id);
                    }
                    (WhenActionKind::Assert(assertion), Some(place)) if values[*place] == 0.0 && assertion.is_error => {
                        return Err(NoOutcome::Assertion(assertion.message, assertion.span));
                    }
                    (WhenActionKind::Law(..) | WhenActionKind::Reinit(..), _) => {
                        laws.push(action.clone());
                    }
                    (WhenActionKind::Terminate(message), _) => terminated = Some(*message),
                    _ => {}
                }
            }
        }
        Ok((laws, whens, terminated))
    }

    /// The right side that follows from a settled discrete part.
    pub fn candidate(&mut self, step: &MicroStep<'_, 'a>, settled: &Settled) -> Result<Candidate<'a>, Objection> {
        let felt =
            |id: VariableId| self.is_felt[id] && step.left.discrete[id].to_bits() != settled.discrete[id].to_bits();
        let discrete_ids = self.system.kept.iter().chain(self.system.defined.iter().map(|(id, _)| id));
        let is_same = settled.mode == step.left.mode.values && !discrete_ids.copied().any(felt);
        if is_same && settled.laws.is_empty() && !step.must_restart {
            let side = Side { discrete: settled.discrete.clone(), ..step.left.clone() };
            return Ok(Candidate { restarted: Restarted::unchanged(side), is_transient: false, is_new: false });
        }
        let mode = self.modes.get(&settled.mode).map_err(Objection::Mode)?;
        let known = self.known(step.left, &settled.discrete, step.phase, step.sampled);
        let start = |id: VariableId| self.starts.get(id.0 as usize).copied().flatten();
        let circumstances = Circumstances {
            model: &self.dae.model,
            natives: self.natives,
            left: step.left,
            mode: &mode,
            discrete: &settled.discrete,
            known: &known,
            start: &start,
            noise: &self.noise,
        };
        let is_transient = !settled.laws.is_empty();
        let restarted = if is_transient { circumstances.transient(&settled.laws) } else { circumstances.restarted() };
        let mut restarted = restarted.map_err(Objection::Restart)?;
        drop(known);
        if !is_transient {
            self.complete(&mut restarted)?;
        }
        Ok(Candidate { restarted, is_transient, is_new: true })
    }

    /// Derivatives that a restart did not touch, from the states.
    fn complete(&mut self, restarted: &mut Restarted<'a>) -> Result<(), Objection> {
        if restarted.side.jet.iter().all(|value| !value.is_nan()) {
            return Ok(());
        }
        let side = &restarted.side;
        let mode = side.mode.clone();
        self.surround(side);
        let mut jet: Vec<f64> = side.jet.iter().map(|&value| if value.is_nan() { 0.0 } else { value }).collect();
        let surroundings = self.surroundings.clone();
        let surroundings = surroundings.borrow();
        let mut program = mode.program.borrow_mut();
        program
            .choose_states(&mut self.modes.programs, side.time, &jet, &surroundings)
            .map_err(|failure| Objection::Mode(NoMode::NotBuilt(failure)))?;
        let mut states = Vec::new();
        program.states_of(&side.jet, &mut states);
        if states.iter().any(|value| value.is_nan()) {
            return Err(Objection::Words("some right limits of states are not determined".to_string()));
        }
        let evaluated = program.evaluate(side.time, &states, &surroundings, &mut jet);
        evaluated.map_err(|failure| Objection::Words(failure.explain(&self.modes.programs).message))?;
        restarted.set_jet(jet);
        Ok(())
    }

    /// Tells the surroundings of programs what the discrete values are.
    pub fn surround(&self, side: &Side<'a>) {
        let mut surroundings = self.surroundings.borrow_mut();
        let ids = self.system.kept.iter().chain(self.system.defined.iter().map(|(id, _)| id));
        for &id in ids.filter(|&&id| self.is_felt[id]) {
            surroundings.set_variable(id, side.discrete[id]);
        }
        for &(id, order) in &self.felt_left_limits {
            surroundings.set_left(id, order, side.value(id, order));
        }
    }

    /// Atoms whose truths the right side contradicts, each with the term that says so.
    pub fn violated(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
    ) -> Vec<(usize, Option<(Term, f64)>)> {
        if candidate.is_transient {
            return Vec::new();
        }
        if !candidate.is_new {
            return self.kept_although_crossed(step, settled);
        }
        let values = self.atom_values(step.left, &candidate.restarted.side, step.phase, step.sampled);
        let mut violated = Vec::new();
        for (atom, &value) in values.iter().enumerate() {
            let it = self.system.atoms[atom];
            let is_checked = it.moment == Moment::Now || it.moment == Moment::Before && step.all_by_series;
            if !is_checked || value.0.is_nan() {
                continue;
            }
            let truth = settled.discrete[it.variable] != 0.0;
            let sign = self.sign(step, settled, candidate, atom, value);
            let Sign::Decided(term, decided) = sign else { continue };
            if (decided > 0.0) != (it.side(truth) > 0.0) {
                violated.push((atom, Some((term, decided))));
            }
        }
        violated
    }

    /// Atoms that crossed zero, but have the truth that they had before.
    fn kept_although_crossed(&self, step: &MicroStep<'_, 'a>, settled: &Settled) -> Vec<(usize, Option<(Term, f64)>)> {
        let is_kept = |&&atom: &&usize| {
            let it = &self.system.atoms[atom];
            it.moment == Moment::Now && settled.discrete[it.variable] == step.left.discrete[it.variable]
        };
        let kept = step.crossed.iter().filter(is_kept);
        let side = |atom: usize| {
            let it = &self.system.atoms[atom];
            -it.side(step.left.discrete[it.variable] != 0.0)
        };
        kept.map(|&atom| (atom, Some((Term::Derivative(1), side(atom))))).collect()
    }

    /// The sign of an atom on the right side.
    pub fn sign(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
        atom: usize,
        value: (f64, f64),
    ) -> Sign {
        let is_clear = self.is_clear(atom, value);
        if is_clear && candidate.restarted.weights.is_empty() {
            return Sign::Decided(Term::Derivative(0), value.0);
        }
        let Some(series) = self.series(atom) else { return Sign::Vanishing };
        if is_clear && !candidate.restarted.has_impulse_in(&series) {
            return Sign::Decided(Term::Derivative(0), value.0);
        }
        let known = self.known(step.left, &settled.discrete, step.phase, step.sampled);
        let mut noise = self.noise;
        noise.floor = noise.floor.max(self.scales[atom]);
        candidate.restarted.sign(&series, &known, &noise).unwrap_or(Sign::Vanishing)
    }

    fn check_invariants(&self, settled: &Settled) -> Result<(), NoOutcome> {
        let values = self.system.formulas.values();
        let broken = |it: &super::system::Requirement| values[it.guard] != 0.0 && values[it.condition] == 0.0;
        match self.system.invariants.iter().position(broken) {
            Some(number) => Err(NoOutcome::Invariant(number, settled.mode.clone())),
            None => Ok(()),
        }
    }
}

//! An instant of change: from left limits and what fired to right limits, in as many micro-steps as it takes.
//!
//! A micro-step settles the discrete part (`discrete_fixpoint`), restarts the mode that follows from it (`candidate`), and compares
//! the truths that were assumed for atoms with their signs at the right limits (`judgement`); until they agree, other truths are
//! tried (`next_mode`). Then `reinit` assigns, left limits are right limits, `pre` values are new, and the next micro-step
//! begins; an instant ends with a micro-step in which nothing happens.
//!
//! Atoms of left limits (`last(i) >= Imax`) are decided before a micro-step and stay. An instant in which laws of a
//! `when` or `reinit` act is transient: it is followed by another in which the mode that goes on is selected anew, all atoms by
//! their series there (E22 §8.4).

use std::cell::OnceCell;

use modeshift_dae::{ExpressionId, IndexVec, Mode, RelationId, VariableId};
use modeshift_diagnostics::Span;
use modeshift_mode_changes::{Jet, Noise, Residuals, Term};
use modeshift_structure::one_mode::Row;
use rustc_hash::FxHashSet;

use crate::run::failure::circles::Circle;
use crate::run::instant::Instant;
use crate::run::instant::candidate::{Candidate, Objection};
use crate::run::instant::discrete_fixpoint::{AtStart, MicroStep, Settled};
use crate::run::instant::event_by_event::Arrived;
use crate::run::instant::next_mode::{Ambiguity, Selected};
use crate::run::instant::restart::{NoRestart, columns_of, jet_of};
use crate::run::instant::stair_edges::StairEdges;
use crate::run::prepare::discrete_part::DiscretePart;
use crate::run::prepare::relations::Moment;
use crate::run::repeated::trace::Trace;
use crate::run::running_sizes::ROUNDED;
use crate::run::sliding::entry::NoSliding;
use crate::run::values::{Occasion, Side};

/// From so many micro-steps on it is looked whether values come back that were there before: few instants have more.
const MANY_MICRO_STEPS: usize = 16;
/// Micro-steps of one instant whose values never come back: a bound on work.
const MOST_MICRO_STEPS: usize = 100_000;

/// What a micro-step belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The first one of a run: `initial()` holds, and of clauses only those fire that say so, or by a `sample` that is due.
    Start,
    /// What follows from it: where relations at zero go, and what copies of `pre` lead to. No clause fires.
    Quiet,
    /// All others.
    Event,
}

/// What happened, so that there is an instant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fired {
    /// Atoms that change their truth.
    pub atoms: Vec<RelationId>,
    /// Stairs that go up (`true`) or down a step.
    pub stairs: Vec<(usize, bool)>,
    /// Calls of `sample` that are due: they are true in the first micro-step.
    pub samples: Vec<ExpressionId>,
    /// Top-level inputs that were given other values.
    pub inputs: Vec<(VariableId, f64)>,
    /// Surfaces of the sliding mode that are left, by number: to the side of share 1, or to that of share 0.
    pub released: Vec<(usize, bool)>,
    /// Whether something crossed that was never clearly on its side since the last event: events accumulate.
    pub is_doubtful: bool,
}

/// What came of an instant.
pub(crate) struct Outcome<'a> {
    pub right: Side<'a>,
    /// The modes passed through, the last one not included.
    pub cascade: Vec<Mode>,
    pub impulses: Vec<(VariableId, Vec<f64>)>,
    /// Variables of entered states of which nothing says where they begin.
    pub begun_at_zero: Vec<VariableId>,
    /// Conditions of `when` branches that fired.
    pub whens: Vec<Span>,
    /// The same, micro-step by micro-step, of those in which any did.
    pub firings: Vec<Vec<Span>>,
    /// Violated assertions of `when` branches that only warn: the message, and where it stands.
    pub warnings: Vec<(ExpressionId, Span)>,
    /// The message of `terminate`.
    pub terminated: Option<ExpressionId>,
    /// Whether continuous values may have changed.
    pub restarted: bool,
    /// Atoms that fired or whose truth changed, with the truth they changed to.
    pub changed_atoms: Vec<(RelationId, bool)>,
    /// Samplings that were due.
    pub samples: Vec<ExpressionId>,
    /// Top-level inputs that were given these values.
    pub inputs: Vec<(VariableId, f64)>,
    /// Modes that could have followed as well.
    pub ambiguities: Vec<Ambiguity>,
}

impl<'a> Outcome<'a> {
    /// Nothing has happened yet.
    pub fn beginning(left: &Side<'a>, fired: &Fired) -> Self {
        Outcome {
            right: left.clone(),
            cascade: Vec::new(),
            impulses: Vec::new(),
            begun_at_zero: Vec::new(),
            whens: Vec::new(),
            firings: Vec::new(),
            warnings: Vec::new(),
            terminated: None,
            restarted: false,
            changed_atoms: Vec::new(),
            samples: fired.samples.clone(),
            inputs: fired.inputs.clone(),
            ambiguities: Vec::new(),
        }
    }

    /// Whether there is something to see: another mode, a `when` that fired, other values.
    pub fn is_visible(&self, discrete: &DiscretePart, left: &Side<'_>) -> bool {
        let mut declared = discrete.variables().filter(|id| id.0 < discrete.declared_count);
        let changed = |id: VariableId| left.discrete[id].to_bits() != self.right.discrete[id].to_bits();
        self.restarted || !self.whens.is_empty() || declared.any(changed)
    }
}

/// Why there are no right limits.
#[derive(Clone, Debug)]
pub(crate) enum NoOutcome {
    /// No mode accepts itself: what speaks against those that were tried, and against sliding between them.
    NoMode(Vec<(Mode, Objection)>, NoSliding),
    /// Discrete equations go round in circles; some of the variables.
    Unsettled(Vec<VariableId>),
    /// Micro-steps go on for ever: the last of them.
    Endless(Box<Circle>),
    /// A required condition does not hold; the number of the invariant, or the span of an assertion in a `when`.
    Invariant(usize, Mode),
    /// An `assert` in a `when`.
    Assertion(ExpressionId, Span),
    /// Two clauses give a state a value by `reinit`, in the same micro-step.
    TwoResets(VariableId, [Span; 2]),
    /// These `reinit` cannot be: why.
    NoReset(Vec<Span>, NoRestart),
    /// A discrete variable, or the state of a `reinit`, gets this value, which is no number.
    NotANumber(VariableId, f64, Option<Span>),
}

impl<'a> Instant<'_, 'a> {
    /// From the left to the right side of an instant. Where that does not come to an end, rounding may be the reason: a current that is
    /// zero but for 1e-17 has a diode block, and the voltage that is zero then has it conduct. So derivatives are asked once more.
    pub(super) fn pass(
        &mut self,
        left: &Side<'a>,
        fired: &Fired,
        occasion: Occasion,
    ) -> Result<Outcome<'a>, NoOutcome> {
        let fired = &self.with_whole_surfaces(left, fired);
        let mut arrived = self.event_by_event(left, fired, occasion);
        if let Some(Arrived { outcome, .. }) = arrived.take_if(|it| it.is_decisive) {
            return Ok(outcome);
        }
        let outcome = self.micro_steps(left, fired, occasion);
        if let (Err(_), Some(Arrived { outcome, .. })) = (&outcome, arrived) {
            self.memory.trace = None;
            return Ok(outcome);
        }
        if let Err(NoOutcome::NoMode(tried, no_sliding)) = outcome {
            return Err(NoOutcome::NoMode(self.with_reasons(left, tried), no_sliding));
        }
        let Err(NoOutcome::Endless(circle)) = outcome else { return outcome };
        self.memory.is_by_derivatives = true;
        let again = self.micro_steps(left, fired, occasion);
        self.memory.is_by_derivatives = false;
        again.map_err(|_| NoOutcome::Endless(circle))
    }

    /// Micro-steps until nothing happens any more.
    fn micro_steps(&mut self, left: &Side<'a>, fired: &Fired, occasion: Occasion) -> Result<Outcome<'a>, NoOutcome> {
        let fired = &self.with_due_transitions(left, fired, occasion);
        let mut outcome = Outcome::beginning(left, fired);
        let mut proposal = self.proposal(left, fired);
        let released: Vec<RelationId> = self.released(left, fired).into_iter().map(|(atom, _)| atom).collect();
        let (mut stage, mut transient) = (if occasion.initial { Stage::Start } else { Stage::Event }, false);
        let (mut seen, mut is_first_look) = (FxHashSet::default(), false);
        let mut unmet = Vec::new();
        let (mut start, mut is_first_event) = (None, false);
        let (mut circle, mut was_met) = (Circle::default(), false);
        let mut left_limits = self.prepared.felt_left_limits(left);
        let mut edges = StairEdges::after_crossings(&fired.stairs);
        for number in 0..MOST_MICRO_STEPS {
            let mut before = outcome.right.clone();
            self.memory.trace.as_mut().into_iter().for_each(Trace::begin_micro_step);
            let limits_before = std::mem::replace(&mut left_limits, self.prepared.felt_left_limits(&before));
            if stage == Stage::Quiet {
                self.prepared.silence(&mut before.discrete);
            }
            let is_after_start = std::mem::take(&mut is_first_look);
            let step = MicroStep {
                left: &before,
                origin: left,
                occasion: Occasion { initial: stage == Stage::Start, ..occasion },
                sampled: if number == 0 { &fired.samples } else { &[] },
                crossed: if number == 0 { &fired.atoms } else { &[] },
                // What has left one of several surfaces is at zero there, and stays on its side while the others are slid along.
                released: if number == 0 || before.sliding.is_some() && !transient { &released } else { &[] },
                is_literal: stage == Stage::Start,
                all_by_series: transient,
                // What is delayed may have begun with other values since the left side was found.
                must_restart: transient
                    || left_limits != limits_before
                    || stage == Stage::Start && !self.prepared.delays.all.is_empty(),
                unmet: &unmet,
                start: start.as_ref().filter(|_| std::mem::take(&mut is_first_event)),
                island: None,
            };
            let selected = match self.select_allowed(&step, proposal) {
                Err(NoOutcome::NoMode(tried, reason)) => {
                    let crossing = self.crossing_at_start(&step, &tried);
                    self.select_crossing(&step, &crossing).ok_or(NoOutcome::NoMode(tried, reason))
                }
                selected => selected,
            };
            let (Selected { settled, candidate, ambiguity }, passed) = selected?;
            self.check_numbers(&settled)?;
            outcome.ambiguities.extend(ambiguity);
            outcome.begun_at_zero.extend(&candidate.restarted.begun_at_zero);
            let happened = self.something_happened(&before, &settled, &candidate);
            let is_over = number > 0 && !transient && !happened;
            outcome.whens.extend(&settled.whens);
            outcome.warnings.extend(&settled.warnings);
            outcome.firings.extend((!settled.whens.is_empty()).then(|| settled.whens.clone()));
            outcome.terminated = outcome.terminated.or(settled.terminated);
            // After the start all relations are looked at once more, which need not change anything.
            let is_looked_at = is_after_start && !self.is_other(&before, &settled);
            outcome.restarted |= candidate.is_new && !is_looked_at;
            if settled.mode != before.mode.values && number > 0 {
                outcome.cascade.push(before.mode.values.clone());
            }
            outcome.cascade.extend(passed);
            transient = candidate.is_transient;
            let restarted = if settled.resets.is_empty() {
                candidate.restarted
            } else {
                transient = true;
                outcome.restarted = true;
                self.reset_as_allowed(&step, &settled, &candidate)?
            };
            outcome.impulses.extend(restarted.weights.iter().cloned());
            if settled.resets.is_empty() && restarted.weights.is_empty() && !self.memory.located.is_empty() {
                self.memory.buffers.carried.learn(&before, &restarted.side);
            }
            unmet = restarted.unmet;
            outcome.right = restarted.side;
            self.memory.trace.as_mut().into_iter().for_each(|trace| trace.end_micro_step(&outcome.right));
            if is_over && outcome.terminated.is_none() && self.leaves_edges(&outcome.right, &mut edges) {
                proposal = self.next_proposal(left, &outcome.right, &edges, transient);
                continue;
            }
            if is_over && stage == Stage::Event || outcome.terminated.is_some() && !transient {
                outcome.changed_atoms = self.changed_atoms(left, &outcome.right, &fired.atoms);
                return Ok(outcome);
            }
            match stage {
                Stage::Start => {
                    (stage, transient, is_first_look) = (Stage::Quiet, true, true);
                    let sides = (&before, &outcome.right);
                    let literal = self.memory.buffers.literal_start(self.prepared, sides, &fired.samples);
                    start = Some(AtStart { side: outcome.right.clone(), literal });
                }
                Stage::Quiet if is_over => {
                    (stage, is_first_event) = (Stage::Event, true);
                    if let Some(AtStart { literal, .. }) = &start {
                        literal.begin_conditions(self.prepared, &mut outcome.right);
                    }
                }
                Stage::Quiet | Stage::Event => {}
            }
            if transient {
                edges = StairEdges::default();
            }
            proposal = self.next_proposal(left, &outcome.right, &edges, transient);
            if number >= MANY_MICRO_STEPS {
                circle.note(&outcome.right);
                // Values that were there before: the circle goes round once more, to be told.
                was_met |= !seen.insert(self.fingerprint(&outcome.right));
                if was_met && circle.is_told() {
                    break;
                }
            }
        }
        circle.modes = outcome.cascade;
        Err(NoOutcome::Endless(Box::new(circle)))
    }

    /// Relations that stand at their thresholds at the start and leave them at once, where Booleans with a memory, as machines, change
    /// by them: in the first micro-step in which clauses fire what is `pre` is what was at the start.
    fn crossing_at_start(&self, step: &MicroStep<'_, 'a>, tried: &[(Mode, Objection)]) -> Vec<RelationId> {
        let part = &self.prepared.discrete;
        let Some(AtStart { literal, .. }) = step.start else { return Vec::new() };
        let crossed = tried.iter().filter_map(|(mode, objection)| match objection {
            Objection::Atom(atom, (Term::Derivative(1..), _)) if *mode == literal.mode => Some(*atom),
            _ => None,
        });
        let mut crossed: Vec<RelationId> =
            crossed.filter(|atom| part.pair_atoms.iter().any(|atoms| atoms.contains(atom))).collect();
        crossed.sort_unstable();
        crossed.dedup();
        crossed
    }

    /// What follows where these cross, as at any other instant.
    fn select_crossing(
        &mut self,
        step: &MicroStep<'_, 'a>,
        crossed: &[RelationId],
    ) -> Option<(Selected<'a>, Vec<Mode>)> {
        if crossed.is_empty() {
            return None;
        }
        let mut proposal = step.left.discrete.clone();
        for &atom in crossed {
            let truth = &mut proposal[self.prepared.discrete.atoms[atom].variable];
            *truth = 1.0 - *truth;
        }
        let as_event = MicroStep { crossed, all_by_series: false, must_restart: false, ..*step };
        self.select_allowed(&as_event, proposal).ok()
    }

    /// From left limits at the start to the mode that follows from them.
    pub(super) fn first_mode(&mut self, left: &Side<'a>) -> Result<Outcome<'a>, NoOutcome> {
        let step = MicroStep {
            left,
            origin: left,
            occasion: Occasion::default(),
            sampled: &[],
            crossed: &[],
            released: &[],
            is_literal: false,
            all_by_series: true,
            must_restart: true,
            unmet: &[],
            start: None,
            island: None,
        };
        let (Selected { settled, candidate, ambiguity }, cascade) =
            self.select_allowed(&step, left.discrete.clone())?;
        self.check_numbers(&settled)?;
        Ok(Outcome {
            begun_at_zero: candidate.restarted.begun_at_zero,
            right: candidate.restarted.side,
            cascade,
            impulses: candidate.restarted.weights,
            whens: Vec::new(),
            firings: Vec::new(),
            warnings: Vec::new(),
            terminated: None,
            restarted: true,
            changed_atoms: Vec::new(),
            samples: Vec::new(),
            inputs: Vec::new(),
            ambiguities: ambiguity.into_iter().collect(),
        })
    }

    /// What fired, and all that is zero together with it: `x > 1` and `not x < 1` are one crossing, wherever rounding locates them.
    fn with_whole_surfaces(&self, left: &Side<'a>, fired: &Fired) -> Fired {
        let part = &self.prepared.discrete;
        let has_truth = |atom: RelationId, truth: bool| (left.discrete[part.atoms[atom].variable] != 0.0) == truth;
        let mut all = fired.clone();
        for &atom in &fired.atoms {
            let others = part.on_side_of(atom, has_truth(atom, false));
            let crossing = others.filter(|&(other, truth)| {
                part.atoms[other].moment == part.atoms[atom].moment
                    && !has_truth(other, truth)
                    && !fired.atoms.contains(&other)
            });
            all.atoms.extend(crossing.map(|(other, _)| other));
        }
        all.atoms.sort_unstable();
        all.atoms.dedup();
        all
    }

    /// What fired, and where a relation to time changes or something is sampled, conditions of machines that change in that instant, too: they are
    /// at zero, up to rounding and to what times can be told apart, and leave the side that they are on. Which transition is taken is then
    /// a matter of priorities; and what such a condition asks to be zero is, as at a crossing that was located.
    fn with_due_transitions(&mut self, left: &Side<'a>, fired: &Fired, occasion: Occasion) -> Fired {
        let mut fired = fired.clone();
        let prepared = self.prepared;
        let is_known = fired.atoms.is_empty()
            && fired.inputs.is_empty()
            && !occasion.initial
            && !occasion.terminal
            && !prepared.dae.model.machines.is_empty()
            && (!fired.samples.is_empty()
                || prepared.update_time(left.time, &left.discrete, &mut left.discrete.clone()));
        if !is_known || left.sliding.is_some() {
            return fired;
        }
        let part = &prepared.discrete;
        let values = self.memory.buffers.atom_values(prepared, (left, left), Occasion::default(), &[]);
        let nothing = ROUNDED * left.largest().max(self.memory.most);
        let mut jet = None;
        for (pair, atoms) in part.pairs.iter().zip(&part.pair_atoms) {
            for &atom in atoms {
                let (it, value) = (part.atoms[atom], values[atom]);
                let is_clear = self.memory.is_clear(prepared, atom, value);
                let may_be_at_zero = it.moment == Moment::Now
                    && !value.0.is_nan()
                    && !fired.atoms.contains(&atom)
                    && (!is_clear || value.0.abs() <= nothing);
                if !may_be_at_zero || !prepared.is_of_machine(pair) {
                    continue;
                }
                let side = it.side(left.discrete[it.variable] != 0.0);
                let jet = jet.get_or_insert_with(|| jet_of(left));
                self.extend_towards(left, jet, atom);
                let Some(slope) = self.known_slope((left, jet), atom) else { continue };
                let is_at_zero = !is_clear || value.0.abs() <= slope.abs() * self.memory.resolution();
                if is_at_zero && slope * side < 0.0 {
                    fired.atoms.push(atom);
                    self.memory.locate(atom, value.0);
                }
            }
        }
        fired.atoms.sort_unstable();
        fired
    }

    /// Discrete values with what fired changed.
    pub(super) fn proposal(&mut self, left: &Side<'a>, fired: &Fired) -> IndexVec<VariableId, f64> {
        let mut discrete = left.discrete.clone();
        for &atom in &fired.atoms {
            let variable = self.prepared.discrete.atoms[atom].variable;
            discrete[variable] = 1.0 - discrete[variable];
        }
        for (atom, truth) in self.released(left, fired) {
            discrete[self.prepared.discrete.atoms[atom].variable] = f64::from(u8::from(truth));
        }
        for &(stair, above) in &fired.stairs {
            let stair = self.prepared.discrete.stairs[stair];
            discrete[stair.variable] = stair.rounding.neighbour(discrete[stair.variable], above);
        }
        if fired.inputs.is_empty() { discrete } else { self.with_inputs(left, discrete, &fired.inputs) }
    }

    /// The relations whose surfaces are left, with the truths on the sides that they are left to.
    fn released(&self, left: &Side<'a>, fired: &Fired) -> Vec<(RelationId, bool)> {
        let Some(slide) = &left.sliding else { return Vec::new() };
        let part = &self.prepared.discrete;
        let released = fired.released.iter().flat_map(|&(number, is_turned)| {
            let atom = slide.system.atoms[number];
            part.on_side_of(atom, part.atoms[atom].holds_at_zero() != is_turned)
        });
        released.collect()
    }

    /// Discrete values with other inputs, and with what follows for relations and steps: as at the left limits, where these
    /// say clearly. What restarts change beyond that, the search for the next mode finds.
    fn with_inputs(
        &mut self,
        left: &Side<'a>,
        mut discrete: IndexVec<VariableId, f64>,
        inputs: &[(VariableId, f64)],
    ) -> IndexVec<VariableId, f64> {
        for &(input, value) in inputs {
            discrete[input] = value;
        }
        let given = Side { discrete, ..left.clone() };
        let values = self.memory.buffers.atom_values(self.prepared, (&given, &given), Occasion::default(), &[]);
        let mut discrete = given.discrete.clone();
        for (atom, &value) in values.iter_enumerated() {
            let it = &self.prepared.discrete.atoms[atom];
            if it.moment != Moment::Time && self.memory.is_clear(self.prepared, atom, value) {
                discrete[it.variable] = f64::from(u8::from((value.0 > 0.0) == it.holds_above()));
            }
        }
        self.update_stairs(left, &given, &mut discrete);
        discrete
    }

    /// Whether a micro-step leads to another mode or to other discrete values in continuous equations.
    fn is_other(&self, before: &Side<'a>, settled: &Settled) -> bool {
        settled.mode != before.mode.values
            || !self.prepared.felt_changes(&before.discrete, &settled.discrete).is_empty()
    }

    /// Truths for the next micro-step: of left limits by what they are now, and after a transient instant all by the series of
    /// its right limits, as far as these are known: a ball that was thrown back is about to leave the ground. What is at zero
    /// for all that is known is taken to be as it was before the instant, until the search finds where it goes.
    pub(super) fn next_proposal(
        &mut self,
        first: &Side<'a>,
        left: &Side<'a>,
        edges: &StairEdges,
        transient: bool,
    ) -> IndexVec<VariableId, f64> {
        let values = self.memory.buffers.atom_values(self.prepared, (left, left), Occasion::default(), &[]);
        let mut discrete = left.discrete.clone();
        let jet = OnceCell::new();
        for (atom, &value) in values.iter_enumerated() {
            let it = self.prepared.discrete.atoms[atom];
            let is_decided_here = it.moment == Moment::Before || transient && it.moment == Moment::Now;
            // What a transient instant does not determine is not a number, and not clear.
            if !is_decided_here {
                continue;
            }
            let sign = match self.memory.is_clear(self.prepared, atom, value) {
                true => Some(value.0),
                false if transient => self.known_slope((left, jet.get_or_init(|| jet_of(left))), atom),
                false => continue,
            };
            discrete[it.variable] = match sign {
                Some(sign) => f64::from(u8::from((sign > 0.0) == it.holds_above())),
                None => first.discrete[it.variable],
            };
        }
        self.update_stairs(first, left, &mut discrete);
        self.keep_edges(left, edges, &mut discrete);
        discrete
    }

    /// Gives atoms of left limits the truths that they have where a side is the left one, as far as that is clear.
    pub fn take_left_limits(&mut self, side: &Side<'a>, discrete: &mut IndexVec<VariableId, f64>) {
        let values = self.memory.buffers.atom_values(self.prepared, (side, side), Occasion::default(), &[]);
        for (atom, &value) in values.iter_enumerated() {
            let it = self.prepared.discrete.atoms[atom];
            if it.moment == Moment::Before && self.memory.is_clear(self.prepared, atom, value) {
                discrete[it.variable] = f64::from(u8::from((value.0 > 0.0) == it.holds_above()));
            }
        }
    }

    /// The derivative of an atom that is at zero on a side with this jet, where that is known and more than noise.
    pub(super) fn known_slope(&mut self, (side, jet): (&Side<'a>, &Jet), atom: RelationId) -> Option<f64> {
        let slope = self.slope((side, jet), atom)?;
        let noise = Noise { floor: self.memory.scales[atom], ..self.memory.present_noise(self.prepared) };
        noise.first_significant(&[0.0, slope], noise.floor).map(|_| slope)
    }

    /// The derivative of an atom on a side with this jet, where that is known.
    pub(super) fn slope(&mut self, (side, jet): (&Side<'a>, &Jet), atom: RelationId) -> Option<f64> {
        let series = self.memory.series(self.prepared, atom)?;
        let known = self.prepared.known(side, &side.discrete, Occasion::default(), &[]);
        let slope = series.at(&side.mode.structure, &known).residual(Row(0), jet, 1)[1];
        (!slope.is_nan()).then_some(slope)
    }

    /// Completes a jet of a side by the derivatives that say how an atom changes, where these can be had.
    pub(super) fn extend_towards(&mut self, side: &Side<'a>, jet: &mut Jet, atom: RelationId) {
        let Some(series) = self.memory.series(self.prepared, atom) else { return };
        let known = self.prepared.known(side, &side.discrete, Occasion::default(), &[]);
        let structure = &side.mode.structure;
        // Without them the slope is not known.
        let _ = jet.extend_towards(&columns_of(structure, &series), 1, structure, &side.mode.equations.at(&known));
    }

    /// Whether all discrete values are numbers, and Integers such as are kept exactly.
    pub(super) fn check_numbers(&self, settled: &Settled) -> Result<(), NoOutcome> {
        let is_declared = |id: VariableId| id.0 < self.prepared.discrete.declared_count;
        let mut defined = self.prepared.discrete.defined.iter().map(|&(id, _)| id).filter(|&id| is_declared(id));
        match defined.find(|&id| !self.prepared.may_be(id, settled.discrete[id])) {
            Some(id) => Err(NoOutcome::NotANumber(id, settled.discrete[id], None)),
            None => Ok(()),
        }
    }

    /// All that decides how an instant goes on.
    fn fingerprint(&self, side: &Side<'a>) -> Vec<u64> {
        let discrete = self.prepared.discrete.variables().map(|id| side.discrete[id].to_bits());
        let modes = side.mode.values.values().map(u64::from);
        modes.chain(discrete).chain(side.jet.iter().map(|value| value.to_bits())).collect()
    }

    /// Stairs of continuous arguments, where the argument is clearly on another step, or has jumped to its very edge.
    pub(super) fn update_stairs(
        &mut self,
        first: &Side<'a>,
        side: &Side<'a>,
        discrete: &mut IndexVec<VariableId, f64>,
    ) {
        if self.prepared.discrete.stairs.is_empty() {
            return;
        }
        let before = self.memory.buffers.stair_arguments(self.prepared, first);
        let arguments = self.memory.buffers.stair_arguments(self.prepared, side);
        for ((stair, argument), before) in self.prepared.discrete.stairs.iter().zip(arguments).zip(before) {
            let (low, high) = stair.rounding.edges(discrete[stair.variable]);
            let margin = self.prepared.noise.relative * argument.abs().max(1.0);
            if argument < low - margin || argument > high + margin {
                discrete[stair.variable] = stair.rounding.step(argument);
            } else if (argument - argument.round()).abs() <= margin && (before - argument).abs() > margin {
                discrete[stair.variable] = stair.rounding.step(argument.round());
            }
        }
    }

    fn something_happened(&self, before: &Side<'a>, settled: &Settled, candidate: &Candidate<'a>) -> bool {
        let part = &self.prepared.discrete;
        // A condition of a `when` that became false does nothing, and what became true has fired.
        let mut others = part.variables().filter(|id| !part.conditions.contains(&id.0));
        let same = |id: VariableId| before.discrete[id].to_bits() == settled.discrete[id].to_bits();
        candidate.is_new || !settled.whens.is_empty() || !others.all(same)
    }

    pub(super) fn changed_atoms(
        &self,
        left: &Side<'a>,
        right: &Side<'a>,
        fired: &[RelationId],
    ) -> Vec<(RelationId, bool)> {
        let atoms = self.prepared.discrete.atoms.iter_enumerated();
        let truths = atoms.map(|(id, it)| (id, left.discrete[it.variable] != 0.0, right.discrete[it.variable] != 0.0));
        let changed = truths.filter(|(id, before, after)| fired.contains(id) || before != after);
        changed.map(|(id, before, _)| (id, !before)).collect()
    }
}

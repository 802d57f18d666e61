//! Algorithm 5 of RR8933: the computation of a micro-step, line by line, with one type per kind of step.
//!
//! The text has to be read with care in four places, and says nothing in three more.
//!
//! - *Tick* (line 2): its formula is damaged. Here `x•m` is known next if `x•m+1` was, and `Δ' = {e•m : e•m+1 was solved}`.
//! - *Latent equations* (line 15) are those of all enabled equations, not of `F`: line 10 has just taken from `F` the
//!   equations that are known to hold, and with them those whose shifts are wanted (`latent`).
//! - *A shifted equation* (line 13) counts as disabled for this instant, otherwise no run through line 13 succeeds. These
//!   are the erased equations of E22 §8.
//! - *Shifts are bounded*: the graph need not be finite. An equation is shifted while all its variables are known, which
//!   are at most leading variables of the mode before: no shift goes further than one beyond the greatest offset.
//! - *A guard that waits for what waits for it* is a logico-numerical fixpoint. It is given the infinitesimal delay of
//!   E22 (48): its value is that of its left limit, and known.
//! - *The guard `true`* is evaluated when the instant begins: equations of Δ that hold in all modes are redundant then.
//! - *`when` clauses* (E22 §8.4): in the instant in which one fires its laws are enabled, and equations that are
//!   overdetermined are erased without being shifted, as their shifts are not active when the instant is over. Latent
//!   equations are added only of what held before. Where the mode goes on behind the instant its equations go on, too:
//!   they are shifted as ever, but for those that contain what a law says. How clauses are read: `clauses`.

use std::collections::BTreeSet;

use modeshift_dae::{Id, ModeVariableId};

use crate::domain::{Body, Guard, Shifted, Unknown, Value};
use crate::sigma::Offsets;
use crate::status::{Context, Status};
use crate::system::DifferenceSystem;

/// Lines 4–6: a block of equations is solved for as many variables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EvaluateBlock {
    /// The equations.
    pub equations: Vec<Shifted<Body>>,
    /// What they are solved for.
    pub variables: Vec<Shifted<Unknown>>,
}

/// Lines 8–10: a guard is evaluated, and equations of Δ that it enables are known to hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EvaluateGuard {
    /// The guard.
    pub guard: Guard,
    /// Its value.
    pub value: bool,
    /// Whether its value is that of its left limit, because what it reads waits for it.
    pub is_delayed: bool,
    /// The redundant equations.
    pub redundant: Vec<Shifted<Body>>,
}

/// Line 10 for the guard `true`, when the instant begins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EvaluateRedundant {
    /// The redundant equations.
    pub redundant: Vec<Shifted<Body>>,
}

/// Lines 12–13: an overdetermined equation gives way to its shift.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ForwardShift {
    /// The equation.
    pub equation: Shifted<Body>,
}

/// Lines 15–19: latent equations are added.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AddEquations {
    /// The equations.
    pub equations: Vec<Shifted<Body>>,
}

/// E22 §8.4: the `when` branches whose conditions have just become true.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FireClauses {
    /// Their numbers; none where nothing fires.
    pub clauses: Vec<usize>,
}

/// E22 §8.4: an overdetermined equation of an instant of a `when` is erased.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EraseEquation {
    /// The equation.
    pub equation: Shifted<Body>,
}

/// A micro-step within an instant. The one that ends it is [`tick`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum MicroStep {
    Block(EvaluateBlock),
    Guard(EvaluateGuard),
    Redundant(EvaluateRedundant),
    Shift(ForwardShift),
    Latent(AddEquations),
    Fire(FireClauses),
    Erase(EraseEquation),
}

/// Lines 16–17: why a run fails.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    /// No latent equation helps, and these variables have no value.
    Underdetermined(Vec<Shifted<Unknown>>),
    /// The mode is structurally singular: shifting brings as many new variables as equations, for ever.
    InfiniteIndex(Vec<Shifted<Unknown>>),
    /// An equation would be shifted further than anything that is known can ask for.
    Unbounded(Shifted<Body>),
    /// A law of a `when` contradicts the rest of its instant.
    Contradiction(Shifted<Body>),
}

/// What may happen next in a status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The status is successful.
    Tick,
    /// One of these choices; of each choice, every step is taken in a run of its own.
    Choices(Vec<Vec<MicroStep>>),
    /// Nothing.
    Fail(Failure),
}

/// Whether all choices of lines 5, 8, 12 and 15 are wanted, or the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Choices {
    First,
    All,
}

/// An instant: what does not change in it.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// The system.
    pub system: &'a DifferenceSystem,
    /// The offsets of its modes.
    pub offsets: &'a [Option<Offsets>],
    /// The context.
    pub context: &'a Context,
    /// By `when` branch and condition, whether that held in the instant before.
    pub held: &'a [Vec<bool>],
    /// The furthest shift of an equation.
    pub bound: u32,
    /// Which choices are wanted.
    pub choices: Choices,
    /// The modes before and after, where a change is followed: choices are then made by causality.
    pub change: Option<(usize, usize)>,
    /// Whether latent equations are added as soon as the guards are known.
    pub latent_first: bool,
    /// Whether equations are shifted also in the instant of a `when`.
    pub shifts_in_instants: bool,
    /// Of equations that contain what a law says, one that gives way before all others.
    pub gives_way: Option<Body>,
    /// Whether every instant of a `when` is over at once.
    pub is_over_at_once: bool,
}

impl Instant<'_> {
    /// Algorithm 5.
    pub fn next(&self, status: &Status) -> Next {
        if self.is_success(status) {
            return Next::Tick; // lines 1–2
        }
        // Where `when` clauses may fire, that has to be known before anything is solved: guards are left limits then.
        let ways = match self.system.clauses.is_empty() {
            true => [Self::guard_true, Self::blocks, Self::guards, Self::fires],
            false => [Self::guard_true, Self::guards, Self::fires, Self::blocks],
        };
        let ways = ways.into_iter().chain([Self::overdetermined, Self::last_blocks, Self::latent]);
        let adds_early = self.latent_first || self.shifts_in_instants && self.is_fired(status);
        let early = if adds_early { Self::added_early } else { Self::guard_true };
        for way in [early].into_iter().chain(ways) {
            let choices = way(self, status);
            if !choices.is_empty() {
                return Next::Choices(choices);
            }
        }
        Next::Fail(self.failure(status)) // lines 16–17
    }

    /// Definition 4: every equation is solved or disabled, and every leading variable has a value.
    fn is_success(&self, status: &Status) -> bool {
        let all_final = || status.equations.values().all(|value| value.is_final());
        let leading = || status.leading_variables(self.system);
        status.mode().is_some()
            && status.fires.is_some()
            && all_final()
            && leading().iter().all(|it| status.known.contains(it))
            && self.asks_no_more(status)
    }

    /// Whether what combinations of the mode are made of is relevant, too (`combined`).
    fn asks_no_more(&self, status: &Status) -> bool {
        let Some(mode) = status.mode().filter(|_| !self.system.combinations.is_empty()) else { return true };
        let differentiated = self.system.differentiated_in(mode).into_iter();
        let mut shifts = differentiated.flat_map(|(of, order)| (1..=order).map(move |shift| Shifted::new(of, shift)));
        self.is_fired(status) && !self.lasts(status) || shifts.all(|it| status.equations.contains_key(&it))
    }

    /// Line 10 for the guard `true`.
    fn guard_true(&self, status: &Status) -> Vec<Vec<MicroStep>> {
        let is_first = status.guards.iter().all(|value| !value.is_final());
        let redundant = if is_first { self.redundant(status, None) } else { Vec::new() };
        let step = EvaluateRedundant { redundant };
        if step.redundant.is_empty() { Vec::new() } else { vec![vec![MicroStep::Redundant(step)]] }
    }

    /// The equations of Δ that are enabled, not known to be solved, and were not enabled before.
    fn redundant(&self, status: &Status, before: Option<&Status>) -> Vec<Shifted<Body>> {
        let is_new = |equation: &&Shifted<Body>| {
            let body = equation.of;
            let was_enabled = before.is_some_and(|before| before.is_enabled(self.system, body));
            let is_open = !status.equations.get(*equation).is_some_and(|value| value.is_final());
            is_open && !was_enabled && status.is_enabled(self.system, body)
        };
        self.context.iter().filter(is_new).copied().collect()
    }

    /// Whether an equation did not hold in the mode before, as far as that is known.
    pub(crate) fn is_new(&self, body: Body) -> bool {
        self.change.is_some_and(|(before, _)| !self.system.bodies[body].modes.has(before))
    }

    /// Whether a guard has another value in the mode after than in the mode before, as far as these are known.
    fn changes(&self, guard: Guard) -> bool {
        self.change.is_some_and(|(before, after)| self.value_in(before, guard) != self.value_in(after, guard))
    }

    fn value_in(&self, mode: usize, guard: Guard) -> bool {
        self.system.modes[mode].get(ModeVariableId(guard.0))
    }

    /// Lines 8–10: guards whose variables are known; where none is, those that wait for each other get their left limits.
    fn guards(&self, status: &Status) -> Vec<Vec<MicroStep>> {
        let open = || self.system.guards.ids().filter(|guard| !status.guards[guard.index()].is_final());
        let has_value = |&unknown: &Unknown| status.known.contains(&Shifted::new(unknown, 0));
        let is_enabled = |guard: &Guard| self.system.guards[*guard].reads.iter().all(has_value);
        let enabled: Vec<Guard> = open().filter(is_enabled).collect();
        let (mut guards, is_delayed) = if enabled.is_empty() { (open().collect(), true) } else { (enabled, false) };
        guards.sort_by_key(|&guard| self.changes(guard));
        let wanted = if self.choices == Choices::First { 1 } else { guards.len() };
        guards[..wanted.min(guards.len())].iter().map(|&guard| self.both_values(status, guard, is_delayed)).collect()
    }

    /// Line 9: both values are explored, as far as some mode has them.
    fn both_values(&self, status: &Status, guard: Guard, is_delayed: bool) -> Vec<MicroStep> {
        let wanted = |value: &bool| self.change.is_none_or(|(_, after)| self.value_in(after, guard) == *value);
        let step = |value: bool| {
            let mut step = EvaluateGuard { guard, value, is_delayed, redundant: Vec::new() };
            let after = self.with_guard(status, &step);
            step.redundant = self.redundant(&after, Some(status));
            (!after.modes.is_empty()).then_some(MicroStep::Guard(step))
        };
        [false, true].into_iter().filter(wanted).filter_map(step).collect()
    }

    /// E22 §8.4: which `when` branches fire, when all guards are known.
    fn fires(&self, status: &Status) -> Vec<Vec<MicroStep>> {
        let (Some(mode), None) = (status.mode(), &status.fires) else { return Vec::new() };
        let mut clauses: Vec<usize> = Vec::new();
        for (number, clause) in self.system.clauses.iter().enumerate() {
            let is_taken = clauses.iter().any(|&other| self.system.clauses[other].of == clause.of);
            let mut conditions = clause.conditions.iter().zip(&self.held[number]);
            if conditions.any(|(condition, &held)| condition.has(mode) && !held) && !is_taken {
                clauses.push(number);
            }
        }
        vec![vec![MicroStep::Fire(FireClauses { clauses })]]
    }

    /// Line 12: enabled equations all of whose variables are known. (What line 5 leaves of the overdetermined part is
    /// among them: it is reached only when no block can be solved.) Those of the nearest instant come first.
    fn overdetermined(&self, status: &Status) -> Vec<Vec<MicroStep>> {
        let is_over = |&equation: &Shifted<Body>| status.undefined_in(self.system, equation).next().is_none();
        let over = status.enabled_undefined(self.system).filter(is_over);
        let step = |equation: Shifted<Body>| match self.gives_way_for_good(status, equation) {
            true => MicroStep::Erase(EraseEquation { equation }),
            false => MicroStep::Shift(ForwardShift { equation }),
        };
        let allowed = |&equation: &Shifted<Body>| match self.is_fired(status) {
            _ if self.system.bodies[equation.of].clause.is_some() => false,
            true if self.shifts_in_instants => {
                self.shifts(status, equation) || !self.is_constraint(status, equation.of)
            }
            true => self.gives_way_for_good(status, equation) || equation.shift < self.bound,
            false => equation.shift < self.bound,
        };
        let mut over: Vec<Shifted<Body>> = over.filter(allowed).collect();
        over.sort_by_key(|equation| (equation.shift, equation.of));
        over.into_iter().map(|equation| vec![step(equation)]).collect()
    }

    /// Whether an overdetermined equation is erased and not shifted: in the instant of a `when` where its mode lasts no
    /// longer, so that its shift is not active, or where a law speaks of what is in it.
    fn gives_way_for_good(&self, status: &Status, equation: Shifted<Body>) -> bool {
        match self.is_fired(status) {
            true if self.shifts_in_instants => !self.shifts(status, equation),
            true => !self.lasts(status) || !self.is_free_of_laws(status, equation),
            false => false,
        }
    }

    /// Whether an equation of the instant of a `when` is shifted, in the reading in which some are: no law speaks of what
    /// is in it.
    fn shifts(&self, status: &Status, equation: Shifted<Body>) -> bool {
        self.shifts_in_instants && self.is_free_of_laws(status, equation) && equation.shift < self.bound
    }

    fn is_free_of_laws(&self, status: &Status, equation: Shifted<Body>) -> bool {
        let said = self.said_by_laws(status);
        self.system.variables_of(equation).all(|variable| !said.contains(&variable))
    }

    /// The variables of which laws that fire say something: of a `reinit` that is what it assigns, not what it reads.
    pub(crate) fn said_by_laws(&self, status: &Status) -> BTreeSet<Shifted<Unknown>> {
        let laws = status.equations.keys().filter(|it| self.system.bodies[it.of].clause.is_some());
        let said = |law: &Shifted<Body>| match self.system.bodies[law.of].target() {
            Some(target) => vec![target],
            None => self.system.variables_of(*law).collect(),
        };
        laws.flat_map(said).collect()
    }

    /// The equations that give right limits to what laws that fire read and is no state.
    pub(crate) fn behind_laws(&self, status: &Status) -> BTreeSet<Shifted<Body>> {
        let Some(mode) = status.mode() else { return BTreeSet::new() };
        let laws = status.equations.keys().map(|it| it.of).filter(|&it| self.system.bodies[it].clause.is_some());
        let is_right_limit = |law: &Body| {
            let mut entries = self.system.bodies[*law].incidence.iter();
            entries.any(|entry| entry.lowest > 0 && !self.system.is_state(entry.unknown))
        };
        let behind = laws.filter(is_right_limit).filter_map(|law| self.system.algebra_behind(mode, law));
        behind.flatten().map(|body| Shifted::new(body, 1)).collect()
    }

    /// Whether what holds in an instant holds when it is over: its mode is not transient, and no `when` says that it is.
    pub(crate) fn lasts(&self, status: &Status) -> bool {
        if self.is_over_at_once {
            return false;
        }
        let is_bare = |&clause: &usize| self.system.clauses[clause].is_bare;
        let is_declared = status.fires.as_ref().is_some_and(|fires| fires.iter().any(is_bare));
        !is_declared && status.mode().is_some_and(|mode| !self.system.is_transient(mode))
    }

    fn is_constraint(&self, status: &Status, body: Body) -> bool {
        let offsets = status.mode().and_then(|mode| self.offsets[mode].as_ref());
        offsets.and_then(|offsets| offsets.equations.get(&body)).is_some_and(|&offset| offset > 0)
    }

    pub(crate) fn is_fired(&self, status: &Status) -> bool {
        status.fires.as_ref().is_some_and(|fires| !fires.is_empty())
    }

    /// Line 15, where nothing of line 12 is left: what a start of the mode would ask for, and if that is not enough, what
    /// the variables still ask for that have no value.
    fn latent(&self, status: &Status) -> Vec<Vec<MicroStep>> {
        if self.overdetermined_rest(status).is_some() {
            return Vec::new();
        }
        let own = self.latent_equations(status);
        if own.is_empty() { self.further_equations(status) } else { own }
    }

    /// Line 15 before all other lines, when it is known what fires.
    fn added_early(&self, status: &Status) -> Vec<Vec<MicroStep>> {
        if status.fires.is_some() { self.latent_equations(status) } else { Vec::new() }
    }

    /// An overdetermined equation that may be neither shifted nor erased.
    fn overdetermined_rest(&self, status: &Status) -> Option<Shifted<Body>> {
        let is_over = |&equation: &Shifted<Body>| status.undefined_in(self.system, equation).next().is_none();
        status.enabled_undefined(self.system).find(is_over)
    }

    fn failure(&self, status: &Status) -> Failure {
        if let Some(equation) = self.overdetermined_rest(status) {
            return match self.is_fired(status) {
                true => Failure::Contradiction(equation),
                false => Failure::Unbounded(equation),
            };
        }
        let mut open = self.open_variables(status);
        open.extend(status.leading_variables(self.system).into_iter().filter(|it| !status.known.contains(it)));
        let open: Vec<Shifted<Unknown>> = open.into_iter().collect();
        match status.mode().map(|mode| &self.offsets[mode]) {
            Some(None) => Failure::InfiniteIndex(open),
            _ => Failure::Underdetermined(open),
        }
    }

    /// The status behind a micro-step: it knows more.
    pub fn apply(&self, status: &Status, step: &MicroStep) -> Status {
        let mut after = status.clone();
        match step {
            MicroStep::Block(block) => {
                after.known.extend(&block.variables);
                after.equations.extend(block.equations.iter().map(|&it| (it, Value::True)));
            }
            MicroStep::Guard(step) => {
                after = self.with_guard(status, step);
                after.equations.extend(step.redundant.iter().map(|&it| (it, Value::True)));
            }
            MicroStep::Redundant(step) => after.equations.extend(step.redundant.iter().map(|&it| (it, Value::True))),
            MicroStep::Shift(ForwardShift { equation }) => {
                after.equations.insert(*equation, Value::False);
                after.equations.entry(equation.next()).or_insert(Value::Undefined);
            }
            MicroStep::Latent(step) => after.equations.extend(step.equations.iter().map(|&it| (it, Value::Undefined))),
            MicroStep::Fire(FireClauses { clauses }) => {
                let fires = |body: &Body| self.system.bodies[*body].clause.is_some_and(|it| clauses.contains(&it));
                let laws = self
                    .system
                    .bodies
                    .ids()
                    .filter(fires)
                    .filter(|&it| status.modes.are_among(&self.system.bodies[it].modes));
                let laws: Vec<Body> = laws.collect();
                self.forget_what_is_assigned(&laws, &mut after);
                after.equations.extend(laws.into_iter().map(|law| (Shifted::new(law, 0), Value::Undefined)));
                let behind = self.behind_laws(&after);
                after.equations.extend(behind.into_iter().map(|it| (it, Value::Undefined)));
                after.fires = Some(clauses.clone());
            }
            MicroStep::Erase(EraseEquation { equation }) => {
                after.equations.insert(*equation, Value::False);
            }
        }
        after
    }

    /// An assignment stands above what the past says of its state: a mode of higher index knows it an instant ahead. Equations
    /// that hold because of that are open again.
    fn forget_what_is_assigned(&self, laws: &[Body], status: &mut Status) {
        let targets = laws.iter().filter_map(|&law| self.system.bodies[law].target());
        for target in targets.filter(|it| it.shift > 0).collect::<Vec<_>>() {
            if !status.known.remove(&target) {
                continue;
            }
            let contains = |equation: Shifted<Body>| self.system.variables_of(equation).any(|it| it == target);
            let holding = status.equations.iter_mut().filter(|(_, value)| **value == Value::True);
            holding.filter(|(equation, _)| contains(**equation)).for_each(|(_, value)| *value = Value::Undefined);
        }
    }

    /// A guard has a value, and equations that are not enabled in any mode left are disabled.
    fn with_guard(&self, status: &Status, step: &EvaluateGuard) -> Status {
        let mut after = status.clone();
        after.guards[step.guard.index()] = if step.value { Value::True } else { Value::False };
        after.modes = status.modes.and(&self.system.modes_with(step.guard, step.value));
        after.valuations = status.valuations.and(&self.system.valuations_with(step.guard, step.value));
        for (equation, value) in &mut after.equations {
            if after.valuations.avoid(&self.system.bodies[equation.of].valuations) {
                *value = Value::False;
            }
        }
        after
    }
}

/// Line 2: what is known when the next instant begins, and the next context.
pub fn tick(system: &DifferenceSystem, status: &Status) -> (BTreeSet<Shifted<Unknown>>, Context) {
    let known = status.known.iter().filter_map(|variable| variable.previous()).collect();
    let solved = status.equations.iter().filter(|(_, value)| **value == Value::True).map(|(equation, _)| equation);
    let lasting = solved.filter(|equation| system.bodies[equation.of].clause.is_none());
    (known, lasting.filter_map(|equation| equation.previous()).collect())
}

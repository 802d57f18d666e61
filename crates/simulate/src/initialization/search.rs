//! The initial mode: one in which the guards have, at the start values of that mode, the values that it assumes.
//!
//! Mode variables that follow from time, parameters or start values alone are decided first. The others are guessed from
//! the start values, then taken from the definitions at the solution, until mode and solution agree. Where the modes
//! are few all of them are tried, so that a start in several modes is noticed.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{ModeVariableId, VariableId};
use modeshift_modes::{ModeSet, ModeVariable};
use modeshift_structure::Derivative;
use modeshift_structure::initialization::InitialScenario;
use rustc_hash::FxHashSet;

use super::agreement::Agreement;
use super::machines::MachineStarts;
use super::orientation::Orientation;
use super::point::{Point, StartMode};
use super::problem::InitialProblem;
use super::solve::attempts::LogEntry;
use super::solve::{ModeFailure, ModeSolution};

/// Beyond the modes that are all tried, this many are visited on the way to a consistent one.
const MOST_VISITS: usize = 200;

/// Consistent start values.
#[derive(Clone, Debug)]
pub struct InitialState {
    /// The mode.
    pub mode: StartMode,
    /// The name of the scenario.
    pub scenario: String,
    /// The values of all variables and derivatives, parameters and discrete variables included.
    pub values: BTreeMap<Derivative<VariableId>, f64>,
    /// States without a condition, kept at their start values.
    pub fixed: Vec<Derivative<VariableId>>,
    /// Other modes that would be a start too.
    pub others: Vec<StartMode>,
    /// Whether all possible modes were tried.
    pub complete: bool,
    /// Whether the definitions of the mode have, at these values, the truths that it assumes: no relation at zero had to be
    /// taken for undecided.
    pub stands: bool,
    /// What was tried beyond plain Newton.
    pub log: Vec<LogEntry>,
}

impl InitialState {
    /// The value of a variable or of one of its derivatives; nothing where it does not exist or is not needed.
    pub fn value(&self, of: VariableId, order: u32) -> Option<f64> {
        self.values.get(&Derivative { of, order }).copied()
    }
}

/// A mode that was tried.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The mode.
    pub mode: StartMode,
    /// How it ended.
    pub outcome: TriedOutcome,
}

/// What came of trying a mode.
#[derive(Clone, Debug)]
pub enum TriedOutcome {
    /// It has no solution.
    Failed(ModeFailure),
    /// At its solution these mode variables have other values.
    Contradicts(Vec<ModeVariableId>),
}

/// No start was found.
#[derive(Clone, Debug)]
pub struct NoStart {
    /// In this scenario.
    pub scenario: InitialScenario,
    /// What was tried, in order.
    pub tried: Vec<Tried>,
    /// Whether that is all there is.
    pub complete: bool,
}

impl NoStart {
    /// Whether a mode is a start but for what is said about discrete variables.
    pub fn is_about_discrete_variables(&self) -> bool {
        self.tried.iter().any(|it| matches!(it.outcome, TriedOutcome::Failed(ModeFailure::Discrete(_))))
    }
}

impl InitialProblem<'_> {
    /// The modes of a scenario that are possible at the start, given what is known before anything is solved.
    pub fn candidates(&self, scenario: &InitialScenario) -> ModeSet {
        let space = &self.start.space;
        let regular = space.difference(scenario.modes, self.start.singular);
        let valid = space.and(regular, self.start.possible_modes());
        let known = self.known_modes().into_iter().map(|(mode, value)| (ModeVariable(mode.0), value));
        let possible = space.and(valid, space.valuation(&known.collect::<Vec<_>>()));
        // What nothing defines keeps its start value, unless that is not possible.
        let kept = self.undefined_modes().map(|mode| (ModeVariable(mode.0), self.mode_starts[mode]));
        let kept = space.and(possible, space.valuation(&kept.collect::<Vec<_>>()));
        if kept.is_empty() { possible } else { kept }
    }

    /// Start values and the mode they are in.
    pub fn find_start(&self, scenario: &InitialScenario) -> Result<InitialState, NoStart> {
        let candidates = self.candidates(scenario);
        let machines = MachineStarts::of(self);
        let mut search = Search { problem: self, candidates, machines, seen: FxHashSet::default(), tried: Vec::new() };
        let (few, complete) = search.few_modes();
        let consistent = if complete { search.try_all(few) } else { search.follow_definitions() };
        let Some(best) = consistent.iter().map(|it| it.0).min() else {
            return Err(NoStart { scenario: scenario.clone(), tried: search.tried, complete });
        };
        let consistent = search.left_least(consistent.into_iter().filter(|it| it.0 == best).collect());
        let consistent = if complete && best != Agreement::Ties { self.held_first(consistent) } else { consistent };
        let tried = search.tried;
        let mut consistent = consistent.into_iter();
        let Some((_, mode, solution)) = consistent.next() else {
            return Err(NoStart { scenario: scenario.clone(), tried, complete });
        };
        // Which of several modes that all are at zero it is, the first instant decides.
        let others = if best == Agreement::Ties { Vec::new() } else { consistent.map(|(_, mode, _)| mode).collect() };
        let state = self.state(scenario, mode, solution, others, complete);
        Ok(InitialState { stands: best != Agreement::Ties, ..state })
    }

    /// Solutions that something holds before those that nothing does, where all are known.
    fn held_first(&self, mut consistent: Consistent) -> Consistent {
        if consistent.len() > 2 {
            let all: Vec<_> = consistent.iter().map(|(_, mode, solution)| self.orientation(mode, solution)).collect();
            let mut is_held = Orientation::of_most(&all).into_iter();
            let (held, others): (Consistent, Consistent) =
                consistent.into_iter().partition(|_| is_held.next().unwrap_or(true));
            consistent = held.into_iter().chain(others).collect();
        }
        consistent
    }

    fn state(
        &self,
        scenario: &InitialScenario,
        mode: StartMode,
        solution: ModeSolution,
        others: Vec<StartMode>,
        complete: bool,
    ) -> InitialState {
        let system = &self.start.system;
        let quantities = system.quantities.iter_enumerated().filter(|&(id, _)| {
            let guard = system.incidence.variables()[id].guard;
            let unknown = self.model().variables[id].is_continuous_unknown();
            !unknown || self.start.space.evaluate(guard, |variable| mode.is_on(variable))
        });
        let values = quantities.map(|(id, &quantity)| (quantity, solution.value(id)));
        InitialState {
            scenario: scenario.name.to_string(),
            values: values.collect(),
            fixed: solution.fixed.iter().map(|&id| system.quantities[id]).collect(),
            others,
            complete,
            stands: true,
            log: solution.log,
            mode,
        }
    }
}

/// Modes with their solutions, and how well they agree with them.
type Consistent = Vec<(Agreement, StartMode, ModeSolution)>;

struct Search<'a, 'p> {
    problem: &'a InitialProblem<'p>,
    candidates: ModeSet,
    machines: MachineStarts,
    seen: FxHashSet<StartMode>,
    tried: Vec<Tried>,
}

impl Search<'_, '_> {
    /// The candidate modes if they are few, and whether they are.
    fn few_modes(&self) -> (Vec<StartMode>, bool) {
        let space = &self.problem.start.space;
        let (mut rest, mut modes) = (self.candidates, Vec::new());
        while let Some(mode) = self.pick(rest) {
            if modes.len() == self.problem.settings.most_modes {
                return (modes, false);
            }
            rest = space.difference(rest, space.valuation(&mode.literals()));
            modes.push(mode);
        }
        (modes, true)
    }

    /// A mode out of a set; variables that do not matter have their start values.
    fn pick(&self, set: ModeSet) -> Option<StartMode> {
        let space = &self.problem.start.space;
        let mut mode = self.problem.start_mode();
        if space.evaluate(set, |variable| mode.is_on(variable)) {
            return Some(mode);
        }
        for (variable, value) in space.pick(set)? {
            mode.set(variable, value);
        }
        Some(mode)
    }

    /// The first mode to try: what the definitions say at the start values, and with `homotopy` at the solution of the simplified model,
    /// which the model's author has chosen as the place to begin at.
    fn guessed_mode(&self) -> Option<StartMode> {
        let point = Point {
            values: self.problem.guesses.clone(),
            mode: self.pick(self.candidates)?,
            own_left_limits: false,
            before: BTreeMap::new(),
        };
        let guessed = self.problem.mode_at(&point);
        let simplified = self.problem.has_homotopy.then(|| self.problem.simplified_mode(&guessed)).flatten();
        let guessed = simplified.filter(|mode| self.is_candidate(mode)).unwrap_or(guessed);
        let begun = self.machines.begun(self.problem, &guessed);
        Some([begun, guessed].into_iter().find(|mode| self.is_candidate(mode)).unwrap_or(point.mode))
    }

    /// Without modes in which more machines have left their initial states than in another one.
    fn left_least(&self, consistent: Consistent) -> Consistent {
        let left: Vec<BTreeSet<usize>> =
            consistent.iter().map(|(_, mode, _)| self.machines.elsewhere(self.problem, mode)).collect();
        let is_least = |at: usize| !left.iter().any(|other| *other != left[at] && other.is_subset(&left[at]));
        consistent.into_iter().enumerate().filter(|(at, _)| is_least(*at)).map(|(_, it)| it).collect()
    }

    fn is_candidate(&self, mode: &StartMode) -> bool {
        self.problem.start.space.evaluate(self.candidates, |variable| mode.is_on(variable))
    }

    fn try_all(&mut self, mut modes: Vec<StartMode>) -> Consistent {
        if let Some(guessed) = self.guessed_mode()
            && let Some(at) = modes.iter().position(|mode| *mode == guessed)
        {
            modes[..=at].rotate_right(1);
        }
        modes.sort_by_key(|mode| !self.machines.elsewhere(self.problem, mode).is_empty());
        modes.into_iter().filter_map(|mode| self.try_mode(mode).0).collect()
    }

    /// From the guess to what the definitions say at its solution, and so on; then any mode not seen yet.
    fn follow_definitions(&mut self) -> Consistent {
        let mut next = self.guessed_mode();
        let space = &self.problem.start.space;
        let mut rest = self.candidates;
        let mut others: Consistent = Vec::new();
        for _ in 0..MOST_VISITS {
            let Some(mode) = next.or_else(|| self.pick(rest)) else { break };
            rest = space.difference(rest, space.valuation(&mode.literals()));
            self.seen.insert(mode.clone());
            let (found, suggested) = self.try_mode(mode);
            match found {
                Some(found) if found.0 == Agreement::Literal => return vec![found],
                found => others.extend(found),
            }
            next = suggested.filter(|mode| self.is_candidate(mode) && !self.seen.contains(mode));
        }
        others
    }

    /// The solution of a mode if it is consistent, else the mode that its solution suggests.
    fn try_mode(&mut self, mode: StartMode) -> (Option<(Agreement, StartMode, ModeSolution)>, Option<StartMode>) {
        match self.problem.solve_mode(&mode) {
            Ok(solution) => {
                let point = self.machines.with_left_states(self.problem, &mode, &solution.point);
                let there = self.problem.mode_at(&point);
                self.machines.learn(self.problem, &mode, &solution, &there);
                if let Some(agreement) = self.problem.agreement(&mode, &point) {
                    let Some(failure) = self.problem.discrete_failure(&solution.point) else {
                        return (Some((agreement, mode, solution)), Some(there));
                    };
                    self.tried.push(Tried { mode, outcome: TriedOutcome::Failed(ModeFailure::Discrete(failure)) });
                    return (None, Some(there));
                }
                let different = self.problem.dae.mode_variables.ids().filter(|&id| there.value(id) != mode.value(id));
                self.tried.push(Tried { outcome: TriedOutcome::Contradicts(different.collect()), mode });
                (None, Some(there))
            }
            Err(failure) => {
                self.tried.push(Tried { mode, outcome: TriedOutcome::Failed(failure) });
                (None, None)
            }
        }
    }
}

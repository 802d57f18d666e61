//! Which discrete variable each equation defines.
//!
//! An equation that can be solved for a single discrete variable defines that one. Of an equation that can be solved
//! for several, as `m = n` and `n + k = 3`, the variable is defined that nothing else defines in the same modes: what is
//! known spreads along such equations, whichever way they are written. Where nothing is known, the first variable that
//! is a whole side is taken.
//!
//! An equation between Reals that a continuous unknown takes part in belongs to the continuous system: `y = n` with a
//! Real `y` and an Integer `n` is an equation for `y`.

use modeshift_dae::{
    Equation, EquationId, ExpressionId, Expressions, FlatModel, IndexVec, Node, Type, VariableId, WhenActionKind,
};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Stop};
use rustc_hash::FxHashMap;

use crate::coverage::conditions_cover_everything;
use crate::isolate::{Candidate, Wanted, candidates, follows_continuous_unknown, is_real_equation};

/// The variables that a `when` assigns.
pub(crate) fn assigned_by_when(model: &FlatModel) -> IndexVec<VariableId, bool> {
    let mut assigned: IndexVec<VariableId, bool> = model.variables.iter().map(|_| false).collect();
    let branches = model.when_clauses.iter().flat_map(|clause| &clause.branches);
    for action in branches.flat_map(|branch| &branch.actions) {
        if let WhenActionKind::Assign(variable, _) = action.kind {
            assigned[variable] = true;
        }
    }
    assigned
}

/// What each equation is solved for; nothing for an equation of the continuous system.
pub(crate) fn oriented(
    model: &mut FlatModel,
    by_when: &IndexVec<VariableId, bool>,
    diagnostics: &mut Diagnostics,
) -> Result<IndexVec<EquationId, Option<Candidate>>, Stop> {
    let nothing = model.equations.iter().map(|_| None).collect();
    let states = States::of(model);
    let mut orientation = Orientation { states, defined: nothing, guards: FxHashMap::default(), choices: Vec::new() };
    let mut failed = false;
    for id in model.equations.ids() {
        match Reading::of(model, by_when, &model.equations[id]) {
            Reading::Continuous => {}
            Reading::Wrong(problem) => {
                diagnostics.push(*problem);
                failed = true;
            }
            Reading::Discrete(candidates) => match candidates[..] {
                [single] => orientation.define(model, id, single),
                _ => orientation.choices.push((id, candidates)),
            },
        }
    }
    if failed {
        return Err(Stop);
    }
    orientation.choose(model);
    Ok(orientation.defined)
}

/// What an equation is, before anything is known of the others.
enum Reading {
    Continuous,
    /// What it can be solved for; not empty.
    Discrete(Vec<Candidate>),
    Wrong(Box<Diagnostic>),
}

impl Reading {
    fn of(model: &FlatModel, by_when: &IndexVec<VariableId, bool>, equation: &Equation) -> Reading {
        let sides = [equation.left, equation.right];
        let is_real = is_real_equation(model, equation);
        if is_real && sides.iter().any(|&side| follows_continuous_unknown(model, side)) {
            return Reading::Continuous;
        }
        let is_free = |it: VariableId| model.variables[it].is_discrete_unknown() && !by_when[it];
        let fits = |it: VariableId| is_free(it) && (!is_real || model.variables[it].ty == Type::Real);
        let found = candidates(model, sides, is_real, &Wanted { is_unknown: &fits, left_limits: false });
        if !found.is_empty() {
            return Reading::Discrete(found);
        }
        let assigned = sides.iter().find_map(|&side| match model.expressions.node(side) {
            Node::Variable(variable, 0) if by_when[variable] => Some(variable),
            _ => None,
        });
        let rounded = candidates(model, sides, is_real, &Wanted { is_unknown: &is_free, left_limits: false });
        match (is_real, assigned, rounded.first()) {
            (false, Some(variable), _) => Reading::Wrong(Box::new(also_by_when(model, variable, equation))),
            (false, None, _) => Reading::Wrong(Box::new(unsolved(equation))),
            (true, _, Some(whole)) => Reading::Wrong(Box::new(rounds(model, whole.variable, equation))),
            (true, _, None) => Reading::Continuous, // without an unknown: structural analysis says what is wrong
        }
    }
}

/// The search under way.
struct Orientation {
    states: States,
    defined: IndexVec<EquationId, Option<Candidate>>,
    /// The guards of the equations that define a variable.
    guards: FxHashMap<VariableId, Vec<ExpressionId>>,
    /// Equations that can be solved for several variables.
    choices: Vec<(EquationId, Vec<Candidate>)>,
}

impl Orientation {
    fn define(&mut self, model: &FlatModel, equation: EquationId, candidate: Candidate) {
        self.defined[equation] = Some(candidate);
        self.guards.entry(candidate.variable).or_default().push(model.equations[equation].guard);
    }

    /// Orients the equations with a choice away from what is known.
    fn choose(&mut self, model: &mut FlatModel) {
        let choices = std::mem::take(&mut self.choices);
        let mut incident: FxHashMap<VariableId, Vec<usize>> = FxHashMap::default();
        for (number, (_, candidates)) in choices.iter().enumerate() {
            for candidate in candidates {
                incident.entry(candidate.variable).or_default().push(number);
            }
        }
        let mut known: Vec<usize> = (0..choices.len()).rev().collect();
        let mut next = 0;
        loop {
            while let Some(number) = known.pop() {
                let (equation, candidates) = &choices[number];
                if self.defined[*equation].is_some() {
                    continue;
                }
                let open = self.open(model, *equation, candidates);
                if let [single] = open[..] {
                    self.define(model, *equation, single);
                    known.extend(&incident[&single.variable]);
                }
            }
            let Some(at) = (next..choices.len()).find(|&at| self.defined[choices[at].0].is_none()) else { return };
            next = at + 1;
            let (equation, candidates) = &choices[at];
            let open = self.open(model, *equation, candidates);
            // All of them are defined already: the first is then defined more than once.
            let among = if open.is_empty() { candidates } else { &open };
            let chosen = among.iter().find(|it| it.is_alone).unwrap_or(&among[0]);
            self.define(model, *equation, *chosen);
            known.extend(&incident[&chosen.variable]);
        }
    }

    /// The candidates that nothing defines in the modes of the equation.
    fn open(&self, model: &mut FlatModel, equation: EquationId, candidates: &[Candidate]) -> Vec<Candidate> {
        let guard = model.equations[equation].guard;
        let is_open = |candidate: &&Candidate| match self.guards.get(&candidate.variable) {
            Some(taken) => taken.iter().all(|&other| self.states.are_exclusive(model, guard, other)),
            None => true,
        };
        candidates.iter().filter(is_open).copied().collect()
    }
}

/// The states of machines by their Booleans: two of one machine are never active at once.
pub(crate) struct States(FxHashMap<VariableId, Vec<(usize, usize)>>);

impl States {
    pub(crate) fn of(model: &FlatModel) -> Self {
        let machines = model.machines.iter().enumerate();
        let states = machines.flat_map(|(machine, it)| it.states.iter().enumerate().map(move |it| (machine, it)));
        let with_those_around =
            |state: (usize, usize)| std::iter::successors(Some(state), |&(machine, _)| model.machines[machine].parent);
        States(
            states.map(|(machine, (state, it))| (it.active, with_those_around((machine, state)).collect())).collect(),
        )
    }

    /// Whether two guards cannot hold at once, as far as their form shows it; too many atoms are believed to exclude.
    pub(crate) fn are_exclusive(&self, model: &mut FlatModel, a: ExpressionId, b: ExpressionId) -> bool {
        let expressions = &mut model.expressions;
        let (of_a, of_b) = (self.required(expressions, a), self.required(expressions, b));
        if of_a.iter().any(|a| of_b.iter().any(|b| a.0 == b.0 && a.1 != b.1)) {
            return true;
        }
        let opposites = [expressions.not(a), expressions.not(b)];
        conditions_cover_everything(model, &opposites).unwrap_or(true)
    }

    /// The states that are active wherever a guard holds.
    fn required(&self, expressions: &Expressions, guard: ExpressionId) -> Vec<(usize, usize)> {
        let (mut required, mut pending) = (Vec::new(), vec![guard]);
        while let Some(part) = pending.pop() {
            match expressions.node(part) {
                Node::And(a, b) => pending.extend([a, b]),
                Node::Variable(variable, 0) => required.extend(self.0.get(&variable).into_iter().flatten()),
                _ => {}
            }
        }
        required
    }
}

fn unsolved(equation: &Equation) -> Diagnostic {
    Diagnostic::error(Code::E0506, "an equation between Booleans, Integers or Strings must define a variable")
        .label(equation.span, "neither side is a variable that can be defined")
        .help("write it as `variable = expression`")
}

fn rounds(model: &FlatModel, variable: VariableId, equation: &Equation) -> Diagnostic {
    let name = &model.variables[variable].name;
    Diagnostic::error(Code::E0506, format!("an equation between Reals cannot define `{name}`, which is a whole number"))
        .label(equation.span, "between Reals")
        .label(model.variables[variable].span, "declared here")
        .help("use `integer(…)` to round")
}

fn also_by_when(model: &FlatModel, variable: VariableId, equation: &Equation) -> Diagnostic {
    let name = &model.variables[variable].name;
    Diagnostic::error(Code::E0501, format!("`{name}` is defined by an equation and by a `when`"))
        .label(equation.span, "defined here")
        .label(model.variables[variable].span, "declared here")
        .help("remove one of the two")
}

//! The discrete part of a model, ready to be evaluated at events: modes, discrete variables, `when` clauses, invariants.
//!
//! One evaluation gives everything that is decided at an instant, from the truths of atoms, left limits, continuous
//! values, and what `when` clauses have assigned. The tape is the same in all modes.

use modeshift_dae::{
    Builtin, Context, Definition, Equation, EquationId, EquationKind, ExpressionId, FlatModel, Id, IndexVec,
    InvariantOrigin, ModeVariableId, MultimodeDae, Node, RelationId, Type, VariableId, Walk, WhenAction,
    WhenActionKind,
};
use modeshift_diagnostics::{Diagnostic, Span};
use modeshift_numerics::{Input, NativeFunctions};
use modeshift_structure::strongly_connected_components;
use rustc_hash::FxHashMap;

use crate::run::prepare::discrete_tapes::Formulas;
use crate::run::prepare::event_functions::{Stair, replace_stairs};
use crate::run::prepare::hidden_changes::make_events;
use crate::run::prepare::islands::{Connections, Islands};
use crate::run::prepare::relations::{Atom, Conditions, Moment};
use crate::run::prepare::signs::spell_out_signs;
use crate::run::prepare::surfaces::{Surface, surfaces};
use crate::run::prepare::when_equations::{
    ConditionsOfStates, Definitions, Firing, conditions_of_states, when_equations,
};
use crate::run::values::{Occasion, Side};

/// What a `when` does beside assigning discrete variables, with the places of its guard and of its value.
pub(crate) struct Deed {
    pub action: WhenAction,
    pub guard: usize,
    /// The place of what `reinit` or `assert` evaluate.
    pub value: Option<usize>,
    /// The equation that a law is, where a mode exists only with it.
    pub equation: Option<EquationId>,
}

/// A branch of a `when` with the places of what decides it and of what it does.
pub(crate) struct Branch {
    /// The place of whether it fires.
    pub fires: usize,
    pub deeds: Vec<Deed>,
    /// Its condition as it is written, or the first of several.
    pub condition: Option<ExpressionId>,
    /// Whether it says nothing but that its instant is transient: without actions, on continuous variables.
    pub declares_transient: bool,
    pub span: Span,
}

/// Something that must hold in every mode of a run.
pub(crate) struct Requirement {
    /// The places of guard and condition.
    pub guard: usize,
    pub condition: usize,
    /// The condition, for the diagnosis.
    pub expression: ExpressionId,
    pub message: Option<ExpressionId>,
    pub is_error: bool,
    pub span: Span,
}

/// The discrete part of a model.
pub(crate) struct DiscretePart {
    pub stairs: Vec<Stair>,
    pub atoms: IndexVec<RelationId, Atom>,
    /// So many of them, the first ones, decide something; the others are of assertions.
    deciding: usize,
    /// By atom: the variables that its sides contain at the current instant.
    pub reads: IndexVec<RelationId, Vec<VariableId>>,
    /// By atom: those whose left limits they contain.
    pub reads_left: IndexVec<RelationId, Vec<VariableId>>,
    /// What nothing connects.
    pub islands: Islands,
    /// Booleans with a memory: definitions that lead back to themselves by left limits, as `on = if pre(on) then i >= 0 else
    /// u > 0` does. Each group with the atoms that decide it.
    pub pairs: Vec<Vec<VariableId>>,
    pub pair_atoms: Vec<Vec<RelationId>>,
    surfaces: IndexVec<RelationId, Surface>,
    mode_count: usize,
    /// How many variables the model has without those of stairs and atoms.
    pub declared_count: u32,
    pub tapes: Tapes,
    /// The expressions of `tapes.decisions`, place by place.
    decisions: Vec<ExpressionId>,
    /// Discrete variables that equations or `when` clauses define, with their places; conditions of `when` among them.
    pub defined: Vec<(VariableId, usize)>,
    /// Those of them whose values are iterated, since they depend on themselves.
    pub iterated: Vec<VariableId>,
    /// Discrete variables that keep a value: stairs, atoms, top-level inputs, and those that nothing changes.
    pub kept: Vec<VariableId>,
    /// The numbers of the variables that stand for conditions of `when`.
    pub conditions: std::ops::Range<u32>,
    /// Branches of `when` clauses, in the order of the source.
    pub branches: Vec<Branch>,
    /// Whether what is decided at an instant reads continuous variables at the instant itself, not only by relations.
    pub reads_continuous: bool,
    /// States of machines.
    pub states: Vec<EnteredState>,
    pub invariants: Vec<Requirement>,
    /// Assertions, by formulas of their own: their relations are atoms, so that they are looked at where one changes; what is
    /// left, as it stands after every step.
    pub assertions: Vec<Requirement>,
}

/// A state of a machine, with the places of whether it is entered and whether it then begins anew.
pub(crate) struct EnteredState {
    pub active: VariableId,
    pub enters: usize,
    pub restarts: usize,
    /// Its variables that change between events, the timer among them.
    pub continuous: Vec<VariableId>,
    /// Its variables that change at events only.
    pub discrete: Vec<VariableId>,
    pub timer: Option<VariableId>,
}

/// The formulas of the discrete part.
pub(crate) struct Tapes {
    /// All that is decided at events: first the modes, then what `defined` says, then the rest.
    pub decisions: Formulas,
    /// The same in micro-steps that are neither the first nor the last and in which nothing is sampled, where that makes a difference.
    pub quiet: Option<Formulas>,
    /// Assertions.
    pub assertions: Formulas,
    /// What is watched between events: both sides of each atom, then the arguments of stairs.
    pub watched: Formulas,
    /// The sides of atoms as they are at an instant, with left limits.
    pub sides: Formulas,
}

/// Expressions on their way onto a tape.
struct Collector<'a> {
    conditions: Conditions<'a>,
    list: Vec<ExpressionId>,
}

impl Collector<'_> {
    fn add(&mut self, expression: ExpressionId, context: Context, span: Span) -> usize {
        let rewritten = self.conditions.rewritten(expression, context, span);
        self.list.push(rewritten);
        self.list.len() - 1
    }
}

impl DiscretePart {
    /// Prepares a model for a run: stairs take the place of functions that jump, and the variables of stairs and atoms
    /// are appended to those of the model. Inputs change at events only, or as they like.
    pub fn new(
        dae: &mut MultimodeDae,
        natives: &NativeFunctions,
        parameter: &dyn Fn(VariableId) -> Option<f64>,
        inputs_move: bool,
    ) -> Result<Self, Vec<Diagnostic>> {
        spell_out_signs(dae, inputs_move);
        let stairs = replace_stairs(dae, inputs_move);
        let declared_count = dae.model.variables.len() - stairs.len();
        let mut definitions: Definitions = dae.model.variables.iter().map(|_| None).collect();
        dae.discrete.equations().for_each(|(id, _, value)| definitions[id] = Some(value));
        let hidden = make_events(dae, &mut definitions, inputs_move);
        if !hidden.is_empty() {
            return Err(hidden);
        }
        let first_condition = dae.model.variables.len() as u32;
        let firings = when_equations(&mut dae.model, &mut definitions);
        let conditions_of_states = conditions_of_states(dae, &firings);
        let conditions_range = first_condition..dae.model.variables.len() as u32;
        let is_assigned = |id: &VariableId| {
            definitions[*id].is_some() && !matches!(dae.discrete.definition(*id), Some(Definition::Equation { .. }))
        };
        let assigned = definitions.ids().filter(is_assigned).collect();
        let defined_ids: Vec<VariableId> = definitions.ids().filter(|&id| definitions[id].is_some()).collect();
        let kept = kept(dae, &definitions);
        let pairs = by_machine(dae, self_remembering(dae));
        let MultimodeDae { model, mode_variables, .. } = dae;
        let mut conditions = Conditions::new(model, mode_variables, definitions, assigned, inputs_move);
        let mode_leaves: Vec<ExpressionId> =
            mode_variables.ids().map(|id| conditions.model.expressions.mode(id)).collect();
        conditions.contents.extend(conditions.model);
        let mut collector = Collector { conditions, list: Vec::new() };
        for (id, leaf) in mode_variables.ids().zip(mode_leaves) {
            collector.add(leaf, Context::NOW, mode_variables[id].span);
        }
        let defined = collector.defined(&defined_ids);
        let states = collector.states(conditions_of_states);
        let branches = collector.branches(firings);
        let invariants = collector.invariants();
        let list = std::mem::take(&mut collector.list);
        let deciding = collector.conditions.atoms.len();
        let assertions = collector.assertions();
        let assertion_list = std::mem::take(&mut collector.list);
        let Conditions { atoms, problems, iterated, .. } = collector.conditions;
        if !problems.is_empty() {
            return Err(problems);
        }
        let model = &dae.model;
        let parameter = |id: VariableId| if id.index() < declared_count { parameter(id) } else { None };
        let compile = |list: &[ExpressionId]| {
            Formulas::new(model, natives, parameter, list)
                .map_err(|problem| vec![not_numeric(model, problem.expression)])
        };
        let watched: Vec<ExpressionId> =
            atoms.iter().flat_map(|atom| atom.watched).chain(stairs.iter().map(|stair| stair.argument)).collect();
        let sides: Vec<ExpressionId> = atoms.iter().flat_map(|atom| atom.sides).collect();
        let decisions = compile(&list)?;
        let in_quiet = |input: Input| match input {
            Input::Run(call) => Some(Occasion::default().call(model, call, &[])),
            Input::Variable(variable, 0) => parameter(variable),
            _ => None,
        };
        let has_calls = decisions.inputs().iter().any(|input| matches!(input, Input::Run(_)));
        let quiet = has_calls.then(|| Formulas::with_known(model, natives, in_quiet, &list));
        let quiet = quiet.transpose().map_err(|problem| vec![not_numeric(model, problem.expression)])?;
        let reads = atoms.iter().map(|atom| read_now(model, atom)).collect();
        let reads_left = atoms.iter().map(|atom| read_left(model, atom)).collect();
        let surfaces = surfaces(model, &parameter, &atoms);
        let pair_atoms = pairs.iter().map(|pair| deciding_atoms(model, &atoms, &defined, &list, pair)).collect();
        let is_now =
            |input: &Input| matches!(input, Input::Variable(id, _) if model.variables[*id].is_continuous_unknown());
        let mut iterated: Vec<VariableId> = iterated.into_iter().collect();
        iterated.sort_unstable();
        let is_fixed = |id: VariableId| parameter(id).is_some();
        let connections = Connections {
            model,
            atoms: &atoms,
            stairs: &stairs,
            decisions: &list,
            mode_count: dae.mode_variables.len(),
            defined: &defined,
            branches: &branches,
            invariants: &invariants,
            is_fixed: &is_fixed,
        };
        Ok(DiscretePart {
            islands: connections.islands(),
            decisions: list,
            reads_continuous: decisions.inputs().iter().any(is_now),
            tapes: Tapes {
                decisions,
                quiet,
                assertions: compile(&assertion_list)?,
                watched: compile(&watched)?,
                sides: compile(&sides)?,
            },
            kept: kept.into_iter().chain(atoms.iter().map(|atom| atom.variable)).collect(),
            stairs,
            atoms,
            deciding,
            reads,
            reads_left,
            pairs,
            pair_atoms,
            surfaces,
            defined,
            iterated,
            conditions: conditions_range,
            branches,
            states,
            invariants,
            assertions,
            mode_count: dae.mode_variables.len(),
            declared_count: declared_count as u32,
        })
    }

    /// Appends the laws of `when` clauses to the equations of the model, as such that hold in no mode: where a mode has no
    /// values of its own, as one that is an impact only (E22 §8.4), they complete it for the instant.
    pub fn append_laws(&mut self, dae: &mut MultimodeDae) {
        let never = dae.model.expressions.boolean(false);
        for deed in self.branches.iter_mut().flat_map(|branch| &mut branch.deeds) {
            if let WhenActionKind::Law(left, right) = deed.action.kind {
                let name = format!("$law{}", dae.model.equations.len()).into();
                let kind = EquationKind::ModeDefinition;
                let law = Equation { name, kind, guard: never, left, right, span: deed.action.span };
                deed.equation = Some(dae.model.equations.push(law));
            }
        }
    }

    /// Whether an atom decides anything but whether an assertion holds: only then can it object to a mode.
    pub fn decides(&self, atom: RelationId) -> bool {
        atom.index() < self.deciding
    }

    /// Whether atoms that crossed are after an instant on the sides where they were before it: a clause threw them back.
    pub fn comes_back(&self, atoms: &[RelationId], left: &Side<'_>, right: &Side<'_>) -> bool {
        let is_same = |variable: VariableId| left.discrete[variable] == right.discrete[variable];
        atoms.iter().all(|&atom| is_same(self.atoms[atom].variable))
    }

    /// The first of the atoms that are at zero together with this one.
    pub fn surface(&self, atom: RelationId) -> RelationId {
        self.surfaces[atom].first
    }

    /// All atoms that are at zero together with one, with the truths that they have on the side of zero that belongs to its truth.
    pub fn on_side_of(&self, atom: RelationId, truth: bool) -> impl Iterator<Item = (RelationId, bool)> + '_ {
        let (it, surface) = (&self.atoms[atom], self.surfaces[atom]);
        let same = self.surfaces.iter_enumerated().filter(move |(_, other)| other.first == surface.first);
        same.map(move |(id, other)| {
            let is_turned = other.is_turned != surface.is_turned;
            (id, ((it.side(truth) > 0.0) != is_turned) == self.atoms[id].holds_above())
        })
    }

    /// The modes among the values of the formulas.
    pub fn modes<'v>(&self, values: &'v [f64]) -> impl Iterator<Item = bool> + 'v {
        values[..self.mode_count].iter().map(|&value| value != 0.0)
    }

    /// Whether an equation defines a discrete variable.
    pub fn is_defined(&self, variable: VariableId) -> bool {
        self.defined.binary_search_by_key(&variable, |&(id, _)| id).is_ok()
    }

    /// All discrete variables: those that keep a value, then those that equations define.
    pub fn variables(&self) -> impl Iterator<Item = VariableId> + Clone {
        self.kept.iter().copied().chain(self.defined.iter().map(|&(id, _)| id))
    }

    /// The atoms that decide what an equation contains: its guard, its modes, its discrete variables.
    pub fn atoms_of(&self, dae: &MultimodeDae, equation: EquationId) -> Vec<RelationId> {
        let model = &dae.model;
        // Conditions of a start and pins are rows of a mode, but no equations of the model: nothing decides about them.
        let Some(it) = model.equations.get(equation) else { return Vec::new() };
        let mut places = Vec::new();
        for part in [it.guard, it.left, it.right] {
            model.expressions.for_each(part, |_, node| {
                match node {
                    Node::Mode(mode) => places.push(mode.index()),
                    Node::Variable(variable, 0) => {
                        let defined = self.defined.iter().find(|(id, _)| *id == variable);
                        places.extend(defined.map(|&(_, place)| place));
                    }
                    _ => {}
                }
                true
            });
        }
        let mut atoms: Vec<RelationId> =
            places.into_iter().flat_map(|place| atoms_in(model, &self.atoms, self.decisions[place])).collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// The atoms that decide the value of a mode variable.
    pub fn atoms_of_mode(&self, dae: &MultimodeDae, mode: ModeVariableId) -> Vec<RelationId> {
        atoms_in(&dae.model, &self.atoms, self.decisions[mode.index()])
    }

    /// Calls of `sample` that something depends on.
    pub fn samples(&self, model: &FlatModel) -> Vec<ExpressionId> {
        let calls = self.tapes.decisions.inputs().iter().filter_map(|input| match *input {
            Input::Run(call) => Some(call),
            _ => None,
        });
        let is_sample = |call: &ExpressionId| matches!(model.expressions.node(*call), Node::Call(Builtin::Sample, _));
        let mut calls: Vec<ExpressionId> = calls.filter(is_sample).collect();
        calls.sort_unstable();
        calls.dedup();
        calls
    }
}

/// By variable that a `when` sets, the condition of the first that does.
fn spans_of_conditions(model: &FlatModel) -> FxHashMap<VariableId, Span> {
    let mut spans = FxHashMap::default();
    for branch in model.when_clauses.iter().flat_map(|clause| &clause.branches) {
        for action in &branch.actions {
            if let WhenActionKind::Assign(variable, _) = action.kind {
                spans.entry(variable).or_insert(branch.span);
            }
        }
    }
    spans
}

impl Collector<'_> {
    fn defined(&mut self, ids: &[VariableId]) -> Vec<(VariableId, usize)> {
        let mut places = Vec::new();
        let conditions = spans_of_conditions(self.conditions.model);
        for &id in ids {
            let declared = &self.conditions.model.variables[id];
            if declared.ty == Type::String {
                continue;
            }
            // What a `when` sets is defined where its condition is.
            let span = conditions.get(&id).copied().unwrap_or(declared.span);
            let Some(definition) = self.conditions.definitions[id] else { continue };
            places.push((id, self.add(definition, Context::NOW, span)));
        }
        places
    }

    fn branches(&mut self, firings: Vec<Firing>) -> Vec<Branch> {
        let mut branches = Vec::with_capacity(firings.len());
        for Firing { fires, conditions, actions, condition, is_empty, span, .. } in firings {
            let fires = self.add(fires, Context::NOW, span);
            let declares_transient = is_empty && conditions.iter().any(|&id| self.is_on_continuous(id, span));
            let deeds = actions.into_iter().map(|action| self.deed(action)).collect();
            branches.push(Branch { fires, deeds, condition, declares_transient, span });
        }
        branches
    }

    fn deed(&mut self, action: WhenAction) -> Deed {
        let guard = self.add(action.guard, Context::NOW, action.span);
        let value = match &action.kind {
            WhenActionKind::Reinit(_, value) => Some(*value),
            WhenActionKind::Assert(it) => Some(it.condition),
            _ => None,
        };
        let value = value.map(|value| self.add(value, Context::NOW, action.span));
        Deed { action, guard, value, equation: None }
    }

    /// Whether a condition of a `when` depends on a relation between continuous variables.
    fn is_on_continuous(&mut self, condition: VariableId, span: Span) -> bool {
        let leaf = self.conditions.model.expressions.variable(condition, 0);
        let rewritten = self.conditions.rewritten(leaf, Context::NOW, span);
        let Conditions { atoms, model, .. } = &self.conditions;
        let is_atom = |id: VariableId| atoms.iter().any(|atom| atom.variable == id && atom.moment != Moment::Time);
        model.expressions.contains(rewritten, |node| matches!(node, Node::Variable(id, 0) if is_atom(id)))
    }

    /// The states of machines that have something to begin with.
    fn states(&mut self, mut conditions: ConditionsOfStates) -> Vec<EnteredState> {
        let machines = std::mem::take(&mut self.conditions.model.machines);
        let mut states = Vec::new();
        for state in machines.iter().flat_map(|machine| &machine.states) {
            let is_continuous = |id: &VariableId| self.conditions.model.variables[*id].is_continuous_unknown();
            let (continuous, mut discrete): (Vec<VariableId>, Vec<VariableId>) =
                state.variables.iter().copied().partition(is_continuous);
            discrete.extend(conditions.remove(&state.active).unwrap_or_default());
            if continuous.is_empty() && discrete.is_empty() {
                continue;
            }
            let enters = self.add(state.enters, Context::NOW, state.span);
            let restarts = self.add(state.restarts, Context::NOW, state.span);
            let (active, timer) = (state.active, state.timer);
            states.push(EnteredState { active, enters, restarts, continuous, discrete, timer });
        }
        self.conditions.model.machines = machines;
        states
    }

    /// Declared invariants and those that assertions make; the others follow from definitions.
    fn invariants(&mut self) -> Vec<Requirement> {
        let invariants = self.conditions.model.invariants.clone();
        let stated = |origin| matches!(origin, InvariantOrigin::Declared | InvariantOrigin::Assertion(_));
        let mut requirements = Vec::new();
        for invariant in invariants.into_iter().filter(|it| stated(it.origin)) {
            let guard = self.add(invariant.guard, Context::NOW, invariant.span);
            let condition = self.add(invariant.condition, Context::NOW, invariant.span);
            let expression = invariant.condition;
            let span = invariant.span;
            requirements.push(Requirement { guard, condition, expression, message: None, is_error: true, span });
        }
        requirements
    }

    fn assertions(&mut self) -> Vec<Requirement> {
        let assertions = self.conditions.model.assertions.clone();
        let mut requirements = Vec::new();
        for assertion in assertions {
            let guard = self.add(assertion.guard, Context::NOW, assertion.span);
            let condition = self.add(assertion.condition, Context::NOW, assertion.span);
            requirements.push(Requirement {
                guard,
                condition,
                expression: assertion.condition,
                message: Some(assertion.message),
                is_error: assertion.is_error,
                span: assertion.span,
            });
        }
        requirements
    }
}

/// Discrete variables that keep their value, and the run's own, which come behind those of the model.
fn kept(dae: &MultimodeDae, definitions: &Definitions) -> Vec<VariableId> {
    let own = dae.model.variables.ids().skip(dae.discrete.definitions.len());
    let is_kept = |id: &VariableId| definitions[*id].is_none() && dae.model.variables[*id].ty != Type::String;
    dae.discrete.kept().chain(own).filter(is_kept).collect()
}

/// Groups of discrete variables whose definitions by equations lead back to themselves: by left limits, since otherwise they
/// would not define anything.
fn self_remembering(dae: &MultimodeDae) -> Vec<Vec<VariableId>> {
    let model = &dae.model;
    let mut number: IndexVec<VariableId, Option<usize>> = model.variables.iter().map(|_| None).collect();
    let defined: Vec<(VariableId, ExpressionId)> = dae
        .discrete
        .equations()
        .map(|(id, _, value)| (id, value))
        .filter(|(id, _)| model.variables[*id].ty != Type::Real)
        .collect();
    defined.iter().enumerate().for_each(|(at, &(id, _))| number[id] = Some(at));
    let mut walk = Walk::new();
    let mut readers: Vec<Vec<usize>> = Vec::with_capacity(defined.len());
    for &(_, value) in &defined {
        walk.clear();
        let mut read = Vec::new();
        walk.visit(&model.expressions, value, |_, node, _| {
            let variable = match node {
                Node::Variable(variable, 0) => Some(variable),
                Node::Mode(mode) => dae.mode_variables[mode].variable,
                _ => None,
            };
            read.extend(variable.and_then(|variable| number.get(variable).copied().flatten()));
            true
        });
        readers.push(read);
    }
    let mut groups = Vec::new();
    let read = |at: VariableId, position: usize| {
        readers[at.index()].get(position).map(|&read| Some(VariableId::from_index(read)))
    };
    let starts = (0..defined.len()).map(VariableId::from_index);
    strongly_connected_components(defined.len(), starts, read, |group| {
        if group.len() > 1 || readers[group[0].index()].contains(&group[0].index()) {
            groups.push(group.iter().map(|at| defined[at.index()].0).collect());
        }
    });
    groups
}

/// The states of a machine remember together: one that is passed through is not undone, although it is left at once.
fn by_machine(dae: &MultimodeDae, groups: Vec<Vec<VariableId>>) -> Vec<Vec<VariableId>> {
    if dae.model.machines.is_empty() {
        return groups;
    }
    let mut machine_of: IndexVec<VariableId, Option<usize>> = dae.model.variables.iter().map(|_| None).collect();
    for (number, machine) in dae.model.machines.iter().enumerate() {
        machine.states.iter().for_each(|state| machine_of[state.active] = Some(number));
    }
    let mut of_machine: Vec<Vec<VariableId>> = vec![Vec::new(); dae.model.machines.len()];
    let mut others = Vec::new();
    for group in groups {
        match group.iter().find_map(|&id| machine_of[id]) {
            Some(machine) => of_machine[machine].extend(group),
            None => others.push(group),
        }
    }
    of_machine.retain(|group| !group.is_empty());
    [others, of_machine].concat()
}

/// The variables that the sides of an atom contain at the current instant.
fn read_now(model: &FlatModel, atom: &Atom) -> Vec<VariableId> {
    let mut read = Vec::new();
    for side in atom.sides {
        model.expressions.for_each(side, |_, node| {
            if let Node::Variable(variable, _) = node {
                read.push(variable);
            }
            !matches!(node, Node::Pre(_))
        });
    }
    read.sort_unstable();
    read.dedup();
    read
}

/// The variables whose left limits the sides of an atom contain.
fn read_left(model: &FlatModel, atom: &Atom) -> Vec<VariableId> {
    let mut read = Vec::new();
    for side in atom.sides {
        model.expressions.for_each(side, |_, node| {
            if let Node::Pre(inner) = node {
                model.expressions.for_each(inner, |_, node| {
                    if let Node::Variable(variable, _) = node {
                        read.push(variable);
                    }
                    true
                });
            }
            true
        });
    }
    read.sort_unstable();
    read.dedup();
    read
}

/// The atoms in the definitions of some variables, as they are evaluated.
fn deciding_atoms(
    model: &FlatModel,
    atoms: &IndexVec<RelationId, Atom>,
    defined: &[(VariableId, usize)],
    list: &[ExpressionId],
    variables: &[VariableId],
) -> Vec<RelationId> {
    let places = defined.iter().filter(|(id, _)| variables.contains(id)).map(|&(_, place)| place);
    let mut found: Vec<RelationId> = places.flat_map(|place| atoms_in(model, atoms, list[place])).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The atom that a variable stands for.
fn atom_of(atoms: &IndexVec<RelationId, Atom>, variable: VariableId) -> Option<RelationId> {
    let first = atoms.iter().next()?.variable;
    let number = variable.0.checked_sub(first.0)? as usize;
    (number < atoms.len()).then(|| RelationId::from_index(number))
}

/// The atoms in an expression, whose variables are in the order of the atoms.
fn atoms_in(model: &FlatModel, atoms: &IndexVec<RelationId, Atom>, expression: ExpressionId) -> Vec<RelationId> {
    let mut found = Vec::new();
    model.expressions.for_each(expression, |_, node| {
        if let Node::Variable(variable, 0) = node {
            found.extend(atom_of(atoms, variable));
        }
        true
    });
    found
}

/// What is not a number cannot be decided by.
pub(super) fn not_numeric(model: &FlatModel, expression: ExpressionId) -> Diagnostic {
    let text = modeshift_dae::short_text(model, None, expression);
    Diagnostic::error("E0813", format!("`{text}` decides something at events, but is not a number"))
}

//! The discrete part of a model, ready to be evaluated at events: modes, discrete variables, `when` clauses, invariants.
//!
//! One evaluation gives everything that is decided at an instant, from the truths of atoms, left limits, continuous
//! values, and what `when` clauses have assigned. The tape is the same in all modes.

use modeshift_dae::{
    Builtin, Context, ExpressionId, FlatModel, Id, IndexVec, InvariantOrigin, MultimodeDae, Node, RelationId, Type,
    VariableId, WhenAction, WhenActionKind,
};
use modeshift_diagnostics::{Diagnostic, Span};
use modeshift_numerics::{Input, NativeFunctions};

use crate::run::prepare::discrete_tapes::Formulas;
use crate::run::prepare::event_functions::{Stair, replace_stairs};
use crate::run::prepare::relations::{Atom, Conditions, Moment};

/// The places of some expressions among all that are evaluated.
pub(crate) type Places = std::ops::Range<usize>;

/// A `when` branch with the places of what decides it and of what it does.
pub(crate) struct Branch {
    /// Its conditions.
    pub conditions: Places,
    /// What it does, with the place of the guard and of the value where there is one.
    pub actions: Vec<(WhenAction, usize, Option<usize>)>,
    /// Whether it says nothing but that its instant is transient: without actions, on continuous variables.
    pub declares_transient: bool,
    pub span: Span,
}

/// A `when` clause.
pub(crate) struct Clause {
    /// The place of its guard.
    pub guard: usize,
    pub branches: Vec<Branch>,
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
    mode_count: usize,
    /// How many variables the model has without those of stairs and atoms.
    pub declared_count: u32,
    pub tapes: Tapes,
    /// Discrete variables that equations define, with their places.
    pub defined: Vec<(VariableId, usize)>,
    /// Discrete variables that keep a value: assigned by `when`, stairs, atoms, top-level inputs, and those that
    /// nothing changes.
    pub kept: Vec<VariableId>,
    pub clauses: Vec<Clause>,
    pub invariants: Vec<Requirement>,
    /// Assertions, evaluated as they stand after every step, by formulas of their own.
    pub assertions: Vec<Requirement>,
}

/// The formulas of the discrete part.
pub(crate) struct Tapes {
    /// All that is decided at events: first the modes, then what `defined` says, then the rest.
    pub decisions: Formulas,
    /// Assertions as they stand.
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
    /// are appended to those of the model.
    pub fn new(
        dae: &mut MultimodeDae,
        natives: &NativeFunctions,
        parameter: &dyn Fn(VariableId) -> Option<f64>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let stairs = replace_stairs(dae);
        let mut definitions: IndexVec<VariableId, Option<ExpressionId>> =
            dae.model.variables.iter().map(|_| None).collect();
        dae.discrete.equations().for_each(|(id, _, value)| definitions[id] = Some(value));
        let defined_ids: Vec<VariableId> = dae.discrete.equations().map(|(id, ..)| id).collect();
        let declared_count = dae.model.variables.len() - stairs.len();
        let MultimodeDae { model, mode_variables, .. } = dae;
        let mut conditions = Conditions::new(model, mode_variables, definitions);
        let mode_leaves: Vec<ExpressionId> =
            mode_variables.ids().map(|id| conditions.model.expressions.mode(id)).collect();
        conditions.contents.extend(conditions.model);
        let mut collector = Collector { conditions, list: Vec::new() };
        for (id, leaf) in mode_variables.ids().zip(mode_leaves) {
            collector.add(leaf, Context::NOW, mode_variables[id].span);
        }
        let defined = collector.defined(&defined_ids);
        let clauses = collector.clauses();
        let invariants = collector.invariants();
        let list = std::mem::take(&mut collector.list);
        let assertions = collector.assertions();
        let assertion_list = std::mem::take(&mut collector.list);
        let Conditions { atoms, problems, .. } = collector.conditions;
        if !problems.is_empty() {
            return Err(problems);
        }
        check_calls(dae)?;
        let model = &dae.model;
        let parameter = |id: VariableId| if id.index() < declared_count { parameter(id) } else { None };
        let compile = |list: &[ExpressionId]| {
            Formulas::new(model, natives, parameter, list)
                .map_err(|problem| vec![not_numeric(model, problem.expression)])
        };
        let watched: Vec<ExpressionId> =
            atoms.iter().flat_map(|atom| atom.watched).chain(stairs.iter().map(|stair| stair.argument)).collect();
        let sides: Vec<ExpressionId> = atoms.iter().flat_map(|atom| atom.sides).collect();
        Ok(DiscretePart {
            tapes: Tapes {
                decisions: compile(&list)?,
                assertions: compile(&assertion_list)?,
                watched: compile(&watched)?,
                sides: compile(&sides)?,
            },
            kept: kept(dae),
            stairs,
            atoms,
            defined,
            clauses,
            invariants,
            assertions,
            mode_count: dae.mode_variables.len(),
            declared_count: declared_count as u32,
        })
    }

    /// The modes among the values of the formulas.
    pub fn modes<'v>(&self, values: &'v [f64]) -> impl Iterator<Item = bool> + 'v {
        values[..self.mode_count].iter().map(|&value| value != 0.0)
    }

    /// All discrete variables: those that keep a value, then those that equations define.
    pub fn variables(&self) -> impl Iterator<Item = VariableId> + Clone {
        self.kept.iter().copied().chain(self.defined.iter().map(|&(id, _)| id))
    }

    /// Calls of `sample` that something depends on.
    pub fn samples(&self, model: &FlatModel) -> Vec<ExpressionId> {
        let calls = self.tapes.decisions.inputs().iter().filter_map(|input| match *input {
            Input::Run(call) => Some(call),
            _ => None,
        });
        let calls = calls.filter(|&call| matches!(model.expressions.node(call), Node::Call(Builtin::Sample, _)));
        let mut calls: Vec<ExpressionId> = calls.collect();
        calls.sort_unstable();
        calls.dedup();
        calls
    }
}

impl Collector<'_> {
    fn defined(&mut self, ids: &[VariableId]) -> Vec<(VariableId, usize)> {
        let mut places = Vec::new();
        for &id in ids {
            let declared = &self.conditions.model.variables[id];
            if declared.ty == Type::String {
                continue;
            }
            let span = declared.span;
            let leaf = self.conditions.model.expressions.variable(id, 0);
            self.conditions.contents.extend(self.conditions.model);
            places.push((id, self.add(leaf, Context::NOW, span)));
        }
        places
    }

    fn clauses(&mut self) -> Vec<Clause> {
        let clauses = self.conditions.model.when_clauses.clone();
        let mut result = Vec::with_capacity(clauses.len());
        for clause in clauses {
            let guard = self.add(clause.guard, Context::NOW, clause.span);
            let mut branches = Vec::with_capacity(clause.branches.len());
            for branch in clause.branches {
                let first = self.list.len();
                for &condition in &branch.conditions {
                    self.add(condition, Context::NOW, branch.span);
                }
                let conditions = first..self.list.len();
                let mut actions = Vec::with_capacity(branch.actions.len());
                for action in branch.actions {
                    let guard = self.add(action.guard, Context::NOW, action.span);
                    let value = match &action.kind {
                        WhenActionKind::Assign(_, value) => Some(self.add(*value, Context::NOW, action.span)),
                        WhenActionKind::Assert(it) => Some(self.add(it.condition, Context::NOW, action.span)),
                        _ => None,
                    };
                    actions.push((action, guard, value));
                }
                let declares_transient = actions.is_empty() && self.is_on_continuous(conditions.clone());
                branches.push(Branch { conditions, actions, declares_transient, span: branch.span });
            }
            result.push(Clause { guard, branches });
        }
        result
    }

    /// Whether some of these expressions depend on a relation between continuous variables.
    fn is_on_continuous(&self, places: Places) -> bool {
        let Conditions { atoms, model, .. } = &self.conditions;
        let is_atom = |id: VariableId| atoms.iter().any(|atom| atom.variable == id && atom.moment != Moment::Time);
        self.list[places].iter().any(|&expression| {
            model.expressions.contains(expression, |node| matches!(node, Node::Variable(id, 0) if is_atom(id)))
        })
    }

    /// Declared invariants and those that assertions make; the others follow from definitions.
    fn invariants(&mut self) -> Vec<Requirement> {
        let invariants = self.conditions.model.invariants.clone();
        let stated = invariants
            .into_iter()
            .filter(|it| matches!(it.origin, InvariantOrigin::Declared | InvariantOrigin::Assertion(_)));
        let mut requirements = Vec::new();
        for invariant in stated {
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
            let condition = self.add(assertion.condition, Context::NO_EVENT, assertion.span);
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
fn kept(dae: &MultimodeDae) -> Vec<VariableId> {
    let own = dae.model.variables.ids().skip(dae.discrete.definitions.len());
    dae.discrete.kept().chain(own).filter(|&id| dae.model.variables[id].ty != Type::String).collect()
}

/// `delay` needs a memory of the past that a run does not have.
fn check_calls(dae: &MultimodeDae) -> Result<(), Vec<Diagnostic>> {
    use modeshift_dae::Builtin::{Delay, DelayMax};
    let model = &dae.model;
    for equation in model.equations.iter() {
        for side in [equation.left, equation.right] {
            let mut found = None;
            model.expressions.for_each(side, |id, node| {
                if matches!(node, Node::Call(Delay | DelayMax, _)) {
                    found = Some(id);
                }
                found.is_none()
            });
            if let Some(call) = found {
                let text = modeshift_dae::ExpressionText { model, modes: None, expression: call };
                let problem =
                    Diagnostic::error("E0812", format!("`{text}` cannot be simulated: `delay` is not supported"));
                return Err(vec![
                    problem
                        .label(equation.span, "in this equation")
                        .help("approximate it, for example by a first-order lag `T*der(y) = u - y` or a chain of them"),
                ]);
            }
        }
    }
    Ok(())
}

fn not_numeric(model: &FlatModel, expression: ExpressionId) -> Diagnostic {
    let text = modeshift_dae::ExpressionText { model, modes: None, expression };
    Diagnostic::error("E0813", format!("`{text}` decides something at events, but is not a number"))
}

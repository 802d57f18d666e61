//! The definitions of mode variables: formulas over relations, left values of modes and what changes at events only.
//!
//! A mode variable whose definition has a relation on a continuous variable of the current instant is *decided by the
//! candidate mode*: a mode is accepted if its own restart says the same. All others are *given* by time, left limits
//! and discrete variables before any mode is tried, or follow from other mode variables.
//!
//! Formulas are evaluated with three truth values: where a relation vanishes identically, either value is allowed.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use modeshift_dae::{
    Builtin, ExpressionId, Expressions, FlatModel, Id, IndexVec, ModeVariableId, MultimodeDae, Node, VariableId,
};
use modeshift_numerics::{Compiler, Input, Tape};
use rustc_hash::FxHashMap;

use crate::relation::{Relation, Surroundings};

/// A relation of [`Guards`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationId(pub u32);

impl Id for RelationId {
    fn from_index(index: usize) -> Self {
        RelationId(u32::try_from(index).expect("fewer than 2^32 relations"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The definitions of all mode variables of a model.
pub struct Guards {
    formulas: IndexVec<ModeVariableId, Option<Formula>>,
    relations: IndexVec<RelationId, Relation>,
    users: IndexVec<RelationId, Vec<ModeVariableId>>,
    readers: FxHashMap<VariableId, Vec<RelationId>>,
    /// Mode variables that are not decided by candidates, each after those that define it.
    given: Vec<ModeVariableId>,
    /// Those of them that other mode variables define.
    following: Vec<ModeVariableId>,
    /// Mode variables that candidates decide, ascending.
    decided: Vec<ModeVariableId>,
}

/// A formula in postfix order.
struct Formula {
    steps: Vec<Step>,
}

enum Step {
    Constant(bool),
    Mode(ModeVariableId),
    LeftMode(ModeVariableId),
    Relation(RelationId),
    /// Anything else that has a truth value: discrete variables, `edge`, `sample`.
    Opaque(Opaque),
    Not,
    And,
    Or,
}

/// An expression that is true where it is not zero, perhaps inside `pre`.
struct Opaque {
    expression: ExpressionId,
    is_before: bool,
    tape: OnceCell<Option<Tape>>,
}

/// What the leaves of a formula are worth.
pub(crate) struct Leaves<'a> {
    pub surroundings: Surroundings<'a>,
    pub mode: &'a dyn Fn(ModeVariableId) -> bool,
    pub left_mode: &'a dyn Fn(ModeVariableId) -> bool,
    pub relation: &'a dyn Fn(RelationId) -> Option<bool>,
}

impl Guards {
    /// Reads the definitions of a model.
    pub fn new(dae: &MultimodeDae) -> Self {
        let modes = dae.mode_variables.iter_enumerated();
        let mode_of = modes.filter_map(|(id, mode)| Some((mode.variable?, id))).collect();
        let mut reader = Reader { model: &dae.model, mode_of, relations: IndexVec::new(), numbers: BTreeMap::new() };
        let formulas: IndexVec<ModeVariableId, Option<Formula>> =
            dae.mode_variables.iter().map(|mode| Some(reader.formula(mode.definition?))).collect();
        let relations = reader.relations;
        let mut users: IndexVec<RelationId, Vec<ModeVariableId>> = relations.iter().map(|_| Vec::new()).collect();
        for (mode, formula) in formulas.iter_enumerated() {
            for step in formula.iter().flat_map(|formula| &formula.steps) {
                if let Step::Relation(relation) = step
                    && users[*relation].last() != Some(&mode)
                {
                    users[*relation].push(mode);
                }
            }
        }
        let mut readers: FxHashMap<VariableId, Vec<RelationId>> = FxHashMap::default();
        for (id, relation) in relations.iter_enumerated() {
            for &(variable, _) in relation.reads() {
                let list = readers.entry(variable).or_default();
                if list.last() != Some(&id) {
                    list.push(id);
                }
            }
        }
        let mut guards = Guards {
            formulas,
            relations,
            users,
            readers,
            given: Vec::new(),
            following: Vec::new(),
            decided: Vec::new(),
        };
        guards.given = guards.in_order_of_definition();
        let decided = guards.formulas.ids().filter(|&mode| guards.is_decided_by_candidate(mode));
        guards.decided = decided.collect();
        let follows = |mode: &ModeVariableId| guards.modes_in(*mode).next().is_some();
        guards.following = guards.given.iter().copied().filter(follows).collect();
        guards
    }

    /// The relations of all definitions, each once.
    pub fn relations(&self) -> impl Iterator<Item = (RelationId, &Relation)> {
        self.relations.iter_enumerated()
    }

    /// One relation.
    pub fn relation(&self, id: RelationId) -> &Relation {
        &self.relations[id]
    }

    /// The mode variables in whose definitions a relation stands.
    pub fn users(&self, id: RelationId) -> &[ModeVariableId] {
        &self.users[id]
    }

    /// The relations that read a variable of the current instant.
    pub fn readers(&self, variable: VariableId) -> &[RelationId] {
        self.readers.get(&variable).map_or(&[], Vec::as_slice)
    }

    /// Whether a candidate mode decides this mode variable.
    pub fn is_decided_by_candidate(&self, mode: ModeVariableId) -> bool {
        self.relations_of(mode).any(|relation| self.relations[relation].is_of_candidate())
    }

    /// The relations in the definition of a mode variable.
    pub fn relations_of(&self, mode: ModeVariableId) -> impl Iterator<Item = RelationId> + '_ {
        let steps = self.formulas[mode].iter().flat_map(|formula| &formula.steps);
        steps.filter_map(|step| if let Step::Relation(relation) = step { Some(*relation) } else { None })
    }

    /// Mode variables that are not decided by the candidate mode, each after those its definition contains.
    pub(crate) fn given(&self) -> &[ModeVariableId] {
        &self.given
    }

    /// Mode variables that candidates decide, ascending.
    pub(crate) fn decided_by_candidates(&self) -> &[ModeVariableId] {
        &self.decided
    }

    /// Those of them that other mode variables define, in the same order.
    pub(crate) fn following(&self) -> &[ModeVariableId] {
        &self.following
    }

    /// Whether a mode variable has a definition; others are set by the run.
    pub fn is_defined(&self, mode: ModeVariableId) -> bool {
        self.formulas[mode].is_some()
    }

    fn in_order_of_definition(&self) -> Vec<ModeVariableId> {
        let is_given = |mode: &ModeVariableId| !self.is_decided_by_candidate(*mode);
        let mut state: IndexVec<ModeVariableId, u8> = self.formulas.iter().map(|_| 0).collect();
        let mut order = Vec::new();
        for root in self.formulas.ids().filter(is_given) {
            let mut pending = vec![(root, false)];
            while let Some((mode, is_complete)) = pending.pop() {
                if is_complete {
                    order.push(mode);
                } else if std::mem::replace(&mut state[mode], 1) == 0 {
                    pending.push((mode, true));
                    pending.extend(self.modes_in(mode).filter(is_given).map(|mode| (mode, false)));
                }
            }
        }
        order
    }

    fn modes_in(&self, mode: ModeVariableId) -> impl Iterator<Item = ModeVariableId> + '_ {
        let steps = self.formulas[mode].iter().flat_map(|formula| &formula.steps);
        steps.filter_map(|step| if let Step::Mode(other) = step { Some(*other) } else { None })
    }

    /// What the definition of a mode variable says; `None` where there is none, or either value is allowed.
    pub(crate) fn truth(&self, mode: ModeVariableId, leaves: &Leaves) -> Option<bool> {
        let formula = self.formulas[mode].as_ref()?;
        let mut stack: Vec<Option<bool>> = Vec::new();
        for step in &formula.steps {
            let value = match step {
                Step::Constant(value) => Some(*value),
                Step::Mode(mode) => Some((leaves.mode)(*mode)),
                Step::LeftMode(mode) => Some((leaves.left_mode)(*mode)),
                Step::Relation(relation) => (leaves.relation)(*relation),
                Step::Opaque(opaque) => opaque.truth(&leaves.surroundings),
                Step::Not => stack.pop().flatten().map(|value| !value),
                Step::And => match (stack.pop().flatten(), stack.pop().flatten()) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                },
                Step::Or => match (stack.pop().flatten(), stack.pop().flatten()) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                },
            };
            stack.push(value);
        }
        stack.pop().flatten()
    }
}

impl Opaque {
    /// `None` where it has no value.
    fn truth(&self, surroundings: &Surroundings) -> Option<bool> {
        let compile = || Compiler::new(surroundings.model, surroundings.natives).tape(&[self.expression]).ok();
        let tape = self.tape.get_or_init(compile).as_ref()?;
        let side = |input: Input| match input {
            Input::Variable(variable, order) if self.is_before => Input::LeftVariable(variable, order),
            Input::Mode(mode) if self.is_before => Input::LeftMode(mode),
            other => other,
        };
        let value = |&input: &Input| (surroundings.known)(side(input)).unwrap_or(f64::NAN);
        let inputs: Vec<f64> = tape.inputs().iter().map(value).collect();
        let mut result = [f64::NAN];
        tape.evaluate(&inputs, &mut tape.workspace(), &mut result);
        if result[0].is_nan() { None } else { Some(result[0] != 0.0) }
    }
}

/// Turns definitions into postfix order and numbers their relations.
struct Reader<'a> {
    model: &'a FlatModel,
    /// Mode variables by their Boolean variables.
    mode_of: FxHashMap<VariableId, ModeVariableId>,
    relations: IndexVec<RelationId, Relation>,
    numbers: BTreeMap<(ExpressionId, bool), RelationId>,
}

enum Visit {
    Open(ExpressionId, bool),
    Close(Step),
}

impl Reader<'_> {
    fn formula(&mut self, definition: ExpressionId) -> Formula {
        let mut steps = Vec::new();
        let mut pending = vec![Visit::Open(definition, false)];
        while let Some(visit) = pending.pop() {
            match visit {
                Visit::Close(step) => steps.push(step),
                Visit::Open(id, is_before) => self.open(id, is_before, &mut pending),
            }
        }
        Formula { steps }
    }

    fn open(&mut self, id: ExpressionId, is_before: bool, pending: &mut Vec<Visit>) {
        let operands = |step: Step, operands: &[ExpressionId], pending: &mut Vec<Visit>| {
            pending.push(Visit::Close(step));
            pending.extend(operands.iter().map(|&operand| Visit::Open(operand, is_before)));
        };
        match self.model.expressions.node(id) {
            Node::Boolean(value) => pending.push(Visit::Close(Step::Constant(value))),
            Node::Mode(mode) => pending.push(Visit::Close(mode_step(mode, is_before))),
            Node::Variable(variable, 0) if self.mode_of.contains_key(&variable) => {
                pending.push(Visit::Close(mode_step(self.mode_of[&variable], is_before)));
            }
            Node::Pre(inner) => pending.push(Visit::Open(inner, true)),
            Node::Not(a) => operands(Step::Not, &[a], pending),
            Node::And(a, b) => operands(Step::And, &[a, b], pending),
            Node::Or(a, b) => operands(Step::Or, &[a, b], pending),
            Node::Relation(..) if self.is_continuous(id) => {
                let relation = self.relation(id, is_before);
                pending.push(Visit::Close(Step::Relation(relation)));
            }
            _ => {
                let opaque = Opaque { expression: id, is_before, tape: OnceCell::new() };
                pending.push(Visit::Close(Step::Opaque(opaque)));
            }
        }
    }

    fn relation(&mut self, id: ExpressionId, is_before: bool) -> RelationId {
        let Reader { model, relations, numbers, .. } = self;
        let number = || relations.push(Relation::new(model, id, is_before).expect("it is a relation"));
        *numbers.entry((id, is_before)).or_insert_with(number)
    }

    /// Whether a relation depends on time or on a continuous variable, now or before.
    fn is_continuous(&self, id: ExpressionId) -> bool {
        contains(&self.model.expressions, id, |node| match node {
            Node::Time => true,
            Node::Variable(variable, _) => self.model.variables[variable].is_continuous_unknown(),
            _ => false,
        })
    }
}

fn mode_step(mode: ModeVariableId, is_before: bool) -> Step {
    if is_before { Step::LeftMode(mode) } else { Step::Mode(mode) }
}

fn contains(expressions: &Expressions, root: ExpressionId, wanted: impl Fn(Node) -> bool) -> bool {
    let mut found = false;
    expressions.for_each(root, |_, node| {
        found |= wanted(node);
        !found && !matches!(node, Node::Call(Builtin::Sample | Builtin::Delay | Builtin::DelayMax, _))
    });
    found
}

//! Islands: what no equation, definition or clause connects. Two copies of a model side by side are two, whatever time both read.
//!
//! What follows at an instant is decided island by island: relations of one have nothing to say about the mode of another.

use modeshift_dae::{
    EquationId, ExpressionId, FlatModel, Id, IndexVec, Node, RelationId, UnionFind, VariableId, WhenActionKind,
};

use crate::run::prepare::discrete_part::{Branch, Requirement};
use crate::run::prepare::event_functions::Stair;
use crate::run::prepare::relations::Atom;

/// Islands, each a number; what contains nothing that changes is of none.
pub(crate) struct Islands {
    atoms: IndexVec<RelationId, usize>,
    variables: IndexVec<VariableId, usize>,
    equations: IndexVec<EquationId, Option<usize>>,
    invariants: Vec<Option<usize>>,
}

impl Islands {
    /// That of an atom.
    pub fn of_atom(&self, atom: RelationId) -> usize {
        self.atoms[atom]
    }

    /// Whether an island is the one of a variable.
    pub fn has_variable(&self, island: usize, variable: VariableId) -> bool {
        self.variables[variable] == island
    }

    /// Whether an island is the one of an equation.
    pub fn has_equation(&self, island: usize, equation: EquationId) -> bool {
        self.equations[equation] == Some(island)
    }

    /// Whether an island is the one of an invariant.
    pub fn has_invariant(&self, island: usize, number: usize) -> bool {
        self.invariants[number] == Some(island)
    }
}

/// What connects variables.
pub(super) struct Connections<'p> {
    pub model: &'p FlatModel,
    pub atoms: &'p IndexVec<RelationId, Atom>,
    pub stairs: &'p [Stair],
    /// Formulas by place: first those of the modes.
    pub decisions: &'p [ExpressionId],
    pub mode_count: usize,
    pub defined: &'p [(VariableId, usize)],
    pub branches: &'p [Branch],
    pub invariants: &'p [Requirement],
    /// What never changes connects nothing.
    pub is_fixed: &'p dyn Fn(VariableId) -> bool,
}

impl Connections<'_> {
    /// What belongs together.
    pub fn islands(&self) -> Islands {
        let Connections { model, decisions, .. } = self;
        // Modes come after the variables.
        let mut partition: UnionFind<VariableId> = UnionFind::new(model.variables.len() + self.mode_count);
        let equations =
            model.equations.iter().map(|it| self.join(&mut partition, None, &[it.guard, it.left, it.right]));
        let equations: IndexVec<EquationId, Option<VariableId>> = equations.collect();
        for (mode, &formula) in decisions[..self.mode_count].iter().enumerate() {
            self.join(&mut partition, Some(self.member_of_mode(mode)), &[formula]);
        }
        for &(variable, place) in self.defined {
            self.join(&mut partition, Some(variable), &[decisions[place]]);
        }
        for atom in self.atoms.iter() {
            self.join(&mut partition, Some(atom.variable), &[atom.sides, atom.watched].concat());
        }
        for stair in self.stairs {
            self.join(&mut partition, Some(stair.variable), &[stair.argument]);
        }
        let conditions = |it: &Requirement| [decisions[it.guard], decisions[it.condition]];
        let invariants = self.invariants.iter().map(|it| self.join(&mut partition, None, &conditions(it)));
        let invariants: Vec<Option<VariableId>> = invariants.collect();
        self.branches.iter().for_each(|branch| self.join_branch(&mut partition, branch));
        let mut island = |member: VariableId| partition.root(member).index();
        Islands {
            atoms: self.atoms.iter().map(|atom| island(atom.variable)).collect(),
            variables: model.variables.ids().map(&mut island).collect(),
            equations: equations.iter().map(|it| it.map(&mut island)).collect(),
            invariants: invariants.iter().map(|it| it.map(&mut island)).collect(),
        }
    }

    fn join_branch(&self, partition: &mut UnionFind<VariableId>, branch: &Branch) {
        let mut formulas = vec![self.decisions[branch.fires]];
        let mut variable = None;
        for deed in &branch.deeds {
            formulas.push(self.decisions[deed.guard]);
            formulas.extend(deed.value.map(|place| self.decisions[place]));
            match deed.action.kind {
                WhenActionKind::Law(left, right) => formulas.extend([left, right]),
                WhenActionKind::Reinit(state, _) => {
                    if let Some(other) = variable.replace(state) {
                        partition.join(state, other);
                    }
                }
                WhenActionKind::Assign(..) | WhenActionKind::Assert(_) | WhenActionKind::Terminate(_) => {}
            }
        }
        self.join(partition, variable, &formulas);
    }

    fn member_of_mode(&self, mode: usize) -> VariableId {
        VariableId::from_index(self.model.variables.len() + mode)
    }

    /// All that some expressions contain is of one island, with a variable; one of them, if there is any.
    fn join(
        &self,
        partition: &mut UnionFind<VariableId>,
        first: Option<VariableId>,
        expressions: &[ExpressionId],
    ) -> Option<VariableId> {
        let mut first = first;
        for &expression in expressions {
            self.model.expressions.for_each(expression, |_, node| {
                let member = match node {
                    Node::Variable(variable, _) if !(self.is_fixed)(variable) => Some(variable),
                    Node::Mode(mode) => Some(self.member_of_mode(mode.index())),
                    _ => None,
                };
                if let Some(member) = member {
                    partition.join(*first.get_or_insert(member), member);
                }
                true
            });
        }
        first
    }
}

//! The order in which blocks and the discrete variables that they read get their values: `x*x = n` is solved when `n` is known.
//!
//! Blocks alone come each after those it needs; a discrete variable between them may turn that around, since `n = integer(z)` is known
//! when `z` is. Where an equation and a discrete variable need each other, the variable begins with its start value, or with what its
//! definition says at the guesses where it has none, and [`solve_mode`](InitialProblem::solve_mode) evaluates them in turns.

use modeshift_dae::{EquationId, ExpressionId, Id, Node, VariableId};
use modeshift_modes::ModeSet;
use modeshift_structure::Derivative;
use modeshift_structure::initialization::{Initialization, OneMode};
use modeshift_structure::strongly_connected_components;
use rustc_hash::FxHashMap;

use crate::initialization::point::StartMode;
use crate::initialization::problem::{DiscreteDefinition, InitialProblem};

/// What is evaluated next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A block, by its place.
    Block(usize),
    /// The definitions of a discrete variable.
    Discrete(VariableId),
}

/// Discrete variables that something defines, and who reads them.
#[derive(Default)]
pub(in crate::initialization) struct DiscreteReads {
    /// Their definitions, by place, in order.
    pub(super) definitions: FxHashMap<VariableId, Vec<usize>>,
    /// Those that each equation of initialization reads, of the equations that read any.
    equations: FxHashMap<EquationId, Vec<VariableId>>,
}

/// Which equations of initialization read which discrete variables that something defines.
pub(in crate::initialization) fn discrete_reads(
    start: &Initialization,
    discrete: &[DiscreteDefinition],
) -> DiscreteReads {
    let mut found = DiscreteReads::default();
    for (at, definition) in discrete.iter().enumerate() {
        found.definitions.entry(definition.variable).or_default().push(at);
    }
    if found.definitions.is_empty() {
        return found;
    }
    let expressions = &start.system.dae.model.expressions;
    for (equation, &residual) in start.system.residuals.iter_enumerated() {
        let mut read: Vec<VariableId> = Vec::new();
        expressions.for_each(residual, |_, node| {
            if let Node::Variable(variable, 0) = node
                && found.definitions.contains_key(&variable)
            {
                read.push(variable);
            }
            true
        });
        if !read.is_empty() {
            read.sort_unstable();
            read.dedup();
            found.equations.insert(equation, read);
        }
    }
    found
}

/// A block or a discrete variable: blocks first, then the variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Vertex(u32);

impl Id for Vertex {
    fn from_index(index: usize) -> Self {
        Vertex(index as u32)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

impl InitialProblem<'_> {
    /// Blocks and the discrete variables that they need, each after what it needs.
    pub(super) fn steps(&self, one_mode: &OneMode, mode: &StartMode) -> Vec<Step> {
        let blocks = one_mode.blocks.len();
        let reads_any = |equation: &EquationId| self.discrete_reads.equations.contains_key(equation);
        if !one_mode.blocks.iter().flat_map(|block| &block.equations).any(reads_any) {
            return (0..blocks).map(Step::Block).collect();
        }
        let defined = self.defined_variables(mode);
        let needs = self.needs(one_mode, mode, &defined);
        let mut steps = Vec::with_capacity(needs.len());
        let successor = |vertex: Vertex, at: usize| needs[vertex.index()].get(at).map(|&it| Some(it));
        let all_blocks = (0..blocks).map(Vertex::from_index);
        strongly_connected_components(needs.len(), all_blocks, successor, |component| {
            component.sort_unstable();
            let (own_blocks, own_discrete) = component.split_at(component.partition_point(|it| it.index() < blocks));
            let discrete = own_discrete.iter().map(|it| defined[it.index() - blocks]);
            if !own_blocks.is_empty() {
                // They need each other: a start value is what the user guesses, else the definition tells what fits the other guesses.
                let guessed = discrete.clone().filter(|&it| self.model().variables[it].start.is_none());
                steps.extend(guessed.map(Step::Discrete));
            }
            steps.extend(own_blocks.iter().map(|it| Step::Block(it.index())));
            steps.extend(discrete.map(Step::Discrete));
        });
        steps
    }

    /// The discrete variables that something defines in a mode, ascending.
    fn defined_variables(&self, mode: &StartMode) -> Vec<VariableId> {
        let mut defined: Vec<VariableId> = self.definitions_in(mode).map(|it| it.variable).collect();
        defined.sort_unstable();
        defined.dedup();
        defined
    }

    /// What blocks and discrete variables need of each other, by vertex.
    fn needs(&self, one_mode: &OneMode, mode: &StartMode, defined: &[VariableId]) -> Vec<Vec<Vertex>> {
        let blocks = one_mode.blocks.len();
        let mut vertices: FxHashMap<VariableId, Vertex> = FxHashMap::default();
        for (at, block) in one_mode.blocks.iter().enumerate() {
            vertices.extend(block.variables.iter().map(|&variable| (variable, Vertex::from_index(at))));
        }
        vertices.extend(defined.iter().enumerate().map(|(at, &it)| (it, Vertex::from_index(blocks + at))));
        let mut needs: Vec<Vec<Vertex>> = vec![Vec::new(); blocks + defined.len()];
        for (at, block) in one_mode.blocks.iter().enumerate() {
            let continuous = block.equations.iter().flat_map(|&equation| self.continuous_reads(equation, mode));
            let discrete =
                block.equations.iter().flat_map(|it| self.discrete_reads.equations.get(it).into_iter().flatten());
            needs[at] = continuous.chain(discrete.copied()).filter_map(|it| vertices.get(&it).copied()).collect();
        }
        for definition in self.definitions_in(mode) {
            let at = vertices[&definition.variable].index();
            let reads = self.reads_of(definition.value);
            needs[at].extend(reads.into_iter().filter_map(|it| vertices.get(&it).copied()));
        }
        needs
    }

    fn continuous_reads(&self, equation: EquationId, mode: &StartMode) -> impl Iterator<Item = VariableId> {
        let (space, incidence) = (&self.start.space, &self.start.system.incidence);
        let is_in = move |set: ModeSet| space.evaluate(set, |variable| mode.is_on(variable));
        let edges = incidence.edges_of_equation(equation).filter(move |&edge| is_in(incidence.active(edge)));
        edges.map(move |edge| incidence.variable(edge))
    }

    /// The variables of the system that an expression reads; what was before the start is known, unless initial equations say it.
    fn reads_of(&self, expression: ExpressionId) -> Vec<VariableId> {
        let finds_left_limits = self.discrete.iter().any(|it| it.is_left_limit);
        let mut reads = Vec::new();
        self.model().expressions.for_each(expression, |_, node| match node {
            Node::Variable(of, order) => {
                reads.extend(self.start.system.variable(Derivative { of, order }));
                true
            }
            Node::Pre(_) => finds_left_limits,
            _ => true,
        });
        reads
    }
}

//! The conditional dependency graph: blocks of differentiated equations, what they read and write, and which wait for
//! which, in which modes.
//!
//! A block writes the leading derivatives of its variables and reads the highest derivatives that its equations contain
//! otherwise: leading ones that other blocks write, and states. Blocks are told apart by their equations, by how often
//! these are differentiated, by what they write and by what they read; only where the different read sets of one block
//! are too many do its reads have guards of their own.
//!
//! E22 §2.1 and §6.1 (step 3), RR9322 §4.6.3.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use modeshift_dae::{EquationId, Id, IndexVec, VariableId};
use modeshift_modes::{Limit, ModeSet, ModeSpace};
use rustc_hash::FxHashMap;

use crate::graph::blocks::{BlockCap, Enumeration, Group};
use crate::locality::lists::Lists;
use crate::matching::dulmage_mendelsohn::Parts;
use crate::{Cycles, Incidence, Matching, Offsets, Thermometer};

/// A block is not split into more than this many by what it reads.
const MOST_READ_SETS: usize = 64;
/// So many blocks that write the same variable are tried one by one.
const FEW_WRITERS: usize = 8;

pub use modeshift_dae::Derivative;

/// A block of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

impl Id for BlockId {
    fn from_index(index: usize) -> Self {
        BlockId(u32::try_from(index).expect("fewer than 2^32 blocks"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A derivative that a block needs from outside, in these modes of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// What is needed.
    pub variable: Derivative<VariableId>,
    /// In which modes; all those of the block, unless its reads were too different to split it.
    pub modes: ModeSet,
}

/// Equations that are solved together.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// The modes in which it is to be solved; never empty.
    pub guard: ModeSet,
    /// The equations, differentiated.
    pub equations: &'a [Derivative<EquationId>],
    /// The leading derivatives they are solved for; as many as equations.
    pub writes: &'a [Derivative<VariableId>],
    /// What has to be known before.
    pub reads: &'a [Read],
}

/// That a block reads what another writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The block that writes.
    pub from: BlockId,
    /// The block that reads.
    pub to: BlockId,
    /// In which modes.
    pub modes: ModeSet,
}

/// Where the parts of a block are.
#[derive(Clone, Debug)]
struct Record {
    guard: ModeSet,
    equations: Range<u32>,
    writes: Range<u32>,
    reads: Range<u32>,
}

/// Blocks and their dependencies.
#[derive(Clone, Debug, Default)]
pub struct ConditionalDependencyGraph {
    blocks: IndexVec<BlockId, Record>,
    equations: Vec<Derivative<EquationId>>,
    writes: Vec<Derivative<VariableId>>,
    reads: Vec<Read>,
    dependencies: Vec<Dependency>,
    not_listed: Vec<EquationId>,
    conditional_reads: bool,
}

/// Lists the blocks with what they read and write, and their dependencies.
pub fn dependency_graph(
    space: &ModeSpace,
    incidence: &Incidence,
    matching: &Matching,
    offsets: &Offsets,
    parts: &Parts,
    cycles: &Cycles,
    cap: BlockCap,
) -> Result<ConditionalDependencyGraph, Limit> {
    space.set_task("listing blocks of equations");
    let graph = ConditionalDependencyGraph::default();
    let mut builder = Builder { space, incidence, offsets, graph, pieces: Vec::new(), reads: Vec::new() };
    let enumeration = Enumeration { space, incidence, matching, parts, cycles, cap };
    let not_listed = enumeration.blocks(|group| builder.add(group))?;
    let mut graph = builder.graph;
    graph.not_listed = not_listed;
    space.check()?;
    space.set_task("finding dependencies between blocks");
    graph.connect(space, incidence.variables().len());
    graph.sort();
    space.check()?;
    Ok(graph)
}

impl ConditionalDependencyGraph {
    /// The blocks, as far as the modes allow each after those that it depends on.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = (BlockId, Block<'_>)> {
        self.blocks.ids().map(|id| (id, self.block(id)))
    }

    /// How many blocks are listed.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// One block.
    pub fn block(&self, id: BlockId) -> Block<'_> {
        let record = &self.blocks[id];
        Block {
            guard: record.guard,
            equations: &self.equations[record.equations.start as usize..record.equations.end as usize],
            writes: &self.writes[record.writes.start as usize..record.writes.end as usize],
            reads: &self.reads[record.reads.start as usize..record.reads.end as usize],
        }
    }

    /// The dependencies, by their blocks.
    pub fn dependencies(&self) -> &[Dependency] {
        &self.dependencies
    }

    /// Whether something is not listed explicitly: blocks of several equations, or blocks by what they read.
    pub fn is_truncated(&self) -> bool {
        !self.not_listed.is_empty() || self.conditional_reads
    }

    /// Equations whose blocks of several equations are too many to be listed; [`Cycles`] has them as predicates.
    pub fn not_listed(&self) -> &[EquationId] {
        &self.not_listed
    }

    /// All sets of modes in here, to be kept by a collection.
    pub fn mode_sets(&self) -> impl Iterator<Item = ModeSet> {
        let guards = self.blocks.iter().map(|block| block.guard);
        let reads = self.reads.iter().map(|read| read.modes);
        guards.chain(reads).chain(self.dependencies.iter().map(|dependency| dependency.modes))
    }

    /// Gives equations and variables other names, and sorts each block's lists by them.
    pub(crate) fn rename(
        &mut self,
        equation: impl Fn(&mut Derivative<EquationId>),
        variable: impl Fn(&mut Derivative<VariableId>),
        not_listed: impl Fn(EquationId) -> EquationId,
    ) {
        self.equations.iter_mut().for_each(equation);
        self.writes.iter_mut().for_each(&variable);
        self.reads.iter_mut().for_each(|read| variable(&mut read.variable));
        for block in self.blocks.iter() {
            self.equations[block.equations.start as usize..block.equations.end as usize].sort_unstable();
            self.writes[block.writes.start as usize..block.writes.end as usize].sort_unstable();
            self.reads[block.reads.start as usize..block.reads.end as usize].sort_by_key(|read| read.variable);
        }
        self.not_listed = self.not_listed.iter().map(|&id| not_listed(id)).collect();
        self.not_listed.sort_unstable();
    }

    /// Finds who writes what others read.
    fn connect(&mut self, space: &ModeSpace, variables: usize) {
        let writers = self.writers(variables);
        let mut unions: FxHashMap<VariableId, Unions> = FxHashMap::default();
        let mut dependencies = Vec::new();
        for (to, block) in self.blocks() {
            let from = dependencies.len();
            for read in block.reads {
                let writers = writers.of(read.variable.of.index());
                let mut add = |&(order, writer): &(u32, BlockId)| {
                    let modes = space.and(self.blocks[writer].guard, read.modes);
                    if order == read.variable.order && !modes.is_empty() {
                        dependencies.push(Dependency { from: writer, to, modes });
                    }
                };
                if writers.len() <= FEW_WRITERS {
                    writers.iter().for_each(add);
                    continue;
                }
                let guards = || writers.iter().map(|it| self.blocks[it.1].guard).collect();
                let unions = unions.entry(read.variable.of).or_insert_with(|| Unions::of(space, guards()));
                unions.meeting(space, read.modes, |at| add(&writers[at]));
            }
            dependencies[from..].sort_by_key(|dependency| dependency.from);
            unite_same_blocks(space, &mut dependencies, from);
        }
        self.dependencies = dependencies;
    }

    /// The blocks that write each variable, with the order of the derivative.
    fn writers(&self, variables: usize) -> Lists<(u32, BlockId)> {
        // Blocks that differ by what they read share the list of what they write.
        let writes = |id: BlockId| self.block(id).writes.iter().map(move |write| (write.of.0, (write.order, id)));
        Lists::grouped(variables, (0..self.blocks.len()).map(BlockId::from_index).flat_map(writes))
    }

    /// Renumbers blocks so that each comes after those it depends on, where the dependencies of all modes allow it.
    fn sort(&mut self) {
        let reader = |it: &Dependency| (it.from.0, (it.to, it.modes));
        let readers = Lists::grouped(self.blocks.len(), self.dependencies.iter().map(reader));
        let order = self.solving_order(&readers);
        let mut number: IndexVec<BlockId, BlockId> = self.blocks.ids().collect();
        for (at, &id) in order.iter().enumerate() {
            number[id] = BlockId::from_index(at);
        }
        self.blocks = order.iter().map(|&id| self.blocks[id].clone()).collect();
        self.dependencies.clear();
        for (from, id) in order.into_iter().enumerate() {
            let start = self.dependencies.len();
            let from = BlockId::from_index(from);
            let renumbered = |&(to, modes): &(BlockId, ModeSet)| Dependency { from, to: number[to], modes };
            self.dependencies.extend(readers.of(id.index()).iter().map(renumbered));
            self.dependencies[start..].sort_unstable_by_key(|dependency| dependency.to);
        }
    }

    /// Whoever waits for nobody goes first, smaller numbers before larger; a circle over several modes is broken at its
    /// smallest number. `readers` are those that each block is waited for by.
    fn solving_order(&self, readers: &Lists<(BlockId, ModeSet)>) -> Vec<BlockId> {
        let mut waits_for: IndexVec<BlockId, u32> = self.blocks.iter().map(|_| 0).collect();
        for dependency in &self.dependencies {
            waits_for[dependency.to] += 1;
        }
        let mut ready: BinaryHeap<Reverse<BlockId>> =
            self.blocks.ids().filter(|&id| waits_for[id] == 0).map(Reverse).collect();
        let mut placed: IndexVec<BlockId, bool> = self.blocks.iter().map(|_| false).collect();
        let mut smallest = self.blocks.ids();
        let mut order = Vec::with_capacity(self.blocks.len());
        while order.len() < self.blocks.len() {
            let next = ready.pop().map(|Reverse(id)| id).or_else(|| smallest.find(|&id| !placed[id]));
            let next = next.expect("some block is not placed yet");
            if std::mem::replace(&mut placed[next], true) {
                continue;
            }
            order.push(next);
            for &(reader, _) in readers.of(next.index()) {
                waits_for[reader] -= 1;
                if waits_for[reader] == 0 && !placed[reader] {
                    ready.push(Reverse(reader));
                }
            }
        }
        order
    }
}

/// Sets of modes with the unions of halves, quarters and so on of them: few of very many sets meet another.
struct Unions {
    /// The root is at 1, the two parts of `k` are at `2 k` and `2 k + 1`, the sets in the second half.
    nodes: Vec<ModeSet>,
}

impl Unions {
    fn of(space: &ModeSpace, sets: Vec<ModeSet>) -> Unions {
        let count = sets.len();
        let mut nodes = vec![ModeSet::EMPTY; count];
        nodes.extend(sets);
        for at in (1..count).rev() {
            nodes[at] = space.or(nodes[2 * at], nodes[2 * at + 1]);
        }
        Unions { nodes }
    }

    /// Calls `found` with the number of each set that has modes in common with this one.
    fn meeting(&self, space: &ModeSpace, modes: ModeSet, mut found: impl FnMut(usize)) {
        let count = self.nodes.len() / 2;
        let mut pending = vec![1];
        while let Some(at) = pending.pop() {
            if space.intersects(self.nodes[at], modes) {
                match at.checked_sub(count) {
                    Some(set) => found(set),
                    None => pending.extend([2 * at + 1, 2 * at]),
                }
            }
        }
    }
}

/// Unites neighbours of `dependencies[from..]` that are between the same blocks.
fn unite_same_blocks(space: &ModeSpace, dependencies: &mut Vec<Dependency>, from: usize) {
    let mut end = from;
    for at in from..dependencies.len() {
        let dependency = dependencies[at];
        if end > from && dependencies[end - 1].from == dependency.from {
            dependencies[end - 1].modes = space.or(dependencies[end - 1].modes, dependency.modes);
        } else {
            dependencies[end] = dependency;
            end += 1;
        }
    }
    dependencies.truncate(end);
}

/// The graph while blocks are added to it.
struct Builder<'a> {
    space: &'a ModeSpace,
    incidence: &'a Incidence,
    offsets: &'a Offsets,
    graph: ConditionalDependencyGraph,
    /// Room for lists that are made anew for each block.
    pieces: Vec<ModeSet>,
    reads: Vec<Read>,
}

impl Builder<'_> {
    /// Adds the blocks of a group: one for each combination of orders, and of what is read then.
    fn add(&mut self, group: Group<'_>) {
        let equations = group.equations.iter().map(|&equation| &self.offsets.equations[equation]);
        let variables = group.variables.iter().map(|&variable| &self.offsets.variables[variable]);
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.clear();
        pieces.push(group.guard);
        for offset in equations.chain(variables) {
            offset.mode_sets().iter().for_each(|&level| self.space.refine(&mut pieces, level));
        }
        for &guard in &pieces {
            self.add_differentiated(group, guard);
        }
        self.pieces = pieces;
    }

    fn add_differentiated(&mut self, group: Group<'_>, guard: ModeSet) {
        let order = |offset: &Thermometer| offset.value(|level| self.space.intersects(guard, level));
        let equations = self.graph.equations.len() as u32;
        for &equation in group.equations {
            let order = order(&self.offsets.equations[equation]);
            self.graph.equations.push(Derivative { of: equation, order });
        }
        let writes = self.graph.writes.len() as u32;
        for &variable in group.variables {
            let order = order(&self.offsets.variables[variable]);
            self.graph.writes.push(Derivative { of: variable, order });
        }
        let (equations, writes) =
            (equations..self.graph.equations.len() as u32, writes..self.graph.writes.len() as u32);
        let reads = self.reads(guard, equations.clone(), writes.clone());
        for piece in self.pieces_by_reads(guard, &reads) {
            let start = self.graph.reads.len() as u32;
            for read in &reads {
                let modes = self.space.and(read.modes, piece);
                if !modes.is_empty() {
                    self.graph.reads.push(Read { modes, ..*read });
                }
            }
            let reads = start..self.graph.reads.len() as u32;
            self.graph.blocks.push(Record {
                guard: piece,
                equations: equations.clone(),
                writes: writes.clone(),
                reads,
            });
        }
        self.reads = reads;
    }

    /// What equations need, differentiated as often as they are, that is not written by them; ascending.
    fn reads(&mut self, guard: ModeSet, equations: Range<u32>, writes: Range<u32>) -> Vec<Read> {
        let writes = &self.graph.writes[writes.start as usize..writes.end as usize];
        let mut reads = std::mem::take(&mut self.reads);
        reads.clear();
        for equation in &self.graph.equations[equations.start as usize..equations.end as usize] {
            for edge in self.incidence.edges_of_equation(equation.of) {
                for &(order, modes) in self.incidence.orders(edge) {
                    let variable = Derivative { of: self.incidence.variable(edge), order: order + equation.order };
                    if writes.binary_search(&variable).is_err() {
                        let modes = self.space.and(guard, modes);
                        if !modes.is_empty() {
                            reads.push(Read { variable, modes });
                        }
                    }
                }
            }
        }
        reads.sort_by_key(|read| read.variable);
        reads.dedup_by(|next, kept| {
            let same = next.variable == kept.variable;
            if same {
                kept.modes = self.space.or(kept.modes, next.modes);
            }
            same
        });
        reads
    }

    /// Parts of `guard` in each of which the same is read in all modes; or `guard` itself if they would be too many.
    fn pieces_by_reads(&mut self, guard: ModeSet, reads: &[Read]) -> Vec<ModeSet> {
        let mut pieces = vec![guard];
        for read in reads.iter().filter(|read| read.modes != guard) {
            self.space.refine(&mut pieces, read.modes);
            if pieces.len() > MOST_READ_SETS {
                self.graph.conditional_reads = true;
                return vec![guard];
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use modeshift_modes::ModeVariable;

    #[test]
    fn sets_that_meet_another_are_found_by_their_unions() {
        let space = ModeSpace::new(8);
        let literal = |at: usize| space.assignment(ModeVariable((at % 8) as u32), !at.is_multiple_of(3));
        let set = |at: usize| space.and(literal(at), space.and(literal(at / 2 + 1), literal(at / 3 + 5)));
        for count in 1..20 {
            let sets: Vec<ModeSet> = (0..count).map(set).collect();
            let unions = Unions::of(&space, sets.clone());
            for modes in (0..12).map(|at| set(at + 7)).chain([ModeSet::ALL, ModeSet::EMPTY]) {
                let expected: Vec<usize> = (0..count).filter(|&at| space.intersects(sets[at], modes)).collect();
                let mut found = Vec::new();
                unions.meeting(&space, modes, |at| found.push(at));
                found.sort_unstable();
                assert_eq!(found, expected, "{count}");
            }
        }
    }
}

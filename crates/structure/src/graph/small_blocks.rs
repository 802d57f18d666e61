//! Small blocks among equations whose blocks are too many to be listed.
//!
//! A corridor with a thousand doors has a block per set of open doors. In few of the modes some of its equations form a small
//! block of their own, and what is numerically wrong is mostly there: all doors closed leaves two equations for two
//! pressures. Such a block is found from each equation: as long as an edge on a cycle leads out of it, the modes in which
//! it does are those of a larger block, and where that is too large it is given up.

use modeshift_dae::{EquationId, IndexVec, VariableId};
use modeshift_modes::{ModeSet, ModeSpace};

use crate::graph::dependency_graph::Derivative;
use crate::{Analysis, EdgeId};

/// Blocks with more equations than this are not looked for.
pub(super) const MOST_EQUATIONS: usize = 4;
/// Cases per equation that are followed.
const MOST_CASES: usize = 64;
/// Where more equations than this are not listed, none is looked at: a second of work.
const MOST_STARTS: usize = 50_000;
/// Decision-diagram nodes that all this may make, beside some per equation.
const MOST_NODES: usize = 200_000;
const NODES_PER_EQUATION: usize = 20;

/// A block with what it is solved for, in modes in which its offsets are the same.
pub(crate) struct UnlistedBlock {
    pub(crate) guard: ModeSet,
    pub(crate) equations: Vec<Derivative<EquationId>>,
    pub(crate) writes: Vec<Derivative<VariableId>>,
}

/// The small blocks of the equations that an analysis does not list, and from how many of these not all were looked for.
pub(crate) fn small_blocks(analysis: &Analysis) -> (Vec<UnlistedBlock>, usize) {
    let not_listed = analysis.graph.not_listed();
    let nodes = analysis.space.node_count() + MOST_NODES + NODES_PER_EQUATION * not_listed.len();
    let claimed = analysis.incidence.equations().iter().map(|_| ModeSet::EMPTY).collect();
    let mut search = Search { analysis, claimed, found: Vec::new() };
    let mut not_finished = 0;
    for (at, &start) in not_listed.iter().enumerate() {
        if analysis.space.node_count() > nodes || not_listed.len() > MOST_STARTS {
            return (search.found, not_finished + not_listed.len() - at);
        }
        not_finished += usize::from(!search.from(start));
    }
    (search.found, not_finished)
}

/// Some equations and variables that belong to one block in some modes.
#[derive(Clone)]
struct Members {
    modes: ModeSet,
    equations: Vec<EquationId>,
    variables: Vec<VariableId>,
}

struct Search<'a> {
    analysis: &'a Analysis,
    /// Modes in which the block of an equation was found.
    claimed: IndexVec<EquationId, ModeSet>,
    found: Vec<UnlistedBlock>,
}

impl Search<'_> {
    fn space(&self) -> &ModeSpace {
        &self.analysis.space
    }

    /// Finds the small blocks of an equation; false where there are too many cases.
    fn from(&mut self, start: EquationId) -> bool {
        let modes = self.space().difference(self.analysis.cycles.equations[start], self.claimed[start]);
        let mut pending = vec![Members { modes, equations: vec![start], variables: Vec::new() }];
        for _ in 0..MOST_CASES {
            let Some(members) = pending.pop() else {
                return true;
            };
            if members.modes.is_empty() || members.equations.len() > MOST_EQUATIONS {
                continue;
            }
            match self.leading_out(&members) {
                None => self.add(members),
                Some((edge, inside)) => {
                    let outside = self.space().difference(members.modes, inside);
                    if !outside.is_empty() {
                        pending.push(Members { modes: outside, ..members.clone() });
                    }
                    pending.push(self.grown(members, edge, inside));
                }
            }
        }
        pending.is_empty()
    }

    /// An edge on a cycle from the members to another, with its modes: one that is there in all their modes, if there is one.
    fn leading_out(&self, members: &Members) -> Option<(EdgeId, ModeSet)> {
        let incidence = &self.analysis.incidence;
        let of_equations = members.equations.iter().flat_map(|&equation| incidence.edges_of_equation(equation));
        let out = of_equations.filter(|&edge| !members.variables.contains(&incidence.variable(edge)));
        let of_variables = members.variables.iter().flat_map(|&it| incidence.edges_of_variable(it).iter().copied());
        let back = of_variables.filter(|&edge| !members.equations.contains(&incidence.equation(edge)));
        let mut some = None;
        for edge in out.chain(back) {
            let inside = self.space().and(members.modes, self.analysis.cycles.edges[edge]);
            if inside == members.modes {
                return Some((edge, inside));
            }
            if !inside.is_empty() && some.is_none() {
                some = Some((edge, inside));
            }
        }
        some
    }

    fn grown(&self, mut members: Members, edge: EdgeId, modes: ModeSet) -> Members {
        let (equation, variable) = (self.analysis.incidence.equation(edge), self.analysis.incidence.variable(edge));
        if !members.equations.contains(&equation) {
            members.equations.push(equation);
        }
        if !members.variables.contains(&variable) {
            members.variables.push(variable);
        }
        Members { modes, ..members }
    }

    /// Adds a block, by its offsets.
    fn add(&mut self, mut members: Members) {
        members.equations.sort_unstable();
        members.variables.sort_unstable();
        for &equation in &members.equations {
            self.claimed[equation] = self.space().or(self.claimed[equation], members.modes);
        }
        self.found.extend(by_offsets(self.analysis, members.modes, &members.equations, &members.variables));
    }
}

/// A block, taken apart by its offsets.
fn by_offsets(
    analysis: &Analysis,
    guard: ModeSet,
    equations: &[EquationId],
    variables: &[VariableId],
) -> Vec<UnlistedBlock> {
    let Analysis { space, offsets, .. } = analysis;
    let mut blocks = vec![UnlistedBlock { guard, equations: Vec::new(), writes: Vec::new() }];
    for &equation in equations {
        let cases = |modes| offsets.equations[equation].cases(space, modes);
        blocks = split(blocks, cases, |block, order| block.equations.push(Derivative::new(equation, order)));
    }
    for &variable in variables {
        let cases = |modes| offsets.variables[variable].cases(space, modes);
        blocks = split(blocks, cases, |block, order| block.writes.push(Derivative::new(variable, order)));
    }
    blocks.retain(|block| block.equations.len() == block.writes.len());
    blocks
}

/// Each block by the cases of an offset.
fn split(
    blocks: Vec<UnlistedBlock>,
    cases: impl Fn(ModeSet) -> Vec<(u32, ModeSet)>,
    add: impl Fn(&mut UnlistedBlock, u32),
) -> Vec<UnlistedBlock> {
    let mut result = Vec::new();
    for block in blocks {
        for (order, guard) in cases(block.guard) {
            let (equations, writes) = (block.equations.clone(), block.writes.clone());
            let mut block = UnlistedBlock { guard, equations, writes };
            add(&mut block, order);
            result.push(block);
        }
    }
    result
}

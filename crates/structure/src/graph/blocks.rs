//! Blocks: which equations are solved together for which variables, in which modes.
//!
//! An equation that lies on no cycle is a block of its own. The others are grouped by the edges that lie on cycles: from
//! the smallest equation of a block all others are reached over these, each in some modes, and telling apart the modes by
//! who is reached gives exactly the different blocks. There can be very many of them, for example one per set of open
//! doors of a corridor; where it becomes too much, a connected group of equations is left as predicates on edges.
//!
//! RR9322 §4.6.2.

use modeshift_dae::{EquationId, IndexVec, VariableId};
use modeshift_modes::{Limit, ModeSet, ModeSpace};

use crate::matching::dulmage_mendelsohn::Parts;
use crate::{Cycles, EdgeId, Incidence, Matching};

/// Equations that are solved together for as many variables, in some modes; both ascending.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group<'a> {
    pub(crate) guard: ModeSet,
    pub(crate) equations: &'a [EquationId],
    pub(crate) variables: &'a [VariableId],
}

/// A group of several equations while its members are found.
#[derive(Clone, Debug)]
struct Members {
    guard: ModeSet,
    equations: Vec<EquationId>,
    variables: Vec<VariableId>,
}

impl Members {
    fn group(&self) -> Group<'_> {
        Group { guard: self.guard, equations: &self.equations, variables: &self.variables }
    }
}

/// How much may be listed explicitly.
#[derive(Clone, Copy, Debug)]
pub struct BlockCap {
    /// Equations and variables of all blocks that stem from one connected group of equations.
    pub members: usize,
    /// Decision-diagram nodes that telling apart the blocks of one such group may make.
    pub nodes: usize,
}

impl Default for BlockCap {
    fn default() -> Self {
        BlockCap { members: 4_000, nodes: 200_000 }
    }
}

/// What the enumeration of blocks reads.
pub(crate) struct Enumeration<'a> {
    pub(crate) space: &'a ModeSpace,
    pub(crate) incidence: &'a Incidence,
    pub(crate) matching: &'a Matching,
    pub(crate) parts: &'a Parts,
    pub(crate) cycles: &'a Cycles,
    pub(crate) cap: BlockCap,
}

/// Why a group of equations was not taken apart into blocks.
enum Stop {
    TooMany,
    Limit(Limit),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Stop::Limit(limit)
    }
}

impl Enumeration<'_> {
    /// Calls `block` with each block, and returns the equations whose blocks of several equations were too many.
    pub(crate) fn blocks(&self, mut block: impl FnMut(Group<'_>)) -> Result<Vec<EquationId>, Limit> {
        let several = self.blocks_of_several()?;
        let mut several = several.iter().peekable();
        let mut left = Vec::new();
        for equation in self.incidence.equations().ids() {
            self.single(equation, &mut block);
            while let Some(family) = several.next_if(|family| family.equations[0] == equation) {
                match &family.blocks {
                    Some(groups) => groups.iter().map(Members::group).for_each(&mut block),
                    None => left.extend(&family.equations),
                }
            }
        }
        Ok(left)
    }

    /// The blocks that consist of this equation alone: one per variable that it is solved for.
    fn single(&self, equation: EquationId, block: &mut impl FnMut(Group<'_>)) {
        let guard = self.incidence.equations()[equation].guard;
        let alone = self.space.difference(guard, self.cycles.equations[equation]);
        let alone = self.parts.square(self.space, equation, alone);
        if alone.is_empty() {
            return;
        }
        for edge in self.incidence.edges_of_equation(equation) {
            let guard = self.space.and(alone, self.matching.edges[edge]);
            if !guard.is_empty() {
                block(Group { guard, equations: &[equation], variables: &[self.incidence.variable(edge)] });
            }
        }
    }

    /// The blocks of several equations, by connected families of equations.
    fn blocks_of_several(&self) -> Result<Vec<Family>, Limit> {
        let mut families = self.families();
        let mut reach = Reach::new(self);
        for family in &mut families {
            family.blocks = match reach.blocks_of(family) {
                Ok(blocks) => Some(blocks),
                Err(Stop::TooMany) => None,
                Err(Stop::Limit(limit)) => return Err(limit),
            };
        }
        Ok(families)
    }

    fn cyclic_edges(&self, equation: EquationId) -> impl Iterator<Item = EdgeId> {
        self.incidence.edges_of_equation(equation).filter(|&edge| !self.cycles.edges[edge].is_empty())
    }

    /// Equations connected by edges that lie on a cycle in some mode; ordered by their first equation.
    fn families(&self) -> Vec<Family> {
        let mut seen: IndexVec<EquationId, bool> = self.incidence.equations().iter().map(|_| false).collect();
        let mut families = Vec::new();
        for start in self.incidence.equations().ids() {
            if seen[start] || self.cycles.equations[start].is_empty() {
                continue;
            }
            seen[start] = true;
            let mut equations = vec![start];
            let mut at = 0;
            while let Some(&equation) = equations.get(at) {
                at += 1;
                for edge in self.cyclic_edges(equation) {
                    for &other in self.incidence.edges_of_variable(self.incidence.variable(edge)) {
                        let next = self.incidence.equation(other);
                        if !self.cycles.edges[other].is_empty() && !std::mem::replace(&mut seen[next], true) {
                            equations.push(next);
                        }
                    }
                }
            }
            equations.sort_unstable();
            families.push(Family { equations, blocks: None });
        }
        families
    }
}

/// Equations among which blocks of several equations form; none of these where they are too many.
struct Family {
    equations: Vec<EquationId>,
    blocks: Option<Vec<Members>>,
}

/// The modes in which equations and variables belong to the block of one equation.
struct Reach<'a> {
    given: &'a Enumeration<'a>,
    equations: IndexVec<EquationId, ModeSet>,
    variables: IndexVec<VariableId, ModeSet>,
    reached_equations: Vec<EquationId>,
    reached_variables: Vec<VariableId>,
    /// Modes in which an equation belongs to a block that was found from a smaller one.
    claimed: IndexVec<EquationId, ModeSet>,
}

impl<'a> Reach<'a> {
    fn new(given: &'a Enumeration<'a>) -> Self {
        let equations: IndexVec<EquationId, ModeSet> =
            given.incidence.equations().iter().map(|_| ModeSet::EMPTY).collect();
        Reach {
            given,
            claimed: equations.clone(),
            equations,
            variables: given.incidence.variables().iter().map(|_| ModeSet::EMPTY).collect(),
            reached_equations: Vec::new(),
            reached_variables: Vec::new(),
        }
    }

    fn blocks_of(&mut self, family: &Family) -> Result<Vec<Members>, Stop> {
        let space = self.given.space;
        let nodes = space.node_count() + self.given.cap.nodes;
        let mut members = self.given.cap.members + 4 * family.equations.len();
        let mut blocks = Vec::new();
        for &equation in &family.equations {
            let modes = space.difference(self.given.cycles.equations[equation], self.claimed[equation]);
            if modes.is_empty() {
                continue;
            }
            let explored = self.explore(equation, modes, members, nodes);
            let split = explored.and_then(|()| self.split(modes, &mut members, &mut blocks));
            self.forget();
            split?;
            space.check()?;
        }
        Ok(blocks)
    }

    /// Reaches all that belongs to the block of `start` in some of these modes.
    fn explore(&mut self, start: EquationId, modes: ModeSet, members: usize, nodes: usize) -> Result<(), Stop> {
        let Enumeration { space, incidence, cycles, .. } = *self.given;
        let mut pending = std::collections::VecDeque::from([(start, modes)]);
        self.reach_equation(start, modes);
        while let Some((equation, modes)) = pending.pop_front() {
            for edge in self.given.cyclic_edges(equation) {
                let variable = incidence.variable(edge);
                let known = self.variables[variable];
                let new = space.difference(space.and(modes, cycles.edges[edge]), known);
                if new.is_empty() {
                    continue;
                }
                if known.is_empty() {
                    self.reached_variables.push(variable);
                }
                self.variables[variable] = space.or(known, new);
                for &other in incidence.edges_of_variable(variable) {
                    let next = incidence.equation(other);
                    let new = space.difference(space.and(new, cycles.edges[other]), self.equations[next]);
                    if !new.is_empty() {
                        self.reach_equation(next, new);
                        pending.push_back((next, new));
                    }
                }
            }
            if self.reached_equations.len() > members || space.node_count() > nodes {
                return Err(Stop::TooMany);
            }
        }
        Ok(())
    }

    fn reach_equation(&mut self, equation: EquationId, modes: ModeSet) {
        if self.equations[equation].is_empty() {
            self.reached_equations.push(equation);
        }
        self.equations[equation] = self.given.space.or(self.equations[equation], modes);
    }

    /// Tells apart `modes` by what is reached, and appends one block for each combination.
    fn split(&mut self, modes: ModeSet, members: &mut usize, blocks: &mut Vec<Members>) -> Result<(), Stop> {
        let space = self.given.space;
        self.reached_equations.sort_unstable();
        self.reached_variables.sort_unstable();
        let mut groups = vec![Members { guard: modes, equations: Vec::new(), variables: Vec::new() }];
        for &equation in &self.reached_equations {
            let inside = self.equations[equation];
            self.claimed[equation] = space.or(self.claimed[equation], inside);
            part(space, &mut groups, inside, |group| group.equations.push(equation));
            check_size(&groups, members)?;
        }
        for &variable in &self.reached_variables {
            part(space, &mut groups, self.variables[variable], |group| group.variables.push(variable));
        }
        *members -= groups.iter().map(|group| group.equations.len()).sum::<usize>();
        for group in &groups {
            let square = group.equations.len() == group.variables.len();
            assert!(square || space.check().is_err(), "a block has as many equations as variables");
        }
        blocks.append(&mut groups);
        Ok(())
    }

    fn forget(&mut self) {
        for equation in self.reached_equations.drain(..) {
            self.equations[equation] = ModeSet::EMPTY;
        }
        for variable in self.reached_variables.drain(..) {
            self.variables[variable] = ModeSet::EMPTY;
        }
    }
}

/// Parts groups by membership in `inside`, and tells those within.
fn part(space: &ModeSpace, groups: &mut Vec<Members>, inside: ModeSet, add: impl Fn(&mut Members)) {
    for at in 0..groups.len() {
        let guard = groups[at].guard;
        let within = space.and(guard, inside);
        if within.is_empty() {
            continue;
        }
        let without = space.difference(guard, inside);
        if !without.is_empty() {
            let other = Members { guard: without, ..groups[at].clone() };
            groups.push(other);
        }
        groups[at].guard = within;
        add(&mut groups[at]);
    }
}

fn check_size(groups: &[Members], members: &usize) -> Result<(), Stop> {
    // Each further equation adds to at least one group; the sum is recounted only when there are many groups.
    let few = groups.len() * groups.first().map_or(0, |group| group.equations.len()) <= *members;
    if few || groups.iter().map(|group| group.equations.len()).sum::<usize>() <= *members {
        Ok(())
    } else {
        Err(Stop::TooMany)
    }
}

//! Structural index and degrees of freedom, by modes.
//!
//! The index is Pryce's: the largest `c`, plus 1 if some `d` is 0. The degrees of freedom are the sum of all `d` minus
//! the sum of all `c`, which is the sum of the orders of the matched edges. A model of many independent parts has very
//! many different numbers of degrees of freedom, each in a set of modes that takes the whole model to describe; then
//! only bounds are given.

use modeshift_modes::{Limit, ModeSet, ModeSpace};

use crate::{Incidence, Matching, Offsets};

/// More different numbers of degrees of freedom than this are not listed.
const MOST_CASES: usize = 64;
/// Decision-diagram nodes that listing them may make.
const MOST_NODES: usize = 1_000_000;

/// A value with the modes in which it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// In which modes; never empty, and disjoint from those of the other cases.
    pub modes: ModeSet,
    /// The value there.
    pub value: u32,
}

/// The number of degrees of freedom in each mode, or between which bounds it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DegreesOfFreedom {
    /// Ascending by value; together all modes.
    Cases(Vec<Case>),
    /// At least and at most.
    Between(u32, u32),
}

/// The structural index in each mode: ascending, together all modes. In singular modes it means nothing.
pub fn structural_index(space: &ModeSpace, incidence: &Incidence, offsets: &Offsets) -> Result<Vec<Case>, Limit> {
    space.set_task("finding the structural index");
    let algebraic = incidence
        .variables()
        .iter_enumerated()
        .map(|(variable, vertex)| space.difference(vertex.guard, offsets.variables[variable].at_least(1)));
    let algebraic = union_until_all(space, algebraic);
    let highest = offsets.equations.iter().map(|offset| offset.maximum()).max().unwrap_or(0);
    let mut at_least = vec![ModeSet::ALL];
    for value in 1..=highest {
        let equations = incidence.equations().iter_enumerated();
        let levels = equations.map(|(equation, _)| offsets.equations[equation].at_least(value));
        at_least.push(union_until_all(space, levels));
    }
    at_least.push(ModeSet::EMPTY);
    let mut cases: Vec<Case> = Vec::new();
    for value in 0..=highest {
        let modes = space.difference(at_least[value as usize], at_least[value as usize + 1]);
        add_case(space, &mut cases, value, space.difference(modes, algebraic));
        add_case(space, &mut cases, value + 1, space.and(modes, algebraic));
    }
    space.check()?;
    Ok(cases)
}

fn add_case(space: &ModeSpace, cases: &mut Vec<Case>, value: u32, modes: ModeSet) {
    if modes.is_empty() {
        return;
    }
    match cases.iter_mut().find(|case| case.value == value) {
        Some(case) => case.modes = space.or(case.modes, modes),
        None => cases.push(Case { modes, value }),
    }
}

/// The union of sets most of which are the same few, or nothing.
fn union_until_all(space: &ModeSpace, sets: impl Iterator<Item = ModeSet>) -> ModeSet {
    let mut different = Vec::new();
    for set in sets {
        if set.is_all() {
            return set;
        }
        if !set.is_empty() && different.last() != Some(&set) {
            different.push(set);
        }
    }
    space.union(different)
}

/// The number of degrees of freedom in each mode. In singular modes it means nothing.
pub fn degrees_of_freedom(
    space: &ModeSpace,
    incidence: &Incidence,
    matching: &Matching,
) -> Result<DegreesOfFreedom, Limit> {
    space.set_task("counting degrees of freedom");
    let nodes = space.node_count() + MOST_NODES;
    let mut cases = vec![Case { modes: ModeSet::ALL, value: 0 }];
    for edge in incidence.edges().filter(|&edge| !matching.edges[edge].is_empty()) {
        for &(order, modes) in incidence.orders(edge).iter().filter(|(order, _)| *order > 0) {
            let modes = space.and(modes, matching.edges[edge]);
            if !modes.is_empty() {
                cases = add_in(space, &cases, order, modes);
            }
        }
        if cases.len() > MOST_CASES || space.node_count() > nodes {
            space.check()?;
            return Ok(bounds(space, incidence, matching));
        }
    }
    space.check()?;
    Ok(DegreesOfFreedom::Cases(cases))
}

/// Adds `value` to the cases in these modes.
fn add_in(space: &ModeSpace, cases: &[Case], value: u32, modes: ModeSet) -> Vec<Case> {
    let mut sum: Vec<Case> = Vec::with_capacity(cases.len() + 1);
    for case in cases {
        add_case(space, &mut sum, case.value, space.difference(case.modes, modes));
        add_case(space, &mut sum, case.value + value, space.and(case.modes, modes));
    }
    sum.sort_by_key(|case| case.value);
    sum
}

/// The sums of the smallest and of the largest order that each equation can have in the matching.
fn bounds(space: &ModeSpace, incidence: &Incidence, matching: &Matching) -> DegreesOfFreedom {
    let (mut least, mut most) = (0, 0);
    for (equation, vertex) in incidence.equations().iter_enumerated() {
        let mut orders: Vec<u32> = Vec::new();
        let mut matched = ModeSet::EMPTY;
        for edge in incidence.edges_of_equation(equation).filter(|&edge| !matching.edges[edge].is_empty()) {
            matched = space.or(matched, matching.edges[edge]);
            let orders_of_edge = incidence.orders(edge).iter();
            orders.extend(
                orders_of_edge.filter(|(_, modes)| space.intersects(*modes, matching.edges[edge])).map(|it| it.0),
            );
        }
        let always = !vertex.guard.is_empty() && matched.is_all();
        least += if always { orders.iter().min().copied().unwrap_or(0) } else { 0 };
        most += orders.iter().max().copied().unwrap_or(0);
    }
    DegreesOfFreedom::Between(least, most)
}

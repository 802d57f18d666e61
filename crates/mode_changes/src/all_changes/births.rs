//! New constraints that only say where a state begins.
//!
//! A capacitor that is connected by entering a state of a machine, and of which nothing says how it is charged, has the voltage of
//! what it is connected to: the constraint holds at left limits, because the new variable is born so, and nothing jumps for
//! it. Found one after the other: a constraint all of whose limits are known but one, which did not exist before, gives that one. Of
//! these, the ones count that lead to a limit which is remembered from then on.

use std::collections::BTreeMap;

use modeshift_dae::{Derivative, EquationId, VariableId};
use modeshift_modes::ModeSet;
use modeshift_structure::Analysis;

use super::left_limits::InPairs;
use super::space::PairSpace;

/// Constraints with more limits that did not exist before are left as they are: every one of these is compared with all others.
const MOST_LIMITS: usize = 16;

/// The constraints without the pairs in which they are such. `may_begin` says of which variables: those of states that have no value of their
/// own to begin with. `remembered` are limits that follow from constraints and enter restarts.
pub(super) fn without_births(
    pairs: &PairSpace,
    analysis: &Analysis,
    may_begin: &dyn Fn(VariableId) -> bool,
    remembered: &[InPairs<VariableId>],
    constraints: Vec<InPairs<EquationId>>,
) -> Vec<InPairs<EquationId>> {
    let mut needed: BTreeMap<Derivative<VariableId>, ModeSet> = BTreeMap::new();
    for limit in remembered.iter().filter(|limit| may_begin(limit.of)) {
        needed.insert(limit.derivative(), limit.pairs);
    }
    if needed.is_empty() {
        return constraints;
    }
    let space = &pairs.space;
    let incidence = &analysis.incidence;
    let born = |variable: VariableId| {
        let guard = incidence.variables()[variable].guard;
        match may_begin(variable) {
            true => space.difference(pairs.after(guard), pairs.before(guard)),
            false => ModeSet::EMPTY,
        }
    };
    // By limit: where it is open, and who asks for it.
    let mut open: BTreeMap<Derivative<VariableId>, (ModeSet, Vec<usize>)> = BTreeMap::new();
    let mut limits: Vec<Vec<(Derivative<VariableId>, ModeSet)>> = Vec::new();
    for (number, constraint) in constraints.iter().enumerate() {
        let mut contained = Vec::new();
        for edge in incidence.edges_of_equation(constraint.of) {
            let variable = incidence.variable(edge);
            let is_born = born(variable);
            for &(order, modes) in incidence.orders(edge).iter().filter(|_| !is_born.is_empty()) {
                let there = space.and(constraint.pairs, pairs.after(modes));
                let limit = Derivative::new(variable, order + constraint.order);
                if space.intersects(there, is_born) {
                    open.entry(limit).or_insert((is_born, Vec::new())).1.push(number);
                    contained.push((limit, there));
                }
            }
        }
        // Sums over very many elements are none that a single one is born by.
        contained.truncate(if contained.len() > MOST_LIMITS { 0 } else { MOST_LIMITS });
        limits.push(contained);
    }
    // Which constraint gives what, in which pairs, in the order in which that is found.
    let mut given_by: Vec<(usize, usize, ModeSet)> = Vec::new();
    let mut free: Vec<ModeSet> = constraints.iter().map(|constraint| constraint.pairs).collect();
    let mut pending: Vec<usize> = (0..free.len()).rev().filter(|&number| !limits[number].is_empty()).collect();
    while let Some(number) = pending.pop() {
        for at in 0..limits[number].len() {
            let (limit, there) = limits[number][at];
            let others = limits[number].iter().enumerate().filter(|&(other, _)| other != at);
            let others = others.map(|(_, &(other, there))| space.and(there, open[&other].0));
            let alone = space.difference(space.and(there, free[number]), space.union(others));
            let given = space.and(alone, open[&limit].0);
            if given.is_empty() {
                continue;
            }
            free[number] = space.difference(free[number], given);
            given_by.push((number, at, given));
            if let Some((is_open, asking)) = open.get_mut(&limit) {
                *is_open = space.difference(*is_open, given);
                pending.extend(asking.iter().copied().filter(|&other| other != number));
            }
        }
    }
    let mut left = constraints;
    for (number, at, given) in given_by.into_iter().rev() {
        let used = needed.get(&limits[number][at].0).map_or(ModeSet::EMPTY, |&needed| space.and(needed, given));
        if used.is_empty() {
            continue;
        }
        left[number].pairs = space.difference(left[number].pairs, used);
        for &(other, there) in &limits[number] {
            let known = needed.entry(other).or_insert(ModeSet::EMPTY);
            *known = space.or(*known, space.and(used, there));
        }
    }
    left.retain(|constraint| !constraint.pairs.is_empty());
    left
}

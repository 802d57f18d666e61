//! The papers' way to one matching per mode, as a baseline: all matchings of all modes as one Boolean function.
//!
//! One Boolean variable per edge beside the mode variables; the function of all perfect matchings; its restriction to
//! those of maximum weight, digit by digit; and the choice of one per mode. RR9322 §4.4, equations 5 to 7 and Table 2.

use std::collections::BTreeMap;
use std::time::Duration;

use modeshift_modes::{Limit, ModeSet, ModeSpace, ModeVariable, TimeLimit};

use super::scalable::{Literal, Plan};

/// An edge: its Boolean variable, and the modes in which it has each order.
struct Edge {
    chosen: ModeVariable,
    equation: u32,
    variable: u32,
    orders: Vec<(u32, ModeSet)>,
}

/// Chooses one perfect matching of maximum weight per mode; returns how many nodes there were in the end.
pub fn choose_matchings(plan: &Plan, time: Duration) -> Result<usize, Limit> {
    let chain = Chain::new(plan);
    chain.space.set_time_limit(TimeLimit::from_now(time));
    chain.space.set_node_limit(50_000_000);
    chain.space.set_task("following the papers");
    let perfect = chain.perfect_matchings(plan);
    chain.space.check()?;
    let heaviest = chain.heaviest(perfect);
    chain.space.check()?;
    chain.one_per_mode(heaviest)?;
    Ok(chain.space.node_count())
}

struct Chain {
    space: ModeSpace,
    edges: Vec<Edge>,
}

impl Chain {
    /// Edges and mode variables in the order of the equations that they occur in.
    fn new(plan: &Plan) -> Chain {
        let modes = plan.modes.len() as u32;
        let pairs = pairs(plan);
        let mut order = Vec::new();
        let mut placed = vec![false; plan.modes.len()];
        for (at, (equation, variable)) in pairs.iter().enumerate() {
            let guards = [plan.equations[*equation as usize].guard, plan.variables[*variable as usize].1];
            let terms = plan.equations[*equation as usize].terms.iter().map(|term| term.2);
            for (mode, _) in guards.into_iter().chain(terms).flatten() {
                if !std::mem::replace(&mut placed[mode as usize], true) {
                    order.push(ModeVariable(mode));
                }
            }
            order.push(ModeVariable(modes + at as u32));
        }
        order.extend((0..modes).filter(|&mode| !placed[mode as usize]).map(ModeVariable));
        let space = ModeSpace::with_order(order);
        let edges = pairs.iter().enumerate().map(|(at, &(equation, variable))| Edge {
            chosen: ModeVariable(modes + at as u32),
            equation,
            variable,
            orders: orders(&space, plan, equation, variable),
        });
        let edges = edges.collect();
        Chain { space, edges }
    }

    /// X: equations and variables have exactly one edge where they are there, and edges are active.
    fn perfect_matchings(&self, plan: &Plan) -> ModeSet {
        let space = &self.space;
        let mut constraints = Vec::new();
        for (at, equation) in plan.equations.iter().enumerate() {
            let edges = self.edges.iter().filter(|edge| edge.equation as usize == at);
            constraints.push(space.or(!literal(space, equation.guard), self.exactly_one(edges)));
        }
        for (at, variable) in plan.variables.iter().enumerate() {
            let edges = self.edges.iter().filter(|edge| edge.variable as usize == at);
            constraints.push(space.or(!literal(space, variable.1), self.exactly_one(edges)));
        }
        for edge in &self.edges {
            let active = space.union(edge.orders.iter().map(|&(_, modes)| modes));
            constraints.push(space.or(!space.literal(edge.chosen), active));
        }
        for literals in &plan.invariants {
            constraints.push(space.union(literals.iter().map(|&it| literal(space, Some(it)))));
        }
        space.intersection(constraints)
    }

    fn exactly_one<'e>(&self, edges: impl Iterator<Item = &'e Edge>) -> ModeSet {
        let (mut none, mut one) = (ModeSet::ALL, ModeSet::EMPTY);
        for edge in edges {
            let chosen = self.space.literal(edge.chosen);
            one = self.space.ite(chosen, none, one);
            none = self.space.difference(none, chosen);
        }
        one
    }

    /// S: of the matchings those whose weight, a binary number, is largest in their mode.
    fn heaviest(&self, matchings: ModeSet) -> ModeSet {
        let chosen: Vec<ModeVariable> = self.edges.iter().map(|edge| edge.chosen).collect();
        self.weight().into_iter().rev().fold(matchings, |matchings, digit| {
            let largest = self.space.exists(self.space.and(matchings, digit), &chosen);
            self.space.difference(matchings, self.space.xor(digit, largest))
        })
    }

    /// ω: the digits of the sum of the orders of chosen edges, the lowest first.
    fn weight(&self) -> Vec<ModeSet> {
        let mut digits: Vec<ModeSet> = Vec::new();
        for edge in &self.edges {
            for &(order, modes) in &edge.orders {
                for _ in 0..order {
                    let mut carry = self.space.and(modes, self.space.literal(edge.chosen));
                    for digit in &mut digits {
                        let sum = self.space.xor(*digit, carry);
                        carry = self.space.and(*digit, carry);
                        *digit = sum;
                    }
                    if !carry.is_empty() {
                        digits.push(carry);
                    }
                }
            }
        }
        digits
    }

    /// T: edge by edge, keeps of the matchings those with the edge in the modes in which there are such.
    fn one_per_mode(&self, mut matchings: ModeSet) -> Result<(), Limit> {
        let chosen: Vec<ModeVariable> = self.edges.iter().map(|edge| edge.chosen).collect();
        for edge in &self.edges {
            let with = self.space.literal(edge.chosen);
            let possible = self.space.exists(self.space.and(matchings, with), &chosen);
            matchings = self.space.difference(matchings, self.space.xor(with, possible));
            self.space.check()?;
        }
        Ok(())
    }
}

/// The different pairs of an equation and a variable in it.
fn pairs(plan: &Plan) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for (at, equation) in plan.equations.iter().enumerate() {
        let mut variables: Vec<u32> = equation.terms.iter().map(|term| term.0).collect();
        variables.sort_unstable();
        variables.dedup();
        pairs.extend(variables.into_iter().map(|variable| (at as u32, variable)));
    }
    pairs
}

/// The orders with which a variable occurs in an equation, highest first, with disjoint modes.
fn orders(space: &ModeSpace, plan: &Plan, equation: u32, variable: u32) -> Vec<(u32, ModeSet)> {
    let (one, other) = (plan.equations[equation as usize].guard, plan.variables[variable as usize].1);
    let both = space.and(literal(space, one), literal(space, other));
    let mut by_order: BTreeMap<u32, ModeSet> = BTreeMap::new();
    for &(_, order, condition) in plan.equations[equation as usize].terms.iter().filter(|term| term.0 == variable) {
        let modes = by_order.entry(order).or_insert(ModeSet::EMPTY);
        *modes = space.or(*modes, space.and(both, literal(space, condition)));
    }
    let mut covered = ModeSet::EMPTY;
    let highest_first = by_order.into_iter().rev().map(|(order, modes)| {
        let new = space.difference(modes, covered);
        covered = space.or(covered, modes);
        (order, new)
    });
    highest_first.collect()
}

fn literal(space: &ModeSpace, literal: Option<Literal>) -> ModeSet {
    literal.map_or(ModeSet::ALL, |(mode, value)| space.assignment(ModeVariable(mode), value))
}

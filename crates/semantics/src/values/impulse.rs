//! Impulse analysis (RR8933 A.1) and the dominant terms of resets (A.2), for generic coefficients.
//!
//! The incidence of a system says which variables an equation has, not with which coefficients. For almost all
//! coefficients a run does the same, so it is computed for some that have no pattern: every equation is linear with
//! generic numbers, values are series in ∂ ([`Series`]), and each block of a run is solved. The order of a variable
//! is that of its series; it is impulsive where that is positive, and jumps where the difference to its value before has
//! order 0.
//!
//! The past is smooth: the instant before a change begins on a trajectory of the mode before, whose derivatives are
//! finite and satisfy its constraints, so that `x•` is `x + ∂ x'`.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::{Change, ChangeEnd};
use crate::domain::{Body, Shifted, Unknown};
use crate::graph::{Class, Graph};
use crate::micro_step::MicroStep;
use crate::run::Trace;
use crate::series::{PRIME, Series, generic, inverse, multiply, solve};
use crate::sigma::Offsets;
use crate::system::DifferenceSystem;

/// Values of variables in one instant, each with how often it is shifted.
pub type Values = BTreeMap<Shifted<Unknown>, Series>;

/// What a mode change does to variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Variables with impulses, with their orders.
    pub impulsive: BTreeMap<Unknown, i32>,
    /// Variables that jump and have no impulse.
    pub jumps: BTreeSet<Unknown>,
    /// Blocks of the new mode in which a leading derivative is impulsive: the equations that say where states restart.
    pub restart: BTreeSet<Body>,
    /// The variables of these blocks.
    pub restarted: BTreeSet<Unknown>,
}

/// The number of ways to choose, for small numbers.
fn binomial(n: u32, k: u32) -> u64 {
    (0..u64::from(k)).fold(1, |product, at| product * (u64::from(n) - at) / (at + 1))
}

/// `a` or `-a`
fn signed(a: u64, is_negative: bool) -> u64 {
    if is_negative { (PRIME - a) % PRIME } else { a }
}

/// The coefficient of a derivative in a body.
fn coefficient(body: Body, unknown: Unknown, order: u32) -> u64 {
    generic([1, u64::from(body.0), u64::from(unknown.0), u64::from(order)])
}

/// What a body has beside its variables, and how fast that changes with time.
fn input(body: Body, order: u32) -> u64 {
    if order > 1 { 0 } else { generic([2, u64::from(body.0), u64::from(order), 0]) }
}

/// An equation as a row: its variables with coefficients, and the rest. The instant is counted from the first.
fn row(system: &DifferenceSystem, equation: Shifted<Body>, instant: u32) -> (Values, Series) {
    let mut entries = Values::new();
    for entry in &system.bodies[equation.of].incidence {
        for order in 0..=entry.highest - entry.lowest {
            let factor = coefficient(equation.of, entry.unknown, order);
            for place in 0..=order {
                let weight = multiply(factor, signed(binomial(order, place), (order - place) % 2 == 1));
                let variable = Shifted::new(entry.unknown, entry.lowest + equation.shift + place);
                let term = Series::monomial(weight, -(order as i32));
                let sum = entries.get(&variable).map_or(term.clone(), |known| known + &term);
                entries.insert(variable, sum);
            }
        }
    }
    let time = u64::from(instant + equation.shift);
    let slope = Series::monomial(multiply(input(equation.of, 1), time), 1);
    (entries, &Series::monomial(input(equation.of, 0), 0) + &slope)
}

/// The values behind a run, from those it begins with; nothing where a block is singular even for generic numbers.
fn after_run(system: &DifferenceSystem, steps: &[MicroStep], before: &Values, instant: u32) -> Option<Values> {
    let mut values = before.clone();
    for block in steps.iter().filter_map(|step| if let MicroStep::Block(block) = step { Some(block) } else { None }) {
        let mut matrix = Vec::new();
        let mut right = Vec::new();
        for &equation in &block.equations {
            let (entries, rest) = row(system, equation, instant);
            let mut constant = &Series::zero() - &rest;
            for (variable, factor) in &entries {
                if !block.variables.contains(variable) {
                    constant = &constant - &(factor * values.get(variable)?);
                }
            }
            let entry = |variable| entries.get(variable).cloned().unwrap_or_else(Series::zero);
            matrix.push(block.variables.iter().map(entry).collect());
            right.push(constant);
        }
        values.extend(block.variables.iter().copied().zip(solve(matrix, right)?));
    }
    Some(values)
}

/// What is known in the next instant.
fn ticked(values: &Values) -> Values {
    values.iter().filter_map(|(variable, value)| Some((variable.previous()?, value.clone()))).collect()
}

/// Values on a smooth trajectory of a mode: derivatives below the leading ones that satisfy the hidden constraints.
fn consistent(system: &DifferenceSystem, offsets: &Offsets) -> Option<Values> {
    let states =
        offsets.variables.iter().flat_map(|(&of, &offset)| (0..offset).map(move |shift| Shifted { of, shift }));
    let states: Vec<Shifted<Unknown>> = states.collect();
    let mut rows: Vec<Vec<u64>> = Vec::new();
    for (&body, &offset) in &offsets.equations {
        for derivative in 0..offset {
            let mut row = vec![0; states.len() + 1];
            for entry in &system.bodies[body].incidence {
                for order in 0..=entry.highest {
                    let state = Shifted::new(entry.unknown, order + derivative);
                    row[states.binary_search(&state).ok()?] = coefficient(body, entry.unknown, order);
                }
            }
            row[states.len()] = input(body, derivative);
            rows.push(row);
        }
    }
    let derivatives = solve_with_generic(rows, &states)?;
    let value = |variable: &Shifted<Unknown>| {
        // x•m = Σ binom(m, i) ∂^i x^(i)
        let term = |order: u32| {
            let place = states.binary_search(&Shifted::new(variable.of, order)).expect("a state");
            Series::monomial(multiply(derivatives[place], binomial(variable.shift, order)), order as i32)
        };
        (0..=variable.shift).map(term).fold(Series::zero(), |sum, term| &sum + &term)
    };
    Some(states.iter().map(|variable| (*variable, value(variable))).collect())
}

/// Numbers that satisfy linear equations `Σ a x + b = 0`, generic where these leave them free.
fn solve_with_generic(mut rows: Vec<Vec<u64>>, states: &[Shifted<Unknown>]) -> Option<Vec<u64>> {
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..states.len() {
        let done = pivots.len();
        let Some(pivot) = (done..rows.len()).find(|&row| rows[row][column] != 0) else { continue };
        rows.swap(done, pivot);
        let scale = inverse(rows[done][column]);
        rows[done].iter_mut().for_each(|entry| *entry = multiply(*entry, scale));
        for row in (0..rows.len()).filter(|&row| row != done) {
            let factor = signed(rows[row][column], true);
            let pivot = rows[done].clone();
            for (entry, &by) in rows[row].iter_mut().zip(&pivot) {
                *entry = (*entry + multiply(factor, by)) % PRIME;
            }
        }
        pivots.push(column);
    }
    if rows[pivots.len()..].iter().any(|row| row[states.len()] != 0) {
        return None;
    }
    let free = |state: &Shifted<Unknown>| generic([3, u64::from(state.of.0), u64::from(state.shift), 0]);
    let mut values: Vec<u64> = states.iter().map(free).collect();
    for (row, &pivot) in rows.iter().zip(&pivots) {
        let others = (0..states.len()).filter(|&column| column != pivot);
        let sum = others.fold(row[states.len()], |sum, column| (sum + multiply(row[column], values[column])) % PRIME);
        values[pivot] = signed(sum, true);
    }
    Some(values)
}

/// The `order`-th difference quotient of a variable.
fn quotient(values: &Values, unknown: Unknown, order: u32) -> Option<Series> {
    let mut sum = Series::zero();
    for place in 0..=order {
        let weight = signed(binomial(order, place), (order - place) % 2 == 1);
        let value = values.get(&Shifted::new(unknown, place))?;
        sum = &sum + &(&Series::monomial(weight, -(order as i32)) * value);
    }
    Some(sum)
}

fn is_impulsive(value: &Series) -> bool {
    value.order().is_some_and(|order| order > 0)
}

impl Graph {
    /// What a change does; nothing where it does not get to the continuous dynamics of the new mode.
    pub fn effects(&self, change: &Change) -> Option<Effects> {
        let offsets = self.offsets[change.after].as_ref().filter(|_| change.end == ChangeEnd::Continuous)?;
        let instants = self.values_along(change)?;
        let (first, resets) = instants.split_first()?;
        let mut effects = Effects::default();
        for (variable, value) in resets.iter().flatten().filter(|(_, value)| is_impulsive(value)) {
            let order = effects.impulsive.entry(variable.of).or_insert(0);
            *order = value.order().map_or(*order, |it| it.max(*order));
        }
        let last = resets.last()?;
        for &unknown in offsets.variables.keys().filter(|unknown| !effects.impulsive.contains_key(unknown)) {
            if self.jumps(first, last, unknown, 0) {
                effects.jumps.insert(unknown);
            }
        }
        self.restart_blocks(change, &instants, offsets, &mut effects);
        Some(effects)
    }

    /// Whether a difference quotient is another one, by more than something infinitesimal.
    fn jumps(&self, before: &Values, after: &Values, unknown: Unknown, order: u32) -> bool {
        let (before, after) = (quotient(before, unknown, order), quotient(after, unknown, order));
        match (before, after) {
            (Some(before), Some(after)) => (&after - &before).order().is_some_and(|order| order >= 0),
            _ => false,
        }
    }

    fn restart_blocks(&self, change: &Change, instants: &[Values], offsets: &Offsets, effects: &mut Effects) {
        // Compared is with the first instant of the change: it knows the states of the mode before, and what the past
        // does not say of the states of the new mode is born there, from constraints.
        let (Some(trace), [_, first, ..], Some(last)) = (change.instants.last(), instants, instants.last()) else {
            return;
        };
        let resets = &instants[1..];
        let leading_is_impulsive = |unknown: Unknown| match offsets.variables.get(&unknown) {
            None => false,
            Some(0) => effects.impulsive.contains_key(&unknown),
            Some(&offset) => {
                let impulse =
                    |values: &Values| quotient(values, unknown, offset - 1).is_some_and(|it| is_impulsive(&it));
                self.jumps(first, last, unknown, offset - 1) || resets.iter().any(impulse)
            }
        };
        for block in blocks_of(trace) {
            if block.variables.iter().any(|variable| leading_is_impulsive(variable.of)) {
                effects.restart.extend(block.equations.iter().map(|equation| equation.of));
                effects.restarted.extend(block.variables.iter().map(|variable| variable.of));
            }
        }
    }

    /// The values of an instant of the mode before, and of each instant of a change.
    fn values_along(&self, change: &Change) -> Option<Vec<Values>> {
        let offsets = self.offsets[change.before].as_ref()?;
        let start = consistent(&self.system, offsets)?;
        let steady = self.run_from(self.starts[&change.before], change.before)?;
        let mut all = vec![after_run(&self.system, &self.runs[steady].steps, &start, 0)?];
        for (place, trace) in change.instants.iter().enumerate() {
            let values = ticked(all.last()?);
            all.push(after_run(&self.system, &trace.steps, &values, place as u32 + 1)?);
        }
        Some(all)
    }

    /// By run, the variables with impulses, with their orders: from the values with which its beginning is first met.
    /// Nothing for runs that fail, and where blocks are singular even for generic numbers.
    pub fn impulses(&self) -> Vec<Option<BTreeMap<Unknown, i32>>> {
        let met_by = self.met_by();
        let mut begins: Vec<Option<(Values, u32)>> = vec![None; self.beginnings.len()];
        for (&mode, &start) in &self.starts {
            if begins[start].is_none() {
                let offsets = self.offsets[mode].as_ref();
                begins[start] = offsets.and_then(|offsets| Some((consistent(&self.system, offsets)?, 0)));
            }
        }
        let mut impulses = vec![None; self.runs.len()];
        for (number, run) in self.runs.iter().enumerate() {
            let Some((values, instant)) = begins[run.from].clone() else { continue };
            let Some(values) = after_run(&self.system, &run.steps, &values, instant) else { continue };
            let Ok(to) = run.to else { continue };
            let mut orders = BTreeMap::new();
            for (variable, value) in values.iter().filter(|(_, value)| is_impulsive(value)) {
                let order = orders.entry(variable.of).or_insert(0);
                *order = value.order().map_or(*order, |it| it.max(*order));
            }
            impulses[number] = Some(orders);
            if begins[to].is_none() && met_by[to] == Some(number) {
                begins[to] = Some((ticked(&values), instant + 1));
            }
        }
        impulses
    }
}

impl Graph {
    /// What each run is: by its colour in Fig. 3.
    pub fn classes(&self) -> Vec<Class> {
        let impulses = self.impulses();
        let class = |number: usize| match &self.runs[number].to {
            Err(_) => Class::Failed,
            Ok(_) if self.is_continuous(number) => Class::Continuous,
            Ok(_) if impulses[number].as_ref().is_some_and(|orders| !orders.is_empty()) => Class::Impulsive,
            Ok(_) => Class::Discrete,
        };
        (0..self.runs.len()).map(class).collect()
    }
}

/// The blocks that a run solves.
fn blocks_of(trace: &Trace) -> impl Iterator<Item = &crate::EvaluateBlock> {
    trace.steps.iter().filter_map(|step| if let MicroStep::Block(block) = step { Some(block) } else { None })
}

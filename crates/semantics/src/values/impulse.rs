//! Impulse analysis (RR8933 A.1) and the dominant terms of resets (A.2), for generic coefficients.
//!
//! Each block of a run is solved for series in ∂ (`linear`). The order of a variable is that of its series; it is
//! impulsive where that is positive, and jumps where the difference to its value before has order 0.
//!
//! The past is smooth: a change begins on a trajectory of the mode before, whose derivatives are finite and satisfy its
//! constraints, so that `x•` is `x + ∂ x'`.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::{Change, ChangeEnd};
use crate::domain::{Body, Shifted, Unknown};
use crate::graph::{Class, Graph};
use crate::micro_step::MicroStep;
use crate::run::{Beginning, Trace};
use crate::sigma::Offsets;
use crate::values::linear::{Jet, Values, after_run, left_limits, on_trajectory, quotient, ticked};
use crate::values::series::Series;

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

/// Values along a change.
#[derive(Clone, Debug)]
pub struct Course {
    /// Left limits: what the mode before computed.
    pub left: Jet,
    /// By instant.
    pub instants: Vec<Values>,
}

fn is_impulsive(value: &Series) -> bool {
    value.order().is_some_and(|order| order > 0)
}

/// The values that a beginning knows, on a smooth trajectory.
fn beginning_values(beginning: &Beginning, jet: &Jet) -> Option<Values> {
    beginning.known.iter().map(|&variable| Some((variable, on_trajectory(jet, variable)?))).collect()
}

impl Graph {
    /// The values of each instant of a change, as far as it gets.
    pub fn course(&self, change: &Change) -> Option<Course> {
        let left = left_limits(&self.system, self.offsets[change.before].as_ref()?)?;
        let mut instants: Vec<Values> = Vec::new();
        let mut values = beginning_values(&change.start, change.memory.as_ref().unwrap_or(&left))?;
        for (place, trace) in change.instants.iter().enumerate() {
            let after = after_run(&self.system, &trace.steps, &values, place as u32)?;
            values = ticked(&after);
            instants.push(after);
        }
        Some(Course { left, instants })
    }

    /// What a change does; nothing where it does not get to the continuous dynamics of the new mode.
    pub fn effects(&self, change: &Change) -> Option<Effects> {
        let offsets = self.offsets[change.after].as_ref().filter(|_| change.end == ChangeEnd::Continuous)?;
        let course = self.course(change)?;
        let mut effects = Effects::default();
        for (variable, value) in course.instants.iter().flatten().filter(|(_, value)| is_impulsive(value)) {
            let order = effects.impulsive.entry(variable.of).or_insert(0);
            *order = value.order().map_or(*order, |it| it.max(*order));
        }
        let last = course.instants.last()?;
        for &unknown in offsets.variables.keys().filter(|unknown| !effects.impulsive.contains_key(unknown)) {
            let left = course.left.get(&Shifted::new(unknown, 0)).map(|&value| Series::monomial(value, 0));
            if differs(left, quotient(last, unknown, 0)) {
                effects.jumps.insert(unknown);
            }
        }
        self.restart_blocks(change, &course.instants, offsets, &mut effects);
        Some(effects)
    }

    fn restart_blocks(&self, change: &Change, instants: &[Values], offsets: &Offsets, effects: &mut Effects) {
        // Compared is with the first instant of the change: it knows the states of the mode before, and what the past
        // does not say of the states of the new mode is born there, from constraints.
        let (Some(trace), [first, ..], Some(last)) = (change.instants.last(), instants, instants.last()) else {
            return;
        };
        let leading_is_impulsive = |unknown: Unknown| match offsets.variables.get(&unknown) {
            None => false,
            Some(0) => effects.impulsive.contains_key(&unknown),
            Some(&offset) => {
                let state = |values: &Values| quotient(values, unknown, offset - 1);
                let impulse = |values: &Values| state(values).is_some_and(|it| is_impulsive(&it));
                differs(state(first), state(last)) || instants.iter().any(impulse)
            }
        };
        for block in blocks_of(trace) {
            if block.variables.iter().any(|variable| leading_is_impulsive(variable.of)) {
                effects.restart.extend(block.equations.iter().map(|equation| equation.of));
                effects.restarted.extend(block.variables.iter().map(|variable| variable.of));
            }
        }
    }

    /// By run, the variables with impulses, with their orders: from the values with which its beginning is first met.
    /// Nothing for runs that fail, and where blocks are singular even for generic numbers.
    pub fn impulses(&self) -> Vec<Option<BTreeMap<Unknown, i32>>> {
        let met_by = self.met_by();
        let mut begins: Vec<Option<(Values, u32)>> = vec![None; self.beginnings.len()];
        for (&mode, &start) in self.starts.iter() {
            if begins[start].is_none() {
                let left = self.offsets[mode].as_ref().and_then(|offsets| left_limits(&self.system, offsets));
                begins[start] = left.and_then(|left| Some((beginning_values(&self.beginnings[start], &left)?, 0)));
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

/// Whether two values differ by more than something infinitesimal, where both are known.
fn differs(one: Option<Series>, other: Option<Series>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => (&one - &other).order().is_some_and(|order| order >= 0),
        _ => false,
    }
}

impl Graph {
    /// What each run is, by its colour in Fig. 3.
    pub fn classes(&self) -> Vec<Class> {
        self.classes_by(&self.impulses())
    }

    /// The same where impulses are known.
    pub fn classes_by(&self, impulses: &[Option<BTreeMap<Unknown, i32>>]) -> Vec<Class> {
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
pub(crate) fn blocks_of(trace: &Trace) -> impl Iterator<Item = &crate::EvaluateBlock> {
    trace.steps.iter().filter_map(|step| if let MicroStep::Block(block) = step { Some(block) } else { None })
}

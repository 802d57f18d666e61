//! Right limits and weights of a mode change, computed twice with the same generic coefficients: along the runs of the
//! constructive semantics, as standard parts of series in ∂, and by the restart of `mode_changes`, as distributions.

use std::collections::BTreeMap;

use modeshift_dae::{IndexVec, MultimodeDae};
use modeshift_mode_changes::{Jet, Noise, Partial, Past, Residuals, restart};
use modeshift_semantics::{
    Body, Change, Course, DifferenceSystem, Graph, Series, Shifted, Unknown, coefficient, input, left_limits, quotient,
};
use modeshift_structure::Analysis;
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

/// What a change leads to: right limits by variable and derivative, weights by variable and derivative of the impulse.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Numbers {
    pub right: BTreeMap<(String, u32), f64>,
    pub weights: BTreeMap<(String, u32), f64>,
}

/// Two computations in floating point may differ by so much, relative to their results, and by so much of the largest of
/// all numbers of the change, where terms cancel. The systems have at most a few dozen unknowns, solved in sequence.
const RELATIVE: f64 = 1e-6;
const OF_LARGEST: f64 = 1e-9;

impl Numbers {
    /// Whether two are the same but for rounding.
    pub fn agree_with(&self, other: &Numbers) -> bool {
        let pairs = [(&self.right, &other.right), (&self.weights, &other.weights)];
        pairs.into_iter().all(|(one, other)| {
            let all = || one.values().chain(other.values());
            let largest = all().fold(0.0_f64, |largest, value| largest.max(value.abs()));
            let at = |map: &BTreeMap<(String, u32), f64>, key| map.get(key).copied().unwrap_or(0.0);
            one.keys().chain(other.keys()).all(|key| {
                let (one, other) = (at(one, key), at(other, key));
                (one - other).abs() <= RELATIVE * one.abs().max(other.abs()) + OF_LARGEST * largest
            })
        })
    }
}

/// Along the runs of a change; nothing where it does not get to the new mode.
pub fn of_course(graph: &Graph, change: &Change) -> Option<Numbers> {
    let course = graph.course(change)?;
    let offsets = graph.offsets[change.after].as_ref()?;
    let last = course.instants.last()?;
    let mut numbers = Numbers::default();
    for (&unknown, &offset) in &offsets.variables {
        let name = graph.system.unknowns[unknown].name.to_string();
        for order in 0..=offset {
            numbers.right.insert((name.clone(), order), quotient(last, unknown, order)?.standard_part()?);
        }
        for (order, weight) in weights(&course, unknown).into_iter().enumerate() {
            numbers.weights.insert((name.clone(), order as u32), weight);
        }
    }
    Some(numbers)
}

/// The weight of the `p`-th derivative of an impulse is its `p`-th moment, up to sign and factorial: a sum over instants.
fn weights(course: &Course, unknown: Unknown) -> Vec<f64> {
    let values = || course.instants.iter().filter_map(|values| values.get(&Shifted::new(unknown, 0)));
    let highest = values().filter_map(Series::order).max().unwrap_or(0).max(0);
    let weight = |p: i32| {
        let factor = (1..=p).fold(1.0, |product, k| -product / f64::from(k));
        let moments =
            values().enumerate().map(|(instant, value)| (instant as f64).powi(p) * value.coefficient(-(p + 1)));
        factor * moments.sum::<f64>()
    };
    (0..highest).map(weight).collect()
}

/// A mode with generic coefficients.
struct Generic<'a> {
    system: &'a DifferenceSystem,
    bodies: IndexVec<Row, Body>,
    columns: BTreeMap<Unknown, Column>,
}

impl Residuals for Generic<'_> {
    fn residual(&self, row: Row, jet: &Jet, highest: u32) -> Vec<f64> {
        let derivative = |times: u32| {
            let partials = self.partials(row, jet, 0);
            let terms = partials.iter().map(|it| it.derivatives[0] * jet.get(it.column, it.order + times));
            terms.sum::<f64>() + input(self.bodies[row], times).value()
        };
        (0..=highest).map(derivative).collect()
    }

    fn partials(&self, row: Row, _: &Jet, highest: u32) -> Vec<Partial> {
        let body = self.bodies[row];
        let of_entry = |entry: &modeshift_semantics::Incidence| {
            let (unknown, column) = (entry.unknown, self.columns[&entry.unknown]);
            let partial = move |order| {
                let mut derivatives = vec![0.0; highest as usize + 1];
                derivatives[0] = coefficient(body, unknown, order).value();
                Partial { column, order, derivatives }
            };
            (0..=entry.highest).map(partial).collect::<Vec<_>>()
        };
        self.system.bodies[body].incidence.iter().flat_map(of_entry).collect()
    }

    fn is_linear(&self, _: Row) -> bool {
        true
    }
}

/// The restart of `mode_changes`; nothing where it could not be solved.
pub fn of_restart(dae: &MultimodeDae, analysis: &Analysis, graph: &Graph, change: &Change) -> Option<Numbers> {
    let system = &graph.system;
    let mode = &system.modes[change.after];
    let structure = ModeStructure::of_signature(&analysis.signature(|id| mode[id])).ok()?;
    let body = |row: Row| {
        let name = &dae.model.equations[structure.equation(row)].name;
        system.equations_in(change.after).find(|&body| system.bodies[body].name == *name).expect("an equation")
    };
    let unknown = |column: Column| {
        let variable = structure.variable(column);
        system.unknowns.iter_enumerated().find(|(_, it)| it.variable == variable).expect("a variable").0
    };
    let equations = Generic {
        system,
        bodies: structure.rows().map(body).collect(),
        columns: structure.columns().map(|column| (unknown(column), column)).collect(),
    };
    let before = graph.offsets[change.before].as_ref()?;
    let left = left_limits(system, before)?;
    let leading = |column| before.variables.get(&unknown(column)).copied();
    let values = |column| -> Vec<f64> {
        let orders = 0..leading(column).map_or(0, |order| order + 1);
        orders.map(|order| left[&Shifted::new(unknown(column), order)].value()).collect()
    };
    let past = Past {
        jet: Jet::new(0.0, structure.columns().map(values)),
        leading_order: structure.columns().map(|column| leading(column).unwrap_or(0)).collect(),
        offset: structure.rows().map(|row| before.equations.get(&body(row)).copied().unwrap_or(0)).collect(),
        is_new: structure.rows().map(|row| !system.bodies[body(row)].modes.has(change.before)).collect(),
        start: structure.columns().map(|_| None).collect(),
    };
    let found = restart(&structure, &equations, &past, &Noise::default());
    let mut numbers = Numbers::default();
    for column in structure.columns().filter(|_| found.is_solved()) {
        let name = system.unknowns[unknown(column)].name.to_string();
        for order in 0..=structure.variable_offset(column) {
            numbers.right.insert((name.clone(), order), found.right.get(column, order));
        }
        for (order, &weight) in found.weights[column].iter().enumerate() {
            numbers.weights.insert((name.clone(), order as u32), weight);
        }
    }
    found.is_solved().then_some(numbers)
}

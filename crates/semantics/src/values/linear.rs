//! A system with generic coefficients: values along runs, as series in ∂ (RR8933 A.2, (22)–(24)).
//!
//! The incidence of a system says which variables an equation has, not with which coefficients. For almost all
//! coefficients a run does the same, so it is computed for some that have no pattern: every equation is
//! `Σ a x^(k) + b0 + b1 t = 0` with generic numbers, and each block of a run is solved for series.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{Body, Shifted, Unknown};
use crate::micro_step::EvaluateBlock;
use crate::sigma::Offsets;
use crate::system::DifferenceSystem;
use crate::values::number::Number;
use crate::values::series::{Series, solve};

/// Values of variables in one instant, each with how often it is shifted.
pub type Values = BTreeMap<Shifted<Unknown>, Series>;

/// Derivatives of variables at one moment: what is shifted so often is differentiated so often here.
pub type Jet = BTreeMap<Shifted<Unknown>, Number>;

/// The number of ways to choose, for small numbers.
fn binomial(n: u32, k: u32) -> Number {
    Number::integer((0..i64::from(k)).fold(1, |product, at| product * (i64::from(n) - at) / (at + 1)))
}

/// `binom(n, k)` with the sign that the `n`-th difference gives to the value `k` instants later.
pub(crate) fn difference_weight(n: u32, k: u32) -> Number {
    if (n - k).is_multiple_of(2) { binomial(n, k) } else { -binomial(n, k) }
}

/// The coefficient of a derivative in a body.
pub fn coefficient(body: Body, unknown: Unknown, order: u32) -> Number {
    Number::generic([1, u64::from(body.0), u64::from(unknown.0), u64::from(order)])
}

/// What a body has beside its variables, and how fast that changes with time.
pub fn input(body: Body, order: u32) -> Number {
    if order > 1 { Number::ZERO } else { Number::generic([2, u64::from(body.0), u64::from(order), 0]) }
}

/// An equation as a row: its variables with coefficients, and the rest. The instant is counted from the first.
fn row(system: &DifferenceSystem, equation: Shifted<Body>, instant: u32) -> (Values, Series) {
    let mut entries = Values::new();
    for entry in &system.bodies[equation.of].incidence {
        for order in 0..=entry.highest - entry.lowest {
            let factor = coefficient(equation.of, entry.unknown, order);
            for place in 0..=order {
                let variable = Shifted::new(entry.unknown, entry.lowest + equation.shift + place);
                let term = Series::monomial(factor * difference_weight(order, place), -(order as i32));
                let sum = entries.get(&variable).map_or(term.clone(), |known| known + &term);
                entries.insert(variable, sum);
            }
        }
    }
    let time = Number::integer(i64::from(instant + equation.shift));
    let slope = Series::monomial(input(equation.of, 1) * time, 1);
    // What a law makes of left limits is another value in every instant.
    let constant = match system.reads_left_limits(equation.of) {
        true => Number::generic([4, u64::from(equation.of.0), u64::from(instant), 0]),
        false => input(equation.of, 0),
    };
    (entries, &Series::monomial(constant, 0) + &slope)
}

/// The solution of a block; nothing where it is singular even for generic numbers.
pub(crate) fn solve_block(
    system: &DifferenceSystem,
    block: &EvaluateBlock,
    values: &Values,
    instant: u32,
) -> Option<Values> {
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
    Some(block.variables.iter().copied().zip(solve(matrix, right)?).collect())
}

/// Left limits at the end of a mode: derivatives up to the leading ones that satisfy its equations and their hidden
/// constraints, generic where these leave them free.
pub fn left_limits(system: &DifferenceSystem, offsets: &Offsets) -> Option<Jet> {
    left_limits_with(system, offsets, &BTreeSet::new())
}

/// The same where more equations are satisfied; nothing where they contradict the mode.
pub(crate) fn left_limits_with(
    system: &DifferenceSystem,
    offsets: &Offsets,
    satisfied: &BTreeSet<Shifted<Body>>,
) -> Option<Jet> {
    let mut rows: Vec<JetRow> = satisfied.iter().map(|&equation| derivative(system, equation)).collect();
    for (&body, &offset) in &offsets.equations {
        rows.extend((0..=offset).map(|order| derivative(system, Shifted::new(body, order))));
    }
    let variables = offsets.variables.iter().flat_map(|(&of, &offset)| (0..=offset).map(move |it| (of, it)));
    let is_known = |it: &Shifted<Unknown>| offsets.variables.get(&it.of).is_some_and(|&offset| it.shift <= offset);
    if rows.iter().any(|(entries, _)| !entries.keys().all(is_known)) {
        return None;
    }
    // The highest derivatives are eliminated first, so that what is free are states.
    let mut variables: Vec<Shifted<Unknown>> = variables.map(|(of, order)| Shifted::new(of, order)).collect();
    let below = |it: &Shifted<Unknown>| offsets.variables[&it.of] - it.shift;
    variables.sort_by_key(|it| (below(it), *it));
    solve_jet(&rows, &variables, |state| Some(generic_state(state)))
}

/// A state, or a derivative of one, that nothing determines.
pub(crate) fn generic_state(state: &Shifted<Unknown>) -> Number {
    Number::generic([3, u64::from(state.of.0), u64::from(state.shift), 0])
}

/// A linear equation between derivatives: coefficients, and the rest.
pub(crate) type JetRow = (Jet, Number);

/// A time derivative of a body.
pub(crate) fn derivative(system: &DifferenceSystem, equation: Shifted<Body>) -> JetRow {
    let mut entries = Jet::new();
    for entry in &system.bodies[equation.of].incidence {
        for order in 0..=entry.highest {
            let variable = Shifted::new(entry.unknown, order + equation.shift);
            entries.insert(variable, coefficient(equation.of, entry.unknown, order));
        }
    }
    (entries, input(equation.of, equation.shift))
}

/// Numbers that satisfy linear equations; those that the equations leave open are given, or do not get a value, and neither
/// does what depends on them. Nothing where the equations contradict each other.
pub(crate) fn solve_jet(
    rows: &[JetRow],
    variables: &[Shifted<Unknown>],
    free: impl Fn(&Shifted<Unknown>) -> Option<Number>,
) -> Option<Jet> {
    let columns: BTreeMap<Shifted<Unknown>, usize> = variables.iter().copied().zip(0..).collect();
    let mut elimination = Elimination::new(rows, &columns);
    for column in 0..variables.len() {
        elimination.eliminate(column);
    }
    let Elimination { rows, order, pivots, .. } = elimination;
    if order[pivots.len()..].iter().any(|&row| !rows[row].rest.is_zero()) {
        return None;
    }
    let mut values: Vec<Option<Number>> = vec![None; variables.len()];
    let mut is_pivot = vec![false; variables.len()];
    pivots.iter().for_each(|&pivot| is_pivot[pivot] = true);
    for place in (0..variables.len()).filter(|&place| !is_pivot[place]) {
        values[place] = free(&variables[place]);
    }
    for (&row, &pivot) in order.iter().zip(&pivots) {
        let others = rows[row].entries.iter().filter(|(column, factor)| **column != pivot && !factor.is_zero());
        let mut terms = others.map(|(column, &factor)| Some(factor * values[*column]?));
        let sum = terms.try_fold(rows[row].rest, |sum, term| Some(sum + term?));
        values[pivot] = sum.map(|sum| -sum);
    }
    let known = variables.iter().zip(values).filter_map(|(&variable, value)| Some((variable, value?)));
    Some(known.collect())
}

/// A row with its numbers by column, and the rest.
#[derive(Clone)]
struct SparseRow {
    entries: BTreeMap<usize, Number>,
    rest: Number,
}

/// Rows that are made diagonal, one column after the other. Ten thousand parts are ten thousand small systems in one: only what is
/// there is touched.
struct Elimination {
    rows: Vec<SparseRow>,
    /// The rows that are done, by their pivots, then the others.
    order: Vec<usize>,
    /// By row, its place in that order.
    places: Vec<usize>,
    /// By column, the rows that have it.
    holders: Vec<Vec<usize>>,
    pivots: Vec<usize>,
}

impl Elimination {
    /// What is no column counts as zero.
    fn new(rows: &[JetRow], columns: &BTreeMap<Shifted<Unknown>, usize>) -> Elimination {
        let sparse = |(entries, rest): &JetRow| SparseRow {
            entries: entries.iter().filter_map(|(it, &factor)| Some((*columns.get(it)?, factor))).collect(),
            rest: *rest,
        };
        let rows: Vec<SparseRow> = rows.iter().map(sparse).collect();
        let mut holders = vec![Vec::new(); columns.len()];
        for (at, row) in rows.iter().enumerate() {
            row.entries.keys().for_each(|&column| holders[column].push(at));
        }
        let order: Vec<usize> = (0..rows.len()).collect();
        Elimination { places: order.clone(), order, rows, holders, pivots: Vec::new() }
    }

    /// Solves the row in which a column is largest for it, and takes the column out of the others; nothing where no row has it.
    fn eliminate(&mut self, column: usize) {
        let done = self.pivots.len();
        let size = |row: usize| self.rows[row].entries[&column].value().abs();
        let holders = self.holders[column].clone();
        let is_candidate = |&row: &usize| self.places[row] >= done && !self.rows[row].entries[&column].is_zero();
        let larger = |one: &usize, other: &usize| {
            size(*one).total_cmp(&size(*other)).then(self.places[*one].cmp(&self.places[*other]))
        };
        let Some(pivot) = holders.iter().copied().filter(is_candidate).max_by(larger) else { return };
        let (from, other) = (self.places[pivot], self.order[done]);
        self.order.swap(done, from);
        (self.places[pivot], self.places[other]) = (done, from);
        let scale = self.rows[pivot].entries[&column].inverse();
        self.rows[pivot].entries.values_mut().for_each(|entry| *entry = *entry * scale);
        self.rows[pivot].rest = self.rows[pivot].rest * scale;
        let by = self.rows[pivot].clone();
        for row in holders.into_iter().filter(|&row| row != pivot) {
            self.subtract(row, column, &by);
        }
        self.pivots.push(column);
    }

    /// Subtracts as much of a row from another as takes a column out of it.
    fn subtract(&mut self, row: usize, column: usize, by: &SparseRow) {
        let SparseRow { entries, rest } = &mut self.rows[row];
        let factor = entries[&column];
        for (&at, &number) in &by.entries {
            let entry = entries.entry(at).or_insert_with(|| {
                self.holders[at].push(row);
                Number::ZERO
            });
            *entry = *entry - factor * number;
        }
        *rest = *rest - factor * by.rest;
        // A column that is taken out is not looked at again, and rows stay short.
        entries.remove(&column);
    }
}

/// The values of shifted variables on a smooth trajectory: `x•m = Σ binom(m, i) ∂^i x^(i)`, whose difference quotients are
/// the derivatives exactly. Nothing where a derivative is not known.
pub(crate) fn on_trajectory(jet: &Jet, variable: Shifted<Unknown>) -> Option<Series> {
    let mut sum = Series::zero();
    for order in 0..=variable.shift {
        let derivative = *jet.get(&Shifted::new(variable.of, order))?;
        sum = &sum + &Series::monomial(derivative * binomial(variable.shift, order), order as i32);
    }
    Some(sum)
}

/// The `order`-th difference quotient of a variable.
pub fn quotient(values: &Values, unknown: Unknown, order: u32) -> Option<Series> {
    quotient_at(values, Shifted::new(unknown, 0), order)
}

/// The same so many instants later.
pub(crate) fn quotient_at(values: &Values, variable: Shifted<Unknown>, order: u32) -> Option<Series> {
    let mut sum = Series::zero();
    for place in 0..=order {
        let value = values.get(&Shifted::new(variable.of, variable.shift + place))?;
        sum = &sum + &(&Series::monomial(difference_weight(order, place), -(order as i32)) * value);
    }
    Some(sum)
}

//! What rounding makes of the values of a start: how far conditions that agree can differ.
//!
//! A condition that is too many is asked whether it holds at the solution of the others. Both of its sides may be zero but for
//! rounding, in any units, and then neither says how large that rounding is: it is that of what they are made of. So the blocks of the
//! start are gone through in the order in which they were solved. The residual of an equation is rounded by a share of its terms
//! `|∂r/∂x| |x|`, and errors of what was solved before enter it too; what that makes of the unknowns of its block is one linear
//! system more.

use modeshift_dae::{EquationId, ExpressionId, Id, Node};
use modeshift_numerics::{Compiler, Differentiated, Input, LinearSolver, Lu, Pattern};
use modeshift_structure::initialization::{OneMode, OneModeBlock};
use rustc_hash::FxHashMap;

use super::point::Point;
use super::problem::InitialProblem;

/// A residual is rounded by this share of its terms: a few units in the last place each.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// A term of an expression at a point.
struct Term {
    input: Input,
    slope: f64,
    value: f64,
}

/// How well the sides of a condition are known.
pub(super) struct Known {
    /// The sum of its terms.
    pub size: f64,
    /// What rounding makes of its sides.
    pub rounding: f64,
}

impl InitialProblem<'_> {
    /// How well the sides of conditions are known at the solution of a mode.
    pub(super) fn known_to(&self, one_mode: &OneMode, point: &Point, conditions: &[EquationId]) -> Vec<Known> {
        let mut errors = vec![0.0; point.values.len()];
        for block in &one_mode.blocks {
            self.follow_rounding(block, point, &mut errors);
        }
        let residuals = &self.start.system.residuals;
        let known = conditions.iter().map(|&condition| {
            let terms = self.terms(residuals[condition], point);
            let size = size_of(&terms);
            Known { size, rounding: ROUNDING * size + error_of(&terms, &errors) }
        });
        known.collect()
    }

    /// What rounding makes of the difference of the sides of a relation at the solution of a mode: only what they are made of is gone
    /// through.
    pub(super) fn rounding_of(&self, one_mode: &OneMode, point: &Point, relation: ExpressionId) -> f64 {
        let Node::Relation(_, left, right) = self.model().expressions.node(relation) else { return 0.0 };
        let mut is_needed = vec![false; point.values.len()];
        let sides = [left, right].map(|side| self.terms(side, point));
        sides.iter().flatten().filter_map(|it| place(it.input)).for_each(|at| is_needed[at] = true);
        let mut needed: Vec<&OneModeBlock> = Vec::new();
        for block in one_mode.blocks.iter().rev() {
            if block.variables.iter().any(|variable| is_needed[variable.index()]) {
                let rows = block.equations.iter().map(|&it| self.terms(self.start.system.residuals[it], point));
                let read = rows.flatten().filter_map(|it| place(it.input));
                read.for_each(|at| is_needed[at] = true);
                needed.push(block);
            }
        }
        let mut errors = vec![0.0; point.values.len()];
        needed.into_iter().rev().for_each(|block| self.follow_rounding(block, point, &mut errors));
        let rounding = sides.iter().map(|terms| ROUNDING * size_of(terms) + error_of(terms, &errors));
        rounding.sum()
    }

    /// What rounding makes of the unknowns of a block.
    fn follow_rounding(&self, block: &OneModeBlock, point: &Point, errors: &mut [f64]) {
        let rows: Vec<Vec<Term>> =
            block.equations.iter().map(|&it| self.terms(self.start.system.residuals[it], point)).collect();
        let mut found: Vec<f64> =
            rows.iter().map(|terms| ROUNDING * size_of(terms) + error_of(terms, errors)).collect();
        let numbers = block.variables.iter().zip(0..).map(|(variable, number)| (variable.index(), number)).collect();
        let places: Vec<Vec<(u32, f64)>> = rows.iter().map(|terms| own_entries(&numbers, terms)).collect();
        let pattern = Pattern::from_rows(found.len(), places.iter().map(|row| row.iter().map(|entry| entry.0)));
        let entries: Vec<f64> = places.iter().flatten().map(|entry| entry.1).collect();
        let mut lu = Lu::for_pattern(&pattern);
        if lu.factor(&pattern, &entries).is_ok() {
            lu.solve(&mut found);
        }
        for (variable, error) in block.variables.iter().zip(found) {
            errors[variable.index()] = if error.is_finite() { error.abs() } else { 0.0 };
        }
    }

    /// The terms of an expression at a point, by all that it depends on; none where it has no derivatives.
    fn terms(&self, expression: ExpressionId, point: &Point) -> Vec<Term> {
        let compiler = || Compiler::new(self.model(), self.natives).at_start();
        let Ok(tape) = compiler().tape(&[expression]) else { return Vec::new() };
        let inputs = tape.inputs().to_vec();
        let Ok(differentiated) = compiler().differentiated(&[expression], &inputs) else { return Vec::new() };
        let values: Vec<f64> = inputs.iter().map(|&input| point.input(self, input)).collect();
        let slopes = gradient(&differentiated, &values);
        let terms = inputs.into_iter().zip(values).zip(slopes);
        let terms = terms.map(|((input, value), slope)| Term { input, slope, value });
        terms.filter(|it| it.slope.is_finite() && it.value.is_finite()).collect()
    }
}

/// The derivatives of one expression by all inputs.
fn gradient(expression: &Differentiated, inputs: &[f64]) -> Vec<f64> {
    let pattern = expression.pattern();
    let mut entries = vec![0.0; pattern.entry_count()];
    expression.evaluate(inputs, &mut expression.workspace(), &mut [0.0], &mut entries);
    let mut slopes = vec![0.0; inputs.len()];
    pattern.row_entries(&entries, 0).for_each(|(column, slope)| slopes[column] = slope);
    slopes
}

/// The number of a variable among the values of a point.
fn place(input: Input) -> Option<usize> {
    match input {
        Input::Variable(of, 0) => Some(of.index()),
        _ => None,
    }
}

/// The slopes of an equation by the unknowns of its block, by their numbers.
fn own_entries(numbers: &FxHashMap<usize, u32>, terms: &[Term]) -> Vec<(u32, f64)> {
    let number = |it: &Term| numbers.get(&place(it.input)?).copied();
    let mut entries: Vec<(u32, f64)> = terms.iter().filter_map(|it| Some((number(it)?, it.slope))).collect();
    entries.sort_by_key(|entry| entry.0);
    entries
}

/// The sum of terms without their signs.
fn size_of(terms: &[Term]) -> f64 {
    terms.iter().map(|it| (it.slope * it.value).abs()).sum()
}

/// What errors of variables make of a sum of terms.
fn error_of(terms: &[Term], errors: &[f64]) -> f64 {
    terms.iter().filter_map(|it| Some(it.slope.abs() * errors[place(it.input)?])).sum()
}

//! A second opinion that needs no structure: one implicit Euler step of the new mode as a Laurent series in the step.
//!
//! One step of length `h` from the left limits solves `P(1/h) x(h) = …`. As a series in `h`, the coefficient of
//! `h^(-p-1)` is the weight of `δ^(p)` and that of `h^l` the right limit of the `l`-th derivative: `x(h)` is the
//! resolvent `s X(s)` at `s = 1/h`. The coefficients are found from complex steps on a circle. That also works where
//! the system Jacobian is numerically singular, so it is what a restart falls back on.
//!
//! Exact for linear equations with constant coefficients; others are linearized at left limits.

use std::collections::BTreeMap;

use modeshift_dae::{Derivative, Id, IndexVec};

use crate::one_mode::{Jet, Residuals};
use modeshift_numerics::small_dense::{Complex, Factors, Matrix, Scalar};
use modeshift_numerics::{LinearSolver, Lu, Pattern};
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

/// Steps on a circle: twice as many as there are coefficients in the window, so that the rest measures the error.
const STEPS: usize = 32;
/// Coefficients from `h^-8` to `h^8` are looked at, more than any index that was met; those of higher negative powers measure
/// the error.
const WINDOW: i32 = 8;
/// Inputs are followed up to this derivative: on circles of small radius the next term is below rounding.
const INPUT_DERIVATIVES: u32 = 6;

/// Systems of no more equations are solved as dense ones: sparse ones cost more to set up.
const SMALL: usize = 24;
/// Steps are dense and many: beyond this many equations they would take minutes, and the singular block speaks for itself.
const LARGEST: usize = 300;
/// Lengths of steps that are tried before all others: where neither can be solved, none can, unless a model is made for these two.
const TRIED: [f64; 2] = [8.309e-4, 0.2718];
/// The reciprocal condition of a step that rounding alone makes solvable.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Right limits and weights found from steps.
#[derive(Clone, Debug)]
pub struct LaurentRestart {
    /// Right limits of values and derivatives up to the leading orders.
    pub right: Jet,
    /// Weights: `weights[j][p]` belongs to `δ^(p)`.
    pub weights: IndexVec<Column, Vec<f64>>,
    /// An estimate of the relative error of values.
    pub error: f64,
}

/// Restarts a mode from left limits. `memory` holds them below the written orders; `None` if no step can be solved.
pub fn laurent_restart(structure: &ModeStructure, equations: &dyn Residuals, memory: &Jet) -> Option<LaurentRestart> {
    if structure.size() > LARGEST {
        return None;
    }
    let system = StepSystem::new(structure, equations, memory, memory);
    if !system.has_steps() {
        return None;
    }
    let mut steps = ComplexSteps::new(&system);
    let mut best: Option<Circle> = None;
    for circle in (-40..=16).filter_map(|exponent: i32| Circle::new(&mut steps, f64::from(exponent).exp2())) {
        match &best {
            Some(smaller) if !circle.agrees(smaller) => break,
            Some(smaller) if smaller.error <= circle.error => {}
            _ => best = Some(circle),
        }
    }
    Some(best?.restart(structure, memory.time))
}

/// `Σ coefficient x^(k) = right-hand side`, linearized.
pub(crate) struct StepSystem {
    size: usize,
    /// Row, column, order, coefficient.
    terms: Vec<(usize, usize, u32, f64)>,
    /// Left limits by column, below the written order.
    memory: Vec<Vec<f64>>,
    /// Inputs with their time derivatives, by row.
    inputs: Vec<Vec<f64>>,
}

impl StepSystem {
    /// Steps from left limits, linearized at a point.
    pub(crate) fn new(structure: &ModeStructure, equations: &dyn Residuals, memory: &Jet, point: &Jet) -> Self {
        let (reference, memory) = (padded(structure, point), padded(structure, memory));
        let (mut terms, mut inputs) = (Vec::new(), Vec::new());
        for row in structure.rows() {
            let partials = equations.partials(row, &reference, 0);
            let residuals = equations.residual(row, &reference, INPUT_DERIVATIVES);
            let input = |(m, residual): (usize, &f64)| {
                let linear: f64 = partials
                    .iter()
                    .map(|partial| partial.derivatives[0] * reference.get(partial.column, partial.order + m as u32))
                    .sum();
                linear - residual
            };
            inputs.push(residuals.iter().enumerate().map(input).collect());
            let entries = partials.iter().filter(|partial| partial.derivatives[0] != 0.0);
            terms.extend(
                entries.map(|partial| (row.index(), partial.column.index(), partial.order, partial.derivatives[0])),
            );
        }
        let below = |column: Column| (0..structure.written_order(column)).map(|l| memory.get(column, l)).collect();
        StepSystem { size: structure.size(), terms, memory: structure.columns().map(below).collect(), inputs }
    }

    /// One real step of length `h`, and how its result changes with the right-hand side of each of these rows.
    pub(crate) fn step_with_sensitivities(&self, h: f64, rows: &[Row]) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
        let (pattern, values) = self.real_matrix(h);
        let mut factors = Lu::for_pattern(&pattern);
        factors.factor(&pattern, &values).ok()?;
        let sensitivity = |row: &Row| {
            let mut unit = vec![0.0; self.size];
            unit[row.index()] = 1.0;
            factors.solve(&mut unit);
            unit
        };
        let mut base: Vec<f64> = self.right_hand_side(Complex::from(h)).into_iter().map(|value| value.real).collect();
        factors.solve(&mut base);
        Some((base, rows.iter().map(sensitivity).collect()))
    }

    /// Whether steps can be solved at all: not where equations depend on each other whatever the step is, as in a part of a network
    /// that is cut off.
    fn has_steps(&self) -> bool {
        TRIED.into_iter().any(|h| {
            let (pattern, values) = self.real_matrix(h);
            let mut factors = Lu::for_pattern(&pattern);
            factors.factor(&pattern, &values).is_ok() && factors.condition() * ROUNDING < 1.0
        })
    }

    /// The matrix of a real step, as sparse as the equations are.
    fn real_matrix(&self, h: f64) -> (Pattern, Vec<f64>) {
        let mut rows: Vec<BTreeMap<u32, f64>> = vec![BTreeMap::new(); self.size];
        for &(row, column, order, coefficient) in &self.terms {
            *rows[row].entry(column as u32).or_default() += coefficient / h.powi(order as i32);
        }
        let pattern = Pattern::from_rows(self.size, rows.iter().map(|row| row.keys().copied()));
        (pattern, rows.iter().flat_map(BTreeMap::values).copied().collect())
    }

    /// What a step of length `h` to these values makes of a derivative.
    pub(crate) fn derivative(
        &self,
        values: &[f64],
        h: f64,
        Derivative { of: column, order }: Derivative<Column>,
    ) -> f64 {
        let memory = &self.memory[column.index()];
        let before = |l: u32| memory.get(l as usize).copied().unwrap_or(f64::NAN) / h.powi((order - l) as i32);
        self.slope(values, h, Derivative::new(column, order)) - (0..order).map(before).sum::<f64>()
    }

    /// How that changes with the values.
    pub(crate) fn slope(&self, values: &[f64], h: f64, Derivative { of: column, order }: Derivative<Column>) -> f64 {
        values[column.index()] / h.powi(order as i32)
    }

    /// One step of length `h`, solved as a dense system.
    fn dense_step(&self, h: Complex) -> Option<Vec<Complex>> {
        let s = Complex::from(1.0) / h;
        let mut matrix = Matrix::zero(self.size);
        for &(row, column, order, coefficient) in &self.terms {
            matrix.add(row, column, power(s, order) * Complex::from(coefficient));
        }
        Some(Factors::new(&matrix)?.solve(&self.right_hand_side(h)))
    }

    fn right_hand_side(&self, h: Complex) -> Vec<Complex> {
        let s = Complex::from(1.0) / h;
        let mut right = vec![Complex::from(0.0); self.size];
        for &(row, column, order, coefficient) in &self.terms {
            for l in 0..order {
                let known = Complex::from(coefficient * self.memory[column][l as usize]);
                right[row] = right[row] + power(s, order - l) * known;
            }
        }
        for (row, input) in self.inputs.iter().enumerate() {
            for (m, &derivative) in input.iter().enumerate() {
                right[row] = right[row] + power(h, m as u32) * Complex::from(derivative);
            }
        }
        right
    }
}

/// Complex steps of a system, as sparse as its equations are: real and imaginary parts are two unknowns beside each other.
struct ComplexSteps<'a> {
    system: &'a StepSystem,
    pattern: Pattern,
    /// By term: where the sums stand that it is part of, of `[a, -b]` and below that `[b, a]` for `a + b i`; nothing for what is real.
    places: Vec<([usize; 2], Option<[usize; 2]>)>,
    factors: Lu,
}

impl<'a> ComplexSteps<'a> {
    fn new(system: &'a StepSystem) -> Self {
        let mut rows: Vec<BTreeMap<u32, usize>> = vec![BTreeMap::new(); 2 * system.size];
        for &(row, column, order, _) in &system.terms {
            let [real, imaginary] = [0, 1].map(|part| (2 * column + part) as u32);
            rows[2 * row].insert(real, 0);
            rows[2 * row + 1].insert(imaginary, 0);
            if order > 0 {
                rows[2 * row].insert(imaginary, 0);
                rows[2 * row + 1].insert(real, 0);
            }
        }
        let pattern = Pattern::from_rows(2 * system.size, rows.iter().map(|row| row.keys().copied()));
        rows.iter_mut().flat_map(BTreeMap::values_mut).zip(0..).for_each(|(place, number)| *place = number);
        let place = |row: usize, column: usize| rows[row][&(column as u32)];
        let places = system.terms.iter().map(|&(row, column, order, _)| {
            let (row, column) = (2 * row, 2 * column);
            let crossed = (order > 0).then(|| [place(row, column + 1), place(row + 1, column)]);
            ([place(row, column), place(row + 1, column + 1)], crossed)
        });
        let places = places.collect();
        let factors = Lu::for_pattern(&pattern);
        ComplexSteps { system, pattern, places, factors }
    }

    /// One step of length `h`.
    fn step(&mut self, h: Complex) -> Option<Vec<Complex>> {
        if self.system.size <= SMALL { self.system.dense_step(h) } else { self.sparse_step(h) }
    }

    fn sparse_step(&mut self, h: Complex) -> Option<Vec<Complex>> {
        let s = Complex::from(1.0) / h;
        let mut values = vec![0.0; self.pattern.entry_count()];
        for (&(_, _, order, coefficient), (straight, crossed)) in self.system.terms.iter().zip(&self.places) {
            let value = power(s, order) * Complex::from(coefficient);
            straight.iter().for_each(|&place| values[place] += value.real);
            if let Some([above, below]) = *crossed {
                values[above] -= value.imaginary;
                values[below] += value.imaginary;
            }
        }
        self.factors.factor(&self.pattern, &values).ok()?;
        let right = self.system.right_hand_side(h);
        let mut parts: Vec<f64> = right.into_iter().flat_map(|value| [value.real, value.imaginary]).collect();
        self.factors.solve(&mut parts);
        Some(parts.chunks_exact(2).map(|parts| Complex { real: parts[0], imaginary: parts[1] }).collect())
    }
}

/// The jet with zeros for all that is not known, long enough for all derivatives of the residuals.
pub(crate) fn padded(structure: &ModeStructure, memory: &Jet) -> Jet {
    let mut jet = memory.clone();
    for column in structure.columns() {
        for order in 0..=structure.written_order(column) + INPUT_DERIVATIVES {
            if !jet.knows(column, order) {
                jet.set(column, order, 0.0);
            }
        }
    }
    jet
}

fn power(base: Complex, exponent: u32) -> Complex {
    (0..exponent).fold(Complex::from(1.0), |product, _| product * base)
}

/// Steps of one radius.
struct Circle {
    radius: f64,
    steps: Vec<Vec<Complex>>,
    error: f64,
}

impl Circle {
    fn new(system: &mut ComplexSteps<'_>, radius: f64) -> Option<Self> {
        // Conjugate steps have conjugate solutions: the upper half, away from the real axis, is enough.
        let angle = |k: usize| std::f64::consts::PI * (2 * k + 1) as f64 / STEPS as f64;
        let steps: Option<Vec<Vec<Complex>>> =
            (0..STEPS / 2).map(|k| system.step(Complex::polar(radius, angle(k)))).collect();
        let mut circle = Circle { radius, steps: steps?, error: 0.0 };
        let size = circle.steps.iter().flatten().map(|value| value.magnitude()).fold(f64::MIN_POSITIVE, f64::max);
        let impossible = (0..system.system.size)
            .flat_map(|column| (-(STEPS as i32) / 2 + 1..-WINDOW).map(move |m| (column, m)))
            .map(|(column, m)| (circle.coefficient(column, m) * radius.powi(m)).abs())
            .fold(0.0, f64::max);
        // Even exact data are rounded.
        circle.error = impossible.max(1e-16 * size);
        circle.error.is_finite().then_some(circle)
    }

    /// Whether the same values were found on a smaller circle. They are not once time scales of the mode lie between.
    fn agrees(&self, smaller: &Circle) -> bool {
        let tolerance = 100.0 * (self.error + smaller.error);
        let difference = |column: usize| (self.coefficient(column, 0) - smaller.coefficient(column, 0)).abs();
        (0..self.steps[0].len()).all(|column| difference(column) <= tolerance)
    }

    /// The coefficient of `h^m`.
    fn coefficient(&self, column: usize, m: i32) -> f64 {
        let sum: f64 = self
            .steps
            .iter()
            .enumerate()
            .map(|(k, values)| {
                let angle = std::f64::consts::PI * (2 * k + 1) as f64 / STEPS as f64;
                (values[column] * Complex::polar(1.0, -angle * f64::from(m))).real
            })
            .sum();
        2.0 * sum / STEPS as f64 / self.radius.powi(m)
    }

    fn restart(&self, structure: &ModeStructure, time: f64) -> LaurentRestart {
        let mut right = Jet::unknown(time, structure.size());
        let mut weights = IndexVec::new();
        for column in structure.columns() {
            for order in 0..=structure.variable_offset(column) {
                right.set(column, order, self.coefficient(column.index(), order as i32));
            }
            let significant = |m: i32| {
                let weight = self.coefficient(column.index(), -m);
                let noise = 1e3 * self.error * self.radius.powi(m);
                if weight.abs() > noise { weight } else { 0.0 }
            };
            let mut found: Vec<f64> = (1..=WINDOW).map(significant).collect();
            while found.last() == Some(&0.0) {
                found.pop();
            }
            weights.push(found);
        }
        LaurentRestart { right, weights, error: self.error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sparse steps are dense ones: a chain of coils and capacitors with algebraic variables between them.
    #[test]
    fn sparse_steps_are_dense_steps() {
        let size = 40;
        let mut terms = Vec::new();
        for row in 0..size {
            terms.push((row, row, u32::from(row % 3 == 0), 1.0 + row as f64 / 7.0));
            terms.push((row, (row + 1) % size, 0, 0.5 - (row % 5) as f64));
            terms.push((row, (row * row + 3) % size, u32::from(row % 4 == 1), -0.75));
        }
        let orders = |column: usize| terms.iter().filter(|it| it.1 == column).map(|it| it.2).max().unwrap_or(0);
        let memory = (0..size).map(|column| vec![column as f64 / 10.0; orders(column) as usize]).collect();
        let inputs = (0..size).map(|row| vec![1.0 / (1.0 + row as f64), 0.25]).collect();
        let system = StepSystem { size, terms: terms.clone(), memory, inputs };
        let mut steps = ComplexSteps::new(&system);
        for radius in [1e-6, 1e-2, 3.0] {
            let h = Complex::polar(radius, 0.7);
            let (Some(dense), Some(sparse)) = (system.dense_step(h), steps.sparse_step(h)) else {
                panic!("both can be solved")
            };
            let size = dense.iter().map(|value| value.magnitude()).fold(0.0, f64::max);
            for (one, other) in dense.into_iter().zip(sparse) {
                assert!((one - other).magnitude() <= 1e-9 * size, "{one:?} {other:?}");
            }
        }
    }
}

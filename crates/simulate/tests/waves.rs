//! Waves that run into what is at rest: right to the tolerance, in steps of the wave and not of what it sends ahead.

use modeshift_numerics::Pattern;
use modeshift_simulate::integrate::{EvaluationFailed, Method, Ode, Problem, Settings};

const COUNT: usize = 60;
const STOP: f64 = 40.0;

/// `x[k]' = (x[k-1] - x[k+1]) / 2` behind `x[0]' = -x[1]`, each in units of its own: Bessel's functions of the time, up to when
/// the wave comes back from the end.
struct Lattice {
    pattern: Pattern,
    units: Vec<f64>,
}

impl Lattice {
    fn new(units: Vec<f64>) -> Self {
        let columns = |row: usize| [row.wrapping_sub(1), row + 1].into_iter().filter(|&column| column < COUNT);
        let rows = (0..COUNT).map(|row| columns(row).map(|column| column as u32).collect::<Vec<_>>());
        Lattice { pattern: Pattern::from_rows(COUNT, rows), units }
    }

    fn entry(&self, row: usize, column: usize) -> f64 {
        let effect = match (row, column) {
            (0, _) => -1.0,
            _ if column < row => 0.5,
            _ => -0.5,
        };
        effect * self.units[row] / self.units[column]
    }
}

impl Ode for Lattice {
    fn size(&self) -> usize {
        COUNT
    }

    fn derivative(&mut self, _: f64, state: &[f64], derivative: &mut [f64]) -> Result<(), EvaluationFailed> {
        for (row, place) in derivative.iter_mut().enumerate() {
            let columns = self.pattern.row(row).iter();
            *place = columns.map(|&column| self.entry(row, column as usize) * state[column as usize]).sum();
        }
        Ok(())
    }

    fn jacobian_pattern(&self) -> Option<&Pattern> {
        Some(&self.pattern)
    }

    fn jacobian(&mut self, _: f64, _: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
        let places = (0..COUNT).flat_map(|row| self.pattern.row(row).iter().map(move |&column| (row, column)));
        entries.iter_mut().zip(places).for_each(|(entry, (row, column))| *entry = self.entry(row, column as usize));
        Ok(())
    }
}

/// Bessel's functions of the first kind at a time, by the recurrence from high orders down.
fn bessel(time: f64) -> Vec<f64> {
    let highest = 2 * COUNT + 40;
    let mut values = vec![0.0; highest + 2];
    values[highest] = 1e-300;
    for order in (1..=highest).rev() {
        values[order - 1] = 2.0 * order as f64 / time * values[order] - values[order + 1];
        if values[order - 1].abs() > 1e200 {
            values.iter_mut().for_each(|value| *value *= 1e-200);
        }
    }
    let sum = values[0] + 2.0 * values.iter().skip(2).step_by(2).sum::<f64>();
    values.iter().take(COUNT).map(|value| value / sum).collect()
}

/// The largest error in tolerances of the largest value, and how many steps were made; of states that are this large where nothing else
/// is declared.
fn followed(method: Method, tolerance: f64, units: Vec<f64>, declared: bool) -> (f64, usize) {
    let mut start = vec![0.0; COUNT];
    start[0] = units[0];
    let nominal = if declared { units.clone() } else { vec![0.0; COUNT] };
    let settings = Settings::new(tolerance, COUNT).with_method(method).with_nominal(nominal);
    let problem = Problem::new(Lattice::new(units.clone()), &settings);
    let mut integrator = problem.start(0.0, &start, None).expect("a start");
    let mut errors = vec![0.0f64; COUNT];
    let mut largest = vec![0.0f64; COUNT];
    while integrator.time() < STOP {
        let step = integrator.step(STOP).expect("a step");
        for (state, exact) in bessel(step.to).into_iter().enumerate() {
            let found = integrator.state()[state] / units[state];
            // The end of the chain is not the infinite one's once the wave has been there.
            if state as f64 + step.to < 2.0 * COUNT as f64 - 40.0 {
                errors[state] = errors[state].max((found - exact).abs());
                largest[state] = largest[state].max(exact.abs());
            }
        }
    }
    let shares = errors.iter().zip(&largest).filter(|(_, largest)| **largest > 1e-3);
    (shares.map(|(error, largest)| error / largest / tolerance).fold(0.0, f64::max), integrator.statistics().steps)
}

fn units() -> Vec<f64> {
    (0..COUNT).map(|state| [1.0, 1e6, 1e-9, 3.0][state % 4]).collect()
}

#[test]
fn a_wave_into_what_is_at_rest_is_right_and_takes_its_own_steps_in_any_units() {
    for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
        for tolerance in [1e-4, 1e-6, 1e-8] {
            let (_, plain) = followed(method, tolerance, vec![1.0; COUNT], true);
            let (error, steps) = followed(method, tolerance, vec![1.0; COUNT], false);
            let (error_in_units, steps_in_units) = followed(method, tolerance, units(), false);
            let context = format!("{method:?} {tolerance:e}");
            assert!(error < 10.0 && error_in_units < 10.0, "{context}: {error} {error_in_units} tolerances");
            assert!(steps <= 6 * plain + 400, "{context}: {steps} steps, with sizes declared {plain}");
            let change = steps_in_units as f64 / steps as f64 - 1.0;
            assert!(change.abs() < 0.05, "{context}: {steps} steps, {steps_in_units} in other units");
        }
    }
}

//! The three systems of `cvode.c`, written by hand the same way.

use modeshift_numerics::Pattern;
use modeshift_simulate::integrate::{EvaluationFailed, Ode};

/// van der Pol's oscillator, stiffness 1000.
pub struct VanDerPol;

impl Ode for VanDerPol {
    fn size(&self) -> usize {
        2
    }

    fn derivative(&mut self, _time: f64, x: &[f64], dx: &mut [f64]) -> Result<(), EvaluationFailed> {
        dx[0] = x[1];
        dx[1] = 1000.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
        Ok(())
    }

    fn jacobian_pattern(&self) -> Option<&Pattern> {
        None
    }

    fn jacobian(&mut self, _time: f64, x: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
        entries.copy_from_slice(&[0.0, 1.0, -2000.0 * x[0] * x[1] - 1.0, 1000.0 * (1.0 - x[0] * x[0])]);
        Ok(())
    }
}

const UB: f64 = 6.0;
const UF: f64 = 0.026;
const ALPHA: f64 = 0.99;
const BETA: f64 = 1e-6;
const R0: f64 = 1000.0;
const R: f64 = 9000.0;

/// The transistor amplifier of the IVP Test Set, reduced to the voltages of its capacitors.
pub struct Amplifier {
    guesses: [f64; 2],
}

struct Base {
    voltage: f64,
    current: f64,
    slope: f64,
    determinant: f64,
}

impl Amplifier {
    pub fn new() -> Self {
        Amplifier { guesses: [3.0; 2] }
    }

    fn bases(&mut self, time: f64, x: &[f64]) -> Result<(Base, Base), EvaluationFailed> {
        let drive = (input(time) - x[0]) / R0 + UB / R;
        let first = solve_base(1.0 / R0 + 2.0 / R, drive, x[1], &mut self.guesses[0])?;
        let drive = 2.0 * UB / R - x[2] / R - ALPHA * first.current;
        let second = solve_base(3.0 / R, drive, x[3], &mut self.guesses[1])?;
        Ok((first, second))
    }
}

fn input(time: f64) -> f64 {
    0.1 * (200.0 * std::f64::consts::PI * time).sin()
}

/// Newton's method from the value of the evaluation before.
fn solve_base(conductance: f64, drive: f64, emitter: f64, guess: &mut f64) -> Result<Base, EvaluationFailed> {
    let mut y = *guess;
    for _ in 0..50 {
        let exponential = BETA * ((y - emitter) / UF).exp();
        let residual = conductance * y + (1.0 - ALPHA) * (exponential - BETA) - drive;
        let step = residual / (conductance + (1.0 - ALPHA) * exponential / UF);
        y -= step;
        if !y.is_finite() {
            break;
        }
        if step.abs() <= 1e-14 * (1.0 + y.abs()) {
            let exponential = BETA * ((y - emitter) / UF).exp();
            *guess = y;
            return Ok(Base {
                voltage: y,
                current: exponential - BETA,
                slope: exponential / UF,
                determinant: conductance + (1.0 - ALPHA) * exponential / UF,
            });
        }
    }
    Err(EvaluationFailed::new("no base voltage"))
}

impl Ode for Amplifier {
    fn size(&self) -> usize {
        5
    }

    fn derivative(&mut self, time: f64, x: &[f64], dx: &mut [f64]) -> Result<(), EvaluationFailed> {
        let (first, second) = self.bases(time, x)?;
        let y4 = x[2] + second.voltage;
        let y8 = 0.5 * (UB - x[4] - R * ALPHA * second.current);
        dx[0] = (input(time) - x[0] - first.voltage) / (R0 * 1e-6);
        dx[1] = (first.current - x[1] / R) / 2e-6;
        dx[2] = (UB / R - y4 / R - ALPHA * first.current) / 3e-6;
        dx[3] = (second.current - x[3] / R) / 4e-6;
        dx[4] = y8 / R / 5e-6;
        Ok(())
    }

    fn jacobian_pattern(&self) -> Option<&Pattern> {
        None
    }

    fn jacobian(&mut self, time: f64, x: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
        let (first, second) = self.bases(time, x)?;
        let is = |a: usize, b: usize| f64::from(u8::from(a == b));
        for k in 0..5 {
            let voltage = (-is(k, 0) / R0 + (1.0 - ALPHA) * first.slope * is(k, 1)) / first.determinant;
            let current = first.slope * (voltage - is(k, 1));
            let drive = -is(k, 2) / R - ALPHA * current;
            let second_voltage = (drive + (1.0 - ALPHA) * second.slope * is(k, 3)) / second.determinant;
            let second_current = second.slope * (second_voltage - is(k, 3));
            entries[k] = (-is(k, 0) - voltage) / (R0 * 1e-6);
            entries[5 + k] = (current - is(k, 1) / R) / 2e-6;
            entries[10 + k] = (-(is(k, 2) + second_voltage) / R - ALPHA * current) / 3e-6;
            entries[15 + k] = (second_current - is(k, 3) / R) / 4e-6;
            entries[20 + k] = 0.5 * (-is(k, 4) - R * ALPHA * second_current) / R / 5e-6;
        }
        Ok(())
    }
}

const POINTS: usize = 1000;
const DIFFUSION: f64 = 0.02 * (POINTS as f64 + 1.0) * (POINTS as f64 + 1.0);

/// The Brusselator with diffusion along a line, two states per point.
pub struct Brusselator {
    pattern: Pattern,
}

impl Brusselator {
    pub fn new() -> Self {
        let rows = (0..2 * POINTS).map(|row| {
            let point = row / 2;
            let left = (point > 0).then(|| row as u32 - 2);
            let right = (point + 1 < POINTS).then_some(row as u32 + 2);
            left.into_iter().chain([2 * point as u32, 2 * point as u32 + 1]).chain(right)
        });
        Brusselator { pattern: Pattern::from_rows(2 * POINTS, rows) }
    }

    pub fn start() -> Vec<f64> {
        let angle = |point: usize| 2.0 * std::f64::consts::PI * (point as f64 + 1.0) / (POINTS as f64 + 1.0);
        (0..POINTS).flat_map(|point| [1.0 + angle(point).sin(), 3.0]).collect()
    }
}

impl Ode for Brusselator {
    fn size(&self) -> usize {
        2 * POINTS
    }

    fn derivative(&mut self, _time: f64, x: &[f64], dx: &mut [f64]) -> Result<(), EvaluationFailed> {
        for point in 0..POINTS {
            let at = |point: usize| [x[2 * point], x[2 * point + 1]];
            let [u, v] = at(point);
            let [u_left, v_left] = if point > 0 { at(point - 1) } else { [1.0, 3.0] };
            let [u_right, v_right] = if point + 1 < POINTS { at(point + 1) } else { [1.0, 3.0] };
            let reaction = u * u * v;
            dx[2 * point] = 1.0 + reaction - 4.0 * u + DIFFUSION * (u_left - 2.0 * u + u_right);
            dx[2 * point + 1] = 3.0 * u - reaction + DIFFUSION * (v_left - 2.0 * v + v_right);
        }
        Ok(())
    }

    fn jacobian_pattern(&self) -> Option<&Pattern> {
        Some(&self.pattern)
    }

    fn jacobian(&mut self, _time: f64, x: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
        let mut next = 0;
        let mut put = |entry: f64| {
            entries[next] = entry;
            next += 1;
        };
        for point in 0..POINTS {
            let (u, v) = (x[2 * point], x[2 * point + 1]);
            let of_first = [2.0 * u * v - 4.0 - 2.0 * DIFFUSION, u * u];
            let of_second = [3.0 - 2.0 * u * v, -u * u - 2.0 * DIFFUSION];
            for row in [of_first, of_second] {
                if point > 0 {
                    put(DIFFUSION);
                }
                row.into_iter().for_each(&mut put);
                if point + 1 < POINTS {
                    put(DIFFUSION);
                }
            }
        }
        Ok(())
    }
}

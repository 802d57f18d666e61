//! Random linear modes.

use modeshift_structure::one_mode::{Column, ModeStructure};

use crate::suite::support::linear::{LinearEquation, LinearSystem, Term};

use super::resolvent::Equation;
use super::sigma;

/// A generator whose numbers are the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % bound
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A nonzero integer of absolute value up to `bound`.
    pub fn nonzero(&mut self, bound: u64) -> i128 {
        let size = 1 + self.below(bound) as i128;
        if self.chance(50) { size } else { -size }
    }

    pub fn integer(&mut self, bound: u64) -> i128 {
        self.below(2 * bound + 1) as i128 - bound as i128
    }
}

/// A linear mode, exact and as floating-point numbers.
#[derive(Clone, Debug)]
pub struct LinearMode {
    pub equations: Vec<Equation>,
    pub structure: ModeStructure,
    pub system: LinearSystem,
}

impl LinearMode {
    /// `None` if structurally singular.
    pub fn new(equations: Vec<Equation>) -> Option<Self> {
        let signature = equations.iter().map(signature_row).collect();
        let structure = sigma::structure(&signature)?;
        let system = LinearSystem { equations: equations.iter().map(linear_equation).collect() };
        Some(LinearMode { equations, structure, system })
    }

    /// The system Jacobian.
    pub fn jacobian(&self) -> Vec<Vec<i128>> {
        let size = self.equations.len();
        let mut matrix = vec![vec![0; size]; size];
        for (row, equation) in self.structure.rows().zip(&self.equations) {
            for &(column, order, coefficient) in equation {
                let offset = self.structure.variable_offset(Column(column as u32));
                if offset == self.structure.equation_offset(row) + order {
                    matrix[row.0 as usize][column] = coefficient;
                }
            }
        }
        matrix
    }
}

fn signature_row(equation: &Equation) -> Vec<(usize, u32)> {
    let mut row: Vec<(usize, u32)> = Vec::new();
    for &(column, order, _) in equation {
        match row.iter_mut().find(|entry| entry.0 == column) {
            Some(entry) => entry.1 = entry.1.max(order),
            None => row.push((column, order)),
        }
    }
    row
}

fn linear_equation(equation: &Equation) -> LinearEquation {
    let term = |&(column, order, coefficient): &(usize, u32, i128)| Term {
        column: Column(column as u32),
        order,
        coefficient: coefficient as f64,
    };
    LinearEquation { terms: equation.iter().map(term).collect(), input: Vec::new() }
}

/// What random equations look like.
#[derive(Clone, Copy)]
pub struct Shape {
    pub highest_order: u64,
    pub density: u64,
    pub coefficients: u64,
}

/// A random equation over `size` variables, never empty.
pub fn equation(random: &mut Random, size: usize, shape: Shape) -> Equation {
    let mut equation = Vec::new();
    let sure = random.below(size as u64) as usize;
    for column in 0..size {
        if column != sure && !random.chance(shape.density) {
            continue;
        }
        let order = if random.chance(55) { 0 } else { random.below(shape.highest_order + 1) as u32 };
        equation.push((column, order, random.nonzero(shape.coefficients)));
        if order > 0 && random.chance(40) {
            equation.push((column, random.below(u64::from(order)) as u32, random.nonzero(shape.coefficients)));
        }
    }
    equation
}

/// A random, structurally regular mode.
pub fn mode(random: &mut Random, size: usize, shape: Shape) -> LinearMode {
    loop {
        let equations = (0..size).map(|_| equation(random, size, shape)).collect();
        if let Some(mode) = LinearMode::new(equations) {
            return mode;
        }
    }
}

//! An affine system with its sources, as one linear system `z' = M z`.
//!
//! The components of `z` are the states, a constant 1, the inputs, and the waves: powers of time times an exponential and a
//! sinusoid, each with what its derivatives are made of.

/// What rings is damped by less than this share of how fast it is.
const RINGING: f64 = 0.1;
/// Full matrices of more components take longer to square than other methods to make their steps: measured on heat that flows along a
/// rod, where 250 components are even.
const LARGEST_FULL: usize = 256;
/// Sweeps of balancing: each brings units of states nearer to each other, by orders of magnitude in the beginning.
const SWEEPS: usize = 12;
/// Longer times than this are not short, whatever the matrix is: with nothing in it, it says nothing.
const LONGEST: f64 = 1e20;

/// `t^power e^(rate t)`, times the cosine and the sine of `frequency t`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    /// The power of time.
    pub power: u32,
    /// The rate of the exponential.
    pub rate: f64,
    /// The angular frequency, which is not negative.
    pub frequency: f64,
}

/// A linear system of states and sources.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    states: usize,
    inputs: usize,
    waves: Vec<Wave>,
    /// Row by row: where each begins in `entries`.
    rows: Vec<u32>,
    entries: Vec<(u32, f64)>,
    /// How fast the system is: a norm of the matrix of the states in balanced units, and of those of the waves.
    speed: f64,
    units: Vec<f64>,
    short_time: f64,
    is_polynomial: bool,
    /// How fast volumes of states shrink, per state.
    damping: f64,
}

impl Field {
    /// The number of states.
    pub fn states(&self) -> usize {
        self.states
    }

    /// The number of components.
    pub fn size(&self) -> usize {
        self.rows.len() - 1
    }

    /// How fast it is.
    pub(super) fn speed(&self) -> f64 {
        self.speed
    }

    /// How fast the fastest wave is.
    pub(super) fn fastest_wave(&self) -> f64 {
        self.waves.iter().map(|it| it.rate.hypot(it.frequency)).fold(0.0, f64::max)
    }

    /// Units of the states in which they act on each other alike.
    pub(super) fn units(&self) -> &[f64] {
        &self.units
    }

    /// Whether all solutions are polynomials in time: no state acts on itself, not even through others, and no wave is more.
    pub fn is_polynomial(&self) -> bool {
        self.is_polynomial
    }

    /// Whether it rings more than it dies away, so that no method can take steps much longer than the fastest oscillation.
    pub fn rings(&self) -> bool {
        self.damping.abs() <= RINGING * self.speed
    }

    /// Whether there are exponentials for longer times than short ones: they are full matrices.
    pub(super) fn has_exponentials(&self) -> bool {
        self.size() <= LARGEST_FULL
    }

    /// A time in which all components change by little more than a power of time.
    pub(super) fn short_time(&self) -> f64 {
        self.short_time
    }

    /// Sets the components that are no states.
    pub(super) fn set_sources(&self, time: f64, inputs: &[f64], components: &mut [f64]) {
        assert_eq!(inputs.len(), self.inputs, "every input has a value");
        let (constants, waves) = components[self.states..].split_at_mut(1 + self.inputs);
        constants[0] = 1.0;
        constants[1..].copy_from_slice(inputs);
        for (wave, place) in self.waves.iter().zip(waves.chunks_exact_mut(2)) {
            let size = time.powi(wave.power as i32) * (wave.rate * time).exp();
            let (sine, cosine) = (wave.frequency * time).sin_cos();
            (place[0], place[1]) = (size * cosine, size * sine);
        }
    }

    /// `M z`, times a factor.
    pub(super) fn multiply(&self, factor: f64, components: &[f64], product: &mut [f64]) {
        for (row, place) in product.iter_mut().enumerate() {
            *place =
                factor * self.row(row).iter().map(|&(column, value)| value * components[column as usize]).sum::<f64>();
        }
    }

    /// The slopes of the states.
    pub(super) fn slopes(&self, components: &[f64], slopes: &mut [f64]) {
        self.multiply(1.0, components, &mut slopes[..self.states]);
    }

    /// The largest term of the slope of a state.
    pub(super) fn largest_term(&self, state: usize, components: &[f64]) -> f64 {
        let terms = self.row(state).iter().map(|&(column, value)| (value * components[column as usize]).abs());
        terms.fold(0.0, f64::max)
    }

    pub(super) fn row(&self, row: usize) -> &[(u32, f64)] {
        &self.entries[self.rows[row] as usize..self.rows[row + 1] as usize]
    }
}

/// Puts a field together.
pub struct FieldBuilder {
    states: usize,
    inputs: usize,
    waves: Vec<Wave>,
    rows: Vec<Vec<(u32, f64)>>,
}

impl FieldBuilder {
    /// Of so many states and inputs; nothing acts yet.
    pub fn new(states: usize, inputs: usize) -> Self {
        FieldBuilder { states, inputs, waves: Vec::new(), rows: vec![Vec::new(); states] }
    }

    /// A state enters the slope of another one.
    pub fn state(&mut self, slope: usize, state: usize, factor: f64) {
        self.rows[slope].push((state as u32, factor));
    }

    /// So does a constant.
    pub fn constant(&mut self, slope: usize, value: f64) {
        self.rows[slope].push((self.states as u32, value));
    }

    /// And an input.
    pub fn input(&mut self, slope: usize, input: usize, factor: f64) {
        self.rows[slope].push(((self.states + 1 + input) as u32, factor));
    }

    /// And a wave, by its cosine and its sine.
    pub fn wave(&mut self, slope: usize, wave: Wave, cosine: f64, sine: f64) {
        let column = self.column(wave);
        self.rows[slope].extend([(column, cosine), (column + 1, sine)].into_iter().filter(|it| it.1 != 0.0));
    }

    /// A wave is there although no slope has it: its column, that of its cosine.
    pub fn has_wave(&mut self, wave: Wave) -> u32 {
        self.column(wave)
    }

    /// The column of the cosine of a wave; the sine is beside it. Lower powers, which its derivatives are made of, come before.
    fn column(&mut self, wave: Wave) -> u32 {
        let first = self.states + 1 + self.inputs;
        if let Some(known) = self.waves.iter().position(|it| *it == wave) {
            return (first + 2 * known) as u32;
        }
        if wave.power > 0 {
            self.column(Wave { power: wave.power - 1, ..wave });
        }
        self.waves.push(wave);
        (first + 2 * (self.waves.len() - 1)) as u32
    }

    /// The field.
    pub fn build(mut self) -> Field {
        let first = self.states + 1 + self.inputs;
        self.rows.resize(first, Vec::new());
        let waves = self.waves.clone();
        for (number, wave) in waves.iter().enumerate() {
            let cosine = (first + 2 * number) as u32;
            let mut rows = [
                vec![(cosine, wave.rate), (cosine + 1, -wave.frequency)],
                vec![(cosine, wave.frequency), (cosine + 1, wave.rate)],
            ];
            if wave.power > 0 {
                let lower = self.column(Wave { power: wave.power - 1, ..*wave });
                rows[0].push((lower, f64::from(wave.power)));
                rows[1].push((lower + 1, f64::from(wave.power)));
            }
            for mut row in rows {
                row.retain(|it| it.1 != 0.0);
                self.rows.push(row);
            }
        }
        let fastest = waves.iter().map(|it| it.rate.hypot(it.frequency)).fold(0.0, f64::max);
        let (norm, units) = balanced_norm(&self.rows[..self.states]);
        let speed = norm.max(fastest);
        let is_polynomial = fastest == 0.0 && is_nilpotent(&self.rows[..self.states]);
        let diagonal = (0..self.states).map(|row| -diagonal_entry(&self.rows[row], row)).sum::<f64>();
        let damping = diagonal / self.states.max(1) as f64;
        let mut rows = vec![0];
        let mut entries = Vec::new();
        for row in self.rows {
            entries.extend(row);
            rows.push(entries.len() as u32);
        }
        // A power of two, so that shares of it are exact.
        let short_time = (1.0 / speed).min(LONGEST).log2().floor().exp2();
        Field {
            states: self.states,
            inputs: self.inputs,
            waves,
            rows,
            entries,
            speed,
            units,
            short_time,
            is_polynomial,
            damping,
        }
    }
}

fn diagonal_entry(row: &[(u32, f64)], number: usize) -> f64 {
    row.iter().filter(|it| it.0 as usize == number).map(|it| it.1).sum()
}

/// Whether no state acts on itself, not even through others: those that only such act on are taken away, again and again.
fn is_nilpotent(rows: &[Vec<(u32, f64)>]) -> bool {
    let mut left: Vec<usize> = (0..rows.len()).collect();
    let mut is_gone = vec![false; rows.len()];
    loop {
        let before = left.len();
        left.retain(|&row| {
            let mut others = rows[row].iter().map(|it| it.0 as usize).filter(|&column| column < rows.len());
            is_gone[row] = others.all(|column| is_gone[column]);
            !is_gone[row]
        });
        if left.is_empty() || left.len() == before {
            return left.is_empty();
        }
    }
}

/// The largest sum of a row of the matrix of the states, in units in which rows and columns are alike (Osborne), and these.
pub(in crate::integrate) fn balanced_norm(rows: &[Vec<(u32, f64)>]) -> (f64, Vec<f64>) {
    let count = rows.len();
    let mut units = vec![1.0; count];
    let of_states = |row: usize| {
        rows[row].iter().map(|&(column, value)| (column as usize, value.abs())).filter(move |it| it.0 < count)
    };
    for _ in 0..SWEEPS {
        let (mut by_row, mut by_column) = (vec![0.0; count], vec![0.0; count]);
        for row in 0..count {
            for (column, value) in of_states(row).filter(|it| it.0 != row) {
                let scaled = value * units[column] / units[row];
                by_row[row] += scaled;
                by_column[column] += scaled;
            }
        }
        for (unit, (row, column)) in units.iter_mut().zip(by_row.into_iter().zip(by_column)) {
            // A state that acts on nothing, or that nothing acts on, can be made as small or as large as one likes.
            let factor: f64 = match (row > 0.0, column > 0.0) {
                (true, true) => row / column,
                (true, false) => 1e6,
                (false, true) => 1e-6,
                (false, false) => 1.0,
            };
            *unit *= factor.sqrt().sqrt();
        }
    }
    let sums = (0..count).map(|row| of_states(row).map(|(column, value)| value * units[column] / units[row]).sum());
    (sums.fold(0.0, f64::max), units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_of_an_oscillation_is_its_frequency_whatever_the_units() {
        let mut builder = FieldBuilder::new(2, 0);
        builder.state(0, 1, 1e9);
        builder.state(1, 0, -1e-3);
        let speed = builder.build().speed;
        assert!((1e3..1.5e3).contains(&speed), "{speed}");
    }

    #[test]
    fn a_body_that_falls_is_a_polynomial_and_an_oscillation_is_none() {
        let fall = |back: f64| {
            let mut builder = FieldBuilder::new(2, 0);
            builder.state(0, 1, 1.0);
            builder.constant(1, -9.81);
            if back != 0.0 {
                builder.state(1, 0, back);
            }
            builder.build()
        };
        assert!(fall(0.0).is_polynomial() && !fall(-1.0).is_polynomial());
    }

    #[test]
    fn waves_solve_their_equations() {
        let mut builder = FieldBuilder::new(1, 0);
        builder.wave(0, Wave { power: 2, rate: -0.5, frequency: 3.0 }, 1.0, 2.0);
        let field = builder.build();
        let (mut before, mut after) = (vec![0.0; field.size()], vec![0.0; field.size()]);
        let (mut slopes, mut here) = (before.clone(), before.clone());
        field.set_sources(0.7, &[], &mut here);
        field.set_sources(0.7 - 1e-5, &[], &mut before);
        field.set_sources(0.7 + 1e-5, &[], &mut after);
        field.multiply(1.0, &here, &mut slopes);
        for component in 1..field.size() {
            let difference = (after[component] - before[component]) / 2e-5;
            assert!((difference - slopes[component]).abs() < 1e-8, "{component}: {difference}, {}", slopes[component]);
        }
    }
}

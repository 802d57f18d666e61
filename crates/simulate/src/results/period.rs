//! What users of converters ask of a period: means, effective values, ripples and harmonics of variables.
//!
//! Integrals are those of parabolas through rows, from event to event: what jumps is no part of any.

use std::f64::consts::TAU;
use std::sync::Arc;

use super::columns::{ColumnKind, Columns};
use super::observer::Observer;
use super::plot::matching;

/// So many harmonics.
const HARMONICS: usize = 5;
/// Steps that are more than so many times as long as their neighbours are not part of one parabola.
const ALIKE: f64 = 8.0;

/// A harmonic of a period: `amplitude*cos(order*2*pi*(t - from)/T + phase)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Harmonic {
    /// Its order; 1 is the fundamental.
    pub order: usize,
    /// Its amplitude.
    pub amplitude: f64,
    /// Its phase, in radians.
    pub phase: f64,
}

/// A variable over a period.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableStatistics {
    /// Its name.
    pub variable: Arc<str>,
    /// Its mean.
    pub mean: f64,
    /// Its effective value: the root of the mean of its square.
    pub rms: f64,
    /// Its least value.
    pub least: f64,
    /// Its largest value.
    pub largest: f64,
    /// The first harmonics.
    pub harmonics: Vec<Harmonic>,
}

/// Keeps the rows of a period.
#[derive(Default)]
pub struct PeriodStatistics {
    wanted: Vec<String>,
    columns: Vec<(Arc<str>, usize)>,
    times: Vec<f64>,
    values: Vec<Vec<f64>>,
}

impl PeriodStatistics {
    /// Of the variables with these names, in which `*` stands for any text; of all continuous ones where there are none.
    pub fn of(wanted: Vec<String>) -> Self {
        PeriodStatistics { wanted, ..PeriodStatistics::default() }
    }

    /// What came of it, of each variable that exists all the time.
    pub fn finish(&self) -> Vec<VariableStatistics> {
        let exist = self.columns.iter().zip(&self.values).filter(|(_, values)| values.iter().all(|it| it.is_finite()));
        if self.times.len() < 2 {
            return Vec::new();
        }
        exist.map(|((name, _), values)| self.statistics(name, values)).collect()
    }

    fn statistics(&self, name: &Arc<str>, values: &[f64]) -> VariableStatistics {
        let (from, period) = (self.times[0], self.times[self.times.len() - 1] - self.times[0]);
        let angle = |order: usize, row: usize| TAU * order as f64 * (self.times[row] - from) / period;
        let harmonics = (1..=HARMONICS).map(|order| {
            let cosine = 2.0 * self.integral(|row| values[row] * angle(order, row).cos()) / period;
            let sine = 2.0 * self.integral(|row| values[row] * angle(order, row).sin()) / period;
            Harmonic { order, amplitude: cosine.hypot(sine), phase: (-sine).atan2(cosine) }
        });
        VariableStatistics {
            variable: name.clone(),
            mean: self.integral(|row| values[row]) / period,
            rms: (self.integral(|row| values[row] * values[row]) / period).max(0.0).sqrt(),
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            largest: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            harmonics: harmonics.collect(),
        }
    }

    /// The integral of a function of the rows.
    fn integral(&self, value: impl Fn(usize) -> f64) -> f64 {
        let times = &self.times;
        let (mut sum, mut row) = (0.0, 0);
        while row + 1 < times.len() {
            let first = times[row + 1] - times[row];
            let second = times.get(row + 2).map_or(0.0, |time| time - times[row + 1]);
            if first > 0.0 && second > 0.0 && first <= ALIKE * second && second <= ALIKE * first {
                let (ratio, both) = (second / first, first + second);
                sum += both / 6.0
                    * ((2.0 - ratio) * value(row)
                        + both * both / (first * second) * value(row + 1)
                        + (2.0 - 1.0 / ratio) * value(row + 2));
                row += 2;
                continue;
            }
            let before = if row > 0 { times[row] - times[row - 1] } else { 0.0 };
            sum += if before > 0.0 && first > 0.0 && first <= ALIKE * before && before <= ALIKE * first {
                // The parabola through the row before.
                let both = before + first;
                first * (2.0 * first + 3.0 * before) / (6.0 * both) * value(row + 1)
                    + first * (first + 3.0 * before) / (6.0 * before) * value(row)
                    - first.powi(3) / (6.0 * before * both) * value(row - 1)
            } else {
                0.5 * first * (value(row) + value(row + 1))
            };
            row += 1;
        }
        sum
    }
}

impl Observer for PeriodStatistics {
    fn columns(&mut self, columns: &Columns) {
        let all = columns.columns.iter().enumerate().filter(|(_, column)| column.kind == ColumnKind::Continuous);
        let mut places: Vec<usize> = self.wanted.iter().flat_map(|name| matching(name, columns)).collect();
        places.sort_unstable();
        places.dedup();
        let is_wanted = |place: usize| self.wanted.is_empty() || places.binary_search(&place).is_ok();
        self.columns = all.filter(|it| is_wanted(it.0)).map(|(place, it)| (it.name.clone(), place)).collect();
        self.values = self.columns.iter().map(|_| Vec::new()).collect();
    }

    fn row(&mut self, time: f64, values: &[f64]) {
        self.times.push(time);
        for (kept, &(_, place)) in self.values.iter_mut().zip(&self.columns) {
            kept.push(values[place]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectified_wave_has_its_known_mean_effective_value_and_harmonics() {
        // |sin| over a period of 2, with a jump of nothing in the middle, and a saw tooth that jumps.
        let mut statistics = PeriodStatistics {
            columns: vec![("wave".into(), 0), ("saw".into(), 1)],
            values: vec![Vec::new(), Vec::new()],
            ..PeriodStatistics::default()
        };
        for half in [0.0, 1.0] {
            for step in 0..=1000 {
                let share = f64::from(step) / 1000.0;
                statistics.row(half + share, &[(std::f64::consts::PI * share).sin(), share]);
            }
        }
        let found = statistics.finish();
        assert!((found[0].mean - 2.0 / std::f64::consts::PI).abs() < 1e-10, "{:?}", found[0]);
        assert!((found[0].rms - 0.5f64.sqrt()).abs() < 1e-10);
        assert!((found[0].harmonics[1].amplitude - 4.0 / (3.0 * std::f64::consts::PI)).abs() < 1e-9);
        assert!(found[0].harmonics[0].amplitude < 1e-9);
        assert!((found[1].mean - 0.5).abs() < 1e-12 && (found[1].rms - (1.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!((found[1].least, found[1].largest), (0.0, 1.0));
        assert!((found[1].harmonics[1].amplitude - 1.0 / std::f64::consts::PI).abs() < 1e-9);
    }
}

//! Which runs there are.

use modeshift_driver::simulate::{Method, RunOptions};

use crate::samples::{normal_quantile, permutation, uniform};

/// Many runs of one model.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The file of the model, as the plan names it.
    pub file: Option<String>,
    /// The class; by default the last model of the file that is not partial.
    pub class: Option<String>,
    /// Where packages are looked for, as the plan names them.
    pub libraries: Vec<String>,
    /// Parameters that are the same in all runs.
    pub fixed: Vec<(String, String)>,
    /// Parameters that are varied.
    pub varied: Vec<Varied>,
    /// How they are combined.
    pub design: Design,
    /// When to start.
    pub start: Option<f64>,
    /// When to stop.
    pub stop: Option<f64>,
    /// The distance between rows of signals.
    pub interval: Option<f64>,
    /// The tolerance.
    pub tolerance: Option<f64>,
    /// The integrator.
    pub method: Method,
    /// The initial scenario.
    pub scenario: Option<String>,
    /// The variables whose last values are kept, with `*` for any text; none for states and outputs.
    pub ends: Vec<String>,
    /// The variables that are kept with all their rows.
    pub signals: Vec<String>,
    /// Whether events are kept.
    pub events: bool,
    /// A run that takes longer than so many seconds is given up.
    pub time_limit: Option<f64>,
    /// Orders of samples, one for each varied parameter.
    pub(crate) orders: Vec<Vec<u32>>,
}

/// A parameter that is varied.
#[derive(Clone, Debug, PartialEq)]
pub struct Varied {
    /// Its name.
    pub name: String,
    /// Its values.
    pub spread: Spread,
}

/// The values of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Spread {
    /// These, as they were written.
    List(Vec<String>),
    /// Between two numbers: of a grid so many, of samples anywhere; evenly, or evenly in the logarithm.
    Range {
        /// The least.
        from: f64,
        /// The largest.
        to: f64,
        /// How many in a grid.
        count: Option<usize>,
        /// Whether logarithms are spread evenly.
        log: bool,
    },
    /// Normally distributed.
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        deviation: f64,
    },
}

/// How varied parameters are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Design {
    /// Every value with every other; the last parameter changes fastest.
    #[default]
    Grid,
    /// The first values, the second values, and so on.
    List,
    /// Random values, independent of each other.
    Random {
        /// How many runs.
        samples: usize,
        /// What determines the values.
        seed: u64,
    },
    /// Random values, with one in each of as many equal parts of a parameter's values as there are runs.
    Latin {
        /// How many runs.
        samples: usize,
        /// What determines the values.
        seed: u64,
    },
}

/// More runs than this are a mistake in the plan.
const MOST_RUNS: usize = 100_000_000;

impl Plan {
    /// A plan from TOML.
    pub fn from_toml(text: &str) -> Result<Plan, String> {
        crate::plan_toml::read(text)?.checked()
    }

    /// A plan from CSV: a line of names, then one run per line.
    pub fn from_csv(text: &str) -> Result<Plan, String> {
        crate::plan_csv::read(text)?.checked()
    }

    /// Looks at the whole, once it is put together.
    fn checked(mut self) -> Result<Plan, String> {
        for (at, varied) in self.varied.iter().enumerate() {
            let name = &varied.name;
            if self.varied[..at].iter().any(|other| other.name == *name) {
                return Err(format!("`{name}` is varied twice"));
            }
            self.check_spread(varied)?;
        }
        self.check_fixed(&self.fixed)?;
        let count = match self.design {
            Design::Grid => self.varied.iter().try_fold(1_usize, |all, it| all.checked_mul(it.spread.count())),
            Design::List => Some(self.varied.first().map_or(1, |it| it.spread.count())),
            Design::Random { samples, .. } | Design::Latin { samples, .. } => Some(samples),
        };
        match count {
            Some(0) => return Err("the plan has no runs".to_string()),
            Some(count) if count <= MOST_RUNS => {}
            _ => return Err(format!("the plan has more than {MOST_RUNS} runs")),
        }
        if self.design == Design::List
            && let Some(other) = self.varied.iter().find(|it| it.spread.count() != self.varied[0].spread.count())
        {
            let (first, one, two) = (&self.varied[0].name, self.varied[0].spread.count(), other.spread.count());
            return Err(format!(
                "`{first}` has {one} values and `{}` has {two}; a list has as many of each",
                other.name
            ));
        }
        if let Design::Latin { samples, seed } = self.design {
            let streams = 0..self.varied.len() as u64;
            self.orders = streams.map(|stream| permutation(seed, 2 * stream, samples)).collect();
        }
        Ok(self)
    }

    /// That none of these parameters, which have a value, is varied.
    pub(crate) fn check_fixed(&self, fixed: &[(String, String)]) -> Result<(), String> {
        match self.varied.iter().find(|varied| fixed.iter().any(|(name, _)| *name == varied.name)) {
            Some(Varied { name, .. }) => Err(format!("`{name}` is both fixed and varied")),
            None => Ok(()),
        }
    }

    fn check_spread(&self, varied: &Varied) -> Result<(), String> {
        let (name, is_sampled) = (&varied.name, !matches!(self.design, Design::Grid | Design::List));
        match &varied.spread {
            Spread::List(values) if values.is_empty() => Err(format!("`{name}` has no values")),
            Spread::Range { from, to, .. } if from > to => Err(format!("`{name}`: {from} is larger than {to}")),
            Spread::Range { from, log: true, .. } if *from <= 0.0 => {
                Err(format!("`{name}`: numbers that are spread by logarithms are greater than 0"))
            }
            Spread::Range { count: None, .. } if !is_sampled => {
                Err(format!("`{name}`: a grid needs `count`, the number of values"))
            }
            Spread::Range { count: Some(0), .. } => Err(format!("`{name}` has no values")),
            Spread::Normal { .. } if !is_sampled => {
                Err(format!("`{name}`: a normal distribution is for `random` and `latin`"))
            }
            Spread::Normal { deviation, .. } if *deviation < 0.0 => {
                Err(format!("`{name}`: a standard deviation is not negative"))
            }
            _ => Ok(()),
        }
    }

    /// How many runs there are.
    pub fn count(&self) -> usize {
        match self.design {
            Design::Grid => self.varied.iter().map(|it| it.spread.count()).product(),
            Design::List => self.varied.first().map_or(1, |it| it.spread.count()),
            Design::Random { samples, .. } | Design::Latin { samples, .. } => samples,
        }
    }

    /// The values of varied parameters in a run, as a user would write them.
    pub fn values(&self, run: usize) -> Vec<String> {
        let mut rest = run;
        let mut values: Vec<String> = Vec::with_capacity(self.varied.len());
        // In a grid the last parameter changes fastest.
        for (at, varied) in self.varied.iter().enumerate().rev() {
            let count = varied.spread.count();
            values.push(match self.design {
                Design::Grid => {
                    let own = rest % count;
                    rest /= count;
                    varied.spread.of_grid(own)
                }
                Design::List => varied.spread.of_grid(run),
                Design::Random { seed, .. } => varied.spread.at(uniform(seed, 2 * at as u64, run as u64)),
                Design::Latin { samples, seed } => {
                    let inside = uniform(seed, 2 * at as u64 + 1, run as u64);
                    varied.spread.at((f64::from(self.orders[at][run]) + inside) / samples as f64)
                }
            });
        }
        values.reverse();
        values
    }

    /// All parameters of a run that are not as in the model.
    pub fn parameters(&self, run: usize) -> Vec<(String, String)> {
        self.varied.iter().map(|it| it.name.clone()).zip(self.values(run)).collect()
    }

    /// How runs go.
    pub fn options(&self) -> RunOptions {
        RunOptions {
            method: self.method,
            start: self.start,
            stop: self.stop,
            interval: self.interval,
            tolerance: self.tolerance,
            scenario: self.scenario.clone(),
            ..RunOptions::default()
        }
    }
}

impl Spread {
    /// How many values there are in a grid.
    fn count(&self) -> usize {
        match self {
            Spread::List(values) => values.len(),
            Spread::Range { count, .. } => count.unwrap_or(0),
            Spread::Normal { .. } => 0,
        }
    }

    /// One of the values of a grid.
    fn of_grid(&self, at: usize) -> String {
        match self {
            Spread::List(values) => values[at].clone(),
            Spread::Range { count, .. } => {
                let last = count.unwrap_or(1).saturating_sub(1);
                self.at(if last == 0 { 0.0 } else { at as f64 / last as f64 })
            }
            Spread::Normal { .. } => unreachable!("a plan with a normal distribution in a grid was refused"),
        }
    }

    /// The value that this share of the values lies below.
    fn at(&self, share: f64) -> String {
        let value = match self {
            Spread::List(values) => {
                let at = (share * values.len() as f64) as usize;
                return values[at.min(values.len() - 1)].clone();
            }
            // The ends are met exactly.
            Spread::Range { to, .. } if share >= 1.0 => *to,
            Spread::Range { from, .. } if share <= 0.0 => *from,
            Spread::Range { from, to, log: false, .. } => from + share * (to - from),
            // Decimal, so that the decades between two are met exactly too.
            Spread::Range { from, to, log: true, .. } => {
                10.0_f64.powf(from.log10() + share * (to.log10() - from.log10()))
            }
            Spread::Normal { mean, deviation } => mean + deviation * normal_quantile(share),
        };
        format!("{value:?}")
    }

    /// Whether all values are numbers.
    pub(crate) fn is_numeric(&self) -> bool {
        match self {
            Spread::List(values) => values.iter().all(|value| value.parse::<f64>().is_ok()),
            _ => true,
        }
    }
}

//! A problem: a system with its settings, in levels of tolerance.

use std::cell::{RefCell, RefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use modeshift_numerics::Pattern;

use super::amplification::{Recent, amplification};
use super::backward::Backward;
use super::brief::Choice;
use super::esdirk::Esdirk;
use super::evaluations::Evaluations;
use super::exact::{Exact, Exponentials};
use super::explicit::Explicit;
use super::first_step::first_step;
use super::integrator::Integrator;
use super::methods::{Advance, NoStep, Start, first_order};
use super::newton_matrix::Home;
use super::runge_kutta::RungeKutta;
use super::sizes::precursors::{Precursor, precursors};
use super::sizes::{Sizes, Weights};
use super::{EvaluationFailed, FailureReason, IntegrationFailure, Method, Ode, Settings, step_tolerance};

/// The amplifications of errors up to which the levels of tolerance serve, of which each is a third of the one before;
/// the last serves for all beyond. What is amplified also accumulates: measured on closed forms.
const AMPLIFICATIONS: [f64; 3] = [1.5, 2.5, 8.0];
const LEVELS: usize = AMPLIFICATIONS.len() + 1;
/// Errors are made smaller by at most this.
pub(crate) const LARGEST_AMPLIFICATION: f64 = 27.0;

/// What problems whose Jacobians have one pattern hand on to each other.
#[derive(Clone, Default)]
pub struct Handed {
    /// The matrix, with an order of elimination.
    home: Arc<Home>,
    /// How errors are amplified.
    level: Arc<OnlyRising>,
}

/// The level that the amplification of errors asks for, counted from one; zero while it is not known.
#[derive(Default)]
struct OnlyRising(AtomicUsize);

impl OnlyRising {
    fn get(&self) -> Option<usize> {
        self.0.load(Ordering::Relaxed).checked_sub(1)
    }

    fn rise(&self, level: usize) {
        self.0.fetch_max(level + 1, Ordering::Relaxed);
    }
}

impl Handed {
    /// The same for a problem whose slopes have other derivatives: how they amplify errors is not known.
    pub fn with_other_slopes(&self) -> Self {
        Handed { home: self.home.clone(), level: Arc::default() }
    }
}

/// What rounding makes of the slopes of all states at a time with these states; empty where that is not known.
pub(crate) type SlopeNoises<'a> = dyn Fn(f64, &[f64]) -> Vec<f64> + 'a;

/// A system and how to integrate it; made once per mode, started as often as the mode is entered.
pub struct Problem<System: Ode> {
    evaluations: Evaluations<System>,
    handed: Handed,
    /// What exact solutions hand on.
    exponentials: RefCell<Option<Exponentials>>,
    settings: Settings,
    declared: Arc<[f64]>,
    /// Which method is at work where that is left open.
    pub(super) choice: Choice,
}

impl<System: Ode> Problem<System> {
    /// A system with its settings.
    pub fn new(system: System, settings: &Settings) -> Self {
        Problem::sharing(system, settings, Handed::default())
    }

    /// The same, going on with what others have handed on.
    pub fn sharing(system: System, settings: &Settings, handed: Handed) -> Self {
        assert_eq!(system.size(), settings.nominal.len(), "every state has a nominal size");
        Problem {
            evaluations: Evaluations::new(system),
            handed,
            exponentials: RefCell::new(None),
            settings: settings.clone(),
            declared: settings.nominal.iter().map(|nominal| nominal.abs()).collect(),
            choice: Choice::new(),
        }
    }

    /// The system, to evaluate between steps.
    pub fn system(&self) -> RefMut<'_, System> {
        self.evaluations.system()
    }

    /// Begins an integration. The first step is chosen from `f` near the start, unless a length is given.
    pub fn start(
        &self,
        time: f64,
        state: &[f64],
        step: Option<f64>,
    ) -> Result<Integrator<'_, System>, IntegrationFailure> {
        self.choose(time, state);
        Ok(Integrator::new(self, self.begin(time, state, None, step)?, time, state))
    }

    /// Begins an integration of states of which some sizes are known from before, and of all that rounding makes of slopes.
    pub fn start_with(
        &self,
        time: f64,
        state: &[f64],
        known: &Sizes,
        slope_noises: &SlopeNoises,
    ) -> Result<Integrator<'_, System>, IntegrationFailure> {
        self.choose(time, state);
        let advance = self.begin_measured(time, state, Some(known), None, Some(slope_noises))?;
        Ok(Integrator::new(self, advance, time, state))
    }

    /// The method at work from a point on, with the tolerance of the present level.
    pub(super) fn begin(
        &self,
        time: f64,
        state: &[f64],
        known: Option<&Sizes>,
        step: Option<f64>,
    ) -> Result<Box<dyn Advance + '_>, IntegrationFailure> {
        self.begin_measured(time, state, known, step, None)
    }

    fn begin_measured(
        &self,
        time: f64,
        state: &[f64],
        known: Option<&Sizes>,
        step: Option<f64>,
        slope_noises: Option<&SlopeNoises>,
    ) -> Result<Box<dyn Advance + '_>, IntegrationFailure> {
        let method = self.choice.method(self.settings.method);
        let mut weights = Weights::new(self.present_tolerance(), self.declared.clone(), state, known);
        self.system().begin();
        let flow = if matches!(method, Method::Auto | Method::Exact) { self.system().flow() } else { None };
        if let Some(flow) = flow {
            let start = Start { weights, time, state, derivative: &[], step: 0.0 };
            return Ok(Box::new(Exact::new(flow, &self.exponentials, start)));
        }
        let derivative = self.first_derivative(time, state)?;
        let longest = self.settings.longest_step;
        let step = match step {
            Some(given) => given.min(longest),
            None => {
                let point = (state, derivative.as_slice());
                let rounding = slope_noises.unwrap_or(&|_, _| Vec::new());
                first_step(&self.evaluations, &mut weights, time, point, first_order(method), longest, rounding)
            }
        };
        // What rounding makes of slopes at the start is known of all states; sizes are made of that of states at rest alone.
        weights.sizes.slope_noise.fill(0.0);
        let start = Start { weights, time, state, derivative: &derivative, step };
        let evaluations = &self.evaluations;
        Ok(match method {
            _ if state.is_empty() => Box::new(NoStates { time, sizes: Sizes::default() }),
            Method::Auto | Method::Exact | Method::Bdf => {
                Box::new(Backward::new(evaluations, &self.handed.home, &start))
            }
            Method::Esdirk => {
                Box::new(RungeKutta::new(evaluations, Esdirk::new(evaluations, &self.handed.home), &start))
            }
            Method::Explicit => Box::new(RungeKutta::new(evaluations, Explicit, &start)),
        })
    }

    fn level(&self) -> usize {
        self.known_level().unwrap_or(0)
    }

    fn known_level(&self) -> Option<usize> {
        self.handed.level.get()
    }

    /// The error that one step may make now, relative to sizes.
    pub(super) fn present_tolerance(&self) -> f64 {
        let amplified = self.settings.tolerance / 3f64.powi(self.level() as i32);
        step_tolerance(self.choice.method(self.settings.method), amplified)
    }

    /// Whether it was found how errors are amplified; without states, there are none.
    pub(super) fn is_known(&self) -> bool {
        self.known_level().is_some() || self.evaluations.size == 0
    }

    /// Whether nothing that is found can make steps smaller.
    pub(super) fn is_at_last_level(&self) -> bool {
        self.known_level() == Some(LEVELS - 1)
    }

    /// Whether errors show many times larger than in the states, and the method is one for stiff systems.
    pub(super) fn is_amplified(&self) -> bool {
        self.is_at_last_level() && self.settings.method != Method::Explicit
    }

    /// The system.
    pub(super) fn evaluations(&self) -> &Evaluations<System> {
        &self.evaluations
    }

    /// The states that grow towards what others are.
    pub(super) fn precursors(&self, (time, state): (f64, &[f64]), sizes: &Sizes) -> Vec<Precursor> {
        let found = self.evaluations.with_jacobian(time, state, |pattern, entries| match pattern {
            Some(pattern) => precursors(pattern, entries, sizes),
            None => precursors(&Pattern::dense(state.len(), state.len()), entries, sizes),
        });
        found.unwrap_or_default()
    }

    /// The rate with which each state goes back, or on, by itself; zero where that is not known.
    pub(super) fn own_rates(&self, time: f64, state: &[f64]) -> Vec<f64> {
        let dense = || Pattern::dense(state.len(), state.len());
        let diagonal = |pattern: &Pattern, entries: &[f64]| -> Vec<f64> {
            let own = |row: usize| pattern.row_entries(entries, row).find(|&(column, _)| column == row);
            (0..state.len()).map(|row| own(row).map_or(0.0, |(_, entry)| entry.abs())).collect()
        };
        let found = self.evaluations.with_jacobian(time, state, |pattern, entries| match pattern {
            Some(pattern) => diagonal(pattern, entries),
            None => diagonal(&dense(), entries),
        });
        found.unwrap_or_else(|| vec![0.0; state.len()])
    }

    /// Finds how the errors of steps are amplified; whether smaller ones are to be made from now on.
    pub(super) fn learn(&self, recent: &Recent, known: &Sizes) -> bool {
        let before = self.level();
        let found = recent.error().map_or(1.0, |mut error| {
            let mut sizes = recent.sizes(&self.declared);
            // What a growing state is wrong by shows nowhere: it is far below what it is to become.
            for precursor in &known.precursors {
                let state = precursor.state();
                sizes[state] = sizes[state].max(precursor.prospect(&known.lately));
                error[state] = 0.0;
            }
            amplification(&self.evaluations, &sizes, recent.last(), &error)
        });
        let level = AMPLIFICATIONS.iter().position(|&most| found <= most).unwrap_or(AMPLIFICATIONS.len());
        self.handed.level.rise(level);
        level > before
    }

    fn first_derivative(&self, time: f64, state: &[f64]) -> Result<Vec<f64>, IntegrationFailure> {
        self.evaluations.take_failure();
        let mut derivative = vec![0.0; state.len()];
        match self.evaluations.derivative(time, state, &mut derivative) {
            true => Ok(derivative),
            false => Err(IntegrationFailure {
                reason: FailureReason::NoDerivative,
                time,
                state: state.to_vec(),
                step: 0.0,
                evaluation: self.evaluations.take_failure(),
            }),
        }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How often `f` and its Jacobian were evaluated so far.
    pub(super) fn counts(&self) -> (usize, usize) {
        self.evaluations.counts()
    }

    pub(super) fn take_failure(&self) -> Option<EvaluationFailed> {
        self.evaluations.take_failure()
    }
}

/// A system without states is wherever it is told to be.
struct NoStates {
    time: f64,
    sizes: Sizes,
}

impl Advance for NoStates {
    fn advance(&mut self, stop: f64) -> Result<(), NoStep> {
        self.time = stop;
        Ok(())
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn state(&self) -> &[f64] {
        &[]
    }

    fn next_step(&self) -> (f64, usize) {
        (0.0, 0)
    }

    fn interpolate(&mut self, _time: f64, _state: &mut [f64]) {}

    fn tighten(&mut self, _tolerance: f64) {}

    fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    fn sizes_mut(&mut self) -> &mut Sizes {
        &mut self.sizes
    }

    fn refusals(&self) -> (usize, usize) {
        (0, 0)
    }
}

//! A problem: a system with its settings, in levels of tolerance.

use std::cell::{Cell, RefCell, RefMut};

use super::amplification::{Recent, amplification};
use super::backward::Backward;
use super::esdirk::Esdirk;
use super::evaluations::Evaluations;
use super::explicit::Explicit;
use super::first_step::{Weights, first_step};
use super::integrator::Integrator;
use super::methods::{Advance, NoStep, Start, first_order};
use super::newton_matrix::Home;
use super::runge_kutta::RungeKutta;
use super::{EvaluationFailed, FailureReason, IntegrationFailure, Method, Ode, Settings, step_tolerance};

/// The amplifications of errors up to which the levels of tolerance serve, of which each is a third of the one before;
/// the last serves for all beyond. What is amplified also accumulates: measured on closed forms.
const AMPLIFICATIONS: [f64; 3] = [1.5, 2.5, 8.0];
const LEVELS: usize = AMPLIFICATIONS.len() + 1;

/// A system and how to integrate it; made once per mode, started as often as the mode is entered.
pub struct Problem<System: Ode> {
    evaluations: Evaluations<System>,
    /// The matrix that integrations hand on.
    home: Home,
    settings: Settings,
    /// The level that the amplification of errors asks for, as far as it is known; it only rises.
    level: Cell<Option<usize>>,
}

impl<System: Ode> Problem<System> {
    /// A system with its settings.
    pub fn new(system: System, settings: &Settings) -> Self {
        assert_eq!(system.size(), settings.nominal.len(), "every state has a nominal size");
        Problem {
            evaluations: Evaluations::new(system),
            home: RefCell::new(None),
            settings: settings.clone(),
            level: Cell::new(None),
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
        Ok(Integrator::new(self, self.begin(time, state, step)?, time, state))
    }

    /// The method at work from a point on, with the tolerance of the present level.
    pub(super) fn begin(
        &self,
        time: f64,
        state: &[f64],
        step: Option<f64>,
    ) -> Result<Box<dyn Advance + '_>, IntegrationFailure> {
        let (method, level) = (self.settings.method, self.level());
        let weights = self.weights(level);
        self.system().begin();
        let derivative = self.first_derivative(time, state)?;
        let longest = self.settings.longest_step;
        let step = match step {
            Some(given) => given.min(longest),
            None => first_step(&self.evaluations, &weights, time, (state, &derivative), first_order(method), longest),
        };
        let start = Start { weights, time, state, derivative: &derivative, step };
        let evaluations = &self.evaluations;
        Ok(match method {
            _ if state.is_empty() => Box::new(NoStates { time }),
            Method::Bdf => Box::new(Backward::new(evaluations, &self.home, &start)),
            Method::Esdirk => Box::new(RungeKutta::new(evaluations, Esdirk::new(evaluations, &self.home), &start)),
            Method::Explicit => Box::new(RungeKutta::new(evaluations, Explicit, &start)),
        })
    }

    fn level(&self) -> usize {
        self.level.get().unwrap_or(0)
    }

    /// The errors that one step may make now.
    pub(super) fn present_weights(&self) -> Weights {
        self.weights(self.level())
    }

    /// The errors that one step may make.
    fn weights(&self, level: usize) -> Weights {
        let amplified = self.settings.tolerance / 3f64.powi(level as i32);
        let relative = step_tolerance(self.settings.method, amplified);
        let absolute = self.settings.nominal.iter().map(|nominal| relative * nominal.abs()).collect();
        Weights { relative, absolute }
    }

    /// Whether it was found how errors are amplified; without states, there are none.
    pub(super) fn is_known(&self) -> bool {
        self.level.get().is_some() || self.evaluations.size == 0
    }

    /// Whether nothing that is found can make steps smaller.
    pub(super) fn is_at_last_level(&self) -> bool {
        self.level.get() == Some(LEVELS - 1)
    }

    /// Finds how the errors of steps are amplified; whether smaller ones are to be made from now on.
    pub(super) fn learn(&self, recent: &Recent) -> bool {
        let before = self.level();
        let weights = self.weights(before);
        let found = recent.error().map_or(1.0, |error| {
            let (time, state) = recent.last();
            amplification(&self.evaluations, &weights, time, state, &error)
        });
        let level = AMPLIFICATIONS.iter().position(|&most| found <= most).unwrap_or(AMPLIFICATIONS.len());
        self.level.set(Some(level.max(before)));
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

    fn tighten(&mut self, _weights: &Weights) {}

    fn refusals(&self) -> (usize, usize) {
        (0, 0)
    }
}

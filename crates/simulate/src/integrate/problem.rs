//! A problem: a system with its settings, in levels of tolerance.

use std::cell::{Cell, OnceCell, RefMut};
use std::rc::Rc;

use diffsol::{FaerSparseMat, NalgebraMat, OdeBuilder, OdeSolverProblem};

use super::amplification::{Recent, amplification};
use super::equations::{Equations, Kind, Shared};
use super::first_step::{Weights, first_step};
use super::integrator::Integrator;
use super::methods::{self, Advance, Start};
use super::{EvaluationFailed, FailureReason, IntegrationFailure, Ode, Settings, step_tolerance};

/// Systems up to this size have full matrices whatever their pattern.
const SMALL: usize = 32;
/// Larger ones too, with at least one entry in this many.
const FULL: usize = 5;
/// The amplifications of errors up to which the levels of tolerance serve, of which each is a quarter of the one before;
/// the last serves for all beyond. What is amplified also accumulates: measured on closed forms.
const AMPLIFICATIONS: [f64; 3] = [1.5, 2.5, 8.0];
const LEVELS: usize = AMPLIFICATIONS.len() + 1;

/// A system and how to integrate it; made once per mode, started as often as the mode is entered.
pub struct Problem<System: Ode> {
    equations: Either<System>,
    settings: Settings,
    /// The level that the amplification of errors asks for, as far as it is known; it only rises.
    level: Cell<Option<usize>>,
}

enum Either<System: Ode> {
    /// No states at all, which diffsol does not know.
    Empty(Rc<Equations<NalgebraMat<f64>, System>>),
    Dense(Box<Levels<NalgebraMat<f64>, System>>),
    Sparse(Box<Levels<FaerSparseMat<f64>, System>>),
}

/// The problem of diffsol at each level, made when first needed.
struct Levels<Matrices: Kind, System: Ode> {
    equations: Rc<Equations<Matrices, System>>,
    problems: [OnceCell<OdeSolverProblem<Shared<Matrices, System>>>; LEVELS],
}

/// Evaluates one expression for whichever equations a problem has.
macro_rules! equations {
    ($problem:expr, $equations:ident => $result:expr) => {
        match $problem {
            Either::Empty($equations) => $result,
            Either::Dense(levels) => {
                let $equations = &levels.equations;
                $result
            }
            Either::Sparse(levels) => {
                let $equations = &levels.equations;
                $result
            }
        }
    };
}

impl<System: Ode> Problem<System> {
    /// A system with its settings.
    pub fn new(system: System, settings: &Settings) -> Self {
        assert_eq!(system.size(), settings.nominal.len(), "every state has a nominal size");
        let method = settings.method;
        let equations = match matrices(&system) {
            Matrices::None => Either::Empty(Rc::new(Equations::dense(system, method))),
            Matrices::Full => Either::Dense(Box::new(Levels::new(Equations::dense(system, method)))),
            Matrices::Sparse => Either::Sparse(Box::new(Levels::new(Equations::sparse(system, method)))),
        };
        Problem { equations, settings: settings.clone(), level: Cell::new(None) }
    }

    /// The system, to evaluate between steps.
    pub fn system(&self) -> RefMut<'_, System> {
        equations!(&self.equations, equations => equations.system())
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
        let (method, level) = (self.settings.method, self.level.get().unwrap_or(0));
        let weights = self.weights(level);
        Ok(match &self.equations {
            Either::Empty(_) => Box::new(NoStates { time }),
            Either::Dense(levels) => {
                let derivative = self.first_derivative(&levels.equations, time, state)?;
                let step = self.first_step(&levels.equations, &weights, time, (state, &derivative), step);
                let problem = levels.problem(level, &weights);
                let start = Start { weights, time, state, derivative: &derivative, step };
                methods::on_dense(problem, method, &start).expect("states and equations fit")
            }
            Either::Sparse(levels) => {
                let derivative = self.first_derivative(&levels.equations, time, state)?;
                let step = self.first_step(&levels.equations, &weights, time, (state, &derivative), step);
                let problem = levels.problem(level, &weights);
                let start = Start { weights, time, state, derivative: &derivative, step };
                methods::on_sparse(problem, method, &start).expect("states and equations fit")
            }
        })
    }

    /// The errors that one step may make.
    fn weights(&self, level: usize) -> Weights {
        let amplified = self.settings.tolerance / 4f64.powi(level as i32);
        let relative = step_tolerance(self.settings.method, amplified);
        let absolute = self.settings.nominal.iter().map(|nominal| relative * nominal.abs()).collect();
        Weights { relative, absolute }
    }

    /// Whether it was found how errors are amplified; without states, there are none.
    pub(super) fn is_known(&self) -> bool {
        self.level.get().is_some() || matches!(self.equations, Either::Empty(_))
    }

    /// Finds how the errors of steps are amplified; whether smaller ones are to be made from now on.
    pub(super) fn learn(&self, recent: &Recent) -> bool {
        let before = self.level.get().unwrap_or(0);
        let weights = self.weights(before);
        let found = recent.error().map_or(1.0, |error| {
            let (time, state) = recent.last();
            equations!(&self.equations, equations => amplification(equations, &weights, time, state, &error))
        });
        let level = AMPLIFICATIONS.iter().position(|&most| found <= most).unwrap_or(AMPLIFICATIONS.len());
        self.level.set(Some(level.max(before)));
        level > before
    }

    fn first_derivative<M: Kind>(
        &self,
        equations: &Equations<M, System>,
        time: f64,
        state: &[f64],
    ) -> Result<Vec<f64>, IntegrationFailure> {
        equations.take_failure();
        let mut derivative = vec![0.0; state.len()];
        match equations.derivative(time, state, &mut derivative) {
            true => Ok(derivative),
            false => Err(IntegrationFailure {
                reason: FailureReason::NoDerivative,
                time,
                state: state.to_vec(),
                step: 0.0,
                evaluation: equations.take_failure(),
            }),
        }
    }

    fn first_step<M: Kind>(
        &self,
        equations: &Equations<M, System>,
        weights: &Weights,
        time: f64,
        start: (&[f64], &[f64]),
        given: Option<f64>,
    ) -> f64 {
        let longest = self.settings.longest_step;
        given.map(|step| step.min(longest)).unwrap_or_else(|| {
            first_step(equations, weights, time, start, methods::first_order(self.settings.method), longest)
        })
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How often `f` and its Jacobian were evaluated so far.
    pub(super) fn counts(&self) -> (usize, usize) {
        equations!(&self.equations, equations => equations.counts())
    }

    pub(super) fn take_failure(&self) -> Option<EvaluationFailed> {
        equations!(&self.equations, equations => equations.take_failure())
    }
}

impl<M: Kind, System: Ode> Levels<M, System> {
    fn new(equations: Equations<M, System>) -> Self {
        Levels { equations: Rc::new(equations), problems: [const { OnceCell::new() }; LEVELS] }
    }

    fn problem(&self, level: usize, weights: &Weights) -> &OdeSolverProblem<Shared<M, System>> {
        self.problems[level].get_or_init(|| build(Shared(self.equations.clone()), weights))
    }
}

/// Which matrices suit a system.
enum Matrices {
    None,
    Full,
    Sparse,
}

fn matrices(system: &impl Ode) -> Matrices {
    let size = system.size();
    match system.jacobian_pattern() {
        _ if size == 0 => Matrices::None,
        Some(pattern) if size > SMALL && pattern.entry_count() * FULL < size * size => Matrices::Sparse,
        _ => Matrices::Full,
    }
}

fn build<M: Kind, System: Ode>(equations: Shared<M, System>, weights: &Weights) -> OdeSolverProblem<Shared<M, System>> {
    let mut problem = OdeBuilder::<M>::new()
        .rtol(weights.relative)
        .atol(weights.absolute.iter().copied())
        .build_from_eqn(equations)
        .expect("as many tolerances as states");
    // What ends a series of failures is the shortest step.
    problem.ode_options.max_error_test_failures = 1000;
    problem.ode_options.max_nonlinear_solver_failures = usize::MAX;
    problem
}

/// A system without states is wherever it is told to be.
struct NoStates {
    time: f64,
}

impl Advance for NoStates {
    fn advance(&mut self, stop: f64) -> Result<(), diffsol::DiffsolError> {
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

    fn refusals(&self) -> (usize, usize) {
        (0, 0)
    }
}

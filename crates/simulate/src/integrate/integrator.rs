//! A problem, and an integration of it from one point on.

use std::cell::RefMut;

use diffsol::{OdeBuilder, OdeSolverProblem};

use super::equations::{DenseEquations, Equations, Kind, SparseEquations, in_bounds};
use super::first_step::{Weights, first_step};
use super::methods::{self, Advance, Start};
use super::{EvaluationFailed, FailureReason, IntegrationFailure, Ode, Settings, step_tolerance};

/// Systems up to this size have full matrices whatever their pattern.
const SMALL: usize = 32;
/// Larger ones too, with at least one entry in this many.
const FULL: usize = 5;
/// An evaluation that failed on the way to one of so many last steps may be why there is no further one.
const RECENT: usize = 20;

/// A system and how to integrate it; made once per mode, started as often as the mode is entered.
pub struct Problem<System: Ode> {
    equations: Either<System>,
    settings: Settings,
    /// The errors that one step may make.
    weights: Weights,
}

enum Either<System: Ode> {
    /// No states at all, which diffsol does not know.
    Empty(Box<DenseEquations<System>>),
    Dense(Box<OdeSolverProblem<DenseEquations<System>>>),
    Sparse(Box<OdeSolverProblem<SparseEquations<System>>>),
}

/// Evaluates one expression for whichever equations a problem has.
macro_rules! equations {
    ($problem:expr, $equations:ident => $result:expr) => {
        match $problem {
            Either::Empty($equations) => $result,
            Either::Dense(problem) => {
                let $equations = &problem.eqn;
                $result
            }
            Either::Sparse(problem) => {
                let $equations = &problem.eqn;
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
        let relative = step_tolerance(method, settings.tolerance);
        let absolute = settings.nominal.iter().map(|nominal| relative * nominal.abs()).collect();
        let weights = Weights { relative, absolute };
        let equations = match matrices(&system) {
            Matrices::None => Either::Empty(Box::new(Equations::dense(system, method))),
            Matrices::Full => Either::Dense(Box::new(build(Equations::dense(system, method), &weights))),
            Matrices::Sparse => Either::Sparse(Box::new(build(Equations::sparse(system, method), &weights))),
        };
        Problem { equations, settings: settings.clone(), weights }
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
        let advance: Box<dyn Advance + '_> = match &self.equations {
            Either::Empty(_) => Box::new(NoStates { time }),
            Either::Dense(problem) => {
                let derivative = self.first_derivative(&problem.eqn, time, state)?;
                let step = self.first_step(&problem.eqn, time, (state, &derivative), step);
                let start = Start { weights: self.weights.clone(), time, state, derivative: &derivative, step };
                methods::on_dense(problem, self.settings.method, &start).expect("states and equations fit")
            }
            Either::Sparse(problem) => {
                let derivative = self.first_derivative(&problem.eqn, time, state)?;
                let step = self.first_step(&problem.eqn, time, (state, &derivative), step);
                let start = Start { weights: self.weights.clone(), time, state, derivative: &derivative, step };
                methods::on_sparse(problem, self.settings.method, &start).expect("states and equations fit")
            }
        };
        Ok(Integrator { problem: self, advance, from: time, to: time, step_count: 0, overcome: None })
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
        time: f64,
        start: (&[f64], &[f64]),
        given: Option<f64>,
    ) -> f64 {
        let longest = self.settings.longest_step;
        given.map(|step| step.min(longest)).unwrap_or_else(|| {
            first_step(equations, &self.weights, time, start, methods::first_order(self.settings.method), longest)
        })
    }

    fn take_failure(&self) -> Option<EvaluationFailed> {
        equations!(&self.equations, equations => equations.take_failure())
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

fn build<M: Kind, System: Ode>(
    equations: Equations<M, System>,
    weights: &Weights,
) -> OdeSolverProblem<Equations<M, System>> {
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

/// A step that was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Where it began.
    pub from: f64,
    /// Where it ended.
    pub to: f64,
}

/// What an integration cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Steps made.
    pub steps: usize,
    /// Steps refused because of their error.
    pub errors_too_large: usize,
    /// Attempts at which the Newton iteration did not converge.
    pub not_converged: usize,
    /// Evaluations of `f`, of all integrations of the problem.
    pub derivatives: usize,
    /// Evaluations of the Jacobian, of all integrations of the problem.
    pub jacobians: usize,
}

/// An integration from one point on.
pub struct Integrator<'problem, System: Ode> {
    problem: &'problem Problem<System>,
    advance: Box<dyn Advance + 'problem>,
    from: f64,
    to: f64,
    step_count: usize,
    /// The last evaluation that failed and yet let the integration go on, and the number of steps then.
    overcome: Option<(EvaluationFailed, usize)>,
}

impl<System: Ode> Integrator<'_, System> {
    /// One step, not beyond `limit`, which is not behind. A step that comes as near to it as can be computed ends there.
    pub fn step(&mut self, limit: f64) -> Result<Step, IntegrationFailure> {
        assert!(limit >= self.to, "an integration goes forward");
        self.from = self.to;
        if self.is_at(limit) {
            self.to = limit;
            return Ok(self.last_step());
        }
        if self.step_count >= self.problem.settings.most_steps {
            return Err(self.failure(FailureReason::TooManySteps));
        }
        let longest_end = self.to + self.problem.settings.longest_step;
        self.advance.advance(limit.min(longest_end)).map_err(|_| self.failure(FailureReason::StepTooShort))?;
        if !in_bounds(self.advance.state()) {
            return Err(self.failure(FailureReason::NotFinite));
        }
        self.step_count += 1;
        if let Some(failed) = self.problem.take_failure() {
            self.overcome = Some((failed, self.step_count));
        }
        self.to = if self.is_at(limit) { limit } else { self.advance.time() };
        Ok(self.last_step())
    }

    /// The step made last.
    pub fn last_step(&self) -> Step {
        Step { from: self.from, to: self.to }
    }

    /// The time reached.
    pub fn time(&self) -> f64 {
        self.to
    }

    /// The states there.
    pub fn state(&self) -> &[f64] {
        self.advance.state()
    }

    /// The states at a time inside the last step.
    pub fn interpolate(&mut self, time: f64, state: &mut [f64]) {
        assert!(self.from <= time && time <= self.to, "the time is inside the last step");
        if time == self.to {
            state.copy_from_slice(self.advance.state());
        } else {
            self.advance.interpolate(time.min(self.advance.time()), state);
        }
    }

    /// The length that the next step would have.
    pub fn step_length(&self) -> f64 {
        self.advance.next_step().0
    }

    /// The order of the method now.
    pub fn order(&self) -> usize {
        self.advance.next_step().1
    }

    /// What it cost so far.
    pub fn statistics(&self) -> Statistics {
        let (derivatives, jacobians) = equations!(&self.problem.equations, equations => equations.counts());
        let (errors_too_large, not_converged) = self.advance.refusals();
        Statistics { steps: self.step_count, errors_too_large, not_converged, derivatives, jacobians }
    }

    /// As near as times can be told apart in steps of this length; what diffsol takes as having arrived.
    fn is_at(&self, limit: f64) -> bool {
        let time = self.advance.time();
        (limit - time).abs() <= 100.0 * f64::EPSILON * (time.abs() + self.step_length().abs())
    }

    fn failure(&mut self, reason: FailureReason) -> IntegrationFailure {
        let recent = self.overcome.take().filter(|(_, step)| step + RECENT > self.step_count);
        IntegrationFailure {
            reason,
            time: self.to,
            state: self.advance.state().to_vec(),
            step: self.step_length(),
            evaluation: self.problem.take_failure().or(recent.map(|(failed, _)| failed)),
        }
    }
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

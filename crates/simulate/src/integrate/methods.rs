//! The methods of diffsol behind one interface.

use std::marker::PhantomData;

use diffsol::matrix::MatrixRef;
use diffsol::ode_solver::state::StateCommon;
use diffsol::{
    DefaultDenseMatrix, LinearSolver, OdeSolverConfig, OdeSolverMethod, OdeSolverProblem, OdeSolverState, RkState,
    Vector, VectorRef,
};

use super::equations::{Kind, Shared};
use super::first_step::Weights;
use super::interior::Interior;
use super::{Method, Ode};

/// Where an integration begins.
pub(super) struct Start<'start> {
    /// What errors inside steps are measured against.
    pub weights: Weights,
    pub time: f64,
    pub state: &'start [f64],
    pub derivative: &'start [f64],
    pub step: f64,
}

/// No step that is long enough to change the time has an error small enough.
#[derive(Debug)]
pub(super) struct NoStep;

/// A method at work.
pub(super) trait Advance {
    /// One step, not beyond `stop`, which is ahead.
    fn advance(&mut self, stop: f64) -> Result<(), NoStep>;
    /// The time reached.
    fn time(&self) -> f64;
    /// The states there.
    fn state(&self) -> &[f64];
    /// The length of the next step, and the order of the method now.
    fn next_step(&self) -> (f64, usize);
    /// The states at a time inside the last step.
    fn interpolate(&mut self, time: f64, state: &mut [f64]);
    /// Goes on with smaller errors allowed; whether it can, without beginning anew.
    fn tighten(&mut self, _weights: &Weights) -> bool {
        false
    }
    /// How many steps were refused because of their error, and how many because the iteration did not converge.
    fn refusals(&self) -> (usize, usize);
}

/// The orders that methods begin with.
pub(super) fn first_order(method: Method) -> i32 {
    match method {
        Method::Bdf => 1,
        Method::Esdirk => 3,
        Method::Explicit => 5,
    }
}

/// A Runge–Kutta method of diffsol.
pub(super) fn runge_kutta<'problem, Matrices, Factors, System>(
    problem: &'problem OdeSolverProblem<Shared<Matrices, System>>,
    method: Method,
    start: &Start,
) -> Box<dyn Advance + 'problem>
where
    Matrices: Kind + 'problem,
    Matrices::V: DefaultDenseMatrix<T = f64, C = Matrices::C>,
    for<'any> &'any Matrices::V: VectorRef<Matrices::V>,
    for<'any> &'any Matrices: MatrixRef<Matrices>,
    Factors: LinearSolver<Matrices> + 'problem,
    System: Ode + 'problem,
{
    let state = RkState::new_from_common(common_state(problem, start));
    let fits = "states and equations fit";
    match method {
        Method::Explicit => Box::new(AtWork::new(problem.tsit45_solver(state).expect(fits))),
        Method::Bdf | Method::Esdirk => {
            let solver = problem.esdirk34_solver::<Factors>(state).expect(fits);
            Box::new(Watched::new(AtWork::new(solver), start))
        }
    }
}

fn common_state<Matrices: Kind, System: Ode>(
    problem: &OdeSolverProblem<Shared<Matrices, System>>,
    start: &Start,
) -> StateCommon<Matrices::V> {
    let vector = |values: &[f64]| Matrices::V::from_slice(values, problem.context().clone());
    let empty = || vector(&[]);
    StateCommon {
        y: vector(start.state),
        dy: vector(start.derivative),
        g: empty(),
        dg: empty(),
        s: empty(),
        ds: empty(),
        sg: empty(),
        dsg: empty(),
        t: start.time,
        h: start.step,
    }
}

/// A solver of diffsol and a vector to interpolate into.
struct AtWork<'problem, Matrices: Kind, System, Solver> {
    solver: Solver,
    interpolated: Matrices::V,
    problem: PhantomData<&'problem System>,
}

impl<'problem, Matrices, System, Solver> AtWork<'problem, Matrices, System, Solver>
where
    Matrices: Kind + 'problem,
    System: Ode + 'problem,
    Solver: OdeSolverMethod<'problem, Shared<Matrices, System>> + 'problem,
{
    fn new(solver: Solver) -> Self {
        let interpolated = solver.state().y.clone();
        AtWork { solver, interpolated, problem: PhantomData }
    }
}

impl<'problem, Matrices, System, Solver> Advance for AtWork<'problem, Matrices, System, Solver>
where
    Matrices: Kind + 'problem,
    System: Ode + 'problem,
    Solver: OdeSolverMethod<'problem, Shared<Matrices, System>>,
{
    fn advance(&mut self, stop: f64) -> Result<(), NoStep> {
        let time = self.time();
        *self.solver.config_mut().as_base_mut().minimum_timestep = shortest_step(time);
        self.solver.set_stop_time(stop).map_err(|_| NoStep)?;
        self.solver.step().map(|_| ()).map_err(|_| NoStep)
    }

    fn time(&self) -> f64 {
        self.solver.state().t
    }

    fn state(&self) -> &[f64] {
        Matrices::numbers(self.solver.state().y)
    }

    fn next_step(&self) -> (f64, usize) {
        (self.solver.state().h, self.solver.order())
    }

    fn interpolate(&mut self, time: f64, state: &mut [f64]) {
        self.solver.interpolate_inplace(time, &mut self.interpolated).expect("the time is inside the last step");
        state.copy_from_slice(Matrices::numbers(&self.interpolated));
    }

    fn refusals(&self) -> (usize, usize) {
        let statistics = self.solver.get_statistics();
        (statistics.number_of_error_test_failures, statistics.number_of_nonlinear_solver_fails)
    }
}

/// A method whose steps are refused where the values inside them are not as good as those at their ends.
///
/// diffsol passes the error estimate of its ESDIRK methods through the inverse of the Newton matrix, which makes them
/// blind to what the solution does inside a long step of a stiff system.
struct Watched<'problem, Matrices: Kind, System, Solver> {
    work: AtWork<'problem, Matrices, System, Solver>,
    interior: Interior,
    refusals: usize,
}

impl<'problem, Matrices, System, Solver> Watched<'problem, Matrices, System, Solver>
where
    Matrices: Kind + 'problem,
    System: Ode + 'problem,
    Solver: OdeSolverMethod<'problem, Shared<Matrices, System>> + 'problem,
{
    fn new(work: AtWork<'problem, Matrices, System, Solver>, start: &Start) -> Self {
        Watched { work, interior: Interior::new(start.weights.clone(), start.state.len()), refusals: 0 }
    }
}

impl<'problem, Matrices, System, Solver> Advance for Watched<'problem, Matrices, System, Solver>
where
    Matrices: Kind + 'problem,
    System: Ode + 'problem,
    Solver: OdeSolverMethod<'problem, Shared<Matrices, System>> + 'problem,
{
    fn advance(&mut self, stop: f64) -> Result<(), NoStep> {
        loop {
            let before = self.work.solver.state();
            let (time, state, derivative) = (before.t, before.y.clone(), before.dy.clone());
            self.work.advance(stop.min(time + self.interior.longest_step()))?;
            let end = self.work.time();
            if self.interior.accepts(time, end, |inside, values| self.work.interpolate(inside, values)) {
                return Ok(());
            }
            self.refusals += 1;
            let restored = self.work.solver.state_mut();
            restored.y.copy_from(&state);
            restored.dy.copy_from(&derivative);
            *restored.t = time;
            *restored.h = self.interior.longest_step();
        }
    }

    fn time(&self) -> f64 {
        self.work.time()
    }

    fn state(&self) -> &[f64] {
        self.work.state()
    }

    fn next_step(&self) -> (f64, usize) {
        self.work.next_step()
    }

    fn interpolate(&mut self, time: f64, state: &mut [f64]) {
        self.work.interpolate(time, state);
    }

    fn refusals(&self) -> (usize, usize) {
        let (errors, iterations) = self.work.refusals();
        (errors + self.refusals, iterations)
    }
}

/// Shorter steps would not change the time.
pub(super) fn shortest_step(time: f64) -> f64 {
    (4.0 * f64::EPSILON * time.abs()).max(1e-290)
}

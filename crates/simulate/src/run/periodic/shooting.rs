//! The iteration on the states at the beginning of a period.

use std::cell::Cell;
use std::rc::Rc;

use modeshift_dae::{Derivative, FlatModel, Mode, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics};
use modeshift_numerics::small_dense::{Factors, Matrix};

use super::PeriodicState;
use super::eigenvalues::eigenvalues;
use crate::run::output::Output;
use crate::run::phase::zero_crossings::TOGETHER;
use crate::run::{Conductor, Goal, Next, PresentState};

/// So many periods at most.
pub(super) const MOST_PERIODS: usize = 200;
/// Periods that are run before anything is compared: what happens at the start happens once.
const FIRST_PERIODS: usize = 2;
/// States are moved by this share of their sizes to find derivatives.
const MOVED: f64 = 1e-5;
/// What a period leads back to, up to this share of the sizes of states, is periodic.
const PERIODIC: f64 = 1e-12;
/// The same where iterations do not get nearer any more: rounding of the period.
const ROUNDING: f64 = 1e-9;
/// A map that differs from its derivatives by less than this share of a step is affine.
const AFFINE: f64 = 1e-6;
/// A step of more than so many sizes of a state comes from what neither grows nor dies away.
const FURTHEST: f64 = 1e6;
/// An iteration that leaves more than this share has wrong derivatives.
const SLOW: f64 = 0.3;

/// Why no periodic solution was found.
#[derive(Clone, Debug, PartialEq)]
pub enum NoPeriod {
    /// There is nothing that a period could lead back to.
    NoStates,
    /// Periods end in other modes than they begin in, again and again.
    OtherModes,
    /// A period leads back up to this share of the sizes of states, and iterations do not get nearer.
    NotConverging(f64),
    /// Iterations ask for states that have no values, or disturbances neither grow nor die away.
    Singular,
}

impl NoPeriod {
    pub(super) fn diagnostic(&self, period: f64) -> Diagnostic {
        let message = format!("no periodic solution with the period {period:?} was found");
        let diagnostic = Diagnostic::error(Code::E0844, message);
        match self {
            NoPeriod::NoStates => diagnostic.help("the model has no states: simulate it without `--periodic`"),
            NoPeriod::OtherModes => diagnostic.help(
                "periods end in other modes than they begin in: give a multiple of the period of what drives the model",
            ),
            NoPeriod::NotConverging(left) => diagnostic.help(format!(
                "a period leads back to where it began up to {left:.1e} of the sizes of the states: give the period of what drives the \
                 model, or better start values"
            )),
            NoPeriod::Singular => diagnostic.help(
                "a disturbance is still the same after a period: a state that nothing drives, as an angle that turns, has no periodic value",
            ),
        }
    }
}

/// What the present period is run for.
enum Purpose {
    /// To see where it leads.
    Look,
    /// To see what depends on this state.
    Derivative(usize),
    /// It is the result.
    Last,
}

/// Drives a run to its periodic solution.
pub(super) struct Shooting<'m> {
    model: &'m FlatModel,
    span: (f64, f64),
    is_open: Rc<Cell<bool>>,
    /// How many periods have passed; none before the first pause.
    passed: Option<usize>,
    purpose: Purpose,
    states: Vec<Derivative<VariableId>>,
    mode: Mode,
    present: Vec<f64>,
    sizes: Vec<f64>,
    /// Where the period began that was looked at last, and where it led.
    begin: Vec<f64>,
    end: Vec<f64>,
    /// The derivatives of the map, row by row; whether they belong to `begin`, and whether they were all run.
    derivatives: Vec<Vec<f64>>,
    are_fresh: bool,
    have_derivatives: bool,
    last_residual: f64,
    /// Whether the period is found, but for its derivatives.
    is_found: bool,
    /// Whether the present mode and its states are those where the period began.
    is_same: bool,
    /// The beginning and the end of the period before.
    before: Option<(Vec<f64>, Vec<f64>)>,
    found: Result<PeriodicState, NoPeriod>,
}

impl<'m> Shooting<'m> {
    pub fn new(model: &'m FlatModel, span: (f64, f64), is_open: Rc<Cell<bool>>) -> Self {
        Shooting {
            model,
            span,
            is_open,
            passed: None,
            purpose: Purpose::Look,
            states: Vec::new(),
            mode: Mode::default(),
            present: Vec::new(),
            sizes: Vec::new(),
            begin: Vec::new(),
            end: Vec::new(),
            derivatives: Vec::new(),
            are_fresh: false,
            have_derivatives: false,
            last_residual: f64::INFINITY,
            is_found: false,
            is_same: false,
            before: None,
            found: Err(NoPeriod::NoStates),
        }
    }

    pub fn finish(self) -> Result<PeriodicState, NoPeriod> {
        match self.purpose {
            Purpose::Last => self.found,
            _ => Err(self.found.err().unwrap_or(NoPeriod::Singular)),
        }
    }

    /// Runs a period from these states.
    fn from(&mut self, purpose: Purpose, states: Vec<f64>) -> Next {
        self.purpose = purpose;
        let is_here = states == self.present;
        if !matches!(self.purpose, Purpose::Derivative(_)) {
            self.begin = states.clone();
        }
        if is_here { Next::Go(Vec::new()) } else { Next::Move(states) }
    }

    fn give_up(&mut self, reason: NoPeriod) -> Next {
        self.found = Err(reason);
        Next::Finish
    }

    /// How far a period led from where it began.
    fn residual(&self) -> f64 {
        let shares =
            self.end.iter().zip(&self.begin).zip(&self.sizes).map(|((end, begin), size)| (end - begin).abs() / size);
        shares.fold(0.0, f64::max)
    }

    /// A period has led from `begin` to `end`.
    fn looked(&mut self) -> Next {
        let residual = self.residual();
        if !residual.is_finite() {
            return self.give_up(NoPeriod::Singular);
        }
        let is_nearest = residual <= ROUNDING && residual >= 0.5 * self.last_residual;
        if residual <= PERIODIC || is_nearest {
            self.is_found = true;
            self.last_residual = residual;
            // Only the multipliers may be missing.
            let are_known = self.are_fresh && self.have_derivatives;
            return if are_known { self.last() } else { self.differentiate(0) };
        }
        let is_slow = residual > SLOW * self.last_residual;
        self.last_residual = residual;
        if !self.have_derivatives || is_slow {
            return self.differentiate(0);
        }
        self.iterate()
    }

    /// Runs a period from states of which one is moved.
    fn differentiate(&mut self, state: usize) -> Next {
        let mut moved = self.begin.clone();
        moved[state] += MOVED * self.sizes[state];
        self.from(Purpose::Derivative(state), moved)
    }

    /// A period has led from states of which one was moved.
    fn differentiated(&mut self, state: usize) -> Next {
        let count = self.states.len();
        if state == 0 {
            self.derivatives = vec![vec![0.0; count]; count];
        }
        let moved = (self.begin[state] + MOVED * self.sizes[state]) - self.begin[state];
        for row in 0..count {
            self.derivatives[row][state] = (self.present[row] - self.end[row]) / moved;
        }
        if state + 1 < count {
            return self.differentiate(state + 1);
        }
        (self.are_fresh, self.have_derivatives) = (true, true);
        if self.is_found { self.last() } else { self.iterate() }
    }

    /// The next states, by Newton's method with the derivatives that are known.
    fn iterate(&mut self) -> Next {
        let count = self.states.len();
        let mut matrix = Matrix::zero(count);
        for row in 0..count {
            for column in 0..count {
                matrix.add(row, column, f64::from(u8::from(row == column)) - self.derivatives[row][column]);
            }
        }
        let residual: Vec<f64> = self.end.iter().zip(&self.begin).map(|(end, begin)| end - begin).collect();
        let Some(factors) = Factors::new(&matrix) else { return self.give_up(NoPeriod::Singular) };
        let step = factors.solve(&residual);
        let next: Vec<f64> = self.begin.iter().zip(&step).map(|(begin, step)| begin + step).collect();
        let is_near = |(step, size): (&f64, &f64)| step.abs() <= FURTHEST * size;
        if !step.iter().zip(&self.sizes).all(is_near) {
            return self.give_up(NoPeriod::Singular);
        }
        self.before = Some((self.begin.clone(), self.end.clone()));
        self.from(Purpose::Look, next)
    }

    /// What a period from other states says of the derivatives (Broyden), in shares of the sizes.
    fn learn(&mut self) {
        let Some((begin, end)) = self.before.take() else { return };
        let step: Vec<f64> = self.begin.iter().zip(&begin).map(|(now, before)| now - before).collect();
        let square: f64 = step.iter().zip(&self.sizes).map(|(step, size)| (step / size).powi(2)).sum();
        if square.is_nan() || square <= 0.0 || !self.have_derivatives {
            return;
        }
        let mut largest = 0.0f64;
        let ends = self.end.iter().zip(&end).map(|(now, before)| now - before);
        for ((derivatives, moved), row_size) in self.derivatives.iter_mut().zip(ends).zip(&self.sizes) {
            let foretold: f64 = derivatives.iter().zip(&step).map(|(factor, step)| factor * step).sum();
            let error = moved - foretold;
            largest = largest.max(error.abs() / row_size);
            for ((factor, step), size) in derivatives.iter_mut().zip(&step).zip(&self.sizes) {
                *factor += error * step / size.powi(2) / square;
            }
        }
        // An affine map has the same derivatives everywhere.
        self.are_fresh &= largest <= AFFINE * square.sqrt();
    }

    /// The result.
    fn last(&mut self) -> Next {
        let name = |it: &Derivative<VariableId>| {
            let name = self.model.variables[it.of].name.to_string();
            (0..it.order).fold(name, |name, _| format!("der({name})"))
        };
        let (start, period) = self.span;
        let passed = self.passed.unwrap_or(0);
        self.found = Ok(PeriodicState {
            period,
            from: start + period * passed as f64,
            states: self.states.iter().map(name).zip(self.begin.iter().copied()).collect(),
            multipliers: eigenvalues(&self.derivatives),
            periods: passed + 1,
            residual: self.last_residual,
        });
        self.is_open.set(true);
        let begin = self.begin.clone();
        self.from(Purpose::Last, begin)
    }
}

impl Conductor for Shooting<'_> {
    fn goal(&self) -> Goal {
        let (start, period) = self.span;
        let until = match self.passed {
            None => start,
            Some(passed) => start + period * (passed + 1) as f64,
        };
        // Right after what happens at that instant, whatever the rounding of its time.
        Goal { until: until + 4.0 * TOGETHER * until.abs(), at_events: false }
    }

    fn look(&mut self, states: &[PresentState], mode: &Mode) {
        let same = states.iter().map(|it| it.state).eq(self.states.iter().copied()) && self.mode == *mode;
        self.is_same = same;
        self.present = states.iter().map(|it| it.value).collect();
        if !same {
            self.states = states.iter().map(|it| it.state).collect();
            self.mode = mode.clone();
            self.sizes = vec![0.0; states.len()];
        }
        for (size, it) in self.sizes.iter_mut().zip(states) {
            *size = size.max(it.size).max(it.value.abs());
        }
    }

    fn begins_result(&self) -> bool {
        self.found.as_ref().is_ok_and(|found| self.passed.is_some_and(|passed| passed + 1 == found.periods))
    }

    fn pause(&mut self, _: &Output<'_>, _: &mut Diagnostics) -> Next {
        let Some(passed) = self.passed else {
            self.passed = Some(0);
            return Next::Go(Vec::new());
        };
        let passed = passed + 1;
        self.passed = Some(passed);
        if let Purpose::Last = self.purpose {
            return Next::Finish;
        }
        if self.states.is_empty() {
            return self.give_up(NoPeriod::NoStates);
        }
        if passed + 1 >= MOST_PERIODS {
            let reason = match self.last_residual.is_finite() {
                true => NoPeriod::NotConverging(self.last_residual),
                false => NoPeriod::OtherModes,
            };
            return self.give_up(reason);
        }
        self.sizes.iter_mut().filter(|size| **size == 0.0).for_each(|size| *size = 1.0);
        if !self.is_same || passed < FIRST_PERIODS {
            (self.have_derivatives, self.are_fresh, self.last_residual) = (false, false, f64::INFINITY);
            self.is_found = false;
            self.before = None;
            let here = self.present.clone();
            return self.from(Purpose::Look, here);
        }
        match self.purpose {
            Purpose::Look => {
                self.end = self.present.clone();
                self.learn();
                self.looked()
            }
            Purpose::Derivative(state) => self.differentiated(state),
            Purpose::Last => Next::Finish,
        }
    }
}

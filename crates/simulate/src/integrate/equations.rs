//! An [`Ode`] as diffsol wants equations: with full matrices for few states, with sparse ones for many.
//!
//! diffsol evaluates through shared references and knows no failures. So the system is behind a `RefCell`, and where it
//! has no value the result is such that diffsol refuses the step: "not a number" for its Newton iteration, which then does
//! not converge; immense for an explicit method, whose estimate of the error is then too. What went wrong is kept. States
//! that are not numbers, or so large that their squares would overflow, are not passed on.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use diffsol::matrix::sparsity::MatrixSparsity;
use diffsol::{
    ConstantOp, FaerContext, FaerSparseMat, FaerVec, Matrix, NalgebraContext, NalgebraMat, NalgebraVec, NonLinearOp,
    NonLinearOpJacobian, OdeEquations, OdeEquationsRef, Op, ParameterisedOp, UnitCallable, Vector, VectorCommon,
};
use modeshift_numerics::Pattern;

use super::{EvaluationFailed, Method, Ode};

/// States larger than this are out of bounds.
const LARGEST: f64 = 1e150;
/// The derivative where there is none, for methods without an iteration.
const IMMENSE: f64 = 1e300;

/// A kind of matrix and the vectors that go with it.
pub(super) trait Kind: Matrix<T = f64, V: Vector<T = f64>> {
    /// The numbers of a vector.
    fn numbers(vector: &Self::V) -> &[f64];
    fn numbers_mut(vector: &mut Self::V) -> &mut [f64];
    /// The pattern in this kind's words, and where each of its entries, row by row, is stored.
    fn layout(size: usize, pattern: Option<&Pattern>) -> (Option<Self::Sparsity>, Vec<u32>);
    /// The stored entries.
    fn entries_mut(&mut self) -> &mut [f64];
}

impl Kind for NalgebraMat<f64> {
    fn numbers(vector: &NalgebraVec<f64>) -> &[f64] {
        vector.inner().as_slice()
    }

    fn numbers_mut(vector: &mut NalgebraVec<f64>) -> &mut [f64] {
        vector.inner_mut().as_mut_slice()
    }

    fn layout(size: usize, pattern: Option<&Pattern>) -> (Option<Self::Sparsity>, Vec<u32>) {
        let place = |row: usize, column: usize| (column * size + row) as u32;
        let places = match pattern {
            None => (0..size * size).map(|entry| place(entry / size, entry % size)).collect(),
            Some(pattern) => entries_of(pattern).map(|(row, column)| place(row, column)).collect(),
        };
        (None, places)
    }

    fn entries_mut(&mut self) -> &mut [f64] {
        self.inner_mut().as_mut_slice()
    }
}

impl Kind for FaerSparseMat<f64> {
    fn numbers(vector: &FaerVec<f64>) -> &[f64] {
        vector.inner().col_as_slice(0)
    }

    fn numbers_mut(vector: &mut FaerVec<f64>) -> &mut [f64] {
        vector.inner_mut().col_as_slice_mut(0)
    }

    fn layout(size: usize, pattern: Option<&Pattern>) -> (Option<Self::Sparsity>, Vec<u32>) {
        let pattern = pattern.expect("only systems with a pattern have sparse matrices");
        let indices = entries_of(pattern).collect();
        let sparsity =
            MatrixSparsity::<Self>::try_from_indices(size, size, indices).expect("entries are of the matrix");
        (Some(sparsity), column_places(pattern))
    }

    fn entries_mut(&mut self) -> &mut [f64] {
        self.inner_mut()[0].val_mut()
    }
}

/// Row and column of all entries, row by row.
fn entries_of(pattern: &Pattern) -> impl Iterator<Item = (usize, usize)> + '_ {
    (0..pattern.row_count()).flat_map(|row| pattern.row(row).iter().map(move |&column| (row, column as usize)))
}

/// The place of every entry when entries are stored column by column.
fn column_places(pattern: &Pattern) -> Vec<u32> {
    let mut next = vec![0; pattern.column_count() + 1];
    entries_of(pattern).for_each(|(_, column)| next[column + 1] += 1);
    for column in 0..pattern.column_count() {
        next[column + 1] += next[column];
    }
    entries_of(pattern)
        .map(|(_, column)| {
            next[column] += 1;
            next[column] - 1
        })
        .collect()
}

/// A system with what diffsol needs to know of it.
pub(super) struct Equations<Matrices: Kind, System> {
    system: RefCell<System>,
    size: usize,
    sparsity: Option<Matrices::Sparsity>,
    places: Vec<u32>,
    /// The entries of the last Jacobian, row by row.
    entries: RefCell<Vec<f64>>,
    context: Matrices::C,
    failure: RefCell<Option<EvaluationFailed>>,
    /// What stands for a derivative that has no value.
    no_derivative: f64,
    derivative_count: Cell<usize>,
    jacobian_count: Cell<usize>,
}

/// Equations as one of several problems of diffsol, with different tolerances, has them.
pub(super) struct Shared<Matrices: Kind, System>(pub Rc<Equations<Matrices, System>>);

impl<System: Ode> Equations<NalgebraMat<f64>, System> {
    /// With full matrices.
    pub(super) fn dense(system: System, method: Method) -> Self {
        Self::new(system, method, NalgebraContext::default())
    }
}

impl<System: Ode> Equations<FaerSparseMat<f64>, System> {
    /// With sparse matrices.
    pub(super) fn sparse(system: System, method: Method) -> Self {
        Self::new(system, method, FaerContext::default())
    }
}

impl<Matrices: Kind, System: Ode> Equations<Matrices, System> {
    fn new(system: System, method: Method, context: Matrices::C) -> Self {
        let size = system.size();
        let (sparsity, places) = Matrices::layout(size, system.jacobian_pattern());
        Equations {
            system: RefCell::new(system),
            size,
            sparsity,
            entries: RefCell::new(vec![0.0; places.len()]),
            places,
            failure: RefCell::new(None),
            no_derivative: if method == Method::Explicit { IMMENSE } else { f64::NAN },
            derivative_count: Cell::new(0),
            jacobian_count: Cell::new(0),
            context,
        }
    }

    pub(super) fn system(&self) -> std::cell::RefMut<'_, System> {
        self.system.borrow_mut()
    }

    /// The last failure since this was asked before.
    pub(super) fn take_failure(&self) -> Option<EvaluationFailed> {
        self.failure.take()
    }

    /// How often `f` and its Jacobian were evaluated so far.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.derivative_count.get(), self.jacobian_count.get())
    }

    /// Evaluates `f`; false, and nothing to go on with, where it has no value.
    pub(super) fn derivative(&self, time: f64, state: &[f64], derivative: &mut [f64]) -> bool {
        let succeeds = in_bounds(state) && {
            self.derivative_count.set(self.derivative_count.get() + 1);
            let result = self.system.borrow_mut().derivative(time, state, derivative);
            self.note(result.and_then(|()| finite(time, derivative)))
        };
        if !succeeds {
            derivative.fill(self.no_derivative);
        }
        succeeds
    }

    /// Evaluates the Jacobian and looks at its entries, in the order of its pattern, or row by row where it has none;
    /// nothing where it has no value.
    pub(super) fn with_jacobian<R>(
        &self,
        time: f64,
        state: &[f64],
        look: impl FnOnce(Option<&Pattern>, &[f64]) -> R,
    ) -> Option<R> {
        let mut entries = self.entries.borrow_mut();
        let mut system = self.system.borrow_mut();
        system.jacobian(time, state, &mut entries).ok()?;
        entries.iter().all(|entry| entry.is_finite()).then(|| look(system.jacobian_pattern(), &entries))
    }

    /// Evaluates the Jacobian. Where it has no value it counts as zero: the Newton iteration may still converge, and
    /// where it does, the step is as good as with any Jacobian.
    fn jacobian(&self, time: f64, state: &[f64], matrix: &mut Matrices) {
        let mut entries = self.entries.borrow_mut();
        self.jacobian_count.set(self.jacobian_count.get() + 1);
        let result = self.system.borrow_mut().jacobian(time, state, &mut entries);
        if !self.note(result.and_then(|()| finite(time, &entries))) {
            entries.fill(0.0);
        }
        let stored = matrix.entries_mut();
        for (&place, &entry) in self.places.iter().zip(entries.iter()) {
            stored[place as usize] = entry;
        }
    }

    /// Keeps the failure, if it is one.
    fn note(&self, result: Result<(), EvaluationFailed>) -> bool {
        result.map_err(|failed| self.failure.replace(Some(failed))).is_ok()
    }
}

/// Whether a state can be computed with.
pub(super) fn in_bounds(state: &[f64]) -> bool {
    state.iter().all(|value| value.abs() <= LARGEST)
}

fn finite(time: f64, values: &[f64]) -> Result<(), EvaluationFailed> {
    match values.iter().all(|value| value.is_finite()) {
        true => Ok(()),
        false => Err(EvaluationFailed::new(format!("not a finite number at time {time}"))),
    }
}

/// The right-hand side of equations.
pub(super) struct RightHandSide<'equations, Matrices: Kind, System>(&'equations Equations<Matrices, System>);

/// Initial values, which diffsol asks for but which every start gives anew.
pub(super) struct NoInitialValues<'equations, Matrices: Kind, System>(&'equations Equations<Matrices, System>);

/// What does not exist here: a mass matrix, roots, outputs.
type Absent<'equations, Matrices> = ParameterisedOp<'equations, UnitCallable<Matrices>>;

macro_rules! operator {
    ($type:ty, $self:ident => $equations:expr) => {
        impl<Matrices: Kind, System: Ode> Op for $type {
            type T = f64;
            type V = Matrices::V;
            type M = Matrices;
            type C = Matrices::C;

            fn context(&$self) -> &Self::C {
                &$equations.context
            }

            fn nstates(&$self) -> usize {
                $equations.size
            }

            fn nout(&$self) -> usize {
                $equations.size
            }

            fn nparams(&$self) -> usize {
                0
            }
        }
    };
}

operator!(Shared<Matrices, System>, self => self.0);
operator!(RightHandSide<'_, Matrices, System>, self => self.0);
operator!(NoInitialValues<'_, Matrices, System>, self => self.0);

impl<Matrices: Kind, System: Ode> NonLinearOp for RightHandSide<'_, Matrices, System> {
    fn call_inplace(&self, state: &Self::V, time: f64, derivative: &mut Self::V) {
        self.0.derivative(time, Matrices::numbers(state), Matrices::numbers_mut(derivative));
    }
}

impl<Matrices: Kind, System: Ode> NonLinearOpJacobian for RightHandSide<'_, Matrices, System> {
    fn jac_mul_inplace(&self, state: &Self::V, time: f64, vector: &Self::V, product: &mut Self::V) {
        self.jacobian(state, time).gemv(1.0, vector, 0.0, product);
    }

    fn jacobian_inplace(&self, state: &Self::V, time: f64, matrix: &mut Self::M) {
        self.0.jacobian(time, Matrices::numbers(state), matrix);
    }

    fn jacobian_sparsity(&self) -> Option<<Self::M as Matrix>::Sparsity> {
        self.0.sparsity.clone()
    }
}

impl<Matrices: Kind, System: Ode> ConstantOp for NoInitialValues<'_, Matrices, System> {
    fn call_inplace(&self, _time: f64, state: &mut Self::V) {
        Matrices::numbers_mut(state).fill(0.0);
    }
}

impl<'equations, Matrices: Kind, System: Ode> OdeEquationsRef<'equations> for Shared<Matrices, System> {
    type Mass = Absent<'equations, Matrices>;
    type Rhs = RightHandSide<'equations, Matrices, System>;
    type Root = Absent<'equations, Matrices>;
    type Init = NoInitialValues<'equations, Matrices, System>;
    type Out = Absent<'equations, Matrices>;
    type Reset = Absent<'equations, Matrices>;
}

impl<Matrices: Kind, System: Ode> OdeEquations for Shared<Matrices, System> {
    fn rhs(&self) -> RightHandSide<'_, Matrices, System> {
        RightHandSide(&self.0)
    }

    fn mass(&self) -> Option<Absent<'_, Matrices>> {
        None
    }

    fn init(&self) -> NoInitialValues<'_, Matrices, System> {
        NoInitialValues(&self.0)
    }

    fn set_params(&mut self, _parameters: &Self::V) {}

    fn get_params(&self, _parameters: &mut Self::V) {}
}

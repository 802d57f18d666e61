//! An [`Ode`] as diffsol wants equations: with full matrices for few states, with sparse ones for many.
//!
//! diffsol knows no failures. Where the system has no value the result is such that diffsol refuses the step: "not a
//! number" for its Newton iteration, which then does not converge; immense for an explicit method, whose estimate of the
//! error is then too.

use std::rc::Rc;

use diffsol::matrix::sparsity::MatrixSparsity;
use diffsol::{
    ConstantOp, FaerSparseMat, FaerVec, Matrix, NalgebraMat, NalgebraVec, NonLinearOp, NonLinearOpJacobian,
    OdeEquations, OdeEquationsRef, Op, ParameterisedOp, UnitCallable, Vector, VectorCommon,
};
use modeshift_numerics::Pattern;

use super::evaluations::Evaluations;
use super::{Method, Ode};

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
    evaluations: Rc<Evaluations<System>>,
    sparsity: Option<Matrices::Sparsity>,
    places: Vec<u32>,
    context: Matrices::C,
    /// What stands for a derivative that has no value.
    no_derivative: f64,
}

/// Equations as one of several problems of diffsol, with different tolerances, has them.
pub(super) struct Shared<Matrices: Kind, System>(pub Rc<Equations<Matrices, System>>);

impl<Matrices: Kind, System: Ode> Equations<Matrices, System> {
    pub(super) fn new(evaluations: Rc<Evaluations<System>>, method: Method, context: Matrices::C) -> Self {
        let (sparsity, places) = Matrices::layout(evaluations.size, evaluations.system().jacobian_pattern());
        let no_derivative = if method == Method::Explicit { IMMENSE } else { f64::NAN };
        Equations { evaluations, sparsity, places, no_derivative, context }
    }

    fn jacobian(&self, time: f64, state: &[f64], matrix: &mut Matrices) {
        self.evaluations.newton_jacobian(time, state, |entries| {
            let stored = matrix.entries_mut();
            for (&place, &entry) in self.places.iter().zip(entries) {
                stored[place as usize] = entry;
            }
        });
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
                $equations.evaluations.size
            }

            fn nout(&$self) -> usize {
                $equations.evaluations.size
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
        let derivative = Matrices::numbers_mut(derivative);
        if !self.0.evaluations.derivative(time, Matrices::numbers(state), derivative) {
            derivative.fill(self.0.no_derivative);
        }
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

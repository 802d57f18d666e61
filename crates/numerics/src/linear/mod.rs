//! Linear systems: one interface, a dense and a sparse factorization behind it.
//!
//! | file | purpose |
//! |---|---|
//! | `solver` | [`LinearSolver`], [`Lu`]: scaling, when a matrix counts as singular, which factorization |
//! | `dense_lu` | dense factors with partial pivoting |
//! | `small_dense` | small dense systems over real or complex numbers |
//! | `sparse` | [`Pattern`]: where a matrix has entries |
//! | `sparse_lu` | sparse factors for hundreds to thousands of unknowns |
//! | `singular` | rank and null vectors of a singular matrix |

mod dense_lu;
mod singular;
pub mod small_dense;
mod solver;
mod sparse;
mod sparse_lu;

pub use dense_lu::DenseLu;
pub(crate) use solver::Scaling;
pub use solver::{FactorFailure, LinearSolver, Lu, Singular};
pub use sparse::Pattern;
pub use sparse_lu::SparseLu;

//! What runs compute: hyperreals as power series in ∂, for coefficients that have no pattern (RR8933, appendix A).
//!
//! | file | purpose | of |
//! |---|---|---|
//! | `number` | [`Number`]: generic numbers that know whether they are zero | |
//! | `series` | [`Series`]: power series in ∂ | A.2 |
//! | `kept` | values that come back | |
//! | `linear` | values along runs, for generic coefficients | A.2, (22) |
//! | `algebra` | leading terms of expressions that are not linear in what is infinite | A.1 |
//! | `reached` | [`Unclear`]: what runs reach, and what is not known of it | A.2 |
//! | `impulse` | [`Effects`]: what is impulsive, what jumps, which equations say where to | A.1 |
//! | `coefficients` | the coefficients of series as variables | (23) |
//! | `dominant` | [`DominantTerms`]: what is left of equations in which something is infinite | (23), (24) |

pub(crate) mod algebra;
mod coefficients;
pub(crate) mod dominant;
pub(crate) mod impulse;
mod kept;
pub(crate) mod linear;
pub(crate) mod number;
pub(crate) mod reached;
pub(crate) mod series;

pub use algebra::Trouble;
pub use dominant::DominantTerms;
pub use impulse::{AllEffects, Course, Effects, MOST_PASTS, RightLimits, RunEffects};
pub use linear::{Jet, Values, coefficient, input, left_limits, quotient};
pub use number::Number;
pub use reached::Unclear;
pub use series::Series;

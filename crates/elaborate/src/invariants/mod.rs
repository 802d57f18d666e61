//! What relations and the definitions of Booleans imply about each other: which valuations of mode variables can occur.
//!
//! | module | purpose |
//! |---|---|
//! | `sums` | sums of terms with exact coefficients: what relations compare |
//! | `relations` | relations over the same sum: thresholds on a line |
//! | `half_spaces` | relations over several sums that cannot hold together |
//! | `consequences` | what definitions imply that are no formulas over mode variables |
//! | `among` | whether formulas cover all modes that invariants allow |

pub(crate) mod among;
mod consequences;
mod half_spaces;
pub(crate) mod relations;
mod sums;

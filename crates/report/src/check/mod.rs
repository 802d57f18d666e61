//! What `check` says: the verdict as one line or as JSON, and what is structurally wrong, as diagnostics.
//!
//! | module | purpose |
//! |---|---|
//! | `clauses` | `reinit` that cannot be |
//! | `kinds` | singular modes by their kinds, as diagnostics |
//! | `patterns` | known mistakes behind a singular model, and what to do about each |
//! | `structure` | the structural verdicts as diagnostics |
//! | `verdict` | the report of `check` |

mod clauses;
mod kinds;
mod patterns;
mod structure;
mod verdict;

pub use clauses::check_clauses;
pub(crate) use clauses::instants_of_laws;
pub use structure::{check_invariant, check_structure, limit_diagnostic, note_combinations, note_implicit_guards};
pub use verdict::{CheckReport, DiagnosticReport, LabelReport, NotShown, Verdict, verdict_of};

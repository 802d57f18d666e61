//! What `check` says: the verdict as one line or as JSON, and what is structurally wrong, as diagnostics.
//!
//! | module | purpose |
//! |---|---|
//! | `causes` | causes of a singular model that stand in the source |
//! | `clauses` | `reinit` that cannot be |
//! | `difference` | edits as a difference of two texts |
//! | `dimension` | dimensions of quantities, from units |
//! | `doubtful` | Reals compared for equality, parameters that nothing uses |
//! | `implicit` | guards that depend on themselves |
//! | `kinds` | singular modes by their kinds, as diagnostics |
//! | `long_range` | verdicts that depend on modes far away, in few words |
//! | `patterns` | known mistakes behind a singular model, and what to do about each |
//! | `sources` | ideal sources that say too much together |
//! | `structure` | the structural verdicts as diagnostics |
//! | `units` | units that do not go together |
//! | `verdict` | the report of `check` |

mod causes;
mod clauses;
mod difference;
mod dimension;
mod doubtful;
mod implicit;
mod kinds;
mod long_range;
mod patterns;
mod sources;
mod structure;
mod units;
mod verdict;

pub use clauses::check_clauses;
pub(crate) use clauses::instants_of_laws;
pub use difference::difference;
pub use doubtful::{check_equalities, check_unused};
pub use long_range::{
    check_long_range, note_first_modes, note_one_change, note_one_mode, note_run, note_start_not_checked, note_swept,
    refuse_all_changes, refuse_to_write,
};
pub use structure::{
    check_every_place, check_invariant, check_missing_variables, check_structure, limit_diagnostic, needs_few_words,
    note_combinations, note_implicit_guards,
};
pub use units::check_units;
pub use verdict::{
    CheckReport, DiagnosticReport, EditReport, LabelReport, NotShown, Verdict, verdict_of, verdict_of_swept,
};

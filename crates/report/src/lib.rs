//! Results in words: a typed report per question, each with its texts, JSON and pictures, and the verdicts as
//! diagnostics that speak of the user's model.
//!
//! | module | purpose |
//! |---|---|
//! | [`analyzed`] | a model with its structure, which most reports are about |
//! | [`analyze`] | the report of `analyze`: offsets, blocks, conditional dependency graph |
//! | [`approximate`] | the report of `analyze --method approximate`: what an ordinary tool would do |
//! | [`changes`] | the report of `changes`: what each mode change does |
//! | [`check`] | the report of `check`, and what is structurally wrong, as diagnostics |
//! | [`compare`] | the report of `compare`: two results, signal by signal |
//! | [`flat`] | the report of `flatten`: the guarded equation system |
//! | [`init`] | the report of `init`: which starts are determined |
//! | [`json`] | data with its JSON and the schema of it, from one declaration |
//! | [`linearize`] | the report of `linearize`: a mode as a linear system |
//! | [`pantelides`] | the report of `analyze --method pantelides`: iterations, and what is differentiated in all modes |
//! | [`parse`] | the report of `parse` |
//! | [`picture`] | graphs as SVG |
//! | [`place`] | places in the source as people write them |
//! | [`rimis`] | the report of `rimis`: the transformed model |
//! | [`schema`] | the schemas of all reports, and the page about them |
//! | [`semantics`] | the report of `semantics`: micro-steps, runs and their graph |
//! | [`simulate`] | the report of `simulate`: how a run ended |
//! | [`singular`] | where and how a model is singular |
//! | [`wording`] | formulas, names and numbers as they stand in sentences |

pub mod analyze;
pub mod analyzed;
pub mod approximate;
pub mod changes;
pub mod check;
pub mod compare;
pub mod flat;
pub mod init;
pub mod json;
pub mod linearize;
pub mod pantelides;
pub mod parse;
pub mod picture;
pub mod place;
pub mod rimis;
pub mod schema;
pub mod semantics;
pub mod simulate;
pub mod singular;
pub mod wording;

pub use analyzed::Analyzed;

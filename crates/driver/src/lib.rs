//! The pipeline: one function per user question, each line a stage.
//!
//! Every function takes a [`Question`] and returns an [`Answer`]: a report of `modeshift_report`, the diagnostics, the
//! sources to show them with, and the timings. `flatten` and `analyze` return the result of their stage, from which
//! `report()` makes the report: in large models, words take longer than the analysis.
//!
//! | module | purpose |
//! |---|---|
//! | [`changes`] | `changes`: every mode change of a model |
//! | [`compare`](mod@compare) | `compare`: two results |
//! | `check` | `check`: everything that is wrong with a model |
//! | [`init`] | `init`: the start of a model, and what `check` says about it |
//! | [`linearize`](mod@linearize) | `linearize`: a mode as a linear system |
//! | [`loaded`] | a model that is loaded once and run many times, with other parameters |
//! | `other_tools` | `analyze --method`: what other methods make of a model, and when an ordinary tool's run fails |
//! | `parse` | `parse`: syntax errors only |
//! | `pipeline` | `flatten`, `analyze`, and the stages that all questions share |
//! | `question` | questions and answers as data |
//! | `repairs` | edits that make a model right, tested by applying them |
//! | `rimis` | `rimis`: an equivalent model for ordinary tools |
//! | [`semantics`] | `semantics`: the constructive semantics |
//! | [`simulate`] | `simulate`: runs a model |
//! | `some_modes` | what is asked of a mode, where all modes are too many |
//! | `timings` | how long each phase takes |
//!
//! # Example
//!
//! An ideal diode charges a capacitor. Is the model right, and what happens?
//!
//! ```
//! use modeshift_driver::simulate::results::Trajectory;
//! use modeshift_driver::simulate::{RunOptions, simulate};
//! use modeshift_driver::{CheckOptions, Question, check};
//!
//! let question = Question::of_text(
//!     "Charger.mo",
//!     "model Charger
//!        Real u = 10*sin(314*time), v(start = 2, fixed = true), i, s;
//!        Boolean conducts = s > 0;
//!      equation
//!        i = if conducts then s else 0;
//!        u - v = if conducts then 0 else s;
//!        1e-3*der(v) = i - v/100;
//!      end Charger;",
//! );
//! assert!(!check(&question, CheckOptions::default()).diagnostics.has_errors());
//!
//! let mut trajectory = Trajectory::default();
//! let options = RunOptions { stop: Some(0.02), ..RunOptions::default() };
//! simulate(&question, &options, &mut trajectory);
//! assert_eq!(trajectory.events().len(), 2); // it begins to conduct, and blocks again
//! let highest = trajectory.named("v").unwrap().into_iter().fold(0.0, f64::max);
//! assert!((highest - 10.0).abs() < 0.01);
//! ```
//!
//! `examples/` has three programs: `check_model`, `sweep_parameter` and `watch_modes`.

pub mod changes;
mod check;
pub mod compare;
pub mod init;
pub mod linearize;
pub mod loaded;
mod other_tools;
mod parse;
mod pipeline;
mod question;
mod repairs;
mod rimis;
pub mod semantics;
pub mod simulate;
mod some_modes;
mod timings;

pub use check::{CheckOptions, check};
#[cfg(target_family = "wasm")]
pub use modeshift_flatten::use_file;
pub use modeshift_flatten::{Files, Parsed, Recording};
pub use modeshift_modes::{clock, use_stack};
pub use modeshift_report as report;
pub use modeshift_report::Analyzed;
pub use other_tools::{as_other_tools, pantelides};
pub use parse::parse;
pub use pipeline::{analyze, flatten};
pub use question::opened::Opened;
pub use question::valuation::{Valuation, parse_valuation};
pub use question::{Answer, Dialect, Limits, Question, Source};
pub use rimis::{RimisOptions, rimis};
pub use timings::{Phase, Progress, Timings};

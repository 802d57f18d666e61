//! One function per user question, every intermediate result printable.

pub mod changes;
pub mod init;
mod parse;
mod pipeline;
mod question;
mod rimis;
pub mod simulate;
mod timings;
mod valuation;

pub use modeshift_report as report;
pub use modeshift_report::Analyzed;
pub use parse::parse;
pub use pipeline::{analyze, check, flatten};
pub use question::{Answer, Dialect, Limits, Question, Source};
pub use rimis::{RimisOptions, rimis};
pub use timings::{Phase, Progress, Timings};
pub use valuation::{Valuation, parse_valuation};

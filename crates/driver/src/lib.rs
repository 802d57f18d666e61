//! One function per user question, every intermediate result printable.

pub mod changes;
mod check;
pub mod flat;
mod guards;
pub mod init;
mod parse;
pub mod picture;
mod pipeline;
mod question;
pub mod report;
mod rimis;
mod sets;
pub mod simulate;
mod singular;
mod timings;
mod valuation;
mod verdict;

pub use parse::parse;
pub use pipeline::{Analyzed, Verdict, analyze, check, flatten};
pub use question::{Answer, Dialect, Limits, Question, Source};
pub use rimis::{RimisOptions, rimis};
pub use timings::{Phase, Progress, Timings};
pub use valuation::{Valuation, parse_valuation};
pub use verdict::{diagnostic_to_json, verdict_to_json, verdict_to_text};

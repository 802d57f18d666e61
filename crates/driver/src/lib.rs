//! One function per user question, every intermediate result printable.

mod parse;
pub mod picture;
mod question;
pub mod report;
mod timings;
mod valuation;

pub use parse::parse;
pub use question::{Answer, Dialect, Limits, Question, Source};
pub use timings::{Phase, Timings};
pub use valuation::{Valuation, parse_valuation};

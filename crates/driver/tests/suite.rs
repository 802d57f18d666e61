//! All tests of this crate in one binary: `cargo test -p modeshift-driver --test suite NAME`.
//!
//! The rooms below carry their tests with them and need nothing else of the crate, which is not compiled twice for them.

mod corpus;
mod examples;
#[allow(dead_code)]
#[path = "../src/simulate/input.rs"]
mod input;
mod loaded;
#[allow(dead_code)]
#[path = "../src/simulate/settings.rs"]
mod settings;
#[allow(dead_code)]
#[path = "../src/question/valuation.rs"]
mod valuation;

//! All tests of this crate in one binary: `cargo test -p modeshift-dae --test suite NAME`.

mod common;
mod derivatives;
mod partial_evaluation;
mod values;

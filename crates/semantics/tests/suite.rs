//! All tests of this crate in one binary: `cargo test -p modeshift-semantics --test suite NAME`.

mod against_changes;
mod laws;
mod nonlinear;
mod papers;
mod statuses;
mod support;

//! All tests of this crate in one binary: `cargo test -p modeshift-semantics --test suite NAME`.

mod against_changes;
mod papers;
mod statuses;
mod support;

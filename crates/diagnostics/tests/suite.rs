//! All tests of this crate in one binary: `cargo test -p modeshift-diagnostics --test suite NAME`.

mod register;
mod render;

//! All tests of this crate in one binary: `cargo test -p modeshift-syntax --test suite NAME`.

mod classes;
mod common;
mod equations;
mod errors;
mod expressions;
mod mel;
mod robustness;
mod standard_library;
mod tree;

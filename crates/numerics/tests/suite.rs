//! All tests of this crate in one binary: `cargo test -p modeshift-numerics --test suite NAME`.

#[path = "../../dae/tests/common/mod.rs"]
mod common;
mod functions;
mod linear;
mod machine_code;
mod newton;
mod parameters;
mod tape;
mod taylor;

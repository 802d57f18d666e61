//! All tests of this crate in one binary: `cargo test -p modeshift-elaborate --test suite NAME`.

mod definitions;
mod mode_oracles;
mod modelica_modes;
mod modes;

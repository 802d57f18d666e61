//! All tests of this crate in one binary: `cargo test -p modeshift-modes --test suite NAME`.

mod against_oxidd;
mod counting;
mod deviations;
mod formulas;
mod numbers;
mod operations;
mod reading;
mod size;

//! All tests of this crate in one binary: `cargo test -p modeshift-mode-changes --test suite NAME`.

mod all_pairs;
mod closed_forms;
mod formulas;
mod models;
mod near_modes;
mod next_mode;
mod nonlinear;
mod nonlinear_closed_forms;
mod orders;
mod paper_rules;
mod random_linear;
mod support;
mod transient;

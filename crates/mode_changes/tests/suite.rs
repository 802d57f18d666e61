//! All tests of this crate, inside of it, so that only what others use is public: `cargo test -p modeshift-mode-changes NAME`.

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

//! All tests of this crate in one binary: `cargo test -p modeshift-cli --test suite NAME`.

mod accepted;
mod analyze;
mod buildings_and_brakes;
mod changes;
mod check;
mod codes;
mod compliance;
mod gallery;
mod init;
mod instant;
mod json;
mod lines;
mod long_range;
mod machines_and_branches;
mod methods;
mod random_machines;
mod rimis;
mod rimis_runs;
mod rumoca;
mod semantics;
mod semantics_instants;
mod shared_subexpressions;
mod simulate;
mod support;
mod usage;
mod verdicts;

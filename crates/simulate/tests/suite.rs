//! All tests of this crate in one binary: `cargo test -p modeshift-simulate --test suite NAME`.

mod beginnings;
mod discrete_part;
mod events;
mod functions;
mod initialization;
mod instants;
mod integrate;
mod machines;
mod machines_in_circuits;
mod permutations;
mod plots;
mod program;
mod program_speed;
mod published;
mod random_machines;
mod rectifiers;
mod results;
mod runs;
mod searches;
mod short_events;
mod simulation;
mod singular_modes;
mod sliding;
mod standard_library;
mod support;
mod tiny_resistances;

//! All tests of this crate in one binary: `cargo test -p modeshift-structure --test suite NAME`.

mod common;
mod corpus;
mod graphs;
mod initialization;
mod initialization_oracle;
mod kinds;
mod limits;
mod long_range;
mod optimism;
mod oracle;
mod scalable;
mod signature;
mod support;

//! Many runs of one model: what is varied, one run of it, what is kept, and the tables.
//!
//! A [`Plan`] says which runs there are; each is determined by its number alone, so that they can be made in any order, anywhere. A
//! [`Worker`] makes them, with a model that it loads once. Each leaves a [`Record`], whose bytes are what is sent and what the
//! [`journal`] of a sweep consists of; of all records, [`Tables`] are made, in the order of the runs: the same whoever made them.
//!
//! | file | purpose |
//! |---|---|
//! | [`journal`] | records in a file that is valid at any time |
//! | `plan` | which runs there are |
//! | `plan_csv`, `plan_toml` | plans as text |
//! | `record` | what a run leaves |
//! | `samples` | random numbers and permutations that a seed determines |
//! | `tables` | records as tables |
//! | `toml` | as much of TOML as plans need |
//! | `worker` | one run after the other |

pub mod journal;
mod plan;
mod plan_csv;
mod plan_toml;
mod record;
mod samples;
mod tables;
mod toml;
mod worker;

pub use modeshift_tables::Format;
pub use plan::{Design, Plan, Spread, Varied};
pub use record::{Happening, Record, Signals};
pub use tables::{Layout, Tables};
pub use worker::Worker;

//! The engine behind the C interfaces of FMI 2.0 and 3.0, for co-simulation and model exchange.
//!
//! One library serves every model: it reads the one that lies in the resources of its FMU. Whatever is called, in whatever order and
//! with whatever pointers to instances, the answer is a status: instances are looked up among those that there are, states are checked,
//! and a panic inside is caught and reported as an error.
//!
//! | file | purpose |
//! |---|---|
//! | `calls` | what both have in common |
//! | `exchange` | a model that its importer integrates |
//! | `fmi2` | the functions of FMI 2.0 |
//! | `fmi3` | the functions of FMI 3.0 |
//! | `instance` | a model that is run, without pointers |
//! | `pointers` | from C to Rust and back |

mod calls;
mod exchange;
mod fmi2;
mod fmi3;
mod instance;
mod pointers;

//! From syntax trees to a flat model: scalar variables, equations and their guards.
//!
//! [`flatten`] resolves names, instances, modifications, arrays and connections of a Modelica model, reading
//! classes from a [`Library`] as it needs them; [`flatten_mel`] does the same for MEL.
//!
//! | module | purpose |
//! |---|---|
//! | `flattener` | the course: instances, variables, connections, equations, checks |
//! | `classes` | files, the tree of classes, what they inherit, which class a name means |
//! | `instances` | components with their modifiers, and the variables of the flat model |
//! | `expressions` | expressions as terms of the flat model, and their values at translation |
//! | `functions` | functions that stay calls, and their bodies |
//! | `equations` | equations with guards, connections, `when`, algorithms |
//! | `machines` | state machines: states that exist by turns, and what makes them follow each other |
//! | `restrictions` | what the language forbids although it could be translated |
//! | `tables` | tables in files, for the external objects that name them |
//! | `mel` | MEL programs as flat models |
//! | `failure` | why something could not be translated |
//! | `suggestion` | "did you mean" |

mod classes;
mod equations;
mod expressions;
mod failure;
mod flattener;
mod functions;
mod instances;
mod machines;
mod mel;
mod restrictions;
mod suggestion;
mod tables;

pub use classes::bundle::{Bundle, Recording};
pub use classes::candidates::{is_model, is_package};
#[cfg(target_family = "wasm")]
pub use classes::files::use_file;
pub use classes::files::{Disk, Files, Memory, Version};
pub use classes::library::{ClassId, ClassNode, Library, ROOT};
pub use classes::parsed::Parsed;
pub use equations::surroundings::{Joined, Surroundings};
pub use flattener::{Request, flatten, flatten_component};
pub use mel::flatten_mel;

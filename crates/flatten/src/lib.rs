//! From syntax trees to a multimode DAE, in two steps: a flat model, then its modes.
//!
//! [`flatten`] resolves names, instances, modifications, arrays and connections of a Modelica model, reading
//! classes from a [`Library`] as it needs them; [`flatten_mel`] does the same for MEL. [`elaborate`] finds the
//! modes of what came out.

mod algorithms;
mod annotations;
mod array_functions;
mod builtin_library;
mod calls;
mod connect;
mod context;
mod elaborate;
mod equations;
mod evaluate;
mod expressions;
mod failure;
mod files;
mod flattener;
mod functions;
mod instance;
mod layout;
mod library;
mod lookup;
mod mel;
mod modification;
mod names;
mod operators;
mod overrides;
mod references;
mod statements;
mod suggestion;
mod term;
mod text;
mod variables;
mod walk;
mod when;

pub use elaborate::elaborate;
pub use files::{Disk, Files, Memory};
pub use flattener::{Request, flatten};
pub use library::{ClassId, ClassNode, Library, ROOT};
pub use mel::flatten_mel;
pub use text::{NO_OVERRIDES, multimode_dae, multimode_dae_of_mel};

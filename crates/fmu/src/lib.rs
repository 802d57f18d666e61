//! Models as FMUs: which variables others see, the description of the model, and the archive with everything in it.
//!
//! An FMU of ours is the engine, as a library that was built before, beside the model as a [`Resource`]: all texts that were read for
//! it. The engine loads the model when it is instantiated, and numbers its variables as the description does: by [`interface()`].
//!
//! | file | purpose |
//! |---|---|
//! | `archive` | the FMU as a whole |
//! | `description` | `modelDescription.xml` of FMI 2.0 and 3.0 |
//! | `interface` | variables with their numbers |
//! | `resource` | the model, to be loaded elsewhere |
//! | `zip` | files in an archive |

mod archive;
mod description;
mod interface;
mod resource;
mod zip;

pub use archive::{Kind, Version, archive, identifier};
pub use interface::{Causality, Shown, Slot, SlotKind, Variability, interface};
pub use resource::{NotMade, RESOURCE, Resource};

//! From syntax trees to a multimode DAE, in two steps: a flat model, then its modes.

mod elaborate;
mod mel;

pub use elaborate::elaborate;
pub use mel::flatten_mel;

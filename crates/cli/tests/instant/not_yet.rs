//! What is known to fail, with the symptom: an error code, or what is wrong with the result.
//!
//! A model that has become right must be taken out; the test says so.

/// Model and symptom.
pub const NOT_YET: &[(&str, &str)] = &[];

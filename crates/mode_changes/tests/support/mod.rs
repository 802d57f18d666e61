//! Second opinions for tests: exact rational arithmetic, the resolvent of a linear DAE expanded at infinity, a small
//! Σ-method, and random linear modes.
#![allow(dead_code)] // each test uses a part

pub mod cluster;
pub mod model;
pub mod one_pair;
pub mod random;
pub mod rational;
pub mod resolvent;
pub mod sigma;

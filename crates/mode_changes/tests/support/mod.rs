//! Second opinions for tests: exact rational arithmetic, the resolvent of a linear DAE expanded at infinity, a small
//! Σ-method, and random linear modes, restarts by difference arrays and by implicit
//! steps.
#![allow(dead_code)] // each test uses a part

pub mod array_restart;
pub mod cluster;
pub mod implicit_step;
pub mod linear;
pub mod model;
pub mod one_pair;
pub mod random;
pub mod rational;
pub mod resolvent;
pub mod sigma;

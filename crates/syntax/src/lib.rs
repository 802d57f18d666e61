//! Modelica and MEL text to syntax trees: a lossless tree that prints back byte for byte, and from it the
//! abstract syntax that later stages read. Hand-written recursive descent that recovers and never fails.

pub mod ast;
pub mod mel;

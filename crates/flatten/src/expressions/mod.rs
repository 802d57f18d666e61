//! Expressions of the source as terms of the flat model, and their values at translation.
//!
//! | file | purpose |
//! |---|---|
//! | [`context`] | what the translation of an expression knows about its place |
//! | [`term`] | what an expression becomes: a scalar, an array or a record of scalars |
//! | [`translate`] | every kind of expression, one by one |
//! | [`operators`] | operators on scalars and arrays, with their types |
//! | [`iterators`] | iterators whose range follows from what they are subscripts of |
//! | [`references`] | `a.b[i].c`, walked through the instance tree |
//! | [`calls`] | the operators and functions that Modelica defines |
//! | [`array_functions`] | predefined functions of arrays |
//! | [`functions`] | functions that are not predefined, run on terms |
//! | [`statements`] | statements, executed on terms |
//! | [`evaluate`] | values at translation, and the parameters they are computed from |

pub(crate) mod array_functions;
pub(crate) mod calls;
pub(crate) mod context;
pub(crate) mod evaluate;
pub(crate) mod functions;
pub(crate) mod iterators;
pub(crate) mod operators;
pub(crate) mod references;
pub(crate) mod statements;
pub(crate) mod term;
pub(crate) mod translate;

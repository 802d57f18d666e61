//! What instances say must hold: scalar equations with guards, connections, `when` clauses, algorithms.
//!
//! | file | purpose |
//! |---|---|
//! | [`guarded`] | bindings and equation sections: every scalar equation with its guard |
//! | [`conditions`] | where no branch of an `if` so far holds |
//! | [`names`] | the names of equations |
//! | [`connect`] | sets of connected scalars |
//! | [`connect_guarded`] | the equations that sets stand for, with members that exist in some modes only |
//! | [`surroundings`] | what stands for the rest of the world where a component is looked at by itself |
//! | [`when`] | `when` clauses, and which variables they make discrete |
//! | [`algorithms`] | algorithm sections, as far as they are equations in disguise |

pub(crate) mod algorithms;
pub(crate) mod conditions;
pub(crate) mod connect;
pub(crate) mod connect_guarded;
pub(crate) mod guarded;
pub(crate) mod names;
pub(crate) mod surroundings;
pub(crate) mod when;

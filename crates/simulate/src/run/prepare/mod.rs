//! The model made ready for a run: what is decided once and stays.
//!
//! | file | purpose |
//! |---|---|
//! | [`variability`] | what expressions contain: continuous unknowns, discrete variables, left limits |
//! | [`event_functions`] | functions that jump (`floor`, `div`, `mod`) become discrete variables with edges |
//! | [`definitions`] | which equation defines which discrete variable |
//! | [`relations`] | relations with a truth of their own |
//! | [`discrete_tapes`] | formulas of the discrete part on one tape |
//! | [`system`] | the discrete part, compiled: modes, discrete variables, `when` clauses, relations that are watched |

pub(crate) mod definitions;
pub(crate) mod discrete_tapes;
pub(crate) mod event_functions;
pub(crate) mod relations;
pub(crate) mod system;
pub(crate) mod variability;

//! Which quantities of a mode are its states, and what determines the others.
//!
//! | file | purpose |
//! |---|---|
//! | `quantities` | the jet: every variable with its derivatives up to the leading one |
//! | `stages` | dummy derivatives: the systems to solve one after the other, from the lowest derivatives on |
//! | `state_selection` | which quantities of a block are states, where several choices are possible |

pub(crate) mod quantities;
pub(crate) mod stages;
pub(crate) mod state_selection;

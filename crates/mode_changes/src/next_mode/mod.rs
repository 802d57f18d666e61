//! The mode after a change: the one whose guards, right after the change, say so themselves.
//!
//! | file | purpose |
//! |---|---|
//! | [`search`] | candidate modes of a cluster, tried in turn |
//! | [`guard_series`] | on which side of zero a guard is right after a change |
//! | [`complementarity`] | a cluster of a model as a linear complementarity problem |
//! | [`step_complementarity`] | the problem itself: one implicit step of a regular mode |
//! | [`lemke`] | Lemke's method |

pub(crate) mod complementarity;
pub(crate) mod guard_series;
pub(crate) mod lemke;
pub(crate) mod search;
pub(crate) mod step_complementarity;

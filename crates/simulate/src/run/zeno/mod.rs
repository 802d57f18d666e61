//! Events that follow each other ever faster (Zeno), and where they end.
//!
//! | file | purpose |
//! |---|---|
//! | [`detection`] | which events accumulate, and at which time |
//! | [`limit`] | values at the limit, and whether the model rests there |
//! | [`remaining_time`] | the time that is left to it, passed where nothing happens in it |
//! | [`passage`] | clauses that do not keep what they throw back |

pub(crate) mod detection;
pub(crate) mod limit;
pub(crate) mod passage;
mod remaining_time;

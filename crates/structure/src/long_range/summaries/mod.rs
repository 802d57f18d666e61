//! Summaries: what the equations behind the front mean for those ahead, on the boundary that both have in common.
//!
//! | file | purpose |
//! |---|---|
//! | [`families`] | which places of the boundary the items behind the front can cover |
//! | [`matroid`] | what equations behind the front can be matched with |
//! | [`partition`] | what hangs together behind the front, and what is grounded |
//! | [`weights`] | what equations behind the front weigh, matched with what |

pub(super) mod families;
pub(super) mod matroid;
pub(super) mod partition;
pub(super) mod weights;

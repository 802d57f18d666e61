//! Left limits: which of them the new mode needs, and their values.
//!
//! | file | purpose |
//! |---|---|
//! | [`remembered`] | which left limits a mode takes from the past, and which of its constraints the past cannot satisfy |
//! | [`values`] | their values, completed by birth, continuity and start values |

pub(super) mod remembered;
pub(super) mod values;

//! Left limits: which of them the new mode needs, and their values.
//!
//! | file | purpose |
//! |---|---|
//! | [`remembered`] | which left limits a mode takes from the past, and which of its constraints the past cannot satisfy |
//! | [`values`] | their values, completed by birth, continuity and start values |

pub(crate) mod remembered;
pub(crate) mod values;

//! A continuous phase: integration in one mode from one event to the next.
//!
//! | file | purpose |
//! |---|---|
//! | [`integrate_until`] | integration up to the next event or the stop time |
//! | [`zero_crossings`] | relations and edges whose sign is watched from step to step |
//! | [`root_finding`] | a crossing within a step, located to rounding |
//! | [`noise_floor`] | what is too small to be an event |
//! | [`schedule`] | events of relations between parameters and time, in their order |
//! | [`time_events`] | relations and samplings whose times are known in advance |

pub(crate) mod integrate_until;
pub(crate) mod noise_floor;
pub(crate) mod root_finding;
pub(crate) mod schedule;
pub(crate) mod time_events;
pub(crate) mod zero_crossings;

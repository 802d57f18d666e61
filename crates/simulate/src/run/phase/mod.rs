//! A continuous phase: integration in one mode from one event to the next.
//!
//! | file | purpose |
//! |---|---|
//! | [`integrate_until`] | integration up to the next event, pause or the stop time, with rows on the way |
//! | [`zero_crossings`] | relations and edges whose sign is watched from step to step |
//! | [`beyond_guards`] | modes that have no values beyond their own guards |
//! | [`guard_functions`] | guards that are more than affine in what moves, as functions that can be bounded |
//! | [`short_events`] | where such a guard may cross zero within a step that shows nothing of it at its ends |
//! | [`polynomials`] | what moves, over a step |
//! | [`remembering`] | what is written into the past of what is delayed |
//! | [`root_finding`] | a crossing within a step, located to rounding |
//! | [`noise_floor`] | what is too small to be an event |
//! | [`schedule`] | events whose times are known in advance |
//! | [`time_functions`] | how far ahead functions of time are resolved, so that no step leads beyond |
//! | [`intervals`] | bounds of functions of time and of their derivatives |
//! | [`time_events`] | functions of time that are affine in it; the instants of `sample` |
//!
//! The room finds events; what comes of them is not its business. It evaluates programs of modes and tapes of the model made
//! ready, and tells rows; it changes no discrete value.

pub(crate) mod beyond_guards;
pub(crate) mod guard_functions;
pub(crate) mod integrate_until;
pub(crate) mod intervals;
pub(crate) mod noise_floor;
pub(crate) mod polynomials;
pub(crate) mod remembering;
pub(crate) mod root_finding;
pub(crate) mod schedule;
pub(crate) mod short_events;
pub(crate) mod time_events;
pub(crate) mod time_functions;
pub(crate) mod zero_crossings;

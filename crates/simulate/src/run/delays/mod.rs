//! `delay`: what a run remembers of expressions, and reads again later.
//!
//! | file | purpose |
//! |---|---|
//! | [`history`] | the past of one expression: polynomials, in pieces between jumps and bends |
//! | [`calls`] | calls of `delay` become calls of functions that read a history |
//! | [`all_delays`] | all histories of a run: how they begin, how long steps may be, what is due because of them |
//!
//! What phases write is in `phase/remembering`.
//!
//! A delayed value is known: no step is longer than the delay, so that only what was accepted is read. Jumps and bends of what is
//! delayed are events of the delayed signal, at times that are known in advance.
//!
//! At the start `delay(e, T)` is `e` (structure and numbers of the start take it so), and its derivatives are zero.

pub(crate) mod all_delays;
pub(crate) mod calls;
pub(crate) mod history;

pub(crate) use all_delays::Delays;

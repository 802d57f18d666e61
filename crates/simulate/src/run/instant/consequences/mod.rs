//! What a change leads to: what it must not pass on, what it need not do, and what comes after it.
//!
//! | file | purpose |
//! |---|---|
//! | [`forbidden_impulses`] | impulses that relations forbid in an instant without duration |
//! | [`jumps`] | transitions that the jump of another machine causes |
//! | [`idle_changes`] | what need not change, since it stands at its limit |

pub(crate) mod forbidden_impulses;
pub(crate) mod idle_changes;
mod jumps;

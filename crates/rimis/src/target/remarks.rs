//! What a reader of the target should know before its declarations, as comments.

/// What there is to explain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Remarks {
    /// Start values that the source does not give.
    pub(crate) found_start: bool,
    /// Values that depend on the mode.
    pub(crate) replicates: bool,
    /// Guards that are looked at in the mode that is left.
    pub(crate) next_modes: bool,
    /// Constraints that are not differentiated.
    pub(crate) constraints: bool,
    /// Guards that ask for impulses.
    pub(crate) impulses: bool,
    /// Guards with a hysteresis.
    pub(crate) hysteresis: bool,
}

const REPLICATES: &[&str] = &[
    "`x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are",
    "evaluated in all modes; under \"Multiplexing\", the mode says whose value counts.",
];

const NEXT_MODES: &[&str] = &[
    "Guards are looked at in the mode that is left: `b_next` is what the guard of `b` asks for,",
    "`b = pre(b_next)` is in force, and the event iteration goes on until both agree.",
];

const CONSTRAINTS: &[&str] = &[
    "Constraints that all modes share are written as they are, not differentiated: a tool that",
    "reduces the index of a model does that, and keeps them.",
];

const IMPULSES: &[&str] = &[
    "Where a mode change that comes from outside makes the variable of a guard impulsive, the guard",
    "asks for the weight of the impulse, and states jump only if the mode is kept.",
];

const HYSTERESIS: &[&str] = &[
    "A guard that depends on the mode has to go beyond its bound by `hysteresis`: without it,",
    "rounding would decide at the bound, and a mode could be left and entered without end.",
];

const FOUND_START: &[&str] =
    &["Start values that the model does not fix were found for the parameters as they are here."];

impl Remarks {
    /// The lines of the comment.
    pub(crate) fn lines(&self, model: &str) -> Vec<String> {
        let first = format!("{model} with a structure that does not depend on the mode, written by `modeshift rimis`.");
        let explained = [
            (self.replicates, REPLICATES),
            (self.next_modes, NEXT_MODES),
            (self.constraints, CONSTRAINTS),
            (self.impulses, IMPULSES),
            (self.hysteresis, HYSTERESIS),
            (self.found_start, FOUND_START),
        ];
        let lines = explained.into_iter().filter(|(is_there, _)| *is_there).flat_map(|(_, lines)| lines);
        std::iter::once(first).chain(lines.map(|line| line.to_string())).collect()
    }
}

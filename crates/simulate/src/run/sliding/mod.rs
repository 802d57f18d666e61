//! Sliding modes: where both sides of a guard point at it, the motion stays on the surface (E22, page 3).
//!
//! | file | purpose |
//! |---|---|
//! | [`entry`] | found at an event, where no mode accepts itself |
//! | [`shares`] | which surfaces the motion stays on, and how much of each side it takes |
//! | [`flow`] | the combination of vector fields along the surfaces |
//! | [`ode`] | the same for an integrator |
//!
//! ```text
//!      x > 0:  ╲ ╲ ╲ ╲ ╲       der(x) = if x > 0 then -1 else 1
//!               ╲ ╲ ╲ ╲ ╲
//!   x = 0  ──────►─►─►─►─►──   f = (1 - λ)·f₀ + λ·f₁  with  dg/dt = 0 along f
//!               ╱ ╱ ╱ ╱ ╱
//!      not x > 0: ╱ ╱ ╱ ╱
//! ```
//!
//! A mode is a vector field on its states. With all guards of the surfaces as they are written at zero it is `f₀`, with the
//! guard `j` turned it is `f_j`. Filippov's combination is `f₀ + Σ λ_j (f_j - f₀)` with all `λ_j` between 0 and 1, such that no
//! guard moves: a linear system for `λ`, the equivalent control. All variables that are no states are combined in the same
//! way, which is what they are on average while a real switch goes to and fro ever faster.
//!
//! That is one motion only if the sides of several surfaces do not mix (`f_12 - f₀ = (f_1 - f₀) + (f_2 - f₀)`), if
//! all fields are on the same states and none of them jumps, and if no clause fires to and fro. Whatever else there is, is refused.
//!
//! The mode is left where a share reaches 0 or 1. There one of the fields is tangential to the surface and leads away from it,
//! since the share goes on beyond: its side is where the run goes on.

pub(crate) mod entry;
pub(crate) mod flow;
pub(crate) mod ode;
pub(crate) mod shares;

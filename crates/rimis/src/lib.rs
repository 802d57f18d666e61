//! RIMIS (E22 §10, RR9459 §4): rewrites a model so that its structure no longer depends on modes.
//!
//! Ordinary Modelica tools analyze a model as if all branches of its conditions were taken at once. Where the leading
//! variables, or the equations to be differentiated, depend on the mode, that goes wrong. The analysis of all modes says
//! what has to be solved in which mode; here it becomes a model in which *all* blocks of *all* modes are evaluated
//! all the time, and conditions only choose among their results.
//!
//! | step of E22 §10.1 | here |
//! |---|---|
//! | 1 conditional dependency graph | `structure::Analysis` |
//! | 2 declarations | `target`: a copy of the source with legal names |
//! | 3 replicates, dummy derivatives, their start values | `blocks/replicates`, `start` |
//! | 4 mode equations | `modes/mode_equations`: as they are (`commands`), or robust (`guards`) |
//! | 5 replicate and differential equations, partial evaluation | `blocks/equations`, `blocks/specialize`, `modes/conditions`; what is not differentiated: `blocks/constraints` |
//! | 6 multiplexers | `blocks/multiplexers` |
//! | 7 reinitialisations | `restarts/reinitialisations`, in which changes: `feasible`, jumps: `jumps` of `conflicts` by `parts`, guards on impulses: `impulsive_guards`; other `events` |
//!
//! | module | purpose |
//! |---|---|
//! | `transform` | the steps in order |
//! | `draft` | what the steps work on |
//! | `target` | the model that is written, and its text |
//! | `modes` | conditions on modes, and the equations that find them |
//! | `blocks` | equations of all blocks, replicates and multiplexers |
//! | `restarts` | jumps, `reinit`s and events |
//! | `start` | start values of the target |
//! | `obstacles` | why a model cannot be transformed |
//! | `check` | compares the approximate analysis of a text with the exact one |
//!
//! # Values
//!
//! In a mode with leading order `d`, derivatives of `x` below `d` are states, and the `d`-th is written by a block. So
//! `x^(k)` has *sources*: one state, shared by all modes with `d > k`, and one replicate for each block that writes it,
//! named by the number of the block (`yh_10`), as `analyze` prints it. A block reads the one source that it can meet, or a
//! multiplexer of those that it can meet; so it never waits for a block of other modes, and the blocks of the transformed
//! model are those of the graph. Blocks that wait for each other in a circle over several modes are reported.
//!
//! # Beyond the papers
//!
//! The papers leave out `when`, `reinit`, initial equations, modes that are not Boolean, jumps and impulses, and their
//! form does not run in every tool: at the exit from a mode a guard such as `s >= 0`, with `s` at its bound, has no fixed
//! point. The robust form looks at guards in the mode that is left and gives them a hysteresis, puts states on the new
//! constraints by `reinit` (closed forms of `mode_changes`), keeps states where they are in modes that do not have them,
//! and makes blocks that may be singular trivial outside their modes. Constraints that are the same in all modes are not
//! differentiated: a tool does that and keeps them (`constraints`). `--plain` is the form of the papers, with the jumps
//! that the model itself has.
//!
//! Constraints of some modes are differentiated and hold because they held before: nothing enforces them. Linear ones are
//! kept by every integrator to rounding; nonlinear ones drift with the tolerance.

mod blocks;
mod check;
mod draft;
mod modes;
mod obstacles;
mod restarts;
mod start;
mod target;
mod transform;

pub use check::mode_dependence;
pub use obstacles::Failure;
pub use start::Start;
pub use transform::{Form, transform, transform_within};

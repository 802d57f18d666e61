//! Consistent start values of a model, and the mode it starts in.
//!
//! [`initialization`](modeshift_structure::initialization) says which equations determine which unknowns in every mode;
//! here numbers are put in. A mode is a start if its equations have a solution, conditions that are too many agree with
//! it, and all guards have the values at it that the mode assumes.
//!
//! | file | purpose |
//! |---|---|
//! | `problem` | what is given: parameters, guesses, nominal values, definitions of modes |
//! | `left_limits` | what initial equations say about discrete variables just before the start |
//! | `point` | values of all unknowns, and the mode |
//! | `discrete_conditions` | what is said about discrete variables, and whether the start makes it true |
//! | `first_modes` | which mode variables are known before anything is solved |
//! | `solve` | one mode: block after block, `homotopy`, conditions that are too many |
//! | `rounding` | how far conditions that agree can differ |
//! | `agreement` | how well a mode agrees with its own solution |
//! | `orientation` | which of several starts is held |
//! | `machines` | state machines, whose initial states are no choice |
//! | `search` | which mode |
//! | `assess` | numbers for the verdicts about a start: which modes are possible, which conditions contradict each other |
//! | `explain` | why not, in the words of the model |

mod agreement;
mod assess;
mod discrete_conditions;
mod explain;
mod first_modes;
mod left_limits;
mod machines;
mod orientation;
mod point;
mod problem;
mod rounding;
mod search;
mod solve;

pub use assess::{AssessedCase, AssessedScenario, Looked, Search, assess, start_of_run};
pub use discrete_conditions::DiscreteFailure;
pub(crate) use explain::{division_by_zero, not_finite_text};
pub use explain::{explain_failure, explain_solution};
pub use first_modes::{FirstModes, first_modes};
pub use point::StartMode;
pub use problem::{InitialProblem, StartSettings};
pub use search::{InitialState, NoStart, Tried, TriedOutcome};
pub use solve::attempts::{Attempt, LogEntry};
pub use solve::{BlockFailure, Disagreement, ModeFailure, ModeSolution};

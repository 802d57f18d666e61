//! Continuous-time state machines whose states are components, acausal ones included (MOE15, after Modelica 3.6, 17).
//!
//! Machines are found from clusters of `transition`; they are lowered onto what every model has, and nothing behind this
//! folder knows a machine as such:
//!
//! ```text
//! initialState(C1);                    Boolean activeState(C1)(start = true), activeState(R1)(start = false);
//! transition(C1, R1, C1.v > 8);        activeState(C1) = pre(activeState(C1)) and not C1.v > 8;
//!                                      activeState(R1) = pre(activeState(R1)) or pre(activeState(C1)) and C1.v > 8;
//!                                      invariant exactly one of them;
//! ```
//!
//! - A *state* is a component whose variables and equations are guarded by its Boolean: they exist only while it is active.
//!   Exactly one state of a machine is active, of a machine inside a state only while that one is. That is an
//!   invariant, so that no analysis ever sees a product of states that cannot be.
//! - *Which state follows* is a definition with a memory. An `immediate` transition reads its condition at the instant, which
//!   makes an implicit guard where the condition depends on what follows from it: next-mode selection decides. A delayed
//!   one reads left limits: it fires since its condition was true before, and nothing that it leads to can take that back; what
//!   only comes true in the instant it does not see. Out of a state that an instant has entered it fires if the condition is true
//!   at what the state began with, in a later micro-step, never by what was true when the state was left before. Where a condition speaks of variables of a state that is not active, it says nothing: staying
//!   is contradicted in the state itself, entering by the transitions that leave the entered one. Transitions of several
//!   machines in one micro-step are one change; a chain of them is a cascade.
//! - *Entering* is no equation. [`modeshift_dae::MachineState`] says when a state is entered and whether it begins anew; the run
//!   then takes left limits of its variables from when it was last active, or from `start`, and restarts as ever.
//! - *Connections* to states are sets like all others, in which a member takes part while it exists
//!   (`equations/connect_guarded`): no dummy equations (MOE15 §2.1), no case of its own for sources.
//!
//! | file | purpose |
//! |---|---|
//! | `find` | `initialState` and `transition` in all equations, and the machines they draw |
//! | `states` | the Booleans of states, their guards, and the operators that ask for them |
//! | `definitions` | which state follows, and which is entered |
//! | `inside` | conditions that ask for what the state that they leave defines |
//! | `starts` | initial equations about variables of first states |
//! | `hold` | outputs in states that do not write them |
//! | `existence` | conditions that read variables of other states |
//! | `exclusion` | conditions that exclude each other |
//! | `followers` | machines that follow the same signals |
//! | `checks` | conditions without events, priorities, states that nothing reaches, circles of immediate transitions |

mod checks;
mod definitions;
mod exclusion;
mod existence;
mod find;
mod followers;
mod hold;
mod inside;
mod starts;
mod states;

use modeshift_dae::VariableId;
use modeshift_diagnostics::Span;
use modeshift_syntax::ast::Expression;
use rustc_hash::FxHashMap;

use crate::expressions::context::Context;
use crate::instances::tree::InstanceId;

/// A state by the numbers of its machine and of itself.
pub(crate) type StateNumber = (usize, usize);

/// The machines of a model as they are drawn.
#[derive(Debug, Default)]
pub(crate) struct Machines {
    /// Which components are states.
    numbers: FxHashMap<InstanceId, StateNumber>,
    /// The states of Booleans.
    of_variable: FxHashMap<VariableId, StateNumber>,
    /// Those around others first.
    drawn: Vec<Drawn>,
}

/// A machine as it is drawn.
#[derive(Debug)]
struct Drawn {
    owner: InstanceId,
    parent: Option<StateNumber>,
    states: Vec<State>,
    initial: usize,
    arrows: Vec<Arrow>,
    /// Booleans that it has for itself.
    memories: Vec<VariableId>,
    span: Span,
}

#[derive(Debug)]
struct State {
    instance: InstanceId,
    active: VariableId,
    timer: Option<VariableId>,
    span: Span,
}

/// A transition whose condition is not translated yet.
#[derive(Debug)]
struct Arrow {
    from: usize,
    to: usize,
    condition: Expression,
    /// Where the condition is written.
    context: Context,
    immediate: bool,
    reset: bool,
    synchronize: bool,
    priority: i64,
    span: Span,
}

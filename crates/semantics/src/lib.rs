//! The constructive semantics of multimode DAE systems (RR8933): what a model means, by micro-steps.
//!
//! A multimode DAE becomes a system of differences; an instant is a run of micro-steps, each of which knows more than the
//! one before; runs from everything that instants can begin with make a graph, whose cycles under constant guards are the
//! continuous dynamics of the modes and whose other runs are resets. It is written to be read beside the paper and to
//! be a second opinion on `mode_changes`, with which it shares the type of the model and nothing below: modes are
//! enumerated here, graphs are small, and nothing is fast.
//!
//! | file | purpose | of |
//! |---|---|---|
//! | `domain` | [`Value`]: D = {I, U, F, T}; shifts | (18), Definitions 1, 5 |
//! | `modes` | [`Modes`]: sets of modes, one bit each | |
//! | `system` | [`DifferenceSystem`]: guarded equations between differences | Definition 2 |
//! | `combined` | [`CombinedEquation`]: equations that stand in the place of others whose coefficients cancel | |
//! | `reading/` | from a multimode DAE to its differences; `when` clauses | (17), E22 §8.4 |
//! | `status` | [`Status`], [`Context`]: what is known, and what holds | §3.3.1 |
//! | `bipartite` | matching, Dulmage–Mendelsohn, blocks | §3.1 |
//! | `blocks` | what can be solved now | line 5 |
//! | `sigma` | [`Offsets`]: latent equations of a start of a mode | line 15 |
//! | `latent` | latent equations in the midst of a change | line 15 |
//! | `micro_step` | [`Instant::next`]: Algorithm 5, line by line, and how it is read | §3.3.2 |
//! | `run` | runs of one instant, with the first choice or with all | §3.3.2 |
//! | `graph` | [`Graph`]: all runs, cycles, what loops for ever | end of §3.3.2 |
//! | `change/` | [`Change`]: a mode change as a path of runs; what guards and `changes` know of its past | E22 §8.2 |
//! | `values/` | what runs compute: series in ∂, impulses, dominant terms | appendix A |
//! | `text` | the notation of Fig. 3 | |
//!
//! # Where it differs from `changes`
//!
//! Of 1,000 random models (at most 4 guards, 6 equations and offsets to 3) all 4,570 changes between regular modes are
//! compared: the verdict, the equations that are erased in each instant, the variables with impulses and their orders, the
//! equations of restarts, and with generic coefficients every right limit and every weight of an impulse, here standard
//! parts of series in ∂, there distributions. 3,806 agree in all of it. For each of the others there is a [`Reading`] in
//! which Algorithm 5 says the same as `changes`, which the tests compute and compare; none is left over.
//!
//! | changes | reading in which they agree | RR8933 | `changes` |
//! |---|---|---|---|
//! | 676 | the first instant begins with what `changes` remembers | an instant knows what the instant before computed for it, no less: `x` was a state, and now `x = 5` is overdetermined and shifted; and no more: `x` was given by `x = u`, and for `der(x) = -x` nothing gives it a value, so that the run fails | of each variable what is below the highest derivative that the new mode writes: other states are forgotten; what is missing is taken from constraints at left limits, or is the value that the mode before computed |
//! | 48 | latent equations are added when the guards are known | line 5 solves what line 13 has shifted before line 15 adds latent equations, which find their variables taken and give way | lower derivatives come first, then equations that held before |
//! | 14 | both | | |
//! | 26 | the same values, but other equations are erased: 9 as it is read here, 15 with the memory of `changes`, 2 with both | equations of one block are equivalent for its solution, and which of them gives way depends on the order of blocks; where `e` is violated and `e'` holds, `e•` is violated all the same | Principle 1 of E22 §8.2, then the order of the model; derivatives are judged one by one |
//!
//! Of 300 more models with a `when` that has laws for states or declares its mode transient, 400 changes fire it. Compared
//! are the verdict, the erased constraints, impulses with their orders and the states that jump. 304 agree: 223 are
//! determined, 77 rejected, 4 underdetermined. For the others:
//!
//! | changes | reading in which they agree | E22 §8.4 | `changes` |
//! |---|---|---|---|
//! | 76 | constraints of the instant are asked for right limits | what holds for the instant only is not shifted: what the past or a law contradicts is erased, and states that nothing else determines are undetermined. Where the mode goes on behind the instant its constraints are shifted, but for those that contradict a law: the law holds for the instant, and the next one resets to them | a constraint of the instant holds at right limits: states jump to it, and a law that contradicts it is an error |
//! | 8 | what `changes` remembers, as above | | |
//! | 3 | both | | |
//! | 8 | all choices of line 5 together | a law for two states is one equation too many, and the equation of one of them gives way to it: that state jumps, the other goes on | names every state that jumps for some choice |
//! | 1 | the change without its law (model 213) | a constraint of a transient mode gives way to what a law says in the same instant | states jump to the constraint first, with its impulses, and the law says what follows |
//!
//! `semantics` also looks at what the guards that change say of the past (`change/boundary`): `s <= 0` becomes true where `s` is zero,
//! and an equation that this makes true is not violated. `changes` knows that; a run does not. Guards of random models are
//! open, so this is no reason there.
//!
//! # Confluence
//!
//! RR8933 leaves open what the choices of lines 5, 8, 12 and 15 matter. All of them were explored for 200 of the random models,
//! from every consistent start into every regular mode. In 172 models every choice leads to the same. In the other 28, of
//! 94 pairs of a start and a mode 69 erase other equations and then go on alike, and 25 lead to another context. None fails
//! for some choices and ends for others, and on 300 models the verdict of every change is the same with the equations in
//! opposite order. What decides is mostly the order of guards (line 8): blocks are solved as soon as they can be, so what
//! the first guard enables takes variables away from what the next one enables.

mod bipartite;
mod blocks;
mod change;
mod combined;
mod domain;
mod graph;
mod latent;
mod micro_step;
mod modes;
mod reading;
mod run;
mod sigma;
mod status;
mod system;
mod text;
mod values;

pub use change::{Change, ChangeEnd, LawChoice, MOST_CASCADES, Reading};
pub use combined::{CombinedEquation, Unfounded};
pub use domain::{Body, Guard, Shifted, Unknown, Value};
pub use graph::{Class, Graph, MOST_RUNS, Run};
pub use micro_step::{
    AddEquations, Choices, EraseEquation, EvaluateBlock, EvaluateGuard, EvaluateRedundant, Failure, FireClauses,
    ForwardShift, Instant, MicroStep, Next, tick,
};
pub use modes::Modes;
pub use reading::{MOST_GUARDS, TooManyGuards, makes_an_instant, open_guards};
pub use run::{Beginning, End, MOST_STATUSES, Outcome, Trace, outcomes, traces};
pub use sigma::Offsets;
pub use status::{Context, Status, StatusVariable};
pub use system::{Clause, DifferenceSystem, GuardPredicate, GuardedEquation, Incidence, UnknownVariable};
pub use values::{
    AllEffects, Course, DominantTerms, Effects, Jet, MOST_PASTS, Number, RightLimits, RunEffects, Series, Trouble,
    Unclear, Values, coefficient, input, left_limits, quotient,
};

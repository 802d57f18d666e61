//! What `semantics` says, in words: text, JSON, DOT and SVG are four ways to write one [`SemanticsReport`].

use serde_json::Value;

use super::{dot, graph, text};
use crate::changes::ImpulseOrder;
use crate::json::{ByName, Json, Version};

crate::report! {
    /// What an instant begins with.
    pub struct ContextReport {
        /// Its name: the context, `∅` or `{e3}`, with a number where several have the same.
        name: String => always "name",
        /// The equations that hold, `e•` for a shifted one.
        context: Vec<String> => always "context",
        /// The variables that are known.
        knows: Vec<String> => always "knows",
        /// The conditions of `when` clauses that held in the instant before: they do not fire again.
        held: Vec<String> => optional "held",
        /// Equations of the context that are others in other modes, each with the values of guards that it is of.
        bodies: ByName<String> => optional "bodies",
        /// Both in the notation of RR8933 Fig. 3: `w1 w2 ♯e3`.
        status: String => hidden,
    }

    /// A micro-step.
    pub struct StepReport {
        /// `block`, `guard`, `redundant`, `shift`, `latent`, `fire` or `erase`.
        kind: &'static str => always "kind",
        /// In the notation of RR8933 Fig. 3.
        text: String => always "text",
        /// What is known behind it: `v` for T, `v̅` for F, `♯e` for an equation of the context; asked for by `--run`.
        status: Option<String> => optional "status",
    }

    /// A run: the micro-steps of one instant.
    pub struct RunReport {
        /// Its number, from 1.
        number: usize => always "number",
        /// The name of the context it starts from.
        from: String => always "from",
        /// The name of the context behind its tick; nothing for a run that fails.
        to: Option<String> => always "to",
        /// The values of the guards.
        when: String => always "when",
        /// `continuous`, `discrete`, `impulsive` or `failed`.
        class: &'static str => always "class",
        /// Its micro-steps, without the tick.
        steps: Vec<StepReport> => always "steps",
        /// Equations that gave way.
        erased: Vec<String> => always "erased",
        /// Variables with impulses, with the highest order that some past gives them.
        impulse_orders: Vec<ImpulseOrder> => always "impulse_orders",
        /// Variables whose orders are not known, and why.
        unclear: ByName<String> => optional "unclear",
        /// Whether its mode is structurally singular: it is refused, and the run says why.
        is_singular: bool => optional "singular",
        /// The `when` clauses that fire in it.
        fires: Vec<String> => optional "fires",
        /// Why it fails, with the lines of Algorithm 5.
        failure: Option<String> => optional "failure",
        /// All of it in one line.
        text: String => hidden,
        /// Its micro-steps in one line.
        sequence: String => hidden,
        /// The numbers of its contexts.
        ends: (usize, Option<usize>) => hidden,
    }

    /// The continuous dynamics of a mode.
    pub struct ModeDynamics {
        /// The values of the guards.
        when: String => always "when",
        /// `ODE`, or `DAE` where constraints had to be differentiated.
        kind: &'static str => always "kind",
        /// The blocks, in an order in which they can be solved, with derivatives for shifts.
        blocks: Vec<String> => always "blocks",
        /// Constraints, with their derivatives, that states satisfy.
        constraints: Vec<String> => always "constraints",
        /// How many equations a consistent start has.
        equations: u32 => always "equations",
        /// For how many unknowns.
        unknowns: u32 => always "unknowns",
    }

    /// A mode change.
    pub struct ResetReport {
        /// The values of the guards before.
        from: String => always "from",
        /// The values of the guards after.
        to: String => always "to",
        /// What it is: `continuous`, `discrete` or `impulsive`; `failed` or `endless` where it does not end.
        class: &'static str => always "class",
        /// The runs of its instants, the first of the new dynamics included.
        instants: Vec<String> => always "instants",
        /// The numbers of these runs in the list of all; nothing for one in which causality chooses otherwise.
        runs: Vec<Option<usize>> => always "runs",
        /// How it ends: `continuous`, `transient`, `failed` or `endless`.
        end: &'static str => always "end",
        /// The equations that the first instant erases.
        erased: Vec<String> => always "erased",
        /// What later instants erase: `instant 2: e1`.
        erased_later: Vec<String> => optional "erased_later",
        /// The first instant where something is infinite: series in ∂, by variable.
        series: Vec<String> => optional "series",
        /// What its equations leave of that: dominant terms.
        dominant: Vec<String> => optional "dominant",
        /// Where it is over at once: the numbers of the runs that may follow, up to dynamics that last.
        cascades: Vec<Vec<usize>> => optional "cascades",
        /// Whether there are more of these than are listed.
        more_cascades: bool => optional "more_cascades",
        /// The modes of the cascades, in words.
        cascade_texts: Vec<String> => hidden,
        /// Why it fails, with the lines of Algorithm 5.
        failure: Option<String> => optional "failure",
        /// Variables with impulses: not a number when standardized.
        impulse_orders: Vec<ImpulseOrder> => always "impulse_orders",
        /// Variables whose orders are not known, and why: not a number either.
        unclear: ByName<String> => optional "unclear",
        /// Where states get their right limits: the block, and the instant from 1.
        restart: Vec<String> => optional "restart",
        /// States with an impulse in some instant that have a right limit all the same.
        finite: Vec<String> => optional "finite",
        /// States that are infinite behind it: the mode that follows has no standard part.
        infinite: Vec<String> => optional "infinite",
        /// Values after the change, in which `pre(x)` is a left limit; closed forms of `changes`, where it agrees.
        formula: ByName<String> => optional "formula",
        /// Weights of impulses of order 1, likewise.
        weight: ByName<String> => optional "weight",
        /// Weights of impulses of higher orders: those of `δ` and its derivatives, in coefficients of the series.
        moments: ByName<String> => optional "moments",
        /// Products that the change leaves undefined, and the convention by which values and weights are taken.
        warnings: Vec<String> => optional "warnings",
        /// Where `changes` says something else: what, and why.
        differs: Vec<String> => optional "differs",
    }

    /// One way in which an instant can end.
    pub struct OutcomeReport {
        /// The context behind it, or why it fails.
        end: String => always "end",
        /// Equations that gave way.
        erased: Vec<String> => always "erased",
    }

    /// All ways in which an instant can end, where choices matter.
    pub struct ChoiceReport {
        /// The name of the context it starts from.
        from: String => always "from",
        /// The values of the guards.
        when: String => always "when",
        /// The ways.
        outcomes: Vec<OutcomeReport> => always "outcomes",
    }

    /// What the bound on runs leaves out, but for what only these contexts lead to.
    pub struct LeftOut {
        /// How many of the contexts no run was explored from.
        contexts: usize => always "contexts",
        /// How many of them are consistent starts of modes: failures of changes from these are not told.
        starts: usize => always "starts",
        /// How many runs they have.
        runs: usize => always "runs",
    }

    /// The constructive semantics of a model.
    pub struct SemanticsReport {
        /// The version of the format.
        version: Version => always "version",
        /// The class.
        model: String => always "model",
        /// The guards that were given values.
        at: Option<String> => optional "at",
        /// What instants begin with.
        contexts: Vec<ContextReport> => always "contexts",
        /// The runs between them, or the one that was asked for.
        runs: Vec<RunReport> => always "runs",
        /// Whether there are more runs than are explored.
        truncated: bool => optional "truncated",
        /// What was left out then.
        left_out: Option<LeftOut> => optional "left_out",
        /// How many pasts were not followed: for these, runs may have impulses of higher orders.
        pasts_left_out: Option<usize> => optional "pasts_left_out",
        /// Guards that wait for what waits for them, and are given their left limits.
        delayed: Vec<String> => optional "delayed",
        /// `when` clauses whose conditions are no guards of the model: their instants are not among the runs.
        unseen: Vec<String> => optional "unseen",
        /// `when` clauses that set discrete variables which equations read: that these jump is not among the runs either.
        sets: Vec<String> => optional "sets",
        /// Laws that read what is no state and does not follow from states: of that the value in the instant is taken.
        reads_open: Vec<String> => optional "reads_open",
        /// Modes with dynamics that laws declare to be over at once: where their conditions stay true, that is not followed.
        over_at_once: Vec<String> => optional "over_at_once",
        /// The continuous dynamics of the modes.
        modes: Vec<ModeDynamics> => always "modes",
        /// The changes between them, the first 30.
        changes: Vec<ResetReport> => always "changes",
        /// How many more changes there are; `--from` and `--to` pick others.
        more_changes: Option<usize> => optional "more_changes",
        /// Cycles of runs under constant guards that reset for ever.
        endless: Vec<Vec<String>> => always "endless",
        /// With `--all-choices`: the instants whose end depends on choices.
        choices: Option<Vec<ChoiceReport>> => optional "choices",
        /// With `--all-choices`: how many contexts have too many choices to be explored.
        unexplored: Option<usize> => optional "unexplored",
        /// Whether modes whose changes loop for ever are refused; `analyze` may accept them.
        refuses_endless: bool => hidden,
        /// Whether one run was asked for.
        is_one_run: bool => hidden,
    }
}

impl SemanticsReport {
    /// For people.
    pub fn text(&self) -> String {
        text::semantics_to_text(self)
    }

    /// For programs.
    pub fn json(&self) -> Value {
        Json::json(self)
    }

    /// In the language of Graphviz.
    pub fn dot(&self) -> String {
        dot::semantics_to_dot(self)
    }

    /// The picture.
    pub fn svg(&self) -> String {
        graph::semantics_to_svg(self)
    }
}

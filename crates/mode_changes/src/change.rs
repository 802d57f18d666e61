//! A mode change as a run asks for it: from the mode being left and its left limits to the mode that follows and its
//! right limits, through all instants of the cascade between them.
//!
//! An instant in which laws of a `when` act is transient: its mode is left at once, the mode before resumes from the
//! right limits, and its guards are asked again. Definitions with memory (`pre(open)`) are asked again with the values
//! after each instant. A cascade that comes back to the same mode too often is reported as a cycle.

use std::rc::Rc;

use modeshift_dae::{
    DaeText, ExpressionId, ModeVariableId, MultimodeDae, Node, VariableId, WhenAction, WhenActionKind,
};
use modeshift_numerics::NativeFunctions;
use rustc_hash::FxHashMap;

use crate::candidate::{Before, Candidate, Model};
use crate::changed_forms::FormUsers;
use crate::guard_sign::{Sign, Term};
use crate::guards::Guards;
use crate::instant::{Against, Event, Next, given, next};
use crate::jet::Jet;
use crate::mode_change::formula_holds;
use crate::next_mode::Strategy;
use crate::restart::Restart;
use crate::visited::{ModeSource, ModeValues, VisitedMode};

/// How often a cascade may come to the same mode.
const MOST_RETURNS: usize = 4;

/// Finds what follows an event; built once for a model.
pub struct ChangeSolver<'a> {
    model: Model<'a>,
    /// Mode variables by their Boolean variables.
    mode_of: FxHashMap<VariableId, ModeVariableId>,
}

/// One instant of a cascade.
pub struct ChangeStep<'a> {
    /// The mode in it.
    pub mode: Rc<VisitedMode<'a>>,
    /// Right limits, weights of impulses, and what there is to say about them.
    pub restart: Restart,
    /// Whether it was left at once, because laws of a `when` acted.
    pub is_transient: bool,
    /// How many modes were tried.
    pub tried: usize,
}

/// What follows an event: the instants, never none; the last is the mode in which time goes on.
pub struct Change<'a> {
    /// The instants.
    pub steps: Vec<ChangeStep<'a>>,
}

impl<'a> Change<'a> {
    fn last(&self) -> &ChangeStep<'a> {
        self.steps.last().expect("a change has at least one instant")
    }

    /// The mode in which time goes on.
    pub fn mode(&self) -> &Rc<VisitedMode<'a>> {
        &self.last().mode
    }

    /// Right limits in that mode: values and derivatives up to the leading ones, of some variables more.
    pub fn right(&self) -> &Jet {
        &self.last().restart.right
    }
}

/// Why a run cannot go on.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// No mode accepts itself; what speaks against each that was tried.
    NoMode(Vec<Against>),
    /// The mode before cannot resume after laws of a `when`.
    NoResumption(String),
    /// The instants of the cascade come back to the same modes again and again.
    Cycle(Vec<ModeValues>),
}

impl<'a> ChangeSolver<'a> {
    /// Reads the definitions of mode variables and who uses them.
    pub fn new(dae: &'a MultimodeDae, natives: &'a NativeFunctions) -> Self {
        let mode_of =
            dae.mode_variables.iter_enumerated().filter_map(|(id, mode)| Some((mode.variable?, id))).collect();
        let (guards, forms, strategies) = (Guards::new(dae), FormUsers::new(dae), Strategy::ALL.to_vec());
        ChangeSolver { model: Model { dae, natives, guards, forms, strategies }, mode_of }
    }

    /// The same, with only these strategies to find the next mode: for comparison.
    pub fn searching_by(mut self, strategies: &[Strategy]) -> Self {
        self.model.strategies = strategies.to_vec();
        self
    }

    /// The definitions of mode variables, with the relations that a run watches.
    pub fn guards(&self) -> &Guards {
        &self.model.guards
    }

    /// The laws and resets of the `when` clauses whose conditions are formulas over mode variables and become true with
    /// a change. What else a condition may be, a run has to evaluate itself.
    pub fn laws_of_edges(&self, before: &ModeValues, after: &ModeValues) -> Vec<WhenAction> {
        let flat = &self.model.dae.model;
        let holds = |condition: ExpressionId, values: &ModeValues| {
            formula_holds(flat, condition, &|node| match node {
                Node::Mode(mode) => Some(values.get(mode)),
                Node::Variable(variable, 0) => Some(values.get(*self.mode_of.get(&variable)?)),
                _ => None,
            })
        };
        let rises = |&condition: &ExpressionId| {
            holds(condition, before) == Some(false) && holds(condition, after) == Some(true)
        };
        let is_law = |action: &&WhenAction| matches!(action.kind, WhenActionKind::Law(..) | WhenActionKind::Reinit(..));
        let active = flat.when_clauses.iter().filter(|clause| holds(clause.guard, after) != Some(false));
        let branches =
            active.filter_map(|clause| clause.branches.iter().find(|branch| branch.conditions.iter().any(rises)));
        branches.flat_map(|branch| branch.actions.iter().filter(is_law)).cloned().collect()
    }

    /// What follows an event that ends a stay in `before` with left limits `jet`, up to the leading orders.
    pub fn change(
        &self,
        source: &mut dyn ModeSource<'a>,
        before: &Rc<VisitedMode<'a>>,
        jet: &Jet,
        event: &Event,
    ) -> Result<Change<'a>, Refusal> {
        let mut steps: Vec<ChangeStep<'a>> = Vec::new();
        let mut left = (Rc::clone(before), jet.clone());
        let mut event = Event { ..*event };
        loop {
            let found = next(&self.model, source, &event, Before { mode: &left.0, jet: &left.1 });
            let Next { mode, restart, is_transient, tried } = found.map_err(Refusal::NoMode)?;
            steps.push(ChangeStep { mode, restart, is_transient, tried });
            if is_transient {
                let resumed = self.resume(&event, &left.0, steps.last().expect("a step was added"))?;
                steps.push(resumed);
            } else {
                event.fired = &[];
            }
            event.changed = &[];
            check_returns(&steps)?;
            let last = steps.last().expect("a step was added");
            left = (Rc::clone(&last.mode), last.restart.right.clone());
            let is_settled = || given(&self.model, &event, Before { mode: &left.0, jet: &left.1 }) == left.0.values;
            if !is_transient && is_settled() {
                return Ok(Change { steps: without_repetition(steps) });
            }
        }
    }

    /// The mode before a transient one resumes from its right limits.
    fn resume(
        &self,
        event: &Event,
        mode: &Rc<VisitedMode<'a>>,
        transient: &ChangeStep<'a>,
    ) -> Result<ChangeStep<'a>, Refusal> {
        let before = Before { mode: &transient.mode, jet: &transient.restart.right };
        let candidate = Candidate::new(&self.model, event, before, Rc::clone(mode), &[]);
        let restart = candidate.map_err(|unusable| Refusal::NoResumption(unusable.0))?.into_restart();
        Ok(ChangeStep { mode: Rc::clone(mode), restart, is_transient: false, tried: 1 })
    }
}

/// Without a last step in which the mode that resumed after laws of a `when` was only found to stay.
fn without_repetition(mut steps: Vec<ChangeStep>) -> Vec<ChangeStep> {
    if let [.., resumed, last] = &steps[..]
        && resumed.mode.values == last.mode.values
        && !resumed.is_transient
    {
        steps.pop();
    }
    steps
}

fn check_returns(steps: &[ChangeStep]) -> Result<(), Refusal> {
    let last = &steps.last().expect("a step was added").mode.values;
    let returns = steps.iter().filter(|step| step.mode.values == *last).count();
    let modes = || steps.iter().map(|step| step.mode.values.clone()).collect();
    if returns > MOST_RETURNS { Err(Refusal::Cycle(modes())) } else { Ok(()) }
}

impl Refusal {
    /// The refusal in lines: modes by the mode variables that differ, guards, terms and values.
    pub fn lines(&self, dae: &MultimodeDae, before: &ModeValues) -> Vec<String> {
        match self {
            Refusal::NoMode(against) => against.iter().map(|against| against.line(dae, before)).collect(),
            Refusal::NoResumption(reason) => vec![format!("after its `when`, the mode cannot resume: {reason}")],
            Refusal::Cycle(modes) => {
                let names = modes.iter().map(|mode| mode_text(dae, before, mode)).collect::<Vec<_>>();
                vec![format!("the cascade does not end: {}", names.join(" -> "))]
            }
        }
    }
}

impl Against {
    fn line(&self, dae: &MultimodeDae, before: &ModeValues) -> String {
        let mode = mode_text(dae, before, &self.mode);
        match &self.objection {
            Err(reason) => format!("{mode}: {reason}"),
            Ok((variable, sign)) => {
                let definition = dae.mode_variables[*variable].definition;
                let guard = definition
                    .map_or(String::new(), |definition| format!(" = ({})", DaeText::new(dae).expression(definition)));
                let name = &dae.mode_variables[*variable].name;
                let value = if self.mode.get(*variable) { "true" } else { "false" };
                format!("{mode}: {name}{guard} is not {value}, {}", sign_text(*sign))
            }
        }
    }
}

fn sign_text(sign: Sign) -> String {
    match sign {
        Sign::Decided(Term::Weight(p), value) => format!("the impulse of order {} has weight {value:.6e}", p + 1),
        Sign::Decided(Term::Derivative(0), value) => format!("its value is off by {value:.6e}"),
        Sign::Decided(Term::Derivative(k), value) => format!("its derivative of order {k} is off by {value:.6e}"),
        Sign::Vanishing => "it vanishes".to_string(),
    }
}

/// `g1 = true, g2 = false` for the mode variables that differ, or that the mode is kept.
fn mode_text(dae: &MultimodeDae, before: &ModeValues, mode: &ModeValues) -> String {
    let value = |id: ModeVariableId| format!("{} = {}", dae.mode_variables[id].name, mode.get(id));
    let differing: Vec<String> = before.differing(mode).map(value).collect();
    if differing.is_empty() { "the mode as it was".to_string() } else { differing.join(", ") }
}

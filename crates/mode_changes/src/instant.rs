//! One instant of a run: which mode comes next, and the restart in it.
//!
//! Mode variables that time, left limits or discrete variables define are given. The others are searched, in growing
//! clusters: first those whose guards fired, are near zero or contradict the mode being left; if the mode that is found lets others jump to the other
//! side, those are searched with them. All else keeps its value, whatever the size of the model.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use modeshift_dae::{DaeText, ExpressionId, ModeVariableId, Node, VariableId, WhenAction};
use modeshift_numerics::Input;

use crate::candidate::{Before, Candidate, Model, known, past, sign_before};
use crate::cluster_pairs::{COMPLEMENTARITY_STEPS, Element, ReferenceMode, cluster_complementarity};
use crate::guard_sign::{Sign, Term};
use crate::guards::{Leaves, RelationId};
use crate::next_mode::{Cluster, Complementarity, Mode, NextMode, Objection, StateCondition, Unusable, next_mode_by};
use crate::relation::Surroundings;
use crate::restart::{Noise, Restart};
use crate::visited::{ModeSource, ModeValues, VisitedMode};

/// What a run knows at an event.
pub struct Event<'e> {
    /// The relations that caused it: zero by definition, however exactly the event was located. A relation inside `pre`
    /// counts as the relation without it.
    pub fired: &'e [ExpressionId],
    /// Values of parameters, inputs and discrete variables ([`Input::Variable`]), of discrete variables before the event
    /// ([`Input::LeftVariable`]), and of what only a run can tell ([`Input::Run`]).
    pub known: &'e dyn Fn(Input) -> Option<f64>,
    /// Discrete variables that have another value than before.
    pub changed: &'e [VariableId],
    /// Start values, for variables that the model has no other value for.
    pub start: &'e dyn Fn(VariableId) -> Option<f64>,
    /// The laws and resets of the `when` clauses that fire if the mode changes like this; see
    /// [`ChangeSolver::laws_of_edges`](crate::ChangeSolver::laws_of_edges).
    pub laws: &'e dyn Fn(&ModeValues, &ModeValues) -> Vec<WhenAction>,
    /// What counts as zero.
    pub noise: Noise,
}

/// The mode that follows.
pub(crate) struct Next<'a> {
    pub mode: Rc<VisitedMode<'a>>,
    pub restart: Restart,
    pub is_transient: bool,
    /// How many modes were tried.
    pub tried: usize,
}

/// No mode that was tried accepts itself: what speaks against each.
#[derive(Clone, Debug)]
pub struct Against {
    /// The mode.
    pub mode: ModeValues,
    /// Why it cannot be tried, or the mode variable whose definition contradicts it, with the term that decides.
    pub objection: Result<(ModeVariableId, Sign), String>,
}

/// Finds the mode that follows and restarts in it.
pub(crate) fn next<'a>(
    model: &Model<'a>,
    source: &mut dyn ModeSource<'a>,
    event: &Event,
    before: Before<'_, 'a>,
) -> Result<Next<'a>, Vec<Against>> {
    let mut search = ModelCluster {
        model,
        source,
        event,
        before,
        base: given(model, event, before),
        elements: Vec::new(),
        counts: Vec::new(),
        candidates: BTreeMap::new(),
        touched: BTreeSet::new(),
    };
    let mut members = search.in_doubt();
    loop {
        search.set_elements(&members);
        let current: Mode = search.elements.iter().map(|&mode| u32::from(search.base.get(mode))).collect();
        let found = next_mode_by(&mut search, &current, &model.strategies);
        let size = members.len();
        match found {
            NextMode::Accepted { mode, tried } => {
                let values = search.values(&mode);
                members.extend(search.violated_elsewhere(&values));
                if members.len() == size {
                    return Ok(search.finish(&values, tried));
                }
            }
            NextMode::None(tried) => {
                members.append(&mut search.touched);
                if members.len() == size {
                    return Err(search.against(tried));
                }
            }
        }
    }
}

/// The mode being left with the mode variables that are given before any mode is tried.
pub(crate) fn given(model: &Model, event: &Event, before: Before) -> ModeValues {
    let mut values = before.mode.values.clone();
    complete(model, event, before, model.guards.given(), &mut values);
    values
}

/// Sets mode variables that are not searched, as they follow from time, left limits and the others.
fn complete(model: &Model, event: &Event, before: Before, modes: &[ModeVariableId], values: &mut ModeValues) {
    for &mode in modes {
        if let Some(value) = given_value(model, event, before, mode, values) {
            values.set(mode, value);
        }
    }
}

fn given_value(
    model: &Model,
    event: &Event,
    before: Before,
    mode: ModeVariableId,
    values: &ModeValues,
) -> Option<bool> {
    if !model.guards.is_defined(mode) {
        let variable = model.dae.mode_variables[mode].variable?;
        return Some((event.known)(Input::Variable(variable, 0))? != 0.0);
    }
    let known = known(event, before, values);
    let surroundings = Surroundings { model: &model.dae.model, natives: model.natives, known: &known };
    let relation = |id: RelationId| {
        let relation = model.guards.relation(id);
        let has_fired = has_fired(model, event, relation.expression);
        let sign = sign_before(model, event, before, values, relation, has_fired);
        relation.holds(sign).or(Some(relation.holds_at_zero()))
    };
    let leaves = Leaves {
        surroundings,
        mode: &|mode| values.get(mode),
        left_mode: &|mode| before.mode.values.get(mode),
        relation: &relation,
    };
    model.guards.truth(mode, &leaves)
}

/// Whether a relation fired, as it is or with its sides taken out of `pre`.
fn has_fired(model: &Model, event: &Event, relation: ExpressionId) -> bool {
    if event.fired.is_empty() {
        return false;
    }
    let expressions = &model.dae.model.expressions;
    let sides = |relation: ExpressionId| match expressions.node(relation) {
        Node::Relation(operator, left, right) => {
            let bare = |side: ExpressionId| match expressions.node(side) {
                Node::Pre(inner) => inner,
                _ => side,
            };
            Some((operator, bare(left), bare(right)))
        }
        _ => None,
    };
    event.fired.iter().any(|&fired| fired == relation || (sides(fired).is_some() && sides(fired) == sides(relation)))
}

struct ModelCluster<'e, 's, 'a> {
    model: &'e Model<'a>,
    source: &'s mut dyn ModeSource<'a>,
    event: &'e Event<'e>,
    before: Before<'e, 'a>,
    /// The mode being left, with what is given.
    base: ModeValues,
    /// The mode variables that are searched, ascending.
    elements: Vec<ModeVariableId>,
    counts: Vec<u32>,
    candidates: BTreeMap<ModeValues, Result<Candidate<'a>, Unusable>>,
    /// Mode variables whose guards are touched in some candidate.
    touched: BTreeSet<ModeVariableId>,
}

impl<'a> ModelCluster<'_, '_, 'a> {
    /// Mode variables whose guards fired, are near zero in the mode being left, or contradict it.
    fn in_doubt(&self) -> BTreeSet<ModeVariableId> {
        let Before { mode, jet } = self.before;
        let known = known(self.event, self.before, &mode.values);
        let model = self.model;
        let surroundings = Surroundings { model: &model.dae.model, natives: model.natives, known: &known };
        let clear = |id: RelationId| {
            let relation = model.guards.relation(id);
            if has_fired(model, self.event, relation.expression) {
                return None;
            }
            let sign = relation.clear_sign(&surroundings, &mode.structure, jet).unwrap_or_else(|| {
                relation.series_along(&surroundings, &mode.structure, jet, 1).sign(&self.event.noise, false)
            });
            relation.holds(sign).filter(|_| matches!(sign, Sign::Decided(Term::Derivative(0), _)))
        };
        let leaves = Leaves {
            surroundings,
            mode: &|other| mode.values.get(other),
            left_mode: &|other| mode.values.get(other),
            relation: &clear,
        };
        let is_in_doubt = |id: &ModeVariableId| model.guards.truth(*id, &leaves) != Some(mode.values.get(*id));
        model.guards.decided_by_candidates().iter().copied().filter(is_in_doubt).collect()
    }

    fn set_elements(&mut self, members: &BTreeSet<ModeVariableId>) {
        self.elements = members.iter().copied().collect();
        self.counts = vec![2; self.elements.len()];
    }

    /// The mode of the model: elements as searched, the others given.
    fn values(&self, mode: &Mode) -> ModeValues {
        let mut values = self.base.clone();
        for (&element, &state) in self.elements.iter().zip(mode) {
            values.set(element, state == 1);
        }
        if values != self.base {
            complete(self.model, self.event, self.before, self.model.guards.following(), &mut values);
        }
        values
    }

    fn candidate(&mut self, values: &ModeValues) -> Result<&Candidate<'a>, Unusable> {
        if !self.candidates.contains_key(values) {
            let built = self.build(values);
            if let Ok(candidate) = &built {
                let touched = candidate.touched(&self.model.guards);
                self.touched.extend(touched.iter().flat_map(|&id| self.model.guards.users(id)));
            }
            self.candidates.insert(values.clone(), built);
        }
        self.candidates[values].as_ref().map_err(Unusable::clone)
    }

    fn build(&mut self, values: &ModeValues) -> Result<Candidate<'a>, Unusable> {
        if let Some(broken) = broken_invariant(self.model, values) {
            return Err(Unusable(broken));
        }
        let mode = self.source.mode(values).map_err(|_| Unusable("it is structurally singular".to_string()))?;
        let laws = (self.event.laws)(&self.before.mode.values, values);
        Candidate::new(self.model, self.event, self.before, mode, &laws)
    }

    /// What the definition of a mode variable says in a candidate that is known already, and what decides.
    fn verdict(&self, values: &ModeValues, mode: ModeVariableId) -> (Option<bool>, Sign) {
        let (model, event, before) = (self.model, self.event, self.before);
        let Ok(candidate) = &self.candidates[values] else { return (None, Sign::Vanishing) };
        let is_left = *values == before.mode.values;
        let sign = |id: RelationId| {
            let relation = model.guards.relation(id);
            let has_fired = has_fired(model, event, relation.expression);
            if relation.is_of_candidate() {
                return candidate.sign(model, event, before, id, has_fired && is_left);
            }
            sign_before(model, event, before, values, relation, has_fired)
        };
        let known = known(event, before, values);
        let leaves = Leaves {
            surroundings: Surroundings { model: &model.dae.model, natives: model.natives, known: &known },
            mode: &|mode| values.get(mode),
            left_mode: &|mode| before.mode.values.get(mode),
            relation: &|id| model.guards.relation(id).holds(sign(id)),
        };
        let truth = model.guards.truth(mode, &leaves);
        let deciding = model.guards.relations_of(mode).map(sign).find(|sign| *sign != Sign::Vanishing);
        (truth, deciding.unwrap_or(Sign::Vanishing))
    }

    /// The cluster as linear complementarity with this mode as reference; `None` if it is singular or the cluster is
    /// none.
    fn complementarities_at(&mut self, reference: &Mode) -> Option<Vec<Complementarity>> {
        let values = self.values(reference);
        let mode = self.source.mode(&values).ok()?;
        let changed = |at: usize| {
            let mut other = reference.clone();
            other[at] = 1 - other[at];
            self.values(&other)
        };
        let changed: Vec<ModeValues> = (0..self.elements.len()).map(changed).collect();
        let (model, event, before) = (self.model, self.event, self.before);
        let mut elements = Vec::with_capacity(changed.len());
        for (&id, changed) in self.elements.iter().zip(&changed) {
            let (guard, sign) = self.guard(id, &values)?;
            let state = u32::from(values.get(id));
            let known = Box::new(known(event, before, changed));
            let (states, changed_variables) = ((state, 1 - state), Vec::new());
            elements.push(Element { guard, sign, states, changed, changed_variables, known });
        }
        let new_forms = model.forms.changed(model.dae, &before.mode.values, &values, event.changed);
        let memory = past(event, before, &mode.structure, &new_forms).jet;
        let known = known(event, before, &values);
        let reference = ReferenceMode {
            dae: model.dae,
            natives: model.natives,
            forms: &model.forms,
            values: &values,
            structure: &mode.structure,
            equations: &mode.equations.at(&known),
            known: &known,
            memory: &memory,
            point: &memory,
        };
        let steps = COMPLEMENTARITY_STEPS.map(|share| share * event.noise.time_scale);
        let problem = |&step: &f64| cluster_complementarity(&reference, &elements, step);
        let problems: Vec<Complementarity> = steps.iter().filter_map(problem).collect();
        (!problems.is_empty()).then_some(problems)
    }

    /// The sides of the only relation in the definition of a mode variable, and the sign with which their difference
    /// speaks for the value that it has in a mode.
    fn guard(&self, mode: ModeVariableId, values: &ModeValues) -> Option<([ExpressionId; 2], f64)> {
        let (model, before) = (self.model, self.before);
        let mut relations = model.guards.relations_of(mode);
        let (relation, None) = (relations.next()?, relations.next()) else { return None };
        let known = known(self.event, before, values);
        let leaves = Leaves {
            surroundings: Surroundings { model: &model.dae.model, natives: model.natives, known: &known },
            mode: &|mode| values.get(mode),
            left_mode: &|mode| before.mode.values.get(mode),
            relation: &|id| model.guards.relation(id).holds(Sign::Decided(Term::Derivative(0), 1.0)),
        };
        let positive = model.guards.truth(mode, &leaves)?;
        let expression = model.guards.relation(relation).expression;
        let Node::Relation(_, left, right) = model.dae.model.expressions.node(expression) else { return None };
        Some(([left, right], if positive == values.get(mode) { 1.0 } else { -1.0 }))
    }

    /// Mode variables outside the cluster whose guards are touched and then contradict an accepted mode.
    fn violated_elsewhere(&mut self, values: &ModeValues) -> Vec<ModeVariableId> {
        let Ok(candidate) = &self.candidates[values] else { return Vec::new() };
        let touched = candidate.touched(&self.model.guards);
        let mut modes: Vec<ModeVariableId> =
            touched.iter().flat_map(|&id| self.model.guards.users(id)).copied().collect();
        modes.sort_unstable();
        modes.dedup();
        modes.retain(|mode| self.elements.binary_search(mode).is_err());
        modes.retain(|&mode| self.verdict(values, mode).0.is_some_and(|truth| truth != values.get(mode)));
        modes
    }

    fn finish(mut self, values: &ModeValues, tried: usize) -> Next<'a> {
        let candidate = self.candidates.remove(values).expect("an accepted mode was tried");
        let Ok(candidate) = candidate else { unreachable!("an accepted mode is usable") };
        let (mode, is_transient) = (Rc::clone(&candidate.mode), candidate.is_transient);
        Next { mode, is_transient, restart: candidate.into_restart(), tried }
    }

    fn against(&self, tried: Vec<(Mode, Objection)>) -> Vec<Against> {
        let objection = |objection| match objection {
            Objection::Unusable(reason) => Err(reason),
            Objection::Violated { element, sign } => Ok((self.elements[element], sign)),
        };
        let against = |(mode, why)| Against { mode: self.values(&mode), objection: objection(why) };
        tried.into_iter().map(against).collect()
    }
}

/// Words for the first invariant that a mode breaks.
fn broken_invariant(model: &Model, values: &ModeValues) -> Option<String> {
    let flat = &model.dae.model;
    let mode = |mode| values.get(mode);
    let holds = |formula| crate::mode_change::holds(flat, formula, &mode);
    let broken = |invariant: &&modeshift_dae::Invariant| {
        holds(invariant.guard) == Some(true) && holds(invariant.condition) == Some(false)
    };
    let text = |invariant: &modeshift_dae::Invariant| {
        format!("it breaks the invariant {}", DaeText::new(model.dae).expression(invariant.condition))
    };
    flat.invariants.iter().find(broken).map(text)
}

impl Cluster for ModelCluster<'_, '_, '_> {
    fn states(&self) -> &[u32] {
        &self.counts
    }

    fn conditions(&mut self, mode: &Mode) -> Result<Vec<StateCondition>, Unusable> {
        let values = self.values(mode);
        self.candidate(&values)?;
        let condition = |(element, &mode): (usize, &ModeVariableId)| {
            let (truth, deciding) = self.verdict(&values, mode);
            let agrees = truth.is_none_or(|truth| truth == values.get(mode));
            let sign = match deciding {
                _ if agrees => Sign::Vanishing,
                Sign::Decided(term, value) => Sign::Decided(term, -value.abs()),
                Sign::Vanishing => Sign::Decided(Term::Derivative(0), -1.0),
            };
            StateCondition { element, sign, otherwise: u32::from(!values.get(mode)) }
        };
        Ok(self.elements.iter().enumerate().map(condition).collect())
    }

    fn complementarities(&mut self) -> Vec<Complementarity> {
        let current: Mode = self.elements.iter().map(|&mode| u32::from(self.base.get(mode))).collect();
        let (none, all) = (vec![0; current.len()], vec![1; current.len()]);
        [current, none, all].iter().find_map(|mode| self.complementarities_at(mode)).unwrap_or_default()
    }

    fn signature(&mut self, mode: &Mode) -> Vec<f64> {
        let values = self.values(mode);
        let before = self.before;
        self.candidate(&values).map(|candidate| candidate.signature(before)).unwrap_or_default()
    }
}

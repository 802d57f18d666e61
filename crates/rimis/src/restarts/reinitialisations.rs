//! Reinitialisations: one `when … elsewhen` chain per state.
//!
//! A state gets a value from a `reinit` of the source, from a jump at a mode change (`jumps`), or, where only some
//! modes have it, on entry into one of them from what the variable was before (E22 §10.1 step 7, §10.4 REINIT). Modelica
//! allows one `when` per variable, so these are branches of one chain, in this order; states with the same conditions
//! share it. What else happens at events is in `events`.

use modeshift_dae::{
    Derivative, ExpressionId, Expressions, IndexVec, ModeVariableId, MultimodeDae, Node, Rewritten, VariableId,
    WhenActionKind,
};
use modeshift_diagnostics::Diagnostic;
use modeshift_mode_changes::{AllChanges, Moment};
use modeshift_modes::{FormulaPrinter, Invariant, ModeSet, ModeVariable};
use rustc_hash::FxHashMap;

use super::impulsive_guards::{ImpulsiveGuard, Unwritable, is_compared_itself, unwritable};
use super::jumps::Jump;
use crate::blocks::Level;
use crate::draft::Draft;
use crate::modes::ModeBooleans;
use crate::modes::WrittenImpulse;
use crate::modes::{Builder, by_decisions};
use crate::target::{Action, Branch, Item};

/// A reinitialisation of one state.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reset {
    conditions: Vec<ExpressionId>,
    value: ExpressionId,
}

/// What chains are made of.
pub(crate) struct Restarts<'a, 'c> {
    pub(crate) dae: &'a MultimodeDae,
    pub(crate) draft: &'a mut Draft<'c>,
    pub(crate) changes: &'a AllChanges<'a>,
    /// Changes that can happen.
    pub(crate) feasible: &'a Invariant,
    /// Prints sets of changes.
    pub(crate) printer: FormulaPrinter<'a>,
    /// The Booleans of mode variables, in the robust form.
    pub(crate) booleans: Option<&'a IndexVec<ModeVariableId, ModeBooleans>>,
    /// Guards that are on impulses in some changes.
    pub(crate) guards: &'a [ImpulsiveGuard],
}

/// What is written about mode changes and events.
pub(crate) struct Reinitialisations {
    /// Reinitialisations of states.
    pub(crate) chains: Vec<Item>,
    /// What a `when` of the source does beside `reinit`.
    pub(crate) events: Vec<Item>,
    /// Impulses that guards have to look at.
    pub(crate) impulses: Vec<WrittenImpulse>,
}

impl Restarts<'_, '_> {
    /// All of them.
    pub(crate) fn reinitialisations(mut self, jumps: &[Jump]) -> Result<Reinitialisations, Box<Diagnostic>> {
        Ok(Reinitialisations { chains: self.chains(jumps), events: self.events()?, impulses: self.impulses()? })
    }

    /// The chains of all states, those with the same conditions together.
    fn chains(&mut self, jumps: &[Jump]) -> Vec<Item> {
        let mut of_source = self.of_source();
        let mut of_changes: FxHashMap<Derivative<VariableId>, Vec<&Jump>> = FxHashMap::default();
        for jump in jumps {
            of_changes.entry(jump.of).or_default().push(jump);
        }
        let mut chains: Vec<(VariableId, Vec<Reset>)> = Vec::new();
        for variable in self.draft.replicates.variables() {
            for order in 0..self.draft.replicates.levels(variable).len() as u32 {
                let Some(state) = self.draft.replicates.levels(variable)[order as usize].state() else { continue };
                let mut resets = match order {
                    0 => of_source.remove(&variable).unwrap_or_default(),
                    _ => Vec::new(),
                };
                let derivative = Derivative::new(variable, order);
                let own = of_changes.remove(&derivative).unwrap_or_default();
                resets.extend(own.iter().map(|jump| self.of_jump(jump)));
                if !state.modes.is_all() && self.is_entered_otherwise(state.modes, &own) {
                    resets.push(self.on_entry(derivative, state.modes));
                }
                if !resets.is_empty() {
                    chains.push((state.variable, resets));
                }
            }
        }
        together(chains)
    }

    /// Every `reinit` of the source by its variable, in order.
    fn of_source(&mut self) -> FxHashMap<VariableId, Vec<Reset>> {
        let mut resets: FxHashMap<VariableId, Vec<Reset>> = FxHashMap::default();
        for clause in &self.dae.model.when_clauses {
            for branch in &clause.branches {
                for action in &branch.actions {
                    let WhenActionKind::Reinit(of, value) = action.kind else { continue };
                    let conditions = self.guarded(&branch.conditions, &[clause.guard, action.guard]);
                    let reset = Reset { conditions, value: self.draft.written(value) };
                    resets.entry(of).or_default().push(reset);
                }
            }
        }
        resets
    }

    fn of_jump(&mut self, jump: &Jump) -> Reset {
        let value = self.draft.written(jump.value);
        let condition = self.when_changing(jump.pairs);
        let condition = self.unless_guards_object(condition, jump.pairs);
        Reset { conditions: vec![condition], value }
    }

    /// Whether some change enters these modes without one of these jumps.
    fn is_entered_otherwise(&self, modes: ModeSet, jumps: &[&Jump]) -> bool {
        let space = &self.changes.pairs.space;
        let jumping = space.union(jumps.iter().map(|jump| jump.pairs));
        self.happens(space.difference(self.entering(modes), jumping))
    }

    /// The changes that enter these modes from outside.
    fn entering(&self, modes: ModeSet) -> ModeSet {
        let pairs = &self.changes.pairs;
        let entering = pairs.space.difference(pairs.after(modes), pairs.before(modes));
        pairs.space.and(entering, pairs.regular)
    }

    fn happens(&self, changing: ModeSet) -> bool {
        self.feasible.allows(&self.changes.pairs.space, changing)
    }

    fn on_entry(&mut self, derivative: Derivative<VariableId>, modes: ModeSet) -> Reset {
        let condition = self.draft.condition(modes);
        let signal = self.draft.signal(derivative);
        Reset { conditions: vec![condition], value: self.draft.expressions().pre(signal) }
    }

    /// Conditions of a `when`, each with the guards around it.
    pub(crate) fn guarded(&mut self, conditions: &[ExpressionId], guards: &[ExpressionId]) -> Vec<ExpressionId> {
        let with_guards = |restarts: &mut Self, condition: ExpressionId| {
            let condition = restarts.draft.written(condition);
            guards.iter().fold(condition, |condition, &guard| {
                let guard = restarts.draft.written(guard);
                restarts.draft.expressions().and(condition, guard)
            })
        };
        conditions.iter().map(|&condition| with_guards(self, condition)).collect()
    }

    /// A condition that becomes true in these changes.
    fn when_changing(&mut self, changing: ModeSet) -> ExpressionId {
        if let Some(modes) = self.entered(changing) {
            return self.draft.condition(modes);
        }
        self.in_change(changing)
    }

    /// A condition that holds in the instants of these changes only.
    fn in_change(&mut self, changing: ModeSet) -> ExpressionId {
        let booleans = &self.draft.conditions.booleans;
        let value = |expressions: &mut Expressions, doubled: ModeVariable| {
            let (moment, variable) = Moment::of_doubled(doubled);
            let mode = ModeVariableId(variable.0);
            let now = expressions.variable(booleans[mode], 0);
            if moment == Moment::Before { expressions.pre(now) } else { now }
        };
        let mut builder = Builder { expressions: self.draft.target.expressions(), variable: value };
        match self.printer.build_within(changing, ModeSet::ALL, &mut builder) {
            Some(formula) => formula,
            None => by_decisions(&self.changes.pairs.space, &mut builder, changing),
        }
    }

    /// A condition of a jump, with what guards say that are on impulses then: if one asks for another mode, the mode is
    /// only passed and nothing jumps.
    fn unless_guards_object(&mut self, condition: ExpressionId, pairs: ModeSet) -> ExpressionId {
        let space = &self.changes.pairs.space;
        let mut modes: Vec<ModeVariableId> =
            self.guards.iter().filter(|guard| space.intersects(guard.pairs, pairs)).map(|guard| guard.mode).collect();
        modes.dedup();
        modes.into_iter().fold(condition, |condition, mode| {
            let (Some(booleans), Some(next)) = (self.booleans, self.booleans.and_then(|it| it[mode].next)) else {
                return condition;
            };
            let after = space.literal(Moment::After.of_mode(mode));
            let (now, next) = (self.draft.value(booleans[mode].in_force), self.draft.value(next));
            let expressions = self.draft.expressions();
            let (not_now, not_next) = (expressions.not(now), expressions.not(next));
            let agrees = if space.implies(pairs, after) {
                next
            } else if !space.intersects(pairs, after) {
                not_next
            } else {
                let (both, neither) = (expressions.and(now, next), expressions.and(not_now, not_next));
                expressions.or(both, neither)
            };
            expressions.and(condition, agrees)
        })
    }

    /// The impulses that guards look at, in terms of the target.
    fn impulses(&mut self) -> Result<Vec<WrittenImpulse>, Box<Diagnostic>> {
        let mut written = Vec::with_capacity(self.guards.len());
        for guard in self.guards {
            let weight = match guard.weight {
                Some(weight) if is_compared_itself(self.dae, guard) => {
                    self.at_states(weight).map_err(Unwritable::NotAState)
                }
                Some(_) => Err(Unwritable::NotCompared),
                None => Err(Unwritable::NoFormula),
            };
            let refused = |reason| unwritable(self.dae, guard, reason, self.printer.print(guard.pairs).text);
            let weight = weight.map_err(refused)?;
            let change = self.in_change(guard.pairs);
            written.push(WrittenImpulse { mode: guard.mode, variable: guard.variable, change, weight });
        }
        Ok(written)
    }

    /// A formula of left limits as one of states, which still have their left limits where nothing has jumped yet; or a
    /// variable that it needs and that is no state of all modes.
    fn at_states(&mut self, formula: ExpressionId) -> Result<ExpressionId, VariableId> {
        let replicates = &self.draft.replicates;
        let mut missing = None;
        let mut known = Rewritten::new();
        let result = self.draft.target.model.expressions.rewrite(formula, &mut known, |expressions, id| {
            let Node::Pre(inner) = expressions.node(id) else { return id };
            let Node::Variable(variable, order) = expressions.node(inner) else { return id };
            let level = replicates.levels(variable).get(order as usize).filter(|level| level.sources.len() == 1);
            match level.and_then(Level::state) {
                Some(state) => expressions.variable(state.variable, 0),
                None => {
                    missing.get_or_insert(variable);
                    id
                }
            }
        });
        missing.map_or(Ok(result), Err)
    }

    /// The modes that these changes enter from outside, if they are all changes that do.
    fn entered(&self, changing: ModeSet) -> Option<ModeSet> {
        let pairs = &self.changes.pairs;
        let support = pairs.space.support(changing);
        let before: Vec<ModeVariable> =
            support.into_iter().filter(|&variable| Moment::of_doubled(variable).0 == Moment::Before).collect();
        let after = pairs.space.exists(changing, &before);
        let modes =
            self.draft.conditions.space().import(&pairs.space, &[after], |doubled| Moment::of_doubled(doubled).1)[0];
        let different = pairs.space.xor(self.entering(modes), changing);
        (!self.happens(different)).then_some(modes)
    }
}

/// Chains with the same conditions as one.
fn together(chains: Vec<(VariableId, Vec<Reset>)>) -> Vec<Item> {
    let mut joined: Vec<(Vec<Vec<ExpressionId>>, Vec<Branch>)> = Vec::new();
    for (state, resets) in chains {
        let conditions: Vec<Vec<ExpressionId>> = resets.iter().map(|reset| reset.conditions.clone()).collect();
        let actions = resets.into_iter().map(|reset| Action::Reinit(state, reset.value));
        match joined.iter_mut().rev().take(MOST_COMPARED).find(|(known, _)| *known == conditions) {
            Some((_, branches)) => {
                branches.iter_mut().zip(actions).for_each(|(branch, action)| branch.actions.push(action));
            }
            None => {
                let branches = conditions.iter().zip(actions);
                let branch = |(conditions, action): (&Vec<ExpressionId>, Action)| Branch {
                    conditions: conditions.clone(),
                    actions: vec![action],
                };
                let branches = branches.map(branch).collect();
                joined.push((conditions, branches));
            }
        }
    }
    joined.into_iter().map(|(_, branches)| Item::When(branches)).collect()
}

/// How many chains back one with the same conditions is looked for: states of one component are near each other.
const MOST_COMPARED: usize = 64;

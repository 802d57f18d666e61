//! All mode changes of a model at once.
//!
//! Everything is a set of pairs of modes: where an equation is new, a constraint erased, a left limit missing, a
//! variable impulsive, a `when` with restart laws fires. E22 §8.5 without enumerating pairs.
//!
//! | file | purpose |
//! |---|---|
//! | [`space`] | pairs of modes as sets over doubled mode variables |
//! | [`forms`] | where an equation is new |
//! | [`left_limits`], [`guarded_matching`] | which constraints are erased, which left limits are missing |
//! | [`births`] | constraints that only say where something begins |
//! | [`guard_zeros`] | constraints that the change itself makes true |
//! | [`firings`] | where a `when` with restart laws fires |
//! | [`transients`] | whether its laws determine what happens in the instant |
//! | [`cascades`] | which of them can follow each other in one instant |
//! | [`spread`] | how far the causes of a change reach |
//! | [`orders`] | impulse orders as sets of pairs |
//! | [`rules`] | impulse orders as local rules, where the sets would be large |
//! | [`products`] | products of impulses that are not defined |
//! | [`kinds`] | changes with the same verdict |
//! | [`example`] | one change out of a set |

mod births;
mod cascades;
mod example;
mod firings;
mod forms;
mod guard_zeros;
mod guarded_matching;
mod kinds;
mod left_limits;
mod orders;
mod products;
mod rules;
mod space;
mod spread;
mod transients;

pub(crate) use cascades::Cascades;
pub(crate) use example::ChangeExample;
pub use firings::transient_modes;
#[cfg(test)]
pub(crate) use forms::FormCondition;
pub(crate) use kinds::ChangeKind;
pub use left_limits::InPairs;
pub use orders::PairPotentials;
pub use rules::OrderBound;
#[cfg(test)]
pub(crate) use rules::OrderRule;
pub use space::{Moment, PairSpace};
pub use transients::Conflict;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use modeshift_dae::{Derivative, EquationId, IndexVec, MultimodeDae, VariableId};
use modeshift_modes::{FormulaPrinter, Limit, ModeSet};
use modeshift_structure::{Analysis, Options};
use rustc_hash::FxHashMap;

use births::without_births;
use firings::{Firing, FiringLaw, firings};
pub(crate) use forms::{Forms, forms, new_equations};
#[cfg(test)]
pub(crate) use guard_zeros::guard_zeros;
use guard_zeros::{LeftLimits, satisfied};
pub(crate) use left_limits::{PairMemory, pair_memory};
pub(crate) use orders::pair_potentials;
use products::{PairProduct, pair_products};
pub(crate) use spread::{Causes, Extent};
use transients::{PairTransients, pair_transients};

/// All mode changes of a model.
#[derive(Debug)]
pub struct AllChanges<'a> {
    /// Pairs of modes.
    pub pairs: PairSpace<'a>,
    /// On which conditions the form of each equation depends.
    pub forms: Forms,
    /// The pairs in which each equation is new.
    pub is_new: IndexVec<EquationId, ModeSet>,
    /// What is erased and what is missing.
    pub memory: PairMemory,
    /// Erased constraints that may really be violated: those that their own guard makes true are left out.
    pub defects: Vec<InPairs<EquationId>>,
    /// Constraints of new equations that are not erased: they give right limits to what has no past that would count, so that
    /// this jumps without making an impulse. Those that their own guard makes true are left out here too.
    pub fresh: Vec<InPairs<EquationId>>,
    /// The `when` clauses with restart laws.
    pub firings: Vec<Firing>,
    /// Whether these determine what happens in their instants.
    pub transients: PairTransients,
    /// Variables that begin with a value of their own where they did not exist.
    begins: BTreeSet<VariableId>,
    /// How far defects reach, by the pairs that were asked for.
    potentials: RefCell<Vec<(ModeSet, Arc<PairPotentials>)>>,
    pub(crate) analysis: &'a Analysis,
}

impl<'a> AllChanges<'a> {
    /// Analyzes all mode changes between regular modes, within the limits of the options.
    pub fn new(dae: &MultimodeDae, analysis: &'a Analysis, options: &Options) -> Result<Self, Limit> {
        let pairs = PairSpace::of_model(dae, analysis);
        if let Some(nodes) = options.node_limit {
            pairs.space.set_node_limit(nodes);
        }
        if let Some(time) = options.time_limit {
            pairs.space.set_time_limit(time);
        }
        pairs.space.set_task("analyzing mode changes");
        let forms = forms(dae, analysis);
        let is_new = new_equations(&pairs, analysis, &forms);
        let of_states = variables_of_states(dae);
        let has_start = |id: VariableId| dae.model.variables[id].start.is_some() || of_states.contains(&id);
        let begins: BTreeSet<VariableId> =
            of_states.iter().copied().filter(|&id| dae.model.variables[id].start.is_some()).collect();
        let mut memory = pair_memory(&pairs, analysis, &is_new, &has_start, &|id| begins.contains(&id))?;
        let firings = firings(dae, analysis, &pairs);
        without_derivatives(&pairs, &is_new, &firings, &mut memory);
        let left = LeftLimits { pairs: &pairs, analysis, is_new: &is_new, erased: &memory.erased };
        let satisfied = satisfied(dae, left);
        let violated = |constraints: &[InPairs<EquationId>]| without_satisfied(&pairs, &satisfied, constraints);
        let defects = violated(&memory.erased);
        let fresh = fresh(&pairs, analysis, &is_new, &memory);
        let may_begin = |id: VariableId| of_states.contains(&id) && !begins.contains(&id);
        let fresh = violated(&without_births(&pairs, analysis, &may_begin, &memory.born, fresh));
        let transients = pair_transients(&pairs, analysis, &is_new, &firings)?;
        let potentials = RefCell::default();
        Ok(AllChanges {
            pairs,
            forms,
            is_new,
            memory,
            defects,
            fresh,
            firings,
            transients,
            potentials,
            begins,
            analysis,
        })
    }
}

/// Variables of machines' states: with a `start` they begin there whenever the state is entered, and the others do so where
/// constraints say, else with 0.
pub(crate) fn variables_of_states(dae: &MultimodeDae) -> BTreeSet<VariableId> {
    let states = dae.model.machines.iter().flat_map(|machine| &machine.states);
    states.flat_map(|state| state.variables.iter().copied()).collect()
}

/// In a transient mode, constraints that hold for the instant only have no derivatives that could be erased.
fn without_derivatives(
    pairs: &PairSpace,
    is_new: &IndexVec<EquationId, ModeSet>,
    firings: &[Firing],
    memory: &mut PairMemory,
) {
    let passes = firings.iter().filter(|firing| firing.passes);
    let fires = pairs.space.union(passes.map(|firing| firing.pairs));
    for constraint in memory.erased.iter_mut().filter(|constraint| constraint.order > 0) {
        let instantaneous = pairs.space.and(fires, is_new[constraint.of]);
        constraint.pairs = pairs.space.difference(constraint.pairs, instantaneous);
    }
    memory.erased.retain(|constraint| !constraint.pairs.is_empty());
}

/// What is erased, except the constraints themselves where the change makes them true.
fn without_satisfied(
    pairs: &PairSpace,
    satisfied: &FxHashMap<EquationId, ModeSet>,
    constraints: &[InPairs<EquationId>],
) -> Vec<InPairs<EquationId>> {
    let remaining = |constraint: &InPairs<EquationId>| match satisfied.get(&constraint.of) {
        Some(&own) if constraint.order == 0 => {
            InPairs { pairs: pairs.space.difference(constraint.pairs, own), ..*constraint }
        }
        _ => *constraint,
    };
    constraints.iter().map(remaining).filter(|constraint| !constraint.pairs.is_empty()).collect()
}

/// Derivatives of new equations, below the last one, that hold at left limits no more than any new equation does, and are not
/// erased: what they determine was no state of the mode before.
fn fresh(
    pairs: &PairSpace,
    analysis: &Analysis,
    is_new: &IndexVec<EquationId, ModeSet>,
    memory: &PairMemory,
) -> Vec<InPairs<EquationId>> {
    let space = &pairs.space;
    let mut erased: FxHashMap<(EquationId, u32), ModeSet> = FxHashMap::default();
    for it in &memory.erased {
        let known = erased.entry((it.of, it.order)).or_insert(ModeSet::EMPTY);
        *known = space.or(*known, it.pairs);
    }
    let mut found = Vec::new();
    for (of, &new) in is_new.iter_enumerated() {
        let offset = &analysis.offsets.equations[of];
        for order in 0..offset.maximum() {
            let constrained = space.and(new, pairs.at_least(offset, order + 1, Moment::After));
            let left = erased.get(&(of, order)).map_or(constrained, |&erased| space.difference(constrained, erased));
            if !left.is_empty() {
                found.push(InPairs { of, order, pairs: left });
            }
        }
    }
    found
}

impl AllChanges<'_> {
    /// Changes in words: `not pre(g) and g`.
    pub fn words(&self, dae: &MultimodeDae, pairs: ModeSet) -> String {
        let names: Vec<String> = dae.mode_variables.iter().map(|mode| mode.name.to_string()).collect();
        let names = PairSpace::names(&names);
        FormulaPrinter::new(&self.pairs.space, &self.pairs.invariant, &names).print(pairs).text
    }

    /// Pairs in which anything changes.
    pub fn changing(&self) -> ModeSet {
        let fires = self.firings.iter().map(|firing| firing.pairs);
        self.pairs.space.union(self.is_new.iter().copied().chain(fires))
    }

    /// How far the defects reach, in all changes. Computed when first asked for: what is new, erased or missing is
    /// local, but how far a jump reaches may depend on very many mode variables (a chain of clutches: on all of them).
    pub fn potentials(&self) -> Result<Arc<PairPotentials>, Limit> {
        self.potentials_within(ModeSet::ALL)
    }

    /// How far the defects reach in some changes. The fewer they are, the more is written out; of one, all.
    pub fn potentials_within(&self, within: ModeSet) -> Result<Arc<PairPotentials>, Limit> {
        let within = if self.pairs.space.implies(self.pairs.regular, within) { ModeSet::ALL } else { within };
        if let Some((_, known)) = self.potentials.borrow().iter().find(|(pairs, _)| *pairs == within) {
            return Ok(Arc::clone(known));
        }
        self.pairs.space.set_task("finding impulse orders");
        let set_by_laws = self.set_by_laws();
        let causes = Causes { is_new: &self.is_new, defects: &self.defects, set_by_laws: &set_by_laws };
        let extent = Extent { within, ..Extent::affordable(self.is_new.len()) };
        let found = Arc::new(pair_potentials(&self.pairs, self.analysis, &causes, extent)?);
        self.potentials.borrow_mut().push((within, Arc::clone(&found)));
        Ok(found)
    }

    /// What laws of a `when` set, with the changes.
    fn set_by_laws(&self) -> Vec<InPairs<VariableId>> {
        let of_law = |law: &FiringLaw| {
            let pairs = law.pairs;
            law.contents.iter().map(move |&Derivative { of, order }| InPairs { of, order, pairs }).collect::<Vec<_>>()
        };
        self.firings.iter().flat_map(|firing| &firing.laws).flat_map(of_law).collect()
    }

    /// Whether some change may make an impulse. What enters with a potential of zero, as an equation that is new does, makes leading
    /// derivatives jump; and no equation contains more than those.
    fn may_be_impulsive(&self) -> bool {
        let leading = |variable: VariableId| self.analysis.offsets.variables[variable].maximum();
        let last = |equation: EquationId| self.analysis.offsets.equations[equation].maximum();
        self.defects.iter().any(|it| it.order < last(it.of) && !it.pairs.is_empty())
            || self.set_by_laws().iter().any(|it| it.order < leading(it.of) && !it.pairs.is_empty())
    }

    /// The impulse orders of a variable with their pairs, highest first; examples where it is
    /// [open](PairPotentials::is_open).
    pub fn orders(&self, variable: VariableId) -> Result<Vec<(i64, ModeSet)>, Limit> {
        Ok(self.potentials()?.orders(&self.pairs, self.analysis, variable))
    }

    /// Products that some of these changes leave undefined, by equation.
    pub fn undefined_products(&self, dae: &MultimodeDae, within: ModeSet) -> Result<Vec<PairProduct>, Limit> {
        pair_products(self, dae, within)
    }

    /// Which `when` clauses can follow each other in one instant.
    pub fn cascades<'a>(&'a self, dae: &'a MultimodeDae) -> Result<Cascades<'a>, Limit> {
        Cascades::new(self, dae)
    }

    /// Left limits that nothing determines, and right limits that no law determines in the instant of a `when`.
    pub fn undetermined(&self) -> impl Iterator<Item = &InPairs<VariableId>> {
        self.memory.undetermined.iter().chain(&self.transients.undetermined)
    }
}

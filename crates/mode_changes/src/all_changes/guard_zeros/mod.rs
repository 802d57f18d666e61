//! Constraints that a change itself makes true at its instant: what is satisfied there is not violated, so nothing jumps for it.
//!
//! | file | purpose |
//! |---|---|
//! | [`relations`] | a constraint that is the zero of the relation whose value changes |
//! | [`transitions`] | a constraint that follows from the condition of a machine's transition having just become true |
//! | [`span`] | whether a sum follows from others |
//! | [`terms`] | the terms of a sum |

mod relations;
mod span;
mod terms;
mod transitions;

pub(crate) use relations::guard_zeros;

use std::hash::Hash;

use modeshift_dae::{Equation, EquationId, ExpressionId, IndexVec, ModeVariableId, MultimodeDae, Node};
use modeshift_modes::ModeSet;
use modeshift_structure::Analysis;
use rustc_hash::FxHashMap;

use super::left_limits::InPairs;
use super::space::{Moment, PairSpace};

/// What is known about constraints at left limits.
#[derive(Clone, Copy)]
pub(super) struct LeftLimits<'a> {
    pub pairs: &'a PairSpace<'a>,
    pub analysis: &'a Analysis,
    /// The pairs in which each equation is new.
    pub is_new: &'a IndexVec<EquationId, ModeSet>,
    /// Constraints that the past need not satisfy.
    pub erased: &'a [InPairs<EquationId>],
}

/// By equation, the pairs in which the change itself makes it true.
pub(super) fn satisfied(dae: &MultimodeDae, left: LeftLimits) -> FxHashMap<EquationId, ModeSet> {
    let space = &left.pairs.space;
    let mut found: FxHashMap<EquationId, ModeSet> = FxHashMap::default();
    let mut add = |equation: EquationId, pairs: ModeSet| {
        let known = found.entry(equation).or_insert(ModeSet::EMPTY);
        *known = space.or(*known, pairs);
    };
    for zero in guard_zeros(dae) {
        add(zero.equation, change(left.pairs, (zero.mode, !zero.becomes), (zero.mode, zero.becomes)));
    }
    for (equation, pairs) in transitions::transition_zeros(dae, left) {
        add(equation, pairs);
    }
    found
}

/// The pairs in which a mode variable has a value before and one has a value after.
fn change(pairs: &PairSpace, before: (ModeVariableId, bool), after: (ModeVariableId, bool)) -> ModeSet {
    let space = &pairs.space;
    let before = space.assignment(Moment::Before.of_mode(before.0), before.1);
    space.and(before, space.assignment(Moment::After.of_mode(after.0), after.1))
}

/// By key, the equations of which some side contains it.
fn users<K: Eq + Hash, Sides: IntoIterator<Item = ExpressionId>>(
    dae: &MultimodeDae,
    sides: impl Fn(&Equation) -> Sides,
    key: impl Fn(Node) -> Option<K>,
) -> FxHashMap<K, Vec<EquationId>> {
    let mut users: FxHashMap<K, Vec<EquationId>> = FxHashMap::default();
    let has_any = dae.model.expressions.all_with(|node| key(node).is_some(), |_| false);
    for (id, equation) in dae.model.equations.iter_enumerated() {
        for side in sides(equation).into_iter().filter(|&side| has_any[side]) {
            dae.model.expressions.for_each(side, |_, node| {
                if let Some(key) = key(node) {
                    let list = users.entry(key).or_default();
                    if list.last() != Some(&id) {
                        list.push(id);
                    }
                }
                true
            });
        }
    }
    users
}

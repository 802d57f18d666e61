//! Whether formulas cover all modes that invariants allow.

use modeshift_dae::{ExpressionId, Expressions, FlatModel, ModeVariableId, Node};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::coverage::{Coverage, coverage};

/// Invariants by the mode variables in them.
pub(crate) struct AmongInvariants {
    /// Each as one formula that holds where the invariant does not.
    violations: Vec<ExpressionId>,
    by_mode: FxHashMap<ModeVariableId, Vec<usize>>,
}

impl AmongInvariants {
    /// Those of a model whose guards are formulas over mode variables.
    pub(crate) fn of(model: &mut FlatModel) -> Self {
        let mut invariants = AmongInvariants { violations: Vec::new(), by_mode: FxHashMap::default() };
        for number in 0..model.invariants.len() {
            let (condition, guard) = (model.invariants[number].condition, model.invariants[number].guard);
            let not = model.expressions.not(condition);
            let violated = model.expressions.and(guard, not);
            invariants.violations.push(violated);
            for mode in modes(&model.expressions, violated) {
                invariants.by_mode.entry(mode).or_default().push(number);
            }
        }
        invariants
    }

    /// Which modes some formulas cover; of modes that they leave out, the values that the formulas themselves read.
    ///
    /// Invariants are taken in as they are near: those that share mode variables with the formulas, then those that share some with
    /// these, and so on, until it is known or there are no more.
    pub(crate) fn coverage(&self, expressions: &Expressions, formulas: &[ExpressionId]) -> Coverage {
        let own: FxHashSet<ModeVariableId> = formulas.iter().flat_map(|&it| modes(expressions, it)).collect();
        let (mut all, mut taken) = (formulas.to_vec(), FxHashSet::default());
        let mut front: Vec<ModeVariableId> = own.iter().copied().collect();
        let mut seen = own.clone();
        loop {
            let found = coverage(expressions, &all);
            let mut near: Vec<usize> =
                front.iter().flat_map(|mode| self.by_mode.get(mode)).flatten().copied().collect();
            near.retain(|&number| taken.insert(number));
            near.sort_unstable();
            match found {
                Coverage::AllBut(mut values) if near.is_empty() => {
                    let is_own = |atom| matches!(expressions.node(atom), Node::Mode(mode) if own.contains(&mode));
                    values.retain(|&(atom, _)| is_own(atom));
                    return Coverage::AllBut(values);
                }
                Coverage::AllBut(_) => {}
                known => return known,
            }
            all.extend(near.iter().map(|&number| self.violations[number]));
            front = near.iter().flat_map(|&number| modes(expressions, self.violations[number])).collect();
            front.retain(|&mode| seen.insert(mode));
        }
    }
}

fn modes(expressions: &Expressions, formula: ExpressionId) -> Vec<ModeVariableId> {
    let mut found = Vec::new();
    expressions.for_each(formula, |_, node| {
        if let Node::Mode(mode) = node {
            found.push(mode);
        }
        true
    });
    found
}

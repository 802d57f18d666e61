//! Guesses that equations say themselves: in a block, `G = mu*A/l` gives `G` where `mu` has a guess.
//!
//! What has no start value is guessed to be zero, and `R = 1/G` has no value there, nor has Newton's method a first step. Many equations of a
//! block are solved for one of their unknowns as they are written; in the order in which they read each other they give values that fit
//! together. Where they read each other in a circle, it is cut at the first unknown, which keeps its guess.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{ExpressionId, Id, Node, VariableId};
use modeshift_structure::Derivative;
use modeshift_structure::initialization::OneModeBlock;

use crate::initialization::point::Point;
use crate::initialization::problem::InitialProblem;

impl InitialProblem<'_> {
    /// Guesses for the unknowns of a block by those of its equations that are solved for one; nothing where these say nothing new.
    pub(super) fn explicit_guesses(&self, block: &OneModeBlock, point: &Point) -> Option<Vec<f64>> {
        let mut definitions = self.explicit_equations(block);
        let mut point = point.clone();
        let mut is_new = false;
        while !definitions.is_empty() {
            let is_ready = |(_, reads): &(ExpressionId, BTreeSet<VariableId>)| {
                !reads.iter().any(|read| definitions.contains_key(read))
            };
            let ready: Vec<(VariableId, ExpressionId)> =
                definitions.iter().filter(|(_, it)| is_ready(it)).map(|(&variable, it)| (variable, it.0)).collect();
            if ready.is_empty() {
                definitions.pop_first();
                continue;
            }
            let values = self.evaluate(&ready.iter().map(|it| it.1).collect::<Vec<_>>(), &point);
            for (&(variable, _), value) in ready.iter().zip(values) {
                definitions.remove(&variable);
                let guess = &mut point.values[variable.index()];
                if value.is_finite() && *guess != value {
                    *guess = value;
                    is_new = true;
                }
            }
        }
        is_new.then(|| block.variables.iter().map(|variable| point.values[variable.index()]).collect())
    }

    /// Unknowns of a block with what an equation says they are, and the unknowns that this reads.
    fn explicit_equations(&self, block: &OneModeBlock) -> BTreeMap<VariableId, (ExpressionId, BTreeSet<VariableId>)> {
        let (model, own): (_, BTreeSet<VariableId>) = (self.model(), block.variables.iter().copied().collect());
        let mut found = BTreeMap::new();
        for &id in &block.equations {
            let equation = &model.equations[id];
            for (side, other) in [(equation.left, equation.right), (equation.right, equation.left)] {
                let Node::Variable(variable, 0) = model.expressions.node(side) else { continue };
                if !own.contains(&variable) || found.contains_key(&variable) {
                    continue;
                }
                let mut reads = BTreeSet::new();
                model.expressions.for_each(other, |_, node| {
                    if let Node::Variable(read, order) = node {
                        let read = self.start.system.variable(Derivative { of: read, order });
                        reads.extend(read.filter(|read| own.contains(read)));
                    }
                    true
                });
                if !reads.contains(&variable) {
                    found.insert(variable, (other, reads));
                    break;
                }
            }
        }
        found
    }
}

//! How large the terms are that a guard near zero is made of: running error analysis of guards.
//!
//! The voltage over a diode that has a capacitor beside it is the difference of two potentials. Where it is zero for ever,
//! what a run sees of it is their rounding, and the guard itself does not tell how large that is: `s > 0` has the size
//! of `s`, which is that of the rounding. So what a guard reads is followed through the equations that are solved for it, a few
//! levels down, and the size of a guard is that of the largest sum of terms on the way: `Σ |∂g/∂x| |x|` with the values
//! in between among the `x`, since each of them is rounded.
//!
//! What a guard is made of in a mode is found once; its size is then a sum of a few products. Only guards are measured that
//! are far smaller than the largest value of the mode: others are no noise, whatever they are made of.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use modeshift_dae::{Derivative, RelationId, VariableId};
use modeshift_mode_changes::DifferenceTape;
use modeshift_numerics::Input;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::run::prepare::Prepared;
use crate::run::values::Side;

/// Guards that are larger than this, relative to the largest value of a mode, are more than rounding: what is made of
/// values has roundings of 1e-16 of them, and the rest is for what a few equations amplify.
const SUSPICIOUS: f64 = 1e-8;
/// A value is rounded by this, relative to the terms that it is made of: a few units in the last place each.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// So many equations are followed. Further away there are other voltages of the same circuit, of the same size.
const LEVELS: usize = 6;
/// So many terms are looked at: a guard on a sum over ten thousand elements has been measured by a part of them.
const MOST_TERMS: usize = 256;

/// Places in the jet of a mode, with the weights with which their values enter.
type Terms = Rc<[(usize, f64)]>;

/// By guard, what it is made of in a mode.
#[derive(Default)]
pub(crate) struct Ingredients(RefCell<FxHashMap<RelationId, Terms>>);

/// Makes the sizes of guards that are near zero those of what they are made of on a side. Sizes are in terms of what errors of
/// states make of a guard, which is more than rounding makes of it.
pub(crate) fn with_running_sizes<'v>(
    prepared: &Prepared,
    side: &Side<'_>,
    values: impl Iterator<Item = (RelationId, &'v mut (f64, f64))>,
) {
    let share = ROUNDING / prepared.noise.relative;
    let mut values = values.peekable();
    if values.peek().is_none() {
        return;
    }
    let largest = side.jet.iter().filter(|it| it.is_finite()).fold(0.0, |largest: f64, it| largest.max(it.abs()));
    for (atom, value) in values {
        if value.0.abs() <= SUSPICIOUS * largest {
            let terms = side.ingredients(prepared, atom);
            let size: f64 = terms.iter().map(|&(place, weight)| weight * side.jet[place].abs()).sum();
            value.1 = if size.is_finite() { value.1.max(share * size) } else { value.1 };
        }
    }
}

impl Side<'_> {
    /// What a guard is made of in the mode of the side.
    fn ingredients(&self, prepared: &Prepared, atom: RelationId) -> Terms {
        let Ingredients(known) = &self.mode.ingredients;
        let found = known.borrow().get(&atom).cloned();
        found.unwrap_or_else(|| {
            let made: Terms = self.followed(prepared, atom).into();
            known.borrow_mut().insert(atom, made.clone());
            made
        })
    }

    /// The same, followed from the guard through the equations that are solved for what it reads.
    fn followed(&self, prepared: &Prepared, atom: RelationId) -> Vec<(usize, f64)> {
        let parameter = |input: Input| match input {
            Input::Variable(id, 0) => prepared.parameter(id),
            _ => None,
        };
        let sides = prepared.discrete.atoms[atom].sides;
        let Ok(guard) = DifferenceTape::new(&prepared.dae.model, &prepared.natives, sides, &parameter) else {
            return Vec::new();
        };
        let mut terms = Vec::new();
        let mut seen: FxHashSet<VariableId> = FxHashSet::default();
        let mut pending: VecDeque<(Derivative<VariableId>, f64, usize)> = VecDeque::new();
        let point = |input: Input| self.point(prepared, &self.discrete, input);
        pending.extend(guard.coefficients(point).map(|(it, weight)| (it, weight.abs(), 0)));
        while let Some((it, weight, level)) = pending.pop_front() {
            if terms.len() >= MOST_TERMS {
                break;
            }
            if !(weight > 0.0 && weight.is_finite()) {
                continue;
            }
            let Some(place) = self.mode.quantities.index(it.of, it.order) else { continue };
            terms.push((place.index(), weight));
            if level < LEVELS && seen.insert(it.of) {
                let of_solution = self.solved_for(prepared, it);
                pending.extend(of_solution.into_iter().map(|(term, share)| (term, weight * share, level + 1)));
            }
        }
        terms
    }

    /// The terms of the equation that is solved for an algebraic variable, relative to its own coefficient. What is not linear
    /// is not followed: near a place where it is flat, its coefficients say nothing of sizes.
    fn solved_for(&self, prepared: &Prepared, it: Derivative<VariableId>) -> Vec<(Derivative<VariableId>, f64)> {
        let structure = &self.mode.structure;
        let Some(column) = structure.column(it.of).filter(|&column| structure.variable_offset(column) == it.order)
        else {
            return Vec::new();
        };
        let tape = self.mode.equations.tape(structure.matched_row(column));
        if !tape.is_constant() {
            return Vec::new();
        }
        let point = |input: Input| self.point(prepared, &self.discrete, input);
        let terms: Vec<(Derivative<VariableId>, f64)> = tape.coefficients(point).collect();
        let Some(&(_, own)) = terms.iter().find(|term| term.0 == it) else { return Vec::new() };
        terms.into_iter().filter(|term| term.0 != it).map(|(term, value)| (term, (value / own).abs())).collect()
    }
}

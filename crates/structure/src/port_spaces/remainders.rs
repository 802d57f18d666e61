//! What a combination of equations leaves when all its unknowns cancel: nothing, so that one of the equations is
//! redundant, or a function of time that the mode would have to make zero.

use modeshift_dae::{ExpressionId, FlatModel, Node};
use modeshift_modes::{ModeSet, ModeSpace};
use modeshift_numerics::{Compiler, NativeFunctions};

use super::forms::{Form, Terms};
use crate::numeric_singularity::Generic;

/// At how many generic points a remainder is zero before it counts as zero.
const POINTS: u64 = 5;
/// What is left beside its terms where they cancel.
const NOISE: f64 = 1e-9;
/// More parts of a set of modes than this are not told apart.
const MOST_PIECES: usize = 64;

/// The remainder of a combination of forms, in parts of the modes in which all of them hold: as one sum, or nothing where
/// it is zero. Nothing at all where the parts are too many.
pub(super) fn remainders(
    model: &mut FlatModel,
    space: &ModeSpace,
    modes: ModeSet,
    combination: &[(&Form, f64)],
) -> Option<Vec<(ModeSet, Option<ExpressionId>)>> {
    let mut pieces = vec![modes];
    for (form, _) in combination.iter().filter(|(form, _)| form.cases.len() > 1) {
        form.cases.iter().for_each(|&(case, _)| space.refine(&mut pieces, case));
        if pieces.len() > MOST_PIECES {
            return None;
        }
    }
    let remainder = |piece: ModeSet| {
        let mut terms: Vec<(f64, ExpressionId)> = Vec::new();
        for (form, weight) in combination {
            let case = form.cases.iter().find(|(case, _)| space.implies(piece, *case));
            let known = case.map(|&(_, residual)| Terms::of(model, residual).known).unwrap_or_default();
            terms.extend(known.into_iter().map(|(factor, term)| (weight * factor, term)));
        }
        (piece, sum_of(model, terms))
    };
    Some(pieces.into_iter().map(remainder).collect())
}

/// The sum as an expression; nothing where it is zero.
fn sum_of(model: &mut FlatModel, terms: Vec<(f64, ExpressionId)>) -> Option<ExpressionId> {
    let terms = collected(model, terms);
    if is_zero(model, &terms) {
        return None;
    }
    let expressions = &mut model.expressions;
    let scale = terms.iter().map(|(factor, _)| factor.abs()).fold(f64::INFINITY, f64::min);
    let scale = if terms.iter().all(|(factor, _)| near_whole(factor / scale)) { scale } else { 1.0 };
    let mut sum = expressions.integer(0);
    for (factor, term) in terms {
        let factor = rounded(factor / scale);
        let size = expressions.real(factor.abs());
        let product = expressions.product(size, term);
        sum = if factor < 0.0 { expressions.difference(sum, product) } else { expressions.sum(sum, product) };
    }
    Some(sum)
}

fn near_whole(value: f64) -> bool {
    (value - value.round()).abs() <= 1e-9 * value.abs().max(1.0)
}

fn rounded(value: f64) -> f64 {
    if near_whole(value) { value.round() } else { value }
}

/// Terms that are the same added up, literals as one; positive ones first, else in the order of their appearance.
fn collected(model: &mut FlatModel, terms: Vec<(f64, ExpressionId)>) -> Vec<(f64, ExpressionId)> {
    let one = model.expressions.real(1.0);
    let mut sums: Vec<(f64, f64, ExpressionId)> = Vec::new();
    for (factor, term) in terms {
        let (factor, term) = match model.expressions.literal(term) {
            Some(value) => (factor * value, one),
            None => (factor, term),
        };
        match sums.iter_mut().find(|(_, _, known)| *known == term) {
            Some((sum, size, _)) => {
                *sum += factor;
                *size += factor.abs();
            }
            None => sums.push((factor, factor.abs(), term)),
        }
    }
    let left = sums.into_iter().filter(|(sum, size, _)| sum.abs() > NOISE * size);
    let mut left: Vec<(f64, ExpressionId)> = left.map(|(sum, _, term)| (sum, term)).collect();
    if left.iter().all(|(sum, _)| *sum < 0.0) {
        left.iter_mut().for_each(|(sum, _)| *sum = -*sum);
    }
    left.sort_by_key(|(sum, _)| *sum < 0.0);
    left
}

/// Whether a sum is zero wherever it was tried. What cannot be evaluated is not.
fn is_zero(model: &FlatModel, terms: &[(f64, ExpressionId)]) -> bool {
    if terms.is_empty() {
        return true;
    }
    if terms.iter().all(|(_, term)| matches!(model.expressions.node(*term), Node::Real(_))) {
        return false;
    }
    let expressions: Vec<ExpressionId> = terms.iter().map(|(_, term)| *term).collect();
    let natives = NativeFunctions::of(model);
    let Ok(tape) = Compiler::new(model, &natives).tape(&expressions) else { return false };
    let mut workspace = tape.workspace();
    let mut values = vec![0.0; expressions.len()];
    (0..POINTS).all(|point| {
        let mut generic = Generic::new(point);
        let inputs: Vec<f64> = tape.inputs().iter().map(|&input| generic.value(input)).collect();
        tape.evaluate(&inputs, &mut workspace, &mut values);
        let products = || terms.iter().zip(&values).map(|((factor, _), value)| factor * value);
        let (sum, size): (f64, f64) = (products().sum(), products().map(f64::abs).sum());
        sum.abs() <= NOISE * size
    })
}

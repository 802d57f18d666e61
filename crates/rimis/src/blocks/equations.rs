//! Replicate equations: the equations of each block, differentiated, specialized to the modes of the block and renamed.
//!
//! A block is evaluated in all modes, also where it means nothing. That is harmless where it is linear with constant
//! coefficients. Any other block is made trivial outside its modes: each equation is then an assignment of a constant to
//! the variable it is matched with (RR9459 §4.7), which keeps its structure. The constant is zero, unless it matters: from
//! there a tool begins to iterate when the mode is entered, and where products and roots are zero they have no slope. So
//! what a block is not linear in rests where the variable is in the other modes, if it is a state there, and otherwise about
//! where it starts. Blocks whose constraints stay are not differentiated
//! (`constraints`).
//!
//! E22 §10.1 (step 5) and §10.4 (REPL).

use std::collections::BTreeSet;

use modeshift_dae::{
    ArithmeticOperator as Op, Builtin, Derivative, Derivatives, Equation, EquationId, ExpressionId, Expressions,
    FlatModel, Node, Variability, VariableId, differentiate_times,
};
use modeshift_modes::ModeVariable;
use modeshift_structure::{Analysis, Block, BlockId};
use rustc_hash::FxHashSet;

use super::replicates::Replicates;
use super::specialize::Specialization;
use crate::draft::Draft;
use crate::start::Start;
use crate::target::Item;
use crate::target::Target;

/// A start value that is smaller may be nothing but rounding.
const ALL_BUT_ZERO: f64 = 1e-9;

/// How a block is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockForm {
    /// Differentiated and evaluated in all modes, as in the papers.
    Everywhere,
    /// Differentiated; where it may be singular outside its modes, it is switched off there.
    InItsModes,
    /// Not differentiated: a tool does that.
    AsItIs,
}

/// The equations of one block. `start` is where the source starts, if that was found.
pub(crate) fn block_equations(draft: &mut Draft, id: BlockId, form: BlockForm, start: Option<&Start>) -> Vec<Item> {
    let analysis = draft.conditions.analysis;
    let block = analysis.graph.block(id);
    let mut sides = Vec::with_capacity(block.equations.len());
    for equation in block.equations {
        let order = if form == BlockForm::AsItIs { 0 } else { equation.order };
        let (left, right) = differentiated(&mut draft.target.model, Derivative { order, ..*equation });
        let mut specialization = Specialization::new(draft, Some(id));
        sides.push((specialization.of(left, block.guard), specialization.of(right, block.guard)));
    }
    let unknowns: Vec<VariableId> = match form {
        BlockForm::AsItIs => constrained(&draft.replicates, block).into_iter().collect(),
        _ => block.writes.iter().map(|write| draft.replicates.written(id, write.of)).collect(),
    };
    let all_unknowns: FxHashSet<VariableId> = unknowns.iter().copied().collect();
    let switched = form == BlockForm::InItsModes
        && !block.guard.is_all()
        && !sides.iter().all(|&(left, right)| is_tame(&mut draft.target.model, left, right, &all_unknowns));
    if let ([(left, right)], [unknown]) = (sides.as_slice(), unknowns.as_slice())
        && let Some(solved) = isolated(&mut draft.target, *left, *right, *unknown)
    {
        let zero = draft.expressions().real(0.0);
        let value = if switched { draft.in_modes(block.guard, solved, zero) } else { solved };
        return vec![Item::Equation(draft.value(*unknown), value)];
    }
    if !switched {
        return sides.into_iter().map(|(left, right)| Item::Equation(left, right)).collect();
    }
    let curved = curved_unknowns(&mut draft.target.model, &sides, &all_unknowns);
    let matched = matched_variables(analysis, block);
    let switch = |((left, right), matched): ((ExpressionId, ExpressionId), VariableId)| {
        let residual = match draft.expressions().literal(left) {
            Some(0.0) => right,
            _ => draft.expressions().difference(left, right),
        };
        let replicate = draft.replicates.written(id, matched);
        let write = block.writes.iter().find(|write| write.of == matched && curved.contains(&replicate));
        let fallback = match write.and_then(|write| state_elsewhere(&draft.replicates, write)) {
            Some(state) => {
                let (own, other) = (draft.value(replicate), draft.value(state));
                draft.expressions().difference(own, other)
            }
            None => {
                let resting = write.and_then(|write| resting_value(start, write)).unwrap_or(0.0);
                distance(draft, replicate, resting)
            }
        };
        let residual = draft.in_modes(block.guard, residual, fallback);
        Item::Equation(draft.expressions().real(0.0), residual)
    };
    sides.into_iter().zip(matched).map(switch).collect()
}

/// The replicate that is a state in the modes in which a block does not write the variable.
fn state_elsewhere(replicates: &Replicates, write: &Derivative<VariableId>) -> Option<VariableId> {
    let level = replicates.levels(write.of).get(write.order as usize)?;
    level.state().map(|state| state.variable)
}

/// `variable - value`
fn distance(draft: &mut Draft, variable: VariableId, value: f64) -> ExpressionId {
    let (variable, size) = (draft.value(variable), draft.expressions().real(value.abs()));
    match value < 0.0 {
        true => draft.expressions().sum(variable, size),
        false => draft.expressions().difference(variable, size),
    }
}

/// The unknowns that slopes of these equations depend on: only where they are matters to an iteration.
fn curved_unknowns(
    model: &mut FlatModel,
    sides: &[(ExpressionId, ExpressionId)],
    unknowns: &FxHashSet<VariableId>,
) -> FxHashSet<VariableId> {
    let mut curved = FxHashSet::default();
    for side in sides.iter().flat_map(|&(left, right)| [left, right]) {
        for unknown in occurring(model, side, unknowns) {
            if let Some(slope) = slope(model, side, unknown) {
                curved.extend(occurring(model, slope, unknowns));
            }
        }
    }
    curved
}

/// About where a variable starts: to three digits, if that is not all but zero.
fn resting_value(start: Option<&Start>, of: &Derivative<VariableId>) -> Option<f64> {
    let found = start?.values.get(of).filter(|found| found.is_finite() && found.abs() > ALL_BUT_ZERO)?;
    format!("{found:.2e}").parse().ok()
}

/// What the equation of a block of one equation says where it is not differentiated.
fn constrained(replicates: &Replicates, block: Block<'_>) -> Option<VariableId> {
    let ([equation], [write]) = (block.equations, block.writes) else { return None };
    let order = write.order.checked_sub(equation.order)?;
    replicates.levels(write.of)[order as usize].state().map(|state| state.variable)
}

/// Both sides of an equation, differentiated as often as it says.
fn differentiated(model: &mut FlatModel, equation: Derivative<EquationId>) -> (ExpressionId, ExpressionId) {
    let Equation { left, right, .. } = model.equations[equation.of];
    let mut derivative = |side: ExpressionId| {
        let derivative = differentiate_times(model, side, equation.order);
        derivative.expect("only functions have no derivative, and models with functions are refused")
    };
    (derivative(left), derivative(right))
}

/// The variable that each equation of a block is matched with, in one of its modes.
fn matched_variables(analysis: &Analysis, block: Block<'_>) -> Vec<VariableId> {
    let example = analysis.space.pick(block.guard).expect("guards of blocks are not empty");
    let value = |variable: ModeVariable| example.iter().any(|&(known, value)| known == variable && value);
    let matched = |equation: &Derivative<EquationId>| {
        let mut edges = analysis.incidence.edges_of_equation(equation.of);
        let edge = edges.find(|&edge| analysis.space.evaluate(analysis.matching.edges[edge], value));
        analysis.incidence.variable(edge.expect("equations of blocks are matched"))
    };
    block.equations.iter().map(matched).collect()
}

/// The equation solved for a variable that occurs once, as a term of a sum: `yl = y0 + x' + yh - z`.
fn isolated(target: &mut Target, left: ExpressionId, right: ExpressionId, wanted: VariableId) -> Option<ExpressionId> {
    let own = target.value(wanted);
    let expressions = &target.model.expressions;
    let (mut same_side, mut other_side) = (terms(expressions, left)?, terms(expressions, right)?);
    if !same_side.iter().any(|term| term.of == own) {
        std::mem::swap(&mut same_side, &mut other_side);
    }
    let at = same_side.iter().position(|term| term.of == own)?;
    let negative = same_side.remove(at).negative;
    // own + same = other, or -own + same = other.
    let moved = same_side.into_iter().map(|term| Term { negative: !term.negative, ..term });
    let mut sum: Vec<Term> = other_side.into_iter().chain(moved).collect();
    sum.retain(|term| expressions.literal(term.of) != Some(0.0));
    if sum.iter().any(|term| target.contains(term.of, wanted)) {
        return None;
    }
    sum.iter_mut().for_each(|term| term.negative ^= negative);
    if let Some(first) = sum.iter().position(|term| !term.negative) {
        sum[..=first].rotate_right(1);
    }
    let zero = target.expressions().real(0.0);
    Some(sum.into_iter().fold(zero, |sum, term| match term.negative {
        true => target.expressions().difference(sum, term.of),
        false => target.expressions().sum(sum, term.of),
    }))
}

/// A term of a sum.
#[derive(Clone, Copy)]
struct Term {
    negative: bool,
    of: ExpressionId,
}

/// A sum of more terms is not taken apart: sums that share their parts may have 2^100 of them.
const MOST_TERMS: usize = 100_000;

/// The terms of a sum, from left to right, if they are not too many.
fn terms(expressions: &Expressions, root: ExpressionId) -> Option<Vec<Term>> {
    let mut found = Vec::new();
    let mut pending = vec![Term { negative: false, of: root }];
    while let Some(Term { negative, of }) = pending.pop() {
        if found.len() > MOST_TERMS {
            return None;
        }
        match expressions.node(of) {
            Node::Arithmetic(Op::Add, a, b) => pending.extend([Term { negative, of: b }, Term { negative, of: a }]),
            Node::Arithmetic(Op::Subtract, a, b) => {
                pending.extend([Term { negative: !negative, of: b }, Term { negative, of: a }]);
            }
            Node::Negate(a) => pending.push(Term { negative: !negative, of: a }),
            _ => found.push(Term { negative, of }),
        }
    }
    Some(found)
}

/// Whether an equation can be solved for these variables in any mode: linear in them, with coefficients that are
/// parameters, and without operations that are not defined everywhere.
fn is_tame(model: &mut FlatModel, left: ExpressionId, right: ExpressionId, unknowns: &FxHashSet<VariableId>) -> bool {
    let mut has_constant_slopes = |side: ExpressionId| {
        occurring(model, side, unknowns)
            .into_iter()
            .all(|unknown| slope(model, side, unknown).is_some_and(|slope| is_constant(model, slope)))
    };
    has_constant_slopes(left)
        && has_constant_slopes(right)
        && is_defined_everywhere(model, left)
        && is_defined_everywhere(model, right)
}

/// Those of some variables that an expression contains, each once.
fn occurring(model: &FlatModel, expression: ExpressionId, wanted: &FxHashSet<VariableId>) -> BTreeSet<VariableId> {
    let mut found = BTreeSet::new();
    model.expressions.for_each(expression, |_, node| {
        if let Node::Variable(variable, _) = node
            && wanted.contains(&variable)
        {
            found.insert(variable);
        }
        true
    });
    found
}

fn slope(model: &mut FlatModel, side: ExpressionId, variable: VariableId) -> Option<ExpressionId> {
    let FlatModel { expressions, variables, functions, .. } = model;
    Derivatives::by_variable(Derivative::new(variable, 0), variables, functions).of(expressions, side).ok()
}

/// Whether an expression depends on nothing but parameters and constants.
fn is_constant(model: &FlatModel, expression: ExpressionId) -> bool {
    !model.expressions.contains(expression, |node| match node {
        Node::Variable(variable, _) => model.variables[variable].variability > Variability::Parameter,
        Node::Time | Node::Pre(_) | Node::Mode(_) => true,
        _ => false,
    })
}

pub(crate) fn is_defined_everywhere(model: &FlatModel, expression: ExpressionId) -> bool {
    !model.expressions.contains(expression, |node| match node {
        Node::Arithmetic(Op::Divide, _, denominator) => !is_constant(model, denominator),
        Node::Arithmetic(Op::Power, _, exponent) => {
            !model.expressions.literal(exponent).is_some_and(|value| value >= 0.0 && value.fract() == 0.0)
        }
        Node::Call(builtin, _) => !is_total(builtin),
        Node::Function(..) | Node::Output(..) => true,
        _ => false,
    })
}

/// Whether a built-in function is defined for all arguments, and not too large for most.
fn is_total(builtin: Builtin) -> bool {
    use Builtin::*;
    match builtin {
        Sin | Cos | Atan | Atan2 | Tanh | Abs | Sign | Min | Max | NoEvent | Smooth | Floor | Ceil => true,
        Tan | Asin | Acos | Sinh | Cosh | Exp | Log | Log10 | Sqrt | Integer | Ordinal | Div | Mod | Rem => false,
        Homotopy | Initial | Terminal | Sample | Edge | Change | Delay | DelayMax | StringOf => false,
    }
}

//! Repairs structural optimism where coefficients are constant: the linear combination method.
//!
//! If `Σ u_i f_i^(c_i-c_l) ` has no leading derivative of its block left, because `u` is a constant left null vector
//! of the block's Jacobian and `c_l` is the least of the `c_i` involved, then that combination may stand in the
//! place of `f_l`: the same solutions, and a signature that sees more. As `f_i` is affine in these derivatives with
//! constant coefficients, the combination is written by setting them to zero, so that nothing is left to cancel.
//! The transistor amplifier of the IVP test set has 8 degrees of freedom by its signature; three such combinations
//! give the true 5.
//!
//! In the modes outside the block the original equation stays: both carry guards.

use std::collections::BTreeSet;
use std::sync::Arc;

use modeshift_dae::{
    Derivative, Equation, EquationId, ExpressionId, Expressions, Id, ModeVariableId, MultimodeDae, Node, Rewritten,
    VariableId, differentiate_times,
};
use modeshift_modes::{Limit, LimitKind, ModeSet, ModeSpace};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::long_range::{LongRange, long_range};
use crate::numeric_singularity::{Dependence, NotChecked, NumericSingularities, numeric_singularities};
use crate::{Analysis, Options, analyze};

/// After this many rounds of combining equations, what is still singular is reported as it is.
const MOST_ROUNDS: usize = 12;
/// Decision-diagram nodes per equation beyond which a model counts as long-range. Local models need three to ten.
const NODES_PER_EQUATION: usize = 20;
/// Weights that differ by less differ by the rounding of their elimination.
const ROUNDING: f64 = 1e-12;
/// So many nodes, a second of work, are allowed in any case.
const LEAST_BUDGET: usize = 1 << 21;
/// The same of steps of operations: sets that reach from one end of a model to the other may share their nodes, so that they take time
/// and no memory.
const STEPS_PER_EQUATION: u64 = 500;
const LEAST_STEPS: u64 = 1 << 24;

/// An equation that was replaced by a combination of equations.
#[derive(Clone, Debug)]
pub struct Combination {
    /// The equation that was replaced.
    pub replaced: EquationId,
    /// What stands in its place.
    pub by: EquationId,
    /// The equations that were combined.
    pub of: Vec<EquationId>,
    /// How often each of them is differentiated in it.
    pub orders: Vec<u32>,
    /// In which modes: a formula over mode variables.
    pub modes: ExpressionId,
    /// The guard of the replaced equation as it was before.
    pub guard: ExpressionId,
}

/// A model with the analysis that holds for it.
#[derive(Debug)]
pub struct Regularized {
    /// The model, with combinations in the places of equations that were replaced.
    pub dae: MultimodeDae,
    /// Its analysis.
    pub analysis: Analysis,
    /// What was combined.
    pub combinations: Vec<Combination>,
    /// What is numerically singular and could not be repaired.
    pub dependences: Vec<Dependence>,
    /// What was too large or too much to be looked at for that.
    pub not_checked: NotChecked,
}

/// What was found about a model, by whichever method its structure allows.
#[derive(Debug)]
pub enum Structure {
    /// All of its structure, as sets of modes.
    Sets(Box<Regularized>),
    /// Its verdicts, by a sweep along it: sets of modes outgrew their budget.
    Swept(Box<MultimodeDae>, Box<LongRange>),
}

/// Analyzes a model, looks for structural optimism with these values of parameters, and repairs what can be repaired.
pub fn regularize(
    mut dae: MultimodeDae,
    options: &Options,
    value_of: &dyn Fn(VariableId) -> Option<f64>,
) -> Result<Regularized, Limit> {
    let mut combinations = Vec::new();
    let (analysis, found) = combined(&mut dae, options, value_of, &mut combinations)?;
    Ok(regularized(dae, analysis, combinations, found))
}

/// The same, but where sets of modes outgrow a budget and the model can be swept, it is swept.
pub fn regularize_or_sweep(
    mut dae: MultimodeDae,
    options: &Options,
    value_of: &dyn Fn(VariableId) -> Option<f64>,
) -> Result<Structure, Limit> {
    let budget = LEAST_BUDGET.max(NODES_PER_EQUATION * dae.model.equations.len());
    if options.node_limit.is_some_and(|limit| limit <= budget) {
        return Ok(Structure::Sets(Box::new(regularize(dae, options, value_of)?)));
    }
    // A large model that is local needs nodes as it goes on; one that is not needs most of them for its first equations.
    let held_back = if budget > LEAST_BUDGET { budget - budget / 4 } else { 0 };
    let steps = LEAST_STEPS.max(STEPS_PER_EQUATION * dae.model.equations.len() as u64);
    let within_budget = Options { node_limit: Some(budget), held_back, step_limit: Some(steps), ..options.clone() };
    let mut combinations = Vec::new();
    match combined(&mut dae, &within_budget, value_of, &mut combinations) {
        Ok((analysis, found)) => {
            analysis.space.lift_limits();
            options.limit(&analysis.space);
            Ok(Structure::Sets(Box::new(regularized(dae, analysis, combinations, found))))
        }
        Err(Limit { kind: LimitKind::Nodes(_) | LimitKind::Steps(_), .. }) => {
            undo(&mut dae, &combinations);
            match long_range(&mut dae, options, value_of) {
                Ok(found) => Ok(Structure::Swept(Box::new(dae), Box::new(found))),
                Err(_) => Ok(Structure::Sets(Box::new(regularize(dae, options, value_of)?))),
            }
        }
        Err(limit) => Err(limit),
    }
}

fn regularized(
    dae: MultimodeDae,
    analysis: Analysis,
    combinations: Vec<Combination>,
    found: NumericSingularities,
) -> Regularized {
    let NumericSingularities { dependences, not_checked } = found;
    Regularized { dae, analysis, combinations, dependences, not_checked }
}

/// Combines equations until none is left that can be combined, or the rounds are over.
fn combined(
    dae: &mut MultimodeDae,
    options: &Options,
    value_of: &dyn Fn(VariableId) -> Option<f64>,
    combinations: &mut Vec<Combination>,
) -> Result<(Analysis, NumericSingularities), Limit> {
    for round in 0.. {
        let analysis = analyze(dae, options)?;
        let found = numeric_singularities(&mut dae.model, &analysis, value_of);
        analysis.space.check()?;
        let before = combinations.len();
        if round < MOST_ROUNDS {
            combine_dependent(dae, &analysis, &found.dependences, combinations);
        }
        if combinations.len() == before {
            return Ok((analysis, found));
        }
    }
    unreachable!("a round without a combination ends the loop")
}

/// A model as it was before these combinations.
pub fn undo(dae: &mut MultimodeDae, combinations: &[Combination]) {
    let Some(first) = combinations.first() else { return };
    for combination in combinations.iter().rev() {
        dae.model.equations[combination.replaced].guard = combination.guard;
    }
    dae.model.equations = dae.model.equations.iter().take(first.by.index()).cloned().collect();
}

/// Combines what depends with constant coefficients; each equation takes part once a round.
fn combine_dependent(
    dae: &mut MultimodeDae,
    analysis: &Analysis,
    dependences: &[Dependence],
    combinations: &mut Vec<Combination>,
) {
    let values: FxHashMap<ModeVariableId, bool> = analysis.within.iter().copied().collect();
    let mut used: FxHashSet<EquationId> = FxHashSet::default();
    for dependence in &united(&analysis.space, dependences) {
        if dependence.equations.iter().all(|(equation, _)| !used.contains(&equation.of))
            && let Some(combination) = combine(dae, &analysis.space, &values, dependence)
        {
            used.extend(dependence.equations.iter().map(|(equation, _)| equation.of));
            combinations.push(combination);
        }
    }
}

/// Those with constant coefficients whose modes are all known, each once with all the modes in which it was found: the currents of three windings add up
/// to nothing in whatever modes the diodes behind them are, and there may be more modes than rounds.
fn united(space: &ModeSpace, dependences: &[Dependence]) -> Vec<Dependence> {
    let mut all: Vec<Dependence> = Vec::new();
    let mut numbers: FxHashMap<Vec<Derivative<EquationId>>, Vec<usize>> = FxHashMap::default();
    for dependence in dependences.iter().filter(|dependence| dependence.constant && !dependence.sampled) {
        let same = numbers.entry(dependence.equations.iter().map(|it| it.0).collect()).or_default();
        match same.iter().find(|&&number| is_same(&all[number], dependence)) {
            Some(&number) => all[number].modes = space.or(all[number].modes, dependence.modes),
            None => {
                same.push(all.len());
                all.push(dependence.clone());
            }
        }
    }
    all
}

/// Whether two dependences of the same equations are the same combination, of the same block.
fn is_same(one: &Dependence, other: &Dependence) -> bool {
    let weights = |it: &Dependence| it.equations.iter().map(|at| at.1 / it.equations[0].1).collect::<Vec<f64>>();
    let are_near = |(a, b): (f64, f64)| (a - b).abs() <= ROUNDING * a.abs().max(b.abs());
    one.writes == other.writes && weights(one).into_iter().zip(weights(other)).all(are_near)
}

/// Replaces one equation; nothing where an equation has no derivative. Of several that could be, one of some modes only: what holds
/// before and after a change carries what is remembered across it, and so the impulse.
///
/// What was found in some modes only, `values`, holds in others in which the combined equations are the same: these are the modes
/// in which the mode variables that they contain have these values.
fn combine(
    dae: &mut MultimodeDae,
    space: &ModeSpace,
    values: &FxHashMap<ModeVariableId, bool>,
    dependence: &Dependence,
) -> Option<Combination> {
    let holds_always =
        |equation: EquationId| dae.model.expressions.literal_boolean(dae.model.equations[equation].guard) == Some(true);
    let candidates = dependence.equations.iter().rev();
    let &(replaced, scale) = candidates.min_by_key(|(it, _)| (it.order, holds_always(it.of))).expect("dependent rows");
    let zero = dae.model.expressions.integer(0);
    let mut memo = Rewritten::new();
    for write in &dependence.writes {
        if let Some(order) = write.order.checked_sub(replaced.order) {
            let top = dae.model.expressions.variable(write.of, order);
            memo.insert(top, (), zero);
        }
    }
    let mut sum = zero;
    for &(equation, weight) in &dependence.equations {
        let Equation { left, right, .. } = dae.model.equations[equation.of];
        let residual = dae.model.expressions.difference(left, right);
        let residual = differentiate_times(&mut dae.model, residual, equation.order - replaced.order).ok()?;
        let rest = without_tops(&mut dae.model.expressions, residual, &mut memo);
        let weight = dae.model.expressions.real(rounded(weight / scale));
        let term = dae.model.expressions.product(weight, rest);
        sum = match dae.model.expressions.node(term) {
            Node::Negate(magnitude) => dae.model.expressions.difference(sum, magnitude),
            _ => dae.model.expressions.sum(sum, term),
        };
    }
    let found_in = formula_of(space, &mut dae.model.expressions, dependence.modes);
    let modes = with_values(dae, found_in, dependence.equations.iter().map(|it| it.0.of), values);
    let guard = dae.model.equations[replaced.of].guard;
    let by = replace(dae, replaced.of, modes, sum, combination_name(dae, dependence));
    let members = || dependence.equations.iter().map(|(equation, _)| equation);
    let (of, orders) = (members().map(|it| it.of).collect(), members().map(|it| it.order - replaced.order).collect());
    Some(Combination { replaced: replaced.of, by, of, orders, modes, guard })
}

/// A formula, and that the mode variables of equations have these values, where there are any.
fn with_values(
    dae: &mut MultimodeDae,
    formula: ExpressionId,
    equations: impl Iterator<Item = EquationId>,
    values: &FxHashMap<ModeVariableId, bool>,
) -> ExpressionId {
    if values.is_empty() {
        return formula;
    }
    let mut contained = BTreeSet::new();
    for equation in equations {
        let Equation { guard, left, right, .. } = dae.model.equations[equation];
        for part in [guard, left, right] {
            dae.model.expressions.for_each(part, |_, node| {
                contained.extend(if let Node::Mode(mode) = node { Some(mode) } else { None });
                true
            });
        }
    }
    let expressions = &mut dae.model.expressions;
    contained.into_iter().filter_map(|mode| Some((mode, *values.get(&mode)?))).fold(
        formula,
        |formula, (mode, value)| {
            let literal = expressions.mode(mode);
            let literal = if value { literal } else { expressions.not(literal) };
            expressions.and(formula, literal)
        },
    )
}

/// The expression with the derivatives in `memo` replaced, rebuilt so that literals fold.
fn without_tops(expressions: &mut Expressions, residual: ExpressionId, memo: &mut Rewritten) -> ExpressionId {
    expressions.rewrite(residual, memo, |expressions, id| match expressions.node(id) {
        Node::Arithmetic(operator, a, b) => expressions.arithmetic(operator, a, b),
        Node::Negate(a) => expressions.negate(a),
        Node::If(condition, a, b) => expressions.if_then_else(condition, a, b),
        _ => id,
    })
}

/// Weights such as 0.9999999999999998 come from rounding in the elimination.
fn rounded(weight: f64) -> f64 {
    let nearest = weight.round();
    if (weight - nearest).abs() <= ROUNDING * weight.abs().max(1.0) { nearest } else { weight }
}

/// `(e1 + e2)`, `(e1 - 2 e2')`; of a single equation that lost a variable, `(e1)`.
fn combination_name(dae: &MultimodeDae, dependence: &Dependence) -> Arc<str> {
    let mut text = String::from("(");
    let lowest = dependence.equations.iter().map(|(equation, _)| equation.order).min().unwrap_or(0);
    let scale = dependence.equations[0].1;
    for (position, (equation, weight)) in dependence.equations.iter().enumerate() {
        let weight = rounded(weight / scale);
        let sign = match (position, weight < 0.0) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        text.push_str(sign);
        if weight.abs() != 1.0 {
            text.push_str(&format!("{} ", weight.abs()));
        }
        let relative = Derivative::new(equation.of, equation.order - lowest);
        text.push_str(&dae.model.name_of_equation(relative).to_string());
    }
    text.push(')');
    text.into()
}

/// Lets `0 = sum` hold instead of an equation, in these modes.
fn replace(
    dae: &mut MultimodeDae,
    replaced: EquationId,
    modes: ExpressionId,
    sum: ExpressionId,
    name: Arc<str>,
) -> EquationId {
    let expressions = &mut dae.model.expressions;
    let old = dae.model.equations[replaced].clone();
    let zero = expressions.integer(0);
    let elsewhere = expressions.not(modes);
    let guard = expressions.and(old.guard, modes);
    dae.model.equations[replaced].guard = expressions.and(old.guard, elsewhere);
    dae.model.equations.push(Equation { name, guard, left: zero, right: sum, ..old })
}

/// A formula over mode variables that holds in these modes.
fn formula_of(space: &ModeSpace, expressions: &mut Expressions, modes: ModeSet) -> ExpressionId {
    let mut known: FxHashMap<ModeSet, ExpressionId> = FxHashMap::default();
    known.insert(ModeSet::ALL, expressions.boolean(true));
    known.insert(ModeSet::EMPTY, expressions.boolean(false));
    let mut pending = vec![modes];
    while let Some(&set) = pending.last() {
        if known.contains_key(&set) {
            pending.pop();
            continue;
        }
        let (variable, low, high) = space.top(set).expect("only ALL and EMPTY have no variable");
        match (known.get(&high).copied(), known.get(&low).copied()) {
            (Some(yes), Some(no)) => {
                let literal = expressions.mode(modeshift_dae::ModeVariableId(variable.0));
                let negated = expressions.not(literal);
                let (yes, no) = (expressions.and(literal, yes), expressions.and(negated, no));
                known.insert(set, expressions.or(yes, no));
            }
            (yes, no) => {
                pending.extend(yes.is_none().then_some(high));
                pending.extend(no.is_none().then_some(low));
            }
        }
    }
    known[&modes]
}

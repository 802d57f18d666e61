//! Products that some mode change leaves undefined, in all changes at once.
//!
//! Where orders of factors add up to more than zero is a set of changes, found without looking at any; which branch of
//! an equation holds there is then asked of one change after the other, each standing for all with the same branches.
//! How far jumps reach is only asked where some change makes an impulse and some equation has a product of unknowns: most models are
//! linear, or have no impulses, and theirs reach far. See [`crate::UndefinedProduct`].

use std::sync::Arc;

use modeshift_dae::{
    ArithmeticOperator, Derivative, EquationId, ExpressionId, FlatModel, Memo, ModeVariableId, MultimodeDae, Node,
    VariableId, assume_modes, partial_derivative,
};
use modeshift_modes::{Limit, ModeSet};
use modeshift_structure::Analysis;
use rustc_hash::FxHashMap;

use super::AllChanges;
use super::orders::PairPotentials;
use super::space::Moment;
use crate::one_mode::unknowns_in;

/// More products than this are not looked for: a user reads the first few.
const MOST_PRODUCTS: usize = 100;
/// So many ways to choose the branches of one equation are tried: four if-expressions in one equation are rare.
const MOST_BRANCHES: usize = 16;

/// A derivative of a variable and its impulse order.
pub type Factor = (Derivative<VariableId>, i64);

/// A product whose value the model does not fix in some changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairProduct {
    /// The equation.
    pub equation: EquationId,
    /// The impulsive quantity.
    pub impulsive: Factor,
    /// The other factor; the same quantity where it stands in a nonlinear function.
    pub factor: Factor,
    /// The changes.
    pub pairs: ModeSet,
    /// Whether it is undefined in some of these changes only: orders are not written out.
    pub in_some: bool,
}

impl PairProduct {
    /// Whether something impulsive stands in a nonlinear function, or impulses are multiplied.
    pub fn is_nonlinear(&self) -> bool {
        self.impulsive.1 > 0 && self.factor.1 > 0
    }

    /// The warning: which equation, which factors, which orders, which convention.
    pub fn message(&self, model: &FlatModel) -> String {
        let equation = &model.equations[self.equation].name;
        let (a, b) = (model.name_of_variable(self.impulsive.0), model.name_of_variable(self.factor.0));
        let (own, other) = (self.impulsive.1, self.factor.1);
        if self.impulsive.0 == self.factor.0 {
            return format!("in {equation}, {a} is impulsive inside a nonlinear function");
        }
        if self.is_nonlinear() {
            return format!(
                "in {equation}, the product of {a} (order {own}) and {b} (order {other}), two impulses, has no value"
            );
        }
        let changes = if self.in_some { "in some of these changes" } else { "at this change" };
        format!(
            "in {equation}, the product of {a} (order {own}) and {b} (order {other}) is not defined {changes}; {b} is \
             taken at its left limit"
        )
    }
}

/// The undefined products of a model among some changes, by equation.
pub fn pair_products(changes: &AllChanges, dae: &MultimodeDae, within: ModeSet) -> Result<Vec<PairProduct>, Limit> {
    if !changes.may_be_impulsive() {
        return Ok(Vec::new());
    }
    let candidates = equations_with_products(changes, &dae.model);
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let potentials = changes.potentials_within(within)?;
    let orders = FxHashMap::default();
    let mut search = Search { changes, dae, within, potentials, orders, found: Vec::new(), model: None };
    for equation in candidates {
        if search.found.len() >= MOST_PRODUCTS {
            break;
        }
        search.equation(equation);
    }
    Ok(search.found)
}

/// Equations in which some branch may multiply unknowns, or take functions of them.
fn equations_with_products(changes: &AllChanges, model: &FlatModel) -> Vec<EquationId> {
    let mut known = Memo::new();
    let mut multiplies = |side| degree(model, &mut known, side) == Degree::Products;
    let is_candidate = |&equation: &EquationId| {
        let sides = &model.equations[equation];
        multiplies(sides.left) || multiplies(sides.right)
    };
    changes.analysis.incidence.equations().ids().filter(is_candidate).collect()
}

/// How unknowns stand in an expression, whatever its branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Degree {
    /// Not at all, or at their left limits.
    Known,
    /// Each with coefficients that contain none.
    Linear,
    /// Otherwise, for all that can be told from the operators.
    Products,
}

fn degree(model: &FlatModel, known: &mut Memo<(), Degree>, root: ExpressionId) -> Degree {
    use ArithmeticOperator::{Add, Divide, Multiply, Subtract};
    model.expressions.fold_up(known, root, |id, node, known| match node {
        Node::Variable(variable, _) if model.variables[variable].is_continuous_unknown() => Degree::Linear,
        Node::Pre(_) | Node::Not(_) | Node::Relation(..) | Node::And(..) | Node::Or(..) => Degree::Known,
        Node::Negate(a) => known[a],
        Node::Arithmetic(Add | Subtract, a, b) => known[a].max(known[b]),
        Node::Arithmetic(Multiply, a, b) if known[a].min(known[b]) == Degree::Known => known[a].max(known[b]),
        Node::Arithmetic(Divide, a, b) if known[b] == Degree::Known => known[a],
        // Of a condition nothing is differentiated.
        Node::If(_, a, b) => known[a].max(known[b]),
        _ => match model.expressions.children(id).map(|child| known[child]).max() {
            None | Some(Degree::Known) => Degree::Known,
            Some(_) => Degree::Products,
        },
    })
}

struct Search<'a> {
    changes: &'a AllChanges<'a>,
    dae: &'a MultimodeDae,
    within: ModeSet,
    potentials: Arc<PairPotentials>,
    orders: FxHashMap<VariableId, Vec<(i64, ModeSet)>>,
    found: Vec<PairProduct>,
    /// A copy in which derivatives are built, made when the first is needed.
    model: Option<FlatModel>,
}

impl Search<'_> {
    /// The orders of a variable with the changes in which it may have them: all, where they are not written out.
    fn orders(&mut self, variable: VariableId) -> Vec<(i64, ModeSet)> {
        if let Some(known) = self.orders.get(&variable) {
            return known.clone();
        }
        let AllChanges { pairs, analysis, .. } = self.changes;
        let mut found = self.potentials.orders(pairs, analysis, variable);
        if self.potentials.is_open(analysis, variable) {
            found.iter_mut().for_each(|(_, changes)| *changes = pairs.regular);
        }
        self.orders.insert(variable, found.clone());
        found
    }

    /// Looks at the branches of an equation in the changes that make something in it impulsive.
    fn equation(&mut self, equation: EquationId) {
        let mut remaining = self.impulsive_changes(equation);
        for _ in 0..MOST_BRANCHES {
            let space = &self.changes.pairs.space;
            let possible = space.and(remaining, self.changes.pairs.invariant.concerning(space, remaining));
            let Some(values) = space.pick(possible) else { return };
            let is_true = |mode: ModeVariableId| {
                let after = Moment::After.of_mode(mode);
                values.iter().any(|&(variable, value)| variable == after && value)
            };
            let (residual, same) = self.branch(equation, &is_true);
            self.products(equation, residual, self.changes.pairs.space.and(remaining, same));
            remaining = self.changes.pairs.space.difference(remaining, same);
        }
    }

    /// The changes in which the equation holds and one of its variables is impulsive.
    fn impulsive_changes(&mut self, equation: EquationId) -> ModeSet {
        let (changes, analysis): (&AllChanges, &Analysis) = (self.changes, self.changes.analysis);
        let mut sets = Vec::new();
        for edge in analysis.incidence.edges_of_equation(equation) {
            let active = changes.pairs.after(analysis.incidence.active(edge));
            let highest = analysis.incidence.orders(edge).iter().map(|&(order, _)| i64::from(order)).max().unwrap_or(0);
            for (order, pairs) in self.orders(analysis.incidence.variable(edge)) {
                if order + highest > 0 {
                    sets.push(changes.pairs.space.and(pairs, active));
                }
            }
        }
        changes.pairs.space.and(self.within, changes.pairs.space.union(sets))
    }

    /// The residual of an equation in a mode, and the changes into modes in which it reads the same.
    fn branch(&mut self, equation: EquationId, mode: &dyn Fn(ModeVariableId) -> bool) -> (ExpressionId, ModeSet) {
        let space = &self.changes.pairs.space;
        let model = self.model.get_or_insert_with(|| self.dae.model.clone());
        let sides = &model.equations[equation];
        let (left, right) = (sides.left, sides.right);
        let residual = model.expressions.difference(left, right);
        let mut asked: Vec<ModeVariableId> = Vec::new();
        model.expressions.for_each(residual, |_, node| {
            if let Node::Mode(mode) = node {
                asked.push(mode);
            }
            true
        });
        asked.sort_unstable();
        asked.dedup();
        let literal = |&variable: &ModeVariableId| {
            let after = Moment::After.of_mode(variable);
            space.assignment(after, mode(variable))
        };
        let same = space.intersection(asked.iter().map(literal));
        (assume_modes(&mut model.expressions, residual, |variable| Some(mode(variable))), same)
    }

    /// The undefined products of a residual.
    fn products(&mut self, equation: EquationId, residual: ExpressionId, pairs: ModeSet) {
        let space = &self.changes.pairs.space;
        for leaf in self.leaves(residual) {
            for (order, own) in self.orders(leaf.of) {
                let own_order = order + i64::from(leaf.order);
                let own = space.and(own, pairs);
                if own_order <= 0 || own.is_empty() {
                    continue;
                }
                let model = self.model.get_or_insert_with(|| self.dae.model.clone());
                let Ok(partial) = partial_derivative(model, residual, leaf) else {
                    continue;
                };
                for other in self.leaves(partial) {
                    for (order, pairs) in self.orders(other.of) {
                        let (impulsive, factor) = ((leaf, own_order), (other, order + i64::from(other.order)));
                        let in_some = self.is_open(leaf.of) || self.is_open(other.of);
                        self.add(PairProduct { equation, impulsive, factor, pairs: space.and(pairs, own), in_some });
                    }
                }
            }
        }
    }

    fn is_open(&self, variable: VariableId) -> bool {
        self.potentials.is_open(self.changes.analysis, variable)
    }

    /// Notes a product that is undefined, unless it is there already with its factors exchanged.
    fn add(&mut self, product: PairProduct) {
        let undefined = product.impulsive.1 + product.factor.1 > 0 && !product.pairs.is_empty();
        let exchanged = PairProduct { impulsive: product.factor, factor: product.impulsive, ..product };
        if undefined && !self.found.contains(&exchanged) {
            self.found.push(product);
        }
    }

    /// Continuous unknowns in an expression, with the orders that are written; left limits are none.
    fn leaves(&self, root: ExpressionId) -> Vec<Derivative<VariableId>> {
        self.model.as_ref().map_or(Vec::new(), |model| unknowns_in(model, &[root]))
    }
}

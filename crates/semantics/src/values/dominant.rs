//! The dominant terms of a reset in symbols: the series (23) and the equations (24) of RR8933 A.2.
//!
//! In an equation of the first instant of a change every derivative is a difference quotient with a known order. Where
//! something is infinite, the terms of the highest order are what is left of it: `x'` of order 1 is `(x_0 - pre(x))/∂`,
//! and an impulsive `f` is `f_0/∂`, so that `j*der(x) = f - k*x` becomes `j*(x_0 - pre(x)) - f_0 = 0`. The coefficient
//! `f_0` is the weight of the impulse, which the paper throws away.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{
    Derivative, ExpressionId, ExpressionText, FlatModel, Mode, MultimodeDae, Node, Type, Variability, Variable,
    VariableId, assume_modes, partial_derivative,
};

use crate::change::Change;
use crate::domain::{Body, Shifted, Unknown};
use crate::graph::Graph;
use crate::micro_step::EvaluateBlock;
use crate::values::linear::{Values, quotient_at};
use crate::values::series::Series;

/// What is left of the blocks of a reset in which something is infinite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DominantTerms {
    /// (23): `f = ∂^-1 (f_0 + f_1 ∂ + …)`, by variable.
    pub series: Vec<String>,
    /// (24): `e1: j*(x_0 - pre(x)) - f_0 = 0`, by equation.
    pub equations: Vec<String>,
}

impl Graph {
    /// The dominant terms of the first instant of a change, for a past that violates all that it erases; nothing where
    /// nothing is infinite.
    pub fn dominant_terms(&self, dae: &MultimodeDae, change: &Change) -> Option<DominantTerms> {
        let course = self.course(change)?;
        let (trace, values) = (change.instants.first()?, course.instants.first()?);
        let is_infinite = |variable: &Shifted<Unknown>| values.get(variable).is_some_and(|it| order_of(it) > 0);
        let blocks = crate::values::impulse::blocks_of(trace);
        let blocks: Vec<&EvaluateBlock> = blocks.filter(|block| block.variables.iter().any(is_infinite)).collect();
        let mut words = Words::new(self, dae, change, values);
        let solved: BTreeSet<Shifted<Unknown>> = blocks.iter().flat_map(|block| block.variables.clone()).collect();
        let equations = blocks.iter().flat_map(|block| &block.equations);
        let terms = DominantTerms {
            equations: equations.map(|&equation| words.equation(equation)).collect(),
            series: solved.iter().map(|&variable| words.series(variable)).collect(),
        };
        (!terms.series.is_empty()).then_some(terms)
    }
}

/// The order, where zero counts as infinitesimal.
fn order_of(series: &Series) -> i32 {
    series.order().unwrap_or(i32::MIN)
}

/// Expressions over left limits and first coefficients, in a copy of the model.
struct Words<'a> {
    graph: &'a Graph,
    change: &'a Change,
    values: &'a Values,
    mode: &'a Mode,
    model: FlatModel,
    /// The variables `x_0`.
    first: BTreeMap<Unknown, VariableId>,
    unknown_of: BTreeMap<VariableId, Unknown>,
}

impl<'a> Words<'a> {
    fn new(graph: &'a Graph, dae: &MultimodeDae, change: &'a Change, values: &'a Values) -> Self {
        let mut model = dae.model.clone();
        let guard = model.expressions.boolean(true);
        let mut first = BTreeMap::new();
        let mut unknown_of = BTreeMap::new();
        for (unknown, it) in graph.system.unknowns.iter_enumerated() {
            let name = format!("{}_0", it.name);
            let variable = Variable::new(name, Type::Real, Variability::Continuous, guard);
            first.insert(unknown, model.variables.push(variable));
            unknown_of.insert(it.variable, unknown);
        }
        Words { graph, change, values, mode: &graph.system.modes[change.after], model, first, unknown_of }
    }

    /// (23)
    fn series(&self, variable: Shifted<Unknown>) -> String {
        let name = &self.graph.system.unknowns[variable.of].name;
        let shifted = self.graph.system.variable_name(variable);
        match self.values.get(&variable).map_or(0, order_of) {
            order if order > 0 => format!("{shifted} = ∂^-{order} ({name}_0 + {name}_1 ∂ + …)"),
            _ => format!("{shifted} = {name}_0 + {name}_1 ∂ + …"),
        }
    }

    /// (24)
    fn equation(&mut self, equation: Shifted<Body>) -> String {
        let name = self.graph.system.equation_name(equation);
        let text = self.dominant(equation);
        let text = text.unwrap_or_else(|| "what is infinite is not linear here".to_string());
        format!("{name}: {text}")
    }

    fn dominant(&mut self, equation: Shifted<Body>) -> Option<String> {
        let sides = self.sides(equation.of)?;
        let orders = self.orders(sides, equation.shift);
        let highest = orders.iter().map(|&(_, order)| order).max().unwrap_or(0);
        if highest <= 0 {
            let [left, right] = sides.map(|side| self.at_limits(side, equation.shift));
            return Some(format!("{} = {}", self.text(left), self.text(right)));
        }
        let [left, right] = sides;
        let residual = self.model.expressions.difference(left, right);
        let mut terms = Vec::new();
        for (derivative, _) in orders.into_iter().filter(|&(_, order)| order == highest) {
            let factor = partial_derivative(&mut self.model, residual, derivative).ok()?;
            if self.orders([factor, factor], equation.shift).iter().any(|&(_, order)| order > 0) {
                return None;
            }
            let factor = self.at_limits(factor, equation.shift);
            terms.push((factor, self.leading(derivative, equation.shift, highest)?));
        }
        let sum = self.sum(&terms)?;
        Some(format!("{} = 0", self.text(sum)))
    }

    /// A sum of products, those with a minus behind the others; where all have one, without it.
    fn sum(&mut self, terms: &[(ExpressionId, ExpressionId)]) -> Option<ExpressionId> {
        let (mut plus, mut minus) = (Vec::new(), Vec::new());
        for &(factor, leading) in terms {
            let expressions = &mut self.model.expressions;
            let positive = match (expressions.literal(factor), expressions.node(factor)) {
                (Some(value), _) if value < 0.0 => Some(expressions.real(-value)),
                (_, Node::Negate(inner)) => Some(inner),
                _ => None,
            };
            let term = expressions.product(positive.unwrap_or(factor), leading);
            if positive.is_some() { minus.push(term) } else { plus.push(term) }
        }
        if plus.is_empty() {
            std::mem::swap(&mut plus, &mut minus);
        }
        let expressions = &mut self.model.expressions;
        let sum = plus.into_iter().reduce(|sum, term| expressions.sum(sum, term))?;
        Some(minus.into_iter().fold(sum, |sum, term| expressions.difference(sum, term)))
    }

    /// What the mode leaves of an equation.
    fn sides(&mut self, body: Body) -> Option<[ExpressionId; 2]> {
        let (left, right) = match self.graph.system.bodies[body].equation {
            Some(id) => (self.model.equations[id].left, self.model.equations[id].right),
            None => return None,
        };
        let mode = self.mode;
        Some([left, right].map(|side| assume_modes(&mut self.model.expressions, side, |id| Some(mode.get(id)))))
    }

    /// The derivatives of unknowns in some expressions, with the orders of their difference quotients.
    fn orders(&self, roots: [ExpressionId; 2], shift: u32) -> Vec<(Derivative<VariableId>, i32)> {
        let mut found = BTreeSet::new();
        for root in roots {
            self.model.expressions.for_each(root, |_, node| {
                found.extend(node.derivative());
                !matches!(node, Node::Pre(_))
            });
        }
        let order = |derivative: Derivative<VariableId>| {
            let unknown = *self.unknown_of.get(&derivative.of)?;
            Some((derivative, order_of(&quotient_at(self.values, Shifted::new(unknown, shift), derivative.order)?)))
        };
        found.into_iter().filter_map(order).collect()
    }

    /// The dominant coefficient of a derivative: that of an impulsive variable, or how far a lower derivative jumps.
    fn leading(&mut self, derivative: Derivative<VariableId>, shift: u32, order: i32) -> Option<ExpressionId> {
        let unknown = *self.unknown_of.get(&derivative.of)?;
        let first = self.first[&unknown];
        let Some(jumps) = derivative.order.checked_sub(u32::try_from(order).ok()?) else {
            // Of the values in the difference quotient the last one is infinite, and no other as much.
            let at = |place| self.values.get(&Shifted::new(unknown, shift + place)).map_or(i32::MIN, order_of);
            let own = order - derivative.order as i32;
            let is_last = at(derivative.order) == own && (0..derivative.order).all(|place| at(place) < own);
            return is_last.then(|| self.model.expressions.variable(first, 0));
        };
        let expressions = &mut self.model.expressions;
        let after = expressions.variable(first, jumps);
        let before = expressions.variable(derivative.of, jumps);
        let before = expressions.pre(before);
        Some(expressions.difference(after, before))
    }

    /// An expression with left limits for what is known when the instant begins, and first coefficients for the rest.
    fn at_limits(&mut self, root: ExpressionId, shift: u32) -> ExpressionId {
        let mut parts = BTreeSet::new();
        self.model.expressions.for_each(root, |id, node| {
            parts.insert(id);
            !matches!(node, Node::Pre(_))
        });
        // Operands are older than what is made of them.
        let mut replaced: BTreeMap<ExpressionId, ExpressionId> = BTreeMap::new();
        for part in parts {
            let new = match self.model.expressions.node(part) {
                Node::Variable(variable, 0) if self.unknown_of.contains_key(&variable) => {
                    let unknown = self.unknown_of[&variable];
                    match self.change.start.known.contains(&Shifted::new(unknown, shift)) {
                        true => self.model.expressions.pre(part),
                        false => self.model.expressions.variable(self.first[&unknown], 0),
                    }
                }
                Node::Pre(_) => part,
                _ => {
                    let operand = |operand| replaced.get(&operand).copied().unwrap_or(operand);
                    self.model.expressions.rebuilt(part, operand)
                }
            };
            replaced.insert(part, new);
        }
        replaced[&root]
    }

    fn text(&self, expression: ExpressionId) -> String {
        ExpressionText { model: &self.model, modes: None, expression }.to_string()
    }
}

//! The dominant terms of a reset in symbols: the series (23) and the equations (24) of RR8933 A.2.
//!
//! In an equation of the first instant of a change every derivative is a difference quotient with a known order. Where
//! something is infinite, the terms of the highest order are what is left of it: `x'` of order 1 is `(x_0 - pre(x))/∂`,
//! and an impulsive `f` is `f_0/∂`, so that `j*der(x) = f - k*x` becomes `j*(x_0 - pre(x)) - f_0 = 0`. The coefficient
//! `f_0` is the weight of the impulse, which the paper throws away.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{
    Derivative, ExpressionId, ExpressionText, FlatModel, MultimodeDae, Node, Type, Variability, Variable, VariableId,
    partial_derivative,
};

use crate::change::Change;
use crate::domain::{Body, Shifted, Unknown};
use crate::graph::Graph;
use crate::micro_step::EvaluateBlock;
use crate::values::algebra::{Evaluation, Leading};
use crate::values::impulse::Course;
use crate::values::linear::{Jet, quotient_at};
use crate::values::reached::Reached;
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
    /// nothing is infinite. Beside the blocks in which something is infinite there are those that give what these read,
    /// so that there are as many equations as coefficients.
    pub fn dominant_terms(&self, dae: &MultimodeDae, change: &Change) -> Option<DominantTerms> {
        let course = self.course(change)?;
        let (trace, reached) = (change.instants.first()?, course.reached.first()?);
        let all: Vec<&EvaluateBlock> = crate::values::impulse::blocks_of(trace).collect();
        let is_infinite = |it: &Shifted<Unknown>| match reached.values.get(it) {
            Some(value) => order_of(value) > 0,
            None => reached.bounds.get(it).is_some_and(Leading::may_be_infinite) || reached.unclear.contains_key(it),
        };
        let mut words = Words::new(self, dae, change, &course, reached);
        let mut shown: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let is_needed = |words: &Words<'_>, block: &EvaluateBlock| {
            block.variables.iter().any(|it| is_infinite(it) || words.used.contains(it))
        };
        while let Some((place, block)) =
            all.iter().enumerate().find(|(place, block)| !shown.contains_key(place) && is_needed(&words, block))
        {
            shown.insert(place, block.equations.iter().map(|&equation| words.equation(equation)).collect());
        }
        let solved: BTreeSet<Shifted<Unknown>> = shown.keys().flat_map(|&place| all[place].variables.clone()).collect();
        let series: Vec<String> = solved.iter().filter_map(|&variable| words.series(variable)).collect();
        let equations = shown.into_values().flatten().collect();
        (!solved.is_empty()).then_some(DominantTerms { equations, series })
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
    left: &'a Jet,
    reached: &'a Reached,
    model: FlatModel,
    /// The variables `x_0`.
    first: BTreeMap<Shifted<Unknown>, VariableId>,
    /// First coefficients that equations contain.
    used: BTreeSet<Shifted<Unknown>>,
}

impl<'a> Words<'a> {
    fn new(graph: &'a Graph, dae: &MultimodeDae, change: &'a Change, course: &'a Course, reached: &'a Reached) -> Self {
        let mut model = dae.model.clone();
        model.expressions = graph.system.expressions.clone();
        let (first, used) = (BTreeMap::new(), BTreeSet::new());
        let mut words = Words { graph, change, left: &course.left, reached, model, first, used };
        let known = reached.values.keys().chain(reached.bounds.keys()).chain(reached.unclear.keys());
        let new: BTreeSet<Shifted<Unknown>> = known.copied().filter(|&it| !words.is_left(it)).collect();
        let guard = words.model.expressions.boolean(true);
        for &variable in &new {
            // One name for a variable, or one for each shift that has a value of its own.
            let others = new.iter().filter(|other| other.of == variable.of).count();
            let name = match others {
                1 => format!("{}_0", graph.system.unknowns[variable.of].name),
                _ => format!("{}_0", graph.system.variable_name(variable)),
            };
            let declared = Variable::new(name, Type::Real, Variability::Continuous, guard);
            words.first.insert(variable, words.model.variables.push(declared));
        }
        words
    }

    /// Whether a value is that before the change but for something infinitesimal.
    fn is_left(&self, variable: Shifted<Unknown>) -> bool {
        if self.change.start.known.contains(&variable) {
            return true;
        }
        let left = self.left.get(&Shifted::new(variable.of, 0)).map(|&value| Series::monomial(value, 0));
        let was_state = self.change.start.known.contains(&Shifted::new(variable.of, 0));
        match (left, self.reached.values.get(&variable)) {
            (Some(left), Some(value)) if was_state => order_of(&(value - &left)) < 0,
            _ => false,
        }
    }

    /// The first coefficient of a variable, or its left limit where it is that.
    fn limit(&mut self, variable: Shifted<Unknown>) -> ExpressionId {
        match self.first.get(&variable) {
            Some(&first) => {
                self.used.insert(variable);
                self.model.expressions.variable(first, 0)
            }
            None => {
                let unknown = self.graph.system.unknowns[variable.of].variable;
                let now = self.model.expressions.variable(unknown, 0);
                self.model.expressions.pre(now)
            }
        }
    }

    /// A variable of the model in an equation: laws speak of right limits.
    fn place(&self, equation: Shifted<Body>, variable: VariableId) -> Option<Shifted<Unknown>> {
        let unknown = *self.graph.system.unknown_of.get(&variable)?;
        let mut entries = self.graph.system.bodies[equation.of].incidence.iter();
        let lowest = entries.find(|entry| entry.unknown == unknown).map_or(0, |entry| entry.lowest);
        Some(Shifted::new(unknown, lowest + equation.shift))
    }

    /// (23); nothing where the order is not known.
    fn series(&self, variable: Shifted<Unknown>) -> Option<String> {
        let name = match self.first.get(&variable) {
            Some(&first) => self.model.variables[first].name.trim_end_matches("_0").to_string(),
            None => self.graph.system.unknowns[variable.of].name.to_string(),
        };
        let shifted = self.graph.system.variable_name(variable);
        let order = self.reached.values.get(&variable).map(order_of);
        let order = order.or_else(|| self.reached.bounds.get(&variable).and_then(Leading::order))?;
        Some(match order {
            order if order > 0 => format!("{shifted} = ∂^-{order} ({name}_0 + {name}_1 ∂ + …)"),
            _ if self.is_left(variable) => format!("{shifted} = pre({name}) + {name}_1 ∂ + …"),
            _ => format!("{shifted} = {name}_0 + {name}_1 ∂ + …"),
        })
    }

    /// (24)
    fn equation(&mut self, equation: Shifted<Body>) -> String {
        let name = self.graph.system.equation_name(equation);
        let text = self.dominant(equation);
        let text = text.unwrap_or_else(|| "is not linear in what is infinite".to_string());
        format!("{name}: {text}")
    }

    fn dominant(&mut self, equation: Shifted<Body>) -> Option<String> {
        let sides = self.graph.system.bodies[equation.of].sides?;
        let Reached { values, bounds, .. } = self.reached;
        let evaluation = Evaluation { system: &self.graph.system, instant: 0, values, bounds };
        if evaluation.nonlinear_in(equation).is_some() {
            return None;
        }
        let orders = self.orders(sides, equation)?;
        let highest = orders.iter().map(|&(_, order)| order).max().unwrap_or(0);
        if highest <= 0 {
            let [left, right] = sides.map(|side| self.at_limits(side, equation));
            return Some(format!("{} = {}", self.text(left), self.text(right)));
        }
        let [left, right] = sides;
        let residual = self.model.expressions.difference(left, right);
        let mut terms = Vec::new();
        for (derivative, _) in orders.into_iter().filter(|&(_, order)| order == highest) {
            let factor = partial_derivative(&mut self.model, residual, derivative).ok()?;
            if self.orders([factor, factor], equation)?.iter().any(|&(_, order)| order > 0) {
                return None;
            }
            let factor = self.at_limits(factor, equation);
            terms.push((factor, self.leading(derivative, equation, highest)?));
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

    /// The derivatives of unknowns in some expressions, with the orders of their difference quotients; nothing where one of
    /// these has no series.
    fn orders(&self, roots: [ExpressionId; 2], equation: Shifted<Body>) -> Option<Vec<(Derivative<VariableId>, i32)>> {
        let mut found = BTreeSet::new();
        for root in roots {
            self.model.expressions.for_each(root, |_, node| {
                found.extend(node.derivative());
                !matches!(node, Node::Pre(_))
            });
        }
        let mut orders = Vec::new();
        for derivative in found {
            if let Some(place) = self.place(equation, derivative.of) {
                let quotient = quotient_at(&self.reached.values, place, derivative.order)?;
                orders.push((derivative, order_of(&quotient)));
            }
        }
        Some(orders)
    }

    /// The dominant coefficient of a derivative: that of an impulsive variable, or how far a lower derivative jumps.
    fn leading(
        &mut self,
        derivative: Derivative<VariableId>,
        equation: Shifted<Body>,
        order: i32,
    ) -> Option<ExpressionId> {
        let place = self.place(equation, derivative.of)?;
        let last = Shifted::new(place.of, place.shift + derivative.order);
        let Some(jumps) = derivative.order.checked_sub(u32::try_from(order).ok()?) else {
            // Of the values in the difference quotient the last one is infinite, and no other as much.
            let at = |shift| self.reached.values.get(&Shifted::new(place.of, shift)).map_or(i32::MIN, order_of);
            let own = order - derivative.order as i32;
            let is_last = at(last.shift) == own && (place.shift..last.shift).all(|shift| at(shift) < own);
            return is_last.then(|| self.limit(last));
        };
        if jumps == 0 && derivative.order == 1 {
            let [after, before] = [last, place].map(|it| self.limit(it));
            return Some(self.model.expressions.difference(after, before));
        }
        // The values below are those of the past, so that only the last difference is large.
        let is_past = (place.shift..last.shift).all(|shift| self.is_left(Shifted::new(place.of, shift)));
        let first = *self.first.get(&last).filter(|_| is_past)?;
        self.used.insert(last);
        let expressions = &mut self.model.expressions;
        let after = expressions.variable(first, jumps);
        let before = expressions.variable(derivative.of, jumps);
        let before = expressions.pre(before);
        Some(expressions.difference(after, before))
    }

    /// An expression with left limits for what is as before, and first coefficients for the rest.
    fn at_limits(&mut self, root: ExpressionId, equation: Shifted<Body>) -> ExpressionId {
        let mut parts = BTreeSet::new();
        self.model.expressions.for_each(root, |id, node| {
            parts.insert(id);
            !matches!(node, Node::Pre(_))
        });
        // Operands are older than what is made of them.
        let mut replaced: BTreeMap<ExpressionId, ExpressionId> = BTreeMap::new();
        for part in parts {
            let new = match self.model.expressions.node(part) {
                Node::Variable(variable, 0) => match self.place(equation, variable) {
                    Some(place) => self.limit(place),
                    None => part,
                },
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

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

/// `binom(n, k)` with the sign that the `n`-th difference gives to the value `k` instants later.
fn signed_binomial(n: u32, k: u32) -> i64 {
    let binomial = (0..i64::from(k)).fold(1, |product, at| product * (i64::from(n) - at) / (at + 1));
    if n.wrapping_sub(k).is_multiple_of(2) { binomial } else { -binomial }
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
    /// Variables of which equations contain coefficients.
    used: BTreeSet<Shifted<Unknown>>,
    /// How many coefficients were met, those met again counted again.
    met: usize,
}

/// The sides of an equation.
type Sides = [ExpressionId; 2];

/// Derivatives in an equation, with the orders of their difference quotients.
type Orders = [(Derivative<VariableId>, i32)];

impl<'a> Words<'a> {
    fn new(graph: &'a Graph, dae: &MultimodeDae, change: &'a Change, course: &'a Course, reached: &'a Reached) -> Self {
        let mut model = dae.model.clone();
        model.expressions = graph.system.expressions.clone();
        let (first, used) = (BTreeMap::new(), BTreeSet::new());
        let mut words = Words { graph, change, left: &course.left, reached, model, first, used, met: 0 };
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
                self.met += 1;
                self.model.expressions.variable(first, 0)
            }
            None => {
                let unknown = self.graph.system.unknowns[variable.of].variable;
                let now = self.model.expressions.variable(unknown, 0);
                self.model.expressions.pre(now)
            }
        }
    }

    /// A variable of the model in an equation: laws speak of right limits, what a `reinit` evaluates is of its instant.
    fn place(&self, equation: Shifted<Body>, variable: VariableId) -> Option<Shifted<Unknown>> {
        let unknown = *self.graph.system.unknown_of.get(&variable)?;
        if self.graph.system.bodies[equation.of].assigns.is_some() {
            return Some(Shifted::new(unknown, 0));
        }
        let mut entries = self.graph.system.bodies[equation.of].incidence.iter();
        let lowest = entries.find(|entry| entry.unknown == unknown).map_or(0, |entry| entry.lowest);
        Some(Shifted::new(unknown, lowest + equation.shift))
    }

    /// What the coefficients of a variable are called: one name for a variable, or one for each shift that is solved for.
    fn stem(&self, variable: Shifted<Unknown>) -> String {
        if let Some(&first) = self.first.get(&variable) {
            return self.model.variables[first].name.trim_end_matches("_0").to_string();
        }
        let is_new = |it: &&Shifted<Unknown>| it.of == variable.of && !self.change.start.known.contains(it);
        match self.reached.values.keys().filter(is_new).count() {
            1 => self.graph.system.unknowns[variable.of].name.to_string(),
            _ => self.graph.system.variable_name(variable),
        }
    }

    /// (23); nothing where the order is not known.
    fn series(&self, variable: Shifted<Unknown>) -> Option<String> {
        let (name, shifted) = (self.stem(variable), self.graph.system.variable_name(variable));
        let order = self.reached.values.get(&variable).map(order_of);
        let order = order.or_else(|| self.reached.bounds.get(&variable).and_then(Leading::order))?;
        Some(match order {
            order if order > 0 => format!("{shifted} = ∂^-{order} ({name}_0 + {name}_1 ∂ + …)"),
            _ if self.is_left(variable) => {
                let of = &self.graph.system.unknowns[variable.of].name;
                format!("{shifted} = pre({of}) + {name}_1 ∂ + …")
            }
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
        if let Some(target) = self.graph.system.bodies[equation.of].target() {
            return self.assignment(equation, target, sides[1]);
        }
        let orders = self.orders(sides, equation)?;
        let highest = orders.iter().map(|&(_, order)| order).max().unwrap_or(0);
        if highest <= 0 {
            return Some(self.finite(sides, equation, &orders));
        }
        let [left, right] = sides;
        let residual = self.model.expressions.difference(left, right);
        let sum = self.leading_sum(residual, equation, &orders, highest)?;
        let sum = if let Node::Negate(inner) = self.model.expressions.node(sum) { inner } else { sum };
        Some(format!("{} = 0", self.text(sum)))
    }

    /// An equation in which nothing is infinite: at the limits, or where these are all of the past, of which it says nothing new,
    /// what it leaves of the next power of ∂.
    fn finite(&mut self, sides: Sides, equation: Shifted<Body>, orders: &Orders) -> String {
        let met = self.met;
        let [left, right] = sides.map(|side| self.at_limits(side, equation));
        let next = if self.met == met { self.next_power(sides, equation, orders) } else { None };
        next.unwrap_or_else(|| format!("{} = {}", self.text(left), self.text(right)))
    }

    /// The coefficient of ∂ in an equation without time whose values differ from those of the past by infinitesimals.
    fn next_power(&mut self, [left, right]: Sides, equation: Shifted<Body>, orders: &Orders) -> Option<String> {
        let residual = self.model.expressions.difference(left, right);
        if self.model.expressions.contains(residual, |node| matches!(node, Node::Time)) {
            return None;
        }
        let mut terms = Vec::new();
        for &(derivative, _) in orders {
            let factor = partial_derivative(&mut self.model, residual, derivative).ok()?;
            let factor = self.at_limits(factor, equation);
            let place = self.place(equation, derivative.of)?;
            if let Some(next) = self.leading_difference(place, derivative.order, derivative.order as i32 + 1) {
                terms.push((factor, next));
            }
        }
        let sum = self.sum(&terms)?;
        let sum = if let Node::Negate(inner) = self.model.expressions.node(sum) { inner } else { sum };
        Some(format!("{} = 0", self.text(sum)))
    }

    /// `z_0 = …`: what a `reinit` leaves of its value.
    fn assignment(&mut self, equation: Shifted<Body>, target: Shifted<Unknown>, value: ExpressionId) -> Option<String> {
        let orders = self.orders([value, value], equation)?;
        let highest = orders.iter().map(|&(_, order)| order).max().unwrap_or(0);
        let value = match highest > 0 {
            true => self.leading_sum(value, equation, &orders, highest)?,
            false => self.at_limits(value, equation),
        };
        let target = self.limit(target);
        Some(format!("{} = {}", self.text(target), self.text(value)))
    }

    /// The terms of the highest order of an expression that is linear in them.
    fn leading_sum(
        &mut self,
        residual: ExpressionId,
        equation: Shifted<Body>,
        orders: &Orders,
        highest: i32,
    ) -> Option<ExpressionId> {
        let mut terms = Vec::new();
        for &(derivative, _) in orders.iter().filter(|&&(_, order)| order == highest) {
            let factor = partial_derivative(&mut self.model, residual, derivative).ok()?;
            if self.orders([factor, factor], equation)?.iter().any(|&(_, order)| order > 0) {
                return None;
            }
            let factor = self.at_limits(factor, equation);
            let place = self.place(equation, derivative.of)?;
            let leading = self.leading_difference(place, derivative.order, derivative.order as i32 - highest)?;
            terms.push((factor, leading));
        }
        self.sum(&terms)
    }

    /// A sum of products, those with a minus behind the others; where all have one, it is before all of them.
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
        let expressions = &mut self.model.expressions;
        if plus.is_empty() {
            let sum = minus.into_iter().reduce(|sum, term| expressions.sum(sum, term))?;
            return Some(expressions.negate(sum));
        }
        let sum = plus.into_iter().reduce(|sum, term| expressions.sum(sum, term))?;
        Some(minus.into_iter().fold(sum, |sum, term| expressions.difference(sum, term)))
    }

    /// The derivatives of unknowns in some expressions, with the orders of their difference quotients; nothing where one of
    /// these has no series.
    fn orders(&self, roots: Sides, equation: Shifted<Body>) -> Option<Vec<(Derivative<VariableId>, i32)>> {
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

    /// The coefficient of a power of ∂ in a difference of some order: that of each of its values, with its weight.
    fn leading_difference(&mut self, place: Shifted<Unknown>, order: u32, power: i32) -> Option<ExpressionId> {
        let mut terms: Vec<(ExpressionId, i64)> = Vec::new();
        for further in 0..=order {
            let at = Shifted::new(place.of, place.shift + further);
            let Some((value, factor)) = self.coefficient_of(at, power) else { continue };
            let weight = signed_binomial(order, further) * factor;
            match terms.iter_mut().find(|(known, _)| *known == value) {
                Some((_, sum)) => *sum += weight,
                None => terms.push((value, weight)),
            }
        }
        terms.retain(|&(_, weight)| weight != 0);
        terms.reverse();
        let terms: Vec<_> =
            terms.into_iter().map(|(value, weight)| (self.model.expressions.real(weight as f64), value)).collect();
        self.sum(&terms)
    }

    /// The coefficient of a power of ∂ in a value, with a factor; nothing where it is zero.
    fn coefficient_of(&mut self, variable: Shifted<Unknown>, power: i32) -> Option<(ExpressionId, i64)> {
        let order = self.reached.values.get(&variable)?.order()?.max(0);
        let number = u32::try_from(power + order).ok()?;
        if self.change.start.known.contains(&variable) {
            // A smooth past: `x•m = Σ binom(m, i) ∂^i x^(i)`.
            let of = self.graph.system.unknowns[variable.of].variable;
            let derivative = self.model.expressions.variable(of, number);
            let factor = signed_binomial(variable.shift, number).abs();
            return (factor != 0).then(|| (self.model.expressions.pre(derivative), factor));
        }
        if number == 0 {
            return Some((self.limit(variable), 1));
        }
        (self.met, _) = (self.met + 1, self.used.insert(variable));
        let name = format!("{}_{number}", self.stem(variable));
        let known = self.model.variables.iter_enumerated().find(|(_, it)| *it.name == *name).map(|(id, _)| id);
        let guard = self.model.expressions.boolean(true);
        let declared = known.unwrap_or_else(|| {
            self.model.variables.push(Variable::new(name, Type::Real, Variability::Continuous, guard))
        });
        Some((self.model.expressions.variable(declared, 0), 1))
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
                Node::Variable(variable, order) => {
                    let place = self.place(equation, variable);
                    place.and_then(|place| self.leading_difference(place, order, order as i32)).unwrap_or(part)
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

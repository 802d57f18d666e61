//! The dominant terms of a reset in symbols: the series (23) and the equations (24) of RR8933 A.2.
//!
//! In an equation of the first instant of a change every derivative is a difference quotient with a known order. Where
//! something is infinite, the terms of the highest order are what is left of it: `x'` of order 1 is `(x_0 - pre(x))/∂`,
//! and an impulsive `f` is `f_0/∂`, so that `j*der(x) = f - k*x` becomes `j*(x_0 - pre(x)) - f_0 = 0`. The coefficient
//! `f_0` is the weight of the impulse, which the paper throws away.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{
    Derivative, ExpressionId, ExpressionText, FlatModel, MultimodeDae, Node, VariableId, partial_derivative,
};

use crate::change::{Change, ChangeEnd};
use crate::domain::{Body, Shifted, Unknown};
use crate::graph::Graph;
use crate::micro_step::EvaluateBlock;
use crate::values::algebra::{Evaluation, Leading};
use crate::values::impulse::{Course, blocks_of};
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
    /// Of variables of order 2 and above, the weights of an impulse and its derivatives: `-f•_0 δ' + (f_1 + f•_1) δ`.
    pub weights: Vec<(Unknown, String)>,
}

impl Graph {
    /// The dominant terms of the instants of a change, for a past that violates all that it erases; nothing where nothing is
    /// infinite. Shifts are counted from the first instant. Beside the blocks in which something is infinite there are those
    /// that set states, and those that give what these read, so that there are as many equations as coefficients.
    pub fn dominant_terms(&self, dae: &MultimodeDae, change: &Change) -> Option<DominantTerms> {
        let course = self.course(change)?;
        // The last instant is the first of the new dynamics.
        let count =
            change.instants.len() - usize::from(change.end == ChangeEnd::Continuous && change.instants.len() > 1);
        let reached = Reached::in_one_count(&course.reached[..count]);
        let all = blocks_in_one_count(change, count);
        let is_infinite = |it: &Shifted<Unknown>| match reached.values.get(it) {
            Some(value) => order_of(value) > 0,
            None => reached.bounds.get(it).is_some_and(Leading::may_be_infinite) || reached.unclear.contains_key(it),
        };
        let mut words = Words::new(self, dae, change, &course, &reached);
        let sets = |words: &Words<'_>, it: &Shifted<Unknown>| {
            words.first.contains_key(it) && change.start.known.contains(&Shifted::new(it.of, 0))
        };
        let mut shown: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let is_needed = |words: &Words<'_>, block: &EvaluateBlock| {
            block.variables.iter().any(|it| is_infinite(it) || words.used.contains(it) || sets(words, it))
        };
        while let Some((place, (instant, block))) =
            all.iter().enumerate().find(|(place, (_, block))| !shown.contains_key(place) && is_needed(&words, block))
        {
            shown.insert(place, block.equations.iter().flat_map(|&it| words.equation(it, *instant)).collect());
        }
        let solved: BTreeSet<Shifted<Unknown>> =
            shown.keys().flat_map(|&place| all[place].1.variables.clone()).collect();
        let series: Vec<String> = solved.iter().filter_map(|&variable| words.series(variable)).collect();
        let shown_places: Vec<usize> = shown.keys().copied().collect();
        let mut equations: Vec<String> = shown.into_values().flatten().collect();
        let weights = words.weights(count as u32);
        for (instant, block) in shown_places.iter().map(|&place| &all[place]) {
            equations.extend(words.closing(&block.equations, *instant));
        }
        let of_block = |&place: &usize| {
            let (instant, block) = &all[place];
            block.equations.iter().map(|&it| (*instant, it)).collect::<Vec<_>>()
        };
        let is_other = |(place, _): &(usize, &(u32, EvaluateBlock))| !shown_places.contains(place);
        let others: Vec<&(u32, EvaluateBlock)> = all.iter().enumerate().filter(is_other).map(|(_, it)| it).collect();
        let solved_in: Vec<(u32, Shifted<Body>)> = shown_places.iter().flat_map(of_block).collect();
        equations.extend(words.next_terms(&solved_in, &others));
        equations.extend(words.left_open());
        (!solved.is_empty()).then_some(DominantTerms { equations, series, weights })
    }
}

/// The blocks of the first instants of a change, with shifts counted from the first.
fn blocks_in_one_count(change: &Change, count: usize) -> Vec<(u32, EvaluateBlock)> {
    let instants = change.instants[..count].iter().zip(0_u32..);
    let blocks = instants.flat_map(|(trace, instant)| blocks_of(trace).map(move |block| (instant, block)));
    let later = |(instant, block): (u32, &EvaluateBlock)| {
        let equations = block.equations.iter().map(|it| Shifted::new(it.of, it.shift + instant)).collect();
        let variables = block.variables.iter().map(|it| Shifted::new(it.of, it.shift + instant)).collect();
        (instant, EvaluateBlock { equations, variables })
    };
    blocks.map(later).collect()
}

/// The order, where zero counts as infinitesimal.
pub(super) fn order_of(series: &Series) -> i32 {
    series.order().unwrap_or(i32::MIN)
}

/// Expressions over left limits and first coefficients, in a copy of the model.
pub(super) struct Words<'a> {
    pub(super) graph: &'a Graph,
    pub(super) change: &'a Change,
    pub(super) left: &'a Jet,
    pub(super) reached: &'a Reached,
    pub(super) model: FlatModel,
    /// The variables `x_0`.
    pub(super) first: BTreeMap<Shifted<Unknown>, VariableId>,
    /// The variables of all coefficients, by stem and number.
    pub(super) coefficients: BTreeMap<(String, u32), VariableId>,
    /// Variables of which equations contain coefficients.
    pub(super) used: BTreeSet<Shifted<Unknown>>,
    /// How many coefficients were met, those met again counted again.
    pub(super) met: usize,
    /// The equations that were written, without their names.
    pub(super) written: BTreeSet<String>,
    /// The coefficients in them, and in weights.
    pub(super) in_words: BTreeSet<VariableId>,
    /// By equation as it is written, its coefficients.
    pub(super) of_text: BTreeMap<String, BTreeSet<VariableId>>,
    /// The coefficients of what was written last.
    recent: BTreeSet<VariableId>,
}

/// The sides of an equation.
type Sides = [ExpressionId; 2];

/// Derivatives in an equation, with the orders of their difference quotients.
type Orders = [(Derivative<VariableId>, i32)];

impl<'a> Words<'a> {
    fn new(graph: &'a Graph, dae: &MultimodeDae, change: &'a Change, course: &'a Course, reached: &'a Reached) -> Self {
        let mut model = dae.model.clone();
        model.expressions = graph.system.expressions.clone();
        let mut words = Words {
            graph,
            change,
            left: &course.left,
            reached,
            model,
            first: BTreeMap::new(),
            coefficients: BTreeMap::new(),
            used: BTreeSet::new(),
            met: 0,
            written: BTreeSet::new(),
            in_words: BTreeSet::new(),
            of_text: BTreeMap::new(),
            recent: BTreeSet::new(),
        };
        let known = reached.values.keys().chain(reached.bounds.keys()).chain(reached.unclear.keys());
        let new: BTreeSet<Shifted<Unknown>> = known.copied().filter(|&it| !words.is_left(it)).collect();
        for &variable in &new {
            // One name for a variable, or one for each shift that has a value of its own.
            let others = new.iter().filter(|other| other.of == variable.of).count();
            let stem = match others {
                1 => graph.system.unknowns[variable.of].name.to_string(),
                _ => graph.system.variable_name(variable),
            };
            let declared = words.declared(&stem, 0);
            words.first.insert(variable, declared);
        }
        words
    }

    /// A variable of the model in an equation: laws speak of right limits, what a `reinit` evaluates is of its instant.
    pub(super) fn place(&self, equation: Shifted<Body>, variable: VariableId) -> Option<Shifted<Unknown>> {
        let unknown = *self.graph.system.unknown_of.get(&variable)?;
        if self.graph.system.bodies[equation.of].assigns.is_some() {
            return Some(Shifted::new(unknown, 0));
        }
        let mut entries = self.graph.system.bodies[equation.of].incidence.iter();
        let lowest = entries.find(|entry| entry.unknown == unknown).map_or(0, |entry| entry.lowest);
        Some(Shifted::new(unknown, lowest + equation.shift))
    }

    /// (23); nothing where the order is not known.
    fn series(&mut self, variable: Shifted<Unknown>) -> Option<String> {
        let (stem, shifted) = (self.stem(variable), self.graph.system.variable_name(variable));
        let order = self.reached.values.get(&variable).map(order_of);
        let order = order.or_else(|| self.reached.bounds.get(&variable).and_then(Leading::order))?;
        let is_left = order <= 0 && self.is_left(variable);
        let mut name = |number| {
            let declared = self.declared(&stem, number);
            self.model.variables[declared].name.to_string()
        };
        let next = name(1);
        Some(match order {
            _ if is_left => {
                let of = &self.graph.system.unknowns[variable.of].name;
                format!("{shifted} = pre({of}) + {next} ∂ + …")
            }
            order if order > 0 => format!("{shifted} = ∂^-{order} ({} + {next} ∂ + …)", name(0)),
            _ => format!("{shifted} = {} + {next} ∂ + …", name(0)),
        })
    }

    /// The weights of impulses of order 2 and above. A value in instant `i` acts for a time ∂, at `i ∂`: with
    /// `δ(t - i ∂) = δ - i ∂ δ' + …` the weight of the `p`-th derivative is the `p`-th moment of coefficients of `∂^-(p+1)`.
    fn weights(&mut self, count: u32) -> Vec<(Unknown, String)> {
        let mut weights = Vec::new();
        for unknown in self.graph.system.unknowns.ids() {
            let orders = (0..count).filter_map(|it| self.reached.values.get(&Shifted::new(unknown, it))?.order());
            let highest = orders.max().and_then(|order| u32::try_from(order).ok()).unwrap_or(0);
            let moments = (0..highest).rev().filter(|_| highest > 1);
            let moments: Vec<String> = moments.filter_map(|power| self.moment(unknown, power, count)).collect();
            if !moments.is_empty() {
                weights.push((unknown, moments.join(" + ").replace("+ -", "- ")));
            }
        }
        weights
    }

    /// `-f•_0 δ'`: one of these weights; nothing where it is zero.
    fn moment(&mut self, unknown: Unknown, power: u32, count: u32) -> Option<String> {
        let mut terms: Vec<String> = Vec::new();
        for instant in (0..count).filter(|&instant| instant > 0 || power == 0) {
            let variable = Shifted::new(unknown, instant);
            let Some(value) = self.reached.values.get(&variable) else { continue };
            let number = value.order().and_then(|order| u32::try_from(order - power as i32 - 1).ok());
            let Some(number) = number.filter(|_| value.coefficient(-(power as i32) - 1) != 0.0) else { continue };
            let stem = self.stem(variable);
            let declared = self.declared(&stem, number);
            self.in_words.insert(declared);
            let factor = i64::from(instant).pow(power);
            let factor = if factor == 1 { String::new() } else { format!("{factor}*") };
            terms.push(format!("{factor}{}", self.model.variables[declared].name));
        }
        let sign = if power.is_multiple_of(2) { "" } else { "-" };
        let divisor: u64 = (1..=u64::from(power)).product();
        let divisor = if divisor == 1 { String::new() } else { format!("/{divisor}") };
        let sum = terms.join(" + ");
        let sum = if terms.len() > 1 { format!("({sum})") } else { sum };
        (!terms.is_empty()).then(|| format!("{sign}{sum}{divisor} δ{}", "'".repeat(power as usize)))
    }

    /// (24), with what the equation says of higher powers of 1/∂ than there are values: that they cancel. The name is that
    /// of the equation in its instant.
    pub(super) fn equation(&mut self, equation: Shifted<Body>, instant: u32) -> Vec<String> {
        let name = self.name(equation, instant);
        let text = self.dominant(equation).unwrap_or_else(|| "is not linear in what is infinite".to_string());
        let mut texts = self.cancelling(equation).unwrap_or_default();
        texts.push(text);
        texts.retain(|text| self.written.insert(text.clone()));
        texts.into_iter().map(|text| format!("{name}: {text}")).collect()
    }

    pub(super) fn name(&self, equation: Shifted<Body>, instant: u32) -> String {
        let name = self.graph.system.equation_name(Shifted::new(equation.of, equation.shift - instant));
        if instant == 0 { name } else { format!("instant {}: {name}", instant + 1) }
    }

    /// Where an equation leaves less of its differences than their terms have: the powers that vanish, if they say something
    /// of coefficients.
    fn cancelling(&mut self, equation: Shifted<Body>) -> Option<Vec<String>> {
        let body = &self.graph.system.bodies[equation.of];
        let ([left, right], None) = (body.sides?, body.assigns) else { return None };
        let orders = self.orders([left, right], equation)?;
        let highest = orders.iter().map(|&(_, order)| order).max()?.max(0);
        let differences = orders.iter().map(|(derivative, _)| derivative.order as i32).max()?;
        let residual = self.model.expressions.difference(left, right);
        let mut texts = Vec::new();
        for power in (highest + 1..=differences).rev() {
            let used = self.used.clone();
            match self.leading_sum(residual, equation, &orders, power, false) {
                Some(sum) if self.has_coefficients(sum) => texts.push(self.vanishes(sum)),
                _ => self.used = used,
            }
        }
        Some(texts)
    }

    /// `sum = 0`, or with the other sign.
    pub(super) fn vanishes(&mut self, sum: ExpressionId) -> String {
        let sum = if let Node::Negate(inner) = self.model.expressions.node(sum) { inner } else { sum };
        let text = format!("{} = 0", self.text(sum));
        self.noted(text)
    }

    /// An equation that was just written, whose coefficients are known now.
    fn noted(&mut self, text: String) -> String {
        let coefficients = std::mem::take(&mut self.recent);
        self.of_text.entry(text.clone()).or_default().extend(coefficients);
        text
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
            let text = self.finite(sides, equation, &orders);
            return Some(self.noted(text));
        }
        let [left, right] = sides;
        let residual = self.model.expressions.difference(left, right);
        let sum = self.leading_sum(residual, equation, &orders, highest, true)?;
        Some(self.vanishes(sum))
    }

    /// An equation in which nothing is infinite: at the limits, or where these are all of the past, of which it says nothing new,
    /// what it leaves of the next power of ∂.
    fn finite(&mut self, sides: Sides, equation: Shifted<Body>, orders: &Orders) -> String {
        let met = self.met;
        let [left, right] = sides.map(|side| self.at_limits(side, equation));
        let next = if self.met == met { self.next_power(sides, equation, orders) } else { None };
        match next {
            Some(next) => self.vanishes(next),
            None => format!("{} = {}", self.text(left), self.text(right)),
        }
    }

    /// The coefficient of ∂ in an equation without time whose values differ from those of the past by infinitesimals.
    pub(super) fn next_power(
        &mut self,
        [left, right]: Sides,
        equation: Shifted<Body>,
        orders: &Orders,
    ) -> Option<ExpressionId> {
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
        self.sum(&terms)
    }

    /// `z_0 = …`: what a `reinit` leaves of its value.
    fn assignment(&mut self, equation: Shifted<Body>, target: Shifted<Unknown>, value: ExpressionId) -> Option<String> {
        let orders = self.orders([value, value], equation)?;
        let highest = orders.iter().map(|&(_, order)| order).max().unwrap_or(0);
        let value = match highest > 0 {
            true => self.leading_sum(value, equation, &orders, highest, true)?,
            false => self.at_limits(value, equation),
        };
        let target = self.limit(target);
        let text = format!("{} = {}", self.text(target), self.text(value));
        Some(self.noted(text))
    }

    /// The terms of some order, the highest or one above that, of an expression that is linear in them.
    fn leading_sum(
        &mut self,
        residual: ExpressionId,
        equation: Shifted<Body>,
        orders: &Orders,
        highest: i32,
        is_reached: bool,
    ) -> Option<ExpressionId> {
        let mut terms = Vec::new();
        for &(derivative, _) in orders.iter().filter(|&&(_, order)| !is_reached || order == highest) {
            let factor = partial_derivative(&mut self.model, residual, derivative).ok()?;
            if self.orders([factor, factor], equation)?.iter().any(|&(_, order)| order > 0) {
                return None;
            }
            let factor = self.at_limits(factor, equation);
            let place = self.place(equation, derivative.of)?;
            let power = derivative.order as i32 - highest;
            match self.leading_difference(place, derivative.order, power) {
                Some(leading) => terms.push((factor, leading)),
                None if is_reached => return None,
                None => {}
            }
        }
        self.sum(&terms)
    }

    /// A sum of products, those with a minus behind the others; where all have one, it is before all of them.
    pub(super) fn sum(&mut self, terms: &[(ExpressionId, ExpressionId)]) -> Option<ExpressionId> {
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
    pub(super) fn orders(&self, roots: Sides, equation: Shifted<Body>) -> Option<Vec<(Derivative<VariableId>, i32)>> {
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

    fn text(&mut self, expression: ExpressionId) -> String {
        let coefficients: BTreeSet<VariableId> = self.coefficients.values().copied().collect();
        let recent = &mut self.recent;
        self.model.expressions.for_each(expression, |_, node| {
            recent.extend(node.derivative().map(|it| it.of).filter(|it| coefficients.contains(it)));
            true
        });
        self.in_words.extend(&self.recent);
        ExpressionText { model: &self.model, modes: None, expression }.to_string()
    }
}

//! The coefficients of series in ∂ as variables of a copy of the model: `x_0`, `x•2_1`, and left limits for the past.
//!
//! Values that are known when a change begins are those of a smooth past: `x•m = Σ binom(m, i) ∂^i pre(x^(i))`. All others have
//! coefficients of their own. A name that the model has already is given underscores until it has not.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{ExpressionId, Node, Type, Variability, Variable, VariableId, partial_derivative};

use crate::bipartite::Bipartite;
use crate::domain::{Body, Shifted, Unknown};
use crate::micro_step::EvaluateBlock;
use crate::values::dominant::{Words, order_of};
use crate::values::series::Series;

/// `binom(n, k)` with the sign that the `n`-th difference gives to the value `k` instants later.
fn signed_binomial(n: u32, k: u32) -> i64 {
    let binomial = (0..i64::from(k)).fold(1, |product, at| product * (i64::from(n) - at) / (at + 1));
    if n.wrapping_sub(k).is_multiple_of(2) { binomial } else { -binomial }
}

impl Words<'_> {
    /// Whether a value is that before the change but for something infinitesimal.
    pub(super) fn is_left(&self, variable: Shifted<Unknown>) -> bool {
        if self.change.start.known.contains(&variable) {
            return true;
        }
        let left = self.left.get(&Shifted::new(variable.of, 0)).map(|&value| Series::monomial(value, 0));
        let was_state = self.change.start.known.contains(&Shifted::new(variable.of, 0));
        match (left, self.reached.values.get(&variable)) {
            (Some(left), Some(value)) if was_state => {
                let values = &self.reached.values;
                let is_chance = || self.graph.comes_back_by_chance(self.change, values, self.left, variable);
                order_of(&(value - &left)) < 0 && !is_chance()
            }
            _ => false,
        }
    }

    /// The first coefficient of a variable, or its left limit where it is that.
    pub(super) fn limit(&mut self, variable: Shifted<Unknown>) -> ExpressionId {
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

    /// What the coefficients of a variable are called: one name for a variable, or one for each shift that is solved for.
    pub(super) fn stem(&self, variable: Shifted<Unknown>) -> String {
        let is_new = |it: &&Shifted<Unknown>| it.of == variable.of && !self.change.start.known.contains(it);
        let count = match self.first.contains_key(&variable) {
            true => self.first.keys().filter(|it| it.of == variable.of).count(),
            false => self.reached.values.keys().filter(is_new).count(),
        };
        match count {
            1 => self.graph.system.unknowns[variable.of].name.to_string(),
            _ => self.graph.system.variable_name(variable),
        }
    }

    /// The coefficient of a power of ∂ in a difference of some order: that of each of its values, with its weight.
    pub(super) fn leading_difference(
        &mut self,
        place: Shifted<Unknown>,
        order: u32,
        power: i32,
    ) -> Option<ExpressionId> {
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
        let stem = self.stem(variable);
        let declared = self.declared(&stem, number);
        Some((self.model.expressions.variable(declared, 0), 1))
    }

    /// The parts of an expression that are not inside left limits, operands before what is made of them, which is younger.
    fn present_parts(&self, root: ExpressionId) -> BTreeSet<ExpressionId> {
        let mut parts = BTreeSet::new();
        self.model.expressions.for_each(root, |id, node| {
            parts.insert(id);
            !matches!(node, Node::Pre(_))
        });
        parts
    }

    /// An expression with left limits for what is as before, and first coefficients for the rest.
    pub(super) fn at_limits(&mut self, root: ExpressionId, equation: Shifted<Body>) -> ExpressionId {
        let parts = self.present_parts(root);
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

    /// A new variable of the copy, or the one that was made for this coefficient before.
    pub(super) fn declared(&mut self, stem: &str, number: u32) -> VariableId {
        let key = (stem.to_string(), number);
        if let Some(&known) = self.coefficients.get(&key) {
            return known;
        }
        let mut name = format!("{stem}_{number}");
        while self.model.variables.iter().any(|it| *it.name == *name) {
            name.push('_');
        }
        let guard = self.model.expressions.boolean(true);
        let variable = self.model.variables.push(Variable::new(name, Type::Real, Variability::Continuous, guard));
        self.coefficients.insert(key, variable);
        variable
    }

    /// Where coefficients are left open, what finite equations say of the next power of ∂, as long as that contains no
    /// coefficients that are not there yet.
    pub(super) fn closing(&mut self, equations: &[Shifted<Body>], instant: u32) -> Vec<String> {
        let mut lines = Vec::new();
        for &equation in equations {
            if self.left_open().is_none() {
                break;
            }
            let Some(sum) = self.finite_rest(equation).filter(|&sum| self.has_no_new_coefficients(sum)) else {
                continue;
            };
            let text = self.vanishes(sum);
            if self.written.insert(text.clone()) {
                lines.push(format!("{}: {text}", self.name(equation, instant)));
            }
        }
        lines
    }

    /// The next power of ∂ in equations, with coefficients that are new, where that leaves nothing open: in those in which
    /// something is infinite, or in all. With them come other blocks that give what these read.
    pub(super) fn next_terms(
        &mut self,
        equations: &[(u32, Shifted<Body>)],
        others: &[&(u32, EvaluateBlock)],
    ) -> Vec<String> {
        if self.left_open().is_none() {
            return Vec::new();
        }
        for with_finite in [false, true] {
            let before = (self.written.clone(), self.in_words.clone(), self.used.clone());
            let mut lines = Vec::new();
            for &(instant, equation) in equations {
                let sum = self.next_term(equation, with_finite);
                let Some(sum) = sum.filter(|&sum| self.has_coefficients(sum)) else { continue };
                let text = self.vanishes(sum);
                if self.written.insert(text.clone()) {
                    lines.push(format!("{}: {text}", self.name(equation, instant)));
                }
            }
            let used = self.used.clone();
            let is_read = |block: &EvaluateBlock| block.variables.iter().any(|it| used.contains(it));
            for (instant, block) in others.iter().filter(|(_, block)| is_read(block)) {
                lines.extend(block.equations.iter().flat_map(|&it| self.equation(it, *instant)));
            }
            if self.left_open().is_none() {
                return lines;
            }
            (self.written, self.in_words, self.used) = before;
        }
        Vec::new()
    }

    /// What an equation says of the power of ∂ behind its dominant terms, where its coefficients are constant.
    fn next_term(&mut self, equation: Shifted<Body>, with_finite: bool) -> Option<ExpressionId> {
        let body = &self.graph.system.bodies[equation.of];
        let (sides, None) = (body.sides?, body.assigns) else { return None };
        let orders = self.orders(sides, equation)?;
        let highest = orders.iter().map(|&(_, order)| order).max()?;
        if highest <= 0 {
            return if with_finite { self.next_power(sides, equation, &orders) } else { None };
        }
        let residual = self.model.expressions.difference(sides[0], sides[1]);
        let mut terms = Vec::new();
        for &(derivative, _) in &orders {
            let factor = partial_derivative(&mut self.model, residual, derivative).ok()?;
            let moves = |node: Node| matches!(node, Node::Variable(it, _) if self.place(equation, it).is_some());
            if self.model.expressions.contains(factor, |node| moves(node) || matches!(node, Node::Time)) {
                return None;
            }
            let (place, order) = (self.place(equation, derivative.of)?, derivative.order);
            if let Some(next) = self.leading_difference(place, order, order as i32 - highest + 1) {
                terms.push((factor, next));
            }
        }
        let rest = self.without_unknowns(residual, equation);
        if highest == 1 && self.model.expressions.literal(rest) != Some(0.0) {
            terms.push((self.model.expressions.real(1.0), rest));
        }
        self.sum(&terms)
    }

    /// What is left of an expression where all unknowns are zero.
    fn without_unknowns(&mut self, root: ExpressionId, equation: Shifted<Body>) -> ExpressionId {
        let parts = self.present_parts(root);
        let mut replaced: BTreeMap<ExpressionId, ExpressionId> = BTreeMap::new();
        for part in parts {
            let new = match self.model.expressions.node(part) {
                Node::Variable(variable, _) if self.place(equation, variable).is_some() => {
                    self.model.expressions.real(0.0)
                }
                Node::Variable(..) | Node::Pre(_) => part,
                _ => {
                    let operand = |operand| replaced.get(&operand).copied().unwrap_or(operand);
                    self.model.expressions.rebuilt(part, operand)
                }
            };
            replaced.insert(part, new);
        }
        replaced[&root]
    }

    /// The next power of an equation in which nothing is infinite.
    fn finite_rest(&mut self, equation: Shifted<Body>) -> Option<ExpressionId> {
        let body = &self.graph.system.bodies[equation.of];
        let (sides, None) = (body.sides?, body.assigns) else { return None };
        let orders = self.orders(sides, equation)?;
        if orders.iter().any(|&(_, order)| order > 0) { None } else { self.next_power(sides, equation, &orders) }
    }

    fn has_no_new_coefficients(&self, sum: ExpressionId) -> bool {
        let is_new = |node: Node| match node {
            Node::Variable(it, _) => self.coefficients.values().any(|of| *of == it) && !self.in_words.contains(&it),
            _ => false,
        };
        self.has_coefficients(sum) && !self.model.expressions.contains(sum, is_new)
    }

    /// The coefficients that the equations do not determine: those that no matching of equations and coefficients gives a value.
    pub(super) fn left_open(&self) -> Option<String> {
        let all: Vec<VariableId> = self.in_words.iter().copied().collect();
        let place = |it: &VariableId| all.binary_search(it).ok();
        let row = |text: &String| self.of_text.get(text).into_iter().flatten().filter_map(place).collect();
        let graph = Bipartite { rows: self.written.iter().map(row).collect(), columns: all.len() };
        let matching = graph.matched();
        let open = graph.reached_columns(&matching, |column| matching.row_of[column].is_none());
        let names: Vec<&str> =
            (0..all.len()).filter(|&it| open[it]).map(|it| &*self.model.variables[all[it]].name).collect();
        let (count, given) = (graph.rows.len(), all.len() - names.len());
        let line = || {
            let (all, names) = (all.len(), names.join(", "));
            format!("not closed: {count} equations determine {given} of {all} coefficients, and not {names}")
        };
        (!names.is_empty()).then(line)
    }

    pub(super) fn has_coefficients(&self, sum: ExpressionId) -> bool {
        let is_one =
            |node: Node| matches!(node, Node::Variable(it, _) if self.coefficients.values().any(|of| *of == it));
        self.model.expressions.contains(sum, is_one)
    }
}

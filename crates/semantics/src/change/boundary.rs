//! What guards say of the past: where one changes, the two sides of a relation in it are equal.
//!
//! `g = (s <= 0)` becomes true where `s` comes to zero. The left limits then satisfy the equations of the mode before and
//! `s = 0`, and with them perhaps an equation of the new mode, of which a run does not know it: statuses know which
//! variables have values, not which. `changes` does; orders of impulses are lower for such a past.
//!
//! Whether an equation follows is asked of numbers. Points that satisfy the equations of the mode before and the equality
//! are found from starts without a pattern, for parameters without a pattern; what holds at every point that is found,
//! although nothing but these equations was asked for, follows from them.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{Derivative, ExpressionId, ModeVariableId, Node, VariableId};

use crate::change::Change;
use crate::domain::{Body, Guard, Shifted};
use crate::graph::Graph;
use crate::system::{DifferenceSystem, GuardPredicate};
use crate::values::number::Number;

/// Points that are looked for; some starts lead nowhere.
const TRIES: u64 = 6;
/// So many of them have to be found for anything to be said.
const FEWEST: usize = 3;
/// Steps towards a point: each doubles the number of digits once it is near.
const MOST_STEPS: usize = 40;
/// A residual that counts as zero where numbers are about one; what is not zero there is about one as well.
const ZERO: f64 = 1e-9;
/// The step of difference quotients, the third root of the precision of numbers.
const DIFFERENCE: f64 = 6e-6;
/// Larger systems are not asked.
const MOST_EQUATIONS: usize = 60;

/// Expressions as pairs of sides.
type Sides = [ExpressionId; 2];

/// Values of variables and derivatives, and of time.
type Point = BTreeMap<Option<Derivative<VariableId>>, f64>;

impl Graph {
    /// For each relation of the guards that change, and for all together: the equations among those that a change erases
    /// which hold before it, because the sides of the relation are equal then.
    pub fn satisfied_at_boundaries(&self, change: &Change) -> Vec<BTreeSet<Shifted<Body>>> {
        let erased: BTreeSet<Shifted<Body>> = change.erased_by_instant().into_iter().flatten().collect();
        let erased: Vec<Shifted<Body>> = erased.into_iter().filter(|it| it.shift == 0).collect();
        let relations: Vec<Sides> =
            self.changed_guards(change).flat_map(|guard| guard.relations.iter().copied()).collect();
        if erased.is_empty() || relations.is_empty() {
            return Vec::new();
        }
        let before: Vec<Sides> =
            self.system.equations_in(change.before).filter_map(|body| self.system.bodies[body].sides).collect();
        let mut found: Vec<BTreeSet<Shifted<Body>>> = Vec::new();
        let single = relations.iter().map(std::slice::from_ref);
        for boundary in single.chain((relations.len() > 1).then_some(relations.as_slice())) {
            let numbers = Numbers { system: &self.system, equations: [&before, boundary].concat() };
            let points = numbers.points();
            let holds = |it: &&Shifted<Body>| {
                let sides = self.system.bodies[it.of].sides;
                sides.is_some_and(|sides| points.len() >= FEWEST && numbers.holds_at(&points, sides))
            };
            let satisfied: BTreeSet<Shifted<Body>> = erased.iter().filter(holds).copied().collect();
            if !satisfied.is_empty() && !found.contains(&satisfied) {
                found.push(satisfied);
            }
        }
        found
    }

    /// Whether one relation alone decides about a change, so that its sides are equal then.
    pub fn has_one_boundary(&self, change: &Change) -> bool {
        let counts: Vec<usize> = self.changed_guards(change).map(|guard| guard.relations.len()).collect();
        counts == [1]
    }

    /// The guards that have another value in the mode after than in the mode before.
    fn changed_guards(&self, change: &Change) -> impl Iterator<Item = &GuardPredicate> {
        let value = |mode: usize, guard: Guard| self.system.modes[mode].get(ModeVariableId(guard.0));
        let (before, after) = (change.before, change.after);
        let all = self.system.guards.iter_enumerated();
        all.filter(move |(guard, _)| value(before, *guard) != value(after, *guard)).map(|(_, predicate)| predicate)
    }
}

/// Some equations, to be satisfied by numbers.
struct Numbers<'a> {
    system: &'a DifferenceSystem,
    equations: Vec<Sides>,
}

impl Numbers<'_> {
    /// Points that satisfy the equations, as far as they are found.
    fn points(&self) -> Vec<Point> {
        let known: Vec<Sides> = self.equations.iter().copied().filter(|&it| self.can_be_evaluated(it)).collect();
        // Without the last of them, which is of the guard, there is nothing to say.
        if known.last() != self.equations.last() || known.len() > MOST_EQUATIONS {
            return Vec::new();
        }
        (0..TRIES).filter_map(|attempt| self.point(&known, attempt)).collect()
    }

    fn can_be_evaluated(&self, sides: Sides) -> bool {
        self.residual(sides, &self.start(&[sides], 0)).is_some()
    }

    /// Numbers without a pattern, about one, for all that some equations contain.
    fn start(&self, equations: &[Sides], attempt: u64) -> Point {
        let mut point = Point::new();
        for root in equations.iter().flatten() {
            self.system.expressions.for_each(*root, |_, node| {
                point.extend(leaf(node).map(|leaf| (leaf, start_value(leaf, attempt))));
                true
            });
        }
        point
    }

    /// Whether an equation holds at all points, with numbers without a pattern for what is in it alone.
    fn holds_at(&self, points: &[Point], sides: Sides) -> bool {
        points.iter().enumerate().all(|(attempt, point)| {
            let mut all = self.start(&[sides], attempt as u64);
            all.extend(point);
            self.residual(sides, &all).is_some_and(|residual| residual.abs() < ZERO.sqrt())
        })
    }

    /// A point near a start: steps of least length that would satisfy the equations if they were linear.
    fn point(&self, equations: &[Sides], attempt: u64) -> Option<Point> {
        let mut point = self.start(equations, attempt);
        let is_unknown = |leaf: &Derivative<VariableId>| self.system.unknown_of.contains_key(&leaf.of);
        let free: Vec<Derivative<VariableId>> = point.keys().copied().flatten().filter(is_unknown).collect();
        for _ in 0..MOST_STEPS {
            let residuals = self.residuals(equations, &point)?;
            if residuals.iter().all(|residual| residual.abs() < ZERO) {
                return Some(point);
            }
            let columns: Option<Vec<Vec<f64>>> =
                free.iter().map(|&leaf| self.slopes(equations, &mut point, leaf)).collect();
            for (leaf, step) in free.iter().zip(least_step(&columns?, &residuals)?) {
                *point.get_mut(&Some(*leaf))? += step;
            }
        }
        None
    }

    fn residuals(&self, equations: &[Sides], point: &Point) -> Option<Vec<f64>> {
        equations.iter().map(|&sides| self.residual(sides, point)).collect()
    }

    /// How residuals change with a variable.
    fn slopes(&self, equations: &[Sides], point: &mut Point, leaf: Derivative<VariableId>) -> Option<Vec<f64>> {
        let value = *point.get(&Some(leaf))?;
        let mut at = |value| {
            point.insert(Some(leaf), value);
            self.residuals(equations, point)
        };
        let (above, below) = (at(value + DIFFERENCE)?, at(value - DIFFERENCE)?);
        point.insert(Some(leaf), value);
        Some(above.iter().zip(&below).map(|(above, below)| (above - below) / (2.0 * DIFFERENCE)).collect())
    }

    fn residual(&self, [left, right]: Sides, point: &Point) -> Option<f64> {
        let residual = self.value(left, point)? - self.value(right, point)?;
        residual.is_finite().then_some(residual)
    }

    /// The value of an expression; left limits are what the point is.
    fn value(&self, root: ExpressionId, point: &Point) -> Option<f64> {
        let expressions = &self.system.expressions;
        let mut parts = BTreeSet::new();
        expressions.for_each(root, |id, _| parts.insert(id));
        // Operands are older than what is made of them.
        let mut values: BTreeMap<ExpressionId, f64> = BTreeMap::new();
        for part in parts {
            let value = match expressions.node(part) {
                Node::Real(value) => Some(value.value()),
                Node::Integer(value) => Some(value as f64),
                node @ (Node::Time | Node::Variable(..)) => point.get(&leaf(node)?).copied(),
                Node::Pre(a) => values.get(&a).copied(),
                Node::Negate(a) => values.get(&a).map(|value| -value),
                Node::Arithmetic(operator, a, b) => Some(operator.value(*values.get(&a)?, *values.get(&b)?)),
                Node::Call(builtin, list) => {
                    let arguments = expressions.argument_list(list).iter().map(|it| values.get(it).copied());
                    builtin.value(&arguments.collect::<Option<Vec<f64>>>()?)
                }
                _ => None,
            };
            values.insert(part, value?);
        }
        values.get(&root).copied()
    }
}

/// What a point has a value for: a variable or derivative, or time.
fn leaf(node: Node) -> Option<Option<Derivative<VariableId>>> {
    match node {
        Node::Variable(of, order) => Some(Some(Derivative::new(of, order))),
        Node::Time => Some(None),
        _ => None,
    }
}

/// A number between 0.5 and 1.5.
fn start_value(leaf: Option<Derivative<VariableId>>, attempt: u64) -> f64 {
    let (of, order) = leaf.map_or((u64::MAX, 0), |leaf| (u64::from(leaf.of.0), u64::from(leaf.order)));
    let number = Number::generic([9, of, order, attempt]).value();
    0.5 + (number * 1e3).abs().fract()
}

/// The shortest `d` with `J d = -r`: `d = -Jᵀ (J Jᵀ)⁻¹ r`, where dependent equations are passed over. `J` is by column.
fn least_step(columns: &[Vec<f64>], residuals: &[f64]) -> Option<Vec<f64>> {
    let size = residuals.len();
    let product = |a: usize, b: usize| columns.iter().map(|column| column[a] * column[b]).sum::<f64>();
    let mut rows: Vec<Vec<f64>> =
        (0..size).map(|row| (0..size).map(|column| product(row, column)).chain([-residuals[row]]).collect()).collect();
    let mut multipliers = vec![0.0; size];
    let mut pivots: Vec<(usize, usize)> = Vec::new();
    for column in 0..size {
        let is_free = |row: &usize| pivots.iter().all(|(known, _)| known != row);
        let candidates = (0..size).filter(is_free);
        let pivot = candidates.max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        if rows[pivot][column].abs() < ZERO {
            continue;
        }
        let by = rows[pivot].clone();
        for row in (0..size).filter(|&row| row != pivot) {
            let factor = rows[row][column] / by[column];
            rows[row].iter_mut().zip(&by).for_each(|(entry, by)| *entry -= factor * by);
        }
        pivots.push((pivot, column));
    }
    for &(row, column) in &pivots {
        multipliers[column] = rows[row][size] / rows[row][column];
    }
    let step = |column: &Vec<f64>| column.iter().zip(&multipliers).map(|(slope, by)| slope * by).sum();
    Some(columns.iter().map(step).collect())
}

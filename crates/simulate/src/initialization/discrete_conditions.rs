//! What is said about discrete variables at the start must be true of the start that was found.
//!
//! An initial equation `n = 4` gives `n` its value only where nothing else does. Where an equation of the model defines
//! `n`, or a second initial equation says something else, it is a condition like any other: it holds at the solution, or
//! there is no start. The same for what was before: a variable that only `when` clauses assign keeps its left limit at
//! the start, so that a fixed start value, or `pre(n) = …`, and another value for `n` contradict each other. A definition
//! that has no value there is no start either.

use modeshift_dae::{Definition, Id, InitialValue, Type, VariableId};

use super::point::Point;
use super::problem::InitialProblem;
use super::solve::agree;

/// What is not true of discrete variables at the solution of a mode.
#[derive(Clone, Debug, PartialEq)]
pub enum DiscreteFailure {
    /// An initial equation does not hold, by its number: the values of its sides.
    Condition(usize, [f64; 2]),
    /// Nothing assigns the variable at the start, and it is not what it was before: its value, and that before.
    NotKept(VariableId, [f64; 2]),
    /// The definition of the variable has no value.
    NoValue(VariableId, f64),
}

impl InitialProblem<'_> {
    /// The first thing that is said about discrete variables and is not true at a point. What is not fixed may have been
    /// before what it is.
    pub(crate) fn discrete_failure(&self, point: &Point) -> Option<DiscreteFailure> {
        let own = Point { own_left_limits: true, ..point.clone() };
        let no_value = self.without_value(point);
        no_value
            .or_else(|| self.broken_condition(point).and(self.broken_condition(&own)))
            .or_else(|| self.not_kept(point))
    }

    fn without_value(&self, point: &Point) -> Option<DiscreteFailure> {
        let there = self.discrete.iter().filter(|it| self.start.space.evaluate(it.modes, |at| point.mode.is_on(at)));
        let numbers = there.filter(|it| self.model().variables[it.variable].ty != Type::String);
        let (variables, values): (Vec<_>, Vec<_>) = numbers.map(|it| (it.variable, it.value)).unzip();
        let mut values = variables.into_iter().zip(self.evaluate(&values, point));
        values.find(|(_, value)| !value.is_finite()).map(|(variable, value)| DiscreteFailure::NoValue(variable, value))
    }

    fn broken_condition(&self, point: &Point) -> Option<DiscreteFailure> {
        let conditions = self.start.system.discrete_conditions.iter();
        let there = conditions.filter(|(_, modes)| self.start.space.evaluate(*modes, |at| point.mode.is_on(at)));
        let numbers: Vec<usize> = there.map(|&(number, _)| number as usize).filter(|&it| self.is_number(it)).collect();
        let equations = numbers.iter().map(|&number| &self.dae.model.initial_equations[number]);
        let sides: Vec<_> = equations.flat_map(|it| [it.left, it.right]).collect();
        let values = self.evaluate(&sides, point);
        let mut sides = numbers.into_iter().zip(values.chunks_exact(2).map(|it| [it[0], it[1]]));
        sides
            .find(|&(_, [left, right])| !agree(left, right))
            .map(|(number, sides)| DiscreteFailure::Condition(number, sides))
    }

    /// Whether an initial equation is between numbers or truth values.
    fn is_number(&self, number: usize) -> bool {
        let about = self.dae.discrete.initial[number];
        about.is_some_and(|it| self.model().variables[it.variable].ty != Type::String)
    }

    fn not_kept(&self, point: &Point) -> Option<DiscreteFailure> {
        let model = self.model();
        let is_kept = |&it: &VariableId| {
            let declared = &model.variables[it];
            let by_when_or_start =
                matches!(self.dae.discrete.definition(it), Some(Definition::When | Definition::Start));
            by_when_or_start && declared.ty != Type::String && !self.is_assigned_initially(it)
        };
        let is_said = |it: &VariableId| model.variables[*it].fixed == Some(true) || self.has_stated_left_limit(*it);
        let sides = |it: VariableId| [point.values[it.index()], point.left_limit(self, it)];
        let mut kept = self.dae.discrete.kept().filter(is_kept).filter(is_said).map(|it| (it, sides(it)));
        kept.find(|&(_, [now, before])| !agree(now, before)).map(|(it, sides)| DiscreteFailure::NotKept(it, sides))
    }

    fn has_stated_left_limit(&self, variable: VariableId) -> bool {
        let stated = self.dae.discrete.initial.iter().flatten();
        stated.into_iter().any(|it: &InitialValue| it.variable == variable && it.is_left_limit)
    }
}

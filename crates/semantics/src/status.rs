//! Statuses and contexts: RR8933 §3.3.1.
//!
//! A status is a valuation of the S-variables of Definition 3 in D. Almost all of them are irrelevant, so it is kept as
//! what is known: the variables that have a value, the values of guards, and the equations that are relevant. A variable
//! that has no value is undefined where a relevant equation contains it, and irrelevant elsewhere.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::Id;

use crate::domain::{Body, Guard, Shifted, Unknown, Value};
use crate::modes::Modes;
use crate::system::{DifferenceSystem, GuardedEquation};

/// Equations that are known to hold for what is known: the context Δ.
pub type Context = BTreeSet<Shifted<Body>>;

/// An S-variable (Definition 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatusVariable {
    /// `x•m`
    Variable(Shifted<Unknown>),
    /// `γ`
    Guard(Guard),
    /// `e•m`
    Equation(Shifted<Body>),
}

/// A status σ.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Status {
    /// The variables that have a value.
    pub known: BTreeSet<Shifted<Unknown>>,
    /// The values of the guards.
    pub guards: Vec<Value>,
    /// The relevant equations.
    pub equations: BTreeMap<Shifted<Body>, Value>,
    /// The modes that the guards allow so far.
    pub modes: Modes,
    /// The same among all valuations.
    pub valuations: Modes,
    /// The `when` branches that fire in this instant, once that is decided.
    pub fires: Option<Vec<usize>>,
}

impl Status {
    /// The beginning of an instant: states are known, the equations of the system are not evaluated yet.
    pub fn initial(system: &DifferenceSystem, known: BTreeSet<Shifted<Unknown>>) -> Self {
        let equations = system.bodies.iter_enumerated().filter(|(_, it)| it.clause.is_none());
        Status {
            known,
            guards: vec![Value::Undefined; system.guards.len()],
            equations: equations.map(|(body, _)| (Shifted::new(body, 0), Value::Undefined)).collect(),
            modes: Modes::of(system.modes.len(), |_| true),
            valuations: Modes::of(system.valuations.len(), |_| true),
            fires: if system.clauses.is_empty() { Some(Vec::new()) } else { None },
        }
    }

    /// The value of an S-variable.
    pub fn value(&self, system: &DifferenceSystem, variable: StatusVariable) -> Value {
        match variable {
            StatusVariable::Variable(it) if self.known.contains(&it) => Value::True,
            StatusVariable::Variable(it) => {
                let contains = |equation: &Shifted<Body>| system.variables_of(*equation).any(|other| other == it);
                if self.equations.keys().any(contains) { Value::Undefined } else { Value::Irrelevant }
            }
            StatusVariable::Guard(guard) => self.guards[guard.index()],
            StatusVariable::Equation(it) => self.equations.get(&it).copied().unwrap_or(Value::Irrelevant),
        }
    }

    /// All S-variables that are not irrelevant, and those of another status beside.
    fn support(&self, system: &DifferenceSystem) -> BTreeSet<StatusVariable> {
        let incident = self.equations.keys().flat_map(|&equation| system.variables_of(equation));
        let variables = self.known.iter().copied().chain(incident).map(StatusVariable::Variable);
        let guards = system.guards.ids().map(StatusVariable::Guard);
        let equations = self.equations.keys().copied().map(StatusVariable::Equation);
        variables.chain(guards).chain(equations).collect()
    }

    /// The product order: whether this status knows less than another one, the same or more.
    pub fn compare(&self, other: &Status, system: &DifferenceSystem) -> Option<Ordering> {
        let mut order = Ordering::Equal;
        for variable in self.support(system).union(&other.support(system)) {
            let (one, another) = (self.value(system, *variable), other.value(system, *variable));
            match (order, one.partial_cmp(&another)?) {
                (_, Ordering::Equal) => {}
                (Ordering::Equal, different) => order = different,
                (known, same) if known == same => {}
                _ => return None,
            }
        }
        Some(order)
    }

    /// The three implications after Definition 3: a guard has a value only if its variables have, an equation is solved
    /// only if its variables have values, and is disabled or solved only if its guard is known.
    pub fn is_coherent(&self, system: &DifferenceSystem, delayed: &BTreeSet<Guard>) -> bool {
        let has_value = |variable: Shifted<Unknown>| self.known.contains(&variable);
        let guards = system.guards.iter_enumerated().all(|(guard, predicate)| {
            let reads_known = predicate.reads.iter().all(|&unknown| has_value(Shifted::new(unknown, 0)));
            reads_known || delayed.contains(&guard) || !self.guards[guard.index()].is_final()
        });
        let equations = self.equations.iter().all(|(&equation, &value)| match value {
            Value::True => self.is_enabled(system, equation.of) && system.variables_of(equation).all(has_value),
            Value::False => self.is_decided(system, equation.of),
            Value::Undefined | Value::Irrelevant => true,
        });
        guards && equations
    }

    /// Whether the guard of an equation is true, as far as guards are known.
    pub fn is_enabled(&self, system: &DifferenceSystem, body: Body) -> bool {
        let body = &system.bodies[body];
        let fires = |clause: usize| self.fires.as_ref().is_some_and(|fires| fires.contains(&clause));
        self.has_guards_of(body) && self.valuations.are_among(&body.valuations) && body.clause.is_none_or(fires)
    }

    fn has_guards_of(&self, body: &GuardedEquation) -> bool {
        body.waits_for.iter().all(|guard| self.guards[guard.index()].is_final())
    }

    fn is_decided(&self, system: &DifferenceSystem, body: Body) -> bool {
        let valuations = &system.bodies[body].valuations;
        self.valuations.are_among(valuations) || self.valuations.avoid(valuations)
    }

    /// `F`: the enabled equations that are not evaluated yet (line 4).
    pub fn enabled_undefined<'a>(&'a self, system: &'a DifferenceSystem) -> impl Iterator<Item = Shifted<Body>> + 'a {
        let undefined = self.equations.iter().filter(|(_, value)| **value == Value::Undefined);
        undefined.map(|(&equation, _)| equation).filter(|equation| self.is_enabled(system, equation.of))
    }

    /// The variables of an equation that have no value.
    pub fn undefined_in<'a>(
        &'a self,
        system: &'a DifferenceSystem,
        equation: Shifted<Body>,
    ) -> impl Iterator<Item = Shifted<Unknown>> + 'a {
        system.variables_of(equation).filter(|variable| !self.known.contains(variable))
    }

    /// The leading variables: of each variable in an enabled equation the highest shift, and what no equation contains at all.
    pub fn leading_variables(&self, system: &DifferenceSystem) -> Vec<Shifted<Unknown>> {
        let mut degrees: BTreeMap<Unknown, u32> = system.unmentioned.iter().map(|&unknown| (unknown, 0)).collect();
        let enabled = self.equations.keys().filter(|equation| self.is_enabled(system, equation.of));
        for variable in enabled.flat_map(|&equation| system.variables_of(equation)) {
            let degree = degrees.entry(variable.of).or_insert(variable.shift);
            *degree = variable.shift.max(*degree);
        }
        degrees.into_iter().map(|(of, shift)| Shifted { of, shift }).collect()
    }

    /// The mode, where all guards are evaluated.
    pub fn mode(&self) -> Option<usize> {
        if self.guards.iter().all(|value| value.is_final()) { self.modes.first() } else { None }
    }
}

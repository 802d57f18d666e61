//! Runs and contexts in the notation of RR8933, Fig. 3: `;` in sequence, `+` one block, FS, LE and PR for lines 13, 15
//! and 10, and `{e3}` for a context.

use std::collections::BTreeMap;

use crate::domain::{Body, Shifted, Value};
use crate::graph::{Graph, Run};
use crate::micro_step::{Failure, MicroStep};
use crate::status::{Context, Status};
use crate::system::{DifferenceSystem, GuardedEquation, literal_text};
use crate::values::{Trouble, Unclear};

impl DifferenceSystem {
    /// `FS(e3)`; nothing for what is not shown.
    pub fn step_text(&self, step: &MicroStep) -> Option<String> {
        let list = |equations: &[Shifted<Body>], separator| {
            equations.iter().map(|&it| self.equation_name(it)).collect::<Vec<_>>().join(separator)
        };
        match step {
            MicroStep::Block(block) => Some(list(&block.equations, "+")),
            MicroStep::Guard(step) => {
                let name = &self.guards[step.guard].name;
                let name = if step.is_delayed { format!("pre({name})").into() } else { name.clone() };
                let literal = literal_text(&name, step.value);
                match step.redundant.is_empty() {
                    true => Some(literal),
                    false => Some(format!("{literal}; PR({})", list(&step.redundant, ", "))),
                }
            }
            MicroStep::Redundant(step) => Some(format!("PR({})", list(&step.redundant, ", "))),
            MicroStep::Shift(step) => Some(format!("FS({})", self.equation_name(step.equation))),
            MicroStep::Latent(step) => Some(format!("LE({})", list(&step.equations, ", "))),
            MicroStep::Fire(step) if step.clauses.is_empty() => None,
            MicroStep::Fire(step) => {
                Some(step.clauses.iter().map(|&it| self.clauses[it].name.clone()).collect::<Vec<_>>().join(", "))
            }
            MicroStep::Erase(step) => Some(format!("ER({})", self.equation_name(step.equation))),
        }
    }

    /// `{e3}`, `∅`
    pub fn context_text(&self, context: &Context) -> String {
        if context.is_empty() {
            return "∅".to_string();
        }
        let names: Vec<String> = context.iter().map(|&equation| self.equation_name(equation)).collect();
        format!("{{{}}}", names.join(", "))
    }

    /// A status as in Fig. 3: `v` for T, `v̅` for F, nothing for U, and `♯e` for an equation of the context.
    pub fn status_text(&self, status: &Status, context: &Context) -> String {
        let barred = |name: &str| name.chars().flat_map(|letter| [letter, '\u{305}']).collect::<String>();
        let marked = |name: String, value: Value| match value {
            Value::True => Some(name),
            Value::False => Some(barred(&name)),
            Value::Undefined | Value::Irrelevant => None,
        };
        let guards =
            self.guards.iter().zip(&status.guards).filter_map(|(it, &value)| marked(it.name.to_string(), value));
        let variables = status.known.iter().map(|&variable| self.variable_name(variable));
        // Of the bodies of an equation, one that other guards would have enabled says nothing.
        let is_other_body = |equation: &Shifted<Body>| {
            let same = |body: &&GuardedEquation| body.name == self.bodies[equation.of].name;
            let may_hold = |body: &GuardedEquation| !status.modes.avoid(&body.modes);
            !may_hold(&self.bodies[equation.of]) && self.bodies.iter().filter(same).any(may_hold)
        };
        let equations = status.equations.iter().filter(|(equation, _)| !is_other_body(equation));
        let equations = equations.filter_map(|(&equation, &value)| marked(self.equation_name(equation), value));
        let holding = context.iter().map(|&equation| format!("♯{}", self.equation_name(equation)));
        guards.chain(variables).chain(equations).chain(holding).collect::<Vec<_>>().join(" ")
    }

    /// The lines of Algorithm 5 in which a run fails.
    pub fn failure_lines(&self, failure: &Failure) -> &'static str {
        match failure {
            Failure::Underdetermined(_) | Failure::InfiniteIndex(_) => "lines 16–17",
            Failure::Unbounded(_) | Failure::Contradiction(_) => "lines 12–13",
        }
    }

    /// Why the order of a variable is not known, in words.
    pub fn unclear_text(&self, unclear: &Unclear) -> String {
        let equations: Vec<String> = unclear.equations.iter().map(|&it| self.equation_name(it)).collect();
        let (equations, variable) = (equations.join("+"), &self.unknowns[unclear.variable].name);
        match &unclear.trouble {
            Trouble::Inside(function) => format!("in {equations}, {variable} is infinite inside `{function}`"),
            Trouble::NotLinear => {
                format!("{equations} is not linear in what it is solved for, and {variable} is infinite")
            }
            Trouble::Vanishes => format!("in {equations}, {variable} is infinite and a divisor may be zero"),
            Trouble::AtMost(order) => {
                format!(
                    "in {equations}, terms of order {order} may cancel: the sign of {variable}, which is infinite, is open"
                )
            }
            Trouble::Together => format!("{equations} is not linear in {variable}, which is infinite"),
            Trouble::Reads(_) => format!("{equations} reads {variable}, whose order is not known"),
        }
    }

    /// Why a run fails, in words.
    pub fn failure_text(&self, failure: &Failure) -> String {
        let names = |variables: &[_]| {
            variables.iter().map(|&variable| self.variable_name(variable)).collect::<Vec<_>>().join(", ")
        };
        match failure {
            Failure::Underdetermined(variables) => {
                format!("underdetermined: nothing gives a value to {}, and no equation is latent", names(variables))
            }
            Failure::InfiniteIndex(variables) => {
                format!("infinite structural index: no shifting of equations gives a value to {}", names(variables))
            }
            Failure::Unbounded(equation) => format!(
                "shifts without bound: {} would be shifted again, further than anything that is known can ask for",
                self.equation_name(*equation)
            ),
            Failure::Contradiction(law) => {
                format!("too much is said about this instant: {} contradicts the rest", self.equation_name(*law))
            }
        }
    }
}

impl Graph {
    /// Contexts as they tell beginnings apart: with a number where several have the same text, because they know
    /// something else, or because bodies of other modes have the same name.
    pub fn beginning_names(&self) -> Vec<String> {
        let texts: Vec<String> = self.beginnings.iter().map(|it| self.system.context_text(&it.context)).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        texts.iter().for_each(|text| *counts.entry(text).or_default() += 1);
        let mut met: BTreeMap<&str, usize> = BTreeMap::new();
        let name = |text| {
            let place = met.entry(text).or_default();
            *place += 1;
            if counts[text] > 1 { format!("{text}_{place}") } else { text.to_string() }
        };
        texts.iter().map(String::as_str).map(name).collect()
    }

    /// The conditions of `when` branches that held in the instant before a beginning: they do not fire again.
    pub fn held_conditions(&self, beginning: usize) -> Vec<String> {
        let held = self.system.clauses.iter().zip(&self.beginnings[beginning].held);
        let named = held.flat_map(|(clause, held)| clause.condition_names.iter().zip(held));
        let mut names: Vec<String> = named.filter(|(_, held)| **held).map(|(name, _)| name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Equations of the context of a beginning that have other bodies in other modes, each with the guards of its own:
    /// `e`, `not g`.
    pub fn bodies_told_apart(&self, beginning: usize) -> Vec<(String, String)> {
        let system = &self.system;
        let has_others = |equation: &&Shifted<Body>| {
            let name = &system.bodies[equation.of].name;
            system.bodies.iter().filter(|body| body.name == *name).count() > 1
        };
        let equations = self.beginnings[beginning].context.iter().filter(has_others);
        let named = equations.filter_map(|&equation| {
            let guards = system.common_values(&system.bodies[equation.of].modes)?;
            Some((system.equation_name(equation), guards))
        });
        named.collect()
    }

    /// `∅ -> {e3}: g; FS(e3); e1+e2+e3•+e4; Tick`, with the names of beginnings.
    pub fn run_text(&self, number: usize, names: &[String]) -> String {
        let run = &self.runs[number];
        let to = run.to.as_ref().map_or("fails", |&to| &names[to]);
        format!("{} -> {to}: {}", names[run.from], self.steps_text(run))
    }

    /// `g; FS(e3); e1+e2+e3•+e4; Tick`
    pub fn steps_text(&self, run: &Run) -> String {
        let mut steps: Vec<String> = run.steps.iter().filter_map(|step| self.system.step_text(step)).collect();
        steps.push(if run.to.is_ok() { "Tick" } else { "fail" }.to_string());
        steps.join("; ")
    }
}

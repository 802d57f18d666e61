//! Runs and contexts in the notation of RR8933, Fig. 3: `;` in sequence, `+` one block, FS, LE and PR for lines 13, 15
//! and 10, and `{e3}` for a context.

use crate::domain::{Body, Shifted, Value};
use crate::graph::Graph;
use crate::micro_step::{Failure, MicroStep};
use crate::status::{Context, Status};
use crate::system::{DifferenceSystem, GuardedEquation, literal_text};

impl DifferenceSystem {
    /// `FS(e3)`; nothing for what is not shown.
    pub fn step_text(&self, step: &MicroStep) -> Option<String> {
        let list = |equations: &[Shifted<Body>], separator| {
            equations.iter().map(|&it| self.equation_name(it)).collect::<Vec<_>>().join(separator)
        };
        match step {
            MicroStep::Block(block) => Some(list(&block.equations, "+")),
            MicroStep::Guard(step) => {
                let literal = literal_text(&self.guards[step.guard].name, step.value);
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
    /// A context as it tells beginnings apart: with what is known where others have the same context, and with the modes
    /// of bodies where others have the same name.
    pub fn beginning_text(&self, number: usize) -> String {
        let beginning = &self.beginnings[number];
        let mut text = self.system.context_text(&beginning.context);
        let same = |it: &&crate::Beginning| self.system.context_text(&it.context) == text;
        if self.beginnings.iter().filter(same).count() > 1 {
            let others: Vec<usize> = (0..self.beginnings.len())
                .filter(|&other| self.system.context_text(&self.beginnings[other].context) == text)
                .collect();
            let place = others.iter().position(|&other| other == number).unwrap_or(0);
            text = format!("{text}_{}", place + 1);
        }
        text
    }

    /// `∅ -> {e3}: g; FS(e3); e1+e2+e3•+e4; Tick`
    pub fn run_text(&self, number: usize) -> String {
        let run = &self.runs[number];
        let mut steps: Vec<String> = run.steps.iter().filter_map(|step| self.system.step_text(step)).collect();
        let to = match &run.to {
            Ok(to) => {
                steps.push("Tick".to_string());
                self.beginning_text(*to)
            }
            Err(_) => {
                steps.push("fail".to_string());
                "fails".to_string()
            }
        };
        format!("{} -> {to}: {}", self.beginning_text(run.from), steps.join("; "))
    }
}

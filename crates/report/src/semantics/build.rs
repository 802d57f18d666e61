//! From the graph of the constructive semantics to its words.

use std::collections::BTreeSet;

use modeshift_dae::ModeVariableId;
use modeshift_mode_changes::AllChanges;
use modeshift_semantics::{Class, Failure, Graph, Guard, MicroStep, Outcome, Run, RunEffects, Unknown};

use super::report::{ChoiceReport, ContextReport, LeftOut, OutcomeReport, RunReport, SemanticsReport, StepReport};
use crate::Analyzed;
use crate::analyze::valuation_text;
use crate::changes::ImpulseOrder;
use crate::json::{ByName, Version};

/// All that is needed to put the semantics of a model into words.
pub struct Wording<'a> {
    /// The model with its structure.
    pub analyzed: &'a Analyzed,
    /// Its runs.
    pub graph: &'a Graph,
    /// Its mode changes, where there are regular modes: closed forms are theirs.
    pub changes: Option<&'a AllChanges<'a>>,
    /// The only run to tell of, from 1, step by step.
    pub run: Option<usize>,
    /// Whether every choice is to be explored.
    pub all_choices: bool,
    /// Whether modes whose changes loop for ever are refused.
    pub refuses_endless: bool,
    /// Values of guards before the changes to tell of.
    pub from: &'a [(ModeVariableId, bool)],
    /// Values of guards after them.
    pub to: &'a [(ModeVariableId, bool)],
}

impl Wording<'_> {
    /// The report.
    pub fn report(&self) -> SemanticsReport {
        let graph = self.graph;
        let names = graph.beginning_names();
        let effects = graph.run_effects();
        let classes = graph.classes_by(&effects.of_runs);
        let wanted = |&number: &usize| self.run.is_none_or(|run| run == number + 1);
        let numbers = (0..graph.runs.len()).filter(wanted);
        let runs = numbers.map(|number| {
            let effects = effects.of_runs[number].clone().unwrap_or_default();
            self.run_report(number, classes[number], &effects, &names)
        });
        let (choices, unexplored) = if self.all_choices { self.choices(&names) } else { (None, None) };
        let within = &self.analyzed.within;
        let is_one_run = self.run.is_some();
        let modes = if is_one_run { Vec::new() } else { self.dynamics() };
        let (changes, more_changes) = if is_one_run { (Vec::new(), None) } else { self.resets() };
        SemanticsReport {
            version: Version,
            model: graph.system.name.to_string(),
            at: (!within.is_empty()).then(|| valuation_text(&self.analyzed.dae, within)),
            contexts: (0..graph.beginnings.len()).map(|number| self.context(number, &names)).collect(),
            runs: runs.collect(),
            truncated: !graph.unexplored.is_empty(),
            left_out: self.left_out(),
            pasts_left_out: Some(effects.pasts_left_out).filter(|&count| count > 0),
            delayed: self.delayed(),
            unseen: graph.system.unseen.clone(),
            sets: graph.system.sets.clone(),
            reads_open: graph.system.reads_open.clone(),
            over_at_once: if is_one_run { Vec::new() } else { self.over_at_once() },
            modes,
            changes,
            more_changes,
            endless: self.endless(&names),
            choices,
            unexplored,
            refuses_endless: self.refuses_endless,
            is_one_run,
        }
    }

    /// The modes that laws declare to be over at once, and that have dynamics of their own.
    fn over_at_once(&self) -> Vec<String> {
        let system = &self.graph.system;
        let is_declared = |mode: usize, is_bare: bool| {
            system.clauses.iter().any(|clause| clause.is_bare == is_bare && clause.transient.has(mode))
        };
        let modes = (0..system.modes.len()).filter(|&mode| is_declared(mode, false) && !is_declared(mode, true));
        let regular = modes.filter(|&mode| self.graph.offsets[mode].is_some());
        regular.map(|mode| system.mode_name(mode)).collect()
    }

    /// What the bound on runs leaves out.
    fn left_out(&self) -> Option<LeftOut> {
        let unexplored = &self.graph.unexplored;
        let runs = unexplored.iter().map(|&beginning| self.graph.count_runs_from(beginning)).sum();
        let is_start = |beginning: &&usize| self.graph.starts.values().any(|start| start == *beginning);
        let starts = unexplored.iter().filter(is_start).count();
        (!unexplored.is_empty()).then_some(LeftOut { contexts: unexplored.len(), starts, runs })
    }

    fn endless(&self, names: &[String]) -> Vec<Vec<String>> {
        let cycle = |cycle: &Vec<usize>| cycle.iter().map(|&run| self.graph.run_text(run, names)).collect();
        self.graph.endless.iter().map(cycle).collect()
    }

    fn context(&self, number: usize, names: &[String]) -> ContextReport {
        let (graph, beginning) = (self.graph, &self.graph.beginnings[number]);
        let context: Vec<String> = beginning.context.iter().map(|&it| graph.system.equation_name(it)).collect();
        let knows: Vec<String> = beginning.known.iter().map(|&it| graph.system.variable_name(it)).collect();
        let status = knows.iter().cloned().chain(context.iter().map(|it| format!("♯{it}")));
        let status = status.collect::<Vec<_>>().join(" ");
        ContextReport {
            name: names[number].clone(),
            context,
            knows,
            held: graph.held_conditions(number),
            bodies: ByName(graph.bodies_told_apart(number)),
            status,
        }
    }

    fn run_report(&self, number: usize, class: Class, effects: &RunEffects, names: &[String]) -> RunReport {
        let (graph, run) = (self.graph, &self.graph.runs[number]);
        let system = &graph.system;
        let name = |unknown| system.unknowns[unknown].name.to_string();
        let order =
            |(&unknown, order): (&Unknown, &i32)| ImpulseOrder { variable: name(unknown), order: order.to_string() };
        RunReport {
            number: number + 1,
            from: names[run.from].clone(),
            to: run.to.as_ref().ok().map(|&to| names[to].clone()),
            when: system.mode_name(run.mode),
            class: class_word(class),
            steps: self.steps(number, run),
            erased: run.erased().into_iter().map(|it| system.equation_name(it)).collect(),
            impulse_orders: effects.impulsive.iter().map(order).collect(),
            unclear: ByName(effects.unclear.iter().map(|(&it, why)| (name(it), system.unclear_text(why))).collect()),
            is_singular: graph.offsets[run.mode].is_none(),
            fires: run.fires().iter().map(|&clause| system.clauses[clause].name.clone()).collect(),
            failure: run.to.as_ref().err().map(|failure| self.failure(failure)),
            text: graph.run_text(number, names),
            sequence: graph.steps_text(run),
            ends: (run.from, run.to.as_ref().ok().copied()),
        }
    }

    /// Why something fails, and where in the algorithm.
    pub(super) fn failure(&self, failure: &Failure) -> String {
        let system = &self.graph.system;
        format!("{} ({} of Algorithm 5)", system.failure_text(failure), system.failure_lines(failure))
    }

    /// The guards that are given their left limits in some run, with what they read.
    fn delayed(&self) -> Vec<String> {
        let system = &self.graph.system;
        let steps = self.graph.runs.iter().flat_map(|run| &run.steps);
        let delayed: BTreeSet<Guard> = steps
            .filter_map(|step| match step {
                MicroStep::Guard(step) if step.is_delayed => Some(step.guard),
                _ => None,
            })
            .collect();
        let line = |guard: Guard| {
            let it = &system.guards[guard];
            let reads: Vec<&str> = it.reads.iter().map(|&unknown| &*system.unknowns[unknown].name).collect();
            format!("{} reads {}, which waits for it: its left limit is taken", it.name, reads.join(", "))
        };
        delayed.into_iter().map(line).collect()
    }

    fn steps(&self, number: usize, run: &Run) -> Vec<StepReport> {
        let mut statuses = if self.run.is_some() { self.graph.statuses(number) } else { Vec::new() }.into_iter();
        let mut steps = Vec::new();
        for step in &run.steps {
            let context = &self.graph.beginnings[run.from].context;
            let status = statuses.next().map(|status| self.graph.system.status_text(&status, context));
            if let Some(text) = self.graph.system.step_text(step) {
                steps.push(StepReport { kind: step_word(step), text, status });
            }
        }
        steps
    }

    /// The instants whose end depends on choices, and how many contexts have too many to be explored.
    fn choices(&self, names: &[String]) -> (Option<Vec<ChoiceReport>>, Option<usize>) {
        let (mut found, mut unexplored) = (Vec::new(), 0);
        let asked = self.run.map(|run| &self.graph.runs[run - 1]);
        let numbers = (0..names.len()).filter(|&number| asked.is_none_or(|run| run.from == number));
        for (number, name) in numbers.map(|number| (number, &names[number])) {
            let Some(modes) = self.graph.all_choices_from(number) else {
                unexplored += 1;
                continue;
            };
            let is_asked = |mode: usize| asked.is_none_or(|run| run.mode == mode);
            for (mode, outcomes) in modes.into_iter().filter(|(mode, it)| it.len() > 1 && is_asked(*mode)) {
                found.push(ChoiceReport {
                    from: name.clone(),
                    when: self.graph.system.mode_name(mode),
                    outcomes: outcomes.iter().map(|outcome| self.outcome(outcome)).collect(),
                });
            }
        }
        (Some(found), Some(unexplored))
    }

    fn outcome(&self, outcome: &Outcome) -> OutcomeReport {
        let system = &self.graph.system;
        OutcomeReport {
            end: match &outcome.end {
                Ok(beginning) => system.context_text(&beginning.context),
                Err(failure) => system.failure_text(failure),
            },
            erased: outcome.erased.iter().map(|&it| system.equation_name(it)).collect(),
        }
    }
}

fn class_word(class: Class) -> &'static str {
    match class {
        Class::Continuous => "continuous",
        Class::Discrete => "discrete",
        Class::Impulsive => "impulsive",
        Class::Failed => "failed",
    }
}

fn step_word(step: &MicroStep) -> &'static str {
    match step {
        MicroStep::Block(_) => "block",
        MicroStep::Guard(_) => "guard",
        MicroStep::Redundant(_) => "redundant",
        MicroStep::Shift(_) => "shift",
        MicroStep::Latent(_) => "latent",
        MicroStep::Fire(_) => "fire",
        MicroStep::Erase(_) => "erase",
    }
}

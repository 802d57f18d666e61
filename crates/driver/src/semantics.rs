//! `semantics`: the constructive semantics of a model (RR8933): contexts, runs, what they mean in real numbers.
//!
//! Structurally singular modes are told of first, in the words of `analyze`. Closed forms beside the resets are those of
//! `changes`.

use modeshift_dae::{Builtin, ExpressionId, MultimodeDae, Node, WhenBranch, WhenClause};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Stop};
use modeshift_elaborate::elaborate_with_instants;
use modeshift_modes::{Limit, LimitKind};
use modeshift_report::check::{limit_diagnostic, note_combinations};
use modeshift_report::semantics::{SemanticsReport, Wording, combined_equations, refuse_unfounded, say_verdicts};
use modeshift_semantics::{DifferenceSystem, Graph, MOST_GUARDS, TooManyGuards, makes_an_instant, open_guards};

use crate::pipeline::Run;
use crate::question::{Answer, Question};

/// What to tell of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selection<'a> {
    /// Only modes in which guards have these values.
    pub at: Option<&'a str>,
    /// Only changes from modes in which guards have these values.
    pub from: Option<&'a str>,
    /// Only changes to modes in which guards have these values.
    pub to: Option<&'a str>,
    /// Only this run, from 1, step by step.
    pub run: Option<usize>,
    /// Every choice of the algorithm.
    pub all_choices: bool,
}

/// `semantics`: the micro-steps of every instant.
pub fn semantics(question: &Question, selection: &Selection<'_>) -> Answer<SemanticsReport> {
    let mut run = Run::new(question);
    let result = run.constructive(selection);
    run.answer(result)
}

impl Run<'_> {
    fn constructive(&mut self, selection: &Selection<'_>) -> Result<SemanticsReport, Stop> {
        let dae = self.dae_with_instants()?;
        let within = self.within(&dae, "--at", selection.at)?;
        // Before the structure of very many modes is looked for.
        open_guards(&dae, &within).map_err(|count| self.too_many(count))?;
        let analyzed = self.analyzed_with_instants(dae, selection.at)?;
        note_combinations(&analyzed, &mut self.diagnostics);
        let from = self.within(&analyzed.dae, "--from", selection.from)?;
        let to = self.within(&analyzed.dae, "--to", selection.to)?;
        let system = DifferenceSystem::of(&analyzed.dae, &analyzed.within).map_err(|count| self.too_many(count))?;
        let graph = self.explored(system.with_combinations(combined_equations(&analyzed)))?;
        if let Some(refused) = refuse_unfounded(&analyzed, &graph) {
            self.diagnostics.push(refused);
            return Err(Stop);
        }
        if let Some(number) = selection.run.filter(|&number| number == 0 || number > graph.runs.len()) {
            let message = format!("--run {number}: the runs of this model are numbered from 1 to {}", graph.runs.len());
            self.diagnostics.push(Diagnostic::error(Code::E0008, message));
            return Err(Stop);
        }
        let refuses_endless = say_verdicts(&graph, &mut self.diagnostics);
        let changes = self.all_changes(&analyzed)?;
        let changes = (!changes.pairs.regular.is_empty()).then_some(&changes);
        let (run, all_choices) = (selection.run, selection.all_choices);
        let (analyzed, graph, from, to) = (&analyzed, &graph, &from, &to);
        let words = Wording { analyzed, graph, changes, run, all_choices, refuses_endless, from, to };
        let report = self.timings.measure("wording", || words.report(), |_| String::new());
        if report.changes.is_empty() && (selection.from.is_some() || selection.to.is_some()) {
            let given = [("--from", selection.from), ("--to", selection.to)];
            let given = given.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", value?)));
            let message = format!("{}: there is no such change", given.collect::<Vec<_>>().join(" "));
            let help = "a change begins in a mode that lasts and is regular; what follows an instant that is over at once is \
                        told where that begins";
            self.diagnostics.push(Diagnostic::error(Code::E0003, message).help(help));
            return Err(Stop);
        }
        Ok(report)
    }

    /// The model with the conditions of those `when` clauses as mode variables that make instants of their own: of as many as
    /// leave few guards, and can be guards.
    pub(crate) fn dae_with_instants(&mut self) -> Result<MultimodeDae, Stop> {
        let flat = self.flat()?;
        let mut dae = self.elaborated(flat.clone())?;
        let clauses = dae.model.when_clauses.iter().enumerate();
        let is_one = |clause: &WhenClause| {
            let can_be_guards = |branch: &WhenBranch| branch.conditions.iter().all(|&it| lasts(&dae, it));
            clause.branches.iter().any(makes_an_instant) && clause.branches.iter().all(can_be_guards)
        };
        let candidates: Vec<usize> = clauses.filter(|(_, it)| is_one(it)).map(|(number, _)| number).collect();
        let mut taken = Vec::new();
        for clause in candidates {
            taken.push(clause);
            let mut diagnostics = Diagnostics::default();
            match elaborate_with_instants(flat.clone(), &taken, &mut diagnostics) {
                Ok(with) if !diagnostics.has_errors() && with.mode_variables.len() <= MOST_GUARDS => dae = with,
                _ => drop(taken.pop()),
            }
        }
        Ok(dae)
    }

    /// The graph of all runs, as far as the time limit allows.
    fn explored(&mut self, system: DifferenceSystem) -> Result<Graph, Stop> {
        const TASK: &str = "running instants";
        let (start, limit) = (self.start, self.question.limits.time);
        let is_wanted = || limit.is_none_or(|limit| start.elapsed() < limit);
        let size = |graph: &Option<Graph>| match graph {
            Some(graph) => format!("{} contexts, {} runs", graph.beginnings.len(), graph.runs.len()),
            None => String::new(),
        };
        let graph = self.timings.measure(TASK, || Graph::explored_while(system, &is_wanted), size);
        graph.ok_or_else(|| {
            let time = limit.unwrap_or_default();
            self.diagnostics.push(limit_diagnostic(&Limit { kind: LimitKind::Time(time), task: TASK.to_string() }));
            Stop
        })
    }

    fn too_many(&mut self, TooManyGuards { count }: TooManyGuards) -> Stop {
        let message = format!(
            "the model has {count} guards; the constructive semantics visits all their values, of at most {MOST_GUARDS}"
        );
        let help = "give values to some of them: `--at g=true,h=false`; `changes` takes any number of modes";
        self.diagnostics.push(Diagnostic::error(Code::E0840, message).help(help));
        Stop
    }
}

/// Whether a condition is one that may last, or the edge of such a one: clocks and the start are single instants, and no values
/// of guards. The start alone, one of several conditions, is never met again.
fn lasts(dae: &MultimodeDae, condition: ExpressionId) -> bool {
    use Builtin::{Change, Edge, Initial, Sample, Terminal};
    let expressions = &dae.model.expressions;
    let is_instant = |node: Node| matches!(node, Node::Call(Sample | Edge | Change | Initial | Terminal, _));
    match expressions.node(condition) {
        Node::Call(Initial, _) => true,
        Node::Call(Edge | Change, of) => {
            expressions.argument_list(of).iter().all(|&it| !expressions.contains(it, is_instant))
        }
        _ => !expressions.contains(condition, is_instant),
    }
}

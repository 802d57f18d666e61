//! `check`: every verdict at once, and edits for what is wrong.
//!
//! | module | purpose |
//! |---|---|
//! | `component` | `check` of a component, which is meant to be connected |
//! | `mentions` | whether a class names something anywhere in its text |
//! | `unset` | parameters without a value, as the cause of what is wrong |

mod component;
mod mentions;
mod unset;

use modeshift_dae::{FlatModel, MultimodeDae};
use modeshift_diagnostics::{Code, Diagnostics, Span, Stop};
use modeshift_report::check::{
    CheckReport, Verdict, check_clauses, check_equalities, check_every_place, check_long_range, check_units,
    check_unused, note_combinations, note_implicit_guards, note_swept, verdict_of, verdict_of_swept,
};
use modeshift_structure::long_range::LongRange;

use crate::pipeline::{Found, Run};
use crate::question::{Answer, Dialect, Question};
use crate::repairs::{
    Examined, check_flows, offer, point_at_own_file, propose_for_floating, propose_for_source, propose_for_structure,
};
use crate::timings::Timings;
use mentions::is_named_elsewhere;
use unset::blame_unset;

/// What `check` says beside what is wrong.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckOptions {
    /// What a tool that does not look at modes would do.
    pub as_other_tools: bool,
    /// Whether edits are looked for that make the model right.
    pub with_repairs: bool,
    /// Whether everything is said, however much of one kind.
    pub every_finding: bool,
}

/// `check`: everything that is wrong with a model.
pub fn check(question: &Question, options: CheckOptions) -> Answer<CheckReport> {
    let (verdict, mut examined, timings) = Run::new(question).examined(options);
    if options.with_repairs {
        offer(question, &mut examined);
    }
    let Examined { diagnostics, sources, .. } = examined;
    let asked_for = (question.model.as_deref(), question.source.name.as_str());
    let report = CheckReport::new(verdict, asked_for, &diagnostics, &sources);
    Answer { result: Some(report), sources, diagnostics, timings }
}

impl Run<'_> {
    /// Checks, and proposes edits for what is wrong; what a missing value alone makes wrong is told as that.
    pub(crate) fn examined(self, options: CheckOptions) -> (Option<Verdict>, Examined, Timings) {
        let question = self.question;
        blame_unset(question, options, self.examined_as_it_is(options))
    }

    /// The same, where what has no value counts as its default.
    pub(crate) fn examined_as_it_is(mut self, options: CheckOptions) -> (Option<Verdict>, Examined, Timings) {
        if options.every_finding {
            self.diagnostics = Diagnostics::keeping_all();
        }
        let mut verdict = self.checked(options).ok();
        verdict = self.unmixed().ok().and(verdict);
        verdict = self.checked_as_component(options).or(verdict);
        propose_for_source(&mut self);
        point_at_own_file(&mut self);
        let equations = verdict.as_ref().map_or(0, |verdict| verdict.equations);
        let answer = self.answer(Ok(()));
        let examined = Examined { diagnostics: answer.diagnostics, sources: answer.sources, equations };
        (verdict, examined, answer.timings)
    }

    fn checked(&mut self, options: CheckOptions) -> Result<Verdict, Stop> {
        let flat = self.flat()?;
        self.check_flat(&flat);
        check_flows(self, &flat);
        let dae = self.elaborated(flat)?;
        let analyzed = match self.analyzed_or_swept(dae, Vec::new())? {
            Found::Sets(analyzed) => *analyzed,
            Found::Swept(dae, found) => return Ok(self.checked_by_sweep(*dae, *found)),
        };
        match options.every_finding {
            true => check_every_place(&analyzed, &mut self.diagnostics),
            false => self.check_structure(&analyzed),
        }
        match self.diagnostics.has_errors() {
            true => propose_for_structure(self, &analyzed),
            false => propose_for_floating(self, &analyzed),
        }
        check_clauses(&analyzed, &mut self.diagnostics);
        note_implicit_guards(&analyzed.dae, &mut self.diagnostics);
        if analyzed.analysis.is_regular() {
            note_combinations(&analyzed, &mut self.diagnostics);
        }
        if !self.diagnostics.has_errors() {
            self.check_start(&analyzed);
            // Where sets of modes of the start are too large, those of pairs of modes are.
            if !self.diagnostics.iter().any(|it| it.code == Code::E0603) {
                self.check_changes(&analyzed);
            }
        }
        if options.as_other_tools {
            self.check_as_other_tools(&analyzed);
        }
        Ok(verdict_of(&analyzed))
    }

    /// What a sweep says of all modes, and what the modes of the start say; what neither looks at is said.
    fn checked_by_sweep(&mut self, dae: MultimodeDae, found: LongRange) -> Verdict {
        let diagnostics = &mut self.diagnostics;
        let check = || {
            check_long_range(&dae, &found, diagnostics);
            note_implicit_guards(&dae, diagnostics);
            diagnostics.push(note_swept(&found));
        };
        self.timings.measure("checking", check, |()| String::new());
        let verdict = verdict_of_swept(&dae, &found);
        self.check_start_of_swept(dae, found);
        verdict
    }

    /// What is doubtful in the equations of the user's own file, whatever the modes.
    pub(crate) fn check_flat(&mut self, flat: &FlatModel) {
        let Some(file) = self.library.sources().find(&self.question.source.name) else { return };
        check_units(flat, file, &mut self.diagnostics);
        check_equalities(flat, file, &mut self.diagnostics);
        let text = &self.question.source.text;
        let is_modelica = self.question.source.dialect == Dialect::Modelica;
        let is_named = |declaration: Span, name: &str| is_modelica && is_named_elsewhere(file, text, declaration, name);
        check_unused(flat, file, is_named, &mut self.diagnostics);
    }
}

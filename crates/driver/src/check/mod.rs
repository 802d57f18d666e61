//! The structural verdicts of `check`, as diagnostics that speak of the user's model: in which modes, which equations
//! and variables, the smallest subset that shows it, and what to try.

mod patterns;
mod words;

use modeshift_dae::MultimodeDae;
use modeshift_diagnostics::{Diagnostic, Diagnostics, Span};
use modeshift_modes::{Invariant, Limit};
use modeshift_structure::Analysis;

use crate::guards::mode_names;
use crate::sets::SetTexts;
use crate::singular::{OneMode, SingularCase, Subset, singular_cases_by_place};
use patterns::{Finding, advice};
use words::{Names, counted, listed};

/// Labels of one diagnostic.
const MOST_LABELS: usize = 6;
/// A formula up to this length stands in the title.
const SHORT_FORMULA: usize = 60;

/// Says that a limit was reached.
pub fn limit_diagnostic(limit: &Limit) -> Diagnostic {
    Diagnostic::error("E0603", limit.to_string())
        .help("raise --node-limit or --time-limit, or restrict the modes with --at")
}

/// Says that no mode is possible, with the conditions that contradict each other.
pub fn check_invariant(dae: &MultimodeDae, invariant: &Invariant, diagnostics: &mut Diagnostics) {
    let Some(conjuncts) = invariant.contradiction() else { return };
    let mut diagnostic =
        Diagnostic::error("E0510", "no mode is possible: the conditions on the modes contradict each other");
    let conditions = conjuncts.iter().filter_map(|&at| dae.model.invariants.get(at));
    for (position, condition) in conditions.take(MOST_LABELS).enumerate() {
        let text = if position == 0 { "this cannot hold" } else { "together with this" };
        diagnostic = diagnostic.label(condition.span, text);
    }
    diagnostics.push(diagnostic);
}

/// Says which guards are decided together with what they guard.
pub fn note_implicit_guards(dae: &MultimodeDae, diagnostics: &mut Diagnostics) {
    let implicit: Vec<_> = dae.mode_variables.iter().filter(|mode| mode.implicit).collect();
    let names = listed(implicit.iter().map(|mode| &*mode.name));
    let mut note = match implicit.len() {
        0 => return,
        1 => Diagnostic::note("N0501", format!("{names} is implicit: it depends on variables that depend on it")),
        _ => Diagnostic::note("N0501", format!("{names} are implicit: they depend on variables that depend on them")),
    };
    let mut spans: Vec<Span> = Vec::new();
    for mode in implicit {
        if spans.len() < MOST_LABELS && !spans.contains(&mode.span) {
            spans.push(mode.span);
            note = note.label(mode.span, "decided by next-mode selection");
        }
    }
    diagnostics.push(note);
}

/// Says everything about the structure that is wrong.
pub fn check_structure(dae: &MultimodeDae, analysis: &Analysis, diagnostics: &mut Diagnostics) {
    let names = mode_names(dae);
    let texts = SetTexts::new(dae, analysis, &names);
    let checker = Checker { dae, analysis, texts, names: Names { dae } };
    checker.missing_variables(diagnostics);
    for case in singular_cases_by_place(analysis) {
        diagnostics.push(checker.singular(&case));
    }
}

struct Checker<'a> {
    dae: &'a MultimodeDae,
    analysis: &'a Analysis,
    texts: SetTexts<'a>,
    names: Names<'a>,
}

impl Checker<'_> {
    /// An equation must not use a variable where it does not exist.
    fn missing_variables(&self, diagnostics: &mut Diagnostics) {
        for missing in self.analysis.incidence.missing_variables() {
            let variable = &self.dae.model.variables[missing.variable];
            let equation = &self.dae.model.equations[missing.equation];
            diagnostics.push(
                Diagnostic::error("E0602", format!("`{}` is used where it does not exist", variable.name))
                    .label(equation.span, format!("`{}` uses it", equation.name))
                    .label(
                        variable.span,
                        format!("declared only when `{}`", self.texts.text(self.guard_of(missing.variable))),
                    )
                    .when(self.texts.text(missing.modes))
                    .example(self.texts.example(missing.modes)),
            );
        }
    }

    fn guard_of(&self, variable: modeshift_dae::VariableId) -> modeshift_modes::ModeSet {
        self.analysis.incidence.variables()[variable].guard
    }

    /// One way in which the model is singular.
    fn singular(&self, case: &SingularCase) -> Diagnostic {
        let values = self.texts.example_values(case.modes);
        let mode = OneMode::new(self.analysis, &values);
        let over = mode.smallest_overdetermined(&case.overdetermined_equations);
        let under = mode.smallest_underdetermined(&case.underdetermined_variables);
        let when = self.texts.text(case.modes);
        let mut diagnostic = Diagnostic::error("E0601", title(&when, over.as_ref(), under.as_ref()));
        if let Some(over) = &over {
            diagnostic = self.with_overdetermined(diagnostic, over);
        }
        if let Some(under) = &under {
            diagnostic = self.with_underdetermined(diagnostic, under);
        }
        if when != "true" {
            diagnostic = diagnostic.when(when).example(self.texts.example(case.modes));
        }
        let finding = Finding { case, over: over.as_ref(), under: under.as_ref(), names: &self.names };
        match advice(&finding, self.analysis, &self.texts) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    fn with_overdetermined(&self, mut diagnostic: Diagnostic, over: &Subset) -> Diagnostic {
        for id in over.equations.iter().take(MOST_LABELS) {
            let equation = &self.dae.model.equations[*id];
            diagnostic = diagnostic.label(equation.span, format!("`{}`", equation.name));
        }
        let equations = counted(over.equations.len(), "equation");
        let names = listed(over.equations.iter().map(|id| self.names.equation(*id)));
        let unknowns = listed(over.variables.iter().map(|id| self.names.variable(*id)));
        diagnostic.with_note(match over.variables.len() {
            0 => format!("{names} involves no unknown: it can only be right by chance"),
            1 => format!("these {equations} only involve one unknown, {unknowns}: {names}"),
            count => format!("these {equations} only involve these {count} unknowns, {unknowns}: {names}"),
        })
    }

    fn with_underdetermined(&self, mut diagnostic: Diagnostic, under: &Subset) -> Diagnostic {
        for id in under.variables.iter().take(MOST_LABELS) {
            let variable = &self.dae.model.variables[*id];
            diagnostic = diagnostic.label(variable.span, format!("`{}` is not determined", variable.name));
        }
        let unknowns = listed(under.variables.iter().map(|id| self.names.variable(*id)));
        let names = listed(under.equations.iter().map(|id| self.names.equation(*id)));
        let is_or_are = if under.variables.len() == 1 { "occurs" } else { "occur" };
        diagnostic.with_note(match under.equations.len() {
            0 => format!("{unknowns} {is_or_are} in no equation of these modes"),
            1 => format!("{unknowns} {is_or_are} in one equation only: {names}"),
            count => format!("{unknowns} {is_or_are} in {count} equations only: {names}"),
        })
    }
}

fn title(when: &str, over: Option<&Subset>, under: Option<&Subset>) -> String {
    let what = match (over, under) {
        (Some(over), None) => {
            let unknowns = counted(over.variables.len(), "unknown");
            format!("{} for {unknowns}", counted(over.equations.len(), "equation"))
        }
        (None, Some(under)) => {
            let equations = counted(under.equations.len(), "equation");
            format!("{equations} for {}", counted(under.variables.len(), "unknown"))
        }
        _ => "too many equations in one place, too few in another".to_string(),
    };
    match when {
        "true" => format!("the model is singular: {what}"),
        formula if formula.chars().count() <= SHORT_FORMULA => format!("singular when `{formula}`: {what}"),
        _ => format!("singular in some modes: {what}"),
    }
}

//! The structural verdicts of `check`, as diagnostics that speak of the user's model: in which modes, which equations
//! and variables, the smallest subset that shows it, and what to try.

use modeshift_dae::{EquationId, MultimodeDae, Variable, VariableId, short_text};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Severity, Span};
use modeshift_drawing::shortened;
use modeshift_modes::{Invariant, Limit};
use modeshift_structure::{Analysis, Combination, Dependence, NotChecked, Reason, SingularKind, Singularity};

use rustc_hash::{FxHashMap, FxHashSet};

use super::causes::{Found, with_cause};
use super::implicit::Dependences;
use super::kinds::KindWords;
use super::long_range::check_long_range;
use super::patterns::{Finding, advice};
use crate::Analyzed;
use crate::singular::{OneMode, SingularCase, Subset};
use crate::wording::SetTexts;
use crate::wording::mode_names;
use crate::wording::{Names, counted, listed};

/// Labels of one diagnostic.
const MOST_LABELS: usize = 6;
/// Labels of a warning.
const LABELS_OF_A_WARNING: usize = 2;
/// Names of one label.
const MOST_NAMES_OF_A_PLACE: usize = 3;
/// Sets of modes with more nodes than this are told by examples: of two closed valves of thirty the formula fills a screen.
const LARGEST_WRITTEN: usize = 90;
/// Other modes in which the same parts are singular.
const MOST_MORE: usize = 3;
/// Their formulas are cut at this length.
const LONGEST_MORE: usize = 100;
/// A formula up to this length stands in the title.
const SHORT_FORMULA: usize = 60;

/// Says that a limit was reached.
pub fn limit_diagnostic(limit: &Limit) -> Diagnostic {
    Diagnostic::error(Code::E0603, limit.to_string())
        .help("raise --node-limit or --time-limit, or restrict the modes with --at")
}

/// Says that no mode is possible, with the conditions that contradict each other.
pub fn check_invariant(dae: &MultimodeDae, invariant: &Invariant, diagnostics: &mut Diagnostics) {
    let Some(conjuncts) = invariant.contradiction() else { return };
    let mut diagnostic =
        Diagnostic::error(Code::E0510, "no mode is possible: the conditions on the modes contradict each other");
    let conditions = conjuncts.iter().filter_map(|&at| dae.model.invariants.get(at));
    for (position, condition) in conditions.take(MOST_LABELS).enumerate() {
        let text = if position == 0 { "this cannot hold" } else { "together with this" };
        diagnostic = diagnostic.label(condition.span, text);
    }
    diagnostics.push(diagnostic);
}

/// Says which guards are decided together with what they guard.
pub fn note_implicit_guards(dae: &MultimodeDae, diagnostics: &mut Diagnostics) {
    if !dae.mode_variables.iter().any(|mode| mode.implicit) {
        return;
    }
    let dependences = Dependences::new(dae);
    let modes = dae.mode_variables.iter_enumerated();
    let implicit: Vec<_> =
        modes.filter(|(id, mode)| mode.implicit && dependences.is_circular(*id)).map(|(_, mode)| mode).collect();
    let names = listed(implicit.iter().map(|mode| &*mode.name));
    let mut note = match implicit.len() {
        0 => return,
        1 => Diagnostic::note(Code::N0501, format!("{names} is implicit: it depends on variables that depend on it")),
        _ => {
            Diagnostic::note(Code::N0501, format!("{names} are implicit: they depend on variables that depend on them"))
        }
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

/// Says which equations were combined.
pub fn note_combinations(analyzed: &Analyzed, diagnostics: &mut Diagnostics) {
    let equations = &analyzed.dae.model.equations;
    for combination in &analyzed.combinations {
        let (replaced, by) = (&equations[combination.replaced], &equations[combination.by]);
        let names = listed(combination.of.iter().map(|id| &*equations[*id].name));
        let message = match combination.of.as_slice() {
            [_] => format!("the coefficient of what {names} is solved for is zero"),
            _ => format!("{names} are combined: what they are solved for cancels"),
        };
        let label = match combination.of.as_slice() {
            [_] => {
                let left = short_text(&analyzed.dae.model, Some(&analyzed.dae.mode_variables), by.right);
                format!("what is left of `{}` there is `0 = {left}`", replaced.name)
            }
            _ => format!("`{}` is replaced by `{}`", replaced.name, by.name),
        };
        let mut note = Diagnostic::note(Code::N0601, message).label(replaced.span, label);
        for id in combination.of.iter().filter(|id| **id != combination.replaced).take(MOST_LABELS) {
            note = note.label(equations[*id].span, format!("`{}`", equations[*id].name));
        }
        diagnostics.push(note);
    }
    note_not_checked(analyzed, diagnostics);
}

/// Says which blocks were not checked.
fn note_not_checked(analyzed: &Analyzed, diagnostics: &mut Diagnostics) {
    let NotChecked { blocks, equations, without_small, sampled } = analyzed.not_checked;
    let mut note = |message: String| diagnostics.push(Diagnostic::note(Code::N0602, message));
    if blocks > 0 {
        let blocks = counted(blocks, "block");
        note(format!("{blocks} too large or too many to be checked for coefficients that cancel"));
    }
    if equations > 0 {
        let but_for = match without_small {
            0 => String::new(),
            _ => format!(" but for {}", counted(without_small, "equation")),
        };
        note(format!(
            "the blocks of {equations} equations are too many to be checked for coefficients that cancel: checked \
             are small ones{but_for}, and {sampled} of the others"
        ));
    }
}

/// Says where equations use variables that do not exist; whether there are such.
pub fn check_missing_variables(analyzed: &Analyzed, diagnostics: &mut Diagnostics) -> bool {
    let Analyzed { dae, analysis, .. } = analyzed;
    let is_missing = !analysis.incidence.missing_variables().is_empty();
    if is_missing {
        let names = mode_names(dae);
        let texts = SetTexts::new(dae, analysis, &names);
        let combinations = &analyzed.combinations;
        Checker { dae, analysis, texts, names: Names { dae }, combinations, places: &[] }
            .missing_variables(diagnostics);
    }
    is_missing
}

/// Says everything about the structure that is wrong; places that have parts in common are told together.
pub fn check_structure(analyzed: &Analyzed, diagnostics: &mut Diagnostics) {
    say_structure(analyzed, true, diagnostics);
}

/// The same, each place by itself.
pub fn check_every_place(analyzed: &Analyzed, diagnostics: &mut Diagnostics) {
    say_structure(analyzed, false, diagnostics);
}

fn say_structure(analyzed: &Analyzed, together: bool, diagnostics: &mut Diagnostics) {
    let Analyzed { dae, analysis, .. } = analyzed;
    let names = mode_names(dae);
    let texts = SetTexts::new(dae, analysis, &names);
    let (combinations, places) = (&analyzed.combinations, &analyzed.singularities.places);
    let checker = Checker { dae, analysis, texts, names: Names { dae }, combinations, places };
    checker.missing_variables(diagnostics);
    checker.dependences(&analyzed.dependences, diagnostics);
    let words = KindWords { dae, analysis, texts: &checker.texts, names: &checker.names };
    if let Some(found) = &analyzed.long_range {
        check_long_range(dae, found, diagnostics);
    }
    let mut told: Vec<Told> = Vec::new();
    for place in &analyzed.singularities.places {
        if analyzed.long_range.is_some() && needs_few_words(analysis, place) {
            continue;
        }
        let parts = Parts::of(place);
        let known = told.iter_mut().find(|it| together && it.covers(place.kind, &parts));
        if let Some(known) = known {
            known.more.push(checker.texts.text(place.modes));
            known.parts.extend(parts);
            continue;
        }
        let diagnostic = match (&place.reason, words.diagnostic(place)) {
            (_, Some(diagnostic)) => diagnostic,
            (Reason::Structure(case), None) => checker.singular(case, place.kind),
            (_, None) => continue,
        };
        told.push(Told { kind: place.kind, parts, diagnostic, more: Vec::new() });
    }
    told.into_iter().for_each(|it| diagnostics.push(it.with_more()));
    words.memories(&analyzed.singularities, diagnostics);
}

/// The equations and variables of a place.
struct Parts {
    equations: FxHashSet<EquationId>,
    variables: FxHashSet<VariableId>,
}

impl Parts {
    fn of(place: &Singularity) -> Parts {
        let mut equations: FxHashSet<EquationId> = place.equations.iter().copied().collect();
        let mut variables: FxHashSet<VariableId> = place.undetermined.iter().map(|(id, _)| *id).collect();
        if let Reason::Structure(case) = &place.reason {
            equations.extend(case.overdetermined_equations.iter().chain(&case.underdetermined_equations));
            variables.extend(case.underdetermined_variables.iter().chain(&case.overdetermined_variables));
        }
        Parts { equations, variables }
    }

    fn share(&self, other: &Parts) -> bool {
        !self.equations.is_disjoint(&other.equations) || !self.variables.is_disjoint(&other.variables)
    }

    fn extend(&mut self, other: Parts) {
        self.equations.extend(other.equations);
        self.variables.extend(other.variables);
    }
}

/// A place with those that have parts in common with it: they have one cause, and are one diagnostic.
struct Told {
    kind: SingularKind,
    parts: Parts,
    diagnostic: Diagnostic,
    /// In which modes it is so, too.
    more: Vec<String>,
}

impl Told {
    fn covers(&self, kind: SingularKind, parts: &Parts) -> bool {
        self.kind == kind && self.parts.share(parts)
    }

    fn with_more(mut self) -> Diagnostic {
        let (count, shown) = (self.more.len(), self.more.iter().take(MOST_MORE));
        for modes in shown {
            let modes = shortened(modes, LONGEST_MORE);
            self.diagnostic = self.diagnostic.with_note(format!("the same parts are singular when `{modes}`"));
        }
        match count.checked_sub(MOST_MORE) {
            None | Some(0) if count == 0 => self.diagnostic,
            None | Some(0) => self.diagnostic.with_note("`check --all` tells them one by one"),
            Some(rest) => {
                self.diagnostic.with_note(format!("and in {rest} more sets of modes: `check --all` tells them"))
            }
        }
    }
}

/// Whether the formula of the modes of a place would be too long to be read, or even to be written.
pub fn needs_few_words(analysis: &Analysis, place: &Singularity) -> bool {
    matches!(place.reason, Reason::Structure(_)) && analysis.space.size(place.modes) > LARGEST_WRITTEN
}

struct Checker<'a> {
    dae: &'a MultimodeDae,
    analysis: &'a Analysis,
    texts: SetTexts<'a>,
    names: Names<'a>,
    combinations: &'a [Combination],
    places: &'a [Singularity],
}

impl Checker<'_> {
    /// An equation must not use a variable where it does not exist.
    fn missing_variables(&self, diagnostics: &mut Diagnostics) {
        for missing in self.analysis.incidence.missing_variables() {
            let variable = &self.dae.model.variables[missing.variable];
            let equation = &self.dae.model.equations[missing.equation];
            diagnostics.push(
                Diagnostic::error(Code::E0602, format!("`{}` is used where it does not exist", variable.name))
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

    /// Equations of a block that depend on each other, whatever the state or at every state that was tried.
    fn dependences(&self, dependences: &[Dependence], diagnostics: &mut Diagnostics) {
        for dependence in dependences {
            let ids = dependence.equations.iter().map(|(equation, _)| equation.of);
            let names = listed(ids.clone().map(|id| self.names.equation(id)));
            let unknowns = listed(dependence.writes.iter().map(|write| self.names.variable(write.of)));
            let message =
                format!("{names} depend on each other: nothing says what {unknowns} {}", is_or_are(&unknowns));
            let mut warning = Diagnostic::warning(Code::W0601, message);
            for id in ids.take(MOST_LABELS) {
                let equation = &self.dae.model.equations[id];
                warning = warning.label(equation.span, format!("`{}`", equation.name));
            }
            let when = self.texts.text(dependence.modes);
            let known = if dependence.constant { "whatever the state" } else { "at every state that was tried" };
            warning = warning.with_note(format!("with the given parameters their Jacobian is singular {known}"));
            if dependence.sampled {
                warning = warning.with_note("it was found in one of very many blocks: others may be like it");
            }
            diagnostics.push(if when == "true" { warning } else { warning.when(when) });
        }
    }

    fn guard_of(&self, variable: modeshift_dae::VariableId) -> modeshift_modes::ModeSet {
        self.analysis.incidence.variables()[variable].guard
    }

    /// One way in which the model is singular.
    fn singular(&self, case: &SingularCase, kind: SingularKind) -> Diagnostic {
        let values = self.texts.example_values(case.modes);
        let mode = OneMode::new(self.analysis, &values);
        let over = mode.smallest_overdetermined(&case.overdetermined_equations);
        let under = mode.smallest_underdetermined(&case.underdetermined_variables);
        let when = self.texts.text(case.modes);
        let dependent = over.as_ref().and_then(|over| self.dependent(over));
        let title = title(&when, over.as_ref(), under.as_ref());
        let mut diagnostic = match kind {
            SingularKind::Wrong => Diagnostic::error(Code::E0601, title),
            _ => Diagnostic::warning(Code::W0605, title)
                .with_note("too much hangs together to say what this means: a run finds out where it gets there"),
        };
        diagnostic = match (&dependent, &over) {
            (Some(dependent), _) => self.with_dependent(diagnostic, dependent),
            (None, Some(over)) => self.with_overdetermined(diagnostic, over),
            (None, None) => diagnostic,
        };
        if let Some(under) = &under {
            diagnostic = self.with_underdetermined(diagnostic, under, when == "true");
        }
        if when != "true" {
            diagnostic = diagnostic.when(when).example(self.texts.example(case.modes));
        }
        let found = Found {
            over: over.as_ref(),
            under: under.as_ref(),
            dependent: dependent.as_ref(),
            combinations: self.combinations,
            names: &self.names,
        };
        if with_cause(&mut diagnostic, &found) {
            return diagnostic;
        }
        let (overcounted, free) = self.elsewhere();
        let finding = Finding {
            case,
            over: over.as_ref(),
            under: under.as_ref(),
            dependent: dependent.as_ref(),
            overcounted,
            free,
            names: &self.names,
        };
        match advice(&finding, self.analysis, &self.texts) {
            Some((help, kind)) => Diagnostic { kind, ..diagnostic.help(help) },
            None => diagnostic,
        }
    }

    /// The unknowns of equations that depend on each other, and what is not determined, in any place.
    fn elsewhere(&self) -> (Vec<VariableId>, Vec<VariableId>) {
        let (mut overcounted, mut free) = (Vec::new(), Vec::new());
        for place in self.places {
            let Reason::Structure(case) = &place.reason else { continue };
            let equations = case.overdetermined_equations.clone();
            let over = Subset { equations, variables: case.overdetermined_variables.clone() };
            overcounted.extend(self.dependent(&over).map_or(over.variables, |it| it.variables));
            free.extend(&case.underdetermined_variables);
        }
        (overcounted, free)
    }

    /// The equations behind a combination in which nothing is left, with their unknowns.
    fn dependent(&self, over: &Subset) -> Option<Subset> {
        let (&[combination], []) = (over.equations.as_slice(), over.variables.as_slice()) else { return None };
        self.combinations.iter().find(|it| it.by == combination)?;
        let mut equations: Vec<EquationId> = vec![combination];
        let mut at = 0;
        while let Some(&equation) = equations.get(at) {
            match self.combinations.iter().find(|it| it.by == equation) {
                Some(combination) => {
                    equations.remove(at);
                    equations.extend(combination.of.iter().filter(|id| **id != equation));
                }
                None => at += 1,
            }
        }
        equations.sort_unstable();
        equations.dedup();
        let mut variables: Vec<_> = equations.iter().flat_map(|id| self.names.unknowns(*id)).collect();
        variables.sort_unstable();
        variables.dedup();
        Some(Subset { equations, variables })
    }

    fn with_dependent(&self, mut diagnostic: Diagnostic, dependent: &Subset) -> Diagnostic {
        for id in dependent.equations.iter().take(MOST_LABELS) {
            let equation = &self.dae.model.equations[*id];
            diagnostic = diagnostic.label(equation.span, format!("`{}`", equation.name));
        }
        let names = listed(dependent.equations.iter().map(|id| self.names.equation(*id)));
        let unknowns = listed(dependent.variables.iter().map(|id| self.names.variable(*id)));
        diagnostic.with_note(format!(
            "one of {names} follows from the others or contradicts them: they only involve {unknowns}"
        ))
    }

    fn with_overdetermined(&self, mut diagnostic: Diagnostic, over: &Subset) -> Diagnostic {
        let equations = over.equations.iter().map(|id| &self.dae.model.equations[*id]);
        for (span, names) in by_place(most_labels(&diagnostic), equations.map(|it| (it.span, &*it.name))) {
            diagnostic = diagnostic.label(span, names);
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

    fn with_underdetermined(&self, mut diagnostic: Diagnostic, under: &Subset, all_modes: bool) -> Diagnostic {
        let variables = under.variables.iter().map(|id| &self.dae.model.variables[*id]);
        for (span, names) in by_place(most_labels(&diagnostic), variables.map(|it| (name_span(it), &*it.name))) {
            diagnostic = diagnostic.label(span, format!("{names} {} not determined", is_or_are(&names)));
        }
        let unknowns = listed(under.variables.iter().map(|id| self.names.variable(*id)));
        let names = listed(under.equations.iter().map(|id| self.names.equation(*id)));
        let is_or_are = if under.variables.len() == 1 { "occurs" } else { "occur" };
        diagnostic.with_note(match under.equations.len() {
            0 if all_modes => format!("{unknowns} {is_or_are} in no equation"),
            0 => format!("{unknowns} {is_or_are} in no equation of these modes"),
            1 => format!("{unknowns} {is_or_are} in one equation only: {names}"),
            count => format!("{unknowns} {is_or_are} in {count} equations only: {names}"),
        })
    }
}

/// Where the name of a variable stands in its declaration, which begins with it.
pub(super) fn name_span(variable: &Variable) -> Span {
    let last = variable.name.rsplit('.').next().unwrap_or_default();
    let name = last.split('[').next().unwrap_or_default();
    Span { end: variable.span.end.min(variable.span.start + name.len() as u32), ..variable.span }
}

/// Names at the first few places, those of one place together: a class that is used several times has them all.
fn by_place<'a>(most: usize, named: impl Iterator<Item = (Span, &'a str)>) -> Vec<(Span, String)> {
    let mut places: Vec<(Span, Vec<&str>)> = Vec::new();
    let mut known: FxHashMap<Span, usize> = FxHashMap::default();
    for (span, name) in named {
        let at = *known.entry(span).or_insert(places.len());
        match places.get_mut(at) {
            Some((_, names)) => names.push(name),
            None => places.push((span, vec![name])),
        }
    }
    let text = |names: &[&str]| match names.len().checked_sub(MOST_NAMES_OF_A_PLACE) {
        None | Some(0) => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        Some(more) => {
            let shown: Vec<String> = names[..MOST_NAMES_OF_A_PLACE].iter().map(|name| format!("`{name}`")).collect();
            format!("{} and {more} more", shown.join(", "))
        }
    };
    places.iter().take(most).map(|(span, names)| (*span, text(names))).collect()
}

/// A warning is to be noticed, an error to be understood.
fn most_labels(diagnostic: &Diagnostic) -> usize {
    if diagnostic.severity == Severity::Error { MOST_LABELS } else { LABELS_OF_A_WARNING }
}

fn is_or_are(names: &str) -> &'static str {
    if names.contains(", ") || names.contains(" and ") { "are" } else { "is" }
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

//! Edits that repair a model: proposed where the cause of an error is known, tested by applying them, and offered only
//! where the model is right afterwards.
//!
//! A stage that says an error may propose edits (`Diagnostic::candidate`): another name, a `;`. What takes a look at the source is
//! proposed here. Each edit is made in a copy of the source, the copy is checked as the source was, and is run for a while; an edit
//! that leaves an error, makes a new warning, or makes another model of the file wrong, is not mentioned. Where several things are wrong, the next error is repaired in the
//! repaired copy, and so on; what is offered then repairs all of them together.
//!
//! | module | purpose |
//! |---|---|
//! | `balance` | classes with too many or too few equations for their variables and connectors |
//! | `connections` | connectors that are not connected, references too few or too many |
//! | `declarations` | types, prefixes and modifiers of declarations |
//! | `equations` | a forgotten `der`, branches without an equation, equations twice |
//! | `flows` | elements that carry nothing, or swallow what flows |
//! | `instants` | what is written for all times and meant for an instant, clauses that belong together |
//! | `others` | whether the other models of the file are as right as before |
//! | `outline` | the source as classes, components and equations with their places |
//! | `references` | a reference for what floats where switches cut it off |
//! | `starts` | start values to fix or to let go |

mod balance;
mod connections;
mod declarations;
mod equations;
mod flows;
mod instants;
mod others;
mod outline;
mod references;
mod starts;

use std::ops::ControlFlow;

use modeshift_dae::FlatModel;
use modeshift_diagnostics::{
    Code, Diagnostic, Diagnostics, Edit, FileId, Kind, Label, Repair, Severity, SourceMap, Span, Stage,
};
use modeshift_report::Analyzed;
use modeshift_simulate::results::{Columns, Observer, Progress};

use crate::check::CheckOptions;
use crate::pipeline::Run;
use crate::question::{Dialect, Question, Source};
use crate::simulate::{Outputs, RunOptions, simulate};
use outline::Outline;

/// How many copies are checked for one answer.
const MOST_TESTS: usize = 40;
/// Of a model with more equations, fewer copies: so many equations in all of them.
const MOST_EQUATIONS: usize = 40_000;
/// How many steps of a run are made.
const MOST_RUN_STEPS: usize = 2_000;
/// How many edits in a row.
const MOST_STEPS: usize = 4;
/// How many edits of one error.
const MOST_CANDIDATES: usize = 16;

/// Which class is unbalanced, as the cause of a model that is; and edits for what the structure says.
pub(crate) fn propose_for_structure(run: &mut Run<'_>, analyzed: &Analyzed) {
    let Some(outline) = outline_of(run) else { return };
    let flat = &analyzed.dae.model;
    let model = &*flat.name;
    balance::blame_classes(&outline, model, &mut run.diagnostics);
    balance::blame_branches(&outline, model, &mut run.diagnostics);
    connections::blame_components(&outline, model, &mut run.diagnostics);
    equations::blame_parameters(&outline, model, &mut run.diagnostics);
    let connections = connections::candidates(&outline, analyzed);
    let references = connections::references(&outline, analyzed);
    let mut others = balance::candidates(&outline, model);
    others.extend(instants::laws_of_instants(&outline, flat));
    others.extend(equations::candidates(&outline, analyzed));
    let singular = |diagnostic: &&mut Diagnostic| {
        use Code::{E0601, E0604, E0605, E0606};
        matches!(diagnostic.code, E0601 | E0604 | E0605 | E0606)
    };
    for diagnostic in run.diagnostics.iter_mut().filter(singular) {
        let excluded = diagnostic.when.as_deref().and_then(|modes| equations::excluding(&outline, flat, modes));
        let is_open = diagnostic.code != Code::E0605 && diagnostic.kind != Some(Kind::SourcesTogether);
        let references = references.iter().filter(|_| is_open);
        diagnostic.candidates.extend(connections.iter().chain(references).chain(&others).cloned().chain(excluded));
    }
    propose_references(run, &outline, analyzed);
}

/// Edits for what floats in some modes and does no harm.
pub(crate) fn propose_for_floating(run: &mut Run<'_>, analyzed: &Analyzed) {
    let floats = |diagnostic: &Diagnostic| diagnostic.code == Code::W0603;
    if run.diagnostics.iter().any(floats)
        && let Some(outline) = outline_of(run)
    {
        propose_references(run, &outline, analyzed);
    }
}

fn propose_references(run: &mut Run<'_>, outline: &Outline, analyzed: &Analyzed) {
    let references = references::References::new(outline, analyzed);
    let floats = |diagnostic: &&mut Diagnostic| matches!(diagnostic.code, Code::E0604 | Code::W0603);
    for diagnostic in run.diagnostics.iter_mut().filter(floats) {
        let candidates = references.candidates(diagnostic);
        diagnostic.candidates.extend(candidates);
    }
}

/// Edits for what declarations and starts say.
pub(crate) fn propose_for_source(run: &mut Run<'_>) {
    let Some(outline) = outline_of(run) else { return };
    for diagnostic in run.diagnostics.iter_mut() {
        declarations::blame_iterators(&outline, diagnostic);
        let of_declarations = declarations::candidates(&outline, diagnostic);
        let of_instants = instants::candidates(&outline, diagnostic);
        let of_starts = starts::candidates(&outline, diagnostic);
        diagnostic.candidates.extend(of_declarations.into_iter().chain(of_instants).chain(of_starts));
    }
}

/// Says what of the flows of a model is hardly meant.
pub(crate) fn check_flows(run: &mut Run<'_>, flat: &FlatModel) {
    if let Some(outline) = outline_of(run) {
        flows::check(&outline, flat, &mut run.diagnostics);
    }
}

/// Points first at what is written in the user's own file: at a place there, or else at the component that is meant.
pub(crate) fn point_at_own_file(run: &mut Run<'_>) {
    let Some(file) = run.library.sources().find(&run.question.source.name) else { return };
    let is_elsewhere = |it: &&mut Diagnostic| it.labels.first().is_some_and(|label| label.span.file != file);
    if !run.diagnostics.iter_mut().any(|mut it| is_elsewhere(&mut it)) {
        return;
    }
    let (outline, model) = (outline_of(run), run.question.model.clone());
    for diagnostic in run.diagnostics.iter_mut().filter(is_elsewhere) {
        diagnostic.labels.sort_by_key(|label| label.span.file != file);
        if diagnostic.labels[0].span.file == file {
            continue;
        }
        let named = diagnostic.labels.iter().find_map(|label| label.text.split('`').nth(1));
        let name = named.and_then(|name| name.split(['.', '[']).next()).unwrap_or_default();
        let declared = outline.as_ref().and_then(|outline| match &model {
            Some(model) => outline.declared(model, name),
            None => outline.classes().last().and_then(|(class, _)| outline.declared(class, name)),
        });
        if let Some(declared) = declared {
            let label = Label { span: declared.component.name.span, text: format!("in `{name}`") };
            diagnostic.labels.insert(0, label);
        }
    }
}

/// The source as it was given, where it is Modelica.
fn outline_of(run: &Run<'_>) -> Option<Outline> {
    let source = &run.question.source;
    let file = run.library.sources().find(&source.name).filter(|_| source.dialect == Dialect::Modelica)?;
    Some(Outline::new(file, &source.text))
}

/// A question with the text of its source replaced.
fn with_text(question: &Question, text: String) -> Question {
    Question { source: Source { text, ..question.source.clone() }, ..question.clone() }
}

/// What was found out about one text.
pub(crate) struct Examined {
    pub(crate) diagnostics: Diagnostics,
    pub(crate) sources: SourceMap,
    /// How many equations the model has; nothing where it did not get so far.
    pub(crate) equations: usize,
}

/// One edit on the way to a model that is right, in the text that the edits before it left.
struct Step {
    code: Code,
    message: String,
    repair: Repair,
}

/// Puts tested edits to the errors of an answer, or where there are none to its warnings.
pub(crate) fn offer(question: &Question, examined: &mut Examined) {
    let equations = examined.equations.max(1);
    let tests = (MOST_EQUATIONS / equations).clamp(1, MOST_TESTS);
    let mut search = Search { question, tests };
    if examined.diagnostics.has_errors() {
        let text = question.source.text.clone();
        if let Some(steps) = search.repaired(&text, examined, MOST_STEPS) {
            attach(&mut examined.diagnostics, main_file(question, &examined.sources), &steps);
        }
        for diagnostic in examined.diagnostics.iter_mut() {
            diagnostic.repair = diagnostic.repair.take().map(|it| with_line_ends(it, &text));
        }
        return;
    }
    let said = warnings(&examined.diagnostics);
    let file = main_file(question, &examined.sources);
    for diagnostic in examined.diagnostics.iter_mut().filter(|it| it.severity == Severity::Warning) {
        let candidates = std::mem::take(&mut diagnostic.candidates);
        let is_better = |after: &[(Code, String)]| {
            let own = (diagnostic.code, diagnostic.message.clone());
            !after.contains(&own) && after.iter().all(|it| said.contains(it))
        };
        let tested = candidates.into_iter().take(MOST_CANDIDATES).find(|repair| {
            let text = file.filter(|file| is_of(repair, *file)).and_then(|_| repair.applied(&question.source.text));
            let Some(text) = text else { return false };
            let Some(after) = search.examined(&text) else { return false };
            !after.diagnostics.has_errors() && is_better(&warnings(&after.diagnostics)) && search.accepts(&text, &after)
        });
        diagnostic.repair = tested.map(|it| with_line_ends(it, &question.source.text));
    }
}

/// Codes and messages of warnings.
fn warnings(diagnostics: &Diagnostics) -> Vec<(Code, String)> {
    let warnings = diagnostics.iter().filter(|it| it.severity == Severity::Warning);
    warnings.map(|it| (it.code, it.message.clone())).collect()
}

/// The file that was asked about.
fn main_file(question: &Question, sources: &SourceMap) -> Option<FileId> {
    sources.find(&question.source.name)
}

/// Whether all edits are of this file: libraries are not edited.
fn is_of(repair: &Repair, file: FileId) -> bool {
    !repair.edits.is_empty() && repair.edits.iter().all(|edit| edit.span.file == file)
}

/// The search for edits, with what is left of its budget.
struct Search<'a> {
    question: &'a Question,
    tests: usize,
}

impl Search<'_> {
    /// The steps after which a text has no error.
    fn repaired(&mut self, text: &str, examined: &Examined, depth: usize) -> Option<Vec<Step>> {
        let file = main_file(self.question, &examined.sources)?;
        let errors: Vec<&Diagnostic> =
            examined.diagnostics.iter().filter(|it| it.severity == Severity::Error).collect();
        let first = errors.iter().find(|error| !error.candidates.is_empty())?;
        let mut tried: Vec<String> = Vec::new();
        // One that leaves nothing to do comes before one that leads on.
        let mut later = Vec::new();
        for repair in first.candidates.iter().filter(|repair| is_of(repair, file)).take(MOST_CANDIDATES) {
            let Some(edited) = repair.applied(text).filter(|edited| edited != text && !tried.contains(edited)) else {
                continue;
            };
            let after = self.examined(&edited)?;
            let step = || Step { code: first.code, message: first.message.clone(), repair: repair.clone() };
            if !after.diagnostics.has_errors() {
                // What a syntax error left unread could not be warned of.
                let is_unread = first.code.stage() == Stage::Syntax;
                let is_worse = !is_unread && has_worse_warnings(&examined.diagnostics, &after.diagnostics);
                if !is_worse && self.accepts(&edited, &after) {
                    let rivals = first.candidates.iter().filter(|it| *it != repair && is_of(it, file));
                    let is_certain = first.code != Code::E0201 || !self.has_rival(text, repair, rivals);
                    return is_certain.then(|| vec![step()]);
                }
            } else if depth > 1 && leads_on(first, &errors, &after.diagnostics) {
                later.push((step(), edited.clone(), after));
            }
            tried.push(edited);
        }
        for (step, edited, after) in later {
            if throws_start_away(step.code, &after.diagnostics) {
                continue;
            }
            if let Some(rest) = self.repaired(&edited, &after, depth - 1) {
                return Some(std::iter::once(step).chain(rest).collect());
            }
        }
        None
    }

    /// Whether another name in the same place makes the model as right: then nobody but the modeler knows which is meant.
    fn has_rival<'r>(&mut self, text: &str, repair: &Repair, mut rivals: impl Iterator<Item = &'r Repair>) -> bool {
        let [only] = repair.edits.as_slice() else { return false };
        rivals.any(|rival| {
            let is_there =
                matches!(rival.edits.as_slice(), [other] if other.span == only.span && other.text != only.text);
            let edited = rival.applied(text).filter(|_| is_there);
            edited.is_some_and(|edited| {
                let after = self.examined(&edited).filter(|it| !it.diagnostics.has_errors());
                after.is_some_and(|after| self.accepts(&edited, &after))
            })
        })
    }

    fn examined(&mut self, text: &str) -> Option<Examined> {
        self.tests = self.tests.checked_sub(1)?;
        let question = with_text(self.question, text.to_string());
        Some(Run::new(&question).examined(CheckOptions::default()).1)
    }

    /// Whether the model runs with this text, of which so much was found, and the other models of the file are as right as before. A
    /// component does not run by itself.
    fn accepts(&self, text: &str, found: &Examined) -> bool {
        let is_component = found.diagnostics.iter().any(|it| it.code == Code::N0604);
        (is_component || self.runs(text)) && others::are_kept(self.question, text)
    }

    /// Whether a run starts, and goes on for a while without getting into a mode that cannot be; what its own assertions say is as
    /// the modeler wants it.
    fn runs(&self, text: &str) -> bool {
        if self.question.source.dialect == Dialect::Mel {
            return true;
        }
        let mut outputs = Nowhere { steps: 0 };
        let answer = simulate(&with_text(self.question, text.to_string()), &RunOptions::default(), &mut outputs);
        let mut errors = answer.diagnostics.iter().filter(|it| it.severity == Severity::Error);
        answer.result.is_some() && errors.all(|it| it.code == Code::E0821)
    }
}

/// Whether there are warnings about modes that there were not: an error was hidden, not repaired.
fn has_worse_warnings(before: &Diagnostics, after: &Diagnostics) -> bool {
    let before = warnings(before);
    warnings(after)
        .into_iter()
        .any(|it| matches!(it.0.stage(), Stage::Structure | Stage::Initialization) && !before.contains(&it))
}

/// Whether the error is gone, and what there is now was there before or is of a later stage.
fn leads_on(repaired: &Diagnostic, before: &[&Diagnostic], after: &Diagnostics) -> bool {
    let is_known = |it: &Diagnostic| before.iter().any(|known| (known.code, &known.message) == (it.code, &it.message));
    let mut errors = after.iter().filter(|it| it.severity == Severity::Error);
    errors.all(|it| {
        (it.code, &it.message) != (repaired.code, &repaired.message)
            && (is_known(it) || it.code.stage() > repaired.code.stage())
    })
}

/// Whether an edit of equations contradicts a start value: then it says something else than what was meant.
fn throws_start_away(edited: Code, after: &Diagnostics) -> bool {
    edited.stage() == Stage::Structure && after.iter().any(|it| it.code == Code::E0701)
}

/// The edits with the line ends of a text.
fn with_line_ends(mut repair: Repair, text: &str) -> Repair {
    if text.contains("\r\n") {
        for edit in &mut repair.edits {
            edit.text = edit.text.replace("\r\n", "\n").replace('\n', "\r\n");
        }
    }
    repair
}

/// Puts each step to the error that it repairs, or to the first where that showed later; places become those of the
/// text before all steps. Nothing is put where a step edits what another inserted.
fn attach(diagnostics: &mut Diagnostics, file: Option<FileId>, steps: &[Step]) {
    let mut done: Vec<Edit> = Vec::new();
    let mut repairs: Vec<(usize, Repair)> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let Some(edits) = step.repair.edits.iter().map(|edit| before_edits(edit, &done)).collect::<Option<Vec<_>>>()
        else {
            return;
        };
        done.extend(edits.iter().cloned());
        repairs.push((number, Repair { title: step.repair.title.clone(), edits }));
    }
    let Some(first) = steps.first().filter(|_| file.is_some()) else { return };
    for (number, repair) in repairs {
        let step = &steps[number];
        let own = diagnostics.iter().position(|it| (it.code, &it.message) == (step.code, &step.message));
        let of_first = || diagnostics.iter().position(|it| (it.code, &it.message) == (first.code, &first.message));
        let Some(at) = own.or_else(of_first) else { continue };
        let Some(diagnostic) = diagnostics.iter_mut().nth(at) else { continue };
        if matches!(diagnostic.code, Code::E0601 | Code::E0701) {
            // What the shape of the equations suggests gives way to what was tested.
            diagnostic.help = None;
        }
        diagnostic.repair = Some(match diagnostic.repair.take() {
            None => repair,
            Some(Repair { title, edits }) => Repair {
                title: format!("{title}, and {}", repair.title),
                edits: edits.into_iter().chain(repair.edits).collect(),
            },
        });
    }
}

/// An edit of a text in which other edits were made, as an edit of the text before; nothing where it touches one of them.
fn before_edits(edit: &Edit, done: &[Edit]) -> Option<Edit> {
    let mut done: Vec<&Edit> = done.iter().collect();
    done.sort_by_key(|edit| edit.span.start);
    let (mut start, mut end, mut shift) = (i64::from(edit.span.start), i64::from(edit.span.end), 0i64);
    let (from, to) = (start, end);
    for earlier in done {
        let place = i64::from(earlier.span.start) + shift;
        let grown = earlier.text.len() as i64 - i64::from(earlier.span.end - earlier.span.start);
        let behind = place + earlier.text.len() as i64;
        if from >= behind {
            (start, end) = (start - grown, end - grown);
            shift += grown;
        } else if to > place {
            return None;
        }
    }
    let span = Span { start: u32::try_from(start).ok()?, end: u32::try_from(end).ok()?, ..edit.span };
    Some(Edit { span, text: edit.text.clone() })
}

/// Results that nobody wants, of the beginning of a run.
struct Nowhere {
    steps: usize,
}

impl Observer for Nowhere {
    fn columns(&mut self, _columns: &Columns) {}

    fn progress(&mut self, _progress: Progress<'_>) -> ControlFlow<()> {
        self.steps += 1;
        if self.steps > MOST_RUN_STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Outputs for Nowhere {
    fn open(&mut self, _model: &str, _span: (f64, f64)) -> Result<(), String> {
        Ok(())
    }
}

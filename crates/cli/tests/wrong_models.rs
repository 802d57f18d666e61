//! Wrong models over all stages: the message points at the right lines and modes, there is one error per cause, and the edit that
//! is offered makes the model right. What is expected of each stands in `wrong_models.md`.

use modeshift_diagnostics::{Diagnostic, FileId, Repair, Severity, render_all};
use modeshift_driver::report::check::CheckReport;
use modeshift_driver::simulate::results::{Columns, Observer};
use modeshift_driver::simulate::{Outputs, RunOptions, simulate};
use modeshift_driver::{Answer, CheckOptions, Question, check};

/// As much as the program itself has.
const STACK_SIZE: usize = 256 << 20;

/// A wrong model and what is to be said of it.
struct Wrong {
    name: &'static str,
    text: String,
    code: &'static str,
    lines: Vec<&'static str>,
    when: Option<&'static str>,
    fix: Option<&'static str>,
    /// What its message or its help has to say.
    says: Vec<&'static str>,
}

fn wrong_models() -> Vec<Wrong> {
    let page = include_str!("wrong_models.md");
    let circuit = page.split_once("\n## Circuit\n").and_then(|(_, rest)| code_block(rest)).expect("the elements").1;
    let entries = page.split("\n### ").skip(1);
    entries.map(|entry| wrong_model(entry, circuit)).collect()
}

/// The word behind the first fence, and what stands between the fences.
fn code_block(text: &'static str) -> Option<(&'static str, &'static str)> {
    let (word, rest) = text.split_once("\n```")?.1.split_once('\n')?;
    Some((word, rest.split_once("```")?.0))
}

fn wrong_model(entry: &'static str, circuit: &str) -> Wrong {
    let (name, rest) = entry.split_once('\n').expect("a heading");
    let facts = |key: &str| {
        let prefix = format!("- {key}: ");
        rest.lines().filter_map(move |line| line.strip_prefix(prefix.as_str())).collect::<Vec<&'static str>>()
    };
    let quoted = |text: &'static str| text.trim_matches('`');
    let (word, model) = code_block(rest).unwrap_or_else(|| panic!("{name} has no model"));
    let elements = if word == "Circuit" { circuit } else { "" };
    Wrong {
        name,
        text: format!("{elements}{model}"),
        code: quoted(facts("code")[0]),
        lines: facts("line").into_iter().map(quoted).collect(),
        when: facts("when").first().map(|when| quoted(when)),
        fix: facts("fix").first().copied(),
        says: facts("says"),
    }
}

fn question(text: &str) -> Question {
    Question::of_text("M.mo", text)
}

fn checked(text: &str) -> Answer<CheckReport> {
    check(&question(text), CheckOptions { with_repairs: true, ..CheckOptions::default() })
}

/// Results that nobody wants.
struct Nowhere;

impl Observer for Nowhere {
    fn columns(&mut self, _columns: &Columns) {}
}

impl Outputs for Nowhere {
    fn open(&mut self, _model: &str, _span: (f64, f64)) -> Result<(), String> {
        Ok(())
    }
}

/// The lines of the model that a message points at; those of libraries are not meant.
fn lines<'a>(text: &'a str, diagnostic: &Diagnostic, file: Option<FileId>) -> Vec<&'a str> {
    let line = |byte: u32| {
        let before = &text[..byte as usize];
        text.lines().nth(before.matches('\n').count()).unwrap_or_default().trim()
    };
    diagnostic.labels.iter().filter(|label| Some(label.span.file) == file).map(|label| line(label.span.start)).collect()
}

/// What is not as expected; nothing where all is.
fn fault(wrong: &Wrong) -> Option<String> {
    let answer = checked(&wrong.text);
    let said = || render_all(&answer.diagnostics, &answer.sources, false);
    let severity = if wrong.code.starts_with('W') { Severity::Warning } else { Severity::Error };
    let found: Vec<&Diagnostic> = answer.diagnostics.iter().filter(|it| it.severity >= severity).collect();
    let [diagnostic] = found.as_slice() else { return Some(format!("{} messages\n{}", found.len(), said())) };
    if diagnostic.code != wrong.code {
        return Some(format!("not {}\n{}", wrong.code, said()));
    }
    let pointed = lines(&wrong.text, diagnostic, answer.sources.find("M.mo"));
    if let Some(missing) = wrong.lines.iter().find(|line| !pointed.contains(line)) {
        return Some(format!("does not point at `{missing}`\n{}", said()));
    }
    if diagnostic.when.as_deref() != wrong.when {
        return Some(format!("not when {:?}\n{}", wrong.when, said()));
    }
    if wrong.when.is_some() && diagnostic.example.is_none() {
        return Some(format!("has no example\n{}", said()));
    }
    if diagnostic.repair.as_ref().map(|repair| repair.title.as_str()) != wrong.fix {
        return Some(format!("the edit is not {:?}\n{}", wrong.fix, said()));
    }
    let words = format!("{}\n{}", diagnostic.message, diagnostic.help.as_deref().unwrap_or_default());
    if let Some(missing) = wrong.says.iter().find(|it| !words.contains(**it)) {
        return Some(format!("does not say {missing}\n{}", said()));
    }
    match &diagnostic.repair {
        Some(repair) => not_right(&wrong.text, repair),
        None if diagnostic.help.is_none() => Some(format!("names no choice\n{}", said())),
        None => None,
    }
}

/// What is wrong with the repaired model.
fn not_right(text: &str, repair: &Repair) -> Option<String> {
    let Some(repaired) = repair.applied(text) else { return Some("the edits do not fit".to_string()) };
    let answer = checked(&repaired);
    if answer.diagnostics.iter().any(|it| it.severity >= Severity::Warning) {
        return Some(format!("{repaired}\n{}", render_all(&answer.diagnostics, &answer.sources, false)));
    }
    if answer.diagnostics.iter().any(|it| it.code == "N0604") {
        // A component does not run by itself.
        return None;
    }
    let run = simulate(&question(&repaired), &RunOptions::default(), &mut Nowhere);
    let runs = run.result.is_some() && !run.diagnostics.has_errors();
    (!runs).then(|| format!("does not run\n{repaired}\n{}", render_all(&run.diagnostics, &run.sources, false)))
}

#[test]
fn each_wrong_model_is_told_and_repaired_as_expected() {
    let work = || {
        modeshift_driver::use_stack(STACK_SIZE / 2);
        let models = wrong_models();
        let repaired = models.iter().filter(|it| it.fix.is_some()).count();
        assert!(models.len() >= 60 && repaired >= 40, "{repaired} of {} models", models.len());
        let faults = models.iter().filter_map(|wrong| Some(format!("{}: {}", wrong.name, fault(wrong)?)));
        faults.collect::<Vec<String>>()
    };
    let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(work).expect("a thread");
    match thread.join() {
        Ok(faults) => assert!(faults.is_empty(), "{} models\n{}", faults.len(), faults.join("\n")),
        Err(reason) => std::panic::resume_unwind(reason),
    }
}

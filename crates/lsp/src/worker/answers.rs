//! The worker's side: one question per line, one answer per line, until the input ends.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::time::Duration;

use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, SourceMap, Span};
use modeshift_driver::{CheckOptions, Dialect, Limits, Opened, Parsed, Progress, Question, Source, analyze, check};
use serde_json::{Value, json};

use super::repairs::repairs;
use crate::facts::{facts, summary};
use crate::text::{Encoding, Text};

/// How long an analysis may take before it says that it took too long.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// How many blocks of a model are put into words.
const MOST_BLOCKS: usize = 20_000;

/// Answers questions until there are no more. Libraries are parsed once.
pub fn work(input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    let parsed = Parsed::default();
    for line in input.lines() {
        let Ok(request) = serde_json::from_str::<Value>(&line?) else { continue };
        writeln!(output, "{}", answer(&request, &parsed))?;
        output.flush()?;
    }
    Ok(())
}

/// The answer to one question, which may use what was parsed before.
pub fn answer(request: &Value, parsed: &Parsed) -> Value {
    let question = question(request, parsed);
    let encoding = if request["utf8"] == json!(true) { Encoding::Utf8 } else { Encoding::Utf16 };
    match request["kind"].as_str() {
        Some("check") => diagnostics(&question, encoding),
        Some("facts") => json!({"facts": facts_of(&question)}),
        Some("summary") => json!({"summary": summary_of(&question)}),
        Some("repairs") => {
            let at = |name: &str| request[name].as_u64().unwrap_or(0) as u32;
            json!({"repairs": repairs(&question, at("from")..at("to").saturating_add(1))})
        }
        _ => json!({}),
    }
}

/// A byte order mark is no part of a text, but places behind it are the client's: as many bytes stand for it.
fn without_mark(text: String) -> String {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => " ".repeat(text.len() - rest.len()) + rest,
        None => text,
    }
}

/// The question of a request.
fn question(request: &Value, parsed: &Parsed) -> Question {
    let text = |name: &str| request[name].as_str().unwrap_or_default().to_string();
    let libraries = request["libraries"].as_array().into_iter().flatten();
    let is_mel = request["mel"] == json!(true);
    Question {
        source: Source {
            name: text("name"),
            path: request["path"].as_str().map(PathBuf::from),
            text: without_mark(text("text")),
            dialect: if is_mel { Dialect::Mel } else { Dialect::Modelica },
        },
        model: request["model"].as_str().map(str::to_string),
        overrides: Vec::new(),
        libraries: libraries.filter_map(|it| it.as_str().map(PathBuf::from)).collect(),
        limits: Limits { nodes: None, time: Some(TIME_LIMIT) },
        progress: Progress::default(),
        parsed: Some(parsed.clone()),
        opened: opened(&request["opened"]),
    }
}

/// The other documents that are open, by their paths.
fn opened(texts: &Value) -> Opened {
    let texts = texts.as_object().into_iter().flatten();
    texts.filter_map(|(path, text)| Some((PathBuf::from(path), text.as_str()?.to_string()))).collect()
}

fn diagnostics(question: &Question, encoding: Encoding) -> Value {
    let answer = check(question, CheckOptions::default());
    // A file of a package, with connectors or icons, has nothing to run and is as right as any: nobody asked for a model of it.
    let is_asked = |it: &&Diagnostic| question.model.is_some() || it.code != Code::E0200;
    let shown = answer.diagnostics.iter().filter(is_asked);
    let shown = shown.map(|diagnostic| diagnostic_value(diagnostic, &answer.sources, encoding));
    json!({"diagnostics": shown.collect::<Vec<_>>(), "not_shown": not_shown(&answer.diagnostics)})
}

fn not_shown(diagnostics: &Diagnostics) -> usize {
    diagnostics.suppressed().iter().map(|(_, count)| count).sum()
}

/// A diagnostic with its places: bytes in the document, lines and characters elsewhere.
fn diagnostic_value(diagnostic: &Diagnostic, sources: &SourceMap, encoding: Encoding) -> Value {
    let labels: Vec<Value> = diagnostic
        .labels
        .iter()
        .filter(|label| label.span != Span::default())
        .filter_map(|label| {
            let (span, file) = (label.span, sources.file(label.span.file)?);
            if span.file == Span::default().file {
                return Some(json!({"start": span.start, "end": span.end, "text": label.text}));
            }
            let text = Text::new(file.text().to_string(), encoding);
            let range = text.range(span.start as usize, span.end as usize);
            Some(json!({"file": file.name(), "range": range, "text": label.text}))
        })
        .collect();
    json!({
        "code": diagnostic.code.as_str(), "severity": diagnostic.severity.word(), "message": diagnostic.message,
        "when": diagnostic.when, "example": diagnostic.example, "notes": diagnostic.notes, "help": diagnostic.help,
        "labels": labels,
    })
}

fn facts_of(question: &Question) -> Value {
    let mut answer = analyze(question, None);
    if answer.is_large() {
        return Value::Null;
    }
    let Some(report) = answer.report(MOST_BLOCKS) else { return Value::Null };
    answer.result.as_ref().map_or(Value::Null, |analyzed| facts(&analyzed.dae, &report))
}

fn summary_of(question: &Question) -> Option<String> {
    let mut answer = analyze(question, None);
    match answer.is_large() {
        // Words of all modes take long; the first line of the summary has the numbers.
        true => answer.summary().and_then(|text| text.lines().next().map(str::to_string)),
        false => answer.report(MOST_BLOCKS).map(|report| summary(&report)),
    }
}

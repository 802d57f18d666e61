//! A question of the page, and its answer as the program gives it: what it would print, as JSON where there is a report, what
//! it would say beside that, and its exit status.

use std::path::Path;

use modeshift_diagnostics::{Code, Diagnostic, ExitStatus, render_all};
use modeshift_driver::changes::Selection;
use modeshift_driver::init::InitOptions;
use modeshift_driver::report::check::CheckReport;
use modeshift_driver::report::json::pretty;
use modeshift_driver::simulate::{Method, RunOptions, simulate};
use modeshift_driver::{Answer, CheckOptions, Limits, Question, RimisOptions, semantics, use_file};
use serde_json::{Value, json};

use crate::host::TIME_LIMIT;
use crate::runs::Results;

/// Has one more file.
pub fn have(file: &Value) -> String {
    let (path, text) = (&file["path"], &file["text"]);
    use_file(path.as_str().unwrap_or_default().into(), without_mark(text).to_string());
    String::new()
}

/// Asks the engine.
pub fn ask(asked: &Value) -> String {
    let question = question(asked);
    let text = |name: &str| asked[name].as_str().filter(|it| !it.is_empty());
    let flag = |name: &str| asked[name] == json!(true);
    let at = text("at");
    match asked["command"].as_str().unwrap_or_default() {
        "check" => {
            let options = CheckOptions { as_other_tools: flag("as-other-tools"), ..CheckOptions::default() };
            let answer = modeshift_driver::check(&question, options);
            said(&answer, &question, answer.result.as_ref().map(|it| pretty(&it.json())))
        }
        "flatten" => {
            let answer = modeshift_driver::flatten(&question);
            said(&answer, &question, answer.report().map(|it| pretty(&it.json())))
        }
        "analyze" => match asked["method"].as_str() {
            Some("approximate") => {
                reported(&modeshift_driver::as_other_tools(&question, at), &question, |it| it.json())
            }
            Some("pantelides") => reported(&modeshift_driver::pantelides(&question, at), &question, |it| it.json()),
            _ => {
                let mut answer = modeshift_driver::analyze(&question, at);
                let report = answer.report(usize::MAX).map(|it| pretty(&it.json()));
                said(&answer, &question, report)
            }
        },
        "init" => {
            let options = InitOptions { at, scenario: text("scenario"), impulsive_start: flag("impulsive-start") };
            reported(&modeshift_driver::init::init(&question, options), &question, |it| it.json())
        }
        "changes" => {
            let (from, to) = (text("from"), text("to"));
            let selection = Selection { from, to, with_array: false, most_items: usize::MAX };
            reported(&modeshift_driver::changes::changes(&question, &selection), &question, |it| it.json())
        }
        "semantics" => {
            let selection = semantics::Selection { at, from: None, to: None, run: None, all_choices: false };
            reported(&semantics::semantics(&question, &selection), &question, |it| it.json())
        }
        "rimis" => {
            let options = RimisOptions { plain: flag("plain"), check: flag("check") };
            let answer = modeshift_driver::rimis(&question, options);
            let text = answer.result.as_ref().map(|it| json!(it.text()).to_string());
            said(&answer, &question, text.or_else(|| Some(json!("").to_string())))
        }
        "simulate" => match options(asked) {
            Ok(options) => run(&question, &options),
            Err(message) => refused(&message),
        },
        other => refused(&format!("there is no command `{other}`")),
    }
}

fn question(asked: &Value) -> Question {
    let text = |name: &str| asked[name].as_str().unwrap_or_default();
    let overrides = asked["set"].as_object().into_iter().flatten();
    let mut question = Question::of_text(text("file"), without_mark(&asked["text"]));
    if asked["example"] != json!(true) {
        // An example is no file: nothing lies beside it.
        question.source.path = Some(Path::new("/").join(text("file")));
        question.libraries = vec!["/".into()];
    }
    Question {
        model: asked["model"].as_str().filter(|it| !it.is_empty()).map(str::to_string),
        overrides: overrides.map(|(name, value)| (name.clone(), plain(value))).collect(),
        limits: Limits { nodes: None, time: Some(TIME_LIMIT) },
        ..question
    }
}

/// A text without a byte order mark, which some editors write.
fn without_mark(text: &Value) -> &str {
    text.as_str().unwrap_or_default().trim_start_matches('\u{feff}')
}

/// A value as one writes it on a command line.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

/// The options of a run, or what is wrong with them.
fn options(asked: &Value) -> Result<RunOptions, String> {
    let number = |name: &str| match &asked[name] {
        Value::Null => Ok(None),
        value => {
            plain(value).trim().parse::<f64>().map(Some).map_err(|_| format!("--{name} {}: no number", plain(value)))
        }
    };
    let method = match asked["solver"].as_str() {
        None | Some("") => Method::default(),
        Some(wanted) => {
            let known = Method::ALL.into_iter().find(|method| method.name() == wanted);
            known.ok_or_else(|| format!("there is no solver `{wanted}`"))?
        }
    };
    Ok(RunOptions {
        method,
        start: number("start")?,
        stop: number("stop")?,
        interval: number("interval")?,
        tolerance: number("tolerance")?,
        impulsive_start: asked["impulsive-start"] == json!(true),
        scenario: asked["scenario"].as_str().filter(|it| !it.is_empty()).map(str::to_string),
        ..RunOptions::default()
    })
}

fn run(question: &Question, options: &RunOptions) -> String {
    let mut results = Results::new();
    let mut answer = simulate(question, options, &mut results);
    if results.finish() && answer.result.is_some() {
        let message = format!("the time limit of {} s was reached while simulating", TIME_LIMIT.as_secs_f64());
        answer.diagnostics.push(Diagnostic::error(Code::E0603, message));
    }
    let report = answer.result.as_ref();
    let report = report.map(|it| pretty(&it.report("", &answer.diagnostics, &answer.sources).json()));
    said(&answer, question, report)
}

fn reported<Report>(answer: &Answer<Report>, question: &Question, json: impl FnOnce(&Report) -> Value) -> String {
    said(answer, question, answer.result.as_ref().map(|report| pretty(&json(report))))
}

/// An answer with its report; without one, with what is wrong.
fn said<Report>(answer: &Answer<Report>, question: &Question, report: Option<String>) -> String {
    let worst = answer.diagnostics.iter().map(|diagnostic| diagnostic.code.exit_status()).max();
    let without = if answer.result.is_none() { ExitStatus::ModelWrong } else { ExitStatus::Good };
    let status = worst.unwrap_or(ExitStatus::Good).max(without) as u8;
    let messages = json!(render_all(&answer.diagnostics, &answer.sources, false));
    let result = report.unwrap_or_else(|| {
        let asked_for = (question.model.as_deref(), question.source.name.as_str());
        pretty(&CheckReport::new(None, asked_for, &answer.diagnostics, &answer.sources).json())
    });
    format!("{{\"status\":{status},\"messages\":{messages},\"result\":{result}}}")
}

fn refused(message: &str) -> String {
    json!({"status": ExitStatus::Usage as u8, "messages": format!("error: {message}\n"), "result": ""}).to_string()
}

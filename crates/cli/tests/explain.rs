//! `explain`, and that every page tells the truth: its wrong model provokes its code, its right one is accepted.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use modeshift_diagnostics::{Code, Diagnostics, Severity, render_all};
use modeshift_driver::changes::Selection;
use modeshift_driver::init::InitOptions;
use modeshift_driver::simulate::results::{Columns, Observer};
use modeshift_driver::simulate::{Outputs, RunOptions, simulate};
use modeshift_driver::{
    Answer, CheckOptions, Dialect, Limits, Question, RimisOptions, Source, analyze, changes, check, init, linearize,
    rimis, semantics,
};

use modeshift_fmu::{Kind, Resource};

use crate::support::modeshift;

/// As much as the program itself has.
const STACK_SIZE: usize = 256 << 20;

/// A model of a page with the command line that it is for.
struct Example {
    command: &'static str,
    model: &'static str,
}

/// The example below a heading of a page.
fn example(page: &'static str, heading: &str) -> Option<Example> {
    let section = page.split_once(&format!("\n## {heading}\n"))?.1;
    let command = section.split_once("\ncommand: `")?.1.split_once('`')?.0;
    let model = section.split_once("\n```")?.1.split_once('\n')?.1.split_once("\n```")?.0;
    Some(Example { command, model })
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

/// The options that pages use.
#[derive(Default)]
struct Line<'a> {
    at: Option<&'a str>,
    scenario: Option<&'a str>,
    run: Option<usize>,
    as_other_tools: bool,
    is_exchange: bool,
    settings: RunOptions,
    overrides: Vec<(String, String)>,
    nodes: Option<usize>,
}

impl<'a> Line<'a> {
    fn read(words: &[&'a str]) -> Self {
        let (mut line, mut words) = (Line::default(), words.iter().copied());
        while let Some(option) = words.next() {
            if option == "--as-other-tools" {
                line.as_other_tools = true;
                continue;
            }
            let value = words.next().unwrap_or_else(|| panic!("{option} has no value"));
            let number = || value.parse::<f64>().unwrap_or_else(|_| panic!("{option} {value}"));
            match option {
                "--at" => line.at = Some(value),
                "--kind" => line.is_exchange = value == "me",
                "--scenario" => line.scenario = Some(value),
                "--run" => line.run = value.parse().ok(),
                "--stop" => line.settings.stop = Some(number()),
                "--interval" => line.settings.interval = Some(number()),
                "--tolerance" => line.settings.tolerance = Some(number()),
                "--periodic" => line.settings.periodic = Some(number()),
                "--sensitivity" => line.settings.sensitivity = Some(value.to_string()),
                "--vars" => line.settings.kept_variables = Some(value.to_string()),
                "--node-limit" => line.nodes = value.parse().ok(),
                "--set" => {
                    let (name, value) = value.split_once('=').expect("NAME=VALUE");
                    line.overrides.push((name.to_string(), value.to_string()));
                }
                _ => panic!("a page uses `{option}`, which this test does not know"),
            }
        }
        line
    }
}

/// What was said, and as text.
fn said<T>(answer: Answer<T>) -> (Diagnostics, String) {
    let text = render_all(&answer.diagnostics, &answer.sources, false);
    (answer.diagnostics, text)
}

/// Does what the command line of an example says.
fn run(example: &Example) -> (Diagnostics, String) {
    let words: Vec<&str> = example.command.split(' ').collect();
    let ["modeshift", command, file, options @ ..] = words.as_slice() else { panic!("`{}`", example.command) };
    let line = Line::read(options);
    let question = Question {
        source: Source {
            name: file.to_string(),
            path: None,
            text: example.model.to_string(),
            dialect: if file.ends_with(".mel") { Dialect::Mel } else { Dialect::Modelica },
        },
        overrides: line.overrides,
        limits: Limits { nodes: line.nodes, time: None },
        ..Question::default()
    };
    let Line { at, scenario, run, as_other_tools, is_exchange, settings, .. } = Line { overrides: Vec::new(), ..line };
    match *command {
        "check" => said(check(&question, CheckOptions { as_other_tools, ..CheckOptions::default() })),
        "analyze" => said(analyze(&question, at)),
        "init" => said(init::init(&question, InitOptions { at, scenario, impulsive_start: false })),
        "changes" => {
            said(changes::changes(&question, &Selection { from: None, to: None, with_array: false, most_items: 5 }))
        }
        "semantics" => {
            said(semantics::semantics(&question, &semantics::Selection { at, run, ..semantics::Selection::default() }))
        }
        "rimis" => said(rimis(&question, RimisOptions::default())),
        "simulate" => said(simulate(&question, &settings, &mut Nowhere)),
        "fmu" => match Resource::of(&question, if is_exchange { Kind::ModelExchange } else { Kind::CoSimulation }) {
            Ok((_, loaded)) => (loaded.said().clone(), String::new()),
            Err(not_made) => (not_made.diagnostics, not_made.text),
        },
        "linearize" => said(linearize::linearize(&question, &settings, &linearize::Linearize::default())),
        _ => panic!("a page uses `{command}`, which this test does not know"),
    }
}

/// What is wrong with a page.
fn complaint(code: Code) -> Option<String> {
    let page = code.page();
    if !page.starts_with(&format!("# {code}: ")) {
        return Some(format!("{code}: the page does not begin with `# {code}: ` and a title"));
    }
    let (Some(wrong), Some(right)) = (example(page, "Wrong"), example(page, "Right")) else {
        let excused = page.contains("\nno example: ");
        return (!excused).then(|| format!("{code}: neither `Wrong` and `Right` nor `no example: ` with a reason"));
    };
    let ((of_wrong, wrong_text), (of_right, right_text)) = (run(&wrong), run(&right));
    let says = |diagnostics: &Diagnostics| diagnostics.iter().any(|it| it.code == code);
    if !says(&of_wrong) {
        return Some(format!("{code} is not said of the wrong model, but\n{wrong_text}"));
    }
    if of_wrong.iter().any(|it| it.code.is_fault()) {
        return Some(format!("{code}: the wrong model shows a fault of the program\n{wrong_text}"));
    }
    let fails = says(&of_right) || of_right.iter().any(|it| it.code.severity() == Severity::Error);
    fails.then(|| format!("{code}: the right model is not right\n{right_text}"))
}

#[test]
fn every_page_has_a_wrong_model_with_its_code_and_a_right_one_without() {
    let (next, complaints) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(&code) = Code::ALL.get(next.fetch_add(1, Ordering::Relaxed)) {
            complaints.lock().unwrap_or_else(PoisonError::into_inner).extend(complaint(code));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let worker = std::thread::Builder::new().stack_size(STACK_SIZE);
            worker.spawn_scoped(scope, work).expect("a thread");
        }
    });
    let complaints = complaints.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn explain_prints_pages_in_the_order_asked_for() {
    let outcome = modeshift(&["explain", "w0702", "E0601"]);
    let expected = format!("{}\n{}", Code::W0702.page(), Code::E0601.page());
    assert_eq!((outcome.status, outcome.stdout, outcome.stderr), (0, expected, String::new()));
}

#[test]
fn explain_without_a_code_lists_all_by_stage() {
    let outcome = modeshift(&["explain"]);
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""));
    assert!(outcome.stdout.starts_with("Files and usage\n  E0001  A file cannot be read.\n"));
    for code in Code::ALL {
        assert!(outcome.stdout.contains(&format!("\n  {code}  {}\n", code.sentence())), "{code}");
    }
}

#[test]
fn explain_of_an_unknown_code_names_the_nearest() {
    for (text, words) in [
        ("E0609", "there is no code `E0609`; did you mean `E0606` or `E0605`?\n"),
        ("601", "there is no code `601`; did you mean `E0601` or `W0601`?\n"),
        ("Füße", "there is no code `Füße`\n`modeshift explain` lists all codes\n"),
    ] {
        let outcome = modeshift(&["explain", "E0601", text]);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (2, ""), "{text}");
        assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
    }
}

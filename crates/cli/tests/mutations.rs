//! Models that were changed at random, through every question: whatever comes in, there is an answer, its JSON is valid, and it
//! does not take for ever.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use modeshift_diagnostics::{Code, render_all};
use modeshift_driver::changes::Selection;
use modeshift_driver::init::InitOptions;
use modeshift_driver::report::check::CheckReport;
use modeshift_driver::report::json::pretty;
use modeshift_driver::simulate::results::{self, Columns, Observer};
use modeshift_driver::simulate::{Outputs, RunOptions, simulate};
use modeshift_driver::{
    Answer, CheckOptions, Dialect, Limits, Question, RimisOptions, Source, analyze, changes, check, flatten, init,
    parse, rimis, semantics,
};
use modeshift_fmu::{Kind, Resource, Version, archive};
use serde_json::Value;

use crate::support::root;

/// As much as the program itself has.
const STACK_SIZE: usize = 256 << 20;
/// An answer takes less than this, on a machine that does other things too.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn changed_models_have_an_answer() {
    check_mutations(1, 300);
}

/// `cargo test --release -p modeshift-cli --test suite -- --ignored a_hundred_thousand`; with `MUTATIONS=1000` in the environment,
/// twice a thousand, with `MUTATION_SEED=7` others.
#[test]
#[ignore = "minutes: a hundred thousand models"]
fn a_hundred_thousand_changed_models_have_an_answer() {
    let given = |name| std::env::var(name).ok().and_then(|it| it.parse::<usize>().ok());
    let (count, seed) = (given("MUTATIONS").unwrap_or(50_000), given("MUTATION_SEED").unwrap_or(1000) as u64);
    let threads: Vec<_> = (0..2).map(|part| std::thread::spawn(move || check_mutations(seed + part, count))).collect();
    threads.into_iter().for_each(|thread| thread.join().expect("every model has an answer"));
}

/// Numbers that look random and are always the same (xorshift64*).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit.max(1)
    }
}

/// The texts of the pages of codes and the models of the papers.
fn seeds() -> Vec<(Dialect, String)> {
    let mut seeds = Vec::new();
    for code in Code::ALL {
        for block in code.page().split("\n```").skip(1).step_by(2) {
            let (language, text) = block.split_once('\n').unwrap_or_default();
            let dialect = if language == "mel" { Dialect::Mel } else { Dialect::Modelica };
            if text.len() < 3000 && matches!(language, "modelica" | "mel") {
                seeds.push((dialect, text.to_string()));
            }
        }
    }
    let mut models: Vec<_> = std::fs::read_dir(root().join("models")).expect("there are models").flatten().collect();
    models.sort_by_key(|entry| entry.path());
    for path in models.iter().map(|entry| entry.path()) {
        let text = std::fs::read_to_string(&path).expect("models are texts");
        if text.len() < 3000 {
            let is_mel = path.extension().is_some_and(|it| it == "mel");
            seeds.push((if is_mel { Dialect::Mel } else { Dialect::Modelica }, text));
        }
    }
    seeds
}

/// Words, numbers, and everything else one by one.
fn tokens(text: &str) -> Vec<&str> {
    let is_word = |it: char| it.is_alphanumeric() || it == '_' || it == '.';
    let (mut tokens, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = match is_word(first) {
            true => rest.find(|it| !is_word(it)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        tokens.push(&rest[..length]);
        rest = &rest[length..];
    }
    tokens
}

/// What stands in for a token.
const STRANGE: [&str; 24] = [
    "0",
    "-1",
    "1e308",
    "1e-308",
    "9223372036854775807",
    "nan",
    "der(",
    ")",
    "(",
    "end",
    ";",
    "=",
    "if true then",
    "pre(",
    "\"",
    "'",
    "é",
    "\u{0}",
    "when",
    "[1:1000000000]",
    "reinit(x, x)",
    "and",
    "connect(a, b);",
    "initial equation",
];

fn changed(dice: &mut Dice, seeds: &[(Dialect, String)], text: &str) -> String {
    let mut parts: Vec<String> = tokens(text).into_iter().map(str::to_string).collect();
    for _ in 0..1 + dice.below(3) {
        if parts.is_empty() {
            break;
        }
        let (at, other) = (dice.below(parts.len()), dice.below(parts.len()));
        match dice.below(7) {
            0 => drop(parts.remove(at)),
            1 => parts.insert(at, parts[other].clone()),
            2 => parts.swap(at, other),
            3 => parts[at] = STRANGE[dice.below(STRANGE.len())].to_string(),
            4 => parts.truncate(at),
            5 => {
                let foreign =
                    tokens(&seeds[dice.below(seeds.len())].1).iter().map(ToString::to_string).collect::<Vec<_>>();
                let from = dice.below(foreign.len());
                let piece: Vec<String> = foreign.into_iter().skip(from).take(8).collect();
                parts.splice(at..at, piece);
            }
            _ => {
                let (first, last) = (at.min(other), at.max(other).min(at.min(other) + 40));
                let piece: Vec<String> = parts[first..last].to_vec();
                parts.splice(first..first, piece);
            }
        }
    }
    parts.concat()
}

fn check_mutations(seed: u64, count: usize) {
    let work = move || {
        modeshift_driver::use_stack(STACK_SIZE / 2);
        let (mut dice, seeds) = (Dice(seed), seeds());
        for number in 0..count {
            let (dialect, text) = &seeds[dice.below(seeds.len())];
            let text = changed(&mut dice, &seeds, text);
            let command = dice.below(10);
            let begin = Instant::now();
            let outcome = catch_unwind(AssertUnwindSafe(|| answer(command, &question(*dialect, &text))));
            assert!(outcome.is_ok(), "{seed}/{number}: command {command} panics at\n{text}");
            assert!(begin.elapsed() < PATIENCE, "{seed}/{number}: command {command} takes too long at\n{text}");
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(work).expect("a thread");
    if let Err(reason) = thread.join() {
        std::panic::resume_unwind(reason);
    }
}

fn question(dialect: Dialect, text: &str) -> Question {
    Question {
        source: Source { name: "M".to_string(), path: None, text: text.to_string(), dialect },
        limits: Limits { nodes: Some(100_000), time: Some(Duration::from_secs(2)) },
        ..Question::default()
    }
}

/// Results that nobody wants, of the beginning of a run: a model of microseconds would take long to get to the stop time.
struct Nowhere {
    steps: usize,
}

impl Observer for Nowhere {
    fn columns(&mut self, _columns: &Columns) {}

    fn progress(&mut self, _progress: results::Progress<'_>) -> ControlFlow<()> {
        self.steps += 1;
        if self.steps > 5_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Outputs for Nowhere {
    fn open(&mut self, _model: &str, _span: (f64, f64)) -> Result<(), String> {
        Ok(())
    }
}

/// Asks, and looks at the answer as text and as JSON.
fn answer(command: usize, question: &Question) {
    match command {
        0 => {
            let answer = check(question, CheckOptions { with_repairs: true, ..CheckOptions::default() });
            valid(answer.result.as_ref().map(CheckReport::json), &answer);
        }
        1 => {
            let answer = flatten(question);
            valid(answer.report().map(|report| report.json()), &answer);
        }
        2 => {
            let mut answer = analyze(question, None);
            valid(answer.report(usize::MAX).map(|report| report.json()), &answer);
        }
        3 => {
            let answer = init::init(question, InitOptions::default());
            valid(answer.result.as_ref().map(|report| report.json()), &answer);
        }
        4 => {
            let selection = Selection { from: None, to: None, with_array: false, most_items: usize::MAX };
            let answer = changes::changes(question, &selection);
            valid(answer.result.as_ref().map(|report| report.json()), &answer);
        }
        5 => {
            let options = RunOptions { stop: Some(0.1), interval: Some(0.01), ..RunOptions::default() };
            let answer = simulate(question, &options, &mut Nowhere { steps: 0 });
            let report =
                answer.result.as_ref().map(|run| run.report("M.csv", &answer.diagnostics, &answer.sources).json());
            valid(report, &answer);
        }
        6 => {
            let answer = rimis(question, RimisOptions::default());
            valid(None, &answer);
        }
        7 => {
            let Source { name, text, dialect, .. } = &question.source;
            let source = Source { name: name.clone(), path: None, text: text.clone(), dialect: *dialect };
            valid(None, &parse(vec![source]));
        }
        8 => {
            let answer = semantics::semantics(question, &semantics::Selection::default());
            valid(answer.result.as_ref().map(|report| report.json()), &answer);
        }
        _ => {
            if let Ok((resource, loaded)) = Resource::of(question, Kind::Both) {
                archive(&resource, &loaded, Version::Three, Vec::new());
            }
        }
    }
}

fn valid<T>(report: Option<Value>, answer: &Answer<T>) {
    let refusal = || CheckReport::new(None, (None, "M"), &answer.diagnostics, &answer.sources).json();
    let text = pretty(&report.unwrap_or_else(refusal));
    serde_json::from_str::<Value>(&text).expect("JSON reads back");
    render_all(&answer.diagnostics, &answer.sources, false);
}

//! Random programs of `when`, `reinit` and `pre` against a plain interpreter of the language's event iteration.
//!
//! | file | what it does |
//! |---|---|
//! | `program` | what a program is, and its Modelica text |
//! | `generate` | random programs |
//! | `interpret` | what a program does, by the language's rules |
//!
//! States have constant derivatives, so that the interpreter knows the times of events exactly. Programs that hang on
//! a tie (a relation at zero that nothing has just crossed, two events that are nearly simultaneous) or whose
//! iteration does not end are left out: the language does not say what they do. So are those whose fixed start an assignment
//! contradicts.

mod generate;
mod interpret;
mod program;

use super::of_all;
use super::reference::{Check, Reference};
use super::runner::{PATIENCE, Settings, judge_text};
use super::variants::Variant;

/// Where programs stop, and the distance of their rows: no multiple of what times of events are multiples of.
const STOP: f64 = 5.25;
const INTERVAL: f64 = 0.21;

/// Programs that the interpreter can run, with what they do, from seed 0 on.
fn programs(count: usize, has_algorithms: bool) -> Vec<(u64, String, Reference)> {
    let mut found = Vec::new();
    let mut seed = 0;
    while found.len() < count {
        let program = generate::program(seed, has_algorithms);
        if let Some(values) = interpret::run(&program, STOP, INTERVAL) {
            found.push((seed, program.text(), reference(&program, &values)));
        }
        seed += 1;
    }
    found
}

/// What the interpreter found as a reference.
fn reference(program: &program::Program, rows: &[(f64, Vec<f64>)]) -> Reference {
    let names = program.names();
    let check = |(time, values): &(f64, Vec<f64>)| {
        let of = names.iter().zip(values);
        let time = *time;
        let checks = of.map(move |(name, &value)| Check { variable: name.clone(), time, value, allowed: Some(1e-6) });
        checks.collect::<Vec<_>>()
    };
    Reference {
        kind: "programs".to_string(),
        model: "Program".to_string(),
        stop: STOP,
        interval: INTERVAL,
        checks: rows.iter().flat_map(check).collect(),
        largest: names.iter().map(|name| (name.clone(), 1.0)).collect(),
        units: Default::default(),
        amplification: 1.0,
        is_stiff: false,
        events: None,
        is_refused: false,
        settings: None,
        parameters: Default::default(),
    }
}

/// What the program does with each text that differs from what the interpreter does.
fn wrong(count: usize, has_algorithms: bool) -> Vec<(u64, String)> {
    let programs = programs(count, has_algorithms);
    let settings = Settings { patience: PATIENCE / 4, ..Settings::new("bdf", 1e-6) };
    let said = of_all(&programs, |(seed, text, reference)| {
        let wrong = judge_text(reference, text.clone(), &settings, &Variant::Plain).err()?;
        Some(format!("{seed:06} {wrong}\n{text}"))
    });
    let number = |line: &String| line[..6].parse().expect("the seed is first");
    said.iter().map(|line| (number(line), line.clone())).collect()
}

fn assert_right(count: usize, has_algorithms: bool) {
    let wrong = wrong(count, has_algorithms);
    let texts: Vec<&str> = wrong.iter().map(|(_, text)| text.as_str()).collect();
    assert!(wrong.is_empty(), "{} of {count} programs are wrong:\n{}", wrong.len(), texts.join("\n"));
}

#[test]
fn clauses_of_random_programs_mean_what_the_language_says() {
    assert_right(200, false);
}

#[test]
#[ignore = "2,000 programs; cargo test --release -p modeshift-cli --test suite instant -- --ignored"]
fn clauses_of_2000_random_programs_mean_what_the_language_says() {
    assert_right(2000, false);
}

#[test]
fn algorithm_sections_of_random_programs_mean_what_the_language_says() {
    assert_right(150, true);
}

#[test]
#[ignore = "2,000 programs; cargo test --release -p modeshift-cli --test suite instant -- --ignored"]
fn algorithm_sections_of_2000_random_programs_mean_what_the_language_says_or_are_refused() {
    let (refused, wrong): (Vec<_>, Vec<_>) =
        wrong(2000, true).into_iter().partition(|(_, text)| text.contains("E0823"));
    let texts: Vec<&str> = wrong.iter().map(|(_, text)| text.as_str()).collect();
    assert!(wrong.is_empty(), "{} programs are wrong:\n{}", wrong.len(), texts.join("\n"));
    // Booleans that a section assigns both outside and inside of `when`, where a state that they read is reinitialized.
    assert!(refused.len() <= 10, "{} programs are refused", refused.len());
}

//! How the analysis of starts scales, in all modes and scenarios at once.
//!
//! `cargo bench --bench initialization` measures sizes up to 10,000 elements, `-- --full` up to 100,000. Every variable
//! that occurs differentiated has a fixed start (`fixed`), none has one (`free`), or all derivatives are zero at the
//! start (`steady`); `-- one line steady 1000` measures one of them. `modes` is the analysis of the long modes, which is needed before; `start` is all that this adds:
//! system, matching, decomposition, proposal, blocks; `cases` the verdicts by cases of modes.

mod clock;
mod growth;
#[path = "../crates/structure/tests/common/scalable.rs"]
mod scalable;

use clock::measured;
use growth::Growth;
use modeshift_dae::{InitialEquation, MultimodeDae, Node, VariableId};
use modeshift_diagnostics::{Diagnostics, Span};
use modeshift_modes::{ModeSet, TimeLimit};
use modeshift_structure::initialization::{InitialChoice, initialization};
use modeshift_structure::{Options, analyze};

/// A model of a size.
type MakePlan = fn(usize) -> scalable::Plan;

const SIZES: &[usize] = &[300, 1_000, 3_000, 10_000, 30_000, 100_000];

const MODELS: [(&str, MakePlan); 3] = [
    ("line", |size| scalable::transmission_line(size, false)),
    ("clutches", scalable::clutch_chain),
    ("tree", scalable::transmission_tree),
];

pub(crate) fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["one", name, kind, size] => {
            let (_, plan) = MODELS.iter().find(|(known, _)| known == name).expect("a known model");
            let dae = plan(size.parse().expect("a size")).natural();
            measure(name, kind, size.parse().expect("a size"), with_conditions(dae, kind));
        }
        ["--full"] => all(100_000),
        _ => all(10_000),
    }
}

fn all(largest: usize) {
    println!(
        "{:>14} {:>7} {:>8} {:>9} {:>8} {:>8} {:>8} {:>7}",
        "model", "start", "N", "equations", "modes s", "start s", "cases s", "cases"
    );
    for (name, plan) in MODELS {
        for kind in ["fixed", "free", "steady"] {
            let mut growth = Growth::default();
            for &size in SIZES.iter().filter(|&&size| size <= largest) {
                match measure(name, kind, size, with_conditions(plan(size).natural(), kind)) {
                    Some(seconds) => growth.add(size, seconds),
                    None => break,
                }
            }
            if let Some(exponent) = growth.exponent() {
                println!("{name:>14} {kind:>7} exponent {exponent:.2}");
            }
        }
    }
}

/// States with fixed starts, none, or all at rest.
fn with_conditions(mut dae: MultimodeDae, kind: &str) -> MultimodeDae {
    let model = &mut dae.model;
    let zero = model.expressions.integer(0);
    for variable in differentiated(&dae.model) {
        match kind {
            "fixed" => {
                (dae.model.variables[variable].start, dae.model.variables[variable].fixed) = (Some(zero), Some(true));
            }
            "steady" => {
                let left = dae.model.expressions.variable(variable, 1);
                let guard = dae.model.variables[variable].guard;
                let condition = InitialEquation { left, right: zero, guard, scenario: None, span: Span::default() };
                dae.model.initial_equations.push(condition);
            }
            _ => {}
        }
    }
    dae
}

fn differentiated(model: &modeshift_dae::FlatModel) -> Vec<VariableId> {
    let mut found: Vec<VariableId> = Vec::new();
    for equation in model.equations.iter() {
        for side in [equation.left, equation.right] {
            model.expressions.for_each(side, |_, node| {
                if let Node::Variable(variable, 1..) = node {
                    found.push(variable);
                }
                true
            });
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// One row; the seconds of the start alone, or nothing if a limit was reached.
fn measure(name: &str, kind: &str, size: usize, dae: MultimodeDae) -> Option<f64> {
    let time_limit = Some(TimeLimit::from_now(std::time::Duration::from_secs(120)));
    let options = Options { node_limit: Some(100_000_000), time_limit, ..Options::default() };
    let clock = clock::Clock::start();
    let analysis = analyze(&dae, &options).ok()?;
    let modes = clock.seconds();
    let choice = InitialChoice::default();
    let (start, seconds) = measured(|| initialization(&dae, &analysis, &choice, &options, &mut Diagnostics::new()));
    let start = match start {
        Ok(start) => start,
        Err(limit) => {
            println!("{name:>14} {kind:>7} {size:>8} {limit}");
            return None;
        }
    };
    let scenarios = start.scenarios.iter();
    let (cases, of_cases) =
        measured(|| scenarios.map(|scenario| start.cases(scenario, ModeSet::ALL).len()).sum::<usize>());
    let equations = start.system.origins.len();
    println!("{name:>14} {kind:>7} {size:>8} {equations:>9} {modes:>8.3} {seconds:>8.3} {of_cases:>8.3} {cases:>7}");
    Some(seconds + of_cases)
}

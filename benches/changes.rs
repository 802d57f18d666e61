//! How the analysis of all mode changes scales, with the impulse orders of every variable.
//!
//! `cargo bench --bench changes` measures sizes up to 10,000 elements, `-- --full` up to 100,000; `-- one line 1000` is one of
//! them. `modes` is the analysis
//! of the long modes, which is needed before; `changes` finds what is new, erased, missing and undetermined in all pairs
//! of modes; `orders` the impulse orders of all variables, as sets of changes or as rules: `by rule` counts variables
//! whose sets are too long to be written out, `rules` what is written instead. Time is processor time.

mod clock;
mod growth;
#[path = "../crates/structure/tests/common/scalable.rs"]
mod scalable;

use clock::{Clock, measured};
use growth::Growth;
use modeshift_dae::MultimodeDae;
use modeshift_mode_changes::AllChanges;
use modeshift_modes::{Limit, TimeLimit};
use modeshift_structure::{Analysis, Options, analyze};

/// A model of a size.
type MakePlan = fn(usize) -> scalable::Plan;

const SIZES: &[usize] = &[300, 1_000, 3_000, 10_000, 30_000, 100_000];

const MODELS: [(&str, MakePlan); 3] = [
    ("line", |size| scalable::transmission_line(size, false)),
    ("line-plugs", |size| scalable::transmission_line(size, true)),
    ("clutches", scalable::clutch_chain),
];

pub(crate) fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["one", name, size] => {
            let (_, plan) = MODELS.iter().find(|(known, _)| known == name).expect("a known model");
            let size = size.parse().expect("a size");
            measure(name, size, &plan(size).natural(), 0.0).expect("no limit is reached");
        }
        ["--full"] => all(100_000),
        _ => all(10_000),
    }
}

fn all(largest: usize) {
    println!(
        "{:>14} {:>8} {:>9} {:>8} {:>9} {:>8} {:>8} {:>9} {:>8} {:>8} {:>8} {:>7}",
        "model",
        "N",
        "equations",
        "modes s",
        "changes s",
        "orders s",
        "erased",
        "impulsive",
        "jump",
        "by rule",
        "rules",
        "knodes"
    );
    for (name, plan) in MODELS {
        let mut growth = Growth::default();
        for &size in SIZES.iter().filter(|&&size| size <= largest) {
            match measure(name, size, &plan(size).natural(), LEAST_SECONDS) {
                Ok(seconds) => growth.add(size, seconds),
                Err(limit) => {
                    println!("{name:>14} {size:>8} {limit}");
                    break;
                }
            }
        }
        if let Some(exponent) = growth.exponent() {
            println!("{name:>14} exponent {exponent:.2}");
        }
    }
}

/// Small models are analyzed again and again for this long, and the mean counts.
const LEAST_SECONDS: f64 = 0.5;

/// One row, of rounds that take this long; the seconds that mode changes add.
fn measure(name: &str, size: usize, dae: &MultimodeDae, least: f64) -> Result<f64, Limit> {
    let time_limit = Some(TimeLimit::from_now(std::time::Duration::from_secs(300)));
    let options = Options { node_limit: Some(100_000_000), time_limit, ..Options::default() };
    let clock = Clock::start();
    let analysis = analyze(dae, &options)?;
    let modes = clock.seconds();
    let (mut of_changes, mut of_orders, mut rounds) = (0.0, 0.0, 0.0);
    let found = loop {
        let (changes, seconds) = measured(|| AllChanges::new(dae, &analysis, &options));
        of_changes += seconds;
        let changes = changes?;
        let (found, seconds) = measured(|| Found::new(&changes, &analysis));
        of_orders += seconds;
        let found = found?;
        rounds += 1.0;
        if of_changes + of_orders > least {
            break found;
        }
    };
    let (of_changes, of_orders) = (of_changes / rounds, of_orders / rounds);
    let equations = analysis.incidence.equations().len();
    let Found { erased, impulsive, jump, by_rule, rules, knodes } = found;
    println!(
        "{name:>14} {size:>8} {equations:>9} {modes:>8.3} {of_changes:>9.4} {of_orders:>8.4} {erased:>8} {impulsive:>9} \
         {jump:>8} {by_rule:>8} {rules:>8} {knodes:>7}"
    );
    Ok(of_changes + of_orders)
}

/// How much there is.
struct Found {
    erased: usize,
    impulsive: usize,
    jump: usize,
    by_rule: usize,
    rules: usize,
    knodes: usize,
}

impl Found {
    fn new(changes: &AllChanges, analysis: &Analysis) -> Result<Self, Limit> {
        let potentials = changes.potentials()?;
        let (mut impulsive, mut jump, mut by_rule, mut rules) = (0, 0, 0, 0);
        for variable in analysis.incidence.variables().ids() {
            let orders = potentials.orders(&changes.pairs, analysis, variable);
            impulsive += usize::from(orders.iter().any(|&(order, _)| order > 0));
            jump += usize::from(orders.iter().any(|&(order, _)| order == 0));
            if potentials.is_open(analysis, variable) {
                by_rule += 1;
                rules += potentials.rules(&changes.pairs, analysis, variable).len();
            }
        }
        let (erased, knodes) = (changes.memory.erased.len(), changes.pairs.space.node_count() / 1000);
        Ok(Found { erased, impulsive, jump, by_rule, rules, knodes })
    }
}

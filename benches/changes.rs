//! How the analysis of all mode changes scales, with the impulse orders of every variable.
//!
//! `cargo bench --bench changes` measures sizes up to 10,000 elements, `-- --full` up to 100,000. `modes` is the analysis
//! of the long modes, which is needed before; `changes` finds what is new, erased, missing and undetermined in all pairs
//! of modes; `orders` the impulse orders of all variables, as sets of changes or as rules: `by rule` counts variables
//! whose sets are too long to be written out, `rules` what is written instead. Time is processor time.

mod clock;
mod growth;
#[path = "../crates/structure/tests/common/scalable.rs"]
mod scalable;

use clock::Clock;
use growth::Growth;
use modeshift_dae::MultimodeDae;
use modeshift_mode_changes::AllChanges;
use modeshift_modes::Limit;
use modeshift_structure::{Analysis, Options, analyze};

/// A model of a size.
type MakePlan = fn(usize) -> scalable::Plan;

const SIZES: &[usize] = &[300, 1_000, 3_000, 10_000, 30_000, 100_000];

fn main() {
    let full = std::env::args().any(|argument| argument == "--full");
    let largest = if full { 100_000 } else { 10_000 };
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
    let models: [(&str, MakePlan); 3] = [
        ("line", |size| scalable::transmission_line(size, false)),
        ("line-plugs", |size| scalable::transmission_line(size, true)),
        ("clutches", scalable::clutch_chain),
    ];
    for (name, plan) in models {
        let mut growth = Growth::default();
        for &size in SIZES.iter().filter(|&&size| size <= largest) {
            match measure(name, size, &plan(size).natural()) {
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

/// One row; the seconds that mode changes add.
fn measure(name: &str, size: usize, dae: &MultimodeDae) -> Result<f64, Limit> {
    let time_limit = Some(std::time::Duration::from_secs(300));
    let options = Options { node_limit: Some(100_000_000), time_limit, ..Options::default() };
    let clock = Clock::start();
    let analysis = analyze(dae, &options)?;
    let modes = clock.seconds();
    let (mut of_changes, mut of_orders, mut rounds) = (0.0, 0.0, 0.0);
    let found = loop {
        let clock = Clock::start();
        let changes = AllChanges::new(dae, &analysis, &options)?;
        of_changes += clock.seconds();
        let clock = Clock::start();
        let found = Found::new(&changes, &analysis)?;
        of_orders += clock.seconds();
        rounds += 1.0;
        if of_changes + of_orders > LEAST_SECONDS {
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

//! What a mode change costs in a run: from the instant that was found to the integration that goes on.
//!
//! `cargo bench --bench mode_changes` runs chains of 1,000 clutches and transmission lines of 1,000 elements over about
//! 100 mode changes each, some of them through modes that were visited before; `-- --size 300` other sizes,
//! `-- --only wave` one of the models, `-- --each` lists every event, `-- --once` repeats
//! nothing. Every run is repeated, and of each part of
//! each event the shortest time counts, so that other work on the machine does not. `first visit` are events that enter a mode for the
//! first time, `again` the others. Parts are those of the event of median cost.

mod clock;

use std::collections::BTreeMap;
use std::time::Duration;

use modeshift_diagnostics::Diagnostics;
use modeshift_numerics::{NativeFunctions, Parameters};
use modeshift_simulate::results::{CostPart, EventCost, Observer};
use modeshift_simulate::run::{RunModel, RunSettings, run};
use modeshift_structure::{Options, Regularized, regularize};
use modeshift_testkit::multimode_dae;

/// How often each run is repeated.
const REPETITIONS: usize = 5;

/// A model of a size, and until when it runs.
struct Scenario {
    name: &'static str,
    text: String,
    overrides: Vec<(String, String)>,
    stop: f64,
}

pub(crate) fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let value_of = |name: &str| arguments.iter().position(|it| it == name).and_then(|at| arguments.get(at + 1));
    let size = value_of("--size").and_then(|size| size.parse().ok()).unwrap_or(1000);
    let each = arguments.iter().any(|it| it == "--each");
    let repetitions = if arguments.iter().any(|it| it == "--once") { 1 } else { REPETITIONS };
    print!("{:>16} {:>6} {:>12} {:>6} {:>8} {:>8} {:>8}", "model", "N", "", "events", "median", "90 %", "worst");
    CostPart::ALL.iter().for_each(|part| print!(" {:>10}", part.name()));
    println!("   (ms)");
    for scenario in scenarios(size) {
        if value_of("--only").is_none_or(|only| only == scenario.name) {
            scenario.measure(size, repetitions, each);
        }
    }
}

fn scenarios(size: usize) -> Vec<Scenario> {
    let chain = include_str!("../models/ClutchChain.mo");
    let line = include_str!("../models/FaultyCoaxial.mo");
    let with_size = |size: usize| vec![("N".to_string(), size.to_string())];
    vec![
        // Clutch k engages at time k: ever longer runs of engaged clutches.
        Scenario { name: "one-by-one", text: chain.to_string(), overrides: with_size(size + 1), stop: 100.0 },
        // 28 groups of clutches engage one after the other and open 10 later, again and again: a third of them
        // are engaged, as one block. Torques of their own drive the masses apart in between.
        Scenario {
            name: "wave",
            text: driven(&chain.replace("(time >= k)", &windows(&format!("div(k - 1, {})", size.div_ceil(28)), 10))),
            overrides: with_size(size + 1),
            stop: 120.0,
        },
        // Six of 28 groups of clutches all over the chain at a time: many short runs.
        Scenario {
            name: "scattered",
            text: driven(&chain.replace("(time >= k)", &windows("mod(9*k, 28)", 6))),
            overrides: with_size(size + 1),
            stop: 120.0,
        },
        // A line full of waves: where they meet, elements fail, and waves go out from there. Faults stay.
        Scenario { name: "line", text: ringing(line), overrides: with_size(size), stop: 6e-8 },
        // Faults that come and go, along the line.
        Scenario { name: "line-repaired", text: repaired(line), overrides: with_size(size), stop: 1.2e-7 },
    ]
}

/// True from `begin` on for a length, and again after 40 and 80.
fn windows(begin: &str, length: usize) -> String {
    let window = |from: usize| format!("time >= {begin} + {} and time < {begin} + {}", from + 1, from + 1 + length);
    format!("({} or {} or {})", window(0), window(40), window(80))
}

/// The chain with a torque on each mass.
fn driven(chain: &str) -> String {
    chain
        .replace("J*der(w[1]) =", "J*der(w[1]) - sin(1) =")
        .replace("J*der(w[k]) =", "J*der(w[k]) - sin(k) =")
        .replace("J*der(w[N]) =", "J*der(w[N]) - sin(N) =")
}

/// The line charged at random.
fn ringing(line: &str) -> String {
    line.replace("Imax = 0.3", "Imax = 0.8")
        .replace("element[N];", "element[N](u2(start = {150*sin(0.37*k*k) for k in 1:N}));")
}

/// The line in which every tenth element opens and every tenth is short-circuited for a while, 28 groups of each, again
/// and again.
fn repaired(line: &str) -> String {
    let begins = |rest: usize| format!("{{if mod(k, 10) == {rest} then mod(div(k, 10), 28) else 1e6 for k in 1:N}}");
    let windows = |begin: &str| windows(begin, 6).replace("time", "1e9*time");
    line.replace("((last(i2) >= Imax) or last(open)) and not last(short)", &windows("beginOpen"))
        .replace("(last(u1) >= Umax) or last(short)", &windows("beginShort"))
        .replace(
            "  parameter Real Imax",
            "  parameter Real beginOpen;\n  parameter Real beginShort;\n  parameter Real Imax",
        )
        .replace("element[N];", &format!("element[N](beginOpen = {}, beginShort = {});", begins(0), begins(5)))
}

impl Scenario {
    fn measure(&self, size: usize, repetitions: usize, each: bool) {
        let dae = multimode_dae(&self.text, &self.overrides).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"));
        let natives = NativeFunctions::default();
        let no_overrides = BTreeMap::new();
        let Regularized { dae, analysis, .. } = {
            let (values, mut diagnostics) = (dae.clone(), Diagnostics::new());
            let parameters = Parameters::evaluate(&values.model, &natives, &no_overrides, &mut diagnostics);
            let parameters = parameters.unwrap_or_else(|_| panic!("{diagnostics:#?}"));
            regularize(dae, &Options::default(), &|id| parameters.of(id)).expect("no limit was set")
        };
        let model = RunModel { dae: &dae, analysis: &analysis, natives: &natives, overrides: &no_overrides };
        let settings = RunSettings { stop: self.stop, ..RunSettings::of(&dae.model.experiment) };
        let settings = RunSettings { interval: self.stop, ..settings };
        let mut best: Vec<EventCost> = Vec::new();
        for _ in 0..repetitions {
            let mut costs = Costs(Vec::new());
            let mut diagnostics = Diagnostics::new();
            let (summary, _) = clock::measured(|| run(&model, &settings, &mut costs, &mut diagnostics));
            if summary.is_none_or(|it| it.time < self.stop) {
                diagnostics.iter().for_each(|it| println!("{}: {}", it.code, it.message));
            }
            if best.is_empty() {
                best = costs.0;
            } else {
                best.iter_mut().zip(&costs.0).for_each(|(best, cost)| *best = best.shorter(cost));
            }
        }
        let restarts = || best.iter().filter(|cost| cost.restarted);
        self.print(size, "first visit", restarts().filter(|cost| cost.new_modes > 0).copied().collect());
        self.print(size, "again", restarts().filter(|cost| cost.new_modes == 0).copied().collect());
        if each {
            best.iter().for_each(print_event);
        }
    }

    fn print(&self, size: usize, kind: &str, mut costs: Vec<EventCost>) {
        if costs.is_empty() {
            return;
        }
        costs.sort_by_key(EventCost::total);
        let quantile = |share: f64| &costs[((costs.len() - 1) as f64 * share).round() as usize];
        print!("{:>16} {size:>6} {kind:>12} {:>6}", self.name, costs.len());
        [0.5, 0.9, 1.0].iter().for_each(|&share| print!(" {:>8.2}", milliseconds(quantile(share).total())));
        CostPart::ALL.iter().for_each(|&part| print!(" {:>10.2}", milliseconds(quantile(0.5).part(part))));
        println!();
    }
}

fn print_event(cost: &EventCost) {
    print!("{:>16.6e} {:>6} {:>8.2}", cost.time, cost.new_modes, milliseconds(cost.total()));
    CostPart::ALL.iter().for_each(|&part| print!(" {:>10.2}", milliseconds(cost.part(part))));
    println!();
}

fn milliseconds(duration: Duration) -> f64 {
    1e3 * duration.as_secs_f64()
}

struct Costs(Vec<EventCost>);

impl Observer for Costs {
    fn wants_costs(&self) -> bool {
        true
    }

    fn cost(&mut self, cost: &EventCost) {
        self.0.push(*cost);
    }
}

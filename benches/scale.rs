//! How the analysis of all modes scales: time, decision-diagram nodes, memory, and the ratio to one mode.
//!
//! `cargo bench --bench scale` measures sizes up to 10,000 elements, `cargo bench --bench scale -- --full` up to 100,000,
//! and `cargo bench --bench scale -- line 1000 10000` one model at some sizes. Each measurement runs in a process of its
//! own, so that its peak memory is its own. `-- --papers` measures the papers' chain beside ours. `read` is from
//! expressions to incidence; `ratio` is the time for all modes divided by the time for one mode by `single_mode`, both
//! from the flat model to blocks and what they read.

mod clock;
mod growth;
mod papers_chain;
#[path = "../crates/structure/tests/common/scalable.rs"]
mod scalable;
#[path = "../crates/structure/tests/common/single_mode.rs"]
mod single_mode;

use std::process::Command;

use clock::measured;
use growth::{Growth, peak_memory_in_megabytes};
use modeshift_dae::MultimodeDae;
use modeshift_modes::TimeLimit;
use modeshift_structure::one_mode::signature_in;
use modeshift_structure::{Options, analyze};
use scalable::Plan;

/// A family of models.
struct Model {
    name: &'static str,
    plan: fn(usize) -> Plan,
    /// The largest size that is tried.
    largest: usize,
}

const MODELS: &[Model] = &[
    Model { name: "line", plan: |n| scalable::transmission_line(n, false), largest: 100_000 },
    Model { name: "line-plugs", plan: |n| scalable::transmission_line(n, true), largest: 100_000 },
    Model { name: "tree", plan: scalable::transmission_tree, largest: 100_000 },
    Model { name: "compressible", plan: |n| scalable::building(n, true), largest: 100_000 },
    Model { name: "incompressible", plan: |n| scalable::building(n, false), largest: 100_000 },
    Model { name: "westinghouse", plan: scalable::westinghouse, largest: 100_000 },
    Model { name: "clutches", plan: scalable::clutch_chain, largest: 100_000 },
    Model { name: "grid", plan: |n| scalable::valve_grid((n as f64).sqrt() as usize), largest: 10_000 },
    Model { name: "pipe", plan: scalable::valve_pipe, largest: 100 },
];

const SIZES: &[usize] = &[100, 300, 1_000, 3_000, 10_000, 30_000, 100_000];
/// Exponents are fitted from this size on.
const LEAST_FITTED: usize = 300;

pub(crate) fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["one", name, size, order] => measure(name, size.parse().expect("a size"), *order == "scrambled"),
        ["one-mode", name, size, order] => {
            println!("{}", seconds_for_one_mode(&model(name, size.parse().expect("a size"), *order == "scrambled")));
        }
        ["--full"] => all(usize::MAX),
        ["--papers"] => papers(),
        ["papers", name, size] => measure_papers(name, size.parse().expect("a size")),
        [] => all(10_000),
        [name, sizes @ ..] => {
            let sizes: Vec<usize> = sizes.iter().map(|size| size.parse().expect("a size")).collect();
            for model in MODELS.iter().filter(|model| model.name == *name) {
                table(model, usize::MAX, if sizes.is_empty() { SIZES } else { &sizes });
            }
        }
    }
}

fn all(largest: usize) {
    MODELS.iter().for_each(|model| table(model, largest.min(model.largest), SIZES));
}

/// Measures the papers' own chain at the sizes it reaches, as the baseline: matchings as one Boolean function.
fn papers() {
    println!("{:>14} {:>5} {:>9} {:>9} {:>9}", "model", "N", "papers s", "ours s", "knodes");
    for model in MODELS {
        for size in [1, 2, 4, 8, 16, 32, 64, 128] {
            let program = std::env::current_exe().expect("this program");
            let output = Command::new(program).args(["papers", model.name, &size.to_string()]).output();
            let output = output.expect("this program runs");
            print!("{}", String::from_utf8_lossy(&output.stdout));
            if !output.status.success() {
                println!("{:>14} {size:>5} {}", model.name, String::from_utf8_lossy(&output.stderr).trim());
                break;
            }
        }
    }
}

fn measure_papers(name: &str, size: usize) {
    let model = MODELS.iter().find(|model| model.name == name).expect("a known model");
    let plan = (model.plan)(size.max(2));
    let (nodes, papers) = measured(|| papers_chain::choose_matchings(&plan, std::time::Duration::from_secs(60)));
    let nodes = nodes.unwrap_or_else(|limit| {
        eprintln!("{limit}");
        std::process::exit(1);
    });
    let (analysis, ours) = measured(|| analyze(&plan.natural(), &Options::default()).expect("no limit is set"));
    std::hint::black_box(analysis);
    println!("{name:>14} {size:>5} {papers:>9.3} {ours:>9.3} {:>9}", nodes / 1000);
}

/// Measures one model at several sizes in both orders.
fn table(model: &Model, largest: usize, sizes: &[usize]) {
    println!("\n{}", model.name);
    println!(
        "{:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7} {:>6} {:>8} {:>9}",
        "N",
        "order",
        "equations",
        "read s",
        "match s",
        "cycle s",
        "graph s",
        "total s",
        "ratio",
        "MB",
        "knodes",
        "blocks"
    );
    for order in ["natural", "scrambled"] {
        let mut growth = Growth::default();
        for &size in sizes.iter().filter(|&&size| size <= largest) {
            let program = std::env::current_exe().expect("this program");
            let output = Command::new(program).args(["one", model.name, &size.to_string(), order]).output();
            let output = output.expect("this program runs");
            let text = String::from_utf8_lossy(&output.stdout);
            print!("{text}");
            if !output.status.success() {
                println!("{size:>9} {order:>9} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
                break;
            }
            let total = text.split_whitespace().nth(7).and_then(|total| total.parse().ok());
            let total = total.expect("the eighth column is the total time");
            if size >= LEAST_FITTED {
                growth.add(size, total);
            }
        }
        if let Some(exponent) = growth.exponent() {
            println!("{:>9} {order:>9} exponent {exponent:.2}", "");
        }
    }
}

/// A model of a size, in the order in which it is written or shuffled.
fn model(name: &str, size: usize, scrambled: bool) -> MultimodeDae {
    let model = MODELS.iter().find(|model| model.name == name).expect("a known model");
    let plan = (model.plan)(size);
    if scrambled { plan.scrambled() } else { plan.natural() }
}

fn measure(name: &str, size: usize, scrambled: bool) {
    let dae = model(name, size, scrambled);
    let time_limit = Some(TimeLimit::from_now(std::time::Duration::from_secs(300)));
    let options = Options { node_limit: Some(100_000_000), time_limit, ..Options::default() };
    // The next large piece of memory would pay for sorting the small ones that were given back with the plan.
    drop(std::hint::black_box(Vec::<u8>::with_capacity(1 << 20)));
    let (analysis, total) = measured(|| analyze(&dae, &options));
    let analysis = analysis.unwrap_or_else(|limit| {
        eprintln!("{limit}");
        std::process::exit(1);
    });
    let memory = peak_memory_in_megabytes();
    let one_mode = one_mode_in_its_own_process(name, size, scrambled);
    let times = &analysis.times;
    let stages = [times.reading, times.matching, times.cycles, times.graph];
    // Stages are measured by the clock on the wall, which other programs slow down; their shares are right.
    let [reading, matching, cycles, graph] = stages.map(|stage| stage / stages.iter().sum::<f64>() * total);
    println!(
        "{size:>9} {:>9} {:>9} {:>8.3} {:>8.3} {:>8.3} {:>8.3} {total:>8.3} {:>7.1} {memory:>6} {:>8} {:>8}{}",
        if scrambled { "scrambled" } else { "natural" },
        analysis.incidence.equations().len(),
        reading,
        matching,
        cycles,
        graph,
        total / one_mode,
        analysis.space.node_count() / 1000,
        analysis.graph.block_count(),
        if analysis.graph.is_truncated() { "+" } else { "" },
    );
}

/// In a process of its own, so that both start with memory that has not been used before.
fn one_mode_in_its_own_process(name: &str, size: usize, scrambled: bool) -> f64 {
    let order = if scrambled { "scrambled" } else { "natural" };
    let program = std::env::current_exe().expect("this program");
    let output = Command::new(program).args(["one-mode", name, &size.to_string(), order]).output();
    let text = String::from_utf8_lossy(&output.expect("this program runs").stdout).into_owned();
    text.trim().parse().expect("the time for one mode")
}

/// The same question about one mode, in which all mode variables are false: from the flat model to blocks and their reads.
fn seconds_for_one_mode(dae: &MultimodeDae) -> f64 {
    let work = || {
        let signature = signature_in(dae, |_| false).signature;
        let structure = single_mode::analyze(&signature);
        if let single_mode::Structure::Regular(regular) = &structure {
            for block in &regular.blocks {
                std::hint::black_box(regular.reads(&signature, block));
            }
        }
        structure
    };
    measured(work).1
}

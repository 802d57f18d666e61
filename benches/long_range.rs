//! How verdicts of long-range models scale: singular modes and islands, in all modes at once.
//!
//! `cargo bench --bench long_range` measures up to 10,000 switches, `-- --full` up to 100,000; `-- one grid6 10000`
//! measures one of them; `rooms` is the scrambled building, and there N counts rooms. `sweep` is all of it, from the model to the sets of modes; boundary, states per cut and minimal states per
//! cut are those of the matching, `islands` the states per cut of the partitions.

mod clock;
mod growth;
#[path = "../crates/structure/tests/common/scalable.rs"]
mod scalable;

use clock::measured;
use growth::{Growth, peak_memory_in_megabytes};
use modeshift_dae::{MultimodeDae, VariableId};
use modeshift_structure::Options;
use modeshift_structure::long_range::long_range;
use modeshift_testkit::multimode_dae_of_mel;

const SIZES: &[usize] = &[1_000, 10_000, 100_000];

/// A model with about so many switches.
type Make = fn(usize) -> MultimodeDae;

const MODELS: [(&str, Make); 9] = [
    ("pipe", |size| scalable::valve_pipe(size).natural()),
    ("scrambled", |size| scalable::valve_pipe(size).scrambled()),
    ("ladder", |size| network("BreakerLadder", &[("N", size.div_ceil(3))])),
    ("grid3", |size| grid(3, size)),
    ("grid4", |size| grid(4, size)),
    ("grid5", |size| grid(5, size)),
    ("grid6", |size| grid(6, size)),
    ("building", |size| scalable::building(size, false).natural()),
    ("rooms", |size| scalable::building(size, false).scrambled()),
];

fn grid(width: usize, size: usize) -> MultimodeDae {
    network("BreakerGrid", &[("W", width), ("H", (size + width) / (2 * width - 1))])
}

fn network(name: &str, sizes: &[(&str, usize)]) -> MultimodeDae {
    let text = match name {
        "BreakerLadder" => include_str!("../models/BreakerLadder.mel"),
        _ => include_str!("../models/BreakerGrid.mel"),
    };
    let sizes: Vec<(&str, String)> = sizes.iter().map(|(name, size)| (*name, size.to_string())).collect();
    multimode_dae_of_mel(name, text, &sizes).expect("a correct model")
}

pub(crate) fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    println!(
        "{:>10} {:>8} {:>9} {:>9} {:>7} {:>8} {:>8} {:>6}",
        "model", "N", "sweep s", "boundary", "states", "minimal", "islands", "MB"
    );
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["one", name, size] => {
            let (_, make) = MODELS.iter().find(|(known, _)| known == name).expect("a known model");
            measure(name, *make, size.parse().expect("a size"));
        }
        ["--full"] => all(100_000),
        _ => all(10_000),
    }
}

fn all(largest: usize) {
    for (name, make) in MODELS {
        let mut growth = Growth::default();
        for &size in SIZES.iter().filter(|&&size| size <= largest) {
            growth.add(size, measure(name, make, size));
        }
        if let Some(exponent) = growth.exponent() {
            println!("{name:>10} exponent {exponent:.2}");
        }
    }
}

fn measure(name: &str, make: Make, size: usize) -> f64 {
    let mut dae = make(size);
    let switches = dae.mode_variables.len();
    let parameters: Vec<bool> =
        dae.model.variables.iter().map(|variable| matches!(&*variable.name, "g" | "s")).collect();
    let value_of = |variable: VariableId| parameters[variable.0 as usize].then_some(1.0);
    let (found, seconds) = measured(|| long_range(&mut dae, &Options::default(), &value_of));
    match found {
        Ok(found) => {
            let (rank, islands) = (found.singular.size, found.islands.map_or(0, |islands| islands.size.states));
            let memory = peak_memory_in_megabytes();
            let (boundary, states, minimal) = (rank.boundary, rank.states, rank.minimal_states);
            println!(
                "{name:>10} {switches:>8} {seconds:>9.3} {boundary:>9} {states:>7} {minimal:>8} {islands:>8} {memory:>6}"
            );
        }
        Err(reason) => println!("{name:>10} {switches:>8} {seconds:>9.3} {reason}"),
    }
    seconds
}

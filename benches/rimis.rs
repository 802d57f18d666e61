//! How the rewriting of models scales: `cargo bench --bench rimis`.
//!
//! The faulty transmission line of E22, Figures 13 and 15, with more and more elements: `analyzing` is what has to be known
//! before, `rewriting` all that is added, both in seconds of processor time; `blocks` and `bytes` should grow in step with
//! the elements. `-- one 1000`: this size only.

mod clock;
mod growth;

use clock::{Clock, measured};
use growth::Growth;
use modeshift_dae::MultimodeDae;
use modeshift_rimis::{Form, transform};
use modeshift_structure::{Options, analyze};
use modeshift_testkit::multimode_dae;

const SIZES: &[usize] = &[100, 300, 1_000, 3_000, 10_000];

pub(crate) fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let ["one", size] = arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        measure(size.parse().expect("a size"));
        return;
    }
    println!("{:>8} {:>9} {:>10} {:>10} {:>10} {:>10}", "N", "blocks", "reading", "analyzing", "rewriting", "bytes");
    let (mut seconds, mut bytes) = (Growth::default(), Growth::default());
    for &size in SIZES {
        let measured = measure(size);
        seconds.add(size, measured.rewriting);
        bytes.add(measured.blocks, measured.bytes as f64);
    }
    let [seconds, bytes] = [seconds, bytes].map(|growth| growth.exponent().expect("several sizes"));
    println!("exponents: seconds of rewriting by N {seconds:.2}, bytes by blocks {bytes:.2}");
}

struct Measured {
    rewriting: f64,
    blocks: usize,
    bytes: usize,
}

fn measure(size: usize) -> Measured {
    let clock = Clock::start();
    let dae = line(size);
    let reading = clock.seconds();
    let clock = Clock::start();
    let analysis = analyze(&dae, &Options::default()).expect("no limit was set");
    let analyzing = clock.seconds();
    let (text, rewriting) = measured(|| transform(&dae, &analysis, Form::Robust, None));
    let text = text.expect("a model that qualifies");
    let measured = Measured { rewriting, blocks: analysis.graph.block_count(), bytes: text.len() };
    let Measured { rewriting, blocks, bytes } = measured;
    println!("{size:>8} {blocks:>9} {reading:>10.3} {analyzing:>10.3} {rewriting:>10.3} {bytes:>10}");
    measured
}

fn line(size: usize) -> MultimodeDae {
    let dae = multimode_dae(include_str!("../models/FaultyCoaxial.mo"), &[("N", size.to_string())]);
    dae.expect("a model of the papers")
}

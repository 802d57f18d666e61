//! How the rewriting of models scales: `cargo bench --bench rimis`.
//!
//! The faulty transmission line of E22, Figures 13 and 15, with more and more elements: `analyzing` is what has to be known
//! before, `rewriting` all that is added, both in seconds; `blocks` and `bytes` should grow in step with the elements.

use std::time::Instant;

use modeshift_diagnostics::Diagnostics;
use modeshift_flatten::{Library, Memory, Request, elaborate, flatten};
use modeshift_rimis::{Form, transform};
use modeshift_structure::{Options, analyze};

const SIZES: &[usize] = &[100, 300, 1_000, 3_000, 10_000];

fn main() {
    let source = include_str!("../models/FaultyCoaxial.mo");
    println!("{:>8} {:>10} {:>10} {:>12} {:>10}", "N", "blocks", "analyzing", "rewriting", "bytes");
    for &size in SIZES {
        let mut diagnostics = Diagnostics::new();
        let mut library = Library::new(Memory::new(), Vec::new());
        library.add_text("FaultyCoaxial.mo", source, &mut diagnostics);
        let request = Request { model: None, overrides: vec![("N".to_string(), size.to_string())] };
        let flat = flatten(&mut library, &request, &mut diagnostics).expect("a model of the papers");
        let dae = elaborate(flat, &mut diagnostics).expect("a model of the papers");
        let start = Instant::now();
        let analysis = analyze(&dae, &Options::default()).expect("no limit was set");
        let analyzing = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let text = transform(&dae, &analysis, Form::Robust, None).expect("a model that qualifies");
        let rewriting = start.elapsed().as_secs_f64();
        let blocks = analysis.graph.block_count();
        println!("{size:>8} {blocks:>10} {analyzing:>10.3} {rewriting:>12.3} {:>10}", text.len());
    }
}

//! The scalable models at a size that cannot be enumerated: sampled modes agree with the analysis of these modes.

#[path = "common/scalable.rs"]
mod scalable;

use std::collections::BTreeSet;

use modeshift_structure::single_mode::{self, Structure};
use modeshift_structure::{Analysis, Options, analyze};
use scalable::Plan;

const SAMPLES: u64 = 6;

/// The first samples are all false and all true, the others random; made valid.
fn sampled_mode(plan: &Plan, sample: u64) -> Vec<bool> {
    let mut state = sample.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 32 & 1 == 1
    };
    let mut mode: Vec<bool> = (0..plan.mode_count()).map(|_| if sample < 2 { sample == 1 } else { random() }).collect();
    plan.make_valid(&mut mode);
    mode
}

fn check_mode(plan: &Plan, analysis: &Analysis, mode: &[bool]) {
    let (signature, equations, variables) = plan.signature(mode);
    let found = analysis.blocks_at(|variable| mode[variable.0 as usize]);
    let Structure::Regular(regular) = single_mode::analyze(&signature) else {
        assert!(found.is_none(), "the mode is singular");
        return;
    };
    let expected: BTreeSet<_> = regular
        .blocks
        .iter()
        .map(|block| {
            let of_equation = |&at: &u32| (equations[at as usize], regular.c[at as usize]);
            let of_variable = |&at: &u32| (variables[at as usize], regular.d[at as usize]);
            let reads = regular.reads(&signature, block);
            (
                block.equations.iter().map(of_equation).collect::<Vec<_>>(),
                block.variables.iter().map(of_variable).collect::<Vec<_>>(),
                reads.into_iter().map(|(at, order)| (variables[at as usize], order)).collect::<Vec<_>>(),
            )
        })
        .collect();
    let found: BTreeSet<_> = found
        .expect("the mode is regular")
        .into_iter()
        .map(|block| {
            (
                block.equations.iter().map(|it| (it.of.0, it.order)).collect::<Vec<_>>(),
                block.writes.iter().map(|it| (it.of.0, it.order)).collect::<Vec<_>>(),
                block.reads.iter().map(|it| (it.of.0, it.order)).collect::<Vec<_>>(),
            )
        })
        .collect();
    assert_eq!(found, expected);
}

fn check_samples(plan: Plan) {
    let analysis = analyze(&plan.natural(), &Options::default()).expect("no limit is set");
    for sample in 0..SAMPLES {
        check_mode(&plan, &analysis, &sampled_mode(&plan, sample));
    }
}

#[test]
fn transmission_line() {
    check_samples(scalable::transmission_line(1000, false));
    check_samples(scalable::transmission_line(1000, true));
}

#[test]
fn transmission_tree() {
    check_samples(scalable::transmission_tree(1000));
}

#[test]
fn building() {
    check_samples(scalable::building(1000, true));
    check_samples(scalable::building(1000, false));
}

#[test]
fn westinghouse() {
    check_samples(scalable::westinghouse(1000));
}

#[test]
fn clutch_chain() {
    check_samples(scalable::clutch_chain(1000));
}

#[test]
fn valve_grid() {
    check_samples(scalable::valve_grid(32));
}

#[test]
fn valve_pipe_where_most_modes_are_singular() {
    check_samples(scalable::valve_pipe(60));
}

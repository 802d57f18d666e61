//! A limit that strikes, in whatever phase, ends with what was being computed; what comes through is the whole result.
//!
//! Node limits from one node up to what the analysis needs are tried, so that each phase is struck. A panic or a result that differs from the unlimited one fails the test.

use crate::common::scalable;
use crate::support;
use std::collections::BTreeSet;
use std::time::Duration;

use modeshift_dae::MultimodeDae;
use modeshift_diagnostics::Diagnostics;
use modeshift_modes::{LimitKind, ModeSet, TimeLimit};
use modeshift_structure::initialization::{InitialChoice, Initialization, initialization};
use modeshift_structure::{
    Analysis, DegreesOfFreedom, GraphText, Options, analyze, degrees_of_freedom, structural_index,
};

/// Offsets, blocks, dependencies and singular modes.
fn text(dae: &MultimodeDae, analysis: &Analysis) -> String {
    analysis.space.lift_limits();
    let names: Vec<String> = dae.mode_variables.iter().map(|mode| mode.name.to_string()).collect();
    let formulas = analysis.formulas(&names);
    let graph = GraphText { incidence: &analysis.incidence, formulas: &formulas, graph: &analysis.graph };
    let print = |modes: &ModeSet| formulas.print(*modes).text;
    let offsets: Vec<String> = analysis.offsets.mode_sets().map(|modes| print(&modes)).collect();
    let parts: Vec<String> = analysis.parts.mode_sets().map(|modes| print(&modes)).collect();
    format!("{graph}{}\n{}\nsingular {}", offsets.join(", "), parts.join(", "), print(&analysis.singular_modes()))
}

fn node_limit(nodes: usize) -> Options {
    Options { node_limit: Some(nodes), ..Options::default() }
}

/// Tries every node limit; returns the tasks that were struck.
fn tasks_struck(dae: &MultimodeDae) -> BTreeSet<String> {
    let expected = text(dae, &analyze(dae, &Options::default()).expect("no limit is set"));
    let mut tasks = BTreeSet::new();
    for nodes in 1.. {
        match analyze(dae, &node_limit(nodes)) {
            Ok(analysis) => {
                assert_eq!(text(dae, &analysis), expected, "with at most {nodes} nodes");
                return tasks;
            }
            Err(limit) => {
                assert_eq!(limit.kind, LimitKind::Nodes(nodes));
                tasks.insert(limit.task);
            }
        }
    }
    unreachable!("some number of nodes is enough")
}

#[test]
fn a_node_limit_strikes_in_every_phase_and_never_gives_a_wrong_result() {
    let mut tasks = BTreeSet::new();
    tasks.append(&mut tasks_struck(&scalable::valve_pipe(4).natural()));
    tasks.append(&mut tasks_struck(&scalable::clutch_chain(4).natural()));
    tasks.append(&mut tasks_struck(&scalable::building(2, false).scrambled()));
    tasks.append(&mut tasks_struck(&scalable::transmission_line(2, false).scrambled()));
    let phases = [
        "reading guards and conditions",
        "matching equations with variables",
        "finding over- and underdetermined parts",
        "finding blocks of equations",
        "listing blocks of equations",
        "finding dependencies between blocks",
    ];
    let missed: Vec<_> = phases.iter().filter(|&&phase| !tasks.contains(phase)).collect();
    assert!(missed.is_empty(), "never struck: {missed:?}; struck: {tasks:?}");
}

#[test]
fn a_time_limit_gives_the_whole_result_or_none() {
    let dae = scalable::building(20, false).natural();
    let expected = text(&dae, &analyze(&dae, &Options::default()).expect("no limit is set"));
    let mut time = Duration::from_micros(1);
    loop {
        match analyze(&dae, &Options { time_limit: Some(TimeLimit::from_now(time)), ..Options::default() }) {
            Ok(analysis) => {
                assert_eq!(text(&dae, &analysis), expected);
                break;
            }
            Err(limit) => {
                assert!(matches!(limit.kind, LimitKind::Time(_)) && !limit.task.is_empty(), "{limit:?}");
            }
        }
        time = time * 5 / 4 + Duration::from_micros(1);
    }
    let at_once =
        analyze(&dae, &Options { time_limit: Some(TimeLimit::from_now(Duration::ZERO)), ..Options::default() });
    assert!(matches!(at_once.expect_err("no time at all").kind, LimitKind::Time(_)));
}

#[test]
fn a_node_limit_strikes_counting_after_the_analysis_too() {
    let dae = scalable::clutch_chain(6).natural();
    let all = analyze(&dae, &Options::default()).expect("no limit is set");
    let index = structural_index(&all.space, &all.incidence, &all.offsets).expect("no limit is set");
    let freedom = degrees_of_freedom(&all.space, &all.incidence, &all.matching).expect("no limit is set");
    let mut struck = 0;
    for more in 1.. {
        let analysis = analyze(&dae, &Options::default()).expect("no limit is set");
        analysis.space.set_node_limit(analysis.space.node_count() + more);
        let found = structural_index(&analysis.space, &analysis.incidence, &analysis.offsets).and_then(|index| {
            Ok((index, degrees_of_freedom(&analysis.space, &analysis.incidence, &analysis.matching)?))
        });
        match found {
            Ok((found_index, found_freedom)) => {
                assert_eq!(found_index.len(), index.len());
                let values = |freedom: &DegreesOfFreedom| match freedom {
                    DegreesOfFreedom::Cases(cases) => cases.iter().map(|case| case.value).collect::<Vec<_>>(),
                    DegreesOfFreedom::Between(least, most) => vec![*least, *most],
                };
                assert_eq!(values(&found_freedom), values(&freedom));
                break;
            }
            Err(limit) => {
                assert!(["finding the structural index", "counting degrees of freedom"].contains(&&*limit.task));
                struck += 1;
            }
        }
    }
    assert!(struck > 0, "the clutches need nodes to be counted");
}

#[test]
fn a_node_limit_strikes_the_analysis_of_the_start_and_never_gives_a_wrong_result() {
    let dae = support::model(
        &support::wrapped(
            "Real w1(start = 1, fixed = true), w2, f1, f2, x(start = 2); Boolean g, h;
           equation
             g = time >= 5; h = x > w1;
             der(w1) = -w1 + f1; der(w2) = -w2 + f2;
             0 = if g then w1 - w2 else f1;
             f1 + f2 = 0;
             der(x) = if h then w1 else -x;
           initial equation
             if h then x = 3; end if;
             der(w2) = 0 annotation(modeshift(scenario = \"rest\", modes = not g));
             w2 = 4 annotation(modeshift(scenario = \"turning\", modes = g));",
        ),
        &[],
    );
    let analysis = analyze(&dae, &Options::default()).expect("no limit is set");
    let start = |options: &Options| {
        initialization(&dae, &analysis, &InitialChoice::default(), options, &mut Diagnostics::new())
    };
    let cases = |start: &Initialization| {
        start.space.lift_limits();
        support::cases_text(&dae, start)
    };
    let expected = cases(&start(&Options::default()).expect("no limit is set"));
    // Its blocks are found when they are asked for.
    let start = |options: &Options| start(options).and_then(|found| found.graph().map(|_| found));
    let mut tasks = BTreeSet::new();
    for nodes in 1.. {
        match start(&node_limit(nodes)) {
            Ok(found) => {
                assert_eq!(cases(&found), expected, "with at most {nodes} nodes");
                break;
            }
            Err(limit) => {
                assert_eq!(limit.kind, LimitKind::Nodes(nodes));
                tasks.insert(limit.task);
            }
        }
    }
    for phase in ["finding the initial modes", "finding blocks of equations"] {
        assert!(tasks.contains(phase), "phases that were struck: {tasks:?}");
    }
}

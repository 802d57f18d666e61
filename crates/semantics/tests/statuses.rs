//! Statuses along runs: every micro-step knows more than the one before, and all are coherent (RR8933 §3.3.1).

use std::cmp::Ordering;
use std::collections::BTreeSet;

use modeshift_semantics::{Choices, Graph, Instant, MicroStep, Status};

use crate::support::{graph, graph_of_file, random_graphs, runs};

fn check(graph: &Graph) {
    for run in &graph.runs {
        let beginning = &graph.beginnings[run.from];
        let instant = Instant {
            system: &graph.system,
            offsets: &graph.offsets,
            context: &beginning.context,
            held: &beginning.held,
            bound: graph.bound,
            choices: Choices::First,
            change: None,
            latent_first: false,
            shifts_in_instants: false,
            gives_way: None,
            is_over_at_once: false,
        };
        let mut status = Status::initial(&graph.system, beginning.known.clone());
        let mut delayed = BTreeSet::new();
        for step in &run.steps {
            if let MicroStep::Guard(step) = step
                && step.is_delayed
            {
                delayed.insert(step.guard);
            }
            let after = instant.apply(&status, step);
            assert!(after.is_coherent(&graph.system, &delayed), "{step:?}");
            let decides_nothing = matches!(step, MicroStep::Fire(fire) if fire.clauses.is_empty());
            let order = status.compare(&after, &graph.system);
            assert!(order == Some(Ordering::Less) || decides_nothing, "{step:?}: {order:?}");
            status = after;
        }
    }
}

#[test]
fn knowledge_grows_with_every_micro_step() {
    for name in ["ClutchBasic", "CupAndBall", "CupAndBallElastic", "WaterTank", "RLDC2", "BreakingShaft"] {
        check(&graph_of_file(&format!("{name}.mo")));
    }
}

#[test]
fn also_in_random_models() {
    random_graphs(40).for_each(|(_, _, graph)| check(&graph));
}

/// An assertion that excludes a mode lets guards have fewer values; it evaluates none of them.
#[test]
fn equations_wait_for_their_guards_also_where_an_assertion_leaves_one_value() {
    let graph = graph(
        "model M Real x; Real y; Boolean g = time > 1; Boolean h = time > 2;
         equation
           assert(not (g and h), \"not both\");
           /* ex: */ x = if g then 1 else 2;
           /* ey: */ y = if h then 3 else 4;
         end M;",
    );
    for run in runs(&graph) {
        let place = |what: &str| run.find(what).unwrap_or_else(|| panic!("{what} in {run}"));
        assert!(place("g;") < place("ex;") && place("h;") < place("ey;"), "{run}");
    }
    assert_eq!(graph.runs.len(), 3);
}

/// All equations of a ring are one block, which is found once, and not again from each of them.
#[test]
fn a_long_ring_is_one_block() {
    let graph = graph(
        "model M Real x[501];
         equation for i in 1:501 loop x[i] = 0.5*x[if i < 501 then i + 1 else 1] + 1; end for;
         end M;",
    );
    assert_eq!(graph.starts.len(), 1);
}

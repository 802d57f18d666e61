//! The models of RR8933 and E22, in the notation of Fig. 3.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{Expressions, Mode, VariableId};
use modeshift_semantics::{
    ChangeEnd, Class, DifferenceSystem, Graph, GuardPredicate, GuardedEquation, Incidence, MicroStep, Modes, Reading,
    Unknown, UnknownVariable,
};

use crate::support::second_opinion::{Opinion, of_semantics};
use crate::support::{changes_of_file, graph, graph_of_file, graph_of_mel, runs};

/// RR8933 (3).
const CLUTCH: &str = "
    model Clutch
      Real w1; Real w2; Real t1; Real t2;
      Boolean g = time > 5;
    equation
      /* e1: */ der(w1) = -w1 + t1;
      /* e2: */ der(w2) = -w2 + t2;
      if g then
        /* e3: */ w1 - w2 = 0;
        /* e4: */ t1 + t2 = 0;
      else
        /* e5: */ t1 = 0;
        /* e6: */ t2 = 0;
      end if;
    end Clutch;";

/// E22 (48), with the guard that is known from the instant before.
const CUP_AND_BALL: &str = "
    x : real; y : real; lambda : real; s : real;
    gamma : boolean;
    e1 : equation 0.0 = der(der(x)) + lambda*x;
    e2 : equation 0.0 = der(der(y)) + lambda*y + 9.81;
    if gamma then
      k1 : equation 0.0 = 1.0 - (x*x + y*y);
      k2 : equation 0.0 = lambda + s;
    else
      k3 : equation 0.0 = lambda;
      k4 : equation 0.0 = 1.0 - (x*x + y*y) - s;
    end;";

fn check_runs(graph: &Graph, expected: &[&str]) {
    assert_eq!(runs(graph), expected);
}

fn contexts(graph: &Graph) -> BTreeSet<String> {
    graph.beginnings.iter().map(|it| graph.system.context_text(&it.context)).collect()
}

fn erased(graph: &Graph, run: usize) -> Vec<String> {
    graph.runs[run].erased().into_iter().map(|it| graph.system.equation_name(it)).collect()
}

#[test]
fn the_clutch_has_the_runs_of_execution_scheme_4() {
    let graph = graph(CLUTCH);
    check_runs(
        &graph,
        &[
            "∅ -> ∅: not g; e5; e6; e1; e2; Tick",
            "∅ -> {e3}: g; FS(e3); e1+e2+e3•+e4; Tick",
            "{e3} -> ∅: not g; e5; e6; e1; e2; Tick",
            "{e3} -> {e3}: g; PR(e3); LE(e3•); e1+e2+e3•+e4; Tick",
        ],
    );
    assert_eq!(graph.classes(), [Class::Continuous, Class::Impulsive, Class::Discrete, Class::Continuous]);
    assert!(graph.endless.is_empty() && graph.unexplored.is_empty());
}

#[test]
fn torques_of_the_clutch_have_order_1_and_velocities_jump_when_it_engages() {
    let graph = graph(CLUTCH);
    let engages = of_semantics(&graph, &graph.causal_change(0, 1).expect("a change"));
    let torques = ["t1", "t2"].map(|name| (name.to_string(), "1".to_string()));
    assert_eq!(engages.impulsive, torques.into_iter().collect());
    let effects =
        |before, after| graph.effects(&graph.causal_change(before, after).expect("a change")).expect("effects");
    let names = |unknowns: &BTreeSet<_>| -> Vec<String> {
        unknowns.iter().map(|&unknown| graph.system.unknowns[unknown].name.to_string()).collect()
    };
    assert_eq!(names(&effects(0, 1).jumps), ["w1", "w2"]);
    // Fig. 1: the second change is continuous in the velocities.
    assert_eq!(names(&effects(1, 0).jumps), ["t1", "t2"]);
    assert!(effects(1, 0).impulsive.is_empty());
}

#[test]
fn a_start_of_the_engaged_clutch_has_one_degree_of_freedom() {
    // Execution Scheme 3.
    let graph = graph(CLUTCH);
    let sizes: Vec<_> = graph.offsets.iter().flatten().map(|offsets| offsets.start_size()).collect();
    assert_eq!(sizes, [(4, 6), (5, 6)]);
}

#[test]
fn the_cup_and_ball_erases_what_e22_erases() {
    let graph = graph_of_mel(CUP_AND_BALL);
    assert_eq!(contexts(&graph), ["∅", "{k1, k1•}", "{k1•}"].map(String::from).into());
    check_runs(
        &graph,
        &[
            "∅ -> ∅: not gamma; k3; k4; e1; e2; Tick",
            "∅ -> {k1•}: gamma; FS(k1); FS(k1•); e1+e2+k1•2; k2; Tick",
            "{k1, k1•} -> ∅: not gamma; k3; k4; e1; e2; Tick",
            "{k1, k1•} -> {k1, k1•}: gamma; PR(k1, k1•); LE(k1•2); e1+e2+k1•2; k2; Tick",
            "{k1•} -> ∅: not gamma; k3; k4; e1; e2; Tick",
            "{k1•} -> {k1, k1•}: gamma; PR(k1•); FS(k1); LE(k1•2); e1+e2+k1•2; k2; Tick",
        ],
    );
    // E22 (50) and (51).
    assert_eq!(erased(&graph, 1), ["k1", "k1•"]);
    assert_eq!(erased(&graph, 5), ["k1"]);
}

#[test]
fn an_impact_law_makes_an_instant_of_its_own() {
    // E22 (62): e1, e2, the law, and k1 as it stands.
    let graph = graph_of_file("CupAndBallElastic.mo");
    check_runs(
        &graph,
        &[
            "∅_1 -> ∅_1: not gamma; ex; ey; k1; k4; e1; e2; Tick",
            "∅_1 -> ∅_2: gamma; when gamma; ex; ey; k4; law(v = -alpha*pre(v)); e2; e1; ER(k1); Tick",
            "∅_2 -> ∅_1: not gamma; ex; ey; k1; k4; e1; e2; Tick",
        ],
    );
}

#[test]
fn what_a_reinit_says_comes_before_the_derivative_of_its_state() {
    // E22, Figure 27: the state is set in the instant in which the other mode begins.
    let graph = graph_of_file("TwoEquationsRIMIS.mo");
    assert!(graph.runs.iter().all(|run| run.to.is_ok()), "{:?}", runs(&graph));
    let fires = graph.runs.iter().find(|run| !run.fires().is_empty()).expect("the clause fires");
    let solves_law = |step: &MicroStep| matches!(step, MicroStep::Block(block) if block.equations.iter().any(|it| graph.system.bodies[it.of].clause.is_some()));
    assert!(fires.steps.iter().any(solves_law), "the law is solved, and something else gives way");
    assert_eq!(fires.erased().len(), 1);
}

#[test]
fn without_a_law_the_instant_of_the_impact_fails() {
    let graph = graph_of_file("CupAndBallElasticWithoutLaw.mo");
    check_runs(
        &graph,
        &["∅ -> ∅: not gamma; ex; ey; k1; k4; e1; e2; Tick", "∅ -> fails: gamma; when gamma; ex; ey; k4; ER(k1); fail"],
    );
    let failure = graph.runs[1].to.clone().expect_err("it fails");
    let text = graph.system.failure_text(&failure);
    assert_eq!(text, "underdetermined: nothing gives a value to u•, v•, lambda, and no equation is latent");
}

#[test]
fn a_clause_whose_condition_is_no_guard_is_named() {
    // The structure does not depend on h <= 0: there is one mode, and no run in which the ball bounces.
    let graph = graph(
        "model Ball Real h; Real v;
         equation
           der(h) = v; der(v) = -9.81;
           when h <= 0 then reinit(v, -0.8*pre(v)); end when;
         end Ball;",
    );
    assert_eq!((graph.system.clauses.len(), graph.system.unseen.clone()), (0, vec!["when h <= 0".to_string()]));
}

#[test]
fn two_clutches_on_three_shafts() {
    let text = "
        model TwoClutches
          Real w1; Real w2; Real w3; Real t1; Real t2;
          Boolean g1 = time > 1;
          Boolean g2 = time > 2;
        equation
          /* s1: */ der(w1) = -w1 + t1;
          /* s2: */ der(w2) = -w2 - t1 + t2;
          /* s3: */ der(w3) = -w3 - t2;
          /* c1: */ 0 = if g1 then w1 - w2 else t1;
          /* c2: */ 0 = if g2 then w2 - w3 else t2;
        end TwoClutches;";
    let graph = graph(text);
    assert_eq!(contexts(&graph), ["∅", "{c1}", "{c1, c2}", "{c2}"].map(String::from).into());
    assert_eq!((graph.beginnings.len(), graph.runs.len()), (4, 16));
    for beginning in 0..4 {
        let outcomes = graph.all_choices_from(beginning).expect("few statuses");
        assert!(outcomes.values().all(|ends| ends.len() == 1), "every choice leads to the same");
    }
    crate::support::check_against_changes(&crate::support::dae(text));
}

/// By model, how many changes erase the same equations in every instant as `changes` says, with the same verdict, and how
/// many do only with what `changes` remembers of the past. (Where a change begins, `changes` also knows what its guard says,
/// so that the level of the tank is where the new constraint wants it; orders are those of a past that is not.)
#[test]
fn erased_equations_of_the_papers_models_are_those_of_changes() {
    let counts = |name: &str| {
        let mut counts = [0, 0];
        let file = format!("{name}.mo");
        let erased = |opinion: &Opinion| (opinion.is_determined, opinion.erased.clone());
        let read = |remembers| changes_of_file(&file, Reading { remembers, ..Reading::default() });
        for ((change, ours, theirs), (_, remembering, _)) in read(false).into_iter().zip(read(true)) {
            let agree = [&ours, &remembering].map(|it| erased(it) == erased(&theirs));
            assert!(agree[0] || agree[1], "{name}: {change}:\n{ours:?}\n{remembering:?}\n{theirs:?}");
            counts[usize::from(!agree[0])] += 1;
        }
        counts
    };
    let models = ["ClutchBasic", "CupAndBall", "WaterTank", "RLDC2", "BreakingShaft", "DiodeCapacitor"];
    assert_eq!(models.map(counts), [[2, 0], [2, 0], [6, 0], [10, 2], [2, 0], [2, 0]]);
}

#[test]
fn an_attempt_to_change_the_mode_that_loops_for_ever() {
    let text = "
        model Loop
          Real x; Real y;
          Boolean g = time > 1;
        equation
          /* p: */ der(x) = -x;
          if g then
            /* q: */ x = 0;
          else
            /* r: */ y = 0;
          end if;
        end Loop;";
    let graph = graph(text);
    let [cycle] = graph.endless.as_slice() else { panic!("one cycle: {:?}", graph.endless) };
    let texts: Vec<String> = cycle.iter().map(|&run| runs(&graph)[run].clone()).collect();
    assert_eq!(
        texts,
        [
            "∅ -> {q•}: p; g; FS(q); FS(q•); q•2; Tick",
            "{q•} -> {p, q}: g; PR(q•); FS(p); p•; FS(q); Tick",
            "{p, q} -> ∅: PR(p); g; PR(q); Tick",
        ]
    );
    assert_eq!(graph.causal_change(0, 1).map(|change| change.end), Some(ChangeEnd::Endless));
}

/// A mode that asks for x = 0 and x• = 1, which is no mode of a DAE: the graph would have no end.
#[test]
fn a_mode_that_shifts_further_with_every_visit() {
    let body = |name: &str, mode: usize, shift: u32| GuardedEquation {
        name: name.into(),
        equation: None,
        sides: None,
        modes: Modes::of(2, |it| it == mode),
        valuations: Modes::of(2, |it| it == mode),
        waits_for: Vec::new(),
        incidence: vec![Incidence { unknown: Unknown(0), lowest: shift, highest: shift }],
        clause: None,
        assigns: None,
    };
    let system = || DifferenceSystem {
        name: "Unbounded".into(),
        unknowns: [UnknownVariable { name: "x".into(), variable: VariableId(0) }].into_iter().collect(),
        guards: [GuardPredicate { name: "g".into(), reads: Vec::new(), boundaries: None }].into_iter().collect(),
        modes: [false, true].map(|value| Mode::from_fn(1, |_| value)).to_vec(),
        valuations: [false, true].map(|value| Mode::from_fn(1, |_| value)).to_vec(),
        bodies: [body("p", 1, 0), body("q", 1, 1), body("r", 0, 0)].into_iter().collect(),
        clauses: Vec::new(),
        combinations: Vec::new(),
        expressions: Expressions::default(),
        unknown_of: BTreeMap::new(),
        unmentioned: Vec::new(),
        jumping: BTreeSet::new(),
        unseen: Vec::new(),
        reads_open: Vec::new(),
        sets: Vec::new(),
    };
    let size = |graph: &Graph| (graph.beginnings.len(), graph.runs.len());
    let sizes = [7, 8, 9, 10].map(|bound| size(&Graph::bounded(system(), bound)));
    assert_eq!(sizes, [(16, 32), (18, 36), (20, 40), (22, 44)]);
    // The bound that offsets give ends it, with the reason.
    let graph = Graph::new(system());
    let failures: BTreeSet<String> =
        graph.runs.iter().filter_map(|run| run.to.as_ref().err()).map(|it| graph.system.failure_text(it)).collect();
    assert!(!failures.is_empty() && failures.iter().all(|it| it.starts_with("shifts without bound: ")), "{failures:?}");
    assert!(size(&graph) < (10, 20), "{:?}", size(&graph));
}

#[test]
fn contexts_that_grow_without_bound() {
    let graph = graph_of_mel(
        "x : real; y : real; g : boolean;
         a : equation der(y) = 0.0 - y;
         if g then
           p : equation x = 0.0; q : equation der(x) = 1.0; r : equation der(der(x)) = 2.0;
         else
           s : equation der(der(x)) = y;
         end;",
    );
    let failures: BTreeSet<String> = graph
        .runs
        .iter()
        .filter_map(|run| run.to.as_ref().err())
        .map(|failure| graph.system.failure_text(failure))
        .collect();
    assert!(failures.iter().any(|text| text.starts_with("shifts without bound: ")), "{failures:?}");
}

#[test]
fn an_infinite_structural_index_is_rejected() {
    let graph = graph_of_mel(
        "x : real; y : real; z : real; g : boolean;
         a : equation x = 1.0;
         if g then
           b : equation x = 2.0; c : equation x + y + z = 3.0;
         else
           d : equation y = 1.0; e : equation z = 1.0;
         end;",
    );
    let into_g = graph.run_from(0, 1).expect("a run");
    let failure = graph.runs[into_g].to.clone().expect_err("it fails");
    let text = graph.system.failure_text(&failure);
    assert_eq!(text, "infinite structural index: no shifting of equations gives a value to y, z");
}

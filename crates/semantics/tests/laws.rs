//! `when` clauses with laws in modes that go on behind their instant (E22 §8.4, §8.5).
//!
//! What a mode says is active also in the instants behind that in which the clause fires, so it may be shifted there.
//! Only where it lasts no longer, or contradicts a law, it gives way.

use modeshift_semantics::ChangeEnd;

use crate::support::{graph, runs};

/// In the difference array the shift `k•` gives `v•`, which no law does.
#[test]
fn constraints_of_a_mode_that_goes_on_are_shifted() {
    let graph = graph(
        "model M Real x; Real v; Real lam; Boolean g(start = false) = time > 1;
         equation
           /* ex: */ der(x) = v;
           /* ev: */ der(v) = -x + lam;
           /* k: */ 0 = if g then v - 1 else lam;
           when g then x = 2; end when;
         end M;",
    );
    assert_eq!(runs(&graph)[1], "∅ -> {k}: g; when g; law(x = 2); ER(ex); FS(k); k•; ev; Tick");
    assert_eq!(graph.causal_change(0, 1).expect("a change").end, ChangeEnd::Continuous);
}

/// With a guard on a variable the same mode is transient: nothing gives `v•`.
#[test]
fn constraints_of_a_transient_mode_are_not() {
    let graph = graph(
        "model M Real x; Real v; Real lam; Boolean g(start = false) = pre(x) < 0;
         equation
           /* ex: */ der(x) = v;
           /* ev: */ der(v) = -x + lam;
           /* k: */ 0 = if g then v - 1 else lam;
           when g then x = 2; end when;
         end M;",
    );
    assert_eq!(runs(&graph)[1], "∅ -> fails: g; when g; law(x = 2); ER(ex); ER(k); fail");
}

/// A law that contradicts a constraint holds for its instant, together with the equations of motion; the instant behind it
/// resets to the constraint. From w1 = a and w2 = b: first b and a, by the law and e1, e4, e2; then their mean.
#[test]
fn a_law_holds_for_its_instant_and_constraints_behind_it() {
    let graph = graph(
        "model M Real w1; Real w2; Real f1; Real f2; Boolean g(start = false) = time > 1;
         equation
           /* e1: */ der(w1) = -w1 + f1;
           /* e2: */ der(w2) = -w2 + f2;
           /* e3: */ 0 = if g then w1 - w2 else f1;
           /* e4: */ f1 + f2 = 0;
           when g then w1 = pre(w2); end when;
         end M;",
    );
    assert_eq!(runs(&graph)[1], "∅_1 -> ∅_2: g; when g; law(w1 = pre(w2)); e1; e4; e2; FS(e3); ER(e3•); Tick");
    let change = graph.causal_change(0, 1).expect("a change");
    let limits = graph.right_limits(&change).expect("values");
    assert_eq!((limits.len(), limits[0].instant, limits[0].equations.len()), (1, 2, 4));
}

/// The value is evaluated with the states before, and goes to the state that is named: `w` goes on by its own equation.
#[test]
fn a_reinit_assigns_its_state_and_no_other() {
    let graph = graph(
        "model M Real z; Real w; Real f; Boolean g(start = false) = time > 1;
         equation
           /* ez: */ der(z) = -z;
           /* ew: */ der(w) = -w + f;
           /* k: */ 0 = if g then f - 1 else f;
           when g then reinit(z, w); end when;
         end M;",
    );
    assert_eq!(runs(&graph)[1], "∅_1 -> ∅_2: g; when g; reinit(z, w); k; ew; ER(ez); Tick");
}

/// All values are those before: the two states change places.
#[test]
fn two_reinits_of_one_instant_do_not_see_each_other() {
    let graph = graph(
        "model M Real z; Real w; Real f; Boolean g(start = false) = time > 1;
         equation
           /* ez: */ der(z) = -z;
           /* ew: */ der(w) = -w;
           /* k: */ 0 = if g then f - 1 else f;
           when g then reinit(z, w); reinit(w, z); end when;
         end M;",
    );
    assert_eq!(runs(&graph)[1], "∅_1 -> ∅_2: g; when g; reinit(z, w); reinit(w, z); k; ER(ez); ER(ew); Tick");
}

/// What a reinit reads may have to be computed in its instant, and must not be solved from it.
#[test]
fn a_reinit_waits_for_what_it_reads() {
    let text = |value: &str| {
        format!(
            "model M Real z; Real a; Real b; Boolean g(start = false) = time > 1;
             equation
               /* ez: */ der(z) = -z + b;
               /* ka: */ 0 = if g then a - 1 + b else a;
               /* kb: */ b = 3*z;
               when g then reinit(z, {value}); end when;
             end M;"
        )
    };
    let run = |value: &str| runs(&graph(&text(value)))[1].clone();
    assert_eq!(run("a"), "∅_1 -> ∅_2: g; when g; kb; ka; reinit(z, a); ER(ez); Tick");
    assert_eq!(run("z + 1"), "∅_1 -> ∅_2: g; when g; reinit(z, z + 1); kb; ka; ER(ez); Tick");
}

/// Each condition by itself: that `g` holds already does not keep `h` from firing.
#[test]
fn a_vector_of_conditions_fires_on_each_of_them() {
    let graph = graph(
        "model M Real z; Real f; Boolean g(start = false) = time > 1; Boolean h(start = false) = time > 2;
         equation
           /* ez: */ der(z) = -z + f;
           /* k: */ f = if g then 1 else if h then 2 else 3;
           when {g, h} then reinit(z, 5); end when;
         end M;",
    );
    let fires = |before: [bool; 2], after: [bool; 2]| {
        let number = |values: [bool; 2]| usize::from(values[0]) * 2 + usize::from(values[1]);
        let run = graph.run_from(graph.starts[&number(before)], number(after)).expect("a run");
        !graph.runs[run].fires().is_empty()
    };
    assert!(fires([true, false], [true, true]), "h becomes true while g holds");
    assert!(fires([true, false], [false, true]), "h becomes true when g becomes false");
    assert!(!fires([true, true], [true, false]), "nothing becomes true");
}

/// E22, Figure 27, and a state that is doubled beyond its threshold: a `reinit` says nothing of how long its mode lasts, so
/// the runs in which it goes on are there as well as those in which it is left.
#[test]
fn a_mode_that_is_entered_with_a_reinit_may_last() {
    let graph = graph(
        "model M Real x; Real f; Boolean g(start = false) = x > 1;
         equation
           /* ex: */ der(x) = f;
           /* k: */ f = if g then 2 else 1;
           when g then reinit(x, 2*pre(x)); end when;
         end M;",
    );
    assert_eq!(
        runs(&graph),
        [
            "∅_1 -> ∅_1: not g; k; ex; Tick",
            "∅_1 -> ∅_2: g; when g; reinit(x, 2*pre(x)); k; ER(ex); Tick",
            "∅_2 -> ∅_1: not g; k; ex; Tick",
            "∅_2 -> ∅_2: g; k; ex; Tick",
        ]
    );
    assert_eq!(graph.causal_change(0, 1).expect("a change").end, ChangeEnd::Continuous);
}

/// What the mode behind a transient one begins with: the velocities, of which a law gives one and the impulse the other.
#[test]
fn the_instant_of_an_impact_resets_velocities() {
    let graph = crate::support::graph_of_file("CupAndBallElastic.mo");
    let change = graph.causal_change(0, 1).expect("a change");
    let limits = graph.right_limits(&change).expect("values");
    let text = |limits: &modeshift_semantics::RightLimits| {
        let states: Vec<&str> = limits.states.iter().map(|it| &*graph.system.unknowns[it.of].name).collect();
        let equations: Vec<String> = limits.equations.iter().map(|&it| graph.system.equation_name(it)).collect();
        (states.join(", "), equations.join("+"), limits.instant)
    };
    let expected = [("u", "e1", 1), ("v", "law(v = -alpha*pre(v))", 1)];
    let expected = expected.map(|(states, equations, instant)| (states.to_string(), equations.to_string(), instant));
    assert_eq!(limits.iter().map(text).collect::<Vec<_>>(), expected);
}

/// Of `when {g, h}` the mode of `h` lasts, as nothing makes `time > 2` false; that of `g` is transient.
#[test]
fn conditions_of_one_clause_may_last_or_not() {
    let graph = graph(
        "model M Real z; Real a; Boolean g(start = false) = pre(z) > 1; Boolean h(start = false) = time > 2;
         equation
           /* ez: */ der(z) = a;
           /* k: */ a = if g or h then z else 1;
           when {g, h} then z = 0.5*pre(z); end when;
         end M;",
    );
    // By mode: not g, not h; not g, h; g, not h; g, h.
    assert_eq!(graph.starts.keys().copied().collect::<Vec<_>>(), [0, 1]);
}

/// The difference quotient of a state that is assigned is its jump: a `reinit` that evaluates it says nothing, and fails.
#[test]
fn a_reinit_that_reads_the_derivative_of_what_it_assigns_fails() {
    let graph = graph(
        "model M Real z; Real a; Boolean g(start = false) = time > 1;
         equation
           /* ez: */ der(z) = a;
           /* k: */ a = if g then z else 1;
           when g then reinit(z, a + der(z)); end when;
         end M;",
    );
    let change = graph.causal_change(0, 1).expect("a change");
    assert!(matches!(change.end, ChangeEnd::Failed(_)), "{:?}", runs(&graph));
}

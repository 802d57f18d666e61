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

//! Connections against hand-written flat models.

use crate::support;
use support::{check_equations, check_errors, equations, flat};

const ELECTRICAL: &str = "
  connector Pin Real v; flow Real i; end Pin;
  partial model TwoPin Pin p; Pin n; Real v; equation v = p.v - n.v; p.i + n.i = 0; end TwoPin;
  model R extends TwoPin; parameter Real R = 1; equation v = R*p.i; end R;
  model C extends TwoPin; parameter Real C = 1; equation C*der(v) = p.i; end C;
  model Ground Pin p; equation p.v = 0; end Ground;
";

#[test]
fn hierarchical_connectors_have_two_sides() {
    let source = format!(
        "{ELECTRICAL} model Load Pin p; Pin n; R r; equation connect(p, r.p); connect(r.n, n); end Load;
         model M Load l; Ground g; equation connect(l.p, g.p); end M;"
    );
    check_equations(
        &source,
        "l.r.v = l.r.p.v - l.r.n.v
         l.r.p.i + l.r.n.i = 0
         l.r.v = l.r.R*l.r.p.i
         l.p.v = l.r.p.v
         -l.p.i + l.r.p.i = 0
         l.n.v = l.r.n.v
         -l.n.i + l.r.n.i = 0
         g.p.v = 0
         l.p.v = g.p.v
         l.p.i + g.p.i = 0
         l.n.i = 0",
    );
}

#[test]
fn a_ladder_of_any_length_is_balanced_and_agrees_with_kirchhoff() {
    let source = format!(
        "{ELECTRICAL} model M parameter Integer n = 3; R r[n]; C c[n]; Ground g;
         equation for k in 1:n loop connect(r[k].n, c[k].p); connect(c[k].n, g.p); end for;
         for k in 1:n - 1 loop connect(r[k].n, r[k + 1].p); end for; r[1].p.v = time; end M;"
    );
    let model = flat(&source);
    let unknowns = model.variables.iter().filter(|variable| variable.is_unknown()).count();
    assert_eq!((unknowns, model.equations.len()), (5 * 3 * 2 + 2, 5 * 3 * 2 + 2 + 1));
    let lines = equations(&model);
    for expected in [
        "r[1].n.i + r[2].p.i + c[1].p.i = 0",
        "r[2].n.i + r[3].p.i + c[2].p.i = 0",
        "r[3].n.i + c[3].p.i = 0",
        "c[1].n.i + c[2].n.i + c[3].n.i + g.p.i = 0",
        "r[1].p.i = 0",
        "r[1].n.v = r[2].p.v",
        "r[1].n.v = c[1].p.v",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected} is missing in\n{}", lines.join("\n"));
    }
}

#[test]
fn the_order_of_connects_does_not_matter() {
    let model = |connects: &str| format!("{ELECTRICAL} model M R a; R b; Ground g; equation {connects} end M;");
    let one = equations(&flat(&model("connect(a.p, b.p); connect(b.p, g.p);")));
    let other = equations(&flat(&model("connect(g.p, b.p); connect(b.p, a.p);")));
    assert_eq!(one, other);
}

#[test]
fn a_mechanical_chain_with_an_array_of_flanges() {
    check_equations(
        "connector Flange Real phi; flow Real tau; end Flange;
         model Inertia Flange f[2]; Real w; equation f[1].phi = f[2].phi; w = der(f[1].phi); der(w) = f[1].tau + f[2].tau; end Inertia;
         model M Inertia a; Inertia b; equation connect(a.f[2], b.f[1]); end M;",
        "a.f[1].phi = a.f[2].phi
         a.w = der(a.f[1].phi)
         der(a.w) = a.f[1].tau + a.f[2].tau
         b.f[1].phi = b.f[2].phi
         b.w = der(b.f[1].phi)
         der(b.w) = b.f[1].tau + b.f[2].tau
         a.f[1].tau = 0
         a.f[2].phi = b.f[1].phi
         a.f[2].tau + b.f[1].tau = 0
         b.f[2].tau = 0",
    );
}

#[test]
fn arrays_of_connectors_connect_elementwise() {
    check_equations(
        "connector In = input Real; connector Out = output Real;
         block Source Out y[2] = {time, 1}; end Source; block Sink In u[2]; end Sink;
         model M Source s; Sink k; Sink j; equation connect(s.y, k.u); connect(s.y[1], j.u[2]); connect(s.y[2], j.u[1]); end M;",
        "s.y[1] = time
         s.y[2] = 1
         s.y[1] = k.u[1]
         s.y[1] = j.u[2]
         s.y[2] = k.u[2]
         s.y[2] = j.u[1]",
    );
}

#[test]
fn connectors_of_different_size_or_kind_are_refused_with_both_places() {
    check_errors(
        "connector Pin Real v; flow Real i; end Pin; connector Out = output Real;
         model A Pin p[2]; Out y; end A;
         model M A a; A b; Pin q[3];
         equation connect(a.p, q); connect(a.y, b.p[1]); connect(a, b); end M;",
        "E0304 4:27 4:32 the sizes of connected connectors differ: [2] and [3]
         E0401 4:36 these connectors are made of different variables; connect connectors of one kind, or put an element between them that has both
         E0401 4:66 3:20 `a` is not a connector",
    );
}

#[test]
fn a_users_own_electrical_package_works_end_to_end() {
    let model = flat(include_str!("data/OwnCircuit.mo"));
    let unknowns = model.variables.iter().filter(|variable| variable.is_unknown()).count();
    assert_eq!(unknowns, model.equations.len());
    let lines = equations(&model);
    assert!(
        lines.contains(&"filter.resistor.v = filter.resistor.R_actual*filter.resistor.i".to_string()),
        "{lines:#?}"
    );
    assert!(
        lines.contains(
            &"filter.resistor.R_actual = filter.resistor.R*(1 + filter.resistor.alpha*(filter.resistor.T - 300))"
                .to_string()
        )
    );
    assert!(support::variables(&model).contains(&"filter.resistor.R = filter.R0".to_string()));
}

#[test]
fn plain_variables_cannot_be_connected() {
    check_errors(
        "model M Real x; Real y; equation connect(x, y); end M;",
        "E0401 1:42 1:14 `x` is not a connector; write an equation instead of `connect`",
    );
}

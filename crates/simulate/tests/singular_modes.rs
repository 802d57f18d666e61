//! Modes that are singular although their states are determined: what is free floats, and the run goes on.

use crate::support::runs as support;

use support::{How, check, run_text};

/// A source of 5 V, without ground, behind a switch of two poles, on a capacitor of 1 F with a resistor of 1 Ohm beside it
/// and one in series.
const TWO_POLES: &str = "model TwoPoles
    Real p, m, i, j, u(start = 2, fixed = true);
    Boolean on = time >= 1 and time < 1.5;
  equation
    p - m = 5;
    j = i;
    0 = if on then p - u - i else i;
    0 = if on then m else j;
    der(u) = i - u;
  end TwoPoles;";

#[test]
fn a_source_behind_an_open_switch_floats() {
    let ran = run_text(TWO_POLES, &How::until(2.0).tolerance(1e-9)).finished();
    let at_one = 2.0 * (-1.0f64).exp();
    let at_opening = 2.5 + (at_one - 2.5) * (-1.0f64).exp();
    check("u(1)", ran.at(1.0, "u"), at_one, 1e-7);
    check("u(2)", ran.last("u"), at_opening * (-0.5f64).exp(), 1e-7);
    assert!(ran.at(0.5, "p").is_nan() && ran.at(0.5, "m").is_nan(), "what floats has no value");
    assert!(!ran.at(0.5, "i").is_nan() && !ran.at(1.2, "p").is_nan());
    let names: Vec<&str> = ran.events()[1].undetermined.iter().map(|name| &**name).collect();
    assert_eq!(names, ["p", "m"]);
    assert!(ran.events()[0].undetermined.is_empty());
    ran.said("W0835");
}

/// An ideal switch and an ideal diode between a source and an inductive load: both closed short the source.
#[test]
fn a_switch_and_a_diode_commutate_and_never_short_the_source() {
    let text = "model Commutate
        parameter Real V = 24, L = 1e-3, R = 1;
        Real i(start = 3, fixed = true), vs, is, vd, id, s, vx;
        Boolean on, off;
      equation
        on = time >= 0.002;
        off = s < 0;
        if off then id = 0; s = vd; else vd = 0; s = id; end if;
        if on then vs = 0; else is = 0; end if;
        vx = V - vs;
        vd = -vx;
        is + id = i;
        L*der(i) = vx - R*i;
      end Commutate;";
    let ran = run_text(text, &How::until(0.005).tolerance(1e-9)).finished();
    let at_closing = 3.0 * (-2.0f64).exp();
    check("i(0.002)", ran.at(0.002, "i"), at_closing, 1e-6);
    check("i(0.005)", ran.last("i"), 24.0 + (at_closing - 24.0) * (-3.0f64).exp(), 1e-5);
}

/// Resistors in a triangle between blocking diodes: the matching is perfect, and the numbers are singular all the same.
#[test]
fn a_triangle_of_resistors_floats_although_its_matching_is_perfect() {
    let text = "model Triangle
        Real a, b, c, i1, i2, i3, d, e, u(start = 1, fixed = true);
        Boolean on = time >= 0.5;
      equation
        a - b = i1; b - c = i2; c - a = i3;
        d = i1 - i3; i1 = i2; i2 = i3 - e;
        0 = if on then a - u else d;
        0 = if on then b else e;
        der(u) = -u - d;
      end Triangle;";
    let ran = run_text(text, &How::until(1.0).tolerance(1e-9)).finished();
    let at_closing = (-0.5f64).exp();
    check("u(0.5)", ran.at(0.5, "u"), at_closing, 1e-7);
    assert!(ran.at(0.25, "a").is_nan(), "the triangle floats");
}

/// A charged capacitor that is put on an empty one through an ideal diode.
fn two_capacitors(annotation: &str) -> String {
    format!(
        "model Two
           Real v1(start = 10, fixed = true), v2(start = 0, fixed = true), i;
           Boolean on;
         equation
           der(v1) = -i;
           2*der(v2) = i;
           0 = if on then v1 - v2 else i;
           on = if pre(on) then i >= 0 else v1 - v2 > 0;
           {annotation}
         end Two;"
    )
}

#[test]
fn start_values_may_be_left_limits_if_that_is_said() {
    let text = two_capacitors("annotation(modeshift(impulsiveStart = true));");
    let ran = run_text(&text, &How::until(1.0)).finished();
    check("v1", ran.last("v1"), 10.0 / 3.0, 1e-9);
    check("v2", ran.last("v2"), 10.0 / 3.0, 1e-9);
    check("the charge", ran.weight(0, "i", "1"), 20.0 / 3.0, 1e-9);
}

#[test]
fn start_values_that_contradict_every_mode_are_an_error_otherwise() {
    let ran = run_text(&two_capacitors(""), &How::until(1.0));
    let said = ran.said("E0709");
    assert!(said.help.iter().any(|help| help.contains("--impulsive-start")), "{said:?}");
}

/// A clutch that is open at the start and closes right after it, however its condition is written.
#[test]
fn a_start_that_stands_is_left_by_an_event_right_after_it() {
    let conditions = [
        ("", "time > 0"),
        ("", "not time <= 0"),
        ("", "sin(6*time) > 0"),
        ("Real u = sin(6*time);", "u > 0"),
        ("Real u = time - time^2;", "u > 0"),
        ("Real u(start = 0, fixed = true); equation der(u) = 1 - u;", "u > 0"),
        ("Real u(start = 0, fixed = true), v(start = 0, fixed = true); equation der(u) = v; der(v) = 1;", "u > 0"),
    ];
    for (declared, condition) in conditions {
        let (declared, equations) = declared.split_once("equation").unwrap_or((declared, ""));
        let text = format!(
            "model M
               Real w1(start = 3, fixed = true), w2(start = 0, fixed = true), f;
               Boolean on = {condition}; {declared}
             equation
               der(w1) = -f; 2*der(w2) = f; 0 = if on then w1 - w2 else f; {equations}
             end M;"
        );
        let ran = run_text(&text, &How::until(0.3)).finished();
        assert_eq!(ran.events().len(), 1, "{text}");
        let event = &ran.events()[0];
        assert!(event.time > 0.0 && event.time < 1e-6, "{} in {text}", event.time);
        for (name, left) in [("w1", 3.0), ("w2", 0.0)] {
            check(name, ran.limits(0, name).0, left, 1e-9);
            check(name, ran.values(name)[0], left, 0.0);
            check(name, ran.last(name), 1.0, 1e-9);
        }
        check("the impulse", ran.weight(0, "f", "1"), 2.0, 1e-9);
    }
}

/// Whether a start contradicts a mode does not depend on clauses that have nothing to do with it.
#[test]
fn a_clause_beside_a_start_changes_no_verdict() {
    let clauses = ["", "time > 0", "initial()", "sample(0, 0.2)", "x > 1"];
    for (condition, is_start) in [("u >= 0", false), ("u > 0", true)] {
        for clause in clauses {
            let when = match clause {
                "" => String::new(),
                clause => format!("when {clause} then n = pre(n) + 1; end when;"),
            };
            let declared = if clause.is_empty() { "" } else { "Integer n(start = 0, fixed = true);" };
            let text = format!(
                "model M
                   Real w1(start = 3, fixed = true), w2(start = 0, fixed = true), f, u = sin(3*time);
                   Real x(start = 0, fixed = true); {declared}
                   Boolean on = {condition};
                 equation
                   der(w1) = -f; 2*der(w2) = f; 0 = if on then w1 - w2 else f; der(x) = 1; {when}
                 end M;"
            );
            let ran = run_text(&text, &How::until(0.5));
            if is_start {
                let ran = ran.finished();
                check("w1 at the start", ran.values("w1")[0], 3.0, 0.0);
                check("w1", ran.last("w1"), 1.0, 1e-9);
            } else {
                ran.said("E0709");
            }
        }
    }
}

/// Four ideal diodes between a floating source and a capacitor that nothing discharges: it ends at the peak.
#[test]
fn a_bridge_of_ideal_diodes_starts_from_nothing() {
    let text = "model Bridge
        Real v, p, m, i, u(start = 0, fixed = true), s[4], d[4], w[4];
        Boolean on[4];
      equation
        v = 10*sin(6.283185307179586*time);
        p - m = v - 0.1*i;
        w[1] = p - u; w[2] = m - u; w[3] = -p; w[4] = -m;
        for k in 1:4 loop
          on[k] = s[k] > 0;
          d[k] = if on[k] then s[k] else 0;
          w[k] = if on[k] then 0 else s[k];
        end for;
        i = d[1] - d[3];
        0 = i + d[2] - d[4];
        0.01*der(u) = d[1] + d[2];
      end Bridge;";
    let ran = run_text(text, &How::until(3.0).tolerance(1e-8)).finished();
    // After each half wave what is missing is a fixed share of what was: within a thousandth of a volt at the end.
    let last = ran.last("u");
    assert!(last < 10.0 && last > 9.99, "{last}");
    let values = ran.values("u");
    assert!(values.windows(2).all(|pair| pair[1] >= pair[0] - 1e-7), "nothing discharges it");
}

/// Two diodes in a row beside a third one and a capacitor: when all conduct their currents are not determined, and one of the names of that
/// mode has no slopes. Voltages are those with a little resistance in the row.
#[test]
fn a_redundant_way_around_a_capacitor_runs_as_with_a_little_resistance() {
    let circuit = |resistance: f64| {
        let row = if resistance == 0.0 { "connect(e8.n, e0.p);" } else { "connect(e8.n, rx.p); connect(rx.n, e0.p);" };
        let extra = if resistance == 0.0 { String::new() } else { format!("Resistor rx(R = {resistance:?});") };
        format!(
            "model M import Modeshift.Electrical.*; Ground g; Resistor e0(R = 3), e1(R = 18), e2(R = 8), e3(R = 17), e4r(R = 1.8); {extra}
             SineVoltage e4(V = 10, f = 1, phase = 4.1117); IdealDiode e5, e6, e7, e8; Inductor e9(L = 0.05, i(start = 0, fixed = true));
             Capacitor e10(C = 0.05, v(start = 0, fixed = true)), e11(C = 0.05, v(start = 0, fixed = true));
             Switch e12(closes = time < 0.04685 or time > 0.4448 and time < 0.7135);
             equation connect(e4.p, e4r.n); connect(g.p, e0.n); connect(g.p, e1.n); connect(g.p, e2.n); connect(g.p, e3.n);
             connect(g.p, e4.n); connect(e0.p, e5.p); {row} connect(e0.p, e12.n); connect(e1.p, e5.n); connect(e1.p, e6.n);
             connect(e1.p, e9.p); connect(e1.p, e10.n); connect(e2.p, e4r.p); connect(e2.p, e7.n); connect(e2.p, e11.n);
             connect(e2.p, e12.p); connect(e3.p, e6.p); connect(e3.p, e7.p); connect(e3.p, e8.p); connect(e3.p, e9.n);
             connect(e3.p, e10.p); connect(e3.p, e11.p); end M;"
        )
    };
    let how = How::until(1.0).tolerance(1e-7);
    let ideal = run_text(&circuit(0.0), &how).finished();
    let real = run_text(&circuit(1e-4), &how).finished();
    for name in ["e1.p.v", "e2.p.v", "e3.p.v", "e9.i", "e10.v", "e11.v"] {
        for at in [0.02, 0.1, 0.19, 0.2, 0.3, 0.34, 0.4, 0.46, 0.6, 0.72, 0.9, 1.0] {
            let (one, other) = (ideal.at(at, name), real.at(at, name));
            assert!((one - other).abs() <= 1e-4, "{name} at {at}: {one}, not {other}");
        }
    }
}

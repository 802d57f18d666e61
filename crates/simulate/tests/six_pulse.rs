//! Six-pulse bridges with inductive lines: the currents of the lines add up to nothing, which the structure shows in some modes only, and
//! at the start all diodes are at zero.

use crate::support::runs::{How, Ran, run_text};
use modeshift_simulate::integrate::Method;

/// The parts of a circuit, with diodes of this form.
fn parts(diode: &str) -> String {
    format!(
        "connector Pin Real v; flow Real i; end Pin;
         partial model TwoPins Pin p; Pin n; Real v; Real i; equation v = p.v - n.v; i = p.i; 0 = p.i + n.i; end TwoPins;
         model Resistor extends TwoPins; parameter Real R; equation v = R*i; end Resistor;
         model Capacitor extends TwoPins; parameter Real C; equation C*der(v) = i; end Capacitor;
         model Inductor extends TwoPins; parameter Real L; equation L*der(i) = v; end Inductor;
         model Source extends TwoPins; parameter Real w; parameter Real phase;
           equation v = 10*sin(w*time + phase); end Source;
         model Ground Pin p; equation p.v = 0; end Ground;
         model Diode extends TwoPins; {diode} end Diode;"
    )
}

const BY_PARAMETER: &str =
    "Real s; Boolean off; equation off = s < 0; v = if off then s else 0; i = if off then 0 else s;";
const BY_MEMORY: &str = "Boolean on(start = false);
    equation on = if pre(on) then i >= 0 else v > 0; 0 = if on then v else i;";
const WITH_RESISTANCE: &str = "Real s; Boolean off; equation off = s < 0;
    v = s*(if off then 1 else 1e-5); i = s*(if off then 1e-5 else 1);";

/// A bridge without lines, which has one state.
const PLAIN: &str = "connect(a.p, d1.p); connect(a.p, d4.n); connect(b.p, d2.p); connect(b.p, d5.n);
    connect(c.p, d3.p); connect(c.p, d6.n);";
const LINES: &str = "connect(a.p, la.p); connect(b.p, lb.p); connect(c.p, lc.p);
    connect(la.n, d1.p); connect(la.n, d4.n); connect(lb.n, d2.p); connect(lb.n, d5.n);
    connect(lc.n, d3.p); connect(lc.n, d6.n);";
const LINE_PARTS: &str =
    "Inductor la(L = 1e-3, i(start = 0, fixed = true)), lb(L = 1e-3, i(start = 0, fixed = true)), lc(L = 1e-3);";

/// A bridge with a load.
fn bridge(name: &str, rate: f64, more: &str, load: &str, connections: &str) -> String {
    format!(
        "model {name}
           Source a(w = {rate}, phase = 0), b(w = {rate}, phase = -2.0943951023931953), c(w = {rate}, phase = 2.0943951023931953);
           Diode d1, d2, d3, d4, d5, d6;
           Ground ground;
           {more}
           {load}
         equation
           connect(a.n, b.n); connect(a.n, c.n); connect(a.n, ground.p);
           connect(d1.n, d2.n); connect(d1.n, d3.n); connect(d4.p, d5.p); connect(d4.p, d6.p);
           {connections}
         end {name};"
    )
}

const WITH_CAPACITOR: &str = "Resistor r(R = 10); Capacitor k(C = 1e-3, v(start = 0, fixed = true));";
const AT_CAPACITOR: &str = "connect(d1.n, r.p); connect(d1.n, k.p); connect(d4.p, r.n); connect(d4.p, k.n);";
const WITH_INDUCTOR: &str = "Resistor r(R = 1); Inductor l(L = 1e-2, i(start = 0, fixed = true));";
const AT_INDUCTOR: &str = "connect(d1.n, r.p); connect(r.n, l.p); connect(l.n, d4.p);";

const RATE: f64 = 314.159_265_358_979_3;

fn with_lines(diode: &str, load: &str, connections: &str, how: &How) -> Ran {
    let bridge = bridge("Bridge", RATE, LINE_PARTS, load, &format!("{LINES} {connections}"));
    run_text(&format!("package Bridges {} {bridge} end Bridges;", parts(diode)), how).finished()
}

/// Whether variables are the same in all common rows, up to a share of the largest values.
fn check_same(found: (&Ran, &str), expected: (&Ran, &str), names: &[&str], share: f64, context: &str) {
    for name in names {
        let (one, other) =
            (found.0.values(&format!("{}{name}", found.1)), expected.0.values(&format!("{}{name}", expected.1)));
        let size = other.iter().fold(0.0, |size: f64, value| size.max(value.abs()));
        let times = expected.0.result.times();
        let mut compared = 0;
        for (time, value) in found.0.result.times().iter().zip(one) {
            if let Some(at) = times.iter().rposition(|it| it == time) {
                assert!(
                    (value - other[at]).abs() <= share * size,
                    "{context}: {name} = {value} at {time}, not {}",
                    other[at]
                );
                compared += 1;
            }
        }
        assert!(compared >= 100, "{context}: {compared} rows");
    }
}

#[test]
fn a_bridge_with_lines_starts_in_every_form() {
    let lines = ["la.i", "lb.i", "lc.i"];
    for (load, connections, state) in [(WITH_CAPACITOR, AT_CAPACITOR, "k.v"), (WITH_INDUCTOR, AT_INDUCTOR, "l.i")] {
        let names = [&lines[..], &[state]].concat();
        let expected = with_lines(BY_MEMORY, load, connections, &How::until(0.02).tolerance(1e-8));
        let ideal = with_lines(BY_PARAMETER, load, connections, &How::until(0.02));
        check_same((&ideal, ""), (&expected, ""), &names, 1e-5, &format!("ideal, {state}"));
        for method in [Method::Bdf, Method::Esdirk] {
            let how = How { method: Some(method), ..How::until(0.02) };
            let real = with_lines(WITH_RESISTANCE, load, connections, &how);
            // Resistances of 1e-5 beside a load of 1, leaks of 1e-5 beside currents of 4.
            check_same((&real, ""), (&expected, ""), &names, 1e-3, &format!("real, {method:?}, {state}"));
        }
    }
}

#[test]
fn a_second_bridge_changes_nothing() {
    for (name, diode) in [("parameter", BY_PARAMETER), ("memory", BY_MEMORY)] {
        for (more, ways) in [("", PLAIN), (LINE_PARTS, LINES)] {
            let connections = format!("{ways} {AT_INDUCTOR}");
            let one = bridge("One", RATE, more, WITH_INDUCTOR, &connections);
            let other = bridge("Other", 0.93 * RATE, more, WITH_INDUCTOR, &connections);
            let parts = parts(diode);
            let how = How::until(0.02);
            let alone = run_text(&format!("package Bridges {parts} {one} end Bridges;"), &how).finished();
            let both = "model Both One one; Other other; end Both;";
            let both = run_text(&format!("package Bridges {parts} {one} {other} {both} end Bridges;"), &how).finished();
            check_same((&both, "one."), (&alone, ""), &["l.i"], 1e-5, &format!("{name} {ways}"));
        }
    }
}

/// Three boost converters in turns. With a switch and its diode open a coil is without current, and the full voltage of the source
/// is on the diode: such a mode is none that could follow.
#[test]
fn a_mode_that_contradicts_its_own_condition_is_none_that_could_follow() {
    let coil = |number: usize, shift: f64| {
        format!(
            "Real i{number}(start = 0, fixed = true), u{number}, s{number}, d{number}; Boolean on{number}, off{number};
             equation
               on{number} = mod(time - {shift}, 1e-4) < 4e-5;
               1e-4*der(i{number}) = 12 - u{number};
               off{number} = s{number} < 0;
               u{number} - v = if off{number} then s{number} else 0;
               d{number} = if off{number} then 0 else s{number};
               0 = if on{number} then u{number} else i{number} - d{number};
             "
        )
    };
    let coils =
        [coil(1, 0.0), coil(2, 1e-4 / 3.0), coil(3, 2e-4 / 3.0)].map(|it| it.replace("equation", "public equation"));
    let text = format!(
        "model Boost Real v(start = 0, fixed = true); equation 1e-5*der(v) = d1 + d2 + d3 - v/5; public {} end Boost;",
        coils.join(" public ")
    );
    let ran = run_text(&text, &How::until(1e-3)).finished();
    assert!(ran.diagnostics.iter().all(|it| it.code != "W0828"), "{:#?}", ran.diagnostics);
}

/// How many equations the rest of a circuit has does not matter: a load of three hundred resistors is one.
#[test]
fn a_bridge_with_a_load_of_many_parts_is_that_with_one() {
    const MANY: &str = "Resistor r[300](each R = 1/300); Inductor l(L = 1e-2, i(start = 0, fixed = true));";
    const AT_MANY: &str = "connect(d1.n, r[1].p); for k in 1:299 loop connect(r[k].n, r[k + 1].p); end for;
        connect(r[300].n, l.p); connect(l.n, d4.p);";
    for diode in [BY_PARAMETER, BY_MEMORY] {
        let how = How::until(0.01);
        let one = with_lines(diode, WITH_INDUCTOR, AT_INDUCTOR, &how);
        let many = with_lines(diode, MANY, AT_MANY, &how);
        check_same((&many, ""), (&one, ""), &["l.i", "la.i", "lb.i", "d1.v"], 1e-5, diode);
        assert_eq!(many.events().len(), one.events().len(), "{diode}");
    }
}

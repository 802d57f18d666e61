//! Models that cannot be transformed: with which code, at which places, in which modes or mode changes.

use crate::support;
use support::obstacle;

/// What is said of a model that cannot be transformed.
struct Expected<'a> {
    code: &'a str,
    /// The texts that are labelled.
    places: &'a [&'a str],
    /// Modes or mode changes.
    when: Option<&'a str>,
}

fn check_obstacle(body: &str, expected: &Expected) {
    check_obstacle_of(&format!("model M {body} end M;"), expected);
}

fn check_obstacle_of(text: &str, expected: &Expected) {
    let found = obstacle(text);
    let place = |label: &modeshift_diagnostics::Label| &text[label.span.start as usize..label.span.end as usize];
    let places: Vec<&str> = found.labels.iter().map(place).collect();
    assert_eq!((found.code.as_str(), places.as_slice()), (expected.code, expected.places), "{found:#?}");
    assert_eq!(found.when.as_deref(), expected.when, "{found:#?}");
}

#[test]
fn blocks_that_are_too_many_are_shown() {
    // Any run of open doors is a block.
    check_obstacle(
        "parameter Integer N = 40; Real x[N + 2]; Boolean open[N + 1];
         equation for k in 1:N + 1 loop open[k] = time > k; end for; x[1] = 0; x[N + 2] = 0;
         for k in 2:N + 1 loop
           /* room: */ 3*x[k] = time + (if open[k - 1] then x[k - 1] else 0) + (if open[k] then x[k + 1] else 0);
         end for;",
        &Expected {
            code: "E0902",
            places: &["3*x[k] = time + (if open[k - 1] then x[k - 1] else 0) + (if open[k] then x[k + 1] else 0)"],
            when: None,
        },
    );
}

#[test]
fn functions_that_cannot_be_written_along_are_shown_wherever_they_are_called() {
    let function = "function f input Real x; output Real y; external \"C\"; end f;";
    for (body, place) in [
        ("Real x; equation x = f(time);", "x = f(time)"),
        ("Real x(start = 0); initial equation x = f(2); equation der(x) = 1;", "x = f(2)"),
        ("Real x; Boolean p; equation p = f(time) > 1; 0 = if p then x else x - 1;", "p = f(time) > 1"),
    ] {
        let text = format!("{function} model M {body} end M;");
        check_obstacle_of(&text, &Expected { code: "E0903", places: &[place], when: None });
    }
}

#[test]
fn a_circle_of_blocks_over_several_modes_is_shown() {
    // In each mode two of the equations wait for each other in a row; over all modes the row is a circle.
    check_obstacle(
        "Real x; Real y; Real z; Boolean a; Boolean b;
         equation a = time < 1; b = time < 2;
         x = if b and not a then 1 else y; y = if not b then 1 else z; z = if a then 1 else x;",
        &Expected {
            code: "E0904",
            places: &["x = if b and not a then 1 else y", "y = if not b then 1 else z"],
            when: Some("b and a"),
        },
    );
}

#[test]
fn a_jump_without_a_formula_is_shown_with_its_constraint_and_change() {
    // Where p begins, the position has to jump onto the circle.
    check_obstacle(
        "Real x(start = 2, fixed = true); Real y(start = 0, fixed = true); Real u(start = 0, fixed = true);
         Real v(start = 1, fixed = true); Real f; Boolean p;
         equation p = time > 1; der(x) = u; der(y) = v; der(u) = f*x; der(v) = f*y;
         0 = if p then x^2 + y^2 - 1 else f;",
        &Expected { code: "E0905", places: &["0 = if p then x^2 + y^2 - 1 else f"], when: Some("not pre(p) and p") },
    );
}

#[test]
fn a_state_that_nothing_gives_a_value_is_shown_with_its_change() {
    check_obstacle(
        "Real x; Real y(start = 0, fixed = true); Boolean p; if p then Real z; end if;
         equation p = time > 1; der(y) = 1; x = y; if p then der(z) = x; end if;",
        &Expected { code: "E0906", places: &["z"], when: Some("not pre(p) and p") },
    );
}

#[test]
fn restarts_that_are_too_many_are_shown_with_their_constraints() {
    // A guard sees the impulses of all clutches at once: any set of them that engages is a restart of its own.
    let text = "model M parameter Integer N = 9;
         Real a[N](each start = 1, each fixed = true); Real b[N](each start = 3, each fixed = true); Real f[N]; Real s;
         Boolean p[N]; Real y(start = 0, fixed = true); Boolean q;
         equation s = sum(f); q = s > 1; 1 = if q then y else der(y);
         for k in 1:N loop
           p[k] = time > k; der(a[k]) = f[k]; 2*der(b[k]) = -f[k]; 0 = if p[k] then a[k] - b[k] else f[k];
         end for; end M;";
    let found = obstacle(text);
    let place = &text[found.labels[0].span.start as usize..found.labels[0].span.end as usize];
    assert_eq!((found.code.as_str(), place), ("E0907", "0 = if p[k] then a[k] - b[k] else f[k]"), "{found:#?}");
    assert!(found.when.is_some_and(|when| when.contains("pre(p[9])")));
}

#[test]
fn a_state_that_constraints_put_somewhere_without_a_formula_is_shown_with_its_change() {
    check_obstacle(
        "Real x(start = 1, fixed = true); Real w; Boolean p; if p then Real z; end if;
         equation p = time > 1; der(x) = -x; if p then x = z^3 + z; w = der(z); else w = 0; end if;",
        &Expected { code: "E0908", places: &["z"], when: Some("not pre(p) and p") },
    );
}

#[test]
fn a_restart_law_is_shown_with_its_change() {
    check_obstacle(
        "Real x(start = 1, fixed = true); Real v(start = 0, fixed = true); Real f; Boolean p;
         equation p = x < 0; der(x) = v; der(v) = f; f = if p then 1 else -1; when p then v = -0.5*pre(v); end when;",
        &Expected { code: "E0909", places: &["v = -0.5*pre(v)"], when: Some("not pre(p) and p") },
    );
}

#[test]
fn a_guard_on_an_impulse_without_a_formula_is_shown_with_its_change() {
    // A boost converter whose load takes `y` away, which is a state in some modes only.
    check_obstacle(
        "Real iL(start = 0, fixed = true); Real vC(start = 0, fixed = true); Real vs; Real is; Real iD; Real uD;
         Real y(start = 0, fixed = true); Boolean sw; Boolean q; Boolean on(start = false, fixed = true);
         equation sw = time < 1; q = time > 0.5; der(iL) = 5 - vs; der(vC) = iD - vC; iL = is + iD + y; uD = vs - vC;
         1 = if q then y else der(y);
         0 = if sw then vs else is; 0 = if on then uD else iD; on = if pre(on) then iD >= 0 else uD > 0;",
        &Expected {
            code: "E0913",
            places: &["uD", "on(start = false, fixed = true)"],
            when: Some("not (q or not pre(sw) or sw or pre(on) or on)"),
        },
    );
}

#[test]
fn a_constraint_of_some_modes_that_an_event_violates_is_shown() {
    // Where p holds, `y` has to follow `x`; a differentiated equation would not make it.
    check_obstacle(
        "Real x(start = 1, fixed = true); Real y(start = 0); Real z(start = 0, fixed = true); Boolean p;
         equation p = time < 3; der(x) = -x; 0 = if p then y - 2*x else der(y);
         der(z) = if p then der(y) else 1;
         when time > 1 then reinit(x, 3); end when;",
        &Expected { code: "E0914", places: &["0 = if p then y - 2*x else der(y)", "reinit(x, 3)"], when: Some("p") },
    );
}

#[test]
fn a_constraint_of_some_modes_with_a_discrete_variable_is_shown() {
    check_obstacle(
        "Real x(start = 1, fixed = true); Real y; Real w; discrete Real k(start = 1, fixed = true); Boolean p;
         equation p = time < 3; der(x) = -x; y = if p then k*x else x; w = der(y);
         when time > 1 then k = 3; end when;",
        &Expected { code: "E0914", places: &["y = if p then k*x else x", "k = 3"], when: None },
    );
}

#[test]
fn a_reinit_of_what_is_never_a_state_is_shown() {
    check_obstacle(
        "Real v(start = 0, fixed = true); Real m; equation m = 2*v; der(m) = 1; when time > 1 then reinit(v, 0); end when;",
        &Expected { code: "E0914", places: &["reinit(v, 0)"], when: None },
    );
}

#[test]
fn a_guard_on_more_than_an_impulse_is_shown() {
    // A boost converter whose diode looks at twice its voltage: only the sign of `uD` itself is known to decide.
    check_obstacle(
        "Real iL(start = 0, fixed = true); Real vC(start = 0, fixed = true); Real vs; Real is; Real iD; Real uD;
         Boolean sw; Boolean on(start = false, fixed = true);
         equation sw = time < 1; der(iL) = 5 - vs; der(vC) = iD - vC; iL = is + iD; uD = vs - vC;
         0 = if sw then vs else is; 0 = if on then uD else iD; on = if pre(on) then iD >= 0 else 2*uD > 0;",
        &Expected {
            code: "E0913",
            places: &["uD", "on(start = false, fixed = true)"],
            when: Some("not (not pre(sw) or sw or pre(on) or on)"),
        },
    );
}

#[test]
fn an_expression_that_is_too_long_is_shown() {
    // Parts get variables of type Real, so parts that are Integers get none.
    let squares = "z := z*z + z; ".repeat(40);
    check_obstacle(
        &format!(
            "Real x(start = 1, fixed = true); Integer n; Integer z; Boolean b;
             equation b = x > 2; der(x) = if b then 1 else 2; n = if b then 1 else 2;
             algorithm z := n; {squares}"
        ),
        &Expected { code: "E0915", places: &["z"], when: None },
    );
}

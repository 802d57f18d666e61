//! Values that cannot be: subscripts out of bounds, numbers that are none, sizes that do not fit. Each is refused where it is written or
//! where it comes about, never replaced by a neighbour.

use crate::support::modeshift_reading;

/// What a command says of a text, with its exit status.
fn said(command: &str, model: &str) -> (i32, String) {
    let output = if command == "simulate" { vec!["-o", "-"] } else { Vec::new() };
    let outcome = modeshift_reading(model.as_bytes(), &[vec![command, "-"], output].concat());
    (outcome.status, outcome.stderr)
}

#[track_caller]
fn refuses(command: &str, model: &str, words: &[&str]) {
    let (status, text) = said(command, model);
    assert_eq!(status, 1, "{model}\n{text}");
    words.iter().for_each(|word| assert!(text.contains(word), "{word} in {model}\n{text}"));
}

#[track_caller]
fn runs(model: &str) {
    let (status, text) = said("simulate", model);
    assert_eq!(status, 0, "{model}\n{text}");
    assert!(!text.contains("error") && !text.contains("warning"), "{model}\n{text}");
}

/// A counter that goes up to 6, three elements, and something that reads one of them.
fn counting(declarations: &str, reader: &str) -> String {
    format!(
        "model M
  function look input Real t[3]; input Integer i; output Real y; algorithm y := t[i]; end look;
  parameter Real tab[3] = {{1, 2, 3}}; Integer i(start = 1, fixed = true); Real x(start = 0, fixed = true); {declarations}
equation
  der(x) = 1; when sample(0.1, 0.2) then i = pre(i) + 1; end when;
  {reader}
end M;"
    )
}

#[test]
fn a_subscript_out_of_bounds_stops_the_run_where_it_is_written() {
    let place = ["E0821", "time = 0.5", "out of bounds: its size is 3"];
    refuses("simulate", &counting("Real y;", "y = tab[i];"), &place);
    refuses("simulate", &counting("Real y = 2*tab[i];", ""), &place);
    refuses("simulate", &counting("Real y;", "y = look(tab, i);"), &place);
    refuses("simulate", &counting("Real v[3] = {x, 2*x, 3*x}; Real y;", "y = v[i];"), &place);
    refuses("simulate", &counting("Boolean b[3] = {x > 0.1, x > 0.2, x > 0.3}; Boolean c;", "c = b[i];"), &place);
    refuses("simulate", &counting("Real y;", "if tab[i] > 1 then y = 1; else y = 2; end if;"), &place);
    refuses(
        "simulate",
        &counting("Real y(start = 0);", "when sample(0.05, 0.2) then y = tab[i]; end when;"),
        &["0.65"],
    );
    let downwards = counting("Real y;", "y = tab[i];").replace("pre(i) + 1", "pre(i) - 1");
    refuses("simulate", &downwards, &["E0821", "time = 0.1"]);
}

#[test]
fn initial_sections_are_checked_at_the_start() {
    let start = |section: &str| {
        format!(
            "model M parameter Real a[3] = {{1, 2, 3}}; Real x; Integer i;
initial equation {section} equation i = integer(time) + 4; der(x) = 1; end M;"
        )
    };
    refuses("simulate", &start("x = a[i];"), &["E0821", "time = 0", "out of bounds: its size is 3"]);
    refuses("simulate", &start("x = 2; assert(i < 3, \"too large\");"), &["E0821", "too large"]);
    runs(&start("x = if i <= 3 then a[i] else 5;"));
    runs(&start("x = 2; assert(i < 5, \"too large\");"));
}

#[test]
fn a_subscript_that_is_not_evaluated_may_be_anything() {
    runs(&counting("Real y;", "y = if i <= 3 then tab[i] else 0;"));
    runs(&counting("Real y;", "if i <= 3 then y = tab[i]; else y = 0; end if;"));
    runs(&counting("Real y(start = 0);", "when x > 0.35 then y = tab[i]; end when;"));
    runs(&counting(
        "Real y(start = 0);",
        "when sample(0.05, 0.2) then y = if i <= 3 then look(tab, i) else 7; end when;",
    ));
    runs(&counting("Real y;", "algorithm y := 0; if i <= 3 then y := tab[i]; end if;"));
}

#[test]
fn parameters_that_are_infinite_or_rounded_are_refused() {
    let decay = |parameters: &str| {
        format!("model M {parameters} Real x(start = 1, fixed = true); equation der(x) = -x*p; end M;")
    };
    refuses(
        "check",
        &decay("parameter Real z = 0; parameter Real p = 1/z;"),
        &["E0373", "`p` = 1/z is infinite", "divides by"],
    );
    refuses("check", &decay("parameter Integer z = 0; parameter Integer p = div(7, z);"), &["E0373", "infinite"]);
    refuses("check", &decay("parameter Real z = 0; parameter Real p = log(z);"), &["E0373", "infinite"]);
    let power = "parameter Integer n = 2147483647; parameter Integer p = n*n*n;";
    refuses("check", &decay(power), &["E0373", "more than 53 bits", "Real"]);
    refuses(
        "check",
        &decay("parameter Integer n = 9007199254740993; parameter Integer p = n - 9007199254740992;"),
        &["E0373", "`n`"],
    );
    runs(&decay("parameter Integer n = 94906265; parameter Integer q = n*n; parameter Real p = q/1e16;"));
}

#[test]
fn integers_that_grow_beyond_what_is_exact_stop_the_run() {
    let growing = "model M Integer k(start = 1, fixed = true); Real x(start = 0, fixed = true);
equation der(x) = 1; when sample(0, 0.01) then k = pre(k)*7; end when; end M;";
    // 7^18 has 51 bits, 7^19 has 54; the first factor comes at the start.
    refuses("simulate", growing, &["E0831", "`k` becomes an Integer of more than 53 bits at time = 0.18"]);
    let at_once = "model M Integer k(start = 0, fixed = true); Real x(start = 0, fixed = true);
equation der(x) = 1; when x > 0.5 then k = integer(exp(100)); end when; end M;";
    refuses("simulate", at_once, &["E0831", "more than 53 bits"]);
}

#[test]
fn a_single_value_is_not_an_array() {
    let of = |binding: &str| {
        format!(
            "model M parameter Real a[2] {binding}; Real x(start = 0, fixed = true); equation der(x) = a[1] + a[2]; end M;"
        )
    };
    refuses("check", &of("= 3"), &["E0304", "`a` has size [2], but this is a single value", "fill(…, 2)"]);
    runs(&of("= fill(3, 2)"));
    runs(&of("(each start = 0) = {1, 2}"));
    runs(
        "model M model A parameter Real k = 1; Real x(start = 0, fixed = true); equation der(x) = k; end A; A a[2](each k = 3); end M;",
    );
}

#[test]
fn check_says_what_parameters_alone_decide() {
    let of = |value: &str| {
        format!(
            "model M parameter Integer n(min = 1, max = 9) = {value}; Real x(start = 0, fixed = true);
equation assert(n < 4, \"too many\"); der(x) = n; end M;"
        )
    };
    refuses("check", &of("5"), &["E0821", "too many", "`n < 4` is false"]);
    let (status, text) = said("check", &of("0"));
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("W0378") && text.contains("`n` = 0 is below its `min`, 1"), "{text}");
    runs(&of("3"));
}

/// What is compared may be inside `noEvent`, also because a function with branches was written out: the relation makes its event. Of a
/// condition, only the part inside `noEvent` makes none.
#[test]
fn no_event_silences_what_is_inside_alone() {
    let of = |condition: &str| {
        format!(
            "model M
  function f input Real x; output Real y; algorithm y := if x > 0.5 then x else 0.0; end f;
  Real x(start = 0, fixed = true); Real y(start = 0, fixed = true);
equation
  der(x) = 2; der(y) = if {condition} then 1 else 5;
end M;"
        )
    };
    let events = |condition: &str| said("simulate", &of(condition)).1.matches("1 event;").count();
    for condition in [
        "noEvent(abs(x)) - 1 > 0",
        "noEvent(if x > 0.5 then 1 else 0) + x > 2",
        "f(x) > 1",
        "x > 1 or noEvent(x > 10)",
        "noEvent(x > 10) or x > 1",
        "not (noEvent(x > 10) or x <= 1 and noEvent(x < 20))",
    ] {
        assert_eq!(events(condition), 1, "{condition}");
    }
    assert_eq!(events("noEvent(x > 1)"), 0);
    assert_eq!(events("noEvent(x > 1 or x > 1.5)"), 0);
}

/// A type that is declared inside of the model has variables around it, so that no name leads to it from outside.
#[test]
fn enumerations_of_the_model_can_be_set() {
    let model = "model M
          type Speed = enumeration(slow, fast);
          parameter Speed speed = Speed.slow;
          parameter Speed list[2] = {Speed.slow, Speed.fast};
          Real x(start = 0, fixed = true);
        equation
          der(x) = if speed == Speed.fast then 2 else 1;
          when terminal() then
            assert(x < 1.5 and list[1] == Speed.slow, \"fast\");
          end when;
        end M;";
    for (set, is_fast) in [
        ("speed=Speed.fast", true),
        ("speed=M.Speed.fast", true),
        ("speed=Speed.slow", false),
        ("list[1]=Speed.fast", true),
    ] {
        let outcome = modeshift_reading(model.as_bytes(), &["simulate", "-", "--set", set, "-o", "-"]);
        assert_eq!(outcome.status, i32::from(is_fast), "{set}: {}", outcome.stderr);
        assert_eq!(outcome.stderr.contains("fast"), is_fast, "{set}: {}", outcome.stderr);
    }
    for set in ["speed=Speed.fst", "speed=Other.fast", "speed=fast"] {
        let outcome = modeshift_reading(model.as_bytes(), &["simulate", "-", "--set", set, "-o", "-"]);
        assert!(outcome.status == 1 && outcome.stderr.contains("error[E02"), "{set}: {}", outcome.stderr);
    }
}

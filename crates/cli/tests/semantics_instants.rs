//! What `semantics` says of instants in which several things happen: jumps over boundaries of guards, laws, choices.

use serde_json::Value;

use crate::semantics::change_to;
use crate::support::modeshift_reading;

fn report(text: &str) -> Value {
    modeshift_reading(text.as_bytes(), &["semantics", "-", "--format", "json"]).json()
}

fn change(report: &Value, from: &str, to: &str) -> Value {
    let mut changes = report["changes"].as_array().expect("a list").iter();
    changes.find(|it| it["from"] == from && it["to"] == to).expect("the change").clone()
}

fn lines(change: &Value, key: &str) -> Vec<String> {
    let list = change[key].as_array().cloned().unwrap_or_default();
    list.iter().map(|it| it.as_str().expect("a text").to_string()).collect()
}

/// Whether a change claims that guards say something of its past.
fn claims(change: &Value) -> bool {
    lines(change, "differs").iter().any(|it| it.starts_with("guards say"))
}

/// An overflow at `h1 = 1`, and a valve to a full tank that opens at 2.
fn tanks(guard: &str, overflow: &str) -> String {
    format!(
        "model T Real h1(start = 0.2, fixed = true); Real h2(start = 5, fixed = true); Real q1; Real q2; Real s;
        Boolean p; Boolean q = time >= 2; equation p = {guard}; der(h1) = 0.1 + q1 + q2; der(h2) = -q2; {overflow}
        if q then h1 = h2; else q2 = 0; end if; end T;"
    )
}

const OVERFLOW: &str = "s = h1 - 1; if p then h1 = 1; else q1 = 0; end if;";

/// The valve lets `h1` jump: where the overflow begins in the same instant, it does not begin at `h1 = 1`. When it closes nothing
/// jumps, and the guard says where `h1` is. The same for guards of a parameter of the curve, which wait for themselves: an
/// instant later in the mode in which the valve is open.
#[test]
fn guards_say_nothing_of_the_past_where_others_let_their_variables_jump() {
    let curve = "s = if p then -q1 else h1 - 1; 0 = if p then h1 - 1 else q1;";
    for (text, is_delayed) in [(tanks("h1 >= 1", OVERFLOW), false), (tanks("s >= 0", curve), true)] {
        let report = report(&text);
        let both = change(&report, "not p, not q", "p, q");
        assert!(!claims(&both), "{both}");
        let restart = lines(&both, "restart").join("; ");
        assert!(restart.contains("h1") && restart.contains("h2"), "{both}");
        assert_eq!(claims(&change(&report, "not p, q", "p, not q")), !is_delayed, "{report}");
        assert!(claims(&change(&report, "not p, not q", "p, not q")), "{report}");
    }
}

/// A guard of a left limit changes an instant after the jump, in the mode that the jump led to.
#[test]
fn guards_of_left_limits_say_nothing_behind_a_jump() {
    let report = report(&tanks("pre(h1) >= 1", OVERFLOW));
    let behind = change(&report, "not p, q", "p, q");
    assert!(!claims(&behind), "{behind}");
    assert!(lines(&behind, "differs").iter().any(|it| it.starts_with("because it takes it that")), "{behind}");
    assert!(lines(&behind, "restart").join("; ").contains("h1"), "{behind}");
    assert!(claims(&change(&report, "not p, not q", "p, not q")), "{report}");
}

/// `changes` takes a constraint to hold where a law may have moved its variable: that is the reason, not that none is known.
#[test]
fn what_changes_takes_to_hold_is_a_reason() {
    let text =
        "model L Real h(start = 0.2, fixed = true); Real q; Real z(start = 0, fixed = true); Boolean p; Boolean r;
        equation p = h >= 1; r = time >= 2; der(h) = 0.1 + q; der(z) = if r then 1 else 2;
        if p then /* f: */ h = 1; else q = 0; end if; when r then h = pre(h) + 3; end when; end L;";
    let differs = lines(&change(&report(text), "not r, not p", "not r, p"), "differs");
    let because =
        "because it takes it that f holds before the change; here h may have jumped over the boundary of a guard";
    assert_eq!(differs.last().map(String::as_str), Some(because), "{differs:?}");
}

/// Which states are kept is compared, also where nothing is erased and nothing infinite.
#[test]
fn states_that_are_kept_here_and_jump_in_changes_are_told() {
    let text = "model J Real x(start = 1, fixed = true); Real y(start = 0, fixed = true); Real u; Boolean g; equation
        g = y >= 1; der(y) = 1; if g then der(u) = -u; x = u + 1; else der(x) = -x; u = 2*x; end if; end J;";
    let report = report(text);
    for (from, to, jumps) in [("not g", "g", "x"), ("g", "not g", "u")] {
        let differs = lines(&change(&report, from, to), "differs");
        assert!(differs[0].ends_with(&format!("jumps: {jumps}")), "{differs:?}");
        assert!(differs[1].starts_with("because it remembers of the past what the new mode needs"), "{differs:?}");
    }
}

/// A change in which something jumps is not continuous, though its run is one of the continuous dynamics of the new mode.
#[test]
fn a_change_with_jumps_is_not_continuous() {
    let model = |after: &str| {
        format!(
            "model J Real x(start = 1, fixed = true); Real u; Boolean g = time >= 1; equation der(x) = -x;
             if g then u = {after}; else u = x; end if; end J;"
        )
    };
    assert_eq!(change_to(&model("5"), "g")["class"], "discrete");
    let kink =
        "model J Real x(start = 1, fixed = true); Boolean g = time >= 1; equation der(x) = if g then 1 else -x; end J;";
    assert_eq!(change_to(kink, "g")["class"], "continuous");
}

/// The runs of a model, as text.
fn runs(text: &str) -> Vec<String> {
    let report = report(text);
    let texts = report["runs"].as_array().expect("a list").iter();
    texts.map(|run| run["steps"].as_array().expect("a list").iter().map(step).collect::<Vec<_>>().join("; ")).collect()
}

fn step(step: &Value) -> String {
    step["text"].as_str().expect("a text").to_string()
}

/// The condition of a `when` that guards no equation is a guard all the same: an impact is a run.
#[test]
fn impacts_of_a_bouncing_ball_are_runs() {
    let ball = |law: &str| {
        format!(
            "model B Real h(start = 1, fixed = true); Real v(start = 0, fixed = true); equation /* a: */ der(h) = v;
             /* b: */ der(v) = -9.81; when h <= 0 then {law}; end when; end B;"
        )
    };
    let impact = "h <= 0; when h <= 0; a; law(v = -0.8*pre(v)); ER(b)";
    assert_eq!(runs(&ball("v = -0.8*pre(v)")), ["not (h <= 0); a; b", impact, "not (h <= 0); a; b"]);
    assert!(runs(&ball("reinit(v, -0.8*pre(v))")).iter().any(|run| run.contains("reinit(v, -0.8*pre(v))")));
}

/// Three balls: the second impact follows the first as a path of runs.
#[test]
fn impacts_of_a_cradle_are_a_path_of_runs() {
    let text = "model C Real v1; Real v2; Real v3; Real x1; Real x2; Real x3; Boolean a; Boolean b; equation
        a = x1 >= x2 and v1 > v2; b = x2 >= x3 and v2 > v3; der(x1) = v1; der(x2) = v2; der(x3) = v3;
        der(v1) = 0; der(v2) = 0; der(v3) = 0; when a then v1 = pre(v2); v2 = pre(v1); end when;
        when b then v2 = pre(v3); v3 = pre(v2); end when; end C;";
    let report = report(text);
    let all = report["runs"].as_array().expect("a list").clone();
    let fires = |run: &Value, clause: &str| run["fires"] == serde_json::json!([clause]);
    let path = all
        .iter()
        .filter(|run| fires(run, "when a"))
        .any(|first| all.iter().any(|second| fires(second, "when b") && second["from"] == first["to"]));
    assert!(path, "{report}");
}

/// The start among the conditions of a `when` is no reason to leave it out, and branches of an `if` in it exclude each other.
#[test]
fn conditions_in_and_of_a_when_are_guards() {
    let model = |when: &str| {
        format!(
            "model F Real x(start = 1, fixed = true); Real f; Boolean g; equation g = time > 1; /* a: */ der(x) = f; {when}
             if g then f = 1; else f = 0; end if; end F;"
        )
    };
    let start = runs(&model("when {initial(), g} then x = 3; end when;"));
    assert!(start.iter().any(|run| run.contains("law(x = 3); ER(a)")), "{start:?}");
    let branches = runs(&model("when g then if f > 0 then x = 2; else x = 3; end if; end when;"));
    for (value, guard) in [("2", "; f > 0;"), ("3", "not (f > 0);")] {
        let law = format!("law(x = {value}); ER(a)");
        assert!(branches.iter().any(|run| run.contains(&law) && run.contains(guard)), "{branches:?}");
    }
    assert!(!branches.iter().any(|run| run.contains("x = 2") && run.contains("x = 3")), "{branches:?}");
}

/// A law for a state that reads what follows from states: that is part of what it says, and the state's own equation gives way.
/// What does not follow from states is named.
#[test]
fn laws_may_read_what_is_no_state() {
    let model = |y: &str| {
        format!(
            "model L Real x(start = 1, fixed = true); Real y; Real f; Boolean g = time >= 1; equation /* a: */ der(x) = f;
             /* b: */ y = {y}; if g then f = -x; else f = 1; end if; when g then x = 10 - y; end when; end L;"
        )
    };
    let change = change_to(&model("2*x"), "g");
    assert_eq!(lines(&change, "erased"), ["a"]);
    assert_eq!(lines(&change, "restart"), ["x from b•+law(x = 10 - y) in instant 1"]);
    assert_eq!(lines(&report(&model("2*der(x)")), "reads_open"), ["law(x = 10 - y) reads y"]);
    assert!(report(&model("2*x"))["reads_open"].is_null());
}

/// Two laws where one force acts on both velocities: which equation gives way decides about the force. Where each has a force of
/// its own nothing is left to choose.
#[test]
fn laws_that_overdetermine_an_instant_are_told() {
    let model = |force: &str, more: &str| {
        format!(
            "model W Real x(start = 0.5); Real y(start = -0.5); Real u; Real v; Real p; Real q; Boolean c; equation
             c = x + y >= 1; der(x) = u; der(y) = v; /* e: */ der(u) = p; /* k: */ der(v) = {force}; {more}
             0 = if c then x + y - 1 else p; when c then u = -pre(u); v = -pre(v); end when; end W;"
        )
    };
    let told = |text: &str| lines(&change_to(text, "c"), "differs").iter().any(|it| it.starts_with("too much is said"));
    assert!(told(&model("2*p", "q = 0;")));
    assert!(!told(&model("1", "q = 0;")));
}

/// A mode that a law declares to be over at once is named where it has dynamics: nothing follows it if its condition stays true.
#[test]
fn modes_that_laws_declare_to_be_over_are_named() {
    let text = "model P Real x(start = 1, fixed = true); Real v(start = -1, fixed = true); Real f; Boolean c; equation
        c = x <= 0; der(x) = v; der(v) = f - 1; if c then v = 0; else f = 0; end if; when c then v = 0; end when; end P;";
    assert_eq!(lines(&report(text), "over_at_once"), ["c"]);
    let lasting = text.replace("c = x <= 0", "c = time >= 1");
    assert!(report(&lasting)["over_at_once"].is_null());
}

/// As many equations as coefficients may leave some open: that is judged by a matching of the two. Two masses whose positions are
/// joined: the velocities behind follow from the next terms, in which momentum is kept.
#[test]
fn dominant_terms_are_closed_where_equations_can_be_matched() {
    let masses = |force: &str| {
        format!(
            "model I Real x1; Real x2; Real v1; Real v2; Real f; Boolean g = time >= 1; equation der(x1) = v1; der(x2) = v2;
             /* a: */ der(v1) = f - x1; /* b: */ 2*der(v2) = {force} - x2; 0 = if g then x1 - x2 else f; end I;"
        )
    };
    let dominant = lines(&change_to(&masses("-f"), "g"), "dominant");
    assert!(!dominant.iter().any(|it| it.starts_with("not closed")), "{dominant:?}");
    for line in [
        "a: v1•_1 - pre(v1) - f_1 = 0",
        "b: 2*(v2•_1 - pre(v2)) + f_1 = 0",
        "instant 2: a: v1•2_0 - v1•_1 - f•_1 = 0",
        "instant 2: b: 2*(v2•2_0 - v2•_1) + f•_1 = 0",
    ] {
        assert!(dominant.iter().any(|it| it == line), "{line}: {dominant:?}");
    }
    let dominant = lines(&change_to(&masses("-x1*f"), "g"), "dominant");
    let open = dominant.iter().find(|it| it.starts_with("not closed")).expect("velocities are left open");
    assert!(open.contains("v1•2_0") && open.contains("v2•2_0") && open.contains("f_1"), "{open}");
}

/// A `reinit` stands in the place of the equation of its state: that equation does not make a force of it. Beside a clutch the
/// reset of an integrator changes nothing but the integrator.
#[test]
fn a_reinit_takes_the_place_of_the_equation_of_its_state() {
    let clutch = |reset: &str| {
        format!(
            "model Q Real w1; Real w2; Real t; Real c; Boolean g; equation g = time >= 1; /* a: */ der(w1) = t;
             /* b: */ 2*der(w2) = -t; /* i: */ der(c) = w1 + t; if g then /* k: */ w1 = w2; else t = 0; end if; {reset} end Q;"
        )
    };
    let plain = change_to(&clutch(""), "g");
    let reset = change_to(&clutch("when g then reinit(c, 0); end when;"), "g");
    assert_eq!(
        (lines(&plain, "erased"), lines(&reset, "erased")),
        (vec!["k".to_string()], vec!["i".into(), "k".into()])
    );
    let speeds = |change: &Value| lines(change, "restart").into_iter().find(|it| it.starts_with("w1, w2"));
    assert!(speeds(&plain).is_some() && speeds(&plain) == speeds(&reset), "{reset}");
    assert!(lines(&reset, "restart").contains(&"c from reinit(c, 0) in instant 1".to_string()), "{reset}");
    let joined =
        "model F Real x; Real y; Real f; Boolean g; equation g = time > 1; /* e: */ der(x) = f; /* h: */ der(y) = -f;
        when g then reinit(x, 7); end when; if g then /* k: */ x = y; else f = 0; end if; end F;";
    assert_eq!(lines(&change_to(joined, "g"), "erased"), ["e", "k"]);
}

/// The runs of a model are of the same class whatever values of guards are asked for, also where no mode that lasts is among them.
#[test]
fn the_class_of_a_run_does_not_depend_on_what_is_asked_for() {
    let text = "model W Real x(start = 1, fixed = true); Real v(start = -1, fixed = true); Real f; Boolean c; equation
        c = x <= 0; der(x) = v; der(v) = f - 1; if c then x = 0; else f = 0; end if; when c then v = -0.5*pre(v); end when; end W;";
    let class = |arguments: &[&str]| {
        let report = modeshift_reading(text.as_bytes(), &[&["semantics", "-", "--format", "json"], arguments].concat());
        let runs = report.json()["runs"].as_array().expect("a list").clone();
        let fired = runs.iter().find(|run| run["when"] == "c").expect("the run that fires").clone();
        (fired["class"].clone(), fired["impulse_orders"].clone())
    };
    assert_eq!(class(&[]), class(&["--at", "c=true"]));
    assert_eq!(class(&[]).0, "impulsive");
}

/// Contexts with the same equations differ in what held before, or in the modes that their equations are of.
#[test]
fn contexts_with_the_same_equations_are_told_apart() {
    let ratios = "model K Real w1; Real w2; Real t; Boolean g = time >= 1; equation der(w1) = -t; der(w2) = t;
        /* e: */ w2 = (if g then 3 else 2)*w1; end K;";
    let contexts = report(ratios)["contexts"].as_array().expect("a list").clone();
    let bodies: Vec<&Value> = contexts.iter().map(|it| &it["bodies"]["e"]).collect();
    assert_eq!(bodies, ["not g", "g"]);
    let ball = "model B Real h(start = 1, fixed = true); Real v(start = 0, fixed = true); equation der(h) = v;
        der(v) = -9.81; when h <= 0 then v = -0.8*pre(v); end when; end B;";
    let contexts = report(ball)["contexts"].as_array().expect("a list").clone();
    let held: Vec<Vec<String>> = contexts.iter().map(|it| lines(it, "held")).collect();
    assert_eq!(held, [vec![], vec!["h <= 0".to_string()]]);
}

/// What no equation contains has no value: no run ends. What equations of other modes contain is irrelevant in this one.
#[test]
fn a_variable_without_an_equation_lets_runs_fail() {
    let text = "model U Real x(start = 1, fixed = true); Real y; Boolean g = time >= 1; equation
        der(x) = if g then 1 else -x; end U;";
    let answer = modeshift_reading(text.as_bytes(), &["semantics", "-", "--format", "json"]);
    let runs = answer.json()["runs"].as_array().expect("a list").clone();
    assert!(runs.len() == 2 && runs.iter().all(|run| run["class"] == "failed"), "{runs:?}");
    assert!(runs[0]["failure"].as_str().is_some_and(|it| it.contains("gives a value to y")), "{runs:?}");
}

/// The same micro-steps in another order are the same run.
#[test]
fn changes_name_their_runs_whatever_the_order_of_guards() {
    let text =
        "model S Real w1; Real w2; Real w3; Real a; Real b; Boolean g1 = time >= 1; Boolean g2 = time >= 2; equation
        der(w1) = a; der(w2) = b - a; der(w3) = -b; if g1 then w1 = w2; else a = 0; end if;
        if g2 then w2 = w3; else b = 0; end if; end S;";
    let report = report(text);
    let changes = report["changes"].as_array().expect("a list");
    let runs = report["runs"].as_array().expect("a list");
    for change in changes {
        for (number, instant) in change["runs"].as_array().expect("a list").iter().zip(lines(change, "instants")) {
            let number = number.as_u64().expect("a run of the graph") as usize;
            let steps = runs[number - 1]["steps"].as_array().expect("a list").iter();
            let steps: Vec<&str> = steps.map(|step| step["text"].as_str().expect("a text")).collect();
            assert_eq!(instant, steps.join("; "));
        }
    }
}

/// `changes` says where a product is taken by convention; the formulas beside the runs are its, and so is the warning.
#[test]
fn conventions_of_closed_forms_are_said() {
    let text = "model C Real u(start = 1, fixed = true); Real i; Real C; Boolean g = time >= 1; equation
        C = if g then 2 else 1; /* q: */ C*der(u) + u*der(C) = i; u + 3*i = 0; end C;";
    let warnings = lines(&change_to(text, "g"), "warnings");
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].contains("C is taken at its left limit"), "{warnings:?}");
    let charge =
        text.replace("/* q: */ C*der(u) + u*der(C) = i;", "Q = C*u; der(Q) = i;").replace("Real i;", "Real i; Real Q;");
    assert!(lines(&change_to(&charge, "g"), "warnings").is_empty());
}

/// Every change can be asked for, however many there are.
#[test]
fn changes_can_be_picked_by_both_sides() {
    let text = "model C3 Real w[4]; Real t[3]; Boolean on[3]; equation for i in 1:3 loop on[i] = time >= i;
        if on[i] then w[i] = w[i + 1]; else t[i] = 0; end if; end for; der(w[1]) = t[1]; der(w[2]) = t[2] - t[1];
        der(w[3]) = t[3] - t[2]; der(w[4]) = -t[3]; end C3;";
    let arguments =
        ["semantics", "-", "--format", "json", "--from", "on[1]=true,on[2]=true,on[3]=true", "--to", "on[1]=false"];
    let report = modeshift_reading(text.as_bytes(), &arguments).json();
    let changes = report["changes"].as_array().expect("a list");
    assert_eq!(changes.len(), 4);
    assert!(changes.iter().any(|it| it["to"] == "not on[1], not on[2], not on[3]"), "{changes:?}");
    assert!(report["more_changes"].is_null());
}

/// Text, DOT and SVG say what the bound on runs leaves out.
#[test]
fn pictures_say_what_is_left_out() {
    let clutches = "model C6 Real w[7]; Real t[6]; Boolean on[6]; equation for i in 1:6 loop on[i] = time >= i;
        if on[i] then w[i] = w[i + 1]; else t[i] = 0; end if; end for; der(w[1]) = t[1];
        for i in 2:6 loop der(w[i]) = t[i] - t[i - 1]; end for; der(w[7]) = -t[6]; end C6;";
    for format in ["text", "dot", "svg"] {
        let text = modeshift_reading(clutches.as_bytes(), &["semantics", "-", "--format", format]).stdout;
        assert!(text.contains("left out: 2048 runs from 32 contexts"), "{format}");
        assert!(format != "text" || text.starts_with("C6: 64 contexts, 2048 of 4096 runs"));
    }
}

/// The complement of a relation of the model, and edges of Booleans, are guards like these.
#[test]
fn conditions_on_guards_of_the_model_are_followed_however_they_are_written() {
    let model = |declared: &str, condition: &str| {
        format!(
            "model W Real x(start = 1, fixed = true); Real v(start = -1, fixed = true); Real f; {declared} equation der(x) = v;
             /* e: */ der(v) = f; if x < 0 then f = -x; else f = 0; end if; when {condition} then reinit(v, 5); end when; end W;"
        )
    };
    for (declared, condition) in [
        ("", "x >= 0"),
        ("", "0 <= x"),
        ("", "not x < 0"),
        ("Boolean b = x >= 0;", "edge(b)"),
        ("Boolean b = x < 0;", "change(b)"),
        ("Boolean b = x < 0;", "not b"),
    ] {
        let report = report(&model(declared, condition));
        let changes = report["changes"].as_array().expect("a list");
        let erased: Vec<Vec<String>> = changes.iter().map(|it| lines(it, "erased")).collect();
        let fires = erased.iter().filter(|it| **it == ["e"]).count();
        assert_eq!(fires, if condition == "change(b)" { 2 } else { 1 }, "{condition}: {report}");
    }
}

/// A law that reads left limits sets another value in every instant: the run that meets it twice is impulsive both times.
#[test]
fn laws_of_left_limits_jump_whenever_they_fire() {
    let text = "model B Real h(start = 1, fixed = true); Real v(start = 0, fixed = true); Real f; Boolean fly(start = true, fixed = true);
        equation der(h) = v; der(v) = f - 9.81; when h <= 0 then reinit(v, -0.8*pre(v)); fly = pre(v) < -0.1; end when;
        if fly then f = 0; else h = 0; end if; end B;";
    let runs = report(text)["runs"].as_array().expect("a list").clone();
    let is_held = |run: &&Value| run["when"] == "not fly, h <= 0" && !run["fires"].is_null();
    let held: Vec<&Value> = runs.iter().filter(is_held).collect();
    assert!(held.len() > 2 && held.iter().all(|run| run["class"] == "impulsive"), "{held:#?}");
}

/// A state that comes back to its value does so where something is conserved with constant coefficients, else nothing says so.
#[test]
fn states_come_back_only_where_coefficients_are_constant() {
    let model = |load: &str| {
        format!(
            "model N Real w1; Real w2; Real t; Boolean g; equation g = time >= 1; der(w1) = t; der(w2) = {load};
             if g then w1 = w2; else t = 0; end if; when time >= 2 then reinit(w1, 0); end when; end N;"
        )
    };
    for (load, comes_back) in [("-t", true), ("-t*w2", false), ("-time*t", false)] {
        let report = report(&model(load));
        let change = change(&report, "g, not (time >= 2)", "g, time >= 2");
        let series = lines(&change, "series").into_iter().find(|it| it.starts_with("w1•2")).expect("a series");
        assert_eq!(series.starts_with("w1•2 = pre(w1)"), comes_back, "{change}");
        assert_eq!(lines(&change, "restart").iter().any(|it| it.starts_with("w1")), !comes_back, "{change}");
    }
}

/// A state that enters a mode infinite stays so: there is no standard part, and that is said.
#[test]
fn states_that_stay_infinite_are_named() {
    let text = "model S Real x(start = 1, fixed = true); Real f; Boolean locked; Boolean w; equation locked = time < 1; w = time >= 1;
        der(x) = f; if locked then x = 1; else der(f) = -f; end if; when w then reinit(x, 5); end when; end S;";
    let report = report(text);
    let change = change(&report, "locked, not w", "not locked, w");
    assert_eq!(lines(&change, "infinite"), ["f"]);
    assert!(lines(&change, "differs").iter().all(|it| !it.contains("may have jumped")), "{change}");
}

/// An assignment stands above what a mode of higher index knows of its state.
#[test]
fn a_reinit_may_leave_a_mode_of_higher_index() {
    let text = "model R Real x(start = 0, fixed = true); Real v; Real n; Boolean hold; equation hold = time < 1; /* e: */ der(x) = v;
        der(v) = n - 1; if hold then x = 0; else n = 0; end if; when not hold then reinit(x, 3); end when; end R;";
    let report = report(text);
    let change = change(&report, "hold", "not hold");
    assert_eq!((change["class"].as_str(), lines(&change, "erased")), (Some("discrete"), vec!["e".to_string()]));
    assert_eq!(lines(&change, "restart"), ["x from reinit(x, 3) in instant 1"]);
}

/// What follows an instant that is over at once is told as a path of runs.
#[test]
fn cascades_are_paths_of_runs() {
    let text = "model C Real x1(start = 0, fixed = true); Real x2(start = 1, fixed = true); Real x3(start = 1, fixed = true);
        Real v1(start = 1, fixed = true); Real v2(start = 0, fixed = true); Real v3(start = 0, fixed = true); Real f; Real k;
        Boolean a; Boolean b; equation der(x1) = v1; der(x2) = v2; der(x3) = v3; der(v1) = -f; der(v2) = f - k; der(v3) = k;
        a = x1 >= x2 and v1 > v2; b = x2 >= x3 and v2 > v3; if a then x1 = x2; else f = 0; end if; if b then x2 = x3; else k = 0; end if;
        when a then v2 - v1 = -(pre(v2) - pre(v1)); end when; when b then v3 - v2 = -(pre(v3) - pre(v2)); end when; end C;";
    let report = report(text);
    let runs = report["runs"].as_array().expect("a list");
    let first = change(&report, "not a, not b", "a, not b");
    let cascades = first["cascades"].as_array().expect("a list").clone();
    let modes = |path: &Value| -> Vec<String> {
        let runs = path.as_array().expect("a list").iter().map(|it| &runs[it.as_u64().expect("a number") as usize - 1]);
        runs.map(|run| run["when"].as_str().expect("a text").to_string()).collect()
    };
    let through = ["not a, b", "not a, not b", "not a, not b"];
    assert!(cascades.iter().any(|path| modes(path) == through), "{cascades:?}");
    for path in &cascades {
        let numbers: Vec<usize> =
            path.as_array().expect("a list").iter().map(|it| it.as_u64().expect("a number") as usize).collect();
        assert!(numbers.windows(2).all(|pair| runs[pair[0] - 1]["to"] == runs[pair[1] - 1]["from"]), "{path}");
        assert_eq!(runs[numbers[numbers.len() - 1] - 1]["class"], "continuous");
    }
}

/// A mode whose equations agree loops in Algorithm 5, which does not see that; `analyze` accepts it, and nothing is rejected.
#[test]
fn loops_of_modes_that_are_accepted_are_not_called_rejected() {
    let text = "model H Real x(start = 1, fixed = true); Real y; Real z; Boolean g = time >= 1; equation der(x) = -x;
        if g then y = x; y + x - 2*x = 0; else y = x; z = 1; end if; end H;";
    let answer = modeshift_reading(text.as_bytes(), &["semantics", "-"]);
    let title = answer.stdout.lines().find(|line| line.contains("loops for ever")).expect("the cycle").to_string();
    assert_eq!(title.starts_with("rejected"), answer.status != 0, "{title}: exit {}", answer.status);
}

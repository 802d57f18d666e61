//! What follows an event of a run: the mode, the modes passed through, right limits and impulses.

use crate::support::runs as support;
use modeshift_simulate::integrate::Method;
use support::{How, Ran, check, paper_model, run_text};

/// A model with more declarations and equations.
fn with(text: &str, declarations: &str, equations: &str) -> String {
    text.replacen("\nequation\n", &format!("\n{declarations}\nequation\n{equations}\n"), 1)
}

/// A model with other start values.
fn starting(text: &str, starts: &[(&str, f64)]) -> String {
    let mut text = text.to_string();
    for (name, value) in starts {
        let begin = text.find(&format!("Real {name}(start = ")).expect("a start value") + name.len() + 14;
        let length = text[begin..].find(',').expect("the end of the start value");
        text.replace_range(begin..begin + length, &value.to_string());
    }
    text
}

/// Checks that left and right limits are the same to the bit, but for variables that may differ.
fn check_kept(ran: &Ran, event: usize, may_differ: impl Fn(&str) -> bool) {
    let columns = &ran.result.columns().columns;
    let kept: Vec<&str> = columns.iter().map(|column| &*column.name).filter(|name| !may_differ(name)).collect();
    assert!(!kept.is_empty());
    for name in kept {
        let (left, right) = ran.limits(event, name);
        assert_eq!(left.to_bits(), right.to_bits(), "{name} = {left} becomes {right} at {}", ran.events()[event].time);
    }
}

#[test]
fn an_event_that_changes_no_mode_keeps_every_value_to_the_bit() {
    let counted = "when time >= 6 then n = pre(n) + 1; end when;";
    let text = with(&paper_model("ClutchBasic.mo"), "Integer n(start = 0, fixed = true);", counted);
    let ran = run_text(&text, &How::default().tolerance(1e-9)).finished();
    assert_eq!(ran.event_times(), [5.0, 6.0, 7.0]);
    assert_eq!((ran.mode_after(0), ran.mode_after(1)), (vec!["g"], vec!["g"]));
    assert!(ran.events()[0].cascade.is_empty(), "the clutch engages in one step");
    assert!(ran.limits(1, "f1").0 != 0.0, "engaged, there is a torque");
    check_kept(&ran, 1, |name| name == "n");
    // Released at t2, the speeds are kept, and the torques are gone.
    assert!(ran.mode_after(2).is_empty() && ran.events()[2].impulses.is_empty());
    check_kept(&ran, 2, |name| ["g", "f1", "f2"].contains(&name));
    assert_eq!(ran.limits(2, "f1").1, 0.0);
}

/// The modes of the water tank, from one to the next.
const TANK_MODES: [&[&str]; 4] = [&["bh"], &[], &["bl"], &[]];

/// Checks that the tank becomes full and empty in turn, this often.
fn check_tank(ran: &Ran, changes: usize, context: &str) {
    let changing: Vec<usize> = (0..ran.events().len()).filter(|&event| changes_mode(ran, event)).collect();
    assert_eq!(changing.len(), changes, "{context}: {:?}", ran.event_times());
    for (number, event) in changing.into_iter().enumerate() {
        assert_eq!(ran.mode_after(event), TANK_MODES[number % 4], "{context}: at {}", ran.events()[event].time);
    }
    let levels = ran.values("x");
    assert!(levels.iter().all(|level| (-1e-9..=1.0 + 1e-9).contains(level)), "{context}: the tank keeps its bounds");
}

fn changes_mode(ran: &Ran, event: usize) -> bool {
    ran.events()[event].changed().next().is_some()
}

#[test]
fn the_water_tank_enters_and_leaves_its_limits_however_exactly_it_is_integrated() {
    for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
        for tolerance in [1e-3, 1e-6, 1e-9] {
            let how = How { method: Some(method), ..How::until(10.0).tolerance(tolerance) };
            let ran = run_text(&paper_model("WaterTank.mo"), &how).finished();
            check_tank(&ran, 40, &format!("{method:?}, {tolerance:e}"));
        }
    }
}

#[test]
fn the_water_tank_enters_and_leaves_its_limits_though_other_events_come_a_moment_before_or_after() {
    let how = How::default().tolerance(1e-9);
    let times = run_text(&paper_model("WaterTank.mo"), &how).finished().event_times();
    for error in [-1e-6, -1e-9, -1e-12, 0.0, 1e-12, 1e-9, 1e-6] {
        let conditions: Vec<String> = times.iter().map(|time| format!("time >= {:?}", time + error)).collect();
        let counted = format!("when {{{}}} then n = pre(n) + 1; end when;", conditions.join(", "));
        let text = with(&paper_model("WaterTank.mo"), "Integer n(start = 0, fixed = true);", &counted);
        let ran = run_text(&text, &how).finished();
        check_tank(&ran, times.len(), &format!("error {error:e}"));
        assert_eq!(ran.last("n"), times.len() as f64, "error {error:e}");
    }
}

#[test]
fn the_elastic_rope_bounces_through_an_instant_in_which_it_is_straight() {
    // E22 §8.4 with α = 0.8: thrown so that the rope is straight at (x, y) with velocity (u, v).
    let (x, y, u, v, time) = (0.6, -0.8, 0.8, -4.0, 0.1);
    let before = [("x", x - u * time), ("y", y - (v + 9.81 / 2.0 * time) * time), ("u", u), ("v", v + 9.81 * time)];
    let text = starting(&paper_model("CupAndBallElastic.mo"), &before);
    let ran = run_text(&text, &How::until(0.2).tolerance(1e-9)).finished();
    check("impact", ran.event_times()[0], time, 1e-9);
    assert_eq!(ran.events()[0].cascade, ["gamma"], "straight for an instant");
    assert!(ran.mode_after(0).is_empty(), "then loose again");
    let (u_after, v_after) = (u - 1.8 * v / y * x, -0.8 * v);
    check("u+", ran.limits(0, "u").1, u_after, 1e-9);
    check("v+", ran.limits(0, "v").1, v_after, 1e-9);
    check("impulse", ran.weight(0, "lambda", "1"), 1.8 * v / y, 1e-9);
    for name in ["x", "y"] {
        let (left, right) = ran.limits(0, name);
        assert!((left - right).abs() < 1e-14, "{name} = {left} does not jump to {right}");
    }
    // Then it flies.
    check("x", ran.last("x"), x + 0.1 * u_after, 1e-9);
    check("y", ran.last("y"), y + 0.1 * v_after - 9.81 / 2.0 * 0.01, 1e-9);
    check("v", ran.last("v"), v_after - 9.81 * 0.1, 1e-9);
}

#[test]
fn a_slack_rope_becomes_straight_and_slack_again() {
    // E22 Figure 23: thrown so that the rope is straight at (x, y) with velocity (u, v), of which what is along the rope
    // is lost. Then a pendulum, until its tension u² + v² - g y is zero.
    let (x, y, u, v, g, time) = (0.6, -0.8, 6.0, 1.0, 9.81, 0.1);
    let before = [("x", x - u * time), ("y", y - (v + g / 2.0 * time) * time), ("u", u), ("v", v + g * time)];
    let text = starting(&paper_model("CupAndBall.mo"), &before);
    let ran = run_text(&text, &How::until(0.9).tolerance(1e-9)).finished();
    assert_eq!(ran.events().len(), 2, "{:?}", ran.event_times());
    check("impact", ran.event_times()[0], time, 1e-9);
    assert_eq!(ran.mode_after(0), ["gamma"]);
    let outwards = x * u + y * v;
    let [u_after, v_after] = [u - outwards * x, v - outwards * y];
    check("u+", ran.limits(0, "u").1, u_after, 1e-9);
    check("v+", ran.limits(0, "v").1, v_after, 1e-9);
    check("impulse", ran.weight(0, "lambda", "1"), outwards, 1e-9);
    // By the conservation of energy the tension ends at this height, above the centre.
    let height = (u_after * u_after + v_after * v_after + 2.0 * g * y) / (3.0 * g);
    assert!((0.1..0.9).contains(&height));
    assert!(ran.mode_after(1).is_empty(), "thrown upwards, the ball needs less and less tension");
    assert!(ran.limits(1, "lambda").0.abs() < 1e-9 && ran.limits(1, "lambda").1 == 0.0);
    assert!(ran.events()[1].impulses.is_empty());
    let [x, y, u, v] = ["x", "y", "u", "v"].map(|name| ran.limits(1, name).0);
    check("y", y, height, 1e-8);
    check("speed", u.hypot(v), (g * height).sqrt(), 1e-8);
    check_kept(&ran, 1, |name| !["x", "y", "u", "v"].contains(&name));
    // Then it flies again.
    let rest = 0.9 - ran.event_times()[1];
    check("x", ran.last("x"), x + rest * u, 1e-9);
    check("v", ran.last("v"), v - rest * g, 1e-9);
}

/// Rectifiers that know nothing of each other, each with its own phase.
const RECTIFIERS: &str = "
model Rectifiers
  parameter Integer N = 50;
  Real i[N](each start = 0);
  Real u[N];
  Real s[N];
  Boolean on[N];
equation
  for k in 1:N loop
    sin(time + k) = u[k] + der(i[k]) + i[k];
    on[k] = (s[k] >= 0);
    s[k] = if on[k] then i[k] else u[k];
    0 = if on[k] then u[k] else i[k];
  end for;
end Rectifiers;";

#[test]
fn an_event_looks_only_at_the_elements_that_it_can_reach() {
    let ran = run_text(RECTIFIERS, &How::until(7.0)).finished();
    let names = &ran.result.columns().mode_variables;
    let later = ran.events().iter().enumerate().filter(|(_, event)| event.time > 0.0);
    assert!(later.clone().count() >= 100, "each turns on and off: {}", ran.events().len());
    for (number, event) in later {
        let changed: Vec<modeshift_dae::ModeVariableId> = event.changed().collect();
        assert_eq!(changed.len(), 1, "at {}", event.time);
        let cost = ran.costs.iter().find(|cost| cost.time == event.time).expect("a cost");
        assert_eq!(cost.new_modes, 1, "no mode is tried but the one that follows, at {}", event.time);
        let index = names[changed[0].0 as usize].strip_prefix("on").expect("a mode variable");
        check_kept(&ran, number, |name| name.ends_with(index));
    }
}

#[test]
fn a_fault_of_the_transmission_line_is_remembered() {
    // `open = (last(i2) >= Imax or last(open)) and not last(short)`: open stays open when the current has gone.
    let ran = run_text(&paper_model("FaultyCoaxial.mo"), &How::default().tolerance(1e-9)).finished();
    let opened = ran.event_times()[0];
    check("current", ran.limits(0, "element[1].i2").0, 0.3, 1e-9);
    let [open, i1, i2] = ["open", "i1", "i2"].map(|name| ran.values(&format!("element[1].{name}")));
    let first = ran.result.times().iter().rposition(|&time| time == opened).expect("a row after the event");
    assert!(open[first..].iter().all(|&open| open == 1.0) && i1[first..].iter().all(|&current| current == 0.0));
    assert!(*i2.last().expect("rows") < 0.3, "the current behind it has gone");
}

#[test]
fn an_impact_that_is_only_an_instant_is_completed_by_its_law() {
    // E22 §8.4 as it is printed: in the mode of the impact nothing but the law determines the force. A ball falls from
    // height 1, and is thrown back with 0.8 of its speed.
    let text = "model BallLaw
        Real h(start = 1, fixed = true), v(start = 0, fixed = true), f; Boolean gamma(start = false, fixed = true);
      equation
        der(h) = v; der(v) = -9.81 + f; gamma = pre(h) <= 0 and pre(v) < 0;
        if not gamma then 0 = f; end if;
        when gamma then v = -0.8*pre(v); end when;
      end BallLaw;";
    let ran = run_text(text, &How::until(1.0).tolerance(1e-9)).finished();
    let impact = (2.0_f64 / 9.81).sqrt();
    let speed = 0.8 * 9.81 * impact;
    check("impact", ran.event_times()[0], impact, 1e-8);
    check("h", ran.last("h"), speed * (1.0 - impact) - 4.905 * (1.0 - impact).powi(2), 1e-7);
    let impulse = &ran.events()[0].impulses[0];
    check("force", impulse.weight, 1.8 * 9.81 * impact, 1e-7);
}

#[test]
fn an_output_that_is_the_square_of_an_impulse_has_limits_and_no_weight() {
    let text = "model Square
        Real a(start = 1, fixed = true), b(start = 2, fixed = true), f, p; Boolean g;
      equation
        g = time >= 0.5; der(a) = f - a; der(b) = -f; 0 = if g then a - b else f; p = f^2;
      end Square;";
    let ran = run_text(text, &How::until(1.0).tolerance(1e-9)).finished();
    let joined = 0.5 * ((-0.5_f64).exp() + 2.0);
    check("a", ran.at(0.5, "a"), joined, 1e-8);
    // Both go on with the same derivative: f - a = -f.
    check("p", ran.at(0.5, "p"), (0.5 * joined).powi(2), 1e-8);
    let impulses = &ran.events()[0].impulses;
    let of = |name: &str| impulses.iter().find(|it| &*it.variable == name).expect("it is impulsive").weight;
    check("f", of("f"), joined - (-0.5_f64).exp(), 1e-8);
    assert!(of("p").is_nan(), "{impulses:?}");
    ran.said("W0832");
}

#[test]
fn what_switches_at_once_without_influence_is_searched_part_by_part() {
    // Two diodes in series turn off in each of the units; that both block is singular. The source is the same.
    let text = "model Units
        model Unit
          input Real v;
          Real vc(start = 0), i, s, t, m;
          Boolean a(start = true), b(start = true);
        equation
          2*der(vc) = i - vc;
          a = s >= 0; v - m = if a then 0 else s; i = if a then s else 0;
          b = t >= 0; m - vc = if b then 0 else t; i = if b then t else 0;
        end Unit;
        Unit u[8](each v = sin(6.283185307179586*time));
      end Units;";
    let ran = run_text(text, &How::until(0.5).tolerance(1e-8)).finished();
    // From where the slope of the sine is that of the discharge.
    let off = (std::f64::consts::PI - (2.0 * std::f64::consts::PI * 2.0_f64).atan()) / (2.0 * std::f64::consts::PI);
    let held = (2.0 * std::f64::consts::PI * off).sin();
    for k in 1..=8 {
        check("vc", ran.last(&format!("u[{k}].vc")), held * (-(0.5 - off) / 2.0).exp(), 1e-6);
    }
}

/// Two shafts of inertia 1 and 2 that a clutch joins at time 1, and what happens when it does.
fn closing_clutch(law: &str) -> String {
    format!(
        "model M
  Real w1(start = 1, fixed = true), w2(start = 0.5, fixed = true), f1, f2;
  Boolean g(start = false, fixed = true);
equation
  g = time >= 1;
  der(w1) = -w1 + f1;
  2*der(w2) = -w2 + f2;
  if g then f1 + f2 = 0; w1 - w2 = 0; else f1 = 0; f2 = 0; end if;
  when g then {law} end when;
end M;"
    )
}

#[test]
fn a_law_at_the_closing_of_a_clutch_acts_first_and_momentum_is_kept() {
    // The law doubles w1 against w2, through f1 + f2 = 0; then the clutch closes. Nothing changes w1 + 2*w2.
    let ran = run_text(&closing_clutch("w1 = 2*pre(w1);"), &How::default().tolerance(1e-9)).finished();
    let (before, momentum) = ((-1.0_f64).exp(), (-1.0_f64).exp() + (-0.5_f64).exp());
    for name in ["w1", "w2"] {
        check(name, ran.limits(0, name).1, momentum / 3.0, 1e-9);
    }
    let impulses = &ran.events()[0].impulses;
    let of_f1: Vec<f64> = impulses.iter().filter(|it| &*it.variable == "f1").map(|it| it.weight).collect();
    assert_eq!(of_f1.len(), 1, "that of the law and that of the clutch are one impulse: {impulses:?}");
    check("the impulse", of_f1[0], momentum / 3.0 - before, 1e-9);
}

#[test]
fn a_reset_at_the_closing_of_a_clutch_moves_what_it_is_tied_to() {
    let ran = run_text(&closing_clutch("reinit(w1, 5);"), &How::default()).finished();
    assert_eq!((ran.limits(0, "w1").1, ran.limits(0, "w2").1), (5.0, 5.0));
}

#[test]
fn laws_that_leave_no_room_for_the_equations_are_refused() {
    run_text(&closing_clutch("w1 = 2*pre(w1); w2 = 3*pre(w2);"), &How::default()).said("E0823");
}

#[test]
fn a_reset_of_one_state_keeps_those_that_share_its_equations() {
    // M*der(x) = -x with a full matrix M: only x[1] is given another value.
    let text = "model M
  Real x(start = 1, fixed = true), y(start = 2, fixed = true), z(start = 3, fixed = true);
equation
  2*der(x) + der(y) + der(z) = -x;
  der(x) - 2*der(y) = -y;
  der(y) + 3*der(z) + der(x) = -z;
  when time >= 1 then reinit(x, 5); end when;
end M;";
    let ran = run_text(text, &How::default()).finished();
    assert_eq!(ran.limits(0, "x").1, 5.0);
    for name in ["y", "z"] {
        let (left, right) = ran.limits(0, name);
        assert_eq!(left.to_bits(), right.to_bits(), "{name} = {left} becomes {right}");
    }
}

#[test]
fn what_becomes_true_right_after_the_start_is_an_edge_and_a_change() {
    let text = "model M
        Integer plain(start = 0, fixed = true), edges(start = 0, fixed = true), changes(start = 0, fixed = true);
        Integer steps(start = 0, fixed = true), written(start = 0, fixed = true), relation(start = 0, fixed = true);
        Integer never(start = 0, fixed = true), falls(start = 0, fixed = true), derived(start = 0, fixed = true);
        Boolean b, c, d; Integer n;
      equation
        b = time > 0; c = time >= 0; d = time <= 0; n = integer(ceil(4*time));
        when b then plain = pre(plain) + 1; end when;
        when edge(b) then edges = pre(edges) + 1; end when;
        when change(b) then changes = pre(changes) + 1; end when;
        when change(n) then steps = pre(steps) + 1; end when;
        when b and not pre(b) then written = pre(written) + 1; end when;
        when time > 0 then relation = pre(relation) + 1; end when;
        when {edge(c), change(c)} then never = pre(never) + 1; end when;
        when not d and pre(d) then falls = pre(falls) + 1; end when;
        when edge(b) and n == 1 and pre(n) == 0 then derived = pre(derived) + 1; end when;
        annotation(experiment(StopTime = 0.9)); end M;";
    let ran = run_text(text, &How::default()).finished();
    for name in ["plain", "edges", "changes", "written", "relation", "falls", "derived"] {
        assert_eq!(ran.last(name), 1.0, "{name}");
    }
    assert_eq!(ran.last("steps"), 4.0);
    assert_eq!(ran.last("never"), 0.0);
}

#[test]
fn what_pre_passes_on_after_the_start_is_a_change() {
    let ran = run_text(
        "model M Boolean a(start = false, fixed = true) = true; Boolean b(start = false, fixed = true) = pre(a);
           Boolean x(start = false, fixed = true) = pre(b); Real next(start = 0, fixed = true);
           Boolean y(start = false, fixed = true); Integer n(start = 0, fixed = true);
         algorithm
           when {initial(), change(x) and not initial()} then next := if x then time + 0.1 else time;
           elsewhen time >= next then y := x; end when;
           when x then n := pre(n) + 1; end when;
         end M;",
        &How::until(1.0),
    )
    .finished();
    assert_eq!((ran.last("next"), ran.last("y"), ran.last("n")), (0.1, 1.0, 1.0));
}

#[test]
fn assertions_that_only_warn_are_told_once_and_the_run_goes_on() {
    let text = "model M Real x(start = 0, fixed = true); equation der(x) = cos(50*time);
        assert(x < 0.019, \"too large\", AssertionLevel.warning); assert(x < 1, \"never\", AssertionLevel.warning);
        when time > 0.5 then assert(x > 3, \"in a clause\", AssertionLevel.warning); end when;
        annotation(experiment(StopTime = 1)); end M;";
    let ran = run_text(text, &How::default()).finished();
    let told: Vec<&str> =
        ran.diagnostics.iter().filter(|it| it.code == "W0838").map(|it| it.message.as_str()).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    let (time, text) = told[0].rsplit_once(": ").expect("a time and a text");
    let time: f64 = time.rsplit_once(" = ").and_then(|it| it.1.parse().ok()).expect("a time");
    assert!((time - 0.95f64.asin() / 50.0).abs() < 1e-7 && text == "too large", "{}", told[0]);
    assert_eq!(told[1], "assertion violated at time = 0.5: in a clause");
}

#[test]
fn a_tank_that_runs_empty_by_a_root_is_empty_from_then_on() {
    let text = "model Tank Real h(start = 1, fixed = true), q; equation
        der(h) = -q; q = if h > 0 then sqrt(h) else 0; end Tank;";
    for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
        for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
            let ran = run_text(text, &How { method: Some(method), ..How::until(4.0).tolerance(tolerance) }).finished();
            assert_eq!(ran.events().len(), 1, "{method:?} {tolerance:e}");
            // The level ends with its slope: the time is as exact as the root of its error.
            check("time", ran.event_times()[0], 2.0, 10.0 * tolerance.sqrt());
            check("level", ran.at(1.0, "h"), 0.25, 10.0 * tolerance);
            check("rest", ran.last("h"), 0.0, 10.0 * tolerance);
        }
    }
}

#[test]
fn equations_that_are_combined_carry_their_impulse_in_every_order() {
    // Behind the change x0' = x1 by the first two, so that x2 = -1 by the third: x0 jumps by -1/6, which is the area of x1.
    let equations =
        ["der(x2) + 3*x1 = 0;", "x2 + 3*x0 = 0;", "if g then der(x0) - x1 + x2 + 1 = 0; else x1 = time; end if;"];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let text = order.map(|it| equations[it]).join("\n");
        let text =
            format!("model M Real x0, x1, x2(start = 0, fixed = true); Boolean g = time > 1; equation {text} end M;");
        let ran = run_text(&text, &How::until(2.0)).finished();
        check("x0", ran.limits(0, "x0").1, 1.0 / 3.0, 1e-9);
        check("weight", ran.weight(0, "x1", "1"), -1.0 / 6.0, 1e-6);
    }
}

/// What a relation says at zero counts where its sides become equal by a jump and stay so: each body has `e` from 1.5 on, or not.
#[test]
fn what_jumps_onto_a_threshold_and_rests_there_is_as_written() {
    let cases = [
        ("Real u = if time < 1.5 then 0 else 1; Boolean e = u >= 1;", 2.0),
        ("Real u = if time < 1.5 then 0 else 1; Boolean e = u > 1;", 0.0),
        ("Real u = if time < 1.5 then 1 else 0; Boolean e = u > 0;", 1.5),
        ("Real u = if time < 1.5 then 1 else 0; Boolean e = u <= 0;", 2.0),
        (
            "Real u = if time < 1.5 then 0 else 1; Real x(start = 1, fixed = true); Boolean e = u*x >= 1; equation der(x) = 0;",
            2.0,
        ),
        ("Real a = if time < 1.5 then 1 else 2; Real b = if time < 0.5 then 3 else 2; Boolean e = a < b;", 1.5),
        (
            "Real b(start = 2, fixed = true); Boolean e = b <= 1; equation der(b) = 0; when time > 1.5 then reinit(b, b - 1); end when;",
            2.0,
        ),
        (
            "Real b(start = 2, fixed = true); Boolean e = b > 1; equation der(b) = 0; when time > 1.5 then reinit(b, b - 1); end when;",
            1.5,
        ),
        (
            "Real u = if time < 1.5 then 0 else 1; Boolean e(start = false, fixed = true);
          equation e = if pre(e) then u > 0.5 else u >= 1;",
            2.0,
        ),
    ];
    for (body, expected) in cases {
        let section = if body.contains("equation") { "" } else { "equation" };
        let text =
            format!("model M Real y(start = 0, fixed = true); {body} {section} der(y) = if e then 1 else 0; end M;");
        let ran = run_text(&text, &How::until(3.5)).finished();
        check(body, ran.last("y"), expected, 1e-6);
        assert!(ran.diagnostics.iter().all(|it| it.code != "W0828"), "{body}");
    }
    let ran = run_text(
        "model M Real u = if time < 1.5 then 0 else 1; Integer n(start = 0, fixed = true);
         equation when u >= 1 then n = pre(n) + 1; end when; end M;",
        &How::until(3.5),
    );
    assert_eq!(ran.finished().last("n"), 1.0);
}

/// Checks what a state of a model is at its end, by all methods and with loose and tight tolerances.
fn check_by_all_methods(text: &str, name: &str, exact: f64) {
    for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
        for tolerance in [1e-6, 1e-10] {
            let how = How { method: Some(method), ..How::default().tolerance(tolerance) };
            let found = run_text(text, &how).finished().last(name);
            assert!(
                (found - exact).abs() < 10.0 * tolerance,
                "{method:?} {tolerance}: {found}, not {exact}, of {text}"
            );
        }
    }
}

#[test]
fn a_stair_whose_argument_stands_on_an_edge_goes_where_the_argument_does() {
    // The start, the acceleration, and what it is from the first moment on for a second.
    let cases = [
        ("2", "-integer(x)", -1.0),
        ("1", "ceil(x)", 2.0),
        ("-1", "ceil(x)", -1.0),
        ("1", "-2 + ceil(x)", -1.0),
        ("1", "-floor(4*x)/4 - floor(2 - x)", -1.75),
        ("3", "-div(x, 3) - 1", -1.0),
        ("-3", "div(x, 3) + 2", 2.0),
        ("0", "floor(x) - 1", -2.0),
        ("5", "-1 - integer((x - 5)/100)", 0.0),
    ];
    for (start, acceleration, value) in cases {
        let text = format!(
            "model M Real x(start = {start}, fixed = true), v(start = 0, fixed = true);
             equation der(x) = v; der(v) = {acceleration}; annotation(experiment(StopTime = 0.4)); end M;"
        );
        let begins: f64 = start.parse().expect("a number");
        check_by_all_methods(&text, "x", begins + 0.08 * value);
    }
}

#[test]
fn so_does_one_by_a_higher_derivative_or_after_a_reinit() {
    let third = "model M Real x(start = 1, fixed = true), v(start = 0, fixed = true), a(start = 0, fixed = true);
        Real y(start = 0, fixed = true);
        equation der(x) = v; der(v) = a; der(a) = -1; der(y) = mod(x, 1); end M;";
    check_by_all_methods(third, "y", 1.0 - 1.0 / 24.0);
    let anew = "model M Real x(start = 1.5, fixed = true), v(start = 0, fixed = true), y(start = 0, fixed = true);
        equation der(x) = v; der(v) = -0.5; der(y) = floor(x);
        when time >= 0.5 then reinit(x, 3); reinit(v, 0); end when; end M;";
    check_by_all_methods(anew, "y", 0.5 + 1.0);
}

#[test]
fn a_step_left_right_after_the_start_fires_clauses_as_a_relation_does() {
    let text = "model M Real x(start = 2, fixed = true), v(start = 0, fixed = true); Integer k;
        Integer n(start = 0, fixed = true), m(start = 0, fixed = true), q(start = 0, fixed = true);
        equation der(x) = v; der(v) = -1; k = integer(x);
        when k < 2 then n = pre(n) + 1; end when;
        when x < 2 then m = pre(m) + 1; end when;
        when change(k) then q = pre(q) + 1; end when; end M;";
    let ran = run_text(text, &How::default()).finished();
    assert_eq!(["n", "m", "q", "k"].map(|name| ran.last(name)), [1.0; 4]);
    assert_eq!(ran.event_times(), [0.0]);
}

#[test]
fn a_stair_that_no_step_agrees_with_stays_as_it_stood() {
    // Falls on the step above and rises on the one below: it is held at the edge.
    let text = "model M Real x(start = 0, fixed = true), v(start = 0, fixed = true);
        equation der(x) = v; der(v) = -floor(x) - 0.5; annotation(experiment(StopTime = 0.01)); end M;";
    let ran = run_text(text, &How::default()).finished();
    assert!(ran.last("x").abs() < 1e-6, "{}", ran.last("x"));
}

/// A limiter comes to rest at its limit, which no sign tells: the comparison is true from there on, as it is written.
#[test]
fn what_comes_to_rest_at_a_threshold_is_as_written() {
    let limiters = [
        "u = min(1, x);",
        "u = 1 - max(0, 1 - x);",
        "u = noEvent(if x > 1 then 1 else x);",
        "u = if x > 1 then 1 else x;",
        "u = smooth(0, noEvent(if x > 1 then 1 elseif x < -1 then -1 else x));",
    ];
    // Up to 1 at a time of 1, there until 3, and down again.
    let up_and_down = "der(x) = if time < 2 then 1 else -1;";
    let comparisons = [("u >= 1", 2.0), ("not u < 1", 2.0), ("u > 1", 0.0), ("1 <= u", 2.0), ("2*u - 2 >= 0", 2.0)];
    for (limiter, (comparison, expected)) in limiters.iter().flat_map(|it| comparisons.map(|with| (it, with))) {
        for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
            let text = format!(
                "model M Real x(start = 0, fixed = true), u, y(start = 0, fixed = true); Boolean e; equation {up_and_down} \
                 {limiter} e = {comparison}; der(y) = if e then 1 else 0; end M;"
            );
            let ran = run_text(&text, &How { method: Some(method), ..How::until(4.0) }).finished();
            let y = ran.last("y");
            assert!((y - expected).abs() < 1e-9, "{limiter} {comparison} {method:?}: {y} instead of {expected}");
            assert!(ran.diagnostics.is_empty(), "{limiter} {comparison}: {:?}", ran.diagnostics);
            let crossings = if expected > 0.0 || limiter.starts_with("u = if") { 3 } else { 1 };
            assert_eq!(ran.events().len(), crossings, "{limiter} {comparison} {method:?}");
        }
    }
}

/// What would cross at the very time at which a `when` stops it rests at the threshold.
#[test]
fn what_is_stopped_where_it_would_have_crossed_is_as_written() {
    for (comparison, expected) in [("x >= 1", 2.5), ("x > 1", 0.0), ("not x < 1", 2.5)] {
        for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
            let text = format!(
                "model M Real x(start = 0, fixed = true), v(start = 1, fixed = true), y(start = 0, fixed = true); \
                 Boolean e; equation der(x) = v; der(v) = 0; when sample(1, 10) then reinit(v, 0); reinit(x, 1); end when; \
                 e = {comparison}; der(y) = if e then 1 else 0; end M;"
            );
            let y = run_text(&text, &How { method: Some(method), ..How::until(3.5) }).finished().last("y");
            assert!((y - expected).abs() < 1e-9, "{comparison} {method:?}: {y} instead of {expected}");
        }
    }
}

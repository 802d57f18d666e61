//! Which starts are determined: the models of the papers, conditions of every kind, scenarios.

use crate::support;
use std::path::Path;

use modeshift_dae::Id;
use modeshift_modes::ModeSet;
use modeshift_structure::initialization::Origin;
use support::*;

/// A model of the papers.
fn paper_model(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(file);
    std::fs::read_to_string(path).expect("a model of the papers")
}

/// E22, Figure 9, without its start values.
const CLUTCH: &str = "
    Real w1, w2, f1, f2; Boolean g;
  equation
    g = time >= 5;
    /* e1: */ der(w1) = -w1 + f1;
    /* e2: */ der(w2) = -w2 + f2;
    /* e3: */ 0 = if g then w1 - w2 else f1;
    /* e4: */ f1 + f2 = 0;";

#[test]
fn the_clutch_has_two_degrees_of_freedom_released_and_one_engaged() {
    check_start(
        CLUTCH,
        "when not g: underdetermined, free w1 w2, fix w1 w2
         when g: underdetermined, free w1 w2, fix w1",
    );
}

#[test]
fn the_clutch_with_both_speeds_fixed_is_determined_released_and_overdetermined_engaged() {
    assert_eq!(
        start_text(&model(&paper_model("ClutchBasic.mo"), &[])),
        "when not g: determined\nwhen g: overdetermined, too many w2 = w02",
    );
}

#[test]
fn variables_with_a_start_value_are_proposed_first_then_those_wanted_as_states() {
    let with_start = CLUTCH.replace("Real w1, w2,", "Real w1, w2(start = 1),");
    check_start(
        &with_start,
        "when not g: underdetermined, free w1 w2, fix w1 w2
         when g: underdetermined, free w1 w2, fix w2",
    );
    let wanted = CLUTCH.replace("Real w1, w2,", "Real w1, w2(stateSelect = StateSelect.prefer),");
    check_start(
        &wanted,
        "when not g: underdetermined, free w1 w2, fix w1 w2
         when g: underdetermined, free w1 w2, fix w2",
    );
}

#[test]
fn cup_and_ball_is_determined_with_a_slack_rope_and_overdetermined_with_a_straight_one() {
    // E22 §8.4: four states; straight, the length of the rope and its derivative leave two.
    let free = paper_model("CupAndBall.mo").replace("gamma(start = false, fixed = true)", "gamma");
    assert_eq!(
        start_text(&model(&free, &[])),
        "when not gamma: determined\nwhen gamma: overdetermined, too many y = 0; v = 0",
    );
    assert_eq!(start_text(&model(&paper_model("CupAndBall.mo"), &[])), "determined");
}

#[test]
fn the_pendulum_needs_a_position_and_a_speed() {
    check_start(
        "Real x, y, u, v, T;
       equation
         der(x) = u; der(y) = v;
         der(u) = T*x; der(v) = T*y - 9.81;
         x^2 + y^2 = 1;",
        "underdetermined, free x x' y y' u v, fix x u",
    );
    check_start(
        "Real x(start = 0.6, fixed = true), y, u, v(start = 0, fixed = true), T;
       equation
         der(x) = u; der(y) = v;
         der(u) = T*x; der(v) = T*y - 9.81;
         x^2 + y^2 = 1;",
        "determined",
    );
}

#[test]
fn two_diodes_in_parallel_are_overdetermined_unless_exactly_one_conducts() {
    // RR9322, Figure 4: four currents and voltages are fixed; K1 or K3 ties two of them otherwise.
    assert_eq!(
        start_text(&model(&paper_model("RLDC2.mo"), &[])),
        "when (g1 or g2) and not (g1 and g2): determined\n\
         when not (g1 or g2): overdetermined, too many j2 = -1\n\
         when g1 and g2: overdetermined, too many v2 = 1",
    );
}

#[test]
fn the_transmission_line_is_determined_for_any_number_of_elements() {
    for elements in ["2", "3", "7", "40"] {
        let dae = model(&paper_model("FaultyCoaxial.mo"), &[("N", elements)]);
        assert_eq!(start_text(&dae), "determined", "N = {elements}");
    }
}

#[test]
fn a_broken_element_of_the_transmission_line_fixes_its_own_state() {
    let free = paper_model("FaultyCoaxial.mo")
        .replace("open(start = false, fixed = true)", "open")
        .replace("short(start = false, fixed = true)", "short");
    let dae = model(&free, &[("N", "1")]);
    let text = start_text(&dae);
    assert!(text.contains("when element[1].open: overdetermined, too many element[1].i1 = 0"), "{text}");
    assert!(text.contains("when element[1].short: overdetermined, too many element[1].u2 = 0"), "{text}");
}

#[test]
fn a_steady_state_is_a_start() {
    check_start(
        "Real x, y; equation der(x) = y - x; der(y) = 1 - y; initial equation der(x) = 0; der(y) = 0;",
        "determined",
    );
}

#[test]
fn a_steady_state_does_not_determine_what_integrates() {
    // x only occurs differentiated: its derivative being zero says nothing about it, but too much about y.
    check_start(
        "Real x, y; equation der(x) = y; der(y) = 1 - y; initial equation der(x) = 0; der(y) = 0;",
        "overdetermined, free x, fix x, too many der(y) = 0",
    );
}

#[test]
fn derivatives_above_the_leading_ones_are_found_by_differentiating_once_more() {
    // y is algebraic; its derivative at the start follows from that of y = 2 x.
    check_start("Real x, y; equation der(x) = -x; y = 2*x; initial equation der(y) = 1;", "determined");
    check_start(
        "Real x, y; equation der(x) = -x + time; y = x^2; initial equation der(y) = 1; x = 3;",
        "overdetermined, too many x = 3",
    );
}

#[test]
fn parameters_without_a_value_are_unknowns() {
    check_start(
        "parameter Real k(fixed = false); parameter Real twice = 2*k; Real x(start = 1, fixed = true);
       equation der(x) = -twice*x; initial equation der(x) = -6;",
        "determined",
    );
    check_start(
        "parameter Real k(fixed = false); Real x(start = 1, fixed = true); equation der(x) = -k*x;",
        "underdetermined, free k, fix k",
    );
}

#[test]
fn a_variable_of_one_scenario_is_an_unknown_there_alone() {
    // E22 §7.2: "variables declared and used only in an initialization scenario".
    let text = |share: &str| {
        format!(
            "x : real; e : equation der(x) = 0 - x;
             scenario part is {share} s1 : equation share = 2; s2 : equation x = 3 * share; end;
             scenario whole is s3 : equation x = 1; end;"
        )
    };
    assert_eq!(start_text(&mel_model(&text("share : real;"))), "part, determined\nwhole, determined");
    let undefined = text("share : real;").replace("s1 : equation share = 2;", "");
    assert_eq!(
        start_text(&mel_model(&undefined)),
        "part, underdetermined, free x part.share, fix x\nwhole, determined"
    );
}

#[test]
fn scenarios_may_use_one_name_for_variables_of_their_own() {
    let text = "x : real; e : equation der(x) = 0 - x;
        scenario one is a : real; s1 : equation a = 2; s2 : equation x = a; end;
        scenario two is a : real; b : real; s3 : equation a + b = 2; s4 : equation a - b = 1; s5 : equation x = a; end;";
    assert_eq!(start_text(&mel_model(text)), "one, determined\ntwo, determined");
}

#[test]
fn a_parameter_that_only_one_scenario_uses_does_not_make_the_others_underdetermined() {
    check_start(
        "parameter Real k(fixed = false); parameter Real twice = 2*k; Real x;
       equation der(x) = -x;
       initial equation
         x = twice annotation(modeshift(scenario = \"a\"));
         k = 3 annotation(modeshift(scenario = \"a\"));
         x = 5 annotation(modeshift(scenario = \"b\"));",
        "a, determined
         b, determined",
    );
    // What an equation of the model contains is needed in every scenario.
    check_start(
        "parameter Real k(fixed = false); Real x;
       equation der(x) = -k*x;
       initial equation
         x = 1;
         k = 3 annotation(modeshift(scenario = \"a\"));
         der(x) = 5 annotation(modeshift(scenario = \"b\"));
         x = 1 + time annotation(modeshift(scenario = \"c\"));",
        "a, determined
         b, determined
         c, overdetermined, free k, fix k, too many x = 1 + time",
    );
}

#[test]
fn a_derivative_above_the_leading_ones_is_an_unknown_only_in_the_scenario_that_mentions_it() {
    let dae = model(
        &wrapped(
            "Real x, y;
           equation der(x) = -x; y = x^2;
           initial equation
             der(y) = 1 annotation(modeshift(scenario = \"falling\"));
             y = 1 annotation(modeshift(scenario = \"given\"));",
        ),
        &[],
    );
    assert_eq!(start_text(&dae), "falling, determined\ngiven, determined");
    let (start, _) = start_of(&dae);
    let count = |scenario: usize| {
        let modes = start.scenarios[scenario].modes;
        let exists = |vertex: &&modeshift_structure::Vertex| !start.space.and(vertex.guard, modes).is_empty();
        start.system.incidence.variables().iter().filter(exists).count()
    };
    assert_eq!((count(0), count(1)), (4, 3), "x, x', y, and y' where it is mentioned");
}

#[test]
fn initial_equations_may_depend_on_the_mode() {
    check_start(&format!("{CLUTCH} initial equation if g then w1 = 1; else w1 = 1; w2 = 2; end if;"), "determined");
}

#[test]
fn scenarios_are_judged_one_by_one() {
    check_start(
        &format!(
            "{CLUTCH}
           initial equation
             w1 = 1 annotation(modeshift(scenario = \"engaged\", modes = g));
             w1 = 1 annotation(modeshift(scenario = \"released\", modes = not g));"
        ),
        "engaged, determined
         released, underdetermined, free w2, fix w2",
    );
}

#[test]
fn both_too_many_and_too_few_conditions_are_reported() {
    check_start(
        "Real x(start = 1, fixed = true), y; equation der(x) = -x; der(y) = x; initial equation x = 2;",
        "overdetermined, free y, fix y, too many x = 1",
    );
}

#[test]
fn the_smallest_conflict_is_what_forces_the_same_variable_twice() {
    let dae = model(&paper_model("ClutchBasic.mo"), &[]);
    let (start, _) = start_of(&dae);
    let engaged = mode_named(&dae, &["g"]);
    let one_mode = start.one_mode(&engaged);
    let [condition] = one_mode.too_many[..] else { panic!("one condition is too many") };
    let conflict = start.conflict(condition, &engaged);
    let names: Vec<&str> = conflict.iter().map(|&id| &*start.system.incidence.equations()[id].name).collect();
    assert_eq!(names, ["e3", "w1 = w01", "w2 = w02"]);
}

#[test]
fn blocks_of_one_mode_come_in_an_order_in_which_they_can_be_solved() {
    let dae = model(&paper_model("WaterTank.mo"), &[]);
    let (start, _) = start_of(&dae);
    let one_mode = start.one_mode(|_| false);
    let mut known: Vec<u32> = Vec::new();
    for block in &one_mode.blocks {
        for &equation in &block.equations {
            for edge in start.system.incidence.edges_of_equation(equation) {
                let active = start.space.evaluate(start.system.incidence.active(edge), |_| false);
                let variable = start.system.incidence.variable(edge);
                assert!(!active || known.contains(&variable.0) || block.variables.contains(&variable));
            }
        }
        known.extend(block.variables.iter().map(|variable| variable.0));
    }
    assert_eq!(known.len(), 7, "x, its derivative and the five others");
}

#[test]
fn an_underdetermined_mode_is_solved_with_the_proposed_states_fixed() {
    let dae = model(&wrapped(CLUTCH), &[]);
    let (start, _) = start_of(&dae);
    for (on, fixed) in [(&[][..], 2), (&["g"][..], 1)] {
        let one_mode = start.one_mode(mode_named(&dae, on));
        let solved: usize = one_mode.blocks.iter().map(|block| block.variables.len()).sum();
        assert_eq!((one_mode.fixed.len(), solved), (fixed, start_unknowns(&start, on, &dae) - fixed));
    }
}

fn start_unknowns(
    start: &modeshift_structure::initialization::Initialization,
    on: &[&str],
    dae: &modeshift_dae::MultimodeDae,
) -> usize {
    let mode = mode_named(dae, on);
    start.system.incidence.variables().iter().filter(|vertex| start.space.evaluate(vertex.guard, &mode)).count()
}

#[test]
fn equations_of_the_model_are_never_too_many() {
    for file in ["RLDC2.mo", "CupAndBall.mo", "ClutchBasic.mo", "WaterTank.mo", "BreakingShaft.mo"] {
        let dae = model(&paper_model(file), &[]);
        let (start, _) = start_of(&dae);
        for (equation, &modes) in start.matching.unmatched_equations.iter_enumerated() {
            let outside = start.space.difference(modes, start.singular);
            let model_equation = matches!(start.system.origins[equation], Origin::Model(_));
            assert!(!model_equation || outside == ModeSet::EMPTY, "{file}: equation {}", equation.index());
        }
    }
}

#[test]
fn scenarios_that_overlap_are_shown_with_both_places() {
    let body = format!(
        "{CLUTCH}
       initial equation
         w1 = 1 annotation(modeshift(scenario = \"a\", modes = g));
         w1 = 2 annotation(modeshift(scenario = \"b\"));"
    );
    let (_, diagnostics) = start_of(&model(&wrapped(&body), &[]));
    let found: Vec<_> = diagnostics.iter().filter(|it| it.code == "E0706").collect();
    assert_eq!((found.len(), found[0].labels.len(), found[0].when.as_deref()), (1, 2, Some("g")));
}

#[test]
fn an_initial_equation_for_a_variable_that_does_not_exist_then_is_shown_with_both_places() {
    let text = "
        b : boolean;
        y : real;
        if b then x : real; e1 : equation der(x) = y; end;
        e2 : equation y = 1;
        scenario start is s1 : equation x = 2; end;";
    let (_, diagnostics) = start_of(&mel_model(text));
    let found: Vec<_> = diagnostics.iter().filter(|it| it.code == "E0703").collect();
    assert_eq!((found.len(), found[0].labels.len(), found[0].when.as_deref()), (1, 2, Some("not b")));
}

#[test]
fn a_fixed_start_of_a_variable_that_exists_in_no_initial_mode_has_no_effect() {
    let mut dae = mel_model("b : boolean; if b then x : real; e1 : equation der(x) = 1; end;");
    let one = dae.model.expressions.integer(1);
    let x = dae.model.variables.ids().find(|&id| &*dae.model.variables[id].name == "x").expect("x");
    (dae.model.variables[x].start, dae.model.variables[x].fixed) = (Some(one), Some(true));
    assert_eq!(start_text(&dae), "determined");
    for id in dae.mode_variables.ids() {
        dae.mode_variables[id].initial = Some(false);
    }
    let (_, diagnostics) = start_of(&dae);
    assert!(diagnostics.iter().any(|it| it.code == "W0704"));
}

#[test]
fn a_scenario_without_modes_is_an_error() {
    let body = "
        Real x; Boolean g(start = false, fixed = true);
      equation
        g = x > 1;
        der(x) = if g then 1 else 2;
      initial equation
        x = 1 annotation(modeshift(scenario = \"a\", modes = g));";
    let (_, diagnostics) = start_of(&model(&wrapped(body), &[]));
    assert!(diagnostics.iter().any(|it| it.code == "E0705" && it.labels.len() == 2), "{diagnostics:?}");
}

//! `check` of components by themselves, and of what only a modeler knows: values, names, what others use.

use modeshift_driver::report::check::CheckReport;
use modeshift_driver::{Answer, CheckOptions, Question, check};

fn checked(text: &str, model: &str) -> Answer<CheckReport> {
    let question = Question { model: Some(model.to_string()), ..Question::of_text("M.mo", text) };
    check(&question, CheckOptions { with_repairs: true, ..CheckOptions::default() })
}

/// The codes of errors and warnings.
fn codes(answer: &Answer<CheckReport>) -> Vec<String> {
    let told = answer.diagnostics.iter().map(|it| it.code.to_string());
    told.filter(|code| !code.starts_with('N')).collect()
}

const PIN: &str = "connector Pin Real v(unit = \"V\"); flow Real i(unit = \"A\"); end Pin;";

/// What stands for the surroundings has no units, leads from each connector to all, and gives inputs their values.
#[test]
fn right_components_pass_without_a_warning() {
    let resistor =
        "model M Pin p, n; parameter Real R(unit = \"Ohm\") = 2; equation p.v - n.v = R*p.i; p.i + n.i = 0; end M;";
    let amplifier = "model M Pin plus, minus, out; equation plus.v = minus.v; plus.i = 0; minus.i = 0; end M;";
    let pipe = "connector Fluid Real p; input Real T; flow Real q; end Fluid;
        model M Fluid a; equation a.p = 2*a.q + a.T; end M;";
    let without_value = "model M Pin p, n; parameter Real L; equation p.v - n.v = L*der(p.i); p.i + n.i = 0; end M;";
    for component in [resistor, amplifier, pipe] {
        assert_eq!(codes(&checked(&format!("{PIN}{component}"), "M")), Vec::<String>::new(), "{component}");
    }
    assert_eq!(codes(&checked(&format!("{PIN}{without_value}"), "M")), ["W0312"], "whoever uses it gives it its value");
}

#[test]
fn wrong_components_do_not_pass() {
    let short = "model M Pin p, n; equation p.v - n.v = 2*p.i; end M;";
    let long = "model M Pin p, n; equation p.v - n.v = 2*p.i; p.i + n.i = 0; p.v = 1; end M;";
    let contradiction = "model M Pin p, n; Real x; equation p.i + n.i = 0; x = 1; x = p.v - p.v; end M;";
    for component in [short, long, contradiction] {
        assert!(checked(&format!("{PIN}{component}"), "M").diagnostics.has_errors(), "{component}");
    }
}

/// What stands for the surroundings is a passive network, in which nothing cancels that does not cancel in the component.
#[test]
fn surroundings_mend_what_some_surroundings_would() {
    let flange = "connector Flange Real phi; flow Real tau; end Flange;";
    let brake =
        "model M Flange a, b; Real phi, w, acceleration, s, torque; Boolean free = time > 1, stuck = not free and s < 1 and s > -1;
        equation phi = a.phi; phi = b.phi; w = der(phi); acceleration = der(w); a.tau + b.tau = torque;
        acceleration = if stuck then 0 else s; torque = if free then 0 elseif stuck then s else w; end M;";
    let gear = "model M Flange a, b; parameter Real r = 2; equation a.phi = r*b.phi; r*a.tau + b.tau = 0; end M;";
    for component in [brake, gear] {
        assert_eq!(codes(&checked(&format!("{flange}{component}"), "M")), Vec::<String>::new(), "{component}");
    }
}

/// Friction that sticks fixes an acceleration: what is around it has mass, and more than one way to be.
#[test]
fn friction_of_the_library_passes_by_itself() {
    let Some(path) = std::env::var_os("MODELICAPATH") else {
        println!("skipped: no Modelica library in MODELICAPATH");
        return;
    };
    for component in ["Clutch", "Brake", "OneWayClutch", "LossyGear"] {
        let text = format!("model M extends Modelica.Mechanics.Rotational.Components.{component}; end M;");
        let libraries = std::env::split_paths(&path).collect();
        let question = Question { libraries, ..Question::of_text("M.mo", &text) };
        let answer = check(&question, CheckOptions::default());
        let found: Vec<String> = codes(&answer).into_iter().filter(|code| code != "W0312").collect();
        assert!(found.is_empty(), "{component}: {found:?}");
    }
}

/// What cancels inside a component cancels among all surroundings.
#[test]
fn equations_that_depend_on_each_other_inside_a_component_are_told() {
    let text = "connector Pin Real v; flow Real i; end Pin;
        model M Pin p, n; Real x(start = 1), y(start = 1); equation p.v - n.v = p.i; p.i + n.i = 0;
        x + y = 2 + time; (x + y)^2 = (2 + time)^2; end M;";
    assert_eq!(codes(&checked(text, "M")), ["W0601"]);
}

/// Whoever uses a component declares what it takes from around it.
#[test]
fn a_component_with_an_outer_one_is_checked_by_itself() {
    let body = "model Body outer World world; Pin p; Real v(start = 0, fixed = true);
        equation der(v) = -world.g; p.v = v; end Body;";
    let world = "model World parameter Real g = 9.81; end World;";
    assert_eq!(codes(&checked(&format!("{PIN}{world}{body}"), "Body")), ["W0217"]);
    let answer = checked(&format!("{PIN}partial {world}{body}"), "Body");
    assert_eq!(codes(&answer), ["E0209"], "nobody knows which one");
    let help = answer.diagnostics.iter().find_map(|it| it.help.as_deref()).unwrap_or_default();
    assert!(help.starts_with("declare `inner world"), "{help}");
}

/// An output that nothing gives a value is what others use: an edit does not take it away.
#[test]
fn what_others_use_is_not_removed() {
    let text = "connector RealOutput = output Real; model M Real x(start = 0, fixed = true); RealOutput y; equation der(x) = 1; end M;";
    let answer = checked(text, "M");
    assert!(answer.diagnostics.has_errors() && answer.diagnostics.iter().all(|it| it.repair.is_none()));
}

/// Two names are as near, and the model is right with both.
#[test]
fn no_edit_tosses_a_coin_between_names() {
    let text = "model M Real pa = 1, pb = 2, pc(start = 0, fixed = true); equation der(pc) = pd - pc; end M;";
    assert!(checked(text, "M").diagnostics.iter().all(|it| it.repair.is_none()));
    let text = "model M Real pa = 1, pc(start = 0, fixed = true); equation der(pc) = pd - pa; end M;";
    let answer = checked(text, "M");
    assert!(answer.diagnostics.iter().all(|it| it.repair.is_none()), "`pa` or `pc`");
    let text = "model M Real speed = 1, x(start = 0, fixed = true); equation der(x) = sped; end M;";
    assert!(checked(text, "M").diagnostics.iter().any(|it| it.repair.is_some()));
}

/// A missing value is told where the parameter is declared.
#[test]
fn a_missing_value_has_the_place_of_its_parameter() {
    let text = "model Mass parameter Real m; Real v(start = 1, fixed = true); equation m*der(v) = -v; end Mass;
        model M Mass a, b(m = 2); end M;";
    let answer = checked(text, "M");
    assert_eq!(codes(&answer), ["E0378"]);
    let label = answer.diagnostics.iter().find_map(|it| it.labels.first()).expect("a place");
    let place = label.span.start as usize..label.span.end as usize;
    assert_eq!(&text[place], "m", "{label:?}");
}

/// Thousands of unknown names are told in the time of reading them.
#[test]
fn very_many_unknown_names_take_no_time() {
    let lines: String = (0..2_000).map(|at| format!("Real x{at} = q{at};")).collect();
    assert!(checked(&format!("model M {lines} end M;"), "M").diagnostics.has_errors());
}

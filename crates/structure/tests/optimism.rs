//! Models whose signature is too optimistic: what is combined, what is reported, what is left alone.

use modeshift_dae::{EquationId, Id, MultimodeDae, VariableId};
use modeshift_structure::{Analysis, DegreesOfFreedom, Options, Regularized, degrees_of_freedom, regularize};
use modeshift_testkit::{NO_OVERRIDES, multimode_dae_of_mel};

fn model(text: &str) -> MultimodeDae {
    let dae = multimode_dae_of_mel("Test", text, &NO_OVERRIDES);
    dae.unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

/// Regularizes with the literal values of parameters.
fn regularized(text: &str) -> Regularized {
    regularized_model(model(text))
}

fn regularized_model(dae: MultimodeDae) -> Regularized {
    let values: Vec<Option<f64>> = dae
        .model
        .variables
        .iter()
        .map(|variable| variable.binding.and_then(|binding| dae.model.expressions.literal(binding)))
        .collect();
    regularize(dae, &Options::default(), &|variable: VariableId| values[variable.index()]).expect("no limit")
}

/// The names of the combinations, and how many degrees of freedom there are in all modes.
fn combinations(result: &Regularized) -> Vec<&str> {
    result.combinations.iter().map(|combination| &*result.dae.model.equations[combination.by].name).collect()
}

fn freedom(result: &Regularized) -> Vec<u32> {
    let Analysis { space, incidence, matching, .. } = &result.analysis;
    let Ok(DegreesOfFreedom::Cases(cases)) = degrees_of_freedom(space, incidence, matching) else {
        panic!("few cases of degrees of freedom")
    };
    let mut values: Vec<u32> = cases.iter().map(|case| case.value).collect();
    values.sort_unstable();
    values
}

/// IVP test set, transistor amplifier: d sums to 8, true degrees of freedom 5.
const TRANSISTOR_AMPLIFIER: &str = "
    Ub : real = 6.0; UF : real = 0.026; alpha : real = 0.99; beta : real = 1e-6; R0 : real = 1000.0; R : real = 9000.0;
    C1 : real = 1e-6; C2 : real = 2e-6; C3 : real = 3e-6; C4 : real = 4e-6; C5 : real = 5e-6;
    y1 : real; y2 : real; y3 : real; y4 : real; y5 : real; y6 : real; y7 : real; y8 : real; g23 : real; g56 : real;
    a : equation g23 = beta * (exp((y2 - y3)/UF) - 1);
    b : equation g56 = beta * (exp((y5 - y6)/UF) - 1);
    f1 : equation C1*(der(y1) - der(y2)) = (0.1 - y1)/R0;
    f2 : equation -C1*(der(y1) - der(y2)) = Ub/R - 2*y2/R + (alpha - 1)*g23;
    f3 : equation C2*der(y3) = g23 - y3/R;
    f4 : equation C3*(der(y4) - der(y5)) = Ub/R - y4/R - alpha*g23;
    f5 : equation -C3*(der(y4) - der(y5)) = Ub/R - 2*y5/R + (alpha - 1)*g56;
    f6 : equation C4*der(y6) = g56 - y6/R;
    f7 : equation C5*(der(y7) - der(y8)) = Ub/R - y7/R - alpha*g56;
    f8 : equation -C5*(der(y7) - der(y8)) = -y8/R";

#[test]
fn transistor_amplifier_has_five_degrees_of_freedom_not_eight() {
    let result = regularized(TRANSISTOR_AMPLIFIER);
    assert_eq!(combinations(&result), ["(f1 + f2)", "(f4 + f5)", "(f7 + f8)"]);
    assert_eq!(freedom(&result), [5]);
    assert!(result.dependences.is_empty(), "{:?}", result.dependences);
}

/// Cells in a row that exchange something with each other, and with rooms whose doors are open; nothing says how much there is in all.
fn cells_with_rooms(count: usize) -> Regularized {
    let mut text = String::new();
    for k in 1..=count {
        text += &format!("x{k} : real; y{k} : real; d{k} : boolean; ");
        text += &format!("if d{k} then o{k} : equation y{k} = x{k} else c{k} : equation y{k} = 1.0 end; ");
    }
    for k in 1..=count {
        let before = if k > 1 { format!("(x{k} - x{})", k - 1) } else { "0".to_string() };
        let after = if k < count { format!("(x{k} - x{})", k + 1) } else { "0".to_string() };
        text += &format!("b{k} : equation {before} + {after} + (if d{k} then x{k} - y{k} else 0) = 0; ");
    }
    regularized(text.trim_end_matches("; "))
}

#[test]
fn what_depends_in_blocks_of_too_many_modes_is_found_in_some_of_them() {
    let few = cells_with_rooms(3);
    assert!(!few.combinations.is_empty() && few.not_checked.is_nothing(), "{:?}", few.not_checked);
    let many = cells_with_rooms(12);
    assert!(many.combinations.is_empty(), "{:?}", many.combinations);
    let [found] = many.dependences.as_slice() else { panic!("one of them: {:?}", many.dependences) };
    assert!(found.sampled && found.equations.len() >= 12, "{found:?}");
    assert_eq!((many.not_checked.equations, many.not_checked.sampled), (24, 1));
}

#[test]
fn a_combination_of_many_modes_is_made_at_once() {
    // Currents of three coils into six resistances that depend on the mode: 64 modes of one block, in all of which the sum of the
    // balances says that the currents add up to nothing.
    let mut text = String::new();
    for k in 1..=6 {
        text += &format!("s{k} : boolean; r{k} : real; d{k} : real; ");
        text += &format!("if s{k} then er{k} : equation r{k} = 2*d{k} else es{k} : equation r{k} = 3*d{k} end; ");
    }
    text += "p : real; m : real; load : real; el : equation p - m = load; ";
    for k in 1..=3 {
        let low = k + 3;
        text += &format!("i{k} : real; u{k} : real; e{k} : equation der(i{k}) = {k}.0 - u{k}; ");
        text += &format!(
            "b{k} : equation i{k} = d{k} - d{low}; up{k} : equation u{k} - p = r{k}; lo{k} : equation m - u{k} = r{low}; "
        );
    }
    text += "plus : equation d1 + d2 + d3 = load; minus : equation d4 + d5 + d6 = load";
    let result = regularized(&text);
    assert_eq!(result.combinations.len(), 1, "{:?}", combinations(&result));
    assert_eq!(freedom(&result), [2]);
    assert!(result.dependences.is_empty(), "{:?}", result.dependences.len());
}

#[test]
fn a_regular_model_is_left_alone() {
    let result = regularized("x : real; y : real; e1 : equation der(x) = y; e2 : equation x + 2*y = 1");
    assert!(result.combinations.is_empty() && result.dependences.is_empty());
}

#[test]
fn a_parameter_that_is_zero_takes_its_variable_out() {
    // With r = 0 the equation v = r*i does not determine i.
    let model =
        |r: &str| format!("r : real = {r}; v : real; i : real; e1 : equation v = r*i; e2 : equation der(v) = 1 - i");
    assert_eq!(freedom(&regularized(&model("1.0"))), [1]);
    assert_eq!(freedom(&regularized(&model("0.0"))), [0]);
}

/// `i = q*der(v)` where `q` is a sum of products with `c`, two equations away.
fn charged(c: &str) -> String {
    format!(
        "c : real = {c}; k : real; q : real; v : real; i : real;
         e1 : equation k = c*exp(v); e2 : equation q = k + c*v/(2 + v); e3 : equation i = q*der(v); e4 : equation i = 1 - v"
    )
}

#[test]
fn a_parameter_that_is_zero_takes_a_derivative_out_through_other_equations() {
    assert_eq!(freedom(&regularized(&charged("1.0"))), [1]);
    let result = regularized(&charged("0.0"));
    assert_eq!(freedom(&result), [0]);
    assert!(result.dependences.is_empty(), "{:?}", result.dependences);
}

#[test]
fn a_variable_that_is_zero_at_some_states_takes_nothing_out() {
    let result = regularized(
        "k : real; v : real; i : real; e1 : equation k = v*(1 - v); e2 : equation i = k*der(v); e3 : equation i = 1 - v",
    );
    assert_eq!(freedom(&result), [1]);
    assert!(result.combinations.is_empty() && result.dependences.is_empty());
}

#[test]
fn an_exponential_that_is_out_of_all_bounds_at_random_points_is_no_dependence() {
    // A diode behind a resistor: exp(600 v/T) is 1e87 and more where v and T are numbers near 1.
    for exponent in ["v/T*600", "v/T*60", "v*40", "-v/T*600"] {
        let result = regularized(&format!(
            "v : real; u : real; j : real; T : real; e1 : equation u = v + 1000*j; e2 : equation j = 0.001*(exp({exponent}) - 1);
             e3 : equation u = 6; e4 : equation der(T) = j*v - T"
        ));
        assert!(result.combinations.is_empty(), "{exponent}: {:?}", combinations(&result));
        assert!(result.dependences.is_empty(), "{exponent}: {:?}", result.dependences);
        assert_eq!(freedom(&result), [1], "{exponent}");
    }
}

#[test]
fn exponentials_that_swamp_other_terms_are_no_dependence() {
    // Two nodes joined by a conductance of 1e17 and more: in its sum with 1 nothing is left of the 1.
    let result = regularized(
        "a : real; b : real; g : real; x : real;
         e0 : equation der(x) = a - b - x; e1 : equation g = exp(60*x);
         e2 : equation a + exp(60*x)*(a - b) = 1; e3 : equation b + exp(60*x)*(b - a) = g",
    );
    assert!(result.combinations.is_empty() && result.dependences.is_empty(), "{:?}", result.dependences);
}

#[test]
fn only_the_modes_with_cancelling_coefficients_are_changed() {
    let result = regularized(
        "b : boolean; x : real; y : real;
         e1 : equation der(x) + der(y) = -x;
         e2 : equation der(x) + (if b then der(y) else 2*der(y)) = -y",
    );
    assert_eq!(combinations(&result), ["(e1 - e2)"]);
    assert_eq!(freedom(&result), [1, 2]);
}

#[test]
fn coefficients_that_cancel_for_every_state_are_reported() {
    // x*(y' + z') and y*(y' + z'): dependent, but the weights depend on the state.
    let result = regularized(
        "x : real; y : real; z : real;
         e0 : equation der(x) = 1;
         e1 : equation x*(der(y) + der(z)) = 1;
         e2 : equation y*(der(y) + der(z)) = 2",
    );
    assert!(result.combinations.is_empty());
    let [dependence] = &result.dependences[..] else { panic!("one dependence: {:?}", result.dependences) };
    let names: Vec<_> =
        dependence.equations.iter().map(|(equation, _)| &*result.dae.model.equations[equation.of].name).collect();
    assert_eq!(names, ["e1", "e2"]);
    assert!(!dependence.constant);
}

#[test]
fn differentiated_equations_are_combined_at_the_lowest_order() {
    // e2 is the derivative of e1 but for -z: the combination e1' - e2 says z = 0 without derivatives.
    let result = regularized(
        "x : real; y : real; z : real;
         e1 : equation x + y = 1;
         e2 : equation der(x) + der(y) = z;
         e3 : equation der(z) = x",
    );
    assert!(result.dependences.is_empty(), "{:?}", result.dependences);
    assert!(!result.combinations.is_empty());
}

/// What depends on each other in a building of this many rooms, and in which modes.
fn dependences_of_building(rooms: usize) -> Vec<(Vec<String>, String)> {
    let text = include_str!("../../../models/BuildingIncompressible.mel");
    let dae = multimode_dae_of_mel("Building", text, &[("N", rooms.to_string())]).expect("a correct model");
    let result = regularized_model(dae);
    let names: Vec<String> = result.dae.mode_variables.iter().map(|mode| mode.name.to_string()).collect();
    let formulas = result.analysis.formulas(&names);
    let equation = |id: EquationId| result.dae.model.equations[id].name.to_string();
    let told = result.dependences.iter().map(|dependence| {
        let equations = dependence.equations.iter().map(|(id, _)| equation(id.of)).collect();
        (equations, formulas.print(dependence.modes).text)
    });
    told.collect()
}

#[test]
fn closed_doors_leave_the_pressure_of_the_corridor_open_however_many_there_are() {
    for rooms in [1, 2, 3, 4, 6, 7, 8, 20, 40, 300] {
        let doors: Vec<String> = (1..=rooms).map(|room| format!("open[{room}]")).collect();
        let closed = match rooms {
            1 => "not open[1]".to_string(),
            2..=12 => format!("not ({})", doors.join(" or ")),
            _ => format!("not (open[1] or … or open[{rooms}])"),
        };
        let expected = vec![(vec!["plug_Pc".to_string(), "cmf[1]".to_string()], closed)];
        assert_eq!(dependences_of_building(rooms), expected, "{rooms} rooms");
    }
}

//! Programs of modes: constraints hold to rounding, all modes agree with the restart solver, Jacobians are exact.

use crate::support::programs;
use std::path::Path;

use modeshift_dae::VariableId;
use modeshift_diagnostics::Diagnostic;
use modeshift_mode_changes::{Jet, ModeEquations, Residuals};
use modeshift_numerics::Input;
use modeshift_simulate::program::Surroundings;
use programs::{Model, Running};

const PENDULUM: &str = "model Pendulum
  parameter Real L = 2, g = 9.81;
  Real x(start = 2, fixed = true), y(start = 0), vx, vy, lambda;
initial equation
  vy = 9;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - g;
  x^2 + y^2 = L^2;
end Pendulum;";

fn check_pendulum(mut run: Running<'_>, speed: impl Fn(&Running<'_>) -> (f64, f64)) {
    let energy = |run: &Running<'_>| {
        let (vx, vy) = speed(run);
        0.5 * (vx * vx + vy * vy) + 9.81 * run.value("y")
    };
    let before = energy(&run);
    let (mut worst, mut turns, mut last) = (0.0f64, 0, run.value("x"));
    while run.time < 100.0 {
        run.step(5e-4);
        let (x, y) = (run.value("x"), run.value("y"));
        worst = worst.max((x.hypot(y) - 2.0).abs());
        turns += usize::from(last > 0.0 && x <= 0.0 && y > 0.0);
        last = x;
    }
    assert!(worst < 1e-12, "r - L = {worst:e}");
    assert!(turns > 20, "{turns} full turns");
    assert!(run.changes >= 2 * turns, "{} changes of states", run.changes);
    assert!((energy(&run) - before).abs() < 5e-7 * before.abs(), "energy {} from {before}", energy(&run));
}

#[test]
fn a_first_order_pendulum_keeps_its_length_to_rounding_through_full_turns() {
    let model = Model::new(PENDULUM, &[]);
    check_pendulum(Running::start(&model), |run| (run.value("vx"), run.value("vy")));
}

#[test]
fn a_second_order_pendulum_keeps_its_length_to_rounding_through_full_turns() {
    let model = Model::of_mel(
        "x : real; y : real; lambda : real;
         ex : equation der(der(x)) = -lambda*x;
         ey : equation der(der(y)) = -lambda*y - 9.81;
         rod : equation x^2 + y^2 = 4.0;",
    );
    let value = |variable: VariableId, order: u32| match (&*model.dae.model.variables[variable].name, order) {
        ("x", 0) => Some(2.0),
        ("y", 1) => Some(9.0),
        _ => Some(0.0),
    };
    check_pendulum(Running::in_mode(&model, |_| false, value), |run| (run.value("x'"), run.value("y'")));
}

#[test]
fn a_pendulum_with_an_angle_asked_for_keeps_it_as_a_state() {
    // The angle determines the position in all configurations: nothing needs to be chosen anew.
    let text = "model Angle
      parameter Real L = 2, g = 9.81;
      Real x, y, phi(start = 0, fixed = true, stateSelect = StateSelect.always);
      Real w(start = 5, fixed = true, stateSelect = StateSelect.always), lambda, vx, vy;
    equation
      x = L*cos(phi); y = L*sin(phi); der(phi) = w;
      der(x) = vx; der(y) = vy;
      der(vx) = -lambda*x; der(vy) = -lambda*y - g;
    end Angle;";
    let model = Model::new(text, &[]);
    let mut run = Running::start(&model);
    let states = |run: &Running<'_>| {
        let names = run.program.state_quantities().map(|it| model.dae.model.name_of_variable(it).to_string());
        names.collect::<Vec<String>>()
    };
    while run.time < 10.0 {
        run.step(1e-3);
        assert_eq!(states(&run), ["phi", "phi'"], "at {}", run.time);
    }
    assert_eq!(run.changes, 0);
}

/// Models of the papers and problems of the test set, with the modes in which they are regular.
fn all_models() -> Vec<(String, Model)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = |folder: &str| {
        let entries = std::fs::read_dir(directory.join(folder)).expect("a folder of the repository");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.retain(|path| path.extension().is_some_and(|it| it == "mo"));
        paths.sort();
        paths
    };
    let paths = [files("../../models"), files("tests/data")].concat();
    let model = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("a model");
        (path.file_stem().expect("a name").to_string_lossy().into_owned(), Model::new(&text, &[]))
    };
    paths.iter().map(model).collect()
}

/// The modes of a model, at most so many: all valuations of few mode variables, else some.
fn some_modes(model: &Model) -> Vec<Vec<bool>> {
    let count = model.dae.mode_variables.len();
    let valuation = |number: u64| (0..count).map(|bit| number >> (bit % 60) & 1 == 1).collect::<Vec<bool>>();
    let numbers: Vec<u64> = if count <= 6 {
        (0..1 << count).collect()
    } else {
        (0..40).map(|n: u64| n.wrapping_mul(0x9e37_79b9)).collect()
    };
    let holds = |set, mode: &Vec<bool>| model.analysis.space.evaluate(set, |variable| mode[variable.index()]);
    let is_possible = |mode: &Vec<bool>| model.analysis.invariant.components().all(|set| holds(set, mode));
    numbers.into_iter().map(valuation).filter(is_possible).collect()
}

/// A number between 0.2 and 0.8 that looks random.
fn some_number(seed: u64) -> f64 {
    let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    0.2 + 0.6 * ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as f64 / (1u64 << 53) as f64
}

/// Calls `check` with a program of every mode, at states that look random.
fn for_each_mode(mut check: impl FnMut(&str, &Model, &[bool], Running<'_>)) {
    for (name, model) in all_models() {
        for mode in some_modes(&model) {
            if model.structure(|id| mode[id.0 as usize]).is_none() {
                continue;
            }
            let value = |variable: VariableId, order: u32| Some(some_number(u64::from(variable.0 * 8 + order)));
            let run = Running::in_mode(&model, |id| mode[id.0 as usize], value);
            check(&name, &model, &mode, run);
        }
    }
}

#[test]
fn all_hidden_constraints_of_all_modes_vanish_by_taylor_series() {
    let mut count = 0;
    for_each_mode(|name, model, mode, run| {
        let structure = run.program.structure();
        let (variables, parameters, surroundings) = (&model.dae.model.variables, &model.parameters, &run.surroundings);
        let constants = |input: Input| match input {
            Input::Time => None,
            Input::Variable(id, 0) if variables[id].is_continuous_unknown() => None,
            Input::Variable(id, 0) => parameters[id.0 as usize].or(Some(surroundings.value(input))),
            Input::Variable(..) => None,
            _ => Some(surroundings.value(input)),
        };
        let equations = ModeEquations::new(&model.dae.model, &model.natives, structure, constants);
        let derivatives = |column| {
            let variable = structure.variable(column);
            let place = |order| run.program.quantities().index(variable, order).expect("a quantity").index();
            (0..=structure.variable_offset(column)).map(|order| run.jet[place(order)]).collect::<Vec<f64>>()
        };
        let jet = Jet::new(run.time, structure.columns().map(derivatives));
        for row in structure.rows() {
            let residuals = equations.residual(row, &jet, structure.equation_offset(row));
            let partials = equations.partials(row, &jet, 0);
            for (order, residual) in residuals.iter().enumerate() {
                let terms = partials.iter().map(|it| it.derivatives[0] * jet.get(it.column, it.order + order as u32));
                let size = terms.map(f64::abs).fold(1e-3, f64::max);
                let equation = &model.dae.model.equations[structure.equation(row)].name;
                assert!(residual.abs() <= 1e-10 * size, "{name} {mode:?} {equation} {order}: {residual:e} of {size:e}");
            }
            count += residuals.len();
        }
    });
    assert!(count > 500, "{count} constraints");
}

#[test]
fn jacobians_of_all_modes_agree_with_differences() {
    let mut count = 0;
    for_each_mode(|name, _, mode, mut run| {
        let pattern = run.program.jacobian_pattern().clone();
        let mut entries = vec![0.0; pattern.entry_count()];
        let states = run.states.clone();
        run.program.jacobian(run.time, &states, &run.surroundings, &mut entries).expect("a Jacobian");
        let size = states.len();
        let exact = pattern.to_dense(&entries);
        for column in 0..size {
            let step = 1e-5 * states[column].abs().max(0.1);
            let mut at = |by: f64| {
                let mut moved = states.clone();
                moved[column] += by;
                run.derivative(run.time, &moved)
            };
            let (above, below) = (at(step), at(-step));
            for row in 0..size {
                let difference = (above[row] - below[row]) / (2.0 * step);
                let rounding = 1e-10 * above[row].abs().max(1.0) / step;
                let entry = exact[row * size + column];
                let close = (entry - difference).abs() <= 1e-6 * difference.abs().max(1.0) + rounding;
                assert!(close, "{name} {mode:?} {row} {column}: {entry} or {difference}");
                count += usize::from(entry != 0.0);
            }
        }
    });
    assert!(count > 100, "{count} entries");
}

/// The failure of evaluating a model at its start, in words.
fn failure(body: &str, values: &[(&str, f64)]) -> Diagnostic {
    let model = Model::new(&format!("model M {body} end M;"), &[]);
    let mut programs = model.programs();
    let mut program = programs.program(model.structure(|_| false).expect("regular"), |_| false).expect("a program");
    let surroundings = Surroundings::new(&model.dae.model);
    let mut jet = vec![0.5; program.quantities().len()];
    for &(name, value) in values {
        let quantity = program.quantities().index(model.variable(name), 0).expect("a quantity");
        jet[quantity.index()] = value;
    }
    program.choose_states(&mut programs, 0.0, &jet, &surroundings).expect("states");
    let mut states = Vec::new();
    program.states_of(&jet, &mut states);
    let mut derivatives = vec![0.0; states.len()];
    let by_derivative = program.derivative(0.0, &states, &surroundings, &mut derivatives).expect_err("no derivative");
    let failure = program.evaluate(0.0, &states, &surroundings, &mut jet).expect_err("no values");
    assert_eq!(failure.equations, by_derivative.equations);
    failure.explain(&programs)
}

#[test]
fn a_logarithm_of_a_negative_number_is_named_with_its_equation() {
    let said = failure("Real x, y; equation /* growth: */ der(x) = y; /* root: */ y = log(x - 1);", &[("x", 0.25)]);
    assert_eq!(said.code, "E0807");
    assert!(said.message.contains("`log(x - 1)` is not a finite number") && said.message.contains("-0.75"), "{said:?}");
    assert_eq!(said.labels[0].text, "root");
}

#[test]
fn a_division_by_a_coefficient_that_vanishes_is_named_with_its_equation() {
    let said = failure("Real x, y; equation der(x) = y; /* lever: */ x*y = 1;", &[("x", 0.0)]);
    assert_eq!((said.code.as_str(), &*said.labels[0].text), ("E0807", "lever"));
}

#[test]
fn a_singular_block_is_reported_with_its_unknowns_and_dependent_equations() {
    let body = "Real x, a, b; equation der(x) = a;
        /* one: */ x*a + x*b + a*b^2 = 3; /* two: */ x*a + x*b + a*b^2 = 4 + 0*time;";
    let said = failure(body, &[]);
    assert_eq!(said.code, "E0806");
    assert!(said.message.contains("dependent here: `one`, `two`; not determined: a, b"), "{said:?}");
    assert!(said.notes.iter().any(|note| note.starts_with("residual")), "{said:?}");
    assert!(said.notes.iter().any(|note| note.starts_with("a = ")), "{said:?}");
}

#[test]
fn a_block_without_a_solution_is_reported_with_residuals_and_iterates() {
    let said = failure("Real x, y; equation der(x) = y; /* circle: */ x^2 + y^2 + 1 = 0;", &[]);
    assert_eq!((said.code.as_str(), &*said.labels[0].text), ("E0806", "circle"));
    assert!(said.notes.iter().any(|note| note.starts_with("y = ") && note.contains("before:")), "{said:?}");
}

/// The lines between `equation` and `end`, in another order.
#[test]
fn what_was_tried_beyond_a_solution_leads_to_no_other_branch() {
    let model = Model::new(
        "model Circle
           Real y(start = 0, fixed = true);
           Real x(start = 1);
         equation
           der(y) = x;
           x^2 + y^2 = 1;
         end Circle;",
        &[],
    );
    for tried in [1.0001, 1.01, 1.2, 2.0, 10.0] {
        let mut run = Running::start(&model);
        for step in 0..30 {
            let time = 0.05 * f64::from(step);
            let found = run.derivative(time, &[time.sin()]);
            assert!((found[0] - time.cos()).abs() < 1e-9, "{found:?} at {time}, after {tried}");
            let result = run.program.derivative(time + 1.0, &[tried], &run.surroundings, &mut [0.0]);
            assert!(result.is_err(), "there is no such point on the circle");
        }
    }
}

fn permuted(text: &str, seed: u64) -> String {
    let begin = text.find("\nequation").expect("equations") + "\nequation".len();
    let end = text.rfind("\nend").expect("an end");
    let mut lines: Vec<&str> = text[begin..end].split_inclusive(';').filter(|it| !it.trim().is_empty()).collect();
    let keys: Vec<f64> = (0..lines.len() as u64).map(|line| some_number(seed * 1000 + line)).collect();
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
    lines = order.into_iter().map(|line| lines[line]).collect();
    format!("{}\n{}{}", &text[..begin], lines.concat(), &text[end..])
}

#[test]
fn the_order_of_equations_changes_nothing_but_rounding() {
    let data = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
        std::fs::read_to_string(path).expect("a model of the repository")
    };
    for (text, h, steps) in
        [(PENDULUM.to_string(), 1e-3, 1500), (data("CarAxis.mo"), 1e-3, 200), (data("ChemAkzo.mo"), 1e-2, 300)]
    {
        let end_of = |text: &str| {
            let model = Model::new(text, &[]);
            let mut run = Running::start(&model);
            (0..steps).for_each(|_| run.step(h));
            let names = run.model.dae.model.variables.iter_enumerated();
            let unknowns = names.filter(|(_, variable)| variable.is_continuous_unknown());
            unknowns.map(|(_, variable)| (variable.name.to_string(), run.value(&variable.name))).collect::<Vec<_>>()
        };
        let expected = end_of(&text);
        for seed in 1..6 {
            for ((name, value), (_, other)) in expected.iter().zip(end_of(&permuted(&text, seed))) {
                assert!((value - other).abs() <= 1e-9 * value.abs().max(1.0), "{name}: {value} or {other}");
            }
        }
    }
}

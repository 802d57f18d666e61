//! Programs of modes: constraints hold to rounding, all modes agree with the restart solver, Jacobians are exact.

#[path = "support/programs.rs"]
mod programs;

use std::path::Path;

use modeshift_dae::VariableId;
use modeshift_mode_changes::{Jet, ModeEquations, Partial, Residuals};
use modeshift_numerics::Input;
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

fn check_pendulum(text: &str, speed: impl Fn(&Running<'_>) -> (f64, f64)) {
    let model = Model::new(text, &[]);
    let mut run = Running::start(&model);
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
    check_pendulum(PENDULUM, |run| (run.value("vx"), run.value("vy")));
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
        let name = |(id, order): (VariableId, u32)| {
            format!("{}{}", model.dae.model.variables[id].name, "'".repeat(order as usize))
        };
        run.program.state_quantities().map(name).collect::<Vec<String>>()
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
        let constants = |input: Input| match input {
            Input::Time => None,
            Input::Variable(id, 0) if model.dae.model.variables[id].is_continuous_unknown() => None,
            Input::Variable(id, 0) => model.parameters[id.0 as usize].or(Some(run.surroundings.value(input))),
            Input::Variable(..) => None,
            _ => Some(run.surroundings.value(input)),
        };
        let equations = ModeEquations::new(&model.dae.model, &model.natives, structure, constants);
        let derivatives = |column| {
            let variable = structure.variable(column);
            let place = |order| run.program.quantities().index(variable, order).expect("a quantity").index();
            (0..=structure.variable_offset(column)).map(|order| run.jet[place(order)]).collect()
        };
        let jet = Jet::new(run.time, structure.columns().map(derivatives).collect());
        for row in structure.rows() {
            let residuals = equations.residual(row, &jet, structure.equation_offset(row));
            let partials = equations.partials(row, &jet, 0);
            for (order, residual) in residuals.iter().enumerate() {
                let term = |it: &Partial| (it.derivatives[0] * jet.get(it.column, it.order + order as u32)).abs();
                let size = partials.iter().map(term).fold(1e-3, f64::max);
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

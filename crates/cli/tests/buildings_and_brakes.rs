//! The large examples of RR9322 with simple laws for what its figures leave open: what goes in comes out.

use crate::support;
use serde_json::Value;
use support::{modeshift, root, temporary};

/// The events of a run, and its results by name.
fn run(name: &str, arguments: &[&str]) -> (Vec<Value>, impl Fn(&str) -> Vec<f64> + use<>) {
    run_file(name, &format!("models/{name}.mel"), arguments)
}

fn run_file(name: &str, file: &str, arguments: &[&str]) -> (Vec<Value>, impl Fn(&str) -> Vec<f64> + use<>) {
    let (events, result) = (temporary(&format!("{name}.json")), temporary(&format!("{name}.csv")));
    let [events_path, result_path] = [&events, &result].map(|path| path.to_str().expect("UTF-8"));
    let files = ["simulate", file, "--events", events_path, "-o", result_path];
    let outcome = modeshift(&[files.as_slice(), arguments].concat());
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let events = std::fs::read_to_string(events).expect("the events were written");
    let table = std::fs::read_to_string(result).expect("the results were written");
    let column = move |name: &str| {
        let mut lines = table.lines();
        let header = lines.next().expect("a header");
        let place = header.split(',').position(|it| it == name).unwrap_or_else(|| panic!("{name} in {header}"));
        lines.map(|line| line.split(',').nth(place).expect("a cell").parse().expect("a number")).collect()
    };
    (serde_json::from_str(&events).expect("a list of events"), column)
}

/// How much a variable jumps at an event.
fn jump(event: &Value, variable: &str) -> f64 {
    let jumps = event["jumps"].as_array().expect("a list");
    let of = |it: &Value, side: &str| it[side].as_f64().expect("a number");
    jumps.iter().find(|it| it["variable"] == variable).map_or(0.0, |it| of(it, "right") - of(it, "left"))
}

/// The weight of the Dirac impulse of a variable at an event.
fn weight(event: &Value, variable: &str) -> f64 {
    let impulses = event["impulses"].as_array().expect("a list");
    impulses.iter().find(|it| it["variable"] == variable).map_or(0.0, |it| it["weight"].as_f64().expect("a number"))
}

fn assert_near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not {b}, it differs by {}", a - b);
}

#[test]
fn a_train_brakes_from_the_driver_on() {
    let (events, _) = run("Westinghouse", &["--set", "N=5", "--stop", "10"]);
    let closed: Vec<String> = (1..=5).map(|car| format!("open[{car}]")).collect();
    assert_eq!(events.len(), closed.len());
    for (event, valve) in events.iter().zip(&closed) {
        assert_eq!((&event["from"][valve], &event["to"][valve]), (&Value::Bool(true), &Value::Bool(false)), "{event}");
    }
}

#[test]
fn the_air_in_a_train_is_what_came_from_the_driver() {
    const RHO: f64 = 1.2;
    const P0: f64 = 1.0e5;
    let (_, column) = run("Westinghouse", &["--set", "N=3", "--stop", "10", "--interval", "0.005"]);
    let (time, inflow) = (column("time"), column("fb[1]"));
    let mass = |row: usize| -> f64 {
        let of_car = |car: usize| {
            let at = |name: &str| column(&format!("{name}[{car}]"))[row];
            RHO * (0.1 * at("Pt") + 0.05 * (0.2 - at("x")) * at("Pr") + 0.05 * at("x") * at("Pt")) / P0
        };
        (1..=3).map(of_car).sum()
    };
    let trapezoid = |row: usize| (time[row] - time[row - 1]) * (inflow[row] + inflow[row - 1]) / 2.0;
    let came: f64 = (1..time.len()).map(trapezoid).sum();
    let gained = mass(time.len() - 1) - mass(0);
    assert!(gained.abs() > 0.01, "the train loses air: {gained}");
    assert_near(gained, came, 1e-5);
}

#[test]
fn opening_doors_moves_air_and_heat_and_makes_none() {
    let (events, _) = run("BuildingCompressible", &["--set", "N=3", "--stop", "70", "--tolerance", "1e-9"]);
    let opening = events.iter().find(|event| event["to"]["open[1]"] == true).expect("doors are opened");
    assert_near(opening["time"].as_f64().expect("a number"), 60.0, 1e-7);
    for room in 1..=3 {
        let jump = |name: &str| jump(opening, &format!("{name}[{room}]"));
        let weight = |name: &str| weight(opening, &format!("{name}[{room}]"));
        assert!(weight("mu_door").abs() > 1e-5, "air rushes through the door");
        assert_near(jump("Mr"), weight("mu_door"), 1e-11);
        assert_near(jump("Mr") + jump("Mc"), 0.0, 1e-11);
        assert_near(jump("Er"), weight("eta_door"), 1e-6);
        assert_near(jump("Er") + jump("Ec"), 0.0, 1e-6);
    }
}

#[test]
fn nothing_goes_through_closed_doors() {
    let model = std::fs::read_to_string(root().join("models/BuildingCompressible.mel")).expect("the model is there");
    let closing_law = "door(t) : real = (t - 60.0)*(62.0 - t);";
    let text = model.replace("door(t) : real = t - 60.0;", closing_law);
    assert!(text.contains(closing_law));
    let file = temporary("BuildingWithClosingDoors.mel");
    std::fs::write(&file, text).expect("can be written");
    let file = file.to_str().expect("UTF-8");
    let (events, column) = run_file("ClosingDoors", file, &["--set", "N=3", "--stop", "62.01"]);
    let closing = events.iter().find(|event| event["from"]["open[1]"] == true && event["to"]["open[1]"] == false);
    let closing = closing.expect("doors are closed");
    assert_near(closing["time"].as_f64().expect("a number"), 62.0, 1e-5);
    for room in 1..=3 {
        // `invariant open[i] | !outgoing[i]`: which way nothing goes is not decided by its sign.
        assert_eq!(closing["to"][format!("outgoing[{room}]")], false);
        assert_eq!(column(&format!("mu_door[{room}]")).last(), Some(&0.0));
    }
}

#[test]
fn incompressible_air_keeps_its_density_law_and_its_heat() {
    let (_, column) = run("BuildingIncompressible", &["--set", "N=3", "--stop", "300", "--interval", "0.5"]);
    let total = |name: &str| -> Vec<f64> {
        let columns: Vec<Vec<f64>> = (1..=3).map(|at| column(&format!("{name}[{at}]"))).collect();
        (0..columns[0].len()).map(|row| columns.iter().map(|it| it[row]).sum()).collect()
    };
    let (time, into, out) = (column("time"), total("eta_in"), total("eta_out"));
    let (rooms, corridor) = (total("Er"), total("Ec"));
    let gain = |row: usize| into[row] - out[row] + 3.0 * 500.0;
    let came: f64 = (1..time.len()).map(|row| (time[row] - time[row - 1]) * (gain(row) + gain(row - 1)) / 2.0).sum();
    let last = time.len() - 1;
    let gained = rooms[last] + corridor[last] - rooms[0] - corridor[0];
    assert!(gained > 1e5, "lights warm the rooms: {gained}");
    assert_near(gained, came, 1e-4 * gained);
    for room in 1..=3 {
        let (mass, temperature) = (column(&format!("Mr[{room}]")), column(&format!("Tr[{room}]")));
        for (mass, temperature) in mass.iter().zip(&temperature) {
            assert_near(*mass, 50.0 * 1.0e5 / (287.0 * temperature), 1e-9);
        }
    }
}

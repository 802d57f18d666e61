//! Published and enumerated reference values: both analyses agree with all of them. Sources: `data/README.md`.

use crate::common;
use crate::common::single_mode;
use common::{System, Table, is_in};
use modeshift_dae::{EquationId, VariableId};
use modeshift_modes::ModeSpace;
use modeshift_structure::{Analysis, BlockCap, DegreesOfFreedom, degrees_of_freedom, structural_index};
use serde_json::Value;
use single_mode::Structure;

fn cases(text: &str) -> Vec<Value> {
    let value: Value = serde_json::from_str(text).expect("the data are JSON");
    value.as_array().expect("a list of cases").clone()
}

fn numbers(value: &Value) -> Vec<u32> {
    value
        .as_array()
        .expect("a list of numbers")
        .iter()
        .map(|number| number.as_u64().expect("a number") as u32)
        .collect()
}

fn count(case: &Value, what: &str) -> usize {
    case[what].as_u64().expect("a number") as usize
}

/// The system of a case: entries are equation, variable, order, and perhaps literals.
fn system(case: &Value) -> System {
    let occurrences = case["signature"].as_array().expect("entries").iter().map(|entry| {
        let mut modes = Table::ALL;
        for literal in entry.get(3).and_then(Value::as_array).into_iter().flatten() {
            let variable = literal[0].as_u64().expect("a mode variable") as u32;
            let value = literal[1].as_bool().expect("a value");
            let table =
                (0..32u32).filter(|mode| (mode >> variable & 1 == 1) == value).fold(0, |all, mode| all | 1 << mode);
            modes = Table(modes.0 & table);
        }
        let [equation, variable, order] = [0, 1, 2].map(|at| entry[at].as_u64().expect("a number") as u32);
        (equation, variable, order, modes)
    });
    System {
        mode_variables: case.get("mode_variables").and_then(Value::as_u64).unwrap_or(0) as u32,
        invariants: Vec::new(),
        equations: vec![Table::ALL; count(case, "equations")],
        variables: vec![Table::ALL; count(case, "variables")],
        occurrences: occurrences.collect(),
    }
}

fn analysis(system: &System) -> Analysis {
    let space = ModeSpace::new(system.mode_variables);
    let (incidence, invariant) = system.incidence(&space);
    Analysis::of_incidence(space, invariant, incidence, system.order(), BlockCap::default()).expect("no limit is set")
}

/// Both analyses agree with what is expected in one mode.
fn check_mode(name: &str, system: &System, analysis: &Analysis, mode: u32, expected: &Value) {
    if expected.as_object().is_some_and(|values| values.is_empty()) {
        return; // the source says no more than that the case is singular
    }
    let here = |set| is_in(&analysis.space, set, mode);
    let single = single_mode::analyze(&system.signature(mode).0);
    if let Some(parts) = expected.get("dm") {
        let found = &analysis.parts;
        let all = |part: &str| [numbers(&parts[part]["eqs"]), numbers(&parts[part]["vars"])];
        let equations = |sets: &modeshift_dae::IndexVec<EquationId, _>| -> Vec<u32> {
            sets.iter_enumerated().filter(|&(_, &set)| here(set)).map(|(id, _)| id.0).collect()
        };
        let variables = |sets: &modeshift_dae::IndexVec<VariableId, _>| -> Vec<u32> {
            sets.iter_enumerated().filter(|&(_, &set)| here(set)).map(|(id, _)| id.0).collect()
        };
        let over = [equations(&found.overdetermined_equations), variables(&found.overdetermined_variables)];
        let under = [equations(&found.underdetermined_equations), variables(&found.underdetermined_variables)];
        assert_eq!(over, all("over"), "{name}: overdetermined");
        assert_eq!(under, all("under"), "{name}: underdetermined");
        let Structure::Singular(parts) = single else { panic!("{name} is singular") };
        assert_eq!([parts.overdetermined_equations, parts.overdetermined_variables], all("over"), "{name}");
        assert_eq!([parts.underdetermined_equations, parts.underdetermined_variables], all("under"), "{name}");
        return;
    }
    let Structure::Regular(single) = single else { panic!("{name} is regular") };
    if let Some(c) = expected.get("c") {
        let found: Vec<u32> = analysis.offsets.equations.iter().map(|offset| offset.value(here)).collect();
        assert_eq!((&found, &single.c), (&numbers(c), &numbers(c)), "{name}: c");
    }
    if let Some(d) = expected.get("d") {
        let found: Vec<u32> = analysis.offsets.variables.iter().map(|offset| offset.value(here)).collect();
        assert_eq!((&found, &single.d), (&numbers(d), &numbers(d)), "{name}: d");
    }
    if let Some(index) = expected.get("structural_index").and_then(Value::as_u64) {
        let found = structural_index(&analysis.space, &analysis.incidence, &analysis.offsets).expect("no limit");
        let found = found.iter().find(|case| here(case.modes)).map(|case| u64::from(case.value));
        assert_eq!((found, u64::from(single.structural_index())), (Some(index), index), "{name}: index");
    }
    if let Some(degrees) = expected.get("dof").and_then(Value::as_u64) {
        let found = degrees_of_freedom(&analysis.space, &analysis.incidence, &analysis.matching).expect("no limit");
        let DegreesOfFreedom::Cases(cases) = found else { panic!("{name}: few degrees of freedom are listed") };
        let found = cases.iter().find(|case| here(case.modes)).map(|case| u64::from(case.value));
        assert_eq!(
            (found, u64::from(single.degrees_of_freedom())),
            (Some(degrees), degrees),
            "{name}: degrees of freedom"
        );
    }
    if let Some(blocks) = expected.get("fine_blocks").and_then(Value::as_array) {
        let mut blocks: Vec<_> = blocks.iter().map(|block| (numbers(&block[0]), numbers(&block[1]))).collect();
        let graph = analysis.graph.blocks().filter(|(_, block)| here(block.guard)).map(|(_, block)| {
            let equations: Vec<u32> = block.equations.iter().map(|it| it.of.0).collect();
            (equations, block.writes.iter().map(|it| it.of.0).collect::<Vec<u32>>())
        });
        let mut found: Vec<_> = graph.collect();
        let mut single: Vec<_> = single.blocks.into_iter().map(|block| (block.equations, block.variables)).collect();
        [&mut blocks, &mut found, &mut single].into_iter().for_each(|list| list.sort());
        assert_eq!(found, blocks, "{name}: blocks");
        assert_eq!(single, blocks, "{name}: blocks of one mode");
    }
}

#[test]
fn published_single_mode_cases_agree() {
    let cases = cases(include_str!("data/structural.json"));
    assert_eq!(cases.len(), 17);
    for case in cases {
        let name = case["name"].as_str().expect("a name");
        let system = system(&case);
        let analysis = analysis(&system);
        check_mode(name, &system, &analysis, 0, &case["expected"]);
        check_mode(name, &system, &analysis, 0, &case["published"]);
    }
}

#[test]
fn every_mode_of_the_multimode_cases_agrees() {
    let cases = cases(include_str!("data/structural_multimode.json"));
    assert_eq!(cases.len(), 6);
    for case in cases {
        let system = system(&case);
        let analysis = analysis(&system);
        let modes = case["modes"].as_object().expect("modes");
        assert_eq!(modes.len(), 1 << system.mode_variables, "all modes are given");
        for (key, expected) in modes {
            let mode = key.bytes().enumerate().fold(0, |mode, (at, value)| mode | u32::from(value == b'T') << at);
            let name = format!("{} {key}", case["name"].as_str().expect("a name"));
            check_mode(&name, &system, &analysis, mode, expected);
        }
    }
}

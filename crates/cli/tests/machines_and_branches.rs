//! The five examples of MOE15 as state machines of components and as if-equations: in every mode the same offsets, index,
//! degrees of freedom and blocks, and the same mode changes, under the names that both have for one thing.

use serde_json::Value;

use crate::support::{modeshift, modeshift_reading};

/// One model in both forms.
struct Pair {
    name: &'static str,
    /// The modes of both: states of the machine, values of the Boolean.
    modes: [(&'static str, &'static str); 2],
    /// Names of one thing, in the machine and with branches.
    always: &'static [(&'static str, &'static str)],
    /// Those of the states, by mode.
    of_states: [&'static [(&'static str, &'static str)]; 2],
    /// Whether the change back is possible too.
    is_there_a_way_back: bool,
}

const PAIRS: [Pair; 5] = [
    Pair {
        name: "BreakingCapacitor",
        modes: [
            ("activeState(C1)=true,activeState(R1)=false", "broken=false"),
            ("activeState(C1)=false,activeState(R1)=true", "broken=true"),
        ],
        always: &[("C2.v", "v2"), ("C2.i", "i2"), ("R2.i", "i")],
        of_states: [&[("C1.v", "v1"), ("C1.i", "i1")], &[("R1.v", "v1"), ("R1.i", "i1")]],
        is_there_a_way_back: false,
    },
    Pair {
        name: "BreakingInductor",
        modes: [
            ("activeState(L1)=true,activeState(R1)=false", "broken=false"),
            ("activeState(L1)=false,activeState(R1)=true", "broken=true"),
        ],
        always: &[("L2.i", "i2"), ("L2.v", "u2")],
        of_states: [&[("L1.i", "i1"), ("L1.v", "u1")], &[("R1.i", "i1"), ("R1.v", "u1")]],
        is_there_a_way_back: false,
    },
    Pair {
        name: "DiodeInductor",
        modes: [
            ("activeState(diode.closed)=true,activeState(diode.open)=false", "closed=true"),
            ("activeState(diode.closed)=false,activeState(diode.open)=true", "closed=false"),
        ],
        always: &[("L.i", "i"), ("L.v", "uL")],
        of_states: [&[("diode.closed.v", "uD")], &[("diode.open.v", "uD")]],
        is_there_a_way_back: true,
    },
    Pair {
        name: "DiodeCapacitor",
        modes: [
            ("activeState(diode.closed)=true,activeState(diode.open)=false", "closed=true"),
            ("activeState(diode.closed)=false,activeState(diode.open)=true", "closed=false"),
        ],
        always: &[("C.v", "v"), ("C.i", "iC"), ("R.i", "i")],
        of_states: [&[("diode.closed.i", "iD")], &[("diode.open.i", "iD")]],
        is_there_a_way_back: true,
    },
    Pair {
        name: "BreakingShaft",
        modes: [
            ("activeState(shaft.intact)=true,activeState(shaft.broken)=false", "broken=false"),
            ("activeState(shaft.intact)=false,activeState(shaft.broken)=true", "broken=true"),
        ],
        always: &[("inertia1.phi", "phi1"), ("inertia1.w", "w1"), ("inertia2.phi", "phi2"), ("inertia2.w", "w2")],
        of_states: [&[("shaft.intact.a.tau", "tau")], &[("shaft.broken.a.tau", "tau")]],
        is_there_a_way_back: false,
    },
];

/// A report about the machine, and one about the branches.
fn reports(name: &str, options: [&[&str]; 2]) -> [Value; 2] {
    let text = format!("model M extends Modeshift.Examples.{name}; end M;");
    let file = format!("models/{name}.mo");
    let of = |source: &str, options: &[&str]| {
        let arguments: Vec<&str> = [&options[..1], &[source, "--format", "json"], &options[1..]].concat();
        match source {
            "-" => modeshift_reading(text.as_bytes(), &arguments).json(),
            _ => modeshift(&arguments).json(),
        }
    };
    [of("-", options[0]), of(&file, options[1])]
}

/// The common name of a derivative such as `C1.v'`, if both forms have it.
fn common(name: &str, names: &[(&str, &str)], side: usize) -> Option<String> {
    let (variable, primes) = name.split_at(name.find('\'').unwrap_or(name.len()));
    let found = names.iter().find(|pair| [pair.0, pair.1][side] == variable)?;
    Some(format!("{}{primes}", found.1))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// The offsets of what has a common name.
pub fn offsets(report: &Value, names: &[(&str, &str)], side: usize) -> Vec<(String, i64)> {
    let variables = list(&report["variables"]).iter();
    let mut found: Vec<(String, i64)> = variables
        .filter_map(|it| {
            let name = common(it["name"].as_str()?, names, side)?;
            Some((name, it["offsets"][0]["value"].as_i64()?))
        })
        .collect();
    found.sort();
    found
}

/// What is solved together, as far as it has a common name.
pub fn blocks(report: &Value, names: &[(&str, &str)], side: usize) -> Vec<Vec<String>> {
    let of_block = |block: &Value| {
        let writes = list(&block["writes"]).iter();
        let mut writes: Vec<String> = writes.filter_map(|it| common(it.as_str()?, names, side)).collect();
        writes.sort();
        writes
    };
    let mut found: Vec<Vec<String>> = list(&report["blocks"]).iter().map(of_block).collect();
    found.retain(|writes| !writes.is_empty());
    found.sort();
    found
}

#[test]
fn every_mode_has_the_same_structure() {
    for pair in &PAIRS {
        for (mode, of_state) in pair.modes.iter().zip(pair.of_states) {
            let names = [pair.always, of_state].concat();
            let options = [&["analyze", "--at", mode.0][..], &["analyze", "--at", mode.1][..]];
            let [machine, branches] = reports(pair.name, options);
            let place = format!("{} at {}", pair.name, mode.1);
            let found = offsets(&machine, &names, 0);
            assert_eq!(found.len(), names.len(), "{place}");
            assert_eq!(found, offsets(&branches, &names, 1), "{place}");
            assert_eq!(blocks(&machine, &names, 0), blocks(&branches, &names, 1), "{place}");
            for key in ["degrees_of_freedom", "verdict", "structural_index"] {
                assert_eq!(machine[key], branches[key], "{place}: {key}");
            }
        }
    }
}

/// What a change does to what has a common name: what is continuous, what jumps, what is impulsive.
pub fn effects(report: &Value, names: &[(&str, &str)], side: usize) -> Vec<String> {
    let mut found = Vec::new();
    for change in list(&report["changes"]) {
        for key in ["continuous", "discontinuous", "undetermined"] {
            let variables =
                list(&change[key]).iter().map(|it| it.as_str().unwrap_or(it["name"].as_str().unwrap_or("")));
            found.extend(variables.filter_map(|it| Some(format!("{key} {}", common(it, names, side)?))));
        }
        for it in list(&change["impulse_orders"]) {
            let name = common(it["variable"].as_str().expect("a name"), names, side);
            found.extend(name.map(|name| format!("{name} is impulsive of order {}", it["order"])));
        }
        found.push(format!("verdict {}", change["verdict"]));
    }
    found.sort();
    found
}

#[test]
fn every_change_does_the_same() {
    for pair in &PAIRS {
        let ways = if pair.is_there_a_way_back { &[(0, 1), (1, 0)][..] } else { &[(0, 1)] };
        for &(from, to) in ways {
            let options = |side: usize| {
                let mode = |number: usize| [pair.modes[number].0, pair.modes[number].1][side];
                vec!["changes", "--from", mode(from), "--to", mode(to)]
            };
            let [machine, branches] = reports(pair.name, [&options(0), &options(1)]);
            let (found, expected) = (effects(&machine, pair.always, 0), effects(&branches, pair.always, 1));
            assert!(found.len() > 1, "{}: {machine}", pair.name);
            assert_eq!(found, expected, "{} to {}", pair.name, pair.modes[to].1);
        }
    }
}

#[test]
fn machines_are_part_of_the_flat_model() {
    let text = "model M extends Modeshift.Examples.BreakingCapacitor; end M;";
    let report = modeshift_reading(text.as_bytes(), &["flatten", "-", "--format", "json"]).json();
    let machine = &report["machines"][0];
    assert_eq!((&machine["initial"], list(&machine["states"]).len()), (&"C1".into(), 2));
    assert_eq!(machine["states"][0]["active"], "activeState(C1)");
    let transition = &machine["transitions"][0];
    let of = |key: &str| transition[key].clone();
    assert_eq!([of("from"), of("to"), of("condition")], ["C1", "R1", "C1.v > 8"].map(Value::from));
    assert_eq!([of("immediate"), of("reset"), of("synchronize")], [true, true, false].map(Value::from));
    assert!(modeshift(&["flatten", "models/BreakingCapacitor.mo", "--format", "json"]).json()["machines"].is_null());
}

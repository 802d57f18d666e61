//! Packages from directories, and the examples of the Modelica Standard Library where one is at hand.

use crate::support;
use std::collections::BTreeSet;
use std::path::PathBuf;

use modeshift_dae::{ExpressionId, FlatModel, Node, WhenActionKind};
use modeshift_diagnostics::Diagnostics;
use modeshift_flatten::{Disk, Library, Memory, Request, flatten};

#[test]
fn directories_and_files_are_packages_read_when_needed() {
    let files = Memory::new()
        .with("lib/Parts/package.mo", "within; package Parts constant Real k = 2; end Parts;")
        .with("lib/Parts/Electrical.mo", "within Parts; package Electrical model R Real v = k; end R; end Electrical;")
        .with("lib/Parts/Broken.mo", "within Parts; model Broken this is not Modelica")
        .with("lib/Parts/Sub/package.mo", "within Parts; package Sub end Sub;")
        .with("lib/Parts/Sub/C.mo", "within Parts.Sub; model C Parts.Electrical.R r; end C;");
    let mut library = Library::new(files, vec![PathBuf::from("lib")]);
    let mut diagnostics = Diagnostics::new();
    library.add_text("user.mo", "within Parts.Sub; model Mine C c; end Mine;", &mut diagnostics);
    let model = flatten(&mut library, &Request::default(), &mut diagnostics);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(support::equations(&model.expect("it flattens")), ["c.r.v = 2"]);
    let named = Request { model: Some("Parts.Electrical.R".into()), overrides: Vec::new() };
    assert_eq!(flatten(&mut library, &named, &mut diagnostics).map(|model| model.equations.len()), Ok(1));
}

/// What `tests/data/library_counts.txt` says of one example.
struct Expected {
    model: String,
    unknowns: usize,
    equations: usize,
    names: BTreeSet<String>,
}

fn expected() -> Vec<Expected> {
    let text = include_str!("data/library_counts.txt");
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let mut fields = line.split_whitespace();
            let mut next = || fields.next().unwrap_or_default().to_string();
            let (model, unknowns, equations) = (next(), next().parse().unwrap_or(0), next().parse().unwrap_or(0));
            Expected { model, unknowns, equations, names: fields.map(str::to_string).collect() }
        })
        .collect()
}

/// The number of equations that hold in the mode in which no condition does, those of `when` included.
fn active_equations(model: &FlatModel) -> usize {
    let plain = model.equations.iter().filter(|equation| holds(model, equation.guard)).count();
    let mut assigned = BTreeSet::new();
    for action in model.when_clauses.iter().flat_map(|clause| &clause.branches).flat_map(|branch| &branch.actions) {
        if let WhenActionKind::Assign(variable, _) = action.kind {
            assigned.insert(variable);
        }
    }
    plain + assigned.len()
}

fn holds(model: &FlatModel, guard: ExpressionId) -> bool {
    match model.expressions.node(guard) {
        Node::Boolean(value) => value,
        Node::Not(a) => !holds(model, a),
        Node::And(a, b) => holds(model, a) && holds(model, b),
        Node::Or(a, b) => holds(model, a) || holds(model, b),
        _ => false,
    }
}

/// `a[2].b[1,2]` is an element of `a.b`, as the reference lists arrays.
fn without_subscripts(name: &str) -> String {
    let mut depth = 0;
    let keep = |character: char| {
        depth += i32::from(character == '[');
        let inside = depth > 0;
        depth -= i32::from(character == ']');
        !inside
    };
    let mut keep = keep;
    name.chars().filter(|&character| keep(character)).collect()
}

fn check_example(directories: &[PathBuf], expected: &Expected) -> Result<(), String> {
    let mut library = Library::new(Disk, directories.to_vec());
    let mut diagnostics = Diagnostics::new();
    let request = Request { model: Some(expected.model.clone()), overrides: Vec::new() };
    let Ok(model) = flatten(&mut library, &request, &mut diagnostics) else {
        return Err(format!("{}: {}", expected.model, support::messages(&library, &diagnostics).join("; ")));
    };
    let unknowns = model.variables.iter().filter(|variable| variable.is_unknown()).count();
    let counts = (unknowns, active_equations(&model));
    if counts != (expected.unknowns, expected.equations) {
        let wanted = (expected.unknowns, expected.equations);
        return Err(format!("{}: {counts:?} unknowns and equations instead of {wanted:?}", expected.model));
    }
    let names = model
        .variables
        .iter()
        .filter(|variable| variable.is_unknown())
        .map(|variable| without_subscripts(&variable.name));
    let names: BTreeSet<String> = names.collect();
    let wanted: BTreeSet<String> = expected.names.iter().map(|name| without_subscripts(name)).collect();
    match wanted.is_empty() || names == wanted {
        true => Ok(()),
        false => Err(format!(
            "{}: names differ: {:?}",
            expected.model,
            names.symmetric_difference(&wanted).collect::<Vec<_>>()
        )),
    }
}

#[test]
fn examples_of_the_modelica_standard_library_have_the_listed_counts_and_names() {
    let directories: Vec<PathBuf> =
        std::env::var_os("MODELICAPATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let mut library = Library::new(Disk, directories.clone());
    let has_library = library.find("Modelica.Electrical.Analog", &mut Diagnostics::new()).is_some();
    if !has_library {
        println!("skipped: no Modelica Standard Library in MODELICAPATH");
        return;
    }
    let wrong: Vec<String> =
        expected().iter().filter_map(|example| check_example(&directories, example).err()).collect();
    assert!(wrong.is_empty(), "{} examples differ:\n{}", wrong.len(), wrong.join("\n"));
}

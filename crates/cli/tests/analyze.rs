//! The output of `analyze` and `flatten` for the models of the papers.

use crate::support;
use expect_test::expect_file;
use serde_json::Value;
use support::{modeshift, root};

/// The whole text of `analyze`, and that the picture and the graph can be made.
fn check_golden(model: &str, options: &[&str]) {
    let file = format!("models/{model}.mo");
    let arguments = [&["analyze", file.as_str()], options].concat();
    let outcome = modeshift(&arguments);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    expect_file![root().join(format!("golden/{model}/analyze.txt"))].assert_eq(&outcome.stdout);
    let svg = modeshift(&[&arguments[..], &["--format", "svg"]].concat()).stdout;
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    let dot = modeshift(&[&arguments[..], &["--format", "dot"]].concat()).stdout;
    assert!(dot.starts_with("digraph ") && dot.ends_with("}\n"));
}

#[test]
fn two_equations() {
    // E22, Figure 2a.
    check_golden("TwoEquations", &[]);
}

#[test]
fn water_tank() {
    // Blocks as in E22, Figure 29.
    check_golden("WaterTank", &[]);
}

#[test]
fn clutch() {
    check_golden("ClutchBasic", &[]);
}

#[test]
fn faulty_coaxial_line_of_one_element() {
    check_golden("FaultyCoaxial", &["--set", "N=1"]);
}

fn keys(value: &Value) -> Vec<String> {
    value.as_object().expect("an object").keys().cloned().collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

#[test]
fn json_has_the_documented_keys() {
    let report = modeshift(&["analyze", "models/WaterTank.mo", "--format", "json"]).json();
    let expected = [
        "version",
        "model",
        "mode_variables",
        "invariant",
        "mode_count",
        "verdict",
        "singular",
        "equations",
        "variables",
        "structural_index",
        "degrees_of_freedom",
        "blocks",
        "dependencies",
    ];
    assert_eq!(keys(&report), expected);
    assert_eq!(report["mode_count"], "3");
    assert_eq!(report["invariant"], "not (bh and bl)");
    assert_eq!(report["mode_variables"][0]["definition"], "sh >= 0");
    assert_eq!(keys(&report["equations"][0]), ["name", "when", "offsets", "span"]);
    assert_eq!(keys(&report["blocks"][0]), ["id", "when", "equations", "reads", "writes"]);
    assert_eq!(keys(&report["dependencies"][0]), ["from", "to", "when"]);
    let flat = modeshift(&["flatten", "models/WaterTank.mo", "--format", "json"]).json();
    for key in [
        "model",
        "mode_variables",
        "invariant",
        "parameters",
        "variables",
        "equations",
        "initial_equations",
        "when_clauses",
    ] {
        assert!(flat.get(key).is_some(), "{key}");
    }
    assert_eq!(keys(&flat["equations"][0]), ["name", "when", "text", "span"]);
}

#[test]
fn a_variable_dimension_form_has_24_guarded_equations_and_variables_of_some_modes_only() {
    let flat =
        modeshift(&["flatten", "models/FaultyCoaxialVariableDimension.mo", "--set", "N=3", "--format", "json"]).json();
    assert_eq!(list(&flat["equations"]).len(), 24);
    let guard = |name: &str| list(&flat["variables"]).iter().find(|it| it["name"] == name).map(|it| it["when"].clone());
    assert_eq!(guard("element[2].v"), Some("not element[2].open".into()));
    assert_eq!(guard("element[2].j"), Some("not element[2].short".into()));
}

#[test]
fn one_mode_lists_its_blocks_in_solving_order_and_nothing_else() {
    let report = modeshift(&["analyze", "models/WaterTank.mo", "--at", "bh=true,bl=false", "--format", "json"]).json();
    assert_eq!(report["mode_count"], "1");
    for item in list(&report["equations"]).iter().chain(list(&report["variables"])) {
        assert_eq!((&item["when"], list(&item["offsets"]).len()), (&"true".into(), 1), "{item}");
    }
    let mut known: Vec<&Value> = Vec::new();
    let written: Vec<&Value> = list(&report["blocks"]).iter().flat_map(|block| list(&block["writes"])).collect();
    for block in list(&report["blocks"]) {
        assert_eq!(block["when"], "true");
        for read in list(&block["reads"]).iter().filter(|read| written.contains(read)) {
            assert!(known.contains(&read), "{read} is read before it is written");
        }
        known.extend(list(&block["writes"]));
    }
    assert_eq!(list(&report["blocks"]).len(), 6);
}

#[test]
fn an_unknown_or_impossible_mode_exits_with_2() {
    for (at, words) in [
        ("bx=true", "did you mean `bh` or `bl`?"),
        ("bh", "expected `name=true` or `name=false`"),
        ("bh=true,bl=true", "the model has no mode with bh=true, bl=true"),
    ] {
        let outcome = modeshift(&["analyze", "models/WaterTank.mo", "--at", at]);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (2, ""), "{at}");
        assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
    }
}

#[test]
fn a_large_model_is_summarized_and_its_picture_says_that_it_is_cut() {
    let line = ["analyze", "models/FaultyCoaxial.mo", "--set", "N=1000"];
    let text = modeshift(&line);
    assert_eq!(text.status, 0);
    assert!(text.stdout.lines().count() < 40 && text.stdout.contains("this is a summary"), "{}", text.stdout);
    let picture = modeshift(&[&line[..], &["--format", "svg"]].concat());
    assert!(picture.stderr.contains("the picture shows the first 400 of"), "{}", picture.stderr);
    assert!(picture.stdout.contains("only the first 400 blocks are drawn"));
}

#[test]
fn the_same_question_has_the_same_answer_to_the_byte() {
    let arguments = ["analyze", "models/RLDC2.mo", "--format", "json"];
    assert_eq!(modeshift(&arguments).stdout, modeshift(&arguments).stdout);
}

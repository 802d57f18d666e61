//! The output of `analyze` and `flatten` for the models of the papers.

use crate::support;
use expect_test::expect_file;
use serde_json::Value;
use support::{modeshift, modeshift_reading, root};

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

/// The picture of three phases, six ideal diodes, a coil and a load.
fn six_pulse_bridge() -> String {
    let text = "model SixPulse \"A six-pulse bridge: three phases, six ideal diodes, a coil and a load\"
          import Modeshift.Electrical.*;
          constant Real pi = 3.141592653589793;
          SineVoltage phase[3](each V = 325, each f = 50, phase = {0, -2*pi/3, 2*pi/3});
          IdealDiode upper[3];
          IdealDiode lower[3];
          Inductor coil(L = 0.05, i(start = 0, fixed = true));
          Resistor load(R = 10);
          Ground ground;
        equation
          for k in 1:3 loop
            connect(phase[k].n, ground.p);
            connect(phase[k].p, upper[k].p);
            connect(lower[k].n, upper[k].p);
            connect(upper[k].n, coil.p);
            connect(lower[k].p, load.n);
          end for;
          connect(coil.n, load.p);
          annotation (experiment(StopTime = 0.04));
        end SixPulse;";
    modeshift_reading(text.as_bytes(), &["analyze", "-", "--format", "svg"]).stdout
}

/// How wide and high a picture is.
fn size(svg: &str) -> (f64, f64) {
    let number = |key: &str| {
        let rest = svg.split_once(&format!(" {key}=\"")).expect("the picture has a size").1;
        rest.split_once('"').and_then(|it| it.0.parse().ok()).expect("a number")
    };
    (number("width"), number("height"))
}

#[test]
fn pictures_of_long_models_stay_readable() {
    let of = |file: &str, set: &[&str]| modeshift(&[&["analyze", file, "--format", "svg"], set].concat()).stdout;
    let pictures = [
        ("ClutchChain", of("models/ClutchChain.mo", &["--set", "N=20"])),
        ("FaultyCoaxial", of("models/FaultyCoaxial.mo", &["--set", "N=50"])),
        ("SixPulse", six_pulse_bridge()),
    ];
    for (name, picture) in &pictures {
        let (width, height) = size(picture);
        assert!(width <= 3000.0 && height <= 4500.0, "{name}: {width} by {height}");
    }
    // A run of engaged clutches is one card, however long it is.
    assert!(
        pictures[0].1.contains(">rigid[1..19]&#39;<") || pictures[0].1.contains(">rigid[1..19]'<"),
        "{}",
        pictures[0].1
    );
}

#[test]
fn a_legend_does_not_repeat_a_colour() {
    let picture = six_pulse_bridge();
    let swatches: Vec<&str> = picture.lines().filter(|line| line.contains(r#"width="14" height="12""#)).collect();
    let colours: std::collections::BTreeSet<&str> =
        swatches.iter().filter_map(|line| line.split_once("fill=\"#")?.1.get(..6)).collect();
    assert!(swatches.len() > 10 && colours.len() == swatches.len(), "{} of {}", colours.len(), swatches.len());
}

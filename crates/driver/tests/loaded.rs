//! A model that is loaded once and run with other parameters, beside one that is loaded anew.

use std::path::{Path, PathBuf};

use modeshift_driver::loaded::{Loaded, Type, Work, load};
use modeshift_driver::simulate::RunOptions;
use modeshift_driver::simulate::results::Trajectory;
use modeshift_driver::{Dialect, Question, Source};

fn question(text: &str, set: &[(String, String)]) -> Question {
    let source = Source { name: "M.mo".into(), path: None, text: text.into(), dialect: Dialect::Modelica };
    let (overrides, libraries) = (set.to_vec(), Vec::new());
    Question { source, overrides, libraries, ..Question::default() }
}

fn loaded(text: &str, set: &[(String, String)]) -> Loaded {
    load(&question(text, set)).unwrap_or_else(|refusal| panic!("{}", refusal.text()))
}

fn set(name: &str, value: &str) -> Vec<(String, String)> {
    vec![(name.to_string(), value.to_string())]
}

/// Rows to the last bit, of a run with a change, and what the change cost; nothing where the model is refused.
fn rows(model: &Loaded, change: &[(String, String)], stop: f64) -> Option<(Vec<Vec<u64>>, Work)> {
    let variant = model.with(change).ok()?;
    let mut trajectory = Trajectory::default();
    let interval = Some(stop / 20.0);
    variant.run(&RunOptions { stop: Some(stop), interval, ..RunOptions::default() }, &mut trajectory);
    let row = |at: usize| {
        let values = trajectory.row(at).iter().map(|value| value.to_bits());
        std::iter::once(trajectory.times()[at].to_bits()).chain(values).collect()
    };
    Some(((0..trajectory.times().len()).map(row).collect(), variant.work()))
}

/// A changed model runs as one that was loaded so; what the change cost.
fn check(text: &str, name: &str, value: &str, stop: f64) -> Work {
    let change = set(name, value);
    let (found, work) = rows(&loaded(text, &[]), &change, stop).expect("a variant");
    let expected = load(&question(text, &change)).ok().and_then(|model| rows(&model, &[], stop));
    let (expected, _) = expected.expect("a model");
    assert!(found == expected, "{name} = {value}: not the rows of a model that was loaded so");
    work
}

#[test]
fn a_change_that_no_structure_depends_on_loads_nothing() {
    let text = "model M parameter Real k = 1; parameter Real twice = 2*k; Real x(start = 1, fixed = true);
                equation der(x) = -twice*x; end M;";
    // With assertions of our own, the analysis looks at more numbers than it needs.
    assert!(check(text, "k", "3", 1.0) <= Work::Look);
    assert!(check(text, "twice", "0.1", 1.0) <= Work::Look);
}

#[test]
fn what_a_model_is_built_with_loads_it_anew() {
    let text =
        "model M parameter Integer n = 2; parameter Boolean b = false; constant Real c = 1; parameter Real s = 1;
                Real x[n](each start = s, each fixed = true);
                equation for i in 1:n loop der(x[i]) = if b then c else -x[i]; end for; end M;";
    for (name, value) in [("n", "3"), ("b", "true"), ("c", "2"), ("s", "2*2")] {
        assert_eq!(check(text, name, value, 1.0), Work::Loading, "{name}");
    }
    assert!(check(text, "s", "4", 1.0) <= Work::Look);
    let structural = loaded(text, &[]).parameters().into_iter().filter(|it| it.is_structural);
    assert_eq!(structural.map(|it| it.name).collect::<Vec<_>>(), ["n", "b", "c"]);
}

#[test]
fn where_coefficients_cancel_the_analysis_is_made_again() {
    let text = "model M parameter Real a = 2; Real x(start = 1, fixed = true); Real y(start = 1);
                equation der(x) + a*der(y) = -x; der(x) + der(y) = -y; end M;";
    assert_eq!(check(text, "a", "3", 1.0), Work::Look);
    let cancelling = set("a", "1");
    let model = loaded(text, &[]);
    let variant = model.with(&cancelling).unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    assert_eq!(variant.work(), Work::Analysis);
    assert_eq!(check(text, "a", "1", 1.0), Work::Analysis);
}

#[test]
fn an_unknown_name_is_refused_with_a_message() {
    let model = loaded("model M parameter Real k = 1; Real x; equation x = k; end M;", &[]);
    let refusal = model.with(&set("q", "1")).err().expect("a refusal");
    assert!(refusal.text().contains('q'), "{}", refusal.text());
}

/// The first parameters of the models of the papers, a quarter larger; of large ones the size is what matters, and not here.
#[test]
fn all_models_run_with_changed_parameters_as_if_loaded_so() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let files = std::fs::read_dir(models).expect("models").flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|it| it == "mo")).collect();
    files.sort();
    let mut changed = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).expect("text");
        if text.contains("for ") {
            continue;
        }
        let Ok(model) = load(&question(&text, &[])) else { continue };
        for parameter in model.parameters().iter().filter(|it| it.ty == Type::Real && !it.is_structural).take(3) {
            let Some(value) = parameter.value else { continue };
            let change = set(&parameter.name, &format!("{:?}", value * 1.25));
            let found = rows(&model, &change, 0.5).map(|it| it.0);
            let expected = load(&question(&text, &change)).ok().and_then(|other| rows(&other, &[], 0.5)).map(|it| it.0);
            assert!(found == expected, "{}: {}", file.display(), parameter.name);
            changed += 1;
        }
    }
    assert!(changed > 15, "{changed}");
}

//! A model that is loaded once and run with other parameters, beside one that is loaded anew.

use std::path::{Path, PathBuf};

use modeshift_driver::loaded::{Loaded, Type, Work, load};
use modeshift_driver::simulate::results::Trajectory;
use modeshift_driver::simulate::{InputTable, RunOptions, simulate};
use modeshift_driver::{Dialect, Opened, Question, Source};

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

const CHOICES: &str = "package P
  type Kind = enumeration(slow, 'very fast', off);
  model M
    parameter Kind kind = Kind.slow;
    parameter Kind other = kind;
    parameter Real k = 1;
    parameter Real twice = 2*k;
    parameter Integer n = 1;
    parameter Integer m = n + 1;
    Real x(start = twice, fixed = true);
  equation
    if kind == Kind.off then x = 2; else der(x) = (if kind == Kind.slow then -1 else -10)*k*x; end if;
  end M;
end P;";

#[test]
fn literals_of_enumerations_are_values_like_others() {
    let text = "package P type Kind = enumeration(slow, 'very fast', off); model M parameter Kind kind = Kind.slow;
                output Kind shown = kind; Real x(start = 1, fixed = true); equation der(x) = -x; end M; end P;";
    for literal in ["P.Kind.'very fast'", "P.Kind.off", "P.Kind.slow"] {
        assert!(check(text, "kind", literal, 1.0) <= Work::Look, "{literal}");
        // What branches are chosen by is what the model is built with.
        assert_eq!(check(CHOICES, "kind", literal, 1.0), Work::Loading, "{literal}");
    }
    let model = loaded(text, &[]);
    let kind = model.parameters().into_iter().find(|it| it.name == "kind").expect("a parameter");
    assert_eq!((kind.literals, model.written(kind.ty, 2.0).as_str()), (Some(3), "P.Kind.'very fast'"));
    for wrong in ["P.Kind.fast", "2", "Kind.slow.x"] {
        let refused = model.with(&set("kind", wrong)).err().map(|refusal| refusal.text());
        assert!(refused.is_some_and(|text| text.contains("error")), "{wrong}");
    }
}

#[test]
fn parameters_that_follow_from_others_follow() {
    let model = loaded(CHOICES, &[]);
    let dependent = model.parameters().into_iter().filter(|it| it.is_dependent).map(|it| it.name);
    assert_eq!(dependent.collect::<Vec<_>>(), ["other", "twice", "m"]);
    for change in [set("k", "3"), set("n", "4"), set("kind", "P.Kind.off"), [set("k", "2"), set("n", "2")].concat()] {
        let variant = model.with(&change).unwrap_or_else(|refusal| panic!("{}", refusal.text()));
        let anew = loaded(CHOICES, &change).parameters().into_iter();
        assert_eq!(variant.values(), anew.filter_map(|it| Some((it.name, it.value?))).collect());
    }
}

/// A table for an input, as `--input` has it, and the same value when the run begins: the start that follows.
#[test]
fn inputs_begin_as_those_of_a_table() {
    let text = "model M
      input Real u(start = 1); input Boolean on(start = false); input Integer n(start = 1);
      parameter Real p(fixed = false);
      Real x, y; discrete Real kept(start = 0, fixed = true); Boolean above;
      initial equation x = u^2 + n; p = 2*u;
      equation der(x) = if on then p - x else -x; above = x > 4; y = u*x;
      when initial() then kept = u; end when; end M;";
    let stop = Some(1.0);
    let end = |trajectory: &Trajectory, name: &str| {
        (0..trajectory.times().len())
            .map(|at| trajectory.row(at)[trajectory.columns().position(name).unwrap()])
            .collect()
    };
    for (u, on, n) in [(1.0, 0, 1), (1.5, 1, 3), (-2.0, 1, 0)] {
        let model = loaded(text, &[]);
        let begun = model.with(&[]).unwrap_or_else(|refusal| panic!("{}", refusal.text()));
        let inputs =
            [("u", u), ("on", f64::from(on)), ("n", f64::from(n))].map(|(name, value)| (name.to_string(), value));
        let begun = begun.begun_with(&inputs).expect("inputs");
        let mut found = Trajectory::default();
        begun.run(&RunOptions { stop, ..RunOptions::default() }, &mut found);
        let table = format!("time,u,on,n\n0,{u},{on},{n}\n1,{u},{on},{n}\n");
        let input = Some(InputTable { name: "u.csv".into(), text: table });
        let mut expected = Trajectory::default();
        simulate(&question(text, &[]), &RunOptions { stop, input, ..RunOptions::default() }, &mut expected);
        for name in ["x", "y", "kept", "above", "u", "on", "n"] {
            let (found, expected): (Vec<f64>, Vec<f64>) = (end(&found, name), end(&expected, name));
            assert_eq!(found[0], expected[0], "{name} at the start with u = {u}");
            let (found, expected) = (found[found.len() - 1], expected[expected.len() - 1]);
            assert!((found - expected).abs() < 1e-5, "{name} at the end with u = {u}: {found} {expected}");
        }
    }
}

/// A model in a package whose parts change while it is in use.
#[test]
fn a_model_is_of_one_version_of_its_files_or_refused() {
    let directory = std::env::temp_dir().join(format!("modeshift_versions_{}", std::process::id()));
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).expect("a file");
    std::fs::create_dir_all(directory.join("P")).expect("a directory");
    write("P/package.mo", "package P end P;");
    write("P/Slow.mo", "within P; model Slow Real x(start = 1, fixed = true); equation der(x) = -x; end Slow;");
    write("P/Fast.mo", "within P; model Fast Real x(start = 1, fixed = true); equation der(x) = -9*x; end Fast;");
    let text = "model M parameter Integer n = 1; parameter Boolean other = false;
                P.Slow part[n]; P.Fast fast if other; end M;";
    let asked = Question { libraries: vec![directory.clone()], opened: Opened::keeping(), ..question(text, &[]) };
    let model = load(&asked).unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    let first = rows(&model, &set("n", "2"), 1.0).expect("a model").0;
    write("P/Slow.mo", "within P; model Slow Real x(start = 1, fixed = true); equation der(x) = -2*x; end Slow;");
    assert!(rows(&model, &set("n", "2"), 1.0).expect("as it was").0 == first, "what is known stays what it was");
    let other = model.with(&set("other", "true")).err().map(|refusal| refusal.text());
    let fits = other.as_ref().is_none_or(|text| text.contains("Slow.mo") && text.contains("load the model again"));
    // Where the class was read with the others, nothing new is needed.
    assert!(fits, "{other:?}");
    let again = Question { opened: Opened::keeping(), ..asked };
    let again = load(&again).unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    assert!(rows(&again, &set("n", "2"), 1.0).expect("a model").0 != first, "loaded again it is the new one");
    std::fs::remove_dir_all(&directory).expect("the directory goes");
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

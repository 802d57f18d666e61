//! One analysis feeds every command: `check`, `init` and `simulate` agree about every model.

use std::path::PathBuf;

use crate::support::{modeshift, modeshift_reading, root, temporary};

/// The models of the papers, and small ones that once went wrong.
fn models() -> Vec<PathBuf> {
    let tests = "crates/cli/tests/repro";
    let folders = ["models".to_string(), format!("{tests}/house"), format!("{tests}/papers"), format!("{tests}/trust")];
    let files = |folder: &String| std::fs::read_dir(root().join(folder)).expect("a folder of models");
    let mut models: Vec<PathBuf> =
        folders.iter().flat_map(files).map(|entry| entry.expect("readable").path()).collect();
    models.sort();
    models
}

/// The codes that a command says: `E0601` and so on.
fn codes(arguments: &[&str]) -> Vec<String> {
    let said = modeshift(arguments).stderr;
    let after_bracket = said.lines().filter_map(|line| {
        let (severity, rest) = line.split_once('[')?;
        let is_title = ["error", "warning", "note"].contains(&severity);
        is_title.then(|| rest.split(']').next().unwrap_or_default().to_string())
    });
    after_bracket.collect()
}

fn is_error(code: &&String) -> bool {
    code.starts_with('E')
}

/// MEL without scenarios has no start values at all: its start is not a matter of `check`.
fn has_start(path: &std::path::Path) -> bool {
    let is_mel = path.extension().is_some_and(|extension| extension == "mel");
    !is_mel || std::fs::read_to_string(path).expect("readable").contains("scenario ")
}

#[test]
fn check_reports_what_init_refuses_and_what_check_passes_starts() {
    let mut disagreements: Vec<String> = Vec::new();
    for path in models() {
        let file = path.display().to_string();
        let (check, init) = (codes(&["check", &file]), codes(&["init", &file]));
        for error in init.iter().filter(is_error).filter(|_| has_start(&path)) {
            // A run keeps states at their start values where nothing determines them: worth a warning or a note.
            let said = match error.as_str() {
                "E0702" => check.iter().any(|code| code.ends_with("0702") || code.starts_with('E')),
                _ => check.iter().any(|code| code.starts_with('E')),
            };
            if !said {
                disagreements.push(format!("{file}: init says {error}, check says {check:?}"));
            }
        }
        if !check.iter().any(|code| code.starts_with('E')) {
            let result = temporary("verdicts.csv").display().to_string();
            let run = codes(&["simulate", &file, "--stop", "1e-6", "--interval", "1e-6", "-o", &result]);
            if run.iter().any(|code| code.starts_with('E')) {
                disagreements.push(format!("{file}: check passes it, simulate says {run:?}"));
            }
        }
    }
    assert!(disagreements.is_empty(), "{disagreements:#?}");
}

/// The errors of `check` about one of the small models.
fn check_refuses(model: &str, expected: &str) {
    let file = format!("crates/cli/tests/repro/trust/{model}.mo");
    let errors: Vec<String> = codes(&["check", &file]).into_iter().filter(|code| code.starts_with('E')).collect();
    assert_eq!(errors, [expected], "{model}");
}

/// Modes that the definitions of Booleans exclude are no reason to refuse a model.
#[test]
fn what_booleans_imply_is_known() {
    for model in ["papers/Impl", "papers/Impl2", "papers/Impl4", "trust/exclusive_by_definition"] {
        let said = codes(&["check", &format!("crates/cli/tests/repro/{model}.mo")]);
        assert!(said.is_empty(), "{model}: {said:?}");
    }
}

#[test]
fn check_looks_at_the_start() {
    check_refuses("all_modes_start", "E0701"); // an input selects two conditions for one state
    check_refuses("check_blind_to_start", "E0709"); // no mode fits the start values
    check_refuses("m15_cyclic_param", "E0371"); // parameters that depend on each other
    assert!(codes(&["check", "models/RLDC2Printed.mo"]).contains(&"E0709".to_string()));
}

#[test]
fn reinit_is_of_a_state_and_once_in_a_clause() {
    check_refuses("reinit_algebraic", "E0830");
    check_refuses("reinit_twice", "E0829");
    // In different branches of one `if` there is one at a time.
    let model = temporary("branches.mo");
    let text = "model Branches Real x(start = 1, fixed = true), v(start = -1, fixed = true); Boolean far = time > 0.5; equation
        der(x) = v; der(v) = 0;
        when x <= 0 then
          if far then reinit(v, 1); elseif v < -2 then reinit(v, 2); else reinit(v, 3); end if;
        end when; end Branches;";
    std::fs::write(&model, text).expect("a temporary file can be written");
    assert!(codes(&["check", &model.display().to_string()]).is_empty());
}

#[test]
fn the_elastic_rope_as_printed_bounces_and_its_slack_is_named() {
    // E22 §8.4: `s` has no equation at the instant of the impact, and the next `gamma` reads it.
    for model in ["ElasticLiteral", "ElasticMin"] {
        let file = format!("crates/cli/tests/repro/papers/{model}.mo");
        let (result, log) = (temporary(&format!("{model}.csv")), temporary(&format!("{model}.json")));
        let (result_name, log_name) = (result.display().to_string(), log.display().to_string());
        let ran = modeshift(&["simulate", &file, "-o", &result_name, "--events", &log_name]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let table = std::fs::read_to_string(&result).expect("a result");
        let last: Vec<f64> =
            table.lines().last().expect("rows").split(',').map(|it| it.parse().expect("a number")).collect();
        assert!((last[2] - -0.531996).abs() < 1e-5, "{model}: y(1) = {}", last[2]);
        let events = std::fs::read_to_string(&log).expect("a log");
        assert!(events.contains("\"time\":0.45152"), "{model}: {events}");
    }
    assert_eq!(codes(&["check", "crates/cli/tests/repro/papers/ElasticLiteral.mo"]), ["W0837"]);
}

#[test]
fn a_cascade_whose_end_values_decide_is_determined() {
    let said = modeshift(&["changes", "crates/cli/tests/repro/papers/Cradle2.mo"]);
    assert!(said.stdout.contains("12 kinds of mode changes, all determined"), "{}", said.stdout);
    assert_eq!(said.stderr.matches("W0802").count(), 1, "one circle, one warning: {}", said.stderr);
}

#[test]
fn a_run_does_not_pass_in_silence_over_a_change_that_check_calls_underdetermined() {
    // E22 §8.4: the straight rope is transient, and the model does not say what follows.
    let file = "models/CupAndBallElasticWithoutLaw.mo";
    assert_eq!(codes(&["check", file]), ["E0802"]);
    let result = temporary("without_law.csv").display().to_string();
    let run = modeshift(&["simulate", file, "-o", &result]);
    assert_eq!(run.status, 1, "{}", run.stderr);
}

/// The errors that `check`, `init` and a run of an instant say about a small model.
fn errors_of_all(body: &str) -> [Vec<String>; 3] {
    let (model, result) = (temporary("agreement.mo"), temporary("agreement.csv").display().to_string());
    std::fs::write(&model, format!("model M {body} end M;")).expect("a temporary file can be written");
    let file = model.display().to_string();
    let run = ["simulate", &file, "--stop", "1e-6", "--interval", "1e-6", "-o", &result];
    let errors = |arguments: &[&str]| codes(arguments).iter().filter(is_error).cloned().collect();
    [errors(&["check", &file]), errors(&["init", &file]), errors(&run)]
}

#[test]
fn what_stops_a_run_in_its_first_instant_is_said_by_check_and_init() {
    for (body, code) in [
        (
            "Boolean b(start = false); Real x(start = 1, fixed = true); equation b = not pre(b); der(x) = if b then 1 else -1;",
            "E0825",
        ),
        ("Integer n(start = 0); Real x(start = 1, fixed = true); equation n = pre(n) + 1; der(x) = n;", "E0825"),
        ("Real x(start = 1, fixed = true); equation der(x) = -x; assert(x > 2, \"too small\");", "E0821"),
        (
            "Real x(start = 1, fixed = true), y; equation der(x) = -x; y = 3*x; if y > 2 then assert(x > 1.5, \"no\"); end if;",
            "E0821",
        ),
        (
            "Real x(start = 1, fixed = true); equation der(x) = -x; when initial() then assert(x > 2, \"no\"); end when;",
            "E0821",
        ),
    ] {
        assert_eq!(errors_of_all(body), [[code], [code], [code]], "{body}");
    }
    for body in [
        "Real x(start = 1, fixed = true); equation der(x) = -x; assert(x < 2, \"too large\");",
        "Integer n(start = 0); Real x(start = 1, fixed = true); equation der(x) = -x; assert(n == 1, \"no\"); when initial() then n = 1; end when;",
        "Boolean b(start = false); Real x(start = 1, fixed = true); equation b = x > 0 or pre(b); der(x) = if b then 1 else -1;",
        "input Real u; Real x(start = 1, fixed = true); equation der(x) = u; assert(u > 1, \"given by others\");",
    ] {
        let [check, init, _] = errors_of_all(body);
        assert!(check.is_empty() && init.is_empty(), "{body}: {check:?} {init:?}");
    }
}

#[test]
fn discrete_reals_are_found_by_initial_equations() {
    let later = "when x < 0.5 then d = 3; end when;";
    for (body, values) in [
        ("discrete Real d; Real x(start = 1); initial equation d = 2; x = d; equation der(x) = -x;", [2.0, 2.0]),
        ("discrete Real d; Real x(start = 1); initial equation x = d; d = 2; equation der(x) = -x;", [2.0, 2.0]),
        (
            "discrete Real d(start = 1); Real x(start = 1); initial equation d + x = 4; x - d = 1; equation der(x) = -x;",
            [1.5, 2.5],
        ),
        (
            "discrete Real d; Real x(start = 1, fixed = true), y; initial equation y = 3; equation der(x) = -x; y = d + x;",
            [2.0, 1.0],
        ),
        (
            "discrete Real d; Real x(start = 1, fixed = true); initial equation pre(d) = 2*x; equation der(x) = -x;",
            [2.0, 1.0],
        ),
        (
            "discrete Real d, e; Real x; initial equation d + e = 5; d - e = 1; x = 2*e; equation der(x) = -x;
             when x < 0.1 then e = 3; end when;",
            [3.0, 4.0],
        ),
        (
            "parameter Real p(fixed = false); discrete Real d; Real x(start = 1, fixed = true);
             initial equation d = 3; p = 2*d; equation der(x) = -p*x;",
            [3.0, 1.0],
        ),
        ("discrete Real d(start = 5); Real x(start = 1); initial equation x = 2*d; equation der(x) = -x;", [5.0, 10.0]),
        (
            "discrete Real d; Real x(start = 1, fixed = true); initial equation der(x) = 0; equation der(x) = d - x;",
            [1.0, 1.0],
        ),
    ] {
        let body = format!("{body} {later}");
        assert_eq!(errors_of_all(&body), [(); 3].map(|()| Vec::<String>::new()), "{body}");
        let table = std::fs::read_to_string(temporary("agreement.csv")).expect("a result");
        let mut lines = table.lines();
        let names: Vec<&str> = lines.next().expect("names").split(',').collect();
        let row: Vec<&str> = lines.next().expect("a row").split(',').collect();
        for (name, value) in ["d", "x"].iter().zip(values) {
            let at = names.iter().position(|it| it == name).expect("a column");
            let found: f64 = row[at].parse().expect("a number");
            assert!((found - value).abs() < 1e-9, "{name} = {found}, not {value}: {body}");
        }
    }
    // What is said too often is refused by all.
    for body in [
        "discrete Real d; Real x(start = 1, fixed = true); initial equation d = 2; x = d; equation der(x) = -x;",
        "discrete Real d(start = 2, fixed = true); Real x(start = 1, fixed = true); initial equation x = d; equation der(x) = -x;",
        "discrete Real d; Real x(start = 1, fixed = true); initial equation d*d = 4; d*d*d = 9; equation der(x) = -x;",
    ] {
        let body = format!("{body} {later}");
        assert_eq!(errors_of_all(&body), [["E0701"], ["E0701"], ["E0701"]], "{body}");
    }
}

/// A Boolean or an Integer without an equation in some modes is as undetermined as a Real.
#[test]
fn branches_that_forget_a_discrete_variable_are_told() {
    let model = |declarations: &str, equations: &str| {
        format!(
            "model M
              {declarations}
              Real x(start = 0.2, fixed = true);
            equation
              {equations}
            end M;"
        )
    };
    let boolean = "Boolean b(start = false);";
    let wrong = [
        (boolean, "der(x) = if b then 1 else -1; if x > 0.5 then b = true; end if;", "`b` when `x <= 0.5`"),
        (boolean, "der(x) = 1; if x > 0.5 then b = true; elseif x < 0.3 then b = false; end if;", "`b` when"),
        ("Integer n(start = 1);", "der(x) = n; if x > 0.5 then n = 2; end if;", "`n` when `x <= 0.5`"),
        ("discrete Real r;", "der(x) = 1; if x > 0.5 then r = 2; end if;", "`r` when"),
        (
            "Boolean b, c;",
            "der(x) = if c then 1 else 2; if x > 0.5 then b = false; c = true; else b = true; end if;",
            "`c` when `x <= 0.5`",
        ),
        // Without a reader in an equation too.
        (boolean, "der(x) = 1; if x > 0.5 then b = x > 1; end if;", "`b` when"),
    ];
    for (declarations, equations, words) in wrong {
        let text = model(declarations, equations);
        for command in ["check", "simulate", "analyze", "rimis"] {
            let file = temporary("forgotten.csv").display().to_string();
            let outcome = modeshift_reading(text.as_bytes(), &[command, "-", "-o", &file]);
            let is_told = outcome.stderr.contains("error[E0502]") && outcome.stderr.contains(words);
            assert!(outcome.status == 1 && is_told, "{command} {equations}: {}{}", outcome.stdout, outcome.stderr);
        }
    }
    let right = [
        (boolean, "der(x) = if b then 1 else 2; if x > 0.5 then b = true; else b = pre(b); end if;"),
        (
            boolean,
            "der(x) = if b then 1 else 2; if x > 0.5 then b = true; end if; if not x > 0.5 then b = false; end if;",
        ),
        // What covers all modes only by what relations have to do with each other.
        (boolean, "der(x) = if b then 1 else 2; if x > 0.5 then b = true; elseif x <= 0.5 then b = false; end if;"),
    ];
    for (declarations, equations) in right {
        let outcome = modeshift_reading(model(declarations, equations).as_bytes(), &["simulate", "-", "-o", "-"]);
        assert_eq!(outcome.status, 0, "{equations}: {}", outcome.stderr);
    }
}

/// What is said of a component by itself is said of it among surroundings, as `check` does.
#[test]
fn the_structure_of_a_component_is_that_among_surroundings() {
    let text = "connector Pin Real v; flow Real i; end Pin;
        model Diode
          Pin p, n;
          Real s(start = -1);
          Boolean on = s > 0;
        equation
          p.v - n.v = if on then 0 else s;
          p.i = if on then s else 0;
          p.i + n.i = 0;
        end Diode;";
    let outcome = modeshift_reading(text.as_bytes(), &["analyze", "-"]);
    assert_eq!(outcome.status, 0, "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stderr.contains("N0604") && !outcome.stderr.contains("error"), "{}", outcome.stderr);
    let blocking = modeshift_reading(text.as_bytes(), &["analyze", "-", "--at", "on=false"]);
    assert_eq!(blocking.status, 0, "{}", blocking.stderr);
    // One that is wrong whatever is around it is told so.
    let wrong = text.replace("p.i + n.i = 0;", "");
    assert_eq!(modeshift_reading(wrong.as_bytes(), &["analyze", "-"]).status, 1);
}

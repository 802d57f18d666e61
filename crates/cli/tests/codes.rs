//! Every code of the register has a test that provokes it, here or elsewhere.

use std::path::Path;

use modeshift_diagnostics::{Code, ExitStatus};

use crate::support::{Outcome, modeshift, modeshift_reading, root, temporary};

/// A state and a mode.
const STATE: &str = "model M Real x(start = 1, fixed = true); Boolean p; equation p = x > 0;
  der(x) = if p then 1 else -1; end M;";

/// A clutch whose torque is used in a nonlinear way.
const SQUARE: &str = "crates/cli/tests/repro/papers/SqOut.mo";

/// Small models with a command line that provokes the code: the model is read from standard input, or is a file.
const PROVOKED: &[(Code, &str, &str)] = &[
    (Code::W0610, "check --as-other-tools", "models/ClutchBasic.mo"),
    (Code::N0610, "check --as-other-tools", "models/TwoEquationsRIMIS.mo"),
    (Code::E0002, "analyze --at q=true", STATE),
    (Code::E0003, "analyze --at bh=true,bl=true", "models/WaterTank.mo"),
    (Code::E0004, "init --scenario q", STATE),
    (Code::E0005, "simulate --interval 1e-31", STATE),
    (Code::E0006, "simulate -o no/such/folder/x.csv", STATE),
    (Code::E0007, "simulate --plot-vars q", STATE),
    (Code::E0008, "semantics --run 5", "models/ClutchBasic.mo"),
    (Code::E0112, "check", "model M Real x; equation x = (1 + 2)[1]; end M;"),
    (Code::E0203, "check", "model A end A; model M Real x; equation x = A; end M;"),
    (Code::E0204, "check", "package P Real y = 1; end P; model M Real x = P.y; end M;"),
    (Code::E0207, "check", "model M model extends A end A; A a; end M;"),
    (Code::E0209, "check", "model A outer Real x; Real y = x; end A; model M A a; end M;"),
    (Code::W0217, "check", "model W end W; model A outer W w; end A; model M A a; Real x = 1; end M;"),
    (Code::E0210, "check", "model A Real x = 1; end A; model M A a if false; Real y = a.x; end M;"),
    (Code::E0212, "check", "model A A a; end A; model M A a; end M;"),
    (
        Code::E0223,
        "check",
        "model A replaceable model B Real x = 1; end B; B b; end A; model M A a(redeclare Real B); end M;",
    ),
    (Code::E0301, "check", "model M Integer n = integer(time); Real x[n]; equation x = ones(n); end M;"),
    (Code::E0306, "check", "model M Real x[1] = linspace(0, 1, 1); end M;"),
    (Code::E0307, "check", "model M Real x = sin(1, 2); end M;"),
    (
        Code::E0308,
        "check",
        "function f input Real x; output Real y; external \"C\"; end f;
         model M Real x = time; Real y = der(f(x)); end M;",
    ),
    (
        Code::E0309,
        "check",
        "function f input Real x; output Real y; algorithm y := f(x); end f;
         model M parameter Integer n = integer(f(1)); Real z[n] = ones(n); end M;",
    ),
    (Code::E0312, "check", "model M parameter Integer n; Real x[n] = ones(n); end M;"),
    (Code::E0313, "check", "function f input Real x; output Real y; algorithm end f; model M Real x = f(time); end M;"),
    (
        Code::E0314,
        "check",
        "function f input Real x; output Real y; algorithm y := 0; for i in 1:3000000 loop y := y + 1; end for; end f;
         model M parameter Integer n = integer(f(1)); Real z[n] = ones(n); end M;",
    ),
    (
        Code::E0315,
        "check",
        "function f input Real x; output Real y; algorithm assert(x > 2, \"small\"); y := x; end f;
         model M parameter Integer n = integer(f(1)); Real z[n] = ones(n); end M;",
    ),
    (
        Code::E0316,
        "check",
        "function f input Real x; output Real y; algorithm z := 1; y := x; end f; model M Real x = f(time); end M;",
    ),
    (Code::E0371, "simulate", "model M parameter Real a = b; parameter Real b = a; Real x = a; end M;"),
    (
        Code::E0375,
        "simulate",
        "model M function f input Real x; output Real y; algorithm assert(x > 0, \"no\"); y := x; end f;
           parameter Real q = -1; parameter Real p = f(q); Real x = p; end M;",
    ),
    (
        Code::E0376,
        "simulate",
        "class T extends ExternalObject; function constructor input Real x; output T t; external \"C\" t = make(x);
           end constructor; function destructor input T t; external \"C\" drop(t); end destructor; end T;
         model M T t = T(1); function f input T t; output Real y; external \"C\" y = value(t); end f; Real x = f(t);
         end M;",
    ),
    (
        Code::E0377,
        "simulate",
        "model M function f input String s; output String r; external \"C\" r = first(s); end f;
           parameter String c = f(\"D\"); parameter Real k = if c == \"D\" then 1 else 2; Real y = k; end M;",
    ),
    (Code::E0373, "simulate", "model M parameter Real p = log(-1); Real x; equation der(x) = p; end M;"),
    (
        Code::E0372,
        "simulate",
        "function f input Real x; output Real y; external \"C\"; end f;
         model M parameter Real p = f(1); Real x = p; end M;",
    ),
    (Code::E0405, "check", "model S Real x = 1; end S; model M S a, b; equation transition(a, b, time > 1); end M;"),
    (Code::E0406, "check", "model M Real x = 1; equation initialState(x); end M;"),
    (
        Code::E0407,
        "check",
        "model S Real x = 1; end S; model M S a, b; equation initialState(a); transition(a, b, time > 1);
         transition(a, a, time > 2); end M;",
    ),
    (Code::E0408, "check", "model M Real x = timeInState(); end M;"),
    (Code::W0405, "check", "model S Real x = 1; end S; model M S a, b; equation initialState(a); transition(b, a, time > 1); end M;"),
    (
        Code::W0406,
        "check",
        "model S Real x = 1; end S; model M S a, b; equation initialState(a); transition(a, b, time > 1);
         transition(b, a, time > 2); end M;",
    ),
    (
        Code::W0407,
        "check",
        "model L outer output Real y; equation y = 1; end L; model N inner outer output Real y(start = 2); L p, q;
         equation initialState(p); transition(p, q, time > 1); end N; model M inner Real y; N m; L r;
         equation initialState(m); transition(m, r, time > 2); end M;",
    ),
    (
        Code::W0836,
        "simulate",
        "model S Real x; equation der(x) = 1; end S; model W end W;
         model M W a; S b; equation initialState(a); transition(a, b, time > 0.5); end M;",
    ),
    (
        Code::E0917,
        "rimis",
        "model S Real x(start = 0); equation der(x) = 1; end S; model W end W;
         model M W a; S b; equation initialState(a); transition(a, b, time > 0.5); end M;",
    ),
    (Code::W0312, "check", "model M parameter Integer n(start = 2); Real x[n] = ones(n); end M;"),
    (
        Code::E0402,
        "check",
        "connector C Real v; flow Real i; end C; model M C a, b; Boolean p = time > 1; equation if p then
         connect(a, b); end if; end M;",
    ),
    (Code::E0404, "check", "model M Real x; equation x = 1 annotation(modeshift(scenario = \"hot\")); end M;"),
    (Code::W0601, "check", "model M Real x; Real y; equation x*y = 1; 2*x*y = 2; end M;"),
    (
        Code::W0602,
        "simulate",
        "model M Boolean p = time > 0.5; Real x(start = 0, fixed = true); Real y; equation der(x) = 1;
         if p then y = x; else y = 1; y = 2; end if; end M;",
    ),
    (
        Code::N0602,
        "check",
        "model M Real x[600]; equation for i in 1:600 loop x[i] = sin(x[if i < 600 then i + 1 else 1]) + 1; end for;
         end M;",
    ),
    (Code::N0603, "check --set N=40", "models/BreakerLadder.mel"),
    (
        Code::N0712,
        "check",
        "model M import Modeshift.Electrical.*; ConstantVoltage s; Resistor R[600]; BreakingCapacitor C[600]; Ground g;
         equation connect(s.n, g.p); connect(s.p, R[1].p); for k in 1:600 loop connect(R[k].n, C[k].p);
         connect(C[k].n, g.p); end for; for k in 2:600 loop connect(R[k - 1].n, R[k].p); end for; end M;",
    ),
    (Code::E0603, "analyze --node-limit 10", "models/ClutchChain.mo"),
    (
        Code::E0604,
        "check",
        "model M Real v; Real i; Real s; Real x(start = 0, fixed = true); Boolean on = s > 0; equation
         s = if on then i else v; 0 = if on then v else i; i = 0; der(x) = v - x; end M;",
    ),
    (Code::E0605, "check", "model M Real i; Boolean on = time > 0.5; equation 0 = if on then cos(time) else i; end M;"),
    (
        Code::W0603,
        "check",
        "model M Real v; Real i; Real s; Real x(start = 0, fixed = true); Boolean on = s > 0; equation
         s = if on then i else v; 0 = if on then v else i; i = 0; der(x) = 1 - x; end M;",
    ),
    (
        Code::W0604,
        "check",
        "model M Real i; Real u; Real s; Boolean on = s > 0; equation u = -5 - cos(time);
         s = if on then i else u; 0 = if on then u else i; end M;",
    ),
    (Code::W0605, "check", "crates/cli/tests/instant/models/expectations/SeriesDio14.mo"),
    (Code::W0606, "check", "crates/cli/tests/instant/models/expectations/SixPulse.mo"),
    (
        Code::E0916,
        "rimis",
        "model M Real v; Real i; Real s; Real x(start = 0, fixed = true); Boolean on = s > 0; equation
         s = if on then i else v; 0 = if on then v else i; i = 0; der(x) = 1 - x; end M;",
    ),
    (Code::E0603, "simulate --node-limit 10", "models/ClutchChain.mo"),
    (Code::E0603, "rimis --node-limit 20", "models/RLDC2.mo"), // enough for the modes, not for their changes
    (
        Code::E0801,
        "check",
        "model M Real x(start = 0, fixed = true); Boolean p; if p then Real z; end if; equation p = time > 0.5;
         der(x) = 1; if p then der(z) = x; end if; end M;",
    ),
    (
        Code::E0803,
        "check",
        "model M Real x(start = 1, fixed = true); Real v(start = 0, fixed = true); Real f; Boolean g; equation
         der(x) = v; der(v) = f - 1; g = pre(x) <= 0; 0 = if g then x else f; when g then v = 1; v = 2; end when; end M;",
    ),
    (Code::W0801, "check", SQUARE),
    (Code::W0802, "check", "crates/cli/tests/repro/papers/Cradle2.mo"),
    (Code::W0829, "check", "crates/cli/tests/repro/trust/reinit_two_whens.mo"),
    (Code::W0837, "check", "crates/cli/tests/repro/papers/ElasticLiteral.mo"),
    (Code::N0801, "changes", "crates/cli/tests/repro/papers/ElasticMin.mo"),
    (Code::E0840, "semantics --set N=14", "models/ClutchChain.mo"),
    (Code::E0841, "semantics", "models/CupAndBallElasticWithoutLaw.mo"),
    (
        Code::E0842,
        "semantics",
        "model M Real x; Real y; Boolean g = time > 1; equation der(x) = -x;
         if g then x = 0; else y = 0; end if; end M;",
    ),
    (
        Code::E0843,
        "semantics",
        "model M Real x0; Real x1; Real x2; Boolean g = time > 1; equation der(x2) + 3*x1 = 0;
         if not g then x2 + 3*x0 = 0; end if; der(x0) - x1 + x2 + 1 = 0; if g then x2 = 1; end if; end M;",
    ),
    (Code::W0841, "semantics", "models/TwoEquations.mo"),
    (
        Code::W0842,
        "semantics",
        "model M Real x; Real y; Boolean g = sin(time) > 0.5; equation
         0 = if g then 5*x else der(y); 0 = if g then 3*x else der(x); end M;",
    ),
    (Code::E0804, "changes", "model M Real x; equation x = 1; x = 2; end M;"),
    (Code::E0810, "simulate", "model M Real x; equation der(x) = 1; annotation(experiment(Tolerance = 2)); end M;"),
    (
        Code::E0813,
        "simulate",
        "model M String s; Real x(start = 0, fixed = true); equation der(x) = 1; s = if time > 0.5 then \"a\" else \"b\";
         when s == \"a\" then reinit(x, 0); end when; end M;",
    ),
    (
        Code::E0814,
        "simulate",
        "model M parameter Real p = 0; Real x; equation der(x) = 1; when sample(0, p) then end when; end M;",
    ),
    (Code::E0822, "simulate --stop 2", "model M Real x(start = 1, fixed = true); equation der(x) = x^2; end M;"),
    (
        Code::E0824,
        "simulate",
        "model M Integer n(start = 0, fixed = true); equation when time > 0.5 then n = n + 1; end when; end M;",
    ),
    (
        Code::E0825,
        "simulate",
        "model M Integer n(start = 0, fixed = true); Real x(start = 0, fixed = true); equation
         der(x) = n; n = if x > 0.5 then pre(n) + 1 else 1; end M;",
    ),
    (
        Code::W0832,
        "simulate",
        "model M Real a(start = 1, fixed = true), b(start = 2, fixed = true), f, p; equation
         der(a) = f; der(b) = -f; 0 = if time > 0.5 then a - b else f; p = f^2; end M;",
    ),
    (
        Code::W0833,
        "simulate",
        "model M Real x(start = 0.5, fixed = true); equation der(x) = if x > 0 then -1 else 1; end M;",
    ),
    (
        Code::E0834,
        "simulate --stop 2",
        "model M Real x(start = 0.2, fixed = true); equation
         der(x) = (1 - time)*(if x > 0 then -1 else 1); end M;",
    ),
    (
        Code::W0835,
        "simulate",
        "model M Real p, m, i, j, u(start = 2, fixed = true); Boolean on = time >= 0.5; equation p - m = 5; j = i;
         0 = if on then p - u - i else i; 0 = if on then m else j; der(u) = i - u; end M;",
    ),
    (
        Code::E0829,
        "simulate",
        "model M Real x(start = 0, fixed = true); equation der(x) = 1;
         when x > 0.5 then reinit(x, 0); end when; when x > 0.5 then reinit(x, 0.1); end when; end M;",
    ),
    (
        Code::E0830,
        "simulate",
        "model M Real x(start = 0, fixed = true), y; Boolean b; equation b = time > 0.5; der(y) = 1 - x;
         if b then x = 1; else der(x) = 1; end if; when time > 0.7 then reinit(x, 0); end when; end M;",
    ),
    (
        Code::E0712,
        "init",
        "model M Integer n; Real x(start = 0, fixed = true); equation der(x) = 1; n = div(3, integer(x)); end M;",
    ),
    (
        Code::E0831,
        "simulate",
        "model M Real x(start = 0, fixed = true); discrete Real d(start = 1, fixed = true); equation der(x) = d;
         when x > 0.5 then d = 1/(x - x); end when; end M;",
    ),
];

/// The same with models in MEL.
const PROVOKED_IN_MEL: &[(Code, &str, &str)] = &[
    (Code::E0381, "check", "x[1] : real; e : equation x[:] = 1.0;"),
    (Code::E0385, "check --set N=many", "N : integer = 2; x : real; e : equation x = 1.0;"),
    (
        Code::E0387,
        "check",
        "x : real; e : equation der(x) = 1.0; scenario a is scenario b is s : equation x = 1; end; end;",
    ),
    (
        Code::E0707,
        "init",
        "x : real; e : equation der(x) = 1.0; scenario a is s : equation x = 1; end; scenario a is r : equation x = 2; end;",
    ),
];

/// Runs a command line on a model, with results in a temporary file.
fn run(code: Code, command: &str, model: &str, extension: &str) -> Outcome {
    let result = temporary(&format!("{code}.csv")).display().to_string();
    let mut arguments: Vec<&str> = command.split(' ').collect();
    if arguments[0] == "simulate" && !arguments.contains(&"-o") {
        arguments.extend(["-o", &result]);
    }
    if root().join(model).is_file() {
        return modeshift(&[&arguments[..1], &[model], &arguments[1..]].concat());
    }
    if extension == "mo" {
        return modeshift_reading(model.as_bytes(), &[&arguments[..1], &["-"], &arguments[1..]].concat());
    }
    let file = temporary(&format!("{code}.{extension}"));
    std::fs::write(&file, model).expect("temporary files can be written");
    modeshift(&[&arguments[..1], &[&file.display().to_string()], &arguments[1..]].concat())
}

#[test]
fn small_models_provoke_their_codes() {
    let mut missing: Vec<String> = Vec::new();
    let (modelica, mel) = (PROVOKED.iter().map(|it| (it, "mo")), PROVOKED_IN_MEL.iter().map(|it| (it, "mel")));
    for (&(code, command, model), extension) in modelica.chain(mel) {
        let outcome = run(code, command, model, extension);
        let said = outcome.stderr.contains(&format!("[{code}]"));
        if !said || outcome.status < code.exit_status() as i32 || outcome.status == ExitStatus::Fault as i32 {
            missing.push(format!("{code} with status {}: {}", outcome.status, outcome.stderr));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// A class that inherits through 200 others.
#[test]
fn long_chains_of_inheritance_are_refused() {
    let chain = (1..=220).map(|number| format!("model A{number} extends A{}; end A{number};\n", number - 1));
    let text = "model A0 Real x = 1; end A0;\n".to_string() + &chain.collect::<String>();
    let outcome = run(Code::E0206, "check", &text, "mo");
    assert!(outcome.stderr.contains("[E0206]"), "{}", outcome.stderr);
}

/// Codes that no model provokes today, with the reason.
const UNTESTED: &[(Code, &str)] = &[
    (Code::E0113, "needs a file of 4 GB"),
    (Code::E0320, "the parser refuses an expression of that depth before"),
    (Code::W0374, "flattening gives every parameter a value, with W0312"),
    (Code::E0710, "the limits end the start with E0603"),
    (Code::E0805, "what cannot be differentiated is refused at the start"),
    (Code::E0811, "such a cycle does not settle, with E0824"),
    (Code::E0820, "the next mode is never a singular one: E0823"),
];

#[test]
fn every_code_is_provoked_by_a_test() {
    let mut texts = String::new();
    for folder in ["crates", "golden"] {
        read_tests(&root().join(folder), false, &mut texts);
    }
    let untested: Vec<&str> = Code::ALL
        .iter()
        .filter(|code| !code.is_fault() && UNTESTED.iter().all(|(known, _)| known != *code))
        .map(|code| code.as_str())
        .filter(|code| !texts.contains(code))
        .collect();
    assert!(untested.is_empty(), "no test provokes {untested:?}");
}

#[test]
fn every_code_in_the_sources_is_in_the_register() {
    let mut unknown: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).expect("the crates") {
        let mut folders = vec![entry.expect("readable").path().join("src")];
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(text) = std::fs::read_to_string(&path) {
                    let codes = text.split('"').filter(|word| is_code(word) && Code::named(word).is_none());
                    unknown.extend(codes.map(|code| format!("{code} in {}", path.display())));
                }
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
}

/// `E0601` and the like.
fn is_code(word: &str) -> bool {
    let digits = word.strip_prefix(['E', 'W', 'N']).unwrap_or_default();
    digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The texts of all files below folders of tests and of golden files, and of modules of tests.
fn read_tests(folder: &Path, in_tests: bool, texts: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_string();
        if path.is_dir() {
            read_tests(&path, in_tests || name == "tests" || folder.ends_with("golden"), texts);
        } else if let Ok(text) = std::fs::read_to_string(&path).map(|text| without_exceptions(&text)) {
            match (in_tests, text.find("#[cfg(test)]")) {
                (true, _) => texts.push_str(&text),
                (false, Some(at)) => texts.push_str(&text[at..]),
                (false, None) => {}
            }
        }
    }
}

/// The text of a test without the list of codes that are not tested, which is no test of them.
fn without_exceptions(text: &str) -> String {
    match text.split_once("const UNTESTED:") {
        Some((before, after)) => before.to_string() + after.split_once("];").map_or("", |(_, rest)| rest),
        None => text.to_string(),
    }
}

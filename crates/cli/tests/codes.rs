//! Every code of the register has a test that provokes it: by the example of its page, here or elsewhere.

use std::path::Path;

use modeshift_diagnostics::{Code, ExitStatus};

use crate::support::{Outcome, modeshift, modeshift_reading, root, temporary};

/// A state and a mode.
const STATE: &str = "model M Real x(start = 1, fixed = true); Boolean p; equation p = x > 0;
  der(x) = if p then 1 else -1; end M;";

/// Whole models, and other ways to a code than that of its page, with a command line that provokes it: the model is read from
/// standard input, or is a file.
const PROVOKED: &[(Code, &str, &str)] = &[
    (Code::W0610, "check --as-other-tools", "models/ClutchBasic.mo"),
    (Code::N0610, "check --as-other-tools", "models/TwoEquationsRIMIS.mo"),
    (Code::E0002, "analyze --at q=true", STATE),
    (Code::E0003, "analyze --at bh=true,bl=true", "models/WaterTank.mo"),
    (Code::E0004, "init --scenario q", STATE),
    (Code::E0006, "simulate -o no/such/folder/x.csv", STATE),
    (Code::E0007, "simulate --plot-vars q", STATE),
    (Code::E0008, "semantics --run 5", "models/ClutchBasic.mo"),
    (Code::N0603, "check --set N=40", "models/BreakerLadder.mel"),
    (Code::E0603, "analyze --node-limit 10", "models/ClutchChain.mo"),
    (Code::E0603, "simulate --node-limit 10", "models/ClutchChain.mo"),
    (Code::E0603, "rimis --node-limit 20", "models/RLDC2.mo"), // enough for the modes, not for their changes
    (Code::W0605, "check", "crates/cli/tests/instant/models/expectations/SeriesDio14.mo"),
    (Code::W0606, "check", "crates/cli/tests/instant/models/expectations/SixPulse.mo"),
    (Code::W0801, "check", "crates/cli/tests/repro/papers/SqOut.mo"),
    (Code::W0802, "check", "crates/cli/tests/repro/papers/Cradle2.mo"),
    (Code::W0829, "check", "crates/cli/tests/repro/trust/reinit_two_whens.mo"),
    (Code::W0837, "check", "crates/cli/tests/repro/papers/ElasticLiteral.mo"),
    (Code::N0801, "changes", "crates/cli/tests/repro/papers/ElasticMin.mo"),
    (
        Code::E0830,
        "simulate",
        "model M Real x(start = 0, fixed = true), y; Boolean b; equation b = time > 0.5; der(y) = 1 - x;
         if b then x = 1; else der(x) = 1; end if; when time > 0.7 then reinit(x, 0); end when; end M;",
    ),
    (Code::E0840, "semantics --set N=14", "models/ClutchChain.mo"),
    (Code::E0841, "semantics", "models/CupAndBallElasticWithoutLaw.mo"),
    (Code::W0841, "semantics", "models/TwoEquations.mo"),
];

/// Runs a command line on a model, with results in a temporary file.
fn run(code: Code, command: &str, model: &str) -> Outcome {
    let result = temporary(&format!("{code}.csv")).display().to_string();
    let mut arguments: Vec<&str> = command.split(' ').collect();
    if arguments[0] == "simulate" && !arguments.contains(&"-o") {
        arguments.extend(["-o", &result]);
    }
    match root().join(model).is_file() {
        true => modeshift(&[&arguments[..1], &[model], &arguments[1..]].concat()),
        false => modeshift_reading(model.as_bytes(), &[&arguments[..1], &["-"], &arguments[1..]].concat()),
    }
}

#[test]
fn models_provoke_their_codes() {
    let mut missing: Vec<String> = Vec::new();
    for &(code, command, model) in PROVOKED {
        let outcome = run(code, command, model);
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
    let outcome = run(Code::E0206, "check", &text);
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
        .filter(|code| !code.is_fault() && !code.page().contains("\n## Wrong\n"))
        .filter(|code| UNTESTED.iter().all(|(known, _)| known != *code))
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

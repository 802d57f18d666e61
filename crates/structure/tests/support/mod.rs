//! Models and their starts as text, for tests of initialization.

#![allow(dead_code)]

use modeshift_dae::{Id, MultimodeDae};
use modeshift_diagnostics::Diagnostics;
use modeshift_modes::ModeSet;
use modeshift_structure::initialization::{InitialChoice, InitialScenario, Initialization, initialization};
use modeshift_structure::{Options, analyze};
use modeshift_testkit::{NO_OVERRIDES, multimode_dae, multimode_dae_of_mel};

/// The multimode DAE of the last model of a Modelica text.
pub fn model(text: &str, overrides: &[(&str, &str)]) -> MultimodeDae {
    multimode_dae(text, overrides).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

/// The multimode DAE of a MEL program.
pub fn mel_model(text: &str) -> MultimodeDae {
    let dae = multimode_dae_of_mel("test", text, &NO_OVERRIDES);
    dae.unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

/// `model M … end M;` around declarations and equations.
pub fn wrapped(body: &str) -> String {
    format!("model M {body} end M;")
}

/// The start of a model, and what is wrong with its scenarios and start values.
pub fn start_of(dae: &MultimodeDae) -> (Initialization, Diagnostics) {
    let mut diagnostics = Diagnostics::new();
    let options = Options::default();
    let analysis = analyze(dae, &options).expect("no limit was set");
    let choice = InitialChoice::default();
    let start = initialization(dae, &analysis, &choice, &options, &mut diagnostics).expect("no limit was set");
    (start, diagnostics)
}

/// One line per scenario and case: `warm, when g: underdetermined, free x y, fix x, too many z = 1`.
pub fn start_text(dae: &MultimodeDae) -> String {
    let (start, _) = start_of(dae);
    cases_text(dae, &start)
}

/// The same of a start that was analyzed already.
pub fn cases_text(dae: &MultimodeDae, start: &Initialization) -> String {
    let lines = start.scenarios.iter().flat_map(|scenario| case_lines(dae, start, scenario));
    lines.collect::<Vec<_>>().join("\n")
}

fn case_lines(dae: &MultimodeDae, start: &Initialization, scenario: &InitialScenario) -> Vec<String> {
    let names = start.mode_names(dae);
    let printer = start.printer(&names);
    let variable = |id: modeshift_dae::VariableId| start.system.incidence.variables()[id].name.to_string();
    let condition = |id: modeshift_dae::EquationId| start.system.incidence.equations()[id].name.to_string();
    let cases = start.cases(scenario, ModeSet::ALL);
    let line = |case: modeshift_structure::initialization::InitialCase| {
        let mut line = if scenario.id.is_some() { format!("{}, ", scenario.name) } else { String::new() };
        let when = printer.print(start.without_scenarios(dae, case.modes)).text;
        if when != "true" {
            line.push_str(&format!("when {when}: "));
        }
        line.push_str(case.verdict.word());
        let listed = |title: &str, names: Vec<String>| match names.is_empty() {
            true => String::new(),
            false => format!(", {title} {}", names.join(" ")),
        };
        line.push_str(&listed("free", case.free.iter().map(|it| variable(it.item)).collect()));
        line.push_str(&listed("fix", case.proposal.iter().map(|it| variable(it.item)).collect()));
        let too_many: Vec<String> = case.too_many.iter().map(|it| condition(it.item)).collect();
        if !too_many.is_empty() {
            line.push_str(&format!(", too many {}", too_many.join("; ")));
        }
        assert!(case.is_uniform(), "few cases are told apart");
        line
    };
    cases.into_iter().map(line).collect()
}

/// Checks the start of a model given as declarations and equations.
pub fn check_start(body: &str, expected: &str) {
    let lines: Vec<&str> = expected.lines().map(str::trim).collect();
    assert_eq!(start_text(&model(&wrapped(body), &[])), lines.join("\n"));
}

/// A mode by the names of the mode variables that are true in it.
pub fn mode_named<'a>(dae: &'a MultimodeDae, on: &'a [&'a str]) -> impl Fn(modeshift_modes::ModeVariable) -> bool + 'a {
    let names: Vec<&str> = dae.mode_variables.ids().map(|id| &*dae.mode_variables[id].name).collect();
    move |variable| names.get(variable.0 as usize).is_some_and(|name| on.contains(name))
}

/// The number of a mode variable of this name.
pub fn mode_number(dae: &MultimodeDae, name: &str) -> u32 {
    let found = dae.mode_variables.ids().find(|&id| &*dae.mode_variables[id].name == name);
    found.expect("a mode variable of this name").index() as u32
}

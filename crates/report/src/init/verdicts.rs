//! The verdicts about the start as diagnostics: what to fix, what contradicts what, with source lines.

use modeshift_dae::{EquationId, MultimodeDae, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics};
use modeshift_simulate::initialization::{AssessedCase, AssessedScenario};
use modeshift_structure::initialization::{Conditional, InitialVerdict, Initialization};

use super::build::printer;

/// Labels and names of one diagnostic.
const MOST_LABELS: usize = 6;

/// Errors of `init`: a start that is undetermined or contradicts itself.
pub fn say_verdicts(
    dae: &MultimodeDae,
    start: &Initialization,
    assessed: &[AssessedScenario],
    diagnostics: &mut Diagnostics,
) {
    let wording = Wording { dae, start };
    for scenario in assessed.iter().filter(|scenario| !scenario.failed) {
        match scenario.verdict() {
            InitialVerdict::Determined => diagnostics.extend(wording.refused_by_inputs(scenario)),
            InitialVerdict::Underdetermined => {
                for case in scenario.cases.iter().filter(|case| is_open(case)).take(MOST_LABELS) {
                    diagnostics.push(wording.underdetermined(Diagnostic::error, Code::E0702, scenario, case));
                }
            }
            InitialVerdict::Overdetermined => diagnostics.extend(wording.overdetermined(scenario)),
        }
    }
}

/// The part of `check`: errors where no start is possible, and less where a run finds one nevertheless.
pub fn check_verdicts(
    dae: &MultimodeDae,
    start: &Initialization,
    assessed: &[AssessedScenario],
    diagnostics: &mut Diagnostics,
) {
    let wording = Wording { dae, start };
    let has_conditions = start.system.origins.iter().any(|origin| origin.is_condition());
    for scenario in assessed.iter().filter(|scenario| !scenario.failed) {
        match scenario.verdict() {
            InitialVerdict::Determined => diagnostics.extend(wording.refused_by_inputs(scenario)),
            InitialVerdict::Underdetermined => {
                let Some(case) = scenario.cases.iter().find(|case| is_open(case)) else { continue };
                diagnostics.push(match has_conditions {
                    true => wording.underdetermined(Diagnostic::warning, Code::W0702, scenario, case),
                    false => wording.underdetermined(Diagnostic::note, Code::N0702, scenario, case),
                });
            }
            InitialVerdict::Overdetermined => diagnostics.extend(wording.overdetermined(scenario)),
        }
    }
}

/// Whether a possible case needs more conditions.
fn is_open(case: &AssessedCase) -> bool {
    case.possible && !case.case.proposal.is_empty()
}

struct Wording<'a> {
    dae: &'a MultimodeDae,
    start: &'a Initialization,
}

impl Wording<'_> {
    fn underdetermined(
        &self,
        make: impl Fn(Code, String) -> Diagnostic,
        code: Code,
        scenario: &AssessedScenario,
        case: &AssessedCase,
    ) -> Diagnostic {
        let names = self.listed(&case.case.proposal);
        let message = format!("the start{} is underdetermined: fix {names}", in_scenario(scenario));
        let mut diagnostic = self.with_modes(make(code, message), case);
        for it in case.case.proposal.iter().take(MOST_LABELS) {
            let of = self.start.system.quantities[it.item].of;
            let declared = &self.dae.model.variables[of];
            diagnostic =
                diagnostic.label(declared.span, format!("`{}` needs a value at the start", self.name(it.item)));
        }
        if case.case.free.len() > case.case.proposal.len() {
            diagnostic = diagnostic.with_note(format!("any independent choice among {}", self.listed(&case.case.free)));
        }
        diagnostic.help("set fixed = true, or add initial equations; a run keeps these at their start values otherwise")
    }

    /// The contradictions of the first possible cases.
    fn overdetermined(&self, scenario: &AssessedScenario) -> Diagnostics {
        self.contradictions(scenario, scenario.cases.iter().filter(|case| case.possible))
    }

    /// The contradictions that inputs of the model select.
    fn refused_by_inputs(&self, scenario: &AssessedScenario) -> Diagnostics {
        self.contradictions(scenario, scenario.refused_by_inputs(self.dae, self.start).into_iter())
    }

    fn contradictions<'c>(
        &self,
        scenario: &AssessedScenario,
        cases: impl Iterator<Item = &'c AssessedCase>,
    ) -> Diagnostics {
        let mut diagnostics = Diagnostics::new();
        for case in cases.take(MOST_LABELS) {
            let Some(condition) = case.conflict.iter().rev().find(|&&it| self.start.system.origins[it].is_condition())
            else {
                continue;
            };
            diagnostics.push(self.contradiction(scenario, case, *condition));
        }
        diagnostics
    }

    fn contradiction(&self, scenario: &AssessedScenario, case: &AssessedCase, condition: EquationId) -> Diagnostic {
        let system = &self.start.system;
        let name = |id: EquationId| &*system.incidence.equations()[id].name;
        let message = format!(
            "the start{} is overdetermined: `{}` contradicts the other conditions",
            in_scenario(scenario),
            name(condition)
        );
        let mut diagnostic = self.with_modes(Diagnostic::error(Code::E0701, message), case);
        diagnostic = diagnostic.label(system.span(condition), "this condition");
        let others = case.conflict.iter().filter(|&&other| other != condition);
        for &other in others.clone().filter(|&&it| system.origins[it].is_condition()).take(MOST_LABELS) {
            diagnostic = diagnostic.label(system.span(other), "and this one");
        }
        let equations: Vec<&str> =
            others.filter(|&&it| !system.origins[it].is_condition()).take(MOST_LABELS).map(|&it| name(it)).collect();
        if !equations.is_empty() {
            diagnostic = diagnostic.with_note(format!("by the equations {}", equations.join(", ")));
        }
        diagnostic.help(
            "let one of them go, make it a guess with fixed = false, or take them for left limits: `--impulsive-start`",
        )
    }

    fn with_modes(&self, diagnostic: Diagnostic, case: &AssessedCase) -> Diagnostic {
        let names = self.start.mode_names(self.dae);
        let modes = self.start.without_scenarios(self.dae, case.case.modes);
        let when = printer(self.dae, self.start, &names).print(modes).text;
        if when == "true" { diagnostic } else { diagnostic.when(when) }
    }

    fn name(&self, variable: VariableId) -> &str {
        &self.start.system.incidence.variables()[variable].name
    }

    fn listed(&self, items: &[Conditional<VariableId>]) -> String {
        let shown = items.iter().take(MOST_LABELS).map(|it| format!("`{}`", self.name(it.item)));
        let mut text = shown.collect::<Vec<_>>().join(", ");
        if items.len() > MOST_LABELS {
            text.push_str(&format!(" and {} more", items.len() - MOST_LABELS));
        }
        text
    }
}

fn in_scenario(scenario: &AssessedScenario) -> String {
    match scenario.scenario.id {
        Some(_) => format!(" in scenario `{}`", scenario.scenario.name),
        None => String::new(),
    }
}

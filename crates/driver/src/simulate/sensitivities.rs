//! How end values and times of events change with parameters and start values, beside a run.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{MultimodeDae, Node, VariableId};
use modeshift_diagnostics::{Code, Diagnostic};
use modeshift_numerics::NativeFunctions;
use modeshift_report::Analyzed;
use modeshift_report::simulate::Simulated;
use modeshift_simulate::run::{RunEnd, RunModel, RunSettings, sensitivities};

use super::{RunOptions, variable_names};
use crate::pipeline::Run;

impl Run<'_> {
    /// A run with the sensitivities that are wanted; as it is where none are, where it has not come to its end, and where there are none:
    /// that is said.
    pub(crate) fn with_sensitivities(
        &mut self,
        simulated: Simulated,
        analyzed: &Analyzed,
        dae: &MultimodeDae,
        looked_at: &BTreeSet<VariableId>,
        (settings, options): (&RunSettings, &RunOptions),
    ) -> Simulated {
        let by = variable_names(options.sensitivity.as_deref().unwrap_or_default());
        if by.is_empty() || simulated.summary.end == RunEnd::Failed || simulated.summary.end == RunEnd::Interrupted {
            return simulated;
        }
        for name in &by {
            if let Some(reason) = is_built_with(analyzed, looked_at, name) {
                let message = format!("no sensitivities by `{name}`: {reason}");
                let help = "compare two runs with slightly different values";
                self.diagnostics.push(Diagnostic::error(Code::E0846, message).help(help));
                return simulated;
            }
        }
        let (natives, overrides) = (NativeFunctions::of(&dae.model), BTreeMap::new());
        let model = RunModel { dae, analysis: &analyzed.analysis, natives: &natives, overrides: &overrides };
        let diagnostics = &mut self.diagnostics;
        let find = || sensitivities(&model, settings, &by, diagnostics);
        let found = self.timings.measure("differentiating", find, |_| String::new());
        Simulated { sensitivities: found, ..simulated }
    }
}

/// Why the model would be another one with another value of a parameter, if it would.
fn is_built_with(analyzed: &Analyzed, looked_at: &BTreeSet<VariableId>, name: &str) -> Option<&'static str> {
    let dae = &analyzed.dae;
    let (id, variable) = dae.model.variables.iter_enumerated().find(|(_, it)| *it.name == *name)?;
    let is_mode = dae.mode_variables.iter().any(|mode| mode.variable == Some(id));
    if variable.evaluated || is_mode {
        return Some("the model is built with its value");
    }
    if variable.fixed == Some(false) {
        return Some("it is computed at the start");
    }
    let reads = |other: VariableId| {
        let is_it = |node: Node| matches!(node, Node::Variable(of, _) if of == id);
        let binding = dae.model.variables[other].binding;
        other == id || binding.is_some_and(|it| dae.model.expressions.contains(it, is_it))
    };
    let is_combined = !analyzed.combinations.is_empty() || !analyzed.dependences.is_empty();
    (is_combined && looked_at.iter().any(|&other| reads(other))).then_some("with this value coefficients cancel")
}

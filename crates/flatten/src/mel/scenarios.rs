//! Scenarios of MEL: initial equations for some modes, and the variables that a scenario declares for itself.
//!
//! A variable that is declared in a scenario is an unknown of the start alone. It belongs to no long mode; after the
//! start it keeps its value, like a parameter with `fixed = false` in Modelica. Two scenarios may use the same name.
//!
//! E22 §7.2: "variables declared and used only in an initialization scenario".

use std::sync::Arc;

use modeshift_dae::{Scenario, Type, Variability, Variable, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Span, Stop};
use modeshift_syntax::ast::{Expression, Ident};
use modeshift_syntax::mel::Statement;

use super::Builder;

impl<'a> Builder<'a> {
    /// First walk: the variables of a scenario.
    pub(super) fn declare_scenario(&mut self, name: &Ident, body: &'a [Statement]) -> Result<(), Stop> {
        if self.scenario.is_some() {
            return Ok(()); // the second walk says that this cannot be
        }
        self.scenario = Some(self.scenario_names.push(name.name.clone()));
        let result = self.declare_all(body);
        self.scenario = None;
        result
    }

    /// Second walk: the initial equations.
    pub(super) fn scenario(
        &mut self,
        name: &Ident,
        when: Option<&Expression>,
        body: &[Statement],
        span: Span,
    ) -> Result<(), Stop> {
        if self.scenario.is_some() {
            self.error(Diagnostic::error(Code::E0387, "a scenario cannot contain a scenario").label(span, "here"));
            return Ok(());
        }
        let when = when.map(|when| self.expression(when));
        let when = when.unwrap_or_else(|| self.model.expressions.boolean(true));
        self.scenario = Some(self.model.scenarios.push(Scenario { name: name.name.clone(), when, span }));
        let result = self.build_all(body);
        self.scenario = None;
        result
    }

    /// The variable that a name means in the current scenario, or else in the model.
    pub(super) fn variable(&self, name: &Arc<str>) -> Option<VariableId> {
        let own = self.scenario.and_then(|scenario| self.scenario_variables.get(&(scenario, name.clone())));
        own.or_else(|| self.variables.get(name)).copied()
    }

    /// The variable of this name that is declared right here: in the current scenario, outside of one in the model.
    pub(super) fn variable_of_this_place(&self, name: &Arc<str>) -> Option<VariableId> {
        match self.scenario {
            Some(scenario) => self.scenario_variables.get(&(scenario, name.clone())).copied(),
            None => self.variables.get(name).copied(),
        }
    }

    /// The name in the flat model: `cold.power` for `power` of scenario `cold`.
    pub(super) fn name_in_scenario(&self, name: &Arc<str>) -> Arc<str> {
        match self.scenario {
            Some(scenario) => format!("{}.{name}", self.scenario_names[scenario]).into(),
            None => name.clone(),
        }
    }

    pub(super) fn remember_variable(&mut self, name: Arc<str>, id: VariableId) {
        match self.scenario {
            Some(scenario) => self.scenario_variables.insert((scenario, name), id),
            None => self.variables.insert(name, id),
        };
    }

    pub(super) fn make_unknown_of_the_start(&mut self, variable: &mut Variable) {
        if variable.ty != Type::Real {
            let message = "a scenario declares real variables only";
            self.error(Diagnostic::error(Code::E0387, message).label(variable.span, "declared in a scenario"));
        }
        (variable.variability, variable.fixed, variable.input) = (Variability::Parameter, Some(false), false);
    }
}

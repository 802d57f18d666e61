//! From a multimode DAE to its [`FlatReport`].

use modeshift_dae::{
    Equation, EquationKind, ExpressionId, ExpressionText, InitialEquation, ModeVariable, MultimodeDae, Type,
    Variability, Variable, WhenAction, WhenActionKind, WhenClause,
};
use modeshift_diagnostics::SourceMap;

use super::machines::machines;
use super::{
    EquationReport, FlatReport, NamedFormulaReport, ParameterReport, VariableReport, WhenBranchReport, WhenReport,
};
use crate::analyze::ModeVariableReport;
use crate::json::Version;
use crate::place::Place;
use crate::wording::{Guards, Modes};

/// Puts a model into words.
pub fn flat_report(dae: &MultimodeDae, sources: &SourceMap) -> FlatReport {
    let modes = Modes::of(dae);
    let guards = Guards::new(dae, &modes);
    let words = Wording { dae, sources, guards: &guards };
    let (parameters, variables): (Vec<&Variable>, Vec<&Variable>) =
        dae.model.variables.iter().partition(|variable| variable.variability <= Variability::Parameter);
    let equations = dae.model.equations.iter().filter(|equation| equation.kind != EquationKind::ModeDefinition);
    FlatReport {
        version: Version,
        model: dae.model.name.to_string(),
        mode_variables: dae.mode_variables.iter().map(|mode| words.mode_variable(mode)).collect(),
        named_formulas: words.named_formulas(),
        invariant: modes.invariant_text(),
        mode_count: modes.count(),
        machines: machines(dae, sources),
        parameters: parameters.into_iter().map(|parameter| words.parameter(parameter)).collect(),
        variables: variables.into_iter().map(|variable| words.variable(variable)).collect(),
        equations: equations.map(|equation| words.equation(equation)).collect(),
        initial_equations: dae.model.initial_equations.iter().map(|it| words.initial_equation(it)).collect(),
        when_clauses: dae.model.when_clauses.iter().map(|clause| words.when_clause(clause)).collect(),
        assertions: words.assertions(),
    }
}

/// A mode variable in words.
pub fn mode_variable_report(dae: &MultimodeDae, mode: &ModeVariable, sources: &SourceMap) -> ModeVariableReport {
    let definition = mode.definition.map(|expression| text_of(dae, expression));
    let name = mode.name.to_string();
    ModeVariableReport { name, definition, implicit: mode.implicit, place: Place::of(mode.span, sources) }
}

fn text_of(dae: &MultimodeDae, expression: ExpressionId) -> String {
    ExpressionText { model: &dae.model, modes: Some(&dae.mode_variables), expression }.to_string()
}

/// What is needed to put things into words.
struct Wording<'a> {
    dae: &'a MultimodeDae,
    sources: &'a SourceMap,
    guards: &'a Guards<'a>,
}

impl Wording<'_> {
    fn text(&self, expression: ExpressionId) -> String {
        text_of(self.dae, expression)
    }

    fn type_name(&self, ty: Type) -> String {
        match ty {
            Type::Real => "Real".to_string(),
            Type::Integer => "Integer".to_string(),
            Type::Boolean => "Boolean".to_string(),
            Type::String => "String".to_string(),
            Type::Enumeration(id) => self.dae.model.enumerations[id].name.to_string(),
        }
    }

    fn mode_variable(&self, mode: &ModeVariable) -> ModeVariableReport {
        mode_variable_report(self.dae, mode, self.sources)
    }

    fn named_formulas(&self) -> Vec<NamedFormulaReport> {
        let formulas = self.dae.named_formulas.iter();
        let report = |named: &modeshift_dae::NamedFormula| NamedFormulaReport {
            name: named.name.to_string(),
            formula: self.text(named.formula),
        };
        formulas.map(report).collect()
    }

    fn parameter(&self, parameter: &Variable) -> ParameterReport {
        ParameterReport {
            name: parameter.name.to_string(),
            ty: self.type_name(parameter.ty),
            value: parameter.binding.map(|value| self.text(value)),
            is_final: parameter.evaluated || parameter.variability == Variability::Constant,
            place: Place::of(parameter.span, self.sources),
        }
    }

    fn variable(&self, variable: &Variable) -> VariableReport {
        VariableReport {
            name: variable.name.to_string(),
            ty: self.type_name(variable.ty),
            when: self.guards.text(variable.guard),
            start: variable.start.map(|start| self.text(start)),
            fixed: variable.fixed.unwrap_or(false),
            input: variable.input,
            place: Place::of(variable.span, self.sources),
        }
    }

    fn equation(&self, equation: &Equation) -> EquationReport {
        EquationReport {
            name: Some(equation.name.to_string()),
            when: self.guards.text(equation.guard),
            text: format!("{} = {}", self.text(equation.left), self.text(equation.right)),
            discrete: equation.kind == EquationKind::Discrete,
            place: Place::of(equation.span, self.sources),
        }
    }

    fn initial_equation(&self, equation: &InitialEquation) -> EquationReport {
        EquationReport {
            name: None,
            when: self.guards.text(equation.guard),
            text: format!("{} = {}", self.text(equation.left), self.text(equation.right)),
            discrete: false,
            place: Place::of(equation.span, self.sources),
        }
    }

    fn assertions(&self) -> Vec<EquationReport> {
        let assertions = self.dae.model.assertions.iter();
        let report = |assertion: &modeshift_dae::Assertion| EquationReport {
            name: None,
            when: self.guards.text(assertion.guard),
            text: self.text(assertion.condition),
            discrete: false,
            place: Place::of(assertion.span, self.sources),
        };
        assertions.map(report).collect()
    }

    fn when_clause(&self, clause: &WhenClause) -> WhenReport {
        let branches = clause.branches.iter().map(|branch| {
            let conditions: Vec<String> = branch.conditions.iter().map(|condition| self.text(*condition)).collect();
            let condition = match conditions.as_slice() {
                [one] => one.clone(),
                several => format!("{{{}}}", several.join(", ")),
            };
            WhenBranchReport { condition, actions: branch.actions.iter().map(|action| self.action(action)).collect() }
        });
        WhenReport {
            when: self.guards.text(clause.guard),
            branches: branches.collect(),
            place: Place::of(clause.span, self.sources),
        }
    }

    fn action(&self, action: &WhenAction) -> String {
        let name = |variable| self.dae.model.variables[variable].name.to_string();
        let text = match &action.kind {
            WhenActionKind::Assign(variable, value) => format!("{} = {}", name(*variable), self.text(*value)),
            WhenActionKind::Law(left, right) => format!("{} = {}", self.text(*left), self.text(*right)),
            WhenActionKind::Reinit(variable, value) => format!("reinit({}, {})", name(*variable), self.text(*value)),
            WhenActionKind::Assert(assertion) => format!("assert({})", self.text(assertion.condition)),
            WhenActionKind::Terminate(message) => format!("terminate({})", self.text(*message)),
        };
        let guard = self.text(action.guard);
        if guard == "true" { text } else { format!("if {guard} then {text}") }
    }
}

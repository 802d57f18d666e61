//! The guarded equation system as JSON, keys in the order of the documentation.

use serde_json::{Map, Value, json};

use super::{EquationReport, FlatReport, ParameterReport, VariableReport, WhenReport};
use crate::analyze::{mode_variable_to_json, with_span};

/// The whole system.
pub fn flat_to_json(flat: &FlatReport) -> Value {
    let named = flat.named_formulas.iter().map(|(name, formula)| json!({"name": name, "formula": formula}));
    let mut object = Map::new();
    object.insert("model".into(), json!(flat.model));
    object.insert("mode_variables".into(), flat.mode_variables.iter().map(mode_variable_to_json).collect());
    object.insert("named_formulas".into(), named.collect());
    object.insert("invariant".into(), json!(flat.invariant));
    object.insert("mode_count".into(), json!(flat.mode_count));
    object.insert("parameters".into(), flat.parameters.iter().map(parameter).collect());
    object.insert("variables".into(), flat.variables.iter().map(variable).collect());
    object.insert("equations".into(), flat.equations.iter().map(equation).collect());
    object.insert("initial_equations".into(), flat.initial_equations.iter().map(equation).collect());
    object.insert("when_clauses".into(), flat.when_clauses.iter().map(when_clause).collect());
    object.insert("assertions".into(), flat.assertions.iter().map(equation).collect());
    Value::Object(object)
}

fn parameter(parameter: &ParameterReport) -> Value {
    let ParameterReport { name, ty, value, is_final, place } = parameter;
    with_span(json!({"name": name, "type": ty, "value": value, "final": is_final}), place)
}

fn variable(variable: &VariableReport) -> Value {
    let VariableReport { name, ty, when, start, fixed, input, place } = variable;
    let value = json!({"name": name, "type": ty, "when": when, "start": start, "fixed": fixed, "input": input});
    with_span(value, place)
}

fn equation(equation: &EquationReport) -> Value {
    let mut object = Map::new();
    if let Some(name) = &equation.name {
        object.insert("name".into(), json!(name));
    }
    object.insert("when".into(), json!(equation.when));
    object.insert("text".into(), json!(equation.text));
    if equation.discrete {
        object.insert("discrete".into(), json!(true));
    }
    with_span(Value::Object(object), &equation.place)
}

fn when_clause(clause: &WhenReport) -> Value {
    let branch = |branch: &super::WhenBranchReport| json!({"condition": branch.condition, "actions": branch.actions});
    let branches: Vec<Value> = clause.branches.iter().map(branch).collect();
    with_span(json!({"when": clause.when, "branches": branches}), &clause.place)
}

//! Values of inputs: which an input can have, and those that a run begins with.

use std::fmt;

use modeshift_dae::{FlatModel, MultimodeDae, Type, Variability, VariableId};
use modeshift_diagnostics::did_you_mean;

/// Why an input cannot be set.
#[derive(Clone, Debug, PartialEq)]
pub enum InputError {
    /// The model has no such input; perhaps another was meant.
    Unknown(String),
    /// The value is none of its type.
    NotAValue(f64),
    /// The run has ended.
    Ended,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputError::Unknown(text) => f.write_str(text),
            InputError::NotAValue(value) => write!(f, "{value} is no value of the input's type"),
            InputError::Ended => f.write_str("the run has ended"),
        }
    }
}

impl std::error::Error for InputError {}

/// Whole numbers up to this are told apart.
const LARGEST_INTEGER: f64 = 9_007_199_254_740_992.0;

/// Whether a variable of this type can have the value; enumerations are numbered from 1.
pub(super) fn is_value(model: &FlatModel, ty: Type, value: f64) -> bool {
    let is_whole = value.fract() == 0.0 && value.abs() <= LARGEST_INTEGER;
    match ty {
        Type::Real => value.is_finite(),
        Type::Boolean => value == 0.0 || value == 1.0,
        Type::Integer => is_whole,
        Type::Enumeration(id) => is_whole && value >= 1.0 && value <= model.enumerations[id].literals.len() as f64,
        Type::String => false,
    }
}

/// The inputs that can be set.
pub(super) fn inputs_of(model: &FlatModel) -> impl Iterator<Item = VariableId> + '_ {
    model
        .variables
        .iter_enumerated()
        .filter(|(_, it)| it.input && it.variability >= Variability::Discrete)
        .map(|it| it.0)
}

/// What is said about a name that no input has.
pub(super) fn unknown<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> InputError {
    let suggestion = did_you_mean(name, known).map(|text| format!("; {text}")).unwrap_or_default();
    InputError::Unknown(format!("the model has no input `{name}`{suggestion}"))
}

/// The inputs of these names with their values, which they can have; or what is wrong. Booleans are 0 or 1, enumerations count from 1.
pub fn named_inputs(model: &FlatModel, inputs: &[(String, f64)]) -> Result<Vec<(VariableId, f64)>, String> {
    let input = |(name, value): &(String, f64)| {
        let names = || inputs_of(model).map(|id| &*model.variables[id].name);
        let found = inputs_of(model).find(|&id| *model.variables[id].name == **name);
        let id = found.ok_or_else(|| unknown(name, names()).to_string())?;
        match is_value(model, model.variables[id].ty, *value) {
            true => Ok((id, *value)),
            false => Err(format!("`{name}`: {}", InputError::NotAValue(*value))),
        }
    };
    inputs.iter().map(input).collect()
}

/// Lets inputs of a model have these values before its start is solved: what follows from them at the start follows from these.
pub fn begin_inputs(dae: &mut MultimodeDae, inputs: &[(String, f64)]) -> Result<(), String> {
    for (id, value) in named_inputs(&dae.model, inputs)? {
        let model = &mut dae.model;
        let start = match model.variables[id].ty {
            Type::Real | Type::String => model.expressions.real(value),
            Type::Boolean => model.expressions.boolean(value != 0.0),
            Type::Integer | Type::Enumeration(_) => model.expressions.integer(value as i64),
        };
        model.variables[id].start = Some(start);
        // Where its truth is one of the mode, that is what the start begins in.
        for mode in dae.mode_variables.iter_mut().filter(|mode| mode.variable == Some(id)) {
            mode.initial = mode.initial.map(|_| value != 0.0);
        }
    }
    Ok(())
}

//! The model that is written: the variables of the source under legal names, new ones, and one arena of expressions.
//!
//! It starts as a copy of the source, so that ids of variables, equations and expressions of the source stay valid; the
//! equations of the copy are read, never printed. What is printed is collected in a [`super::Document`].

use std::sync::Arc;

use modeshift_dae::{ExpressionId, Expressions, FlatModel, Node, Type, Variability, Variable, VariableId};

use super::names::{Names, appended};

/// The model that is written.
pub(crate) struct Target {
    pub(crate) model: FlatModel,
    names: Names,
}

impl Target {
    pub(crate) fn new(source: &FlatModel) -> Self {
        let mut target = Target { model: source.clone(), names: Names::default() };
        for variable in target.model.variables.iter_mut() {
            variable.name = Arc::from(target.names.give(&variable.name));
            if let Type::Enumeration(_) = variable.ty {
                variable.ty = Type::Integer; // expressions hold ordinals
            }
        }
        target
    }

    pub(crate) fn expressions(&mut self) -> &mut Expressions {
        &mut self.model.expressions
    }

    /// Declares a variable named after another: `x_p` for `x`.
    pub(crate) fn derived(&mut self, from: VariableId, suffix: &str, description: Option<String>) -> VariableId {
        let wanted = appended(&self.model.variables[from].name, suffix);
        let mut variable = self.blank(&wanted, self.model.variables[from].ty);
        variable.unit = if suffix.starts_with("_p") { None } else { self.model.variables[from].unit.clone() };
        variable.variability = self.model.variables[from].variability;
        variable.span = self.model.variables[from].span;
        variable.description = description.map(Arc::from);
        self.model.variables.push(variable)
    }

    /// Declares a Boolean.
    pub(crate) fn boolean(&mut self, name: &str, description: Option<String>) -> VariableId {
        let mut variable = self.blank(name, Type::Boolean);
        variable.description = description.map(Arc::from);
        self.model.variables.push(variable)
    }

    /// Declares a Real.
    pub(crate) fn real(&mut self, name: &str) -> VariableId {
        let variable = self.blank(name, Type::Real);
        self.model.variables.push(variable)
    }

    /// Declares a Real parameter.
    pub(crate) fn parameter(&mut self, name: &str, value: f64, description: &str) -> VariableId {
        let value = self.model.expressions.real(value);
        let mut variable = self.blank(name, Type::Real);
        variable.variability = Variability::Parameter;
        variable.binding = Some(value);
        variable.description = Some(Arc::from(description));
        self.model.variables.push(variable)
    }

    fn blank(&mut self, name: &str, ty: Type) -> Variable {
        let guard = self.model.expressions.boolean(true);
        let variability = if ty == Type::Real { Variability::Continuous } else { Variability::Discrete };
        Variable::new(self.names.give(name), ty, variability, guard)
    }

    /// A variable as an expression.
    pub(crate) fn value(&mut self, variable: VariableId) -> ExpressionId {
        self.model.expressions.variable(variable, 0)
    }

    /// Whether an expression contains a variable.
    pub(crate) fn contains(&self, expression: ExpressionId, wanted: VariableId) -> bool {
        let is_wanted = |node| matches!(node, Node::Variable(variable, _) if variable == wanted);
        self.model.expressions.contains(expression, is_wanted)
    }
}

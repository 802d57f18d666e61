//! The target as Modelica text.

use std::fmt::Write as _;

use modeshift_dae::{ExpressionId, ExpressionText, FlatModel, Type, Variability, Variable, VariableId};

use super::document::{Action, Branch, Document, Item};

/// Writes a document whose expressions and variables are those of `model`.
pub(crate) fn print(document: &Document, model: &FlatModel) -> String {
    let mut writer = Writer { model, text: String::new() };
    writer.document(document);
    writer.text
}

struct Writer<'a> {
    model: &'a FlatModel,
    text: String,
}

impl Writer<'_> {
    fn line(&mut self, indent: usize, line: &str) {
        self.text.push_str(&"  ".repeat(indent));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn expression(&self, expression: ExpressionId) -> String {
        ExpressionText { model: self.model, modes: None, expression }.to_string()
    }

    fn name(&self, variable: VariableId) -> &str {
        &self.model.variables[variable].name
    }

    fn document(&mut self, document: &Document) {
        match &self.model.description {
            Some(description) => self.line(0, &format!("model {} {}", document.name, quoted(description))),
            None => self.line(0, &format!("model {}", document.name)),
        }
        for remark in &document.remarks {
            self.line(1, &format!("// {remark}"));
        }
        for group in document.declarations.iter().filter(|group| !group.variables.is_empty()) {
            self.line(1, &format!("// {}", group.title));
            for &variable in &group.variables {
                let declaration = self.declaration(&self.model.variables[variable]);
                self.line(1, &declaration);
            }
        }
        if !document.initial.is_empty() {
            self.line(0, "initial equation");
            document.initial.iter().for_each(|item| self.item(item));
        }
        self.line(0, "equation");
        for section in document.sections.iter().filter(|section| !section.items.is_empty()) {
            self.line(1, &format!("// {}", section.title));
            section.items.iter().for_each(|item| self.item(item));
        }
        self.annotation();
        self.line(0, &format!("end {};", document.name));
    }

    fn declaration(&self, variable: &Variable) -> String {
        let prefix = match variable.variability {
            _ if variable.input => "input ",
            _ if variable.output => "output ",
            Variability::Constant => "constant ",
            Variability::Parameter if variable.evaluated => "constant ",
            Variability::Parameter => "parameter ",
            Variability::Discrete if variable.ty == Type::Real => "discrete ",
            Variability::Discrete | Variability::Continuous => "",
        };
        let ty = match variable.ty {
            Type::Real => "Real",
            Type::Integer | Type::Enumeration(_) => "Integer",
            Type::Boolean => "Boolean",
            Type::String => "String",
        };
        let mut line = format!("{prefix}{ty} {}{}", variable.name, self.attributes(variable));
        if let Some(binding) = variable.binding {
            let _ = write!(line, " = {}", self.expression(binding));
        }
        if let Some(description) = &variable.description {
            let _ = write!(line, " {}", quoted(description));
        }
        line.push(';');
        line
    }

    fn attributes(&self, variable: &Variable) -> String {
        let mut list = Vec::new();
        list.extend(variable.start.map(|value| format!("start = {}", self.expression(value))));
        list.extend(variable.fixed.map(|fixed| format!("fixed = {fixed}")));
        for (name, value) in [("min", variable.min), ("max", variable.max), ("nominal", variable.nominal)] {
            list.extend(value.map(|value| format!("{name} = {}", self.expression(value))));
        }
        list.extend(variable.unit.as_ref().map(|unit| format!("unit = {}", quoted(unit))));
        if list.is_empty() { String::new() } else { format!("({})", list.join(", ")) }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Equation(left, right) => {
                let line = format!("{} = {};", self.side(*left), self.expression(*right));
                self.line(1, &line);
            }
            Item::Conditional(condition, left, right) => {
                let (condition, left, right) = (self.expression(*condition), self.side(*left), self.expression(*right));
                self.line(1, &format!("if {condition} then"));
                self.line(2, &format!("{left} = {right};"));
                self.line(1, "end if;");
            }
            Item::Assert { condition, message, is_error } => {
                let line = self.assertion(*condition, *message, *is_error);
                self.line(1, &line);
            }
            Item::When(branches) => self.when(branches),
        }
    }

    /// The left side of an equation: an if-expression needs parentheses there.
    fn side(&self, expression: ExpressionId) -> String {
        let text = self.expression(expression);
        if text.starts_with("if ") { format!("({text})") } else { text }
    }

    fn when(&mut self, branches: &[Branch]) {
        for (at, branch) in branches.iter().enumerate() {
            let word = if at == 0 { "when" } else { "elsewhen" };
            let conditions: Vec<String> = branch.conditions.iter().map(|&it| self.expression(it)).collect();
            let condition = match conditions.as_slice() {
                [condition] => condition.clone(),
                several => format!("{{{}}}", several.join(", ")),
            };
            self.line(1, &format!("{word} {condition} then"));
            for action in &branch.actions {
                let action = self.action(action);
                self.line(2, &action);
            }
        }
        self.line(1, "end when;");
    }

    fn action(&self, action: &Action) -> String {
        match action {
            Action::Reinit(state, value) => format!("reinit({}, {});", self.name(*state), self.expression(*value)),
            Action::Assign(variable, value) => format!("{} = {};", self.name(*variable), self.expression(*value)),
            Action::Assert { condition, message, is_error } => self.assertion(*condition, *message, *is_error),
            Action::Terminate { condition, message } => {
                let terminate = format!("terminate({});", self.expression(*message));
                match self.model.expressions.literal_boolean(*condition) {
                    Some(true) => terminate,
                    _ => format!("if {} then {terminate} end if;", self.expression(*condition)),
                }
            }
        }
    }

    fn assertion(&self, condition: ExpressionId, message: ExpressionId, is_error: bool) -> String {
        let level = if is_error { "" } else { ", AssertionLevel.warning" };
        format!("assert({}, {}{level});", self.expression(condition), self.expression(message))
    }

    fn annotation(&mut self) {
        let documentation = self.model.documentation.as_ref();
        let documentation = documentation.map(|info| format!("Documentation(info = {})", quoted(info)));
        let parts: Vec<String> = documentation.into_iter().chain(self.experiment()).collect();
        if !parts.is_empty() {
            self.line(1, &format!("annotation ({});", parts.join(", ")));
        }
    }

    fn experiment(&self) -> Option<String> {
        let experiment = &self.model.experiment;
        let settings = [
            ("StartTime", experiment.start),
            ("StopTime", experiment.stop),
            ("Interval", experiment.interval),
            ("Tolerance", experiment.tolerance),
        ];
        let given =
            settings.iter().filter_map(|(name, value)| value.map(|value| format!("{name} = {}", number(value))));
        let list = given.collect::<Vec<_>>().join(", ");
        (!list.is_empty()).then(|| format!("experiment({list})"))
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// A number as one would write it: `2`, `5e-8`.
fn number(value: f64) -> String {
    if value != 0.0 && !(1e-4..1e9).contains(&value.abs()) { format!("{value:e}") } else { format!("{value}") }
}

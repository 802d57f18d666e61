//! Values of parameters and constants, each after those it depends on.
//!
//! A value comes from an override, else from the binding, else from `start`. Parameters with `fixed = false` are
//! unknowns of initialization: neither they nor what depends on them has a value here. Of an if-expression only the
//! branch taken is evaluated. The same serves for attributes such as `start`, `nominal` and `min`.

use std::collections::BTreeMap;

use modeshift_dae::{
    Arguments, Builtin, ExpressionId, ExpressionText, FlatModel, Id, Node, Type, Variability, VariableId,
};
use modeshift_diagnostics::{Diagnostic, Diagnostics, Stop};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::native::NativeFunctions;
use crate::tape::{Input, truth};

/// The values of parameters and constants, and of expressions over them.
pub struct Parameters<'a> {
    model: &'a FlatModel,
    natives: &'a NativeFunctions,
    overrides: &'a BTreeMap<VariableId, f64>,
    /// By expression; `None` where it has no value before initialization.
    known: FxHashMap<ExpressionId, Option<f64>>,
    /// Parameters whose definitions are being evaluated.
    open: FxHashSet<VariableId>,
    values: Vec<Option<f64>>,
    problems: Vec<Diagnostic>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Open,
    Branches,
    Close,
}

type Pending = Vec<(ExpressionId, Step)>;

impl<'a> Parameters<'a> {
    /// Evaluates all parameters and constants of a model, with other values for some of them.
    pub fn evaluate(
        model: &'a FlatModel,
        natives: &'a NativeFunctions,
        overrides: &'a BTreeMap<VariableId, f64>,
        diagnostics: &mut Diagnostics,
    ) -> Result<Self, Stop> {
        let mut parameters = Parameters {
            model,
            natives,
            overrides,
            known: FxHashMap::default(),
            open: FxHashSet::default(),
            values: vec![None; model.variables.len()],
            problems: Vec::new(),
        };
        for variable in model.variables.ids().filter(|&variable| is_parameter(model, variable)) {
            let value = parameters.parameter(variable);
            parameters.values[variable.index()] = value;
            parameters.check(variable, value);
        }
        let failed = !parameters.problems.is_empty();
        parameters.problems.drain(..).for_each(|problem| diagnostics.push(problem));
        parameters.warn_of_missing(diagnostics);
        if failed { Err(Stop) } else { Ok(parameters) }
    }

    /// The value of a parameter or constant; `None` for other variables and before initialization.
    pub fn of(&self, variable: VariableId) -> Option<f64> {
        self.values[variable.index()]
    }

    /// The value of an input of a tape that is a parameter, for [`crate::Compiler::with_known_inputs`].
    pub fn known_input(&self, input: Input) -> Option<f64> {
        match input {
            Input::Variable(variable, 0) => self.of(variable),
            _ => None,
        }
    }

    /// The value of an expression over parameters; `None` if it depends on anything else.
    pub fn value(&mut self, expression: ExpressionId) -> Option<f64> {
        let mut pending = vec![(expression, Step::Open)];
        while let Some((id, step)) = pending.pop() {
            if self.known.contains_key(&id) {
                continue;
            }
            match step {
                Step::Open => self.open(id, &mut pending),
                Step::Branches => self.branches(id, &mut pending),
                Step::Close => {
                    let value = self.close(id);
                    self.known.insert(id, value);
                }
            }
        }
        self.known[&expression]
    }

    fn parameter(&mut self, variable: VariableId) -> Option<f64> {
        if let Some(&value) = self.overrides.get(&variable) {
            return Some(value);
        }
        let declared = &self.model.variables[variable];
        if declared.fixed == Some(false) && declared.variability == Variability::Parameter {
            return None;
        }
        match declared.binding.or(declared.start) {
            Some(definition) => {
                self.open.insert(variable);
                let value = self.value(definition);
                self.open.remove(&variable);
                value
            }
            None if declared.ty == Type::String => None,
            None => Some(0.0),
        }
    }

    /// The definition of a parameter that is evaluated by an expression, if it has one that matters.
    fn definition(&self, variable: VariableId) -> Option<ExpressionId> {
        let declared = &self.model.variables[variable];
        let unknown = declared.fixed == Some(false) || self.overrides.contains_key(&variable);
        if unknown || !is_parameter(self.model, variable) { None } else { declared.binding.or(declared.start) }
    }

    fn open(&mut self, id: ExpressionId, pending: &mut Pending) {
        let expressions = &self.model.expressions;
        match expressions.node(id) {
            Node::If(condition, ..) => pending.extend([(id, Step::Branches), (condition, Step::Open)]),
            Node::Variable(variable, 0) => self.open_variable(id, variable, pending),
            _ => {
                pending.push((id, Step::Close));
                pending.extend(expressions.children(id).map(|child| (child, Step::Open)));
            }
        }
    }

    fn open_variable(&mut self, id: ExpressionId, variable: VariableId, pending: &mut Pending) {
        if !self.open.insert(variable) {
            self.report_cycle(variable, pending);
            self.known.insert(id, None);
            return;
        }
        pending.push((id, Step::Close));
        pending.extend(self.definition(variable).map(|definition| (definition, Step::Open)));
    }

    fn branches(&mut self, id: ExpressionId, pending: &mut Pending) {
        let Node::If(condition, a, b) = self.model.expressions.node(id) else {
            unreachable!("only if-expressions have branches")
        };
        pending.push((id, Step::Close));
        if let Some(decided) = self.known[&condition] {
            pending.push((if decided != 0.0 { a } else { b }, Step::Open));
        }
    }

    fn close(&mut self, id: ExpressionId) -> Option<f64> {
        let known = |operand: ExpressionId| self.known.get(&operand).copied().flatten();
        match self.model.expressions.node(id) {
            Node::Real(number) => Some(number.value()),
            Node::Integer(number) => Some(number as f64),
            Node::Boolean(value) => Some(truth(value)),
            Node::String(_) | Node::Time | Node::Mode(_) => None,
            Node::Variable(variable, 0) => {
                self.open.remove(&variable);
                self.value_of_variable(variable)
            }
            Node::Variable(..) => None,
            Node::Pre(a) => known(a),
            Node::Negate(a) => known(a).map(|a| -a),
            Node::Not(a) => known(a).map(|a| truth(a == 0.0)),
            Node::Arithmetic(operator, a, b) => Some(operator.value(known(a)?, known(b)?)),
            Node::Relation(operator, a, b) => Some(truth(operator.holds(known(a)?, known(b)?))),
            Node::And(a, b) => Some(truth(known(a)? != 0.0 && known(b)? != 0.0)),
            Node::Or(a, b) => Some(truth(known(a)? != 0.0 || known(b)? != 0.0)),
            Node::If(condition, a, b) => known(if known(condition)? != 0.0 { a } else { b }),
            Node::Call(builtin, arguments) => self.call(builtin, arguments),
            Node::Function(function, arguments) => self.function(id, function, arguments, 1),
            Node::Output(call, which) => match self.model.expressions.node(call) {
                Node::Function(function, arguments) => self.function(id, function, arguments, which),
                _ => unreachable!("only calls of functions have outputs"),
            },
        }
    }

    fn value_of_variable(&self, variable: VariableId) -> Option<f64> {
        if let Some(&value) = self.overrides.get(&variable) {
            return Some(value);
        }
        match self.definition(variable) {
            Some(definition) => self.known.get(&definition).copied().flatten(),
            None => {
                let declared = &self.model.variables[variable];
                let plain = is_parameter(self.model, variable) && declared.fixed != Some(false);
                (plain && declared.ty != Type::String).then_some(0.0)
            }
        }
    }

    fn arguments(&self, arguments: Arguments) -> Option<Vec<f64>> {
        let list = self.model.expressions.argument_list(arguments);
        list.iter().map(|argument| self.known.get(argument).copied().flatten()).collect()
    }

    fn call(&self, builtin: Builtin, arguments: Arguments) -> Option<f64> {
        match builtin {
            // These do not need all of their arguments.
            Builtin::Smooth => self.known[&self.model.expressions.argument_list(arguments)[1]],
            Builtin::Homotopy => self.known[&self.model.expressions.argument_list(arguments)[0]],
            _ => builtin.value(&self.arguments(arguments)?),
        }
    }

    fn function(
        &mut self,
        id: ExpressionId,
        function: modeshift_dae::FunctionId,
        arguments: Arguments,
        which: u32,
    ) -> Option<f64> {
        let inputs = self.arguments(arguments)?;
        let declared = &self.model.functions[function];
        let Some(native) = self.natives.get(&declared.name) else {
            let message = format!("function `{}` has no native implementation", declared.name);
            let text = ExpressionText { model: self.model, modes: None, expression: id };
            let problem = Diagnostic::error("E0372", message).label(declared.span, "declared here");
            self.problems.push(problem.with_note(format!("the value of `{text}` is needed")));
            return None;
        };
        let mut outputs = vec![f64::NAN; declared.outputs.len().max(which as usize)];
        native.evaluate(&inputs, &mut outputs);
        Some(outputs[which as usize - 1])
    }

    fn report_cycle(&mut self, variable: VariableId, pending: &Pending) {
        let name = |variable: VariableId| format!("`{}`", self.model.variables[variable].name);
        let open = pending.iter().filter(|(_, step)| *step == Step::Close);
        let mut chain: Vec<VariableId> = open
            .filter_map(|&(id, _)| match self.model.expressions.node(id) {
                Node::Variable(variable, 0) => Some(variable),
                _ => None,
            })
            .collect();
        // The root of the evaluation is open too, but is not an expression on the stack.
        if let Some(position) = chain.iter().position(|&other| other == variable) {
            chain.drain(..position);
        } else {
            chain.insert(0, variable);
        }
        let path: Vec<String> = chain.iter().chain([&variable]).map(|&variable| name(variable)).collect();
        let message = format!("the value of parameter {} depends on itself: {}", name(variable), path.join(" -> "));
        let mut problem = Diagnostic::error("E0371", message);
        for &parameter in &chain {
            problem = problem.label(self.model.variables[parameter].span, "part of the cycle");
        }
        self.problems.push(problem);
    }

    fn check(&mut self, variable: VariableId, value: Option<f64>) {
        let declared = &self.model.variables[variable];
        if value.is_some_and(f64::is_nan) {
            let text = declared
                .binding
                .or(declared.start)
                .map(|expression| ExpressionText { model: self.model, modes: None, expression }.to_string());
            let message = format!("parameter `{}` = {} is not a number", declared.name, text.unwrap_or_default());
            self.problems.push(Diagnostic::error("E0373", message).label(declared.span, "declared here"));
        }
    }

    fn warn_of_missing(&self, diagnostics: &mut Diagnostics) {
        for (variable, declared) in self.model.variables.iter_enumerated() {
            let given = declared.binding.is_some() || self.overrides.contains_key(&variable);
            if !given && self.of(variable).is_some() {
                let origin = if declared.start.is_some() { "its start value is used" } else { "0 is used" };
                let message = format!("parameter `{}` has no value; {origin}", declared.name);
                let warning = Diagnostic::warning("W0374", message).label(declared.span, "declared here");
                diagnostics.push(warning.help(format!("give it one: --set {}=…", declared.name)));
            }
        }
    }
}

fn is_parameter(model: &FlatModel, variable: VariableId) -> bool {
    model.variables[variable].variability <= Variability::Parameter
}

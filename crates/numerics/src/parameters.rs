//! Values of parameters and constants, each after those it depends on.
//!
//! A value comes from an override, else from the binding, else from `start`. Parameters with `fixed = false` are
//! unknowns of initialization: neither they nor what depends on them has a value here. Of an if-expression only the
//! branch taken is evaluated. The same serves for attributes such as `start`, `nominal` and `min`.

use std::collections::BTreeMap;
use std::convert::Infallible;

use modeshift_dae::{
    Arguments, Builtin, ExpressionId, ExpressionText, Expressions, FlatModel, Fold, Id, Implementation,
    LARGEST_INTEGER, Memo, Node, Operands, RelationOperator, Type, Variability, VariableId,
};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Stop};
use rustc_hash::FxHashSet;

use crate::native::NativeFunctions;
use crate::tape::{Input, truth};

/// The values of parameters and constants, and of expressions over them.
pub struct Parameters<'a> {
    model: &'a FlatModel,
    natives: &'a NativeFunctions,
    overrides: &'a BTreeMap<VariableId, f64>,
    /// By expression; `None` where it has no value before initialization.
    known: Memo<(), Option<f64>>,
    /// Parameters whose definitions are being evaluated, in the order in which they were asked for.
    open: Chain,
    values: Vec<Option<f64>>,
    problems: Vec<Diagnostic>,
}

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
            known: Memo::new(),
            open: Chain::default(),
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
        parameters.warn_of_limits(diagnostics);
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
        let mut known = std::mem::take(&mut self.known);
        let Ok(value) = self.fold(&mut known, expression, ());
        self.known = known;
        value
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
                self.open.enter(variable);
                let value = self.value(definition);
                self.open.leave(variable);
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

    fn value_of_variable(&self, variable: VariableId, known: &Memo<(), Option<f64>>) -> Option<f64> {
        if let Some(&value) = self.overrides.get(&variable) {
            return Some(value);
        }
        match self.definition(variable) {
            Some(definition) => known.get(definition, ()).flatten(),
            None => {
                let declared = &self.model.variables[variable];
                let plain = is_parameter(self.model, variable) && declared.fixed != Some(false);
                (plain && declared.ty != Type::String).then_some(0.0)
            }
        }
    }

    fn arguments(&self, arguments: Arguments, known: &Memo<(), Option<f64>>) -> Option<Vec<f64>> {
        let list = self.model.expressions.argument_list(arguments);
        list.iter().map(|&argument| known.get(argument, ()).flatten()).collect()
    }

    fn call(&self, builtin: Builtin, arguments: Arguments, known: &Memo<(), Option<f64>>) -> Option<f64> {
        match builtin {
            // These do not need all of their arguments.
            Builtin::Smooth => known[self.model.expressions.argument_list(arguments)[1]],
            Builtin::Homotopy => known[self.model.expressions.argument_list(arguments)[0]],
            _ => builtin.value(&self.arguments(arguments, known)?),
        }
    }

    fn function(
        &mut self,
        id: ExpressionId,
        function: modeshift_dae::FunctionId,
        inputs: Option<Vec<f64>>,
        which: u32,
    ) -> Option<f64> {
        let inputs = inputs?;
        let declared = &self.model.functions[function];
        let Some(native) = self.natives.of_function(self.model, function) else {
            let message = format!("function `{}` has no native implementation", declared.name);
            let text = ExpressionText { model: self.model, modes: None, expression: id };
            let mut problem = Diagnostic::error(Code::E0372, message).label(declared.span, "declared here");
            if let Implementation::Refused(reason, place) = &declared.implementation {
                problem = problem.label(*place, reason.to_string());
            }
            self.problems.push(problem.with_note(format!("the value of `{text}` is needed")));
            return None;
        };
        let known = declared.results.max(declared.outputs.len() as u32);
        let mut outputs = vec![f64::NAN; known.max(which) as usize];
        native.evaluate(&inputs, &mut outputs);
        if let Some(fault) = native.fault(&inputs) {
            let text = ExpressionText { model: self.model, modes: None, expression: id };
            let message = format!("function `{}` has no value at `{text}`: {fault}", declared.name);
            self.problems.push(Diagnostic::error(Code::E0375, message).label(declared.span, "declared here"));
            return None;
        }
        Some(outputs[which as usize - 1])
    }

    fn report_cycle(&mut self, variable: VariableId) {
        let name = |variable: VariableId| format!("`{}`", self.model.variables[variable].name);
        let chain = self.open.since(variable);
        let path: Vec<String> = chain.iter().chain([&variable]).map(|&variable| name(variable)).collect();
        let message = format!("the value of parameter {} depends on itself: {}", name(variable), path.join(" -> "));
        let mut problem = Diagnostic::error(Code::E0371, message);
        for &parameter in chain {
            problem = problem.label(self.model.variables[parameter].span, "part of the cycle");
        }
        let problem = problem.help("give one of them a value that does not depend on the others");
        self.problems.push(problem);
    }

    fn check(&mut self, variable: VariableId, value: Option<f64>) {
        let declared = &self.model.variables[variable];
        let Some((what, help)) = value.and_then(|value| no_value(declared.ty, value)) else { return };
        let text = declared
            .binding
            .or(declared.start)
            .map(|expression| ExpressionText { model: self.model, modes: None, expression }.to_string());
        let message = format!("parameter `{}` = {} is {what}", declared.name, text.unwrap_or_default());
        self.problems.push(Diagnostic::error(Code::E0373, message).label(declared.span, "declared here").help(help));
    }

    /// Values outside of what the declaration allows.
    fn warn_of_limits(&mut self, diagnostics: &mut Diagnostics) {
        for (variable, declared) in self.model.variables.iter_enumerated() {
            let Some(value) = self.of(variable).filter(|_| declared.ty != Type::Boolean) else { continue };
            let least = declared.min.and_then(|min| self.value(min)).filter(|&least| value < least);
            let most = declared.max.and_then(|max| self.value(max)).filter(|&most| value > most);
            let (limit, side, name) = match (least, most) {
                (Some(least), _) => (least, "below", "min"),
                (None, Some(most)) => (most, "above", "max"),
                (None, None) => continue,
            };
            let message = format!("parameter `{}` = {value} is {side} its `{name}`, {limit}", declared.name);
            let warning = Diagnostic::warning(Code::W0378, message).label(declared.span, "declared here");
            diagnostics.push(warning.help(format!("another value, or another `{name}` where this one is meant")));
        }
    }

    fn warn_of_missing(&self, diagnostics: &mut Diagnostics) {
        for (variable, declared) in self.model.variables.iter_enumerated() {
            let given = declared.binding.is_some() || self.overrides.contains_key(&variable);
            if !given && self.of(variable).is_some() {
                let origin = if declared.start.is_some() { "its start value is used" } else { "0 is used" };
                let message = format!("parameter `{}` has no value; {origin}", declared.name);
                let warning = Diagnostic::warning(Code::W0374, message).label(declared.span, "declared here");
                diagnostics.push(warning.help(format!("give it one: --set {}=…", declared.name)));
            }
        }
    }
}

/// Why a value cannot be that of a parameter, and what to do.
fn no_value(ty: Type, value: f64) -> Option<(&'static str, &'static str)> {
    let operands = "look at what it divides by, or takes roots and logarithms of";
    match value {
        value if value.is_nan() => Some(("not a number", operands)),
        value if value.is_infinite() => Some(("infinite", operands)),
        value if ty == Type::Integer && value.abs() > LARGEST_INTEGER => {
            Some(("an Integer of more than 53 bits", "declare it as Real, or make it smaller"))
        }
        _ => None,
    }
}

/// A variable is folded through its definition, the only place where an expression could contain itself.
impl Fold for Parameters<'_> {
    type Context = ();
    type Value = Option<f64>;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        &self.model.expressions
    }

    fn open(&mut self, id: ExpressionId, (): (), operands: &mut Operands<()>) -> Option<Option<f64>> {
        let Node::Variable(variable, 0) = self.model.expressions.node(id) else {
            self.open_all(id, (), operands);
            return None;
        };
        if !self.open.enter(variable) {
            self.report_cycle(variable);
            return Some(None);
        }
        operands.extend(self.definition(variable), ());
        None
    }

    fn branches(
        &mut self,
        [condition, a, b]: [ExpressionId; 3],
        (): (),
        known: &Memo<(), Option<f64>>,
        operands: &mut Operands<()>,
    ) {
        operands.extend(known[condition].map(|decided| if decided != 0.0 { a } else { b }), ());
    }

    fn close(&mut self, id: ExpressionId, (): (), known: &Memo<(), Option<f64>>) -> Result<Option<f64>, Infallible> {
        Ok(self.close_node(id, known))
    }
}

impl Parameters<'_> {
    fn close_node(&mut self, id: ExpressionId, known: &Memo<(), Option<f64>>) -> Option<f64> {
        let of = |operand: ExpressionId| known.get(operand, ()).flatten();
        match self.model.expressions.node(id) {
            Node::Real(number) => Some(number.value()),
            Node::Integer(number) => Some(number as f64),
            Node::Boolean(value) => Some(truth(value)),
            Node::String(_) | Node::Time | Node::Mode(_) => None,
            Node::Variable(variable, 0) => {
                self.open.leave(variable);
                self.value_of_variable(variable, known)
            }
            Node::Variable(..) => None,
            Node::Pre(a) => of(a),
            Node::Negate(a) => of(a).map(|a| -a),
            Node::Not(a) => of(a).map(|a| truth(a == 0.0)),
            Node::Arithmetic(operator, a, b) => Some(operator.value(of(a)?, of(b)?)),
            Node::Relation(operator, a, b) if self.is_text(a) || self.is_text(b) => {
                self.text_relation(id, operator, a, b)
            }
            Node::Relation(operator, a, b) => Some(truth(operator.holds(of(a)?, of(b)?))),
            Node::And(a, b) => Some(truth(of(a)? != 0.0 && of(b)? != 0.0)),
            Node::Or(a, b) => Some(truth(of(a)? != 0.0 || of(b)? != 0.0)),
            Node::If(condition, a, b) => of(if of(condition)? != 0.0 { a } else { b }),
            Node::Call(builtin, arguments) => self.call(builtin, arguments, known),
            Node::Function(function, arguments) => self.function(id, function, self.arguments(arguments, known), 1),
            Node::Output(call, which) => match self.model.expressions.node(call) {
                Node::Function(function, arguments) => {
                    self.function(id, function, self.arguments(arguments, known), which)
                }
                _ => unreachable!("only calls of functions have outputs"),
            },
        }
    }
}

impl Parameters<'_> {
    fn is_text(&self, id: ExpressionId) -> bool {
        match self.model.expressions.node(id) {
            Node::String(_) => true,
            Node::Variable(variable, _) => self.model.variables[variable].ty == Type::String,
            _ => false,
        }
    }

    /// The text of a String literal, or of a parameter that is one.
    fn text(&self, id: ExpressionId) -> Option<&str> {
        let mut id = id;
        // Parameters that are defined by each other in a circle are reported elsewhere.
        for _ in 0..=self.model.variables.len() {
            match self.model.expressions.node(id) {
                Node::String(text) => return Some(self.model.expressions.text(text)),
                Node::Variable(variable, 0) => id = self.definition(variable)?,
                _ => return None,
            }
        }
        None
    }

    /// A relation between Strings. One that is not known decides nothing: the value is refused.
    fn text_relation(
        &mut self,
        id: ExpressionId,
        operator: RelationOperator,
        a: ExpressionId,
        b: ExpressionId,
    ) -> Option<f64> {
        if let (Some(a), Some(b)) = (self.text(a), self.text(b)) {
            return Some(truth(operator.holds(a.cmp(b) as i8 as f64, 0.0)));
        }
        let unknown = if self.text(a).is_none() { a } else { b };
        let text = |expression| ExpressionText { model: self.model, modes: None, expression };
        let message = format!("the String `{}` is not known, but it decides `{}`", text(unknown), text(id));
        let mut problem = Diagnostic::error(Code::E0377, message);
        if let Node::Variable(variable, _) = self.model.expressions.node(unknown) {
            problem = problem.label(self.model.variables[variable].span, "declared here");
        }
        self.problems.push(problem.help("give it a text that is known at translation"));
        None
    }
}

/// Parameters that wait for each other, in the order in which they were asked for.
#[derive(Default)]
struct Chain {
    order: Vec<VariableId>,
    members: FxHashSet<VariableId>,
}

impl Chain {
    /// Whether it was not waiting already.
    fn enter(&mut self, variable: VariableId) -> bool {
        let is_new = self.members.insert(variable);
        self.order.extend(is_new.then_some(variable));
        is_new
    }

    /// It has its value, and nothing that was asked for since then is still waiting.
    fn leave(&mut self, variable: VariableId) {
        while self.members.contains(&variable) {
            let last = self.order.pop().expect("members are in the order");
            self.members.remove(&last);
        }
    }

    /// Those that wait for a variable, beginning with itself.
    fn since(&self, variable: VariableId) -> &[VariableId] {
        let position = self.order.iter().position(|&other| other == variable);
        &self.order[position.unwrap_or(self.order.len())..]
    }
}

fn is_parameter(model: &FlatModel, variable: VariableId) -> bool {
    model.variables[variable].variability <= Variability::Parameter
}

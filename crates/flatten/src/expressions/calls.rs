//! Calls: the operators and functions that Modelica defines (3.6, 3.7), and what is passed on to other functions.

use modeshift_dae::{Builtin, ExpressionId, Node, RelationOperator, Type, Variability};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{BinaryOperator, Expression, Ident, Reference};

use crate::expressions::context::{Context, Purpose};
use crate::expressions::evaluate::describe;
use crate::failure::{Failure, Outcome, dynamic, unsupported, wrong};
use crate::flattener::Flattener;

use crate::classes::lookup::{CLOCKS, ClassReference};
use crate::expressions::operators::{is_number, overflow};
use crate::expressions::term::{Term, type_text};
use crate::instances::scopes::Found;

impl Flattener<'_> {
    /// `function(arguments, name = value)`
    pub(crate) fn call(
        &mut self,
        function: &Reference,
        arguments: &[Expression],
        named: &[(Ident, Expression)],
        span: Span,
        context: &mut Context,
    ) -> Outcome<Term> {
        if let [only] = function.parts.as_slice()
            && !self.is_redefined(function, context)?
            && let Some(result) = self.predefined_call(&only.name.name.clone(), arguments, named, span, context)
        {
            return result;
        }
        self.user_call(function, arguments, named, span, context)
    }

    /// Whether the user has a function of the name of a predefined one; operators such as `der` cannot be redefined.
    fn is_redefined(&mut self, function: &Reference, context: &Context) -> Outcome<bool> {
        let name = &function.parts[0].name.name;
        if function.global || is_event_operator(name) {
            return Ok(false);
        }
        let found = self.find(name, context.scope)?;
        Ok(matches!(found, Some(Found::Class(ClassReference::Class { .. }))))
    }

    /// The result of a predefined function, or `None` where the name is not one.
    fn predefined_call(
        &mut self,
        name: &str,
        arguments: &[Expression],
        named: &[(Ident, Expression)],
        span: Span,
        context: &mut Context,
    ) -> Option<Outcome<Term>> {
        if is_event_operator(name) {
            return Some(self.event_operator(name, arguments, named, span, context));
        }
        if crate::expressions::array_functions::is_array_function(name) {
            let terms = match name {
                "size" | "ndims" => self.shapes(arguments, context),
                _ => self.terms(arguments, context),
            };
            return Some(terms.and_then(|terms| self.array_function(name, &terms, arguments, span, context)));
        }
        if matches!(name, "activeState" | "timeInState" | "ticksInState") {
            return Some(self.state_operator(name, arguments, named, span, context));
        }
        if name == "String" {
            return Some(self.string_of(arguments, named, span, context));
        }
        if let ("cardinality", [connector]) = (name, arguments) {
            return Some(self.cardinality(connector, context));
        }
        if name == "getInstanceName" {
            return Some(Ok(self.instance_name_term(context)));
        }
        if matches!(name, "inStream" | "actualStream" | "spatialDistribution") {
            return Some(unsupported(format!("`{name}`"), span));
        }
        let builtin = Builtin::by_name(name)?;
        Some(self.terms(arguments, context).and_then(|terms| {
            if !named.is_empty() {
                return wrong(Code::E0307, format!("`{name}` takes no named arguments"), span);
            }
            self.builtin(builtin, &terms, span, context.purpose)
        }))
    }

    /// `getInstanceName()`: the model and the way to the component in it.
    fn instance_name_term(&mut self, context: &Context) -> Term {
        let model = self.model.name.rsplit('.').next().unwrap_or_default().to_string();
        let inside = context.scope.instance.map(|instance| self.instances.instance_name(instance).to_string());
        let name = match inside.filter(|inside| !inside.is_empty()) {
            Some(inside) => format!("{model}.{inside}"),
            None => model,
        };
        Term::Scalar(Type::String, self.model.expressions.string(&name))
    }

    /// The arguments as far as only their shapes matter.
    fn shapes(&mut self, arguments: &[Expression], context: &mut Context) -> Outcome<Vec<Term>> {
        let purpose = std::mem::replace(&mut context.purpose, Purpose::Shape);
        let terms = self.terms(arguments, context);
        context.purpose = purpose;
        terms
    }

    /// The terms of all arguments.
    pub(crate) fn terms(&mut self, arguments: &[Expression], context: &mut Context) -> Outcome<Vec<Term>> {
        arguments.iter().map(|argument| self.term(argument, context)).collect()
    }

    /// A function of numbers, applied element by element where an argument is an array.
    pub(crate) fn builtin(
        &mut self,
        builtin: Builtin,
        arguments: &[Term],
        span: Span,
        purpose: Purpose,
    ) -> Outcome<Term> {
        if arguments.len() != builtin.arity() {
            let message = format!("`{}` takes {} arguments, not {}", builtin.name(), builtin.arity(), arguments.len());
            return wrong(Code::E0307, message, span);
        }
        if let Some(array) = arguments.iter().find(|argument| !argument.dims().is_empty()) {
            let dims = array.dims().to_vec();
            let mut items = Vec::new();
            for at in 0..array.items().len() {
                let mut scalars = Vec::new();
                for argument in arguments {
                    match argument.dims() {
                        [] => scalars.push(argument.clone()),
                        own if own == dims => scalars.push(argument.items()[at].clone()),
                        _ => return wrong(Code::E0304, "the arguments of this call differ in size", span),
                    }
                }
                items.push(self.builtin(builtin, &scalars, span, purpose)?);
            }
            let ty = items.first().and_then(Term::scalar_type).unwrap_or(Type::Real);
            return Ok(Term::array(ty, dims, items));
        }
        self.scalar_builtin(builtin, arguments, span, purpose)
    }

    fn scalar_builtin(&mut self, builtin: Builtin, arguments: &[Term], span: Span, purpose: Purpose) -> Outcome<Term> {
        let mut ids = Vec::with_capacity(arguments.len());
        let mut integers = true;
        for argument in arguments {
            match *argument {
                Term::Scalar(Type::Enumeration(_), id) if builtin == Builtin::Ordinal => ids.push(id),
                Term::Scalar(Type::Boolean, id) if builtin == Builtin::Ordinal => ids.push(id),
                Term::Scalar(ty, id) if is_number(ty) => {
                    integers &= ty == Type::Integer;
                    ids.push(id);
                }
                _ => {
                    let message = format!("`{}` needs numbers, but this is {}", builtin.name(), describe(argument));
                    return wrong(Code::E0303, message, span);
                }
            }
        }
        let ty = result_type(builtin, integers);
        if ty == Type::Integer {
            let values: Option<Vec<i64>> = ids.iter().map(|&id| self.whole_literal(id)).collect();
            let value = values.map(|values| integer_value(builtin, &values));
            match value {
                Some(Whole::Value(value)) => return Ok(Term::Scalar(ty, self.model.expressions.integer(value))),
                Some(Whole::Overflow) => return overflow(span),
                Some(Whole::Other) | None => {}
            }
            if builtin == Builtin::Integer
                && let Some(value) = self.model.expressions.literal(ids[0])
                && value.floor().abs() > LARGEST_EXACT_INTEGER
            {
                return overflow(span);
            }
        }
        if let Some(folded) = self.folded(builtin, &ids, ty, purpose) {
            return Ok(Term::Scalar(ty, folded));
        }
        Ok(Term::Scalar(ty, self.model.expressions.call(builtin, &ids)))
    }

    fn whole_literal(&self, id: ExpressionId) -> Option<i64> {
        match self.model.expressions.node(id) {
            Node::Integer(value) => Some(value),
            _ => None,
        }
    }

    /// The value for literal arguments. Elementary functions stay as they were written in flat equations.
    fn folded(&mut self, builtin: Builtin, ids: &[ExpressionId], ty: Type, purpose: Purpose) -> Option<ExpressionId> {
        let is_elementary = result_type(builtin, true) == Type::Real && builtin != Builtin::Sign;
        if builtin == Builtin::Ordinal && matches!(self.model.expressions.node(ids[0]), Node::Integer(_)) {
            return Some(ids[0]);
        }
        if purpose == Purpose::Symbolic && is_elementary {
            return None;
        }
        let values: Vec<f64> = ids.iter().map(|&id| self.model.expressions.literal(id)).collect::<Option<_>>()?;
        let value = builtin.value(&values).filter(|value| value.is_finite())?;
        match ty {
            Type::Integer if value.fract() == 0.0 && value.abs() < 9e15 => {
                Some(self.model.expressions.integer(value as i64))
            }
            Type::Integer => None,
            _ => Some(self.model.expressions.real(value)),
        }
    }

    fn event_operator(
        &mut self,
        name: &str,
        arguments: &[Expression],
        named: &[(Ident, Expression)],
        span: Span,
        context: &mut Context,
    ) -> Outcome<Term> {
        if !named.is_empty() && name != "homotopy" {
            return wrong(Code::E0307, format!("`{name}` takes no named arguments"), span);
        }
        let count = |allowed: &[usize]| match allowed.contains(&arguments.len()) {
            true => Ok(()),
            false => wrong(Code::E0307, format!("`{name}` does not take {} arguments", arguments.len()), span),
        };
        match name {
            "initial" | "terminal" => {
                count(&[0])?;
                if context.purpose == Purpose::Evaluate {
                    return dynamic(format!("`{name}()` is not known at translation"), span);
                }
                let builtin = if name == "initial" { Builtin::Initial } else { Builtin::Terminal };
                Ok(Term::Scalar(Type::Boolean, self.model.expressions.call(builtin, &[])))
            }
            "homotopy" => self.homotopy(arguments, named, span, context),
            "der" => {
                count(&[1])?;
                let operand = self.term(&arguments[0], context)?;
                operand.map(|item| self.derivative(item, span))
            }
            "pre" | "last" => {
                count(&[1])?;
                let operand = self.term(&arguments[0], &mut context.of_variables())?;
                operand.map(|item| match *item {
                    Term::Scalar(ty, id) => Ok(Term::Scalar(ty, self.model.expressions.pre(id))),
                    _ => unsupported(format!("`{name}` of {}", describe(item)), span),
                })
            }
            "edge" | "change" => {
                count(&[1])?;
                let operand = self.term(&arguments[0], context)?;
                let variable = self.term(&arguments[0], &mut context.of_variables())?;
                let builtin = if name == "edge" { Builtin::Edge } else { Builtin::Change };
                let mut variables = variable.items().iter();
                operand.map(|item| match (item, variables.next()) {
                    (&Term::Scalar(ty, now), Some(&Term::Scalar(_, id))) if name == "change" || ty == Type::Boolean => {
                        Ok(Term::Scalar(Type::Boolean, self.flank(builtin, now, id)))
                    }
                    _ => wrong(Code::E0303, format!("`edge` needs a Boolean, but this is {}", describe(item)), span),
                })
            }
            "noEvent" => {
                count(&[1])?;
                let operand = self.term(&arguments[0], context)?;
                operand.map(|item| Ok(self.no_event(item)))
            }
            "smooth" => {
                count(&[2])?;
                let order = self.evaluate(&arguments[0], context)?;
                let operand = self.term(&arguments[1], context)?;
                let Term::Scalar(_, order) = order else {
                    return wrong(Code::E0303, "the order of `smooth` is an Integer", span);
                };
                // What has a continuous derivative needs no events where its branches meet (Modelica 3.6, 3.7.3.2).
                let is_smooth = self.model.expressions.literal(order).is_some_and(|order| order >= 1.0);
                let operand = operand.map(|item| match *item {
                    Term::Scalar(_, id) if is_smooth && self.has_relation(id) => Outcome::Ok(self.no_event(item)),
                    _ => Ok(item.clone()),
                })?;
                operand.map(|item| match *item {
                    Term::Scalar(ty, id) if self.literal_node(id) => Ok(Term::Scalar(ty, id)),
                    Term::Scalar(ty, id) => {
                        Ok(Term::Scalar(ty, self.model.expressions.call(Builtin::Smooth, &[order, id])))
                    }
                    _ => unsupported(format!("`smooth` of {}", describe(item)), span),
                })
            }
            "semiLinear" => {
                count(&[3])?;
                self.semi_linear(arguments, span, context)
            }
            // With one argument, or a clock for the second, it is the operator of clocks.
            "sample" if arguments.len() == 1 => unsupported(format!("{CLOCKS} (`sample` of one argument)"), span),
            "sample" => {
                count(&[2])?;
                let term = self.numbers_call(Builtin::Sample, Type::Boolean, arguments, span, context)?;
                self.check_fixed_arguments(&term, &[0, 1], arguments)?;
                Ok(term)
            }
            _ => {
                count(&[2, 3])?;
                let builtin = if arguments.len() == 2 { Builtin::Delay } else { Builtin::DelayMax };
                let term = self.numbers_call(builtin, Type::Real, arguments, span, context)?;
                self.check_fixed_arguments(&term, &[arguments.len() - 1], arguments)?;
                self.check_delay(&term, span)?;
                Ok(term)
            }
        }
    }

    /// `edge` or `change` of a variable that is `now`, which is what an algorithm has assigned to it so far.
    fn flank(&mut self, builtin: Builtin, now: ExpressionId, variable: ExpressionId) -> ExpressionId {
        let expressions = &mut self.model.expressions;
        if now == variable {
            return expressions.call(builtin, &[variable]);
        }
        let before = expressions.pre(variable);
        if builtin == Builtin::Change {
            return expressions.relation(RelationOperator::NotEqual, now, before);
        }
        let not_before = expressions.not(before);
        expressions.and(now, not_before)
    }

    fn numbers_call(
        &mut self,
        builtin: Builtin,
        ty: Type,
        arguments: &[Expression],
        span: Span,
        context: &mut Context,
    ) -> Outcome<Term> {
        if context.purpose == Purpose::Evaluate {
            return dynamic(format!("`{}` is not known at translation", builtin.name().trim()), span);
        }
        let mut ids = Vec::new();
        for argument in arguments {
            match self.term(argument, context)? {
                Term::Scalar(ty, id) if is_number(ty) => ids.push(id),
                other => {
                    return wrong(
                        Code::E0303,
                        format!("a number is needed, but this is {}", describe(&other)),
                        argument.span,
                    );
                }
            }
        }
        Ok(Term::Scalar(ty, self.model.expressions.call(builtin, &ids)))
    }

    fn has_relation(&self, id: ExpressionId) -> bool {
        self.model.expressions.contains(id, |node| matches!(node, Node::Relation(..)))
    }

    /// `noEvent(e)`, unless there is nothing in it that could make an event.
    pub(crate) fn no_event(&mut self, item: &Term) -> Term {
        match *item {
            Term::Scalar(ty, id) if !self.literal_node(id) => {
                Term::Scalar(ty, self.model.expressions.call(Builtin::NoEvent, &[id]))
            }
            _ => item.clone(),
        }
    }

    fn homotopy(
        &mut self,
        arguments: &[Expression],
        named: &[(Ident, Expression)],
        span: Span,
        context: &mut Context,
    ) -> Outcome<Term> {
        let by_name = |name: &str| named.iter().find(|(ident, _)| &*ident.name == name).map(|(_, value)| value);
        let (Some(actual), Some(simplified)) =
            (arguments.first().or(by_name("actual")), arguments.get(1).or(by_name("simplified")))
        else {
            return wrong(Code::E0307, "`homotopy` takes `actual` and `simplified`", span);
        };
        let actual = self.term(actual, context)?;
        let simplified = self.term(simplified, context)?;
        if context.purpose == Purpose::Evaluate {
            return Ok(actual);
        }
        match (&actual, &simplified) {
            (&Term::Scalar(Type::Real | Type::Integer, a), &Term::Scalar(Type::Real | Type::Integer, b)) => {
                Ok(Term::Scalar(Type::Real, self.model.expressions.call(Builtin::Homotopy, &[a, b])))
            }
            _ => unsupported(format!("`homotopy` of {}", describe(&actual)), span),
        }
    }

    /// `smooth(0, if x >= 0 then positive*x else negative*x)`
    fn semi_linear(&mut self, arguments: &[Expression], span: Span, context: &mut Context) -> Outcome<Term> {
        let terms = self.terms(arguments, context)?;
        let zero = Term::Scalar(Type::Integer, self.model.expressions.integer(0));
        let condition = self.operators().scalar_binary(BinaryOperator::GreaterEqual, &terms[0], &zero, span)?;
        let positive = self.operators().scalar_binary(BinaryOperator::Multiply, &terms[1], &terms[0], span)?;
        let negative = self.operators().scalar_binary(BinaryOperator::Multiply, &terms[2], &terms[0], span)?;
        let (Term::Scalar(_, condition), Term::Scalar(_, zero)) = (condition, zero) else {
            return Err(Failure::Reported);
        };
        let Term::Scalar(_, choice) = self.if_term(condition, &positive, &negative)? else {
            return Err(Failure::Reported);
        };
        Ok(Term::Scalar(Type::Real, self.model.expressions.call(Builtin::Smooth, &[zero, choice])))
    }

    /// `der(e)`: of a variable its derivative; of an expression by the rules of differentiation.
    pub(crate) fn derivative(&mut self, item: &Term, span: Span) -> Outcome<Term> {
        let id = match *item {
            Term::Scalar(Type::Real, id) => id,
            Term::Scalar(Type::Integer, id) if self.literal_node(id) => id,
            Term::Scalar(ty, _) => {
                return wrong(Code::E0303, format!("`der` needs a Real, but this is {}", type_text(ty)), span);
            }
            _ => return unsupported(format!("`der` of {}", describe(item)), span),
        };
        let derived = match self.model.expressions.node(id) {
            Node::Variable(variable, order) => match self.model.variables[variable].variability {
                Variability::Constant | Variability::Parameter => self.model.expressions.real(0.0),
                Variability::Discrete => {
                    let declared = &self.model.variables[variable];
                    let message = format!(
                        "`{}` is discrete: it keeps its value between events and has no derivative",
                        declared.name
                    );
                    return Err(Diagnostic::error(Code::E0308, message)
                        .label(span, "differentiated here")
                        .label(declared.span, "declared here")
                        .help("remove `discrete` and give it a differential equation, or differentiate something else")
                        .into());
                }
                _ => self.model.expressions.variable(variable, order + 1),
            },
            _ => match modeshift_dae::differentiate(&mut self.model, id) {
                Ok(derived) => derived,
                Err(reason) => return wrong(Code::E0308, reason.message(&self.model), span),
            },
        };
        Ok(Term::Scalar(Type::Real, derived))
    }

    fn string_of(
        &mut self,
        arguments: &[Expression],
        named: &[(Ident, Expression)],
        span: Span,
        context: &mut Context,
    ) -> Outcome<Term> {
        let Some(argument) = arguments.first() else { return wrong(Code::E0307, "`String` needs an argument", span) };
        for (_, value) in named {
            self.term(value, context)?;
        }
        let Term::Scalar(ty, id) = self.term(argument, context)? else {
            return unsupported("`String` of an array or record", span);
        };
        let expressions = &mut self.model.expressions;
        let text = match (ty, expressions.node(id)) {
            (Type::Enumeration(enumeration), Node::Integer(ordinal)) => {
                let literals = &self.classes.enumerations.all[enumeration].literals;
                literals.get(ordinal as usize - 1).map(|literal| literal.to_string())
            }
            (_, Node::Integer(value)) => Some(value.to_string()),
            (_, Node::Real(number)) => Some(number.value().to_string()),
            (_, Node::Boolean(value)) => Some(value.to_string()),
            (_, Node::String(_)) => return Ok(Term::Scalar(Type::String, id)),
            _ => None,
        };
        Ok(Term::Scalar(
            Type::String,
            match text {
                Some(text) => self.model.expressions.string(&text),
                None => self.model.expressions.call(Builtin::StringOf, &[id]),
            },
        ))
    }
}

fn is_event_operator(name: &str) -> bool {
    matches!(
        name,
        "der"
            | "pre"
            | "last"
            | "edge"
            | "change"
            | "noEvent"
            | "smooth"
            | "homotopy"
            | "semiLinear"
            | "initial"
            | "terminal"
            | "sample"
            | "delay"
    )
}

fn result_type(builtin: Builtin, integers: bool) -> Type {
    use Builtin::*;
    match builtin {
        Integer | Ordinal | Sign => Type::Integer,
        Abs | Min | Max | Div | Mod | Rem if integers => Type::Integer,
        Abs | Min | Max | Div | Mod | Rem | Floor | Ceil => Type::Real,
        Sin | Cos | Tan | Asin | Acos | Atan | Atan2 | Sinh | Cosh | Tanh | Exp | Log | Log10 | Sqrt => Type::Real,
        // These have calls of their own, which give them the types of their arguments.
        NoEvent | Smooth | Homotopy | Initial | Terminal | Sample | Edge | Change | Delay | DelayMax | StringOf => {
            Type::Real
        }
    }
}

/// Reals at or beyond 2^63 are no Integers of 64 bits.
const LARGEST_EXACT_INTEGER: f64 = 9_223_372_036_854_774_784.0;

/// What a function of Integers gives.
enum Whole {
    Value(i64),
    Overflow,
    /// Not computed with whole numbers.
    Other,
}

/// The value at Integers, computed as such: doubles lose digits from 2^53 on.
fn integer_value(builtin: Builtin, values: &[i64]) -> Whole {
    let result = match (builtin, values) {
        (Builtin::Abs, &[a]) => a.checked_abs(),
        (Builtin::Min, &[a, b]) => Some(a.min(b)),
        (Builtin::Max, &[a, b]) => Some(a.max(b)),
        (Builtin::Div | Builtin::Mod | Builtin::Rem, &[_, 0]) => return Whole::Other,
        (Builtin::Div, &[a, b]) => a.checked_div(b),
        // What is left of a division by -1 is 0, even where the quotient does not fit.
        (Builtin::Rem, &[a, b]) => Some(a.wrapping_rem(b)),
        (Builtin::Mod, &[a, b]) => {
            let rest = a.wrapping_rem(b);
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }
        _ => return Whole::Other,
    };
    result.map_or(Whole::Overflow, Whole::Value)
}

//! MEL expressions as expressions of the flat model. Recursive: the parser limits their depth.

use modeshift_dae::{
    ArithmeticOperator, Builtin, ExpressionId, Function, FunctionId, Implementation, Node, RelationOperator, Type,
};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{BinaryOperator, Expression, ExpressionKind, Reference, UnaryOperator};

use super::Builder;

/// So many undeclared elements of one array are shown; each is compared with all variables.
const MOST_OF_AN_ARRAY: usize = 8;

impl Builder<'_> {
    /// An expression that must be a number.
    pub(super) fn real_expression(&mut self, expression: &Expression) -> ExpressionId {
        let id = self.expression(expression);
        if self.is_boolean(id) {
            self.error(
                Diagnostic::error(Code::E0383, "an equation of MEL is between real expressions")
                    .label(expression.span, "this is a boolean")
                    .help("define a boolean where it is declared: `b : boolean = …`"),
            );
        }
        id
    }

    /// Any expression; where it is wrong, that is said and a zero stands in its place.
    pub(super) fn expression(&mut self, expression: &Expression) -> ExpressionId {
        match &expression.kind {
            ExpressionKind::Real(value) => self.model.expressions.real(*value),
            ExpressionKind::Integer(value) => self.model.expressions.integer(*value),
            ExpressionKind::Boolean(value) => self.model.expressions.boolean(*value),
            ExpressionKind::Reference(reference) => self.reference(reference),
            ExpressionKind::Unary(operator, a) => self.unary(*operator, a),
            ExpressionKind::Binary(operator, a, b) => self.binary(*operator, a, b),
            ExpressionKind::If { branches, otherwise } => self.choice(branches, otherwise),
            ExpressionKind::Call { function, arguments, named } => {
                if let Some((name, _)) = named.first() {
                    self.error(
                        Diagnostic::error(Code::E0384, "MEL has no named arguments").label(name.span, "named here"),
                    );
                }
                self.call(function, arguments, expression.span)
            }
            ExpressionKind::Error => {
                self.failed = true;
                self.zero()
            }
            _ => {
                self.error(
                    Diagnostic::error(Code::E0384, "this kind of expression does not exist in MEL")
                        .label(expression.span, "not understood"),
                );
                self.zero()
            }
        }
    }

    /// `if … then … elseif … else …`; what a condition over loop indices excludes is not looked at, so that
    /// `if i > 1 then x[i - 1] else 0` needs no `x[0]`.
    fn choice(&mut self, branches: &[(Expression, Expression)], otherwise: &Expression) -> ExpressionId {
        let decided = branches.iter().position(|(condition, _)| self.constant_condition(condition) == Some(true));
        let (possible, last) = match decided {
            Some(position) => (&branches[..position], &branches[position].1),
            None => (branches, otherwise),
        };
        let mut value = self.expression(last);
        for (condition, then) in possible.iter().rev() {
            if self.constant_condition(condition).is_none() {
                let (condition, then) = (self.expression(condition), self.expression(then));
                value = self.model.expressions.if_then_else(condition, then, value);
            }
        }
        value
    }

    fn zero(&mut self) -> ExpressionId {
        self.model.expressions.integer(0)
    }

    fn reference(&mut self, reference: &Reference) -> ExpressionId {
        if let [part] = reference.parts.as_slice()
            && part.subscripts.is_empty()
            && let Some(value) = self.loop_index(&part.name.name)
        {
            return self.model.expressions.integer(value);
        }
        if let Some(argument) = self.argument(reference) {
            return argument;
        }
        let Some(name) = self.name_text(reference) else { return self.zero() };
        match self.variable(&name) {
            Some(variable) => self.model.expressions.add(Node::Variable(variable, 0)),
            None if &*name == "time" => self.model.expressions.time(),
            None => {
                let array = name.split('[').next().unwrap_or(&name);
                let count = self.undeclared.entry(array.into()).or_default();
                *count += 1;
                // A loop may use a million of them.
                match *count <= MOST_OF_AN_ARRAY {
                    true => self.error(self.unknown(&name, reference.span)),
                    false => self.failed = true,
                }
                self.zero()
            }
        }
    }

    /// An unknown name, with another element of the same array where there is one.
    fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        let diagnostic = Diagnostic::error(Code::E0280, format!("`{name}` is not declared")).label(span, "used here");
        let array = name.split('[').next().unwrap_or(name);
        match self.model.variables.iter().find(|variable| variable.name.split('[').next() == Some(array)) {
            Some(similar) => diagnostic
                .label(similar.span, format!("`{}` is declared here", similar.name))
                .help("declare every element that is used, the first and the last too"),
            None => diagnostic.help(format!("declare it: `{name} : real;`")),
        }
    }

    fn unary(&mut self, operator: UnaryOperator, a: &Expression) -> ExpressionId {
        let a = self.expression(a);
        match operator {
            UnaryOperator::Minus | UnaryOperator::ElementwiseMinus => self.model.expressions.negate(a),
            UnaryOperator::Plus | UnaryOperator::ElementwisePlus => a,
            UnaryOperator::Not => self.model.expressions.not(a),
        }
    }

    fn binary(&mut self, operator: BinaryOperator, a: &Expression, b: &Expression) -> ExpressionId {
        use BinaryOperator::*;
        let (a, b) = (self.expression(a), self.expression(b));
        let expressions = &mut self.model.expressions;
        match operator {
            Add | ElementwiseAdd => expressions.arithmetic(ArithmeticOperator::Add, a, b),
            Subtract | ElementwiseSubtract => expressions.arithmetic(ArithmeticOperator::Subtract, a, b),
            Multiply | ElementwiseMultiply => expressions.arithmetic(ArithmeticOperator::Multiply, a, b),
            Divide | ElementwiseDivide => expressions.arithmetic(ArithmeticOperator::Divide, a, b),
            Power | ElementwisePower => expressions.arithmetic(ArithmeticOperator::Power, a, b),
            And => expressions.and(a, b),
            Or => expressions.or(a, b),
            Less => expressions.relation(RelationOperator::Less, a, b),
            LessEqual => expressions.relation(RelationOperator::LessEqual, a, b),
            Greater => expressions.relation(RelationOperator::Greater, a, b),
            GreaterEqual => expressions.relation(RelationOperator::GreaterEqual, a, b),
            Equal => expressions.relation(RelationOperator::Equal, a, b),
            NotEqual => expressions.relation(RelationOperator::NotEqual, a, b),
        }
    }

    fn call(&mut self, function: &Reference, arguments: &[Expression], span: Span) -> ExpressionId {
        let Some(name) = self.name_text(function) else { return self.zero() };
        let arguments: Vec<ExpressionId> = arguments.iter().map(|argument| self.expression(argument)).collect();
        match (&*name, arguments.as_slice()) {
            ("der", &[inner]) => self.derivative(inner, span),
            _ if self.laws.knows(&name) => self.apply_law(&name, &arguments, span),
            ("last" | "pre", &[inner]) => self.model.expressions.add(Node::Pre(inner)),
            _ => match Builtin::by_name(&name).filter(|builtin| builtin.arity() == arguments.len()) {
                Some(builtin) => self.model.expressions.call(builtin, &arguments),
                None => {
                    let function = self.function(name, arguments.len(), span);
                    self.model.expressions.function(function, &arguments)
                }
            },
        }
    }

    fn derivative(&mut self, inner: ExpressionId, span: Span) -> ExpressionId {
        match self.model.expressions.node(inner) {
            Node::Variable(variable, order) if self.model.variables[variable].is_continuous_unknown() => {
                self.model.expressions.add(Node::Variable(variable, order + 1))
            }
            _ => {
                self.error(
                    Diagnostic::error(Code::E0384, "only a real variable or its derivative can be differentiated")
                        .label(span, "differentiated here")
                        .help("give the expression a name: declare a variable and an equation that defines it"),
                );
                inner
            }
        }
    }

    /// The external function of this name; all its calls have the same number of arguments.
    fn function(&mut self, name: std::sync::Arc<str>, arity: usize, span: Span) -> FunctionId {
        if let Some(&(known, first)) = self.functions.get(&name) {
            let expected = self.model.functions[known].inputs.len();
            if expected != arity {
                self.error(
                    Diagnostic::error(
                        Code::E0384,
                        format!("`{name}` is called with {arity} and with {expected} arguments"),
                    )
                    .label(span, format!("{arity} arguments"))
                    .label(first, format!("{expected} arguments")),
                );
            }
            return known;
        }
        let id = self.model.functions.push(Function {
            name: name.clone(),
            inputs: (1..=arity).map(|position| format!("u{position}").into()).collect(),
            outputs: vec!["y".into()],
            arguments: arity as u32,
            results: 1,
            differentiable: u32::MAX,
            derivative: None,
            implementation: Implementation::Unknown,
            span,
        });
        self.functions.insert(name, (id, span));
        id
    }

    /// Whether an expression is a truth value.
    pub(super) fn is_boolean(&self, id: ExpressionId) -> bool {
        match self.model.expressions.node(id) {
            Node::Boolean(_) | Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Relation(..) => true,
            Node::Variable(variable, _) => self.model.variables[variable].ty == Type::Boolean,
            Node::Pre(inner) => self.is_boolean(inner),
            Node::If(_, then, _) => self.is_boolean(then),
            Node::Call(Builtin::Edge | Builtin::Change | Builtin::Initial | Builtin::Terminal, _) => true,
            _ => false,
        }
    }
}

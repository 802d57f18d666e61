//! Derivatives of expressions: the total derivative by time and partial derivatives by one `x^(k)`.
//!
//! Both are the same chain rule over different leaves. Results share what the original already contains
//! (`exp(a)' = exp(a)*a'`), each different subexpression is differentiated once, and a subexpression that does
//! not depend on the leaves gets a literal zero, so that repeated differentiation grows with what is written.
//!
//! Conditions are not differentiated: between events they are constant, and so are left limits and everything
//! that `floor`, `sign` and their like compute.

use rustc_hash::FxHashMap;

use super::arena::{ArithmeticOperator as Op, Builtin, Expressions, Node, RelationOperator};
use crate::{ExpressionId, FlatModel, Function, FunctionId, IndexVec, Variability, Variable, VariableId};

/// Why an expression has no derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotDifferentiable {
    /// The subexpression.
    pub expression: ExpressionId,
    /// What is the matter with it.
    pub reason: NotDifferentiableReason,
}

/// What can stand in the way of a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotDifferentiableReason {
    /// It is a Boolean or a String.
    NotReal,
    /// The function has no `derivative` annotation.
    Function(FunctionId),
}

impl NotDifferentiable {
    /// The reason in the words of the model.
    pub fn message(&self, model: &FlatModel) -> String {
        match self.reason {
            NotDifferentiableReason::NotReal => "only Real expressions have derivatives".to_string(),
            NotDifferentiableReason::Function(function) => {
                format!("no derivative of function `{}` is known", model.functions[function].name)
            }
        }
    }
}

/// The total derivative by time.
pub fn differentiate(model: &mut FlatModel, expression: ExpressionId) -> Result<ExpressionId, NotDifferentiable> {
    differentiate_times(model, expression, 1)
}

/// The `times`-th total derivative by time.
pub fn differentiate_times(
    model: &mut FlatModel,
    mut expression: ExpressionId,
    times: u32,
) -> Result<ExpressionId, NotDifferentiable> {
    let mut derivatives = Derivatives::by_time(&model.variables, &model.functions);
    for _ in 0..times {
        expression = derivatives.of(&mut model.expressions, expression)?;
    }
    Ok(expression)
}

/// The partial derivative by the `order`-th derivative of a variable; other derivatives of it are held.
pub fn partial_derivative(
    model: &mut FlatModel,
    expression: ExpressionId,
    variable: VariableId,
    order: u32,
) -> Result<ExpressionId, NotDifferentiable> {
    Derivatives::by_variable(variable, order, &model.variables, &model.functions).of(&mut model.expressions, expression)
}

/// By what is differentiated.
#[derive(Clone, Copy)]
enum Direction {
    Time,
    Variable(VariableId, u32),
}

/// Derivatives by one thing, remembered: for many expressions that share subexpressions.
pub struct Derivatives<'a> {
    direction: Direction,
    variables: &'a IndexVec<VariableId, Variable>,
    functions: &'a IndexVec<FunctionId, Function>,
    known: FxHashMap<ExpressionId, ExpressionId>,
}

impl<'a> Derivatives<'a> {
    /// Total derivatives by time.
    pub fn by_time(
        variables: &'a IndexVec<VariableId, Variable>,
        functions: &'a IndexVec<FunctionId, Function>,
    ) -> Self {
        Derivatives { direction: Direction::Time, variables, functions, known: FxHashMap::default() }
    }

    /// Partial derivatives by the `order`-th derivative of a variable.
    pub fn by_variable(
        variable: VariableId,
        order: u32,
        variables: &'a IndexVec<VariableId, Variable>,
        functions: &'a IndexVec<FunctionId, Function>,
    ) -> Self {
        Derivatives {
            direction: Direction::Variable(variable, order),
            variables,
            functions,
            known: FxHashMap::default(),
        }
    }

    /// The derivative of an expression, always of the same arena. Does not recurse: sums may be long.
    pub fn of(&mut self, expressions: &mut Expressions, root: ExpressionId) -> Result<ExpressionId, NotDifferentiable> {
        let mut pending = vec![(root, false)];
        while let Some((id, operands_done)) = pending.pop() {
            if self.known.contains_key(&id) {
                continue;
            }
            if operands_done {
                let derivative = self.chain_rule(expressions, id)?;
                self.known.insert(id, derivative);
            } else {
                pending.push((id, true));
                self.push_operands(expressions, id, &mut pending);
            }
        }
        Ok(self.known[&root])
    }

    /// The subexpressions whose derivatives the chain rule asks for.
    fn push_operands(&self, expressions: &Expressions, id: ExpressionId, pending: &mut Vec<(ExpressionId, bool)>) {
        match expressions.node(id) {
            Node::Negate(a) | Node::Output(a, _) => pending.push((a, false)),
            Node::Arithmetic(_, a, b) | Node::If(_, a, b) => pending.extend([(a, false), (b, false)]),
            Node::Call(builtin, arguments) => {
                let list = expressions.argument_list(arguments);
                pending.extend(differentiated_arguments(builtin, list).iter().map(|&argument| (argument, false)));
            }
            Node::Function(function, arguments) => {
                let list = expressions.argument_list(arguments);
                pending.extend(self.differentiated_inputs(function, list).map(|argument| (argument, false)));
            }
            _ => {}
        }
    }

    /// Arguments of those inputs that are not named in the `derivative` annotation as without derivative.
    fn differentiated_inputs<'l>(
        &self,
        function: FunctionId,
        list: &'l [ExpressionId],
    ) -> impl Iterator<Item = ExpressionId> + use<'l, 'a> {
        let held: &'a [u32] = self.functions[function].derivative.as_ref().map_or(&[], |(_, held)| held);
        let arguments = list.iter().enumerate();
        arguments.filter(move |(index, _)| !held.contains(&(*index as u32))).map(|(_, &argument)| argument)
    }

    fn chain_rule(&self, e: &mut Expressions, id: ExpressionId) -> Result<ExpressionId, NotDifferentiable> {
        let not_real = NotDifferentiable { expression: id, reason: NotDifferentiableReason::NotReal };
        Ok(match e.node(id) {
            Node::Real(_) | Node::Integer(_) | Node::Pre(_) => e.real(0.0),
            Node::Time => e.real(if matches!(self.direction, Direction::Time) { 1.0 } else { 0.0 }),
            Node::Variable(variable, order) => self.leaf(e, variable, order),
            Node::Negate(a) => e.negate(self.known[&a]),
            Node::Arithmetic(operator, a, b) => self.arithmetic(e, id, operator, a, b),
            Node::If(condition, a, b) => e.if_then_else(condition, self.known[&a], self.known[&b]),
            Node::Call(builtin, arguments) => {
                let list = e.argument_list(arguments).to_vec();
                self.call(e, id, builtin, &list).ok_or(not_real)?
            }
            Node::Function(function, arguments) => {
                let list = e.argument_list(arguments).to_vec();
                self.function(e, id, function, &list)?
            }
            Node::Output(call, which) => {
                let derivative = self.known[&call];
                if is_zero(e, derivative) { derivative } else { e.add(Node::Output(derivative, which)) }
            }
            Node::Boolean(_)
            | Node::String(_)
            | Node::Mode(_)
            | Node::Not(_)
            | Node::Relation(..)
            | Node::And(..)
            | Node::Or(..) => return Err(not_real),
        })
    }

    fn leaf(&self, e: &mut Expressions, variable: VariableId, order: u32) -> ExpressionId {
        match self.direction {
            Direction::Time if self.variables[variable].variability == Variability::Continuous => {
                e.variable(variable, order + 1)
            }
            Direction::Variable(by, by_order) if (by, by_order) == (variable, order) => e.real(1.0),
            _ => e.real(0.0),
        }
    }

    fn arithmetic(
        &self,
        e: &mut Expressions,
        id: ExpressionId,
        operator: Op,
        a: ExpressionId,
        b: ExpressionId,
    ) -> ExpressionId {
        let (da, db) = (self.known[&a], self.known[&b]);
        match operator {
            Op::Add | Op::Subtract => e.arithmetic(operator, da, db),
            Op::Multiply => {
                let left = e.product(da, b);
                let right = e.product(a, db);
                e.sum(left, right)
            }
            Op::Divide => {
                let of_divisor = e.product(id, db);
                let numerator = e.difference(da, of_divisor);
                ratio(e, numerator, b)
            }
            Op::Power => {
                let of_base = power_by_base(e, a, b, da);
                let of_exponent = power_by_exponent(e, id, a, db);
                e.sum(of_base, of_exponent)
            }
        }
    }

    /// The derivative of a built-in call; `None` where it is not Real.
    fn call(
        &self,
        e: &mut Expressions,
        id: ExpressionId,
        builtin: Builtin,
        list: &[ExpressionId],
    ) -> Option<ExpressionId> {
        if differentiated_arguments(builtin, list).iter().all(|a| is_zero(e, self.known[a])) && !is_boolean(builtin) {
            return Some(e.real(0.0));
        }
        let inner = |position: usize| self.known[&list[position]];
        Some(match builtin {
            Builtin::NoEvent => e.call(builtin, &[inner(0)]),
            Builtin::Smooth => smooth(e, list[0], inner(1)),
            Builtin::Homotopy => e.call(builtin, &[inner(0), inner(1)]),
            Builtin::Min => choose(e, RelationOperator::LessEqual, list, inner(0), inner(1)),
            Builtin::Max => choose(e, RelationOperator::GreaterEqual, list, inner(0), inner(1)),
            Builtin::Atan2 => arc_tangent(e, list, inner(0), inner(1)),
            Builtin::Mod | Builtin::Rem => remainder(e, id, list, inner(0), inner(1)),
            Builtin::Delay | Builtin::DelayMax => self.delayed(e, builtin, list),
            _ if is_boolean(builtin) => return None,
            _ => {
                let outer = outer_derivative(e, builtin, id, list[0]);
                outer.times(e, inner(0))
            }
        })
    }

    /// `delay(a, T)' = delay(a', T)*(1 - T')`; the past does not depend on a present variable.
    fn delayed(&self, e: &mut Expressions, builtin: Builtin, list: &[ExpressionId]) -> ExpressionId {
        if !matches!(self.direction, Direction::Time) {
            return e.real(0.0);
        }
        let mut arguments = list.to_vec();
        arguments[0] = self.known[&list[0]];
        let past = e.call(builtin, &arguments);
        let one = e.real(1.0);
        let rate = e.difference(one, self.known[&list[1]]);
        e.product(past, rate)
    }

    /// A call of the declared derivative function: the inputs, then their derivatives.
    fn function(
        &self,
        e: &mut Expressions,
        id: ExpressionId,
        function: FunctionId,
        list: &[ExpressionId],
    ) -> Result<ExpressionId, NotDifferentiable> {
        let inner: Vec<ExpressionId> = self.differentiated_inputs(function, list).map(|a| self.known[&a]).collect();
        if inner.iter().all(|&derivative| is_zero(e, derivative)) {
            return Ok(e.real(0.0));
        }
        let Some((derivative, _)) = self.functions[function].derivative else {
            return Err(NotDifferentiable { expression: id, reason: NotDifferentiableReason::Function(function) });
        };
        Ok(e.function(derivative, &[list, &inner].concat()))
    }
}

/// The arguments on which the derivative depends; those of piecewise constant functions are not among them.
fn differentiated_arguments(builtin: Builtin, list: &[ExpressionId]) -> &[ExpressionId] {
    match builtin {
        Builtin::Smooth => &list[1..],
        Builtin::Delay | Builtin::DelayMax => &list[..2],
        Builtin::Floor | Builtin::Ceil | Builtin::Integer | Builtin::Ordinal | Builtin::Div | Builtin::Sign => &[],
        _ if is_boolean(builtin) => &[],
        _ => list,
    }
}

fn is_boolean(builtin: Builtin) -> bool {
    use Builtin::*;
    matches!(builtin, Initial | Terminal | Sample | Edge | Change | StringOf)
}

fn is_zero(e: &Expressions, id: ExpressionId) -> bool {
    e.literal(id) == Some(0.0)
}

/// A quotient of which a zero numerator leaves nothing.
fn ratio(e: &mut Expressions, numerator: ExpressionId, denominator: ExpressionId) -> ExpressionId {
    if is_zero(e, numerator) { numerator } else { e.quotient(numerator, denominator) }
}

/// `b*a^(b-1)*a'`
fn power_by_base(e: &mut Expressions, a: ExpressionId, b: ExpressionId, da: ExpressionId) -> ExpressionId {
    if is_zero(e, da) {
        return da;
    }
    let one = e.integer(1);
    let exponent = e.difference(b, one);
    let power = e.power(a, exponent);
    let outer = e.product(b, power);
    e.product(outer, da)
}

/// `a^b*log(a)*b'`
fn power_by_exponent(e: &mut Expressions, power: ExpressionId, a: ExpressionId, db: ExpressionId) -> ExpressionId {
    if is_zero(e, db) {
        return db;
    }
    let logarithm = e.call(Builtin::Log, &[a]);
    let outer = e.product(power, logarithm);
    e.product(outer, db)
}

/// One differentiation uses up one order of smoothness.
fn smooth(e: &mut Expressions, order: ExpressionId, derivative: ExpressionId) -> ExpressionId {
    match e.node(order) {
        Node::Integer(order) if order > 0 => {
            let left = e.integer(order - 1);
            e.call(Builtin::Smooth, &[left, derivative])
        }
        _ => derivative,
    }
}

/// `noEvent(if a op b then a' else b')`: which of the two it is makes no event of its own.
fn choose(
    e: &mut Expressions,
    operator: RelationOperator,
    list: &[ExpressionId],
    da: ExpressionId,
    db: ExpressionId,
) -> ExpressionId {
    if da == db {
        return da;
    }
    let condition = e.relation(operator, list[0], list[1]);
    let chosen = e.if_then_else(condition, da, db);
    e.call(Builtin::NoEvent, &[chosen])
}

/// `atan2(y, x)' = (x*y' - y*x')/(x^2 + y^2)`
fn arc_tangent(e: &mut Expressions, list: &[ExpressionId], dy: ExpressionId, dx: ExpressionId) -> ExpressionId {
    let &[y, x] = list else { unreachable!("atan2 has two arguments") };
    let (left, right) = (e.product(x, dy), e.product(y, dx));
    let numerator = e.difference(left, right);
    let (x2, y2) = (square(e, x), square(e, y));
    let denominator = e.sum(x2, y2);
    ratio(e, numerator, denominator)
}

/// `mod(x, y) = x - n*y` with an `n` that is constant between events, so the derivative is `x' - n*y'`.
fn remainder(
    e: &mut Expressions,
    id: ExpressionId,
    list: &[ExpressionId],
    dx: ExpressionId,
    dy: ExpressionId,
) -> ExpressionId {
    if is_zero(e, dy) {
        return dx;
    }
    let multiple = e.difference(list[0], id);
    let count = e.quotient(multiple, list[1]);
    let moved = e.product(count, dy);
    e.difference(dx, moved)
}

fn square(e: &mut Expressions, a: ExpressionId) -> ExpressionId {
    let two = e.integer(2);
    e.power(a, two)
}

/// The outer derivative of a function of one argument: a factor, or one over a divisor.
enum Outer {
    Factor(ExpressionId),
    Divisor(ExpressionId),
}

impl Outer {
    fn times(self, e: &mut Expressions, inner: ExpressionId) -> ExpressionId {
        match self {
            Outer::Factor(factor) => e.product(factor, inner),
            Outer::Divisor(divisor) => ratio(e, inner, divisor),
        }
    }
}

/// The outer derivative of `f(a)`, where `value` is `f(a)` itself.
fn outer_derivative(e: &mut Expressions, builtin: Builtin, value: ExpressionId, a: ExpressionId) -> Outer {
    use Outer::*;
    let one = e.integer(1);
    match builtin {
        Builtin::Sin => Factor(e.call(Builtin::Cos, &[a])),
        Builtin::Cos => {
            let sine = e.call(Builtin::Sin, &[a]);
            Factor(e.negate(sine))
        }
        Builtin::Tan => {
            let square = square(e, value);
            Factor(e.sum(one, square))
        }
        Builtin::Asin => Divisor(root_of_one_minus_square(e, a)),
        Builtin::Acos => {
            let root = root_of_one_minus_square(e, a);
            Divisor(e.negate(root))
        }
        Builtin::Atan => {
            let square = square(e, a);
            Divisor(e.sum(one, square))
        }
        Builtin::Sinh => Factor(e.call(Builtin::Cosh, &[a])),
        Builtin::Cosh => Factor(e.call(Builtin::Sinh, &[a])),
        Builtin::Tanh => {
            let square = square(e, value);
            Factor(e.difference(one, square))
        }
        Builtin::Exp => Factor(value),
        Builtin::Log => Divisor(a),
        Builtin::Log10 => {
            let ten = e.real(std::f64::consts::LN_10);
            Divisor(e.product(ten, a))
        }
        Builtin::Sqrt => {
            let two = e.integer(2);
            Divisor(e.product(two, value))
        }
        Builtin::Abs => Factor(e.call(Builtin::Sign, &[a])),
        other => unreachable!("{} is not a smooth function of one argument", other.name()),
    }
}

fn root_of_one_minus_square(e: &mut Expressions, a: ExpressionId) -> ExpressionId {
    let one = e.integer(1);
    let square = square(e, a);
    let difference = e.difference(one, square);
    e.call(Builtin::Sqrt, &[difference])
}

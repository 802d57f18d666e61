//! Derivatives of expressions: the total derivative by time and partial derivatives by one `x^(k)`.
//!
//! Both are the same chain rule over different leaves. Results share what the original already contains
//! (`exp(a)' = exp(a)*a'`), each different subexpression is differentiated once, and a subexpression that does
//! not depend on the leaves gets a literal zero, so that repeated differentiation grows with what is written.
//!
//! Conditions are not differentiated: between events they are constant, and so are left limits and everything
//! that `floor`, `sign` and their like compute. What the built-in functions have for derivatives is in `rules`.

use super::arena::{ArithmeticOperator as Op, Builtin, Expressions, Node, RelationOperator};
use super::fold::{Fold, Memo, Operands};
use super::rules::{Algebra, Carrier, Partial, power_by_base, power_by_exponent};
use crate::{Derivative, ExpressionId, FlatModel, Function, FunctionId, IndexVec, Variability, Variable, VariableId};

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

/// The partial derivative by a variable or one of its derivatives; its other derivatives are held.
pub fn partial_derivative(
    model: &mut FlatModel,
    expression: ExpressionId,
    by: Derivative<VariableId>,
) -> Result<ExpressionId, NotDifferentiable> {
    Derivatives::by_variable(by, &model.variables, &model.functions).of(&mut model.expressions, expression)
}

/// By what is differentiated.
#[derive(Clone, Copy)]
enum Direction {
    Time,
    Variable(Derivative<VariableId>),
}

/// Derivatives by one thing, remembered: for many expressions that share subexpressions.
pub struct Derivatives<'a> {
    surroundings: Surroundings<'a>,
    known: Memo<(), ExpressionId>,
}

/// What a derivative depends on beside the expression.
#[derive(Clone, Copy)]
struct Surroundings<'a> {
    direction: Direction,
    variables: &'a IndexVec<VariableId, Variable>,
    functions: &'a IndexVec<FunctionId, Function>,
}

impl<'a> Derivatives<'a> {
    /// Total derivatives by time.
    pub fn by_time(
        variables: &'a IndexVec<VariableId, Variable>,
        functions: &'a IndexVec<FunctionId, Function>,
    ) -> Self {
        Derivatives::by(Direction::Time, variables, functions)
    }

    /// Partial derivatives by a variable or one of its derivatives.
    pub fn by_variable(
        by: Derivative<VariableId>,
        variables: &'a IndexVec<VariableId, Variable>,
        functions: &'a IndexVec<FunctionId, Function>,
    ) -> Self {
        Derivatives::by(Direction::Variable(by), variables, functions)
    }

    fn by(
        direction: Direction,
        variables: &'a IndexVec<VariableId, Variable>,
        functions: &'a IndexVec<FunctionId, Function>,
    ) -> Self {
        Derivatives { surroundings: Surroundings { direction, variables, functions }, known: Memo::new() }
    }

    /// The derivative of an expression, always of the same arena.
    pub fn of(&mut self, expressions: &mut Expressions, root: ExpressionId) -> Result<ExpressionId, NotDifferentiable> {
        ChainRule { e: expressions, surroundings: self.surroundings }.fold(&mut self.known, root, ())
    }
}

struct ChainRule<'e, 'a> {
    e: &'e mut Expressions,
    surroundings: Surroundings<'a>,
}

impl Fold for ChainRule<'_, '_> {
    type Context = ();
    type Value = ExpressionId;
    type Error = NotDifferentiable;

    fn expressions(&self) -> &Expressions {
        self.e
    }

    /// Asks for the derivatives that the chain rule needs: not those of conditions and left limits.
    fn open(&mut self, id: ExpressionId, (): (), operands: &mut Operands<()>) -> Option<ExpressionId> {
        match self.e.node(id) {
            Node::Negate(a) | Node::Output(a, _) => operands.push(a, ()),
            Node::Arithmetic(_, a, b) | Node::If(_, a, b) => operands.extend([a, b], ()),
            Node::Call(builtin, arguments) => {
                let list = self.e.argument_list(arguments);
                let needed = builtin.differentiated_arguments().unwrap_or(0..0);
                operands.extend(list[needed].iter().copied(), ());
            }
            Node::Function(function, arguments) => {
                let list = self.e.argument_list(arguments);
                operands.extend(self.surroundings.differentiated_inputs(function, list), ());
            }
            Node::Real(_) | Node::Integer(_) | Node::Time | Node::Variable(..) | Node::Pre(_) => {}
            Node::Boolean(_) | Node::String(_) | Node::Mode(_) => {}
            Node::Not(_) | Node::Relation(..) | Node::And(..) | Node::Or(..) => {}
        }
        None
    }

    fn branches(&mut self, _: [ExpressionId; 3], (): (), _: &Memo<(), ExpressionId>, _: &mut Operands<()>) {}

    fn close(
        &mut self,
        id: ExpressionId,
        (): (),
        known: &Memo<(), ExpressionId>,
    ) -> Result<ExpressionId, NotDifferentiable> {
        let not_real = NotDifferentiable { expression: id, reason: NotDifferentiableReason::NotReal };
        Ok(match self.e.node(id) {
            Node::Real(_) | Node::Integer(_) | Node::Pre(_) => self.e.real(0.0),
            Node::Time => self.e.real(if self.surroundings.is_by_time() { 1.0 } else { 0.0 }),
            Node::Variable(of, order) => self.leaf(Derivative { of, order }),
            Node::Negate(a) => self.e.negate(known[a]),
            Node::Arithmetic(operator, a, b) => self.arithmetic(id, operator, (a, known[a]), (b, known[b])),
            Node::If(condition, a, b) => self.e.if_then_else(condition, known[a], known[b]),
            Node::Call(builtin, arguments) => {
                let list = self.e.argument_list(arguments).to_vec();
                self.call(id, builtin, &list, known).ok_or(not_real)?
            }
            Node::Function(function, arguments) => {
                let list = self.e.argument_list(arguments).to_vec();
                self.function(id, function, &list, known)?
            }
            Node::Output(call, which) => match known[call] {
                zero if is_zero(self.e, zero) => zero,
                derivative => self.e.add(Node::Output(derivative, which)),
            },
            Node::Boolean(_)
            | Node::String(_)
            | Node::Mode(_)
            | Node::Not(_)
            | Node::Relation(..)
            | Node::And(..)
            | Node::Or(..) => return Err(not_real),
        })
    }
}

impl Surroundings<'_> {
    fn is_by_time(&self) -> bool {
        matches!(self.direction, Direction::Time)
    }

    /// Arguments of those inputs that are not named in the `derivative` annotation as without derivative.
    fn differentiated_inputs(&self, function: FunctionId, list: &[ExpressionId]) -> impl Iterator<Item = ExpressionId> {
        let held: &[u32] = self.functions[function].derivative.as_ref().map_or(&[], |(_, held)| held);
        let arguments = list.iter().enumerate();
        arguments.filter(move |(index, _)| !held.contains(&(*index as u32))).map(|(_, &argument)| argument)
    }
}

impl ChainRule<'_, '_> {
    fn leaf(&mut self, leaf: Derivative<VariableId>) -> ExpressionId {
        let Surroundings { direction, variables, .. } = self.surroundings;
        match direction {
            Direction::Time if variables[leaf.of].variability == Variability::Continuous => {
                self.e.variable(leaf.of, leaf.order + 1)
            }
            Direction::Variable(by) if by == leaf => self.e.real(1.0),
            _ => self.e.real(0.0),
        }
    }

    fn arithmetic(
        &mut self,
        id: ExpressionId,
        operator: Op,
        (a, da): (ExpressionId, ExpressionId),
        (b, db): (ExpressionId, ExpressionId),
    ) -> ExpressionId {
        let e = &mut *self.e;
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
                let of_base = scaled(e, da, |e| power_by_base(e, a, b));
                let of_exponent = scaled(e, db, |e| power_by_exponent(e, id, a));
                e.sum(of_base, of_exponent)
            }
        }
    }

    /// The derivative of a built-in call; `None` where it is not Real.
    fn call(
        &mut self,
        id: ExpressionId,
        builtin: Builtin,
        list: &[ExpressionId],
        known: &Memo<(), ExpressionId>,
    ) -> Option<ExpressionId> {
        let e = &mut *self.e;
        let (mut numerator, mut divisor) = (e.real(0.0), None);
        for position in builtin.differentiated_arguments()? {
            let inner = known[list[position]];
            if is_zero(e, inner) {
                continue;
            }
            let partial = builtin.partial(e, id, list, position);
            let (term, is_negative) = match partial {
                Partial::NotReal => return None,
                Partial::Zero => continue,
                Partial::One | Partial::Divisor(_) => (inner, false),
                Partial::Factor(factor) | Partial::Ratio(factor, _) => (e.product(factor, inner), false),
                Partial::Negative(factor) | Partial::NegativeRatio(factor, _) => (e.product(factor, inner), true),
                Partial::Chosen(operator) => return Some(choose(e, operator, list, [0, 1].map(|at| known[list[at]]))),
                Partial::Carried(carrier) => return Some(self.carried(carrier, builtin, list, known)),
            };
            numerator = if is_negative { e.difference(numerator, term) } else { e.sum(numerator, term) };
            if let Partial::Divisor(it) | Partial::Ratio(_, it) | Partial::NegativeRatio(_, it) = partial {
                assert!(divisor.is_none_or(|known| known == it), "partial derivatives have one divisor");
                divisor = Some(it);
            }
        }
        Some(divisor.map_or(numerator, |divisor| ratio(e, numerator, divisor)))
    }

    /// The derivative of what a function says something about, with the same said about it.
    fn carried(
        &mut self,
        carrier: Carrier,
        builtin: Builtin,
        list: &[ExpressionId],
        known: &Memo<(), ExpressionId>,
    ) -> ExpressionId {
        match carrier {
            Carrier::NoEvent => self.e.call(builtin, &[known[list[0]]]),
            Carrier::Smooth => smooth(self.e, list[0], known[list[1]]),
            Carrier::Homotopy => self.e.call(builtin, &[known[list[0]], known[list[1]]]),
            Carrier::Delay => self.delayed(builtin, list, known),
        }
    }

    /// `delay(a, T)' = delay(a', T)*(1 - T')`; the past does not depend on a present variable.
    fn delayed(&mut self, builtin: Builtin, list: &[ExpressionId], known: &Memo<(), ExpressionId>) -> ExpressionId {
        let e = &mut *self.e;
        if !self.surroundings.is_by_time() {
            return e.real(0.0);
        }
        let mut arguments = list.to_vec();
        arguments[0] = known[list[0]];
        let past = e.call(builtin, &arguments);
        let one = e.real(1.0);
        let rate = e.difference(one, known[list[1]]);
        e.product(past, rate)
    }

    /// A call of the declared derivative function: the inputs, then their derivatives.
    fn function(
        &mut self,
        id: ExpressionId,
        function: FunctionId,
        list: &[ExpressionId],
        known: &Memo<(), ExpressionId>,
    ) -> Result<ExpressionId, NotDifferentiable> {
        let inputs = self.surroundings.differentiated_inputs(function, list);
        let inner: Vec<ExpressionId> = inputs.map(|argument| known[argument]).collect();
        if inner.iter().all(|&derivative| is_zero(self.e, derivative)) {
            return Ok(self.e.real(0.0));
        }
        let Some((derivative, _)) = self.surroundings.functions[function].derivative else {
            return Err(NotDifferentiable { expression: id, reason: NotDifferentiableReason::Function(function) });
        };
        Ok(self.e.function(derivative, &[list, &inner].concat()))
    }
}

impl Algebra for Expressions {
    type Value = ExpressionId;

    fn whole(&mut self, number: i32) -> ExpressionId {
        self.integer(number.into())
    }

    fn number(&mut self, number: f64) -> ExpressionId {
        self.real(number)
    }

    fn negative(&mut self, a: ExpressionId) -> ExpressionId {
        self.negate(a)
    }

    fn operation(&mut self, operator: Op, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        self.arithmetic(operator, a, b)
    }

    fn apply(&mut self, builtin: Builtin, a: ExpressionId) -> ExpressionId {
        self.call(builtin, &[a])
    }
}

fn is_zero(e: &Expressions, id: ExpressionId) -> bool {
    e.literal(id) == Some(0.0)
}

/// A quotient of which a zero numerator leaves nothing.
fn ratio(e: &mut Expressions, numerator: ExpressionId, denominator: ExpressionId) -> ExpressionId {
    if is_zero(e, numerator) { numerator } else { e.quotient(numerator, denominator) }
}

/// The inner derivative times an outer one, which is made only if there is anything to be multiplied.
fn scaled(
    e: &mut Expressions,
    inner: ExpressionId,
    outer: impl FnOnce(&mut Expressions) -> ExpressionId,
) -> ExpressionId {
    if is_zero(e, inner) {
        return inner;
    }
    let outer = outer(e);
    e.product(outer, inner)
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
    [da, db]: [ExpressionId; 2],
) -> ExpressionId {
    if da == db {
        return da;
    }
    let condition = e.relation(operator, list[0], list[1]);
    let chosen = e.if_then_else(condition, da, db);
    e.call(Builtin::NoEvent, &[chosen])
}

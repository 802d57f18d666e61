//! Expressions as forms.

use std::convert::Infallible;

use modeshift_dae::{
    ArithmeticOperator as Op, Builtin, Context, ExpressionId, Expressions, Fold, Memo, Node, Operands, VariableId,
};
use modeshift_numerics::Input;

use super::forms::{Form, Symbol};
use super::time_terms::TimeTerm;
use crate::program::states::quantities::Quantities;
use crate::program::surroundings::Surroundings;

/// The highest power that a product is written out for.
const HIGHEST_POWER: f64 = 8.0;

/// The number of a form; none where an expression is not affine.
pub(super) type Read = Option<u32>;

/// Reads expressions of a mode.
pub(crate) struct Reader<'r> {
    pub expressions: &'r Expressions,
    pub quantities: &'r Quantities,
    pub surroundings: &'r Surroundings,
    pub literal: &'r dyn Fn(VariableId) -> Option<f64>,
    /// By quantity, as far as they were read.
    pub(super) of_quantity: Vec<Read>,
    /// What stands still, and whether the system is one for its present value.
    pub inputs: Vec<(Input, bool)>,
    forms: Vec<Form>,
}

impl<'r> Reader<'r> {
    pub fn new(
        expressions: &'r Expressions,
        quantities: &'r Quantities,
        surroundings: &'r Surroundings,
        literal: &'r dyn Fn(VariableId) -> Option<f64>,
    ) -> Self {
        let of_quantity = vec![None; quantities.len()];
        Reader { expressions, quantities, surroundings, literal, of_quantity, inputs: Vec::new(), forms: Vec::new() }
    }

    /// The form of an expression, from those of the quantities in it.
    pub(super) fn read(&mut self, expression: ExpressionId) -> Read {
        // Quantities get other forms from block to block, so nothing is remembered from one expression to the next.
        let Ok(read) = self.fold(&mut Memo::new(), expression, Context::NOW);
        read
    }

    pub(super) fn form(&self, number: u32) -> &Form {
        &self.forms[number as usize]
    }

    pub(super) fn add(&mut self, form: Form) -> Read {
        if !form.is_finite() {
            return None;
        }
        self.forms.push(form);
        Some(self.forms.len() as u32 - 1)
    }

    fn of(&self, read: Read) -> Option<&Form> {
        read.map(|number| self.form(number))
    }

    fn input(&mut self, input: Input) -> Read {
        let known = self.inputs.iter().position(|it| it.0 == input);
        let number = known.unwrap_or_else(|| {
            self.inputs.push((input, false));
            self.inputs.len() - 1
        });
        // What was never set has no value.
        if self.surroundings.value(input).is_nan() {
            return None;
        }
        self.add(Form::of_symbol(Symbol::Input(number as u32)))
    }

    fn variable(&mut self, variable: VariableId, order: u32, side: Context) -> Read {
        if let Some(value) = (self.literal)(variable) {
            return self.add(Form::constant(if order == 0 { value } else { 0.0 }));
        }
        if side != Context::NOW {
            return self.input(Input::LeftVariable(variable, order));
        }
        match self.quantities.index(variable, order) {
            Some(quantity) => self.of_quantity[quantity.index()],
            None => self.input(Input::Variable(variable, order)),
        }
    }

    /// A form of no states with the present values of what stands still in it, which it is one for from here on.
    fn stilled(&mut self, read: Read) -> Option<Form> {
        let form = self.of(read)?.clone();
        if !form.has_no_states() {
            return None;
        }
        let mut stilled = Form { linear: Vec::new(), terms: form.terms };
        for (symbol, value) in form.linear {
            if let Symbol::Input(number) = symbol {
                let (input, is_fixed) = &mut self.inputs[number as usize];
                *is_fixed = true;
                let known = self.surroundings.value(*input);
                stilled = stilled.plus(value * known, &Form::constant(1.0));
            }
        }
        Some(stilled)
    }

    /// The value of a form that stands still.
    fn constant(&mut self, read: Read) -> Option<f64> {
        match self.of(read)?.as_constant() {
            Some(value) => Some(value),
            None => self.stilled(read)?.as_constant(),
        }
    }

    fn sum(&mut self, a: Read, factor: f64, b: Read) -> Read {
        let form = self.of(a)?.plus(factor, self.of(b)?);
        self.add(form)
    }

    fn product(&mut self, a: Read, b: Read) -> Read {
        for (one, other) in [(a, b), (b, a)] {
            if let Some(factor) = self.of(one)?.as_constant() {
                let form = self.of(other)?.scaled(factor);
                return self.add(form);
            }
        }
        for (one, other) in [(a, b), (b, a)] {
            // Of two that could be the factor, the one that does not depend on time.
            if self.of(one)?.has_no_states()
                && self.of(one)?.terms.iter().all(TimeTerm::is_constant)
                && let Some(factor) = self.constant(one)
            {
                let form = self.of(other)?.scaled(factor);
                return self.add(form);
            }
        }
        let form = self.stilled(a)?.times(&self.stilled(b)?)?;
        self.add(form)
    }

    fn arithmetic(&mut self, operator: Op, a: Read, b: Read) -> Read {
        match operator {
            Op::Add => self.sum(a, 1.0, b),
            Op::Subtract => self.sum(a, -1.0, b),
            Op::Multiply => self.product(a, b),
            Op::Divide => {
                let divisor = self.constant(b)?;
                self.of(a)?;
                let form = divided(self.of(a)?, divisor);
                self.add(form)
            }
            Op::Power => {
                let exponent = self.constant(b)?;
                if exponent == 1.0 {
                    return a;
                }
                if let Some(base) = self.constant(a) {
                    return self.add(Form::constant(operator.value(base, exponent)));
                }
                let is_product = exponent.trunc() == exponent && (2.0..=HIGHEST_POWER).contains(&exponent);
                let base = self.stilled(a).filter(|_| is_product)?;
                let mut power = base.clone();
                for _ in 1..exponent as usize {
                    power = power.times(&base)?;
                }
                self.add(power)
            }
        }
    }

    fn call(&mut self, builtin: Builtin, arguments: &[Read]) -> Read {
        match (builtin, arguments) {
            (Builtin::NoEvent | Builtin::Homotopy, &[a, ..]) | (Builtin::Smooth, &[_, a]) => return a,
            (Builtin::Sin | Builtin::Cos | Builtin::Exp, &[a]) => {
                let (a, slope) = self.stilled(a)?.as_affine_in_time()?;
                let term = match builtin {
                    _ if slope == 0.0 => TimeTerm::constant(builtin.value(&[a])?),
                    Builtin::Sin => TimeTerm::sine(a, slope),
                    Builtin::Cos => TimeTerm::cosine(a, slope),
                    _ => TimeTerm::exponential(a, slope),
                };
                return self.add(Form::of_term(term));
            }
            _ => {}
        }
        let values: Vec<f64> = arguments.iter().map(|&it| self.constant(it)).collect::<Option<_>>()?;
        self.add(Form::constant(builtin.value(&values)?))
    }

    fn node(&mut self, id: ExpressionId, side: Context, known: &Memo<Context, Read>) -> Read {
        let of = |operand: ExpressionId| known.at(operand, side);
        let truth = |value: bool| Form::constant(f64::from(u8::from(value)));
        match self.expressions.node(id) {
            Node::Real(number) => self.add(Form::constant(number.value())),
            Node::Integer(number) => self.add(Form::constant(number as f64)),
            Node::Boolean(value) => self.add(truth(value)),
            Node::Time if side == Context::NOW => self.add(Form::of_term(TimeTerm::time())),
            Node::Variable(variable, order) => self.variable(variable, order, side),
            Node::Mode(mode) if side == Context::NOW => self.input(Input::Mode(mode)),
            Node::Mode(mode) => self.input(Input::LeftMode(mode)),
            Node::Pre(a) => known.at(a, Context::LEFT_LIMIT),
            Node::Negate(a) => {
                let form = self.of(of(a))?.scaled(-1.0);
                self.add(form)
            }
            Node::Arithmetic(operator, a, b) => self.arithmetic(operator, of(a), of(b)),
            Node::Not(a) => {
                let value = self.constant(of(a))?;
                self.add(truth(value == 0.0))
            }
            Node::And(a, b) => {
                let (a, b) = (self.constant(of(a))?, self.constant(of(b))?);
                self.add(truth(a != 0.0 && b != 0.0))
            }
            Node::Or(a, b) => {
                let (a, b) = (self.constant(of(a))?, self.constant(of(b))?);
                self.add(truth(a != 0.0 || b != 0.0))
            }
            Node::Relation(operator, a, b) => {
                let (a, b) = (self.constant(of(a))?, self.constant(of(b))?);
                self.add(truth(operator.holds(a, b)))
            }
            Node::If(condition, a, b) => {
                let condition = self.constant(of(condition))?;
                of(if condition != 0.0 { a } else { b })
            }
            Node::Call(builtin, arguments) if !is_of_run(builtin) => {
                let arguments: Vec<Read> = match builtin {
                    Builtin::Homotopy => vec![of(self.expressions.argument_list(arguments)[0])],
                    _ => self.expressions.argument_list(arguments).iter().map(|&it| of(it)).collect(),
                };
                self.call(builtin, &arguments)
            }
            Node::Time | Node::String(_) | Node::Call(..) | Node::Function(..) | Node::Output(..) => None,
        }
    }
}

/// A form by a number; what is divided by zero is not finite, and no form.
fn divided(form: &Form, divisor: f64) -> Form {
    let mut quotient = form.clone();
    quotient.linear.iter_mut().for_each(|it| it.1 /= divisor);
    quotient.terms.iter_mut().for_each(|it| (it.cosine, it.sine) = (it.cosine / divisor, it.sine / divisor));
    let is_zero = divisor == 0.0 && quotient.linear.is_empty() && quotient.terms.is_empty();
    if is_zero { Form::constant(f64::NAN) } else { quotient }
}

/// Calls whose value is no function of their arguments' present values.
fn is_of_run(builtin: Builtin) -> bool {
    use Builtin::*;
    matches!(builtin, Sample | Delay | DelayMax | Initial | Terminal | Edge | Change | StringOf)
}

impl Fold for Reader<'_> {
    type Context = Context;
    type Value = Read;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        self.expressions
    }

    fn open(&mut self, id: ExpressionId, side: Context, operands: &mut Operands<Context>) -> Option<Read> {
        match self.expressions.node(id) {
            Node::Call(Builtin::Homotopy, arguments) => {
                operands.push(self.expressions.argument_list(arguments)[0], side);
            }
            Node::Call(builtin, _) if is_of_run(builtin) => {}
            _ => operands.of_sides(self.expressions, id, side),
        }
        None
    }

    fn close(&mut self, id: ExpressionId, side: Context, known: &Memo<Context, Read>) -> Result<Read, Infallible> {
        Ok(self.node(id, side, known))
    }
}

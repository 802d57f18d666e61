//! From expressions to a tape.
//!
//! Left limits are pushed down to variables and mode variables, `edge` and `change` are spelled out, and calls
//! that only a run can answer (`sample`, `delay`) become inputs. Inputs whose values are known in advance, such as
//! parameters, become constants; an if-expression whose condition is then decided compiles to one branch.

use modeshift_dae::{
    Builtin, Context, ExpressionId, Expressions, FlatModel, Fold, FunctionId, Memo, Node, Operands, RelationOperator,
    VariableId,
};

use super::assembler::{Assembler, Value};
use super::instructions::{Call, Input, Operation, Tape, truth};
use crate::native::NativeFunctions;

/// An expression that has no number for a value: a String.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotNumeric {
    /// The subexpression.
    pub expression: ExpressionId,
}

/// Compiles expressions of one model.
pub struct Compiler<'a> {
    model: &'a FlatModel,
    natives: &'a NativeFunctions,
    known_inputs: Box<dyn Fn(Input) -> Option<f64> + 'a>,
    homotopy: bool,
    at_start: bool,
    pub(crate) assembler: Assembler,
    values: Memo<Context, Value>,
}

impl<'a> Compiler<'a> {
    /// Nothing known in advance; `homotopy` is its first argument.
    pub fn new(model: &'a FlatModel, natives: &'a NativeFunctions) -> Self {
        Compiler {
            model,
            natives,
            known_inputs: Box::new(|_| None),
            homotopy: false,
            at_start: false,
            assembler: Assembler::default(),
            values: Memo::new(),
        }
    }

    /// Inputs with a value here become constants.
    pub fn with_known_inputs(mut self, known: impl Fn(Input) -> Option<f64> + 'a) -> Self {
        self.known_inputs = Box::new(known);
        self
    }

    /// `homotopy` moves from its second argument to its first with [`Input::Homotopy`].
    pub fn with_homotopy(mut self) -> Self {
        self.homotopy = true;
        self
    }

    /// Of a start, where `delay` is what it delays.
    pub fn at_start(mut self) -> Self {
        self.at_start = true;
        self
    }

    /// These inputs come first, in this order, used or not; others follow in the order of first use.
    pub fn with_inputs(mut self, inputs: &[Input]) -> Self {
        for &input in inputs {
            self.assembler.input(input);
        }
        self
    }

    /// A tape whose results are these expressions.
    pub fn tape(mut self, expressions: &[ExpressionId]) -> Result<Tape, NotNumeric> {
        let results = self.values(expressions)?;
        Ok(self.assembler.finish(&results))
    }

    /// From here on `target`, a variable or one of its derivatives, has the value of an expression: it is no input
    /// any more, and tapes and Jacobians go through the assignment.
    pub fn assign(&mut self, target: ExpressionId, expression: ExpressionId) -> Result<(), NotNumeric> {
        let value = self.value(expression)?;
        let known = self.values.insert(target, Context::NOW, value);
        assert!(known.is_none(), "assigned before it is used, and once");
        Ok(())
    }

    /// A tape whose results are these expressions; the compiler goes on.
    pub fn tape_of(&mut self, expressions: &[ExpressionId]) -> Result<Tape, NotNumeric> {
        let results = self.values(expressions)?;
        Ok(self.assembler.finish(&results))
    }

    pub(crate) fn values(&mut self, expressions: &[ExpressionId]) -> Result<Vec<Value>, NotNumeric> {
        expressions.iter().map(|&expression| self.value(expression)).collect()
    }

    fn value(&mut self, root: ExpressionId) -> Result<Value, NotNumeric> {
        let mut values = std::mem::take(&mut self.values);
        let value = Compilation { compiler: self }.fold(&mut values, root, Context::NOW);
        self.values = values;
        value
    }

    fn input(&mut self, input: Input) -> Value {
        match (self.known_inputs)(input) {
            Some(number) => self.assembler.constant(number),
            None => self.assembler.input(input),
        }
    }

    /// What is known in advance is the same on both sides of an instant.
    fn left_limit(&mut self, variable: VariableId, order: u32) -> Value {
        let left = (self.known_inputs)(Input::LeftVariable(variable, order));
        // A parameter is the same on both sides; a discrete variable is known on both, but not the same.
        match left.or_else(|| (self.known_inputs)(Input::Variable(variable, order))) {
            Some(number) => self.assembler.constant(number),
            None => self.input(Input::LeftVariable(variable, order)),
        }
    }

    fn builtin(
        &mut self,
        id: ExpressionId,
        builtin: Builtin,
        list: &[ExpressionId],
        side: Context,
        known: &Memo<Context, Value>,
    ) -> Result<Value, NotNumeric> {
        use Builtin::*;
        let at = |position: usize| known.at(list[position], side);
        Ok(match builtin {
            StringOf => return Err(NotNumeric { expression: id }),
            NoEvent | Ordinal => at(0),
            Smooth => at(1),
            Homotopy if self.homotopy => self.blend(at(0), at(1)),
            Homotopy => at(0),
            Edge | Change => self.flank(builtin, at(0), known.at(list[0], Context::LEFT_LIMIT)),
            Delay | DelayMax if self.at_start => at(0),
            Sample | Delay | DelayMax | Initial | Terminal => self.input(Input::Run(id)),
            Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Exp | Log | Log10 | Sqrt | Abs | Sign
            | Floor | Ceil | Integer => self.assembler.one(Operation::One(builtin), at(0)),
            Atan2 | Min | Max | Div | Mod | Rem => self.assembler.two(Operation::Two(builtin), at(0), at(1)),
        })
    }

    /// `simplified + h*(actual - simplified)`, which is exactly `actual` when `h` is 1 by a selection.
    fn blend(&mut self, actual: Value, simplified: Value) -> Value {
        let share = self.input(Input::Homotopy);
        let difference = self.assembler.two(Operation::Subtract, actual, simplified);
        let moved = self.assembler.two(Operation::Multiply, share, difference);
        let between = self.assembler.two(Operation::Add, simplified, moved);
        let one = self.assembler.constant(1.0);
        let arrived = self.assembler.two(Operation::Relation(RelationOperator::Equal), share, one);
        self.assembler.select(arrived, actual, between)
    }

    fn flank(&mut self, builtin: Builtin, now: Value, before: Value) -> Value {
        if builtin == Builtin::Change {
            return self.assembler.two(Operation::Relation(RelationOperator::NotEqual), now, before);
        }
        let not_before = self.assembler.one(Operation::Not, before);
        self.assembler.two(Operation::And, now, not_before)
    }

    /// All results of a call, which has this many at least: those that are arrays have one for each element.
    fn function(&mut self, function: FunctionId, arguments: Vec<u32>, least: u32) -> Vec<Value> {
        let declared = &self.model.functions[function];
        let known = declared.results.max(declared.outputs.len() as u32);
        self.assembler.call(Call {
            name: declared.name.clone(),
            native: self.natives.of_function(self.model, function),
            arguments,
            outputs: least.max(known),
            partial: None,
        })
    }
}

/// The fold from expressions to values of the assembler; contexts tell left limits apart and nothing else.
struct Compilation<'c, 'a> {
    compiler: &'c mut Compiler<'a>,
}

impl Fold for Compilation<'_, '_> {
    type Context = Context;
    type Value = Value;
    type Error = NotNumeric;

    fn expressions(&self) -> &Expressions {
        &self.compiler.model.expressions
    }

    fn open(&mut self, id: ExpressionId, side: Context, operands: &mut Operands<Context>) -> Option<Value> {
        let expressions = &self.compiler.model.expressions;
        match expressions.node(id) {
            Node::Call(Builtin::Homotopy, arguments) if !self.compiler.homotopy => {
                operands.push(expressions.argument_list(arguments)[0], side);
            }
            Node::Call(Builtin::Delay | Builtin::DelayMax, arguments) if self.compiler.at_start => {
                operands.push(expressions.argument_list(arguments)[0], side);
            }
            Node::Call(builtin, _) if is_of_run(builtin) => {}
            _ => operands.of_sides(expressions, id, side),
        }
        None
    }

    fn decided(&self, condition: Value) -> Option<bool> {
        self.compiler.decided(condition)
    }

    fn close(&mut self, id: ExpressionId, side: Context, known: &Memo<Context, Value>) -> Result<Value, NotNumeric> {
        let value = self.compiler.close_node(id, side, known)?;
        self.compiler.assembler.set_origin(value, id);
        Ok(value)
    }
}

impl Compiler<'_> {
    fn decided(&self, condition: Value) -> Option<bool> {
        self.assembler.constant_of(condition).map(|value| value != 0.0)
    }

    fn close_node(
        &mut self,
        id: ExpressionId,
        side: Context,
        known: &Memo<Context, Value>,
    ) -> Result<Value, NotNumeric> {
        let of = |operand: ExpressionId| known.at(operand, side);
        let list_of = |list: &[ExpressionId]| list.iter().map(|&argument| of(argument).0).collect();
        let expressions = &self.model.expressions;
        let is_now = side == Context::NOW;
        Ok(match expressions.node(id) {
            Node::Real(number) => self.assembler.constant(number.value()),
            Node::Integer(number) => self.assembler.constant(number as f64),
            Node::Boolean(value) => self.assembler.constant(truth(value)),
            Node::String(_) => return Err(NotNumeric { expression: id }),
            Node::Time => self.input(Input::Time),
            Node::Variable(variable, order) if is_now => self.input(Input::Variable(variable, order)),
            Node::Variable(variable, order) => self.left_limit(variable, order),
            Node::Mode(mode) if is_now => self.input(Input::Mode(mode)),
            Node::Mode(mode) => self.input(Input::LeftMode(mode)),
            Node::Pre(a) => known.at(a, Context::LEFT_LIMIT),
            Node::Negate(a) => self.assembler.one(Operation::Negate, of(a)),
            Node::Not(a) => self.assembler.one(Operation::Not, of(a)),
            Node::Arithmetic(operator, a, b) => self.assembler.two(Operation::arithmetic(operator), of(a), of(b)),
            Node::Relation(operator, a, b) => self.assembler.two(Operation::Relation(operator), of(a), of(b)),
            Node::And(a, b) => self.assembler.two(Operation::And, of(a), of(b)),
            Node::Or(a, b) => self.assembler.two(Operation::Or, of(a), of(b)),
            Node::If(condition, a, b) => match self.decided(of(condition)) {
                Some(true) => of(a),
                Some(false) => of(b),
                None => self.assembler.select(of(condition), of(a), of(b)),
            },
            Node::Call(builtin, arguments) => {
                self.builtin(id, builtin, expressions.argument_list(arguments), side, known)?
            }
            Node::Function(function, arguments) => {
                self.function(function, list_of(expressions.argument_list(arguments)), 1)[0]
            }
            Node::Output(call, which) => {
                let Node::Function(function, arguments) = expressions.node(call) else {
                    unreachable!("only calls of functions have outputs")
                };
                let outputs = self.function(function, list_of(expressions.argument_list(arguments)), which);
                outputs[which as usize - 1]
            }
        })
    }
}

/// Calls whose value is no function of their arguments' values.
fn is_of_run(builtin: Builtin) -> bool {
    use Builtin::*;
    matches!(builtin, Sample | Delay | DelayMax | Initial | Terminal)
}

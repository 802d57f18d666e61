//! From expressions to a tape.
//!
//! Left limits are pushed down to variables and mode variables, `edge` and `change` are spelled out, and calls
//! that only a run can answer (`sample`, `delay`) become inputs. Inputs whose values are known in advance, such as
//! parameters, become constants; an if-expression whose condition is then decided compiles to one branch.

use modeshift_dae::{Builtin, ExpressionId, FlatModel, FunctionId, Node, RelationOperator, VariableId};
use rustc_hash::FxHashMap;

use super::assembler::{Assembler, Value};
use super::instructions::{Call, Input, Operation, Tape, truth};
use crate::native::NativeFunctions;

/// An expression that has no number for a value: a String.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotNumeric {
    /// The subexpression.
    pub expression: ExpressionId,
}

/// On which side of an instant a subexpression is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    Now,
    Before,
}

#[derive(Clone, Copy)]
enum Step {
    Open,
    Branches,
    Close,
}

/// A subexpression on one side, and what is to be done with it.
type Pending = Vec<(ExpressionId, Side, Step)>;

/// Compiles expressions of one model.
pub struct Compiler<'a> {
    model: &'a FlatModel,
    natives: &'a NativeFunctions,
    known_inputs: Box<dyn Fn(Input) -> Option<f64> + 'a>,
    homotopy: bool,
    pub(crate) assembler: Assembler,
    values: FxHashMap<(ExpressionId, Side), Value>,
}

impl<'a> Compiler<'a> {
    /// Nothing known in advance; `homotopy` is its first argument.
    pub fn new(model: &'a FlatModel, natives: &'a NativeFunctions) -> Self {
        Compiler {
            model,
            natives,
            known_inputs: Box::new(|_| None),
            homotopy: false,
            assembler: Assembler::default(),
            values: FxHashMap::default(),
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
        let known = self.values.insert((target, Side::Now), value);
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
        let mut pending = vec![(root, Side::Now, Step::Open)];
        while let Some((id, side, step)) = pending.pop() {
            if self.values.contains_key(&(id, side)) {
                continue;
            }
            match step {
                Step::Open => self.open(id, side, &mut pending),
                Step::Branches => self.branches(id, side, &mut pending),
                Step::Close => {
                    let value = self.close(id, side)?;
                    self.assembler.set_origin(value, id);
                    self.values.insert((id, side), value);
                }
            }
        }
        Ok(self.values[&(root, Side::Now)])
    }

    fn open(&self, id: ExpressionId, side: Side, pending: &mut Pending) {
        let expressions = &self.model.expressions;
        match expressions.node(id) {
            Node::If(condition, ..) => {
                pending.extend([(id, side, Step::Branches), (condition, side, Step::Open)]);
            }
            Node::Pre(a) => pending.extend([(id, side, Step::Close), (a, Side::Before, Step::Open)]),
            Node::Call(Builtin::Edge | Builtin::Change, arguments) => {
                let a = expressions.argument_list(arguments)[0];
                pending.extend([(id, side, Step::Close), (a, side, Step::Open), (a, Side::Before, Step::Open)]);
            }
            Node::Call(Builtin::Homotopy, arguments) if !self.homotopy => {
                let actual = expressions.argument_list(arguments)[0];
                pending.extend([(id, side, Step::Close), (actual, side, Step::Open)]);
            }
            Node::Call(builtin, _) if is_of_run(builtin) => pending.push((id, side, Step::Close)),
            _ => {
                pending.push((id, side, Step::Close));
                pending.extend(expressions.children(id).map(|child| (child, side, Step::Open)));
            }
        }
    }

    fn branches(&self, id: ExpressionId, side: Side, pending: &mut Pending) {
        let Node::If(condition, a, b) = self.model.expressions.node(id) else {
            unreachable!("only if-expressions have branches")
        };
        pending.push((id, side, Step::Close));
        match self.decided(condition, side) {
            Some(true) => pending.push((a, side, Step::Open)),
            Some(false) => pending.push((b, side, Step::Open)),
            None => pending.extend([(b, side, Step::Open), (a, side, Step::Open)]),
        }
    }

    fn decided(&self, condition: ExpressionId, side: Side) -> Option<bool> {
        self.assembler.constant_of(self.values[&(condition, side)]).map(|value| value != 0.0)
    }

    fn close(&mut self, id: ExpressionId, side: Side) -> Result<Value, NotNumeric> {
        let of = |compiler: &Self, operand: ExpressionId| compiler.values[&(operand, side)];
        Ok(match self.model.expressions.node(id) {
            Node::Real(number) => self.assembler.constant(number.value()),
            Node::Integer(number) => self.assembler.constant(number as f64),
            Node::Boolean(value) => self.assembler.constant(truth(value)),
            Node::String(_) => return Err(NotNumeric { expression: id }),
            Node::Time => self.input(Input::Time),
            Node::Variable(variable, order) if side == Side::Now => self.input(Input::Variable(variable, order)),
            Node::Variable(variable, order) => self.left_limit(variable, order),
            Node::Mode(mode) if side == Side::Now => self.input(Input::Mode(mode)),
            Node::Mode(mode) => self.input(Input::LeftMode(mode)),
            Node::Pre(a) => self.values[&(a, Side::Before)],
            Node::Negate(a) => self.assembler.one(Operation::Negate, of(self, a)),
            Node::Not(a) => self.assembler.one(Operation::Not, of(self, a)),
            Node::Arithmetic(operator, a, b) => self.assembler.two(arithmetic(operator), of(self, a), of(self, b)),
            Node::Relation(operator, a, b) => {
                self.assembler.two(Operation::Relation(operator), of(self, a), of(self, b))
            }
            Node::And(a, b) => self.assembler.two(Operation::And, of(self, a), of(self, b)),
            Node::Or(a, b) => self.assembler.two(Operation::Or, of(self, a), of(self, b)),
            Node::If(condition, a, b) => match self.decided(condition, side) {
                Some(true) => of(self, a),
                Some(false) => of(self, b),
                None => self.assembler.select(of(self, condition), of(self, a), of(self, b)),
            },
            Node::Call(builtin, arguments) => {
                let list = self.model.expressions.argument_list(arguments);
                self.builtin(id, builtin, list, side)?
            }
            Node::Function(function, arguments) => {
                let list = self.model.expressions.argument_list(arguments);
                self.function(function, list, side, 1)[0]
            }
            Node::Output(call, which) => self.output(call, which, side),
        })
    }

    fn input(&mut self, input: Input) -> Value {
        match (self.known_inputs)(input) {
            Some(number) => self.assembler.constant(number),
            None => self.assembler.input(input),
        }
    }

    /// What is known in advance is the same on both sides of an instant.
    fn left_limit(&mut self, variable: VariableId, order: u32) -> Value {
        match (self.known_inputs)(Input::Variable(variable, order)) {
            Some(number) => self.assembler.constant(number),
            None => self.input(Input::LeftVariable(variable, order)),
        }
    }

    fn builtin(
        &mut self,
        id: ExpressionId,
        builtin: Builtin,
        list: &[ExpressionId],
        side: Side,
    ) -> Result<Value, NotNumeric> {
        let at = |compiler: &Self, position: usize| compiler.values[&(list[position], side)];
        Ok(match builtin {
            Builtin::StringOf => return Err(NotNumeric { expression: id }),
            Builtin::NoEvent | Builtin::Ordinal => at(self, 0),
            Builtin::Smooth => at(self, 1),
            Builtin::Homotopy if self.homotopy => self.blend(at(self, 0), at(self, 1)),
            Builtin::Homotopy => at(self, 0),
            Builtin::Edge | Builtin::Change => {
                let (now, before) = (at(self, 0), self.values[&(list[0], Side::Before)]);
                self.flank(builtin, now, before)
            }
            _ if is_of_run(builtin) => self.input(Input::Run(id)),
            _ if list.len() == 1 => self.assembler.one(Operation::One(builtin), at(self, 0)),
            _ => self.assembler.two(Operation::Two(builtin), at(self, 0), at(self, 1)),
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
    fn function(&mut self, function: FunctionId, list: &[ExpressionId], side: Side, least: u32) -> Vec<Value> {
        let declared = &self.model.functions[function];
        self.assembler.call(Call {
            name: declared.name.clone(),
            native: self.natives.get(&declared.name).cloned(),
            arguments: list.iter().map(|&argument| self.values[&(argument, side)].0).collect(),
            outputs: least.max(declared.outputs.len() as u32),
            partial: None,
        })
    }

    fn output(&mut self, call: ExpressionId, which: u32, side: Side) -> Value {
        let Node::Function(function, arguments) = self.model.expressions.node(call) else {
            unreachable!("only calls of functions have outputs")
        };
        let list = self.model.expressions.argument_list(arguments);
        self.function(function, list, side, which)[which as usize - 1]
    }
}

/// Calls whose value is no function of their arguments' values.
fn is_of_run(builtin: Builtin) -> bool {
    use Builtin::*;
    matches!(builtin, Sample | Delay | DelayMax | Initial | Terminal)
}

fn arithmetic(operator: modeshift_dae::ArithmeticOperator) -> Operation {
    use modeshift_dae::ArithmeticOperator::*;
    match operator {
        Add => Operation::Add,
        Subtract => Operation::Subtract,
        Multiply => Operation::Multiply,
        Divide => Operation::Divide,
        Power => Operation::Power,
    }
}

//! Bodies as lists of operations: expressions are computed into registers, branches and loops are jumps.
//!
//! Registers are the slots of the body, then one for each value on the way. Within a statement equal expressions are
//! computed once. What stands in a branch of an if-expression, or behind `and` or `or`, is computed only where it
//! counts: its subscripts may be out of bounds elsewhere.

use std::sync::Arc;

use modeshift_dae::{
    ArithmeticOperator, Body, Builtin, ELEMENT, ExpressionId, FunctionId, Node, RelationOperator, Statement,
};
use rustc_hash::FxHashMap;

/// A place for a number.
pub(crate) type Register = u32;

/// One operation; the first register is where its result goes.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Constant(Register, f64),
    Copy(Register, Register),
    Negate(Register, Register),
    Not(Register, Register),
    Arithmetic(ArithmeticOperator, Register, Register, Register),
    Relation(RelationOperator, Register, Register, Register),
    One(Builtin, Register, Register),
    Two(Builtin, Register, Register, Register),
    /// Goes on at this operation.
    Jump(u32),
    /// Goes on at this operation if the register is false, or if it is true.
    Unless(Register, u32),
    When(Register, u32),
    /// One of these registers.
    Load(Register, Element),
    /// Into one of these registers.
    Store(Register, Element),
    Call(Call),
    /// Ends with what is to be said unless the register is true.
    Assert(Register, Arc<str>),
    /// Whether an iterator has not passed its end: iterator, step, end.
    Within(Register, [Register; 3]),
    Return,
}

/// All outputs of a function into registers from the first one on.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub function: FunctionId,
    /// How often it is differentiated: each time, there are twice as many arguments and outputs (`tangents`).
    pub level: u32,
    pub first: Register,
    pub outputs: u32,
    pub arguments: Arc<[Register]>,
}

/// An element of an array, by subscripts from 1.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    /// In row-major order.
    pub registers: Registers,
    pub sizes: Arc<[u32]>,
    pub subscripts: Arc<[Register]>,
}

/// Where an array is.
#[derive(Clone, Debug)]
pub(crate) enum Registers {
    /// One behind the other, from this one on.
    From(Register),
    Listed(Arc<[Register]>),
}

impl Element {
    /// The registers that could be meant.
    pub fn registers(&self) -> impl Iterator<Item = Register> {
        let count: usize = self.sizes.iter().map(|&size| size as usize).product();
        (0..count).map(|index| self.registers.at(index) as Register)
    }
}

impl Registers {
    pub fn of(list: Vec<Register>) -> Self {
        match list.first() {
            Some(&first) if list.iter().enumerate().all(|(at, &it)| it == first + at as u32) => Registers::From(first),
            _ => Registers::Listed(list.into()),
        }
    }

    pub fn at(&self, index: usize) -> usize {
        match self {
            Registers::From(first) => *first as usize + index,
            Registers::Listed(list) => list[index] as usize,
        }
    }
}

impl Operation {
    /// The registers that are always written; not the elements of which one is.
    pub fn results(&self) -> std::ops::Range<Register> {
        match *self {
            Operation::Constant(to, _)
            | Operation::Copy(to, _)
            | Operation::Negate(to, _)
            | Operation::Not(to, _)
            | Operation::Arithmetic(_, to, ..)
            | Operation::Relation(_, to, ..)
            | Operation::One(_, to, _)
            | Operation::Two(_, to, ..)
            | Operation::Load(to, _)
            | Operation::Within(to, _) => to..to + 1,
            Operation::Call(Call { first, outputs, .. }) => first..first + outputs,
            Operation::Jump(_)
            | Operation::Unless(..)
            | Operation::When(..)
            | Operation::Store(..)
            | Operation::Assert(..)
            | Operation::Return => 0..0,
        }
    }
}

/// A body ready to be run.
#[derive(Debug)]
pub(crate) struct Program {
    pub operations: Vec<Operation>,
    pub registers: u32,
    /// How many of the first registers are slots of the body, which are no numbers before they are assigned. All others are written before they
    /// are read.
    pub slots: u32,
    /// How many of these are arguments.
    pub inputs: u32,
    pub outputs: Vec<Register>,
    pub counters: Vec<Counter>,
}

/// What a loop counts with: `count` is copied from where it begins, is asked whether it is `within`, is copied to `slot`, and grows by `step`;
/// nothing else writes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter {
    pub count: Register,
    pub step: Register,
    pub end: Register,
    pub slot: Register,
}

impl Program {
    /// Compiles a body; `outputs_of` says how many scalars a function returns.
    pub fn new(body: &Body, outputs_of: &dyn Fn(FunctionId) -> u32) -> Self {
        let mut compilation = Compilation {
            body,
            outputs_of,
            operations: Vec::new(),
            registers: body.slots,
            known: FxHashMap::default(),
            breaks: Vec::new(),
            counters: Vec::new(),
        };
        compilation.statements(&body.statements);
        compilation.operations.push(Operation::Return);
        Program {
            operations: compilation.operations,
            registers: compilation.registers,
            slots: body.slots,
            inputs: body.inputs,
            outputs: body.outputs.clone(),
            counters: compilation.counters,
        }
    }
}

impl Program {
    /// Registers that are the same constant wherever they are read: values on the way that are computed at one place.
    pub fn constants(&self) -> FxHashMap<Register, f64> {
        let mut results: FxHashMap<Register, usize> = FxHashMap::default();
        for result in self.operations.iter().flat_map(Operation::results) {
            *results.entry(result).or_default() += 1;
        }
        let mut constants = FxHashMap::default();
        for operation in &self.operations {
            let (register, value) = match operation {
                Operation::Constant(register, value) => (*register, Some(*value)),
                Operation::Copy(register, of) => (*register, constants.get(of).copied()),
                _ => continue,
            };
            if let Some(value) = value.filter(|_| register >= self.slots && results[&register] == 1) {
                constants.insert(register, value);
            }
        }
        constants
    }
}

struct Compilation<'b> {
    body: &'b Body,
    outputs_of: &'b dyn Fn(FunctionId) -> u32,
    operations: Vec<Operation>,
    registers: u32,
    /// Values of the statement under way.
    known: FxHashMap<ExpressionId, Register>,
    /// Jumps out of the innermost loop that wait for where it ends.
    breaks: Vec<Vec<usize>>,
    counters: Vec<Counter>,
}

impl Compilation<'_> {
    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.known.clear();
            self.statement(statement);
        }
        self.known.clear();
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign(list) => self.assign(list),
            Statement::Store { slots, sizes, subscripts, value } => {
                let value = self.value(*value);
                let element = self.element(slots.clone(), sizes, subscripts);
                self.operations.push(Operation::Store(value, element));
            }
            Statement::If(condition, then, otherwise) => {
                let condition = self.value(*condition);
                let skip = self.hole(|to| Operation::Unless(condition, to));
                self.statements(then);
                let end = self.hole(Operation::Jump);
                self.fill(skip);
                self.statements(otherwise);
                self.fill(end);
            }
            Statement::While(condition, body) => {
                let top = self.here();
                let condition = self.value(*condition);
                let leave = self.hole(|to| Operation::Unless(condition, to));
                self.looped(body, top, leave);
            }
            Statement::For { slot, range, body } => self.for_loop(*slot, *range, body),
            Statement::Break => {
                let jump = self.hole(Operation::Jump);
                if let Some(innermost) = self.breaks.last_mut() {
                    innermost.push(jump);
                }
            }
            Statement::Return => self.operations.push(Operation::Return),
            Statement::Assert(condition, message) => {
                let condition = self.value(*condition);
                self.operations.push(Operation::Assert(condition, message.clone()));
            }
        }
    }

    /// All values first; one alone goes straight to its place where no later one reads it.
    fn assign(&mut self, list: &[(u32, ExpressionId)]) {
        let values: Vec<Register> = list.iter().map(|&(_, value)| self.value(value)).collect();
        let reads_slots = values.iter().any(|&value| value < self.body.slots);
        let values: Vec<Register> = match list.len() > 1 && reads_slots {
            false => values,
            true => values.into_iter().map(|value| self.copied(value)).collect(),
        };
        for (&(slot, _), value) in list.iter().zip(values) {
            self.operations.push(Operation::Copy(slot, value));
        }
    }

    fn copied(&mut self, value: Register) -> Register {
        let copy = self.register();
        self.operations.push(Operation::Copy(copy, value));
        copy
    }

    /// The end is computed once, and the body may assign its iterator without harm.
    fn for_loop(&mut self, slot: u32, [from, step, to]: [ExpressionId; 3], body: &[Statement]) {
        let [from, step, to] = [from, step, to].map(|it| {
            let value = self.value(it);
            self.copied(value)
        });
        let (inside, count) = (self.register(), from);
        self.counters.push(Counter { count, step, end: to, slot });
        let top = self.here();
        self.operations.push(Operation::Within(inside, [count, step, to]));
        let leave = self.hole(|to| Operation::Unless(inside, to));
        self.operations.push(Operation::Copy(slot, count));
        self.operations.push(Operation::Arithmetic(ArithmeticOperator::Add, count, count, step));
        self.looped(body, top, leave);
    }

    fn looped(&mut self, body: &[Statement], top: u32, leave: usize) {
        self.breaks.push(vec![leave]);
        self.statements(body);
        self.operations.push(Operation::Jump(top));
        for hole in self.breaks.pop().unwrap_or_default() {
            self.fill(hole);
        }
    }

    fn here(&self) -> u32 {
        self.operations.len() as u32
    }

    /// A jump whose target is not known yet.
    fn hole(&mut self, jump: impl FnOnce(u32) -> Operation) -> usize {
        self.operations.push(jump(u32::MAX));
        self.operations.len() - 1
    }

    /// The jump goes to here.
    fn fill(&mut self, hole: usize) {
        let here = self.here();
        if let Operation::Jump(to) | Operation::Unless(_, to) | Operation::When(_, to) = &mut self.operations[hole] {
            *to = here;
        }
    }

    fn register(&mut self) -> Register {
        self.registers += 1;
        self.registers - 1
    }

    fn element(&mut self, registers: Vec<Register>, sizes: &[u32], subscripts: &[ExpressionId]) -> Element {
        let subscripts = subscripts.iter().map(|&subscript| self.value(subscript)).collect();
        Element { registers: Registers::of(registers), sizes: sizes.into(), subscripts }
    }

    fn value(&mut self, id: ExpressionId) -> Register {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        let register = self.compute(id);
        self.known.insert(id, register);
        register
    }

    fn made(&mut self, operation: impl FnOnce(Register) -> Operation) -> Register {
        let result = self.register();
        self.operations.push(operation(result));
        result
    }

    fn compute(&mut self, id: ExpressionId) -> Register {
        let expressions = &self.body.expressions;
        match expressions.node(id) {
            Node::Real(number) => self.made(|to| Operation::Constant(to, number.value())),
            Node::Integer(number) => self.made(|to| Operation::Constant(to, number as f64)),
            Node::Boolean(value) => self.made(|to| Operation::Constant(to, f64::from(u8::from(value)))),
            Node::Variable(slot, _) => slot.0,
            Node::Negate(a) => {
                let a = self.value(a);
                self.made(|to| Operation::Negate(to, a))
            }
            Node::Not(a) => {
                let a = self.value(a);
                self.made(|to| Operation::Not(to, a))
            }
            Node::Arithmetic(operator, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.made(|to| Operation::Arithmetic(operator, to, a, b))
            }
            Node::Relation(operator, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.made(|to| Operation::Relation(operator, to, a, b))
            }
            Node::And(a, b) => self.short_circuit(a, b, false),
            Node::Or(a, b) => self.short_circuit(a, b, true),
            Node::If(condition, a, b) => self.branches(condition, a, b),
            Node::Call(builtin, arguments) => {
                let list = expressions.argument_list(arguments).to_vec();
                self.builtin(builtin, &list)
            }
            Node::Function(ELEMENT, arguments) => {
                let list = expressions.argument_list(arguments).to_vec();
                self.load(&list)
            }
            Node::Function(..) => self.call(id),
            Node::Output(call, which) => self.call(call) + which - 1,
            // A body has none of these; what came here all the same is no number.
            Node::String(_) | Node::Time | Node::Pre(_) | Node::Mode(_) => {
                self.made(|to| Operation::Constant(to, f64::NAN))
            }
        }
    }

    fn builtin(&mut self, builtin: Builtin, list: &[ExpressionId]) -> Register {
        match (builtin, list) {
            (Builtin::Smooth, &[_, a]) | (Builtin::NoEvent | Builtin::Ordinal, &[a]) => self.value(a),
            (Builtin::Homotopy, &[a, _]) => self.value(a),
            (_, &[a]) => {
                let a = self.value(a);
                self.made(|to| Operation::One(builtin, to, a))
            }
            (_, &[a, b]) => {
                let (a, b) = (self.value(a), self.value(b));
                self.made(|to| Operation::Two(builtin, to, a, b))
            }
            _ => self.made(|to| Operation::Constant(to, f64::NAN)),
        }
    }

    /// `a and b`, `a or b`: `b` only where `a` does not decide.
    fn short_circuit(&mut self, a: ExpressionId, b: ExpressionId, deciding: bool) -> Register {
        let result = self.register();
        let a = self.value(a);
        self.operations.push(Operation::Copy(result, a));
        let end = self.hole(|to| if deciding { Operation::When(result, to) } else { Operation::Unless(result, to) });
        let b = self.inside(b);
        self.operations.push(Operation::Copy(result, b));
        self.fill(end);
        result
    }

    fn branches(&mut self, condition: ExpressionId, a: ExpressionId, b: ExpressionId) -> Register {
        let result = self.register();
        let condition = self.value(condition);
        let otherwise = self.hole(|to| Operation::Unless(condition, to));
        let a = self.inside(a);
        self.operations.push(Operation::Copy(result, a));
        let end = self.hole(Operation::Jump);
        self.fill(otherwise);
        let b = self.inside(b);
        self.operations.push(Operation::Copy(result, b));
        self.fill(end);
        result
    }

    /// A value that is computed only sometimes: what is computed on the way is not known behind it.
    fn inside(&mut self, id: ExpressionId) -> Register {
        let known = self.known.clone();
        let value = self.value(id);
        self.known = known;
        value
    }

    /// `ELEMENT(rank, sizes…, subscripts…, items…)`
    fn load(&mut self, list: &[ExpressionId]) -> Register {
        let whole = |id: ExpressionId| match self.body.expressions.node(id) {
            Node::Integer(value) => value as u32,
            _ => 0,
        };
        let rank = whole(list[0]) as usize;
        let sizes: Vec<u32> = list[1..=rank].iter().map(|&size| whole(size)).collect();
        let items: Vec<Register> = list[1 + 2 * rank..].iter().map(|&item| self.value(item)).collect();
        let element = self.element(items, &sizes, &list[1 + rank..1 + 2 * rank]);
        self.made(|to| Operation::Load(to, element))
    }

    /// The register of the first output; the others follow.
    fn call(&mut self, id: ExpressionId) -> Register {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        let Node::Function(function, arguments) = self.body.expressions.node(id) else { return self.value(id) };
        let list = self.body.expressions.argument_list(arguments).to_vec();
        let arguments: Arc<[Register]> = list.into_iter().map(|argument| self.value(argument)).collect();
        let (first, outputs) = (self.registers, (self.outputs_of)(function));
        self.registers += outputs;
        self.operations.push(Operation::Call(Call { function, level: 0, first, outputs, arguments }));
        self.known.insert(id, first);
        first
    }
}

//! Bodies of functions against an interpreter of their own, and their derivatives against differences.

use std::sync::Arc;

use modeshift_dae::{
    ArithmeticOperator as Op, Body, Builtin, ELEMENT, ExpressionId, Expressions, FlatModel, Function, FunctionId,
    Implementation, Node, RelationOperator, Statement, VariableId,
};
use modeshift_diagnostics::Span;
use modeshift_numerics::NativeFunctions;

/// A generator of numbers that is the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }
}

const INPUTS: u32 = 3;
/// The slots of an array.
const ARRAY: std::ops::Range<u32> = 3..7;
const OUTPUT: u32 = 7;
const REALS: std::ops::Range<u32> = 7..10;
const COUNTERS: std::ops::Range<u32> = 10..13;

/// Random bodies: every one ends, and is smooth where its branches do not change.
struct Writer {
    e: Expressions,
    dice: Dice,
    counters: Vec<u32>,
}

impl Writer {
    fn slot(&mut self, slot: u32) -> ExpressionId {
        self.e.add(Node::Variable(VariableId(slot), 0))
    }

    fn expression(&mut self, depth: u32) -> ExpressionId {
        let choice = self.dice.roll(if depth == 0 { 4 } else { 12 });
        match choice {
            0 => {
                let number = self.dice.roll(40) as f64 / 8.0 - 2.5;
                self.e.real(number)
            }
            1 | 2 => {
                let slot = self.dice.roll(u64::from(REALS.end)) as u32;
                self.slot(slot)
            }
            3 => self.element(),
            4 => {
                let (condition, a, b) =
                    (self.condition(depth - 1), self.expression(depth - 1), self.expression(depth - 1));
                self.e.add(Node::If(condition, a, b))
            }
            5 => {
                let a = self.expression(depth - 1);
                let builtin = [Builtin::Sin, Builtin::Tanh, Builtin::Atan, Builtin::Cos][self.dice.roll(4) as usize];
                self.e.call(builtin, &[a])
            }
            6 => {
                let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
                let builtin = [Builtin::Min, Builtin::Max][self.dice.roll(2) as usize];
                self.e.call(builtin, &[a, b])
            }
            _ => {
                let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
                let operator = [Op::Add, Op::Subtract, Op::Multiply][self.dice.roll(3) as usize];
                self.e.add(Node::Arithmetic(operator, a, b))
            }
        }
    }

    /// An element of the array, by a loop's counter where there is one.
    fn element(&mut self) -> ExpressionId {
        let subscript = self.subscript();
        let sizes = [1, 4].map(|number| self.e.integer(number));
        let items: Vec<ExpressionId> = ARRAY.map(|slot| self.slot(slot)).collect();
        let list = [&sizes[..], &[subscript], &items].concat();
        self.e.function(ELEMENT, &list)
    }

    fn subscript(&mut self) -> ExpressionId {
        match self.counters.last() {
            Some(&counter) => self.slot(counter),
            None => {
                let number = 1 + self.dice.roll(4) as i64;
                self.e.integer(number)
            }
        }
    }

    fn condition(&mut self, depth: u32) -> ExpressionId {
        let (a, b) = (self.expression(depth), self.expression(depth));
        let relation = self.e.add(Node::Relation(RelationOperator::Less, a, b));
        match (depth, self.dice.roll(4)) {
            (1.., 0) => {
                let other = self.condition(depth - 1);
                self.e.add(Node::And(relation, other))
            }
            (1.., 1) => {
                let other = self.condition(depth - 1);
                self.e.add(Node::Or(relation, other))
            }
            (_, 2) => self.e.add(Node::Not(relation)),
            _ => relation,
        }
    }

    fn statements(&mut self, depth: u32) -> Vec<Statement> {
        (0..1 + self.dice.roll(4)).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: u32) -> Statement {
        match self.dice.roll(if depth == 0 { 3 } else { 7 }) {
            0 | 1 => {
                let pair = |this: &mut Self| (REALS.start + this.dice.roll(3) as u32, this.expression(3));
                let first = pair(self);
                Statement::Assign(vec![first])
            }
            2 => {
                let (subscript, value) = (self.subscript(), self.expression(2));
                Statement::Store { slots: ARRAY.collect(), sizes: vec![4], subscripts: vec![subscript], value }
            }
            3 | 4 => {
                let condition = self.condition(1);
                let (then, otherwise) = (self.statements(depth - 1), self.statements(depth - 1));
                Statement::If(condition, then, otherwise)
            }
            5 if (self.counters.len() as u32) < COUNTERS.end - COUNTERS.start => {
                let slot = COUNTERS.start + self.counters.len() as u32;
                self.counters.push(slot);
                let mut body = self.statements(depth - 1);
                if self.dice.roll(3) == 0 {
                    let condition = self.condition(1);
                    body.push(Statement::If(condition, vec![Statement::Break], Vec::new()));
                }
                self.counters.pop();
                let range = if self.dice.roll(2) == 0 { [1, 1, 4] } else { [4, -2, 1] };
                Statement::For { slot, range: range.map(|number| self.e.integer(number)), body }
            }
            _ => Statement::Assign(vec![(OUTPUT, self.expression(3))]),
        }
    }

    fn body(mut self) -> Body {
        let mut statements = vec![];
        for slot in ARRAY.chain(REALS) {
            let value = self.dice.roll(16) as f64 / 4.0 - 2.0;
            let number = self.e.real(value);
            statements.push(Statement::Assign(vec![(slot, number)]));
        }
        statements.extend(self.statements(3));
        let outputs = [OUTPUT].into_iter().chain(ARRAY).collect();
        Body { expressions: self.e, slots: COUNTERS.end, inputs: INPUTS, outputs, statements }
    }
}

/// The second opinion: a walk over the statements.
struct Walk<'b> {
    body: &'b Body,
    slots: Vec<f64>,
}

#[derive(PartialEq)]
enum Flow {
    Next,
    Break,
}

impl Walk<'_> {
    fn of(body: &Body, inputs: &[f64]) -> Vec<f64> {
        let mut slots = vec![f64::NAN; body.slots as usize];
        slots[..inputs.len()].copy_from_slice(inputs);
        let mut walk = Walk { body, slots };
        walk.all(&body.statements);
        body.outputs.iter().map(|&slot| walk.slots[slot as usize]).collect()
    }

    fn all(&mut self, statements: &[Statement]) -> Flow {
        for statement in statements {
            if self.one(statement) == Flow::Break {
                return Flow::Break;
            }
        }
        Flow::Next
    }

    fn one(&mut self, statement: &Statement) -> Flow {
        match statement {
            Statement::Assign(list) => {
                let values: Vec<f64> = list.iter().map(|&(_, value)| self.value(value)).collect();
                list.iter().zip(values).for_each(|(&(slot, _), value)| self.slots[slot as usize] = value);
                Flow::Next
            }
            Statement::Store { slots, subscripts, value, .. } => {
                let at = self.value(subscripts[0]) as usize - 1;
                self.slots[slots[at] as usize] = self.value(*value);
                Flow::Next
            }
            Statement::If(condition, then, otherwise) => {
                let chosen = if self.value(*condition) != 0.0 { then } else { otherwise };
                self.all(chosen)
            }
            Statement::For { slot, range, body } => {
                let [mut at, step, to] = range.map(|it| self.value(it));
                while if step > 0.0 { at <= to } else { at >= to } {
                    self.slots[*slot as usize] = at;
                    if self.all(body) == Flow::Break {
                        break;
                    }
                    at += step;
                }
                Flow::Next
            }
            Statement::Break => Flow::Break,
            other => panic!("{other:?} is not written"),
        }
    }

    fn value(&self, id: ExpressionId) -> f64 {
        let e = &self.body.expressions;
        let truth = |value: bool| f64::from(u8::from(value));
        match e.node(id) {
            Node::Variable(slot, _) => self.slots[slot.0 as usize],
            Node::If(c, a, b) => self.value(if self.value(c) != 0.0 { a } else { b }),
            Node::Not(a) => truth(self.value(a) == 0.0),
            Node::And(a, b) => truth(self.value(a) != 0.0 && self.value(b) != 0.0),
            Node::Or(a, b) => truth(self.value(a) != 0.0 || self.value(b) != 0.0),
            Node::Relation(_, a, b) => truth(self.value(a) < self.value(b)),
            Node::Negate(a) => -self.value(a),
            Node::Arithmetic(operator, a, b) => operator.value(self.value(a), self.value(b)),
            Node::Call(builtin, arguments) => {
                let list: Vec<f64> = e.argument_list(arguments).iter().map(|&it| self.value(it)).collect();
                builtin.value(&list).expect("a number")
            }
            Node::Function(_, arguments) => {
                let list = e.argument_list(arguments);
                self.value(list[2 + self.value(list[2]) as usize])
            }
            _ => e.literal(id).expect("a literal"),
        }
    }
}

fn function(name: &str, arguments: u32, results: u32, implementation: Implementation) -> Function {
    Function {
        name: name.into(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        arguments,
        results,
        differentiable: u32::MAX,
        derivative: None,
        implementation,
        span: Span::default(),
    }
}

/// A model of this function, its derivative and the derivative of that.
fn model(body: &Body) -> (FlatModel, [FunctionId; 3]) {
    let mut model = FlatModel::new("M");
    let (arguments, results) = (body.inputs, body.outputs.len() as u32);
    let f = model.functions.push(function("f", arguments, results, Implementation::Body(Arc::new(body.clone()))));
    let d = model.functions.push(function("der(f)", 2 * arguments, results, Implementation::Derivative(f)));
    let dd = model.functions.push(function("der(der(f))", 4 * arguments, results, Implementation::Derivative(d)));
    model.functions[f].derivative = Some((d, Vec::new()));
    model.functions[d].derivative = Some((dd, Vec::new()));
    (model, [f, d, dd])
}

fn evaluate(model: &FlatModel, natives: &NativeFunctions, id: FunctionId, inputs: &[f64]) -> Vec<f64> {
    let mut outputs = vec![0.0; model.functions[id].results as usize];
    natives.of_function(model, id).expect("it can be run").evaluate(inputs, &mut outputs);
    outputs
}

fn random_body(seed: u64) -> Body {
    Writer { e: Expressions::new(), dice: Dice(seed), counters: Vec::new() }.body()
}

#[test]
fn two_thousand_random_functions_have_the_values_of_another_interpreter() {
    for seed in 0..2_000 {
        let body = random_body(seed);
        let (model, [f, ..]) = model(&body);
        let natives = NativeFunctions::of(&model);
        for inputs in [[0.3, -1.2, 2.0], [1.0, 0.7, -0.4], [-2.0, 0.1, 0.9]] {
            let (found, expected) = (evaluate(&model, &natives, f, &inputs), Walk::of(&body, &inputs));
            let same = found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan());
            assert!(same, "function {seed} at {inputs:?}: {found:?} instead of {expected:?}");
        }
    }
}

/// So many evaluations that what is evaluated is machine code by then, whatever the body.
const MANY: usize = 1_500;

#[test]
fn random_functions_go_over_to_machine_code_and_nobody_notices() {
    for seed in 0..250 {
        let body = random_body(seed);
        let (model, functions) = model(&body);
        let natives = NativeFunctions::of(&model);
        for (number, id) in functions.into_iter().enumerate() {
            let count = model.functions[id].arguments as usize;
            let inputs: Vec<f64> = (0..count).map(|at| (0.7 * (at as f64 + 1.3 * seed as f64)).sin()).collect();
            let interpreted = evaluate(&model, &natives, id, &inputs);
            let native = natives.of_function(&model, id).expect("it can be run");
            let mut found = vec![0.0; interpreted.len()];
            for _ in 0..MANY >> number {
                native.evaluate(&inputs, &mut found);
            }
            let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            assert!(found.iter().zip(&interpreted).all(same), "{seed}, {number}: {found:?} {interpreted:?}");
        }
    }
}

/// The recursive sum of the first whole numbers up to `x`, by a function that calls itself; not a number where `x` is none.
fn recursive_sum() -> Body {
    let mut e = Expressions::new();
    let (x, one) = (e.add(Node::Variable(VariableId(0), 0)), e.integer(1));
    let is_last = e.add(Node::Relation(RelationOperator::LessEqual, x, one));
    let lower = e.add(Node::Arithmetic(Op::Subtract, x, one));
    let rest = e.function(FunctionId(0), &[lower]);
    let sum = e.add(Node::Arithmetic(Op::Add, x, rest));
    let chosen = Statement::If(
        is_last,
        vec![Statement::Assign(vec![(1, x)]), Statement::Return],
        vec![Statement::Assign(vec![(1, sum)])],
    );
    Body { expressions: e, slots: 2, inputs: 1, outputs: vec![1], statements: vec![chosen] }
}

#[test]
fn functions_that_call_themselves_are_compiled_and_end_where_they_are_too_deep() {
    let (model, [f, d, dd]) = model(&recursive_sum());
    let natives = NativeFunctions::of(&model);
    let native = natives.of_function(&model, f).expect("it can be run");
    let mut outputs = [0.0];
    for _ in 0..3_000 {
        native.evaluate(&[100.0], &mut outputs);
        assert_eq!(outputs, [5050.0]);
    }
    native.evaluate(&[1_000.0], &mut outputs);
    assert!(outputs[0].is_nan());
    assert_eq!(native.fault(&[1_000.0]).as_deref(), Some("calls are nested more than 200 deep"));
    for _ in 0..300 {
        assert_eq!(evaluate(&model, &natives, d, &[50.5, 1.0]), [51.0]);
        assert_eq!(evaluate(&model, &natives, dd, &[50.5, 1.0, 1.0, 2.0]), [102.0]);
    }
}

/// `for i in 1:x loop for j in i:3 loop y := y + 10*i + j; end for; k := i; end for;`, or in other steps.
fn loops_to_the_argument(step: i64) -> Body {
    let mut e = Expressions::new();
    let [x, y, i, j] = [0, 1, 2, 3].map(|slot| e.add(Node::Variable(VariableId(slot), 0)));
    let [zero, one, three, ten, step] = [0, 1, 3, 10, step].map(|number| e.integer(number));
    let tens = e.add(Node::Arithmetic(Op::Multiply, ten, i));
    let both = e.add(Node::Arithmetic(Op::Add, tens, j));
    let sum = e.add(Node::Arithmetic(Op::Add, y, both));
    let inner = Statement::For { slot: 3, range: [i, one, three], body: vec![Statement::Assign(vec![(1, sum)])] };
    let last = Statement::Assign(vec![(4, i)]);
    let outer = Statement::For { slot: 2, range: [one, step, x], body: vec![inner, last] };
    let statements = vec![Statement::Assign(vec![(1, zero), (4, zero)]), outer];
    Body { expressions: e, slots: 5, inputs: 1, outputs: vec![1, 4], statements }
}

#[test]
fn compiled_loops_end_where_interpreted_ones_do() {
    let ends = [-1e300, -0.5, 0.0, 1.0, 2.5, 2.999_999_999_999, 3.0, 4.5, 7.0, f64::NAN, f64::NEG_INFINITY];
    for step in [1, 2] {
        let (model, [f, ..]) = model(&loops_to_the_argument(step));
        let natives = NativeFunctions::of(&model);
        let interpreted = ends.map(|end| evaluate(&model, &natives, f, &[end]));
        for _ in 0..3_000 {
            evaluate(&model, &natives, f, &[5.0]);
        }
        for (end, interpreted) in ends.into_iter().zip(interpreted) {
            assert_eq!(evaluate(&model, &natives, f, &[end]), interpreted, "up to {end} in steps of {step}");
        }
        for endless in [f64::INFINITY, 1e300] {
            assert!(evaluate(&model, &natives, f, &[endless])[0].is_nan());
        }
    }
    let sum = |i: f64| (0..3).map(f64::from).map(|j| 10.0 * i + j + 1.0).skip(i as usize - 1).sum::<f64>();
    let (model, [f, ..]) = model(&loops_to_the_argument(1));
    let found = evaluate(&model, &NativeFunctions::of(&model), f, &[4.0]);
    assert_eq!(found, [sum(1.0) + sum(2.0) + sum(3.0), 4.0]);
}

/// Elements by a computed subscript of an array that is an argument and of one that is stored into, then far out of bounds.
#[test]
fn compiled_functions_end_where_subscripts_are_out_of_bounds() {
    let mut e = Expressions::new();
    let slot = |e: &mut Expressions, at: u32| e.add(Node::Variable(VariableId(at), 0));
    let items: Vec<ExpressionId> = (0..3).map(|at| slot(&mut e, at)).collect();
    let (index, sizes) = (slot(&mut e, 3), [1, 3].map(|number| e.integer(number)));
    let element = e.function(ELEMENT, &[&sizes[..], &[index], &items].concat());
    let doubled = e.add(Node::Arithmetic(Op::Add, element, element));
    let store = Statement::Store { slots: vec![5, 6, 7], sizes: vec![3], subscripts: vec![index], value: doubled };
    let begin = Statement::Assign((5..8).map(|at| (at, e.real(f64::from(at)))).collect());
    let body = Body { expressions: e, slots: 8, inputs: 4, outputs: vec![5, 6, 7], statements: vec![begin, store] };
    let (model, [f, d, _]) = model(&body);
    let natives = NativeFunctions::of(&model);
    for round in 0..3_000 {
        let at = 1 + round % 3;
        let mut expected = [5.0, 6.0, 7.0];
        expected[at - 1] = 2.0 * [0.5, 1.5, 2.5][at - 1];
        assert_eq!(evaluate(&model, &natives, f, &[0.5, 1.5, 2.5, at as f64]), expected);
        let mut slopes = [0.0; 3];
        slopes[at - 1] = 2.0 * at as f64;
        assert_eq!(evaluate(&model, &natives, d, &[0.5, 1.5, 2.5, at as f64, 1.0, 2.0, 3.0, 0.0]), slopes);
    }
    for index in [0.0, 4.0, 1.5, -1.0, 1e300, f64::NAN, f64::INFINITY] {
        let inputs = [0.5, 1.5, 2.5, index];
        assert!(evaluate(&model, &natives, f, &inputs).iter().all(|it| it.is_nan()), "{index}");
        let native = natives.of_function(&model, f).expect("it can be run");
        assert!(native.fault(&inputs).expect("a reason").contains("out of bounds"));
    }
}

#[test]
fn derivatives_of_random_functions_are_those_of_differences() {
    let (mut compared, step) = (0, 1e-6);
    for seed in 0..2_000 {
        let body = random_body(seed);
        let (model, [f, d, dd]) = model(&body);
        let natives = NativeFunctions::of(&model);
        let (x, v): ([f64; 3], [f64; 3]) = ([0.31, -1.2, 2.07], [1.0, 0.5, -0.25]);
        let moved = |by: f64| -> Vec<f64> { x.iter().zip(v).map(|(x, v)| x + by * v).collect() };
        let values = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|by| evaluate(&model, &natives, f, &moved(by * step)));
        let first = evaluate(&model, &natives, d, &[x, v].concat());
        let slopes = [-1.0, 1.0].map(|by| evaluate(&model, &natives, d, &[moved(by * step), v.to_vec()].concat()));
        let second = evaluate(&model, &natives, dd, &[x, v, v, [0.0; 3]].concat());
        for at in 0..first.len() {
            let is_finite = values.iter().all(|it| it[at].abs() < 1e3);
            let (left, right) = (values[2][at] - values[1][at], values[3][at] - values[2][at]);
            // Where a branch changes between the points, differences say nothing.
            let is_smooth =
                (left - right).abs() <= 1e-7 && (values[4][at] - 2.0 * values[2][at] + values[0][at]).abs() <= 1e-7;
            if !is_finite || !is_smooth || first[at].abs() > 1e3 || second[at].abs() > 1e4 {
                continue;
            }
            compared += 1;
            let difference = (values[3][at] - values[1][at]) / (2.0 * step);
            assert!(
                (difference - first[at]).abs() <= 1e-5 * (1.0 + first[at].abs()),
                "{seed}: {difference} {}",
                first[at]
            );
            let difference = (slopes[1][at] - slopes[0][at]) / (2.0 * step);
            let size = 1.0 + first[at].abs() + second[at].abs();
            assert!((difference - second[at]).abs() <= 1e-4 * size, "{seed}: {difference} {}", second[at]);
        }
    }
    assert!(compared > 6_000, "{compared} outputs were compared");
}

#[test]
fn a_function_that_cannot_go_on_has_no_value_and_says_why() {
    let mut e = Expressions::new();
    let (x, zero, four) = (e.add(Node::Variable(VariableId(0), 0)), e.integer(0), e.integer(4));
    let positive = e.add(Node::Relation(RelationOperator::Greater, x, zero));
    let truth = e.boolean(true);
    let element = {
        let one = e.integer(1);
        e.function(ELEMENT, &[one, four, x, x, x, x, x])
    };
    let cases = [
        (vec![Statement::Assert(positive, "x must be positive".into())], -1.0, "x must be positive"),
        (vec![Statement::Assign(vec![(1, element)])], 5.0, "subscript 5 is out of bounds: the size is 4"),
        (vec![Statement::While(truth, Vec::new())], 1.0, "its loops do not end within 50000000 operations"),
    ];
    for (mut statements, input, why) in cases {
        statements.push(Statement::Assign(vec![(1, x)]));
        let body = Body { expressions: e.clone(), slots: 2, inputs: 1, outputs: vec![1], statements };
        let (model, [f, ..]) = model(&body);
        let natives = NativeFunctions::of(&model);
        assert!(evaluate(&model, &natives, f, &[input])[0].is_nan());
        let native = natives.of_function(&model, f).expect("it can be run");
        assert_eq!(native.fault(&[input]).as_deref(), Some(why));
        assert_eq!(native.fault(&[2.0]).is_none(), !why.contains("end"));
    }
}

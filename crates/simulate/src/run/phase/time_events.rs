//! Events whose times are known in advance: relations that are affine in time, stairs of time, `sample`.
//!
//! `time >= t1` is never searched for: the run stops exactly at `t1`. The coefficients of `a*time + b` may contain
//! parameters and discrete values, which stand still until the next event.

use modeshift_dae::{
    ArithmeticOperator as Op, Builtin, ExpressionId, Expressions, Fold, Memo, Node, Operands, RelationOperator,
    VariableId,
};

/// `slope*time + constant`
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Affine {
    pub slope: f64,
    pub constant: f64,
}

impl Affine {
    fn constant(constant: f64) -> Self {
        Affine { slope: 0.0, constant }
    }

    fn truth(truth: bool) -> Self {
        Affine::constant(f64::from(u8::from(truth)))
    }

    fn is_true(self) -> bool {
        self.constant != 0.0
    }

    /// One or the other, as a truth says.
    fn chosen(self, one: Affine, other: Affine) -> Self {
        if self.is_true() { one } else { other }
    }

    /// The value at a time.
    pub fn at(self, time: f64) -> f64 {
        self.slope * time + self.constant
    }

    /// When it has a value; nothing where it stands still.
    pub fn time_of(self, value: f64) -> Option<f64> {
        let time = (value - self.constant) / self.slope;
        (self.slope != 0.0 && time.is_finite()).then_some(time)
    }
}

/// When `left` meets `right`, where both are affine in time. `time >= t1` gives `t1` to the last bit.
pub(crate) fn meeting(left: Affine, right: Affine) -> Option<f64> {
    let slope = left.slope - right.slope;
    let time = (right.constant - left.constant) / slope;
    (slope != 0.0 && time.is_finite()).then_some(time)
}

/// An expression as a function of time, if it is affine in it; `value` gives parameters and discrete variables, and
/// where it is told so their left limits.
pub(crate) fn affine(
    expressions: &Expressions,
    root: ExpressionId,
    value: &dyn Fn(VariableId, bool) -> Option<f64>,
) -> Option<Affine> {
    let mut in_time = InTime { expressions, value };
    // Every event asks again, mostly for little more than `time` itself or a parameter.
    match in_time.shallow(root, false, MOST_OPERATORS) {
        Err(NoValue::NotAffine) => None,
        Err(NoValue::TooDeep) => in_time.fold(&mut Memo::new(), root, false).ok(),
        Ok(affine) => Some(affine),
    }
}

/// From expressions to functions of time.
struct InTime<'a> {
    expressions: &'a Expressions,
    value: &'a dyn Fn(VariableId, bool) -> Option<f64>,
}

/// An expression that is not affine in time.
struct NotAffine;

/// Why a value was not found without remembering any.
enum NoValue {
    NotAffine,
    TooDeep,
}

/// Operators above each other that are looked at without remembering values: what is shared below them is looked at a few times.
const MOST_OPERATORS: u32 = 6;

impl InTime<'_> {
    fn leaf(&self, id: ExpressionId, is_left: bool) -> Option<Affine> {
        match self.expressions.node(id) {
            Node::Time => Some(Affine { slope: 1.0, constant: 0.0 }),
            Node::Real(number) => Some(Affine::constant(number.value())),
            Node::Integer(number) => Some(Affine::constant(number as f64)),
            Node::Boolean(truth) => Some(Affine::truth(truth)),
            Node::Variable(variable, 0) => (self.value)(variable, is_left).map(Affine::constant),
            _ => None,
        }
    }

    /// The value of what has few operators above each other.
    fn shallow(&self, id: ExpressionId, is_left: bool, most: u32) -> Result<Affine, NoValue> {
        if let Some(leaf) = self.leaf(id, is_left) {
            return Ok(leaf);
        }
        let most = most.checked_sub(1).ok_or(NoValue::TooDeep)?;
        match self.expressions.node(id) {
            Node::Arithmetic(operator, a, b) => {
                let (a, b) = (self.shallow(a, is_left, most)?, self.shallow(b, is_left, most)?);
                combined(operator, a, b).ok_or(NoValue::NotAffine)
            }
            Node::Negate(a) => {
                let a = self.shallow(a, is_left, most)?;
                Ok(negated(a))
            }
            // What is chosen, and what decides that.
            Node::If(..) | Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Relation(..) => Err(NoValue::TooDeep),
            _ => {
                let (same, is_left) = same(self.expressions, id, is_left).ok_or(NoValue::NotAffine)?;
                self.shallow(same, is_left, most)
            }
        }
    }
}

impl Fold for InTime<'_> {
    type Context = bool;
    type Value = Affine;
    type Error = NotAffine;

    fn expressions(&self) -> &Expressions {
        self.expressions
    }

    fn open(&mut self, id: ExpressionId, is_left: bool, operands: &mut Operands<bool>) -> Option<Affine> {
        match self.expressions.node(id) {
            Node::Arithmetic(_, a, b) => operands.extend([b, a], is_left),
            Node::Negate(a) | Node::Not(a) => operands.push(a, is_left),
            Node::And(a, b) | Node::Or(a, b) | Node::Relation(_, a, b) => operands.extend([b, a], is_left),
            Node::If(condition, a, b) => operands.extend([b, a, condition], is_left),
            _ => {
                if let Some((same, is_left)) = same(self.expressions, id, is_left) {
                    operands.push(same, is_left);
                }
            }
        }
        self.leaf(id, is_left)
    }

    fn branches(&mut self, _: [ExpressionId; 3], _: bool, _: &Memo<bool, Affine>, _: &mut Operands<bool>) {}

    fn close(&mut self, id: ExpressionId, is_left: bool, known: &Memo<bool, Affine>) -> Result<Affine, NotAffine> {
        let of = |operand: ExpressionId| known.at(operand, is_left);
        match self.expressions.node(id) {
            Node::Arithmetic(operator, a, b) => combined(operator, of(a), of(b)).ok_or(NotAffine),
            Node::Negate(a) => Ok(negated(of(a))),
            Node::Not(a) => Ok(Affine::truth(!of(a).is_true())),
            Node::And(a, b) => Ok(Affine::truth(of(a).is_true() && of(b).is_true())),
            Node::Or(a, b) => Ok(Affine::truth(of(a).is_true() || of(b).is_true())),
            Node::Relation(operator, a, b) => related(operator, of(a), of(b)).ok_or(NotAffine),
            Node::If(condition, a, b) => Ok(of(condition).chosen(of(a), of(b))),
            _ => same(self.expressions, id, is_left).map(|(same, is_left)| known.at(same, is_left)).ok_or(NotAffine),
        }
    }
}

fn negated(a: Affine) -> Affine {
    Affine { slope: -a.slope, constant: -a.constant }
}

/// Whether a relation holds between what stands still; one that changes with time is no step of a formula, but an event.
fn related(operator: RelationOperator, a: Affine, b: Affine) -> Option<Affine> {
    (a.slope == 0.0 && b.slope == 0.0).then(|| Affine::truth(operator.holds(a.constant, b.constant)))
}

/// What an expression has the same value as, and whether that is to the left.
fn same(expressions: &Expressions, id: ExpressionId, is_left: bool) -> Option<(ExpressionId, bool)> {
    match expressions.node(id) {
        Node::Pre(a) => Some((a, true)),
        Node::Call(Builtin::Smooth, arguments) => {
            expressions.argument_list(arguments).get(1).map(|&value| (value, is_left))
        }
        Node::Call(Builtin::Homotopy | Builtin::NoEvent | Builtin::Ordinal, arguments) => {
            expressions.argument_list(arguments).first().map(|&value| (value, is_left))
        }
        _ => None,
    }
}

fn combined(operator: Op, a: Affine, b: Affine) -> Option<Affine> {
    Some(match operator {
        Op::Add => Affine { slope: a.slope + b.slope, constant: a.constant + b.constant },
        Op::Subtract => Affine { slope: a.slope - b.slope, constant: a.constant - b.constant },
        Op::Multiply if a.slope == 0.0 => Affine { slope: a.constant * b.slope, constant: a.constant * b.constant },
        Op::Multiply if b.slope == 0.0 => Affine { slope: a.slope * b.constant, constant: a.constant * b.constant },
        Op::Divide if b.slope == 0.0 => Affine { slope: a.slope / b.constant, constant: a.constant / b.constant },
        Op::Power if a.slope == 0.0 && b.slope == 0.0 => Affine::constant(Op::Power.value(a.constant, b.constant)),
        _ => return None,
    })
}

/// An expression in time and in what is decided at events, made ready: every event asks again.
pub(crate) struct TimeFormula {
    steps: Vec<FormulaStep>,
}

#[derive(Clone, Copy)]
enum FormulaStep {
    Known(Affine),
    /// A discrete variable, or its left limit.
    Decided(VariableId, bool),
    Negate,
    Combine(Op),
    Not,
    And,
    Or,
    Relate(RelationOperator),
    /// One of two, as what is below them says.
    Choose,
}

/// What a variable is to a formula.
pub(crate) enum Part {
    Number(f64),
    Decided,
    /// It changes between events.
    Neither,
}

/// So many operands wait at most.
const MOST_WAITING: usize = 8;

impl TimeFormula {
    /// Of an expression; nothing where it is not affine in time whatever is decided, or nested deeply.
    pub fn new(expressions: &Expressions, root: ExpressionId, part: &dyn Fn(VariableId) -> Part) -> Option<Self> {
        let mut formula = TimeFormula { steps: Vec::new() };
        formula.add(expressions, (root, false), part, 0)?;
        Some(formula)
    }

    fn add(
        &mut self,
        expressions: &Expressions,
        (id, is_left): (ExpressionId, bool),
        part: &dyn Fn(VariableId) -> Part,
        waiting: usize,
    ) -> Option<()> {
        if waiting == MOST_WAITING {
            return None;
        }
        let step = match expressions.node(id) {
            Node::Time => FormulaStep::Known(Affine { slope: 1.0, constant: 0.0 }),
            Node::Real(number) => FormulaStep::Known(Affine::constant(number.value())),
            Node::Integer(number) => FormulaStep::Known(Affine::constant(number as f64)),
            Node::Boolean(truth) => FormulaStep::Known(Affine::truth(truth)),
            Node::Variable(variable, 0) => match part(variable) {
                Part::Number(value) => FormulaStep::Known(Affine::constant(value)),
                Part::Decided => FormulaStep::Decided(variable, is_left),
                Part::Neither => return None,
            },
            Node::Negate(a) => {
                self.add(expressions, (a, is_left), part, waiting)?;
                FormulaStep::Negate
            }
            Node::Arithmetic(operator, a, b) => {
                self.add(expressions, (a, is_left), part, waiting)?;
                self.add(expressions, (b, is_left), part, waiting + 1)?;
                FormulaStep::Combine(operator)
            }
            Node::Not(a) => {
                self.add(expressions, (a, is_left), part, waiting)?;
                FormulaStep::Not
            }
            Node::And(a, b) | Node::Or(a, b) | Node::Relation(_, a, b) => {
                self.add(expressions, (a, is_left), part, waiting)?;
                self.add(expressions, (b, is_left), part, waiting + 1)?;
                match expressions.node(id) {
                    Node::And(..) => FormulaStep::And,
                    Node::Relation(operator, ..) => FormulaStep::Relate(operator),
                    _ => FormulaStep::Or,
                }
            }
            Node::If(condition, a, b) => {
                self.add(expressions, (condition, is_left), part, waiting)?;
                self.add(expressions, (a, is_left), part, waiting + 1)?;
                self.add(expressions, (b, is_left), part, waiting + 2)?;
                FormulaStep::Choose
            }
            _ => return self.add(expressions, same(expressions, id, is_left)?, part, waiting),
        };
        // What is known is computed once.
        match (step, self.steps.as_slice()) {
            (FormulaStep::Negate, &[.., FormulaStep::Known(a)]) => {
                self.steps.pop();
                self.steps.push(FormulaStep::Known(negated(a)));
            }
            (FormulaStep::Combine(operator), &[.., FormulaStep::Known(a), FormulaStep::Known(b)]) => {
                self.steps.truncate(self.steps.len() - 2);
                self.steps.push(FormulaStep::Known(combined(operator, a, b)?));
            }
            _ => self.steps.push(step),
        }
        Some(())
    }

    /// The function of time, with the values of what is decided; nothing where it is none, or one of them has no value.
    pub fn at(&self, value: impl Fn(VariableId, bool) -> f64) -> Option<Affine> {
        let mut waiting = [Affine::constant(0.0); MOST_WAITING];
        let mut count = 0;
        for step in &self.steps {
            match *step {
                FormulaStep::Known(known) => {
                    waiting[count] = known;
                    count += 1;
                }
                FormulaStep::Decided(id, is_left) => {
                    let value = value(id, is_left);
                    if !value.is_finite() {
                        return None;
                    }
                    waiting[count] = Affine::constant(value);
                    count += 1;
                }
                FormulaStep::Negate => waiting[count - 1] = negated(waiting[count - 1]),
                FormulaStep::Not => waiting[count - 1] = Affine::truth(!waiting[count - 1].is_true()),
                FormulaStep::Combine(_) | FormulaStep::And | FormulaStep::Or | FormulaStep::Relate(_) => {
                    count -= 1;
                    waiting[count - 1] = of_two(*step, waiting[count - 1], waiting[count])?;
                }
                FormulaStep::Choose => {
                    count -= 2;
                    waiting[count - 1] = waiting[count - 1].chosen(waiting[count], waiting[count + 1]);
                }
            }
        }
        Some(waiting[0])
    }
}

/// A step with two operands.
fn of_two(step: FormulaStep, a: Affine, b: Affine) -> Option<Affine> {
    match step {
        FormulaStep::Combine(operator) => combined(operator, a, b),
        FormulaStep::And => Some(Affine::truth(a.is_true() && b.is_true())),
        FormulaStep::Or => Some(Affine::truth(a.is_true() || b.is_true())),
        FormulaStep::Relate(operator) => related(operator, a, b),
        _ => None,
    }
}

/// `sample(start, interval)`: its instants, counted so that they do not drift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampling {
    pub call: ExpressionId,
    pub start: f64,
    pub interval: f64,
    /// The number of the next instant.
    pub next: f64,
}

impl Sampling {
    /// The first instant not before a time.
    pub fn new(call: ExpressionId, start: f64, interval: f64, from: f64) -> Self {
        let mut next = ((from - start) / interval).ceil().max(0.0);
        // Rounding may have passed over an instant.
        if next >= 1.0 && start + (next - 1.0) * interval >= from {
            next -= 1.0;
        }
        Sampling { call, start, interval, next }
    }

    /// When it is next true.
    pub fn time(&self) -> f64 {
        self.start + self.next * self.interval
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(build: impl FnOnce(&mut Expressions) -> ExpressionId, expected: Option<(f64, f64)>) {
        let mut expressions = Expressions::new();
        let root = build(&mut expressions);
        let found = affine(&expressions, root, &|variable, _| Some(f64::from(variable.0)));
        assert_eq!(found.map(|it| (it.slope, it.constant)), expected);
    }

    #[test]
    fn a_formula_is_what_the_expression_is_to_the_last_bit() {
        let mut e = Expressions::new();
        let (time, step, before) = (e.time(), e.variable(VariableId(3), 0), e.variable(VariableId(4), 0));
        let (period, before) = (e.real(0.3), e.pre(before));
        let (quotient, product) = (e.quotient(time, period), e.product(step, period));
        let sum = e.sum(quotient, product);
        let root = e.difference(sum, before);
        let value = |id: VariableId, is_left: bool| f64::from(id.0) * if is_left { 0.1 } else { 0.7 };
        let formula = TimeFormula::new(&e, root, &|_| Part::Decided).expect("it is affine");
        assert_eq!(formula.at(value), affine(&e, root, &|id, is_left| Some(value(id, is_left))));
        let square = e.product(root, time);
        let formula = TimeFormula::new(&e, square, &|_| Part::Decided).expect("that is seen with values");
        assert_eq!(formula.at(value), None);
    }

    #[test]
    fn sums_and_multiples_of_time_are_affine() {
        check(|e| e.time(), Some((1.0, 0.0)));
        check(
            |e| {
                let (time, five) = (e.time(), e.variable(VariableId(5), 0));
                let product = e.product(five, time);
                let two = e.real(2.0);
                let difference = e.difference(product, two);
                e.quotient(difference, two)
            },
            Some((2.5, -1.0)),
        );
    }

    #[test]
    fn a_square_of_time_is_not() {
        check(
            |e| {
                let time = e.time();
                e.product(time, time)
            },
            None,
        );
    }

    #[test]
    fn a_time_that_is_written_is_met_exactly() {
        let t1 = 0.1 + 0.2;
        let time = Affine { slope: 1.0, constant: 0.0 };
        assert_eq!(meeting(time, Affine::constant(t1)), Some(t1));
    }

    #[test]
    fn instants_of_a_sampling_are_counted_from_its_start() {
        let call = { Expressions::new().time() };
        let mut sampling = Sampling::new(call, 0.0, 0.1, 0.3);
        assert_eq!(sampling.time(), 0.1 * 3.0);
        sampling.next += 7.0;
        assert_eq!(sampling.time(), 1.0);
        assert_eq!(Sampling::new(call, 1.0, 0.5, 0.0).time(), 1.0);
    }
}

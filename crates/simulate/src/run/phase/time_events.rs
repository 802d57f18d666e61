//! Events whose times are known in advance: relations that are affine in time, stairs of time, `sample`.
//!
//! `time >= t1` is never searched for: the run stops exactly at `t1`. The coefficients of `a*time + b` may contain
//! parameters and discrete values, which stand still until the next event.

use modeshift_dae::{ArithmeticOperator as Op, Builtin, ExpressionId, Expressions, Node, VariableId};

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

/// An expression as a function of time, if it is affine in it; `value` gives parameters and discrete variables, of
/// either side of the instant.
pub(crate) fn affine(
    expressions: &Expressions,
    root: ExpressionId,
    value: &dyn Fn(VariableId) -> Option<f64>,
) -> Option<Affine> {
    let mut pending = vec![(root, false)];
    let mut done: Vec<Affine> = Vec::new();
    while let Some((id, operands_done)) = pending.pop() {
        if !operands_done {
            pending.push((id, true));
            match expressions.node(id) {
                Node::Arithmetic(_, a, b) => pending.extend([(b, false), (a, false)]),
                Node::Negate(a) | Node::Pre(a) => pending.push((a, false)),
                Node::Call(Builtin::Smooth | Builtin::Homotopy | Builtin::NoEvent | Builtin::Ordinal, _) => {
                    pending.push((same(expressions, id)?, false));
                }
                _ => {}
            }
            continue;
        }
        let result = match expressions.node(id) {
            Node::Time => Affine { slope: 1.0, constant: 0.0 },
            Node::Real(number) => Affine::constant(number.value()),
            Node::Integer(number) => Affine::constant(number as f64),
            Node::Variable(variable, 0) => Affine::constant(value(variable)?),
            Node::Negate(_) => {
                let a = done.pop()?;
                Affine { slope: -a.slope, constant: -a.constant }
            }
            Node::Arithmetic(operator, ..) => {
                let (b, a) = (done.pop()?, done.pop()?);
                combined(operator, a, b)?
            }
            Node::Pre(_) | Node::Call(Builtin::Smooth | Builtin::Homotopy | Builtin::NoEvent | Builtin::Ordinal, _) => {
                done.pop()?
            }
            _ => return None,
        };
        done.push(result);
    }
    done.pop()
}

/// What a call that changes nothing is the same as.
fn same(expressions: &Expressions, id: ExpressionId) -> Option<ExpressionId> {
    match expressions.node(id) {
        Node::Call(Builtin::Smooth, arguments) => expressions.argument_list(arguments).get(1).copied(),
        Node::Call(_, arguments) => expressions.argument_list(arguments).first().copied(),
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
        let found = affine(&expressions, root, &|variable| Some(f64::from(variable.0)));
        assert_eq!(found.map(|it| (it.slope, it.constant)), expected);
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

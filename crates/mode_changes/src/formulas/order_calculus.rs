//! Impulse orders of expressions: the rules of E22 §9.2, with fractional and infinite orders.
//!
//! `0` has order `-inf`, a constant 0, a power multiplies, a product adds, a sum takes the greatest; `exp` of something
//! impulsive has order `inf`. An equation that is solved for one variable gives its order: of its terms, the greatest
//! order is attained twice, by the term of the variable and by the rest, which counts as *one* term (rule R8 with all
//! known terms merged: taken one by one, they balance each other and nothing follows). So `x^2 = y` with `y` of order
//! 1 gives `x` the order 1/2. Behind such orders is no distribution; they say how values grow as a step shrinks.

use std::fmt;

use modeshift_dae::{ArithmeticOperator as Op, Builtin, Derivative, ExpressionId, Expressions, Memo, Node, VariableId};

/// An impulse order.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Order(f64);

impl Order {
    /// The order of zero.
    pub const NONE: Order = Order(f64::NEG_INFINITY);
    /// The order of constants, and of what jumps.
    pub const FINITE: Order = Order(0.0);
    /// Beyond all powers of the step.
    pub const INFINITE: Order = Order(f64::INFINITY);

    /// An order as a number.
    pub fn new(value: f64) -> Self {
        Order(value)
    }

    /// The order as a number; `inf` and `-inf` included.
    pub fn value(self) -> f64 {
        self.0
    }

    /// Whether it is above zero.
    pub fn is_impulsive(self) -> bool {
        self.0 > 0.0
    }

    fn plus(self, other: Order) -> Order {
        // Zero times anything is zero.
        if self == Order::NONE || other == Order::NONE { Order::NONE } else { Order(self.0 + other.0) }
    }

    fn times(self, factor: f64) -> Order {
        if factor == 0.0 { Order::FINITE } else { Order(self.0 * factor) }
    }

    fn greatest(self, other: Order) -> Order {
        if self.0 >= other.0 { self } else { other }
    }
}

impl fmt::Display for Order {
    /// `1`, `1/2`, `-inf`; a decimal fraction where no small denominator fits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_infinite() {
            return f.write_str(if self.0 > 0.0 { "inf" } else { "-inf" });
        }
        // Orders are products of a few literals: nine digits tell a fraction from an irrational power.
        let fits = |denominator: &i64| {
            let numerator = self.0 * *denominator as f64;
            (numerator - numerator.round()).abs() < 1e-9
        };
        match (1..=12).find(fits) {
            Some(1) => write!(f, "{}", self.0.round()),
            Some(denominator) => write!(f, "{}/{denominator}", (self.0 * denominator as f64).round()),
            None => write!(f, "{}", self.0),
        }
    }
}

/// The order of `variable` from `left = right`, where it occurs in one term, as a power; `None` otherwise.
pub fn solved_order(
    expressions: &Expressions,
    left: ExpressionId,
    right: ExpressionId,
    variable: VariableId,
    order_of: &dyn Fn(Derivative<VariableId>) -> Order,
) -> Option<Order> {
    let calculus = Calculus { expressions, order_of, solved: variable };
    let (mut terms, mut sums) = (Memo::new(), Memo::new());
    let sums = [left, right].map(|side| calculus.sum(side, &mut terms, &mut sums));
    let Sum { own: Own::Once(exponent, factor), rest } = sums[0].plus(sums[1]) else { return None };
    let is_power = exponent != 0.0 && exponent.is_finite() && factor != Order::NONE;
    is_power.then(|| Order((rest.0 - factor.0) / exponent))
}

/// A term: a power of the variable that is solved for, if it is in it, times the rest.
#[derive(Clone, Copy)]
struct Term {
    /// NaN if the variable is in it in another way.
    exponent: Option<f64>,
    rest: Order,
}

impl Term {
    fn known(rest: Order) -> Term {
        Term { exponent: None, rest }
    }
}

/// In how many terms of a sum the variable is that is solved for.
#[derive(Clone, Copy)]
enum Own {
    Never,
    /// As this power, times something of this order.
    Once(f64, Order),
    Often,
}

/// A sum, and the greatest order of the terms without the variable.
#[derive(Clone, Copy)]
struct Sum {
    own: Own,
    rest: Order,
}

impl Sum {
    fn of(term: Term) -> Sum {
        match term.exponent {
            Some(exponent) => Sum { own: Own::Once(exponent, term.rest), rest: Order::NONE },
            None => Sum { own: Own::Never, rest: term.rest },
        }
    }

    fn plus(self, other: Sum) -> Sum {
        let own = match (self.own, other.own) {
            (Own::Never, own) | (own, Own::Never) => own,
            _ => Own::Often,
        };
        Sum { own, rest: self.rest.greatest(other.rest) }
    }
}

struct Calculus<'a> {
    expressions: &'a Expressions,
    order_of: &'a dyn Fn(Derivative<VariableId>) -> Order,
    solved: VariableId,
}

impl Calculus<'_> {
    /// An expression as a sum of terms; each different subexpression is looked at once.
    fn sum(&self, root: ExpressionId, terms: &mut Memo<(), Term>, sums: &mut Memo<(), Sum>) -> Sum {
        self.expressions.fold_up(terms, root, |id, node, known| self.term(id, node, known));
        self.expressions.fold_up(sums, root, |id, node, known| match node {
            Node::Arithmetic(Op::Add | Op::Subtract, a, b) => known[a].plus(known[b]),
            Node::Negate(a) => known[a],
            _ => Sum::of(terms[id]),
        })
    }

    fn term(&self, id: ExpressionId, node: Node, known: &Memo<(), Term>) -> Term {
        if let Some(literal) = self.expressions.literal(id) {
            return Term::known(if literal == 0.0 { Order::NONE } else { Order::FINITE });
        }
        match node {
            Node::Variable(variable, 0) if variable == self.solved => Term { exponent: Some(1.0), rest: Order::FINITE },
            Node::Variable(variable, order) => Term::known((self.order_of)(Derivative::new(variable, order))),
            Node::Negate(a) => known[a],
            Node::Arithmetic(Op::Add | Op::Subtract, a, b) => sum(known[a], known[b]),
            Node::Arithmetic(Op::Multiply, a, b) => product(known[a], known[b]),
            Node::Arithmetic(Op::Divide, a, b) => product(known[a], power(known[b], -1.0)),
            Node::Arithmetic(Op::Power, a, b) => match self.expressions.literal(b) {
                Some(exponent) => power(known[a], exponent),
                None => other(known[a], Order::INFINITE),
            },
            Node::If(_, a, b) => sum(known[a], known[b]),
            Node::Call(builtin, arguments) => {
                let arguments = self.expressions.argument_list(arguments);
                let inner = arguments.iter().map(|&argument| known[argument]).reduce(sum);
                inner.map_or(Term::known(Order::FINITE), |inner| call(builtin, inner))
            }
            _ => Term::known(Order::FINITE),
        }
    }
}

fn sum(a: Term, b: Term) -> Term {
    let exponent = if a.exponent.is_some() || b.exponent.is_some() { Some(f64::NAN) } else { None };
    Term { exponent, rest: a.rest.greatest(b.rest) }
}

fn product(a: Term, b: Term) -> Term {
    let exponent = match (a.exponent, b.exponent) {
        (Some(x), Some(y)) => Some(x + y),
        (x, y) => x.or(y),
    };
    Term { exponent, rest: a.rest.plus(b.rest) }
}

fn power(base: Term, exponent: f64) -> Term {
    Term { exponent: base.exponent.map(|own| own * exponent), rest: base.rest.times(exponent) }
}

/// A function of a term that is not a power: finite arguments give finite values.
fn other(inner: Term, of_impulsive: Order) -> Term {
    let rest = if inner.rest.is_impulsive() { of_impulsive } else { Order::FINITE };
    Term { exponent: inner.exponent.map(|_| f64::NAN), rest }
}

fn call(builtin: Builtin, inner: Term) -> Term {
    match builtin {
        Builtin::Sqrt => power(inner, 0.5),
        Builtin::Abs | Builtin::NoEvent | Builtin::Smooth | Builtin::Homotopy | Builtin::Min | Builtin::Max => inner,
        Builtin::Exp | Builtin::Sinh | Builtin::Cosh => other(inner, Order::INFINITE),
        _ => other(inner, Order::FINITE),
    }
}

//! Second opinions on expressions: random ones, and their values at complex numbers by plain recursion.
//!
//! A step `h = 1e-100` along the imaginary axis gives derivatives without any cancellation
//! (`Im f(x + ih)/h`), by code that shares nothing with the chain rule under test.

#![allow(dead_code)] // each test uses a part of it

use std::ops::{Add, Div, Mul, Neg, Sub};

use modeshift_dae::{
    ArithmeticOperator, Builtin, ExpressionId, Expressions, FlatModel, Node, Type, Variability, Variable, VariableId,
};

/// A complex number with the functions that expressions need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

pub fn complex(re: f64, im: f64) -> Complex {
    Complex { re, im }
}

impl Add for Complex {
    type Output = Complex;
    fn add(self, b: Complex) -> Complex {
        complex(self.re + b.re, self.im + b.im)
    }
}
impl Sub for Complex {
    type Output = Complex;
    fn sub(self, b: Complex) -> Complex {
        complex(self.re - b.re, self.im - b.im)
    }
}
impl Mul for Complex {
    type Output = Complex;
    fn mul(self, b: Complex) -> Complex {
        complex(self.re * b.re - self.im * b.im, self.re * b.im + self.im * b.re)
    }
}
impl Div for Complex {
    type Output = Complex;
    fn div(self, b: Complex) -> Complex {
        let size = b.re * b.re + b.im * b.im;
        complex((self.re * b.re + self.im * b.im) / size, (self.im * b.re - self.re * b.im) / size)
    }
}
impl Neg for Complex {
    type Output = Complex;
    fn neg(self) -> Complex {
        complex(-self.re, -self.im)
    }
}

impl Complex {
    pub fn exp(self) -> Complex {
        complex(self.re.exp() * self.im.cos(), self.re.exp() * self.im.sin())
    }
    pub fn log(self) -> Complex {
        complex(self.re.hypot(self.im).ln(), self.im.atan2(self.re))
    }
    pub fn sin(self) -> Complex {
        complex(self.re.sin() * self.im.cosh(), self.re.cos() * self.im.sinh())
    }
    pub fn cos(self) -> Complex {
        complex(self.re.cos() * self.im.cosh(), -self.re.sin() * self.im.sinh())
    }
    pub fn sqrt(self) -> Complex {
        let root = ((self.re.hypot(self.im) + self.re) / 2.0).sqrt();
        complex(root, self.im / (2.0 * root))
    }
    /// `atan` by its derivative's logarithm would cancel at tiny imaginary parts: expand to first order instead.
    pub fn atan(self) -> Complex {
        complex(self.re.atan(), self.im / (1.0 + self.re * self.re))
    }
}

/// The value of an expression, by recursion; `leaf` gives variables and `None` is time.
pub fn value(e: &Expressions, id: ExpressionId, leaf: &dyn Fn(Option<(VariableId, u32)>) -> Complex) -> Complex {
    let at = |id| value(e, id, leaf);
    let one = complex(1.0, 0.0);
    match e.node(id) {
        Node::Real(number) => complex(number.value(), 0.0),
        Node::Integer(number) => complex(number as f64, 0.0),
        Node::Time => leaf(None),
        Node::Variable(variable, order) => leaf(Some((variable, order))),
        Node::Negate(a) => -at(a),
        Node::Arithmetic(ArithmeticOperator::Add, a, b) => at(a) + at(b),
        Node::Arithmetic(ArithmeticOperator::Subtract, a, b) => at(a) - at(b),
        Node::Arithmetic(ArithmeticOperator::Multiply, a, b) => at(a) * at(b),
        Node::Arithmetic(ArithmeticOperator::Divide, a, b) => at(a) / at(b),
        Node::Arithmetic(ArithmeticOperator::Power, a, b) => match e.literal(b) {
            Some(exponent) if exponent.trunc() == exponent => whole_power(at(a), exponent as i32),
            _ => (at(b) * at(a).log()).exp(),
        },
        Node::If(condition, a, b) => {
            let Node::Relation(operator, left, right) = e.node(condition) else { panic!("conditions are relations") };
            if operator.holds(at(left).re, at(right).re) { at(a) } else { at(b) }
        }
        Node::Call(builtin, arguments) => {
            let list: Vec<Complex> = e.argument_list(arguments).iter().map(|&argument| at(argument)).collect();
            let a = list[0];
            match builtin {
                Builtin::Sin => a.sin(),
                Builtin::Cos => a.cos(),
                Builtin::Tan => a.sin() / a.cos(),
                Builtin::Sinh => (a.exp() - (-a).exp()) / complex(2.0, 0.0),
                Builtin::Cosh => (a.exp() + (-a).exp()) / complex(2.0, 0.0),
                Builtin::Tanh => {
                    let square = (a + a).exp();
                    (square - one) / (square + one)
                }
                Builtin::Exp => a.exp(),
                Builtin::Log => a.log(),
                Builtin::Log10 => a.log() / complex(std::f64::consts::LN_10, 0.0),
                Builtin::Sqrt => a.sqrt(),
                Builtin::Atan => a.atan(),
                Builtin::Asin => (a / (one - a * a).sqrt()).atan(),
                Builtin::Acos => complex(std::f64::consts::FRAC_PI_2, 0.0) - (a / (one - a * a).sqrt()).atan(),
                Builtin::Atan2 => {
                    let exact = a.re.atan2(list[1].re);
                    complex(exact, (a / list[1]).atan().im)
                }
                Builtin::Abs => {
                    if a.re < 0.0 {
                        -a
                    } else {
                        a
                    }
                }
                Builtin::Sign => complex(a.re.signum(), 0.0),
                Builtin::Min => {
                    if a.re <= list[1].re {
                        a
                    } else {
                        list[1]
                    }
                }
                Builtin::Max => {
                    if a.re >= list[1].re {
                        a
                    } else {
                        list[1]
                    }
                }
                Builtin::NoEvent => a,
                Builtin::Mod => a - complex((a.re / list[1].re).floor(), 0.0) * list[1],
                other => panic!("{} is not in random expressions", other.name()),
            }
        }
        other => panic!("{other:?} is not in random expressions"),
    }
}

fn whole_power(a: Complex, exponent: i32) -> Complex {
    let product = (0..exponent.unsigned_abs()).fold(complex(1.0, 0.0), |power, _| power * a);
    if exponent < 0 { complex(1.0, 0.0) / product } else { product }
}

/// A small generator of reproducible random numbers (a linear congruence with xorshifted output).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58476d1ce4e5b9);
        ((mixed >> 33) as usize) % bound
    }
    /// Between the two.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.below(1 << 30) as f64 / (1u64 << 30) as f64
    }
}

/// A variable with nothing but a name, a type and a variability.
pub fn add_variable(model: &mut FlatModel, name: &str, ty: Type, variability: Variability) -> VariableId {
    let guard = model.expressions.boolean(true);
    model.variables.push(Variable::new(name, ty, variability, guard))
}

/// A model with continuous Reals `x0, x1, …` and nothing else.
pub fn model_with(count: usize) -> FlatModel {
    let mut model = FlatModel::new("Random");
    for index in 0..count {
        add_variable(&mut model, &format!("x{index}"), Type::Real, Variability::Continuous);
    }
    model
}

/// A random expression over the model's variables, of orders 0 and 1, that is defined everywhere.
pub fn random_expression(random: &mut Random, model: &mut FlatModel, depth: usize) -> ExpressionId {
    if depth == 0 {
        let variable = VariableId(random.below(model.variables.len()) as u32);
        let constant = random.between(-2.0, 2.0);
        let e = &mut model.expressions;
        return match random.below(8) {
            0 => e.real(constant),
            1 => e.time(),
            2 => e.variable(variable, 1),
            _ => e.variable(variable, 0),
        };
    }
    let shallower = random.below(depth);
    let a = random_expression(random, model, depth - 1);
    let b = random_expression(random, model, shallower);
    let choice = random.below(26);
    let e = &mut model.expressions;
    // Arguments of roots, logarithms and divisions are kept away from where they are not defined.
    let one = e.real(1.0);
    let two = e.integer(2);
    let square = e.power(b, two);
    let positive = e.sum(one, square);
    let bounded = e.call(Builtin::Sin, &[b]);
    let half = e.real(0.5);
    let inside = e.product(half, bounded);
    match choice {
        0..3 => e.sum(a, b),
        3..6 => e.difference(a, b),
        6..9 => e.product(a, b),
        9 => e.quotient(a, positive),
        10 => e.power(positive, inside),
        11 => e.power(a, two),
        12 => e.call(Builtin::Sin, &[a]),
        13 => e.call(Builtin::Cos, &[a]),
        14 => e.call(Builtin::Exp, &[inside]),
        15 => e.call(Builtin::Log, &[positive]),
        16 => e.call(Builtin::Sqrt, &[positive]),
        17 => e.call(Builtin::Tanh, &[a]),
        18 => e.call(Builtin::Atan, &[a]),
        19 => e.call(Builtin::Asin, &[inside]),
        20 => e.call(Builtin::Atan2, &[a, positive]),
        21 => e.call(Builtin::Abs, &[a]),
        22 => e.call(Builtin::Max, &[a, b]),
        23 => e.negate(a),
        24 => {
            let condition = e.relation(modeshift_dae::RelationOperator::Less, a, b);
            e.if_then_else(condition, bounded, a)
        }
        _ => {
            let hyperbolic = e.call(Builtin::Sinh, &[inside]);
            let angle = e.call(Builtin::Acos, &[inside]);
            e.sum(hyperbolic, angle)
        }
    }
}

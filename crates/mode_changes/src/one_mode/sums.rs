//! Differences of sums of unknowns with constant factors, as connections and most laws of networks are: they need no tape.
//!
//! A network has ten of them for every other equation, and a change looks at each a few times. What is computed is what a
//! tape would compute, operation by operation, so that results do not depend on which of both does it; a side of another shape
//! (`a - (b + c)`, a product of constants) is left to a tape.

use modeshift_dae::{ArithmeticOperator, Derivative, ExpressionId, FlatModel, Node, VariableId};
use modeshift_numerics::Input;

/// One term of a side.
enum Term {
    Constant(f64),
    /// An unknown, by its number, times a factor.
    Unknown(u32, f64),
}

/// The terms of both sides, each in the order in which they are added up.
pub(super) struct Sums {
    inputs: Vec<Input>,
    left: Vec<Term>,
    right: Vec<Term>,
}

impl Sums {
    /// Both sides, if they are such sums of these unknowns, ascending.
    pub fn of(
        model: &FlatModel,
        [left, right]: [ExpressionId; 2],
        unknowns: &[Derivative<VariableId>],
        constants: &dyn Fn(Input) -> Option<f64>,
    ) -> Option<Self> {
        let inputs: Vec<Input> = unknowns.iter().map(|it| Input::Variable(it.of, it.order)).collect();
        if inputs.iter().any(|&input| constants(input).is_some()) {
            return None;
        }
        let reader = Reader { model, unknowns, constants };
        let (mut of_left, mut of_right) = (Vec::new(), Vec::new());
        reader.read(left, &mut of_left)?;
        reader.read(right, &mut of_right)?;
        Some(Sums { inputs, left: of_left, right: of_right })
    }

    /// The unknowns.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The factors of the unknowns in left minus right.
    pub fn factors(&self) -> Vec<f64> {
        let of_side = |side: &[Term]| {
            let mut factors = vec![0.0; self.inputs.len()];
            for term in side {
                if let Term::Unknown(unknown, factor) = term {
                    factors[*unknown as usize] += factor;
                }
            }
            factors
        };
        of_side(&self.left).into_iter().zip(of_side(&self.right)).map(|(left, right)| left - right).collect()
    }

    /// One coefficient of the series of both sides from the series of the unknowns, one after the other.
    pub fn coefficients(&self, series: &[f64], k: usize, highest: usize) -> [f64; 2] {
        [&self.left, &self.right].map(|side| {
            let values = side.iter().map(|term| match *term {
                Term::Constant(value) => {
                    if k == 0 {
                        value
                    } else {
                        0.0
                    }
                }
                Term::Unknown(unknown, factor) => times(factor, series[unknown as usize * (highest + 1) + k]),
            });
            values.reduce(|sum, value| sum + value).unwrap_or(0.0)
        })
    }
}

/// A product as a tape has it: nothing is computed for a factor of one.
fn times(factor: f64, value: f64) -> f64 {
    match factor {
        1.0 => value,
        -1.0 => -value,
        factor => factor * value,
    }
}

struct Reader<'a> {
    model: &'a FlatModel,
    unknowns: &'a [Derivative<VariableId>],
    constants: &'a dyn Fn(Input) -> Option<f64>,
}

impl Reader<'_> {
    /// A sum whose first operand may be a sum again.
    fn read(&self, sum: ExpressionId, terms: &mut Vec<Term>) -> Option<()> {
        match self.model.expressions.node(sum) {
            Node::Arithmetic(ArithmeticOperator::Add, rest, last) => {
                self.read(rest, terms)?;
                terms.push(self.term(last)?);
            }
            Node::Arithmetic(ArithmeticOperator::Subtract, rest, last) => {
                self.read(rest, terms)?;
                terms.push(match self.term(last)? {
                    Term::Constant(value) => Term::Constant(-value),
                    Term::Unknown(unknown, factor) => Term::Unknown(unknown, -factor),
                });
            }
            Node::If(condition, then, otherwise) => match self.model.expressions.node(condition) {
                Node::Mode(mode) if (self.constants)(Input::Mode(mode))? != 0.0 => self.read(then, terms)?,
                Node::Mode(_) => self.read(otherwise, terms)?,
                _ => return None,
            },
            _ => terms.push(self.term(sum)?),
        }
        Some(())
    }

    fn term(&self, term: ExpressionId) -> Option<Term> {
        match self.model.expressions.node(term) {
            Node::Negate(operand) => match self.term(operand)? {
                Term::Constant(value) => Some(Term::Constant(-value)),
                Term::Unknown(unknown, factor) => Some(Term::Unknown(unknown, -factor)),
            },
            Node::Arithmetic(ArithmeticOperator::Multiply, a, b) => match (self.constant(a), self.constant(b)) {
                (Some(factor), None) if is_proper(factor) => Some(Term::Unknown(self.unknown(b)?, factor)),
                (None, Some(factor)) if is_proper(factor) => Some(Term::Unknown(self.unknown(a)?, factor)),
                _ => None,
            },
            _ => match self.constant(term) {
                Some(value) => Some(Term::Constant(value)),
                None => Some(Term::Unknown(self.unknown(term)?, 1.0)),
            },
        }
    }

    fn constant(&self, expression: ExpressionId) -> Option<f64> {
        match self.model.expressions.node(expression) {
            Node::Real(number) => Some(number.value()),
            Node::Integer(number) => Some(number as f64),
            Node::Variable(variable, order) => (self.constants)(Input::Variable(variable, order)),
            _ => None,
        }
    }

    fn unknown(&self, expression: ExpressionId) -> Option<u32> {
        let derivative = self.model.expressions.node(expression).derivative()?;
        self.unknowns.binary_search(&derivative).ok().map(|at| at as u32)
    }
}

/// A factor of zero makes no term, and one that is no number must be looked at where it stands.
fn is_proper(factor: f64) -> bool {
    factor != 0.0 && factor.is_finite()
}

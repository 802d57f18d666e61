//! The algebra of leading terms in ∂: what an equation makes of values some of which are infinite.
//!
//! Generic linear coefficients (`linear`) stand for an equation as long as nothing infinite is multiplied by something
//! infinite or goes through a function. Where it does, its expression is evaluated as it is written: sums, products and
//! quotients of series are series, so that orders of products add and a rational function has the order of its leading
//! term. An analytic function of something finite is a Taylor series with generic coefficients. Of `abs` of something
//! infinite the order is known and the sign is not; of other functions of something infinite nothing is.
//!
//! An equation is solved for one variable that it contains linearly: values are `A + B u` with the unknown `u`.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{ArithmeticOperator as Operator, Builtin, Derivative, ExpressionId, Id, Node, VariableId};

use crate::domain::{Body, Shifted, Unknown};
use crate::system::DifferenceSystem;
use crate::values::linear::{Values, difference_weight};
use crate::values::number::Number;
use crate::values::series::Series;

/// What is known of a value.
#[derive(Clone, Debug)]
pub enum Leading {
    /// Its series.
    Series(Series),
    /// Its order at most, or exactly; nothing of its coefficients.
    Bounded {
        /// The bound.
        order: i32,
        /// Whether it is the order.
        is_exact: bool,
    },
}

/// Why the algebra says nothing of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Something infinite is an argument of this function.
    Inside(String),
    /// The variable that is looked for is not linear in its equation.
    NotLinear,
    /// What it is divided by may vanish.
    Vanishes,
    /// The order is at most this: terms whose signs are not known may cancel.
    AtMost(i32),
    /// It is not linear in something infinite, and has to be solved together with other equations.
    Together,
    /// It reads a value of which nothing is known.
    Reads(Shifted<Unknown>),
}

impl Leading {
    fn number(number: Number) -> Self {
        Leading::Series(Series::monomial(number, 0))
    }

    /// The order, or a bound, and whether it is exact; nothing for zero.
    fn bound(&self) -> Option<(i32, bool)> {
        match self {
            Leading::Series(series) => series.order().map(|order| (order, true)),
            &Leading::Bounded { order, is_exact } => Some((order, is_exact)),
        }
    }

    /// Whether it may be infinite.
    pub(crate) fn may_be_infinite(&self) -> bool {
        self.bound().is_some_and(|(order, _)| order > 0)
    }

    /// The order where it is known.
    pub(crate) fn order(&self) -> Option<i32> {
        self.bound().filter(|(_, is_exact)| *is_exact).map(|(order, _)| order)
    }

    fn plus(&self, other: &Leading) -> Leading {
        if let (Leading::Series(one), Leading::Series(other)) = (self, other) {
            return Leading::Series(one + other);
        }
        let (Some(one), Some(two)) = (self.bound(), other.bound()) else {
            return if self.bound().is_none() { other.clone() } else { self.clone() };
        };
        match one.0.cmp(&two.0) {
            std::cmp::Ordering::Greater => Leading::Bounded { order: one.0, is_exact: one.1 },
            std::cmp::Ordering::Less => Leading::Bounded { order: two.0, is_exact: two.1 },
            std::cmp::Ordering::Equal => Leading::Bounded { order: one.0, is_exact: false },
        }
    }

    fn times(&self, other: &Leading) -> Leading {
        if let (Leading::Series(one), Leading::Series(other)) = (self, other) {
            return Leading::Series(one * other);
        }
        let (Some(one), Some(two)) = (self.bound(), other.bound()) else { return Leading::Series(Series::zero()) };
        Leading::Bounded { order: one.0 + two.0, is_exact: one.1 && two.1 }
    }

    fn inverse(&self) -> Result<Leading, Trouble> {
        match self {
            Leading::Series(series) if !series.is_zero() => Ok(Leading::Series(series.inverse())),
            &Leading::Bounded { order, is_exact: true } => Ok(Leading::Bounded { order: -order, is_exact: true }),
            _ => Err(Trouble::Vanishes),
        }
    }
}

/// `constant + slope u`
#[derive(Clone, Debug)]
struct Affine {
    constant: Leading,
    slope: Option<Leading>,
}

impl Affine {
    fn constant(constant: Leading) -> Self {
        Affine { constant, slope: None }
    }

    fn plus(&self, other: &Affine) -> Affine {
        let slope = match (&self.slope, &other.slope) {
            (Some(one), Some(other)) => Some(one.plus(other)),
            (one, other) => one.clone().or_else(|| other.clone()),
        };
        Affine { constant: self.constant.plus(&other.constant), slope }
    }

    fn times(&self, other: &Affine) -> Result<Affine, Trouble> {
        let slope = match (&self.slope, &other.slope) {
            (Some(_), Some(_)) => return Err(Trouble::NotLinear),
            (Some(slope), None) => Some(slope.times(&other.constant)),
            (None, Some(slope)) => Some(slope.times(&self.constant)),
            (None, None) => None,
        };
        Ok(Affine { constant: self.constant.times(&other.constant), slope })
    }

    fn negated(&self) -> Affine {
        let minus = Leading::number(-Number::ONE);
        Affine { constant: self.constant.times(&minus), slope: self.slope.as_ref().map(|slope| slope.times(&minus)) }
    }

    fn inverse(&self) -> Result<Affine, Trouble> {
        if self.slope.is_some() { Err(Trouble::NotLinear) } else { Ok(Affine::constant(self.constant.inverse()?)) }
    }

    fn power(&self, exponent: u32) -> Result<Affine, Trouble> {
        let one = Affine::constant(Leading::number(Number::ONE));
        (0..exponent).try_fold(one, |product, _| product.times(self))
    }
}

/// Powers above this are not multiplied out.
const HIGHEST_POWER: f64 = 16.0;
/// Terms of a Taylor series: series themselves have no more that matter.
const TAYLOR_TERMS: u64 = 16;

/// What an equation is evaluated with.
pub(crate) struct Evaluation<'a> {
    pub(crate) system: &'a DifferenceSystem,
    /// The instant, counted from the first of the change.
    pub(crate) instant: u32,
    /// The series of variables.
    pub(crate) values: &'a Values,
    /// What is known of other variables.
    pub(crate) bounds: &'a BTreeMap<Shifted<Unknown>, Leading>,
}

impl Evaluation<'_> {
    /// The value that an equation gives to a variable which it contains linearly.
    pub(crate) fn solved(&self, equation: Shifted<Body>, variable: Shifted<Unknown>) -> Result<Leading, Trouble> {
        let sides = self.system.bodies[equation.of].sides.ok_or(Trouble::Together)?;
        if self.system.bodies[equation.of].assigns.is_some() {
            return Ok(self.affine(equation, sides[1], variable)?.constant);
        }
        let [left, right] = sides.map(|side| self.affine(equation, side, variable));
        let residual = left?.plus(&right?.negated());
        let slope = residual.slope.ok_or(Trouble::Vanishes)?;
        Ok(residual.constant.times(&Leading::number(-Number::ONE)).times(&slope.inverse()?))
    }

    fn affine(&self, of: Shifted<Body>, root: ExpressionId, unknown: Shifted<Unknown>) -> Result<Affine, Trouble> {
        // Operands are older than what is made of them.
        let mut known: BTreeMap<ExpressionId, Affine> = BTreeMap::new();
        for part in self.parts(root) {
            let value = self.node(of, part, unknown, &known)?;
            known.insert(part, value);
        }
        known.remove(&root).ok_or(Trouble::Together)
    }

    /// An expression and all it is made of, but for left limits.
    fn parts(&self, root: ExpressionId) -> BTreeSet<ExpressionId> {
        let mut parts = BTreeSet::new();
        self.system.expressions.for_each(root, |id, node| {
            parts.insert(id);
            !matches!(node, Node::Pre(_))
        });
        parts
    }

    fn node(
        &self,
        of: Shifted<Body>,
        id: ExpressionId,
        unknown: Shifted<Unknown>,
        known: &BTreeMap<ExpressionId, Affine>,
    ) -> Result<Affine, Trouble> {
        let generic = |kind: u64, key: u64| Affine::constant(Leading::number(Number::generic([kind, key, 0, 0])));
        match self.system.expressions.node(id) {
            Node::Real(value) => {
                let value = Number::exactly(value.value()).ok_or(Trouble::Vanishes)?;
                Ok(Affine::constant(Leading::number(value)))
            }
            Node::Integer(value) => Ok(Affine::constant(Leading::number(Number::integer(value)))),
            Node::Time => Ok(Affine::constant(self.time(of))),
            Node::Variable(variable, order) => match self.system.unknown_of.get(&variable) {
                Some(&it) => self.derivative(of, Derivative::new(it, order), unknown),
                None => Ok(generic(5, variable.index() as u64)),
            },
            // Left limits are finite.
            Node::Pre(_) => Ok(generic(6, id.index() as u64)),
            Node::Negate(a) => Ok(known[&a].negated()),
            Node::Arithmetic(Operator::Add, a, b) => Ok(known[&a].plus(&known[&b])),
            Node::Arithmetic(Operator::Subtract, a, b) => Ok(known[&a].plus(&known[&b].negated())),
            Node::Arithmetic(Operator::Multiply, a, b) => known[&a].times(&known[&b]),
            Node::Arithmetic(Operator::Divide, a, b) => known[&a].times(&known[&b].inverse()?),
            Node::Arithmetic(Operator::Power, a, b) => match self.system.expressions.literal(b) {
                Some(power) if power.fract() == 0.0 && power.abs() <= HIGHEST_POWER => {
                    let product = known[&a].power(power.abs() as u32)?;
                    if power < 0.0 { product.inverse() } else { Ok(product) }
                }
                _ => self.of_finite("^", [&known[&a], &known[&b]]),
            },
            Node::Call(Builtin::NoEvent, list) => Ok(known[&self.system.expressions.argument_list(list)[0]].clone()),
            Node::Call(Builtin::Smooth, list) => Ok(known[&self.system.expressions.argument_list(list)[1]].clone()),
            Node::Call(Builtin::Homotopy, list) => Ok(known[&self.system.expressions.argument_list(list)[0]].clone()),
            Node::Call(builtin, list) => match self.system.expressions.argument_list(list) {
                [argument] => self.function(builtin, &known[argument]),
                several => self.of_finite(builtin.name(), several.iter().map(|it| &known[it])),
            },
            Node::If(..) => self.of_finite("if", self.system.expressions.children(id).map(|it| &known[&it])),
            _ => self.of_finite("a function", self.system.expressions.children(id).map(|it| &known[&it])),
        }
    }

    fn time(&self, of: Shifted<Body>) -> Leading {
        let passed = Number::integer(i64::from(self.instant + of.shift));
        Leading::Series(&Series::monomial(Number::generic([7, 0, 0, 0]), 0) + &Series::monomial(passed, 1))
    }

    /// A derivative as a difference quotient, in which the unknown is open.
    fn derivative(
        &self,
        of: Shifted<Body>,
        derivative: Derivative<Unknown>,
        unknown: Shifted<Unknown>,
    ) -> Result<Affine, Trouble> {
        let Derivative { of: variable, order } = derivative;
        let lowest = self.lowest(of.of, variable);
        let mut sum = Affine::constant(Leading::Series(Series::zero()));
        for place in 0..=order {
            let at = Shifted::new(variable, lowest + of.shift + place);
            let weight = Leading::Series(Series::monomial(difference_weight(order, place), -(order as i32)));
            let term = match at == unknown {
                true => Affine { constant: Leading::Series(Series::zero()), slope: Some(weight) },
                false => Affine::constant(self.value(at)?.times(&weight)),
            };
            sum = sum.plus(&term);
        }
        Ok(sum)
    }

    /// Laws speak of right limits; what a `reinit` evaluates is of its instant.
    fn lowest(&self, body: Body, variable: Unknown) -> u32 {
        if self.system.bodies[body].assigns.is_some() {
            return 0;
        }
        let mut entries = self.system.bodies[body].incidence.iter();
        entries.find(|entry| entry.unknown == variable).map_or(0, |entry| entry.lowest)
    }

    fn value(&self, variable: Shifted<Unknown>) -> Result<Leading, Trouble> {
        let series = self.values.get(&variable).cloned().map(Leading::Series);
        series.or_else(|| self.bounds.get(&variable).cloned()).ok_or(Trouble::Reads(variable))
    }

    /// A function of one argument.
    fn function(&self, builtin: Builtin, argument: &Affine) -> Result<Affine, Trouble> {
        if argument.slope.is_some() {
            return Err(Trouble::NotLinear);
        }
        match &argument.constant {
            value if value.may_be_infinite() => match (builtin, value.order()) {
                (Builtin::Abs, Some(order)) => Ok(Affine::constant(Leading::Bounded { order, is_exact: true })),
                _ => Err(Trouble::Inside(builtin.name().to_string())),
            },
            Leading::Series(series) => match series.split() {
                Some((constant, rest)) => Ok(Affine::constant(Leading::Series(taylor(builtin, constant, &rest)))),
                None => Err(Trouble::Inside(builtin.name().to_string())),
            },
            Leading::Bounded { .. } => Ok(Affine::constant(Leading::Bounded { order: 0, is_exact: false })),
        }
    }

    /// Something of which only that is known that it is finite where its arguments are.
    fn of_finite<'b>(&self, name: &str, arguments: impl IntoIterator<Item = &'b Affine>) -> Result<Affine, Trouble> {
        for argument in arguments {
            if argument.slope.is_some() {
                return Err(Trouble::NotLinear);
            }
            if argument.constant.may_be_infinite() {
                return Err(Trouble::Inside(name.to_string()));
            }
        }
        Ok(Affine::constant(Leading::Bounded { order: 0, is_exact: false }))
    }

    /// An infinite variable that an equation does not contain linearly, if there is one.
    pub(crate) fn nonlinear_in(&self, equation: Shifted<Body>) -> Option<Unknown> {
        let body = &self.system.bodies[equation.of];
        let sides = &body.sides.as_ref()?[usize::from(body.assigns.is_some())..];
        let mut infinite: BTreeMap<ExpressionId, Unknown> = BTreeMap::new();
        for part in sides.iter().flat_map(|&side| self.parts(side)).collect::<BTreeSet<_>>() {
            let node = self.system.expressions.node(part);
            let found = match node {
                Node::Variable(variable, order) => self.infinite(equation, variable, order),
                Node::Negate(a) => infinite.get(&a).copied(),
                Node::Arithmetic(Operator::Add | Operator::Subtract, a, b) => {
                    infinite.get(&a).or(infinite.get(&b)).copied()
                }
                Node::Arithmetic(Operator::Multiply, a, b) => match (infinite.get(&a), infinite.get(&b)) {
                    (Some(&both), Some(_)) => return Some(both),
                    (one, other) => one.or(other).copied(),
                },
                Node::Arithmetic(Operator::Divide, a, b) => match infinite.get(&b) {
                    Some(&divisor) => return Some(divisor),
                    None => infinite.get(&a).copied(),
                },
                Node::Pre(_) => None,
                Node::Call(Builtin::NoEvent | Builtin::Smooth | Builtin::Homotopy, _) => {
                    self.system.expressions.children(part).find_map(|it| infinite.get(&it).copied())
                }
                _ => match self.system.expressions.children(part).find_map(|it| infinite.get(&it).copied()) {
                    Some(inside) => return Some(inside),
                    None => None,
                },
            };
            infinite.extend(found.map(|found| (part, found)));
        }
        None
    }

    fn infinite(&self, of: Shifted<Body>, variable: VariableId, order: u32) -> Option<Unknown> {
        let &unknown = self.system.unknown_of.get(&variable)?;
        let nowhere = Shifted::new(unknown, u32::MAX);
        let value = self.derivative(of, Derivative::new(unknown, order), nowhere);
        value.map_or(true, |it| it.constant.may_be_infinite()).then_some(unknown)
    }
}

/// A function near a number, with generic coefficients that depend on the function and the number alone.
fn taylor(builtin: Builtin, at: Number, rest: &Series) -> Series {
    let coefficient = |term: u64| Number::generic([8, builtin as u64, at.key(), term]);
    let mut sum = Series::zero();
    for term in (0..TAYLOR_TERMS).rev() {
        sum = &(&sum * rest) + &Series::monomial(coefficient(term), 0);
    }
    sum
}

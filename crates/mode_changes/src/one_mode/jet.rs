//! Jets, and the equations of a mode as functions of them.
//!
//! A jet holds the value and the first derivatives of every variable at one instant, from one side. What a restart
//! asks of a model is little: the time derivatives of a residual along a jet, and those of its partial derivatives.
//! Whatever can answer that, matrices or compiled expressions, can be restarted.

use modeshift_dae::{Derivative, IndexVec};

use modeshift_numerics::KnownFactors;
use modeshift_numerics::residual_newton::Linearity;
use modeshift_structure::one_mode::{Block, Column, Row};

/// Values and derivatives of all variables of a mode at one instant. What is not known is NaN, and so is all that is
/// computed from it.
#[derive(Clone, Debug)]
pub struct Jet {
    /// The instant.
    pub time: f64,
    values: IndexVec<Column, Derivatives>,
}

/// So many derivatives of a variable are stored in place: a jet of a large model is copied at every event.
const IN_PLACE: usize = 3;

/// The value and the first derivatives of one variable.
#[derive(Clone, Debug)]
struct Derivatives {
    length: u32,
    in_place: [f64; IN_PLACE],
    /// All of them where they are more.
    many: Box<[f64]>,
}

impl Derivatives {
    fn none() -> Self {
        Derivatives { length: 0, in_place: [f64::NAN; IN_PLACE], many: Box::default() }
    }

    fn of(values: &[f64]) -> Self {
        let mut derivatives = Derivatives::none();
        derivatives.resize(values.len());
        derivatives.as_mut_slice().copy_from_slice(values);
        derivatives
    }

    fn as_slice(&self) -> &[f64] {
        let length = self.length as usize;
        if length <= IN_PLACE { &self.in_place[..length] } else { &self.many }
    }

    fn as_mut_slice(&mut self) -> &mut [f64] {
        let length = self.length as usize;
        if length <= IN_PLACE { &mut self.in_place[..length] } else { &mut self.many }
    }

    /// Makes room for more derivatives, none of them known.
    fn resize(&mut self, length: usize) {
        if length > IN_PLACE {
            let mut many = self.as_slice().to_vec();
            many.resize(length, f64::NAN);
            self.many = many.into();
        }
        self.length = length as u32;
    }
}

impl Jet {
    /// A jet of `size` variables of which nothing is known.
    pub fn unknown(time: f64, size: usize) -> Self {
        Jet { time, values: (0..size).map(|_| Derivatives::none()).collect() }
    }

    /// The jet with these values and derivatives.
    pub fn new<Values: AsRef<[f64]>>(time: f64, values: impl IntoIterator<Item = Values>) -> Self {
        Jet { time, values: values.into_iter().map(|values| Derivatives::of(values.as_ref())).collect() }
    }

    /// The derivative of this order, or NaN.
    pub fn get(&self, column: Column, order: u32) -> f64 {
        self.derivatives(column).get(order as usize).copied().unwrap_or(f64::NAN)
    }

    /// Whether the derivative of this order is known.
    pub fn knows(&self, column: Column, order: u32) -> bool {
        !self.get(column, order).is_nan()
    }

    /// Sets the derivative of this order.
    pub fn set(&mut self, column: Column, order: u32, value: f64) {
        let values = &mut self.values[column];
        if values.length <= order {
            values.resize(order as usize + 1);
        }
        values.as_mut_slice()[order as usize] = value;
    }

    /// Sets several derivatives.
    pub fn set_all(&mut self, derivatives: &[Derivative<Column>], values: &[f64]) {
        for (&Derivative { of: column, order }, &value) in derivatives.iter().zip(values) {
            self.set(column, order, value);
        }
    }

    /// The value and all derivatives that were set.
    pub fn derivatives(&self, column: Column) -> &[f64] {
        self.values[column].as_slice()
    }

    /// How many variables.
    pub fn size(&self) -> usize {
        self.values.len()
    }
}

/// `∂f/∂x^(order)` of a residual along a jet.
#[derive(Clone, Debug)]
pub struct Partial {
    /// The variable.
    pub column: Column,
    /// Which of its derivatives.
    pub order: u32,
    /// The partial derivative and its first time derivatives.
    pub derivatives: Vec<f64>,
}

/// The equations of one mode, each as `residual = 0`.
pub trait Residuals {
    /// The residual and its first `highest` time derivatives along a jet: `highest + 1` numbers.
    fn residual(&self, row: Row, jet: &Jet, highest: u32) -> Vec<f64>;

    /// The partial derivatives of the residual along a jet, each with its first `highest` time derivatives; every
    /// variable and order at most once.
    fn partials(&self, row: Row, jet: &Jet, highest: u32) -> Vec<Partial>;

    /// One time derivative of the residual along a jet.
    fn derivative(&self, row: Row, jet: &Jet, order: u32) -> f64 {
        self.residual(row, jet, order)[order as usize]
    }

    /// Calls `visit` with variable, order and value of each partial derivative.
    fn for_each_partial(&self, row: Row, jet: &Jet, visit: &mut dyn FnMut(Column, u32, f64)) {
        for partial in self.partials(row, jet, 0) {
            visit(partial.column, partial.order, partial.derivatives[0]);
        }
    }

    /// Whether the partial derivatives are known to be the same along all jets through an instant.
    fn is_linear(&self, _row: Row) -> bool {
        false
    }

    /// Where factors of linear blocks are kept, if they are.
    fn known_factors(&self) -> Option<&KnownFactors> {
        None
    }
}

/// Whether the Jacobian of a block is the same everywhere; the factors of large blocks are kept by their first rows.
pub(crate) fn linearity<'a>(equations: &'a dyn Residuals, block: &Block) -> Linearity<'a> {
    if !block.rows.iter().all(|&row| equations.is_linear(row)) {
        return Linearity::Nonlinear;
    }
    match equations.known_factors() {
        Some(known) if block.rows.len() >= KnownFactors::SMALLEST => Linearity::Kept(known, block.rows[0].0),
        _ => Linearity::Linear,
    }
}

/// `binom(n, k)` as a number.
pub(crate) fn binomial(n: u32, k: u32) -> f64 {
    (0..k.min(n - k)).fold(1.0, |product, factor| product * f64::from(n - factor) / f64::from(factor + 1))
}

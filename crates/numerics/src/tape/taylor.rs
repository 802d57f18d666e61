//! Taylor series on the tape: coefficients of the inputs in, coefficients of the results out.
//!
//! Coefficient `k` is the `k`-th derivative divided by `k!`. With the series of a trajectory as input, the results
//! are the series of residuals (hidden constraints `f^(k)`) and of guards. The recurrences are the classical ones,
//! each quadratic in the order.
//!
//! Series are of right limits: where a decision is a tie at order 0 (`abs(x)` or `x < y` with `x = y`), the first
//! coefficients that differ decide. Native functions have no series beyond order 1, or 2 where their
//! partial derivatives are functions themselves: higher coefficients are "not a number" unless the arguments are constant.

use std::cmp::Ordering;

use modeshift_dae::Builtin;

use super::instructions::{Call, Instruction, Operation, Tape, truth};

/// The buffers for one tape and one order.
#[derive(Clone, Debug)]
pub struct TaylorWorkspace {
    /// Coefficients per series: the order plus one.
    length: usize,
    series: Vec<f64>,
    scratch: [Vec<f64>; 3],
    call_scratch: Vec<f64>,
}

impl TaylorWorkspace {
    /// For series up to this order.
    pub fn new(tape: &Tape, order: usize) -> Self {
        let length = order + 1;
        let plain = tape.workspace();
        let mut series = vec![0.0; plain.registers.len() * length];
        for (index, &constant) in tape.constants.iter().enumerate() {
            series[(tape.inputs.len() + index) * length] = constant;
        }
        let scratch = std::array::from_fn(|_| vec![0.0; length]);
        TaylorWorkspace { length, series, scratch, call_scratch: plain.scratch }
    }

    /// The order.
    pub fn order(&self) -> usize {
        self.length - 1
    }
}

/// The series of the `order`-th derivative of what has this series, as long as `derivative` is.
pub fn derivative_series(series: &[f64], order: usize, derivative: &mut [f64]) {
    for (index, place) in derivative.iter_mut().enumerate() {
        let factor: f64 = (1..=order).map(|step| (index + step) as f64).product();
        *place = factor * series[index + order];
    }
}

impl Tape {
    /// The series of the results from those of the inputs; both one series after the other.
    pub fn evaluate_taylor(&self, inputs: &[f64], workspace: &mut TaylorWorkspace, outputs: &mut [f64]) {
        let length = workspace.length;
        assert_eq!(inputs.len(), self.inputs.len() * length, "one series for each input");
        assert_eq!(outputs.len(), self.outputs.len() * length, "one place for each coefficient");
        workspace.series[..inputs.len()].copy_from_slice(inputs);
        for index in 0..self.instructions.len() {
            self.series_of(index, workspace);
        }
        for (place, &register) in outputs.chunks_exact_mut(length).zip(&self.outputs) {
            place.copy_from_slice(&workspace.series[register as usize * length..][..length]);
        }
    }

    fn series_of(&self, index: usize, workspace: &mut TaylorWorkspace) {
        let TaylorWorkspace { length, series, scratch, call_scratch } = workspace;
        let length = *length;
        let Instruction { operation, a, b, c } = self.instructions[index];
        let (known, rest) = series.split_at_mut((self.first_result() + index) * length);
        match operation {
            Operation::Output => {}
            Operation::Call => {
                let call = &self.calls[a as usize];
                call_series(call, known, &mut rest[..call.outputs as usize * length], length, call_scratch)
            }
            _ => {
                let at = |register: u32| &known[register as usize * length..][..length];
                operation_series(operation, at(a), at(b), at(c), &mut rest[..length], scratch);
            }
        }
    }
}

fn operation_series(
    operation: Operation,
    a: &[f64],
    b: &[f64],
    c: &[f64],
    result: &mut [f64],
    scratch: &mut [Vec<f64>; 3],
) {
    let [first, second, third] = scratch;
    match operation {
        Operation::Negate => map(a, result, |a| -a),
        Operation::Add => zip(a, b, result, |a, b| a + b),
        Operation::Subtract => zip(a, b, result, |a, b| a - b),
        Operation::Multiply => multiply(a, b, result),
        Operation::Divide => divide(a, b, result),
        Operation::Power if is_constant(b) => power(a, b[0], result),
        Operation::Power => {
            logarithm(a, first);
            multiply(first, b, second);
            exponential(second, result);
        }
        Operation::Whole(exponent) => whole_power(a, exponent, result, first, second),
        Operation::One(builtin) => function_of_one(builtin, a, result, [first, second, third]),
        Operation::Two(builtin) => function_of_two(builtin, a, b, result, first),
        Operation::Relation(operator) => {
            let side = compare(a, b).map_or(f64::NAN, |ordering| ordering as i8 as f64);
            constant(result, truth(operator.holds(side, 0.0)));
        }
        Operation::Not | Operation::And | Operation::Or => constant(result, operation.value(a[0], b[0], c[0])),
        Operation::Select => result.copy_from_slice(if a[0] != 0.0 { b } else { c }),
        Operation::Call | Operation::Output => unreachable!("calls have their own series"),
    }
}

fn function_of_one(builtin: Builtin, a: &[f64], result: &mut [f64], [first, second, third]: [&mut Vec<f64>; 3]) {
    match builtin {
        Builtin::Exp => exponential(a, result),
        Builtin::Log => logarithm(a, result),
        Builtin::Log10 => {
            logarithm(a, result);
            result.iter_mut().for_each(|coefficient| *coefficient *= std::f64::consts::LOG10_E);
        }
        Builtin::Sqrt => root(a, result),
        Builtin::Sin => sine_and_cosine(a, result, first, -1.0),
        Builtin::Cos => sine_and_cosine(a, first, result, -1.0),
        Builtin::Sinh => sine_and_cosine(a, result, first, 1.0),
        Builtin::Cosh => sine_and_cosine(a, first, result, 1.0),
        Builtin::Tan => tangent(a, result, first, 1.0),
        Builtin::Tanh => tangent(a, result, first, -1.0),
        Builtin::Atan => {
            multiply(a, a, first);
            first[0] += 1.0;
            integrate_ratio(a[0].atan(), a, first, result);
        }
        Builtin::Asin | Builtin::Acos => {
            multiply(a, a, first);
            map(first, second, |square| -square);
            second[0] += 1.0;
            root(second, third);
            integrate_ratio(a[0].asin(), a, third, result);
            if builtin == Builtin::Acos {
                result.iter_mut().for_each(|coefficient| *coefficient = -*coefficient);
                result[0] = a[0].acos();
            }
        }
        Builtin::Abs => match sign(a) {
            Some(Ordering::Less) => map(a, result, |a| -a),
            _ => result.copy_from_slice(a),
        },
        Builtin::Sign => constant(result, sign(a).map_or(f64::NAN, |ordering| ordering as i8 as f64)),
        Builtin::Floor | Builtin::Ceil | Builtin::Integer | Builtin::Ordinal => {
            constant(result, builtin.value(&[a[0]]).unwrap_or(f64::NAN));
        }
        Builtin::Atan2 | Builtin::Min | Builtin::Max | Builtin::Div | Builtin::Mod | Builtin::Rem => {
            unreachable!("a function of two numbers")
        }
        Builtin::NoEvent
        | Builtin::Smooth
        | Builtin::Homotopy
        | Builtin::Initial
        | Builtin::Terminal
        | Builtin::Sample
        | Builtin::Edge
        | Builtin::Change
        | Builtin::Delay
        | Builtin::DelayMax
        | Builtin::StringOf => unreachable!("the compiler leaves only functions of numbers"),
    }
}

fn function_of_two(builtin: Builtin, a: &[f64], b: &[f64], result: &mut [f64], size: &mut [f64]) {
    match builtin {
        Builtin::Min => result.copy_from_slice(if compare(a, b).is_some_and(Ordering::is_le) { a } else { b }),
        Builtin::Max => result.copy_from_slice(if compare(a, b).is_some_and(Ordering::is_ge) { a } else { b }),
        Builtin::Mod => remainder(a, b, (a[0] / b[0]).floor(), result),
        Builtin::Rem => remainder(a, b, (a[0] / b[0]).trunc(), result),
        Builtin::Atan2 => arc_tangent(a, b, result, size),
        _ => constant(result, builtin.value(&[a[0], b[0]]).unwrap_or(f64::NAN)),
    }
}

fn map(a: &[f64], result: &mut [f64], function: impl Fn(f64) -> f64) {
    result.iter_mut().zip(a).for_each(|(place, &a)| *place = function(a));
}

fn zip(a: &[f64], b: &[f64], result: &mut [f64], function: impl Fn(f64, f64) -> f64) {
    result.iter_mut().zip(a.iter().zip(b)).for_each(|(place, (&a, &b))| *place = function(a, b));
}

fn constant(result: &mut [f64], value: f64) {
    result.fill(0.0);
    result[0] = value;
}

fn is_constant(a: &[f64]) -> bool {
    a[1..].iter().all(|&coefficient| coefficient == 0.0)
}

/// On which side of zero the series is right after the instant: the first coefficient that is not zero.
fn sign(a: &[f64]) -> Option<Ordering> {
    a.iter().find(|&&coefficient| coefficient != 0.0).map_or(Some(Ordering::Equal), |first| first.partial_cmp(&0.0))
}

/// Which of two series is larger right after the instant.
fn compare(a: &[f64], b: &[f64]) -> Option<Ordering> {
    let differing = a.iter().zip(b).find(|(a, b)| a != b);
    differing.map_or(Some(Ordering::Equal), |(a, b)| a.partial_cmp(b))
}

/// Σ_{0 < i < k} i a_i b_(k-i)
fn inner_sum(a: &[f64], b: &[f64], k: usize) -> f64 {
    (1..k).map(|i| i as f64 * a[i] * b[k - i]).sum()
}

fn multiply(a: &[f64], b: &[f64], result: &mut [f64]) {
    for (k, place) in result.iter_mut().enumerate() {
        *place = (0..=k).map(|i| a[i] * b[k - i]).sum();
    }
}

fn divide(a: &[f64], b: &[f64], result: &mut [f64]) {
    for k in 0..result.len() {
        let known: f64 = (1..=k).map(|i| b[i] * result[k - i]).sum();
        result[k] = (a[k] - known) / b[0];
    }
}

fn root(a: &[f64], result: &mut [f64]) {
    result[0] = a[0].sqrt();
    for k in 1..result.len() {
        let known: f64 = (1..k).map(|i| result[i] * result[k - i]).sum();
        result[k] = if is_constant(a) { 0.0 } else { (a[k] - known) / (2.0 * result[0]) };
    }
}

/// `r' = a' r`
fn exponential(a: &[f64], result: &mut [f64]) {
    result[0] = a[0].exp();
    for k in 1..result.len() {
        result[k] = (inner_sum(a, result, k) + k as f64 * a[k] * result[0]) / k as f64;
    }
}

fn logarithm(a: &[f64], result: &mut [f64]) {
    integrate_ratio(a[0].ln(), a, a, result);
}

/// `r' = a'/w` from a given `r(0)`.
fn integrate_ratio(start: f64, a: &[f64], w: &[f64], result: &mut [f64]) {
    result[0] = start;
    for k in 1..result.len() {
        result[k] = (a[k] - inner_sum(result, w, k) / k as f64) / w[0];
    }
}

/// `s' = a' c`, `c' = ± a' s`; with the minus they are sine and cosine, else the hyperbolic ones.
fn sine_and_cosine(a: &[f64], sine: &mut [f64], cosine: &mut [f64], curvature: f64) {
    let circular = curvature < 0.0;
    (sine[0], cosine[0]) = if circular { a[0].sin_cos() } else { (a[0].sinh(), a[0].cosh()) };
    for k in 1..sine.len() {
        let last = k as f64 * a[k];
        let of_sine = inner_sum(a, cosine, k) + last * cosine[0];
        let of_cosine = inner_sum(a, sine, k) + last * sine[0];
        sine[k] = of_sine / k as f64;
        cosine[k] = curvature * of_cosine / k as f64;
    }
}

/// `r' = (1 ± r²) a'`: tangent with plus, hyperbolic tangent with minus.
fn tangent(a: &[f64], result: &mut [f64], slope: &mut [f64], curvature: f64) {
    result[0] = if curvature > 0.0 { a[0].tan() } else { a[0].tanh() };
    slope[0] = 1.0 + curvature * result[0] * result[0];
    for k in 1..result.len() {
        result[k] = (inner_sum(a, slope, k) + k as f64 * a[k] * slope[0]) / k as f64;
        slope[k] = curvature * (0..=k).map(|i| result[i] * result[k - i]).sum::<f64>();
    }
}

/// `atan2(y, x)' = (x y' - y x')/(x² + y²)`
fn arc_tangent(y: &[f64], x: &[f64], result: &mut [f64], size: &mut [f64]) {
    for (k, place) in size.iter_mut().enumerate() {
        *place = (0..=k).map(|i| x[i] * x[k - i] + y[i] * y[k - i]).sum();
    }
    result[0] = y[0].atan2(x[0]);
    for k in 1..result.len() {
        let turned: f64 = (1..=k).map(|i| i as f64 * (x[k - i] * y[i] - y[k - i] * x[i])).sum();
        result[k] = (turned - inner_sum(result, size, k)) / (k as f64 * size[0]);
    }
}

/// `a r' = p a' r`
fn power(a: &[f64], exponent: f64, result: &mut [f64]) {
    result[0] = a[0].powf(exponent);
    for k in 1..result.len() {
        let sum: f64 = (1..=k).map(|i| (exponent * i as f64 - (k - i) as f64) * a[i] * result[k - i]).sum();
        result[k] = if is_constant(a) { 0.0 } else { sum / (k as f64 * a[0]) };
    }
}

/// By repeated squaring, so that it is right at zero too.
fn whole_power(a: &[f64], exponent: i8, result: &mut [f64], square: &mut [f64], product: &mut [f64]) {
    constant(result, 1.0);
    square.copy_from_slice(a);
    let mut left = exponent.unsigned_abs();
    while left > 0 {
        if left & 1 == 1 {
            multiply(result, square, product);
            result.copy_from_slice(product);
        }
        multiply(square, square, product);
        square.copy_from_slice(product);
        left >>= 1;
    }
    if exponent < 0 {
        square.copy_from_slice(result);
        constant(product, 1.0);
        divide(product, square, result);
    }
}

fn remainder(a: &[f64], b: &[f64], count: f64, result: &mut [f64]) {
    zip(a, b, result, |a, b| a - count * b);
}

/// Order 0 by the value, order 1 by the partial derivatives, order 2 by theirs where they are known.
fn call_series(call: &Call, known: &[f64], results: &mut [f64], length: usize, scratch: &mut [f64]) {
    results.fill(0.0);
    // A function without an implementation has no partial derivatives either.
    let Some(native) = &call.native else {
        results.iter_mut().step_by(length).for_each(|value| *value = f64::NAN);
        return;
    };
    let partial = call.partial.map(|by| native.partial(by as usize));
    let native = partial.as_ref().unwrap_or(native);
    let argument = |register: u32| &known[register as usize * length..][..length];
    let outputs = call.outputs as usize;
    let (values, rest) = scratch.split_at_mut(call.arguments.len());
    let (column, spare) = rest.split_at_mut(outputs);
    for (value, &register) in values.iter_mut().zip(&call.arguments) {
        *value = argument(register)[0];
    }
    native.evaluate(values, column);
    results.iter_mut().step_by(length).zip(column.iter()).for_each(|(place, &value)| *place = value);
    let arguments = call.arguments.iter().map(|&register| argument(register)).enumerate();
    let moving: Vec<(usize, &[f64])> = arguments.filter(|(_, series)| !is_constant(series)).collect();
    for &(by, series) in &moving {
        native.evaluate_partial(values, by, column, &mut spare[..outputs]);
        for (result, &partial) in results.chunks_exact_mut(length).zip(column.iter()) {
            result[1] += partial * series[1];
            if let Some(place) = result.get_mut(2) {
                *place += partial * series[2];
            }
            result.iter_mut().skip(3).for_each(|place| *place = f64::NAN);
        }
    }
    if length <= 2 {
        return;
    }
    for &(by, series) in &moving {
        let Some(slope) = native.exact_partial(by) else {
            results.chunks_exact_mut(length).for_each(|result| result[2] = f64::NAN);
            return;
        };
        for &(other, other_series) in &moving {
            slope.evaluate_partial(values, other, column, &mut spare[..outputs]);
            for (result, &second) in results.chunks_exact_mut(length).zip(column.iter()) {
                result[2] += 0.5 * second * series[1] * other_series[1];
            }
        }
    }
}

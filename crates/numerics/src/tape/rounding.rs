//! What rounding makes of results: how far each may be from what exact arithmetic would give at inputs that are themselves rounded.
//!
//! A running error analysis (Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, §3.3): every operation rounds its result, and
//! passes on what rounding made of its operands. `exp(x) - 1` near `x = 0` is off by a rounding of 1, whatever its value. Decisions are
//! taken to be right: what is selected counts, steps are exact.

use modeshift_dae::Builtin;

use super::instructions::{Call, Instruction, Operation, Tape, Workspace};

impl Tape {
    /// What rounding may have made of each result at these inputs, which are rounded too.
    pub fn roundings(&self, inputs: &[f64], workspace: &mut Workspace, roundings: &mut [f64]) {
        assert_eq!(roundings.len(), self.outputs.len(), "one place for each result");
        self.run(inputs, workspace);
        let values = &workspace.registers;
        let mut errors = vec![0.0; values.len()];
        for (error, input) in errors.iter_mut().zip(inputs) {
            *error = f64::EPSILON * input.abs();
        }
        let first = self.first_result();
        for (index, instruction) in self.instructions.iter().enumerate() {
            let Instruction { operation, a, b, c } = *instruction;
            let result = first + index;
            let value = |register: u32| values[register as usize];
            let error = |register: u32| errors[register as usize];
            let passed_on = match operation {
                Operation::Negate => error(a),
                Operation::Add | Operation::Subtract => error(a) + error(b),
                Operation::Multiply => product(value(b), error(a)) + product(value(a), error(b)),
                Operation::Divide => (error(a) + product(values[result], error(b))) / value(b).abs(),
                Operation::Select => {
                    errors[result] = error(if value(a) != 0.0 { b } else { c });
                    continue;
                }
                Operation::Relation(_) | Operation::Not | Operation::And | Operation::Or => continue,
                Operation::One(builtin) | Operation::Two(builtin) if has_steps(builtin) => continue,
                Operation::Whole(_) | Operation::One(_) => {
                    moved(&[a], values, &errors, result, |it| operation.value(it[0], 0.0, 0.0))
                }
                Operation::Power | Operation::Two(_) => {
                    moved(&[a, b], values, &errors, result, |it| operation.value(it[0], it[1], 0.0))
                }
                Operation::Output => continue,
                Operation::Call => {
                    let call = &self.calls[a as usize];
                    for output in 0..call.outputs as usize {
                        let of = result + output;
                        let passed_on = moved(&call.arguments, values, &errors, of, |it| value_of(call, it, output));
                        errors[of] = passed_on + f64::EPSILON * values[of].abs();
                    }
                    continue;
                }
            };
            errors[result] = passed_on + f64::EPSILON * values[result].abs();
        }
        for (place, &register) in roundings.iter_mut().zip(&self.outputs) {
            *place = errors[register as usize];
        }
    }
}

/// A product in which zero is stronger than infinity.
fn product(value: f64, error: f64) -> f64 {
    if error == 0.0 { 0.0 } else { value.abs() * error }
}

fn has_steps(builtin: Builtin) -> bool {
    matches!(
        builtin,
        Builtin::Sign | Builtin::Floor | Builtin::Ceil | Builtin::Integer | Builtin::Div | Builtin::Mod | Builtin::Rem
    )
}

/// How much a value changes when its operands are moved by their errors, or by what can be told apart.
fn moved(
    operands: &[u32],
    values: &[f64],
    errors: &[f64],
    result: usize,
    mut function: impl FnMut(&[f64]) -> f64,
) -> f64 {
    let mut at: Vec<f64> = operands.iter().map(|&operand| values[operand as usize]).collect();
    let mut sum = 0.0;
    for (index, &operand) in operands.iter().enumerate() {
        let (value, error) = (values[operand as usize], errors[operand as usize]);
        if error == 0.0 {
            continue;
        }
        let step = error.max(2.0 * f64::EPSILON * value.abs());
        let changes = [value + step, value - step].map(|place| {
            at[index] = place;
            (function(&at) - values[result]).abs()
        });
        at[index] = value;
        sum += changes.into_iter().filter(|change| change.is_finite()).fold(0.0, f64::max);
    }
    sum
}

/// An output of a call at other arguments.
fn value_of(call: &Call, arguments: &[f64], output: usize) -> f64 {
    let outputs = call.outputs as usize;
    let (mut results, mut scratch) = (vec![f64::NAN; outputs], vec![0.0; outputs]);
    match (&call.native, call.partial) {
        (Some(native), None) => native.evaluate(arguments, &mut results),
        (Some(native), Some(by)) => {
            native.evaluate_partial(&mut arguments.to_vec(), by as usize, &mut results, &mut scratch);
        }
        (None, _) => {}
    }
    results[output]
}

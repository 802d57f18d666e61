//! Why a result is not a finite number: the first operation on the way to it that made one of finite operands.

use std::sync::Arc;

use modeshift_dae::{ExpressionId, FlatModel, short_text};

use super::instructions::{Input, Instruction, Operation, Tape, Workspace};

/// Where "not a number" or an infinity came from.
#[derive(Clone, Debug, PartialEq)]
pub enum NotFinite {
    /// It was given.
    Input(Input),
    /// It is a literal, or an operation on literals.
    Constant,
    /// No native function of this name is known.
    UnknownFunction(Arc<str>),
    /// A function returned it; why, where it can tell.
    Function(Arc<str>, Option<String>),
    /// An operation on these operands.
    Operation {
        /// The expression that it is the value of; `None` for a part of a derivative.
        expression: Option<ExpressionId>,
        /// The values of the operands.
        operands: Vec<f64>,
    },
}

impl NotFinite {
    /// In the words of the model.
    pub fn message(&self, model: &FlatModel) -> String {
        match self {
            NotFinite::Input(Input::Variable(variable, 0)) => {
                format!("`{}` is not a finite number", model.variables[*variable].name)
            }
            NotFinite::Input(Input::Variable(variable, order)) => {
                format!("derivative {order} of `{}` is not a finite number", model.variables[*variable].name)
            }
            NotFinite::Input(_) => "an input is not a finite number".to_string(),
            NotFinite::Constant => "a constant is not a finite number".to_string(),
            NotFinite::UnknownFunction(name) => format!("function `{name}` has no native implementation"),
            NotFinite::Function(name, None) => format!("function `{name}` did not return a finite number"),
            NotFinite::Function(name, Some(fault)) => format!("function `{name}` has no result: {fault}"),
            NotFinite::Operation { expression, operands } => {
                let operands: Vec<String> = operands.iter().map(|operand| number_text(*operand)).collect();
                let operands = operands.join(" and ");
                match expression {
                    Some(expression) => {
                        let text = short_text(model, None, *expression);
                        format!("`{text}` is not a finite number: its operands are {operands}")
                    }
                    None => format!("a derivative is not a finite number: its operands are {operands}"),
                }
            }
        }
    }
}

/// A number, with a power of ten where its zeros would have to be counted.
fn number_text(number: f64) -> String {
    let is_readable = number == 0.0 || (1e-5..1e15).contains(&number.abs()) || !number.is_finite();
    if is_readable { number.to_string() } else { format!("{number:e}") }
}

impl Tape {
    /// Why an output of the last evaluation is not finite; `None` if it is.
    pub fn explain(&self, workspace: &Workspace, output: usize) -> Option<NotFinite> {
        let mut register = self.outputs[output];
        let value = |register: u32| workspace.registers[register as usize];
        if value(register).is_finite() {
            return None;
        }
        let first = self.first_result();
        while let Some(index) = (register as usize).checked_sub(first) {
            let operands = self.operands(index, workspace);
            match operands.iter().find(|&&operand| !value(operand).is_finite()) {
                Some(&culprit) => register = culprit,
                None => return Some(self.origin(index, operands.iter().map(|&operand| value(operand)).collect())),
            }
        }
        let input = self.inputs.get(register as usize);
        Some(input.map_or(NotFinite::Constant, |&input| NotFinite::Input(input)))
    }

    /// The registers that an instruction's value depended on: of a selection, the chosen one.
    fn operands(&self, index: usize, workspace: &Workspace) -> Vec<u32> {
        let Instruction { operation, a, b, c } = self.instructions[index];
        match operation {
            Operation::Call | Operation::Output => self.calls[a as usize].arguments.clone(),
            Operation::Select => vec![a, if workspace.registers[a as usize] != 0.0 { b } else { c }],
            _ => [a, b, c][..operation.operand_count()].to_vec(),
        }
    }

    fn origin(&self, index: usize, operands: Vec<f64>) -> NotFinite {
        let Instruction { operation, a, .. } = self.instructions[index];
        match operation {
            Operation::Call | Operation::Output => {
                let call = &self.calls[a as usize];
                match &call.native {
                    None => NotFinite::UnknownFunction(call.name.clone()),
                    Some(native) => NotFinite::Function(call.name.clone(), native.fault(&operands)),
                }
            }
            _ => NotFinite::Operation { expression: self.origins[index], operands },
        }
    }
}

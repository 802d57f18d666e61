//! No machine code: inside WebAssembly nothing can be executed that was not there at the beginning. The tape serves, which
//! computes the same, bit for bit.

use crate::functions::{Allowance, Program, Routines};
use crate::tape::Tape;

/// Machine code that there is none of.
pub enum MachineCode {}

impl MachineCode {
    /// None.
    pub fn of(_tape: &Tape) -> Option<Self> {
        None
    }

    /// Nobody gets here.
    pub fn evaluate(&self, _inputs: &[f64], _buffer: &mut Vec<f64>, _outputs: &mut [f64]) {
        match *self {}
    }
}

/// Machine code of a body, that there is none of.
pub(crate) enum RoutineCode {}

impl RoutineCode {
    /// None.
    pub fn of(_program: &Program) -> Option<Self> {
        None
    }

    /// Nobody gets here.
    pub fn run(&self, _: &Routines, _arguments: &[f64], _outputs: &mut [f64], _: &mut Allowance) -> bool {
        match *self {}
    }
}

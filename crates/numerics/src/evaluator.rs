//! Evaluation of a tape that turns it into machine code once that pays.
//!
//! Nobody knows in advance how often a tape will be evaluated. So the tape is interpreted until as much time was spent on
//! it as compilation would have cost, and compiled then: whatever comes, the whole costs at most twice what the better
//! choice would have cost. The decision counts instructions, not time: it does not change from run to run.

use std::sync::Arc;

use crate::machine_code::MachineCode;
use crate::tape::{Tape, Workspace};

/// The cost of compiling one instruction, and of compiling at all, in interpreted instructions.
const COMPILATION: u64 = 1000;
const FIRST_COMPILATION: u64 = 20_000;

/// A tape with all that its evaluation needs.
pub struct Evaluator {
    tape: Arc<Tape>,
    workspace: Workspace,
    /// Instructions interpreted so far.
    interpreted: u64,
    code: Code,
}

enum Code {
    NotYet,
    Impossible,
    Made(Box<MachineCode>),
}

impl Evaluator {
    /// Nothing compiled yet.
    pub fn new(tape: impl Into<Arc<Tape>>) -> Self {
        let tape = tape.into();
        Evaluator { workspace: tape.workspace(), tape, interpreted: 0, code: Code::NotYet }
    }

    /// The tape.
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// Whether there is machine code by now.
    pub fn is_compiled(&self) -> bool {
        matches!(self.code, Code::Made(_))
    }

    /// Compiles now, whether it pays or not.
    pub fn compile(&mut self) {
        if let Code::NotYet = self.code {
            self.code = MachineCode::of(&self.tape).map_or(Code::Impossible, |code| Code::Made(Box::new(code)));
        }
    }

    /// The results at these inputs.
    pub fn evaluate(&mut self, inputs: &[f64], outputs: &mut [f64]) {
        if let Code::NotYet = self.code {
            self.interpreted += self.tape.instruction_count() as u64;
            if self.pays() {
                self.compile();
            }
        }
        match &mut self.code {
            Code::Made(code) => code.evaluate(inputs, outputs),
            Code::NotYet | Code::Impossible => self.tape.evaluate(inputs, &mut self.workspace, outputs),
        }
    }

    fn pays(&self) -> bool {
        let cost = FIRST_COMPILATION + COMPILATION * self.tape.instruction_count() as u64;
        self.tape.instruction_count() > 0 && self.interpreted > cost
    }
}

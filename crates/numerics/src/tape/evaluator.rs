//! Evaluation of a tape that turns it into machine code once that pays.
//!
//! Nobody knows in advance how often a tape will be evaluated. So the tape is interpreted until as much time was spent on
//! it as compilation would have cost, and compiled then: whatever comes, the whole costs at most twice what the better
//! choice would have cost. The decision counts instructions, not time: it does not change from run to run. Copies of an
//! evaluator share the tape, the count and the code, each with buffers of its own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::explain::NotFinite;
use super::instructions::{Input, Tape, Workspace};
use crate::machine_code::MachineCode;

/// The cost of compiling one instruction, and of compiling at all, in interpreted instructions.
const COMPILATION: u64 = 1000;
const FIRST_COMPILATION: u64 = 20_000;

/// A tape with all that its evaluation needs.
#[derive(Clone)]
pub struct Evaluator {
    shared: Arc<Shared>,
    workspace: Workspace,
    /// What passes between pieces of machine code.
    between: Vec<f64>,
}

/// What copies of an evaluator share.
struct Shared {
    tape: Tape,
    /// Instructions interpreted so far.
    interpreted: AtomicU64,
    /// The machine code, once it was asked for, where it can be made.
    code: OnceLock<Option<MachineCode>>,
}

impl Evaluator {
    /// Nothing compiled yet.
    pub fn new(tape: Tape) -> Self {
        let workspace = tape.workspace();
        let shared = Arc::new(Shared { tape, interpreted: AtomicU64::new(0), code: OnceLock::new() });
        Evaluator { shared, workspace, between: Vec::new() }
    }

    /// The tape.
    pub fn tape(&self) -> &Tape {
        &self.shared.tape
    }

    /// What the inputs are, in the order in which their values are to be given.
    pub fn inputs(&self) -> &[Input] {
        self.shared.tape.inputs()
    }

    /// Whether there is machine code by now.
    pub fn is_compiled(&self) -> bool {
        matches!(self.shared.code.get(), Some(Some(_)))
    }

    /// Compiles now, whether it pays or not.
    pub fn compile(&self) {
        self.shared.code.get_or_init(|| MachineCode::of(&self.shared.tape));
    }

    /// The results at these inputs.
    pub fn evaluate(&mut self, inputs: &[f64], outputs: &mut [f64]) {
        if self.shared.code.get().is_none() {
            self.shared.count();
        }
        match self.shared.code.get() {
            Some(Some(code)) => code.evaluate(inputs, &mut self.between, outputs),
            _ => self.shared.tape.evaluate(inputs, &mut self.workspace, outputs),
        }
    }

    /// What rounding may have made of each result at these inputs.
    pub fn roundings(&mut self, inputs: &[f64], roundings: &mut [f64]) {
        self.shared.tape.roundings(inputs, &mut self.workspace, roundings);
    }

    /// Why a result at these inputs is not finite.
    pub fn explain(&mut self, inputs: &[f64], result: usize) -> Option<NotFinite> {
        self.shared.tape.run(inputs, &mut self.workspace);
        self.shared.tape.explain(&self.workspace, result)
    }
}

impl Shared {
    /// One more evaluation is asked for: compiles if so many were that it pays.
    fn count(&self) {
        let length = self.tape.instruction_count() as u64;
        // Threads that count at once may lose a few instructions: nothing but the moment of compilation depends on it.
        let interpreted = self.interpreted.load(Ordering::Relaxed) + length;
        self.interpreted.store(interpreted, Ordering::Relaxed);
        if length > 0 && interpreted > FIRST_COMPILATION + COMPILATION * length {
            self.code.get_or_init(|| MachineCode::of(&self.tape));
        }
    }
}

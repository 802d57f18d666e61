//! A tape as machine code, through cranelift.
//!
//! The code computes what the tape computes, bit for bit: the same operations in the same order, and the same functions
//! for sines and the like. It is made where the processor is one that cranelift knows, memory may be executed and the
//! tape calls no function from outside; elsewhere there is none, and the tape serves. This file is the only one with
//! `unsafe` code.
//!
//! | file | purpose |
//! |---|---|
//! | `pieces` | a tape cut into pieces that are compiled one by one |
//! | `translate` | one piece in the intermediate language of the compiler |
//! | `thunks` | functions that machine code calls |

mod pieces;
mod thunks;
mod translate;

use std::sync::{Arc, LazyLock, Mutex};

use cranelift_codegen::Context;
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, default_libcall_names};

use crate::tape::Tape;

/// The compiled form of one piece: addresses of inputs, of values between pieces, of results.
type Function = unsafe extern "C" fn(*const f64, *mut f64, *mut f64);

/// Machine code that computes what a tape computes.
pub struct MachineCode {
    functions: Vec<Function>,
    /// Results that are inputs or constants: their positions and registers.
    plain: Vec<(usize, Plain)>,
    input_count: usize,
    output_count: usize,
    /// How many values pass between pieces.
    between: usize,
    /// The memory of the functions; there until the code is dropped. Nobody locks it: threads share the functions only.
    module: Option<Mutex<JITModule>>,
}

/// A result that needs no computation.
#[derive(Clone, Copy)]
enum Plain {
    Input(usize),
    Constant(f64),
}

impl MachineCode {
    /// Compiles a tape; `None` where that is not possible.
    pub fn of(tape: &Tape) -> Option<Self> {
        if !tape.calls.is_empty() {
            return None;
        }
        let builder = JITBuilder::with_isa(PROCESSOR.clone()?, default_libcall_names());
        let mut module = JITModule::new(builder);
        let (pieces, between) = pieces::pieces(tape);
        let ids = compile(tape, &pieces, &mut module);
        let mut code = MachineCode {
            functions: Vec::new(),
            plain: plain_outputs(tape),
            input_count: tape.inputs.len(),
            output_count: tape.outputs.len(),
            between,
            module: Some(Mutex::new(module)),
        };
        code.functions = code.link(&ids?)?;
        Some(code)
    }

    /// The results at these inputs. The buffer, at first empty, is the caller's, so that several may evaluate the same code.
    #[allow(unsafe_code)]
    pub fn evaluate(&self, inputs: &[f64], buffer: &mut Vec<f64>, outputs: &mut [f64]) {
        assert_eq!(inputs.len(), self.input_count, "one value for each input");
        assert_eq!(outputs.len(), self.output_count, "one place for each result");
        buffer.resize(self.between, 0.0);
        for function in &self.functions {
            // SAFETY: the functions were compiled with this signature, and their memory lives as long as `self`. They
            // read `inputs` at registers of inputs, write `outputs` at positions of results, and read and write
            // `buffer` at the places counted when they were made; the lengths of all three were just checked or set.
            unsafe { function(inputs.as_ptr(), buffer.as_mut_ptr(), outputs.as_mut_ptr()) };
        }
        for &(position, plain) in &self.plain {
            outputs[position] = match plain {
                Plain::Input(register) => inputs[register],
                Plain::Constant(value) => value,
            };
        }
    }

    /// Makes the functions executable.
    #[allow(unsafe_code)]
    fn link(&mut self, ids: &[FuncId]) -> Option<Vec<Function>> {
        let module = self.module.as_mut().expect("a module until dropped").get_mut().ok()?;
        module.finalize_definitions().ok()?;
        let functions = ids.iter().map(|&id| {
            let address = module.get_finalized_function(id);
            // SAFETY: the address is that of a finished function with the signature that `translate::signature`
            // declares: three addresses, no result, the platform's calling convention.
            unsafe { std::mem::transmute::<*const u8, Function>(address) }
        });
        Some(functions.collect())
    }
}

impl Drop for MachineCode {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        self.functions.clear();
        if let Some(Ok(module)) = self.module.take().map(Mutex::into_inner) {
            // SAFETY: the functions in this memory are reachable through `self.functions` only, which is empty now.
            unsafe { module.free_memory() };
        }
    }
}

/// What code is made for: the processor this runs on, `None` where cranelift does not know it.
static PROCESSOR: LazyLock<Option<Arc<dyn TargetIsa>>> = LazyLock::new(|| {
    let mut flags = settings::builder();
    // Tapes share and fold already; what remains to be gained is not worth the time.
    for (name, value) in [("opt_level", "none"), ("enable_verifier", "false"), ("is_pic", "false")] {
        flags.set(name, value).ok()?;
    }
    flags.set("use_colocated_libcalls", "false").ok()?;
    cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()
});

fn compile(tape: &Tape, pieces: &[pieces::Piece], module: &mut JITModule) -> Option<Vec<FuncId>> {
    let config = module.target_config();
    let signature = translate::signature(config);
    let mut context = Context::new();
    let mut building = FunctionBuilderContext::new();
    let mut ids = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let id = module.declare_anonymous_function(&signature).ok()?;
        translate::translate(tape, piece, &mut context.func, &mut building, config).ok()?;
        module.define_function(id, &mut context).ok()?;
        module.clear_context(&mut context);
        ids.push(id);
    }
    Some(ids)
}

fn plain_outputs(tape: &Tape) -> Vec<(usize, Plain)> {
    let plain = |register: usize| match register.checked_sub(tape.inputs.len()) {
        None => Some(Plain::Input(register)),
        Some(index) => tape.constants.get(index).map(|&constant| Plain::Constant(constant)),
    };
    let outputs = tape.outputs.iter().enumerate();
    outputs.filter_map(|(position, &register)| plain(register as usize).map(|plain| (position, plain))).collect()
}

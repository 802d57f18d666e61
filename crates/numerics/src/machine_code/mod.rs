//! Tapes and bodies of functions as machine code, through cranelift.
//!
//! The code computes what the tape and the interpreter compute, bit for bit: the same operations in the same order, and the same functions
//! for sines and the like. It is made where the processor is one that cranelift knows and memory may be executed;
//! elsewhere there is none, and the tape and the interpreter serve. This file is the only one with `unsafe` code.
//!
//! | file | purpose |
//! |---|---|
//! | `pieces` | a tape cut into pieces that are compiled one by one |
//! | `translate` | one piece in the intermediate language of the compiler |
//! | `routine` | the body of a function in that language |
//! | `layout` | where its registers are, which of its loops count in whole numbers |
//! | `operations` | single operations in it |
//! | `thunks` | functions that machine code calls |

mod layout;
mod operations;
mod pieces;
mod routine;
mod thunks;
mod translate;

use std::sync::{Arc, LazyLock, Mutex};

use cranelift_codegen::Context;
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, default_libcall_names};
use modeshift_dae::FunctionId;

use crate::functions::{Allowance, Program, Routines};
use crate::tape::{Call, Tape};

/// Something that machine code is not made for.
struct Unsupported;

/// Bytes from the beginning of a list of numbers.
fn offset(position: usize) -> Result<i32, Unsupported> {
    i32::try_from(8 * position as u64).map_err(|_| Unsupported)
}

/// The compiled form of one piece: addresses of inputs, of values between pieces, of results.
type Function = unsafe extern "C" fn(*const f64, *mut f64, *mut f64);

/// Machine code that computes what a tape computes.
pub struct MachineCode {
    functions: Vec<Function>,
    /// Results that are inputs or constants: their positions and registers.
    plain: Vec<(usize, Plain)>,
    input_count: usize,
    output_count: usize,
    /// How many values pass between pieces, and are at work in calls.
    between: usize,
    /// What the code calls, by address.
    _calls: Box<[Call]>,
    _memory: Executable,
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
        let mut memory = Executable::new(&FOR_TAPES)?;
        let (pieces, between) = pieces::pieces(tape);
        let calls: Box<[Call]> = tape.calls.clone().into();
        let ids = compile(tape, &pieces, (&calls, between), memory.module())?;
        let addresses = memory.finished(&ids)?;
        Some(MachineCode {
            functions: addresses.into_iter().map(piece_at).collect(),
            plain: plain_outputs(tape),
            input_count: tape.inputs.len(),
            output_count: tape.outputs.len(),
            between: between + tape.largest_call(),
            _calls: calls,
            _memory: memory,
        })
    }

    /// The results at these inputs. The buffer, at first empty, is the caller's, so that several may evaluate the same code.
    #[allow(unsafe_code)]
    pub fn evaluate(&self, inputs: &[f64], buffer: &mut Vec<f64>, outputs: &mut [f64]) {
        assert_eq!(inputs.len(), self.input_count, "one value for each input");
        assert_eq!(outputs.len(), self.output_count, "one place for each result");
        buffer.resize(self.between, 0.0);
        for function in &self.functions {
            // SAFETY: the functions were compiled with this signature, and their memory lives as long as `self`, as do the calls
            // whose addresses are in it. They read `inputs` at registers of inputs, write `outputs` at positions of results, and read and
            // write `buffer` at the places counted when they were made; the lengths of all three were just checked or set.
            unsafe { function(inputs.as_ptr(), buffer.as_mut_ptr(), outputs.as_mut_ptr()) };
        }
        for &(position, plain) in &self.plain {
            outputs[position] = match plain {
                Plain::Input(register) => inputs[register],
                Plain::Constant(value) => value,
            };
        }
    }
}

#[allow(unsafe_code)]
fn piece_at(address: *const u8) -> Function {
    // SAFETY: the address is that of a finished function with the signature that `translate::signature` declares: three
    // addresses, no result, the platform's calling convention.
    unsafe { std::mem::transmute::<*const u8, Function>(address) }
}

/// Carries out a call of a tape, whose arguments lie at this address with room for its outputs behind them.
///
/// # Safety
/// Only code that `translate` writes calls this: with a call of a tape that [`MachineCode`] keeps, and an address behind which there is
/// room for its arguments and twice its outputs.
#[allow(unsafe_code)]
unsafe extern "C" fn carry_out(call: *const Call, workplace: *mut f64) {
    // SAFETY: as said above.
    let (call, arguments, rest) = unsafe {
        let call = &*call;
        let (count, outputs) = (call.arguments.len(), call.outputs as usize);
        let arguments = std::slice::from_raw_parts_mut(workplace, count);
        (call, arguments, std::slice::from_raw_parts_mut(workplace.add(count), 2 * outputs))
    };
    let (outputs, scratch) = rest.split_at_mut(call.outputs as usize);
    call.evaluate(arguments, outputs, scratch);
}

/// The compiled form of a body: addresses of all functions, of arguments, of outputs, of memory, of the allowance.
type RoutineFunction = unsafe extern "C" fn(*const u8, *const f64, *mut f64, *mut f64, *mut u8) -> u64;

/// Machine code that computes what a program of a body computes.
pub(crate) struct RoutineCode {
    function: RoutineFunction,
    inputs: usize,
    outputs: usize,
    /// How many numbers it needs in memory.
    memory: usize,
    _memory: Executable,
}

/// So many numbers of memory are on the stack.
const FEW: usize = 32;

impl RoutineCode {
    /// Compiles a program; `None` where that is not possible.
    pub fn of(program: &Program) -> Option<Self> {
        let mut executable = Executable::new(&FOR_BODIES)?;
        let module = executable.module();
        let config = module.target_config();
        let id = module.declare_anonymous_function(&routine::signature(config)).ok()?;
        let (mut context, mut building) = (Context::new(), FunctionBuilderContext::new());
        let memory = routine::translate(program, &mut context.func, &mut building, config).ok()?;
        module.define_function(id, &mut context).ok()?;
        let function = routine_at(*executable.finished(&[id])?.first()?);
        let (inputs, outputs) = (program.inputs as usize, program.outputs.len());
        Some(RoutineCode { function, inputs, outputs, memory, _memory: executable })
    }

    /// The outputs at these arguments; returns whether there are any.
    #[allow(unsafe_code)]
    pub fn run(&self, routines: &Routines, arguments: &[f64], outputs: &mut [f64], allowance: &mut Allowance) -> bool {
        assert_eq!(arguments.len(), self.inputs, "one value for each argument");
        assert_eq!(outputs.len(), self.outputs, "one place for each output");
        let (mut few, mut many) = ([f64::NAN; FEW], Vec::new());
        let memory = match few.get_mut(..self.memory) {
            Some(few) => few,
            None => {
                many.resize(self.memory, f64::NAN);
                &mut many[..]
            }
        };
        let (routines, allowance) = (&raw const *routines, &raw mut *allowance);
        // SAFETY: the function was compiled with this signature, and its memory lives as long as `self`. It reads `arguments`, writes
        // `outputs`, and reads and writes `memory`, at places counted when it was made; the lengths of all three were just checked
        // or set. The other two addresses go to `run_routine`, and the first number behind that of the allowance is read and written.
        let outcome = unsafe {
            (self.function)(
                routines.cast(),
                arguments.as_ptr(),
                outputs.as_mut_ptr(),
                memory.as_mut_ptr(),
                allowance.cast(),
            )
        };
        outcome == 0
    }
}

#[allow(unsafe_code)]
fn routine_at(address: *const u8) -> RoutineFunction {
    // SAFETY: the address is that of a finished function with the signature that `routine::signature` declares: five addresses,
    // a whole number of 64 bits as result, the platform's calling convention.
    unsafe { std::mem::transmute::<*const u8, RoutineFunction>(address) }
}

/// Runs a function that a compiled one calls; returns 1 where it cannot go on.
///
/// # Safety
/// Only code that `routine` writes calls this: with the first and the last address that [`RoutineCode::run`] handed on, and with those of
/// as many arguments and outputs, in its memory, as it says.
#[allow(unsafe_code, clippy::too_many_arguments)] // as `thunks::signature_of_routine` declares them
unsafe extern "C" fn run_routine(
    routines: *const u8,
    function: u64,
    level: u64,
    arguments: *const f64,
    argument_count: u64,
    outputs: *mut f64,
    output_count: u64,
    allowance: *mut u8,
) -> u64 {
    // SAFETY: as said above.
    let (routines, arguments, outputs, allowance) = unsafe {
        let arguments = std::slice::from_raw_parts(arguments, argument_count as usize);
        let outputs = std::slice::from_raw_parts_mut(outputs, output_count as usize);
        (&*routines.cast::<Routines>(), arguments, outputs, &mut *allowance.cast::<Allowance>())
    };
    let outcome = routines.nested(FunctionId(function as u32), level as u32, arguments, outputs, allowance);
    u64::from(outcome.is_err())
}

/// The memory of functions; there until it is dropped, and the functions with it. Nobody locks it: threads share the functions only.
struct Executable {
    module: Option<Mutex<JITModule>>,
}

impl Executable {
    fn new(processor: &Option<Arc<dyn TargetIsa>>) -> Option<Self> {
        let builder = JITBuilder::with_isa(processor.clone()?, default_libcall_names());
        Some(Executable { module: Some(Mutex::new(JITModule::new(builder))) })
    }

    fn module(&mut self) -> &mut JITModule {
        let module = self.module.as_mut().expect("a module until dropped").get_mut();
        module.unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Makes functions executable: their addresses.
    fn finished(&mut self, ids: &[FuncId]) -> Option<Vec<*const u8>> {
        let module = self.module();
        module.finalize_definitions().ok()?;
        Some(ids.iter().map(|&id| module.get_finalized_function(id)).collect())
    }
}

impl Drop for Executable {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        if let Some(Ok(module)) = self.module.take().map(Mutex::into_inner) {
            // SAFETY: the functions in this memory are called by those only that own it, which are gone.
            unsafe { module.free_memory() };
        }
    }
}

/// What code is made for: the processor this runs on, `None` where cranelift does not know it. Tapes share and fold already; what
/// remains to be gained is not worth the time.
static FOR_TAPES: LazyLock<Option<Arc<dyn TargetIsa>>> = LazyLock::new(|| processor("none"));

/// Bodies have loops, out of which something can be taken.
static FOR_BODIES: LazyLock<Option<Arc<dyn TargetIsa>>> = LazyLock::new(|| processor("speed"));

fn processor(effort: &str) -> Option<Arc<dyn TargetIsa>> {
    let mut flags = settings::builder();
    for (name, value) in [("opt_level", effort), ("enable_verifier", "false"), ("is_pic", "false")] {
        flags.set(name, value).ok()?;
    }
    flags.set("use_colocated_libcalls", "false").ok()?;
    cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()
}

fn compile(
    tape: &Tape,
    pieces: &[pieces::Piece],
    calls: (&[Call], usize),
    module: &mut JITModule,
) -> Option<Vec<FuncId>> {
    let config = module.target_config();
    let signature = translate::signature(config);
    let mut context = Context::new();
    let mut building = FunctionBuilderContext::new();
    let mut ids = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let id = module.declare_anonymous_function(&signature).ok()?;
        translate::translate(tape, piece, calls, &mut context.func, &mut building, config).ok()?;
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

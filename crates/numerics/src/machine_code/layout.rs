//! Where the registers of a body are in machine code, and which of its loops count in whole numbers.

use cranelift_codegen::ir::types::I64;
use cranelift_frontend::{FunctionBuilder, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Unsupported;
use crate::functions::{Counter, Element, Operation, Program, Register, Registers};

/// How many numbers calls, and elements of scattered registers, need beside the arrays.
pub(super) fn workplace(program: &Program) -> usize {
    let needed = |operation: &Operation| match operation {
        Operation::Call(call) => call.arguments.len() + call.outputs as usize,
        Operation::Load(_, Element { registers: Registers::Listed(list), .. }) => list.len(),
        _ => 0,
    };
    program.operations.iter().map(needed).max().unwrap_or(0)
}

/// Where registers are.
#[derive(Clone, Copy)]
pub(super) enum Home {
    Variable,
    Constant(f64),
    /// At this place of the function's memory.
    Memory(u32),
    /// Where the caller has it.
    Argument,
}

pub(super) struct Layout {
    pub homes: Vec<Home>,
    /// How many numbers are in memory.
    pub memory: usize,
}

impl Layout {
    pub fn of(program: &Program) -> Result<Self, Unsupported> {
        let count = program.registers as usize;
        let mut homes = vec![Home::Variable; count];
        for (register, value) in program.constants() {
            homes[register as usize] = Home::Constant(value);
        }
        let (mut is_chosen, mut is_stored) = (vec![false; count], vec![false; count]);
        for operation in &program.operations {
            let (element, stores) = match operation {
                Operation::Load(_, element) => (element, false),
                Operation::Store(_, element) => (element, true),
                _ => {
                    operation.results().for_each(|result| is_stored[result as usize] = true);
                    continue;
                }
            };
            operation.results().for_each(|result| is_stored[result as usize] = true);
            match &element.registers {
                Registers::From(first) => {
                    let range = *first as usize..*first as usize + element.registers().count();
                    is_chosen[range.clone()].fill(true);
                    if stores {
                        is_stored[range].fill(true);
                    }
                }
                // Elements are then read one by one.
                Registers::Listed(_) if !stores => {}
                Registers::Listed(_) => return Err(Unsupported),
            }
        }
        // Ranges of arrays may overlap: arguments stay where they are all or not at all.
        let inputs = program.inputs as usize;
        let chosen_inputs = |at: usize| is_chosen[at] && is_stored[at];
        let straddles = inputs > 0 && inputs < count && is_chosen[inputs - 1] && is_chosen[inputs];
        let stay = !straddles && !(0..inputs).any(chosen_inputs);
        let mut memory = 0;
        for at in (0..count).filter(|&at| is_chosen[at]) {
            homes[at] = match at < inputs && stay {
                true => Home::Argument,
                false => {
                    memory += 1;
                    Home::Memory(memory - 1)
                }
            };
        }
        Ok(Layout { homes, memory: memory as usize })
    }
}

/// A loop in steps of one from a whole number, counted in whole numbers.
#[derive(Clone, Copy)]
pub(super) struct Counting {
    pub index: Variable,
    pub last: Variable,
    /// The index as the body sees it.
    pub seen: Variable,
}

/// What registers of such loops are.
#[derive(Clone, Copy)]
pub(super) enum Role {
    Count(Counting),
    End(Counting),
    Slot(Counting),
}

/// Whole numbers up to here are exact, and far from where those of 64 bits end.
pub(super) const MOST_WHOLE: f64 = 9.0e15;
/// Loops begin at no larger ones.
pub(super) const MOST_FIRST: f64 = 1.0e9;

/// The loops that are counted so: all that share a slot, or none of them.
pub(super) fn counting(program: &Program, homes: &[Home], builder: &mut FunctionBuilder) -> FxHashMap<Register, Role> {
    let mut otherwise: FxHashSet<Register> = FxHashSet::default();
    loop {
        let found = counted(program, homes, &otherwise);
        let others = program.counters.iter().filter(|it| !found.iter().any(|counter| counter.count == it.count));
        let before = otherwise.len();
        otherwise.extend(others.map(|it| it.slot));
        if otherwise.len() > before {
            continue;
        }
        let mut roles = FxHashMap::default();
        for Counter { count, end, slot, .. } in found {
            let [index, last, own] = [(); 3].map(|()| builder.declare_var(I64));
            let seen = match roles.get(&slot) {
                Some(Role::Slot(Counting { seen, .. })) => *seen,
                _ => own,
            };
            let counting = Counting { index, last, seen };
            roles.extend([(count, Role::Count(counting)), (end, Role::End(counting)), (slot, Role::Slot(counting))]);
        }
        return roles;
    }
}

/// Loops in steps of one from a whole number, or from the slot of such a loop around them, but for some slots.
fn counted(program: &Program, homes: &[Home], otherwise: &FxHashSet<Register>) -> Vec<Counter> {
    let constant = |register: Register| match homes[register as usize] {
        Home::Constant(value) => Some(value),
        _ => None,
    };
    let is_variable = |register: Register| matches!(homes[register as usize], Home::Variable);
    // Nothing but loops writes their slots.
    let writes = |slot: Register| program.operations.iter().filter(|it| it.results().contains(&slot)).count();
    let loops = |slot: Register| program.counters.iter().filter(|it| it.slot == slot).count();
    let mut found: Vec<Counter> = Vec::new();
    for operation in &program.operations {
        let Operation::Copy(to, from) = operation else { continue };
        let Some(counter) = program.counters.iter().find(|counter| counter.count == *to) else { continue };
        let is_whole = constant(*from).is_some_and(|it| it.trunc() == it && it.abs() <= MOST_FIRST)
            || found.iter().any(|outer| outer.slot == *from);
        let is_plain = constant(counter.step) == Some(1.0) && is_variable(counter.count) && is_variable(counter.slot);
        if is_whole && is_plain && !otherwise.contains(&counter.slot) && writes(counter.slot) == loops(counter.slot) {
            found.push(*counter);
        }
    }
    found
}

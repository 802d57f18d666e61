//! Boolean operations on decision diagrams.
//!
//! Each operation is the textbook recursion on the top variable, and its depth is the number of variables its operands
//! depend on. It runs on the caller's stack to a depth of [`SHALLOW`], which is all that local sets of modes ever need, or as
//! deep as the thread was said to have stack for; beyond, it unwinds and starts again on a thread whose stack fits the operands.
//! So a predicate over a million variables costs memory, not a crash, and small ones cost nothing extra.

use std::cell::Cell;

use crate::kernel::{Kernel, Operation, TERMINAL_LEVEL};
use crate::limit::LimitKind;
use crate::set::ModeSet;

/// Levels of recursion on the caller's stack.
const SHALLOW: u32 = 800;
/// Stack that one level of recursion may take, in any build.
const BYTES_PER_LEVEL: usize = 1024;

thread_local! {
    /// Levels of recursion for which this thread has stack.
    static LEVELS: Cell<u32> = const { Cell::new(SHALLOW) };
}

/// Says that operations on sets of modes may take so many bytes of the stack of this thread, so that those on deep ones need no
/// thread of their own.
pub fn use_stack(bytes: usize) {
    let levels = u32::try_from(bytes / BYTES_PER_LEVEL).unwrap_or(u32::MAX);
    LEVELS.set(levels.max(SHALLOW));
}

impl Kernel {
    /// Most operands of an analysis are equal, all modes or none: these are answered where the question is asked.
    #[inline]
    pub(crate) fn and(&mut self, left: ModeSet, right: ModeSet) -> ModeSet {
        match trivial_and(left, right) {
            Some(result) if !self.halted => result,
            _ => self.guarded_and(left, right),
        }
    }

    fn guarded_and(&mut self, left: ModeSet, right: ModeSet) -> ModeSet {
        self.guarded([left, right], |kernel, depth| kernel.and_below(left, right, depth))
    }

    #[inline]
    pub(crate) fn or(&mut self, left: ModeSet, right: ModeSet) -> ModeSet {
        let neither = self.and(!left, !right);
        if self.halted { ModeSet::EMPTY } else { !neither }
    }

    pub(crate) fn xor(&mut self, left: ModeSet, right: ModeSet) -> ModeSet {
        self.guarded([left, right], |kernel, depth| kernel.xor_at(left, right, depth))
    }

    pub(crate) fn intersects(&mut self, left: ModeSet, right: ModeSet) -> bool {
        self.guarded([left, right], |kernel, depth| kernel.intersects_at(left, right, depth))
    }

    /// `set` with each mode outside `care` replaced by the nearest mode of `care`; `care` is not empty.
    pub(crate) fn constrain(&mut self, set: ModeSet, care: ModeSet) -> ModeSet {
        self.guarded([set, care], |kernel, depth| kernel.constrain_at(set, care, depth))
    }

    /// A set equal to `set` on `care`, usually smaller, over no other variables; `care` is not empty.
    pub(crate) fn restrict(&mut self, set: ModeSet, care: ModeSet) -> ModeSet {
        self.guarded([set, care], |kernel, depth| kernel.restrict_at(set, care, depth))
    }

    /// Quantifies the variables of `cube`, a conjunction of variables.
    pub(crate) fn exists(&mut self, set: ModeSet, cube: ModeSet) -> ModeSet {
        self.guarded([set, cube], |kernel, depth| kernel.exists_at(set, cube, depth))
    }

    /// Runs a recursive operation on this stack, or on a larger one if it turns out to be too deep.
    #[inline]
    fn guarded<Result: Send + Nothing>(
        &mut self,
        operands: [ModeSet; 2],
        operation: impl Fn(&mut Kernel, u32) -> Result + Send,
    ) -> Result {
        if self.halted {
            return Result::NOTHING;
        }
        self.remember_more();
        let result = operation(self, LEVELS.get());
        if self.halted { self.retry_deep(operands, operation) } else { result }
    }

    /// Repeats an operation that ran out of depth on a thread with stack enough; gives up if it ran out of budget.
    #[cold]
    fn retry_deep<Result: Send + Nothing>(
        &mut self,
        operands: [ModeSet; 2],
        operation: impl Fn(&mut Kernel, u32) -> Result + Send,
    ) -> Result {
        if self.budget.exceeded().is_some() {
            return Result::NOTHING;
        }
        self.halted = false;
        let depth = self.support(&operands).len() + 2;
        let result = self.on_large_stack(depth * BYTES_PER_LEVEL, move |kernel| operation(kernel, u32::MAX));
        if self.halted { Result::NOTHING } else { result.unwrap_or(Result::NOTHING) }
    }

    /// Runs `work` on a thread with a stack of `bytes` and some; none, and the budget trips, if there is no such thread.
    pub(crate) fn on_large_stack<Result: Send>(
        &mut self,
        bytes: usize,
        work: impl FnOnce(&mut Kernel) -> Result + Send,
    ) -> Option<Result> {
        let bytes = bytes + (1 << 20);
        let kernel = &mut *self;
        let result = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, move || work(kernel));
            thread.ok().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        if result.is_none() {
            self.budget.trip(LimitKind::Stack(bytes));
            self.halted = true;
        }
        result
    }

    /// Whether a recursion may go on; otherwise it unwinds.
    #[inline]
    fn may_descend(&mut self, depth: u32) -> bool {
        if self.halted || depth == 0 || !self.budget.step() {
            self.halted = true;
        }
        !self.halted
    }

    #[inline]
    fn and_below(&mut self, left: ModeSet, right: ModeSet, depth: u32) -> ModeSet {
        trivial_and(left, right).unwrap_or_else(|| self.and_at(left, right, depth))
    }

    /// For operands that are not trivial.
    fn and_at(&mut self, left: ModeSet, right: ModeSet, depth: u32) -> ModeSet {
        let (left, right) = ordered(left, right);
        if let Some(result) = self.recall(Operation::And, left, right) {
            return result;
        }
        if !self.may_descend(depth) {
            return ModeSet::EMPTY;
        }
        let level = self.level(left).min(self.level(right));
        let (left_low, left_high) = self.cofactors(left, level);
        let (right_low, right_high) = self.cofactors(right, level);
        let low = self.and_below(left_low, right_low, depth - 1);
        let high = self.and_below(left_high, right_high, depth - 1);
        let result = self.node(level, low, high);
        self.remember(Operation::And, left, right, result)
    }

    fn xor_at(&mut self, left: ModeSet, right: ModeSet, depth: u32) -> ModeSet {
        let complemented = left.is_complemented() != right.is_complemented();
        let (left, right) = ordered(left.uncomplemented(), right.uncomplemented());
        if left == right {
            return ModeSet::EMPTY.complement_if(complemented);
        }
        if left.is_all() {
            return right.complement_if(!complemented);
        }
        if let Some(result) = self.recall(Operation::Xor, left, right) {
            return result.complement_if(complemented);
        }
        if !self.may_descend(depth) {
            return ModeSet::EMPTY;
        }
        let level = self.level(left).min(self.level(right));
        let (left_low, left_high) = self.cofactors(left, level);
        let (right_low, right_high) = self.cofactors(right, level);
        let low = self.xor_at(left_low, right_low, depth - 1);
        let high = self.xor_at(left_high, right_high, depth - 1);
        let result = self.node(level, low, high);
        self.remember(Operation::Xor, left, right, result).complement_if(complemented)
    }

    fn intersects_at(&mut self, left: ModeSet, right: ModeSet, depth: u32) -> bool {
        if let Some(result) = trivial_and(left, right) {
            return !result.is_empty();
        }
        let (left, right) = ordered(left, right);
        let known =
            self.recall(Operation::Intersects, left, right).or_else(|| self.recall(Operation::And, left, right));
        if let Some(result) = known {
            return !result.is_empty();
        }
        if !self.may_descend(depth) {
            return false;
        }
        let level = self.level(left).min(self.level(right));
        let (left_low, left_high) = self.cofactors(left, level);
        let (right_low, right_high) = self.cofactors(right, level);
        let result =
            self.intersects_at(left_high, right_high, depth - 1) || self.intersects_at(left_low, right_low, depth - 1);
        self.remember(Operation::Intersects, left, right, ModeSet::EMPTY.complement_if(result));
        result
    }

    fn constrain_at(&mut self, set: ModeSet, care: ModeSet, depth: u32) -> ModeSet {
        self.with_care(Operation::Constrain, set, care, depth, |kernel, set, care, depth| {
            let level = kernel.level(set).min(kernel.level(care));
            let (low, high) = kernel.cofactors(set, level);
            let (care_low, care_high) = kernel.cofactors(care, level);
            if care_low.is_empty() {
                kernel.constrain_at(high, care_high, depth)
            } else if care_high.is_empty() {
                kernel.constrain_at(low, care_low, depth)
            } else {
                let low = kernel.constrain_at(low, care_low, depth);
                let high = kernel.constrain_at(high, care_high, depth);
                kernel.node(level, low, high)
            }
        })
    }

    fn restrict_at(&mut self, set: ModeSet, care: ModeSet, depth: u32) -> ModeSet {
        self.with_care(Operation::Restrict, set, care, depth, |kernel, set, care, depth| {
            let level = kernel.level(set);
            let care_level = kernel.level(care);
            let (care_low, care_high) = kernel.cofactors(care, level.min(care_level));
            let (low, high) = kernel.cofactors(set, level);
            if care_level < level {
                let care = !kernel.and_below(!care_low, !care_high, depth);
                kernel.restrict_at(set, care, depth)
            } else if care_low.is_empty() {
                kernel.restrict_at(high, care_high, depth)
            } else if care_high.is_empty() {
                kernel.restrict_at(low, care_low, depth)
            } else {
                let low = kernel.restrict_at(low, care_low, depth);
                let high = kernel.restrict_at(high, care_high, depth);
                kernel.node(level, low, high)
            }
        })
    }

    /// A set for which only its modes in `care` matter: where neither is trivial, `split` goes down to the cofactors.
    #[inline]
    fn with_care(
        &mut self,
        operation: Operation,
        set: ModeSet,
        care: ModeSet,
        depth: u32,
        split: impl FnOnce(&mut Self, ModeSet, ModeSet, u32) -> ModeSet,
    ) -> ModeSet {
        if care.is_all() || set.is_constant() {
            return set;
        }
        if set.node() == care.node() {
            return ModeSet::ALL.complement_if(set != care);
        }
        let complemented = set.is_complemented();
        let set = set.complement_if(complemented);
        if let Some(result) = self.recall(operation, set, care) {
            return result.complement_if(complemented);
        }
        if !self.may_descend(depth) {
            return ModeSet::EMPTY;
        }
        let result = split(self, set, care, depth - 1);
        self.remember(operation, set, care, result).complement_if(complemented)
    }

    fn exists_at(&mut self, set: ModeSet, cube: ModeSet, depth: u32) -> ModeSet {
        let level = self.level(set);
        let mut cube = cube;
        while self.level(cube) < level {
            cube = self.children(cube).1;
        }
        if level == TERMINAL_LEVEL || cube.is_all() {
            return set;
        }
        if let Some(result) = self.recall(Operation::Exists, set, cube) {
            return result;
        }
        if !self.may_descend(depth) {
            return ModeSet::EMPTY;
        }
        let (low, high) = self.children(set);
        let low = self.exists_at(low, cube, depth - 1);
        let quantified = self.level(cube) == level;
        let result = if quantified && low.is_all() {
            low
        } else {
            let high = self.exists_at(high, cube, depth - 1);
            if quantified { !self.and_below(!low, !high, depth - 1) } else { self.node(level, low, high) }
        };
        self.remember(Operation::Exists, set, cube, result)
    }
}

/// What an operation returns when a limit was exceeded.
trait Nothing {
    const NOTHING: Self;
}

impl Nothing for ModeSet {
    const NOTHING: ModeSet = ModeSet::EMPTY;
}

impl Nothing for bool {
    const NOTHING: bool = false;
}

#[inline]
fn ordered(left: ModeSet, right: ModeSet) -> (ModeSet, ModeSet) {
    if left <= right { (left, right) } else { (right, left) }
}

#[inline]
fn trivial_and(left: ModeSet, right: ModeSet) -> Option<ModeSet> {
    if left.node() == right.node() {
        return Some(if left == right { left } else { ModeSet::EMPTY });
    }
    match (left, right) {
        (ModeSet::EMPTY, _) | (_, ModeSet::EMPTY) => Some(ModeSet::EMPTY),
        (ModeSet::ALL, other) | (other, ModeSet::ALL) => Some(other),
        _ => None,
    }
}

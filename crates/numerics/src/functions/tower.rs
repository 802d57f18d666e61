//! A body and its derivatives, each made when it is first asked for, and compiled when it has been interpreted for long enough.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::program::Program;
use crate::machine_code::RoutineCode;

/// The cost of compiling one operation, and of compiling at all, in interpreted operations: some microseconds, and some ten.
const COMPILATION: u64 = 1000;
const FIRST_COMPILATION: u64 = 20_000;
/// How often a function may be differentiated here: for Jacobians of what index reduction has differentiated twice. Each time makes it some
/// three times as long.
pub(super) const LEVELS: usize = 4;

/// A program, its derivative, the derivative of that…
pub(crate) struct Tower {
    levels: [OnceLock<Level>; LEVELS],
}

/// One of them.
pub(super) struct Level {
    pub program: Program,
    /// Operations interpreted so far.
    interpreted: AtomicU64,
    /// The machine code, once it was asked for, where it can be made.
    code: OnceLock<Option<RoutineCode>>,
}

impl Tower {
    pub fn new(program: Program) -> Self {
        let tower = Tower { levels: Default::default() };
        tower.levels[0].get_or_init(|| Level::new(program));
        tower
    }

    /// The program differentiated so often; `None` where that is too often.
    pub fn level(&self, level: u32) -> Option<&Level> {
        let place = self.levels.get(level as usize)?;
        if let Some(there) = place.get() {
            return Some(there);
        }
        let below = self.level(level.checked_sub(1)?)?;
        Some(place.get_or_init(|| Level::new(below.program.along())))
    }
}

impl Level {
    fn new(program: Program) -> Self {
        Level { program, interpreted: AtomicU64::new(0), code: OnceLock::new() }
    }

    /// The machine code, once it pays to have it.
    pub fn code(&self) -> Option<&RoutineCode> {
        if let Some(code) = self.code.get() {
            return code.as_ref();
        }
        let due = FIRST_COMPILATION + COMPILATION * self.program.operations.len() as u64;
        if self.interpreted.load(Ordering::Relaxed) <= due {
            return None;
        }
        self.code.get_or_init(|| RoutineCode::of(&self.program)).as_ref()
    }

    /// So many operations were interpreted. Threads that count at once may lose some: nothing but the moment of compilation
    /// depends on it.
    pub fn count(&self, operations: u64) {
        self.interpreted.store(self.interpreted.load(Ordering::Relaxed) + operations, Ordering::Relaxed);
    }
}

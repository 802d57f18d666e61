//! Modes of one structure that share their code.
//!
//! A thousand relays have modes without end, which differ in the branches that equations take and in nothing else: the same variables at
//! the same orders, solved in the same order. After some of them code is made in which mode variables are open, and what the next one
//! costs is what it changes. A mode that few others are like keeps code of its own, which is quicker and can be solved exactly.

use std::sync::Arc;

use modeshift_dae::{Mode, ModeVariableId};
use modeshift_structure::one_mode::ModeStructure;

use super::mode_program::{Chosen, Program};
use super::programs::Workshop;

/// So many modes of one structure one after the other, and more are to be expected: converters have as many as they have switches, and
/// come back to them.
const MANY: usize = 16;

/// The structure of the modes of late, and what they share.
#[derive(Default)]
pub(super) struct Kindred {
    structure: Option<Arc<ModeStructure>>,
    count: usize,
    shared: Option<Shared>,
}

/// What modes share: a program of one of them, the code, and the mode variables that the code is for.
struct Shared {
    kin: Program,
    code: Chosen,
    given: Vec<(ModeVariableId, bool)>,
}

impl Kindred {
    /// The program of a mode with code of others, if there is some.
    pub fn program(&self, workshop: &mut Workshop<'_>, structure: &Arc<ModeStructure>, mode: &Mode) -> Option<Program> {
        let Shared { kin, code, given } = self.shared.as_ref()?;
        let is_kin = Arc::ptr_eq(kin.structure(), structure) && given.iter().all(|&(id, value)| mode[id] == value);
        if is_kin { Program::sharing(workshop, kin, code, mode.clone()) } else { None }
    }

    /// Another mode had to be made: after many of the same structure, what the next ones share.
    pub fn note(&mut self, workshop: &mut Workshop<'_>, structure: &Arc<ModeStructure>, mode: &Mode) {
        let is_same = self.structure.as_ref().is_some_and(|known| Arc::ptr_eq(known, structure));
        self.count = if is_same { self.count + 1 } else { 1 };
        self.structure = Some(structure.clone());
        if self.count < MANY {
            return;
        }
        self.count = 0;
        let Ok(kin) = Program::new(workshop, structure.clone(), mode.clone()) else { return };
        let (residuals, given) = workshop.open_residuals_in(structure, mode);
        let code = kin.open_code(workshop, &residuals);
        self.shared = code.map(|code| Shared { kin, code, given });
    }
}

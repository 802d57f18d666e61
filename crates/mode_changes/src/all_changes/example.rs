//! One change out of a set of changes: the structures of both modes, and how far the defects of the change reach.
//!
//! Sets of changes are described by formulas; what needs one mode at a time (products, closed forms, the difference
//! array) is shown on an example.

use modeshift_dae::{EquationId, IndexVec, Mode, VariableId};
use modeshift_modes::ModeSet;
use modeshift_structure::Analysis;
use modeshift_structure::one_mode::{Column, ModeStructure, Row};
use rustc_hash::FxHashMap;

use super::AllChanges;
use super::left_limits::InPairs;
use super::space::Moment;
use crate::one_change::{Defect, PastStructure, Potentials};

/// A change between two modes.
#[derive(Clone, Debug)]
pub struct ChangeExample {
    /// The modes before and after.
    modes: [Mode; 2],
    /// The structure of the mode after.
    pub after: ModeStructure,
    /// What the mode after knows of the mode before.
    pub past: PastStructure,
    /// How far the constraints that the past may violate reach.
    pub defects: Potentials,
    /// How far everything that is new reaches.
    pub reached: Potentials,
    /// How far constraints reach that give a right limit to what has no past.
    pub fresh: Potentials,
}

impl ChangeExample {
    /// A change of the set between two regular modes; `None` if there is none.
    pub fn of(
        changes: &AllChanges,
        analysis: &Analysis,
        pairs: ModeSet,
        has_start: &dyn Fn(VariableId) -> bool,
    ) -> Option<Self> {
        let space = &changes.pairs.space;
        let possible = space.intersection(changes.pairs.invariant.components().chain([pairs, changes.pairs.regular]));
        let modes = changes.pairs.pick(possible)?;
        let [before, after] =
            modes.each_ref().map(|mode| ModeStructure::of_signature(&analysis.signature(|id| mode[id])).ok());
        let (before, after) = (before?, after?);
        let is_in = |set: ModeSet| changes.pairs.contains(set, &modes);
        let mut past = PastStructure::between(&before, &after, &|equation| is_in(changes.is_new[equation]), has_start);
        for column in after.columns().filter(|&column| after.written_order(column) > 0) {
            let variable = after.variable(column);
            if changes.begins.contains(&variable) && before.column(variable).is_none() {
                (past.leading_order[column], past.computed[column]) = (1, 1);
            }
        }
        let row_of: FxHashMap<EquationId, Row> = after.rows().map(|row| (after.equation(row), row)).collect();
        let violated = changes.defects.iter().filter(|defect| is_in(defect.pairs));
        let in_row = |defect: &InPairs<EquationId>| Some(Defect { row: *row_of.get(&defect.of)?, first: defect.order });
        let violated: Vec<Defect> = violated.filter_map(in_row).collect();
        let fresh = changes.fresh.iter().filter(|defect| is_in(defect.pairs)).filter_map(in_row);
        let fresh = Potentials::spread(&after, fresh);
        let new = after.rows().filter(|&row| past.is_new[row]);
        let new = new.map(|row| Defect { row, first: after.equation_offset(row) });
        let reached = Potentials::spread(&after, violated.iter().copied().chain(new));
        let defects = Potentials::spread(&after, violated);
        Some(ChangeExample { modes, after, past, defects, reached, fresh })
    }

    /// The mode after.
    pub fn mode_after(&self) -> &Mode {
        &self.modes[Moment::After as usize]
    }
}

impl PastStructure {
    /// What a mode knows of the one before it. `is_new` is asked of equations of the mode after.
    pub fn between(
        before: &ModeStructure,
        after: &ModeStructure,
        is_new: &dyn Fn(EquationId) -> bool,
        has_start: &dyn Fn(VariableId) -> bool,
    ) -> PastStructure {
        let leading: FxHashMap<VariableId, u32> =
            before.columns().map(|column| (before.variable(column), before.variable_offset(column))).collect();
        let offsets: FxHashMap<EquationId, u32> =
            before.rows().map(|row| (before.equation(row), before.equation_offset(row))).collect();
        let is_new: IndexVec<Row, bool> = after.rows().map(|row| is_new(after.equation(row))).collect();
        let offset = |row: Row| {
            let held = offsets.get(&after.equation(row)).filter(|_| !is_new[row]);
            held.copied().unwrap_or(0)
        };
        let order = |column: Column| leading.get(&after.variable(column)).copied();
        PastStructure {
            offset: after.rows().map(offset).collect(),
            leading_order: after.columns().map(|column| order(column).unwrap_or(0)).collect(),
            computed: after.columns().map(|column| order(column).map_or(0, |order| order + 1)).collect(),
            has_start: after.columns().map(|column| has_start(after.variable(column))).collect(),
            is_new,
        }
    }
}

//! Jumps of states at mode changes, as formulas of left limits.
//!
//! A change of modes may leave the states in conflict with constraints of the new mode; those then jump, and what drives
//! them is impulsive (E22 §8). Where the restart is linear it has a closed form ([`closed_forms`]), and a `reinit` can say
//! what no ordinary tool finds by itself. Changes are treated in sets: one change is taken as an example, and its formulas
//! hold for all changes with the same conflicts into modes in which the equations concerned have the same form. Parts of the
//! model between which no jump passes are looked at one by one.
//!
//! What is in conflict is found in two ways. The analysis of mode changes says which constraints the past may violate
//! (`defects`). Beyond these, every constraint that is new after the change may be violated a little, because guards have
//! a hysteresis, and it alone says where a derivative starts that only differentiation brought in (`new_constraints`).
//! Where these have closed forms too, the states are put on all of them; else on what can be had.

use std::collections::BTreeMap;

use modeshift_dae::{EquationId, ExpressionId, IndexVec, ModeVariableId, MultimodeDae, VariableId};
use modeshift_diagnostics::Diagnostic;
use modeshift_mode_changes::levels::Unknown;
use modeshift_mode_changes::{
    AllChanges, ClosedForm, Column, Defect, Forms, InPairs, ModeStructure, Moment, Potentials, Row, closed_forms, forms,
};
use modeshift_modes::{Invariant, ModeSet, ModeVariable};
use modeshift_structure::{Analysis, BlockId};
use rustc_hash::FxHashMap;

use crate::obstacles::{Failure, violated};
use crate::parts::parts;
use crate::target::Target;

/// More different restarts of one part of a model than this are not written down.
const MOST_RESTARTS: usize = 256;

/// A state that gets a value in some changes.
#[derive(Clone, Debug)]
pub(crate) struct Jump {
    pub(crate) variable: VariableId,
    /// Which derivative of it.
    pub(crate) order: u32,
    pub(crate) pairs: ModeSet,
    pub(crate) value: ExpressionId,
}

/// A variable that is impulsive in some changes.
#[derive(Clone, Debug)]
pub(crate) struct Impulse {
    pub(crate) variable: VariableId,
    pub(crate) pairs: ModeSet,
    /// The area of its Dirac impulse.
    pub(crate) weight: ExpressionId,
}

/// What happens in mode changes, in closed form.
#[derive(Debug, Default)]
pub(crate) struct Jumps {
    pub(crate) states: Vec<Jump>,
    pub(crate) impulses: Vec<Impulse>,
}

/// Finds the jumps of all changes; a diagnostic where one has no closed form.
pub(crate) fn jumps(
    dae: &MultimodeDae,
    analysis: &Analysis,
    changes: &AllChanges,
    feasible: &Invariant,
    target: &mut Target,
    put_on_constraints: bool,
) -> Result<Jumps, Failure> {
    let mut found = Jumps::default();
    let conflicts = Conflicts::new(analysis, changes, put_on_constraints);
    if conflicts.all().next().is_none() {
        return Ok(found);
    }
    let (forms, blocks) = (forms(dae, analysis), blocks_of_equations(analysis));
    for conflicts in conflicts.by_part(&parts(dae, analysis)) {
        let search = Search { dae, analysis, changes, feasible, conflicts, forms: &forms, blocks: &blocks };
        search.run(target, &mut found)?;
    }
    Ok(found)
}

/// Constraints that the states may violate, in the order in which closed forms are tried: with all, with fewer.
#[derive(Clone, Default)]
struct Conflicts {
    attempts: Vec<Vec<InPairs<EquationId>>>,
}

impl Conflicts {
    fn new(analysis: &Analysis, changes: &AllChanges, put_on_constraints: bool) -> Self {
        let defects = changes.defects.clone();
        let all = new_constraints(analysis, changes, |_, _| ModeSet::ALL);
        let last = |equation: EquationId, order: u32| {
            changes.pairs.after(analysis.offsets.equations[equation].equal_to(&analysis.space, order + 1))
        };
        let mut highest = new_constraints(analysis, changes, last);
        if !put_on_constraints {
            leave_out_satisfied(changes, &mut highest);
        }
        highest.extend(defects.iter().copied());
        let attempts = if put_on_constraints { vec![all, highest, defects] } else { vec![highest, defects] };
        Conflicts { attempts }
    }

    /// Those of each part of the model for themselves.
    fn by_part(&self, parts: &IndexVec<EquationId, usize>) -> Vec<Conflicts> {
        let mut by_part: BTreeMap<usize, Conflicts> = BTreeMap::new();
        for (attempt, constraints) in self.attempts.iter().enumerate() {
            for constraint in constraints {
                let attempts = &mut by_part.entry(parts[constraint.of]).or_default().attempts;
                attempts.resize(self.attempts.len(), Vec::new());
                attempts[attempt].push(*constraint);
            }
        }
        by_part.into_values().collect()
    }

    fn all(&self) -> impl Iterator<Item = &InPairs<EquationId>> {
        self.attempts.iter().flatten()
    }
}

/// Constraints of the mode after a change that were none before, or are others.
fn new_constraints(
    analysis: &Analysis,
    changes: &AllChanges,
    chosen: impl Fn(EquationId, u32) -> ModeSet,
) -> Vec<InPairs<EquationId>> {
    let (pairs, space) = (&changes.pairs, &changes.pairs.space);
    let mut found = Vec::new();
    for (equation, offset) in analysis.offsets.equations.iter_enumerated() {
        for order in 0..offset.maximum() {
            let hidden = pairs.at_least(offset, order + 1, Moment::After);
            let was_hidden = pairs.at_least(offset, order + 1, Moment::Before);
            let new = space.or(!was_hidden, changes.is_new[equation]);
            let set = space.intersection([hidden, new, chosen(equation, order), pairs.regular]);
            if !set.is_empty() {
                found.push(InPairs { of: equation, order, pairs: set });
            }
        }
    }
    found
}

/// Leaves out constraints in changes whose own guard makes them true.
fn leave_out_satisfied(changes: &AllChanges, constraints: &mut Vec<InPairs<EquationId>>) {
    let space = &changes.pairs.space;
    for constraint in constraints.iter_mut() {
        let same = |other: &&InPairs<EquationId>| (other.of, other.order) == (constraint.of, constraint.order);
        let erased = space.union(changes.memory.erased.iter().filter(same).map(|it| it.pairs));
        let violated = space.union(changes.defects.iter().filter(same).map(|it| it.pairs));
        constraint.pairs = space.difference(constraint.pairs, space.difference(erased, violated));
    }
    constraints.retain(|constraint| !constraint.pairs.is_empty());
}

struct Search<'a> {
    dae: &'a MultimodeDae,
    analysis: &'a Analysis,
    changes: &'a AllChanges<'a>,
    /// Changes that can happen.
    feasible: &'a Invariant,
    /// Those of one part of the model.
    conflicts: Conflicts,
    forms: &'a Forms,
    blocks: &'a IndexVec<EquationId, Vec<BlockId>>,
}

/// One change, as an example of others.
struct Example {
    /// Values of doubled mode variables; others are false.
    values: Vec<(ModeVariable, bool)>,
    structure: ModeStructure,
}

impl Example {
    fn is_true(&self, variable: ModeVariable) -> bool {
        self.values.iter().any(|&(known, value)| known == variable && value)
    }

    fn after(&self, mode: ModeVariable) -> bool {
        self.is_true(Moment::After.variable(mode))
    }
}

/// The closed forms of a change, and how far its conflicts reach.
struct Solved {
    forms: Vec<ClosedForm>,
    reached: Potentials,
}

impl Search<'_> {
    fn run(&self, target: &mut Target, found: &mut Jumps) -> Result<(), Failure> {
        let space = &self.changes.pairs.space;
        let conflicts = space.union(self.conflicts.all().map(|defect| defect.pairs));
        let mut open = space.and(conflicts, self.changes.pairs.regular);
        let mut restarts = 0;
        while let Some(values) = space.pick(open) {
            space.check()?;
            restarts += 1;
            if restarts > MOST_RESTARTS {
                return Err(self.too_many(open));
            }
            let after = |mode: ModeVariableId| {
                let variable = Moment::After.variable(ModeVariable(mode.0));
                values.iter().any(|&(known, value)| known == variable && value)
            };
            let structure = ModeStructure::of_signature(&self.analysis.signature(after));
            let structure = structure.unwrap_or_else(|_| panic!("changes are between regular modes"));
            let example = Example { values, structure };
            let solved = self.solved(&example, target);
            let alike = space.and(open, self.alike(&example, solved.as_ref().map(|solved| &solved.reached)));
            open = space.difference(open, alike);
            if !self.feasible.allows(space, alike) {
                continue; // never happens, or a copy of valid modes outside the invariant
            }
            let Some(solved) = solved else { return Err(self.no_closed_form(alike)) };
            self.record(&example, &solved, alike, target, found);
        }
        space.check()?;
        Ok(())
    }

    /// The closed forms with as many conflicts as there are closed forms for.
    fn solved(&self, example: &Example, target: &mut Target) -> Option<Solved> {
        self.conflicts.attempts.iter().find_map(|conflicts| self.solved_with(example, conflicts, target))
    }

    /// The closed forms, if every state that is reached has one.
    fn solved_with(&self, example: &Example, erased: &[InPairs<EquationId>], target: &mut Target) -> Option<Solved> {
        let structure = &example.structure;
        let row_of: FxHashMap<EquationId, Row> = structure.rows().map(|row| (structure.equation(row), row)).collect();
        let is_in = |pairs: ModeSet| self.changes.pairs.space.evaluate(pairs, |variable| example.is_true(variable));
        let defects = erased.iter().filter(|defect| is_in(defect.pairs));
        let defects = defects.filter_map(|defect| Some(Defect { row: *row_of.get(&defect.of)?, first: defect.order }));
        let reached = Potentials::spread(structure, defects);
        let mode = |mode: ModeVariableId| example.after(ModeVariable(mode.0));
        let forms = closed_forms(&mut target.model, structure, &reached, mode).ok()?;
        let jumps = |column: &Column| reached.of(structure, *column).is_some_and(|potential| potential >= 1);
        let is_state = |column: &Column| structure.variable_offset(*column) > 0;
        let has_form = |column: Column| forms.iter().any(|form| form.column == column);
        let complete = structure.columns().filter(|column| jumps(column) && is_state(column)).all(has_form);
        complete.then_some(Solved { forms, reached })
    }

    /// Changes with the same conflicts, into modes in which the equations that these make jump have the same form.
    fn alike(&self, example: &Example, reached: Option<&Potentials>) -> ModeSet {
        let (pairs, space) = (&self.changes.pairs, &self.changes.pairs.space);
        let same = |set: ModeSet| match space.evaluate(set, |variable| example.is_true(variable)) {
            true => set,
            false => !set,
        };
        let mut alike: Vec<ModeSet> = Vec::new();
        alike.extend(self.conflicts.all().map(|defect| same(defect.pairs)));
        let structure = &example.structure;
        let jumps = |row: Row, reached: &Potentials| {
            reached.of(structure, structure.matched_column(row)).is_some_and(|potential| potential >= 1)
        };
        for row in structure.rows().filter(|&row| reached.is_none_or(|reached| jumps(row, reached))) {
            let equation = structure.equation(row);
            let is_now = |set: ModeSet| self.analysis.space.evaluate(set, |mode| example.after(mode));
            for &block in &self.blocks[equation] {
                alike.push(same(pairs.after(self.analysis.graph.block(block).guard)));
            }
            for condition in self.forms[equation].iter().filter(|condition| is_now(condition.context)) {
                alike.push(same(pairs.after(condition.holds)));
            }
        }
        alike.sort_unstable();
        alike.dedup();
        space.intersection(alike)
    }

    fn record(&self, example: &Example, solved: &Solved, alike: ModeSet, target: &mut Target, found: &mut Jumps) {
        let space = &self.changes.pairs.space;
        for form in &solved.forms {
            let (variable, value) = (example.structure.variable(form.column), form.formula);
            match form.unknown {
                Unknown::RightLimit(order) => {
                    let left = target.expressions().variable(variable, order);
                    if target.expressions().pre(left) == value {
                        continue;
                    }
                    let same = |jump: &&mut Jump| (jump.variable, jump.order, jump.value) == (variable, order, value);
                    match found.states.iter_mut().find(same) {
                        Some(known) => known.pairs = space.or(known.pairs, alike),
                        None => found.states.push(Jump { variable, order, pairs: alike, value }),
                    }
                }
                Unknown::Weight(0) => {
                    let same = |impulse: &&mut Impulse| (impulse.variable, impulse.weight) == (variable, value);
                    match found.impulses.iter_mut().find(same) {
                        Some(known) => known.pairs = space.or(known.pairs, alike),
                        None => found.impulses.push(Impulse { variable, pairs: alike, weight: value }),
                    }
                }
                Unknown::Weight(_) => {}
            }
        }
    }

    fn no_closed_form(&self, pairs: ModeSet) -> Failure {
        let message = "states jump at a mode change, and there is no formula for where to";
        let diagnostic = violated(self.dae, self.changes, pairs, Diagnostic::error("E0905", message))
            .help("`changes` shows the restart of this mode change; only linear ones of level 1 have a formula");
        Failure::Diagnosed(Box::new(diagnostic))
    }

    fn too_many(&self, pairs: ModeSet) -> Failure {
        let message = format!("a part of the model has more than {MOST_RESTARTS} different restarts at mode changes");
        let diagnostic = violated(self.dae, self.changes, pairs, Diagnostic::error("E0907", message))
            .help("each would be a branch of a `when`; a smaller part of the model can be transformed");
        Failure::Diagnosed(Box::new(diagnostic))
    }
}

fn blocks_of_equations(analysis: &Analysis) -> IndexVec<EquationId, Vec<BlockId>> {
    let mut blocks: IndexVec<EquationId, Vec<BlockId>> =
        analysis.incidence.equations().iter().map(|_| Vec::new()).collect();
    for (id, block) in analysis.graph.blocks() {
        for equation in block.equations {
            blocks[equation.of].push(id);
        }
    }
    blocks
}

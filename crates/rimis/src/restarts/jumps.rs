//! Jumps of states at mode changes, as formulas of left limits.
//!
//! A change of modes may leave the states in conflict with constraints of the new mode; those then jump, and what drives
//! them is impulsive (E22 §8). Where the restart is linear it has a closed form ([`Potentials::closed_forms`]), and a `reinit` can say
//! what no ordinary tool finds by itself. Changes are treated in sets: one change is taken as an example, and its formulas
//! hold for all changes with the same conflicts into modes in which the equations concerned have the same form. Parts of the
//! model between which no jump passes are looked at one by one.
//!
//! What is in conflict says [`Conflicts`]. Where all of it has closed forms, the states are put on all constraints; else on
//! what can be had.

use modeshift_dae::{
    Derivative, EquationId, ExpressionId, IndexVec, Mode, ModeVariableId, MultimodeDae, Node, VariableId,
};
use modeshift_diagnostics::{Code, Diagnostic};
use modeshift_mode_changes::{AllChanges, ClosedForm, Defect, InPairs, Moment, Potentials, Unknown};
use modeshift_modes::{Invariant, ModeSet};
use modeshift_structure::one_mode::{Column, ModeStructure, Row};
use modeshift_structure::{Analysis, BlockId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::conflicts::Conflicts;
use super::parts::parts;
use crate::obstacles::{Failure, violated};
use crate::target::Target;

/// More different restarts of one part of a model than this are not written down.
const MOST_RESTARTS: usize = 256;

/// A state that gets a value in some changes.
#[derive(Clone, Debug)]
pub(crate) struct Jump {
    pub(crate) of: Derivative<VariableId>,
    pub(crate) pairs: ModeSet,
    pub(crate) value: ExpressionId,
}

/// A variable that is impulsive in some changes.
#[derive(Clone, Debug)]
pub(crate) struct Impulse {
    pub(crate) variable: VariableId,
    pub(crate) pairs: ModeSet,
    /// The area of its Dirac impulse, where there is a formula for it.
    pub(crate) weight: Option<ExpressionId>,
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
    let blocks = blocks_of_equations(analysis);
    let parts = parts(dae, analysis);
    let guarding = guarding(dae);
    for (part, conflicts) in conflicts.by_part(&parts) {
        let is_in_part = |equation: EquationId| parts[equation] == part;
        let is_in_part: &dyn Fn(EquationId) -> bool = &is_in_part;
        let search =
            Search { dae, analysis, changes, feasible, conflicts, is_in_part, blocks: &blocks, guarding: &guarding };
        search.run(target, &mut found)?;
    }
    Ok(found)
}

struct Search<'a> {
    dae: &'a MultimodeDae,
    analysis: &'a Analysis,
    changes: &'a AllChanges<'a>,
    /// Changes that can happen.
    feasible: &'a Invariant,
    /// Those of one part of the model.
    conflicts: Conflicts,
    is_in_part: &'a dyn Fn(EquationId) -> bool,
    blocks: &'a IndexVec<EquationId, Vec<BlockId>>,
    /// Variables that guards read.
    guarding: &'a FxHashSet<VariableId>,
}

/// One change, as an example of others.
struct Example {
    /// Values of doubled mode variables; others are false.
    modes: [Mode; 2],
    structure: ModeStructure,
}

impl Example {
    /// The mode after.
    fn after(&self) -> &Mode {
        &self.modes[Moment::After as usize]
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
        while let Some(picked) = self.changes.pairs.pick(open) {
            let modes = self.valid(open, picked);
            space.check()?;
            restarts += 1;
            if restarts > MOST_RESTARTS {
                return Err(self.too_many(open));
            }
            let [_, after] = &modes;
            let structure = ModeStructure::of_signature(&self.analysis.signature(|id| after[id]));
            let structure = structure.unwrap_or_else(|_| panic!("changes are between regular modes"));
            let example = Example { modes, structure };
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

    /// The valid change that a change of a set stands for: projected sets say the same of both, but equations do not, as those that
    /// connect the states of a machine, of which one is active. A change that stands for none in the set stays as it is.
    fn valid(&self, set: ModeSet, picked: [Mode; 2]) -> [Mode; 2] {
        let pairs = &self.changes.pairs;
        let mut valid = picked.clone();
        for component in pairs.invariant.components() {
            let mut rest = component;
            while let Some((doubled, low, high)) = pairs.space.top(rest) {
                let (moment, variable) = Moment::of_doubled(doubled);
                let (mode, id) = (&mut valid[moment as usize], ModeVariableId(variable.0));
                let value = if mode[id] { !high.is_empty() } else { low.is_empty() };
                mode.set(id, value);
                rest = if value { high } else { low };
            }
        }
        if pairs.contains(set, &valid) { valid } else { picked }
    }

    /// The closed forms with as many conflicts as there are closed forms for.
    fn solved(&self, example: &Example, target: &mut Target) -> Option<Solved> {
        self.conflicts.attempts.iter().find_map(|conflicts| self.solved_with(example, conflicts, target))
    }

    /// The closed forms, if every state that is reached has one.
    fn solved_with(&self, example: &Example, erased: &[InPairs<EquationId>], target: &mut Target) -> Option<Solved> {
        let structure = &example.structure;
        let row_of: FxHashMap<EquationId, Row> = structure.rows().map(|row| (structure.equation(row), row)).collect();
        let defects = erased.iter().filter(|defect| self.changes.pairs.contains(defect.pairs, &example.modes));
        let defects = defects.filter_map(|defect| Some(Defect { row: *row_of.get(&defect.of)?, first: defect.order }));
        let is_in_part = |row: Row| (self.is_in_part)(structure.equation(row));
        let reached = Potentials::spread_within(structure, defects, is_in_part);
        let forms = reached.closed_forms(&mut target.model, structure, example.after(), None).ok()?;
        let jumps = |column: &Column| reached.of(structure, *column).is_some_and(|potential| potential >= 1);
        let is_state = |column: &Column| structure.variable_offset(*column) > 0;
        let has_form = |column: Column| forms.iter().any(|form| form.column == column);
        let complete = structure.columns().filter(|column| jumps(column) && is_state(column)).all(has_form);
        complete.then_some(Solved { forms, reached })
    }

    /// Changes with the same conflicts, into modes in which the equations that these make jump have the same form.
    fn alike(&self, example: &Example, reached: Option<&Potentials>) -> ModeSet {
        let (pairs, space) = (&self.changes.pairs, &self.changes.pairs.space);
        let same = |set: ModeSet| match pairs.contains(set, &example.modes) {
            true => set,
            false => !set,
        };
        let mut alike: Vec<ModeSet> = Vec::new();
        alike.extend(self.conflicts.all().map(|defect| same(defect.pairs)));
        let structure = &example.structure;
        let jumps = |row: Row, reached: &Potentials| {
            reached.of(structure, structure.matched_column(row)).is_some_and(|potential| potential >= 1)
        };
        let is_in_part = |row: &Row| (self.is_in_part)(structure.equation(*row));
        let concerned = |row: &Row| reached.is_none_or(|reached| jumps(*row, reached));
        for row in structure.rows().filter(is_in_part).filter(concerned) {
            let equation = structure.equation(row);
            let is_now =
                |set: ModeSet| self.analysis.space.evaluate(set, |mode| example.after()[ModeVariableId(mode.0)]);
            for &block in &self.blocks[equation] {
                alike.push(same(pairs.after(self.analysis.graph.block(block).guard)));
            }
            for condition in self.changes.forms[equation].iter().filter(|condition| is_now(condition.context)) {
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
                    let of = Derivative::new(variable, order);
                    let left = target.expressions().variable(variable, order);
                    if target.expressions().pre(left) == value {
                        continue;
                    }
                    let same = |jump: &&mut Jump| (jump.of, jump.value) == (of, value);
                    match found.states.iter_mut().find(same) {
                        Some(known) => known.pairs = space.or(known.pairs, alike),
                        None => found.states.push(Jump { of, pairs: alike, value }),
                    }
                }
                Unknown::Weight(0) => {
                    self.record_impulse(variable, Some(value), alike, found);
                }
                Unknown::Weight(_) => {}
            }
        }
        let structure = &example.structure;
        let is_impulsive = |column: &Column| {
            structure.variable_offset(*column) == 0
                && solved.reached.of(structure, *column).is_some_and(|potential| potential >= 1)
                && self.guarding.contains(&structure.variable(*column))
        };
        let has_form = |column: Column| solved.forms.iter().any(|form| form.column == column);
        for column in structure.columns().filter(is_impulsive).filter(|&column| !has_form(column)) {
            self.record_impulse(structure.variable(column), None, alike, found);
        }
    }

    fn record_impulse(&self, variable: VariableId, weight: Option<ExpressionId>, alike: ModeSet, found: &mut Jumps) {
        let same = |impulse: &&mut Impulse| (impulse.variable, impulse.weight) == (variable, weight);
        match found.impulses.iter_mut().find(same) {
            Some(known) => known.pairs = self.changes.pairs.space.or(known.pairs, alike),
            None => found.impulses.push(Impulse { variable, pairs: alike, weight }),
        }
    }

    fn no_closed_form(&self, pairs: ModeSet) -> Failure {
        let message = "states jump at a mode change, and there is no formula for where to";
        let diagnostic = violated(self.dae, self.changes, pairs, Diagnostic::error(Code::E0905, message))
            .help("`changes` shows the restart of this mode change; only linear ones of level 1 have a formula");
        Failure::Diagnosed(Box::new(diagnostic))
    }

    fn too_many(&self, pairs: ModeSet) -> Failure {
        let message = format!("a part of the model has more than {MOST_RESTARTS} different restarts at mode changes");
        let diagnostic = violated(self.dae, self.changes, pairs, Diagnostic::error(Code::E0907, message))
            .help("each would be a branch of a `when`; a smaller part of the model can be transformed");
        Failure::Diagnosed(Box::new(diagnostic))
    }
}

/// Variables that definitions of mode variables read.
fn guarding(dae: &MultimodeDae) -> FxHashSet<VariableId> {
    let mut read = FxHashSet::default();
    for definition in dae.mode_variables.iter().filter_map(|mode| mode.definition) {
        dae.model.expressions.for_each(definition, |_, node| {
            read.extend(match node {
                Node::Variable(variable, _) => Some(variable),
                _ => None,
            });
            true
        });
    }
    read
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

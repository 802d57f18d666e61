//! All mode changes of a model at once, and the kinds of changes that there are.
//!
//! Everything is a set of pairs of modes: where an equation is new, a constraint erased, a left limit missing, a
//! variable impulsive. Changes with the same verdict make up a *kind*; small models have few, and each is described by
//! a formula over `pre(g)` and `g`. E22 §8.5 without enumerating pairs.

use std::cell::OnceCell;
use std::time::Instant;

use modeshift_dae::{EquationId, Id, IndexVec, MultimodeDae, VariableId};
use modeshift_modes::{Limit, ModeSet, ModeVariable};
use modeshift_structure::{Analysis, Options};

use crate::guard_zero::guard_zeros;
use crate::pair_forms::{forms, new_equations};
use crate::pair_memory::{InPairs, PairMemory, pair_memory};
use crate::pair_orders::{PairPotentials, pair_potentials};
use crate::pair_space::{Moment, PairSpace};

/// All mode changes of a model.
#[derive(Debug)]
pub struct AllChanges<'a> {
    /// Pairs of modes.
    pub pairs: PairSpace<'a>,
    /// The pairs in which each equation is new.
    pub is_new: IndexVec<EquationId, ModeSet>,
    /// What is erased and what is missing.
    pub memory: PairMemory,
    /// Erased constraints that may really be violated: those that their own guard makes true are left out.
    pub defects: Vec<InPairs<EquationId>>,
    potentials: OnceCell<PairPotentials>,
    analysis: &'a Analysis,
}

/// Analyzes all mode changes between regular modes.
pub fn all_changes<'a>(dae: &MultimodeDae, analysis: &'a Analysis) -> Result<AllChanges<'a>, Limit> {
    all_changes_within(dae, analysis, &Options::default())
}

/// Analyzes all mode changes between regular modes, within the limits of the options.
pub fn all_changes_within<'a>(
    dae: &MultimodeDae,
    analysis: &'a Analysis,
    options: &Options,
) -> Result<AllChanges<'a>, Limit> {
    let pairs = PairSpace::new(analysis);
    if let Some(nodes) = options.node_limit {
        pairs.space.set_node_limit(nodes);
    }
    if let Some(time) = options.time_limit {
        pairs.space.set_deadline(Instant::now() + time);
    }
    pairs.space.set_task("analyzing mode changes");
    let is_new = new_equations(&pairs, analysis, &forms(dae, analysis));
    let has_start = |variable: VariableId| dae.model.variables[variable].start.is_some();
    let memory = pair_memory(&pairs, analysis, &is_new, &has_start)?;
    let defects = defects(dae, &pairs, &memory);
    Ok(AllChanges { pairs, is_new, memory, defects, potentials: OnceCell::new(), analysis })
}

/// What is erased, except the constraints themselves where their guard says that they hold at the change.
fn defects(dae: &MultimodeDae, pairs: &PairSpace, memory: &PairMemory) -> Vec<InPairs<EquationId>> {
    let zeros = guard_zeros(dae);
    let space = &pairs.space;
    let change = |mode: modeshift_dae::ModeVariableId, becomes: bool| {
        let variable = ModeVariable(mode.index() as u32);
        let before = space.assignment(Moment::Before.variable(variable), !becomes);
        space.and(before, space.assignment(Moment::After.variable(variable), becomes))
    };
    let remaining = |constraint: &InPairs<EquationId>| {
        let own = zeros.partition_point(|zero| zero.equation < constraint.of);
        let own = zeros[own..].iter().take_while(|zero| zero.equation == constraint.of && constraint.order == 0);
        let satisfied = space.union(own.map(|zero| change(zero.mode, zero.becomes)));
        InPairs { pairs: space.difference(constraint.pairs, satisfied), ..*constraint }
    };
    memory.erased.iter().map(remaining).filter(|constraint| !constraint.pairs.is_empty()).collect()
}

/// A kind of mode changes: all have the same verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeKind {
    /// Its pairs of modes.
    pub pairs: ModeSet,
    /// Erased constraints.
    pub erased: Vec<(EquationId, u32)>,
    /// Left limits that nothing determines.
    pub undetermined: Vec<(VariableId, u32)>,
    /// Impulse orders of all variables that the change touches.
    pub orders: Vec<(VariableId, i64)>,
}

impl AllChanges<'_> {
    /// Pairs in which anything changes.
    pub fn changing(&self) -> ModeSet {
        self.pairs.space.union(self.is_new.iter().copied())
    }

    /// How far the defects reach. Computed when first asked for: what is new, erased or missing is local, but how far
    /// a jump reaches may depend on very many mode variables (a chain of clutches: on all of them).
    pub fn potentials(&self) -> Result<&PairPotentials, Limit> {
        if let Some(known) = self.potentials.get() {
            return Ok(known);
        }
        self.pairs.space.set_task("finding impulse orders");
        let found = pair_potentials(&self.pairs, self.analysis, &self.is_new, &self.defects)?;
        Ok(self.potentials.get_or_init(|| found))
    }

    /// The impulse orders of a variable with their pairs, highest first.
    pub fn orders(&self, variable: VariableId) -> Result<Vec<(i64, ModeSet)>, Limit> {
        Ok(self.potentials()?.orders(&self.pairs, self.analysis, variable))
    }

    /// The kinds of changes, or `None` if there are more than `most` or what belongs to them is not fully known.
    pub fn kinds(&self, most: usize) -> Result<Option<Vec<ChangeKind>>, Limit> {
        self.kinds_within(ModeSet::ALL, most)
    }

    /// The kinds of changes among some pairs of modes.
    pub fn kinds_within(&self, within: ModeSet, most: usize) -> Result<Option<Vec<ChangeKind>>, Limit> {
        if self.potentials()?.open_count() > 0 {
            return Ok(None);
        }
        let kind = |pairs| ChangeKind { pairs, erased: Vec::new(), undetermined: Vec::new(), orders: Vec::new() };
        let changing = self.pairs.space.and(self.changing(), within);
        let mut kinds: Vec<ChangeKind> = if changing.is_empty() { Vec::new() } else { vec![kind(changing)] };
        for item in &self.memory.erased {
            self.refine(&mut kinds, item.pairs, |kind| kind.erased.push((item.of, item.order)));
            if kinds.len() > most {
                return Ok(None);
            }
        }
        for item in &self.memory.undetermined {
            self.refine(&mut kinds, item.pairs, |kind| kind.undetermined.push((item.of, item.order)));
            if kinds.len() > most {
                return Ok(None);
            }
        }
        for variable in self.analysis.incidence.variables().ids() {
            for (order, pairs) in self.orders(variable)? {
                self.refine(&mut kinds, pairs, |kind| kind.orders.push((variable, order)));
            }
            if kinds.len() > most {
                return Ok(None);
            }
        }
        self.pairs.space.check()?;
        Ok(Some(kinds))
    }

    /// Splits kinds by a set of pairs, and notes what is special on those inside.
    fn refine(&self, kinds: &mut Vec<ChangeKind>, pairs: ModeSet, note: impl Fn(&mut ChangeKind)) {
        let space = &self.pairs.space;
        let mut refined = Vec::with_capacity(kinds.len() + 1);
        for kind in kinds.drain(..) {
            let (inside, outside) = (space.and(kind.pairs, pairs), space.difference(kind.pairs, pairs));
            if !outside.is_empty() {
                refined.push(ChangeKind { pairs: outside, ..kind.clone() });
            }
            if !inside.is_empty() {
                let mut special = ChangeKind { pairs: inside, ..kind };
                note(&mut special);
                refined.push(special);
            }
        }
        *kinds = refined;
    }
}

//! The kinds of mode changes of a model: changes with the same verdict, each kind described by a formula over `pre(g)`
//! and `g`. Small models have few.

use modeshift_dae::{Derivative, EquationId, VariableId};
use modeshift_modes::{Limit, ModeSet, ModeSpace};

use super::AllChanges;
use super::transients::Conflict;

/// A kind of mode changes: all have the same verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeKind {
    /// Its pairs of modes.
    pub pairs: ModeSet,
    /// Erased constraints.
    pub erased: Vec<Derivative<EquationId>>,
    /// Left limits that nothing determines, and right limits that the laws of a `when` leave open.
    pub undetermined: Vec<Derivative<VariableId>>,
    /// Impulse orders of all variables that the change touches.
    pub orders: Vec<(VariableId, i64)>,
    /// The `when` clauses with laws that fire, by their positions in [`AllChanges::firings`].
    pub fires: Vec<usize>,
    /// What contradicts itself in the instant.
    pub conflicting: Vec<Conflict>,
}

impl AllChanges<'_> {
    /// The kinds of changes, or `None` if there are more than `most` or orders are not written out.
    pub fn kinds(&self, most: usize) -> Result<Option<Vec<ChangeKind>>, Limit> {
        self.kinds_within(ModeSet::ALL, most)
    }

    /// The kinds of changes among some pairs of modes.
    pub fn kinds_within(&self, within: ModeSet, most: usize) -> Result<Option<Vec<ChangeKind>>, Limit> {
        let potentials = self.potentials_within(within)?;
        if potentials.is_any_open() {
            return Ok(None);
        }
        let mut partition = Partition::of(&self.pairs.space, self.pairs.space.and(self.changing(), within), most);
        for (at, firing) in self.firings.iter().enumerate() {
            partition.split(firing.pairs, |kind| kind.fires.push(at));
        }
        for &(conflict, pairs) in &self.transients.conflicting {
            partition.split(pairs, |kind| kind.conflicting.push(conflict));
        }
        for item in &self.memory.erased {
            partition.split(item.pairs, |kind| kind.erased.push(item.derivative()));
        }
        for item in self.undetermined() {
            partition.split(item.pairs, |kind| kind.undetermined.push(item.derivative()));
        }
        for variable in self.analysis.incidence.variables().ids() {
            if partition.is_too_fine() {
                return Ok(None);
            }
            for (order, pairs) in potentials.orders(&self.pairs, self.analysis, variable) {
                partition.split(pairs, |kind| kind.orders.push((variable, order)));
            }
        }
        self.pairs.space.check()?;
        // Outside the invariant, sets may have anything in them.
        partition.kinds.retain(|kind| self.pairs.invariant.allows(&self.pairs.space, kind.pairs));
        Ok((!partition.is_too_fine()).then_some(partition.kinds))
    }
}

/// Kinds that are split again and again.
struct Partition<'a> {
    space: &'a ModeSpace,
    kinds: Vec<ChangeKind>,
    most: usize,
}

impl<'a> Partition<'a> {
    /// One kind, about which nothing is known yet.
    fn of(space: &'a ModeSpace, pairs: ModeSet, most: usize) -> Self {
        let (erased, undetermined, orders) = (Vec::new(), Vec::new(), Vec::new());
        let whole = ChangeKind { pairs, erased, undetermined, orders, fires: Vec::new(), conflicting: Vec::new() };
        Partition { space, kinds: if pairs.is_empty() { Vec::new() } else { vec![whole] }, most }
    }

    fn is_too_fine(&self) -> bool {
        self.kinds.len() > self.most
    }

    /// Splits kinds by a set of pairs, and notes what is special on those inside.
    fn split(&mut self, pairs: ModeSet, note: impl Fn(&mut ChangeKind)) {
        if self.is_too_fine() {
            return;
        }
        for kind in std::mem::take(&mut self.kinds) {
            let (inside, outside) = (self.space.and(kind.pairs, pairs), self.space.difference(kind.pairs, pairs));
            if !outside.is_empty() {
                self.kinds.push(ChangeKind { pairs: outside, ..kind.clone() });
            }
            if !inside.is_empty() {
                let mut special = ChangeKind { pairs: inside, ..kind };
                note(&mut special);
                self.kinds.push(special);
            }
        }
    }
}

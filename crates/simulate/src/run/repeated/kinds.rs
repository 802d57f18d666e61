//! The kind of an event: all truths before, and those that what fired makes of them.

use modeshift_dae::{Id, IndexVec, Type, VariableId};
use modeshift_numerics::Input;
use rustc_hash::FxHashSet;

use crate::run::instant::event_iteration::Fired;
use crate::run::prepare::Prepared;

/// Which discrete variables are truths.
pub(super) struct Kinds {
    truths: Vec<VariableId>,
    /// Whether all that is decided at events follows from truths and what fired, so that events of a kind decide alike.
    pub decide_all: bool,
    /// What is continuous and read by what is decided.
    pub read: Vec<(VariableId, u32)>,
}

impl Kinds {
    pub fn of(prepared: &Prepared) -> Self {
        let part = &prepared.discrete;
        let is_atom: FxHashSet<VariableId> = part.atoms.iter().map(|atom| atom.variable).collect();
        let is_condition = |id: VariableId| part.conditions.contains(&id.0);
        let is_boolean = |id: VariableId| {
            let variable = prepared.dae.model.variables.get(id);
            variable.is_some_and(|it| it.ty == Type::Boolean)
        };
        let mut truths: Vec<VariableId> =
            part.variables().filter(|&id| is_condition(id) || is_atom.contains(&id) || is_boolean(id)).collect();
        truths.sort_unstable_by_key(|id| id.index());
        truths.dedup();
        let is_truth = |id: &VariableId| truths.binary_search_by_key(&id.index(), |it| it.index()).is_ok();
        let inputs = part.tapes.decisions.inputs();
        let decide_all = inputs.iter().all(|input| match input {
            Input::Variable(id, 0) | Input::LeftVariable(id, 0) => is_truth(id),
            Input::Mode(_) | Input::LeftMode(_) | Input::Run(_) | Input::Homotopy => true,
            _ => false,
        });
        let read = inputs.iter().filter_map(|input| match *input {
            Input::Variable(id, order) => Some((id, order)),
            _ => None,
        });
        let read =
            read.filter(|it| prepared.dae.model.variables.get(it.0).is_some_and(|it| it.is_continuous_unknown()));
        let read = read.collect();
        Kinds { truths, decide_all, read }
    }

    /// The kind of an event with these left limits and what fired makes of them.
    pub fn describe(
        &self,
        (left, proposal): (&IndexVec<VariableId, f64>, &IndexVec<VariableId, f64>),
        fired: &Fired,
        kind: &mut Vec<u64>,
    ) {
        kind.clear();
        self.pack(left, kind);
        self.pack(proposal, kind);
        // What fired is told from what has only changed with it.
        kind.extend(fired.atoms.iter().map(|atom| atom.index() as u64));
        kind.push(u64::MAX);
        kind.extend(fired.samples.iter().map(|call| call.index() as u64));
    }

    /// Adds truths, one bit each.
    pub fn pack(&self, discrete: &IndexVec<VariableId, f64>, words: &mut Vec<u64>) {
        for chunk in self.truths.chunks(u64::BITS as usize) {
            let bits = chunk.iter().enumerate().map(|(at, &id)| u64::from(discrete[id] != 0.0) << at);
            words.push(bits.fold(0, |word, bit| word | bit));
        }
    }

    /// Whether truths are these.
    pub fn are(&self, discrete: &IndexVec<VariableId, f64>, words: &[u64]) -> bool {
        self.truths.chunks(u64::BITS as usize).zip(words).all(|(chunk, word)| {
            chunk.iter().enumerate().all(|(at, &id)| (word >> at & 1 == 1) == (discrete[id] != 0.0))
        })
    }
}

//! Next-mode selection: truths of atoms that agree with the right limits they lead to (`mode_changes::next_mode`).
//!
//! The search begins with what fired changed, and all else as it was. Atoms that turn out to be violated join the
//! cluster that is searched, and if that is not enough those near zero, and those of other branches of the same equations; what was tried
//! before is remembered. Where the cluster is small, other modes that accept themselves are looked for once: if they go on otherwise, the
//! model is ambiguous.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{EquationId, Id, IndexVec, Mode, Node, RelationId, VariableId};
use modeshift_mode_changes::{Accepted, Cluster, Complementarity, NextMode, Sign, StateCondition, States, Strategy};

use crate::run::instant::Instant;
use crate::run::instant::candidate::{Candidate, Objection, Refusal};
use crate::run::instant::consequences::idle_changes::IdleChange;
use crate::run::instant::discrete_fixpoint::{MicroStep, Settled};
use crate::run::instant::event_iteration::NoOutcome;
use crate::run::instant::judgement::Violation;
use crate::run::instant::restart::NoRestart;
use crate::run::modes::NoMode;
use crate::run::prepare::relations::Atom;
use crate::run::repeated::trace::Judged;
use crate::run::sliding::entry::NoSliding;
use crate::run::values::Occasion;

/// Clusters of at most this many atoms are searched for other modes.
const MOST_COMPARED: usize = 6;

/// Where no mode is accepted, what counts as noise may be the reason: the two halves of a pair see one distance at
/// different scales, and one of them may call noise what the other does not. Then other levels are tried.
const NOISE_LADDER: [f64; 3] = [1.0 / 30.0, 30.0, 1e-3];

/// Shares of the time that an event is not known to, after which no mode is found at the usual one; after none, series decide.
const SOONER: [f64; 3] = [1e-2, 1e-4, 0.0];

/// What a micro-step leads to.
pub(crate) struct Selected<'a> {
    pub settled: Settled,
    pub candidate: Candidate<'a>,
    pub ambiguity: Option<Ambiguity>,
}

/// Several modes that can follow, with different values.
#[derive(Clone, Debug)]
pub(crate) struct Ambiguity {
    /// The atoms that they differ in.
    pub atoms: Vec<RelationId>,
    /// The mode that was chosen first, then the others.
    pub modes: Vec<Mode>,
}

/// What came of trying some truths.
enum Tried<'a> {
    /// A right side, with what contradicts it.
    Candidate(Box<(Settled, Candidate<'a>)>, Vec<Violation>),
    /// No right side.
    Refused,
}

/// A cluster of atoms in a micro-step.
struct Search<'e, 's, 'x, 'a> {
    instant: &'e mut Instant<'x, 'a>,
    step: &'e MicroStep<'s, 'a>,
    proposal: &'e IndexVec<VariableId, f64>,
    /// Atoms that do not take part.
    others: &'e BTreeSet<RelationId>,
    /// The atoms that are searched, ascending.
    atoms: Vec<RelationId>,
    counts: Vec<u32>,
    /// By the atoms that are not as proposed.
    tried: BTreeMap<Vec<RelationId>, Tried<'a>>,
    /// Violated atoms outside the cluster: it has to grow.
    outside: Vec<RelationId>,
    /// Atoms that decide about the over- and underdetermined parts of modes that were refused for these.
    suggested: BTreeSet<RelationId>,
    /// What was tried, in modes of the model.
    objections: Vec<(Mode, Objection)>,
    /// Why discrete equations did not settle, if they ever did not.
    unsettled: Option<NoOutcome>,
    /// Whether they did not with the truths that were proposed.
    is_unsettled_as_proposed: bool,
    /// Whether relations at rest at zero have decided.
    is_as_written: bool,
    /// The first mode that an invariant excludes, by its number.
    excluded: Option<(usize, Mode)>,
}

impl<'a> Instant<'_, 'a> {
    /// Finds truths of atoms that agree with the right limits they lead to, and restarts there: of all that changes at once,
    /// and if there are none, part by part; and if there are none either, along surfaces.
    pub fn select(
        &mut self,
        step: &MicroStep<'_, 'a>,
        proposal: IndexVec<VariableId, f64>,
    ) -> Result<Selected<'a>, NoOutcome> {
        if let Some(selected) = self.slide_on(step, &proposal) {
            return Ok(selected);
        }
        let compared = self.memory.compared.clone();
        let reason = match self.among_modes(step, &proposal, &BTreeSet::new()) {
            Err(NoOutcome::NoMode(tried, _)) => tried,
            Ok(selected) if selected.ambiguity.is_some() => {
                return Ok(self.by_closer_look(step, &proposal, compared).unwrap_or(selected));
            }
            other => return other,
        };
        self.memory.trace_intricate();
        if let Some(selected) = self.sooner_after(step, &proposal) {
            return Ok(selected);
        }
        let contradicting = reason.iter().filter_map(|(_, objection)| match objection {
            Objection::Atom(atom, _) => Some(*atom),
            _ => None,
        });
        let contradicting: Vec<RelationId> = contradicting.collect();
        // A mode that only another level of noise accepts may be one that is left at once: sliding comes first.
        let no_sliding = match self.slide(step, &proposal, &contradicting) {
            Ok(selected) => return Ok(selected),
            Err(no_sliding) => no_sliding,
        };
        let passed = self.passing_through(step, &proposal);
        passed.or_else(|| self.at_other_levels(step, &proposal)).ok_or(NoOutcome::NoMode(reason, no_sliding))
    }

    /// The only mode that follows where several seemed to, by what was noise: relations are judged by more than noise. Clusters that were
    /// compared before are given, so that these are compared again.
    fn by_closer_look(
        &mut self,
        step: &MicroStep<'_, 'a>,
        proposal: &IndexVec<VariableId, f64>,
        compared: BTreeSet<Vec<RelationId>>,
    ) -> Option<Selected<'a>> {
        let compared = std::mem::replace(&mut self.memory.compared, compared);
        let before = self.memory.look_closer();
        let selected = self.among_modes(step, proposal, &BTreeSet::new());
        self.memory.look_as_before(before);
        self.memory.compared = compared;
        selected.ok().filter(|it| it.ambiguity.is_none())
    }

    /// The mode that follows where relations whose values are noise are looked at sooner after the event: several may change there,
    /// one by the other, within the time that it is not known to.
    fn sooner_after(&mut self, step: &MicroStep<'_, 'a>, proposal: &IndexVec<VariableId, f64>) -> Option<Selected<'a>> {
        let before = self.memory.time_error()?;
        let selected = SOONER.into_iter().find_map(|share| {
            self.memory.look_as_before(Some(share * before));
            self.among_modes(step, proposal, &BTreeSet::new()).ok()
        });
        self.memory.look_as_before(Some(before));
        selected
    }

    /// The same where a machine may enter a state that it leaves at once for the one it came from: that one is entered anew,
    /// and what it begins with decides whether it stays. A circle without end is found by what comes back.
    fn passing_through(
        &mut self,
        step: &MicroStep<'_, 'a>,
        proposal: &IndexVec<VariableId, f64>,
    ) -> Option<Selected<'a>> {
        if self.prepared.dae.model.machines.is_empty() {
            return None;
        }
        self.memory.passes_through = true;
        let selected = self.among_modes(step, proposal, &BTreeSet::new());
        self.memory.passes_through = false;
        selected.ok()
    }

    /// The same among modes that are no combinations of others, with more or less taken for noise.
    fn at_other_levels(
        &mut self,
        step: &MicroStep<'_, 'a>,
        proposal: &IndexVec<VariableId, f64>,
    ) -> Option<Selected<'a>> {
        let at_level = NOISE_LADDER.into_iter().find_map(|level| {
            self.memory.noise_level = level;
            let selected = self.among_modes(step, proposal, &BTreeSet::new());
            self.memory.noise_level = 1.0;
            selected.ok()
        });
        at_level.or_else(|| self.by_slopes_as_computed(step, proposal))
    }

    /// The same where slopes count however large the terms are that they may be made of. What these make of a slope by rounding is a
    /// bound: it follows every way through equations that are solved together, and along diodes that leak and have a resistance of 1e-5 it
    /// is 1e10 times what rounding is. Where it leaves no mode, it was too large.
    fn by_slopes_as_computed(
        &mut self,
        step: &MicroStep<'_, 'a>,
        proposal: &IndexVec<VariableId, f64>,
    ) -> Option<Selected<'a>> {
        self.memory.trusts_slopes = true;
        let selected = self.among_modes(step, proposal, &BTreeSet::new());
        self.memory.trusts_slopes = false;
        selected.ok()
    }

    /// The search from some truths, island by island where several take part, and part by part where there is no mode for all at
    /// once; `others` do not take part.
    fn among_modes(
        &mut self,
        step: &MicroStep<'_, 'a>,
        proposal: &IndexVec<VariableId, f64>,
        others: &BTreeSet<RelationId>,
    ) -> Result<Selected<'a>, NoOutcome> {
        let Unsuccessful { atoms, reason } = match self.search(step, proposal, others) {
            Ok(selected) => return Ok(selected),
            Err(unsuccessful) => unsuccessful,
        };
        self.memory.trace_intricate();
        let islands = self.islands(&atoms);
        if islands.len() > 1 {
            let proposal = self.by_islands(step, proposal.clone(), &islands)?;
            return self.search(step, &proposal, others).map_err(|it| it.reason);
        }
        let parts = self.parts(step, &atoms);
        if parts.len() < 2 {
            return Err(reason);
        }
        match self.by_parts(step, proposal.clone(), &parts) {
            Ok(proposal) => self.search(step, &proposal, others).map_err(|it| it.reason),
            Err(_) => Err(reason),
        }
    }

    /// The islands that some atoms are of.
    fn islands(&self, atoms: &[RelationId]) -> BTreeSet<usize> {
        atoms.iter().map(|&atom| self.prepared.discrete.islands.of_atom(atom)).collect()
    }

    /// The truths that islands come to, each for itself: with the equations of the others left out, since these may have no values
    /// with the truths as they were.
    fn by_islands(
        &mut self,
        step: &MicroStep<'_, 'a>,
        mut proposal: IndexVec<VariableId, f64>,
        islands: &BTreeSet<usize>,
    ) -> Result<IndexVec<VariableId, f64>, NoOutcome> {
        let part = &self.prepared.discrete;
        let mut found: Vec<(VariableId, f64)> = Vec::new();
        for &island in islands {
            let (own, others): (Vec<RelationId>, Vec<RelationId>) =
                part.atoms.ids().partition(|&atom| part.islands.of_atom(atom) == island);
            let others: BTreeSet<RelationId> = others.into_iter().collect();
            // A sliding mode is a combination of modes of everything.
            let island = Some(island).filter(|_| step.left.sliding.is_none());
            let of_island = MicroStep { island, ..*step };
            let right = self.apart(&of_island, &proposal, &others, |instant, step, proposal| {
                instant.among_modes(step, proposal, &others)
            })?;
            let variables = own.into_iter().map(|atom| part.atoms[atom].variable);
            found.extend(variables.map(|variable| (variable, right[variable])));
        }
        found.into_iter().for_each(|(variable, truth)| proposal[variable] = truth);
        Ok(proposal)
    }

    /// The discrete values that a search comes to with some atoms as they were.
    fn apart(
        &mut self,
        step: &MicroStep<'_, 'a>,
        proposal: &IndexVec<VariableId, f64>,
        others: &BTreeSet<RelationId>,
        search: impl FnOnce(&mut Self, &MicroStep<'_, 'a>, &IndexVec<VariableId, f64>) -> Result<Selected<'a>, NoOutcome>,
    ) -> Result<IndexVec<VariableId, f64>, NoOutcome> {
        let variable = |atom: RelationId| self.prepared.discrete.atoms[atom].variable;
        let crossed: Vec<RelationId> = step.crossed.iter().copied().filter(|atom| !others.contains(atom)).collect();
        let own_step = MicroStep { crossed: &crossed, ..*step };
        let mut own = proposal.clone();
        others.iter().for_each(|&atom| own[variable(atom)] = step.left.discrete[variable(atom)]);
        Ok(search(self, &own_step, &own)?.candidate.restarted.side.discrete)
    }

    /// The truths that parts come to, each searched with all others as they were.
    fn by_parts(
        &mut self,
        step: &MicroStep<'_, 'a>,
        mut proposal: IndexVec<VariableId, f64>,
        parts: &[Vec<RelationId>],
    ) -> Result<IndexVec<VariableId, f64>, NoOutcome> {
        let variable = |atom: RelationId| self.prepared.discrete.atoms[atom].variable;
        let all: BTreeSet<RelationId> = parts.iter().flatten().copied().collect();
        let mut found: Vec<(VariableId, f64)> = Vec::new();
        for part in parts {
            let others: BTreeSet<RelationId> = all.iter().copied().filter(|atom| !part.contains(atom)).collect();
            let right = self.apart(step, &proposal, &others, |instant, step, proposal| {
                instant.search(step, proposal, &others).map_err(|it| it.reason)
            })?;
            found.extend(part.iter().map(|&atom| (variable(atom), right[variable(atom)])));
        }
        found.into_iter().for_each(|(variable, truth)| proposal[variable] = truth);
        Ok(proposal)
    }

    /// The search from some truths; `others` do not take part.
    fn search(
        &mut self,
        step: &MicroStep<'_, 'a>,
        proposal: &IndexVec<VariableId, f64>,
        others: &BTreeSet<RelationId>,
    ) -> Result<Selected<'a>, Unsuccessful> {
        let atoms = self.prepared.discrete.atoms.iter_enumerated();
        let changed =
            atoms.filter(|(_, it)| step.decides(it.moment) && proposal[it.variable] != step.left.discrete[it.variable]);
        let changed = changed.map(|(id, _)| id).filter(|&id| self.prepared.discrete.decides(id)).collect();
        let mut search = Search {
            instant: self,
            step,
            proposal,
            others,
            atoms: Vec::new(),
            counts: Vec::new(),
            tried: BTreeMap::new(),
            outside: changed,
            suggested: BTreeSet::new(),
            objections: Vec::new(),
            unsettled: None,
            is_unsettled_as_proposed: false,
            is_as_written: false,
            excluded: None,
        };
        loop {
            search.grow();
            let current: States = search.atoms.iter().map(|&atom| search.proposed(atom)).collect();
            // Relations of several islands are not searched together: each island is for itself.
            let all = search.instant.prepared.search;
            let is_one = search.instant.islands(&search.atoms).len() < 2;
            let strategies: Vec<Strategy> =
                all.iter().copied().filter(|it| is_one || *it == Strategy::FlipAll).collect();
            if let NextMode::Accepted { mode, .. } = search.next_mode(&current, &strategies) {
                let atoms = search.atoms.clone();
                let mode = search.with_less_free(mode);
                let mode = search.without_idle_changes(mode);
                let mode = search.as_written(mode);
                return search.finish(&mode).map_err(|reason| Unsuccessful { atoms, reason });
            }
            if search.outside.is_empty() {
                search.outside = search.near_zero_outside();
            }
            if search.outside.is_empty() {
                search.outside = search.suggested_outside();
            }
            if search.outside.is_empty() {
                search.outside = search.other_branches_outside();
            }
            if search.outside.is_empty() {
                return Err(Unsuccessful { atoms: search.atoms.clone(), reason: search.none() });
            }
        }
    }
}

/// A search that found nothing: among these atoms, and why.
struct Unsuccessful {
    atoms: Vec<RelationId>,
    reason: NoOutcome,
}

impl<'a> Search<'_, '_, '_, 'a> {
    /// A mode of the cluster without pins, near another one: what is redundant in a mode is imposed by elements, and if
    /// one of them changes that has a share in what is free, one pin less is needed.
    fn regular_near(&mut self, mut states: States) -> Option<States> {
        let mut pins = self.pin_count(&states)?;
        while pins > 0 {
            let changed = |element: usize| {
                let mut changed = states.clone();
                changed[element] = 1 - changed[element];
                changed
            };
            let mut others = (0..states.len()).map(changed).collect::<Vec<States>>().into_iter();
            let (fewer, next) = others.find_map(|it| Some((self.pin_count(&it).filter(|&count| count < pins)?, it)))?;
            (pins, states) = (fewer, next);
        }
        Some(states)
    }

    /// How many pins the mode of some states needs; nothing where there is no such mode.
    fn pin_count(&mut self, states: &States) -> Option<usize> {
        let discrete = self.discrete(&self.flipped(states));
        let settled = self.instant.settle(self.step, discrete, self.step.left).ok()?;
        let point = self.instant.point(self.step, &settled);
        let mode = self.instant.visited.get(&settled.mode, self.step.island, &point).ok()?;
        Some(mode.pin_count())
    }

    /// Takes in the atoms that were found outside.
    fn grow(&mut self) {
        self.atoms.append(&mut self.outside);
        self.atoms.sort_unstable();
        self.atoms.dedup();
        self.counts = vec![2; self.atoms.len()];
    }

    fn proposed(&self, atom: RelationId) -> u32 {
        u32::from(self.proposal[self.instant.prepared.discrete.atoms[atom].variable] != 0.0)
    }

    /// The truth of an atom before.
    fn before(&self, atom: RelationId) -> u32 {
        u32::from(self.step.left.discrete[self.instant.prepared.discrete.atoms[atom].variable] != 0.0)
    }

    /// The atoms that are not as proposed.
    fn flipped(&self, states: &States) -> Vec<RelationId> {
        let pairs = self.atoms.iter().zip(states);
        pairs.filter(|&(&atom, &state)| state != self.proposed(atom)).map(|(&atom, _)| atom).collect()
    }

    fn discrete(&self, flipped: &[RelationId]) -> IndexVec<VariableId, f64> {
        let mut discrete = self.proposal.clone();
        for &atom in flipped {
            discrete[self.instant.prepared.discrete.atoms[atom].variable] = f64::from(1 - self.proposed(atom));
        }
        discrete
    }

    /// Tries truths, unless that was done before.
    fn tried(&mut self, flipped: Vec<RelationId>) -> &Tried<'a> {
        if !self.tried.contains_key(&flipped) {
            let tried = self.attempt(&flipped);
            self.tried.insert(flipped.clone(), tried);
        }
        &self.tried[&flipped]
    }

    fn attempt(&mut self, flipped: &[RelationId]) -> Tried<'a> {
        let tried = self.judge(flipped);
        if self.instant.memory.trace.is_some() {
            let (discrete, judged) = (self.discrete(flipped), self.judged(&tried));
            if let Some(trace) = &mut self.instant.memory.trace {
                trace.add(discrete, judged);
            }
        }
        tried
    }

    /// What came of the last attempt, for the trace.
    fn judged(&self, tried: &Tried<'a>) -> Judged {
        match (tried, self.objections.last()) {
            (Tried::Candidate(it, violated), _) if violated.is_empty() => {
                let (settled, candidate) = &**it;
                let is_plain = !candidate.is_transient && settled.resets.is_empty() && settled.laws.is_empty();
                Judged::Accepted { is_new: candidate.is_new, is_plain }
            }
            (Tried::Candidate(_, violated), _) => Judged::of_violations(violated),
            (Tried::Refused, Some((_, objection))) if self.unsettled.is_none() && self.excluded.is_none() => {
                Judged::of_objection(objection)
            }
            (Tried::Refused, _) => Judged::Otherwise,
        }
    }

    fn judge(&mut self, flipped: &[RelationId]) -> Tried<'a> {
        let discrete = self.discrete(flipped);
        let (settled, mut candidate) = match self.consistent(discrete) {
            Ok(consistent) => consistent,
            Err(Refusal::Discrete(failure)) => {
                self.is_unsettled_as_proposed |= flipped.is_empty();
                self.unsettled.get_or_insert(failure);
                return Tried::Refused;
            }
            Err(Refusal::Mode(mode, objection)) => {
                match &objection {
                    Objection::Mode(NoMode::Singular(it)) => self.suggest(flipped, &mode, &it.equations),
                    Objection::Restart(NoRestart::Contradiction(it)) => self.suggest(flipped, &mode, &it.circuit),
                    _ => {}
                }
                self.objections.push((mode, objection));
                return Tried::Refused;
            }
        };
        let mut violated = self.instant.violated(self.step, &settled, &mut candidate);
        violated.retain(|(atom, _)| !self.others.contains(atom));
        if let Some(&(atom, sign)) = violated.first() {
            self.objections.push((settled.mode.clone(), Objection::Atom(atom, sign)));
        } else if let Some(number) = settled.excluded {
            // Nothing else speaks against it. Where a relation vanishes, another mode may follow that is not excluded.
            self.excluded.get_or_insert((number, settled.mode.clone()));
            return Tried::Refused;
        }
        Tried::Candidate(Box::new((settled, candidate)), violated)
    }

    /// The right side that follows from some truths; where it has no values, with what crossed exactly at zero.
    fn consistent(&mut self, discrete: IndexVec<VariableId, f64>) -> Result<(Settled, Candidate<'a>), Refusal> {
        let found = self.instant.consistent(self.step, discrete.clone());
        let Err(Refusal::Mode(_, Objection::Restart(NoRestart::Unsolved(_)) | Objection::Words(_))) = &found else {
            return found;
        };
        let Some(left) = self.instant.with_crossed_at_zero(self.step) else { return found };
        self.instant.memory.trace_intricate();
        let at_zero = MicroStep { left: &left, ..*self.step };
        self.instant.consistent(&at_zero, discrete).or(found)
    }

    /// Remembers the atoms that decide about equations of a mode which contradict each other.
    fn suggest(&mut self, flipped: &[RelationId], mode: &Mode, equations: &[EquationId]) {
        let prepared = self.instant.prepared;
        let deciding = equations.iter().flat_map(|&id| prepared.discrete.atoms_of(&prepared.dae, id));
        let deciding: BTreeSet<RelationId> = deciding.collect();
        for atom in deciding.into_iter().filter(|&atom| self.step.decides(prepared.discrete.atoms[atom].moment)) {
            let mut discrete = self.discrete(flipped);
            let truth = &mut discrete[prepared.discrete.atoms[atom].variable];
            *truth = 1.0 - *truth;
            let settled = self.instant.settle(self.step, discrete, self.step.left);
            if settled.is_ok_and(|settled| settled.mode != *mode) {
                self.suggested.insert(atom);
            }
        }
    }

    /// Suggested atoms that are not searched yet.
    fn suggested_outside(&self) -> Vec<RelationId> {
        let suggested = self.suggested.iter().copied();
        suggested.filter(|atom| self.atoms.binary_search(atom).is_err() && !self.others.contains(atom)).collect()
    }

    /// Atoms that are not searched yet and decide, with others that are, which branch an equation is on: where a branch of a curve ends and
    /// the next one leads back to it, as that of a trigger, the run goes on with one further away, if that accepts itself. What has a memory
    /// is on the branch that it remembers.
    fn other_branches_outside(&self) -> Vec<RelationId> {
        let (part, dae) = (&self.instant.prepared.discrete, &self.instant.prepared.dae);
        let has_memory = |atom: &RelationId| part.pair_atoms.iter().any(|atoms| atoms.contains(atom));
        if self.atoms.len() > MOST_COMPARED || !dae.model.machines.is_empty() || self.atoms.iter().any(has_memory) {
            return Vec::new();
        }
        let is_searched = |atom: &RelationId| self.atoms.binary_search(atom).is_ok();
        let modes = dae.mode_variables.ids();
        let concerned: Vec<bool> = modes.map(|mode| part.atoms_of_mode(dae, mode).iter().any(is_searched)).collect();
        let mut found = BTreeSet::new();
        for (id, equation) in dae.model.equations.iter_enumerated() {
            let is_concerned = [equation.guard, equation.left, equation.right].into_iter().any(|part| {
                dae.model.expressions.contains(part, |node| matches!(node, Node::Mode(mode) if concerned[mode.index()]))
            });
            if is_concerned {
                found.extend(part.atoms_of(dae, id));
            }
        }
        found.retain(|&atom| {
            part.decides(atom)
                && self.step.decides(part.atoms[atom].moment)
                && !is_searched(&atom)
                && !self.others.contains(&atom)
                && !has_memory(&atom)
        });
        found.into_iter().collect()
    }

    /// An accepted mode that leaves more free than the one before, with some relations of Booleans with a memory turned, where it is accepted
    /// so too and leaves less free: of two diodes in series whose current has come to zero one blocks, and the other one keeps the
    /// potential.
    fn with_less_free(&mut self, mode: States) -> States {
        let before = self.step.left.mode.pin_count();
        let accepted: BTreeSet<RelationId> = self.flipped(&mode).into_iter().collect();
        let Some(mut fewest) = self.lasting_pin_count(&accepted).filter(|&count| count > before) else { return mode };
        let mut best = self.standing(accepted);
        let mut is_better = false;
        // What has no memory is as it is, whatever it was before.
        let part = &self.instant.prepared.discrete;
        let of_memory: BTreeSet<RelationId> = part.pair_atoms.iter().flatten().copied().collect();
        let concerned: BTreeSet<RelationId> = best.iter().chain(&self.atoms).copied().collect();
        for &atom in concerned.intersection(&of_memory) {
            let one = &best ^ &BTreeSet::from([atom]);
            if let Some(count) = self.lasting_pin_count(&one).filter(|&count| count < fewest) {
                (best, fewest, is_better) = (one, count, true);
            }
            if fewest <= before {
                break;
            }
        }
        if is_better { self.with_flipped(&best) } else { mode }
    }

    /// The same mode with the truths that relations on what it leaves free must have, in place of those of the time before.
    fn standing(&self, flipped: BTreeSet<RelationId>) -> BTreeSet<RelationId> {
        let Some(Tried::Candidate(tried, _)) = self.tried.get(&flipped.iter().copied().collect::<Vec<_>>()) else {
            return flipped;
        };
        let (part, right) = (&self.instant.prepared.discrete, &tried.1.restarted.side.discrete);
        let is_flipped = |&(atom, it): &(RelationId, &Atom)| {
            part.decides(atom) && self.step.decides(it.moment) && right[it.variable] != self.proposal[it.variable]
        };
        part.atoms.iter_enumerated().filter(is_flipped).map(|(atom, _)| atom).collect()
    }

    /// How many pins the mode of some truths needs, if it is accepted and no mode that the next micro-step leaves.
    fn lasting_pin_count(&mut self, flipped: &BTreeSet<RelationId>) -> Option<usize> {
        let flipped: Vec<RelationId> = flipped.iter().copied().collect();
        let Tried::Candidate(tried, violated) = self.tried(flipped.clone()) else { return None };
        if !violated.is_empty() || tried.1.is_transient || !tried.1.is_new {
            return None;
        }
        let count = tried.1.restarted.side.mode.pin_count();
        let Some(Tried::Candidate(tried, _)) = self.tried.get(&flipped) else { return None };
        (!self.instant.leads_on(self.step, &tried.0, &tried.1.restarted.side)).then_some(count)
    }

    /// The states of the cluster with these truths not as proposed; what is not in it is taken in.
    fn with_flipped(&mut self, flipped: &BTreeSet<RelationId>) -> States {
        self.outside = flipped.iter().copied().collect();
        self.grow();
        self.atoms.iter().map(|&atom| self.proposed(atom) ^ u32::from(flipped.contains(&atom))).collect()
    }

    /// An accepted mode without the changes that make no difference, as far as it is accepted so too, and leaves no more free.
    fn without_idle_changes(&mut self, mode: States) -> States {
        let flipped = self.flipped(&mode);
        let Some(Tried::Candidate(mut accepted, violated)) = self.tried.remove(&flipped) else { return mode };
        let (settled, candidate) = &mut *accepted;
        let idle = self.instant.idle_changes(self.step, settled, candidate);
        let most_free = candidate.restarted.side.mode.pin_count();
        self.tried.insert(flipped.clone(), Tried::Candidate(accepted, violated));
        if idle.is_empty() {
            return mode;
        }
        let mut best: BTreeSet<RelationId> = flipped.into_iter().collect();
        self.undo(&mut best, &idle, most_free);
        self.with_flipped(&best)
    }

    /// Undoes idle changes in these truths as far as they are accepted so: as a rule all together, else by halves, so that the number
    /// of modes tried is that of the changes that have to stay, times a logarithm.
    fn undo(&mut self, best: &mut BTreeSet<RelationId>, idle: &[IdleChange], most_free: usize) {
        let first_ways: BTreeSet<RelationId> =
            idle.iter().filter_map(|it| it.ways.first()).flatten().copied().collect();
        let together = &*best ^ &first_ways;
        if self.is_undone(&together, idle, most_free) {
            *best = together;
        } else if let [change] = idle {
            let other_ways = change.ways.iter().skip(1).map(|way| &*best ^ &way.iter().copied().collect());
            let other_ways: Vec<BTreeSet<RelationId>> = other_ways.collect();
            if let Some(undone) = other_ways.into_iter().find(|it| self.is_undone(it, idle, most_free)) {
                *best = undone;
            }
        } else {
            let (first, second) = idle.split_at(idle.len() / 2);
            self.undo(best, first, most_free);
            self.undo(best, second, most_free);
        }
    }

    /// An accepted mode with the truths that are written for zero where relations have come to rest there, as far as it is accepted so
    /// too, and leaves no more undetermined.
    fn as_written(&mut self, mode: States) -> States {
        let flipped = self.flipped(&mode);
        let at_rest = self.at_rest(&flipped);
        let Some(Tried::Candidate(accepted, _)) = self.tried.get(&flipped) else { return mode };
        let undetermined = self.instant.undetermined_on(&accepted.1.restarted.side).len();
        if at_rest.is_empty() {
            return mode;
        }
        let accepted: BTreeSet<RelationId> = flipped.into_iter().collect();
        let mut best = accepted.clone();
        let all: BTreeSet<RelationId> = at_rest.iter().copied().collect();
        let together = &best ^ &all;
        if self.is_accepted(&together, undetermined) {
            best = together;
        } else {
            for atom in at_rest {
                let one = &best ^ &BTreeSet::from([atom]);
                if self.is_accepted(&one, undetermined) {
                    best = one;
                }
            }
        }
        if best == accepted {
            return mode;
        }
        self.is_as_written = true;
        self.with_flipped(&best)
    }

    /// Relations that rest at zero in a mode that was tried, and have not the truth that is written for zero.
    fn at_rest(&mut self, flipped: &Vec<RelationId>) -> Vec<RelationId> {
        let Some(Tried::Candidate(mut tried, violated)) = self.tried.remove(flipped) else { return Vec::new() };
        let (settled, candidate) = &mut *tried;
        let at_rest = self.instant.at_rest(self.step, settled, candidate);
        self.tried.insert(flipped.clone(), Tried::Candidate(tried, violated));
        at_rest
    }

    /// Whether a mode differs from another one of these by the truth of a relation at rest only, and the other one has the truth that is
    /// written there.
    fn is_otherwise_written(&mut self, states: &States, accepted: &[States]) -> bool {
        let flipped = self.flipped(states);
        let at_rest = self.at_rest(&flipped);
        at_rest.iter().any(|atom| {
            let Ok(element) = self.atoms.binary_search(atom) else { return false };
            let differs_there_only =
                |other: &States| (0..states.len()).all(|at| (states[at] != other[at]) == (at == element));
            accepted.iter().any(differs_there_only)
        })
    }

    /// Whether the next micro-step leaves a mode that was tried.
    fn leads_on(&mut self, states: &States) -> bool {
        let Some(Tried::Candidate(tried, _)) = self.tried.get(&self.flipped(states)) else { return false };
        self.instant.leads_on(self.step, &tried.0, &tried.1.restarted.side)
    }

    /// Whether these truths are accepted, and leave no more undetermined than this.
    fn is_accepted(&mut self, flipped: &BTreeSet<RelationId>, undetermined: usize) -> bool {
        let flipped: Vec<RelationId> = flipped.iter().copied().collect();
        self.tried(flipped.clone());
        let Some(Tried::Candidate(tried, violated)) = self.tried.get(&flipped) else { return false };
        violated.is_empty() && self.instant.undetermined_on(&tried.1.restarted.side).len() <= undetermined
    }

    /// Whether these truths are accepted, with some idle changes undone, and leave no more free than this.
    fn is_undone(&mut self, flipped: &BTreeSet<RelationId>, changes: &[IdleChange], most_free: usize) -> bool {
        let flipped: Vec<RelationId> = flipped.iter().copied().collect();
        self.tried(flipped.clone());
        let Some(Tried::Candidate(tried, violated)) = self.tried.get(&flipped) else { return false };
        violated.is_empty()
            && tried.1.restarted.side.mode.pin_count() <= most_free
            && changes.iter().all(|it| self.instant.is_as_it_began(self.step, &tried.0, it))
    }

    fn finish(mut self, mode: &States) -> Result<Selected<'a>, NoOutcome> {
        let ambiguity = self.ambiguity(mode);
        let flipped = self.flipped(mode);
        let Some(Tried::Candidate(accepted, _)) = self.tried.remove(&flipped) else {
            unreachable!("an accepted mode has a candidate")
        };
        let (settled, candidate) = *accepted;
        if let Some((message, span)) = settled.broken {
            return Err(NoOutcome::Assertion(message, span));
        }
        Ok(Selected { settled, candidate, ambiguity })
    }

    fn none(self) -> NoOutcome {
        if let Some((number, mode)) = self.excluded {
            return NoOutcome::Invariant(number, mode);
        }
        match self.unsettled {
            Some(failure) if self.objections.is_empty() || self.is_unsettled_as_proposed => failure,
            _ => NoOutcome::NoMode(self.objections, NoSliding::NoSurface),
        }
    }

    /// Other modes that could follow, looked for once among the atoms that were searched or are near zero.
    fn ambiguity(&mut self, mode: &States) -> Option<Ambiguity> {
        let flipped = self.flipped(mode);
        let is_long = matches!(&self.tried[&flipped], Tried::Candidate(it, _) if it.1.is_new && !it.1.is_transient);
        // At the start as it stands nothing is judged yet; what is written for zero tells modes apart.
        if !is_long || self.step.is_literal || self.is_as_written {
            return None;
        }
        let searched = self.atoms.clone();
        self.outside = self.near_zero();
        self.outside.retain(|atom| !self.others.contains(atom));
        // What the change does not reach may be about to cross for itself: that is its own event.
        let crossing = self.crossing(&flipped);
        self.outside.retain(|atom| !crossing.contains(atom));
        self.grow();
        // What leaves a surface is on its side.
        self.atoms.retain(|atom| !self.step.released.contains(atom));
        self.counts.truncate(self.atoms.len());
        let is_small = (2..=MOST_COMPARED).contains(&self.atoms.len());
        let compared = is_small && self.instant.memory.compared.insert(self.atoms.clone());
        let found = compared.then(|| self.several(&flipped)).flatten();
        self.atoms = searched;
        self.outside.clear();
        self.grow();
        found
    }

    /// Of the atoms outside, those that have not the sign of their truth in a mode that was tried.
    fn crossing(&mut self, flipped: &Vec<RelationId>) -> Vec<RelationId> {
        let Some(Tried::Candidate(mut tried, violated)) = self.tried.remove(flipped) else { return Vec::new() };
        let (settled, candidate) = &mut *tried;
        let crossing = self.instant.without_their_sign(self.step, settled, candidate, &self.outside);
        self.tried.insert(flipped.clone(), Tried::Candidate(tried, violated));
        crossing
    }

    /// Atoms near zero that are not searched yet: what contradicts nothing may have to change with the others, as a
    /// diode without current whose place another one takes.
    fn near_zero_outside(&mut self) -> Vec<RelationId> {
        let near = self.near_zero();
        near.into_iter().filter(|atom| self.atoms.binary_search(atom).is_err() && !self.others.contains(atom)).collect()
    }

    fn near_zero(&mut self) -> Vec<RelationId> {
        let values = self.instant.memory.buffers.atom_values(
            self.instant.prepared,
            (self.step.left, self.step.left),
            Occasion::default(),
            &[],
        );
        let free = self.instant.undetermined_on(self.step.left);
        let near = values.iter_enumerated().filter(|&(atom, &value)| {
            if free.iter().any(|it| it.0 == atom) {
                return false;
            }
            let part = &self.instant.prepared.discrete;
            let is_decided = part.decides(atom) && self.step.decides(part.atoms[atom].moment) && !value.0.is_nan();
            is_decided && !self.instant.memory.is_clear(self.instant.prepared, atom, value)
        });
        near.map(|(atom, _)| atom).collect()
    }

    /// The modes of the cluster that accept themselves, if there are several with different values.
    fn several(&mut self, flipped: &[RelationId]) -> Option<Ambiguity> {
        let chosen: States =
            self.atoms.iter().map(|&atom| self.proposed(atom) ^ u32::from(flipped.contains(&atom))).collect();
        let noise = self.instant.memory.present_noise(self.instant.prepared);
        let objections = self.objections.len();
        let found = self.accepted_modes(&chosen, &noise);
        self.objections.truncate(objections);
        let Accepted::Several(all) = found else { return None };
        let mut accepted: Vec<States> = all.iter().filter(|it| !self.is_otherwise_written(it, &all)).cloned().collect();
        // What goes on is not one of several with modes that the next micro-step leaves.
        if !self.leads_on(&chosen) {
            accepted.retain(|it| !self.leads_on(it));
        }
        let mut modes: Vec<Mode> = Vec::new();
        for states in &accepted {
            let Tried::Candidate(it, _) = &self.tried[&self.flipped(states)] else {
                unreachable!("an accepted mode has a candidate")
            };
            if !modes.contains(&it.0.mode) {
                modes.push(it.0.mode.clone());
            }
        }
        let differing =
            self.atoms.iter().enumerate().filter(|&(at, _)| accepted.iter().any(|it| it[at] != accepted[0][at]));
        let atoms = differing.map(|(_, &atom)| atom).collect();
        (modes.len() > 1).then_some(Ambiguity { atoms, modes })
    }
}

impl Cluster for Search<'_, '_, '_, '_> {
    fn states(&self) -> &[u32] {
        &self.counts
    }

    fn conditions(&mut self, states: &States) -> Result<Vec<StateCondition>, String> {
        if !self.outside.is_empty() {
            return Err("the cluster grows".to_string());
        }
        let flipped = self.flipped(states);
        let Tried::Candidate(_, violated) = self.tried(flipped) else {
            return Err("there is no right side".to_string());
        };
        let violated = violated.clone();
        let mut conditions = Vec::new();
        for (atom, (term, value)) in violated {
            match self.atoms.binary_search(&atom) {
                Err(_) => self.outside.push(atom),
                Ok(element) => {
                    let sign = Sign::Decided(term, -value.abs());
                    conditions.push(StateCondition { element, sign, otherwise: 1 - states[element] });
                }
            }
        }
        if !self.outside.is_empty() {
            return Err("the cluster grows".to_string());
        }
        Ok(conditions)
    }

    fn complementarities(&mut self) -> Vec<Complementarity> {
        if !self.outside.is_empty() {
            return Vec::new();
        }
        if self.atoms.is_empty() {
            return vec![Complementarity::of_nothing()];
        }
        let before: States = self.atoms.iter().map(|&atom| self.before(atom)).collect();
        let proposed: States = self.atoms.iter().map(|&atom| self.proposed(atom)).collect();
        let (none, all) = (vec![0; self.atoms.len()], vec![1; self.atoms.len()]);
        let problems = [proposed, before, none, all].into_iter().find_map(|reference| {
            let reference = self.regular_near(reference)?;
            let flipped = self.flipped(&reference);
            let right = match self.tried.get(&flipped) {
                Some(Tried::Candidate(tried, _)) => tried.1.restarted.right_limits(),
                _ => None,
            };
            let discrete = self.discrete(&flipped);
            self.instant.complementarities(self.step, &self.atoms, &discrete, right)
        });
        problems.unwrap_or_default()
    }

    fn signature(&mut self, states: &States) -> Vec<f64> {
        let left = self.step.left.mode.clone();
        let Tried::Candidate(tried, _) = self.tried(self.flipped(states)) else { return Vec::new() };
        let side = &tried.1.restarted.side;
        let structure = &left.structure;
        // What is differentiated only by the index reduction of a mode is no state, and other modes may leave it free.
        let states = structure.columns().filter(|&column| structure.written_order(column) > 0);
        let values = states.flat_map(|column| [0, 1].map(|order| side.value(structure.variable(column), order)));
        values.collect()
    }
}

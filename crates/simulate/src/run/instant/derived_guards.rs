//! Conditions of a mode on what it leaves free, and what follows from them.
//!
//! In a pinned mode some relations read variables without values. None of these has a truth of its own to be judged or
//! watched. Together they say that *some* values satisfy them all, and the extreme rays of that statement are combinations
//! without anything free: `uᵀs >= 0`, which are judged and watched in their place (`mode_changes::next_mode::derived_guards`).
//! A ray that is violated speaks against all relations that it is made of.
//!
//! Only relations that decide something now are conditions: the voltage of a thyristor without a gate signal is none.

use modeshift_dae::{Derivative, IndexVec, RelationId, VariableId};
use modeshift_mode_changes::{Noise, Ray, Sign, Term, extreme_rays};

use crate::run::instant::Instant;
use crate::run::instant::candidate::Candidate;
use crate::run::instant::discrete_fixpoint::{MicroStep, Settled};
use crate::run::instant::judgement::Violation;
use crate::run::pinned_modes::ModePins;
use crate::run::values::{Side, input_between};

/// A relation on something free that decides something now.
pub(crate) struct FreeCondition {
    pub atom: RelationId,
    /// The truth with which the mode stands, and its side of zero.
    truth: bool,
    pub side: f64,
}

/// What the relations of a mode on free quantities say together.
#[derive(Default)]
pub(crate) struct DerivedGuards {
    /// Relations without a truth of their own, ascending.
    pub undetermined: Vec<RelationId>,
    pub conditions: Vec<FreeCondition>,
    /// Combinations of conditions, by their numbers, that must not be negative.
    pub rays: Vec<Ray>,
    /// Whether there are more than can be handled.
    pub are_too_many: bool,
}

impl DerivedGuards {
    /// Whether a relation has no truth of its own.
    pub fn is_undetermined(&self, atom: RelationId) -> bool {
        self.undetermined.binary_search(&atom).is_ok()
    }
}

impl<'a> Instant<'_, 'a> {
    /// Relations on free quantities on a side, with the shares that these have in them.
    pub fn undetermined_on(&mut self, side: &Side<'a>) -> Vec<(RelationId, Vec<f64>)> {
        let mode = side.mode.clone();
        let Some(pins) = &mode.pins else { return Vec::new() };
        let reads = &self.prepared.discrete.reads;
        let reading = reads.iter_enumerated().filter(|(_, read)| read.iter().any(|&id| pins.is_undetermined(id)));
        let reading: Vec<RelationId> = reading.map(|(atom, _)| atom).collect();
        reading.into_iter().filter_map(|atom| Some((atom, self.shares(pins, side, atom)?))).collect()
    }

    /// The shares of what is free in a relation, if there are any.
    fn shares(&mut self, pins: &ModePins, side: &Side<'a>, atom: RelationId) -> Option<Vec<f64>> {
        let tape = self.memory.series(self.prepared, atom)?;
        let model = &self.prepared.dae.model;
        let value = |input| input_between(model, input, (side, side), Default::default(), &[]);
        let gradient: Vec<(Derivative<VariableId>, f64)> = tape.coefficients(value).collect();
        pins.influence(&gradient)
    }

    /// What relations on free quantities say together, where the discrete part has settled.
    pub fn derived_guards(&mut self, step: &MicroStep<'_, 'a>, settled: &Settled, side: &Side<'a>) -> DerivedGuards {
        let free = self.undetermined_on(side);
        if free.is_empty() {
            return DerivedGuards::default();
        }
        let own = self.own_left(step, settled);
        let own_step = MicroStep { left: &own, ..*step };
        let mut truths = settled.discrete.clone();
        let mut needed: Vec<Option<bool>>;
        loop {
            let atoms = free.iter().map(|(atom, _)| *atom);
            needed = atoms.clone().map(|atom| self.needed_truth(&own_step, (settled, &truths), side, atom)).collect();
            // What has a truth of the time before it became free, as a force that broke a friction loose, must not hide what others say.
            let variables = atoms.map(|atom| self.prepared.discrete.atoms[atom].variable);
            let found = variables.zip(&needed).filter_map(|(id, truth)| Some((id, f64::from(u8::from((*truth)?)))));
            // Each is turned once at most.
            let is_to_turn =
                |&(id, truth): &(VariableId, f64)| truths[id] != truth && truths[id] == settled.discrete[id];
            let others: Vec<(VariableId, f64)> = found.filter(is_to_turn).collect();
            if others.is_empty() {
                break;
            }
            others.into_iter().for_each(|(id, truth)| truths[id] = truth);
        }
        let (mut conditions, mut rows) = (Vec::new(), Vec::new());
        for ((atom, shares), needed) in free.iter().zip(needed) {
            if let Some(truth) = needed {
                let condition_side = self.prepared.discrete.atoms[*atom].side(truth);
                conditions.push(FreeCondition { atom: *atom, truth, side: condition_side });
                rows.push(shares.iter().map(|share| condition_side * share).collect());
            }
        }
        let rays = extreme_rays(&rows);
        DerivedGuards {
            undetermined: free.into_iter().map(|(atom, _)| atom).collect(),
            conditions,
            are_too_many: rays.is_none(),
            rays: rays.unwrap_or_default(),
        }
    }

    /// The truth that a relation must have so that what is decided stands, others having these; nothing where it does not matter.
    fn needed_truth(
        &mut self,
        step: &MicroStep<'_, 'a>,
        (settled, truths): (&Settled, &IndexVec<VariableId, f64>),
        side: &Side<'a>,
        atom: RelationId,
    ) -> Option<bool> {
        let part = &self.prepared.discrete;
        let it = &part.atoms[atom];
        if !step.decides(it.moment) {
            return None;
        }
        let with = |truth: f64| -> IndexVec<VariableId, f64> {
            let mut discrete = truths.clone();
            discrete[it.variable] = truth;
            discrete
        };
        let [no, yes] = [0.0, 1.0].map(|truth| self.settle(step, with(truth), side));
        let (Ok(no), Ok(yes)) = (no, yes) else { return Some(settled.discrete[it.variable] != 0.0) };
        let pairs = part.pair_atoms.iter().zip(&part.pairs).filter(|(atoms, _)| atoms.contains(&atom));
        for (_, members) in pairs {
            let [no, yes] = [&no, &yes].map(|it| members.iter().all(|&id| it.discrete[id] == settled.discrete[id]));
            if no != yes {
                return Some(yes);
            }
        }
        (!self.is_same_decision(&no, &yes)).then(|| settled.discrete[it.variable] != 0.0)
    }

    /// The relations of violated rays, each with the term that says so.
    pub fn violated_rays(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
        guards: &DerivedGuards,
    ) -> Vec<Violation> {
        let mut violated: Vec<Violation> = Vec::new();
        for ray in &guards.rays {
            let atoms = ray.iter().map(|&(number, _)| guards.conditions[number].atom);
            if !atoms.into_iter().any(|atom| self.judges(step, settled, candidate, atom)) {
                continue;
            }
            if let Sign::Decided(term, value) = self.sign_of_ray(step, settled, candidate, guards, ray)
                && value < 0.0
            {
                let conditions = ray.iter().map(|&(number, _)| &guards.conditions[number]);
                violated.extend(conditions.map(|it| (it.atom, (term, it.side * value))));
            }
        }
        violated.sort_by_key(|it| it.0);
        violated.dedup_by_key(|it| it.0);
        violated
    }

    /// Relations of violated rays, those of a Boolean with a memory that has just changed by what changed it.
    pub fn blamed(&self, step: &MicroStep<'_, 'a>, settled: &Settled, rays: &[Violation]) -> Vec<Violation> {
        let mut blamed = Vec::new();
        rays.iter().for_each(|&(atom, term)| self.blame(step, settled, atom, term, &mut blamed));
        blamed.sort_by_key(|it| it.0);
        blamed.dedup_by_key(|it| it.0);
        blamed
    }

    fn sign_of_ray(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
        guards: &DerivedGuards,
        ray: &Ray,
    ) -> Sign {
        let mut parts = Vec::new();
        for &(number, weight) in ray {
            let FreeCondition { atom, side, .. } = guards.conditions[number];
            let Some(series) = self.memory.series(self.prepared, atom) else { return Sign::Vanishing };
            parts.push((side * weight, series, self.memory.scales[atom]));
        }
        let known = self.prepared.known(step.left, &settled.discrete, step.occasion, step.sampled);
        let noise = self.memory.present_noise(self.prepared);
        let noise = Noise { relative: self.memory.noise_level * noise.relative, ..noise };
        candidate.restarted.sign_of_combination(&parts, &known, (&noise, self.memory.most))
    }

    /// Blames a relation; where it belongs to a Boolean with a memory that has just changed, what changed it.
    fn blame(
        &self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        atom: RelationId,
        term: (Term, f64),
        violated: &mut Vec<Violation>,
    ) {
        let part = &self.prepared.discrete;
        let has_changed = |id: VariableId| settled.discrete[id] != step.left.discrete[id];
        let pair = part.pair_atoms.iter().position(|atoms| atoms.contains(&atom));
        match pair.filter(|&pair| part.pairs[pair].iter().any(|&id| has_changed(id))) {
            None => violated.push((atom, term)),
            Some(pair) => {
                let changed = part.pair_atoms[pair].iter().filter(|&&it| has_changed(part.atoms[it].variable));
                violated.extend(changed.map(|&it| {
                    let side = part.atoms[it].side(settled.discrete[part.atoms[it].variable] != 0.0);
                    (it, (term.0, -side * term.1.abs()))
                }));
            }
        }
    }

    /// Gives relations on free quantities the truths with which the mode stands.
    pub fn settle_truths(&self, discrete: &mut IndexVec<VariableId, f64>, guards: &DerivedGuards) {
        for it in &guards.conditions {
            discrete[self.prepared.discrete.atoms[it.atom].variable] = f64::from(u8::from(it.truth));
        }
    }
}

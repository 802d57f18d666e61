//! Found at an event: where no mode accepts itself because both sides of some guards point at them, the run slides along.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{Derivative, IndexVec, RelationId, VariableId};
use modeshift_mode_changes::DifferenceTape;

use crate::program::Surroundings;
use crate::run::instant::Instant;
use crate::run::instant::candidate::{Candidate, Refusal};
use crate::run::instant::discrete_fixpoint::{MicroStep, Settled};
use crate::run::instant::next_mode::Selected;
use crate::run::prepare::relations::Moment;
use crate::run::sliding::flow::{NoFlow, NotAlike, Slide, Sliding, Slopes};
use crate::run::sliding::shares::{Next, NoShares, Share, shares};
use crate::run::values::{Occasion, Side};

/// Why there is no sliding mode.
#[derive(Clone, Debug)]
pub(crate) enum NoSliding {
    /// No guard is at zero with both sides pointing at it.
    NoSurface,
    /// This variable jumps on one side.
    Jump(VariableId),
    /// A clause fires whenever this guard is crossed, which would be without end.
    Clause(RelationId),
    /// What happens when this guard is crossed is not undone by crossing it back, as a transition of a machine.
    OneWay(RelationId),
    /// One side of a guard has no values.
    NoField(RelationId),
    /// The sides have different states: this is one of them only on some.
    States(Derivative<VariableId>),
    /// This guard is not the same function of the states on both sides.
    Guard(RelationId),
    /// This guard changes with the sides of another one.
    Along(RelationId),
    /// The sides of these guards act on each other, so that there is no one combination.
    Mixed(Vec<RelationId>),
    /// Several combinations of sides are possible, of these guards.
    Several(Vec<RelationId>),
    /// None is, or too many guards act on each other.
    Unsolved(Vec<RelationId>),
}

/// One side of the guards: what was decided, and the values that follow.
type Decided<'a> = (Settled, Candidate<'a>);

/// The sides of some guards, and their combination.
struct Found<'a> {
    system: Rc<Sliding<'a>>,
    base: Decided<'a>,
    states: Vec<f64>,
    jets: Vec<Vec<f64>>,
    slopes: Slopes,
}

impl<'a> Instant<'_, 'a> {
    /// What follows for a run that slides already, without asking modes that it cannot be in; nothing where it has to be
    /// asked.
    pub fn slide_on(&mut self, step: &MicroStep<'_, 'a>, proposal: &IndexVec<VariableId, f64>) -> Option<Selected<'a>> {
        step.left.sliding.as_ref()?;
        let settled = self.settle(step, proposal.clone(), step.left).ok()?;
        if settled.is_transient || self.is_kept(step, &settled) {
            return None;
        }
        self.slide(step, proposal, &[]).ok()
    }

    /// The sliding mode that follows, where some guards contradict each mode that was tried.
    pub fn slide(
        &mut self,
        step: &MicroStep<'_, 'a>,
        proposal: &IndexVec<VariableId, f64>,
        suspects: &[RelationId],
    ) -> Result<Selected<'a>, NoSliding> {
        let mut surfaces = self.surfaces(step, suspects);
        let mut proposal = proposal.clone();
        let (mut seen, mut released) = (BTreeSet::new(), step.released.to_vec());
        loop {
            if surfaces.is_empty() || step.is_literal {
                return Err(NoSliding::NoSurface);
            }
            let atoms: Vec<RelationId> = surfaces.iter().copied().collect();
            // What was left for the same sides before and contradicts afterwards acts on the others otherwise than alone.
            let sides: Vec<u64> = proposal.iter().map(|value| value.to_bits()).collect();
            if !seen.insert((atoms.clone(), sides, released.clone())) {
                let all: BTreeSet<RelationId> = seen.into_iter().flat_map(|(atoms, ..)| atoms).collect();
                return Err(NoSliding::Mixed(all.into_iter().collect()));
            }
            let found = match self.sides(&MicroStep { released: &released, ..*step }, &proposal, &atoms)? {
                Sides::Found(found) => found,
                Sides::More(others) => {
                    surfaces.extend(others);
                    continue;
                }
                Sides::Away(moved) => {
                    for (atom, truth) in moved {
                        self.put_on_side(&mut proposal, atom, truth);
                        surfaces.remove(&atom);
                    }
                    continue;
                }
            };
            let taken = self.taken(&atoms, &found)?;
            let mut is_left = false;
            for (&atom, share) in atoms.iter().zip(&taken) {
                let it = &self.prepared.discrete.atoms[atom];
                let truth = match share {
                    Share::Kept => it.holds_at_zero(),
                    Share::Turned => !it.holds_at_zero(),
                    Share::Between(_) => continue,
                };
                self.put_on_side(&mut proposal, atom, truth);
                surfaces.remove(&atom);
                is_left = true;
            }
            let additive = self.check_additive(step, &atoms, &found);
            if !is_left {
                additive?;
                return self.sliding(*found);
            }
            // With guards on one side of their surfaces, the others are looked at once more. Those are at zero still, and on their sides
            // along the combination, whatever they do on single sides of the others.
            if additive.is_ok() {
                let left = atoms.iter().filter(|atom| !surfaces.contains(atom));
                // All relations of a surface leave it.
                released.extend(left.flat_map(|&atom| self.prepared.discrete.on_side_of(atom, true)).map(|it| it.0));
                released.sort_unstable();
                released.dedup();
            }
        }
    }

    /// Guards at zero that may be surfaces: those that the run slides on and those that are suspected.
    fn surfaces(&mut self, step: &MicroStep<'_, 'a>, suspects: &[RelationId]) -> BTreeSet<RelationId> {
        let sliding = step.left.sliding.as_ref().map(|slide| slide.system.atoms.clone()).unwrap_or_default();
        let all: BTreeSet<RelationId> = sliding.into_iter().chain(suspects.iter().copied()).collect();
        let at_zero = all.into_iter().filter(|&it| !step.released.contains(&it) && self.is_at_zero(step, it));
        at_zero.collect::<Vec<_>>().into_iter().map(|atom| self.prepared.discrete.surface(atom)).collect()
    }

    /// Gives an atom a truth, and those that are at zero with it the truths that they have on the same side.
    fn put_on_side(&self, discrete: &mut IndexVec<VariableId, f64>, atom: RelationId, truth: bool) {
        let part = &self.prepared.discrete;
        for (other, truth) in part.on_side_of(atom, truth) {
            discrete[part.atoms[other].variable] = f64::from(u8::from(truth));
        }
    }

    fn is_at_zero(&mut self, step: &MicroStep<'_, 'a>, atom: RelationId) -> bool {
        let sides = (step.left, step.left);
        let values = self.memory.buffers.atom_values(self.prepared, sides, Occasion::default(), &[]);
        let is_now = self.prepared.discrete.atoms[atom].moment == Moment::Now;
        is_now && !values[atom].0.is_nan() && !self.memory.is_clear(self.prepared, atom, values[atom])
    }

    /// Both sides of each guard: the field with all as they are written at zero, and those with one of them turned.
    fn sides(
        &mut self,
        step: &MicroStep<'_, 'a>,
        proposal: &IndexVec<VariableId, f64>,
        atoms: &[RelationId],
    ) -> Result<Sides<'a>, NoSliding> {
        let step = MicroStep { must_restart: true, ..*step };
        let mut discrete = proposal.clone();
        for &atom in atoms {
            self.put_on_side(&mut discrete, atom, self.prepared.discrete.atoms[atom].holds_at_zero());
        }
        let mut base = self.field(&step, discrete, atoms[0])?;
        let contradicting = self.turning(&step, &mut base);
        let mut more = self.others(&step, &contradicting, atoms)?;
        let left = base.1.restarted.side.clone();
        let next = MicroStep { left: &left, sampled: &[], crossed: &[], start: None, ..step };
        let mut fields = vec![(left.clone(), self.surroundings(&left))];
        for &atom in atoms {
            let mut turned = self.turned(&next, &base.0, &[atom])?;
            let contradicting = self.turning(&next, &mut turned);
            more.extend(self.others(&next, &contradicting, atoms)?);
            if !self.leads_back(&next, &base.0, &turned, contradicting.into_iter().chain([atom]).collect()) {
                return Err(NoSliding::OneWay(atom));
            }
            let side = turned.1.restarted.side;
            let surroundings = self.surroundings(&side);
            fields.push((side, surroundings));
        }
        if !more.is_empty() {
            return Ok(Sides::More(more));
        }
        self.combined(base, atoms, fields)
    }

    /// The fields as a system, with the slopes of guards where the run is.
    fn combined(
        &mut self,
        base: Decided<'a>,
        atoms: &[RelationId],
        fields: Vec<(Side<'a>, Surroundings)>,
    ) -> Result<Sides<'a>, NoSliding> {
        let series = |atom: RelationId| self.memory.series(self.prepared, atom).ok_or(NoSliding::Guard(atom));
        let series: Vec<Arc<DifferenceTape>> = atoms.iter().copied().map(series).collect::<Result<_, _>>()?;
        let time = base.1.restarted.side.time;
        let mut jets: Vec<Vec<f64>> = fields.iter().map(|(side, _)| side.jet.clone()).collect();
        let system = Sliding::new(self.prepared, (atoms.to_vec(), series), fields);
        let alike = system.choose_states(&mut self.visited.programs, time, &jets);
        alike.map_err(|reason| match reason {
            NotAlike::NotBuilt(_) => NoSliding::NoField(atoms[0]),
            NotAlike::States(state) => NoSliding::States(state),
        })?;
        let mut states = Vec::new();
        base.1.restarted.side.mode.program.borrow().states_of(&jets[0], &mut states);
        let slopes = system.slopes(time, &states, &mut jets).map_err(|_| NoSliding::NoField(atoms[0]))?;
        let mut away = Vec::new();
        let sides = (&base.1.restarted.side, &base.1.restarted.side);
        let here = self.memory.buffers.atom_values(self.prepared, sides, Occasion::default(), &[]);
        for (at, &atom) in atoms.iter().enumerate() {
            let values: Vec<f64> = slopes.values.iter().map(|own| own[at]).collect();
            // Of the size of what it is made of.
            let size = if here[atom].1.is_finite() { here[atom].1 } else { 0.0 };
            let is_clear = |value: &f64| self.memory.is_clear(self.prepared, atom, (*value, size));
            let is_above = values[0] > 0.0;
            if values.iter().all(|value| is_clear(value) && (*value > 0.0) == is_above) {
                away.push((atom, is_above == self.prepared.discrete.atoms[atom].holds_above()));
            } else if values.iter().any(is_clear) {
                return Err(NoSliding::Guard(atom));
            }
        }
        if !away.is_empty() {
            return Ok(Sides::Away(away));
        }
        Ok(Sides::Found(Box::new(Found { system: Rc::new(system), base, states, jets, slopes })))
    }

    /// One side of the guards, on which no state jumps and no clause acts on states.
    fn field(
        &mut self,
        step: &MicroStep<'_, 'a>,
        discrete: IndexVec<VariableId, f64>,
        atom: RelationId,
    ) -> Result<Decided<'a>, NoSliding> {
        let (settled, candidate) = self.consistent(step, discrete).map_err(|refusal| match refusal {
            Refusal::Discrete(_) | Refusal::Mode(..) => NoSliding::NoField(atom),
        })?;
        if candidate.is_transient || !settled.resets.is_empty() {
            return Err(NoSliding::Clause(atom));
        }
        if let Some((variable, _)) = candidate.restarted.weights.first() {
            return Err(NoSliding::Jump(*variable));
        }
        let side = &candidate.restarted.side;
        for Derivative { of, order } in side.mode.program.borrow().state_quantities() {
            let (before, after) = (step.left.value(of, order), side.value(of, order));
            let known = self.memory.sizes.size(Derivative { of, order }).max(self.prepared.declared_nominal(of));
            let size = before.abs().max(after.abs()).max(known * f64::EPSILON);
            // What was no state before, or moves by more than restarts are exact to.
            let is_kept = (after - before).abs() <= self.prepared.noise.relative * size;
            if !is_kept {
                return Err(NoSliding::Jump(of));
            }
        }
        Ok((settled, candidate))
    }

    /// The field with some guards turned, right after the one with none; no clause may fire on the way.
    fn turned(
        &mut self,
        next: &MicroStep<'_, 'a>,
        base: &Settled,
        atoms: &[RelationId],
    ) -> Result<Decided<'a>, NoSliding> {
        let mut discrete = base.discrete.clone();
        for &atom in atoms {
            let is_true = discrete[self.prepared.discrete.atoms[atom].variable] != 0.0;
            self.put_on_side(&mut discrete, atom, !is_true);
        }
        let turned = self.field(next, discrete, atoms[0])?;
        if turned.0.whens.is_empty() { Ok(turned) } else { Err(NoSliding::Clause(atoms[0])) }
    }

    /// Guards that contradict a field.
    fn turning(&mut self, step: &MicroStep<'_, 'a>, (settled, candidate): &mut Decided<'a>) -> Vec<RelationId> {
        let guards = self.derived_guards(step, settled, &candidate.restarted.side.clone());
        self.contradicting(step, settled, candidate, &guards).0.into_iter().map(|(atom, _)| atom).collect()
    }

    /// Whether a guard that was turned comes back to where it was turned from, with all guards turned that turn there. What has a
    /// memory, as a machine that has left a state, need not.
    fn leads_back(
        &mut self,
        step: &MicroStep<'_, 'a>,
        base: &Settled,
        (settled, candidate): &Decided<'a>,
        turning: BTreeSet<RelationId>,
    ) -> bool {
        if self.is_same_memory(&base.discrete, &settled.discrete) {
            return true;
        }
        let side = &candidate.restarted.side;
        let mut discrete = settled.discrete.clone();
        for atom in turning.into_iter().map(|atom| self.prepared.discrete.surface(atom)).collect::<BTreeSet<_>>() {
            let is_true = discrete[self.prepared.discrete.atoms[atom].variable] != 0.0;
            self.put_on_side(&mut discrete, atom, !is_true);
        }
        let back = self.settle(&MicroStep { left: side, ..*step }, discrete, side);
        back.is_ok_and(|back| self.is_same_memory(&back.discrete, &base.discrete))
    }

    /// Of guards that contradict a field, those that are no surfaces yet; those that are at zero may be.
    fn others(
        &mut self,
        step: &MicroStep<'_, 'a>,
        contradicting: &[RelationId],
        atoms: &[RelationId],
    ) -> Result<Vec<RelationId>, NoSliding> {
        let surface = |atom: RelationId| self.prepared.discrete.surface(atom);
        let others = contradicting.iter().copied().filter(|&atom| !atoms.contains(&surface(atom)));
        let others: Vec<RelationId> = others.filter(|atom| !step.released.contains(atom)).collect();
        match others.iter().find(|&&atom| !self.is_at_zero(step, atom)) {
            Some(&atom) => Err(NoSliding::Along(atom)),
            None => Ok(others.into_iter().map(surface).collect()),
        }
    }

    fn surroundings(&self, side: &Side<'a>) -> Surroundings {
        self.visited.surround(side);
        self.visited.surroundings.borrow().clone()
    }

    /// Which side of each guard is taken, or how much of both.
    fn taken(&self, atoms: &[RelationId], found: &Found<'a>) -> Result<Vec<Share>, NoSliding> {
        let orientation = |atom: &RelationId| {
            let it = &self.prepared.discrete.atoms[*atom];
            it.side(it.holds_at_zero())
        };
        let signs: Vec<f64> = atoms.iter().map(orientation).collect();
        let oriented = |slopes: &Slopes| {
            let own = slopes.slopes[0].iter().zip(&signs).map(|(slope, sign)| slope * sign).collect();
            let change = slopes.change();
            let change = change.iter().zip(&signs).map(|(row, sign)| row.iter().map(|value| value * sign).collect());
            Next { slopes: own, change: change.collect() }
        };
        let Next { slopes, change } = oriented(&found.slopes);
        let next = || {
            let slopes = found.system.second_slopes(found.base.1.restarted.side.time, &found.jets)?;
            Some(oriented(&Slopes { values: Vec::new(), slopes }))
        };
        shares(&slopes, &change, next).map_err(|reason| match reason {
            NoShares::Several => NoSliding::Several(atoms.to_vec()),
            NoShares::None | NoShares::TooMany => NoSliding::Unsolved(atoms.to_vec()),
        })
    }

    /// Whether turning several guards at once does what turning them one by one does, for the states.
    fn check_additive(
        &mut self,
        step: &MicroStep<'_, 'a>,
        atoms: &[RelationId],
        found: &Found<'a>,
    ) -> Result<(), NoSliding> {
        let left = found.base.1.restarted.side.clone();
        let none = (&[], &[], &[]);
        let (sampled, crossed, released) = none;
        let step = MicroStep { left: &left, sampled, crossed, released, must_restart: true, start: None, ..*step };
        let changes: Vec<Vec<f64>> =
            found.system.states().into_iter().map(|state| found.system.derivatives(state, &found.jets)).collect();
        let acts = |at: usize, of: &[f64]| of[at + 1] != of[0];
        let share = |&(a, b): &(usize, usize)| changes.iter().any(|of| acts(a, of) && acts(b, of));
        // Those that act on different states are turned all at once, which is enough.
        let pairs = (0..atoms.len()).flat_map(|a| (0..a).map(move |b| (b, a))).filter(share);
        let pairs = pairs.map(|(a, b)| vec![a, b]);
        let all = (atoms.len() > 1).then(|| (0..atoms.len()).collect());
        for together in pairs.chain(all) {
            let turned: Vec<RelationId> = together.iter().map(|&at| atoms[at]).collect();
            let (_, candidate) = self.turned(&step, &found.base.0, &turned)?;
            let side = &candidate.restarted.side;
            for state in found.system.states() {
                let along = found.system.derivatives(state, &found.jets);
                let one_by_one: f64 = along[0] + together.iter().map(|&at| along[at + 1] - along[0]).sum::<f64>();
                let at_once = side.value(state.of, state.order + 1);
                let size = along.iter().fold(at_once.abs(), |size, value| size.max(value.abs()));
                let is_sum = (at_once - one_by_one).abs() <= self.prepared.noise.relative * size;
                if !is_sum {
                    return Err(NoSliding::Mixed(turned));
                }
            }
        }
        Ok(())
    }

    /// The right side in the sliding mode.
    fn sliding(&mut self, found: Found<'a>) -> Result<Selected<'a>, NoSliding> {
        let Found { system, base: (settled, mut candidate), mut states, jets, .. } = found;
        let unsolved = |_: NoFlow| NoSliding::Unsolved(system.atoms.clone());
        let side = &mut candidate.restarted.side;
        let (slide, jet) = system.point(side.time, &mut states, jets).map_err(unsolved)?;
        (side.jet, side.sliding) = (jet, Some(slide));
        Ok(Selected { settled, candidate, ambiguity: None })
    }

    /// Whether nothing continuous changes, and no surface moves away.
    pub fn is_kept(&self, step: &MicroStep<'_, 'a>, settled: &Settled) -> bool {
        let changed = self.prepared.felt_changes(&step.left.discrete, &settled.discrete);
        let is_same = settled.mode == step.left.mode.values && changed.is_empty();
        let is_moved = |slide: &Slide<'a>| {
            let part = &self.prepared.discrete;
            let has_changed = |id: VariableId| settled.discrete[id].to_bits() != step.left.discrete[id].to_bits();
            slide.system.atoms.iter().any(|&atom| {
                has_changed(part.atoms[atom].variable) || part.reads[atom].iter().any(|&id| has_changed(id))
            })
        };
        let is_released = |slide: &Slide<'a>| step.released.iter().any(|&atom| slide.surface(atom).is_some());
        let is_left = step.left.sliding.as_ref().is_some_and(|slide| is_released(slide) || is_moved(slide));
        is_same && !settled.is_transient && !step.must_restart && !is_left
    }
}

/// What came of looking at both sides of guards.
enum Sides<'a> {
    Found(Box<Found<'a>>),
    /// These guards are at zero too, and contradict.
    More(Vec<RelationId>),
    /// These are no longer at zero, on any side of the others: their surfaces have moved away, and the guards are true or not.
    Away(Vec<(RelationId, bool)>),
}

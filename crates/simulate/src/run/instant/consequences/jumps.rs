//! What jumps lead to: transitions that the jump of another machine causes.
//!
//! Where a machine enters a state, something may jump: a body that is coupled to another one, a charge that is begun with anew. A second
//! machine whose condition comes true by the new value sees it only after the jump, so it cannot take part in it: the load that a
//! machine lets go below a speed has been slowed down together with the rest before. So there are two micro-steps, and the second one begins
//! with what the first has led to.
//!
//! What is implicit stays one change: conditions on what only the new mode determines, as the voltage of a diode beside a switch
//! that opens, and those that impulses decide, since what forbids an impulse never passes it on (`forbidden_impulses`).

use modeshift_dae::{Derivative, RelationId, VariableId};
use modeshift_mode_changes::Term;

use crate::run::instant::Instant;
use crate::run::instant::candidate::Candidate;
use crate::run::instant::discrete_fixpoint::{MicroStep, Settled};
use crate::run::instant::judgement::Violation;
use crate::run::values::Side;

impl<'a> Instant<'_, 'a> {
    /// Of atoms that contradict a candidate, those that jumps of states have carried to the other side, and that lead on: Booleans with a
    /// memory that the micro-step has left as they were change by them, and nothing that it has changed.
    pub fn carried_by_jumps(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &Candidate<'a>,
        contradicting: &[Violation],
    ) -> Vec<Violation> {
        let part = &self.prepared.discrete;
        let leads_somewhere = self.has_changed_pairs(step, settled) || !settled.entered.is_empty();
        if !leads_somewhere || step.left.sliding.is_some() || self.moves_nothing(step, candidate) {
            return Vec::new();
        }
        let is_kept = |pair: &[VariableId]| pair.iter().all(|&id| settled.discrete[id] == step.left.discrete[id]);
        let may_lead_on = |&(atom, (term, _)): &Violation| {
            let is_of = |(_, atoms): &(&Vec<VariableId>, &Vec<RelationId>)| atoms.contains(&atom);
            let mut pairs = part.pairs.iter().zip(&part.pair_atoms).filter(is_of).peekable();
            let is_asked = term == Term::Derivative(0) && !step.crossed.contains(&atom);
            is_asked && pairs.peek().is_some() && pairs.all(|(pair, _)| is_kept(pair))
        };
        let mut carried: Vec<Violation> = contradicting.iter().copied().filter(may_lead_on).collect();
        if carried.is_empty() {
            return carried;
        }
        let Some(jumped) = self.as_before_with_jumps(step, candidate) else { return Vec::new() };
        let values = self.memory.buffers.atom_values(self.prepared, (&jumped, &jumped), step.occasion, step.sampled);
        carried.retain(|&(atom, _)| {
            let (it, value) = (&part.atoms[atom], values[atom]);
            let side = it.side(settled.discrete[it.variable] != 0.0);
            value.0.is_nan() || value.0 * side < 0.0 && self.memory.is_clear(self.prepared, atom, value)
        });
        let Ok(now) = self.settle(step, self.with_flipped(settled, &carried), &candidate.restarted.side) else {
            return Vec::new();
        };
        let is_as_decided =
            |pair: &Vec<VariableId>| is_kept(pair) || pair.iter().all(|&id| now.discrete[id] == settled.discrete[id]);
        if part.pairs.iter().all(is_as_decided) { carried } else { Vec::new() }
    }

    /// The mode before the change at the values that states have jumped to: what is different there is different because of the jump, and
    /// not because of other equations. Before the start there are no equations.
    fn as_before_with_jumps(&mut self, step: &MicroStep<'_, 'a>, candidate: &Candidate<'a>) -> Option<Side<'a>> {
        let (left, right) = (step.left, &candidate.restarted.side);
        if left.mode.is_before_start {
            return None;
        }
        self.visited.surround(left);
        let mut jet: Vec<f64> = left.jet.iter().map(|&value| if value.is_nan() { 0.0 } else { value }).collect();
        let surroundings = self.visited.surroundings.clone();
        let surroundings = surroundings.borrow();
        left.mode.choose_states(&mut self.visited.programs, left.time, &jet, &surroundings).ok()?;
        let mut program = left.mode.program.borrow_mut();
        let moved = |Derivative { of, order }: Derivative<VariableId>| match right.mode.quantities.index(of, order) {
            Some(quantity) => right.jet[quantity.index()],
            None => left.value(of, order),
        };
        let states: Vec<f64> = program.state_quantities().map(moved).collect();
        program.evaluate(left.time, &states, &surroundings, &mut jet).ok()?;
        Some(Side { jet, ..left.clone() })
    }

    /// Whether the states that go on have the values that they had, and nothing is impulsive.
    pub fn moves_nothing(&self, step: &MicroStep<'_, 'a>, candidate: &Candidate<'a>) -> bool {
        let (left, side) = (step.left, &candidate.restarted.side);
        let structure = &side.mode.structure;
        let is_kept = |variable: VariableId, order: u32| {
            let (before, after) = (left.value(variable, order), side.value(variable, order));
            let known = self.memory.sizes.size(Derivative::new(variable, order));
            let known = known.max(self.prepared.declared_nominal(variable));
            let size = before.abs().max(after.abs()).max(known * f64::EPSILON);
            left.mode.quantities.index(variable, order).is_none()
                || (after - before).abs() <= self.prepared.noise.relative * size
        };
        let goes_on = |column| {
            let orders = 0..structure.written_order(column);
            orders.into_iter().all(|order| is_kept(structure.variable(column), order))
        };
        candidate.restarted.weights.is_empty() && structure.columns().all(goes_on)
    }
}

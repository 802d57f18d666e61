//! From one event to the next in a mode that is affine, and whose guards are.

use std::sync::Arc;

use modeshift_dae::{IndexVec, RelationId, VariableId};
use modeshift_numerics::Input;

use super::{KnownMode, Repeated, Work};
use crate::integrate::{FieldBuilder, Reached, WatchedArc, Wave};
use crate::program::{AffineMode, AffineRow};
use crate::run::Machinery;
use crate::run::exact_modes::fill;
use crate::run::modes::VisitedMode;
use crate::run::output::Output;
use crate::run::phase::integrate_until::PhaseSettings;
use crate::run::phase::schedule::are_due;
use crate::run::phase::zero_crossings::{Guard, TOGETHER};
use crate::run::prepare::Prepared;
use crate::run::values::{Side, copy_values as copy};

/// Rounds of what follows from time: stairs in relations and in stairs.
const MOST_ROUNDS: usize = 8;

/// A mode with its guards.
pub(super) struct ModeArc {
    affine: AffineMode,
    arc: WatchedArc,
    /// By guard: the relation.
    watched: Vec<RelationId>,
    /// Whether anything but constants drives it.
    pub has_waves: bool,
    /// Whether it is exact whatever was lost by rounding: other methods are not better for polynomials.
    is_polynomial: bool,
    pub states: Vec<f64>,
    sides: Vec<f64>,
    noises: Vec<f64>,
}

impl ModeArc {
    /// Reads a mode on a side; nothing where it or one of its guards is not affine, or is not to be solved exactly and not only
    /// passed through.
    pub fn new<'a>(
        machinery: &Machinery<'a>,
        mode: &VisitedMode<'a>,
        side: &Side<'a>,
        is_passed: bool,
    ) -> Option<Self> {
        let prepared = machinery.prepared;
        let program = mode.program.borrow();
        if program.has_choice() {
            return None;
        }
        let is_exact = mode.is_exact_at(side.time);
        let part = &prepared.discrete;
        let stairs = (0..part.stairs.len()).map(|stair| Guard::Edge(stair, false));
        if stairs.into_iter().any(|guard| !prepared.is_scheduled(guard, &side.discrete)) {
            return None;
        }
        let watched: Vec<RelationId> =
            part.atoms.ids().filter(|&atom| !prepared.is_scheduled(Guard::Atom(atom), &side.discrete)).collect();
        let sides: Vec<_> = watched.iter().map(|&atom| part.atoms[atom].watched).collect();
        let mut surroundings = machinery.visited.surroundings.borrow().clone();
        part.variables().for_each(|id| surroundings.set_variable(id, side.discrete[id]));
        let (affine, rows) = program.affine_with(&machinery.visited.programs, &surroundings, &sides).ok()?;
        let rows: Vec<AffineRow> = rows.into_iter().collect::<Option<_>>()?;
        if !affine.inputs.iter().all(|input| matches!(input, Input::Variable(_, 0))) {
            return None;
        }
        let mut builder = FieldBuilder::new(affine.states.len(), affine.inputs.len());
        fill(&mut builder, &affine);
        let rows: Vec<Vec<(u32, f64)>> = rows.iter().map(|row| columns(&mut builder, &affine, row)).collect();
        let field = builder.build();
        // Other methods are exact for polynomials too, and are chosen for them.
        if !is_exact && !is_passed && !field.is_polynomial() {
            return None;
        }
        let is_polynomial = field.is_polynomial();
        let has_waves = field.size() > 1 + affine.states.len() + affine.inputs.len();
        let count = rows.len();
        let arc = WatchedArc::new(Arc::new(field), rows);
        let states = Vec::with_capacity(affine.states.len());
        let (sides, noises) = (vec![0.0; count], vec![0.0; count]);
        Some(ModeArc { affine, arc, watched, has_waves, is_polynomial, states, sides, noises })
    }

    /// Begins on a side; whether it is one for this arc.
    pub fn begin(&mut self, side: &Side<'_>) -> bool {
        let value = |input: Input| match input {
            Input::Variable(id, _) => side.discrete[id],
            _ => f64::NAN,
        };
        if !self.affine.is_for_values(value) {
            return false;
        }
        side.mode.program.borrow().states_of(&side.jet, &mut self.states);
        self.arc.begin(side.time, &self.states, self.affine.inputs.iter().map(|&input| value(input)));
        true
    }

    /// The states where the arc is.
    pub fn end_states(&self) -> &[f64] {
        self.arc.states()
    }

    /// The inputs of the mode.
    pub fn inputs(&self) -> impl Iterator<Item = VariableId> + '_ {
        self.affine.inputs.iter().filter_map(|input| match *input {
            Input::Variable(id, _) => Some(id),
            _ => None,
        })
    }

    /// The slope of a relation where the arc is; nothing where it is not watched.
    pub fn slope(&mut self, atom: RelationId) -> Option<f64> {
        let guard = self.watched.binary_search(&atom).ok()?;
        Some(self.arc.slope(guard))
    }

    /// Tells rows at the points of the interval before an event, and up to a pause.
    pub fn tell_rows<'a>(
        &mut self,
        machinery: &Machinery<'a>,
        present: &Side<'a>,
        (event, pause): (f64, f64),
        output: &mut Output<'_>,
    ) {
        while let Some(point) = output.next_point_before(event).filter(|&point| point <= pause) {
            let Some(side) = self.side_at(machinery, present, point.max(present.time)) else { return };
            output.row(&side);
            output.pass_point();
        }
    }

    /// All values at a time before the next event.
    pub fn side_at<'a>(&mut self, machinery: &Machinery<'a>, present: &Side<'a>, time: f64) -> Option<Side<'a>> {
        machinery.visited.surround(present);
        if !self.begin(present) {
            return None;
        }
        self.sides.fill(0.0);
        if time > present.time && self.arc.advance(time, &self.sides, &self.noises, TOGETHER) != Reached::Limit {
            return None;
        }
        let mut side = present.clone();
        let surroundings = machinery.visited.surroundings.borrow();
        // It has values at both ends of the arc, and is affine.
        side.mode.program.borrow_mut().evaluate(time, self.arc.states(), &surroundings, &mut side.jet).ok()?;
        side.time = time;
        Some(side)
    }
}

/// A row in terms of the components of a field.
fn columns(builder: &mut FieldBuilder, affine: &AffineMode, row: &AffineRow) -> Vec<(u32, f64)> {
    let states = affine.states.len();
    let mut columns: Vec<(u32, f64)> = row.states.iter().map(|&(state, factor)| (state as u32, factor)).collect();
    columns.extend(row.by_inputs.iter().map(|&(input, factor)| ((states + 1 + input) as u32, factor)));
    for term in &row.terms {
        if term.is_constant() {
            columns.push((states as u32, term.cosine));
        } else {
            let wave = Wave { power: term.power, rate: term.rate, frequency: term.frequency };
            let column = builder.has_wave(wave);
            columns.extend([(column, term.cosine), (column + 1, term.sine)].into_iter().filter(|it| it.1 != 0.0));
        }
    }
    columns
}

/// Sets what follows from time in discrete values; what follows from time alone, where something does, is kept.
pub(super) fn follow_time(
    prepared: &Prepared,
    of_time: Option<&[VariableId]>,
    left: &Side<'_>,
    discrete: &mut IndexVec<VariableId, f64>,
    by_time: &mut Option<Vec<(VariableId, f64)>>,
) {
    let mut rounds = 0;
    while prepared.update_time(left.time, &left.discrete, discrete) && rounds < MOST_ROUNDS {
        rounds += 1;
    }
    let Some(of_time) = of_time.filter(|_| rounds < MOST_ROUNDS) else {
        *by_time = None;
        return;
    };
    let values = by_time.get_or_insert_default();
    values.clear();
    values.extend(of_time.iter().map(|&id| (id, discrete[id])));
}

/// A side like another one, in the memory that is there.
pub(super) fn like<'s, 'a>(place: &'s mut Option<Side<'a>>, other: &Side<'a>) -> &'s mut Side<'a> {
    let side = place.get_or_insert_with(|| other.clone());
    side.become_like(other);
    side
}

impl<'a> Repeated<'a> {
    /// Makes the arc of a mode that was entered before, if it has one; whether it has.
    pub(super) fn prepare_arc(
        &mut self,
        machinery: &Machinery<'a>,
        settings: &PhaseSettings,
        number: usize,
        present: &Side<'a>,
    ) -> bool {
        let KnownMode { mode, arc, has_no_arc, visits, .. } = &mut self.modes[number];
        if arc.is_none() && !*has_no_arc && *visits > 1 && mode.affine.borrow().is_some() {
            *arc = ModeArc::new(machinery, mode, present, false);
            *has_no_arc = arc.is_none();
        }
        if arc.as_ref().is_some_and(|it| !it.is_polynomial && !mode.is_exact_at(present.time)) {
            (*arc, *has_no_arc) = (None, true);
        }
        arc.is_some() && settings.stop.is_finite()
    }

    /// Follows the arc from a side to its next event: its time. The left side, what fired and the kind of the event are in `work`.
    pub(super) fn follow_arc(
        &mut self,
        machinery: &mut Machinery<'a>,
        settings: &PhaseSettings,
        number: usize,
        present: &Side<'a>,
    ) -> Option<f64> {
        let Repeated { kinds, modes, work, of_time, .. } = self;
        let Machinery { prepared, visited, memory } = machinery;
        let due = prepared.next_time(present.time, &present.discrete, &memory.samplings);
        let KnownMode { arc, .. } = &mut modes[number];
        let arc = arc.as_mut()?;
        if !arc.begin(present) {
            return None;
        }
        let part = &prepared.discrete;
        for (guard, &atom) in arc.watched.iter().enumerate() {
            let it = &part.atoms[atom];
            arc.sides[guard] = it.side(present.discrete[it.variable] != 0.0);
            let size = memory.scales[atom].max(arc.arc.size(guard));
            arc.noises[guard] = (prepared.noise.relative * size).max(memory.least(prepared, atom));
        }
        let limit = due.min(settings.stop);
        let Work { left, kind, proposal, by_time, fired, .. } = work;
        fired.atoms.clear();
        fired.samples.clear();
        let reached = match arc.arc.leap(limit) {
            true => Reached::Limit,
            false => arc.arc.advance(limit, &arc.sides, &arc.noises, TOGETHER),
        };
        let time = match reached {
            Reached::Unclear => return None,
            Reached::Limit if due >= settings.stop => return None,
            Reached::Limit => due,
            Reached::Crossing(time) => {
                fired.atoms.extend(arc.arc.crossed.iter().map(|&guard| arc.watched[guard]));
                time
            }
        };
        let left = like(left, present);
        let surroundings = visited.surroundings.borrow();
        let mut program = left.mode.program.borrow_mut();
        program.evaluate(time, arc.arc.states(), &surroundings, &mut left.jet).ok()?;
        drop(program);
        left.time = time;
        are_due(&memory.samplings, time, &mut fired.samples);
        copy(&left.discrete, proposal);
        for &atom in &fired.atoms {
            let variable = part.atoms[atom].variable;
            proposal[variable] = 1.0 - proposal[variable];
        }
        follow_time(prepared, of_time.as_deref(), left, proposal, by_time);
        kinds.describe((&left.discrete, proposal), fired, kind);
        Some(time)
    }
}

//! The timetable of a run: relations between fixed functions of time, such as `time >= t1`.
//!
//! The truth of such a relation changes once, at a time that is known from the beginning. A model may have many of them,
//! and every event asks all of them, so asking is one comparison.

use crate::run::phase::time_events::{Affine, meeting};
use crate::run::prepare::relations::{Atom, Moment};

/// Rounding errors of values that are affine in time, relative to their terms.
pub(crate) const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// All relations on time of a model.
pub(crate) struct Timetable {
    /// Those between fixed functions of time.
    fixed: Vec<Entry>,
    /// Those whose functions depend on discrete values.
    pub others: Vec<usize>,
}

/// A relation between fixed functions of time.
struct Entry {
    atom: usize,
    sides: [Affine; 2],
    /// When the sides meet; infinity where they never do.
    meeting: f64,
    /// How near to the meeting rounding decides: so far, and so far in shares of the time.
    doubt: [f64; 2],
    /// Its truth before and after the meeting.
    truths: [bool; 2],
}

impl Timetable {
    /// Lists the relations; `sides` are those that are fixed functions of time.
    pub fn new(atoms: &[Atom], sides: &[Option<[Affine; 2]>]) -> Self {
        let on_time = || atoms.iter().enumerate().filter(|(_, atom)| atom.moment == Moment::Time);
        let fixed = on_time().filter_map(|(number, atom)| Some(Entry::new(number, atom, sides[number]?)));
        let others = on_time().map(|(number, _)| number).filter(|&number| sides[number].is_none());
        Timetable { fixed: fixed.collect(), others: others.collect() }
    }

    /// The relations between fixed functions with their truths right after a time.
    pub fn truths<'t>(&'t self, atoms: &'t [Atom], time: f64) -> impl Iterator<Item = (&'t Atom, bool)> + 't {
        self.fixed.iter().map(move |entry| {
            let atom = &atoms[entry.atom];
            (atom, entry.truth_right_after(atom, time))
        })
    }

    /// The first meeting after a time.
    pub fn next_after(&self, time: f64) -> f64 {
        let later = self.fixed.iter().map(|entry| entry.meeting).filter(|&meeting| meeting > time);
        later.fold(f64::INFINITY, f64::min)
    }
}

impl Entry {
    fn new(atom: usize, relation: &Atom, sides: [Affine; 2]) -> Self {
        let [left, right] = sides;
        let slope = (left.slope - right.slope).abs();
        let rises = left.slope > right.slope;
        match meeting(left, right) {
            Some(meeting) => {
                let doubt = [left.constant.abs() + right.constant.abs(), left.slope.abs() + right.slope.abs()];
                let doubt = doubt.map(|size| 2.0 * ROUNDING * size / slope);
                let after = rises == relation.holds_above();
                Entry { atom, sides, meeting, doubt, truths: [!after, after] }
            }
            None => {
                let truth = truth_right_after(relation, left, right, 0.0);
                Entry { atom, sides, meeting: f64::INFINITY, doubt: [0.0; 2], truths: [truth; 2] }
            }
        }
    }

    fn truth_right_after(&self, atom: &Atom, time: f64) -> bool {
        let [left, right] = self.sides;
        let distance = time - self.meeting;
        if distance.abs() > self.doubt[0] + self.doubt[1] * time.abs() {
            let truth = self.truths[usize::from(distance > 0.0)];
            debug_assert_eq!(truth, truth_right_after(atom, left, right, time), "far from a meeting its side decides");
            return truth;
        }
        truth_right_after(atom, left, right, time)
    }
}

/// Whether a relation between functions of time holds right after a time.
pub(crate) fn truth_right_after(atom: &Atom, left: Affine, right: Affine, time: f64) -> bool {
    let difference = left.at(time) - right.at(time);
    let slope = left.slope - right.slope;
    let size = (left.slope * time).abs() + left.constant.abs() + (right.slope * time).abs() + right.constant.abs();
    if difference.abs() > ROUNDING * size {
        return (difference > 0.0) == atom.holds_above();
    }
    match slope {
        0.0 => atom.holds_at_zero(),
        _ => (slope > 0.0) == atom.holds_above(),
    }
}

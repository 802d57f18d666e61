//! Line 15 of Algorithm 5: the latent equations of what is enabled.
//!
//! The Σ-method says how often the equations of a mode are shifted for a consistent start, and these shifts are added first.
//! In the midst of a change that need not be enough: an equation that line 13 has shifted may give a value to a variable
//! beyond the leading one, and what lies between is then determined by shifts that a start does not ask for. So line 15 asks
//! again, for the variables that have no value: all equations are shifted once more, and once more, until these variables are
//! determined; of the shifts those are added that the variables need. Which these are is a choice where several sets of shifts
//! give the same variables values.

use std::collections::BTreeSet;

use crate::bipartite::Bipartite;
use crate::domain::{Body, Shifted, Unknown};
use crate::micro_step::{AddEquations, Choices, Instant, MicroStep};
use crate::sigma::Offsets;
use crate::status::Status;

/// More sets of latent equations than this are not looked at for one micro-step.
pub(crate) const MOST_SETS: usize = 64;

impl Instant<'_> {
    /// Shifts of enabled equations, as often as the offsets of the mode say.
    pub(crate) fn latent_equations(&self, status: &Status) -> Vec<Vec<MicroStep>> {
        let Some(offsets) = status.mode().and_then(|mode| self.offsets[mode].as_ref()) else { return Vec::new() };
        let held_before = |body: Body| self.context.iter().any(|equation| equation.of == body);
        let is_asked =
            |body: Body| !self.is_fired(status) || self.shifts_in_instants || self.lasts(status) || held_before(body);
        let shifts = offsets.equations.iter().filter(|(body, _)| is_asked(**body));
        let shifts = shifts.flat_map(|(&body, &offset)| (1..=offset).map(move |shift| Shifted::new(body, shift)));
        let equations: Vec<Shifted<Body>> = shifts.filter(|it| !status.equations.contains_key(it)).collect();
        if equations.is_empty() { Vec::new() } else { vec![vec![MicroStep::Latent(AddEquations { equations })]] }
    }

    /// The variables of enabled equations that have no value.
    pub(crate) fn open_variables(&self, status: &Status) -> BTreeSet<Shifted<Unknown>> {
        status.enabled_undefined(self.system).flat_map(|it| status.undefined_in(self.system, it)).collect()
    }

    /// Shifts beyond the offsets of the mode, where they give values to all that has none. What holds for an instant
    /// only is not shifted.
    pub(crate) fn further_equations(&self, status: &Status) -> Vec<Vec<MicroStep>> {
        let Some(offsets) = status.mode().and_then(|mode| self.offsets[mode].as_ref()) else { return Vec::new() };
        if self.is_fired(status) && !self.lasts(status) {
            return Vec::new();
        }
        let sets = (1..=self.bound).map(|further| self.determining_sets(status, offsets, further));
        let sets = sets.into_iter().find(|sets| !sets.is_empty()).unwrap_or_default();
        sets.into_iter().map(|equations| vec![MicroStep::Latent(AddEquations { equations })]).collect()
    }

    /// The first set of shifts that determines all open variables, or every one: where a set does, others do without one of its
    /// shifts. No more than [`MOST_SETS`].
    fn determining_sets(&self, status: &Status, offsets: &Offsets, further: u32) -> Vec<Vec<Shifted<Body>>> {
        let mut found: Vec<Vec<Shifted<Body>>> = Vec::new();
        let mut pending: Vec<BTreeSet<Shifted<Body>>> = vec![BTreeSet::new()];
        while let Some(without) = pending.pop() {
            let equations = self.determining(status, offsets, further, &without);
            let Some(equations) = equations.filter(|it| !found.contains(it) && found.len() < MOST_SETS) else {
                continue;
            };
            if self.choices == Choices::All {
                let fewer = |it: &Shifted<Body>| without.iter().copied().chain([*it]).collect();
                pending.extend(equations.iter().map(fewer));
            }
            found.push(equations);
        }
        found
    }

    /// The shifts that determine all open variables, where all equations are shifted so often more than by the offsets;
    /// nothing where they do not. Some shifts are not to be among them.
    fn determining(
        &self,
        status: &Status,
        offsets: &Offsets,
        further: u32,
        without: &BTreeSet<Shifted<Body>>,
    ) -> Option<Vec<Shifted<Body>>> {
        let shifts = |(&body, &offset): (&Body, &u32)| {
            (offset + 1..=(offset + further).min(self.bound)).map(move |shift| Shifted::new(body, shift))
        };
        let is_new = |it: &Shifted<Body>| !status.equations.contains_key(it) && !without.contains(it);
        let more = offsets.equations.iter().flat_map(shifts).filter(is_new);
        let mut rows: Vec<Shifted<Body>> = status.enabled_undefined(self.system).collect();
        let present = rows.len();
        rows.extend(more);
        let columns: BTreeSet<Shifted<Unknown>> =
            rows.iter().flat_map(|&it| status.undefined_in(self.system, it)).collect();
        let columns: Vec<Shifted<Unknown>> = columns.into_iter().collect();
        let place = |variable: Shifted<Unknown>| columns.binary_search(&variable).expect("an undefined variable");
        let row = |&it: &Shifted<Body>| status.undefined_in(self.system, it).map(place).collect();
        let graph = Bipartite { rows: rows.iter().map(row).collect(), columns: columns.len() };
        let needed = graph.rows_that_determine(self.open_variables(status).into_iter().map(place).collect())?;
        let needed: Vec<Shifted<Body>> =
            needed.into_iter().filter(|&row| row >= present).map(|row| rows[row]).collect();
        (!needed.is_empty()).then_some(needed)
    }
}

//! The vector fields of a sliding mode, and their combination along its surfaces.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{Derivative, RelationId, VariableId};
use modeshift_mode_changes::{DifferenceTape, Residuals};
use modeshift_numerics::small_dense::{Factors, Matrix};
use modeshift_structure::one_mode::{Column, Row};

use crate::program::{BlockFailure, NotBuilt, Programs, Surroundings};
use crate::run::instant::restart::jet_in;
use crate::run::phase::zero_crossings::Guard;
use crate::run::prepare::Prepared;
use crate::run::values::{Occasion, Side};

/// Newton's method along the fields: linear guards take one step, others few.
const MOST_PROJECTIONS: usize = 12;
/// States that move by less are on the surface, relative to their size.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Sums that are smaller, relative to their terms, have cancelled: rounding of fields and of the shares, which a small system is solved for.
const CANCELLED: f64 = 64.0 * f64::EPSILON;

/// One vector field: a mode with its discrete values.
pub(crate) struct Field<'a> {
    /// The mode, its discrete values, and the values when it was found.
    pub side: Side<'a>,
    surroundings: Surroundings,
    /// By state of the field: its number among the states of the first field.
    order: RefCell<Vec<usize>>,
}

/// A sliding mode.
pub(crate) struct Sliding<'a> {
    prepared: &'a Prepared,
    /// The relations at whose surfaces it stays, ascending.
    pub atoms: Vec<RelationId>,
    series: Vec<Arc<DifferenceTape>>,
    /// With all relations as they are written at zero; then one for each relation, with this turned.
    pub fields: Vec<Field<'a>>,
    /// The sign of the determinant of the slopes by shares where the mode was entered: where it changes, the surface does not
    /// attract any more.
    orientation: Cell<f64>,
}

/// A point of a sliding mode.
#[derive(Clone)]
pub(crate) struct Slide<'a> {
    pub system: Rc<Sliding<'a>>,
    /// By relation: how much of the field with it turned there is.
    pub shares: Vec<f64>,
    /// The jets of all fields.
    pub jets: Vec<Vec<f64>>,
}

/// Why there are no values.
pub(crate) enum NoFlow {
    /// A block of equations has no solution.
    Block(Box<BlockFailure>),
    /// The guards do not depend on the sides any more, or their derivatives have no values.
    NotTransversal,
    /// The surface is not found.
    OffSurface,
}

/// Why fields cannot be combined.
pub(crate) enum NotAlike {
    NotBuilt(NotBuilt),
    /// One has this state, another has not.
    States(Derivative<VariableId>),
}

/// The fields at a point: values of guards, and their slopes by field.
pub(crate) struct Slopes {
    pub values: Vec<Vec<f64>>,
    pub slopes: Vec<Vec<f64>>,
}

impl Slopes {
    /// How the slope of each guard changes by each share.
    pub fn change(&self) -> Vec<Vec<f64>> {
        let guards = 0..self.slopes[0].len();
        let change = |guard: usize| self.slopes[1..].iter().map(|own| own[guard] - self.slopes[0][guard]).collect();
        guards.map(change).collect()
    }

    fn factors(&self) -> Option<Factors<f64>> {
        let change = self.change();
        let mut matrix = Matrix::zero(change.len());
        for (row, own) in change.iter().enumerate() {
            own.iter().enumerate().for_each(|(column, &value)| matrix.add(row, column, value));
        }
        Factors::new(&matrix)
    }

    /// The shares with which no guard moves, where the sides differ.
    fn shares(&self) -> Option<Vec<f64>> {
        let opposite: Vec<f64> = self.slopes[0].iter().map(|slope| -slope).collect();
        let shares = self.factors()?.solve(&opposite);
        shares.iter().all(|share| share.is_finite()).then_some(shares)
    }
}

impl<'a> Sliding<'a> {
    /// The mode of these relations with these fields; `surroundings` of each.
    pub fn new(
        prepared: &'a Prepared,
        (atoms, series): (Vec<RelationId>, Vec<Arc<DifferenceTape>>),
        fields: Vec<(Side<'a>, Surroundings)>,
    ) -> Self {
        assert_eq!(fields.len(), atoms.len() + 1, "one field for each relation, and one before");
        let field = |(side, surroundings)| Field { side, surroundings, order: RefCell::default() };
        let fields = fields.into_iter().map(field).collect();
        Sliding { prepared, atoms, series, fields, orientation: Cell::new(0.0) }
    }

    /// Chooses the states of all fields at jets: the same ones.
    pub fn choose_states(&self, programs: &mut Programs<'_>, time: f64, jets: &[Vec<f64>]) -> Result<(), NotAlike> {
        for (field, jet) in self.fields.iter().zip(jets) {
            let mode = &field.side.mode;
            mode.choose_states(programs, time, jet, &field.surroundings).map_err(NotAlike::NotBuilt)?;
        }
        let first = self.states();
        for field in &self.fields {
            let own: Vec<Derivative<VariableId>> = field.side.mode.program.borrow().state_quantities().collect();
            let place = |state: &Derivative<VariableId>| first.iter().position(|it| it == state);
            if let Some(&missing) = own.iter().find(|state| place(state).is_none()) {
                return Err(NotAlike::States(missing));
            }
            if let Some(&missing) = first.iter().find(|state| !own.contains(state)) {
                return Err(NotAlike::States(missing));
            }
            *field.order.borrow_mut() = own.iter().filter_map(place).collect();
        }
        Ok(())
    }

    /// The states.
    pub fn states(&self) -> Vec<Derivative<VariableId>> {
        self.fields[0].side.mode.program.borrow().state_quantities().collect()
    }

    /// Evaluates all fields at a point, which need not be on the surface. The jets hold guesses on entry.
    pub fn slopes(&self, time: f64, states: &[f64], jets: &mut [Vec<f64>]) -> Result<Slopes, NoFlow> {
        let (mut values, mut slopes) = (Vec::new(), Vec::new());
        for (field, jet) in self.fields.iter().zip(jets) {
            let own: Vec<f64> = field.order.borrow().iter().map(|&at| states[at]).collect();
            let mut program = field.side.mode.program.borrow_mut();
            program.evaluate(time, &own, &field.surroundings, jet).map_err(NoFlow::Block)?;
            drop(program);
            let series = self.guards(field, time, jet).ok_or(NoFlow::NotTransversal)?;
            values.push(series.iter().map(|it| it[0]).collect());
            slopes.push(series.iter().map(|it| it[1]).collect());
        }
        Ok(Slopes { values, slopes })
    }

    /// The second derivatives of all guards, by field; nothing where they cannot be computed.
    pub fn second_slopes(&self, time: f64, jets: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
        let of_field = |(field, jet): (&Field<'a>, &Vec<f64>)| {
            let series = self.guard_series(field, time, jet, 2)?;
            Some(series.iter().map(|it| it[2]).collect())
        };
        self.fields.iter().zip(jets).map(of_field).collect()
    }

    /// The values and slopes of all guards along a field.
    fn guards(&self, field: &Field<'a>, time: f64, jet: &[f64]) -> Option<Vec<[f64; 2]>> {
        let series = self.guard_series(field, time, jet, 1)?;
        Some(series.iter().map(|it| [it[0], it[1]]).collect())
    }

    /// All guards along a field, with so many derivatives.
    fn guard_series(&self, field: &Field<'a>, time: f64, jet: &[f64], count: u32) -> Option<Vec<Vec<f64>>> {
        let Side { mode, discrete, .. } = &field.side;
        let known = self.prepared.known(&field.side, discrete, Occasion::default(), &[]);
        let mut along = jet_in(mode, time, jet);
        let read = self.series.iter().flat_map(|guard| guard.unknowns());
        let unknown = read.filter_map(|it| {
            let column = mode.structure.column(it.of)?;
            (!along.knows(column, it.order + count)).then_some(column)
        });
        let unknown: Vec<Column> = unknown.collect();
        if !unknown.is_empty() {
            along.extend_towards(&unknown, count, &mode.structure, &mode.equations.at(&known)).ok()?;
        }
        let series = self.series.iter().map(|guard| {
            let terms = guard.at(&mode.structure, &known).residual(Row(0), &along, count);
            terms.iter().all(|term| term.is_finite()).then_some(terms)
        });
        series.collect()
    }

    /// The derivative of a state along each field.
    pub fn derivatives(&self, state: Derivative<VariableId>, jets: &[Vec<f64>]) -> Vec<f64> {
        let value = |(field, jet): (&Field<'a>, &Vec<f64>)| {
            let place = field.side.mode.quantities.index(state.of, state.order + 1);
            place.map_or(f64::NAN, |place| jet[place.index()])
        };
        self.fields.iter().zip(jets).map(value).collect()
    }

    /// The shares with which no guard moves. Where all fields are the same and leave the guards where they are, as the flow between two
    /// tanks is nothing from either side once their levels are equal, any shares do.
    pub fn shares(&self, slopes: &Slopes, jets: &[Vec<f64>]) -> Option<Vec<f64>> {
        slopes.shares().or_else(|| self.is_at_rest(slopes, jets).then(|| vec![0.5; self.atoms.len()]))
    }

    /// Whether no field moves a guard, and all move the states alike.
    fn is_at_rest(&self, slopes: &Slopes, jets: &[Vec<f64>]) -> bool {
        let is_alike = |state: Derivative<VariableId>| {
            let along = self.derivatives(state, jets);
            along.iter().all(|&it| it == along[0])
        };
        slopes.slopes.iter().flatten().all(|&slope| slope == 0.0) && self.states().into_iter().all(is_alike)
    }

    /// The derivatives of the states along the surface.
    pub fn derivative(&self, shares: &[f64], jets: &[Vec<f64>], derivative: &mut [f64]) {
        for (place, state) in derivative.iter_mut().zip(self.states()) {
            *place = combined(&self.derivatives(state, jets), shares);
        }
    }

    /// What rounding makes of the derivatives of the states along the surface: nothing where all fields have the same.
    pub fn roundings(&self, shares: &[f64], jets: &[Vec<f64>]) -> Vec<f64> {
        let of_combination = |state: Derivative<VariableId>| {
            let values = self.derivatives(state, jets);
            let terms = shares.iter().zip(&values[1..]).map(|(share, value)| (share * (value - values[0])).abs());
            let size: f64 = terms.sum();
            if size > 0.0 { CANCELLED * (size + values[0].abs()) } else { 0.0 }
        };
        self.states().into_iter().map(of_combination).collect()
    }

    /// The nearest point of the surface, along the fields, with all values there.
    pub fn point(
        self: &Rc<Self>,
        time: f64,
        states: &mut [f64],
        mut jets: Vec<Vec<f64>>,
    ) -> Result<(Slide<'a>, Vec<f64>), NoFlow> {
        let names = self.states();
        // What is moved to zero is there up to the rounding of where it was.
        let sizes: Vec<f64> = states.iter().map(|state| state.abs()).collect();
        for _ in 0..MOST_PROJECTIONS {
            let slopes = self.slopes(time, states, &mut jets)?;
            let shares = self.shares(&slopes, &jets).ok_or(NoFlow::NotTransversal)?;
            let at_rest = self.is_at_rest(&slopes, &jets);
            let back = match slopes.factors() {
                Some(factors) => factors.solve(&slopes.values[0]),
                None if at_rest => vec![0.0; shares.len()],
                None => return Err(NoFlow::NotTransversal),
            };
            let mut is_there = true;
            for ((state, name), before) in states.iter_mut().zip(&names).zip(&sizes) {
                let along = self.derivatives(*name, &jets);
                let moved = *state - back.iter().zip(&along[1..]).map(|(by, it)| by * (it - along[0])).sum::<f64>();
                let size = state.abs().max(*before).max(self.prepared.declared_nominal(name.of) * f64::EPSILON);
                is_there &= (moved - *state).abs() <= ROUNDING * size;
                *state = if moved.abs() <= ROUNDING * before { 0.0 } else { moved };
            }
            if is_there {
                if !at_rest {
                    self.check_orientation(&slopes)?;
                }
                let jet = self.combined_jet(&shares, &jets);
                return Ok((Slide { system: self.clone(), shares, jets }, jet));
            }
        }
        Err(NoFlow::OffSurface)
    }

    /// Whether the surfaces still attract as they did at the first point.
    fn check_orientation(&self, slopes: &Slopes) -> Result<(), NoFlow> {
        let (before, now) = (self.orientation.get(), sign_of_determinant(slopes.change()));
        self.orientation.set(if before == 0.0 { now } else { before });
        if now != 0.0 && now == self.orientation.get() { Ok(()) } else { Err(NoFlow::NotTransversal) }
    }

    /// All values of the first field's mode, combined; what a field does not have is not a number.
    fn combined_jet(&self, shares: &[f64], jets: &[Vec<f64>]) -> Vec<f64> {
        let quantities = self.fields[0].side.mode.quantities.list();
        let value = |&Derivative { of, order }: &Derivative<VariableId>| {
            let own = self.fields.iter().zip(jets).map(|(field, jet)| {
                let place = field.side.mode.quantities.index(of, order);
                place.map_or(f64::NAN, |place| jet[place.index()])
            });
            combined(&own.collect::<Vec<_>>(), shares)
        };
        quantities.iter().map(value).collect()
    }
}

impl<'a> Slide<'a> {
    /// The sides of all fields at this point.
    pub fn sides(&self, time: f64) -> impl Iterator<Item = Side<'a>> {
        self.system.fields.iter().zip(&self.jets).map(move |(field, jet)| Side {
            time,
            jet: jet.clone(),
            ..field.side.clone()
        })
    }

    /// What rounding makes of the slopes of states in steps of this length, where it is all that errors of this share of them see; those
    /// that begin to move from nothing are known to no more. First of combinations, then what that makes of others.
    pub fn slope_noises(&self, time: f64, states: &[f64], step: f64, relative: f64) -> Option<Vec<f64>> {
        let mut noises = self.system.roundings(&self.shares, &self.jets);
        let is_seen = |(state, noise): (&f64, &f64)| step * noise > relative * state.abs();
        if !states.iter().zip(&noises).any(is_seen) {
            return None;
        }
        let (mut jets, size) = (self.jets.clone(), states.len());
        let mut slopes_at = |states: &[f64]| {
            let slopes = self.system.slopes(time, states, &mut jets).ok()?;
            let shares = self.system.shares(&slopes, &jets)?;
            let mut slopes = vec![0.0; size];
            self.system.derivative(&shares, &jets, &mut slopes);
            Some(slopes)
        };
        let here = slopes_at(states)?;
        let moved: Vec<f64> = states.iter().zip(&noises).map(|(state, noise)| state + step * noise).collect();
        let there = slopes_at(&moved)?;
        noises.iter_mut().zip(here.iter().zip(&there)).for_each(|(noise, (here, there))| {
            *noise = noise.max((there - here).abs());
        });
        Some(noises)
    }

    /// Whether a guard stays at zero.
    pub fn stays_at(&self, guard: Guard) -> bool {
        matches!(guard, Guard::Atom(atom) if self.surface(atom).is_some())
    }

    /// The number of a relation among the surfaces.
    pub fn surface(&self, atom: RelationId) -> Option<usize> {
        self.system.atoms.binary_search(&self.system.prepared.discrete.surface(atom)).ok()
    }
}

/// The sign of a determinant, by elimination with the largest pivots.
fn sign_of_determinant(mut matrix: Vec<Vec<f64>>) -> f64 {
    let (size, mut sign) = (matrix.len(), 1.0);
    for column in 0..size {
        let largest = (column..size).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()));
        let Some(pivot) = largest.filter(|&row| matrix[row][column] != 0.0) else { return 0.0 };
        if pivot != column {
            matrix.swap(pivot, column);
            sign = -sign;
        }
        sign *= matrix[column][column].signum();
        let (done, rest) = matrix.split_at_mut(column + 1);
        let own = &done[column];
        for row in rest {
            let factor = row[column] / own[column];
            row.iter_mut().zip(own).for_each(|(value, own)| *value -= factor * own);
        }
    }
    sign
}

/// `v₀ + Σ λ_j (v_j - v₀)`, exactly `v₀` where all are the same. What is left of terms that cancel, as of the slope of a guard that does
/// not move, is zero: a state that rests would take rounding for its motion.
fn combined(values: &[f64], shares: &[f64]) -> f64 {
    let terms = shares.iter().zip(&values[1..]).map(|(share, value)| share * (value - values[0]));
    let (sum, size) = terms.fold((values[0], values[0].abs()), |(sum, size), term| (sum + term, size + term.abs()));
    if sum.abs() <= CANCELLED * size { 0.0 } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn determinants_have_signs() {
        assert_eq!(sign_of_determinant(vec![vec![0.0, 1.0], vec![1.0, 0.0]]), -1.0);
        assert_eq!(sign_of_determinant(vec![vec![2.0, 1.0], vec![1.0, 1.0]]), 1.0);
        assert_eq!(sign_of_determinant(vec![vec![2.0, 1.0], vec![4.0, 2.0]]), 0.0);
    }
}

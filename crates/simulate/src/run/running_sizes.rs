//! How large the terms are that a guard near zero is made of: running error analysis of guards.
//!
//! The voltage over a diode that has a capacitor beside it is the difference of two potentials. Where it is zero for ever,
//! what a run sees of it is their rounding, and the guard itself does not tell how large that is: `s > 0` has the size
//! of `s`, which is that of the rounding. So what a guard reads is followed through the equations that are solved for it, a few
//! levels down, and the size of a guard is that of the largest sum of terms on the way: `Σ |∂g/∂x| |x|` with the values
//! in between among the `x`, since each of them is rounded.
//!
//! What a guard is made of in a mode is found once; its size is then a sum of a few products. Only guards are measured that
//! are far smaller than the largest value of the mode: others are no noise, whatever they are made of.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::OnceLock;

use modeshift_dae::{Derivative, Id, IndexVec, RelationId, VariableId};
use modeshift_mode_changes::DifferenceTape;
use modeshift_numerics::Input;
use modeshift_structure::one_mode::{Column, Row};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::run::prepare::Prepared;
use crate::run::values::Side;

/// Guards that are larger than this, relative to the largest value of a mode, are more than rounding: what is made of
/// values has roundings of 1e-16 of them, and the rest is for what a few equations amplify.
const SUSPICIOUS: f64 = 1e-8;
/// What is larger than this, relative to the largest value, is more than rounding wherever it comes from: four digits are for what
/// equations amplify.
pub(crate) const ROUNDED: f64 = 1e-12;
/// A value is rounded by this, relative to the terms that it is made of: a few units in the last place each.
pub(crate) const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// So many equations are followed. Further away there are other voltages of the same circuit, of the same size.
const LEVELS: usize = 6;
/// So many terms are looked at: a guard on a sum over ten thousand elements has been measured by a part of them.
const MOST_TERMS: usize = 256;

/// Places in the jet of a mode, with the weights with which their values enter.
type Terms = Rc<[(usize, f64)]>;

/// By guard, what it and its slope are made of in a mode; by state, what its slope is made of.
#[derive(Default)]
pub(crate) struct Ingredients {
    /// By number; asked for after every step.
    guards: RefCell<Vec<Option<Terms>>>,
    guard_slopes: RefCell<FxHashMap<RelationId, Terms>>,
    quantities: RefCell<FxHashMap<Derivative<VariableId>, Terms>>,
    /// By place of the state in the jet; asked for after every step, of all states that are at rest.
    slopes: RefCell<Vec<Option<SlopeTerms>>>,
}

/// The way through equations that are solved together. They are not solved one for the other: of a bridge of resistances of 1e-8, each current
/// is a difference of voltages over one of them, however many are met on the way round, and rounding that one equation magnifies is not
/// magnified again by the next.
#[derive(Clone, Copy)]
struct Within {
    block: Option<usize>,
    /// The weight of the quantity by which the block was entered.
    entry: f64,
    /// The largest factor on the way since.
    factor: f64,
}

impl Within {
    /// No block, with a weight.
    fn nothing(weight: f64) -> Self {
        Within { block: None, entry: weight, factor: 1.0 }
    }

    /// A quantity of a block with its weight: another one begins anew.
    fn entering(self, block: Option<usize>, weight: f64) -> Self {
        if block.is_some() && block == self.block { self } else { Within { block, ..Within::nothing(weight) } }
    }

    /// On to a term of this share.
    fn through(self, share: f64) -> Self {
        Within { factor: self.factor.max(share), ..self }
    }

    /// A weight, not magnified more than once in the block.
    fn bounded(self, weight: f64) -> f64 {
        weight.min(self.entry * self.factor)
    }
}

/// What the slope of a state is made of.
struct SlopeTerms {
    terms: Terms,
    /// Whether the weights are the same at all values.
    is_constant: bool,
    /// How often it was asked for.
    uses: u32,
}

impl SlopeTerms {
    /// Whether the weights may be others by now: they are found again after twice as many uses each time.
    fn is_old(&mut self) -> bool {
        self.uses = self.uses.saturating_add(1);
        !self.is_constant && self.uses.is_power_of_two()
    }
}

/// The sides of guards, compiled when first needed: they are the same in all modes.
pub(crate) struct GuardTapes(IndexVec<RelationId, OnceLock<Option<DifferenceTape>>>);

impl GuardTapes {
    /// For so many guards.
    pub fn new(guards: usize) -> Self {
        GuardTapes((0..guards).map(|_| OnceLock::new()).collect())
    }
}

impl Prepared {
    fn guard_tape(&self, atom: RelationId) -> Option<&DifferenceTape> {
        let parameter = |input: Input| match input {
            Input::Variable(id, 0) => self.parameter(id),
            _ => None,
        };
        let sides = self.discrete.atoms[atom].sides;
        let made = || DifferenceTape::new(&self.dae.model, &self.natives, sides, &parameter).ok();
        self.guard_tapes.0[atom].get_or_init(made).as_ref()
    }
}

/// Makes the sizes of guards that are near zero those of what they are made of on a side. Sizes are in terms of what errors of
/// states make of a guard, which is more than rounding makes of it.
pub(crate) fn with_running_sizes<'v>(
    prepared: &Prepared,
    side: &Side<'_>,
    values: impl Iterator<Item = (RelationId, &'v mut (f64, f64))>,
) {
    let share = ROUNDING / prepared.noise.relative;
    let mut values = values.peekable();
    if values.peek().is_none() {
        return;
    }
    let largest = side.largest();
    for (atom, value) in values {
        if value.0.abs() <= SUSPICIOUS * largest {
            let size = side.size_by_terms(prepared, atom);
            value.1 = if size.is_finite() { value.1.max(share * size) } else { value.1 };
        }
    }
}

/// Each place once, with the sum of its weights.
fn united(mut terms: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    terms.sort_by_key(|&(place, _)| place);
    terms.dedup_by(|(place, weight), (known, sum)| {
        let is_same = place == known;
        *sum += if is_same { *weight } else { 0.0 };
        is_same
    });
    terms
}

/// What the restarts of an instant made of the resolution of time, by state.
///
/// A block that comes to rest on another one does so with a speed of 1e-15, since times cannot be told apart better; being stuck
/// shares that with the block below, whose speed was exactly zero. Where a restart makes no impulse and no law sets anything, such a
/// jump of a state is no more than that, and so is a guard that is made of it in the next micro-steps.
#[derive(Default)]
pub(crate) struct Carried(FxHashMap<Derivative<VariableId>, f64>);

/// A guard is noise up to a few times what it has been given by restarts.
const SHARES: f64 = 4.0;

impl Carried {
    /// Another instant.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// After a restart without impulses and laws.
    pub fn learn(&mut self, before: &Side<'_>, after: &Side<'_>) {
        // What jumps by more does so for a reason: a state that is entered again begins anew.
        let most = SUSPICIOUS * after.largest();
        for (place, &state) in after.mode.quantities.list().iter().enumerate() {
            if !(after.is_state(state) && before.is_state(state)) {
                continue;
            }
            let Some(was) = before.mode.quantities.index(state.of, state.order) else { continue };
            let jump = (after.jet[place] - before.jet[was.index()]).abs();
            if jump > 0.0 && jump <= most {
                let known = self.0.entry(state).or_default();
                *known = known.max(jump);
            }
        }
    }

    /// Makes the sizes of guards such that what they are made of these jumps is noise.
    pub fn enlarge<'v>(
        &self,
        prepared: &Prepared,
        side: &Side<'_>,
        values: impl Iterator<Item = (RelationId, &'v mut (f64, f64))>,
    ) {
        if self.0.is_empty() {
            return;
        }
        let quantities = side.mode.quantities.list();
        for (atom, value) in values {
            let terms = side.ingredients(prepared, atom);
            let jump =
                |&(place, weight): &(usize, f64)| weight * self.0.get(&quantities[place]).copied().unwrap_or(0.0);
            let carried: f64 = SHARES * terms.iter().map(jump).sum::<f64>();
            if value.0.abs() <= carried && carried.is_finite() {
                value.1 = value.1.max(carried / prepared.noise.relative);
            }
        }
    }
}

impl Side<'_> {
    /// Whether a quantity is a state of the mode.
    pub(crate) fn is_state(&self, it: Derivative<VariableId>) -> bool {
        let structure = &self.mode.structure;
        structure.column(it.of).is_some_and(|column| structure.variable_offset(column) > it.order)
    }

    /// How large a guard is by the states that it is made of, with these sizes or as large as they are now.
    pub(crate) fn size_by_states(
        &self,
        prepared: &Prepared,
        atom: RelationId,
        size: impl Fn(Derivative<VariableId>) -> f64,
    ) -> f64 {
        let terms = self.ingredients(prepared, atom);
        let terms = terms.iter().map(|&(place, weight)| (self.mode.quantities.list()[place], place, weight));
        let of_states = terms.filter(|&(quantity, ..)| self.is_state(quantity));
        of_states.map(|(quantity, place, weight)| weight * size(quantity).max(self.jet[place].abs())).sum()
    }

    /// States that are smaller, and change by less in a step of this length, may be rounding of what their slopes are made of.
    pub(crate) fn least_change(&self, step: f64) -> f64 {
        SUSPICIOUS * step * self.largest()
    }

    /// What rounding makes of the slope of a state without a nominal value, and errors of the states that it is made of, which are
    /// these by their places.
    pub(crate) fn slope_noise(
        &self,
        prepared: &Prepared,
        state: Derivative<VariableId>,
        errors: &[f64],
    ) -> Option<f64> {
        if prepared.declared_nominal(state.of) > 0.0 {
            return None;
        }
        let own = self.mode.quantities.index(state.of, state.order)?.index();
        let terms = self.slope_terms(prepared, state, own);
        let noise = |&(place, weight): &(usize, f64)| {
            let of_states = if place == own { 0.0 } else { errors[place] };
            weight * (ROUNDING * self.jet[place].abs()).max(of_states)
        };
        let noise: f64 = terms.iter().map(noise).sum();
        noise.is_finite().then_some(noise)
    }

    /// What the slope of a state is made of, whose place is its own.
    fn slope_terms(&self, prepared: &Prepared, state: Derivative<VariableId>, own: usize) -> Terms {
        let mut known = self.mode.ingredients.slopes.borrow_mut();
        if known.len() <= own {
            known.resize_with(self.jet.len().max(own + 1), || None);
        }
        if let Some(it) = &mut known[own]
            && !it.is_old()
        {
            return it.terms.clone();
        }
        let slope = Derivative { of: state.of, order: state.order + 1 };
        let (made, is_constant) = self.followed_with_kind(prepared, vec![(slope, 1.0)]);
        let uses = known[own].as_ref().map_or(0, |it| it.uses);
        let terms: Terms = made.into();
        known[own] = Some(SlopeTerms { terms: terms.clone(), is_constant, uses });
        terms
    }

    /// How large the slope of a guard is by all that it is made of: blocks that turn round together are at rest, and how they move
    /// against each other from there on is the rounding of accelerations.
    pub(crate) fn slope_size(&self, prepared: &Prepared, atom: RelationId) -> f64 {
        let known = self.mode.ingredients.guard_slopes.borrow().get(&atom).cloned();
        let terms = known.unwrap_or_else(|| {
            let read = self.read_by(prepared, atom).into_iter();
            let slopes = read.map(|(it, weight)| (Derivative::new(it.of, it.order + 1), weight)).collect();
            let made: Terms = self.followed(prepared, slopes).into();
            self.mode.ingredients.guard_slopes.borrow_mut().insert(atom, made.clone());
            made
        });
        self.sum_of(&terms)
    }

    /// How large a quantity is by all that it is made of.
    pub(crate) fn size_of(&self, prepared: &Prepared, quantity: Derivative<VariableId>) -> f64 {
        let known = self.mode.ingredients.quantities.borrow().get(&quantity).cloned();
        let terms = known.unwrap_or_else(|| {
            let made: Terms = self.followed(prepared, vec![(quantity, 1.0)]).into();
            self.mode.ingredients.quantities.borrow_mut().insert(quantity, made.clone());
            made
        });
        self.sum_of(&terms)
    }

    /// The values at some places with their weights, where they are numbers.
    fn sum_of(&self, terms: &Terms) -> f64 {
        let size: f64 = terms.iter().map(|&(place, weight)| weight * self.jet[place].abs()).sum();
        if size.is_finite() { size } else { 0.0 }
    }

    /// The largest value of the mode.
    pub(crate) fn largest(&self) -> f64 {
        self.jet.iter().filter(|it| it.is_finite()).fold(0.0, |largest: f64, it| largest.max(it.abs()))
    }

    /// How large a guard is by all that it is made of.
    fn size_by_terms(&self, prepared: &Prepared, atom: RelationId) -> f64 {
        let size = |terms: &Terms| terms.iter().map(|&(place, weight)| weight * self.jet[place].abs()).sum();
        if let Some(Some(terms)) = self.mode.ingredients.guards.borrow().get(atom.index()) {
            return size(terms);
        }
        size(&self.ingredients(prepared, atom))
    }

    /// What rounding makes of a guard.
    pub(crate) fn rounding_of(&self, prepared: &Prepared, atom: RelationId) -> f64 {
        ROUNDING * self.size_by_terms(prepared, atom)
    }

    /// What a guard is made of in the mode of the side.
    fn ingredients(&self, prepared: &Prepared, atom: RelationId) -> Terms {
        let known = &self.mode.ingredients.guards;
        let found = known.borrow().get(atom.index()).cloned().flatten();
        found.unwrap_or_else(|| {
            let made: Terms = self.followed(prepared, self.read_by(prepared, atom)).into();
            let mut known = known.borrow_mut();
            if known.len() <= atom.index() {
                known.resize(prepared.discrete.atoms.len().max(atom.index() + 1), None);
            }
            known[atom.index()] = Some(made.clone());
            made
        })
    }

    /// What a guard reads, with the weights with which it enters.
    fn read_by(&self, prepared: &Prepared, atom: RelationId) -> Vec<(Derivative<VariableId>, f64)> {
        let Some(guard) = prepared.guard_tape(atom) else { return Vec::new() };
        let point = |input: Input| self.point(prepared, &self.discrete, input);
        guard.coefficients(point).map(|(it, weight)| (it, weight.abs())).collect()
    }

    /// What some quantities are made of, followed through the equations that are solved for them.
    fn followed(&self, prepared: &Prepared, from: Vec<(Derivative<VariableId>, f64)>) -> Vec<(usize, f64)> {
        self.followed_with_kind(prepared, from).0
    }

    /// The same, and whether it is the same at all values.
    fn followed_with_kind(
        &self,
        prepared: &Prepared,
        from: Vec<(Derivative<VariableId>, f64)>,
    ) -> (Vec<(usize, f64)>, bool) {
        let (mut terms, mut is_constant) = (Vec::new(), true);
        let mut seen: FxHashSet<VariableId> = FxHashSet::default();
        let mut pending: VecDeque<(Derivative<VariableId>, f64, usize, Within)> = VecDeque::new();
        pending.extend(from.into_iter().map(|(it, weight)| (it, weight, 0, Within::nothing(weight))));
        while let Some((it, weight, level, within)) = pending.pop_front() {
            if terms.len() >= MOST_TERMS {
                break;
            }
            if !(weight > 0.0 && weight.is_finite()) {
                continue;
            }
            // A derivative that the mode does not have is made of some that it has.
            terms.extend(self.mode.quantities.index(it.of, it.order).map(|place| (place.index(), weight)));
            if level < LEVELS && seen.insert(it.of) {
                let (of_solution, is_fixed) = self.solved_for(prepared, it);
                is_constant &= is_fixed;
                let within = within.entering(self.block_of(prepared, it), weight);
                let made_of = |(term, share): (Derivative<VariableId>, f64), level| {
                    let within = within.through(share);
                    (term, within.bounded(weight * share), level, within)
                };
                // What only hands a value on, as connections do, is no level: what it is made of is behind it.
                if let &[term] = &of_solution[..] {
                    pending.push_front(made_of(term, level));
                } else {
                    pending.extend(of_solution.into_iter().map(|term| made_of(term, level + 1)));
                }
            }
        }
        (united(terms), is_constant)
    }

    /// The terms of the equation that is solved for a quantity, relative to its own coefficient: of the equation as often
    /// differentiated as the quantity is. What is not linear is followed where it says what the quantity is, as the rotation of a phasor
    /// does; else it is not: near a place where it is flat, its coefficients say nothing of sizes. And whether they are the same at all
    /// values.
    fn solved_for(
        &self,
        prepared: &Prepared,
        it: Derivative<VariableId>,
    ) -> (Vec<(Derivative<VariableId>, f64)>, bool) {
        let structure = &self.mode.structure;
        let Some(column) = structure.column(it.of) else { return (Vec::new(), true) };
        let Some((row, times)) = self.row_solved_for(prepared, it, column) else { return (Vec::new(), true) };
        let tape = self.mode.equations.tape(row);
        if !(tape.is_linear() || times == 0) {
            return (Vec::new(), true);
        }
        let is_constant = tape.is_constant();
        let point = |input: Input| self.point(prepared, &self.discrete, input);
        let terms = tape.coefficients(point).map(|(term, value)| (Derivative::new(term.of, term.order + times), value));
        let terms: Vec<(Derivative<VariableId>, f64)> = terms.collect();
        let Some(&(_, own)) = terms.iter().find(|term| term.0 == it) else { return (Vec::new(), is_constant) };
        if !tape.is_linear() && own.abs() != 1.0 {
            return (Vec::new(), is_constant);
        }
        let others = terms.into_iter().filter(|term| term.0 != it);
        (others.map(|(term, value)| (term, (value / own).abs())).collect(), is_constant)
    }

    /// The block of the equation that is solved for a quantity.
    fn block_of(&self, prepared: &Prepared, it: Derivative<VariableId>) -> Option<usize> {
        let structure = &self.mode.structure;
        let (row, _) = self.row_solved_for(prepared, it, structure.column(it.of)?)?;
        Some(structure.block_of(row))
    }

    /// The equation that is solved for a quantity, and how often it is differentiated for that. Of what could be a state but is none, since
    /// a constraint ties it to those that are, it is such a constraint: a current that is the difference of another one and a source has the
    /// rounding of both.
    fn row_solved_for(&self, prepared: &Prepared, it: Derivative<VariableId>, column: Column) -> Option<(Row, u32)> {
        let structure = &self.mode.structure;
        // Before the start nothing holds: its equations are none of the model.
        let is_of_model = |row: Row| structure.equation(row).index() < prepared.dae.model.equations.len();
        let row = structure.matched_row(column);
        let times = (it.order + structure.equation_offset(row)).checked_sub(structure.variable_offset(column));
        if let Some(times) = times {
            return is_of_model(row).then_some((row, times));
        }
        let program = self.mode.program.borrow();
        if !program.has_states() || program.state_quantities().any(|state| state == it) {
            return None;
        }
        let mut constraints =
            structure.occurrences(column).iter().map(|&(row, order)| (row, it.order.checked_sub(order)));
        constraints.find_map(|(row, times)| {
            let is_hidden = |times: &u32| *times < structure.equation_offset(row) && is_of_model(row);
            Some((row, times.filter(is_hidden)?))
        })
    }
}

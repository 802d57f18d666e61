//! Restart values of a mode change: right limits of all variables and weights of all impulses.
//!
//! From left limits and the structure of the new mode, level by level, block by block, with the mode's own matching.
//! Hidden constraints hold at right limits; balances of Dirac weights are linear, with coefficients at left limits
//! and *carries* from higher levels. With `S[l]` the jump of the `l`-th derivative for `l >= 0` and `S[-r - 1]` the
//! weight of `δ^(r)`, the coefficient of `δ^(p)` in `f = 0` is
//!
//! ```text
//! Σ over partials a = ∂f/∂x^(k), Σ r >= p of (-1)^(r-p) binom(r, p) a^(r-p) S[k - 1 - r].
//! ```
//!
//! Whether there is an impulse at all is decided by the defects of new equations at left limits, not by the size of
//! weights: what is found above the level that a defect reaches is drift, projected away.
//!
//! E22 §8.2–8.3, equations (42), (55), (61), (71), for any index.

use modeshift_dae::{Derivative, IndexVec};

use modeshift_numerics::residual_newton::{self, Failure, Linearization, Wanted};
use modeshift_structure::one_mode::{Block, Column, Entry, ModeStructure, Row};

use super::balance::{Balance, Carries};
use super::impulse_order::{Defect, Potentials};
use super::laurent::laurent_restart;
use super::left_limits::remembered::Memory;
use super::left_limits::values::{LeftLimits, Past, complete};
use super::levels::{Condition, Unknown, condition, unknown};
use crate::one_mode::{Jet, Residuals, linearity};

/// What counts as zero, for all models alike; tied to the tolerances of integration and event location.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Relative error of values.
    pub relative: f64,
    /// The model's time scale, usually the step of integration; infinite where none is known.
    pub time_scale: f64,
    /// How exactly the instant of the event is known.
    pub event_time_error: f64,
    /// Values below this are zero however small the terms are that they are made of.
    pub floor: f64,
}

impl Default for Noise {
    /// For exact left limits: six digits above rounding, a time scale of hundredths of a second, and events located to the
    /// last digits. A run puts in its own tolerances.
    fn default() -> Self {
        Noise { relative: 1e-10, time_scale: 1e-2, event_time_error: 1e-12, floor: 1e-12 }
    }
}

impl Noise {
    /// The first of some derivatives, given with the size of the terms they are made of, that is not noise.
    pub fn first_significant(&self, derivatives: &[f64], size: f64) -> Option<usize> {
        (0..derivatives.len()).find(|&k| {
            let next = derivatives.get(k + 1).copied().filter(|value| value.is_finite()).unwrap_or(0.0);
            let rounding = self.relative * size / self.time_scale.powi(k as i32);
            derivatives[k].abs() > rounding + 2.0 * next.abs() * self.event_time_error
        })
    }
}

/// A sum of a few terms is known to so many roundings of them.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Something to say about a restart.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// A block of this level could not be solved.
    Unsolved {
        /// The level.
        level: i64,
        /// Its equations.
        rows: Vec<Row>,
        /// Why.
        failure: Failure,
    },
    /// Left limits that constraints of the new mode should give, but those could not be solved.
    Unborn(Vec<Derivative<Column>>),
    /// In this equation an impulsive quantity stands in a nonlinear function, or in a product with another one: there is
    /// no distribution behind it, and the weights found mean nothing.
    Meaningless {
        /// The equation.
        row: Row,
        /// The impulsive quantity.
        impulsive: Derivative<Column>,
    },
    /// The same in an equation that determines an output only: nothing else depends on the quantity, whose right limit is
    /// computed all the same, and whose weight is not defined.
    Undefined(Column),
    /// Because of a singular Jacobian, values were computed from one step instead, with this estimate of the error.
    ByStep(f64),
}

/// The result of a restart.
#[derive(Clone, Debug)]
pub struct Restart {
    /// Right limits: values and derivatives up to the leading orders.
    pub right: Jet,
    /// Weights of impulses: `weights[j][p]` belongs to `δ^(p)`, order `p + 1`.
    pub weights: IndexVec<Column, Vec<f64>>,
    /// Where missing left limits came from, and which constraints were erased.
    pub memory: Memory,
    /// New equations that the left limits do not satisfy.
    pub defects: Vec<Defect>,
    /// What went wrong.
    pub notes: Vec<Note>,
    /// Whether the change reaches a variable or one of its derivatives.
    reached: IndexVec<Column, bool>,
    /// Levels up to which jumps are real and not drift, by variable.
    impulsive: IndexVec<Column, Option<i64>>,
    leading_order: IndexVec<Column, u32>,
}

impl Restart {
    /// Whether the derivative of this order really jumps, so that the next derivative is impulsive; what else differs
    /// between left and right limits is drift.
    pub fn is_impulsive(&self, column: Column, order: u32) -> bool {
        let level = i64::from(self.leading_order[column]) - i64::from(order);
        level > 0 && self.impulsive[column].is_some_and(|potential| potential >= level)
    }

    /// Whether the change reaches a variable or one of its derivatives; all others go on as if nothing had happened.
    pub fn reaches(&self, column: Column) -> bool {
        self.reached[column]
    }

    /// Whether all values could be computed, if need be from a step.
    pub fn is_solved(&self) -> bool {
        let by_step = self.notes.iter().any(|note| matches!(note, Note::ByStep(_)));
        let has_meaning = !self.notes.iter().any(|note| matches!(note, Note::Meaningless { .. }));
        let is_whole = self.notes.iter().all(|note| matches!(note, Note::Undefined(_)));
        (is_whole || by_step) && has_meaning
    }

    /// Whether all values could be computed, if need be from a step, and nothing had to be guessed.
    pub fn is_determined(&self) -> bool {
        self.is_solved() && self.memory.undetermined().next().is_none()
    }
}

/// Restarts a mode after a change.
pub fn restart(structure: &ModeStructure, equations: &dyn Residuals, past: &Past, noise: &Noise) -> Restart {
    let memory = Memory::new(structure, &past.structure());
    let left = complete(structure, equations, past, &memory);
    let defects = defects(structure, equations, past, &left, noise);
    let fresh = past.is_new.iter_enumerated().filter(|(_, is_new)| **is_new).map(|(row, _)| Defect { row, first: 0 });
    let mut solver = Solver {
        structure,
        equations,
        past,
        left: &left,
        reached: Potentials::spread(structure, fresh),
        impulsive: Potentials::spread(structure, defects.iter().copied()),
        highest: i64::from(structure.highest_offset()),
        right: continuous_states(structure, &left),
        jumps: structure.columns().map(|_| Vec::new()).collect(),
        weights: structure.columns().map(|_| Vec::new()).collect(),
        notes: Vec::new(),
    };
    if !left.unborn.is_empty() {
        solver.notes.push(Note::Unborn(left.unborn.clone()));
    }
    let touched = solver.keep_untouched();
    for level in (0..=solver.highest).rev() {
        touched.iter().for_each(|&block| solver.solve_or_keep(level, &structure.blocks()[block]));
    }
    solver.fall_back();
    solver.check_meaning();
    let Solver { right, weights, notes, impulsive, reached, .. } = solver;
    let reached = structure.columns().map(|column| reached.of(structure, column).is_some()).collect();
    let impulsive = structure.columns().map(|column| impulsive.of(structure, column)).collect();
    let leading_order = structure.columns().map(|column| structure.variable_offset(column)).collect();
    Restart { right, weights, memory, defects, notes, reached, impulsive, leading_order }
}

/// Residuals and Jacobian of a block while they are put together.
pub(crate) struct BlockSystem<'a> {
    block: &'a Block,
    pub(crate) linearization: Linearization,
}

impl<'a> BlockSystem<'a> {
    pub(crate) fn new(block: &'a Block) -> Self {
        BlockSystem { block, linearization: Linearization::zero(block.rows.len()) }
    }

    fn position(&self, column: Column) -> Option<usize> {
        self.block.columns.binary_search(&column).ok()
    }

    /// `f^(order) = 0` at right limits. Its derivative by the unknowns of the level is that of `f` by the highest
    /// derivatives that occur in it tightly; they and the other highest derivatives are the terms that it is made of.
    #[allow(clippy::too_many_arguments)] // one row, with all that it is made of
    pub(crate) fn constraint(
        &mut self,
        structure: &ModeStructure,
        equations: &dyn Residuals,
        at: usize,
        row: Row,
        order: u32,
        jet: &Jet,
        wanted: Wanted,
    ) {
        self.linearization.residual[at] = equations.derivative(row, jet, order);
        if wanted == Wanted::Residual {
            return;
        }
        let times = order;
        equations.for_each_partial(row, jet, &mut |column, order, value| {
            let tight = structure.equation_offset(row) + order == structure.variable_offset(column);
            if let Some(position) = self.position(column).filter(|_| tight) {
                self.linearization.jacobian.add(at, position, value);
            }
            self.linearization.add_term(at, value * jet.get(column, order + times));
        });
    }
}

/// The first hidden constraint of each equation that the past does not satisfy. Equations that held before are
/// satisfied as far as the old mode computed their derivatives: what is seen there is drift. Constraints whose left
/// limits could not be made consistent count as violated.
fn defects(
    structure: &ModeStructure,
    equations: &dyn Residuals,
    past: &Past,
    left: &LeftLimits,
    noise: &Noise,
) -> Vec<Defect> {
    let defect = |row: Row| {
        let count = structure.equation_offset(row);
        let mut derivatives = equations.residual(row, &left.complete, count);
        if !past.is_new[row] {
            let held = equations.residual(row, &past.jet, count - 1);
            held.iter().zip(&mut derivatives).filter(|(held, _)| !held.is_nan()).for_each(|(_, value)| *value = 0.0);
        }
        // What has crossed is zero as exactly as its time is known, whichever derivative of the constraint it is.
        derivatives.iter_mut().filter(|value| value.abs() <= noise.floor).for_each(|value| *value = 0.0);
        // Where all terms vanish with the guard that fired, what is left of them is rounding of what they are made of.
        let (size, made_of) = size_of_terms(structure, equations, past, row, &left.complete);
        let size = size.max(ROUNDING / noise.relative * made_of);
        let first = noise.first_significant(&derivatives, size);
        first.filter(|&first| first < count as usize).map(|first| Defect { row, first: first as u32 })
    };
    let unsolved = left.unsolved.iter().map(|it| Defect { row: it.of, first: it.order });
    let may_fail = |&row: &Row| structure.equation_offset(row) > 0 && !held(structure, past, row);
    structure.rows().filter(may_fail).filter_map(defect).chain(unsolved).collect()
}

/// Whether an equation held before with all its hidden constraints, and the old mode computed all they contain.
fn held(structure: &ModeStructure, past: &Past, row: Row) -> bool {
    let offset = structure.equation_offset(row);
    let is_known = |entry: &Entry| past.jet.knows(entry.column, entry.order + offset - 1);
    !past.is_new[row] && past.offset[row] >= offset && structure.incidence(row).iter().all(is_known)
}

/// How large the terms of a residual are, to first order, and what they are made of by the equations that held before: a
/// difference of two speeds that vanishes when they meet has the rounding of the speeds. What did not exist before has its left limits by
/// equations that are new too.
fn size_of_terms(structure: &ModeStructure, equations: &dyn Residuals, past: &Past, row: Row, jet: &Jet) -> (f64, f64) {
    let finite = |size: f64| if size.is_finite() { size } else { 0.0 };
    let (mut sum, mut made_of) = (0.0, 0.0);
    equations.for_each_partial(row, jet, &mut |column, order, value| {
        let is_born = !past.jet.knows(column, order);
        let others = structure.occurrences(column).iter().filter(|&&(other, _)| other != row);
        let defining = others.filter(|&&(other, _)| is_born || !past.is_new[other]);
        let sizes =
            defining.map(|&(other, _)| size_by_definition(equations, other, jet, Derivative::new(column, order)));
        sum += finite(value * jet.get(column, order)).abs();
        made_of += finite(value * sizes.fold(0.0, f64::max)).abs();
    });
    (sum, made_of)
}

/// How large a quantity is by the other terms of an equation that contains it; zero where that says nothing.
fn size_by_definition(equations: &dyn Residuals, row: Row, jet: &Jet, quantity: Derivative<Column>) -> f64 {
    let (mut own, mut others) = (0.0, 0.0);
    equations.for_each_partial(row, jet, &mut |column, order, value| {
        if (column, order) == (quantity.of, quantity.order) {
            own = value.abs();
        } else {
            let size = (value * jet.get(column, order)).abs();
            others += if size.is_finite() { size } else { 0.0 };
        }
    });
    if own > 0.0 { others / own } else { 0.0 }
}

/// States below all levels are continuous.
fn continuous_states(structure: &ModeStructure, left: &LeftLimits) -> Jet {
    let mut right = Jet::unknown(left.memory.time, structure.size());
    for column in structure.columns() {
        let count = structure.variable_offset(column).saturating_sub(structure.highest_offset());
        for order in 0..count {
            right.set(column, order, left.memory.get(column, order));
        }
    }
    right
}

struct Solver<'a> {
    structure: &'a ModeStructure,
    equations: &'a dyn Residuals,
    past: &'a Past,
    left: &'a LeftLimits,
    /// What depends on new equations at all.
    reached: Potentials,
    /// How far the defects reach.
    impulsive: Potentials,
    highest: i64,
    right: Jet,
    /// `S` by level, from the highest down.
    jumps: IndexVec<Column, Vec<f64>>,
    weights: IndexVec<Column, Vec<f64>>,
    notes: Vec<Note>,
}

impl Solver<'_> {
    /// Keeps the values of blocks that the change does not reach, to the last bit, and returns the others.
    fn keep_untouched(&mut self) -> Vec<usize> {
        let blocks = self.structure.blocks().iter().enumerate();
        let mut touched = Vec::new();
        for (at, block) in blocks {
            if self.is_untouched(block) {
                block.columns.iter().for_each(|&column| self.keep(column));
            } else {
                touched.push(at);
            }
        }
        touched
    }

    /// Whether the change does not reach a block, and the old mode computed all its values.
    fn is_untouched(&self, block: &Block) -> bool {
        let first = |column: Column| self.structure.variable_offset(column).saturating_sub(self.highest as u32);
        let orders = |column: Column| first(column)..=self.structure.variable_offset(column);
        let is_known = |&column: &Column| orders(column).all(|order| self.past.jet.knows(column, order));
        !self.is_reached(block) && block.columns.iter().all(is_known)
    }

    /// Whether the change reaches a leading derivative of a block, or anything below; what arrives with less touches
    /// higher derivatives only.
    fn is_reached(&self, block: &Block) -> bool {
        let level = |&column: &Column| self.reached.of(self.structure, column);
        block.columns.iter().filter_map(level).any(|level| level >= 0)
    }

    fn keep(&mut self, column: Column) {
        for order in 0..=self.structure.variable_offset(column) {
            if self.past.jet.knows(column, order) {
                self.right.set(column, order, self.past.jet.get(column, order));
            }
        }
    }

    /// Solves a block at a level, unless the change does not reach it and its values at this level are known.
    fn solve_or_keep(&mut self, level: i64, block: &Block) {
        let value = |column: Column| match unknown(self.structure, level, column) {
            Unknown::RightLimit(order) => self.past.jet.get(column, order),
            Unknown::Weight(_) => 0.0,
        };
        if !self.is_reached(block) {
            let values: Vec<f64> = block.columns.iter().map(|&column| value(column)).collect();
            if values.iter().all(|value| !value.is_nan()) {
                return self.record(level, block, &values);
            }
        }
        self.solve_block(level, block);
    }

    /// If a block was singular, computes all that the change reaches from one step instead.
    fn fall_back(&mut self) {
        let is_singular = |note: &Note| matches!(note, Note::Unsolved { failure: Failure::Singular(_), .. });
        if !self.notes.iter().any(is_singular) {
            return;
        }
        let Some(step) = laurent_restart(self.structure, self.equations, &self.left.memory) else { return };
        for column in self.structure.columns() {
            if self.reached.of(self.structure, column).is_some() {
                for (order, &value) in step.right.derivatives(column).iter().enumerate() {
                    self.right.set(column, order as u32, value);
                }
                self.weights[column] = step.weights[column].clone();
            }
        }
        self.notes.push(Note::ByStep(step.error));
    }

    /// Notes equations that are not linear in what is impulsive: there, partial derivatives by impulsive quantities
    /// change with the size of impulsive quantities.
    fn check_meaning(&mut self) {
        let mut moved = self.left.complete.clone();
        for column in self.structure.columns() {
            if self.weights[column].iter().any(|&weight| weight != 0.0) {
                for &(row, _) in self.structure.occurrences(column) {
                    let impulsive = Derivative::new(column, 0);
                    if !self.equations.is_linear(row) && !self.is_linear(row, impulsive, &mut moved) {
                        self.note_meaningless(row, impulsive);
                    }
                }
            }
        }
    }

    /// Notes an equation that has no meaning for impulses. Where nothing but outputs depends on what it determines, these have
    /// no weights.
    fn note_meaningless(&mut self, row: Row, impulsive: Derivative<Column>) {
        match self.outputs_of(row) {
            Some(outputs) => {
                for column in outputs {
                    self.weights[column] = vec![f64::NAN];
                    self.notes.push(Note::Undefined(column));
                }
            }
            None => self.notes.push(Note::Meaningless { row, impulsive }),
        }
    }

    /// What an equation determines, and all that depends on it, if these are outputs: each alone in its block, and no state
    /// among them.
    fn outputs_of(&self, row: Row) -> Option<Vec<Column>> {
        let (mut pending, mut outputs) = (vec![row], Vec::new());
        while let Some(row) = pending.pop() {
            let column = self.structure.matched_column(row);
            let is_alone = self.structure.blocks()[self.structure.block_of(row)].rows.len() == 1;
            if !is_alone || self.structure.variable_offset(column) > 0 {
                return None;
            }
            if !outputs.contains(&column) {
                outputs.push(column);
                let readers = self.structure.occurrences(column).iter().map(|&(reader, _)| reader);
                pending.extend(readers.filter(|&reader| reader != row));
            }
        }
        Some(outputs)
    }

    /// Whether partial derivatives by impulsive quantities do not change with one of them. `moved` are left limits, to
    /// try it out on.
    fn is_linear(&self, row: Row, Derivative { of: column, order }: Derivative<Column>, moved: &mut Jet) -> bool {
        let left = &self.left.complete;
        let known = left.get(column, order);
        let value = if known.is_nan() { 0.0 } else { known };
        moved.set(column, order, value + 1.0 + value.abs());
        let here = self.equations.partials(row, left, 0);
        let there = self.equations.partials(row, moved, 0);
        moved.set(column, order, known);
        let is_impulsive = |column: Column| self.weights[column].iter().any(|&weight| weight != 0.0);
        here.iter().zip(&there).filter(|(partial, _)| is_impulsive(partial.column)).all(|(here, there)| {
            let (here, there) = (here.derivatives[0], there.derivatives[0]);
            // Seven digits above rounding: a partial derivative that moves by less does not depend on what was moved.
            here.is_nan() || there.is_nan() || (here - there).abs() <= 1e-9 * (here.abs() + there.abs())
        })
    }

    fn solve_block(&mut self, level: i64, block: &Block) {
        let balances = self.balances(level, block);
        let start: Vec<f64> = block.columns.iter().map(|&column| self.left_value(level, column)).collect();
        let orders = right_limits(self.structure, level, block);
        let mut right = std::mem::replace(&mut self.right, Jet::unknown(0.0, 0));
        let linearity = linearity(self.equations, block);
        let solution = residual_newton::solve_block(start.clone(), linearity, |values, wanted| {
            orders.iter().for_each(|&(at, column, order)| right.set(column, order, values[at]));
            self.linearize(level, block, &balances, values, &right, wanted)
        });
        self.right = right;
        match solution {
            Ok(values) => self.record(level, block, &values),
            Err(failure) => {
                self.notes.push(Note::Unsolved { level, rows: block.rows.clone(), failure });
                self.record(level, block, &start);
            }
        }
    }

    /// The balances of a block at a level, of the rows that have one.
    fn balances(&self, level: i64, block: &Block) -> Vec<Option<Balance>> {
        let carries = Carries {
            structure: self.structure,
            equations: self.equations,
            left: &self.left.complete,
            jumps: &self.jumps,
            highest: self.highest,
        };
        let balance = |&row: &Row| match condition(self.structure, level, row) {
            Condition::Balance(delta) => Some(carries.balance(level, row, delta, &block.columns)),
            Condition::Constraint(_) => None,
        };
        block.rows.iter().map(balance).collect()
    }

    /// Where Newton's method starts: at the left limit, or at no impulse.
    fn left_value(&self, level: i64, column: Column) -> f64 {
        match unknown(self.structure, level, column) {
            Unknown::RightLimit(order) if self.left.complete.knows(column, order) => {
                self.left.complete.get(column, order)
            }
            _ => 0.0,
        }
    }

    /// The jump that a value of the unknown means: what enters balances.
    fn jump(&self, level: i64, column: Column, value: f64) -> f64 {
        match unknown(self.structure, level, column) {
            Unknown::RightLimit(order) => value - self.left.memory.get(column, order),
            Unknown::Weight(_) => value,
        }
    }

    fn linearize(
        &self,
        level: i64,
        block: &Block,
        balances: &[Option<Balance>],
        values: &[f64],
        right: &Jet,
        wanted: Wanted,
    ) -> Linearization {
        let mut system = BlockSystem::new(block);
        for (at, &row) in block.rows.iter().enumerate() {
            match (condition(self.structure, level, row), &balances[at]) {
                (Condition::Constraint(order), _) => {
                    system.constraint(self.structure, self.equations, at, row, order, right, wanted)
                }
                (Condition::Balance(_), balance) => {
                    let balance = balance.as_ref().expect("balances are prepared for all rows that have one");
                    let mut sum = balance.carry;
                    for &(column, coefficient) in &balance.terms {
                        let position = system.position(column).expect("balances range over their block");
                        let jump = self.jump(level, column, values[position]);
                        sum += coefficient * jump;
                        if wanted == Wanted::All {
                            system.linearization.jacobian.add(at, position, coefficient);
                            // A jump is a difference: it has the rounding of both limits.
                            system.linearization.add_term(at, coefficient * values[position]);
                            system.linearization.add_term(at, coefficient * (values[position] - jump));
                        }
                    }
                    system.linearization.add_term(at, balance.carry);
                    system.linearization.residual[at] = sum;
                }
            }
        }
        system.linearization
    }

    /// Stores what was found, less what is only drift.
    fn record(&mut self, level: i64, block: &Block, values: &[f64]) {
        for (&column, &value) in block.columns.iter().zip(values) {
            let is_impulsive = self.impulsive.of(self.structure, column).is_some_and(|potential| potential >= level);
            let jump = if is_impulsive { self.jump(level, column, value) } else { 0.0 };
            if level > 0 {
                self.jumps[column].push(jump);
            }
            match unknown(self.structure, level, column) {
                Unknown::RightLimit(order) => self.right.set(column, order, value),
                Unknown::Weight(delta) => {
                    let weights = &mut self.weights[column];
                    if jump != 0.0 && weights.len() <= delta as usize {
                        weights.resize(delta as usize + 1, 0.0);
                    }
                    if jump != 0.0 {
                        weights[delta as usize] = jump;
                    }
                }
            }
        }
    }
}

/// Columns of a block whose unknown is a right limit, with their positions and orders.
fn right_limits(structure: &ModeStructure, level: i64, block: &Block) -> Vec<(usize, Column, u32)> {
    let columns = block.columns.iter().enumerate();
    columns
        .filter_map(|(at, &column)| match unknown(structure, level, column) {
            Unknown::RightLimit(order) => Some((at, column, order)),
            Unknown::Weight(_) => None,
        })
        .collect()
}

//! Transient modes: what a `when` does in an instant of zero duration.
//!
//! In a transient mode, constraints that hold for this instant only have no derivatives. In the levels of a restart
//! their differentiated rows are missing, and the laws of the `when` (`v = -e*pre(v)`, `reinit(x, x0)`) take those
//! places: a law stands at the level of the right limits it contains. If a level then has too few rows, the model does
//! not say what happens, for example whether an impact is elastic. If it has too many, a constraint that is new is erased: what
//! was before and the laws contradict it, and the mode that follows restores it (a law at the closing of a clutch acts first, then
//! the clutch closes). And the balance of the equation that a law overrules is dropped, last of all that of a `reinit`, which gives
//! a state its value in place of the differential equation, new constraints being met. Nothing else gives way.
//!
//! What `reinit` replaces may have been about other states too: `M*der(u) = f` has as many equations as there are speeds in it, and a
//! `reinit` of one of them keeps the others. So states about which only such equations speak are continuous.
//!
//! E22 §8.4, System (62). The mode that follows restarts from the right limits found here.

use modeshift_dae::{Derivative, IndexVec};

use modeshift_numerics::residual_newton::{self, Failure, Linearity, Linearization};
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

use super::balance::Carries;
use super::growing_matching::GrowingMatching;
use super::impulse_order::{Defect, Potentials};
use super::levels::{Condition, Unknown, condition, unknown};
use crate::one_mode::{Jet, Residuals};

/// The laws of a `when` that fires: equations between left and right limits.
pub trait Laws {
    /// The right limits that each law contains.
    fn contents(&self) -> Vec<Vec<Derivative<Column>>>;

    /// What a law leaves over.
    fn residual(&self, law: usize, left: &Jet, right: &Jet) -> f64;

    /// The partial derivatives of a law by right limits.
    fn partials(&self, law: usize, left: &Jet, right: &Jet) -> Vec<(Derivative<Column>, f64)>;
}

/// A row of a level of a transient mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransientRow {
    /// A law of the `when`.
    Law(usize),
    /// An equation of the mode.
    Equation(Row),
    /// What is sought of this variable is what it was before.
    Continuity(Column),
}

/// One level of a transient mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransientLevel {
    /// The level.
    pub level: u32,
    /// Variables whose unknowns are sought, ascending.
    pub columns: Vec<Column>,
    /// As many rows as determined unknowns.
    pub rows: Vec<TransientRow>,
    /// Variables whose unknowns nothing determines.
    pub undetermined: Vec<Column>,
    /// Laws and constraints that contradict others, structurally.
    pub conflicting: Vec<TransientRow>,
}

/// The levels of a transient mode, highest first.
#[derive(Clone, Debug)]
pub struct TransientStructure {
    /// The levels.
    pub levels: Vec<TransientLevel>,
    /// Laws without a level: they contain no right limit of a state.
    pub without_level: Vec<usize>,
    /// Right limits in laws that are found below all levels, as those of algebraic variables, and where they are found.
    late: Vec<Derivative<Column>>,
    last: Option<TransientLevel>,
}

/// Laws whose algebraic variables depend on what the laws say are solved in rounds, which end where so many have not come nearer than
/// any before.
const IDLE_ROUNDS: usize = 20;
/// Rounds end when values change by no more than this: some roundings.
const SAME: f64 = 64.0 * f64::EPSILON;

impl TransientStructure {
    /// Places laws among the levels of a mode. `instantaneous` are the equations that hold for this instant only.
    pub fn new(
        structure: &ModeStructure,
        instantaneous: &IndexVec<Row, bool>,
        laws: &[Vec<Derivative<Column>>],
    ) -> Self {
        TransientStructure::with_resets(structure, instantaneous, laws, &vec![false; laws.len()])
    }

    /// The same, where some of the laws are values that `reinit` gives.
    pub fn with_resets(
        structure: &ModeStructure,
        instantaneous: &IndexVec<Row, bool>,
        laws: &[Vec<Derivative<Column>>],
        is_reset: &[bool],
    ) -> Self {
        let placed: Vec<Option<i64>> = laws.iter().map(|contents| level_of_law(structure, contents)).collect();
        let highest = placed.iter().flatten().copied().max().unwrap_or(0).max(i64::from(structure.highest_offset()));
        let reached = reached(structure, instantaneous, laws);
        let level = |level: i64| {
            let own = (0..laws.len()).filter(|&law| placed[law] == Some(level)).collect::<Vec<_>>();
            LevelMatching { structure, instantaneous, laws, is_reset, level, reached: &reached }.level(&own)
        };
        let is_late = |it: &&Derivative<Column>| structure.variable_offset(it.of) <= it.order;
        let mut late: Vec<Derivative<Column>> = laws.iter().flatten().filter(is_late).copied().collect();
        late.sort_unstable();
        late.dedup();
        TransientStructure {
            levels: (1..=highest).rev().map(level).collect(),
            without_level: (0..laws.len()).filter(|&law| placed[law].is_none()).collect(),
            last: (!late.is_empty()).then(|| level(0)),
            late,
        }
    }

    /// Computes right limits of a transient mode from left limits.
    pub fn restart(
        &self,
        structure: &ModeStructure,
        equations: &dyn Residuals,
        laws: &dyn Laws,
        left: &Jet,
    ) -> Result<TransientRestart, Failure> {
        let known = |it: &Derivative<Column>| if left.knows(it.of, it.order) { left.get(it.of, it.order) } else { 0.0 };
        let mut late: Vec<f64> = self.late.iter().map(known).collect();
        let (mut nearest, mut idle) = (f64::INFINITY, 0);
        while idle < IDLE_ROUNDS {
            let mut solver = self.solver(structure, equations, laws, left);
            self.late.iter().zip(&late).for_each(|(it, &value)| solver.right.set(it.of, it.order, value));
            for level in self.levels.iter().chain(&self.last) {
                solver.solve_level(level)?;
            }
            let found: Vec<f64> = self.late.iter().map(|it| solver.right.get(it.of, it.order)).collect();
            // What is not a number is not near.
            let distance =
                found.iter().zip(&late).map(|(a, b)| (a - b).abs() / a.abs().max(b.abs()).max(f64::MIN_POSITIVE));
            let distance = distance.fold(0.0, |most: f64, it| if it <= most { most } else { it });
            if distance <= SAME {
                return Ok(self.result(structure, solver));
            }
            idle = if distance < nearest { 0 } else { idle + 1 };
            nearest = nearest.min(distance);
            late = found;
        }
        Err(Failure::Diverged)
    }

    fn solver<'a>(
        &self,
        structure: &'a ModeStructure,
        equations: &'a dyn Residuals,
        laws: &'a dyn Laws,
        left: &'a Jet,
    ) -> Solver<'a> {
        Solver {
            structure,
            equations,
            laws,
            left,
            highest: self.levels.first().map_or(0, |level| i64::from(level.level)),
            right: left.clone(),
            jumps: structure.columns().map(|_| Vec::new()).collect(),
            weights: structure.columns().map(|_| Vec::new()).collect(),
        }
    }

    fn result(&self, structure: &ModeStructure, solver: Solver<'_>) -> TransientRestart {
        let Solver { mut right, weights, .. } = solver;
        for &column in self.levels.iter().flat_map(|level| &level.columns) {
            for order in structure.variable_offset(column)..right.derivatives(column).len() as u32 {
                right.set(column, order, f64::NAN);
            }
        }
        TransientRestart { right, weights }
    }

    /// Right limits that the model does not determine: a law is missing.
    pub fn undetermined(&self, structure: &ModeStructure) -> Vec<Derivative<Column>> {
        let of_level = |level: &TransientLevel| {
            let q = i64::from(level.level);
            let limit = move |&column: &Column| match unknown(structure, q, column) {
                Unknown::RightLimit(order) => Some(Derivative::new(column, order)),
                Unknown::Weight(_) => None,
            };
            level.undetermined.iter().filter_map(limit).collect::<Vec<_>>()
        };
        self.levels.iter().flat_map(of_level).collect()
    }
}

/// A law stands where the last of the right limits of states that it contains is sought. Algebraic variables and leading
/// derivatives in it follow from these.
fn level_of_law(structure: &ModeStructure, contents: &[Derivative<Column>]) -> Option<i64> {
    let level = |it: &Derivative<Column>| i64::from(structure.variable_offset(it.of)) - i64::from(it.order);
    contents.iter().map(level).filter(|&level| level > 0).min()
}

/// Equations that depend on what holds for an instant only, or on what a law says.
fn reached(
    structure: &ModeStructure,
    instantaneous: &IndexVec<Row, bool>,
    laws: &[Vec<Derivative<Column>>],
) -> Potentials {
    let constraints = structure.rows().filter(|&row| instantaneous[row]);
    let overruled = laws.iter().flatten().map(|content| structure.matched_row(content.of));
    Potentials::spread(structure, constraints.chain(overruled).map(|row| Defect { row, first: 0 }))
}

/// What gives way to what, where a level has too many rows; the first ones stay.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Laws, and constraints that held before.
    Firm,
    /// Balances.
    Balance,
    /// Balances about what a law gives a value.
    Overruled,
    /// Constraints that are new.
    New,
    /// Right limits about which only balances speak that `reinit` replaces: they are continuous.
    Kept,
    /// Balances about what `reinit` gives a value.
    Replaced,
}

struct LevelMatching<'a> {
    structure: &'a ModeStructure,
    instantaneous: &'a IndexVec<Row, bool>,
    laws: &'a [Vec<Derivative<Column>>],
    is_reset: &'a [bool],
    level: i64,
    reached: &'a Potentials,
}

impl LevelMatching<'_> {
    /// Matches laws first, then the equations by their rank.
    fn level(&self, laws: &[usize]) -> TransientLevel {
        let structure = self.structure;
        let columns: Vec<Column> =
            structure.columns().filter(|&column| self.reached.of(structure, column).is_some()).collect();
        let mut rows: Vec<(Rank, TransientRow)> =
            self.ranked_rows(laws).into_iter().map(|(rank, row)| (rank, TransientRow::Equation(row))).collect();
        let kept = self.continuous(&rows, &columns);
        rows.extend(kept.into_iter().map(|column| (Rank::Kept, TransientRow::Continuity(column))));
        rows.sort_by_key(|&(rank, _)| rank);
        let laws = laws.iter().map(|&law| (Rank::Firm, TransientRow::Law(law)));
        let mut matching = GrowingMatching::new(columns.len());
        let (mut kept, mut conflicting, mut ranks) = (Vec::new(), Vec::new(), Vec::new());
        for (rank, row) in laws.chain(rows) {
            let entries = self.entries(row, &columns);
            ranks.push(rank);
            if matching.add(entries.clone()) {
                kept.push(row);
                continue;
            }
            // Of several that a law overrules and that depend on each other, nothing says which gives way.
            let is_one_of_several = || matching.depends_on(&entries).iter().any(|&other| ranks[other] == rank);
            let gives_way = match rank {
                Rank::Firm | Rank::Balance => false,
                Rank::New | Rank::Kept => true,
                Rank::Overruled | Rank::Replaced => !is_one_of_several(),
            };
            if !gives_way {
                conflicting.push(row);
            }
        }
        let undetermined = matching.undetermined().into_iter().map(|at| columns[at]).collect();
        TransientLevel { level: self.level as u32, columns, rows: kept, undetermined, conflicting }
    }

    /// Right limits that are sought at this level and about which only replaced balances speak.
    fn continuous(&self, rows: &[(Rank, TransientRow)], columns: &[Column]) -> Vec<Column> {
        let (mut replaced, mut others) = (vec![false; columns.len()], vec![false; columns.len()]);
        for &(rank, row) in rows {
            let marks = if rank == Rank::Replaced { &mut replaced } else { &mut others };
            self.entries(row, columns).into_iter().for_each(|at| marks[at] = true);
        }
        let is_sought = |column: Column| matches!(unknown(self.structure, self.level, column), Unknown::RightLimit(_));
        let kept = columns.iter().enumerate().filter(|&(at, &column)| replaced[at] && !others[at] && is_sought(column));
        kept.map(|(_, &column)| column).collect()
    }

    /// Equations that the change reaches and that say something at this level, with what they give way to.
    fn ranked_rows(&self, laws: &[usize]) -> Vec<(Rank, Row)> {
        let structure = self.structure;
        let speaks = |row: &Row| {
            let too_late = i64::from(structure.equation_offset(*row)) > self.level;
            self.reached.reaches(*row) && !(self.instantaneous[*row] && too_late)
        };
        let mut rows: Vec<(Rank, Row)> =
            structure.rows().filter(speaks).map(|row| (self.rank(row, laws), row)).collect();
        rows.sort_unstable();
        rows
    }

    fn rank(&self, row: Row, laws: &[usize]) -> Rank {
        let mut given = laws.iter().filter(|&&law| self.is_about(row, law)).map(|&law| self.is_reset[law]);
        match condition(self.structure, self.level, row) {
            Condition::Constraint(_) if self.instantaneous[row] => Rank::New,
            Condition::Constraint(_) => Rank::Firm,
            Condition::Balance(_) => match given.next() {
                None => Rank::Balance,
                Some(first) => {
                    if first || given.any(|it| it) {
                        Rank::Replaced
                    } else {
                        Rank::Overruled
                    }
                }
            },
        }
    }

    /// Whether the balance of an equation is about a right limit that a law contains.
    fn is_about(&self, row: Row, law: usize) -> bool {
        let tight = self.structure.incidence(row).iter().filter(|&&entry| self.structure.slack(row, entry) == 0);
        tight.into_iter().any(|entry| {
            let sought = unknown(self.structure, self.level, entry.column);
            let mut contents = self.laws[law].iter();
            contents.any(|it| it.of == entry.column && sought == Unknown::RightLimit(it.order))
        })
    }

    fn entries(&self, row: TransientRow, columns: &[Column]) -> Vec<usize> {
        let position = |column: Column| columns.binary_search(&column).ok();
        match row {
            TransientRow::Law(law) => {
                let contents = self.laws[law].iter();
                let here =
                    contents.filter(|it| unknown(self.structure, self.level, it.of) == Unknown::RightLimit(it.order));
                here.filter_map(|content| position(content.of)).collect()
            }
            TransientRow::Equation(row) => {
                let tight =
                    self.structure.incidence(row).iter().filter(|&&entry| self.structure.slack(row, entry) == 0);
                tight.filter_map(|entry| position(entry.column)).collect()
            }
            TransientRow::Continuity(column) => position(column).into_iter().collect(),
        }
    }
}

/// What a transient mode does.
#[derive(Clone, Debug)]
pub struct TransientRestart {
    /// Right limits of all derivatives below the leading ones; what is not determined keeps its left limit. Leading
    /// derivatives of what the laws reach are not known: the mode that follows gives them.
    pub right: Jet,
    /// Weights of impulses: `weights[j][p]` belongs to `δ^(p)`.
    pub weights: IndexVec<Column, Vec<f64>>,
}

struct Solver<'a> {
    structure: &'a ModeStructure,
    equations: &'a dyn Residuals,
    laws: &'a dyn Laws,
    left: &'a Jet,
    highest: i64,
    right: Jet,
    jumps: IndexVec<Column, Vec<f64>>,
    weights: IndexVec<Column, Vec<f64>>,
}

impl Solver<'_> {
    fn solve_level(&mut self, level: &TransientLevel) -> Result<(), Failure> {
        let q = i64::from(level.level);
        for column in self.structure.columns().filter(|column| level.columns.binary_search(column).is_err()) {
            self.jumps[column].push(0.0);
        }
        let solved: Vec<Column> =
            level.columns.iter().copied().filter(|column| !level.undetermined.contains(column)).collect();
        for &column in &level.undetermined {
            self.jumps[column].push(0.0);
        }
        let rows: Vec<TransientRow> =
            level.rows.iter().copied().filter(|&row| self.concerns(row, q, &solved)).collect();
        let start = solved.iter().map(|&column| self.left_value(q, column)).collect();
        let values = residual_newton::solve(start, Linearity::Nonlinear, |values, _| {
            let mut right = self.right.clone();
            self.place(q, &solved, values, &mut right);
            self.linearize(q, &rows, &solved, values, &right)
        })?;
        let mut right = std::mem::replace(&mut self.right, Jet::unknown(0.0, 0));
        self.place(q, &solved, &values, &mut right);
        self.right = right;
        for (&column, &value) in solved.iter().zip(&values) {
            let jump = self.jump(q, column, value);
            self.jumps[column].push(jump);
            if let Unknown::Weight(delta) = unknown(self.structure, q, column) {
                let weights = &mut self.weights[column];
                weights.resize(weights.len().max(delta as usize + 1), 0.0);
                weights[delta as usize] = jump;
            }
        }
        Ok(())
    }

    /// Whether all unknowns of a row are solved for; rows with undetermined ones are left out.
    fn concerns(&self, row: TransientRow, level: i64, solved: &[Column]) -> bool {
        let is_solved = |column: Column| solved.binary_search(&column).is_ok();
        match row {
            TransientRow::Law(law) => self.laws.contents()[law].iter().all(|&Derivative { of: column, order }| {
                unknown(self.structure, level, column) != Unknown::RightLimit(order) || is_solved(column)
            }),
            TransientRow::Continuity(column) => is_solved(column),
            TransientRow::Equation(row) => {
                is_solved(self.structure.matched_column(row))
                    || self
                        .structure
                        .incidence(row)
                        .iter()
                        .any(|&entry| self.structure.slack(row, entry) == 0 && is_solved(entry.column))
            }
        }
    }

    fn left_value(&self, level: i64, column: Column) -> f64 {
        match unknown(self.structure, level, column) {
            Unknown::RightLimit(order) if self.left.knows(column, order) => self.left.get(column, order),
            _ => 0.0,
        }
    }

    fn jump(&self, level: i64, column: Column, value: f64) -> f64 {
        match unknown(self.structure, level, column) {
            Unknown::RightLimit(order) => value - self.left.get(column, order),
            Unknown::Weight(_) => value,
        }
    }

    fn place(&self, level: i64, columns: &[Column], values: &[f64], right: &mut Jet) {
        for (&column, &value) in columns.iter().zip(values) {
            if let Unknown::RightLimit(order) = unknown(self.structure, level, column) {
                right.set(column, order, value);
            }
        }
    }

    fn linearize(
        &self,
        level: i64,
        rows: &[TransientRow],
        columns: &[Column],
        values: &[f64],
        right: &Jet,
    ) -> Linearization {
        let mut system = Linearization::zero(columns.len());
        let position = |column: Column| columns.binary_search(&column).ok();
        for (at, &row) in rows.iter().enumerate() {
            match row {
                TransientRow::Law(law) => {
                    system.residual[at] = self.laws.residual(law, self.left, right);
                    for (Derivative { of: column, order }, value) in self.laws.partials(law, self.left, right) {
                        let here = unknown(self.structure, level, column) == Unknown::RightLimit(order);
                        if let Some(position) = position(column).filter(|_| here) {
                            system.jacobian.add(at, position, value);
                        }
                    }
                }
                TransientRow::Equation(row) => self.equation(level, at, row, columns, values, right, &mut system),
                TransientRow::Continuity(column) => {
                    let place = position(column).expect("what is kept is sought");
                    system.residual[at] = values[place] - self.left_value(level, column);
                    system.jacobian.add(at, place, 1.0);
                }
            }
        }
        system
    }

    #[allow(clippy::too_many_arguments)] // one row of one level, with all that it is made of
    fn equation(
        &self,
        level: i64,
        at: usize,
        row: Row,
        columns: &[Column],
        values: &[f64],
        right: &Jet,
        system: &mut Linearization,
    ) {
        let structure = self.structure;
        let position = |column: Column| columns.binary_search(&column).ok();
        match condition(structure, level, row) {
            Condition::Constraint(order) => {
                system.residual[at] = self.equations.residual(row, right, order)[order as usize];
                for partial in self.equations.partials(row, right, 0) {
                    system.add_term(at, partial.derivatives[0] * right.get(partial.column, partial.order + order));
                    let offset = structure.variable_offset(partial.column);
                    let tight = structure.equation_offset(row) + partial.order == offset;
                    if let Some(position) = position(partial.column).filter(|_| tight) {
                        system.jacobian.add(at, position, partial.derivatives[0]);
                    }
                }
            }
            Condition::Balance(delta) => {
                let Solver { structure, equations, left, highest, .. } = *self;
                let carries = Carries { structure, equations, left, jumps: &self.jumps, highest };
                let balance = carries.balance(level, row, delta, columns);
                system.residual[at] = balance.carry;
                for (column, coefficient) in balance.terms {
                    let position = position(column).expect("balances range over the unknowns");
                    let jump = self.jump(level, column, values[position]);
                    // Nothing is passed on of nothing, however steep the equation is.
                    system.residual[at] += if jump == 0.0 { 0.0 } else { coefficient * jump };
                    system.jacobian.add(at, position, coefficient);
                }
            }
        }
    }
}

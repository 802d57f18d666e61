//! Which derivatives become dummies: elimination with pivots of good size.
//!
//! The Jacobian of a block, rows of high offsets first, is eliminated; the column of each pivot is a dummy up to the
//! level that is the offset of the pivot's row. So at every level the dummies have a regular Jacobian, those of higher
//! levels are among those of lower ones, and all of that comes from one elimination. Pivots are compared after weighing:
//! `stateSelect` first, then what is a dummy already, so that states change only where they have become bad ones.
//!
//! Only rows that are differentiated and blocks that leave a choice are looked at.

use std::ops::Range;

use modeshift_dae::{Derivative, ExpressionId, Id, StateSelect};
use modeshift_numerics::{Evaluator, Input, Pattern};
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

use super::quantities::Quantities;
use super::stages::{Choice, leaves_choice};
use crate::program::compiled::kernel::{Kernel, Places};
use crate::program::failure::NotBuilt;
use crate::program::programs::Workshop;
use crate::program::surroundings::Surroundings;

/// What is a dummy already stays one unless another pivot is this many times larger.
const INERTIA: f64 = 4.0;
/// A derivative is rather a dummy than a variable that is written.
const DERIVATIVE: f64 = 1.25;
/// Below this share of its row a pivot is rounding.
const NOISE: f64 = 1e-13;
/// Blocks with more rows are eliminated row by row, without looking for the best row.
const SMALL: usize = 48;

/// The Jacobians of all blocks that leave a choice.
pub(crate) struct ChoiceMatrix {
    kernel: Kernel,
    memory: Vec<f64>,
    surroundings: Vec<Input>,
    blocks: Vec<ChoiceBlock>,
}

struct ChoiceBlock {
    /// Rows that are differentiated, highest offsets first.
    rows: Vec<ChoiceRow>,
    columns: Vec<ChoiceColumn>,
    pattern: Pattern,
    /// The result of the kernel that each entry of the pattern is.
    results: Vec<u32>,
    /// Where it is eliminated: after each step, so that its vectors are kept.
    elimination: Elimination,
}

struct ChoiceRow {
    offset: u32,
}

struct ChoiceColumn {
    column: Column,
    leading: u32,
    nominal: f64,
    /// How much it is wanted as a dummy.
    wanted: f64,
}

impl ChoiceMatrix {
    /// `residuals` are the equations of the mode.
    pub fn new(
        workshop: &Workshop<'_>,
        structure: &ModeStructure,
        quantities: &Quantities,
        residuals: &[ExpressionId],
    ) -> Result<Option<Self>, NotBuilt> {
        let mut blocks = Vec::new();
        let mut rows: Vec<(Row, usize)> = Vec::new();
        for block in structure.blocks().iter().filter(|block| leaves_choice(structure, block)) {
            let mut own: Vec<Row> =
                block.rows.iter().copied().filter(|&row| structure.equation_offset(row) > 0).collect();
            own.sort_by_key(|&row| std::cmp::Reverse(structure.equation_offset(row)));
            rows.extend(own.iter().map(|&row| (row, blocks.len())));
            blocks.push((own, block.columns.clone()));
        }
        if blocks.is_empty() {
            return Ok(None);
        }
        let builder = Builder { workshop, structure, residuals };
        builder.matrix(quantities, &blocks).map(Some)
    }

    /// The choice at a jet, near the present one. `choice`, which the structure allows, stays in blocks without good pivots.
    pub fn choose(
        &mut self,
        time: f64,
        jet: &[f64],
        surroundings: &Surroundings,
        present: Option<&Choice>,
        mut choice: Choice,
    ) -> Choice {
        let count = jet.len();
        self.memory[..count].copy_from_slice(jet);
        self.memory[count] = time;
        for (place, &input) in self.memory[count + 1..].iter_mut().zip(&self.surroundings) {
            *place = surroundings.value(input);
        }
        let results = self.kernel.run(&self.memory);
        for block in &mut self.blocks {
            block.choose(results, present, &mut choice);
        }
        choice
    }
}

struct Builder<'a> {
    workshop: &'a Workshop<'a>,
    structure: &'a ModeStructure,
    residuals: &'a [ExpressionId],
}

impl Builder<'_> {
    fn matrix(&self, quantities: &Quantities, blocks: &[(Vec<Row>, Vec<Column>)]) -> Result<ChoiceMatrix, NotBuilt> {
        let mut places = Places::new(quantities);
        let rows: Vec<Row> = blocks.iter().flat_map(|(rows, _)| rows.iter().copied()).collect();
        let mut unknowns: Vec<Derivative<Column>> = rows.iter().flat_map(|&row| self.tight(row)).collect();
        unknowns.sort_unstable();
        unknowns.dedup();
        let by: Vec<Input> =
            unknowns.iter().map(|it| Input::Variable(self.structure.variable(it.of), it.order)).collect();
        let residuals: Vec<ExpressionId> = rows.iter().map(|row| self.residuals[row.index()]).collect();
        let not_numeric = |_| NotBuilt::NotNumeric(self.structure.equation(rows[0]));
        let (tape, pattern) = self.workshop.compiler().jacobian_of(&residuals, &by).map_err(not_numeric)?;
        let kernel = Kernel::new(Evaluator::new(tape), &mut places);
        let mut first = 0;
        let blocks = blocks.iter().map(|(rows, columns)| {
            let block = self.block(rows, columns, first, &pattern, &unknowns);
            first += rows.len();
            block
        });
        let blocks = blocks.collect();
        let memory = vec![f64::NAN; places.memory_size()];
        Ok(ChoiceMatrix { kernel, memory, surroundings: places.surroundings().to_vec(), blocks })
    }

    /// Variables and derivatives that occur tightly in a row.
    fn tight(&self, row: Row) -> impl Iterator<Item = Derivative<Column>> {
        let tight = self.structure.incidence(row).iter().filter(move |&&entry| self.structure.slack(row, entry) == 0);
        tight.map(|entry| Derivative::new(entry.column, entry.order))
    }

    /// A block whose rows begin at `first` in the pattern of all.
    fn block(
        &self,
        rows: &[Row],
        columns: &[Column],
        first: usize,
        all: &Pattern,
        unknowns: &[Derivative<Column>],
    ) -> ChoiceBlock {
        let mut results = Vec::new();
        let mut positions: Vec<Vec<u32>> = Vec::with_capacity(rows.len());
        for (index, &row) in rows.iter().enumerate() {
            let mut own = Vec::new();
            for (result, &unknown) in all.row_range(first + index).zip(all.row(first + index)) {
                let Derivative { of: column, order } = unknowns[unknown as usize];
                let is_tight = self.structure.equation_offset(row) + order == self.structure.variable_offset(column);
                if let Some(position) = columns.binary_search(&column).ok().filter(|_| is_tight) {
                    own.push(position as u32);
                    results.push(result as u32);
                }
            }
            positions.push(own);
        }
        ChoiceBlock {
            rows: rows.iter().map(|&row| ChoiceRow { offset: self.structure.equation_offset(row) }).collect(),
            columns: columns.iter().map(|&column| self.column(column)).collect(),
            pattern: Pattern::from_rows(columns.len(), positions),
            results,
            elimination: Elimination::default(),
        }
    }

    fn column(&self, column: Column) -> ChoiceColumn {
        let variable = self.structure.variable(column);
        let wanted = match self.workshop.state_select(variable) {
            StateSelect::Never => 1e6,
            StateSelect::Avoid => 1e2,
            StateSelect::Default => 1.0,
            StateSelect::Prefer => 1e-2,
            StateSelect::Always => 1e-6,
        };
        let (leading, nominal) = (self.structure.variable_offset(column), self.workshop.nominal(variable));
        ChoiceColumn { column, leading, nominal, wanted }
    }
}

impl ChoiceBlock {
    /// Sets the depths of the columns of this block.
    fn choose(&mut self, results: &[f64], present: Option<&Choice>, choice: &mut Choice) {
        let mut elimination = std::mem::take(&mut self.elimination);
        elimination.begin(self, results);
        if self.eliminate(&mut elimination, present) {
            for (column, &depth) in self.columns.iter().zip(&elimination.depths) {
                choice.depths[column.column.index()] = depth;
            }
        }
        self.elimination = elimination;
    }

    /// Finds the depths of the columns; whether there are good pivots.
    fn eliminate(&self, elimination: &mut Elimination, present: Option<&Choice>) -> bool {
        let mut done = 0;
        while done < self.rows.len() {
            let offset = self.rows[done].offset;
            let group = self.rows[done..].iter().take_while(|row| row.offset == offset).count();
            let weight = |column: usize| self.weight(column, offset, present);
            let mut first = done;
            for _ in 0..group {
                first = elimination.first_open(first);
                let Some(column) = elimination.pivot(first..done + group, weight) else { return false };
                elimination.depths[column] = offset;
            }
            done += group;
        }
        true
    }

    /// How much a column is wanted as a dummy at a level, apart from its size.
    fn weight(&self, column: usize, level: u32, present: Option<&Choice>) -> f64 {
        let column = &self.columns[column];
        let stays = present.is_some_and(|present| present.depth(column.column) >= level);
        let inertia = if stays { INERTIA } else { 1.0 };
        let derivative = if column.leading > level { DERIVATIVE } else { 1.0 };
        column.wanted * inertia * derivative
    }
}

/// Rows that are reduced by pivots, as lists of columns and values.
#[derive(Default)]
struct Elimination {
    rows: Vec<Vec<(u32, f64)>>,
    /// The rows that may contain each column.
    rows_of: Vec<Vec<u32>>,
    /// The size of each row as it was given.
    sizes: Vec<f64>,
    /// Whether each row has had its pivot.
    is_done: Vec<bool>,
    merged: Vec<(u32, f64)>,
    /// The depth of each column, as far as it is found.
    depths: Vec<u32>,
}

impl Elimination {
    /// The rows of a block before the first pivot.
    fn begin(&mut self, block: &ChoiceBlock, results: &[f64]) {
        let (row_count, column_count) = (block.rows.len(), block.columns.len());
        self.rows.resize_with(row_count, Vec::new);
        self.rows_of.resize_with(column_count, Vec::new);
        self.rows_of.iter_mut().for_each(Vec::clear);
        self.sizes.clear();
        for (index, row) in self.rows.iter_mut().enumerate() {
            row.clear();
            let mut size = 0.0f64;
            for (&column, entry) in block.pattern.row(index).iter().zip(block.pattern.row_range(index)) {
                let value = results[block.results[entry] as usize] * block.columns[column as usize].nominal;
                let value = if value.is_finite() { value } else { 0.0 };
                size = size.max(value.abs());
                row.push((column, value));
                self.rows_of[column as usize].push(index as u32);
            }
            self.sizes.push(size);
        }
        self.is_done.clear();
        self.is_done.resize(row_count, false);
        self.depths.clear();
        self.depths.resize(column_count, 0);
    }

    /// The first row, from this one, that has no pivot.
    fn first_open(&self, row: usize) -> usize {
        (row..self.rows.len()).find(|&row| !self.is_done[row]).unwrap_or(self.rows.len())
    }

    /// Chooses a pivot among some rows, reduces the other rows by it and returns its column; nothing if all of them
    /// depend on earlier ones.
    fn pivot(&mut self, group: Range<usize>, weight: impl Fn(usize) -> f64) -> Option<usize> {
        let looked_at = if self.rows.len() <= SMALL { usize::MAX } else { 1 };
        let mut best: Option<(f64, usize, u32)> = None;
        for row in group.filter(|&row| !self.is_done[row]).take(looked_at) {
            for &(column, value) in &self.rows[row] {
                let share = value.abs() / self.sizes[row];
                let size = share * weight(column as usize);
                if share > NOISE && best.is_none_or(|(largest, ..)| size > largest) {
                    best = Some((size, row, column));
                }
            }
        }
        let (_, row, column) = best?;
        self.reduce(row, column);
        Some(column as usize)
    }

    fn reduce(&mut self, pivot_row: usize, column: u32) {
        let row = std::mem::take(&mut self.rows[pivot_row]);
        let mut others = std::mem::take(&mut self.rows_of[column as usize]);
        let at = |row: &[(u32, f64)]| row.binary_search_by_key(&column, |entry| entry.0);
        let pivot = row[at(&row).expect("the pivot is in its row")].1;
        self.is_done[pivot_row] = true;
        for other in others.drain(..).filter(|&other| !self.is_done[other as usize]) {
            let target = &mut self.rows[other as usize];
            let Ok(position) = at(target) else { continue };
            let factor = target[position].1 / pivot;
            subtract(target, &row, factor, column, &mut self.merged);
            for &(filled, _) in
                row.iter().filter(|&&(it, _)| target.binary_search_by_key(&it, |entry| entry.0).is_err())
            {
                self.rows_of[filled as usize].push(other);
            }
            std::mem::swap(target, &mut self.merged);
        }
        // They serve again.
        (self.rows[pivot_row], self.rows_of[column as usize]) = (row, others);
    }
}

/// `a - factor * b`, in which a column vanishes.
fn subtract(a: &[(u32, f64)], b: &[(u32, f64)], factor: f64, vanishing: u32, result: &mut Vec<(u32, f64)>) {
    result.clear();
    let (mut of_a, mut of_b) = (0, 0);
    loop {
        let (next_a, next_b) = (a.get(of_a), b.get(of_b));
        let column = match (next_a, next_b) {
            (Some(left), Some(right)) => left.0.min(right.0),
            (Some(one), None) | (None, Some(one)) => one.0,
            (None, None) => return,
        };
        let left = next_a.filter(|entry| entry.0 == column);
        let right = next_b.filter(|entry| entry.0 == column);
        of_a += usize::from(left.is_some());
        of_b += usize::from(right.is_some());
        if column != vanishing {
            let value = |entry: Option<&(u32, f64)>| entry.map_or(0.0, |entry| entry.1);
            result.push((column, value(left) - factor * value(right)));
        }
    }
}

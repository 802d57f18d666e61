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
        for block in &self.blocks {
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
    fn choose(&self, results: &[f64], present: Option<&Choice>, choice: &mut Choice) {
        let mut elimination = Elimination::of(self, results);
        let mut depths = vec![0; self.columns.len()];
        let mut done = 0;
        while done < self.rows.len() {
            let offset = self.rows[done].offset;
            let group = self.rows[done..].iter().take_while(|row| row.offset == offset).count();
            let weight = |column: usize| self.weight(column, offset, present);
            let mut first = done;
            for _ in 0..group {
                first = elimination.first_open(first);
                let Some(column) = elimination.pivot(first..done + group, weight) else { return };
                depths[column] = offset;
            }
            done += group;
        }
        for (column, depth) in self.columns.iter().zip(depths) {
            choice.depths[column.column.index()] = depth;
        }
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
struct Elimination {
    rows: Vec<Vec<(u32, f64)>>,
    /// The rows that may contain each column.
    rows_of: Vec<Vec<u32>>,
    /// The size of each row as it was given.
    sizes: Vec<f64>,
    /// Whether each row has had its pivot.
    is_done: Vec<bool>,
    merged: Vec<(u32, f64)>,
}

impl Elimination {
    fn of(block: &ChoiceBlock, results: &[f64]) -> Self {
        let value = |column: u32, entry: usize| {
            let value = results[block.results[entry] as usize] * block.columns[column as usize].nominal;
            if value.is_finite() { value } else { 0.0 }
        };
        let row = |row: usize| {
            let entries = block.pattern.row(row).iter().zip(block.pattern.row_range(row));
            entries.map(move |(&column, entry)| (column, value(column, entry)))
        };
        let rows: Vec<Vec<(u32, f64)>> = (0..block.rows.len()).map(|index| row(index).collect()).collect();
        let size = |row: &Vec<(u32, f64)>| row.iter().fold(0.0f64, |size, &(_, value)| size.max(value.abs()));
        let mut rows_of = vec![Vec::new(); block.columns.len()];
        for (index, row) in rows.iter().enumerate() {
            row.iter().for_each(|&(column, _)| rows_of[column as usize].push(index as u32));
        }
        let sizes = rows.iter().map(size).collect();
        Elimination { sizes, is_done: vec![false; rows.len()], rows, rows_of, merged: Vec::new() }
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
        let at = |row: &[(u32, f64)]| row.binary_search_by_key(&column, |entry| entry.0);
        let pivot = row[at(&row).expect("the pivot is in its row")].1;
        self.is_done[pivot_row] = true;
        for other in std::mem::take(&mut self.rows_of[column as usize]) {
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
    }
}

/// `a - factor * b`, in which a column vanishes.
fn subtract(a: &[(u32, f64)], b: &[(u32, f64)], factor: f64, vanishing: u32, result: &mut Vec<(u32, f64)>) {
    result.clear();
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let next = a.peek().map(|entry| entry.0).into_iter().chain(b.peek().map(|entry| entry.0)).min();
        let Some(column) = next else { break };
        let left = a.next_if(|entry| entry.0 == column).map_or(0.0, |entry| entry.1);
        let right = b.next_if(|entry| entry.0 == column).map_or(0.0, |entry| entry.1);
        if column != vanishing {
            result.push((column, left - factor * right));
        }
    }
}

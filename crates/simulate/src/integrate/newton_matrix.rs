//! The matrix `1 - c J` of Newton's iteration, and its factors, handed on from one integration of a problem to the next.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use modeshift_numerics::{LinearSolver, Lu, Pattern};

use super::Ode;
use super::evaluations::Evaluations;

/// Where the matrix of a problem is between integrations, if there was one.
pub(super) type Home = Mutex<Option<Box<NewtonMatrix>>>;

/// The matrix of a problem during an integration; it goes home in the end.
pub(super) struct Lent<'problem> {
    home: &'problem Home,
    matrix: Box<NewtonMatrix>,
}

impl<'problem> Lent<'problem> {
    /// The matrix from its home, or a new one; nothing of its numbers counts.
    pub(super) fn from<System: Ode>(home: &'problem Home, evaluations: &Evaluations<System>) -> Self {
        let kept = home.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut matrix = kept
            .unwrap_or_else(|| Box::new(NewtonMatrix::new(evaluations.size, evaluations.system().jacobian_pattern())));
        matrix.forget();
        Lent { home, matrix }
    }
}

impl Deref for Lent<'_> {
    type Target = NewtonMatrix;

    fn deref(&self) -> &NewtonMatrix {
        &self.matrix
    }
}

impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut NewtonMatrix {
        &mut self.matrix
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let matrix = std::mem::replace(&mut self.matrix, Box::new(NewtonMatrix::new(0, None)));
        *self.home.lock().unwrap_or_else(PoisonError::into_inner) = Some(matrix);
    }
}

/// Passes in search of rows that rest: a line in which the first element moves is done in one or two.
const MOST_PASSES: usize = 4;

/// A Jacobian, and factors of `1 - c J`.
pub(super) struct NewtonMatrix {
    /// The pattern of the Jacobian with the whole diagonal.
    pattern: Pattern,
    /// Where the entries of the Jacobian are in it, and where the diagonal is.
    places: Vec<u32>,
    diagonal: Vec<u32>,
    jacobian: Vec<f64>,
    values: Vec<f64>,
    factors: Lu,
    /// Whether the factors have an order to use again.
    is_analyzed: bool,
    /// `c` of the factors; none while there are no factors to go on with.
    share: Option<f64>,
    /// Steps since the Jacobian was evaluated.
    steps: usize,
    buffer: Vec<f64>,
}

impl NewtonMatrix {
    /// For Jacobians with this pattern, or full ones.
    pub(super) fn new(size: usize, pattern: Option<&Pattern>) -> Self {
        let dense;
        let own = match pattern {
            Some(own) => own,
            None => {
                dense = Pattern::dense(size, size);
                &dense
            }
        };
        let row = |row: usize| {
            let mut columns = own.row(row).to_vec();
            if let Err(place) = columns.binary_search(&(row as u32)) {
                columns.insert(place, row as u32);
            }
            columns
        };
        let pattern = Pattern::from_rows(size, (0..size).map(row));
        let place = |row: usize, column: u32| {
            let inside = pattern.row(row).binary_search(&column).expect("the pattern has all entries of the Jacobian");
            (pattern.row_range(row).start + inside) as u32
        };
        let places = (0..size).flat_map(|row| own.row(row).iter().map(move |&column| (row, column)));
        NewtonMatrix {
            places: places.map(|(row, column)| place(row, column)).collect(),
            diagonal: (0..size).map(|row| place(row, row as u32)).collect(),
            jacobian: vec![0.0; own.entry_count()],
            values: vec![0.0; pattern.entry_count()],
            factors: Lu::for_pattern(&pattern),
            pattern,
            is_analyzed: false,
            share: None,
            steps: 0,
            buffer: Vec::new(),
        }
    }

    /// A new integration begins, with another Jacobian.
    pub(super) fn forget(&mut self) {
        self.share = None;
    }

    /// Whether the Jacobian is missing or has served long enough.
    pub(super) fn needs_jacobian(&self, most_steps: usize) -> bool {
        self.share.is_none() || self.steps >= most_steps
    }

    /// Whether the Jacobian is of the present step.
    pub(super) fn is_fresh(&self) -> bool {
        self.steps == 0
    }

    pub(super) fn count_step(&mut self) {
        self.steps += 1;
    }

    /// Whether the factors are of this `c`.
    pub(super) fn is_for(&self, share: f64) -> bool {
        self.share == Some(share)
    }

    /// The Jacobian, its entries row by row.
    pub(super) fn set_jacobian(&mut self, entries: &[f64]) {
        self.jacobian.copy_from_slice(entries);
        self.steps = 0;
    }

    /// Factors `1 - c J`. Where it is singular its factors are useless; then the iteration does not converge, and another
    /// step has another matrix.
    pub(super) fn factor(&mut self, share: f64) {
        self.set_values(share);
        if !(self.is_analyzed && self.factors.refactor(&self.pattern, &self.values)) {
            self.is_analyzed = self.factors.factor(&self.pattern, &self.values).is_ok();
        }
        self.share = Some(share);
    }

    /// The entries of `1 - c J`.
    pub(super) fn set_values(&mut self, share: f64) {
        self.values.fill(0.0);
        for (&place, entry) in self.places.iter().zip(&self.jacobian) {
            self.values[place as usize] = -share * entry;
        }
        for &place in &self.diagonal {
            self.values[place as usize] += 1.0;
        }
    }

    /// The rate with which the fastest state goes back by itself, by the Jacobian in the factors; none where there are no factors.
    pub(super) fn fastest_rate(&self) -> Option<f64> {
        let share = self.share.filter(|&share| share > 0.0)?;
        let fastest =
            self.diagonal.iter().fold(0.0f64, |fastest, &place| fastest.max(self.values[place as usize] - 1.0));
        Some(fastest / share)
    }

    /// Replaces a vector by the solution. What rests and is acted on by nothing but what rests is zero in it, exactly: factors make a
    /// difference of others of it, and what rounding leaves of that would be taken for a state that begins to move.
    pub(super) fn solve(&mut self, vector: &mut [f64]) {
        if !self.is_analyzed {
            return vector.fill(f64::NAN);
        }
        let resting = self.resting(vector);
        self.factors.solve_with(vector, &mut self.buffer);
        for (value, rests) in vector.iter_mut().zip(resting) {
            *value = if rests { 0.0 } else { *value };
        }
    }

    /// Rows whose right-hand side is zero, and which have entries in columns of such rows only; none where there are none, or where
    /// they are not found in a few passes.
    fn resting(&self, vector: &[f64]) -> Vec<bool> {
        if vector.iter().all(|&value| value != 0.0) {
            return Vec::new();
        }
        let mut rests: Vec<bool> = vector.iter().map(|&value| value == 0.0).collect();
        for _ in 0..MOST_PASSES {
            let mut is_closed = true;
            for row in 0..rests.len() {
                let mut entries = self.pattern.row_entries(&self.values, row);
                if rests[row] && entries.any(|(column, value)| value != 0.0 && !rests[column]) {
                    (rests[row], is_closed) = (false, false);
                }
            }
            if is_closed {
                return rests;
            }
        }
        Vec::new()
    }
}

/// How fast the fastest state goes back by itself, in units of `1 / c`: the diagonal of `- c J`, as it is in `1 - c J`.
pub(super) fn fastest(pattern: Option<&Pattern>, size: usize, entries: &[f64], share: f64) -> f64 {
    let diagonal = |row: usize| match pattern {
        Some(pattern) => {
            let place = pattern.row(row).binary_search(&(row as u32)).ok();
            place.map_or(0.0, |place| entries[pattern.row_range(row).start + place])
        }
        None => entries[row * size + row],
    };
    (0..size).map(|row| -share * diagonal(row) + 1.0 - 1.0).fold(0.0, f64::max)
}

//! Factors of the Jacobians of large linear blocks, kept for the other levels of a restart and for the next visit.
//!
//! All levels of a linear block have the same matrix, and so has the next restart in the mode, unless coefficients have
//! changed with time or with discrete values: whether they have is looked at, entry by entry.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::residual_newton::{Entries, Failure};
use crate::linear::Lu;

/// So many different matrices of a block are kept: discrete values often alternate between two.
const MOST: usize = 2;

/// Factors of the blocks of one mode, by numbers that the caller gives to blocks.
#[derive(Default)]
pub struct KnownFactors(Mutex<FxHashMap<u32, Vec<Factored>>>);

struct Factored {
    matrix: Entries,
    factors: Arc<Lu>,
}

impl KnownFactors {
    /// Smaller blocks are factored again in less time than it takes to look.
    pub const SMALLEST: usize = 8;

    /// The factors of a matrix of the block with this number.
    pub(crate) fn of(&self, block: u32, matrix: &Entries) -> Result<Arc<Lu>, Failure> {
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = blocks.entry(block).or_default();
        if let Some(same) = known.iter().find(|known| known.matrix == *matrix) {
            return Ok(same.factors.clone());
        }
        let factors = Arc::new(matrix.factors()?);
        known.truncate(MOST - 1);
        known.insert(0, Factored { matrix: matrix.clone(), factors: factors.clone() });
        Ok(factors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_matrix_is_factored_once_and_another_one_anew() {
        let matrix = |diagonal: f64| {
            let mut matrix = Entries::zero(2);
            matrix.add(0, 0, diagonal);
            matrix.add(1, 1, diagonal);
            matrix
        };
        let known = KnownFactors::default();
        let first = known.of(3, &matrix(2.0)).expect("regular");
        assert!(Arc::ptr_eq(&first, &known.of(3, &matrix(2.0)).expect("regular")));
        let other = known.of(3, &matrix(4.0)).expect("regular");
        assert!(!Arc::ptr_eq(&first, &other));
        assert!(Arc::ptr_eq(&first, &known.of(3, &matrix(2.0)).expect("regular")));
        assert!(known.of(3, &matrix(0.0)).is_err(), "singular");
    }
}

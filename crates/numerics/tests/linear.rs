//! Dense and sparse LU on random matrices, and what is said of singular ones.

use crate::common;
use common::Random;
use modeshift_numerics::{DenseLu, FactorFailure, LinearSolver, Lu, Pattern, Singular, SparseLu};

/// A random sparse matrix with a full diagonal, so that it is structurally regular.
fn random_matrix(random: &mut Random, size: usize, extra: usize) -> (Pattern, Vec<f64>) {
    let mut rows: Vec<Vec<u32>> = (0..size as u32).map(|row| vec![row]).collect();
    for _ in 0..extra {
        let column = random.below(size) as u32;
        rows[random.below(size)].push(column);
    }
    for row in &mut rows {
        row.sort_unstable();
        row.dedup();
    }
    let pattern = Pattern::from_rows(size, rows);
    let values = (0..pattern.entry_count()).map(|_| random.between(-1.0, 1.0)).collect();
    (pattern, values)
}

fn check_solution(lu: &impl LinearSolver, pattern: &Pattern, values: &[f64], random: &mut Random) {
    let size = pattern.row_count();
    let expected: Vec<f64> = (0..size).map(|_| random.between(-1.0, 1.0)).collect();
    let mut solution = vec![0.0; size];
    pattern.multiply(values, &expected, &mut solution);
    lu.solve(&mut solution);
    let bound = 1e-14 * size as f64 * lu.condition();
    for (found, expected) in solution.iter().zip(&expected) {
        assert!((found - expected).abs() <= bound, "{found} instead of {expected}, condition {}", lu.condition());
    }
}

#[test]
fn dense_and_sparse_solve_random_systems() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let size = 1 + random.below(60);
        let (pattern, values) = random_matrix(&mut random, size, 2 * size);
        let (mut dense, mut sparse) = (DenseLu::new(), SparseLu::new());
        let verdicts = (dense.factor(&pattern, &values), sparse.factor(&pattern, &values));
        assert_eq!(verdicts, (Ok(()), Ok(())), "seed {seed}");
        check_solution(&dense, &pattern, &values, &mut random);
        check_solution(&sparse, &pattern, &values, &mut random);
    }
}

#[test]
fn a_known_pattern_is_factored_again_with_other_values() {
    for seed in 0..50 {
        let mut random = Random(seed);
        let (pattern, mut values) = random_matrix(&mut random, 40, 120);
        let mut sparse = SparseLu::new();
        for _ in 0..5 {
            sparse.factor(&pattern, &values).expect("regular");
            check_solution(&sparse, &pattern, &values, &mut random);
            values.iter_mut().for_each(|value| *value = random.between(-1.0, 1.0));
        }
    }
}

#[test]
fn units_do_not_matter() {
    // Rows and columns scaled by up to 1e±12 each: the condition stays that of the matrix without units.
    for seed in 0..50 {
        let mut random = Random(seed);
        let (pattern, mut values) = random_matrix(&mut random, 10, 60);
        let mut lu = DenseLu::new();
        lu.factor(&pattern, &values).expect("regular");
        let plain = lu.condition();
        let scales: Vec<f64> = (0..20).map(|_| 10f64.powf(random.between(-12.0, 12.0))).collect();
        for row in 0..10 {
            for place in pattern.row_range(row) {
                let column = pattern.row(row)[place - pattern.row_range(row).start] as usize;
                values[place] *= scales[row] * scales[10 + column];
            }
        }
        lu.factor(&pattern, &values).expect("regular in any units");
        assert!(lu.condition() < 1e4 * plain, "seed {seed}: {} from {plain}", lu.condition());
    }
}

fn singular(result: Result<(), FactorFailure>) -> Singular {
    match result {
        Err(FactorFailure::Singular(singular)) => singular,
        other => panic!("{other:?} of a singular matrix"),
    }
}

/// `yᵀA` and `Az` vanish, and there are as many as the rank leaves.
fn check_null_vectors(pattern: &Pattern, values: &[f64], singular: &Singular) {
    let size = pattern.row_count();
    let dense = pattern.to_dense(values);
    assert_eq!(singular.dependent_rows.len(), size - singular.rank);
    assert_eq!(singular.open_columns.len(), size - singular.rank);
    for weights in &singular.dependent_rows {
        for column in 0..size {
            let sum: f64 = weights.iter().map(|&(row, weight)| weight * dense[row * size + column]).sum();
            assert!(sum.abs() < 1e-7, "rows do not vanish: {sum}");
        }
    }
    for weights in &singular.open_columns {
        for row in 0..size {
            let sum: f64 = weights.iter().map(|&(column, weight)| weight * dense[row * size + column]).sum();
            assert!(sum.abs() < 1e-7, "columns do not vanish: {sum}");
        }
    }
}

#[test]
fn dependent_rows_are_found_and_their_combination_vanishes() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let size = 3 + random.below(20);
        let missing = 1 + random.below(2);
        // The last rows are combinations of the others.
        let mut matrix: Vec<f64> = (0..size * size).map(|_| random.between(-1.0, 1.0)).collect();
        for row in size - missing..size {
            let weights: Vec<f64> = (0..size - missing).map(|_| random.between(-1.0, 1.0)).collect();
            for column in 0..size {
                matrix[row * size + column] =
                    weights.iter().enumerate().map(|(other, weight)| weight * matrix[other * size + column]).sum();
            }
        }
        let pattern = Pattern::dense(size, size);
        for found in
            [singular(DenseLu::new().factor(&pattern, &matrix)), singular(SparseLu::new().factor(&pattern, &matrix))]
        {
            assert_eq!(found.rank, size - missing, "seed {seed}");
            check_null_vectors(&pattern, &matrix, &found);
        }
    }
}

#[test]
fn the_rows_that_depend_are_named_and_no_others() {
    // Row 2 is row 0 plus twice row 3; unknown 1 is determined, 0 and 3 are not.
    let matrix = [[1.0, 0.0, 0.0, 1.0], [0.0, 5.0, 0.0, 0.0], [1.0, 0.0, 2.0, 1.0], [0.0, 0.0, 1.0, 0.0]];
    let pattern = Pattern::dense(4, 4);
    let found = singular(DenseLu::new().factor(&pattern, matrix.as_flattened()));
    let mut rows = found.dependent_rows[0].clone();
    let sign = rows[0].1.signum();
    rows.iter_mut().for_each(|(_, weight)| *weight *= sign);
    assert_eq!(rows, [(0, 0.5), (2, -0.5), (3, 1.0)]);
    let columns: Vec<usize> = found.open_columns[0].iter().map(|&(column, _)| column).collect();
    assert_eq!(columns, [0, 3]);
}

#[test]
fn an_entry_that_is_not_finite_is_named() {
    let pattern = Pattern::dense(2, 2);
    let found = DenseLu::new().factor(&pattern, &[1.0, 2.0, f64::NAN, 1.0]);
    assert_eq!(found, Err(FactorFailure::NotFinite { row: 1, column: 0 }));
}

#[test]
fn conditions_are_estimated_within_a_factor() {
    // Hilbert matrices: published 1-norm condition numbers of order 3 to 6.
    for (size, known) in [(3, 748.0), (4, 28375.0), (5, 943_656.0), (6, 29_070_279.0)] {
        let entry = |index: usize| 1.0 / (index / size + index % size + 1) as f64;
        let matrix: Vec<f64> = (0..size * size).map(entry).collect();
        let mut lu = DenseLu::new();
        lu.factor(&Pattern::dense(size, size), &matrix).expect("regular");
        // Scaling makes it smaller, never by more than the size squared here.
        assert!(lu.condition() <= 1.01 * known && lu.condition() >= known / 100.0, "{} for {known}", lu.condition());
    }
}

#[test]
fn a_tridiagonal_system_has_no_fill() {
    let size = 2000;
    let row = |row: usize| (row.saturating_sub(1)..(row + 2).min(size)).map(|column| column as u32);
    let pattern = Pattern::from_rows(size, (0..size).map(row));
    let mut values = Vec::new();
    for index in 0..size {
        values.extend(pattern.row(index).iter().map(|&column| if column as usize == index { 4.0 } else { -1.0 }));
    }
    let mut lu = SparseLu::new();
    lu.factor(&pattern, &values).expect("regular");
    assert_eq!(lu.entry_count(), pattern.entry_count());
    check_solution(&lu, &pattern, &values, &mut Random(1));
}

#[test]
fn nothing_is_a_regular_system() {
    let pattern = Pattern::dense(0, 0);
    let mut lu = Lu::for_pattern(&pattern);
    assert_eq!(lu.factor(&pattern, &[]), Ok(()));
    lu.solve(&mut []);
}

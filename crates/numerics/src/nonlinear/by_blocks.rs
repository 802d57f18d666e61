//! A nonlinear system taken apart: what is determined by itself first, the loop in the middle, what follows from it last.
//!
//! Newton's method on a whole system needs finite derivatives everywhere, at every trial. Of `v = u; y = sqrt(v)` with a `v`
//! that begins at zero it sees an infinite slope, although nothing is to be iterated: `v` is known, then `y`. A row with
//! one unknown left is solved for it; an unknown that one row alone contains is put off. What remains is iterated.

use super::residual_newton::{Failure, Linearity, Linearization, Wanted, solve_block};

/// One row and the unknown that it is solved for.
type Pair = (usize, usize);

/// Solves `residual = 0` from `start`, part by part.
pub(super) fn solve_by_blocks(
    start: Vec<f64>,
    linearize: &mut impl FnMut(&[f64]) -> Linearization,
) -> Result<Vec<f64>, Failure> {
    let pattern = linearize(&start).jacobian.columns();
    let Parts { first, core, last } = Parts::of(&pattern);
    let mut point = start;
    for (row, column) in first {
        solve_part(&mut point, &[row], &[column], linearize)?;
    }
    if !core.is_empty() {
        let (mut rows, mut columns): (Vec<usize>, Vec<usize>) = core.into_iter().unzip();
        rows.sort_unstable();
        columns.sort_unstable();
        solve_part(&mut point, &rows, &columns, linearize)?;
    }
    for (row, column) in last.into_iter().rev() {
        solve_part(&mut point, &[row], &[column], linearize)?;
    }
    Ok(point)
}

/// Solves some rows for some unknowns; the others stand still.
fn solve_part(
    point: &mut [f64],
    rows: &[usize],
    columns: &[usize],
    linearize: &mut impl FnMut(&[f64]) -> Linearization,
) -> Result<(), Failure> {
    let start = columns.iter().map(|&column| point[column]).collect();
    let whole = |values: &[f64], point: &[f64]| {
        let mut trial = point.to_vec();
        columns.iter().zip(values).for_each(|(&column, &value)| trial[column] = value);
        trial
    };
    let found = solve_block(start, Linearity::Nonlinear, |values, _: Wanted| {
        linearize(&whole(values, point)).part(rows, columns)
    })?;
    point.copy_from_slice(&whole(&found, point));
    Ok(())
}

/// The order in which rows are solved.
struct Parts {
    first: Vec<Pair>,
    core: Vec<Pair>,
    last: Vec<Pair>,
}

impl Parts {
    fn of(pattern: &[Vec<usize>]) -> Self {
        let size = pattern.len();
        let (mut row_open, mut column_open) = (vec![true; size], vec![true; size]);
        let (mut first, mut last) = (Vec::new(), Vec::new());
        loop {
            let before = first.len() + last.len();
            for row in 0..size {
                let mut open = pattern[row].iter().copied().filter(|&column| column_open[column]);
                if let (true, Some(column), None) = (row_open[row], open.next(), open.next()) {
                    (row_open[row], column_open[column]) = (false, false);
                    first.push((row, column));
                }
            }
            for (column, row) in lonely(pattern, &row_open, &column_open) {
                if row_open[row] && column_open[column] {
                    (row_open[row], column_open[column]) = (false, false);
                    last.push((row, column));
                }
            }
            if first.len() + last.len() == before {
                break;
            }
        }
        let rows = (0..size).filter(|&row| row_open[row]);
        let columns = (0..size).filter(|&column| column_open[column]);
        Parts { first, core: rows.zip(columns).collect(), last }
    }
}

/// Unknowns that one open row alone contains.
fn lonely(pattern: &[Vec<usize>], row_open: &[bool], column_open: &[bool]) -> Vec<Pair> {
    let mut users = vec![(0, 0); pattern.len()];
    for (row, columns) in pattern.iter().enumerate().filter(|(row, _)| row_open[*row]) {
        for &column in columns {
            users[column] = (users[column].0 + 1, row);
        }
    }
    let users = users.into_iter().enumerate().filter(|&(column, (count, _))| column_open[column] && count == 1);
    users.map(|(column, (_, row))| (column, row)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::residual_newton::{Linearity, Linearization, solve};

    #[test]
    fn an_infinite_slope_that_nothing_is_iterated_with_does_no_harm() {
        // v - 4 = 0, y - sqrt(v) = 0, z*z*y - 2 = 0 and w + y - z = 0 from v = 0.
        let solution = solve(vec![0.0, 0.0, 1.0, 0.0], Linearity::Nonlinear, |point, _| {
            let [v, y, z, w] = [point[0], point[1], point[2], point[3]];
            let mut system = Linearization::zero(4);
            system.residual = vec![w + y - z, v - 4.0, y - v.sqrt(), z * z * y - 2.0];
            system.jacobian.add(0, 3, 1.0);
            system.jacobian.add(0, 1, 1.0);
            system.jacobian.add(0, 2, -1.0);
            system.jacobian.add(1, 0, 1.0);
            system.jacobian.add(2, 1, 1.0);
            system.jacobian.add(2, 0, -0.5 / v.sqrt());
            system.jacobian.add(3, 1, z * z);
            system.jacobian.add(3, 2, 2.0 * z * y);
            system
        });
        let values = solution.expect("a solution");
        for (value, expected) in values.iter().zip([4.0, 2.0, 1.0, -1.0]) {
            assert!((value - expected).abs() < 1e-12, "{values:?}");
        }
    }
}

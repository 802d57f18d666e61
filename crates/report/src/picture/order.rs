//! The order within rows: sweeps down and up that sort each row by the mean position of its neighbours.

use super::coordinates::Rows;

/// How many sweeps, down and up in turn.
const SWEEPS: usize = 16;

/// Reorders the rows so that few edges cross; keeps the best order seen.
pub(super) fn reduce_crossings(rows: &mut Rows) {
    let mut positions = vec![0; rows.items.len()];
    for row in 0..rows.rows.len() {
        number(rows, row, &mut positions);
    }
    let mut best = (crossings(rows, &positions), rows.rows.clone());
    for sweep in 0..SWEEPS {
        if best.0 == 0 {
            break;
        }
        for at in 0..rows.rows.len() {
            let downward = sweep % 2 == 0;
            let row = if downward { at } else { rows.rows.len() - 1 - at };
            sort_row(rows, row, downward, &mut positions);
        }
        let count = crossings(rows, &positions);
        if count < best.0 {
            best = (count, rows.rows.clone());
        }
    }
    rows.rows = best.1;
}

fn number(rows: &Rows, row: usize, positions: &mut [usize]) {
    for (position, &item) in rows.rows[row].iter().enumerate() {
        positions[item] = position;
    }
}

fn sort_row(rows: &mut Rows, row: usize, downward: bool, positions: &mut [usize]) {
    let barycentre = |item: usize| {
        let neighbours = if downward { &rows.items[item].above } else { &rows.items[item].below };
        let sum: usize = neighbours.iter().map(|&neighbour| positions[neighbour]).sum();
        if neighbours.is_empty() { positions[item] as f64 } else { sum as f64 / neighbours.len() as f64 }
    };
    let mut keyed: Vec<(f64, usize)> = rows.rows[row].iter().map(|&item| (barycentre(item), item)).collect();
    keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
    rows.rows[row] = keyed.into_iter().map(|(_, item)| item).collect();
    number(rows, row, positions);
}

fn crossings(rows: &Rows, positions: &[usize]) -> usize {
    rows.rows.iter().map(|row| crossings_below(rows, row, positions)).sum()
}

/// Crossings of the edges between a row and the next: inversions, counted with a binary indexed tree.
fn crossings_below(rows: &Rows, row: &[usize], positions: &[usize]) -> usize {
    let mut ends = Vec::new();
    for &item in row {
        let mut below: Vec<usize> = rows.items[item].below.iter().map(|&neighbour| positions[neighbour]).collect();
        below.sort_unstable();
        ends.extend(below);
    }
    let mut seen = vec![0; ends.iter().max().map_or(0, |last| last + 2)];
    let mut inversions = 0;
    for (count, &end) in ends.iter().enumerate() {
        inversions += count - prefix_sum(&seen, end + 1);
        let mut at = end + 1;
        while at < seen.len() {
            seen[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    inversions
}

fn prefix_sum(tree: &[usize], mut at: usize) -> usize {
    let mut sum = 0;
    while at > 0 {
        sum += tree[at];
        at &= at - 1;
    }
    sum
}

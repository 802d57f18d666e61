//! Rows of vertices, labels and passing edges, and where in the plane they go.
//!
//! A vertex of rank `r` stands in row `2r`; the odd rows are for labels of edges.

use super::layout::{Point, Route, Size};

/// Space between neighbours in a row.
const COLUMN_GAP: f64 = 24.0;
/// Space between passing edges.
const PASSING_GAP: f64 = 12.0;
/// Space between rows.
const ROW_GAP: f64 = 22.0;
/// How often positions are drawn towards their neighbours.
const ROUNDS: usize = 24;
/// Widest distance of two arrows at the border of a vertex.
const PORT_DISTANCE: f64 = 16.0;

/// Something with a place in a row: a vertex, or where an edge passes.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) size: Size,
    pub(super) row: usize,
    pub(super) above: Vec<usize>,
    pub(super) below: Vec<usize>,
    passing: bool,
}

/// Vertices and passing edges in rows.
pub(super) struct Rows {
    /// The vertices first, by number.
    pub(super) items: Vec<Item>,
    /// The items of each row, left to right.
    pub(super) rows: Vec<Vec<usize>>,
    /// Per edge, the items it passes from top to bottom, its ends included.
    chains: Vec<Vec<usize>>,
    /// Per edge, which item of its chain carries its label.
    labels: Vec<Option<usize>>,
}

impl Rows {
    /// `edges` point downwards: from a smaller to a larger rank.
    pub(super) fn new(sizes: Vec<Size>, ranks: &[usize], edges: &[(usize, usize)], labels: &[Option<Size>]) -> Rows {
        let row_count = ranks.iter().max().map_or(0, |rank| 2 * rank + 1);
        let mut rows = Rows { items: Vec::new(), rows: vec![Vec::new(); row_count], chains: vec![], labels: vec![] };
        for (size, rank) in sizes.into_iter().zip(ranks) {
            rows.add(size, 2 * rank, false);
        }
        for (&(from, to), &label) in edges.iter().zip(labels) {
            rows.add_chain(from, to, label);
        }
        rows
    }

    fn add(&mut self, size: Size, row: usize, passing: bool) -> usize {
        self.items.push(Item { size, row, above: Vec::new(), below: Vec::new(), passing });
        self.rows[row].push(self.items.len() - 1);
        self.items.len() - 1
    }

    /// Puts an item into every row between the ends; that in the first odd row carries the label.
    fn add_chain(&mut self, from: usize, to: usize, label: Option<Size>) {
        let first = self.items[from].row + 1;
        let mut chain = vec![from];
        for row in first..self.items[to].row {
            let size = if row == first { label.unwrap_or_default() } else { Size::default() };
            chain.push(self.add(size, row, true));
        }
        chain.push(to);
        for pair in chain.windows(2) {
            self.items[pair[0]].below.push(pair[1]);
            self.items[pair[1]].above.push(pair[0]);
        }
        self.labels.push(label.map(|_| chain[1]));
        self.chains.push(chain);
    }

    fn distance(&self, left: usize, right: usize) -> f64 {
        let (left, right) = (&self.items[left], &self.items[right]);
        let gap = if left.passing || right.passing { PASSING_GAP } else { COLUMN_GAP };
        (left.size.width + right.size.width) / 2.0 + gap
    }
}

/// The plane positions of [`Rows`].
pub(super) struct Placed {
    pub(super) size: Size,
    pub(super) centres: Vec<Point>,
    row_tops: Vec<f64>,
    row_heights: Vec<f64>,
    /// Per edge, the horizontal shifts of its upper and lower end from the centres of its vertices.
    ports: Vec<(f64, f64)>,
}

/// Places the rows one below the other, and the items of each row near their neighbours above and below.
pub(super) fn place_rows(rows: &Rows) -> Placed {
    let xs = horizontal(rows);
    let left = rows.items.iter().zip(&xs).map(|(item, x)| x - item.size.width / 2.0).fold(f64::INFINITY, f64::min);
    let right = rows.items.iter().zip(&xs).map(|(item, x)| x + item.size.width / 2.0).fold(f64::NEG_INFINITY, f64::max);
    let row_heights: Vec<f64> = rows.rows.iter().map(|row| row_height(rows, row)).collect();
    let mut row_tops = Vec::new();
    let mut y = 0.0;
    for height in &row_heights {
        row_tops.push(y);
        y += height + ROW_GAP;
    }
    let centre = |(item, x): (&Item, &f64)| Point { x: x - left, y: row_tops[item.row] + row_heights[item.row] / 2.0 };
    let centres: Vec<Point> = rows.items.iter().zip(&xs).map(centre).collect();
    let ports = ports(rows, &centres);
    let size = Size { width: (right - left).max(0.0), height: (y - ROW_GAP).max(0.0) };
    Placed { size, centres, row_tops, row_heights, ports }
}

fn row_height(rows: &Rows, row: &[usize]) -> f64 {
    row.iter().map(|&item| rows.items[item].size.height).fold(0.0, f64::max)
}

fn horizontal(rows: &Rows) -> Vec<f64> {
    let mut xs = vec![0.0; rows.items.len()];
    for row in &rows.rows {
        for pair in row.windows(2) {
            xs[pair[1]] = xs[pair[0]] + rows.distance(pair[0], pair[1]);
        }
    }
    for round in 0..ROUNDS {
        for at in 0..rows.rows.len() {
            let row = if round % 2 == 0 { at } else { rows.rows.len() - 1 - at };
            settle(rows, &rows.rows[row], round, &mut xs);
        }
    }
    xs
}

/// Moves the items of a row to the mean of their neighbours as far as their distances allow.
fn settle(rows: &Rows, row: &[usize], round: usize, xs: &mut [f64]) {
    let mut offset = 0.0;
    let mut offsets = Vec::new();
    let mut wishes = Vec::new();
    for (at, &item) in row.iter().enumerate() {
        if at > 0 {
            offset += rows.distance(row[at - 1], item);
        }
        let (wish, weight) = wish(rows, item, round, xs);
        offsets.push(offset);
        wishes.push((wish - offset, weight));
    }
    for ((position, &item), offset) in isotonic(&wishes).into_iter().zip(row).zip(offsets) {
        xs[item] = position + offset;
    }
}

/// Where an item wants to be, and how much: the way back up first, both sides in the last rounds.
fn wish(rows: &Rows, item: usize, round: usize, xs: &[f64]) -> (f64, f64) {
    let Item { above, below, passing, .. } = &rows.items[item];
    let near: Vec<usize> = match (round.is_multiple_of(2), round + 4 >= ROUNDS) {
        (_, true) => above.iter().chain(below).copied().collect(),
        (true, _) => above.clone(),
        (false, _) => below.clone(),
    };
    if near.is_empty() {
        return (xs[item], 0.1);
    }
    let mean = near.iter().map(|&neighbour| xs[neighbour]).sum::<f64>() / near.len() as f64;
    (mean, if *passing { 3.0 } else { 1.0 })
}

/// The ascending sequence with the least weighted squared distance to the wishes: pool adjacent violators.
fn isotonic(wishes: &[(f64, f64)]) -> Vec<f64> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for &(wish, weight) in wishes {
        let mut pool = (wish, weight, 1);
        while let Some(&(mean, total, count)) = pools.last()
            && mean >= pool.0
        {
            pools.pop();
            pool = ((mean * total + pool.0 * pool.1) / (total + pool.1), total + pool.1, count + pool.2);
        }
        pools.push(pool);
    }
    pools.into_iter().flat_map(|(mean, _, count)| std::iter::repeat_n(mean, count)).collect()
}

/// Spreads the ends of edges along the borders of their vertices, in the order of where they lead.
fn ports(rows: &Rows, centres: &[Point]) -> Vec<(f64, f64)> {
    let mut shifts = vec![(0.0, 0.0); rows.chains.len()];
    let mut upper: Vec<Vec<(f64, usize)>> = vec![Vec::new(); rows.items.len()];
    let mut lower = upper.clone();
    for (edge, chain) in rows.chains.iter().enumerate() {
        upper[chain[0]].push((centres[chain[1]].x, edge));
        lower[chain[chain.len() - 1]].push((centres[chain[chain.len() - 2]].x, edge));
    }
    for (vertex, item) in rows.items.iter().enumerate() {
        spread(&mut upper[vertex], item.size.width, |edge, shift| shifts[edge].0 = shift);
        spread(&mut lower[vertex], item.size.width, |edge, shift| shifts[edge].1 = shift);
    }
    shifts
}

fn spread(ends: &mut [(f64, usize)], width: f64, mut assign: impl FnMut(usize, f64)) {
    ends.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let distance = PORT_DISTANCE.min(width * 0.7 / ends.len() as f64);
    let first = -distance * (ends.len() as f64 - 1.0) / 2.0;
    for (at, &(_, edge)) in ends.iter().enumerate() {
        assign(edge, first + distance * at as f64);
    }
}

impl Placed {
    /// The way of an edge; an `upward` one runs from its lower to its upper end.
    pub(super) fn route(&self, rows: &Rows, edge: usize, upward: bool) -> Route {
        let chain = &rows.chains[edge];
        let (first, last) = (chain[0], chain[chain.len() - 1]);
        let (upper, lower) = self.ports[edge];
        let (start, end) = (self.centres[first], self.centres[last]);
        let mut points = vec![Point { x: start.x + upper, y: start.y + rows.items[first].size.height / 2.0 }];
        for &item in &chain[1..chain.len() - 1] {
            let (x, row) = (self.centres[item].x, rows.items[item].row);
            let only_between_vertices = row % 2 == 1 && rows.labels[edge] != Some(item);
            if only_between_vertices {
                continue; // a curve straight from row to row looks calmer
            }
            points.push(Point { x, y: self.row_tops[row] });
            if self.row_heights[row] > 0.0 {
                points.push(Point { x, y: self.row_tops[row] + self.row_heights[row] });
            }
        }
        points.push(Point { x: end.x + lower, y: end.y - rows.items[last].size.height / 2.0 });
        if upward {
            points.reverse();
        }
        Route { points, label: rows.labels[edge].map(|item| self.centres[item]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_in_order_are_granted_and_others_meet_in_the_middle() {
        assert_eq!(isotonic(&[(1.0, 1.0), (2.0, 1.0)]), [1.0, 2.0]);
        assert_eq!(isotonic(&[(3.0, 1.0), (1.0, 1.0), (5.0, 1.0)]), [2.0, 2.0, 5.0]);
    }
}

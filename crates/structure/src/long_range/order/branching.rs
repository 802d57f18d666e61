//! In which order to sweep over what branches like a tree: feeders that divide, whose greedy order has many branches open at once.
//!
//! Vertices are eliminated one by one, always one of fewest neighbours, which are neighbours of each other from then on. Each is then below
//! that neighbour of it which is eliminated next, and items belong to their first vertex. A sweep that finishes what is below
//! a vertex before it goes on has few branches open, fewest if it begins with the branch that needs most room itself: then
//! the boundary is wider than the elimination by a logarithm at most.
//!
//! Fewest neighbours first: H. Markowitz, 1957. The order of branches: R. Sethi and J. Ullman, 1970; J. Liu, 1986.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::HUB_DEGREE;
use crate::locality::lists::Lists;

/// What has more neighbours than this while it is eliminated is no tree, and another order is as good.
const MOST_NEIGHBOURS: usize = 6;

/// The order of the items whose vertices these are; nothing where they are not like a tree.
pub(in crate::long_range) fn tree_order(links: &Lists<u32>, vertices: usize) -> Option<Vec<u32>> {
    let forest = Forest::of(links, vertices)?;
    let mut items: Vec<Vec<u32>> = vec![Vec::new(); vertices];
    let mut last = Vec::new();
    for item in 0..links.len() {
        let of_forest = links.of(item).iter().filter(|&&vertex| forest.place[vertex as usize] != NOWHERE);
        match of_forest.min_by_key(|&&vertex| forest.place[vertex as usize]) {
            Some(&vertex) => items[vertex as usize].push(item as u32),
            None => last.push(item as u32),
        }
    }
    let order = forest.branch_by_branch().into_iter().flat_map(|vertex| std::mem::take(&mut items[vertex as usize]));
    Some(order.chain(last).collect())
}

/// The place of what is not eliminated.
const NOWHERE: u32 = u32::MAX;

/// Vertices, each below one that is eliminated later.
struct Forest {
    /// By vertex: when it is eliminated.
    place: Vec<u32>,
    /// In that order: the vertices, with their neighbours then.
    eliminated: Vec<(u32, Vec<u32>)>,
}

impl Forest {
    fn of(links: &Lists<u32>, vertices: usize) -> Option<Forest> {
        let users = links.transposed(vertices);
        let is_hub = |vertex: u32| users.of(vertex as usize).len() > HUB_DEGREE;
        let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); vertices];
        for item in 0..links.len() {
            let of_item: Vec<u32> = links.of(item).iter().copied().filter(|&vertex| !is_hub(vertex)).collect();
            if of_item.len() > MOST_NEIGHBOURS + 1 {
                return None;
            }
            of_item.iter().for_each(|&vertex| join(&mut neighbours[vertex as usize], vertex, &of_item));
        }
        let is_used = |&vertex: &u32| !users.of(vertex as usize).is_empty() && !is_hub(vertex);
        let used = (0..vertices as u32).filter(is_used);
        let mut next: BinaryHeap<Reverse<(usize, u32)>> =
            used.map(|vertex| Reverse((neighbours[vertex as usize].len(), vertex))).collect();
        let mut forest = Forest { place: vec![NOWHERE; vertices], eliminated: Vec::with_capacity(next.len()) };
        while let Some(Reverse((degree, vertex))) = next.pop() {
            if forest.place[vertex as usize] != NOWHERE || degree != neighbours[vertex as usize].len() {
                continue; // said again with what holds now
            }
            if degree > MOST_NEIGHBOURS {
                return None;
            }
            let around = std::mem::take(&mut neighbours[vertex as usize]);
            for &neighbour in &around {
                let of_neighbour = &mut neighbours[neighbour as usize];
                of_neighbour.retain(|&it| it != vertex);
                join(of_neighbour, neighbour, &around);
                next.push(Reverse((of_neighbour.len(), neighbour)));
            }
            forest.place[vertex as usize] = forest.eliminated.len() as u32;
            forest.eliminated.push((vertex, around));
        }
        Some(forest)
    }

    /// The vertices, each after all that are below it, and branch by branch, the one that needs most room first.
    fn branch_by_branch(&self) -> Vec<u32> {
        let count = self.eliminated.len();
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut room = vec![0; count];
        let mut roots = Vec::new();
        for at in 0..count {
            let width = |at: usize| self.eliminated[at].1.len();
            below[at].sort_by_key(|&branch| (Reverse(room[branch] - width(branch).min(room[branch])), branch));
            // What branches that are done leave open is all among the vertex and its neighbours.
            let mut open = 0;
            room[at] = width(at) + 1;
            for &branch in &below[at] {
                room[at] = room[at].max(open + room[branch]);
                open = (open + width(branch)).min(width(at) + 1);
            }
            match self.eliminated[at].1.iter().map(|&vertex| self.place[vertex as usize]).min() {
                Some(above) => below[above as usize].push(at),
                None => roots.push(at),
            }
        }
        let mut pending = roots;
        let mut reversed = Vec::with_capacity(count);
        while let Some(at) = pending.pop() {
            reversed.push(self.eliminated[at].0);
            pending.append(&mut below[at]);
        }
        reversed.reverse();
        reversed
    }
}

/// Adds others than the vertex itself to its neighbours.
fn join(neighbours: &mut Vec<u32>, vertex: u32, others: &[u32]) {
    for &other in others {
        if other != vertex && !neighbours.contains(&other) {
            neighbours.push(other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many vertices are open at once at most, along an order of items.
    fn width(links: &Lists<u32>, vertices: usize, order: &[u32]) -> usize {
        let users = links.transposed(vertices);
        let mut done = vec![0; vertices];
        let mut open = 0usize;
        let mut widest = 0;
        for &item in order {
            open += links.of(item as usize).iter().filter(|&&vertex| done[vertex as usize] == 0).count();
            widest = widest.max(open);
            for &vertex in links.of(item as usize) {
                done[vertex as usize] += 1;
                open -= usize::from(done[vertex as usize] == users.of(vertex as usize).len());
            }
        }
        widest
    }

    fn lists(items: impl Iterator<Item = Vec<u32>>) -> Lists<u32> {
        let mut links = Lists::new();
        for item in items {
            item.into_iter().for_each(|vertex| links.push_item(vertex));
            links.end_list();
        }
        links
    }

    #[test]
    fn a_tree_has_a_branch_open_per_level_at_most() {
        for levels in 3..12u32 {
            let vertices = (1 << levels) - 1;
            let links = lists((1..vertices as u32).map(|vertex| vec![(vertex - 1) / 2, vertex]));
            let order = tree_order(&links, vertices).expect("a tree");
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..links.len() as u32), "each item once");
            let width = width(&links, vertices, &order);
            assert!(width <= levels as usize + 1, "{levels} levels: {width}");
        }
    }

    #[test]
    fn a_wide_grid_is_no_tree() {
        let grid = |at: u32| vec![vec![at, at + 1], vec![at, at + 20]];
        let inside = (0..380).filter(|at| at % 20 != 19);
        assert_eq!(tree_order(&lists(inside.flat_map(grid)), 400), None);
    }
}

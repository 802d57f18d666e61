//! Strongly connected components of a plain graph, without recursion (R. Tarjan, 1972).
//!
//! Blocks of one mode are such components, and so are the coarse ones of all modes, in which modes are forgotten.

use modeshift_dae::Id;

/// The index of a vertex that was not visited.
const UNSEEN: u32 = u32::MAX;
/// The index of a vertex whose component is complete.
const COMPLETE: u32 = u32::MAX - 1;

/// Hands each strongly connected component of a graph to `found`, after those that it leads to.
///
/// Vertices are numbered below `count`, and visited from `starts`. `successor` is asked for the arcs of a vertex by
/// position: what the arc leads to, `Some(None)` for an arc that does not count, and nothing past the last. A component
/// lists its vertices as they were first visited.
pub fn strongly_connected_components<V: Id>(
    count: usize,
    starts: impl IntoIterator<Item = V>,
    successor: impl Fn(V, usize) -> Option<Option<V>>,
    mut found: impl FnMut(&mut [V]),
) {
    let mut search = Search { index: vec![UNSEEN; count], low: vec![0; count], open: Vec::new(), visited: 0 };
    let mut path: Vec<(V, usize)> = Vec::new();
    for start in starts {
        if search.index[start.index()] != UNSEEN {
            continue;
        }
        search.enter(start);
        path.push((start, 0));
        while let Some((vertex, at)) = path.last_mut() {
            let vertex = *vertex;
            let next = successor(vertex, *at);
            *at += 1;
            match next {
                Some(Some(target)) => match search.index[target.index()] {
                    UNSEEN => {
                        search.enter(target);
                        path.push((target, 0));
                    }
                    COMPLETE => {}
                    index => search.lower(vertex, index),
                },
                Some(None) => {}
                None => {
                    path.pop();
                    if let Some(&(parent, _)) = path.last() {
                        search.lower(parent, search.low[vertex.index()]);
                    }
                    search.leave(vertex, &mut found);
                }
            }
        }
    }
}

struct Search<V> {
    index: Vec<u32>,
    /// The smallest index that a vertex is known to lead to.
    low: Vec<u32>,
    /// Vertices whose components are not complete, as they were visited.
    open: Vec<V>,
    visited: u32,
}

impl<V: Id> Search<V> {
    fn enter(&mut self, vertex: V) {
        self.index[vertex.index()] = self.visited;
        self.low[vertex.index()] = self.visited;
        self.visited += 1;
        self.open.push(vertex);
    }

    fn lower(&mut self, vertex: V, index: u32) {
        let low = &mut self.low[vertex.index()];
        *low = index.min(*low);
    }

    /// Completes the component of a vertex that leads to none visited before it.
    fn leave(&mut self, vertex: V, found: &mut impl FnMut(&mut [V])) {
        if self.low[vertex.index()] != self.index[vertex.index()] {
            return;
        }
        let first = self.open.iter().rposition(|&member| member == vertex).expect("a vertex is open until it is left");
        for member in &self.open[first..] {
            self.index[member.index()] = COMPLETE;
        }
        found(&mut self.open[first..]);
        self.open.truncate(first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_after_those_they_lead_to() {
        let successors: [&[u32]; 6] = [&[1], &[2, 4], &[0, 3], &[], &[5], &[4]];
        let mut components: Vec<Vec<u32>> = Vec::new();
        strongly_connected_components(
            6,
            0..6,
            |vertex: u32, at| successors[vertex as usize].get(at).map(|&target| Some(target)),
            |component| components.push(component.to_vec()),
        );
        assert_eq!(components, [vec![3], vec![4, 5], vec![0, 1, 2]]);
    }

    #[test]
    fn long_paths_and_arcs_that_do_not_count_are_no_matter() {
        let count = 200_000;
        let mut largest = 0;
        strongly_connected_components(
            count,
            0..count,
            |vertex: usize, at| match at {
                0 => Some(Some((vertex + 1) % count)),
                1 => Some(None),
                _ => None,
            },
            |component| largest = component.len().max(largest),
        );
        assert_eq!(largest, count);
    }
}

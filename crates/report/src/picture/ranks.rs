//! Which row a vertex stands in: the longest way to it, with sources pulled down to what they lead to.

/// The edges with those turned around that close a cycle of a depth-first walk in the order of the vertices.
pub(super) fn acyclic_edges(vertices: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut outgoing = vec![Vec::new(); vertices];
    for (id, &(from, _)) in edges.iter().enumerate() {
        outgoing[from].push(id);
    }
    let mut state = vec![Visit::New; vertices];
    let mut result = edges.to_vec();
    for root in roots_first(vertices, edges) {
        walk(root, edges, &outgoing, &mut state, &mut result);
    }
    result
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    New,
    Open,
    Done,
}

/// Vertices without a predecessor, then the others, so that as few edges as possible are turned around.
fn roots_first(vertices: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut has_predecessor = vec![false; vertices];
    for &(_, to) in edges {
        has_predecessor[to] = true;
    }
    let (others, roots): (Vec<_>, Vec<_>) = (0..vertices).partition(|&vertex| has_predecessor[vertex]);
    roots.into_iter().chain(others).collect()
}

fn walk(
    root: usize,
    edges: &[(usize, usize)],
    outgoing: &[Vec<usize>],
    state: &mut [Visit],
    result: &mut [(usize, usize)],
) {
    if state[root] != Visit::New {
        return;
    }
    state[root] = Visit::Open;
    let mut path = vec![(root, 0)];
    while let Some((vertex, next)) = path.last_mut() {
        let Some(&edge) = outgoing[*vertex].get(*next) else {
            state[*vertex] = Visit::Done;
            path.pop();
            continue;
        };
        *next += 1;
        let (from, to) = edges[edge];
        match state[to] {
            Visit::Open => result[edge] = (to, from),
            Visit::New => {
                state[to] = Visit::Open;
                path.push((to, 0));
            }
            Visit::Done => {}
        }
    }
}

/// Ranks from 0 on along edges without a cycle.
pub(super) fn ranks(vertices: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut outgoing = vec![Vec::new(); vertices];
    let mut missing = vec![0; vertices];
    for &(from, to) in edges {
        outgoing[from].push(to);
        missing[to] += 1;
    }
    let mut ranks = vec![0; vertices];
    let mut order: Vec<usize> = (0..vertices).filter(|&vertex| missing[vertex] == 0).collect();
    let sources = order.len();
    let mut next = 0;
    while let Some(&vertex) = order.get(next) {
        for &to in &outgoing[vertex] {
            ranks[to] = ranks[to].max(ranks[vertex] + 1);
            missing[to] -= 1;
            if missing[to] == 0 {
                order.push(to);
            }
        }
        next += 1;
    }
    assert!(order.len() == vertices, "ranks need edges without a cycle");
    for &source in &order[..sources] {
        let nearest = outgoing[source].iter().map(|&to| ranks[to] - 1).min();
        ranks[source] = nearest.unwrap_or(0);
    }
    ranks
}

/// Ranks with those that are wider than `widest` spread over several, so that arrows still point downwards.
pub(super) fn wrapped(ranks: &[usize], widths: impl Fn(usize) -> f64, widest: f64) -> Vec<usize> {
    let mut by_rank: Vec<usize> = (0..ranks.len()).collect();
    by_rank.sort_by_key(|&vertex| ranks[vertex]);
    let mut result = vec![0; ranks.len()];
    let (mut row, mut filled) = (0, 0.0);
    for (at, &vertex) in by_rank.iter().enumerate() {
        let is_first_of_rank = at > 0 && ranks[by_rank[at - 1]] != ranks[vertex];
        if is_first_of_rank || filled > 0.0 && filled + widths(vertex) > widest {
            (row, filled) = (row + 1, 0.0);
        }
        result[vertex] = row;
        filled += widths(vertex);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_that_is_too_wide_takes_several_rows() {
        assert_eq!(wrapped(&[0, 1, 1, 1, 2], |_| 10.0, 25.0), [0, 1, 1, 2, 3]);
        assert_eq!(wrapped(&[1, 0, 1], |_| 100.0, 25.0), [1, 0, 2]);
    }

    #[test]
    fn a_source_stands_right_above_what_it_leads_to() {
        assert_eq!(ranks(4, &[(0, 1), (1, 2), (3, 2)]), [0, 1, 2, 1]);
    }

    #[test]
    fn only_edges_that_close_a_cycle_are_turned_around() {
        assert_eq!(acyclic_edges(3, &[(0, 1), (1, 2), (2, 0)]), [(0, 1), (1, 2), (0, 2)]);
        assert_eq!(acyclic_edges(3, &[(2, 1), (1, 0)]), [(2, 1), (1, 0)]);
    }
}

//! An order of equations in which neighbours in the model are near each other.
//!
//! The order decides in which sequence equations are matched, in which direction searches sweep, and, by first
//! occurrence, how the mode variables are ordered in the decision diagrams. The sizes of the diagrams depend on it: a
//! model whose equations are shuffled must come out as one written from left to right.
//!
//! Breadth-first from one end of each connected component, neighbours of low degree first: E. Cuthill and J. McKee,
//! Reducing the bandwidth of sparse symmetric matrices, 1969. Vertices of very many edges, such as `time`, tell nothing
//! about nearness and are left out.

use modeshift_dae::{EquationId, Id};

/// Vertices of more edges than this are left out.
const HUB_DEGREE: u8 = 64;
/// The bit of a vertex's state that tells whether the current walk has seen it; the others are its degree.
const SEEN: u8 = 0x80;

/// The bipartite graph of which an order is wanted: plain lists, no modes.
pub struct Adjacency {
    equation_count: usize,
    /// Where the neighbours of each vertex start; equations first, then variables.
    first: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Adjacency {
    /// The graph of these pairs of an equation and a variable, all different.
    pub fn new(
        equation_count: usize,
        variable_count: usize,
        pairs: impl Iterator<Item = (u32, u32)> + Clone,
    ) -> Adjacency {
        let mut first = vec![0u32; equation_count + variable_count + 1];
        for (equation, variable) in pairs.clone() {
            first[equation as usize + 1] += 1;
            first[equation_count + variable as usize + 1] += 1;
        }
        for vertex in 0..first.len() - 1 {
            first[vertex + 1] += first[vertex];
        }
        let mut next = first.clone();
        let mut neighbours = vec![0u32; first[first.len() - 1] as usize];
        let mut put = |from: usize, to: usize| {
            neighbours[next[from] as usize] = to as u32;
            next[from] += 1;
        };
        for (equation, variable) in pairs {
            let (equation, variable) = (equation as usize, equation_count + variable as usize);
            put(equation, variable);
            put(variable, equation);
        }
        Adjacency { equation_count, first, neighbours }
    }

    fn vertex_count(&self) -> usize {
        self.first.len() - 1
    }

    fn neighbours(&self, vertex: u32) -> &[u32] {
        &self.neighbours[self.first[vertex as usize] as usize..self.first[vertex as usize + 1] as usize]
    }

    /// How many neighbours each vertex has; of hubs only that they are.
    fn degrees(&self) -> Vec<u8> {
        self.first.windows(2).map(|ends| (ends[1] - ends[0]).min(u32::from(HUB_DEGREE) + 1) as u8).collect()
    }

    /// The same graph with `vertices[0]` as vertex 0 and so on. Hubs have no neighbours and are none.
    fn renumbered(&self, degrees: &[u8], vertices: &[u32]) -> Adjacency {
        let mut number = vec![u32::MAX; self.vertex_count()];
        for (new, &old) in vertices.iter().enumerate().filter(|&(_, &old)| !is_hub(degrees[old as usize])) {
            number[old as usize] = new as u32;
        }
        let mut first = Vec::with_capacity(vertices.len() + 1);
        let mut neighbours = Vec::with_capacity(self.neighbours.len());
        first.push(0);
        for &old in vertices {
            if !is_hub(degrees[old as usize]) {
                let numbers = self.neighbours(old).iter().map(|&neighbour| number[neighbour as usize]);
                neighbours.extend(numbers.filter(|&number| number != u32::MAX));
            }
            first.push(neighbours.len() as u32);
        }
        Adjacency { equation_count: 0, first, neighbours }
    }
}

fn is_hub(degree: u8) -> bool {
    degree > HUB_DEGREE
}

/// All equations, neighbours near each other.
///
/// Each connected component is walked three times: from anywhere, from where that ended, a vertex at the rim, and from
/// where this ended, at the opposite rim (A. George and J. Liu, 1979). The first walk touches memory all over the
/// graph; the others are over numbers that it gave.
pub fn locality_order(graph: &Adjacency) -> Vec<EquationId> {
    let degrees = graph.degrees();
    let mut walk = Walk { graph, states: degrees.clone() };
    let (mut walked, mut ends) = (Vec::with_capacity(graph.vertex_count()), Vec::new());
    for start in 0..graph.equation_count as u32 {
        if walk.states[start as usize] & SEEN == 0 {
            walk.breadth_first(start, SEEN, &mut walked);
            ends.push(walked.len());
        }
    }
    let near = graph.renumbered(&degrees, &walked);
    let degrees = walked.iter().map(|&vertex| degrees[vertex as usize]).collect();
    let mut walk = Walk { graph: &near, states: degrees };
    let (mut to_rim, mut order) = (Vec::new(), Vec::with_capacity(walked.len()));
    for end in ends {
        to_rim.clear();
        walk.breadth_first(end as u32 - 1, SEEN, &mut to_rim);
        let rim = *to_rim.last().expect("a walk contains its start");
        walk.breadth_first(rim, 0, &mut order);
    }
    let equations = order.into_iter().map(|vertex| walked[vertex as usize] as usize);
    equations.filter(|&vertex| vertex < graph.equation_count).map(EquationId::from_index).collect()
}

/// Breadth-first walks over one graph.
struct Walk<'a> {
    graph: &'a Adjacency,
    /// The degree of each vertex, and a bit that each walk turns over.
    states: Vec<u8>,
}

impl Walk<'_> {
    /// Appends the component of `start` in breadth-first order, neighbours of low degree first, without hubs; `start`
    /// alone if it is one. Turns the bit of each vertex to `seen`.
    fn breadth_first(&mut self, start: u32, seen: u8, queue: &mut Vec<u32>) {
        let mut at = queue.len();
        queue.push(start);
        self.states[start as usize] ^= SEEN;
        while let Some(&vertex) = queue.get(at).filter(|&&vertex| !is_hub(self.states[vertex as usize] & !SEEN)) {
            at += 1;
            let from = queue.len();
            for &next in self.graph.neighbours(vertex) {
                let state = &mut self.states[next as usize];
                if *state & SEEN != seen && !is_hub(*state & !SEEN) {
                    *state ^= SEEN;
                    queue.push(next);
                }
            }
            queue[from..].sort_by_key(|&next| self.states[next as usize]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffled_chain_comes_out_in_the_order_of_the_chain() {
        let length = 1000u32;
        let shuffled = |k: u32| (k * 367) % length;
        let pairs: Vec<_> =
            (0..length).flat_map(|k| [(shuffled(k), k), (shuffled(k), k + 1)]).filter(|&(_, v)| v < length).collect();
        let order = locality_order(&Adjacency::new(length as usize, length as usize, pairs.iter().copied()));
        let mut position = vec![0i64; length as usize];
        for (at, equation) in order.iter().enumerate() {
            position[equation.index()] = at as i64;
        }
        for k in 0..length - 1 {
            let distance = position[shuffled(k) as usize] - position[shuffled(k + 1) as usize];
            assert_eq!(distance.abs(), 1, "neighbours {k} and {} of the chain", k + 1);
        }
    }

    #[test]
    fn a_variable_of_every_equation_does_not_make_all_equations_neighbours() {
        let length = 500u32;
        let mut pairs: Vec<_> = (0..length).flat_map(|k| [(k, k), (k, (k + 1) % length)]).collect();
        pairs.extend((0..length).map(|k| (k, length)));
        let order = locality_order(&Adjacency::new(length as usize, length as usize + 1, pairs.iter().copied()));
        assert_eq!(order.len(), length as usize);
        let mut position = vec![0i64; length as usize];
        for (at, equation) in order.iter().enumerate() {
            position[equation.index()] = at as i64;
        }
        let farthest = (0..length as usize - 1).map(|k| (position[k] - position[k + 1]).abs()).max();
        assert!(farthest <= Some(3), "neighbours of the ring are {farthest:?} apart");
    }
}

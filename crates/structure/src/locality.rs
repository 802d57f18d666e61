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
const HUB_DEGREE: u32 = 64;

/// The bipartite graph of which an order is wanted: plain lists, no modes.
pub struct Adjacency {
    equation_count: usize,
    /// Where the neighbours of each vertex start; equations first, then variables.
    first: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Adjacency {
    /// The graph of these pairs of an equation and a variable, all different.
    pub fn new(equation_count: usize, variable_count: usize, pairs: &[(u32, u32)]) -> Adjacency {
        let mut first = vec![0u32; equation_count + variable_count + 1];
        for &(equation, variable) in pairs {
            first[equation as usize + 1] += 1;
            first[equation_count + variable as usize + 1] += 1;
        }
        for vertex in 0..first.len() - 1 {
            first[vertex + 1] += first[vertex];
        }
        let mut next = first.clone();
        let mut neighbours = vec![0u32; 2 * pairs.len()];
        let mut put = |from: usize, to: usize| {
            neighbours[next[from] as usize] = to as u32;
            next[from] += 1;
        };
        for &(equation, variable) in pairs {
            let (equation, variable) = (equation as usize, equation_count + variable as usize);
            put(equation, variable);
            put(variable, equation);
        }
        Adjacency { equation_count, first, neighbours }
    }

    fn vertex_count(&self) -> usize {
        self.first.len() - 1
    }

    fn degree(&self, vertex: u32) -> u32 {
        self.first[vertex as usize + 1] - self.first[vertex as usize]
    }

    fn neighbours(&self, vertex: u32) -> &[u32] {
        &self.neighbours[self.first[vertex as usize] as usize..self.first[vertex as usize + 1] as usize]
    }

    fn is_hub(&self, vertex: u32) -> bool {
        self.degree(vertex) > HUB_DEGREE
    }
}

/// All equations, neighbours near each other.
pub fn locality_order(graph: &Adjacency) -> Vec<EquationId> {
    let mut walk = Walk { graph, seen: vec![0; graph.vertex_count()], round: 0 };
    let mut placed = vec![false; graph.vertex_count()];
    let mut order = Vec::with_capacity(graph.equation_count);
    for start in 0..graph.equation_count as u32 {
        if placed[start as usize] {
            continue;
        }
        let end = walk.far_end(start, &placed);
        for vertex in walk.breadth_first(end, &placed) {
            placed[vertex as usize] = true;
            if (vertex as usize) < graph.equation_count {
                order.push(EquationId::from_index(vertex as usize));
            }
        }
    }
    order
}

/// Repeated breadth-first walks over one graph.
struct Walk<'a> {
    graph: &'a Adjacency,
    seen: Vec<u32>,
    round: u32,
}

impl Walk<'_> {
    /// A vertex at the rim of the component of `start`: the last one of two walks (A. George and J. Liu, 1979).
    fn far_end(&mut self, start: u32, placed: &[bool]) -> u32 {
        let mut end = start;
        for _ in 0..2 {
            end = *self.breadth_first(end, placed).last().expect("a walk contains its start");
        }
        end
    }

    /// The vertices that are not `placed` in breadth-first order from `start`; no hubs but `start`, which ends there then.
    fn breadth_first(&mut self, start: u32, placed: &[bool]) -> Vec<u32> {
        self.round += 1;
        self.seen[start as usize] = self.round;
        let mut queue = vec![start];
        let mut at = 0;
        while let Some(&vertex) = queue.get(at).filter(|&&vertex| !self.graph.is_hub(vertex)) {
            at += 1;
            let from = queue.len();
            for &next in self.graph.neighbours(vertex) {
                let seen = std::mem::replace(&mut self.seen[next as usize], self.round) == self.round;
                if !seen && !placed[next as usize] && !self.graph.is_hub(next) {
                    queue.push(next);
                }
            }
            queue[from..].sort_by_key(|&next| self.graph.degree(next));
        }
        queue
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
        let order = locality_order(&Adjacency::new(length as usize, length as usize, &pairs));
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
        let order = locality_order(&Adjacency::new(length as usize, length as usize + 1, &pairs));
        assert_eq!(order.len(), length as usize);
        let mut position = vec![0i64; length as usize];
        for (at, equation) in order.iter().enumerate() {
            position[equation.index()] = at as i64;
        }
        let farthest = (0..length as usize - 1).map(|k| (position[k] - position[k + 1]).abs()).max();
        assert!(farthest <= Some(3), "neighbours of the ring are {farthest:?} apart");
    }
}

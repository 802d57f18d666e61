//! An order of equations in which neighbours in the model are near each other.
//!
//! The order decides in which sequence equations are matched, in which direction searches sweep, and, by first
//! occurrence, how the mode variables are ordered in the decision diagrams. The sizes of the diagrams depend on it: a
//! model whose equations are shuffled must come out as one written from left to right.
//!
//! Breadth-first from one end of each connected component, neighbours of low degree first: E. Cuthill and J. McKee,
//! Reducing the bandwidth of sparse symmetric matrices, 1969. Vertices of very many edges, such as `time`, tell nothing
//! about nearness and are left out.
//!
//! What hangs on a bus bar, a source with twenty rectifiers, is no line: breadth first, the first elements of all
//! branches come before the second of any, and a diagram that speaks of each branch remembers all of them. Left without the bar,
//! the branches come one after the other. Both orders are made where there is such a vertex, and the shorter one is taken.

use modeshift_dae::{EquationId, Id};

use crate::locality::bits::Bits;
use crate::locality::lists::Lists;

/// Vertices of more edges than this are left out.
const HUB_DEGREE: u8 = 64;
/// Vertices of more edges than this may be bus bars. Fewer branches, one beside the other, make diagrams of some hundred nodes
/// at most.
const BAR_DEGREE: u8 = 8;
/// The bit of a vertex's state that tells whether the current walk has seen it; the others are its degree.
const SEEN: u8 = 0x80;
/// Vertices whose neighbours the first walk fetches at the same time.
const VERTICES_AT_ONCE: usize = 32;

/// The bipartite graph of which an order is wanted: plain lists, no modes.
pub(crate) struct Adjacency {
    equation_count: usize,
    /// The neighbours of each vertex, ascending; equations first, then variables.
    neighbours: Lists<u32>,
}

impl Adjacency {
    /// The graph of the variables in each equation, all different.
    pub(crate) fn new(variables_of_equations: Lists<u32>, variable_count: usize) -> Adjacency {
        let equation_count = variables_of_equations.len();
        let equations_of_variables = variables_of_equations.transposed(variable_count);
        let mut neighbours = variables_of_equations.filter_map(|variable| Some(equation_count as u32 + variable));
        neighbours.append(&equations_of_variables);
        Adjacency { equation_count, neighbours }
    }
}

/// How many neighbours a vertex has whose list is at this place; of hubs only that they are.
fn degree((start, end): (u32, u32)) -> u8 {
    (end - start).min(u32::from(HUB_DEGREE) + 1) as u8
}

fn is_hub(degree: u8) -> bool {
    degree > HUB_DEGREE
}

/// All equations, neighbours near each other.
///
/// Each connected component is walked three times: from anywhere, from where that ended, a vertex at the rim, and from
/// where this ended, at the opposite rim (A. George and J. Liu, 1979). The first walk touches memory all over the
/// graph; the others are over numbers that it gave.
pub(crate) fn locality_order(graph: &Adjacency) -> Vec<EquationId> {
    let mut walk = FirstWalk::new(&graph.neighbours);
    let mut ends = Vec::new();
    for start in 0..graph.equation_count as u32 {
        if !walk.seen.contains(start as usize) {
            walk.visit_component(start);
            ends.push(walk.met.len());
        }
    }
    let (walked, degrees, near) = walk.finish();
    let is_equation: Vec<bool> = walked.iter().map(|&vertex| (vertex as usize) < graph.equation_count).collect();
    let has_bars = degrees.iter().any(|&degree| degree > BAR_DEGREE && !is_hub(degree));
    let mut walk = Walk { graph: &near, states: degrees, hub_degree: HUB_DEGREE };
    let mut order = walk.rim_to_rim(ends.iter().map(|&end| end as u32 - 1));
    if has_bars {
        walk.hub_degree = BAR_DEGREE;
        let without_bars = walk.rim_to_rim(order.iter().copied());
        if length(&near, &is_equation, &without_bars) < length(&near, &is_equation, &order) {
            order = without_bars;
        }
    }
    let equations = order.into_iter().filter(|&vertex| is_equation[vertex as usize]);
    equations.map(|vertex| EquationId::from_index(walked[vertex as usize] as usize)).collect()
}

/// How far the equations of each variable are apart in an order, all together.
fn length(graph: &Lists<u32>, is_equation: &[bool], order: &[u32]) -> u64 {
    let mut positions = vec![0_u32; is_equation.len()];
    for (at, &vertex) in order.iter().enumerate() {
        positions[vertex as usize] = at as u32;
    }
    let variables = (0..is_equation.len()).filter(|&vertex| !is_equation[vertex]);
    let spans = variables.map(|variable| {
        let places = graph.of(variable).iter().map(|&equation| positions[equation as usize]);
        let (first, last) = places.fold((u32::MAX, 0), |(first, last), at| (first.min(at), last.max(at)));
        u64::from(last.saturating_sub(first))
    });
    spans.sum()
}

/// A vertex that the first walk has met, and where its neighbours are listed.
#[derive(Clone, Copy)]
struct Met {
    vertex: u32,
    neighbours: (u32, u32),
}

impl Met {
    fn degree(&self) -> u8 {
        degree(self.neighbours)
    }
}

/// The breadth-first walk over a graph that is spread over memory. Neighbours of low degree come first, hubs are left
/// out.
///
/// Several vertices of the queue are taken at a time, and each step is done for all of them before the next, so that
/// they wait for memory together: who their neighbours are, then where the neighbours of these are.
struct FirstWalk<'a> {
    graph: &'a Lists<u32>,
    seen: Bits,
    /// In the order of the walk; hubs only as starts.
    met: Vec<Met>,
    /// The neighbours of those that were taken from the queue, hubs included.
    near: Lists<u32>,
    /// Those that the taken vertices meet first, and for each of these where its own end.
    found: Vec<Met>,
    ends: Vec<usize>,
}

impl<'a> FirstWalk<'a> {
    fn new(graph: &'a Lists<u32>) -> Self {
        FirstWalk {
            graph,
            seen: Bits::new(graph.len()),
            met: Vec::with_capacity(graph.len()),
            near: Lists::with_capacity(graph.len(), graph.item_count()),
            found: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Walks over the component of `start`, or visits `start` alone if it is a hub.
    fn visit_component(&mut self, start: u32) {
        let mut at = self.met.len();
        self.seen.insert(start as usize);
        self.met.push(Met { vertex: start, neighbours: self.graph.range(start as usize) });
        while at < self.met.len() {
            let end = self.met.len().min(at + VERTICES_AT_ONCE);
            self.fetch_neighbours(at, end);
            self.find_unseen(at, end);
            self.append_found();
            at = end;
        }
    }

    fn fetch_neighbours(&mut self, at: usize, end: usize) {
        for met in &self.met[at..end] {
            let list = if is_hub(met.degree()) { &[] } else { self.graph.items(met.neighbours) };
            self.near.push(list);
        }
    }

    fn find_unseen(&mut self, at: usize, end: usize) {
        self.found.clear();
        self.ends.clear();
        for vertex in at..end {
            let unseen = self.near.of(vertex).iter().filter(|&&next| self.seen.insert(next as usize));
            self.found.extend(unseen.map(|&vertex| Met { vertex, neighbours: (0, 0) }));
            self.ends.push(self.found.len());
        }
        for met in &mut self.found {
            met.neighbours = self.graph.range(met.vertex as usize);
        }
    }

    /// Appends to the queue what each vertex has found; hubs are forgotten again, as they may be starts.
    fn append_found(&mut self) {
        let mut start = 0;
        for &end in &self.ends {
            let from = self.met.len();
            for met in &self.found[start..end] {
                if is_hub(met.degree()) {
                    self.seen.remove(met.vertex as usize);
                } else {
                    self.met.push(*met);
                }
            }
            self.met[from..].sort_by_key(Met::degree);
            start = end;
        }
    }

    /// The vertices in the order of the walk, their degrees, and the graph with the places in this order for numbers.
    /// Hubs have no neighbours and are none.
    fn finish(self) -> (Vec<u32>, Vec<u8>, Lists<u32>) {
        let FirstWalk { graph, met, near, .. } = self;
        let mut number = vec![u32::MAX; graph.len()];
        for (new, met) in met.iter().enumerate().filter(|(_, met)| !is_hub(met.degree())) {
            number[met.vertex as usize] = new as u32;
        }
        let near = near.filter_map(|vertex| Some(number[vertex as usize]).filter(|&number| number != u32::MAX));
        (met.iter().map(|met| met.vertex).collect(), met.iter().map(Met::degree).collect(), near)
    }
}

/// Breadth-first walks over one graph.
struct Walk<'a> {
    graph: &'a Lists<u32>,
    /// The degree of each vertex, and a bit that each walk turns over.
    states: Vec<u8>,
    /// Vertices of more edges than this are left out.
    hub_degree: u8,
}

impl Walk<'_> {
    /// All vertices, the component of each start that has not come before from one rim to the opposite one. Leaves the bits as
    /// they were.
    fn rim_to_rim(&mut self, starts: impl Iterator<Item = u32>) -> Vec<u32> {
        let (mut to_rim, mut order) = (Vec::new(), Vec::with_capacity(self.states.len()));
        let mut placed = Bits::new(self.states.len());
        for start in starts {
            if placed.contains(start as usize) {
                continue;
            }
            to_rim.clear();
            self.breadth_first(start, SEEN, &mut to_rim);
            let rim = *to_rim.last().expect("a walk contains its start");
            let from = order.len();
            self.breadth_first(rim, 0, &mut order);
            for &vertex in &order[from..] {
                placed.insert(vertex as usize);
            }
        }
        order
    }

    fn is_hub(&self, state: u8) -> bool {
        state & !SEEN > self.hub_degree
    }

    /// Appends the component of `start` in breadth-first order, neighbours of low degree first, without hubs; `start`
    /// alone if it is one. Turns the bit of each vertex to `seen`.
    fn breadth_first(&mut self, start: u32, seen: u8, queue: &mut Vec<u32>) {
        let mut at = queue.len();
        queue.push(start);
        self.states[start as usize] ^= SEEN;
        while let Some(&vertex) = queue.get(at).filter(|&&vertex| !self.is_hub(self.states[vertex as usize])) {
            at += 1;
            let from = queue.len();
            for &next in self.graph.of(vertex as usize) {
                let state = self.states[next as usize];
                if state & SEEN != seen && !self.is_hub(state) {
                    self.states[next as usize] ^= SEEN;
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

    fn graph(equations: u32, variables: u32, pairs: &[(u32, u32)]) -> Adjacency {
        Adjacency::new(Lists::grouped(equations as usize, pairs.iter().copied()), variables as usize)
    }

    #[test]
    fn a_shuffled_chain_comes_out_in_the_order_of_the_chain() {
        let length = 1000u32;
        let shuffled = |k: u32| (k * 367) % length;
        let pairs: Vec<_> =
            (0..length).flat_map(|k| [(shuffled(k), k), (shuffled(k), k + 1)]).filter(|&(_, v)| v < length).collect();
        let order = locality_order(&graph(length, length, &pairs));
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
    fn branches_on_a_bar_come_one_after_the_other() {
        // Twenty branches of five equations on one variable, in layers: equation 20*l + b is link l of branch b.
        let (branches, links) = (20u32, 5u32);
        let link = |l: u32, b: u32| branches * l + b;
        let bar = branches * links;
        let of_link = |l: u32, b: u32| {
            let before = if l == 0 { bar } else { link(l - 1, b) };
            [(link(l, b), before), (link(l, b), link(l, b))]
        };
        let pairs: Vec<_> = (0..links).flat_map(|l| (0..branches).flat_map(move |b| of_link(l, b))).collect();
        let order = locality_order(&graph(branches * links, bar + 1, &pairs));
        for branch in order.chunks(links as usize) {
            assert!(branch.iter().all(|it| it.0 % branches == branch[0].0 % branches), "{branch:?} are of several");
        }
    }

    #[test]
    fn a_variable_of_every_equation_does_not_make_all_equations_neighbours() {
        let length = 500u32;
        let mut pairs: Vec<_> = (0..length).flat_map(|k| [(k, k), (k, (k + 1) % length)]).collect();
        pairs.extend((0..length).map(|k| (k, length)));
        let order = locality_order(&graph(length, length + 1, &pairs));
        assert_eq!(order.len(), length as usize);
        let mut position = vec![0i64; length as usize];
        for (at, equation) in order.iter().enumerate() {
            position[equation.index()] = at as i64;
        }
        let farthest = (0..length as usize - 1).map(|k| (position[k] - position[k + 1]).abs()).max();
        assert!(farthest <= Some(3), "neighbours of the ring are {farthest:?} apart");
    }
}

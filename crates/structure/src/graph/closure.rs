//! Which vertices of a directed graph reach which others, in which modes, between neighbours.
//!
//! The transitive closure of a graph whose arcs carry sets of modes is the closure of a matrix over the Boolean
//! semiring, and only the entries between neighbours are wanted. So it is computed like selected entries of the inverse
//! of a sparse matrix: vertices are eliminated, few neighbours first, which leaves arcs for the paths through them; then,
//! in reverse, the closure between each vertex and its neighbours at elimination follows from that among these
//! neighbours, which were all neighbours of each other by then.
//!
//! A. Erisman and W. Tinney, On computing certain elements of the inverse of a sparse matrix, 1975, over another ring.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use modeshift_modes::{Limit, ModeSet, ModeSpace};

/// A neighbour, with the modes in which there is a way to it and a way from it.
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    vertex: u32,
    to: ModeSet,
    from: ModeSet,
}

/// A directed graph whose arcs are there in some modes.
pub(crate) struct Digraph {
    /// Of each vertex, sorted.
    neighbours: Vec<Vec<Neighbour>>,
}

impl Digraph {
    pub(crate) fn new(vertices: usize) -> Digraph {
        Digraph { neighbours: vec![Vec::new(); vertices] }
    }

    /// Adds an arc, or modes to it.
    pub(crate) fn add(&mut self, space: &ModeSpace, from: u32, to: u32, modes: ModeSet) {
        let arc = neighbour(&mut self.neighbours[from as usize], to);
        arc.to = space.or(arc.to, modes);
        let arc = neighbour(&mut self.neighbours[to as usize], from);
        arc.from = space.or(arc.from, modes);
    }

    /// The ways between neighbours. Of vertices with equally many neighbours the one of highest rank goes first.
    pub(crate) fn closure(mut self, space: &ModeSpace, rank: &[u32]) -> Result<Closure, Limit> {
        let order = self.eliminate(space, rank)?;
        let mut closure = Closure { place: vec![0; order.len()], neighbours: self.neighbours };
        for (place, &vertex) in order.iter().enumerate() {
            closure.place[vertex as usize] = place as u32;
        }
        for (count, &vertex) in order.iter().rev().enumerate() {
            closure.substitute_back(space, vertex);
            if count % 256 == 0 {
                space.check()?;
            }
        }
        space.check()?;
        Ok(closure)
    }

    /// Eliminates all vertices; leaves with each the neighbours it had then, and returns the order.
    fn eliminate(&mut self, space: &ModeSpace, rank: &[u32]) -> Result<Vec<u32>, Limit> {
        let entry = |graph: &Digraph, vertex: u32| {
            (Reverse(graph.neighbours[vertex as usize].len()), rank[vertex as usize], vertex)
        };
        let mut queue: BinaryHeap<_> = (0..rank.len() as u32).map(|vertex| entry(self, vertex)).collect();
        let mut eliminated = vec![false; rank.len()];
        let mut order = Vec::with_capacity(rank.len());
        while let Some(first) = queue.pop() {
            let vertex = first.2;
            if eliminated[vertex as usize] || first != entry(self, vertex) {
                continue;
            }
            eliminated[vertex as usize] = true;
            self.bypass(space, vertex);
            for at in 0..self.neighbours[vertex as usize].len() {
                let other = self.neighbours[vertex as usize][at].vertex;
                queue.push(entry(self, other));
            }
            order.push(vertex);
            if order.len() % 256 == 0 {
                space.check()?;
            }
        }
        Ok(order)
    }

    /// Connects the neighbours of a vertex by the ways through it, and takes the vertex out of their lists.
    fn bypass(&mut self, space: &ModeSpace, vertex: u32) {
        let around = std::mem::take(&mut self.neighbours[vertex as usize]);
        for &Neighbour { vertex: from, from: first, .. } in &around {
            let list = &mut self.neighbours[from as usize];
            let at =
                list.binary_search_by_key(&vertex, |neighbour| neighbour.vertex).expect("neighbours know each other");
            list.remove(at);
            for &Neighbour { vertex: to, to: second, .. } in around.iter().filter(|other| other.vertex != from) {
                let through = space.and(first, second);
                if !through.is_empty() {
                    self.add(space, from, to, through);
                }
            }
        }
        self.neighbours[vertex as usize] = around;
    }
}

fn neighbour(list: &mut Vec<Neighbour>, vertex: u32) -> &mut Neighbour {
    let at = match list.binary_search_by_key(&vertex, |neighbour| neighbour.vertex) {
        Ok(at) => at,
        Err(at) => {
            list.insert(at, Neighbour { vertex, to: ModeSet::EMPTY, from: ModeSet::EMPTY });
            at
        }
    };
    &mut list[at]
}

/// The modes in which vertices reach each other, for those that were neighbours when one of them was eliminated.
pub(crate) struct Closure {
    /// When each vertex was eliminated.
    place: Vec<u32>,
    /// Of each vertex those that were eliminated later.
    neighbours: Vec<Vec<Neighbour>>,
}

impl Closure {
    /// The modes in which there is a way, also of no arc at all.
    pub(crate) fn modes(&self, from: u32, to: u32) -> ModeSet {
        if from == to {
            return ModeSet::ALL;
        }
        let forwards = self.place[from as usize] < self.place[to as usize];
        let (earlier, later) = if forwards { (from, to) } else { (to, from) };
        let list = &self.neighbours[earlier as usize];
        match list.binary_search_by_key(&later, |neighbour| neighbour.vertex) {
            Ok(at) if forwards => list[at].to,
            Ok(at) => list[at].from,
            Err(_) => ModeSet::EMPTY,
        }
    }

    /// Replaces the arcs between a vertex and its later neighbours by the ways between them.
    fn substitute_back(&mut self, space: &ModeSpace, vertex: u32) {
        let around = std::mem::take(&mut self.neighbours[vertex as usize]);
        let ways = around.iter().map(|&Neighbour { vertex: end, .. }| {
            let mut way = Neighbour { vertex: end, to: ModeSet::EMPTY, from: ModeSet::EMPTY };
            for &Neighbour { vertex: next, to, from } in &around {
                way.to = space.or(way.to, space.and(to, self.modes(next, end)));
                way.from = space.or(way.from, space.and(from, self.modes(end, next)));
            }
            way
        });
        self.neighbours[vertex as usize] = ways.collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use modeshift_modes::ModeVariable;

    #[test]
    fn a_cycle_is_a_cycle_in_the_modes_of_all_its_arcs() {
        let space = ModeSpace::new(5);
        let arc = |k: u32| space.literal(ModeVariable(k));
        let mut graph = Digraph::new(5);
        (0..5).for_each(|k| graph.add(&space, k, (k + 1) % 5, arc(k)));
        let closure = graph.closure(&space, &[0, 1, 2, 3, 4]).expect("no limit is set");
        let all = space.intersection((0..5).map(arc));
        for k in 0..5 {
            let back = closure.modes((k + 1) % 5, k);
            assert_eq!(space.and(back, arc(k)), all, "arc {k}");
        }
    }
}

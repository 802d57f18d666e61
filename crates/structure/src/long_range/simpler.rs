//! A simpler graph with the same verdict, before it is swept: without what has one partner only.

use modeshift_modes::ModeSet;

use super::plan::{Graph, Item};

/// A graph without what can be matched in one way only, and the modes in which a vertex thereby lost all its items.
pub(super) struct Simpler {
    pub(super) graph: Graph,
    pub(super) lonely: Vec<ModeSet>,
}

impl Graph {
    /// Leaves out vertices of one item and items of one vertex with their partners, as often as there are any whose edge is there
    /// whenever both are: every perfect matching has that edge. The balance of a ground, whose own current nothing else has, goes
    /// this way, and with it what would connect all places of a circuit.
    pub(super) fn without_leaves(self) -> Simpler {
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.vertices.len()];
        for (number, item) in self.items.iter().enumerate() {
            item.edges.iter().for_each(|&(vertex, _)| users[vertex as usize].push(number));
        }
        let mut leaves = Leaves {
            of_item: self.items.iter().map(|item| item.edges.len()).collect(),
            of_vertex: users.iter().map(Vec::len).collect(),
            item_is_gone: vec![false; self.items.len()],
            vertex_is_gone: vec![false; self.vertices.len()],
            waiting: Vec::new(),
            users: &users,
            graph: &self,
        };
        leaves.work_off();
        let Leaves { of_vertex, item_is_gone, vertex_is_gone, .. } = leaves;
        let is_lonely = |&at: &usize| !vertex_is_gone[at] && of_vertex[at] == 0 && !users[at].is_empty();
        let lonely = (0..self.vertices.len()).filter(is_lonely).map(|at| self.vertices[at]).collect();
        let left = self.items.into_iter().zip(item_is_gone).filter(|(_, is_gone)| !is_gone);
        let items = left.map(|(Item { guard, mut edges, sources, orders }, _)| {
            edges.retain(|&(vertex, _)| !vertex_is_gone[vertex as usize]);
            Item { guard, edges, sources, orders }
        });
        Simpler { graph: Graph { items: items.collect(), vertices: self.vertices }, lonely }
    }
}

/// Something that may have become a leaf.
enum Place {
    Item(usize),
    Vertex(usize),
}

struct Leaves<'a> {
    graph: &'a Graph,
    users: &'a [Vec<usize>],
    /// How many edges are left.
    of_item: Vec<usize>,
    of_vertex: Vec<usize>,
    item_is_gone: Vec<bool>,
    vertex_is_gone: Vec<bool>,
    waiting: Vec<Place>,
}

impl Leaves<'_> {
    fn work_off(&mut self) {
        self.waiting.extend((0..self.of_item.len()).map(Place::Item));
        self.waiting.extend((0..self.of_vertex.len()).map(Place::Vertex));
        while let Some(place) = self.waiting.pop() {
            let edge = match place {
                Place::Item(item) if self.of_item[item] == 1 && !self.item_is_gone[item] => {
                    let mut edges = self.graph.items[item].edges.iter();
                    edges.find(|(vertex, _)| !self.vertex_is_gone[*vertex as usize]).map(|it| (item, it.0 as usize))
                }
                Place::Vertex(vertex) if self.of_vertex[vertex] == 1 && !self.vertex_is_gone[vertex] => {
                    let mut items = self.users[vertex].iter();
                    items.find(|&&item| !self.item_is_gone[item]).map(|&item| (item, vertex))
                }
                _ => None,
            };
            if let Some((item, vertex)) = edge.filter(|&(item, vertex)| self.is_always_there(item, vertex)) {
                self.leave_out(item, vertex);
            }
        }
    }

    /// Whether item, vertex and the edge between them are there in the same modes.
    fn is_always_there(&self, item: usize, vertex: usize) -> bool {
        let Item { guard, edges, .. } = &self.graph.items[item];
        let modes = edges.iter().find(|edge| edge.0 as usize == vertex).map(|edge| edge.1);
        modes == Some(*guard) && *guard == self.graph.vertices[vertex]
    }

    fn leave_out(&mut self, item: usize, vertex: usize) {
        (self.item_is_gone[item], self.vertex_is_gone[vertex]) = (true, true);
        for &(other, _) in &self.graph.items[item].edges {
            self.of_vertex[other as usize] -= 1;
            self.waiting.push(Place::Vertex(other as usize));
        }
        for &other in &self.users[vertex] {
            self.of_item[other] -= 1;
            self.waiting.push(Place::Item(other));
        }
    }
}

//! A graph for the sweep in which switches that are open are not there.
//!
//! The law of a branch says what its flow is: `x = if closed then g*(p - q) else 0`. It always has `x`, so the two are a *pair*: matched with
//! each other they concern nobody else, and otherwise the law is matched with `p` or `q` and `x` with one of the other equations that have
//! it, a balance. So the pair leads from an equation to a variable, or is left out, and where the switch is open there is nothing it
//! could lead to. What is swept over are pairs; in the boundary are the ends of pairs, equations as well as variables. In a
//! network these are balances and potentials, two per node at the front, however many branches a node has, whereas flows and
//! potentials of all branches that the front cuts would be half as many again, in an order that is hard to find.
//!
//! Ends of a pair are in no pair themselves: otherwise pairs would lead to pairs, and a summary would have to know how they go on.
//!
//! An equation of very many variables is an end too: it leads to some of them at a time.

use modeshift_modes::ModeSet;

use super::plan::{Graph, Item};

/// Items with more vertices than this are taken apart: a wire that many elements share would be wider than any boundary.
const LONGEST_ITEM: usize = 8;
/// How many variables an equation leads to at a time.
const AT_A_TIME: usize = 6;

impl Graph {
    /// The same with switched laws as pairs; nothing where there are none.
    pub(super) fn with_pairs(&self) -> Option<Graph> {
        let pairs = Pairs::of(self);
        if pairs.of_vertex.iter().all(Option::is_none) {
            return None;
        }
        let mut vertices = self.vertices.clone();
        let mut ends: Vec<Option<u32>> = vec![None; self.items.len()];
        for (number, item) in self.items.iter().enumerate() {
            let leads_to_pairs = item.edges.iter().any(|edge| pairs.of_vertex[edge.0 as usize].is_some());
            if leads_to_pairs && !pairs.is_law[number] {
                ends[number] = Some(vertices.len() as u32);
                vertices.push(item.guard);
            }
        }
        let mut items = Vec::with_capacity(self.items.len());
        for (number, Item { guard, edges, .. }) in self.items.iter().enumerate() {
            let other_edges = edges.iter().copied().filter(|edge| pairs.of_vertex[edge.0 as usize].is_none());
            let flow = edges.iter().find(|edge| pairs.of_vertex[edge.0 as usize] == Some(number));
            match (ends[number], flow) {
                (_, Some(&(flow, _))) => {
                    let sources =
                        pairs.users[flow as usize].iter().filter_map(|&(user, modes)| Some((ends[user]?, modes)));
                    let mut edges: Vec<(u32, ModeSet)> = sources.collect();
                    let sources = edges.len();
                    edges.extend(other_edges);
                    items.push(Item { guard: *guard, edges, sources, orders: Vec::new() });
                }
                (Some(end), None) => {
                    let others: Vec<(u32, ModeSet)> = other_edges.collect();
                    items.extend(others.chunks(AT_A_TIME).map(|edges| leading(end, *guard, edges)));
                }
                (None, None) => {
                    items.push(Item { guard: *guard, edges: edges.clone(), sources: 0, orders: Vec::new() })
                }
            }
        }
        Some(Graph { items, vertices })
    }

    /// The same with each long equation as an end that leads to a few of its variables at a time.
    pub(super) fn with_short_items(self) -> Graph {
        let Graph { items, mut vertices } = self;
        let mut short = Vec::with_capacity(items.len());
        for item in items {
            if item.edges.len() <= LONGEST_ITEM || item.sources > 0 {
                short.push(item);
                continue;
            }
            let end = vertices.len() as u32;
            vertices.push(item.guard);
            short.extend(item.edges.chunks(AT_A_TIME).map(|edges| leading(end, item.guard, edges)));
        }
        Graph { items: short, vertices }
    }
}

/// Some variables of an equation, which may be matched with one of them.
fn leading(end: u32, guard: ModeSet, edges: &[(u32, ModeSet)]) -> Item {
    let edges = [(end, guard)].into_iter().chain(edges.iter().copied()).collect();
    Item { guard, edges, sources: 1, orders: Vec::new() }
}

/// Which laws are pairs with which flows.
struct Pairs {
    /// By vertex: its law.
    of_vertex: Vec<Option<usize>>,
    is_law: Vec<bool>,
    /// By vertex: the items that have it, with the modes.
    users: Vec<Vec<(usize, ModeSet)>>,
}

impl Pairs {
    fn of(graph: &Graph) -> Pairs {
        let mut users: Vec<Vec<(usize, ModeSet)>> = vec![Vec::new(); graph.vertices.len()];
        for (number, item) in graph.items.iter().enumerate() {
            item.edges.iter().for_each(|&(vertex, modes)| users[vertex as usize].push((number, modes)));
        }
        let mut pairs =
            Pairs { of_vertex: vec![None; graph.vertices.len()], is_law: vec![false; graph.items.len()], users };
        let (mut is_end, mut vertex_is_end) = (vec![false; graph.items.len()], vec![false; graph.vertices.len()]);
        for (number, Item { guard, edges, .. }) in graph.items.iter().enumerate() {
            let of_ends = |&&(vertex, modes): &&(u32, ModeSet)| {
                let users = &pairs.users[vertex as usize];
                modes == *guard
                    && graph.vertices[vertex as usize] == *guard
                    && !vertex_is_end[vertex as usize]
                    && (2..=LONGEST_ITEM).contains(&users.len())
                    && users.iter().all(|&(user, _)| !pairs.is_law[user])
            };
            if is_end[number] || edges.len() > LONGEST_ITEM || edges.len() < 2 {
                continue;
            }
            let Some(&(flow, _)) = edges.iter().find(of_ends) else { continue };
            let mut others = edges.iter().filter(|edge| edge.0 != flow);
            if others.clone().any(|&(vertex, _)| pairs.of_vertex[vertex as usize].is_some())
                || others.any(|&(_, modes)| modes == *guard)
            {
                continue;
            }
            pairs.of_vertex[flow as usize] = Some(number);
            pairs.is_law[number] = true;
            edges.iter().filter(|edge| edge.0 != flow).for_each(|edge| vertex_is_end[edge.0 as usize] = true);
            let users = pairs.users[flow as usize].iter().filter(|user| user.0 != number);
            users.for_each(|&(user, _)| is_end[user] = true);
        }
        pairs
    }
}

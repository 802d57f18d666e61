//! In which order to sweep: greedily, so that the boundary stays small.
//!
//! Of the items that touch the boundary, the next is the one after which the boundary is smallest, and of several the one
//! that touches what has been in the boundary longest: so the sweep does not run ahead in one place and leave others
//! behind. It starts at a rim, which two breadth-first walks find. Mode variables count like vertices: those of near guards
//! should be near. Vertices of very many edges, such as `time`, are in the boundary anyway and lead nowhere.
//!
//! | file | purpose |
//! |---|---|
//! | `branching` | such an order of what branches like a tree |

mod branching;

pub(super) use branching::tree_order;

use crate::locality::lists::Lists;

/// A vertex of more edges than this leads nowhere.
const HUB_DEGREE: usize = 64;

/// The order of the items whose vertices, each listed once, these are; nothing where the boundary gets wider than `widest`.
pub(super) fn elimination_order(links: &Lists<u32>, vertices: usize, widest: usize) -> Option<Vec<u32>> {
    let users = links.transposed(vertices);
    let mut sweep = Sweep {
        links,
        remaining: (0..vertices).map(|vertex| users.of(vertex).len() as u32).collect(),
        users: &users,
        entered: vec![false; vertices],
        done: vec![false; links.len()],
        seen: vec![0; links.len()],
        walk: 0,
        boundary: Vec::new(),
        order: Vec::with_capacity(links.len()),
    };
    for start in 0..links.len() as u32 {
        if !sweep.done[start as usize] {
            let rim = sweep.last_reached(start);
            let next = sweep.last_reached(rim);
            sweep.handle(next);
            while let Some(next) = sweep.best() {
                sweep.handle(next);
                if sweep.boundary.len() > widest {
                    return None;
                }
            }
        }
    }
    Some(sweep.order)
}

struct Sweep<'a> {
    links: &'a Lists<u32>,
    users: &'a Lists<u32>,
    /// How many items of a vertex are still to come.
    remaining: Vec<u32>,
    entered: Vec<bool>,
    done: Vec<bool>,
    /// The last walk that saw an item.
    seen: Vec<u32>,
    walk: u32,
    /// By age.
    boundary: Vec<u32>,
    order: Vec<u32>,
}

impl Sweep<'_> {
    fn is_hub(&self, vertex: u32) -> bool {
        self.users.of(vertex as usize).len() > HUB_DEGREE
    }

    /// The item that a walk over items still to come reaches last.
    fn last_reached(&mut self, start: u32) -> u32 {
        self.walk += 1;
        self.seen[start as usize] = self.walk;
        let mut queue = vec![start];
        let mut at = 0;
        while let Some(&item) = queue.get(at) {
            at += 1;
            for &vertex in self.links.of(item as usize) {
                if self.is_hub(vertex) {
                    continue;
                }
                for &other in self.users.of(vertex as usize) {
                    if !self.done[other as usize] && self.seen[other as usize] != self.walk {
                        self.seen[other as usize] = self.walk;
                        queue.push(other);
                    }
                }
            }
        }
        queue[queue.len() - 1]
    }

    fn handle(&mut self, item: u32) {
        self.done[item as usize] = true;
        self.order.push(item);
        for &vertex in self.links.of(item as usize) {
            let at = vertex as usize;
            self.remaining[at] -= 1;
            if !self.entered[at] {
                self.entered[at] = true;
                self.boundary.push(vertex);
            }
        }
        self.boundary.retain(|&vertex| self.remaining[vertex as usize] > 0);
    }

    /// By how much the boundary grows with an item.
    fn growth(&self, item: u32) -> i32 {
        let of = |&vertex: &u32| match (self.entered[vertex as usize], self.remaining[vertex as usize]) {
            (true, 1) => -1,
            (false, 2..) => 1,
            _ => 0,
        };
        self.links.of(item as usize).iter().map(of).sum()
    }

    fn best(&mut self) -> Option<u32> {
        self.walk += 1;
        let mut best: Option<(i32, u32)> = None;
        for at in 0..self.boundary.len() {
            let vertex = self.boundary[at];
            if self.is_hub(vertex) {
                continue;
            }
            for &item in self.users.of(vertex as usize) {
                if self.done[item as usize] || self.seen[item as usize] == self.walk {
                    continue;
                }
                self.seen[item as usize] = self.walk;
                let growth = self.growth(item);
                if best.is_none_or(|(least, _)| growth < least) {
                    best = Some((growth, item));
                }
            }
        }
        best.map(|(_, item)| item)
    }
}

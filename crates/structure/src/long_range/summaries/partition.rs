//! What hangs together behind the front of a network: a partition of the nodes in the boundary.
//!
//! Items are flows, vertices are nodes. A flow that is not cut joins its two nodes; one that has a single node leads out of
//! the network, which *grounds* it. A node that leaves takes its part with it: where it was the last of a part that is not
//! grounded, that part is an island. There are at most as many partitions as Catalan numbers say where the network is plane,
//! however long it is.

use rustc_hash::FxHashMap;

use crate::long_range::automaton::Summaries;
use crate::long_range::plan::{Form, holds};

/// The part that leads out of the network.
const GROUNDED: u8 = 0;

/// By place in the boundary: the part it belongs to; parts are numbered by first occurrence from 1 on.
type Parts = Box<[u8]>;

/// Partitions with numbers: equal ones have the same.
#[derive(Default)]
pub(in crate::long_range) struct Partitions {
    known: FxHashMap<Parts, u32>,
    all: Vec<Parts>,
}

impl Partitions {
    fn number(&mut self, mut parts: Vec<u8>) -> u32 {
        renumber(&mut parts);
        let parts = parts.into_boxed_slice();
        if let Some(&number) = self.known.get(&parts) {
            return number;
        }
        let number = self.all.len() as u32;
        self.all.push(parts.clone());
        self.known.insert(parts, number);
        number
    }
}

impl Summaries for Partitions {
    fn start(&mut self) -> u32 {
        self.number(Vec::new())
    }

    fn step(&mut self, form: &Form, summary: u32, local: usize) -> Option<u32> {
        let mut parts = self.all[summary as usize].to_vec();
        let mut fresh = parts.iter().copied().max().unwrap_or(GROUNDED);
        for _ in &form.entering {
            fresh += 1;
            parts.push(fresh);
        }
        if holds(form.guard, local) {
            unite(&mut parts, form);
        }
        for &(place, _) in &form.leaving {
            let part = parts.remove(place as usize);
            if part != GROUNDED && !parts.contains(&part) {
                return None;
            }
        }
        Some(self.number(parts))
    }
}

/// Joins the nodes of a flow.
fn unite(parts: &mut [u8], form: &Form) {
    let of_edges: Vec<u8> = form.edges.iter().map(|&(place, _)| parts[place as usize]).collect();
    let leads_out = of_edges.len() == 1;
    let joined = if leads_out { GROUNDED } else { of_edges.iter().copied().min().unwrap_or(GROUNDED) };
    for part in parts.iter_mut().filter(|part| of_edges.contains(part)) {
        *part = joined;
    }
}

/// Numbers parts by first occurrence.
fn renumber(parts: &mut [u8]) {
    let mut numbers: Vec<u8> = Vec::new();
    for part in parts.iter_mut().filter(|part| **part != GROUNDED) {
        let known = numbers.iter().position(|it| it == part).unwrap_or_else(|| {
            numbers.push(*part);
            numbers.len() - 1
        });
        *part = known as u8 + 1;
    }
}

//! Example modes: one short partial valuation out of a set.

use rustc_hash::FxHashMap;

use crate::kernel::Kernel;
use crate::set::{ModeSet, ModeVariable};
use crate::space::ModeSpace;

/// Length of a path to *all modes*: first few variables, then few true ones.
type Length = (u32, u32);

const UNREACHABLE: Length = (u32::MAX, u32::MAX);

impl ModeSpace {
    /// A partial valuation, in order of declaration, all of whose modes are in `set`; none if the set is empty.
    ///
    /// The shortest path of the diagram, with as few true values as possible: the same for the same set and order.
    pub fn pick(&self, set: ModeSet) -> Option<Vec<(ModeVariable, bool)>> {
        if set.is_empty() {
            return None;
        }
        let kernel = self.kernel.borrow();
        let lengths = path_lengths(&kernel, set);
        let mut values = Vec::new();
        let mut at = set;
        while !at.is_constant() {
            let (low, high) = kernel.children(at);
            let high_is_better = longer(lengths[&high], true) < longer(lengths[&low], false);
            values.push((self.variable_at(kernel.level(at)), high_is_better));
            at = if high_is_better { high } else { low };
        }
        values.sort_unstable();
        Some(values)
    }
}

/// The length of the best path from each edge below `set`; children before parents, on an explicit stack.
fn path_lengths(kernel: &Kernel, set: ModeSet) -> FxHashMap<ModeSet, Length> {
    let mut lengths = FxHashMap::default();
    lengths.insert(ModeSet::ALL, (0, 0));
    lengths.insert(ModeSet::EMPTY, UNREACHABLE);
    let mut pending = vec![set];
    while let Some(&at) = pending.last() {
        if lengths.contains_key(&at) {
            pending.pop();
            continue;
        }
        let (low, high) = kernel.children(at);
        match (lengths.get(&low), lengths.get(&high)) {
            (Some(&low), Some(&high)) => {
                lengths.insert(at, longer(low, false).min(longer(high, true)));
            }
            _ => pending.extend([high, low]),
        }
    }
    lengths
}

fn longer(length: Length, value: bool) -> Length {
    if length == UNREACHABLE { length } else { (length.0 + 1, length.1 + u32::from(value)) }
}

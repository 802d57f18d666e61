//! How many modes a set has, exactly.

use rustc_hash::FxHashMap;

use crate::kernel::Kernel;
use crate::natural::Natural;
use crate::set::ModeSet;
use crate::space::ModeSpace;

impl ModeSpace {
    /// The number of modes of `set` over `variables` mode variables, at least as many as the set depends on.
    pub fn count(&self, set: ModeSet, variables: usize) -> Natural {
        let mut kernel = self.kernel.borrow_mut();
        let support = kernel.support(&[set]);
        assert!(support.len() <= variables, "a set is counted over fewer variables than it depends on");
        let over_support = Counting::new(&kernel, &support, set).modes_below(set, 0);
        over_support.shifted(variables - support.len())
    }
}

/// Counts from the bottom up, each node over the support variables from its own on; a count is dropped after its last use.
struct Counting<'kernel> {
    kernel: &'kernel Kernel,
    support: &'kernel [u32],
    /// Per uncomplemented edge: its count, and how many edges above still need it.
    counts: FxHashMap<ModeSet, (Natural, usize)>,
}

impl<'kernel> Counting<'kernel> {
    fn new(kernel: &'kernel Kernel, support: &'kernel [u32], set: ModeSet) -> Self {
        let uses = uses_below(kernel, set);
        let mut nodes: Vec<ModeSet> = uses.keys().copied().collect();
        nodes.sort_unstable_by_key(|&node| (std::cmp::Reverse(kernel.level(node)), node));
        let mut counting = Counting { kernel, support, counts: FxHashMap::default() };
        for node in nodes {
            let position = counting.position(node) + 1;
            let (low, high) = kernel.children(node);
            let count = counting.modes_below(low, position).plus(&counting.modes_below(high, position));
            counting.counts.insert(node, (count, uses[&node]));
        }
        counting
    }

    fn position(&self, set: ModeSet) -> usize {
        self.support.partition_point(|&level| level < self.kernel.level(set))
    }

    /// The count of `set` over the support variables from `position` on.
    fn modes_below(&mut self, set: ModeSet, position: usize) -> Natural {
        let all = Natural::power_of_two(self.support.len() - position);
        let count = if set.is_constant() {
            all.clone()
        } else {
            let free = self.position(set) - position;
            self.take(set.uncomplemented()).shifted(free)
        };
        if set.is_complemented() { all.minus(&count) } else { count }
    }

    fn take(&mut self, node: ModeSet) -> Natural {
        let (count, uses) = self.counts.get_mut(&node).expect("nodes are counted from the bottom up");
        *uses -= 1;
        if *uses > 0 {
            return count.clone();
        }
        self.counts.remove(&node).map_or_else(Natural::zero, |(count, _)| count)
    }
}

/// How many edges lead to each node of `set`, the one from outside included.
fn uses_below(kernel: &Kernel, set: ModeSet) -> FxHashMap<ModeSet, usize> {
    let mut uses: FxHashMap<ModeSet, usize> = FxHashMap::default();
    let mut pending = vec![set];
    while let Some(at) = pending.pop() {
        if at.is_constant() {
            continue;
        }
        let count = uses.entry(at.uncomplemented()).or_default();
        *count += 1;
        if *count == 1 {
            let (low, high) = kernel.children(at);
            pending.extend([high, low]);
        }
    }
    uses
}

//! The decision diagrams: reduced, ordered, with complement edges, every node unique.
//!
//! A [`ModeSet`] is an edge: a node number and a complement mark. The only terminal is node 0, *all modes*. A node tests
//! the variable at its level and its high edge is never complemented, which makes equal sets equal edges. Nodes are found
//! in one chained hash table threaded through them; results of operations are remembered in a direct-mapped table that
//! forgets on collision. Nodes never move: `collect` frees the unreachable ones in place.
//!
//! Both tables keep neighbours near: what belongs to nodes made at about the same time lies within a few hundred entries.
//! Sets of modes are local, so the parts of the tables in use stay in the processor's cache; a table that scatters
//! takes twice the time. Where a bucket gets crowded, the spread grows.
//!
//! Everything here speaks of levels; [`crate::ModeSpace`] translates from and to mode variables. K. Brace, R. Rudell,
//! R. Bryant: Efficient implementation of a BDD package, DAC 1990, describes the parts.

use crate::limit::Budget;
use crate::set::ModeSet;

/// The level of the terminal: below every variable.
pub(crate) const TERMINAL_LEVEL: u32 = u32::MAX;
/// The level of a node on the free list.
const FREE_LEVEL: u32 = u32::MAX - 1;
/// The end of a chain of nodes.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    level: u32,
    low: ModeSet,
    high: ModeSet,
    /// The next node of the same bucket, or of the free list.
    next: u32,
}

/// Binary operations whose results are remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Operation {
    And = 1,
    Xor,
    Intersects,
    Constrain,
    Restrict,
    Exists,
}

/// One remembered result; `operation` 0 means none.
#[derive(Clone, Copy, Debug)]
struct Remembered {
    operation: u32,
    left: ModeSet,
    right: ModeSet,
    result: ModeSet,
}

const FORGOTTEN: Remembered =
    Remembered { operation: 0, left: ModeSet::ALL, right: ModeSet::ALL, result: ModeSet::ALL };

/// Neighbouring buckets, less one, over which nodes with the same newest child are spread at first.
const SPREAD: usize = (1 << 7) - 1;
/// The same for results of operations whose operands have the same sum, at first.
const REMEMBERED_SPREAD: usize = (1 << 6) - 1;
/// Steps of operations per remembered result beyond which more is remembered, and spread more: sets that are long and have few nodes
/// between them are combined in more pairs than there are nodes, and what is forgotten is computed again from end to end.
const STEPS_PER_REMEMBERED: u64 = 256;
/// Nodes in one bucket beyond which they are spread more.
const LONG_CHAIN: usize = 32;
/// The same where so many searches each passed so many nodes, on average: long sets differ little, and crowd whole stretches.
const SEARCHES: usize = 1 << 14;
const PASSED_PER_SEARCH: usize = 4;

const FEWEST_REMEMBERED: usize = 1 << 12;
const MOST_REMEMBERED: usize = 1 << 22;

/// The nodes, their tables and their budget.
#[derive(Debug)]
pub(crate) struct Kernel {
    nodes: Vec<Node>,
    live: usize,
    first_free: u32,
    buckets: Vec<u32>,
    spread: usize,
    /// Searches for nodes, and nodes that they passed, since it was last asked whether buckets are crowded.
    searches: usize,
    passed: usize,
    remembered: Vec<Remembered>,
    remembered_spread: usize,
    /// Steps of operations when that last grew.
    steps_when_spread: u64,
    /// Per node, the number of the last walk that visited it.
    visited: Vec<u32>,
    walk: u32,
    pub(crate) budget: Budget,
    /// Set when a limit was exceeded or the recursion became too deep: unwind, remember nothing.
    pub(crate) halted: bool,
}

impl Kernel {
    pub(crate) fn new() -> Kernel {
        let terminal = Node { level: TERMINAL_LEVEL, low: ModeSet::ALL, high: ModeSet::ALL, next: NONE };
        Kernel {
            nodes: vec![terminal],
            live: 1,
            first_free: NONE,
            buckets: vec![NONE; 1 << 10],
            spread: SPREAD,
            searches: 0,
            passed: 0,
            remembered: vec![FORGOTTEN; FEWEST_REMEMBERED],
            remembered_spread: REMEMBERED_SPREAD,
            steps_when_spread: 0,
            visited: Vec::new(),
            walk: 0,
            budget: Budget::default(),
            halted: false,
        }
    }

    pub(crate) fn live_nodes(&self) -> usize {
        self.live
    }

    #[inline]
    pub(crate) fn level(&self, set: ModeSet) -> u32 {
        let level = self.nodes[set.node()].level;
        debug_assert_ne!(level, FREE_LEVEL, "a mode set is used after a collection that was not told about it");
        level
    }

    /// The subsets where the variable at `level` is false and true, for a level not below the top of `set`.
    #[inline]
    pub(crate) fn cofactors(&self, set: ModeSet, level: u32) -> (ModeSet, ModeSet) {
        let node = &self.nodes[set.node()];
        if node.level == level {
            let complemented = set.is_complemented();
            (node.low.complement_if(complemented), node.high.complement_if(complemented))
        } else {
            (set, set)
        }
    }

    /// The cofactors by the top variable of a set that is not constant.
    #[inline]
    pub(crate) fn children(&self, set: ModeSet) -> (ModeSet, ModeSet) {
        self.cofactors(set, self.level(set))
    }

    /// The set that is `low` where the variable at `level` is false and `high` where it is true.
    #[inline]
    pub(crate) fn node(&mut self, level: u32, low: ModeSet, high: ModeSet) -> ModeSet {
        if low == high {
            return low;
        }
        let complemented = high.is_complemented();
        self.unique_node(level, low.complement_if(complemented), high.complement_if(complemented))
            .complement_if(complemented)
    }

    fn unique_node(&mut self, level: u32, low: ModeSet, high: ModeSet) -> ModeSet {
        let mut bucket = self.bucket(level, low, high);
        let mut index = self.buckets[bucket];
        let mut steps = 0;
        while index != NONE {
            let node = &self.nodes[index as usize];
            if node.low == low && node.high == high && node.level == level {
                self.searches += 1;
                self.passed += steps;
                return ModeSet::of_node(index);
            }
            index = node.next;
            steps += 1;
        }
        self.searches += 1;
        self.passed += steps;
        if (steps > LONG_CHAIN || self.searches > SEARCHES && self.is_crowded()) && self.spread < self.buckets.len() {
            self.spread_out();
            bucket = self.bucket(level, low, high);
        }
        self.insert(bucket, Node { level, low, high, next: self.buckets[bucket] })
    }

    /// Whether the searches since the last question passed many nodes that they did not look for.
    #[cold]
    fn is_crowded(&mut self) -> bool {
        let is_crowded = self.passed > PASSED_PER_SEARCH * self.searches;
        (self.searches, self.passed) = (0, 0);
        is_crowded
    }

    fn insert(&mut self, bucket: usize, node: Node) -> ModeSet {
        if self.halted || !self.budget.allows_node(self.live) {
            self.halted = true;
            return ModeSet::EMPTY;
        }
        let index = self.first_free;
        let index = if index == NONE {
            self.nodes.push(node);
            (self.nodes.len() - 1) as u32
        } else {
            self.first_free = self.nodes[index as usize].next;
            self.nodes[index as usize] = node;
            index
        };
        self.buckets[bucket] = index;
        self.live += 1;
        if self.live > self.buckets.len() {
            self.grow();
        }
        ModeSet::of_node(index)
    }

    #[inline]
    fn bucket(&self, level: u32, low: ModeSet, high: ModeSet) -> usize {
        let place = (low.max(high).bits() as usize >> 1).wrapping_add(level as usize * 8);
        place.wrapping_add(mixed(level, low, high) & self.spread) & (self.buckets.len() - 1)
    }

    /// Trades locality for shorter chains.
    #[cold]
    fn spread_out(&mut self) {
        self.spread = self.spread * 4 + 3;
        self.buckets.fill(NONE);
        self.thread_buckets();
    }

    #[cold]
    fn grow(&mut self) {
        self.buckets = vec![NONE; self.buckets.len() * 2];
        self.thread_buckets();
        let remembered = (self.buckets.len() / 2).clamp(FEWEST_REMEMBERED, MOST_REMEMBERED);
        if remembered > self.remembered.len() {
            self.grow_remembered(remembered);
        }
    }

    fn grow_remembered(&mut self, size: usize) {
        let old = std::mem::replace(&mut self.remembered, vec![FORGOTTEN; size]);
        for entry in old.into_iter().filter(|entry| entry.operation != 0) {
            let slot = self.slot(entry.operation, entry.left, entry.right);
            self.remembered[slot] = entry;
        }
    }

    fn thread_buckets(&mut self) {
        for index in 1..self.nodes.len() {
            let Node { level, low, high, .. } = self.nodes[index];
            if level != FREE_LEVEL {
                let bucket = self.bucket(level, low, high);
                self.nodes[index].next = self.buckets[bucket];
                self.buckets[bucket] = index as u32;
            }
        }
    }

    #[inline]
    fn slot(&self, operation: u32, left: ModeSet, right: ModeSet) -> usize {
        let place = left.bits() as usize + right.bits() as usize;
        place.wrapping_add(mixed(operation, left, right) & self.remembered_spread) & (self.remembered.len() - 1)
    }

    /// Remembers more where the same is computed again and again.
    #[inline]
    pub(crate) fn remember_more(&mut self) {
        let steps = self.budget.steps().saturating_sub(self.steps_when_spread);
        if steps > STEPS_PER_REMEMBERED * self.remembered.len() as u64 {
            self.spread_remembered();
        }
    }

    #[cold]
    fn spread_remembered(&mut self) {
        self.steps_when_spread = self.budget.steps();
        let size = (self.remembered.len() * 4).min(MOST_REMEMBERED);
        self.remembered_spread = (self.remembered_spread * 4 + 3).min(size - 1);
        self.grow_remembered(size);
    }

    #[inline]
    pub(crate) fn recall(&self, operation: Operation, left: ModeSet, right: ModeSet) -> Option<ModeSet> {
        let entry = &self.remembered[self.slot(operation as u32, left, right)];
        (entry.left == left && entry.right == right && entry.operation == operation as u32).then_some(entry.result)
    }

    /// Remembers a result, unless it is none because the kernel is halted.
    #[inline]
    pub(crate) fn remember(&mut self, operation: Operation, left: ModeSet, right: ModeSet, result: ModeSet) -> ModeSet {
        if self.halted {
            return ModeSet::EMPTY;
        }
        let slot = self.slot(operation as u32, left, right);
        self.remembered[slot] = Remembered { operation: operation as u32, left, right, result };
        result
    }

    /// Frees every node that no root reaches; returns how many.
    pub(crate) fn collect(&mut self, roots: impl Iterator<Item = ModeSet>) -> usize {
        self.begin_walk();
        for root in roots {
            self.walk(root, |_| {});
        }
        let before = self.live;
        self.first_free = NONE;
        self.live = 1;
        for index in (1..self.nodes.len()).rev() {
            if self.visited[index] == self.walk {
                self.live += 1;
            } else {
                self.nodes[index].level = FREE_LEVEL;
                self.nodes[index].next = self.first_free;
                self.first_free = index as u32;
            }
        }
        self.buckets.fill(NONE);
        self.thread_buckets();
        self.remembered.fill(FORGOTTEN);
        before - self.live
    }

    /// Starts a walk that has visited nothing.
    pub(crate) fn begin_walk(&mut self) {
        self.visited.resize(self.nodes.len(), 0);
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            self.visited.fill(0);
            self.walk = 1;
        }
    }

    /// Calls `visit` with the level of each node below `set` that the current walk has not visited.
    pub(crate) fn walk(&mut self, set: ModeSet, mut visit: impl FnMut(u32)) {
        if set.node() == 0 || self.visited[set.node()] == self.walk {
            return; // most roots of a collection: no list of pending nodes is needed
        }
        let mut pending = vec![set.node()];
        while let Some(index) = pending.pop() {
            if index == 0 || self.visited[index] == self.walk {
                continue;
            }
            self.visited[index] = self.walk;
            let Node { level, low, high, .. } = self.nodes[index];
            visit(level);
            pending.push(high.node());
            pending.push(low.node());
        }
    }

    /// The levels that `sets` depend on, top first.
    pub(crate) fn support(&mut self, sets: &[ModeSet]) -> Vec<u32> {
        let mut levels = Vec::new();
        self.begin_walk();
        for &set in sets {
            self.walk(set, |level| levels.push(level));
        }
        levels.sort_unstable();
        levels.dedup();
        levels
    }
}

#[inline]
fn mixed(tag: u32, left: ModeSet, right: ModeSet) -> usize {
    let pair = (u64::from(left.bits()) << 32) | u64::from(right.bits());
    let mixed = (pair ^ (u64::from(tag) << 17)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (((mixed ^ (mixed >> 32)).wrapping_add(u64::from(tag))).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32) as usize
}

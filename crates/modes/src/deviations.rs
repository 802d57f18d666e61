//! Large sets in few words: how few variables have to deviate from their usual values to get into a set.
//!
//! The formula of a set such as "at least two of these thousand valves are closed" has half a million terms. What a reader
//! wants to know is that two are enough, which two for example, and how many such choices there are.

use rustc_hash::FxHashMap;

use crate::set::{ModeSet, ModeVariable};
use crate::space::ModeSpace;

/// Two counts whose logarithms differ by less than this are taken for equal: rounding of sums over a diagram is below.
const SAME_COUNT: f64 = 1e-6;
/// How many sizes are counted.
const SIZES: usize = 3;
/// Where so many variables have to deviate, nobody wants to know in how many ways.
const LARGEST_COUNTED: usize = 40;

/// The fewest deviations from usual values that lead into a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviations {
    /// Variables that deviate in one mode with the fewest deviations, in order of declaration.
    pub example: Vec<ModeVariable>,
    /// How many modes of the set deviate in so many variables, for this number and the next two, of variables that the set
    /// depends on; nothing where there are more than can be counted in 128 bits.
    pub counts: Vec<(usize, Option<u128>)>,
}

impl ModeSpace {
    /// The values that variables have in more modes of `set` than the opposite ones; `true` where they are as many. Of
    /// the variables that `set` depends on, in order of declaration.
    pub fn usual_values(&self, set: ModeSet) -> Vec<(ModeVariable, bool)> {
        let diagram = Unfolded::of(self, set);
        let shares = diagram.bottom_up(f64::NEG_INFINITY, 0.0, |_, low, high| log_sum(low, high) - 1.0);
        let share = |child: Child| match child {
            Child::Empty => f64::NEG_INFINITY,
            Child::All => 0.0,
            Child::Node(at) => shares[at as usize],
        };
        let mut above = vec![f64::NEG_INFINITY; diagram.nodes.len()];
        let mut with: FxHashMap<u32, (f64, f64)> = FxHashMap::default();
        for (at, &(level, low, high)) in diagram.nodes.iter().enumerate() {
            if at == 0 {
                above[0] = 0.0;
            }
            let (of_false, of_true) = with.entry(level).or_insert((f64::NEG_INFINITY, f64::NEG_INFINITY));
            *of_false = log_sum(*of_false, above[at] + share(low));
            *of_true = log_sum(*of_true, above[at] + share(high));
            for child in [low, high] {
                if let Child::Node(child) = child {
                    above[child as usize] = log_sum(above[child as usize], above[at] - 1.0);
                }
            }
        }
        let usual = |(level, (of_false, of_true)): (u32, (f64, f64))| {
            (self.variable_at(level), of_true + SAME_COUNT >= of_false)
        };
        let mut values: Vec<(ModeVariable, bool)> = with.into_iter().map(usual).collect();
        values.sort_unstable();
        values
    }

    /// The fewest variables that have to deviate from `usual` values to get into a set; nothing where it is empty.
    pub fn fewest_deviations(&self, set: ModeSet, usual: impl Fn(ModeVariable) -> bool) -> Option<Deviations> {
        if set.is_empty() {
            return None;
        }
        let diagram = Unfolded::of(self, set);
        let usual = |level: u32| usual(self.variable_at(level));
        let distances = diagram.bottom_up(u32::MAX, 0, |level, low: u32, high: u32| {
            let value = usual(level);
            low.saturating_add(u32::from(value)).min(high.saturating_add(u32::from(!value)))
        });
        let distance = |child: Child| match child {
            Child::Empty => u32::MAX,
            Child::All => 0,
            Child::Node(at) => distances[at as usize],
        };
        let mut example = Vec::new();
        let mut at = diagram.root();
        while let Child::Node(node) = at {
            let (level, low, high) = diagram.nodes[node as usize];
            let (as_usual, deviating) = if usual(level) { (high, low) } else { (low, high) };
            let deviates = distance(deviating).saturating_add(1) <= distance(as_usual);
            if deviates {
                example.push(self.variable_at(level));
            }
            at = if deviates { deviating } else { as_usual };
        }
        let fewest = example.len();
        example.sort_unstable();
        let counts = if fewest > LARGEST_COUNTED { Vec::new() } else { diagram.counts(fewest, usual) };
        Some(Deviations { example, counts })
    }
}

/// Where an edge leads.
#[derive(Clone, Copy)]
enum Child {
    Empty,
    All,
    Node(u32),
}

/// The nodes of a diagram without complement marks, those of lower levels first: level, where false, where true.
struct Unfolded {
    nodes: Vec<(u32, Child, Child)>,
    is_all: bool,
}

impl Unfolded {
    fn of(space: &ModeSpace, set: ModeSet) -> Unfolded {
        let kernel = space.kernel.borrow();
        let mut sets: Vec<(u32, ModeSet)> = Vec::new();
        let mut number: FxHashMap<ModeSet, u32> = FxHashMap::default();
        let mut pending = vec![set];
        while let Some(at) = pending.pop() {
            if !at.is_constant() && number.insert(at, 0).is_none() {
                sets.push((kernel.level(at), at));
                let (low, high) = kernel.children(at);
                pending.extend([high, low]);
            }
        }
        sets.sort_unstable();
        for (position, (_, set)) in sets.iter().enumerate() {
            number.insert(*set, position as u32);
        }
        let child = |set: ModeSet| match set {
            ModeSet::ALL => Child::All,
            ModeSet::EMPTY => Child::Empty,
            node => Child::Node(number[&node]),
        };
        let node = |&(level, set): &(u32, ModeSet)| {
            let (low, high) = kernel.children(set);
            (level, child(low), child(high))
        };
        Unfolded { nodes: sets.iter().map(node).collect(), is_all: set.is_all() }
    }

    fn root(&self) -> Child {
        match (self.nodes.is_empty(), self.is_all) {
            (false, _) => Child::Node(0),
            (true, true) => Child::All,
            (true, false) => Child::Empty,
        }
    }

    /// A value per node, from those of its children.
    fn bottom_up<T: Copy>(&self, empty: T, all: T, of: impl Fn(u32, T, T) -> T) -> Vec<T> {
        let mut values = vec![empty; self.nodes.len()];
        for (at, &(level, low, high)) in self.nodes.iter().enumerate().rev() {
            let value = |child: Child| match child {
                Child::Empty => empty,
                Child::All => all,
                Child::Node(child) => values[child as usize],
            };
            values[at] = of(level, value(low), value(high));
        }
        values
    }

    /// How many modes deviate in `fewest` variables and in the next two numbers of them: polynomials, cut off.
    fn counts(&self, fewest: usize, usual: impl Fn(u32) -> bool) -> Vec<(usize, Option<u128>)> {
        let degrees = fewest + SIZES;
        let mut levels: Vec<u32> = self.nodes.iter().map(|node| node.0).collect();
        levels.dedup();
        let position = |level: u32| levels.partition_point(|&it| it < level);
        let mut polynomials: Vec<Vec<u128>> = vec![Vec::new(); self.nodes.len()];
        for (at, &(level, low, high)) in self.nodes.iter().enumerate().rev() {
            let mut sum = vec![0u128; degrees];
            for (child, deviates) in [(low, usual(level)), (high, !usual(level))] {
                let (below, from) = match child {
                    Child::Empty => continue,
                    Child::All => (&[1][..], levels.len()),
                    Child::Node(child) => (&*polynomials[child as usize], position(self.nodes[child as usize].0)),
                };
                add(&mut sum, below, from - position(level) - 1, usize::from(deviates));
            }
            polynomials[at] = sum;
        }
        let whole = polynomials.first().cloned().unwrap_or_else(|| vec![1; usize::from(self.is_all)]);
        let count = |size: usize| whole.get(size).copied().unwrap_or(0);
        let sizes = (fewest..degrees).filter(|&size| size <= levels.len());
        sizes.map(|size| (size, Some(count(size)).filter(|&count| count < u128::MAX))).collect()
    }
}

/// Adds a polynomial times (1 + x)^`free` times x^`shift`, cut off at the length of the sum.
fn add(sum: &mut [u128], polynomial: &[u128], free: usize, shift: usize) {
    let mut binomial = 1u128;
    for chosen in 0..sum.len().min(free + 1) {
        for (degree, &coefficient) in polynomial.iter().enumerate() {
            if let Some(sum) = sum.get_mut(degree + chosen + shift) {
                *sum = sum.saturating_add(coefficient.saturating_mul(binomial));
            }
        }
        // Once it is too large it stays so: nothing is divided.
        binomial = match binomial.checked_mul((free - chosen) as u128) {
            Some(product) if binomial < u128::MAX => product / (chosen as u128 + 1),
            _ => u128::MAX,
        };
    }
}

/// The logarithm to base 2 of the sum of two numbers, given theirs.
fn log_sum(one: f64, other: f64) -> f64 {
    let (small, large) = if one < other { (one, other) } else { (other, one) };
    if small == f64::NEG_INFINITY { large } else { large + (small - large).exp2().ln_1p() / std::f64::consts::LN_2 }
}

//! Irredundant sums of products between two bounds, shared as a graph.
//!
//! S. Minato: Fast generation of irredundant sum-of-products forms from binary decision diagrams, SASIMI 1992, after
//! E. Morreale. No product and no literal of the result can be left out. Since equal parts are shared, the number of
//! products is known without listing them.

use rustc_hash::FxHashMap;

use crate::kernel::{Kernel, TERMINAL_LEVEL};
use crate::set::ModeSet;

/// Parts of a cover made before it is given up.
const MOST_PARTS: usize = 5_000;

/// A part of a cover, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartId(u32);

/// No product.
const NONE: PartId = PartId(0);
/// The empty product.
const UNIT: PartId = PartId(1);

/// Products that have the variable of `level` negated, those that have it, and those without.
#[derive(Clone, Copy, Debug)]
struct Part {
    level: u32,
    negative: PartId,
    positive: PartId,
    free: PartId,
    set: ModeSet,
    /// How many products; `u64::MAX` if that or more.
    products: u64,
}

/// A cover being made or listed.
pub(crate) struct IrredundantCover<'kernel> {
    kernel: &'kernel mut Kernel,
    parts: Vec<Part>,
    made: FxHashMap<(ModeSet, ModeSet), PartId>,
    root: PartId,
}

impl<'kernel> IrredundantCover<'kernel> {
    /// A cover of at least `lower` and at most `upper`; none if that takes too many steps or exceeds a limit.
    ///
    /// The recursion is as deep as the bounds have variables.
    pub(crate) fn between(kernel: &'kernel mut Kernel, lower: ModeSet, upper: ModeSet) -> Option<Self> {
        let constant =
            |set, products| Part { level: TERMINAL_LEVEL, negative: NONE, positive: NONE, free: NONE, set, products };
        let parts = vec![constant(ModeSet::EMPTY, 0), constant(ModeSet::ALL, 1)];
        let mut cover = IrredundantCover { kernel, parts, made: FxHashMap::default(), root: NONE };
        cover.root = cover.part(lower, upper)?;
        Some(cover)
    }

    pub(crate) fn products(&self) -> u64 {
        self.parts[self.root.0 as usize].products
    }

    /// The first products, each as levels with values, up to `most` of them.
    pub(crate) fn list(&self, most: usize) -> Vec<Vec<(u32, bool)>> {
        let mut listed = Vec::new();
        self.list_part(self.root, &mut Vec::new(), most, &mut listed);
        listed
    }

    fn list_part(&self, id: PartId, path: &mut Vec<(u32, bool)>, most: usize, listed: &mut Vec<Vec<(u32, bool)>>) {
        if id == NONE || listed.len() >= most {
            return;
        }
        if id == UNIT {
            listed.push(path.clone());
            return;
        }
        let part = self.parts[id.0 as usize];
        for (inner, value) in [(part.positive, true), (part.negative, false)] {
            path.push((part.level, value));
            self.list_part(inner, path, most, listed);
            path.pop();
        }
        self.list_part(part.free, path, most, listed);
    }

    fn part(&mut self, lower: ModeSet, upper: ModeSet) -> Option<PartId> {
        if lower.is_empty() {
            return Some(NONE);
        }
        if upper.is_all() {
            return Some(UNIT);
        }
        if let Some(&part) = self.made.get(&(lower, upper)) {
            return Some(part);
        }
        if self.parts.len() >= MOST_PARTS || self.kernel.halted {
            return None;
        }
        let part = self.new_part(lower, upper)?;
        self.parts.push(part);
        let id = PartId(self.parts.len() as u32 - 1);
        self.made.insert((lower, upper), id);
        Some(id)
    }

    fn new_part(&mut self, lower: ModeSet, upper: ModeSet) -> Option<Part> {
        let level = self.kernel.level(lower).min(self.kernel.level(upper));
        let (lower_low, lower_high) = self.kernel.cofactors(lower, level);
        let (upper_low, upper_high) = self.kernel.cofactors(upper, level);
        let only_low = self.kernel.and(lower_low, !upper_high);
        let negative = self.part(only_low, upper_low)?;
        let only_high = self.kernel.and(lower_high, !upper_low);
        let positive = self.part(only_high, upper_high)?;
        let [negative_set, positive_set] = [negative, positive].map(|part| self.parts[part.0 as usize].set);
        let rest_low = self.kernel.and(lower_low, !negative_set);
        let rest_high = self.kernel.and(lower_high, !positive_set);
        let rest = self.kernel.or(rest_low, rest_high);
        let both = self.kernel.and(upper_low, upper_high);
        let free = self.part(rest, both)?;
        let free_set = self.parts[free.0 as usize].set;
        let low = self.kernel.or(negative_set, free_set);
        let high = self.kernel.or(positive_set, free_set);
        let set = self.kernel.node(level, low, high);
        let products = [negative, positive, free].map(|part| self.parts[part.0 as usize].products);
        let products = products.into_iter().fold(0, u64::saturating_add);
        Some(Part { level, negative, positive, free, set, products })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVELS: u32 = 8;

    type ListedProduct = Vec<(u32, bool)>;

    fn random_set(kernel: &mut Kernel, number: &mut impl FnMut(u64) -> u64) -> ModeSet {
        (0..12).fold(ModeSet::EMPTY, |set, _| {
            let level = number(u64::from(LEVELS)) as u32;
            let literal = kernel.node(level, ModeSet::EMPTY, ModeSet::ALL).complement_if(number(2) == 0);
            match number(3) {
                0 => kernel.and(set, literal),
                1 => kernel.or(set, literal),
                _ => kernel.xor(set, literal),
            }
        })
    }

    fn product_set(kernel: &mut Kernel, product: &[(u32, bool)]) -> ModeSet {
        product.iter().fold(ModeSet::ALL, |set, &(level, value)| {
            let literal = kernel.node(level, ModeSet::EMPTY, ModeSet::ALL);
            kernel.and(set, literal.complement_if(!value))
        })
    }

    fn sum_set(kernel: &mut Kernel, products: &[ListedProduct]) -> ModeSet {
        products.iter().fold(ModeSet::EMPTY, |sum, product| {
            let product = product_set(kernel, product);
            kernel.or(sum, product)
        })
    }

    fn implies(kernel: &mut Kernel, left: ModeSet, right: ModeSet) -> bool {
        !kernel.intersects(left, !right)
    }

    /// The list without the item at `index`.
    fn without<T: Clone>(list: &[T], index: usize) -> Vec<T> {
        [&list[..index], &list[index + 1..]].concat()
    }

    fn check_irredundant(kernel: &mut Kernel, lower: ModeSet, upper: ModeSet) {
        let cover = IrredundantCover::between(kernel, lower, upper).unwrap();
        let (products, count) = (cover.list(usize::MAX), cover.products());
        assert_eq!(products.len() as u64, count);
        let sum = sum_set(kernel, &products);
        assert!(implies(kernel, lower, sum) && implies(kernel, sum, upper));
        for index in 0..products.len() {
            let fewer = sum_set(kernel, &without(&products, index));
            assert!(!implies(kernel, lower, fewer), "a product can be left out");
            for literal in 0..products[index].len() {
                let wider = product_set(kernel, &without(&products[index], literal));
                assert!(!implies(kernel, wider, upper), "a literal can be left out");
            }
        }
    }

    #[test]
    fn covers_lie_between_their_bounds_and_nothing_can_be_left_out() {
        let mut state = 5_u64;
        let mut number = |bound| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        let mut kernel = Kernel::new();
        for _ in 0..300 {
            let (set, care) = (random_set(&mut kernel, &mut number), random_set(&mut kernel, &mut number));
            check_irredundant(&mut kernel, set, set);
            let (lower, upper) = (kernel.and(set, care), kernel.or(set, !care));
            check_irredundant(&mut kernel, lower, upper);
        }
    }
}

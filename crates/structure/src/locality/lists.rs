//! Many short lists, by number, one after the other in memory.
//!
//! In a large model whose equations are written in any order, each step from a list to the next leads to memory far from
//! the last, and a processor that has to wait for each of them does nothing else. So lists are grouped in two steps, of
//! which the second stays within its caches, and fetched several at a time, so that it waits for all of these together.

use modeshift_dae::Id;

/// Keys whose lists are filled at the same time: few enough for their lists to stay in the caches.
const KEYS_AT_ONCE: usize = 1 << 14;
/// Lists that are fetched at the same time.
const LISTS_AT_ONCE: usize = 64;

/// Lists with numbers from 0 on.
#[derive(Clone, Debug)]
pub(crate) struct Lists<T> {
    /// Where each list starts, and the end of the last.
    first: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> Lists<T> {
    /// No list.
    pub(crate) fn new() -> Lists<T> {
        Lists { first: vec![0], items: Vec::new() }
    }

    /// No list, and room for this many lists of this many items in all.
    pub(crate) fn with_capacity(lists: usize, items: usize) -> Lists<T> {
        let mut first = Vec::with_capacity(lists + 1);
        first.push(0);
        Lists { first, items: Vec::with_capacity(items) }
    }

    /// One list for each key below `keys`, of the items that come with it, in their order.
    pub(crate) fn grouped(keys: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> Lists<T> {
        let mut first = vec![0; keys + 1];
        let Some((_, any)) = pairs.clone().next() else { return Lists { first, items: Vec::new() } };
        let (ranges, pairs) = by_ranges_of_keys(keys, pairs);
        let mut items = vec![any; pairs.len()];
        let mut next: Vec<u32> = Vec::with_capacity(KEYS_AT_ONCE);
        for (range, ends) in ranges.windows(2).enumerate() {
            let pairs = &pairs[ends[0] as usize..ends[1] as usize];
            let start = range * KEYS_AT_ONCE;
            let end = keys.min(start + KEYS_AT_ONCE);
            for &(key, _) in pairs {
                first[key as usize + 1] += 1;
            }
            for key in start..end {
                first[key + 1] += first[key];
            }
            next.clear();
            next.extend_from_slice(&first[start..end]);
            for &(key, item) in pairs {
                let slot = &mut next[key as usize - start];
                items[*slot as usize] = item;
                *slot += 1;
            }
        }
        Lists { first, items }
    }

    /// How many lists there are.
    pub(crate) fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// How many items all lists have.
    pub(crate) fn item_count(&self) -> usize {
        self.items.len()
    }

    /// Appends an item to the list that comes next.
    #[inline]
    pub(crate) fn push_item(&mut self, item: T) {
        self.items.push(item);
    }

    /// Ends the list of the items pushed since the last one ended.
    #[inline]
    pub(crate) fn end_list(&mut self) {
        self.first.push(u32::try_from(self.items.len()).expect("fewer than 2^32 items of lists"));
    }

    /// Appends a list.
    #[inline]
    pub(crate) fn push(&mut self, list: &[T]) {
        self.items.extend_from_slice(list);
        self.end_list();
    }

    /// Appends the lists of another.
    pub(crate) fn append(&mut self, other: &Lists<T>) {
        let before = self.items.len() as u32;
        self.items.extend_from_slice(&other.items);
        assert!(u32::try_from(self.items.len()).is_ok(), "fewer than 2^32 items of lists");
        self.first.extend(other.first[1..].iter().map(|end| before + end));
    }

    /// Where the items of a list are.
    #[inline]
    pub(crate) fn range(&self, list: usize) -> (u32, u32) {
        (self.first[list], self.first[list + 1])
    }

    /// The items at such a place.
    #[inline]
    pub(crate) fn items(&self, (start, end): (u32, u32)) -> &[T] {
        &self.items[start as usize..end as usize]
    }

    /// The items of a list.
    #[inline]
    pub(crate) fn of(&self, list: usize) -> &[T] {
        self.items(self.range(list))
    }

    /// Calls `visit` with these lists, one after the other.
    pub(crate) fn for_each_along<I: Id>(&self, lists: impl Iterator<Item = I>, mut visit: impl FnMut(I, &[T])) {
        let mut lists = lists;
        let mut places = Vec::with_capacity(LISTS_AT_ONCE);
        let mut fetched = Vec::new();
        loop {
            places.clear();
            places.extend(lists.by_ref().take(LISTS_AT_ONCE).map(|list| (list, self.range(list.index()))));
            if places.is_empty() {
                break;
            }
            fetched.clear();
            places.iter().for_each(|&(_, range)| fetched.extend_from_slice(self.items(range)));
            let mut rest = &fetched[..];
            for &(list, (start, end)) in &places {
                let (items, others) = rest.split_at((end - start) as usize);
                visit(list, items);
                rest = others;
            }
        }
    }

    /// These lists, one after the other.
    pub(crate) fn along<I: Id>(&self, lists: impl Iterator<Item = I>) -> Lists<T> {
        let mut along = Lists::with_capacity(lists.size_hint().0, self.items.len());
        self.for_each_along(lists, |_, list| along.push(list));
        along
    }

    /// The lists of what `replace` puts in the place of each item.
    pub(crate) fn filter_map(mut self, replace: impl Fn(T) -> Option<T>) -> Lists<T> {
        let (mut start, mut kept) = (0, 0);
        for end in &mut self.first[1..] {
            for at in start..*end as usize {
                if let Some(item) = replace(self.items[at]) {
                    self.items[kept] = item;
                    kept += 1;
                }
            }
            start = std::mem::replace(end, kept as u32) as usize;
        }
        self.items.truncate(kept);
        self
    }
}

impl Lists<u32> {
    /// For each number below `keys`, the lists that it is in, ascending.
    pub(crate) fn transposed(&self, keys: usize) -> Lists<u32> {
        let pairs = |list: usize| self.of(list).iter().map(move |&key| (key, list as u32));
        Lists::grouped(keys, (0..self.len()).flat_map(pairs))
    }
}

/// The pairs by ranges of [`KEYS_AT_ONCE`] keys, otherwise in their order, and where each range starts.
fn by_ranges_of_keys<T: Copy>(keys: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> (Vec<u32>, Vec<(u32, T)>) {
    let range = |key: u32| key as usize / KEYS_AT_ONCE;
    let mut starts = vec![0u32; keys.div_ceil(KEYS_AT_ONCE) + 1];
    pairs.clone().for_each(|(key, _)| starts[range(key) + 1] += 1);
    for range in 1..starts.len() {
        starts[range] += starts[range - 1];
    }
    let Some(any) = pairs.clone().next() else { return (starts, Vec::new()) };
    let mut next = starts.clone();
    let mut sorted = vec![any; starts[starts.len() - 1] as usize];
    pairs.for_each(|pair| {
        let slot = &mut next[range(pair.0)];
        sorted[*slot as usize] = pair;
        *slot += 1;
    });
    (starts, sorted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use modeshift_dae::EquationId;

    #[test]
    fn items_are_grouped_by_key_in_the_order_in_which_they_came() {
        let keys = 3 * KEYS_AT_ONCE + 5;
        let key = |item: u32| (u64::from(item) * 7919 % keys as u64) as u32;
        let pairs = (0..200_000).map(|item| (key(item), item));
        let lists = Lists::grouped(keys, pairs.clone());
        let mut expected = vec![Vec::new(); keys];
        pairs.for_each(|(key, item)| expected[key as usize].push(item));
        assert_eq!((lists.len(), lists.item_count()), (keys, 200_000));
        assert!((0..keys).all(|key| lists.of(key) == expected[key]));
        let backwards = (0..keys).rev().map(EquationId::from_index);
        let mut visited = Vec::new();
        lists.for_each_along(backwards.clone(), |key, list| visited.push((key, list.to_vec())));
        assert!(visited.into_iter().eq(backwards.clone().map(|key| (key, expected[key.index()].clone()))));
        assert_eq!(lists.along(backwards).of(0), expected[keys - 1]);
        let even = lists.filter_map(|item| (item % 2 == 0).then_some(item / 2));
        let halves =
            |list: &Vec<u32>| list.iter().filter(|&item| item % 2 == 0).map(|item| item / 2).collect::<Vec<_>>();
        assert!((0..keys).all(|key| even.of(key) == halves(&expected[key])));
        assert_eq!(even.transposed(100_000).transposed(keys).of(keys - 1), sorted(even.of(keys - 1)));
    }

    fn sorted(list: &[u32]) -> Vec<u32> {
        let mut list = list.to_vec();
        list.sort_unstable();
        list
    }

    #[test]
    fn no_items_make_empty_lists() {
        let lists = Lists::<u32>::grouped(3, std::iter::empty());
        assert_eq!((lists.len(), lists.of(2).len()), (3, 0));
    }
}

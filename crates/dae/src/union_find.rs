//! Disjoint sets that only ever join: union-find with path halving.
//!
//! The representative of a set is its smallest member, so that results do not depend on the order of joining.

use std::marker::PhantomData;

use crate::ids::Id;

/// Disjoint sets of ids.
#[derive(Clone, Debug)]
pub struct UnionFind<I> {
    parents: Vec<u32>,
    ids: PhantomData<fn(I)>,
}

impl<I: Id> UnionFind<I> {
    /// So many sets of one member each.
    pub fn new(count: usize) -> Self {
        let count = u32::try_from(count).expect("fewer than 2^32 members");
        UnionFind { parents: (0..count).collect(), ids: PhantomData }
    }

    /// Another set of one member.
    pub fn push(&mut self) -> I {
        let member = self.parents.len();
        self.parents.push(u32::try_from(member).expect("fewer than 2^32 members"));
        I::from_index(member)
    }

    /// The smallest member of the set of this one.
    pub fn root(&mut self, member: I) -> I {
        I::from_index(self.root_index(member.index()))
    }

    /// Makes one set of those of two members.
    pub fn join(&mut self, one: I, other: I) {
        let (one, other) = (self.root_index(one.index()), self.root_index(other.index()));
        self.parents[one.max(other)] = one.min(other) as u32;
    }

    fn root_index(&mut self, mut member: usize) -> usize {
        while self.parents[member] as usize != member {
            let grandparent = self.parents[self.parents[member] as usize];
            self.parents[member] = grandparent;
            member = grandparent as usize;
        }
        member
    }
}

impl<I: Id> Default for UnionFind<I> {
    fn default() -> Self {
        UnionFind::new(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_named_by_its_smallest_member() {
        let mut sets: UnionFind<usize> = UnionFind::new(5);
        sets.join(4, 3);
        sets.join(3, 1);
        let last = sets.push();
        sets.join(last, 0);
        let roots: Vec<usize> = (0..6).map(|member| sets.root(member)).collect();
        assert_eq!(roots, [0, 1, 2, 1, 1, 0]);
    }
}

//! What the equations behind the front can be matched with: a matroid on the boundary, as the list of its bases.
//!
//! The sets of variables that equations can be matched with are the independent sets of a transversal matroid. Variables
//! that have left must be matched, so these are contracted. One more equation is the union with a matroid of rank one: each
//! basis grows by one of its variables. Where no basis can grow, the equation is one too many; where a leaving variable
//! is in no basis, nothing is left to determine it. Both are lacks, and then the bases stay as they are: these are the
//! bases of maximum matchings.

use crate::long_range::plan::{Form, holds, without_bit};

/// Of a matroid and a step: the matroid after, and whether something lacks a partner.
pub(in crate::long_range) fn step(bases: &[u32], form: &Form, local: usize) -> (Vec<u32>, bool) {
    let mut bases = bases.to_vec();
    let mut lacks = false;
    if holds(form.guard, local) {
        lacks |= !join(&mut bases, form.neighbours(local));
    }
    for &(place, present) in &form.leaving {
        lacks |= !leave(&mut bases, place, holds(present, local));
    }
    (bases, lacks)
}

/// One more equation with these variables; false where it has no partner.
pub(in crate::long_range) fn join(bases: &mut Vec<u32>, neighbours: u32) -> bool {
    let mut grown = Vec::with_capacity(bases.len() * 2);
    for &basis in bases.iter() {
        let mut free = neighbours & !basis;
        while free != 0 {
            grown.push(basis | free & free.wrapping_neg());
            free &= free - 1;
        }
    }
    if grown.is_empty() {
        return false;
    }
    grown.sort_unstable();
    grown.dedup();
    *bases = grown;
    true
}

/// The variable at a place leaves; false where it is there and has no partner.
pub(in crate::long_range) fn leave(bases: &mut Vec<u32>, place: u8, present: bool) -> bool {
    let bit = 1u32 << place;
    let matched = bases.iter().any(|basis| basis & bit != 0);
    if matched {
        bases.retain(|basis| basis & bit != 0);
    }
    bases.iter_mut().for_each(|basis| *basis = without_bit(*basis, place));
    bases.sort_unstable();
    matched || !present
}

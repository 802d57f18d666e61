//! What the equations behind the front can be matched with: a matroid on the boundary, as the list of its bases.
//!
//! The sets of variables that equations can be matched with are the independent sets of a transversal matroid. Variables
//! that have left must be matched, so these are contracted. One more equation is the union with a matroid of rank one: each
//! basis grows by one of its variables. Where no basis can grow, the equation is one too many; where a leaving variable
//! is in no basis, nothing is left to determine it. Both are lacks, and then the bases stay as they are: these are the
//! bases of maximum matchings.

use crate::long_range::plan::{Form, holds, with_gap, without_bit};

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

/// The same from behind: the matroid before the step of one after it, and whether something lacks a partner.
pub(in crate::long_range) fn step_back(bases: &[u32], form: &Form, local: usize) -> (Vec<u32>, bool) {
    let mut bases = bases.to_vec();
    expand(&mut bases, form);
    let lacks = back(&mut bases, form, local);
    (bases, lacks)
}

/// The bases of the equations after a step, as sets of the step's places.
pub(in crate::long_range) fn expand(bases: &mut [u32], form: &Form) {
    for basis in bases {
        *basis = form.leaving.iter().rev().fold(*basis, |basis, &(place, _)| with_gap(basis, place));
    }
}

/// The bases of the equations from a step on, given those after it: what entered leaves. True where something lacks a partner.
pub(in crate::long_range) fn back(bases: &mut Vec<u32>, form: &Form, local: usize) -> bool {
    let mut lacks = holds(form.guard, local) && !join(bases, form.neighbours(local));
    for (at, &present) in form.entering.iter().enumerate().rev() {
        lacks |= !leave(bases, form.before + at as u8, holds(present, local));
    }
    lacks
}

/// Whether a step's equation and the equations on both sides cover exactly the variables that are there.
pub(in crate::long_range) fn is_covered(
    before: &[u32],
    after: &[u32],
    form: &Form,
    local: usize,
    present: u32,
) -> bool {
    let mut after = after.to_vec();
    expand(&mut after, form);
    let own = form.neighbours(local);
    let covers = |before: u32, after: u32| {
        let both = before | after;
        let missing = present & !both;
        before & after == 0 && both & !present == 0 && missing.count_ones() == 1 && missing & own != 0
    };
    before.iter().any(|&before| after.iter().any(|&after| covers(before, after)))
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

//! Counts of modes, invariants and mode-dependent values.

use modeshift_modes::{Invariant, ModeMap, ModeSet, ModeSpace, ModeVariable, Natural};

fn literals<const N: usize>(space: &ModeSpace) -> [ModeSet; N] {
    std::array::from_fn(|variable| space.literal(ModeVariable(variable as u32)))
}

fn power(base: u64, exponent: usize) -> Natural {
    Natural::product(vec![Natural::from(base); exponent])
}

#[test]
fn counts_agree_with_evaluation_in_every_mode() {
    let space = ModeSpace::with_order([3, 1, 4, 0, 2].map(ModeVariable).to_vec());
    let [a, b, c, d, e] = literals(&space);
    let sets = [space.xor(a, d), space.union([a, b, space.and(c, e)]), space.ite(e, space.and(a, b), !c), ModeSet::ALL];
    for set in sets.into_iter().flat_map(|set| [set, !set]) {
        let counted = (0..32).filter(|mode| space.evaluate(set, |variable| mode >> variable.0 & 1 == 1)).count();
        assert_eq!(space.count(set, 5).to_u64(), Some(counted as u64));
        assert_eq!(space.count(set, 7).to_u64(), Some(counted as u64 * 4));
    }
}

#[test]
fn the_modes_of_a_hundred_independent_components_are_counted_exactly() {
    // Each of 100 elements excludes one of its four combinations; 99 further variables are free.
    let space = ModeSpace::new(299);
    let literal = |variable| space.literal(ModeVariable(variable));
    let conjuncts: Vec<_> =
        (0..100).map(|element| !space.and(literal(2 * element), literal(2 * element + 1))).collect();
    let invariant = Invariant::new(&space, &conjuncts);
    assert_eq!(invariant.components().count(), 100);
    assert_eq!(invariant.mode_count(&space), power(3, 100).times(&power(2, 99)));
}

#[test]
fn a_chain_of_ten_thousand_variables_is_counted_exactly() {
    // Never two neighbours at once: a Fibonacci number.
    let space = ModeSpace::new(10_000);
    let literal = |variable| space.literal(ModeVariable(variable));
    let conjuncts: Vec<_> = (1..10_000).map(|variable| !space.and(literal(variable - 1), literal(variable))).collect();
    let count = Invariant::new(&space, &conjuncts).mode_count(&space);
    let (mut previous, mut fibonacci) = (Natural::one(), Natural::from(2));
    for _ in 1..10_000 {
        (previous, fibonacci) = (fibonacci.clone(), previous.plus(&fibonacci));
    }
    assert_eq!(count, fibonacci);
}

#[test]
fn components_share_no_variable_and_projection_agrees_on_valid_modes() {
    let space = ModeSpace::new(6);
    let [a, b, c, d, e, f] = literals(&space);
    let conjuncts = [!space.and(a, b), space.or(e, f), !space.and(b, c), ModeSet::ALL];
    let invariant = Invariant::new(&space, &conjuncts);
    let components: Vec<_> = invariant.components().collect();
    assert_eq!(components, [space.and(conjuncts[0], conjuncts[2]), conjuncts[1]]);
    assert_eq!(invariant.contradiction(), None);
    let valid = space.intersection(conjuncts);
    let predicate = space.or(space.and(a, f), space.and(!c, d));
    let projected = invariant.project(&space, predicate);
    assert_eq!(space.and(projected, valid), space.and(predicate, valid));
    assert!(invariant.project(&space, space.and(a, b)).is_empty());
    assert!(invariant.project(&space, space.union([!a, !b])).is_all());
    assert!(invariant.allows(&space, space.and(a, c)));
    assert_eq!(invariant.mode_count(&space).to_u64(), Some(5 * 2 * 3));
    assert_eq!(invariant.concerning(&space, space.and(a, d)), components[0]);
}

#[test]
fn a_contradictory_invariant_names_the_conjuncts_and_allows_nothing() {
    let space = ModeSpace::new(3);
    let [a, b, c] = literals(&space);
    let invariant = Invariant::new(&space, &[c, space.and(a, b), !b]);
    assert_eq!(invariant.contradiction(), Some(&[1, 2][..]));
    assert!(!invariant.allows(&space, ModeSet::ALL));
    assert!(invariant.mode_count(&space).is_zero());
    let invariant = Invariant::new(&space, &[a, ModeSet::EMPTY]);
    assert_eq!(invariant.contradiction(), Some(&[1][..]));
}

#[test]
fn mode_dependent_values_combine_mode_by_mode() {
    let space = ModeSpace::new(2);
    let [a, b] = literals(&space);
    let left = ModeMap::from_cases(&space, [(a, 1), (!a, 0)]);
    let right = ModeMap::constant(0).with(&space, b, 1);
    let sum = left.combine(&space, &right, |left, right| left + right);
    for mode in 0..4 {
        let value = |variable: ModeVariable| mode >> variable.0 & 1 == 1;
        assert_eq!(sum.value_in(&space, value), Some(&((mode & 1) + (mode >> 1))));
    }
    assert_eq!(sum.cases().len(), 3, "equal sums are one case");
    assert_eq!(sum.modes_where(&space, |&value| value == 1), space.xor(a, b));
    assert_eq!(sum.map(&space, |value| value % 2).cases().len(), 2);
    let inside = sum.restricted(&space, a);
    assert_eq!(inside.domain(&space), a);
    assert_eq!(inside.value_in(&space, |_| false), None);
}

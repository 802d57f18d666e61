//! Every operation against truth tables, on random formulas over few variables and in random orders.

use crate::numbers;
use modeshift_modes::{Invariant, ModeSet, ModeSpace, ModeVariable};
use numbers::Numbers;

const VARIABLES: u32 = 9;

fn random_order(numbers: &mut Numbers, variables: u32) -> Vec<ModeVariable> {
    let mut order: Vec<_> = (0..variables).map(ModeVariable).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, numbers.below(last as u64 + 1) as usize);
    }
    order
}

/// A set beside its truth table: entry `mode` is whether the mode whose bits are the values is in the set.
#[derive(Clone)]
struct Pair(ModeSet, Vec<bool>);

fn modes() -> impl Iterator<Item = usize> {
    0..1 << VARIABLES
}

fn literal(space: &ModeSpace, variable: u32) -> Pair {
    Pair(space.literal(ModeVariable(variable)), modes().map(|mode| mode >> variable & 1 == 1).collect())
}

fn pairwise(left: &Pair, right: &Pair, operation: impl Fn(bool, bool) -> bool) -> Vec<bool> {
    modes().map(|mode| operation(left.1[mode], right.1[mode])).collect()
}

fn random_pair(space: &ModeSpace, numbers: &mut Numbers, depth: u32) -> Pair {
    if depth == 0 {
        let pair = literal(space, numbers.below(u64::from(VARIABLES)) as u32);
        return if numbers.below(2) == 0 { pair } else { Pair(!pair.0, pair.1.iter().map(|value| !value).collect()) };
    }
    let left = random_pair(space, numbers, depth - 1);
    let right = random_pair(space, numbers, depth - 1);
    match numbers.below(4) {
        0 => Pair(space.and(left.0, right.0), pairwise(&left, &right, |left, right| left & right)),
        1 => Pair(space.or(left.0, right.0), pairwise(&left, &right, |left, right| left | right)),
        2 => Pair(space.xor(left.0, right.0), pairwise(&left, &right, |left, right| left ^ right)),
        _ => Pair(space.difference(left.0, right.0), pairwise(&left, &right, |left, right| left & !right)),
    }
}

fn table(space: &ModeSpace, set: ModeSet) -> Vec<bool> {
    modes().map(|mode| space.evaluate(set, |variable| mode >> variable.0 & 1 == 1)).collect()
}

fn for_random_pairs(seed: u64, check: impl Fn(&ModeSpace, &mut Numbers, Pair, Pair)) {
    let mut numbers = Numbers(seed);
    for _ in 0..60 {
        let space = ModeSpace::with_order(random_order(&mut numbers, VARIABLES));
        for _ in 0..5 {
            let depth = numbers.below(5) as u32;
            let left = random_pair(&space, &mut numbers, depth);
            let right = random_pair(&space, &mut numbers, 3);
            check(&space, &mut numbers, left, right);
        }
    }
}

#[test]
fn formulas_mean_their_truth_tables_and_equal_sets_are_equal_handles() {
    for_random_pairs(1, |space, _, left, right| {
        assert_eq!(table(space, left.0), left.1);
        assert_eq!(left.0 == right.0, left.1 == right.1);
        assert_eq!(left.0.is_empty(), left.1.iter().all(|value| !value));
    });
}

#[test]
fn intersects_and_implies_agree_with_what_they_do_not_build() {
    for_random_pairs(2, |space, _, left, right| {
        assert_eq!(
            space.intersects(left.0, right.0),
            pairwise(&left, &right, |left, right| left & right).contains(&true)
        );
        assert_eq!(
            space.implies(left.0, right.0),
            !pairwise(&left, &right, |left, right| left & !right).contains(&true)
        );
    });
}

#[test]
fn constrain_is_composition_with_a_projection_onto_the_care_set() {
    for_random_pairs(3, |space, numbers, left, right| {
        let care = random_pair(space, numbers, 3);
        if care.0.is_empty() {
            return;
        }
        let constrained = space.constrain(left.0, care.0);
        assert_eq!(space.and(constrained, care.0), space.and(left.0, care.0));
        let separately = space.xor(constrained, space.constrain(right.0, care.0));
        assert_eq!(separately, space.constrain(space.xor(left.0, right.0), care.0));
        let separately = space.and(constrained, space.constrain(right.0, care.0));
        assert_eq!(separately, space.constrain(space.and(left.0, right.0), care.0));
        assert_eq!(space.constrain(care.0, care.0), ModeSet::ALL);
    });
}

/// An invariant of many components is met all at once where they stand one behind the other: that is the same as one by one.
#[test]
fn a_projection_onto_many_components_is_that_onto_each_in_turn() {
    let mut numbers = Numbers(17);
    for round in 0..300 {
        let variables = 24;
        let space = ModeSpace::with_order(random_order(&mut numbers, variables));
        // Pairs that overlap in the order of the space in any way, or neighbours only.
        let order = if round % 2 == 0 { space.order().to_vec() } else { random_order(&mut numbers, variables) };
        let conjuncts: Vec<ModeSet> = order
            .chunks(2)
            .map(|pair| {
                let some = |it: ModeVariable, numbers: &mut Numbers| space.assignment(it, numbers.below(2) == 1);
                let (one, other) = (some(pair[0], &mut numbers), some(pair[1], &mut numbers));
                if numbers.below(4) == 0 { one } else { space.or(one, other) }
            })
            .collect();
        let invariant = Invariant::new(&space, &conjuncts);
        let mut set = ModeSet::EMPTY;
        for _ in 0..6 {
            let literals = (0..variables).map(ModeVariable).filter(|_| numbers.below(3) > 0).collect::<Vec<_>>();
            let cube = space.intersection(literals.iter().map(|&it| space.assignment(it, numbers.below(2) == 1)));
            set = space.xor(set, cube);
        }
        let in_turn = invariant.components().fold(set, |set, component| space.constrain(set, component));
        assert_eq!(invariant.project(&space, set), in_turn, "round {round}");
        assert_eq!(
            invariant.project_all(&space, &[set, !set, ModeSet::ALL])[..2],
            [in_turn, !in_turn],
            "round {round}"
        );
    }
}

#[test]
fn restrict_agrees_on_the_care_set_and_adds_no_variable() {
    for_random_pairs(4, |space, _, left, care| {
        if care.0.is_empty() {
            return;
        }
        let restricted = space.restrict(left.0, care.0);
        assert_eq!(space.and(restricted, care.0), space.and(left.0, care.0));
        let support = space.support(left.0);
        assert!(space.support(restricted).iter().all(|variable| support.contains(variable)));
    });
}

#[test]
fn quantifiers_cofactors_and_support_follow_their_definitions() {
    for_random_pairs(5, |space, numbers, left, _| {
        let variable = numbers.below(u64::from(VARIABLES)) as u32;
        let with = |value: bool| -> Vec<bool> {
            modes().map(|mode| left.1[mode & !(1 << variable) | usize::from(value) << variable]).collect()
        };
        let (without, with) = (with(false), with(true));
        let variable = ModeVariable(variable);
        assert_eq!(table(space, space.cofactor(left.0, variable, false)), without);
        assert_eq!(table(space, space.cofactor(left.0, variable, true)), with);
        assert_eq!(space.support(left.0).contains(&variable), without != with);
        let either = without.iter().zip(&with).map(|(without, with)| without | with);
        assert_eq!(table(space, space.exists(left.0, &[variable])), either.collect::<Vec<_>>());
        let both = without.iter().zip(&with).map(|(without, with)| without & with);
        assert_eq!(table(space, space.for_all(left.0, &[variable])), both.collect::<Vec<_>>());
        let several = [variable, ModeVariable((variable.0 + 4) % VARIABLES)];
        let one_by_one = space.exists(space.exists(left.0, &several[..1]), &several[1..]);
        assert_eq!(space.exists(left.0, &several), one_by_one);
    });
}

#[test]
fn if_then_else_unions_and_intersections_combine() {
    for_random_pairs(6, |space, numbers, left, right| {
        let condition = random_pair(space, numbers, 2);
        let chosen: Vec<bool> =
            modes().map(|mode| if condition.1[mode] { left.1[mode] } else { right.1[mode] }).collect();
        assert_eq!(table(space, space.ite(condition.0, left.0, right.0)), chosen);
        let three = [left.0, right.0, condition.0];
        assert_eq!(space.union(three), space.or(left.0, space.or(right.0, condition.0)));
        assert_eq!(space.intersection(three), space.and(left.0, space.and(right.0, condition.0)));
    });
    let space = ModeSpace::new(0);
    assert_eq!((space.union([]), space.intersection([])), (ModeSet::EMPTY, ModeSet::ALL));
}

#[test]
fn an_example_lies_in_its_set_and_no_path_is_shorter() {
    for_random_pairs(7, |space, _, left, _| match space.pick(left.0) {
        None => assert!(left.0.is_empty()),
        Some(values) => assert!(space.implies(space.valuation(&values), left.0)),
    });
    let space = ModeSpace::new(3);
    let [a, b, c] = [0, 1, 2].map(|variable| space.literal(ModeVariable(variable)));
    let set = space.or(space.and(a, b), c);
    assert_eq!(space.pick(set), Some(vec![(ModeVariable(0), false), (ModeVariable(2), true)]));
    assert_eq!(space.pick(ModeSet::ALL), Some(vec![]));
}

#[test]
fn collection_keeps_the_listed_sets_and_frees_the_rest() {
    for_random_pairs(8, |space, numbers, left, right| {
        space.collect([left.0]);
        assert_eq!(space.node_count(), space.size(left.0) + 1);
        let fresh: Vec<_> = (0..10).map(|_| random_pair(space, numbers, 4)).collect();
        assert_eq!(table(space, left.0), left.1);
        assert!(fresh.iter().all(|pair| table(space, pair.0) == pair.1));
        drop(right);
    });
}

#[test]
fn imported_sets_have_the_same_modes_in_any_order_and_under_new_names() {
    for_random_pairs(9, |space, numbers, left, right| {
        let other = ModeSpace::with_order(random_order(numbers, VARIABLES));
        let imported = other.import(space, &[left.0, right.0, !left.0], |variable| variable);
        assert_eq!((table(&other, imported[0]), table(&other, imported[1])), (left.1.clone(), right.1));
        assert_eq!(imported[2], !imported[0]);
        assert_eq!(space.import(&other, &imported[..1], |variable| variable), [left.0]);
        let shift = numbers.below(u64::from(VARIABLES)) as u32;
        let shifted = space.import(space, &[left.0], |variable| ModeVariable((variable.0 + shift) % VARIABLES))[0];
        let expected = modes().map(|mode| {
            left.1[(0..VARIABLES)
                .map(|variable| (mode >> ((variable + shift) % VARIABLES) & 1) << variable)
                .sum::<usize>()]
        });
        assert_eq!(table(space, shifted), expected.collect::<Vec<_>>());
    });
}

//! Fewest deviations from usual values, compared with looking at every mode.

use modeshift_modes::{ModeSet, ModeSpace, ModeVariable};

const VARIABLES: u32 = 6;

/// The modes of a table: bit `m` says whether mode `m` is in it.
fn set_of(space: &ModeSpace, table: u64) -> ModeSet {
    let mode = |mode: u32| {
        let values: Vec<_> = (0..VARIABLES).map(|at| (ModeVariable(at), mode >> at & 1 == 1)).collect();
        space.valuation(&values)
    };
    space.union((0..1 << VARIABLES).filter(|mode| table >> mode & 1 == 1).map(mode))
}

fn modes_of(table: u64) -> impl Iterator<Item = u32> {
    (0..1u32 << VARIABLES).filter(move |mode| table >> mode & 1 == 1)
}

/// Tables of many and of few modes.
fn tables() -> impl Iterator<Item = u64> {
    let mut state = 0x1234_5678_9ABC_DEF1_u64;
    (0..400).map(move |round| {
        let mut table = u64::MAX;
        for _ in 0..=round % 5 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            table &= state.wrapping_mul(0x2545_F491_4F6C_DD1D);
        }
        table
    })
}

#[test]
fn usual_values_are_those_of_most_modes() {
    for table in tables() {
        let space = ModeSpace::new(VARIABLES);
        let set = set_of(&space, table);
        let found = space.usual_values(set);
        let with_true = |at: u32| modes_of(table).filter(|mode| mode >> at & 1 == 1).count();
        let expected: Vec<_> = space.support(set).into_iter().collect();
        let expected: Vec<_> =
            expected.into_iter().map(|it| (it, 2 * with_true(it.0) >= modes_of(table).count())).collect();
        assert_eq!(found, expected, "table {table:x}");
    }
}

#[test]
fn fewest_deviations_and_their_numbers_are_those_of_enumeration() {
    for (round, table) in tables().enumerate() {
        let space = ModeSpace::new(VARIABLES);
        let set = set_of(&space, table);
        let usual = round as u32 * 7 % 64;
        let Some(found) = space.fewest_deviations(set, |variable| usual >> variable.0 & 1 == 1) else {
            assert_eq!(table, 0);
            continue;
        };
        let deviating =
            |size: usize| modes_of(table).filter(|mode| (mode ^ usual).count_ones() as usize == size).count();
        let fewest = (0..).find(|&size| deviating(size) > 0).expect("the set is not empty");
        assert_eq!(found.example.len(), fewest, "table {table:x}");
        let mode = found.example.iter().fold(usual, |mode, variable| mode ^ 1 << variable.0);
        assert!(table >> mode & 1 == 1, "the example is in the set");
        if space.support(set).len() == VARIABLES as usize {
            for &(size, count) in &found.counts {
                assert_eq!(count, Some(deviating(size) as u128), "size {size} of table {table:x}");
            }
        }
    }
}

#[test]
fn two_of_many_are_counted_without_being_listed() {
    let count = 5_000;
    let space = ModeSpace::new(count);
    let (mut none, mut one) = (ModeSet::ALL, ModeSet::ALL);
    for at in (0..count).rev() {
        one = space.branch(ModeVariable(at), none, one);
        none = space.branch(ModeVariable(at), ModeSet::EMPTY, none);
    }
    // Where one valve may be closed, all is well; two closed valves are in the set.
    let found = space.fewest_deviations(!one, |_| true).expect("not empty");
    assert_eq!(found.example, [ModeVariable(0), ModeVariable(1)]);
    let n = u128::from(count);
    let (pairs, triples) = (n * (n - 1) / 2, n * (n - 1) * (n - 2) / 6);
    assert_eq!(found.counts, [(2, Some(pairs)), (3, Some(triples)), (4, Some(triples * (n - 3) / 4))]);
    assert_eq!(space.usual_values(one).len(), count as usize);
    assert!(space.usual_values(one).iter().all(|(_, value)| *value));
}

//! Deep diagrams, many variables, and limits.

use std::time::{Duration, Instant};

use modeshift_modes::{LimitKind, ModeSet, ModeSpace, ModeVariable, Natural, TimeLimit};

const MANY: u32 = 100_000;

fn literals(space: &ModeSpace) -> Vec<ModeSet> {
    (0..space.variable_count() as u32).map(|variable| space.literal(ModeVariable(variable))).collect()
}

/// True where an odd number of variables is, built from the bottom.
fn parity(space: &ModeSpace) -> ModeSet {
    literals(space).into_iter().rev().fold(ModeSet::EMPTY, |parity, literal| space.xor(literal, parity))
}

#[test]
fn a_conjunction_of_a_hundred_thousand_variables_does_not_overflow_the_stack() {
    let space = ModeSpace::new(MANY);
    let literals = literals(&space);
    let all = space.intersection(literals.iter().copied());
    let none = space.intersection(literals.iter().map(|&literal| !literal));
    assert_eq!(space.size(all), MANY as usize);
    assert!(!space.intersects(all, none));
    assert_eq!(space.pick(none).unwrap().len(), MANY as usize);
    let even = literals.iter().copied().step_by(2);
    let odd = literals.iter().copied().skip(1).step_by(2);
    assert_eq!(space.and(space.intersection(even), space.intersection(odd)), all);
    assert_eq!(space.union(literals.iter().copied()), !none);
}

#[test]
fn a_parity_of_a_hundred_thousand_variables_does_not_overflow_the_stack() {
    let space = ModeSpace::new(MANY);
    let parity = parity(&space);
    assert_eq!(space.size(parity), MANY as usize);
    let last = space.literal(ModeVariable(MANY - 1));
    let without_last = space.xor(parity, last);
    assert_eq!(space.support(without_last).len(), MANY as usize - 1);
    assert_eq!(space.xor(without_last, parity), last);
    assert_eq!(space.exists(parity, &[ModeVariable(MANY - 1)]), ModeSet::ALL);
    let constrained = space.constrain(parity, last);
    assert_eq!(space.and(constrained, last), space.and(parity, last));
    assert_eq!(space.restrict(parity, last), constrained);
    assert!(space.check().is_ok());
}

/// Pairs of equal variables with all first ones above all second ones: exponential in this order.
fn far_pairs(space: &ModeSpace) -> ModeSet {
    let literals = literals(space);
    let half = literals.len() / 2;
    (0..half).fold(ModeSet::ALL, |set, pair| space.difference(set, space.xor(literals[pair], literals[pair + half])))
}

#[test]
fn a_node_limit_ends_with_what_was_being_computed() {
    let space = ModeSpace::new(60);
    space.set_node_limit(100_000);
    space.set_task("matching equations");
    assert!(space.check().is_ok());
    far_pairs(&space);
    let limit = space.check().unwrap_err();
    assert_eq!(limit.kind, LimitKind::Nodes(100_000));
    assert_eq!(limit.to_string(), "the limit of 100000 decision-diagram nodes was reached while matching equations");
    assert!(space.node_count() <= 100_000);
    let [a, b] = [0, 1].map(|variable| space.literal(ModeVariable(variable)));
    assert_eq!((space.or(a, b), space.xor(a, b), space.intersects(a, b)), (ModeSet::EMPTY, ModeSet::EMPTY, false));
    space.lift_limits();
    assert!(space.check().is_ok() && space.intersects(a, b));
}

/// On a stack of which half is told, that half is used and no more.
#[test]
fn deep_operations_are_the_same_on_a_large_stack() {
    let deep = || {
        let space = ModeSpace::new(20_000);
        let parity = parity(&space);
        let last = space.literal(ModeVariable(19_999));
        let without_last = space.xor(parity, last);
        (space.size(without_last), space.support(without_last).len(), space.check().is_ok())
    };
    let on_stack = |told: usize| {
        let thread = std::thread::Builder::new().stack_size(2 * told);
        let work = move || {
            modeshift_modes::use_stack(told);
            deep()
        };
        thread.spawn(work).unwrap().join().unwrap()
    };
    for told in [1 << 20, 64 << 20] {
        assert_eq!(on_stack(told), (19_999, 19_999, true), "{told}");
    }
}

#[test]
fn nodes_that_are_held_back_are_there_after_their_release() {
    for released in [false, true] {
        let space = ModeSpace::new(60);
        space.set_node_limit(2_000);
        space.hold_back(1_500);
        if released {
            space.release();
        }
        literals(&space).into_iter().take(20).for_each(|literal| _ = space.and(literal, parity(&space)));
        assert_eq!(space.check().is_ok(), released);
        far_pairs(&space);
        let most = if released { 2_000 } else { 500 };
        assert_eq!(space.check().unwrap_err().kind, LimitKind::Nodes(most));
    }
}

#[test]
fn a_deadline_ends_a_long_operation() {
    let space = ModeSpace::new(80);
    let start = Instant::now();
    space.set_time_limit(TimeLimit::since(start, Duration::from_millis(50)));
    space.set_node_limit(50_000_000);
    far_pairs(&space);
    let limit = space.check().unwrap_err();
    assert!(matches!(limit.kind, LimitKind::Time(_)), "{limit}");
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// Each literal is put at the end of all that come before.
#[test]
fn a_step_limit_ends_what_takes_long_on_every_machine() {
    let work = |steps: u64| {
        let space = ModeSpace::new(600);
        space.set_step_limit(steps);
        literals(&space).into_iter().fold(ModeSet::ALL, |prefix, literal| space.and(prefix, literal));
        space.check()
    };
    let limit = work(20_000).unwrap_err();
    assert_eq!(limit.kind, LimitKind::Steps(20_000));
    assert_eq!(limit.to_string(), "the limit of 20000 steps on sets of modes was reached");
    assert_eq!(work(20_000).unwrap_err(), limit, "the same limit on every machine");
    assert!(work(1 << 40).is_ok());
}

/// More is remembered where the same few nodes are combined again and again, and what comes out stays the same.
#[test]
fn operations_are_the_same_when_more_of_them_are_remembered() {
    let space = ModeSpace::new(300);
    let literals = literals(&space);
    let between = |from: usize, to: usize| space.intersection(literals[from..to].iter().copied());
    for from in (0..300).step_by(7) {
        for to in (from..300).step_by(5) {
            let (prefix, rest) = (between(0, to), between(from, 300));
            assert_eq!(space.and(prefix, rest), between(0, 300));
            assert_eq!(space.difference(between(from, to), rest).is_empty(), to == 300);
        }
    }
    assert!(space.check().is_ok());
}

#[test]
fn many_sets_with_one_part_in_common_are_found_again() {
    // Nodes with the same level and newest child crowd one stretch of the table until it spreads them.
    let space = ModeSpace::new(20);
    let literals = literals(&space);
    let modes = |number: u32| {
        space.intersection(
            (1..19)
                .map(|bit| literals[bit as usize])
                .enumerate()
                .map(|(bit, literal)| if number >> bit & 1 == 1 { literal } else { !literal }),
        )
    };
    let parts: Vec<_> = (0..1 << 17).map(modes).collect();
    let common = space.xor(literals[18], literals[19]);
    let build = || parts.iter().map(|&part| space.ite(literals[0], common, part)).collect::<Vec<_>>();
    let start = Instant::now();
    let first = build();
    assert_eq!(first, build());
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_deep_set_is_imported_and_counted() {
    let space = ModeSpace::new(MANY);
    let parity = parity(&space);
    let other = ModeSpace::new(MANY + 1);
    let imported = other.import(&space, &[parity], |variable| ModeVariable(variable.0 + 1));
    assert_eq!(other.size(imported[0]), MANY as usize);
    let few = ModeSpace::new(2000);
    let parity = self::parity(&few);
    assert_eq!(few.count(parity, 2000), Natural::power_of_two(1999));
}

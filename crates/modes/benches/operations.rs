//! Nanoseconds per operation on sets over few neighbouring variables, as the structural analysis makes them:
//! `cargo bench -p modeshift-modes`.

use std::hint::black_box;
use std::time::Instant;

use modeshift_modes::{FormulaPrinter, Invariant, ModeSet, ModeSpace, ModeVariable};

const ELEMENTS: u32 = 100_000;

fn main() {
    let space = ModeSpace::new(2 * ELEMENTS);
    let literals: Vec<_> = (0..2 * ELEMENTS).map(|variable| space.literal(ModeVariable(variable))).collect();
    let fresh = local_sets(&space, &literals);
    repeated(&space, &fresh);
    questions(&space, &fresh);
    projections(&space, &literals, &fresh);
    collections(&space, &fresh);
    formulas(&space, &fresh);
}

/// Runs and reports `operations` operations.
fn measure<T>(what: &str, operations: usize, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = black_box(run());
    let nanoseconds = start.elapsed().as_nanos() as f64 / operations as f64;
    println!("{what:<44} {operations:>9} times  {nanoseconds:>8.1} ns");
    result
}

/// Predicates over six neighbouring variables each: path predicates of one element and its neighbours.
fn local_sets(space: &ModeSpace, literals: &[ModeSet]) -> Vec<ModeSet> {
    let windows = literals.len() - 6;
    let sets = measure("new sets of six variables, per operation", windows * 7, || {
        let windows = literals.windows(6).take(windows);
        let sets = windows.map(|window| {
            let [a, b, c, d, e, f] = window.try_into().expect("windows of six");
            let left = space.or(space.and(a, !b), c);
            let right = space.difference(space.or(d, e), space.xor(c, f));
            space.or(left, right)
        });
        sets.collect::<Vec<_>>()
    });
    println!("{} nodes", space.node_count());
    sets
}

fn repeated(space: &ModeSpace, sets: &[ModeSet]) {
    let pairs = sets.len() - 1;
    measure("and of neighbours, new", pairs, || sets.windows(2).map(|pair| space.and(pair[0], pair[1])).max());
    measure("and of neighbours, again", pairs, || sets.windows(2).map(|pair| space.and(pair[0], pair[1])).max());
    measure("and of the same ten pairs", 10 * pairs, || {
        (0..10 * pairs).map(|index| space.and(sets[index % 10], sets[index % 10 + 1])).max()
    });
    measure("union of eight neighbours, per set", pairs, || {
        sets.chunks(8).map(|chunk| space.union(chunk.iter().copied())).max()
    });
}

fn questions(space: &ModeSpace, sets: &[ModeSet]) {
    let pairs = sets.len() - 2;
    measure("intersects", pairs, || sets.windows(3).filter(|set| space.intersects(set[0], set[2])).count());
    measure("implies", pairs, || sets.windows(3).filter(|set| space.implies(set[0], set[2])).count());
    measure("support", sets.len(), || sets.iter().map(|&set| space.support(set).len()).sum::<usize>());
}

fn projections(space: &ModeSpace, literals: &[ModeSet], sets: &[ModeSet]) {
    let elements = ELEMENTS as usize;
    let conjuncts: Vec<_> = literals.chunks(2).map(|pair| !space.and(pair[0], pair[1])).collect();
    let invariant = measure("invariant, per component", elements, || Invariant::new(space, &conjuncts));
    measure("projection", sets.len(), || sets.iter().map(|&set| invariant.project(space, set)).max());
    let count = measure("mode count, per component", elements, || invariant.mode_count(space));
    let digits = measure("its digits, per digit", 47_713, || count.to_string());
    assert_eq!(digits.len(), 47_713, "3^100000 has so many digits");
}

fn collections(space: &ModeSpace, sets: &[ModeSet]) {
    let nodes = space.node_count();
    measure("collection, per node", nodes, || space.collect(sets.iter().copied()));
}

fn formulas(space: &ModeSpace, sets: &[ModeSet]) {
    let names: Vec<_> = (0..2 * ELEMENTS).map(|variable| format!("b{variable}")).collect();
    let invariant = Invariant::new(space, &[]);
    let printer = FormulaPrinter::new(space, &invariant, &names);
    measure("formula", sets.len(), || sets.iter().map(|&set| printer.print(set).text.len()).sum::<usize>());
}

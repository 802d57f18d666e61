//! Sets of modes as Modelica text: exact, short, the same every time.

use crate::numbers;
use crate::reading;
use modeshift_modes::{FormulaPrinter, Invariant, ModeSet, ModeSpace, ModeVariable};
use numbers::Numbers;
use reading::{names, read};

/// What `set` prints as, over variables `a`, `b`, …, given the conjuncts of an invariant; formulas in, formula out.
fn check(set: &str, invariant: &[&str], expected: &str) {
    let space = ModeSpace::new(8);
    let names = names(8);
    let conjuncts: Vec<_> = invariant.iter().map(|conjunct| read(&space, &names, conjunct)).collect();
    let invariant = Invariant::new(&space, &conjuncts);
    let formula = FormulaPrinter::new(&space, &invariant, &names).print(read(&space, &names, set));
    assert_eq!((formula.text.as_str(), formula.abbreviated), (expected, false));
}

#[test]
fn common_parts_are_written_once_and_the_negation_is_used_where_shorter() {
    check("true", &[], "true");
    check("false", &[], "false");
    check("not c", &[], "not c");
    check("not a and b or not a and c", &[], "not a and (b or c)");
    check("not a or not b", &[], "not (a and b)");
    check("b and a or c and a or d", &[], "a and (b or c) or d");
    check("(a or b) and (c or d)", &[], "(a or b) and (c or d)");
    check("a and b or not a and not b", &[], "a and b or not (a or b)");
    check("not (a and b) and c", &[], "not (a and b) and c");
    check("a and b or b and c or a and c", &[], "a and (b or c) or b and c");
}

#[test]
fn what_the_invariant_says_is_not_repeated() {
    check("a and not b", &["not (a and b)"], "a");
    check("not a and not b", &["not (a and b)", "a or b or c"], "not (a or b)");
    check("a and b", &["not (a and b)"], "false");
    check("a or b", &["a or b"], "true");
    check("a and c or b and d", &["a or b", "not (a and b)", "c"], "a or d");
    // One state of several: the state's own variable rather than the negation of the others.
    let one_of_three = ["a or b or c", "not (a and b)", "not (a and c)", "not (b and c)"];
    check("not a and not b and c", &one_of_three, "c");
    check("not a and not b", &one_of_three, "c");
    check("a or b", &one_of_three, "not c");
}

#[test]
fn a_contradictory_invariant_leaves_formulas_readable() {
    check("a and b", &["c", "not c"], "a and b");
}

#[test]
fn a_name_stands_for_its_set_where_that_is_shorter() {
    let space = ModeSpace::new(5);
    let names = names(5);
    let set = |text| read(&space, &names, text);
    let invariant = Invariant::new(&space, &[]);
    let mut printer = FormulaPrinter::new(&space, &invariant, &names);
    printer.name_set("open", set("a and (b or c)"));
    printer.name_set("aVeryLongNameIndeed", set("a and b"));
    let print = |text| printer.print(set(text)).text;
    assert_eq!(print("a and (b or c)"), "open");
    assert_eq!(print("not (a and (b or c))"), "not open");
    assert_eq!(print("a and (b or c) and d"), "open and d");
    assert_eq!(print("d and not (a and (b or c))"), "not open and d");
    assert_eq!(print("a and (b or c) or d and e"), "open or d and e");
    assert_eq!(print("a and b"), "a and b");
    assert_eq!(print("a"), "a");
}

#[test]
fn conjunctions_are_written_as_such_where_they_are_preferred() {
    let space = ModeSpace::new(4);
    let names = names(4);
    let invariant = Invariant::new(&space, &[]);
    let mut printer = FormulaPrinter::new(&space, &invariant, &names);
    printer.prefer_conjunctions();
    let print = |text| printer.print(read(&space, &names, text)).text;
    assert_eq!(print("not a and not b and c and not d"), "not a and not b and c and not d");
    assert_eq!(print("not a and not (b and c)"), "not a and not (b and c)");
    assert_eq!(print("not a or not b"), "not (a and b)");
    assert_eq!(print("a and (b or c)"), "a and (b or c)");
}

#[test]
fn every_formula_means_its_set_in_every_valid_mode() {
    let mut numbers = Numbers(11);
    for variables in [3, 5, 6, 7, 9, 12] {
        for _ in 0..60 {
            let space = ModeSpace::new(variables);
            let names = names(variables);
            let mut random = |depth| random_set(&space, &mut numbers, depth);
            let conjuncts = [random(2), random(1)];
            let set = random(4);
            let invariant = Invariant::new(&space, &conjuncts);
            let formula = FormulaPrinter::new(&space, &invariant, &names).print(set);
            if formula.abbreviated || invariant.contradiction().is_some() {
                continue;
            }
            let valid = space.intersection(conjuncts);
            let read = read(&space, &names, &formula.text);
            assert_eq!(space.and(read, valid), space.and(set, valid), "{}", formula.text);
        }
    }
}

#[test]
fn the_order_of_the_diagrams_does_not_show_in_formulas_over_few_variables() {
    let text = |order: [u32; 6]| {
        let space = ModeSpace::with_order(order.map(ModeVariable).to_vec());
        let mut numbers = Numbers(12);
        let invariant = Invariant::new(&space, &[random_set(&space, &mut numbers, 2)]);
        let sets: Vec<_> = (0..50).map(|_| random_set(&space, &mut numbers, 4)).collect();
        let names = names(6);
        let printer = FormulaPrinter::new(&space, &invariant, &names);
        sets.into_iter().map(|set| printer.print(set).text).collect::<Vec<_>>()
    };
    let natural = text([0, 1, 2, 3, 4, 5]);
    assert_eq!(natural, text([0, 1, 2, 3, 4, 5]));
    assert_eq!(natural, text([4, 2, 5, 0, 3, 1]));
}

fn random_set(space: &ModeSpace, numbers: &mut Numbers, depth: u32) -> ModeSet {
    if depth == 0 {
        let variable = ModeVariable(numbers.below(space.variable_count() as u64) as u32);
        return space.assignment(variable, numbers.below(2) == 0);
    }
    let (left, right) = (random_set(space, numbers, depth - 1), random_set(space, numbers, depth - 1));
    match numbers.below(5) {
        0 | 1 => space.and(left, right),
        2 | 3 => space.or(left, right),
        _ => space.xor(left, right),
    }
}

/// The fewest literals of any formula for each function of three variables, by exhaustion.
fn fewest_literals() -> [usize; 256] {
    let mut fewest = [usize::MAX; 256];
    (fewest[0], fewest[255]) = (0, 0);
    for variable in [0xAA, 0xCC, 0xF0] {
        (fewest[variable], fewest[255 - variable]) = (1, 1);
    }
    for literals in 2..=12 {
        for left in 0..256 {
            for right in 0..256 {
                if fewest[left].saturating_add(fewest[right]) == literals {
                    fewest[left & right] = fewest[left & right].min(literals);
                    fewest[left | right] = fewest[left | right].min(literals);
                }
            }
        }
    }
    fewest
}

fn set_of_table(space: &ModeSpace, table: usize) -> ModeSet {
    let modes = (0..8u32).filter(|mode| table >> mode & 1 == 1);
    space.union(modes.map(|mode| {
        space.intersection((0..3).map(|variable| space.assignment(ModeVariable(variable), mode >> variable & 1 == 1)))
    }))
}

fn literal_count(text: &str) -> usize {
    text.split([' ', '(', ')']).filter(|word| !["not", "and", "or", "", "true", "false"].contains(word)).count()
}

#[test]
fn formulas_of_three_variables_are_as_short_as_exhaustion_finds() {
    let fewest = fewest_literals();
    let space = ModeSpace::new(3);
    let names = names(3);
    let invariant = Invariant::new(&space, &[]);
    let printer = FormulaPrinter::new(&space, &invariant, &names);
    let mut longer = Vec::new();
    for (table, &fewest) in fewest.iter().enumerate() {
        let text = printer.print(set_of_table(&space, table)).text;
        if literal_count(&text) > fewest {
            longer.push((text, fewest));
        }
    }
    assert!(longer.is_empty(), "{} of 256: {longer:?}", longer.len());
}

#[test]
fn formulas_of_three_variables_under_an_invariant_are_as_short_as_exhaustion_finds() {
    let fewest = fewest_literals();
    let space = ModeSpace::new(3);
    let names = names(3);
    let mut longer = Vec::new();
    for valid in 1..256 {
        let invariant = Invariant::new(&space, &[set_of_table(&space, valid)]);
        let printer = FormulaPrinter::new(&space, &invariant, &names);
        for table in (0..256).filter(|table| table & !valid == 0) {
            let shortest = (0..256).filter(|other| other & valid == table).map(|other| fewest[other]).min();
            let text = printer.print(set_of_table(&space, table)).text;
            if Some(literal_count(&text)) > shortest {
                longer.push((valid, text, shortest));
            }
        }
    }
    assert!(longer.is_empty(), "{} of 6560: {longer:?}", longer.len());
}

#[test]
fn long_formulas_say_how_many_terms_they_leave_out() {
    let space = ModeSpace::new(3000);
    let names: Vec<_> = (0..3000).map(|variable| format!("x{variable}")).collect();
    let literals: Vec<_> = (0..3000).map(|variable| space.literal(ModeVariable(variable))).collect();
    let invariant = Invariant::new(&space, &[]);
    let mut printer = FormulaPrinter::new(&space, &invariant, &names);
    printer.abbreviate_beyond(3);
    let print = |set| {
        let formula = printer.print(set);
        assert!(formula.abbreviated);
        formula.text
    };
    let conjunction = space.intersection(literals.iter().copied());
    assert_eq!(print(conjunction), "x0 and x1 and x2 and … (2997 more terms)");
    assert_eq!(print(!conjunction), "not (x0 and x1 and x2 and … (2997 more terms))");
    assert_eq!(print(space.intersection(literals[..10].iter().copied())), "x0 and x1 and x2 and … (7 more terms)");
    let parity = literals[..20].iter().rev().fold(ModeSet::EMPTY, |parity, &literal| space.xor(literal, parity));
    assert!(print(parity).ends_with(" or … (524287 more terms)"), "{}", print(parity));
    let parity = literals.iter().rev().fold(ModeSet::EMPTY, |parity, &literal| space.xor(literal, parity));
    assert!(print(parity).ends_with(" and … (2997 more terms) or … (more terms)"), "{}", print(parity));
}

#[test]
fn a_state_of_many_prints_by_its_own_variable() {
    for states in [12, 30] {
        let space = ModeSpace::new(states);
        let names: Vec<_> = (0..states).map(|state| format!("s{state}")).collect();
        let literals: Vec<_> = (0..states).map(|state| space.literal(ModeVariable(state))).collect();
        let pairs = literals.iter().enumerate().flat_map(|(first, &left)| {
            let later = &literals[first + 1..];
            later.iter().map(move |&right| (left, right))
        });
        let mut conjuncts: Vec<_> = pairs.map(|(left, right)| !space.and(left, right)).collect();
        conjuncts.push(space.union(literals.iter().copied()));
        let invariant = Invariant::new(&space, &conjuncts);
        assert_eq!(invariant.mode_count(&space).to_u64(), Some(u64::from(states)));
        let printer = FormulaPrinter::new(&space, &invariant, &names);
        let print = |set| printer.print(invariant.project(&space, set)).text;
        assert_eq!(print(literals[3]), "s3");
        assert_eq!(print(!literals[3]), "not s3");
        assert_eq!(print(space.or(literals[11], literals[3])), "s3 or s11");
        assert_eq!(print(space.union(literals[1..].iter().copied())), "not s0");
    }
}

#[test]
fn a_set_with_many_nodes_is_abbreviated_without_a_search() {
    // Equal pairs, all first ones above all second ones: 2^15 nodes.
    let space = ModeSpace::new(30);
    let names: Vec<_> = (0..30).map(|variable| format!("x{variable}")).collect();
    let literal = |variable| space.literal(ModeVariable(variable));
    let set = space.intersection((0..15).map(|pair| !space.xor(literal(pair), literal(pair + 15))));
    let invariant = Invariant::new(&space, &[]);
    let formula = FormulaPrinter::new(&space, &invariant, &names).print(set);
    assert!(formula.abbreviated && formula.text.ends_with(" or … (more terms)"), "{}", formula.text);
}

/// The parts of a conjunction in an order that does not matter.
fn sorted(conjunction: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = conjunction.split(" and ").collect();
    parts.sort_unstable();
    parts
}

/// Names that differ in an index alone are told by the first and the last, whatever the order of declaration.
#[test]
fn values_of_very_many_variables_are_told_by_families() {
    const DOORS: u32 = 40;
    // Doors and valves in turn, and between each two a flag that is false wherever its door is.
    let name = |at: u32| match at % 3 {
        0 => format!("open[{}]", DOORS - at / 3),
        1 => format!("flag[{}]", at / 3 + 1),
        _ => format!("valve[{}].on", at / 3 + 1),
    };
    let names: Vec<String> = (0..3 * DOORS).map(name).collect();
    let space = ModeSpace::new(3 * DOORS);
    let literals: Vec<ModeSet> = (0..3 * DOORS).map(|at| space.literal(ModeVariable(at))).collect();
    let flagged: Vec<ModeSet> = literals.chunks(3).map(|it| space.or(it[0], !it[1])).collect();
    let invariant = Invariant::new(&space, &flagged);
    let mut printer = FormulaPrinter::new(&space, &invariant, &names);
    let every = |kind: usize, value: bool| {
        let of_kind = literals.iter().skip(kind).step_by(3);
        space.intersection(of_kind.map(|&literal| if value { literal } else { !literal }))
    };
    let print = |printer: &FormulaPrinter<'_>, set| printer.print(invariant.project(&space, set)).text;
    let closed = every(0, false);
    assert_eq!(print(&printer, closed), "not (open[1] or … or open[40])");
    assert_eq!(print(&printer, !closed), "open[1] or … or open[40]");
    assert_eq!(print(&printer, every(0, true)), "open[1] and … and open[40]");
    assert_eq!(print(&printer, !every(0, true)), "not (open[1] and … and open[40])");
    let but_two = space.exists(closed, &[ModeVariable(3 * 20)]);
    assert_eq!(print(&printer, but_two), "not (open[21] or … or open[40]) and not (open[1] or … or open[19])");
    let in_three = space.exists(closed, &[ModeVariable(3 * 20), ModeVariable(3 * 23)]);
    let expected =
        "not (open[21] or … or open[40]) and not (open[1] or … or open[16]) and not open[18] and not open[19]";
    assert_eq!(sorted(&print(&printer, in_three)), sorted(expected));
    let both = space.and(closed, every(2, true));
    assert_eq!(print(&printer, both), "valve[1].on and … and valve[40].on and not (open[1] or … or open[40])");
    printer.prefer_conjunctions();
    assert_eq!(print(&printer, closed), "not open[1] and … and not open[40]");
}

//! Impulse orders by the rules of E22 §9.2 on small systems, as a check of the shortest paths.
//!
//! Of the terms of an equation the greatest order is attained at least twice (rules R1–R8 for sums). All that is known
//! of an equation counts as *one* term, its defect, of order `-k` where its derivative `k` is the first that the past
//! violates. Here the rules are not solved but tried on all orders from -4 to 4 and on "untouched".

use modeshift_structure::one_mode::Row;

use crate::one_change::{Defect, Potentials};
use crate::suite::support;
use support::random::{LinearMode, Random, Shape, mode};

/// `None` is the order of zero.
type Order = Option<i64>;

/// Terms of an equation: variables with how often they are differentiated, and orders of what is known.
struct Sum {
    terms: Vec<(usize, i64)>,
    known: Vec<i64>,
}

impl Sum {
    fn is_balanced(&self, orders: &[Order]) -> bool {
        let of_terms = self.terms.iter().filter_map(|&(variable, derivative)| Some(orders[variable]? + derivative));
        let all: Vec<i64> = of_terms.chain(self.known.iter().copied()).collect();
        let greatest = all.iter().max();
        greatest.is_none_or(|greatest| all.iter().filter(|order| *order == greatest).count() >= 2)
    }
}

/// All orders up to `highest` that balance all equations.
fn solutions(sums: &[Sum], highest: &[i64]) -> Vec<Vec<Order>> {
    let mut found: Vec<Vec<Order>> = vec![Vec::new()];
    for &highest in highest {
        let choices = || std::iter::once(None).chain((-4..=highest).map(Some));
        found = found.iter().flat_map(|known| choices().map(move |order| [&known[..], &[order]].concat())).collect();
    }
    found.retain(|orders| sums.iter().all(|sum| sum.is_balanced(orders)));
    found
}

/// A clutch that engages: variables are the jumps of the speeds and the torques. The speeds before are known.
fn clutch(known: Vec<i64>) -> Vec<Sum> {
    let sum = |terms: &[(usize, i64)], known: Vec<i64>| Sum { terms: terms.to_vec(), known };
    vec![
        sum(&[(0, 1), (2, 0)], vec![]),
        sum(&[(1, 1), (3, 0)], vec![]),
        sum(&[(0, 0), (1, 0)], known),
        sum(&[(2, 0), (3, 0)], vec![]),
    ]
}

#[test]
fn known_terms_that_count_one_by_one_leave_the_torque_of_the_clutch_open() {
    // Speeds are not impulsive (Assumption 1 of E22). Both speeds before, of order 0, can balance each other: then the
    // torques may be anything up to 1.
    let highest = [0, 0, 4, 4];
    let apart = solutions(&clutch(vec![0, 0]), &highest);
    let torques: Vec<Order> = apart.iter().map(|orders| orders[2]).collect();
    assert!(torques.len() > 2 && torques.contains(&None) && torques.contains(&Some(1)), "{torques:?}");
    // As one defect they cannot.
    assert_eq!(solutions(&clutch(vec![0]), &highest), [vec![Some(0), Some(0), Some(1), Some(1)]]);
}

#[test]
fn states_of_a_first_order_chain_may_be_impulsive() {
    // x1' = x2, x2' = x3, 0 = x1 with x1 at a wrong place: x2 gets a Dirac impulse and x3 its derivative. If states
    // were not impulsive, nothing would balance.
    let sum = |terms: &[(usize, i64)], known: Vec<i64>| Sum { terms: terms.to_vec(), known };
    let chain = [sum(&[(0, 1), (1, 0)], vec![]), sum(&[(1, 1), (2, 0)], vec![]), sum(&[(0, 0)], vec![0])];
    assert_eq!(solutions(&chain, &[4, 4, 4]), [vec![Some(0), Some(1), Some(2)]]);
    assert!(solutions(&chain, &[0, 0, 4]).is_empty());
}

/// The equations of a mode, some with defects.
fn sums(mode: &LinearMode, defects: &[Defect]) -> Vec<Sum> {
    let sum = |(row, equation): (Row, &Vec<(usize, u32, i128)>)| {
        // Of a variable that is written with several derivatives, the highest counts: it dominates.
        let mut terms: Vec<(usize, i64)> = Vec::new();
        for &(variable, derivative, _) in equation {
            match terms.iter_mut().find(|term| term.0 == variable) {
                Some(term) => term.1 = term.1.max(i64::from(derivative)),
                None => terms.push((variable, i64::from(derivative))),
            }
        }
        let own = defects.iter().filter(|defect| defect.row == row);
        Sum { terms, known: own.map(|defect| -i64::from(defect.first)).collect() }
    };
    mode.structure.rows().zip(&mode.equations).map(sum).collect()
}

#[test]
fn shortest_paths_satisfy_the_rules_and_are_their_solution_where_there_is_one() {
    let shape = Shape { highest_order: 1, density: 35, coefficients: 5 };
    let (mut checked, mut unique, mut impulsive) = (0, 0, 0);
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let size = 2 + random.below(3) as usize;
        let mode = mode(&mut random, size, shape);
        let structure = &mode.structure;
        let violated: Vec<Row> = structure.rows().filter(|_| random.chance(50)).collect();
        let defects = violated.into_iter().map(|row| Defect { row, first: 0 }).collect::<Vec<_>>();
        let spread = Potentials::spread(structure, defects.iter().copied());
        let expected: Vec<Order> = structure.columns().map(|column| spread.order(structure, column)).collect();
        let sums = sums(&mode, &defects);
        let context = format!("seed {seed}: {expected:?}, {:?}", mode.equations);
        assert!(sums.iter().all(|sum| sum.is_balanced(&expected)), "{context}");
        // No order is above what any defect could cause.
        let solutions = solutions(&sums, &vec![3; size]);
        if expected.iter().flatten().all(|order| (-4..=3).contains(order)) {
            assert!(solutions.contains(&expected), "{context}");
            unique += usize::from(solutions == [expected.clone()]);
        }
        checked += 1;
        impulsive += expected.iter().flatten().filter(|&&order| order > 0).count();
    }
    println!("{checked} systems, {unique} with one solution, {impulsive} impulsive variables");
    assert!(unique > 100 && impulsive > 50, "{unique} {impulsive}");
}

//! A second opinion on larger formulas: the same ones built with OxiDD.

use crate::numbers;
use modeshift_modes::{ModeSet, ModeSpace, ModeVariable};
use numbers::Numbers;
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::{BooleanFunction, BooleanFunctionQuant, Function, Manager, ManagerRef};

const VARIABLES: u32 = 40;

/// The same function in both libraries.
#[derive(Clone)]
struct Pair(ModeSet, BCDDFunction);

struct Both {
    space: ModeSpace,
    manager: BCDDManagerRef,
    pool: Vec<Pair>,
}

impl Both {
    fn new() -> Both {
        let manager = new_manager(1 << 20, 1 << 16, 1);
        let space = ModeSpace::new(VARIABLES);
        let pool = manager.with_manager_exclusive(|manager| {
            let variables = manager.add_vars(VARIABLES);
            let literal =
                |number| Pair(space.literal(ModeVariable(number)), BCDDFunction::var(manager, number).unwrap());
            variables.map(literal).collect()
        });
        Both { space, manager, pool }
    }

    fn literal(&self, number: u32) -> &Pair {
        &self.pool[number as usize]
    }

    fn combine(&self, operation: u64, left: &Pair, right: &Pair, third: &Pair, number: u32) -> Pair {
        let space = &self.space;
        let quantified = self.literal(number);
        match operation {
            0 => Pair(space.and(left.0, right.0), left.1.and(&right.1).unwrap()),
            1 => Pair(space.or(left.0, right.0), left.1.or(&right.1).unwrap()),
            2 => Pair(space.xor(left.0, right.0), left.1.xor(&right.1).unwrap()),
            3 => Pair(!left.0, left.1.not().unwrap()),
            4 => Pair(space.ite(left.0, right.0, third.0), left.1.ite(&right.1, &third.1).unwrap()),
            5 => Pair(space.exists(left.0, &[ModeVariable(number)]), left.1.exists(&quantified.1).unwrap()),
            6 => Pair(space.for_all(left.0, &[ModeVariable(number)]), left.1.forall(&quantified.1).unwrap()),
            _ => Pair(space.cofactor(left.0, ModeVariable(number), true), left.1.restrict(&quantified.1).unwrap()),
        }
    }

    /// Adds random combinations of what is there, keeping to sizes below some thousand nodes.
    fn fill(&mut self, pairs: usize, seed: u64) {
        let mut numbers = Numbers(seed);
        while self.pool.len() < pairs {
            let mut any = || self.pool[numbers.below(self.pool.len() as u64) as usize].clone();
            let (left, right, third) = (any(), any(), any());
            let operation = numbers.below(8);
            let pair = self.combine(operation, &left, &right, &third, numbers.below(u64::from(VARIABLES)) as u32);
            if self.space.size(pair.0) < 3000 {
                self.pool.push(pair);
            }
        }
    }
}

#[test]
fn random_formulas_have_the_same_diagrams() {
    let mut both = Both::new();
    both.fill(1500, 21);
    for Pair(set, function) in &both.pool {
        // OxiDD counts the terminal too.
        assert_eq!(both.space.size(*set) + 1, function.node_count());
        assert_eq!(set.is_empty(), !function.satisfiable());
        assert_eq!(set.is_all(), function.valid());
    }
    assert!(both.pool.iter().any(|pair| both.space.size(pair.0) > 500), "some diagrams are large");
    both.manager.with_manager_shared(|manager| assert!(manager.num_inner_nodes() > 1000));
}

#[test]
fn random_formulas_have_the_same_values_and_equalities() {
    let mut both = Both::new();
    both.fill(600, 22);
    let mut numbers = Numbers(23);
    for Pair(set, function) in &both.pool {
        for _ in 0..20 {
            let mode = numbers.below(1 << VARIABLES);
            let value = |variable: u32| mode >> variable & 1 == 1;
            let expected = function.eval((0..VARIABLES).map(|variable| (variable, value(variable))));
            assert_eq!(both.space.evaluate(*set, |variable| value(variable.0)), expected);
        }
    }
    for left in &both.pool {
        for right in &both.pool {
            assert_eq!(left.0 == right.0, left.1 == right.1);
        }
    }
}

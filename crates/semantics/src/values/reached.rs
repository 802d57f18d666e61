//! What a run reaches: values of variables, and of which of them nothing or little is known (RR8933 A.2).
//!
//! A block is solved for generic linear coefficients (`linear`), which is right as long as its equations contain linearly
//! what is infinite in them. Where that is not so, an equation that gives one variable is solved in the algebra of leading
//! terms (`algebra`). All else has no order that could be told, and neither has what depends on it.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{Body, Shifted, Unknown};
use crate::micro_step::{EvaluateBlock, MicroStep};
use crate::system::DifferenceSystem;
use crate::values::algebra::{Evaluation, Leading, Trouble};
use crate::values::linear::{Values, solve_block};

/// Why the order of a variable is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclear {
    /// The equations that give it a value.
    pub equations: Vec<Shifted<Body>>,
    /// The variable in them that is infinite, or whose order is not known.
    pub variable: Unknown,
    /// What is the matter.
    pub trouble: Trouble,
}

/// Values of variables in an instant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reached {
    /// Those with a series.
    pub(crate) values: Values,
    /// Those of which the order is known, or a bound for it.
    pub(crate) bounds: BTreeMap<Shifted<Unknown>, Leading>,
    /// Those of which nothing is known.
    pub(crate) unclear: BTreeMap<Shifted<Unknown>, Unclear>,
    /// Those that depend on something infinite in another way than linearly.
    pub(crate) nonlinear: BTreeSet<Shifted<Unknown>>,
}

impl Reached {
    /// What is known when an instant begins.
    pub(crate) fn of(values: Values) -> Self {
        Reached { values, ..Reached::default() }
    }

    /// What is known behind a run; nothing where a block is singular even for generic numbers.
    pub(crate) fn after_run(&self, system: &DifferenceSystem, steps: &[MicroStep], instant: u32) -> Option<Reached> {
        let mut reached = self.clone();
        for step in steps {
            if let MicroStep::Block(block) = step {
                reached.solve(system, block, instant)?;
            }
        }
        Some(reached)
    }

    /// What is known in the next instant.
    pub(crate) fn ticked(&self) -> Reached {
        fn earlier<T: Clone>(of: &BTreeMap<Shifted<Unknown>, T>) -> BTreeMap<Shifted<Unknown>, T> {
            of.iter().filter_map(|(variable, value)| Some((variable.previous()?, value.clone()))).collect()
        }
        Reached {
            values: earlier(&self.values),
            bounds: earlier(&self.bounds),
            unclear: earlier(&self.unclear),
            nonlinear: self.nonlinear.iter().filter_map(|variable| variable.previous()).collect(),
        }
    }

    /// What is known in some instants, with shifts counted from the first of them.
    pub(crate) fn in_one_count(instants: &[Reached]) -> Reached {
        fn later<T: Clone>(into: &mut BTreeMap<Shifted<Unknown>, T>, of: &BTreeMap<Shifted<Unknown>, T>, by: u32) {
            into.extend(of.iter().map(|(it, value)| (Shifted::new(it.of, it.shift + by), value.clone())));
        }
        let mut all = Reached::default();
        for (reached, by) in instants.iter().zip(0..) {
            later(&mut all.values, &reached.values, by);
            later(&mut all.bounds, &reached.bounds, by);
            later(&mut all.unclear, &reached.unclear, by);
            all.nonlinear.extend(reached.nonlinear.iter().map(|it| Shifted::new(it.of, it.shift + by)));
        }
        all
    }

    /// By variable, the orders of those that are infinite.
    pub(crate) fn infinite_orders(&self) -> BTreeMap<Unknown, i32> {
        let series = self.values.iter().filter_map(|(variable, value)| Some((variable.of, value.order()?)));
        let bounds = self.bounds.iter().filter_map(|(variable, value)| Some((variable.of, value.order()?)));
        let mut orders = BTreeMap::new();
        for (unknown, order) in series.chain(bounds).filter(|&(_, order)| order > 0) {
            let highest = orders.entry(unknown).or_insert(order);
            *highest = order.max(*highest);
        }
        orders
    }

    fn solve(&mut self, system: &DifferenceSystem, block: &EvaluateBlock, instant: u32) -> Option<()> {
        let reads = block.equations.iter().flat_map(|&equation| system.variables_of(equation));
        let reads: BTreeSet<Shifted<Unknown>> = reads.filter(|it| !block.variables.contains(it)).collect();
        let is_rough = |it: &&Shifted<Unknown>| self.bounds.contains_key(it) || self.unclear.contains_key(it);
        let rough = reads.iter().find(is_rough).copied();
        let depends = reads.iter().any(|it| self.nonlinear.contains(it));
        let suspect = match rough {
            Some(rough) => rough.of,
            None => {
                let solution = solve_block(system, block, &self.values, instant)?;
                let mut values = self.values.clone();
                values.extend(solution);
                let evaluation = Evaluation { system, instant, values: &values, bounds: &self.bounds };
                match block.equations.iter().find_map(|&equation| evaluation.nonlinear_in(equation)) {
                    Some(suspect) => suspect,
                    None => {
                        self.values = values;
                        self.nonlinear.extend(block.variables.iter().filter(|_| depends));
                        return Some(());
                    }
                }
            }
        };
        self.solve_by_leading_terms(system, block, instant, suspect);
        Some(())
    }

    fn solve_by_leading_terms(&mut self, system: &DifferenceSystem, block: &EvaluateBlock, instant: u32, by: Unknown) {
        self.nonlinear.extend(&block.variables);
        let evaluation = Evaluation { system, instant, values: &self.values, bounds: &self.bounds };
        let solved = match (block.equations.as_slice(), block.variables.as_slice()) {
            (&[equation], &[variable]) => evaluation.solved(equation, variable),
            _ => Err(Trouble::Together),
        };
        let trouble = match solved {
            Ok(Leading::Series(series)) => {
                self.values.extend(block.variables.iter().map(|&variable| (variable, series.clone())));
                return;
            }
            Ok(Leading::Bounded { order, is_exact: false }) if order > 0 => Trouble::AtMost(order),
            Ok(bounded) => {
                self.bounds.extend(block.variables.iter().map(|&variable| (variable, bounded.clone())));
                return;
            }
            Err(trouble) => trouble,
        };
        let variable = if let Trouble::Reads(variable) = &trouble { variable.of } else { by };
        let unclear = Unclear { equations: block.equations.clone(), variable, trouble };
        self.unclear.extend(block.variables.iter().map(|&variable| (variable, unclear.clone())));
    }
}

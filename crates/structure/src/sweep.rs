//! The order in which a search works off what it has reached: up and down the locality order, again and again.
//!
//! Not in breadth-first layers: a layer holds the modes that took equally many steps, which says something about every
//! step of the way and makes large diagrams. A sweep waits until all modes that can come to an equation from one side
//! have come, and then goes on with their union.

use std::collections::BTreeSet;

use modeshift_dae::{EquationId, IndexVec};

/// Equations that wait for their turn.
pub(crate) struct Sweep {
    position: IndexVec<EquationId, u32>,
    order: Vec<EquationId>,
    /// Positions of waiting equations.
    waiting: BTreeSet<u32>,
    at: u32,
    upwards: bool,
}

impl Sweep {
    /// Nothing waits.
    pub(crate) fn new(equations: usize, order: &[EquationId]) -> Sweep {
        let mut position: IndexVec<EquationId, u32> = (0..equations).map(|_| 0).collect();
        for (at, &equation) in order.iter().enumerate() {
            position[equation] = u32::try_from(at).expect("fewer than 2^32 equations");
        }
        Sweep { position, order: order.to_vec(), waiting: BTreeSet::new(), at: 0, upwards: true }
    }

    /// Lets an equation wait.
    pub(crate) fn add(&mut self, equation: EquationId) {
        self.waiting.insert(self.position[equation]);
    }

    /// The next equation on the way; the direction turns where none is left.
    pub(crate) fn next(&mut self) -> Option<EquationId> {
        let ahead = self.ahead().or_else(|| {
            self.upwards = !self.upwards;
            self.ahead()
        });
        self.at = ahead?;
        self.waiting.remove(&self.at);
        Some(self.order[self.at as usize])
    }

    fn ahead(&self) -> Option<u32> {
        if self.upwards {
            self.waiting.range(self.at..).next().copied()
        } else {
            self.waiting.range(..=self.at).next_back().copied()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use modeshift_dae::Id;

    #[test]
    fn goes_up_then_down_and_takes_up_what_is_added_on_the_way() {
        let order: Vec<_> = (0..10).map(EquationId::from_index).collect();
        let mut sweep = Sweep::new(10, &order);
        [5, 3, 8].into_iter().for_each(|k| sweep.add(EquationId(k)));
        let mut taken = Vec::new();
        while let Some(equation) = sweep.next() {
            taken.push(equation.0);
            if equation.0 == 5 {
                [1, 6].into_iter().for_each(|k| sweep.add(EquationId(k)));
            }
        }
        assert_eq!(taken, [3, 5, 6, 8, 1]);
    }
}

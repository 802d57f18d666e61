//! Offsets of equations and variables: the dual problem of the Σ-method, in all modes at once.
//!
//! `c` of an equation is how often it is differentiated, `d` of a variable the order of its leading derivative. A
//! mode-dependent number is kept as a thermometer: the modes in which it is at least 1, at least 2, and so on. Offsets
//! are only ever raised by one, which moves each of these sets up by one step in some modes.
//!
//! Where `c` is not 0, derivatives of the equation below `c` hold too: the *latent* equations (RR8933 §3.1), which are
//! consistency equations of a start (E22 §7.1) and hidden constraints of a restart.
//!
//! E22 §4.3, RR9322 §4.5. As there, a disabled equation or variable has offset 0.

use modeshift_dae::{EquationId, IndexVec, VariableId};
use modeshift_modes::{ModeSet, ModeSpace};

use crate::Incidence;

/// A small number that depends on the mode: the modes in which it is at least 1, at least 2, …
///
/// Each set contains the next, and none is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thermometer(Vec<ModeSet>);

impl Thermometer {
    /// The largest value in any mode.
    pub fn maximum(&self) -> u32 {
        self.0.len() as u32
    }

    /// The modes in which the value is at least this.
    #[inline]
    pub fn at_least(&self, value: u32) -> ModeSet {
        match value {
            0 => ModeSet::ALL,
            _ => self.0.get(value as usize - 1).copied().unwrap_or(ModeSet::EMPTY),
        }
    }

    /// The modes in which the value is exactly this.
    #[inline]
    pub fn equal_to(&self, space: &ModeSpace, value: u32) -> ModeSet {
        space.difference(self.at_least(value), self.at_least(value + 1))
    }

    /// The values within `guard`, each with its modes: disjoint, ascending, together `guard`.
    pub fn cases(&self, space: &ModeSpace, guard: ModeSet) -> Vec<(u32, ModeSet)> {
        (0..=self.maximum())
            .map(|value| (value, space.and(guard, self.equal_to(space, value))))
            .filter(|(_, modes)| !modes.is_empty())
            .collect()
    }

    /// The value in one mode.
    pub fn value(&self, mut is_in: impl FnMut(ModeSet) -> bool) -> u32 {
        self.0.iter().take_while(|&&modes| is_in(modes)).count() as u32
    }

    /// The sets of modes, to be kept by a collection.
    pub fn mode_sets(&self) -> &[ModeSet] {
        &self.0
    }

    /// The same number in another space: `image` carries sets over and keeps what contains what.
    pub(crate) fn mapped(&self, image: impl Fn(ModeSet) -> ModeSet) -> Thermometer {
        Thermometer(self.0.iter().map(|&modes| image(modes)).take_while(|modes| !modes.is_empty()).collect())
    }

    /// Raises the value by one in these modes.
    pub(crate) fn raise(&mut self, space: &ModeSpace, modes: ModeSet) {
        let top = space.and(modes, self.at_least(self.maximum()));
        for value in (1..=self.maximum()).rev() {
            let rising = space.and(modes, self.at_least(value - 1));
            let level = &mut self.0[value as usize - 1];
            *level = space.or(*level, rising);
        }
        if !top.is_empty() {
            self.0.push(top);
        }
    }

    /// Makes the value at least `value` in these modes.
    pub(crate) fn raise_to(&mut self, space: &ModeSpace, value: u32, modes: ModeSet) {
        for level in 0..value as usize {
            match self.0.get_mut(level) {
                Some(known) => *known = space.or(*known, modes),
                None => self.0.push(modes),
            }
        }
    }
}

/// `c` of every equation and `d` of every variable.
#[derive(Clone, Debug)]
pub struct Offsets {
    /// How often each equation is differentiated.
    pub equations: IndexVec<EquationId, Thermometer>,
    /// The order of each variable's leading derivative.
    pub variables: IndexVec<VariableId, Thermometer>,
}

impl Offsets {
    /// The least candidates: `c = 0`, and `d` the highest order with which the variable occurs.
    pub(crate) fn initial(space: &ModeSpace, incidence: &Incidence) -> Offsets {
        let equations = incidence.equations().iter().map(|_| Thermometer::default()).collect();
        let mut variables: IndexVec<VariableId, Thermometer> =
            incidence.variables().iter().map(|_| Thermometer::default()).collect();
        for edge in incidence.edges() {
            for &(order, modes) in incidence.orders(edge) {
                if order > 0 {
                    variables[incidence.variable(edge)].raise_to(space, order, modes);
                }
            }
        }
        Offsets { equations, variables }
    }

    /// All sets of modes in here, to be kept by a collection.
    pub fn mode_sets(&self) -> impl Iterator<Item = ModeSet> {
        let all = self.equations.iter().chain(self.variables.iter());
        all.flat_map(|offset| offset.mode_sets().iter().copied())
    }
}

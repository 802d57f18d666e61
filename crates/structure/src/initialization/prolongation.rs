//! Derivatives above the leading ones that initial equations mention, and what determines them.
//!
//! The leading system `f^(c)` determines `x^(d)` and nothing higher. Where an initial equation mentions `x^(d+r)`, the
//! equation that is matched with `x` is differentiated `r` times more, and so, as far as they are needed, are those of
//! the derivatives that occur in it then. The matching of the long modes stays one for the prolonged system.

use modeshift_dae::{EquationId, IndexVec, VariableId};
use modeshift_modes::{ModeSet, ModeSpace};

use super::carry::Carried;
use crate::matching::offsets::Thermometer;
use crate::{EdgeId, Incidence};

/// That an initial equation mentions a derivative, in these modes.
pub(crate) struct Mention {
    pub(crate) variable: VariableId,
    pub(crate) order: u32,
    pub(crate) modes: ModeSet,
}

/// Raises the offsets so that everything mentioned is an unknown that some equation determines.
pub(crate) fn prolong(space: &ModeSpace, incidence: &Incidence, carried: &mut Carried, mentions: &[Mention]) {
    let mut prolongation = Prolongation {
        space,
        incidence,
        carried,
        equations: incidence.equations().iter().map(|_| Thermometer::default()).collect(),
        variables: incidence.variables().iter().map(|_| Thermometer::default()).collect(),
        pending: Vec::new(),
    };
    for mention in mentions {
        prolongation.mention(mention);
    }
    while let Some((variable, excess, modes)) = prolongation.pending.pop() {
        prolongation.determine(variable, excess, modes);
    }
    let Prolongation { equations, variables, .. } = prolongation;
    raise(space, &mut carried.equation_offsets, &equations);
    raise(space, &mut carried.variable_offsets, &variables);
}

fn raise<I: modeshift_dae::Id>(
    space: &ModeSpace,
    offsets: &mut IndexVec<I, Thermometer>,
    excess: &IndexVec<I, Thermometer>,
) {
    for (id, excess) in excess.iter_enumerated() {
        excess.mode_sets().iter().for_each(|&modes| offsets[id].raise(space, modes));
    }
}

/// By how much offsets are to rise.
struct Prolongation<'a> {
    space: &'a ModeSpace,
    incidence: &'a Incidence,
    carried: &'a Carried,
    equations: IndexVec<EquationId, Thermometer>,
    variables: IndexVec<VariableId, Thermometer>,
    pending: Vec<(VariableId, u32, ModeSet)>,
}

impl Prolongation<'_> {
    fn mention(&mut self, mention: &Mention) {
        let leading = &self.carried.variable_offsets[mention.variable];
        let guard = self.space.and(mention.modes, self.carried.variable_guards[mention.variable]);
        for order in 0..mention.order {
            let modes = self.space.and(guard, leading.equal_to(self.space, order));
            self.want(mention.variable, mention.order - order, modes);
        }
    }

    /// Lets a variable be differentiated so many times beyond its leading derivative.
    fn want(&mut self, variable: VariableId, excess: u32, modes: ModeSet) {
        let new = self.space.difference(modes, self.variables[variable].at_least(excess));
        if excess > 0 && !new.is_empty() {
            self.variables[variable].raise_to(self.space, excess, new);
            self.pending.push((variable, excess, new));
        }
    }

    /// Differentiates the equations that determine a variable, and wants what occurs in them then.
    fn determine(&mut self, variable: VariableId, excess: u32, modes: ModeSet) {
        for &edge in self.incidence.edges_of_variable(variable) {
            let equation = self.incidence.equation(edge);
            let through = self.space.and(modes, self.carried.matched[edge]);
            let new = self.space.difference(through, self.equations[equation].at_least(excess));
            if !new.is_empty() {
                self.equations[equation].raise_to(self.space, excess, new);
                for occurring in self.incidence.edges_of_equation(equation) {
                    self.want_occurring(occurring, excess, new);
                }
            }
        }
    }

    fn want_occurring(&mut self, edge: EdgeId, excess: u32, modes: ModeSet) {
        let (equation, variable) = (self.incidence.equation(edge), self.incidence.variable(edge));
        let carried = self.carried;
        let (c, d) = (&carried.equation_offsets[equation], &carried.variable_offsets[variable]);
        for &(order, occurring) in &carried.orders[edge] {
            let modes = self.space.and(modes, occurring);
            for (differentiated, modes) in c.cases(self.space, modes) {
                for slack in 0..excess {
                    let modes = self.space.and(modes, d.equal_to(self.space, order + differentiated + slack));
                    self.want(variable, excess - slack, modes);
                }
            }
        }
    }
}

//! How all quantities of a mode change with its states and with what is given from outside: exact derivatives.
//!
//! The equations of the mode, differentiated as often as it needs, are those that its program solves; here they are linear in the
//! changes of their unknowns, and are solved system by system, each after those it depends on.

use modeshift_dae::{EquationId, Id as _, VariableId};
use modeshift_numerics::Input;
use modeshift_numerics::small_dense::{Factors, Matrix};

use super::mode_program::Program;
use super::programs::Programs;
use super::states::stages::systems;
use super::surroundings::Surroundings;

/// Why a mode has no derivatives at a point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NoTangents {
    /// An equation has none: it is not a smooth function of numbers.
    NotSmooth(EquationId),
    /// The derivatives of these equations are singular there, or not finite.
    Singular(Vec<EquationId>),
    /// An equation contains the derivative of what is given from outside.
    RateOfInput(EquationId, VariableId),
}

/// A point in a mode.
#[derive(Clone, Copy)]
pub(crate) struct TangentPoint<'a> {
    pub time: f64,
    pub jet: &'a [f64],
    pub surroundings: &'a Surroundings,
}

impl Program {
    /// Of each quantity of the mode the derivatives by the states, in their order, and then by some variables that are given from outside.
    pub(crate) fn tangents(
        &self,
        programs: &mut Programs<'_>,
        point: TangentPoint<'_>,
        given: &[VariableId],
    ) -> Result<Vec<Vec<f64>>, NoTangents> {
        let states = self.states();
        let width = states.len() + given.len();
        let mut tangents = vec![vec![0.0; width]; self.quantities().len()];
        for (at, state) in states.iter().enumerate() {
            tangents[state.index()][at] = 1.0;
        }
        for system in systems(self.structure(), self.quantities(), self.choice()) {
            let names = system.named_equations(self.structure());
            let equations = || names.iter().map(|name| name.of).collect::<Vec<_>>();
            let mut residuals = Vec::with_capacity(names.len());
            for (row, &name) in system.equations.iter().zip(&names) {
                let differentiated = programs.workshop().differentiated(name, self.residual(row.of.index()));
                residuals.push(differentiated.map_err(|_| NoTangents::NotSmooth(name.of))?);
            }
            let not_numeric = |_| NoTangents::NotSmooth(names[0].of);
            let compiler = || programs.workshop_ref().compiler();
            let tape = compiler().tape(&residuals).map_err(not_numeric)?;
            let of_unknowns = system.unknowns.iter().map(|&unknown| self.quantities().get(unknown));
            let mut by: Vec<Input> = of_unknowns.map(|it| Input::Variable(it.of, it.order)).collect();
            let unknowns = by.len();
            for &input in tape.inputs() {
                let Input::Variable(variable, order) = input else { continue };
                let is_given = given.contains(&variable);
                if is_given && order > 0 {
                    return Err(NoTangents::RateOfInput(names[0].of, variable));
                }
                if (is_given || self.quantities().index(variable, order).is_some()) && !by.contains(&input) {
                    by.push(input);
                }
            }
            let derivatives = compiler().differentiated(&residuals, &by).map_err(not_numeric)?;
            let value = |&input: &Input| match input {
                Input::Time => point.time,
                Input::Variable(variable, order) => match self.quantities().index(variable, order) {
                    Some(quantity) => point.jet[quantity.index()],
                    None => point.surroundings.value(input),
                },
                _ => point.surroundings.value(input),
            };
            let inputs: Vec<f64> = derivatives.inputs().iter().map(value).collect();
            let mut entries = vec![0.0; derivatives.pattern().entry_count()];
            let mut rest = vec![0.0; residuals.len()];
            derivatives.evaluate(&inputs, &mut derivatives.workspace(), &mut rest, &mut entries);
            // J du + K dk = 0, where the changes dk of what is known are rows of the result already.
            let mut matrix = Matrix::<f64>::zero(unknowns);
            let mut right = vec![vec![0.0; unknowns]; width];
            for row in 0..residuals.len() {
                for (column, entry) in derivatives.pattern().row_entries(&entries, row) {
                    let Input::Variable(variable, order) = by[column] else { continue };
                    if column < unknowns {
                        matrix.add(row, column, entry);
                    } else if let Some(known) = self.quantities().index(variable, order) {
                        for (side, change) in right.iter_mut().zip(&tangents[known.index()]) {
                            side[row] -= entry * change;
                        }
                    } else if let Some(at) = given.iter().position(|&it| it == variable) {
                        right[states.len() + at][row] -= entry;
                    }
                }
            }
            let factors = Factors::new(&matrix).ok_or_else(|| NoTangents::Singular(equations()))?;
            for (at, side) in right.iter().enumerate() {
                for (unknown, change) in system.unknowns.iter().zip(factors.solve(side)) {
                    if !change.is_finite() {
                        return Err(NoTangents::Singular(equations()));
                    }
                    tangents[unknown.index()][at] = change;
                }
            }
        }
        Ok(tangents)
    }
}

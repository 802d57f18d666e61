//! How all quantities of a mode change with its states and with what is given from outside: exact derivatives.
//!
//! The equations of the mode, differentiated as often as it needs, are those that its program solves; here they are linear in the
//! changes of their unknowns, and are solved system by system, each after those it depends on.

use modeshift_dae::{EquationId, Id as _, VariableId};
use modeshift_numerics::small_dense::{Factors, Matrix};
use modeshift_numerics::{Differentiated, Input};

use super::corners::Corners;
use super::mode_program::Program;
use super::programs::Programs;
use super::states::quantities::{Quantities, QuantityIndex};
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

/// The derivatives of a mode, as formulas.
pub(crate) struct Tangents {
    systems: Vec<TangentSystem>,
    /// The states that quantities are differentiated by, and of how many variables that are given besides.
    states: Vec<QuantityIndex>,
    given: usize,
    /// Where the equations are not smooth, if anywhere.
    corners: Result<Option<Corners>, EquationId>,
}

/// Equations that determine some quantities together.
struct TangentSystem {
    derivatives: Differentiated,
    /// What the columns of the derivatives are: first the unknowns.
    columns: Vec<Column>,
    unknowns: Vec<QuantityIndex>,
    equations: Vec<EquationId>,
}

#[derive(Clone, Copy)]
enum Column {
    Unknown,
    Known(QuantityIndex),
    Given(usize),
}

impl Program {
    /// The derivatives of all quantities of the mode by the present states and by some variables that are given from outside.
    pub(crate) fn tangents(&self, programs: &mut Programs<'_>, given: &[VariableId]) -> Result<Tangents, NoTangents> {
        let (mut made, mut equations) = (Vec::new(), Vec::new());
        for system in systems(self.structure(), self.quantities(), self.choice()) {
            let names = system.named_equations(self.structure());
            let mut residuals = Vec::with_capacity(names.len());
            for (row, &name) in system.equations.iter().zip(&names) {
                let differentiated = programs.workshop().differentiated(name, self.residual(row.of.index()));
                residuals.push(differentiated.map_err(|_| NoTangents::NotSmooth(name.of))?);
            }
            equations.extend(residuals.iter().copied().zip(names.iter().map(|name| name.of)));
            let not_numeric = |_| NoTangents::NotSmooth(names[0].of);
            let compiler = || programs.workshop_ref().compiler();
            let tape = compiler().tape(&residuals).map_err(not_numeric)?;
            let of_unknowns = system.unknowns.iter().map(|&unknown| self.quantities().get(unknown));
            let mut by: Vec<Input> = of_unknowns.map(|it| Input::Variable(it.of, it.order)).collect();
            let mut columns = vec![Column::Unknown; by.len()];
            for &input in tape.inputs() {
                let Input::Variable(variable, order) = input else { continue };
                let column = match given.iter().position(|&it| it == variable) {
                    Some(_) if order > 0 => return Err(NoTangents::RateOfInput(names[0].of, variable)),
                    Some(at) => Some(Column::Given(at)),
                    None => self.quantities().index(variable, order).map(Column::Known),
                };
                if let Some(column) = column.filter(|_| !by.contains(&input)) {
                    by.push(input);
                    columns.push(column);
                }
            }
            made.push(TangentSystem {
                derivatives: compiler().differentiated(&residuals, &by).map_err(not_numeric)?,
                columns,
                unknowns: system.unknowns.clone(),
                equations: names.iter().map(|name| name.of).collect(),
            });
        }
        let corners = Corners::new(programs, self.quantities(), given, &equations);
        Ok(Tangents { systems: made, states: self.states().to_vec(), given: given.len(), corners })
    }
}

impl Tangents {
    /// Where the equations are not smooth, if anywhere; an equation of which that is not known.
    pub fn corners(&self) -> Result<Option<&Corners>, EquationId> {
        self.corners.as_ref().map(Option::as_ref).map_err(|&it| it)
    }

    /// Of each quantity the derivatives by the states, in their order, and then by what is given.
    pub fn at(&self, quantities: &Quantities, point: TangentPoint<'_>) -> Result<Vec<Vec<f64>>, NoTangents> {
        let (states, width) = (self.states.len(), self.states.len() + self.given);
        let mut tangents = vec![vec![0.0; width]; quantities.len()];
        for (at, state) in self.states.iter().enumerate() {
            tangents[state.index()][at] = 1.0;
        }
        let value = |&input: &Input| match input {
            Input::Time => point.time,
            Input::Variable(variable, order) => match quantities.index(variable, order) {
                Some(quantity) => point.jet[quantity.index()],
                None => point.surroundings.value(input),
            },
            _ => point.surroundings.value(input),
        };
        for TangentSystem { derivatives, columns, unknowns, equations } in &self.systems {
            let inputs: Vec<f64> = derivatives.inputs().iter().map(value).collect();
            let mut entries = vec![0.0; derivatives.pattern().entry_count()];
            let mut rest = vec![0.0; equations.len()];
            derivatives.evaluate(&inputs, &mut derivatives.workspace(), &mut rest, &mut entries);
            // J du + K dk = 0, where the changes dk of what is known are rows of the result already.
            let mut matrix = Matrix::<f64>::zero(unknowns.len());
            let mut right = vec![vec![0.0; unknowns.len()]; width];
            for row in 0..equations.len() {
                for (column, entry) in derivatives.pattern().row_entries(&entries, row) {
                    match columns[column] {
                        Column::Unknown => matrix.add(row, column, entry),
                        Column::Given(at) => right[states + at][row] -= entry,
                        Column::Known(known) => {
                            for (side, change) in right.iter_mut().zip(&tangents[known.index()]) {
                                side[row] -= entry * change;
                            }
                        }
                    }
                }
            }
            let singular = || NoTangents::Singular(equations.clone());
            let factors = Factors::new(&matrix).ok_or_else(singular)?;
            for (at, side) in right.iter().enumerate() {
                for (unknown, change) in unknowns.iter().zip(factors.solve(side)) {
                    if !change.is_finite() {
                        return Err(singular());
                    }
                    tangents[unknown.index()][at] = change;
                }
            }
        }
        Ok(tangents)
    }
}

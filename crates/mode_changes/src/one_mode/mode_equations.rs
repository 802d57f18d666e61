//! The equations of one mode of a model, compiled on first use.
//!
//! Each equation becomes a tape of its residual and of its partial derivatives; a jet goes in as Taylor series and
//! the derivatives of both come out. Mode variables, parameters and discrete variables are constants here, so an
//! if-expression compiles to the branch that the mode takes.

use std::sync::{Arc, OnceLock};

use modeshift_dae::{Derivative, EquationId, FlatModel, IndexVec, VariableId};
use modeshift_numerics::{Input, KnownFactors, NativeFunctions};
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

use super::difference_tape::{DifferenceTape, input_series};
use super::equation_tapes::EquationTapes;
use super::jet::{Jet, Partial, Residuals};

/// The equations of one mode of a model. What `constants` knows is compiled in; what changes from instant to instant
/// (discrete variables, left limits) is given to [`ModeEquations::at`].
pub struct ModeEquations<'a> {
    model: &'a FlatModel,
    natives: &'a NativeFunctions,
    tapes: Arc<EquationTapes>,
    constants: Box<dyn Fn(Input) -> Option<f64> + Send + Sync + 'a>,
    equations: IndexVec<Row, EquationId>,
    column_of: IndexVec<VariableId, Option<Column>>,
    rows: IndexVec<Row, OnceLock<Arc<DifferenceTape>>>,
    factors: KnownFactors,
}

impl<'a> ModeEquations<'a> {
    /// The equations of `structure`. `constants` knows the mode and parameters.
    pub fn new(
        model: &'a FlatModel,
        natives: &'a NativeFunctions,
        structure: &ModeStructure,
        constants: impl Fn(Input) -> Option<f64> + Send + Sync + 'a,
    ) -> Self {
        ModeEquations::sharing(Arc::default(), model, natives, structure, constants)
    }

    /// The same with tapes that are shared with other modes of the model. `constants` must differ from theirs in mode
    /// variables only.
    pub fn sharing(
        tapes: Arc<EquationTapes>,
        model: &'a FlatModel,
        natives: &'a NativeFunctions,
        structure: &ModeStructure,
        constants: impl Fn(Input) -> Option<f64> + Send + Sync + 'a,
    ) -> Self {
        ModeEquations {
            model,
            natives,
            tapes,
            constants: Box::new(constants),
            equations: structure.rows().map(|row| structure.equation(row)).collect(),
            column_of: model.variables.ids().map(|variable| structure.column(variable)).collect(),
            rows: structure.rows().map(|_| OnceLock::new()).collect(),
            factors: KnownFactors::default(),
        }
    }

    /// The equations at an instant: `known` gives the values of inputs that are no unknowns and no constants, such as
    /// discrete variables and left limits.
    pub fn at<'b>(&'b self, known: &'b dyn Fn(Input) -> Option<f64>) -> EquationsAt<'b> {
        EquationsAt { equations: self, known }
    }

    /// An equation of the mode, compiled.
    pub fn tape(&self, row: Row) -> &DifferenceTape {
        let tape = || self.tapes.of(self.model, self.natives, self.equations[row], &*self.constants);
        self.rows[row].get_or_init(tape)
    }
}

/// The equations of a mode at one instant.
#[derive(Clone, Copy)]
pub struct EquationsAt<'b> {
    equations: &'b ModeEquations<'b>,
    known: &'b dyn Fn(Input) -> Option<f64>,
}

impl EquationsAt<'_> {
    /// Gives series of inputs along a jet.
    fn along(&self, jet: &Jet) -> impl Fn(&[Input], u32) -> Vec<f64> {
        let column_of = |variable: VariableId| self.equations.column_of[variable];
        move |inputs, highest| input_series(inputs.iter().copied(), jet, highest, column_of, self.known)
    }
}

impl Residuals for EquationsAt<'_> {
    fn residual(&self, row: Row, jet: &Jet, highest: u32) -> Vec<f64> {
        self.equations.tape(row).residual(self.along(jet), highest)
    }

    fn derivative(&self, row: Row, jet: &Jet, order: u32) -> f64 {
        self.equations.tape(row).derivative(self.along(jet), order)
    }

    fn partials(&self, row: Row, jet: &Jet, highest: u32) -> Vec<Partial> {
        let tape = self.equations.tape(row);
        let values = tape.partials(self.along(jet), highest);
        let partial = |(&Derivative { of: variable, order }, derivatives): (&Derivative<VariableId>, &[f64])| {
            let column = self.equations.column_of[variable]?;
            Some(Partial { column, order, derivatives: derivatives.to_vec() })
        };
        tape.unknowns().iter().zip(values.chunks_exact(highest as usize + 1)).filter_map(partial).collect()
    }

    fn for_each_partial(&self, row: Row, jet: &Jet, visit: &mut dyn FnMut(Column, u32, f64)) {
        let tape = self.equations.tape(row);
        for (&Derivative { of: variable, order }, value) in
            tape.unknowns().iter().zip(tape.partials(self.along(jet), 0))
        {
            if let Some(column) = self.equations.column_of[variable] {
                visit(column, order, value);
            }
        }
    }

    fn is_linear(&self, row: Row) -> bool {
        self.equations.tape(row).is_linear()
    }

    fn known_factors(&self) -> Option<&KnownFactors> {
        Some(&self.equations.factors)
    }
}

impl Residuals for ModeEquations<'_> {
    fn residual(&self, row: Row, jet: &Jet, highest: u32) -> Vec<f64> {
        self.at(&|_| None).residual(row, jet, highest)
    }

    fn partials(&self, row: Row, jet: &Jet, highest: u32) -> Vec<Partial> {
        self.at(&|_| None).partials(row, jet, highest)
    }

    fn is_linear(&self, row: Row) -> bool {
        self.tape(row).is_linear()
    }
}

//! What the programs of all modes of a model share: the arena of expressions, grown by what modes leave of equations and
//! by their derivatives, and the values of parameters.

use std::sync::Arc;

use modeshift_dae::{
    Derivative, Derivatives, EquationId, ExpressionId, Expressions, FlatModel, IndexVec, Mode, ModeVariableId,
    MultimodeDae, PartialEvaluation, StateSelect, Type, VariableId,
};
use modeshift_numerics::{Compiler, NativeFunctions};
use modeshift_structure::one_mode::ModeStructure;
use rustc_hash::FxHashMap;

use super::blocks::affine::{affine, solved};
use super::blocks::leaves::Leaves;
use super::blocks::plan::{BlockKey, TornBlock};
use super::compiled::iteration::{CompiledIteration, IterationKey};
use super::failure::NotBuilt;
use super::mode_program::{Near, Program};
use super::outputs::Outputs;
use super::states::quantities::{Quantities, QuantityIndex};

/// Makes programs for the modes of a model, one after the other.
pub struct Programs<'a> {
    dae: &'a MultimodeDae,
    workshop: Workshop<'a>,
}

/// The expressions of a model while programs are made.
pub(super) struct Workshop<'a> {
    /// The model with an arena that grows.
    model: FlatModel,
    natives: &'a NativeFunctions,
    derivatives: Derivatives<'a>,
    leaves: Leaves,
    /// Parameters and constants as literals.
    literals: IndexVec<VariableId, Option<ExpressionId>>,
    /// Zero where none is declared.
    nominal: IndexVec<VariableId, f64>,
    residuals: IndexVec<EquationId, Option<Residual>>,
    /// Variables and their derivatives as expressions.
    quantities: IndexVec<VariableId, Vec<ExpressionId>>,
    solutions: FxHashMap<(ExpressionId, ExpressionId), Option<ExpressionId>>,
    iterations: FxHashMap<IterationKey, Arc<CompiledIteration>>,
    torn: FxHashMap<BlockKey, Arc<TornBlock>>,
}

/// What modes leave of an equation.
struct Residual {
    modes: Vec<ModeVariableId>,
    /// By the values of these mode variables; in the order of their first visit, as a run meets few.
    branches: Vec<(Box<[bool]>, ExpressionId)>,
}

impl Residual {
    fn of(modes: Vec<ModeVariableId>) -> Self {
        Residual { modes, branches: Vec::new() }
    }

    /// What is known of the equation in a mode.
    fn known_in(&self, mode: &Mode) -> Option<ExpressionId> {
        let mut branches = self.branches.iter();
        let branch = branches.find(|(values, _)| self.modes.iter().map(|&id| mode[id]).eq(values.iter().copied()));
        branch.map(|&(_, residual)| residual)
    }
}

impl<'a> Programs<'a> {
    /// `parameter` and `nominal` are the values of parameters and the nominal values of variables, where known.
    pub fn new(
        dae: &'a MultimodeDae,
        natives: &'a NativeFunctions,
        parameter: impl Fn(VariableId) -> Option<f64>,
        nominal: impl Fn(VariableId) -> Option<f64>,
    ) -> Self {
        let mut model = dae.model.clone();
        let variables = dae.model.variables.iter_enumerated();
        let literals = variables
            .map(|(id, variable)| parameter(id).map(|value| literal(&mut model.expressions, variable.ty, value)))
            .collect();
        let nominal =
            dae.model.variables.ids().map(|id| nominal(id).map(f64::abs).filter(|&it| it > 0.0 && it.is_finite()));
        let workshop = Workshop {
            natives,
            derivatives: Derivatives::by_time(&dae.model.variables, &dae.model.functions),
            leaves: Leaves::default(),
            literals,
            nominal: nominal.map(|it| it.unwrap_or(0.0)).collect(),
            residuals: dae.model.equations.iter().map(|_| None).collect(),
            quantities: dae.model.variables.iter().map(|_| Vec::new()).collect(),
            solutions: FxHashMap::default(),
            iterations: FxHashMap::default(),
            torn: FxHashMap::default(),
            model,
        };
        Programs { dae, workshop }
    }

    /// The program of one mode, whose structure is given.
    pub fn program(
        &mut self,
        structure: Arc<ModeStructure>,
        mode: impl Fn(ModeVariableId) -> bool,
    ) -> Result<Program, NotBuilt> {
        Program::new(&mut self.workshop, structure, Mode::from_fn(self.dae.mode_variables.len(), mode))
    }

    /// The program of a mode from that of another one with the same structure, where what has changed is computed in the same way:
    /// the equations are given that contain a mode variable whose value is another one.
    pub(crate) fn program_near(
        &mut self,
        other: &Program,
        mode: &Mode,
        changed: &[EquationId],
    ) -> Result<Option<Near>, NotBuilt> {
        Program::near(&mut self.workshop, other, mode.clone(), changed)
    }

    /// Expressions, such as guards and right-hand sides of discrete equations, to be evaluated in the mode of a program.
    /// Mode variables in them have the values that the surroundings say.
    pub fn outputs(&self, program: &Program, expressions: &[ExpressionId]) -> Result<Outputs, NotAnOutput> {
        Outputs::new(&self.workshop, program.quantities(), expressions)
    }

    /// The model.
    pub fn dae(&self) -> &'a MultimodeDae {
        self.dae
    }

    /// The model with all expressions that programs contain.
    pub fn model(&self) -> &FlatModel {
        &self.workshop.model
    }

    /// The value of a parameter.
    pub(super) fn literal_value(&self, variable: VariableId) -> Option<f64> {
        self.workshop.literal_value(variable)
    }

    pub(super) fn workshop(&mut self) -> &mut Workshop<'a> {
        &mut self.workshop
    }

    pub(super) fn workshop_ref(&self) -> &Workshop<'a> {
        &self.workshop
    }
}

/// An expression without a numeric value.
pub type NotAnOutput = modeshift_numerics::NotNumeric;

fn literal(e: &mut Expressions, ty: Type, value: f64) -> ExpressionId {
    match ty {
        Type::Boolean => e.boolean(value != 0.0),
        Type::Integer | Type::Enumeration(_) => e.integer(value as i64),
        Type::Real | Type::String => e.real(value),
    }
}

impl<'a> Workshop<'a> {
    pub fn expressions(&mut self) -> &mut Expressions {
        &mut self.model.expressions
    }

    pub fn model(&self) -> &FlatModel {
        &self.model
    }

    pub fn arena_and_leaves(&mut self) -> (&mut Expressions, &mut Leaves) {
        (&mut self.model.expressions, &mut self.leaves)
    }

    /// A compiler for expressions in which parameters are literals already, or left to the surroundings.
    pub fn compiler(&self) -> Compiler<'_> {
        Compiler::new(&self.model, self.natives)
    }

    pub fn iterations(&mut self) -> &mut FxHashMap<IterationKey, Arc<CompiledIteration>> {
        &mut self.iterations
    }

    pub fn torn_blocks(&mut self) -> &mut FxHashMap<BlockKey, Arc<TornBlock>> {
        &mut self.torn
    }

    pub fn literal_value(&self, variable: VariableId) -> Option<f64> {
        let literal = self.literals[variable]?;
        let e = &self.model.expressions;
        e.literal(literal).or(e.literal_boolean(literal).map(|value| f64::from(u8::from(value))))
    }

    /// The nominal value of a variable; zero where none is declared.
    pub fn declared_nominal(&self, variable: VariableId) -> f64 {
        self.nominal[variable]
    }

    /// The same; one where none is declared.
    pub fn nominal(&self, variable: VariableId) -> f64 {
        let declared = self.nominal[variable];
        if declared > 0.0 { declared } else { 1.0 }
    }

    pub fn state_select(&self, variable: VariableId) -> StateSelect {
        self.model.variables[variable].state_select
    }

    /// What a mode leaves of its equations: left minus right sides, by row. An equation whose conditions have the values
    /// that they had in an earlier mode is not looked at again.
    pub fn residuals_in(&mut self, structure: &ModeStructure, mode: &Mode) -> Vec<ExpressionId> {
        let Workshop { model, leaves, literals, residuals, .. } = self;
        let mut evaluation = PartialEvaluation::new(|id| Some(mode[id]), |variable| literals[variable]);
        let residual = |row| residual(model, leaves, residuals, &mut evaluation, structure.equation(row), mode);
        structure.rows().map(residual).collect()
    }

    /// The same of one equation.
    pub fn residual_in(&mut self, equation: EquationId, mode: &Mode) -> ExpressionId {
        let Workshop { model, leaves, literals, residuals, .. } = self;
        let mut evaluation = PartialEvaluation::new(|id| Some(mode[id]), |variable| literals[variable]);
        residual(model, leaves, residuals, &mut evaluation, equation, mode)
    }

    /// A residual solved for a quantity that enters it linearly; remembered.
    pub fn solved(&mut self, residual: ExpressionId, unknown: ExpressionId) -> Option<ExpressionId> {
        let e = &mut self.model.expressions;
        let known = self.solutions.entry((residual, unknown));
        *known.or_insert_with(|| affine(e, residual, unknown).map(|affine| solved(e, affine)))
    }

    /// A derivative by time of an equation, given its residual.
    pub fn differentiated(
        &mut self,
        equation: Derivative<EquationId>,
        residual: ExpressionId,
    ) -> Result<ExpressionId, NotBuilt> {
        let mut derivative = residual;
        for _ in 0..equation.order {
            derivative = self
                .derivatives
                .of(&mut self.model.expressions, derivative)
                .map_err(|reason| NotBuilt::NotDifferentiable(equation.of, reason))?;
        }
        Ok(derivative)
    }

    /// A quantity as an expression.
    pub fn quantity(&mut self, quantities: &Quantities, quantity: QuantityIndex) -> ExpressionId {
        let Derivative { of: variable, order } = quantities.get(quantity);
        let known = &mut self.quantities[variable];
        for next in known.len() as u32..=order {
            known.push(self.model.expressions.variable(variable, next));
        }
        known[order as usize]
    }
}

/// What a mode leaves of an equation, unless that is known.
fn residual<Modes, Literals>(
    model: &mut FlatModel,
    leaves: &mut Leaves,
    residuals: &mut IndexVec<EquationId, Option<Residual>>,
    evaluation: &mut PartialEvaluation<Modes, Literals>,
    id: EquationId,
    mode: &Mode,
) -> ExpressionId
where
    Modes: Fn(ModeVariableId) -> Option<bool>,
    Literals: Fn(VariableId) -> Option<ExpressionId>,
{
    let (left, right) = (model.equations[id].left, model.equations[id].right);
    let known = residuals[id].get_or_insert_with(|| Residual::of(leaves.modes(&model.expressions, [left, right])));
    known.known_in(mode).unwrap_or_else(|| {
        let left = evaluation.of(&mut model.expressions, left);
        let right = evaluation.of(&mut model.expressions, right);
        let residual = model.expressions.difference(left, right);
        known.branches.push((known.modes.iter().map(|id| mode[*id]).collect(), residual));
        residual
    })
}

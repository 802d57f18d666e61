//! A start whose mode is not guessed: mode variables follow the unknowns while these are searched.
//!
//! Where a mode is assumed, its equations are solved wherever that leads, and in a circuit of transistors most modes have no solution at all.
//! Where conditions say what they say at every point of the way, the equations are those of the model, continuous though not smooth, and a damped
//! way through several modes leads to one that agrees with its solution.

use std::collections::BTreeMap;

use modeshift_dae::{ExpressionId, FlatModel, Id, Node, Rewritten, VariableId};
use modeshift_numerics::{Compiler, Input};
use rustc_hash::FxHashSet;

use super::attempts::BlockSolver;
use super::point::{Point, StartMode};
use super::problem::InitialProblem;

/// Definitions of mode variables contain others; further ones keep the values that are assumed.
const DEPTH: usize = 4;

impl InitialProblem<'_> {
    /// The mode that is found with all mode variables free, and the values of its unknowns; equations are those of the given mode.
    pub(super) fn solve_freely(&self, mode: &StartMode) -> Option<(StartMode, Vec<f64>)> {
        let one_mode = self.start.one_mode(|variable| mode.is_on(variable));
        let mut point =
            Point { values: self.guesses.clone(), mode: mode.clone(), own_left_limits: false, before: BTreeMap::new() };
        self.update_discrete(&mut point);
        let variables: Vec<VariableId> = one_mode.blocks.iter().flat_map(|block| &block.variables).copied().collect();
        let mut model: FlatModel = self.model().clone();
        let residuals: Vec<ExpressionId> = one_mode
            .blocks
            .iter()
            .flat_map(|block| &block.equations)
            .copied()
            .map(|equation| self.with_definitions(&mut model, self.start.system.residuals[equation]))
            .collect();
        let own: FxHashSet<VariableId> = variables.iter().copied().collect();
        let unknowns: Vec<Input> = variables.iter().map(|&variable| Input::Variable(variable, 0)).collect();
        let known = |input: Input| match input {
            Input::Variable(variable, 0) if own.contains(&variable) => None,
            other => Some(point.input(self, other)),
        };
        let compiler = Compiler::new(&model, self.natives).at_start().with_known_inputs(known);
        let equations = compiler.differentiated(&residuals, &unknowns).ok()?;
        let settings = self.newton_settings(&variables);
        let mut values: Vec<f64> = variables.iter().map(|&it| point.values[it.index()]).collect();
        let mut log = Vec::new();
        let mut solver =
            BlockSolver { equations: &equations, settings: &settings, variables: &variables, log: &mut log };
        solver.solve(&mut values).ok()?;
        for (variable, value) in variables.iter().zip(values) {
            point.values[variable.index()] = value;
        }
        Some((self.mode_at(&point), point.values))
    }

    /// A residual in which mode variables are what defines them.
    fn with_definitions(&self, model: &mut FlatModel, residual: ExpressionId) -> ExpressionId {
        let mut free = residual;
        for _ in 0..DEPTH {
            let defined = |expressions: &mut modeshift_dae::Expressions, id: ExpressionId| match expressions.node(id) {
                Node::Mode(mode) => self.dae.mode_variables[mode].definition.unwrap_or(id),
                _ => id,
            };
            free = model.expressions.rewrite(free, &mut Rewritten::new(), defined);
        }
        free
    }
}

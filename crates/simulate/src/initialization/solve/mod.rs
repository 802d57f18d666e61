//! One mode: its blocks one after the other, and what the conditions that are too many say about the solution.
//!
//! | file | purpose |
//! |---|---|
//! | `affine` | one equation that is affine in its unknown |
//! | `attempts` | one block: damped Newton, other guesses, continuation |
//! | `explicit` | guesses by equations that are solved for an unknown |
//! | `order` | which block or discrete variable comes after which |

mod affine;
pub(super) mod attempts;
mod explicit;
pub(super) mod order;

use std::collections::BTreeMap;

use modeshift_dae::{EquationId, Id, VariableId};
use modeshift_numerics::{
    Block, Compiler, Differentiated, Input, NewtonFailure, NewtonFailureReason, NewtonSettings, NotFinite, NotNumeric,
    solve_newton,
};
use modeshift_structure::initialization::{OneMode, OneModeBlock};
use rustc_hash::FxHashSet;

use attempts::{Attempt, BlockSolver, LogEntry, follow};
use order::Step;

use crate::initialization::discrete_conditions::DiscreteFailure;
use crate::initialization::point::{Point, StartMode};
use crate::initialization::problem::{DiscreteDefinition, InitialProblem};
use crate::initialization::rounding::Known;

/// Sides of a condition that differ by more than this share of their size disagree.
const AGREEMENT: f64 = 1e-7;
/// How often continuous and discrete variables are evaluated in turn before they count as undecided.
const DISCRETE_ROUNDS: usize = 10;
/// Modes that the simplified arguments of `homotopy` are looked at in.
const SIMPLIFIED_ROUNDS: usize = 4;

/// A condition that is too many and contradicts the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Disagreement {
    /// The condition.
    pub condition: EquationId,
    /// The value of its left side at the solution of the others.
    pub left: f64,
    /// The value of its right side there.
    pub right: f64,
}

/// A block that could not be solved.
#[derive(Clone, Debug)]
pub struct BlockFailure {
    /// Its equations.
    pub equations: Vec<EquationId>,
    /// Its unknowns.
    pub variables: Vec<VariableId>,
    /// How far Newton's method came from the start values.
    pub newton: Box<NewtonFailure>,
    /// Where a residual that is not a finite number comes from.
    pub not_finite: Option<NotFinite>,
}

/// Why a mode is no start.
#[derive(Clone, Debug)]
pub enum ModeFailure {
    /// A block has no solution that could be found.
    Block(BlockFailure),
    /// An equation has no derivative, or no numeric value.
    NotNumeric(EquationId, String),
    /// Conditions contradict each other.
    Disagreement(Vec<Disagreement>),
    /// What is said about discrete variables is not true.
    Discrete(DiscreteFailure),
}

/// The start values of one mode.
#[derive(Clone, Debug)]
pub struct ModeSolution {
    pub(crate) point: Point,
    /// Conditions that are too many, but agree with the others.
    pub redundant: Vec<EquationId>,
    /// States that no condition determines: they were kept at their start values.
    pub fixed: Vec<VariableId>,
    /// What was tried.
    pub log: Vec<LogEntry>,
}

/// Whether the sides of a condition agree relative to their size; a side without a value agrees with nothing.
pub(super) fn agree(left: f64, right: f64) -> bool {
    (left - right).abs() <= AGREEMENT * left.abs().max(right.abs())
}

impl ModeSolution {
    /// The value of a variable of the system.
    pub fn value(&self, variable: VariableId) -> f64 {
        self.point.values[variable.index()]
    }
}

impl InitialProblem<'_> {
    /// Start values in one mode.
    pub fn solve_mode(&self, mode: &StartMode) -> Result<ModeSolution, ModeFailure> {
        let one_mode = self.start.one_mode(|variable| mode.is_on(variable));
        let mut point =
            Point { values: self.guesses.clone(), mode: mode.clone(), own_left_limits: false, before: BTreeMap::new() };
        let mut log = Vec::new();
        let steps = self.steps(&one_mode, mode);
        for round in 0..DISCRETE_ROUNDS {
            self.take_steps(&one_mode, &steps, &mut point, &mut log)?;
            if !self.update_discrete(&mut point) || round + 1 == DISCRETE_ROUNDS {
                break;
            }
        }
        let redundant = self.check_conditions(&one_mode, &point)?;
        Ok(ModeSolution { point, redundant, fixed: one_mode.fixed, log })
    }

    fn take_steps(
        &self,
        one_mode: &OneMode,
        steps: &[Step],
        point: &mut Point,
        log: &mut Vec<LogEntry>,
    ) -> Result<(), ModeFailure> {
        let guess = point.values.clone();
        for &step in steps {
            let solved = match step {
                Step::Block(at) => self.solve_block(&one_mode.blocks[at], point, log),
                Step::Discrete(variable) => {
                    self.define(variable, point);
                    Ok(())
                }
            };
            if let Err(failure) = solved {
                for variable in one_mode.blocks.iter().flat_map(|block| &block.variables) {
                    point.values[variable.index()] = guess[variable.index()];
                }
                return match self.has_homotopy && self.solve_by_homotopy(one_mode, point, log) {
                    true => Ok(()),
                    false => Err(failure),
                };
            }
        }
        Ok(())
    }

    fn solve_block(&self, block: &OneModeBlock, point: &mut Point, log: &mut Vec<LogEntry>) -> Result<(), ModeFailure> {
        if let ([equation], [variable], true) =
            (&block.equations[..], &block.variables[..], self.start.system.not_differentiated.is_empty())
            && let Some(value) = self.affine_solution(*equation, *variable, point)
        {
            point.values[variable.index()] = value;
            return Ok(());
        }
        let equations = self.compile(block, point, false)?;
        let settings = self.newton_settings(&block.variables);
        let mut unknowns: Vec<f64> = block.variables.iter().map(|&it| point.values[it.index()]).collect();
        let explicit = || self.explicit_guesses(block, point);
        let (variables, explicit) = (&block.variables, &explicit);
        let mut solver = BlockSolver { equations: &equations, settings: &settings, variables, log, explicit };
        let solved = solver.solve(&mut unknowns);
        for (variable, value) in block.variables.iter().zip(&unknowns) {
            point.values[variable.index()] = *value;
        }
        solved.map_err(|newton| {
            let OneModeBlock { equations, variables } = block.clone();
            let not_finite = match newton.reason {
                NewtonFailureReason::ResidualNotFinite(row) => self.not_finite(equations[row], point),
                _ => None,
            };
            ModeFailure::Block(BlockFailure { equations, variables, newton, not_finite })
        })
    }

    /// Which operation of an equation has no finite value at a point.
    fn not_finite(&self, equation: EquationId, point: &Point) -> Option<NotFinite> {
        let tape = self.tape(&[self.start.system.residuals[equation]]).ok()?;
        let inputs: Vec<f64> = tape.inputs().iter().map(|&input| point.input(self, input)).collect();
        let (mut workspace, mut values) = (tape.workspace(), [f64::NAN]);
        tape.evaluate(&inputs, &mut workspace, &mut values);
        tape.explain(&workspace, 0)
    }

    /// The mode that the simplified arguments of `homotopy` lead to: where the actual model has several starts, the one that is meant.
    pub(super) fn simplified_mode(&self, mode: &StartMode) -> Option<StartMode> {
        let mut mode = mode.clone();
        for _ in 0..SIMPLIFIED_ROUNDS {
            let one_mode = self.start.one_mode(|variable| mode.is_on(variable));
            let values = self.guesses.clone();
            let mut point = Point { values, mode: mode.clone(), own_left_limits: false, before: BTreeMap::new() };
            if !self.solved_simplified(&one_mode, &mut point, |_, _| true)?.1 {
                return None;
            }
            let there = self.mode_at(&point);
            if there == mode {
                return Some(mode);
            }
            mode = there;
        }
        None
    }

    /// All blocks together, from the simplified to the actual arguments of `homotopy`: the simplified model may have
    /// another structure.
    fn solve_by_homotopy(&self, one_mode: &OneMode, point: &mut Point, log: &mut Vec<LogEntry>) -> bool {
        let Some((size, solved)) = self.solved_simplified(one_mode, point, |unknowns, at| follow(unknowns, at)) else {
            return false;
        };
        let variable = one_mode.blocks.iter().find_map(|block| block.variables.first()).copied();
        let variable = variable.unwrap_or(VariableId::from_index(0));
        log.push(LogEntry { variable, size, attempt: Attempt::Homotopy, solved });
        solved
    }

    /// All blocks together with the simplified arguments of `homotopy`, and what follows from there where they have a solution; how many
    /// unknowns that are, and whether there is one. Nothing where they cannot be computed.
    fn solved_simplified(
        &self,
        one_mode: &OneMode,
        point: &mut Point,
        go_on: impl FnOnce(&mut [f64], &dyn Fn(f64, &mut [f64]) -> bool) -> bool,
    ) -> Option<(usize, bool)> {
        let mut all = OneModeBlock { equations: Vec::new(), variables: Vec::new() };
        for block in &one_mode.blocks {
            all.equations.extend(&block.equations);
            all.variables.extend(&block.variables);
        }
        self.guess_simplified(one_mode, point);
        let equations = self.compile(&all, point, true).ok()?;
        let settings = self.newton_settings(&all.variables);
        let mut unknowns: Vec<f64> = all.variables.iter().map(|&it| point.values[it.index()]).collect();
        let at = |share: f64, unknowns: &mut [f64]| {
            let known = vec![share; equations.inputs().len() - unknowns.len()];
            solve_newton(&mut Block::new(&equations, &known), unknowns, &settings).is_ok()
        };
        let solved = at(0.0, &mut unknowns) && go_on(&mut unknowns, &at);
        for (variable, value) in all.variables.iter().zip(&unknowns) {
            point.values[variable.index()] = *value;
        }
        Some((unknowns.len(), solved))
    }

    /// Better guesses for all blocks together: block after block with the simplified arguments, as far as that goes. From the start
    /// values alone a quotient of unknowns may be 0/0 that is none once the first of them are known.
    fn guess_simplified(&self, one_mode: &OneMode, point: &mut Point) {
        for block in &one_mode.blocks {
            let mut unknowns: Vec<f64> = block.variables.iter().map(|&it| point.values[it.index()]).collect();
            let Ok(equations) = self.compile(block, point, true) else { continue };
            let known = vec![0.0; equations.inputs().len() - unknowns.len()];
            let settings = self.newton_settings(&block.variables);
            if solve_newton(&mut Block::new(&equations, &known), &mut unknowns, &settings).is_ok() {
                for (variable, value) in block.variables.iter().zip(&unknowns) {
                    point.values[variable.index()] = *value;
                }
            }
        }
    }

    /// A block on the tape; everything but its unknowns is known by now.
    pub(super) fn compile(
        &self,
        block: &OneModeBlock,
        point: &Point,
        homotopy: bool,
    ) -> Result<Differentiated, ModeFailure> {
        let system = &self.start.system;
        for failed in &system.not_differentiated {
            if block.equations.contains(&failed.equation) {
                return Err(ModeFailure::NotNumeric(failed.equation, failed.reason.clone()));
            }
        }
        let own: FxHashSet<VariableId> = block.variables.iter().copied().collect();
        let unknowns: Vec<Input> = block.variables.iter().map(|&variable| Input::Variable(variable, 0)).collect();
        let residuals: Vec<_> = block.equations.iter().map(|&equation| system.residuals[equation]).collect();
        let known = |input: Input| match input {
            Input::Variable(variable, 0) if own.contains(&variable) => None,
            Input::Homotopy => None,
            other => Some(point.input(self, other)),
        };
        let compiler = Compiler::new(self.model(), self.natives).at_start().with_known_inputs(known);
        let compiler = if homotopy { compiler.with_homotopy() } else { compiler };
        compiler.differentiated(&residuals, &unknowns).map_err(|NotNumeric { .. }| {
            ModeFailure::NotNumeric(block.equations[0], "it contains something that is not a number".to_string())
        })
    }

    fn newton_settings(&self, variables: &[VariableId]) -> NewtonSettings {
        NewtonSettings {
            tolerance: self.settings.tolerance,
            nominal: variables.iter().map(|variable| self.nominal[variable.index()]).collect(),
            ..NewtonSettings::default()
        }
    }

    fn has_fixed_start(&self, variable: VariableId) -> bool {
        let declared = &self.model().variables[variable];
        declared.fixed == Some(true) && declared.start.is_some()
    }

    /// What defines discrete variables in a mode.
    fn definitions_in(&self, mode: &StartMode) -> impl Iterator<Item = &DiscreteDefinition> {
        self.discrete.iter().filter(|it| self.holds(it, mode))
    }

    fn holds(&self, definition: &DiscreteDefinition, mode: &StartMode) -> bool {
        self.start.space.evaluate(definition.modes, |variable| mode.is_on(variable))
    }

    /// Gives a discrete variable the value that its definitions have.
    fn define(&self, variable: VariableId, point: &mut Point) {
        let all = self.discrete_reads.definitions.get(&variable).into_iter().flatten();
        let own: Vec<_> = all.map(|&at| &self.discrete[at]).filter(|it| self.holds(it, &point.mode)).collect();
        let values = self.evaluate(&own.iter().map(|it| it.value).collect::<Vec<_>>(), point);
        for (definition, value) in own.into_iter().zip(values) {
            self.assign(definition, value, point);
        }
    }

    /// Gives a discrete variable a value that a definition has; whether it had another. What has no value leaves it alone.
    fn assign(&self, definition: &DiscreteDefinition, value: f64, point: &mut Point) -> bool {
        if !value.is_finite() {
            return false;
        }
        let DiscreteDefinition { variable, is_left_limit, .. } = *definition;
        let known = &mut point.values[variable.index()];
        let mut changed = *known != value;
        *known = value;
        // A fixed start value is the left limit; what contradicts it is noticed at the solution.
        if is_left_limit && !self.has_fixed_start(variable) {
            changed |= point.before.insert(variable, value) != Some(value);
        }
        changed
    }

    /// Evaluates the definitions of discrete variables until nothing changes, in as many rounds as one may lead to the next; whether
    /// a value changed.
    fn update_discrete(&self, point: &mut Point) -> bool {
        let definitions: Vec<&DiscreteDefinition> = self.definitions_in(&point.mode).collect();
        let expressions: Vec<_> = definitions.iter().map(|it| it.value).collect();
        let Ok(tape) = self.tape(&expressions) else { return false };
        let (mut workspace, mut values) = (tape.workspace(), vec![f64::NAN; expressions.len()]);
        for round in 0..=definitions.len() {
            let inputs: Vec<f64> = tape.inputs().iter().map(|&input| point.input(self, input)).collect();
            tape.evaluate(&inputs, &mut workspace, &mut values);
            let mut changed = false;
            for (definition, &value) in definitions.iter().zip(&values) {
                changed |= self.assign(definition, value, point);
            }
            if !changed {
                return round > 0;
            }
        }
        true
    }

    /// The conditions that are too many: redundant where they agree with the solution.
    fn check_conditions(&self, one_mode: &OneMode, point: &Point) -> Result<Vec<EquationId>, ModeFailure> {
        let equations = &self.model().equations;
        let sides = one_mode.too_many.iter().flat_map(|&it| [equations[it].left, equations[it].right]);
        let values = self.evaluate(&sides.collect::<Vec<_>>(), point);
        let sides = one_mode.too_many.iter().zip(values.chunks(2).map(|sides| (sides[0], sides[1])));
        let (mut redundant, doubtful): (Vec<_>, Vec<_>) = sides.partition(|&(_, (left, right))| agree(left, right));
        let conditions: Vec<EquationId> = doubtful.iter().map(|&(&condition, _)| condition).collect();
        let known = if doubtful.is_empty() { Vec::new() } else { self.known_to(one_mode, point, &conditions) };
        let mut disagreements = Vec::new();
        for (it, Known { size, rounding }) in doubtful.into_iter().zip(known) {
            let (&condition, (left, right)) = it;
            if (left - right).abs() <= (AGREEMENT * size).max(rounding) {
                redundant.push(it);
            } else {
                disagreements.push(Disagreement { condition, left, right });
            }
        }
        let redundant = redundant.into_iter().map(|(&condition, _)| condition).collect();
        if disagreements.is_empty() { Ok(redundant) } else { Err(ModeFailure::Disagreement(disagreements)) }
    }
}

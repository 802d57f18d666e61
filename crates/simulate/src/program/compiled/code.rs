//! Compiled code of one mode and one choice of states: from states to all quantities, and the Jacobian of the
//! derivatives of states.
//!
//! Code that differs in few formulas from that of another mode shares everything else with it ([`Code::changed`]).

use std::collections::BTreeMap;
use std::sync::Arc;

use modeshift_dae::{Derivative, EquationId, ExpressionId, VariableId};
use modeshift_numerics::{Input, NotFinite, Pattern};

use super::assembly::{Assembly, Chain};
use super::gradients::Gradients;
use super::kernel::Places;
use super::prediction::Prediction;
use super::schedule::Stage;
use super::solve::Solve;
use crate::program::affine::Part;
use crate::program::blocks::plan::{Item, Iteration};
use crate::program::failure::{FailureReason, NotBuilt};
use crate::program::programs::Workshop;
use crate::program::states::quantities::{Quantities, QuantityIndex};
use crate::program::surroundings::Surroundings;

/// Code with the memory it works on.
pub(crate) struct Code {
    pub states: Arc<[QuantityIndex]>,
    /// The quantities, time, what the surroundings say.
    memory: Vec<f64>,
    time_place: usize,
    places: Places,
    version: u64,
    steps: Vec<Step>,
    /// By quantity: the step that computes it; beyond the last one for states.
    step_of: Arc<[u32]>,
    /// Of what the derivatives of states need.
    prediction: Prediction,
    gradients: Gradients,
    pattern: Arc<Pattern>,
}

pub(super) enum Step {
    Chain(Box<Chain>),
    Solve(Box<Solve>),
}

impl Step {
    /// The same with nothing computed yet.
    fn anew(&self) -> Self {
        match self {
            Step::Chain(chain) => Step::Chain(chain.clone()),
            Step::Solve(solve) => Step::Solve(Box::new(solve.anew())),
        }
    }
}

/// Code made from that of another mode.
pub(crate) struct Changed {
    pub code: Code,
    /// Whether all that has changed has the derivatives by what it depends on that it had before: it is shifted.
    pub is_shifted: bool,
    /// How many formulas were compiled.
    pub compiled: usize,
}

/// A part of the code that has no values.
pub(crate) struct CodeFailure {
    pub equations: Vec<Derivative<EquationId>>,
    pub unknowns: Vec<Derivative<VariableId>>,
    pub reason: FailureReason,
}

impl Code {
    /// Compiles stages in their order.
    pub fn new(
        workshop: &mut Workshop<'_>,
        quantities: &Quantities,
        states: Vec<QuantityIndex>,
        stages: Vec<Stage>,
    ) -> Result<Self, NotBuilt> {
        let mut assembly = Assembly::new(workshop, quantities, &states);
        for stage in stages {
            assembly.chain(stage.chain, &stage.exports)?;
            for (iteration, is_needed) in stage.iterations {
                assembly.iteration(iteration, is_needed)?;
            }
        }
        let Assembly { mut gradients, places, steps, .. } = assembly;
        gradients.complete();
        let rows = states.iter().map(|state| gradients.columns(state.derivative().0).iter().copied());
        let pattern = Arc::new(Pattern::from_rows(states.len(), rows));
        let mut step_of = vec![u32::MAX; quantities.len()];
        for (at, step) in (0..).zip(&steps) {
            step.for_each_target(|target| step_of[target.index()] = at);
        }
        Ok(Code::of(states.into(), places, steps, step_of.into(), gradients, pattern))
    }

    /// With nothing computed yet.
    fn of(
        states: Arc<[QuantityIndex]>,
        places: Places,
        steps: Vec<Step>,
        step_of: Arc<[u32]>,
        gradients: Gradients,
        pattern: Arc<Pattern>,
    ) -> Self {
        let time_place = step_of.len();
        let mut memory = vec![f64::NAN; places.memory_size()];
        memory[..time_place].fill(0.0);
        let prediction = Prediction::of(steps.iter().flat_map(predictable).map(|unknown| unknown.0).collect());
        Code { states, memory, time_place, places, version: 0, steps, step_of, prediction, gradients, pattern }
    }

    /// The code of a mode in which these items are others, and all else is the same; nothing where they compute other quantities together,
    /// or from others.
    pub fn changed(
        &self,
        workshop: &mut Workshop<'_>,
        quantities: &Quantities,
        items: Vec<Item>,
    ) -> Result<Option<Changed>, NotBuilt> {
        let mut by_step: BTreeMap<u32, Vec<Item>> = BTreeMap::new();
        for item in items {
            by_step.entry(self.step_of[item.first_target().index()]).or_default().push(item);
        }
        let mut assembly = Assembly::within(workshop, quantities, &self.places, &self.gradients);
        let (mut made, mut is_shifted, mut compiled) = (BTreeMap::new(), true, 0);
        for (at, items) in by_step {
            let step = match self.steps.get(at as usize) {
                Some(Step::Chain(chain)) => assembly.changed_chain(chain, items, &mut is_shifted)?,
                Some(Step::Solve(solve)) => assembly.changed_solve(solve, items, &mut is_shifted)?,
                None => None,
            };
            let Some(step) = step else { return Ok(None) };
            compiled += step.size();
            made.insert(at as usize, step);
        }
        let Assembly { gradients, places, .. } = assembly;
        let step = |(at, step): (usize, &Step)| made.remove(&at).unwrap_or_else(|| step.anew());
        let steps = self.steps.iter().enumerate().map(step).collect();
        let (states, step_of, pattern) = (self.states.clone(), self.step_of.clone(), self.pattern.clone());
        let code = Code::of(states, places, steps, step_of, gradients, pattern);
        Ok(Some(Changed { code, is_shifted, compiled }))
    }

    /// Whether the same is computed by the same formulas: a certificate for what was made from another mode.
    pub fn computes_as(&self, other: &Code) -> bool {
        let formulas = |code: &Code| -> BTreeMap<u32, Vec<ExpressionId>> {
            let parts = code.parts().map(|part| match part {
                Part::Assignment(it) => (it.target.0, vec![it.expression]),
                Part::Iteration(it) => (it.unknowns[0].0, it.residuals.clone()),
            });
            parts.collect()
        };
        self.states == other.states && *self.pattern == *other.pattern && formulas(self) == formulas(other)
    }

    /// Where the Jacobian of the derivatives of states by states has entries.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// The quantities as they were last computed.
    pub fn jet(&self) -> &[f64] {
        &self.memory[..self.time_place]
    }

    pub fn jet_mut(&mut self) -> &mut [f64] {
        &mut self.memory[..self.time_place]
    }

    /// How many instructions all quantities take, iterations counted once.
    pub fn instruction_count(&self) -> usize {
        let count = |step: &Step| match step {
            Step::Chain(chain) => chain.instruction_count(),
            Step::Solve(solve) => solve.instruction_count(),
        };
        self.steps.iter().map(count).sum()
    }

    /// How many formulas and residuals there are.
    pub fn size(&self) -> usize {
        self.steps.iter().map(Step::size).sum()
    }

    /// How many unknowns are iterated on.
    pub fn iterated_unknowns(&self) -> usize {
        let count = |step: &Step| match step {
            Step::Chain(_) => 0,
            Step::Solve(solve) => solve.iteration.unknowns.len(),
        };
        self.steps.iter().map(count).sum()
    }

    /// What is computed, in the order of computation.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        self.steps.iter().flat_map(|step| {
            let (chain, solve) = match step {
                Step::Chain(chain) => (Some(chain), None),
                Step::Solve(solve) => (None, Some(Part::Iteration(&solve.iteration))),
            };
            chain.into_iter().flat_map(|chain| chain.assignments.iter().map(Part::Assignment)).chain(solve)
        })
    }

    pub fn enter(&mut self, time: f64, states: &[f64], surroundings: &Surroundings) {
        self.memory[self.time_place] = time;
        for (state, &value) in self.states.iter().zip(states) {
            self.memory[state.index()] = value;
        }
        if self.version != surroundings.version() {
            self.version = surroundings.version();
            for (place, &input) in self.memory[self.time_place + 1..].iter_mut().zip(self.places.surroundings()) {
                *place = surroundings.value(input);
            }
        }
    }

    /// The next values need not continue the last ones.
    pub fn begin_path(&mut self) {
        self.prediction.forget();
    }

    /// All quantities.
    pub fn run_everything(&mut self, quantities: &Quantities) -> Result<(), Box<CodeFailure>> {
        for step in &mut self.steps {
            match step {
                Step::Chain(chain) => chain.run_everything(&mut self.memory, quantities)?,
                Step::Solve(solve) => run_solve(solve, &mut self.memory)?,
            }
        }
        Ok(())
    }

    /// The derivatives of states.
    pub fn derivative(&mut self, quantities: &Quantities, derivatives: &mut [f64]) -> Result<(), Box<CodeFailure>> {
        self.run_lean(quantities)?;
        for (place, state) in derivatives.iter_mut().zip(&*self.states) {
            *place = self.memory[state.derivative().index()];
        }
        Ok(())
    }

    /// The entries of the Jacobian of the derivatives of states; "not a number" where a block is singular.
    pub fn jacobian(&mut self, quantities: &Quantities, entries: &mut [f64]) -> Result<(), Box<CodeFailure>> {
        self.run_lean(quantities)?;
        if !self.differentiate(entries) {
            entries.fill(f64::NAN);
        }
        Ok(())
    }

    /// Makes machine code of what derivatives and Jacobians of states need.
    pub fn make_machine_code(&self) {
        for step in &self.steps {
            match step {
                Step::Chain(chain) => {
                    chain.lean.compile();
                    chain.rule.make_machine_code();
                }
                Step::Solve(solve) => solve.make_machine_code(),
            }
        }
    }

    /// What the derivatives of states need, and they themselves.
    fn run_lean(&mut self, quantities: &Quantities) -> Result<(), Box<CodeFailure>> {
        let time = self.memory[self.time_place];
        let is_guessed = self.prediction.guess(time, &mut self.memory);
        let mut result = self.run_needed();
        if result.is_err() && is_guessed {
            self.prediction.recall(&mut self.memory);
            result = self.run_needed();
        }
        if result.is_err() && self.prediction.recall_first(&mut self.memory) {
            result = self.run_needed();
        }
        result?;
        self.prediction.learn(time, &self.memory);
        let is_finite = |state: &QuantityIndex| self.memory[state.derivative().index()].is_finite();
        let Some(&state) = self.states.iter().find(|state| !is_finite(state)) else { return Ok(()) };
        self.run_everything(quantities)?;
        Err(Box::new(self.unexplained(quantities, state)))
    }

    fn run_needed(&mut self) -> Result<(), Box<CodeFailure>> {
        for step in &mut self.steps {
            match step {
                Step::Chain(chain) => chain.run_lean(&mut self.memory),
                Step::Solve(solve) if solve.is_needed => run_solve(solve, &mut self.memory)?,
                Step::Solve(_) => {}
            }
        }
        Ok(())
    }

    /// A state that is not finite has been given.
    fn unexplained(&self, quantities: &Quantities, state: QuantityIndex) -> CodeFailure {
        let unknown = quantities.get(state.derivative());
        let reason = FailureReason::NotFinite(NotFinite::Input(Input::Variable(unknown.of, unknown.order)));
        CodeFailure { equations: Vec::new(), unknowns: vec![unknown], reason }
    }

    /// The entries of the Jacobian at the memory, which is consistent; whether all blocks are regular.
    fn differentiate(&mut self, entries: &mut [f64]) -> bool {
        for step in &mut self.steps {
            match step {
                Step::Chain(chain) => chain.rule.apply(&self.memory, &mut self.gradients),
                Step::Solve(solve) => {
                    if solve.is_needed && !solve.differentiate(&self.memory, &mut self.gradients) {
                        return false;
                    }
                }
            }
        }
        for (row, state) in self.states.iter().enumerate() {
            let values = self.gradients.values(state.derivative().0);
            entries[self.pattern.row_range(row)].copy_from_slice(values);
        }
        true
    }
}

impl Step {
    fn for_each_target(&self, mut visit: impl FnMut(QuantityIndex)) {
        match self {
            Step::Chain(chain) => chain.assignments.iter().for_each(|it| visit(it.target)),
            Step::Solve(solve) => solve.iteration.unknowns.iter().for_each(|&unknown| visit(unknown)),
        }
    }

    /// How many formulas and residuals it has.
    fn size(&self) -> usize {
        match self {
            Step::Chain(chain) => chain.assignments.len(),
            Step::Solve(solve) => solve.iteration.residuals.len(),
        }
    }
}

/// The unknowns of an iteration whose guess matters to the derivatives of states.
fn predictable(step: &Step) -> &[QuantityIndex] {
    match step {
        Step::Solve(solve) if solve.is_needed && !solve.is_linear => &solve.iteration.unknowns,
        _ => &[],
    }
}

fn run_solve(solve: &mut Solve, memory: &mut [f64]) -> Result<(), Box<CodeFailure>> {
    solve.solve(memory).map_err(|failure| {
        let Iteration { equations, unknown_quantities, .. } = &*solve.iteration;
        Box::new(CodeFailure {
            equations: equations.clone(),
            unknowns: unknown_quantities.clone(),
            reason: FailureReason::Newton(failure),
        })
    })
}

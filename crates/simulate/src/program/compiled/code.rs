//! Compiled code of one mode and one choice of states: from states to all quantities, and the Jacobian of the
//! derivatives of states.

use modeshift_dae::{Derivative, EquationId, ExpressionId, VariableId};
use modeshift_numerics::{Evaluator, Input, NotFinite, Pattern};
use rustc_hash::FxHashMap;

use super::gradients::{ChainRule, Gradients, ImplicitRule};
use super::iteration::CompiledIteration;
use super::kernel::{Kernel, Places};
use super::prediction::Prediction;
use super::schedule::Stage;
use super::solve::Solve;
use crate::program::affine::Part;
use crate::program::blocks::plan::{Assignment, Iteration};
use crate::program::failure::{FailureReason, NotBuilt};
use crate::program::programs::Workshop;
use crate::program::states::quantities::{Quantities, QuantityIndex};
use crate::program::surroundings::Surroundings;

/// Code with the memory it works on.
pub(crate) struct Code {
    pub states: Vec<QuantityIndex>,
    /// The quantities, time, what the surroundings say.
    memory: Vec<f64>,
    time_place: usize,
    surroundings: Vec<Input>,
    version: u64,
    steps: Vec<Step>,
    /// Of what the derivatives of states need.
    prediction: Prediction,
    gradients: Gradients,
    pattern: Pattern,
}

enum Step {
    Chain(Box<Chain>),
    Solve(Box<Solve>),
}

/// Assignments that are evaluated as one tape.
struct Chain {
    assignments: Vec<Assignment>,
    everything: Kernel,
    /// What others need, computed alone.
    exports: Vec<QuantityIndex>,
    lean: Kernel,
    rule: ChainRule,
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
        let mut builder = Builder {
            workshop,
            gradients: Gradients::of_states(quantities.len(), &states),
            places: Places::new(quantities),
            steps: Vec::new(),
        };
        for stage in stages {
            if !stage.chain.is_empty() {
                builder.chain(stage.chain, stage.exports)?;
            }
            for (iteration, is_needed) in stage.iterations {
                builder.solve(iteration, is_needed)?;
            }
        }
        let Builder { gradients, places, steps, .. } = builder;
        let rows = states.iter().map(|state| gradients.columns(state.derivative().0).iter().copied());
        let pattern = Pattern::from_rows(states.len(), rows);
        let mut memory = vec![f64::NAN; places.memory_size()];
        memory[..quantities.len()].fill(0.0);
        let (time_place, surroundings) = (quantities.len(), places.surroundings);
        let prediction = Prediction::of(steps.iter().flat_map(predictable).map(|unknown| unknown.0).collect());
        Ok(Code { states, memory, time_place, surroundings, version: 0, steps, prediction, gradients, pattern })
    }

    /// Where the Jacobian of the derivatives of states by states has entries.
    pub fn pattern(&self) -> &Pattern {
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
            Step::Chain(chain) => chain.everything.instruction_count(),
            Step::Solve(solve) => solve.instruction_count(),
        };
        self.steps.iter().map(count).sum()
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
            for (place, &input) in self.memory[self.time_place + 1..].iter_mut().zip(&self.surroundings) {
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
        for (place, state) in derivatives.iter_mut().zip(&self.states) {
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

impl Chain {
    fn run_everything(&mut self, memory: &mut [f64], quantities: &Quantities) -> Result<(), Box<CodeFailure>> {
        let results = self.everything.run(memory);
        let mut culprit = None;
        for (index, (assignment, &value)) in self.assignments.iter().zip(results).enumerate() {
            memory[assignment.target.index()] = value;
            if !value.is_finite() && culprit.is_none() {
                culprit = Some(index);
            }
        }
        culprit.map_or(Ok(()), |index| Err(Box::new(self.failure(index, quantities))))
    }

    fn failure(&mut self, index: usize, quantities: &Quantities) -> CodeFailure {
        let Assignment { target, equation, .. } = self.assignments[index];
        let origin = self.everything.explain(index).expect("the value is not finite");
        let reason = FailureReason::NotFinite(origin);
        CodeFailure { equations: vec![equation], unknowns: vec![quantities.get(target)], reason }
    }

    fn run_lean(&mut self, memory: &mut [f64]) {
        let results = self.lean.run(memory);
        for (target, &value) in self.exports.iter().zip(results) {
            memory[target.index()] = value;
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
        let Iteration { equations, unknown_quantities, .. } = &solve.iteration;
        Box::new(CodeFailure {
            equations: equations.clone(),
            unknowns: unknown_quantities.clone(),
            reason: FailureReason::Newton(failure),
        })
    })
}

struct Builder<'a, 'w> {
    workshop: &'a mut Workshop<'w>,
    places: Places<'a>,
    gradients: Gradients,
    steps: Vec<Step>,
}

impl Builder<'_, '_> {
    fn chain(&mut self, assignments: Vec<Assignment>, exports: Vec<QuantityIndex>) -> Result<(), NotBuilt> {
        let not_numeric = |assignment: &Assignment| NotBuilt::NotNumeric(assignment.equation.of);
        let first = assignments.first().map(not_numeric).expect("a chain has an assignment");
        let mut compiler = self.workshop.compiler();
        for it in &assignments {
            compiler.assign(it.target_expression, it.expression).map_err(|_| not_numeric(it))?;
        }
        let targets: Vec<ExpressionId> = assignments.iter().map(|it| it.target_expression).collect();
        let everything = compiler.tape_of(&targets).map_err(|_| first.clone())?;
        let expression_of: FxHashMap<QuantityIndex, ExpressionId> =
            assignments.iter().map(|it| (it.target, it.target_expression)).collect();
        let exported: Vec<ExpressionId> = exports.iter().map(|it| expression_of[it]).collect();
        let lean = compiler.tape_of(&exported).map_err(|_| first.clone())?;
        let (by, inputs) = varying(lean.inputs(), &mut self.places, &self.gradients);
        let (tape, pattern) = compiler.jacobian_of(&exported, &by).map_err(|_| first.clone())?;
        let kernel = Kernel::new(Evaluator::new(tape), &mut self.places);
        let rule =
            ChainRule::new(kernel, pattern, exports.iter().map(|it| it.0).collect(), inputs, &mut self.gradients);
        self.steps.push(Step::Chain(Box::new(Chain {
            everything: Kernel::new(Evaluator::new(everything), &mut self.places),
            lean: Kernel::new(Evaluator::new(lean), &mut self.places),
            assignments,
            exports,
            rule,
        })));
        Ok(())
    }

    fn solve(&mut self, iteration: Iteration, is_needed: bool) -> Result<(), NotBuilt> {
        let compiled = self.workshop.compiled(&iteration)?;
        let rule = is_needed.then(|| self.rule(&compiled, &iteration));
        let nominal = iteration.unknown_quantities.iter().map(|it| self.workshop.declared_nominal(it.of)).collect();
        let mut solve = Solve::new(iteration, is_needed, &compiled, nominal, &mut self.places);
        if let Some(rule) = rule {
            solve.set_rule(rule);
        }
        self.steps.push(Step::Solve(Box::new(solve)));
        Ok(())
    }

    fn rule(&mut self, compiled: &CompiledIteration, iteration: &Iteration) -> ImplicitRule {
        let kernel = Kernel::new(compiled.by_known.clone(), &mut self.places);
        let inputs = compiled.known.iter().map(|&input| self.places.of(input)).collect();
        let unknowns = iteration.unknowns.iter().map(|unknown| unknown.0).collect();
        ImplicitRule::new(kernel, compiled.pattern_by_known.clone(), unknowns, inputs, &mut self.gradients)
    }
}

/// The inputs that depend on states, with their places.
fn varying(inputs: &[Input], places: &mut Places<'_>, gradients: &Gradients) -> (Vec<Input>, Vec<u32>) {
    let placed = inputs.iter().map(|&input| (input, places.of(input)));
    placed.filter(|&(_, place)| gradients.varies(place)).unzip()
}

//! From stages to steps of code: chains in pieces, iterations, and how gradients go through them.
//!
//! A chain of many assignments is cut where nothing leads across, into pieces of some dozens: what another mode changes is a piece, and
//! the others are shared with it. Which piece an assignment is in depends on what is computed with it alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use modeshift_dae::ExpressionId;
use modeshift_numerics::{Evaluator, Input};
use rustc_hash::FxHashMap;

use super::code::{CodeFailure, Step};
use super::gradients::{ChainRule, Gradients, ImplicitRule};
use super::iteration::CompiledIteration;
use super::kernel::{Kernel, Places};
use super::schedule::reads;
use super::solve::Solve;
use crate::program::blocks::plan::{Assignment, Item, Iteration};
use crate::program::failure::{FailureReason, NotBuilt};
use crate::program::programs::Workshop;
use crate::program::states::quantities::{Quantities, QuantityIndex};

/// About so many assignments are a piece: few enough that to compile one is little beside a step of some hundred states, and so many that
/// going from piece to piece costs nothing beside evaluating them.
const PIECE: usize = 48;

/// Assignments that are evaluated as one tape; copies share the code.
#[derive(Clone)]
pub(crate) struct Chain {
    pub assignments: Arc<[Assignment]>,
    everything: Kernel,
    /// What others need, computed alone.
    exports: Arc<[QuantityIndex]>,
    pub lean: Kernel,
    pub rule: ChainRule,
}

/// Steps while they are put together.
pub(super) struct Assembly<'a, 'w> {
    workshop: &'a mut Workshop<'w>,
    quantities: &'a Quantities,
    pub places: Places,
    pub gradients: Gradients,
    pub steps: Vec<Step>,
}

impl<'a, 'w> Assembly<'a, 'w> {
    /// Of code from nothing.
    pub fn new(workshop: &'a mut Workshop<'w>, quantities: &'a Quantities, states: &[QuantityIndex]) -> Self {
        let gradients = Gradients::of_states(quantities.len(), states);
        Assembly { workshop, quantities, places: Places::new(quantities), gradients, steps: Vec::new() }
    }

    /// Of steps that take the places of others.
    pub fn within(
        workshop: &'a mut Workshop<'w>,
        quantities: &'a Quantities,
        places: &Places,
        gradients: &Gradients,
    ) -> Self {
        let (places, gradients) = (places.clone(), gradients.clone());
        Assembly { workshop, quantities, places, gradients, steps: Vec::new() }
    }

    /// Appends a chain, in pieces.
    pub fn chain(&mut self, assignments: Vec<Assignment>, exports: &[QuantityIndex]) -> Result<(), NotBuilt> {
        let mut is_export = vec![false; self.quantities.len()];
        exports.iter().for_each(|export| is_export[export.index()] = true);
        for piece in self.pieces(assignments) {
            let exports = piece.iter().map(|it| it.target).filter(|target| is_export[target.index()]).collect();
            let chain = self.piece(piece, exports)?.expect("gradients are not complete");
            self.steps.push(Step::Chain(Box::new(chain)));
        }
        Ok(())
    }

    /// Appends an iteration.
    pub fn iteration(&mut self, iteration: Iteration, is_needed: bool) -> Result<(), NotBuilt> {
        let solve = self.solve(iteration, is_needed)?.expect("gradients are not complete");
        self.steps.push(Step::Solve(Box::new(solve)));
        Ok(())
    }

    /// Cuts a chain where nothing leads across. Assignments that lead to each other are together, and with them those of variables nearby.
    fn pieces(&mut self, chain: Vec<Assignment>) -> Vec<Vec<Assignment>> {
        if chain.len() <= 2 * PIECE {
            return if chain.is_empty() { Vec::new() } else { vec![chain] };
        }
        let firsts = self.first_connected(&chain);
        // Variables of one piece; a power of two, so that it rarely is another one in another mode.
        let width = (PIECE * self.quantities.len() / chain.len()).next_power_of_two();
        let mut pieces: BTreeMap<usize, Vec<Assignment>> = BTreeMap::new();
        for (assignment, first) in chain.iter().zip(firsts) {
            pieces.entry(chain[first].target.index() / width).or_default().push(*assignment);
        }
        pieces.into_values().collect()
    }

    /// For each assignment of a chain the first one that it is connected with.
    fn first_connected(&mut self, chain: &[Assignment]) -> Vec<usize> {
        let mut place_of: Vec<u32> = vec![u32::MAX; self.quantities.len()];
        let mut firsts: Vec<usize> = (0..chain.len()).collect();
        for (at, assignment) in chain.iter().enumerate() {
            let (expressions, leaves) = self.workshop.arena_and_leaves();
            for leaf in leaves.of(expressions, assignment.expression) {
                let read = self.quantities.index(leaf.of, leaf.order).map(|read| place_of[read.index()]);
                if let Some(other) = read.filter(|&other| other != u32::MAX) {
                    let (a, b) = (first(&mut firsts, at), first(&mut firsts, other as usize));
                    firsts[a.max(b)] = a.min(b);
                }
            }
            place_of[assignment.target.index()] = at as u32;
        }
        (0..chain.len()).map(|at| first(&mut firsts, at)).collect()
    }

    /// A chain as one tape. Nothing where gradients are complete and its own are others.
    fn piece(
        &mut self,
        assignments: Vec<Assignment>,
        exports: Arc<[QuantityIndex]>,
    ) -> Result<Option<Chain>, NotBuilt> {
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
        let targets = exports.iter().map(|it| it.0).collect();
        let rule = ChainRule::new(kernel, pattern, targets, inputs, &mut self.gradients);
        Ok(rule.map(|rule| Chain {
            everything: Kernel::new(Evaluator::new(everything), &mut self.places),
            lean: Kernel::new(Evaluator::new(lean), &mut self.places),
            assignments: assignments.into(),
            exports,
            rule,
        }))
    }

    fn solve(&mut self, iteration: Iteration, is_needed: bool) -> Result<Option<Solve>, NotBuilt> {
        let compiled = self.workshop.compiled(&iteration)?;
        let rule = if is_needed { self.rule(&compiled, &iteration).map(Some) } else { Some(None) };
        let Some(rule) = rule else { return Ok(None) };
        let nominal = iteration.unknown_quantities.iter().map(|it| self.workshop.declared_nominal(it.of)).collect();
        let mut solve = Solve::new(Arc::new(iteration), is_needed, &compiled, nominal, &mut self.places);
        if let Some(rule) = rule {
            solve.set_rule(rule);
        }
        Ok(Some(solve))
    }

    fn rule(&mut self, compiled: &CompiledIteration, iteration: &Iteration) -> Option<ImplicitRule> {
        let kernel = Kernel::new(compiled.by_known.clone(), &mut self.places);
        let inputs = compiled.known.iter().map(|&input| self.places.of(input)).collect();
        let unknowns = iteration.unknowns.iter().map(|unknown| unknown.0).collect();
        ImplicitRule::new(kernel, compiled.pattern_by_known.clone(), unknowns, inputs, &mut self.gradients)
    }

    /// A chain in which some assignments are others; nothing where they are not assignments of the same quantities from the same.
    pub fn changed_chain(
        &mut self,
        chain: &Chain,
        items: Vec<Item>,
        is_shifted: &mut bool,
    ) -> Result<Option<Step>, NotBuilt> {
        let mut assignments = chain.assignments.to_vec();
        for item in items {
            let Item::Assign(new) = item else { return Ok(None) };
            let Some(place) = assignments.iter_mut().find(|it| it.target == new.target) else { return Ok(None) };
            let old = std::mem::replace(place, new);
            if !self.reads_alike(&Item::Assign(old), &Item::Assign(new)) {
                return Ok(None);
            }
            *is_shifted &= self.has_same_slopes(&old, &new);
        }
        let piece = self.piece(assignments, chain.exports.clone())?;
        Ok(piece.map(|chain| Step::Chain(Box::new(chain))))
    }

    /// An iteration whose equations are others; nothing where it is not for the same unknowns from the same quantities.
    pub fn changed_solve(
        &mut self,
        solve: &Solve,
        items: Vec<Item>,
        is_shifted: &mut bool,
    ) -> Result<Option<Step>, NotBuilt> {
        let Ok([Item::Iterate(new)]) = <[Item; 1]>::try_from(items) else { return Ok(None) };
        let (old, new) = (Item::Iterate((*solve.iteration).clone()), Item::Iterate(new));
        let reads_alike = self.reads_alike(&old, &new);
        let Item::Iterate(new) = new else { return Ok(None) };
        if new.unknowns != solve.iteration.unknowns || !reads_alike {
            return Ok(None);
        }
        *is_shifted = false;
        let solve = self.solve(new, solve.is_needed)?;
        Ok(solve.map(|solve| Step::Solve(Box::new(solve))))
    }

    fn reads_alike(&mut self, old: &Item, new: &Item) -> bool {
        let quantities = self.quantities;
        let (expressions, leaves) = self.workshop.arena_and_leaves();
        let mut of = |item: &Item| {
            let mut reads = reads(expressions, leaves, quantities, item);
            reads.sort_unstable();
            reads.dedup();
            reads
        };
        of(old) == of(new)
    }

    /// Whether two assignments have the same derivatives by all quantities.
    fn has_same_slopes(&mut self, old: &Assignment, new: &Assignment) -> bool {
        let (expressions, leaves) = self.workshop.arena_and_leaves();
        let by: Vec<Input> =
            leaves.of(expressions, old.expression).iter().map(|it| Input::Variable(it.of, it.order)).collect();
        let mut compiler = self.workshop.compiler();
        let mut slopes = |it: &Assignment| compiler.jacobian_of(&[it.expression], &by).ok();
        match (slopes(old), slopes(new)) {
            (Some((old, of_old)), Some((new, of_new))) => of_old == of_new && old.computes_as(&new),
            _ => false,
        }
    }
}

/// The first of those that are connected.
fn first(firsts: &mut [usize], mut at: usize) -> usize {
    while firsts[at] != at {
        firsts[at] = firsts[firsts[at]];
        at = firsts[at];
    }
    at
}

/// The inputs that depend on states, with their places.
fn varying(inputs: &[Input], places: &mut Places, gradients: &Gradients) -> (Vec<Input>, Vec<u32>) {
    let placed = inputs.iter().map(|&input| (input, places.of(input)));
    placed.filter(|&(_, place)| gradients.varies(place)).unzip()
}

impl Chain {
    /// All results.
    pub fn run_everything(&mut self, memory: &mut [f64], quantities: &Quantities) -> Result<(), Box<CodeFailure>> {
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

    /// What others need.
    pub fn run_lean(&mut self, memory: &mut [f64]) {
        let results = self.lean.run(memory);
        for (target, &value) in self.exports.iter().zip(results) {
            memory[target.index()] = value;
        }
    }
}

impl Chain {
    /// How many instructions all results take.
    pub fn instruction_count(&self) -> usize {
        self.everything.instruction_count()
    }
}

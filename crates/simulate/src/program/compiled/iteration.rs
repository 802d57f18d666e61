//! Compiled iterations, shared by all programs in which the same block occurs.

use std::sync::Arc;

use modeshift_dae::ExpressionId;
use modeshift_numerics::{Evaluator, Input, Pattern};

use crate::program::blocks::plan::Iteration;
use crate::program::failure::NotBuilt;
use crate::program::programs::Workshop;

/// The code of an iteration.
pub(crate) struct CompiledIteration {
    pub residuals: Evaluator,
    /// Residuals, then the entries of their Jacobian by the unknowns.
    pub linearization: Evaluator,
    pub pattern: Pattern,
    pub is_linear: bool,
    /// What the residuals depend on beside the unknowns, and the entries of their Jacobian by these.
    pub known: Vec<Input>,
    pub by_known: Evaluator,
    pub pattern_by_known: Pattern,
}

/// Residuals, unknowns and formulas: all that an iteration's code depends on.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct IterationKey {
    expressions: Box<[ExpressionId]>,
    residual_count: usize,
    unknowns: Box<[Input]>,
}

impl IterationKey {
    fn of(iteration: &Iteration) -> Self {
        let formulas = iteration.formulas.iter().flat_map(|it| [it.target_expression, it.expression]);
        IterationKey {
            expressions: iteration.residuals.iter().copied().chain(formulas).collect(),
            residual_count: iteration.residuals.len(),
            unknowns: unknown_inputs(iteration).into(),
        }
    }
}

fn unknown_inputs(iteration: &Iteration) -> Vec<Input> {
    iteration.unknown_quantities.iter().map(|unknown| Input::Variable(unknown.of, unknown.order)).collect()
}

impl Workshop<'_> {
    /// The code of an iteration, compiled unless it is known.
    pub fn compiled(&mut self, iteration: &Iteration) -> Result<Arc<CompiledIteration>, NotBuilt> {
        let key = IterationKey::of(iteration);
        if let Some(known) = self.iterations().get(&key) {
            return Ok(known.clone());
        }
        let compiled = Arc::new(self.compile_iteration(iteration)?);
        self.iterations().insert(key, compiled.clone());
        Ok(compiled)
    }

    fn compile_iteration(&self, iteration: &Iteration) -> Result<CompiledIteration, NotBuilt> {
        let not_numeric = |_| NotBuilt::NotNumeric(iteration.equations[0].of);
        let unknowns = unknown_inputs(iteration);
        let mut compiler = self.compiler().with_inputs(&unknowns);
        for formula in &iteration.formulas {
            compiler.assign(formula.target_expression, formula.expression).map_err(not_numeric)?;
        }
        let residuals = compiler.tape_of(&iteration.residuals).map_err(not_numeric)?;
        let known = residuals.inputs()[unknowns.len()..].iter().copied();
        let known: Vec<Input> = known.filter(|input| matches!(input, Input::Variable(..))).collect();
        let (by_known, pattern_by_known) = compiler.jacobian_of(&iteration.residuals, &known).map_err(not_numeric)?;
        let equations = compiler.differentiated(&iteration.residuals, &unknowns).map_err(not_numeric)?;
        Ok(CompiledIteration {
            residuals: Evaluator::new(residuals),
            linearization: Evaluator::new(equations.tape().clone()),
            pattern: equations.pattern().clone(),
            is_linear: equations.is_linear(),
            known,
            by_known: Evaluator::new(by_known),
            pattern_by_known,
        })
    }
}

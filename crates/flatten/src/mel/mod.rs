//! MEL programs as flat models (RR9322 §4.2).
//!
//! Two walks over the program, both with loops unrolled: the first declares the variables, so that they may be used
//! before their declaration; the second makes guards, equations, invariants and scenarios. An array is the set of
//! its declared elements, with any indices. A `boolean` without a definition comes from outside, and functions that
//! are neither built in nor given by a law are opaque and differentiable as often as needed.
//!
//! | file | purpose |
//! |---|---|
//! | [`expressions`] | expressions of MEL as expressions of the flat model |
//! | [`laws`] | functions that a program gives by a formula |
//! | [`scenarios`] | initial equations for some modes, and the variables a scenario declares |
//! | [`values`] | values known at translation: constants, loop bounds, subscripts |

mod expressions;
mod laws;
mod scenarios;
mod values;

use std::sync::Arc;

use modeshift_dae::{
    Equation, EquationKind, ExpressionId, FlatModel, FunctionId, IndexVec, InitialEquation, Invariant, InvariantOrigin,
    Node, ScenarioId, Type, Variability, Variable, VariableId,
};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Span, Stop};
use modeshift_syntax::ast::{Expression, Ident, Reference};
use modeshift_syntax::mel::{self, Program, Statement, StatementKind};
use rustc_hash::FxHashMap;

use laws::Laws;

/// How many statements loops may unroll to.
const STATEMENT_LIMIT: usize = 20_000_000;

/// The flat model of a MEL program; `overrides` are new values of constants, as `--set N=10` gives them.
pub fn flatten_mel(
    name: &str,
    program: &Program,
    overrides: &[(String, String)],
    diagnostics: &mut Diagnostics,
) -> Result<FlatModel, Stop> {
    let mut builder = Builder::new(name, overrides, diagnostics);
    builder.declare_all(&program.statements)?;
    builder.check_overrides();
    builder.build_all(&program.statements)?;
    if builder.failed { Err(Stop) } else { Ok(builder.model) }
}

/// The model on its way, and where in the program we are.
struct Builder<'a> {
    model: FlatModel,
    overrides: &'a [(String, String)],
    used_overrides: Vec<bool>,
    diagnostics: &'a mut Diagnostics,
    variables: FxHashMap<Arc<str>, VariableId>,
    functions: FxHashMap<Arc<str>, (FunctionId, Span)>,
    laws: Laws<'a>,
    labels: FxHashMap<Arc<str>, Span>,
    /// How many elements of an array were used and not declared.
    undeclared: FxHashMap<Arc<str>, usize>,
    /// The values of loop indices, outermost first.
    indices: Vec<(Arc<str>, i64)>,
    /// The conditions around the current statement, as one.
    guard: ExpressionId,
    /// The scenario around the current statement.
    scenario: Option<ScenarioId>,
    /// The names of the scenarios, from the first walk on.
    scenario_names: IndexVec<ScenarioId, Arc<str>>,
    /// Variables that a scenario declares for itself (E22 §7.2).
    scenario_variables: FxHashMap<(ScenarioId, Arc<str>), VariableId>,
    statements: usize,
    failed: bool,
}

impl<'a> Builder<'a> {
    fn new(name: &str, overrides: &'a [(String, String)], diagnostics: &'a mut Diagnostics) -> Self {
        let mut model = FlatModel::new(name);
        model.declares_invariants = true;
        let guard = model.expressions.boolean(true);
        Builder {
            model,
            overrides,
            used_overrides: vec![false; overrides.len()],
            diagnostics,
            variables: FxHashMap::default(),
            functions: FxHashMap::default(),
            laws: Laws::default(),
            labels: FxHashMap::default(),
            undeclared: FxHashMap::default(),
            indices: Vec::new(),
            guard,
            scenario: None,
            scenario_names: IndexVec::new(),
            scenario_variables: FxHashMap::default(),
            statements: 0,
            failed: false,
        }
    }

    /// Says what is wrong and goes on.
    fn error(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
        self.failed = true;
    }

    fn count(&mut self, span: Span) -> Result<(), Stop> {
        self.statements += 1;
        if self.statements <= STATEMENT_LIMIT {
            return Ok(());
        }
        self.error(
            Diagnostic::error(Code::E0386, format!("the loops unroll to more than {STATEMENT_LIMIT} statements"))
                .label(span, "reached here"),
        );
        Err(Stop)
    }

    /// Refuses a loop that would exceed the limit even with an empty body.
    fn check_size(&mut self, span: Span, last_offset: i64) -> Result<(), Stop> {
        if last_offset < STATEMENT_LIMIT as i64 {
            return Ok(());
        }
        let values = last_offset.saturating_add(1);
        self.error(
            Diagnostic::error(Code::E0386, format!("a loop over {values} values is too long"))
                .label(span, "this range")
                .help(format!("all loops together may unroll to {STATEMENT_LIMIT} statements")),
        );
        Err(Stop)
    }

    // First walk: declarations.

    fn declare_all(&mut self, statements: &'a [Statement]) -> Result<(), Stop> {
        for statement in statements {
            self.count(statement.span)?;
            match &statement.kind {
                StatementKind::Declaration { name, ty, value } => {
                    self.declare(name, *ty, value.as_ref(), statement.span)
                }
                StatementKind::If { condition, then, otherwise } => {
                    let value = self.constant_condition(condition);
                    if value != Some(false) {
                        self.declare_all(then)?;
                    }
                    if value != Some(true) {
                        self.declare_all(otherwise)?;
                    }
                }
                StatementKind::Foreach { index, from, to, body } => {
                    self.for_each_value(index, from, to, |builder| builder.declare_all(body))?;
                }
                StatementKind::Law { .. } => self.declare_law(statement),
                StatementKind::Scenario { name, body, .. } => self.declare_scenario(name, body)?,
                StatementKind::Equation { .. } | StatementKind::Invariant(_) => {}
            }
        }
        Ok(())
    }

    fn declare(&mut self, name: &Reference, ty: mel::Type, value: Option<&Expression>, span: Span) {
        let Some(text) = self.name_text(name) else { return };
        if let Some(known) = self.variable_of_this_place(&text) {
            let before = self.model.variables[known].span;
            return self.error(
                Diagnostic::error(Code::E0281, format!("`{text}` is declared twice"))
                    .label(span, "declared again here")
                    .label(before, "first declared here"),
            );
        }
        let is_constant = value.is_some() && ty != mel::Type::Boolean;
        let flat_name = self.name_in_scenario(&text);
        let binding = value.filter(|_| is_constant).map(|value| self.constant_binding(&flat_name, ty, value));
        let mut variable = Variable {
            input: ty == mel::Type::Boolean && value.is_none(),
            variability: match ty {
                _ if is_constant => Variability::Parameter,
                mel::Type::Real => Variability::Continuous,
                _ => Variability::Discrete,
            },
            evaluated: is_constant && ty == mel::Type::Integer,
            binding,
            ..self.plain_variable(flat_name, ty, span)
        };
        if self.scenario.is_some() && !is_constant {
            self.make_unknown_of_the_start(&mut variable);
        }
        let id = self.model.variables.push(variable);
        self.remember_variable(text, id);
    }

    fn plain_variable(&self, name: Arc<str>, ty: mel::Type, span: Span) -> Variable {
        let ty = match ty {
            mel::Type::Real => Type::Real,
            mel::Type::Boolean => Type::Boolean,
            mel::Type::Integer => Type::Integer,
        };
        Variable { span, ..Variable::new(name, ty, Variability::Continuous, self.guard) }
    }

    // Second walk: everything else.

    fn build_all(&mut self, statements: &[Statement]) -> Result<(), Stop> {
        for statement in statements {
            self.count(statement.span)?;
            self.build(statement)?;
        }
        Ok(())
    }

    fn build(&mut self, statement: &Statement) -> Result<(), Stop> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Declaration { name, ty, value } => self.complete(name, *ty, value.as_ref(), span),
            StatementKind::Equation { label, left, right } => self.equation(label, left, right, span),
            StatementKind::Law { .. } => {}
            StatementKind::Invariant(condition) => self.invariant(condition, span),
            StatementKind::If { condition, then, otherwise } => return self.branches(condition, then, otherwise),
            StatementKind::Foreach { index, from, to, body } => {
                return self.for_each_value(index, from, to, |builder| builder.build_all(body));
            }
            StatementKind::Scenario { name, when, body } => return self.scenario(name, when.as_ref(), body, span),
        }
        Ok(())
    }

    /// Guard and definition of a variable that the first walk declared.
    fn complete(&mut self, name: &Reference, ty: mel::Type, value: Option<&Expression>, span: Span) {
        if self.scenario.is_some() {
            return; // it exists where the initial equations do that mention it
        }
        let Some(id) = self.name_text(name).and_then(|text| self.variables.get(&text).copied()) else { return };
        self.model.variables[id].guard = self.guard;
        let (mel::Type::Boolean, Some(value)) = (ty, value) else { return };
        let right = self.definition(value);
        let left = self.model.expressions.add(Node::Variable(id, 0));
        self.model.equations.push(Equation {
            name: "#".into(),
            kind: EquationKind::Discrete,
            guard: self.guard,
            left,
            right,
            span,
        });
    }

    /// The definition of a Boolean: of a real expression, where it is positive. The language leaves open what it is at
    /// zero; the invariants of RR9322 Figure 13 about flows through closed doors and ends ask for `false`.
    fn definition(&mut self, value: &Expression) -> ExpressionId {
        let expression = self.expression(value);
        if self.is_boolean(expression) {
            return expression;
        }
        let zero = self.model.expressions.integer(0);
        self.model.expressions.relation(modeshift_dae::RelationOperator::Greater, expression, zero)
    }

    fn equation(&mut self, label: &Reference, left: &Expression, right: &Expression, span: Span) {
        let (left, right) = (self.real_expression(left), self.real_expression(right));
        if let Some(scenario) = self.scenario {
            let scenario = Some(scenario);
            self.model.initial_equations.push(InitialEquation { left, right, guard: self.guard, scenario, span });
            return;
        }
        let Some(name) = self.name_text(label) else { return };
        if let Some(&before) = self.labels.get(&name) {
            return self.error(
                Diagnostic::error(Code::E0282, format!("two equations are called `{name}`"))
                    .label(span, "again here")
                    .label(before, "first used here"),
            );
        }
        self.labels.insert(name.clone(), span);
        let kind = EquationKind::Continuous;
        self.model.equations.push(Equation { name, kind, guard: self.guard, left, right, span });
    }

    fn invariant(&mut self, condition: &Expression, span: Span) {
        let condition = self.expression(condition);
        let origin = InvariantOrigin::Declared;
        self.model.invariants.push(Invariant { condition, origin, guard: self.guard, span });
    }

    fn branches(&mut self, condition: &Expression, then: &[Statement], otherwise: &[Statement]) -> Result<(), Stop> {
        let value = self.constant_condition(condition);
        let outer = self.guard;
        let condition = match value {
            Some(value) => self.model.expressions.boolean(value),
            None => self.expression(condition),
        };
        if value != Some(false) {
            self.guard = self.model.expressions.and(outer, condition);
            self.build_all(then)?;
        }
        if value != Some(true) {
            let negated = self.model.expressions.not(condition);
            self.guard = self.model.expressions.and(outer, negated);
            self.build_all(otherwise)?;
        }
        self.guard = outer;
        Ok(())
    }

    /// Runs `body` for each value of a loop index.
    fn for_each_value(
        &mut self,
        index: &Ident,
        from: &Expression,
        to: &Expression,
        mut body: impl FnMut(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let (Some(first), Some(last)) = (self.integer(from), self.integer(to)) else { return Ok(()) };
        self.check_size(from.span.to(to.span), last.saturating_sub(first))?;
        for value in first..=last {
            self.count(index.span)?;
            self.indices.push((index.name.clone(), value));
            let result = body(self);
            self.indices.pop();
            result?;
        }
        Ok(())
    }
}

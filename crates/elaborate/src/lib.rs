//! From a flat model to a multimode DAE: which Booleans and relations are modes, and what is known about them.
//!
//! A [`FlatModel`] has arbitrary Boolean expressions as guards and conditions. Here each of them becomes a formula
//! over mode variables (E22 §4.1), by these rules:
//!
//! - only what guards something is a mode: an equation, a variable, or a branch of an if-expression in a continuous
//!   equation outside `noEvent`;
//! - a Boolean whose definition contains a relation (or a left limit, or an event operator) is itself the mode
//!   variable; a Boolean defined over mode variables alone is substituted and keeps its name for printing;
//! - a relation used directly is a mode variable named by its text, the same one for `x > 0`, `0 < x` and negated for
//!   `x <= 0`;
//! - a Boolean that a `when` assigns or that comes from outside is a mode variable without a definition; a Boolean
//!   parameter that was not needed to build the model is one that never changes;
//! - invariants are what was declared, what is asserted of mode variables, how relations over the same expression
//!   imply or exclude each other, the definition of a Boolean whose relations are modes themselves, and of other
//!   definitions what they imply.
//!
//! | module | purpose |
//! |---|---|
//! | `strings` | Strings that are compared during a run |
//! | `restart_laws` | tells restart laws from assignments in a `when` |
//! | `initial_actions` | actions of a `when` with `initial()` as initial equations |
//! | `clauses_and_equations` | what a `when` assigns in some states and an equation defines in others |
//! | `orientation` | which discrete variable each equation defines |
//! | `isolate` | equations solved for a discrete variable |
//! | `definitions` | what each discrete variable equals, from one equation or several branches |
//! | `initial_values` | initial equations about discrete variables |
//! | `formulas` | conditions as formulas over mode variables |
//! | `atoms` | the mode variables found so far |
//! | `invariants/` | what relations and definitions imply about each other |
//! | `coverage` | whether a few guards cover all modes |
//! | `implicit` | mode variables that next-mode selection decides |
//! | `numbering` | names of equations |

mod atoms;
mod clauses_and_equations;
mod coverage;
mod definitions;
mod formulas;
mod implicit;
mod initial_actions;
mod initial_values;
mod invariants;
mod isolate;
mod numbering;
mod orientation;
mod restart_laws;
mod strings;

use std::convert::Infallible;

use modeshift_dae::{
    Assertion, Builtin, Discrete, EquationId, EquationKind, ExpressionId, Expressions, FlatModel, Fold, Invariant,
    InvariantOrigin, MultimodeDae, Node, Operands, Rewritten, VariableId, WhenBranch,
};
use modeshift_diagnostics::{Diagnostics, Span, Stop};
use rustc_hash::FxHashSet;

use definitions::Definitions;
use formulas::Formulas;

/// Beyond this many parts, a condition that is partly inside `noEvent` makes no mode.
const DEEPEST_CHOICE: usize = 100;

/// Turns every condition that decides about the structure into a formula over mode variables.
///
/// Stops where a condition cannot be understood as one; the diagnostics (`E05xx`) say which.
pub fn elaborate(model: FlatModel, diagnostics: &mut Diagnostics) -> Result<MultimodeDae, Stop> {
    elaborate_with_instants(model, &[], diagnostics)
}

/// The same, with mode variables also for the conditions of some `when` clauses, which go by their numbers.
pub fn elaborate_with_instants(
    mut model: FlatModel,
    clauses: &[usize],
    diagnostics: &mut Diagnostics,
) -> Result<MultimodeDae, Stop> {
    strings::refuse_comparisons(&model, diagnostics)?;
    restart_laws::separate(&mut model);
    clauses_and_equations::separate(&mut model);
    let stated = model.initial_equations.len();
    initial_actions::add(&mut model);
    let definitions = Definitions::collect(&mut model, diagnostics)?;
    let mut elaboration =
        Elaboration { formulas: Formulas::new(&definitions), model, diagnostics, rewritten: Rewritten::new(), stated };
    elaboration.variable_guards();
    elaboration.equation_conditions(&definitions);
    elaboration.initial_conditions();
    clauses.iter().for_each(|&clause| elaboration.conditions_of_instants(clause));
    elaboration.invariants();
    elaboration.finish(&definitions)
}

/// The model on its way, with the formulas found so far.
struct Elaboration<'a> {
    model: FlatModel,
    formulas: Formulas<'a>,
    diagnostics: &'a mut Diagnostics,
    /// Expressions of continuous equations with their conditions replaced.
    rewritten: Rewritten,
    /// How many initial equations the model states; the others are actions of `when initial()`.
    stated: usize,
}

impl Elaboration<'_> {
    fn formula(&mut self, condition: ExpressionId, span: Span) -> ExpressionId {
        if self.model.expressions.literal_boolean(condition).is_some() {
            return condition;
        }
        let formula = self.formulas.formula(&mut self.model, condition, span, self.diagnostics);
        coverage::simplified(&mut self.model.expressions, formula)
    }

    fn variable_guards(&mut self) {
        for id in self.model.variables.ids() {
            let (guard, span) = (self.model.variables[id].guard, self.model.variables[id].span);
            self.model.variables[id].guard = self.formula(guard, span);
        }
    }

    /// Guards of all equations, and the conditions of if-expressions in continuous ones.
    fn equation_conditions(&mut self, definitions: &Definitions) {
        let has_conditions = self.model.expressions.all_with(|node| matches!(node, Node::If(..)), |_| false);
        for id in self.model.equations.ids() {
            let equation = &self.model.equations[id];
            let (guard, left, right, span) = (equation.guard, equation.left, equation.right, equation.span);
            self.model.equations[id].guard = self.formula(guard, span);
            if definitions.defined_by(id).is_none() {
                if has_conditions[left] {
                    self.model.equations[id].left = self.with_formulas(left, span);
                }
                if has_conditions[right] {
                    self.model.equations[id].right = self.with_formulas(right, span);
                }
            }
        }
    }

    /// The expression with a formula in place of every condition that makes a mode.
    ///
    /// What is inside `noEvent` or `pre` stays, and so does a condition that is `noEvent`: it makes no mode,
    /// and the incidences of its branches are united.
    fn with_formulas(&mut self, root: ExpressionId, span: Span) -> ExpressionId {
        let mut rewritten = std::mem::take(&mut self.rewritten);
        let Ok(result) = WithFormulas { elaboration: self, span }.fold(&mut rewritten, root, ());
        self.rewritten = rewritten;
        result
    }

    /// Asks for the formulas of a condition's parts, so that modes come in the order of the text.
    fn ask_conditions(&mut self, condition: ExpressionId, span: Span) {
        let (mut parts, mut asked) = (vec![condition], 0);
        while let Some(part) = parts.pop().filter(|_| asked < DEEPEST_CHOICE) {
            asked += 1;
            match self.model.expressions.node(part) {
                Node::Not(a) if self.is_silenced(part) => parts.push(a),
                Node::And(a, b) | Node::Or(a, b) if self.is_silenced(part) => parts.extend([b, a]),
                _ if self.is_silenced(part) => {}
                _ => {
                    self.formula(part, span);
                }
            }
        }
    }

    /// `if condition then yes else no`, where every condition is a formula or nothing but `noEvent`: of `noEvent(a) or b`, it is `b`
    /// that makes a mode. `noEvent` around an operand of a relation says nothing of the relation.
    fn choice(
        &mut self,
        condition: ExpressionId,
        branches: [ExpressionId; 2],
        span: Span,
        depth: usize,
    ) -> ExpressionId {
        let [yes, no] = branches;
        if !self.is_silenced(condition) {
            let formula = self.formula(condition, span);
            return self.model.expressions.if_then_else(formula, yes, no);
        }
        let (a, b, is_and) = match self.model.expressions.node(condition) {
            _ if depth == DEEPEST_CHOICE => return self.model.expressions.if_then_else(condition, yes, no),
            Node::Not(a) => return self.choice(a, [no, yes], span, depth + 1),
            Node::And(a, b) => (a, b, true),
            Node::Or(a, b) => (a, b, false),
            _ => return self.model.expressions.if_then_else(condition, yes, no),
        };
        // The formula outside.
        let (outer, inner) = if self.is_silenced(a) { (b, a) } else { (a, b) };
        let rest = self.choice(inner, branches, span, depth + 1);
        self.choice(outer, if is_and { [rest, no] } else { [yes, rest] }, span, depth + 1)
    }

    /// Whether a part of the condition that is true or false is inside `noEvent`. What relations compare is not looked at.
    fn is_silenced(&self, condition: ExpressionId) -> bool {
        let expressions = &self.model.expressions;
        if !expressions.contains(condition, |node| matches!(node, Node::Call(Builtin::NoEvent, _))) {
            return false;
        }
        let (mut parts, mut seen) = (vec![condition], FxHashSet::default());
        while let Some(part) = parts.pop() {
            if !seen.insert(part) {
                continue;
            }
            match expressions.node(part) {
                Node::Call(Builtin::NoEvent, _) => return true,
                Node::Relation(_, a, _) if !formulas::is_boolean(&self.model, a) => {}
                _ => parts.extend(expressions.children(part)),
            }
        }
        false
    }

    /// Guards of initial equations and the modes of scenarios. Conditions inside initial equations are replaced
    /// only where they are modes anyway.
    fn initial_conditions(&mut self) {
        for index in 0..self.model.initial_equations.len() {
            let (guard, span) = (self.model.initial_equations[index].guard, self.model.initial_equations[index].span);
            self.model.initial_equations[index].guard = self.formula(guard, span);
        }
        for id in self.model.scenarios.ids() {
            let (when, span) = (self.model.scenarios[id].when, self.model.scenarios[id].span);
            self.model.scenarios[id].when = self.formula(when, span);
        }
    }

    /// Conditions of a `when` and of what is in it. The start is no condition that could hold again.
    fn conditions_of_instants(&mut self, clause: usize) {
        let Some(clause) = self.model.when_clauses.get(clause) else { return };
        let span = clause.span;
        let conditions = |branch: &WhenBranch| {
            let guards = branch.actions.iter().map(|action| action.guard);
            branch.conditions.iter().copied().chain(guards).collect::<Vec<_>>()
        };
        let mut conditions: Vec<ExpressionId> = clause.branches.iter().flat_map(conditions).collect();
        conditions.retain(|&it| !matches!(self.model.expressions.node(it), Node::Call(Builtin::Initial, _)));
        for condition in conditions {
            // Of an edge or a change it is the Boolean that lasts.
            let condition = match self.model.expressions.node(condition) {
                Node::Call(Builtin::Edge | Builtin::Change, of) => self.model.expressions.argument_list(of)[0],
                _ => condition,
            };
            self.formula(condition, span);
        }
    }

    /// Declared invariants first, since they may bring in mode variables; then all that follows from the modes.
    fn invariants(&mut self) {
        for index in 0..self.model.invariants.len() {
            let Invariant { condition, guard, span, .. } = self.model.invariants[index];
            let condition = self.formula(condition, span);
            let guard = self.formula(guard, span);
            self.model.invariants[index] = Invariant { condition, origin: InvariantOrigin::Declared, guard, span };
        }
        self.asserted_invariants();
        let implied = self.formulas.consequences(&mut self.model);
        let related = self.formulas.relation_invariants(&mut self.model.expressions);
        let defined = self.formulas.definition_invariants(&mut self.model);
        self.model.invariants.extend(related.into_iter().chain(defined).chain(implied));
    }

    /// Moves assertions over mode variables to the invariants; the others stay.
    fn asserted_invariants(&mut self) {
        let mut kept = Vec::new();
        for assertion in std::mem::take(&mut self.model.assertions) {
            match self.asserted_formula(&assertion) {
                Some((condition, guard)) => self.model.invariants.push(Invariant {
                    condition,
                    origin: InvariantOrigin::Assertion(assertion.message),
                    guard,
                    span: assertion.span,
                }),
                None => kept.push(self.with_known_guard(assertion)),
            }
        }
        self.model.assertions = kept;
    }

    fn asserted_formula(&mut self, assertion: &Assertion) -> Option<(ExpressionId, ExpressionId)> {
        if !assertion.is_error {
            return None;
        }
        let condition = self.formulas.known_formula(&mut self.model, assertion.condition)?;
        let guard = self.formulas.known_formula(&mut self.model, assertion.guard)?;
        self.model.expressions.literal_boolean(condition).is_none().then_some((condition, guard))
    }

    /// An assertion whose guard is not a formula over modes says the same as an implication.
    fn with_known_guard(&mut self, mut assertion: Assertion) -> Assertion {
        match self.formulas.known_formula(&mut self.model, assertion.guard) {
            Some(guard) => assertion.guard = guard,
            None => {
                let expressions = &mut self.model.expressions;
                let outside = expressions.not(assertion.guard);
                assertion.condition = expressions.or(outside, assertion.condition);
                assertion.guard = expressions.boolean(true);
            }
        }
        assertion
    }

    fn finish(mut self, definitions: &Definitions) -> Result<MultimodeDae, Stop> {
        if self.formulas.failed() {
            return Err(Stop);
        }
        self.classify(definitions);
        let (mut mode_variables, named_formulas) = self.formulas.into_parts();
        numbering::name_equations(&mut self.model, |id| definitions.defined_by(id));
        implicit::mark(&mut self.model, definitions, &mut mode_variables);
        definitions.check_defined(&self.model, self.diagnostics)?;
        definitions.check_everywhere(&mut self.model, &mode_variables, self.diagnostics)?;
        definitions.check_cycles(&self.model, &mode_variables, self.diagnostics)?;
        let initial = initial_values::initial_values(&mut self.model, definitions, self.stated, self.diagnostics)?;
        let discrete = Discrete { definitions: definitions.table(&mut self.model), initial };
        Ok(MultimodeDae { model: self.model, mode_variables, named_formulas, discrete })
    }

    fn classify(&mut self, definitions: &Definitions) {
        for id in self.model.equations.ids() {
            self.model.equations[id].kind = self.kind_of(id, definitions);
        }
    }

    fn kind_of(&self, id: EquationId, definitions: &Definitions) -> EquationKind {
        match definitions.defined_by(id) {
            None => EquationKind::Continuous,
            Some(variable) if self.decides_modes(variable) => EquationKind::ModeDefinition,
            Some(_) => EquationKind::Discrete,
        }
    }

    fn decides_modes(&self, variable: VariableId) -> bool {
        self.formulas.is_mode_or_named(variable)
    }
}

/// Expressions with formulas in place of their conditions.
struct WithFormulas<'e, 'a> {
    elaboration: &'e mut Elaboration<'a>,
    span: Span,
}

impl Fold for WithFormulas<'_, '_> {
    type Context = ();
    type Value = ExpressionId;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        &self.elaboration.model.expressions
    }

    fn open(&mut self, id: ExpressionId, (): (), operands: &mut Operands<()>) -> Option<ExpressionId> {
        match self.expressions().node(id) {
            Node::Pre(_) | Node::Call(Builtin::NoEvent, _) => return Some(id),
            Node::If(condition, then, otherwise) => {
                self.elaboration.ask_conditions(condition, self.span);
                operands.extend([otherwise, then], ());
            }
            _ => operands.extend_reversed(self.expressions().children(id), ()),
        }
        None
    }

    /// Asks for nothing more: `open` asks for both branches.
    fn branches(&mut self, _: [ExpressionId; 3], (): (), _: &Rewritten, _: &mut Operands<()>) {}

    fn close(&mut self, id: ExpressionId, (): (), known: &Rewritten) -> Result<ExpressionId, Infallible> {
        let Node::If(condition, then, otherwise) = self.expressions().node(id) else {
            return Ok(self.elaboration.model.expressions.map_children(id, |_, child| known[child]));
        };
        Ok(self.elaboration.choice(condition, [known[then], known[otherwise]], self.span, 0))
    }
}

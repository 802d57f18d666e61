//! `when` clauses: branches with conditions and actions (Modelica 3.6, 8.3.5), and which variables they make discrete.

use modeshift_dae::{
    Builtin, EquationKind, ExpressionId, FlatModel, Node, Type, Variability, VariableId, WhenAction, WhenActionKind,
    WhenBranch, WhenClause,
};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{self, Expression, ExpressionKind};
use rustc_hash::FxHashSet;

use crate::equations::guarded::Place;
use crate::expressions::context::Context;
use crate::expressions::evaluate::describe;
use crate::expressions::term::Term;
use crate::expressions::translate::Decision;
use crate::failure::{Outcome, unsupported, wrong};
use crate::flattener::Flattener;

impl Flattener<'_> {
    /// Adds a `when` with its `elsewhen` branches.
    pub(crate) fn add_when(
        &mut self,
        branches: &[(Expression, Vec<ast::Equation>)],
        span: Span,
        place: &mut Place,
        context: &mut Context,
    ) -> Outcome<()> {
        if place.initial {
            return wrong(Code::E0403, "`when` cannot stand in an initial section", span);
        }
        let mut clause = WhenClause { guard: place.guard, branches: Vec::new(), span };
        for (condition, body) in branches {
            let conditions = self.when_conditions(condition, context)?;
            self.add_assertions(place);
            let mut actions = Vec::new();
            let truth = self.model.expressions.boolean(true);
            self.add_actions(body, truth, &mut actions, context);
            clause.branches.push(WhenBranch { conditions, actions, span: condition.span });
        }
        self.push_when(clause, span);
        Ok(())
    }

    /// Adds a clause of an algorithm section, or one that stands by itself.
    pub(crate) fn push_when(&mut self, clause: WhenClause, section: Span) {
        self.model.when_clauses.push(clause);
        self.connections.checked.sections.push(section);
    }

    /// One condition, or each of `{c1, c2}`.
    pub(crate) fn when_conditions(
        &mut self,
        condition: &Expression,
        context: &mut Context,
    ) -> Outcome<Vec<ExpressionId>> {
        let term = self.term(condition, context)?;
        let mut conditions = Vec::new();
        for item in term.items() {
            match item {
                Term::Scalar(Type::Boolean, id) => conditions.push(*id),
                other => {
                    return wrong(
                        Code::E0303,
                        format!("a condition must be Boolean, but this is {}", describe(other)),
                        condition.span,
                    );
                }
            }
        }
        Ok(conditions)
    }

    fn add_actions(
        &mut self,
        body: &[ast::Equation],
        guard: ExpressionId,
        actions: &mut Vec<WhenAction>,
        context: &mut Context,
    ) {
        for equation in body {
            match self.add_action(equation, guard, actions, context) {
                Ok(()) => self.add_asserting_actions(guard, actions),
                Err(failure) => {
                    self.execution.assertions.clear();
                    self.report(failure);
                }
            }
        }
    }

    /// The assertions of what was translated, checked where the clause fires.
    pub(crate) fn add_asserting_actions(&mut self, guard: ExpressionId, actions: &mut Vec<WhenAction>) {
        for assertion in std::mem::take(&mut self.execution.assertions) {
            let guard = self.model.expressions.and(guard, assertion.guard);
            let span = assertion.span;
            actions.push(WhenAction { guard, kind: WhenActionKind::Assert(assertion), span });
        }
    }

    fn add_action(
        &mut self,
        equation: &ast::Equation,
        guard: ExpressionId,
        actions: &mut Vec<WhenAction>,
        context: &mut Context,
    ) -> Outcome<()> {
        let span = equation.span;
        match &equation.kind {
            ast::EquationKind::Equal(left, right) => {
                let inside = self.part_assigned(left, context)?;
                for (_, sides) in self.sides(left, right, context)? {
                    if let (Some(class), Node::Variable(variable, 0)) =
                        (inside, self.model.expressions.node(sides.left))
                    {
                        self.connections.checked.assigned_inside.push((variable, class, left.span));
                    }
                    actions.push(WhenAction { guard, kind: WhenActionKind::Law(sides.left, sides.right), span });
                }
                Ok(())
            }
            ast::EquationKind::If { branches, otherwise } => {
                let mut open = guard;
                for (condition, body) in branches {
                    match self.decided(condition, context)? {
                        Decision::Known(false) => {}
                        Decision::Known(true) => {
                            self.add_actions(body, open, actions, context);
                            return Ok(());
                        }
                        Decision::Open(id) => {
                            let inner = self.model.expressions.and(open, id);
                            self.add_actions(body, inner, actions, context);
                            let not = self.model.expressions.not(id);
                            open = self.model.expressions.and(open, not);
                        }
                    }
                }
                self.add_actions(otherwise, open, actions, context);
                Ok(())
            }
            ast::EquationKind::For { indices, body } => self.loop_actions(indices, body, guard, actions, context),
            ast::EquationKind::Call(call) => {
                let kind = self.call_action(call, context)?;
                actions.extend(kind.map(|kind| WhenAction { guard, kind, span }));
                Ok(())
            }
            ast::EquationKind::When(_) => wrong(Code::E0403, "`when` cannot stand inside `when`", span),
            ast::EquationKind::Connect(..) => wrong(Code::E0402, "`connect` cannot stand inside `when`", span),
            ast::EquationKind::Invariant(_) => unsupported("`invariant` inside `when`", span),
        }
    }

    fn loop_actions(
        &mut self,
        indices: &[ast::ForIndex],
        body: &[ast::Equation],
        guard: ExpressionId,
        actions: &mut Vec<WhenAction>,
        context: &mut Context,
    ) -> Outcome<()> {
        let Some((index, rest)) = indices.split_first() else {
            self.add_actions(body, guard, actions, context);
            return Ok(());
        };
        for value in self.iterations(index, context)? {
            context.locals.push((index.name.name.clone(), value));
            let added = self.loop_actions(rest, body, guard, actions, context);
            context.locals.pop();
            added?;
        }
        Ok(())
    }

    /// `reinit`, `assert` or `terminate`; nothing where the call is left out.
    pub(crate) fn call_action(&mut self, call: &Expression, context: &mut Context) -> Outcome<Option<WhenActionKind>> {
        let ExpressionKind::Call { function, arguments, named } = &call.kind else {
            return unsupported("this expression as an equation", call.span);
        };
        let name = crate::classes::lookup::reference_text(function);
        match (&*name, arguments.as_slice()) {
            ("assert", _) => Ok(Some(WhenActionKind::Assert(self.assertion(arguments, named, call.span, context)?))),
            ("terminate", [message]) => Ok(Some(WhenActionKind::Terminate(self.message(message, context)?))),
            ("reinit", [state, value]) => {
                let state_term = self.term(state, context)?;
                let value = self.term(value, context)?;
                let (Term::Scalar(Type::Real, id), Term::Scalar(Type::Real | Type::Integer, value)) =
                    (state_term, value)
                else {
                    return wrong(Code::E0303, "`reinit` needs a Real variable and a number", call.span);
                };
                match self.model.expressions.node(id) {
                    Node::Variable(variable, 0) => Ok(Some(WhenActionKind::Reinit(variable, value))),
                    _ => wrong(Code::E0403, "the first argument of `reinit` must be a variable", state.span),
                }
            }
            ("reinit" | "terminate", _) => {
                wrong(Code::E0307, format!("`{name}` does not take these arguments"), call.span)
            }
            _ if self.is_left_out(function, call.span, context)? => Ok(None),
            _ => unsupported(format!("a call of `{name}` in `when`"), call.span),
        }
    }

    /// A variable that a `when` assigns is discrete, unless it occurs under `der`: then the equation in the `when`
    /// is a restart law (E22 §8.4).
    pub(crate) fn settle_discrete_variables(&mut self) {
        let mut differentiated = vec![false; self.model.variables.len()];
        let roots: Vec<ExpressionId> = self.continuous_roots();
        let mut seen = vec![false; self.model.expressions.len()];
        for root in roots {
            self.model.expressions.for_each(root, |id, node| {
                if let Node::Variable(variable, 1..) = node {
                    differentiated[variable.0 as usize] = true;
                }
                !std::mem::replace(&mut seen[modeshift_dae::Id::index(id)], true)
            });
        }
        let FlatModel { when_clauses, variables, expressions, .. } = &mut self.model;
        for action in
            when_clauses.iter_mut().flat_map(|clause| &mut clause.branches).flat_map(|branch| &mut branch.actions)
        {
            if let WhenActionKind::Law(left, right) = action.kind
                && let Node::Variable(variable, 0) = expressions.node(left)
                && !differentiated[variable.0 as usize]
            {
                action.kind = WhenActionKind::Assign(variable, right);
                if variables[variable].variability == Variability::Continuous {
                    variables[variable].variability = Variability::Discrete;
                }
            }
        }
        self.check_assigned_once();
        self.check_assigned_inside(&differentiated);
        self.settle_equation_kinds();
        self.check_discrete_equations();
    }

    /// What is declared `discrete` changes at events only: an equation outside `when` cannot make it follow what does not (4.5).
    fn check_discrete_equations(&mut self) {
        let FlatModel { equations, variables, expressions, when_clauses, .. } = &self.model;
        let actions = when_clauses.iter().flat_map(|clause| &clause.branches).flat_map(|branch| &branch.actions);
        let assigned: FxHashSet<VariableId> = actions
            .filter_map(|action| match action.kind {
                WhenActionKind::Assign(variable, _) => Some(variable),
                _ => None,
            })
            .collect();
        let mut found = Vec::new();
        for equation in equations.iter().filter(|equation| equation.kind == EquationKind::Discrete) {
            let Node::Variable(defined, 0) = expressions.node(equation.left) else { continue };
            let is_alias = matches!(expressions.node(equation.right), Node::Variable(..));
            if variables[defined].ty != Type::Real || is_alias {
                continue;
            }
            let mut followed = None;
            expressions.for_each(equation.right, |_, node| {
                match node {
                    Node::Variable(it, _) if variables[it].variability == Variability::Continuous => {
                        followed = followed.take().or(Some(format!("`{}`", variables[it].name)));
                    }
                    Node::Time => followed = followed.take().or(Some("`time`".to_string())),
                    _ => {}
                }
                followed.is_none() && !is_piecewise_constant(node)
            });
            if let Some(followed) = followed {
                found.push((defined, equation.span, followed, assigned.contains(&defined)));
            }
        }
        for (defined, span, followed, is_assigned) in found {
            let variable = &self.model.variables[defined];
            let (why, help) = match is_assigned {
                true => (
                    "is assigned in a `when`",
                    "let one of them say what it is: remove this equation, or the one in the `when`",
                ),
                false => ("is discrete", "remove `discrete` from the declaration, or put the equation into a `when`"),
            };
            let message = format!("`{}` {why}, but this equation makes it follow {followed}", variable.name);
            let diagnostic = Diagnostic::error(Code::E0237, message).label(span, "changes at all times");
            let diagnostic = diagnostic.label(variable.span, "declared here");
            self.say(diagnostic.help(help));
        }
    }

    /// An equation that defines a discrete Real is not part of the continuous system.
    fn settle_equation_kinds(&mut self) {
        let FlatModel { equations, variables, expressions, .. } = &mut self.model;
        for equation in equations.iter_mut() {
            if let Node::Variable(variable, 0) = expressions.node(equation.left)
                && variables[variable].variability == Variability::Discrete
            {
                equation.kind = EquationKind::Discrete;
            }
        }
    }

    fn continuous_roots(&self) -> Vec<ExpressionId> {
        let equations = self.model.equations.iter().flat_map(|equation| [equation.left, equation.right]);
        let reinits =
            self.model.when_clauses.iter().flat_map(|clause| &clause.branches).flat_map(|branch| &branch.actions);
        let laws = reinits.filter_map(|action| match action.kind {
            WhenActionKind::Law(left, _) => Some(left),
            _ => None,
        });
        equations.chain(laws).collect()
    }
}

/// Whether the value changes at events only, whatever is inside.
fn is_piecewise_constant(node: Node) -> bool {
    use Builtin::{Ceil, Change, Div, Edge, Floor, Initial, Integer, Sample, Sign};
    match node {
        Node::Relation(..) | Node::Pre(_) => true,
        Node::Call(builtin, _) => {
            matches!(builtin, Ceil | Change | Div | Edge | Floor | Initial | Integer | Sample | Sign)
        }
        _ => false,
    }
}

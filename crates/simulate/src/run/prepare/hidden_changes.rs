//! Booleans and Integers whose changes are hidden: `b = noEvent(x > 1)`, `b = f(x)` with a function that compares.
//!
//! Between events such a variable is constant, whatever the expression does, so what it is defined to be must make an event where it
//! changes. Relations do so where nothing hides them; the truth of a call that is not written out is watched as the sign of a
//! number, `(if f(x) then 1 else -1) > 0`. An Integer that a call gives has no such sign, and is refused.
//!
//! `(if x > 1 then 3 else 4) > 3` hides a change too: its sides differ by 1 or by 0, and what comes to rest at 0 crosses nothing. It is
//! asked branch by branch.

use modeshift_dae::{
    Builtin, ExpressionId, FlatModel, Id, MultimodeDae, Node, RelationOperator, Rewritten, Type, VariableId,
};
use modeshift_diagnostics::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use crate::run::prepare::variability::Contents;
use crate::run::prepare::when_equations::Definitions;

/// Conditions are looked through so deep: nobody writes more, and a chain of a thousand elements hides nothing as a rule.
const DEEPEST: usize = 500;

/// Lets all definitions of Booleans and Integers by equations, and all conditions of `if` and `when`, make events; which Integers cannot.
pub(crate) fn make_events(dae: &mut MultimodeDae, definitions: &mut Definitions, inputs_move: bool) -> Vec<Diagnostic> {
    let MultimodeDae { model, mode_variables, .. } = dae;
    let is_choice = |id: ExpressionId| matches!(model.expressions.node(id), Node::If(..));
    let hides = |node: Node| match node {
        Node::Call(Builtin::NoEvent, _) | Node::Function(..) => true,
        Node::Relation(_, a, b) => is_choice(a) || is_choice(b),
        _ => false,
    };
    let mut nodes = (0..model.expressions.len()).map(|index| model.expressions.node(ExpressionId::from_index(index)));
    if !nodes.any(hides) {
        return Vec::new();
    }
    let known = FxHashMap::default();
    let contents = Contents::of(model, inputs_move);
    let mut revealing = Revealing { contents, model, known, depth: 0, problems: Vec::new() };
    for id in definitions.ids() {
        let declared = &revealing.model.variables[id];
        let (ty, span) = (declared.ty, declared.span);
        if let Some(definition) = definitions[id].filter(|_| matches!(ty, Type::Boolean | Type::Integer)) {
            definitions[id] = Some(revealing.revealed(definition, (id, ty, span)));
        }
    }
    for mode in mode_variables.iter_mut().filter(|mode| mode.variable.is_none()) {
        mode.definition = mode.definition.map(|definition| revealing.condition(definition, mode.span));
    }
    let mut clauses = std::mem::take(&mut revealing.model.when_clauses);
    for branch in clauses.iter_mut().flat_map(|clause| &mut clause.branches) {
        for condition in &mut branch.conditions {
            *condition = revealing.without_no_event(*condition);
            *condition = revealing.condition(*condition, branch.span);
        }
    }
    revealing.model.when_clauses = clauses;
    revealing.problems
}

struct Revealing<'m> {
    contents: Contents,
    model: &'m mut FlatModel,
    /// What conditions have become.
    known: FxHashMap<ExpressionId, ExpressionId>,
    /// How deep inside a condition this is.
    depth: usize,
    problems: Vec<Diagnostic>,
}

impl Revealing<'_> {
    fn revealed(&mut self, definition: ExpressionId, (id, ty, span): (VariableId, Type, Span)) -> ExpressionId {
        let definition = self.without_no_event(definition);
        if ty == Type::Boolean {
            return self.condition(definition, span);
        }
        if self.gives_number(definition) {
            let name = &self.model.variables[id].name;
            let message = format!("`{name}` makes no events: a function hides when it changes");
            let help = "write what the function compares in the equation itself, or assign the value in a `when`";
            self.problems.push(Diagnostic::error("E0403", message).label(span, "an Integer").help(help));
        }
        definition
    }

    /// Relations stand as they are written: those inside the sides of others are never asked by themselves.
    fn without_no_event(&mut self, root: ExpressionId) -> ExpressionId {
        let hides = |node| matches!(node, Node::Call(Builtin::NoEvent, _));
        if !self.model.expressions.contains(root, hides) {
            return root;
        }
        let revealed =
            self.model.expressions.rewrite(root, &mut Rewritten::new(), |expressions, id| match expressions.node(id) {
                Node::Call(Builtin::NoEvent, arguments) => expressions.argument_list(arguments)[0],
                _ => id,
            });
        self.contents.extend(self.model);
        revealed
    }

    /// A condition with the truths of calls as relations.
    fn condition(&mut self, root: ExpressionId, span: Span) -> ExpressionId {
        self.depth = 0;
        let found = self.problems.len();
        let condition = self.truth(root);
        for problem in &mut self.problems[found..] {
            *problem = problem.clone().label(span, "in here");
        }
        condition
    }

    fn truth(&mut self, id: ExpressionId) -> ExpressionId {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        if self.depth == DEEPEST {
            if self.gives_number(id) {
                let message = "a function hides a change too deep inside a condition";
                self.problems.push(Diagnostic::error("E0403", message).help("give a part of the condition a name"));
            }
            return id;
        }
        self.depth += 1;
        let found = self.looked_through(id);
        self.depth -= 1;
        self.known.insert(id, found);
        found
    }

    fn looked_through(&mut self, id: ExpressionId) -> ExpressionId {
        match self.model.expressions.node(id) {
            Node::Not(a) => {
                let a = self.truth(a);
                self.model.expressions.not(a)
            }
            Node::And(a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                self.model.expressions.and(a, b)
            }
            Node::Or(a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                self.model.expressions.or(a, b)
            }
            Node::If(condition, a, b) => {
                let (condition, a, b) = (self.truth(condition), self.truth(a), self.truth(b));
                self.model.expressions.if_then_else(condition, a, b)
            }
            Node::Relation(operator, a, b) if self.contents.get(id).changes_continuously() => {
                let branches = self.branches(a).map(|it| (it, true)).or_else(|| Some((self.branches(b)?, false)));
                let Some(((condition, yes, no), is_left)) = branches else { return id };
                let expressions = &mut self.model.expressions;
                let mut relation = |branch| match is_left {
                    true => expressions.relation(operator, branch, b),
                    false => expressions.relation(operator, a, branch),
                };
                let (yes, no) = (relation(yes), relation(no));
                self.contents.extend(self.model);
                let (condition, yes, no) = (self.truth(condition), self.truth(yes), self.truth(no));
                self.model.expressions.if_then_else(condition, yes, no)
            }
            Node::Function(..) | Node::Output(..) if self.contents.get(id).changes_continuously() => {
                let expressions = &mut self.model.expressions;
                let (yes, no, zero) = (expressions.integer(1), expressions.integer(-1), expressions.integer(0));
                let sign = expressions.if_then_else(id, yes, no);
                let watched = expressions.relation(RelationOperator::Greater, sign, zero);
                self.contents.extend(self.model);
                watched
            }
            _ => id,
        }
    }

    /// The branches of a choice, one of which at least does not change between events.
    fn branches(&self, id: ExpressionId) -> Option<(ExpressionId, ExpressionId, ExpressionId)> {
        let Node::If(condition, yes, no) = self.model.expressions.node(id) else { return None };
        let is_still = |branch: ExpressionId| !self.contents.get(branch).changes_continuously();
        (self.contents.get(condition).changes_continuously() && (is_still(yes) || is_still(no)))
            .then_some((condition, yes, no))
    }

    /// Whether a call gives a number that changes between events.
    fn gives_number(&self, root: ExpressionId) -> bool {
        let mut gives = false;
        self.model.expressions.for_each(root, |id, node| {
            gives |= matches!(node, Node::Function(..)) && self.contents.get(id).changes_continuously();
            !matches!(node, Node::Pre(_) | Node::Relation(..))
        });
        gives
    }
}

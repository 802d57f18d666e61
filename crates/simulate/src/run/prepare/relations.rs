//! Conditions as a run evaluates them: relations that change continuously become *atoms* with a truth of their own.
//!
//! A relation such as `x > 0` keeps its truth between events, whatever rounding says; the run watches `x - 0` and
//! changes the truth at the event. In definitions of mode variables and discrete variables, in conditions of `when` and
//! wherever else something is decided at events, an atom stands in place of the relation, and discrete variables are
//! replaced by their definitions. What is left depends on atoms, left limits and what `when` clauses assign: evaluating
//! it once gives all modes and discrete values.
//!
//! Relations inside `noEvent` and relations between discrete values are evaluated as they stand.

use modeshift_dae::{
    Builtin, ExpressionId, FlatModel, IndexVec, ModeVariable, ModeVariableId, Node, RelationOperator, Type, VariableId,
};
use modeshift_diagnostics::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::run::prepare::event_functions::auxiliary;
use crate::run::prepare::variability::Contents;

/// A relation with a truth of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Atom {
    /// The discrete variable that stands for its truth.
    pub variable: VariableId,
    /// The relation as it was written.
    pub relation: ExpressionId,
    pub operator: RelationOperator,
    /// Its sides.
    pub sides: [ExpressionId; 2],
    /// The same without left limits: what is watched between events.
    pub watched: [ExpressionId; 2],
    pub moment: Moment,
    /// Where it was first used.
    pub span: Span,
}

impl Atom {
    /// Whether the relation holds above zero; otherwise it holds below.
    pub fn holds_above(&self) -> bool {
        matches!(self.operator, RelationOperator::Greater | RelationOperator::GreaterEqual)
    }

    /// Whether the relation holds at zero.
    pub fn holds_at_zero(&self) -> bool {
        self.operator.holds(0.0, 0.0)
    }

    /// The side of zero that belongs to a truth: 1 or -1.
    pub fn side(&self, truth: bool) -> f64 {
        if self.holds_above() == truth { 1.0 } else { -1.0 }
    }
}

/// When the values that decide an atom are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// It depends on time and discrete values alone.
    Time,
    /// At least one continuous variable is taken at the current instant: an atom of next-mode selection.
    Now,
    /// Continuous variables enter by their left limits only.
    Before,
}

/// Whether relations are atoms, and on which side of the instant an expression is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Context {
    literal: bool,
    before: bool,
}

impl Context {
    /// Relations are atoms; at the current instant.
    pub const EVENT: Context = Context { literal: false, before: false };
    /// Relations are evaluated as they stand.
    pub const LITERAL: Context = Context { literal: true, before: false };
}

/// Replaces relations by atoms and discrete variables by their definitions.
pub(crate) struct Conditions<'a> {
    pub model: &'a mut FlatModel,
    pub contents: Contents,
    /// What discrete variables are defined to be.
    pub definitions: IndexVec<VariableId, Option<ExpressionId>>,
    /// What stands for each mode variable: the Boolean, or the definition of one that is a relation.
    modes: IndexVec<ModeVariableId, Option<ExpressionId>>,
    pub atoms: Vec<Atom>,
    known: FxHashMap<ExpressionId, usize>,
    memo: FxHashMap<(ExpressionId, Context), ExpressionId>,
    open: FxHashSet<(ExpressionId, Context)>,
    /// Definitions that lead back to themselves.
    pub problems: Vec<Diagnostic>,
}

impl<'a> Conditions<'a> {
    pub fn new(
        model: &'a mut FlatModel,
        modes: &IndexVec<ModeVariableId, ModeVariable>,
        definitions: IndexVec<VariableId, Option<ExpressionId>>,
    ) -> Self {
        let leaf = |mode: &ModeVariable| match mode.variable {
            Some(variable) => Some(model.expressions.variable(variable, 0)),
            None => mode.definition,
        };
        let modes = modes.iter().map(leaf).collect();
        Conditions {
            contents: Contents::of(model),
            model,
            definitions,
            modes,
            atoms: Vec::new(),
            known: FxHashMap::default(),
            memo: FxHashMap::default(),
            open: FxHashSet::default(),
            problems: Vec::new(),
        }
    }

    /// What a run evaluates in place of an expression.
    pub fn rewritten(&mut self, root: ExpressionId, context: Context, span: Span) -> ExpressionId {
        let mut pending = vec![(root, context, false)];
        while let Some((id, context, parts_done)) = pending.pop() {
            if self.memo.contains_key(&(id, context)) {
                continue;
            }
            if parts_done {
                self.open.remove(&(id, context));
                let result = self.close(id, context, span);
                self.memo.insert((id, context), result);
                continue;
            }
            if !self.open.insert((id, context)) {
                self.report_cycle(id, span);
                self.open.remove(&(id, context));
                self.memo.insert((id, context), id);
                continue;
            }
            pending.push((id, context, true));
            pending.extend(self.parts(id, context).into_iter().map(|(part, context)| (part, context, false)));
        }
        self.memo[&(root, context)]
    }

    /// What stands in place of a leaf, if anything does.
    fn replacement(&self, id: ExpressionId, context: Context) -> Option<ExpressionId> {
        match self.model.expressions.node(id) {
            Node::Variable(variable, 0) if !context.before => self.definitions.get(variable).copied().flatten(),
            Node::Mode(mode) => self.modes[mode],
            _ => None,
        }
    }

    fn parts(&self, id: ExpressionId, context: Context) -> Vec<(ExpressionId, Context)> {
        let expressions = &self.model.expressions;
        let with = |list: &[ExpressionId], context: Context| list.iter().map(|&part| (part, context)).collect();
        if let Some(replacement) = self.replacement(id, context) {
            return with(&[replacement], Context { literal: false, ..context });
        }
        match expressions.node(id) {
            Node::Relation(..) if self.is_atom(id, context) => Vec::new(),
            Node::Pre(a) => with(&[a], Context { before: true, ..context }),
            Node::Call(Builtin::NoEvent, arguments) => {
                with(expressions.argument_list(arguments), Context { literal: true, ..context })
            }
            Node::Call(Builtin::Edge | Builtin::Change, arguments) => {
                let a = expressions.argument_list(arguments)[0];
                vec![(a, context), (a, Context { before: true, ..context })]
            }
            Node::Call(Builtin::Sample | Builtin::Delay | Builtin::DelayMax, _) => Vec::new(),
            _ => expressions.children(id).map(|child| (child, context)).collect(),
        }
    }

    fn close(&mut self, id: ExpressionId, context: Context, span: Span) -> ExpressionId {
        if let Some(replacement) = self.replacement(id, context) {
            return self.memo[&(replacement, Context { literal: false, ..context })];
        }
        let before = Context { before: true, ..context };
        match self.model.expressions.node(id) {
            Node::Relation(operator, a, b) if self.is_atom(id, context) => {
                let atom = self.atom(id, operator, a, b, span);
                self.model.expressions.variable(self.atoms[atom].variable, 0)
            }
            Node::Pre(a) => {
                let inner = self.memo[&(a, before)];
                self.model.expressions.pre(inner)
            }
            Node::Call(Builtin::NoEvent, arguments) => {
                let inner = self.model.expressions.argument_list(arguments)[0];
                self.memo[&(inner, Context { literal: true, ..context })]
            }
            Node::Call(builtin @ (Builtin::Edge | Builtin::Change), arguments) => {
                let a = self.model.expressions.argument_list(arguments)[0];
                let (now, earlier) = (self.memo[&(a, context)], self.memo[&(a, before)]);
                self.flank(builtin, now, earlier)
            }
            Node::Call(Builtin::Sample | Builtin::Delay | Builtin::DelayMax, _) => id,
            _ => self.model.expressions.map_children(id, |_, child| self.memo[&(child, context)]),
        }
    }

    fn flank(&mut self, builtin: Builtin, now: ExpressionId, earlier: ExpressionId) -> ExpressionId {
        let expressions = &mut self.model.expressions;
        let earlier = expressions.pre(earlier);
        if builtin == Builtin::Change {
            return expressions.relation(RelationOperator::NotEqual, now, earlier);
        }
        let not_before = expressions.not(earlier);
        expressions.and(now, not_before)
    }

    fn is_atom(&self, id: ExpressionId, context: Context) -> bool {
        use RelationOperator::{Greater, GreaterEqual, Less, LessEqual};
        let ordered =
            matches!(self.model.expressions.node(id), Node::Relation(Less | LessEqual | Greater | GreaterEqual, ..));
        let content = self.contents.get(id);
        !context.literal && ordered && content.changes_continuously() && !content.text
    }

    fn atom(
        &mut self,
        relation: ExpressionId,
        operator: RelationOperator,
        a: ExpressionId,
        b: ExpressionId,
        span: Span,
    ) -> usize {
        if let Some(&known) = self.known.get(&relation) {
            return known;
        }
        let content = self.contents.get(relation);
        let moment = match content {
            _ if content.now => Moment::Now,
            _ if content.before => Moment::Before,
            _ => Moment::Time,
        };
        let declared = auxiliary(self.model, format!("$atom{}", self.atoms.len()), Type::Boolean);
        let variable = self.model.variables.push(declared);
        let watched = [a, b].map(|side| without_left_limits(self.model, side));
        self.contents.extend(self.model);
        self.atoms.push(Atom { variable, relation, operator, sides: [a, b], watched, moment, span });
        self.known.insert(relation, self.atoms.len() - 1);
        self.atoms.len() - 1
    }

    fn report_cycle(&mut self, id: ExpressionId, span: Span) {
        let text = modeshift_dae::ExpressionText { model: self.model, modes: None, expression: id };
        let message = format!("the value of `{text}` at an event depends on itself");
        let problem = Diagnostic::error("E0811", message).label(span, "evaluated here");
        self.problems.push(problem.help("break the cycle with `pre(…)`"));
    }
}

/// The expression with every left limit replaced by the value itself: between events they are the same.
fn without_left_limits(model: &mut FlatModel, root: ExpressionId) -> ExpressionId {
    model.expressions.rewrite(root, &mut modeshift_dae::Rewritten::new(), |expressions, id| {
        match expressions.node(id) {
            Node::Pre(inner) => inner,
            _ => id,
        }
    })
}

//! Conditions as a run evaluates them: relations that change continuously become *atoms* with a truth of their own.
//!
//! A relation such as `x > 0` keeps its truth between events, whatever rounding says; the run watches `x - 0` and
//! changes the truth at the event. In definitions of mode variables and discrete variables, in conditions of `when` and
//! wherever else something is decided at events, an atom stands in place of the relation, and discrete variables are
//! replaced by their definitions. What is left depends on atoms, left limits and what `when` clauses assign: evaluating
//! it once gives all modes and discrete values.
//!
//! Relations inside `noEvent` and relations between discrete values are evaluated as they stand.

use std::convert::Infallible;

use modeshift_dae::{
    Builtin, Context, ExpressionId, Expressions, FlatModel, Fold, IndexVec, Memo, ModeVariable, ModeVariableId, Node,
    Operands, RelationId, RelationOperator, Type, VariableId,
};
use modeshift_diagnostics::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::run::prepare::event_functions::auxiliary;
use crate::run::prepare::variability::Contents;
use crate::run::prepare::when_equations::Definitions;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Moment {
    /// It depends on time and discrete values alone.
    Time,
    /// At least one continuous variable is taken at the current instant: an atom of next-mode selection.
    Now,
    /// Continuous variables enter by their left limits only.
    Before,
}

/// Replaces relations by atoms and discrete variables by their definitions.
pub(crate) struct Conditions<'a> {
    pub model: &'a mut FlatModel,
    pub contents: Contents,
    /// What discrete variables are defined to be.
    pub definitions: Definitions,
    /// What stands for each mode variable: the Boolean, or the definition of one that is a relation.
    modes: IndexVec<ModeVariableId, Option<ExpressionId>>,
    pub atoms: IndexVec<RelationId, Atom>,
    known: FxHashMap<ExpressionId, RelationId>,
    memo: Memo<Context, ExpressionId>,
    /// Leaves whose definitions are being put in, from the outside in.
    path: Vec<(ExpressionId, Context)>,
    /// Variables that `when` clauses assign.
    assigned: FxHashSet<VariableId>,
    /// Variables on a way that leads back to itself through a `when`: their values are iterated.
    pub iterated: FxHashSet<VariableId>,
    /// Definitions that lead back to themselves.
    pub problems: Vec<Diagnostic>,
    /// Where what is rewritten was written.
    span: Span,
}

impl<'a> Conditions<'a> {
    pub fn new(
        model: &'a mut FlatModel,
        modes: &IndexVec<ModeVariableId, ModeVariable>,
        definitions: Definitions,
        assigned: FxHashSet<VariableId>,
        inputs_move: bool,
    ) -> Self {
        let modes = modes.iter().map(|mode| match mode.variable {
            Some(variable) => Some(model.expressions.variable(variable, 0)),
            None => mode.definition,
        });
        let modes = modes.collect();
        Conditions {
            contents: Contents::of(model, inputs_move),
            model,
            definitions,
            modes,
            atoms: IndexVec::new(),
            known: FxHashMap::default(),
            memo: Memo::new(),
            path: Vec::new(),
            assigned,
            iterated: FxHashSet::default(),
            problems: Vec::new(),
            span: Span::default(),
        }
    }

    /// What a run evaluates in place of an expression; under [`Context::NO_EVENT`], its relations as they stand.
    pub fn rewritten(&mut self, root: ExpressionId, context: Context, span: Span) -> ExpressionId {
        self.span = span;
        let mut memo = std::mem::take(&mut self.memo);
        let Ok(result) = self.fold(&mut memo, root, context);
        self.memo = memo;
        result
    }

    /// What stands in place of a leaf, if anything does.
    fn replacement(&self, id: ExpressionId, context: Context) -> Option<ExpressionId> {
        match self.model.expressions.node(id) {
            Node::Variable(variable, 0) if !context.is(Context::LEFT_LIMIT) => {
                self.definitions.get(variable).copied().flatten()
            }
            Node::Mode(mode) => self.modes[mode],
            _ => None,
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
        !context.is(Context::NO_EVENT) && ordered && content.changes_continuously() && !content.text
    }

    fn atom(
        &mut self,
        relation: ExpressionId,
        operator: RelationOperator,
        a: ExpressionId,
        b: ExpressionId,
    ) -> RelationId {
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
        let atom = Atom { variable, relation, operator, sides: [a, b], watched, moment, span: self.span };
        let atom = self.atoms.push(atom);
        self.known.insert(relation, atom);
        atom
    }

    /// The definition of a leaf contains the leaf, which is the one of this number on the path: its value is iterated, if it is
    /// a `when` that leads back.
    fn lead_back(&mut self, id: ExpressionId, first: usize) {
        let variable = |id: ExpressionId| match self.model.expressions.node(id) {
            Node::Variable(variable, _) => Some(variable),
            _ => None,
        };
        let mut circle = self.path[first..].iter().filter_map(|&(id, _)| variable(id));
        match variable(id).filter(|_| circle.any(|variable| self.assigned.contains(&variable))) {
            Some(variable) => {
                self.iterated.insert(variable);
            }
            None => self.report_cycle(id),
        }
    }

    fn report_cycle(&mut self, id: ExpressionId) {
        let text = modeshift_dae::short_text(self.model, None, id);
        let message = format!("the value of `{text}` at an event depends on itself");
        let problem = Diagnostic::error("E0811", message).label(self.span, "evaluated here");
        self.problems.push(problem.help("break the cycle with `pre(…)`"));
    }
}

impl Fold for Conditions<'_> {
    type Context = Context;
    type Value = ExpressionId;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        &self.model.expressions
    }

    fn open(&mut self, id: ExpressionId, context: Context, operands: &mut Operands<Context>) -> Option<ExpressionId> {
        if let Some(replacement) = self.replacement(id, context) {
            if let Some(first) = self.path.iter().position(|&open| open == (id, context)) {
                self.lead_back(id, first);
                return Some(id);
            }
            self.path.push((id, context));
            operands.push(replacement, context.among(Context::LEFT_LIMIT));
            return None;
        }
        // On which side of the instant it is evaluated, and whether relations are atoms.
        let told = Context::LEFT_LIMIT | Context::NO_EVENT;
        match self.model.expressions.node(id) {
            Node::Relation(..) if self.is_atom(id, context) => {}
            Node::Call(Builtin::Sample | Builtin::Delay | Builtin::DelayMax, _) => {}
            _ => self.model.expressions.for_each_operand(id, context, |operand, context| {
                operands.push(operand, context.among(told));
            }),
        }
        None
    }

    fn branches(
        &mut self,
        _: [ExpressionId; 3],
        _: Context,
        _: &Memo<Context, ExpressionId>,
        _: &mut Operands<Context>,
    ) {
    }

    fn close(
        &mut self,
        id: ExpressionId,
        context: Context,
        known: &Memo<Context, ExpressionId>,
    ) -> Result<ExpressionId, Infallible> {
        if let Some(replacement) = self.replacement(id, context) {
            self.path.pop();
            return Ok(known.at(replacement, context.among(Context::LEFT_LIMIT)));
        }
        let before = context | Context::LEFT_LIMIT;
        Ok(match self.model.expressions.node(id) {
            Node::Relation(operator, a, b) if self.is_atom(id, context) => {
                let atom = self.atom(id, operator, a, b);
                self.model.expressions.variable(self.atoms[atom].variable, 0)
            }
            Node::Pre(a) => self.model.expressions.pre(known.at(a, before)),
            Node::Call(Builtin::NoEvent, arguments) => {
                known.at(self.model.expressions.argument_list(arguments)[0], context | Context::NO_EVENT)
            }
            Node::Call(builtin @ (Builtin::Edge | Builtin::Change), arguments) => {
                let a = self.model.expressions.argument_list(arguments)[0];
                self.flank(builtin, known.at(a, context), known.at(a, before))
            }
            Node::Call(Builtin::Sample | Builtin::Delay | Builtin::DelayMax, _) => id,
            _ => self.model.expressions.map_children(id, |_, child| known.at(child, context)),
        })
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

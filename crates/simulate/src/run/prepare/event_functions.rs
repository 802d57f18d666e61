//! Functions that jump by themselves: `floor`, `ceil`, `integer`, `div`, `mod`, `rem`.
//!
//! Between events their values stand still, and each jump is an event. So every such call whose argument changes
//! continuously is replaced by a discrete variable, a *stair*, that holds the step its argument is on. The run watches
//! both edges of the step: an argument that is affine in time gets there at a time that is known in advance.

use std::convert::Infallible;
use std::sync::Arc;

use modeshift_dae::{
    Builtin, Definition, ExpressionId, Expressions, FlatModel, Fold, MultimodeDae, Node, Operands, Rewritten, Type,
    Variability, Variable, VariableId, WhenActionKind,
};
use rustc_hash::FxHashMap;

use crate::run::prepare::variability::Contents;

/// How a number becomes a whole one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rounding {
    /// To the next whole number below.
    Down,
    /// To the next whole number toward zero.
    TowardZero,
}

impl Rounding {
    /// The step that a number is on.
    pub fn step(self, argument: f64) -> f64 {
        match self {
            Rounding::Down => argument.floor(),
            Rounding::TowardZero => argument.trunc(),
        }
    }

    /// Where a step begins and ends.
    pub fn edges(self, step: f64) -> (f64, f64) {
        match self {
            Rounding::TowardZero if step < 0.0 => (step - 1.0, step),
            Rounding::TowardZero if step == 0.0 => (-1.0, 1.0),
            _ => (step, step + 1.0),
        }
    }

    /// The step above or below.
    pub fn neighbour(self, step: f64, above: bool) -> f64 {
        if above { step + 1.0 } else { step - 1.0 }
    }
}

/// A stair: a discrete variable that stands for the whole part of an expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stair {
    pub variable: VariableId,
    /// The variable as an expression.
    pub step: ExpressionId,
    pub argument: ExpressionId,
    pub rounding: Rounding,
}

/// Replaces all such calls in the equations, conditions and `when` clauses of a model. Attributes, initial equations
/// and what is inside `noEvent` stay as they are.
pub(crate) fn replace_stairs(dae: &mut MultimodeDae, inputs_move: bool) -> Vec<Stair> {
    let contents = Contents::of(&dae.model, inputs_move);
    if !has_stairs(&dae.model, &contents) {
        return Vec::new();
    }
    let MultimodeDae { model, mode_variables, discrete, .. } = dae;
    let (known, memo) = (FxHashMap::default(), Rewritten::new());
    let mut builder = Builder { model, contents, known, memo, stairs: Vec::new() };
    for id in builder.model.equations.ids() {
        let (left, right) = (builder.model.equations[id].left, builder.model.equations[id].right);
        let (left, right) = (builder.replaced(left), builder.replaced(right));
        (builder.model.equations[id].left, builder.model.equations[id].right) = (left, right);
    }
    for definition in discrete.definitions.iter_mut().flatten() {
        if let Definition::Equation { value, in_all_modes, .. } = definition {
            *value = builder.replaced(*value);
            *in_all_modes = builder.replaced(*in_all_modes);
        }
    }
    for mode in mode_variables.iter_mut() {
        mode.definition = mode.definition.map(|definition| builder.replaced(definition));
    }
    builder.when_clauses();
    builder.stairs
}

fn is_stair(builtin: Builtin) -> bool {
    use Builtin::*;
    matches!(builtin, Floor | Ceil | Integer | Div | Mod | Rem)
}

fn has_stairs(model: &FlatModel, contents: &Contents) -> bool {
    (0..model.expressions.len()).map(<ExpressionId as modeshift_dae::Id>::from_index).any(|id| {
        matches!(model.expressions.node(id), Node::Call(builtin, _) if is_stair(builtin))
            && contents.get(id).changes_continuously()
    })
}

struct Builder<'a> {
    model: &'a mut FlatModel,
    contents: Contents,
    known: FxHashMap<(ExpressionId, Rounding), VariableId>,
    memo: Rewritten,
    stairs: Vec<Stair>,
}

impl Builder<'_> {
    fn when_clauses(&mut self) {
        let mut clauses = std::mem::take(&mut self.model.when_clauses);
        for branch in clauses.iter_mut().flat_map(|clause| &mut clause.branches) {
            branch.conditions.iter_mut().for_each(|condition| *condition = self.replaced(*condition));
            for action in &mut branch.actions {
                action.guard = self.replaced(action.guard);
                match &mut action.kind {
                    WhenActionKind::Assign(_, value) | WhenActionKind::Reinit(_, value) => {
                        *value = self.replaced(*value);
                    }
                    WhenActionKind::Law(left, right) => {
                        (*left, *right) = (self.replaced(*left), self.replaced(*right));
                    }
                    WhenActionKind::Assert(_) | WhenActionKind::Terminate(_) => {}
                }
            }
        }
        self.model.when_clauses = clauses;
    }

    /// The expression with stairs in it.
    fn replaced(&mut self, root: ExpressionId) -> ExpressionId {
        let mut memo = std::mem::take(&mut self.memo);
        let Ok(result) = self.fold(&mut memo, root, ());
        self.memo = memo;
        result
    }

    /// Whether anything in an expression changes between events; what stairs have taken the place of does not.
    fn moves_between_events(&self, id: ExpressionId) -> bool {
        self.model.expressions.contains(id, |node| match node {
            Node::Time | Node::Mode(_) => true,
            Node::Variable(variable, _) => {
                let declared = &self.model.variables[variable];
                declared.is_continuous_unknown() || self.contents.moves(declared)
            }
            _ => false,
        })
    }

    /// The call in terms of stairs: `mod(a, b) = a - b*floor(a/b)`, and so on.
    fn stair_call(&mut self, builtin: Builtin, arguments: &[ExpressionId]) -> ExpressionId {
        let a = arguments[0];
        match builtin {
            Builtin::Ceil => {
                let negative = self.model.expressions.negate(a);
                let below = self.stair(negative, Rounding::Down);
                self.model.expressions.negate(below)
            }
            Builtin::Div | Builtin::Mod | Builtin::Rem => {
                let rounding = if builtin == Builtin::Mod { Rounding::Down } else { Rounding::TowardZero };
                let quotient = self.model.expressions.quotient(a, arguments[1]);
                let whole = self.stair(quotient, rounding);
                if builtin == Builtin::Div {
                    return whole;
                }
                let multiple = self.model.expressions.product(arguments[1], whole);
                self.model.expressions.difference(a, multiple)
            }
            _ => self.stair(a, Rounding::Down),
        }
    }

    fn stair(&mut self, argument: ExpressionId, rounding: Rounding) -> ExpressionId {
        let Builder { model, known, stairs, .. } = self;
        let variable = *known.entry((argument, rounding)).or_insert_with(|| {
            let text = modeshift_dae::short_text(model, None, argument);
            let mut name = format!("{}({text})", if rounding == Rounding::Down { "floor" } else { "trunc" });
            if text.contains('…') {
                name.push_str(&format!(" [{}]", stairs.len() + 1));
            }
            let declared = auxiliary(model, name, Type::Integer);
            let variable = model.variables.push(declared);
            let step = model.expressions.variable(variable, 0);
            stairs.push(Stair { variable, step, argument, rounding });
            variable
        });
        model.expressions.variable(variable, 0)
    }
}

impl Fold for Builder<'_> {
    type Context = ();
    type Value = ExpressionId;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        &self.model.expressions
    }

    fn open(&mut self, id: ExpressionId, (): (), operands: &mut Operands<()>) -> Option<ExpressionId> {
        if matches!(self.model.expressions.node(id), Node::Call(Builtin::NoEvent, _)) {
            return Some(id);
        }
        operands.extend(self.model.expressions.children(id), ());
        None
    }

    fn branches(&mut self, _: [ExpressionId; 3], (): (), _: &Rewritten, _: &mut Operands<()>) {}

    fn close(&mut self, id: ExpressionId, (): (), known: &Rewritten) -> Result<ExpressionId, Infallible> {
        let rebuilt = self.model.expressions.map_children(id, |_, child| known[child]);
        let jumps = self.contents.get(id).changes_continuously() && self.moves_between_events(rebuilt);
        Ok(match self.model.expressions.node(rebuilt) {
            Node::Call(builtin, arguments) if is_stair(builtin) && jumps => {
                let arguments = self.model.expressions.argument_list(arguments).to_vec();
                self.stair_call(builtin, &arguments)
            }
            _ => rebuilt,
        })
    }
}

/// A discrete variable of the run's own, which no result shows.
pub(crate) fn auxiliary(model: &mut FlatModel, name: impl Into<Arc<str>>, ty: Type) -> Variable {
    let guard = model.expressions.boolean(true);
    Variable { protected: true, ..Variable::new(name, ty, Variability::Discrete, guard) }
}

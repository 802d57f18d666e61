//! Variables that are zero whatever the state, with the values of parameters: `Capcjc = Cjc*(1 - v/Phi)^(-M)` where `Cjc` is zero.
//!
//! The derivative that such a variable multiplies does not occur, as with a parameter that is zero itself; only an equation lies
//! between them, and its left side is a number of its own to the Σ-method. What has a value in some modes only is left as it is.

use modeshift_dae::{ArithmeticOperator as Op, Builtin, EquationId, ExpressionId, FlatModel, Node, VariableId};
use rustc_hash::FxHashMap;

/// Expressions of more parts than this are taken for what they are made of: nearly all that vanish do so by their first factor.
const MOST_PARTS: usize = 64;
/// So many equations may lie between a parameter and what it makes zero.
const MOST_EQUATIONS: usize = 8;

/// What is known of variables so far.
#[derive(Default)]
pub(crate) struct AlwaysZero {
    /// By variable: an equation that gives it a value in all modes, and that value.
    definitions: Option<FxHashMap<VariableId, ExpressionId>>,
    known: FxHashMap<VariableId, bool>,
}

impl AlwaysZero {
    /// Whether a variable is zero whatever the state.
    pub(crate) fn contains(
        &mut self,
        variable: VariableId,
        model: &FlatModel,
        value_of: &dyn Fn(VariableId) -> Option<f64>,
    ) -> bool {
        let definitions = self.definitions.get_or_insert_with(|| definitions(model));
        Search { model, value_of, definitions, known: &mut self.known }.is_zero(variable, MOST_EQUATIONS)
    }
}

/// The values that equations give to single variables, where they hold in all modes.
fn definitions(model: &FlatModel) -> FxHashMap<VariableId, ExpressionId> {
    let mut found = FxHashMap::default();
    let holds_always = |id: EquationId| model.expressions.literal_boolean(model.equations[id].guard) == Some(true);
    for id in model.equations.ids().filter(|&id| holds_always(id)) {
        let (left, right) = (model.equations[id].left, model.equations[id].right);
        for (variable, value) in [(left, right), (right, left)] {
            if let Node::Variable(variable, 0) = model.expressions.node(variable)
                && model.variables[variable].is_continuous_unknown()
            {
                found.entry(variable).or_insert(value);
                break;
            }
        }
    }
    found
}

struct Search<'a> {
    model: &'a FlatModel,
    value_of: &'a dyn Fn(VariableId) -> Option<f64>,
    definitions: &'a FxHashMap<VariableId, ExpressionId>,
    known: &'a mut FxHashMap<VariableId, bool>,
}

impl Search<'_> {
    fn is_zero(&mut self, variable: VariableId, equations_left: usize) -> bool {
        if let Some(&known) = self.known.get(&variable) {
            return known;
        }
        let Some(&value) = self.definitions.get(&variable).filter(|_| equations_left > 0) else { return false };
        // What depends on itself is not zero for that.
        self.known.insert(variable, false);
        let is_zero = self.value(value, equations_left - 1, &mut 0) == Some(0.0);
        self.known.insert(variable, is_zero);
        is_zero
    }

    /// The value of an expression whatever the state, if it has one. What multiplies zero is a number: a point at which it is none is
    /// no point of a run.
    fn value(&mut self, id: ExpressionId, equations_left: usize, parts: &mut usize) -> Option<f64> {
        *parts += 1;
        if *parts > MOST_PARTS {
            return None;
        }
        let (expressions, value_of) = (&self.model.expressions, self.value_of);
        let mut of = |id: ExpressionId| self.value(id, equations_left, parts);
        match expressions.node(id) {
            Node::Real(number) => Some(number.value()),
            Node::Integer(number) => Some(number as f64),
            Node::Variable(variable, 0) => {
                value_of(variable).or_else(|| self.is_zero(variable, equations_left).then_some(0.0))
            }
            Node::Negate(a) => of(a).map(|a| -a),
            Node::Arithmetic(operator, a, b) => match (operator, of(a)) {
                (Op::Multiply | Op::Divide, Some(0.0)) => Some(0.0),
                (Op::Multiply, left) => {
                    of(b).and_then(|right| if right == 0.0 { Some(0.0) } else { Some(left? * right) })
                }
                (Op::Add, left) => Some(left? + of(b)?),
                (Op::Subtract, left) => Some(left? - of(b)?),
                (Op::Divide, left) => Some(left? / of(b)?),
                (Op::Power, _) => None,
            },
            Node::If(_, a, b) => of(a).filter(|&a| of(b) == Some(a)),
            Node::Call(Builtin::NoEvent | Builtin::Smooth, arguments) => {
                expressions.argument_list(arguments).last().and_then(|&last| of(last))
            }
            _ => None,
        }
    }
}

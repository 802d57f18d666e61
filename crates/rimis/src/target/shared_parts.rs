//! Long expressions in parts: what they contain more than once gets a variable of its own.
//!
//! Expressions share their parts and text does not: `y := y*y + y`, a hundred times, is a hundred expressions and 2^100
//! letters. Where an expression is longer than anybody reads, parts that are written more than once become variables,
//! each with one equation that holds in all modes. Short expressions stay as they are.

use std::collections::BTreeSet;

use modeshift_dae::{
    ArithmeticOperator as Op, Builtin, Descent, ExpressionId, FlatModel, Memo, Node, Rewritten, Type, VariableId,
};

use crate::blocks::is_defined_everywhere;

use super::document::{Declarations, Document, Item, Section};
use super::model::Target;

/// Expressions of fewer operands and operators are written out: some pages, each of which a text editor still shows.
const LONG: u64 = 10_000;
/// Beyond this there is no text: tens of megabytes in one line, which no tool reads.
const TOO_LONG: u64 = 1_000_000;
/// Parts of fewer operands and operators are not worth a variable: its equation would be as long as what it saves.
const SMALLEST: u64 = 6;

/// Some expression is too long to be written, in parts too.
#[derive(Debug)]
pub(crate) struct TooLong;

/// Gives parts of long expressions variables of their own.
pub(crate) fn share_parts(document: &mut Document, target: &mut Target) -> Result<(), TooLong> {
    let mut sizes = Sizes(Memo::new());
    let roots = document.items().flat_map(Item::expressions);
    let long: BTreeSet<ExpressionId> = roots.filter(|&root| sizes.of(&target.model, root) > LONG).collect();
    if !long.is_empty() {
        let (variables, items, written) = equations(target, shared_parts(&target.model, &long, &mut sizes));
        rewrite(document, target, &long, written);
        document.declarations.push(Declarations { title: "Parts of long expressions", variables });
        document.sections.push(Section::new("Parts of long expressions", items));
    }
    let declared = document.declarations.iter().flat_map(|group| &group.variables);
    let values = declared.flat_map(|&id| [target.model.variables[id].binding, target.model.variables[id].start]);
    let mut all = document.items().flat_map(Item::expressions).chain(values.flatten());
    if all.any(|root| sizes.of(&target.model, root) > TOO_LONG) { Err(TooLong) } else { Ok(()) }
}

/// How many operands and operators are written for each expression.
struct Sizes(Memo<(), u64>);

impl Sizes {
    fn of(&mut self, model: &FlatModel, root: ExpressionId) -> u64 {
        let expressions = &model.expressions;
        expressions.fold_up(&mut self.0, root, |id, _, known| {
            expressions.children(id).fold(1, |sum: u64, child| sum.saturating_add(known[child]))
        })
    }
}

/// How an expression occurs in what contains it.
#[derive(Clone, Copy)]
struct Use {
    count: u32,
    /// Only in branches of if-expressions, which may keep it from being evaluated.
    conditional: bool,
}

impl Use {
    fn join(self, other: Use) -> Use {
        Use { count: self.count + other.count, conditional: self.conditional && other.conditional }
    }
}

/// The parts that are written more than once, operands before what is made of them.
fn shared_parts(model: &FlatModel, roots: &BTreeSet<ExpressionId>, sizes: &mut Sizes) -> Vec<ExpressionId> {
    let mut real = Memo::new();
    let mut found = Vec::new();
    let mut descent = Descent::new();
    roots.iter().for_each(|&root| descent.hand(root, Use { count: 1, conditional: false }, Use::join));
    while let Some((id, uses)) = descent.next() {
        let node = model.expressions.node(id);
        let may_be_moved = || !uses.conditional || is_defined_everywhere(model, id);
        if uses.count > 1 && is_real(model, &mut real, id) && sizes.of(model, id) >= SMALLEST && may_be_moved() {
            found.push(id);
        }
        if is_closed(node) {
            continue;
        }
        let operand = Use { count: 1, ..uses };
        match node {
            Node::If(condition, yes, no) => {
                descent.hand(condition, operand, Use::join);
                let branch = Use { count: 1, conditional: true };
                [yes, no].into_iter().for_each(|it| descent.hand(it, branch, Use::join));
            }
            _ => model.expressions.children(id).for_each(|child| descent.hand(child, operand, Use::join)),
        }
    }
    found.reverse();
    found
}

/// Whether what is inside has another meaning than outside: another time, or no events.
fn is_closed(node: Node) -> bool {
    use Builtin::{Change, Delay, DelayMax, Edge, Homotopy, NoEvent, Sample, Smooth};
    match node {
        Node::Pre(_) => true,
        Node::Call(builtin, _) => {
            matches!(builtin, Change | Delay | DelayMax | Edge | Homotopy | NoEvent | Sample | Smooth)
        }
        _ => false,
    }
}

/// Whether an expression is a Real: a variable for it has that type.
fn is_real(model: &FlatModel, known: &mut Memo<(), bool>, root: ExpressionId) -> bool {
    model.expressions.fold_up(known, root, |id, node, known| match node {
        Node::Real(_) | Node::Time | Node::Arithmetic(Op::Divide, ..) => true,
        Node::Variable(variable, _) => model.variables[variable].ty == Type::Real,
        Node::If(_, yes, no) => known[yes] || known[no],
        Node::Negate(_) | Node::Arithmetic(..) | Node::Pre(_) => model.expressions.children(id).any(|it| known[it]),
        Node::Call(Builtin::Integer | Builtin::Ordinal | Builtin::Edge | Builtin::Change | Builtin::StringOf, _) => {
            false
        }
        Node::Call(..) => model.expressions.children(id).any(|it| known[it]),
        _ => false,
    })
}

/// A variable for each part, its equation, and what stands for each part.
fn equations(target: &mut Target, parts: Vec<ExpressionId>) -> (Vec<VariableId>, Vec<Item>, Rewritten) {
    let mut written = Rewritten::new();
    let (mut variables, mut items) = (Vec::new(), Vec::new());
    for (at, part) in parts.into_iter().enumerate() {
        let value = with_parts(target, part, &mut written);
        let variable = target.real(&format!("part_{}", at + 1));
        let left = target.value(variable);
        written.insert(part, (), left);
        variables.push(variable);
        items.push(Item::Equation(left, value));
    }
    (variables, items, written)
}

fn with_parts(target: &mut Target, root: ExpressionId, written: &mut Rewritten) -> ExpressionId {
    target.expressions().rewrite_outside(root, written, is_closed, |_, id| id)
}

fn rewrite(document: &mut Document, target: &mut Target, long: &BTreeSet<ExpressionId>, mut written: Rewritten) {
    for expression in document.items_mut().flat_map(Item::expressions_mut) {
        if long.contains(expression) {
            *expression = with_parts(target, *expression, &mut written);
        }
    }
}

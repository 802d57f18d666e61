//! The fold over expressions: from the bottom up, one value for each different subexpression in each context.
//!
//! A [`Fold`] says in `open` which operands it needs, in `branches` which branches of an if-expression whose condition
//! is known, and in `close` what follows from their values. Whatever was folded is in a [`Memo`], for the next
//! expression too. Nothing recurses: sums of 10^5 terms are expressions.

use std::convert::Infallible;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::arena::{ExpressionId, Expressions, Node};
use super::walk::Context;

/// Values of subexpressions by context.
#[derive(Clone, Debug)]
pub struct Memo<C, V> {
    known: FxHashMap<(ExpressionId, C), V>,
}

impl<C, V> Default for Memo<C, V> {
    fn default() -> Self {
        Memo { known: FxHashMap::default() }
    }
}

impl<C: Copy + Eq + Hash, V: Copy> Memo<C, V> {
    /// Nothing is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value in a context, if it was folded.
    pub fn get(&self, id: ExpressionId, context: C) -> Option<V> {
        self.known.get(&(id, context)).copied()
    }

    /// The value of an operand that was asked for.
    pub fn at(&self, id: ExpressionId, context: C) -> V {
        self.known[&(id, context)]
    }

    /// From here on it has this value; returns the one it had.
    pub fn insert(&mut self, id: ExpressionId, context: C, value: V) -> Option<V> {
        self.known.insert((id, context), value)
    }

    /// Whether it was folded.
    pub fn contains(&self, id: ExpressionId, context: C) -> bool {
        self.known.contains_key(&(id, context))
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.known.clear();
    }
}

impl<V: Copy> std::ops::Index<ExpressionId> for Memo<(), V> {
    type Output = V;
    fn index(&self, id: ExpressionId) -> &V {
        &self.known[&(id, ())]
    }
}

/// What is to be done with a subexpression, on a stack instead of by recursion.
#[derive(Clone, Copy)]
enum Step {
    /// Its operands, or of an if-expression the condition.
    Open,
    /// The branches of an if-expression that its condition leaves.
    Branches,
    /// The value, from those of the operands.
    Close,
}

/// So much is pending at most in most expressions.
const USUAL_DEPTH: usize = 16;

/// The operands that are asked for, on top of what is pending; the last one is folded first.
pub struct Operands<C> {
    pending: Vec<(ExpressionId, C, Step)>,
}

impl<C: Copy> Operands<C> {
    /// Asks for an operand in a context.
    pub fn push(&mut self, id: ExpressionId, context: C) {
        self.pending.push((id, context, Step::Open));
    }

    /// Asks for several in one context.
    pub fn extend(&mut self, ids: impl IntoIterator<Item = ExpressionId>, context: C) {
        self.pending.extend(ids.into_iter().map(|id| (id, context, Step::Open)));
    }

    /// Asks for several in one context, so that the first one is folded first.
    pub fn extend_reversed(&mut self, ids: impl IntoIterator<Item = ExpressionId>, context: C) {
        let at = self.pending.len();
        self.extend(ids, context);
        self.pending[at..].reverse();
    }
}

impl Operands<Context> {
    /// Asks for all operands, each on its side of the instant: those of left limits under [`Context::LEFT_LIMIT`], those
    /// of `edge` and `change` on both sides. Of an if-expression only the condition.
    pub fn of_sides(&mut self, expressions: &Expressions, id: ExpressionId, side: Context) {
        match expressions.node(id) {
            Node::If(condition, ..) => self.push(condition, side),
            _ => expressions.for_each_operand(id, side, |operand, context| {
                self.push(operand, context.among(Context::LEFT_LIMIT));
            }),
        }
    }
}

/// From expressions to values.
pub trait Fold {
    /// What a value depends on beside the expression.
    type Context: Copy + Eq + Hash;
    /// What an expression becomes.
    type Value: Copy;
    /// Why it has no value.
    type Error;

    /// The arena.
    fn expressions(&self) -> &Expressions;

    /// Asks for operands, of an if-expression for the condition alone; or knows the value at once.
    fn open(
        &mut self,
        id: ExpressionId,
        context: Self::Context,
        operands: &mut Operands<Self::Context>,
    ) -> Option<Self::Value> {
        self.open_all(id, context, operands);
        None
    }

    /// Asks for all operands in the same context, of an if-expression for the condition.
    fn open_all(&self, id: ExpressionId, context: Self::Context, operands: &mut Operands<Self::Context>) {
        match self.expressions().node(id) {
            Node::If(condition, ..) => operands.push(condition, context),
            _ => operands.extend(self.expressions().children(id), context),
        }
    }

    /// What the value of a condition says; `None` where it does not decide.
    fn decided(&self, _condition: Self::Value) -> Option<bool> {
        None
    }

    /// Asks for the branches of an if-expression whose condition was asked for in the same context.
    fn branches(
        &mut self,
        [condition, a, b]: [ExpressionId; 3],
        context: Self::Context,
        known: &Memo<Self::Context, Self::Value>,
        operands: &mut Operands<Self::Context>,
    ) {
        match self.decided(known.at(condition, context)) {
            Some(true) => operands.push(a, context),
            Some(false) => operands.push(b, context),
            None => operands.extend([a, b], context),
        }
    }

    /// The value, from those of the operands that were asked for.
    fn close(
        &mut self,
        id: ExpressionId,
        context: Self::Context,
        known: &Memo<Self::Context, Self::Value>,
    ) -> Result<Self::Value, Self::Error>;

    /// The value of an expression; all that was folded on the way is known afterwards.
    fn fold(
        &mut self,
        known: &mut Memo<Self::Context, Self::Value>,
        root: ExpressionId,
        context: Self::Context,
    ) -> Result<Self::Value, Self::Error> {
        if let Some(value) = known.get(root, context) {
            return Ok(value);
        }
        let mut operands = Operands { pending: Vec::with_capacity(USUAL_DEPTH) };
        operands.push(root, context);
        while let Some((id, context, step)) = operands.pending.pop() {
            if known.contains(id, context) {
                continue;
            }
            match (step, self.expressions().node(id)) {
                (Step::Open, node) => {
                    let at = operands.pending.len();
                    let next = if matches!(node, Node::If(..)) { Step::Branches } else { Step::Close };
                    operands.pending.push((id, context, next));
                    if let Some(value) = self.open(id, context, &mut operands) {
                        operands.pending.truncate(at);
                        known.insert(id, context, value);
                    }
                }
                (Step::Branches, Node::If(condition, a, b)) => {
                    operands.pending.push((id, context, Step::Close));
                    self.branches([condition, a, b], context, known, &mut operands);
                }
                (Step::Branches | Step::Close, _) => {
                    let value = self.close(id, context, known)?;
                    known.insert(id, context, value);
                }
            }
        }
        Ok(known.at(root, context))
    }
}

/// What expressions have become, for [`Expressions::rewrite`].
pub type Rewritten = Memo<(), ExpressionId>;

impl Expressions {
    /// A value from the bottom up: `close` is called once per different subexpression, whose operands are known.
    pub fn fold_up<V: Copy>(
        &self,
        known: &mut Memo<(), V>,
        root: ExpressionId,
        close: impl FnMut(ExpressionId, Node, &Memo<(), V>) -> V,
    ) -> V {
        let Ok(value) = FoldUp { expressions: self, close, values: std::marker::PhantomData }.fold(known, root, ());
        value
    }

    /// How long an expression is when written out, nothing shared; saturates.
    pub fn written_size(&self, known: &mut Memo<(), usize>, root: ExpressionId) -> usize {
        self.fold_up(known, root, |id, _, known| {
            self.children(id).fold(1_usize, |size, child| size.saturating_add(known[child]))
        })
    }

    /// Rewrites bottom-up: `rewrite` is called once per different subexpression, whose children have been
    /// rewritten already, and returns what stands in its place.
    pub fn rewrite(
        &mut self,
        root: ExpressionId,
        known: &mut Rewritten,
        rewrite: impl FnMut(&mut Self, ExpressionId) -> ExpressionId,
    ) -> ExpressionId {
        self.rewrite_outside(root, known, |_| false, rewrite)
    }

    /// The same, but nodes that `is_kept` stay as they are, with everything below them.
    pub fn rewrite_outside(
        &mut self,
        root: ExpressionId,
        known: &mut Rewritten,
        is_kept: impl Fn(Node) -> bool,
        rewrite: impl FnMut(&mut Self, ExpressionId) -> ExpressionId,
    ) -> ExpressionId {
        let Ok(result) = Rewrite { expressions: self, is_kept, rewrite }.fold(known, root, ());
        result
    }
}

struct FoldUp<'a, V, Close> {
    expressions: &'a Expressions,
    close: Close,
    values: std::marker::PhantomData<fn() -> V>,
}

impl<V: Copy, Close: FnMut(ExpressionId, Node, &Memo<(), V>) -> V> Fold for FoldUp<'_, V, Close> {
    type Context = ();
    type Value = V;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        self.expressions
    }

    fn close(&mut self, id: ExpressionId, (): (), known: &Memo<(), V>) -> Result<V, Infallible> {
        Ok((self.close)(id, self.expressions.node(id), known))
    }
}

struct Rewrite<'a, Kept, Change> {
    expressions: &'a mut Expressions,
    is_kept: Kept,
    rewrite: Change,
}

impl<Kept, Change> Fold for Rewrite<'_, Kept, Change>
where
    Kept: Fn(Node) -> bool,
    Change: FnMut(&mut Expressions, ExpressionId) -> ExpressionId,
{
    type Context = ();
    type Value = ExpressionId;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        self.expressions
    }

    fn open(&mut self, id: ExpressionId, (): (), operands: &mut Operands<()>) -> Option<ExpressionId> {
        if (self.is_kept)(self.expressions.node(id)) {
            return Some(id);
        }
        operands.extend(self.expressions.children(id), ());
        None
    }

    fn branches(&mut self, _: [ExpressionId; 3], (): (), _: &Rewritten, _: &mut Operands<()>) {}

    fn close(&mut self, id: ExpressionId, (): (), known: &Rewritten) -> Result<ExpressionId, Infallible> {
        let rebuilt = self.expressions.map_children(id, |_, child| known[child]);
        Ok((self.rewrite)(self.expressions, rebuilt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VariableId;

    #[test]
    fn shared_subexpressions_are_folded_once() {
        let mut expressions = Expressions::new();
        let mut y = expressions.variable(VariableId(0), 0);
        for _ in 0..1_000 {
            let square = expressions.product(y, y);
            y = expressions.sum(square, y);
        }
        let mut folds = 0;
        let size = expressions.fold_up(&mut Memo::new(), y, |id, _, known| {
            folds += 1;
            expressions.children(id).fold(1_u64, |size, child| size.saturating_add(known[child]))
        });
        assert_eq!((folds, size), (2_001, u64::MAX));
    }

    #[test]
    fn what_contains_a_node_is_known_of_all() {
        let mut expressions = Expressions::new();
        let [x, y] = [0, 1].map(|variable| expressions.variable(VariableId(variable), 0));
        let before = expressions.pre(x);
        let [hidden, seen] = [before, x].map(|it| expressions.sum(it, y));
        let is_x = |node| node == expressions.node(x);
        let everywhere = expressions.all_with(is_x, |_| false);
        let now = expressions.all_with(is_x, |node| matches!(node, Node::Pre(_)));
        assert_eq!([x, y, before, hidden, seen].map(|it| everywhere[it]), [true, false, true, true, true]);
        assert_eq!([x, y, before, hidden, seen].map(|it| now[it]), [true, false, false, false, true]);
    }

    #[test]
    fn what_is_kept_is_not_rewritten() {
        let mut expressions = Expressions::new();
        let [x, y] = [0, 1].map(|variable| expressions.variable(VariableId(variable), 0));
        let before = expressions.pre(x);
        let sum = expressions.sum(before, x);
        let renamed = |_: &mut Expressions, id: ExpressionId| if id == x { y } else { id };
        let outside = expressions.rewrite_outside(sum, &mut Memo::new(), |node| matches!(node, Node::Pre(_)), renamed);
        let everywhere = expressions.rewrite(sum, &mut Memo::new(), renamed);
        let before_y = expressions.pre(y);
        assert_eq!(outside, expressions.sum(before, y));
        assert_eq!(everywhere, expressions.sum(before_y, y));
    }

    /// Numbers without variables: undecided conditions have no value, and branches that are not taken are not folded.
    struct Numbers<'a>(&'a Expressions, Vec<ExpressionId>);

    impl Fold for Numbers<'_> {
        type Context = ();
        type Value = Option<f64>;
        type Error = ExpressionId;

        fn expressions(&self) -> &Expressions {
            self.0
        }

        fn decided(&self, condition: Option<f64>) -> Option<bool> {
            condition.map(|value| value != 0.0)
        }

        fn close(
            &mut self,
            id: ExpressionId,
            (): (),
            known: &Memo<(), Option<f64>>,
        ) -> Result<Option<f64>, ExpressionId> {
            self.1.push(id);
            Ok(match self.0.node(id) {
                Node::Real(number) => Some(number.value()),
                Node::Boolean(value) => Some(f64::from(value)),
                Node::If(condition, a, b) => match self.decided(known[condition]) {
                    Some(true) => known[a],
                    Some(false) => known[b],
                    None => None,
                },
                Node::String(_) => return Err(id),
                _ => None,
            })
        }
    }

    #[test]
    fn only_the_branch_taken_is_folded() {
        let mut expressions = Expressions::new();
        let (yes, one, text) = (expressions.boolean(true), expressions.real(1.0), expressions.string("no number"));
        let decided = expressions.add(Node::If(yes, one, text));
        let mut numbers = Numbers(&expressions, Vec::new());
        assert_eq!(numbers.fold(&mut Memo::new(), decided, ()), Ok(Some(1.0)));
        assert_eq!(numbers.1, [yes, one, decided]);
        assert_eq!(numbers.fold(&mut Memo::new(), text, ()), Err(text));
    }
}

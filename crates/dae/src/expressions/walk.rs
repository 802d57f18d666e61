//! The walk over expressions: each different subexpression once in each context, parents first, without recursion.
//!
//! `y*y + y` is three expressions, however often `y` is shared, and so is what follows from it. A [`Walk`] remembers
//! which it has met; the number of visits grows with what is written, never with what is written out.
//!
//! What a subexpression means depends on what it stands under: the variables below `pre` are of the instant before,
//! those in the first argument of `delay` are of the past. [`Expressions::for_each_operand`] is the one place that says
//! what hides what; a walk tells its visitor the [`Context`], as far as it was asked for.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::BitOr;

use rustc_hash::FxHashSet;

use super::arena::{Builtin, ExpressionId, Expressions, Node};
use crate::Id;

/// What a subexpression stands under, inside the expression that is walked: a set of the constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Context(u8);

impl Context {
    /// Under nothing that hides it: the value at the current instant.
    pub const NOW: Context = Context(0);
    /// The left limit: under `pre`, and what `edge` and `change` compare the present value with.
    pub const LEFT_LIMIT: Context = Context(1);
    /// Of the past: the first argument of `delay`.
    pub const PAST: Context = Context(1 << 1);
    /// Inside `noEvent`: makes no events and no modes.
    pub const NO_EVENT: Context = Context(1 << 2);
    /// The second argument of `homotopy`: of initialization only.
    pub const SIMPLIFIED: Context = Context(1 << 3);
    /// An argument of `sample`: says when, not how much.
    pub const TIMING: Context = Context(1 << 4);
    /// In the argument of `edge` or `change`.
    pub const FLANK: Context = Context(1 << 5);
    /// In the condition of an if-expression.
    pub const CONDITION: Context = Context(1 << 6);
    /// What makes the value another one than that of a continuous system at the current instant.
    pub const HIDDEN: Context =
        Context(Self::LEFT_LIMIT.0 | Self::PAST.0 | Self::SIMPLIFIED.0 | Self::TIMING.0 | Self::FLANK.0);

    /// Whether it stands under any of these.
    pub fn is(self, any: Context) -> bool {
        self.0 & any.0 != 0
    }

    /// What of it is also in another.
    pub fn among(self, told: Context) -> Context {
        Context(self.0 & told.0)
    }
}

impl BitOr for Context {
    type Output = Context;
    fn bitor(self, other: Context) -> Context {
        Context(self.0 | other.0)
    }
}

impl Builtin {
    /// What its argument at a position stands under, beside what the call does.
    fn hides(self, position: usize) -> Context {
        use Builtin::*;
        match self {
            NoEvent => Context::NO_EVENT,
            Homotopy if position == 1 => Context::SIMPLIFIED,
            Delay | DelayMax if position == 0 => Context::PAST,
            Sample => Context::TIMING,
            Edge | Change => Context::FLANK,
            Homotopy | Delay | DelayMax | Smooth | Initial | Terminal | StringOf => Context::NOW,
            Sin | Cos | Tan | Asin | Acos | Atan | Atan2 | Sinh | Cosh | Tanh | Exp | Log | Log10 | Sqrt => {
                Context::NOW
            }
            Abs | Sign | Min | Max | Floor | Ceil | Integer | Ordinal | Div | Mod | Rem => Context::NOW,
        }
    }
}

impl Expressions {
    /// The direct subexpressions in order, each with what it stands under. Those of `edge` and `change` come twice: as
    /// they are, and as left limits.
    pub fn for_each_operand(&self, id: ExpressionId, context: Context, mut visit: impl FnMut(ExpressionId, Context)) {
        match self.node(id) {
            Node::Real(_) | Node::Integer(_) | Node::Boolean(_) | Node::String(_) => {}
            Node::Time | Node::Variable(..) | Node::Mode(_) => {}
            Node::Negate(a) | Node::Not(a) | Node::Output(a, _) => visit(a, context),
            Node::Arithmetic(_, a, b) | Node::Relation(_, a, b) | Node::And(a, b) | Node::Or(a, b) => {
                visit(a, context);
                visit(b, context);
            }
            Node::Pre(a) => visit(a, context | Context::LEFT_LIMIT),
            Node::If(condition, a, b) => {
                visit(condition, context | Context::CONDITION);
                visit(a, context);
                visit(b, context);
            }
            Node::Call(builtin, arguments) => {
                for (position, &argument) in self.argument_list(arguments).iter().enumerate() {
                    let context = context | builtin.hides(position);
                    visit(argument, context);
                    if matches!(builtin, Builtin::Edge | Builtin::Change) {
                        visit(argument, context | Context::LEFT_LIMIT);
                    }
                }
            }
            Node::Function(_, arguments) => {
                self.argument_list(arguments).iter().for_each(|&argument| visit(argument, context));
            }
        }
    }

    /// Visits the expression and each different subexpression once, parents first, in the order of first occurrence.
    /// `visit` returns whether to go below this node.
    pub fn for_each(&self, root: ExpressionId, mut visit: impl FnMut(ExpressionId, Node) -> bool) {
        Walk::new().visit(self, root, |id, node, _| visit(id, node));
    }

    /// Visits each different subexpression once in each context, as far as `told` asks for contexts. `visit` returns
    /// whether to go below this node.
    pub fn for_each_in_context(
        &self,
        root: ExpressionId,
        told: Context,
        visit: impl FnMut(ExpressionId, Node, Context) -> bool,
    ) {
        Walk::telling(told).visit(self, root, visit);
    }

    /// Whether the expression or a subexpression of it is of this kind.
    pub fn contains(&self, root: ExpressionId, wanted: impl Fn(Node) -> bool) -> bool {
        let mut walk = Walk::new();
        walk.add(root, Context::NOW);
        while let Some((id, context)) = walk.next() {
            if wanted(self.node(id)) {
                return true;
            }
            walk.add_operands(self, id, context);
        }
        false
    }
}

/// A walk over one expression or several; what was met in one is not visited again in the next, until [`Walk::clear`].
#[derive(Clone, Debug)]
pub struct Walk {
    /// The contexts that are told apart.
    told: Context,
    met: Met,
    /// Comes after everything pending: many expressions have no operands, and their walk needs no memory.
    last: Option<(ExpressionId, Context)>,
    /// Empty between visits; kept for its memory.
    pending: Vec<(ExpressionId, Context)>,
}

impl Default for Walk {
    fn default() -> Self {
        Walk::new()
    }
}

impl Walk {
    /// A walk that tells no contexts: every subexpression once.
    pub fn new() -> Self {
        Walk::telling(Context::NOW)
    }

    /// A walk that visits a subexpression once in each of these contexts.
    pub fn telling(told: Context) -> Self {
        Walk { told, met: Met::Few(Few::default()), last: None, pending: Vec::new() }
    }

    /// For many walks, or walks over much of an arena: remembers by marks, four bytes per expression of the arena.
    pub fn with_marks(mut self) -> Self {
        self.met = Met::Marks(Marks::default());
        self
    }

    /// Forgets what was met and what is still to be visited, keeping the memory.
    pub fn clear(&mut self) {
        self.last = None;
        self.pending.clear();
        self.met.clear();
    }

    /// Visits what was not met before; `visit` returns whether to go below this node.
    pub fn visit(
        &mut self,
        expressions: &Expressions,
        root: ExpressionId,
        mut visit: impl FnMut(ExpressionId, Node, Context) -> bool,
    ) {
        self.add(root, Context::NOW);
        while let Some((id, context)) = self.next() {
            if visit(id, expressions.node(id), context) {
                self.add_operands(expressions, id, context);
            }
        }
    }

    /// To be visited next, unless it was met in this context before: for walks that choose where to go.
    pub fn add(&mut self, id: ExpressionId, context: Context) {
        let added = (id, context.among(self.told));
        match self.last {
            None if self.pending.is_empty() => self.last = Some(added),
            _ => self.pending.push(added),
        }
    }

    /// Its operands are to be visited next, the first one first.
    pub fn add_operands(&mut self, expressions: &Expressions, id: ExpressionId, context: Context) {
        let at = self.pending.len();
        let (told, pending) = (self.told, &mut self.pending);
        expressions.for_each_operand(id, context, |child, context| pending.push((child, context.among(told))));
        self.pending[at..].reverse();
    }

    /// The last one that was added and not met before.
    #[allow(clippy::should_implement_trait)] // what is added while it runs is part of the walk
    pub fn next(&mut self) -> Option<(ExpressionId, Context)> {
        loop {
            let (id, context) = self.pending.pop().or_else(|| self.last.take())?;
            if self.met.insert(id, context) {
                return Some((id, context));
            }
        }
    }
}

/// A walk that hands something down: every different subexpression once, after all that contain it, with what these
/// handed to it, joined.
///
/// In an arena operands are older than what is made of them, so the youngest waits for nobody.
#[derive(Clone, Debug)]
pub struct Descent<T> {
    waiting: BTreeMap<ExpressionId, T>,
}

impl<T> Default for Descent<T> {
    fn default() -> Self {
        Descent { waiting: BTreeMap::new() }
    }
}

impl<T: Copy> Descent<T> {
    /// Nothing to visit.
    pub fn new() -> Self {
        Self::default()
    }

    /// Hands something to an expression; joined with what it was handed before.
    pub fn hand(&mut self, to: ExpressionId, what: T, join: impl FnOnce(T, T) -> T) {
        match self.waiting.entry(to) {
            Entry::Vacant(place) => {
                place.insert(what);
            }
            Entry::Occupied(mut place) => {
                let joined = join(*place.get(), what);
                place.insert(joined);
            }
        }
    }

    /// The next expression, with everything that was handed to it.
    #[allow(clippy::should_implement_trait)] // what is handed down while it runs is part of the walk
    pub fn next(&mut self) -> Option<(ExpressionId, T)> {
        self.waiting.pop_last()
    }
}

/// The subexpressions that a walk has met.
#[derive(Clone, Debug)]
enum Met {
    Few(Few),
    Marks(Marks),
}

impl Met {
    /// Whether it is met for the first time.
    fn insert(&mut self, id: ExpressionId, context: Context) -> bool {
        match self {
            Met::Few(few) => few.insert(id, context),
            Met::Marks(marks) => marks.insert(id, context),
        }
    }

    fn clear(&mut self) {
        match self {
            Met::Few(few) => {
                few.count = 0;
                few.others.clear();
            }
            Met::Marks(marks) => marks.clear(),
        }
    }
}

/// The first are searched one by one, which is faster than a table as long as they are few: most expressions are.
const FEW: usize = 16;

#[derive(Clone, Debug, Default)]
struct Few {
    /// Both in one number.
    first: [u64; FEW],
    count: usize,
    others: FxHashSet<(ExpressionId, Context)>,
}

impl Few {
    fn insert(&mut self, id: ExpressionId, context: Context) -> bool {
        let wanted = (id.index() as u64) << 8 | u64::from(context.0);
        if self.first[..self.count].contains(&wanted) {
            return false;
        }
        if self.count < FEW {
            self.first[self.count] = wanted;
            self.count += 1;
            return true;
        }
        self.others.insert((id, context))
    }
}

/// By expression, the last round in which it was met under nothing; the others are few.
#[derive(Clone, Debug)]
struct Marks {
    met_in: Vec<u32>,
    round: u32,
    hidden: FxHashSet<(ExpressionId, Context)>,
}

impl Default for Marks {
    fn default() -> Self {
        Marks { met_in: Vec::new(), round: 1, hidden: FxHashSet::default() }
    }
}

impl Marks {
    fn clear(&mut self) {
        self.hidden.clear();
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.met_in.fill(0);
            1
        });
    }

    fn insert(&mut self, id: ExpressionId, context: Context) -> bool {
        if context != Context::NOW {
            return self.hidden.insert((id, context));
        }
        if self.met_in.len() <= id.index() {
            self.met_in.resize((id.index() + 1).next_power_of_two(), 0);
        }
        std::mem::replace(&mut self.met_in[id.index()], self.round) != self.round
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VariableId;

    /// `y*y + y`, again and again.
    fn shared(expressions: &mut Expressions, lines: usize) -> ExpressionId {
        let mut y = expressions.variable(VariableId(0), 0);
        for _ in 0..lines {
            let square = expressions.product(y, y);
            y = expressions.sum(square, y);
        }
        y
    }

    #[test]
    fn shared_subexpressions_are_visited_once() {
        let mut expressions = Expressions::new();
        let root = shared(&mut expressions, 1_000);
        for mut walk in [Walk::new(), Walk::new().with_marks()] {
            for _ in 0..2 {
                let mut visits = 0;
                walk.visit(&expressions, root, |_, _, _| {
                    visits += 1;
                    true
                });
                assert_eq!(visits, 2_001);
                walk.clear();
            }
        }
    }

    #[test]
    fn parents_come_before_children_and_the_left_before_the_right() {
        let mut expressions = Expressions::new();
        let [a, b] = [0, 1].map(|variable| expressions.variable(VariableId(variable), 0));
        let product = expressions.product(a, b);
        let sum = expressions.sum(product, a);
        let mut order = Vec::new();
        expressions.for_each(sum, |id, _| {
            order.push(id);
            true
        });
        assert_eq!(order, [sum, product, a, b]);
    }

    #[test]
    fn what_is_handed_down_comes_from_all_that_contain_it() {
        let mut expressions = Expressions::new();
        let root = shared(&mut expressions, 60);
        let (mut descent, mut visits, mut occurrences) = (Descent::new(), 0, 0);
        descent.hand(root, 1_u64, |a, b| a + b);
        while let Some((id, count)) = descent.next() {
            visits += 1;
            occurrences = count;
            for child in expressions.children(id) {
                descent.hand(child, count, |a, b| a.saturating_add(b));
            }
        }
        assert_eq!((visits, occurrences), (121, u64::MAX));
    }

    #[test]
    fn contexts_are_told_apart_only_where_asked_for() {
        let mut expressions = Expressions::new();
        let x = expressions.variable(VariableId(0), 0);
        let before = expressions.pre(x);
        let quiet = expressions.call(Builtin::NoEvent, &[x]);
        let sum = expressions.sum(before, quiet);
        let root = expressions.sum(sum, x);
        let contexts_of_x = |told: Context| {
            let mut found = Vec::new();
            expressions.for_each_in_context(root, told, |id, _, context| {
                found.extend((id == x).then_some(context));
                true
            });
            found
        };
        assert_eq!(contexts_of_x(Context::NOW), [Context::NOW]);
        assert_eq!(contexts_of_x(Context::LEFT_LIMIT), [Context::LEFT_LIMIT, Context::NOW]);
        assert_eq!(
            contexts_of_x(Context::LEFT_LIMIT | Context::NO_EVENT),
            [Context::LEFT_LIMIT, Context::NO_EVENT, Context::NOW]
        );
    }

    #[test]
    fn the_argument_of_a_flank_is_met_on_both_sides() {
        let mut expressions = Expressions::new();
        let b = expressions.variable(VariableId(0), 0);
        let edge = expressions.call(Builtin::Edge, &[b]);
        let mut found = Vec::new();
        expressions.for_each_in_context(edge, Context::LEFT_LIMIT, |id, _, context| {
            found.extend((id == b).then_some(context));
            true
        });
        assert_eq!(found, [Context::NOW, Context::LEFT_LIMIT]);
    }
}

//! Traversals that visit each different subexpression once, however often it is shared.

use modeshift_dae::{Builtin, ExpressionId, Expressions, Node};
use rustc_hash::FxHashSet;

/// Visits the different subexpressions of several roots; `visit` returns whether to go below a node.
pub(crate) struct Distinct {
    seen: FxHashSet<ExpressionId>,
}

impl Distinct {
    pub(crate) fn new() -> Self {
        Distinct { seen: FxHashSet::default() }
    }

    /// Forgets what was seen, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.seen.clear();
    }

    pub(crate) fn visit(
        &mut self,
        expressions: &Expressions,
        root: ExpressionId,
        mut visit: impl FnMut(ExpressionId, Node) -> bool,
    ) {
        expressions.for_each(root, |id, node| self.seen.insert(id) && visit(id, node));
    }
}

/// Whether the expression has a subexpression of this kind.
pub(crate) fn contains(expressions: &Expressions, root: ExpressionId, wanted: impl Fn(Node) -> bool) -> bool {
    let mut found = false;
    Distinct::new().visit(expressions, root, |_, node| {
        found |= wanted(node);
        !found
    });
    found
}

/// Whether `noEvent` occurs in it.
pub(crate) fn contains_no_event(expressions: &Expressions, root: ExpressionId) -> bool {
    contains(expressions, root, |node| matches!(node, Node::Call(Builtin::NoEvent, _)))
}

//! Walks over shared expressions: each different subexpression is looked at once, however often it occurs.

use modeshift_dae::{ExpressionId, Expressions, Node};
use rustc_hash::{FxHashMap, FxHashSet};

/// Visits every different subexpression once.
pub(crate) fn for_each_different(
    expressions: &Expressions,
    root: ExpressionId,
    mut visit: impl FnMut(ExpressionId, Node),
) {
    let mut seen = FxHashSet::default();
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        if seen.insert(id) {
            visit(id, expressions.node(id));
            pending.extend(expressions.children(id));
        }
    }
}

/// Whether some subexpression satisfies a condition.
pub(crate) fn any(expressions: &Expressions, root: ExpressionId, condition: impl Fn(Node) -> bool) -> bool {
    let mut seen = FxHashSet::default();
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        if condition(expressions.node(id)) {
            return true;
        }
        pending.extend(expressions.children(id).filter(|&child| seen.insert(child)));
    }
    false
}

/// How long an expression is when written out, nothing shared; saturates.
pub(crate) fn written_size(expressions: &Expressions, root: ExpressionId) -> usize {
    let mut sizes: FxHashMap<ExpressionId, usize> = FxHashMap::default();
    let mut pending = vec![(root, false)];
    while let Some((id, children_done)) = pending.pop() {
        if sizes.contains_key(&id) {
            continue;
        }
        if children_done {
            let size = expressions.children(id).fold(1_usize, |size, child| size.saturating_add(sizes[&child]));
            sizes.insert(id, size);
        } else {
            pending.push((id, true));
            pending.extend(expressions.children(id).map(|child| (child, false)));
        }
    }
    sizes[&root]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_expressions_are_measured_without_writing_them_out() {
        let mut expressions = Expressions::new();
        let mut sum = expressions.time();
        for _ in 0..100 {
            sum = expressions.sum(sum, sum);
        }
        assert_eq!(written_size(&expressions, sum), usize::MAX);
        assert!(any(&expressions, sum, |node| node == Node::Time));
        let mut count = 0;
        for_each_different(&expressions, sum, |_, _| count += 1);
        assert_eq!(count, 101);
    }
}

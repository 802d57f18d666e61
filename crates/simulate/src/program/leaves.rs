//! What expressions depend on, at the current instant: one walk over shared subexpressions, each visited once.

use modeshift_dae::{ExpressionId, Expressions, Id, Node, VariableId};

/// Remembers which expressions the present walk has visited.
#[derive(Default)]
pub(super) struct Leaves {
    visited: Vec<u32>,
    walk: u32,
    pending: Vec<ExpressionId>,
}

impl Leaves {
    /// Calls `leaf` with every variable and derivative that the expressions contain outside left limits, each once.
    pub fn for_each(
        &mut self,
        expressions: &Expressions,
        roots: impl IntoIterator<Item = ExpressionId>,
        mut leaf: impl FnMut(VariableId, u32),
    ) {
        self.walk += 1;
        self.visited.resize(expressions.len(), 0);
        self.pending.extend(roots);
        while let Some(id) = self.pending.pop() {
            if std::mem::replace(&mut self.visited[id.index()], self.walk) == self.walk {
                continue;
            }
            match expressions.node(id) {
                Node::Variable(variable, order) => leaf(variable, order),
                Node::Pre(_) => {}
                _ => self.pending.extend(expressions.children(id)),
            }
        }
    }
}

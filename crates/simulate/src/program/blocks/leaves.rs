//! What expressions depend on, at the current instant, remembered: programs of other modes ask again.
//!
//! A walk visits shared subexpressions once.

use modeshift_dae::{Context, Derivative, ExpressionId, Expressions, ModeVariableId, Node, VariableId, Walk};
use rustc_hash::FxHashMap;

/// Finds the variables of expressions.
pub(crate) struct Leaves {
    walk: Walk,
    known: FxHashMap<ExpressionId, (u32, u32)>,
    pool: Vec<Derivative<VariableId>>,
}

impl Default for Leaves {
    fn default() -> Self {
        Leaves { walk: Walk::new().with_marks(), known: FxHashMap::default(), pool: Vec::new() }
    }
}

impl Leaves {
    /// The variables and derivatives that an expression contains outside left limits, each once.
    pub fn of(&mut self, expressions: &Expressions, root: ExpressionId) -> &[Derivative<VariableId>] {
        let (start, end) = match self.known.get(&root) {
            Some(&range) => range,
            None => {
                let start = self.pool.len() as u32;
                let mut pool = std::mem::take(&mut self.pool);
                self.walk(expressions, [root], |node| {
                    pool.extend(node.derivative());
                });
                self.pool = pool;
                let range = (start, self.pool.len() as u32);
                self.known.insert(root, range);
                range
            }
        };
        &self.pool[start as usize..end as usize]
    }

    /// The mode variables that expressions contain outside left limits, ascending.
    pub fn modes(
        &mut self,
        expressions: &Expressions,
        roots: impl IntoIterator<Item = ExpressionId>,
    ) -> Vec<ModeVariableId> {
        let mut modes = Vec::new();
        self.walk(expressions, roots, |node| {
            if let Node::Mode(mode) = node {
                modes.push(mode);
            }
        });
        modes.sort_unstable();
        modes
    }

    /// Visits the leaves, each once.
    fn walk(
        &mut self,
        expressions: &Expressions,
        roots: impl IntoIterator<Item = ExpressionId>,
        mut visit: impl FnMut(Node),
    ) {
        self.walk.clear();
        roots.into_iter().for_each(|root| self.walk.add(root, Context::NOW));
        while let Some((id, context)) = self.walk.next() {
            match expressions.node(id) {
                Node::Pre(_) => {}
                node => {
                    visit(node);
                    expressions.children(id).for_each(|child| self.walk.add(child, context));
                }
            }
        }
    }
}

//! What expressions depend on, at the current instant, remembered: programs of other modes ask again.
//!
//! A walk visits shared subexpressions once.

use modeshift_dae::{ExpressionId, Expressions, Id, ModeVariableId, Node, VariableId};
use rustc_hash::FxHashMap;

/// A variable, or one of its derivatives.
type Leaf = (VariableId, u32);

/// Finds the variables of expressions.
#[derive(Default)]
pub(crate) struct Leaves {
    visited: Vec<u32>,
    walk: u32,
    pending: Vec<ExpressionId>,
    known: FxHashMap<ExpressionId, (u32, u32)>,
    pool: Vec<Leaf>,
}

impl Leaves {
    /// The variables and derivatives that an expression contains outside left limits, each once.
    pub fn of(&mut self, expressions: &Expressions, root: ExpressionId) -> &[Leaf] {
        let (start, end) = match self.known.get(&root) {
            Some(&range) => range,
            None => {
                let start = self.pool.len() as u32;
                let mut pool = std::mem::take(&mut self.pool);
                self.walk(expressions, [root], |node| {
                    if let Node::Variable(variable, order) = node {
                        pool.push((variable, order));
                    }
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
        self.walk += 1;
        self.visited.resize(expressions.len(), 0);
        self.pending.extend(roots);
        while let Some(id) = self.pending.pop() {
            if std::mem::replace(&mut self.visited[id.index()], self.walk) == self.walk {
                continue;
            }
            match expressions.node(id) {
                Node::Pre(_) => {}
                node => {
                    visit(node);
                    self.pending.extend(expressions.children(id));
                }
            }
        }
    }
}

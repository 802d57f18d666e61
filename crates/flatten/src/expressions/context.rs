//! What the translation of an expression needs to know about its place.

use std::sync::Arc;

use modeshift_dae::ExpressionId;

use crate::expressions::term::Term;
use crate::instances::modification::Scope;
use crate::machines::StateNumber;

/// What is wanted of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Purpose {
    /// Scalars of the flat model.
    Symbolic,
    /// Its value at translation; parameters are replaced by theirs.
    Evaluate,
    /// Only its shape; variables are unknowns.
    Shape,
}

/// The place of an expression.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// Where names are looked up.
    pub(crate) scope: Scope,
    /// What is wanted.
    pub(crate) purpose: Purpose,
    /// Iterators and the variables of a function, innermost last.
    pub(crate) locals: Vec<(Arc<str>, Term)>,
    /// The variables that the algorithm around it assigns: what `pre` is about, whatever was assigned so far.
    pub(crate) assigned: Vec<(Arc<str>, Term)>,
    /// What `end` means in the surrounding subscripts, innermost last.
    pub(crate) ends: Vec<usize>,
    /// How deep the expression is nested.
    pub(crate) depth: u32,
    /// How deep function calls are nested.
    pub(crate) calls: u32,
    /// The conditions of the branches of an algorithm that led here.
    pub(crate) path: Option<ExpressionId>,
    /// Whether it names what is connected, so that conditional components may be meant.
    pub(crate) connecting: bool,
    /// The state that a transition leaves, in its condition.
    pub(crate) state: Option<StateNumber>,
}

impl Context {
    /// A place without iterators.
    pub(crate) fn new(scope: Scope, purpose: Purpose) -> Self {
        Context {
            scope,
            purpose,
            locals: Vec::new(),
            assigned: Vec::new(),
            ends: Vec::new(),
            depth: 0,
            calls: 0,
            path: None,
            connecting: false,
            state: None,
        }
    }

    /// The innermost iterator or local variable of this name.
    pub(crate) fn local(&self, name: &str) -> Option<&Term> {
        self.locals.iter().rev().find(|(local, _)| &**local == name).map(|(_, term)| term)
    }
    /// The same place where the variables that an algorithm assigns stand for themselves.
    pub(crate) fn of_variables(&self) -> Context {
        let mut itself = self.clone();
        for (name, whole) in &self.assigned {
            if let Some(local) = itself.locals.iter_mut().find(|(local, _)| local == name) {
                local.1 = whole.clone();
            }
        }
        itself
    }
}

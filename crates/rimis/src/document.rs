//! The text that is written, before it is text: declarations and equations in sections with headings.

use modeshift_dae::{ExpressionId, VariableId};

/// Declarations under a heading.
#[derive(Debug)]
pub(crate) struct Declarations {
    pub(crate) title: &'static str,
    pub(crate) variables: Vec<VariableId>,
}

/// Equations under a heading.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) items: Vec<Item>,
}

impl Section {
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Section { title: title.into(), items: Vec::new() }
    }
}

/// One thing in a section.
#[derive(Debug)]
pub(crate) enum Item {
    /// `left = right`
    Equation(ExpressionId, ExpressionId),
    /// `if condition then left = right; end if`
    Conditional(ExpressionId, ExpressionId, ExpressionId),
    /// `assert(condition, message)`, an error or a warning.
    Assert { condition: ExpressionId, message: ExpressionId, is_error: bool },
    /// A `when` with its `elsewhen` branches.
    When(Vec<Branch>),
}

/// A branch of a `when`.
#[derive(Debug)]
pub(crate) struct Branch {
    /// Active when any of these becomes true.
    pub(crate) conditions: Vec<ExpressionId>,
    pub(crate) actions: Vec<Action>,
}

/// What happens in a branch.
#[derive(Debug)]
pub(crate) enum Action {
    /// `reinit(variable, value)`
    Reinit(VariableId, ExpressionId),
    /// `variable = value`
    Assign(VariableId, ExpressionId),
    /// `assert(condition, message)`, an error or a warning.
    Assert { condition: ExpressionId, message: ExpressionId, is_error: bool },
    /// `terminate(message)`
    Terminate(ExpressionId),
}

/// A whole model.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) name: String,
    /// Lines of comment in front of the declarations.
    pub(crate) remarks: Vec<String>,
    pub(crate) declarations: Vec<Declarations>,
    pub(crate) initial: Vec<Item>,
    pub(crate) sections: Vec<Section>,
}

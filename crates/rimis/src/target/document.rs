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
    pub(crate) fn new(title: impl Into<String>, items: Vec<Item>) -> Self {
        Section { title: title.into(), items }
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

impl Item {
    /// The expressions of an item.
    pub(crate) fn expressions(&self) -> Vec<ExpressionId> {
        match self {
            Item::Equation(left, right) => vec![*left, *right],
            Item::Conditional(condition, left, right) => vec![*condition, *left, *right],
            Item::Assert { condition, message, .. } => vec![*condition, *message],
            Item::When(branches) => {
                let of_branch = |branch: &Branch| {
                    let actions = branch.actions.iter().flat_map(Action::expressions);
                    branch.conditions.iter().copied().chain(actions).collect::<Vec<_>>()
                };
                branches.iter().flat_map(of_branch).collect()
            }
        }
    }

    /// The same, to be replaced.
    pub(crate) fn expressions_mut(&mut self) -> Vec<&mut ExpressionId> {
        match self {
            Item::Equation(left, right) => vec![left, right],
            Item::Conditional(condition, left, right) => vec![condition, left, right],
            Item::Assert { condition, message, .. } => vec![condition, message],
            Item::When(branches) => branches.iter_mut().flat_map(Branch::expressions_mut).collect(),
        }
    }

    /// The variables that an item sets at events.
    pub(crate) fn set_at_events(&self) -> Vec<VariableId> {
        let Item::When(branches) = self else { return Vec::new() };
        let actions = branches.iter().flat_map(|branch| &branch.actions);
        let set = actions.filter_map(|action| match action {
            Action::Reinit(variable, _) | Action::Assign(variable, _) => Some(*variable),
            Action::Assert { .. } | Action::Terminate { .. } => None,
        });
        set.collect()
    }
}

/// A branch of a `when`.
#[derive(Debug)]
pub(crate) struct Branch {
    /// Active when any of these becomes true.
    pub(crate) conditions: Vec<ExpressionId>,
    pub(crate) actions: Vec<Action>,
}

impl Branch {
    fn expressions_mut(&mut self) -> Vec<&mut ExpressionId> {
        let actions = self.actions.iter_mut().flat_map(Action::expressions_mut);
        self.conditions.iter_mut().chain(actions).collect()
    }
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
    /// `if condition then terminate(message); end if`
    Terminate { condition: ExpressionId, message: ExpressionId },
}

impl Action {
    fn expressions(&self) -> Vec<ExpressionId> {
        match self {
            Action::Reinit(_, value) | Action::Assign(_, value) => vec![*value],
            Action::Assert { condition, message, .. } | Action::Terminate { condition, message } => {
                vec![*condition, *message]
            }
        }
    }

    fn expressions_mut(&mut self) -> Vec<&mut ExpressionId> {
        match self {
            Action::Reinit(_, value) | Action::Assign(_, value) => vec![value],
            Action::Assert { condition, message, .. } | Action::Terminate { condition, message } => {
                vec![condition, message]
            }
        }
    }
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

impl Document {
    /// All that stands in it as equations.
    pub(crate) fn items(&self) -> impl Iterator<Item = &Item> {
        self.sections.iter().flat_map(|section| &section.items).chain(&self.initial)
    }

    /// The same, to be rewritten.
    pub(crate) fn items_mut(&mut self) -> impl Iterator<Item = &mut Item> {
        self.sections.iter_mut().flat_map(|section| &mut section.items).chain(&mut self.initial)
    }
}

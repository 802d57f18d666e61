//! What `changes` says, in words: text, JSON, DOT and SVG are four ways to write one [`ChangesReport`].

use modeshift_mode_changes::ChangeReport;

/// All mode changes of a model.
#[derive(Clone, Debug)]
pub struct ChangesReport {
    /// The class.
    pub model: String,
    /// How many modes there are, in decimal.
    pub mode_count: String,
    /// What the mode before was restricted to.
    pub from: Option<String>,
    /// What the mode after was restricted to.
    pub to: Option<String>,
    /// The kinds of changes, where they are few enough to be listed.
    pub changes: Vec<ChangeReport>,
    /// What there is instead where they are not.
    pub summary: Option<ChangesSummary>,
    /// The modes and the changes between them, where they are few enough to be drawn.
    pub graph: Option<ModeGraph>,
}

/// What happens somewhere in a large model: items with their changes instead of changes with their items.
#[derive(Clone, Debug, Default)]
pub struct ChangesSummary {
    /// How many constraints some change erases.
    pub erased_count: usize,
    /// The first of them.
    pub erased: Vec<ItemInChanges>,
    /// How many left limits some change leaves open.
    pub undetermined_count: usize,
    /// The first of them.
    pub undetermined: Vec<ItemInChanges>,
    /// How many variables are impulsive in some change.
    pub impulsive_count: usize,
    /// How many variables jump in some change.
    pub discontinuous_count: usize,
    /// The first of the variables that a change reaches, with their orders or the rules for them.
    pub orders: Vec<OrderInChanges>,
    /// How many variables have rules instead of orders, because what reaches them may come from far away.
    pub ruled_count: usize,
}

/// A name and the changes it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemInChanges {
    /// `k1'`
    pub name: String,
    /// Over `pre(g)` and `g`.
    pub when: String,
}

/// The impulse order of a variable in some changes, or a rule about it: the orders of a change are the least numbers
/// that satisfy all rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderInChanges {
    /// `[[x]]`, the variable or the derivative of it that a rule is about.
    pub of: String,
    /// Whether it is a rule: the order is not below this one.
    pub is_least: bool,
    /// `1`, or in a rule the order of something else, `[[w']]`.
    pub order: String,
    /// Over `pre(g)` and `g`.
    pub when: String,
}

/// Modes as vertices, changes as arrows.
#[derive(Clone, Debug)]
pub struct ModeGraph {
    /// The modes, each by its true and false mode variables.
    pub modes: Vec<String>,
    /// The changes that do something.
    pub arrows: Vec<ModeArrow>,
}

/// A change from one mode to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeArrow {
    /// The mode before.
    pub from: usize,
    /// The mode after.
    pub to: usize,
    /// Which of the kinds of changes it is.
    pub kind: usize,
}

//! What `changes` says, in words: text, JSON, DOT and SVG are four ways to write one [`ChangesReport`].

use modeshift_mode_changes::{ChangeReport, Verdict};
use serde_json::{Value, json};

use super::{dot, graph, text};
use crate::json::{Book, ByName, Json, Version};

/// A variable that is continuous although a change reaches it: written as its name, or with the number of its
/// continuous derivatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continuous {
    /// The variable.
    pub variable: String,
    /// How many of its derivatives are continuous too.
    pub derivatives: u32,
}

impl Json for Continuous {
    fn json(&self) -> Value {
        match self.derivatives {
            0 => json!(self.variable),
            count => json!({"variable": self.variable, "derivatives": count}),
        }
    }

    fn schema(book: &mut Book) -> Value {
        book.define("Continuous", |_| {
            let object = json!({
                "type": "object",
                "properties": {"variable": {"type": "string"}, "derivatives": {"type": "integer"}},
                "required": ["variable", "derivatives"],
                "additionalProperties": false,
            });
            let description = "A variable, with the number of its continuous derivatives where there are some.";
            json!({"description": description, "anyOf": [{"type": "string"}, object]})
        })
    }
}

crate::report! {
    /// The impulse order of a variable.
    pub struct ImpulseOrder {
        /// The variable.
        variable: String => always "variable",
        /// A number, a fraction, or `inf`.
        order: String => always "order",
    }

    /// One restart system: a block at a level.
    pub struct RestartLevel {
        /// The level, highest first; 0 is the leading system.
        level: u32 => always "level",
        /// Constraints, and equations of which weights balance.
        equations: Vec<String> => always "equations",
        /// Right limits, and variables of which weights are found.
        solves: Vec<String> => always "solves",
        /// Those of them that have a closed form, and the formula, in which `pre(x)` is a left limit: of a variable that is named in
        /// `impulse_orders` for the weight of its impulse, of others for the right limit.
        formula: ByName<String> => optional "formula",
    }

    /// An equation of the difference array that is erased.
    pub struct ErasedShift {
        /// The equation.
        equation: String => always "equation",
        /// How often it is shifted.
        shift: u32 => always "shift",
    }

    /// The verdict of the difference array of E22 §8.5 about one change of a kind.
    pub struct ArrayComparison {
        /// Erased equations.
        erased: Vec<ErasedShift> => always "erased",
        /// Variables that no equation of the array determines.
        undetermined: Vec<String> => always "undetermined",
        /// Whether both methods erase the same.
        agrees: bool => always "agrees",
    }

    /// One kind of mode changes.
    pub struct KindOfChange {
        /// In which changes, over `pre(g)` and `g`.
        when: String => always "when",
        /// The states of machines that it leaves and enters, `C1 -> R1`.
        states: Vec<String> => optional "states",
        /// `determined`, `underdetermined` or `rejected`.
        verdict: &'static str => always "verdict",
        /// Constraints of the new mode, with their derivatives, that the past cannot satisfy.
        erased: Vec<String> => always "erased",
        /// Variables that nothing determines.
        undetermined: Vec<String> => always "undetermined",
        /// Variables with impulses.
        impulse_orders: Vec<ImpulseOrder> => always "impulse_orders",
        /// Variables that are continuous although the change reaches them.
        continuous: Vec<Continuous> => always "continuous",
        /// Variables that jump.
        discontinuous: Vec<String> => always "discontinuous",
        /// Products that the change leaves undefined, and the convention taken.
        warnings: Vec<String> => always "warnings",
        /// The restart systems of one change of this kind.
        restart: Vec<RestartLevel> => always "restart",
        /// Why changes are rejected.
        reason: Option<String> => optional "reason",
        /// Where a transient mode is passed: the modes before, at and after the instant.
        cascade: Vec<String> => optional "cascade",
        /// What the modeler can do about an underdetermined change.
        help: Option<String> => optional "help",
        /// The verdict of the difference array, where it was asked for.
        array: Option<ArrayComparison> => optional "array",
        /// All of it as text.
        text: String => hidden,
        /// `[[f1]] = [[f2]] = 1`, one text per order.
        impulse_orders_text: Vec<String> => hidden,
    }

    /// A name and the changes it belongs to.
    pub struct ItemInChanges {
        /// `k1'`
        name: String => always "name",
        /// Over `pre(g)` and `g`.
        when: String => always "when",
    }

    /// The impulse order of a variable in some changes.
    pub struct OrderInChanges {
        /// The variable.
        variable: String => always "variable",
        /// The order: above 0 impulsive, 0 a jump, below 0 continuous.
        order: String => always "order",
        /// Over `pre(g)` and `g`.
        when: String => always "when",
        /// Its place among orders and rules.
        position: usize => hidden,
    }

    /// A rule about impulse orders: the orders of a change are the least numbers that satisfy all rules.
    pub struct OrderRule {
        /// `[[x]]`, the variable or the derivative of it that the rule is about.
        of: String => always "of",
        /// The order is not below this: a number, or the order of something else, `[[w']]`.
        at_least: String => always "at_least",
        /// Over `pre(g)` and `g`.
        when: String => always "when",
        /// Its place among orders and rules.
        position: usize => hidden,
    }

    /// The changes of a large model: items with their changes instead of changes with their items.
    pub struct ChangesSummary {
        /// How many constraints some change erases.
        erased_count: usize => hidden,
        /// The first of them.
        erased: Vec<ItemInChanges> => always "erased",
        /// How many left limits some change leaves open.
        undetermined_count: usize => hidden,
        /// The first of them.
        undetermined: Vec<ItemInChanges> => always "undetermined",
        /// How many variables are impulsive in some change.
        impulsive_count: usize => hidden,
        /// How many variables jump in some change.
        discontinuous_count: usize => hidden,
        /// The first of the variables that a change reaches, with their orders.
        orders: Vec<OrderInChanges> => always "orders",
        /// Rules in place of orders, where something that reaches a variable may come from far away.
        order_rules: Vec<OrderRule> => always "order_rules",
        /// How many variables have rules instead of orders.
        ruled_count: usize => hidden,
    }

    /// All mode changes of a model.
    pub struct ChangesReport {
        /// The version of the format.
        version: Version => always "version",
        /// The class.
        model: String => always "model",
        /// The mode before that it was restricted to.
        from: Option<String> => optional "from",
        /// The mode after that it was restricted to.
        to: Option<String> => optional "to",
        /// How many modes there are, in decimal.
        mode_count: String => always "mode_count",
        /// The kinds of changes, where they are few enough to be listed.
        changes: Vec<KindOfChange> => always "changes",
        /// Whether there are too many kinds of changes to be listed.
        truncated: bool => optional "truncated",
        /// The summary that stands for the list where there are too many.
        summary: Option<ChangesSummary> => optional "summary",
        /// The modes and the changes between them, where they are few enough to be drawn.
        graph: Option<ModeGraph> => hidden,
    }
}

/// Modes as vertices, changes as arrows.
#[derive(Clone, Debug, PartialEq, Eq)]
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

impl From<&ChangeReport> for KindOfChange {
    fn from(change: &ChangeReport) -> KindOfChange {
        let order =
            |(variable, order): &(String, String)| ImpulseOrder { variable: variable.clone(), order: order.clone() };
        let continuous = |(variable, derivatives): &(String, u32)| Continuous {
            variable: variable.clone(),
            derivatives: *derivatives,
        };
        let erased = |(equation, shift): &(String, u32)| ErasedShift { equation: equation.clone(), shift: *shift };
        KindOfChange {
            when: change.when.clone(),
            states: Vec::new(),
            verdict: change.verdict.word(),
            erased: change.erased.clone(),
            undetermined: change.undetermined.clone(),
            impulse_orders: change.impulse_orders.iter().map(order).collect(),
            continuous: change.continuous.iter().map(continuous).collect(),
            discontinuous: change.discontinuous.clone(),
            warnings: change.warnings.clone(),
            restart: change
                .restart
                .iter()
                .map(|it| RestartLevel {
                    level: it.level,
                    equations: it.equations.clone(),
                    solves: it.solves.clone(),
                    formula: ByName(it.formula.clone()),
                })
                .collect(),
            reason: change.reason.clone(),
            cascade: change.cascade.clone(),
            help: change.help.clone(),
            array: change.array.as_ref().map(|array| ArrayComparison {
                erased: array.erased.iter().map(erased).collect(),
                undetermined: array.undetermined.clone(),
                agrees: array.agrees,
            }),
            text: change.to_string(),
            impulse_orders_text: change.impulse_orders_text(),
        }
    }
}

impl KindOfChange {
    /// Whether all restart values follow.
    pub fn is_determined(&self) -> bool {
        self.verdict == Verdict::Determined.word()
    }
}

impl ChangesReport {
    /// For people, in the words of E22.
    pub fn text(&self) -> String {
        text::changes_to_text(self)
    }

    /// For programs.
    pub fn json(&self) -> Value {
        Json::json(self)
    }

    /// In the language of Graphviz.
    pub fn dot(&self) -> String {
        dot::changes_to_dot(self)
    }

    /// The picture.
    pub fn svg(&self) -> String {
        graph::changes_to_svg(self)
    }
}

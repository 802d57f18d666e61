//! What `init` says, in words: text and JSON are two ways to write one [`InitReport`].

use serde_json::Value;

use super::text;
use crate::analyze::BlockReport;
use crate::json::{Book, ByName, ItemWhen, Json, Version, name_when, name_when_schema};
use crate::place::Place;

/// An initial equation, a fixed start value, or an equation of the model: written as its text.
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionReport {
    /// Its text, or the name of the equation.
    pub text: String,
    /// `start`, `initial equation` or `equation`.
    pub kind: &'static str,
    /// Where it was written.
    pub place: Option<Place>,
    /// In which modes of the case; `None` for all.
    pub when: Option<String>,
}

impl Json for ConditionReport {
    fn json(&self) -> Value {
        name_when(&self.text, &self.when)
    }

    fn schema(book: &mut Book) -> Value {
        name_when_schema(book)
    }
}

crate::report! {
    /// Where a condition is, and of which kind.
    pub struct ConditionPlace {
        /// Its text, or the name of the equation.
        text: String => always "text",
        /// `start`, `initial equation` or `equation`.
        kind: &'static str => always "kind",
        /// Where it was written.
        place: Option<Place> => optional "span",
    }

    /// Modes with one verdict for one reason.
    pub struct CaseReport {
        /// The modes.
        when: String => always "when",
        /// Whether time and parameters allow them at the start.
        possible: bool => always "possible",
        /// `determined`, `underdetermined` or `overdetermined`.
        verdict: &'static str => always "verdict",
        /// States that still need a value.
        free: Vec<ItemWhen> => always "free",
        /// A smallest set to fix.
        proposal: Vec<ItemWhen> => always "proposal",
        /// Conditions that are too many but agree with the others, by their texts.
        redundant: Vec<ConditionReport> => always "redundant",
        /// Conditions that are too many and contradict the others, by their texts.
        conflicting: Vec<ConditionReport> => always "conflicting",
        /// The smallest conflicting subset, by their texts.
        conflict: Vec<ConditionReport> => always "conflict",
        /// All conditions of these lists, each once, with their places.
        conditions: Vec<ConditionPlace> => always "conditions",
        /// One mode of the case.
        example: String => always "example",
        /// The blocks of the square part, in the order of solution.
        blocks: Vec<BlockReport> => always "blocks",
        /// Whether blocks were left out.
        truncated: bool => optional "truncated",
    }

    /// Start values.
    pub struct StartReport {
        /// The mode: each mode variable with its value.
        mode: ByName<bool> => always "mode",
        /// Variables and derivatives with their values, in order of declaration.
        values: ByName<f64> => always "values",
    }

    /// One initial scenario.
    pub struct ScenarioReport {
        /// Its name; `default` where the model has none.
        name: String => always "name",
        /// Whether the model declares it.
        declared: bool => hidden,
        /// Its initial modes.
        when: String => always "when",
        /// `determined`, `underdetermined` or `overdetermined`, over all its possible modes; `inconsistent` where
        /// values were looked for and there are none.
        verdict: &'static str => always "verdict",
        /// Disjoint cases of modes.
        cases: Vec<CaseReport> => always "cases",
        /// Modes that are left out, because the model is singular there.
        singular: Option<String> => optional "singular",
        /// The start values, where they were found.
        start: Option<StartReport> => optional "start",
    }

    /// The start of a model.
    pub struct InitReport {
        /// The version of the format.
        version: Version => always "version",
        /// The class.
        model: String => always "model",
        /// The modes it was restricted to.
        at: Option<String> => optional "at",
        /// The scenarios.
        scenarios: Vec<ScenarioReport> => always "scenarios",
    }
}

impl InitReport {
    /// For people.
    pub fn text(&self) -> String {
        text::init_to_text(self)
    }

    /// For programs.
    pub fn json(&self) -> Value {
        Json::json(self)
    }
}

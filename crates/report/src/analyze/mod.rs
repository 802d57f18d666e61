//! What `analyze` says about a model, in words: the structural analysis with every set of modes as its shortest
//! formula and every id as its name. Text, JSON, DOT and SVG are four ways to write one [`AnalyzeReport`].
//!
//! | module | purpose |
//! |---|---|
//! | `build` | from a structural analysis to the report |
//! | `dot` | the report in the language of Graphviz |
//! | `focus` | the part of the report around a name, and repeated elements as one |
//! | `graph` | the report as a picture |
//! | `matrix` | the signature matrix of one mode, block by block |
//! | `subscripts` | names that differ in subscripts alone, as one |
//! | `summary` | what is printed of a model too large to list |
//! | `text` | the report as text, in the notation of the papers |

mod build;
mod dot;
mod focus;
mod graph;
mod matrix;
mod subscripts;
mod summary;
mod text;

pub use build::{Scope, at_text, report, valuation_text};
pub use dot::quoted;
pub use focus::focused;
pub use graph::LARGEST_PICTURE;
pub use matrix::matrix_text;
pub use summary::{LARGEST_LISTING, summary_text};
pub use text::{block_text, mode_count_text, mode_variable_text, section};

use serde_json::Value;

use crate::json::{ItemWhen, Json, Version};
use crate::place::Place;

crate::report! {
    /// A number that depends on the mode, one case of it.
    pub struct Case {
        /// The modes.
        when: String => always "when",
        /// The value there.
        value: i64 => always "value",
    }

    /// A mode variable.
    pub struct ModeVariableReport {
        /// Its name, or the text of the relation.
        name: String => always "name",
        /// The expression that defines it; nothing for one that is given from outside or by a `when`.
        definition: Option<String> => always "definition",
        /// Whether it is decided by next-mode selection.
        implicit: bool => always "implicit",
        /// Where it is defined.
        place: Option<Place> => optional "span",
    }

    /// An equation or a variable with its offsets.
    pub struct ItemReport {
        /// Its name.
        name: String => always "name",
        /// The modes in which it is there.
        when: String => always "when",
        /// How often the equation is differentiated, or the order of the variable's leading derivative.
        offsets: Vec<Case> => always "offsets",
        /// Where it was written.
        place: Option<Place> => optional "span",
    }

    /// Equations and variables of one part of a Dulmage–Mendelsohn decomposition.
    pub struct PartReport {
        /// The equations.
        equations: Vec<String> => always "equations",
        /// The variables.
        variables: Vec<String> => always "variables",
    }

    /// Modes in which the model is singular in one and the same way.
    pub struct SingularReport {
        /// The modes.
        when: String => always "when",
        /// One of them.
        example: String => always "example",
        /// `harmless`: the states are determined; `impossible`: no run enters; `wrong`; or `undecided`.
        kind: &'static str => always "kind",
        /// What is not determined in some of these modes.
        undetermined: Vec<String> => always "undetermined",
        /// Too many equations for these variables.
        overdetermined: PartReport => always "overdetermined",
        /// Too few equations for these variables.
        underdetermined: PartReport => always "underdetermined",
        /// Whether each name of the lists is there in some mode only, because the modes are too many to be told apart.
        truncated: bool => optional "truncated",
    }

    /// Equations that are solved together.
    pub struct BlockReport {
        /// Its number: the position in the list.
        id: usize => always "id",
        /// The modes in which it is there.
        when: String => always "when",
        /// Its equations, such as `eh2'`.
        equations: Vec<String> => always "equations",
        /// The variables that must be known before, with the modes in which they are read where these are not all.
        reads: Vec<ItemWhen> => always "reads",
        /// The variables that it is solved for.
        writes: Vec<String> => always "writes",
    }

    /// That one block must be solved before another.
    pub struct DependencyReport {
        /// The block that is solved first.
        from: usize => always "from",
        /// The block that reads what it writes.
        to: usize => always "to",
        /// The modes.
        when: String => always "when",
        /// Whether that says more than the guards of both blocks together.
        narrower: bool => hidden,
    }

    /// The structure of a model in its long modes.
    pub struct AnalyzeReport {
        /// The version of the format.
        version: Version => always "version",
        /// The class that was analyzed.
        model: String => always "model",
        /// The modes this is restricted to, where it is.
        at: Option<String> => optional "at",
        /// The mode variables.
        mode_variables: Vec<ModeVariableReport> => always "mode_variables",
        /// A formula that all modes satisfy.
        invariant: String => always "invariant",
        /// How many modes there are, in decimal.
        mode_count: String => always "mode_count",
        /// `regular` or `singular`.
        verdict: &'static str => always "verdict",
        /// How it is singular, mode by mode; empty if it is regular.
        singular: Vec<SingularReport> => always "singular",
        /// Modes of zero duration, in which a `when` with restart laws fires.
        transient: Option<String> => optional "transient",
        /// All lasting modes in which the model is singular; `false` if it is regular.
        singular_when: String => hidden,
        /// The equations in source order.
        equations: Vec<ItemReport> => always "equations",
        /// The variables in declaration order.
        variables: Vec<ItemReport> => always "variables",
        /// Pryce's structural index by mode.
        structural_index: Vec<Case> => always "structural_index",
        /// Degrees of freedom by mode.
        degrees_of_freedom: Vec<Case> => always "degrees_of_freedom",
        /// Between which bounds the degrees of freedom are, where the cases are too many to list.
        degrees_of_freedom_between: Option<(u32, u32)> => optional "degrees_of_freedom_between",
        /// The blocks, in an order in which each mode's can be solved where there is one.
        blocks: Vec<BlockReport> => always "blocks",
        /// How many blocks there are, listed or not.
        block_count: usize => hidden,
        /// Which block needs which.
        dependencies: Vec<DependencyReport> => always "dependencies",
        /// Whether some blocks are not listed, or not told apart by what they read.
        truncated: bool => optional "truncated",
    }
}

impl AnalyzeReport {
    /// For people, in the notation of the papers.
    pub fn text(&self) -> String {
        text::to_text(self)
    }

    /// For programs.
    pub fn json(&self) -> Value {
        Json::json(self)
    }

    /// In the language of Graphviz.
    pub fn dot(&self) -> String {
        dot::to_dot(self)
    }

    /// The picture; of more than [`LARGEST_PICTURE`] blocks the first are drawn, and the picture says so.
    pub fn svg(&self) -> String {
        graph::to_svg(self)
    }
}

//! What `analyze` says about a model, in words: the structural analysis with every set of modes as its shortest
//! formula and every id as its name. Text, JSON, DOT and SVG are four ways to write one [`Report`].

mod build;
mod dot;
mod graph;
mod json;
mod summary;
mod text;

pub use build::{Scope, report, valuation_text};
pub use dot::{quoted, to_dot};
pub use graph::{LARGEST_PICTURE, to_svg};
pub use json::{block_to_json, mode_variable_to_json, place_to_json, to_json, with_span};
pub use summary::{LARGEST_LISTING, summary_text};
pub use text::{block_text, mode_count_text, mode_variable_text, section, to_text};

use modeshift_diagnostics::{SourceMap, Span};

/// A place in the source as people write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as it was given.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

impl Place {
    /// The start of a span; `None` for the default span, which stands for no place in particular.
    pub fn of(span: Span, sources: &SourceMap) -> Option<Place> {
        if span == Span::default() {
            return None;
        }
        let (file, at) = sources.place(span)?;
        Some(Place { file: file.to_string(), line: at.line, column: at.column })
    }
}

/// A number that depends on the mode, one case of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The modes.
    pub when: String,
    /// The value there.
    pub value: i64,
}

/// A mode variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeVariableReport {
    /// Its name, or the text of the relation.
    pub name: String,
    /// What defines it; `None` for one that is given from outside or by a `when`.
    pub definition: Option<String>,
    /// Whether it is decided by next-mode selection.
    pub implicit: bool,
    /// Where it is defined.
    pub place: Option<Place>,
}

/// An equation or a variable with its offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemReport {
    /// Its name.
    pub name: String,
    /// The modes in which it is there.
    pub when: String,
    /// How often the equation is differentiated, or the order of the variable's leading derivative.
    pub offsets: Vec<Case>,
    /// Where it was written.
    pub place: Option<Place>,
}

/// Equations and variables of one part of a Dulmage–Mendelsohn decomposition.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PartReport {
    /// The equations.
    pub equations: Vec<String>,
    /// The variables.
    pub variables: Vec<String>,
}

/// Modes in which the model is singular in one and the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SingularReport {
    /// The modes.
    pub when: String,
    /// One of them.
    pub example: String,
    /// Too many equations for these variables.
    pub overdetermined: PartReport,
    /// Too few equations for these variables.
    pub underdetermined: PartReport,
    /// Whether the lists are those of every mode; else each name is there in some mode.
    pub exact: bool,
}

/// A variable that a block reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadReport {
    /// `x'`
    pub name: String,
    /// The modes of the block in which it is read; `None` for all.
    pub when: Option<String>,
}

/// Equations that are solved together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockReport {
    /// Its number: the position in the list.
    pub id: usize,
    /// The modes in which it is there.
    pub when: String,
    /// `eh2'`
    pub equations: Vec<String>,
    /// What must be known before.
    pub reads: Vec<ReadReport>,
    /// What is solved for.
    pub writes: Vec<String>,
}

/// That one block must be solved before another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependencyReport {
    /// The block that is solved first.
    pub from: usize,
    /// The block that reads what it writes.
    pub to: usize,
    /// The modes.
    pub when: String,
    /// Whether that says more than the guards of both blocks together.
    pub narrower: bool,
}

/// The whole of it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Report {
    /// The class that was analyzed.
    pub model: String,
    /// The modes this is restricted to, where it is.
    pub at: Option<String>,
    /// The mode variables.
    pub mode_variables: Vec<ModeVariableReport>,
    /// What all modes satisfy.
    pub invariant: String,
    /// How many modes there are, in decimal.
    pub mode_count: String,
    /// Modes of zero duration, in which a `when` with restart laws fires; `false` if there are none.
    pub transient_when: String,
    /// All lasting modes in which the model is singular; `false` if it is regular.
    pub singular_when: String,
    /// How it is singular there, mode by mode; empty if it is regular.
    pub singular: Vec<SingularReport>,
    /// The equations in source order.
    pub equations: Vec<ItemReport>,
    /// The variables in declaration order.
    pub variables: Vec<ItemReport>,
    /// Pryce's structural index by mode.
    pub structural_index: Vec<Case>,
    /// Degrees of freedom by mode.
    pub degrees_of_freedom: Vec<Case>,
    /// Between which bounds the degrees of freedom are, where the cases are too many to list.
    pub degrees_of_freedom_between: Option<(u32, u32)>,
    /// The blocks, in an order in which each mode's can be solved where there is one.
    pub blocks: Vec<BlockReport>,
    /// How many blocks there are, listed or not.
    pub block_count: usize,
    /// Which block needs which.
    pub dependencies: Vec<DependencyReport>,
    /// Whether some blocks are not listed, or not told apart by what they read.
    pub truncated: bool,
}

impl Report {
    /// `regular` or `singular`.
    pub fn verdict(&self) -> &'static str {
        if self.singular.is_empty() { "regular" } else { "singular" }
    }
}

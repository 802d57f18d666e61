//! The modes of a model with the changes between them in the language of Graphviz.

use std::fmt::Write as _;

use super::graph::label;
use super::report::ChangesReport;
use crate::analyze::quoted;

/// `digraph "Model" { … }`: a vertex per mode and an arrow per change; of many modes, a vertex per kind of changes.
pub(super) fn changes_to_dot(report: &ChangesReport) -> String {
    let mut dot = String::new();
    let _ = writeln!(dot, "digraph {} {{", quoted(&report.model));
    let _ = writeln!(dot, "  node [shape=box, style=rounded, fontname=\"monospace\"];");
    let _ = writeln!(dot, "  edge [fontname=\"monospace\", fontsize=10];");
    match &report.graph {
        Some(graph) => {
            for (number, mode) in graph.modes.iter().enumerate() {
                let _ = writeln!(dot, "  m{number} [label={}];", quoted(mode));
            }
            for arrow in &graph.arrows {
                let text = quoted(&label(&report.changes[arrow.kind]));
                let _ = writeln!(dot, "  m{} -> m{} [label={text}];", arrow.from, arrow.to);
            }
        }
        None => {
            for (number, change) in report.changes.iter().enumerate() {
                let text = quoted(&format!("{}\n{}", change.when, label(change)));
                let _ = writeln!(dot, "  k{number} [label={text}];");
            }
        }
    }
    if report.summary.is_some() {
        let _ = writeln!(dot, "  more [label=\"more kinds of mode changes than the limit\", shape=plaintext];");
    }
    dot.push_str("}\n");
    dot
}

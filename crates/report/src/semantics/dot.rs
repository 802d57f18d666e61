//! The graph of the constructive semantics in the language of Graphviz.

use std::fmt::Write as _;

use super::graph::colour;
use super::report::SemanticsReport;
use super::text::left_out;
use crate::analyze::quoted;

/// `digraph "Model" { … }`: a vertex per context and an arrow per run, coloured as in RR8933 Fig. 3.
pub(super) fn semantics_to_dot(report: &SemanticsReport) -> String {
    let mut dot = String::new();
    let _ = writeln!(dot, "digraph {} {{", quoted(&report.model));
    let _ = writeln!(dot, "  node [shape=box, style=rounded, fontname=\"monospace\"];");
    let _ = writeln!(dot, "  edge [fontname=\"monospace\", fontsize=10];");
    if let Some(left_out) = left_out(report) {
        let _ = writeln!(dot, "  label={};", quoted(&left_out));
    }
    for (number, context) in report.contexts.iter().enumerate() {
        let label = quoted(&format!("{}\n{}", context.name, context.status));
        let _ = writeln!(dot, "  s{number} [label={label}];");
    }
    if report.runs.iter().any(|run| run.ends.1.is_none()) {
        let _ = writeln!(dot, "  fails [shape=plaintext];");
    }
    for run in &report.runs {
        let to = run.ends.1.map_or("fails".to_string(), |to| format!("s{to}"));
        let (label, colour) = (quoted(&run.sequence), quoted(colour(run.class)));
        let _ = writeln!(dot, "  s{} -> {to} [label={label}, color={colour}, fontcolor={colour}];", run.ends.0);
    }
    dot.push_str("}\n");
    dot
}

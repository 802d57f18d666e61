//! The conditional dependency graph in the language of Graphviz.

use std::fmt::Write as _;

use super::{AnalyzeReport, BlockReport};

/// `digraph "Model" { … }`, one vertex per block.
pub fn to_dot(report: &AnalyzeReport) -> String {
    let mut dot = String::new();
    let _ = writeln!(dot, "digraph {} {{", quoted(&report.model));
    let _ = writeln!(dot, "  node [shape=box, style=rounded, fontname=\"monospace\"];");
    let _ = writeln!(dot, "  edge [fontname=\"monospace\", fontsize=10];");
    for block in &report.blocks {
        let frames = if block.equations.len() > 1 { ", peripheries=2" } else { "" };
        let _ = writeln!(dot, "  b{} [label={}{frames}];", block.id, quoted(&label(block)));
    }
    for edge in &report.dependencies {
        let label = if edge.narrower { format!(" [label={}]", quoted(&edge.when)) } else { String::new() };
        let _ = writeln!(dot, "  b{} -> b{}{label};", edge.from, edge.to);
    }
    if report.truncated {
        let _ = writeln!(dot, "  more [label=\"more blocks than the limit\", shape=plaintext];");
    }
    dot.push_str("}\n");
    dot
}

fn label(block: &BlockReport) -> String {
    let guard = if block.when == "true" { String::new() } else { format!("{}:\n", block.when) };
    let names: Vec<&str> = block.reads.iter().map(|read| read.name.as_str()).collect();
    let reads = if names.is_empty() { String::new() } else { format!("{} --\n", names.join(" ")) };
    format!("{guard}{reads}{} -> {}", block.equations.join(" "), block.writes.join(" "))
}

/// A quoted string of the language: quotes and backslashes escaped, line ends as `\n`.
pub fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

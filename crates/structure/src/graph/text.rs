//! A conditional dependency graph in the papers' notation, `guard: reads -- equations -> writes`.
//!
//! E22, Figure 2: nothing in front of `--` where nothing is read, and no guard where it is `true`.

use std::fmt;

use modeshift_dae::{EquationId, Id, IndexVec};
use modeshift_modes::{FormulaPrinter, ModeSet};

use crate::Incidence;
use crate::graph::dependency_graph::{Block, ConditionalDependencyGraph, Derivative};
use crate::incidence::dual_representation::Vertex;

/// Displays a graph, one block per line, then the dependencies.
pub struct GraphText<'a> {
    /// Names of equations and variables.
    pub incidence: &'a Incidence,
    /// Texts of sets of modes.
    pub formulas: &'a FormulaPrinter<'a>,
    /// What to show.
    pub graph: &'a ConditionalDependencyGraph,
}

impl GraphText<'_> {
    /// One block: `bl: x' yh z -- e2 -> yl`.
    pub fn block(&self, block: Block<'_>) -> String {
        let mut text = self.guard(block.guard);
        for read in block.reads {
            text.push_str(&name(self.incidence.variables(), read.variable));
            if read.modes != block.guard {
                text.push_str(&format!("[{}]", self.formulas.print_within(read.modes, block.guard).text));
            }
            text.push(' ');
        }
        if !block.reads.is_empty() {
            text.push_str("-- ");
        }
        let equations: Vec<_> = block.equations.iter().map(|&it| name(self.incidence.equations(), it)).collect();
        let writes: Vec<_> = block.writes.iter().map(|&it| name(self.incidence.variables(), it)).collect();
        format!("{text}{} -> {}", equations.join(" "), writes.join(" "))
    }

    fn guard(&self, modes: ModeSet) -> String {
        match self.formulas.print(modes).text.as_str() {
            "true" => String::new(),
            guard => format!("{guard}: "),
        }
    }

    fn equations(&self, equations: &[Derivative<EquationId>]) -> String {
        let names: Vec<_> = equations.iter().map(|&it| name(self.incidence.equations(), it)).collect();
        names.join(" ")
    }
}

impl fmt::Display for GraphText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (_, block) in self.graph.blocks() {
            writeln!(f, "{}", self.block(block))?;
        }
        for dependency in self.graph.dependencies() {
            let (from, to) = (self.graph.block(dependency.from), self.graph.block(dependency.to));
            let guard = self.guard(dependency.modes);
            writeln!(f, "{guard}{} => {}", self.equations(from.equations), self.equations(to.equations))?;
        }
        Ok(())
    }
}

/// `x''` for the second derivative of `x`.
pub fn name<I: Id>(vertices: &IndexVec<I, Vertex>, derivative: Derivative<I>) -> String {
    derivative.named(&vertices[derivative.of].name).to_string()
}

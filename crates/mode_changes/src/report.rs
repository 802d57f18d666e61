//! Mode changes in words: what `changes` prints, and what its JSON holds.

use std::fmt;

use modeshift_dae::{EquationId, Id, ModeVariableId, VariableId};
use modeshift_modes::{FormulaPrinter, ModeVariable};
use modeshift_structure::Analysis;

use crate::all_changes::{AllChanges, ChangeKind};
use crate::impulse_order::{Defect, Potentials};
use crate::levels::{Condition, Unknown, condition, unknown};
use crate::mode_structure::ModeStructure;
use crate::pair_space::{Moment, PairSpace};

/// What the model says about a kind of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All restart values follow.
    Determined,
    /// Some do not.
    Underdetermined,
}

/// One kind of changes in words. Derivatives are written `x'`, those of equations `k1'`.
#[derive(Clone, Debug)]
pub struct ChangeReport {
    /// In which changes, over `pre(g)` and `g`.
    pub when: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Constraints of the new mode that the past cannot satisfy.
    pub erased: Vec<String>,
    /// What nothing determines.
    pub undetermined: Vec<String>,
    /// Variables with impulses, and the order.
    pub impulse_orders: Vec<(String, i64)>,
    /// Variables that are continuous although the change reaches them, and how many of their derivatives are.
    pub continuous: Vec<(String, u32)>,
    /// Variables that jump.
    pub discontinuous: Vec<String>,
    /// The restart systems of one change of this kind.
    pub restart: Vec<LevelReport>,
}

/// One restart system: a block at a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelReport {
    /// The level, highest first; 0 is the leading system.
    pub level: u32,
    /// Constraints, and equations of which weights balance.
    pub equations: Vec<String>,
    /// Right limits, and variables of which weights are found.
    pub solves: Vec<String>,
}

/// All kinds of changes of a model in words; `None` if there are more than `most`.
pub fn change_reports(
    changes: &AllChanges,
    analysis: &Analysis,
    names: &[String],
    most: usize,
) -> Option<Vec<ChangeReport>> {
    let pair_names = PairSpace::names(names);
    let printer = FormulaPrinter::new(&changes.pairs.space, &changes.pairs.invariant, &pair_names);
    let words = Words { changes, analysis, printer };
    Some(changes.kinds(most)?.iter().map(|kind| words.report(kind)).collect())
}

struct Words<'a> {
    changes: &'a AllChanges<'a>,
    analysis: &'a Analysis,
    printer: FormulaPrinter<'a>,
}

impl Words<'_> {
    fn equation(&self, equation: EquationId, order: u32) -> String {
        format!("{}{}", self.analysis.incidence.equations()[equation].name, "'".repeat(order as usize))
    }

    fn variable(&self, variable: VariableId, order: u32) -> String {
        format!("{}{}", self.analysis.incidence.variables()[variable].name, "'".repeat(order as usize))
    }

    fn report(&self, kind: &ChangeKind) -> ChangeReport {
        let of_order = |wanted: &dyn Fn(i64) -> bool| {
            let chosen = kind.orders.iter().filter(|(_, order)| wanted(*order));
            chosen.map(|&(variable, order)| (self.variable(variable, 0), order)).collect::<Vec<_>>()
        };
        let continuous = of_order(&|order| order < 0);
        ChangeReport {
            when: self.printer.print(kind.pairs).text,
            verdict: if kind.undetermined.is_empty() { Verdict::Determined } else { Verdict::Underdetermined },
            erased: kind.erased.iter().map(|&(equation, order)| self.equation(equation, order)).collect(),
            undetermined: kind.undetermined.iter().map(|&(variable, order)| self.variable(variable, order)).collect(),
            impulse_orders: of_order(&|order| order > 0),
            continuous: continuous.into_iter().map(|(name, order)| (name, (-order - 1) as u32)).collect(),
            discontinuous: of_order(&|order| order == 0).into_iter().map(|(name, _)| name).collect(),
            restart: self.restart(kind),
        }
    }

    /// The restart systems of one change of a kind: blocks that a defect reaches, level by level.
    fn restart(&self, kind: &ChangeKind) -> Vec<LevelReport> {
        let Some(example) = self.changes.pairs.space.pick(kind.pairs) else { return Vec::new() };
        let value = |moment: Moment, mode: ModeVariableId| {
            let variable = moment.variable(ModeVariable(mode.index() as u32));
            example.iter().any(|&(known, value)| known == variable && value)
        };
        let signature = self.analysis.signature(|mode| value(Moment::After, mode));
        let Ok(structure) = ModeStructure::of_signature(&signature) else { return Vec::new() };
        let is_in = |pairs| {
            self.changes.pairs.space.evaluate(pairs, |variable: ModeVariable| {
                example.iter().any(|&(known, value)| known == variable && value)
            })
        };
        let defects = self.changes.defects.iter().filter(|defect| is_in(defect.pairs));
        let row_of = |equation: EquationId| structure.rows().find(|&row| structure.equation(row) == equation);
        let defects = defects.filter_map(|defect| Some(Defect { row: row_of(defect.of)?, first: defect.order }));
        let reached = Potentials::spread(&structure, defects);
        let mut systems = Vec::new();
        for level in (1..=structure.highest_offset()).rev() {
            for block in structure.blocks() {
                let arrives = |&column: &_| reached.of(&structure, column).is_some_and(|p| p >= i64::from(level));
                if block.columns.iter().any(arrives) {
                    systems.push(self.level(&structure, block, level));
                }
            }
        }
        systems
    }

    fn level(&self, structure: &ModeStructure, block: &crate::Block, level: u32) -> LevelReport {
        let equation = |row| match condition(structure, i64::from(level), row) {
            Condition::Constraint(order) => self.equation(structure.equation(row), order),
            Condition::Balance(_) => self.equation(structure.equation(row), 0),
        };
        let solved = |column| match unknown(structure, i64::from(level), column) {
            Unknown::RightLimit(order) => self.variable(structure.variable(column), order),
            Unknown::Weight(_) => self.variable(structure.variable(column), 0),
        };
        LevelReport {
            level,
            equations: block.rows.iter().map(|&row| equation(row)).collect(),
            solves: block.columns.iter().map(|&column| solved(column)).collect(),
        }
    }
}

impl fmt::Display for ChangeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict {
            Verdict::Determined => "determined",
            Verdict::Underdetermined => "underdetermined",
        };
        writeln!(f, "{}: {verdict}", self.when)?;
        line(f, "erased", self.erased.iter().cloned())?;
        line(f, "not determined", self.undetermined.iter().cloned())?;
        let impulse = |(name, order): &(String, i64)| format!("{name} (order {order})");
        line(f, "impulsive", self.impulse_orders.iter().map(impulse))?;
        line(f, "jump", self.discontinuous.iter().cloned())?;
        let continuous = |(name, derivatives): &(String, u32)| match derivatives {
            0 => name.clone(),
            count => format!("{name} up to {name}{}", "'".repeat(*count as usize)),
        };
        line(f, "continuous", self.continuous.iter().map(continuous))?;
        for system in &self.restart {
            writeln!(f, "  level {}: {} -> {}", system.level, system.equations.join(" "), system.solves.join(" "))?;
        }
        Ok(())
    }
}

fn line(f: &mut fmt::Formatter<'_>, title: &str, items: impl Iterator<Item = String>) -> fmt::Result {
    let items: Vec<String> = items.collect();
    if items.is_empty() { Ok(()) } else { writeln!(f, "  {title}: {}", items.join(", ")) }
}

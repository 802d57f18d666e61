//! Mode changes in words: what `changes` prints, and what its JSON holds.

use std::cell::RefCell;
use std::fmt;

use modeshift_dae::{EquationId, ExpressionText, FlatModel, Id, ModeVariableId, MultimodeDae, VariableId};
use modeshift_modes::{FormulaPrinter, ModeSet, ModeVariable};
use modeshift_structure::Analysis;
use rustc_hash::FxHashMap;

use crate::all_changes::{AllChanges, ChangeKind};
use crate::closed_form::{ClosedForm, closed_forms};
use crate::impulse_order::{Defect, Potentials};
use crate::impulse_products::undefined_products;
use crate::levels::{Condition, Unknown, condition, unknown};
use crate::mode_structure::{Block, Column, ModeStructure, Row};
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
    /// Products that the change leaves undefined, and the convention taken.
    pub warnings: Vec<String>,
    /// What the modeler can do about an underdetermined change.
    pub help: Option<String>,
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
    /// Those of them that have a closed form, and the formula, in which `pre(x)` is a left limit.
    pub formula: Vec<(String, String)>,
}

/// All kinds of changes of a model in words; `None` if there are more than `most`.
pub fn change_reports(
    changes: &AllChanges,
    dae: &MultimodeDae,
    analysis: &Analysis,
    most: usize,
) -> Option<Vec<ChangeReport>> {
    change_reports_within(changes, dae, analysis, ModeSet::ALL, most)
}

/// The kinds of changes among some pairs of modes, in words.
pub fn change_reports_within(
    changes: &AllChanges,
    dae: &MultimodeDae,
    analysis: &Analysis,
    within: ModeSet,
    most: usize,
) -> Option<Vec<ChangeReport>> {
    let kinds = changes.kinds_within(within, most)?;
    let names: Vec<String> = dae.mode_variables.iter().map(|mode| mode.name.to_string()).collect();
    let pair_names = PairSpace::names(&names);
    let printer = FormulaPrinter::new(&changes.pairs.space, &changes.pairs.invariant, &pair_names);
    let words = Words { changes, analysis, printer, model: RefCell::new(dae.model.clone()) };
    Some(kinds.iter().map(|kind| words.report(kind)).collect())
}

struct Words<'a> {
    changes: &'a AllChanges<'a>,
    analysis: &'a Analysis,
    printer: FormulaPrinter<'a>,
    /// A copy, in which derivatives and formulas are built.
    model: RefCell<FlatModel>,
}

/// One change of a kind: the structure of the mode after it, and how far its defects reach there.
struct Example {
    /// Values of doubled mode variables; others are false.
    values: Vec<(ModeVariable, bool)>,
    structure: ModeStructure,
    defects: Potentials,
    reached: Potentials,
}

impl Example {
    fn is_true(&self, variable: ModeVariable) -> bool {
        self.values.iter().any(|&(known, value)| known == variable && value)
    }

    fn is_true_after(&self, mode: ModeVariableId) -> bool {
        self.is_true(Moment::After.variable(ModeVariable(mode.index() as u32)))
    }
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
        let example = self.example(kind);
        let help = "give start values, or say in a `when` what these are after the change";
        ChangeReport {
            when: self.printer.print(kind.pairs).text,
            verdict: if kind.undetermined.is_empty() { Verdict::Determined } else { Verdict::Underdetermined },
            erased: kind.erased.iter().map(|&(equation, order)| self.equation(equation, order)).collect(),
            undetermined: kind.undetermined.iter().map(|&(variable, order)| self.variable(variable, order)).collect(),
            impulse_orders: of_order(&|order| order > 0),
            continuous: continuous.into_iter().map(|(name, order)| (name, (-order - 1) as u32)).collect(),
            discontinuous: of_order(&|order| order == 0).into_iter().map(|(name, _)| name).collect(),
            warnings: example.as_ref().map_or(Vec::new(), |example| self.warnings(example)),
            help: (!kind.undetermined.is_empty()).then(|| help.to_string()),
            restart: example.as_ref().map_or(Vec::new(), |example| self.restart(example)),
        }
    }

    fn example(&self, kind: &ChangeKind) -> Option<Example> {
        let space = &self.changes.pairs.space;
        let values = space.pick(kind.pairs)?;
        let is_true = |variable: ModeVariable| values.iter().any(|&(known, value)| known == variable && value);
        let after = |mode: ModeVariableId| is_true(Moment::After.variable(ModeVariable(mode.index() as u32)));
        let structure = ModeStructure::of_signature(&self.analysis.signature(after)).ok()?;
        let is_in = |pairs: ModeSet| space.evaluate(pairs, is_true);
        let row_of: FxHashMap<EquationId, Row> = structure.rows().map(|row| (structure.equation(row), row)).collect();
        let defects = self.changes.defects.iter().filter(|defect| is_in(defect.pairs));
        let defects: Vec<Defect> =
            defects.filter_map(|defect| Some(Defect { row: *row_of.get(&defect.of)?, first: defect.order })).collect();
        let new = structure.rows().filter(|&row| is_in(self.changes.is_new[structure.equation(row)]));
        let new = new.map(|row| Defect { row, first: structure.equation_offset(row) });
        let reached = Potentials::spread(&structure, defects.iter().copied().chain(new));
        let defects = Potentials::spread(&structure, defects);
        Some(Example { values, structure, defects, reached })
    }

    fn warnings(&self, example: &Example) -> Vec<String> {
        let model = &mut *self.model.borrow_mut();
        let mode = |mode| example.is_true_after(mode);
        let products = undefined_products(model, &example.structure, &example.reached, mode).unwrap_or_default();
        products.iter().map(|product| product.message(model, &example.structure)).collect()
    }

    /// The restart systems of a change: blocks that a defect reaches, level by level.
    fn restart(&self, example: &Example) -> Vec<LevelReport> {
        let structure = &example.structure;
        let formulas = self.formulas(example);
        let mut systems = Vec::new();
        for level in (1..=structure.highest_offset()).rev() {
            for block in structure.blocks() {
                let arrives =
                    |&column: &_| example.defects.of(structure, column).is_some_and(|p| p >= i64::from(level));
                if block.columns.iter().any(arrives) {
                    systems.push(self.level(structure, block, level, &formulas));
                }
            }
        }
        systems
    }

    /// Closed forms of level 1 as text, by column.
    fn formulas(&self, example: &Example) -> Vec<(Column, String)> {
        let model = &mut *self.model.borrow_mut();
        let mode = |mode| example.is_true_after(mode);
        let forms = closed_forms(model, &example.structure, &example.defects, mode).unwrap_or_default();
        let text = |form: &ClosedForm| {
            let text = ExpressionText { model, modes: None, expression: form.formula };
            (form.column, text.to_string())
        };
        forms.iter().map(text).collect()
    }

    fn level(
        &self,
        structure: &ModeStructure,
        block: &Block,
        level: u32,
        formulas: &[(Column, String)],
    ) -> LevelReport {
        let equation = |row| match condition(structure, i64::from(level), row) {
            Condition::Constraint(order) => self.equation(structure.equation(row), order),
            Condition::Balance(_) => self.equation(structure.equation(row), 0),
        };
        let solved = |column| match unknown(structure, i64::from(level), column) {
            Unknown::RightLimit(order) => self.variable(structure.variable(column), order),
            Unknown::Weight(_) => self.variable(structure.variable(column), 0),
        };
        let own = formulas.iter().filter(|(column, _)| level == 1 && block.columns.binary_search(column).is_ok());
        LevelReport {
            level,
            equations: block.rows.iter().map(|&row| equation(row)).collect(),
            solves: block.columns.iter().map(|&column| solved(column)).collect(),
            formula: own.map(|(column, text)| (solved(*column), text.clone())).collect(),
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
        for warning in &self.warnings {
            writeln!(f, "  warning: {warning}")?;
        }
        for system in &self.restart {
            writeln!(f, "  level {}: {} -> {}", system.level, system.equations.join(" "), system.solves.join(" "))?;
            for (name, formula) in &system.formula {
                writeln!(f, "    {name} = {formula}")?;
            }
        }
        self.help.iter().try_for_each(|help| writeln!(f, "  help: {help}"))
    }
}

fn line(f: &mut fmt::Formatter<'_>, title: &str, items: impl Iterator<Item = String>) -> fmt::Result {
    let items: Vec<String> = items.collect();
    if items.is_empty() { Ok(()) } else { writeln!(f, "  {title}: {}", items.join(", ")) }
}

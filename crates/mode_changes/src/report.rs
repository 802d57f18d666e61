//! Mode changes in words: what `changes` prints, and what its JSON holds.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use modeshift_dae::{Derivative, EquationId, ExpressionText, FlatModel, MultimodeDae, VariableId};
use modeshift_modes::{FormulaPrinter, Limit, ModeSet};
use modeshift_structure::one_mode::{Block, Column, ModeStructure};
use modeshift_structure::{Analysis, name};

use crate::all_changes::{AllChanges, Cascades, ChangeExample, ChangeKind, Conflict, PairSpace, variables_of_states};
use crate::formulas::{ClosedForm, Order, nonlinear_orders};
use crate::one_change::{
    Condition, DifferenceArray, UndefinedProduct, Unknown, condition, undefined_products, unknown,
};

/// What the model says about a kind of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All restart values follow.
    Determined,
    /// Some do not.
    Underdetermined,
    /// What the model says contradicts itself, or does not end.
    Rejected,
}

impl Verdict {
    /// `determined`, `underdetermined` or `rejected`.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Determined => "determined",
            Verdict::Underdetermined => "underdetermined",
            Verdict::Rejected => "rejected",
        }
    }
}

/// One kind of changes in words. Derivatives are written `x'`, those of equations `k1'`.
#[derive(Clone, Debug)]
pub struct ChangeReport {
    /// The same by ids.
    pub kind: ChangeKind,
    /// In which changes, over `pre(g)` and `g`.
    pub when: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Why changes are rejected.
    pub reason: Option<String>,
    /// Where a transient mode is passed: the modes before, at and after the instant.
    pub cascade: Vec<String>,
    /// Constraints of the new mode that the past cannot satisfy.
    pub erased: Vec<String>,
    /// What nothing determines.
    pub undetermined: Vec<String>,
    /// Variables with impulses, and the order: a number, a fraction, or `inf`.
    pub impulse_orders: Vec<(String, String)>,
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
    /// What the difference array says, where it was asked for.
    pub array: Option<ArrayReport>,
}

impl ChangeReport {
    /// `[[f1]] = [[f2]] = 1`, one text per order.
    pub fn impulse_orders_text(&self) -> Vec<String> {
        let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
        for (name, order) in &self.impulse_orders {
            let name = format!("[[{name}]]");
            match groups.iter_mut().find(|group| group.0 == order) {
                Some(group) => group.1.push(name),
                None => groups.push((order, vec![name])),
            }
        }
        groups.iter().map(|(order, names)| format!("{} = {order}", names.join(" = "))).collect()
    }
}

/// What the difference array of E22 §8.5 says about one change of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayReport {
    /// Erased equations, and how often they are shifted.
    pub erased: Vec<(String, u32)>,
    /// Variables that no equation of the array determines.
    pub undetermined: Vec<String>,
    /// Whether both methods erase the same.
    pub agrees: bool,
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

impl AllChanges<'_> {
    /// The kinds of changes among some pairs of modes, in words, with the difference array beside them where asked for;
    /// `None` if there are more than `most`.
    pub fn reports(
        &self,
        dae: &MultimodeDae,
        within: ModeSet,
        most: usize,
        with_array: bool,
    ) -> Result<Option<Vec<ChangeReport>>, Limit> {
        let Some(kinds) = self.kinds_within(within, most)? else { return Ok(None) };
        let names: Vec<String> = dae.mode_variables.iter().map(|mode| mode.name.to_string()).collect();
        let pair_names = PairSpace::names(&names);
        let mut printer = FormulaPrinter::new(&self.pairs.space, &self.pairs.invariant, &pair_names);
        printer.prefer_conjunctions();
        let cascades = Cascades::new(self, dae)?;
        let model = RefCell::new(dae.model.clone());
        let words = Words { changes: self, analysis: self.analysis, dae, printer, cascades, with_array, model };
        Ok(Some(kinds.iter().map(|kind| words.report(kind)).collect()))
    }
}

struct Words<'a> {
    changes: &'a AllChanges<'a>,
    analysis: &'a Analysis,
    dae: &'a MultimodeDae,
    printer: FormulaPrinter<'a>,
    cascades: Cascades<'a>,
    with_array: bool,
    /// A copy, in which derivatives and formulas are built.
    model: RefCell<FlatModel>,
}

impl Words<'_> {
    fn equation(&self, of: Derivative<EquationId>) -> String {
        name(self.analysis.incidence.equations(), of)
    }

    fn variable(&self, of: Derivative<VariableId>) -> String {
        name(self.analysis.incidence.variables(), of)
    }

    fn report(&self, kind: &ChangeKind) -> ChangeReport {
        let of_states = variables_of_states(self.dae);
        let has_start = |id: VariableId| self.dae.model.variables[id].start.is_some() || of_states.contains(&id);
        let example = ChangeExample::of(self.changes, self.analysis, kind.pairs, &has_start);
        let example = example.as_ref();
        let products = example.map_or(Vec::new(), |example| self.products(example));
        let nonlinear = example.map_or(BTreeMap::new(), |example| self.nonlinear(example, &products));
        let order_of = |&(variable, order): &(VariableId, i64)| match example.and_then(|it| it.after.column(variable)) {
            Some(column) => nonlinear.get(&column).copied().unwrap_or(Order::new(order as f64)),
            None => Order::new(order as f64),
        };
        let of_order = |wanted: &dyn Fn(Order) -> bool| {
            let all = kind.orders.iter().map(|item| (self.variable(Derivative::new(item.0, 0)), order_of(item)));
            all.filter(|(_, order)| wanted(*order)).collect::<Vec<_>>()
        };
        let is_open =
            |name: &str| kind.undetermined.iter().any(|open| self.variable(Derivative::new(open.of, 0)) == name);
        // What has no past that would count gets its value anew.
        let jumps_afresh = |variable: VariableId| {
            let column = example.and_then(|example| Some((example, example.after.column(variable)?)));
            column.is_some_and(|(it, column)| it.fresh.order(&it.after, column).is_some_and(|order| order >= 0))
        };
        let afresh: Vec<String> = kind
            .orders
            .iter()
            .filter(|item| order_of(item) < Order::FINITE && jumps_afresh(item.0))
            .map(|item| self.variable(Derivative::new(item.0, 0)))
            .collect();
        let continuous = of_order(&|order| order < Order::FINITE)
            .into_iter()
            .filter(|(name, _)| !is_open(name) && !afresh.contains(name));
        let impulsive = of_order(&|order| order.is_impulsive());
        let reason = self.reason(kind);
        let verdict = match (&reason, kind.undetermined.is_empty()) {
            (Some(_), _) => Verdict::Rejected,
            (None, false) => Verdict::Underdetermined,
            (None, true) => Verdict::Determined,
        };
        ChangeReport {
            kind: kind.clone(),
            when: self.printer.print(kind.pairs).text,
            verdict,
            reason,
            cascade: self.cascades.instants(kind),
            erased: kind.erased.iter().map(|&constraint| self.equation(constraint)).collect(),
            undetermined: kind.undetermined.iter().map(|&open| self.variable(open)).collect(),
            impulse_orders: impulsive.into_iter().map(|(name, order)| (name, order.to_string())).collect(),
            continuous: continuous.map(|(name, order)| (name, (-order.value() - 1.0) as u32)).collect(),
            discontinuous: of_order(&|order| order == Order::FINITE)
                .into_iter()
                .map(|(name, _)| name)
                .chain(afresh.clone())
                .collect(),
            warnings: self.all_warnings(kind, example, &products, &nonlinear),
            help: (!kind.undetermined.is_empty()).then(|| help(kind).to_string()),
            restart: example
                .filter(|_| kind.fires.is_empty())
                .map_or(Vec::new(), |example| self.restart(example, &nonlinear)),
            array: example
                .filter(|_| self.with_array && kind.fires.is_empty())
                .map(|example| self.array(kind, example)),
        }
    }

    /// Why changes are rejected: what contradicts itself in the instant.
    fn reason(&self, kind: &ChangeKind) -> Option<String> {
        let name = |conflict: &Conflict| match *conflict {
            Conflict::Law(firing, _) => {
                format!("a law of {}", self.cascades.clause_name(firing))
            }
            Conflict::Constraint(constraint) => self.equation(constraint),
        };
        if !kind.conflicting.is_empty() {
            let names: Vec<String> = kind.conflicting.iter().map(name).collect();
            return Some(format!("too much is said about this instant: {} contradicts the rest", names.join(", ")));
        }
        None
    }

    /// What to know about a kind of changes: products without a meaning, and that values decide whether its cascade ends.
    fn all_warnings(
        &self,
        kind: &ChangeKind,
        example: Option<&ChangeExample>,
        products: &[UndefinedProduct],
        nonlinear: &BTreeMap<Column, Order>,
    ) -> Vec<String> {
        let mut warnings = example.map_or(Vec::new(), |example| self.warnings(example, products, nonlinear));
        let cycle = kind.fires.iter().find_map(|&firing| self.cascades.cycle(firing));
        warnings.extend(cycle.map(|cycle| format!("{cycle}; values decide whether they do")));
        warnings
    }

    /// The difference array of the example, and whether it erases the same.
    fn array(&self, kind: &ChangeKind, example: &ChangeExample) -> ArrayReport {
        let array = DifferenceArray::new(&example.after, &example.past);
        let erased: Vec<Derivative<EquationId>> =
            array.erased.iter().map(|it| Derivative::new(example.after.equation(it.of), it.order)).collect();
        let undetermined = array.undetermined.iter().map(|&(column, _)| example.after.variable(column));
        ArrayReport {
            agrees: erased == kind.erased,
            erased: erased.iter().map(|it| (self.equation(Derivative::new(it.of, 0)), it.order)).collect(),
            undetermined: undetermined.map(|variable| self.variable(Derivative::new(variable, 0))).collect(),
        }
    }

    fn products(&self, example: &ChangeExample) -> Vec<UndefinedProduct> {
        let model = &mut *self.model.borrow_mut();
        undefined_products(model, &example.after, &example.reached, example.mode_after()).unwrap_or_default()
    }

    /// Orders that nonlinear functions give.
    fn nonlinear(&self, example: &ChangeExample, products: &[UndefinedProduct]) -> BTreeMap<Column, Order> {
        let model = &mut *self.model.borrow_mut();
        nonlinear_orders(model, &example.after, &example.reached, products, example.mode_after())
    }

    fn warnings(
        &self,
        example: &ChangeExample,
        products: &[UndefinedProduct],
        nonlinear: &BTreeMap<Column, Order>,
    ) -> Vec<String> {
        let model = &*self.model.borrow();
        let message = |product: &UndefinedProduct| {
            let Derivative { of: column, order: derivative } = product.impulsive.0;
            let order = nonlinear.get(&column).map(|order| order.value() + f64::from(derivative));
            product.message(model, &example.after, Order::new(order.unwrap_or(product.impulsive.1 as f64)))
        };
        products.iter().map(message).collect()
    }

    /// The restart systems of a change: blocks that a defect reaches, level by level.
    fn restart(&self, example: &ChangeExample, nonlinear: &BTreeMap<Column, Order>) -> Vec<LevelReport> {
        let structure = &example.after;
        let mut formulas = self.formulas(example);
        // Behind these is no distribution that could have a weight.
        formulas.retain(|(column, _)| !nonlinear.contains_key(column));
        let mut systems = Vec::new();
        for level in (1..=structure.highest_offset()).rev() {
            for block in structure.blocks() {
                let arrives =
                    |&column: &_| example.defects.of(structure, column).is_some_and(|p| p >= i64::from(level));
                let is_behind = |column: &Column| nonlinear.contains_key(column);
                if block.columns.iter().any(arrives) && !block.columns.iter().any(is_behind) {
                    systems.push(self.level(structure, block, level, &formulas));
                }
            }
        }
        systems
    }

    /// Closed forms of level 1 as text, by column.
    fn formulas(&self, example: &ChangeExample) -> Vec<(Column, String)> {
        let model = &mut *self.model.borrow_mut();
        let forms = example
            .defects
            .closed_forms(model, &example.after, example.mode_after(), Some(&example.fresh))
            .unwrap_or_default();
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
            Condition::Constraint(order) => self.equation(Derivative::new(structure.equation(row), order)),
            Condition::Balance(_) => self.equation(Derivative::new(structure.equation(row), 0)),
        };
        let solved = |column| match unknown(structure, i64::from(level), column) {
            Unknown::RightLimit(order) => self.variable(Derivative::new(structure.variable(column), order)),
            Unknown::Weight(_) => self.variable(Derivative::new(structure.variable(column), 0)),
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

/// What to do about an underdetermined change.
fn help(kind: &ChangeKind) -> &'static str {
    match kind.fires.is_empty() {
        true => "give start values, or say in a `when` what these are after the change",
        false => {
            "the model does not say whether this impact is elastic: add an equation to this `when`, such as an impact law"
        }
    }
}

impl fmt::Display for ChangeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.when, self.verdict.word())?;
        line(f, "because", self.reason.iter().cloned())?;
        if !self.cascade.is_empty() {
            writeln!(f, "  cascade: {}", self.cascade.join(" -> "))?;
        }
        line(f, "erased", self.erased.iter().cloned())?;
        line(f, "not determined", self.undetermined.iter().cloned())?;
        line(f, "impulse orders", self.impulse_orders_text().into_iter())?;
        line(f, "jump", self.discontinuous.iter().cloned())?;
        let continuous = |(name, derivatives): &(String, u32)| match derivatives {
            0 => name.clone(),
            &order => format!("{name} up to {}", Derivative { of: (), order }.named(name)),
        };
        line(f, "continuous", self.continuous.iter().map(continuous))?;
        for warning in &self.warnings {
            writeln!(f, "  warning: {warning}")?;
        }
        for system in &self.restart {
            writeln!(f, "  level {}: {} -> {}", system.level, system.equations.join(" "), system.solves.join(" "))?;
            for (name, formula) in &system.formula {
                let is_impulsive = self.impulse_orders.iter().any(|(impulsive, _)| impulsive == name);
                let what = if is_impulsive { "weight of " } else { "" };
                writeln!(f, "    {what}{name} = {formula}")?;
            }
        }
        self.array.iter().try_for_each(|array| write!(f, "{array}"))?;
        self.help.iter().try_for_each(|help| writeln!(f, "  help: {help}"))
    }
}

impl fmt::Display for ArrayReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shifted = |(name, shift): &(String, u32)| format!("{name}{}", "•".repeat(*shift as usize));
        let erased: Vec<String> = self.erased.iter().map(shifted).collect();
        let erased = if erased.is_empty() { "nothing".to_string() } else { erased.join(", ") };
        let verdict = if self.agrees { "as above" } else { "not as above" };
        writeln!(f, "  difference array: erases {erased}, {verdict}")?;
        line(f, "  not determined in the array", self.undetermined.iter().cloned())
    }
}

fn line(f: &mut fmt::Formatter<'_>, title: &str, items: impl Iterator<Item = String>) -> fmt::Result {
    let items: Vec<String> = items.collect();
    if items.is_empty() { Ok(()) } else { writeln!(f, "  {title}: {}", items.join(", ")) }
}

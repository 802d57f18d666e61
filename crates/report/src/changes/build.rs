//! From the analysis of all mode changes to its words.

use modeshift_dae::{Derivative, Mode, ModeVariableId, VariableId};
use modeshift_mode_changes::{AllChanges, ChangeReport, InPairs, Moment, OrderBound, PairPotentials, PairSpace};
use modeshift_modes::{FormulaPrinter, Limit, ModeSet, ModeVariable};
use modeshift_structure::name;

use super::machines::MachineWords;
use super::report::{
    ChangesReport, ChangesSummary, ItemInChanges, KindOfChange, ModeArrow, ModeGraph, OrderInChanges, OrderRule,
};
use crate::Analyzed;
use crate::analyze::valuation_text;
use crate::json::Version;
use crate::wording::mode_names;

/// More kinds of changes than this are summarized.
const MOST_KINDS: usize = 64;
/// More modes than this are not drawn: there are as many arrows as pairs.
const MOST_MODES_DRAWN: u64 = 16;

/// The pairs of modes with these values before and after.
pub fn selected_pairs(
    changes: &AllChanges<'_>,
    from: &[(ModeVariableId, bool)],
    to: &[(ModeVariableId, bool)],
) -> ModeSet {
    let pairs = &changes.pairs;
    let literal = |moment: Moment| {
        move |&(mode, value): &(ModeVariableId, bool)| {
            pairs.space.assignment(moment.variable(ModeVariable(mode.0)), value)
        }
    };
    let literals = from.iter().map(literal(Moment::Before)).chain(to.iter().map(literal(Moment::After)));
    let selected = pairs.space.intersection(literals.chain([pairs.regular]));
    if pairs.invariant.project(&pairs.space, selected).is_empty() { ModeSet::EMPTY } else { selected }
}

/// Which changes to tell of, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selection<'a> {
    /// Only changes from modes with these values.
    pub from: Option<&'a str>,
    /// Only changes to modes with these values.
    pub to: Option<&'a str>,
    /// Compare with the difference array of E22 §8.5.
    pub with_array: bool,
    /// In a summary, list at most this many items of each sort.
    pub most_items: usize,
}

/// All that is needed to put changes into words.
pub struct Wording<'a> {
    /// The model with its structure.
    pub analyzed: &'a Analyzed,
    /// Its mode changes.
    pub changes: &'a AllChanges<'a>,
    /// Those to tell of.
    pub pairs: ModeSet,
    /// How to tell of them.
    pub selection: &'a Selection<'a>,
}

impl Wording<'_> {
    /// The report.
    pub fn report(
        &self,
        from: &[(ModeVariableId, bool)],
        to: &[(ModeVariableId, bool)],
    ) -> Result<ChangesReport, Limit> {
        let Analyzed { dae, analysis, .. } = self.analyzed;
        let with_array = self.selection.with_array;
        let kinds = self.changes.reports(dae, self.pairs, MOST_KINDS, with_array)?;
        let text = |values: &[(ModeVariableId, bool)]| (!values.is_empty()).then(|| valuation_text(dae, values));
        let report = ChangesReport {
            version: Version,
            model: dae.model.name.to_string(),
            mode_count: analysis.invariant.mode_count(&analysis.space).to_string(),
            from: text(from),
            to: text(to),
            truncated: kinds.is_none(),
            summary: if kinds.is_none() { Some(self.summary()?) } else { None },
            graph: kinds.as_ref().and_then(|kinds| self.graph(kinds)),
            changes: kinds.unwrap_or_default().iter().map(|kind| self.kind(kind)).collect(),
        };
        self.changes.pairs.space.check()?;
        Ok(report)
    }

    fn kind(&self, kind: &ChangeReport) -> KindOfChange {
        let states = self.machine_words().states(kind.kind.pairs);
        KindOfChange { states, ..KindOfChange::from(kind) }
    }

    fn machine_words(&self) -> MachineWords<'_> {
        MachineWords { dae: &self.analyzed.dae, changes: self.changes }
    }

    /// All modes and all changes that do something, where these are few.
    fn graph(&self, kinds: &[ChangeReport]) -> Option<ModeGraph> {
        let modes = self.few_modes()?;
        let space = &self.changes.pairs.space;
        let possible = space.intersection(self.changes.pairs.invariant.components().chain([self.pairs]));
        let mut arrows = Vec::new();
        for (from, before) in modes.iter().enumerate() {
            for (to, after) in modes.iter().enumerate() {
                let value = |variable: ModeVariable| {
                    let (moment, variable) = Moment::of_doubled(variable);
                    let mode = if moment == Moment::Before { before } else { after };
                    mode[ModeVariableId(variable.0)]
                };
                let is_possible = space.evaluate(possible, value);
                let kind = kinds.iter().position(|kind| is_possible && space.evaluate(kind.kind.pairs, value));
                arrows.extend(kind.map(|kind| ModeArrow { from, to, kind }));
            }
        }
        Some(ModeGraph { modes: modes.iter().map(|mode| self.mode_text(mode)).collect(), arrows })
    }

    /// The values of all mode variables in every mode; `None` if there are many modes.
    fn few_modes(&self) -> Option<Vec<Mode>> {
        let analysis = &self.analyzed.analysis;
        let count = analysis.invariant.mode_count(&analysis.space).to_u64()?;
        let variables = self.analyzed.dae.mode_variables.len();
        if count > MOST_MODES_DRAWN || variables > 4 * MOST_MODES_DRAWN as usize {
            return None;
        }
        let space = &analysis.space;
        let mut remaining = space.intersection(analysis.invariant.components());
        let mut modes = Vec::new();
        while let Some(values) = space.pick(remaining) {
            let mut mode = Mode::all_false(variables);
            values.iter().for_each(|&(variable, value)| mode.set(ModeVariableId(variable.0), value));
            let whole: Vec<(ModeVariable, bool)> = mode.iter().map(|(id, value)| (ModeVariable(id.0), value)).collect();
            remaining = space.difference(remaining, space.valuation(&whole));
            modes.push(mode);
        }
        modes.sort();
        Some(modes)
    }

    fn mode_text(&self, mode: &Mode) -> String {
        if let Some(states) = self.machine_words().mode(mode) {
            return states;
        }
        let names = self.analyzed.dae.mode_variables.iter().map(|mode| &*mode.name);
        let literal = |(name, value): (&str, bool)| if value { name.to_string() } else { format!("not {name}") };
        let literals: Vec<String> = names.zip(mode.values()).map(literal).collect();
        if literals.is_empty() { "the only mode".to_string() } else { literals.join(", ") }
    }

    fn summary(&self) -> Result<ChangesSummary, Limit> {
        let AllChanges { pairs, memory, .. } = self.changes;
        let incidence = &self.analyzed.analysis.incidence;
        let names = PairSpace::names(&mode_names(&self.analyzed.dae));
        let mut printer = FormulaPrinter::new(&pairs.space, &pairs.invariant, &names);
        printer.prefer_conjunctions();
        let most = self.selection.most_items;
        let text = |set: ModeSet| printer.print(set).text;
        let chosen = |set: ModeSet| pairs.space.and(set, self.pairs);
        let item = |name: String, set: ModeSet| ItemInChanges { name, when: text(set) };
        let erased: Vec<_> = memory.erased.iter().filter(|it| !chosen(it.pairs).is_empty()).collect();
        let open: Vec<&InPairs<VariableId>> =
            memory.undetermined.iter().filter(|it| !chosen(it.pairs).is_empty()).collect();
        let erased_item = |it: &&InPairs<_>| item(name(incidence.equations(), it.derivative()), chosen(it.pairs));
        let open_item = |it: &&InPairs<_>| item(name(incidence.variables(), it.derivative()), chosen(it.pairs));
        let mut summary = ChangesSummary {
            erased_count: erased.len(),
            erased: erased.iter().take(most).map(erased_item).collect(),
            undetermined_count: open.len(),
            undetermined: open.iter().take(most).map(open_item).collect(),
            impulsive_count: 0,
            discontinuous_count: 0,
            orders: Vec::new(),
            order_rules: Vec::new(),
            ruled_count: 0,
        };
        let potentials = self.changes.potentials_within(self.pairs)?;
        for variable in incidence.variables().ids() {
            self.add_orders(variable, &potentials, &printer, &mut summary);
        }
        Ok(summary)
    }

    /// Counts a variable, and lists its orders while there is room: where they are written out, else as rules.
    fn add_orders(
        &self,
        variable: VariableId,
        potentials: &PairPotentials,
        printer: &FormulaPrinter,
        summary: &mut ChangesSummary,
    ) {
        let (pairs, analysis) = (&self.changes.pairs, &self.analyzed.analysis);
        let order_of = |of: Derivative<VariableId>| format!("[[{}]]", name(analysis.incidence.variables(), of));
        let text = |set: ModeSet| printer.print(pairs.space.and(set, self.pairs)).text;
        let orders = potentials.orders(pairs, analysis, variable);
        let orders = orders.into_iter().filter(|(_, set)| pairs.space.intersects(*set, self.pairs));
        let orders: Vec<(i64, ModeSet)> = orders.collect();
        summary.impulsive_count += usize::from(orders.iter().any(|it| it.0 > 0));
        summary.discontinuous_count += usize::from(orders.iter().any(|it| it.0 == 0));
        let is_open = potentials.is_open(analysis, variable);
        summary.ruled_count += usize::from(is_open);
        let position = summary.orders.len() + summary.order_rules.len();
        if position >= self.selection.most_items {
            return;
        }
        if !is_open {
            let order = |(at, (order, set)): (usize, (i64, ModeSet))| OrderInChanges {
                variable: analysis.incidence.variables()[variable].name.to_string(),
                order: order.to_string(),
                when: text(set),
                position: position + at,
            };
            summary.orders.extend(orders.into_iter().enumerate().map(order));
            return;
        }
        let rules = potentials.rules(pairs, analysis, variable);
        let rules = rules.iter().filter(|rule| pairs.space.intersects(rule.pairs, self.pairs));
        summary.order_rules.extend(rules.enumerate().map(|(at, rule)| OrderRule {
            of: order_of(Derivative::new(variable, rule.derivative)),
            at_least: match rule.bound {
                OrderBound::Number(number) => number.to_string(),
                OrderBound::Of(other) => order_of(other),
            },
            when: text(rule.pairs),
            position: position + at,
        }));
    }
}

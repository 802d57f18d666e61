//! All mode changes of a model at once against each of them by itself.

use std::collections::BTreeMap;

use crate::all_changes::{
    Causes, Extent, InPairs, OrderBound, OrderRule, PairMemory, PairPotentials, PairSpace, pair_potentials,
};
use crate::one_change::{Defect, Memory, PastStructure, Potentials, Source};
use modeshift_dae::{Derivative, EquationId, IndexVec, Mode, ModeVariableId, VariableId};
use modeshift_modes::{ModeSet, ModeVariable};
use modeshift_structure::Analysis;
use modeshift_structure::one_mode::ModeStructure;

/// What was found for all pairs at once.
pub struct AllPairs<'a> {
    pub pairs: &'a PairSpace<'a>,
    pub analysis: &'a Analysis,
    pub is_new: &'a IndexVec<EquationId, ModeSet>,
    pub memory: &'a PairMemory,
    written_out: PairPotentials,
    /// By variable, with hardly a set written out, so that the rules have to say it all.
    rules: IndexVec<VariableId, Vec<OrderRule>>,
}

/// How much was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub pairs: usize,
    pub erased: usize,
    pub missing: usize,
    pub undetermined: usize,
    pub jumps: usize,
    pub impulses: usize,
}

/// One pair: the modes before and after.
pub type Pair<'a> = (&'a Mode, &'a Mode);

impl<'a> AllPairs<'a> {
    pub fn new(
        pairs: &'a PairSpace<'a>,
        analysis: &'a Analysis,
        is_new: &'a IndexVec<EquationId, ModeSet>,
        memory: &'a PairMemory,
        defects: &[InPairs<EquationId>],
    ) -> Self {
        let causes = Causes { is_new, defects, set_by_laws: &[] };
        let spread = |extent| pair_potentials(pairs, analysis, &causes, extent).expect("no limit was set");
        let written_out = spread(Extent::affordable(1));
        assert!(!written_out.is_any_open());
        let short = spread(Extent { within: ModeSet::ALL, largest: 2 });
        let rules = analysis.incidence.variables().ids().map(|variable| short.rules(pairs, analysis, variable));
        let rules = rules.collect();
        AllPairs { pairs, analysis, is_new, memory, written_out, rules }
    }

    /// Compares everything in one pair; nothing where a mode is impossible or singular.
    pub fn check(
        &self,
        pair: Pair,
        is_new: &dyn Fn(EquationId) -> bool,
        has_start: &dyn Fn(VariableId) -> bool,
        is_satisfied: &dyn Fn(EquationId, u32) -> bool,
        counts: &mut Counts,
        context: &str,
    ) {
        let (Some(before), Some(after)) = (self.structure(pair.0), self.structure(pair.1)) else { return };
        let context = format!("{context}, {pair:?}");
        let past = past(&before, &after, is_new, has_start);
        for row in after.rows() {
            assert_eq!(self.is_in(self.is_new[after.equation(row)], pair), past.is_new[row], "{context}: new");
        }
        let expected = Memory::new(&after, &past);
        let erased: Vec<Derivative<EquationId>> =
            expected.erased.iter().map(|it| Derivative::new(after.equation(it.of), it.order)).collect();
        assert_eq!(self.listed(&self.memory.erased, pair), erased, "{context}: erased");
        let missing = |wanted: &dyn Fn(Source) -> bool| -> Vec<Derivative<VariableId>> {
            let chosen = expected.missing.iter().filter(|(_, source)| wanted(*source));
            chosen.map(|(it, _)| Derivative::new(after.variable(it.of), it.order)).collect()
        };
        assert_eq!(self.listed(&self.memory.missing, pair), missing(&|_| true), "{context}: missing");
        let born = missing(&|source| source == Source::Birth);
        assert_eq!(self.listed(&self.memory.born, pair), born, "{context}: born");
        let undetermined = missing(&|source| source == Source::Undetermined);
        assert_eq!(self.listed(&self.memory.undetermined, pair), undetermined, "{context}: undetermined");
        let defects = expected.erased.iter().filter(|it| !is_satisfied(after.equation(it.of), it.order));
        let defects: Vec<Defect> = defects.map(|it| Defect { row: it.of, first: it.order }).collect();
        let expected_orders = orders(&after, &past, &defects);
        self.check_orders(pair, &after, &expected_orders, &context);
        counts.pairs += 1;
        counts.erased += erased.len();
        counts.missing += expected.missing.len();
        counts.undetermined += undetermined.len();
        counts.jumps += expected_orders.values().filter(|&&order| order == 0).count();
        counts.impulses += expected_orders.values().filter(|&&order| order > 0).count();
    }

    /// Orders as sets, and orders by rules.
    fn check_orders(&self, pair: Pair, after: &ModeStructure, expected: &BTreeMap<VariableId, i64>, context: &str) {
        let by_rules = self.orders_by_rules(pair);
        for column in after.columns() {
            let variable = after.variable(column);
            let found = self.written_out.orders(self.pairs, self.analysis, variable);
            let found = found.iter().filter(|(_, set)| self.is_in(*set, pair)).map(|&(order, _)| order);
            let own = expected.get(&variable).copied();
            assert_eq!(found.collect::<Vec<i64>>(), Vec::from_iter(own), "{context}: order of {variable:?}");
            let leading = i64::from(after.variable_offset(column));
            let by_rules = by_rules.get(&variable).copied().filter(|&order| order >= -leading);
            assert_eq!(by_rules, own, "{context}: order of {variable:?} by rules");
        }
    }

    /// The least numbers that satisfy the rules of a pair.
    fn orders_by_rules(&self, pair: Pair) -> BTreeMap<VariableId, i64> {
        let mut active: Vec<(VariableId, OrderRule)> = Vec::new();
        for (variable, rules) in self.rules.iter_enumerated() {
            let here = rules.iter().filter(|rule| self.is_in(rule.pairs, pair));
            active.extend(here.map(|&rule| (variable, rule)));
        }
        let mut orders: BTreeMap<VariableId, i64> = BTreeMap::new();
        loop {
            let mut has_grown = false;
            for &(variable, rule) in &active {
                let bound = match rule.bound {
                    OrderBound::Number(number) => Some(number),
                    OrderBound::Of(other) => orders.get(&other.of).map(|&order| order + i64::from(other.order)),
                };
                let Some(order) = bound.map(|bound| bound - i64::from(rule.derivative)) else { continue };
                if orders.get(&variable).is_none_or(|&known| known < order) {
                    orders.insert(variable, order);
                    has_grown = true;
                }
            }
            if !has_grown {
                return orders;
            }
        }
    }

    fn structure(&self, mode: &Mode) -> Option<ModeStructure> {
        let mut components = self.analysis.invariant.components();
        let is_possible =
            components.all(|set| self.analysis.space.evaluate(set, |variable| mode[ModeVariableId(variable.0)]));
        let signature = self.analysis.signature(|variable| mode[variable]);
        if is_possible { ModeStructure::of_signature(&signature).ok() } else { None }
    }

    fn is_in(&self, set: ModeSet, (before, after): Pair) -> bool {
        self.pairs.space.evaluate(set, |variable: ModeVariable| {
            let mode = if variable.0.is_multiple_of(2) { before } else { after };
            mode[ModeVariableId(variable.0 / 2)]
        })
    }

    fn listed<I: Copy>(&self, list: &[InPairs<I>], pair: Pair) -> Vec<Derivative<I>> {
        list.iter().filter(|item| self.is_in(item.pairs, pair)).map(|item| item.derivative()).collect()
    }
}

/// All modes of this many mode variables.
pub fn all_modes(count: usize) -> impl Iterator<Item = Mode> {
    (0..1_u32 << count).map(move |bits| Mode::from_fn(count, |id| bits >> id.0 & 1 == 1))
}

fn past(
    before: &ModeStructure,
    after: &ModeStructure,
    is_new: &dyn Fn(EquationId) -> bool,
    has_start: &dyn Fn(VariableId) -> bool,
) -> PastStructure {
    let columns: BTreeMap<VariableId, u32> =
        before.columns().map(|column| (before.variable(column), before.variable_offset(column))).collect();
    let rows: BTreeMap<EquationId, u32> =
        before.rows().map(|row| (before.equation(row), before.equation_offset(row))).collect();
    let order = |column| columns.get(&after.variable(column)).copied();
    PastStructure {
        is_new: after.rows().map(|row| is_new(after.equation(row))).collect(),
        offset: after.rows().map(|row| rows.get(&after.equation(row)).copied().unwrap_or(0)).collect(),
        leading_order: after.columns().map(|column| order(column).unwrap_or(0)).collect(),
        computed: after.columns().map(|column| order(column).map_or(0, |order| order + 1)).collect(),
        has_start: after.columns().map(|column| has_start(after.variable(column))).collect(),
    }
}

/// The orders of one pair that the leading derivatives or less show.
fn orders(after: &ModeStructure, past: &PastStructure, defects: &[Defect]) -> BTreeMap<VariableId, i64> {
    let fresh = after.rows().filter(|&row| past.is_new[row]);
    let fresh = fresh.map(|row| Defect { row, first: after.equation_offset(row) });
    let spread = Potentials::spread(after, defects.iter().copied().chain(fresh));
    let order = |column| {
        let leading = i64::from(after.variable_offset(column));
        let order = spread.order(after, column).filter(|&order| order >= -leading)?;
        Some((after.variable(column), order))
    };
    after.columns().filter_map(order).collect()
}

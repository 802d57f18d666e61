//! Networks, and the modes in which a part of one is cut off.
//!
//! A perfect matching does not see that the balances of a network add up. In a part that hangs together with nothing else
//! every flow leaves one node and enters another, so the sum of its balances has no unknown: one of them is redundant
//! or contradicts the others, and a potential is free. That is so whether or not the part has loops; where it has, there are
//! as many closed branches as balances, and matching finds a partner for each.
//!
//! *Balances* are equations that are the same in all modes, linear with constant coefficients, and contain a flow that some
//! mode cuts. A flow is *cut* in modes in which an equation says what it is, with no other unknown; where one says so in all modes, that is
//! the balance of a node with one branch. Balances are scaled so that
//! a flow cancels in the sum of its two; where that cannot be, or a variable is in one balance or in more than two, it
//! counts as leading out of the network. So what is found is singular, always; a node all of whose branches cannot be cut
//! counts as the world outside, so what is found need not be all.

use modeshift_dae::{Derivative, EquationId, MultimodeDae, VariableId};
use modeshift_modes::{Invariant, ModeSet, ModeSpace, ModeVariable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::automaton::Automaton;
use super::plan::{Graph, Item, Plan};
use super::{NotSwept, Partitions, Swept, swept};
use crate::Options;
use crate::port_spaces::forms::{Form, forms};

/// Weights of balances are compared up to rounding.
const SAME_WEIGHT: f64 = 1e-9;

/// A variable of balances.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The variable.
    pub variable: VariableId,
    /// Its balances: two that it leads from one to the other, or one that it leads out of.
    pub balances: Vec<EquationId>,
    /// The modes in which no other equation fixes it.
    pub connected: ModeSet,
}

/// The balances of a model with their flows; sets of modes are those of the analysis that was given.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// The equations that balance flows.
    pub balances: Vec<EquationId>,
    /// Their variables.
    pub flows: Vec<Flow>,
}

impl Network {
    /// The balances of a model, with the values of its parameters.
    pub(super) fn of(
        dae: &mut MultimodeDae,
        space: &ModeSpace,
        invariant: &Invariant,
        value_of: &dyn Fn(VariableId) -> Option<f64>,
    ) -> Network {
        let forms = forms(dae, space, invariant, &[], value_of);
        let cut = Cut::new(space, &forms);
        let rows: Vec<&Form> = forms.iter().filter_map(|forms| balance(forms, &cut)).collect();
        let occurrences = occurrences(&rows);
        let weights = weights(&rows, &occurrences);
        let mut variables: Vec<VariableId> = occurrences.keys().copied().collect();
        variables.sort_unstable();
        let mut network = Network { balances: rows.iter().map(|row| row.equation).collect(), flows: Vec::new() };
        for variable in variables {
            let connected = !cut.modes_of(variable);
            let flow = |rows: &[usize]| Flow {
                variable,
                balances: rows.iter().map(|&row| network.balances[row]).collect(),
                connected,
            };
            let of_variable = &occurrences[&variable];
            let flows: Vec<Flow> = match of_variable.as_slice() {
                [one, other] if cancels(one, other, &weights) => vec![flow(&[one.row, other.row])],
                several => several.iter().map(|it| flow(&[it.row])).collect(),
            };
            network.flows.extend(flows);
        }
        network
    }

    /// The modes in which some balances are cut off from everything else; nothing where there are none to cut.
    pub(super) fn cut_off_modes(
        &self,
        given: &ModeSpace,
        invariant: &Invariant,
        options: &Options,
    ) -> Result<Option<Swept>, NotSwept> {
        if self.balances.is_empty() {
            return Ok(None);
        }
        let number: FxHashMap<EquationId, u32> = self.balances.iter().copied().zip(0..).collect();
        let edges = |flow: &Flow| flow.balances.iter().map(|balance| (number[balance], ModeSet::ALL)).collect();
        let items = self
            .flows
            .iter()
            .map(|flow| Item { guard: flow.connected, edges: edges(flow), sources: 0, orders: Vec::new() })
            .collect();
        let graph = Graph { items, vertices: vec![ModeSet::ALL; self.balances.len()] };
        let plan = Plan::new(given, &graph)?;
        let automaton = Automaton::new(&plan, &mut Partitions::default(), options.time_limit)?;
        let islands = swept(given, invariant, &plan, &automaton, &[], options)?;
        Ok((!islands.is_empty()).then_some(islands))
    }

    /// The balances that are cut off in a mode, part by part, each ascending.
    pub fn islands_in(&self, given: &ModeSpace, mode: impl Fn(ModeVariable) -> bool) -> Vec<Vec<EquationId>> {
        let number: FxHashMap<EquationId, usize> = self.balances.iter().copied().zip(0..).collect();
        let outside = self.balances.len();
        let mut joined = modeshift_dae::UnionFind::<usize>::new(outside + 1);
        for flow in self.flows.iter().filter(|flow| given.evaluate(flow.connected, &mode)) {
            let other = flow.balances.get(1).map_or(outside, |balance| number[balance]);
            joined.join(number[&flow.balances[0]], other);
        }
        let mut places: FxHashMap<usize, usize> = FxHashMap::default();
        let mut islands: Vec<Vec<EquationId>> = Vec::new();
        let ground = joined.root(outside);
        for (at, &balance) in self.balances.iter().enumerate() {
            let root = joined.root(at);
            if root != ground {
                let place = *places.entry(root).or_insert_with(|| {
                    islands.push(Vec::new());
                    islands.len() - 1
                });
                islands[place].push(balance);
            }
        }
        islands
    }
}

/// Which variables an equation says alone.
#[derive(Default)]
struct Cut {
    /// In some modes: what the law of a switch cuts, with the modes.
    in_modes: FxHashMap<VariableId, ModeSet>,
    /// In all modes: the balance of a node with one branch says so, and the law of a source.
    always: FxHashSet<VariableId>,
}

impl Cut {
    fn new(space: &ModeSpace, forms: &[Vec<Form>]) -> Cut {
        let mut cut = Cut::default();
        for form in forms.iter().flatten().filter(|form| form.is_affine()) {
            let [(Derivative { of, order: 0 }, _)] = form.coefficients[..] else { continue };
            if form.modes.is_all() {
                cut.always.insert(of);
            } else {
                let known = cut.in_modes.entry(of).or_insert(ModeSet::EMPTY);
                *known = space.or(*known, form.modes);
            }
        }
        cut
    }

    /// The modes in which a flow does not lead from one balance to another. What a switch cuts leads to the balance that says it
    /// in all modes.
    fn modes_of(&self, variable: VariableId) -> ModeSet {
        match self.in_modes.get(&variable) {
            Some(&modes) => modes,
            None if self.always.contains(&variable) => ModeSet::ALL,
            None => ModeSet::EMPTY,
        }
    }
}

/// The form of an equation that is a balance.
fn balance<'a>(forms: &'a [Form], cut: &Cut) -> Option<&'a Form> {
    let [form] = forms else { return None };
    let is_same = form.is_affine() && form.modes.is_all();
    (is_same && form.coefficients.iter().any(|(of, _)| cut.in_modes.contains_key(&of.of))).then_some(form)
}

/// That a variable is in a balance.
#[derive(Clone, Copy, Debug)]
struct InRow {
    row: usize,
    order: u32,
    coefficient: f64,
}

fn occurrences(rows: &[&Form]) -> FxHashMap<VariableId, Vec<InRow>> {
    let mut occurrences: FxHashMap<VariableId, Vec<InRow>> = FxHashMap::default();
    for (row, form) in rows.iter().enumerate() {
        for &(Derivative { of, order }, coefficient) in &form.coefficients {
            occurrences.entry(of).or_default().push(InRow { row, order, coefficient });
        }
    }
    occurrences
}

/// Weights of balances with which flows cancel in their sum, as far as that can be: from one to the next along flows.
fn weights(rows: &[&Form], occurrences: &FxHashMap<VariableId, Vec<InRow>>) -> Vec<f64> {
    let mut weights = vec![0.0; rows.len()];
    for start in 0..rows.len() {
        if weights[start] != 0.0 {
            continue;
        }
        weights[start] = 1.0;
        let mut pending = vec![start];
        while let Some(row) = pending.pop() {
            for (of, _) in &rows[row].coefficients {
                let [one, other] = occurrences[&of.of][..] else { continue };
                let (from, to) = if one.row == row { (one, other) } else { (other, one) };
                if weights[to.row] == 0.0 {
                    weights[to.row] = -weights[row] * from.coefficient / to.coefficient;
                    pending.push(to.row);
                }
            }
        }
    }
    weights
}

/// Whether a variable in two balances cancels in their sum.
fn cancels(one: &InRow, other: &InRow, weights: &[f64]) -> bool {
    let (left, right) = (one.coefficient * weights[one.row], other.coefficient * weights[other.row]);
    one.row != other.row && one.order == other.order && (left + right).abs() <= SAME_WEIGHT * left.abs()
}

//! Mode changes of all pairs at once against one pair after the other.

mod support;

use std::collections::BTreeMap;

use modeshift_dae::{EquationId, Id, IndexVec, ModeVariableId, VariableId};
use modeshift_mode_changes::{
    Defect, FormCondition, Forms, InPairs, Memory, ModeStructure, PairSpace, PastStructure, Potentials, Row, Source,
    new_equations, pair_memory, pair_potentials,
};
use modeshift_modes::{Invariant, ModeSet, ModeSpace, ModeVariable};
use modeshift_structure::{Analysis, BlockCap, Incidence, Occurrence, Vertex};
use support::random::Random;

const MODE_VARIABLES: u32 = 3;

/// A random set of modes, as a recipe: sets do not survive an analysis that was not told of them.
#[derive(Clone, Copy)]
struct Guard(u64, u32, u32);

impl Guard {
    const ALL: Guard = Guard(0, 0, 0);

    fn random(random: &mut Random) -> Guard {
        let variable = |random: &mut Random| random.below(u64::from(MODE_VARIABLES)) as u32;
        Guard(random.below(5), variable(random), variable(random))
    }

    fn modes(self, space: &ModeSpace, invariant: &Invariant) -> ModeSet {
        let (literal, other) = (space.literal(ModeVariable(self.1)), space.literal(ModeVariable(self.2)));
        let set = match self.0 {
            0 | 1 => ModeSet::ALL,
            2 => literal,
            3 => !literal,
            _ => space.and(literal, !other),
        };
        invariant.project(space, set)
    }
}

/// A random guarded system with the conditions that its equations depend on.
fn random_system(random: &mut Random) -> (Analysis, Forms) {
    let space = ModeSpace::new(MODE_VARIABLES);
    let conflict = !space.and(space.literal(ModeVariable(0)), space.literal(ModeVariable(1)));
    let invariant = Invariant::new(&space, if random.chance(30) { std::slice::from_ref(&conflict) } else { &[] });
    let size = 2 + random.below(4) as usize;
    let mut equations: IndexVec<EquationId, Vertex> = IndexVec::new();
    let mut variables: IndexVec<VariableId, Vertex> = IndexVec::new();
    for k in 0..size {
        // An equation and a variable that come and go together, now and then.
        let exists = if random.chance(25) { Guard::random(random) } else { Guard::ALL };
        let guard = exists.modes(&space, &invariant);
        equations.push(Vertex { name: format!("e{k}").into(), guard });
        variables.push(Vertex { name: format!("x{k}").into(), guard });
    }
    let mut conditions: IndexVec<EquationId, Vec<Guard>> = equations.iter().map(|_| Vec::new()).collect();
    let mut occurrences = Vec::new();
    for equation in equations.ids() {
        for variable in variables.ids() {
            let own = variable.index() == equation.index();
            if !own && !random.chance(45) {
                continue;
            }
            let guard = if own && random.chance(60) { Guard::ALL } else { Guard::random(random) };
            let order = if random.chance(55) { 0 } else { 1 + random.below(2) as u32 };
            occurrences.push(Occurrence { equation, variable, order, modes: guard.modes(&space, &invariant) });
            conditions[equation].push(guard);
        }
    }
    let order = equations.ids().collect();
    let incidence = Incidence::new(&space, equations, variables, occurrences);
    let analysis = Analysis::of_incidence(space, invariant, incidence, order, BlockCap::default());
    let analysis = analysis.expect("no limit was set");
    let form = |guard: &Guard| FormCondition {
        context: ModeSet::ALL,
        holds: guard.modes(&analysis.space, &analysis.invariant),
    };
    let forms = conditions.iter().map(|guards| guards.iter().map(form).collect()).collect();
    (analysis, forms)
}

fn modes() -> impl Iterator<Item = Vec<bool>> {
    (0..1_u32 << MODE_VARIABLES).map(|bits| (0..MODE_VARIABLES).map(|v| bits >> v & 1 == 1).collect())
}

/// One pair, by the structure of its two modes.
struct OnePair {
    after: ModeStructure,
    past: PastStructure,
}

impl OnePair {
    fn new(before: &ModeStructure, after: ModeStructure, is_new: &dyn Fn(EquationId) -> bool) -> Self {
        let columns: BTreeMap<VariableId, u32> =
            before.columns().map(|column| (before.variable(column), before.variable_offset(column))).collect();
        let rows: BTreeMap<EquationId, u32> =
            before.rows().map(|row| (before.equation(row), before.equation_offset(row))).collect();
        let order = |column| columns.get(&after.variable(column)).copied();
        let past = PastStructure {
            is_new: after.rows().map(|row| is_new(after.equation(row))).collect(),
            offset: after.rows().map(|row| rows.get(&after.equation(row)).copied().unwrap_or(0)).collect(),
            leading_order: after.columns().map(|column| order(column).unwrap_or(0)).collect(),
            computed: after.columns().map(|column| order(column).map_or(0, |order| order + 1)).collect(),
            has_start: after.columns().map(|_| false).collect(),
        };
        OnePair { after, past }
    }
}

fn in_pair<I: Copy>(list: &[InPairs<I>], is_in: &dyn Fn(ModeSet) -> bool) -> Vec<(I, u32)> {
    list.iter().filter(|item| is_in(item.pairs)).map(|item| (item.of, item.order)).collect()
}

#[test]
fn all_pairs_at_once_agree_with_one_pair_after_the_other() {
    let (mut compared, mut erased_count, mut missing_count, mut impulsive_count) = (0, 0, 0, 0);
    for seed in 0..5000 {
        let mut random = Random::new(seed);
        let (analysis, forms) = random_system(&mut random);
        let pairs = PairSpace::new(&analysis);
        let new = new_equations(&pairs, &analysis, &forms);
        let memory = pair_memory(&pairs, &analysis, &new, &|_| false).expect("no limit was set");
        let potentials = pair_potentials(&pairs, &analysis, &new, &memory.erased, &[]).expect("no limit was set");
        let structure = |mode: &[bool]| {
            let signature = analysis.signature(|variable: ModeVariableId| mode[variable.index()]);
            ModeStructure::of_signature(&signature).ok()
        };
        for (before, after) in modes().flat_map(|before| modes().map(move |after| (before.clone(), after))) {
            let valid = |mode: &[bool]| {
                analysis
                    .invariant
                    .components()
                    .all(|set| analysis.space.evaluate(set, |variable| mode[variable.index()]))
            };
            if !valid(&before) || !valid(&after) {
                continue;
            }
            let (Some(before_structure), Some(after_structure)) = (structure(&before), structure(&after)) else {
                continue;
            };
            let is_in = |set: ModeSet| {
                pairs.space.evaluate(set, |variable: ModeVariable| {
                    let mode = if variable.0.is_multiple_of(2) { &before } else { &after };
                    mode[variable.index() / 2]
                })
            };
            let is_new = |equation: EquationId| {
                let holds = |mode: &[bool], set: ModeSet| analysis.space.evaluate(set, |v| mode[v.index()]);
                let guard = analysis.incidence.equations()[equation].guard;
                !holds(&before, guard)
                    || forms[equation].iter().any(|form| holds(&before, form.holds) != holds(&after, form.holds))
            };
            let one = OnePair::new(&before_structure, after_structure, &is_new);
            let context = format!("seed {seed}, {before:?} to {after:?}");
            for row in one.after.rows() {
                assert_eq!(is_in(new[one.after.equation(row)]), one.past.is_new[row], "{context}");
            }
            let expected = Memory::new(&one.after, &one.past);
            let name = |&(row, order): &(Row, u32)| (one.after.equation(row), order);
            let erased: Vec<(EquationId, u32)> = expected.erased.iter().map(name).collect();
            assert_eq!(in_pair(&memory.erased, &is_in), erased, "{context}: erased");
            let missing = |wanted: &dyn Fn(Source) -> bool| -> Vec<(VariableId, u32)> {
                let chosen = expected.missing.iter().filter(|(_, source)| wanted(*source));
                chosen.map(|&((column, order), _)| (one.after.variable(column), order)).collect()
            };
            assert_eq!(in_pair(&memory.missing, &is_in), missing(&|_| true), "{context}: missing");
            let undetermined = in_pair(&memory.undetermined, &is_in);
            let least = missing(&|source| source == Source::Undetermined);
            assert!(least.iter().all(|item| undetermined.contains(item)), "{context}: undetermined");
            let defects = expected.erased.iter().map(|&(row, first)| Defect { row, first });
            let fresh = one.after.rows().filter(|&row| one.past.is_new[row]);
            let fresh = fresh.map(|row| Defect { row, first: one.after.equation_offset(row) });
            let single = Potentials::spread(&one.after, defects.chain(fresh));
            for column in one.after.columns() {
                let variable = one.after.variable(column);
                let found = potentials.orders(&pairs, &analysis, variable);
                let found: Vec<i64> = found.iter().filter(|(_, set)| is_in(*set)).map(|&(order, _)| order).collect();
                let leading = i64::from(one.after.variable_offset(column));
                let order = single.order(&one.after, column).filter(|&order| order >= -leading);
                assert_eq!(found, Vec::from_iter(order), "{context}: order of {variable:?}");
                impulsive_count += usize::from(order.is_some_and(|order| order > 0));
            }
            compared += 1;
            erased_count += erased.len();
            missing_count += expected.missing.len();
        }
    }
    println!("{compared} pairs, {erased_count} erased, {missing_count} missing, {impulsive_count} impulsive");
    assert!(compared > 100_000 && erased_count > 10_000 && missing_count > 10_000 && impulsive_count > 5_000);
}

//! Mode changes of all pairs at once against one pair after the other.

use crate::all_changes::{FormCondition, Forms, PairSpace, new_equations, pair_memory};
use crate::suite::support;
use modeshift_dae::{EquationId, Id, IndexVec, Mode, ModeVariableId, VariableId};
use modeshift_modes::{Invariant, ModeSet, ModeSpace, ModeVariable};
use modeshift_structure::{Analysis, BlockCap, Incidence, Occurrence, Vertex};
use support::one_pair::{AllPairs, Counts, all_modes};
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

#[test]
fn all_pairs_at_once_agree_with_one_pair_after_the_other() {
    let mut counts = Counts::default();
    for seed in 0..5000 {
        let mut random = Random::new(seed);
        let (analysis, forms) = random_system(&mut random);
        let start = random.below(4);
        let has_start = |variable: VariableId| start == 0 && variable.index().is_multiple_of(2);
        let pairs = PairSpace::new(&analysis);
        let new = new_equations(&pairs, &analysis, &forms);
        let memory = pair_memory(&pairs, &analysis, &new, &has_start, &|_| false).expect("no limit was set");
        let all = AllPairs::new(&pairs, &analysis, &new, &memory, &memory.erased);
        let modes: Vec<Mode> = all_modes(MODE_VARIABLES as usize).collect();
        for (before, after) in modes.iter().flat_map(|before| modes.iter().map(move |after| (before, after))) {
            let is_new = |equation: EquationId| {
                let holds = |mode: &Mode, set: ModeSet| analysis.space.evaluate(set, |v| mode[ModeVariableId(v.0)]);
                let guard = analysis.incidence.equations()[equation].guard;
                !holds(before, guard)
                    || forms[equation].iter().any(|form| holds(before, form.holds) != holds(after, form.holds))
            };
            all.check((before, after), &is_new, &has_start, &|_, _| false, &mut counts, &format!("seed {seed}"));
        }
    }
    println!("{counts:?}");
    assert!(counts.pairs > 100_000 && counts.erased > 10_000 && counts.missing > 10_000);
    assert!(counts.undetermined > 1_000 && counts.jumps > 10_000 && counts.impulses > 5_000);
}

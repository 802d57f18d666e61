//! The sweep along a model agrees with the analysis of each mode: verdict and parts, and islands with union-find.

use crate::common::{Random, System, Table, scalable, single_mode};

use modeshift_dae::{EquationId, Id, IndexVec, MultimodeDae, UnionFind, VariableId};
use modeshift_modes::{Invariant, ModeSet, ModeSpace, ModeVariable};
use modeshift_structure::long_range::{
    Asked, Diagram, LongRange, NotSwept, OffsetSweep, OffsetsOfMode, PartSweep, PartsOfMode, StagedOffsets, Swept,
    long_range, singular_modes,
};
use modeshift_structure::one_mode::Signature;
use modeshift_structure::{Incidence, Occurrence, Options, Vertex, incidence, invariant_of};
use modeshift_testkit::multimode_dae_of_mel;
use rustc_hash::FxHashMap;
use single_mode::Structure;

/// What the oracle says of a mode: nothing where it is regular.
fn parts_of(signature: &Signature, equations: &[u32], variables: &[u32]) -> Option<PartsOfMode> {
    let Structure::Singular(parts) = single_mode::analyze(signature) else { return None };
    fn ids<I: Id>(local: &[u32], global: &[u32]) -> Vec<I> {
        local.iter().map(|&at| I::from_index(global[at as usize] as usize)).collect()
    }
    Some(PartsOfMode {
        overdetermined_equations: ids(&parts.overdetermined_equations, equations),
        overdetermined_variables: ids(&parts.overdetermined_variables, variables),
        underdetermined_equations: ids(&parts.underdetermined_equations, equations),
        underdetermined_variables: ids(&parts.underdetermined_variables, variables),
    })
}

fn check_random(seeds: std::ops::Range<u64>) {
    let (mut regular, mut singular) = (0, 0);
    for seed in seeds {
        let system = System::random(&mut Random::new(seed));
        let space = ModeSpace::new(system.mode_variables);
        let (incidence, invariant) = system.incidence(&space);
        let swept = singular_modes(&space, &invariant, &incidence, &Options::default()).expect("small enough");
        let sweep = PartSweep::new(&space, &incidence).expect("small enough");
        for mode in system.modes() {
            let (signature, equations, variables) = system.signature(mode);
            let expected = parts_of(&signature, &equations, &variables);
            let found = swept.contains(|variable| mode >> variable.0 & 1 == 1);
            assert_eq!(found, expected.is_some(), "seed {seed}, mode {mode:b}");
            let parts = sweep.in_mode(|variable| mode >> variable.0 & 1 == 1);
            assert_eq!(parts, expected.unwrap_or_default(), "seed {seed}, mode {mode:b}");
            *(if found { &mut singular } else { &mut regular }) += 1;
        }
    }
    assert!(regular > 0 && singular > 0, "{regular} regular and {singular} singular modes");
}

#[test]
fn verdict_and_parts_of_random_models_are_those_of_each_mode() {
    check_random(0..3_000);
}

/// `cargo test --release -p modeshift-structure --test suite -- --ignored long_range::`
#[test]
#[ignore = "minutes: 300,000 random models"]
fn verdict_and_parts_of_many_random_models_are_those_of_each_mode() {
    check_random(1_000_000..1_300_000);
}

/// All modes of a small model, in natural and in scrambled order.
fn check_all_modes(plan: &scalable::Plan) {
    for dae in [plan.natural(), plan.scrambled()] {
        let space = ModeSpace::new(dae.mode_variables.len() as u32);
        let invariant = invariant_of(&space, &dae, &[]);
        let incidence = incidence(&dae, &space, &invariant);
        let swept = singular_modes(&space, &invariant, &incidence, &Options::default()).expect("a narrow model");
        let sweep = PartSweep::new(&space, &incidence).expect("a narrow model");
        let offsets = OffsetSweep::new(&space, &incidence).expect("a narrow model");
        let conjuncts: Vec<ModeSet> = invariant.components().collect();
        let valid = space.intersection(conjuncts);
        for mode in 0..1u32 << plan.mode_count() {
            let value = |variable: ModeVariable| mode >> variable.0 & 1 == 1;
            if !space.evaluate(valid, value) {
                continue;
            }
            let (signature, equations, variables) = signature(&incidence, &space, value);
            let expected = parts_of(&signature, &equations, &variables);
            assert_eq!(swept.contains(value), expected.is_some(), "{}, mode {mode:b}", plan.name);
            assert_eq!(sweep.in_mode(value), expected.unwrap_or_default(), "{}, mode {mode:b}", plan.name);
            let expected = offsets_of(&signature, &equations, &variables);
            assert_eq!(offsets.in_mode(value), expected, "{}, mode {mode:b}", plan.name);
        }
    }
}

#[test]
fn models_of_up_to_twelve_switches_are_those_of_all_their_modes() {
    [1, 2, 5, 12].into_iter().for_each(|size| check_all_modes(&scalable::valve_pipe(size)));
    [1, 2].into_iter().for_each(|size| check_all_modes(&scalable::building(size, false)));
}

/// Modes of a plan: all deviations of up to two, and random ones.
fn sampled_modes(plan: &scalable::Plan, count: usize) -> Vec<Vec<bool>> {
    let mut random = Random::new(7);
    let modes = plan.mode_count();
    let mut sampled: Vec<Vec<bool>> = Vec::new();
    for closed in 0..count {
        // Few closed, as most modes with many are singular.
        let mut mode = vec![true; modes];
        (0..closed % 5).for_each(|_| mode[random.below(modes)] = false);
        plan.make_valid(&mut mode);
        sampled.push(mode);
    }
    sampled
}

/// Sampled modes of a model as it was written, and with all its numbers shuffled.
fn check_sampled(plan: &scalable::Plan, count: usize) {
    let natural = plan.natural();
    let numbers: FxHashMap<&str, usize> =
        natural.mode_variables.iter().enumerate().map(|(at, mode)| (&*mode.name, at)).collect();
    for (dae, is_natural) in [(&natural, true), (&plan.scrambled(), false)] {
        let places: Vec<usize> = dae.mode_variables.iter().map(|mode| numbers[&*mode.name]).collect();
        let space = ModeSpace::new(dae.mode_variables.len() as u32);
        let invariant = invariant_of(&space, dae, &[]);
        let incidence = incidence(dae, &space, &invariant);
        let swept = singular_modes(&space, &invariant, &incidence, &Options::default()).expect("a narrow model");
        let sweep = PartSweep::new(&space, &incidence).expect("a narrow model");
        let offsets = OffsetSweep::new(&space, &incidence).expect("a narrow model");
        for mode in sampled_modes(plan, count) {
            let value = |variable: ModeVariable| mode[places[variable.index()]];
            let (signature, equations, variables) = match is_natural {
                true => plan.signature(&mode),
                false => signature(&incidence, &space, value),
            };
            let expected = parts_of(&signature, &equations, &variables);
            assert_eq!(swept.contains(value), expected.is_some(), "{}", plan.name);
            assert_eq!(sweep.in_mode(value), expected.unwrap_or_default(), "{}", plan.name);
            let expected = offsets_of(&signature, &equations, &variables);
            assert_eq!(offsets.in_mode(value), expected, "{}", plan.name);
        }
    }
}

#[test]
fn verdict_parts_offsets_and_blocks_of_long_models_are_those_of_sampled_modes() {
    check_sampled(&scalable::valve_pipe(1_000), 20);
    check_sampled(&scalable::clutch_chain(1_000), 5);
    check_sampled(&scalable::transmission_line(300, false), 5);
    check_sampled(&scalable::transmission_line(300, true), 5);
    check_sampled(&scalable::building(100, false), 5);
}

/// `cargo test --release -p modeshift-structure --test suite -- --ignored long_range::very_long`
#[test]
#[ignore = "a minute: the oracle is quadratic"]
fn very_long_models_are_those_of_sampled_modes() {
    check_sampled(&scalable::valve_pipe(10_000), 4);
    check_sampled(&scalable::clutch_chain(10_000), 2);
    check_sampled(&scalable::building(1_000, false), 3);
    check_sampled(&scalable::building(10_000, false), 2);
    check_networks(&[ladder(3_334), grid(6, 910)], 12);
    check_networks(&[ladder(3_334).scrambled(), grid(6, 910).scrambled()], 6);
    [3, 4].into_iter().for_each(|size| check_all_modes(&scalable::building(size, false)));
}

#[test]
fn long_equations_are_taken_apart() {
    for seed in 0..2_000 {
        let random = &mut Random::new(seed + 7_000);
        let mut system = System::random(random);
        let (equations, first) = (system.equations.len() as u32, system.variables.len() as u32);
        // Nine more equations and variables, of which the first equation has all.
        for at in 0..9 {
            system.equations.push(Table::ALL);
            system.variables.push(Table::ALL);
            let partners = [(equations + at, first + at, 85), (equations + at, first + random.below(9) as u32, 40)];
            for (equation, variable, percent) in partners {
                if random.chance(percent) {
                    system.occurrences.push((equation, variable, 0, Table::ALL));
                }
            }
            system.occurrences.push((0, first + at, 0, system.equations[0]));
        }
        let space = ModeSpace::new(system.mode_variables);
        let (incidence, invariant) = system.incidence(&space);
        let swept = singular_modes(&space, &invariant, &incidence, &Options::default()).expect("small enough");
        for mode in system.modes() {
            let (signature, ..) = system.signature(mode);
            let is_singular = matches!(single_mode::analyze(&signature), Structure::Singular(_));
            assert_eq!(
                swept.contains(|variable| mode >> variable.0 & 1 == 1),
                is_singular,
                "seed {seed}, mode {mode:b}"
            );
        }
    }
}

#[test]
fn summaries_per_cut_do_not_grow_with_the_model() {
    let states = |size: usize| {
        let dae = scalable::valve_pipe(size).scrambled();
        let space = ModeSpace::new(dae.mode_variables.len() as u32);
        let invariant = invariant_of(&space, &dae, &[]);
        let incidence = incidence(&dae, &space, &invariant);
        let swept = singular_modes(&space, &invariant, &incidence, &Options::default()).expect("a narrow model");
        (swept.size.boundary, swept.size.states, swept.size.minimal_states)
    };
    assert_eq!(states(100), states(3_000));
}

/// A network of `models/` with the branches between its nodes, in the order of its mode variables.
struct Breakers {
    dae: MultimodeDae,
    nodes: usize,
    branches: Vec<(usize, usize)>,
}

fn ladder(rungs: usize) -> Breakers {
    let text = include_str!("../../../models/BreakerLadder.mel");
    let dae = multimode_dae_of_mel("BreakerLadder", text, &[("N", rungs.to_string())]).expect("a correct model");
    let branch = |name: &str| {
        let (kind, at) = (name.split('[').next().unwrap_or(""), index(name, 0));
        match kind {
            "rung" => (2 * at, 2 * at + 1),
            "left" => (2 * at, 2 * at + 2),
            _ => (2 * at + 1, 2 * at + 3),
        }
    };
    let branches = dae.mode_variables.iter().map(|mode| branch(&mode.name)).collect();
    Breakers { dae, nodes: 2 * rungs, branches }
}

fn grid(width: usize, height: usize) -> Breakers {
    let text = include_str!("../../../models/BreakerGrid.mel");
    let sizes = [("W", width.to_string()), ("H", height.to_string())];
    let dae = multimode_dae_of_mel("BreakerGrid", text, &sizes).expect("a correct model");
    let branch = |name: &str| {
        let at = index(name, 0) + width * index(name, 1);
        if name.starts_with("right") { (at, at + 1) } else { (at, at + width) }
    };
    let branches = dae.mode_variables.iter().map(|mode| branch(&mode.name)).collect();
    Breakers { dae, nodes: width * height, branches }
}

/// Any network, the first node grounded and a source at the last.
fn network(nodes: usize, branches: Vec<(usize, usize)>) -> Breakers {
    let mut text = String::new();
    for node in 0..nodes {
        text.push_str(&format!("p{node} : real;\n"));
    }
    let mut balances = vec![String::from("0.0"); nodes];
    for (number, &(one, other)) in branches.iter().enumerate() {
        text.push_str(&format!("i{number} : real;\ns{number} : boolean;\n"));
        text.push_str(&format!("law{number} : equation i{number} = if s{number} then p{one} - p{other} else 0.0;\n"));
        balances[one].push_str(&format!(" - i{number}"));
        balances[other].push_str(&format!(" + i{number}"));
    }
    text.push_str("ground : equation p0 = 0.0;\n");
    for (node, balance) in balances.iter().enumerate().skip(1) {
        text.push_str(&format!("node{node} : equation {balance} = {}.0;\n", usize::from(node + 1 == nodes)));
    }
    let dae = multimode_dae_of_mel::<&str, &str>("Network", &text, &[]).expect("a correct model");
    assert!(dae.mode_variables.iter().enumerate().all(|(at, mode)| *mode.name == format!("s{at}")));
    Breakers { dae, nodes, branches }
}

/// Feeders that branch in two, as long as there are nodes.
fn tree(nodes: usize) -> Breakers {
    network(nodes, (1..nodes).map(|node| ((node - 1) / 2, node)).collect())
}

/// An index of a name such as `right[2,3]`, from 0 on.
fn index(name: &str, position: usize) -> usize {
    let inside = name.split(['[', ']']).nth(1).expect("a name with indices");
    inside.split(',').nth(position).and_then(|text| text.trim().parse::<usize>().ok()).expect("an index") - 1
}

impl Breakers {
    /// The same network with nodes and branches in any order; the ground stays the first node.
    fn scrambled(&self) -> Breakers {
        let random = &mut Random::new(23);
        let mut shuffled = |first: usize, count: usize| {
            let mut order: Vec<usize> = (0..count).collect();
            (first + 1..count).rev().for_each(|at| order.swap(at, first + random.below(at + 1 - first)));
            order
        };
        let (nodes, order) = (shuffled(1, self.nodes), shuffled(0, self.branches.len()));
        let branch = |&at: &usize| (nodes[self.branches[at].0], nodes[self.branches[at].1]);
        network(self.nodes, order.iter().map(branch).collect())
    }

    fn analyzed(&self) -> LongRange {
        let values = &self.dae.model;
        let value_of = |variable: VariableId| match &*values.variables[variable].name {
            "g" | "s" => Some(1.0),
            _ => None,
        };
        long_range(&mut self.dae.clone(), &Options::default(), &value_of).expect("a narrow network")
    }

    /// Whether some node hangs together with others only, and not with the ground, which is node 0.
    fn has_island(&self, closed: impl Fn(ModeVariable) -> bool) -> bool {
        let mut joined = UnionFind::<usize>::new(self.nodes);
        for (number, &(one, other)) in self.branches.iter().enumerate() {
            if closed(ModeVariable(number as u32)) {
                joined.join(one, other);
            }
        }
        let ground = joined.root(0);
        (0..self.nodes).any(|node| joined.root(node) != ground)
    }

    /// Compares a mode with union-find and with the oracle.
    fn check(&self, found: &LongRange, mode: impl Fn(ModeVariable) -> bool) -> (bool, bool) {
        let island = self.has_island(&mode);
        let islands = found.islands.as_ref().expect("it can be cut");
        assert_eq!(islands.contains(&mode), island);
        assert_eq!(!found.network.islands_in(&found.given, &mode).is_empty(), island);
        let (signature, equations, variables) = signature(&found.incidence, &found.given, &mode);
        let parts = parts_of(&signature, &equations, &variables);
        let singular = parts.is_some();
        assert_eq!(found.singular.contains(&mode), singular);
        assert_eq!(found.parts_in(&mode), parts.unwrap_or_default());
        assert!(island || !singular, "only islands make a network singular");
        (singular, island)
    }
}

fn signature(
    incidence: &Incidence,
    space: &ModeSpace,
    mode: impl Fn(ModeVariable) -> bool,
) -> (Signature, Vec<u32>, Vec<u32>) {
    let there = |guard| space.evaluate(guard, &mode);
    let variables = incidence.variables().iter_enumerated().filter(|(_, vertex)| there(vertex.guard));
    let variables: Vec<u32> = variables.map(|(id, _)| id.0).collect();
    let mut signature = Signature::new(variables.len());
    let mut equations = Vec::new();
    for (equation, _) in incidence.equations().iter_enumerated().filter(|(_, vertex)| there(vertex.guard)) {
        let edges = incidence.edges_of_equation(equation).filter(|&edge| there(incidence.active(edge)));
        let column = |variable: VariableId| variables.binary_search(&variable.0).expect("it is there") as u32;
        let order = |edge| incidence.orders(edge).iter().find(|it| there(it.1)).map_or(0, |it| it.0);
        signature.push(edges.map(|edge| (column(incidence.variable(edge)), order(edge))));
        equations.push(equation.0);
    }
    (signature, equations, variables)
}

/// How many modes are structurally singular, and how many have an island.
fn counts(breakers: &Breakers) -> (usize, usize) {
    let found = breakers.analyzed();
    let (mut singular, mut islands) = (0, 0);
    for mode in 0..1u32 << breakers.branches.len() {
        let (is_singular, has_island) = breakers.check(&found, |variable| mode >> variable.0 & 1 == 1);
        singular += usize::from(is_singular);
        islands += usize::from(has_island);
    }
    let count = |swept: &modeshift_structure::long_range::Swept| {
        let Diagram { space, modes, .. } = swept.diagram.as_ref().expect("a small network");
        space.count(*modes, breakers.branches.len()).to_u64().expect("few modes") as usize
    };
    assert_eq!(count(&found.singular), singular);
    assert_eq!(count(found.islands.as_ref().expect("it can be cut")), islands);
    (singular, islands)
}

#[test]
fn small_networks_have_the_islands_that_enumeration_finds() {
    assert_eq!(counts(&ladder(3)), (103, 105));
    assert_eq!(counts(&ladder(4)), (895, 919));
    assert_eq!(counts(&grid(3, 3)), (3_576, 3_665));
    assert_eq!(counts(&grid(2, 4)), counts(&ladder(4)));
    // A tree is regular where all is closed, and nowhere else.
    assert_eq!(counts(&tree(8)), (127, 127));
}

#[test]
fn islands_of_any_small_network_are_those_of_union_find() {
    for seed in 0..30 {
        let random = &mut Random::new(seed);
        let nodes = 3 + random.below(4);
        // A tree, and some more: parallel branches, and nodes with one branch.
        let mut branches: Vec<(usize, usize)> = (1..nodes).map(|node| (random.below(node), node)).collect();
        for _ in 0..random.below(4) {
            let one = random.below(nodes);
            let other = (one + 1 + random.below(nodes - 1)) % nodes;
            branches.push((one, other));
        }
        counts(&network(nodes, branches));
    }
}

#[test]
fn long_networks_have_the_islands_that_union_find_sees_in_sampled_modes() {
    check_networks(&[ladder(334), grid(3, 200), grid(6, 90), tree(255)], 40);
    check_networks(&[ladder(334).scrambled(), grid(3, 200).scrambled(), grid(4, 90).scrambled()], 10);
}

fn check_networks(networks: &[Breakers], samples: usize) {
    for breakers in networks {
        let found = breakers.analyzed();
        let mut random = Random::new(11);
        let mut cut = 0;
        for sample in 0..samples {
            let open: Vec<u32> = (0..sample % 9).map(|_| random.below(breakers.branches.len()) as u32).collect();
            let (_, island) = breakers.check(&found, |variable| !open.contains(&variable.0));
            cut += usize::from(island);
        }
        // And one that is cut for certain: all branches of the last node.
        let last = breakers.nodes - 1;
        let of_last = |variable: ModeVariable| {
            let (one, other) = breakers.branches[variable.index()];
            one == last || other == last
        };
        assert!(breakers.check(&found, |variable| !of_last(variable)).1, "the last node is cut off");
        assert!(cut < samples);
    }
}

/// What words ask of a verdict, from its automaton and from its set of modes.
fn check_forms(swept: &Swept, seed: u64) -> bool {
    let (Some(staged), Some(diagram)) = (&swept.staged, &swept.diagram) else { return false };
    let Diagram { space, modes, .. } = diagram;
    if space.variable_count() == 0 {
        return false;
    }
    assert_eq!(staged.is_empty(), modes.is_empty(), "seed {seed}");
    let usual = space.usual_values(!*modes);
    if !modes.is_all() {
        assert_eq!(staged.usual_values_without(), usual, "seed {seed}");
    }
    let random = &mut Random::new(seed);
    let preferred: Vec<bool> = (0..space.variable_count()).map(|_| random.chance(50)).collect();
    for usual in [&|_: ModeVariable| true as _, &|it: ModeVariable| preferred[it.index()] as _]
        as [&dyn Fn(ModeVariable) -> bool; 2]
    {
        match (staged.fewest_deviations(usual), space.fewest_deviations(*modes, usual)) {
            (Some(one), Some(other)) => {
                assert_eq!(one.counts, other.counts, "seed {seed}");
                let deviates = |it: ModeVariable| one.example.contains(&it) != usual(it);
                assert_eq!(one.example.len(), other.example.len(), "seed {seed}");
                assert!(staged.contains(deviates) && space.evaluate(*modes, deviates), "seed {seed}");
                let values: Vec<(ModeVariable, bool)> = one.example.iter().map(|&it| (it, !usual(it))).collect();
                let alone = space.implies(space.valuation(&values), *modes);
                assert_eq!(staged.is_implied_by(&values), alone, "seed {seed}");
            }
            (one, other) => assert_eq!(one, other, "seed {seed}"),
        }
        let given = [(ModeVariable(0), random.chance(50))].into_iter().collect();
        let nearest = staged.nearest_without(&given, usual);
        let asked =
            space.difference(space.valuation(&given.iter().map(|it| (*it.0, *it.1)).collect::<Vec<_>>()), *modes);
        let expected = space.fewest_deviations(asked, |it| given.get(&it).copied().unwrap_or_else(|| usual(it)));
        assert_eq!(nearest.is_some(), expected.is_some(), "seed {seed}");
        if let (Some(mode), Some(expected)) = (nearest, expected) {
            let values: rustc_hash::FxHashMap<ModeVariable, bool> = mode.into_iter().collect();
            let wanted = |it: ModeVariable| given.get(&it).copied().unwrap_or_else(|| usual(it));
            let value = |it: ModeVariable| values.get(&it).copied().unwrap_or_else(|| wanted(it));
            assert!(!staged.contains(value), "seed {seed}");
            let deviating = (0..space.variable_count() as u32).map(ModeVariable).filter(|&it| value(it) != wanted(it));
            assert_eq!(deviating.count(), expected.example.len(), "seed {seed}");
        }
    }
    true
}

#[test]
fn words_are_the_same_from_the_automaton_and_from_the_set_of_modes() {
    let mut compared = 0;
    for seed in 0..2_000 {
        let system = System::random(&mut Random::new(seed));
        let space = ModeSpace::new(system.mode_variables);
        let (incidence, invariant) = system.incidence(&space);
        let swept = singular_modes(&space, &invariant, &incidence, &Options::default()).expect("small enough");
        // A value that is given deviates in a set of modes and not in an automaton: both are told of where nothing is given.
        if invariant.components().all(ModeSet::is_all) {
            compared += usize::from(check_forms(&swept, seed));
        }
    }
    assert!(compared > 100, "{compared}");
    for breakers in [ladder(4), ladder(60), grid(3, 3), grid(4, 12)] {
        let found = breakers.analyzed();
        assert!(check_forms(&found.singular, 1) && check_forms(found.islands.as_ref().expect("it can be cut"), 2));
    }
}

#[test]
fn grids_are_swept_in_an_order_with_few_summaries() {
    let size = |width: usize| grid(width, 12).analyzed().singular.size;
    let sizes: Vec<(usize, usize)> = (2..=6).map(size).map(|size| (size.boundary, size.states)).collect();
    // A balance and a potential for each node at the front; summaries as measured.
    let bounds = [(6, 11), (8, 25), (10, 151), (12, 1_025), (14, 8_250)];
    let is_within =
        |((boundary, states), (most, many)): (&(usize, usize), &(usize, usize))| boundary <= most && states <= many;
    assert!(sizes.iter().zip(&bounds).all(is_within), "{sizes:?}");
}

/// `cargo test --release -p modeshift-structure --test suite -- --ignored a_wide_network`
#[test]
#[ignore = "minutes without optimisation: tables of a grid that is six wide"]
fn a_wide_network_is_told_without_its_diagram() {
    let breakers = grid(6, 1_000);
    let found = breakers.analyzed();
    let islands = found.islands.as_ref().expect("it can be cut");
    assert!(islands.diagram.is_none() || found.singular.diagram.is_none(), "hundreds of nodes per switch");
    let fewest = islands.fewest_deviations(|_| true).expect("it can be cut");
    // Two branches at each of the four corners, of which the ground has one; then three at each node of the rim.
    assert_eq!(fewest.counts[0], (2, Some(4)), "{:?}", fewest.counts);
    assert!(breakers.has_island(|it| !fewest.example.contains(&it)));
    let mut random = Random::new(5);
    for sample in 0..40 {
        let open: Vec<u32> = (0..sample % 12).map(|_| random.below(breakers.branches.len()) as u32).collect();
        breakers.check(&found, |variable| !open.contains(&variable.0));
    }
}

/// What the oracle says of a mode that is regular.
fn offsets_of(signature: &Signature, equations: &[u32], variables: &[u32]) -> Option<OffsetsOfMode> {
    let Structure::Regular(regular) = single_mode::analyze(signature) else { return None };
    let of = |at: u32| EquationId(equations[at as usize]);
    let block = |block: &single_mode::Block| {
        let mut members: Vec<EquationId> = block.equations.iter().map(|&at| of(at)).collect();
        members.sort_unstable();
        members
    };
    let mut blocks: Vec<Vec<EquationId>> = regular.blocks.iter().map(block).collect();
    blocks.sort_unstable();
    let mut found = OffsetsOfMode {
        equations: (0..).zip(&regular.c).map(|(at, &c)| (of(at), c)).collect(),
        variables: variables.iter().zip(&regular.d).map(|(&id, &d)| (VariableId(id), d)).collect(),
        blocks,
    };
    found.equations.sort_unstable();
    found.variables.sort_unstable();
    Some(found)
}

#[test]
fn offsets_and_blocks_of_random_models_are_those_of_each_mode() {
    let (mut regular, mut differentiated) = (0, 0);
    for seed in 0..1_500 {
        let system = System::random(&mut Random::new(seed + 50_000));
        let space = ModeSpace::new(system.mode_variables);
        let (incidence, _) = system.incidence(&space);
        let sweep = OffsetSweep::new(&space, &incidence).expect("small enough");
        for mode in system.modes() {
            let (signature, equations, variables) = system.signature(mode);
            let expected = offsets_of(&signature, &equations, &variables);
            regular += usize::from(expected.is_some());
            differentiated += expected.iter().flat_map(|it| &it.equations).filter(|it| it.1 > 0).count();
            let found = sweep.in_mode(|variable| mode >> variable.0 & 1 == 1);
            assert_eq!(found, expected, "seed {seed}, mode {mode:b}");
        }
    }
    assert!(regular > 1_000 && differentiated > 1_000, "{regular} regular modes, {differentiated} differentiated");
}

/// Index, degrees of freedom and offsets of some modes, from the oracle's offsets.
#[derive(Default)]
struct Expected {
    index: std::collections::BTreeMap<u32, Vec<usize>>,
    freedom: Vec<u32>,
    offsets: std::collections::BTreeMap<(EquationId, u32), Vec<usize>>,
}

impl Expected {
    fn add(&mut self, mode: usize, found: &OffsetsOfMode) {
        let largest = found.equations.iter().map(|it| it.1).max().unwrap_or(0);
        let algebraic = found.variables.iter().any(|it| it.1 == 0);
        self.index.entry(largest + u32::from(algebraic)).or_default().push(mode);
        let leading: u32 = found.variables.iter().map(|it| it.1).sum();
        self.freedom.push(leading - found.equations.iter().map(|it| it.1).sum::<u32>());
        found.equations.iter().for_each(|&it| self.offsets.entry(it).or_default().push(mode));
    }

    /// What is asked of the offsets of all modes is what the modes say one by one, and examples are such modes, the nearest ones.
    fn check(&self, staged: &StagedOffsets, asked: &Asked<'_>, fixed: usize, what: &str) {
        let usual = |variable: ModeVariable| asked.given.get(&variable).copied().unwrap_or((asked.usual)(variable));
        let deviates = |mode: usize, at: u32| fixed >> at & 1 == 1 && (mode >> at & 1 == 1) != usual(ModeVariable(at));
        let distance = |mode: usize| (0..8).filter(|&at| deviates(mode, at)).count();
        let is_among = |example: &[(ModeVariable, bool)], modes: &[usize]| {
            let mode = |at: &u32| example.iter().find(|it| it.0.0 == *at).map_or(usual(ModeVariable(*at)), |it| it.1);
            let mode = (0..8u32).filter(mode).fold(0, |bits, at| bits | 1 << at) & fixed;
            assert!(modes.iter().any(|&it| it & fixed == mode), "{what}: {example:?} is none of {modes:?}");
            assert_eq!(Some(example.len()), modes.iter().map(|&mode| distance(mode)).min(), "{what}");
        };
        let cases = staged.structural_index(asked);
        let values: Vec<u32> = cases.iter().map(|case| case.value).collect();
        assert_eq!(values, self.index.keys().copied().collect::<Vec<_>>(), "{what}: index");
        cases.iter().for_each(|case| is_among(&case.example, &self.index[&case.value]));
        let bounds = self.freedom.iter().min().copied().zip(self.freedom.iter().max().copied());
        assert_eq!(staged.degrees_of_freedom(asked), bounds, "{what}: degrees of freedom");
        let equations: std::collections::BTreeSet<EquationId> = self.offsets.keys().map(|it| it.0).collect();
        for equation in equations {
            let cases = staged.offsets_of(equation, asked);
            let found: Vec<(EquationId, u32)> = cases.iter().map(|case| (equation, case.value)).collect();
            let expected = self.offsets.keys().copied().filter(|it| it.0 == equation);
            assert_eq!(found, expected.collect::<Vec<_>>(), "{what}: {equation:?}");
            cases.iter().for_each(|case| is_among(&case.example, &self.offsets[&(equation, case.value)]));
        }
    }
}

fn check_staged_offsets(seeds: std::ops::Range<u64>) {
    let (mut regular, mut several) = (0, 0);
    for seed in seeds {
        let system = System::random(&mut Random::new(seed + 50_000));
        let space = ModeSpace::new(system.mode_variables);
        let (incidence, invariant) = system.incidence(&space);
        let staged = StagedOffsets::new(&space, &invariant, &incidence, None).expect("small enough");
        let fixed = (1 << system.mode_variables) - 1;
        // Of all modes, and of those with a value that is given.
        let values = if system.mode_variables == 0 { &[None][..] } else { &[None, Some(true), Some(false)] };
        for &given in values {
            let given: rustc_hash::FxHashMap<ModeVariable, bool> =
                given.map(|value| (ModeVariable(0), value)).into_iter().collect();
            let usual = |variable: ModeVariable| (seed + u64::from(variable.0)) % 3 > 0;
            let mut expected = Expected::default();
            for mode in system.modes() {
                let value = |variable: ModeVariable| mode >> variable.0 & 1 == 1;
                let (signature, equations, variables) = system.signature(mode);
                let found = offsets_of(&signature, &equations, &variables);
                let offsets = staged.in_mode(value).map(|it| it.0);
                assert_eq!(offsets, found.as_ref().map(|it| it.equations.clone()), "seed {seed}, mode {mode:b}");
                if let Some(found) = found.filter(|_| given.iter().all(|(&it, &asked)| value(it) == asked)) {
                    expected.add(mode as usize, &found);
                    regular += 1;
                }
            }
            several += usize::from(expected.index.len() > 1);
            expected.check(&staged, &Asked { given: &given, usual: &usual }, fixed, &format!("seed {seed}"));
        }
    }
    assert!(regular > 1_000 && several > 20, "{regular} regular modes, {several} models of several indices");
}

#[test]
fn what_is_asked_of_the_offsets_of_all_modes_is_what_each_mode_says() {
    check_staged_offsets(0..600);
}

/// `cargo test --release -p modeshift-structure --test suite -- --ignored long_range::staged`
#[test]
#[ignore = "minutes: 20,000 random models"]
fn staged_offsets_of_many_random_models_are_what_each_mode_says() {
    check_staged_offsets(1_000_000..1_020_000);
}

/// The classes of the automaton of pairs do not grow with the model, and what it says is what sampled modes say.
#[test]
fn offsets_in_all_modes_of_long_models_take_as_many_classes_as_of_short_ones() {
    let plans = |size: usize| [scalable::clutch_chain(size), scalable::transmission_line(size, true)];
    for (short, long) in plans(8).into_iter().zip(plans(24)) {
        let [short, long] = [short, long].map(|plan| {
            let dae = plan.natural();
            let space = ModeSpace::new(dae.mode_variables.len() as u32);
            let invariant = invariant_of(&space, &dae, &[]);
            let incidence = incidence(&dae, &space, &invariant);
            let staged = StagedOffsets::new(&space, &invariant, &incidence, None).expect("a narrow model");
            let sweep = OffsetSweep::new(&space, &incidence).expect("a narrow model");
            for mode in sampled_modes(&plan, 4) {
                let value = |variable: ModeVariable| mode[variable.index()];
                let expected = sweep.in_mode(value).map(|it| it.equations);
                assert_eq!(staged.in_mode(value).map(|it| it.0), expected, "{}", plan.name);
            }
            let asked = Asked { given: &Default::default(), usual: &|_| true };
            let values = staged.structural_index(&asked).iter().map(|it| it.value).collect::<Vec<_>>();
            (staged.most_classes, values)
        });
        assert_eq!(short.1, long.1);
        assert!(long.0 <= 2 * short.0, "{} and {} classes", short.0, long.0);
    }
}

/// A front that is wide has more sets than are followed: that is said, and soon.
#[test]
fn offsets_in_all_modes_of_a_wide_model_are_refused() {
    let dae = scalable::building(24, false).natural();
    let space = ModeSpace::new(dae.mode_variables.len() as u32);
    let invariant = invariant_of(&space, &dae, &[]);
    let incidence = incidence(&dae, &space, &invariant);
    let refused = StagedOffsets::new(&space, &invariant, &incidence, None).map(|staged| staged.most_classes);
    assert!(matches!(refused, Err(NotSwept::ManyStates(_) | NotSwept::WideBoundary(_))), "{refused:?}");
}

/// A sparse model of 40 mode variables: equations that involve what is near them, and pairs of equations of which one holds.
fn sparse(seed: u64, space: &ModeSpace) -> Incidence {
    let random = &mut Random::new(seed);
    let size = 40 + random.below(30);
    let is_tree = random.chance(30);
    let vertex = |name: String, guard: ModeSet| Vertex { name: name.into(), guard };
    let variables: IndexVec<VariableId, Vertex> = (0..size).map(|at| vertex(format!("x{at}"), ModeSet::ALL)).collect();
    let mut equations: IndexVec<EquationId, Vertex> = IndexVec::new();
    let mut occurrences = Vec::new();
    for at in 0..size {
        let mode = ModeVariable((at * 40 / size) as u32);
        let literal = space.literal(mode);
        let guards = if random.chance(25) { vec![literal, !literal] } else { vec![ModeSet::ALL] };
        for guard in guards {
            let equation = equations.push(vertex(format!("e{}", equations.len()), guard));
            let parent = if is_tree { at.saturating_sub(1 + random.below(4)) } else { at.saturating_sub(1) };
            let near = [at, parent, at.saturating_sub(2), (at + 1).min(size - 1)];
            let mut taken = near.to_vec();
            // Nearly always its own, so that many modes are regular.
            taken.retain(|&it| it == at && random.chance(99) || random.chance(45));
            taken.sort_unstable();
            taken.dedup();
            for variable in taken {
                let side = if random.chance(50) { literal } else { !literal };
                let is_always = random.chance(if variable == at { 98 } else { 60 });
                let modes = if is_always { guard } else { space.and(guard, side) };
                let (variable, order) = (VariableId(variable as u32), random.below(3) as u32);
                occurrences.push(Occurrence { equation, variable, order, modes });
            }
        }
    }
    Incidence::new(space, equations, variables, occurrences)
}

fn check_sparse(seeds: std::ops::Range<u64>) {
    let (mut swept, mut regular, mut singular) = (0, 0, 0);
    for seed in seeds.clone() {
        let space = ModeSpace::new(40);
        let incidence = sparse(seed, &space);
        let invariant = Invariant::new(&space, &[]);
        let Ok(verdict) = singular_modes(&space, &invariant, &incidence, &Options::default()) else { continue };
        let (Ok(parts), Ok(offsets)) = (PartSweep::new(&space, &incidence), OffsetSweep::new(&space, &incidence))
        else {
            continue;
        };
        swept += 1;
        let random = &mut Random::new(seed + 1);
        for _ in 0..8 {
            let mode: Vec<bool> = (0..40).map(|_| random.chance(50)).collect();
            let value = |variable: ModeVariable| mode[variable.index()];
            let (signature, equations, variables) = signature(&incidence, &space, value);
            let expected = parts_of(&signature, &equations, &variables);
            assert_eq!(verdict.contains(value), expected.is_some(), "seed {seed}");
            assert_eq!(parts.in_mode(value), expected.unwrap_or_default(), "seed {seed}");
            let expected = offsets_of(&signature, &equations, &variables);
            *(if expected.is_some() { &mut regular } else { &mut singular }) += 1;
            assert_eq!(offsets.in_mode(value), expected, "seed {seed}");
        }
    }
    let count = (seeds.end - seeds.start) as usize;
    assert!(10 * swept > 9 * count, "{swept} of {count} were narrow enough");
    assert!(regular > count / 2 && singular > count / 2, "{regular} regular and {singular} singular modes");
}

#[test]
fn sparse_models_of_forty_mode_variables_are_those_of_sampled_modes() {
    check_sparse(0..300);
}

/// `cargo test --release -p modeshift-structure --test suite -- --ignored long_range::many_sparse`
#[test]
#[ignore = "minutes: 5,000 sparse models"]
fn many_sparse_models_of_forty_mode_variables_are_those_of_sampled_modes() {
    check_sparse(10_000..15_000);
}

//! What is redundant and what is free, by groups of equations that change together.
//!
//! A group is what circuits of either space connect: the forms of one equation, and equations that are there in some
//! modes only and share a mode variable. Numbers of redundancies and of free directions are compared group by group, so
//! that thousands of bridges are thousands of small questions.

use std::collections::BTreeMap;

use modeshift_dae::{Id, UnionFind, VariableId};
use modeshift_modes::{ModeSet, ModeSpace};
use rustc_hash::FxHashMap;

use super::circuits::{Circuit, circuits};
use super::counts::{at_least, ends};
use super::elimination::Sparse;
use super::forms::Form;
use super::leaves::Leaves;
use super::spaces::PortSpaces;

/// A combination of equations in which all unknowns cancel.
pub(super) struct Redundancy {
    pub(super) modes: ModeSet,
    /// Forms of functionals and of equations that always hold, with weights.
    pub(super) of: Vec<((usize, usize), f64)>,
}

/// A direction in which nothing determines the solution.
pub(super) struct Direction {
    pub(super) modes: ModeSet,
    /// What changes along it, with the modes of the direction in which it does.
    pub(super) variables: Vec<(VariableId, ModeSet)>,
}

/// Equations that change together.
#[derive(Default)]
pub(super) struct Group {
    pub(super) equations: Vec<usize>,
    pub(super) redundancies: Vec<Redundancy>,
    pub(super) directions: Vec<Direction>,
    /// At place `n`, the modes with more than `n` redundancies.
    pub(super) redundant: Vec<ModeSet>,
    /// At place `n`, the modes with more than `n` free directions.
    pub(super) free: Vec<ModeSet>,
    /// Whether the circuits of some component are too many to be listed.
    pub(super) too_many: bool,
    /// What changes along directions that are too many to be listed.
    pub(super) not_listed: Vec<VariableId>,
}

/// The circuits of one component with the modes in which they are there; nothing where they are too many.
type Component = Option<Vec<(Circuit, ModeSet)>>;

/// The groups of a model, those in which anything can be singular.
pub(super) fn groups(space: &ModeSpace, forms: &[Vec<Form>], leaves: &Leaves, spaces: &PortSpaces) -> Vec<Group> {
    let imposed = |at: u32| spaces.functionals[at as usize].modes;
    let free = |at: u32| !spaces.functionals[spaces.owners[at as usize] as usize].modes;
    let redundancies: Vec<Component> = spaces.redundancies.iter().map(|it| listed(space, it, &imposed)).collect();
    let directions: Vec<Component> = spaces.directions.iter().map(|it| listed(space, it, &free)).collect();
    let mut joined = joined_functionals(space, forms, spaces);
    let owner = |at: u32| spaces.owners[at as usize] as usize;
    for (basis, component) in spaces.redundancies.iter().zip(&redundancies) {
        join(&mut joined, basis, component, |at| at as usize);
    }
    for (basis, component) in spaces.directions.iter().zip(&directions) {
        join(&mut joined, basis, component, owner);
    }
    let mut groups = Groups { number: FxHashMap::default(), groups: Vec::new() };
    let mut counts: Vec<(Vec<ModeSet>, Vec<ModeSet>)> = Vec::new();
    for (basis, component) in spaces.redundancies.iter().zip(redundancies) {
        for circuits in by_group(&mut joined, basis, component, |at| at as usize) {
            let Some((root, circuits)) = circuits else { continue };
            let at = groups.at(root, &mut counts);
            let Some(circuits) = circuits else {
                groups.groups[at].too_many = true;
                continue;
            };
            counts[at].0.extend(ends(space, &circuits));
            groups.groups[at].redundancies.extend(circuits.iter().map(|it| redundancy(spaces, it)));
        }
    }
    let readers = leaf_readers(forms, leaves);
    for (basis, component) in spaces.directions.iter().zip(directions) {
        for circuits in by_group(&mut joined, basis, component, owner) {
            let Some((root, circuits)) = circuits else { continue };
            let at = groups.at(root, &mut counts);
            let Some(circuits) = circuits else {
                groups.groups[at].too_many = true;
                let some = spaces.direction(&mixture(basis));
                let changes = with_leaves(space, forms, leaves, &readers, ModeSet::ALL, some);
                groups.groups[at].not_listed.extend(changes.into_iter().map(|it| it.0));
                continue;
            };
            counts[at].1.extend(ends(space, &circuits));
            let direction = |(circuit, modes): &(Circuit, ModeSet)| Direction {
                modes: *modes,
                variables: with_leaves(space, forms, leaves, &readers, *modes, spaces.direction(circuit)),
            };
            groups.groups[at].directions.extend(circuits.iter().map(direction));
        }
    }
    for (group, (redundant, free)) in groups.groups.iter_mut().zip(counts) {
        group.redundant = at_least(space, &redundant);
        group.free = at_least(space, &free);
    }
    for (at, functional) in spaces.functionals.iter().enumerate() {
        if let (Some((equation, _)), Some(&group)) = (functional.form, groups.number.get(&joined.root(at))) {
            groups.groups[group].equations.push(equation);
        }
    }
    groups.groups.iter_mut().for_each(|group| group.equations.dedup());
    groups.groups
}

/// A vector in which each coordinate is that some vector of a basis has: weights without relations between them, so that none cancels.
fn mixture(basis: &[Sparse]) -> Sparse {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let mut sum: BTreeMap<u32, f64> = BTreeMap::new();
    for (number, vector) in basis.iter().enumerate() {
        let weight = 1.0 + (number as f64 * GOLDEN).fract();
        vector.iter().for_each(|&(at, value)| *sum.entry(at).or_default() += weight * value);
    }
    sum.into_iter().filter(|it| it.1 != 0.0).collect()
}

struct Groups {
    number: FxHashMap<usize, usize>,
    groups: Vec<Group>,
}

impl Groups {
    fn at(&mut self, root: usize, counts: &mut Vec<(Vec<ModeSet>, Vec<ModeSet>)>) -> usize {
        *self.number.entry(root).or_insert_with(|| {
            self.groups.push(Group::default());
            counts.push((Vec::new(), Vec::new()));
            self.groups.len() - 1
        })
    }
}

/// The circuits of a component that some mode has.
fn listed(space: &ModeSpace, basis: &[Sparse], modes: &dyn Fn(u32) -> ModeSet) -> Component {
    let exclude = |one: u32, other: u32| !space.intersects(modes(one), modes(other));
    let found = circuits(basis, &exclude)?;
    let there = found.into_iter().map(|circuit| {
        let all = space.intersection(circuit.iter().map(|&(at, _)| modes(at)));
        (circuit, all)
    });
    Some(there.filter(|(_, modes)| !modes.is_empty()).collect())
}

/// Functionals of one equation change together, and so do equations that are there in some modes only and share a mode
/// variable.
fn joined_functionals(space: &ModeSpace, forms: &[Vec<Form>], spaces: &PortSpaces) -> UnionFind<usize> {
    let mut joined: UnionFind<usize> = UnionFind::new(spaces.functionals.len());
    let mut first_of: FxHashMap<usize, usize> = FxHashMap::default();
    let mut first_with: FxHashMap<u32, usize> = FxHashMap::default();
    for (at, functional) in spaces.functionals.iter().enumerate() {
        let covers = match functional.form {
            Some((equation, _)) => {
                joined.join(at, *first_of.entry(equation).or_insert(at));
                space.union(forms[equation].iter().map(|form| form.modes)).is_all()
            }
            None => false,
        };
        if !covers {
            for variable in space.support(functional.modes) {
                joined.join(at, *first_with.entry(variable.0).or_insert(at));
            }
        }
    }
    joined
}

/// Joins what circuits connect; of components whose circuits are not listed, everything.
fn join(joined: &mut UnionFind<usize>, basis: &[Sparse], component: &Component, functional: impl Fn(u32) -> usize) {
    let mut join = |vector: &Sparse| {
        vector.windows(2).for_each(|pair| joined.join(functional(pair[0].0), functional(pair[1].0)));
    };
    match component {
        Some(circuits) => circuits.iter().for_each(|(circuit, _)| join(circuit)),
        None => basis.iter().for_each(join),
    }
}

/// The circuits of a component by group.
fn by_group(
    joined: &mut UnionFind<usize>,
    basis: &[Sparse],
    component: Component,
    functional: impl Fn(u32) -> usize,
) -> Vec<Option<(usize, Component)>> {
    let Some(circuits) = component else {
        let first = basis.iter().flatten().next();
        return vec![first.map(|&(at, _)| (joined.root(functional(at)), None))];
    };
    let mut groups: Vec<(usize, Vec<(Circuit, ModeSet)>)> = Vec::new();
    for (circuit, modes) in circuits {
        let Some(&(first, _)) = circuit.first() else { continue };
        let root = joined.root(functional(first));
        match groups.iter_mut().find(|(known, _)| *known == root) {
            Some((_, members)) => members.push((circuit, modes)),
            None => groups.push((root, vec![(circuit, modes)])),
        }
    }
    groups.into_iter().map(|(root, circuits)| Some((root, Some(circuits)))).collect()
}

fn redundancy(spaces: &PortSpaces, (circuit, modes): &(Circuit, ModeSet)) -> Redundancy {
    let (functionals, always) = spaces.combination(circuit);
    let of_functional = |(at, weight): (u32, f64)| Some((spaces.functionals[at as usize].form?, weight));
    let always = always.into_iter().map(|(equation, weight)| ((equation, 0), weight));
    let mut of: Vec<_> = functionals.into_iter().filter_map(of_functional).chain(always).collect();
    of.sort_by_key(|&(form, _)| form);
    Redundancy { modes: *modes, of }
}

/// By variable: at which places in their order leaves read it.
fn leaf_readers(forms: &[Vec<Form>], leaves: &Leaves) -> FxHashMap<VariableId, Vec<usize>> {
    let mut readers: FxHashMap<VariableId, Vec<usize>> = FxHashMap::default();
    for (at, &(leaf, equation)) in leaves.order.iter().enumerate() {
        for variable in forms[equation].iter().flat_map(Form::unknowns).filter(|&it| it != leaf) {
            readers.entry(variable).or_default().push(at);
        }
    }
    readers
}

/// What changes along a direction, the leaves that are computed from it included.
fn with_leaves(
    space: &ModeSpace,
    forms: &[Vec<Form>],
    leaves: &Leaves,
    readers: &FxHashMap<VariableId, Vec<usize>>,
    modes: ModeSet,
    direction: Vec<(VariableId, f64)>,
) -> Vec<(VariableId, ModeSet)> {
    let mut values: FxHashMap<VariableId, f64> = direction.iter().copied().collect();
    let mut changes: Vec<(VariableId, ModeSet)> = direction.iter().map(|&(variable, _)| (variable, modes)).collect();
    let mut pending: std::collections::BTreeSet<usize> =
        direction.iter().filter_map(|(variable, _)| readers.get(variable)).flatten().copied().collect();
    while let Some(at) = pending.pop_last() {
        let (leaf, equation) = leaves.order[at];
        let (mut largest, mut there) = (0.0_f64, ModeSet::EMPTY);
        for form in &forms[equation] {
            let inside = space.and(form.modes, modes);
            let change = change(form, leaf, &values);
            if !inside.is_empty() && change != 0.0 {
                there = space.or(there, inside);
                largest = if change.abs() > largest.abs() { change } else { largest };
            }
        }
        if !there.is_empty() {
            values.insert(leaf, largest);
            changes.push((leaf, there));
            pending.extend(readers.get(&leaf).into_iter().flatten());
        }
    }
    changes.sort_unstable_by_key(|(variable, _)| variable.index());
    changes
}

/// How much a leaf changes with what its equation reads.
fn change(form: &Form, leaf: VariableId, values: &FxHashMap<VariableId, f64>) -> f64 {
    if form.opaque.iter().any(|variable| values.contains_key(variable)) {
        return 1.0;
    }
    let (mut sum, mut size, mut own) = (0.0, 0.0_f64, 1.0);
    for &(of, factor) in &form.coefficients {
        if of.of == leaf {
            own = factor;
        } else if let Some(value) = values.get(&of.of) {
            sum += factor * value;
            size = size.max((factor * value).abs());
        }
    }
    if f64::abs(sum) <= 1e-9 * size { 0.0 } else { -sum / own }
}

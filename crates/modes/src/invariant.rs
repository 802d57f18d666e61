//! Invariants: which modes are possible at all.
//!
//! An invariant is a conjunction, and it is never conjoined as a whole: its conjuncts are grouped into components that
//! share mode variables, and a predicate is only ever confronted with the components it touches. Projecting every input
//! predicate onto the valid modes lets the analysis forget the invariant until it prints.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use crate::natural::Natural;
use crate::set::{ModeSet, ModeVariable};
use crate::space::ModeSpace;

/// The component number of a variable that the invariant does not mention.
const FREE: u32 = u32::MAX;
/// Components over more variables than this are not used whole when a formula is simplified.
const SMALL_COMPONENT: usize = 16;
/// A set that touches no more components than this meets them one by one. Meeting a thousand would take as many passes over the set.
const FEW_COMPONENTS: usize = 4;

/// The modes that are possible, as independent components.
#[derive(Clone, Debug)]
pub struct Invariant {
    components: Vec<Component>,
    /// Per variable, the component that mentions it.
    component_of: Vec<u32>,
    conjuncts: Vec<ModeSet>,
    /// Per variable, the indices of the conjuncts that mention it.
    mentions: Vec<Vec<u32>>,
    /// The first component that is empty.
    contradictory: Option<usize>,
    /// Made when a set first touches many components.
    chains: OnceCell<Chains>,
}

/// Components one behind the other in the order of the space, so that all of a chain together have no more nodes than each alone.
#[derive(Clone, Debug)]
struct Chains {
    /// By chain: its components, in order.
    components: Vec<Vec<usize>>,
    /// By component: its chain, and the level at which it begins.
    places: Vec<(u32, u32)>,
    /// By component: what it and those behind it in its chain say.
    from_here: Vec<ModeSet>,
}

#[derive(Clone, Debug)]
struct Component {
    set: ModeSet,
    variables: Vec<ModeVariable>,
    /// Indices of the conjuncts it came from.
    conjuncts: Vec<usize>,
}

impl Invariant {
    /// The conjunction of `conjuncts`; of none, all modes are possible.
    pub fn new(space: &ModeSpace, conjuncts: &[ModeSet]) -> Invariant {
        let supports: Vec<_> = conjuncts.iter().map(|&conjunct| space.support(conjunct)).collect();
        let mut groups = Groups::new(space.variable_count());
        for support in &supports {
            groups.unite(support);
        }
        let mut invariant = Invariant {
            components: Vec::new(),
            component_of: vec![FREE; space.variable_count()],
            conjuncts: conjuncts.to_vec(),
            mentions: vec![Vec::new(); space.variable_count()],
            contradictory: None,
            chains: OnceCell::new(),
        };
        for (index, support) in supports.into_iter().enumerate() {
            if !conjuncts[index].is_all() {
                invariant.add(index, support, &mut groups);
            }
        }
        invariant.conjoin_components(space);
        invariant
    }

    fn add(&mut self, conjunct: usize, support: Vec<ModeVariable>, groups: &mut Groups) {
        let known = support.first().map(|&variable| groups.representative(variable));
        let number = match known.map(|representative| self.component_of[representative.index()]) {
            Some(number) if number != FREE => number,
            _ => {
                self.components.push(Component { set: ModeSet::ALL, variables: Vec::new(), conjuncts: Vec::new() });
                self.components.len() as u32 - 1
            }
        };
        if let Some(representative) = known {
            self.component_of[representative.index()] = number;
        }
        for variable in &support {
            self.mentions[variable.index()].push(conjunct as u32);
        }
        let component = &mut self.components[number as usize];
        component.conjuncts.push(conjunct);
        component.variables.extend(support);
    }

    fn conjoin_components(&mut self, space: &ModeSpace) {
        for (number, component) in self.components.iter_mut().enumerate() {
            component.variables.sort_unstable();
            component.variables.dedup();
            component.set = space.intersection(component.conjuncts.iter().map(|&conjunct| self.conjuncts[conjunct]));
            for variable in &component.variables {
                self.component_of[variable.index()] = number as u32;
            }
        }
        self.contradictory = self.components.iter().position(|component| component.set.is_empty());
    }

    /// The indices of conjuncts that contradict each other, if some do: then no mode is possible.
    pub fn contradiction(&self) -> Option<&[usize]> {
        self.contradictory.map(|number| self.components[number].conjuncts.as_slice())
    }

    /// The components: sets that depend on disjoint groups of variables and whose intersection are the valid modes.
    pub fn components(&self) -> impl Iterator<Item = ModeSet> {
        self.components.iter().map(|component| component.set)
    }

    /// The sets to keep across a [`ModeSpace::collect`].
    pub fn roots(&self) -> impl Iterator<Item = ModeSet> {
        let chains = self.chains.get().into_iter().flat_map(|chains| chains.from_here.iter().copied());
        self.components().chain(self.conjuncts.iter().copied()).chain(chains)
    }

    /// `set` composed with a projection of all modes onto the valid ones: equal on valid modes, and a function that
    /// commutes with every Boolean operation. Of a contradictory invariant everything projects to the empty set.
    pub fn project(&self, space: &ModeSpace, set: ModeSet) -> ModeSet {
        if self.contradiction().is_some() {
            return ModeSet::EMPTY;
        }
        let touched = self.touched(&space.support(set));
        if touched.len() <= FEW_COMPONENTS {
            return touched.into_iter().fold(set, |set, number| space.constrain(set, self.components[number].set));
        }
        let chains = self.chains.get_or_init(|| self.chained(space));
        let mut first: Vec<((u32, u32), usize)> =
            touched.iter().map(|&number| (chains.places[number], number)).collect();
        first.sort_unstable();
        first.dedup_by_key(|((chain, _), _)| *chain);
        // The projection onto components of different variables is that onto each in turn, and what a set does not touch does not
        // change it.
        first.into_iter().fold(set, |set, (_, number)| space.constrain(set, chains.from_here[number]))
    }

    /// The same of many sets. Where the components are few chains, none of the sets is looked through for what it touches: sets as
    /// long as the model share what is below, and so does the work.
    pub fn project_all(&self, space: &ModeSpace, sets: &[ModeSet]) -> Vec<ModeSet> {
        let chains = self.chains.get_or_init(|| self.chained(space));
        if self.contradiction().is_some() || chains.components.len() > FEW_COMPONENTS {
            return sets.iter().map(|&set| self.project(space, set)).collect();
        }
        let last_level = |&number: &usize| {
            let levels = self.components[number].variables.iter().map(|&variable| space.level_of(variable));
            levels.max().unwrap_or(0)
        };
        let ends: Vec<Vec<u32>> =
            chains.components.iter().map(|chain| chain.iter().map(last_level).collect()).collect();
        let project = |&set: &ModeSet| {
            let Some((top, _, _)) = space.top(set) else { return set };
            let first = space.level_of(top);
            chains.components.iter().zip(&ends).fold(set, |set, (chain, ends)| {
                // What ends above the set is not touched by it.
                let behind = chain.get(ends.partition_point(|&end| end < first));
                behind.map_or(set, |&number| space.constrain(set, chains.from_here[number]))
            })
        };
        sets.iter().map(project).collect()
    }

    /// The components in as few chains as their overlaps allow.
    fn chained(&self, space: &ModeSpace) -> Chains {
        let levels = |component: &Component| {
            let levels = component.variables.iter().map(|&variable| space.level_of(variable));
            levels.clone().min().zip(levels.max()).unwrap_or((u32::MAX, u32::MAX))
        };
        let mut by_level: Vec<((u32, u32), usize)> = self.components.iter().map(levels).zip(0..).collect();
        by_level.sort_unstable();
        let mut chains: Vec<Vec<usize>> = Vec::new();
        // By the last level of each chain: the chain.
        let mut ends: BTreeSet<(u32, usize)> = BTreeSet::new();
        let mut places = vec![(0, 0); self.components.len()];
        for ((first, last), number) in by_level {
            let chain = match ends.first().copied().filter(|&(end, _)| end < first) {
                Some(ended) => {
                    ends.remove(&ended);
                    ended.1
                }
                None => {
                    chains.push(Vec::new());
                    chains.len() - 1
                }
            };
            ends.insert((last, chain));
            chains[chain].push(number);
            places[number] = (chain as u32, first);
        }
        let mut from_here = vec![ModeSet::ALL; self.components.len()];
        for chain in &chains {
            let mut behind = ModeSet::ALL;
            for &number in chain.iter().rev() {
                behind = space.and(self.components[number].set, behind);
                from_here[number] = behind;
            }
        }
        Chains { components: chains, places, from_here }
    }

    /// The modes in which `variable` is true, projected like any set.
    pub fn projected_literal(&self, space: &ModeSpace, variable: ModeVariable) -> ModeSet {
        let literal = space.literal(variable);
        match self.component_of[variable.index()] {
            _ if self.contradiction().is_some() => ModeSet::EMPTY,
            FREE => literal,
            number => space.constrain(literal, self.components[number as usize].set),
        }
    }

    /// The valid modes as far as they concern `set`: all that the invariant says about its variables and their component.
    ///
    /// Of a large component it takes the conjuncts that mention a variable of the set, which is less but stays local.
    pub fn concerning(&self, space: &ModeSpace, set: ModeSet) -> ModeSet {
        let support = space.support(set);
        let (small, large): (Vec<_>, Vec<_>) = self
            .touched(&support)
            .into_iter()
            .partition(|&number| self.components[number].variables.len() <= SMALL_COMPONENT);
        let whole = small.into_iter().map(|number| self.components[number].set);
        space.intersection(whole.chain(self.conjuncts_mentioning(&support, &large)))
    }

    fn conjuncts_mentioning(&self, support: &[ModeVariable], components: &[usize]) -> Vec<ModeSet> {
        let concerned = support.iter().filter(|variable| {
            let number = self.component_of[variable.index()];
            number != FREE && components.binary_search(&(number as usize)).is_ok()
        });
        let mut indices: Vec<u32> =
            concerned.flat_map(|variable| self.mentions[variable.index()].iter().copied()).collect();
        indices.sort_unstable();
        indices.dedup();
        indices.into_iter().map(|index| self.conjuncts[index as usize]).collect()
    }

    /// The components that mention one of the variables, in order.
    fn touched(&self, support: &[ModeVariable]) -> Vec<usize> {
        let numbers = support.iter().map(|variable| self.component_of[variable.index()]);
        let mut touched: Vec<_> = numbers.filter(|&number| number != FREE).map(|number| number as usize).collect();
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    /// Whether some valid mode is in `set`.
    pub fn allows(&self, space: &ModeSpace, set: ModeSet) -> bool {
        !self.project(space, set).is_empty()
    }

    /// How many modes are valid: the product of the components' counts, times 2 for each free variable.
    pub fn mode_count(&self, space: &ModeSpace) -> Natural {
        let mentioned: usize = self.components.iter().map(|component| component.variables.len()).sum();
        let counts = self.components.iter().map(|component| space.count(component.set, component.variables.len()));
        Natural::product(counts.collect()).shifted(space.variable_count() - mentioned)
    }
}

/// Groups of variables that occur together: union-find with path halving.
struct Groups {
    parents: Vec<ModeVariable>,
}

impl Groups {
    fn new(variables: usize) -> Groups {
        Groups { parents: (0..variables as u32).map(ModeVariable).collect() }
    }

    fn unite(&mut self, variables: &[ModeVariable]) {
        for pair in variables.windows(2) {
            let (left, right) = (self.representative(pair[0]), self.representative(pair[1]));
            let (first, second) = (left.min(right), left.max(right));
            self.parents[second.index()] = first;
        }
    }

    fn representative(&mut self, variable: ModeVariable) -> ModeVariable {
        let mut at = variable;
        while self.parents[at.index()] != at {
            let parent = self.parents[at.index()];
            self.parents[at.index()] = self.parents[parent.index()];
            at = self.parents[at.index()];
        }
        at
    }
}

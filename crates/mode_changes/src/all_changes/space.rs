//! Sets of mode changes: pairs of a mode before and a mode after, as sets over doubled mode variables.
//!
//! Mode variable `v` becomes `2 v` for its value before and `2 v + 1` for its value after, next to each other in the
//! order of the diagrams. No pair is ever enumerated.
//!
//! Of machines, only changes that a transition can make are possible. That is part of the invariant, one condition per state: what
//! breaks and never heals keeps a row of `N` such elements local, where all pairs would ask which of them heal together.

use std::cell::RefCell;

use modeshift_dae::{Machine, Mode, ModeVariableId, MultimodeDae, VariableId};
use modeshift_modes::{Invariant, ModeSet, ModeSpace, ModeVariable};
use modeshift_structure::{Analysis, Thermometer};
use rustc_hash::FxHashMap;

/// The pairs of modes of an analysis.
#[derive(Debug)]
pub struct PairSpace<'a> {
    /// Where sets of pairs are from.
    pub space: ModeSpace,
    /// Which pairs are possible.
    pub invariant: Invariant,
    /// Pairs of two regular modes.
    pub regular: ModeSet,
    /// Whether the invariant says more than that of the two modes.
    is_narrowed: bool,
    source: &'a ModeSpace,
    images: RefCell<[FxHashMap<ModeSet, ModeSet>; 2]>,
}

/// Which mode of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The mode that is left.
    Before,
    /// The mode that is entered.
    After,
}

impl Moment {
    /// The variable that holds a mode variable's value at this moment.
    pub fn variable(self, variable: ModeVariable) -> ModeVariable {
        ModeVariable(2 * variable.0 + u32::from(self == Moment::After))
    }

    /// The same for a mode variable of a model.
    pub fn of_mode(self, mode: ModeVariableId) -> ModeVariable {
        self.variable(ModeVariable(mode.0))
    }

    /// The moment, and the mode variable, whose value a doubled variable holds.
    pub fn of_doubled(doubled: ModeVariable) -> (Moment, ModeVariable) {
        let moment = if doubled.0.is_multiple_of(2) { Moment::Before } else { Moment::After };
        (moment, ModeVariable(doubled.0 / 2))
    }
}

impl<'a> PairSpace<'a> {
    /// All pairs of modes of an analysis.
    #[cfg(test)]
    pub fn new(analysis: &'a Analysis) -> Self {
        Self::narrowed(analysis, |_| Vec::new())
    }

    /// All pairs of modes of a model, but for changes that no transition of its machines makes.
    pub fn of_model(dae: &MultimodeDae, analysis: &'a Analysis) -> Self {
        Self::narrowed(analysis, |space| transitions(space, dae))
    }

    fn narrowed(analysis: &'a Analysis, transitions: impl FnOnce(&ModeSpace) -> Vec<ModeSet>) -> Self {
        let both = |&variable: &ModeVariable| [Moment::Before, Moment::After].map(|moment| moment.variable(variable));
        let space = ModeSpace::with_order(analysis.space.order().iter().flat_map(both).collect());
        let components: Vec<ModeSet> = analysis.invariant.components().collect();
        let conjuncts = [Moment::Before, Moment::After]
            .map(|moment| space.import(&analysis.space, &components, |variable| moment.variable(variable)));
        let transitions = transitions(&space);
        let is_narrowed = !transitions.is_empty();
        let invariant = Invariant::new(&space, &[conjuncts.concat(), transitions].concat());
        let mut pairs = PairSpace {
            space,
            invariant,
            is_narrowed,
            regular: ModeSet::ALL,
            source: &analysis.space,
            images: RefCell::new([FxHashMap::default(), FxHashMap::default()]),
        };
        let regular = !analysis.singular_modes();
        pairs.regular = pairs.space.and(pairs.before(regular), pairs.after(regular));
        pairs
    }

    /// The pairs whose mode before is in this set of modes.
    pub fn before(&self, modes: ModeSet) -> ModeSet {
        self.image(modes, Moment::Before)
    }

    /// The pairs whose mode after is in this set of modes.
    pub fn after(&self, modes: ModeSet) -> ModeSet {
        self.image(modes, Moment::After)
    }

    /// The pairs in which a mode-dependent number is at least `value` at a moment.
    pub fn at_least(&self, number: &Thermometer, value: u32, moment: Moment) -> ModeSet {
        self.image(number.at_least(value), moment)
    }

    fn image(&self, modes: ModeSet, moment: Moment) -> ModeSet {
        if modes.is_all() || modes.is_empty() {
            return modes;
        }
        if let Some(&known) = self.images.borrow()[moment as usize].get(&modes) {
            return known;
        }
        let image = self.space.import(self.source, &[modes], |variable| moment.variable(variable))[0];
        let image = if self.is_narrowed { self.invariant.project(&self.space, image) } else { image };
        self.images.borrow_mut()[moment as usize].insert(modes, image);
        image
    }

    /// One pair of a set of pairs, if there is any: the mode before and the mode after. What the set leaves open is false.
    pub fn pick(&self, pairs: ModeSet) -> Option<[Mode; 2]> {
        let mut modes = [Moment::Before, Moment::After].map(|_| Mode::all_false(self.source.variable_count()));
        for (doubled, value) in self.space.pick(pairs)? {
            let (moment, variable) = Moment::of_doubled(doubled);
            modes[moment as usize].set(ModeVariableId(variable.0), value);
        }
        Some(modes)
    }

    /// Whether a pair of modes, the one before and the one after, is in a set of pairs.
    pub fn contains(&self, pairs: ModeSet, modes: &[Mode; 2]) -> bool {
        self.space.evaluate(pairs, |doubled| {
            let (moment, variable) = Moment::of_doubled(doubled);
            modes[moment as usize][ModeVariableId(variable.0)]
        })
    }

    /// Names of the doubled variables, `pre(g)` and `g`.
    pub fn names(mode_names: &[String]) -> Vec<String> {
        mode_names.iter().flat_map(|name| [format!("pre({name})"), name.clone()]).collect()
    }
}

/// Which changes of machines are possible, as one condition for each state that is left.
fn transitions(space: &ModeSpace, dae: &MultimodeDae) -> Vec<ModeSet> {
    let modes = dae.mode_variables.iter_enumerated();
    let mode_of: FxHashMap<VariableId, ModeVariableId> =
        modes.filter_map(|(id, mode)| Some((mode.variable?, id))).collect();
    let mut conditions = Vec::new();
    for machine in &dae.model.machines {
        let states: Vec<Option<ModeVariableId>> =
            machine.states.iter().map(|state| mode_of.get(&state.active).copied()).collect();
        conditions.extend((0..states.len()).filter_map(|from| leaving(space, machine, &states, from)));
    }
    conditions
}

/// `pre(from)` and none of the states that no change leads to from there; nothing where all can follow.
fn leaving(space: &ModeSpace, machine: &Machine, states: &[Option<ModeVariableId>], from: usize) -> Option<ModeSet> {
    let is_excluded = |&to: &usize| to != from && !machine.may_lead(from, to);
    let excluded: Vec<ModeSet> = (0..states.len())
        .filter(is_excluded)
        .filter_map(|to| Some(space.literal(Moment::After.of_mode(states[to]?))))
        .collect();
    let before = space.literal(Moment::Before.of_mode(states[from]?));
    (!excluded.is_empty()).then(|| !space.and(before, space.union(excluded)))
}

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

/// Which changes of machines are possible, as conditions for each state that is left, entered, or has machines inside.
fn transitions(space: &ModeSpace, dae: &MultimodeDae) -> Vec<ModeSet> {
    let modes = dae.mode_variables.iter_enumerated();
    let mode_of = modes.filter_map(|(id, mode)| Some((mode.variable?, id))).collect();
    let changes = MachineChanges { space, machines: &dae.model.machines, mode_of };
    let mut conditions = Vec::new();
    for machine in changes.machines {
        conditions.extend((0..machine.states.len()).filter_map(|from| changes.leaving(machine, from)));
        conditions.extend(changes.beginning(machine));
        conditions.extend(changes.waiting(machine));
    }
    conditions
}

/// The changes that machines make.
struct MachineChanges<'a> {
    space: &'a ModeSpace,
    machines: &'a [Machine],
    mode_of: FxHashMap<VariableId, ModeVariableId>,
}

impl MachineChanges<'_> {
    /// The pairs in which a state is active at a moment; nothing where the model does not depend on it.
    fn active(&self, machine: &Machine, state: usize, moment: Moment) -> Option<ModeSet> {
        let mode = self.mode_of.get(&machine.states[state].active)?;
        Some(self.space.literal(moment.of_mode(*mode)))
    }

    /// `pre(from)` and none of the states that no change leads to from there; nothing where all can follow.
    fn leaving(&self, machine: &Machine, from: usize) -> Option<ModeSet> {
        let is_excluded = |&to: &usize| to != from && !machine.may_lead(from, to, self.machines);
        let excluded: Vec<ModeSet> = (0..machine.states.len())
            .filter(is_excluded)
            .filter_map(|to| self.active(machine, to, Moment::After))
            .collect();
        let before = self.active(machine, from, Moment::Before)?;
        (!excluded.is_empty()).then(|| !self.space.and(before, self.space.union(excluded)))
    }

    /// A machine inside a state that is entered begins where it may.
    fn beginning(&self, machine: &Machine) -> Option<ModeSet> {
        let (around, state) = machine.parent?;
        let before = self.active(&self.machines[around], state, Moment::Before)?;
        let excluded: Vec<ModeSet> = (0..machine.states.len())
            .filter(|&state| !machine.may_begin_with(state, self.machines))
            .filter_map(|state| self.active(machine, state, Moment::After))
            .collect();
        (!excluded.is_empty()).then(|| self.space.or(before, !self.space.union(excluded)))
    }

    /// A state is left by transitions that synchronize only where the machines inside it are in final states.
    fn waiting(&self, machine: &Machine) -> Vec<ModeSet> {
        let (Some((around, from)), count) = (machine.parent, machine.states.len()) else { return Vec::new() };
        let around = &self.machines[around];
        let is_final = |&state: &usize| machine.is_final(state);
        let unfinished = (0..count).filter(|state| !is_final(state));
        let unfinished: Option<Vec<ModeSet>> =
            unfinished.map(|state| self.active(machine, state, Moment::Before)).collect();
        let Some(unfinished) = unfinished.map(|list| self.space.union(list)) else { return Vec::new() };
        let waits = |to: usize| {
            let mut all = around.transitions.iter().filter(|it| it.from == from && it.to == to).peekable();
            to != from && all.peek().is_some() && all.all(|it| it.synchronize)
        };
        let entered = (0..around.states.len()).filter(|&to| waits(to));
        let entered = entered.filter_map(|to| self.active(around, to, Moment::After));
        entered.map(|after| !self.space.and(unfinished, after)).collect()
    }
}

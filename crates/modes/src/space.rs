//! The space of all modes: makes sets of modes and computes with them.
//!
//! A `ModeSpace` owns the decision diagrams; a [`ModeSet`] is a number that means something to its space only. All
//! methods take `&self`, so that expressions nest as in the papers' formulas. Not for use by several threads.

use std::borrow::Cow;
use std::cell::RefCell;

use crate::kernel::{Kernel, TERMINAL_LEVEL};
use crate::limit::{Limit, TimeLimit};
use crate::set::{ModeSet, ModeVariable};

/// All modes over a number of mode variables, and the operations on sets of them.
#[derive(Debug)]
pub struct ModeSpace {
    pub(crate) kernel: RefCell<Kernel>,
    /// Level to variable.
    order: Vec<ModeVariable>,
    /// Variable to level.
    levels: Vec<u32>,
}

impl ModeSpace {
    /// A space over `variables` mode variables, in their natural order.
    pub fn new(variables: u32) -> ModeSpace {
        ModeSpace::with_order((0..variables).map(ModeVariable).collect())
    }

    /// A space whose diagrams test the variables in this order, the first on top. It lists each variable from 0 on once.
    ///
    /// Variables that occur together should be near each other: the sizes of the diagrams depend on it.
    pub fn with_order(order: Vec<ModeVariable>) -> ModeSpace {
        let mut levels = vec![TERMINAL_LEVEL; order.len()];
        for (level, variable) in order.iter().enumerate() {
            assert!(levels[variable.index()] == TERMINAL_LEVEL, "an order lists {variable:?} twice");
            levels[variable.index()] = level as u32;
        }
        ModeSpace { kernel: RefCell::new(Kernel::new()), order, levels }
    }

    /// How many mode variables there are.
    pub fn variable_count(&self) -> usize {
        self.order.len()
    }

    /// The mode variables in the order in which the diagrams test them.
    pub fn order(&self) -> &[ModeVariable] {
        &self.order
    }

    /// The modes in which `variable` is true.
    pub fn literal(&self, variable: ModeVariable) -> ModeSet {
        let level = self.level_of(variable);
        self.kernel.borrow_mut().node(level, ModeSet::EMPTY, ModeSet::ALL)
    }

    /// The modes in which `variable` has `value`.
    pub fn assignment(&self, variable: ModeVariable, value: bool) -> ModeSet {
        self.literal(variable).complement_if(!value)
    }

    /// The modes in which each listed variable has its value.
    pub fn valuation(&self, values: &[(ModeVariable, bool)]) -> ModeSet {
        self.intersection(values.iter().map(|&(variable, value)| self.assignment(variable, value)))
    }

    /// Modes in both.
    #[inline]
    pub fn and(&self, left: ModeSet, right: ModeSet) -> ModeSet {
        self.kernel.borrow_mut().and(left, right)
    }

    /// Modes in either.
    #[inline]
    pub fn or(&self, left: ModeSet, right: ModeSet) -> ModeSet {
        self.kernel.borrow_mut().or(left, right)
    }

    /// The other modes; the same as `!set`.
    #[inline]
    pub fn not(&self, set: ModeSet) -> ModeSet {
        !set
    }

    /// Modes in `left` that are not in `right`.
    #[inline]
    pub fn difference(&self, left: ModeSet, right: ModeSet) -> ModeSet {
        self.kernel.borrow_mut().and(left, !right)
    }

    /// Splits each piece into its modes inside and outside `by`.
    pub fn refine(&self, pieces: &mut Vec<ModeSet>, by: ModeSet) {
        for at in 0..pieces.len() {
            let inside = self.and(pieces[at], by);
            if !inside.is_empty() && inside != pieces[at] {
                let outside = self.difference(pieces[at], by);
                pieces[at] = inside;
                pieces.push(outside);
            }
        }
    }

    /// Modes in exactly one of the two.
    #[inline]
    pub fn xor(&self, left: ModeSet, right: ModeSet) -> ModeSet {
        self.kernel.borrow_mut().xor(left, right)
    }

    /// Modes of `condition` in `yes`, and modes outside `condition` in `no`.
    pub fn ite(&self, condition: ModeSet, yes: ModeSet, no: ModeSet) -> ModeSet {
        let mut kernel = self.kernel.borrow_mut();
        let yes = kernel.and(condition, yes);
        let no = kernel.and(!condition, no);
        kernel.or(yes, no)
    }

    /// The set that is `low` where `variable` is false and `high` where it is true; both depend on variables that come after
    /// it in the order of the space, and on no others. One node, and nothing is searched.
    pub fn branch(&self, variable: ModeVariable, low: ModeSet, high: ModeSet) -> ModeSet {
        let mut kernel = self.kernel.borrow_mut();
        let level = self.levels[variable.index()];
        assert!(level < kernel.level(low).min(kernel.level(high)), "a branch above its variables");
        kernel.node(level, low, high)
    }

    /// Whether every mode of `left` is in `right`. Builds nothing.
    #[inline]
    pub fn implies(&self, left: ModeSet, right: ModeSet) -> bool {
        !self.intersects(left, !right)
    }

    /// Whether some mode is in both. Builds nothing.
    #[inline]
    pub fn intersects(&self, left: ModeSet, right: ModeSet) -> bool {
        self.kernel.borrow_mut().intersects(left, right)
    }

    /// Modes in at least one of the sets; combined in pairs, so that many small sets cost little.
    pub fn union(&self, sets: impl IntoIterator<Item = ModeSet>) -> ModeSet {
        let complements = sets.into_iter().map(|set| !set).collect();
        let neither = self.conjoin(complements);
        if self.kernel.borrow().halted { ModeSet::EMPTY } else { !neither }
    }

    /// Modes in all of the sets.
    pub fn intersection(&self, sets: impl IntoIterator<Item = ModeSet>) -> ModeSet {
        self.conjoin(sets.into_iter().collect())
    }

    /// Conjoins neighbours in the order of levels, in rounds: 10^5 literals take 17 rounds, not 10^10 steps.
    fn conjoin(&self, mut sets: Vec<ModeSet>) -> ModeSet {
        let mut kernel = self.kernel.borrow_mut();
        if sets.len() > 2 {
            sets.sort_by_key(|&set| kernel.level(set));
        }
        while sets.len() > 1 {
            for pair in 0..sets.len() / 2 {
                sets[pair] = kernel.and(sets[2 * pair], sets[2 * pair + 1]);
            }
            if sets.len() % 2 == 1 {
                let last = sets.len() - 1;
                sets[last / 2] = sets[last];
            }
            sets.truncate(sets.len().div_ceil(2));
        }
        sets.pop().unwrap_or(ModeSet::ALL)
    }

    /// The generalized cofactor of O. Coudert and J. C. Madre: `set` composed with a projection of all modes onto `care`.
    ///
    /// It agrees with `set` on `care`, and commutes with every Boolean operation: predicates that have been constrained
    /// by the same `care` can be computed with as if all modes were possible. May depend on variables of `care`.
    /// With an empty `care` there is nothing to project onto and the result is empty.
    pub fn constrain(&self, set: ModeSet, care: ModeSet) -> ModeSet {
        if care.is_empty() { ModeSet::EMPTY } else { self.kernel.borrow_mut().constrain(set, care) }
    }

    /// A set that agrees with `set` on `care`, is usually smaller, and depends on no variable that `set` does not
    /// depend on. Unlike [`ModeSpace::constrain`] it commutes with nothing.
    pub fn restrict(&self, set: ModeSet, care: ModeSet) -> ModeSet {
        if care.is_empty() { ModeSet::EMPTY } else { self.kernel.borrow_mut().restrict(set, care) }
    }

    /// `set` where `variable` is fixed to `value`: no longer depends on it.
    pub fn cofactor(&self, set: ModeSet, variable: ModeVariable, value: bool) -> ModeSet {
        self.constrain(set, self.assignment(variable, value))
    }

    /// Modes that are in `set` for some values of `variables`.
    pub fn exists(&self, set: ModeSet, variables: &[ModeVariable]) -> ModeSet {
        let cube = self.intersection(variables.iter().map(|&variable| self.literal(variable)));
        self.kernel.borrow_mut().exists(set, cube)
    }

    /// Modes that are in `set` for all values of `variables`.
    pub fn for_all(&self, set: ModeSet, variables: &[ModeVariable]) -> ModeSet {
        let fails = self.exists(!set, variables);
        if self.kernel.borrow().halted { ModeSet::EMPTY } else { !fails }
    }

    /// The variables that `set` depends on, in order of declaration.
    pub fn support(&self, set: ModeSet) -> Vec<ModeVariable> {
        self.support_of_all(&[set])
    }

    /// The variables that any of `sets` depends on, in order of declaration.
    pub fn support_of_all(&self, sets: &[ModeSet]) -> Vec<ModeVariable> {
        let levels = self.kernel.borrow_mut().support(sets);
        let mut variables: Vec<_> = levels.into_iter().map(|level| self.order[level as usize]).collect();
        variables.sort_unstable();
        variables
    }

    /// The top variable of a set's diagram with the subsets where it is false and true; none for constant sets.
    ///
    /// For recursions over a set other than those offered here. Rests on the order of the space: results must not.
    pub fn top(&self, set: ModeSet) -> Option<(ModeVariable, ModeSet, ModeSet)> {
        let kernel = self.kernel.borrow();
        (!set.is_constant()).then(|| {
            let (low, high) = kernel.children(set);
            (self.order[kernel.level(set) as usize], low, high)
        })
    }

    /// Whether this is no mode at all.
    pub fn is_empty(&self, set: ModeSet) -> bool {
        set.is_empty()
    }

    /// Whether these are all modes.
    pub fn is_all(&self, set: ModeSet) -> bool {
        set.is_all()
    }

    /// Whether the mode with these values is in `set`.
    pub fn evaluate(&self, set: ModeSet, value: impl Fn(ModeVariable) -> bool) -> bool {
        let kernel = self.kernel.borrow();
        let mut set = set;
        while !set.is_constant() {
            let (low, high) = kernel.children(set);
            set = if value(self.order[kernel.level(set) as usize]) { high } else { low };
        }
        set.is_all()
    }

    /// Frees all sets but those that `roots` lists, and returns how many nodes that were.
    ///
    /// For boundaries of stages: list every set still to be used. These keep their value (nodes do not move); using any
    /// other afterwards is a mistake that debug builds catch most of the time. [`ModeSet::ALL`] and [`ModeSet::EMPTY`]
    /// need not be listed.
    pub fn collect(&self, roots: impl IntoIterator<Item = ModeSet>) -> usize {
        self.kernel.borrow_mut().collect(roots.into_iter())
    }

    /// How many nodes are alive: those in use, and those not collected yet.
    pub fn node_count(&self) -> usize {
        self.kernel.borrow().live_nodes()
    }

    /// How many nodes one set has, shared ones included.
    pub fn size(&self, set: ModeSet) -> usize {
        let mut kernel = self.kernel.borrow_mut();
        let mut nodes = 0;
        kernel.begin_walk();
        kernel.walk(set, |_| nodes += 1);
        nodes
    }

    /// Allows at most this many nodes to be alive; 2^26, about 2 GB, unless told.
    pub fn set_node_limit(&self, nodes: usize) {
        self.kernel.borrow_mut().budget.set_node_limit(nodes);
    }

    /// Of the nodes that are allowed, these are only from [`Self::release`] on: what needs more before will need more in the end.
    pub fn hold_back(&self, nodes: usize) {
        self.kernel.borrow_mut().budget.hold_back(nodes);
    }

    /// Allows the nodes that were held back.
    pub fn release(&self) {
        self.kernel.borrow_mut().budget.release();
    }

    /// Operations may take about so many steps from now on: what that is does not depend on the machine.
    pub fn set_step_limit(&self, steps: u64) {
        self.kernel.borrow_mut().budget.set_step_limit(steps);
    }

    /// Allows operations for so long only.
    pub fn set_time_limit(&self, limit: TimeLimit) {
        self.kernel.borrow_mut().budget.set_time_limit(limit);
    }

    /// Names what is being computed, for the message of a limit: `matching equations`.
    pub fn set_task(&self, task: impl Into<Cow<'static, str>>) {
        self.kernel.borrow_mut().budget.set_task(task.into());
    }

    /// The limit that was exceeded, if any.
    ///
    /// Once that has happened every operation returns [`ModeSet::EMPTY`] (and every question `no intersection`) at once:
    /// sets made since mean nothing. Check before trusting a result, and in loops that do not end on empty sets.
    pub fn check(&self) -> Result<(), Limit> {
        let mut kernel = self.kernel.borrow_mut();
        if !kernel.budget.look_at_clock() {
            kernel.halted = true;
        }
        kernel.budget.exceeded().map_or(Ok(()), |limit| Err(limit.clone()))
    }

    /// Forgets an exceeded limit and sets none but the usual node limit, so that sets made before it can be printed.
    pub fn lift_limits(&self) {
        let mut kernel = self.kernel.borrow_mut();
        kernel.budget.lift();
        kernel.halted = false;
    }

    /// What `work` returns, done without limits: for checks that are not part of the task. The limits hold again after.
    pub fn without_limits<R>(&self, work: impl FnOnce() -> R) -> R {
        let limited = std::mem::take(&mut self.kernel.borrow_mut().budget);
        let result = work();
        self.kernel.borrow_mut().budget = limited;
        result
    }

    pub(crate) fn level_of(&self, variable: ModeVariable) -> u32 {
        self.levels[variable.index()]
    }

    pub(crate) fn variable_at(&self, level: u32) -> ModeVariable {
        self.order[level as usize]
    }
}

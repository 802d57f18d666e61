//! Verdicts about the start, by disjoint cases of modes.
//!
//! In all modes of a case the same states are free, the same are proposed and the same conditions are too many. There
//! can be very many such cases, one per set of broken elements of a line; where it becomes too much, there is one case
//! per verdict and what belongs to it has modes of its own.
//!
//! E22 §7.2, step 3.

use modeshift_dae::{EquationId, VariableId};
use modeshift_modes::{ModeSet, ModeSpace};
use rustc_hash::FxHashSet;

use super::{InitialScenario, Initialization};

/// More cases than this are not told apart.
const MOST_CASES: usize = 64;
/// More different sets of modes than this are not told apart.
const MOST_SETS: usize = 512;

/// Whether a start is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InitialVerdict {
    /// By the conditions there are.
    Determined,
    /// Conditions are missing.
    Underdetermined,
    /// There are too many conditions; some may be missing elsewhere nevertheless.
    Overdetermined,
}

impl InitialVerdict {
    /// The word that users read.
    pub fn word(self) -> &'static str {
        match self {
            InitialVerdict::Determined => "determined",
            InitialVerdict::Underdetermined => "underdetermined",
            InitialVerdict::Overdetermined => "overdetermined",
        }
    }
}

/// What belongs to a case, in some or all of its modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditional<I> {
    /// What.
    pub item: I,
    /// In which modes of the case; all of them unless cases were too many to be told apart.
    pub modes: ModeSet,
}

/// Modes with the same verdict for the same reasons.
#[derive(Clone, Debug)]
pub struct InitialCase {
    /// In which modes; never empty.
    pub modes: ModeSet,
    /// The verdict.
    pub verdict: InitialVerdict,
    /// The states that nothing determines yet, in order of declaration.
    pub free: Vec<Conditional<VariableId>>,
    /// A smallest set of states to fix.
    pub proposal: Vec<Conditional<VariableId>>,
    /// Conditions for which there is no unknown left, given those before them.
    pub too_many: Vec<Conditional<EquationId>>,
}

impl InitialCase {
    /// Whether everything that belongs to the case does so in all its modes.
    pub fn is_uniform(&self) -> bool {
        let variables = self.free.iter().chain(&self.proposal).map(|it| it.modes);
        variables.chain(self.too_many.iter().map(|it| it.modes)).all(|modes| modes == self.modes)
    }
}

impl Initialization {
    /// The cases of a scenario within `modes`: disjoint, together all its modes there in which the model is regular.
    pub fn cases(&self, scenario: &InitialScenario, modes: ModeSet) -> Vec<InitialCase> {
        let regular = self.space.difference(scenario.modes, self.singular);
        let all = self.space.and(regular, modes);
        if all.is_empty() {
            return Vec::new();
        }
        let items = Items::within(self, all);
        let pieces = items.pieces(&self.space, all).unwrap_or_else(|| items.verdicts(&self.space, all));
        let mut cases: Vec<InitialCase> = pieces.into_iter().map(|modes| items.case(&self.space, modes)).collect();
        cases.sort_by_key(|case| case.verdict);
        cases
    }
}

/// What can belong to cases, each with its modes.
struct Items {
    free: Vec<Conditional<VariableId>>,
    proposal: Vec<Conditional<VariableId>>,
    too_many: Vec<Conditional<EquationId>>,
}

impl Items {
    fn within(initialization: &Initialization, all: ModeSet) -> Items {
        let Initialization { space, system, matching, parts, proposal, .. } = initialization;
        let states = system.states.iter_enumerated();
        let free = states.map(|(item, &modes)| (item, space.and(modes, parts.underdetermined_variables[item])));
        let mut items = Items {
            free: conditional(space, all, free),
            proposal: conditional(space, all, proposal.iter_enumerated().map(|(item, &modes)| (item, modes))),
            too_many: conditional(
                space,
                all,
                matching.unmatched_equations.iter_enumerated().map(|(item, &modes)| (item, modes)),
            ),
        };
        items.free.sort_by_key(|it| system.quantities[it.item]);
        items.proposal.sort_by_key(|it| system.quantities[it.item]);
        items
    }

    fn sets(&self) -> impl Iterator<Item = ModeSet> {
        let variables = self.free.iter().chain(&self.proposal).map(|it| it.modes);
        variables.chain(self.too_many.iter().map(|it| it.modes))
    }

    /// Parts of `all` in each of which every item is there in all modes or in none; nothing if they are too many.
    fn pieces(&self, space: &ModeSpace, all: ModeSet) -> Option<Vec<ModeSet>> {
        let mut seen = FxHashSet::default();
        let different: Vec<ModeSet> = self.sets().filter(|&set| set != all && seen.insert(set)).collect();
        if different.len() > MOST_SETS {
            return None;
        }
        let mut pieces = vec![all];
        for set in different {
            split(space, &mut pieces, set);
            if pieces.len() > MOST_CASES {
                return None;
            }
        }
        Some(pieces)
    }

    /// Parts of `all` by verdict alone.
    fn verdicts(&self, space: &ModeSpace, all: ModeSet) -> Vec<ModeSet> {
        let mut pieces = vec![all];
        split(space, &mut pieces, space.union(self.proposal.iter().map(|it| it.modes)));
        split(space, &mut pieces, space.union(self.too_many.iter().map(|it| it.modes)));
        pieces
    }

    fn case(&self, space: &ModeSpace, modes: ModeSet) -> InitialCase {
        let free = conditional(space, modes, self.free.iter().map(|it| (it.item, it.modes)));
        let proposal = conditional(space, modes, self.proposal.iter().map(|it| (it.item, it.modes)));
        let too_many = conditional(space, modes, self.too_many.iter().map(|it| (it.item, it.modes)));
        let verdict = match (too_many.is_empty(), proposal.is_empty()) {
            (false, _) => InitialVerdict::Overdetermined,
            (true, false) => InitialVerdict::Underdetermined,
            (true, true) => InitialVerdict::Determined,
        };
        InitialCase { modes, verdict, free, proposal, too_many }
    }
}

fn conditional<I>(
    space: &ModeSpace,
    within: ModeSet,
    items: impl Iterator<Item = (I, ModeSet)>,
) -> Vec<Conditional<I>> {
    let items = items.map(|(item, modes)| Conditional { item, modes: space.and(modes, within) });
    items.filter(|it| !it.modes.is_empty()).collect()
}

/// Splits each piece into its modes inside and outside `by`.
fn split(space: &ModeSpace, pieces: &mut Vec<ModeSet>, by: ModeSet) {
    for at in 0..pieces.len() {
        let inside = space.and(pieces[at], by);
        if !inside.is_empty() && inside != pieces[at] {
            let outside = space.difference(pieces[at], by);
            pieces[at] = inside;
            pieces.push(outside);
        }
    }
}

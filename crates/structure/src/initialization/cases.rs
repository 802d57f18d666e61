//! Verdicts about the start, by disjoint cases of modes.
//!
//! In all modes of a case the same states are free, the same are proposed and the same conditions are too many. There
//! can be very many such cases, one per set of broken elements of a line; where it becomes too much, there is one case
//! per verdict and what belongs to it has modes of its own.
//!
//! E22 §7.2, step 3.

use modeshift_dae::{EquationId, VariableId};
use modeshift_modes::{ModeSet, ModeSpace};
use rustc_hash::{FxHashMap, FxHashSet};

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
    /// In which modes; exactly those of the case unless cases were too many to be told apart.
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
        let items = Items::of(self);
        let mut cases = match items.within(&self.space, all).and_then(|items| items.cases(&self.space, all)) {
            Some(cases) => cases,
            None => items.verdicts(&self.space, all),
        };
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
    fn of(initialization: &Initialization) -> Items {
        let Initialization { space, system, matching, parts, proposal, .. } = initialization;
        let states = system.states.iter_enumerated();
        let free = states.map(|(item, &modes)| (item, space.and(modes, parts.underdetermined_variables[item])));
        let mut items = Items {
            free: nonempty(free),
            proposal: nonempty(proposal.iter_enumerated().map(|(item, &modes)| (item, modes))),
            too_many: nonempty(matching.unmatched_equations.iter_enumerated().map(|(item, &modes)| (item, modes))),
        };
        items.free.sort_by_key(|it| system.quantities[it.item]);
        items.proposal.sort_by_key(|it| system.quantities[it.item]);
        items
    }

    /// The sets that differ from each other; nothing if they are too many to be told apart.
    fn different_sets(&self) -> Option<Vec<ModeSet>> {
        let variables = self.free.iter().chain(&self.proposal).map(|it| it.modes);
        let mut seen = FxHashSet::default();
        let mut different = Vec::new();
        for set in variables.chain(self.too_many.iter().map(|it| it.modes)) {
            if seen.insert(set) {
                different.push(set);
            }
            if different.len() > MOST_SETS {
                return None;
            }
        }
        Some(different)
    }

    /// The items within `all`. A set that takes the whole model to describe meets each different set once.
    fn within(&self, space: &ModeSpace, all: ModeSet) -> Option<Items> {
        let images: FxHashMap<ModeSet, ModeSet> =
            self.different_sets()?.into_iter().map(|set| (set, space.and(set, all))).collect();
        Some(Items {
            free: nonempty(self.free.iter().map(|it| (it.item, images[&it.modes]))),
            proposal: nonempty(self.proposal.iter().map(|it| (it.item, images[&it.modes]))),
            too_many: nonempty(self.too_many.iter().map(|it| (it.item, images[&it.modes]))),
        })
    }

    /// Cases in each of which every item is there in all modes or in none; nothing if they are too many.
    fn cases(&self, space: &ModeSpace, all: ModeSet) -> Option<Vec<InitialCase>> {
        let mut pieces = vec![all];
        for set in self.different_sets()? {
            space.refine(&mut pieces, set);
            if pieces.len() > MOST_CASES {
                return None;
            }
        }
        let case = |modes: ModeSet| self.within(space, modes).map(|items| items.into_case(modes));
        pieces.into_iter().map(case).collect()
    }

    /// Cases by verdict alone. What belongs to them keeps modes of its own, which may reach beyond the case.
    fn verdicts(&self, space: &ModeSpace, all: ModeSet) -> Vec<InitialCase> {
        let mut pieces = vec![all];
        let missing = space.union(self.proposal.iter().map(|it| it.modes));
        let too_many = space.union(self.too_many.iter().map(|it| it.modes));
        space.refine(&mut pieces, missing);
        space.refine(&mut pieces, too_many);
        let case = |modes: ModeSet| {
            let (is_missing, has_too_many) = (space.intersects(modes, missing), space.intersects(modes, too_many));
            let items = Items {
                free: if is_missing { self.free.clone() } else { Vec::new() },
                proposal: if is_missing { self.proposal.clone() } else { Vec::new() },
                too_many: if has_too_many { self.too_many.clone() } else { Vec::new() },
            };
            items.into_case(modes)
        };
        pieces.into_iter().map(case).collect()
    }

    fn into_case(self, modes: ModeSet) -> InitialCase {
        let Items { free, proposal, too_many } = self;
        let verdict = match (too_many.is_empty(), proposal.is_empty()) {
            (false, _) => InitialVerdict::Overdetermined,
            (true, false) => InitialVerdict::Underdetermined,
            (true, true) => InitialVerdict::Determined,
        };
        InitialCase { modes, verdict, free, proposal, too_many }
    }
}

fn nonempty<I>(items: impl Iterator<Item = (I, ModeSet)>) -> Vec<Conditional<I>> {
    items.filter(|(_, modes)| !modes.is_empty()).map(|(item, modes)| Conditional { item, modes }).collect()
}

//! What kind of singular each mode is, for all modes at once.
//!
//! Ideal diodes and switches make modes singular in which nothing is wrong: a potential floats while all of a bridge
//! block, a current circulates while all conduct, and the states do not see it. A mode is
//!
//! - *harmless* if it has as many redundant equations as free directions: its states are determined;
//! - *impossible* if its equations contradict each other, and the elements' own guards keep a run out of it;
//! - *wrong* if a free quantity drives a state, if a schedule alone leads into a contradiction, or if the same variables
//!   are undetermined in all modes.
//!
//! In a mode `E z' = A z + f`, free directions are `ker E ∩ ker A` and redundancies the combinations of equations in
//! which all unknowns cancel and nothing is left; Kronecker's form of the pencil says that the rest is regular where
//! their numbers are equal. Both follow for all modes from two spaces that do not depend on the mode (`spaces`), by
//! their circuits: a circuit is a proof, `d1 + d2 - d3 - d4 = 0` holds always, so where all four are imposed to be zero
//! one of them is redundant.
//!
//! | file | purpose |
//! |---|---|
//! | `forms` | what each equation says in which modes, linear functionals and the rest |
//! | `leaves` | variables that nothing reads are taken away first |
//! | `elimination` | sparse elimination that remembers its combinations |
//! | `spaces` | the spaces of redundancies and of free directions |
//! | `balance` | in which modes there are as many equations as variables |
//! | `circuits` | vectors of minimal support that fit into one mode |
//! | `counts` | how many dimensions are left in which modes |
//! | `groups` | redundancies and directions by what changes together |
//! | `remainders` | what a combination leaves: nothing, or a contradiction |
//! | `schedule` | whether an element's own guard decides, or a schedule |
//! | `kinds` | the kinds of modes of each group, and of what only the structure sees |

mod balance;
mod circuits;
mod counts;
mod elimination;
pub(crate) mod forms;
mod groups;
mod kinds;
mod leaves;
mod remainders;
mod schedule;
mod spaces;

use modeshift_dae::{EquationId, ExpressionId, Id, MultimodeDae, VariableId};
use modeshift_modes::{Limit, ModeSet};

use crate::incidence::formulas::{Formulas, invariant_of};
use crate::{Analysis, Combination, SingularCase};

/// What a singular mode means for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SingularKind {
    /// The trajectory of the states is determined; something else is not.
    Harmless,
    /// Its equations contradict each other; the elements' own guards keep every run out of it.
    Impossible,
    /// Neither is known: the equations that hang together are too many. A run decides.
    Undecided,
    /// A model that gets there has no determined solution.
    Wrong,
}

impl SingularKind {
    /// `harmless`, `impossible`, `undecided` or `wrong`.
    pub fn word(self) -> &'static str {
        match self {
            SingularKind::Harmless => "harmless",
            SingularKind::Impossible => "impossible",
            SingularKind::Undecided => "undecided",
            SingularKind::Wrong => "wrong",
        }
    }
}

/// Why modes are of their kind.
#[derive(Clone, Debug)]
pub enum Reason {
    /// As many redundant equations as free directions.
    Redundant,
    /// A combination of equations leaves something that is not zero.
    Contradiction,
    /// More free directions than redundant equations: as many conditions as are missing there are too many elsewhere.
    Overdetermined,
    /// More redundant equations than free directions: something that is free drives a state.
    DrivesState,
    /// These variables are undetermined in all modes that a run can enter.
    AllModes,
    /// What the structure shows, and nothing explains away.
    Structure(Box<SingularCase>),
}

/// A combination of equations in which all unknowns cancel.
#[derive(Clone, Debug)]
pub struct Proof {
    /// Where all of them hold.
    pub modes: ModeSet,
    /// The equations with their weights.
    pub equations: Vec<(EquationId, f64)>,
    /// What is left: `0 = this`; nothing where one of the equations is redundant.
    pub contradiction: Option<ExpressionId>,
}

/// Modes of one kind, in one place.
#[derive(Clone, Debug)]
pub struct Singularity {
    /// Their kind.
    pub kind: SingularKind,
    /// Why.
    pub reason: Reason,
    /// The modes.
    pub modes: ModeSet,
    /// What is not determined in some of them, ascending, with the modes.
    pub undetermined: Vec<(VariableId, ModeSet)>,
    /// The combinations that show it.
    pub proofs: Vec<Proof>,
    /// The equations that change with these modes.
    pub equations: Vec<EquationId>,
}

/// The singular modes of a model and their kinds.
#[derive(Clone, Debug)]
pub struct Singularities {
    /// By place; modes of different places overlap.
    pub places: Vec<Singularity>,
    /// Modes in which no run can be, disjoint from the next three.
    pub impossible: ModeSet,
    /// Modes with something wrong.
    pub wrong: ModeSet,
    /// Modes of which nothing is known.
    pub undecided: ModeSet,
    /// Modes in which the states are determined, although others are not.
    pub harmless: ModeSet,
}

impl Singularities {
    /// Of a model without singular modes.
    pub fn none() -> Singularities {
        let none = ModeSet::EMPTY;
        Singularities { places: Vec::new(), impossible: none, wrong: none, undecided: none, harmless: none }
    }

    /// The modes of a kind.
    pub fn modes(&self, kind: SingularKind) -> ModeSet {
        match kind {
            SingularKind::Harmless => self.harmless,
            SingularKind::Impossible => self.impossible,
            SingularKind::Undecided => self.undecided,
            SingularKind::Wrong => self.wrong,
        }
    }

    /// All kinds with their modes, the worst first.
    pub fn kinds(&self) -> [(SingularKind, ModeSet); 4] {
        use SingularKind::*;
        [Wrong, Undecided, Impossible, Harmless].map(|kind| (kind, self.modes(kind)))
    }
}

/// The spaces are those of all modes. Where one mode alone is looked at because all of them are too many, they are as long as the
/// model, and each vector of them as well: for more equations than this, that takes seconds and more.
const MOST_FORMS_OF_ONE_MODE: usize = 4_000;

/// The kinds of the singular modes that last, of a model whose structure was regularized by these combinations. Works
/// only where some mode is singular.
pub fn singularities(
    dae: &mut MultimodeDae,
    analysis: &Analysis,
    combinations: &[Combination],
    transient: ModeSet,
    value_of: &dyn Fn(VariableId) -> Option<f64>,
) -> Result<Singularities, Limit> {
    let space = &analysis.space;
    space.set_task("telling kinds of singular modes apart");
    // The spaces are those of the whole model, whatever modes the analysis was restricted to.
    let invariant = invariant_of(space, dae, &[]);
    let exists = existence(dae, analysis, &invariant);
    let forms = forms::forms(dae, space, &invariant, combinations, value_of);
    let leaves = leaves::leaves(space, &forms, &exists);
    let is_tractable = analysis.within.len() < dae.mode_variables.len() || forms.len() <= MOST_FORMS_OF_ONE_MODE;
    let spaces = if is_tractable { spaces::PortSpaces::of(&forms, &leaves, &exists) } else { None };
    space.check()?;
    let groups = spaces.as_ref().map(|spaces| groups::groups(space, &forms, &leaves, spaces));
    space.check()?;
    let always_redundant = spaces.as_ref().is_some_and(|spaces| !spaces.always_redundant.is_empty());
    let unbalanced = balance::unbalanced(space, &forms, &exists).unwrap_or(ModeSet::EMPTY);
    let mut kinds =
        kinds::Kinds { dae, analysis, combinations, transient, forms: &forms, always_redundant, unbalanced, value_of };
    let result = kinds.singularities(spaces.as_ref(), groups.as_deref());
    space.check()?;
    Ok(result)
}

/// By variable: the modes in which it is a continuous unknown.
fn existence(dae: &MultimodeDae, analysis: &Analysis, invariant: &modeshift_modes::Invariant) -> Vec<ModeSet> {
    let mut formulas = Formulas::projected(&analysis.space, &dae.model.expressions, invariant);
    let modes = |id: VariableId| match dae.model.variables[id].is_continuous_unknown() {
        true => formulas.modes(dae.model.variables[id].guard).unwrap_or(ModeSet::ALL),
        false => ModeSet::EMPTY,
    };
    (0..dae.model.variables.len()).map(VariableId::from_index).map(modes).collect()
}

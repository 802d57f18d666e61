//! Long-range models: a sweep along the model that eliminates mode variables as it goes.
//!
//! In a pipe of valves, or a network that breakers can cut into islands, the verdict at one end depends on modes at the
//! other. Then there are as many predicates as equations, each as long as the model, and sets of modes outgrow every
//! memory. What the one end has to know about the other is little all the same. Equations are handled one by one along an
//! elimination order; what the ones behind the front mean for those ahead is a *summary* on the few variables that both
//! sides have in common, the boundary. There are few different summaries, however long the model is.
//!
//! ```text
//!            behind: summary        boundary          ahead
//!   e1 e2 e3 ............ e(p-1) | x17 x18 x20 |  e(p)  e(p+1) ......
//!   modes of these: eliminated     their modes     not looked at yet
//! ```
//!
//! The summary for parts is a matroid: the sets of boundary variables that the equations behind can be
//! matched with, when everything that has left the boundary is matched too (`matroid`). For the verdict alone it is the same on a
//! smaller graph, in which switches that are open are not there (`pairs`, `families`). A state at a cut is a summary
//! with the values of the mode variables that are still needed. All states of all cuts are an automaton that reads a mode
//! from left to right (`automaton`); models repeat themselves, so the tables of its steps are shared, and the minimal
//! automaton is the decision diagram of the singular modes in the elimination order (`diagram`), linear in the model. From
//! there on it is a [`ModeSet`] as any other, to be counted, restricted, compared and printed.
//!
//! Matching alone does not see that the balances of a network add up to zero over a part that is cut off, so there is a
//! second sweep over networks, whose summary is a partition (`islands`).
//!
//! # Beside E22
//!
//! E22 §5 keeps all mode variables in the root of the tree (§5.7), and is thereby limited to a few hundred of them; its §11
//! names their elimination as the way beyond, and leaves it open. In terms of its §5:
//!
//! | E22 | here |
//! |---|---|
//! | tree decomposition, interface (s - d) of two nodes (§5.2) | elimination order, boundary; a path is the only tree so far |
//! | existential projection Π_Y (Definition 1) | what leaves the boundary: variables are contracted, mode variables forgotten |
//! | co-projection, which choices attain the maximum (Definition 2) | the table of a step: by state and local mode, the state after |
//! | forward reduction f_d + Π(f_s) (Definition 3) | a step: an equation joins the summary, then variables leave |
//! | an inconsistent formula on the way: unsatisfiable | a lack of a partner: the mode is singular, whatever follows |
//! | back-selection (Algorithm 1) | from the last cut to the first: which states lead on (`automaton`), which parts there are (`parts`) |
//!
//! For verdict and parts the weights of E22 are all zero: they ask for a matching, not for one of maximal weight. For offsets and blocks
//! summaries have weights (`weights`), relative to the largest: adding a constant to all of them changes nothing later, so that
//! E22's difficulty with f + g (equation 24) does not arise.
//!
//! Matroids of matchings: J. Edmonds and D. Fulkerson, 1965; union and contraction: J. Oxley, Matroid Theory. Parts as what
//! some maximum matching leaves out: A. Dulmage and N. Mendelsohn, 1958. Partitions along a front: R. Bryant's diagrams
//! of network reliability. Automata with outputs from both sides: M.-P. Schützenberger's bimachines, 1961. The diagram of
//! the minimal automaton: E. Moore's partition refinement, here one cut after the other.
//!
//! | file | purpose |
//! |---|---|
//! | `automaton` | states per cut, shared tables, minimisation |
//! | `bimachine` | offsets in all modes, as an automaton of what both sides say |
//! | `diagram` | the minimal automaton as a set of modes |
//! | `islands` | networks, and the modes in which a part is cut off |
//! | `nearest` | one mode out of very many, for what is asked of a mode |
//! | `offsets` | offsets and blocks of a mode, from both sides |
//! | `order` | in which order to sweep, so that the boundary stays small |
//! | `pairs` | switched laws as what leads from an equation to a variable, or is not there |
//! | `parts` | over- and underdetermined parts of a mode, from both sides |
//! | `paths` | what is asked of the offsets of all modes |
//! | `plan` | the steps of a sweep, in forms that repeat |
//! | `simpler` | what has one partner only is left out |
//! | `staged` | a verdict as its automaton, and what words ask of it |
//! | `verdict` | what is asked of a verdict, whatever its form |
//! | `summaries` | what is behind the front, as matroid, partition or weights |

mod automaton;
mod bimachine;
mod diagram;
mod islands;
mod nearest;
mod offsets;
mod order;
mod pairs;
mod parts;
mod paths;
mod plan;
mod simpler;
mod staged;
mod summaries;
mod verdict;

use std::fmt;

use modeshift_dae::{EquationId, Id, MultimodeDae, VariableId};
use modeshift_modes::{Invariant, Limit, ModeSet, ModeSpace, ModeVariable};

use automaton::Automaton;
use families::Families;
use partition::Partitions;
use plan::{Graph, Item, Plan};
use simpler::Simpler;
use summaries::{families, matroid, partition, weights};

use crate::incidence::formulas::invariant_of;
use crate::locality::thresholds::with_halved_thresholds;
use crate::{Incidence, Options, incidence};

pub use bimachine::StagedOffsets;
pub use islands::{Flow, Network};
pub use offsets::{OffsetSweep, OffsetsOfMode};
pub use parts::{PartSweep, PartsOfMode};
pub use paths::{Asked, InAllModes, StagedCase};
pub use staged::Staged;

/// Diagrams of more nodes than this, two seconds of work and some hundred megabytes with all that is asked of them, are not made.
const LARGEST_DIAGRAM: usize = 1 << 21;
/// Two verdicts are compared by diagrams of at most so many nodes, a second of work.
const MOST_NODES_TO_COMPARE: usize = 1 << 21;

/// Why the sweep is not for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotSwept {
    /// The front would have more variables than this at some place.
    WideBoundary(usize),
    /// More mode variables than this would be needed at once at some place.
    ManyModes(usize),
    /// More summaries than this at one cut.
    ManyStates(usize),
    /// A limit of the user was reached.
    Limit(Limit),
}

impl From<Limit> for NotSwept {
    fn from(limit: Limit) -> NotSwept {
        NotSwept::Limit(limit)
    }
}

impl fmt::Display for NotSwept {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotSwept::WideBoundary(most) => write!(formatter, "more than {most} variables at a cut of the model"),
            NotSwept::ManyModes(most) => write!(formatter, "more than {most} mode variables at a cut of the model"),
            NotSwept::ManyStates(most) => write!(formatter, "more than {most} summaries at a cut of the model"),
            NotSwept::Limit(limit) => limit.fmt(formatter),
        }
    }
}

/// How large a sweep was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepSize {
    /// Variables at the widest cut.
    pub boundary: usize,
    /// Different forms of steps.
    pub forms: usize,
    /// States at the cut with most of them.
    pub states: usize,
    /// The same of the minimal automaton.
    pub minimal_states: usize,
}

/// The modes of a verdict, found by a sweep: as its automaton, as a set of modes, or as both.
#[derive(Debug)]
pub struct Swept {
    /// The minimal automaton, where it alone decides: nothing is said about modes but by equations, and by values that are given. What
    /// is given is not among what it depends on, nor does it deviate from anything.
    pub staged: Option<Staged>,
    /// A set of modes, where that is small or there is no other form.
    pub diagram: Option<Diagram>,
    /// How much it took.
    pub size: SweepSize,
}

/// The modes of a verdict as a set of modes in a space of its own, in the order of the sweep.
#[derive(Debug)]
pub struct Diagram {
    /// Where the set is from. Its mode variables are numbered as the model's.
    pub space: ModeSpace,
    /// The modes.
    pub modes: ModeSet,
    /// The modes that are possible.
    pub valid: ModeSet,
}

/// The verdicts on a long-range model.
#[derive(Debug)]
pub struct LongRange {
    /// Which variable occurs in which equation, in the space `given`.
    pub incidence: Incidence,
    /// The modes that are possible, in the space `given`.
    pub invariant: Invariant,
    /// Where the sets of modes of `incidence` and `invariant` are from.
    pub given: ModeSpace,
    /// Modes in which some equation or variable has no partner.
    pub singular: Swept,
    /// Balances of flows, and the flows that modes cut.
    pub network: Network,
    /// Modes in which some balances hang together with nothing else; nothing where there are no balances.
    pub islands: Option<Swept>,
    /// The modes of `singular` that have no island, in the space of its diagram; nothing where comparing the two would take too much.
    pub singular_without_islands: Option<ModeSet>,
}

impl LongRange {
    /// Whether every mode is regular, as far as structure and balances say.
    pub fn is_regular(&self) -> bool {
        self.singular.is_empty() && self.islands.is_none()
    }
}

/// Sweeps a model; `value_of` are the values of parameters.
pub fn long_range(
    dae: &mut MultimodeDae,
    options: &Options,
    value_of: &dyn Fn(VariableId) -> Option<f64>,
) -> Result<LongRange, NotSwept> {
    let as_written = (0..dae.mode_variables.len() as u32).map(ModeVariable).collect();
    let given = ModeSpace::with_order(with_halved_thresholds(dae, as_written));
    options.limit(&given);
    given.set_task("sweeping along the model");
    let invariant = invariant_of(&given, dae, &options.within);
    let incidence = incidence(dae, &given, &invariant);
    given.check()?;
    let singular = singular_modes(&given, &invariant, &incidence, options)?;
    let network = Network::of(dae, &given, &invariant, value_of);
    given.check()?;
    let islands = network.cut_off_modes(&given, &invariant, options)?;
    let singular_without_islands = match &islands {
        _ if singular.is_empty() => Some(ModeSet::EMPTY),
        Some(islands) => without(&singular, islands),
        None => singular.diagram.as_ref().map(|diagram| diagram.modes),
    };
    Ok(LongRange { incidence, invariant, given, singular, network, islands, singular_without_islands })
}

/// The modes of one verdict that are not those of another, in the space of the first.
fn without(one: &Swept, other: &Swept) -> Option<ModeSet> {
    let (one, other) = (one.diagram.as_ref()?, other.diagram.as_ref()?);
    let comparison = ModeSpace::with_order(one.space.order().to_vec());
    comparison.set_node_limit(one.space.node_count() + MOST_NODES_TO_COMPARE);
    let same = |variable: ModeVariable| variable;
    let modes = comparison.import(&one.space, &[one.modes], same)[0];
    let others = comparison.import(&other.space, &[other.modes], same)[0];
    let rest = comparison.difference(modes, others);
    comparison.check().ok()?;
    Some(one.space.import(&comparison, &[rest], same)[0])
}

/// The modes in which an incidence has no perfect matching.
pub fn singular_modes(
    given: &ModeSpace,
    invariant: &Invariant,
    incidence: &Incidence,
    options: &Options,
) -> Result<Swept, NotSwept> {
    let (graph, _) = graph_of(incidence);
    let Simpler { graph, lonely } = graph.without_leaves();
    let paired = graph.with_pairs();
    let graphs: Vec<Graph> = paired.into_iter().chain([graph]).map(Graph::with_short_items).collect();
    let plan = Plan::cheapest(given, &graphs)?;
    let automaton = Automaton::new(&plan, &mut Families::default(), options.time_limit)?;
    let unmatched = (0..incidence.variables().len()).map(VariableId::from_index);
    let unmatched = unmatched.filter(|&variable| incidence.edges_of_variable(variable).is_empty());
    let unmatched = unmatched.map(|variable| incidence.variables()[variable].guard);
    let unmatched: Vec<ModeSet> = unmatched.chain(lonely).collect();
    swept(given, invariant, &plan, &automaton, &unmatched, options)
}

/// A verdict as a set of modes; `also` are further modes of it, in the space `given`.
fn swept(
    given: &ModeSpace,
    invariant: &Invariant,
    plan: &Plan,
    automaton: &Automaton,
    also: &[ModeSet],
    options: &Options,
) -> Result<Swept, NotSwept> {
    let minimal = automaton.minimal();
    let size = SweepSize {
        boundary: plan.widest,
        forms: plan.forms.len(),
        states: automaton.most_states(),
        minimal_states: minimal.most_states(),
    };
    let staged = Staged::new(minimal, plan);
    let is_whole = is_swept_whole(given, invariant, plan) && also.iter().all(|set| set.is_empty());
    if is_whole && staged.diagram_size() > LARGEST_DIAGRAM {
        return Ok(Swept { staged: Some(staged), diagram: None, size });
    }
    let related: Vec<Vec<ModeVariable>> = invariant.components().map(|it| given.support_of_all(&[it])).collect();
    let space = ModeSpace::with_order(plan.order_of_modes(given.variable_count(), &related));
    options.limit(&space);
    space.set_task("writing a verdict as a set of modes");
    let passing = diagram::passing_modes(&space, plan, staged.passing());
    let conjuncts: Vec<ModeSet> = invariant.components().collect();
    let same = |variable: ModeVariable| variable;
    let valid = space.intersection(space.import(given, &conjuncts, same));
    let also = space.union(space.import(given, also, same));
    let modes = space.and(space.or(!passing, also), valid);
    space.check()?;
    let diagram = Some(Diagram { space, modes, valid });
    Ok(Swept { staged: is_whole.then_some(staged), diagram, size })
}

/// Whether the sweep meets all that is said about modes: nothing is, or values are given that no step asks for any more.
fn is_swept_whole(given: &ModeSpace, invariant: &Invariant, plan: &Plan) -> bool {
    let mut is_swept = vec![false; given.variable_count()];
    let entering = (0..plan.steps.len()).flat_map(|step| plan.entering_modes.of(step));
    entering.for_each(|variable| is_swept[variable.index()] = true);
    invariant.components().all(|component| {
        let values = given.pick(component).unwrap_or_default();
        given.valuation(&values) == component && values.iter().all(|(variable, _)| !is_swept[variable.index()])
    })
}

/// The graph of an incidence: equations are swept over, variables make the boundary. With the equations of the items.
fn graph_of(incidence: &Incidence) -> (Graph, Vec<EquationId>) {
    let equations = incidence.equations().iter_enumerated().filter(|(_, vertex)| !vertex.guard.is_empty());
    let equations: Vec<EquationId> = equations.map(|(id, _)| id).collect();
    let edges = |equation: EquationId| {
        let edges = incidence.edges_of_equation(equation);
        edges.map(|edge| (incidence.variable(edge).index() as u32, incidence.active(edge))).collect()
    };
    let item = |&id: &EquationId| Item {
        guard: incidence.equations()[id].guard,
        edges: edges(id),
        sources: 0,
        orders: Vec::new(),
    };
    let items = equations.iter().map(item).collect();
    let vertices = incidence.variables().iter().map(|vertex| vertex.guard).collect();
    (Graph { items, vertices }, equations)
}

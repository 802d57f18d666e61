//! All stages in order, for a multimode DAE: from its equations to its conditional dependency graph.

use modeshift_dae::{EquationId, ModeVariableId, MultimodeDae};
use modeshift_modes::clock::Instant;
use modeshift_modes::{FormulaPrinter, Invariant, Limit, ModeSet, ModeSpace, TimeLimit};

use crate::graph::blocks::BlockCap;
use crate::incidence::formulas::{Formulas, invariant_of};
use crate::incidence::occurrences::{Guards, Occurrences};
use crate::incidence::reading::Reading;
use crate::locality::renumber::{self, Renumbered};
use crate::{
    ConditionalDependencyGraph, Cycles, Incidence, Matching, Offsets, Parts, cycles, dependency_graph,
    dulmage_mendelsohn, match_equations,
};

/// With fewer decision-diagram nodes than this, 100 MB or so, nothing is gained by a collection.
const COLLECT_BEYOND: usize = 4_000_000;

/// What of a model to analyze, and how much that may cost.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only the modes in which these mode variables have these values.
    pub within: Vec<(ModeVariableId, bool)>,
    /// At most this many decision-diagram nodes.
    pub node_limit: Option<usize>,
    /// So many of these only after the first equations have been matched.
    pub held_back: usize,
    /// At most about this many steps of operations on sets of modes.
    pub step_limit: Option<u64>,
    /// At most this long.
    pub time_limit: Option<TimeLimit>,
    /// How much to list explicitly.
    pub cap: BlockCap,
}

impl Options {
    /// Sets the limits for what is computed in a space from now on.
    pub(crate) fn limit(&self, space: &ModeSpace) {
        if let Some(nodes) = self.node_limit {
            space.set_node_limit(nodes);
            space.hold_back(self.held_back);
        }
        if let Some(steps) = self.step_limit {
            space.set_step_limit(steps);
        }
        if let Some(time) = self.time_limit {
            space.set_time_limit(time);
        }
    }
}

/// How long the stages took, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Guards, conditions and occurrences, and at the end the model's own numbers for what got others meanwhile.
    pub reading: f64,
    /// Matching, offsets, over- and underdetermined parts.
    pub matching: f64,
    /// Which equations belong to blocks of several.
    pub cycles: f64,
    /// Listing blocks and dependencies.
    pub graph: f64,
}

/// Measures one stage after the other.
struct Clock(Instant);

impl Clock {
    /// Seconds since the last question.
    fn lap(&mut self) -> f64 {
        let seconds = self.0.elapsed().as_secs_f64();
        self.0 = Instant::now();
        seconds
    }
}

/// The structure of a model in all its modes.
#[derive(Debug)]
pub struct Analysis {
    /// Where all the sets of modes below are from. Its mode variables are numbered as the model's.
    pub space: ModeSpace,
    /// The modes that are possible.
    pub invariant: Invariant,
    /// Which variable occurs in which equation.
    pub incidence: Incidence,
    /// One matching per mode.
    pub matching: Matching,
    /// How often each equation is differentiated, and which derivative of each variable leads.
    pub offsets: Offsets,
    /// What is over- and underdetermined in singular modes.
    pub parts: Parts,
    /// Which equations belong to blocks of several.
    pub cycles: Cycles,
    /// Blocks and their dependencies; of singular modes the square part.
    pub graph: ConditionalDependencyGraph,
    /// The order in which the equations were worked through.
    pub order: Vec<EquationId>,
    /// Only the modes in which these mode variables have these values were looked at.
    pub within: Vec<(ModeVariableId, bool)>,
    /// How long it took.
    pub times: Times,
}

/// Analyzes all modes of a model, or those that the options name.
pub fn analyze(dae: &MultimodeDae, options: &Options) -> Result<Analysis, Limit> {
    let mut clock = Clock(Instant::now());
    let reading = Reading::of(dae);
    let order = reading.order(dae);
    let space = ModeSpace::with_order(order.mode_variables);
    options.limit(&space);
    space.set_task("reading guards and conditions");
    let invariant = invariant_of(&space, dae, &options.within);
    let mut formulas = Formulas::projected(&space, &dae.model.expressions, &invariant);
    let guards = Guards::of(dae, &mut formulas, &invariant);
    let renumbered = renumber::pays(&order.equations).then(|| Renumbered::along(dae, &reading, &order.equations));
    let mut occurrences = Occurrences::new(&reading, &mut formulas);
    let incidence = match &renumbered {
        Some(renumbered) => renumbered.incidence(&guards, &mut occurrences, &order.equations),
        None => occurrences.incidence(&order.equations, dae, &guards),
    };
    let numbers = renumbered.map(|renumbered| renumbered.numbers);
    drop(occurrences);
    drop(formulas);
    drop(reading);
    space.check()?;
    let seconds_of_reading = clock.lap();
    let order = numbers.as_ref().map_or(order.equations.clone(), |numbers| numbers.order(&order.equations));
    let mut analysis = Analysis::of_incidence(space, invariant, incidence, order, options.cap)?;
    clock.lap();
    if let Some(numbers) = numbers {
        analysis = numbers.restored(dae, &guards, analysis);
        if cfg!(debug_assertions) {
            analysis.assert_certificates();
        }
    }
    analysis.within.clone_from(&options.within);
    analysis.times.reading = seconds_of_reading + clock.lap();
    Ok(analysis)
}

impl Analysis {
    /// Analyzes an incidence, working through its equations in this order.
    pub fn of_incidence(
        space: ModeSpace,
        invariant: Invariant,
        incidence: Incidence,
        order: Vec<EquationId>,
        cap: BlockCap,
    ) -> Result<Analysis, Limit> {
        let mut clock = Clock(Instant::now());
        let mut times = Times::default();
        let (matching, offsets) = match_equations(&space, &incidence, &order)?;
        let parts = dulmage_mendelsohn(&space, &incidence, &matching, &order)?;
        let given = || incidence.mode_sets().chain(invariant.roots());
        let matched = || matching.mode_sets().chain(offsets.mode_sets()).chain(parts.mode_sets());
        if space.node_count() > COLLECT_BEYOND {
            space.collect(given().chain(matched()));
        }
        times.matching = clock.lap();
        let cycles = cycles(&space, &incidence, &matching, &parts, &order)?;
        times.cycles = clock.lap();
        let graph = dependency_graph(&space, &incidence, &matching, &offsets, &parts, &cycles, cap)?;
        if space.node_count() > COLLECT_BEYOND {
            space.collect(given().chain(matched()).chain(cycles.mode_sets()).chain(graph.mode_sets()));
        }
        times.graph = clock.lap();
        let within = Vec::new();
        let analysis =
            Analysis { times, space, invariant, incidence, matching, offsets, parts, cycles, graph, order, within };
        if cfg!(debug_assertions) {
            analysis.assert_certificates();
        }
        Ok(analysis)
    }

    /// Whether every mode is regular.
    pub fn is_regular(&self) -> bool {
        self.matching.is_perfect()
    }

    /// The modes in which the system is singular, among the valid ones and their copies outside the invariant.
    pub fn singular_modes(&self) -> ModeSet {
        self.matching.singular_modes(&self.space)
    }

    /// Prints sets of modes of this analysis.
    pub fn formulas<'a>(&'a self, mode_names: &'a [String]) -> FormulaPrinter<'a> {
        FormulaPrinter::new(&self.space, &self.invariant, mode_names)
    }
}

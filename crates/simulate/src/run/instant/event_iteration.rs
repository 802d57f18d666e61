//! An instant of change: from left limits and what fired to right limits, in as many micro-steps as it takes.
//!
//! A micro-step settles the discrete part (`settling`: definitions, `when` clauses), restarts the mode that follows from it,
//! and compares the truths that were assumed for atoms with their signs at the right limits (`candidate`); until they
//! agree, other truths are tried (`selection`). Then left limits are right limits, `pre` values are new, and the next micro-step begins; an instant ends with a
//! micro-step in which nothing happens.
//!
//! Atoms of left limits (`last(i) >= Imax`) are decided before a micro-step and stay. An instant in which laws of a
//! `when` act is transient: it is followed by another in which the mode that goes on is selected anew, all atoms by
//! their series there (E22 §8.4).

use modeshift_dae::{ExpressionId, IndexVec, Mode, RelationId, VariableId};
use modeshift_diagnostics::Span;

use crate::run::instant::Instant;
use crate::run::instant::candidate::{Candidate, Objection};
use crate::run::instant::discrete_fixpoint::{MicroStep, Settled};
use crate::run::instant::next_mode::{Ambiguity, Selected};
use crate::run::prepare::discrete_part::DiscretePart;
use crate::run::prepare::relations::Moment;
use crate::run::values::{Occasion, Side};

/// Micro-steps of one instant.
const MOST_MICRO_STEPS: usize = 100;

/// What happened, so that there is an instant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fired {
    /// Atoms that change their truth.
    pub atoms: Vec<RelationId>,
    /// Stairs that go up (`true`) or down a step.
    pub stairs: Vec<(usize, bool)>,
    /// Calls of `sample` that are due: they are true in the first micro-step.
    pub samples: Vec<ExpressionId>,
    /// Top-level inputs that were given other values.
    pub inputs: Vec<(VariableId, f64)>,
    /// Whether something crossed that was never clearly on its side since the last event: events accumulate.
    pub is_doubtful: bool,
}

/// What came of an instant.
pub(crate) struct Outcome<'a> {
    pub right: Side<'a>,
    /// The modes passed through, the last one not included.
    pub cascade: Vec<Mode>,
    pub impulses: Vec<(VariableId, Vec<f64>)>,
    /// Conditions of `when` branches that fired.
    pub whens: Vec<Span>,
    /// The message of `terminate`.
    pub terminated: Option<ExpressionId>,
    /// Whether continuous values may have changed.
    pub restarted: bool,
    /// Atoms that fired or whose truth changed, with the truth they changed to.
    pub changed_atoms: Vec<(RelationId, bool)>,
    /// Samplings that were due.
    pub samples: Vec<ExpressionId>,
    /// Top-level inputs that were given these values.
    pub inputs: Vec<(VariableId, f64)>,
    /// Modes that could have followed as well.
    pub ambiguities: Vec<Ambiguity>,
}

impl<'a> Outcome<'a> {
    /// Whether there is something to see: another mode, a `when` that fired, other values.
    pub fn is_visible(&self, discrete: &DiscretePart, left: &Side<'a>) -> bool {
        let mut declared = discrete.variables().filter(|id| id.0 < discrete.declared_count);
        self.restarted
            || !self.whens.is_empty()
            || declared.any(|id| left.discrete[id].to_bits() != self.right.discrete[id].to_bits())
    }
}

/// Why there are no right limits.
#[derive(Clone, Debug)]
pub(crate) enum NoOutcome {
    /// No mode accepts itself: what speaks against those that were tried.
    NoMode(Vec<(Mode, Objection)>),
    /// Discrete equations go round in circles; some of the variables.
    Unsettled(Vec<VariableId>),
    /// Micro-steps go on for ever, through these modes.
    Endless(Vec<Mode>),
    /// A required condition does not hold; the number of the invariant, or the span of an assertion in a `when`.
    Invariant(usize, Mode),
    /// An `assert` in a `when`.
    Assertion(ExpressionId, Span),
}

impl<'a> Instant<'_, 'a> {
    /// From the left to the right side of an instant.
    pub(super) fn pass(
        &mut self,
        left: &Side<'a>,
        fired: &Fired,
        occasion: Occasion,
    ) -> Result<Outcome<'a>, NoOutcome> {
        let mut outcome = Outcome {
            right: left.clone(),
            cascade: Vec::new(),
            impulses: Vec::new(),
            whens: Vec::new(),
            terminated: None,
            restarted: false,
            changed_atoms: Vec::new(),
            samples: fired.samples.clone(),
            inputs: fired.inputs.clone(),
            ambiguities: Vec::new(),
        };
        let mut proposal = self.proposal(left, fired);
        let momentary = occasion != Occasion::default() || !fired.samples.is_empty();
        let (mut occasion, mut transient) = (occasion, false);
        for number in 0..MOST_MICRO_STEPS {
            let before = outcome.right.clone();
            let step = MicroStep {
                left: &before,
                occasion,
                sampled: if number == 0 { &fired.samples } else { &[] },
                crossed: if number == 0 { &fired.atoms } else { &[] },
                all_by_series: transient,
                must_restart: transient,
            };
            let Selected { settled, candidate, ambiguity } = self.select(&step, proposal)?;
            outcome.ambiguities.extend(ambiguity);
            let happened = number == 0 || transient || self.something_happened(&before, &settled, &candidate);
            self.memory.remember_conditions();
            outcome.whens.extend(&settled.whens);
            outcome.terminated = outcome.terminated.or(settled.terminated);
            outcome.restarted |= candidate.is_new;
            outcome.impulses.extend(candidate.restarted.weights.iter().cloned());
            if settled.mode != before.mode.values && number > 0 {
                outcome.cascade.push(before.mode.values.clone());
            }
            transient = candidate.is_transient;
            outcome.right = candidate.restarted.side;
            if !happened || outcome.terminated.is_some() && !transient {
                outcome.changed_atoms = self.changed_atoms(left, &outcome.right, &fired.atoms);
                if momentary {
                    self.memory.learn_conditions(self.prepared, &outcome.right);
                }
                return Ok(outcome);
            }
            occasion.initial = false;
            proposal = self.next_proposal(left, &outcome.right, transient);
        }
        Err(NoOutcome::Endless(outcome.cascade))
    }

    /// Discrete values with what fired changed.
    fn proposal(&mut self, left: &Side<'a>, fired: &Fired) -> IndexVec<VariableId, f64> {
        let mut discrete = left.discrete.clone();
        for &atom in &fired.atoms {
            let variable = self.prepared.discrete.atoms[atom].variable;
            discrete[variable] = 1.0 - discrete[variable];
        }
        for &(stair, above) in &fired.stairs {
            let stair = self.prepared.discrete.stairs[stair];
            discrete[stair.variable] = stair.rounding.neighbour(discrete[stair.variable], above);
        }
        if fired.inputs.is_empty() { discrete } else { self.with_inputs(left, discrete, &fired.inputs) }
    }

    /// Discrete values with other inputs, and with what follows for relations and steps: as at the left limits, where these
    /// say clearly. What restarts change beyond that, the search for the next mode finds.
    fn with_inputs(
        &mut self,
        left: &Side<'a>,
        mut discrete: IndexVec<VariableId, f64>,
        inputs: &[(VariableId, f64)],
    ) -> IndexVec<VariableId, f64> {
        for &(input, value) in inputs {
            discrete[input] = value;
        }
        let given = Side { discrete, ..left.clone() };
        let values = self.memory.buffers.atom_values(self.prepared, (&given, &given), Occasion::default(), &[]);
        let mut discrete = given.discrete.clone();
        for (atom, &value) in values.iter_enumerated() {
            let it = &self.prepared.discrete.atoms[atom];
            if it.moment != Moment::Time && self.memory.is_clear(self.prepared, atom, value) {
                discrete[it.variable] = f64::from(u8::from((value.0 > 0.0) == it.holds_above()));
            }
        }
        self.update_stairs(&given, &mut discrete);
        discrete
    }

    /// Truths for the next micro-step: of left limits by what they are now; after a transient instant, what is at zero
    /// goes back to what it was before.
    fn next_proposal(&mut self, first: &Side<'a>, left: &Side<'a>, transient: bool) -> IndexVec<VariableId, f64> {
        let values = self.memory.buffers.atom_values(self.prepared, (left, left), Occasion::default(), &[]);
        let mut discrete = left.discrete.clone();
        for (atom, &value) in values.iter_enumerated() {
            let it = self.prepared.discrete.atoms[atom];
            let decided_here = it.moment == Moment::Before || transient && it.moment == Moment::Now;
            if !decided_here {
                continue;
            }
            // What a transient instant does not determine is not a number, and not clear.
            if self.memory.is_clear(self.prepared, atom, value) {
                discrete[it.variable] = f64::from(u8::from((value.0 > 0.0) == it.holds_above()));
            } else if transient {
                discrete[it.variable] = first.discrete[it.variable];
            }
        }
        self.update_stairs(left, &mut discrete);
        discrete
    }

    /// Stairs of continuous arguments, where the argument is clearly on another step.
    fn update_stairs(&mut self, side: &Side<'a>, discrete: &mut IndexVec<VariableId, f64>) {
        if self.prepared.discrete.stairs.is_empty() {
            return;
        }
        let arguments = self.memory.buffers.stair_arguments(self.prepared, side);
        for (stair, argument) in self.prepared.discrete.stairs.iter().zip(arguments) {
            let (low, high) = stair.rounding.edges(discrete[stair.variable]);
            let margin = self.prepared.noise.relative * argument.abs().max(1.0);
            if argument < low - margin || argument > high + margin {
                discrete[stair.variable] = stair.rounding.step(argument);
            }
        }
    }

    fn something_happened(&self, before: &Side<'a>, settled: &Settled, candidate: &Candidate<'a>) -> bool {
        let mut variables = self.prepared.discrete.variables();
        candidate.is_new
            || !settled.whens.is_empty()
            || variables.any(|id| before.discrete[id].to_bits() != settled.discrete[id].to_bits())
    }

    fn changed_atoms(&self, left: &Side<'a>, right: &Side<'a>, fired: &[RelationId]) -> Vec<(RelationId, bool)> {
        let atoms = self.prepared.discrete.atoms.iter_enumerated();
        let truths = atoms.map(|(id, it)| (id, left.discrete[it.variable] != 0.0, right.discrete[it.variable] != 0.0));
        let changed = truths.filter(|(id, before, after)| fired.contains(id) || before != after);
        changed.map(|(id, before, _)| (id, !before)).collect()
    }
}

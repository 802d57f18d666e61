//! The discrete part of a micro-step: definitions and `when` equations, evaluated until nothing changes any more.
//!
//! One evaluation gives everything, in the order of what reads what, from truths of relations, left limits and continuous
//! values. It is repeated only where discrete values move a time that something waits for, or where definitions lead back
//! to themselves through a `when`. Values that come back without having settled never will.

use std::collections::BTreeMap;

use modeshift_dae::{EquationId, ExpressionId, IndexVec, Mode, RelationId, VariableId, WhenAction, WhenActionKind};
use modeshift_diagnostics::Span;
use modeshift_numerics::Input;
use rustc_hash::FxHashSet;

use crate::run::instant::Instant;
use crate::run::instant::entry::Entered;
use crate::run::instant::event_iteration::NoOutcome;
use crate::run::memory::Literal;
use crate::run::prepare::Prepared;
use crate::run::prepare::discrete_part::{DiscretePart, Requirement};
use crate::run::prepare::relations::Moment;
use crate::run::values::{Occasion, Side};

/// Rounds of values that never come back, as of a counter that counts itself: a bound on work, far above the number of rounds
/// that a chain of clauses through a loop needs.
const MOST_ROUNDS: usize = 2_000;

/// A micro-step under way.
pub(crate) struct MicroStep<'s, 'a> {
    pub left: &'s Side<'a>,
    /// The side before the instant.
    pub origin: &'s Side<'a>,
    pub occasion: Occasion,
    pub sampled: &'s [ExpressionId],
    /// Atoms that crossed zero: in the mode being left they cannot keep their truth.
    pub crossed: &'s [RelationId],
    /// Atoms that leave the surface of a sliding mode: to the side that was proposed.
    pub released: &'s [RelationId],
    /// Relations have the truths of the values as they stand: at the start, before it is asked where they go.
    pub is_literal: bool,
    /// Atoms of left limits are decided by their series too: after a transient instant.
    pub all_by_series: bool,
    /// The jet of the left side is incomplete: a restart is needed in any case.
    pub must_restart: bool,
    /// Constraints that the left side need not meet, although its mode has them: laws acted there.
    pub unmet: &'s [EquationId],
    /// Left limits where the left side is what follows right after the start: what was at the start itself.
    pub start: Option<&'s AtStart<'a>>,
    /// Where one island is looked at by itself: its number. Right sides are then those of its equations alone, and only its relations
    /// judge.
    pub island: Option<usize>,
}

/// The start of a run, with all relations as they stand there.
///
/// `b = time > 0` is false at the start and true right after it. The mode of the start is that right after it; `pre(b)`,
/// `edge(b)` and `change(b)` in the first micro-step in which clauses fire mean the value at the start.
pub(crate) struct AtStart<'a> {
    /// Continuous values.
    pub side: Side<'a>,
    /// What equations define.
    pub literal: Literal,
}

impl<'s, 'a> MicroStep<'s, 'a> {
    /// The micro-step that follows from a side, where nothing is due any more.
    pub fn following<'t>(&self, side: &'t Side<'a>) -> MicroStep<'t, 'a>
    where
        's: 't,
    {
        MicroStep { left: side, occasion: Occasion::default(), sampled: &[], crossed: &[], start: None, ..*self }
    }

    /// The left limit of a variable or a derivative in discrete formulas.
    fn left_value(&self, prepared: &Prepared, variable: VariableId, order: u32) -> f64 {
        match self.start {
            Some(start) if order == 0 && prepared.discrete.is_defined(variable) => start.literal.discrete[variable],
            Some(start) if start.side.mode.quantities.index(variable, order).is_some() => {
                start.side.value(variable, order)
            }
            _ => self.left.value(variable, order),
        }
    }

    /// Whether an atom has something to say: it is of the island that is looked at.
    pub fn concerns(&self, prepared: &Prepared, atom: RelationId) -> bool {
        self.island.is_none_or(|island| prepared.discrete.islands.of_atom(atom) == island)
    }

    /// Whether the right side decides atoms of this kind; the others have their truths before.
    pub fn decides(&self, moment: Moment) -> bool {
        moment == Moment::Now || moment == Moment::Before && self.all_by_series
    }

    /// The value of what discrete formulas depend on: discrete values now, continuous ones of a side.
    pub fn input(
        &self,
        prepared: &Prepared,
        discrete: &IndexVec<VariableId, f64>,
        values: &Side<'_>,
        input: Input,
    ) -> f64 {
        let number = |truth: bool| f64::from(u8::from(truth));
        match input {
            Input::Time => self.left.time,
            Input::Variable(variable, order) => match values.mode.quantities.index(variable, order) {
                Some(quantity) => values.jet[quantity.index()],
                None if values.mode.is_pinned(variable) => 0.0,
                None => discrete[variable],
            },
            Input::LeftVariable(variable, order) => self.left_value(prepared, variable, order),
            Input::Mode(mode) => number(values.truth(mode)),
            Input::LeftMode(mode) => number(match self.start {
                Some(start) => start.literal.mode[mode],
                None => self.left.truth(mode),
            }),
            Input::Run(call) => self.occasion.call(&prepared.dae.model, call, self.sampled),
            Input::Homotopy => 1.0,
        }
    }
}

/// A `reinit` that fires.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reset {
    pub variable: VariableId,
    pub value: f64,
    pub span: Span,
}

/// The discrete part after settling.
#[derive(Clone, Default)]
pub(crate) struct Settled {
    pub discrete: IndexVec<VariableId, f64>,
    pub mode: Mode,
    pub laws: Vec<WhenAction>,
    /// The equations that the laws are.
    pub law_equations: Vec<EquationId>,
    pub resets: Vec<Reset>,
    /// States of machines that are entered.
    pub entered: Vec<Entered>,
    /// Whether laws of a `when` act, or one says that there should be some.
    pub is_transient: bool,
    pub whens: Vec<Span>,
    pub terminated: Option<ExpressionId>,
    /// An assertion of a `when` that is violated.
    pub broken: Option<(ExpressionId, Span)>,
    /// Assertions of a `when` that are violated and only warn.
    pub warnings: Vec<(ExpressionId, Span)>,
    /// An invariant that does not hold, by its number.
    pub excluded: Option<usize>,
}

impl Settled {
    /// Whether both decide the same: discrete values, mode, and which branches of `when` fire.
    pub fn is_as(&self, other: &Settled) -> bool {
        let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
        self.mode == other.mode
            && self.whens == other.whens
            && self.discrete.iter().zip(other.discrete.iter()).all(same)
    }
}

impl<'a> Instant<'_, 'a> {
    /// Evaluates the discrete part until it does not change any more, with the continuous values of a side.
    pub fn settle(
        &mut self,
        step: &MicroStep<'_, 'a>,
        mut discrete: IndexVec<VariableId, f64>,
        values: &Side<'a>,
    ) -> Result<Settled, NoOutcome> {
        let prepared = self.prepared;
        let time = step.left.time;
        let mut seen = FxHashSet::default();
        let mut changed = Vec::new();
        let before = &step.left.discrete;
        let mut is_moved = !step.is_literal && prepared.update_time(time, before, &mut discrete);
        // Left limits of discrete variables in states that begin anew.
        let mut begun = BTreeMap::new();
        loop {
            let DiscretePart { tapes, defined, iterated, .. } = &prepared.discrete;
            let evaluated = self.memory.buffers.decisions.evaluate(&tapes.decisions, |input| match input {
                Input::LeftVariable(variable, 0) if begun.contains_key(&variable) => begun[&variable],
                input => step.input(prepared, &discrete, values, input),
            });
            changed.clear();
            for &(id, place) in defined {
                if discrete[id].to_bits() != evaluated[place].to_bits() {
                    discrete[id] = evaluated[place];
                    changed.push(id);
                }
            }
            is_moved = (is_moved || !changed.is_empty())
                && !step.is_literal
                && prepared.update_time(time, before, &mut discrete);
            if !is_moved && !changed.iter().any(|id| iterated.binary_search(id).is_ok()) {
                let again = prepared.discrete_beginnings(&self.entered());
                if again == begun {
                    break;
                }
                begun = again;
            }
            let is_new = seen.insert(discrete.iter().map(|value| value.to_bits()).collect::<Vec<u64>>());
            if !is_new || seen.len() > MOST_ROUNDS {
                return Err(NoOutcome::Unsettled(changed));
            }
        }
        Ok(self.settled(step, discrete))
    }

    /// The states that the last evaluation enters.
    fn entered(&self) -> Vec<Entered> {
        let values = self.memory.buffers.decisions.values();
        let states = self.prepared.discrete.states.iter().enumerate();
        let entered = states.filter(|(_, it)| values[it.enters] != 0.0);
        entered.map(|(state, it)| Entered { state, anew: values[it.restarts] != 0.0 }).collect()
    }

    /// What was decided last, with what the branches of `when` that fire do.
    fn settled(&self, step: &MicroStep<'_, 'a>, discrete: IndexVec<VariableId, f64>) -> Settled {
        let values = self.memory.buffers.decisions.values();
        let part = &self.prepared.discrete;
        let is_asked = |number: usize| step.island.is_none_or(|island| part.islands.has_invariant(island, number));
        let broken = |(number, it): (usize, &Requirement)| {
            values[it.guard] != 0.0 && values[it.condition] == 0.0 && is_asked(number)
        };
        let excluded = part.invariants.iter().enumerate().position(broken);
        let mode = part.modes(values).collect();
        let mut settled = Settled { discrete, mode, excluded, entered: self.entered(), ..Settled::default() };
        for branch in part.branches.iter().filter(|branch| values[branch.fires] != 0.0) {
            settled.whens.push(branch.span);
            settled.is_transient |= branch.declares_transient;
            for deed in branch.deeds.iter().filter(|deed| values[deed.guard] != 0.0) {
                let value = deed.value.map_or(f64::NAN, |place| values[place]);
                let span = deed.action.span;
                match &deed.action.kind {
                    WhenActionKind::Law(..) => {
                        settled.laws.push(deed.action.clone());
                        settled.law_equations.extend(deed.equation);
                        settled.is_transient = true;
                    }
                    WhenActionKind::Reinit(variable, _) => {
                        settled.resets.push(Reset { variable: *variable, value, span });
                    }
                    WhenActionKind::Assert(assertion) if value == 0.0 && assertion.is_error => {
                        settled.broken = settled.broken.or(Some((assertion.message, assertion.span)));
                    }
                    WhenActionKind::Assert(assertion) if value == 0.0 => {
                        settled.warnings.push((assertion.message, assertion.span));
                    }
                    WhenActionKind::Terminate(message) => settled.terminated = Some(*message),
                    WhenActionKind::Assign(..) | WhenActionKind::Assert(_) => {}
                }
            }
        }
        settled
    }
}

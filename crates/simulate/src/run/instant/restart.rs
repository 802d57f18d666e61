//! From one side of an instant to the other: right limits in a candidate mode, and the signs of atoms there.
//!
//! A long mode restarts by its levels; a `when` with laws makes the instant transient (E22 §8.2–8.4). Whether an atom
//! is true right after the instant is decided by the first term of its series that is not noise: weights of impulses,
//! value, derivatives.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{Derivative, EquationId, FlatModel, Id, IndexVec, VariableId, WhenAction};
use modeshift_mode_changes::{
    DifferenceTape, GuardSeries, Jet, Noise, Note, Past, Restart, Sign, Term, WhenLaws, guard_weights, restart,
};
use modeshift_numerics::Input;
use modeshift_numerics::residual_newton::Failure;
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

use crate::run::instant::discrete_fixpoint::Reset;
use crate::run::instant::entry::Beginning;
use crate::run::instant::judgement::shortly_after::Nearby;
use crate::run::modes::VisitedMode;
use crate::run::prepare::Prepared;
use crate::run::running_sizes::{ROUNDED, ROUNDING};
use crate::run::values::Side;

/// How many derivatives beyond the leading ones may decide a sign.
pub(super) const MOST_DERIVATIVES: u32 = 4;

/// The share of a short time that is no time: in it a second derivative makes of nothing the rounding of what it makes in a short time,
/// and what has a time constant of its own is not yet another one.
const AT_ONCE: f64 = 1e-7;

/// Weights in a transient instant below this share of the largest one are what is left where others cancel.
const NO_SHARE: f64 = 1e-12;

/// The right side of an instant, and how it came about.
pub(crate) struct Restarted<'a> {
    pub side: Side<'a>,
    /// Weights of impulses by variable: `weights[p]` belongs to `δ^(p)`.
    pub weights: Vec<(VariableId, Vec<f64>)>,
    /// Variables of entered states of which nothing says where they begin: with 0.
    pub begun_at_zero: Vec<VariableId>,
    /// Constraints that are new and that an instant in which laws act need not have met: they still are, in what follows.
    pub unmet: Vec<EquationId>,
    /// What the signs of atoms are computed from; nothing for a transient instant.
    past: Option<(Past, Restart)>,
    /// Both limits and the weights of impulses of a transient instant that has some.
    impulses: Option<Impulses>,
    /// The largest value of the side, once it was asked for: every sign asks.
    largest: OnceCell<f64>,
    /// The relations as they would be otherwise, where that was asked for; nothing where that cannot be told.
    pub(super) nearby: OnceCell<Option<Box<Nearby>>>,
}

/// Both limits and the weights of a transient instant.
struct Impulses {
    left: Jet,
    right: Jet,
    weights: IndexVec<Column, Vec<f64>>,
}

/// Why a candidate mode has no right limits.
#[derive(Clone, Debug)]
pub(crate) enum NoRestart {
    /// The levels could not be solved; in words.
    Unsolved(String),
    /// The same, since a block is singular.
    Singular(String),
    /// In a mode that leaves something free, this equation does not follow from the others: the first term of its residual
    /// that is no noise.
    Contradiction(Contradiction),
    /// These variables and derivatives are not determined.
    Undetermined(Vec<Derivative<VariableId>>),
    /// Laws of a `when` contradict each other or the equations.
    Conflicting(String),
}

/// An equation that the others contradict.
#[derive(Clone, Debug)]
pub(crate) struct Contradiction {
    pub equation: EquationId,
    /// All equations that take part.
    pub circuit: Rc<[EquationId]>,
    pub term: Term,
    pub value: f64,
}

/// What a restart needs to know beside the two modes.
pub(crate) struct Circumstances<'r, 'a> {
    pub prepared: &'a Prepared,
    /// What counts as zero.
    pub noise: Noise,
    pub left: &'r Side<'a>,
    pub mode: &'r Rc<VisitedMode<'a>>,
    /// Discrete values after the instant.
    pub discrete: &'r IndexVec<VariableId, f64>,
    /// Discrete variables in continuous equations that have another value than before.
    pub changed: &'r [VariableId],
    /// Equations that the left side need not meet, although its mode has them.
    pub unmet: &'r [EquationId],
    /// Left limits of states that are entered.
    pub beginnings: Vec<Beginning>,
    /// The value of what is no unknown: discrete variables, left limits, calls of the run.
    pub known: &'r dyn Fn(Input) -> Option<f64>,
}

impl<'a> Circumstances<'_, 'a> {
    /// Right limits of the mode after a change.
    pub fn restarted(&self) -> Result<Restarted<'a>, NoRestart> {
        let structure = &self.mode.structure;
        let past = self.past();
        let equations = self.mode.equations.at(self.known);
        let mut result = restart(structure, &equations, &past, &self.noise);
        if !result.is_determined() {
            let undetermined = result.memory.undetermined();
            let undetermined: Vec<Derivative<VariableId>> =
                undetermined.map(|it| Derivative::new(structure.variable(it.of), it.order)).collect();
            return Err(match undetermined.is_empty() {
                true if is_singular(&result) => {
                    NoRestart::Singular(notes_text(&self.prepared.dae.model, structure, &result))
                }
                true => NoRestart::Unsolved(notes_text(&self.prepared.dae.model, structure, &result)),
                false => NoRestart::Undetermined(undetermined),
            });
        }
        let side = self.side(&result.right);
        if side.jet.iter().any(|value| value.is_nan()) {
            return Err(NoRestart::Unsolved("some right limits are not numbers".to_string()));
        }
        let weights = named_weights(structure, &result.weights);
        self.check_dropped(&past, &mut result)?;
        let begun_at_zero = self.begun_at_zero(&result);
        Ok(Restarted {
            side,
            weights,
            begun_at_zero,
            unmet: Vec::new(),
            past: Some((past, result)),
            impulses: None,
            largest: OnceCell::new(),
            nearby: OnceCell::new(),
        })
    }

    /// Whether the equations that the mode does without hold, and go on to hold as far as can be seen.
    fn check_dropped(&self, past: &Past, result: &mut Restart) -> Result<(), NoRestart> {
        let Some(pins) = &self.mode.pins else { return Ok(()) };
        let structure = &self.mode.structure;
        let equations = self.mode.equations.at(self.known);
        for (at, ((equation, tape), circuit)) in pins.dropped.iter().zip(&pins.circuits).enumerate() {
            let wanted = columns_of(structure, tape);
            // Where higher derivatives are not to be had, the value alone decides.
            let count = match result.right.extend_towards(&wanted, MOST_DERIVATIVES, structure, &equations) {
                Ok(()) => MOST_DERIVATIVES,
                Err(_) => 0,
            };
            let known = |input: Input| match input {
                Input::Mode(id) => Some(f64::from(u8::from(self.mode.values[id]))),
                other => (self.known)(other),
            };
            let series = result.guard_series(past, &tape.at(structure, &known), Row(0), count);
            // What vanishes is found from what was, and as exactly.
            let value = |it: Derivative<VariableId>| self.left.value(it.of, it.order);
            let before = pins.largest_term(at, value).max(pins.rounding(at, value) / self.noise.relative);
            let noise = Noise { floor: self.noise.floor.max(before), ..self.noise };
            if let Sign::Decided(term, value) = series.sign(&noise) {
                let circuit = circuit.clone();
                return Err(NoRestart::Contradiction(Contradiction { equation: *equation, circuit, term, value }));
            }
        }
        Ok(())
    }

    /// Right limits of an instant in which the laws of a `when` act, and `reinit` gives values to states.
    pub fn transient(&self, actions: &[WhenAction], resets: &[Reset]) -> Result<Restarted<'a>, NoRestart> {
        let structure = &self.mode.structure;
        let past = self.past();
        let mode = self.mode.clone();
        let constants = |input: Input| match input {
            Input::Mode(id) => Some(f64::from(u8::from(mode.values[id]))),
            Input::Variable(variable, _) if structure.column(variable).is_some() => None,
            Input::LeftVariable(variable, _) if structure.column(variable).is_some() => None,
            other => (self.known)(other),
        };
        let laws = WhenLaws::new(&self.prepared.dae.model, &self.prepared.natives, structure, actions, constants)
            .map_err(|_| NoRestart::Unsolved("a law of the `when` is not numeric".to_string()))?
            .with_resets(resets.iter().map(|reset| (reset.variable, reset.value)));
        self.check_states(resets)?;
        let transient = laws.levels(structure, &past.is_new);
        if !transient.without_level.is_empty() {
            return Err(NoRestart::Conflicting("a law of the `when` contains no right limit of a state".to_string()));
        }
        let undetermined = transient.undetermined(structure);
        if !undetermined.is_empty() {
            let named = undetermined.into_iter().map(|it| Derivative::new(structure.variable(it.of), it.order));
            return Err(NoRestart::Undetermined(named.collect()));
        }
        if transient.levels.iter().any(|level| !level.conflicting.is_empty()) {
            return Err(NoRestart::Conflicting("laws contradict each other or the equations".to_string()));
        }
        let equations = self.mode.equations.at(self.known);
        let result = transient.restart(structure, &equations, &laws, &past.jet).map_err(|failure| {
            NoRestart::Unsolved(format!("no right limits from the laws of the `when`: {}", failure_text(&failure)))
        })?;
        let side = self.side(&result.right);
        let weights = named_weights(structure, &result.weights);
        let is_unmet = |row: &Row| past.is_new[*row] && structure.equation_offset(*row) > 0;
        let unmet = structure.rows().filter(is_unmet).map(|row| structure.equation(row)).collect();
        let impulses = Impulses { left: past.jet, right: result.right, weights: result.weights };
        let impulses = Some(impulses).filter(|_| !weights.is_empty());
        Ok(Restarted {
            side,
            weights,
            begun_at_zero: Vec::new(),
            unmet,
            past: None,
            impulses,
            largest: OnceCell::new(),
            nearby: OnceCell::new(),
        })
    }

    /// Whether everything that `reinit` gives a value to is a state of the mode.
    fn check_states(&self, resets: &[Reset]) -> Result<(), NoRestart> {
        let structure = &self.mode.structure;
        let is_state = |id: VariableId| structure.column(id).is_some_and(|it| structure.variable_offset(it) > 0);
        match resets.iter().find(|reset| !is_state(reset.variable)) {
            Some(reset) => {
                let name = &self.prepared.dae.model.variables[reset.variable].name;
                Err(NoRestart::Conflicting(format!("`{name}` is not a state in this mode")))
            }
            None => Ok(()),
        }
    }

    /// Variables that begin without a value of their own, and that no constraint determines.
    fn begun_at_zero(&self, result: &Restart) -> Vec<VariableId> {
        let open: Vec<VariableId> = self.beginnings.iter().filter(|it| it.1.is_none()).map(|it| it.0).collect();
        let started = result.memory.started().map(|it| self.mode.structure.variable(it.of));
        if open.is_empty() { Vec::new() } else { started.filter(|id| open.contains(id)).collect() }
    }

    /// Left limits in terms of the mode after the change.
    pub fn past(&self) -> Past {
        let (before, after) = (&self.left.mode, self.mode);
        let mut changed = self.prepared.forms.changed(&self.prepared.dae, &before.values, &after.values, self.changed);
        changed.extend(self.touched_by_pins());
        changed.extend(self.unmet);
        changed.sort_unstable();
        let past = Past::between(
            &before.structure,
            &jet_of(self.left),
            &after.structure,
            |equation: EquationId| changed.binary_search(&equation).is_ok(),
            |id: VariableId| self.prepared.constants.starts.get(id.index()).copied().flatten(),
        );
        if self.beginnings.is_empty() { past } else { past.beginning_with(&after.structure, &self.beginnings) }
    }

    /// Equations that contain a variable which is pinned in one of the two modes only: it has another value.
    fn touched_by_pins(&self) -> Vec<EquationId> {
        let (before, after) = (&self.left.mode, self.mode);
        let mut touched: Vec<EquationId> = Vec::new();
        if let Some(pins) = &after.pins {
            touched.extend(pins.touched_since(before.pins.as_ref()));
        }
        if let Some(pins) = &before.pins {
            let columns = pins.pinned.iter().filter_map(|&id| after.structure.column(id));
            let rows = columns.flat_map(|column| after.structure.occurrences(column));
            touched.extend(rows.map(|&(row, _)| after.structure.equation(row)));
        }
        touched
    }

    fn side(&self, right: &Jet) -> Side<'a> {
        let structure = &self.mode.structure;
        let mut jet = Vec::with_capacity(self.mode.quantities.len());
        for column in structure.columns() {
            jet.extend((0..=structure.variable_offset(column)).map(|order| right.get(column, order)));
        }
        let last = self.prepared.last_values(self.left, self.discrete);
        let (mode, discrete) = (self.mode.clone(), self.discrete.clone());
        Side { time: self.left.time, mode, jet, discrete, sliding: None, last }
    }
}

/// The variables of a mode that an expression contains.
pub(super) fn columns_of(structure: &ModeStructure, tape: &DifferenceTape) -> Vec<Column> {
    tape.unknowns().iter().filter_map(|unknown| structure.column(unknown.of)).collect()
}

/// Whether a restart failed since its equations do not determine their unknowns.
fn is_singular(result: &Restart) -> bool {
    result.notes.iter().any(|note| matches!(note, Note::Unsolved { failure: Failure::Singular(_), .. }))
}

/// The jet of a side as restarts want it.
pub(super) fn jet_of(side: &Side<'_>) -> Jet {
    jet_in(&side.mode, side.time, side.own_jet())
}

/// The values of a mode as restarts want them.
pub(crate) fn jet_in(mode: &VisitedMode<'_>, time: f64, jet: &[f64]) -> Jet {
    let structure = &mode.structure;
    let mut rest = jet;
    let derivatives = structure.columns().map(|column| {
        let (own, others) = rest.split_at(structure.variable_offset(column) as usize + 1);
        rest = others;
        own
    });
    Jet::new(time, derivatives)
}

fn named_weights(structure: &ModeStructure, weights: &IndexVec<Column, Vec<f64>>) -> Vec<(VariableId, Vec<f64>)> {
    let nonzero = weights.iter_enumerated().filter(|(_, list)| list.iter().any(|&weight| weight != 0.0));
    nonzero.map(|(column, list)| (structure.variable(column), list.clone())).collect()
}

/// Why a block has no solution, in words.
fn failure_text(failure: &Failure) -> String {
    match failure {
        Failure::Singular(condition) => {
            format!("they do not determine their unknowns (reciprocal condition {condition:.1e})")
        }
        Failure::Diverged => "the iteration does not converge".to_string(),
    }
}

fn notes_text(model: &FlatModel, structure: &ModeStructure, result: &Restart) -> String {
    let names = |rows: &[Row]| {
        let names: Vec<&str> =
            rows.iter().take(8).map(|&row| &*model.equations[structure.equation(row)].name).collect();
        names.join(", ")
    };
    let mut texts = result.notes.iter().filter_map(|note| match note {
        Note::Unsolved { level, rows, failure } => {
            Some(format!("no right limits from {} at level {level}: {}", names(rows), failure_text(failure)))
        }
        Note::Unborn(_) => Some("left limits of new variables could not be computed".to_string()),
        Note::Meaningless { row, impulsive } => {
            let equation = &model.equations[structure.equation(*row)].name;
            let variable = &model.variables[structure.variable(impulsive.of)].name;
            Some(format!("in {equation}, {variable} is impulsive inside a nonlinear function"))
        }
        Note::ByStep(_) | Note::Undefined(_) => None,
    });
    texts.next().unwrap_or_else(|| "the restart could not be computed".to_string())
}

impl<'a> Restarted<'a> {
    /// A side on which nothing continuous has changed.
    pub fn unchanged(side: Side<'a>) -> Self {
        Restarted {
            side,
            weights: Vec::new(),
            begun_at_zero: Vec::new(),
            unmet: Vec::new(),
            past: None,
            impulses: None,
            largest: OnceCell::new(),
            nearby: OnceCell::new(),
        }
    }

    /// Whether a value is so much smaller than others of the mode, or than this, that it may be rounding.
    pub fn is_suspicious(&self, value: f64, most: f64) -> bool {
        let largest = *self.largest.get_or_init(|| self.side.largest());
        value.abs() <= ROUNDED * largest.max(most)
    }

    /// Right limits after a restart; nothing where there was none.
    pub fn right_limits(&self) -> Option<&Jet> {
        self.past.as_ref().map(|(_, restart)| &restart.right)
    }

    /// Whether a singular Jacobian made it necessary to take values from one step.
    pub fn is_by_step(&self) -> bool {
        let notes = self.past.iter().flat_map(|(_, restart)| &restart.notes);
        notes.into_iter().any(|note| matches!(note, Note::ByStep(_)))
    }

    /// Replaces the jet by one that is complete.
    pub fn set_jet(&mut self, jet: Vec<f64>) {
        self.side.jet = jet;
        (self.largest, self.nearby) = (OnceCell::new(), OnceCell::new());
        if let Some((_, result)) = &mut self.past {
            result.right = jet_of(&self.side);
        }
    }

    /// Whether a restart reaches a variable or one of its derivatives.
    pub fn reaches(&self, variable: VariableId) -> bool {
        let Some((_, result)) = &self.past else { return false };
        match self.side.mode.structure.column(variable) {
            Some(column) => result.reaches(column),
            None => self.side.mode.pins.as_ref().is_some_and(|pins| pins.is_undetermined(variable)),
        }
    }

    /// Whether impulses decide about an expression: one of these variables has a weight, or jumps under `der`.
    pub fn has_impulse_in(&self, atom: &DifferenceTape) -> bool {
        let Some((_, result)) = &self.past else { return false };
        let structure = &self.side.mode.structure;
        atom.unknowns().iter().any(|unknown| {
            let Some(column) = structure.column(unknown.of) else { return false };
            result.weights[column].iter().any(|&weight| weight != 0.0)
                || (0..unknown.order).any(|lower| result.is_impulsive(column, lower))
        })
    }

    /// The impulse of an atom: the highest order that it has one of, and its weight.
    pub fn impulse_of(&mut self, atom: &DifferenceTape, known: &dyn Fn(Input) -> Option<f64>) -> Option<(u32, f64)> {
        let weights = match &self.impulses {
            Some(Impulses { left, right, weights }) => {
                let atom = atom.at(&self.side.mode.structure, known);
                let largest = weights.iter().flatten().fold(0.0, |most: f64, weight| most.max(weight.abs()));
                let mut own = guard_weights(&atom, Row(0), (left, right), weights);
                own.iter_mut().filter(|weight| weight.abs() <= NO_SHARE * largest).for_each(|weight| *weight = 0.0);
                own
            }
            None => self.series(atom, known, 0)?.weights,
        };
        let highest = weights.iter().rposition(|&weight| weight != 0.0)?;
        Some((highest as u32, weights[highest]))
    }

    /// The sign of an atom right after the instant, by its series; nothing for a transient instant.
    /// What is small beside `most` may be rounding; `slope` is the size of what its slope is made of.
    pub fn sign(
        &mut self,
        atom: &DifferenceTape,
        known: &dyn Fn(Input) -> Option<f64>,
        noise: (&Noise, f64),
        slope: f64,
    ) -> Option<Sign> {
        self.sign_from(0, atom, known, noise, slope)
    }

    /// The same for an atom that crossed, in the mode that it crossed in: its value is zero by definition.
    pub fn sign_after_crossing(
        &mut self,
        atom: &DifferenceTape,
        known: &dyn Fn(Input) -> Option<f64>,
        noise: (&Noise, f64),
    ) -> Option<Sign> {
        self.sign_from(1, atom, known, noise, 0.0)
    }

    /// The sign by the derivatives from one order on.
    fn sign_from(
        &mut self,
        first: usize,
        atom: &DifferenceTape,
        known: &dyn Fn(Input) -> Option<f64>,
        (noise, most): (&Noise, f64),
        slope: f64,
    ) -> Option<Sign> {
        self.past.as_ref()?;
        let mut sign = Sign::Vanishing;
        for count in [1, MOST_DERIVATIVES] {
            let Some(mut series) = self.series(atom, known, count) else { break };
            series.derivatives[..first].fill(0.0);
            // What a slope is made of is in higher derivatives by as much more as it changes in a short time.
            for (terms, order) in series.terms.iter_mut().skip(1).zip(0..) {
                *terms = terms.max(slope / noise.time_scale.powi(order));
            }
            sign = series.sign(noise);
            if sign != Sign::Vanishing && !self.may_be_rounding(sign, count, (noise, most)) {
                break;
            }
        }
        Some(sign)
    }

    /// Whether the last of some derivatives has decided, and is so small that the next one may tell it from what the time of an event is
    /// not known to.
    fn may_be_rounding(&self, sign: Sign, count: u32, (noise, most): (&Noise, f64)) -> bool {
        let Sign::Decided(Term::Derivative(order), value) = sign else { return false };
        order == count && self.is_suspicious(value * noise.time_scale.powi(order as i32), most)
    }

    /// Whether an atom is so near to zero that one of its derivatives leaves nothing of its value at once: what rounding leaves of it is
    /// no more than that. Times that are short and that cannot be told apart are given.
    pub fn is_rounding(
        &mut self,
        atom: &DifferenceTape,
        known: &dyn Fn(Input) -> Option<f64>,
        value: f64,
        (short, resolution): (f64, f64),
    ) -> bool {
        let Some(series) = self.series(atom, known, MOST_DERIVATIVES) else { return false };
        let mut product = 1.0;
        let reaches = series.derivatives.iter().zip(0..).skip(1).map(|(derivative, order)| {
            product *= f64::from(order);
            // Rounding of what it becomes in a short time, but as near in time as an event is.
            let share = ROUNDING.min(AT_ONCE.powi(order)) * short.powi(order);
            let share = if order == 1 { share.max(resolution) } else { share };
            derivative.abs() * share / product
        });
        reaches.into_iter().any(|reach| reach.is_finite() && value.abs() <= reach)
    }

    /// The series of an atom with so many derivatives; nothing where they cannot be computed.
    fn series(
        &mut self,
        atom: &DifferenceTape,
        known: &dyn Fn(Input) -> Option<f64>,
        count: u32,
    ) -> Option<GuardSeries> {
        let (past, result) = self.past.as_mut()?;
        let mode = &self.side.mode;
        let structure = &mode.structure;
        let wanted = columns_of(structure, atom);
        result.right.extend_towards(&wanted, count, structure, &mode.equations.at(known)).ok()?;
        Some(result.guard_series(past, &atom.at(structure, known), Row(0), count))
    }

    /// The sign of a combination of atoms, each given with its weight, of either sign, and the least size of its terms.
    pub fn sign_of_combination(
        &mut self,
        atoms: &[(f64, Arc<DifferenceTape>, f64)],
        known: &dyn Fn(Input) -> Option<f64>,
        (noise, most): (&Noise, f64),
    ) -> Sign {
        let mut sign = Sign::Vanishing;
        for count in [1, MOST_DERIVATIVES] {
            let mut parts: Vec<(f64, GuardSeries)> = Vec::new();
            for (weight, atom, size) in atoms {
                let Some(mut series) = self.series(atom, known, count) else { return sign };
                series.size = series.size.max(*size);
                parts.push((*weight, series));
            }
            sign = GuardSeries::combined(parts.iter().map(|(weight, series)| (*weight, series))).sign(noise);
            if sign != Sign::Vanishing && !self.may_be_rounding(sign, count, (noise, most)) {
                break;
            }
        }
        sign
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_in_words() {
        assert_eq!(failure_text(&Failure::Diverged), "the iteration does not converge");
        let singular = failure_text(&Failure::Singular(1.25e-17));
        assert_eq!(singular, "they do not determine their unknowns (reciprocal condition 1.2e-17)");
    }
}

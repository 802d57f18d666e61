//! From one side of an instant to the other: right limits in a candidate mode, and the signs of atoms there.
//!
//! A long mode restarts by its levels; a `when` with laws makes the instant transient (E22 §8.2–8.4). Whether an atom
//! is true right after the instant is decided by the first term of its series that is not noise: weights of impulses,
//! value, derivatives.

use std::rc::Rc;

use modeshift_dae::{EquationId, FlatModel, IndexVec, MultimodeDae, VariableId, WhenAction};
use modeshift_mode_changes::{
    Column, FormUsers, GuardSeries, Jet, Laws, ModeStructure, ModeValues, Noise, Partial, Past, Residuals, Restart,
    Row, Sign, TransientStructure, WhenLaws, extend_towards, restart, transient_restart,
};
use modeshift_numerics::{Compiler, Differentiated, Input, NativeFunctions, TaylorWorkspace};

use super::modes::Mode;
use super::side::Side;

/// How many derivatives beyond the leading ones may decide a sign.
const MOST_DERIVATIVES: u32 = 4;

/// The right side of an instant, and how it came about.
pub(super) struct Restarted<'a> {
    pub side: Side<'a>,
    /// Weights of impulses by variable: `weights[p]` belongs to `δ^(p)`.
    pub weights: Vec<(VariableId, Vec<f64>)>,
    /// What the signs of atoms are computed from; nothing for a transient instant.
    past: Option<(Past, Restart)>,
}

/// Why a candidate mode has no right limits.
#[derive(Clone, Debug)]
pub(super) enum NoRestart {
    /// The levels could not be solved; in words.
    Unsolved(String),
    /// These variables and derivatives are not determined.
    Undetermined(Vec<(VariableId, u32)>),
    /// Laws of a `when` contradict each other or the equations.
    Conflicting(String),
}

/// What a restart needs to know beside the two modes.
pub(super) struct Circumstances<'r, 'a> {
    pub dae: &'a MultimodeDae,
    pub forms: &'r FormUsers,
    pub natives: &'a NativeFunctions,
    pub left: &'r Side<'a>,
    pub mode: &'r Rc<Mode<'a>>,
    /// Discrete values after the instant.
    pub discrete: &'r IndexVec<VariableId, f64>,
    /// Discrete variables in continuous equations that have another value than before.
    pub changed: &'r [VariableId],
    /// The value of what is no unknown: discrete variables, left limits, calls of the run.
    pub known: &'r dyn Fn(Input) -> Option<f64>,
    pub start: &'r dyn Fn(VariableId) -> Option<f64>,
    pub noise: &'r Noise,
}

impl<'a> Circumstances<'_, 'a> {
    /// Right limits of the mode after a change.
    pub fn restarted(&self) -> Result<Restarted<'a>, NoRestart> {
        let structure = &self.mode.structure;
        let past = self.past();
        let equations = self.mode.equations.at(self.known);
        let result = restart(structure, &equations, &past, self.noise);
        if !result.is_determined() {
            let undetermined: Vec<(VariableId, u32)> =
                result.memory.undetermined().map(|(column, order)| (structure.variable(column), order)).collect();
            return Err(match undetermined.is_empty() {
                true => NoRestart::Unsolved(notes_text(&self.dae.model, structure, &result)),
                false => NoRestart::Undetermined(undetermined),
            });
        }
        let side = self.side(&result.right);
        if side.jet.iter().any(|value| value.is_nan()) {
            return Err(NoRestart::Unsolved("some right limits are not numbers".to_string()));
        }
        let weights = named_weights(structure, &result.weights);
        Ok(Restarted { side, weights, past: Some((past, result)) })
    }

    /// Right limits of an instant in which the laws of a `when` act.
    pub fn transient(&self, actions: &[WhenAction]) -> Result<Restarted<'a>, NoRestart> {
        let structure = &self.mode.structure;
        let past = self.past();
        let mode = self.mode.clone();
        let constants = |input: Input| match input {
            Input::Mode(id) => Some(f64::from(u8::from(mode.values[id.0 as usize]))),
            Input::Variable(variable, _) if structure.column(variable).is_some() => None,
            Input::LeftVariable(variable, _) if structure.column(variable).is_some() => None,
            other => (self.known)(other),
        };
        let laws = WhenLaws::new(&self.dae.model, self.natives, structure, actions, constants)
            .map_err(|_| NoRestart::Unsolved("a law of the `when` is not numeric".to_string()))?;
        let transient = TransientStructure::new(structure, &past.is_new, &laws.contents());
        let undetermined = transient.undetermined(structure);
        if !undetermined.is_empty() {
            let named = undetermined.into_iter().map(|(column, order)| (structure.variable(column), order));
            return Err(NoRestart::Undetermined(named.collect()));
        }
        if transient.levels.iter().any(|level| !level.conflicting.is_empty()) {
            return Err(NoRestart::Conflicting("laws contradict each other or the equations".to_string()));
        }
        let equations = self.mode.equations.at(self.known);
        let result = transient_restart(structure, &equations, &transient, &laws, &past.jet)
            .map_err(|failure| NoRestart::Unsolved(format!("{failure:?}")))?;
        let side = self.side(&result.right);
        let weights = named_weights(structure, &result.weights);
        Ok(Restarted { side, weights, past: None })
    }

    fn past(&self) -> Past {
        let (before, after) = (&self.left.mode, self.mode);
        let changed = self.forms.changed(self.dae, &mode_values(before), &mode_values(after), self.changed);
        let new_form = |equation: EquationId| changed.binary_search(&equation).is_ok();
        Past::between(&before.structure, &jet_of(self.left), &after.structure, new_form, self.start)
    }

    fn side(&self, right: &Jet) -> Side<'a> {
        let structure = &self.mode.structure;
        let mut jet = Vec::with_capacity(self.mode.quantities.len());
        for column in structure.columns() {
            jet.extend((0..=structure.variable_offset(column)).map(|order| right.get(column, order)));
        }
        Side { time: self.left.time, mode: self.mode.clone(), jet, discrete: self.discrete.clone() }
    }
}

fn mode_values(mode: &Mode<'_>) -> ModeValues {
    ModeValues(mode.values.clone())
}

/// The jet of a side as restarts want it.
fn jet_of(side: &Side<'_>) -> Jet {
    let structure = &side.mode.structure;
    let mut rest = side.jet.as_slice();
    let derivatives = |column: Column| {
        let (own, others) = rest.split_at(structure.variable_offset(column) as usize + 1);
        rest = others;
        own
    };
    Jet::new(side.time, structure.columns().map(derivatives))
}

fn named_weights(structure: &ModeStructure, weights: &IndexVec<Column, Vec<f64>>) -> Vec<(VariableId, Vec<f64>)> {
    let nonzero = weights.iter_enumerated().filter(|(_, list)| list.iter().any(|&weight| weight != 0.0));
    nonzero.map(|(column, list)| (structure.variable(column), list.clone())).collect()
}

fn notes_text(model: &FlatModel, structure: &ModeStructure, result: &Restart) -> String {
    use modeshift_mode_changes::Note;
    let names = |rows: &[Row]| {
        let names: Vec<&str> =
            rows.iter().take(8).map(|&row| &*model.equations[structure.equation(row)].name).collect();
        names.join(", ")
    };
    let mut texts = result.notes.iter().filter_map(|note| match note {
        Note::Unsolved { level, rows, failure } => {
            Some(format!("no right limits from {} at level {level}: {failure:?}", names(rows)))
        }
        Note::Unborn(_) => Some("left limits of new variables could not be computed".to_string()),
        Note::Meaningless { row, impulsive: (column, _) } => {
            let equation = &model.equations[structure.equation(*row)].name;
            let variable = &model.variables[structure.variable(*column)].name;
            Some(format!("in {equation}, {variable} is impulsive inside a nonlinear function"))
        }
        Note::ByStep(_) => None,
    });
    texts.next().unwrap_or_else(|| "the restart could not be computed".to_string())
}

/// An atom as a residual along jets: left side minus right side.
pub(super) struct AtomSeries {
    tape: Differentiated,
    unknowns: Vec<(VariableId, u32)>,
}

impl AtomSeries {
    /// Compiles both sides; nothing where they are not numeric.
    pub fn new(
        model: &FlatModel,
        natives: &NativeFunctions,
        sides: [modeshift_dae::ExpressionId; 2],
        parameter: impl Fn(VariableId) -> Option<f64>,
    ) -> Option<Self> {
        let mut unknowns: Vec<(VariableId, u32)> = Vec::new();
        for side in sides {
            model.expressions.for_each(side, |_, node| {
                if let modeshift_dae::Node::Variable(variable, order) = node
                    && model.variables[variable].is_continuous_unknown()
                {
                    unknowns.push((variable, order));
                }
                !matches!(node, modeshift_dae::Node::Pre(_))
            });
        }
        unknowns.sort_unstable();
        unknowns.dedup();
        let inputs: Vec<Input> = unknowns.iter().map(|&(variable, order)| Input::Variable(variable, order)).collect();
        let known = |input: Input| match input {
            Input::Variable(variable, 0) => parameter(variable),
            _ => None,
        };
        let tape = Compiler::new(model, natives).with_known_inputs(known).differentiated(&sides, &inputs).ok()?;
        Some(AtomSeries { tape, unknowns })
    }
}

struct AtomAt<'r> {
    atom: &'r AtomSeries,
    structure: &'r ModeStructure,
    known: &'r dyn Fn(Input) -> Option<f64>,
}

impl AtomAt<'_> {
    fn series(&self, tape: &modeshift_numerics::Tape, jet: &Jet, highest: u32) -> Vec<f64> {
        let length = highest as usize + 1;
        let mut inputs = Vec::with_capacity(tape.inputs().len() * length);
        for &input in tape.inputs() {
            let mut factorial = 1.0;
            for k in 0..=highest {
                factorial *= f64::from(k.max(1));
                inputs.push(self.derivative(input, jet, k) / factorial);
            }
        }
        let mut outputs = vec![0.0; tape.output_count() * length];
        tape.evaluate_taylor(&inputs, &mut TaylorWorkspace::new(tape, highest as usize), &mut outputs);
        outputs
    }

    fn derivative(&self, input: Input, jet: &Jet, k: u32) -> f64 {
        let column = |variable| self.structure.column(variable);
        match input {
            Input::Time if k == 0 => jet.time,
            Input::Time => f64::from(u8::from(k == 1)),
            Input::Variable(variable, order) if column(variable).is_some() => {
                column(variable).map_or(f64::NAN, |column| jet.get(column, order + k))
            }
            other if k == 0 => (self.known)(other).unwrap_or(f64::NAN),
            _ => 0.0,
        }
    }
}

fn factorial(k: usize) -> f64 {
    (2..=k).map(|factor| factor as f64).product()
}

impl Residuals for AtomAt<'_> {
    fn residual(&self, _: Row, jet: &Jet, highest: u32) -> Vec<f64> {
        let outputs = self.series(&self.atom.tape.residuals, jet, highest);
        let (left, right) = outputs.split_at(highest as usize + 1);
        left.iter().zip(right).enumerate().map(|(k, (left, right))| (left - right) * factorial(k)).collect()
    }

    fn partials(&self, _: Row, jet: &Jet, highest: u32) -> Vec<Partial> {
        let length = highest as usize + 1;
        let outputs = self.series(self.atom.tape.tape(), jet, highest);
        let entries: Vec<&[f64]> = outputs.chunks_exact(length).skip(2).collect();
        let pattern = self.atom.tape.pattern();
        let mut partials: Vec<Option<Partial>> = self
            .atom
            .unknowns
            .iter()
            .map(|&(variable, order)| {
                let column = self.structure.column(variable)?;
                Some(Partial { column, order, derivatives: vec![0.0; length] })
            })
            .collect();
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            for (&unknown, entry) in pattern.row(side).iter().zip(&entries[pattern.row_range(side)]) {
                if let Some(partial) = &mut partials[unknown as usize] {
                    let places = partial.derivatives.iter_mut().enumerate();
                    places.for_each(|(k, place)| *place += sign * entry[k] * factorial(k));
                }
            }
        }
        partials.into_iter().flatten().collect()
    }
}

impl<'a> Restarted<'a> {
    /// A side on which nothing continuous has changed.
    pub fn unchanged(side: Side<'a>) -> Self {
        Restarted { side, weights: Vec::new(), past: None }
    }

    /// Replaces the jet by one that is complete.
    pub fn set_jet(&mut self, jet: Vec<f64>) {
        self.side.jet = jet;
        if let Some((_, result)) = &mut self.past {
            result.right = jet_of(&self.side);
        }
    }

    /// Whether impulses decide about an expression: one of these variables has a weight, or jumps under `der`.
    pub fn has_impulse_in(&self, atom: &AtomSeries) -> bool {
        let Some((_, result)) = &self.past else { return false };
        let structure = &self.side.mode.structure;
        atom.unknowns.iter().any(|&(variable, order)| {
            let Some(column) = structure.column(variable) else { return false };
            result.weights[column].iter().any(|&weight| weight != 0.0)
                || (0..order).any(|lower| result.is_impulsive(column, lower))
        })
    }

    /// The sign of an atom right after the instant, by its series; nothing for a transient instant.
    pub fn sign(&mut self, atom: &AtomSeries, known: &dyn Fn(Input) -> Option<f64>, noise: &Noise) -> Option<Sign> {
        let (past, result) = self.past.as_mut()?;
        let mode = &self.side.mode;
        let structure = &mode.structure;
        let wanted: Vec<Column> = atom.unknowns.iter().filter_map(|&(id, _)| structure.column(id)).collect();
        let equations = mode.equations.at(known);
        let mut sign = Sign::Vanishing;
        for count in [1, MOST_DERIVATIVES] {
            if extend_towards(structure, &equations, &mut result.right, &wanted, count).is_err() {
                break;
            }
            let at = AtomAt { atom, structure, known };
            sign = GuardSeries::new(&at, Row(0), past, result, count).sign(noise, false);
            if sign != Sign::Vanishing {
                break;
            }
        }
        Some(sign)
    }
}

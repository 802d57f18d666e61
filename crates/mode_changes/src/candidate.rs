//! A candidate mode of an instant: its restart, or what laws of a `when` do in it, and what its guards then say.

use std::cell::RefCell;
use std::rc::Rc;

use modeshift_dae::{EquationId, IndexVec, MultimodeDae, VariableId, WhenAction};
use modeshift_numerics::{Input, NativeFunctions};

use crate::changed_forms::FormUsers;
use crate::extend::extend_towards;
use crate::guard_sign::{Sign, Term};
use crate::guards::{Guards, RelationId};
use crate::instant::Event;
use crate::jet::{Jet, Residuals};
use crate::left::Past;
use crate::memory::Derivative;
use crate::mode_structure::{Column, ModeStructure, Row};
use crate::newton::Failure;
use crate::next_mode::{Strategy, Unusable};
use crate::relation::{Relation, Surroundings};
use crate::restart::{Note, Restart, restart, size_of_variable};
use crate::transient::{Laws, TransientStructure, transient_restart};
use crate::visited::{ModeValues, VisitedMode};
use crate::when_laws::WhenLaws;

/// What a model says once for all instants.
pub(crate) struct Model<'a> {
    pub dae: &'a MultimodeDae,
    pub natives: &'a NativeFunctions,
    pub guards: Guards,
    pub forms: FormUsers,
    /// How modes are searched.
    pub strategies: Vec<Strategy>,
}

/// The mode being left and its left limits.
#[derive(Clone, Copy)]
pub(crate) struct Before<'e, 'a> {
    pub mode: &'e VisitedMode<'a>,
    pub jet: &'e Jet,
}

/// Derivatives beyond the leading ones that decide signs: first few, then more.
const FEW: u32 = 1;
const MANY: u32 = 4;

/// A mode that was tried.
pub(crate) struct Candidate<'a> {
    pub mode: Rc<VisitedMode<'a>>,
    past: Past,
    restart: RefCell<Restart>,
    pub is_transient: bool,
}

impl<'a> Candidate<'a> {
    /// Restarts a mode, or lets the laws of a `when` act in it.
    pub(crate) fn new(
        model: &Model<'a>,
        event: &Event,
        before: Before<'_, 'a>,
        mode: Rc<VisitedMode<'a>>,
        laws: &[WhenAction],
    ) -> Result<Self, Unusable> {
        let changed = model.forms.changed(model.dae, &before.mode.values, &mode.values, event.changed);
        let past = past(event, before, &mode.structure, &changed);
        let known = known(event, before, &mode.values);
        let equations = mode.equations.at(&known);
        let is_transient = !laws.is_empty();
        let restart = if is_transient {
            let compiled = WhenLaws::new(&model.dae.model, model.natives, &mode.structure, laws, |input| match input {
                Input::LeftVariable(variable, _) if mode.structure.column(variable).is_some() => None,
                input => known(input),
            });
            let compiled =
                compiled.map_err(|_| Unusable("a law of its `when` has no number for a value".to_string()))?;
            transient(model, &mode.structure, &equations, &past, &compiled)?
        } else if past.changes_nothing(&before.mode.structure, &mode.structure) {
            Restart::unchanged(&mode.structure, &past.jet)
        } else {
            restart(&mode.structure, &equations, &past, &event.noise)
        };
        if !is_transient && !restart.is_solved() {
            return Err(Unusable(unsolved_text(model, &mode.structure, &restart)));
        }
        Ok(Candidate { mode: Rc::clone(&mode), past, restart: RefCell::new(restart), is_transient })
    }

    /// The restart.
    pub(crate) fn into_restart(self) -> Restart {
        self.restart.into_inner()
    }

    /// Relations whose value may have changed with a restart: they read what jumps or is impulsive.
    pub(crate) fn touched(&self, guards: &Guards) -> Vec<RelationId> {
        let restart = self.restart.borrow();
        let mut touched = Vec::new();
        for (column, order_of_change) in restart.reached() {
            let variable = self.mode.structure.variable(column);
            let jumps = |relation: &&RelationId| {
                let reads = guards.relation(**relation).reads().iter();
                reads.filter(|read| read.0 == variable).any(|read| order_of_change + i64::from(read.1) >= 0)
            };
            touched.extend(guards.readers(variable).iter().filter(jumps));
        }
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    /// On which side of zero a relation is right after the restart; in a transient mode, at its instant.
    pub(crate) fn sign(
        &self,
        model: &Model<'a>,
        event: &Event,
        before: Before<'_, 'a>,
        relation: RelationId,
        has_fired: bool,
    ) -> Sign {
        let relation = model.guards.relation(relation);
        let known = known(event, before, &self.mode.values);
        let surroundings = Surroundings { model: &model.dae.model, natives: model.natives, known: &known };
        let structure = &self.mode.structure;
        let mut restart = self.restart.borrow_mut();
        if self.is_transient {
            return relation.series_along(&surroundings, structure, &restart.right, 0).sign(&event.noise, has_fired);
        }
        let columns = relation.columns(structure);
        let wanted: Vec<Column> = columns.iter().map(|&(column, _)| column).collect();
        let at_least = known_derivatives(structure, &columns);
        let mut sign = Sign::Vanishing;
        for count in [FEW, MANY] {
            let equations = self.mode.equations.at(&known);
            if extend_towards(structure, &equations, &mut restart.right, &wanted, count).is_err() && count > FEW {
                break;
            }
            let highest = at_least + count;
            let mut series = relation.series(&surroundings, structure, &self.past, &restart, highest);
            series.size += size_of_reads(structure, &equations, &restart.right, &columns);
            sign = series.sign(&event.noise, has_fired);
            match sign {
                Sign::Decided(Term::Derivative(order), _) if order >= highest => {}
                Sign::Decided(..) => break,
                Sign::Vanishing => {}
            }
        }
        sign
    }

    /// Right limits and first derivatives of the states of the mode being left: the same solution has the same.
    pub(crate) fn signature(&self, before: Before<'_, 'a>) -> Vec<f64> {
        let old = &before.mode.structure;
        let restart = self.restart.borrow();
        let states = old.columns().filter(|&column| old.variable_offset(column) > 0);
        let values = |column: Column| match self.mode.structure.column(old.variable(column)) {
            Some(column) => (0..2).map(|order| restart.right.get(column, order)).collect(),
            None => Vec::new(),
        };
        states.flat_map(values).collect()
    }
}

/// Words for the first thing that went wrong in a restart.
fn unsolved_text(model: &Model, structure: &ModeStructure, restart: &Restart) -> String {
    let flat = &model.dae.model;
    let equation = |row: Row| flat.equations[structure.equation(row)].name.to_string();
    let name = |&(column, order): &Derivative| {
        format!("{}{}", flat.variables[structure.variable(column)].name, "'".repeat(order as usize))
    };
    match restart.notes.first() {
        Some(Note::Unsolved { level, rows, failure }) => {
            let some: Vec<String> = rows.iter().take(3).map(|&row| equation(row)).collect();
            let more = if rows.len() > 3 { ", …" } else { "" };
            let why = match failure {
                Failure::Singular(_) => "is numerically singular",
                Failure::Diverged => "has no solution",
            };
            format!("its restart {why} at level {level} in {}{more}", some.join(", "))
        }
        Some(Note::Unborn(derivatives)) => {
            let some: Vec<String> = derivatives.iter().take(3).map(name).collect();
            format!("its constraints do not give the left limits of {}", some.join(", "))
        }
        Some(Note::Meaningless { row, impulsive }) => {
            let (equation, impulsive) = (equation(*row), name(impulsive));
            format!("in {equation}, {impulsive} is impulsive inside a nonlinear function")
        }
        Some(Note::ByStep(_)) | None => "its restart has no solution".to_string(),
    }
}

/// On which side of zero a relation is along the jet of the mode being left, which is extended where that takes more
/// derivatives; `values` is the candidate.
pub(crate) fn sign_before(
    model: &Model,
    event: &Event,
    before: Before,
    values: &ModeValues,
    relation: &Relation,
    has_fired: bool,
) -> Sign {
    let known = known(event, before, values);
    let surroundings = Surroundings { model: &model.dae.model, natives: model.natives, known: &known };
    let Before { mode, jet } = before;
    let clear = if has_fired { None } else { relation.clear_sign(&surroundings, &mode.structure, jet) };
    if let Some(sign) = clear {
        return sign;
    }
    let columns = relation.columns(&mode.structure);
    let at_least = known_derivatives(&mode.structure, &columns);
    let series = relation.series_along(&surroundings, &mode.structure, jet, at_least);
    match series.sign(&event.noise, has_fired) {
        Sign::Decided(Term::Derivative(order), value) if order < at_least => {
            return Sign::Decided(Term::Derivative(order), value);
        }
        _ => {}
    }
    let mut extended = jet.clone();
    let wanted: Vec<Column> = columns.iter().map(|&(column, _)| column).collect();
    // What cannot be extended stays unknown and decides nothing.
    let _ = extend_towards(&mode.structure, &mode.equations.at(&known), &mut extended, &wanted, MANY);
    let mut series = relation.series_along(&surroundings, &mode.structure, &extended, at_least + MANY);
    series.size += size_of_reads(&mode.structure, &mode.equations.at(&known), jet, &columns);
    series.sign(&event.noise, has_fired)
}

/// How large the terms are that the algebraic variables a relation reads are made of.
fn size_of_reads(structure: &ModeStructure, equations: &dyn Residuals, jet: &Jet, columns: &[(Column, u32)]) -> f64 {
    columns.iter().map(|&(column, _)| size_of_variable(structure, equations, jet, column)).sum()
}

/// How many derivatives of a function of these follow from leading derivatives.
fn known_derivatives(structure: &ModeStructure, columns: &[(Column, u32)]) -> u32 {
    let beyond = |&(column, order): &(Column, u32)| structure.variable_offset(column).saturating_sub(order);
    columns.iter().map(beyond).min().unwrap_or(0)
}

/// What is known at an instant besides the jet of a candidate mode: its mode, left limits, and what the event knows.
pub(crate) fn known<'e>(
    event: &'e Event,
    before: Before<'e, '_>,
    values: &'e ModeValues,
) -> impl Fn(Input) -> Option<f64> + 'e {
    let truth = |value: bool| Some(f64::from(u8::from(value)));
    move |input| match input {
        Input::Mode(mode) => truth(values.get(mode)),
        Input::LeftMode(mode) => truth(before.mode.values.get(mode)),
        Input::LeftVariable(variable, order) => match before.mode.structure.column(variable) {
            Some(column) => Some(before.jet.get(column, order)),
            None => (event.known)(input),
        },
        Input::Time => Some(before.jet.time),
        _ => (event.known)(input),
    }
}

/// The past in terms of a mode in which these equations have another form.
pub(crate) fn past(event: &Event, before: Before, after: &ModeStructure, changed: &[EquationId]) -> Past {
    let new_form = |equation| changed.binary_search(&equation).is_ok();
    let start = |variable: VariableId| (event.start)(variable);
    Past::between(&before.mode.structure, before.jet, after, new_form, start)
}

/// The laws act at left limits.
fn transient(
    model: &Model,
    structure: &ModeStructure,
    equations: &dyn Residuals,
    past: &Past,
    laws: &WhenLaws,
) -> Result<Restart, Unusable> {
    let instantaneous: IndexVec<Row, bool> = past.is_new.clone();
    let levels = TransientStructure::new(structure, &instantaneous, &laws.contents());
    let undetermined = levels.undetermined(structure);
    if !undetermined.is_empty() {
        let name = |&(column, order): &Derivative| {
            format!("{}{}", model.dae.model.variables[structure.variable(column)].name, "'".repeat(order as usize))
        };
        let names: Vec<String> = undetermined.iter().map(name).collect();
        return Err(Unusable(format!("its `when` does not determine {}", names.join(", "))));
    }
    let done = transient_restart(structure, equations, &levels, laws, &past.jet)
        .map_err(|failure| Unusable(format!("its `when` has no solution: {failure:?}")))?;
    let mut restart = Restart::unchanged(structure, &done.right);
    restart.weights = done.weights;
    Ok(restart)
}

//! The linear system that a mode is near a point of a run: how the derivatives of its states and some outputs change with the states and
//! with inputs, `x' = A x + B u`, `y = C x + D u` for small changes.
//!
//! The point is where a run is at a time, or the same with other values of some states. The matrices are exact: they are the
//! derivatives of the equations of the mode, hidden constraints included, not differences of runs.
//!
//! | file | purpose |
//! |---|---|
//! | `corners` | whether derivatives are the same on both sides of the point |
//! | `refusals` | why a mode cannot be linearized, in the words of the model |

mod corners;
mod refusals;

use modeshift_dae::{Derivative, FlatModel, Mode, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, did_you_mean};

use super::memory::TapeBuffers;
use super::output::Output;
use super::prepare::Prepared;
use super::start::Start;
use super::values::Side;
use super::{Conductor, Goal, Machinery, Next, RunModel, RunSettings, conduct};
use crate::program::TangentPoint;
use corners::{Place, corner};
use refusals::at_corner;
pub(super) use refusals::no_tangents;

/// What is to be linearized.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linearize {
    /// When; at the start where nothing is said.
    pub time: Option<f64>,
    /// States that have other values than the run: `x`, `der(x)`.
    pub states: Vec<(String, f64)>,
    /// Inputs, by name; all continuous ones of the model where nothing is said.
    pub inputs: Option<Vec<String>>,
    /// Outputs, by name, which may be any continuous variables; those of the model where nothing is said.
    pub outputs: Option<Vec<String>>,
}

/// A mode near a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Linearization {
    /// When.
    pub time: f64,
    /// The mode.
    pub mode: Mode,
    /// The states with their values: `x`, `der(x)`.
    pub states: Vec<(String, f64)>,
    /// The inputs with their values.
    pub inputs: Vec<(String, f64)>,
    /// The outputs with their values.
    pub outputs: Vec<(String, f64)>,
    /// Of the derivatives of states by states, by rows.
    pub a: Vec<Vec<f64>>,
    /// Of the derivatives of states by inputs.
    pub b: Vec<Vec<f64>>,
    /// Of outputs by states.
    pub c: Vec<Vec<f64>>,
    /// Of outputs by inputs.
    pub d: Vec<Vec<f64>>,
}

/// Runs a model up to a time, and linearizes its mode there, after the events of that instant. Nothing where that cannot be done:
/// `diagnostics` say why.
pub fn linearize(
    model: &RunModel<'_>,
    settings: &RunSettings,
    wanted: &Linearize,
    diagnostics: &mut Diagnostics,
) -> Option<Linearization> {
    let time = wanted.time.unwrap_or(settings.start);
    // What ends at its stop time has no mode after it.
    let stop = if settings.stop > time { settings.stop } else { time + settings.interval };
    let start = Start::find(model, &RunSettings { stop, ..settings.clone() }, diagnostics)?;
    let flat = &start.prepared.dae.model;
    let inputs = variables(flat, wanted.inputs.as_deref(), Role::Input, diagnostics)?;
    let outputs = variables(flat, wanted.outputs.as_deref(), Role::Output, diagnostics)?;
    let mut look = Look { wanted, time, inputs, outputs, found: None };
    let summary = conduct(&start, &mut look, &mut (), diagnostics)?;
    match look.found {
        Some(Ok(found)) => Some(found),
        Some(Err(diagnostic)) => {
            diagnostics.push(*diagnostic);
            None
        }
        None => {
            if !diagnostics.has_errors() {
                let message = format!("the run ends at time = {}, before time = {time}", summary.time);
                diagnostics.push(Diagnostic::error(Code::E0845, message).help("choose a time that the run gets to"));
            }
            None
        }
    }
}

/// Linearizes the mode that a run is in, which pauses there.
pub(super) fn linearized_here(
    machinery: &mut Machinery<'_>,
    side: &Side<'_>,
    wanted: &Linearize,
) -> Result<Linearization, Diagnostics> {
    let mut said = Diagnostics::new();
    let flat = &machinery.prepared.dae.model;
    let inputs = variables(flat, wanted.inputs.as_deref(), Role::Input, &mut said);
    let outputs = variables(flat, wanted.outputs.as_deref(), Role::Output, &mut said);
    let (Some(inputs), Some(outputs)) = (inputs, outputs) else { return Err(said) };
    let look = Look { wanted, time: side.time, inputs, outputs, found: None };
    look.linearized(machinery, side).map_err(|diagnostic| {
        said.push(*diagnostic);
        said
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Input,
    Output,
}

/// The variables of these names that can have this role; those of the model without any.
fn variables(
    model: &FlatModel,
    names: Option<&[String]>,
    role: Role,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<VariableId>> {
    let is_real = |id: &VariableId| {
        let variable = &model.variables[*id];
        variable.ty == modeshift_dae::Type::Real && variable.variability == modeshift_dae::Variability::Continuous
    };
    let fits = |id: &VariableId| is_real(id) && (role == Role::Output || model.variables[*id].input);
    let Some(names) = names else {
        let is_declared = |id: &VariableId| match role {
            Role::Input => model.variables[*id].input,
            Role::Output => model.variables[*id].output,
        };
        return Some(model.variables.ids().filter(is_real).filter(is_declared).collect());
    };
    let mut found = Vec::new();
    for name in names {
        match model.variables.ids().filter(fits).find(|id| *model.variables[*id].name == **name) {
            Some(id) => found.push(id),
            None => {
                let kind = if role == Role::Input { "input" } else { "continuous variable" };
                let known = model.variables.ids().filter(fits).map(|id| &*model.variables[id].name);
                let meant = did_you_mean(name, known).map(|text| format!("; {text}")).unwrap_or_default();
                let message = format!("the model has no {kind} `{name}`{meant}");
                diagnostics.push(Diagnostic::error(Code::E0007, message));
                return None;
            }
        }
    }
    Some(found)
}

/// Looks at one instant of a run.
struct Look<'w> {
    wanted: &'w Linearize,
    time: f64,
    inputs: Vec<VariableId>,
    outputs: Vec<VariableId>,
    found: Option<Result<Linearization, Box<Diagnostic>>>,
}

impl Conductor for Look<'_> {
    fn goal(&self) -> Goal {
        Goal { until: self.time, at_events: false }
    }

    fn inspect<'a>(&mut self, machinery: &mut Machinery<'a>, side: &Side<'a>) {
        self.found = Some(self.linearized(machinery, side));
    }

    fn pause(&mut self, _: &Output<'_>, _: &mut Diagnostics) -> Next {
        Next::Abandon
    }
}

/// What says that the mode of a side does not hold where quantities are others: `g` holds, or does not.
fn other_mode(prepared: &Prepared, buffers: &mut TapeBuffers, side: &Side<'_>, jet: &[f64]) -> Option<String> {
    let moved = Side { jet: jet.to_vec(), ..side.clone() };
    let (here, there) = (buffers.literal(prepared, side).mode, buffers.literal(prepared, &moved).mode);
    let mut modes = prepared.dae.mode_variables.iter_enumerated();
    // On a side that an event has just left, guards may stand at zero.
    let (id, mode) = modes.find(|&(id, _)| here[id] == side.mode.values[id] && there[id] != here[id])?;
    Some(if there[id] { format!("`{}` holds", mode.name) } else { format!("`{}` does not hold", mode.name) })
}

/// `x`, `der(x)`
fn state_name(model: &FlatModel, state: Derivative<VariableId>) -> String {
    (0..state.order).fold(model.variables[state.of].name.to_string(), |name, _| format!("der({name})"))
}

impl Look<'_> {
    fn linearized(&self, machinery: &mut Machinery<'_>, side: &Side<'_>) -> Result<Linearization, Box<Diagnostic>> {
        let model = &machinery.prepared.dae.model;
        let refused = |reason: &str| {
            let message = format!("the mode at time = {} cannot be linearized: {reason}", side.time);
            Diagnostic::error(Code::E0845, message)
        };
        if side.sliding.is_some() {
            return Err(refused("the run slides along a surface there")
                .help("choose a time before or after it")
                .into());
        }
        if !machinery.prepared.delays.all.is_empty() {
            let reason = "the model contains `delay`, which is no linear system of finitely many states";
            return Err(refused(reason).help("put an approximation of the delay in its place").into());
        }
        if side.mode.pins.is_some() {
            return Err(refused("it leaves variables undetermined").help("`analyze --at` says which").into());
        }
        if !side.mode.program.borrow().has_states() {
            return Err(refused("its states cannot be chosen there").into());
        }
        let Machinery { prepared, visited, memory } = machinery;
        visited.surround(side);
        let surroundings = visited.surroundings.clone();
        let surroundings = surroundings.borrow();
        let mut program = side.mode.program.borrow_mut();
        let names: Vec<String> = program.state_quantities().map(|state| state_name(model, state)).collect();
        let mut values = Vec::new();
        program.states_of(&side.jet, &mut values);
        for (name, value) in &self.wanted.states {
            let Some(at) = names.iter().position(|known| known == name) else {
                let meant = did_you_mean(name, names.iter().map(String::as_str)).map(|text| format!("; {text}"));
                let reason = format!("`{name}` is no state of it{}", meant.unwrap_or_default());
                return Err(refused(&reason).help(format!("its states are {}", names.join(", "))).into());
            };
            values[at] = *value;
        }
        let mut jet = side.jet.clone();
        if !self.wanted.states.is_empty() && program.evaluate(side.time, &values, &surroundings, &mut jet).is_err() {
            return Err(refused("its equations have no solution at these states").into());
        }
        drop(program);
        if let Some(other) = other_mode(prepared, &mut memory.buffers, side, &jet) {
            return Err(refused(&format!("{other} at these states, which is another mode"))
                .help("choose states that are in this mode, or a time at which the run is in the other one")
                .into());
        }
        let mut program = side.mode.program.borrow_mut();
        let point = TangentPoint { time: side.time, jet: &jet, surroundings: &surroundings };
        let found = program.tangents(&mut visited.programs, &self.inputs).and_then(|found| {
            let rows = found.at(program.quantities(), point)?;
            Ok((found, rows))
        });
        let (found, tangents) = found.map_err(|reason| no_tangents(model, &reason, &refused))?;
        let (states, inputs, rows) = (&values[..], &self.inputs[..], &tangents[..]);
        let place = Place { time: side.time, states, jet: &jet, surroundings: &surroundings, inputs, rows };
        if let Some(id) = corner(&mut program, &found, &place) {
            return Err(at_corner(&model.equations[id], &refused).into());
        }
        let places: Vec<usize> = program.states().iter().map(|state| state.derivative().index()).collect();
        let count = names.len();
        let rows = |places: &[Option<usize>], from: usize, to: usize| {
            let row = |place: &Option<usize>| place.map_or(vec![0.0; to - from], |at| tangents[at][from..to].to_vec());
            places.iter().map(row).collect::<Vec<_>>()
        };
        let of_states: Vec<Option<usize>> = places.into_iter().map(Some).collect();
        let place = |&id: &VariableId| program.quantities().index(id, 0).map(|place| place.index());
        let of_outputs: Vec<Option<usize>> = self.outputs.iter().map(place).collect();
        if let Some(at) =
            of_outputs.iter().zip(&self.outputs).position(|(at, id)| at.is_none() && !model.variables[*id].input)
        {
            let name = &model.variables[self.outputs[at]].name;
            return Err(refused(&format!("`{name}` does not exist in it")).help("choose other outputs").into());
        }
        let width = count + self.inputs.len();
        let mut d = rows(&of_outputs, count, width);
        for (row, output) in d.iter_mut().zip(&self.outputs) {
            // An input that is an output too.
            if let Some(at) = self.inputs.iter().position(|input| input == output) {
                row[at] = 1.0;
            }
        }
        let named = |id: &VariableId| {
            let value = place(id).map_or_else(|| side.value(*id, 0), |at| jet[at]);
            (model.variables[*id].name.to_string(), value)
        };
        Ok(Linearization {
            time: side.time,
            mode: side.mode.values.clone(),
            states: names.into_iter().zip(values).collect(),
            inputs: self.inputs.iter().map(named).collect(),
            outputs: self.outputs.iter().map(named).collect(),
            a: rows(&of_states, 0, count),
            b: rows(&of_states, count, width),
            c: rows(&of_outputs, 0, count),
            d,
        })
    }
}

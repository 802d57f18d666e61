//! Sensitivities: how end values and the times of events change with parameters and start values, through events.
//!
//! Along a phase the change `S` of the states with a parameter `p` obeys the variational equation `S' = A S + B`, whose matrices are
//! the exact derivatives of the mode's equations (`flow`). An event happens at a time `τ(p)` of its own; with the derivative of what
//! it does, the *saltation* is (with `f` the slopes of the states, `R` the restart, `g` the guard, and `dτ` from `g = 0`)
//!
//! ```text
//!   dτ = -(∂g/∂x S + ∂g/∂p) / (∂g/∂t + ∂g/∂x f⁻)      S⁺ = ∂R/∂x (S⁻ + f⁻ dτ) + ∂R/∂t dτ + ∂R/∂p - f⁺ dτ
//! ```
//!
//! The start, guards and restarts are algebraic and solved to rounding, however many micro-steps an instant has. Their derivatives in
//! the one direction that counts are extrapolated differences of themselves, at four *neighbours* (`neighbours`): models with
//! another value of the parameter, that are at `x + ε S` where the run is at `x`, move along their slopes to their own zero of the guard,
//! pass the instant as any run does, and move back. So nothing is integrated twice with another parameter, and no rule is said twice.
//!
//! That is a derivative where neighbours pass the same modes. Where one does not (a guard that is grazed, events at one instant that
//! move apart), it is tried with nearer ones, and then refused; and so are delays, sliding, and events that accumulate, and guards that the
//! run itself touches without an event (`touches`), and jumps that make no event (`passing`).
//!
//! | file | purpose |
//! |---|---|
//! | `neighbours` | the same model with another value of a parameter, from event to event beside a run |
//! | `flow` | the variational equation of a mode |
//! | `touches` | guards that come near zero between events |
//! | `passing` | jumps and corners that make no event |
//! | `refusals` | why there are none, in the words of the model |

mod flow;
mod neighbours;
mod passing;
mod refusals;
mod touches;

use std::collections::BTreeMap;

use modeshift_dae::{Id as _, MultimodeDae, Type, Variability, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, did_you_mean};

use super::instant::event_iteration::{Fired, Outcome};
use super::memory::Memory;
use super::output::{Output, causes};
use super::start::Start;
use super::values::{Occasion, Side};
use super::{Conductor, Goal, Next, RunModel, RunSettings, conduct};
use flow::{Carried, Flow};
use neighbours::{Direction, OFFSETS};
use refusals::{NoSensitivity, refusal};
use touches::{Place, Touches};

/// Distances of neighbours, as shares of the size of what is changed: where they do not agree, nearer ones are asked.
const DISTANCES: [f64; 3] = [1e-3, 1e-4, 1e-5];

/// How end values and times of events change.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivities {
    /// The parameters and start values: `p`, `x.start`.
    pub by: Vec<String>,
    /// The stop time.
    pub time: f64,
    /// Of each Real variable its value at the end and the derivatives; not a number where it does not exist there.
    pub end: Vec<SensitiveValue>,
    /// Of each event that the run tells, in the order in which it tells them: the first has number 0 here and there.
    pub events: Vec<SensitiveEvent>,
}

/// A variable at the end.
#[derive(Clone, Debug, PartialEq)]
pub struct SensitiveValue {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its derivatives.
    pub by: Vec<f64>,
}

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub struct SensitiveEvent {
    /// When.
    pub time: f64,
    /// The conditions that changed, in the words of the model, as the run tells them.
    pub cause: Vec<String>,
    /// The derivatives of its time.
    pub by: Vec<f64>,
}

/// What something is differentiated by.
#[derive(Clone, Copy)]
enum Quantity {
    Parameter(VariableId),
    Start(VariableId),
}

/// Runs a model, and differentiates its end values and the times of its events by these parameters and start values, `p` and `x.start`.
/// Nothing where that cannot be done: `diagnostics` say why.
pub fn sensitivities(
    model: &RunModel<'_>,
    settings: &RunSettings,
    by: &[String],
    diagnostics: &mut Diagnostics,
) -> Option<Sensitivities> {
    let quantities: Option<Vec<Quantity>> = by.iter().map(|name| quantity(model.dae, name, diagnostics)).collect();
    let quantities = quantities?;
    let start = Start::find(model, settings, diagnostics)?;
    if let Some(reason) = not_possible(&start) {
        diagnostics.push(refusal(&start.prepared, settings.start, &reason));
        return None;
    }
    let mut last = None;
    for distance in DISTANCES {
        let mut said = Diagnostics::new();
        match attempt(model, &start, by, &quantities, distance, &mut said) {
            Ok(found) => {
                diagnostics.extend(said);
                return found;
            }
            Err((time, reason)) => last = Some((time, reason, said)),
        }
        if last.as_ref().is_some_and(|(_, reason, _)| !reason.may_be_far()) {
            break;
        }
    }
    let (time, reason, said) = last?;
    diagnostics.extend(said);
    diagnostics.push(refusal(&start.prepared, time, &reason));
    None
}

/// What has a name that is differentiated by.
fn quantity(dae: &MultimodeDae, name: &str, diagnostics: &mut Diagnostics) -> Option<Quantity> {
    let variables = || dae.model.variables.iter_enumerated().filter(|(_, it)| it.ty == Type::Real);
    let parameter = variables().find(|(_, it)| it.variability == Variability::Parameter && *it.name == *name);
    let unknown = |id: VariableId| dae.model.variables[id].variability > Variability::Parameter;
    let start = name.strip_suffix(".start");
    let start = start.and_then(|of| variables().find(|(id, it)| unknown(*id) && *it.name == *of));
    match (parameter, start) {
        (Some((id, _)), _) => Some(Quantity::Parameter(id)),
        (None, Some((id, _))) => Some(Quantity::Start(id)),
        (None, None) => {
            let known = variables().filter(|(_, it)| it.variability == Variability::Parameter).map(|(_, it)| &*it.name);
            let meant = did_you_mean(name, known).map(|text| format!("; {text}")).unwrap_or_default();
            let message = format!("the model has no Real parameter or start value `{name}`{meant}");
            let help = "parameters are written as `p`, start values of variables as `x.start`";
            diagnostics.push(Diagnostic::error(Code::E0007, message).help(help));
            None
        }
    }
}

/// What a model has that makes it impossible from the beginning.
fn not_possible(start: &Start) -> Option<NoSensitivity> {
    if !start.prepared.delays.all.is_empty() {
        return Some(NoSensitivity::Delay);
    }
    let remembered = start.prepared.felt.left_limits.first();
    remembered.map(|it| NoSensitivity::LeftLimit(it.of))
}

/// With neighbours at this distance: when and why not.
fn attempt(
    model: &RunModel<'_>,
    start: &Start,
    by: &[String],
    quantities: &[Quantity],
    distance: f64,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Sensitivities>, (f64, NoSensitivity)> {
    let far = |reason| (start.settings.start, reason);
    let mut starts = Vec::new();
    for (name, &quantity) in by.iter().zip(quantities) {
        let value = match quantity {
            Quantity::Parameter(id) => start.prepared.parameter(id),
            Quantity::Start(id) => start.prepared.constants.starts[id.index()].or(Some(0.0)),
        };
        let (Quantity::Parameter(id) | Quantity::Start(id)) = quantity;
        let value = value.ok_or_else(|| far(NoSensitivity::NoValue(name.clone())))?;
        let step = distance * if value == 0.0 { start.prepared.nominal(id) } else { value.abs() };
        for offset in OFFSETS {
            let moved = moved_start(model, &start.settings, quantity, value + offset * step);
            starts.push(moved.ok_or_else(|| far(NoSensitivity::NoStart(name.clone())))?);
        }
        starts.last_mut().expect("there are offsets").1 = step;
    }
    let directions = starts.chunks(OFFSETS.len()).map(|starts| {
        let step = starts.last().expect("there are offsets").1;
        Direction::new(starts.iter().map(|(start, _)| start), step)
    });
    let is_changed = |id| starts.iter().any(|(moved, _)| moved.prepared.parameter(id) != start.prepared.parameter(id));
    let mut along = Along {
        flow: Flow::new(&start.prepared, is_changed),
        itself: neighbours::Neighbour::new(start),
        directions: directions.collect(),
        carried: None,
        events: Vec::new(),
        end: None,
        refused: None,
    };
    let summary = conduct(start, &mut along, &mut (), diagnostics);
    if let Some(reason) = along.refused {
        return Err(reason);
    }
    let (Some(summary), Some(end)) = (summary, along.end) else { return Ok(None) };
    Ok(Some(Sensitivities { by: by.to_vec(), time: summary.time, end, events: along.events }))
}

/// The start of the model with another value of a parameter, or another start value.
fn moved_start(model: &RunModel<'_>, settings: &RunSettings, quantity: Quantity, value: f64) -> Option<(Start, f64)> {
    let said = &mut Diagnostics::new();
    let start = match quantity {
        Quantity::Parameter(id) => {
            let mut overrides: BTreeMap<VariableId, f64> = model.overrides.clone();
            overrides.insert(id, value);
            Start::find(&RunModel { overrides: &overrides, ..*model }, settings, said)
        }
        Quantity::Start(id) => {
            let mut dae = model.dae.clone();
            dae.model.variables[id].start = Some(dae.model.expressions.real(value));
            Start::find(&RunModel { dae: &dae, ..*model }, settings, said)
        }
    };
    start.map(|start| (start, 0.0))
}

/// What is carried along a run.
struct Along<'s> {
    flow: Flow<'s>,
    /// The model as it is, beside the run: what neighbours find is the run's own where it finds that.
    itself: neighbours::Neighbour<'s>,
    directions: Vec<Direction<'s>>,
    /// The states after the last instant, and how they change; nothing before the first.
    carried: Option<Carried>,
    events: Vec<SensitiveEvent>,
    end: Option<Vec<SensitiveValue>>,
    refused: Option<(f64, NoSensitivity)>,
}

impl Conductor for Along<'_> {
    fn goal(&self) -> Goal {
        let until = if self.refused.is_some() { f64::NEG_INFINITY } else { f64::INFINITY };
        Goal { until, at_events: false }
    }

    fn pause(&mut self, _: &Output<'_>, _: &mut Diagnostics) -> Next {
        Next::Abandon
    }

    fn wants_instants(&self) -> bool {
        true
    }

    fn passed(
        &mut self,
        memory: &Memory,
        left: &Side<'_>,
        (fired, occasion): (&Fired, Occasion),
        outcome: &Outcome<'_>,
    ) {
        if self.refused.is_none()
            && let Err(reason) = self.pass(memory, left, (fired, occasion), outcome)
        {
            let time = reason.time().unwrap_or(left.time);
            self.refused = Some((time, reason));
        }
    }

    fn begun_with(&mut self, left: &Side<'_>, outcome: &Outcome<'_>) {
        let cause = causes(self.itself.prepared(), left, outcome);
        self.events.push(SensitiveEvent { time: left.time, cause, by: vec![0.0; self.directions.len()] });
    }

    fn accumulated(&mut self, time: f64) {
        self.refused.get_or_insert((time, NoSensitivity::Accumulation));
    }
}

impl Along<'_> {
    /// The run has passed an instant.
    fn pass(
        &mut self,
        memory: &Memory,
        left: &Side<'_>,
        (fired, occasion): (&Fired, Occasion),
        outcome: &Outcome<'_>,
    ) -> Result<(), NoSensitivity> {
        let right = &outcome.right;
        if left.sliding.is_some() || right.sliding.is_some() {
            return Err(NoSensitivity::Sliding);
        }
        if right.mode.pins.is_some() {
            return Err(NoSensitivity::Undetermined);
        }
        if outcome.terminated.is_some() {
            return Err(NoSensitivity::Terminated);
        }
        let is_first = self.carried.is_none();
        let changes = match self.carried.take() {
            Some(carried) => {
                let Along { flow, itself, directions, .. } = self;
                let mut touches = Touches { itself, directions, seen: Vec::new() };
                let changes = flow.follow(carried, left, &mut touches)?;
                if occasion.terminal {
                    let place = Place { time: left.time, jet: left.jet.clone(), changes: changes.clone() };
                    touches.end(&place)?;
                }
                changes
            }
            None => Vec::new(),
        };
        let is_moving = !is_first && !occasion.terminal;
        let scheduled = is_moving && self.itself.is_scheduled(left);
        let nothing = vec![0.0; left.jet.len()];
        self.itself.pass(memory, left, (0.0, &nothing), (fired, occasion, scheduled), outcome)?;
        for (number, direction) in self.directions.iter_mut().enumerate() {
            let change = changes.get(number).unwrap_or(&nothing);
            direction.pass(memory, left, change, (fired, occasion, scheduled), outcome)?;
        }
        // What happens with the stop comes after it with slightly different values, and is not of the result.
        let is_last = is_moving && left.time >= self.itself.stop();
        if is_last && self.directions.iter().any(|it| it.is_apart_from(left.time)) {
            return Err(NoSensitivity::OtherEvents);
        }
        // The first instant and the last are events where they can be seen; they stay where they are.
        if outcome.is_visible(&self.itself.prepared().discrete, left) {
            let by = self.directions.iter().map(|it| it.difference(&self.itself, |side| side.time));
            let by = by.collect::<Result<_, _>>()?;
            let cause = causes(self.itself.prepared(), left, outcome);
            self.events.push(SensitiveEvent { time: left.time, cause, by });
        }
        if occasion.terminal {
            self.end = Some(self.end_values(right)?);
            return Ok(());
        }
        let places = self.flow.enter(right)?;
        let given = self.flow.given.clone();
        let mut states = Vec::with_capacity(self.directions.len());
        let mut changed = Vec::with_capacity(self.directions.len());
        for direction in &self.directions {
            // Back to the time of the run's own instant, along the slopes of the mode after it.
            let at_this_time = places.iter().map(|&(state, slope)| {
                let at_that_time = |side: &Side<'_>| side.jet[state] - side.jet[slope] * (side.time - right.time);
                direction.difference(&self.itself, at_that_time)
            });
            states.push(at_this_time.collect::<Result<Vec<f64>, _>>()?);
            let of_given = given.iter().map(|&id| direction.given_difference(&self.itself, id));
            changed.push(of_given.collect::<Result<Vec<f64>, _>>()?);
        }
        self.carried = Some(Carried::new(right, states, changed));
        Ok(())
    }

    fn end_values(&self, right: &Side<'_>) -> Result<Vec<SensitiveValue>, NoSensitivity> {
        let model = &self.itself.prepared().dae.model;
        let shown = self.itself.prepared().columns.columns.iter().filter_map(|column| match column.source {
            crate::results::ColumnSource::Variable(id) => Some(id),
            crate::results::ColumnSource::Mode(_) => None,
        });
        let is_real = |id: &VariableId| {
            model.variables[*id].ty == Type::Real && model.variables[*id].variability > Variability::Parameter
        };
        let of = |id: VariableId| {
            let value = right.value(id, 0);
            let derivative = |direction: &Direction<'_>| match value.is_nan() {
                true => Ok(f64::NAN),
                false => direction.difference(&self.itself, |side| side.value(id, 0)),
            };
            let by = self.directions.iter().map(derivative).collect::<Result<_, _>>()?;
            Ok(SensitiveValue { name: model.variables[id].name.to_string(), value, by })
        };
        shown.filter(is_real).map(of).collect()
    }
}

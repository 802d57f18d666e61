//! Model exchange: others integrate, and ask what follows from the states that they hold.
//!
//! A run that others integrate is the run of before, up to its first instant and at every event; between events it does not
//! go on by itself. What it offers, and what answers:
//!
//! | asked | answered by |
//! |---|---|
//! | derivatives and values at a time, states and inputs | the program of the present mode |
//! | event indicators | the guards that a phase watches, each positive while nothing happens |
//! | when the next event is due | the schedule of a phase |
//! | an event at a time, states and inputs | an instant of the run, with the guards that have crossed |
//! | that a step is completed | sizes of guards and states, assertions, and whether other states are better ones |
//! | derivatives in a direction | the derivatives of the mode's equations, as `linearize` has them |
//!
//! *One structure.* The states of the environment are the same in all modes: whatever an equation differentiates. A mode with fewer
//! states of its own is computed from those alone; the others follow from its constraints, and so do their derivatives, so that
//! what the environment integrates stays where it belongs up to its own errors, which do not come back. That is what `rimis` does
//! to a model, with the constraints solved instead of differentiated. Where a mode does not differentiate a variable that another
//! one does, there is no such structure, and that is said (`refusals`).
//!
//! *Indicators.* A guard that is clearly on its side is its own indicator. One that begins at zero, or vanishes identically, is shifted by
//! what counts as noise, until it is clearly on its side: so an indicator is never zero after an event, and its noise is no event. What has
//! crossed is told with the sign that it has crossed to, from there on.
//!
//! | file | purpose |
//! |---|---|
//! | `refusals` | which models have one structure, and why others have not |
//! | `served` | the run that answers |
//! | `saved` | where it is, to come back to |

mod refusals;
mod saved;
mod served;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use modeshift_dae::{
    Context, Derivative, EquationKind, MultimodeDae, StateSelect, Type, Variability, VariableId, Walk,
};
use modeshift_diagnostics::{Diagnostic, Diagnostics};
use rustc_hash::FxHashMap;

use super::output::Output;
use super::start::Start;
use super::values::Side;
use super::{Conductor, Goal, Machinery, Next, RunModel, RunSettings, conduct};
use crate::results::Impulse;
pub use saved::SavedExchange;
use served::Served;

/// What an environment integrates.
#[derive(Clone, Debug, PartialEq)]
pub struct ExchangeShape {
    /// The states, in their order.
    pub states: Vec<ExchangeState>,
    /// How many event indicators there are.
    pub indicators: usize,
}

/// A state that an environment integrates: a variable, or a derivative of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ExchangeState {
    /// The variable.
    pub variable: String,
    /// How often it is differentiated.
    pub order: u32,
    /// Its nominal value.
    pub nominal: f64,
}

/// What follows from the states at a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExchangePoint {
    /// Of each state its derivative.
    pub derivatives: Vec<f64>,
    /// Of each indicator its value.
    pub indicators: Vec<f64>,
}

/// What came of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct ExchangeEvent {
    /// The states after it.
    pub states: Vec<f64>,
    /// When the next one is due, if that is known.
    pub next: Option<f64>,
    /// Whether something can be seen.
    pub is_visible: bool,
    /// Impulses.
    pub impulses: Vec<Impulse>,
    /// Whether the model wants to end the run.
    pub is_last: bool,
}

/// A run that others integrate.
///
/// It owns all that it needs, and can be sent to other threads. What cannot be computed is a diagnostic, and the run is where it was.
pub struct Exchange {
    start: Arc<Start>,
    shape: ExchangeShape,
    inputs: Vec<VariableId>,
    names: FxHashMap<Arc<str>, usize>,
    thread: Option<Thread>,
}

/// The states of an environment: all that continuous equations differentiate.
pub(super) fn differentiated(dae: &MultimodeDae) -> Vec<Derivative<VariableId>> {
    let model = &dae.model;
    let mut orders: Vec<u32> = vec![0; model.variables.len()];
    let mut walk = Walk::telling(Context::LEFT_LIMIT).with_marks();
    let continuous = model.equations.iter().filter(|equation| equation.kind == EquationKind::Continuous);
    for side in continuous.flat_map(|equation| [equation.left, equation.right]) {
        walk.visit(&model.expressions, side, |_, node, context| {
            if let Some(Derivative { of, order }) = node.derivative()
                && !context.is(Context::LEFT_LIMIT)
                && model.variables[of].is_continuous_unknown()
            {
                orders[of.0 as usize] = orders[of.0 as usize].max(order);
            }
            true
        });
    }
    let states = model.variables.ids().zip(orders);
    states.flat_map(|(of, orders)| (0..orders).map(move |order| Derivative { of, order })).collect()
}

/// The model with these as its states wherever its modes leave a choice.
fn preferring(dae: &MultimodeDae, states: &[Derivative<VariableId>]) -> MultimodeDae {
    let mut dae = dae.clone();
    for state in states {
        let select = &mut dae.model.variables[state.of].state_select;
        *select = if *select == StateSelect::Default { StateSelect::Prefer } else { *select };
    }
    dae
}

impl Exchange {
    /// Begins a run that others integrate: finds the start, and passes the first instant. Where that cannot be done, or the modes
    /// have no states in common, `diagnostics` say why.
    pub fn begin(
        model: &RunModel<'_>,
        settings: &RunSettings,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Self, ExchangeEvent)> {
        let states = differentiated(model.dae);
        if let Some(refusal) = refusals::without_one_structure(model, &states) {
            diagnostics.push(refusal);
            return None;
        }
        let dae = preferring(model.dae, &states);
        let settings = RunSettings { inputs_move: true, ..settings.clone() };
        let start = Start::find(&RunModel { dae: &dae, ..*model }, &settings, diagnostics)?;
        if let Some(refusal) = refusals::not_prepared(&start.prepared) {
            diagnostics.push(refusal);
            return None;
        }
        let prepared = &start.prepared;
        let shape = ExchangeShape {
            states: states
                .iter()
                .map(|state| ExchangeState {
                    variable: dae.model.variables[state.of].name.to_string(),
                    order: state.order,
                    nominal: prepared.nominal(state.of),
                })
                .collect(),
            indicators: served::indicator_count(prepared),
        };
        let is_input = |id: &VariableId| {
            let it = &dae.model.variables[*id];
            it.input && it.variability >= Variability::Discrete
        };
        let inputs = dae.model.variables.ids().filter(is_input).collect();
        let columns = prepared.columns.columns.iter().zip(0..).map(|(column, at)| (column.name.clone(), at));
        let names = columns.collect();
        let start = Arc::new(start);
        let thread = Some(Thread::begin(start.clone(), states));
        let exchange = Exchange { start, shape, inputs, names, thread };
        match exchange.answer() {
            Ok(Answer::Event(event)) => Some((exchange, *event)),
            Ok(_) => unreachable!("a run begins with an event"),
            Err(said) => {
                diagnostics.extend(said);
                None
            }
        }
    }

    /// What the environment integrates.
    pub fn shape(&self) -> &ExchangeShape {
        &self.shape
    }

    /// The number of an input.
    pub fn input(&self, name: &str) -> Option<usize> {
        let variables = &self.start.prepared.dae.model.variables;
        self.inputs.iter().position(|&id| *variables[id].name == *name)
    }

    /// Whether an input may change between events.
    pub fn is_continuous(&self, input: usize) -> bool {
        let it = &self.start.prepared.dae.model.variables[self.inputs[input]];
        it.ty == Type::Real && it.variability == Variability::Continuous
    }

    /// The place of a variable among all values.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// Goes to a time, with these states and inputs, by their numbers; what follows there.
    pub fn at(&mut self, time: f64, states: &[f64], inputs: &[(usize, f64)]) -> Result<ExchangePoint, Diagnostics> {
        assert_eq!(states.len(), self.shape.states.len(), "as many states as the model has");
        match self.ask(Command::At { time, states: states.to_vec(), inputs: self.ids(inputs) })? {
            Answer::Point(point) => Ok(point),
            _ => unreachable!("a place has a point"),
        }
    }

    /// All values where it is, by their places.
    pub fn values(&mut self) -> Result<Vec<f64>, Diagnostics> {
        match self.ask(Command::Values)? {
            Answer::Values(values) => Ok(values),
            _ => unreachable!("values were asked for"),
        }
    }

    /// A step of the environment has led to where it is: whether it needs an event there.
    pub fn completed(&mut self) -> Result<bool, Diagnostics> {
        match self.ask(Command::Completed)? {
            Answer::Completed(needs_event) => Ok(needs_event),
            _ => unreachable!("a step was completed"),
        }
    }

    /// Passes the instant where it is, with these inputs changed.
    pub fn event(&mut self, inputs: &[(usize, f64)]) -> Result<ExchangeEvent, Diagnostics> {
        match self.ask(Command::Event(self.ids(inputs)))? {
            Answer::Event(event) => Ok(*event),
            _ => unreachable!("an event was asked for"),
        }
    }

    /// How variables, by their names, and derivatives of states change where states and inputs change in a direction: first the
    /// derivatives of all states, then the variables.
    pub fn tangent(
        &mut self,
        states: &[f64],
        inputs: &[(usize, f64)],
        variables: &[String],
    ) -> Result<Vec<f64>, Diagnostics> {
        let command =
            Command::Tangent { states: states.to_vec(), inputs: self.ids(inputs), variables: variables.to_vec() };
        match self.ask(command)? {
            Answer::Values(values) => Ok(values),
            _ => unreachable!("a tangent was asked for"),
        }
    }

    /// Where it is, to come back to.
    pub fn save(&mut self) -> Result<SavedExchange, Diagnostics> {
        match self.ask(Command::Save)? {
            Answer::Saved(saved) => Ok(*saved),
            _ => unreachable!("a place was saved"),
        }
    }

    /// Comes back to where a run of the same model was: the time, states, and what is due. Nothing where it is none of this model.
    pub fn restore(&mut self, saved: &SavedExchange) -> Result<Option<(f64, ExchangeEvent)>, Diagnostics> {
        match self.ask(Command::Restore(Box::new(saved.clone())))? {
            Answer::Restored(place) => Ok(place.map(|place| *place)),
            _ => unreachable!("a place was restored"),
        }
    }

    /// The last instant, in which `terminal()` is true.
    pub fn finish(&mut self) -> Result<(), Diagnostics> {
        self.ask(Command::Finish).map(|_| ())
    }

    fn ids(&self, inputs: &[(usize, f64)]) -> Vec<(VariableId, f64)> {
        inputs.iter().map(|&(at, value)| (self.inputs[at], value)).collect()
    }

    fn ask(&mut self, command: Command) -> Result<Answer, Diagnostics> {
        let thread = self.thread.as_ref().expect("a run has a thread");
        let _ = thread.commands.send(command);
        self.answer()
    }

    fn answer(&self) -> Result<Answer, Diagnostics> {
        let thread = self.thread.as_ref().expect("a run has a thread");
        thread.answers.recv().unwrap_or_else(|_| panic!("the thread of a run has panicked"))
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if let Some(Thread { commands, answers, handle }) = self.thread.take() {
            drop((commands, answers));
            // A panic was told when it was waited for.
            let _ = handle.join();
        }
    }
}

/// The thread of a run: it waits there, in the middle of its loops, as a stepped run does.
struct Thread {
    commands: Sender<Command>,
    answers: Receiver<Result<Answer, Diagnostics>>,
    handle: JoinHandle<()>,
}

enum Command {
    At { time: f64, states: Vec<f64>, inputs: Vec<(VariableId, f64)> },
    Values,
    Completed,
    Event(Vec<(VariableId, f64)>),
    Tangent { states: Vec<f64>, inputs: Vec<(VariableId, f64)>, variables: Vec<String> },
    Save,
    Restore(Box<SavedExchange>),
    Finish,
}

enum Answer {
    Point(ExchangePoint),
    Values(Vec<f64>),
    Completed(bool),
    Event(Box<ExchangeEvent>),
    Saved(Box<SavedExchange>),
    Restored(Option<Box<(f64, ExchangeEvent)>>),
    Finished,
}

impl Thread {
    fn begin(start: Arc<Start>, states: Vec<Derivative<VariableId>>) -> Self {
        let ((commands, incoming), (outgoing, answers)) = (channel(), channel());
        let mut server = Server { commands: incoming, answers: outgoing, settings: start.settings.clone(), states };
        let builder = std::thread::Builder::new().name("exchange".to_string()).stack_size(super::simulation::STACK);
        let run = move || {
            let mut said = Diagnostics::new();
            conduct(&start, &mut server, &mut (), &mut said);
            // A run that did not come to its first pause; else nobody is listening any more.
            let _ = server.answers.send(Err(said));
        };
        let handle = builder.spawn(run).expect("the system has one more thread");
        Thread { commands, answers, handle }
    }
}

/// Answers an environment, from the first pause of a run on.
struct Server {
    commands: Receiver<Command>,
    answers: Sender<Result<Answer, Diagnostics>>,
    settings: RunSettings,
    states: Vec<Derivative<VariableId>>,
}

impl Conductor for Server {
    fn goal(&self) -> Goal {
        Goal { until: f64::NEG_INFINITY, at_events: false }
    }

    fn inspect<'a>(&mut self, machinery: &mut Machinery<'a>, side: &Side<'a>) {
        let begun = Served::begin(machinery, &self.settings, &self.states, side);
        let (mut served, first) = match begun {
            Ok(begun) => begun,
            Err(said) => {
                let _ = self.answers.send(Err(said));
                return;
            }
        };
        let mut answer = Ok(Answer::Event(Box::new(first)));
        while self.answers.send(answer).is_ok() {
            let Ok(command) = self.commands.recv() else { return };
            answer = match command {
                Command::At { time, states, inputs } => served.at(time, &states, &inputs).map(Answer::Point),
                Command::Values => Ok(Answer::Values(served.values())),
                Command::Completed => served.completed().map(Answer::Completed),
                Command::Event(inputs) => served.event(inputs).map(|event| Answer::Event(Box::new(event))),
                Command::Tangent { states, inputs, variables } => {
                    served.tangent(&states, &inputs, &variables).map(Answer::Values)
                }
                Command::Save => Ok(Answer::Saved(Box::new(served.saved()))),
                Command::Restore(saved) => served.restored(&saved).map(|place| Answer::Restored(place.map(Box::new))),
                Command::Finish => served.finish().map(|()| Answer::Finished),
            };
        }
    }

    fn pause(&mut self, _: &Output<'_>, _: &mut Diagnostics) -> Next {
        Next::Abandon
    }
}

/// Something that is said alone.
fn alone(diagnostic: Diagnostic) -> Diagnostics {
    let mut said = Diagnostics::new();
    said.push(diagnostic);
    said
}

//! A model that is run: what can be set and read when, steps, states. Without pointers; what is wrong is a text.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use modeshift_diagnostics::{Diagnostics, render_all};
use modeshift_driver::linearize::Linearize;
use modeshift_driver::loaded::{ExchangeEvent, Loaded, SavedExchange, Variant, Work};
use modeshift_driver::simulate::results::{Columns, EventRecord, Observer};
use modeshift_driver::simulate::{RunEnd, RunOptions, Simulation, Snapshot, Stepped};
use modeshift_fmu::{RESOURCE, Resource, Shown, Slot, SlotKind, interface};
use serde_json::{Value, json};

use crate::exchange::{Exchanged, SavedPlace};

/// Stack to load a model with.
const STACK_SIZE: usize = 256 << 20;

/// A stop time that no run comes to, where the importer gives none.
const NEVER: f64 = 1e290;

/// Times of the importer and of the run may differ by so much of a step: they are computed in different ways.
const ROUNDING: f64 = 1e-9;

/// What may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It was instantiated or reset.
    Instantiated,
    /// Start values are set.
    Initialization,
    /// It is at an event (FMI 3.0).
    Event,
    /// It can be stepped.
    Step,
    /// Its importer integrates.
    Continuous,
    /// It has ended, or was told to.
    Terminated,
    /// A run has failed; it can be reset and freed.
    Failed,
}

/// A model that is run.
pub struct Instance {
    loaded: Loaded,
    /// What others see, by number.
    pub slots: Vec<Slot>,
    token: String,
    /// Where it is.
    pub phase: Phase,
    settings: Settings,
    simulation: Option<Simulation>,
    /// Whether the importer integrates, and the run that it does.
    pub is_exchange: bool,
    exchange: Option<Exchanged>,
    seen: Seen,
    /// Inputs were set that the run has not seen.
    is_unsettled: bool,
    /// Values of all parameters with those that were set, once one was asked for that follows from others.
    values: Option<BTreeMap<String, f64>>,
}

/// What was set.
#[derive(Clone, Debug, Default, PartialEq)]
struct Settings {
    start: f64,
    stop: Option<f64>,
    tolerance: Option<f64>,
    parameters: BTreeMap<usize, f64>,
    /// With which the start is solved.
    inputs: BTreeMap<usize, f64>,
}

/// Where an instance is, to come back to.
#[derive(Clone, Debug)]
pub struct State {
    phase: Phase,
    settings: Settings,
    snapshot: Option<Snapshot>,
    place: Option<SavedPlace>,
    counts: Counts,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The time is reached.
    Done,
    /// An event was reached.
    Event,
    /// The model has ended the run.
    Terminated,
}

/// What an observer has seen.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Counts>>);

#[derive(Clone, Debug, Default)]
struct Counts {
    events: u64,
    impulses: BTreeMap<Arc<str>, f64>,
}

impl Seen {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Seen {
    fn columns(&mut self, _: &Columns) {
        *self.counts() = Counts::default();
    }

    fn event(&mut self, event: &EventRecord) {
        let mut counts = self.counts();
        counts.events += 1;
        let areas = event.impulses.iter().filter(|impulse| impulse.order == "1");
        counts.impulses = areas.map(|impulse| (impulse.variable.clone(), impulse.weight)).collect();
    }
}

/// What is wrong, in words.
pub type Wrong<T> = Result<T, String>;

impl Instance {
    /// Loads the model that lies among the resources of an FMU, to be integrated by itself or by its importer.
    pub fn new(resources: &Path, token: &str, is_exchange: bool) -> Wrong<Instance> {
        let path = resources.join(RESOURCE);
        let bytes = std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let resource = Resource::from_bytes(&bytes).ok_or_else(|| format!("{} is no model", path.display()))?;
        let own = resource.token();
        if own != token {
            return Err(format!("the token {token} is not that of this model, {own}"));
        }
        match is_exchange {
            true if !resource.kind().has_model_exchange() => return Err("this FMU is for co-simulation".to_string()),
            false if !resource.kind().has_co_simulation() => return Err("this FMU is for model exchange".to_string()),
            _ => {}
        }
        let loaded = with_stack(|| resource.load().map_err(|refusal| refusal.text()))??;
        let slots = interface(&loaded, resource.exchange());
        let start = loaded.model().experiment.start.unwrap_or(0.0);
        Ok(Instance {
            loaded,
            slots,
            token: own,
            phase: Phase::Instantiated,
            settings: Settings { start, ..Settings::default() },
            simulation: None,
            is_exchange,
            exchange: None,
            seen: Seen::default(),
            is_unsettled: false,
            values: None,
        })
    }

    /// That this may be called now.
    pub fn expect(&self, function: &str, phases: &[Phase]) -> Wrong<()> {
        match phases.contains(&self.phase) {
            true => Ok(()),
            false => Err(format!("{function} is not allowed in this state ({:?})", self.phase)),
        }
    }

    /// The present time.
    pub fn time(&self) -> f64 {
        let exchanged = self.exchange.as_ref().map(|it| it.time);
        exchanged.unwrap_or_else(|| self.simulation.as_ref().map_or(self.settings.start, Simulation::time))
    }

    fn has_begun(&self) -> bool {
        self.simulation.is_some() || self.exchange.is_some()
    }

    fn text(&self, said: &Diagnostics) -> String {
        render_all(said, self.loaded.sources(), false)
    }

    fn slot(&self, reference: u32) -> Wrong<(usize, &Slot)> {
        let at = reference as usize;
        self.slots
            .get(at)
            .map(|slot| (at, slot))
            .ok_or_else(|| format!("there is no variable with the number {reference}"))
    }

    /// A variable of this type.
    pub fn slot_of(&self, reference: u32, kind: SlotKind) -> Wrong<usize> {
        match self.slot(reference)? {
            (at, slot) if slot.kind == kind => Ok(at),
            (_, slot) => Err(format!("`{}` is {:?}, not {kind:?}", slot.name, slot.kind)),
        }
    }

    /// The value of a variable; not a number where it does not exist.
    pub fn get(&mut self, at: usize) -> Wrong<f64> {
        let is_of_run = !matches!(self.slots[at].shown, Shown::Time | Shown::Parameter(_) | Shown::Constant);
        let is_input = self.slots[at].causality == modeshift_fmu::Causality::Input;
        if is_of_run && !(is_input && !self.has_begun()) {
            match self.phase {
                Phase::Instantiated => {
                    return Err(format!("`{}` has no value before the initialization", self.slots[at].name));
                }
                Phase::Failed if !self.has_begun() => return Err("the run has failed".to_string()),
                Phase::Failed | Phase::Terminated => {}
                _ => self.settle()?,
            }
        }
        if let Some(value) = self.exchanged_value(at)? {
            return Ok(value);
        }
        if let Some(value) = self.following(at)? {
            return Ok(value);
        }
        let slot = &self.slots[at];
        let start = || slot.start.unwrap_or(f64::NAN);
        Ok(match &slot.shown {
            Shown::State(_) | Shown::Rate(_) | Shown::Indicator(_) => {
                return Err(format!("`{}` is of model exchange", slot.name));
            }
            Shown::Time => self.time(),
            Shown::Parameter(_) => self.settings.parameters.get(&at).copied().unwrap_or_else(start),
            Shown::Constant => start(),
            Shown::Variable(name) => match &self.simulation {
                Some(simulation) => simulation.value(name).unwrap_or(f64::NAN),
                None => self.settings.inputs.get(&at).copied().unwrap_or_else(start),
            },
            Shown::Impulse(name) => self.seen.counts().impulses.get(name.as_str()).copied().unwrap_or(0.0),
            Shown::Events => self.seen.counts().events as f64,
        })
    }

    /// The value of a parameter that follows from others, where some were set.
    fn following(&mut self, at: usize) -> Wrong<Option<f64>> {
        let slot = &self.slots[at];
        if slot.causality != modeshift_fmu::Causality::CalculatedParameter || self.settings.parameters.is_empty() {
            return Ok(None);
        }
        let name = slot.name.clone();
        if self.values.is_none() {
            let given = self.given_parameters();
            let loaded = &mut self.loaded;
            let values = with_stack(move || loaded.with(&given).map(|variant| variant.values()))?;
            self.values = Some(values.map_err(|refusal| refusal.text())?);
        }
        Ok(self.values.as_ref().and_then(|values| values.get(&name).copied()))
    }

    /// The parameters that were set, as the user of a command line writes them.
    fn given_parameters(&self) -> Vec<(String, String)> {
        let written = |(&at, &value): (&usize, &f64)| {
            let slot = &self.slots[at];
            (slot.name.clone(), self.loaded.written(slot.ty, value))
        };
        self.settings.parameters.iter().map(written).collect()
    }

    /// The value of a variable where the importer is that integrates; nothing where nobody does, or it is none of the run.
    fn exchanged_value(&mut self, at: usize) -> Wrong<Option<f64>> {
        let Some(exchange) = &mut self.exchange else { return Ok(None) };
        let found = match &self.slots[at].shown {
            Shown::Variable(name) => exchange.value(name).map(|value| Some(value.unwrap_or(f64::NAN))),
            Shown::State(number) => Ok(exchange.states.get(*number).copied()),
            Shown::Rate(number) => exchange.point().map(|it| it.derivatives.get(*number).copied()),
            Shown::Indicator(number) => exchange.point().map(|it| it.indicators.get(*number).copied()),
            _ => Ok(None),
        };
        found.map_err(|said| self.text(&said))
    }

    /// Sets a parameter or an input.
    pub fn set(&mut self, at: usize, value: f64) -> Wrong<()> {
        let slot = &self.slots[at];
        let name = slot.name.clone();
        match (&slot.shown, slot.causality) {
            (Shown::Parameter(_), modeshift_fmu::Causality::CalculatedParameter) => {
                Err(format!("`{name}` cannot be set: it follows from other parameters"))
            }
            (Shown::Parameter(_), _) => {
                if !matches!(self.phase, Phase::Instantiated | Phase::Initialization) {
                    return Err(format!("`{name}` is fixed after the initialization"));
                }
                if !value.is_finite() {
                    return Err(format!("`{name}`: {value} is no value"));
                }
                if let Some(count) = slot.literals.filter(|&count| !(1.0..=count as f64).contains(&value)) {
                    return Err(format!("`{name}`: {value} is none of its {count} literals, which count from 1"));
                }
                self.settings.parameters.insert(at, value);
                self.values = None;
                // A run that was begun to look at its values begins anew.
                (self.simulation, self.exchange) = (None, None);
                Ok(())
            }
            (Shown::Variable(_), modeshift_fmu::Causality::Input) => {
                if matches!(self.phase, Phase::Terminated | Phase::Failed) {
                    return Err(format!("`{name}` cannot be set any more"));
                }
                if !value.is_finite() {
                    return Err(format!("`{name}`: {value} is no value"));
                }
                if matches!(self.phase, Phase::Instantiated | Phase::Initialization) {
                    self.settings.inputs.insert(at, value);
                    // The start follows from it: a run that was begun to look at its values begins anew.
                    (self.simulation, self.exchange) = (None, None);
                    return Ok(());
                }
                if let Some(exchange) = &mut self.exchange {
                    exchange.set_input(&name, value, self.phase != Phase::Continuous)?;
                }
                if let Some(simulation) = &mut self.simulation {
                    simulation.set_input(&name, value).map_err(|error| format!("`{name}`: {error}"))?;
                    self.is_unsettled = true;
                }
                Ok(())
            }
            _ => Err(format!("`{name}` cannot be set: it is neither a parameter nor an input")),
        }
    }

    /// Start time, stop time and tolerance, before the initialization.
    pub fn set_up(&mut self, start: f64, stop: Option<f64>, tolerance: Option<f64>) -> Wrong<()> {
        if !start.is_finite() {
            return Err(format!("{start} is no start time"));
        }
        if let Some(tolerance) = tolerance.filter(|it| !(*it > 0.0 && *it < 1.0)) {
            return Err(format!("{tolerance} is no tolerance between 0 and 1"));
        }
        if let Some(stop) = stop.filter(|it| !(it.is_finite() && *it >= start)) {
            return Err(format!("{stop} is no stop time after {start}"));
        }
        let stop = stop.filter(|it| *it > start);
        (self.settings.start, self.settings.stop, self.settings.tolerance) = (start, stop, tolerance);
        (self.simulation, self.exchange) = (None, None);
        Ok(())
    }

    /// The run begins, if it has not.
    pub fn begin(&mut self) -> Wrong<()> {
        if !self.has_begun() {
            match self.is_exchange {
                true => self.exchange = Some(self.begun_exchange()?),
                false => self.simulation = Some(self.begun()?),
            }
            self.is_unsettled = false;
        }
        self.settle()
    }

    fn begun(&mut self) -> Wrong<Simulation> {
        let observer = Box::new(self.seen.clone());
        self.begun_with(move |variant, options| variant.simulation(options, observer))
    }

    fn begun_exchange(&mut self) -> Wrong<Exchanged> {
        *self.seen.counts() = Counts::default();
        let begun = self.begun_with(|variant, options| variant.exchange(options))?;
        let counts = self.exchanged_counts("the run")?;
        Exchanged::new(begun, self.settings.start, counts)
            .ok_or_else(|| "with these parameters the model has other states or relations than described".to_string())
    }

    /// Begins a run of one kind or the other, with the parameters that were set.
    fn begun_with<T: Send>(
        &mut self,
        begin: impl FnOnce(&Variant<'_>, &RunOptions) -> Result<T, Diagnostics> + Send,
    ) -> Wrong<T> {
        let values = self.given_parameters();
        let named = |(&at, &value): (&usize, &f64)| (self.slots[at].name.clone(), value);
        let inputs: Vec<(String, f64)> = self.settings.inputs.iter().map(named).collect();
        let stop = self.settings.stop.unwrap_or(NEVER);
        let options = RunOptions {
            start: Some(self.settings.start),
            stop: Some(stop),
            tolerance: self.settings.tolerance,
            interval: Some(stop - self.settings.start),
            ..RunOptions::default()
        };
        let loaded = &mut self.loaded;
        with_stack(move || {
            let variant = loaded.with(&values).map_err(|refusal| refusal.text())?;
            let variant = variant.begun_with(&inputs)?;
            if variant.work() == Work::Loading && names_of(variant.loaded()) != names_of(loaded) {
                return Err("with these parameters the model has other variables than described".to_string());
            }
            begin(&variant, &options).map_err(|said| variant.loaded().text(&said))
        })?
    }

    /// Passes the present instant with the inputs that were set.
    fn settle(&mut self) -> Wrong<()> {
        if !self.has_begun() {
            return self.begin();
        }
        if self.exchange.is_some() {
            return self.update().map(|_| ());
        }
        if self.is_unsettled {
            self.is_unsettled = false;
            let time = self.time();
            self.go(time, false)?;
        }
        Ok(())
    }

    /// Goes on up to a time, or to the next event before it.
    fn go(&mut self, time: f64, to_event: bool) -> Wrong<Outcome> {
        let Some(simulation) = &mut self.simulation else { return Err("the run has not begun".to_string()) };
        let stepped = if to_event { simulation.step_to_event(time) } else { simulation.step_until(time) };
        let stepped = stepped.map_err(|error| error.to_string())?;
        Ok(match stepped {
            Stepped::Paused => Outcome::Done,
            Stepped::Event => Outcome::Event,
            // The stop time is the importer's own; beyond it there is nothing.
            Stepped::Ended(RunEnd::Stop) => Outcome::Done,
            Stepped::Ended(RunEnd::Interrupted | RunEnd::Terminated(_)) => {
                self.phase = Phase::Terminated;
                Outcome::Terminated
            }
            Stepped::Ended(RunEnd::Failed) => {
                self.phase = Phase::Failed;
                return Err(render_all(simulation.diagnostics(), self.loaded.sources(), false));
            }
        })
    }

    /// A step of the importer, from where it believes to be.
    pub fn step(&mut self, from: f64, step: f64, to_event: bool) -> Wrong<Outcome> {
        let time = self.time();
        if !(step >= 0.0 && step.is_finite()) {
            return Err(format!("{step} is no step"));
        }
        if !((from - time).abs() <= ROUNDING * time.abs().max(step)) {
            return Err(format!("the step begins at {from}, but the run is at {time}"));
        }
        let mut until = (from + step).max(time);
        if let Some(stop) = self.settings.stop.filter(|stop| until > *stop) {
            if until - stop > ROUNDING * stop.abs().max(step) {
                return Err(format!("the step ends at {until}, after the stop time {stop}"));
            }
            until = stop;
        }
        if until == time && self.settings.stop == Some(time) {
            return Ok(Outcome::Done);
        }
        self.is_unsettled = false;
        self.go(until, to_event)
    }

    /// The run that the importer integrates, where that is what may be asked now.
    pub fn exchanged(&mut self, function: &str, phases: &[Phase]) -> Wrong<&mut Exchanged> {
        if !self.is_exchange {
            return Err(format!("{function}: this instance is for co-simulation"));
        }
        self.expect(function, phases)?;
        if self.exchange.is_none() {
            self.begin()?;
        }
        self.exchange.as_mut().ok_or_else(|| "the run has not begun".to_string())
    }

    /// Passes the present instant of a run that the importer integrates, where that is due: whether states have changed.
    pub fn update(&mut self) -> Wrong<bool> {
        let Some(exchange) = &mut self.exchange else { return Err("the run has not begun".to_string()) };
        match exchange.settle() {
            Ok(None) => Ok(false),
            Ok(Some((event, has_changed))) => {
                self.count(&event);
                if event.is_last {
                    self.phase = Phase::Terminated;
                }
                Ok(has_changed)
            }
            Err(said) => {
                self.phase = Phase::Failed;
                Err(self.text(&said))
            }
        }
    }

    fn count(&self, event: &ExchangeEvent) {
        if event.is_visible {
            let mut counts = self.seen.counts();
            counts.events += 1;
            let areas = event.impulses.iter().filter(|impulse| impulse.order == "1");
            counts.impulses = areas.map(|impulse| (impulse.variable.clone(), impulse.weight)).collect();
        }
    }

    /// A step of the importer has led here: whether it needs an event.
    pub fn completed(&mut self, function: &str) -> Wrong<bool> {
        let completed = self.exchanged(function, &[Phase::Continuous])?.completed();
        completed.map_err(|said| {
            self.phase = Phase::Failed;
            self.text(&said)
        })
    }

    /// How many states and indicators there are.
    pub fn exchanged_counts(&self, function: &str) -> Wrong<(usize, usize)> {
        if !self.is_exchange {
            return Err(format!("{function}: this instance is for co-simulation"));
        }
        let count = |is_one: fn(&Shown) -> bool| self.slots.iter().filter(|slot| is_one(&slot.shown)).count();
        Ok((count(|it| matches!(it, Shown::Rate(_))), count(|it| matches!(it, Shown::Indicator(_)))))
    }

    /// What is said where something has no value, in words.
    pub fn no_value(&self, said: &Diagnostics) -> String {
        self.text(said)
    }

    /// The number of the state that a variable is.
    fn state_of_slot(&self, at: usize) -> Option<usize> {
        self.slots.iter().find_map(|slot| match slot.shown {
            Shown::Rate(number) if slot.derivative == Some(at) => Some(number),
            _ => None,
        })
    }

    /// How variables and derivatives of states change with states and inputs in a direction.
    fn exchanged_derivative(&mut self, unknowns: &[usize], knowns: &[usize], seed: &[f64]) -> Wrong<Vec<f64>> {
        let count = self.slots.iter().filter(|slot| slot.derivative.is_some()).count();
        let mut states = vec![0.0; count];
        let is_input = |slot: &Slot| {
            slot.causality == modeshift_fmu::Causality::Input
                && slot.variability == modeshift_fmu::Variability::Continuous
        };
        // All of them, so that the formulas are the same whatever is asked.
        let inputs = self.slots.iter().filter(|slot| is_input(slot)).map(|slot| (slot.name.clone(), 0.0));
        let mut inputs: Vec<(String, f64)> = inputs.collect();
        for (&at, &seed) in knowns.iter().zip(seed) {
            let name = &self.slots[at].name;
            match (self.state_of_slot(at), inputs.iter_mut().find(|it| it.0 == *name)) {
                (Some(number), _) => states[number] += seed,
                (None, Some(input)) => input.1 += seed,
                (None, None) => return Err(format!("derivatives are by states and inputs; `{name}` is none")),
            }
        }
        let variables: Vec<String> = unknowns.iter().filter_map(|&at| self.continuous_name(at)).collect();
        let exchange = self.exchange.as_mut().ok_or("the run has not begun")?;
        let found = exchange.tangent(&states, &inputs, &variables).map_err(|said| self.text(&said))?;
        let mut of_variables = found[count..].iter();
        let of = |&at: &usize| match self.slots[at].shown {
            Shown::Rate(number) => found[number],
            _ if self.continuous_name(at).is_some() => of_variables.next().copied().unwrap_or(f64::NAN),
            // What changes at events alone does not change between them.
            _ => 0.0,
        };
        Ok(unknowns.iter().map(of).collect())
    }

    fn continuous_name(&self, at: usize) -> Option<String> {
        let slot = &self.slots[at];
        let is_continuous = slot.variability == modeshift_fmu::Variability::Continuous;
        (is_continuous && matches!(slot.shown, Shown::Variable(_))).then(|| slot.name.clone())
    }

    /// Ends the run.
    pub fn terminate(&mut self) {
        if let Some(exchange) = &mut self.exchange
            && matches!(self.phase, Phase::Event | Phase::Continuous)
        {
            // It has ended whatever its last instant says.
            let _ = exchange.finish();
        }
        if let Some(simulation) = &mut self.simulation {
            simulation.terminate();
        }
        self.phase = Phase::Terminated;
    }

    /// As it was when it was instantiated.
    pub fn reset(&mut self) {
        (self.simulation, self.exchange) = (None, None);
        self.settings = Settings { start: self.loaded.model().experiment.start.unwrap_or(0.0), ..Settings::default() };
        self.values = None;
        self.seen = Seen::default();
        self.is_unsettled = false;
        self.phase = Phase::Instantiated;
    }

    /// Where it is.
    pub fn state(&mut self) -> Wrong<State> {
        let snapshot = self.simulation.as_ref().map(Simulation::snapshot);
        let place = self.exchange.as_mut().map(Exchanged::save).transpose();
        let place = place.map_err(|said| self.text(&said))?;
        let counts = self.seen.counts().clone();
        Ok(State { phase: self.phase, settings: self.settings.clone(), snapshot, place, counts })
    }

    /// Comes back to where it was. Where that cannot be done it is nowhere, and says so.
    pub fn restore(&mut self, state: &State) -> Wrong<()> {
        let restored = self.come_back(state);
        if restored.is_err() {
            (self.simulation, self.exchange) = (None, None);
            self.phase = Phase::Failed;
        }
        restored
    }

    fn come_back(&mut self, state: &State) -> Wrong<()> {
        let is_other_run = self.settings.stop != state.settings.stop
            || (self.settings.start, self.settings.tolerance) != (state.settings.start, state.settings.tolerance)
            || self.settings.parameters != state.settings.parameters
            || self.settings.inputs != state.settings.inputs;
        if is_other_run {
            (self.simulation, self.exchange) = (None, None);
        }
        self.settings = state.settings.clone();
        self.values = None;
        self.is_unsettled = false;
        match &state.snapshot {
            None => self.simulation = None,
            Some(snapshot) => {
                let mut simulation = match self.simulation.take() {
                    Some(simulation) => simulation,
                    None => self.begun()?,
                };
                simulation.restore(snapshot).map_err(|error| error.to_string())?;
                self.simulation = Some(simulation);
                self.is_unsettled = snapshot.has_pending_inputs();
            }
        }
        self.restore_place(state)?;
        self.phase = state.phase;
        Ok(())
    }

    fn restore_place(&mut self, state: &State) -> Wrong<()> {
        let Some(place) = &state.place else {
            self.exchange = None;
            return Ok(());
        };
        let mut exchange = match self.exchange.take() {
            Some(exchange) => exchange,
            None => self.begun_exchange()?,
        };
        if !exchange.restore(place).map_err(|said| self.text(&said))? {
            return Err("the state is not one of this model".to_string());
        }
        self.exchange = Some(exchange);
        *self.seen.counts() = state.counts.clone();
        Ok(())
    }

    /// How variables change with inputs in a direction, at the present time: exact derivatives of the mode that the run is in.
    pub fn derivative(&mut self, unknowns: &[usize], knowns: &[usize], seed: &[f64]) -> Wrong<Vec<f64>> {
        if self.is_exchange {
            self.settle()?;
            return self.exchanged_derivative(unknowns, knowns, seed);
        }
        if let Some(&other) = knowns.iter().find(|&&at| self.slots[at].causality != modeshift_fmu::Causality::Input) {
            return Err(format!("derivatives are by inputs; `{}` is none", self.slots[other].name));
        }
        self.settle()?;
        // What changes at events alone does not change with inputs between them.
        let is_continuous = |at: usize| {
            let slot = &self.slots[at];
            matches!(slot.shown, Shown::Variable(_)) && slot.variability == modeshift_fmu::Variability::Continuous
        };
        let name = |&at: &usize| self.slots[at].name.clone();
        let outputs: Vec<String> = unknowns.iter().filter(|&&at| is_continuous(at)).map(name).collect();
        let inputs: Vec<String> = knowns.iter().filter(|&&at| is_continuous(at)).map(name).collect();
        let seeds: Vec<f64> = knowns.iter().zip(seed).filter(|&(&at, _)| is_continuous(at)).map(|it| *it.1).collect();
        let places: Vec<bool> = unknowns.iter().map(|&at| is_continuous(at)).collect();
        let wanted = Linearize { inputs: Some(inputs), outputs: Some(outputs), ..Linearize::default() };
        let simulation = self.simulation.as_mut().ok_or("the run has not begun")?;
        let found = simulation.linearized(wanted);
        let found = found.map_err(|said| match said.is_empty() {
            false => render_all(&said, self.loaded.sources(), false),
            true => "the run has ended: ask for derivatives before its last step".to_string(),
        })?;
        let in_direction = |row: &Vec<f64>| row.iter().zip(&seeds).map(|(entry, seed)| entry * seed).sum::<f64>();
        let mut rows = found.d.iter().map(in_direction);
        Ok(places.into_iter().map(|is_one| if is_one { rows.next().unwrap_or(f64::NAN) } else { 0.0 }).collect())
    }

    /// A state as bytes.
    pub fn serialized(&self, state: &State) -> Vec<u8> {
        let bits = |(at, value): (&usize, &f64)| json!([at, value.to_bits()]);
        let State { phase, settings, snapshot, place, counts } = state;
        let pairs =
            |list: &[(usize, f64)]| list.iter().map(|(at, value)| json!([at, value.to_bits()])).collect::<Vec<_>>();
        let impulses = counts.impulses.iter().map(|(name, area)| json!([&**name, area.to_bits()]));
        let head = json!({
            "token": self.token,
            "phase": *phase as u8,
            "start": settings.start.to_bits(),
            "stop": settings.stop.map(f64::to_bits),
            "tolerance": settings.tolerance.map(f64::to_bits),
            "parameters": settings.parameters.iter().map(bits).collect::<Vec<_>>(),
            "inputs": settings.inputs.iter().map(bits).collect::<Vec<_>>(),
            "begun": snapshot.is_some(),
            "exchanged": place.as_ref().map(|it| json!([it.needs_event, pairs(&it.pending)])),
            "events": counts.events,
            "impulses": impulses.collect::<Vec<_>>(),
        });
        let head = head.to_string().into_bytes();
        let tail = match place {
            Some(place) => place.run.to_bytes(),
            None => snapshot.as_ref().map(Snapshot::to_bytes).unwrap_or_default(),
        };
        [&(head.len() as u64).to_le_bytes(), &head[..], &tail].concat()
    }

    /// A state from bytes.
    pub fn deserialized(&self, bytes: &[u8]) -> Wrong<State> {
        self.state_of(bytes).ok_or_else(|| "these are not the bytes of a state of this model".to_string())
    }

    fn state_of(&self, bytes: &[u8]) -> Option<State> {
        const PHASES: [Phase; 7] = [
            Phase::Instantiated,
            Phase::Initialization,
            Phase::Event,
            Phase::Step,
            Phase::Continuous,
            Phase::Terminated,
            Phase::Failed,
        ];
        let (length, rest) = bytes.split_first_chunk()?;
        let (head, tail) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        let head: Value = serde_json::from_slice(head).ok()?;
        let number = |value: &Value| value.as_u64().map(f64::from_bits);
        let pairs = |value: &Value| {
            let list = value.as_array()?.iter();
            let pair = list.map(|pair| Some((pair[0].as_u64()? as usize, number(&pair[1])?)));
            pair.collect::<Option<BTreeMap<usize, f64>>>()
        };
        let (parameters, inputs) = (pairs(&head["parameters"])?, pairs(&head["inputs"])?);
        let is_known = parameters.keys().chain(inputs.keys()).all(|&at| at < self.slots.len());
        let settings = Settings {
            start: number(&head["start"])?,
            stop: number(&head["stop"]),
            tolerance: number(&head["tolerance"]),
            parameters,
            inputs,
        };
        let snapshot = if head["begun"] == true { Some(Snapshot::from_bytes(tail)?) } else { None };
        let phase = *PHASES.get(usize::try_from(head["phase"].as_u64()?).ok()?)?;
        let place = match &head["exchanged"] {
            Value::Null => None,
            it => Some(SavedPlace {
                run: SavedExchange::from_bytes(tail)?,
                pending: pairs(&it[1])?.into_iter().collect(),
                needs_event: it[0].as_bool()?,
            }),
        };
        let impulse = |it: &Value| Some((Arc::from(it[0].as_str()?), number(&it[1])?));
        let impulses = head["impulses"].as_array()?.iter().map(impulse).collect::<Option<_>>()?;
        let counts = Counts { events: head["events"].as_u64()?, impulses };
        let state = State { phase, settings, snapshot, place, counts };
        (is_known && head["token"] == *self.token).then_some(state)
    }
}

/// The variables of a model, in their order.
fn names_of(loaded: &Loaded) -> Vec<String> {
    loaded.variables().into_iter().map(|it| it.name).collect()
}

/// Works in a thread with a stack that is large enough for whatever a model needs.
fn with_stack<T: Send>(job: impl FnOnce() -> T + Send) -> Wrong<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("modeshift".into()).stack_size(STACK_SIZE);
        let handle = thread.spawn_scoped(scope, || {
            // Half of it is left for whatever asks.
            modeshift_driver::use_stack(STACK_SIZE / 2);
            job()
        });
        let handle = handle.map_err(|error| format!("cannot start: {error}"))?;
        handle.join().map_err(|_| "a fault of the engine itself; please report it with the model".to_string())
    })
}

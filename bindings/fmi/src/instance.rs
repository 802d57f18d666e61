//! A model that is run: what can be set and read when, steps, states. Without pointers; what is wrong is a text.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use modeshift_diagnostics::render_all;
use modeshift_driver::linearize::Linearize;
use modeshift_driver::loaded::Loaded;
use modeshift_driver::simulate::results::{Columns, EventRecord, Observer};
use modeshift_driver::simulate::{RunEnd, RunOptions, Simulation, Snapshot, Stepped};
use modeshift_fmu::{RESOURCE, Resource, Shown, Slot, SlotKind, interface};
use serde_json::{Value, json};

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
    seen: Seen,
    /// Inputs were set that the run has not seen.
    is_unsettled: bool,
}

/// What was set.
#[derive(Clone, Debug, Default, PartialEq)]
struct Settings {
    start: f64,
    stop: Option<f64>,
    tolerance: Option<f64>,
    parameters: BTreeMap<usize, f64>,
    inputs: BTreeMap<usize, f64>,
}

/// Where an instance is, to come back to.
#[derive(Clone, Debug)]
pub struct State {
    phase: Phase,
    settings: Settings,
    snapshot: Option<Snapshot>,
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

#[derive(Default)]
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
    /// Loads the model that lies among the resources of an FMU.
    pub fn new(resources: &Path, token: &str) -> Wrong<Instance> {
        let path = resources.join(RESOURCE);
        let bytes = std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let resource = Resource::from_bytes(&bytes).ok_or_else(|| format!("{} is no model", path.display()))?;
        let own = resource.token();
        if own != token {
            return Err(format!("the token {token} is not that of this model, {own}"));
        }
        let loaded = with_stack(|| resource.load().map_err(|refusal| refusal.text()))??;
        let slots = interface(&loaded);
        let start = loaded.model().experiment.start.unwrap_or(0.0);
        Ok(Instance {
            loaded,
            slots,
            token: own,
            phase: Phase::Instantiated,
            settings: Settings { start, ..Settings::default() },
            simulation: None,
            seen: Seen::default(),
            is_unsettled: false,
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
        self.simulation.as_ref().map_or(self.settings.start, Simulation::time)
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
        let is_of_run = matches!(self.slots[at].shown, Shown::Variable(_) | Shown::Impulse(_) | Shown::Events);
        let is_input = self.slots[at].causality == modeshift_fmu::Causality::Input;
        if is_of_run && !(is_input && self.simulation.is_none()) {
            match self.phase {
                Phase::Instantiated => {
                    return Err(format!("`{}` has no value before the initialization", self.slots[at].name));
                }
                Phase::Failed if self.simulation.is_none() => return Err("the run has failed".to_string()),
                _ => self.settle()?,
            }
        }
        let slot = &self.slots[at];
        let start = || slot.start.unwrap_or(f64::NAN);
        Ok(match &slot.shown {
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

    /// Sets a parameter or an input.
    pub fn set(&mut self, at: usize, value: f64) -> Wrong<()> {
        let slot = &self.slots[at];
        let name = slot.name.clone();
        match (&slot.shown, slot.causality) {
            (Shown::Parameter(_), _) => {
                if !matches!(self.phase, Phase::Instantiated | Phase::Initialization) {
                    return Err(format!("`{name}` is fixed after the initialization"));
                }
                if !value.is_finite() {
                    return Err(format!("`{name}`: {value} is no value"));
                }
                self.settings.parameters.insert(at, value);
                // A run that was begun to look at its values begins anew.
                self.simulation = None;
                Ok(())
            }
            (Shown::Variable(_), modeshift_fmu::Causality::Input) => {
                if matches!(self.phase, Phase::Terminated | Phase::Failed) {
                    return Err(format!("`{name}` cannot be set any more"));
                }
                if !value.is_finite() {
                    return Err(format!("`{name}`: {value} is no value"));
                }
                if let Some(simulation) = &mut self.simulation {
                    simulation.set_input(&name, value).map_err(|error| format!("`{name}`: {error}"))?;
                    self.is_unsettled = true;
                }
                self.settings.inputs.insert(at, value);
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
        self.simulation = None;
        Ok(())
    }

    /// The run begins, if it has not.
    pub fn begin(&mut self) -> Wrong<()> {
        if self.simulation.is_none() {
            self.simulation = Some(self.begun()?);
            self.is_unsettled = false;
            for (at, value) in self.settings.inputs.clone() {
                self.set(at, value)?;
            }
        }
        self.settle()
    }

    fn begun(&mut self) -> Wrong<Simulation> {
        let values = self.settings.parameters.iter().map(|(&at, &value)| {
            let slot = &self.slots[at];
            let text = match slot.kind {
                SlotKind::Real => format!("{value:?}"),
                SlotKind::Integer => format!("{}", value as i64),
                SlotKind::Boolean => (value != 0.0).to_string(),
            };
            (slot.name.clone(), text)
        });
        let values: Vec<(String, String)> = values.collect();
        let stop = self.settings.stop.unwrap_or(NEVER);
        let options = RunOptions {
            start: Some(self.settings.start),
            stop: Some(stop),
            tolerance: self.settings.tolerance,
            interval: Some(stop - self.settings.start),
            ..RunOptions::default()
        };
        let (observer, loaded) = (self.seen.clone(), &mut self.loaded);
        with_stack(move || {
            let variant = loaded.with(&values).map_err(|refusal| refusal.text())?;
            let begun = variant.simulation(&options, Box::new(observer));
            begun.map_err(|said| variant.loaded().text(&said))
        })?
    }

    /// Passes the present instant with the inputs that were set.
    fn settle(&mut self) -> Wrong<()> {
        if self.simulation.is_none() {
            return self.begin();
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

    /// Ends the run.
    pub fn terminate(&mut self) {
        if let Some(simulation) = &mut self.simulation {
            simulation.terminate();
        }
        self.phase = Phase::Terminated;
    }

    /// As it was when it was instantiated.
    pub fn reset(&mut self) {
        self.simulation = None;
        self.settings = Settings { start: self.loaded.model().experiment.start.unwrap_or(0.0), ..Settings::default() };
        self.seen = Seen::default();
        self.is_unsettled = false;
        self.phase = Phase::Instantiated;
    }

    /// Where it is.
    pub fn state(&self) -> State {
        let snapshot = self.simulation.as_ref().map(Simulation::snapshot);
        State { phase: self.phase, settings: self.settings.clone(), snapshot }
    }

    /// Comes back to where it was.
    pub fn restore(&mut self, state: &State) -> Wrong<()> {
        let is_other_run = self.settings.stop != state.settings.stop
            || (self.settings.start, self.settings.tolerance) != (state.settings.start, state.settings.tolerance)
            || self.settings.parameters != state.settings.parameters;
        if is_other_run {
            self.simulation = None;
        }
        self.settings = state.settings.clone();
        self.is_unsettled = false;
        match &state.snapshot {
            None => self.simulation = None,
            Some(snapshot) => {
                let mut simulation = match self.simulation.take() {
                    Some(simulation) => simulation,
                    None => self.begun()?,
                };
                if !simulation.restore(snapshot) {
                    return Err("the state is not one of this model".to_string());
                }
                self.simulation = Some(simulation);
                self.is_unsettled = snapshot.has_pending_inputs();
            }
        }
        self.phase = state.phase;
        Ok(())
    }

    /// How variables change with inputs in a direction, at the present time: exact derivatives of the mode that the run is in.
    pub fn derivative(&mut self, unknowns: &[usize], knowns: &[usize], seed: &[f64]) -> Wrong<Vec<f64>> {
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
        let State { phase, settings, snapshot } = state;
        let head = json!({
            "token": self.token,
            "phase": *phase as u8,
            "start": settings.start.to_bits(),
            "stop": settings.stop.map(f64::to_bits),
            "tolerance": settings.tolerance.map(f64::to_bits),
            "parameters": settings.parameters.iter().map(bits).collect::<Vec<_>>(),
            "inputs": settings.inputs.iter().map(bits).collect::<Vec<_>>(),
            "begun": snapshot.is_some(),
        });
        let head = head.to_string().into_bytes();
        let tail = snapshot.as_ref().map(Snapshot::to_bytes).unwrap_or_default();
        [&(head.len() as u64).to_le_bytes(), &head[..], &tail].concat()
    }

    /// A state from bytes.
    pub fn deserialized(&self, bytes: &[u8]) -> Wrong<State> {
        self.state_of(bytes).ok_or_else(|| "these are not the bytes of a state of this model".to_string())
    }

    fn state_of(&self, bytes: &[u8]) -> Option<State> {
        const PHASES: [Phase; 6] =
            [Phase::Instantiated, Phase::Initialization, Phase::Event, Phase::Step, Phase::Terminated, Phase::Failed];
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
        (is_known && head["token"] == *self.token).then_some(State { phase, settings, snapshot })
    }
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

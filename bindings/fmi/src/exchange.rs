//! A model that its importer integrates: where the importer says it is, and what follows there, computed when it is asked for.

use modeshift_diagnostics::Diagnostics;
use modeshift_driver::loaded::{Exchange, ExchangeEvent, ExchangePoint, SavedExchange};

/// A run that is somewhere.
pub struct Exchanged {
    run: Exchange,
    /// Where the importer says it is.
    pub time: f64,
    /// What it says the states are.
    pub states: Vec<f64>,
    /// Inputs that were set between events, by their numbers.
    inputs: Vec<(usize, f64)>,
    /// Inputs that were set at an event.
    pending: Vec<(usize, f64)>,
    /// Whether the present instant is to be passed.
    needs_event: bool,
    /// When the next event is due.
    pub next: Option<f64>,
    /// What follows here, as far as it was asked for.
    point: Option<ExchangePoint>,
    values: Option<Vec<f64>>,
    /// How many indicators the description tells.
    indicators: usize,
}

/// Where a run is, to come back to.
#[derive(Clone, Debug)]
pub struct SavedPlace {
    /// The run.
    pub run: SavedExchange,
    /// Inputs that it has not seen.
    pub pending: Vec<(usize, f64)>,
    /// Whether the present instant is to be passed.
    pub needs_event: bool,
}

impl Exchanged {
    /// A run that has passed its first instant, described with so many states and indicators. Other values of parameters may leave
    /// fewer relations; where there were more, the description would not be true.
    pub fn new(
        (run, first): (Exchange, ExchangeEvent),
        time: f64,
        (states, indicators): (usize, usize),
    ) -> Option<Self> {
        let fits = run.shape().states.len() == states && run.shape().indicators <= indicators;
        let (states, next) = (first.states, first.next);
        let (inputs, pending) = (Vec::new(), Vec::new());
        fits.then_some(Exchanged {
            run,
            time,
            states,
            inputs,
            pending,
            needs_event: false,
            next,
            point: None,
            values: None,
            indicators,
        })
    }

    fn forget(&mut self) {
        (self.point, self.values) = (None, None);
    }

    /// The importer is at another time.
    pub fn set_time(&mut self, time: f64) {
        self.time = time;
        self.forget();
    }

    /// The importer has other states.
    pub fn set_states(&mut self, states: &[f64]) {
        self.states.copy_from_slice(states);
        self.forget();
    }

    /// Sets an input, at an event or between events; says why not.
    pub fn set_input(&mut self, name: &str, value: f64, at_event: bool) -> Result<(), String> {
        let number = self.run.input(name).ok_or_else(|| format!("`{name}` is no input of the run"))?;
        let list = match at_event {
            true => &mut self.pending,
            false if self.run.is_continuous(number) => &mut self.inputs,
            false => return Err(format!("`{name}` changes at events only")),
        };
        list.retain(|it| it.0 != number);
        list.push((number, value));
        self.forget();
        Ok(())
    }

    /// What follows where the importer is.
    pub fn point(&mut self) -> Result<&ExchangePoint, Diagnostics> {
        if self.point.is_none() {
            let mut point = self.run.at(self.time, &self.states, &self.inputs)?;
            point.indicators.resize(self.indicators, 1.0);
            self.point = Some(point);
            self.inputs.clear();
        }
        Ok(self.point.as_ref().expect("it was just computed"))
    }

    /// The value of a variable there; nothing where there is no such one.
    pub fn value(&mut self, name: &str) -> Result<Option<f64>, Diagnostics> {
        let Some(place) = self.run.place(name) else { return Ok(None) };
        if self.values.is_none() {
            self.point()?;
            self.values = Some(self.run.values()?);
        }
        Ok(self.values.as_ref().map(|values| values[place]))
    }

    /// The importer begins an event.
    pub fn enter_event(&mut self) {
        self.needs_event = true;
    }

    /// Passes the present instant where that is due: what came of it, and whether states have changed.
    pub fn settle(&mut self) -> Result<Option<(ExchangeEvent, bool)>, Diagnostics> {
        if !self.needs_event && self.pending.is_empty() {
            return Ok(None);
        }
        self.point()?;
        let event = self.run.event(&self.pending)?;
        self.pending.clear();
        self.needs_event = false;
        let has_changed = event.states.iter().zip(&self.states).any(|(new, old)| new.to_bits() != old.to_bits());
        self.states.clone_from(&event.states);
        self.next = event.next;
        self.forget();
        Ok(Some((event, has_changed)))
    }

    /// A step has led here: whether an event is needed.
    pub fn completed(&mut self) -> Result<bool, Diagnostics> {
        self.point()?;
        self.run.completed()
    }

    /// The nominal values of the states.
    pub fn nominals(&self) -> Vec<f64> {
        self.run.shape().states.iter().map(|state| state.nominal).collect()
    }

    /// How derivatives of states and then variables change in a direction of states and inputs, these by their names.
    pub fn tangent(
        &mut self,
        states: &[f64],
        inputs: &[(String, f64)],
        variables: &[String],
    ) -> Result<Vec<f64>, Diagnostics> {
        self.point()?;
        let numbered = |(name, seed): &(String, f64)| Some((self.run.input(name)?, *seed));
        let inputs: Vec<(usize, f64)> = inputs.iter().filter_map(numbered).collect();
        self.run.tangent(states, &inputs, variables)
    }

    /// Where it is.
    pub fn save(&mut self) -> Result<SavedPlace, Diagnostics> {
        self.point()?;
        Ok(SavedPlace { run: self.run.save()?, pending: self.pending.clone(), needs_event: self.needs_event })
    }

    /// Comes back to where it was; false where that was another model.
    pub fn restore(&mut self, saved: &SavedPlace) -> Result<bool, Diagnostics> {
        let Some((time, event)) = self.run.restore(&saved.run)? else { return Ok(false) };
        (self.time, self.states, self.next) = (time, event.states, event.next);
        (self.pending, self.needs_event) = (saved.pending.clone(), saved.needs_event);
        self.inputs.clear();
        self.forget();
        Ok(true)
    }

    /// The last instant.
    pub fn finish(&mut self) -> Result<(), Diagnostics> {
        self.point()?;
        self.run.finish()?;
        self.values = None;
        Ok(())
    }
}

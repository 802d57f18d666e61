//! A model with what is known of its run, and the error of a run.

use std::collections::BTreeMap;

use modeshift_simulate::integrate::Method;
use serde_json::Value;

use crate::support::runs::{How, Ran, file, run_text};

/// Where a value is known.
#[derive(Clone, Debug)]
enum Place {
    /// At a time that has a row; at an event, after it.
    At(f64),
    /// At the stop time.
    End,
    /// Before the event of this number.
    Before(usize),
    /// After it.
    After(usize),
    /// The weight of the impulse of this order at the event of this number.
    Impulse(usize, String),
    /// The time of the event of this number itself.
    Event(usize),
    /// The time of an event, whichever it is.
    SomeEvent,
}

/// A model with what is known of its run.
pub struct Case {
    pub name: String,
    pub text: String,
    pub stop: f64,
    /// The distance between rows.
    pub interval: Option<f64>,
    known: Vec<(Place, String, f64)>,
    nominal: BTreeMap<String, f64>,
}

impl Case {
    pub fn new(name: &str, text: String, stop: f64) -> Self {
        Case { name: name.to_string(), text, stop, interval: None, known: Vec::new(), nominal: BTreeMap::new() }
    }

    fn know(&mut self, place: Place, variable: &str, value: f64) {
        self.known.push((place, variable.to_string(), value));
    }

    pub fn at(&mut self, time: f64, variable: &str, value: f64) {
        self.know(Place::At(time), variable, value);
    }

    pub fn at_end(&mut self, variable: &str, value: f64) {
        self.know(Place::End, variable, value);
    }

    pub fn before(&mut self, event: usize, variable: &str, value: f64) {
        self.know(Place::Before(event), variable, value);
    }

    pub fn after(&mut self, event: usize, variable: &str, value: f64) {
        self.know(Place::After(event), variable, value);
    }

    pub fn impulse(&mut self, event: usize, variable: &str, order: &str, weight: f64) {
        self.know(Place::Impulse(event, order.to_string()), variable, weight);
    }

    pub fn event(&mut self, event: usize, time: f64) {
        self.know(Place::Event(event), "time", time);
    }

    pub fn some_event(&mut self, time: f64) {
        self.know(Place::SomeEvent, "time", time);
    }

    /// The nominal value that the text gives to a variable.
    pub fn nominal(&mut self, variable: &str, value: f64) {
        self.nominal.insert(variable.to_string(), value);
    }

    /// The largest error of a run, in tolerances, and where it is.
    pub fn largest_error(&self, method: Method, tolerance: f64) -> (f64, String) {
        let how = How { method: Some(method), interval: self.interval, ..How::until(self.stop).tolerance(tolerance) };
        let ran = run_text(&self.text, &how).finished();
        let mut worst = (0.0, String::new());
        for (place, variable, expected) in &self.known {
            let found = found(&ran, place, variable, *expected);
            let nominal = self.nominal.get(variable).copied().unwrap_or(1.0);
            let error = (found - expected).abs() / (tolerance * expected.abs().max(nominal));
            if error > worst.0 || error.is_nan() {
                worst = (error, format!("{variable} {place:?} = {found}, not {expected}"));
            }
        }
        worst
    }
}

fn found(ran: &Ran, place: &Place, variable: &str, expected: f64) -> f64 {
    match place {
        Place::At(time) => ran.at(*time, variable),
        Place::End => ran.last(variable),
        Place::Before(event) => ran.limits(*event, variable).0,
        Place::After(event) => ran.limits(*event, variable).1,
        Place::Impulse(event, order) => ran.weight(*event, variable, order),
        Place::Event(event) => ran.event_times().get(*event).copied().unwrap_or(f64::NAN),
        Place::SomeEvent => {
            let distance = |time: &f64| (time - expected).abs();
            ran.event_times().into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(f64::NAN)
        }
    }
}

/// A file of references, or a part of it.
pub struct Reference(Value);

/// The file of this name.
pub fn reference(name: &str) -> Reference {
    Reference(serde_json::from_str(&file(&format!("tests/data/reference/{name}.json"))).expect("JSON"))
}

impl Reference {
    /// A part, by its name or its place; nothing where there is none.
    pub fn part<I: serde_json::value::Index>(&self, index: I) -> Reference {
        Reference(self.0.get(index).cloned().unwrap_or(Value::Null))
    }

    /// The rows of a table; none where there is no table.
    pub fn rows(&self, name: &str) -> Vec<Reference> {
        self.part(name).list()
    }

    pub fn list(&self) -> Vec<Reference> {
        self.0.as_array().into_iter().flatten().cloned().map(Reference).collect()
    }

    /// The members of an object.
    pub fn members(&self, name: &str) -> Vec<(String, f64)> {
        let object = self.0[name].as_object().into_iter().flatten();
        object.map(|(key, value)| (key.clone(), number(value))).collect()
    }

    pub fn number<I: serde_json::value::Index>(&self, index: I) -> f64 {
        number(&self.part(index).0)
    }

    /// This itself, as a number.
    pub fn number_itself(&self) -> f64 {
        number(&self.0)
    }

    pub fn numbers(&self, name: &str) -> Vec<f64> {
        self.rows(name).iter().map(|row| number(&row.0)).collect()
    }

    pub fn texts(&self, name: &str) -> Vec<String> {
        self.rows(name).iter().map(Reference::text).collect()
    }

    pub fn text(&self) -> String {
        self.0.as_str().expect("a text").to_string()
    }
}

/// A number, also as a decimal text, which keeps all digits, or as a fraction.
fn number(value: &Value) -> f64 {
    match value.as_str().map(|text| text.split_once('/').ok_or(text)) {
        None => value.as_f64().expect("a number"),
        Some(Err(text)) => text.parse().expect("a number"),
        Some(Ok((a, b))) => a.parse::<f64>().expect("a number") / b.parse::<f64>().expect("a number"),
    }
}

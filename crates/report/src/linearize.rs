//! The report of `linearize`: a mode as a linear system near a point of a run.

use std::fmt::Write as _;

use modeshift_dae::MultimodeDae;
use modeshift_simulate::run::Linearization;
use serde_json::Value;

use crate::json::{ByName, Json, Version};

crate::report! {
    /// A state, an input or an output, and its value.
    pub struct NamedValue {
        /// Its name; of a state that is a derivative, `der(x)`.
        name: String => always "name",
        /// Its value at the point.
        value: Option<f64> => always "value",
    }

    /// A mode near a point of a run: `x' = A x + B u` and `y = C x + D u` for small changes of states, inputs and outputs.
    pub struct LinearizeReport {
        /// The version of the format.
        version: Version => always "version",
        /// The class.
        model: String => always "model",
        /// When.
        time: f64 => always "time",
        /// The mode.
        mode: ByName<bool> => always "mode",
        /// The states.
        states: Vec<NamedValue> => always "states",
        /// The inputs.
        inputs: Vec<NamedValue> => always "inputs",
        /// The outputs.
        outputs: Vec<NamedValue> => always "outputs",
        /// Derivatives of the derivatives of states by states, by rows.
        a: Vec<Vec<f64>> => always "A",
        /// Derivatives of the derivatives of states by inputs.
        b: Vec<Vec<f64>> => always "B",
        /// Derivatives of outputs by states.
        c: Vec<Vec<f64>> => always "C",
        /// Derivatives of outputs by inputs.
        d: Vec<Vec<f64>> => always "D",
    }
}

impl LinearizeReport {
    /// The report of a linearization.
    pub fn new(dae: &MultimodeDae, found: Linearization) -> Self {
        let named = |list: Vec<(String, f64)>| {
            let value = |value: f64| value.is_finite().then_some(value);
            list.into_iter().map(|(name, it)| NamedValue { name, value: value(it) }).collect()
        };
        let modes = dae.mode_variables.iter_enumerated().map(|(id, it)| (it.name.to_string(), found.mode[id]));
        LinearizeReport {
            version: Version,
            model: dae.model.name.to_string(),
            time: found.time,
            mode: ByName(modes.collect()),
            states: named(found.states),
            inputs: named(found.inputs),
            outputs: named(found.outputs),
            a: found.a,
            b: found.b,
            c: found.c,
            d: found.d,
        }
    }

    /// As text: the point, then the matrices with the names of their rows and columns.
    pub fn text(&self) -> String {
        let mut text = format!("{} at time = {}\n", self.model, self.time);
        if !self.mode.0.is_empty() {
            let literal = |(name, value): &(String, bool)| format!("{}{name}", if *value { "" } else { "not " });
            let _ = writeln!(text, "\nmode\n  {}", self.mode.0.iter().map(literal).collect::<Vec<_>>().join(", "));
        }
        for (heading, list) in [("states", &self.states), ("inputs", &self.inputs), ("outputs", &self.outputs)] {
            if !list.is_empty() {
                let _ = writeln!(text, "\n{heading}");
                let width = list.iter().map(|it| it.name.chars().count()).max().unwrap_or(0);
                for it in list {
                    let value = it.value.map_or("not known".to_string(), |value| value.to_string());
                    let _ = writeln!(text, "  {:width$}  {value}", it.name);
                }
            }
        }
        let rates: Vec<String> = self.states.iter().map(|it| format!("der({})", it.name)).collect();
        let names = |list: &[NamedValue]| list.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
        let (states, inputs, outputs) = (names(&self.states), names(&self.inputs), names(&self.outputs));
        text += &matrix("A", &rates, &states, &self.a);
        text += &matrix("B", &rates, &inputs, &self.b);
        text += &matrix("C", &outputs, &states, &self.c);
        text += &matrix("D", &outputs, &inputs, &self.d);
        text
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        Json::json(self)
    }
}

/// A matrix with names; nothing where it has no entries.
fn matrix(name: &str, rows: &[String], columns: &[String], entries: &[Vec<f64>]) -> String {
    if rows.is_empty() || columns.is_empty() {
        return String::new();
    }
    let cells: Vec<Vec<String>> =
        entries.iter().map(|row| row.iter().map(|entry| (entry + 0.0).to_string()).collect()).collect();
    let head = rows.iter().map(|it| it.chars().count()).max().unwrap_or(0);
    let width = |column: usize| {
        let own = cells.iter().map(|row| row[column].len()).max().unwrap_or(0);
        own.max(columns[column].chars().count())
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let line = |first: &str, items: &[String]| {
        let items = items.iter().zip(&widths).map(|(item, width)| format!("  {item:>width$}"));
        format!("  {first:head$}{}\n", items.collect::<String>())
    };
    let mut text = format!("\n{name}\n{}", line("", columns));
    for (row, cells) in rows.iter().zip(&cells) {
        text += &line(row, cells);
    }
    text
}

//! What must come out of a model, from the file of its kind.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

/// The kinds of models: a folder and a file of references each.
pub const KINDS: [&str; 7] = ["power", "mechanics", "hydraulics", "control", "impulses", "discrete", "expectations"];

/// A model and what must come out of it.
pub struct Reference {
    pub kind: String,
    pub model: String,
    pub stop: f64,
    pub interval: f64,
    pub checks: Vec<Check>,
    /// The largest absolute value of each variable over the run.
    pub largest: BTreeMap<String, f64>,
    /// The powers of the units of size and of time that a variable is measured in.
    pub units: BTreeMap<String, (i32, i32)>,
    /// By how much a perturbation of the start grows, at least 1.
    pub amplification: f64,
    pub is_stiff: bool,
    /// The number of events, where it is certain.
    pub events: Option<usize>,
    /// The run must be refused.
    pub is_refused: bool,
    /// Solver and tolerance that the reference asks for, where it does.
    pub settings: Option<(String, f64)>,
    /// The values of the parameters `u` and `tau`, the units of size and of time, where the model has them.
    pub parameters: BTreeMap<String, f64>,
}

/// A value of a variable at a time.
pub struct Check {
    pub variable: String,
    pub time: f64,
    pub value: f64,
    /// The absolute error that is allowed at least, where the reference says it.
    pub allowed: Option<f64>,
}

impl Reference {
    /// The model's name with its kind, as in the table of what fails.
    pub fn path(&self) -> String {
        format!("{}/{}", self.kind, self.model)
    }

    pub fn file(&self) -> PathBuf {
        models().join(&self.kind).join(format!("{}.mo", self.model))
    }

    /// The model's text.
    pub fn text(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap_or_else(|error| panic!("{}: {error}", self.path()))
    }
}

/// Where models and references are.
fn models() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/instant/models")
}

/// The references of all kinds.
pub fn all() -> Vec<Reference> {
    KINDS.iter().flat_map(|kind| of_kind(kind)).collect()
}

/// The references of a kind, those that `INSTANT` asks for.
pub fn of_kind(kind: &str) -> Vec<Reference> {
    let text = std::fs::read_to_string(models().join(format!("{kind}.json"))).expect("the references of a kind");
    let list: Vec<Value> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{kind}.json: {error}"));
    let wanted = std::env::var("INSTANT").unwrap_or_default();
    list.iter().map(|it| read(kind, it)).filter(|it| it.path().contains(&wanted)).collect()
}

fn read(kind: &str, value: &Value) -> Reference {
    let checks = value["checks"].as_array().expect("checks").iter().map(|check| Check {
        variable: text(&check["var"]),
        time: number(&check["t"]),
        value: number(&check["value"]),
        allowed: check["tol"].as_f64(),
    });
    let unit = |it: &Value| it[0].as_i64().zip(it[1].as_i64()).map(|(size, time)| (size as i32, time as i32));
    Reference {
        kind: kind.to_string(),
        model: text(&value["model"]),
        stop: number(&value["stop"]),
        interval: number(&value["interval"]),
        checks: checks.collect(),
        largest: map(&value["largest"], number),
        units: map(&value["units"], |it| unit(it).expect("two powers")),
        amplification: number(&value["amplification"]),
        is_stiff: value["stiff"].as_bool().expect("stiff or not"),
        events: value["events"].as_u64().map(|it| it as usize),
        is_refused: value["expect"] == "refused",
        settings: value["solver"].as_str().map(|solver| (solver.to_string(), number(&value["tolerance"]))),
        parameters: map(&value["parameters"], number),
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_string()
}

fn map<T>(value: &Value, read: impl Fn(&Value) -> T) -> BTreeMap<String, T> {
    let entries = value.as_object().into_iter().flatten();
    entries.map(|(name, it)| (name.clone(), read(it))).collect()
}

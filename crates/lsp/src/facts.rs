//! What the analysis knows of a document and a reader wants to see beside the text: which equation gives which variable
//! in which modes, how often it is differentiated, what is a state. Made by the worker, kept by the server.

use modeshift_dae::{MultimodeDae, Type, Variability, short_text};
use modeshift_diagnostics::Span;
use modeshift_report::analyze::{AnalyzeReport, Case};
use serde_json::{Value, json};

/// The facts of one text.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The number of the text they were found in.
    pub changes: u64,
    value: Value,
}

/// More items than this are not sent to an editor.
const MOST_ITEMS: usize = 3000;

impl Facts {
    /// What the worker found.
    pub fn new(changes: u64, value: Value) -> Facts {
        Facts { changes, value }
    }

    /// The model they are of.
    pub fn model(&self) -> &str {
        self.value["model"].as_str().unwrap_or_default()
    }

    /// One line: how many modes, which index when.
    pub fn summary(&self) -> &str {
        self.value["summary"].as_str().unwrap_or_default()
    }

    /// All variables.
    pub fn all_variables(&self) -> &[Value] {
        items(&self.value["variables"])
    }

    /// All equations, those of one place side by side.
    pub fn equations(&self) -> &[Value] {
        items(&self.value["equations"])
    }
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// One line about a model: `3 modes · index 2 when bh or bl`.
pub fn summary(report: &AnalyzeReport) -> String {
    let modes = if report.mode_count == "1" { "1 mode".to_string() } else { format!("{} modes", report.mode_count) };
    let mut parts = vec![modes];
    let highest = report.structural_index.iter().max_by_key(|case| case.value);
    parts.extend(highest.map(|case| match case.when.as_str() {
        "true" => format!("index {}", case.value),
        when => format!("index {} when {}", case.value, shortened(when)),
    }));
    if report.verdict != "regular" {
        let modes = &report.singular_when;
        parts.push(if modes == "true" {
            "singular".to_string()
        } else {
            format!("singular when {}", shortened(modes))
        });
    }
    parts.join(" · ")
}

/// A formula that fits in a line.
fn shortened(formula: &str) -> String {
    const LONGEST: usize = 60;
    match formula.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &formula[..at]),
        None => formula.to_string(),
    }
}

/// The facts of a model, as far as they are about the document itself: the first file of the sources.
pub fn facts(dae: &MultimodeDae, report: &AnalyzeReport) -> Value {
    let own = |span: Span| {
        let is_own = span.file == Span::default().file && span != Span::default();
        is_own.then_some(span)
    };
    let text = |expression| short_text(&dae.model, Some(&dae.mode_variables), expression);
    let mut equations: Vec<Value> = Vec::new();
    for equation in dae.model.equations.iter() {
        let Some(span) = own(equation.span) else { continue };
        let Some(item) = report.equations.iter().find(|item| item.name == *equation.name) else { continue };
        let solved: Vec<Value> = report
            .blocks
            .iter()
            .filter(|block| block.equations.iter().any(|name| base(name) == item.name))
            .map(|block| {
                let alone = block.equations.len() == 1;
                let with = if alone { Vec::new() } else { block.equations.clone() };
                json!({"when": block.when, "writes": block.writes, "with": with})
            })
            .collect();
        equations.push(json!({
            "name": item.name, "start": span.start, "end": span.end, "when": item.when,
            "offsets": cases(&item.offsets), "solved": solved,
        }));
        if equations.len() >= MOST_ITEMS {
            break;
        }
    }
    equations.sort_by_key(|equation| equation["start"].as_u64());
    let mut variables: Vec<Value> = Vec::new();
    for variable in dae.model.variables.iter() {
        let Some(span) = own(variable.span) else { continue };
        let item = report.variables.iter().find(|item| item.name == *variable.name);
        let given: Vec<Value> = report
            .blocks
            .iter()
            .filter(|block| item.is_some() && block.writes.iter().any(|name| base(name) == &*variable.name))
            .map(|block| {
                json!({
                    "when": block.when, "equations": block.equations, "writes": block.writes,
                    "state": state(block.writes.iter(), block.equations.iter(), &variable.name),
                })
            })
            .collect();
        let mode = report.mode_variables.iter().find(|mode| mode.name == *variable.name);
        let binding = variable.binding.map(text);
        let start_value = variable.start.map(text);
        variables.push(json!({
            "name": &*variable.name, "start": span.start, "type": type_name(dae, variable.ty),
            "kind": kind(variable.variability), "unit": variable.unit.as_deref(), "value": binding,
            "start_value": start_value, "fixed": variable.fixed, "when": item.map(|item| item.when.as_str()),
            "offsets": item.map(|item| cases(&item.offsets)), "given": given,
            "mode": mode.map(|mode| json!({"definition": mode.definition, "implicit": mode.implicit})),
        }));
        if variables.len() >= MOST_ITEMS {
            break;
        }
    }
    json!({"model": report.model, "summary": summary(report), "equations": equations, "variables": variables})
}

fn cases(cases: &[Case]) -> Vec<Value> {
    cases.iter().map(|case| json!({"when": case.when, "value": case.value})).collect()
}

/// A name without the primes of its derivatives.
fn base(name: &str) -> &str {
    name.trim_end_matches('\'')
}

fn primes(name: &str) -> usize {
    name.len() - base(name).len()
}

/// Whether a variable is a state where a block is solved. As many states as the orders of what is solved for exceed those
/// of the equations: all of a block, none, or some of them.
fn state<'a>(
    writes: impl Iterator<Item = &'a String> + Clone,
    equations: impl Iterator<Item = &'a String>,
    variable: &str,
) -> &'static str {
    let own = writes.clone().find(|name| base(name) == variable).map_or(0, |name| primes(name));
    let orders: usize = writes.map(|name| primes(name)).sum();
    let differentiated: usize = equations.map(|name| primes(name)).sum();
    match orders.saturating_sub(differentiated) {
        _ if own == 0 => "no",
        0 => "no",
        states if states == orders => "yes",
        _ => "perhaps",
    }
}

fn kind(variability: Variability) -> &'static str {
    match variability {
        Variability::Constant => "constant",
        Variability::Parameter => "parameter",
        Variability::Discrete => "discrete",
        Variability::Continuous => "continuous",
    }
}

fn type_name(dae: &MultimodeDae, ty: Type) -> String {
    match ty {
        Type::Real => "Real".to_string(),
        Type::Integer => "Integer".to_string(),
        Type::Boolean => "Boolean".to_string(),
        Type::String => "String".to_string(),
        Type::Enumeration(id) => dae.model.enumerations[id].name.to_string(),
    }
}

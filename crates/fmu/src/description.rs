//! `modelDescription.xml` of FMI 2.0 and 3.0.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use modeshift_driver::loaded::Loaded;

use crate::archive::{Kind, Version};
use crate::interface::{Causality, Shown, Slot, SlotKind, Variability};

/// The description of a model with these variables.
pub(crate) fn description(
    loaded: &Loaded,
    slots: &[Slot],
    version: Version,
    kind: Kind,
    (name, token): (&str, &str),
) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut writer = Writer { text: &mut text, version, kind };
    writer.root(loaded, slots, name, token);
    text
}

struct Writer<'a> {
    text: &'a mut String,
    version: Version,
    kind: Kind,
}

/// An attribute; nothing where it has no value.
type Attribute<'a> = (&'a str, Option<String>);

fn some(text: impl Into<String>) -> Option<String> {
    Some(text.into())
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            // What XML cannot say at all.
            letter if letter.is_control() => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

fn number(value: f64) -> String {
    format!("{value:?}")
}

impl Writer<'_> {
    fn element(&mut self, depth: usize, name: &str, attributes: &[Attribute<'_>], end: &str) {
        let _ = write!(self.text, "{:width$}<{name}", "", width = 2 * depth);
        for (name, value) in attributes {
            if let Some(value) = value {
                let _ = write!(self.text, " {name}=\"{}\"", escaped(value));
            }
        }
        let _ = writeln!(self.text, "{end}");
    }

    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{:width$}{line}", "", width = 2 * depth);
    }

    fn root(&mut self, loaded: &Loaded, slots: &[Slot], name: &str, token: &str) {
        let (version, key) = match self.version {
            Version::Two => ("2.0", "guid"),
            Version::Three => ("3.0", "instantiationToken"),
        };
        let model = loaded.model();
        let indicators = slots.iter().filter(|slot| is_indicator(slot)).count().to_string();
        let has_count = self.version == Version::Two && self.kind.has_model_exchange();
        self.element(
            0,
            "fmiModelDescription",
            &[
                ("fmiVersion", some(version)),
                ("modelName", some(&*model.name)),
                (key, some(token)),
                ("description", model.description.as_ref().map(|text| text.to_string())),
                ("generationTool", some(format!("Modeshift {}", env!("CARGO_PKG_VERSION")))),
                ("variableNamingConvention", some("flat")),
                ("numberOfEventIndicators", has_count.then_some(indicators)),
            ],
            ">",
        );
        if self.kind.has_model_exchange() {
            self.model_exchange(name);
        }
        if self.kind.has_co_simulation() {
            self.co_simulation(name);
        }
        self.units(slots);
        let categories = ["logStatusError", "logStatusWarning"];
        self.line(1, "<LogCategories>");
        categories.iter().for_each(|name| self.element(2, "Category", &[("name", some(*name))], "/>"));
        self.line(1, "</LogCategories>");
        let experiment = &model.experiment;
        self.element(
            1,
            "DefaultExperiment",
            &[
                ("startTime", some(number(experiment.start.unwrap_or(0.0)))),
                ("stopTime", some(number(experiment.stop.unwrap_or(experiment.start.unwrap_or(0.0) + 1.0)))),
                ("tolerance", some(number(experiment.tolerance.unwrap_or(1e-6)))),
                ("stepSize", experiment.interval.filter(|it| *it > 0.0).map(number)),
            ],
            "/>",
        );
        self.line(1, "<ModelVariables>");
        // FMI 2.0 only counts indicators; they are the last.
        let version = self.version;
        let is_told = |slot: &Slot| version == Version::Three || !is_indicator(slot);
        slots.iter().enumerate().filter(|(_, slot)| is_told(slot)).for_each(|(at, slot)| self.variable(at, slot));
        self.line(1, "</ModelVariables>");
        self.structure(slots);
        self.line(0, "</fmiModelDescription>");
    }

    fn model_exchange(&mut self, name: &str) {
        let yes = || some("true");
        let attributes = match self.version {
            Version::Two => vec![
                ("modelIdentifier", some(name)),
                ("canGetAndSetFMUstate", yes()),
                ("canSerializeFMUstate", yes()),
                ("providesDirectionalDerivative", yes()),
            ],
            Version::Three => vec![
                ("modelIdentifier", some(name)),
                ("canGetAndSetFMUState", yes()),
                ("canSerializeFMUState", yes()),
                ("providesDirectionalDerivatives", yes()),
                ("needsCompletedIntegratorStep", yes()),
            ],
        };
        self.element(1, "ModelExchange", &attributes, "/>");
    }

    fn co_simulation(&mut self, name: &str) {
        let yes = || some("true");
        match self.version {
            Version::Two => {
                let attributes = [
                    ("modelIdentifier", some(name)),
                    ("canHandleVariableCommunicationStepSize", yes()),
                    ("canGetAndSetFMUstate", yes()),
                    ("canSerializeFMUstate", yes()),
                    ("providesDirectionalDerivative", yes()),
                ];
                self.element(1, "CoSimulation", &attributes, "/>");
            }
            Version::Three => {
                let attributes = [
                    ("modelIdentifier", some(name)),
                    ("canGetAndSetFMUState", yes()),
                    ("canSerializeFMUState", yes()),
                    ("providesDirectionalDerivatives", yes()),
                    ("canHandleVariableCommunicationStepSize", yes()),
                    ("canReturnEarlyAfterIntermediateUpdate", yes()),
                    ("providesIntermediateUpdate", yes()),
                    ("hasEventMode", yes()),
                ];
                self.element(1, "CoSimulation", &attributes, "/>");
            }
        }
    }

    fn units(&mut self, slots: &[Slot]) {
        let units: BTreeSet<&str> = slots.iter().filter_map(unit).collect();
        self.line(1, "<UnitDefinitions>");
        units.into_iter().for_each(|unit| self.element(2, "Unit", &[("name", some(unit))], "/>"));
        self.line(1, "</UnitDefinitions>");
    }

    fn variable(&mut self, at: usize, slot: &Slot) {
        let causality = match slot.causality {
            Causality::Independent => "independent",
            Causality::Parameter => "parameter",
            Causality::CalculatedParameter => "calculatedParameter",
            Causality::Input => "input",
            Causality::Output => "output",
            Causality::Local => "local",
        };
        let variability = match slot.variability {
            Variability::Constant => "constant",
            Variability::Fixed => "fixed",
            Variability::Discrete => "discrete",
            Variability::Continuous => "continuous",
        };
        let initial = match (slot.causality, slot.variability) {
            (Causality::Independent | Causality::Input, _) => None,
            (Causality::Parameter, _) | (_, Variability::Constant) => some("exact"),
            _ => some("calculated"),
        };
        let is_calculated = slot.causality == Causality::CalculatedParameter;
        let start = slot.start.filter(|_| !is_calculated).map(|value| match slot.kind {
            SlotKind::Real => number(value),
            SlotKind::Integer => format!("{}", value as i64),
            SlotKind::Boolean => (value != 0.0).to_string(),
        });
        let common = [
            ("name", some(&slot.name)),
            ("valueReference", some(at.to_string())),
            ("description", slot.description.clone()),
            ("causality", some(causality)),
            ("variability", some(variability)),
            ("initial", initial),
        ];
        // Places in the list, from 1, or numbers.
        let first = if self.version == Version::Two { 1 } else { 0 };
        let derivative = slot.derivative.map(|of| (of + first).to_string());
        let (least, largest) = (slot.literals.map(|_| "1".to_string()), slot.literals.map(|count| count.to_string()));
        let own = [
            ("start", start),
            ("unit", unit(slot).map(str::to_string)),
            ("derivative", derivative),
            ("min", least),
            ("max", largest),
        ];
        match self.version {
            Version::Two => {
                self.element(2, "ScalarVariable", &common, ">");
                let kind = match slot.kind {
                    SlotKind::Real => "Real",
                    SlotKind::Integer => "Integer",
                    SlotKind::Boolean => "Boolean",
                };
                self.element(3, kind, &own, "/>");
                self.line(2, "</ScalarVariable>");
            }
            Version::Three => {
                let kind = match slot.kind {
                    SlotKind::Real => "Float64",
                    SlotKind::Integer => "Int64",
                    SlotKind::Boolean => "Boolean",
                };
                self.element(2, kind, &[&common[..], &own].concat(), "/>");
            }
        }
    }

    fn structure(&mut self, slots: &[Slot]) {
        let numbered = || slots.iter().enumerate();
        let those = |is_one: &dyn Fn(&Slot) -> bool| -> Vec<usize> {
            numbered().filter(|(_, slot)| is_one(slot)).map(|(at, _)| at).collect()
        };
        let outputs = those(&|slot| slot.causality == Causality::Output);
        let derivatives = those(&|slot| slot.derivative.is_some());
        let states = derivatives.iter().filter_map(|&at| slots[at].derivative);
        let calculated = those(&|slot| slot.causality == Causality::CalculatedParameter);
        let unknown = outputs.iter().chain(&derivatives).chain(&calculated).copied().chain(states);
        let unknown: BTreeSet<usize> = unknown.collect();
        let unknown: Vec<usize> = unknown.into_iter().collect();
        self.line(1, "<ModelStructure>");
        match self.version {
            Version::Two => {
                let lists = [("Outputs", outputs), ("Derivatives", derivatives), ("InitialUnknowns", unknown)];
                for (list, places) in lists.into_iter().filter(|(list, _)| *list != "Derivatives" || has_states(slots))
                {
                    self.line(2, &format!("<{list}>"));
                    // Places in the list, from 1.
                    for at in places {
                        self.element(3, "Unknown", &[("index", some((at + 1).to_string()))], "/>");
                    }
                    self.line(2, &format!("</{list}>"));
                }
            }
            Version::Three => {
                let indicators = those(&is_indicator);
                let lists = [
                    ("Output", outputs),
                    ("ContinuousStateDerivative", derivatives),
                    ("InitialUnknown", unknown),
                    ("EventIndicator", indicators),
                ];
                for (kind, places) in lists {
                    for at in places {
                        self.element(2, kind, &[("valueReference", some(at.to_string()))], "/>");
                    }
                }
            }
        }
        self.line(1, "</ModelStructure>");
    }
}

fn is_indicator(slot: &Slot) -> bool {
    matches!(slot.shown, Shown::Indicator(_))
}

fn has_states(slots: &[Slot]) -> bool {
    slots.iter().any(|slot| slot.derivative.is_some())
}

/// The unit of a number; other types have none.
fn unit(slot: &Slot) -> Option<&str> {
    slot.unit.as_deref().filter(|unit| slot.kind == SlotKind::Real && !unit.is_empty())
}

//! Names of equations: by their label, else `e1, e2, …` in source order within each component.
//!
//! An equation without a label comes as `component.#`, elements of an array equation as `component.#[1]`, … and
//! these share one number. Definitions of modes take no number: they are named by what they define.

use std::fmt::Write;
use std::sync::Arc;

use modeshift_dae::{EquationId, EquationKind, FlatModel, VariableId};
use modeshift_diagnostics::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Names all equations, uniquely.
pub(crate) fn name_equations(model: &mut FlatModel, defined_by: impl Fn(EquationId) -> Option<VariableId>) {
    let labels = model.equations.iter().map(|equation| equation.name.clone());
    let mut names = Names { taken: labels.filter(|name| placeholder(name).is_none()).collect(), ..Names::default() };
    let mut seen: FxHashSet<Arc<str>> = FxHashSet::default();
    for id in model.equations.ids() {
        let equation = &model.equations[id];
        let is_definition = equation.kind == EquationKind::ModeDefinition;
        let name = match (placeholder(&equation.name), defined_by(id)) {
            (None, _) => equation.name.clone(),
            (Some(_), Some(variable)) if is_definition => model.variables[variable].name.clone(),
            (Some((component, element)), _) => names.numbered(component, element, equation.span),
        };
        let has_label = placeholder(&equation.name).is_none();
        let clashes = seen.contains(&name) || !has_label && names.taken.contains(&name);
        let name = if clashes { names.another(&name) } else { name };
        seen.insert(name.clone());
        model.equations[id].name = name;
    }
}

/// Splits `component.#[1]` into `component.` and `[1]`; `None` for a label.
fn placeholder(name: &str) -> Option<(&str, &str)> {
    let (component, element) = name.rsplit_once('#')?;
    let whole = (component.is_empty() || component.ends_with('.')) && (element.is_empty() || element.starts_with('['));
    whole.then_some((component, element))
}

#[derive(Default)]
struct Names {
    taken: FxHashSet<Arc<str>>,
    numbers: FxHashMap<String, u32>,
    repeats: FxHashMap<Arc<str>, u32>,
    /// Component and place of the array equation whose elements are being named.
    array: Option<(String, Span)>,
    /// The last name that was written.
    text: String,
}

impl Names {
    fn numbered(&mut self, component: &str, element: &str, span: Span) -> Arc<str> {
        let continues = self.array.as_ref().is_some_and(|(of, at)| of == component && *at == span);
        let is_first =
            element.chars().all(|character| !character.is_ascii_digit() || character == '1') && !element.contains("11");
        if element.is_empty() || is_first || !continues {
            self.advance(component);
            self.array = (!element.is_empty()).then(|| (component.to_string(), span));
        }
        self.write(component, self.numbers[component]);
        self.text.push_str(element);
        self.text.as_str().into()
    }

    /// Goes on to the next number that no label has.
    fn advance(&mut self, component: &str) {
        if !self.numbers.contains_key(component) {
            self.numbers.insert(component.to_string(), 0);
        }
        let mut number = self.numbers[component] + 1;
        self.write(component, number);
        while self.taken.contains(self.text.as_str()) {
            number += 1;
            self.write(component, number);
        }
        *self.numbers.get_mut(component).expect("it was just inserted") = number;
    }

    /// Writes `component.e1`.
    fn write(&mut self, component: &str, number: u32) {
        self.text.clear();
        self.text.push_str(component);
        self.text.push('e');
        write!(self.text, "{number}").expect("a String takes everything");
    }

    /// A name for a further equation of the same label.
    fn another(&mut self, name: &Arc<str>) -> Arc<str> {
        let count = self.repeats.entry(name.clone()).or_insert(1);
        loop {
            *count += 1;
            let candidate: Arc<str> = format!("{name}_{count}").into();
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

//! What a class of each kind may contain (Modelica 3.6, 4.7), as far as its text tells.

use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Span};
use modeshift_syntax::ast::{
    Causality, Class, ClassKind, Component, ConnectorPrefix, Element, ElementKind, Equation, EquationKind, Statement,
    StatementKind, Variability,
};

use crate::classes::library::{composition, elements};
use crate::restrictions::kind_text;

/// Checks the sections, elements and prefixes of a class.
pub(crate) fn check(class: &Class, diagnostics: &mut Diagnostics) {
    let Some(inside) = composition(class) else { return };
    if has_no_sections(class.kind) {
        let equation = inside.equations.iter().flat_map(|section| section.equations.first().map(|first| first.span));
        let algorithm = inside.algorithms.iter().filter(|section| !section.statements.is_empty());
        for place in equation.chain(algorithm.map(|section| section.span)).take(1) {
            let message = format!("`{}` is {}: it has no equations and no algorithms", name(class), kind(class));
            let help = "bind the variables in their declarations, or make it a model";
            diagnostics.push(in_class(class, Diagnostic::error(Code::E0230, message).label(place, "")).help(help));
        }
    }
    for element in elements(class) {
        check_visibility(class, element, diagnostics);
        if let ElementKind::Component(component) = &element.kind {
            check_component(class, element, component, diagnostics);
        }
    }
    for section in &inside.algorithms {
        section.statements.iter().for_each(|statement| check_breaks(statement, diagnostics));
    }
    for section in &inside.equations {
        section.equations.iter().for_each(|equation| check_false(equation, section.initial, diagnostics));
    }
}

fn has_no_sections(kind: ClassKind) -> bool {
    is_data(kind) || matches!(kind, ClassKind::Package | ClassKind::Type | ClassKind::Operator)
}

/// Records and connectors: only public variables.
fn is_data(kind: ClassKind) -> bool {
    is_record(kind) || matches!(kind, ClassKind::Connector | ClassKind::ExpandableConnector)
}

fn is_record(kind: ClassKind) -> bool {
    matches!(kind, ClassKind::Record | ClassKind::OperatorRecord)
}

fn check_visibility(class: &Class, element: &Element, diagnostics: &mut Diagnostics) {
    let is_hidden = element.protected && !matches!(element.kind, ElementKind::Import(_));
    if is_data(class.kind) && is_hidden {
        let message = format!("`{}` is {}: all of its elements are public", name(class), kind(class));
        let diagnostic = Diagnostic::error(Code::E0230, message).label(element.span, "protected here");
        diagnostics.push(in_class(class, diagnostic).help("move the element in front of `protected`"));
    }
}

fn check_component(class: &Class, element: &Element, component: &Component, diagnostics: &mut Diagnostics) {
    let mut refuse = |word: &str, help: &str| {
        let message = format!("`{}` is {}: `{}` cannot be {word}", name(class), kind(class), component.name.name);
        let diagnostic = Diagnostic::error(Code::E0230, message).label(component.span, "");
        diagnostics.push(in_class(class, diagnostic).help(help));
    };
    if is_data(class.kind) && (element.inner || element.outer) {
        let word = if element.inner { "`inner`" } else { "`outer`" };
        refuse(word, "declare it in the model that contains the component");
    }
    if is_record(class.kind) {
        match (component.prefix.connector, component.prefix.causality) {
            (Some(ConnectorPrefix::Flow), _) => refuse("`flow`", "make the class a connector"),
            (Some(ConnectorPrefix::Stream), _) => refuse("`stream`", "make the class a connector"),
            (None, Some(Causality::Input)) => refuse("`input`", "remove the prefix"),
            (None, Some(Causality::Output)) => refuse("`output`", "remove the prefix"),
            (None, None) => {}
        }
    }
    if class.kind == ClassKind::ExpandableConnector && component.prefix.connector == Some(ConnectorPrefix::Flow) {
        refuse("`flow`", "put the flow variable into a connector that is an element of this one");
    }
    if class.kind == ClassKind::Package && component.prefix.variability != Variability::Constant {
        refuse("anything but a constant or a class", "declare it as `constant`, or in a model");
    }
    let is_stream = component.prefix.connector == Some(ConnectorPrefix::Stream);
    if is_stream && !is_data(class.kind) {
        let message = format!("`{}` is `stream`, but `{}` is {}", component.name.name, name(class), kind(class));
        let diagnostic = Diagnostic::error(Code::E0232, message).label(component.span, "");
        diagnostics.push(diagnostic.help("stream variables stand in connectors, beside one flow variable"));
    }
}

/// `break` leaves a loop; outside loops there is nothing to leave (11.2.4).
fn check_breaks(statement: &Statement, diagnostics: &mut Diagnostics) {
    match &statement.kind {
        StatementKind::Break => {
            let diagnostic = Diagnostic::error(Code::E0403, "`break` stands outside loops");
            diagnostics.push(diagnostic.label(statement.span, "").help("put it into a `for` or `while`, or remove it"));
        }
        StatementKind::If { branches, otherwise } => {
            let inside = branches.iter().flat_map(|(_, body)| body).chain(otherwise);
            inside.for_each(|statement| check_breaks(statement, diagnostics));
        }
        StatementKind::When(branches) => {
            let inside = branches.iter().flat_map(|(_, body)| body);
            inside.for_each(|statement| check_breaks(statement, diagnostics));
        }
        _ => {}
    }
}

/// An assertion that is written as `false` fails whatever happens (8.3.7).
fn check_false(equation: &Equation, initial: bool, diagnostics: &mut Diagnostics) {
    use modeshift_syntax::ast::ExpressionKind;
    let EquationKind::Call(call) = &equation.kind else { return };
    let ExpressionKind::Call { function, arguments, named } = &call.kind else { return };
    let is_assertion = matches!(function.parts.as_slice(), [only] if &*only.name.name == "assert");
    let level = arguments.get(2).or(named.iter().find(|(name, _)| &*name.name == "level").map(|(_, value)| value));
    let is_warning = match level.map(|level| &level.kind) {
        None => false,
        Some(ExpressionKind::Reference(level)) => {
            level.parts.last().is_some_and(|literal| &*literal.name.name != "error")
        }
        Some(_) => true,
    };
    let is_false = matches!(arguments.first().map(|first| &first.kind), Some(ExpressionKind::Boolean(false)));
    if is_assertion && is_false && !is_warning && !initial {
        let diagnostic = Diagnostic::error(Code::E0315, "this assertion is always violated");
        diagnostics.push(diagnostic.label(call.span, "").help("write the condition that has to hold"));
    }
}

fn in_class(class: &Class, diagnostic: Diagnostic) -> Diagnostic {
    if class.name.span == Span::default() { diagnostic } else { diagnostic.label(class.name.span, "in this class") }
}

fn name(class: &Class) -> &str {
    &class.name.name
}

fn kind(class: &Class) -> &'static str {
    kind_text(class.kind)
}

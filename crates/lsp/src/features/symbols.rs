//! The outline: classes with their components, and the equations that have a name.

use modeshift_driver::Dialect;
use modeshift_syntax::SyntaxKind;
use modeshift_syntax::ast::{Class, ClassBody, ClassKind, Component, ElementKind, Equation, Variability};
use modeshift_syntax::tree::Node;
use serde_json::{Value, json};

use crate::documents::Document;
use crate::names::lookup::{components, elements};

/// The outline of a document.
pub fn symbols(document: &Document) -> Value {
    match document.dialect {
        Dialect::Modelica => document.definition().classes.iter().map(|class| of_class(document, class)).collect(),
        Dialect::Mel => {
            let mut found = Vec::new();
            of_program(document, document.tree().root(), &mut found);
            json!(found)
        }
    }
}

fn of_class(document: &Document, class: &Class) -> Value {
    let mut children: Vec<(u32, Value)> = Vec::new();
    for element in elements(class) {
        if let ElementKind::Class(nested) = &element.kind {
            children.push((nested.span.start, of_class(document, nested)));
        }
    }
    children.extend(components(class).map(|(component, _)| (component.span.start, of_component(document, component))));
    match &class.body {
        ClassBody::Long(composition) | ClassBody::Extends(_, composition) => {
            let equations = composition.equations.iter().flat_map(|section| &section.equations);
            children
                .extend(equations.filter_map(|equation| Some((equation.span.start, of_equation(document, equation)?))));
        }
        ClassBody::Enumeration(Some(literals)) => children.extend(literals.iter().map(|literal| {
            let range = document.range(literal.name.span);
            let name = &*literal.name.name;
            (literal.name.span.start, json!({"name": name, "kind": 22, "range": range, "selectionRange": range}))
        })),
        _ => {}
    }
    children.sort_by_key(|(start, _)| *start);
    json!({
        "name": &*class.name.name, "detail": class.description, "kind": class_kind(class.kind),
        "range": document.range(class.span), "selectionRange": document.range(inside(class.name.span, class.span)),
        "children": children.into_iter().map(|(_, child)| child).collect::<Vec<_>>(),
    })
}

/// The protocol wants the name to lie inside of the whole.
fn inside(name: modeshift_diagnostics::Span, whole: modeshift_diagnostics::Span) -> modeshift_diagnostics::Span {
    if name.start >= whole.start && name.end <= whole.end { name } else { whole }
}

fn of_component(document: &Document, component: &Component) -> Value {
    let kind = match component.prefix.variability {
        Variability::Constant => 14,
        Variability::Parameter => 7,
        _ => 13,
    };
    json!({
        "name": &*component.name.name, "detail": component.type_name.to_string(), "kind": kind,
        "range": document.range(component.span), "selectionRange": document.range(inside(component.name.span, component.span)),
    })
}

fn of_equation(document: &Document, equation: &Equation) -> Option<Value> {
    let label = equation.label.as_ref()?;
    let range = document.range(equation.span);
    Some(json!({"name": &*label.name, "detail": "equation", "kind": 25, "range": range, "selectionRange": range}))
}

fn of_program(document: &Document, node: Node<'_>, found: &mut Vec<Value>) {
    for child in node.nodes() {
        let kind = match child.kind() {
            SyntaxKind::MelDeclaration => 13,
            SyntaxKind::MelEquation => 25,
            SyntaxKind::MelLaw => 12,
            SyntaxKind::MelIf | SyntaxKind::MelForeach | SyntaxKind::MelScenario => {
                of_program(document, child, found);
                continue;
            }
            _ => continue,
        };
        let Some(name) = child.node(SyntaxKind::Reference) else { continue };
        found.push(json!({
            "name": name.text(), "kind": kind, "range": document.range(child.span()),
            "selectionRange": document.range(name.span()),
        }));
    }
}

/// The numbers that the protocol has for kinds of symbols.
pub fn class_kind(kind: ClassKind) -> u32 {
    match kind {
        ClassKind::Package => 4,
        ClassKind::Function | ClassKind::OperatorFunction | ClassKind::Operator => 12,
        ClassKind::Connector | ClassKind::ExpandableConnector => 11,
        ClassKind::Record | ClassKind::OperatorRecord => 23,
        ClassKind::Type => 26,
        ClassKind::Class | ClassKind::Model | ClassKind::Block => 5,
    }
}

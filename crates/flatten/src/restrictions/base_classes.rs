//! Which classes can be extended (Modelica 3.6, 4.6.2, 7.1.3 and 7.1.4).

use std::sync::Arc;

use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{Class, ClassBody, ClassKind, ElementKind, TypePrefix};

use crate::classes::Classes;
use crate::classes::library::{ClassId, elements, nested_classes};
use crate::classes::lookup::ClassReference;
use crate::restrictions::{is_function, kind_text};

impl Classes<'_> {
    /// Checks one `extends`, or the right-hand side of a short class definition.
    pub(crate) fn check_base(&mut self, class: ClassId, base: ClassReference, span: Span) {
        let definition = self.library.class(class).definition.clone();
        let (kind, name, place) = match base {
            ClassReference::Predefined(_) => (ClassKind::Type, None, None),
            ClassReference::Class { class: base, .. } => {
                let node = self.library.class(base);
                (node.definition.kind, Some(node.name.clone()), Some(node.definition.name.span))
            }
        };
        if !may_extend(definition.kind, kind) {
            let what = name.as_ref().map_or("a predefined type".into(), |name| format!("`{name}`"));
            let (derived, text) = (kind_text(definition.kind), kind_text(kind));
            let message = format!("`{}` is {derived} and cannot extend {what}, {text}", definition.name.name);
            let diagnostic = Diagnostic::error(Code::E0231, message).label(span, "");
            let diagnostic = match place {
                Some(place) => diagnostic.label(place, format!("{text}, declared here")),
                None => diagnostic,
            };
            self.diagnostics.push(diagnostic.help(advice(definition.kind, kind)));
            return;
        }
        let ClassReference::Class { class: base, .. } = base else { return };
        if matches!(definition.body, ClassBody::Long(_)) {
            self.check_stands_alone(&definition, base, span);
            self.check_not_replaceable(base, span);
            self.check_operator_records(base, span);
        }
    }

    /// A class that is an array, or has prefixes, is extended alone (4.6.2).
    fn check_stands_alone(&mut self, derived: &Class, base: ClassId, span: Span) {
        if !matches!(self.library.class(base).definition.body, ClassBody::Short { .. }) {
            return;
        }
        let Ok(info) = self.type_info(base) else { return };
        let is_plain = info.dimensions.is_empty() && info.prefix == TypePrefix::default();
        let others = elements(derived).iter().filter(|element| {
            element.span != span && matches!(element.kind, ElementKind::Component(_) | ElementKind::Extends { .. })
        });
        if let (false, Some(other)) = (is_plain, { others }.next()) {
            let what = if info.dimensions.is_empty() { "has a prefix" } else { "is an array" };
            let name = self.library.class(base).name.clone();
            let message = format!("`{name}` {what}: a class that extends it has no other components and bases");
            let diagnostic = Diagnostic::error(Code::E0231, message).label(span, "extended here");
            let help = "declare a component of that class instead";
            self.diagnostics.push(diagnostic.label(other.span, "beside this").help(help));
        }
    }

    /// What is extended must not be exchanged afterwards (7.1.4).
    fn check_not_replaceable(&mut self, base: ClassId, span: Span) {
        let node = self.library.class(base);
        let Some(parent) = node.parent else { return };
        let (definition, parent) = (node.definition.clone(), self.library.class(parent).definition.clone());
        let written = elements(&parent)
            .iter()
            .find(|element| matches!(&element.kind, ElementKind::Class(nested) if Arc::ptr_eq(nested, &definition)));
        if let Some(element) = written.filter(|element| element.replaceable) {
            let message = format!("`{}` is replaceable and cannot be extended", definition.name.name);
            let diagnostic = Diagnostic::error(Code::E0231, message).label(span, "extended here");
            let help = "remove `replaceable`, or extend the class that it stands for";
            self.diagnostics.push(diagnostic.label(element.span, "declared here").help(help));
        }
    }

    /// Operator records are extended by short class definitions only, and the classes around them not at all (4.7).
    fn check_operator_records(&mut self, base: ClassId, span: Span) {
        let definition = self.library.class(base).definition.clone();
        let inside = nested_classes(&definition).find(|nested| nested.kind == ClassKind::OperatorRecord);
        let message = match (definition.kind, inside) {
            (ClassKind::OperatorRecord, _) => format!("`{}` is an operator record", definition.name.name),
            (_, Some(record)) => {
                format!("`{}` contains the operator record `{}`", definition.name.name, record.name.name)
            }
            _ => return,
        };
        let diagnostic = Diagnostic::error(Code::E0231, format!("{message} and cannot be extended"));
        let help = "write `operator record New = Old;`, or move the operator record out of the class";
        self.diagnostics.push(diagnostic.label(span, "").help(help));
    }
}

/// Whether a class of the first kind may extend one of the second.
fn may_extend(derived: ClassKind, base: ClassKind) -> bool {
    use ClassKind::*;
    let is_record = matches!(base, Record | OperatorRecord);
    match derived {
        _ if base == Class || base == derived => true,
        Class => !is_function(base) && base != Operator,
        Function | OperatorFunction => is_function(base),
        Record | OperatorRecord => is_record,
        Connector => is_record || base == Type,
        Block => is_record,
        Model => is_record || base == Block,
        Package | Operator | Type | ExpandableConnector => false,
    }
}

fn advice(derived: ClassKind, base: ClassKind) -> String {
    let word = |kind| kind_text(kind).trim_start_matches("an ").trim_start_matches("a ").to_string();
    match base {
        ClassKind::Type | ClassKind::Package | ClassKind::Operator => {
            "declare a component or use its elements by name".into()
        }
        _ => format!("declare it as `{}`, or declare a component of the base in the {}", word(base), word(derived)),
    }
}

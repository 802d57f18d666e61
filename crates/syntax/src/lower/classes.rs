//! Files and classes.

use std::sync::Arc;

use super::elements::type_prefix_below;
use super::{Lowering, description_below, ident, literals, path, path_below};
use crate::ast::{
    Class, ClassBody, ClassKind, Composition, EnumerationLiteral, External, Modification, StoredDefinition,
};
use crate::kind::SyntaxKind::{self, *};
use crate::tree::{Child, Node};

impl Lowering<'_> {
    pub(super) fn stored_definition(&mut self, root: Node) -> StoredDefinition {
        let within = root.node(WithinClause).map(path_below);
        let classes = root.nodes().filter(|node| node.kind() == SyntaxKind::Class);
        StoredDefinition { within, classes: classes.filter_map(|class| self.class(class)).collect() }
    }

    /// A class; `None` where its name is missing.
    pub(super) fn class(&mut self, node: Node) -> Option<Arc<Class>> {
        let name = ident(node.identifier()?);
        let body = self.class_body(node)?;
        Some(Arc::new(Class {
            kind: class_kind(node),
            name,
            encapsulated: node.has_token(EncapsulatedKeyword),
            partial: node.has_token(PartialKeyword),
            impure: node.has_token(ImpureKeyword),
            body,
            description: description_below(node),
            annotation: self.class_annotation(node),
            span: node.span(),
        }))
    }

    fn class_body(&mut self, node: Node) -> Option<ClassBody> {
        if let Some(inner) = node.node(Enumeration) {
            return Some(ClassBody::Enumeration(enumeration_literals(inner)));
        }
        if let Some(inner) = node.node(PartialDerivative) {
            let by = inner.tokens().filter(|token| token.kind == Identifier).map(ident).collect();
            return Some(ClassBody::PartialDerivative { function: path_below(inner)?, by });
        }
        if node.has_token(Equals) {
            return self.short_class(node);
        }
        let composition = self.composition(node);
        if node.has_token(ExtendsKeyword) {
            Some(ClassBody::Extends(self.modification_below(node), composition))
        } else {
            Some(ClassBody::Long(composition))
        }
    }

    fn short_class(&mut self, node: Node) -> Option<ClassBody> {
        Some(ClassBody::Short {
            prefix: type_prefix_below(node),
            base: node.node(SyntaxKind::Path).and_then(path)?,
            dimensions: node.node(Subscripts).map_or_else(Vec::new, |inner| self.subscripts(inner)),
            modification: self.modification_below(node),
        })
    }

    /// All annotations of the class as one.
    fn class_annotation(&mut self, node: Node) -> Option<Modification> {
        let annotations = node.nodes().filter(|inner| inner.kind() == Annotation);
        let mut all = annotations.filter_map(|annotation| self.modification_below(annotation));
        let mut first = all.next()?;
        for further in all {
            first.arguments.extend(further.arguments);
        }
        Some(first)
    }

    fn composition(&mut self, node: Node) -> Composition {
        let mut result = Composition::default();
        let mut protected = false;
        for child in node.children() {
            match child {
                Child::Token(token) if token.kind == ProtectedKeyword => protected = true,
                Child::Token(token) if token.kind == PublicKeyword => protected = false,
                Child::Token(_) => {}
                Child::Node(inner) => match inner.kind() {
                    EquationSection => result.equations.push(self.equation_section(inner)),
                    AlgorithmSection => result.algorithms.push(self.algorithm_section(inner)),
                    ExternalClause => result.external = Some(self.external(inner)),
                    _ => result.elements.extend(self.elements(inner, protected)),
                },
            }
        }
        result.elements.shrink_to_fit();
        result
    }

    fn external(&mut self, node: Node) -> External {
        let language = node.tokens().find(|token| token.kind == SyntaxKind::String);
        let call = node.identifier().map(|name| {
            let result = node.expressions().next().map(|result| self.expression(result));
            let arguments = node.node(Arguments).map_or_else(Vec::new, |inner| self.call_arguments(inner).0);
            (result, ident(name), arguments)
        });
        External { language: language.map(|token| literals::string_value(token.text)), call, span: node.span() }
    }
}

fn class_kind(node: Node) -> ClassKind {
    let kinds = node.tokens().map(|token| token.kind).take_while(|&kind| kind != Identifier);
    let (mut expandable, mut operator) = (false, false);
    for kind in kinds {
        match kind {
            ExpandableKeyword => expandable = true,
            OperatorKeyword => operator = true,
            ClassKeyword => return ClassKind::Class,
            ModelKeyword => return ClassKind::Model,
            BlockKeyword => return ClassKind::Block,
            RecordKeyword => return if operator { ClassKind::OperatorRecord } else { ClassKind::Record },
            ConnectorKeyword => return if expandable { ClassKind::ExpandableConnector } else { ClassKind::Connector },
            TypeKeyword => return ClassKind::Type,
            PackageKeyword => return ClassKind::Package,
            FunctionKeyword => return if operator { ClassKind::OperatorFunction } else { ClassKind::Function },
            _ => {}
        }
    }
    if operator { ClassKind::Operator } else { ClassKind::Class }
}

fn enumeration_literals(node: Node) -> Option<Vec<EnumerationLiteral>> {
    if node.has_token(Colon) {
        return None;
    }
    let literals = node.nodes().filter(|inner| inner.kind() == SyntaxKind::EnumerationLiteral);
    let literals = literals.filter_map(|inner| {
        Some(EnumerationLiteral { name: ident(inner.identifier()?), description: description_below(inner) })
    });
    Some(literals.collect())
}

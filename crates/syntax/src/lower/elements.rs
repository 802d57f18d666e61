//! Elements of a class: components, `extends`, `import`, nested classes, conditional declarations.

use std::sync::Arc;

use super::{Lowering, description_below, ident, missing, path_below};
use crate::ast::{
    Causality, Component, ConditionalDeclarations, ConnectorPrefix, Element, ElementKind, Import, TypePrefix,
    Variability,
};
use crate::kind::SyntaxKind::{self, *};
use crate::tree::{Child, Node};

impl Lowering<'_> {
    /// The elements of one node: `Real x, y` are two, something that is no element is none.
    pub(super) fn elements(&mut self, node: Node, protected: bool) -> Vec<Element> {
        let kind = match node.kind() {
            SyntaxKind::Element => return self.declarations(node, protected),
            ImportClause => import(node).map(ElementKind::Import),
            ExtendsClause => self.extends(node),
            ConditionalElements => Some(ElementKind::Conditional(self.conditional(node, protected))),
            _ => None,
        };
        kind.map(|kind| plain_element(node, protected, kind)).into_iter().collect()
    }

    fn extends(&mut self, node: Node) -> Option<ElementKind> {
        let base = path_below(node)?;
        let modification = self.modification_below(node);
        Some(ElementKind::Extends { base, modification, annotation: self.annotation_below(node) })
    }

    fn conditional(&mut self, node: Node, protected: bool) -> ConditionalDeclarations {
        let mut result = ConditionalDeclarations { branches: Vec::new(), otherwise: Vec::new() };
        let mut in_else = false;
        let mut branch_protected = protected;
        for child in node.children() {
            match child.kind() {
                IfKeyword | ElseifKeyword => {
                    branch_protected = protected;
                    result.branches.push((missing(child.span()), Vec::new()));
                }
                ElseKeyword => (in_else, branch_protected) = (true, protected),
                EndKeyword => break,
                PublicKeyword => branch_protected = false,
                ProtectedKeyword => branch_protected = true,
                _ => {
                    let Child::Node(inner) = child else { continue };
                    let Some(branch) = result.branches.last_mut() else { continue };
                    if inner.kind().is_expression() {
                        branch.0 = self.expression(inner);
                    } else {
                        let list = if in_else { &mut result.otherwise } else { &mut branch.1 };
                        list.extend(self.elements(inner, branch_protected));
                    }
                }
            }
        }
        result
    }

    /// What a node with prefixes declares: one class, or the components of a clause.
    pub(super) fn declarations(&mut self, node: Node, protected: bool) -> Vec<Element> {
        let constrained_by = self.constrained_by(node);
        let prototype = |kind| Element {
            protected,
            redeclare: node.has_token(RedeclareKeyword),
            is_final: node.has_token(FinalKeyword),
            inner: node.has_token(InnerKeyword),
            outer: node.has_token(OuterKeyword),
            replaceable: node.has_token(ReplaceableKeyword),
            constrained_by: constrained_by.clone(),
            kind,
            span: node.span(),
        };
        if let Some(class) = node.node(SyntaxKind::Class) {
            return self.class(class).map(|class| prototype(ElementKind::Class(class))).into_iter().collect();
        }
        let Some(clause) = node.node(ComponentClause) else { return Vec::new() };
        let components = self.components(clause);
        components.into_iter().map(|component| prototype(ElementKind::Component(Arc::new(component)))).collect()
    }

    fn components(&mut self, clause: Node) -> Vec<Component> {
        let Some(type_name) = path_below(clause) else { return Vec::new() };
        let prefix = type_prefix_below(clause);
        let type_dimensions = clause.node(Subscripts).map_or_else(Vec::new, |inner| self.subscripts(inner));
        let declarations = clause.nodes().filter(|inner| inner.kind() == ComponentDeclaration);
        declarations
            .filter_map(|node| {
                let mut dimensions = node.node(Subscripts).map_or_else(Vec::new, |inner| self.subscripts(inner));
                dimensions.extend(type_dimensions.iter().cloned());
                Some(Component {
                    prefix,
                    type_name: type_name.clone(),
                    dimensions,
                    name: ident(node.identifier()?),
                    modification: self.modification_below(node),
                    condition: node.expressions().next().map(|condition| self.expression(condition)),
                    description: description_below(node),
                    annotation: self.annotation_below(node),
                    span: node.span(),
                })
            })
            .collect()
    }
}

fn plain_element(node: Node, protected: bool, kind: ElementKind) -> Element {
    Element {
        protected,
        redeclare: false,
        is_final: false,
        inner: false,
        outer: false,
        replaceable: false,
        constrained_by: None,
        kind,
        span: node.span(),
    }
}

/// The prefixes directly below a node.
pub(super) fn type_prefix_below(node: Node) -> TypePrefix {
    let mut prefix = TypePrefix::default();
    for token in node.node(SyntaxKind::TypePrefix).iter().flat_map(|inner| inner.tokens()) {
        match token.kind {
            FlowKeyword => prefix.connector = Some(ConnectorPrefix::Flow),
            StreamKeyword => prefix.connector = Some(ConnectorPrefix::Stream),
            DiscreteKeyword => prefix.variability = Variability::Discrete,
            ParameterKeyword => prefix.variability = Variability::Parameter,
            ConstantKeyword => prefix.variability = Variability::Constant,
            InputKeyword => prefix.causality = Some(Causality::Input),
            OutputKeyword => prefix.causality = Some(Causality::Output),
            _ => {}
        }
    }
    prefix
}

fn import(node: Node) -> Option<Import> {
    let path = path_below(node)?;
    let names: Vec<_> = node.tokens().filter(|token| token.kind == Identifier).map(ident).collect();
    if node.has_token(LeftBrace) {
        Some(Import::List(path, names))
    } else if node.has_token(DotStar) || node.has_token(Star) {
        Some(Import::All(path))
    } else if node.has_token(Equals) {
        Some(Import::Renamed(names.into_iter().next()?, path))
    } else {
        Some(Import::Qualified(path))
    }
}

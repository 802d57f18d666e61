//! What the name at a place of the text means: by the nodes of the tree around it.

use modeshift_flatten::{ClassId, ROOT};
use modeshift_syntax::SyntaxKind;
use modeshift_syntax::ast::Ident;
use modeshift_syntax::tree::{Node, Token};

use super::{Names, Symbol};

impl Names {
    /// The innermost class around, by the nodes from the root inwards.
    pub fn scope(&mut self, nodes: &[Node<'_>]) -> ClassId {
        let mut scope: Option<ClassId> = None;
        for node in nodes.iter().filter(|node| node.kind() == SyntaxKind::Class) {
            let Some(name) = node.identifier() else { continue };
            let found = match scope {
                None => self.given().iter().copied().find(|id| &*self.definition(*id).name.name == name.text),
                Some(around) => self.child(around, name.text),
            };
            scope = found.or(scope);
        }
        scope.unwrap_or(ROOT)
    }

    /// What a name means, by the nodes around it from the root inwards.
    pub fn resolve(&mut self, nodes: &[Node<'_>], token: Token<'_>) -> Option<Symbol> {
        if token.kind != SyntaxKind::Identifier {
            return None;
        }
        let (&node, around) = nodes.split_last()?;
        match node.kind() {
            SyntaxKind::Class => self.class_name(around, node),
            SyntaxKind::ComponentDeclaration => self.declared(nodes, token),
            SyntaxKind::Path => self.part_of_path(around, node, token),
            SyntaxKind::Reference => self.part_of_reference(nodes, node, token),
            SyntaxKind::NamedArgument => self.named_argument(around, token),
            SyntaxKind::ForIndex => Some(Symbol::Iterator(ident(token))),
            SyntaxKind::EnumerationLiteral => {
                let scope = self.scope(nodes);
                self.member(scope, token.text)
            }
            SyntaxKind::ImportClause => self.import(node, token),
            SyntaxKind::BreakArgument => {
                let class = self.modified_class(around)?;
                self.member(class, token.text)
            }
            _ => None,
        }
    }

    fn class_name(&mut self, around: &[Node<'_>], class: Node<'_>) -> Option<Symbol> {
        let name = class.identifier()?;
        if around.iter().any(|node| node.kind() == SyntaxKind::Argument) {
            let modified = self.modified_class(&around[..around.len()])?;
            return self.member(modified, name.text);
        }
        let scope = self.scope(around);
        match scope {
            ROOT => {
                let given = self.given().iter().copied();
                given.into_iter().find(|id| &*self.definition(*id).name.name == name.text).map(Symbol::Class)
            }
            scope => self.child(scope, name.text).map(Symbol::Class),
        }
    }

    fn declared(&mut self, nodes: &[Node<'_>], token: Token<'_>) -> Option<Symbol> {
        match self.redeclared_in(nodes) {
            Some(class) => self.member(class, token.text),
            None => {
                let scope = self.scope(nodes);
                self.member(scope, token.text)
            }
        }
    }

    /// The class in which a `redeclare` inside of a modification declares something.
    fn redeclared_in(&mut self, nodes: &[Node<'_>]) -> Option<ClassId> {
        let argument = nodes.iter().rposition(|node| node.kind() == SyntaxKind::Argument)?;
        let class = nodes.iter().rposition(|node| node.kind() == SyntaxKind::Class).unwrap_or(0);
        (argument > class).then(|| self.modified_class(&nodes[..=argument])).flatten()
    }

    fn part_of_path(&mut self, around: &[Node<'_>], path: Node<'_>, token: Token<'_>) -> Option<Symbol> {
        let parts: Vec<Token<'_>> = path.tokens().filter(|it| it.kind == SyntaxKind::Identifier).collect();
        let position = parts.iter().position(|part| part.span == token.span)?;
        let names = parts[..=position].iter().map(|part| part.text);
        let global = path.tokens().next().is_some_and(|first| first.kind == SyntaxKind::Dot);
        let found = match around.last()?.kind() {
            SyntaxKind::Argument => {
                let class = self.modified_class(around)?;
                let mut found: Vec<Symbol> = Vec::new();
                for name in names {
                    let next = match found.last().cloned() {
                        None => self.member(class, name),
                        Some(symbol) => self.inside(&symbol, name),
                    };
                    found.push(next?);
                }
                found
            }
            SyntaxKind::ImportClause | SyntaxKind::WithinClause => self.lookup_path(ROOT, true, names),
            SyntaxKind::ExtendsClause => {
                let scope = self.scope(around);
                let found = self.lookup_path(scope, global, names.clone());
                // A class may inherit from one of its own name further out.
                let is_itself = matches!(found.first(), Some(Symbol::Class(class)) if *class == scope);
                match self.parent(scope).filter(|_| is_itself) {
                    Some(outer) => self.lookup_path(outer, global, names),
                    None => found,
                }
            }
            SyntaxKind::Class => {
                let scope = self.scope(&around[..around.len() - 1]);
                self.lookup_path(scope, global, names)
            }
            _ => {
                let scope = self.scope(around);
                self.lookup_path(scope, global, names)
            }
        };
        (found.len() == position + 1).then(|| found.last().cloned()).flatten()
    }

    fn part_of_reference(&mut self, nodes: &[Node<'_>], reference: Node<'_>, token: Token<'_>) -> Option<Symbol> {
        let parts: Vec<Token<'_>> = reference.tokens().filter(|it| it.kind == SyntaxKind::Identifier).collect();
        let position = parts.iter().position(|part| part.span == token.span)?;
        let global = reference.tokens().next().is_some_and(|first| first.kind == SyntaxKind::Dot);
        if let Some(iterator) = iterator(nodes, parts[0].text).filter(|_| !global) {
            return (position == 0).then_some(Symbol::Iterator(iterator));
        }
        let scope = self.scope(nodes);
        let found = self.lookup_path(scope, global, parts[..=position].iter().map(|part| part.text));
        (found.len() == position + 1).then(|| found.last().cloned()).flatten()
    }

    fn named_argument(&mut self, around: &[Node<'_>], token: Token<'_>) -> Option<Symbol> {
        let call =
            around.iter().rposition(|node| matches!(node.kind(), SyntaxKind::Call | SyntaxKind::PartialApplication))?;
        let function = self.called(&around[..=call])?;
        let class = self.class_of(&function)?;
        self.member(class, token.text)
    }

    /// What a call calls; the call is the last of the nodes.
    pub fn called(&mut self, nodes: &[Node<'_>]) -> Option<Symbol> {
        let call = nodes.last()?;
        let name = call.nodes().find(|node| matches!(node.kind(), SyntaxKind::Reference | SyntaxKind::Path))?;
        let parts: Vec<&str> =
            name.tokens().filter(|token| token.kind == SyntaxKind::Identifier).map(|token| token.text).collect();
        let global = name.tokens().next().is_some_and(|first| first.kind == SyntaxKind::Dot);
        let scope = self.scope(nodes);
        let found = self.lookup_path(scope, global, parts.iter().copied());
        (found.len() == parts.len()).then(|| found.last().cloned()).flatten()
    }

    fn import(&mut self, clause: Node<'_>, token: Token<'_>) -> Option<Symbol> {
        let path = clause.node(SyntaxKind::Path)?;
        let mut parts: Vec<&str> =
            path.tokens().filter(|it| it.kind == SyntaxKind::Identifier).map(|it| it.text).collect();
        if token.span.start > path.span().start {
            parts.push(token.text);
        }
        let found = self.lookup_path(ROOT, true, parts.iter().copied());
        (found.len() == parts.len()).then(|| found.last().cloned()).flatten()
    }

    /// Whether a name is one that an import gives, `C` of `import C = P.Class;`, there or where it is used.
    pub fn is_given_by_import(&mut self, nodes: &[Node<'_>], token: Token<'_>) -> bool {
        let Some((&node, around)) = nodes.split_last() else { return false };
        match node.kind() {
            SyntaxKind::ImportClause => {
                node.node(SyntaxKind::Path).is_some_and(|path| token.span.start < path.span().start)
            }
            SyntaxKind::Path | SyntaxKind::Reference => {
                let is_first = node.tokens().next().is_some_and(|first| first.span == token.span);
                let names_outside = [SyntaxKind::ImportClause, SyntaxKind::WithinClause, SyntaxKind::Argument];
                let is_looked_up = !around.last().is_some_and(|it| names_outside.contains(&it.kind()));
                let scope = self.scope(nodes);
                is_first && is_looked_up && self.is_alias(scope, token.text)
            }
            _ => false,
        }
    }

    /// The class whose elements the arguments of a modification name; an `Argument` is the last of the nodes.
    pub fn modified_class(&mut self, nodes: &[Node<'_>]) -> Option<ClassId> {
        let argument = nodes.iter().rposition(|node| node.kind() == SyntaxKind::Argument)?;
        self.class_of_modification(&nodes[..argument])
    }

    /// The class that a modification modifies; a `Modification` is the last of the nodes.
    pub fn class_of_modification(&mut self, nodes: &[Node<'_>]) -> Option<ClassId> {
        let (modification, around) = nodes.split_last()?;
        if modification.kind() != SyntaxKind::Modification {
            return None;
        }
        let (owner, outside) = around.split_last()?;
        let path = match owner.kind() {
            SyntaxKind::ComponentDeclaration => outside.last()?.node(SyntaxKind::Path)?,
            SyntaxKind::ExtendsClause | SyntaxKind::ConstrainingClause | SyntaxKind::Class => {
                owner.node(SyntaxKind::Path)?
            }
            SyntaxKind::Argument => {
                let name = owner.node(SyntaxKind::Path)?;
                let class = self.modified_class(around)?;
                let mut symbol = Symbol::Class(class);
                for part in name.tokens().filter(|it| it.kind == SyntaxKind::Identifier) {
                    symbol = self.inside(&symbol, part.text)?;
                }
                return self.class_of(&symbol);
            }
            _ => return None,
        };
        let last = path.tokens().filter(|it| it.kind == SyntaxKind::Identifier).last()?;
        let inner: Vec<Node<'_>> = around.to_vec();
        // The path stands beside the modification, below the same nodes.
        let symbol = match owner.kind() {
            SyntaxKind::ComponentDeclaration => self.part_of_path(outside, path, last)?,
            _ => self.part_of_path(&inner, path, last)?,
        };
        self.class_of(&symbol)
    }
}

fn ident(token: Token<'_>) -> Ident {
    Ident { name: token.text.into(), span: token.span }
}

/// The innermost loop around whose iterator has this name.
fn iterator(nodes: &[Node<'_>], name: &str) -> Option<Ident> {
    let loops = nodes.iter().rev().filter(|node| {
        matches!(
            node.kind(),
            SyntaxKind::ForEquation | SyntaxKind::ForStatement | SyntaxKind::Arguments | SyntaxKind::ArrayLiteral
        )
    });
    let mut indices = loops.flat_map(|node| node.nodes().filter(|it| it.kind() == SyntaxKind::ForIndex));
    indices.find_map(|index| index.identifier().filter(|it| it.text == name)).map(ident)
}

//! What stands in the place of what, by `redeclare` and `constrainedby`, and so has elements of the same names.

use modeshift_flatten::ClassId;
use modeshift_syntax::SyntaxKind;
use modeshift_syntax::tree::{Node, Token};

use super::places::Target;
use crate::documents::Document;
use crate::names::{Names, Symbol};
use crate::rpc::Failure;

/// Words of files that may put something in the place of something else.
pub const WORDS: [&str; 2] = ["redeclare", "constrainedby"];

/// How deep elements of elements are compared: a circle of classes ends here.
const DEEPEST: usize = 8;

/// Refuses to rename an element of a class where a document puts another class in its place that has an element of this name too,
/// of its own: one cannot keep its name without the other.
pub fn no_partner(document: &Document, names: &mut Names, target: &Target) -> Result<(), Failure> {
    let mut search = Search { names, target };
    let Some((line, other)) = search.visit(document, &mut vec![document.tree().root()]) else { return Ok(()) };
    let file = document.path.as_ref().map_or(document.uri.clone(), |path| path.display().to_string());
    let name = target.name();
    Err(Failure::refused(format!(
        "`{other}` has a `{name}` of its own, and one stands in the place of the other in `{file}`, line {line}: rename both by hand"
    )))
}

struct Search<'s> {
    names: &'s mut Names,
    target: &'s Target,
}

impl Search<'_> {
    /// The first place where a partner of the target is found, and the class that it is in.
    fn visit<'tree>(
        &mut self,
        document: &'tree Document,
        nodes: &mut Vec<Node<'tree>>,
    ) -> Option<(usize, std::sync::Arc<str>)> {
        let node = *nodes.last()?;
        if matches!(node.kind(), SyntaxKind::Element | SyntaxKind::Argument)
            && let Some((one, other)) = self.replaced(nodes)
            && let Some(owner) = self.partner(one, other, DEEPEST)
        {
            let line = document.text.line_of(node.span().start as usize) + 1;
            return Some((line, self.names.full_name(owner)));
        }
        for inner in node.nodes() {
            nodes.push(inner);
            let found = self.visit(document, nodes);
            nodes.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// What a declaration is put in the place of, and what is put there; the declaration is the last of the nodes.
    fn replaced(&mut self, nodes: &[Node<'_>]) -> Option<(ClassId, ClassId)> {
        let node = *nodes.last()?;
        let constraint = node.node(SyntaxKind::ConstrainingClause);
        if !node.has_token(SyntaxKind::RedeclareKeyword) && constraint.is_none() {
            return None;
        }
        let declared = node.nodes().find(|it| matches!(it.kind(), SyntaxKind::Class | SyntaxKind::ComponentClause))?;
        let name = match declared.kind() {
            SyntaxKind::Class => declared.identifier()?,
            _ => declared.node(SyntaxKind::ComponentDeclaration)?.identifier()?,
        };
        let before = match constraint.filter(|_| !node.has_token(SyntaxKind::RedeclareKeyword)) {
            Some(constraint) => self.class_at_path(nodes, constraint)?,
            None => self.class_before(nodes, name)?,
        };
        let after = match (declared.kind(), node.kind()) {
            // A class that is written out is an element of the class around.
            (SyntaxKind::Class, SyntaxKind::Element) => {
                let scope = self.names.scope(nodes);
                self.names.child(scope, name.text)?
            }
            _ => self.class_at_path(nodes, declared)?,
        };
        Some((before, after))
    }

    /// The class of the element that a `redeclare` declares anew.
    fn class_before(&mut self, nodes: &[Node<'_>], name: Token<'_>) -> Option<ClassId> {
        let symbol = match nodes.last()?.kind() {
            SyntaxKind::Argument => {
                let modified = self.names.modified_class(nodes)?;
                self.names.member(modified, name.text)?
            }
            _ => {
                let scope = self.names.scope(nodes);
                let bases = self.names.bases(scope);
                bases.iter().find_map(|base| self.names.member(*base, name.text))?
            }
        };
        self.names.class_of(&symbol)
    }

    /// The class that the path of a node means, which stands inside of the last of the nodes.
    fn class_at_path(&mut self, nodes: &[Node<'_>], owner: Node<'_>) -> Option<ClassId> {
        let path = owner.node(SyntaxKind::Path)?;
        let last = path.tokens().filter(|it| it.kind == SyntaxKind::Identifier).last()?;
        let around: Vec<Node<'_>> = nodes.iter().copied().chain([owner, path]).collect();
        let symbol = self.names.resolve(&around, last)?;
        self.names.class_of(&symbol)
    }

    /// The owner of an element with the name of the target that must be called as the target is, if one stands for the other.
    fn partner(&mut self, one: ClassId, other: ClassId, depth: usize) -> Option<ClassId> {
        if one == other || depth == 0 {
            return None;
        }
        let name = self.target.name();
        let pair = (self.names.member(one, name), self.names.member(other, name));
        if let (Some(one), Some(other)) = pair {
            let (first, second) = (self.is_target(&one), self.is_target(&other));
            match (first, second) {
                (true, false) => return self.owner(&other),
                (false, true) => return self.owner(&one),
                _ => {}
            }
        }
        // Elements of both have to fit to each other in the same way.
        for (name, inner) in self.names.members(one) {
            let Some(outer) = self.names.member(other, &name) else { continue };
            if self.names.declaration(&inner) == self.names.declaration(&outer) {
                continue;
            }
            if let (Some(inner), Some(outer)) = (self.names.class_of(&inner), self.names.class_of(&outer))
                && let Some(found) = self.partner(inner, outer, depth - 1)
            {
                return Some(found);
            }
        }
        None
    }

    fn is_target(&self, symbol: &Symbol) -> bool {
        self.names.declaration(symbol).and_then(|span| self.names.key(span)).is_some_and(|key| self.target.is_at(&key))
    }

    fn owner(&self, symbol: &Symbol) -> Option<ClassId> {
        match symbol {
            Symbol::Component { owner, .. } | Symbol::Literal { owner, .. } => Some(*owner),
            Symbol::Class(class) => self.names.parent(*class),
            Symbol::Iterator(_) | Symbol::Predefined(_) => None,
        }
    }
}

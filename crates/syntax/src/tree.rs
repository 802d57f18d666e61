//! The lossless tree: every byte of the text, comments and white space included, under the nodes of the grammar.
//!
//! A node starts at its first and ends at its last significant token, so its range is what a message should
//! underline. [`Node`] and [`Token`] are cheap views used by the lowering to the abstract syntax.

use std::fmt::Write;

use modeshift_diagnostics::{FileId, Span};
use rowan::{GreenNode, GreenNodeData, NodeOrToken};

use crate::kind::SyntaxKind;

/// The lossless tree of one text.
#[derive(Clone, Debug)]
pub struct Tree {
    file: FileId,
    green: GreenNode,
}

impl Tree {
    pub(crate) fn new(file: FileId, green: GreenNode) -> Self {
        Tree { file, green }
    }

    /// The node of the whole text.
    pub fn root(&self) -> Node<'_> {
        Node { file: self.file, green: &self.green, start: 0 }
    }

    /// The text, byte for byte as it was read.
    pub fn to_source(&self) -> String {
        self.green.to_string()
    }

    /// The nodes and tokens, one per line, indented by depth; white space left out.
    pub fn dump(&self) -> String {
        let mut text = String::new();
        dump_node(self.root(), 0, &mut text);
        text
    }
}

fn dump_node(node: Node<'_>, depth: usize, text: &mut String) {
    let _ = writeln!(text, "{:1$}{2:?}", "", 2 * depth, node.kind());
    for child in node.children() {
        match child {
            Child::Node(child) => dump_node(child, depth + 1, text),
            Child::Token(token) if token.kind == SyntaxKind::Whitespace => {}
            Child::Token(token) => {
                let _ = writeln!(text, "{:1$}{2:?} {3:?}", "", 2 * depth + 2, token.kind, token.text);
            }
        }
    }
}

/// A node of a [`Tree`].
#[derive(Clone, Copy, Debug)]
pub struct Node<'tree> {
    file: FileId,
    green: &'tree GreenNodeData,
    start: u32,
}

/// A token of a [`Tree`].
#[derive(Clone, Copy, Debug)]
pub struct Token<'tree> {
    /// What it is.
    pub kind: SyntaxKind,
    /// Its text.
    pub text: &'tree str,
    /// Where it stands.
    pub span: Span,
}

/// A child of a node.
#[derive(Clone, Copy, Debug)]
pub enum Child<'tree> {
    /// An inner node.
    Node(Node<'tree>),
    /// A token.
    Token(Token<'tree>),
}

impl<'tree> Child<'tree> {
    /// What it is.
    pub fn kind(self) -> SyntaxKind {
        match self {
            Child::Node(node) => node.kind(),
            Child::Token(token) => token.kind,
        }
    }

    /// Where it stands.
    pub fn span(self) -> Span {
        match self {
            Child::Node(node) => node.span(),
            Child::Token(token) => token.span,
        }
    }
}

impl<'tree> Node<'tree> {
    /// What it is.
    pub fn kind(self) -> SyntaxKind {
        SyntaxKind::from_raw(self.green.kind())
    }

    /// Where it stands, without white space and comments around it.
    pub fn span(self) -> Span {
        let length = u32::from(self.green.text_len());
        Span { file: self.file, start: self.start, end: self.start + length }
    }

    /// Nodes and tokens directly below, in order.
    pub fn children(self) -> impl Iterator<Item = Child<'tree>> {
        let file = self.file;
        let mut start = self.start;
        self.green.children().map(move |child| match child {
            NodeOrToken::Node(green) => {
                let node = Node { file, green, start };
                start += u32::from(green.text_len());
                Child::Node(node)
            }
            NodeOrToken::Token(green) => {
                let end = start + u32::from(green.text_len());
                let span = Span { file, start, end };
                start = end;
                Child::Token(Token { kind: SyntaxKind::from_raw(green.kind()), text: green.text(), span })
            }
        })
    }

    /// Nodes directly below.
    pub fn nodes(self) -> impl Iterator<Item = Node<'tree>> {
        self.children().filter_map(|child| match child {
            Child::Node(node) => Some(node),
            Child::Token(_) => None,
        })
    }

    /// Tokens directly below, without white space and comments.
    pub fn tokens(self) -> impl Iterator<Item = Token<'tree>> {
        self.children().filter_map(|child| match child {
            Child::Token(token) if !token.kind.is_trivia() => Some(token),
            _ => None,
        })
    }

    /// The first node of a kind directly below.
    pub fn node(self, kind: SyntaxKind) -> Option<Node<'tree>> {
        self.nodes().find(|node| node.kind() == kind)
    }

    /// Whether a token of this kind is directly below.
    pub fn has_token(self, kind: SyntaxKind) -> bool {
        self.tokens().any(|token| token.kind == kind)
    }

    /// The first identifier directly below.
    pub fn identifier(self) -> Option<Token<'tree>> {
        self.tokens().find(|token| token.kind == SyntaxKind::Identifier)
    }

    /// The expressions directly below, in order.
    pub fn expressions(self) -> impl Iterator<Item = Node<'tree>> {
        self.nodes().filter(|node| node.kind().is_expression())
    }

    /// The text below, comments included.
    pub fn text(self) -> String {
        self.green.to_string()
    }
}

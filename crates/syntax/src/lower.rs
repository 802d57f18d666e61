//! The lossless tree to the abstract syntax of [`crate::ast`].
//!
//! Lowering reports only what the grammar cannot see: numbers that do not fit, expressions that are too deep.
//! Where the parser has already reported an error, the nearest sensible syntax is made up and nothing is said.
//!
//! | file | purpose |
//! |---|---|
//! | `classes` | files and classes |
//! | `elements` | components, `extends`, `import`, nested classes |
//! | `modifications` | modifications and annotations |
//! | `expressions` | expressions, and the bound on their depth |
//! | `literals` | values of numbers and strings |
//! | `equations` | equations with their labels, and statements |
//! | `mel` | statements of MEL |

mod classes;
mod elements;
mod equations;
mod expressions;
mod literals;
mod mel;
mod modifications;

use std::sync::Arc;

use modeshift_diagnostics::{Diagnostics, Span};

use crate::ast::{Expression, ExpressionKind, Ident, Path, StoredDefinition};
use crate::kind::SyntaxKind;
use crate::mel::Program;
use crate::tree::{Node, Token, Tree};

/// The classes of a Modelica file.
pub(crate) fn stored_definition(tree: &Tree, diagnostics: &mut Diagnostics) -> StoredDefinition {
    Lowering { diagnostics, depth: 0 }.stored_definition(tree.root())
}

/// The statements of a MEL file.
pub(crate) fn program(tree: &Tree, diagnostics: &mut Diagnostics) -> Program {
    let statements = Lowering { diagnostics, depth: 0 }.mel_statements(tree.root());
    Program { statements }
}

/// The one expression of a text.
pub(crate) fn single_expression(tree: &Tree, diagnostics: &mut Diagnostics) -> Expression {
    let root = tree.root();
    let mut lowering = Lowering { diagnostics, depth: 0 };
    lowering.first_expression(root)
}

struct Lowering<'diagnostics> {
    diagnostics: &'diagnostics mut Diagnostics,
    /// How deep in an expression we are.
    depth: usize,
}

impl Lowering<'_> {
    /// The first expression directly below, or one that stands for the error.
    fn first_expression(&mut self, node: Node) -> Expression {
        match node.expressions().next() {
            Some(expression) => self.expression(expression),
            None => missing(node.span()),
        }
    }
}

/// Without spare room: most lists of the abstract syntax have one item, and there are very many of them.
fn tight<T>(mut list: Vec<T>) -> Vec<T> {
    list.shrink_to_fit();
    list
}

fn missing(span: Span) -> Expression {
    Expression { kind: ExpressionKind::Error, span }
}

fn ident(token: Token) -> Ident {
    Ident { name: Arc::from(token.text), span: token.span }
}

/// `A.B.C`; `None` where the parser found no name.
fn path(node: Node) -> Option<Path> {
    let mut global = false;
    let mut parts = Vec::new();
    for token in node.tokens() {
        match token.kind {
            SyntaxKind::Identifier => parts.push(ident(token)),
            _ => global |= parts.is_empty(),
        }
    }
    (!parts.is_empty()).then(|| Path { global, parts: tight(parts), span: node.span() })
}

/// The path directly below a node.
fn path_below(node: Node) -> Option<Path> {
    node.node(SyntaxKind::Path).and_then(path)
}

/// The description directly below a node, its strings joined.
fn description_below(node: Node) -> Option<String> {
    let description = node.node(SyntaxKind::Description)?;
    let strings = description.tokens().filter(|token| token.kind == SyntaxKind::String);
    Some(strings.map(|token| literals::string_value(token.text)).collect())
}

//! Modelica and MEL text to syntax trees: a lossless tree that prints back byte for byte, and from it the
//! abstract syntax that later stages read. Hand-written recursive descent that recovers and never fails.
//!
//! ```
//! use modeshift_diagnostics::{Diagnostics, SourceMap};
//!
//! let text = "model M Real x; equation /* e: */ der(x) = -x; end M;";
//! let file = SourceMap::default().add("m.mo", text);
//! let mut diagnostics = Diagnostics::new();
//! let parse = modeshift_syntax::parse(file, text, &mut diagnostics);
//! assert!(diagnostics.is_empty());
//! assert_eq!(&*parse.definition().classes[0].name.name, "M");
//! assert_eq!(parse.to_source(), text);
//! ```
//!
//! | module | purpose |
//! |---|---|
//! | `lexer` | text to tokens |
//! | `kind` | the kinds of tokens and nodes |
//! | `parser` | tokens to the lossless tree; recovers from errors |
//! | [`tree`] | the lossless tree: every byte of the text |
//! | `lower` | the lossless tree to the abstract syntax |
//! | [`ast`] | the abstract syntax of Modelica |
//! | [`mel`] | the abstract syntax of MEL |
//! | `print` | names and expressions as text |
//!
//! # Messages
//!
//! `E0101` something else was expected, `E0102` missing semicolon, `E0103` not closed, `E0104` an `end` that does
//! not match, `E0105` unclosed string, comment or quoted name, `E0106` unknown character, `E0107` too deep,
//! `E0108` number out of range, `E0109` operators that need parentheses, `E0110` an `end` that closes nothing,
//! `E0111` declarations, equations and statements in each other's place, `E0112` not supported, `E0113` too large.

pub mod ast;
mod kind;
mod lexer;
mod lower;
pub mod mel;
mod parser;
mod print;
pub mod tree;

use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, FileId, Span};

pub use kind::SyntaxKind;
pub use parser::NESTING_LIMIT;

use parser::{Dialect, parse_with};
use tree::Tree;

/// How deep an expression of the abstract syntax may be; deeper ones are reported and replaced by
/// [`ast::ExpressionKind::Error`], so that later stages may recurse. Sums, products, conjunctions and disjunctions
/// of hundreds of operands are grouped pairwise instead of from the left, and so stay shallow.
pub const EXPRESSION_DEPTH_LIMIT: usize = 512;

/// A Modelica file that has been read.
#[derive(Clone, Debug)]
pub struct Parse {
    tree: Tree,
    definition: ast::StoredDefinition,
}

impl Parse {
    /// The lossless tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The classes; cheap, they are shared.
    pub fn definition(&self) -> ast::StoredDefinition {
        self.definition.clone()
    }

    /// The text, byte for byte as it was read.
    pub fn to_source(&self) -> String {
        self.tree.to_source()
    }

    /// The lossless tree as indented text, for tests.
    pub fn debug_tree(&self) -> String {
        self.tree.dump()
    }
}

/// Reads a Modelica file. There is always a result; what is wrong goes to `diagnostics`, in the order of the text.
pub fn parse(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Parse {
    let text = readable(file, text, diagnostics);
    let input = (Dialect::Modelica, lexer::modelica_tokens(text));
    let tree = parse_with(file, text, input, diagnostics, |parser| parser.stored_definition());
    let definition = lower::stored_definition(&tree, diagnostics);
    Parse { tree, definition }
}

/// Reads a MEL file. There is always a result; what is wrong goes to `diagnostics`.
pub fn parse_mel(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> mel::Program {
    let tree = mel_tree(file, text, diagnostics);
    lower::program(&tree, diagnostics)
}

/// The lossless tree of a MEL file.
pub fn mel_tree(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Tree {
    let text = readable(file, text, diagnostics);
    let input = (Dialect::Mel, lexer::mel_tokens(text));
    parse_with(file, text, input, diagnostics, |parser| parser.mel_program())
}

/// Reads one Modelica expression, such as the value of `--set NAME=VALUE`.
pub fn parse_expression(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> ast::Expression {
    let text = readable(file, text, diagnostics);
    let input = (Dialect::Modelica, lexer::modelica_tokens(text));
    let tree = parse_with(file, text, input, diagnostics, |parser| parser.single_expression());
    lower::single_expression(&tree, diagnostics)
}

/// Places are 32 bits wide; a text beyond that is not read at all.
fn readable<'text>(file: FileId, text: &'text str, diagnostics: &mut Diagnostics) -> &'text str {
    if text.len() < u32::MAX as usize {
        return text;
    }
    let diagnostic = Diagnostic::error(Code::E0113, "this file is larger than 4 GB")
        .label(Span::new(file, 0, 0), "not read")
        .help("split it into several files");
    diagnostics.push(diagnostic);
    ""
}

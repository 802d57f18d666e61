//! The machinery of the hand-written recursive-descent parsers: looking ahead, building the tree, reporting.
//!
//! The parser never fails: whatever it reads, every token ends up in the tree, in a `Skipped` node if need be.
//! Nesting is limited, so that no input overflows the stack; behind the limit the rest of the text is skipped.
//!
//! | file | purpose |
//! |---|---|
//! | `classes` | files and class definitions of every form |
//! | `components` | elements of a class |
//! | `modifications` | `(a = 1, redeclare B c(d = 2)) = value` |
//! | `expressions` | expressions, for Modelica and MEL alike |
//! | `blocks` | lists of equations or statements, and `if`, `for`, `when` around them |
//! | `equations` | equations and equation sections |
//! | `statements` | statements and algorithm sections |
//! | `mel` | statements of MEL |
//! | `recovery` | finding the thread again behind an error |

mod blocks;
mod classes;
mod components;
mod equations;
mod expressions;
mod mel;
mod modifications;
mod recovery;
mod statements;

use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, FileId, Repair, Span};
use rowan::{Checkpoint, GreenNodeBuilder};

use crate::kind::SyntaxKind::{self, *};
use crate::lexer::Tokens;
use crate::tree::Tree;
use recovery::Open;

/// A statement of more tokens than this is not looked through for unknown characters once more.
const LONGEST_LOOK_BACK: usize = 400;

/// How deep parentheses, blocks and classes may be nested.
pub const NESTING_LIMIT: usize = 256;

/// Which language the shared parts read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Modelica,
    Mel,
}

pub(crate) struct Parser<'text> {
    file: FileId,
    text: &'text str,
    dialect: Dialect,
    tokens: Tokens,
    /// The tokens that are not trivia.
    significant: Vec<u32>,
    /// The current token, an index of `significant`.
    position: usize,
    /// The next token to go into the tree, an index of `tokens`.
    emitted: usize,
    builder: GreenNodeBuilder<'static>,
    diagnostics: Vec<Diagnostic>,
    /// Classes and blocks whose `end` is still to come.
    open: Vec<Open>,
    nesting: usize,
    /// Whether inside of `[ … ]` behind a name, where `end` is an expression.
    subscripts: usize,
    /// Where the text is lost, errors are consequences: nothing is reported from this token on.
    silent_from: usize,
    last_error: Option<usize>,
    /// The `if` of the last `else if`, a likely reason for an `if` that is not closed.
    last_else_if: usize,
}

/// Parses with the given grammar and hands over the tree; what is wrong goes to `diagnostics`.
pub(crate) fn parse_with(
    file: FileId,
    text: &str,
    (dialect, tokens): (Dialect, Tokens),
    diagnostics: &mut Diagnostics,
    grammar: impl FnOnce(&mut Parser),
) -> Tree {
    let mut parser = Parser::new(file, text, dialect, tokens);
    parser.builder.start_node(Root.into());
    grammar(&mut parser);
    parser.emit_rest();
    parser.builder.finish_node();
    let mut found = parser.diagnostics;
    found.sort_by_key(|diagnostic| diagnostic.labels.first().map_or(0, |label| label.span.start));
    for diagnostic in found {
        diagnostics.push(diagnostic);
    }
    Tree::new(file, parser.builder.finish())
}

/// What the grammar files read as.
impl Parser<'_> {
    pub(crate) fn stored_definition(&mut self) {
        classes::stored_definition(self);
    }

    pub(crate) fn mel_program(&mut self) {
        mel::program(self);
    }

    pub(crate) fn single_expression(&mut self) {
        expressions::expression(self);
        if !self.at(EndOfFile) {
            self.error_expected("the end of the expression");
        }
    }
}

impl<'text> Parser<'text> {
    fn new(file: FileId, text: &'text str, dialect: Dialect, tokens: Tokens) -> Self {
        let significant = (0..tokens.len()).filter(|&token| !tokens.kind(token).is_trivia());
        let mut parser = Parser {
            file,
            text,
            dialect,
            significant: significant.map(|token| token as u32).collect(),
            tokens,
            position: 0,
            emitted: 0,
            builder: GreenNodeBuilder::new(),
            diagnostics: Vec::new(),
            open: Vec::new(),
            nesting: 0,
            subscripts: 0,
            silent_from: usize::MAX,
            last_error: None,
            last_else_if: 0,
        };
        parser.report_lexical_errors();
        parser
    }

    // Looking.

    /// The index in `tokens` of a significant token.
    fn token(&self, significant: usize) -> usize {
        self.significant.get(significant).map_or(self.tokens.len(), |&token| token as usize)
    }

    /// The kind of the token `ahead` of the current one.
    fn nth(&self, ahead: usize) -> SyntaxKind {
        match self.significant.get(self.position + ahead) {
            Some(&token) => match self.tokens.kind(token as usize) {
                UnterminatedString => String,
                UnterminatedIdentifier => Identifier,
                kind => kind,
            },
            None => EndOfFile,
        }
    }

    fn current(&self) -> SyntaxKind {
        self.nth(0)
    }

    fn previous(&self) -> SyntaxKind {
        self.position.checked_sub(1).map_or(EndOfFile, |previous| self.tokens.kind(self.token(previous)))
    }

    fn at(&self, kind: SyntaxKind) -> bool {
        self.nth(0) == kind
    }

    fn at_any(&self, kinds: &[SyntaxKind]) -> bool {
        kinds.contains(&self.nth(0))
    }

    /// The text of the token `ahead` of the current one.
    fn nth_text(&self, ahead: usize) -> &'text str {
        &self.text[self.tokens.range(self.token(self.position + ahead))]
    }

    fn span_of(&self, significant: usize) -> Span {
        let range = self.tokens.range(self.token(significant));
        Span::new(self.file, range.start, range.end)
    }

    fn current_span(&self) -> Span {
        self.span_of(self.position)
    }

    /// The empty span at the end of the token before the current one.
    fn previous_end(&self) -> Span {
        let end = match self.position.checked_sub(1) {
            Some(previous) => self.tokens.range(self.token(previous)).end,
            None => 0,
        };
        Span::new(self.file, end, end)
    }

    /// Whether the current token is the first of its line.
    fn at_line_start(&self) -> bool {
        let before = self.previous_end().end as usize;
        let here = self.tokens.range(self.token(self.position)).start;
        self.at(EndOfFile) || self.text[before..here].contains(['\n', '\r'])
    }

    // Building.

    /// Puts white space and comments in front of the current token into the tree.
    fn emit_trivia(&mut self) {
        let until = self.token(self.position);
        while self.emitted < until {
            self.emit_token();
        }
    }

    fn emit_token(&mut self) {
        let kind = match self.tokens.kind(self.emitted) {
            UnterminatedString => String,
            UnterminatedIdentifier => Identifier,
            kind => kind,
        };
        self.builder.token(kind.into(), &self.text[self.tokens.range(self.emitted)]);
        self.emitted += 1;
    }

    fn emit_rest(&mut self) {
        if !self.at(EndOfFile) {
            self.start(Skipped);
            while !self.at(EndOfFile) {
                self.bump();
            }
            self.finish();
        }
        self.emit_trivia();
    }

    fn start(&mut self, kind: SyntaxKind) {
        self.emit_trivia();
        self.builder.start_node(kind.into());
    }

    fn checkpoint(&mut self) -> Checkpoint {
        self.emit_trivia();
        self.builder.checkpoint()
    }

    fn start_at(&mut self, checkpoint: Checkpoint, kind: SyntaxKind) {
        self.builder.start_node_at(checkpoint, kind.into());
    }

    fn finish(&mut self) {
        self.builder.finish_node();
    }

    /// An empty node, for something that is missing.
    fn empty(&mut self, kind: SyntaxKind) {
        self.builder.start_node(kind.into());
        self.builder.finish_node();
    }

    fn bump(&mut self) {
        if self.position < self.significant.len() {
            self.emit_trivia();
            self.emit_token();
            self.position += 1;
        }
    }

    fn eat(&mut self, kind: SyntaxKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: SyntaxKind) -> bool {
        let found = self.eat(kind);
        if !found {
            self.error_expected(kind.description());
            if kind == Identifier {
                self.skip_keyword_as_name();
            }
        }
        found
    }

    /// Parses one level deeper, or gives up behind the limit.
    fn nested(&mut self, parse: impl FnOnce(&mut Self)) {
        if self.nesting >= NESTING_LIMIT {
            self.give_up();
        } else {
            self.nesting += 1;
            parse(self);
            self.nesting -= 1;
        }
    }

    fn give_up(&mut self) {
        let diagnostic = Diagnostic::error(Code::E0107, format!("nested more than {NESTING_LIMIT} levels deep"))
            .label(self.current_span(), "the rest of the file is not read")
            .help("name inner parts and refer to them");
        self.last_error = None;
        self.report(diagnostic);
        self.silent_from = 0;
        self.emit_rest();
    }

    // Reporting.

    /// Reports at most one error per token, and none where an unknown character is the likely reason.
    fn report(&mut self, diagnostic: Diagnostic) {
        let known = self.last_error == Some(self.position) || self.behind_lexical_error();
        if self.position < self.silent_from && !known {
            self.diagnostics.push(diagnostic);
        }
        self.last_error = Some(self.position);
    }

    /// Whether something that is no token stands directly in front of the current one, or an unknown character in the same statement.
    fn behind_lexical_error(&self) -> bool {
        let previous = self.position.checked_sub(1).map_or(0, |previous| self.token(previous));
        let current = self.token(self.position);
        let is_unterminated = (previous..current).any(|token| self.tokens.kind(token) == UnterminatedIdentifier);
        let statement = (current.saturating_sub(LONGEST_LOOK_BACK)..current).rev().map(|token| self.tokens.kind(token));
        is_unterminated || statement.take_while(|kind| *kind != Semicolon).any(|kind| kind == Unknown)
    }

    fn error_expected(&mut self, what: &str) {
        if what.contains("name") && self.current().is_keyword() && !self.at_line_start() {
            let help = format!("keywords are no names, but `'{}'` is one", self.nth_text(0));
            self.error_expected_with_help(what, &help);
        } else {
            let diagnostic = self.expected(what);
            self.report(diagnostic);
        }
    }

    fn error_expected_with_help(&mut self, what: &str, help: &str) {
        let diagnostic = self.expected(what).help(help);
        self.report(diagnostic);
    }

    fn expected(&self, what: &str) -> Diagnostic {
        Diagnostic::error(Code::E0101, format!("expected {what}, found {}", self.found()))
            .label(self.current_span(), format!("expected {what}"))
    }

    /// The current token in the words of a message.
    fn found(&self) -> std::string::String {
        match self.current() {
            EndOfFile => "the end of the file".to_owned(),
            String => "a string".to_owned(),
            kind if kind.is_keyword() => format!("the keyword `{}`", self.nth_text(0)),
            _ => format!("`{}`", self.nth_text(0)),
        }
    }

    /// The operator of Modelica in place of one of C.
    fn modelica_operator(&self, range: std::ops::Range<usize>) -> Option<Repair> {
        let (before, behind) = (&self.text[..range.start], &self.text[range.end..]);
        let (word, end) = match &self.text[range.clone()] {
            "&" | "&&" => ("and", range.end),
            "|" | "||" => ("or", range.end),
            "!" if behind.starts_with('=') && !behind.starts_with("==") => ("<>", range.end + 1),
            "!" => ("not", range.end),
            _ => return None,
        };
        let space = |is_there: bool| if is_there { "" } else { " " };
        let front = space(before.ends_with(char::is_whitespace) || before.ends_with('('));
        let back = space(self.text[end..].starts_with(char::is_whitespace));
        let span = Span::new(self.file, range.start, end);
        Some(Repair::replace(span, format!("{front}{word}{back}"), format!("write `{word}`")))
    }

    fn report_lexical_errors(&mut self) {
        let mut significant = 0;
        for token in 0..self.tokens.len() {
            let kind = self.tokens.kind(token);
            let range = self.tokens.range(token);
            if let Some(mut diagnostic) = lexical_error(kind, &self.text[range.clone()]) {
                diagnostic.candidates.extend(self.modelica_operator(range.clone()));
                let end = match kind {
                    Unknown => range.end,
                    UnterminatedComment => range.start + 2,
                    _ => range.start + 1,
                };
                self.diagnostics.push(diagnostic.label(Span::new(self.file, range.start, end), ""));
            }
            if matches!(kind, UnterminatedComment | UnterminatedString) {
                self.silent_from = significant;
            }
            significant += usize::from(!kind.is_trivia());
        }
    }
}

fn lexical_error(kind: SyntaxKind, text: &str) -> Option<Diagnostic> {
    match kind {
        Unknown => Some(unknown_characters(text)),
        UnterminatedComment => {
            Some(Diagnostic::error(Code::E0105, "this comment is not closed").help("close it with `*/`"))
        }
        UnterminatedString => {
            let help = "close it with `\"`; a quotation mark inside a string is written `\\\"`";
            Some(Diagnostic::error(Code::E0105, "this string is not closed").help(help))
        }
        // Nobody would see them in a message, and a terminal would obey them.
        Identifier if text.contains(char::is_control) => {
            let help = "write its name without characters that cannot be seen";
            Some(Diagnostic::error(Code::E0106, "a control character in a quoted name").help(help))
        }
        UnterminatedIdentifier => {
            Some(Diagnostic::error(Code::E0105, "this quoted name is not closed on its line").help("close it with `'`"))
        }
        _ => None,
    }
}

/// A character as the file has it; one that nobody would see by its number.
fn as_it_is_or_by_number(character: char) -> std::string::String {
    // The library escapes what is not printable, and three characters that are.
    let is_seen = matches!(character, '"' | '\'' | '\\') || character.escape_debug().count() == 1;
    if is_seen { character.into() } else { format!("U+{:04X}", character as u32) }
}

fn unknown_characters(text: &str) -> Diagnostic {
    let shown: std::string::String = text.chars().take(20).map(as_it_is_or_by_number).collect();
    let what = if text.chars().nth(1).is_some() { "characters" } else { "character" };
    let diagnostic = Diagnostic::error(Code::E0106, format!("unknown {what} `{shown}`"));
    match text {
        "!" => diagnostic.help("Modelica writes `not a` and `a <> b`"),
        "&" | "&&" => diagnostic.help("Modelica writes `a and b`"),
        "|" | "||" => diagnostic.help("Modelica writes `a or b`"),
        _ if text.chars().all(char::is_alphabetic) => {
            diagnostic.help("names are made of the letters a to z, digits and `_`; any other goes in quotes: `'größe'`")
        }
        _ => diagnostic,
    }
}

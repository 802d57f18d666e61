//! Formatting over the lossless tree: lines are indented by what they are in, blanks at their ends go, blanks around commas
//! and equals signs are as usual. Line breaks, comments and columns that were lined up by hand stay; a second time changes
//! nothing. A text with syntax errors is left alone.

use std::collections::BTreeMap;

use modeshift_syntax::SyntaxKind;
use modeshift_syntax::tree::{Child, Node, Token};
use serde_json::{Value, json};

use crate::documents::{Document, leaves};

/// How far each level is indented.
const STEP: usize = 2;

/// How many empty lines in a row are kept.
const MOST_EMPTY: usize = 2;

/// The edits that format a document, or the lines of a range: only what changes.
pub fn formatting(document: &Document, range: Option<&Value>) -> Value {
    if document.has_syntax_errors() {
        return json!([]);
    }
    let old = document.text.as_str();
    let new = formatted(document);
    if range.is_none() {
        return if old == new { json!([]) } else { json!([edit(document, old, &new, 0..old.len())]) };
    }
    // Formatting changes blanks and empty lines only: the lines with something on them are the same ones in the same order.
    let mut start = 0;
    let mut old_lines = Vec::new();
    for (number, line) in old.split('\n').enumerate() {
        let text = line.strip_suffix('\r').unwrap_or(line);
        if !text.trim().is_empty() {
            old_lines.push((number, start, text));
        }
        start += line.len() + 1;
    }
    let new_lines: Vec<&str> = new.lines().filter(|line| !line.trim().is_empty()).collect();
    let is_same = |one: &str, other: &str| {
        one.split_whitespace().flat_map(str::chars).eq(other.split_whitespace().flat_map(str::chars))
    };
    if old_lines.len() != new_lines.len() || !old_lines.iter().zip(&new_lines).all(|(old, new)| is_same(old.2, new)) {
        return json!([]);
    }
    let line = |end: &str| range.map_or(0, |it| it[end]["line"].as_u64().unwrap_or(0) as usize);
    let mut edits = Vec::new();
    for (&(number, start, old_line), new_line) in old_lines.iter().zip(&new_lines) {
        if number >= line("start") && number <= line("end") && old_line != *new_line {
            edits.push(edit(document, old_line, new_line, start..start + old_line.len()));
        }
    }
    json!(edits)
}

/// One edit, without what is the same at both ends.
fn edit(document: &Document, old: &str, new: &str, place: std::ops::Range<usize>) -> Value {
    let same_start = old.bytes().zip(new.bytes()).take_while(|(one, other)| one == other).count();
    let longest = old.len().min(new.len()) - same_start;
    let same_end =
        old.bytes().rev().zip(new.bytes().rev()).take(longest).take_while(|(one, other)| one == other).count();
    let is_boundary = |at: usize| old.is_char_boundary(at);
    let head = (0..=same_start).rev().find(|at| is_boundary(*at) && new.is_char_boundary(*at)).unwrap_or(0);
    let tail = (0..=same_end).rev().find(|it| is_boundary(old.len() - it) && new.is_char_boundary(new.len() - it));
    let tail = tail.unwrap_or(0);
    let range = document.text.range(place.start + head, place.end - tail);
    json!({"range": range, "newText": &new[head..new.len() - tail]})
}

/// The text as it should be.
pub fn formatted(document: &Document) -> String {
    let mut levels = Levels::default();
    levels.visit(document.tree().root(), 0);
    let mut tokens: Vec<Token<'_>> = Vec::new();
    leaves(document.tree().root(), &mut |token| tokens.push(token));
    let line_end = document.text.line_end_of_most();
    let mut writer = Writer { levels: &levels, text: String::new(), line_end, shift: 0, depth: 0 };
    writer.write(&tokens);
    writer.text
}

/// How deep the lines are that start with these tokens; where no token is listed, a line goes on.
#[derive(Default)]
struct Levels {
    starts: BTreeMap<u32, usize>,
    /// Tokens that close something: comments in front of them belong to what is inside.
    closing: BTreeMap<u32, ()>,
    /// Equals signs of equations, declarations and assignments.
    equals: BTreeMap<u32, ()>,
}

impl Levels {
    fn visit(&mut self, node: Node<'_>, depth: usize) {
        use SyntaxKind::*;
        let kind = node.kind();
        let is_long_class = kind == Class && node.has_token(EndKeyword);
        for child in node.children() {
            match child {
                Child::Token(token) => {
                    let closes =
                        matches!(token.kind, EndKeyword | ElseKeyword | ElseifKeyword | ElsewhenKeyword | DoneKeyword);
                    let is_block = is_block(kind) || is_long_class;
                    if is_block && closes {
                        self.starts.insert(token.span.start, depth);
                        self.closing.insert(token.span.start, ());
                    } else if is_long_class && matches!(token.kind, PublicKeyword | ProtectedKeyword) {
                        self.starts.insert(token.span.start, depth);
                    }
                    let is_equality = matches!(kind, Equation | Statement | MelEquation | MelDeclaration | MelLaw);
                    if token.kind == ColonEquals || (token.kind == Equals && is_equality) {
                        self.equals.insert(token.span.start, ());
                    }
                }
                Child::Node(child) => {
                    let level = match (kind, child.kind()) {
                        (Root, _) => Some(depth),
                        (Class, EquationSection | AlgorithmSection) => Some(depth),
                        (
                            Class,
                            Element | ImportClause | ExtendsClause | ConditionalElements | ExternalClause | Annotation,
                        ) if is_long_class => Some(depth + 1),
                        (Class, Description) => None,
                        (EquationSection | AlgorithmSection, inner) if !inner.is_expression() => Some(depth + 1),
                        (outer, inner) if is_block(outer) && is_item(inner) => Some(depth + 1),
                        _ => None,
                    };
                    if let Some(level) = level {
                        self.starts.insert(child.span().start, level);
                    }
                    self.visit(child, level.unwrap_or(depth));
                }
            }
        }
    }
}

/// Whether lines inside of it are indented.
fn is_block(kind: SyntaxKind) -> bool {
    use SyntaxKind::*;
    matches!(
        kind,
        IfEquation
            | ForEquation
            | WhenEquation
            | IfStatement
            | ForStatement
            | WhenStatement
            | WhileStatement
            | ConditionalElements
            | MelIf
            | MelForeach
            | MelScenario
    )
}

/// What stands on lines of its own inside of a block.
fn is_item(kind: SyntaxKind) -> bool {
    use SyntaxKind::*;
    is_block(kind)
        || matches!(
            kind,
            Equation
                | ConnectEquation
                | InvariantEquation
                | Statement
                | Element
                | ImportClause
                | ExtendsClause
                | MelDeclaration
                | MelEquation
                | MelLaw
                | MelInvariant
        )
}

struct Writer<'a> {
    levels: &'a Levels,
    text: String,
    /// What ends the last line.
    line_end: &'static str,
    /// How far the line that began the current item moved: the lines on which it goes on move with it.
    shift: isize,
    /// Parentheses that are open.
    depth: usize,
}

impl Writer<'_> {
    fn write(&mut self, tokens: &[Token<'_>]) {
        let mut at_line_start = true;
        for (at, token) in tokens.iter().enumerate() {
            if token.kind == SyntaxKind::Whitespace {
                let (before, next) = (at.checked_sub(1).map(|it| tokens[it]), tokens.get(at + 1).copied());
                at_line_start = self.blank(token, before, next, &tokens[at + 1..], at_line_start);
                continue;
            }
            if at_line_start && token.kind != SyntaxKind::ByteOrderMark && at == 0 {
                self.indent(0, *token, &tokens[at..]);
            }
            match token.kind {
                SyntaxKind::LeftParen | SyntaxKind::LeftBracket | SyntaxKind::LeftBrace => self.depth += 1,
                SyntaxKind::RightParen | SyntaxKind::RightBracket | SyntaxKind::RightBrace => {
                    self.depth = self.depth.saturating_sub(1);
                }
                _ => {}
            }
            if let Some(previous) = at.checked_sub(1).map(|it| tokens[it]) {
                self.separate(previous, *token);
            }
            let token_text = match token.kind {
                SyntaxKind::LineComment => token.text.trim_end(),
                _ => token.text,
            };
            self.text.push_str(token_text);
            at_line_start = false;
        }
        let end = self.text.trim_end_matches([' ', '\t', '\n', '\r']).len();
        self.text.truncate(end);
        if !self.text.is_empty() {
            self.text.push_str(self.line_end);
        }
    }

    /// A blank where two tokens touch that should not.
    fn separate(&mut self, previous: Token<'_>, token: Token<'_>) {
        let is_equals = |token: Token<'_>| self.levels.equals.contains_key(&token.span.start);
        let after_comma = previous.kind == SyntaxKind::Comma && !token.kind.is_trivia();
        let wanted = after_comma || is_equals(previous) || is_equals(token);
        if wanted && previous.kind != SyntaxKind::Whitespace && token.kind != SyntaxKind::Whitespace {
            self.text.push(' ');
        }
    }

    /// Blanks and line breaks between two tokens; whether a line starts behind them.
    fn blank(
        &mut self,
        token: &Token<'_>,
        before: Option<Token<'_>>,
        next: Option<Token<'_>>,
        rest: &[Token<'_>],
        at_line_start: bool,
    ) -> bool {
        let breaks = token.text.matches('\n').count();
        let Some(next) = next else { return false };
        if breaks > 0 || (at_line_start && self.text.is_empty()) {
            let kept = if self.text.is_empty() { 0 } else { breaks.min(MOST_EMPTY + 1) };
            let ending = if token.text.contains("\r\n") { "\r\n" } else { "\n" };
            (0..kept).for_each(|_| self.text.push_str(ending));
            let column = token.text.rsplit('\n').next().map_or(0, width);
            self.indent(column, next, rest);
            return true;
        }
        let after_opening = before.is_some_and(|it| {
            matches!(it.kind, SyntaxKind::LeftParen | SyntaxKind::LeftBracket | SyntaxKind::LeftBrace)
        });
        let is_closing = matches!(
            next.kind,
            SyntaxKind::RightParen
                | SyntaxKind::RightBracket
                | SyntaxKind::RightBrace
                | SyntaxKind::Semicolon
                | SyntaxKind::Comma
        );
        // Where a comma is followed by nothing, as in `(a, , b)`, its blank stays.
        let after_comma = before.is_some_and(|it| it.kind == SyntaxKind::Comma);
        if (after_opening && !next.kind.is_trivia())
            || (is_closing && !after_comma && !before.is_some_and(|it| it.kind.is_trivia()))
        {
            return false;
        }
        // What was lined up by hand stays lined up.
        let lined_up = token.text.len() > 1 && !token.text.contains('\t');
        let is_narrow = after_comma || !lined_up;
        self.text.push_str(if is_narrow { " " } else { token.text });
        false
    }

    /// The blanks in front of a line that starts with a token, which stood at this column.
    fn indent(&mut self, column: usize, token: Token<'_>, rest: &[Token<'_>]) {
        let wanted = match self.level(token, rest) {
            Some(level) => {
                let wanted = level * STEP;
                self.shift = wanted as isize - column as isize;
                wanted
            }
            None => (column as isize + self.shift).max(0) as usize,
        };
        self.text.push_str(&" ".repeat(wanted));
    }

    /// How deep the line is that starts with a token. A comment is as deep as what follows, or as what is in the block
    /// that ends there.
    fn level(&self, token: Token<'_>, rest: &[Token<'_>]) -> Option<usize> {
        if !token.kind.is_trivia() {
            return self.levels.starts.get(&token.span.start).copied();
        }
        if self.depth > 0 {
            return None;
        }
        let next = rest.iter().find(|it| !it.kind.is_trivia());
        let Some(next) = next else { return Some(0) };
        let level = *self.levels.starts.get(&next.span.start)?;
        Some(if self.levels.closing.contains_key(&next.span.start) { level + 1 } else { level })
    }
}

/// How wide blanks are; a tab goes to the next multiple of eight.
fn width(blanks: &str) -> usize {
    blanks.chars().fold(0, |width, it| if it == '\t' { width / 8 * 8 + 8 } else { width + 1 })
}

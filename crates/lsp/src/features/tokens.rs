//! What each word is, for highlighting: by the text alone, so that it is there at once and on broken text, with the mode
//! variables and states that the analysis found.

use std::collections::BTreeMap;

use modeshift_syntax::SyntaxKind;
use modeshift_syntax::tree::{Child, Node, Token};
use serde_json::{Value, json};

use crate::documents::Document;

/// The kinds of words, by number.
pub const TYPES: [&str; 13] = [
    "namespace",
    "type",
    "class",
    "parameter",
    "variable",
    "property",
    "enumMember",
    "function",
    "keyword",
    "comment",
    "string",
    "number",
    "operator",
];

/// What else a word may be; `mode` and `state` are what the analysis found.
pub const MODIFIERS: [&str; 4] = ["declaration", "readonly", "mode", "state"];

const TYPE: usize = 1;
const CLASS: usize = 2;
const PARAMETER: usize = 3;
const VARIABLE: usize = 4;
const PROPERTY: usize = 5;
const ENUM_MEMBER: usize = 6;
const FUNCTION: usize = 7;
const KEYWORD: usize = 8;
const COMMENT: usize = 9;
const STRING: usize = 10;
const NUMBER: usize = 11;
const OPERATOR: usize = 12;

const DECLARATION: u32 = 1;
const READONLY: u32 = 2;
const MODE: u32 = 4;
const STATE: u32 = 8;

/// What a name was declared as: its kind and what else it is.
type Declared<'tree> = BTreeMap<&'tree str, (usize, u32)>;

struct Painter<'a> {
    document: &'a Document,
    from: usize,
    to: usize,
    data: Vec<u32>,
    last: (usize, usize),
    /// What the analysis says of names of this document.
    found: BTreeMap<usize, u32>,
}

/// The words of a document, or of a range of it.
pub fn tokens(document: &Document, range: Option<&Value>) -> Value {
    let all = (0, document.text.as_str().len());
    let (from, to) = range.map_or(all, |it| (document.text.offset(&it["start"]), document.text.offset(&it["end"])));
    let mut painter = Painter { document, from, to, data: Vec::new(), last: (0, 0), found: found(document) };
    painter.node(document.tree().root(), &Declared::new(), false);
    json!({"data": painter.data})
}

/// Mode variables and states by the place of their declaration.
fn found(document: &Document) -> BTreeMap<usize, u32> {
    let Some(facts) = &document.facts else { return BTreeMap::new() };
    let modifiers = |variable: &Value| {
        let is_state = variable["given"].as_array().into_iter().flatten().any(|case| case["state"] == json!("yes"));
        (if variable["mode"].is_null() { 0 } else { MODE }) | (if is_state { STATE } else { 0 })
    };
    let variables = facts.all_variables().iter().map(|it| (it, modifiers(it))).filter(|(_, it)| *it > 0);
    let moved = |start: &Value| document.moved(start.as_u64().unwrap_or(0) as usize, facts.changes);
    variables.filter_map(|(variable, it)| Some((moved(&variable["start"])?, it))).collect()
}

impl Painter<'_> {
    fn node(&mut self, node: Node<'_>, declared: &Declared<'_>, called: bool) {
        let span = node.span();
        if (span.end as usize) < self.from || (span.start as usize) > self.to {
            return;
        }
        let inner;
        let declared = match node.kind() {
            SyntaxKind::Class => {
                let mut own = declared.clone();
                self.declare(node, &mut own);
                inner = own;
                &inner
            }
            _ => declared,
        };
        let mut names = 0;
        for child in node.children() {
            match child {
                Child::Node(child) => {
                    let is_called = node.kind() == SyntaxKind::Call && child.kind() == SyntaxKind::Reference;
                    self.node(child, declared, is_called);
                }
                Child::Token(token) if token.kind == SyntaxKind::Identifier => {
                    let (kind, modifiers) = name_kind(node, token, names, declared, called);
                    names += 1;
                    self.push(token, kind, modifiers);
                }
                Child::Token(token) => {
                    if let Some(kind) = token_kind(token.kind) {
                        self.push(token, kind, 0);
                    }
                }
            }
        }
    }

    /// Takes in what the declarations of a class declare.
    fn declare<'tree>(&self, class: Node<'tree>, declared: &mut Declared<'tree>) {
        for node in class.nodes() {
            match node.kind() {
                SyntaxKind::Element | SyntaxKind::ConditionalElements => self.declare(node, declared),
                SyntaxKind::ComponentClause => {
                    let prefix = node.node(SyntaxKind::TypePrefix);
                    let has = |kind| prefix.is_some_and(|prefix| prefix.has_token(kind));
                    let is_fixed = has(SyntaxKind::ParameterKeyword) || has(SyntaxKind::ConstantKeyword);
                    let (kind, fixed) = if is_fixed { (PARAMETER, READONLY) } else { (VARIABLE, 0) };
                    for declaration in node.nodes().filter(|it| it.kind() == SyntaxKind::ComponentDeclaration) {
                        let found = self.found.get(&(declaration.span().start as usize)).copied().unwrap_or(0);
                        declared.extend(declaration.identifier().map(|name| (name.text, (kind, fixed | found))));
                    }
                }
                SyntaxKind::Class => {
                    let is_function = node.has_token(SyntaxKind::FunctionKeyword);
                    let kind = if is_function { FUNCTION } else { CLASS };
                    declared.extend(node.identifier().map(|name| (name.text, (kind, 0))));
                }
                _ => {}
            }
        }
    }

    /// A token of several lines is one word per line, as the protocol has it.
    fn push(&mut self, token: Token<'_>, kind: usize, modifiers: u32) {
        let mut start = token.span.start as usize;
        for line in token.text.split_inclusive('\n') {
            let word = line.trim_end_matches(['\n', '\r']);
            if start >= self.from && start < self.to && !word.is_empty() {
                let (at_line, at) = self.document.text.line_and_character(start);
                let (line_before, before) = self.last;
                let delta = if at_line == line_before { at - before } else { at };
                let length = self.document.text.length(word);
                self.data.extend([(at_line - line_before) as u32, delta as u32, length as u32, kind as u32, modifiers]);
                self.last = (at_line, at);
            }
            start += line.len();
        }
    }
}

fn name_kind(node: Node<'_>, token: Token<'_>, position: usize, declared: &Declared<'_>, called: bool) -> (usize, u32) {
    let known = declared.get(token.text).copied();
    match node.kind() {
        SyntaxKind::Class => {
            let kind = if node.has_token(SyntaxKind::FunctionKeyword) { FUNCTION } else { CLASS };
            (kind, if position == 0 { DECLARATION } else { 0 })
        }
        SyntaxKind::ComponentDeclaration => {
            let (kind, modifiers) = known.unwrap_or((VARIABLE, 0));
            (kind, modifiers | DECLARATION)
        }
        SyntaxKind::EnumerationLiteral => (ENUM_MEMBER, DECLARATION),
        SyntaxKind::Reference if called => (FUNCTION, 0),
        SyntaxKind::Reference if position == 0 => known.unwrap_or((VARIABLE, 0)),
        SyntaxKind::Reference | SyntaxKind::NamedArgument | SyntaxKind::Access => (PROPERTY, 0),
        SyntaxKind::Path => (TYPE, 0),
        _ => (VARIABLE, 0),
    }
}

fn token_kind(kind: SyntaxKind) -> Option<usize> {
    use SyntaxKind::*;
    match kind {
        LineComment | BlockComment | UnterminatedComment => Some(COMMENT),
        String | UnterminatedString => Some(STRING),
        Integer | Real => Some(NUMBER),
        Equals | ColonEquals | Plus | Minus | Star | Slash | Caret | Less | LessEqual | Greater | GreaterEqual
        | EqualEqual | NotEqual => Some(OPERATOR),
        _ if kind.is_keyword() => Some(KEYWORD),
        _ => None,
    }
}

//! An open document: its text as the editor has it, what was parsed of it, and what the analysis found in it.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use modeshift_diagnostics::{Diagnostics, FileId, SourceMap};
use modeshift_driver::Dialect;
use modeshift_syntax::ast::StoredDefinition;
use modeshift_syntax::tree::{Child, Node, Token, Tree};
use serde_json::Value;

use crate::facts::Facts;
use crate::text::{Edit, Encoding, Text};

/// How many edits a document remembers; facts that are older are not shown.
const REMEMBERED_EDITS: usize = 1000;

/// A document that a client has open.
pub struct Document {
    /// As the client calls it.
    pub uri: String,
    /// Where it lies, if it is a file.
    pub path: Option<PathBuf>,
    /// The client's number of this text.
    pub version: i64,
    /// The text.
    pub text: Text,
    /// The model that is looked at; none: the last one.
    pub model: Option<String>,
    /// Its language.
    pub dialect: Dialect,
    /// What was last found out about it.
    pub facts: Option<Facts>,
    /// The diagnostics that were last published, as the protocol has them.
    pub published: Vec<Value>,
    parsed: OnceCell<Parsed>,
    /// All edits, each with the number of the text after it.
    edits: Vec<(u64, Edit)>,
    /// How many edits there were; unlike the client's number, it always grows by one.
    pub changes: u64,
}

/// What a parser makes of a text.
struct Parsed {
    tree: Tree,
    definition: StoredDefinition,
    has_errors: bool,
}

impl Document {
    /// A document as it was opened.
    pub fn new(uri: &str, version: i64, text: String, encoding: Encoding) -> Document {
        let path = path_of(uri);
        let is_mel = Path::new(uri).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mel"));
        Document {
            uri: uri.to_string(),
            path,
            version,
            text: Text::new(text, encoding),
            model: None,
            dialect: if is_mel { Dialect::Mel } else { Dialect::Modelica },
            facts: None,
            published: Vec::new(),
            parsed: OnceCell::new(),
            edits: Vec::new(),
            changes: 0,
        }
    }

    /// Applies the changes of a notification.
    pub fn change(&mut self, version: i64, changes: &[Value]) {
        for change in changes {
            let edit = self.text.change(change.get("range"), change["text"].as_str().unwrap_or_default());
            self.changes += 1;
            self.edits.push((self.changes, edit));
        }
        if self.edits.len() > REMEMBERED_EDITS {
            self.edits.drain(..REMEMBERED_EDITS / 2);
        }
        self.version = version;
        self.parsed.take();
    }

    /// Looks at this model from now on: what was found out of another one is told no more.
    pub fn look_at(&mut self, model: Option<String>) {
        self.changes += u64::from(self.model != model);
        self.model = model;
    }

    /// Where a place of an earlier text is now; `None` where it was edited away, or all that is too long ago.
    pub fn moved(&self, place: usize, since: u64) -> Option<usize> {
        let oldest = self.edits.first().map_or(self.changes, |(change, _)| change - 1);
        if since < oldest {
            return None;
        }
        let later = self.edits.iter().filter(|(change, _)| *change > since);
        later.map(|(_, edit)| edit).try_fold(place, |place, edit| edit.moved(place))
    }

    fn parsed(&self) -> &Parsed {
        self.parsed.get_or_init(|| {
            let mut diagnostics = Diagnostics::new();
            let file = own_file();
            let text = self.text.as_str();
            let (tree, definition) = match self.dialect {
                Dialect::Modelica => {
                    let parse = modeshift_syntax::parse(file, text, &mut diagnostics);
                    (parse.tree().clone(), parse.definition())
                }
                Dialect::Mel => (modeshift_syntax::mel_tree(file, text, &mut diagnostics), StoredDefinition::default()),
            };
            Parsed { tree, definition, has_errors: diagnostics.has_errors() }
        })
    }

    /// The lossless tree.
    pub fn tree(&self) -> &Tree {
        &self.parsed().tree
    }

    /// The classes, where the language has any.
    pub fn definition(&self) -> &StoredDefinition {
        &self.parsed().definition
    }

    /// Whether the text is no sentence of its language.
    pub fn has_syntax_errors(&self) -> bool {
        self.parsed().has_errors
    }

    /// The range of a span of this document.
    pub fn range(&self, span: modeshift_diagnostics::Span) -> Value {
        self.text.range(span.start as usize, span.end as usize)
    }
}

/// The id under which a document is parsed for itself.
pub fn own_file() -> FileId {
    SourceMap::default().add("", "")
}

/// The tokens of a tree in order, white space and comments included.
pub fn leaves<'tree>(node: Node<'tree>, each: &mut impl FnMut(Token<'tree>)) {
    for child in node.children() {
        match child {
            Child::Node(node) => leaves(node, each),
            Child::Token(token) => each(token),
        }
    }
}

/// The nodes around a byte from the root inwards, and the token there: of two that touch it, the name.
pub fn around(tree: &Tree, offset: usize) -> (Vec<Node<'_>>, Option<Token<'_>>) {
    let at = |offset: usize| {
        let (mut nodes, mut token) = (vec![tree.root()], None);
        'descend: while let Some(&node) = nodes.last() {
            for child in node.children() {
                let span = child.span();
                if (span.start as usize) <= offset && offset < span.end as usize {
                    match child {
                        Child::Node(inner) => {
                            nodes.push(inner);
                            continue 'descend;
                        }
                        Child::Token(found) => token = Some(found),
                    }
                }
            }
            break;
        }
        (nodes, token)
    };
    use modeshift_syntax::SyntaxKind::Identifier;
    let here = at(offset);
    let is_name = |token: &Option<Token<'_>>| token.is_some_and(|token| token.kind == Identifier);
    match offset.checked_sub(1) {
        Some(before) if !is_name(&here.1) => {
            let before = at(before);
            if is_name(&before.1) { before } else { here }
        }
        _ => here,
    }
}

/// The path of a `file:` address; anything else is no file.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = &rest[rest.find('/')?..];
    let (mut bytes, mut at) = (Vec::with_capacity(rest.len()), 0);
    let raw = rest.as_bytes();
    while at < raw.len() {
        let escaped = (raw[at] == b'%').then(|| rest.get(at + 1..at + 3)).flatten();
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                at += 3;
            }
            None => {
                bytes.push(raw[at]);
                at += 1;
            }
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    // `/C:/models` is `C:/models`.
    let is_drive = text.as_bytes().get(2) == Some(&b':') && text.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic);
    Some(PathBuf::from(if is_drive { &text[1..] } else { &text }))
}

/// The `file:` address of a path.
pub fn uri_of(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let slash = if text.starts_with('/') { "" } else { "/" };
    let mut uri = format!("file://{slash}");
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(byte as char),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_and_its_address_are_the_same_place() {
        for path in ["/a b/ü%.mo", "/x/y.mel"] {
            assert_eq!(path_of(&uri_of(Path::new(path))), Some(PathBuf::from(path)));
        }
        assert_eq!(path_of("file:///C%3A/m.mo"), Some(PathBuf::from("C:/m.mo")));
        assert_eq!(path_of("untitled:Untitled-1"), None);
    }
}

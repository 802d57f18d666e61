//! Where things are: definition, references, renaming.

use std::path::{Path, PathBuf};

use modeshift_diagnostics::Span;
use modeshift_syntax::SyntaxKind;
use modeshift_syntax::tree::{Child, Node, Tree};
use serde_json::{Map, Value, json};

use super::diagnostics::address;
use crate::documents::{Document, around, leaves, path_of, uri_of};
use crate::names::{Names, Symbol, lookup, predefined};
use crate::rpc::Failure;
use crate::text::{Encoding, Text};

/// How many files are searched.
const MOST_FILES: usize = 3000;

/// What is looked for: a declaration.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its name.
    name: String,
    /// The file and the first byte of the name there.
    key: (String, u32),
    /// Whether only those places count that mean it by the name of an import.
    is_alias: bool,
    /// Whether it is `inner` or `outer`: which of them mean each other is known of instances only, so all of the name count.
    is_shared: bool,
}

/// A place where a name stands, and whether it is the declaration.
pub struct Occurrence {
    range: Value,
    declares: bool,
}

/// Where the name at a byte is declared.
pub fn definition(document: &Document, names: &mut Names, offset: usize) -> Value {
    let found = symbol(document, names, offset);
    found.and_then(|symbol| location(document, names, names.declaration(&symbol)?)).unwrap_or(Value::Null)
}

/// Where the class of the component at a byte is declared.
pub fn type_definition(document: &Document, names: &mut Names, offset: usize) -> Value {
    let found = symbol(document, names, offset).and_then(|symbol| names.class_of(&symbol)).map(Symbol::Class);
    found.and_then(|symbol| location(document, names, names.declaration(&symbol)?)).unwrap_or(Value::Null)
}

fn is_inner_or_outer(names: &Names, symbol: &Symbol) -> bool {
    match symbol {
        Symbol::Component { owner, component, .. } => {
            lookup::is_inner_or_outer(&names.definition(*owner), &component.name.name)
        }
        _ => false,
    }
}

fn symbol(document: &Document, names: &mut Names, offset: usize) -> Option<Symbol> {
    let (nodes, token) = around(document.tree(), offset);
    names.resolve(&nodes, token?)
}

fn location(document: &Document, names: &Names, span: Span) -> Option<Value> {
    if names.is_own(span.file) {
        return Some(json!({"uri": document.uri, "range": document.range(span)}));
    }
    let (name, text) = names.file(span.file)?;
    // What is part of the program has no file to show.
    if name.starts_with('<') {
        return None;
    }
    let text = Text::new(text.to_string(), document.text.encoding());
    Some(json!({"uri": address(Path::new(name)), "range": text.range(span.start as usize, span.end as usize)}))
}

/// What the name at a byte stands for, to be looked for elsewhere.
pub fn target(document: &Document, names: &mut Names, offset: usize) -> Option<Target> {
    let symbol = symbol(document, names, offset)?;
    let span = names.declaration(&symbol)?;
    let is_shared = is_inner_or_outer(names, &symbol);
    Some(Target { name: names.written(span).to_string(), key: names.key(span)?, is_alias: false, is_shared })
}

/// The name at a byte, where it is one that an import gives.
pub fn alias(document: &Document, names: &mut Names, offset: usize) -> Option<String> {
    let (nodes, token) = around(document.tree(), offset);
    let token = token.filter(|token| names.is_given_by_import(&nodes, *token))?;
    Some(token.text.to_string())
}

/// The edits that give an alias of an import another name. It is seen in the class of the import and those inside.
pub fn renaming_of_alias(
    document: &Document,
    names: &mut Names,
    target: &Target,
    alias: &str,
    new_name: &str,
) -> Result<Value, Failure> {
    let target = Target { name: alias.to_string(), is_alias: true, ..target.clone() };
    let found = occurrences(document, names, &target);
    let is_package = document.path.as_ref().and_then(|path| path.file_name()).is_some_and(|name| name == "package.mo");
    if is_package || !found.iter().any(|it| it.declares) {
        return Err(Failure::refused(format!(
            "`{alias}` is a name that an import of a package gives, which is seen in other files too: rename it by hand"
        )));
    }
    Ok(renaming(&[(document.uri.clone(), found)], new_name, None))
}

/// Refuses a new name that a document where the target is seen has already: one might then mean the other.
pub fn no_capture(
    document: &Document,
    names: &mut Names,
    target: &Target,
    new_name: &str,
    is_used: bool,
) -> Result<(), Failure> {
    let Some(span) = first_of_name(document.tree(), new_name).filter(|_| target.name != new_name) else {
        return Ok(());
    };
    if !is_used && !target.is_shared && !is_seen(names, target) {
        return Ok(());
    }
    let file = document.path.as_ref().map_or(document.uri.clone(), |path| path.display().to_string());
    let line = document.text.line_of(span.start as usize) + 1;
    Err(Failure::refused(format!(
        "`{new_name}` is used in `{file}`, line {line}, where this is seen: choose another name"
    )))
}

/// Whether some class of the document means the target by its name alone: its own, an inherited or an outer one.
fn is_seen(names: &mut Names, target: &Target) -> bool {
    let mut pending: Vec<_> = names.given().to_vec();
    while let Some(class) = pending.pop() {
        let found = names.lookup(class, &target.name).and_then(|symbol| names.declaration(&symbol));
        if found.and_then(|span| names.key(span)).as_ref() == Some(&target.key) {
            return true;
        }
        for name in names.names_of_classes(class) {
            let inner = names.child(class, &name).filter(|inner| names.is_own(names.definition(*inner).name.span.file));
            pending.extend(inner);
        }
    }
    false
}

/// All places of a document that mean the target.
pub fn occurrences(document: &Document, names: &mut Names, target: &Target) -> Vec<Occurrence> {
    let mut found = Vec::new();
    let mut nodes = vec![document.tree().root()];
    visit(document, names, target, &mut nodes, &mut found);
    found
}

fn visit<'tree>(
    document: &'tree Document,
    names: &mut Names,
    target: &Target,
    nodes: &mut Vec<Node<'tree>>,
    found: &mut Vec<Occurrence>,
) {
    let Some(&node) = nodes.last() else { return };
    for child in node.children() {
        match child {
            Child::Node(inner) => {
                nodes.push(inner);
                visit(document, names, target, nodes, found);
                nodes.pop();
            }
            Child::Token(token) if token.kind == SyntaxKind::Identifier && token.text == target.name => {
                let Some(symbol) = names.resolve(nodes, token) else { continue };
                let key = names.declaration(&symbol).and_then(|span| names.key(span));
                let is_meant = match target.is_shared {
                    true => is_inner_or_outer(names, &symbol),
                    false => key.as_ref() == Some(&target.key),
                };
                if !is_meant {
                    continue;
                }
                let declares = match target.is_alias {
                    true if !names.is_given_by_import(nodes, token) => continue,
                    true => node.kind() == SyntaxKind::ImportClause,
                    false => {
                        key.is_some_and(|(_, start)| start == token.span.start)
                            && names.declaration(&symbol).is_some_and(|span| names.is_own(span.file))
                    }
                };
                found.push(Occurrence { range: document.range(token.span), declares });
            }
            Child::Token(_) => {}
        }
    }
}

/// The files among which the target may be used: those of the packages around its declaration and of the folders that the
/// client works in; and whether these are all.
pub fn files_around(target: &Target, folders: &[PathBuf]) -> (Vec<PathBuf>, bool) {
    let path = Path::new(&target.key.0);
    let packages = path.ancestors().skip(1).take_while(|directory| directory.join("package.mo").is_file());
    let outermost = packages.last().map(Path::to_path_buf);
    let mut files = Vec::new();
    // In a package only directories that are packages belong to it.
    let mut pending: Vec<(PathBuf, bool)> = outermost.into_iter().map(|directory| (directory, true)).collect();
    pending.extend(folders.iter().map(|directory| (directory.clone(), false)));
    while let Some((directory, of_package)) = pending.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let belongs = match of_package {
                true => path.join("package.mo").is_file(),
                false => !entry.file_name().to_string_lossy().starts_with('.') && !is_made(&path),
            };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && belongs => pending.push((path, of_package)),
                Ok(kind) if kind.is_file() && path.extension().is_some_and(|it| it == "mo") => files.push(path),
                _ => {}
            }
        }
        if files.len() > 2 * MOST_FILES {
            break;
        }
    }
    files.sort();
    files.dedup();
    let is_all = files.len() <= MOST_FILES;
    (files, is_all)
}

/// Whether a directory is what tools fetch or make.
fn is_made(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "node_modules" || name == "target")
}

/// A file that is not open as a document, where one of these names is in it; or why it cannot be read.
pub fn file_with(path: &Path, wanted: &[&str], encoding: Encoding) -> Result<Option<Document>, Failure> {
    let unreadable = |reason: &str| Failure::refused(format!("cannot read `{}`: {reason}", path.display()));
    let bytes = std::fs::read(path).map_err(|error| unreadable(&error.to_string()))?;
    let has = |name: &&str| bytes.windows(name.len().max(1)).any(|piece| piece == name.as_bytes());
    if !wanted.iter().any(has) {
        return Ok(None);
    }
    let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8, and may use this name"))?;
    Ok(Some(Document::new(&uri_of(path), 0, text, encoding)))
}

impl Target {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is declared there: the file and the first byte of the name.
    pub fn is_at(&self, key: &(String, u32)) -> bool {
        self.key == *key
    }
}

/// The same name elsewhere in the document.
pub fn highlights(document: &Document, names: &mut Names, offset: usize) -> Value {
    let Some(target) = target(document, names, offset) else { return json!([]) };
    let found = occurrences(document, names, &target);
    found.into_iter().map(|it| json!({"range": it.range, "kind": if it.declares { 3 } else { 2 }})).collect()
}

/// All places, as the protocol has them.
pub fn references(found: &[(String, Vec<Occurrence>)], with_declaration: bool) -> Value {
    let places = found.iter().flat_map(|(uri, places)| places.iter().map(move |place| (uri, place)));
    let wanted = places.filter(|(_, place)| with_declaration || !place.declares);
    wanted.map(|(uri, place)| json!({"uri": uri, "range": place.range})).collect()
}

/// A file that is called as the class in it, and what it is to be called.
pub struct FileToRename {
    from: PathBuf,
    to: PathBuf,
    /// Where `package.order` names it.
    order: Option<(String, Vec<Occurrence>)>,
}

/// The file that has to be renamed with the class at a byte: a package finds its classes by the names of files.
pub fn file_to_rename(
    document: &Document,
    names: &mut Names,
    offset: usize,
    new_name: &str,
) -> Result<Option<FileToRename>, Failure> {
    let Some(Symbol::Class(class)) = symbol(document, names, offset) else { return Ok(None) };
    let Some(span) = names.declaration(&Symbol::Class(class)) else { return Ok(None) };
    if alias(document, names, offset).is_some() {
        return Ok(None);
    }
    let parent = names.parent(class).and_then(|parent| names.declaration(&Symbol::Class(parent)));
    let from = PathBuf::from(names.file(span.file).map_or("", |(name, _)| name));
    let directory = from.parent().unwrap_or(Path::new("")).to_path_buf();
    let name = names.written(span).to_string();
    if name == new_name
        || parent.is_some_and(|parent| parent.file == span.file)
        || !directory.join("package.mo").is_file()
    {
        return Ok(None);
    }
    if from.file_name().is_some_and(|it| it == "package.mo") {
        return Err(Failure::refused(format!("`{name}` is called as its directory: rename both by hand")));
    }
    let to = directory.join(format!("{new_name}.mo"));
    if to.exists() {
        return Err(Failure::refused(format!("there is a file `{new_name}.mo` already")));
    }
    let order = directory.join("package.order");
    let text = std::fs::read_to_string(&order).unwrap_or_default();
    let start = text.split_inclusive('\n').scan(0, |start, line| {
        *start += line.len();
        Some((*start - line.len(), line))
    });
    let place = start.into_iter().find(|(_, line)| line.trim() == name).map(|(start, _)| start);
    let encoding = document.text.encoding();
    let order = place.map(|start| {
        let range = Text::new(text.clone(), encoding).range(start, start + name.len());
        (uri_of(&order), vec![Occurrence { range, declares: false }])
    });
    Ok(Some(FileToRename { from, to, order }))
}

/// The edits of a renaming.
pub fn renaming(found: &[(String, Vec<Occurrence>)], new_name: &str, file: Option<&FileToRename>) -> Value {
    let order = file.and_then(|file| file.order.as_ref());
    let edits = |places: &[Occurrence]| -> Vec<Value> {
        places.iter().map(|place| json!({"range": place.range, "newText": new_name})).collect()
    };
    let files = found.iter().chain(order).filter(|(_, places)| !places.is_empty());
    let Some(FileToRename { from, to, .. }) = file else {
        let changes: Map<String, Value> = files.map(|(uri, places)| (uri.clone(), json!(edits(places)))).collect();
        return json!({"changes": changes});
    };
    let change = |(uri, places): &(String, Vec<Occurrence>)| json!({"textDocument": {"uri": uri, "version": null}, "edits": edits(places)});
    let mut changes: Vec<Value> = files.map(change).collect();
    // The client may write the address of the file in another way than we do.
    let known = found.iter().map(|(uri, _)| uri.clone()).find(|uri| path_of(uri).as_ref() == Some(from));
    changes.push(json!({"kind": "rename", "oldUri": known.unwrap_or_else(|| uri_of(from)), "newUri": uri_of(to)}));
    json!({"documentChanges": changes})
}

/// The name that would be renamed.
pub fn prepare_rename(document: &Document, names: &mut Names, offset: usize) -> Result<Value, Failure> {
    let (_, token) = around(document.tree(), offset);
    let Some(token) = token.filter(|token| token.kind == SyntaxKind::Identifier) else { return Ok(Value::Null) };
    can_be_renamed(document, names, offset, token.text)?;
    Ok(json!({"range": document.range(token.span), "placeholder": token.text}))
}

/// Refuses what cannot be renamed, or not to this.
pub fn can_be_renamed(document: &Document, names: &mut Names, offset: usize, new_name: &str) -> Result<(), Failure> {
    let Some(symbol) = symbol(document, names, offset) else {
        return Err(Failure::refused("there is no name here whose declaration is known"));
    };
    let Some(span) = names.declaration(&symbol) else {
        return Err(Failure::refused("this is a word of the language"));
    };
    // An alias belongs to the file of its import, whatever it stands for.
    let is_alias = alias(document, names, offset).is_some();
    if !is_alias && !is_changeable(document, names, span) {
        let file = names.file(span.file).map_or("", |(name, _)| name);
        return Err(Failure::refused(format!("this is declared in `{file}`, which is no file of this package")));
    }
    if !is_name(new_name) {
        return Err(Failure::refused(format!("`{new_name}` is no name")));
    }
    let is_renamed = around(document.tree(), offset).1.is_some_and(|token| token.text != new_name);
    if is_renamed && predefined::name(new_name).is_some() {
        return Err(Failure::refused(format!("`{new_name}` means something in the language")));
    }
    // All `inner` and `outer` of a name are renamed together; those in a library, where the class is from, cannot be.
    if is_inner_or_outer(names, &symbol)
        && let Some(class) = names.class_of(&symbol)
        && let Some(declared) = names.declaration(&Symbol::Class(class))
        && !is_changeable(document, names, declared)
    {
        let message =
            "`inner` and `outer` find each other by this name, also in the library of its class: it has to stay";
        return Err(Failure::refused(message));
    }
    let clash = match &symbol {
        _ if is_alias => None,
        Symbol::Component { owner, .. } => names.member(*owner, new_name),
        Symbol::Class(class) => match names.parent(*class) {
            Some(parent) => names.member(parent, new_name),
            None => None,
        },
        _ => None,
    };
    let is_itself = |other: &Symbol| names.declaration(other) == Some(span);
    match clash.filter(|other| !is_itself(other)) {
        Some(_) => Err(Failure::refused(format!("there is a `{new_name}` already"))),
        // What is called so elsewhere in the file might be meant by the new name, or the other way round.
        None if is_renamed && first_of_name(document.tree(), new_name).is_some() => {
            Err(Failure::refused(format!("`{new_name}` is used in this file already: choose another name")))
        }
        None => Ok(()),
    }
}

/// Whether a declaration is in the document or in a file of its package.
fn is_changeable(document: &Document, names: &Names, span: Span) -> bool {
    let file = names.file(span.file).map_or("", |(name, _)| name);
    let in_own_packages = document.path.as_ref().is_some_and(|path| {
        let packages = path.ancestors().skip(1).take_while(|directory| directory.join("package.mo").is_file());
        packages.last().is_some_and(|outermost| Path::new(file).starts_with(outermost))
    });
    names.is_own(span.file) || in_own_packages
}

/// Where an identifier of this name is first in a text.
fn first_of_name(tree: &Tree, name: &str) -> Option<Span> {
    let mut first: Option<Span> = None;
    leaves(tree.root(), &mut |token| {
        if first.is_none() && token.kind == SyntaxKind::Identifier && token.text == name {
            first = Some(token.span);
        }
    });
    first
}

/// Whether a text is one identifier.
fn is_name(text: &str) -> bool {
    let mut diagnostics = modeshift_diagnostics::Diagnostics::new();
    let expression = modeshift_syntax::parse_expression(crate::documents::own_file(), text, &mut diagnostics);
    let is_reference = |reference: &modeshift_syntax::ast::Reference| {
        !reference.global && reference.parts.len() == 1 && reference.parts[0].subscripts.is_empty()
    };
    let is_one = matches!(&expression.kind, modeshift_syntax::ast::ExpressionKind::Reference(it) if is_reference(it));
    is_one && diagnostics.is_empty() && text.trim() == text && !text.starts_with('(')
}

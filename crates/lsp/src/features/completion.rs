//! What may stand at a place: elements behind a dot, modifiers in parentheses, connectors in `connect`, and otherwise
//! what is declared, what can be called, and the words of the language.

use std::sync::Arc;

use modeshift_flatten::{ClassId, ROOT};
use modeshift_syntax::SyntaxKind;
use modeshift_syntax::ast::{ClassKind, Variability};
use modeshift_syntax::tree::{Node, Token};
use serde_json::{Value, json};

use super::signature::{call_around, name_before};
use super::symbols::class_kind;
use crate::documents::{Document, around, leaves};
use crate::names::{Names, Symbol, predefined};

/// How many proposals are sent.
const MOST: usize = 400;

const KEYWORDS_OF_DECLARATIONS: [&str; 24] = [
    "parameter",
    "constant",
    "discrete",
    "input",
    "output",
    "flow",
    "stream",
    "inner",
    "outer",
    "replaceable",
    "redeclare",
    "final",
    "protected",
    "public",
    "extends",
    "import",
    "equation",
    "initial equation",
    "algorithm",
    "model",
    "block",
    "connector",
    "function",
    "record",
];

const KEYWORDS_OF_EQUATIONS: [&str; 18] = [
    "if",
    "then",
    "else",
    "elseif",
    "end if",
    "for",
    "in",
    "loop",
    "end for",
    "when",
    "elsewhen",
    "end when",
    "and",
    "or",
    "not",
    "true",
    "false",
    "invariant",
];

/// The proposals at a byte.
pub fn completion(document: &Document, names: &mut Names, offset: usize) -> Value {
    let mut before: Vec<Token<'_>> = Vec::new();
    leaves(document.tree().root(), &mut |token| {
        if (token.span.start as usize) < offset {
            before.push(token);
        }
    });
    // In a comment or a string, nothing is proposed.
    if let Some(last) = before.last()
        && matches!(last.kind, SyntaxKind::LineComment | SyntaxKind::BlockComment | SyntaxKind::String)
        && (offset < last.span.end as usize || last.kind == SyntaxKind::LineComment)
    {
        return json!([]);
    }
    before.retain(|token| !token.kind.is_trivia());
    // The word that is being typed is replaced.
    let typing =
        before.last().filter(|it| it.kind == SyntaxKind::Identifier && it.span.end as usize >= offset).is_some()
            || before.last().is_some_and(|it| it.kind.is_keyword() && it.span.end as usize >= offset);
    if typing {
        before.pop();
    }
    let (nodes, _) = around(document.tree(), offset);
    let scope = names.scope(&nodes);
    let mut found = match before.last().map(|token| token.kind) {
        Some(SyntaxKind::Dot) => behind_dot(names, scope, &before[..before.len() - 1]),
        _ => match enclosing(document, names, &nodes, offset) {
            Place::Modification(class) => modifiers(names, class),
            Place::Connect => connectors(names, scope),
            Place::Attributes => attributes(),
            Place::Call(function) => {
                let mut found = arguments(names, function);
                found.extend(everything(names, scope, &before));
                found
            }
            Place::Elsewhere => everything(names, scope, &before),
        },
    };
    found.truncate(MOST);
    json!({"isIncomplete": false, "items": found})
}

/// What is around a place, as far as it decides what may stand there.
enum Place {
    /// Inside of the parentheses behind a component or a base class.
    Modification(ClassId),
    /// Inside of the parentheses behind a variable of a predefined type.
    Attributes,
    Connect,
    Call(ClassId),
    Elsewhere,
}

fn enclosing(document: &Document, names: &mut Names, nodes: &[Node<'_>], offset: usize) -> Place {
    let Some(call) = call_around(document, offset) else { return Place::Elsewhere };
    if call.name == ["connect"] {
        return Place::Connect;
    }
    let innermost = nodes.iter().rposition(|node| {
        matches!(node.kind(), SyntaxKind::Modification | SyntaxKind::Arguments | SyntaxKind::Annotation)
    });
    match innermost.map(|at| (at, nodes[at].kind())) {
        Some((at, SyntaxKind::Modification)) => {
            if nodes.iter().any(|node| node.kind() == SyntaxKind::Annotation) {
                return Place::Elsewhere;
            }
            // Behind `=` stands a value.
            let is_value = nodes[at..].iter().any(|node| node.kind().is_expression());
            match names.class_of_modification(&nodes[..=at]) {
                _ if is_value => Place::Elsewhere,
                Some(class) if is_simple(names, class) => Place::Attributes,
                Some(class) => Place::Modification(class),
                None => Place::Attributes,
            }
        }
        _ => {
            let scope = names.scope(nodes);
            let found = names.lookup_path(scope, false, call.name.iter().copied());
            match found.last().filter(|_| found.len() == call.name.len()) {
                Some(Symbol::Class(class)) => Place::Call(*class),
                Some(symbol @ Symbol::Component { .. }) => match names.class_of(&symbol.clone()) {
                    Some(class) => Place::Modification(class),
                    None => Place::Attributes,
                },
                _ => Place::Elsewhere,
            }
        }
    }
}

/// Whether a class is another name for a predefined type.
fn is_simple(names: &mut Names, class: ClassId) -> bool {
    names.definition(class).kind == ClassKind::Type
}

fn behind_dot(names: &mut Names, scope: ClassId, before: &[Token<'_>]) -> Vec<Value> {
    let parts = name_before(before);
    if parts.is_empty() {
        return classes_at_the_top(names);
    }
    let found = names.lookup_path(scope, false, parts.iter().copied());
    let Some(mut symbol) = found.last().filter(|_| found.len() == parts.len()).cloned() else { return Vec::new() };
    let mut class = names.class_of(&symbol);
    // What is being typed is read as the type of a component that is called as the next line begins: `Modelica.`
    if let (None, [only]) = (class, parts.as_slice())
        && let Some(other) = names.lookup_class(scope, only)
    {
        class = names.class_of(&other);
        symbol = other;
    }
    let Some(class) = class else { return Vec::new() };
    let is_component = matches!(symbol, Symbol::Component { .. });
    let members = names.members(class);
    let wanted = members.iter().filter(|(_, member)| match member {
        Symbol::Component { protected, component, .. } => {
            // Of a class, only what needs no instance can be named.
            !protected && (is_component || component.prefix.variability == Variability::Constant)
        }
        Symbol::Class(_) => !is_component,
        _ => !is_component,
    });
    wanted.map(|(name, member)| item(names, name, member, "1")).collect()
}

fn modifiers(names: &mut Names, class: ClassId) -> Vec<Value> {
    let members = names.members(class);
    let mut found = Vec::new();
    for (name, member) in &members {
        let Symbol::Component { component, protected: false, .. } = member else { continue };
        let rank = if component.prefix.variability == Variability::Parameter { "0" } else { "2" };
        let mut item = item(names, name, member, rank);
        item["insertText"] = json!(format!("{name} = "));
        found.push(item);
    }
    found
}

fn attributes() -> Vec<Value> {
    let item = |(name, purpose): &(&str, &str)| {
        let insert = if matches!(*name, "each" | "final") { format!("{name} ") } else { format!("{name} = ") };
        json!({"label": name, "kind": 10, "detail": purpose, "insertText": insert, "sortText": format!("0{name}")})
    };
    predefined::ATTRIBUTES.iter().map(item).collect()
}

fn arguments(names: &mut Names, function: ClassId) -> Vec<Value> {
    let members = names.members(function);
    let is_input =
        |symbol: &Symbol| matches!(symbol, Symbol::Component { component, .. } if component.prefix.causality.is_some());
    let mut found = Vec::new();
    for (name, member) in members.iter().filter(|(_, symbol)| is_input(symbol)) {
        let mut item = item(names, name, member, "0");
        item["insertText"] = json!(format!("{name} = "));
        found.push(item);
    }
    found
}

/// The connectors of a class and of its components.
fn connectors(names: &mut Names, scope: ClassId) -> Vec<Value> {
    let mut found = Vec::new();
    for (name, member) in names.members(scope) {
        if !matches!(member, Symbol::Component { .. }) {
            continue;
        }
        let Some(class) = names.class_of(&member) else { continue };
        if is_connector(names, class) {
            found.push(item(names, &name, &member, "0"));
            continue;
        }
        for (inner, symbol) in names.members(class) {
            let Symbol::Component { protected: false, .. } = symbol else { continue };
            if names.class_of(&symbol).is_some_and(|class| is_connector(names, class)) {
                let label: Arc<str> = format!("{name}.{inner}").into();
                found.push(item(names, &label, &symbol, "0"));
            }
        }
    }
    found
}

fn is_connector(names: &Names, class: ClassId) -> bool {
    matches!(names.definition(class).kind, ClassKind::Connector | ClassKind::ExpandableConnector)
}

/// What is declared here and around, what can be called, and the words of the language.
fn everything(names: &mut Names, scope: ClassId, before: &[Token<'_>]) -> Vec<Value> {
    let is_section = |kind| matches!(kind, SyntaxKind::EquationKeyword | SyntaxKind::AlgorithmKeyword);
    let is_declarations = |kind| {
        matches!(
            kind,
            SyntaxKind::PublicKeyword
                | SyntaxKind::ProtectedKeyword
                | SyntaxKind::ModelKeyword
                | SyntaxKind::BlockKeyword
        )
    };
    let section = before.iter().rev().find(|it| is_section(it.kind) || is_declarations(it.kind));
    let among_equations = section.is_some_and(|it| is_section(it.kind));
    let mut found = Vec::new();
    let mut class = Some(scope);
    let mut rank = 1;
    while let Some(here) = class.filter(|it| *it != ROOT) {
        for (name, member) in names.members(here) {
            let is_own = matches!(member, Symbol::Component { .. });
            if is_own
                && rank > 1
                && !matches!(&member, Symbol::Component { component, .. } if component.prefix.variability == Variability::Constant)
            {
                continue;
            }
            found.push(item(names, &name, &member, &rank.to_string()));
        }
        class = names.parent(here);
        rank += 1;
    }
    found.extend(classes_at_the_top(names));
    let types = predefined::TYPES.iter().map(|name| json!({"label": name, "kind": 25, "sortText": format!("3{name}")}));
    found.extend(types);
    if among_equations {
        found.extend(predefined::FUNCTIONS.iter().map(|(name, call, purpose)| {
            json!({"label": name, "kind": 3, "detail": call, "documentation": purpose, "sortText": format!("5{name}")})
        }));
        found.push(json!({"label": "time", "kind": 6, "sortText": "5time"}));
    }
    let words: &[&str] = if among_equations { &KEYWORDS_OF_EQUATIONS } else { &KEYWORDS_OF_DECLARATIONS };
    found.extend(words.iter().map(|word| json!({"label": word, "kind": 14, "sortText": format!("6{word}")})));
    found
}

fn classes_at_the_top(names: &mut Names) -> Vec<Value> {
    let mut seen = Vec::new();
    for name in names.names_of_classes(ROOT) {
        seen.push(json!({"label": &*name, "kind": 9, "sortText": format!("4{name}")}));
    }
    seen
}

fn item(names: &mut Names, name: &Arc<str>, symbol: &Symbol, rank: &str) -> Value {
    let (kind, detail, about) = match symbol {
        Symbol::Class(class) => {
            let definition = names.definition(*class);
            // Kinds of proposals have other numbers than kinds of symbols.
            let kind = match class_kind(definition.kind) {
                4 => 9,
                12 => 3,
                11 => 8,
                23 => 22,
                26 => 25,
                _ => 7,
            };
            (kind, names.full_name(*class).to_string(), definition.description.clone())
        }
        Symbol::Component { component, .. } => {
            let kind = match component.prefix.variability {
                Variability::Constant => 21,
                Variability::Parameter => 10,
                _ => 6,
            };
            (kind, component.type_name.to_string(), component.description.clone())
        }
        Symbol::Literal { owner, .. } => (20, names.full_name(*owner).to_string(), None),
        Symbol::Iterator(_) => (6, "iterator".to_string(), None),
        Symbol::Predefined(_) => (14, String::new(), None),
    };
    json!({"label": &**name, "kind": kind, "detail": detail, "documentation": about, "sortText": format!("{rank}{name}")})
}

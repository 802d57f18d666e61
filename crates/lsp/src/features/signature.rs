//! The arguments of the function that is being called.

use modeshift_flatten::ClassId;
use modeshift_syntax::SyntaxKind;
use modeshift_syntax::ast::Causality;
use modeshift_syntax::tree::Token;
use serde_json::{Value, json};

use crate::documents::{Document, around, leaves};
use crate::names::lookup::components;
use crate::names::{Names, Symbol, predefined};

/// How far back the start of a call is looked for, in tokens.
const FARTHEST: usize = 2000;

/// The call around a byte: what is called, part by part, and which argument the byte is in.
pub struct Call<'tree> {
    /// `Modelica.Math.sin` in its parts.
    pub name: Vec<&'tree str>,
    /// From 0.
    pub argument: usize,
}

/// Finds the call around a byte by its parentheses alone: while one types, they are not closed.
pub fn call_around(document: &Document, offset: usize) -> Option<Call<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    leaves(document.tree().root(), &mut |token| {
        if (token.span.start as usize) < offset && !token.kind.is_trivia() {
            tokens.push(token);
        }
    });
    let (mut depth, mut argument) = (0usize, 0);
    for at in (0..tokens.len()).rev().take(FARTHEST) {
        match tokens[at].kind {
            SyntaxKind::RightParen | SyntaxKind::RightBracket | SyntaxKind::RightBrace => depth += 1,
            SyntaxKind::LeftParen if depth == 0 => {
                let name = name_before(&tokens[..at]);
                return (!name.is_empty()).then_some(Call { name, argument });
            }
            SyntaxKind::LeftBracket | SyntaxKind::LeftBrace if depth == 0 => argument = 0,
            SyntaxKind::LeftParen | SyntaxKind::LeftBracket | SyntaxKind::LeftBrace => depth -= 1,
            SyntaxKind::Comma if depth == 0 => argument += 1,
            SyntaxKind::Semicolon if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The dotted name that some tokens end with, subscripts left out.
pub fn name_before<'tree>(tokens: &[Token<'tree>]) -> Vec<&'tree str> {
    let (mut parts, mut at, mut wants_name) = (Vec::new(), tokens.len(), true);
    while let Some(before) = at.checked_sub(1) {
        let token = tokens[before];
        at = before;
        match token.kind {
            SyntaxKind::RightBracket if wants_name => {
                let mut depth = 1;
                while depth > 0 && at > 0 {
                    at -= 1;
                    match tokens[at].kind {
                        SyntaxKind::RightBracket => depth += 1,
                        SyntaxKind::LeftBracket => depth -= 1,
                        _ => {}
                    }
                }
            }
            kind if wants_name && (kind == SyntaxKind::Identifier || kind.is_keyword()) => {
                parts.push(token.text);
                wants_name = false;
                if kind != SyntaxKind::Identifier {
                    break;
                }
            }
            SyntaxKind::Dot if !wants_name => wants_name = true,
            _ => break,
        }
    }
    parts.reverse();
    parts
}

/// The signature of the function that is being called at a byte.
pub fn help(document: &Document, names: &mut Names, offset: usize) -> Value {
    let Some(call) = call_around(document, offset) else { return Value::Null };
    let (nodes, _) = around(document.tree(), offset);
    let scope = names.scope(&nodes);
    let found = names.lookup_path(scope, false, call.name.iter().copied());
    let signature = match found.last().filter(|_| found.len() == call.name.len()) {
        Some(Symbol::Class(class)) => of_class(names, *class),
        _ => match call.name.as_slice() {
            [only] => predefined::function(only).map(|(call, purpose)| of_predefined(call, purpose)),
            _ => None,
        },
    };
    match signature {
        Some(signature) => json!({"signatures": [signature], "activeSignature": 0, "activeParameter": call.argument}),
        None => Value::Null,
    }
}

fn of_predefined(call: &str, purpose: &str) -> Value {
    let inside = call.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')'));
    let parameters: Vec<Value> =
        inside.split(", ").filter(|it| !it.is_empty()).map(|it| json!({"label": it})).collect();
    json!({"label": call, "documentation": purpose, "parameters": parameters})
}

/// Functions have inputs; a class that is no function has none to show.
fn of_class(names: &mut Names, class: ClassId) -> Option<Value> {
    let inputs = inputs(names, class);
    let definition = names.definition(class);
    let is_function = matches!(
        definition.kind,
        modeshift_syntax::ast::ClassKind::Function | modeshift_syntax::ast::ClassKind::OperatorFunction
    );
    if !is_function {
        return None;
    }
    let labels: Vec<&str> = inputs.iter().map(|(label, _)| label.as_str()).collect();
    let label = format!("{}({})", definition.name.name, labels.join(", "));
    let parameters: Vec<Value> =
        inputs.iter().map(|(label, about)| json!({"label": label, "documentation": about})).collect();
    Some(json!({"label": label, "documentation": definition.description, "parameters": parameters}))
}

/// The inputs of a function, inherited ones first, with their descriptions.
fn inputs(names: &mut Names, class: ClassId) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    for &base in &*names.bases(class) {
        let definition = names.definition(base);
        found.extend(components(&definition).filter_map(|(component, _)| input(component)));
    }
    let definition = names.definition(class);
    found.extend(components(&definition).filter_map(|(component, _)| input(component)));
    found
}

fn input(component: &modeshift_syntax::ast::Component) -> Option<(String, Option<String>)> {
    let is_input = component.prefix.causality == Some(Causality::Input);
    let value = component.modification.as_ref().and_then(|it| it.value.as_ref());
    let value = value.map(|value| format!(" = {value}")).unwrap_or_default();
    is_input.then(|| (format!("{} {}{value}", component.type_name, component.name.name), component.description.clone()))
}

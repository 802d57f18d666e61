//! What there is to know of the name or equation at a place: its declaration, and what the analysis found.

use modeshift_syntax::SyntaxKind;
use modeshift_syntax::ast::{ClassBody, ClassKind};
use serde_json::{Value, json};

use crate::documents::{Document, around};
use crate::names::{Names, Symbol, predefined};

/// How many instances of one declaration are told apart.
const MOST_INSTANCES: usize = 4;

/// What is shown at a byte; `null` where there is nothing to say.
pub fn hover(document: &Document, names: &mut Names, offset: usize) -> Value {
    let (nodes, token) = around(document.tree(), offset);
    let Some(token) = token else { return Value::Null };
    let symbol = names.resolve(&nodes, token);
    let mut parts: Vec<String> = Vec::new();
    match &symbol {
        Some(symbol) => {
            parts.push(declaration(names, symbol));
            parts.extend(variable_facts(document, names, symbol));
        }
        None => parts.extend(word(&nodes.last().map(|node| node.kind()), token.text)),
    }
    if parts.is_empty() || token.kind != SyntaxKind::Identifier {
        parts.extend(equation_facts(document, offset));
    }
    if parts.is_empty() {
        return Value::Null;
    }
    let range = match token.kind.is_trivia() {
        true => document.text.range(offset, offset),
        false => document.range(token.span),
    };
    json!({"contents": {"kind": "markdown", "value": parts.join("\n\n")}, "range": range})
}

/// A word of the language.
fn word(around: &Option<SyntaxKind>, text: &str) -> Option<String> {
    if let Some((call, purpose)) = predefined::function(text) {
        return Some(format!("```modelica\n{call}\n```\n{purpose}"));
    }
    let is_argument = *around == Some(SyntaxKind::Path);
    predefined::attribute(text).filter(|_| is_argument).map(|purpose| format!("`{text}`: {purpose}"))
}

/// The declaration as it is written, or as much of it as says what it is.
fn declaration(names: &mut Names, symbol: &Symbol) -> String {
    match symbol {
        Symbol::Class(class) => {
            let definition = names.definition(*class);
            let partial = if definition.partial { "partial " } else { "" };
            let head = format!("{partial}{} {}", kind_word(definition.kind), names.full_name(*class));
            let body = match &definition.body {
                ClassBody::Short { .. } => format!(" {}", after_name(names.written(definition.span))),
                _ => String::new(),
            };
            let description = definition.description.as_deref().map(|it| format!("\n{it}")).unwrap_or_default();
            format!("```modelica\n{head}{body}\n```{description}")
        }
        Symbol::Component { owner, component, .. } => {
            let prefix = match component.prefix.variability {
                modeshift_syntax::ast::Variability::Constant => "constant ",
                modeshift_syntax::ast::Variability::Parameter => "parameter ",
                modeshift_syntax::ast::Variability::Discrete => "discrete ",
                modeshift_syntax::ast::Variability::Continuous => "",
            };
            let causality = match component.prefix.causality {
                Some(modeshift_syntax::ast::Causality::Input) => "input ",
                Some(modeshift_syntax::ast::Causality::Output) => "output ",
                None => "",
            };
            let written = one_line(names.written(component.span));
            let of = names.full_name(*owner);
            format!("```modelica\n{prefix}{causality}{} {written}\n```\nof `{of}`", component.type_name)
        }
        Symbol::Literal { owner, name } => format!("`{}.{}`", names.full_name(*owner), name.name),
        Symbol::Iterator(name) => format!("iterator `{}`", name.name),
        Symbol::Predefined(word) => match predefined::function(word) {
            Some((call, purpose)) => format!("```modelica\n{call}\n```\n{purpose}"),
            None if *word == "time" => "`time`: the independent variable, in seconds".to_string(),
            None => format!("predefined type `{word}`"),
        },
    }
}

/// Of `type T = Real(unit = "m")` what is behind the name.
fn after_name(text: &str) -> String {
    text.find('=').map_or_else(String::new, |at| one_line(&text[at..]))
}

fn one_line(text: &str) -> String {
    const LONGEST: usize = 200;
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

fn kind_word(kind: ClassKind) -> &'static str {
    match kind {
        ClassKind::Class => "class",
        ClassKind::Model => "model",
        ClassKind::Block => "block",
        ClassKind::Record => "record",
        ClassKind::OperatorRecord => "operator record",
        ClassKind::Connector => "connector",
        ClassKind::ExpandableConnector => "expandable connector",
        ClassKind::Type => "type",
        ClassKind::Package => "package",
        ClassKind::Function => "function",
        ClassKind::OperatorFunction => "operator function",
        ClassKind::Operator => "operator",
    }
}

/// What the analysis knows of the variables of a declaration, one for each instance.
fn variable_facts(document: &Document, names: &Names, symbol: &Symbol) -> Option<String> {
    let (Symbol::Component { component, .. }, Some(facts)) = (symbol, &document.facts) else { return None };
    if !names.is_own(component.span.file) {
        return None;
    }
    let start = component.span.start as usize;
    let at = |variable: &&Value| {
        let then = variable["start"].as_u64().unwrap_or(u64::MAX) as usize;
        document.moved(then, facts.changes) == Some(start)
    };
    let found: Vec<&Value> = facts.all_variables().iter().filter(at).collect();
    let mut blocks: Vec<String> = found.iter().take(MOST_INSTANCES).map(|variable| instance(variable)).collect();
    if found.len() > MOST_INSTANCES {
        blocks.push(format!("and {} more", found.len() - MOST_INSTANCES));
    }
    (!blocks.is_empty()).then(|| blocks.join("\n\n"))
}

/// One variable: type, unit, value, and which equation gives it in which modes.
fn instance(variable: &Value) -> String {
    let text = |name: &str| variable[name].as_str();
    let mut head = format!("**{}** {}", text("name").unwrap_or_default(), text("type").unwrap_or_default());
    if let Some(unit) = text("unit").filter(|unit| !unit.is_empty()) {
        head.push_str(&format!(" in {unit}"));
    }
    if let Some(value) = text("value") {
        head.push_str(&format!(" = `{value}`"));
    }
    if let Some(start) = text("start_value") {
        let fixed = if variable["fixed"] == json!(true) { ", fixed" } else { "" };
        head.push_str(&format!(", start `{start}`{fixed}"));
    }
    let mut lines = vec![head];
    if let Some(mode) = variable["mode"].as_object() {
        let definition = mode["definition"].as_str().map(|it| format!(": `{it}`")).unwrap_or_default();
        let implicit = if mode["implicit"] == json!(true) { ", decided by next-mode selection" } else { "" };
        lines.push(format!("- mode variable{definition}{implicit}"));
    }
    if let Some(when) = text("when").filter(|when| *when != "true") {
        lines.push(format!("- there when `{when}`"));
    }
    for case in variable["given"].as_array().into_iter().flatten() {
        lines.push(given(variable, case));
    }
    lines.join("\n")
}

fn given(variable: &Value, case: &Value) -> String {
    let list =
        |name: &str| -> Vec<&str> { case[name].as_array().into_iter().flatten().filter_map(Value::as_str).collect() };
    let name = variable["name"].as_str().unwrap_or_default();
    let written = list("writes").into_iter().find(|it| it.trim_end_matches('\'') == name).unwrap_or(name);
    let when = match case["when"].as_str() {
        None | Some("true") => String::new(),
        Some(when) => format!("when `{when}`: "),
    };
    let equations: Vec<String> = list("equations").iter().map(|it| format!("`{it}`")).collect();
    let together = match list("writes").len() {
        1 => String::new(),
        count => format!(", {count} unknowns together"),
    };
    let state = match case["state"].as_str() {
        Some("yes") => "; a state",
        Some("perhaps") => "; perhaps a state",
        _ if written.ends_with('\'') => "; not a state",
        _ => "",
    };
    format!("- {when}`{written}` from {}{together}{state}", equations.join(", "))
}

/// What the analysis knows of the equations around a place: guard, offset, block.
fn equation_facts(document: &Document, offset: usize) -> Option<String> {
    let facts = document.facts.as_ref()?;
    let place = |equation: &Value, name: &str| {
        document.moved(equation[name].as_u64().unwrap_or(u64::MAX) as usize, facts.changes)
    };
    // The label in front of an equation is not part of it, but means it.
    let (nodes, token) = around(document.tree(), offset);
    let comment = token.filter(|token| token.kind == SyntaxKind::BlockComment).map(|token| token.span.end as usize);
    let behind = comment.and_then(|end| nodes.last()?.nodes().find(|node| node.span().start as usize >= end));
    let offset = behind.map_or(offset, |node| node.span().start as usize);
    let holds = |equation: &&Value| {
        place(equation, "start").is_some_and(|start| start <= offset)
            && place(equation, "end").is_some_and(|end| offset <= end)
    };
    let found: Vec<&Value> = facts.equations().iter().filter(holds).collect();
    // Of equations inside each other, as a loop and its body, the innermost are meant.
    let shortest = found.iter().map(|it| length(it)).min()?;
    let innermost: Vec<&&Value> = found.iter().filter(|it| length(it) == shortest).collect();
    let mut parts: Vec<String> = innermost.iter().take(MOST_INSTANCES).map(|it| equation(it)).collect();
    if innermost.len() > MOST_INSTANCES {
        parts.push(format!("and {} more", innermost.len() - MOST_INSTANCES));
    }
    Some(parts.join("\n\n"))
}

fn length(equation: &Value) -> u64 {
    equation["end"].as_u64().unwrap_or(0) - equation["start"].as_u64().unwrap_or(0)
}

fn equation(equation: &Value) -> String {
    let mut lines = vec![format!("equation **{}**", equation["name"].as_str().unwrap_or_default())];
    if let Some(when) = equation["when"].as_str().filter(|when| *when != "true") {
        lines.push(format!("- holds when `{when}`"));
    }
    for case in equation["offsets"].as_array().into_iter().flatten() {
        let times = match case["value"].as_i64() {
            Some(0) | None => continue,
            Some(1) => "differentiated once".to_string(),
            Some(count) => format!("differentiated {count} times"),
        };
        match case["when"].as_str() {
            None | Some("true") => lines.push(format!("- {times}")),
            Some(when) => lines.push(format!("- {times} when `{when}`")),
        }
    }
    for case in equation["solved"].as_array().into_iter().flatten() {
        let list = |name: &str| -> Vec<String> {
            case[name].as_array().into_iter().flatten().filter_map(|it| Some(format!("`{}`", it.as_str()?))).collect()
        };
        let when = match case["when"].as_str() {
            None | Some("true") => String::new(),
            Some(when) => format!("when `{when}`: "),
        };
        let with = list("with");
        let with = if with.is_empty() { String::new() } else { format!(", in a block with {}", with.join(", ")) };
        lines.push(format!("- {when}solved for {}{with}", list("writes").join(", ")));
    }
    lines.join("\n")
}

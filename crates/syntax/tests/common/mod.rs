//! What the tests compare: abstract syntax as short text, and messages with their places.
#![allow(dead_code)]

use std::fmt::Write;

use expect_test::Expect;
use modeshift_diagnostics::{Diagnostics, SourceMap};
use modeshift_syntax::ast::*;
use modeshift_syntax::{mel, parse, parse_expression, parse_mel};

/// The classes of `source`, which must be free of errors and print back.
pub fn check_classes(source: &str, expected: Expect) {
    let mut sources = SourceMap::default();
    let file = sources.add("test.mo", source);
    let mut diagnostics = Diagnostics::new();
    let parsed = parse(file, source, &mut diagnostics);
    assert_eq!(messages(&sources, &diagnostics), "");
    assert_eq!(parsed.to_source(), source);
    expected.assert_eq(&dump(&parsed.definition()));
}

/// The equations of a model body `source`.
pub fn check_equations(source: &str, expected: Expect) {
    let text = format!("model M equation {source} end M;");
    let definition = parse_clean(&text);
    let ClassBody::Long(composition) = &definition.classes[0].body else { panic!("not a long class") };
    let mut out = String::new();
    for equation in &composition.equations[0].equations {
        dump_equation(equation, 0, &mut out);
    }
    expected.assert_eq(&out);
}

/// The statements of an algorithm `source`.
pub fn check_statements(source: &str, expected: Expect) {
    let text = format!("model M algorithm {source} end M;");
    let definition = parse_clean(&text);
    let ClassBody::Long(composition) = &definition.classes[0].body else { panic!("not a long class") };
    let mut out = String::new();
    for statement in &composition.algorithms[0].statements {
        dump_statement(statement, 0, &mut out);
    }
    expected.assert_eq(&out);
}

/// An expression with all its parentheses.
pub fn check_expression(source: &str, expected: &str) {
    assert_eq!(grouped(&clean_expression(source)), expected, "{source}");
}

/// An expression that must be free of errors.
pub fn clean_expression(source: &str) -> Expression {
    let mut sources = SourceMap::default();
    let file = sources.add("test.mo", source);
    let mut diagnostics = Diagnostics::new();
    let expression = parse_expression(file, source, &mut diagnostics);
    assert_eq!(messages(&sources, &diagnostics), "", "{source}");
    expression
}

/// The statements of a MEL text.
pub fn check_mel(source: &str, expected: Expect) {
    let mut sources = SourceMap::default();
    let file = sources.add("test.mel", source);
    let mut diagnostics = Diagnostics::new();
    let program = parse_mel(file, source, &mut diagnostics);
    assert_eq!(messages(&sources, &diagnostics), "");
    expected.assert_eq(&dump_mel(&program));
}

/// The messages about a Modelica text, which prints back all the same.
pub fn check_errors(source: &str, expected: Expect) {
    let mut sources = SourceMap::default();
    let file = sources.add("test.mo", source);
    let mut diagnostics = Diagnostics::new();
    let parsed = parse(file, source, &mut diagnostics);
    assert_eq!(parsed.to_source(), source);
    expected.assert_eq(&messages(&sources, &diagnostics));
}

/// The messages about a MEL text.
pub fn check_mel_errors(source: &str, expected: Expect) {
    let mut sources = SourceMap::default();
    let file = sources.add("test.mel", source);
    let mut diagnostics = Diagnostics::new();
    parse_mel(file, source, &mut diagnostics);
    expected.assert_eq(&messages(&sources, &diagnostics));
}

fn parse_clean(text: &str) -> StoredDefinition {
    let mut sources = SourceMap::default();
    let file = sources.add("test.mo", text);
    let mut diagnostics = Diagnostics::new();
    let parsed = parse(file, text, &mut diagnostics);
    assert_eq!(messages(&sources, &diagnostics), "");
    assert_eq!(parsed.to_source(), text);
    parsed.definition()
}

/// One line for the message, one for each place, one for the help.
pub fn messages(sources: &SourceMap, diagnostics: &Diagnostics) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics.iter() {
        let _ = writeln!(out, "{}: {}", diagnostic.code, diagnostic.message);
        for label in &diagnostic.labels {
            let (_, place) = sources.place(label.span).expect("a place");
            let _ = writeln!(out, "  {place} `{}` {}", sources.text(label.span).escape_debug(), label.text);
        }
        if let Some(help) = &diagnostic.help {
            let _ = writeln!(out, "  help: {help}");
        }
    }
    out
}

pub fn dump(definition: &StoredDefinition) -> String {
    let mut out = String::new();
    match &definition.within {
        Some(Some(path)) => out += &format!("within {path}\n"),
        Some(None) => out += "within\n",
        None => {}
    }
    for class in &definition.classes {
        dump_class(class, 0, &mut out);
    }
    out
}

fn line(depth: usize, text: &str, out: &mut String) {
    let _ = writeln!(out, "{:1$}{text}", "", 2 * depth);
}

fn dump_class(class: &Class, depth: usize, out: &mut String) {
    let flags = flags(&[(class.encapsulated, "encapsulated"), (class.partial, "partial"), (class.impure, "impure")]);
    let head = format!("{flags}{:?} {}", class.kind, class.name);
    let tail = format!("{}{}", described(&class.description), annotated(&class.annotation));
    match &class.body {
        ClassBody::Long(composition) => {
            line(depth, &format!("{head}{tail}"), out);
            dump_composition(composition, depth + 1, out);
        }
        ClassBody::Extends(modification, composition) => {
            line(depth, &format!("{head} extends{}{tail}", modified(modification)), out);
            dump_composition(composition, depth + 1, out);
        }
        ClassBody::Short { prefix, base, dimensions, modification } => {
            let text = format!(
                "{head} = {}{base}{}{}{tail}",
                prefixed(prefix),
                subscripted(dimensions),
                modified(modification)
            );
            line(depth, &text, out);
        }
        ClassBody::Enumeration(None) => line(depth, &format!("{head} = enumeration(:){tail}"), out),
        ClassBody::Enumeration(Some(literals)) => {
            let literals: Vec<_> =
                literals.iter().map(|literal| format!("{}{}", literal.name, described(&literal.description))).collect();
            line(depth, &format!("{head} = enumeration({}){tail}", literals.join(", ")), out);
        }
        ClassBody::PartialDerivative { function, by } => {
            let by: Vec<_> = by.iter().map(|name| name.to_string()).collect();
            line(depth, &format!("{head} = der({function}, {}){tail}", by.join(", ")), out);
        }
    }
}

fn dump_composition(composition: &Composition, depth: usize, out: &mut String) {
    for element in &composition.elements {
        dump_element(element, depth, out);
    }
    for section in &composition.equations {
        line(depth, if section.initial { "initial equation" } else { "equation" }, out);
        for equation in &section.equations {
            dump_equation(equation, depth + 1, out);
        }
    }
    for section in &composition.algorithms {
        line(depth, if section.initial { "initial algorithm" } else { "algorithm" }, out);
        for statement in &section.statements {
            dump_statement(statement, depth + 1, out);
        }
    }
    if let Some(external) = &composition.external {
        line(depth, &format!("external {:?} {}", external.language, called(&external.call)), out);
    }
}

fn called(call: &Option<(Option<Expression>, Ident, Vec<Expression>)>) -> String {
    let Some((result, name, arguments)) = call else { return String::new() };
    let result = result.as_ref().map_or(String::new(), |result| format!("{result} = "));
    let arguments: Vec<_> = arguments.iter().map(|argument| argument.to_string()).collect();
    format!("{result}{name}({})", arguments.join(", "))
}

fn dump_element(element: &Element, depth: usize, out: &mut String) {
    let flags = flags(&[
        (element.protected, "protected"),
        (element.redeclare, "redeclare"),
        (element.is_final, "final"),
        (element.inner, "inner"),
        (element.outer, "outer"),
        (element.replaceable, "replaceable"),
    ]);
    let constrained = element
        .constrained_by
        .as_ref()
        .map_or(String::new(), |(class, modification)| format!(" constrainedby {class}{}", modified(modification)));
    match &element.kind {
        ElementKind::Class(class) => {
            if !flags.is_empty() || !constrained.is_empty() {
                line(depth, format!("{flags}{constrained}").trim(), out);
            }
            dump_class(class, depth, out);
        }
        ElementKind::Conditional(conditional) => {
            for (condition, elements) in &conditional.branches {
                line(depth, &format!("{flags}if {condition}"), out);
                elements.iter().for_each(|element| dump_element(element, depth + 1, out));
            }
            if !conditional.otherwise.is_empty() {
                line(depth, "else", out);
                conditional.otherwise.iter().for_each(|element| dump_element(element, depth + 1, out));
            }
        }
        ElementKind::Component(component) => {
            line(depth, &format!("{flags}{}{constrained}", dump_component(component)), out);
        }
        ElementKind::Extends { base, modification, annotation } => {
            line(depth, &format!("{flags}extends {base}{}{}", modified(modification), annotated(annotation)), out);
        }
        ElementKind::Import(import) => line(depth, &format!("{flags}import {}", dump_import(import)), out),
    }
}

fn dump_component(component: &Component) -> String {
    format!(
        "{}{} {}{}{}{}{}{}",
        prefixed(&component.prefix),
        component.type_name,
        component.name,
        subscripted(&component.dimensions),
        modified(&component.modification),
        component.condition.as_ref().map_or(String::new(), |condition| format!(" if {condition}")),
        described(&component.description),
        annotated(&component.annotation)
    )
}

fn dump_import(import: &Import) -> String {
    match import {
        Import::Qualified(path) => path.to_string(),
        Import::Renamed(name, path) => format!("{name} = {path}"),
        Import::All(path) => format!("{path}.*"),
        Import::List(path, names) => {
            let names: Vec<_> = names.iter().map(|name| name.to_string()).collect();
            format!("{path}.{{{}}}", names.join(", "))
        }
    }
}

fn dump_equation(equation: &Equation, depth: usize, out: &mut String) {
    let label = equation.label.as_ref().map_or(String::new(), |label| format!("{label}: "));
    let tail = format!("{}{}", described(&equation.description), annotated(&equation.annotation));
    let mut put = |text: String| line(depth, &format!("{label}{text}{tail}"), out);
    match &equation.kind {
        EquationKind::Equal(left, right) => put(format!("{left} = {right}")),
        EquationKind::Connect(left, right) => put(format!("connect({left}, {right})")),
        EquationKind::Call(call) => put(format!("call {call}")),
        EquationKind::Invariant(formula) => put(format!("invariant {formula}")),
        EquationKind::If { branches, otherwise } => {
            dump_branches(("if", &label), branches, otherwise, depth, out, dump_equation)
        }
        EquationKind::When(branches) => dump_branches(("when", &label), branches, &[], depth, out, dump_equation),
        EquationKind::For { indices, body } => {
            put(format!("for {}", dump_indices(indices)));
            body.iter().for_each(|equation| dump_equation(equation, depth + 1, out));
        }
    }
}

fn dump_branches<T>(
    (keyword, label): (&str, &str),
    branches: &[(Expression, Vec<T>)],
    otherwise: &[T],
    depth: usize,
    out: &mut String,
    item: impl Fn(&T, usize, &mut String),
) {
    for (place, (condition, items)) in branches.iter().enumerate() {
        let (label, prefix) = if place == 0 { (label, "") } else { ("", "else") };
        line(depth, &format!("{label}{prefix}{keyword} {condition}"), out);
        items.iter().for_each(|one| item(one, depth + 1, out));
    }
    if !otherwise.is_empty() {
        line(depth, "else", out);
        otherwise.iter().for_each(|one| item(one, depth + 1, out));
    }
}

fn dump_indices(indices: &[ForIndex]) -> String {
    let indices: Vec<_> = indices.iter().map(|index| index.to_string()).collect();
    indices.join(", ")
}

fn dump_statement(statement: &Statement, depth: usize, out: &mut String) {
    match &statement.kind {
        StatementKind::Assign(target, value) => line(depth, &format!("{target} := {value}"), out),
        StatementKind::MultiAssign(targets, value) => {
            let targets: Vec<_> = targets
                .iter()
                .map(|target| target.as_ref().map_or("_".to_owned(), |target| target.to_string()))
                .collect();
            line(depth, &format!("<{}> := {value}", targets.join(", ")), out);
        }
        StatementKind::Call(call) => line(depth, &format!("call {call}"), out),
        StatementKind::Break => line(depth, "break", out),
        StatementKind::Return => line(depth, "return", out),
        StatementKind::If { branches, otherwise } => {
            dump_branches(("if", ""), branches, otherwise, depth, out, dump_statement)
        }
        StatementKind::When(branches) => dump_branches(("when", ""), branches, &[], depth, out, dump_statement),
        StatementKind::While(condition, body) => {
            line(depth, &format!("while {condition}"), out);
            body.iter().for_each(|statement| dump_statement(statement, depth + 1, out));
        }
        StatementKind::For { indices, body } => {
            line(depth, &format!("for {}", dump_indices(indices)), out);
            body.iter().for_each(|statement| dump_statement(statement, depth + 1, out));
        }
    }
}

fn flags(flags: &[(bool, &str)]) -> String {
    flags.iter().filter(|(set, _)| *set).map(|(_, word)| format!("{word} ")).collect()
}

fn described(description: &Option<String>) -> String {
    description.as_ref().map_or(String::new(), |text| format!(" {text:?}"))
}

fn annotated(annotation: &Option<Modification>) -> String {
    annotation.as_ref().map_or(String::new(), |annotation| format!(" @{}", dump_modification(annotation)))
}

fn modified(modification: &Option<Modification>) -> String {
    modification.as_ref().map_or(String::new(), dump_modification)
}

fn dump_modification(modification: &Modification) -> String {
    let arguments: Vec<_> = modification.arguments.iter().map(dump_argument).collect();
    let value = modification.value.as_ref().map_or(String::new(), |value| format!(" = {value}"));
    if arguments.is_empty() && !value.is_empty() { value } else { format!("({}){value}", arguments.join(", ")) }
}

fn dump_argument(argument: &Argument) -> String {
    let flags = flags(&[(argument.each, "each"), (argument.is_final, "final"), (argument.replaceable, "replaceable")]);
    let kind = match &argument.kind {
        ArgumentKind::Modify { name, modification } => format!("{name}{}", modified(modification)),
        ArgumentKind::Break(name) => format!("break {name}"),
        ArgumentKind::Redeclare(element) => {
            let mut text = String::new();
            dump_element(element, 0, &mut text);
            format!("<{}>", text.trim_end().replace('\n', " "))
        }
    };
    format!("{flags}{kind}")
}

fn prefixed(prefix: &TypePrefix) -> String {
    let mut text = String::new();
    if let Some(connector) = prefix.connector {
        text += &format!("{connector:?} ").to_lowercase();
    }
    if prefix.variability != Variability::Continuous {
        text += &format!("{:?} ", prefix.variability).to_lowercase();
    }
    if let Some(causality) = prefix.causality {
        text += &format!("{causality:?} ").to_lowercase();
    }
    text
}

fn subscripted(subscripts: &[Subscript]) -> String {
    if subscripts.is_empty() {
        return String::new();
    }
    let subscripts: Vec<_> = subscripts.iter().map(|subscript| subscript.to_string()).collect();
    format!("[{}]", subscripts.join(", "))
}

/// With all parentheses: `((a * b) + c)`.
pub fn grouped(expression: &Expression) -> String {
    match &expression.kind {
        ExpressionKind::Unary(operator, operand) => format!("({}{})", operator.symbol(), grouped(operand)),
        ExpressionKind::Binary(operator, left, right) => {
            format!("({} {} {})", grouped(left), operator.symbol(), grouped(right))
        }
        ExpressionKind::Range { start, step, stop } => {
            let step = step.as_ref().map_or(String::new(), |step| format!("{}:", grouped(step)));
            format!("({}:{step}{})", grouped(start), grouped(stop))
        }
        ExpressionKind::If { branches, otherwise } => {
            let branches: Vec<_> = branches
                .iter()
                .map(|(condition, value)| format!("if {} then {}", grouped(condition), grouped(value)))
                .collect();
            format!("({} else {})", branches.join(" else"), grouped(otherwise))
        }
        ExpressionKind::Call { function, arguments, named } => {
            let positional = arguments.iter().map(grouped);
            let named = named.iter().map(|(name, value)| format!("{name} = {}", grouped(value)));
            format!("{function}({})", positional.chain(named).collect::<Vec<_>>().join(", "))
        }
        ExpressionKind::Array(elements) => {
            format!("{{{}}}", elements.iter().map(grouped).collect::<Vec<_>>().join(", "))
        }
        ExpressionKind::Comprehension { function, body, indices } => {
            let function = function.as_ref().map_or(String::new(), |function| function.to_string());
            format!("{function}<{} for {}>", grouped(body), dump_indices(indices))
        }
        other => other.to_string(),
    }
}

pub fn dump_mel(program: &mel::Program) -> String {
    let mut out = String::new();
    program.statements.iter().for_each(|statement| dump_mel_statement(statement, 0, &mut out));
    out
}

fn dump_mel_statement(statement: &mel::Statement, depth: usize, out: &mut String) {
    let body = |statements: &[mel::Statement], out: &mut String| {
        statements.iter().for_each(|statement| dump_mel_statement(statement, depth + 1, out));
    };
    match &statement.kind {
        mel::StatementKind::Declaration { name, ty, value } => {
            let value = value.as_ref().map_or(String::new(), |value| format!(" = {value}"));
            line(depth, &format!("{name} : {ty:?}{value}"), out);
        }
        mel::StatementKind::Equation { label, left, right } => {
            line(depth, &format!("{label} : {left} = {right}"), out);
        }
        mel::StatementKind::Law { name, parameters, ty, value } => {
            let parameters: Vec<String> = parameters.iter().map(ToString::to_string).collect();
            line(depth, &format!("{name}({}) : {ty:?} = {value}", parameters.join(", ")), out);
        }
        mel::StatementKind::Invariant(formula) => line(depth, &format!("invariant {formula}"), out),
        mel::StatementKind::If { condition, then, otherwise } => {
            line(depth, &format!("if {condition}"), out);
            body(then, out);
            if !otherwise.is_empty() {
                line(depth, "else", out);
                body(otherwise, out);
            }
        }
        mel::StatementKind::Foreach { index, from, to, body: statements } => {
            line(depth, &format!("foreach {index} in {from} .. {to}"), out);
            body(statements, out);
        }
        mel::StatementKind::Scenario { name, when, body: statements } => {
            let when = when.as_ref().map_or(String::new(), |when| format!(" when {when}"));
            line(depth, &format!("scenario {name}{when}"), out);
            body(statements, out);
        }
    }
}

//! Types, prefixes and modifiers of declarations, and calls, that are wrong in a way that shows what was meant.

use std::cmp::Ordering;

use modeshift_diagnostics::{Code, Diagnostic, Edit, Repair, Span};
use modeshift_syntax::ast::{EquationKind, ExpressionKind, Variability};

use super::outline::{Member, Outline, path_text};

/// What may be done about a declaration or its use.
pub(super) fn candidates(outline: &Outline, diagnostic: &Diagnostic) -> Vec<Repair> {
    let Some(place) = diagnostic.labels.first().map(|label| label.span) else { return Vec::new() };
    match diagnostic.code {
        Code::E0101 => {
            let mut candidates = equation_meant(outline, diagnostic);
            candidates.extend(power_of_ten(outline, place));
            candidates
        }
        Code::E0202 => declared_again(outline, place),
        Code::E0221 if is_said_twice(outline, diagnostic) => without_argument(outline, place),
        Code::E0233 => made_public(outline, diagnostic),
        Code::E0237 => less_constant(outline, diagnostic),
        Code::E0303 => {
            let mut candidates = other_type(outline, diagnostic);
            candidates.extend(whole_quotient(outline, diagnostic));
            candidates.extend(without_quotes(outline, diagnostic));
            candidates
        }
        Code::E0307 => fewer_arguments(outline, diagnostic),
        Code::E0401 => connector_of(outline, diagnostic),
        Code::E0405 => initial_state(outline),
        Code::E0501 => defined_twice(outline, diagnostic),
        Code::E0510 => without_invariant(outline, diagnostic),
        Code::W0321 => crossing(outline, place).into_iter().collect(),
        Code::W0323 => unused(outline, place).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Says that a name is that of a loop, which is known inside it only.
pub(super) fn blame_iterators(outline: &Outline, diagnostic: &mut Diagnostic) {
    let Some(place) = diagnostic.labels.first().map(|label| label.span).filter(|_| diagnostic.code == Code::E0201)
    else {
        return;
    };
    let name = outline.text_of(place);
    let around = class_around(outline, place).and_then(|class| outline.class(&class).map(|class| class.span));
    let Some(text) = around.map(|span| outline.text_of(span)).filter(|_| !name.is_empty()) else { return };
    if [format!("for {name} in "), format!(", {name} in ")].iter().any(|head| text.contains(head)) {
        diagnostic.help = Some(format!(
            "`{name}` is the variable of a loop, known between its `loop` and `end for` only: put this inside, or write which \
             element is meant"
        ));
        diagnostic.candidates.clear();
    }
}

/// The innermost class that contains a place.
fn class_around(outline: &Outline, place: Span) -> Option<String> {
    let contains = |span: Span| span.file == place.file && span.start <= place.start && place.end <= span.end;
    let classes = outline.classes().filter(|(_, class)| contains(class.span));
    classes.min_by_key(|(_, class)| class.span.end - class.span.start).map(|(name, _)| name.to_string())
}

/// Writes an equation where a comparison stands alone.
fn equation_meant(outline: &Outline, diagnostic: &Diagnostic) -> Vec<Repair> {
    let is_comparison = diagnostic.help.as_ref().is_some_and(|help| help.contains("`==` only compares"));
    let end = diagnostic.labels.first().map_or(0, |label| label.span.start as usize);
    let Some(before) = outline.text.get(..end).filter(|_| is_comparison) else { return Vec::new() };
    let from = before.trim_end().rfind(['\n', ';']).map_or(0, |at| at + 1);
    let Some(at) = before[from..].find("==").map(|at| from + at) else { return Vec::new() };
    vec![Repair::replace(outline.span(at, at + 2), "=", "write `=`")]
}

/// Writes a power of ten for the prefix of a unit behind a number: `10k`.
fn power_of_ten(outline: &Outline, place: Span) -> Option<Repair> {
    let power = match outline.text_of(place) {
        "G" => "e9",
        "M" | "Meg" => "e6",
        "k" | "K" => "e3",
        "m" => "e-3",
        "u" => "e-6",
        "n" => "e-9",
        "p" => "e-12",
        _ => return None,
    };
    let before = outline.text.get(..place.start as usize)?;
    before
        .ends_with(|it: char| it.is_ascii_digit() || it == '.')
        .then(|| Repair::replace(place, power, format!("write `{power}`: numbers have no prefixes of units")))
}

/// Divides Integers without a rest, where an Integer is wanted.
fn whole_quotient(outline: &Outline, diagnostic: &Diagnostic) -> Option<Repair> {
    let place = diagnostic.labels.first()?.span;
    let (one, other) = outline.text_of(place).split_once('/')?;
    let is_plain = |text: &str| {
        !text.trim().is_empty() && text.trim().chars().all(|it| it.is_alphanumeric() || it == '_' || it == '.')
    };
    let quotient = format!("div({}, {})", one.trim(), other.trim());
    (diagnostic.message.ends_with("but this is Real") && is_plain(one) && is_plain(other))
        .then(|| Repair::replace(place, quotient.clone(), format!("write `{quotient}`, the quotient without its rest")))
}

/// Writes a number for a text of one, where a number is wanted.
fn without_quotes(outline: &Outline, diagnostic: &Diagnostic) -> Option<Repair> {
    let place = diagnostic.labels.first()?.span;
    let inside = outline.text_of(place).strip_prefix('"')?.strip_suffix('"')?.trim();
    let is_number = inside.starts_with(|it: char| it.is_ascii_digit()) && inside.parse::<f64>().is_ok();
    is_number.then(|| Repair::replace(place, inside, format!("write `{inside}`, without quotes")))
}

fn declared_again(outline: &Outline, place: Span) -> Vec<Repair> {
    let Some(member) = outline.component_at(place) else { return Vec::new() };
    let title = format!("remove the second `{}`", member.component.name.name);
    Outline::repair(title, [outline.without_component(&member)]).into_iter().collect()
}

/// Whether a modification stands twice with one value: of two values, nobody but the modeler knows which is meant.
fn is_said_twice(outline: &Outline, diagnostic: &Diagnostic) -> bool {
    let texts: Vec<String> = diagnostic
        .labels
        .iter()
        .map(|label| outline.text_of(label.span).split_whitespace().collect::<String>())
        .filter(|text| text.contains('='))
        .collect();
    texts.len() == 2 && texts[0] == texts[1]
}

/// Removes an item of a list in parentheses.
fn without_argument(outline: &Outline, place: Span) -> Vec<Repair> {
    let (start, end) = (place.start as usize, place.end as usize);
    let (Some(before), Some(behind)) = (outline.text.get(..start), outline.text.get(end..)) else { return Vec::new() };
    let (before, rest) = (before.trim_end(), behind.trim_start());
    let next = outline.text.len() - rest.len();
    let span = if rest.starts_with(',') {
        let next = outline.text.len() - outline.text[next + 1..].trim_start().len();
        outline.span(start, next)
    } else if before.ends_with(',') {
        outline.span(before.len() - 1, end)
    } else if before.ends_with('(') && rest.starts_with(')') {
        outline.span(before.len() - 1, next + 1)
    } else {
        return Vec::new();
    };
    vec![Repair::replace(span, "", format!("remove `{}`", outline.text_of(place)))]
}

/// Puts a declaration into a public section of its own.
fn made_public(outline: &Outline, diagnostic: &Diagnostic) -> Vec<Repair> {
    let Some(declared) = diagnostic.labels.get(1).and_then(|label| outline.component_at(label.span)) else {
        return Vec::new();
    };
    let start = clause_start(&declared);
    let Some(whole) = outline.whole_statement(declared.component.span) else { return Vec::new() };
    let end = outline.text[..whole.end as usize].trim_end().len();
    let title = format!("make `{}` public", declared.component.name.name);
    vec![Repair::replace(outline.span(start, start), "public ", title).and(outline.span(end, end), " protected")]
}

/// Where the clause of a component begins, its type and prefixes included.
fn clause_start(member: &Member) -> usize {
    let type_name = member.component.type_name.span.start as usize;
    (member.element.span.start as usize).min(type_name)
}

/// The place of a prefix of a component.
pub(super) fn prefix(outline: &Outline, member: &Member, word: &str) -> Option<Span> {
    let type_name = member.component.type_name.span.start as usize;
    let before = outline.text.get(..type_name)?;
    let from = before.rfind([';', '\n']).map_or(0, |at| at + 1);
    let at = from + before[from..].find(word)?;
    let end = at + word.len();
    Some(outline.span(at, end + outline.text[end..].len() - outline.text[end..].trim_start().len()))
}

/// Lets a constant or parameter vary as much as what it depends on.
fn less_constant(outline: &Outline, diagnostic: &Diagnostic) -> Vec<Repair> {
    let members = diagnostic.labels.iter().rev().filter_map(|label| outline.component_at(label.span));
    let mut candidates = Vec::new();
    for member in members {
        let name = &member.component.name.name;
        if let Some(span) = prefix(outline, &member, "constant") {
            candidates.push(Repair::replace(span, "parameter ", format!("make `{name}` a parameter")));
        }
        for word in ["constant", "parameter", "discrete"] {
            if let Some(span) = prefix(outline, &member, word) {
                candidates.push(Repair::replace(span, "", format!("remove `{word}` from `{name}`")));
            }
        }
    }
    candidates
}

/// Declares a variable with the type of the other side, or makes a number of a Boolean.
fn other_type(outline: &Outline, diagnostic: &Diagnostic) -> Vec<Repair> {
    let [one, other, ..] = diagnostic.labels.as_slice() else { return Vec::new() };
    let mut candidates = Vec::new();
    for (changed, kept) in [(one, other), (other, one)] {
        let is_type = |text: &str| matches!(text, "Real" | "Integer" | "Boolean");
        if !is_type(&changed.text) || !is_type(&kept.text) {
            return Vec::new();
        }
        let name = outline.text_of(changed.span);
        let declared = class_around(outline, changed.span).and_then(|class| outline.declared(&class, name));
        // What was declared to be true or false was not meant to be a number.
        let declared = declared.filter(|_| changed.text != "Boolean");
        if let Some(declared) = declared.filter(|it| path_text(&it.component.type_name) == changed.text) {
            let title = format!("declare `{name}` as {}", kept.text);
            candidates.push(Repair::replace(declared.component.type_name.span, kept.text.clone(), title));
        }
        if changed.text == "Boolean" && kept.text != "Boolean" {
            let number = format!("(if {name} then 1 else 0)");
            candidates.push(Repair::replace(changed.span, number.clone(), format!("write `{number}`")));
        }
    }
    candidates
}

/// Leaves out the last argument of a call.
fn fewer_arguments(outline: &Outline, diagnostic: &Diagnostic) -> Vec<Repair> {
    let Some(place) = diagnostic.labels.first().map(|label| label.span) else { return Vec::new() };
    let text = outline.text_of(place);
    if !diagnostic.message.contains("takes") || !text.ends_with(')') {
        return Vec::new();
    }
    let mut depth = 0;
    let mut comma = None;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 1 => comma = Some(at),
            _ => {}
        }
    }
    let Some(comma) = comma else { return Vec::new() };
    let span = Span { start: place.start + comma as u32, end: place.end - 1, ..place };
    vec![Repair::replace(span, "", format!("leave out `{}`", text[comma + 1..text.len() - 1].trim()))]
}

/// The connectors of a component that stands in `connect` itself.
fn connector_of(outline: &Outline, diagnostic: &Diagnostic) -> Vec<Repair> {
    let mut candidates = Vec::new();
    for label in &diagnostic.labels {
        let name = outline.text_of(label.span);
        let Some(class) = class_around(outline, label.span) else { continue };
        let Some(member) = outline.declared(&class, name) else { continue };
        let of_type = outline.resolved(&member.component.type_name, &member.class);
        for inside in of_type.and_then(|of_type| outline.members(&of_type)).unwrap_or_default() {
            if outline.connector(&inside).is_some() {
                let connector = format!("{name}.{}", inside.component.name.name);
                candidates.push(Repair::replace(label.span, connector.clone(), format!("connect `{connector}`")));
            }
        }
    }
    candidates
}

/// Lets a machine begin where its first transition begins.
fn initial_state(outline: &Outline) -> Vec<Repair> {
    for (name, _) in outline.classes() {
        for equation in outline.all_equations(name) {
            let EquationKind::Call(call) = &equation.kind else { continue };
            let ExpressionKind::Call { function, arguments, .. } = &call.kind else { continue };
            if let (true, Some(first)) = (&*function.parts[0].name.name == "transition", arguments.first()) {
                let state = outline.text_of(first.span);
                let added = format!("initialState({state})");
                let title = format!("add `{added}`");
                return Outline::repair(title, [outline.new_equation(name, &added)]).into_iter().collect();
            }
        }
    }
    Vec::new()
}

/// Removes a definition that is written twice.
fn defined_twice(outline: &Outline, diagnostic: &Diagnostic) -> Vec<Repair> {
    let statements = diagnostic.labels.iter().filter(|label| outline.text_of(label.span).contains('='));
    let statements: Vec<Span> = statements.map(|label| label.span).collect();
    let without_spaces = |span: Span| outline.text_of(span).split_whitespace().collect::<String>();
    let [one, other] = statements.as_slice() else { return Vec::new() };
    if without_spaces(*one) != without_spaces(*other) {
        return Vec::new();
    }
    let later = if one.start > other.start { *one } else { *other };
    let Some(span) = outline.whole_statement(later) else { return Vec::new() };
    vec![Repair::replace(span, "", format!("remove the second `{}`", outline.text_of(later)))]
}

fn without_invariant(outline: &Outline, diagnostic: &Diagnostic) -> Vec<Repair> {
    let removed = |span: Span| {
        let text = outline.text_of(span);
        let whole = outline.whole_statement(span).filter(|_| text.starts_with("invariant"))?;
        Some(Repair { title: format!("remove `{text}`"), edits: vec![Edit { span: whole, text: String::new() }] })
    };
    diagnostic.labels.iter().rev().filter_map(|label| removed(label.span)).collect()
}

/// Looks for the crossing of two Reals instead of for their being equal: from the side on which the run begins, so that the relation
/// becomes true there and does not hold from the start. Nothing where the source does not say on which side that is.
fn crossing(outline: &Outline, place: Span) -> Option<Repair> {
    let text = outline.text_of(place);
    let at = text.find("==").filter(|_| text.matches("==").count() == 1)?;
    let class = class_around(outline, place)?;
    let value = |operand: &str| begins_with(outline, &class, operand);
    let (left, right) = (value(last_operand(&text[..at])?)?, value(first_operand(&text[at + 2..])?)?);
    let operator = match left.partial_cmp(&right)? {
        Ordering::Less => ">=",
        Ordering::Greater => "<=",
        Ordering::Equal => return None,
    };
    let start = place.start as usize + at;
    let title = format!("write `{operator}` instead of `==`");
    Some(Repair::replace(outline.span(start, start + 2), operator, title))
}

/// The name or number at the end of a text, where it is a whole operand.
fn last_operand(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let start = text.rfind(|it: char| !is_of_operand(it)).map_or(0, |at| at + 1);
    let before = text[..start].trim_end();
    let is_whole = !before.ends_with(['+', '-', '*', '/', '^', ')', ']']);
    (is_whole && start < text.len()).then(|| &text[start..])
}

/// The name or number at the beginning of a text, where it is a whole operand.
fn first_operand(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let sign = text.len() - unsigned.len();
    let end = sign + unsigned.find(|it: char| !is_of_operand(it)).unwrap_or(unsigned.len());
    let is_whole = !text[end..].trim_start().starts_with(['+', '-', '*', '/', '^', '(', '[']);
    (is_whole && end > sign).then(|| &text[..end])
}

fn is_of_operand(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.')
}

/// The value of a number, a parameter with a number for its value, the time, or a variable with a start value, where a run begins.
fn begins_with(outline: &Outline, class: &str, operand: &str) -> Option<f64> {
    if operand == "time" {
        return Some(0.0);
    }
    if let Ok(number) = operand.parse::<f64>() {
        return Some(number);
    }
    let member = outline.declared(class, operand)?;
    let value = match member.component.prefix.variability <= Variability::Parameter {
        true => member.component.modification.as_ref()?.value.as_ref()?,
        false => member.attribute_value("start")?,
    };
    outline.text_of(value.span).trim().parse().ok()
}

/// Removes what nothing uses. What another place of the file names, be it to give it a value, stays; so does what other files may set.
fn unused(outline: &Outline, place: Span) -> Option<Repair> {
    let member = outline.component_at(place).filter(|_| !outline.is_within)?;
    let name = &*member.component.name.name;
    let is_named_once = words(&outline.text).filter(|word| *word == name).count() == 1;
    let title = format!("remove `{name}`");
    is_named_once.then(|| Outline::repair(title, [outline.without_component(&member)])).flatten()
}

/// The names in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_')
}

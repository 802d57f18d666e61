//! Start values to fix where too few are, to let go where too many are, and the other value of a Boolean that begins wrongly.

use modeshift_diagnostics::{Code, Diagnostic, Edit, Repair, Span};
use modeshift_syntax::ast::{ArgumentKind, Expression, ExpressionKind};

use super::equations::with_derivative;
use super::outline::{Member, Outline, path_text};

/// What may be done about a start.
pub(super) fn candidates(outline: &Outline, diagnostic: &Diagnostic) -> Vec<Repair> {
    match diagnostic.code {
        Code::W0702 | Code::E0702 => fixed(outline, diagnostic).into_iter().collect(),
        Code::E0701 => let_go(outline, diagnostic),
        Code::E0705 | Code::E0709 => other_beginning(outline, diagnostic),
        _ => Vec::new(),
    }
}

/// Fixes all that the message asks for.
fn fixed(outline: &Outline, diagnostic: &Diagnostic) -> Option<Repair> {
    let members: Vec<Member> =
        diagnostic.labels.iter().map(|label| outline.component_at(label.span)).collect::<Option<_>>()?;
    let mut names: Vec<String> = members.iter().map(|it| format!("`{}`", it.component.name.name)).collect();
    names.dedup();
    let mut edits: Vec<Edit> = members.iter().map(|member| with_fixed(outline, member)).collect();
    edits.dedup();
    if edits.is_empty() {
        return None;
    }
    Some(Repair { title: format!("fix the start value of {}", names.join(", ")), edits })
}

fn with_fixed(outline: &Outline, member: &Member) -> Edit {
    if let Some(value) = member.attribute_value("fixed") {
        return Edit { span: value.span, text: "true".to_string() };
    }
    let start = if member.attribute("start").is_some() { "" } else { "start = 0, " };
    let arguments = member.component.modification.iter().flat_map(|it| &it.arguments).map(|it| it.span);
    match arguments.max_by_key(|span| span.end) {
        Some(last) => {
            let at = last.end as usize;
            Edit { span: outline.span(at, at), text: format!(", {start}fixed = true") }
        }
        None => {
            let at = member.component.name.span.end as usize;
            let rest = &outline.text[at..];
            match rest.trim_start().starts_with('(') {
                // Empty parentheses.
                true => Edit {
                    span: outline.span(at, at + rest.find(')').map_or(0, |end| end + 1)),
                    text: format!("({start}fixed = true)"),
                },
                false => Edit { span: outline.span(at, at), text: format!("({start}fixed = true)") },
            }
        }
    }
}

/// Makes one of the conditions a guess, or an equation that was meant a differential one.
fn let_go(outline: &Outline, diagnostic: &Diagnostic) -> Vec<Repair> {
    let mut candidates = Vec::new();
    for label in &diagnostic.labels {
        if let Some(member) = outline.component_at(label.span) {
            candidates.extend(with_derivative(outline, &member));
        }
    }
    // A state is where a run begins; what follows from it is the first to be a guess.
    let is_state = |place: Span| outline.component_at(place).is_some_and(|member| is_differentiated(outline, &member));
    let (states, others): (Vec<Span>, Vec<Span>) =
        diagnostic.labels.iter().map(|it| it.span).partition(|it| is_state(*it));
    candidates.extend(others.into_iter().chain(states).filter_map(|place| guess(outline, place)));
    candidates
}

fn is_differentiated(outline: &Outline, member: &Member) -> bool {
    let derivative = format!("der({})", member.component.name.name);
    outline
        .all_equations(&member.class)
        .iter()
        .any(|equation| outline.text_of(equation.span).split_whitespace().collect::<String>().contains(&derivative))
}

fn guess(outline: &Outline, place: Span) -> Option<Repair> {
    if let Some(member) = outline.component_at(place) {
        let (name, value) = match attribute_beside(&member, place) {
            Some((inside, value)) => (format!("{}.{inside}", member.component.name.name), value),
            None => (member.component.name.name.to_string(), member.attribute_value("fixed")?),
        };
        // What a class declares that is used several times would be let go in all of them.
        let is_true = matches!(value.kind, ExpressionKind::Boolean(true)) && outline.uses(&member.class) < 2;
        let title = format!("make the start value of `{name}` a guess: `fixed = false`");
        return is_true.then(|| Repair::replace(value.span, "false", title));
    }
    let text = outline.text_of(place);
    let span = outline.whole_statement(place).filter(|_| text.contains('='))?;
    Some(Repair::replace(span, "", format!("remove the initial equation `{text}`")))
}

/// `fixed` in the modification of a part of a component in which a place lies: `capacitor(v(start = 0, fixed = true))`.
fn attribute_beside(member: &Member, place: Span) -> Option<(String, &Expression)> {
    let mut names: Vec<&str> = Vec::new();
    let mut arguments = &member.component.modification.as_ref()?.arguments;
    loop {
        let around = arguments.iter().find(|it| it.span.start <= place.start && place.end <= it.span.end)?;
        let ArgumentKind::Modify { name, modification, .. } = &around.kind else { return None };
        let inside = &modification.as_ref()?.arguments;
        if inside.is_empty() {
            let fixed = arguments.iter().find_map(|argument| match &argument.kind {
                ArgumentKind::Modify { name, modification, .. } if path_text(name) == "fixed" => {
                    modification.as_ref()?.value.as_ref()
                }
                _ => None,
            });
            return fixed.filter(|_| !names.is_empty()).map(|fixed| (names.join("."), fixed));
        }
        names.extend(name.parts.iter().map(|part| &*part.name));
        arguments = inside;
    }
}

/// Lets a Boolean begin with its other value.
fn other_beginning(outline: &Outline, diagnostic: &Diagnostic) -> Vec<Repair> {
    let changed = |span: Span| {
        let member = outline.component_at(span)?;
        let value = member.attribute_value("start")?;
        let ExpressionKind::Boolean(begins) = value.kind else { return None };
        let title = format!("let `{}` begin with `{}`", member.component.name.name, !begins);
        Some(Repair::replace(value.span, (!begins).to_string(), title))
    };
    diagnostic.labels.iter().filter_map(|label| changed(label.span)).collect()
}

//! What is written for all times and meant for an instant: laws of a jump in an `if`, `reinit` outside of a `when`; and clauses of two
//! `when` that belong into one.

use modeshift_dae::FlatModel;
use modeshift_diagnostics::{Code, Diagnostic, Edit, Repair, Span};
use modeshift_syntax::ast::{Equation, EquationKind};

use super::equations::differentiated;
use super::outline::{Outline, composition, name_of};

/// What may be done about a clause.
pub(super) fn candidates(outline: &Outline, diagnostic: &Diagnostic) -> Vec<Repair> {
    match diagnostic.code {
        Code::E0403 => made_when(outline, diagnostic).into_iter().collect(),
        Code::E0411 => joined_clauses(outline, diagnostic).into_iter().collect(),
        Code::E0503 | Code::E0824 => value_before(outline, diagnostic),
        _ => Vec::new(),
    }
}

/// Makes a `when` with `reinit` of an `if` that sets states to something of their own left limits: `if h < 0 then v = -pre(v); end if`.
pub(super) fn laws_of_instants(outline: &Outline, model: &FlatModel) -> Vec<Repair> {
    let states = differentiated(model);
    let is_state = |name: &str| states.iter().any(|&id| &*model.variables[id].name == name);
    let equations = outline.all_equations(&model.name);
    equations.into_iter().filter_map(|equation| law_of_instant(outline, equation, &is_state)).collect()
}

fn law_of_instant(outline: &Outline, equation: &Equation, is_state: &dyn Fn(&str) -> bool) -> Option<Repair> {
    let EquationKind::If { branches, otherwise } = &equation.kind else { return None };
    let [(condition, body)] = branches.as_slice() else { return None };
    if !otherwise.is_empty() || body.is_empty() {
        return None;
    }
    let laws: Vec<String> = body.iter().map(|it| reinit(outline, it, is_state)).collect::<Option<_>>()?;
    let condition = outline.text_of(condition.span);
    let text = format!("when {condition} then\n    {};\n  end when", laws.join(";\n    "));
    let title = format!("make it the law of an instant: `when {condition} then {}; end when`", laws.join("; "));
    Some(Repair::replace(equation.span, text, title))
}

/// `v = e` as `reinit(v, e)`, where `v` is a state and `e` has its left limit.
fn reinit(outline: &Outline, law: &Equation, is_state: &dyn Fn(&str) -> bool) -> Option<String> {
    let EquationKind::Equal(left, right) = &law.kind else { return None };
    let name = name_of(left).filter(|name| is_state(name))?;
    let value = outline.text_of(right.span);
    let is_of_left_limit = ["pre", "last"].iter().any(|operator| value.contains(&format!("{operator}({name})")));
    is_of_left_limit.then(|| format!("reinit({name}, {value})"))
}

/// Makes an `elsewhen` of the second of two `when` that follow each other and assign the same.
fn joined_clauses(outline: &Outline, diagnostic: &Diagnostic) -> Option<Repair> {
    let places: Vec<Span> = diagnostic.labels.iter().map(|label| label.span).collect();
    let sections = || outline.classes().filter_map(|(_, class)| composition(class)).flat_map(|it| it.equations.iter());
    let pairs = sections().flat_map(|section| section.equations.windows(2));
    let is_when = |it: &Equation| matches!(it.kind, EquationKind::When(_));
    let assigns = |it: &Equation| places.iter().any(|place| it.span.start <= place.start && place.end <= it.span.end);
    let [first, second] = pairs.into_iter().find(|pair| pair.iter().all(|it| is_when(it) && assigns(it)))? else {
        return None;
    };
    let end = (first.span.start as usize) + outline.text_of(first.span).rfind("end")?;
    let behind = outline.behind_semicolon(first.span.end as usize)?;
    let start = second.span.start as usize;
    let title = "make the second `when` an `elsewhen` of the first: where both are, the first counts".to_string();
    let edits = vec![
        Edit { span: outline.with_line(end, behind), text: String::new() },
        Edit { span: outline.span(start, start + "when".len()), text: "elsewhen".to_string() },
    ];
    Some(Repair { title, edits })
}

/// Makes the `if` around a `reinit` a `when`, where nothing else stands in it.
fn made_when(outline: &Outline, diagnostic: &Diagnostic) -> Option<Repair> {
    let place = diagnostic.labels.first()?.span;
    let (before, behind) = (outline.text.get(..place.start as usize)?, outline.text.get(place.end as usize..)?);
    let from = before.rfind(';').map_or(0, |at| at + 1);
    let open = from + before[from..].rfind("if ")?;
    let is_head = before[open..].trim_end().ends_with("then") && before[..open].ends_with(char::is_whitespace);
    let rest = behind.trim_start().strip_prefix(';')?;
    let close = outline.text.len() - rest.trim_start().strip_prefix("end if")?.len() - "if".len();
    let repair = |start: usize| Edit { span: outline.span(start, start + "if".len()), text: "when".to_string() };
    let title = "write `when` instead of `if`: `reinit` belongs to an instant".to_string();
    is_head.then(|| Repair { title, edits: vec![repair(open), repair(close)] })
}

/// Takes the value before an event for one that is to be another than itself.
fn value_before(outline: &Outline, diagnostic: &Diagnostic) -> Vec<Repair> {
    let Some(label) = diagnostic.labels.first() else { return Vec::new() };
    let text = outline.text_of(label.span);
    let Some((left, right)) = text.split_once('=') else { return Vec::new() };
    let name = left.trim();
    let is_letter = |it: char| it.is_alphanumeric() || it == '_' || it == '.';
    let found = right.match_indices(name).map(|(at, _)| at).find(|&at| {
        !right[..at].ends_with(is_letter) && !right[at + name.len()..].starts_with(is_letter) && !name.is_empty()
    });
    let Some(at) = found else { return Vec::new() };
    let start = label.span.start as usize + left.len() + 1 + at;
    let title = format!("write `pre({name})`");
    vec![Repair::replace(outline.span(start, start + name.len()), format!("pre({name})"), title)]
}

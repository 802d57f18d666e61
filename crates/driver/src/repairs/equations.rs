//! Equations that are missing in a branch, that stand twice, that lack a `der`; variables without any; modes to exclude.

use modeshift_dae::{EquationId, ExpressionId, FlatModel, Id, Node, VariableId};
use modeshift_diagnostics::{Code, Diagnostics, Edit, Repair, Span};
use modeshift_report::Analyzed;
use modeshift_report::singular::singular_cases;
use modeshift_syntax::ast::{
    BinaryOperator, ClassKind, Equation, EquationKind, Expression, ExpressionKind, UnaryOperator, Variability,
};

use rustc_hash::FxHashSet;

use super::declarations;
use super::outline::{Member, Outline, name_of, path_text};

/// What may be done about equations.
pub(super) fn candidates(outline: &Outline, analyzed: &Analyzed) -> Vec<Repair> {
    let Analyzed { dae, analysis, singularities, .. } = analyzed;
    let model = &*dae.model.name;
    let cases = singular_cases(dae, analysis, singularities);
    let over: Vec<EquationId> =
        sorted(cases.iter().flat_map(|(_, case)| case.overdetermined_equations.iter().copied()));
    let under: Vec<VariableId> =
        sorted(cases.iter().flat_map(|(_, case)| case.underdetermined_variables.iter().copied()));
    let mut candidates = written_twice(outline, analyzed, &over);
    candidates.extend(missing_branches(outline, analyzed, model, &under));
    let fixed = outline.members(model).unwrap_or_default().into_iter().filter(|it| it.attribute("fixed").is_some());
    candidates.extend(fixed.flat_map(|member| with_derivative(outline, &member)));
    candidates.extend(varying_parameters(outline, model));
    candidates.extend(unused_variables(outline, analyzed, model, &under));
    candidates
}

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort();
    items.dedup();
    items
}

/// The parameters and constants of which a derivative is written.
fn differentiated_parameters(outline: &Outline, model: &str) -> Vec<(Member, Span)> {
    let equations = outline.all_equations(model);
    let written = |name: &str| {
        let derivative = format!("der({name})");
        equations.iter().find(|it| outline.text_of(it.span).contains(&derivative)).map(|it| it.span)
    };
    let members = outline.members(model).unwrap_or_default().into_iter();
    let fixed = members.filter(|it| it.component.prefix.variability <= Variability::Parameter);
    fixed.filter_map(|it| written(&it.component.name.name).map(|span| (it, span))).collect()
}

/// Where a derivative of a parameter is written, that is why equations are too many: it is zero.
pub(super) fn blame_parameters(outline: &Outline, model: &str, diagnostics: &mut Diagnostics) {
    let Some((member, span)) = differentiated_parameters(outline, model).into_iter().next() else { return };
    let name = &member.component.name.name;
    for diagnostic in diagnostics.iter_mut().filter(|it| it.code == Code::E0601) {
        if diagnostic.labels.iter().any(|label| label.span == span) {
            diagnostic.notes.push(format!("`der({name})` is 0: `{name}` is a parameter, which does not change"));
            diagnostic.help =
                Some(format!("declare `{name}` as a variable with a start value, or remove this equation"));
        }
    }
}

/// Makes a variable with a start value of a parameter that is differentiated.
fn varying_parameters(outline: &Outline, model: &str) -> Vec<Repair> {
    let varying = |(member, _): (Member, Span)| {
        let whole = outline.text_of(member.component.span);
        let (head, value) = whole.split_once('=').filter(|_| !whole.contains('('))?;
        let (name, value) = (head.trim_end(), value.split('"').next().unwrap_or_default().trim_end());
        let text = format!("{name}(start = {}, fixed = true)", value.trim_start());
        let start = member.component.span.start as usize;
        let place = outline.span(start, start + head.len() + 1 + value.len());
        let word =
            ["parameter", "constant"].into_iter().find_map(|word| declarations::prefix(outline, &member, word))?;
        let title = format!("declare `{name}` as a variable that begins at {}", value.trim_start());
        Some(Repair::replace(word, "", title).and(place, text))
    };
    differentiated_parameters(outline, model).into_iter().filter_map(varying).collect()
}

/// The condition that excludes modes, as an invariant of the model: where only inputs lead into them. Modes that a state or the time
/// decides are reached or not whatever an invariant says of them, perhaps after the end of the run that tests the edit.
pub(super) fn excluding(outline: &Outline, flat: &FlatModel, modes: &str) -> Option<Repair> {
    let model = &*flat.name;
    let is_input = |name: &str| flat.variables.iter().any(|it| it.input && &*it.name == name);
    let mut names = modes.split(|it: char| !it.is_alphanumeric() && !matches!(it, '_' | '.'));
    if !names.all(|name| matches!(name, "" | "not" | "and" | "or") || is_input(name)) {
        return None;
    }
    let invariant = match modes.strip_prefix("not ") {
        Some(rest) if is_single(rest) => format!("invariant {rest}"),
        _ if is_single(modes) => format!("invariant not {modes}"),
        _ => format!("invariant not ({modes})"),
    };
    Outline::repair(format!("exclude these modes: `{invariant}`"), [outline.new_equation(model, &invariant)])
}

/// Whether a formula is one name.
fn is_single(formula: &str) -> bool {
    !formula.is_empty() && formula.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '.'))
}

/// Removes an equation that another says already.
fn written_twice(outline: &Outline, analyzed: &Analyzed, over: &[EquationId]) -> Vec<Repair> {
    let equations = &analyzed.dae.model.equations;
    let sides = |id: EquationId| {
        let equation = &equations[id];
        (equation.left.min(equation.right), equation.left.max(equation.right), equation.guard)
    };
    let mut candidates = Vec::new();
    for (at, &id) in over.iter().enumerate() {
        let is_said = over[..at]
            .iter()
            .any(|&earlier| sides(earlier) == sides(id) && equations[earlier].span != equations[id].span);
        if let Some(span) = is_said.then(|| outline.whole_statement(equations[id].span)).flatten() {
            let title = format!("remove `{}`, which is said already", outline.text_of(equations[id].span));
            candidates.push(Repair::replace(span, "", title));
        }
    }
    candidates
}

/// Gives variables the value 0 in the branches that have no equation for them.
fn missing_branches(outline: &Outline, analyzed: &Analyzed, model: &str, under: &[VariableId]) -> Vec<Repair> {
    let flat = &analyzed.dae.model;
    let names: Vec<&str> = under.iter().map(|id| &*flat.variables[*id].name).collect();
    let states = differentiated(flat);
    let is_state = |name: &str| under.iter().any(|id| states.contains(id) && &*flat.variables[*id].name == name);
    let free = undefined_elsewhere(outline, model, &names, &is_state);
    let defined = |equation: &Equation| match &equation.kind {
        EquationKind::Equal(left, _) => name_of(left).filter(|name| names.contains(&name.as_str())),
        _ => None,
    };
    let mut candidates = Vec::new();
    for equation in outline.all_equations(model) {
        let EquationKind::If { branches, otherwise } = &equation.kind else { continue };
        let bodies: Vec<&[Equation]> = branches.iter().map(|(_, body)| &body[..]).chain([&otherwise[..]]).collect();
        let all = sorted(bodies.iter().flat_map(|body| body.iter().filter_map(defined)));
        let (mut edits, mut added) = (Vec::new(), Vec::new());
        for body in bodies {
            let own: Vec<String> = body.iter().filter_map(defined).collect();
            let mut missing: Vec<&String> = all.iter().filter(|name| !own.contains(name)).collect();
            // A state goes on where a branch says nothing of it: something else is not determined there.
            if missing.iter().any(|name| is_state(name)) {
                let others: Vec<&String> = free.iter().filter(|name| !own.contains(name)).collect();
                if others.len() != missing.len() {
                    edits.clear();
                    break;
                }
                missing = others;
            }
            let equations: String = missing.iter().map(|name| format!("{name} = 0; ")).collect();
            let (at, text) = match body.last() {
                _ if missing.is_empty() => continue,
                Some(last) => (outline.behind_semicolon(last.span.end as usize), format!(" {}", equations.trim_end())),
                None => {
                    let end = outline.text_of(equation.span).rfind("end");
                    (end.map(|end| equation.span.start as usize + end), format!("else {equations}"))
                }
            };
            let Some(at) = at else { continue };
            edits.push(Edit { span: outline.span(at, at), text: text.clone() });
            added.push(format!("`{}`", text.trim()));
        }
        if !edits.is_empty() {
            candidates.push(Repair { title: format!("add {}", added.join(" and ")), edits });
        }
    }
    candidates
}

/// The variables whose derivatives stand in the model.
pub(super) fn differentiated(model: &FlatModel) -> FxHashSet<VariableId> {
    let nodes = (0..model.expressions.len()).map(|index| model.expressions.node(ExpressionId::from_index(index)));
    let derivatives = nodes.filter_map(|node| match node {
        Node::Variable(variable, 1..) => Some(variable),
        _ => None,
    });
    derivatives.collect()
}

/// Of these variables those of the model itself that are no states, and that no equation outside of branches says.
fn undefined_elsewhere(outline: &Outline, model: &str, names: &[&str], is_state: &dyn Fn(&str) -> bool) -> Vec<String> {
    let own = outline.equations(model).unwrap_or_default();
    let is_said = |name: &str| {
        own.iter().any(|it| matches!(&it.kind, EquationKind::Equal(left, _) if name_of(left).as_deref() == Some(name)))
    };
    let is_bound = |name: &str| {
        let member = outline.declared(model, name);
        member.is_none_or(|it| it.component.modification.as_ref().is_some_and(|it| it.value.is_some()))
    };
    let free = names.iter().filter(|name| !is_state(name) && !is_said(name) && !is_bound(name));
    sorted(free.map(|name| name.to_string()))
}

/// Removes declarations of variables that stand in no equation.
fn unused_variables(outline: &Outline, analyzed: &Analyzed, model: &str, under: &[VariableId]) -> Vec<Repair> {
    let incidence = &analyzed.analysis.incidence;
    let is_idle = |id: &&VariableId| incidence.edges_of_variable(**id).is_empty();
    let unused: Vec<Member> = under
        .iter()
        .filter(is_idle)
        .filter_map(|id| outline.declared(model, &analyzed.dae.model.variables[*id].name))
        .filter(|member| !is_interface(outline, member))
        .collect();
    let [only] = unused.as_slice() else { return Vec::new() };
    let title = format!("remove `{}`, which stands in no equation", only.component.name.name);
    Outline::repair(title, [outline.without_component(only)]).into_iter().collect()
}

/// Whether others use a component from outside: an input, an output, a connector.
fn is_interface(outline: &Outline, member: &Member) -> bool {
    let name = outline.resolved(&member.component.type_name, &member.class);
    let class = name.as_deref().and_then(|name| outline.class(name));
    member.component.prefix.causality.is_some()
        || class.is_none_or(|it| it.kind == ClassKind::Connector) && !is_predefined(member)
}

fn is_predefined(member: &Member) -> bool {
    matches!(&*path_text(&member.component.type_name), "Real" | "Integer" | "Boolean" | "String")
}

/// Puts `der` around one occurrence of a variable that has a fixed start value and is never differentiated.
pub(super) fn with_derivative(outline: &Outline, member: &Member) -> Vec<Repair> {
    let name = &*member.component.name.name;
    let mut likely: Vec<Span> = Vec::new();
    let mut others: Vec<Span> = Vec::new();
    let mut equations = 0;
    for equation in outline.all_equations(&member.class) {
        let EquationKind::Equal(left, right) = &equation.kind else { continue };
        let mut is_inside = false;
        for side in [left, right] {
            let mut found = Vec::new();
            if occurrences(side, name, &mut found) {
                return Vec::new(); // it is differentiated somewhere
            }
            is_inside |= !found.is_empty();
            match factor(side, name) {
                Some(span) => likely.push(span),
                None => others.extend(found),
            }
        }
        equations += usize::from(is_inside);
    }
    if equations < 2 {
        return Vec::new(); // it is only said what it is: a result
    }
    let repair = |span: Span| {
        let title = format!("write `der({name})`: `{name}` has a fixed start value, but is nowhere differentiated");
        Repair { title, edits: vec![Edit { span, text: format!("der({name})") }] }
    };
    likely.into_iter().chain(others).map(repair).collect()
}

/// The one factor of a whole side that is this variable: `C*T`, `-T`, `T`.
fn factor(side: &Expression, name: &str) -> Option<Span> {
    match &side.kind {
        ExpressionKind::Binary(BinaryOperator::Multiply, one, other) => {
            factor(one, name).or_else(|| factor(other, name))
        }
        ExpressionKind::Binary(BinaryOperator::Divide, one, _) => factor(one, name),
        ExpressionKind::Unary(UnaryOperator::Minus, inside) => factor(inside, name),
        _ => (name_of(side).as_deref() == Some(name)).then_some(side.span),
    }
}

/// Where a variable stands in an expression; whether inside `der`.
fn occurrences(expression: &Expression, name: &str, found: &mut Vec<Span>) -> bool {
    let mut pending = vec![expression];
    while let Some(expression) = pending.pop() {
        match &expression.kind {
            ExpressionKind::Reference(_) if name_of(expression).as_deref() == Some(name) => found.push(expression.span),
            ExpressionKind::Call { function, arguments, .. } => {
                let is_derivative = function.parts.len() == 1 && &*function.parts[0].name.name == "der";
                if is_derivative && arguments.iter().any(|it| name_of(it).as_deref() == Some(name)) {
                    return true;
                }
                pending.extend(arguments.iter().rev());
            }
            ExpressionKind::Unary(_, inside) => pending.push(inside),
            ExpressionKind::Binary(_, one, other) => pending.extend([&**other, &**one]),
            ExpressionKind::If { branches, otherwise } => {
                pending.push(otherwise);
                pending.extend(branches.iter().rev().map(|(_, value)| value));
            }
            _ => {}
        }
    }
    false
}

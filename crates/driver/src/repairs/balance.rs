//! Classes with too many or too few equations for their variables and connectors (Modelica 3.6, 4.7): the balance of each
//! class by itself, where the file says all that it takes to count.

use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Label, Repair, Severity, Span};
use modeshift_report::wording::counted;
use modeshift_syntax::ast::{
    Causality, ClassBody, ClassKind, ConnectorPrefix, Equation, EquationKind, Expression, ExpressionKind, Path,
    Variability,
};

use super::outline::{Member, Outline, composition, path_text};

/// What a class has and what it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Balance {
    equations: usize,
    needed: usize,
}

/// Where a class is unbalanced that the model uses, it is the cause of too many or too few equations in all modes, and is
/// said instead of them.
pub(super) fn blame_classes(outline: &Outline, model: &str, diagnostics: &mut Diagnostics) {
    let is_singular = |it: &Diagnostic| it.code == Code::E0601 && it.when.is_none();
    if !diagnostics.iter().any(is_singular) {
        return;
    }
    let unbalanced = unbalanced(outline, model);
    if unbalanced.is_empty() {
        return;
    }
    diagnostics.retain(|it| !is_singular(it) || it.severity != Severity::Error);
    for (name, Balance { equations, needed }) in unbalanced {
        let Some(class) = outline.class(&name) else { continue };
        let (more, help) = match equations < needed {
            true => {
                let missing = needed - equations;
                let equations = if missing == 1 { "an equation".to_string() } else { format!("{missing} equations") };
                ("few", format!("add {equations} to `{name}`"))
            }
            false => ("many", format!("remove {} of them, or add as many unknowns", equations - needed)),
        };
        let message =
            format!("`{name}` has too {more} equations: {equations} where its unknowns and connectors need {needed}");
        let uses = outline.members(model).unwrap_or_default();
        let used =
            uses.iter().find(|it| outline.resolved(&it.component.type_name, &it.class).as_deref() == Some(&name));
        let mut error = Diagnostic::error(Code::E0606, message).label(class.name.span, "this class").help(help);
        if let Some(used) = used {
            error = error.label(used.component.span, "used here");
        }
        diagnostics.push(error);
    }
}

/// An `if` of which one branch has fewer equations than another.
struct Uneven {
    /// The class that has it.
    class: String,
    /// Its first condition.
    condition: Span,
    /// Where an `else` would stand, where there is none.
    end: Option<usize>,
    most: usize,
    least: usize,
}

/// The uneven ones of the classes of the components of a model, and of its own.
fn uneven(outline: &Outline, model: &str) -> Vec<Uneven> {
    let sum = |body: &[Equation]| body.iter().map(count).sum::<Option<usize>>();
    let mut found = Vec::new();
    for class in used_classes(outline, model) {
        for equation in outline.all_equations(&class) {
            let EquationKind::If { branches, otherwise } = &equation.kind else { continue };
            let bodies = branches.iter().map(|(_, body)| &body[..]).chain([&otherwise[..]]);
            let Some(counts) = bodies.map(sum).collect::<Option<Vec<usize>>>() else { continue };
            let most = counts.iter().copied().max().unwrap_or(0);
            let least = counts.iter().copied().min().unwrap_or(0);
            if most != least {
                let end = outline.text_of(equation.span).rfind("end").filter(|_| otherwise.is_empty());
                let end = end.map(|end| equation.span.start as usize + end);
                found.push(Uneven { class: class.clone(), condition: branches[0].0.span, end, most, least });
            }
        }
    }
    found
}

/// Where one `if` alone has fewer equations in a branch, it is why a model has too few in some modes.
pub(super) fn blame_branches(outline: &Outline, model: &str, diagnostics: &mut Diagnostics) {
    let is_short = |it: &Diagnostic| {
        let is_under = it.labels.iter().all(|label| label.text.ends_with("not determined"));
        it.code == Code::E0601 && it.when.is_some() && is_under
    };
    let (found, singular) = (uneven(outline, model), diagnostics.iter().filter(|it| is_short(it)).count());
    let ([Uneven { class, condition, most, least, .. }], 1) = (found.as_slice(), singular) else { return };
    let uses = outline.members(model).unwrap_or_default();
    let used = uses.iter().find(|it| outline.resolved(&it.component.type_name, &it.class).as_ref() == Some(class));
    for diagnostic in diagnostics.iter_mut().filter(|it| is_short(it)) {
        if class != model {
            let modes = diagnostic.when.as_deref().unwrap_or_default();
            diagnostic.message = format!("singular when `{modes}`: `{class}` has too few equations there");
            diagnostic.labels.clear();
            diagnostic.notes.clear();
            if let Some(used) = used {
                diagnostic.labels.push(Label { span: used.component.name.span, text: "used here".to_string() });
            }
        }
        let text = format!(
            "{} in one branch of this `if`, {} in another",
            counted(*most, "equation"),
            counted(*least, "equation")
        );
        diagnostic.labels.insert(0, Label { span: *condition, text });
        let missing = counted(most - least, "equation");
        diagnostic.help = Some(format!(
            "add {missing} to the branch that has fewer, or an `else`: what nothing else determines there, such as a force or a flow, \
             is 0 or follows from something"
        ));
    }
}

/// What flows through an element is 0 where its class says nothing of it in the branch that is missing.
fn missing_flows(outline: &Outline, model: &str) -> Vec<Repair> {
    let mut candidates = Vec::new();
    for Uneven { class, end, most, least, .. } in uneven(outline, model) {
        let Some(end) = end.filter(|_| class != model && (most, least) == (1, 0)) else { continue };
        let members = outline.members(&class).unwrap_or_default();
        if let Some(flow) = members.iter().flat_map(|member| flows(outline, member)).next() {
            let added = format!("else {flow} = 0;");
            let title = format!("add `{added}` to `{class}`");
            candidates.push(Repair::replace(outline.span(end, end), format!("{added} "), title));
        }
    }
    candidates
}

/// The classes of this file that a model is made of, its own too.
fn used_classes(outline: &Outline, model: &str) -> Vec<String> {
    let (mut pending, mut seen) = (vec![model.to_string()], Vec::new());
    while let Some(name) = pending.pop() {
        if !seen.contains(&name) {
            for member in outline.members(&name).unwrap_or_default() {
                pending.extend(outline.resolved(&member.component.type_name, &member.class));
            }
            seen.push(name);
        }
    }
    seen
}

/// What flows into an element with two connectors flows out again, where its class says nothing of it.
pub(super) fn candidates(outline: &Outline, model: &str) -> Vec<Repair> {
    let mut candidates = missing_flows(outline, model);
    for (name, balance) in unbalanced(outline, model) {
        if balance.equations + 1 != balance.needed {
            continue;
        }
        let (Some(members), Some(equations)) = (outline.members(&name), outline.equations(&name)) else { continue };
        let flows: Vec<String> = members.iter().flat_map(|member| flows(outline, member)).collect();
        let mentioned: Vec<&str> = equations.iter().map(|equation| outline.text_of(equation.span)).collect();
        let is_open = |flow: &&String| !mentioned.iter().any(|text| mentions(text, flow));
        let open: Vec<&String> = flows.iter().filter(is_open).collect();
        if open.len() == 1 && flows.len() == 2 {
            let equation = format!("{} + {} = 0", flows[0], flows[1]);
            let title = format!("add `{equation}` to `{name}`");
            candidates.extend(Outline::repair(title, [outline.new_equation(&name, &equation)]));
        }
    }
    candidates
}

/// Whether a name stands in a text, not as a part of a longer one.
fn mentions(text: &str, name: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_' || character == '.';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_part)
            && !text[at + name.len()..].starts_with(|it: char| it.is_alphanumeric() || it == '_')
    })
}

/// The flow variables of a connector, by their names in its class.
fn flows(outline: &Outline, member: &Member) -> Vec<String> {
    let Some(inside) = outline.connector(member).and_then(|name| outline.members(&name)) else { return Vec::new() };
    let flows = inside.iter().filter(|it| it.component.prefix.connector == Some(ConnectorPrefix::Flow));
    flows.map(|it| format!("{}.{}", member.component.name.name, it.component.name.name)).collect()
}

/// The classes of the components of a model, and of theirs, that do not have what they need.
fn unbalanced(outline: &Outline, model: &str) -> Vec<(String, Balance)> {
    let mut found = Vec::new();
    for name in used_classes(outline, model).into_iter().filter(|name| name != model) {
        if let Some(balance) = balance(outline, &name)
            && balance.equations != balance.needed
        {
            found.push((name, balance));
        }
    }
    found.reverse();
    found
}

/// What a model or block has and needs; nothing where this file alone does not say.
fn balance(outline: &Outline, name: &str) -> Option<Balance> {
    let class = outline.class(name)?;
    let is_component = matches!(class.kind, ClassKind::Model | ClassKind::Block | ClassKind::Class);
    if !is_component || class.partial || composition(class)?.algorithms.iter().any(|section| !section.initial) {
        return None;
    }
    let mut balance = Balance { equations: 0, needed: 0 };
    for member in outline.members(name)? {
        let component = &member.component;
        if component.condition.is_some() || !component.dimensions.is_empty() || member.element.outer {
            return None;
        }
        if component.prefix.variability <= Variability::Parameter {
            continue;
        }
        if is_scalar(outline, &component.type_name, &member.class, 0) {
            let is_input = component.prefix.causality == Some(Causality::Input);
            balance.needed += usize::from(!is_input);
            let has_value = component.modification.as_ref().is_some_and(|it| it.value.is_some());
            balance.equations += usize::from(has_value && !is_input);
            continue;
        }
        let of_type = outline.resolved(&component.type_name, &member.class)?;
        let is_connector = outline.class(&of_type)?.kind == ClassKind::Connector;
        if !is_connector || composition(outline.class(&of_type)?).is_none() {
            // A component that is balanced by itself brings what connections of this class have to bring for it, too.
            return None;
        }
        if member.element.protected {
            return None;
        }
        for inside in outline.members(&of_type)? {
            let prefix = inside.component.prefix;
            let is_scalar = inside.component.dimensions.is_empty()
                && is_scalar(outline, &inside.component.type_name, &inside.class, 0);
            if !is_scalar || prefix.connector == Some(ConnectorPrefix::Stream) {
                return None;
            }
            balance.needed += usize::from(prefix.connector == Some(ConnectorPrefix::Flow));
            balance.needed += usize::from(prefix.causality == Some(Causality::Output));
        }
    }
    for equation in outline.equations(name)? {
        balance.equations += count(&equation)?;
    }
    Some(balance)
}

/// Whether a type is a predefined one, perhaps with attributes: `type Voltage = Real(unit = "V")`, or a unit of the standard library.
fn is_scalar(outline: &Outline, path: &Path, from: &str, depth: usize) -> bool {
    let name = path_text(path);
    if matches!(name.as_str(), "Real" | "Integer" | "Boolean") || name.starts_with("Modelica.Units.") {
        return true;
    }
    let Some(class) = outline.resolved(path, from).filter(|_| depth < 20) else { return false };
    match outline.class(&class).map(|definition| &definition.body) {
        Some(ClassBody::Short { base, dimensions, prefix, .. }) => {
            let is_plain = prefix.connector.is_none() && prefix.causality.is_none();
            dimensions.is_empty() && is_plain && is_scalar(outline, base, &class, depth + 1)
        }
        _ => false,
    }
}

/// How many scalar equations one is; nothing where that takes more than a look.
fn count(equation: &Equation) -> Option<usize> {
    match &equation.kind {
        EquationKind::Equal(left, right) => (!is_several(left) && !is_several(right)).then_some(1),
        EquationKind::If { branches, otherwise } => {
            let sum = |body: &[Equation]| body.iter().map(count).sum::<Option<usize>>();
            let expected = sum(otherwise)?;
            branches.iter().all(|(_, body)| sum(body) == Some(expected)).then_some(expected)
        }
        EquationKind::Call(call) => is_assertion(call).then_some(0),
        EquationKind::Invariant(_) => Some(0),
        EquationKind::For { .. } | EquationKind::When(_) | EquationKind::Connect(..) => None,
    }
}

fn is_several(expression: &Expression) -> bool {
    matches!(
        expression.kind,
        ExpressionKind::Array(_)
            | ExpressionKind::Matrix(_)
            | ExpressionKind::Tuple(_)
            | ExpressionKind::Comprehension { .. }
            | ExpressionKind::Range { .. }
            | ExpressionKind::Error
    )
}

fn is_assertion(call: &Expression) -> bool {
    match &call.kind {
        ExpressionKind::Call { function, .. } => {
            function.parts.len() == 1 && matches!(&*function.parts[0].name.name, "assert" | "terminate")
        }
        _ => false,
    }
}

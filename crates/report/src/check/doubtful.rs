//! What is allowed or nearly so, and hardly meant: Reals compared for equality, parameters that nothing uses.

use modeshift_dae::{Builtin, ExpressionId, FlatModel, Id, Node, RelationOperator, Type, Variability, short_text};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, FileId, Span};
use modeshift_drawing::shortened;
use rustc_hash::FxHashMap;

/// Longer expressions are cut.
const LONGEST_EXPRESSION: usize = 60;

/// Says where Reals that change continuously are compared for equality, in this file.
pub fn check_equalities(model: &FlatModel, file: FileId, diagnostics: &mut Diagnostics) {
    let mut roots: Vec<(ExpressionId, Span)> = Vec::new();
    for equation in model.equations.iter().filter(|equation| equation.span.file == file) {
        roots.extend([equation.left, equation.right, equation.guard].map(|root| (root, equation.span)));
    }
    for branch in model.when_clauses.iter().flat_map(|clause| &clause.branches) {
        roots.extend(branch.conditions.iter().map(|&root| (root, branch.span)));
    }
    roots.extend(model.assertions.iter().map(|assertion| (assertion.condition, assertion.span)));
    let mut seen = vec![false; model.expressions.len()];
    for (root, span) in roots.into_iter().filter(|(_, span)| span.file == file) {
        let mut found = None;
        model.expressions.for_each(root, |id, node| {
            if let Node::Relation(RelationOperator::Equal | RelationOperator::NotEqual, a, b) = node
                && (is_continuous(model, a) || is_continuous(model, b))
                && !seen[id.index()]
            {
                found = found.or(Some(id));
            }
            let is_new = !std::mem::replace(&mut seen[id.index()], true);
            is_new && !matches!(node, Node::Call(Builtin::NoEvent, _))
        });
        let Some(relation) = found else { continue };
        let text = shortened(&short_text(model, None, relation), LONGEST_EXPRESSION);
        let message = format!("`{text}` compares Reals for equality, which hold by chance only");
        let warning = Diagnostic::warning(Code::W0321, message).label(span, "a run steps over the instant");
        diagnostics.push(warning.help("use `>=` or `<=`, whose crossing is found, or a distance below a tolerance"));
    }
}

/// Whether an expression is a Real that changes between events.
fn is_continuous(model: &FlatModel, root: ExpressionId) -> bool {
    let mut found = false;
    model.expressions.for_each(root, |_, node| {
        found |= match node {
            Node::Variable(id, _) => {
                let variable = &model.variables[id];
                variable.ty == Type::Real && variable.variability == Variability::Continuous
            }
            Node::Time => true,
            _ => false,
        };
        let is_stepwise = match node {
            Node::Relation(..) | Node::Pre(_) => true,
            Node::Call(builtin, _) => {
                matches!(builtin, Builtin::Floor | Builtin::Ceil | Builtin::Integer | Builtin::Div | Builtin::Sign)
            }
            _ => false,
        };
        !found && !is_stepwise
    });
    found
}

/// Says which parameters declared in this file nothing depends on. `is_named` says whether the class around a declaration has the name
/// elsewhere: what stands in a branch that other parameters leave out is used, although not now.
pub fn check_unused(
    model: &FlatModel,
    file: FileId,
    is_named: impl Fn(Span, &str) -> bool,
    diagnostics: &mut Diagnostics,
) {
    let mut is_used: Vec<bool> = model.variables.iter().map(|variable| variable.evaluated).collect();
    for index in 0..model.expressions.len() {
        if let Node::Variable(variable, _) = model.expressions.node(ExpressionId::from_index(index)) {
            is_used[variable.index()] = true;
        }
    }
    // A declaration is used where one of its elements is, in one of the components that have it.
    let mut declarations: Vec<(Span, &str, bool)> = Vec::new();
    let mut numbers: FxHashMap<Span, usize> = FxHashMap::default();
    for (id, variable) in model.variables.iter_enumerated() {
        if variable.variability != Variability::Parameter
            || variable.span.file != file
            || variable.span == Span::default()
        {
            continue;
        }
        let number = *numbers.entry(variable.span).or_insert(declarations.len());
        match declarations.get_mut(number) {
            Some(known) => known.2 |= is_used[id.index()],
            None => declarations.push((variable.span, &variable.name, is_used[id.index()])),
        }
    }
    for (span, name, _) in declarations.into_iter().filter(|it| !it.2) {
        let own = name.rsplit('.').next().unwrap_or(name).split('[').next().unwrap_or(name);
        if is_named(span, own) {
            continue;
        }
        let warning = Diagnostic::warning(Code::W0323, format!("`{name}` is used nowhere"));
        let warning = warning.label(span, "neither equations nor other values depend on it");
        diagnostics.push(warning.help("use it, or remove it"));
    }
}

//! Known mistakes behind a singular model, and what to do about each.

use modeshift_dae::{EquationId, Node, VariableId};
use modeshift_diagnostics::Kind;
use modeshift_structure::Analysis;
use rustc_hash::FxHashSet;

use super::sources::sources_together;
use crate::singular::{SingularCase, Subset};
use crate::wording::SetTexts;
use crate::wording::{Names, listed};

/// Pairs of a potential and its flow in the usual connectors, with what gives the potential a reference.
const CONNECTORS: [(&str, &str, &str); 3] = [
    ("v", "i", "the potentials have no reference while the currents are counted once too often: add a ground"),
    ("phi", "tau", "the angles have no reference while the torques are counted once too often: add a fixed flange"),
    ("s", "f", "the positions have no reference while the forces are counted once too often: add a fixed flange"),
];

/// What was found about one way of being singular.
pub(super) struct Finding<'a> {
    pub(super) case: &'a SingularCase,
    pub(super) over: Option<&'a Subset>,
    pub(super) under: Option<&'a Subset>,
    /// Equations that depend on each other, where the combination of equations showed it.
    pub(super) dependent: Option<&'a Subset>,
    /// The unknowns that too many equations have, and those that too few have, in all places.
    pub(super) overcounted: Vec<VariableId>,
    pub(super) free: Vec<VariableId>,
    pub(super) names: &'a Names<'a>,
}

/// What to try, where the pattern is known, and what kind of mistake that is for those who propose edits.
pub(super) fn advice(
    finding: &Finding<'_>,
    analysis: &Analysis,
    texts: &SetTexts<'_>,
) -> Option<(String, Option<Kind>)> {
    let in_all_modes = texts.text(finding.case.modes) == "true";
    match sources_together(finding, in_all_modes) {
        Some(advice) => Some((advice, Some(Kind::SourcesTogether))),
        None => other_advice(finding, analysis, texts).map(|advice| (advice, None)),
    }
}

fn other_advice(finding: &Finding<'_>, analysis: &Analysis, texts: &SetTexts<'_>) -> Option<String> {
    if let Some(advice) = no_reference(finding) {
        return Some(advice);
    }
    let in_all_modes = texts.text(finding.case.modes) == "true";
    let too_many = two_references(finding)
        .or_else(|| if in_all_modes { said_twice(finding) } else { elements_in_one_mode(finding) })
        .or_else(|| fixed_twice(finding));
    let too_few = no_equation(finding, analysis, texts).or_else(|| one_more_equation(finding));
    match (too_many, too_few) {
        (Some(too_many), Some(too_few)) => Some(format!("{too_many}; and {too_few}")),
        (one, other) => one.or(other),
    }
}

/// A circuit without a ground, a drive train without a fixed flange.
fn no_reference(finding: &Finding<'_>) -> Option<String> {
    let potentials = &finding.case.underdetermined_variables;
    let flows = match finding.dependent {
        Some(dependent) => &dependent.variables,
        None => &finding.case.overdetermined_variables,
    };
    let fits = |(potential, flow, _): &&(&str, &str, &str)| {
        all_called(finding.names, potentials, potential) && all_called(finding.names, flows, flow)
            || says_both(finding, potential, flow)
    };
    CONNECTORS.iter().find(fits).map(|(.., help)| help.to_string())
}

/// Whether too much is said of flows, and too little of the potentials of the same connectors: what hangs on the potentials is not
/// determined with them, and each half may be found in a place of its own.
fn says_both(finding: &Finding<'_>, potential: &str, flow: &str) -> bool {
    let Finding { names, case, overcounted, free, .. } = finding;
    let flows = finding.dependent.or(finding.over).map_or(overcounted, |it| &it.variables);
    let free = if finding.under.is_some() { &case.underdetermined_variables } else { free };
    let free: FxHashSet<&str> = free.iter().map(|id| names.variable(*id)).collect();
    let connector = |id: &VariableId| names.variable(*id).rsplit_once('.').map(|(connector, _)| connector);
    let is_free = |id| connector(id).is_some_and(|it| free.contains(format!("{it}.{potential}").as_str()));
    all_called(names, flows, flow) && flows.iter().all(is_free)
}

/// Whether there are some, and the last part of each name is this.
pub(super) fn all_called(names: &Names<'_>, variables: &[VariableId], last_part: &str) -> bool {
    let called = |id: &VariableId| names.variable(*id).rsplit('.').next().is_some_and(|last| last == last_part);
    !variables.is_empty() && variables.iter().all(called)
}

/// A variable without any equation, in all modes or in some.
fn no_equation(finding: &Finding<'_>, analysis: &Analysis, texts: &SetTexts<'_>) -> Option<String> {
    let under = finding.under.filter(|under| under.equations.is_empty())?;
    let &[variable] = under.variables.as_slice() else { return None };
    let name = finding.names.variable(variable);
    let incidence = &analysis.incidence;
    let edges = incidence.edges_of_variable(variable).iter();
    let occurs = analysis.space.union(edges.map(|edge| incidence.active(*edge)));
    if occurs.is_empty() {
        return Some(format!("add an equation for `{name}`, or remove its declaration"));
    }
    let elsewhere = texts.text(occurs);
    Some(format!(
        "`{name}` has an equation only when `{elsewhere}`; add one for the other modes, for example `{name} = 0`"
    ))
}

/// Two equations that fix one potential, with nothing but connections between them: two grounds on one node.
fn two_references(finding: &Finding<'_>) -> Option<String> {
    let over = finding.over.filter(|over| over.equations.len() > 1)?;
    let is_reference = |id: &&EquationId| finding.names.unknowns(**id).len() == 1;
    let (references, others): (Vec<&EquationId>, Vec<&EquationId>) = over.equations.iter().partition(is_reference);
    let is_connection =
        |id: &&EquationId| !finding.names.equation(**id).contains('.') && finding.names.unknowns(**id).len() == 2;
    let &[one, other] = references.as_slice() else { return None };
    let component = |id: &EquationId| finding.names.equation(*id).rsplit_once('.').map(|(component, _)| component);
    let (one, other) = (component(one)?, component(other)?);
    (!others.is_empty() && others.iter().all(is_connection))
        .then(|| format!("`{one}` and `{other}` both fix the potential of one node: remove one of them"))
}

/// Two equations that both say what a variable is.
fn said_twice(finding: &Finding<'_>) -> Option<String> {
    let over = finding.over.filter(|over| over.equations.len() > 2 && finding.dependent.is_none())?;
    // What an element says of its own variables is right by itself where others say too much together with it.
    if elements(finding, over).len() > 1 {
        return None;
    }
    let model = &finding.names.dae.model;
    let defined = |id: &EquationId| match model.expressions.node(model.equations[*id].left) {
        Node::Variable(variable, 0) => Some(variable),
        _ => None,
    };
    let mut known: Vec<(VariableId, EquationId)> = Vec::new();
    for id in &over.equations {
        let Some(variable) = defined(id) else { continue };
        if let Some((_, earlier)) = known.iter().find(|it| it.0 == variable) {
            let (one, other) = (finding.names.equation(*earlier), finding.names.equation(*id));
            let name = finding.names.variable(variable);
            return Some(format!(
                "both `{one}` and `{other}` say what `{name}` is: remove one of them, or add an unknown"
            ));
        }
        known.push((variable, *id));
    }
    None
}

/// Elements that agree in other modes, and in these all say what one quantity is: two brakes that hold one shaft. To remove an equation
/// would break the other modes.
fn elements_in_one_mode(finding: &Finding<'_>) -> Option<String> {
    let over = finding.over.filter(|over| over.equations.len() > 2)?;
    let model = &finding.names.dae.model;
    let changes = |id: &&EquationId| {
        let equation = &model.equations[**id];
        let is_conditional = |side| model.expressions.contains(side, |node| matches!(node, Node::If(..)));
        model.expressions.literal_boolean(equation.guard).is_none()
            || is_conditional(equation.left)
            || is_conditional(equation.right)
    };
    let mut elements: Vec<&str> = Vec::new();
    for id in over.equations.iter().filter(changes) {
        let (element, _) = finding.names.equation(*id).rsplit_once('.')?;
        if !elements.contains(&element) {
            elements.push(element);
        }
    }
    (elements.len() > 1).then(|| {
        format!(
            "{} fix one quantity together in these modes: put something between them that gives way, or exclude these modes by an \
             assertion",
            listed(elements.iter().copied())
        )
    })
}

/// The elements that say themselves, by one equation of one unknown, what something is.
fn elements<'a>(finding: &Finding<'a>, subset: &Subset) -> Vec<&'a str> {
    let gives = |id: &&EquationId| finding.names.unknowns(**id).len() == 1;
    let mut elements: Vec<&str> = Vec::new();
    for id in subset.equations.iter().filter(gives) {
        if let Some((element, _)) = finding.names.equation(*id).rsplit_once('.')
            && !elements.contains(&element)
        {
            elements.push(element);
        }
    }
    elements
}

/// Two equations for one variable.
fn fixed_twice(finding: &Finding<'_>) -> Option<String> {
    let over = finding.over.filter(|_| finding.dependent.is_none())?;
    match (over.equations.as_slice(), over.variables.as_slice()) {
        ([one], []) => {
            Some(format!("remove `{}`, or let it say something about an unknown", finding.names.equation(*one)))
        }
        ([one, other], [variable]) => {
            let (one, other) = (finding.names.equation(*one), finding.names.equation(*other));
            Some(format!("both `{one}` and `{other}` fix `{}`: remove one of them", finding.names.variable(*variable)))
        }
        (several, _) if finding.under.is_none() => Some(format!(
            "remove one of {}, or add an unknown to them",
            listed(several.iter().map(|id| finding.names.equation(*id)))
        )),
        _ => None,
    }
}

fn one_more_equation(finding: &Finding<'_>) -> Option<String> {
    let under = finding.under.filter(|_| finding.over.is_none())?;
    let missing = under.variables.len() - under.equations.len();
    let equations = if missing == 1 { "one more equation".to_string() } else { format!("{missing} more equations") };
    Some(format!("add {equations} for {}", listed(under.variables.iter().map(|id| finding.names.variable(*id)))))
}

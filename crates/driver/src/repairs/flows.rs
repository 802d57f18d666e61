//! Flows that go nowhere, and flows that go in at both ends of an element: allowed, and hardly meant.

use modeshift_dae::{ArithmeticOperator, Equation, FlatModel, Node, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Repair, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::outline::Outline;

/// Equations with more flows than this are none of one element.
const MOST_TERMS: usize = 64;

/// Says which elements of the model carry nothing, and which swallow what flows.
pub(super) fn check(outline: &Outline, model: &FlatModel, diagnostics: &mut Diagnostics) {
    let flows = Flows::of(outline, model);
    flows.say_dead_elements(outline, diagnostics);
    flows.say_equal_flows(outline, diagnostics);
}

/// The flows of a model, found by the equations that connections make of them.
struct Flows<'m> {
    model: &'m FlatModel,
    /// Equations that say of some variables that their sum or difference is zero.
    sums: Vec<(&'m Equation, Vec<(VariableId, f64)>)>,
    /// Flows of connectors that are not connected.
    open: FxHashSet<VariableId>,
    /// Where flows are declared.
    declarations: FxHashSet<Span>,
}

impl<'m> Flows<'m> {
    fn of(outline: &Outline, model: &'m FlatModel) -> Self {
        let sums: Vec<_> =
            model.equations.iter().filter_map(|equation| Some((equation, terms(model, equation)?))).collect();
        let (mut open, mut declarations) = (FxHashSet::default(), FxHashSet::default());
        for (equation, terms) in &sums {
            let declared = |id: VariableId| model.variables[id].span;
            match terms.as_slice() {
                // Without a connection, a flow is zero where it is declared.
                [(only, _)] if equation.span == declared(*only) => {
                    open.insert(*only);
                    declarations.insert(declared(*only));
                }
                [_, _, ..] if outline.text_of(equation.span).starts_with("connect") => {
                    let all_in = terms.iter().all(|it| it.1 == terms[0].1);
                    declarations.extend(terms.iter().filter(|_| all_in).map(|it| declared(it.0)));
                }
                _ => {}
            }
        }
        declarations.remove(&Span::default());
        Flows { model, sums, open, declarations }
    }

    fn name(&self, id: VariableId) -> &'m str {
        &self.model.variables[id].name
    }

    fn is_flow(&self, id: VariableId) -> bool {
        self.declarations.contains(&self.model.variables[id].span)
    }

    /// The flows of all elements, by their names: `r.p.i` is one of `r`.
    fn of_elements(&self) -> FxHashMap<&'m str, Vec<VariableId>> {
        let mut flows: FxHashMap<&str, Vec<VariableId>> = FxHashMap::default();
        for id in self.model.variables.ids().filter(|&id| self.is_flow(id)) {
            if let Some((element, _)) = connector(self.name(id)) {
                flows.entry(element).or_default().push(id);
            }
        }
        flows
    }

    /// Elements of the model with an open connector and a connected one through which nothing flows because of that.
    fn say_dead_elements(&self, outline: &Outline, diagnostics: &mut Diagnostics) {
        if self.open.is_empty() {
            return;
        }
        let elements = self.of_elements();
        let mut inside: FxHashMap<&str, Vec<&[(VariableId, f64)]>> = FxHashMap::default();
        for (equation, terms) in &self.sums {
            if let Some((element, _)) = equation.name.split_once('.') {
                inside.entry(element).or_default().push(terms);
            }
        }
        let mut said = FxHashSet::default();
        for id in self.model.variables.ids().filter(|id| self.open.contains(id)) {
            let Some((element, connector)) = connector(self.name(id)).filter(|it| !it.0.contains('.')) else {
                continue;
            };
            let Some(flows) = elements.get(element).filter(|_| !element.is_empty()) else { continue };
            let (open, joined): (Vec<VariableId>, Vec<VariableId>) =
                flows.iter().partition(|id| self.open.contains(id));
            let mut zero: FxHashSet<VariableId> = open.into_iter().collect();
            let sums = inside.get(element).map_or(&[][..], |sums| sums);
            while let Some(next) = sums.iter().find_map(|sum| {
                let mut others = sum.iter().filter(|it| !zero.contains(&it.0));
                // An equation of open flows alone is not what makes another zero.
                others.next().filter(|_| sum.len() > 1 && others.next().is_none()).map(|it| it.0)
            }) {
                zero.insert(next);
            }
            let is_dead = !joined.is_empty() && joined.iter().all(|id| zero.contains(id));
            let declared = element.split('[').next().and_then(|name| outline.declared(&self.model.name, name));
            if let Some(declared) = declared.filter(|_| is_dead && said.insert(element)) {
                let message = format!("`{element}` carries nothing: `{connector}` is not connected");
                let warning = Diagnostic::warning(Code::W0324, message);
                let warning =
                    warning.label(declared.component.name.span, "what flows in at one end flows out at the other");
                diagnostics.push(warning.help(format!("connect `{connector}`, or remove `{element}`")));
            }
        }
    }

    /// Elements with two connectors whose flows are equal.
    fn say_equal_flows(&self, outline: &Outline, diagnostics: &mut Diagnostics) {
        let elements = self.of_elements();
        let mut said = FxHashSet::default();
        for (equation, terms) in &self.sums {
            let [(one, sign), (other, opposite)] = terms.as_slice() else { continue };
            let written = outline.text_of(equation.span);
            if *sign == *opposite || written.is_empty() || written.starts_with("connect") {
                continue;
            }
            let (Some(a), Some(b)) = (connector(self.name(*one)), connector(self.name(*other))) else { continue };
            let is_of_one = self.is_flow(*one) && self.is_flow(*other) && a.0 == b.0 && a.1 != b.1;
            if !is_of_one || elements[a.0].len() != 2 || !said.insert(equation.span) {
                continue;
            }
            let inside = |name: &'m str| name.strip_prefix(a.0).map_or(name, |name| name.trim_start_matches('.'));
            let (in_one, in_other) = (inside(self.name(*one)), inside(self.name(*other)));
            let right = format!("{in_one} + {in_other} = 0");
            let message = format!("what flows into `{}` flows into `{}` too", a.1, b.1);
            let warning = Diagnostic::warning(Code::W0325, message);
            let warning = warning.label(equation.span, "flows are positive into an element, at each of its connectors");
            let warning = warning.help(format!("write `{right}`: what flows in at one end flows out at the other"));
            diagnostics.push(warning.candidate(Repair::replace(
                equation.span,
                right.clone(),
                format!("write `{right}`"),
            )));
        }
    }
}

/// The element and the connector of a flow: `r` and `r.p` of `r.p.i`. The element of `p.i` is the model itself, which has no name.
fn connector(name: &str) -> Option<(&str, &str)> {
    let (connector, _) = name.rsplit_once('.')?;
    let element = connector.rsplit_once('.').map_or("", |(element, _)| element);
    Some((element, connector))
}

/// The variables whose sum, with these signs, an equation sets to zero; nothing where it says something else.
fn terms(model: &FlatModel, equation: &Equation) -> Option<Vec<(VariableId, f64)>> {
    let e = &model.expressions;
    let mut terms = Vec::new();
    let mut pending = vec![(equation.left, 1.0), (equation.right, -1.0)];
    while let Some((root, sign)) = pending.pop() {
        match e.node(root) {
            Node::Variable(id, 0) => terms.push((id, sign)),
            Node::Negate(a) => pending.push((a, -sign)),
            Node::Arithmetic(ArithmeticOperator::Add, a, b) => pending.extend([(a, sign), (b, sign)]),
            Node::Arithmetic(ArithmeticOperator::Subtract, a, b) => pending.extend([(a, sign), (b, -sign)]),
            _ if e.literal(root) == Some(0.0) => {}
            _ => return None,
        }
        if terms.len() > MOST_TERMS {
            return None;
        }
    }
    // In the order in which they are written.
    terms.reverse();
    let is_always = e.literal_boolean(equation.guard) == Some(true);
    (is_always && !terms.is_empty()).then_some(terms)
}

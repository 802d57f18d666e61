//! The verdicts about mode changes as diagnostics: what is not determined or contradicts itself, which products rest on
//! a convention, in which changes, and what to try.

use modeshift_dae::{Derivative, EquationId, ExpressionId, Node, VariableId, WhenAction, WhenActionKind};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Span};
use modeshift_mode_changes::{AllChanges, Conflict, InPairs, PairSpace};
use modeshift_modes::{FormulaPrinter, ModeSet, ModeVariable};
use rustc_hash::FxHashMap;

use crate::Analyzed;
use crate::check::instants_of_laws;
use crate::wording::mode_names;

/// Labels and names of one diagnostic.
const MOST_LABELS: usize = 6;
/// An example names at most this many values.
const MOST_EXAMPLE_VALUES: usize = 12;

/// Says which changes are underdetermined, contradict themselves, or rest on a convention.
pub fn say_verdicts(analyzed: &Analyzed, changes: &AllChanges<'_>, within: ModeSet, diagnostics: &mut Diagnostics) {
    let names = PairSpace::names(&mode_names(&analyzed.dae));
    let mut printer = FormulaPrinter::new(&changes.pairs.space, &changes.pairs.invariant, &names);
    printer.prefer_conjunctions();
    let wording = Wording { analyzed, changes, names: &names, printer };
    for (pairs, open) in wording.grouped(&changes.memory.undetermined, within) {
        diagnostics.push(wording.underdetermined(pairs, &open));
    }
    for (pairs, open) in wording.grouped(&changes.transients.undetermined, within) {
        diagnostics.push(wording.law_missing(pairs, &open));
    }
    for &(conflict, pairs) in &changes.transients.conflicting {
        let pairs = changes.pairs.space.and(pairs, within);
        if !pairs.is_empty() {
            diagnostics.push(wording.contradiction(conflict, pairs));
        }
    }
    wording.warnings(within, diagnostics);
}

/// Says which instants are in no list of changes: their modes are none without the laws of a `when`.
pub fn note_instants_of_laws(analyzed: &Analyzed, diagnostics: &mut Diagnostics) {
    let instants = instants_of_laws(analyzed);
    if instants.is_empty() {
        return;
    }
    let Analyzed { dae, analysis, .. } = analyzed;
    let names = mode_names(dae);
    let printer = FormulaPrinter::new(&analysis.space, &analysis.invariant, &names);
    let message = "what happens at an instant that only the laws of a `when` complete is computed by runs alone";
    diagnostics.push(Diagnostic::note(Code::N0801, message).when(printer.print(instants).text));
}

struct Wording<'a> {
    analyzed: &'a Analyzed,
    changes: &'a AllChanges<'a>,
    names: &'a [String],
    printer: FormulaPrinter<'a>,
}

impl Wording<'_> {
    /// What is not determined, by the changes in which it is not.
    fn grouped(&self, items: &[InPairs<VariableId>], within: ModeSet) -> Vec<(ModeSet, Vec<Derivative<VariableId>>)> {
        let mut groups: Vec<(ModeSet, Vec<Derivative<VariableId>>)> = Vec::new();
        let mut known: FxHashMap<ModeSet, usize> = FxHashMap::default();
        for item in items {
            let pairs = self.changes.pairs.space.and(item.pairs, within);
            if !pairs.is_empty() {
                let at = *known.entry(pairs).or_insert(groups.len());
                if at == groups.len() {
                    groups.push((pairs, Vec::new()));
                }
                groups[at].1.push(item.derivative());
            }
        }
        groups
    }

    fn name(&self, derivative: Derivative<VariableId>) -> String {
        format!("`{}`", self.analyzed.dae.model.name_of_variable(derivative))
    }

    fn listed(&self, open: &[Derivative<VariableId>]) -> String {
        let mut shown: Vec<String> = open.iter().take(MOST_LABELS).map(|&item| self.name(item)).collect();
        if open.len() > MOST_LABELS {
            shown.push(format!("{} more", open.len() - MOST_LABELS));
        }
        shown.join(", ")
    }

    fn underdetermined(&self, pairs: ModeSet, open: &[Derivative<VariableId>]) -> Diagnostic {
        let message = format!("underdetermined at a mode change: nothing determines {}", self.listed(open));
        let mut diagnostic = Diagnostic::error(Code::E0801, message);
        for &item in open.iter().take(MOST_LABELS) {
            let text = format!("{} begins with no value", self.name(item));
            diagnostic = diagnostic.label(self.analyzed.dae.model.variables[item.of].span, text);
        }
        self.with_changes(diagnostic, pairs)
            .help("give start values, or say in a `when` what these are after the change")
    }

    /// The laws of a `when` leave something open.
    fn law_missing(&self, pairs: ModeSet, open: &[Derivative<VariableId>]) -> Diagnostic {
        let message = format!("underdetermined at the instant of a `when`: not determined are {}", self.listed(open));
        let mut diagnostic = Diagnostic::error(Code::E0802, message);
        for span in self.firing_spans(pairs) {
            diagnostic = diagnostic.label(span, "this mode is transient");
        }
        self.with_changes(diagnostic, pairs).help(
            "the model does not say whether this impact is elastic: add an equation to this `when`, such as an impact \
             law for a velocity",
        )
    }

    /// The laws of a `when` say too much.
    fn contradiction(&self, conflict: Conflict, pairs: ModeSet) -> Diagnostic {
        let model = &self.analyzed.dae.model;
        let (name, span) = match conflict {
            Conflict::Law(firing, law) => {
                let firing = &self.changes.firings[firing];
                let branch = &model.when_clauses[firing.clause].branches[firing.branch];
                ("this law".to_string(), branch.actions[firing.laws[law].action].span)
            }
            Conflict::Constraint(constraint) => {
                (format!("`{}`", model.name_of_equation(constraint)), model.equations[constraint.of].span)
            }
        };
        let message = format!("too much is said about the instant of a `when`: {name} contradicts the rest");
        let mut diagnostic = Diagnostic::error(Code::E0803, message).label(span, "this is too much");
        for span in self.firing_spans(pairs).into_iter().filter(|other| *other != span) {
            diagnostic = diagnostic.label(span, "in this instant");
        }
        self.with_changes(diagnostic, pairs).help("let one of the laws go")
    }

    /// Where the `when` clauses that fire in some changes are.
    fn firing_spans(&self, pairs: ModeSet) -> Vec<Span> {
        let clauses = &self.analyzed.dae.model.when_clauses;
        let firing = self.changes.firings.iter();
        let firing = firing.filter(|firing| self.changes.pairs.space.intersects(firing.pairs, pairs));
        firing.take(MOST_LABELS).map(|it| clauses[it.clause].branches[it.branch].span).collect()
    }

    /// Whether an equation says what a variable is that nothing else reads, such as a loss of power: whatever convention its product
    /// has, no restart depends on it.
    fn is_result(&self, equation: EquationId) -> bool {
        let Analyzed { dae, analysis, .. } = self.analyzed;
        let Node::Variable(variable, 0) = dae.model.expressions.node(dae.model.equations[equation].left) else {
            return false;
        };
        let reads = |root: ExpressionId| {
            dae.model.expressions.contains(root, |node| matches!(node, Node::Variable(read, _) if read == variable))
        };
        let actions = |action: &WhenAction| match &action.kind {
            WhenActionKind::Assign(_, value) | WhenActionKind::Reinit(_, value) => reads(*value),
            WhenActionKind::Law(left, right) => reads(*left) || reads(*right),
            WhenActionKind::Assert(_) | WhenActionKind::Terminate(_) => false,
        };
        let branches = dae.model.when_clauses.iter().flat_map(|clause| &clause.branches);
        let mut conditions = dae.mode_variables.iter().filter_map(|mode| mode.definition);
        analysis.incidence.edges_of_variable(variable).len() == 1
            && !conditions.any(reads)
            && !branches.clone().any(|it| it.conditions.iter().any(|id| reads(*id)) || it.actions.iter().any(actions))
    }

    /// Undefined products, and cascades that need not end.
    fn warnings(&self, within: ModeSet, diagnostics: &mut Diagnostics) {
        let dae = &self.analyzed.dae;
        let products = self.changes.undefined_products(dae, within).unwrap_or_default();
        for product in products.into_iter().filter(|it| it.is_nonlinear() || !self.is_result(it.equation)) {
            let span = dae.model.equations[product.equation].span;
            let warning = Diagnostic::warning(Code::W0801, product.message(&dae.model)).label(span, "this equation");
            let note = match product.is_nonlinear() {
                true => "impulses have no powers and no exponentials: a run that meets this change may have to stop",
                false => "coefficients of impulses are taken at left limits; another convention gives another restart",
            };
            diagnostics.push(self.with_changes(warning, product.pairs).with_note(note));
        }
        let Ok(cascades) = self.changes.cascades(dae) else { return };
        for (firing, text) in cascades.cycles() {
            let pairs = self.changes.firings[firing].pairs;
            let mut warning = Diagnostic::warning(Code::W0802, text);
            for span in self.firing_spans(pairs) {
                warning = warning.label(span, "fires the next, which fires it again");
            }
            diagnostics.push(self.with_changes(warning, self.changes.pairs.space.and(pairs, within)));
        }
    }

    fn with_changes(&self, diagnostic: Diagnostic, pairs: ModeSet) -> Diagnostic {
        diagnostic.when(self.printer.print(pairs).text).example(self.example(pairs))
    }

    fn example(&self, pairs: ModeSet) -> String {
        let space = &self.changes.pairs.space;
        let possible = space.and(pairs, self.changes.pairs.invariant.concerning(space, pairs));
        let values = space.pick(possible).unwrap_or_default();
        let text = |(variable, value): &(ModeVariable, bool)| format!("{} = {value}", self.names[variable.index()]);
        let mut texts: Vec<String> = values.iter().take(MOST_EXAMPLE_VALUES).map(text).collect();
        if values.len() > MOST_EXAMPLE_VALUES {
            texts.push(format!("and {} more", values.len() - MOST_EXAMPLE_VALUES));
        }
        texts.join(", ")
    }
}

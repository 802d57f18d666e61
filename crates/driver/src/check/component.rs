//! `check` and `analyze` of a component: a model with connectors of its own, which nothing is connected to, is meant to be used by others.
//! As a model that is to run it is singular, since nothing can flow; that is no news to whoever writes it. It is judged among
//! surroundings instead, of which only the structure is known.

use modeshift_dae::{EquationId, FlatModel, Node, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Kind, Severity, Stage, Stop};
use modeshift_elaborate::elaborate;
use modeshift_flatten::{Joined, Surroundings, flatten_component};
use modeshift_report::Analyzed;
use modeshift_report::check::{Verdict, check_clauses, note_implicit_guards, verdict_of};
use modeshift_structure::Dependence;

use crate::check::CheckOptions;
use crate::pipeline::{Found, Run};
use crate::repairs::propose_for_structure;

impl Run<'_> {
    /// The verdict on a component, in the place of one on a model that is to run, where its structure is all that is wrong with it.
    pub(crate) fn checked_as_component(&mut self, options: CheckOptions) -> Option<Verdict> {
        self.as_component(options.every_finding, |run| run.best_among_surroundings(Run::judged_among))
    }

    /// The structure of a component, in the place of that of a model that is to run, where it is all that is wrong with it.
    pub(crate) fn analyzed_as_component(&mut self, at: Option<&str>) -> Option<Analyzed> {
        self.as_component(false, |run| run.best_among_surroundings(|run, it| run.structure_among(it, at)))
    }

    /// What is found of a component among surroundings, and said of it instead of what was said.
    fn as_component<T>(
        &mut self,
        every_finding: bool,
        find: impl FnOnce(&mut Self) -> Result<Option<T>, Stop>,
    ) -> Option<T> {
        if !is_wrong_by_structure_alone(&self.diagnostics) {
            return None;
        }
        let fresh = if every_finding { Diagnostics::keeping_all() } else { Diagnostics::new() };
        let said = std::mem::replace(&mut self.diagnostics, fresh);
        // What is found before the structure is found of the equations that are written.
        said.iter()
            .filter(|it| it.code.stage() < Stage::Structure && !is_of_structure(it))
            .for_each(|it| self.diagnostics.push(it.clone()));
        let found = find(self).ok().flatten();
        if found.is_none() {
            self.diagnostics = said;
        }
        found
    }

    /// What is found among those surroundings in which least is wrong: what some surroundings mend is no fault of the component.
    fn best_among_surroundings<T>(
        &mut self,
        find: impl Fn(&mut Self, Surroundings) -> Result<Option<T>, Stop>,
    ) -> Result<Option<T>, Stop> {
        let before = self.diagnostics.clone();
        let mut best: Option<((usize, usize), T, Diagnostics)> = None;
        for surroundings in [Surroundings::Resistive, Surroundings::Inert] {
            self.diagnostics = before.clone();
            let Some(found) = find(self, surroundings)? else { return Ok(None) };
            let said = std::mem::take(&mut self.diagnostics);
            let faults = faults(&said);
            if best.as_ref().is_none_or(|(least, ..)| faults < *least) {
                best = Some((faults, found, said));
            }
            if faults == (0, 0) {
                break;
            }
        }
        Ok(best.map(|(_, found, said)| {
            self.diagnostics = said;
            found
        }))
    }

    fn structure_among(&mut self, surroundings: Surroundings, at: Option<&str>) -> Result<Option<Analyzed>, Stop> {
        let request = self.request();
        let (flat, joined) = flatten_component(&mut self.library, &request, surroundings, &mut Diagnostics::new())?;
        if joined.is_empty() {
            return Ok(None);
        }
        self.diagnostics.push(note_component(&flat.name, &joined));
        let dae = elaborate(flat, &mut Diagnostics::new())?;
        let within = self.within(&dae, "--at", at)?;
        let Found::Sets(mut analyzed) = self.analyzed_or_swept(dae, within)? else { return Ok(None) };
        self.leave_to_surroundings(&joined, &mut analyzed);
        self.check_structure(&analyzed);
        Ok(Some(*analyzed))
    }

    fn judged_among(&mut self, surroundings: Surroundings) -> Result<Option<Verdict>, Stop> {
        let Some(analyzed) = self.structure_among(surroundings, None)? else { return Ok(None) };
        if self.diagnostics.has_errors() {
            propose_for_structure(self, &analyzed);
        }
        check_clauses(&analyzed, &mut self.diagnostics);
        note_implicit_guards(&analyzed.dae, &mut self.diagnostics);
        Ok(Some(verdict_of(&analyzed)))
    }
}

impl Run<'_> {
    /// Where numbers cancel, those of the surroundings and of parameters without a value may do it; what cancels inside, whatever these
    /// are, stays.
    fn leave_to_surroundings(&self, joined: &[Joined], analyzed: &mut Analyzed) {
        let without_value = |name: &str| {
            self.diagnostics
                .iter()
                .any(|it| matches!(&it.kind, Some(Kind::WithoutValue(parameter)) if parameter == name))
        };
        let model = &analyzed.dae.model;
        let is_left = |id: EquationId| {
            let is_of_surroundings = joined.iter().any(|it| it.span == model.equations[id].span);
            is_of_surroundings || mentions(model, id, |it| without_value(&model.variables[it].name))
        };
        let is_own = |it: &Dependence| !it.equations.iter().any(|(id, _)| is_left(id.of));
        let own: Vec<bool> = analyzed.dependences.iter().map(is_own).collect();
        let mut own = own.into_iter();
        analyzed.dependences.retain(|_| own.next().unwrap_or(false));
    }
}

/// Whether an equation has a variable of a kind.
fn mentions(model: &FlatModel, equation: EquationId, is_meant: impl Fn(VariableId) -> bool) -> bool {
    let equation = &model.equations[equation];
    [equation.left, equation.right]
        .iter()
        .any(|side| model.expressions.contains(*side, |node| matches!(node, Node::Variable(id, _) if is_meant(id))))
}

/// Errors, and warnings about modes.
fn faults(diagnostics: &Diagnostics) -> (usize, usize) {
    let of_structure = |severity: Severity| {
        diagnostics.iter().filter(|it| it.severity == severity && it.code.stage() == Stage::Structure).count()
    };
    (of_structure(Severity::Error), of_structure(Severity::Warning))
}

fn is_wrong_by_structure_alone(diagnostics: &Diagnostics) -> bool {
    let mut errors = diagnostics.iter().filter(|it| it.severity == Severity::Error).peekable();
    errors.peek().is_some() && errors.all(is_of_structure)
}

/// Whether the structure says it, of some modes at least.
fn is_of_structure(it: &Diagnostic) -> bool {
    match it.code {
        Code::E0603 => false,
        Code::E0502 => it.when.is_some(),
        code => code.stage() == Stage::Structure,
    }
}

/// What is looked at, and what is not.
fn note_component(name: &str, joined: &[Joined]) -> Diagnostic {
    let message = format!("`{name}` is checked as a component of others: something is connected to its own connectors");
    let labelled = joined.iter().fold(Diagnostic::note(Code::N0604, message), |note, connector| {
        note.label(connector.span, format!("`{}`", connector.name))
    });
    labelled.with_note("its start and its mode changes depend on what that is, and are not looked at")
}

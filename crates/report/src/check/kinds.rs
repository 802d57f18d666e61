//! Singular modes by their kinds, as diagnostics: harmless and impossible ones are warnings, wrong ones errors.
//!
//! Each says in which modes, what is not determined there, and which combination of equations shows it.

use modeshift_dae::{DaeText, EquationId, ExpressionId, MultimodeDae, Node, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Span};
use modeshift_drawing::shortened;
use modeshift_modes::ModeSet;
use modeshift_structure::{Analysis, Proof, Reason, SingularKind, Singularities, Singularity};
use rustc_hash::FxHashMap;

use super::causes::said_twice;
use crate::wording::{Names, SetTexts, listed};

/// Combinations of one diagnostic.
const MOST_PROOFS: usize = 3;
/// Equations of one combination.
const MOST_TERMS: usize = 12;
/// Longer expressions are cut.
const LONGEST_EXPRESSION: usize = 100;
/// A formula up to this length stands in the title.
const SHORT_FORMULA: usize = 60;

/// Puts kinds into words.
pub(super) struct KindWords<'a> {
    pub(super) dae: &'a MultimodeDae,
    pub(super) analysis: &'a Analysis,
    pub(super) texts: &'a SetTexts<'a>,
    pub(super) names: &'a Names<'a>,
}

impl KindWords<'_> {
    /// What there is to say of a place; nothing where the structure says it better.
    pub(super) fn diagnostic(&self, place: &Singularity) -> Option<Diagnostic> {
        let when = self.when(place.modes);
        let open = self.open(place);
        let wrong = place.kind == SingularKind::Wrong;
        let diagnostic = match place.reason {
            Reason::Structure(_) => return None,
            Reason::Redundant => {
                let are = if place.undetermined.len() == 1 { "is" } else { "are" };
                self.warning(Code::W0603, place, format!("{open} {are} not determined {when}; the states are"))
            }
            Reason::AllModes => {
                let message = format!("{open}: in no mode that a run can enter is all of this determined");
                self.error(Code::E0601, place, message)
                    .help("give it a reference, such as a ground, that does not depend on the mode")
            }
            Reason::Contradiction if wrong && place.modes.is_all() => {
                self.error(Code::E0601, place, format!("equations contradict each other {when}"))
            }
            Reason::Contradiction if wrong => self.error(Code::E0605, place, scheduled(&when)).help(SCHEDULE_HELP),
            Reason::Overdetermined if wrong => self.error(Code::E0605, place, scheduled(&when)).help(SCHEDULE_HELP),
            Reason::Contradiction => {
                self.warning(Code::W0604, place, format!("equations contradict each other {when}; no run enters"))
            }
            Reason::Overdetermined => {
                let message = format!("too many conditions {when}, while {open} {OPEN}; no run enters");
                self.warning(Code::W0604, place, message)
            }
            Reason::DrivesState => {
                let message = format!("a derivative of a state depends on something undetermined {when}");
                self.error(Code::E0604, place, message)
                    .help("give what floats a reference, or make the equations of its state independent of it")
            }
        };
        let diagnostic = self.with_twice(self.with_proofs(diagnostic, place), place);
        Some(self.with_modes(diagnostic, place.modes))
    }

    fn error(&self, code: Code, place: &Singularity, message: String) -> Diagnostic {
        self.with_place(Diagnostic::error(code, message), place)
    }

    fn warning(&self, code: Code, place: &Singularity, message: String) -> Diagnostic {
        self.with_place(Diagnostic::warning(code, message), place)
    }

    fn with_place(&self, diagnostic: Diagnostic, place: &Singularity) -> Diagnostic {
        let model = &self.dae.model;
        let proven = place.proofs.iter().flat_map(|proof| &proof.equations).map(|(id, _)| *id);
        match (proven.chain(place.equations.iter().copied()).find(|id| place.equations.contains(id)), place.kind) {
            (Some(id), _) => diagnostic.label(model.equations[id].span, format!("`{}`", model.equations[id].name)),
            (None, _) => diagnostic,
        }
    }

    /// Names two equations that say the same, where that is all that is wrong.
    fn with_twice(&self, diagnostic: Diagnostic, place: &Singularity) -> Diagnostic {
        let model = &self.dae.model;
        let of_proof = |proof: &Proof| proof.equations.iter().map(|(id, _)| *id).collect::<Vec<EquationId>>();
        let [proof] = place.proofs.as_slice() else { return diagnostic };
        let Some([one, other]) = said_twice(model, &of_proof(proof)).filter(|_| place.kind == SingularKind::Wrong)
        else {
            return diagnostic;
        };
        let name = |id: EquationId| self.names.equation(id);
        let help = format!("`{}` says the same as `{}`: let one of them say something else", name(other), name(one));
        let missing = [one, other].into_iter().filter(|id| {
            let span = model.equations[*id].span;
            diagnostic.labels.iter().all(|label| label.span != span)
        });
        let missing: Vec<EquationId> = missing.collect();
        missing
            .into_iter()
            .fold(diagnostic.help(help), |it, id| it.label(model.equations[id].span, format!("`{}`", name(id))))
    }

    fn with_modes(&self, diagnostic: Diagnostic, modes: ModeSet) -> Diagnostic {
        match self.texts.text(modes) {
            all if all == "true" => diagnostic,
            formula => diagnostic.when(formula).example(self.texts.example(modes)),
        }
    }

    fn with_proofs(&self, mut diagnostic: Diagnostic, place: &Singularity) -> Diagnostic {
        let several = place.proofs.len() > 1;
        for proof in place.proofs.iter().take(MOST_PROOFS) {
            diagnostic = diagnostic.with_note(self.proof(proof, several));
        }
        match place.proofs.len().checked_sub(MOST_PROOFS) {
            None | Some(0) => diagnostic,
            Some(more) => diagnostic.with_note(format!("and {more} more such combinations")),
        }
    }

    /// `` when `a and b`: `e1` - `e2` imposes 0 = V1 - V2 ``
    fn proof(&self, proof: &Proof, with_modes: bool) -> String {
        let when = if with_modes { format!("{}: ", self.when(proof.modes)) } else { String::new() };
        let combination = self.combination(proof);
        match proof.contradiction {
            Some(left) => format!("{when}{combination} imposes 0 = {}", self.expression(left)),
            None => format!("{when}{combination} is 0 = 0: one of these equations is redundant"),
        }
    }

    /// `e1 + e2 - 2 e3`, so that the first weight is 1 or all are whole.
    fn combination(&self, proof: &Proof) -> String {
        let smallest = proof.equations.iter().map(|(_, weight)| weight.abs()).fold(f64::INFINITY, f64::min);
        let sign = proof.equations.first().map_or(1.0, |(_, weight)| weight.signum());
        let mut text = String::new();
        for (position, (id, weight)) in proof.equations.iter().take(MOST_TERMS).enumerate() {
            let weight = rounded(sign * weight / smallest);
            text.push_str(match (position, weight < 0.0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            });
            if weight.abs() != 1.0 {
                text.push_str(&format!("{} ", weight.abs()));
            }
            text.push_str(self.names.equation(*id));
        }
        if proof.equations.len() > MOST_TERMS {
            text.push_str(&format!(" and {} more", proof.equations.len() - MOST_TERMS));
        }
        text
    }

    fn expression(&self, expression: ExpressionId) -> String {
        shortened(&DaeText::new(self.dae).expression(expression).to_string(), LONGEST_EXPRESSION)
    }

    fn when(&self, modes: ModeSet) -> String {
        match self.texts.text(modes) {
            all if all == "true" => "in all modes".to_string(),
            formula if formula.chars().count() <= SHORT_FORMULA => format!("when `{formula}`"),
            _ => "in some modes".to_string(),
        }
    }

    fn open(&self, place: &Singularity) -> String {
        match place.undetermined.is_empty() {
            true => "nothing".to_string(),
            false => listed(place.undetermined.iter().map(|(id, _)| self.names.variable(*id))),
        }
    }

    /// Conditions that remember what is not determined: what follows from that is not determined either.
    pub(super) fn memories(&self, singularities: &Singularities, diagnostics: &mut Diagnostics) {
        let mut open: FxHashMap<VariableId, ModeSet> = FxHashMap::default();
        for place in singularities.places.iter().filter(|place| place.kind == SingularKind::Harmless) {
            for &(variable, modes) in &place.undetermined {
                let known = open.entry(variable).or_insert(ModeSet::EMPTY);
                *known = self.analysis.space.or(*known, modes);
            }
        }
        let reads = |condition: ExpressionId| self.first_read(condition, &open);
        let remembering = self.dae.mode_variables.iter().filter_map(|mode| {
            let definition = mode.definition.filter(|&it| self.remembers(it))?;
            Some((mode.name.to_string(), mode.span, reads(definition)?))
        });
        let branches = self.dae.model.when_clauses.iter().flat_map(|clause| &clause.branches);
        let firing = branches.filter_map(|branch| {
            let read = branch.conditions.iter().find_map(|&condition| reads(condition))?;
            let text = DaeText::new(self.dae).expression(branch.conditions[0]).to_string();
            Some((format!("when {}", shortened(&text, SHORT_FORMULA)), branch.span, read))
        });
        let found: Vec<(String, Span, VariableId)> = remembering.chain(firing).collect();
        let Some((_, span, read)) = found.first() else { return };
        let conditions = listed(found.iter().map(|(name, ..)| name.as_str()));
        let message = format!("{conditions}: remembered, and read from what some modes leave undetermined");
        let read_name = self.names.variable(*read);
        let warning = Diagnostic::warning(Code::W0606, message)
            .label(*span, format!("reads `{read_name}`"))
            .with_note("where such a condition is not determined, a run keeps its value");
        diagnostics.push(warning);
    }

    /// Whether an expression has a left limit in it.
    fn remembers(&self, condition: ExpressionId) -> bool {
        self.dae.model.expressions.contains(condition, |node| matches!(node, Node::Pre(_)))
    }

    /// The first variable that an expression reads at the current instant and that is not determined somewhere.
    fn first_read(&self, condition: ExpressionId, open: &FxHashMap<VariableId, ModeSet>) -> Option<VariableId> {
        let mut found = None;
        self.dae.model.expressions.for_each(condition, |_, node| {
            if let (Node::Variable(variable, _), None) = (node, found)
                && open.contains_key(&variable)
            {
                found = Some(variable);
            }
            found.is_none() && !matches!(node, Node::Pre(_))
        });
        found
    }
}

const OPEN: &str = "stays open";
const SCHEDULE_HELP: &str =
    "no element's own guard keeps a run out: change the schedule, or exclude these modes by an assertion";

fn scheduled(when: &str) -> String {
    format!("a schedule alone leads into equations that contradict each other, {when}")
}

/// Weights such as 0.9999999999999998 come from rounding in the elimination.
fn rounded(weight: f64) -> f64 {
    let nearest = weight.round();
    if (weight - nearest).abs() <= 1e-9 * weight.abs().max(1.0) { nearest } else { (weight * 1e6).round() / 1e6 }
}

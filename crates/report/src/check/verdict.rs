//! What `check` prints: one line for people, JSON for programs.

use modeshift_dae::MultimodeDae;
use modeshift_diagnostics::{Diagnostic, Diagnostics, SourceMap};
use modeshift_structure::long_range::LongRange;
use serde_json::Value;

use crate::Analyzed;
use crate::analyze::mode_count_text;
use crate::json::{Json, Version};
use crate::place::Place;
use crate::singular::singular_modes;
use crate::wording::counted;

crate::report! {
    /// A place and what it has to do with the matter.
    pub struct LabelReport {
        /// The place; nothing where it is no place in particular.
        place: Option<Place> => always "span",
        /// What is to be seen there.
        text: String => always "text",
    }

    /// A piece of text to be replaced, so that the model is right; tested by doing so.
    pub struct EditReport {
        /// What is replaced; nothing of it where something is inserted.
        place: Option<Place> => always "span",
        /// What stands there then.
        text: String => always "text",
    }

    /// An error, a warning or a note.
    pub struct DiagnosticReport {
        /// Its code, which `docs/errors.md` explains.
        code: &'static str => always "code",
        /// `error`, `warning` or `note`.
        severity: &'static str => always "severity",
        /// One line in the terms of the user's model.
        message: String => always "message",
        /// The modes concerned, as a formula; nothing where modes do not matter.
        when: Option<String> => always "when",
        /// One valuation of the mode variables that shows it.
        example: Option<String> => always "example",
        /// Places, the primary one first.
        labels: Vec<LabelReport> => always "labels",
        /// Further lines of explanation.
        notes: Vec<String> => always "notes",
        /// What to try.
        help: Option<String> => always "help",
        /// What the edits do, in words.
        fix: Option<String> => optional "fix",
        /// Edits of the file that make the model right, tested by making them; those of all diagnostics belong together.
        edits: Vec<EditReport> => always "edits",
    }

    /// How many more diagnostics of a code there were.
    pub struct NotShown {
        /// The code.
        code: &'static str => always "code",
        /// How many.
        count: usize => always "count",
    }

    /// Everything that is wrong with a model.
    pub struct CheckReport {
        /// The version of the format.
        version: Version => always "version",
        /// The class that was checked, as far as it is known.
        model: Option<String> => always "model",
        /// Whether nothing is wrong.
        ok: bool => always "ok",
        /// Errors, warnings and notes, in the order in which they were found.
        diagnostics: Vec<DiagnosticReport> => always "diagnostics",
        /// How many more there were of which code.
        not_shown: Vec<NotShown> => optional "not_shown",
        /// The numbers of the model, where it could be analyzed.
        verdict: Option<Verdict> => hidden,
        /// The name that stands in the text where the class is not known.
        asked_for: String => hidden,
    }
}

/// The numbers of a model that `check` prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The class that was checked.
    pub model: String,
    /// How many modes there are, in decimal.
    pub mode_count: String,
    /// How many continuous equations there are, in all modes together.
    pub equations: usize,
    /// How many continuous unknowns there are, in all modes together.
    pub variables: usize,
    /// Whether every mode is regular.
    pub regular: bool,
}

/// The numbers of an analyzed model.
pub fn verdict_of(analyzed: &Analyzed) -> Verdict {
    let Analyzed { dae, analysis, singularities, .. } = analyzed;
    Verdict {
        model: dae.model.name.to_string(),
        mode_count: analysis.invariant.mode_count(&analysis.space).to_string(),
        equations: analysis.incidence.equations().iter().filter(|it| !it.guard.is_empty()).count(),
        variables: analysis.incidence.variables().iter().filter(|it| !it.guard.is_empty()).count(),
        regular: singular_modes(dae, analysis, singularities).is_empty(),
    }
}

/// The numbers of a model that was swept over.
pub fn verdict_of_swept(dae: &MultimodeDae, found: &LongRange) -> Verdict {
    let LongRange { incidence, invariant, given, .. } = found;
    Verdict {
        model: dae.model.name.to_string(),
        mode_count: invariant.mode_count(given).to_string(),
        equations: incidence.equations().iter().filter(|it| !it.guard.is_empty()).count(),
        variables: incidence.variables().iter().filter(|it| !it.guard.is_empty()).count(),
        regular: found.is_regular(),
    }
}

impl CheckReport {
    /// Puts the verdict together; the class that was asked for, else the file, names the model where nothing else does.
    pub fn new(
        verdict: Option<Verdict>,
        asked_for: (Option<&str>, &str),
        diagnostics: &Diagnostics,
        sources: &SourceMap,
    ) -> CheckReport {
        let suppressed = diagnostics.suppressed().iter();
        let (class, file) = asked_for;
        CheckReport {
            version: Version,
            model: verdict.as_ref().map(|verdict| verdict.model.clone()).or(class.map(str::to_string)),
            ok: verdict.is_some() && !diagnostics.has_errors(),
            diagnostics: diagnostics.iter().map(|diagnostic| DiagnosticReport::new(diagnostic, sources)).collect(),
            not_shown: suppressed.map(|&(code, count)| NotShown { code: code.as_str(), count }).collect(),
            verdict,
            asked_for: class.unwrap_or(file).to_string(),
        }
    }

    /// One line.
    pub fn text(&self) -> String {
        let errors = self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == "error").count();
        let more = if self.not_shown.is_empty() { "" } else { " and more" };
        let errors_text = if errors == 1 { format!("1 error{more}") } else { format!("{errors} errors{more}") };
        match &self.verdict {
            Some(verdict) if errors == 0 => {
                let modes = mode_count_text(&verdict.mode_count);
                let regular = match (verdict.regular, verdict.mode_count.as_str()) {
                    (true, "1") => "regular",
                    (true, _) => "all of them regular",
                    (false, _) => "some of them singular",
                };
                let Verdict { model, equations, variables, .. } = verdict;
                let equations = counted(*equations, "guarded equation");
                format!("{model}: all well; {modes}, {regular}; {equations}, {}\n", counted(*variables, "unknown"))
            }
            Some(verdict) => format!("{}: {errors_text}\n", verdict.model),
            None => format!("{}: {errors_text}\n", self.asked_for),
        }
    }

    /// For programs.
    pub fn json(&self) -> Value {
        Json::json(self)
    }
}

impl DiagnosticReport {
    /// A diagnostic with its places as people write them.
    pub fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> DiagnosticReport {
        let labels = diagnostic.labels.iter();
        let labels = labels.map(|it| LabelReport { place: Place::of(it.span, sources), text: it.text.clone() });
        let edits = diagnostic.repair.iter().flat_map(|repair| &repair.edits);
        DiagnosticReport {
            code: diagnostic.code.as_str(),
            severity: diagnostic.severity.word(),
            message: diagnostic.message.clone(),
            when: diagnostic.when.clone(),
            example: diagnostic.example.clone(),
            labels: labels.collect(),
            notes: diagnostic.notes.clone(),
            help: diagnostic.help.clone(),
            fix: diagnostic.repair.as_ref().map(|repair| repair.title.clone()),
            edits: edits.map(|it| EditReport { place: Place::of(it.span, sources), text: it.text.clone() }).collect(),
        }
    }
}

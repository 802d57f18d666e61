//! What is wrong, where, in which modes, and what to try next.

use crate::{Code, Repair, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing, nothing to do.
    Note,
    /// The model runs, but perhaps not as meant.
    Warning,
    /// The model is wrong or cannot be run.
    Error,
}

impl Severity {
    /// The word that users read.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A place in the source and what it has to do with the matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is to be seen there; may be empty for the primary label.
    pub text: String,
}

/// What later stages go by where a diagnostic is theirs to look at: its words are for readers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The default of its type stands in for the parameter of this name.
    WithoutValue(String),
    /// Nothing gives these inputs of components a value.
    InputsWithoutValue(Vec<String>),
    /// Ideal sources, or closed switches, say too much together; what they leave open is no reference that is missing.
    SourcesTogether,
}

/// One message to the user. Built in the manner of `Diagnostic::error(Code::E0201, "…").label(span, "…").help("…")`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its code in the register.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// One line in the terms of the user's model.
    pub message: String,
    /// The modes concerned, as a formula; `None` where modes do not matter.
    pub when: Option<String>,
    /// One valuation of the mode variables that shows it.
    pub example: Option<String>,
    /// The primary place first.
    pub labels: Vec<Label>,
    /// Further lines of explanation.
    pub notes: Vec<String>,
    /// What to try.
    pub help: Option<String>,
    /// The edit that makes it right, applied and tested.
    pub repair: Option<Repair>,
    /// Edits that may make it right, the likeliest first, none of them tested.
    pub candidates: Vec<Repair>,
    /// What it is about, for later stages.
    pub kind: Option<Kind>,
}

impl Diagnostic {
    fn new(severity: Severity, code: Code, message: impl Into<String>) -> Self {
        assert_eq!(code.severity(), severity, "{code} is said with another severity than its letter");
        Diagnostic {
            code,
            severity,
            message: message.into(),
            when: None,
            example: None,
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
            repair: None,
            candidates: Vec::new(),
            kind: None,
        }
    }

    /// An error.
    pub fn error(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code.into(), message)
    }

    /// A warning.
    pub fn warning(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code.into(), message)
    }

    /// A note.
    pub fn note(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code.into(), message)
    }

    /// Adds a place; the first one added is the primary one.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Says in which modes.
    pub fn when(mut self, modes: impl Into<String>) -> Self {
        self.when = Some(modes.into());
        self
    }

    /// Gives one mode as an example.
    pub fn example(mut self, mode: impl Into<String>) -> Self {
        self.example = Some(mode.into());
        self
    }

    /// Adds a line of explanation.
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says what to try.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says to later stages what it is about.
    pub fn of_kind(mut self, kind: Kind) -> Self {
        self.kind = Some(kind);
        self
    }

    /// Adds an edit that may make it right; whether it does is for others to test.
    pub fn candidate(mut self, repair: Repair) -> Self {
        self.candidates.push(repair);
        self
    }
}

/// Everything there is to say about one run, in the order it was found.
///
/// Beyond a limit, errors of the same code are counted and no longer kept, so that a mistake in a loop
/// over 10^5 elements does not fill the screen.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    suppressed: Vec<(Code, usize)>,
    /// Whether nothing is left out.
    keeps_all: bool,
}

/// How many diagnostics of one code are kept.
const KEPT_PER_CODE: usize = 20;

impl Diagnostics {
    /// Nothing said yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing said yet, and nothing will be left out.
    pub fn keeping_all() -> Self {
        Diagnostics { keeps_all: true, ..Self::default() }
    }

    /// Says one more thing; the same thing about the same place is said once.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let same_code = self.list.iter().filter(|other| other.code == diagnostic.code).count();
        if same_code >= KEPT_PER_CODE && !self.keeps_all {
            match self.suppressed.iter_mut().find(|(code, _)| *code == diagnostic.code) {
                Some((_, count)) => *count += 1,
                None => self.suppressed.push((diagnostic.code, 1)),
            }
        } else if !self.list.contains(&diagnostic) {
            self.list.push(diagnostic);
        }
    }

    /// What was said and kept, to be completed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Diagnostic> {
        self.list.iter_mut()
    }

    /// Takes out what no longer matters, since something else is its cause.
    pub fn retain(&mut self, matters: impl FnMut(&Diagnostic) -> bool) {
        self.list.retain(matters);
    }

    /// What was said and kept.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// How many more there were of which code.
    pub fn suppressed(&self) -> &[(Code, usize)] {
        &self.suppressed
    }

    /// Whether anything is an error.
    pub fn has_errors(&self) -> bool {
        self.error_count() > 0
    }

    /// The number of errors that were kept.
    pub fn error_count(&self) -> usize {
        self.list.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
    }

    /// The number of diagnostics that were kept.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Appends what another stage had to say.
    pub fn extend(&mut self, other: Diagnostics) {
        for diagnostic in other.list {
            self.push(diagnostic);
        }
        for (code, count) in other.suppressed {
            match self.suppressed.iter_mut().find(|(known, _)| *known == code) {
                Some((_, total)) => *total += count,
                None => self.suppressed.push((code, count)),
            }
        }
    }
}

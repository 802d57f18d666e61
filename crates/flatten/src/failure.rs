//! Why an expression could not be translated: an error of the model, or a value that is known only at run time.

use modeshift_diagnostics::{Code, Diagnostic, Span};

/// What went wrong.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The model is wrong.
    Wrong(Box<Diagnostic>),
    /// A value was asked for that is not known at translation; what to say where it has to be.
    Dynamic(Box<Diagnostic>),
    /// Something that has been reported already.
    Reported,
}

/// A result or why there is none.
pub(crate) type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// What to tell the user.
    pub(crate) fn into_diagnostic(self) -> Option<Box<Diagnostic>> {
        match self {
            Failure::Wrong(diagnostic) | Failure::Dynamic(diagnostic) => Some(diagnostic),
            Failure::Reported => None,
        }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Wrong(Box::new(diagnostic))
    }
}

/// An error with one place.
pub(crate) fn wrong<T>(code: Code, message: impl Into<String>, span: Span) -> Outcome<T> {
    Err(Failure::Wrong(Box::new(Diagnostic::error(code, message).label(span, ""))))
}

/// A construct that is legal but not supported here, named.
pub(crate) fn unsupported<T>(construct: impl std::fmt::Display, span: Span) -> Outcome<T> {
    wrong(Code::E0290, format!("unsupported construct: {construct}"), span)
}

/// A value that is not known at translation.
pub(crate) fn dynamic<T>(message: impl Into<String>, span: Span) -> Outcome<T> {
    Err(Failure::Dynamic(Box::new(Diagnostic::error(Code::E0301, message).label(span, ""))))
}

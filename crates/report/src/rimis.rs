//! The report of `rimis`: the transformed model.

/// An equivalent model whose structure does not depend on modes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RimisReport {
    /// Its Modelica text.
    pub source: String,
}

impl RimisReport {
    /// The model.
    pub fn text(&self) -> &str {
        &self.source
    }
}

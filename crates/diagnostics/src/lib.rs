//! Where in the source, what is wrong, in which modes, what to try.
//!
//! Every stage takes a `&mut Diagnostics` and goes on as far as it can; a stage that cannot go on returns
//! [`Stop`], with the reasons already said. Codes by stage: `E00xx` files and usage, `E01xx` syntax,
//! `E02xx` names and instances, `E03xx` types, sizes and evaluation, `E04xx` connections, `E05xx` modes,
//! `E06xx` structure, `E07xx` initialization, `E08xx` mode changes, `E09xx` simulation; warnings alike with `W`,
//! notes with `N`.

mod diagnostic;
mod render;
mod span;
mod suggestion;

pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use render::{render, render_all};
pub use span::{FileId, LineColumn, SourceFile, SourceMap, Span};
pub use suggestion::did_you_mean;

/// A stage could not produce its result; the diagnostics say why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop;

//! Where in the source, what is wrong, in which modes, what to try.
//!
//! Every stage takes a `&mut Diagnostics` and goes on as far as it can; a stage that cannot go on returns
//! [`Stop`], with the reasons already said.
//!
//! | module | purpose |
//! |---|---|
//! | `codes` | the register of all codes with stage, exit status and meaning |
//! | `diagnostic` | one message, and all that were said |
//! | `pages` | what each code means, as the program carries it |
//! | `render` | messages as text, in the manner of rustc |
//! | `repair` | edits that repair a model |
//! | `span` | places in the source |
//! | `suggestion` | did you mean |

mod codes;
mod diagnostic;
mod pages;
mod render;
mod repair;
mod span;
mod suggestion;

pub use codes::{Code, ExitStatus, Stage, register_page};
pub use diagnostic::{Diagnostic, Diagnostics, Kind, Label, Severity};
pub use render::{render, render_all};
pub use repair::{Edit, Repair};
pub use span::{FileId, LineColumn, SourceFile, SourceMap, Span};
pub use suggestion::{did_you_mean, nearest_names};

/// A stage could not produce its result; the diagnostics say why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop;

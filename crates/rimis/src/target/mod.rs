//! The target: the model that is written, and its text.
//!
//! | file | purpose |
//! |---|---|
//! | `model` | [`Target`]: variables of the source under legal names, new ones, one arena |
//! | `names` | names that Modelica accepts, each given once |
//! | `document` | [`Document`]: declarations and equations in sections, before they are text |
//! | `remarks` | what a reader should know before the declarations |
//! | `shared_parts` | long expressions in parts |
//! | `print` | the document as Modelica text |

mod document;
mod model;
mod names;
mod print;
mod remarks;
mod shared_parts;

pub(crate) use document::{Action, Branch, Declarations, Document, Item, Section};
pub(crate) use model::Target;
pub(crate) use names::{model_name, unquoted};
pub(crate) use print::print;
pub(crate) use remarks::Remarks;
pub(crate) use shared_parts::share_parts;

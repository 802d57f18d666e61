//! The language server: what an editor asks about Modelica and MEL, over standard input and output.
//!
//! Names, completion, outline and layout are answered from the text alone, at once and on broken text; verdicts and what
//! only an analysis knows come from a worker, a process of its own (see [`worker`]).
//!
//! | module | purpose |
//! |---|---|
//! | [`documents`] | an open document: text, tree, facts |
//! | [`facts`] | what the analysis knows and a reader wants to see beside the text |
//! | [`features`] | one file per kind of request |
//! | [`names`] | what names mean, by the declarations alone |
//! | [`rpc`] | messages and their frames |
//! | [`search`] | a search through many files, piece by piece |
//! | [`server`] | the loop: messages in, answers out |
//! | [`text`] | places in a text, and how they move |
//! | [`worker`] | the analysis, in a process of its own |

pub mod documents;
pub mod facts;
pub mod features;
pub mod names;
pub mod rpc;
pub mod search;
pub mod server;
pub mod text;
pub mod worker;

//! The class tree and what is known of a class before it has instances.
//!
//! | file | purpose |
//! |---|---|
//! | [`files`] | where texts come from: the disk, or memory in tests |
//! | [`library`] | the tree of classes, read when first asked for |
//! | [`packages`] | packages as files and directories: where a class is, what lies around a file |
//! | [`candidates`] | which class may be meant where none is named, or a wrong one |
//! | [`builtin_library`] | what is known of `Modelica` without a library |
//! | [`layout`] | the elements of a class with everything it inherits |
//! | [`lookup`] | which element or class a name means at a place |
//! | [`annotations`] | what annotations say that matters for the meaning |

pub(crate) mod annotations;
pub(crate) mod builtin_library;
pub(crate) mod candidates;
pub(crate) mod files;
pub(crate) mod layout;
pub(crate) mod library;
pub(crate) mod lookup;
pub(crate) mod packages;

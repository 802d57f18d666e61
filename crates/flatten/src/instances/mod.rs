//! From classes to components: the tree of instances, and the variables at its leaves.
//!
//! | file | purpose |
//! |---|---|
//! | [`tree`] | the tree as data: components, variable declarations, their names |
//! | [`expandable`] | elements of expandable connectors that nothing uses |
//! | [`instance`] | each element of the tree made when it is first needed |
//! | [`scopes`] | which component or class a name means in an instance |
//! | [`modification`] | modifiers, each with the place where it was written |
//! | [`overrides`] | values from outside, `--set element[2].R=5` |
//! | [`variables`] | the variables of the flat model and their attributes |

pub(crate) mod expandable;
pub(crate) mod instance;
pub(crate) mod modification;
pub(crate) mod overrides;
pub(crate) mod scopes;
pub(crate) mod tree;
pub(crate) mod variables;

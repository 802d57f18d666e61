//! From classes to components: the tree of instances, and the variables at its leaves.
//!
//! | file | purpose |
//! |---|---|
//! | [`instance`] | the tree of components, each element made when it is first needed |
//! | [`modification`] | modifiers, each with the place where it was written |
//! | [`overrides`] | values from outside, `--set element[2].R=5` |
//! | [`variables`] | the variables of the flat model and their attributes |

pub(crate) mod instance;
pub(crate) mod modification;
pub(crate) mod overrides;
pub(crate) mod variables;

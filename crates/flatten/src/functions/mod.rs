//! Functions that stay calls: those whose loops, branches or subscripts are decided at run time, and external ones.
//!
//! | file | purpose |
//! |---|---|
//! | [`calls`] | a call that stays a call: arguments and results as scalars |
//! | [`effects`] | calls of functions without outputs |
//! | [`kept`] | one function of the flat model for each shape of arguments, with its derivatives |
//! | [`bodies`] | bodies of functions and of algorithm sections, over slots |
//! | [`lowering`] | statements as statements over slots |
//! | [`slots`] | the variables of a body, assignments, computed elements |
//! | [`transfer`] | from the arena of the model into that of a body |
//! | [`external`] | external objects, and external functions whose values are known at translation |

pub(crate) mod bodies;
pub(crate) mod calls;
pub(crate) mod effects;
pub(crate) mod external;
pub(crate) mod kept;
pub(crate) mod lowering;
pub(crate) mod slots;
pub(crate) mod transfer;

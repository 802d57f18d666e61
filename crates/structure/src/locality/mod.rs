//! Locality: neighbours in the model are near each other in the order of work, in the decision diagrams and in memory.
//!
//! | file | purpose |
//! |---|---|
//! | `order` | the order of work: breadth-first from one end |
//! | `renumber` | numbers along this order, for the time of an analysis |
//! | `lists` | many short lists, one after the other in memory |
//! | `bits` | sets of numbers as bits |

pub(crate) mod bits;
pub(crate) mod lists;
pub(crate) mod order;
pub(crate) mod renumber;

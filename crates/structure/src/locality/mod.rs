//! Locality: neighbours in the model are near each other in the order of work, in the decision diagrams and in memory.
//!
//! A line of five elements, whose equations were written in any order, as the incidence of equations (rows) with
//! variables (columns):
//!
//! ```text
//!      as written                  along the order of work
//!      u1 u2 u3 u4 u5              u1 u2 u3 u4 u5
//!   e4  .  .  .  x  x           e1  x  .  .  .  .
//!   e1  x  .  .  .  .           e2  x  x  .  .  .
//!   e3  .  x  x  .  .    =>     e3  .  x  x  .  .
//!   e5  .  .  x  x  .           e5  .  .  x  x  .
//!   e2  x  x  .  .  .           e4  .  .  .  x  x
//!
//!   mode variables by first     mode variables by first occurrence: m1 m2 m3 m5 m4;
//!   occurrence: m4 m1 m3 m5 m2  a diagram that speaks of neighbours is a few levels deep
//! ```
//!
//! The same numbers are near in memory: a search that goes from neighbour to neighbour reads what its last step fetched.
//!
//! | file | purpose |
//! |---|---|
//! | `order` | the order of work: breadth-first from one end |
//! | `thresholds` | thresholds on one quantity, the middle one first |
//! | `renumber` | numbers along this order, for the time of an analysis |
//! | `lists` | many short lists, one after the other in memory |
//! | `bits` | sets of numbers as bits |

pub(crate) mod bits;
pub(crate) mod lists;
pub(crate) mod order;
pub(crate) mod renumber;
pub(crate) mod thresholds;

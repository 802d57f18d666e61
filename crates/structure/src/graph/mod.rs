//! Graphs: which equations are solved together, and which blocks wait for which, in all modes at once.
//!
//! | file | purpose |
//! |---|---|
//! | `components` | [`strongly_connected_components`] of a plain graph |
//! | `bipartite` | [`BipartiteMatching`]: plain matchings, and what alternating paths reach |
//! | `cycles` | [`Cycles`]: the modes in which an edge lies on a cycle |
//! | `closure` | reachability between neighbours, by elimination |
//! | `blocks` | equations that are solved together, listed |
//! | `dependency_graph` | [`ConditionalDependencyGraph`]: blocks, what they read and write, and which wait for which |
//! | `sampled_blocks` | blocks of some modes among equations whose blocks are too many to be listed |
//! | `small_blocks` | small blocks among equations whose blocks are too many to be listed |
//! | `text` | a dependency graph in the papers' notation |
//!
//! E22 §6.1, RR9322 §4.6.

pub(crate) mod bipartite;
pub(crate) mod blocks;
mod closure;
mod components;
pub(crate) mod cycles;
pub(crate) mod dependency_graph;
pub(crate) mod sampled_blocks;
pub(crate) mod small_blocks;
mod text;

pub use bipartite::{BipartiteMatching, alternating_reach};
pub use blocks::BlockCap;
pub use components::strongly_connected_components;
pub use cycles::{Cycles, cycles};
pub use dependency_graph::{
    Block, BlockId, ConditionalDependencyGraph, Dependency, Derivative, Read, dependency_graph,
};
pub use text::{GraphText, name};

//! Drawings of directed graphs: a layered layout and an SVG writer, both deterministic.
//!
//! The layout is Sugiyama's: ranks by longest path, crossings reduced by barycentres, coordinates by isotonic
//! regression towards the neighbours. Labels of edges take part in it as vertices of their own, so that no label
//! covers anything.
//!
//! | module | purpose |
//! |---|---|
//! | `coordinates` | where vertices stand in their ranks |
//! | `layout` | the whole layout: vertices, routes of edges, places of labels |
//! | `order` | the order of vertices within a rank |
//! | `ranks` | the rank of each vertex |
//! | `svg` | cards, arrows and a legend as SVG |

mod coordinates;
mod layout;
mod order;
mod ranks;
mod svg;

pub(crate) use layout::Size;
pub(crate) use svg::{COLOURS, FONT_SIZE, OTHER_COLOUR, open_svg};
pub use svg::{Card, Drawing, Emphasis, Line, Link, draw};

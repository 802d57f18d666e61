//! Pictures: shapes, colours and text, written as SVG or PNG.
//!
//! | file | purpose |
//! |---|---|
//! | `shapes` | lines, filled shapes and text in pixels from the upper left corner |
//! | `text` | how wide texts are, and how to make them fit |
//! | [`svg`] | pictures as SVG, and its primitives for who writes more than these shapes |
//! | `png` | pictures as PNG; the only file that knows a rasteriser and a font |
//! | `png_file` | pixels as a file |

mod png;
mod png_file;
mod shapes;
pub mod svg;
mod text;

pub use png::to_png;
pub use shapes::{Anchor, Colour, Drawing, Shape, Stroke, Text};
pub use svg::to_svg;
pub use text::{fitted, fixed_width, shortened, text_width};

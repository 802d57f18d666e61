//! A plot of a run: curves over time in panels of like units and scales, event markers, impulses as arrows with their
//! weight, and under the curves a strip of modes.
//!
//! | file | purpose |
//! |---|---|
//! | `recorder` | keeps during the run what may be drawn |
//! | `series` | a curve with so many points only as can be seen |
//! | `choice` | which variables are drawn |
//! | `panels` | which curves share an axis |
//! | `ticks` | round numbers on axes, and how they are written |
//! | `layout` | the picture from top to bottom |
//! | `curves` | one panel: grid, curves, impulses |
//! | `strip` | the strip of modes |
//! | `shapes` | what pictures are made of |
//! | `svg`, `png` | the two kinds of files; only `png` knows a plotting library |

mod choice;
mod curves;
mod layout;
mod panels;
mod png;
mod recorder;
mod series;
mod shapes;
mod strip;
mod svg;
mod ticks;

pub use choice::matching;
pub use recorder::{Picture, PlotRecorder};

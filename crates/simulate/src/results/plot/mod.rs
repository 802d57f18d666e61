//! A plot of a run: curves over time in panels of like units and scales, event markers, impulses as arrows with their
//! weight, and under the curves a strip of modes.
//!
//! | file | purpose |
//! |---|---|
//! | `recorder` | keeps during the run what may be drawn |
//! | `series` | a curve with so many points only as can be seen |
//! | `display_units` | values in the unit in which they are shown |
//! | `choice` | which variables are drawn |
//! | `panels` | which curves share an axis |
//! | `ticks` | round numbers on axes, and how they are written |
//! | `layout` | the picture from top to bottom |
//! | `curves` | one panel: grid, curves, impulses |
//! | `strip` | the strip of modes |
//! | `palette` | the colours |
//!
//! What pictures are made of, and the two kinds of files, are in [`modeshift_drawing`].

mod choice;
mod curves;
mod display_units;
mod layout;
mod palette;
mod panels;
mod recorder;
mod series;
mod strip;
mod ticks;

pub use choice::matching;
pub use recorder::{Picture, PlotRecorder, Window};

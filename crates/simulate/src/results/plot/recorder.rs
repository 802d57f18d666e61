//! Keeps during a run what may be drawn after it.

use std::sync::Arc;

use super::super::columns::{Column, ColumnKind, Columns};
use super::super::events::EventRecord;
use super::super::observer::Observer;
use super::choice::{candidates, default_choice, matching};
use super::display_units::{AS_IT_IS, Conversion, conversion};
use super::layout::{Content, draw};
use super::series::Series;
use modeshift_drawing::Drawing;

/// So many impulses are remembered; a picture of more would show none.
const MOST_IMPULSES: usize = 1 << 12;

/// A column with its values so far.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    pub(super) column: Column,
    pub(super) position: usize,
    pub(super) series: Series,
    /// From the unit of the column to the one in which it is drawn.
    pub(super) shown: Conversion,
}

/// An impulse of a variable.
#[derive(Clone, Debug)]
pub(super) struct ImpulseMark {
    pub(super) time: f64,
    pub(super) variable: Arc<str>,
    pub(super) order: String,
    pub(super) weight: f64,
}

/// The part of a run that is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    /// From when on, if not from the beginning.
    pub from: Option<f64>,
    /// Until when, if not to the end.
    pub to: Option<f64>,
}

impl Window {
    fn contains(&self, time: f64) -> bool {
        self.from.is_none_or(|from| time >= from) && self.to.is_none_or(|to| time <= to)
    }
}

/// An observer that can draw what it saw.
#[derive(Clone, Debug, Default)]
pub struct PlotRecorder {
    wanted: Vec<String>,
    /// Nothing before and after these times is drawn.
    window: Window,
    model: Arc<str>,
    curves: Vec<Recorded>,
    modes: Vec<Recorded>,
    modes_wanted: Vec<usize>, // positions of columns
    events: Vec<f64>,
    impulses: Vec<ImpulseMark>,
    span: Option<(f64, f64)>,
}

impl PlotRecorder {
    /// Draws the variables of these names, in which `*` stands for any text; without any, chooses by itself.
    pub fn new(wanted: Vec<String>) -> Self {
        PlotRecorder { wanted, ..PlotRecorder::default() }
    }

    /// Draws a part of the run only.
    pub fn within(self, window: Window) -> Self {
        PlotRecorder { window, ..self }
    }

    /// What an impulse of a variable is multiplied by when it is drawn.
    fn factor_of(&self, variable: &str) -> f64 {
        self.curves.iter().find(|curve| *curve.column.name == *variable).map_or(1.0, |curve| curve.shown.factor)
    }

    /// The picture of what was seen so far.
    pub fn picture(&self) -> Picture {
        let mut notes = Vec::new();
        let chosen: Vec<usize> = if self.wanted.is_empty() {
            let impulsive = |curve: &Recorded| self.impulses.iter().any(|it| it.variable == curve.column.name);
            let (chosen, words) = default_choice(&self.curves, impulsive);
            let names: Vec<&str> = chosen.iter().map(|&at| &*self.curves[at].column.name).collect();
            if !names.is_empty() {
                notes.push(format!("the plot shows {words}: {} (--plot-vars chooses others)", names.join(", ")));
            }
            chosen
        } else {
            (0..self.curves.len()).collect()
        };
        let shown =
            |recorded: &&Recorded| recorded.series.points().len() > 1 || self.modes_wanted.contains(&recorded.position);
        let content = Content {
            model: &self.model,
            curves: chosen.into_iter().map(|at| &self.curves[at]).collect(),
            modes: self.modes.iter().filter(shown).collect(),
            mode_count: self.modes.len(),
            events: &self.events,
            impulses: &self.impulses,
            span: self.span.unwrap_or((0.0, 1.0)),
        };
        Picture { drawing: draw(&content, &mut notes), notes }
    }
}

impl Observer for PlotRecorder {
    fn columns(&mut self, columns: &Columns) {
        let recorded = |position: usize| {
            let (mut column, series) = (columns.columns[position].clone(), Series::default());
            let units = column.unit.as_deref().zip(column.display_unit.as_deref());
            let shown = units.and_then(|(unit, shown)| conversion(unit, shown));
            if shown.is_some() {
                column.unit = column.display_unit.take();
            }
            Recorded { column, position, series, shown: shown.unwrap_or(AS_IT_IS) }
        };
        let is_mode = |position: &usize| columns.columns[*position].kind == ColumnKind::Mode;
        let wanted = self.wanted.iter().flat_map(|pattern| matching(pattern, columns));
        *self = PlotRecorder {
            model: columns.model.clone(),
            curves: candidates(&self.wanted, columns).into_iter().map(recorded).collect(),
            modes: (0..columns.len()).filter(is_mode).map(recorded).collect(),
            modes_wanted: wanted.filter(is_mode).collect(),
            ..PlotRecorder::new(std::mem::take(&mut self.wanted)).within(self.window)
        };
    }

    fn row(&mut self, time: f64, values: &[f64]) {
        if !self.window.contains(time) {
            return;
        }
        let start = self.span.map_or(time, |(start, _)| start);
        self.span = Some((start, time));
        self.curves.iter_mut().for_each(|curve| curve.series.push(time, curve.shown.of(values[curve.position])));
        self.modes.iter_mut().for_each(|mode| mode.series.push_step(time, values[mode.position]));
    }

    fn event(&mut self, event: &EventRecord) {
        if !self.window.contains(event.time) {
            return;
        }
        self.events.push(event.time);
        let room = MOST_IMPULSES.saturating_sub(self.impulses.len());
        let marks = event.impulses.iter().take(room).map(|impulse| ImpulseMark {
            time: event.time,
            variable: impulse.variable.clone(),
            order: impulse.order.clone(),
            weight: impulse.weight * self.factor_of(&impulse.variable),
        });
        let marks: Vec<ImpulseMark> = marks.collect();
        self.impulses.extend(marks);
    }
}

/// A picture, to be written in one of two ways.
#[derive(Clone, Debug)]
pub struct Picture {
    drawing: Drawing,
    /// What the user should know about it, one line each.
    pub notes: Vec<String>,
}

impl Picture {
    /// As SVG.
    pub fn to_svg(&self) -> String {
        modeshift_drawing::to_svg(&self.drawing)
    }

    /// As PNG, at twice the resolution; nothing where it could not be made.
    pub fn to_png(&self) -> Result<Vec<u8>, String> {
        modeshift_drawing::to_png(&self.drawing)
    }
}

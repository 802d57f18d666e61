//! Which curves share an axis: those of the same unit, unless their scales differ so much that one would be flat.

use std::sync::Arc;

use super::recorder::{ImpulseMark, Recorded};

/// A curve that takes less of its panel than this gets another one.
const LEAST_SHARE: f64 = 0.04;

/// Beyond this many panels, curves share whatever axis there is.
const MOST_PANELS: usize = 8;

/// Curves with a common axis.
#[derive(Clone, Debug)]
pub(super) struct Panel<'a> {
    pub(super) unit: Option<Arc<str>>,
    /// With the number of their colour.
    pub(super) curves: Vec<(usize, &'a Recorded)>,
}

/// Distributes curves, in their order.
pub(super) fn panels<'a>(curves: &[&'a Recorded]) -> Vec<Panel<'a>> {
    let mut panels: Vec<Panel<'a>> = Vec::new();
    for (colour, &curve) in curves.iter().enumerate() {
        let unit = &curve.column.unit;
        let full = panels.len() >= MOST_PANELS;
        let fitting = panels.iter().position(|panel| panel.unit == *unit && panel.has_room_for(curve));
        let same_unit = || panels.iter().position(|panel| panel.unit == *unit).or(panels.len().checked_sub(1));
        match fitting.or_else(|| if full { same_unit() } else { None }) {
            Some(at) => panels[at].curves.push((colour, curve)),
            None => panels.push(Panel { unit: unit.clone(), curves: vec![(colour, curve)] }),
        }
    }
    panels
}

impl Panel<'_> {
    /// Whether with this curve every one that varies still shows it.
    fn has_room_for(&self, curve: &Recorded) -> bool {
        let extents = self.curves.iter().map(|(_, curve)| *curve).chain([curve]).filter_map(|it| it.series.extent());
        let extents: Vec<(f64, f64)> = extents.collect();
        let (low, high) = union(&extents);
        extents.iter().all(|&(from, to)| is_flat((from, to)) || to - from >= LEAST_SHARE * (high - low))
    }

    /// The values of the axis: all curves with some air, and zero where there are impulses, which start there
    /// and need more of it.
    pub(super) fn range(&self, impulses: &[ImpulseMark]) -> (f64, f64) {
        let is_impulsive = |curve: &Recorded| impulses.iter().any(|impulse| impulse.variable == curve.column.name);
        let impulsive = self.curves.iter().any(|(_, curve)| is_impulsive(curve)).then_some((0.0, 0.0));
        let extents = self.curves.iter().filter_map(|(_, curve)| curve.series.extent()).chain(impulsive);
        let extents: Vec<(f64, f64)> = extents.collect();
        if extents.is_empty() {
            return (0.0, 1.0);
        }
        let (low, high) = union(&extents);
        let share = if impulsive.is_some() { 0.3 } else { 0.07 };
        let air = if is_flat((low, high)) { low.abs().max(1.0) * 0.5 } else { (high - low) * share };
        (low - air, high + air)
    }
}

fn is_flat((low, high): (f64, f64)) -> bool {
    high - low <= 1e-9 * low.abs().max(high.abs())
}

fn union(extents: &[(f64, f64)]) -> (f64, f64) {
    extents.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &(from, to)| (low.min(from), high.max(to)))
}

//! The colours of plots.

use modeshift_drawing::Colour;

/// Colours of curves: those of Okabe and Ito, told apart by colour-blind eyes too, without the yellow that is
/// illegible on white.
pub(super) const CURVES: [Colour; 7] = [
    Colour(0, 114, 178),
    Colour(213, 94, 0),
    Colour(0, 158, 115),
    Colour(204, 121, 167),
    Colour(230, 159, 0),
    Colour(86, 180, 233),
    Colour(60, 60, 60),
];

/// Colours of modes: muted ones of Tol, so that no mode looks like a curve.
pub(super) const MODES: [Colour; 5] =
    [Colour(68, 170, 153), Colour(136, 140, 190), Colour(221, 204, 119), Colour(204, 102, 119), Colour(136, 204, 238)];

pub(super) const INK: Colour = Colour(38, 38, 38);
pub(super) const FADED: Colour = Colour(110, 110, 110);
pub(super) const EVENT: Colour = Colour(178, 178, 178);
pub(super) const GRID: Colour = Colour(232, 232, 232);
pub(super) const EMPTY: Colour = Colour(244, 244, 244);

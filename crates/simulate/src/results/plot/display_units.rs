//! Values in the unit in which they are shown: `displayUnit`, where we know what it is of the unit.

/// Powers of ten in front of a unit.
const PREFIXES: [(&str, f64); 9] =
    [("n", 1e9), ("u", 1e6), ("m", 1e3), ("c", 1e2), ("d", 1e1), ("h", 1e-2), ("k", 1e-3), ("M", 1e-6), ("G", 1e-9)];

/// From a unit to one in which it is shown: the factor, and what is added then.
const KNOWN: [(&str, &str, f64, f64); 14] = [
    ("rad", "deg", 180.0 / std::f64::consts::PI, 0.0),
    ("rad/s", "deg/s", 180.0 / std::f64::consts::PI, 0.0),
    ("rad/s", "rpm", 30.0 / std::f64::consts::PI, 0.0),
    ("rad/s", "1/min", 30.0 / std::f64::consts::PI, 0.0),
    ("rad/s", "rev/min", 30.0 / std::f64::consts::PI, 0.0),
    ("rad/s", "Hz", 0.5 / std::f64::consts::PI, 0.0),
    ("K", "degC", 1.0, -273.15),
    ("K", "degF", 1.8, -459.67),
    ("Pa", "bar", 1e-5, 0.0),
    ("m/s", "km/h", 3.6, 0.0),
    ("s", "min", 1.0 / 60.0, 0.0),
    ("s", "h", 1.0 / 3600.0, 0.0),
    ("J", "kWh", 1.0 / 3.6e6, 0.0),
    ("m3", "l", 1e3, 0.0),
];

/// A scale and an offset that make a value of one unit a value of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Conversion {
    pub factor: f64,
    pub offset: f64,
}

/// Nothing is changed.
pub(super) const AS_IT_IS: Conversion = Conversion { factor: 1.0, offset: 0.0 };

/// From a unit to one in which it is shown; nothing where we do not know how.
pub(super) fn conversion(unit: &str, shown: &str) -> Option<Conversion> {
    let known = KNOWN.iter().find(|it| it.0 == unit && it.1 == shown).map(|it| (it.2, it.3));
    let scaled = || {
        let prefix = shown.strip_suffix(unit).filter(|prefix| !prefix.is_empty() && !unit.is_empty())?;
        PREFIXES.iter().find(|it| it.0 == prefix).map(|it| (it.1, 0.0))
    };
    known.or_else(scaled).map(|(factor, offset)| Conversion { factor, offset })
}

impl Conversion {
    pub(super) fn of(self, value: f64) -> f64 {
        value * self.factor + self.offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_unit_is_another_scale_or_nothing_we_know() {
        assert_eq!(conversion("K", "degC").map(|it| it.of(300.0)), Some(300.0 - 273.15));
        assert_eq!(conversion("m", "mm").map(|it| it.of(2.0)), Some(2000.0));
        assert_eq!(conversion("rad", "deg").map(|it| it.of(std::f64::consts::PI)), Some(180.0));
        assert_eq!(conversion("m", "ft"), None);
        assert_eq!(conversion("", "m"), None);
    }
}

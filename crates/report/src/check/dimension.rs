//! Dimensions and scales of quantities, read from units as the language writes them (Modelica 3.6, 19.1).

/// Exponents of m, kg, s, A, K, mol and cd.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dimension([i8; 7]);

/// The symbols of the base units, as a dimension is written.
const BASE: [&str; 7] = ["m", "kg", "s", "A", "K", "mol", "cd"];

/// Units by their symbols: exponents of the base units.
const UNITS: [(&str, [i8; 7]); 41] = [
    ("1", [0, 0, 0, 0, 0, 0, 0]),
    ("rad", [0, 0, 0, 0, 0, 0, 0]),
    ("sr", [0, 0, 0, 0, 0, 0, 0]),
    ("deg", [0, 0, 0, 0, 0, 0, 0]),
    ("rev", [0, 0, 0, 0, 0, 0, 0]),
    ("m", [1, 0, 0, 0, 0, 0, 0]),
    ("g", [0, 1, 0, 0, 0, 0, 0]),
    ("t", [0, 1, 0, 0, 0, 0, 0]),
    ("s", [0, 0, 1, 0, 0, 0, 0]),
    ("min", [0, 0, 1, 0, 0, 0, 0]),
    ("h", [0, 0, 1, 0, 0, 0, 0]),
    ("d", [0, 0, 1, 0, 0, 0, 0]),
    ("A", [0, 0, 0, 1, 0, 0, 0]),
    ("K", [0, 0, 0, 0, 1, 0, 0]),
    ("degC", [0, 0, 0, 0, 1, 0, 0]),
    ("degF", [0, 0, 0, 0, 1, 0, 0]),
    ("mol", [0, 0, 0, 0, 0, 1, 0]),
    ("cd", [0, 0, 0, 0, 0, 0, 1]),
    ("Hz", [0, 0, -1, 0, 0, 0, 0]),
    ("rpm", [0, 0, -1, 0, 0, 0, 0]),
    ("N", [1, 1, -2, 0, 0, 0, 0]),
    ("Pa", [-1, 1, -2, 0, 0, 0, 0]),
    ("bar", [-1, 1, -2, 0, 0, 0, 0]),
    ("J", [2, 1, -2, 0, 0, 0, 0]),
    ("eV", [2, 1, -2, 0, 0, 0, 0]),
    ("W", [2, 1, -3, 0, 0, 0, 0]),
    ("VA", [2, 1, -3, 0, 0, 0, 0]),
    ("var", [2, 1, -3, 0, 0, 0, 0]),
    ("C", [0, 0, 1, 1, 0, 0, 0]),
    ("V", [2, 1, -3, -1, 0, 0, 0]),
    ("Ohm", [2, 1, -3, -2, 0, 0, 0]),
    ("S", [-2, -1, 3, 2, 0, 0, 0]),
    ("F", [-2, -1, 4, 2, 0, 0, 0]),
    ("Wb", [2, 1, -2, -1, 0, 0, 0]),
    ("T", [0, 1, -2, -1, 0, 0, 0]),
    ("H", [2, 1, -2, -2, 0, 0, 0]),
    ("lm", [0, 0, 0, 0, 0, 0, 1]),
    ("lx", [-2, 0, 0, 0, 0, 0, 1]),
    ("Bq", [0, 0, -1, 0, 0, 0, 0]),
    ("Gy", [2, 0, -2, 0, 0, 0, 0]),
    ("l", [3, 0, 0, 0, 0, 0, 0]),
];

const PREFIXES: [&str; 20] =
    ["da", "Y", "Z", "E", "P", "T", "G", "M", "k", "h", "d", "c", "m", "u", "n", "p", "f", "a", "z", "y"];

/// What a prefix stands for, in the order of `PREFIXES`.
const POWERS: [i32; 20] = [1, 24, 21, 18, 15, 12, 9, 6, 3, 2, -1, -2, -3, -6, -9, -12, -15, -18, -21, -24];

/// Units that are another number of base units than one. The kilogram is a base unit, the gram is not.
const SCALES: [(&str, f64); 10] = [
    ("g", 1e-3),
    ("t", 1e3),
    ("min", 60.0),
    ("h", 3600.0),
    ("d", 86_400.0),
    ("bar", 1e5),
    ("eV", 1.602_176_634e-19),
    ("l", 1e-3),
    ("deg", std::f64::consts::PI / 180.0),
    ("rev", std::f64::consts::TAU),
];

/// Units that are no number of base units: zero is elsewhere, or turns count as an angle or do not.
const WITHOUT_SCALE: [&str; 3] = ["degC", "degF", "rpm"];

/// Scales that differ by less are one: sums of rounding of the constants above.
const SAME_SCALE: f64 = 1e-9;

/// A unit: its dimension, and how many of the base units one of it is, where that is a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    dimension: Dimension,
    scale: Option<f64>,
}

impl Unit {
    /// A unit as Modelica writes it, such as `J/(kg.K)` (Modelica 3.6, 19.1); nothing for what is not known.
    pub(crate) fn of(unit: &str) -> Option<Unit> {
        let unit: String = unit.chars().filter(|it| !it.is_whitespace()).collect();
        let (above, below) = match unit.split_once('/') {
            Some((above, below)) => (above, Some(below)),
            None => (unit.as_str(), None),
        };
        let found = product(above)?;
        match below {
            Some(below) => {
                let inside = below.strip_prefix('(').and_then(|it| it.strip_suffix(')')).unwrap_or(below);
                found.times(product(inside)?.power(-1)?)
            }
            None => Some(found),
        }
    }

    /// Whether values in both can be compared and added as they are.
    pub(crate) fn goes_with(self, other: Unit) -> bool {
        self.dimension == other.dimension && self.factor_to(other).is_none()
    }

    /// What a value in this unit is multiplied by to be one in the other, where that is a number other than one.
    pub(crate) fn factor_to(self, other: Unit) -> Option<f64> {
        let factor = self.scale.zip(other.scale).map(|(own, other)| own / other)?;
        (self.dimension == other.dimension && (factor - 1.0).abs() > SAME_SCALE).then_some(factor)
    }

    pub(crate) fn times(self, other: Unit) -> Option<Unit> {
        let scale = self.scale.zip(other.scale).map(|(own, other)| own * other);
        Some(Unit { dimension: self.dimension.times(other.dimension)?, scale })
    }

    pub(crate) fn power(self, power: i8) -> Option<Unit> {
        let scale = self.scale.map(|it| it.powi(i32::from(power)));
        Some(Unit { dimension: self.dimension.power(power)?, scale })
    }

    pub(crate) fn root(self) -> Option<Unit> {
        Some(Unit { dimension: self.dimension.root()?, scale: self.scale.map(f64::sqrt) })
    }

    /// `kg.m/s2`, `0.001 m`
    pub(crate) fn text(self) -> String {
        match self.scale.filter(|scale| (scale - 1.0).abs() > SAME_SCALE) {
            Some(scale) => format!("{scale} {}", self.dimension.text()),
            None => self.dimension.text(),
        }
    }
}

impl Dimension {
    fn times(self, other: Dimension) -> Option<Dimension> {
        let mut sum = self.0;
        for (exponent, more) in sum.iter_mut().zip(other.0) {
            *exponent = exponent.checked_add(more)?;
        }
        Some(Dimension(sum))
    }

    fn power(self, power: i8) -> Option<Dimension> {
        let mut product = self.0;
        for exponent in &mut product {
            *exponent = exponent.checked_mul(power)?;
        }
        Some(Dimension(product))
    }

    fn root(self) -> Option<Dimension> {
        self.0.iter().all(|exponent| exponent % 2 == 0).then(|| Dimension(self.0.map(|exponent| exponent / 2)))
    }

    /// `kg.m/s2`
    fn text(self) -> String {
        let part = |sign: i8| {
            let exponents = BASE.iter().zip(self.0).filter(|(_, exponent)| exponent.signum() == sign);
            let texts: Vec<String> = exponents
                .map(|(unit, exponent)| match exponent.unsigned_abs() {
                    1 => unit.to_string(),
                    power => format!("{unit}{power}"),
                })
                .collect();
            texts
        };
        let (above, below) = (part(1), part(-1));
        let above = if above.is_empty() { "1".to_string() } else { above.join(".") };
        match below.as_slice() {
            [] => above,
            [only] => format!("{above}/{only}"),
            several => format!("{above}/({})", several.join(".")),
        }
    }
}

/// `kg.m2`
fn product(text: &str) -> Option<Unit> {
    let one = Unit { dimension: Dimension::default(), scale: Some(1.0) };
    text.split('.').try_fold(one, |product, factor| product.times(self::factor(factor)?))
}

/// `m2`, `s-1`, `mm`
fn factor(text: &str) -> Option<Unit> {
    let is_number = text == "1";
    let split = text.find(|it: char| it.is_ascii_digit() || it == '-' || it == '+').filter(|_| !is_number);
    let (symbol, exponent) = text.split_at(split.unwrap_or(text.len()));
    let power: i8 = if exponent.is_empty() { 1 } else { exponent.parse().ok()? };
    let prefixed = || {
        let mut prefixes = PREFIXES.iter().zip(POWERS);
        prefixes.find_map(|(prefix, power)| {
            let unit = known(symbol.strip_prefix(prefix)?)?;
            Some(Unit { scale: unit.scale.map(|it| it * 10f64.powi(power)), ..unit })
        })
    };
    known(symbol).or_else(prefixed)?.power(power)
}

/// A unit without a prefix.
fn known(symbol: &str) -> Option<Unit> {
    let dimension = UNITS.iter().find(|(name, _)| *name == symbol).map(|(_, it)| Dimension(*it))?;
    let scale = SCALES.iter().find(|(name, _)| *name == symbol).map_or(1.0, |(_, scale)| *scale);
    Some(Unit { dimension, scale: (!WITHOUT_SCALE.contains(&symbol)).then_some(scale) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_as_the_language_writes_them() {
        let unit = |text: &str| Unit::of(text).unwrap_or_else(|| panic!("{text} is a unit"));
        let same = |one: &str, other: &str| assert!(unit(one).goes_with(unit(other)), "{one} {other}");
        same("N.m", "J");
        same("kg.m/s2", "N");
        same("J/(kg.K)", "m2/(s2.K)");
        same("rad/s", "Hz");
        same("s-1", "1/s");
        same("kW", "J/ms");
        same("degC", "K");
        same("l/min", "dm3/min");
        assert!(!unit("m").goes_with(unit("s")));
        assert_eq!(Unit::of("furlong"), None);
        assert_eq!(Unit::of("").map(Unit::text), None);
        assert_eq!(Unit::of("N").map(Unit::text).as_deref(), Some("m.kg/s2"));
    }

    #[test]
    fn scales_differ_by_a_factor() {
        let factor = |one: &str, other: &str| {
            let factor = Unit::of(one).and_then(|it| it.factor_to(Unit::of(other)?));
            factor.map(|it| (it * 1e6).round() / 1e6)
        };
        assert_eq!(factor("m", "mm"), Some(1000.0));
        assert_eq!(factor("kW.h", "J"), Some(3.6e6));
        assert_eq!(factor("bar", "kPa"), Some(100.0));
        assert_eq!(factor("km/h", "m/s"), Some(0.277778));
        assert_eq!(factor("kg", "g"), Some(1000.0));
        assert_eq!(factor("m", "s"), None);
        assert_eq!(factor("degC", "K"), None);
        assert_eq!(factor("rpm", "Hz"), None);
    }
}

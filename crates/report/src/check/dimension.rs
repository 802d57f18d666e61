//! Dimensions of quantities, read from units as the language writes them (Modelica 3.6, 19.1).

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

impl Dimension {
    /// The dimension of a unit as Modelica writes it, such as `J/(kg.K)` (Modelica 3.6, 19.1); nothing for what is not
    /// known.
    pub(crate) fn of_unit(unit: &str) -> Option<Dimension> {
        let unit: String = unit.chars().filter(|it| !it.is_whitespace()).collect();
        let (above, below) = match unit.split_once('/') {
            Some((above, below)) => (above, Some(below)),
            None => (unit.as_str(), None),
        };
        let mut dimension = product(above)?;
        if let Some(below) = below {
            let inside = below.strip_prefix('(').and_then(|it| it.strip_suffix(')')).unwrap_or(below);
            dimension = dimension.times(product(inside)?.power(-1)?)?;
        }
        Some(dimension)
    }

    pub(crate) fn times(self, other: Dimension) -> Option<Dimension> {
        let mut sum = self.0;
        for (exponent, more) in sum.iter_mut().zip(other.0) {
            *exponent = exponent.checked_add(more)?;
        }
        Some(Dimension(sum))
    }

    pub(crate) fn power(self, power: i8) -> Option<Dimension> {
        let mut product = self.0;
        for exponent in &mut product {
            *exponent = exponent.checked_mul(power)?;
        }
        Some(Dimension(product))
    }

    pub(crate) fn root(self) -> Option<Dimension> {
        self.0.iter().all(|exponent| exponent % 2 == 0).then(|| Dimension(self.0.map(|exponent| exponent / 2)))
    }

    /// `kg.m/s2`
    pub(crate) fn text(self) -> String {
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
fn product(text: &str) -> Option<Dimension> {
    text.split('.').try_fold(Dimension::default(), |product, factor| product.times(self::factor(factor)?))
}

/// `m2`, `s-1`, `mm`
fn factor(text: &str) -> Option<Dimension> {
    if text == "1" {
        return Some(Dimension::default());
    }
    let split = text.find(|it: char| it.is_ascii_digit() || it == '-' || it == '+').unwrap_or(text.len());
    let (symbol, exponent) = text.split_at(split);
    let power: i8 = if exponent.is_empty() { 1 } else { exponent.parse().ok()? };
    let known = |symbol: &str| UNITS.iter().find(|(name, _)| *name == symbol).map(|(_, it)| Dimension(*it));
    let prefixed = || PREFIXES.iter().find_map(|prefix| known(symbol.strip_prefix(prefix)?));
    known(symbol).or_else(prefixed)?.power(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_as_the_language_writes_them() {
        let same =
            |one: &str, other: &str| assert_eq!(Dimension::of_unit(one), Dimension::of_unit(other), "{one} {other}");
        same("N.m", "J");
        same("kg.m/s2", "N");
        same("J/(kg.K)", "m2/(s2.K)");
        same("rad/s", "Hz");
        same("mV", "V");
        same("s-1", "1/s");
        same("kW.h", "J");
        assert_ne!(Dimension::of_unit("m"), Dimension::of_unit("s"));
        assert_eq!(Dimension::of_unit("furlong"), None);
        assert_eq!(Dimension::of_unit("").map(Dimension::text), None);
        assert_eq!(Dimension::of_unit("N").map(Dimension::text).as_deref(), Some("m.kg/s2"));
    }
}

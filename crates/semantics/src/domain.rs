//! What is known of a variable, a guard or an equation: the domain D of RR8933 (18), and shifts.

use std::cmp::Ordering;
use std::fmt;

use modeshift_dae::Id;

/// A value of D = {I, U, F, T}, ordered by I < U < F and U < T; F and T are not comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// I: not used to define the current status.
    Irrelevant,
    /// U: not evaluated yet.
    Undefined,
    /// F: a guard that is false, an equation that is disabled.
    False,
    /// T: a variable with a value, a guard that is true, an equation that is solved.
    True,
}

impl Value {
    /// The height in the order: two different values of the same height are not comparable.
    fn height(self) -> u8 {
        match self {
            Value::Irrelevant => 0,
            Value::Undefined => 1,
            Value::False | Value::True => 2,
        }
    }

    /// Whether it is F or T: nothing more will be known in this instant.
    pub fn is_final(self) -> bool {
        self.height() == 2
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        match self.height().cmp(&other.height()) {
            Ordering::Equal if self != other => None,
            order => Some(order),
        }
    }
}

/// Declares numbers of things of a system.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl Id for $name {
            fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("fewer than 2^32 items of a kind"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

numbers! {
    /// A variable x of the system of differences.
    Unknown;
    /// A guard: a mode variable of the model.
    Guard;
    /// A guarded equation; an equation of the model that has another body in other modes is several of them.
    Body;
}

/// `x•m`, `e•m`: so many instants later (RR8933 Definitions 1 and 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shifted<I> {
    /// What is shifted.
    pub of: I,
    /// How often.
    pub shift: u32,
}

impl<I> Shifted<I> {
    /// Something so many instants later.
    pub fn new(of: I, shift: u32) -> Self {
        Shifted { of, shift }
    }

    /// One instant later still.
    pub fn next(self) -> Self {
        Shifted { shift: self.shift + 1, ..self }
    }

    /// One instant earlier, unless it is not shifted.
    pub fn previous(self) -> Option<Self> {
        let shift = self.shift.checked_sub(1)?;
        Some(Shifted { shift, ..self })
    }

    /// `e`, `e•`, `e•2`, with the name of what is shifted.
    pub fn named<N: fmt::Display>(&self, name: N) -> impl fmt::Display + use<I, N> {
        let shift = self.shift;
        fmt::from_fn(move |f| match shift {
            0 => write!(f, "{name}"),
            1 => write!(f, "{name}•"),
            _ => write!(f, "{name}•{shift}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_values_is_that_of_knowledge() {
        use Value::*;
        assert!(Irrelevant < Undefined && Undefined < False && Undefined < True);
        assert_eq!(False.partial_cmp(&True), None);
        assert_eq!(True.partial_cmp(&True), Some(Ordering::Equal));
    }

    #[test]
    fn shifts_are_written_as_in_the_papers() {
        let names = [0, 1, 2].map(|shift| Shifted::new(Body(0), shift).named("k1").to_string());
        assert_eq!(names, ["k1", "k1•", "k1•2"]);
    }
}

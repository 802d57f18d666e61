//! A derivative of a variable or an equation, `x''`, and its notation.

use std::fmt;

use crate::{EquationId, FlatModel, Node, VariableId};

/// The `order`-th total derivative of a variable or an equation; order 0 is the thing itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Derivative<I> {
    /// What is differentiated.
    pub of: I,
    /// How often.
    pub order: u32,
}

impl<I> Derivative<I> {
    /// The `order`-th derivative of something.
    pub fn new(of: I, order: u32) -> Self {
        Derivative { of, order }
    }

    /// `x''`, with the name of what is differentiated.
    pub fn named<N: fmt::Display>(&self, name: N) -> impl fmt::Display + use<I, N> {
        let order = self.order;
        fmt::from_fn(move |f| write!(f, "{name}{}", primes(order)))
    }
}

impl<I> From<(I, u32)> for Derivative<I> {
    fn from((of, order): (I, u32)) -> Self {
        Derivative { of, order }
    }
}

/// As many primes as an order says: the notation for derivatives everywhere outside Modelica text.
fn primes(order: u32) -> impl fmt::Display {
    fmt::from_fn(move |f| (0..order).try_for_each(|_| f.write_str("'")))
}

impl Node {
    /// The variable or derivative that it is, if it is one.
    pub fn derivative(self) -> Option<Derivative<VariableId>> {
        match self {
            Node::Variable(of, order) => Some(Derivative { of, order }),
            _ => None,
        }
    }
}

impl FlatModel {
    /// `x''`, by the name of the variable.
    pub fn name_of_variable(&self, derivative: Derivative<VariableId>) -> impl fmt::Display {
        derivative.named(&self.variables[derivative.of].name)
    }

    /// `e'`, by the name of the equation.
    pub fn name_of_equation(&self, derivative: Derivative<EquationId>) -> impl fmt::Display {
        derivative.named(&self.equations[derivative.of].name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_print_with_primes() {
        let names = [0, 1, 2].map(|order| Derivative::new(VariableId(0), order).named("x").to_string());
        assert_eq!(names, ["x", "x'", "x''"]);
    }
}

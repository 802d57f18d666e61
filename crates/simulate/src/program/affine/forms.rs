//! Forms: what is affine in symbols with numbers for coefficients, and time terms.

use super::time_terms::{self, TimeTerm};

/// What a form is affine in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Symbol {
    /// The state of this number.
    State(u32),
    /// The unknown of this number of a block that is being solved.
    Unknown(u32),
    /// The input of this number: it stands still between events.
    Input(u32),
}

/// A sum of symbols with coefficients, none of which is zero, and of time terms.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Form {
    /// By symbol, ascending.
    pub linear: Vec<(Symbol, f64)>,
    pub terms: Vec<TimeTerm>,
}

impl Form {
    pub fn constant(value: f64) -> Self {
        Form::of_term(TimeTerm::constant(value))
    }

    pub fn of_term(term: TimeTerm) -> Self {
        let mut terms = Vec::new();
        time_terms::add(&mut terms, term);
        Form { linear: Vec::new(), terms }
    }

    pub fn of_symbol(symbol: Symbol) -> Self {
        Form { linear: vec![(symbol, 1.0)], terms: Vec::new() }
    }

    /// Its value, if it is a number.
    pub fn as_constant(&self) -> Option<f64> {
        match (&self.linear[..], &self.terms[..]) {
            ([], []) => Some(0.0),
            ([], [only]) if only.is_constant() => Some(only.cosine),
            _ => None,
        }
    }

    /// `a + w t` as `(a, w)`, if it is that.
    pub fn as_affine_in_time(&self) -> Option<(f64, f64)> {
        let (mut a, mut slope) = (0.0, 0.0);
        for term in &self.terms {
            match term {
                _ if term.is_constant() => a = term.cosine,
                TimeTerm { power: 1, cosine, .. } if term.is_like(&TimeTerm::time()) => slope = *cosine,
                _ => return None,
            }
        }
        self.linear.is_empty().then_some((a, slope))
    }

    /// Whether time and what stands still is all that it depends on.
    pub fn has_no_states(&self) -> bool {
        self.linear.iter().all(|(symbol, _)| matches!(symbol, Symbol::Input(_)))
    }

    pub fn scaled(&self, factor: f64) -> Self {
        if factor == 0.0 {
            return Form::default();
        }
        let linear = self.linear.iter().map(|&(symbol, value)| (symbol, factor * value)).filter(|it| it.1 != 0.0);
        let mut terms = Vec::new();
        self.terms.iter().for_each(|term| time_terms::add(&mut terms, term.scaled(factor)));
        Form { linear: linear.collect(), terms }
    }

    /// `self + factor * other`
    pub fn plus(&self, factor: f64, other: &Form) -> Self {
        let mut linear = Vec::with_capacity(self.linear.len() + other.linear.len());
        let (mut a, mut b) = (self.linear.iter().copied().peekable(), other.linear.iter().copied().peekable());
        loop {
            let (symbol, value) = match (a.peek().copied(), b.peek().copied()) {
                (Some(left), Some(right)) if left.0 == right.0 => {
                    a.next();
                    b.next();
                    (left.0, left.1 + factor * right.1)
                }
                (Some(left), Some(right)) if left.0 < right.0 => {
                    a.next();
                    left
                }
                (_, Some(right)) => {
                    b.next();
                    (right.0, factor * right.1)
                }
                (Some(left), None) => {
                    a.next();
                    left
                }
                (None, None) => break,
            };
            if value != 0.0 {
                linear.push((symbol, value));
            }
        }
        let mut terms = self.terms.clone();
        other.terms.iter().for_each(|term| time_terms::add(&mut terms, term.scaled(factor)));
        Form { linear, terms }
    }

    /// The product of two forms of time alone; nothing where it has too high powers.
    pub fn times(&self, other: &Form) -> Option<Self> {
        assert!(self.linear.is_empty() && other.linear.is_empty(), "forms of time alone");
        Some(Form { linear: Vec::new(), terms: time_terms::product(&self.terms, &other.terms)? })
    }

    /// The coefficient of a symbol.
    pub fn coefficient(&self, symbol: Symbol) -> f64 {
        self.linear.binary_search_by_key(&symbol, |it| it.0).map_or(0.0, |place| self.linear[place].1)
    }

    /// The same without the unknowns of a block.
    pub fn without_unknowns(mut self) -> Self {
        self.linear.retain(|(symbol, _)| !matches!(symbol, Symbol::Unknown(_)));
        self
    }

    pub fn is_finite(&self) -> bool {
        let of_term = |it: &TimeTerm| [it.rate, it.frequency, it.cosine, it.sine].into_iter().all(f64::is_finite);
        self.linear.iter().all(|(_, value)| value.is_finite()) && self.terms.iter().all(of_term)
    }
}

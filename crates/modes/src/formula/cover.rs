//! Covers: sums of products of literals, and their algebraic division.

/// A mode variable or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Literal(u32);

impl Literal {
    /// The literal of the variable with this number: itself if `positive`, else its negation.
    pub(crate) fn new(variable: u32, positive: bool) -> Literal {
        Literal(variable << 1 | u32::from(!positive))
    }

    pub(crate) fn variable(self) -> u32 {
        self.0 >> 1
    }

    pub(crate) fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    pub(crate) fn negated(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// A product: its literals in order.
pub(crate) type Product = Vec<Literal>;
/// A sum of products, in order.
pub(crate) type Cover = Vec<Product>;

pub(crate) fn contains(product: &[Literal], part: &[Literal]) -> bool {
    part.iter().all(|literal| product.binary_search(literal).is_ok())
}

pub(crate) fn without(product: &[Literal], part: &[Literal]) -> Product {
    product.iter().copied().filter(|literal| part.binary_search(literal).is_err()).collect()
}

/// The literals that all products have.
pub(crate) fn common_literals(cover: &[Product]) -> Product {
    let Some((first, rest)) = cover.split_first() else { return Vec::new() };
    first.iter().copied().filter(|literal| rest.iter().all(|product| contains(product, &[*literal]))).collect()
}

/// The cover with the literals that all products have taken out.
pub(crate) fn without_common_literals(cover: &[Product]) -> Cover {
    let common = common_literals(cover);
    cover.iter().map(|product| without(product, &common)).collect()
}

/// The largest quotient and the remainder with `cover = quotient * divisor + remainder`, as polynomials.
pub(crate) fn divide(cover: &[Product], divisor: &[Product]) -> (Cover, Cover) {
    let partial = |part: &Product| -> Cover {
        cover.iter().filter(|product| contains(product, part)).map(|product| without(product, part)).collect()
    };
    let mut parts = divisor.iter();
    let mut quotient = parts.next().map(partial).unwrap_or_default();
    for part in parts {
        let candidates = partial(part);
        quotient.retain(|product| candidates.contains(product));
    }
    let is_covered = |product: &Product| {
        divisor.iter().any(|part| contains(product, part) && quotient.contains(&without(product, part)))
    };
    let remainder = cover.iter().filter(|product| !is_covered(product)).cloned().collect();
    (quotient, remainder)
}

/// The literal that most products have, at least two of them; of several the first.
pub(crate) fn most_frequent_literal(cover: &[Product]) -> Option<Literal> {
    let mut literals: Vec<Literal> = cover.iter().flatten().copied().collect();
    literals.sort_unstable();
    let runs = literals.chunk_by(|left, right| left == right);
    runs.filter(|run| run.len() > 1).max_by_key(|run| (run.len(), std::cmp::Reverse(run[0]))).map(|run| run[0])
}

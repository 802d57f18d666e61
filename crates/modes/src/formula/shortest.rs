//! The search for a short formula between two bounds.

use rustc_hash::FxHashMap;

use crate::formula::cover::{Cover, Literal};
use crate::formula::expression::Expression;
use crate::formula::factor::{conjunction, factored};
use crate::formula::irredundant::IrredundantCover;
use crate::formula::minimum::{TABLE_VARIABLES, Table, VARIABLE_TABLES, minimum_cover};
use crate::set::{ModeSet, ModeVariable};
use crate::space::ModeSpace;

/// The sets from `lower` to `upper`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) lower: ModeSet,
    pub(crate) upper: ModeSet,
}

impl Interval {
    fn complement(self) -> Interval {
        Interval { lower: !self.upper, upper: !self.lower }
    }

    fn support(self, space: &ModeSpace) -> Vec<ModeVariable> {
        space.support_of_all(&[self.lower, self.upper])
    }

    /// The part of the interval that does not depend on `variable`, if there is any.
    fn without(self, space: &ModeSpace, variable: ModeVariable) -> Option<Interval> {
        let lower = space.exists(self.lower, &[variable]);
        let upper = space.for_all(self.upper, &[variable]);
        space.implies(lower, upper).then_some(Interval { lower, upper })
    }

    /// The part that does not depend on `variables`, for a set in the interval that does not either.
    fn without_foreign(self, space: &ModeSpace, variables: &[ModeVariable]) -> Interval {
        Interval { lower: space.exists(self.lower, variables), upper: space.for_all(self.upper, variables) }
    }

    /// Whether a search for a short formula is cheap enough.
    fn is_searchable(self, space: &ModeSpace) -> bool {
        space.size(self.lower) + space.size(self.upper) <= MOST_NODES && self.support(space).len() <= MOST_VARIABLES
    }

    /// Drops those of `variables`, one after the other, that can be done without.
    fn without_any(self, space: &ModeSpace, variables: impl IntoIterator<Item = ModeVariable>) -> Interval {
        variables.into_iter().fold(self, |interval, variable| interval.without(space, variable).unwrap_or(interval))
    }
}

/// What was found.
pub(crate) enum Found {
    Whole(Expression),
    /// Some terms, with a remark on the rest behind.
    Part {
        before: &'static str,
        shown: Expression,
        after: String,
    },
}

/// Sets over more variables, or with more nodes, are abbreviated without a search.
const MOST_VARIABLES: usize = 400;
const MOST_NODES: usize = 4000;
/// Sums of more products are abbreviated: factoring takes time that grows with their square.
const MOST_PRODUCTS: usize = 300;
/// Variables up to which several ways to do without some of them are tried.
const FEW_VARIABLES: usize = 40;

/// Searches, and remembers formulas over table variables: models repeat the same few shapes.
pub(crate) struct Shortest {
    small: FxHashMap<(Table, Table), Expression>,
    pub(crate) most_literals: usize,
}

impl Default for Shortest {
    fn default() -> Self {
        Shortest { small: FxHashMap::default(), most_literals: 200 }
    }
}

impl Shortest {
    /// A short formula in `interval`, which came from a set that depends on `own` variables.
    pub(crate) fn find(&mut self, space: &ModeSpace, interval: Interval, own: &[ModeVariable]) -> Found {
        let narrowed = narrowings(space, interval, own);
        let formulas = narrowed.iter().filter_map(|&interval| self.formula(space, interval));
        let best = formulas.min_by_key(Expression::length);
        match best.filter(|best| best.length().0 <= self.most_literals) {
            Some(best) => Found::Whole(best),
            None => self.abbreviated(space, narrowed[0]),
        }
    }

    fn formula(&mut self, space: &ModeSpace, interval: Interval) -> Option<Expression> {
        let support = interval.support(space);
        if support.len() <= TABLE_VARIABLES {
            let small =
                self.small_formula(table(space, interval.lower, &support), table(space, interval.upper, &support));
            return Some(small.renamed(&|position| support[position as usize].0));
        }
        if !interval.is_searchable(space) {
            return None;
        }
        let direct = irredundant_cover(space, interval, self.most_literals);
        let complement = irredundant_cover(space, interval.complement(), self.most_literals);
        shortest_of(direct, complement)
    }

    fn small_formula(&mut self, lower: Table, upper: Table) -> Expression {
        let formula = self.small.entry((lower, upper)).or_insert_with(|| {
            let direct = minimum_cover(lower, upper);
            let complement = minimum_cover(!upper, !lower);
            shortest_of(Some(direct), Some(complement)).expect("both covers are given")
        });
        formula.clone()
    }

    /// The first terms of a formula that is too long, or of its negation if less of that is left out.
    fn abbreviated(&self, space: &ModeSpace, interval: Interval) -> Found {
        let direct = self.first_terms(space, interval);
        let complement = self.first_terms(space, interval.complement());
        if complement.hidden() < direct.hidden() { complement.found(true) } else { direct.found(false) }
    }

    fn first_terms(&self, space: &ModeSpace, interval: Interval) -> Terms {
        let mut terms = all_terms(space, interval, self.most_literals);
        let mut literals = 0;
        let fitting = terms.shown.iter().take_while(|product| {
            literals += product.len();
            literals <= self.most_literals
        });
        let fitting = fitting.count().max(1);
        terms.hidden_products = terms.hidden_products.saturating_add(terms.shown.len().saturating_sub(fitting) as u64);
        terms.shown.truncate(fitting);
        if let [product] = terms.shown.as_mut_slice() {
            terms.hidden_literals = product.len().saturating_sub(self.most_literals);
            product.truncate(self.most_literals);
        }
        terms
    }
}

/// The beginning of a sum of products.
struct Terms {
    shown: Cover,
    /// How many products are not shown; `u64::MAX` if that is not known.
    hidden_products: u64,
    /// How many literals of the only product shown are not.
    hidden_literals: usize,
}

impl Terms {
    fn hidden(&self) -> (u64, usize) {
        (self.hidden_products, self.hidden_literals)
    }

    fn found(self, negated: bool) -> Found {
        let shown = Expression::or(self.shown.iter().map(|product| conjunction(product)).collect());
        let mut after = String::new();
        if self.hidden_literals > 0 {
            after += &format!(" and … ({} more terms)", self.hidden_literals);
        }
        match self.hidden_products {
            0 => {}
            u64::MAX => after += " or … (more terms)",
            products => after += &format!(" or … ({products} more terms)"),
        }
        match (after.is_empty(), negated) {
            (true, false) => Found::Whole(shown),
            (true, true) => Found::Whole(shown.not()),
            (false, false) => Found::Part { before: "", shown, after },
            (false, true) => Found::Part { before: "not (", shown, after: after + ")" },
        }
    }
}

/// Products of a sum in `interval`, somewhat more than `most` of them if there are so many; if the sum is too hard to
/// get at, one example.
fn all_terms(space: &ModeSpace, interval: Interval, most: usize) -> Terms {
    if interval.is_searchable(space)
        && let Some(cover) = IrredundantCover::between(&mut space.kernel.borrow_mut(), interval.lower, interval.upper)
    {
        let shown = listed(space, &cover, most);
        let hidden_products = match cover.products() {
            u64::MAX => u64::MAX,
            products => products - shown.len() as u64,
        };
        return Terms { shown, hidden_products, hidden_literals: 0 };
    }
    let example = space.pick(interval.lower).unwrap_or_default();
    let is_all = space.implies(interval.lower, space.valuation(&example));
    let product = example.into_iter().map(|(variable, value)| Literal::new(variable.0, value)).collect();
    Terms { shown: vec![product], hidden_products: if is_all { 0 } else { u64::MAX }, hidden_literals: 0 }
}

/// Intervals within `interval` over fewer variables: without those that are not the set's own, and without as many as
/// possible, the last or the first declared dropped first.
fn narrowings(space: &ModeSpace, interval: Interval, own: &[ModeVariable]) -> Vec<Interval> {
    let support = interval.support(space);
    let foreign: Vec<_> = support.iter().copied().filter(|variable| own.binary_search(variable).is_err()).collect();
    let mut narrowed = vec![interval.without_foreign(space, &foreign)];
    if support.len() <= FEW_VARIABLES && support.len() > TABLE_VARIABLES && interval.is_searchable(space) {
        narrowed.push(interval.without_any(space, support.iter().rev().copied()));
        narrowed.push(interval.without_any(space, support.iter().copied()));
    }
    if support.len() <= TABLE_VARIABLES {
        narrowed.push(interval);
    }
    narrowed.dedup();
    narrowed
}

/// The shortest of: the factored sum; the negation of the complement's; its De Morgan form.
fn shortest_of(direct: Option<Cover>, complement: Option<Cover>) -> Option<Expression> {
    let direct = direct.map(|cover| factored(&cover));
    let complement = complement.map(|cover| factored(&cover));
    let dual = complement.as_ref().map(Expression::dual);
    let plain = [direct, complement.map(Expression::not), dual].into_iter().flatten();
    let candidates = plain.flat_map(|formula| [formula.clone(), formula.with_joined_negations()]);
    candidates.min_by_key(Expression::length)
}

/// An irredundant sum in `interval`, unless it has more than `most` or very many products.
fn irredundant_cover(space: &ModeSpace, interval: Interval, most: usize) -> Option<Cover> {
    let mut kernel = space.kernel.borrow_mut();
    let cover = IrredundantCover::between(&mut kernel, interval.lower, interval.upper)?;
    (cover.products() <= most.min(MOST_PRODUCTS) as u64).then(|| listed(space, &cover, most))
}

fn listed(space: &ModeSpace, cover: &IrredundantCover<'_>, most: usize) -> Cover {
    let literal = |(level, value)| Literal::new(space.variable_at(level).0, value);
    let mut products: Cover =
        cover.list(most).into_iter().map(|product| product.into_iter().map(literal).collect()).collect();
    products.iter_mut().for_each(|product| product.sort_unstable());
    products.sort_unstable();
    products
}

/// The truth table of a set over at most six variables.
fn table(space: &ModeSpace, set: ModeSet, variables: &[ModeVariable]) -> Table {
    let Some((variable, low, high)) = space.top(set) else {
        return if set.is_all() { !0 } else { 0 };
    };
    let position = variables.binary_search(&variable).expect("the table is over the set's support");
    let mask = VARIABLE_TABLES[position];
    (table(space, low, variables) & !mask) | (table(space, high, variables) & mask)
}

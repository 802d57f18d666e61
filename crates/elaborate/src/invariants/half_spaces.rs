//! Relations over several sums that cannot hold together: `x + y >= 2` and `y <= 0.5` leave no room for `x < 1`.
//!
//! A value of a mode variable that makes a relation hold puts the model into a half space. By Helly's theorem, half
//! spaces over d terms without a common point contain at most d + 1 of them that have none; each such set of mode
//! variables is excluded by a clause. Whether a few half spaces meet is decided by Fourier–Motzkin elimination with
//! exact coefficients. Groups of relations that share no term are looked at apart. A bound on the work makes the
//! search give up, which costs an exclusion and never adds a wrong one.

use std::collections::BTreeMap;

use modeshift_dae::{ExpressionId, FlatModel, RelationOperator, UnionFind};

use super::relations::{Form, Literal};
use super::sums::{Sum, exact_product, exact_sum};

/// Clauses over more relations than this are not looked for: they would say something of a corner of a polytope that no
/// modeler thinks of, and their number grows with every further relation.
const LARGEST_CLAUSE: usize = 4;
/// So many sets of half spaces are tried in one model: a few hundredths of a second.
const TRIES: usize = 50_000;

/// What holds while a mode variable has a value.
pub(crate) struct HalfSpace {
    /// The mode variable, and its value.
    pub(crate) while_it_is: Literal,
    room: Room,
    /// The sum of a relation that holds if and only if the mode variable has this value: such relations over one sum
    /// are thresholds on a line, which `relations` knows all about.
    line: Option<Form>,
}

/// `Σ terms + constant > 0`, or `>= 0` where it is closed.
#[derive(Clone)]
struct Room {
    terms: BTreeMap<ExpressionId, f64>,
    constant: f64,
    /// What rounding may have changed the constant by.
    error: f64,
    closed: bool,
}

impl HalfSpace {
    /// What `a operator b` says, where it is linear; of an equality both sides, of its negation nothing.
    pub(crate) fn of_relation(
        model: &FlatModel,
        while_it_is: Literal,
        operator: RelationOperator,
        a: ExpressionId,
        b: ExpressionId,
        line: Option<Form>,
    ) -> Vec<HalfSpace> {
        use RelationOperator::*;
        let Some(sum) = Sum::difference(model, a, b) else { return Vec::new() };
        let space = |sign, closed| HalfSpace { while_it_is, room: Room::new(&sum, sign, closed), line: line.clone() };
        let (above, below) = (|closed| space(1.0, closed), |closed| space(-1.0, closed));
        match operator {
            Greater => vec![above(false)],
            GreaterEqual => vec![above(true)],
            Less => vec![below(false)],
            LessEqual => vec![below(true)],
            Equal => vec![above(true), below(true)],
            NotEqual => Vec::new(),
        }
    }
}

impl Room {
    fn new(sum: &Sum, sign: f64, closed: bool) -> Room {
        let terms = sum.terms.iter().map(|&(term, coefficient)| (term, sign * coefficient)).collect();
        Room { terms, constant: sign * sum.constant, error: 0.0, closed }
    }

    /// Whether no point is in it, as far as its constant says.
    fn is_empty(&self) -> bool {
        let reached = self.constant + self.error;
        self.terms.is_empty() && (reached < 0.0 || reached == 0.0 && !self.closed)
    }

    /// What follows from both about the other terms, where the arithmetic is exact.
    fn without(&self, other: &Room, term: ExpressionId) -> Option<Room> {
        let (mine, theirs) = (self.terms[&term], other.terms[&term]);
        let mut terms = BTreeMap::new();
        for (room, factor) in [(self, theirs.abs()), (other, mine.abs())] {
            for (&it, &coefficient) in room.terms.iter().filter(|(it, _)| **it != term) {
                let sum = terms.entry(it).or_insert(0.0);
                *sum = exact_sum(*sum, exact_product(coefficient, factor)?)?;
            }
        }
        terms.retain(|_, coefficient| *coefficient != 0.0);
        let (a, b) = (self.constant * theirs.abs(), other.constant * mine.abs());
        let is_exact = exact_product(self.constant, theirs.abs()).is_some()
            && exact_product(other.constant, mine.abs()).is_some()
            && exact_sum(a, b).is_some();
        // Three roundings, each of at most half a unit in the last place of the larger part.
        let rounding = if is_exact { 0.0 } else { 2.0 * f64::EPSILON * (a.abs() + b.abs()) };
        let error = self.error * theirs.abs() + other.error * mine.abs() + rounding;
        Some(Room { terms, constant: a + b, error, closed: self.closed && other.closed })
    }
}

/// Values of mode variables that exclude each other, each as the literals that cannot hold together.
pub(crate) fn exclusions(spaces: &[HalfSpace]) -> Vec<Vec<Literal>> {
    let mut search = Search { spaces, found: Vec::new(), tries: TRIES };
    for group in groups(spaces) {
        search.group(&group);
    }
    search.found.into_iter().map(|set| set.into_iter().map(|it| spaces[it].while_it_is).collect()).collect()
}

/// Half spaces that share terms.
fn groups(spaces: &[HalfSpace]) -> Vec<Vec<usize>> {
    let mut numbers: BTreeMap<ExpressionId, usize> = BTreeMap::new();
    for space in spaces {
        for &term in space.room.terms.keys() {
            let next = numbers.len();
            numbers.entry(term).or_insert(next);
        }
    }
    let mut sets: UnionFind<usize> = UnionFind::new(numbers.len());
    for space in spaces {
        let mut terms = space.room.terms.keys().map(|term| numbers[term]);
        if let Some(first) = terms.next() {
            terms.for_each(|other| sets.join(first, other));
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, space) in spaces.iter().enumerate() {
        if let Some(term) = space.room.terms.keys().next() {
            groups.entry(sets.root(numbers[term])).or_default().push(index);
        }
    }
    groups.into_values().collect()
}

/// The search for sets of half spaces without a common point, smallest first.
struct Search<'a> {
    spaces: &'a [HalfSpace],
    found: Vec<Vec<usize>>,
    tries: usize,
}

impl Search<'_> {
    fn group(&mut self, group: &[usize]) {
        let terms: std::collections::BTreeSet<_> =
            group.iter().flat_map(|&it| self.spaces[it].room.terms.keys()).collect();
        if self.are_on_one_line(group) {
            return;
        }
        let known = self.found.len();
        for size in 2..=LARGEST_CLAUSE.min(terms.len() + 1) {
            self.extend(group, &mut Vec::new(), 0, size, known);
        }
    }

    fn are_on_one_line(&self, set: &[usize]) -> bool {
        let line = |it: usize| self.spaces[it].line.as_ref();
        set.first().is_none_or(|&first| line(first).is_some() && set.iter().all(|&it| line(it) == line(first)))
    }

    /// All sets of one size that begin with `chosen`.
    fn extend(&mut self, group: &[usize], chosen: &mut Vec<usize>, from: usize, size: usize, known: usize) {
        if chosen.len() == size {
            self.tries = self.tries.saturating_sub(1);
            let rooms: Vec<Room> = chosen.iter().map(|&it| self.spaces[it].room.clone()).collect();
            if !self.are_on_one_line(chosen) && are_disjoint(rooms) {
                self.found.push(chosen.clone());
            }
            return;
        }
        for (position, &next) in group.iter().enumerate().skip(from) {
            if self.tries == 0 {
                return;
            }
            let literal = self.spaces[next].while_it_is;
            if chosen.iter().any(|&it| self.spaces[it].while_it_is.mode == literal.mode) {
                continue;
            }
            chosen.push(next);
            let is_known = self.found[known..].iter().any(|set| set.iter().all(|it| chosen.contains(it)));
            if !is_known {
                self.extend(group, chosen, position + 1, size, known);
            }
            chosen.pop();
        }
    }
}

/// Whether the rooms have no point in common; where the arithmetic is not exact, they may have one.
fn are_disjoint(mut rooms: Vec<Room>) -> bool {
    loop {
        if rooms.iter().any(Room::is_empty) {
            return true;
        }
        let Some(&term) = rooms.iter().flat_map(|room| room.terms.keys()).next() else { return false };
        let (with, mut rest): (Vec<Room>, Vec<Room>) = rooms.into_iter().partition(|it| it.terms.contains_key(&term));
        let (above, below): (Vec<Room>, Vec<Room>) = with.into_iter().partition(|it| it.terms[&term] > 0.0);
        for first in &above {
            rest.extend(below.iter().filter_map(|second| first.without(second, term)));
        }
        rooms = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A half space over terms that are numbered.
    fn room(expressions: &mut modeshift_dae::Expressions, terms: &[(i64, f64)], constant: f64, closed: bool) -> Room {
        let terms = terms.iter().map(|&(term, coefficient)| (expressions.integer(term), coefficient)).collect();
        Room { terms, constant, error: 0.0, closed }
    }

    #[test]
    fn closed_half_spaces_meet_where_they_touch() {
        let mut expressions = modeshift_dae::Expressions::default();
        for (first, second) in [(true, true), (true, false), (false, true), (false, false)] {
            let above = room(&mut expressions, &[(1, 1.0)], -1.0, first);
            let below = room(&mut expressions, &[(1, -1.0)], 1.0, second);
            assert_eq!(are_disjoint(vec![above, below]), !(first && second));
        }
    }

    #[test]
    fn three_half_spaces_over_two_terms() {
        let mut expressions = modeshift_dae::Expressions::default();
        let sum = room(&mut expressions, &[(1, 1.0), (2, 1.0)], -2.0, true);
        let small = room(&mut expressions, &[(2, -1.0)], 0.5, true);
        for (least, disjoint) in [(1.0, true), (1.5, true), (1.75, false)] {
            let other = room(&mut expressions, &[(1, -1.0)], least, false);
            assert_eq!(are_disjoint(vec![sum.clone(), small.clone(), other]), disjoint, "x < {least}");
        }
    }

    /// A tenth is no floating-point number: what is nearer than rounding is left open.
    #[test]
    fn what_rounding_could_change_is_left_open() {
        let mut expressions = modeshift_dae::Expressions::default();
        let sum = room(&mut expressions, &[(1, 1.0), (2, 1.0)], -0.3, true);
        let first = room(&mut expressions, &[(1, -1.0)], 0.1, true);
        let exact = room(&mut expressions, &[(2, -1.0)], 0.2, false);
        let clear = room(&mut expressions, &[(2, -1.0)], 0.19, true);
        assert!(!are_disjoint(vec![sum.clone(), first.clone(), exact]));
        assert!(are_disjoint(vec![sum, first, clear]));
    }
}

//! Shortest-formula printing: a set of modes as Modelica text, given what the invariant says anyway.
//!
//! Modes outside the invariant are free, so a formula is sought between two bounds. Over up to six variables a smallest
//! sum of products comes from truth tables; over more, an irredundant one from the diagrams. The sum is factored, and so
//! is that of the complement; of the two, the negation and its De Morgan form included, the shortest is taken. Literals
//! come in order of declaration and nothing depends on addresses or hashes: the same set prints the same.
//!
//! | file | purpose |
//! |---|---|
//! | `shortest` | the search for a short formula between two bounds |
//! | `minimum` | smallest sums of products over at most six variables |
//! | `irredundant` | irredundant sums of products between two bounds |
//! | `cover` | sums of products, and their algebraic division |
//! | `factor` | common parts written once |
//! | `expression` | formulas as trees: how short they are, how they read |
//! | `families` | values of very many mode variables in few words |

mod cover;
mod expression;
mod factor;
mod families;
mod irredundant;
mod minimum;
mod shortest;

use rustc_hash::FxHashMap;
use std::cell::RefCell;

use crate::invariant::Invariant;
use crate::set::{ModeSet, ModeVariable};
use crate::space::ModeSpace;
use expression::{Expression, Names};
use shortest::{Found, Interval, Shortest};

/// A set of modes in Modelica syntax.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// For example `not bh and (bl or g)`.
    pub text: String,
    /// Whether terms were left out; then the text says how many.
    pub abbreviated: bool,
}

/// Puts a formula together as something other than text, such as an expression of a model.
pub trait FormulaBuilder {
    /// What a formula becomes.
    type Output;
    /// `true` or `false`.
    fn constant(&mut self, value: bool) -> Self::Output;
    /// A mode variable.
    fn variable(&mut self, variable: ModeVariable) -> Self::Output;
    /// A negation.
    fn not(&mut self, part: Self::Output) -> Self::Output;
    /// A conjunction of at least two parts.
    fn and(&mut self, parts: Vec<Self::Output>) -> Self::Output;
    /// A disjunction of at least two parts.
    fn or(&mut self, parts: Vec<Self::Output>) -> Self::Output;
}

/// Prints sets of one space, given an invariant and the names of the mode variables.
pub struct FormulaPrinter<'a> {
    space: &'a ModeSpace,
    invariant: &'a Invariant,
    names: &'a [String],
    /// Booleans that are functions of mode variables and can stand for them in print: their names and sets.
    named: Vec<String>,
    named_sets: Vec<ModeSet>,
    /// Per variable, the named sets that depend on it.
    named_by_variable: FxHashMap<ModeVariable, Vec<usize>>,
    shortest: RefCell<Shortest>,
    prefers_conjunctions: bool,
}

/// Named sets over more variables than this are not tried.
const MOST_NAMED_VARIABLES: usize = 64;
/// How many named sets are tried per formula.
const MOST_NAMED_TRIED: usize = 16;

impl<'a> FormulaPrinter<'a> {
    /// A printer; `names` has the text of each mode variable, quoted where Modelica needs it.
    pub fn new(space: &'a ModeSpace, invariant: &'a Invariant, names: &'a [String]) -> FormulaPrinter<'a> {
        assert!(names.len() >= space.variable_count(), "every mode variable has a name");
        FormulaPrinter {
            space,
            invariant,
            names,
            named: Vec::new(),
            named_sets: Vec::new(),
            named_by_variable: FxHashMap::default(),
            shortest: RefCell::new(Shortest::default()),
            prefers_conjunctions: false,
        }
    }

    /// Lets `name` stand for `set` where that makes a formula shorter. Constant sets and wide ones are not used.
    pub fn name_set(&mut self, name: impl Into<String>, set: ModeSet) {
        let support = self.space.support(set);
        if support.len() > MOST_NAMED_VARIABLES {
            return;
        }
        for variable in support {
            self.named_by_variable.entry(variable).or_default().push(self.named.len());
        }
        self.named.push(name.into());
        self.named_sets.push(set);
    }

    /// Abbreviates formulas with more than this many literals; 200 unless told.
    pub fn abbreviate_beyond(&mut self, literals: usize) {
        self.shortest.get_mut().most_literals = literals.max(1);
    }

    /// Writes conjunctions as such even where that takes more negations: `not a and not b` instead of `not (a or b)`.
    pub fn prefer_conjunctions(&mut self) {
        self.prefers_conjunctions = true;
    }

    /// The shortest formula that is true exactly in those valid modes that are in `set`.
    pub fn print(&self, set: ModeSet) -> Formula {
        self.print_within(set, ModeSet::ALL)
    }

    /// The shortest formula that is true exactly in those valid modes of `context` that are in `set`; what it says
    /// outside `context` does not matter.
    pub fn print_within(&self, set: ModeSet, context: ModeSet) -> Formula {
        let interval = self.interval(set, context);
        if let Some(text) = self.many_values(interval) {
            return Formula { text, abbreviated: true };
        }
        let plain = self.shortest.borrow_mut().find(self.space, interval, &self.space.support(set));
        match plain {
            Found::Whole(expression) => {
                let text = match self.prefers_conjunctions {
                    true => self.text(&expression.clone().with_open_conjunction()),
                    false => self.text(&expression),
                };
                let text = if expression.length().0 > 1 { self.shorter_with_names(interval, text) } else { text };
                Formula { text, abbreviated: false }
            }
            Found::Part { before, shown, after } => {
                Formula { text: format!("{before}{}{after}", self.text(&shown)), abbreviated: true }
            }
        }
    }

    /// As [`FormulaPrinter::print_within`], but put together by `builder`; nothing where it would be abbreviated.
    pub fn build_within<Builder: FormulaBuilder>(
        &self,
        set: ModeSet,
        context: ModeSet,
        builder: &mut Builder,
    ) -> Option<Builder::Output> {
        let interval = self.interval(set, context);
        match self.shortest.borrow_mut().find(self.space, interval, &self.space.support(set)) {
            Found::Whole(expression) => Some(expression.build(builder)),
            Found::Part { .. } => None,
        }
    }

    /// The sets that agree with `set` on the valid modes of `context`.
    fn interval(&self, set: ModeSet, context: ModeSet) -> Interval {
        let space = self.space;
        let concerned = space.and(self.invariant.concerning(space, set), context);
        let care = if concerned.is_empty() { ModeSet::ALL } else { concerned };
        Interval { lower: space.and(set, care), upper: space.or(set, !care) }
    }

    /// Values of very many mode variables, or that not all of them are had, where that is what the interval says.
    fn many_values(&self, interval: Interval) -> Option<String> {
        [(interval.lower, false), (!interval.upper, true)].into_iter().find_map(|(set, is_negated)| {
            let values = families::many_values(self.space, self.invariant, set)?;
            families::text(&values, self.names, is_negated, self.prefers_conjunctions)
        })
    }

    /// `text`, or a formula for the same with one named set if that is shorter.
    fn shorter_with_names(&self, interval: Interval, text: String) -> String {
        let tried = self.named_candidates(interval);
        let with_names = tried.into_iter().flat_map(|number| self.with_named(interval, number));
        let texts = with_names.map(|expression| self.text(&expression));
        let shortest = texts.min_by_key(|text| text.chars().count());
        shortest.filter(|shortest| shortest.chars().count() < text.chars().count()).unwrap_or(text)
    }

    /// Named sets over variables of the interval only, in order of their naming.
    fn named_candidates(&self, interval: Interval) -> Vec<usize> {
        if self.named.is_empty() {
            return Vec::new();
        }
        let support = self.space.support_of_all(&[interval.lower, interval.upper]);
        let lists = support.iter().filter_map(|variable| self.named_by_variable.get(variable));
        let mut numbers: Vec<usize> = lists.flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|&number| {
            self.space.support(self.named_sets[number]).iter().all(|variable| support.binary_search(variable).is_ok())
        });
        numbers.truncate(MOST_NAMED_TRIED);
        numbers
    }

    /// The formulas `name and …` and `name or …`, with the name or its negation, as far as there are such.
    fn with_named(&self, interval: Interval, number: usize) -> Vec<Expression> {
        let Interval { lower, upper } = interval;
        let mut formulas = Vec::new();
        for (name, set) in [
            (Expression::Named(number), self.named_sets[number]),
            (Expression::Named(number).not(), !self.named_sets[number]),
        ] {
            if self.space.implies(lower, set) {
                let rest = Interval { lower, upper: self.space.or(upper, !set) };
                formulas.extend(self.whole(rest).map(|rest| Expression::and(vec![name.clone(), rest])));
            }
            if self.space.implies(set, upper) {
                let rest = Interval { lower: self.space.difference(lower, set), upper };
                formulas.extend(self.whole(rest).map(|rest| Expression::or(vec![name.clone(), rest])));
            }
        }
        formulas
    }

    fn whole(&self, interval: Interval) -> Option<Expression> {
        let support = self.space.support_of_all(&[interval.lower, interval.upper]);
        match self.shortest.borrow_mut().find(self.space, interval, &support) {
            Found::Whole(expression) => Some(expression),
            Found::Part { .. } => None,
        }
    }

    fn text(&self, expression: &Expression) -> String {
        let mut text = String::new();
        expression.write(Names { variables: self.names, named: &self.named }, &mut text);
        text
    }
}

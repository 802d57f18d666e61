//! Small decisions on formulas: light simplification of nested guards, and whether a few guards cover all modes.

use modeshift_dae::{ExpressionId, Expressions, FlatModel, Node};
use rustc_hash::FxHashMap;

use crate::formulas::is_boolean;
use crate::invariants::relations::{Form, Normal, Point, normal};

/// Beyond so many conjuncts a guard is left as it is.
const CONJUNCTS: usize = 64;

/// So many values are given to atoms: a bound on work where formulas have nothing in common. An `if` of n branches takes n.
const MOST_CHOICES: usize = 10_000;

/// A conjunction without repeated members; `false` where it contains a formula and its negation.
pub(crate) fn simplified(expressions: &mut Expressions, formula: ExpressionId) -> ExpressionId {
    let Node::And(..) = expressions.node(formula) else { return formula };
    let Some(members) = conjuncts(expressions, formula) else { return formula };
    let mut kept: Vec<ExpressionId> = Vec::new();
    for &member in &members {
        let opposite = expressions.not(member);
        if kept.contains(&opposite) {
            return expressions.boolean(false);
        }
        if !kept.contains(&member) {
            kept.push(member);
        }
    }
    if kept.len() == members.len() {
        return formula;
    }
    let mut result = kept[0];
    for &member in &kept[1..] {
        result = expressions.and(result, member);
    }
    result
}

/// The members of a conjunction from left to right, if they are few.
fn conjuncts(expressions: &Expressions, formula: ExpressionId) -> Option<Vec<ExpressionId>> {
    let mut members = Vec::new();
    let mut pending = vec![formula];
    while let Some(id) = pending.pop() {
        match expressions.node(id) {
            Node::And(a, b) => pending.extend([b, a]),
            _ => members.push(id),
        }
        if members.len() + pending.len() > CONJUNCTS {
            return None;
        }
    }
    Some(members)
}

/// Whether one of the formulas over mode variables holds under every valuation; `None` where that is too much to find out.
pub(crate) fn cover_everything(expressions: &Expressions, formulas: &[ExpressionId]) -> Option<bool> {
    coverage(expressions, formulas).is_everything()
}

/// The same of conditions as they are written: relations over one sum are thresholds on a line, so that `x < 1` or `x >= 1` holds, and
/// `x < 2` where `x < 1` does.
pub(crate) fn conditions_cover_everything(model: &FlatModel, conditions: &[ExpressionId]) -> Option<bool> {
    Valuation::new(&model.expressions, Some(model)).coverage(conditions).is_everything()
}

/// Under which valuations of their atoms one of some formulas holds.
#[derive(Debug, PartialEq)]
pub(crate) enum Coverage {
    /// Under all.
    Everything,
    /// Not under those that give these atoms these values.
    AllBut(Vec<(ExpressionId, bool)>),
    /// That is too much to find out.
    Unknown,
}

impl Coverage {
    fn is_everything(&self) -> Option<bool> {
        match self {
            Coverage::Everything => Some(true),
            Coverage::AllBut(_) => Some(false),
            Coverage::Unknown => None,
        }
    }
}

/// Which valuations some formulas cover. An atom is whatever is not made by `not`, `and`, `or`.
pub(crate) fn coverage(expressions: &Expressions, formulas: &[ExpressionId]) -> Coverage {
    Valuation::new(expressions, None).coverage(formulas)
}

/// An atom that was given a value.
struct Choice {
    atom: ExpressionId,
    value: bool,
    /// How much was decided before.
    decided: usize,
    /// The first formula that was not known to be false.
    next: usize,
}

/// What follows from the values of some atoms.
struct Valuation<'a> {
    expressions: &'a Expressions,
    /// Where relations are atoms, the model they are of.
    model: Option<&'a FlatModel>,
    known: FxHashMap<ExpressionId, bool>,
    /// Relations as places on lines; the lines by their sums, and between which places they are.
    places: FxHashMap<ExpressionId, Option<OnLine>>,
    lines: FxHashMap<Form, usize>,
    between: Vec<Between>,
    /// All that is known, in the order in which it was found.
    trail: Vec<Found>,
}

/// A relation: a place on a line, and on which side of it the relation holds.
#[derive(Clone, Copy)]
struct OnLine {
    line: usize,
    point: Point,
    negated: bool,
}

/// The last place on a line that is known to be passed, and the first one that is known not to be.
#[derive(Clone, Copy, Default)]
struct Between {
    passed: Option<Point>,
    ahead: Option<Point>,
}

/// What was found out.
enum Found {
    Truth(ExpressionId),
    /// Where on a line it is; it was between these places before.
    Place(usize, Between),
}

impl<'a> Valuation<'a> {
    fn new(expressions: &'a Expressions, model: Option<&'a FlatModel>) -> Self {
        let (known, places, lines) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        Valuation { expressions, model, known, places, lines, between: Vec::new(), trail: Vec::new() }
    }

    /// Looks for a valuation under which none of the formulas holds.
    ///
    /// Of the first formula that is neither true nor false, one atom is given a value, then the other one. Branches of an `if` contradict
    /// each other one after the other in this way, however many there are; what an atom has decided stays known until it is taken back.
    fn coverage(&mut self, formulas: &[ExpressionId]) -> Coverage {
        let mut choices: Vec<Choice> = Vec::new();
        let mut next = 0;
        for _ in 0..MOST_CHOICES.max(4 * formulas.len()) {
            while let Some(&formula) = formulas.get(next)
                && self.value(formula) == Ok(false)
            {
                next += 1;
            }
            let Some(&formula) = formulas.get(next) else {
                return Coverage::AllBut(choices.iter().map(|it| (it.atom, it.value)).collect());
            };
            if let Err(atom) = self.value(formula) {
                choices.push(Choice { atom, value: true, decided: self.trail.len(), next });
            } else {
                // It holds: whatever came of the last choice is covered.
                while choices.pop_if(|it| !it.value).is_some() {}
                let Some(last) = choices.last_mut() else { return Coverage::Everything };
                last.value = false;
                next = last.next;
            }
            let &Choice { atom, value, decided, .. } = choices.last().expect("one was just made");
            self.take_back(decided);
            self.choose(atom, value);
        }
        Coverage::Unknown
    }

    fn choose(&mut self, atom: ExpressionId, value: bool) {
        self.set(atom, value);
        if let Some(place) = self.place(atom) {
            let before = self.between[place.line];
            self.trail.push(Found::Place(place.line, before));
            self.between[place.line].learn(place.point, value != place.negated);
        }
    }

    fn set(&mut self, id: ExpressionId, value: bool) {
        self.known.insert(id, value);
        self.trail.push(Found::Truth(id));
    }

    fn take_back(&mut self, decided: usize) {
        for found in self.trail.drain(decided..).rev() {
            match found {
                Found::Truth(id) => {
                    self.known.remove(&id);
                }
                Found::Place(line, before) => self.between[line] = before,
            }
        }
    }

    /// The truth of a formula, or an atom that it waits for.
    fn value(&mut self, formula: ExpressionId) -> Result<bool, ExpressionId> {
        let mut pending = vec![formula];
        while let Some(&id) = pending.last() {
            if self.known.contains_key(&id) {
                pending.pop();
                continue;
            }
            match self.step(id)? {
                Ok(value) => self.set(id, value),
                Err(operand) => pending.push(operand),
            }
        }
        Ok(self.known[&formula])
    }

    /// The truth of a formula by what is known of its operands, or the operand to look at first.
    fn step(&mut self, id: ExpressionId) -> Result<Result<bool, ExpressionId>, ExpressionId> {
        let known = |operand: ExpressionId| self.known.get(&operand).copied();
        let both = |a: ExpressionId, b: ExpressionId, decides: bool| match known(a) {
            None => Err(a),
            Some(value) if value == decides => Ok(decides),
            Some(_) => known(b).ok_or(b),
        };
        Ok(match self.expressions.node(id) {
            Node::Boolean(value) => Ok(value),
            Node::Not(a) => known(a).map(|value| !value).ok_or(a),
            Node::And(a, b) => both(a, b, false),
            Node::Or(a, b) => both(a, b, true),
            _ => {
                let place = self.place(id).ok_or(id)?;
                let is_passed = self.between[place.line].is_passed(place.point).ok_or(id)?;
                Ok(is_passed != place.negated)
            }
        })
    }

    /// Where on a line a relation has its threshold.
    fn place(&mut self, atom: ExpressionId) -> Option<OnLine> {
        let model = self.model?;
        if let Some(&known) = self.places.get(&atom) {
            return known;
        }
        let place = match self.expressions.node(atom) {
            Node::Relation(operator, a, b) if !is_boolean(model, a) => match normal(model, operator, a, b) {
                Normal::Threshold { family, point, negated } => {
                    let line = *self.lines.entry(family).or_insert(self.between.len());
                    self.between.resize(self.between.len().max(line + 1), Between::default());
                    Some(OnLine { line, point, negated })
                }
                Normal::Constant(_) => None,
            },
            _ => None,
        };
        self.places.insert(atom, place);
        place
    }
}

impl Between {
    fn learn(&mut self, point: Point, is_passed: bool) {
        let (first, last) = point.ends();
        match is_passed {
            true => {
                self.passed = self.passed.max(Some(first));
                // `e == c` says that no place behind it is passed either.
                self.ahead = if first == last { self.ahead } else { Some(self.ahead.map_or(last, |it| it.min(last))) };
            }
            false if first == last => self.ahead = Some(self.ahead.map_or(first, |it| it.min(first))),
            false => {}
        }
    }

    /// Whether a threshold is passed, or an equality holds, where that is known.
    fn is_passed(&self, point: Point) -> Option<bool> {
        let (first, last) = point.ends();
        let is_equality = first != last;
        let (passed, ahead) = (self.passed, self.ahead);
        if ahead.is_some_and(|it| it <= first) || is_equality && passed.is_some_and(|it| it >= last) {
            return Some(false);
        }
        let is_reached = passed.is_some_and(|it| it >= first);
        (is_reached && (!is_equality || ahead.is_some_and(|it| it <= last))).then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atoms(expressions: &mut Expressions) -> [ExpressionId; 2] {
        [expressions.string("p"), expressions.string("q")]
    }

    #[test]
    fn the_branches_of_an_if_with_else_cover_everything() {
        let mut expressions = Expressions::new();
        let [p, q] = atoms(&mut expressions);
        let (not_p, not_q) = (expressions.not(p), expressions.not(q));
        let (second, third) = (expressions.and(not_p, q), expressions.and(not_p, not_q));
        assert_eq!(cover_everything(&expressions, &[p, second, third]), Some(true));
        assert_eq!(cover_everything(&expressions, &[p, second]), Some(false));
    }

    #[test]
    fn many_atoms_are_covered_by_one_and_its_negation_only() {
        let mut expressions = Expressions::new();
        let atoms: Vec<ExpressionId> = (0..40).map(|k| expressions.string(&format!("p{k}"))).collect();
        let all = atoms.iter().copied().reduce(|a, b| expressions.and(a, b)).expect("atoms");
        for &atom in &atoms {
            let (not_atom, not_all) = (expressions.not(atom), expressions.not(all));
            assert_eq!(cover_everything(&expressions, &[all, atom, not_atom]), Some(true));
            assert_eq!(cover_everything(&expressions, &[all, not_atom]), Some(false));
            assert_eq!(cover_everything(&expressions, &[atom, not_all]), Some(true));
        }
    }

    #[test]
    fn an_if_of_many_branches_covers_everything_with_else_only() {
        let mut expressions = Expressions::new();
        let conditions: Vec<ExpressionId> = (0..20_000).map(|k| expressions.string(&format!("p{k}"))).collect();
        let mut before = expressions.boolean(true);
        let mut guards = Vec::new();
        for &condition in &conditions {
            guards.push(expressions.and(before, condition));
            let not = expressions.not(condition);
            before = expressions.and(before, not);
        }
        let Coverage::AllBut(values) = coverage(&expressions, &guards) else { panic!("without `else`") };
        assert!(values.len() == conditions.len() && values.iter().all(|it| !it.1));
        guards.push(before);
        assert_eq!(coverage(&expressions, &guards), Coverage::Everything);
    }

    /// Random formulas over six atoms, against all valuations.
    #[test]
    fn what_is_not_covered_is_found() {
        let mut expressions = Expressions::new();
        let atoms: Vec<ExpressionId> = (0..6).map(|k| expressions.string(&format!("p{k}"))).collect();
        let mut state = 1_u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let mut covered = 0;
        for _ in 0..500 {
            let mut all = atoms.clone();
            for _ in 0..12 {
                let (a, b) = (all[random(all.len())], all[random(all.len())]);
                all.push(match random(3) {
                    0 => expressions.not(a),
                    1 => expressions.and(a, b),
                    _ => expressions.or(a, b),
                });
            }
            let formulas = &all[15..];
            let holds = |valuation: usize| {
                let mut truth = Valuation::new(&expressions, None);
                (0..atoms.len()).for_each(|k| truth.choose(atoms[k], valuation >> k & 1 == 1));
                formulas.iter().any(|&formula| truth.value(formula) == Ok(true))
            };
            match coverage(&expressions, formulas) {
                Coverage::Unknown => panic!("six atoms"),
                Coverage::Everything => {
                    covered += 1;
                    assert!((0..64).all(holds));
                }
                Coverage::AllBut(values) => {
                    let fits = |it: &(ExpressionId, bool), valuation: usize| {
                        let k = atoms.iter().position(|&atom| atom == it.0).expect("an atom");
                        (valuation >> k & 1 == 1) == it.1
                    };
                    let mut without = (0..64).filter(|&valuation| values.iter().all(|it| fits(it, valuation)));
                    assert!(without.all(|valuation| !holds(valuation)));
                }
            }
        }
        assert!(covered > 20, "{covered} of 500");
    }

    #[test]
    fn a_guard_that_contradicts_the_guard_around_it_is_false() {
        let mut expressions = Expressions::new();
        let [p, q] = atoms(&mut expressions);
        let not_p = expressions.not(p);
        let (inner, outer) = (expressions.and(not_p, q), p);
        let both = expressions.and(outer, inner);
        assert_eq!(simplified(&mut expressions, both), expressions.boolean(false));
        let (twice, once) = (expressions.and(p, q), expressions.and(p, q));
        let twice = expressions.and(p, twice);
        assert_eq!(simplified(&mut expressions, twice), once);
    }
}

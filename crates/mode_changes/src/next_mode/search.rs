//! Which mode comes next: the one whose guards, right after the change, say so themselves.
//!
//! A cluster of elements (diodes, contacts, friction) is searched for a mode that all its conditions accept:
//! the current mode first; then all violated elements change at once, while that helps; then the violated element of
//! least index alone (Murty; finite where the conditions form a P-matrix); where modes are singular or there is no
//! progress, Lemke's method proposes a mode; in the end modes are tried by their distance from the current one.
//!
//! The papers decide by left limits, which on the water tank alternates for ever. Here the candidate mode decides.

use std::collections::BTreeSet;

use super::guard_series::Sign;
use super::lemke::{ComplementarySolution, lemke};
use crate::one_change::Noise;
use modeshift_numerics::small_dense::Matrix;

/// The state of each element of a cluster: 0 and 1 for a guard that is false or true, more for others.
pub type States = Vec<u32>;

/// A condition of an element's state: that something is not negative, and where to go if it is.
#[derive(Clone, Debug)]
pub struct StateCondition {
    /// The element.
    pub element: usize,
    /// Its sign in the candidate mode. (Of a condition that caused the event, the value in the mode being left is zero
    /// by definition.)
    pub sign: Sign,
    /// The state that a violation leads to.
    pub otherwise: u32,
}

/// The cluster as affine complementarity: for a reference mode and one implicit step, the quantities that the
/// elements impose (`z`) and those they leave free (`w = q + M z`).
#[derive(Clone, Debug)]
pub struct Complementarity {
    /// `q`
    pub constant: Vec<f64>,
    /// `M`
    pub matrix: Matrix<f64>,
    /// The state of each element where its `w` is the one that is positive, and where its `z` is.
    pub states: Vec<(u32, u32)>,
}

impl Complementarity {
    /// That of a cluster without elements.
    pub fn of_nothing() -> Self {
        Complementarity { constant: Vec::new(), matrix: Matrix::zero(0), states: Vec::new() }
    }
}

/// A cluster of elements whose modes can be tried.
pub trait Cluster {
    /// How many states each element has.
    fn states(&self) -> &[u32];

    /// The conditions of all elements in a mode, after a restart in it, or why the mode cannot even be tried.
    fn conditions(&mut self, mode: &States) -> Result<Vec<StateCondition>, String>;

    /// The cluster as affine complementarity, where it is one; more than one where it is not clear which step serves.
    fn complementarities(&mut self) -> Vec<Complementarity> {
        Vec::new()
    }

    /// Right limits and first derivatives of all states in a mode: the same solution has the same. What does not exist there is not a
    /// number.
    fn signature(&mut self, mode: &States) -> Vec<f64>;

    /// Finds the next mode by these strategies, one after the other.
    fn next_mode(&mut self, current: &States, strategies: &[Strategy]) -> NextMode {
        let mut search = Search { cluster: self, current, tried: Vec::new(), visited: BTreeSet::new() };
        match strategies.iter().find_map(|&strategy| search.by(strategy)) {
            Some(mode) => NextMode::Accepted { mode, tried: search.visited.len() },
            None => NextMode::None(search.tried),
        }
    }

    /// All modes of a small cluster that accept themselves, and whether they are one solution.
    fn accepted_modes(&mut self, current: &States, noise: &Noise) -> Accepted {
        let mut search = Search { cluster: self, current, tried: Vec::new(), visited: BTreeSet::new() };
        let mut accepted = Vec::new();
        for mode in nearest_modes(search.cluster.states(), current, usize::MAX) {
            if let Outcome::Accepted = search.try_mode(&mode) {
                accepted.push(mode);
            }
        }
        if accepted.is_empty() {
            return Accepted::None(search.tried);
        }
        let signatures: Vec<Vec<f64>> = accepted.iter().map(|mode| search.cluster.signature(mode)).collect();
        let same = signatures.iter().all(|other| is_same(&signatures[0], other, noise));
        if same { Accepted::One(accepted) } else { Accepted::Several(accepted) }
    }
}

/// What speaks against a mode.
#[derive(Clone, Debug, PartialEq)]
pub enum Objection {
    /// The mode is singular, or its restart is.
    Unusable(String),
    /// Of this element a condition is violated.
    Violated {
        /// The element.
        element: usize,
        /// Which term of the condition, and its value.
        sign: Sign,
    },
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum NextMode {
    /// This mode accepts itself.
    Accepted {
        /// The mode.
        mode: States,
        /// How many modes were tried.
        tried: usize,
    },
    /// No mode that was tried accepts itself; why not, by mode.
    None(Vec<(States, Objection)>),
}

/// All modes that accept themselves.
#[derive(Clone, Debug, PartialEq)]
pub enum Accepted {
    /// None does; why not, by mode.
    None(Vec<(States, Objection)>),
    /// One does, or several with the same solution: then the nearest to the current mode comes first.
    One(Vec<States>),
    /// Several, with different solutions: the model is ambiguous.
    Several(Vec<States>),
}

/// So many modes are tried, the nearest to the current one first, where all else fails: all of twelve elements with two states.
pub const MOST_TRIED: usize = 4096;
/// So often all violated elements change without fewer being violated than ever before: enough to leave a plateau, while
/// cycles are left to the other strategies soon.
const FAILURES: usize = 4;
/// Flipping one element at a time takes at most so many modes per element: on P-matrices a few per element are usual.
const MODES_PER_ELEMENT: usize = 20;

/// A way to search for the next mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// All violated elements change at once, while that helps.
    FlipAll,
    /// The violated element of least index changes.
    FlipLeast,
    /// Lemke's method proposes a mode.
    Complementary,
    /// Modes by their distance, the nearest first: all of a small cluster.
    Enumerate,
}

impl Strategy {
    /// All strategies, in the order in which they are tried.
    pub const ALL: [Strategy; 4] =
        [Strategy::FlipAll, Strategy::FlipLeast, Strategy::Complementary, Strategy::Enumerate];
}

/// First derivatives are a thousand times as uncertain as values: they are quotients by a short time scale. What does not exist in
/// one of the modes, and is not a number there, is not compared: no trajectory of the other differs by it.
fn is_same(a: &[f64], b: &[f64], noise: &Noise) -> bool {
    let is_near = |x: f64, y: f64| (x - y).abs() <= 1e3 * noise.relative * (1.0 + x.abs().max(y.abs()));
    a.iter().zip(b).all(|(&x, &y)| x.is_nan() || y.is_nan() || is_near(x, y))
}

enum Outcome {
    Accepted,
    /// Violated elements with the states they go to, by element.
    Violated(Vec<(usize, u32)>),
    Unusable,
}

struct Search<'a, C: ?Sized> {
    cluster: &'a mut C,
    current: &'a States,
    tried: Vec<(States, Objection)>,
    visited: BTreeSet<States>,
}

impl<C: Cluster + ?Sized> Search<'_, C> {
    fn by(&mut self, strategy: Strategy) -> Option<States> {
        match strategy {
            Strategy::FlipAll => self.flip_all(),
            Strategy::FlipLeast => self.flip_least(),
            Strategy::Complementary => self.complementary(),
            Strategy::Enumerate => self.enumerate(),
        }
    }

    fn try_mode(&mut self, mode: &States) -> Outcome {
        self.visited.insert(mode.clone());
        let conditions = match self.cluster.conditions(mode) {
            Ok(conditions) => conditions,
            Err(reason) => {
                self.tried.push((mode.clone(), Objection::Unusable(reason)));
                return Outcome::Unusable;
            }
        };
        let mut violated: Vec<(usize, u32)> = Vec::new();
        for condition in conditions {
            let StateCondition { element, sign, otherwise } = condition;
            if !sign.allows_positive() {
                if violated.is_empty() {
                    self.tried.push((mode.clone(), Objection::Violated { element, sign }));
                }
                if violated.last().is_none_or(|&(last, _)| last != element) {
                    violated.push((element, otherwise));
                }
            }
        }
        if violated.is_empty() { Outcome::Accepted } else { Outcome::Violated(violated) }
    }

    /// Changes all violated elements at once, while fewer are violated than ever before.
    fn flip_all(&mut self) -> Option<States> {
        let mut mode = self.current.clone();
        let (mut fewest, mut failures) = (usize::MAX, 0);
        while failures <= FAILURES && !self.visited.contains(&mode) {
            match self.try_mode(&mode) {
                Outcome::Accepted => return Some(mode),
                Outcome::Unusable => return None,
                Outcome::Violated(violated) => {
                    failures += usize::from(violated.len() >= fewest);
                    fewest = fewest.min(violated.len());
                    violated.iter().for_each(|&(element, state)| mode[element] = state);
                }
            }
        }
        None
    }

    /// Changes the violated element of least index only.
    fn flip_least(&mut self) -> Option<States> {
        let mut mode = self.current.clone();
        let mut seen = BTreeSet::new();
        let limit = MODES_PER_ELEMENT * (mode.len() + 1);
        while seen.len() < limit && seen.insert(mode.clone()) {
            match self.try_mode(&mode) {
                Outcome::Accepted => return Some(mode),
                Outcome::Unusable => return None,
                Outcome::Violated(violated) => mode[violated[0].0] = violated[0].1,
            }
        }
        None
    }

    /// A mode that Lemke's method proposes, if it accepts itself.
    fn complementary(&mut self) -> Option<States> {
        let problems = self.cluster.complementarities();
        problems.iter().find_map(|problem| self.proposed(problem))
    }

    /// The mode of the basis, which is regular. Elements where both quantities vanish may be on either side: those are
    /// tried free and in the state they are in, too.
    fn proposed(&mut self, problem: &Complementarity) -> Option<States> {
        let Complementarity { constant, matrix, states } = problem;
        let ComplementarySolution { z, in_basis } = lemke(constant, matrix)?;
        let is_tie = |element: usize| {
            let terms = || (0..z.len()).map(|k| matrix.get(element, k) * z[k]);
            let size = constant[element].abs() + terms().map(f64::abs).sum::<f64>();
            // Seven digits above rounding: a sum that nearly cancels is a tie.
            z[element] == 0.0 && (constant[element] + terms().sum::<f64>()).abs() <= 1e-9 * size
        };
        let state = |element: usize, imposed: bool| if imposed { states[element].1 } else { states[element].0 };
        let basis: States = (0..z.len()).map(|element| state(element, in_basis[element])).collect();
        let free: States = (0..z.len()).map(|element| state(element, z[element] > 0.0)).collect();
        let kept = (0..z.len()).map(|element| if is_tie(element) { self.current[element] } else { free[element] });
        let modes = [basis, kept.collect(), free.clone()];
        modes.into_iter().find(|mode| matches!(self.try_mode(mode), Outcome::Accepted))
    }

    fn enumerate(&mut self) -> Option<States> {
        let modes = nearest_modes(self.cluster.states(), self.current, MOST_TRIED);
        modes.into_iter().find(|mode| !self.visited.contains(mode) && matches!(self.try_mode(mode), Outcome::Accepted))
    }
}

/// So many modes at most, those that differ from the current one in the fewest elements first.
fn nearest_modes(states: &[u32], current: &States, most: usize) -> Vec<States> {
    let mut modes = vec![current.clone()];
    // Modes of one distance, with the element after the last that differs: only from there on another one does.
    let mut last = vec![(current.clone(), 0)];
    while !last.is_empty() && modes.len() < most {
        let mut next = Vec::new();
        for (mode, from) in &last {
            for element in *from..states.len() {
                for state in (0..states[element]).filter(|&state| state != current[element]) {
                    let mut other = mode.clone();
                    other[element] = state;
                    next.push((other, element + 1));
                }
            }
            if modes.len() + next.len() >= most {
                break;
            }
        }
        modes.extend(next.iter().map(|(mode, _)| mode.clone()));
        last = next;
    }
    modes.truncate(most);
    modes
}

//! Random automata of latches, clauses and `reinit`, against an interpreter of event iteration that knows nothing of this program.
//!
//! Slopes are powers of two, thresholds and start values multiples of 1/8: all times and values are binary fractions, and the interpreter
//! computes them exactly, so that it never has to say what is near to zero.

mod automaton;

use crate::support::runs::{How, run_text};
use automaton::{Clause, Definition, Model, Relation, Reset, model};
use modeshift_simulate::integrate::Method;

/// Instants of a run, and how often relations may turn in one of them before it is chattering.
const INSTANTS: usize = 14;
const TURNS: usize = 10;
/// What is not a multiple of this may not be exact any more.
const EXACT: f64 = 1.0 / (1u64 << 36) as f64;

const METHODS: [Method; 5] = [Method::Auto, Method::Auto, Method::Bdf, Method::Esdirk, Method::Explicit];

/// All that a run of an automaton knows.
struct Interpreter<'m> {
    model: &'m Model,
    time: f64,
    values: Vec<f64>,
    truths: Vec<bool>,
    booleans: Vec<bool>,
    conditions: Vec<Vec<bool>>,
    counts: Vec<Vec<i64>>,
    has_turned: bool,
}

/// Why a model is not compared.
#[derive(Debug, PartialEq)]
enum Left {
    Chattering,
    TwoResets,
    Inexact,
    Quiet,
}

impl<'m> Interpreter<'m> {
    fn new(model: &'m Model) -> Self {
        let holds = |it: &Relation| (model.starts[it.state] > it.limit) == it.is_above;
        let mut this = Interpreter {
            model,
            time: 0.0,
            values: model.starts.clone(),
            truths: model.relations.iter().map(holds).collect(),
            booleans: vec![false; model.booleans.len()],
            conditions: Vec::new(),
            counts: model.clauses.iter().map(|it| vec![0; it.conditions.len()]).collect(),
            has_turned: false,
        };
        // What clauses ask is what it is once `pre` values are settled.
        this.booleans = this.defined(true);
        this.booleans = this.defined(true);
        this.conditions = this.asked(&this.booleans);
        this
    }

    fn defined(&self, is_start: bool) -> Vec<bool> {
        let mut now: Vec<bool> = Vec::new();
        for (at, it) in self.model.booleans.iter().enumerate() {
            now.push(match *it {
                Definition::Relation(relation, is_so) => self.truths[relation] == is_so,
                Definition::Latch(set, reset) => now[set] || self.booleans[at] && !now[reset],
                Definition::Set(set, reset) => {
                    let is_edge = |of: usize| !is_start && now[of] && !self.booleans[of];
                    is_edge(set) || !is_edge(reset) && self.booleans[at]
                }
            });
        }
        now
    }

    fn asked(&self, now: &[bool]) -> Vec<Vec<bool>> {
        let of_clause = |it: &Clause| it.conditions.iter().map(|it| it.holds(&self.booleans, now)).collect();
        self.model.clauses.iter().map(of_clause).collect()
    }

    fn slope(&self, state: usize) -> f64 {
        let (boolean, [yes, no]) = self.model.slopes[state];
        if self.booleans[boolean] { yes } else { no }
    }

    /// One micro-step with the truths as they are; whether anything happened but that `pre` was copied.
    fn step(&mut self) -> Result<bool, Left> {
        let now = self.defined(false);
        let asked = self.asked(&now);
        let mut resets: Vec<Reset> = Vec::new();
        let mut has_fired = false;
        for (at, clause) in self.model.clauses.iter().enumerate() {
            let edges = asked[at].iter().zip(&self.conditions[at]);
            let Some(branch) = edges.into_iter().position(|(now, before)| *now && !before) else { continue };
            has_fired = true;
            self.counts[at][if clause.is_vector { 0 } else { branch }] += 1;
            if clause.is_vector || branch == 0 {
                resets.extend(clause.reset);
            }
        }
        let has_changed = now != self.booleans;
        (self.booleans, self.conditions) = (now, asked);
        for (at, reset) in resets.iter().enumerate() {
            if resets[..at].iter().any(|it| it.state == reset.state) {
                return Err(Left::TwoResets);
            }
            self.values[reset.state] = reset.value;
            for (relation, truth) in self.model.relations.iter().zip(&mut self.truths) {
                if relation.state == reset.state {
                    *truth = (reset.value > relation.limit) == relation.is_above;
                }
            }
        }
        Ok(has_fired || has_changed || !resets.is_empty())
    }

    /// Turns the relations at their limits that the flow leads to the other side.
    fn turn(&mut self) -> bool {
        let mut has_turned = false;
        for (at, relation) in self.model.relations.iter().enumerate() {
            let holds = (self.slope(relation.state) > 0.0) == relation.is_above;
            if self.values[relation.state] == relation.limit && self.truths[at] != holds {
                (self.truths[at], has_turned) = (holds, true);
            }
        }
        has_turned
    }

    fn instant(&mut self) -> Result<(), Left> {
        for turn in 0..TURNS {
            if !self.turn() {
                return Ok(());
            }
            self.has_turned |= turn > 0;
            let mut steps = 0;
            while self.step()? {
                steps += 1;
                if steps > TURNS {
                    return Err(Left::Chattering);
                }
            }
        }
        Err(Left::Chattering)
    }

    /// The time until the next relation changes.
    fn next(&self) -> Option<f64> {
        let until = |it: &Relation| (it.limit - self.values[it.state]) / self.slope(it.state);
        self.model.relations.iter().map(until).filter(|&it| it > 0.0).min_by(f64::total_cmp)
    }

    fn pass(&mut self, duration: f64) -> Result<(), Left> {
        for state in 0..self.values.len() {
            self.values[state] += self.slope(state) * duration;
        }
        self.time += duration;
        let is_exact = |it: &f64| (it / EXACT).fract() == 0.0 && it.abs() < 64.0;
        if self.values.iter().chain([&self.time]).all(is_exact) { Ok(()) } else { Err(Left::Inexact) }
    }

    /// Some instants, and some way on; whether any relation has turned twice in one of them.
    fn run(&mut self) -> Result<bool, Left> {
        for passed in 0..INSTANTS {
            match self.next() {
                Some(duration) if self.time + duration < 40.0 => self.pass(duration)?,
                _ if passed == 0 => return Err(Left::Quiet),
                _ => break,
            }
            self.instant()?;
        }
        let rest = self.next().unwrap_or(1.0).min(1.0);
        self.pass(rest / 2.0)?;
        Ok(self.has_turned)
    }
}

/// What is wrong with a run of a model, if anything; how it was left out, or whether it has turned.
fn compare(seed: u64) -> Result<bool, Left> {
    let model = model(seed);
    let mut reference = Interpreter::new(&model);
    let has_turned = reference.run()?;
    let method = METHODS[seed as usize % METHODS.len()];
    let how = How { method: Some(method), ..How::until(reference.time) };
    let ran = run_text(&model.text(), &how.tolerance(1e-9));
    let end = ran.summary.as_ref().map(|it| format!("{:?}", it.end));
    assert_eq!(end.as_deref(), Some("Stop"), "model {seed}: {}\n{:#?}", model.text(), ran.diagnostics);
    let mut wrong = Vec::new();
    for (at, &value) in reference.values.iter().enumerate() {
        let found = ran.last(&format!("x{at}"));
        if (found - value).abs() > 1e-7 {
            wrong.push(format!("x{at} = {found}, not {value}"));
        }
    }
    for (at, (clause, counts)) in model.clauses.iter().zip(&reference.counts).enumerate() {
        let branches = if clause.is_vector { 1 } else { clause.conditions.len() };
        for (branch, &count) in counts.iter().enumerate().take(branches) {
            let found = ran.last(&format!("n{at}{branch}"));
            if found != count as f64 {
                wrong.push(format!("n{at}{branch} = {found}, not {count}"));
            }
        }
    }
    assert!(wrong.is_empty(), "model {seed} at {}: {wrong:?}\n{}", reference.time, model.text());
    Ok(has_turned)
}

/// How many models were compared, and in how many of them a relation turned back in an instant; panics where any is wrong.
fn compare_all(seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut compared, mut turned, mut failures) = (0, 0, Vec::new());
    for seed in seeds {
        match std::panic::catch_unwind(|| compare(seed)) {
            Ok(Ok(has_turned)) => (compared, turned) = (compared + 1, turned + usize::from(has_turned)),
            Ok(Err(_)) => {}
            Err(_) => failures.push(seed),
        }
    }
    assert!(failures.is_empty(), "{} of {} are wrong: {failures:?}", failures.len(), compared + failures.len());
    (compared, turned)
}

#[test]
fn some_automata_do_what_event_iteration_does() {
    let (compared, turned) = compare_all(0..150);
    assert!(compared > 50 && turned > 5, "{compared} {turned}");
}

#[test]
#[ignore = "many models"]
fn many_automata_do_what_event_iteration_does() {
    let (compared, turned) = compare_all(1000..2600);
    assert!(compared > 500 && turned > 50, "{compared} {turned}");
}

//! Relations whose thresholds move in the instant in which they are reached, against a plain interpreter of the language's event iteration.
//!
//! A model is a list of relations between something that grows and a threshold that earlier relations and counters choose, and of
//! `when` clauses that count. All thresholds of what grows lie on a grid of times, so that many are reached at once; what else grows has a grid
//! of its own, since two functions are not at two thresholds at the same time but for rounding. The interpreter goes through the
//! times and knows nothing of guards: in each micro-step it evaluates relations one after the other, at what they are right after the
//! time, and then the clauses, until nothing changes.

use modeshift_simulate::integrate::Method;
use modeshift_simulate::run::RunEnd;

use crate::support::random::Random;
use crate::support::runs as support;
use support::{How, Ran, run_text};

/// The times of a grid are these many in this distance.
const GRID: (usize, f64) = (8, 0.5);
/// The second grid is so much later.
const LATER: f64 = 0.125;

/// What grows: its text, and the threshold that it reaches at a time.
type Growing = (&'static str, fn(f64) -> f64);
const GROWING: [Growing; 5] =
    [("time", |t| t), ("x", |t| t), ("2*x - 1", |t| 2.0 * t - 1.0), ("time*time", |t| t * t), ("x*x", |t| t * t)];

/// What chooses a threshold.
enum Choice {
    Relation(usize, bool),
    Both(usize, usize),
    Counted(usize),
}

/// A threshold, by the number of the time at which it is reached.
enum Threshold {
    At(usize),
    If(Choice, Box<[Threshold; 2]>),
}

struct Relation {
    /// What grows, of the two of the model.
    growing: usize,
    operator: &'static str,
    threshold: Threshold,
}

/// `when` one relation holds or does not, `elsewhen` another one.
struct Counter([(usize, bool); 2]);

struct Model {
    growing: [usize; 2],
    has_modes: bool,
    relations: Vec<Relation>,
    counters: Vec<Counter>,
}

fn threshold(random: &mut Random, (relations, counters): (usize, usize), depth: usize) -> Threshold {
    if depth == 0 || relations == 0 || random.below(4) == 0 {
        return Threshold::At(1 + random.below(GRID.0));
    }
    let choice = match random.below(5) {
        0 if counters > 0 => Choice::Counted(random.below(counters)),
        1 => Choice::Both(random.below(relations), random.below(relations)),
        _ => Choice::Relation(random.below(relations), random.below(3) > 0),
    };
    let mut branch = || threshold(random, (relations, counters), depth - 1);
    Threshold::If(choice, Box::new([branch(), branch()]))
}

impl Model {
    fn new(random: &mut Random) -> Self {
        let (count, counters) = (2 + random.below(4), 1 + random.below(3));
        let relations = (0..count).map(|number| Relation {
            growing: random.below(2),
            operator: [">=", ">", "<", "<="][random.below(4)],
            threshold: threshold(random, (number, counters), 2),
        });
        let relations = relations.collect();
        let has_modes = random.below(2) == 0;
        let growing = [random.below(GROWING.len()), random.below(GROWING.len())];
        let mut clause = || (random.below(count), random.below(4) > 0);
        Model {
            growing,
            has_modes,
            relations,
            counters: (0..counters).map(|_| Counter([clause(), clause()])).collect(),
        }
    }

    fn text(&self) -> String {
        let literal =
            |&(number, is_true): &(usize, bool)| if is_true { format!("b{number}") } else { format!("not b{number}") };
        let mut text = String::from("model M\n  Real x(start = 0, fixed = true);\n");
        (0..self.relations.len()).for_each(|it| text += &format!("  Boolean b{it};\n"));
        (0..self.counters.len()).for_each(|it| text += &format!("  Integer n{it}(start = 0, fixed = true);\n"));
        // The first relation decides about a mode in half of the models.
        let slope = if self.has_modes { "if b0 then 1 else -1" } else { "-1" };
        text += &format!("  Real y(start = 0, fixed = true);\nequation\n  der(x) = 1;\n  der(y) = {slope};\n");
        for (number, it) in self.relations.iter().enumerate() {
            let (growing, reached) = GROWING[self.growing[it.growing]];
            let threshold = it.threshold.text(&|number| reached(time(it.growing, number)));
            text += &format!("  b{number} = {growing} {} {threshold};\n", it.operator);
        }
        for (number, Counter([first, second])) in self.counters.iter().enumerate() {
            text += &format!("  when {} then\n    n{number} = pre(n{number}) + 1;\n", literal(first));
            text +=
                &format!("  elsewhen {} then\n    n{number} = pre(n{number}) + 10;\n  end when;\n", literal(second));
        }
        text + "end M;\n"
    }

    /// Truths of relations right after a time, with these counters before.
    fn truths(&self, instant: f64, before: &[f64]) -> Vec<bool> {
        let mut truths: Vec<bool> = Vec::new();
        for it in &self.relations {
            let is_reached = instant >= time(it.growing, it.threshold.number(&truths, before));
            truths.push(is_reached == it.operator.starts_with('>'));
        }
        truths
    }

    /// Truths and counters after the instants of the grid up to each of them, the start first.
    fn interpreted(&self) -> Vec<(Vec<bool>, Vec<f64>)> {
        let mut counts = vec![0.0; self.counters.len()];
        let mut truths = self.truths(0.0, &counts);
        let mut all = vec![(truths.clone(), counts.clone())];
        for instant in instants() {
            loop {
                let now = self.truths(instant, &counts);
                let rises = |&(it, is_true): &(usize, bool)| now[it] == is_true && truths[it] != is_true;
                let steps = self.counters.iter().map(|Counter([first, second])| {
                    if rises(first) { 1.0 } else { f64::from(u8::from(rises(second))) * 10.0 }
                });
                let after: Vec<f64> = counts.iter().zip(steps).map(|(count, step)| count + step).collect();
                let is_over = now == truths && after == counts;
                (truths, counts) = (now, after);
                if is_over {
                    break;
                }
            }
            all.push((truths.clone(), counts.clone()));
        }
        all
    }
}

impl Threshold {
    fn text(&self, value: &dyn Fn(usize) -> f64) -> String {
        match self {
            Threshold::At(number) => format!("{:?}", value(*number)),
            Threshold::If(choice, branches) => {
                let condition = match choice {
                    Choice::Relation(it, true) => format!("b{it}"),
                    Choice::Relation(it, false) => format!("not b{it}"),
                    Choice::Both(one, other) => format!("b{one} and b{other}"),
                    Choice::Counted(it) => format!("pre(n{it}) > 0"),
                };
                format!("(if {condition} then {} else {})", branches[0].text(value), branches[1].text(value))
            }
        }
    }

    /// The number of the time at which it is reached.
    fn number(&self, truths: &[bool], before: &[f64]) -> usize {
        match self {
            Threshold::At(number) => *number,
            Threshold::If(choice, branches) => {
                let is_first = match choice {
                    Choice::Relation(it, is_true) => truths[*it] == *is_true,
                    Choice::Both(one, other) => truths[*one] && truths[*other],
                    Choice::Counted(it) => before[*it] > 0.0,
                };
                branches[usize::from(!is_first)].number(truths, before)
            }
        }
    }
}

/// A time of one of the grids.
fn time(grid: usize, number: usize) -> f64 {
    number as f64 * GRID.1 + grid as f64 * LATER
}

/// All of them, ascending.
fn instants() -> impl Iterator<Item = f64> {
    (1..=GRID.0).flat_map(|number| [time(0, number), time(1, number)])
}

fn how(method: Method) -> How {
    let stop = time(1, GRID.0 + 1);
    How { interval: Some(0.5 * LATER), method: Some(method), ..How::until(stop) }
}

/// The first time after which a run does not show what the interpreter says.
fn differs(model: &Model, ran: &Ran) -> Option<f64> {
    let mut known = std::iter::once(0.0).chain(instants()).zip(model.interpreted());
    let differs = |(time, (truths, counts)): &(f64, (Vec<bool>, Vec<f64>))| {
        let row = time + 0.5 * LATER;
        let shown = |name: String| ran.at(row, &name);
        let mut truths = truths.iter().enumerate();
        truths.any(|(it, &truth)| (shown(format!("b{it}")) != 0.0) != truth)
            || counts.iter().enumerate().any(|(it, &count)| shown(format!("n{it}")) != count)
    };
    known.find(differs).map(|(time, _)| time)
}

#[test]
fn a_threshold_that_moves_on_when_it_is_reached_is_not_reached() {
    for growing in ["time", "x", "time*time", "exp(x) - 1"] {
        let (one, two) = match growing {
            "time*time" => ("1", "4"),
            "exp(x) - 1" => ("exp(1) - 1", "exp(2) - 1"),
            _ => ("1", "2"),
        };
        let text = format!(
            "model M Real x(start = 0, fixed = true); Boolean on, late; Integer n(start = 0, fixed = true);
             equation der(x) = 1; on = {growing} >= {one}; late = {growing} >= (if on then {two} else {one});
             when late then n = pre(n) + 1; end when; end M;"
        );
        for method in Method::ALL {
            let ran =
                run_text(&text, &How { method: Some(method), tolerance: Some(1e-9), ..How::until(3.0) }).finished();
            let first = ran.result.times().iter().zip(ran.values("n")).find(|(_, n)| *n > 0.0).expect("it fires");
            assert!((first.0 - 2.0).abs() < 1e-6, "{growing}, {method:?}: {first:?}");
            assert_eq!(ran.last("n"), 1.0, "{growing}, {method:?}");
        }
    }
}

#[test]
fn random_thresholds_move_as_the_event_iteration_says() {
    let mut random = Random(7);
    let mut wrong = Vec::new();
    for number in 0..800 {
        let model = Model::new(&mut random);
        let text = model.text();
        let run = run_text(&text, &how([Method::Auto, Method::Bdf][number % 2]));
        let is_finished = run.summary.as_ref().is_some_and(|it| it.end == RunEnd::Stop);
        let problem = match is_finished {
            true => differs(&model, &run).map(|time| format!("differs after {time}")),
            false => Some(format!("{:?}", run.diagnostics.first().map(|it| &it.message))),
        };
        wrong.extend(problem.map(|problem| format!("{number}: {problem}\n{text}")));
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

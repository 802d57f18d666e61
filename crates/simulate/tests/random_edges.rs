//! Random automata of latches, clauses and `reinit`, against an interpreter of event iteration that knows nothing of this program.
//!
//! Slopes are powers of two, thresholds and start values multiples of 1/8: all times and values are binary fractions, and the interpreter
//! computes them exactly, so that it never has to say what is near to zero.

use crate::support::random::Random;
use crate::support::runs::{How, run_text};

/// Instants of a run, and how often relations may turn in one of them before it is chattering.
const INSTANTS: usize = 14;
const TURNS: usize = 10;
/// What is not a multiple of this may not be exact any more.
const EXACT: f64 = 1.0 / (1u64 << 36) as f64;

/// `x > limit` or `x < limit`.
#[derive(Clone, Copy)]
struct Relation {
    state: usize,
    is_above: bool,
    limit: f64,
}

/// What a Boolean is: a relation or its opposite, or a latch of two of those that come before.
#[derive(Clone, Copy)]
enum Definition {
    Relation(usize, bool),
    Latch(usize, usize),
}

/// The condition of a clause.
#[derive(Clone, Copy)]
enum Condition {
    Is(usize),
    IsNot(usize),
    Change(usize),
    Edge(usize),
}

/// What a clause does beside counting.
#[derive(Clone, Copy)]
struct Reset {
    state: usize,
    value: f64,
}

struct Clause {
    /// Branches: the first, and what stands behind `elsewhen`; or elements of a vector.
    conditions: Vec<Condition>,
    is_vector: bool,
    reset: Option<Reset>,
}

struct Model {
    starts: Vec<f64>,
    relations: Vec<Relation>,
    booleans: Vec<Definition>,
    /// By state: the Boolean that decides about it, and both slopes.
    slopes: Vec<(usize, [f64; 2])>,
    clauses: Vec<Clause>,
    is_algorithm: bool,
}

fn one_of<T: Copy>(random: &mut Random, all: &[T]) -> T {
    all[random.below(all.len())]
}

fn condition(random: &mut Random, booleans: usize) -> Condition {
    let kind = random.below(5);
    let boolean = random.below(booleans);
    match kind {
        0 | 1 => Condition::Is(boolean),
        2 => Condition::IsNot(boolean),
        3 => Condition::Change(boolean),
        _ => Condition::Edge(boolean),
    }
}

fn model(seed: u64) -> Model {
    let random = &mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
    let states = 1 + random.below(3);
    let starts = (0..states).map(|_| (2 * random.below(8)) as f64 / 8.0 - 0.875).collect();
    let mut relations: Vec<Relation> = Vec::new();
    for at in 0..states + 1 + random.below(3) {
        let limit = (2 * random.below(9)) as f64 / 8.0 - 1.0;
        relations.push(Relation { state: at % states, is_above: random.below(2) == 0, limit });
    }
    let mut booleans: Vec<Definition> =
        (0..relations.len()).map(|at| Definition::Relation(at, random.below(4) > 0)).collect();
    for _ in 0..1 + random.below(2) {
        let count = booleans.len();
        booleans.push(Definition::Latch(random.below(count), random.below(count)));
    }
    let slope = |random: &mut Random| -> f64 { one_of(random, &[1.0, 2.0, -1.0, -2.0, 0.5, -0.5]) };
    let slopes = (0..states)
        .map(|_| {
            // Back and forth as a rule, so that something happens.
            let first = slope(random);
            let second = if random.below(3) > 0 { -first.signum() * slope(random).abs() } else { slope(random) };
            (random.below(booleans.len()), [first, second])
        })
        .collect();
    let clauses = (0..2 + random.below(3))
        .map(|_| Clause {
            conditions: (0..1 + random.below(3) / 2).map(|_| condition(random, booleans.len())).collect(),
            is_vector: random.below(2) == 0,
            reset: (random.below(2) == 0)
                .then(|| Reset { state: random.below(states), value: (2 * random.below(8)) as f64 / 8.0 - 0.875 }),
        })
        .collect();
    Model { starts, relations, booleans, slopes, clauses, is_algorithm: random.below(3) == 0 }
}

impl Condition {
    fn text(self) -> String {
        match self {
            Condition::Is(at) => format!("b{at}"),
            Condition::IsNot(at) => format!("not b{at}"),
            Condition::Change(at) => format!("change(b{at})"),
            Condition::Edge(at) => format!("edge(b{at})"),
        }
    }

    fn holds(self, before: &[bool], now: &[bool]) -> bool {
        match self {
            Condition::Is(at) => now[at],
            Condition::IsNot(at) => !now[at],
            Condition::Change(at) => now[at] != before[at],
            Condition::Edge(at) => now[at] && !before[at],
        }
    }
}

impl Model {
    fn text(&self) -> String {
        let mut text = "model M\n".to_string();
        for (at, start) in self.starts.iter().enumerate() {
            text += &format!("  Real x{at}(start = {start}, fixed = true);\n");
        }
        for (at, it) in self.booleans.iter().enumerate() {
            text += &match it {
                Definition::Relation(..) => format!("  Boolean b{at};\n"),
                Definition::Latch(..) => format!("  Boolean b{at}(start = false, fixed = true);\n"),
            };
        }
        for (at, clause) in self.clauses.iter().enumerate() {
            let branches = if clause.is_vector { 1 } else { clause.conditions.len() };
            (0..branches).for_each(|it| text += &format!("  Integer n{at}{it}(start = 0, fixed = true);\n"));
        }
        text += "equation\n";
        for (at, (boolean, [yes, no])) in self.slopes.iter().enumerate() {
            text += &format!("  der(x{at}) = if b{boolean} then {yes} else {no};\n");
        }
        for (at, it) in self.booleans.iter().enumerate() {
            text += &match *it {
                Definition::Relation(relation, is_so) => {
                    let Relation { state, is_above, limit } = self.relations[relation];
                    let sign = if is_above { ">" } else { "<" };
                    let not = if is_so { "" } else { "not " };
                    format!("  b{at} = {not}(x{state} {sign} {limit});\n")
                }
                Definition::Latch(set, reset) => format!("  b{at} = b{set} or pre(b{at}) and not b{reset};\n"),
            };
        }
        let is_counted = |clause: &Clause| clause.reset.is_none() && self.is_algorithm;
        self.clauses.iter().enumerate().filter(|it| !is_counted(it.1)).for_each(|it| text += &self.clause(it, "="));
        text += "algorithm\n";
        self.clauses.iter().enumerate().filter(|it| is_counted(it.1)).for_each(|it| text += &self.clause(it, ":="));
        text + "end M;\n"
    }

    fn clause(&self, (at, clause): (usize, &Clause), assign: &str) -> String {
        let conditions: Vec<String> = clause.conditions.iter().map(|it| it.text()).collect();
        let reset = clause.reset.map_or(String::new(), |Reset { state, value }| format!(" reinit(x{state}, {value});"));
        if clause.is_vector {
            return format!(
                "  when {{{}}} then n{at}0 {assign} pre(n{at}0) + 1;{reset} end when;\n",
                conditions.join(", ")
            );
        }
        let mut text = String::new();
        for (branch, condition) in conditions.iter().enumerate() {
            let word = if branch == 0 { "when" } else { "elsewhen" };
            text += &format!("  {word} {condition} then");
            for it in 0..conditions.len() {
                let more = if it == branch { " + 1" } else { "" };
                text += &format!(" n{at}{it} {assign} pre(n{at}{it}){more};");
            }
            if branch == 0 {
                text += &reset;
            }
        }
        text + " end when;\n"
    }
}

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
        this.booleans = this.defined();
        this.booleans = this.defined();
        this.conditions = this.asked(&this.booleans);
        this
    }

    fn defined(&self) -> Vec<bool> {
        let mut now: Vec<bool> = Vec::new();
        for (at, it) in self.model.booleans.iter().enumerate() {
            now.push(match *it {
                Definition::Relation(relation, is_so) => self.truths[relation] == is_so,
                Definition::Latch(set, reset) => now[set] || self.booleans[at] && !now[reset],
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
        let now = self.defined();
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
    let ran = run_text(&model.text(), &How::until(reference.time).tolerance(1e-9));
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

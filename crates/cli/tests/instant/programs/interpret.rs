//! What a program does, by the language's rules: solve all equations with `pre` frozen, assign the reinits, copy `pre`,
//! and so on until nothing changes.

use super::program::{Branch, Condition, Item, Kind, Number, Program, Relation, Statement, Truth, Value};

/// Relations nearer to zero than this, and events nearer to each other, are ties.
const TIE: f64 = 1e-5;

/// More micro-steps in an instant, or more events in a run, are no use for a test.
const MOST_STEPS: usize = 40;
const MOST_EVENTS: usize = 60;

/// What may fire in a micro-step: `initial()` and samples, nothing, or every edge.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    Start,
    Quiet,
    Event,
}

/// The values of a run; truths are 0 and 1.
struct Interpreter<'a> {
    program: &'a Program,
    time: f64,
    states: Vec<f64>,
    /// Values of the last completed micro-step.
    pre: Vec<f64>,
    /// Values of this micro-step.
    values: Vec<f64>,
    /// Elements of conditions in the last completed micro-step, by their order in the program.
    conditions_before: Vec<bool>,
    /// The relation that has just been crossed, and its truth after that.
    crossed: Option<(usize, bool)>,
    has_tie: bool,
    /// Whether a `when` of an algorithm has fired in this micro-step: what it assigns after other statements holds for that
    /// step only, so that another one follows.
    has_fired: bool,
}

/// The values of all states and variables in the rows that are clear of events; nothing where the program is left out.
pub fn run(program: &Program, stop: f64, interval: f64) -> Option<Vec<(f64, Vec<f64>)>> {
    let mut it = Interpreter::new(program);
    it.start()?;
    let mut rows = Vec::new();
    let (mut row, mut last) = (1, 0.0);
    for _ in 0..MOST_EVENTS {
        let (time, crossed) = it.next_event(stop)?;
        while (row as f64) * interval < time.min(stop) {
            let at = row as f64 * interval;
            if at - last > TIE && time - at > TIE {
                rows.push((at, it.row(at)?));
            }
            row += 1;
        }
        if time >= stop {
            return (!it.has_tie && rows.len() > 5).then_some(rows);
        }
        if time - last < TIE && last > 0.0 {
            return None;
        }
        it.advance(time);
        it.instant(crossed)?;
        last = time;
    }
    None
}

impl<'a> Interpreter<'a> {
    fn new(program: &'a Program) -> Self {
        let start = |kind: &Kind| match *kind {
            Kind::Boolean(value) => f64::from(u8::from(value)),
            Kind::Integer(value) => f64::from(value),
            Kind::Real(value) => value,
            Kind::Defined(_) => 0.0,
        };
        let values: Vec<f64> = program.variables.iter().map(start).collect();
        Interpreter {
            program,
            time: 0.0,
            states: program.states.iter().map(|(start, _)| *start).collect(),
            pre: values.clone(),
            values,
            conditions_before: Vec::new(),
            crossed: None,
            has_tie: false,
            has_fired: false,
        }
    }

    /// The start: a clause fires only by `initial()` or a sample that is due, and conditions were before what they are there. What
    /// `pre` passes on from there is a change, and has its edges right after.
    fn start(&mut self) -> Option<()> {
        let (begun, _) = self.micro_step(Step::Start);
        if self.contradicts_start() {
            return None;
        }
        for _ in 0..MOST_STEPS {
            if self.pre == self.values {
                break;
            }
            self.pre = self.values.clone();
            self.micro_step(Step::Quiet);
        }
        if self.pre != self.values {
            return None;
        }
        self.conditions_before = begun;
        self.instant(None)
    }

    /// Whether a statement outside of `when` gives a variable another value than its fixed start.
    fn contradicts_start(&self) -> bool {
        let sections = self.program.items.iter();
        let mut statements = sections.flat_map(|it| if let Item::Algorithm(all) = it { &all[..] } else { &[] });
        statements.any(|it| matches!(it, Statement::Assign(k, _) if self.values[*k] != self.pre[*k]))
    }

    /// One instant: micro-steps until nothing changes. Nothing where that does not end.
    fn instant(&mut self, crossed: Option<(usize, bool)>) -> Option<()> {
        self.crossed = crossed;
        for _ in 0..MOST_STEPS {
            let (now, reinits) = self.micro_step(Step::Event);
            let has_changed = self.values != self.pre || !reinits.is_empty() || self.has_fired;
            for (state, value) in reinits {
                self.states[state] = value;
            }
            self.pre = self.values.clone();
            self.conditions_before = now;
            if !has_changed {
                self.forget_samples();
                self.crossed = None;
                return (!self.has_tie && self.values.iter().all(|it| it.abs() < 1e6)).then_some(());
            }
        }
        None
    }

    /// Solves all equations with `pre` frozen: the elements of conditions and what is to be assigned to states.
    fn micro_step(&mut self, step: Step) -> (Vec<bool>, Vec<(usize, f64)>) {
        let (mut now, mut reinits) = (Vec::new(), Vec::new());
        self.has_fired = false;
        let program = self.program;
        for item in &program.items {
            match item {
                Item::Definition(variable, value) => self.values[*variable] = self.value(value),
                Item::Clause(branches) => {
                    let fired = self.fired(branches, step, &mut now);
                    for (variable, _) in branches.iter().flat_map(|it| &it.equations) {
                        self.values[*variable] = self.pre[*variable];
                    }
                    for (variable, value) in fired.iter().flat_map(|&it| &branches[it].equations) {
                        self.values[*variable] = self.value(value);
                    }
                    for (state, value) in fired.iter().flat_map(|&it| &branches[it].reinits) {
                        reinits.push((*state, self.number(value)));
                    }
                }
                Item::Algorithm(statements) => self.algorithm(statements, step, &mut now),
            }
        }
        (now, reinits)
    }

    /// Statements one after the other, from the values before.
    fn algorithm(&mut self, statements: &[Statement], step: Step, now: &mut Vec<bool>) {
        for statement in statements {
            match statement {
                Statement::Assign(variable, _) => self.values[*variable] = self.pre[*variable],
                Statement::When(branches) => {
                    for (variable, _) in branches.iter().flat_map(|it| &it.equations) {
                        self.values[*variable] = self.pre[*variable];
                    }
                }
            }
        }
        for statement in statements {
            match statement {
                Statement::Assign(variable, value) => self.values[*variable] = self.value(value),
                Statement::When(branches) => {
                    let fired = self.fired(branches, step, now);
                    self.has_fired |= fired.is_some();
                    for (variable, value) in fired.iter().flat_map(|&it| &branches[it].equations) {
                        self.values[*variable] = self.value(value);
                    }
                }
            }
        }
    }

    /// The first branch with an edge.
    fn fired(&mut self, branches: &[Branch], step: Step, now: &mut Vec<bool>) -> Option<usize> {
        let mut first = None;
        for (k, branch) in branches.iter().enumerate() {
            for condition in &branch.conditions {
                let is_true = self.condition(condition);
                let before = self.conditions_before.get(now.len()).copied().unwrap_or(false);
                let by_itself = match condition {
                    Condition::Initial => step == Step::Start,
                    Condition::Sample(..) => is_true && step != Step::Quiet,
                    Condition::Truth(_) => is_true && step == Step::Event,
                };
                if by_itself && !before && first.is_none() {
                    first = Some(k);
                }
                now.push(is_true);
            }
        }
        first
    }

    fn condition(&mut self, condition: &Condition) -> bool {
        match condition {
            Condition::Truth(truth) => self.truth(truth),
            Condition::Sample(first, period) => {
                let count = (self.time - first) / period;
                count >= 0.0 && count == count.round()
            }
            Condition::Initial => false,
        }
    }

    /// After an instant no sample is due.
    fn forget_samples(&mut self) {
        let conditions = self.program.items.iter().flat_map(Item::conditions);
        for (before, condition) in self.conditions_before.iter_mut().zip(conditions) {
            *before &= !matches!(condition, Condition::Sample(..));
        }
    }

    /// The time of the next event and the relation that it crosses; nothing on a tie.
    fn next_event(&mut self, stop: f64) -> Option<(f64, Option<(usize, bool)>)> {
        let mut best = (stop, None);
        for time in self.times() {
            if time > self.time && time < best.0 {
                best = (time, None);
            }
        }
        let scheduled = best.0;
        for (k, relation) in self.program.relations.iter().enumerate() {
            let (distance, slope) = (self.form(relation), self.slope(&relation.form));
            if slope != 0.0 && distance != 0.0 && (distance < 0.0) == (slope > 0.0) {
                let time = self.time - distance / slope;
                if time - self.time < 1e-9 {
                    continue; // what has just been crossed, up to rounding
                }
                if (time - best.0).abs() < TIE || (time - scheduled).abs() < TIE {
                    return None;
                }
                if time < best.0 {
                    best = (time, Some((k, (slope > 0.0) == relation.is_above)));
                }
            }
        }
        Some(best)
    }

    /// Times that conditions name, the next sample of each.
    fn times(&self) -> Vec<f64> {
        let mut times = Vec::new();
        for item in &self.program.items {
            match item {
                Item::Definition(_, value) => times_of_value(value, &mut times),
                Item::Clause(_) => {}
                Item::Algorithm(statements) => {
                    for statement in statements {
                        if let Statement::Assign(_, value) = statement {
                            times_of_value(value, &mut times);
                        }
                    }
                }
            }
            for condition in item.conditions() {
                match condition {
                    Condition::Truth(truth) => times_of_truth(truth, &mut times),
                    // All are multiples of powers of two: exact.
                    Condition::Sample(first, period) => {
                        let passed = ((self.time - first) / period).floor() + 1.0;
                        times.push(first + period * passed.max(0.0));
                    }
                    Condition::Initial => {}
                }
            }
        }
        times
    }

    fn advance(&mut self, time: f64) {
        let derivatives = self.program.states.iter().map(|(_, derivative)| derivative);
        self.states.iter_mut().zip(derivatives).for_each(|(state, rate)| *state += rate * (time - self.time));
        self.time = time;
        self.define();
    }

    /// Values of what equations define, at the present time.
    fn define(&mut self) {
        let program = self.program;
        for item in &program.items {
            if let Item::Definition(variable, value @ Value::Number(_)) = item {
                self.values[*variable] = self.value(value);
                self.pre[*variable] = self.values[*variable];
            }
        }
    }

    /// All values at a time before the next event.
    fn row(&mut self, time: f64) -> Option<Vec<f64>> {
        let (kept, at) = (self.states.clone(), self.time);
        self.advance(time);
        let row = self.states.iter().chain(&self.values).copied().collect();
        (self.states, self.time) = (kept, at);
        self.define();
        Some(row)
    }

    /// How far a relation's form is above its bound.
    fn form(&self, relation: &Relation) -> f64 {
        self.number(&relation.form) - relation.bound
    }

    fn slope(&self, number: &Number) -> f64 {
        match number {
            Number::Time => 1.0,
            Number::State(k) => self.program.states[*k].1,
            Number::Sum(a, b) => self.slope(a) + self.slope(b),
            Number::Scaled(factor, of) => factor * self.slope(of),
            Number::Constant(_) | Number::Value(_) | Number::Pre(_) | Number::Choice(..) => 0.0,
        }
    }

    fn value(&mut self, value: &Value) -> f64 {
        match value {
            Value::Number(number) => self.number_seen(number),
            Value::Truth(truth) => f64::from(u8::from(self.truth(truth))),
        }
    }

    /// A number that may choose by a truth.
    fn number_seen(&mut self, number: &Number) -> f64 {
        match number {
            Number::Choice(truth, a, b) => {
                let chosen = if self.truth(truth) { a } else { b };
                self.number_seen(chosen)
            }
            Number::Sum(a, b) => self.number_seen(a) + self.number_seen(b),
            Number::Scaled(factor, of) => factor * self.number_seen(of),
            other => self.number(other),
        }
    }

    fn number(&self, number: &Number) -> f64 {
        match number {
            Number::Constant(value) => *value,
            Number::Time => self.time,
            Number::State(k) => self.states[*k],
            Number::Value(k) => self.values[*k],
            Number::Pre(k) => self.pre[*k],
            Number::Sum(a, b) => self.number(a) + self.number(b),
            Number::Scaled(factor, of) => factor * self.number(of),
            Number::Choice(..) => unreachable!("choices are not part of linear forms"),
        }
    }

    fn truth(&mut self, truth: &Truth) -> bool {
        match truth {
            Truth::Value(k) => self.values[*k] != 0.0,
            Truth::Pre(k) => self.pre[*k] != 0.0,
            Truth::Not(of) => !self.truth(of),
            Truth::And(a, b) => self.truth(a) & self.truth(b),
            Truth::Or(a, b) => self.truth(a) | self.truth(b),
            Truth::Relation(k) => self.relation(*k),
            Truth::TimeReached(time) => self.time >= *time,
            Truth::Above(number, bound) => {
                let distance = self.number(number) - bound;
                self.has_tie |= distance.abs() < TIE;
                distance > 0.0
            }
            Truth::Changed(k) => self.values[*k] != self.pre[*k],
            Truth::Edge(k) => self.values[*k] != 0.0 && self.pre[*k] == 0.0,
        }
    }

    /// A relation; the one that has just been crossed has its new truth as long as it stands at zero.
    fn relation(&mut self, k: usize) -> bool {
        let relation = &self.program.relations[k];
        let distance = self.form(relation);
        if distance.abs() < TIE {
            if let Some((crossed, is_true)) = self.crossed
                && crossed == k
                && distance.abs() < 1e-9
            {
                return is_true;
            }
            self.has_tie = true;
        }
        (distance > 0.0) == relation.is_above
    }
}

fn times_of_value(value: &Value, times: &mut Vec<f64>) {
    if let Value::Truth(truth) = value {
        times_of_truth(truth, times);
    }
}

fn times_of_truth(truth: &Truth, times: &mut Vec<f64>) {
    match truth {
        Truth::TimeReached(time) => times.push(*time),
        Truth::Not(of) => times_of_truth(of, times),
        Truth::And(a, b) | Truth::Or(a, b) => {
            times_of_truth(a, times);
            times_of_truth(b, times);
        }
        _ => {}
    }
}

//! Random programs: the same program for the same seed.

use super::program::{Branch, Condition, Item, Kind, Number, Program, Relation, Statement, Truth, Value};

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// A number with two places after the point that is no multiple of a quarter.
    fn odd(&mut self, from: f64, to: f64) -> f64 {
        let hundredths = self.below(((to - from) * 100.0) as usize) as f64;
        ((from * 100.0 + hundredths).round() + 0.37) / 100.0
    }

    /// A time of the schedule: a multiple of a quarter.
    fn quarter(&mut self) -> f64 {
        (1 + self.below(19)) as f64 * 0.25
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        (!from.is_empty()).then(|| from[self.below(from.len())])
    }
}

struct Generator {
    random: Random,
    program: Program,
    /// Variables that have been solved when the present item is.
    solved: Vec<usize>,
    has_algorithms: bool,
}

/// The program of a seed; some of its clauses are algorithm sections if wanted.
pub fn program(seed: u64, has_algorithms: bool) -> Program {
    // Seeds that follow each other must not give programs that are alike.
    let random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66);
    let program = Program {
        states: Vec::new(),
        variables: Vec::new(),
        relations: Vec::new(),
        items: Vec::new(),
        order: Vec::new(),
    };
    let mut generator = Generator { random, program, solved: Vec::new(), has_algorithms };
    generator.fill();
    generator.program
}

impl Generator {
    fn fill(&mut self) {
        for _ in 0..1 + self.random.below(3) {
            let start = self.random.odd(-2.0, 2.0);
            let derivative = [1.0, -1.0, 0.5, 1.5, -0.75, 2.0][self.random.below(6)];
            self.program.states.push((start, derivative));
        }
        let count = 2 + self.random.below(6);
        let kinds: Vec<Vec<usize>> = (0..count).map(|_| self.declare()).collect();
        let mut free: Vec<usize> = (0..self.program.states.len()).collect();
        for variables in kinds {
            let item = self.item(&variables, &mut free);
            self.program.items.push(item);
            self.solved.extend(variables);
        }
        self.program.order = (0..count).collect();
        for last in (1..count).rev() {
            let other = self.random.below(last + 1);
            self.program.order.swap(last, other);
        }
    }

    /// The variables of an item: those of a clause, or one that an equation defines.
    fn declare(&mut self) -> Vec<usize> {
        let first = self.program.variables.len();
        if self.random.chance(5) {
            let is_truth = !self.random.chance(3);
            self.program.variables.push(Kind::Defined(is_truth));
        } else {
            for _ in 0..1 + self.random.below(2) {
                let kind = match self.random.below(5) {
                    0 | 1 => Kind::Boolean(self.random.chance(2)),
                    2 | 3 => Kind::Integer(self.random.below(3) as i32),
                    _ => Kind::Real(self.random.odd(-1.0, 1.0)),
                };
                self.program.variables.push(kind);
            }
        }
        (first..self.program.variables.len()).collect()
    }

    fn item(&mut self, variables: &[usize], free: &mut Vec<usize>) -> Item {
        match self.program.variables[variables[0]] {
            Kind::Defined(true) => Item::Definition(variables[0], Value::Truth(self.event_truth(1))),
            Kind::Defined(false) => Item::Definition(variables[0], Value::Number(self.linear())),
            _ if self.has_algorithms && !self.random.chance(3) => Item::Algorithm(self.statements(variables)),
            _ => Item::Clause(self.branches(variables, free)),
        }
    }

    /// A section that assigns its variables in several places, each reading what the ones before it left.
    fn statements(&mut self, variables: &[usize]) -> Vec<Statement> {
        let plain = variables[0];
        let mut statements = Vec::new();
        let mut count = 1 + self.random.below(3);
        if !matches!(self.program.variables[plain], Kind::Real(_)) && self.random.chance(2) {
            let value = match self.program.variables[plain] {
                Kind::Boolean(_) => Value::Truth(self.event_truth(1)),
                _ if self.random.chance(2) => Value::Number(Number::Pre(plain)),
                _ => Value::Number(Number::Constant(0.0)),
            };
            statements.push(Statement::Assign(plain, value));
            count = count.max(2) - 1;
        }
        for _ in 0..count {
            let branches = (0..1 + self.random.below(4) / 2).map(|_| self.sequence(variables)).collect();
            statements.push(Statement::When(branches));
        }
        for &variable in variables {
            let is_assigned = statements.iter().any(|it| it.assigns(variable));
            let value = self.right_side_of(variable, variables);
            if let Some(Statement::When(branches)) = statements.last_mut().filter(|_| !is_assigned) {
                branches[0].equations.push((variable, value));
            }
        }
        statements
    }

    /// A branch whose assignments follow each other in any order, some of them twice.
    fn sequence(&mut self, variables: &[usize]) -> Branch {
        let own: Vec<usize> = variables.iter().copied().filter(|&k| self.is_kept_truth(k)).collect();
        let condition = match (self.condition(), self.random.pick(&own)) {
            (Condition::Truth(truth), Some(k)) if self.random.chance(3) => {
                Condition::Truth(Truth::And(Box::new(truth), Box::new(Truth::Not(Box::new(Truth::Value(k))))))
            }
            (condition, _) => condition,
        };
        let mut equations = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let variable = variables[self.random.below(variables.len())];
            equations.push((variable, self.right_side_of(variable, variables)));
        }
        Branch { conditions: vec![condition], equations, reinits: Vec::new() }
    }

    /// A value that may read all variables of the section, and their left limits.
    fn right_side_of(&mut self, variable: usize, section: &[usize]) -> Value {
        let solved = [&self.solved[..], section].concat();
        let integers: Vec<usize> = section.iter().copied().filter(|&k| self.is_integer(k)).collect();
        match (self.program.variables[variable], self.random.pick(&integers)) {
            (Kind::Integer(_), Some(k)) if self.random.chance(3) => {
                let (a, b) = (Number::Value(variable), Number::Pre(k));
                Value::Number(Number::Sum(
                    Box::new(a),
                    Box::new(Number::Sum(Box::new(b), Box::new(Number::Constant(-1.0)))),
                ))
            }
            _ => self.right_side(variable, &solved, false),
        }
    }

    fn branches(&mut self, variables: &[usize], free: &mut Vec<usize>) -> Vec<Branch> {
        let states: Vec<usize> = if self.random.chance(2) { Vec::new() } else { free.pop().into_iter().collect() };
        let is_initial = states.is_empty() && self.random.chance(8);
        let count = if is_initial { 1 } else { 1 + self.random.below(4) / 2 };
        (0..count).map(|_| self.branch(variables, &states, is_initial)).collect()
    }

    fn branch(&mut self, variables: &[usize], states: &[usize], is_initial: bool) -> Branch {
        let mut conditions = vec![if is_initial { self.condition_at_start() } else { self.condition() }];
        if self.random.chance(6) {
            conditions.push(self.condition());
        }
        let mut equations = Vec::new();
        for (k, &variable) in variables.iter().enumerate() {
            let solved = if is_initial { Vec::new() } else { [&self.solved[..], &variables[..k]].concat() };
            equations.push((variable, self.right_side(variable, &solved, is_initial)));
        }
        let reinits = states.iter().map(|&state| (state, self.reinit(state))).collect();
        Branch { conditions, equations, reinits }
    }

    /// Fires at the start.
    fn condition_at_start(&mut self) -> Condition {
        if self.random.chance(2) {
            Condition::Initial
        } else {
            Condition::Sample(0.0, 0.5 * (1 + self.random.below(4)) as f64)
        }
    }

    fn condition(&mut self) -> Condition {
        if self.random.chance(4) {
            return Condition::Sample(self.random.quarter(), self.random.quarter() + 0.25);
        }
        Condition::Truth(self.event_truth(2))
    }

    /// A truth whose changes are events.
    fn event_truth(&mut self, depth: usize) -> Truth {
        let truths: Vec<usize> = self.solved.iter().copied().filter(|&k| self.is_truth(k)).collect();
        let integers: Vec<usize> = self.solved.iter().copied().filter(|&k| self.is_integer(k)).collect();
        match self.random.below(if depth > 0 { 12 } else { 8 }) {
            0 | 1 => Truth::TimeReached(self.random.quarter()),
            2 | 3 => self.relation(),
            4 | 5 => self.random.pick(&truths).map_or_else(|| Truth::TimeReached(self.random.quarter()), Truth::Value),
            6 => {
                let bound = self.random.below(4) as f64 + 0.5;
                let number = self.random.pick(&integers).map(|k| Box::new(Number::Value(k)));
                number.map_or(Truth::TimeReached(bound + 0.25), |it| Truth::Above(it, bound))
            }
            7 => self.of_memory(),
            8 | 9 => Truth::Not(Box::new(self.event_truth(depth - 1))),
            10 => Truth::And(Box::new(self.event_truth(depth - 1)), Box::new(self.event_truth(depth - 1))),
            _ => Truth::Or(Box::new(self.event_truth(depth - 1)), Box::new(self.event_truth(depth - 1))),
        }
    }

    /// A truth that looks at `pre`.
    fn of_memory(&mut self) -> Truth {
        let all: Vec<usize> = (0..self.program.variables.len()).filter(|&k| self.is_kept_truth(k)).collect();
        let solved: Vec<usize> = self.solved.iter().copied().filter(|&k| self.is_kept_truth(k)).collect();
        match (self.random.below(3), self.random.pick(&all), self.random.pick(&solved)) {
            (0, _, Some(k)) => Truth::Changed(k),
            (1, _, Some(k)) => Truth::Edge(k),
            (_, Some(k), _) => Truth::Pre(k),
            _ => Truth::TimeReached(self.random.quarter()),
        }
    }

    fn relation(&mut self) -> Truth {
        let state = Number::State(self.random.below(self.program.states.len()));
        let numbers: Vec<usize> = self.solved.iter().copied().filter(|&k| self.is_integer(k)).collect();
        let form = match self.random.pick(&numbers) {
            Some(k) if self.random.chance(4) => Number::Sum(Box::new(state), Box::new(Number::Value(k))),
            _ => state,
        };
        let bound = self.random.odd(-2.0, 4.0);
        let is_above = self.random.chance(2);
        self.program.relations.push(Relation { form, bound, is_above });
        Truth::Relation(self.program.relations.len() - 1)
    }

    /// A linear form of a state and a discrete number.
    fn linear(&mut self) -> Number {
        let state = Number::State(self.random.below(self.program.states.len()));
        let factor = [2.0, 0.5, -1.0][self.random.below(3)];
        let numbers: Vec<usize> = self.solved.iter().copied().filter(|&k| self.is_number(k)).collect();
        let scaled = Number::Scaled(factor, Box::new(state));
        match self.random.pick(&numbers) {
            Some(k) => Number::Sum(Box::new(scaled), Box::new(Number::Value(k))),
            None => scaled,
        }
    }

    fn right_side(&mut self, variable: usize, solved: &[usize], is_initial: bool) -> Value {
        match self.program.variables[variable] {
            Kind::Boolean(_) => Value::Truth(self.new_truth(variable, solved)),
            Kind::Integer(_) => Value::Number(self.new_integer(variable, solved)),
            _ if is_initial => {
                Value::Number(Number::Sum(Box::new(Number::Pre(variable)), Box::new(Number::Constant(1.25))))
            }
            _ => Value::Number(self.new_real(variable, solved)),
        }
    }

    fn new_truth(&mut self, variable: usize, solved: &[usize]) -> Truth {
        let truths: Vec<usize> = solved.iter().copied().filter(|&k| self.is_truth(k)).collect();
        let integers: Vec<usize> = solved.iter().copied().filter(|&k| self.is_integer(k)).collect();
        match (self.random.below(6), self.random.pick(&truths), self.random.pick(&integers)) {
            (0, Some(k), _) => Truth::Value(k),
            (1, Some(k), _) => {
                Truth::Or(Box::new(Truth::Not(Box::new(Truth::Value(k)))), Box::new(Truth::Pre(variable)))
            }
            (2, _, Some(k)) => Truth::Above(Box::new(Number::Value(k)), 1.5),
            (3, _, _) if !solved.is_empty() => {
                let state = Number::State(self.random.below(self.program.states.len()));
                Truth::Above(Box::new(state), self.random.odd(-1.0, 3.0))
            }
            _ => Truth::Not(Box::new(Truth::Pre(variable))),
        }
    }

    fn new_integer(&mut self, variable: usize, solved: &[usize]) -> Number {
        let truths: Vec<usize> = solved.iter().copied().filter(|&k| self.is_truth(k)).collect();
        let integers: Vec<usize> = solved.iter().copied().filter(|&k| self.is_integer(k)).collect();
        let plus = |a: Number, b: f64| Number::Sum(Box::new(a), Box::new(Number::Constant(b)));
        match (self.random.below(5), self.random.pick(&truths), self.random.pick(&integers)) {
            (0, Some(k), _) => {
                let truth = Box::new(Truth::Value(k));
                Number::Choice(truth, Box::new(plus(Number::Pre(variable), 2.0)), Box::new(Number::Constant(0.0)))
            }
            (1, _, Some(k)) => plus(Number::Value(k), 1.0),
            (2, _, Some(k)) => Number::Sum(Box::new(Number::Pre(variable)), Box::new(Number::Value(k))),
            _ => plus(Number::Pre(variable), 1.0),
        }
    }

    fn new_real(&mut self, variable: usize, solved: &[usize]) -> Number {
        let numbers: Vec<usize> = solved.iter().copied().filter(|&k| self.is_number(k)).collect();
        let state = Number::State(self.random.below(self.program.states.len()));
        match (self.random.below(6), self.random.pick(&numbers)) {
            (0, Some(k)) => Number::Sum(Box::new(Number::Value(k)), Box::new(state)),
            (1, Some(k)) => Number::Scaled(0.5, Box::new(Number::Value(k))),
            (2, _) => Number::Sum(Box::new(Number::Scaled(0.5, Box::new(Number::Pre(variable)))), Box::new(state)),
            (3, _) => Number::Time,
            (4, _) => state,
            _ => Number::Sum(Box::new(Number::Pre(variable)), Box::new(Number::Constant(0.5))),
        }
    }

    fn reinit(&mut self, state: usize) -> Number {
        let numbers: Vec<usize> = self.solved.iter().copied().filter(|&k| self.is_number(k)).collect();
        let other = Number::State(self.random.below(self.program.states.len()));
        let constant = self.random.odd(-2.0, 2.0);
        match (self.random.below(5), self.random.pick(&numbers)) {
            (0, Some(k)) => Number::Sum(
                Box::new(Number::Scaled(0.5, Box::new(Number::Value(k)))),
                Box::new(Number::Constant(constant)),
            ),
            (1, _) => Number::Scaled(-0.5, Box::new(Number::State(state))),
            (2, _) => {
                Number::Sum(Box::new(Number::Scaled(0.25, Box::new(other))), Box::new(Number::Constant(constant)))
            }
            _ => Number::Constant(constant),
        }
    }

    fn is_truth(&self, k: usize) -> bool {
        matches!(self.program.variables[k], Kind::Boolean(_) | Kind::Defined(true))
    }

    fn is_kept_truth(&self, k: usize) -> bool {
        matches!(self.program.variables[k], Kind::Boolean(_))
    }

    fn is_integer(&self, k: usize) -> bool {
        matches!(self.program.variables[k], Kind::Integer(_))
    }

    fn is_number(&self, k: usize) -> bool {
        matches!(self.program.variables[k], Kind::Integer(_) | Kind::Real(_) | Kind::Defined(false))
    }
}

//! Random automata, and their texts.

use crate::support::random::Random;

/// `x > limit` or `x < limit`.
#[derive(Clone, Copy)]
pub struct Relation {
    pub state: usize,
    pub is_above: bool,
    pub limit: f64,
}

/// What a Boolean is: a relation or its opposite, a latch of two of those that come before, or what a clause sets and clears by them.
#[derive(Clone, Copy)]
pub enum Definition {
    Relation(usize, bool),
    Latch(usize, usize),
    Set(usize, usize),
}

/// The condition of a clause.
#[derive(Clone, Copy)]
pub enum Condition {
    Is(usize),
    IsNot(usize),
    Change(usize),
    Edge(usize),
}

/// What a clause does beside counting.
#[derive(Clone, Copy)]
pub struct Reset {
    pub state: usize,
    pub value: f64,
}

pub struct Clause {
    /// Branches: the first, and what stands behind `elsewhen`; or elements of a vector.
    pub conditions: Vec<Condition>,
    pub is_vector: bool,
    pub reset: Option<Reset>,
}

pub struct Model {
    pub starts: Vec<f64>,
    pub relations: Vec<Relation>,
    pub booleans: Vec<Definition>,
    /// By state: the Boolean that decides about it, and both slopes.
    pub slopes: Vec<(usize, [f64; 2])>,
    pub clauses: Vec<Clause>,
    pub is_algorithm: bool,
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

pub fn model(seed: u64) -> Model {
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
        let (set, reset) = (random.below(count), random.below(count));
        let is_latch = random.below(3) > 0;
        booleans.push(if is_latch { Definition::Latch(set, reset) } else { Definition::Set(set, reset) });
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

    pub fn holds(self, before: &[bool], now: &[bool]) -> bool {
        match self {
            Condition::Is(at) => now[at],
            Condition::IsNot(at) => !now[at],
            Condition::Change(at) => now[at] != before[at],
            Condition::Edge(at) => now[at] && !before[at],
        }
    }
}

impl Model {
    pub fn text(&self) -> String {
        let mut text = "model M\n".to_string();
        for (at, start) in self.starts.iter().enumerate() {
            text += &format!("  Real x{at}(start = {start}, fixed = true);\n");
        }
        for (at, it) in self.booleans.iter().enumerate() {
            text += &match it {
                Definition::Relation(..) => format!("  Boolean b{at};\n"),
                Definition::Latch(..) | Definition::Set(..) => {
                    format!("  Boolean b{at}(start = false, fixed = true);\n")
                }
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
                Definition::Set(set, reset) => {
                    format!("  when b{set} then b{at} = true; elsewhen b{reset} then b{at} = false; end when;\n")
                }
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

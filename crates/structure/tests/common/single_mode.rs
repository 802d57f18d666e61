//! The plain Σ-method for one mode: the second opinion on, and the yardstick of, the analysis of all modes.
//!
//! Nothing here is shared with the analysis of all modes, nor with `one_mode`. The maximum-weight matching is found by shortest augmenting
//! paths with integer prices, the offsets by Pryce's fixpoint from zero, the blocks by Tarjan's algorithm, and the
//! over- and underdetermined parts of a singular system by plain augmenting paths (E22 §4.2 and §4.3 before their
//! multimode extensions, RR9322 §3). Equations and variables are numbered from 0 among those that exist in the mode.

#![allow(dead_code)]

use modeshift_structure::one_mode::Signature;

/// What the analysis of one mode finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Every equation has a variable of its own.
    Regular(Regular),
    /// Some equations or variables are too many.
    Singular(Parts),
}

/// The structure of a regular mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regular {
    /// How often each equation is differentiated.
    pub c: Vec<u32>,
    /// The order of each variable's leading derivative.
    pub d: Vec<u32>,
    /// In an order in which they can be solved.
    pub blocks: Vec<Block>,
}

/// Equations to be solved together for as many variables; both ascending.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Block {
    /// The equations.
    pub equations: Vec<u32>,
    /// The variables whose leading derivatives they determine.
    pub variables: Vec<u32>,
}

/// The parts of a singular mode that are over- and underdetermined; the rest is square. All ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Equations that are too many for their variables.
    pub overdetermined_equations: Vec<u32>,
    /// Their variables.
    pub overdetermined_variables: Vec<u32>,
    /// Equations that are too few for their variables.
    pub underdetermined_equations: Vec<u32>,
    /// Their variables.
    pub underdetermined_variables: Vec<u32>,
}

fn equations(signature: &Signature) -> std::ops::Range<u32> {
    0..signature.equation_count() as u32
}

/// No partner in a matching.
const NONE: u32 = u32::MAX;

/// Analyzes one mode.
pub fn analyze(signature: &Signature) -> Structure {
    let square = signature.equation_count() == signature.variable_count();
    match square.then(|| heaviest_matching(Assignment::new(signature))).flatten() {
        Some(variable_of) => Structure::Regular(regular(signature, &variable_of)),
        None => Structure::Singular(parts(signature)),
    }
}

impl Regular {
    /// Pryce's structural index: the largest `c`, plus 1 if some `d` is 0.
    pub fn structural_index(&self) -> u32 {
        self.c.iter().max().copied().unwrap_or(0) + u32::from(self.d.contains(&0))
    }

    /// The number of degrees of freedom.
    pub fn degrees_of_freedom(&self) -> u32 {
        self.d.iter().sum::<u32>() - self.c.iter().sum::<u32>()
    }

    /// The highest derivatives that a block needs from outside: variable and order, ascending.
    pub fn reads(&self, signature: &Signature, block: &Block) -> Vec<(u32, u32)> {
        let mut reads: Vec<_> = block
            .equations
            .iter()
            .flat_map(|&equation| {
                let c = self.c[equation as usize];
                signature.entries(equation).iter().map(move |&(variable, order)| (variable, order + c))
            })
            .filter(|&(variable, order)| {
                order < self.d[variable as usize] || block.variables.binary_search(&variable).is_err()
            })
            .collect();
        reads.sort_unstable();
        reads.dedup();
        reads
    }
}

fn regular(signature: &Signature, variable_of: &[u32]) -> Regular {
    let (c, d) = smallest_offsets(signature, variable_of);
    let blocks = blocks(signature, variable_of, &c, &d);
    Regular { c, d, blocks }
}

/// A perfect matching of maximum total order, as the variable of each equation; none if there is no perfect one.
///
/// Prices keep `price(variable) - price(equation) >= order` on all entries, with equality on matched ones.
fn heaviest_matching(mut assignment: Assignment<'_>) -> Option<Vec<u32>> {
    assignment.match_greedily();
    for equation in equations(assignment.signature) {
        if assignment.variable_of[equation as usize] == NONE && !assignment.augment_from(equation) {
            return None;
        }
    }
    Some(assignment.variable_of)
}

struct Assignment<'a> {
    signature: &'a Signature,
    variable_of: Vec<u32>,
    equation_of: Vec<u32>,
    equation_price: Vec<i64>,
    variable_price: Vec<i64>,
    /// Of the current search: the shortest slack to each variable, the equation before it, and the search it is of.
    distance: Vec<i64>,
    before: Vec<u32>,
    search: Vec<u32>,
    searches: u32,
}

impl<'a> Assignment<'a> {
    fn new(signature: &'a Signature) -> Self {
        let mut variable_price = vec![0; signature.variable_count()];
        for &(variable, order) in equations(signature).flat_map(|equation| signature.entries(equation)) {
            let price = &mut variable_price[variable as usize];
            *price = i64::from(order).max(*price);
        }
        Assignment {
            signature,
            variable_of: vec![NONE; signature.equation_count()],
            equation_of: vec![NONE; signature.variable_count()],
            equation_price: vec![0; signature.equation_count()],
            variable_price,
            distance: vec![0; signature.variable_count()],
            before: vec![NONE; signature.variable_count()],
            search: vec![0; signature.variable_count()],
            searches: 0,
        }
    }

    fn slack(&self, equation: u32, variable: u32, order: u32) -> i64 {
        self.variable_price[variable as usize] - self.equation_price[equation as usize] - i64::from(order)
    }

    fn match_greedily(&mut self) {
        for equation in equations(self.signature) {
            if self.variable_of[equation as usize] != NONE {
                continue;
            }
            let free = self.signature.entries(equation).iter().find(|&&(variable, order)| {
                self.equation_of[variable as usize] == NONE && self.slack(equation, variable, order) == 0
            });
            if let Some(&(variable, _)) = free {
                self.variable_of[equation as usize] = variable;
                self.equation_of[variable as usize] = equation;
            }
        }
    }

    /// Matches one more equation along a path of least total slack; false if no path leads to a free variable.
    ///
    /// Slacks are small integers, so the queue is an array of buckets (R. Dial, 1969).
    fn augment_from(&mut self, start: u32) -> bool {
        self.searches += 1;
        let mut buckets: Vec<Vec<u32>> = vec![Vec::new()];
        let mut settled: Vec<u32> = Vec::new();
        let mut reached: Vec<(u32, i64)> = vec![(start, 0)];
        self.relax(start, 0, &mut buckets);
        let mut length = 0;
        while length < buckets.len() {
            let Some(variable) = buckets[length].pop() else {
                length += 1;
                continue;
            };
            if self.distance[variable as usize] != length as i64 {
                continue; // a shorter way was found since
            }
            let equation = self.equation_of[variable as usize];
            if equation == NONE {
                self.change_prices(&reached, &settled, length as i64);
                self.turn_path(variable);
                return true;
            }
            settled.push(variable);
            reached.push((equation, length as i64));
            self.relax(equation, length as i64, &mut buckets);
        }
        false
    }

    fn relax(&mut self, equation: u32, length: i64, buckets: &mut Vec<Vec<u32>>) {
        let signature = self.signature;
        for &(variable, order) in signature.entries(equation) {
            let candidate = length + self.slack(equation, variable, order);
            let at = variable as usize;
            let known = self.search[at] == self.searches;
            if !known || candidate < self.distance[at] {
                self.search[at] = self.searches;
                self.distance[at] = candidate;
                self.before[at] = equation;
                let bucket = usize::try_from(candidate).expect("slacks are not negative");
                if buckets.len() <= bucket {
                    buckets.resize(bucket + 1, Vec::new());
                }
                buckets[bucket].push(variable);
            }
        }
    }

    fn change_prices(&mut self, reached: &[(u32, i64)], settled: &[u32], length: i64) {
        for &(equation, distance) in reached {
            self.equation_price[equation as usize] += length - distance;
        }
        for &variable in settled {
            self.variable_price[variable as usize] += length - self.distance[variable as usize];
        }
    }

    fn turn_path(&mut self, end: u32) {
        let mut variable = end;
        while variable != NONE {
            let equation = self.before[variable as usize];
            self.equation_of[variable as usize] = equation;
            variable = std::mem::replace(&mut self.variable_of[equation as usize], variable);
        }
    }
}

/// The smallest offsets that fit a matching of maximum weight: Pryce's fixpoint, worked off equation by equation.
fn smallest_offsets(signature: &Signature, variable_of: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut order_of = vec![0; signature.equation_count()];
    let mut equation_of = vec![NONE; signature.variable_count()];
    for equation in equations(signature) {
        let variable = variable_of[equation as usize];
        let entry = signature.entries(equation).iter().find(|entry| entry.0 == variable);
        order_of[equation as usize] = entry.expect("a matched variable occurs").1;
        equation_of[variable as usize] = equation;
    }
    let mut c = vec![0; signature.equation_count()];
    let mut d = vec![0; signature.variable_count()];
    let mut pending: std::collections::VecDeque<u32> = equations(signature).collect();
    while let Some(equation) = pending.pop_front() {
        for &(variable, order) in signature.entries(equation) {
            let least = order + c[equation as usize];
            if d[variable as usize] < least {
                d[variable as usize] = least;
                let matched = equation_of[variable as usize];
                let times = least.saturating_sub(order_of[matched as usize]);
                if c[matched as usize] < times {
                    c[matched as usize] = times;
                    pending.push_back(matched);
                }
            }
        }
    }
    (c, d)
}

/// The strongly connected components of the dependencies among equations, those needed first (R. Tarjan, 1972).
fn blocks(signature: &Signature, variable_of: &[u32], c: &[u32], d: &[u32]) -> Vec<Block> {
    let mut equation_of = vec![NONE; signature.variable_count()];
    for equation in equations(signature) {
        equation_of[variable_of[equation as usize] as usize] = equation;
    }
    let mut tarjan = Tarjan {
        index: vec![0; signature.equation_count()],
        low: vec![0; signature.equation_count()],
        count: 0,
        stack: Vec::new(),
        blocks: Vec::new(),
    };
    for start in equations(signature) {
        let mut path: Vec<(u32, usize)> = Vec::new();
        if tarjan.index[start as usize] == 0 {
            tarjan.enter(start);
            path.push((start, 0));
        }
        while let Some((equation, next)) = path.last_mut() {
            let equation = *equation;
            let Some(&(variable, order)) = signature.entries(equation).get(*next) else {
                path.pop();
                tarjan.leave(equation, path.last().map(|&(parent, _)| parent), variable_of);
                continue;
            };
            *next += 1;
            let target = equation_of[variable as usize];
            if order + c[equation as usize] < d[variable as usize] || target == equation {
                continue;
            }
            match tarjan.index[target as usize] {
                0 => {
                    tarjan.enter(target);
                    path.push((target, 0));
                }
                LEFT => {}
                index => {
                    let low = &mut tarjan.low[equation as usize];
                    *low = index.min(*low);
                }
            }
        }
    }
    tarjan.blocks
}

/// The index of an equation whose component is complete.
const LEFT: u32 = u32::MAX;

struct Tarjan {
    /// 0 for not visited.
    index: Vec<u32>,
    low: Vec<u32>,
    count: u32,
    stack: Vec<u32>,
    blocks: Vec<Block>,
}

impl Tarjan {
    fn enter(&mut self, equation: u32) {
        self.count += 1;
        self.index[equation as usize] = self.count;
        self.low[equation as usize] = self.count;
        self.stack.push(equation);
    }

    fn leave(&mut self, equation: u32, parent: Option<u32>, variable_of: &[u32]) {
        let low = self.low[equation as usize];
        if let Some(parent) = parent {
            let parent_low = &mut self.low[parent as usize];
            *parent_low = low.min(*parent_low);
        }
        if low != self.index[equation as usize] {
            return;
        }
        let position = self.stack.iter().rposition(|&member| member == equation).expect("it is on the stack");
        let mut equations = self.stack.split_off(position);
        for &member in &equations {
            self.index[member as usize] = LEFT;
        }
        equations.sort_unstable();
        let mut variables: Vec<_> = equations.iter().map(|&member| variable_of[member as usize]).collect();
        variables.sort_unstable();
        self.blocks.push(Block { equations, variables });
    }
}

/// The decomposition of Dulmage and Mendelsohn, after A. Pothen and C. Fan (1990).
fn parts(signature: &Signature) -> Parts {
    let matching = Cardinality::maximum(signature);
    let (mut parts, mut columns) = (Parts::default(), vec![Vec::new(); signature.variable_count()]);
    for equation in equations(signature) {
        for &(variable, _) in signature.entries(equation) {
            columns[variable as usize].push(equation);
        }
    }
    let unmatched = equations(signature).filter(|&equation| matching.variable_of[equation as usize] == NONE);
    (parts.overdetermined_equations, parts.overdetermined_variables) = reachable(
        unmatched.collect(),
        |equation| signature.entries(equation).iter().map(|entry| entry.0).collect(),
        |variable| matching.equation_of[variable as usize],
    );
    let variables = 0..signature.variable_count() as u32;
    let unmatched = variables.filter(|&variable| matching.equation_of[variable as usize] == NONE);
    (parts.underdetermined_variables, parts.underdetermined_equations) = reachable(
        unmatched.collect(),
        |variable| columns[variable as usize].clone(),
        |equation| matching.variable_of[equation as usize],
    );
    parts
}

/// What alternating paths from `start` reach on the same side and on the other.
fn reachable(
    start: Vec<u32>,
    neighbours: impl Fn(u32) -> Vec<u32>,
    partner: impl Fn(u32) -> u32,
) -> (Vec<u32>, Vec<u32>) {
    let mut own: std::collections::BTreeSet<u32> = start.iter().copied().collect();
    let mut others = std::collections::BTreeSet::new();
    let mut pending = start;
    while let Some(vertex) = pending.pop() {
        for other in neighbours(vertex) {
            if others.insert(other) && partner(other) != NONE && own.insert(partner(other)) {
                pending.push(partner(other));
            }
        }
    }
    (own.into_iter().collect(), others.into_iter().collect())
}

/// A matching of as many equations as possible, whatever the orders.
struct Cardinality {
    variable_of: Vec<u32>,
    equation_of: Vec<u32>,
}

impl Cardinality {
    fn maximum(signature: &Signature) -> Cardinality {
        let mut matching = Cardinality {
            variable_of: vec![NONE; signature.equation_count()],
            equation_of: vec![NONE; signature.variable_count()],
        };
        let mut seen = vec![NONE; signature.variable_count()];
        for equation in equations(signature) {
            matching.augment_from(signature, equation, &mut seen);
        }
        matching
    }

    /// Breadth-first to the nearest free variable.
    fn augment_from(&mut self, signature: &Signature, start: u32, seen: &mut [u32]) {
        let mut steps: Vec<(u32, u32)> = Vec::new(); // variable, and the equation before it
        let mut before = vec![(start, usize::MAX)]; // equation, and the step that led to it
        let mut at = 0;
        while at < before.len() {
            let equation = before[at].0;
            for &(variable, _) in signature.entries(equation) {
                if std::mem::replace(&mut seen[variable as usize], start) == start {
                    continue;
                }
                steps.push((variable, at as u32));
                match self.equation_of[variable as usize] {
                    NONE => return self.turn_path(&steps, &before),
                    next => before.push((next, steps.len() - 1)),
                }
            }
            at += 1;
        }
    }

    fn turn_path(&mut self, steps: &[(u32, u32)], before: &[(u32, usize)]) {
        let mut step = steps.len() - 1;
        while step != usize::MAX {
            let (variable, at) = steps[step];
            let (equation, previous) = before[at as usize];
            self.variable_of[equation as usize] = variable;
            self.equation_of[variable as usize] = equation;
            step = previous;
        }
    }
}

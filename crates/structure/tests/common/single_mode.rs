//! One mode by textbook means that the program does not use: the second opinion on, and the yardstick of, the analysis of all modes.
//!
//! Nothing here is shared with the analysis of all modes, nor with `one_mode`, neither text nor method:
//!
//! | of a mode | here | in the program |
//! |---|---|---|
//! | verdict | a maximum flow by layers (E. Dinic) | augmenting paths, one equation after the other |
//! | parts | what the last layers reach, of the flow and of the flow the other way round: two matchings | alternating paths from one matching |
//! | heaviest matching | any perfect one, bettered along cycles that gain (M. Klein) | shortest paths with prices |
//! | offsets | longest ways from zero, sweep by sweep (R. Bellman, L. Ford) | Pryce's fixpoint, equation by equation |
//! | blocks | two searches, the second against the arrows (S. R. Kosaraju) | Tarjan's one search |
//!
//! Equations and variables are numbered from 0 among those that exist in the mode (E22 §4.2 and §4.3 before their multimode extensions,
//! RR9322 §3).

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

/// No partner.
const NONE: u32 = u32::MAX;

/// Analyzes one mode.
pub fn analyze(signature: &Signature) -> Structure {
    let rows = rows(signature);
    let flow = Flow::maximum(&rows, signature.variable_count());
    let is_perfect = rows.len() == signature.variable_count() && !flow.column_of.contains(&NONE);
    match is_perfect {
        true => Structure::Regular(regular(signature, flow.column_of)),
        false => Structure::Singular(parts(&rows, signature.variable_count(), &flow)),
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

/// The variables of each equation.
fn rows(signature: &Signature) -> Vec<Vec<u32>> {
    let row = |equation: u32| signature.entries(equation).iter().map(|entry| entry.0).collect();
    (0..signature.equation_count() as u32).map(row).collect()
}

/// The rows of each column.
fn transposed(rows: &[Vec<u32>], columns: usize) -> Vec<Vec<u32>> {
    let mut transposed = vec![Vec::new(); columns];
    for (row, of_row) in rows.iter().enumerate() {
        of_row.iter().for_each(|&column| transposed[column as usize].push(row as u32));
    }
    transposed
}

/// As many rows as possible, each with a column of its own: a flow of one through each row and each column.
struct Flow {
    column_of: Vec<u32>,
    row_of: Vec<u32>,
    /// How many steps a row is from one without a column; `NONE` where no way leads there.
    layer: Vec<u32>,
    /// Whether a way from a row without a column leads to this column.
    is_reached: Vec<bool>,
}

impl Flow {
    /// Layer by layer, then as many ways down the layers as fit beside each other, until no column without a row is reached.
    fn maximum(rows: &[Vec<u32>], columns: usize) -> Flow {
        let mut flow = Flow {
            column_of: vec![NONE; rows.len()],
            row_of: vec![NONE; columns],
            layer: Vec::new(),
            is_reached: Vec::new(),
        };
        while flow.lay(rows) {
            let mut next = vec![0; rows.len()];
            for start in 0..rows.len() {
                if flow.column_of[start] == NONE {
                    flow.send(rows, start, &mut next);
                }
            }
        }
        flow
    }

    /// Lays the layers; whether a column without a row is reached.
    fn lay(&mut self, rows: &[Vec<u32>]) -> bool {
        self.layer = self.column_of.iter().map(|&column| if column == NONE { 0 } else { NONE }).collect();
        self.is_reached = vec![false; self.row_of.len()];
        let mut current: Vec<usize> = (0..rows.len()).filter(|&row| self.layer[row] == 0).collect();
        let (mut depth, mut is_open) = (0, false);
        while !current.is_empty() {
            depth += 1;
            let mut below = Vec::new();
            for &column in current.iter().flat_map(|&row| &rows[row]) {
                self.is_reached[column as usize] = true;
                match self.row_of[column as usize] {
                    NONE => is_open = true,
                    row if self.layer[row as usize] == NONE => {
                        self.layer[row as usize] = depth;
                        below.push(row as usize);
                    }
                    _ => {}
                }
            }
            current = below;
        }
        is_open
    }

    /// One unit from a row down the layers, if it gets through. `next` are the columns that no unit got through.
    fn send(&mut self, rows: &[Vec<u32>], start: usize, next: &mut [usize]) {
        let mut way = vec![start];
        while let Some(&row) = way.last() {
            let Some(&column) = rows[row].get(next[row]) else {
                way.pop();
                way.last().into_iter().for_each(|&above| next[above] += 1);
                continue;
            };
            match self.row_of[column as usize] {
                NONE => {
                    for &row in way.iter().rev() {
                        let column = rows[row][next[row]];
                        self.row_of[column as usize] = row as u32;
                        self.column_of[row] = column;
                        next[row] += 1;
                    }
                    return;
                }
                below if self.layer[below as usize] == self.layer[row] + 1 => way.push(below as usize),
                _ => next[row] += 1,
            }
        }
    }
}

/// The decomposition of Dulmage and Mendelsohn. It does not depend on the matching, so either side has one of its own.
fn parts(rows: &[Vec<u32>], columns: usize, flow: &Flow) -> Parts {
    let back = Flow::maximum(&transposed(rows, columns), rows.len());
    let listed = |is_in: &mut dyn Iterator<Item = bool>| -> Vec<u32> {
        is_in.zip(0..).filter_map(|(is_in, at)| is_in.then_some(at)).collect()
    };
    Parts {
        overdetermined_equations: listed(&mut flow.layer.iter().map(|&layer| layer != NONE)),
        overdetermined_variables: listed(&mut flow.is_reached.iter().copied()),
        underdetermined_equations: listed(&mut back.is_reached.iter().copied()),
        underdetermined_variables: listed(&mut back.layer.iter().map(|&layer| layer != NONE)),
    }
}

fn regular(signature: &Signature, variable_of: Vec<u32>) -> Regular {
    let mut ways = Ways::new(signature, variable_of);
    while !ways.sweep_until_settled() {
        // Something was gained: from the beginning.
    }
    let c: Vec<u32> = ways.length.iter().map(|&length| u32::try_from(length).expect("ways begin at zero")).collect();
    let mut d = vec![0; signature.variable_count()];
    for (equation, &variable) in ways.variable_of.iter().enumerate() {
        d[variable as usize] = c[equation] + ways.matched_order[equation] as u32;
    }
    let blocks = blocks(signature, &ways.variable_of, &c, &d);
    Regular { c, d, blocks }
}

/// Longest ways between equations, all of which may begin at zero. An equation `i` that has a variable `j` of another one, `k`, asks that
/// `c[k] + σ[k, j] >= c[i] + σ[i, j]`: a way from `i` to `k`. A cycle that gains is one along which equations would rather have each
/// other's variables.
struct Ways<'a> {
    signature: &'a Signature,
    variable_of: Vec<u32>,
    equation_of: Vec<u32>,
    matched_order: Vec<i64>,
    length: Vec<i64>,
    from: Vec<u32>,
}

impl<'a> Ways<'a> {
    fn new(signature: &'a Signature, variable_of: Vec<u32>) -> Self {
        let count = variable_of.len();
        let (equation_of, matched_order) = (vec![NONE; count], vec![0; count]);
        let mut ways = Ways {
            signature,
            variable_of,
            equation_of,
            matched_order,
            length: vec![0; count],
            from: vec![NONE; count],
        };
        ways.begin();
        ways
    }

    fn begin(&mut self) {
        for (equation, &variable) in self.variable_of.iter().enumerate() {
            let entry = self.signature.entries(equation as u32).iter().find(|entry| entry.0 == variable);
            self.matched_order[equation] = entry.expect("a matched variable occurs").1.into();
            self.equation_of[variable as usize] = equation as u32;
        }
        self.length.fill(0);
        self.from.fill(NONE);
    }

    /// Up and down the equations until nothing gets longer. False where there was a cycle that gains: it is turned then.
    fn sweep_until_settled(&mut self) -> bool {
        let count = self.length.len();
        let mut is_up = true;
        loop {
            let mut is_settled = true;
            for at in 0..count {
                let equation = if is_up { at } else { count - 1 - at };
                for &(variable, order) in self.signature.entries(equation as u32) {
                    let other = self.equation_of[variable as usize] as usize;
                    let length = self.length[equation] + i64::from(order) - self.matched_order[other];
                    if other != equation && length > self.length[other] {
                        self.length[other] = length;
                        self.from[other] = equation as u32;
                        is_settled = false;
                    }
                }
            }
            if is_settled {
                return true;
            }
            if self.turn_cycles() {
                self.begin();
                return false;
            }
            is_up = !is_up;
        }
    }

    /// Turns the cycles of the last steps of ways: each gains, and no two have an equation in common. Whether there are any.
    fn turn_cycles(&mut self) -> bool {
        let mut visit = vec![NONE; self.from.len()];
        let mut on_cycles = Vec::new();
        for start in 0..self.from.len() {
            let mut at = start;
            while visit[at] == NONE && self.from[at] != NONE {
                visit[at] = start as u32;
                at = self.from[at] as usize;
            }
            if self.from[at] != NONE && visit[at] == start as u32 {
                let first = at;
                loop {
                    // The equation before it on the cycle takes its variable.
                    on_cycles.push((self.from[at], self.variable_of[at]));
                    at = self.from[at] as usize;
                    if at == first {
                        break;
                    }
                }
            }
        }
        on_cycles.iter().for_each(|&(equation, variable)| self.variable_of[equation as usize] = variable);
        !on_cycles.is_empty()
    }
}

/// The strongly connected components of the dependencies among equations, those needed first.
fn blocks(signature: &Signature, variable_of: &[u32], c: &[u32], d: &[u32]) -> Vec<Block> {
    let mut equation_of = vec![0; variable_of.len()];
    for (equation, &variable) in variable_of.iter().enumerate() {
        equation_of[variable as usize] = equation as u32;
    }
    let needs = |equation: u32| -> Vec<u32> {
        let entries = signature.entries(equation).iter();
        let tight = entries.filter(|&&(variable, order)| order + c[equation as usize] == d[variable as usize]);
        tight.map(|&(variable, _)| equation_of[variable as usize]).collect()
    };
    let needs: Vec<Vec<u32>> = (0..variable_of.len() as u32).map(needs).collect();
    let needed_by = transposed(&needs, needs.len());
    let mut finished: Vec<u32> = Vec::new();
    let mut is_seen = vec![false; needs.len()];
    for start in 0..needs.len() as u32 {
        finished.extend(search(start, &needs, &mut is_seen));
    }
    let mut is_seen = vec![false; needs.len()];
    let mut blocks = Vec::new();
    for &start in finished.iter().rev() {
        let mut equations = search(start, &needed_by, &mut is_seen);
        if equations.is_empty() {
            continue;
        }
        equations.sort_unstable();
        let mut variables: Vec<u32> = equations.iter().map(|&equation| variable_of[equation as usize]).collect();
        variables.sort_unstable();
        blocks.push(Block { equations, variables });
    }
    blocks.reverse();
    blocks
}

/// What is reached from a start and was not seen before, in the order in which the search is done with it.
fn search(start: u32, arrows: &[Vec<u32>], is_seen: &mut [bool]) -> Vec<u32> {
    let mut finished = Vec::new();
    if std::mem::replace(&mut is_seen[start as usize], true) {
        return finished;
    }
    let mut way = vec![(start, 0)];
    while let Some((at, next)) = way.last_mut() {
        match arrows[*at as usize].get(*next) {
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut is_seen[to as usize], true) {
                    way.push((to, 0));
                }
            }
            None => {
                finished.push(*at);
                way.pop();
            }
        }
    }
    finished
}

//! Random multimode systems, and their evaluation in one mode: what the oracle tests share.

#![allow(dead_code)]

pub mod scalable;
pub mod single_mode;

use modeshift_dae::{EquationId, Id, IndexVec, VariableId};
use modeshift_modes::{Invariant, ModeSet, ModeSpace, ModeVariable};
use modeshift_structure::one_mode::Signature;
use modeshift_structure::{Incidence, Occurrence, Vertex};

/// Marsaglia's xorshift: the same numbers everywhere for the same seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        (0..4).for_each(|_| {
            random.next();
        });
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A set of modes as a table: bit `m` says whether mode `m` is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table(pub u32);

impl Table {
    pub const ALL: Table = Table(u32::MAX);

    pub fn contains(self, mode: u32) -> bool {
        self.0 >> mode & 1 == 1
    }
}

/// A random system over at most five mode variables: all that the two analyses are given.
#[derive(Clone, Debug)]
pub struct System {
    pub mode_variables: u32,
    pub invariants: Vec<Table>,
    pub equations: Vec<Table>,
    pub variables: Vec<Table>,
    /// Equation, variable, order, modes.
    pub occurrences: Vec<(u32, u32, u32, Table)>,
}

impl System {
    /// Guarded equations and variables, orders up to 3, invariants; regular in most modes, singular in some.
    pub fn random(random: &mut Random) -> System {
        let mode_variables = random.below(5) as u32;
        let size = 1 + random.below(7);
        let mut system = System {
            mode_variables,
            invariants: Vec::new(),
            equations: Vec::new(),
            variables: Vec::new(),
            occurrences: Vec::new(),
        };
        for _ in 0..random.below(3) {
            let invariant = system.mostly(random, 85);
            system.invariants.push(invariant);
        }
        let guarded = random.below(60);
        for _ in 0..size {
            // An equation and a variable that mostly exist together.
            let guard = if random.chance(guarded) { system.some(random) } else { Table::ALL };
            let other = if random.chance(4) { system.some(random) } else { guard };
            system.equations.push(guard);
            system.variables.push(other);
        }
        if random.chance(5) {
            system.equations.push(Table::ALL);
        }
        if random.chance(5) {
            system.variables.push(Table::ALL);
        }
        system.add_occurrences(random);
        system
    }

    fn add_occurrences(&mut self, random: &mut Random) {
        let (equations, variables) = (self.equations.len(), self.variables.len());
        let highest = 1 + random.below(4) as u32;
        let split = random.below(80);
        let diagonal = random.chance(80);
        for equation in 0..equations {
            let mut partners: Vec<usize> = (0..random.below(4)).map(|_| random.below(variables)).collect();
            if diagonal && equation < variables {
                partners.push(equation);
            }
            for variable in partners {
                let order = if random.chance(50) { 0 } else { random.below(highest as usize) as u32 };
                let modes = if random.chance(split) { self.some(random) } else { Table::ALL };
                let existing = Table(modes.0 & self.variables[variable].0);
                self.occurrences.push((equation as u32, variable as u32, order, existing));
            }
        }
    }

    /// A literal, or a conjunction or disjunction of two.
    fn some(&self, random: &mut Random) -> Table {
        if self.mode_variables == 0 {
            return Table::ALL;
        }
        let first = self.literal(random);
        match random.below(4) {
            0 => Table(first.0 & self.literal(random).0),
            1 => Table(first.0 | self.literal(random).0),
            _ => first,
        }
    }

    fn literal(&self, random: &mut Random) -> Table {
        let variable = random.below(self.mode_variables as usize);
        let positive = random.chance(50);
        let mut table = 0;
        for mode in 0..32u32 {
            table |= u32::from((mode >> variable & 1 == 1) == positive) << mode;
        }
        Table(table)
    }

    fn mostly(&self, random: &mut Random, percent: usize) -> Table {
        if self.mode_variables == 0 {
            return Table::ALL;
        }
        let (one, other) = (self.literal(random), self.literal(random));
        let conjunction = Table(one.0 & other.0);
        if random.chance(percent) { Table(!conjunction.0) } else { one }
    }

    /// The valid modes.
    pub fn modes(&self) -> impl Iterator<Item = u32> + '_ {
        let allowed = |&mode: &u32| self.invariants.iter().all(|invariant| invariant.contains(mode));
        (0..1u32 << self.mode_variables).filter(allowed)
    }

    /// The signature in one mode, and which equations and variables it has.
    pub fn signature(&self, mode: u32) -> (Signature, Vec<u32>, Vec<u32>) {
        let there = |guards: &[Table]| -> Vec<u32> {
            (0..guards.len() as u32).filter(|&at| guards[at as usize].contains(mode)).collect()
        };
        let (equations, variables) = (there(&self.equations), there(&self.variables));
        let mut signature = Signature::new(variables.len());
        for &equation in &equations {
            let mut entries = std::collections::BTreeMap::new();
            for &(_, variable, order, modes) in self.occurrences.iter().filter(|entry| entry.0 == equation) {
                if let (true, Ok(local)) = (modes.contains(mode), variables.binary_search(&variable)) {
                    let highest = entries.entry(local as u32).or_insert(order);
                    *highest = order.max(*highest);
                }
            }
            signature.push(entries);
        }
        (signature, equations, variables)
    }

    /// The same system as sets of modes, projected onto the valid modes.
    pub fn incidence(&self, space: &ModeSpace) -> (Incidence, Invariant) {
        let sets: Vec<ModeSet> = self.invariants.iter().map(|&table| self.set(space, table)).collect();
        let invariant = Invariant::new(space, &sets);
        let project = |table: Table| invariant.project(space, self.set(space, table));
        let vertex = |name: String, table: Table| Vertex { name: name.into(), guard: project(table) };
        let equations: IndexVec<EquationId, Vertex> =
            self.equations.iter().enumerate().map(|(at, &table)| vertex(format!("e{at}"), table)).collect();
        let variables: IndexVec<VariableId, Vertex> =
            self.variables.iter().enumerate().map(|(at, &table)| vertex(format!("x{at}"), table)).collect();
        let occurrences = self
            .occurrences
            .iter()
            .map(|&(equation, variable, order, modes)| Occurrence {
                equation: EquationId(equation),
                variable: VariableId(variable),
                order,
                modes: project(modes),
            })
            .collect();
        (Incidence::new(space, equations, variables, occurrences), invariant)
    }

    fn set(&self, space: &ModeSpace, table: Table) -> ModeSet {
        let mode = |mode: u32| {
            let values: Vec<_> =
                (0..self.mode_variables).map(|variable| (ModeVariable(variable), mode >> variable & 1 == 1)).collect();
            space.valuation(&values)
        };
        space.union((0..1u32 << self.mode_variables).filter(|&at| table.contains(at)).map(mode))
    }

    /// The natural order of equations.
    pub fn order(&self) -> Vec<EquationId> {
        (0..self.equations.len()).map(EquationId::from_index).collect()
    }
}

/// Whether a mode, as bits, is in a set.
pub fn is_in(space: &ModeSpace, set: ModeSet, mode: u32) -> bool {
    space.evaluate(set, |variable| mode >> variable.0 & 1 == 1)
}

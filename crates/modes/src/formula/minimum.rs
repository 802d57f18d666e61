//! Smallest sums of products over at most six variables: truth tables in one machine word, all prime products, and the
//! cheapest selection of them (W. Quine, E. McCluskey).

use crate::formula::cover::{Cover, Literal};

/// The most variables a table has.
pub(crate) const TABLE_VARIABLES: usize = 6;
/// Choices tried before the best selection so far is taken.
const MOST_CHOICES: usize = 2000;

/// A Boolean function of six variables: bit `mode` is its value where variable `i` has the value of bit `i` of `mode`.
pub(crate) type Table = u64;

/// The tables of the variables themselves.
pub(crate) const VARIABLE_TABLES: [Table; TABLE_VARIABLES] = [
    0xAAAA_AAAA_AAAA_AAAA,
    0xCCCC_CCCC_CCCC_CCCC,
    0xF0F0_F0F0_F0F0_F0F0,
    0xFF00_FF00_FF00_FF00,
    0xFFFF_0000_FFFF_0000,
    0xFFFF_FFFF_0000_0000,
];

/// A product over table variables: which it mentions, and which of these are positive.
#[derive(Clone, Copy, Debug)]
struct Prime {
    mentioned: u8,
    positive: u8,
    table: Table,
}

impl Prime {
    fn cost(&self) -> u32 {
        // Few literals first, then few products.
        64 * self.mentioned.count_ones() + 1
    }

    fn literals(&self) -> Vec<Literal> {
        let mentioned = (0..TABLE_VARIABLES as u32).filter(|variable| self.mentioned >> variable & 1 == 1);
        mentioned.map(|variable| Literal::new(variable, self.positive >> variable & 1 == 1)).collect()
    }
}

/// A sum of products with fewest literals between `lower` and `upper`.
pub(crate) fn minimum_cover(lower: Table, upper: Table) -> Cover {
    let primes = primes(lower, upper);
    let mut selection = Selection { primes: &primes, best: Vec::new(), best_cost: u32::MAX, choices: 0 };
    selection.extend(lower, &mut Vec::new(), 0);
    let mut cover: Cover = selection.best.iter().map(|&prime| primes[prime].literals()).collect();
    cover.sort_unstable();
    cover
}

/// The products within `upper` that meet `lower` and lose this with any literal left out; cheap ones first.
fn primes(lower: Table, upper: Table) -> Vec<Prime> {
    let mut primes = Vec::new();
    for mentioned in 0..1 << TABLE_VARIABLES {
        let mut positive = mentioned;
        loop {
            let table = product_table(mentioned, positive);
            if table & !upper == 0 && table & lower != 0 && is_prime(mentioned, positive, upper) {
                primes.push(Prime { mentioned, positive, table });
            }
            if positive == 0 {
                break;
            }
            positive = (positive - 1) & mentioned;
        }
    }
    primes.sort_by_key(Prime::cost);
    primes
}

fn product_table(mentioned: u8, positive: u8) -> Table {
    (0..TABLE_VARIABLES).filter(|variable| mentioned >> variable & 1 == 1).fold(!0, |table, variable| {
        let positive = positive >> variable & 1 == 1;
        table & if positive { VARIABLE_TABLES[variable] } else { !VARIABLE_TABLES[variable] }
    })
}

fn is_prime(mentioned: u8, positive: u8, upper: Table) -> bool {
    (0..TABLE_VARIABLES).filter(|variable| mentioned >> variable & 1 == 1).all(|variable| {
        let left_out = !(1u8 << variable);
        product_table(mentioned & left_out, positive & left_out) & !upper != 0
    })
}

/// Branch and bound over selections of primes.
struct Selection<'primes> {
    primes: &'primes [Prime],
    best: Vec<usize>,
    best_cost: u32,
    choices: usize,
}

impl Selection<'_> {
    fn extend(&mut self, uncovered: Table, chosen: &mut Vec<usize>, cost: u32) {
        if cost >= self.best_cost {
            return;
        }
        if uncovered == 0 {
            self.best = chosen.clone();
            self.best_cost = cost;
            return;
        }
        let mode = self.hardest_mode(uncovered);
        for prime in 0..self.primes.len() {
            let Prime { table, .. } = self.primes[prime];
            if table >> mode & 1 == 0 || (self.choices >= MOST_CHOICES && self.best_cost < u32::MAX) {
                continue;
            }
            self.choices += 1;
            chosen.push(prime);
            self.extend(uncovered & !table, chosen, cost + self.primes[prime].cost());
            chosen.pop();
        }
    }

    /// The mode that the fewest primes cover.
    fn hardest_mode(&self, uncovered: Table) -> u32 {
        let modes = (0..64u32).filter(|mode| uncovered >> mode & 1 == 1);
        let coverers = |mode: &u32| self.primes.iter().filter(|prime| prime.table >> mode & 1 == 1).count();
        modes.min_by_key(coverers).expect("a mode is uncovered")
    }
}

//! Starts whose equations read Integers: these have their values before anything is solved that reads them, and every digit is found.

use crate::support::random::Random;
use crate::support::start;

/// A way to write an Integer of this value: equations in any order, the last name is the value.
struct Chain {
    declarations: Vec<String>,
    equations: Vec<String>,
    name: String,
}

impl Chain {
    /// Integers `prefix0, prefix1, …`, each defined by the one before, of which the last has this value.
    fn ending_at(value: i64, prefix: &str, random: &mut Random) -> Self {
        let length = 1 + random.below(4);
        let mut values: Vec<i64> = (1..length).map(|_| random.below(11) as i64 - 5).collect();
        values.push(value);
        let name = |at: usize| format!("{prefix}{at}");
        let mut chain = Chain { declarations: Vec::new(), equations: Vec::new(), name: name(length - 1) };
        for (at, &value) in values.iter().enumerate() {
            let definition = match at {
                0 => chain.first(value, prefix, random),
                _ => following(&name(at - 1), values[at - 1], value, random),
            };
            chain.declarations.push(format!("Integer {};", name(at)));
            chain.equations.push(format!("{} = {definition};", name(at)));
        }
        chain
    }

    fn first(&mut self, value: i64, prefix: &str, random: &mut Random) -> String {
        match random.below(4) {
            0 => value.to_string(),
            1 => {
                self.declarations.push(format!("parameter Integer {prefix}p = {value};"));
                format!("{prefix}p")
            }
            2 => {
                // Known when a continuous unknown is.
                self.declarations.push(format!("Real {prefix}z(start = {}, fixed = true);", value as f64 + 0.25));
                self.equations.push(format!("der({prefix}z) = 0;"));
                format!("integer({prefix}z)")
            }
            _ => {
                self.declarations.push(format!("Boolean {prefix}b; parameter Real {prefix}q = 2;"));
                self.equations.push(format!("{prefix}b = {prefix}q > 1;"));
                format!("if {prefix}b then {value} else {}", value + 7)
            }
        }
    }
}

fn following(before: &str, known: i64, value: i64, random: &mut Random) -> String {
    match random.below(3) {
        0 => format!("{before} + ({})", value - known),
        1 => format!("if {before} > {} then {value} else {}", known - 1, value + 3),
        _ => format!("div({before}, 1) - ({})", known - value),
    }
}

/// The only root of `x^3 + x = n`, by bisection.
fn root_of_the_cubic(n: f64) -> f64 {
    let (mut low, mut high) = (-10.0, 10.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle * middle * middle + middle < n { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// An initial equation for `x` with an Integer `n`, its value, a guess and the solution that is meant by it.
struct Problem {
    equation: &'static str,
    n: i64,
    guess: f64,
    solution: f64,
}

fn problem(random: &mut Random) -> Problem {
    match random.below(4) {
        0 => {
            let n = 1 + random.below(50) as i64;
            let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
            // From beyond the root, from where Newton's method meets no other.
            let root = (n as f64).sqrt();
            Problem { equation: "x*x = N", n, guess: sign * (root + 1.0).ceil(), solution: sign * root }
        }
        1 => {
            // (x - r) (x + r - 1) = 0, from beyond the root that is meant.
            let r = 2 + random.below(8) as i64;
            let [guess, solution] =
                if random.below(2) == 0 { [r as f64 + 1.0, r as f64] } else { [-r as f64 - 1.0, 1.0 - r as f64] };
            Problem { equation: "x*x - x = N", n: r * r - r, guess, solution }
        }
        2 => {
            let n = random.below(41) as i64 - 20;
            Problem { equation: "x^3 + x = N", n, guess: 1.0, solution: root_of_the_cubic(n as f64) }
        }
        _ => {
            let n = 1 + random.below(20) as i64;
            Problem { equation: "exp(x) = N", n, guess: 0.5, solution: (n as f64).ln() }
        }
    }
}

#[test]
fn integers_are_known_before_equations_that_read_them_are_solved() {
    let mut random = Random(13);
    for _ in 0..120 {
        let Problem { equation, n, guess, solution } = problem(&mut random);
        let chain = Chain::ending_at(n, "k", &mut random);
        let mut equations = chain.equations;
        if random.below(2) == 0 {
            equations.reverse();
        }
        let text = format!(
            "model M {} Real x(start = {guess}); initial equation {}; equation der(x) = -x; {} end M;",
            chain.declarations.join(" "),
            equation.replace('N', &chain.name),
            equations.join(" ")
        );
        let found = start(&text, &[]).value("x");
        let error = (found - solution).abs();
        assert!(error <= 4.0 * f64::EPSILON * solution.abs().max(1.0), "{found} instead of {solution} in\n{text}");
    }
}

#[test]
fn an_integer_and_an_equation_that_need_each_other_agree() {
    // At the guess 1 the Integer is 2, and at the solution it still is.
    let found = start(
        "model M Real x(start = 1); Integer n; initial equation x*x = n;
         equation der(x) = -x; n = integer(x) + 1; end M;",
        &[],
    );
    found.check("x", 2f64.sqrt());
    found.check("n", 2.0);
}

#[test]
fn digits_are_not_lost_on_the_way() {
    // The first correction from the guess leads to 2e9 and further, from where halves lead back.
    for small in ["1e-6", "1e-9", "1e-12", "1e-15"] {
        let text = format!("model M Real x; initial equation x*x + {small}*x = 2; equation der(x) = -x; end M;");
        let small: f64 = small.parse().expect("a number");
        let solutions = [1.0, -1.0].map(|sign: f64| -0.5 * small + sign * (0.25 * small * small + 2.0).sqrt());
        let found = start(&text, &[]).value("x");
        assert!(solutions.iter().any(|it| (found - it).abs() <= 4.0 * f64::EPSILON * it.abs()), "{small}: {found}");
    }
}

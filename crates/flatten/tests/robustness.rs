//! Mutated models give diagnostics or flatten; they never panic and never hang.

use crate::support;
const SOURCES: &[&str] =
    &[include_str!("data/OwnCircuit.mo"), include_str!("data/FaultyCoaxial.mo"), include_str!("data/Mixture.mo")];

/// A small generator of pseudo-random numbers (xorshift), so that failures repeat.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Deletes, swaps, doubles or replaces a few tokens.
fn mutated(source: &str, random: &mut Random) -> String {
    let mut tokens: Vec<&str> = source.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_').collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(tokens.len());
        let other = tokens[random.below(tokens.len())];
        match random.below(5) {
            0 => drop(tokens.remove(at)),
            1 => tokens[at] = other,
            2 => tokens.insert(at, other),
            3 => tokens[at] = ["0", "-1 ", "1e308 ", "99999999 ", "true ", "end ", "{1, 2} "][random.below(7)],
            _ => {
                let to = random.below(tokens.len());
                tokens.swap(at, to);
            }
        }
    }
    tokens.concat()
}

fn survives(count: usize, seed: u64) {
    let mut random = Random(seed);
    for round in 0..count {
        let text = mutated(SOURCES[round % SOURCES.len()], &mut random);
        if std::env::var_os("SHOW_MUTATIONS").is_some() {
            println!("// round {round}\n{text}");
        }
        let started = std::time::Instant::now();
        let _ = support::try_flat(&text, &[]);
        assert!(started.elapsed().as_secs() < 20, "takes too long:\n{text}");
    }
}

#[test]
fn ten_thousand_mutated_models_do_no_harm() {
    survives(10_000, 0x9E37_79B9_7F4A_7C15);
}

/// `cargo test -p modeshift-flatten --release --test robustness -- --ignored`
#[test]
#[ignore = "long"]
fn a_hundred_thousand_mutated_models_do_no_harm() {
    survives(100_000, 0xD1B5_4A32_D192_ED03);
}

#[test]
fn deep_nesting_is_refused_or_survived() {
    let parentheses = format!("model M Real x = {}1{}; end M;", "(".repeat(5_000), ")".repeat(5_000));
    let _ = support::try_flat(&parentheses, &[]);
    let sum = format!("model M Real x = {}; end M;", vec!["time"; 20_000].join(" + "));
    assert_eq!(support::flat(&sum).equations.len(), 1);
    let ifs = format!(
        "model M Real x; equation {} x = 1; {} end M;",
        "if x > 1 then ".repeat(2_000),
        "end if;".repeat(2_000)
    );
    let _ = support::try_flat(&ifs, &[]);
    let chain: String = (0..2_000).map(|i| format!("model A{} extends A{i}; end A{};", i + 1, i + 1)).collect();
    let _ = support::try_flat(&format!("model A0 end A0; {chain}"), &[]);
}

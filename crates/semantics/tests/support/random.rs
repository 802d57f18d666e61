//! Random multimode models in MEL: at most four guards and six equations.

/// A generator whose numbers are the same everywhere.
pub struct Random(u64);

impl Random {
    /// Seeds must not be zero alone, hence the mixing.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % bound
    }

    /// True so many times in a hundred.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A model; whether its modes are regular is not known.
pub fn model(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let guards = 1 + random.below(4);
    let size = 2 + random.below(5);
    let mut text: String = (1..=guards).map(|guard| format!("g{guard} : boolean;\n")).collect();
    text.extend((1..=size).map(|variable| format!("x{variable} : real;\n")));
    let mut number = 0;
    let mut equation = |random: &mut Random, orders: bool| {
        number += 1;
        format!("e{number} : equation {} = {number}.0;\n", sum(random, size, orders))
    };
    for _ in 0..size {
        if random.chance(55) {
            text += &equation(random, true);
        } else {
            let guard = 1 + random.below(guards);
            // Derivatives in some modes only are rare in practice: a variable is a state of the part that stores.
            let orders = random.chance(15);
            let (yes, no) = (equation(random, orders), equation(random, orders));
            text += &format!("if g{guard} then\n  {yes}else\n  {no}end;\n");
        }
    }
    text
}

/// A sum of a few variables or derivatives.
fn sum(random: &mut Random, size: u64, with_derivatives: bool) -> String {
    let mut terms = Vec::new();
    for _ in 0..1 + random.below(3) {
        let variable = 1 + random.below(size);
        let order = match random.below(100) {
            _ if !with_derivatives => 0,
            0..55 => 0,
            55..90 => 1,
            _ => 2,
        };
        let name = (0..order).fold(format!("x{variable}"), |inner, _| format!("der({inner})"));
        terms.push(format!("{}.0*{name}", 2 + random.below(90)));
    }
    terms.join(" + ")
}

//! Random multimode models: at most four guards and six equations, in MEL, or in Modelica with a `when` that has laws.

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

/// A model with a `when` whose laws say something of right limits. Its guard looks at time, so that the mode stays, or at a
/// variable, so that it is transient.
pub fn model_with_laws(seed: u64) -> String {
    let random = &mut Random::new(seed ^ 0x57E4);
    let guards = 1 + random.below(2);
    let size = 2 + random.below(4);
    let fires = 1 + random.below(guards);
    let mut declarations: String = (1..=size).map(|variable| format!("  Real x{variable};\n")).collect();
    let mut text = String::new();
    for guard in 1..=guards {
        let value = match guard == fires && random.chance(60) {
            true => format!("pre(x{}) <= 0", 1 + random.below(size)),
            false => format!("time >= {guard}"),
        };
        declarations += &format!("  Boolean g{guard}(start = false);\n");
        text += &format!("  g{guard} = ({value});\n");
    }
    let mut number = 0;
    let mut states = Vec::new();
    for variable in 1..=size {
        number += 1;
        // Some variables are states: masses with a velocity, or forces that a guard decides about.
        if variable > 1 && random.chance(60) {
            states.push(variable);
            let others = sum(random, size, false);
            text += &format!("  /* e{number}: */ {}*der(x{variable}) + {others} = {number};\n", 2 + random.below(90));
        } else {
            let guard = if variable == 1 { fires } else { 1 + random.below(guards) };
            let (yes, no) = (sum(random, size, false), sum(random, size, false));
            text += &format!("  /* e{number}: */ {number} = if g{guard} then {yes} else {no};\n");
        }
    }
    // Laws speak of states: of others there is nothing to restart.
    let count = if states.is_empty() { 0 } else { random.below(3) };
    let laws = (0..count).map(|_| {
        let [one, other] = [0, 1].map(|_| states[random.below(states.len() as u64) as usize]);
        match random.below(3) {
            0 => format!("    x{one} + {}*x{other} = {}*pre(x{one});\n", 2 + random.below(9), 2 + random.below(9)),
            _ => format!("    x{one} = -0.{}*pre(x{one});\n", 1 + random.below(9)),
        }
    });
    let laws: String = laws.collect();
    format!("model R\n{declarations}equation\n{text}  when g{fires} then\n{laws}  end when;\nend R;\n")
}

//! The same model told differently: in other units, with another stop time, in another order, beside a copy of itself.

use super::reference::Reference;

/// A way to tell a model.
#[derive(Clone, Debug, PartialEq)]
pub enum Variant {
    Plain,
    /// Units of size and of time, as multiples of the model's own.
    Units(f64, f64),
    /// A later stop time.
    Stop(f64),
    /// Another distance of rows.
    Interval(f64),
    /// The equations in another order, by the number of a permutation.
    Shuffled(u64),
    /// Beside a copy of itself that runs at another pace.
    Neighbour,
}

/// Units of size and of time.
pub const TIMES_AND_SIZES: [Variant; 6] = [
    Variant::Units(1e-9, 1.0),
    Variant::Units(1e-3, 1.0),
    Variant::Units(1e6, 1.0),
    Variant::Units(1.0, 1e-9),
    Variant::Units(1.0, 1e-3),
    Variant::Units(1.0, 1e6),
];

/// The pace of the copy beside a model: no event of the one falls on one of the other.
const OTHER_PACE: f64 = 1.3723;

impl Variant {
    /// Whether the model can be told so.
    pub fn suits(&self, reference: &Reference) -> bool {
        let has = |name: &str| reference.parameters.contains_key(name);
        match *self {
            Variant::Units(size, time) => (size == 1.0 || has("u")) && (time == 1.0 || has("tau")),
            Variant::Neighbour => has("tau"),
            // A model of components alone has no equations of its own; lines of a loop stay in it.
            Variant::Shuffled(_) => reference.text().contains("\nequation") && !reference.text().contains("end for"),
            Variant::Plain | Variant::Interval(_) | Variant::Stop(_) => true,
        }
    }

    /// The text of the model.
    pub fn text(&self, reference: &Reference) -> String {
        let text = reference.text();
        match self {
            Variant::Shuffled(seed) => shuffled(&text, *seed),
            Variant::Neighbour => {
                let (name, pace) = (&reference.model, reference.parameters["tau"] * OTHER_PACE);
                format!("{text}\nmodel Both\n  {name} first;\n  {name} second(tau = {pace:e});\nend Both;\n")
            }
            _ => text,
        }
    }

    /// The options that set the units.
    pub fn parameters(&self, reference: &Reference) -> Vec<String> {
        let Variant::Units(size, time) = *self else { return Vec::new() };
        let units = [("u", size), ("tau", time)].into_iter().filter(|(_, unit)| *unit != 1.0);
        units
            .flat_map(|(name, unit)| ["--set".to_string(), format!("{name}={:e}", reference.parameters[name] * unit)])
            .collect()
    }

    /// What the unit of a variable is multiplied by.
    pub fn unit(&self, reference: &Reference, variable: &str) -> f64 {
        let Variant::Units(size, time) = *self else { return 1.0 };
        let (of_size, of_time) = reference.units.get(variable).copied().unwrap_or((0, 0));
        size.powi(of_size) * time.powi(of_time)
    }

    /// What times are multiplied by.
    pub fn time_unit(&self) -> f64 {
        if let Variant::Units(_, time) = *self { time } else { 1.0 }
    }

    pub fn stop(&self) -> f64 {
        if let Variant::Stop(times) = *self { times } else { 1.0 }
    }

    pub fn interval(&self) -> f64 {
        if let Variant::Interval(times) = *self { times } else { 1.0 }
    }

    /// Whether there is a row at this time.
    pub fn has_row(&self, reference: &Reference, time: f64) -> bool {
        let rows = time / (reference.interval * self.interval());
        (rows - rows.round()).abs() < 1e-6
    }

    /// The name of a variable.
    pub fn name(&self, variable: &str) -> String {
        if *self == Variant::Neighbour { format!("first.{variable}") } else { variable.to_string() }
    }
}

/// The equations of the last model in another order.
fn shuffled(text: &str, seed: u64) -> String {
    let start = text.rfind("\nequation").expect("equations") + "\nequation".len();
    let end = text.rfind("\nend ").expect("an end");
    let mut equations = statements(&text[start..end]);
    let mut random = seed;
    for last in (1..equations.len()).rev() {
        // The step of a linear congruence; its upper half is random enough for a permutation.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        equations.swap(last, (random >> 33) as usize % (last + 1));
    }
    format!("{}\n{}{}", &text[..start], equations.join("\n"), &text[end..])
}

/// The statements of a section: a semicolon ends one, unless a clause is open.
fn statements(section: &str) -> Vec<&str> {
    let (mut found, mut begin, mut depth) = (Vec::new(), 0, 0_i32);
    let mut is_first = true;
    let mut words = section.char_indices().peekable();
    while let Some((at, character)) = words.next() {
        if character == ';' {
            is_first = true;
            if depth == 0 {
                found.push(section[begin..=at].trim());
                begin = at + 1;
            }
        } else if character.is_alphabetic() {
            let mut end = at + character.len_utf8();
            while words.peek().is_some_and(|(_, next)| next.is_alphanumeric() || *next == '_') {
                end = words.next().map_or(end, |(at, it)| at + it.len_utf8());
            }
            // `if`, `for` and `when` open a clause where a statement begins, not inside an expression.
            match &section[at..end] {
                "if" | "for" | "when" if is_first => depth += 1,
                "end" if is_first => depth -= 1,
                _ => {}
            }
            is_first =
                matches!(&section[at..end], "then" | "loop" | "else") && depth > 0 && is_first_again(section, end);
        } else if !character.is_whitespace() {
            is_first = false;
        }
    }
    found
}

/// Whether a statement begins after `then`, `loop` or `else`: only where the line ends there.
fn is_first_again(section: &str, end: usize) -> bool {
    section[end..].trim_start_matches([' ', '\t']).starts_with('\n')
}

#[test]
fn statements_are_told_apart() {
    let section = "a = if b then 1 else 2; when c then\n  if d then\n e = 1; end if;\nelsewhen f then\n g = 2;\nend when;\nh = 3;";
    let found = statements(section);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[1].starts_with("when") && found[1].ends_with("end when;"), "{found:?}");
}

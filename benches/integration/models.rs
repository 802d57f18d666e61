//! The systems as models, and the values that the C program calls its states.

/// A model, how long it is integrated, and its counterpart in C.
pub struct Timed {
    /// Its name there.
    pub name: &'static str,
    pub text: String,
    pub stop: f64,
    /// Solvers for its linear systems there.
    pub solvers: &'static [&'static str],
    /// The states there: variables, or differences of two.
    pub states: Vec<(String, Option<String>)>,
    /// How often it is integrated for one time.
    pub repetitions: usize,
}

fn plain(name: &str) -> (String, Option<String>) {
    (name.to_string(), None)
}

fn difference(first: &str, second: &str) -> (String, Option<String>) {
    (first.to_string(), Some(second.to_string()))
}

/// Stiffness 1000.
pub fn van_der_pol() -> Timed {
    let text = "model VanDerPol
        Real x(start = 2, fixed = true), v(start = 0, fixed = true);
      equation
        der(x) = v;
        der(v) = 1000*(1 - x^2)*v - x;
      end VanDerPol;";
    Timed {
        name: "van_der_pol",
        text: text.to_string(),
        stop: 2000.0,
        solvers: &["dense"],
        states: vec![plain("x"), plain("v")],
        repetitions: 300,
    }
}

/// The transistor amplifier of the IVP test set, as a circuit: its analysis finds the five states.
pub fn amplifier() -> Timed {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/TransistorAmplifier.mo");
    Timed {
        name: "amplifier",
        text: std::fs::read_to_string(file).expect("a model of the repository"),
        stop: 0.2,
        solvers: &["dense"],
        states: vec![difference("y1", "y2"), plain("y3"), difference("y4", "y5"), plain("y6"), difference("y7", "y8")],
        repetitions: 100,
    }
}

/// The Brusselator with diffusion along a line, two states per point.
pub fn brusselator() -> Timed {
    let text = "model Brusselator
        parameter Integer n = 1000;
        parameter Real d = 0.02*(n + 1)^2;
        Real u[n](start = {1 + sin(2*3.141592653589793*i/(n + 1)) for i in 1:n}, each fixed = true);
        Real v[n](each start = 3, each fixed = true);
      equation
        for i in 1:n loop
          der(u[i]) = 1 + u[i]^2*v[i] - 4*u[i]
            + d*((if i > 1 then u[max(i - 1, 1)] else 1) - 2*u[i] + (if i < n then u[min(i + 1, n)] else 1));
          der(v[i]) = 3*u[i] - u[i]^2*v[i]
            + d*((if i > 1 then v[max(i - 1, 1)] else 3) - 2*v[i] + (if i < n then v[min(i + 1, n)] else 3));
        end for;
      end Brusselator;";
    let states = (1..=1000).flat_map(|i| [plain(&format!("u[{i}]")), plain(&format!("v[{i}]"))]).collect();
    Timed {
        name: "brusselator",
        text: text.to_string(),
        stop: 10.0,
        solvers: &["band", "klu"],
        states,
        repetitions: 10,
    }
}

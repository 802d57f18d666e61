//! The systems as models, and the values that the C program calls its states.

/// A model, how long it is integrated, and its counterpart in C.
pub struct Timed {
    /// Its name there.
    pub name: &'static str,
    pub text: String,
    pub stop: f64,
    /// Solvers for its linear systems there.
    pub solvers: &'static [&'static str],
    /// The states there.
    pub states: Vec<String>,
    /// How often it is integrated for one time.
    pub repetitions: usize,
    /// Whether an explicit method suits it.
    pub is_smooth: bool,
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
        states: ["x", "v"].map(str::to_string).to_vec(),
        repetitions: 300,
        is_smooth: false,
    }
}

/// The transistor amplifier of the IVP test set, as a circuit: two stages between capacitors. The voltages of these are the
/// states, as in C; the voltages of the bases follow from exponentials.
pub fn amplifier() -> Timed {
    let text = "model Amplifier
        parameter Real Ub = 6, UF = 0.026, alpha = 0.99, beta = 1e-6, R0 = 1000, R = 9000;
        parameter Real C1 = 1e-6, C2 = 2e-6, C3 = 3e-6, C4 = 4e-6, C5 = 5e-6;
        Real u1(start = -3, fixed = true), u2(start = 3, fixed = true), u3(start = 3, fixed = true);
        Real u4(start = 3, fixed = true), u5(start = 6, fixed = true);
        Real y1, y2(start = 3), y4, y5(start = 3), y7, y8, Ue, g1, g2;
      equation
        Ue = 0.1*sin(200*3.141592653589793*time);
        g1 = beta*(exp((y2 - u2)/UF) - 1);
        g2 = beta*(exp((y5 - u4)/UF) - 1);
        u1 = y1 - y2;
        u3 = y4 - y5;
        u5 = y7 - y8;
        C1*der(u1) = (Ue - y1)/R0;
        -C1*der(u1) = Ub/R - 2*y2/R + (alpha - 1)*g1;
        C2*der(u2) = g1 - u2/R;
        C3*der(u3) = Ub/R - y4/R - alpha*g1;
        -C3*der(u3) = Ub/R - 2*y5/R + (alpha - 1)*g2;
        C4*der(u4) = g2 - u4/R;
        C5*der(u5) = Ub/R - y7/R - alpha*g2;
        -C5*der(u5) = -y8/R;
      end Amplifier;";
    Timed {
        name: "amplifier",
        text: text.to_string(),
        stop: 0.2,
        solvers: &["dense"],
        states: ["u1", "u2", "u3", "u4", "u5"].map(str::to_string).to_vec(),
        repetitions: 100,
        is_smooth: false,
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
    let states = (1..=1000).flat_map(|i| [format!("u[{i}]"), format!("v[{i}]")]).collect();
    Timed {
        name: "brusselator",
        text: text.to_string(),
        stop: 10.0,
        solvers: &["band", "klu"],
        states,
        repetitions: 10,
        is_smooth: false,
    }
}

/// A planet on ten rounds of an ellipse of eccentricity 0.6: not stiff, without counterpart in C.
pub fn planet() -> Timed {
    let text = "model Planet
        Real x(start = 0.4, fixed = true), y(start = 0, fixed = true);
        Real u(start = 0, fixed = true), v(start = 2, fixed = true), r3;
      equation
        r3 = (x^2 + y^2)^1.5;
        der(x) = u;
        der(y) = v;
        der(u) = -x/r3;
        der(v) = -y/r3;
      end Planet;";
    Timed {
        name: "planet",
        text: text.to_string(),
        stop: 62.83185307179586,
        solvers: &[],
        states: ["x", "y", "u", "v"].map(str::to_string).to_vec(),
        repetitions: 300,
        is_smooth: true,
    }
}

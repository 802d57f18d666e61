//! Switched models, as users write them; `switching/cvode.c` has the same by hand.

/// A model that is run, and what it is compared by.
pub struct Switched {
    pub name: &'static str,
    pub text: String,
    pub stop: f64,
    /// The states, in the order of the C program; all elements of an array by its name and size.
    pub states: Vec<String>,
}

const TWO: [&str; 2] = ["i", "u"];

fn switched(name: &'static str, stop: f64, states: impl IntoIterator<Item = String>, text: String) -> Switched {
    Switched { name, text, stop, states: states.into_iter().collect() }
}

fn named(names: [&str; 2]) -> impl Iterator<Item = String> {
    names.map(str::to_string).into_iter()
}

/// A converter with an ideal switch and an ideal diode.
fn converter(current: f64, voltage: f64, load: f64, equations: &str) -> String {
    format!(
        "model Converter
           parameter Real Vin = 5, L = 1e-3, C = 1e-4, R = {load}, D = 0.5, T = 1e-4;
           Real i(start = {current}, fixed = true), u(start = {voltage}, fixed = true), vs, is, id, ud;
           Boolean sw, on(start = false);
         equation
           sw = time - T*floor(time/T) < D*T;
           i = is + id;
           {equations}
           on = if pre(on) then id >= 0 else ud > 0;
           0 = if on then ud else id;
         end Converter;"
    )
}

const BOOST: &str = "L*der(i) = Vin - vs; C*der(u) = id - u/R; ud = vs - u; 0 = if sw then vs else is;";
const BUCK: &str = "L*der(i) = vs - u; C*der(u) = i - u/R; ud = -vs; 0 = if sw then vs - Vin else is;";

/// Legs of a bridge, each with two ideal switches and a diode beside each. The gates of a leg are pulses of a share `W` of the period,
/// the lower one half a period after the upper one; legs are apart by the shares `shift`.
fn bridge(name: &str, legs: usize, declarations: &str, load: &str) -> String {
    format!(
        "model {name}
           parameter Real Vdc = 100, L = 1e-2, R = 5, T = 1e-2, W = 0.48;
           parameter Real shift[{legs}] = {{{shifts}}};
           Real v[{legs}], i[{legs}], vh[{legs}], vl[{legs}], ih[{legs}], il[{legs}];
           Boolean gh[{legs}], gl[{legs}], dh[{legs}](each start = false), dl[{legs}](each start = false);
           {declarations}
         equation
           for k in 1:{legs} loop
             gh[k] = time/T + 1 - shift[k] - floor(time/T + 1 - shift[k]) < W;
             gl[k] = time/T + 1.5 - shift[k] - floor(time/T + 1.5 - shift[k]) < W;
             vh[k] = Vdc - v[k]; vl[k] = v[k]; ih[k] = il[k] + i[k];
             dh[k] = not gh[k] and (if pre(dh[k]) then ih[k] <= 0 else vh[k] < 0);
             dl[k] = not gl[k] and (if pre(dl[k]) then il[k] <= 0 else vl[k] < 0);
             0 = if gh[k] or dh[k] then vh[k] else ih[k];
             0 = if gl[k] or dl[k] then vl[k] else il[k];
           end for;
           {load}
         end {name};",
        shifts = (0..legs).map(|leg| format!("{leg}/{}", legs)).collect::<Vec<_>>().join(", ")
    )
}

const TWO_LEGS: &str = "i[1] = j; i[2] = -j; L*der(j) = v[1] - v[2] - R*j;";
const THREE_LEGS: &str = "for k in 1:3 loop
     L*der(j[k]) = v[k] - v[if k < 3 then k + 1 else 1] - R*j[k]; i[k] = j[k] - j[if k > 1 then k - 1 else 3];
   end for;";

/// All of them.
pub fn models() -> Vec<Switched> {
    let sampled = "model Sampled
        Real x(start = 1, fixed = true), v(start = 0, fixed = true); discrete Real u(start = 0, fixed = true);
      equation
        der(x) = v; der(v) = -x - 0.2*v + u;
        when sample(0.1, 0.1) then u = -0.5*x - 0.8*v + 0.1*pre(u) + 1; end when;
      end Sampled;";
    let ball = "model Ball
        Real h(start = 1, fixed = true), v(start = 0, fixed = true);
      equation
        der(h) = v; der(v) = -9.81 - 0.1*v*abs(v);
        when h <= 0 then reinit(v, 1 - 0.8*pre(v)); end when;
      end Ball;";
    let plant = "model Plant
        Real x[20](each start = 0, each fixed = true); Boolean on(start = true);
      equation
        on = if pre(on) then x[20] < 0.1 else x[20] < -0.1;
        der(x[1]) = 20*((if on then 1 else -1) - x[1]);
        for k in 2:20 loop der(x[k]) = 20*(x[k - 1] - x[k]); end for;
      end Plant;";
    let relays = "model Relays
        Real x[1000](each start = 0, each fixed = true); Boolean on[1000](each start = true);
      equation
        for k in 1:1000 loop
          on[k] = if pre(on[k]) then x[k] < 1 else x[k] < -1;
          der(x[k]) = (if on[k] then 1 else -1)*(1 + k/1000) - 0.1*x[k];
        end for;
      end Relays;";
    let array = |size: usize| (1..=size).map(|k| format!("x[{k}]"));
    vec![
        switched("boost", 1.0, named(TWO), converter(0.275, 10.0, 50.0, BOOST)),
        switched("boost-discontinuous", 1.0, named(TWO), converter(0.0, 20.0, 2000.0, BOOST)),
        switched("buck", 1.0, named(TWO), converter(0.4, 2.5, 5.0, BUCK)),
        switched("bridge", 50.0, ["j".to_string()], bridge("Bridge", 2, "Real j(start = -5, fixed = true);", TWO_LEGS)),
        switched(
            "inverter",
            30.0,
            (1..=3).map(|k| format!("j[{k}]")),
            bridge("Inverter", 3, "Real j[3](start = {0, -10, 10}, each fixed = true);", THREE_LEGS),
        ),
        switched("sampled", 1000.0, named(["x", "v"]), sampled.to_string()),
        switched("ball", 300.0, named(["h", "v"]), ball.to_string()),
        switched("plant", 300.0, array(20), plant.to_string()),
        switched("relays", 1.0, array(1000), relays.to_string()),
    ]
}

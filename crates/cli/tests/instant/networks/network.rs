//! Random passive networks, and their text as models.

use std::fmt::Write;

/// What a branch is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Resistor(f64),
    Inductor(f64),
    Capacitor(f64),
    /// `amplitude sin(frequency t)`
    Source(f64, f64),
    Diode,
    /// Closed before this time if the second is true, else after it.
    Switch(f64, bool),
}

/// A branch from one node to another; node 0 is the ground.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    pub from: usize,
    pub to: usize,
    pub kind: Kind,
}

/// A network.
#[derive(Clone, Debug)]
pub struct Network {
    /// Without the ground.
    pub nodes: usize,
    pub branches: Vec<Branch>,
}

/// Numbers without relations between them, the same for the same seed: splitmix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.next() >> 11) as f64 / (1u64 << 53) as f64)
    }
}

impl Network {
    /// 5 to 12 nodes, the ground among them, connected, with one or two sources and up to nine diodes.
    pub fn random(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let nodes = 4 + random.below(8);
        let mut ends: Vec<(usize, usize)> = (1..=nodes).map(|node| (node, random.below(node))).collect();
        for _ in 0..2 + random.below(nodes) {
            let (a, b) = (random.below(nodes + 1), random.below(nodes + 1));
            if a != b {
                ends.push((a, b));
            }
        }
        let mut branches: Vec<Branch> = Vec::new();
        for (number, (from, to)) in ends.into_iter().enumerate() {
            let (from, to) = if random.below(2) == 0 { (from, to) } else { (to, from) };
            let diodes = branches.iter().filter(|branch| branch.kind == Kind::Diode).count();
            let kind = match random.below(20) {
                _ if number == 0 => Kind::Source(random.between(1.0, 10.0), random.between(4.0, 16.0)),
                0 => Kind::Source(random.between(1.0, 10.0), random.between(4.0, 16.0)),
                1..=3 => Kind::Inductor(random.between(0.05, 0.5)),
                4..=7 => Kind::Capacitor(random.between(0.05, 0.5)),
                8..=12 if diodes < 9 => Kind::Diode,
                13 => Kind::Switch(random.between(0.2, 0.8), random.below(2) == 0),
                _ => Kind::Resistor(random.between(0.5, 5.0)),
            };
            branches.push(Branch { from, to, kind });
        }
        Network { nodes, branches }
    }

    /// The network as a model: voltages `u`, currents `i` and, of diodes, one of the two, `s`.
    pub fn text(&self) -> String {
        let mut text = String::from("model Network\n");
        let mut equations = String::new();
        let potential = |node: usize| if node == 0 { "0".to_string() } else { format!("v{node}") };
        for node in 1..=self.nodes {
            let _ = writeln!(text, "  Real v{node};");
            let terms = self.branches.iter().enumerate().filter_map(|(k, branch)| match node {
                _ if branch.from == node => Some(format!(" + i{k}")),
                _ if branch.to == node => Some(format!(" - i{k}")),
                _ => None,
            });
            let _ = writeln!(equations, "  0 ={};", terms.collect::<String>());
        }
        for (k, Branch { from, to, kind }) in self.branches.iter().enumerate() {
            let (fixed, none) = ("(start = 0, fixed = true)", "");
            let (u, i) = match kind {
                Kind::Capacitor(_) => (fixed, none),
                Kind::Inductor(_) => (none, fixed),
                _ => (none, none),
            };
            let _ = writeln!(text, "  Real u{k}{u}, i{k}{i};");
            let _ = writeln!(equations, "  u{k} = {} - {};", potential(*from), potential(*to));
            let _ = match kind {
                Kind::Resistor(r) => writeln!(equations, "  u{k} = {r}*i{k};"),
                Kind::Inductor(l) => writeln!(equations, "  {l}*der(i{k}) = u{k};"),
                Kind::Capacitor(c) => writeln!(equations, "  {c}*der(u{k}) = i{k};"),
                Kind::Source(amplitude, frequency) => {
                    writeln!(equations, "  u{k} = {amplitude}*sin({frequency}*time);")
                }
                Kind::Diode => {
                    let _ = writeln!(text, "  Real s{k}; Boolean on{k};");
                    writeln!(
                        equations,
                        "  on{k} = s{k} > 0; i{k} = if on{k} then s{k} else 0; u{k} = if on{k} then 0 else s{k};"
                    )
                }
                Kind::Switch(time, before) => {
                    let _ = writeln!(text, "  Boolean on{k};");
                    let relation = if *before { "<" } else { ">=" };
                    writeln!(equations, "  on{k} = time {relation} {time}; 0 = if on{k} then u{k} else i{k};")
                }
            };
        }
        format!("{text}equation\n{equations}end Network;\n")
    }

    /// Names and branches of states.
    pub fn states(&self) -> Vec<(String, usize)> {
        let branches = self.branches.iter().enumerate();
        let state = |(k, branch): (usize, &Branch)| match branch.kind {
            Kind::Capacitor(_) => Some((format!("u{k}"), k)),
            Kind::Inductor(_) => Some((format!("i{k}"), k)),
            _ => None,
        };
        branches.filter_map(state).collect()
    }
}

//! Random machines against an interpreter of their own: 2–4 states, 1–3 machines, one of them inside a state.
//!
//! Every state has a clock that runs at its own speed. The interpreter knows when each transition fires in closed form, and what
//! entering means; it knows nothing of equations.

use crate::support::runs as support;
use support::{How, run_text};

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// With so many digits that no two events coincide.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.below(1_000_003) as f64 + 0.5) / 1_000_003.0
    }
}

struct State {
    speed: f64,
    start: f64,
}

struct Transition {
    from: usize,
    to: usize,
    /// How far the clock has to run if every entry resets it, else how long the state has to last.
    limit: f64,
    is_clock: bool,
    reset: bool,
}

struct Machine {
    prefix: &'static str,
    states: Vec<State>,
    /// By state and priority.
    transitions: Vec<Transition>,
}

/// One or two machines side by side, and one inside the first state of the first, or none.
struct Model {
    machines: Vec<Machine>,
    inner: Option<Machine>,
}

fn machine(prefix: &'static str, random: &mut Random) -> Machine {
    let count = 2 + random.below(3) as usize;
    let states: Vec<State> =
        (0..count).map(|_| State { speed: random.between(0.5, 2.0), start: random.between(-1.0, 1.0) }).collect();
    let mut transitions = Vec::new();
    for from in 0..count {
        for _ in 0..random.below(3) {
            let to = random.below(count as u64) as usize;
            transitions.push(Transition { from, to, limit: 0.0, is_clock: false, reset: random.below(2) == 0 });
        }
    }
    // Every state hangs together with the first one.
    for to in 1..count {
        let from = random.below(to as u64) as usize;
        transitions.push(Transition { from, to, limit: 0.0, is_clock: false, reset: random.below(2) == 0 });
    }
    for at in 0..transitions.len() {
        let from = transitions[at].from;
        let always_anew = transitions.iter().filter(|it| it.to == from).all(|it| it.reset);
        // Machines inside a state may be entered without any of their transitions.
        let is_clock = prefix != "b" && always_anew && random.below(2) == 0;
        let offset = if is_clock { states[from].start } else { 0.0 };
        let transition = &mut transitions[at];
        (transition.is_clock, transition.limit) = (is_clock, offset + random.between(0.2, 1.2));
    }
    Machine { prefix, states, transitions }
}

fn model(seed: u64) -> Model {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
    random.below(2);
    let mut machines = vec![machine("a", &mut random)];
    if random.below(2) == 0 {
        machines.push(machine("c", &mut random));
    }
    let inner = (random.below(2) == 0).then(|| machine("b", &mut random));
    Model { machines, inner }
}

impl Machine {
    fn declarations(&self, class: impl Fn(usize) -> &'static str) -> String {
        let state = |(at, it): (usize, &State)| {
            format!("{} {}{at}(k = {}, x(start = {}, fixed = true)); ", class(at), self.prefix, it.speed, it.start)
        };
        self.states.iter().enumerate().map(state).collect()
    }

    fn equations(&self) -> String {
        let mut text = format!("initialState({}0); ", self.prefix);
        let mut priorities = vec![0; self.states.len()];
        for Transition { from, to, limit, is_clock, reset } in &self.transitions {
            priorities[*from] += 1;
            let prefix = self.prefix;
            let asked = if *is_clock { format!("{prefix}{from}.x") } else { "timeInState()".to_string() };
            let priority = priorities[*from];
            text += &format!(
                "transition({prefix}{from}, {prefix}{to}, {asked} > {limit}, reset = {reset}, priority = {priority}); "
            );
        }
        text
    }
}

impl Model {
    fn text(&self) -> String {
        let state = "model S parameter Real k; Real x; equation der(x) = k; end S;";
        let inner = self.inner.as_ref().map_or(String::new(), |inner| {
            let (inside, equations) = (inner.declarations(|_| "S"), inner.equations());
            format!("model P parameter Real k; Real x; {inside} equation der(x) = k; {equations} end P;")
        });
        let first = if self.inner.is_some() { "P" } else { "S" };
        let class = |prefix: &str, at: usize| if prefix == "a" && at == 0 { first } else { "S" };
        let declared: String =
            self.machines.iter().map(|machine| machine.declarations(|at| class(machine.prefix, at))).collect();
        let equations: String = self.machines.iter().map(Machine::equations).collect();
        format!("{state} {inner} model M {declared} equation {equations} end M;")
    }
}

/// A machine as it stands: the active state, the clocks of all, and how long the active one has lasted.
struct Standing<'m> {
    machine: &'m Machine,
    active: usize,
    clocks: Vec<Option<f64>>,
    lasted: f64,
}

impl<'m> Standing<'m> {
    fn new(machine: &'m Machine) -> Self {
        let mut standing = Standing { machine, active: 0, clocks: vec![None; machine.states.len()], lasted: 0.0 };
        standing.enter(0, true);
        standing
    }

    fn enter(&mut self, state: usize, anew: bool) {
        let start = self.machine.states[state].start;
        self.clocks[state] = Some(self.clocks[state].filter(|_| !anew).unwrap_or(start));
        (self.active, self.lasted) = (state, 0.0);
    }

    fn clock(&self) -> f64 {
        self.clocks[self.active].expect("an active state has a clock")
    }

    fn go_on(&mut self, time: f64) {
        self.clocks[self.active] = Some(self.clock() + time * self.machine.states[self.active].speed);
        self.lasted += time;
    }

    /// When the first transition fires from now on, and which.
    fn next(&self) -> Option<(f64, &'m Transition)> {
        let speed = self.machine.states[self.active].speed;
        let leaving = self.machine.transitions.iter().filter(|it| it.from == self.active);
        let waits = leaving.map(|it| match it.is_clock {
            true => ((it.limit - self.clock()) / speed, it),
            false => (it.limit - self.lasted, it),
        });
        waits.min_by(|one, other| one.0.total_cmp(&other.0))
    }
}

/// The times of all changes until `stop`, and the clocks of the active states then.
fn interpreted(model: &Model, stop: f64) -> (Vec<f64>, Vec<(String, f64)>) {
    let mut outer: Vec<Standing> = model.machines.iter().map(Standing::new).collect();
    let mut inner = model.inner.as_ref().map(Standing::new);
    let (mut now, mut times) = (0.0, Vec::new());
    loop {
        let mut first: Option<(f64, usize, &Transition)> = None;
        for (number, standing) in outer.iter().enumerate() {
            if let Some((wait, transition)) = standing.next() {
                first = first.filter(|it| it.0 <= wait).or(Some((wait, number, transition)));
            }
        }
        let inside = inner.as_ref().filter(|_| outer[0].active == 0).and_then(Standing::next);
        let is_inside = inside.is_some_and(|inside| first.is_none_or(|first| inside.0 < first.0));
        let wait = if is_inside { inside.map(|it| it.0) } else { first.map(|it| it.0) };
        let step = wait.unwrap_or(f64::INFINITY).min(stop - now);
        let has_inner = outer[0].active == 0;
        outer.iter_mut().for_each(|standing| standing.go_on(step));
        inner.iter_mut().filter(|_| has_inner).for_each(|standing| standing.go_on(step));
        now += step;
        if now >= stop {
            break;
        }
        times.push(now);
        match (is_inside, inside, first) {
            (true, Some((_, transition)), _) => {
                inner.iter_mut().for_each(|it| it.enter(transition.to, transition.reset));
            }
            (_, _, Some((_, number, transition))) => {
                outer[number].enter(transition.to, transition.reset);
                let is_entered = number == 0 && transition.to == 0;
                for it in inner.iter_mut().filter(|_| is_entered) {
                    if transition.reset {
                        it.clocks.fill(None);
                        it.enter(0, true);
                    } else {
                        // A state that is left for itself is left and entered with all that is inside.
                        it.enter(it.active, false);
                    }
                }
            }
            _ => {}
        }
    }
    let mut clocks: Vec<(String, f64)> =
        outer.iter().map(|it| (format!("{}{}.x", it.machine.prefix, it.active), it.clock())).collect();
    if let Some(it) = inner.filter(|_| outer[0].active == 0) {
        clocks.push((format!("a0.b{}.x", it.active), it.clock()));
    }
    (times, clocks)
}

#[test]
fn random_machines_do_what_their_interpreter_says() {
    check_machines(0..120);
}

#[test]
#[ignore = "380 more of the random machines: some seconds"]
fn more_random_machines_do_what_their_interpreter_says() {
    check_machines(120..500);
}

fn check_machines(seeds: std::ops::Range<u64>) {
    let stop = 3.7;
    for seed in seeds {
        let model = model(seed);
        let text = model.text();
        let ran = run_text(&text, &How::until(stop).tolerance(1e-9));
        let (times, clocks) = interpreted(&model, stop);
        let ran = ran.finished();
        let found: Vec<f64> = ran.event_times();
        let is_near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-6;
        assert!(
            found.len() == times.len() && found.iter().zip(&times).all(is_near),
            "{seed}: {text}\n{found:?}\n{times:?}"
        );
        for (name, clock) in clocks {
            let last = *ran.values(&name).last().expect("rows");
            assert!((last - clock).abs() < 1e-6, "{seed}: {text}\n{name} = {last}, not {clock}");
        }
    }
}

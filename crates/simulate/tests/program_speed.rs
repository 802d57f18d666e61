//! What programs cost: `cargo test --release -p modeshift-simulate --test program_speed -- --ignored --nocapture`.

use crate::support::programs;
use std::path::Path;
use std::time::Instant;

use programs::{Model, Running};

fn paper_model(name: &str, overrides: &[(&str, &str)]) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    Model::new(&std::fs::read_to_string(path).expect("a model of the repository"), overrides)
}

/// The shortest of some runs, in seconds.
fn seconds(mut work: impl FnMut()) -> f64 {
    let mut shortest = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        work();
        shortest = shortest.min(start.elapsed().as_secs_f64());
    }
    shortest
}

fn measure_derivative(name: &str, text: &str) {
    let model = Model::new(text, &[]);
    let mut run = Running::start(&model);
    let states = run.states.clone();
    let mut derivatives = vec![0.0; states.len()];
    let mut entries = vec![0.0; run.program.jacobian_pattern().entry_count()];
    const TIMES: u32 = 20_000;
    let times = TIMES / (states.len() as u32).max(1) + 10;
    let derivative = seconds(|| {
        for _ in 0..times {
            run.program.derivative(0.0, &states, &run.surroundings, &mut derivatives).expect("a derivative");
        }
    });
    let jacobian = seconds(|| {
        for _ in 0..times {
            run.program.jacobian(0.0, &states, &run.surroundings, &mut entries).expect("a Jacobian");
        }
    });
    let nanoseconds = |seconds: f64| seconds / f64::from(times) * 1e9;
    let (instructions, unknowns) = run.program.cost();
    println!(
        "{name}: {} states, {instructions} instructions, {unknowns} iterated: derivative {:.0} ns, Jacobian {:.0} ns",
        states.len(),
        nanoseconds(derivative),
        nanoseconds(jacobian),
    );
}

#[test]
#[ignore = "measures"]
fn derivatives() {
    measure_derivative(
        "van der Pol",
        "model M Real x(start = 2, fixed = true), y(start = 0, fixed = true); parameter Real mu = 1000;
         equation der(x) = y; der(y) = mu*(1 - x^2)*y - x; end M;",
    );
    measure_derivative(
        "pendulum",
        "model M parameter Real L = 1, g = 9.81; Real x(start = 1, fixed = true), y(start = 0), vx, vy(start = 0, fixed = true), l;
         equation der(x) = vx; der(y) = vy; der(vx) = -l*x; der(vy) = -l*y - g; x^2 + y^2 = L^2; end M;",
    );
    let data = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
        std::fs::read_to_string(path).expect("a model of the repository")
    };
    measure_derivative("transistor amplifier", &data("TransistorAmplifier.mo"));
    measure_derivative("car axis", &data("CarAxis.mo"));
    measure_derivative("Chemical Akzo Nobel", &data("ChemAkzo.mo"));
    measure_derivative(
        "reaction and diffusion",
        "model M parameter Integer n = 2000; Real u[n](each start = 0.5, each fixed = true);
         equation der(u[1]) = 0; der(u[n]) = 0;
         for i in 2:n - 1 loop der(u[i]) = 100*(u[i - 1] - 2*u[i] + u[i + 1]) + u[i]*(1 - u[i]); end for; end M;",
    );
}

/// Programs of a sequence of modes, each for the first time.
fn measure_building(name: &str, model: &Model, modes: &[Vec<bool>]) {
    let mut programs = model.programs();
    for (number, mode) in modes.iter().enumerate() {
        let start = Instant::now();
        let signature = model.analysis.signature(|id| mode[id.0 as usize]);
        let read = start.elapsed();
        let structure = modeshift_structure::one_mode::ModeStructure::of_signature(&signature);
        let structure = structure.map(std::sync::Arc::new).unwrap_or_else(|_| panic!("a regular mode"));
        let structured = start.elapsed();
        let mut program = programs.program(structure, |id| mode[id.0 as usize]).expect("a program");
        let built = start.elapsed();
        let jet = vec![0.5; program.quantities().len()];
        let surroundings = modeshift_simulate::program::Surroundings::new(&model.dae.model);
        program.choose_states(&mut programs, 0.0, &jet, &surroundings).expect("states");
        let chosen = start.elapsed();
        println!(
            "{name}, mode {number}: signature {read:.1?}, structure {:.1?}, program {:.1?}, states {:.1?}; cost {:?}",
            structured - read,
            built - structured,
            chosen - built,
            program.cost(),
        );
    }
}

#[test]
#[ignore = "measures"]
fn building() {
    let coaxial = paper_model("FaultyCoaxial.mo", &[("N", "1000")]);
    let count = coaxial.dae.mode_variables.len();
    let mut modes = vec![vec![false; count]];
    for fault in 0..4 {
        let mut mode = modes.last().expect("a mode").clone();
        mode[fault * 200 + fault % 2] = true;
        modes.push(mode);
    }
    measure_building("transmission line", &coaxial, &modes);
    let clutches = paper_model("ClutchChain.mo", &[("N", "1000")]);
    let count = clutches.dae.mode_variables.len();
    let engaged = |last: usize| (0..count).map(|clutch| clutch < last).collect::<Vec<bool>>();
    measure_building("clutches one after the other", &clutches, &[0, 1, 2, 10, 100, 500, 501, 999].map(engaged));
    let pairs = |first: usize| (0..count).map(|clutch| clutch % 2 == 0 && clutch >= first).collect::<Vec<bool>>();
    measure_building("clutches in pairs", &clutches, &[0, 2, 4, 6].map(pairs));
}

//! Mode changes of the models of the papers, all pairs at once, in words.

use modeshift_dae::MultimodeDae;
use modeshift_diagnostics::Diagnostics;
use modeshift_flatten::{Library, Memory, Request, elaborate, flatten};
use modeshift_mode_changes::{all_changes, change_reports};
use modeshift_structure::{Options, analyze};

fn multimode_dae(text: &str, overrides: &[(&str, String)]) -> MultimodeDae {
    let mut library = Library::new(Memory::new(), Vec::new());
    let mut diagnostics = Diagnostics::new();
    library.add_text("test.mo", text, &mut diagnostics);
    let overrides = overrides.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    let flat = flatten(&mut library, &Request { model: None, overrides }, &mut diagnostics).expect("flattens");
    elaborate(flat, &mut diagnostics).expect("has modes")
}

fn check_changes(text: &str, expected: &str) {
    let dae = multimode_dae(text, &[]);
    let analysis = analyze(&dae, &Options::default()).expect("no limit was set");
    let changes = all_changes(&dae, &analysis).expect("no limit was set");
    let names: Vec<String> = dae.mode_variables.iter().map(|mode| mode.name.to_string()).collect();
    let reports = change_reports(&changes, &analysis, &names, 64).expect("few kinds");
    let found: String = reports.iter().map(|report| report.to_string()).collect();
    let plain = |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(plain(&found), plain(expected), "\n{found}");
}

#[test]
fn the_clutch_engages_with_a_dirac_torque_and_releases_continuously() {
    check_changes(
        include_str!("../../../models/ClutchBasic.mo"),
        "
        pre(g) and not g: determined
          jump: f1, f2
          continuous: w1, w2
        not pre(g) and g: determined
          erased: e3
          impulsive: f1 (order 1), f2 (order 1)
          jump: w1, w2
          level 1: e1 e2 e3 e4 -> w1 w2 f1 f2",
    );
}

#[test]
fn the_rope_erases_its_constraint_and_its_derivative_and_keeps_positions() {
    check_changes(
        include_str!("../../../models/CupAndBall.mo"),
        "
        pre(gamma) and not gamma: determined
          jump: lambda, s
          continuous: u, v
        not pre(gamma) and gamma: determined
          erased: k1, k1'
          impulsive: lambda (order 1), s (order 1)
          jump: u, v
          continuous: x, y
          level 1: ex ey e1 e2 k1' -> x' y' u v lambda
          level 1: k2 -> s",
    );
}

/// `cargo test --release -p modeshift-mode-changes --test models -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn all_changes_of_long_chains_take_near_linear_time() {
    let chains = [
        ("clutch chain", include_str!("../../../models/ClutchChain.mo")),
        ("transmission line", include_str!("../../../models/FaultyCoaxial.mo")),
    ];
    for (name, text) in chains {
        for size in [1000, 3000, 10_000] {
            let dae = multimode_dae(text, &[("N", size.to_string())]);
            let start = std::time::Instant::now();
            let analysis = analyze(&dae, &Options::default()).expect("no limit was set");
            let analyzed = start.elapsed();
            let changes = all_changes(&dae, &analysis).expect("no limit was set");
            let erased = changes.memory.erased.len();
            let nodes = changes.pairs.space.node_count();
            let took = start.elapsed() - analyzed;
            println!("{name} N = {size}: modes {analyzed:.2?}, changes {took:.2?}, {erased} erased, {nodes} nodes");
        }
    }
}

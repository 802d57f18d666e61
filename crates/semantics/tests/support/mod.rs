//! From a text to its graph, and to what is compared.

use modeshift_dae::MultimodeDae;
use modeshift_semantics::{DifferenceSystem, Graph, Reading};
use modeshift_testkit::{NO_OVERRIDES, multimode_dae, multimode_dae_of_mel};

use second_opinion::{Opinion, of_semantics, with_changes};

pub mod numbers;
pub mod random;
pub mod second_opinion;

/// The multimode system of a Modelica text.
pub fn dae(text: &str) -> MultimodeDae {
    multimode_dae(text, &NO_OVERRIDES).unwrap_or_else(|it| panic!("{it:?}"))
}

/// The graph of a Modelica text.
pub fn graph(text: &str) -> Graph {
    graph_of(&dae(text))
}

fn dae_of_mel(text: &str) -> MultimodeDae {
    multimode_dae_of_mel("Model", text, &NO_OVERRIDES).unwrap_or_else(|it| panic!("{it:?}"))
}

/// The graph of a MEL text.
pub fn graph_of_mel(text: &str) -> Graph {
    graph_of(&dae_of_mel(text))
}

fn dae_of_file(name: &str) -> MultimodeDae {
    let path = format!("{}/../../models/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|it| panic!("{path}: {it}"));
    if name.ends_with(".mel") { dae_of_mel(&text) } else { dae(&text) }
}

/// The graph of a model of `models/`.
pub fn graph_of_file(name: &str) -> Graph {
    graph_of(&dae_of_file(name))
}

fn graph_of(dae: &MultimodeDae) -> Graph {
    Graph::new(DifferenceSystem::of(dae, &[]).expect("few guards"))
}

/// All runs, one per line.
pub fn runs(graph: &Graph) -> Vec<String> {
    let names = graph.beginning_names();
    (0..graph.runs.len()).map(|run| graph.run_text(run, &names)).collect()
}

/// So many random models with at least two regular modes and offsets to 3, each with its seed.
pub fn random_graphs(count: usize) -> impl Iterator<Item = (u64, MultimodeDae, Graph)> {
    let of_seed = |seed| {
        let dae = multimode_dae_of_mel("Random", &random::model(seed), &NO_OVERRIDES).ok()?;
        let graph = graph_of(&dae);
        let greatest = graph.offsets.iter().flatten().map(|offsets| offsets.greatest()).max()?;
        (graph.starts.len() >= 2 && greatest <= 3).then_some((seed, dae, graph))
    };
    (1..).filter_map(of_seed).take(count)
}

/// So many random models with a `when` that can fire, at least two regular modes and offsets to 3, each with its seed.
pub fn random_graphs_with_laws(count: usize) -> impl Iterator<Item = (u64, MultimodeDae, Graph)> {
    let of_seed = |seed| {
        let dae = multimode_dae(&random::model_with_laws(seed), &NO_OVERRIDES).ok()?;
        let graph = graph_of(&dae);
        let regular: Vec<u32> = graph.offsets.iter().flatten().map(|offsets| offsets.greatest()).collect();
        let is_small = regular.len() >= 2 && regular.iter().all(|&greatest| greatest <= 3);
        (is_small && !graph.starts.is_empty() && !graph.system.clauses.is_empty()).then_some((seed, dae, graph))
    };
    (1..).filter_map(of_seed).take(count)
}

/// All changes of a model of `models/`: by name, what the two say.
pub fn changes_of_file(name: &str, reading: Reading) -> Vec<(String, Opinion, Opinion)> {
    changes_of(&dae_of_file(name), reading)
}

fn changes_of(dae: &MultimodeDae, reading: Reading) -> Vec<(String, Opinion, Opinion)> {
    let graph = graph_of(dae);
    let modes: Vec<usize> = graph.starts.keys().copied().collect();
    with_changes(dae, &graph, |changes| {
        let pairs = modes.iter().flat_map(|&before| modes.iter().map(move |&after| (before, after)));
        let compared = pairs.filter(|(before, after)| before != after).map(|(before, after)| {
            let change = graph.change_read_as(before, after, reading).expect("a change between modes with starts");
            let name = format!("{} -> {}", graph.system.mode_name(before), graph.system.mode_name(after));
            (name, of_semantics(&graph, &change), changes.opinion(&change))
        });
        compared.collect()
    })
}

/// All changes of a model, as `changes` says.
pub fn check_against_changes(dae: &MultimodeDae) {
    for (change, ours, theirs) in changes_of(dae, Reading::default()) {
        assert!(ours.agrees_with(&theirs), "{change}: {ours:?}\n{theirs:?}");
    }
}

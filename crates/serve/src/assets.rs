//! The page itself and the examples, which are part of the program.

/// A file of the page: its kind and its text.
pub fn page(name: &str) -> Option<(&'static str, &'static str)> {
    const SCRIPT: &str = "text/javascript; charset=utf-8";
    Some(match name {
        "" | "index.html" => ("text/html; charset=utf-8", include_str!("page/index.html")),
        "style.css" => ("text/css; charset=utf-8", include_str!("page/style.css")),
        "app.js" => (SCRIPT, include_str!("page/app.js")),
        "client.js" => (SCRIPT, include_str!("page/client.js")),
        "editor.js" => (SCRIPT, include_str!("page/editor.js")),
        "formula.js" => (SCRIPT, include_str!("page/formula.js")),
        "structure.js" => (SCRIPT, include_str!("page/structure.js")),
        "changes.js" => (SCRIPT, include_str!("page/changes.js")),
        "simulation.js" => (SCRIPT, include_str!("page/simulation.js")),
        "plot.js" => (SCRIPT, include_str!("page/plot.js")),
        "others.js" => (SCRIPT, include_str!("page/others.js")),
        _ => return None,
    })
}

/// The models that are there without a file, the first one first.
pub const EXAMPLES: [(&str, &str); 10] = [
    ("WaterTank.mo", include_str!("../../../models/WaterTank.mo")),
    ("ClutchBasic.mo", include_str!("../../../models/ClutchBasic.mo")),
    ("CupAndBallElastic.mo", include_str!("../../../models/CupAndBallElastic.mo")),
    ("RLDC2.mo", include_str!("../../../models/RLDC2.mo")),
    ("BreakingShaft.mo", include_str!("../../../models/BreakingShaft.mo")),
    ("DiodeCapacitor.mo", include_str!("../../../models/DiodeCapacitor.mo")),
    ("FaultyCoaxial.mo", include_str!("../../../models/FaultyCoaxial.mo")),
    ("TransmissionTree.mo", include_str!("../../../models/TransmissionTree.mo")),
    ("TwoEquations.mo", include_str!("../../../models/TwoEquations.mo")),
    ("Westinghouse.mel", include_str!("../../../models/Westinghouse.mel")),
];

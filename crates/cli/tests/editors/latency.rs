//! How long an editor waits. `benches/RESULTS.md` has what was measured.

use std::time::{Duration, Instant};

use serde_json::json;

use super::client::Client;
use crate::support::temporary;

/// A chain of parts of the standard library, or of our own where there is none, in a file of two thousand lines.
fn long_model(with_library: bool) -> String {
    let (resistor, capacitor, ground, source) = match with_library {
        true => (
            "Modelica.Electrical.Analog.Basic.Resistor",
            "Modelica.Electrical.Analog.Basic.Capacitor",
            "Modelica.Electrical.Analog.Basic.Ground",
            "Modelica.Electrical.Analog.Sources.SineVoltage",
        ),
        false => (
            "Modeshift.Electrical.Resistor",
            "Modeshift.Electrical.Capacitor",
            "Modeshift.Electrical.Ground",
            "Modeshift.Electrical.SineVoltage",
        ),
    };
    let mut text = String::from("package Long\n");
    for number in 0..180 {
        text += &format!(
            "  model Part{number} \"a part that a library of one's own might have\"\n    parameter Real a = {number}.5 \"gain\";\n    \
             Real x(start = 1, fixed = true) \"state\";\n    Real y \"output\";\n    Boolean on(start = false, fixed = true);\n  \
             equation\n    on = x > 0.5;\n    /* e: */ der(x) = if on then -a*x else 1 - x;\n    y = a*x;\n  end Part{number};\n\n"
        );
    }
    text += &format!("  model Circuit\n    {source} source;\n    {ground} ground;\n");
    for number in 1..=10 {
        text += &format!(
            "    {resistor} r{number}(R = 10);\n    {capacitor} c{number}(C = 1e-3);\n    Part{number} part{number};\n"
        );
    }
    text += "  equation\n    connect(source.n, ground.p);\n    connect(source.p, r1.p);\n";
    for number in 1..=10 {
        text += &format!("    connect(r{number}.n, c{number}.p);\n    connect(c{number}.n, ground.p);\n");
        if number < 10 {
            text += &format!("    connect(r{number}.n, r{}.p);\n", number + 1);
        }
    }
    text += "    // typed here: \n  end Circuit;\nend Long;\n";
    text
}

fn median(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort();
    (times[times.len() / 2], times[times.len() * 95 / 100])
}

/// `MODELICAPATH=… cargo test -p modeshift-cli --test suite -- --ignored --nocapture one_keystroke`
#[test]
#[ignore = "measures"]
fn one_keystroke_in_a_long_file_with_the_standard_library() {
    let library = std::env::var_os("MODELICAPATH").map(std::path::PathBuf::from);
    let text = long_model(library.is_some());
    let mut client = match &library {
        Some(path) => Client::with(&[("MODELICAPATH", path)]),
        None => Client::new(),
    };
    let begin = Instant::now();
    client.also_open(&temporary("Long.mo"), &text);
    let first = client.diagnostics();
    println!("{} lines, first check {:?}, {} diagnostics", text.lines().count(), begin.elapsed(), first.len());
    let (mut verdicts, mut hovers, mut proposals, mut tokens) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..40 {
        let at = client.text.find("typed here: ").expect("the place") + "typed here: ".len();
        let begin = Instant::now();
        client.edit(at..at, "x");
        client.at("hover", "connect(source.p, r§1.p)", json!({}));
        hovers.push(begin.elapsed());
        let asked = Instant::now();
        client.at("completion", "connect(source.p, r1.§p)", json!({}));
        proposals.push(asked.elapsed());
        client.diagnostics();
        verdicts.push(begin.elapsed());
        let asked = Instant::now();
        client.ask("semanticTokens/full", json!({}));
        tokens.push(asked.elapsed());
        // A pause, as between words: what is shown beside the text is found in it.
        std::thread::sleep(Duration::from_millis(250));
    }
    for (name, times) in
        [("hover", hovers), ("completion", proposals), ("diagnostics", verdicts), ("semantic tokens", tokens)]
    {
        let (middle, most) = median(times);
        println!("{name}: median {middle:?}, 95 of 100 below {most:?}");
    }
    client.end();
}

#[path = "support/runs.rs"]
mod support;
use support::{How, run_mel, run_text};
#[test]
fn explore() {
    let Ok(path) = std::env::var("FILE") else { return };
    let text = std::fs::read_to_string(&path).unwrap();
    let number = |name: &str| std::env::var(name).ok().map(|v| v.parse::<f64>().unwrap());
    let mut how = How { stop: number("STOP"), tolerance: number("TOL"), interval: number("DT"), ..How::default() };
    if let Ok(set) = std::env::var("SET") {
        for it in set.split(',') { let (a, b) = it.split_once('=').unwrap(); how = how.set(a, b); }
    }
    let begin = std::time::Instant::now();
    let ran = if path.ends_with(".mel") { run_mel(&text, &how) } else { run_text(&text, &how) };
    println!("{:?} in {:?}", ran.summary, begin.elapsed());
    for d in &ran.diagnostics { println!("{d:#?}"); }
    if std::env::var("EVENTS").is_ok() { for e in ran.events() { println!("{:.15} {:?} -> {:?} {:?} {:?} jumps {:?} imp {:?}", e.time, e.from, e.to, e.cause, e.cascade, e.jumps.iter().map(|j| (j.variable.to_string(), j.left, j.right)).collect::<Vec<_>>(), e.impulses.iter().map(|j| (j.variable.to_string(), &*j.order, j.weight)).collect::<Vec<_>>()); } }
    if let Ok(vars) = std::env::var("VARS") {
        let vars: Vec<&str> = vars.split(',').collect();
        let cols: Vec<Vec<f64>> = vars.iter().map(|v| ran.values(v)).collect();
        for (k, t) in ran.result.times().iter().enumerate() {
            println!("{t:.12} {}", cols.iter().map(|c| format!("{:.12}", c[k])).collect::<Vec<_>>().join(" "));
        }
    }
}

//! How the analysis of all mode changes scales, with the impulse orders of every variable.
//!
//! `cargo bench --bench changes` measures sizes up to 10,000 elements, `-- --full` up to 100,000. `modes` is the analysis
//! of the long modes, which is needed before; `changes` finds what is new, erased and missing in all pairs of modes;
//! `orders` the impulse orders of all variables. `far` counts equations that more changes reach than are listed. Time is
//! processor time.

mod clock;
#[path = "../crates/structure/tests/common/scalable.rs"]
mod scalable;

use clock::Clock;
use modeshift_dae::MultimodeDae;
use modeshift_mode_changes::all_changes_within;
use modeshift_modes::Limit;
use modeshift_structure::{Options, analyze};

/// A model of a size.
type MakePlan = fn(usize) -> scalable::Plan;

const SIZES: &[usize] = &[300, 1_000, 3_000, 10_000, 30_000, 100_000];

fn main() {
    let full = std::env::args().any(|argument| argument == "--full");
    let largest = if full { 100_000 } else { 10_000 };
    println!(
        "{:>14} {:>8} {:>9} {:>8} {:>9} {:>8} {:>8} {:>9} {:>8} {:>8} {:>7}",
        "model", "N", "equations", "modes s", "changes s", "orders s", "erased", "impulsive", "jump", "far", "knodes"
    );
    let models: [(&str, MakePlan); 3] = [
        ("line", |size| scalable::transmission_line(size, false)),
        ("line-plugs", |size| scalable::transmission_line(size, true)),
        ("clutches", scalable::clutch_chain),
    ];
    for (name, plan) in models {
        let mut points = Vec::new();
        for &size in SIZES.iter().filter(|&&size| size <= largest) {
            match measure(name, size, &plan(size).natural()) {
                Ok(seconds) => points.push(((size as f64).ln(), seconds.max(1e-4).ln())),
                Err(limit) => {
                    println!("{name:>14} {size:>8} {limit}");
                    break;
                }
            }
        }
        if points.len() > 1 {
            println!("{name:>14} exponent {:.2}", slope(&points));
        }
    }
}

/// One row; the seconds that mode changes add.
fn measure(name: &str, size: usize, dae: &MultimodeDae) -> Result<f64, Limit> {
    let time_limit = Some(std::time::Duration::from_secs(300));
    let options = Options { node_limit: Some(100_000_000), time_limit, ..Options::default() };
    let clock = Clock::start();
    let analysis = analyze(dae, &options)?;
    let modes = clock.seconds();
    let clock = Clock::start();
    let changes = all_changes_within(dae, &analysis, &options)?;
    let of_changes = clock.seconds();
    let clock = Clock::start();
    let (mut impulsive, mut jump) = (0, 0);
    for variable in analysis.incidence.variables().ids() {
        let orders = changes.orders(variable)?;
        impulsive += usize::from(orders.iter().any(|&(order, _)| order > 0));
        jump += usize::from(orders.iter().any(|&(order, _)| order == 0));
    }
    let far = changes.potentials()?.open_count();
    let of_orders = clock.seconds();
    let equations = analysis.incidence.equations().len();
    let (erased, nodes) = (changes.memory.erased.len(), changes.pairs.space.node_count() / 1000);
    println!(
        "{name:>14} {size:>8} {equations:>9} {modes:>8.3} {of_changes:>9.3} {of_orders:>8.3} {erased:>8} {impulsive:>9} \
         {jump:>8} {far:>8} {nodes:>7}"
    );
    Ok(of_changes + of_orders)
}

/// The slope of a line through points.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (x, y) = (points.iter().map(|p| p.0).sum::<f64>() / count, points.iter().map(|p| p.1).sum::<f64>() / count);
    let covariance: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    covariance / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

//! Currents that nothing determines: which of them could go round in a circle of ideal parts.
//!
//! Two solutions with the same states differ by currents that go round through ideal parts without a voltage: one way through
//! diodes, both ways through those that conduct already and through closed switches. A current is undetermined exactly if
//! its branch is on such a circle, as a flow is unique exactly if what is left over of its edges has none.

use super::network::{Branch, Kind, Network};
use super::stepping::Values;

/// Voltages and currents below this, relative to the largest, are none.
const NONE: f64 = 1e-5;

/// Voltages by time, then by branch, and which of the times is meant.
pub type Voltages<'a> = (&'a [Vec<f64>], usize);

fn largest(values: &[Vec<f64>]) -> f64 {
    values.iter().flatten().filter(|value| value.is_finite()).fold(0.1, |most: f64, value| most.max(value.abs()))
}

/// Ideal parts without a voltage.
fn ideal<'a>(
    network: &'a Network,
    (voltages, part): Voltages<'a>,
) -> impl Iterator<Item = (usize, &'a Branch)> + Clone {
    let none = NONE * largest(voltages);
    let time = (part + 1) as f64 / voltages.len() as f64;
    network.branches.iter().enumerate().filter(move |&(k, branch)| match branch.kind {
        Kind::Diode => voltages[part][k].abs() <= none,
        Kind::Switch(at, before) => (time < at) == before,
        _ => false,
    })
}

/// Branches whose currents are undetermined at one of the times of a reference.
pub fn latched(network: &Network, reference: &Values, part: usize) -> Vec<usize> {
    let no_current = NONE * largest(&reference.currents);
    let goes_back = |k: usize, branch: &Branch| branch.kind != Kind::Diode || reference.currents[part][k] > no_current;
    let ideal = ideal(network, (&reference.voltages, part));
    let back = ideal.clone().filter(|&(k, branch)| goes_back(k, branch));
    on_circles(&ways_forth(ideal).chain(back.map(|(k, branch)| (k, branch.to, branch.from))).collect::<Vec<_>>())
}

/// The same by equations alone. Others among these can only be what they are since no current flows backwards through a diode:
/// two diodes side by side that carry nothing together carry nothing each.
pub fn latched_by_equations(network: &Network, voltages: Voltages<'_>) -> Vec<usize> {
    let ideal = ideal(network, voltages);
    let back = ideal.clone().map(|(k, branch)| (k, branch.to, branch.from));
    on_circles(&ways_forth(ideal).chain(back).collect::<Vec<_>>())
}

/// A way from one node through a branch to another node.
type Way = (usize, usize, usize);

fn ways_forth<'a>(branches: impl Iterator<Item = (usize, &'a Branch)>) -> impl Iterator<Item = Way> {
    branches.map(|(k, branch)| (k, branch.from, branch.to))
}

/// Branches that are on circles of these ways through them.
fn on_circles(ways: &[Way]) -> Vec<usize> {
    ways.iter().filter(|&&way| is_on_a_circle(ways, way)).map(|way| way.0).collect()
}

/// Whether a way through a branch leads back to its beginning through others.
fn is_on_a_circle(ways: &[Way], (branch, from, to): Way) -> bool {
    let mut reached = vec![to];
    let mut next = 0;
    while let Some(&node) = reached.get(next) {
        next += 1;
        for &(_, _, end) in ways.iter().filter(|way| way.0 != branch && way.1 == node) {
            if !reached.contains(&end) {
                reached.push(end);
            }
        }
    }
    reached.contains(&from)
}

//! Offsets of one mode: the dual problem of the Σ-method, by Pryce's fixpoint from zero.
//!
//! J. Pryce, *A simple structural analysis method for DAEs*, 2001.

use super::assignment::{Hints, NONE, heaviest_matching, heaviest_matching_near};
use super::parts::{Parts, parts};
use super::signature::Signature;

/// Offsets of a regular mode, with the matching they belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matched {
    /// The variable of each equation: a matching of tight entries.
    pub variable_of: Vec<u32>,
    /// How often each equation is differentiated.
    pub c: Vec<u32>,
    /// The order of each variable's leading derivative.
    pub d: Vec<u32>,
}

/// The offsets of one mode and a matching, or its over- and underdetermined parts.
pub fn matched(signature: &Signature) -> Result<Matched, Parts> {
    with_offsets(signature, heaviest_matching(signature))
}

/// The same for a mode that is like another one.
///
/// # Panics
/// In debug builds, if the offsets are not those of a search from nothing.
pub fn matched_near(signature: &Signature, hints: &Hints) -> Result<Matched, Parts> {
    let found = with_offsets(signature, heaviest_matching_near(signature, hints));
    if cfg!(debug_assertions) {
        let offsets = |it: &Matched| (it.c.clone(), it.d.clone());
        let again = matched(signature);
        assert_eq!(found.as_ref().map(offsets), again.as_ref().map(offsets), "hints do not change offsets");
    }
    found
}

fn with_offsets(signature: &Signature, variable_of: Option<Vec<u32>>) -> Result<Matched, Parts> {
    let variable_of = variable_of.ok_or_else(|| parts(signature))?;
    let (c, d) = smallest_offsets(signature, &variable_of);
    Ok(Matched { variable_of, c, d })
}

/// The smallest offsets that fit a matching of maximum weight: Pryce's fixpoint, worked off equation by equation.
fn smallest_offsets(signature: &Signature, variable_of: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut order_of = vec![0; signature.equation_count()];
    let mut equation_of = vec![NONE; signature.variable_count()];
    for equation in signature.equations() {
        let variable = variable_of[equation as usize];
        let entry = signature.entries(equation).iter().find(|entry| entry.0 == variable);
        order_of[equation as usize] = entry.expect("a matched variable occurs").1;
        equation_of[variable as usize] = equation;
    }
    let mut c = vec![0; signature.equation_count()];
    let mut d = vec![0; signature.variable_count()];
    let mut pending: std::collections::VecDeque<u32> = signature.equations().collect();
    while let Some(equation) = pending.pop_front() {
        for &(variable, order) in signature.entries(equation) {
            let least = order + c[equation as usize];
            if d[variable as usize] < least {
                d[variable as usize] = least;
                let matched = equation_of[variable as usize];
                let times = least.saturating_sub(order_of[matched as usize]);
                if c[matched as usize] < times {
                    c[matched as usize] = times;
                    pending.push_back(matched);
                }
            }
        }
    }
    (c, d)
}

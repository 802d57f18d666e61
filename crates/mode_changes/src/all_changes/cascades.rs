//! Cascades of transient modes: which `when` clauses can follow each other in one instant (E22 §8.5).
//!
//! After a `when` with laws has fired, its mode is left, since it has no duration. Another one can fire then only if
//! its condition looks at something that the laws of the first make jump: that bounds cascades by the text of the
//! model. If the clauses can fire each other in a circle, values decide whether a cascade ends, and that is said.

use modeshift_dae::{Derivative, ExpressionText, MultimodeDae};
use modeshift_modes::{FormulaPrinter, Limit, ModeSet};
use modeshift_structure::Analysis;

use super::AllChanges;
use super::kinds::ChangeKind;
use super::orders::PairPotentials;
use super::space::Moment;

/// The cascades of a model.
pub struct Cascades<'a> {
    changes: &'a AllChanges<'a>,
    dae: &'a MultimodeDae,
    /// Names of doubled mode variables, both moments by the plain name.
    names: Vec<String>,
    /// By firing, those that can come next.
    followers: Vec<Vec<usize>>,
}

impl<'a> Cascades<'a> {
    /// Finds out which `when` clauses with laws can fire which others.
    pub fn new(changes: &'a AllChanges<'a>, dae: &'a MultimodeDae) -> Result<Self, Limit> {
        let plain = |name: &str| [name.to_string(), name.to_string()];
        let names = dae.mode_variables.iter().flat_map(|mode| plain(&mode.name)).collect();
        let mut followers = vec![Vec::new(); changes.firings.len()];
        if followers.len() < 2 {
            // How far jumps reach is not asked where nothing can follow.
            return Ok(Cascades { changes, dae, names, followers });
        }
        let potentials = changes.potentials()?;
        for second in 0..changes.firings.len() {
            let jumps = jumps_within(changes, &potentials, second);
            for first in (0..changes.firings.len()).filter(|&first| first != second) {
                if can_follow(changes, first, second, jumps)? {
                    followers[first].push(second);
                }
            }
        }
        Ok(Cascades { changes, dae, names, followers })
    }

    /// The modes before, at and after the instants of a kind of changes; nothing where no transient mode is passed.
    pub fn instants(&self, kind: &ChangeKind) -> Vec<String> {
        let firings = &self.changes.firings;
        if !kind.fires.iter().any(|&firing| firings[firing].passes) {
            return Vec::new();
        }
        let mut instants = vec![self.moment(kind.pairs, Moment::Before), self.moment(kind.pairs, Moment::After)];
        let mut passed: Vec<usize> = kind.fires.clone();
        let mut current = kind.fires.clone();
        loop {
            let follows = |&firing: &usize| self.followers[firing].iter().copied();
            current = current.iter().flat_map(follows).filter(|next| !passed.contains(next)).collect();
            current.sort_unstable();
            current.dedup();
            if current.is_empty() {
                break;
            }
            instants.push(self.text(self.conditions(&current)));
            passed.extend(&current);
        }
        let left: Vec<usize> = passed.into_iter().filter(|&firing| firings[firing].passes).collect();
        instants.push(self.text(!self.conditions(&left)));
        instants
    }

    /// The circle of `when` clauses that a firing is part of, in words.
    pub fn cycle(&self, firing: usize) -> Option<String> {
        let names: Vec<String> = self.circle(firing)?.iter().map(|&it| self.clause_name(it)).collect();
        Some(format!("{} can fire each other for ever in one instant", names.join(", ")))
    }

    /// The circle of firings that one is part of.
    fn circle(&self, firing: usize) -> Option<Vec<usize>> {
        let mut way = vec![firing];
        let mut tried = vec![0_usize];
        let mut seen = vec![false; self.followers.len()];
        while let (Some(&at), Some(next)) = (way.last(), tried.last_mut()) {
            match self.followers[at].get(*next) {
                Some(&found) if found == firing => return Some(way),
                Some(&found) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[found], true) {
                        way.push(found);
                        tried.push(0);
                    }
                }
                None => {
                    way.pop();
                    tried.pop();
                }
            }
        }
        None
    }

    /// All firings that are part of a circle, each circle once.
    pub fn cycles(&self) -> Vec<(usize, String)> {
        let (mut found, mut told): (Vec<(usize, String)>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        for firing in 0..self.followers.len() {
            let Some(mut circle) = self.circle(firing) else { continue };
            circle.sort_unstable();
            if !told.contains(&circle) {
                told.push(circle);
                found.extend(self.cycle(firing).map(|text| (firing, text)));
            }
        }
        found
    }

    /// `when h <= 0`
    pub fn clause_name(&self, firing: usize) -> String {
        let firing = &self.changes.firings[firing];
        let branch = &self.dae.model.when_clauses[firing.clause].branches[firing.branch];
        let condition = |&expression: &_| {
            let modes = Some(&self.dae.mode_variables);
            ExpressionText { model: &self.dae.model, modes, expression }.to_string()
        };
        let conditions: Vec<String> = branch.conditions.iter().map(condition).collect();
        format!("`when {}`", conditions.join(", "))
    }

    fn conditions(&self, firings: &[usize]) -> ModeSet {
        let pairs = &self.changes.pairs;
        pairs.space.union(firings.iter().map(|&firing| pairs.after(self.changes.firings[firing].condition)))
    }

    /// The modes of some changes at one moment.
    fn moment(&self, pairs: ModeSet, moment: Moment) -> String {
        let space = &self.changes.pairs.space;
        let other = match moment {
            Moment::Before => Moment::After,
            Moment::After => Moment::Before,
        };
        let analysis: &Analysis = self.changes.analysis;
        let others: Vec<_> = analysis.space.order().iter().map(|&variable| other.variable(variable)).collect();
        self.text(space.exists(pairs, &others))
    }

    fn text(&self, set: ModeSet) -> String {
        let pairs = &self.changes.pairs;
        FormulaPrinter::new(&pairs.space, &pairs.invariant, &self.names).print(set).text
    }
}

/// Whether the condition of the second looks at something that jumps when the first fires and it does not itself.
/// `jumps` are the changes in which it does, where these are written out.
fn can_follow(changes: &AllChanges<'_>, first: usize, second: usize, jumps: Option<ModeSet>) -> Result<bool, Limit> {
    let firings = &changes.firings;
    let fires = changes.pairs.space.difference(firings[first].pairs, firings[second].pairs);
    let jumps = match jumps {
        Some(jumps) => jumps,
        None => jumps_within(changes, &*changes.potentials_within(fires)?, second).unwrap_or(ModeSet::ALL),
    };
    Ok(changes.pairs.space.intersects(jumps, fires))
}

/// The changes in which something jumps that the condition of a firing looks at; `None` if they are not written out.
fn jumps_within(changes: &AllChanges<'_>, potentials: &PairPotentials, firing: usize) -> Option<ModeSet> {
    let AllChanges { pairs, analysis, firings, .. } = changes;
    let mut sets = Vec::new();
    for &Derivative { of: variable, order: derivative } in &firings[firing].reads {
        if potentials.is_open(analysis, variable) {
            return None;
        }
        let orders = potentials.orders(pairs, analysis, variable);
        let jumping = orders.iter().filter(|(order, _)| order + i64::from(derivative) >= 0);
        sets.extend(jumping.map(|&(_, pairs)| pairs));
    }
    Some(pairs.space.union(sets))
}

//! Transient modes in all changes at once: whether laws and equations determine what happens in the instant.
//!
//! The levels of [`TransientStructure`](crate::one_change), as one matching over pairs of modes per level: laws first, then
//! constraints, then balances, those of equations that a law overrules last. A constraint that holds for the instant
//! only, because its equation is new, has no derivatives. What the change does not reach stays as it is.

use modeshift_dae::{Derivative, EquationId, IndexVec, VariableId};
use modeshift_modes::{Limit, ModeSet};
use modeshift_structure::Analysis;
use rustc_hash::FxHashMap;

use super::firings::{Firing, FiringLaw};
use super::guarded_matching::GuardedMatching;
use super::left_limits::InPairs;
use super::space::{Moment, PairSpace};
use super::spread::Extent;

/// What contradicts other things that are said about an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// A law, by firing and position in its list of laws.
    Law(usize, usize),
    /// A constraint.
    Constraint(Derivative<EquationId>),
}

/// The verdict on all transient modes.
#[derive(Clone, Debug, Default)]
pub struct PairTransients {
    /// Right limits that nothing determines: a law is missing.
    pub undetermined: Vec<InPairs<VariableId>>,
    /// Laws and constraints that contradict others, structurally.
    pub conflicting: Vec<(Conflict, ModeSet)>,
}

/// Matches the levels of the changes in which a `when` with laws fires.
pub fn pair_transients(
    pairs: &PairSpace,
    analysis: &Analysis,
    is_new: &IndexVec<EquationId, ModeSet>,
    firings: &[Firing],
) -> Result<PairTransients, Limit> {
    let fires = pairs.space.union(firings.iter().map(|firing| firing.pairs));
    let mut verdict = PairTransients::default();
    if fires.is_empty() {
        return Ok(verdict);
    }
    let reached = reached(pairs, analysis, is_new, firings, fires)?;
    let mut laws_of: FxHashMap<VariableId, Vec<&FiringLaw>> = FxHashMap::default();
    for law in firings.iter().flat_map(|firing| &firing.laws) {
        law.contents.iter().for_each(|content| laws_of.entry(content.of).or_default().push(law));
    }
    let levels = Levels { pairs, analysis, is_new, firings, laws_of, fires, reached };
    for level in (1..=levels.highest()).rev() {
        levels.solve(level, &mut verdict)?;
    }
    verdict.undetermined.sort_by_key(|item| item.derivative());
    Ok(verdict)
}

/// By equation, the changes in which it depends on what holds for an instant only or on what a law says. Sets that
/// grow too large become all changes in which laws act: what is not reached is determined by itself, so that nothing
/// is lost by looking at it, too.
fn reached(
    pairs: &PairSpace,
    analysis: &Analysis,
    is_new: &IndexVec<EquationId, ModeSet>,
    firings: &[Firing],
    fires: ModeSet,
) -> Result<IndexVec<EquationId, ModeSet>, Limit> {
    let (space, incidence) = (&pairs.space, &analysis.incidence);
    let mut reached: IndexVec<EquationId, ModeSet> = is_new.iter().map(|&new| space.and(new, fires)).collect();
    for law in firings.iter().flat_map(|firing| &firing.laws) {
        for &Derivative { of: variable, .. } in &law.contents {
            for &edge in incidence.edges_of_variable(variable) {
                let overruled = space.and(law.pairs, pairs.after(analysis.matching.edges[edge]));
                let known = &mut reached[incidence.equation(edge)];
                *known = space.or(*known, overruled);
            }
        }
    }
    let largest = Extent::affordable(is_new.len()).largest;
    let mut waiting: IndexVec<EquationId, bool> = reached.iter().map(|set| !set.is_empty()).collect();
    while waiting.iter().any(|&waits| waits) {
        for &equation in analysis.order.iter().chain(analysis.order.iter().rev()) {
            if !std::mem::replace(&mut waiting[equation], false) {
                continue;
            }
            for edge in incidence.edges_of_equation(equation) {
                let through = space.and(reached[equation], pairs.after(analysis.matching.edges[edge]));
                for &reading in incidence.edges_of_variable(incidence.variable(edge)) {
                    let reader = incidence.equation(reading);
                    let arriving = space.and(through, pairs.after(incidence.active(reading)));
                    if reader != equation && !space.implies(arriving, reached[reader]) {
                        let extended = space.or(reached[reader], arriving);
                        let all = || space.and(fires, pairs.after(incidence.equations()[reader].guard));
                        reached[reader] = if space.size(extended) > largest { all() } else { extended };
                        waiting[reader] = true;
                    }
                }
            }
        }
        space.check()?;
    }
    Ok(reached)
}

struct Levels<'a> {
    pairs: &'a PairSpace<'a>,
    analysis: &'a Analysis,
    is_new: &'a IndexVec<EquationId, ModeSet>,
    firings: &'a [Firing],
    laws_of: FxHashMap<VariableId, Vec<&'a FiringLaw>>,
    fires: ModeSet,
    reached: IndexVec<EquationId, ModeSet>,
}

/// A row of a level: in these changes, with what to call it if it does not fit.
struct LevelRow {
    guard: ModeSet,
    entries: Vec<(usize, ModeSet)>,
    name: Option<Conflict>,
}

impl Levels<'_> {
    /// The highest level with an unknown that is sought.
    fn highest(&self) -> u32 {
        let offsets = &self.analysis.offsets;
        let constraints = offsets.equations.iter().map(|offset| offset.maximum()).max().unwrap_or(0);
        let contents = self.laws().flat_map(|(_, law)| &law.contents);
        let laws = contents.map(|it| offsets.variables[it.of].maximum().saturating_sub(it.order));
        constraints.max(laws.max().unwrap_or(0))
    }

    fn laws(&self) -> impl Iterator<Item = (Conflict, &FiringLaw)> {
        self.firings
            .iter()
            .enumerate()
            .flat_map(|(at, firing)| firing.laws.iter().enumerate().map(move |(law, it)| (Conflict::Law(at, law), it)))
    }

    fn solve(&self, level: u32, verdict: &mut PairTransients) -> Result<(), Limit> {
        let variables = self.columns();
        let guards: Vec<ModeSet> = variables.iter().map(|&(_, guard)| guard).collect();
        let mut position: IndexVec<VariableId, Option<usize>> =
            self.analysis.incidence.variables().iter().map(|_| None).collect();
        for (at, &(variable, _)) in variables.iter().enumerate() {
            position[variable] = Some(at);
        }
        let mut matching = GuardedMatching::new(&self.pairs.space, &guards);
        for row in self.rows(level, &position) {
            let unmatched = matching.add(row.guard, &row.entries)?;
            verdict.conflicting.extend(row.name.filter(|_| !unmatched.is_empty()).map(|name| (name, unmatched)));
        }
        for ((variable, _), open) in variables.iter().zip(matching.underdetermined()?) {
            let offset = &self.analysis.offsets.variables[*variable];
            for leading in level..=offset.maximum() {
                let here = self.pairs.after(offset.equal_to(&self.analysis.space, leading));
                let pairs = self.pairs.space.and(open, here);
                if !pairs.is_empty() {
                    verdict.undetermined.push(InPairs { of: *variable, order: leading - level, pairs });
                }
            }
        }
        Ok(())
    }

    /// Variables that some change reaches, and in which.
    fn columns(&self) -> Vec<(VariableId, ModeSet)> {
        let (space, incidence) = (&self.pairs.space, &self.analysis.incidence);
        let of_variable = |variable: VariableId| {
            let through = incidence.edges_of_variable(variable).iter().map(|&edge| {
                space.and(self.reached[incidence.equation(edge)], self.pairs.after(self.analysis.matching.edges[edge]))
            });
            (variable, space.and(self.fires, space.union(through)))
        };
        incidence.variables().ids().map(of_variable).filter(|(_, guard)| !guard.is_empty()).collect()
    }

    /// The rows of a level in the order in which they have a say.
    fn rows(&self, level: u32, position: &IndexVec<VariableId, Option<usize>>) -> Vec<LevelRow> {
        let space = &self.pairs.space;
        let mut rows: Vec<LevelRow> = self.laws().map(|(name, law)| self.law_row(level, name, law, position)).collect();
        let (mut balances, mut overruled_balances) = (Vec::new(), Vec::new());
        for equation in self.analysis.incidence.equations().ids() {
            let guard = space.and(self.fires, self.reached[equation]);
            if guard.is_empty() {
                continue;
            }
            let entries = self.entries(equation, position);
            let offset = &self.analysis.offsets.equations[equation];
            let at_least = |value| self.pairs.at_least(offset, value, Moment::After);
            let too_late = space.and(at_least(level + 1), self.is_new[equation]);
            let constraint = space.and(guard, space.difference(at_least(level), too_late));
            let balance = space.difference(guard, at_least(level));
            let overruled = self.overruled(level, equation);
            for derivative in 0..offset.maximum() {
                // At this level, an equation of offset c says f^(c - level) = 0.
                let exactly = space.difference(at_least(level + derivative), at_least(level + derivative + 1));
                let name = Some(Conflict::Constraint(Derivative::new(equation, derivative)));
                rows.push(LevelRow { guard: space.and(constraint, exactly), entries: entries.clone(), name });
            }
            balances.push(LevelRow {
                guard: space.difference(balance, overruled),
                entries: entries.clone(),
                name: None,
            });
            overruled_balances.push(LevelRow { guard: space.and(balance, overruled), entries, name: None });
        }
        rows.extend(balances);
        rows.extend(overruled_balances);
        rows.retain(|row| !row.guard.is_empty());
        rows
    }

    /// A law stands where the last of the right limits that it contains is sought.
    fn at_level(&self, level: u32, law: &FiringLaw) -> ModeSet {
        let all_above = |level: u32| {
            let above = |&Derivative { of: variable, order }: &Derivative<VariableId>| {
                self.pairs.at_least(&self.analysis.offsets.variables[variable], level + order, Moment::After)
            };
            self.pairs.space.intersection(law.contents.iter().map(above))
        };
        self.pairs.space.intersection([law.pairs, all_above(level), !all_above(level + 1)])
    }

    fn law_row(
        &self,
        level: u32,
        name: Conflict,
        law: &FiringLaw,
        position: &IndexVec<VariableId, Option<usize>>,
    ) -> LevelRow {
        let guard = self.at_level(level, law);
        let entry = |&Derivative { of: variable, order }: &Derivative<VariableId>| {
            let offset = &self.analysis.offsets.variables[variable];
            let here = self.pairs.after(offset.equal_to(&self.analysis.space, level + order));
            Some((position[variable]?, self.pairs.space.and(guard, here)))
        };
        let entries = law.contents.iter().filter_map(entry).filter(|entry| !entry.1.is_empty()).collect();
        LevelRow { guard, entries, name: Some(name) }
    }

    fn entries(&self, equation: EquationId, position: &IndexVec<VariableId, Option<usize>>) -> Vec<(usize, ModeSet)> {
        let incidence = &self.analysis.incidence;
        let entry = |edge| {
            let tight = self.pairs.space.and(self.fires, self.pairs.after(self.analysis.matching.tight[edge]));
            Some((position[incidence.variable(edge)]?, tight)).filter(|(_, set)| !set.is_empty())
        };
        incidence.edges_of_equation(equation).filter_map(entry).collect()
    }

    /// The changes in which a law at this level says something about the variable that an equation is solved for.
    fn overruled(&self, level: u32, equation: EquationId) -> ModeSet {
        let (space, incidence) = (&self.pairs.space, &self.analysis.incidence);
        let of_edge = |edge| {
            let variable = incidence.variable(edge);
            let matched = self.pairs.after(self.analysis.matching.edges[edge]);
            let own = self.laws_of.get(&variable).into_iter().flatten();
            space.and(matched, space.union(own.map(|law| self.at_level(level, law))))
        };
        space.union(incidence.edges_of_equation(equation).map(of_edge))
    }
}

//! Which variables occur in which equations of a multimode DAE, how often differentiated, and in which modes.
//!
//! What occurs wherever the equation holds is known from the first reading. An equation with conditions inside is walked
//! as the graph of its different subexpressions, parents before children, so that a subexpression of many uses costs no
//! more than one. The modes in which a subexpression counts are united over its uses: an if-expression passes them on to
//! its branches by its condition.
//!
//! The functions χ_I, χ_J, χ_E and σ of E22 §4.1, "automatically inferred from the model".

use modeshift_dae::{EquationId, EquationKind, ExpressionId, IndexVec, MultimodeDae, VariableId};
use modeshift_modes::{Invariant, ModeSet, ModeSpace};

use crate::formulas::Formulas;
use crate::incidence::{Incidence, Occurrence, Vertex};
use crate::reading::Reading;
use crate::walk::{Use, Walk};

/// The incidence of continuous equations and continuous unknowns, projected onto the modes that `invariant` allows.
pub fn incidence(dae: &MultimodeDae, space: &ModeSpace, invariant: &Invariant) -> Incidence {
    let order: Vec<EquationId> = continuous_equations(dae).collect();
    let mut formulas = Formulas::projected(space, &dae.model.expressions, invariant);
    let guards = Guards::of(dae, &mut formulas, invariant);
    let reading = Reading::of(dae);
    let occurrences = Occurrences::of(&reading, dae, &mut formulas, &guards.equations);
    occurrences.incidence(space, guards.vertices(dae), &order)
}

/// The equations that belong to the continuous-time system.
fn continuous_equations(dae: &MultimodeDae) -> impl Iterator<Item = EquationId> {
    let continuous = |id: &EquationId| dae.model.equations[*id].kind == EquationKind::Continuous;
    dae.model.equations.ids().filter(continuous)
}

/// Equations and variables with their names and guards.
pub(crate) type Vertices = (IndexVec<EquationId, Vertex>, IndexVec<VariableId, Vertex>);

/// The modes in which equations and variables are part of the continuous-time system.
pub(crate) struct Guards {
    pub(crate) equations: IndexVec<EquationId, ModeSet>,
    pub(crate) variables: IndexVec<VariableId, ModeSet>,
}

impl Guards {
    pub(crate) fn of(dae: &MultimodeDae, formulas: &mut Formulas<'_>, invariant: &Invariant) -> Guards {
        let nothing_is_valid = invariant.project(formulas.space(), ModeSet::ALL).is_empty();
        let mut guard = |exists: bool, guard: ExpressionId| {
            let modes = if exists { formulas.modes(guard).unwrap_or(ModeSet::ALL) } else { ModeSet::EMPTY };
            if nothing_is_valid { ModeSet::EMPTY } else { modes }
        };
        let equations = dae.model.equations.iter();
        let equations = equations.map(|it| guard(it.kind == EquationKind::Continuous, it.guard)).collect();
        let variables = dae.model.variables.iter();
        Guards { equations, variables: variables.map(|it| guard(it.is_continuous_unknown(), it.guard)).collect() }
    }

    /// With the names in the model.
    pub(crate) fn vertices(&self, dae: &MultimodeDae) -> Vertices {
        let equations = dae.model.equations.iter().zip(self.equations.iter());
        let variables = dae.model.variables.iter().zip(self.variables.iter());
        (
            equations.map(|(it, &guard)| Vertex { name: it.name.clone(), guard }).collect(),
            variables.map(|(it, &guard)| Vertex { name: it.name.clone(), guard }).collect(),
        )
    }
}

/// Where continuous unknowns occur in continuous equations, in the modes in which those hold.
pub(crate) fn occurrences(
    dae: &MultimodeDae,
    space: &ModeSpace,
    invariant: &Invariant,
    guards: &IndexVec<EquationId, ModeSet>,
) -> Vec<Occurrence> {
    let order: Vec<EquationId> = continuous_equations(dae).collect();
    let mut formulas = Formulas::projected(space, &dae.model.expressions, invariant);
    Occurrences::of(&Reading::of(dae), dae, &mut formulas, guards).along(&order, |id| id, |id| id)
}

/// Where unknowns occur in which modes.
pub(crate) struct Occurrences<'a> {
    reading: &'a Reading,
    guards: &'a IndexVec<EquationId, ModeSet>,
    /// Of the equations in which that depends on more than the guard, each by unknown, highest order first.
    conditional: Vec<Occurrence>,
    ranges: IndexVec<EquationId, (u32, u32)>,
}

impl<'a> Occurrences<'a> {
    /// Reads the equations that have conditions inside once more; of the others all is known.
    pub(crate) fn of(
        reading: &'a Reading,
        dae: &MultimodeDae,
        formulas: &mut Formulas<'_>,
        guards: &'a IndexVec<EquationId, ModeSet>,
    ) -> Occurrences<'a> {
        let walk = Walk::new(dae, &reading.unknowns);
        let mut contexts = Contexts { walk, formulas, last: Vec::new(), contributions: Vec::new() };
        let mut conditional = Vec::new();
        let mut ranges: IndexVec<EquationId, (u32, u32)> = guards.iter().map(|_| (0, 0)).collect();
        for equation in reading.conditional_equations() {
            let start = conditional.len();
            contexts.occurrences(equation, guards[equation], &mut conditional);
            conditional[start..].sort_by_key(|it: &Occurrence| (it.variable, std::cmp::Reverse(it.order)));
            ranges[equation] = (start as u32, conditional.len() as u32);
        }
        Occurrences { reading, guards, conditional, ranges }
    }

    /// The incidence of these equations and variables, its edges along an order of the equations.
    pub(crate) fn incidence(&self, space: &ModeSpace, vertices: Vertices, order: &[EquationId]) -> Incidence {
        let (equations, variables) = vertices;
        Incidence::of_grouped(space, equations, variables, self.along(order, |id| id, |id| id))
    }

    /// All of them along an order of the equations, under other numbers; in each equation by the model's own numbers.
    pub(crate) fn along(
        &self,
        order: &[EquationId],
        new_equation: impl Fn(EquationId) -> EquationId,
        new_variable: impl Fn(VariableId) -> VariableId,
    ) -> Vec<Occurrence> {
        let mut all = Vec::with_capacity(self.reading.entry_count());
        for &id in order {
            let equation = new_equation(id);
            if self.reading.is_conditional(id) {
                let (start, end) = self.ranges[id];
                let those = &self.conditional[start as usize..end as usize];
                all.extend(those.iter().map(|it| Occurrence { equation, variable: new_variable(it.variable), ..*it }));
            } else if !self.guards[id].is_empty() {
                let modes = self.guards[id];
                let those = self.reading.entries(id).iter();
                all.extend(those.map(|&(it, order)| Occurrence { equation, variable: new_variable(it), order, modes }));
            }
        }
        all
    }
}

/// Modes in which subexpressions count, from the whole equation down to its variables.
struct Contexts<'a, 'f> {
    walk: Walk<'a>,
    formulas: &'a mut Formulas<'f>,
    /// Of each part of the current equation, the last contribution to its modes.
    last: Vec<Option<u32>>,
    /// Modes of a use, and the contribution before it to the same part. They are united all at once and balanced: a
    /// variable in the branches of 10^5 conditions would cost a diagram of all conditions for each of them otherwise.
    contributions: Vec<(ModeSet, Option<u32>)>,
}

impl Contexts<'_, '_> {
    fn occurrences(&mut self, equation: EquationId, guard: ModeSet, out: &mut Vec<Occurrence>) {
        self.walk.visit_equation(equation);
        self.contributions.clear();
        self.last.clear();
        self.last.resize(self.walk.parts.len(), None);
        for side in self.walk.sides {
            self.count(side, guard);
        }
        // Parts were appended after their children: from the last to the first, uses come before what they use.
        for at in (0..self.walk.parts.len()).rev() {
            let modes = self.modes(at);
            if modes.is_empty() {
                continue;
            }
            match self.walk.parts[at] {
                Use::Variable(variable, order) => out.push(Occurrence { equation, variable, order, modes }),
                Use::Branches(condition, yes, no) => {
                    let holds = self.formulas.modes(condition).expect("a condition that was a formula is one");
                    let space = self.formulas.space();
                    self.count(yes, space.and(modes, holds));
                    self.count(no, space.difference(modes, holds));
                }
                Use::All(start, end) => {
                    for child in start..end {
                        self.count(self.walk.children[child as usize], modes);
                    }
                }
            }
        }
    }

    /// Lets a part count in these modes too; what has no variables in it does not count.
    fn count(&mut self, part: u32, modes: ModeSet) {
        if self.walk.has_variables[part as usize] && !modes.is_empty() {
            let before = self.last[part as usize].replace(self.contributions.len() as u32);
            self.contributions.push((modes, before));
        }
    }

    /// The modes in which a part counts, when all its uses have been seen.
    fn modes(&self, part: usize) -> ModeSet {
        let contribution = |at: u32| self.contributions[at as usize];
        match self.last[part].map(contribution) {
            None => ModeSet::EMPTY,
            Some((modes, None)) => modes,
            Some(last) => {
                let all = std::iter::successors(Some(last), |(_, before)| before.map(contribution));
                self.formulas.space().union(all.map(|(modes, _)| modes))
            }
        }
    }
}

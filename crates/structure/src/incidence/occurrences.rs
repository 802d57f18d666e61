//! Which variables occur in which equations of a multimode DAE, how often differentiated, and in which modes.
//!
//! Most unknowns occur wherever their equation holds; in equations with conditions inside, [`Contexts`] knows where.
//!
//! The functions χ_I, χ_J, χ_E and σ of E22 §4.1, "automatically inferred from the model".

use modeshift_dae::{Derivative, EquationId, EquationKind, ExpressionId, Id, IndexVec, MultimodeDae, VariableId};
use modeshift_modes::{Invariant, ModeSet, ModeSpace};

use crate::incidence::conditional_incidence::Contexts;
use crate::incidence::dual_representation::{Incidence, Occurrence, Vertex};
use crate::incidence::formulas::Formulas;
use crate::incidence::reading::Reading;

/// The incidence of continuous equations and continuous unknowns, projected onto the modes that `invariant` allows.
pub fn incidence(dae: &MultimodeDae, space: &ModeSpace, invariant: &Invariant) -> Incidence {
    let order: Vec<EquationId> = continuous_equations(dae).collect();
    let mut formulas = Formulas::projected(space, &dae.model.expressions, invariant);
    let guards = Guards::of(dae, &mut formulas, invariant);
    let reading = Reading::of(dae);
    let mut occurrences = Occurrences::new(&reading, &mut formulas);
    occurrences.incidence(&order, dae, &guards)
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
    let reading = Reading::of(dae);
    let mut all = Vec::with_capacity(reading.entries.item_count());
    let row = |_, id| Row::of_model(&reading, guards, id);
    Occurrences::new(&reading, &mut formulas).for_each_along(&order, row, |those| all.extend_from_slice(those));
    all
}

/// An equation under the number that it is to have in the incidence, and its unknowns under theirs.
pub(crate) struct Row<'a> {
    pub(crate) equation: EquationId,
    pub(crate) guard: ModeSet,
    pub(crate) entries: &'a [Derivative<VariableId>],
}

impl<'a> Row<'a> {
    /// Under the numbers of the model.
    fn of_model(reading: &'a Reading, guards: &IndexVec<EquationId, ModeSet>, equation: EquationId) -> Row<'a> {
        Row { equation, guard: guards[equation], entries: reading.entries.of(equation.index()) }
    }
}

/// Where unknowns occur in which modes.
pub(crate) struct Occurrences<'a, 'f> {
    reading: &'a Reading,
    space: &'f ModeSpace,
    contexts: Contexts<'a, 'f>,
}

impl<'a, 'f> Occurrences<'a, 'f> {
    pub(crate) fn new(reading: &'a Reading, formulas: &'a mut Formulas<'f>) -> Self {
        Occurrences { reading, space: formulas.space(), contexts: Contexts::new(&reading.conditional, formulas) }
    }

    /// The incidence under the numbers of the model, its edges along an order of the equations.
    pub(crate) fn incidence(&mut self, order: &[EquationId], dae: &MultimodeDae, guards: &Guards) -> Incidence {
        let reading = self.reading;
        let row = |_, id| Row::of_model(reading, &guards.equations, id);
        self.incidence_of_rows(order, guards.vertices(dae), row)
    }

    /// The incidence of these vertices, its edges along an order of the equations; `row` tells what has which number.
    pub(crate) fn incidence_of_rows<'r>(
        &mut self,
        order: &[EquationId],
        vertices: Vertices,
        row: impl Fn(usize, EquationId) -> Row<'r>,
    ) -> Incidence {
        let (space, (equations, variables)) = (self.space, vertices);
        let mut incidence = Incidence::without_edges(equations, variables, self.reading.entries.item_count());
        self.for_each_along(order, row, |occurrences| incidence.add(space, occurrences));
        incidence.indexed()
    }

    /// Calls `visit` with the occurrences in each equation of an order: by unknown as the entries, highest order first.
    /// `row` tells the equation at a place of the order with its entries, in the order in which the model was read.
    fn for_each_along<'r>(
        &mut self,
        order: &[EquationId],
        row: impl Fn(usize, EquationId) -> Row<'r>,
        mut visit: impl FnMut(&[Occurrence]),
    ) {
        let mut occurrences = Vec::new();
        let mut place = 0;
        self.reading.conditional.parts.for_each_along(order.iter().copied(), |id, parts| {
            let Row { equation, guard, entries } = row(place, id);
            let occurrence = |entry: &Derivative<VariableId>, modes| Occurrence {
                equation,
                variable: entry.of,
                order: entry.order,
                modes,
            };
            occurrences.clear();
            if guard.is_empty() {
                // It never holds.
            } else if parts.is_empty() {
                occurrences.extend(entries.iter().map(|entry| occurrence(entry, guard)));
            } else {
                let add = |at: usize, modes| occurrences.push(occurrence(&entries[at], modes));
                self.contexts.visit(parts, entries.len(), guard, add);
            }
            visit(&occurrences);
            place += 1;
        });
    }
}

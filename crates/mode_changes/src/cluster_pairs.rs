//! A cluster of a model as a linear complementarity problem, where it is one.
//!
//! From a regular mode of the cluster, one implicit step tells how everything depends on what the elements impose. An
//! element is a pair of complementary quantities if, when it changes, it imposes what was free before and frees what
//! was imposed: the equation it then brings is a multiple of its guard now, and its guard then is a multiple of the
//! equation it takes away. That is looked at in numbers, so that it does not matter how a diode or a friction is written.

use modeshift_dae::{EquationId, ExpressionId, Id, ModeVariableId, Node};
use modeshift_numerics::Input;

use crate::affine::Affine;
use crate::candidate::{Before, Model, known, past};
use crate::guard_sign::{Sign, Term};
use crate::guards::{Leaves, RelationId};
use crate::instant::Event;
use crate::jet::Jet;
use crate::laurent::{StepSystem, padded};
use crate::mode_change::holds;
use crate::mode_structure::{Column, ModeStructure, Row};
use crate::next_mode::Complementarity;
use crate::relation::Surroundings;
use crate::step_complementarity::{ElementPair, StepResponse};
use crate::visited::{ModeValues, VisitedMode};

/// Steps are solved densely: larger modes are left to the other strategies.
const MOST_EQUATIONS: usize = 400;
/// What is smaller than this, relative to the rest, does not count when functions are compared.
const SAME: f64 = 1e-6;

/// An element of a cluster, and the mode in which it alone has changed.
pub(crate) struct Element {
    pub mode: ModeVariableId,
    pub changed: ModeValues,
}

/// The problem for a step from the mode being left into a reference mode; `None` if it is none.
pub(crate) fn cluster_complementarity(
    model: &Model,
    event: &Event,
    before: Before,
    reference: &VisitedMode,
    elements: &[Element],
    step: f64,
) -> Option<Complementarity> {
    if reference.structure.size() > MOST_EQUATIONS {
        return None;
    }
    let new_forms = model.forms.changed(model.dae, &before.mode.values, &reference.values, event.changed);
    let memory = past(event, before, &reference.structure, &new_forms).jet;
    let jet = padded(&reference.structure, &memory);
    let reading = Reading { model, event, before, reference, jet: &jet };
    let sketches: Vec<Sketch> = elements.iter().map(|element| reading.sketch(element)).collect::<Option<_>>()?;
    let rows: Vec<Row> = sketches.iter().map(|sketch| sketch.row).collect();
    let known = known(event, before, &reference.values);
    let system = StepSystem::new(&reference.structure, &reference.equations.at(&known), &memory);
    let response = StepResponse::new(system, step, &rows)?;
    let pairs = sketches.into_iter().map(|sketch| sketch.pair(&rows, &response));
    Some(response.complementarity(&pairs.collect::<Option<Vec<_>>>()?))
}

/// An element as its equations and its guard say, before it is clear that it is a pair.
struct Sketch {
    /// The equation that goes when the element changes.
    row: Row,
    /// The equation that comes.
    other: Affine,
    /// The guard now, not negative where the element may stay.
    stays: Affine,
    /// The guard after the change, not negative where it may stay changed.
    stays_changed: Affine,
    states: (u32, u32),
}

impl Sketch {
    /// The pair, if the guard is a multiple of the equation that comes, and the guard after the change of the one that
    /// goes. `rows` are those of the response.
    fn pair(self, rows: &[Row], response: &StepResponse) -> Option<ElementPair> {
        let (constant, slopes) = response.of(&self.stays_changed);
        let own = rows.iter().zip(&slopes).find(|(row, _)| **row == self.row).map_or(0.0, |(_, &slope)| slope);
        let others = rows.iter().zip(&slopes).filter(|(row, _)| **row != self.row).map(|(_, slope)| slope.abs());
        let is_imposed = own != 0.0 && others.chain([constant.abs()]).all(|value| value <= SAME * own.abs());
        let is_free = is_multiple(&response.of(&self.other), &response.of(&self.stays));
        let Sketch { row, stays, states, .. } = self;
        let pair = ElementPair { row, imposed_sign: own.signum(), free: stays, states };
        (is_imposed && is_free).then_some(pair)
    }
}

/// Whether two functions after a step are multiples of each other.
fn is_multiple(a: &(f64, Vec<f64>), b: &(f64, Vec<f64>)) -> bool {
    let list = |function: &(f64, Vec<f64>)| std::iter::once(function.0).chain(function.1.clone()).collect::<Vec<f64>>();
    let (a, b) = (list(a), list(b));
    let Some(largest) = (0..a.len()).max_by(|&i, &k| b[i].abs().total_cmp(&b[k].abs())) else { return false };
    let factor = a[largest] / b[largest];
    let size = a[largest].abs();
    factor.is_finite() && factor != 0.0 && a.iter().zip(&b).all(|(a, b)| (a - factor * b).abs() <= SAME * size)
}

/// Reads elements of a model in a reference mode.
struct Reading<'e, 'a> {
    model: &'e Model<'a>,
    event: &'e Event<'e>,
    before: Before<'e, 'a>,
    reference: &'e VisitedMode<'a>,
    jet: &'e Jet,
}

impl Reading<'_, '_> {
    fn sketch(&self, element: &Element) -> Option<Sketch> {
        let structure = &self.reference.structure;
        let (going, coming) = self.exchanged(&element.changed);
        if going.is_empty() || going.len() != coming.len() {
            return None;
        }
        let (relation, sign) = self.guard(element.mode)?;
        let scaled = |affine: Affine, sign: f64| Affine {
            terms: affine.terms.into_iter().map(|(limit, value)| (limit, sign * value)).collect(),
            constant: sign * affine.constant,
        };
        let stays = scaled(self.sides_of(relation, &self.reference.values)?, sign);
        let mut stays_changed = scaled(self.sides_of(relation, &element.changed)?, -sign);
        let equation = |&id: &EquationId| {
            let equation = &self.model.dae.model.equations[id];
            self.affine([equation.left, equation.right], &element.changed)
        };
        let mut coming: Vec<Affine> = coming.iter().map(equation).collect::<Option<_>>()?;
        let outputs = outputs(structure, &going, &stays);
        for &output in &outputs {
            let pivot = coming.iter().position(|zero| zero.terms.contains_key(&(output, 0)))?;
            let pivot = coming.swap_remove(pivot);
            coming.iter_mut().for_each(|zero| zero.eliminate(output, &pivot));
            stays_changed.eliminate(output, &pivot);
        }
        let row = going.iter().copied().find(|&row| !outputs.contains(&structure.matched_column(row)))?;
        let value = u32::from(self.reference.values.get(element.mode));
        Some(Sketch { row, other: coming.pop()?, stays, stays_changed, states: (value, 1 - value) })
    }

    /// The equations that hold no longer, or no longer in this form, when an element changes, and those that come.
    fn exchanged(&self, changed: &ModeValues) -> (Vec<Row>, Vec<EquationId>) {
        let (flat, structure) = (&self.model.dae.model, &self.reference.structure);
        let new_forms = self.model.forms.changed(self.model.dae, &self.reference.values, changed, &[]);
        let (was, is) = (|mode| self.reference.values.get(mode), |mode| changed.get(mode));
        let mut coming = Vec::new();
        for (id, equation) in flat.equations.iter_enumerated() {
            let holds_then = holds(flat, equation.guard, &is) == Some(true);
            let holds_now = holds(flat, equation.guard, &was) == Some(true);
            if holds_then && (!holds_now || new_forms.binary_search(&id).is_ok()) {
                coming.push(id);
            }
        }
        let goes = |&row: &Row| {
            let id = structure.equation(row);
            holds(flat, flat.equations[id].guard, &is) != Some(true) || new_forms.binary_search(&id).is_ok()
        };
        (structure.rows().filter(goes).collect(), coming)
    }

    /// The only relation in the definition of a mode variable, and the sign with which it speaks for its value.
    fn guard(&self, mode: ModeVariableId) -> Option<(RelationId, f64)> {
        let guards = &self.model.guards;
        let mut relations = guards.relations_of(mode);
        let (relation, None) = (relations.next()?, relations.next()) else { return None };
        let values = &self.reference.values;
        let known = known(self.event, self.before, values);
        let leaves = Leaves {
            surroundings: self.surroundings(&known),
            mode: &|mode| values.get(mode),
            left_mode: &|mode| self.before.mode.values.get(mode),
            relation: &|id| guards.relation(id).holds(Sign::Decided(Term::Derivative(0), 1.0)),
        };
        let positive = guards.truth(mode, &leaves)?;
        Some((relation, if positive == values.get(mode) { 1.0 } else { -1.0 }))
    }

    fn sides_of(&self, relation: RelationId, values: &ModeValues) -> Option<Affine> {
        let expression = self.model.guards.relation(relation).expression;
        let Node::Relation(_, left, right) = self.model.dae.model.expressions.node(expression) else { return None };
        self.affine([left, right], values)
    }

    fn affine(&self, sides: [ExpressionId; 2], values: &ModeValues) -> Option<Affine> {
        let known = known(self.event, self.before, values);
        Affine::difference(sides, &self.surroundings(&known), &self.reference.structure, self.jet)
    }

    fn surroundings<'k>(&'k self, known: &'k dyn Fn(Input) -> Option<f64>) -> Surroundings<'k> {
        Surroundings { model: &self.model.dae.model, natives: self.model.natives, known }
    }
}

/// Of the variables that only equations which go contain, all but one equation's worth, those of the guard first: they
/// are solved for and put into the rest.
fn outputs(structure: &ModeStructure, going: &[Row], guard: &Affine) -> Vec<Column> {
    let is_inside = |&column: &Column| structure.occurrences(column).iter().all(|(row, _)| going.contains(row));
    let matched = going.iter().map(|&row| structure.matched_column(row));
    let mut inside: Vec<Column> = matched.filter(is_inside).collect();
    inside.sort_by_key(|&column| (!guard.terms.contains_key(&(column, 0)), column.index()));
    inside.truncate(going.len() - 1);
    inside
}

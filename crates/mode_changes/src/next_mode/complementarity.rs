//! A cluster of a model as a linear complementarity problem, where it is one.
//!
//! From a regular mode of the cluster, one implicit step tells how everything depends on what the elements impose. An
//! element is a pair of complementary quantities if, when it changes, it imposes what was free before and frees what
//! was imposed: the equation it then brings is a multiple of its guard now, and its guard then is a multiple of the
//! equation it takes away. That is looked at in numbers, so that it does not matter how a diode or a friction is written.

use modeshift_dae::{Derivative, EquationId, ExpressionId, Id, Mode, MultimodeDae, VariableId};
use modeshift_numerics::{Input, NativeFunctions};
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

use super::search::Complementarity;
use super::step_complementarity::{ElementPair, StepResponse};
use crate::one_change::{FormUsers, StepSystem, holds, padded};
use crate::one_mode::{Affine, Jet, Residuals, Surroundings};

/// Steps that turn a cluster into a linear complementarity problem, as shares of the model's time scale: a hundredth resolves
/// what moves, hundredths of that are short enough for impulses to be the largest by far, and the whole is tried where the
/// scale was taken too short for the difference of two steps to be more than rounding.
const STEPS: [f64; 4] = [1e-2, 1e-4, 1e-6, 1.0];

/// What is smaller than this, relative to the rest, does not count when functions are compared: ten digits are lost at most
/// in a step of 1e-5, so six of sixteen remain.
const SAME: f64 = 1e-6;

/// A value of what is no unknown: parameters, discrete variables, left limits, and the mode.
type Known<'e> = dyn Fn(Input) -> Option<f64> + 'e;

/// The regular mode from which a cluster is looked at.
pub struct ReferenceMode<'e> {
    /// The model.
    pub dae: &'e MultimodeDae,
    /// Functions that are not written in Modelica.
    pub natives: &'e NativeFunctions,
    /// Which equations contain which mode variables.
    pub forms: &'e FormUsers,
    /// The mode.
    pub values: &'e Mode,
    /// Its structure.
    pub structure: &'e ModeStructure,
    /// Its equations.
    pub equations: &'e dyn Residuals,
    /// What is known in it.
    pub known: &'e Known<'e>,
    /// Left limits.
    pub memory: &'e Jet,
    /// Where equations are linearized: right limits, if they are known.
    pub point: &'e Jet,
}

/// An element of a cluster.
pub struct Element<'e> {
    /// The sides of its guard.
    pub guard: [ExpressionId; 2],
    /// `1` if the guard, the difference of its sides, is to be positive where the element keeps its state, else `-1`.
    pub sign: f64,
    /// The sides of the guard that judges it once it has changed, with the same sign for that state.
    pub changed_guard: ([ExpressionId; 2], f64),
    /// The state it has in the reference mode, and the other.
    pub states: (u32, u32),
    /// The mode in which it alone has changed.
    pub changed: &'e Mode,
    /// Discrete variables that have another value there.
    pub changed_variables: Vec<VariableId>,
    /// What is known there.
    pub known: Box<Known<'e>>,
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
        let Sketch { stays, states, .. } = self;
        let pair = ElementPair { imposed_sign: own.signum(), free: stays, states };
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

impl ReferenceMode<'_> {
    /// The problems for steps from the mode being left into this one, as far as there are any.
    pub fn complementarities(&self, elements: &[Element], time_scale: f64) -> Vec<Complementarity> {
        STEPS.iter().filter_map(|share| self.complementarity(elements, share * time_scale)).collect()
    }

    fn complementarity(&self, elements: &[Element], step: f64) -> Option<Complementarity> {
        let ReferenceMode { structure, equations, memory, point, .. } = *self;
        let jet = padded(structure, point);
        let sketches = elements.iter().map(|element| self.sketch(element, &jet));
        let sketches: Vec<Sketch> = sketches.collect::<Option<_>>()?;
        let rows: Vec<Row> = sketches.iter().map(|sketch| sketch.row).collect();
        let response = StepResponse::new(StepSystem::new(structure, equations, memory, point), step, &rows)?;
        let pairs = sketches.into_iter().map(|sketch| sketch.pair(&rows, &response));
        Some(response.complementarity(&pairs.collect::<Option<Vec<_>>>()?))
    }

    /// Reads an element, linearized at a jet.
    fn sketch(&self, element: &Element, jet: &Jet) -> Option<Sketch> {
        let (going, coming) = self.exchanged(element);
        if going.is_empty() || going.len() != coming.len() {
            return None;
        }
        let scaled = |affine: Affine, sign: f64| Affine {
            terms: affine.terms.into_iter().map(|(limit, value)| (limit, sign * value)).collect(),
            constant: sign * affine.constant,
        };
        let stays = scaled(self.affine(element.guard, self.known, jet)?, element.sign);
        let (changed_guard, changed_sign) = element.changed_guard;
        let mut stays_changed = scaled(self.affine(changed_guard, &element.known, jet)?, changed_sign);
        let equation = |&id: &EquationId| {
            let equation = &self.dae.model.equations[id];
            self.affine([equation.left, equation.right], &element.known, jet)
        };
        let mut coming: Vec<Affine> = coming.iter().map(equation).collect::<Option<_>>()?;
        let outputs = outputs(self.structure, &going, &stays);
        for &output in &outputs {
            let pivot = coming.iter().position(|zero| zero.terms.contains_key(&Derivative::new(output, 0)))?;
            let pivot = coming.swap_remove(pivot);
            coming.iter_mut().for_each(|zero| zero.eliminate(output, &pivot));
            stays_changed.eliminate(output, &pivot);
        }
        let row = going.iter().copied().find(|&row| !outputs.contains(&self.structure.matched_column(row)))?;
        Some(Sketch { row, other: coming.pop()?, stays, stays_changed, states: element.states })
    }

    /// The equations that hold no longer, or no longer in this form, when an element changes, and those that come.
    fn exchanged(&self, element: &Element) -> (Vec<Row>, Vec<EquationId>) {
        let (flat, structure) = (&self.dae.model, self.structure);
        let new_forms = self.forms.changed(self.dae, self.values, element.changed, &element.changed_variables);
        let mut coming = Vec::new();
        for (id, equation) in flat.equations.iter_enumerated() {
            let holds_then = holds(flat, equation.guard, element.changed) == Some(true);
            let holds_now = holds(flat, equation.guard, self.values) == Some(true);
            if holds_then && (!holds_now || new_forms.binary_search(&id).is_ok()) {
                coming.push(id);
            }
        }
        let goes = |&row: &Row| {
            let id = structure.equation(row);
            holds(flat, flat.equations[id].guard, element.changed) != Some(true) || new_forms.binary_search(&id).is_ok()
        };
        (structure.rows().filter(goes).collect(), coming)
    }

    fn affine(&self, sides: [ExpressionId; 2], known: &Known, jet: &Jet) -> Option<Affine> {
        let surroundings = Surroundings { model: &self.dae.model, natives: self.natives, known };
        Affine::difference(sides, &surroundings, self.structure, jet)
    }
}

/// Of the variables that only equations which go contain, all but one equation's worth, those of the guard first: they
/// are solved for and put into the rest.
fn outputs(structure: &ModeStructure, going: &[Row], guard: &Affine) -> Vec<Column> {
    let is_inside = |&column: &Column| structure.occurrences(column).iter().all(|(row, _)| going.contains(row));
    let matched = going.iter().map(|&row| structure.matched_column(row));
    let mut inside: Vec<Column> = matched.filter(is_inside).collect();
    inside.sort_by_key(|&column| (!guard.terms.contains_key(&Derivative::new(column, 0)), column.index()));
    inside.truncate(going.len() - 1);
    inside
}

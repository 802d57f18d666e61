//! Singular modes whose states are determined all the same: with pins they run like any other.
//!
//! Four ideal diodes that all block leave a potential free; four that all conduct, the current around their loop. What
//! follows from the other equations is left out, and what is free is pinned to zero (`structure::one_mode::pins`). The mode
//! remembers the free directions: what they reach has no value, and conditions on it are replaced by what follows from
//! them (`instant::derived_guards`). That the equations left out really follow is looked at in every restart.
//!
//! A pinned variable is no quantity of the mode, and zero for all that asks for it. What exists in a state of a machine only, as the
//! middle of two blocking diodes that were entered with it, is pinned where nothing else can be: results show zero for what is
//! pinned, and potentials of nodes read better than voltages of elements.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{Derivative, EquationId, Id, Mode, Node, VariableId};
use modeshift_mode_changes::DifferenceTape;
use modeshift_numerics::Input;
use modeshift_structure::one_mode::{Coefficient, ModeSignature, NoPins, Parts, pins};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::run::prepare::Prepared;

/// Shares of free quantities below this, relative to the terms that they are made of, are none.
const ZERO: f64 = 1e-9;

/// What rounding leaves of a value, two digits above that of a single operation.
const ROUNDING: f64 = 1e-14;

/// Derivatives of variables with their coefficients.
type Terms = Vec<(Derivative<VariableId>, f64)>;

/// The pins of a mode, in terms of the model.
pub(crate) struct ModePins {
    /// Variables that are zero in the mode.
    pub pinned: Vec<VariableId>,
    /// Equations that follow from the others, compiled.
    pub dropped: Vec<(EquationId, Arc<DifferenceTape>)>,
    /// By dropped equation: all that it follows from, and itself.
    pub circuits: Vec<Rc<[EquationId]>>,
    /// By dropped equation: the terms of all that it follows from.
    terms: Vec<Terms>,
    /// By dropped equation: the other equations that contain what these contain, in units of that.
    laws: Vec<Vec<Terms>>,
    /// By pinned variable: how all variables move with it.
    free: Vec<FxHashMap<VariableId, f64>>,
    /// By pinned variable: the equations that contain it.
    touching: Vec<Vec<EquationId>>,
    /// Variables that have no value, ascending.
    pub undetermined: Vec<VariableId>,
    /// Equations whose coefficients may depend on states, time or discrete values, with those that the pins were found for.
    varying: Vec<(Arc<DifferenceTape>, Vec<f64>)>,
}

impl ModePins {
    /// Whether a variable has no value in the mode.
    pub fn is_undetermined(&self, variable: VariableId) -> bool {
        self.undetermined.binary_search(&variable).is_ok()
    }

    /// Whether all coefficients of the mode are the same at all times and values.
    pub fn is_constant(&self) -> bool {
        self.varying.is_empty()
    }

    /// How large the terms are, where variables have these values, of the equations that a dropped one follows from: what remains of
    /// them shows in it.
    pub fn largest_term(&self, dropped: usize, value: impl Fn(Derivative<VariableId>) -> f64) -> f64 {
        let sizes = self.terms[dropped].iter().map(|&(of, coefficient)| (coefficient * value(of)).abs());
        sizes.filter(|size| size.is_finite()).fold(0.0, f64::max)
    }

    /// By how much rounding alone may set a dropped equation off: a current that is a difference of potentials is as exact as these.
    pub fn rounding(&self, dropped: usize, value: impl Fn(Derivative<VariableId>) -> f64) -> f64 {
        let size = |law: &Terms| law.iter().map(|&(of, coefficient)| (coefficient * value(of)).abs()).sum::<f64>();
        let sizes = self.laws[dropped].iter().map(size).filter(|size| size.is_finite());
        ROUNDING * sizes.fold(0.0, f64::max)
    }

    /// Whether the pins were found for the coefficients that equations have where everything has these values.
    pub fn are_for(&self, mode: &Mode, point: &dyn Fn(Input) -> f64) -> bool {
        self.varying.iter().all(|(tape, found)| {
            let now = tape.coefficients(in_mode(mode, point)).map(|(_, value)| value);
            now.zip(found).all(|(now, &found)| now.to_bits() == found.to_bits())
        })
    }

    /// How an expression with this gradient moves with what is free, by pinned variable; nothing where it does not.
    pub fn influence(&self, gradient: &[(Derivative<VariableId>, f64)]) -> Option<Vec<f64>> {
        let share = |free: &FxHashMap<VariableId, f64>| {
            let terms = gradient.iter().filter_map(|(it, value)| Some(value * free.get(&it.of)?));
            let (sum, size) = terms.fold((0.0, 0.0), |(sum, size): (f64, f64), term| (sum + term, size + term.abs()));
            if sum.abs() > ZERO * size { sum } else { 0.0 }
        };
        let shares: Vec<f64> = self.free.iter().map(share).collect();
        shares.iter().any(|&share| share != 0.0).then_some(shares)
    }

    /// The equations of a mode with these pins that contain a variable which has become pinned.
    pub fn touched_since<'p>(&'p self, before: Option<&'p ModePins>) -> impl Iterator<Item = EquationId> + 'p {
        let was_pinned = move |id: &VariableId| before.is_some_and(|before| before.pinned.contains(id));
        let new = self.pinned.iter().zip(&self.touching).filter(move |(id, _)| !was_pinned(id));
        new.flat_map(|(_, equations)| equations.iter().copied())
    }
}

/// The equations of a mode compiled, and what gives their inputs values.
pub(crate) struct Linearized<'e> {
    pub prepared: &'e Prepared,
    pub tape: &'e dyn Fn(EquationId) -> Arc<DifferenceTape>,
    /// Values of everything, where coefficients depend on them.
    pub point: &'e dyn Fn(Input) -> f64,
}

impl Linearized<'_> {
    /// The pins of a mode, and the mode without them; `parts` are those of its matching, where it has no perfect one.
    pub fn pins(
        &self,
        signature: &ModeSignature,
        mode: &Mode,
        parts: Option<&Parts>,
    ) -> Result<(ModePins, ModeSignature), NoPins> {
        let column: FxHashMap<VariableId, u32> =
            signature.variables.iter().enumerate().map(|(at, &id)| (id, at as u32)).collect();
        let (mut varying, mut is_constant) = (Vec::new(), Vec::with_capacity(signature.equations.len()));
        let mut rows = Vec::with_capacity(signature.equations.len());
        for &equation in &signature.equations {
            let tape = (self.tape)(equation);
            let values: Vec<(Derivative<VariableId>, f64)> = tape.coefficients(in_mode(mode, self.point)).collect();
            is_constant.push(tape.is_constant());
            if !tape.is_constant() {
                varying.push((tape.clone(), values.iter().map(|it| it.1).collect()));
            }
            let coefficients = values.into_iter().filter_map(|(Derivative { of, order }, value)| {
                let column = *column.get(&of)?;
                (value != 0.0).then_some(Coefficient {
                    column,
                    order,
                    value: if value.is_finite() { value } else { 1.0 },
                })
            });
            rows.push(coefficients.collect::<Vec<_>>());
        }
        let differentiated = differentiated(self.prepared);
        let expressions = &self.prepared.dae.model.expressions;
        let eligible = |at: u32| {
            let id = signature.variables[at as usize];
            let always_exists = expressions.literal_boolean(self.prepared.dae.model.variables[id].guard) == Some(true);
            (!differentiated.contains(&id)).then_some(u32::from(always_exists))
        };
        let found = pins(&rows, signature.variables.len(), parts, |at| is_constant[at as usize], eligible)?;
        let named = |direction: &Vec<(u32, f64)>| {
            direction.iter().map(|&(at, share)| (signature.variables[at as usize], share)).collect()
        };
        let free: Vec<FxHashMap<VariableId, f64>> = found.free.iter().map(named).collect();
        let mut undetermined: Vec<VariableId> = free.iter().flat_map(|it| it.keys().copied()).collect();
        undetermined.sort_unstable();
        undetermined.dedup();
        let touching = found.pinned.iter().map(|&pin| {
            let contains = |at: &usize| signature.signature.entries(*at as u32).iter().any(|entry| entry.0 == pin);
            (0..signature.equations.len()).filter(contains).map(|at| signature.equations[at]).collect()
        });
        let circuit = |combination: &Vec<(u32, f64)>| {
            combination.iter().map(|&(at, _)| signature.equations[at as usize]).collect()
        };
        let term = |it: &Coefficient| (Derivative::new(signature.variables[it.column as usize], it.order), it.value);
        let terms = |combination: &Vec<(u32, f64)>| {
            combination.iter().flat_map(|&(at, _)| rows[at as usize].iter().map(term)).collect()
        };
        let containing = containing(&rows, signature.variables.len());
        let laws = |combination: &Vec<(u32, f64)>| {
            let inside: FxHashSet<u32> = combination.iter().map(|it| it.0).collect();
            let contained = combination.iter().flat_map(|&(at, _)| &rows[at as usize]);
            let others = contained.flat_map(|it| containing[it.column as usize].iter().map(|&row| (it.column, row)));
            let others: BTreeSet<(u32, u32)> = others.filter(|it| !inside.contains(&it.1)).collect();
            others.into_iter().map(|(column, row)| in_units_of(&rows[row as usize], column, term)).collect()
        };
        let dropped = found.dropped.iter().map(|&at| signature.equations[at as usize]);
        let pins = ModePins {
            touching: touching.collect(),
            circuits: found.redundant.iter().map(circuit).collect(),
            terms: found.redundant.iter().map(terms).collect(),
            laws: found.redundant.iter().map(laws).collect(),
            pinned: found.pinned.iter().map(|&at| signature.variables[at as usize]).collect(),
            dropped: dropped.map(|equation| (equation, (self.tape)(equation))).collect(),
            free,
            undetermined,
            varying,
        };
        Ok((pins, signature.without(&found.dropped, &found.pinned)))
    }
}

/// By column: the rows that contain it.
fn containing(rows: &[Vec<Coefficient>], columns: usize) -> Vec<Vec<u32>> {
    let mut containing = vec![Vec::new(); columns];
    for (row, coefficients) in rows.iter().enumerate() {
        coefficients.iter().for_each(|it| containing[it.column as usize].push(row as u32));
    }
    containing
}

/// The terms of a row divided by its coefficient at a column.
fn in_units_of(
    row: &[Coefficient],
    column: u32,
    term: impl Fn(&Coefficient) -> (Derivative<VariableId>, f64),
) -> Terms {
    let own = row.iter().filter(|it| it.column == column).map(|it| it.value.abs()).fold(f64::MIN_POSITIVE, f64::max);
    row.iter().map(|it| (term(it).0, it.value / own)).collect()
}

/// Values of everything, with those of mode variables in a mode.
fn in_mode<'e>(mode: &'e Mode, point: &'e dyn Fn(Input) -> f64) -> impl Fn(Input) -> f64 + 'e {
    move |input| match input {
        Input::Mode(id) => f64::from(u8::from(mode[id])),
        other => point(other),
    }
}

/// Variables that are differentiated somewhere.
fn differentiated(prepared: &Prepared) -> FxHashSet<VariableId> {
    let expressions = &prepared.dae.model.expressions;
    let nodes = (0..expressions.len()).map(|at| expressions.node(modeshift_dae::ExpressionId::from_index(at)));
    nodes.filter_map(|node| if let Node::Variable(of, 1..) = node { Some(of) } else { None }).collect()
}

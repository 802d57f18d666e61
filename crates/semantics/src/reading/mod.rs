//! From a multimode DAE to its system of differences (17).
//!
//! All valuations of the guards are visited, so there may be few guards only: [`MOST_GUARDS`]. The bodies of an equation
//! are its partial evaluations; modes that leave the same of it share a body, and what held before in the same form is
//! known to hold again.
//!
//! | file | purpose |
//! |---|---|
//! | `clauses` | `when` clauses, as instants of their own |

mod clauses;

pub use clauses::makes_an_instant;

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{
    Context, Equation, EquationId, EquationKind, ExpressionId, Expressions, IndexVec, Mode, ModeVariableId,
    MultimodeDae, Node, RelationOperator, Variability, Variable, VariableId, Walk, assume_modes,
};

use crate::domain::{Guard, Unknown};
use crate::modes::Modes;
use crate::system::{DifferenceSystem, GuardPredicate, GuardedEquation, Incidence, UnknownVariable};

/// All valuations of the guards are visited: with twelve there are 4096.
pub const MOST_GUARDS: usize = 12;

/// A model has more guards than are enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyGuards {
    /// How many are left open.
    pub count: usize,
}

impl DifferenceSystem {
    /// The system of a model, in the modes in which some guards have the given values.
    pub fn of(dae: &MultimodeDae, at: &[(ModeVariableId, bool)]) -> Result<Self, TooManyGuards> {
        open_guards(dae, at)?;
        let fixed: BTreeMap<ModeVariableId, bool> = at.iter().copied().collect();
        Ok(Reader::new(dae, fixed).system())
    }
}

/// How many guards have no given value; an error where these are more than are enumerated.
pub fn open_guards(dae: &MultimodeDae, at: &[(ModeVariableId, bool)]) -> Result<usize, TooManyGuards> {
    let fixed: BTreeSet<ModeVariableId> = at.iter().map(|it| it.0).collect();
    let count = dae.mode_variables.len() - fixed.len();
    if count > MOST_GUARDS { Err(TooManyGuards { count }) } else { Ok(count) }
}

/// A model while it is read; `clauses` reads its `when` clauses.
pub(crate) struct Reader<'a> {
    pub(crate) dae: &'a MultimodeDae,
    /// A copy, in which partial evaluations are made.
    pub(crate) expressions: Expressions,
    pub(crate) modes: Vec<Mode>,
    pub(crate) valuations: Vec<Mode>,
    /// Guards with given values: modes have these. Valuations have others, too, where there are few guards.
    fixed: BTreeMap<ModeVariableId, bool>,
    unknowns: IndexVec<Unknown, UnknownVariable>,
    pub(crate) unknown_of: BTreeMap<VariableId, Unknown>,
    /// Mode variables as expressions.
    pub(crate) modes_in_arena: BTreeMap<ModeVariableId, ExpressionId>,
}

impl<'a> Reader<'a> {
    fn new(dae: &'a MultimodeDae, fixed: BTreeMap<ModeVariableId, bool>) -> Self {
        let (mut unknowns, mut unknown_of) = (IndexVec::new(), BTreeMap::new());
        for (variable, it) in dae.model.variables.iter_enumerated().filter(|(_, it)| it.is_continuous_unknown()) {
            unknown_of.insert(variable, unknowns.push(UnknownVariable { name: it.name.clone(), variable }));
        }
        let mut expressions = dae.model.expressions.clone();
        let modes_in_arena = dae.mode_variables.ids().map(|id| (id, expressions.mode(id))).collect();
        let is_small = dae.mode_variables.len() <= MOST_GUARDS;
        let valuations = if is_small { all_valuations(dae, &BTreeMap::new()) } else { all_valuations(dae, &fixed) };
        let modes = Vec::new();
        let mut reader = Reader { dae, expressions, modes, valuations, fixed, unknowns, unknown_of, modes_in_arena };
        reader.modes = reader.valid_modes();
        reader
    }

    fn system(mut self) -> DifferenceSystem {
        let mut bodies = IndexVec::new();
        let dae = self.dae;
        let equations = dae.model.equations.iter_enumerated();
        for (id, equation) in equations.filter(|(_, it)| it.kind == EquationKind::Continuous) {
            for body in self.bodies_of(id, equation) {
                bodies.push(body);
            }
        }
        let mut unseen = Vec::new();
        let clauses = self.clauses(&mut bodies, &mut unseen);
        let guards = dae.mode_variables.ids().map(|guard| self.guard(guard, !clauses.is_empty())).collect();
        let jumping = self.jumping();
        let sets = self.sets(&jumping, &bodies);
        let continuous = dae.model.equations.iter().filter(|it| it.kind == EquationKind::Continuous);
        let sides: Vec<ExpressionId> = continuous.flat_map(|it| [it.left, it.right]).collect();
        let mentioned = self.highest_orders(&sides);
        let unmentioned = self.unknowns.ids().filter(|it| !mentioned.contains_key(it)).collect();
        let Reader { modes, valuations, unknowns, unknown_of, expressions, .. } = self;
        let name = dae.model.name.clone();
        let mut system = DifferenceSystem {
            name,
            unknowns,
            guards,
            modes,
            valuations,
            bodies,
            clauses,
            combinations: Vec::new(),
            expressions,
            unknown_of,
            unmentioned,
            jumping,
            unseen,
            reads_open: Vec::new(),
            sets,
        };
        system.shift_what_laws_read();
        system
    }

    /// The valuations that satisfy all invariants, in order.
    fn valid_modes(&mut self) -> Vec<Mode> {
        let dae = self.dae;
        let mut modes = Vec::new();
        for number in 0..self.valuations.len() {
            let mode = self.valuations[number].clone();
            let is_wanted = self.fixed.iter().all(|(&id, &value)| mode.get(id) == value);
            let allows = |reader: &mut Self, guard, condition| {
                reader.holds(guard, &mode) == Some(false) || reader.holds(condition, &mode) != Some(false)
            };
            if is_wanted && dae.model.invariants.iter().all(|it| allows(self, it.guard, it.condition)) {
                modes.push(mode);
            }
        }
        modes
    }

    /// Whether a formula holds in a mode; nothing where it depends on more than the mode.
    pub(crate) fn holds(&mut self, formula: ExpressionId, mode: &Mode) -> Option<bool> {
        let value = assume_modes(&mut self.expressions, formula, |id| Some(mode.get(id)));
        self.expressions.literal_boolean(value)
    }

    /// The bodies of an equation: what its modes leave of it.
    fn bodies_of(&mut self, id: EquationId, equation: &Equation) -> Vec<GuardedEquation> {
        let support = self.mode_variables_in([equation.guard, equation.left, equation.right]);
        let mut by_values: BTreeMap<Vec<bool>, Option<(ExpressionId, ExpressionId)>> = BTreeMap::new();
        let mut bodies: Vec<((ExpressionId, ExpressionId), Modes)> = Vec::new();
        for number in 0..self.valuations.len() {
            let mode = self.valuations[number].clone();
            let values: Vec<bool> = support.iter().map(|&id| mode.get(id)).collect();
            let body = match by_values.get(&values) {
                Some(&known) => known,
                None => {
                    let body = self.body_in(equation, &mode);
                    by_values.insert(values, body);
                    body
                }
            };
            let Some(body) = body else { continue };
            match bodies.iter_mut().find(|(known, _)| *known == body) {
                Some((_, valuations)) => valuations.add(number),
                None => bodies.push((body, Modes::of(self.valuations.len(), |it| it == number))),
            }
        }
        let is_small = self.dae.mode_variables.len() <= MOST_GUARDS;
        let waits_for = support.iter().filter(|id| !is_small && self.fixed.contains_key(id));
        let waits_for: Vec<Guard> = waits_for.map(|id| Guard(id.0)).collect();
        let places = self.places_of_modes();
        let guarded = |((left, right), valuations): (_, Modes)| GuardedEquation {
            name: equation.name.clone(),
            equation: Some(id),
            sides: Some([left, right]),
            modes: Modes::of(places.len(), |mode| valuations.has(places[mode])),
            valuations,
            waits_for: waits_for.clone(),
            incidence: self.incidence([left, right]),
            clause: None,
            assigns: None,
        };
        // What holds in no mode that is allowed is no equation of the system.
        bodies.into_iter().map(guarded).filter(|body| !body.modes.is_empty()).collect()
    }

    /// By mode, its number among all valuations.
    pub(crate) fn places_of_modes(&self) -> Vec<usize> {
        let mut valuations = self.valuations.iter().enumerate();
        let place = |mode| valuations.find(|(_, it)| *it == mode).map(|(place, _)| place);
        self.modes.iter().filter_map(place).collect()
    }

    fn body_in(&mut self, equation: &Equation, mode: &Mode) -> Option<(ExpressionId, ExpressionId)> {
        if self.holds(equation.guard, mode) == Some(false) {
            return None;
        }
        let mut side = |side| assume_modes(&mut self.expressions, side, |id| Some(mode.get(id)));
        Some((side(equation.left), side(equation.right)))
    }

    fn mode_variables_in(&self, roots: [ExpressionId; 3]) -> Vec<ModeVariableId> {
        let mut found = BTreeSet::new();
        let mut walk = Walk::new();
        for root in roots {
            walk.visit(&self.expressions, root, |_, node, _| {
                found.extend(if let Node::Mode(mode) = node { Some(mode) } else { None });
                true
            });
        }
        found.into_iter().collect()
    }

    /// The unknowns at the current instant, with the orders of their highest derivatives.
    fn incidence(&self, sides: [ExpressionId; 2]) -> Vec<Incidence> {
        let entry = |(unknown, highest)| Incidence { unknown, lowest: 0, highest };
        self.highest_orders(&sides).into_iter().map(entry).collect()
    }

    pub(crate) fn highest_orders(&self, roots: &[ExpressionId]) -> BTreeMap<Unknown, u32> {
        let mut highest = BTreeMap::new();
        let mut walk = Walk::telling(Context::HIDDEN);
        for &root in roots {
            walk.visit(&self.expressions, root, |_, node, context| {
                if let Some(derivative) = node.derivative().filter(|_| !context.is(Context::HIDDEN))
                    && let Some(&unknown) = self.unknown_of.get(&derivative.of)
                {
                    let order = highest.entry(unknown).or_insert(0);
                    *order = derivative.order.max(*order);
                }
                !context.is(Context::HIDDEN)
            });
        }
        highest
    }

    /// A guard with the unknowns that it reads now. Where `when` clauses have laws, guards are left limits
    /// (the third requirement of E22 §8.5): whether a clause fires has to be known before anything is solved.
    fn guard(&self, id: ModeVariableId, of_left_limits: bool) -> GuardPredicate {
        let it = &self.dae.mode_variables[id];
        let reads = match it.definition {
            Some(definition) if !of_left_limits => self.highest_orders(&[definition]).into_keys().collect(),
            _ => Vec::new(),
        };
        let boundaries = it.definition.and_then(|definition| self.boundaries(definition));
        GuardPredicate { name: it.name.clone(), reads, boundaries }
    }

    /// The relations that a formula is made of, if it is made of nothing else.
    fn boundaries(&self, formula: ExpressionId) -> Option<Vec<[ExpressionId; 2]>> {
        use RelationOperator::{Greater, GreaterEqual, Less, LessEqual};
        match self.expressions.node(formula) {
            Node::Relation(Less | LessEqual | Greater | GreaterEqual, left, right) => Some(vec![[left, right]]),
            Node::Not(a) => self.boundaries(a),
            Node::And(a, b) | Node::Or(a, b) => Some([self.boundaries(a)?, self.boundaries(b)?].concat()),
            _ => None,
        }
    }

    /// Variables that may jump while a mode lasts: all but unknowns and parameters.
    fn jumping(&self) -> BTreeSet<VariableId> {
        let is_fixed = |it: &Variable| matches!(it.variability, Variability::Constant | Variability::Parameter);
        let variables = self.dae.model.variables.iter_enumerated();
        let jumping = variables.filter(|(id, it)| !self.unknown_of.contains_key(id) && !is_fixed(it));
        jumping.map(|(id, _)| id).collect()
    }
}

/// All values of the guards that are not fixed, in order.
fn all_valuations(dae: &MultimodeDae, fixed: &BTreeMap<ModeVariableId, bool>) -> Vec<Mode> {
    let open: Vec<ModeVariableId> = dae.mode_variables.ids().filter(|id| !fixed.contains_key(id)).collect();
    let valuation = |number: u64| {
        let mut mode = Mode::from_fn(dae.mode_variables.len(), |id| fixed.get(&id).copied().unwrap_or_default());
        for (place, &id) in open.iter().rev().enumerate() {
            mode.set(id, number >> place & 1 == 1);
        }
        mode
    };
    (0..1_u64 << open.len()).map(valuation).collect()
}

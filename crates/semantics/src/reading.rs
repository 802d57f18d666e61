//! From a multimode DAE to its system of differences (17).
//!
//! All valuations of the guards are visited, so there may be few guards only: [`MOST_GUARDS`]. The bodies of an equation
//! are its partial evaluations; modes that leave the same of it share a body, and what held before in the same form is
//! known to hold again.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{
    Context, Equation, EquationId, EquationKind, ExpressionId, Expressions, IndexVec, Mode, ModeVariableId,
    MultimodeDae, Node, VariableId, Walk, WhenAction, WhenActionKind, WhenBranch, assume_modes,
};

use crate::domain::Unknown;
use crate::modes::Modes;
use crate::system::{Clause, DifferenceSystem, GuardPredicate, GuardedEquation, Incidence, UnknownVariable};

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
        let fixed: BTreeMap<ModeVariableId, bool> = at.iter().copied().collect();
        let open = dae.mode_variables.len() - fixed.len();
        if open > MOST_GUARDS {
            return Err(TooManyGuards { count: open });
        }
        Ok(Reader::new(dae, &fixed).system())
    }
}

struct Reader<'a> {
    dae: &'a MultimodeDae,
    /// A copy, in which partial evaluations are made.
    expressions: Expressions,
    modes: Vec<Mode>,
    valuations: Vec<Mode>,
    unknowns: IndexVec<Unknown, UnknownVariable>,
    unknown_of: BTreeMap<VariableId, Unknown>,
    /// Mode variables as expressions.
    modes_in_arena: BTreeMap<ModeVariableId, ExpressionId>,
}

impl<'a> Reader<'a> {
    fn new(dae: &'a MultimodeDae, fixed: &BTreeMap<ModeVariableId, bool>) -> Self {
        let (mut unknowns, mut unknown_of) = (IndexVec::new(), BTreeMap::new());
        for (variable, it) in dae.model.variables.iter_enumerated().filter(|(_, it)| it.is_continuous_unknown()) {
            unknown_of.insert(variable, unknowns.push(UnknownVariable { name: it.name.clone(), variable }));
        }
        let mut expressions = dae.model.expressions.clone();
        let modes_in_arena = dae.mode_variables.ids().map(|id| (id, expressions.mode(id))).collect();
        let (modes, valuations) = (Vec::new(), all_valuations(dae, fixed));
        let mut reader = Reader { dae, expressions, modes, valuations, unknowns, unknown_of, modes_in_arena };
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
        let Reader { modes, valuations, unknowns, unknown_of, expressions, .. } = self;
        let name = dae.model.name.clone();
        DifferenceSystem { name, unknowns, guards, modes, valuations, bodies, clauses, expressions, unknown_of, unseen }
    }

    /// The valuations that satisfy all invariants, in order.
    fn valid_modes(&mut self) -> Vec<Mode> {
        let dae = self.dae;
        let mut modes = Vec::new();
        for number in 0..self.valuations.len() {
            let mode = self.valuations[number].clone();
            let allows = |reader: &mut Self, guard, condition| {
                reader.holds(guard, &mode) == Some(false) || reader.holds(condition, &mode) != Some(false)
            };
            if dae.model.invariants.iter().all(|it| allows(self, it.guard, it.condition)) {
                modes.push(mode);
            }
        }
        modes
    }

    /// Whether a formula holds in a mode; nothing where it depends on more than the mode.
    fn holds(&mut self, formula: ExpressionId, mode: &Mode) -> Option<bool> {
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
        let places = self.places_of_modes();
        let guarded = |((left, right), valuations): (_, Modes)| GuardedEquation {
            name: equation.name.clone(),
            equation: Some(id),
            sides: Some([left, right]),
            modes: Modes::of(places.len(), |mode| valuations.has(places[mode])),
            valuations,
            incidence: self.incidence([left, right]),
            clause: None,
        };
        // What holds in no mode that is allowed is no equation of the system.
        bodies.into_iter().map(guarded).filter(|body| !body.modes.is_empty()).collect()
    }

    /// By mode, its number among all valuations.
    fn places_of_modes(&self) -> Vec<usize> {
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

    fn highest_orders(&self, roots: &[ExpressionId]) -> BTreeMap<Unknown, u32> {
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
        GuardPredicate { name: it.name.clone(), reads }
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

/// `when` clauses.
impl Reader<'_> {
    fn clauses(
        &mut self,
        bodies: &mut IndexVec<crate::Body, GuardedEquation>,
        unseen: &mut Vec<String>,
    ) -> Vec<Clause> {
        let dae = self.dae;
        let mut clauses = Vec::new();
        for (of, clause) in dae.model.when_clauses.iter().enumerate() {
            let inside = self.modes_of(clause.guard).unwrap_or_else(|| self.all_modes());
            for branch in clause.branches.iter().filter(|branch| makes_an_instant(branch)) {
                let conditions: Option<Vec<Modes>> =
                    branch.conditions.iter().map(|&condition| self.modes_of(condition)).collect();
                let Some(conditions) = conditions else {
                    unseen.push(self.clause_name(branch));
                    continue;
                };
                let any = |mode: usize| conditions.iter().any(|modes| modes.has(mode));
                let condition = Modes::of(self.modes.len(), |mode| inside.has(mode) && any(mode));
                let number = clauses.len();
                for law in branch.actions.iter().filter_map(|action| self.law(action, &condition, number)) {
                    bodies.push(law);
                }
                let is_transient = self.reads_unknowns(branch);
                let is_bare = branch.actions.is_empty();
                clauses.push(Clause { name: self.clause_name(branch), of, condition, is_transient, is_bare });
            }
        }
        clauses
    }

    fn all_modes(&self) -> Modes {
        Modes::of(self.modes.len(), |_| true)
    }

    /// The modes in which a condition holds as the user wrote it; nothing where it depends on more than the mode.
    fn modes_of(&mut self, condition: ExpressionId) -> Option<Modes> {
        let condition = self.over_modes(condition);
        let mut modes = Modes::none(self.modes.len());
        for number in 0..self.modes.len() {
            let mode = self.modes[number].clone();
            if self.holds(condition, &mode)? {
                modes.add(number);
            }
        }
        Some(modes)
    }

    /// A condition with Booleans and relations that are mode variables replaced by these. Operands are older than what is
    /// made of them, so they are replaced in the order of the arena.
    fn over_modes(&mut self, condition: ExpressionId) -> ExpressionId {
        let mut parts = BTreeSet::new();
        self.expressions.for_each(condition, |id, node| {
            parts.insert(id);
            self.mode_by_definition(id).is_none() && matches!(node, Node::Not(_) | Node::And(..) | Node::Or(..))
        });
        let mut replaced: BTreeMap<ExpressionId, ExpressionId> = BTreeMap::new();
        for part in parts {
            let formula = match self.expressions.node(part) {
                _ if self.mode_by_definition(part).is_some() => self.mode_by_definition(part),
                Node::Variable(variable, 0) => self.formula_of(variable),
                Node::Not(_) | Node::And(..) | Node::Or(..) => {
                    Some(self.expressions.rebuilt(part, |operand| replaced[&operand]))
                }
                _ => None,
            };
            replaced.insert(part, formula.unwrap_or(part));
        }
        replaced[&condition]
    }

    /// The mode variable that an expression defines.
    fn mode_by_definition(&self, expression: ExpressionId) -> Option<ExpressionId> {
        let mut modes = self.dae.mode_variables.iter_enumerated();
        let (id, _) = modes.find(|(_, it)| it.definition == Some(expression))?;
        self.modes_in_arena.get(&id).copied()
    }

    /// The mode variable that a Boolean is, or the formula that it stands for.
    fn formula_of(&self, variable: VariableId) -> Option<ExpressionId> {
        let mode = self.dae.mode_variables.iter_enumerated().find(|(_, it)| it.variable == Some(variable));
        let named = self.dae.named_formulas.iter().find(|it| it.variable == variable);
        match mode {
            Some((id, _)) => self.modes_in_arena.get(&id).copied(),
            None => named.map(|named| named.formula),
        }
    }

    /// A law as an equation of the instant: what it says of the present is about right limits, one instant later for
    /// what has a derivative.
    fn law(&mut self, action: &WhenAction, condition: &Modes, clause: usize) -> Option<GuardedEquation> {
        let (name, sides) = match action.kind {
            WhenActionKind::Law(left, right) => {
                let [left_text, right_text] = [left, right].map(|side| self.text(side));
                (format!("law({left_text} = {right_text})"), [left, right])
            }
            WhenActionKind::Reinit(variable, value) => {
                let target = self.expressions.variable(variable, 0);
                let name = &self.dae.model.variables[variable].name;
                (format!("reinit({name}, {})", self.text(value)), [target, value])
            }
            _ => return None,
        };
        let inside = self.modes_of(action.guard).unwrap_or_else(|| self.all_modes());
        let right_limit = |(unknown, highest): (Unknown, u32)| {
            let shift = u32::from(highest < self.written_order(unknown));
            Incidence { unknown, lowest: shift, highest: highest + shift }
        };
        let incidence = self.highest_orders(&sides).into_iter().map(right_limit).collect();
        let (modes, clause) = (condition.and(&inside), Some(clause));
        let places = self.places_of_modes();
        let mut valuations = Modes::none(self.valuations.len());
        modes.iter().for_each(|mode| valuations.add(places[mode]));
        let (name, sides) = (name.into(), Some(sides));
        Some(GuardedEquation { name, equation: None, sides, modes, valuations, incidence, clause })
    }

    /// The highest derivative of a variable that the model writes anywhere.
    fn written_order(&self, unknown: Unknown) -> u32 {
        let equations = self.dae.model.equations.iter().filter(|it| it.kind == EquationKind::Continuous);
        let sides: Vec<ExpressionId> = equations.flat_map(|it| [it.left, it.right]).collect();
        self.highest_orders(&sides).get(&unknown).copied().unwrap_or(0)
    }

    /// Whether continuous variables decide about a branch, through the definitions of mode variables: a condition on
    /// time alone does not become false by what happens in the model.
    fn reads_unknowns(&self, branch: &WhenBranch) -> bool {
        let mut pending: Vec<ExpressionId> = branch.conditions.clone();
        let mut seen = BTreeSet::new();
        let mut found = false;
        while let Some(root) = pending.pop() {
            self.expressions.for_each(root, |_, node| {
                let mode = match node {
                    Node::Mode(mode) => Some(mode),
                    Node::Variable(variable, _) => {
                        found |= self.unknown_of.contains_key(&variable);
                        let own = |it: &ModeVariableId| self.dae.mode_variables[*it].variable == Some(variable);
                        self.dae.mode_variables.ids().find(own)
                    }
                    _ => None,
                };
                if let Some(mode) = mode.filter(|mode| seen.insert(*mode)) {
                    pending.extend(self.dae.mode_variables[mode].definition);
                }
                true
            });
        }
        found
    }

    fn clause_name(&self, branch: &WhenBranch) -> String {
        let conditions: Vec<String> = branch.conditions.iter().map(|&it| self.text(it)).collect();
        format!("when {}", conditions.join(", "))
    }

    /// An expression as in the model.
    fn text(&self, expression: ExpressionId) -> String {
        modeshift_dae::DaeText::new(self.dae).expression(expression).to_string()
    }
}

/// Whether a branch has restart laws; one with nothing in it declares that its mode is transient.
fn makes_an_instant(branch: &WhenBranch) -> bool {
    let is_law = |action: &WhenAction| matches!(action.kind, WhenActionKind::Law(..) | WhenActionKind::Reinit(..));
    branch.actions.is_empty() || branch.actions.iter().any(is_law)
}

//! The `when` clauses of a model, read as instants of their own (E22 §8.4).
//!
//! A branch fires where one of its conditions becomes true, each by itself: `when {g, h}` fires for `h` also while `g` holds.
//! What it says is enabled in that instant. A law `v = -e*pre(v)` is an equation between right limits. `reinit(x, e)` is an
//! assignment: `e` is evaluated in the instant, with states as they were, and `x` has its value behind it.
//!
//! A `when` with laws, or with nothing in it, declares that its mode is transient, if what happens in the model may make its
//! condition false. A `reinit` declares nothing: whether its mode goes on is for the guards to say, and both are explored.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{
    Builtin, EquationKind, ExpressionId, IndexVec, ModeVariableId, Node, VariableId, WhenAction, WhenActionKind,
    WhenBranch,
};

use crate::domain::{Body, Unknown};
use crate::modes::Modes;
use crate::reading::Reader;
use crate::system::{Clause, GuardedEquation, Incidence, literal_text};

impl Reader<'_> {
    /// The branches that make instants; their laws go behind the equations.
    pub(crate) fn clauses(
        &mut self,
        bodies: &mut IndexVec<Body, GuardedEquation>,
        unseen: &mut Vec<String>,
    ) -> Vec<Clause> {
        let dae = self.dae;
        let mut clauses = Vec::new();
        for (of, clause) in dae.model.when_clauses.iter().enumerate() {
            let inside = self.modes_of(clause.guard).unwrap_or_else(|| self.all_modes());
            for branch in clause.branches.iter().filter(|branch| makes_an_instant(branch)) {
                let conditions: Option<Vec<Vec<Condition>>> =
                    branch.conditions.iter().map(|&condition| self.modes_where(condition)).collect();
                let Some(conditions) = conditions else {
                    unseen.push(self.clause_name(branch));
                    continue;
                };
                let conditions: Vec<Condition> = conditions.into_iter().flatten().collect();
                let written: Vec<ExpressionId> = conditions.iter().map(|it| it.written).collect();
                let condition_names = conditions.iter().map(|it| it.name.clone()).collect();
                let conditions: Vec<Modes> = conditions.iter().map(|it| it.modes.and(&inside)).collect();
                let any = |mode: usize| conditions.iter().any(|modes| modes.has(mode));
                let condition = Modes::of(self.modes.len(), any);
                let number = clauses.len();
                for law in branch.actions.iter().filter_map(|action| self.law(action, &condition, number)) {
                    bodies.push(law);
                }
                let transient = self.transient_modes(branch, &written, &conditions);
                let is_bare = branch.actions.is_empty();
                let name = self.clause_name(branch);
                clauses.push(Clause { name, of, condition_names, conditions, transient, is_bare });
            }
        }
        clauses
    }

    /// The branches that set discrete variables which equations read, themselves or through other discrete variables.
    pub(crate) fn sets(&self, jumping: &BTreeSet<VariableId>, bodies: &IndexVec<Body, GuardedEquation>) -> Vec<String> {
        let read = self.read_by(jumping, bodies);
        let branches = self.dae.model.when_clauses.iter().flat_map(|clause| &clause.branches);
        let line = |branch: &WhenBranch| {
            let set = branch.actions.iter().filter_map(|action| match action.kind {
                WhenActionKind::Assign(variable, _) => Some(variable).filter(|it| read.contains(it)),
                _ => None,
            });
            let names: BTreeSet<&str> = set.map(|it| &*self.dae.model.variables[it].name).collect();
            let names: Vec<&str> = names.into_iter().collect();
            let text = || format!("{} sets {}", self.clause_name(branch), names.join(", "));
            (!names.is_empty()).then(text)
        };
        branches.filter_map(line).collect()
    }

    /// The variables that may jump in equations, and those from which they are computed.
    fn read_by(
        &self,
        jumping: &BTreeSet<VariableId>,
        bodies: &IndexVec<Body, GuardedEquation>,
    ) -> BTreeSet<VariableId> {
        let found = |sides: [ExpressionId; 2]| {
            let mut found = BTreeSet::new();
            for side in sides {
                self.expressions.for_each(side, |_, node| {
                    found.extend(node.derivative().map(|it| it.of).filter(|it| jumping.contains(it)));
                    true
                });
            }
            found
        };
        let mut read: BTreeSet<VariableId> = bodies.iter().filter_map(|body| body.sides).flat_map(found).collect();
        let equations = self.dae.model.equations.iter().filter(|it| it.kind != EquationKind::Continuous);
        let discrete: Vec<BTreeSet<VariableId>> = equations.map(|it| found([it.left, it.right])).collect();
        loop {
            let size = read.len();
            for equation in &discrete {
                if !equation.is_disjoint(&read) {
                    read.extend(equation);
                }
            }
            if read.len() == size {
                return read;
            }
        }
    }

    /// The modes that a branch declares to be transient.
    fn transient_modes(&self, branch: &WhenBranch, written: &[ExpressionId], conditions: &[Modes]) -> Modes {
        let passing = written.iter().zip(conditions).filter(|(condition, _)| self.reads_unknowns(**condition));
        let passing: Vec<&Modes> = passing.filter(|_| declares_transient(branch)).map(|(_, modes)| modes).collect();
        Modes::of(self.modes.len(), |mode| passing.iter().any(|modes| modes.has(mode)))
    }

    fn all_modes(&self) -> Modes {
        Modes::of(self.modes.len(), |_| true)
    }

    /// What the condition of a branch asks for. The start is no instant of a change; the edge of a Boolean is where that becomes
    /// true, as for a `when` of it, and its change is where it becomes true or false.
    fn modes_where(&mut self, condition: ExpressionId) -> Option<Vec<Condition>> {
        let all = self.all_modes();
        let is = |written, name, modes| Condition { written, name, modes };
        match self.expressions.node(condition) {
            Node::Call(Builtin::Initial, _) => {
                Some(vec![is(condition, self.text(condition), Modes::none(self.modes.len()))])
            }
            Node::Call(call @ (Builtin::Edge | Builtin::Change), of) => {
                let of = self.expressions.argument_list(of)[0];
                let (modes, text) = (self.modes_of(of)?, self.text(of));
                let falls = (call == Builtin::Change).then(|| is(of, literal_text(&text, false), all.without(&modes)));
                Some([is(of, text, modes)].into_iter().chain(falls).collect())
            }
            _ => Some(vec![is(condition, self.text(condition), self.modes_of(condition)?)]),
        }
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
        let is_defined = |id: ExpressionId| self.dae.mode_variables.iter().any(|it| it.definition == Some(id));
        self.expressions.for_each(condition, |id, node| {
            parts.insert(id);
            !is_defined(id) && matches!(node, Node::Not(_) | Node::And(..) | Node::Or(..))
        });
        let mut replaced: BTreeMap<ExpressionId, ExpressionId> = BTreeMap::new();
        for part in parts {
            let defined = self.mode_by_definition(part);
            let formula = match self.expressions.node(part) {
                _ if defined.is_some() => defined,
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

    /// The mode variable that an expression defines, or for a relation that holds where another one does not its negation.
    fn mode_by_definition(&mut self, expression: ExpressionId) -> Option<ExpressionId> {
        let mut modes = self.dae.mode_variables.iter_enumerated();
        if let Some((id, _)) = modes.find(|(_, it)| it.definition == Some(expression)) {
            return self.modes_in_arena.get(&id).copied();
        }
        let Node::Relation(operator, left, right) = self.expressions.node(expression) else { return None };
        let forms = [(operator, left, right, false), (operator.negated(), left, right, true)];
        let mirrored = forms.map(|(operator, left, right, is_not)| (operator.mirrored(), right, left, is_not));
        for (operator, left, right, is_not) in forms.into_iter().chain(mirrored) {
            let is_it = |definition| self.expressions.node(definition) == Node::Relation(operator, left, right);
            let mut modes = self.dae.mode_variables.iter_enumerated();
            if let Some((id, _)) = modes.find(|(_, it)| it.definition.is_some_and(is_it)) {
                let mode = *self.modes_in_arena.get(&id)?;
                return Some(if is_not { self.expressions.not(mode) } else { mode });
            }
        }
        None
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

    /// A law or an assignment as an equation of the instant.
    fn law(&mut self, action: &WhenAction, condition: &Modes, clause: usize) -> Option<GuardedEquation> {
        let (name, sides, incidence, assigns) = match action.kind {
            WhenActionKind::Law(left, right) => {
                let [left_text, right_text] = [left, right].map(|side| self.text(side));
                let incidence = self.right_limits(&[left, right]);
                (format!("law({left_text} = {right_text})"), [left, right], incidence, None)
            }
            WhenActionKind::Reinit(variable, value) => {
                let target = self.expressions.variable(variable, 0);
                let name = &self.dae.model.variables[variable].name;
                let name = format!("reinit({name}, {})", self.text(value));
                let mut incidence = self.right_limits(&[target]);
                let now = |(unknown, highest)| Incidence { unknown, lowest: 0, highest };
                incidence.extend(self.highest_orders(&[value]).into_iter().map(now));
                (name, [target, value], incidence, self.unknown_of.get(&variable).copied())
            }
            _ => return None,
        };
        let inside = self.modes_of(action.guard).unwrap_or_else(|| self.all_modes());
        let (modes, clause) = (condition.and(&inside), Some(clause));
        let places = self.places_of_modes();
        let mut valuations = Modes::none(self.valuations.len());
        modes.iter().for_each(|mode| valuations.add(places[mode]));
        let (name, sides) = (name.into(), Some(sides));
        let waits_for = Vec::new();
        Some(GuardedEquation { name, equation: None, sides, modes, valuations, waits_for, incidence, clause, assigns })
    }

    /// What is said of the present is about right limits: one instant later for what has a derivative.
    fn right_limits(&self, sides: &[ExpressionId]) -> Vec<Incidence> {
        let right_limit = |(unknown, highest): (Unknown, u32)| {
            let shift = u32::from(highest < self.written_order(unknown));
            Incidence { unknown, lowest: shift, highest: highest + shift }
        };
        self.highest_orders(sides).into_iter().map(right_limit).collect()
    }

    /// The highest derivative of a variable that the model writes anywhere.
    fn written_order(&self, unknown: Unknown) -> u32 {
        let equations = self.dae.model.equations.iter().filter(|it| it.kind == EquationKind::Continuous);
        let sides: Vec<ExpressionId> = equations.flat_map(|it| [it.left, it.right]).collect();
        self.highest_orders(&sides).get(&unknown).copied().unwrap_or(0)
    }

    /// Whether continuous variables decide about a condition, through the definitions of mode variables: one on time alone
    /// does not become false by what happens in the model.
    fn reads_unknowns(&self, condition: ExpressionId) -> bool {
        let mut pending: Vec<ExpressionId> = vec![condition];
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
        format!("when {}", self.condition_names(branch).join(", "))
    }

    fn condition_names(&self, branch: &WhenBranch) -> Vec<String> {
        branch.conditions.iter().map(|&it| self.text(it)).collect()
    }

    /// An expression as in the model.
    fn text(&self, expression: ExpressionId) -> String {
        modeshift_dae::DaeText::new(self.dae).expression(expression).to_string()
    }
}

/// A condition of a branch: an expression that lasts, its text, and the modes in which it holds.
struct Condition {
    written: ExpressionId,
    name: String,
    modes: Modes,
}

/// Whether a branch says something of continuous variables, or nothing at all.
pub fn makes_an_instant(branch: &WhenBranch) -> bool {
    let is_law = |action: &WhenAction| matches!(action.kind, WhenActionKind::Law(..) | WhenActionKind::Reinit(..));
    branch.actions.is_empty() || branch.actions.iter().any(is_law)
}

/// Whether a branch declares that what holds in its instant holds for this instant only: it has laws, or nothing at all.
fn declares_transient(branch: &WhenBranch) -> bool {
    let is_law = |action: &WhenAction| matches!(action.kind, WhenActionKind::Law(..));
    branch.actions.is_empty() || branch.actions.iter().any(is_law)
}

//! Mode equations: how the target finds its mode.
//!
//! The papers copy the definitions (E22 §10.1, step 4): `p = x >= 1`, where `x` depends on `p`. A tool that keeps the mode
//! fixed while it looks for a solution, as all do, then has to find a fixed point between Booleans and Reals at every
//! event, and at the exit from a mode there often is none: with `x` at its bound, rounding decides whether the guard
//! still holds. The robust form avoids both.
//!
//! - Guards are looked at in the mode that is left: `p_next` is what the guard asks for, `p = pre(p_next)` is the mode in
//!   force, and the event iteration of the tool goes on until both agree. Left limits in guards, `pre(x)`, are then
//!   simply `x`.
//! - A relation that depends on the mode has a hysteresis: it becomes true beyond its bound and false below. On entry,
//!   states are put on the constraints of the new mode (see [`crate::restarts`]), which is well inside.
//!
//! A definition that depends on nothing but time, parameters and left limits of discrete variables stays as it is.

use modeshift_dae::{
    ExpressionId, IndexVec, ModeVariableId, MultimodeDae, Node, RelationOperator, Variability, VariableId,
};
use rustc_hash::FxHashMap;

use crate::conditions::Conditions;
use crate::document::Item;
use crate::signals::Signals;
use crate::specialize::{Specialization, rebuilt};
use crate::target::Target;

/// Half the width of the hysteresis.
const HYSTERESIS: f64 = 1e-9;

/// The Booleans of a mode variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModeBooleans {
    /// The mode in force.
    pub(crate) in_force: VariableId,
    /// What the guard asks for, where that is another variable.
    pub(crate) next: Option<VariableId>,
}

/// What was declared for the mode equations.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    /// Half the width of the hysteresis, if there is one.
    pub(crate) hysteresis: Option<VariableId>,
    /// Booleans that are new.
    pub(crate) booleans: Vec<VariableId>,
}

/// The Boolean of each mode variable; relations that are used directly get one named by their text.
pub(crate) fn declare_modes(dae: &MultimodeDae, target: &mut Target) -> IndexVec<ModeVariableId, VariableId> {
    let declared = dae.mode_variables.iter().map(|mode| match mode.variable {
        Some(variable) => variable,
        None => target.boolean(&mode.name, None),
    });
    declared.collect()
}

/// The papers' mode equations: the definitions as they are.
pub(crate) fn plain_mode_equations(
    dae: &MultimodeDae,
    conditions: &mut Conditions,
    signals: &mut Signals,
    target: &mut Target,
) -> Vec<Item> {
    let mut items = Vec::new();
    for (mode, variable) in dae.mode_variables.iter_enumerated() {
        if let Some(definition) = variable.definition {
            let boolean = conditions.booleans[mode];
            let definition =
                Specialization::new(conditions, signals, target, None).of(definition, modeshift_modes::ModeSet::ALL);
            let boolean = target.value(boolean);
            items.push(Item::Equation(boolean, definition));
        }
    }
    items
}

/// The robust mode equations.
pub(crate) struct RobustModes<'a> {
    pub(crate) dae: &'a MultimodeDae,
    pub(crate) booleans: IndexVec<ModeVariableId, ModeBooleans>,
    pub(crate) declared: Declared,
    /// The mode variable that a Boolean is.
    mode_of: FxHashMap<VariableId, ModeVariableId>,
    items: Vec<Item>,
}

/// What a relation looks back at to know on which side of its hysteresis it is.
#[derive(Clone, Copy)]
enum Memory {
    /// The whole definition is this relation: the mode in force.
    Mode(VariableId),
    /// It is a part of a definition and gets a Boolean of its own, named after this one.
    Own(VariableId),
}

impl<'a> RobustModes<'a> {
    /// Declares what the guards ask for.
    pub(crate) fn new(dae: &'a MultimodeDae, conditions: &Conditions, signals: &Signals, target: &mut Target) -> Self {
        let mode_of = conditions.booleans.iter_enumerated().map(|(mode, &boolean)| (boolean, mode)).collect();
        let mut modes =
            RobustModes { dae, booleans: IndexVec::new(), declared: Declared::default(), mode_of, items: Vec::new() };
        for (mode, variable) in dae.mode_variables.iter_enumerated() {
            let in_force = conditions.booleans[mode];
            let delayed = variable.definition.filter(|&definition| !modes.is_known_at_once(signals, definition));
            let next = delayed.map(|_| {
                let text = format!("what the guard of {} asks for", variable.name);
                target.derived(in_force, "_next", Some(text))
            });
            modes.declared.booleans.extend(next);
            modes.booleans.push(ModeBooleans { in_force, next });
        }
        modes
    }

    /// Whether a definition depends on nothing but time, parameters and left limits of discrete variables.
    fn is_known_at_once(&self, signals: &Signals, definition: ExpressionId) -> bool {
        let model = &self.dae.model;
        let mut known = true;
        model.expressions.for_each(definition, |_, node| match node {
            Node::Pre(inner) => {
                model.expressions.for_each(inner, |_, node| {
                    known &= !matches!(node, Node::Variable(variable, _) if signals.is_unknown(variable));
                    known
                });
                false
            }
            Node::Variable(variable, _) => {
                known &= model.variables[variable].variability <= Variability::Parameter;
                known
            }
            Node::Mode(_) => {
                known = false;
                false
            }
            _ => known,
        });
        known
    }

    /// All of them, and what they needed.
    pub(crate) fn equations(mut self, signals: &mut Signals, target: &mut Target) -> (Vec<Item>, Declared) {
        for mode in self.dae.mode_variables.ids() {
            let Some(definition) = self.dae.mode_variables[mode].definition else { continue };
            let ModeBooleans { in_force, next } = self.booleans[mode];
            let in_force_value = target.value(in_force);
            let Some(next) = next else {
                self.items.push(Item::Equation(in_force_value, definition));
                continue;
            };
            let implicit = self.dae.mode_variables[mode].implicit;
            let guard = self.guard(signals, target, mode, definition, implicit);
            let next_value = target.value(next);
            self.items.push(Item::Equation(next_value, guard));
            let delayed = target.expressions().pre(next_value);
            self.items.push(Item::Equation(in_force_value, delayed));
        }
        (self.items, self.declared)
    }

    /// The definition of a mode variable, looked at in the mode that is left.
    fn guard(
        &mut self,
        signals: &mut Signals,
        target: &mut Target,
        mode: ModeVariableId,
        definition: ExpressionId,
        implicit: bool,
    ) -> ExpressionId {
        let mut known: FxHashMap<(ExpressionId, bool), ExpressionId> = FxHashMap::default();
        let mut pending = vec![(definition, false, false)];
        while let Some((id, before, operands_done)) = pending.pop() {
            if known.contains_key(&(id, before)) {
                continue;
            }
            let node = target.model.expressions.node(id);
            if !operands_done {
                pending.push((id, before, true));
                let inner_before = before || matches!(node, Node::Pre(_));
                pending.extend(target.model.expressions.children(id).map(|child| (child, inner_before, false)));
                continue;
            }
            let result = match node {
                Node::Variable(variable, order) => self.left_value(signals, target, variable, order, before),
                Node::Mode(other) => self.left_mode(target, other, before),
                Node::Pre(inner) => known[&(inner, true)],
                Node::Relation(operator, a, b) if implicit && self.depends_on_unknowns(signals, id) => {
                    let boolean = self.booleans[mode].in_force;
                    let memory = if id == definition { Memory::Mode(boolean) } else { Memory::Own(boolean) };
                    let sides = (known[&(a, before)], known[&(b, before)]);
                    self.with_hysteresis(target, operator, sides, memory)
                }
                _ => rebuilt(&mut target.model.expressions, id, |operand| known[&(operand, before)]),
            };
            known.insert((id, before), result);
        }
        known[&(definition, false)]
    }

    /// A variable in a guard. Left limits of unknowns are their values in the mode that is left.
    fn left_value(
        &self,
        signals: &mut Signals,
        target: &mut Target,
        variable: VariableId,
        order: u32,
        before: bool,
    ) -> ExpressionId {
        if signals.is_unknown(variable) {
            let signal = signals.signal(target, variable, order);
            return target.value(signal);
        }
        if let Some(&mode) = self.mode_of.get(&variable) {
            return self.left_mode(target, mode, before);
        }
        let value = target.value(variable);
        let changes = target.model.variables[variable].variability > Variability::Parameter;
        if before && changes { target.expressions().pre(value) } else { value }
    }

    /// Another mode variable in a guard: what its own guard asks for now, or what is in force.
    fn left_mode(&self, target: &mut Target, mode: ModeVariableId, before: bool) -> ExpressionId {
        let ModeBooleans { in_force, next } = self.booleans[mode];
        match (before, next) {
            (false, next) => target.value(next.unwrap_or(in_force)),
            (true, Some(_)) => target.value(in_force),
            (true, None) => {
                let value = target.value(in_force);
                target.expressions().pre(value)
            }
        }
    }

    fn depends_on_unknowns(&self, signals: &Signals, relation: ExpressionId) -> bool {
        let mut depends = false;
        self.dae.model.expressions.for_each(relation, |_, node| {
            depends |= matches!(node, Node::Variable(variable, _) if signals.is_unknown(variable));
            !depends
        });
        depends
    }

    /// `s >= 0` as `if b then s >= -hysteresis else s > hysteresis`, with `b` its value so far.
    fn with_hysteresis(
        &mut self,
        target: &mut Target,
        operator: RelationOperator,
        (left, right): (ExpressionId, ExpressionId),
        memory: Memory,
    ) -> ExpressionId {
        use RelationOperator::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        let above = match operator {
            Greater | GreaterEqual => true,
            Less | LessEqual => false,
            Equal | NotEqual => return target.expressions().relation(operator, left, right),
        };
        let width = self.hysteresis(target);
        let own = match memory {
            Memory::Mode(_) => None,
            Memory::Own(boolean) => Some(target.derived(boolean, "_relation", None)),
        };
        let so_far = match (memory, own) {
            (Memory::Mode(mode), _) => target.value(mode),
            (_, Some(own)) => {
                let own = target.value(own);
                target.expressions().pre(own)
            }
            (Memory::Own(_), None) => unreachable!("a relation inside a definition has a Boolean of its own"),
        };
        let expressions = target.expressions();
        let (lower, upper) = (expressions.difference(right, width), expressions.sum(right, width));
        let (stays, enters) = if above {
            (expressions.relation(GreaterEqual, left, lower), expressions.relation(Greater, left, upper))
        } else {
            (expressions.relation(LessEqual, left, upper), expressions.relation(Less, left, lower))
        };
        let relation = expressions.if_then_else(so_far, stays, enters);
        match own {
            None => relation,
            Some(own) => {
                self.declared.booleans.push(own);
                let own = target.value(own);
                self.items.push(Item::Equation(own, relation));
                own
            }
        }
    }

    fn hysteresis(&mut self, target: &mut Target) -> ExpressionId {
        let declared = &mut self.declared.hysteresis;
        let variable = *declared.get_or_insert_with(|| {
            target.constant("hysteresis", HYSTERESIS, "how far a guard goes beyond its bound before the mode changes")
        });
        target.value(variable)
    }
}

/// Booleans that are formulas over mode variables.
pub(crate) fn named_formulas(dae: &MultimodeDae, conditions: &mut Conditions, target: &mut Target) -> Vec<Item> {
    let mut items = Vec::new();
    for named in &dae.named_formulas {
        if let Some(modes) = conditions.modes(named.formula) {
            let left = target.value(named.variable);
            let right = conditions.expression(target.expressions(), modes, modeshift_modes::ModeSet::ALL);
            items.push(Item::Equation(left, right));
        }
    }
    items
}

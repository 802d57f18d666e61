//! Conditions that ask for discrete variables inside the state that they leave.
//!
//! A transition is considered while its state is active, so what the state defines is read as it is there, by its definition: a
//! Boolean of the state, or whether a machine inside it comes to one of its states. Read by name, it would depend on whether the
//! state stays, which depends on the condition.

use std::convert::Infallible;

use modeshift_dae::{ExpressionId, Expressions, Fold, Node, Operands, Rewritten, Type, VariableId};
use rustc_hash::FxHashMap;

use super::StateNumber;
use crate::flattener::Flattener;

/// Definitions that are put in for each other; one that leads back to itself is told where definitions are sorted.
const DEEPEST: usize = 32;

impl Flattener<'_> {
    /// A condition of a transition that leaves a state, with definitions in the places of what the state defines.
    pub(super) fn as_inside(
        &mut self,
        number: StateNumber,
        mut condition: ExpressionId,
        conditions: &[Vec<ExpressionId>],
    ) -> ExpressionId {
        for _ in 0..DEEPEST {
            let definitions = self.defined_inside(number, condition, conditions);
            if definitions.is_empty() {
                break;
            }
            let mut replace = Replace { expressions: &mut self.model.expressions, definitions };
            let Ok(replaced) = replace.fold(&mut Rewritten::new(), condition, ());
            condition = replaced;
        }
        condition
    }

    /// The definitions of discrete variables of a condition, as far as the state has one for all of its modes.
    fn defined_inside(
        &mut self,
        number: StateNumber,
        condition: ExpressionId,
        conditions: &[Vec<ExpressionId>],
    ) -> FxHashMap<VariableId, ExpressionId> {
        let mut asked: Vec<VariableId> = Vec::new();
        self.model.expressions.for_each(condition, |_, node| {
            if let Node::Variable(variable, 0) = node {
                asked.push(variable);
            }
            !matches!(node, Node::Pre(_))
        });
        let active = self.active(number);
        let mut found = FxHashMap::default();
        for variable in asked {
            let declared = &self.model.variables[variable];
            if let Some(&inner) = self.machines.of_variable.get(&variable) {
                if self.machines.drawn[inner.0].parent == Some(number) {
                    let fires = self.fires(inner.0, conditions);
                    found.insert(variable, self.step(inner, &fires).next);
                }
            } else if declared.guard == active
                && declared.ty != Type::Real
                && let Some(definition) = self.definition_in(active, variable)
            {
                found.insert(variable, definition);
            }
        }
        found
    }

    /// What a variable is equal to wherever a state is active, if one equation says so.
    fn definition_in(&self, active: ExpressionId, variable: VariableId) -> Option<ExpressionId> {
        let defines = |side: ExpressionId| self.model.expressions.node(side) == Node::Variable(variable, 0);
        let mut equations = self.model.equations.iter().filter(|it| defines(it.left));
        let equation = equations.next().filter(|it| it.guard == active)?;
        equations.next().is_none().then_some(equation.right)
    }
}

/// Puts definitions in the places of variables, but for their left limits.
struct Replace<'a> {
    expressions: &'a mut Expressions,
    definitions: FxHashMap<VariableId, ExpressionId>,
}

impl Fold for Replace<'_> {
    type Context = ();
    type Value = ExpressionId;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        self.expressions
    }

    fn open(&mut self, id: ExpressionId, (): (), operands: &mut Operands<()>) -> Option<ExpressionId> {
        match self.expressions.node(id) {
            Node::Pre(_) => Some(id),
            Node::Variable(variable, 0) if self.definitions.contains_key(&variable) => {
                Some(self.definitions[&variable])
            }
            _ => {
                self.open_all(id, (), operands);
                None
            }
        }
    }

    fn close(&mut self, id: ExpressionId, (): (), known: &Rewritten) -> Result<ExpressionId, Infallible> {
        Ok(self.expressions.map_children(id, |_, child| known[child]))
    }
}

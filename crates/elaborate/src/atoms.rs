//! The mode variables found so far: Booleans by their variable, relations by their normal form, and other
//! conditions (`pre(b)`, `initial()`, a call) by themselves.

use std::sync::Arc;

use modeshift_dae::{
    ExpressionId, FlatModel, IndexVec, ModeVariable, ModeVariableId, Node, RelationOperator, Variability, VariableId,
    short_text,
};
use modeshift_diagnostics::Span;
use rustc_hash::FxHashMap;

use crate::definitions::Definitions;
use crate::invariants::relations::{Literal, Normal, RelationTable, normal};

/// All mode variables, by first occurrence.
#[derive(Default)]
pub(crate) struct Atoms {
    pub(crate) modes: IndexVec<ModeVariableId, ModeVariable>,
    pub(crate) relations: RelationTable,
    of_variable: FxHashMap<VariableId, ModeVariableId>,
    of_expression: FxHashMap<ExpressionId, ModeVariableId>,
}

impl Atoms {
    /// The mode variable that this Boolean is.
    pub(crate) fn of_variable(&self, variable: VariableId) -> Option<ModeVariableId> {
        self.of_variable.get(&variable).copied()
    }

    /// The formula for an atomic condition, if its mode variable is known.
    pub(crate) fn find(&self, model: &mut FlatModel, atom: ExpressionId) -> Option<ExpressionId> {
        let mode = match model.expressions.node(atom) {
            Node::Variable(variable, 0) => self.of_variable(variable)?,
            Node::Relation(operator, a, b) => return self.find_relation(model, operator, a, b),
            _ => self.of_expression.get(&atom).copied()?,
        };
        Some(model.expressions.add(Node::Mode(mode)))
    }

    fn find_relation(
        &self,
        model: &mut FlatModel,
        operator: RelationOperator,
        a: ExpressionId,
        b: ExpressionId,
    ) -> Option<ExpressionId> {
        match normal(model, operator, a, b) {
            Normal::Constant(value) => Some(model.expressions.boolean(value)),
            Normal::Threshold { family, point, negated } => {
                let literal = self.relations.find(&family, point)?;
                Some(Literal { negated: literal.negated != negated, ..literal }.formula(&mut model.expressions))
            }
        }
    }

    /// The formula for an atomic condition; its mode variable is added where it is new.
    pub(crate) fn find_or_add(
        &mut self,
        model: &mut FlatModel,
        definitions: &Definitions,
        atom: ExpressionId,
        span: Span,
    ) -> ExpressionId {
        if let Some(known) = self.find(model, atom) {
            return known;
        }
        match model.expressions.node(atom) {
            Node::Variable(variable, 0) => self.add_variable(model, definitions, variable),
            Node::Relation(operator, a, b) => self.add_relation(model, atom, normal(model, operator, a, b), span),
            _ => {
                let mode = self.add_condition(model, atom, span);
                self.of_expression.insert(atom, mode);
            }
        }
        self.find(model, atom).expect("the mode variable of an atom was just added")
    }

    fn add_variable(&mut self, model: &FlatModel, definitions: &Definitions, variable: VariableId) {
        let declaration = &model.variables[variable];
        let is_parameter = declaration.variability <= Variability::Parameter;
        let definition = if is_parameter { declaration.binding } else { definitions.value(variable) };
        let value = if is_parameter { definition.or(declaration.start) } else { declaration.start };
        let certain = is_parameter || declaration.fixed == Some(true);
        let initial = value.filter(|_| certain).and_then(|value| model.expressions.literal_boolean(value));
        let mode = self.modes.push(ModeVariable {
            name: declaration.name.clone(),
            variable: Some(variable),
            definition,
            implicit: false,
            initial,
            span: declaration.span,
        });
        self.of_variable.insert(variable, mode);
    }

    fn add_relation(&mut self, model: &FlatModel, atom: ExpressionId, relation: Normal, span: Span) {
        if let Normal::Threshold { family, point, negated } = relation {
            let mode = self.add_condition(model, atom, span);
            self.relations.insert(model, family, point, Literal { mode, negated });
        }
    }

    fn add_condition(&mut self, model: &FlatModel, atom: ExpressionId, span: Span) -> ModeVariableId {
        let mut name = short_text(model, None, atom);
        if name.contains('…') {
            // What is cut off may be all that tells two conditions apart.
            name.push_str(&format!(" [condition {}]", self.modes.len() + 1));
        }
        let name: Arc<str> = name.into();
        self.modes.push(ModeVariable {
            name,
            variable: None,
            definition: Some(atom),
            implicit: false,
            initial: None,
            span,
        })
    }
}

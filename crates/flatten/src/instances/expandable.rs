//! Elements of expandable connectors that nothing uses (Modelica 3.6, 9.1.3).
//!
//! What such a connector declares may be there; it is there where it is connected or where an equation reads it. The others
//! are in no mode.

use modeshift_dae::{Id, Node, VariableId};
use modeshift_syntax::ast::{ClassKind, Variability};

use crate::flattener::Flattener;
use crate::instances::tree::InstanceId;

impl Flattener<'_> {
    /// Takes declared elements of expandable connectors that occur nowhere out of all modes.
    pub(crate) fn leave_out_unused_elements(&mut self) {
        let is_expandable = |flattener: &Self, instance: InstanceId| {
            let class = flattener.instances[instance].class;
            flattener.classes.library.class(class).definition.kind == ClassKind::ExpandableConnector
        };
        let elements: Vec<VariableId> = (self.instances.primitives.iter())
            .filter(|it| it.first.is_some() && it.prefix.variability > Variability::Parameter)
            .filter(|it| it.prefix.causality.is_none() && is_expandable(self, it.instance))
            .flat_map(|it| {
                let (first, count) = (it.first.expect("looked at above").index(), it.dims.iter().product::<usize>());
                (first..first + count).map(VariableId::from_index)
            })
            .collect();
        if elements.is_empty() {
            return;
        }
        let mut occurs = vec![false; self.model.variables.len()];
        for node in self.model.expressions.nodes() {
            if let Node::Variable(variable, _) = node {
                occurs[variable.index()] = true;
            }
        }
        let never = self.model.expressions.boolean(false);
        for element in elements.into_iter().filter(|element| !occurs[element.index()]) {
            self.model.variables[element].guard = never;
        }
    }
}

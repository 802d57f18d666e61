//! A component by itself: connectors of its own, to which nothing is connected, have surroundings that are as good as any.
//!
//! In a model that is to run, nothing flows at a connector of its own. A component that others will use is judged otherwise: the
//! language asks it for equations beside those that its surroundings bring, one for each potential and its flow (Modelica 3.6, 4.7).
//! So that its structure can be told, they bring one here, `potential + c*flow = 0`: a resistor to the ground, a spring to
//! the wall. The factors differ, lest something cancels.

use modeshift_dae::{ExpressionId, Type, VariableId};
use modeshift_diagnostics::Span;
use modeshift_syntax::ast::{ConnectorPrefix, Variability};

use super::guarded::{Place, Sides};
use super::names;
use crate::flattener::Flattener;
use crate::instances::tree::{InstanceId, Primitive};

/// What is around a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Surroundings {
    /// Nothing: no flow enters.
    #[default]
    Nothing,
    /// Something, of which only the structure is known.
    Something,
}

/// A connector of the model itself that is joined to its surroundings.
#[derive(Clone, Debug)]
pub struct Joined {
    /// Its name.
    pub name: String,
    /// Its declaration.
    pub span: Span,
}

/// The scalars of one connector that belong together, in the order of their declaration.
#[derive(Default)]
struct Scalars {
    potentials: Vec<VariableId>,
    flows: Vec<VariableId>,
}

impl Flattener<'_> {
    /// Joins the model's own connectors to their surroundings: which. None where potentials and flows make no pairs.
    pub(crate) fn join_surroundings(&mut self, root: InstanceId, always: ExpressionId) -> Vec<Joined> {
        let open = std::mem::take(&mut self.connections.open_flows);
        let mut connectors: Vec<InstanceId> = open.iter().map(|&flow| self.connector_of(flow)).collect();
        connectors.dedup();
        let joined: Vec<(Scalars, Span)> =
            connectors.iter().map(|&connector| (self.scalars(connector), self.connector_span(connector))).collect();
        let flows = joined.iter().map(|(scalars, _)| scalars.flows.len()).sum::<usize>();
        let is_paired = |(scalars, _): &(Scalars, Span)| scalars.potentials.len() == scalars.flows.len();
        if open.is_empty() || flows != open.len() || !joined.iter().all(is_paired) {
            return Vec::new();
        }
        let place = Place {
            instance: root,
            prefix: "".into(),
            guard: always,
            initial: false,
            scenario: None,
            loops: Vec::new(),
        };
        let pairs = joined.iter().flat_map(|(scalars, span)| {
            scalars.potentials.iter().zip(&scalars.flows).map(|(&potential, &flow)| (potential, flow, *span))
        });
        for (at, (potential, flow, span)) in pairs.enumerate() {
            self.join(at, (potential, flow), span, &place);
        }
        connectors.iter().map(|&connector| self.joined(connector)).collect()
    }

    fn joined(&self, connector: InstanceId) -> Joined {
        Joined { name: self.instances.instance_name(connector).into(), span: self.connector_span(connector) }
    }

    fn join(&mut self, at: usize, (potential, flow): (VariableId, VariableId), span: Span, place: &Place) {
        let expressions = &mut self.model.expressions;
        // Parts of multiples of the golden ratio are as far from each other as can be.
        let factor = expressions.real(1.0 + (at as f64 * 0.618_033_988_749_895).fract());
        let (potential, flow) = (expressions.variable(potential, 0), expressions.variable(flow, 0));
        let drop = expressions.product(factor, flow);
        let (left, right) = (expressions.sum(potential, drop), expressions.integer(0));
        self.push_equation(names::unlabelled("", None), Sides { ty: Type::Real, left, right }, span, place);
    }

    fn connector_of(&self, variable: VariableId) -> InstanceId {
        let after = self.instances.numbered.partition_point(|&(first, _)| first <= variable);
        self.instances[self.instances.numbered[after - 1].1].instance
    }

    /// The potentials and flows of a connector that exist in all modes.
    fn scalars(&self, connector: InstanceId) -> Scalars {
        let mut scalars = Scalars::default();
        for &(first, id) in &self.instances.numbered {
            let primitive = &self.instances[id];
            if primitive.instance != connector || !is_potential_or_flow(primitive) {
                continue;
            }
            let count = primitive.dims.iter().product::<usize>();
            let all = (0..count).map(|at| VariableId(first.0 + at as u32)).filter(|&it| self.is_everywhere(it));
            match primitive.prefix.connector {
                Some(_) => scalars.flows.extend(all),
                None => scalars.potentials.extend(all),
            }
        }
        scalars
    }

    fn is_everywhere(&self, variable: VariableId) -> bool {
        self.model.expressions.literal_boolean(self.model.variables[variable].guard) == Some(true)
    }

    fn connector_span(&self, connector: InstanceId) -> Span {
        let instance = &self.instances[connector];
        match instance.parent {
            Some(parent) => self.instances.member(parent, instance.position).span,
            None => self.classes.library.class(instance.class).definition.name.span,
        }
    }
}

fn is_potential_or_flow(primitive: &Primitive) -> bool {
    let is_free = primitive.prefix.variability == Variability::Continuous && primitive.prefix.causality.is_none();
    primitive.ty == Type::Real && is_free && primitive.prefix.connector != Some(ConnectorPrefix::Stream)
}

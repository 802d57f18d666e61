//! A component by itself: connectors of its own, to which nothing is connected, have surroundings that are as good as any.
//!
//! In a model that is to run, nothing flows at a connector of its own. A component that others will use is judged otherwise: the
//! language asks it for equations beside those that its surroundings bring, one for each potential and its flow (Modelica 3.6, 4.7).
//! So that its structure can be told, they bring one here, `potential + c1*flow1 + c2*flow2 + … = 0`, over the flows of all connectors: a
//! network of resistors between them and to the ground. What a component leaves to it at one of its connectors another one may
//! get, as from an ideal amplifier, which takes no current and says of two potentials that they are equal. The factors differ, and are those
//! of a passive network, lest something cancels: where a component neither makes nor stores what flows, the flows are determined.
//!
//! Friction that sticks says of an acceleration that it is zero, and needs inertia around it. So there are surroundings with mass, too:
//! `potential'' + c1*flow1 + … = 0`. A component that is right among some surroundings is right.

use modeshift_dae::{ExpressionId, Type, VariableId};
use modeshift_diagnostics::Span;
use modeshift_syntax::ast::{ConnectorPrefix, Variability};

use super::guarded::{Place, Sides};
use super::names;
use crate::flattener::Flattener;
use crate::instances::tree::{InstanceId, Primitive};

/// Flows of more pairs than this are not led to each other: as many terms as their square are not worth it.
const MOST_COUPLED: usize = 64;

/// What is around a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surroundings {
    /// Nothing: no flow enters.
    #[default]
    Nothing,
    /// Flows decide about potentials.
    Resistive,
    /// Flows decide about second derivatives of potentials.
    Inert,
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
        let all: Vec<VariableId> = joined.iter().flat_map(|(scalars, _)| scalars.flows.iter().copied()).collect();
        let pairs = joined.iter().flat_map(|(scalars, span)| {
            scalars.potentials.iter().zip(&scalars.flows).map(|(&potential, &flow)| (potential, flow, *span))
        });
        for (at, (potential, flow, span)) in pairs.enumerate() {
            let is_small = all.len() <= MOST_COUPLED;
            let flows = if is_small { &all[..] } else { std::slice::from_ref(&flow) };
            self.join(at, (potential, flows), span, &place);
        }
        connectors.iter().map(|&connector| self.joined(connector)).collect()
    }

    fn joined(&self, connector: InstanceId) -> Joined {
        Joined { name: self.instances.instance_name(connector), span: self.connector_span(connector) }
    }

    fn join(&mut self, at: usize, (potential, flows): (VariableId, &[VariableId]), span: Span, place: &Place) {
        let expressions = &mut self.model.expressions;
        let order = if self.connections.surroundings == Surroundings::Inert { 2 } else { 0 };
        let mut left = expressions.variable(potential, order);
        for (number, &flow) in flows.iter().enumerate() {
            let is_own = flows.len() == 1 || number == at;
            let factor = resistance(at, number, flows.len(), is_own);
            let (factor, flow) = (expressions.real(factor), expressions.variable(flow, 0));
            let drop = expressions.product(factor, flow);
            left = expressions.sum(left, drop);
        }
        let right = expressions.integer(0);
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

/// What a flow at one connector does to the potential of another: symmetric, and most at its own connector, so that flows that are
/// not zero always take power.
fn resistance(at: usize, number: usize, count: usize, is_own: bool) -> f64 {
    let (least, most) = (at.min(number), at.max(number));
    // Parts of multiples of the golden ratio are as far from each other as can be.
    let part = ((most * (most + 1) / 2 + least) as f64 * 0.618_033_988_749_895).fract();
    if is_own { 1.0 + part } else { part / count as f64 }
}

fn is_potential_or_flow(primitive: &Primitive) -> bool {
    let is_free = primitive.prefix.variability == Variability::Continuous && primitive.prefix.causality.is_none();
    primitive.ty == Type::Real && is_free && primitive.prefix.connector != Some(ConnectorPrefix::Stream)
}

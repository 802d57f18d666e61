//! Connections: sets of connected scalars, and from each set potential equalities or one sum of flows
//! (Modelica 3.6, 9.2).
//!
//! A member of a set is a scalar with a side: `outside` where the connector belongs to the class in which the
//! `connect` stands, `inside` where it belongs to a component of that class. Every flow variable is a member on its
//! inside whether connected or not, which gives the zero flow of unconnected connectors. The result does not depend
//! on the order of the `connect`s: members are ordered by declaration.

use modeshift_dae::{Assertion, RelationOperator, Type, UnionFind, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{self, Causality, ConnectorPrefix, Expression, ExpressionKind, Reference, Variability};
use rustc_hash::FxHashMap;

use crate::classes::library::composition;
use crate::equations::guarded::Place;
use crate::equations::surroundings::Surroundings;
use crate::expressions::context::{Context, Purpose};
use crate::expressions::term::{Term, shape_text, type_text};
use crate::expressions::translate::Decision;
use crate::failure::{Failure, Outcome, unsupported, wrong};
use crate::flattener::Flattener;
use crate::instances::modification::Scope;
use crate::instances::scopes::Found;
use crate::instances::tree::{InstanceId, PrimitiveId, Slot};
use crate::restrictions::connectors::Checked;

/// A scalar of a connector and the side from which it is connected: twice the variable's number, plus 1 outside.
pub(super) type Member = u32;

/// All connections of a model.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    /// Pairs in source order, with where and in which instance they were written.
    pairs: Vec<Pair>,
    /// How often each connector occurs in a `connect`: instances, and variables that are connectors.
    uses: FxHashMap<Connector, i64>,
    /// The sets that belong to an instance, in order.
    sets: FxHashMap<InstanceId, Vec<Set>>,
    /// Where signals come from: members of connections, and where they are connected.
    sources: Vec<(Member, Span)>,
    /// What is around the model.
    pub(crate) surroundings: Surroundings,
    /// The flows at connectors of the model itself, where these are left to its surroundings.
    pub(super) open_flows: Vec<VariableId>,
    /// What is known of the connectors.
    pub(crate) checked: Checked,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    members: [Member; 2],
    is_flow: bool,
    span: Span,
    instance: InstanceId,
}

/// What is connected.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) members: Vec<Member>,
    pub(super) is_flow: bool,
    pub(super) span: Span,
}

/// One end of a connection: connectors, all of the same shape.
struct End {
    dims: Vec<usize>,
    connectors: Vec<Connector>,
    outside: bool,
}

/// A connector with elements, or a single variable that is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Connector {
    Instance(InstanceId),
    Scalar(PrimitiveId, VariableId),
}

/// A scalar inside a connector.
struct Pin {
    path: String,
    variable: VariableId,
    primitive: PrimitiveId,
}

impl Flattener<'_> {
    /// Collects the connections of an instance and everything in it.
    pub(crate) fn collect_connections(&mut self, instance: InstanceId) {
        for position in 0..self.instances[instance].slots.len() {
            match self.instances[instance].slots[position].clone() {
                Slot::Component(component) => self.collect_connections(component),
                Slot::Components(components) => {
                    components.instances.iter().for_each(|&id| self.collect_connections(id))
                }
                _ => {}
            }
        }
        let layout = self.instances[instance].layout.clone();
        for &class in &layout.classes {
            let definition = self.classes.library.class(class).definition.clone();
            let sections = composition(&definition).map_or(&[][..], |inside| &inside.equations);
            for section in sections.iter().filter(|section| section.equations.iter().any(has_connect)) {
                let scope = Scope { instance: Some(instance), class };
                let mut context = Context { connecting: true, ..Context::new(scope, Purpose::Symbolic) };
                self.collect_from(&section.equations, instance, &mut context);
            }
        }
    }

    fn collect_from(&mut self, equations: &[ast::Equation], instance: InstanceId, context: &mut Context) {
        for equation in equations.iter().filter(|equation| has_connect(equation)) {
            if let Err(failure) = self.collect_one(equation, instance, context) {
                self.report(failure);
            }
        }
    }

    fn collect_one(&mut self, equation: &ast::Equation, instance: InstanceId, context: &mut Context) -> Outcome<()> {
        match &equation.kind {
            ast::EquationKind::Connect(a, b) => self.connect(a, b, equation.span, instance, context),
            ast::EquationKind::For { indices, body } => self.collect_loop(indices, body, instance, context),
            ast::EquationKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    match self.decided(condition, context)? {
                        Decision::Known(true) => {
                            self.collect_from(body, instance, context);
                            return Ok(());
                        }
                        Decision::Known(false) => {}
                        Decision::Open(_) => {
                            let message = "the condition of an `if` around `connect` must be known at translation";
                            return wrong(Code::E0402, message, condition.span);
                        }
                    }
                }
                self.collect_from(otherwise, instance, context);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn collect_loop(
        &mut self,
        indices: &[ast::ForIndex],
        body: &[ast::Equation],
        instance: InstanceId,
        context: &mut Context,
    ) -> Outcome<()> {
        let Some((index, rest)) = indices.split_first() else {
            self.collect_from(body, instance, context);
            return Ok(());
        };
        for value in self.iterations(index, context)? {
            context.locals.push((index.name.name.clone(), value));
            let collected = self.collect_loop(rest, body, instance, context);
            context.locals.pop();
            collected?;
        }
        Ok(())
    }

    fn connect(
        &mut self,
        a: &Expression,
        b: &Expression,
        span: Span,
        instance: InstanceId,
        context: &mut Context,
    ) -> Outcome<()> {
        let (Some(left), Some(right)) = (self.end(a, context)?, self.end(b, context)?) else { return Ok(()) };
        if left.dims != right.dims {
            let message = format!(
                "the sizes of connected connectors differ: {} and {}",
                shape_text(&left.dims),
                shape_text(&right.dims)
            );
            return Err(Diagnostic::error(Code::E0304, message)
                .label(a.span, shape_text(&left.dims))
                .label(b.span, shape_text(&right.dims))
                .into());
        }
        for (&one, &other) in left.connectors.iter().zip(&right.connectors) {
            for connector in [one, other] {
                *self.connections.uses.entry(connector).or_default() += 1;
            }
            let (mut pins, mut others) = (Vec::new(), Vec::new());
            self.pins(one, String::new(), &mut pins);
            self.pins(other, String::new(), &mut others);
            self.connect_pins(&pins, &others, (left.outside, right.outside), span, instance)?;
        }
        Ok(())
    }

    fn connect_pins(
        &mut self,
        pins: &[Pin],
        others: &[Pin],
        outside: (bool, bool),
        span: Span,
        instance: InstanceId,
    ) -> Outcome<()> {
        if pins.len() != others.len() {
            return self.different_connectors(pins, others, span);
        }
        for pin in pins {
            let Some(other) = others.iter().find(|other| other.path == pin.path) else {
                return self.different_connectors(pins, others, span);
            };
            let (one, two) = (&self.instances[pin.primitive], &self.instances[other.primitive]);
            if one.ty != two.ty {
                return self.different_connectors(pins, others, span);
            }
            let flows = [one, two].map(|primitive| primitive.prefix.connector);
            if flows[0] != flows[1] {
                return wrong(Code::E0401, "a flow variable is connected with one that is not", span);
            }
            if flows[0] == Some(ConnectorPrefix::Stream) {
                return unsupported("stream connectors", span);
            }
            self.check_pair(pin.primitive, other.primitive, span)?;
            let (one, two) = (&self.instances[pin.primitive], &self.instances[other.primitive]);
            let are_sources = [self.is_source(one, outside.0), self.is_source(two, outside.1)];
            if one.prefix.variability <= Variability::Parameter {
                self.check_equal(pin.variable, other.variable, span)?;
                self.assert_equal(pin.variable, other.variable, span);
                continue;
            }
            let members = [member(pin.variable, outside.0), member(other.variable, outside.1)];
            let is_flow = flows[0] == Some(ConnectorPrefix::Flow);
            for (member, _) in members.into_iter().zip(are_sources).filter(|(_, is_source)| *is_source) {
                self.connections.sources.push((member, span));
            }
            self.connections.pairs.push(Pair { members, is_flow, span, instance });
        }
        Ok(())
    }

    fn different_connectors(&self, pins: &[Pin], others: &[Pin], span: Span) -> Outcome<()> {
        let names = |pins: &[Pin]| {
            // Behind the name stands which of several elements it is.
            let name = |pin: &Pin| pin.path.trim_start_matches('.').split('#').next().unwrap_or_default().to_string();
            let mut names: Vec<String> = pins.iter().map(name).collect();
            names.dedup();
            names.join(", ")
        };
        let message = "these connectors are made of different variables";
        let note = format!("one has {{{}}}, the other {{{}}}", names(pins), names(others));
        let help = "connect connectors of one kind, or put an element between them that has both";
        Err(Diagnostic::error(Code::E0401, message).label(span, "").with_note(note).help(help).into())
    }

    /// Parameters in connectors must agree; they make no equation.
    fn assert_equal(&mut self, a: VariableId, b: VariableId, span: Span) {
        let expressions = &mut self.model.expressions;
        let (left, right) = (expressions.variable(a, 0), expressions.variable(b, 0));
        let condition = expressions.relation(RelationOperator::Equal, left, right);
        let names = [a, b].map(|variable| self.model.variables[variable].name.clone());
        let message =
            self.model.expressions.string(&format!("connected parameters {} and {} differ", names[0], names[1]));
        let guard = self.model.expressions.boolean(true);
        self.model.assertions.push(Assertion { condition, guard, message, is_error: true, span });
    }

    /// `cardinality(c)`: how often a connector is connected. Connections are collected before equations are made.
    pub(crate) fn cardinality(&mut self, connector: &Expression, context: &mut Context) -> Outcome<Term> {
        let end = self.end(connector, context)?;
        let uses = match end.as_ref().map(|end| end.connectors.as_slice()) {
            None => 0,
            Some([only]) => self.connections.uses.get(only).copied().unwrap_or(0),
            Some(_) => return wrong(Code::E0401, "`cardinality` takes one connector", connector.span),
        };
        Ok(Term::Scalar(Type::Integer, self.model.expressions.integer(uses)))
    }

    /// What one argument of `connect` names; `None` where it was removed by a condition.
    fn end(&mut self, expression: &Expression, context: &mut Context) -> Outcome<Option<End>> {
        let ExpressionKind::Reference(reference) = &expression.kind else {
            return wrong(Code::E0401, "`connect` takes names of connectors", expression.span);
        };
        let first = &reference.parts[0].name;
        let (instance, position) = match self.find_first(reference.global, &first.name, context.scope)? {
            Some(Found::Component(instance, position)) => (instance, position),
            _ => {
                let diagnostic = crate::classes::lookup::unknown(&first.name, first.span, "connector");
                return Err(self.classes.suggest_names(diagnostic, &first.name, Some(context.scope.class)).into());
            }
        };
        let outside = match self.slot(instance, position)? {
            Slot::Absent => return Ok(None),
            slot => {
                let outside = self.is_connector(&slot);
                if !outside {
                    self.check_connect_form(&slot, reference)?;
                }
                outside
            }
        };
        let selection = match self.select(instance, position, &reference.parts, context) {
            Ok(selection) => selection,
            Err(Failure::Wrong(diagnostic)) if diagnostic.code == Code::E0210 => return Ok(None),
            Err(failure) => return Err(failure),
        };
        let mut end = End { dims: selection.dims.clone(), connectors: Vec::new(), outside };
        let mut inner_dims = None;
        for &(instance, position) in &selection.elements {
            match self.connectors_at(instance, position, reference, context)? {
                None => return Ok(None),
                Some((dims, connectors)) => {
                    inner_dims.get_or_insert(dims);
                    end.connectors.extend(connectors);
                }
            }
        }
        end.dims.extend(inner_dims.unwrap_or_default());
        Ok(Some(end))
    }

    pub(crate) fn is_connector(&self, slot: &Slot) -> bool {
        match slot {
            Slot::Component(instance) => self.instances[*instance].is_connector,
            Slot::Components(components) => {
                components.instances.first().is_some_and(|&first| self.instances[first].is_connector)
            }
            Slot::Primitive(id) => self.instances[*id].is_connector,
            Slot::Outer(instance, position) => self.is_connector(&self.instances[*instance].slots[*position as usize]),
            _ => false,
        }
    }

    fn connectors_at(
        &mut self,
        instance: InstanceId,
        position: u32,
        reference: &Reference,
        context: &mut Context,
    ) -> Outcome<Option<(Vec<usize>, Vec<Connector>)>> {
        let Some(part) = reference.parts.last() else { return Err(Failure::Reported) };
        match self.slot(instance, position)? {
            Slot::Absent => Ok(None),
            Slot::Outer(instance, position) => self.connectors_at(instance, position, reference, context),
            Slot::Primitive(id) if self.instances[id].is_connector => {
                let dims = self.instances[id].dims.clone();
                let span = self.instances.member(instance, position).span;
                let picks = self.picks(&part.subscripts, &dims, part, Some(span), context)?;
                let (left, offsets) = crate::expressions::references::offsets(&picks, &dims, part.name.span)?;
                let first = self.instances.first_variable(id);
                let scalars = offsets.into_iter().map(|at| Connector::Scalar(id, VariableId(first.0 + at as u32)));
                Ok(Some((left, scalars.collect())))
            }
            slot => {
                if !self.is_connector(&slot)
                    && !matches!(&slot, Slot::Components(components) if components.instances.is_empty())
                {
                    let message = format!("`{}` is not a connector", crate::classes::lookup::reference_text(reference));
                    let declared = self.instances.member(instance, position).span;
                    let diagnostic = Diagnostic::error(Code::E0401, message)
                        .label(reference.span, "")
                        .label(declared, "declared here");
                    let Slot::Primitive(id) = slot else { return Err(diagnostic.into()) };
                    return Err(match self.instances[id].prefix.causality {
                        Some(causality) => {
                            let (word, name) = match causality {
                                Causality::Input => ("input", "Input"),
                                Causality::Output => ("output", "Output"),
                            };
                            let ty = type_text(self.instances[id].ty);
                            let help = format!(
                                "declare it with a connector class, `connector {ty}{name} = {word} {ty}`, or write an equation \
                                 instead of `connect`"
                            );
                            diagnostic.help(help).into()
                        }
                        None => diagnostic.help("write an equation instead of `connect`").into(),
                    });
                }
                let (dims, instances) = self.components_at(instance, position, part, context)?;
                Ok(Some((dims, instances.into_iter().map(Connector::Instance).collect())))
            }
        }
    }

    /// All scalars of a connector with their paths inside it.
    fn pins(&self, connector: Connector, path: String, out: &mut Vec<Pin>) {
        let instance = match connector {
            Connector::Scalar(primitive, variable) => return out.push(Pin { path, variable, primitive }),
            Connector::Instance(instance) => instance,
        };
        for (position, member) in self.instances[instance].layout.members.iter().enumerate() {
            let path = format!("{path}.{}", member.name);
            match &self.instances[instance].slots[position] {
                Slot::Primitive(id) => {
                    let first = self.instances.first_variable(*id);
                    for at in 0..self.instances[*id].dims.iter().product::<usize>() {
                        let variable = VariableId(first.0 + at as u32);
                        out.push(Pin { path: format!("{path}#{at}"), variable, primitive: *id });
                    }
                }
                Slot::Component(inner) => self.pins(Connector::Instance(*inner), path, out),
                Slot::Components(inner) => {
                    for (at, &inner) in inner.instances.iter().enumerate() {
                        self.pins(Connector::Instance(inner), format!("{path}#{at}"), out);
                    }
                }
                _ => {}
            }
        }
    }

    /// Merges pairs into sets, adds unconnected flows, and gives every set to an instance.
    pub(crate) fn form_connection_sets(&mut self, root: InstanceId) {
        let pairs = std::mem::take(&mut self.connections.pairs);
        let mut union = Connected::default();
        for pair in &pairs {
            union.merge(pair.members[0], pair.members[1]);
        }
        self.check_sources(&mut union);
        let mut sets: FxHashMap<Member, Set> = FxHashMap::default();
        let mut owners: FxHashMap<Member, InstanceId> = FxHashMap::default();
        for pair in &pairs {
            let representative = union.find(pair.members[0]);
            owners.entry(representative).or_insert(pair.instance);
            sets.entry(representative).or_insert_with(|| Set {
                members: Vec::new(),
                is_flow: pair.is_flow,
                span: pair.span,
            });
        }
        for member in union.members() {
            let representative = union.find(member);
            if let Some(set) = sets.get_mut(&representative) {
                set.members.push(member);
            }
        }
        let mut ordered: Vec<(InstanceId, Set)> = sets.into_iter().map(|(key, set)| (owners[&key], set)).collect();
        self.connections.open_flows = self.add_unconnected_flows(root, &union, &mut ordered);
        for (_, set) in &mut ordered {
            set.members.sort_unstable();
        }
        ordered.sort_by_key(|(owner, set)| (*owner, set.members[0]));
        for (owner, set) in ordered {
            self.connections.sets.entry(owner).or_default().push(set);
        }
    }

    /// A signal has one source.
    fn check_sources(&mut self, union: &mut Connected) {
        let mut known: FxHashMap<Member, Member> = FxHashMap::default();
        for (source, span) in std::mem::take(&mut self.connections.sources) {
            let first = *known.entry(union.find(source)).or_insert(source);
            if first != source {
                self.two_sources(VariableId(first / 2), VariableId(source / 2), span);
            }
        }
    }

    /// Nothing flows where nothing is connected; what is left to the surroundings of the model comes back.
    fn add_unconnected_flows(
        &self,
        root: InstanceId,
        union: &Connected,
        sets: &mut Vec<(InstanceId, Set)>,
    ) -> Vec<VariableId> {
        let mut open = Vec::new();
        for &(first, id) in &self.instances.numbered {
            let primitive = &self.instances[id];
            if primitive.prefix.connector != Some(ConnectorPrefix::Flow) {
                continue;
            }
            let Some(component) = self.component_of_connector(primitive.instance) else { continue };
            let owner = self.instances[component].parent.unwrap_or(root);
            let is_open = component == root && self.connections.surroundings != Surroundings::Nothing;
            let span = self.instances.member(primitive.instance, primitive.position).span;
            for at in 0..primitive.dims.iter().product::<usize>() {
                let flow = VariableId(first.0 + at as u32);
                let inside = member(flow, false);
                match union.contains(inside) {
                    true => {}
                    false if is_open => open.push(flow),
                    false => sets.push((owner, Set { members: vec![inside], is_flow: true, span })),
                }
            }
        }
        open
    }

    /// The component that a connector belongs to; the instance around that one could have connected it.
    fn component_of_connector(&self, instance: InstanceId) -> Option<InstanceId> {
        // Records inside a connector are part of it.
        let mut at = instance;
        while !self.instances[at].is_connector {
            at = self.instances[at].parent?;
        }
        while let (true, Some(parent)) = (self.instances[at].is_connector, self.instances[at].parent) {
            at = parent;
        }
        Some(at)
    }

    /// Adds the equations of the sets that belong to an instance.
    pub(crate) fn add_connection_equations(&mut self, instance: InstanceId, place: &Place) {
        let Some(sets) = self.connections.sets.remove(&instance) else { return };
        let place = Place { initial: false, scenario: None, ..place.clone() };
        sets.iter().for_each(|set| self.add_set(set, &place));
    }
}

fn member(variable: VariableId, outside: bool) -> Member {
    variable.0 * 2 + u32::from(outside)
}

fn has_connect(equation: &ast::Equation) -> bool {
    match &equation.kind {
        ast::EquationKind::Connect(..) => true,
        ast::EquationKind::For { body, .. } => body.iter().any(has_connect),
        ast::EquationKind::If { branches, otherwise } => {
            branches.iter().flat_map(|(_, body)| body).chain(otherwise).any(has_connect)
        }
        _ => false,
    }
}

/// Disjoint sets of the members that occur.
#[derive(Debug, Default)]
struct Connected {
    position: FxHashMap<Member, u32>,
    members: Vec<Member>,
    sets: UnionFind<u32>,
}

impl Connected {
    fn at(&mut self, member: Member) -> u32 {
        *self.position.entry(member).or_insert_with(|| {
            self.members.push(member);
            self.sets.push()
        })
    }

    fn merge(&mut self, a: Member, b: Member) {
        let (a, b) = (self.at(a), self.at(b));
        self.sets.join(a, b);
    }

    fn find(&mut self, member: Member) -> Member {
        let at = self.at(member);
        self.members[self.sets.root(at) as usize]
    }

    fn contains(&self, member: Member) -> bool {
        self.position.contains_key(&member)
    }

    fn members(&self) -> Vec<Member> {
        self.members.clone()
    }
}

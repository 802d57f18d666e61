//! Connectors as such, and what is connected (Modelica 3.6, 9.1, 9.3 and 15.1).

use modeshift_dae::VariableId;
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{Causality, ClassKind, ConnectorPrefix, Reference, Variability};
use rustc_hash::FxHashSet;

use crate::classes::library::ClassId;
use crate::classes::lookup::{ClassReference, reference_text};
use crate::failure::{Outcome, wrong};
use crate::flattener::Flattener;
use crate::instances::tree::{InstanceId, Primitive, PrimitiveId, Slot};

/// What was found out about connectors.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    balanced: FxHashSet<ClassId>,
    /// What a `when` assigns inside components that are models: the variable, its model, where.
    pub(crate) assigned_inside: Vec<(VariableId, ClassId, Span)>,
    /// How many Booleans tell whether a branch of such a `when` is active.
    pub(crate) flags: usize,
    /// By `when` clause: the algorithm section that it comes from, or the clause itself.
    pub(crate) sections: Vec<Span>,
}

/// The variables of a connector, counted.
#[derive(Debug, Default)]
struct Count {
    potentials: usize,
    flows: usize,
    streams: usize,
    is_open: bool,
}

impl Flattener<'_> {
    /// As many flows as potentials; with streams, one flow. Asked once per class.
    pub(crate) fn check_balance(&mut self, connector: InstanceId) {
        let class = self.instances[connector].class;
        // A prefix that was refused has changed what is counted.
        if self.classes.diagnostics.has_errors() || !self.connections.checked.balanced.insert(class) {
            return;
        }
        let mut count = Count::default();
        self.count_variables(connector, &mut count);
        if count.is_open {
            return;
        }
        let definition = self.classes.library.class(class).definition.clone();
        let name = &definition.name.name;
        let (message, help) = if count.streams > 0 && count.flows != 1 {
            let message = format!("the connector `{name}` has stream variables, but {} flow variables", count.flows);
            (message, "a stream connector has exactly one flow variable")
        } else if count.potentials != count.flows {
            let message = format!(
                "the connector `{name}` has {} potential variables, but {} flow variables",
                count.potentials, count.flows
            );
            (message, "give every potential its `flow`, or write `input` or `output` in front of signals")
        } else {
            return;
        };
        self.say(Diagnostic::error(Code::E0410, message).label(definition.name.span, "").help(help));
    }

    fn count_variables(&mut self, connector: InstanceId, count: &mut Count) {
        let class = self.instances[connector].class;
        let definition = self.classes.library.class(class).definition.clone();
        let layout = self.instances[connector].layout.clone();
        count.is_open |= definition.kind == ClassKind::ExpandableConnector;
        count.is_open |= layout.index.contains_key("equalityConstraint");
        for (position, member) in layout.members.iter().enumerate() {
            count.is_open |= !member.guards.is_empty();
            let slot = self.instances[connector].slots[position].clone();
            match slot {
                Slot::Primitive(id) => {
                    let Primitive { prefix, ref dims, .. } = self.instances[id];
                    let size = dims.iter().product::<usize>();
                    match prefix.connector {
                        Some(ConnectorPrefix::Flow) => count.flows += size,
                        Some(ConnectorPrefix::Stream) => count.streams += size,
                        None if prefix.causality.is_some() || prefix.variability <= Variability::Parameter => {}
                        None => {
                            count.potentials += size;
                            count.is_open |= self.is_overdetermined(member);
                        }
                    }
                }
                Slot::Component(inner) => self.count_variables(inner, count),
                Slot::Components(inner) => inner.instances.iter().for_each(|&inner| self.count_variables(inner, count)),
                _ => {}
            }
        }
    }

    /// Whether the type of a variable says itself how many equations it needs.
    fn is_overdetermined(&mut self, member: &crate::classes::layout::Member) -> bool {
        let Some(component) = member.component() else { return false };
        match self.classes.class_seen_from(&component.type_name, member.origin) {
            Ok(ClassReference::Class { class, .. }) => {
                self.classes.layout(class).is_ok_and(|layout| layout.index.contains_key("equalityConstraint"))
            }
            _ => false,
        }
    }

    /// An argument of `connect` is a connector of this class, or of a component of it.
    pub(crate) fn check_connect_form(&mut self, first: &Slot, reference: &Reference) -> Outcome<()> {
        let [_, second, _, ..] = reference.parts.as_slice() else { return Ok(()) };
        let inside = match first {
            Slot::Component(component) => *component,
            Slot::Components(components) => match components.instances.first() {
                Some(&component) => component,
                None => return Ok(()),
            },
            _ => return Ok(()),
        };
        let Some(&position) = self.instances[inside].layout.index.get(&second.name.name) else { return Ok(()) };
        let slot = self.slot(inside, position)?;
        if matches!(slot, Slot::Absent) || self.is_connector(&slot) {
            return Ok(());
        }
        if matches!(&slot, Slot::Components(components) if components.instances.is_empty()) {
            return Ok(());
        }
        let message = format!(
            "`{}` is a connector inside `{}`: `connect` reaches into components, not into their components",
            reference_text(reference),
            second.name.name
        );
        let help = "declare a connector in the component between, and connect that one on either side";
        Err(Diagnostic::error(Code::E0401, message).label(reference.span, "").help(help).into())
    }

    /// Signals are connected with signals, constants with constants.
    pub(crate) fn check_pair(&self, one: PrimitiveId, other: PrimitiveId, span: Span) -> Outcome<()> {
        let (one, other) = (&self.instances[one], &self.instances[other]);
        let fixed = |primitive: &Primitive| primitive.prefix.variability.min(Variability::Discrete);
        let is_fixed = fixed(one).min(fixed(other)) <= Variability::Parameter;
        if is_fixed && fixed(one) != fixed(other) {
            return wrong(Code::E0401, "a constant or parameter is connected with what is not the same", span);
        }
        let in_expandable = [one, other].iter().any(|primitive| {
            let class = self.instances[primitive.instance].class;
            self.classes.library.class(class).definition.kind == ClassKind::ExpandableConnector
        });
        if one.prefix.causality.is_some() != other.prefix.causality.is_some() && !in_expandable {
            let name = |primitive: &Primitive| self.instances.element_name(primitive.instance, primitive.position);
            let (signal, plain) = if one.prefix.causality.is_some() { (one, other) } else { (other, one) };
            let message = format!(
                "`{}` has a direction, but `{}`, with which it is connected, has none",
                name(signal),
                name(plain)
            );
            let diagnostic = Diagnostic::error(Code::E0409, message).label(span, "");
            return Err(diagnostic.help("write `input` or `output` in front of both, or of neither").into());
        }
        Ok(())
    }

    /// Whether a connected variable is where a signal comes from: an input of the class around, an output of a part.
    pub(crate) fn is_source(&self, primitive: &Primitive, outside: bool) -> bool {
        match primitive.prefix.causality {
            // Protected inputs are variables between the connectors, as the standard library uses them.
            Some(Causality::Input) => outside && !self.is_hidden(primitive),
            Some(Causality::Output) => !outside,
            None => false,
        }
    }

    fn is_hidden(&self, primitive: &Primitive) -> bool {
        self.instances.member(primitive.instance, primitive.position).protected
            || self.instances[primitive.instance].protected
    }

    /// Two sources of one signal.
    pub(crate) fn two_sources(&mut self, first: VariableId, second: VariableId, span: Span) {
        let is_always = |variable: VariableId| {
            self.model.expressions.literal_boolean(self.model.variables[variable].guard) == Some(true)
        };
        // States that exist by turns may each write what is outside.
        if !is_always(first) || !is_always(second) {
            return;
        }
        let names = [first, second].map(|variable| self.model.variables[variable].name.clone());
        let message = format!("`{}` and `{}` are connected, and both are sources of the signal", names[0], names[1]);
        let diagnostic = Diagnostic::error(Code::E0409, message).label(span, "connected here");
        self.say(
            diagnostic.help("connect an output with inputs only, or an input of the model with inputs of its parts"),
        );
    }

    /// Values of connected constants that are known and differ.
    pub(crate) fn check_equal(&mut self, one: VariableId, other: VariableId, span: Span) -> Outcome<()> {
        let value = |variable: VariableId| {
            let binding = self.model.variables[variable].binding?;
            self.model.expressions.literal(binding)
        };
        let (Some(left), Some(right)) = (value(one), value(other)) else { return Ok(()) };
        if left == right {
            return Ok(());
        }
        let names = [one, other].map(|variable| self.model.variables[variable].name.clone());
        let message = format!("`{}` is {left} and `{}` is {right}, but they are connected", names[0], names[1]);
        let diagnostic = Diagnostic::error(Code::E0401, message).label(span, "connected here");
        Err(diagnostic.help("give both the same value").into())
    }
}

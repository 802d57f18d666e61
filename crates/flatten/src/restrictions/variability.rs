//! What may depend on what: constants on constants, parameters on parameters (Modelica 3.6, 3.8 and 4.5), and
//! components with a condition on nothing but `connect` (4.4.5).

use modeshift_dae::{ExpressionId, Node, Type, Variability};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{ClassKind, Expression, ExpressionKind, Reference, ReferencePart, Variability as Written};

use crate::classes::layout::Member;
use crate::classes::library::ClassId;
use crate::expressions::context::Context;
use crate::expressions::term::Term;
use crate::failure::Outcome;
use crate::flattener::Flattener;
use crate::instances::modification::Layer;
use crate::instances::scopes::Found;
use crate::instances::tree::{InstanceId, Primitive, PrimitiveId, Slot};
use crate::restrictions::kind_text;

impl Flattener<'_> {
    /// The value of a constant or parameter depends on what varies as little.
    pub(crate) fn check_binding(&mut self, id: PrimitiveId, layers: &[Layer], term: &Term) {
        let Primitive { instance, position, prefix, .. } = self.instances[id];
        let limit =
            if prefix.variability == Written::Constant { Variability::Constant } else { Variability::Parameter };
        let mut scalars = Vec::new();
        term.scalars(&mut scalars);
        let Some(reason) = scalars.iter().find_map(|&(_, value)| self.varies_more(value, limit)) else { return };
        let member = self.instances.member(instance, position);
        let what = if limit == Variability::Constant { "constant" } else { "a parameter" };
        let message = format!("`{}` is {what}, but its value depends on {reason}", member.name);
        let written = layers.iter().find(|layer| layer.value().is_some());
        let place = written.and_then(|layer| layer.value()).map_or(member.span, |value| value.span);
        let diagnostic = Diagnostic::error(Code::E0237, message).label(place, "");
        let diagnostic = if place == member.span { diagnostic } else { diagnostic.label(member.span, "declared here") };
        let word = if limit == Variability::Constant { "constant" } else { "parameter" };
        let help = format!("remove `{word}` from the declaration, or bind it to what does not vary");
        self.say(diagnostic.help(help));
    }

    /// What in an expression varies more than `limit`, in words.
    pub(crate) fn varies_more(&self, id: ExpressionId, limit: Variability) -> Option<String> {
        if self.literal_node(id) {
            return None;
        }
        let mut found = None;
        self.model.expressions.for_each(id, |_, node| {
            match node {
                Node::Variable(variable, _) if found.is_none() => {
                    let variable = &self.model.variables[variable];
                    if variable.variability > limit {
                        let kind = match variable.variability {
                            Variability::Parameter => "the parameter ",
                            _ => "",
                        };
                        found = Some(format!("{kind}`{}`", variable.name));
                    }
                }
                Node::Time if found.is_none() => found = Some("`time`".to_string()),
                _ => {}
            }
            found.is_none()
        });
        found
    }

    /// Constants have values, and discrete Reals get theirs in `when`.
    pub(crate) fn check_declared_value(&mut self, id: PrimitiveId, layers: &[Layer]) {
        let Primitive { instance, position, prefix, ty, .. } = self.instances[id];
        let written = layers.iter().find(|layer| layer.value().is_some());
        let member = self.instances.member(instance, position);
        let diagnostic = match (prefix.variability, written) {
            (Written::Discrete, Some(layer)) if ty == Type::Real && prefix.causality.is_none() => {
                let message =
                    format!("`{}` is discrete: it gets its values in `when`, not by a declaration", member.name);
                let diagnostic = Diagnostic::error(Code::E0237, message).label(layer.modifier.span, "");
                diagnostic.help("remove `discrete`, or assign to it in a `when`")
            }
            _ => return,
        };
        self.say(diagnostic);
    }

    /// A constant without a value cannot be used.
    pub(crate) fn constant_without_value(&mut self, id: PrimitiveId) -> Diagnostic {
        let Primitive { instance, position, .. } = self.instances[id];
        let member = self.instances.member(instance, position);
        let message = format!("the constant `{}` has no value", self.instances.element_name(instance, position));
        let help = format!("write `{} = …` in its declaration, or give it a value where it is used", member.name);
        Diagnostic::error(Code::E0237, message).label(member.span, "").help(help)
    }
}

impl Flattener<'_> {
    /// A component with a condition is used in `connect` only; one that does not exist is told where it is missed.
    pub(crate) fn check_unconditional(
        &mut self,
        instance: InstanceId,
        position: u32,
        part: &ReferencePart,
        context: &Context,
    ) -> Outcome<()> {
        if context.connecting {
            return Ok(());
        }
        match is_conditional(self.instances.member(instance, position), part.name.span) {
            Some(diagnostic) if !matches!(self.slot(instance, position)?, Slot::Absent) => Err(diagnostic.into()),
            _ => Ok(()),
        }
    }

    /// `time` is known in models and blocks (3.6.7).
    pub(crate) fn check_time(&self, span: Span, context: &Context) -> Outcome<()> {
        use ClassKind::{Connector, ExpandableConnector, Function, OperatorFunction, OperatorRecord, Record};
        let definition = &self.classes.library.class(context.scope.class).definition;
        let kind = definition.kind;
        let is_refused =
            matches!(kind, Connector | ExpandableConnector | Function | OperatorFunction | OperatorRecord | Record);
        if !is_refused {
            return Ok(());
        }
        let message = format!("`{}` is {}: it does not know `time`", definition.name.name, kind_text(kind));
        let help = "hand it over: as an argument, or by a modification in the model";
        Err(Diagnostic::error(Code::E0230, message).label(span, "").help(help).into())
    }

    /// Of the classes around it a class sees constants only (5.3.1).
    pub(crate) fn check_not_around(
        &self,
        instance: InstanceId,
        position: u32,
        reference: &Reference,
        context: &Context,
    ) -> Outcome<()> {
        let is_own = context.scope.instance.is_none_or(|own| own == instance) || self.instances[instance].is_static;
        let member = self.instances.member(instance, position);
        if is_own || member.inner || member.prefix.variability == Written::Constant {
            return Ok(());
        }
        let message = format!("`{}` belongs to a class around this one and is not constant", member.name);
        let help = "declare a parameter or an input in this class, and give it the value where a component is made";
        let diagnostic = Diagnostic::error(Code::E0204, message).label(reference.parts[0].name.span, "used here");
        Err(diagnostic.label(member.span, "declared here").help(help).into())
    }
}

impl Flattener<'_> {
    /// The model or block to which the target of an equation in a `when` belongs, where that is a component of this one.
    pub(crate) fn part_assigned(&mut self, target: &Expression, context: &Context) -> Outcome<Option<ClassId>> {
        let ExpressionKind::Reference(reference) = &target.kind else { return Ok(None) };
        let [first, _, ..] = reference.parts.as_slice() else { return Ok(None) };
        let Some(Found::Component(instance, position)) =
            self.find_first(reference.global, &first.name.name, context.scope)?
        else {
            return Ok(None);
        };
        let class = match self.slot(instance, position)? {
            Slot::Component(component) => self.instances[component].class,
            _ => return Ok(None),
        };
        let kind = self.classes.library.class(class).definition.kind;
        Ok(matches!(kind, ClassKind::Model | ClassKind::Block).then_some(class))
    }

    /// Discrete variables of a component are assigned in the component (4.5); restart laws of its states are not meant.
    pub(crate) fn check_assigned_inside(&mut self, differentiated: &[bool]) {
        for (variable, class, span) in std::mem::take(&mut self.connections.checked.assigned_inside) {
            if differentiated[variable.0 as usize] {
                continue;
            }
            let (name, of) = (&self.model.variables[variable].name, &self.classes.library.class(class).name);
            let message = format!("`{name}` is assigned in a `when` outside `{of}`, to which it belongs");
            let diagnostic = Diagnostic::error(Code::E0237, message).label(span, "assigned here");
            let help = "assign to a variable of this class, and connect or bind the other one to it as an input";
            self.say(diagnostic.help(help));
        }
    }

    /// Arguments that have to be known before the run: of `sample`, and the longest delay (3.7.4.1 and 3.7.5).
    pub(crate) fn check_fixed_arguments(&self, call: &Term, fixed: &[usize], arguments: &[Expression]) -> Outcome<()> {
        let Term::Scalar(_, id) = call else { return Ok(()) };
        let Node::Call(_, list) = self.model.expressions.node(*id) else { return Ok(()) };
        let ids = self.model.expressions.argument_list(list);
        for &at in fixed {
            let (Some(&id), Some(argument)) = (ids.get(at), arguments.get(at)) else { continue };
            if let Some(reason) = self.varies_more(id, Variability::Parameter) {
                let message = format!("this argument has to be known before the run, but depends on {reason}");
                let diagnostic = Diagnostic::error(Code::E0317, message).label(argument.span, "");
                return Err(diagnostic
                    .help("use parameters; `delay` takes its longest delay as a third argument")
                    .into());
            }
        }
        Ok(())
    }

    /// A delay is at most the longest one.
    pub(crate) fn check_delay(&self, call: &Term, span: Span) -> Outcome<()> {
        let Term::Scalar(_, id) = call else { return Ok(()) };
        let Node::Call(_, list) = self.model.expressions.node(*id) else { return Ok(()) };
        let ids = self.model.expressions.argument_list(list);
        let value = |at: usize| ids.get(at).and_then(|&id| self.model.expressions.literal(id));
        let (delay, longest) = (value(1), value(2));
        if delay.is_some_and(|delay| delay < 0.0) || delay.zip(longest).is_some_and(|(delay, longest)| delay > longest)
        {
            let message = "a delay is not negative and at most the longest delay, the third argument";
            return Err(Diagnostic::error(Code::E0317, message)
                .label(span, "")
                .help("give a longer third argument")
                .into());
        }
        Ok(())
    }
}

/// A component with a condition that is used as a value.
pub(crate) fn is_conditional(member: &Member, place: Span) -> Option<Diagnostic> {
    member.condition.as_ref()?;
    let message = format!("`{}` exists under a condition: it can be connected and modified, not used", member.name);
    let diagnostic = Diagnostic::error(Code::E0238, message).label(place, "used here");
    let help = "connect it to a connector that always exists, and use that one";
    Some(diagnostic.label(member.span, "declared here").help(help))
}

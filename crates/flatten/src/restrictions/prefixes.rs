//! Type prefixes of components and what they exclude (Modelica 3.6, 4.4.2.2, 4.7 and 9.3).

use modeshift_dae::Type;
use modeshift_diagnostics::{Code, Diagnostic};
use modeshift_syntax::ast::{Causality, ClassKind, ConnectorPrefix, TypePrefix, Variability};

use crate::classes::Classes;
use crate::classes::layout::{Member, TypeInfo, combined};
use crate::classes::library::ClassId;
use crate::classes::lookup::ClassReference;
use crate::flattener::Flattener;
use crate::instances::tree::InstanceId;
use crate::restrictions::kind_text;

/// What is known of a component when it is made.
pub(crate) struct Made<'a> {
    /// The prefixes of its declaration.
    pub(crate) prefix: TypePrefix,
    /// Its class, unless a predefined type.
    pub(crate) info: Option<&'a TypeInfo>,
    /// Its type, where it is a variable.
    pub(crate) ty: Option<Type>,
}

impl Flattener<'_> {
    /// Checks the prefixes of a component when it is made in an instance.
    pub(crate) fn check_prefixes(&mut self, instance: InstanceId, member: &Member, made: &Made) {
        let of_type = made.info.map_or(TypePrefix::default(), |info| info.prefix);
        let own = combined(made.prefix, of_type);
        let around = self.instances[instance].prefix;
        let kind = made.info.map(|info| self.classes.library.class(info.class).definition.kind);
        if own != TypePrefix::default() {
            self.check_prefixed_class(member, own, kind, made);
            self.check_prefix_conflict(instance, member, own, around);
        }
        let connector = own.connector.or(around.connector);
        if let (Some(prefix), Some(ty)) = (connector, made.ty.filter(|ty| *ty != Type::Real)) {
            let message = format!(
                "`{}` is `{}`, but {} and not Real",
                member.name,
                connector_word(prefix),
                crate::expressions::term::type_text(ty)
            );
            let diagnostic = Diagnostic::error(Code::E0232, message).label(member.span, "");
            self.say(diagnostic.help("declare it as Real, or remove the prefix"));
        }
        if made.info.is_some_and(|info| info.connector) && !member.protected {
            self.check_direction(instance, member, own, made);
        }
    }

    /// Models and blocks have no prefixes, connectors are not parameters.
    fn check_prefixed_class(&mut self, member: &Member, own: TypePrefix, kind: Option<ClassKind>, made: &Made) {
        let word = prefix_words(own);
        if let Some(kind @ (ClassKind::Model | ClassKind::Block)) = kind.filter(|_| made.ty.is_none()) {
            let message = format!("`{}` cannot be `{word}`: its class is {}", member.name, kind_text(kind));
            let diagnostic = Diagnostic::error(Code::E0232, message).label(member.span, "");
            self.say(diagnostic.help("prefixes belong to variables, records and connectors: prefix what is inside"));
        }
        if let (Some(info), Some(ClassKind::OperatorRecord), Some(ConnectorPrefix::Flow)) =
            (made.info, kind, own.connector)
        {
            self.check_flow_operators(member, info.class);
        }
        let is_fixed = own.variability <= Variability::Parameter;
        if is_fixed && made.info.is_some_and(|info| info.connector) {
            let message = format!("`{}` is a connector and cannot be `{word}`", member.name);
            let diagnostic = Diagnostic::error(Code::E0232, message).label(member.span, "");
            self.say(diagnostic.help("declare a parameter inside the connector, or one beside it"));
        }
    }

    /// Flows are added up: an operator record that is one needs a sum, a negation and a zero (9.2).
    fn check_flow_operators(&mut self, member: &Member, class: ClassId) {
        let Ok(layout) = self.classes.layout(class) else { return };
        let missing = ["'+'", "'-'", "'0'"].into_iter().find(|operator| layout.member(operator).is_none());
        if let Some(operator) = missing {
            let name = self.classes.library.class(class).name.clone();
            let message = format!("`{}` is `flow`, but `{name}` has no operator {operator}", member.name);
            let diagnostic = Diagnostic::error(Code::E0232, message).label(member.span, "");
            self.say(diagnostic.help(format!("declare {operator} in `{name}`, or use a flow of type Real")));
        }
    }

    /// A prefix of a component and the same kind of prefix inside it exclude each other.
    fn check_prefix_conflict(&mut self, instance: InstanceId, member: &Member, own: TypePrefix, around: TypePrefix) {
        let is_flow_twice = own.connector.is_some() && around.connector.is_some();
        let is_directed_twice = own.causality.is_some() && around.causality.is_some();
        if is_flow_twice || is_directed_twice {
            let of = |prefix: TypePrefix| match is_flow_twice {
                true => prefix.connector.map_or("flow", connector_word),
                false => prefix.causality.map_or("input", causality_word),
            };
            let message = format!("`{}` is `{}` inside a component that is `{}`", member.name, of(own), of(around));
            let outer = self.instances[instance]
                .parent
                .map(|parent| self.instances.member(parent, self.instances[instance].position).span);
            let diagnostic = Diagnostic::error(Code::E0232, message).label(member.span, "");
            let diagnostic = match outer {
                Some(span) => diagnostic.label(span, format!("`{}` here", of(around))),
                None => diagnostic,
            };
            self.say(diagnostic.help("remove one of the two prefixes"));
        }
    }

    /// The public connectors of a block have a direction, all of them (4.7).
    fn check_direction(&mut self, instance: InstanceId, member: &Member, own: TypePrefix, made: &Made) {
        let class = self.instances[instance].class;
        let definition = self.classes.library.class(class).definition.clone();
        let Some(info) = made.info.filter(|_| definition.kind == ClassKind::Block && own.causality.is_none()) else {
            return;
        };
        if made.ty.is_none() && self.classes.is_directed(info.class, 0) {
            return;
        }
        let message = format!(
            "`{}` is a block, but its connector `{}` has variables that are neither input nor output",
            definition.name.name, member.name
        );
        let diagnostic = Diagnostic::error(Code::E0230, message).label(member.span, "");
        self.say(diagnostic.help("make it a model, or prefix the variables of the connector"));
    }
}

/// Connectors inside connectors are looked into this deep; deeper ones are taken to be right.
const MAX_DEPTH: u32 = 8;

impl Classes<'_> {
    /// Whether all variables of a connector have a direction.
    fn is_directed(&mut self, class: ClassId, depth: u32) -> bool {
        let kind = self.library.class(class).definition.kind;
        let Ok(layout) = self.layout(class) else { return true };
        if kind == ClassKind::ExpandableConnector || depth > MAX_DEPTH {
            return true;
        }
        layout.members.iter().all(|member| {
            let Some(component) = member.component() else { return true };
            if member.prefix.causality.is_some() || member.prefix.variability <= Variability::Parameter {
                return true;
            }
            match self.class_seen_from(&component.type_name, member.origin) {
                Ok(ClassReference::Class { class, .. }) => match self.type_info(class) {
                    Ok(info) => {
                        info.prefix.causality.is_some()
                            || info.scalar.is_none() && self.is_directed(info.class, depth + 1)
                    }
                    Err(_) => true,
                },
                Ok(ClassReference::Predefined(_)) => false,
                Err(_) => true,
            }
        })
    }
}

fn connector_word(prefix: ConnectorPrefix) -> &'static str {
    match prefix {
        ConnectorPrefix::Flow => "flow",
        ConnectorPrefix::Stream => "stream",
    }
}

fn causality_word(causality: Causality) -> &'static str {
    match causality {
        Causality::Input => "input",
        Causality::Output => "output",
    }
}

fn prefix_words(prefix: TypePrefix) -> String {
    let variability = match prefix.variability {
        Variability::Constant => Some("constant"),
        Variability::Parameter => Some("parameter"),
        Variability::Discrete => Some("discrete"),
        Variability::Continuous => None,
    };
    let words = [prefix.connector.map(connector_word), variability, prefix.causality.map(causality_word)];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

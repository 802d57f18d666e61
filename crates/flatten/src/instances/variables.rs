//! Variables: numbered in declaration order, then described by the attributes that modifiers and types give them.

use std::fmt::Write as _;
use std::sync::Arc;

use modeshift_dae::{ExpressionId, Id, StateSelect, Type, Variability, Variable, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Kind, Span};
use modeshift_syntax::ast::{Causality, Variability as Written};

use crate::expressions::context::{Context, Purpose};
use crate::expressions::term::{Term, indices};
use crate::failure::{Failure, Outcome};
use crate::flattener::Flattener;
use crate::instances::modification::{Layer, Scope, attribute_layers};
use crate::instances::tree::{InstanceId, Primitive, PrimitiveId, Slot, index_text, outside_layers};
use crate::suggestion::{with_names, with_suggestion};

/// The attributes of the predefined types (Modelica 3.6, 4.9).
const ATTRIBUTES: &[&str] =
    &["start", "fixed", "nominal", "min", "max", "unit", "displayUnit", "quantity", "stateSelect", "unbounded"];

impl Flattener<'_> {
    /// Makes every component and numbers every variable, in declaration order.
    pub(crate) fn expand(&mut self, root: InstanceId) {
        let (mut name, mut from) = (String::new(), 0);
        // What is `outer` without an `inner` adds elements to the model as a whole.
        while from < self.instances[root].layout.members.len() {
            let known = self.instances[root].layout.members.len();
            self.expand_instance(root, from, &mut name);
            from = known;
        }
    }

    fn expand_instance(&mut self, instance: InstanceId, from: usize, name: &mut String) {
        let layout = self.instances[instance].layout.clone();
        for (position, member) in layout.members.iter().enumerate().skip(from) {
            if self.is_exhausted {
                return;
            }
            let Ok(slot) = self.slot(instance, position as u32) else { continue };
            let length = name.len();
            if length > 0 {
                name.push('.');
            }
            name.push_str(&member.name);
            match slot {
                Slot::Primitive(id) => self.number_variables(id, name),
                Slot::Component(component) => self.expand_instance(component, 0, name),
                Slot::Components(components) => {
                    let base = name.len();
                    for &component in &components.instances {
                        let index = self.instances[component].element.clone();
                        let _ = write!(name, "{}", index_text(index.as_deref().unwrap_or(&[])));
                        self.expand_instance(component, 0, name);
                        name.truncate(base);
                    }
                }
                _ => {}
            }
            name.truncate(length);
        }
    }

    fn number_variables(&mut self, id: PrimitiveId, name: &str) {
        let first = VariableId::from_index(self.model.variables.len());
        let Primitive { instance, position, ty, prefix, .. } = self.instances[id];
        let dims = self.instances[id].dims.clone();
        let member = self.instances.member(instance, position);
        let is_top = self.instances.is_of_model(instance) && !member.protected;
        let span = member.span;
        let protected = member.protected || self.instances[instance].protected;
        let description = member.component().and_then(|component| component.description.as_deref()).map(Arc::from);
        let truth = self.model.expressions.boolean(true);
        let is_input = prefix.causality == Some(Causality::Input) && prefix.variability > Written::Parameter;
        // What a declaration says is not given from outside.
        let is_bound = is_top && is_input && self.is_bound(id);
        let template = Variable {
            input: is_top && is_input && !is_bound,
            component_input: is_input && !self.instances.is_of_model(instance),
            output: is_top && prefix.causality == Some(Causality::Output),
            protected,
            start_span: span,
            description,
            span,
            ..Variable::new(name, ty, variability(ty, prefix.variability), truth)
        };
        if dims.is_empty() {
            self.model.variables.push(template);
        } else {
            for index in indices(&dims) {
                let name = format!("{name}{}", index_text(&index)).into();
                self.model.variables.push(Variable { name, ..template.clone() });
            }
        }
        self.instances[id].first = Some(first);
        self.instances.numbered.push((first, id));
    }

    fn is_bound(&mut self, id: PrimitiveId) -> bool {
        self.primitive_layers(id).is_ok_and(|layers| layers.iter().any(|layer| layer.value().is_some()))
    }

    /// All modifiers of a variable, its type's included, strongest first.
    pub(crate) fn primitive_layers(&mut self, id: PrimitiveId) -> Outcome<Vec<Layer>> {
        let Primitive { instance, position, .. } = self.instances[id];
        let layout = self.instances[instance].layout.clone();
        let mut layers = self.declaration(instance, &layout.members[position as usize])?.layers;
        if let Some(info) = self.instances[id].info.clone() {
            layers.extend(outside_layers(&info.modifiers));
        }
        Ok(layers)
    }

    /// Gives every variable of an instance its attributes and the modes in which it exists.
    pub(crate) fn describe_variables(&mut self, instance: InstanceId, guard: ExpressionId) {
        let layout = self.instances[instance].layout.clone();
        for position in 0..layout.members.len() as u32 {
            let slot = self.instances[instance].slots[position as usize].clone();
            let around = guard;
            let guard = match self.member_guard(instance, position, guard) {
                Ok(guard) => guard,
                Err(failure) => {
                    self.report(failure);
                    continue;
                }
            };
            match slot {
                Slot::Primitive(id) => {
                    if let Err(failure) = self.describe_variable(id, guard) {
                        self.report(failure);
                    }
                }
                Slot::Outer(inner, at) => {
                    if let Err(failure) = self.check_outer(instance, position, (inner, at)) {
                        self.report(failure);
                    }
                }
                Slot::Component(component) => {
                    self.check_instance_modifiers(component);
                    self.check_connector(instance, component);
                    let guard = self.component_guard(component, around, guard);
                    self.describe_variables(component, guard);
                }
                Slot::Components(components) => {
                    if let Some(&first) = components.instances.first() {
                        self.check_instance_modifiers(first);
                        self.check_connector(instance, first);
                    }
                    for &component in &components.instances {
                        let guard = self.component_guard(component, around, guard);
                        self.describe_variables(component, guard);
                    }
                }
                _ => {}
            }
        }
    }

    /// A connector has as many flows as potentials, counted where it is not part of another.
    fn check_connector(&mut self, around: InstanceId, component: InstanceId) {
        if self.instances[component].is_connector && !self.instances[around].is_connector {
            self.check_balance(component);
        }
    }

    /// Every name that modifiers of a component mention must be one of its elements.
    fn check_instance_modifiers(&mut self, instance: InstanceId) {
        let environment = self.instances[instance].environment.clone();
        let (layout, class) = (self.instances[instance].layout.clone(), self.instances[instance].class);
        for layer in environment.iter().filter(|layer| !layer.projected) {
            self.classes.check_modified_names(&layer.modifier, &layout, class, layer.modifier.span);
        }
    }

    /// The modes in which a member exists, within those of its instance.
    pub(crate) fn member_guard(
        &mut self,
        instance: InstanceId,
        position: u32,
        guard: ExpressionId,
    ) -> Outcome<ExpressionId> {
        let layout = self.instances[instance].layout.clone();
        let member = &layout.members[position as usize];
        let scope = Scope { instance: Some(instance), class: member.origin };
        let mut guard = guard;
        for condition in &member.guards {
            let term = self.term(&condition.expression, &mut Context::new(scope, Purpose::Symbolic))?;
            let Term::Scalar(Type::Boolean, id) = term else {
                return crate::failure::wrong(Code::E0303, "a condition must be Boolean", condition.expression.span);
            };
            let id = match self.evaluate_boolean(&condition.expression, &mut Context::new(scope, Purpose::Evaluate)) {
                Ok(value) => self.model.expressions.boolean(value),
                Err(_) => id,
            };
            let holds = if condition.holds { id } else { self.model.expressions.not(id) };
            guard = self.model.expressions.and(guard, holds);
        }
        Ok(guard)
    }

    fn describe_variable(&mut self, id: PrimitiveId, guard: ExpressionId) -> Outcome<()> {
        let layers = self.primitive_layers(id)?;
        let Primitive { instance, position, prefix, .. } = self.instances[id];
        let is_parameter = prefix.variability <= Written::Parameter;
        if !is_parameter && self.model.expressions.literal_boolean(guard) != Some(true) {
            self.each_variable(id, |variable, _| variable.guard = guard);
        }
        if layers.len() > 1 {
            self.check_final(&layers);
        }
        if layers.iter().any(|layer| !layer.projected && !layer.modifier.children.is_empty()) {
            self.check_attributes(id, &layers);
            self.describe_by(id, &layers)?;
        }
        if !is_parameter {
            if prefix.variability == Written::Discrete {
                self.check_declared_value(id, &layers);
            }
            return Ok(());
        }
        let binding = self.binding_term(id, &layers, Purpose::Symbolic)?;
        if let Some(term) = &binding {
            self.check_binding(id, &layers, term);
        }
        let is_empty = self.instances[id].dims.contains(&0);
        let fixed = is_empty || self.model.variables[self.instances.first_variable(id)].fixed != Some(false);
        let binding = match binding {
            None if prefix.variability == Written::Constant && !is_empty => {
                return Err(self.constant_without_value(id).into());
            }
            None if fixed => self.start_as_value(id, &layers, instance, position)?,
            other => other,
        };
        if let Some(term) = binding {
            self.set_each(id, &term, |variable, id| variable.binding = Some(id));
        }
        Ok(())
    }

    /// A parameter without a binding takes its start value (Modelica 3.6, 4.4.2.1).
    fn start_as_value(
        &mut self,
        id: PrimitiveId,
        layers: &[Layer],
        instance: InstanceId,
        position: u32,
    ) -> Outcome<Option<Term>> {
        let start = self.start_term(id, layers, Purpose::Symbolic)?;
        let name = self.instances.element_name(instance, position);
        let span = self.instances.member(instance, position).span;
        if self.instances[id].dims.iter().product::<usize>() == 0 {
            return Ok(start);
        }
        if let Some(start) = start {
            let message = format!("parameter `{name}` has no value; its start value is used");
            self.say(Diagnostic::warning(Code::W0312, message).label(span, ""));
            return Ok(Some(start));
        }
        let default = self.default_value(self.instances[id].ty);
        let default = self.fitting(default, id, span)?;
        let message = format!("parameter `{name}` has no value and no start value; its default is used");
        let warning = Diagnostic::warning(Code::W0312, message).label(span, "");
        self.say(warning.of_kind(Kind::WithoutValue(name.to_string())));
        Ok(Some(default))
    }

    fn default_value(&mut self, ty: Type) -> Term {
        let expressions = &mut self.model.expressions;
        let id = match ty {
            Type::Real => expressions.real(0.0),
            Type::Integer => expressions.integer(0),
            Type::Boolean => expressions.boolean(false),
            Type::String => expressions.string(""),
            Type::Enumeration(_) => expressions.integer(1),
        };
        Term::Scalar(ty, id)
    }

    fn describe_by(&mut self, id: PrimitiveId, layers: &[Layer]) -> Outcome<()> {
        let start = match self.start_override(id)? {
            Some(start) => Some(start),
            None => self.start_term(id, layers, Purpose::Symbolic)?,
        };
        if let Some(start) = start {
            let span = self.attribute_span(layers, "start");
            self.set_each(id, &start, |variable, id| {
                variable.start = Some(id);
                variable.start_span = span;
            });
        }
        self.describe_fixed(id, layers)?;
        if self.instances[id].ty == Type::Boolean || self.instances[id].ty == Type::String {
            return Ok(());
        }
        if let Some(nominal) = self.attribute_term(id, layers, "nominal", Purpose::Symbolic)? {
            self.set_each(id, &nominal, |variable, id| variable.nominal = Some(id));
        }
        if let Some(min) = self.attribute_term(id, layers, "min", Purpose::Symbolic)? {
            self.set_each(id, &min, |variable, id| variable.min = Some(id));
        }
        if let Some(max) = self.attribute_term(id, layers, "max", Purpose::Symbolic)? {
            self.set_each(id, &max, |variable, id| variable.max = Some(id));
        }
        self.describe_unit(id, layers)?;
        self.describe_state_select(id, layers)
    }

    fn describe_fixed(&mut self, id: PrimitiveId, layers: &[Layer]) -> Outcome<()> {
        let Some(term) = self.any_attribute(layers, "fixed")? else { return Ok(()) };
        let values: Vec<Option<bool>> = term
            .items()
            .iter()
            .map(|item| match item {
                Term::Scalar(Type::Boolean, id) => self.model.expressions.literal_boolean(*id),
                _ => None,
            })
            .collect();
        self.each_variable(id, |variable, at| {
            variable.fixed = values.get(at).or(values.first()).copied().flatten();
        });
        Ok(())
    }

    fn describe_unit(&mut self, id: PrimitiveId, layers: &[Layer]) -> Outcome<()> {
        if let Some(text) = self.text_attribute(layers, "unit")? {
            self.each_variable(id, |variable, _| variable.unit = Some(text.clone()));
        }
        if let Some(text) = self.text_attribute(layers, "displayUnit")? {
            self.each_variable(id, |variable, _| variable.display_unit = Some(text.clone()));
        }
        Ok(())
    }

    fn text_attribute(&mut self, layers: &[Layer], name: &'static str) -> Outcome<Option<Arc<str>>> {
        let Some(term) = self.any_attribute(layers, name)? else { return Ok(None) };
        let Some(&Term::Scalar(Type::String, text)) = term.items().first() else { return Ok(None) };
        let modeshift_dae::Node::String(text) = self.model.expressions.node(text) else { return Ok(None) };
        Ok(Some(self.model.expressions.text(text).into()))
    }

    fn describe_state_select(&mut self, id: PrimitiveId, layers: &[Layer]) -> Outcome<()> {
        let Some(term) = self.any_attribute(layers, "stateSelect")? else { return Ok(()) };
        let select = term.items().first().and_then(|item| self.integer_value(item)).map(|ordinal| match ordinal {
            1 => StateSelect::Never,
            2 => StateSelect::Avoid,
            4 => StateSelect::Prefer,
            5 => StateSelect::Always,
            _ => StateSelect::Default,
        });
        self.each_variable(id, |variable, _| variable.state_select = select.unwrap_or_default());
        Ok(())
    }

    /// The value at translation of an attribute whose type is its own.
    fn any_attribute(&mut self, layers: &[Layer], name: &'static str) -> Outcome<Option<Term>> {
        let name = self.values.attribute_name(name);
        let layers = attribute_layers(layers, &name);
        match layers.iter().find(|layer| layer.value().is_some()) {
            None => Ok(None),
            Some(layer) => match self.layer_term(layer, Purpose::Evaluate) {
                Err(Failure::Dynamic(diagnostic)) => Err(Failure::Wrong(diagnostic)),
                other => other.map(Some),
            },
        }
    }

    fn attribute_span(&mut self, layers: &[Layer], name: &'static str) -> Span {
        let name = self.values.attribute_name(name);
        attribute_layers(layers, &name).first().map_or(Span::default(), |layer| layer.modifier.span)
    }

    /// Known attributes only, and `final` ones left alone.
    fn check_attributes(&mut self, id: PrimitiveId, layers: &[Layer]) {
        let Primitive { instance, position, .. } = self.instances[id];
        for layer in layers {
            for (name, modifier) in &layer.modifier.children {
                if !layer.projected && !ATTRIBUTES.contains(&&**name) {
                    let variable = self.instances.member(instance, position).name.clone();
                    let message = format!("`{variable}` has no attribute or element `{name}`");
                    let diagnostic = Diagnostic::error(Code::E0222, message).label(modifier.span, "");
                    let diagnostic = with_suggestion(diagnostic, name, ATTRIBUTES.iter().copied());
                    self.say(with_names(diagnostic, ATTRIBUTES.iter().copied()));
                }
            }
        }
        if layers.len() == 1 {
            return;
        }
        for attribute in ATTRIBUTES {
            let name = self.values.attribute_name(attribute);
            let layers = attribute_layers(layers, &name);
            self.check_final(&layers);
        }
    }

    /// What is final and has a value takes no other; the binding of a record as a whole is no modification of the
    /// fields, whose final ones are equal in every record of that class (Modelica 3.6, 7.2.6).
    fn check_final(&mut self, layers: &[Layer]) {
        let own = |layer: &Layer| layer.value().is_some() && !layer.projected;
        let Some(strongest) = layers.iter().position(own) else { return };
        let weaker = layers[strongest + 1..].iter().find(|layer| layer.modifier.is_final && layer.value().is_some());
        if let Some(weaker) = weaker {
            let stronger = &layers[strongest].modifier;
            self.say(
                Diagnostic::error(Code::E0220, "this is final and cannot be modified")
                    .label(stronger.span, "modified here")
                    .label(weaker.modifier.span, "final here")
                    .help("leave the modification out, or declare what it modifies without `final`"),
            );
        }
    }

    fn each_variable(&mut self, id: PrimitiveId, mut change: impl FnMut(&mut Variable, usize)) {
        let first = self.instances.first_variable(id).index();
        let count: usize = self.instances[id].dims.iter().product();
        for at in 0..count {
            change(&mut self.model.variables[VariableId::from_index(first + at)], at);
        }
    }

    fn set_each(&mut self, id: PrimitiveId, term: &Term, mut change: impl FnMut(&mut Variable, ExpressionId)) {
        let mut scalars = Vec::new();
        term.scalars(&mut scalars);
        self.each_variable(id, |variable, at| {
            if let Some((_, id)) = scalars.get(at) {
                change(variable, *id);
            }
        });
    }

    /// Marks the parameters whose values are built into the flat model.
    pub(crate) fn mark_evaluated(&mut self) {
        for at in 0..self.instances.numbered.len() {
            let id = self.instances.numbered[at].1;
            if self.instances[id].evaluated {
                self.each_variable(id, |variable, _| variable.evaluated = true);
            }
        }
    }
}

fn variability(ty: Type, written: Written) -> Variability {
    match (written, ty) {
        (Written::Constant, _) => Variability::Constant,
        (Written::Parameter, _) => Variability::Parameter,
        (Written::Discrete, _) => Variability::Discrete,
        (Written::Continuous, Type::Real) => Variability::Continuous,
        (Written::Continuous, _) => Variability::Discrete,
    }
}

//! Instances: the tree of components, made from classes and modifiers, each element when it is first needed.
//!
//! Whether a component exists and how large an array is may depend on any parameter, wherever it is declared, so
//! slots are filled on demand and then, in declaration order, all of them. Variables are
//! numbered in that second walk only.

use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::Type;
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{
    Causality, ClassKind, Component, ElementKind, ExpressionKind, Subscript, TypePrefix, Variability,
};

use crate::classes::layout::{Member, MemberKind, TypeInfo, combined};
use crate::classes::library::ClassId;
use crate::classes::lookup::ClassReference;
use crate::expressions::context::{Context, Purpose};
use crate::expressions::term::{indices, shape_text};
use crate::failure::{Failure, Outcome, unsupported, wrong};
use crate::flattener::Flattener;
use crate::instances::modification::{Layer, Modifier, Scope, child_layers};
use crate::instances::tree::{Components, Instance, InstanceId, NewInstance, Primitive, Slot};
use crate::restrictions::prefixes::Made;

/// How deep components may be nested in each other.
const MAX_DEPTH: u32 = 120;

/// How many scalars a model may have.
pub(crate) const MAX_SCALARS: usize = 5_000_000;

/// More components than this are refused: with their variables they would fill some 2 GB.
const MAX_COMPONENTS: usize = 2_000_000;

/// A member as it is declared in one instance: after redeclarations, with all modifiers.
pub(crate) struct Declaration {
    pub(crate) layers: Vec<Layer>,
    component: Arc<Component>,
    type_scope: Scope,
    is_redeclared: bool,
    condition: Option<(Rc<modeshift_syntax::ast::Expression>, Scope)>,
    dimensions: (Rc<[Subscript]>, Scope),
    prefix: TypePrefix,
}

impl Flattener<'_> {
    /// The instance of a class that is only looked into.
    pub(crate) fn static_instance(&mut self, class: ClassId) -> Outcome<InstanceId> {
        if let Some(&known) = self.instances.statics.get(&class) {
            return Ok(known);
        }
        let info = self.classes.type_info(class)?;
        let environment = self.instances.class_layers(&info.modifiers, None);
        let new = NewInstance {
            class: info.class,
            environment: environment.into(),
            is_static: true,
            ..NewInstance::of(info.class)
        };
        let id = self.new_instance(new)?;
        self.instances.statics.insert(class, id);
        Ok(id)
    }

    pub(crate) fn new_instance(&mut self, new: NewInstance) -> Outcome<InstanceId> {
        let layout = self.classes.layout(new.class)?;
        let depth = new.parent.map_or(0, |parent| self.instances[parent].depth + 1);
        if depth > MAX_DEPTH {
            self.is_exhausted = true;
            return self.too_deep(&new);
        }
        if self.instances.all.len() >= MAX_COMPONENTS {
            self.is_exhausted = true;
            return self.too_many(&new);
        }
        let slots = vec![Slot::Pending; layout.members.len()];
        Ok(self.instances.all.push(Instance {
            class: new.class,
            context: new.context,
            parent: new.parent,
            position: new.position,
            element: new.element,
            layout,
            environment: new.environment,
            slots,
            prefix: new.prefix,
            is_static: new.is_static,
            is_connector: new.is_connector,
            protected: new.protected,
            depth,
        }))
    }

    fn too_deep<T>(&self, new: &NewInstance) -> Outcome<T> {
        let class = &self.classes.library.class(new.class).name;
        let mut chain = vec![class.clone()];
        let mut at = new.parent;
        while let (Some(id), true) = (at, chain.len() < 6) {
            chain.push(self.classes.library.class(self.instances[id].class).name.clone());
            at = self.instances[id].parent;
        }
        let span = new.parent.map_or(Span::default(), |parent| self.instances.member(parent, new.position).span);
        let message = format!("components are nested more than {MAX_DEPTH} deep; does `{class}` contain itself?");
        Err(Diagnostic::error(Code::E0212, message)
            .label(span, "")
            .with_note(format!("chain: {}", chain.join(" in ")))
            .into())
    }

    fn too_many<T>(&self, new: &NewInstance) -> Outcome<T> {
        let span = new.parent.map_or(Span::default(), |parent| self.instances.member(parent, new.position).span);
        let name =
            new.parent.map_or(String::new(), |parent| self.instances.element_name(parent, new.position).to_string());
        let message = format!("the model has more than {MAX_COMPONENTS} components, `{name}` among them");
        let class =
            &self.classes.library.class(self.instances.all.iter().next().map_or(new.class, |root| root.class)).name;
        let diagnostic = Diagnostic::error(Code::E0603, message).label(span, "");
        Err(diagnostic.help(format!("make `{class}` of fewer components, or smaller arrays of them")).into())
    }

    /// What an element of an instance is; made when first asked for.
    pub(crate) fn slot(&mut self, instance: InstanceId, position: u32) -> Outcome<Slot> {
        match &self.instances[instance].slots[position as usize] {
            Slot::Pending => {}
            Slot::Failed => return Err(Failure::Reported),
            Slot::Busy => {
                let member = self.instances.member(instance, position);
                let message = format!("the declaration of `{}` depends on itself", member.name);
                return wrong(Code::E0302, message, member.span);
            }
            known => return Ok(known.clone()),
        }
        self.instances[instance].slots[position as usize] = Slot::Busy;
        let layout = self.instances[instance].layout.clone();
        let made = self.make_slot(instance, position, &layout.members[position as usize]);
        let slot = match made {
            Ok(slot) => slot,
            Err(failure) => {
                self.report(failure);
                self.instances[instance].slots[position as usize] = Slot::Failed;
                return Err(Failure::Reported);
            }
        };
        self.instances[instance].slots[position as usize] = slot.clone();
        Ok(slot)
    }

    fn make_slot(&mut self, instance: InstanceId, position: u32, member: &Member) -> Outcome<Slot> {
        match &member.kind {
            MemberKind::Class(_) if member.outer && !member.inner => self.outer_class(instance, member),
            MemberKind::Class(class) => self.class_slot(instance, member, *class),
            MemberKind::Component(_) if member.outer && !member.inner => {
                match self.instances.outer_slot(instance, member) {
                    Some(slot) => Ok(slot),
                    None => self.default_inner(instance, member),
                }
            }
            MemberKind::Component(_) => self.component_slot(instance, position, member),
        }
    }

    /// An `outer` component without an `inner` one: the model as a whole gets it (Modelica 3.6, 5.4).
    fn default_inner(&mut self, instance: InstanceId, member: &Member) -> Outcome<Slot> {
        let declaration = self.declaration(instance, member)?;
        let class = self.component_class(instance, member, &declaration)?;
        let root = self.instances.root_of(instance);
        let can_be_made = match class {
            ClassReference::Class { class, .. } => {
                let info = self.classes.type_info(class)?;
                info.scalar.is_none() && !self.classes.library.class(info.class).definition.partial
            }
            ClassReference::Predefined(_) => false,
        };
        // A component that is looked at by itself has the `outer` declaration, and no other.
        let declared = self.instances[root].layout.index.get(&member.name).copied();
        let is_declared = declared.is_some_and(|position| !self.instances.member(root, position).outer);
        if !can_be_made || is_declared {
            let message = format!("no `inner {}` around this `outer` element", member.name);
            let help = match is_declared {
                true => {
                    format!("write `inner` in front of the declaration of `{}` in the model around it", member.name)
                }
                false => format!("declare `inner {} …` in the model that contains it", member.name),
            };
            return Err(Diagnostic::error(Code::E0209, message).label(member.span, "").help(help).into());
        }
        let message = format!("no `inner {}` around this `outer` element: the model gets one, unmodified", member.name);
        let help = format!("declare `inner {} …` in the model that contains it", member.name);
        self.say(Diagnostic::warning(Code::W0217, message).label(member.span, "").help(help));
        let resolved = std::cell::OnceCell::from(class);
        let made = Member { inner: true, outer: false, modifiers: Vec::new(), resolved, ..member.clone() };
        Ok(Slot::Outer(root, self.instances.add_member(root, made)))
    }

    /// An `inner outer output` of a state: what is written inside the state is what the state writes (Modelica 3.6, 17.3).
    fn merged_output(&mut self, instance: InstanceId, member: &Member, declaration: &Declaration) -> Outcome<Slot> {
        let Some(slot) = self.instances.outer_slot(instance, member) else {
            return self.default_inner(instance, member);
        };
        let layers = || declaration.layers.iter().filter(|layer| !layer.projected);
        if let Some(layer) = layers().find(|layer| layer.modifier.value.is_some()) {
            let message = format!("`inner outer output {}` of a state cannot be declared with a value", member.name);
            let help = format!("write an equation for `{}` in the state, or in the states inside it", member.name);
            let problem = Diagnostic::error(Code::E0406, message).label(layer.modifier.span, "");
            return Err(problem.help(help).into());
        }
        if let Some(layer) = layers().find(|layer| !layer.modifier.children.is_empty()) {
            let message = format!("what is said here of `{}` has no effect: it is declared further out", member.name);
            let help = format!("modify the `inner {}` around the state", member.name);
            self.say(Diagnostic::warning(Code::W0407, message).label(layer.modifier.span, "").help(help));
        }
        Ok(slot)
    }

    /// An `outer` class: the `inner` one of that name around it.
    fn outer_class(&mut self, instance: InstanceId, member: &Member) -> Outcome<Slot> {
        if let Some(Slot::Outer(around, position)) = self.instances.outer_slot(instance, member) {
            return self.slot(around, position);
        }
        let message = format!("no `inner {}` around this `outer` class", member.name);
        let help = format!("declare `inner … {} = …` in the model that contains it", member.name);
        Err(Diagnostic::error(Code::E0209, message).label(member.span, "").help(help).into())
    }

    /// A class inside a model: itself, or what an outer modifier redeclares it to be.
    fn class_slot(&mut self, instance: InstanceId, member: &Member, class: ClassId) -> Outcome<Slot> {
        let layers = child_layers(&self.instances[instance].environment, &member.name);
        // The binding of a record is no modification of the classes inside it.
        if let Some(layer) = layers.into_iter().find(|layer| !layer.projected) {
            let Some(element) = &layer.modifier.redeclare else {
                return unsupported(format!("modification of the class `{}`", member.name), layer.modifier.span);
            };
            let ElementKind::Class(definition) = &element.kind else {
                let message = format!("`{}` is a class and cannot be redeclared as a component", member.name);
                return wrong(Code::E0223, message, element.span);
            };
            self.classes.check_modifier_redeclaration(member, element, layer.scope.class);
            let key = Rc::as_ptr(&layer.modifier);
            let class = match self.instances.redeclared.get(&key) {
                Some((_, known)) => *known,
                None => {
                    let class = self.classes.library.add_class(definition.clone(), layer.scope.class, None);
                    self.instances.redeclared.insert(key, (layer.modifier.clone(), class));
                    class
                }
            };
            return Ok(Slot::Class(ClassReference::Class { class, context: layer.scope.instance }));
        }
        let context = (!self.instances[instance].is_static).then_some(instance);
        Ok(Slot::Class(ClassReference::Class { class, context }))
    }

    fn component_slot(&mut self, instance: InstanceId, position: u32, member: &Member) -> Outcome<Slot> {
        let declaration = self.declaration(instance, member)?;
        if !self.component_exists(instance, member, &declaration)? {
            return Ok(Slot::Absent);
        }
        let class = self.component_class(instance, member, &declaration)?;
        let (ty, info) = match class {
            ClassReference::Predefined(ty) => (Some(ty), None),
            ClassReference::Class { class, .. } => {
                let info = self.classes.type_info(class)?;
                self.classes.layout(info.class)?;
                // An external object is its number.
                let is_object = self.classes.is_external_object(info.class);
                (if is_object { Some(Type::Integer) } else { info.scalar }, Some(info))
            }
        };
        let dims = self.dimensions(&declaration, info.as_deref(), member)?;
        let of_type = info.as_ref().map_or(TypePrefix::default(), |info| info.prefix);
        let prefix = combined(combined(declaration.prefix, of_type), self.instances[instance].prefix);
        let is_output = prefix.causality == Some(Causality::Output);
        if member.inner && member.outer && is_output && self.is_drawn_as_state(instance) {
            return self.merged_output(instance, member, &declaration);
        }
        self.check_prefixes(instance, member, &Made { prefix: declaration.prefix, info: info.as_deref(), ty });
        if let Some(ty) = ty {
            let mut prefix = prefix;
            if info.as_ref().is_some_and(|info| info.scalar.is_none()) {
                prefix.variability = prefix.variability.min(Variability::Parameter);
            }
            let is_connector =
                self.instances[instance].is_connector || info.as_ref().is_some_and(|info| info.connector);
            let info = info.filter(|info| !info.modifiers.is_empty());
            if dims.is_empty() {
                self.count_scalars(&[], 1, member)?;
            }
            let dims: Rc<[usize]> = if dims.is_empty() { self.instances.no_dims.clone() } else { dims.into() };
            let primitive =
                Primitive { instance, position, ty, prefix, dims, info, first: None, is_connector, evaluated: false };
            return Ok(Slot::Primitive(self.instances.primitives.push(primitive)));
        }
        let (Some(info), ClassReference::Class { context, .. }) = (info, class) else { return Err(Failure::Reported) };
        self.check_component_class(info.class, member)?;
        let layout = self.classes.layout(info.class)?;
        self.classes.check_modified_are_public(&declaration.layers, &layout);
        let around = self.instances.class_layers(&info.modifiers, context);
        let protected = member.protected || self.instances[instance].protected;
        let is_static = self.instances[instance].is_static;
        let make = |environment: Rc<[Layer]>, element| NewInstance {
            class: info.class,
            context,
            parent: Some(instance),
            position,
            element,
            environment,
            prefix,
            is_static,
            is_connector: info.connector,
            protected,
        };
        if dims.is_empty() {
            let environment = declaration.layers.iter().chain(&around).cloned().collect();
            let new = make(environment, None);
            return Ok(Slot::Component(self.new_instance(new)?));
        }
        let variables = self.classes.layout(info.class)?.members.len();
        self.count_scalars(&dims, variables, member)?;
        let empty: Rc<[Layer]> = Rc::from([]);
        let sizes: Rc<[usize]> = dims.clone().into();
        let elements: Vec<NewInstance> = indices(&dims)
            .map(|index| {
                let index: Rc<[usize]> = index.into();
                let environment = match declaration.layers.is_empty() && around.is_empty() {
                    true => empty.clone(),
                    false => {
                        let split = declaration.layers.iter().map(|layer| layer.element(&index, &sizes));
                        split.chain(around.iter().cloned()).collect()
                    }
                };
                make(environment, Some(index))
            })
            .collect();
        let instances = elements.into_iter().map(|new| self.new_instance(new)).collect::<Outcome<Vec<_>>>()?;
        Ok(Slot::Components(Rc::new(Components { dims, instances })))
    }

    /// The member with all modifiers, after redeclarations from outside.
    pub(crate) fn declaration(&mut self, instance: InstanceId, member: &Member) -> Outcome<Declaration> {
        let MemberKind::Component(component) = &member.kind else { return Err(Failure::Reported) };
        let inside = |class| Scope { instance: Some(instance), class };
        let mut declaration = Declaration {
            layers: Vec::new(),
            component: component.clone(),
            type_scope: inside(member.origin),
            is_redeclared: false,
            condition: member.condition.clone().map(|(expression, class)| (expression, inside(class))),
            dimensions: (member.dimensions.0.clone(), inside(member.dimensions.1)),
            prefix: member.prefix,
        };
        for layer in child_layers(&self.instances[instance].environment, &member.name) {
            match layer.modifier.redeclare.clone() {
                None => declaration.layers.push(layer),
                Some(element) => self.redeclare(&mut declaration, &element, layer, member)?,
            }
        }
        let own: Vec<Layer> = self.instances.member_layers(instance, &member.modifiers).collect();
        // A redeclaration drops what was said of the default only (Modelica 3.6, 7.3.2).
        let is_redeclared = declaration.is_redeclared;
        let kept = own.into_iter().filter(|layer| !(is_redeclared && member.is_of_default(&layer.modifier)));
        declaration.layers.extend(kept);
        Ok(declaration)
    }

    fn redeclare(
        &mut self,
        declaration: &mut Declaration,
        element: &modeshift_syntax::ast::Element,
        layer: Layer,
        member: &Member,
    ) -> Outcome<()> {
        let ElementKind::Component(component) = &element.kind else {
            let message = format!("`{}` is a component and cannot be redeclared as a class", member.name);
            return wrong(Code::E0223, message, element.span);
        };
        self.classes.check_modifier_redeclaration(member, element, layer.scope.class);
        if let Some(modification) = &component.modification {
            let modifier = Rc::new(Modifier::prepare(modification, self.classes.diagnostics));
            declaration.layers.push(Layer { modifier, ..layer.clone() });
        }
        if declaration.is_redeclared {
            return Ok(());
        }
        declaration.is_redeclared = true;
        declaration.component = component.clone();
        declaration.type_scope = layer.scope;
        declaration.prefix = combined(component.prefix, declaration.prefix);
        if let Some(condition) = &component.condition {
            declaration.condition = Some((Rc::new(condition.clone()), layer.scope));
        }
        if !component.dimensions.is_empty() {
            declaration.dimensions = (component.dimensions.clone().into(), layer.scope);
        }
        Ok(())
    }

    fn component_exists(&mut self, instance: InstanceId, member: &Member, declaration: &Declaration) -> Outcome<bool> {
        if let Some((condition, scope)) = &declaration.condition
            && !self.evaluate_boolean(condition, &mut Context::new(*scope, Purpose::Evaluate))?
        {
            return Ok(false);
        }
        let scope = Scope { instance: Some(instance), class: member.origin };
        for guard in &member.guards {
            match self.evaluate_boolean(&guard.expression, &mut Context::new(scope, Purpose::Evaluate)) {
                Ok(value) if value != guard.holds => return Ok(false),
                Ok(_) | Err(Failure::Dynamic(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(true)
    }

    /// The class of a component; remembered where it cannot depend on the instance.
    fn component_class(
        &mut self,
        instance: InstanceId,
        member: &Member,
        declaration: &Declaration,
    ) -> Outcome<ClassReference> {
        if !declaration.is_redeclared
            && let Some(&known) = member.resolved.get()
        {
            return Ok(known);
        }
        let class = self.lookup_class(&declaration.component.type_name, declaration.type_scope)?;
        let first = &declaration.component.type_name.parts[0].name;
        let is_local =
            self.instances[instance].layout.index.contains_key(first) || self.instances[instance].context.is_some();
        if !declaration.is_redeclared && !is_local {
            let _ = member.resolved.set(class);
        }
        Ok(class)
    }

    fn check_component_class(&self, class: ClassId, member: &Member) -> Outcome<()> {
        let node = self.classes.library.class(class);
        let kind = match node.definition.kind {
            ClassKind::Package => "a package",
            ClassKind::Function | ClassKind::OperatorFunction | ClassKind::Operator => "a function",
            _ if node.definition.partial => "partial",
            _ => return Ok(()),
        };
        let message = format!("`{}` cannot be a component: `{}` is {kind}", member.name, node.name);
        let diagnostic = Diagnostic::error(Code::E0208, message).label(member.span, "");
        Err(diagnostic.label(node.definition.name.span, "declared here").into())
    }

    fn dimensions(
        &mut self,
        declaration: &Declaration,
        info: Option<&TypeInfo>,
        member: &Member,
    ) -> Outcome<Vec<usize>> {
        let (own, scope) = (&declaration.dimensions.0, declaration.dimensions.1);
        let of_type = info.map_or(&[][..], |info| &info.dimensions);
        if own.is_empty() && of_type.is_empty() {
            return Ok(Vec::new());
        }
        let of_type = of_type.iter().map(|(subscript, class)| (subscript, Scope { instance: None, class: *class }));
        let written: Vec<_> = own.iter().map(|subscript| (subscript, scope)).chain(of_type).collect();
        let mut shape: Option<Vec<usize>> = None;
        let mut dims = Vec::with_capacity(written.len());
        for (position, (subscript, scope)) in written.iter().enumerate() {
            dims.push(match subscript {
                Subscript::Expression(expression) => self.dimension(expression, *scope, member)?,
                Subscript::All(span) => {
                    if shape.is_none() {
                        shape = Some(self.shape_of_binding(declaration, member)?);
                    }
                    match shape.as_ref().and_then(|shape| shape.get(position)) {
                        Some(&size) => size,
                        None => {
                            let message = format!(
                                "the size of `{}` cannot be found: its binding has fewer dimensions",
                                member.name
                            );
                            return wrong(Code::E0304, message, *span);
                        }
                    }
                }
            });
        }
        self.count_scalars(&dims, 1, member)?;
        Ok(dims)
    }

    /// Refuses what would not fit into memory, before it is made.
    pub(crate) fn count_scalars(&mut self, dims: &[usize], of_each: usize, member: &Member) -> Outcome<()> {
        let total = dims.iter().try_fold(of_each, |total, &dim| total.checked_mul(dim)).unwrap_or(usize::MAX);
        self.instances.scalars = self.instances.scalars.saturating_add(total);
        if self.instances.scalars <= MAX_SCALARS {
            return Ok(());
        }
        self.is_exhausted = true;
        let size = if dims.is_empty() { String::new() } else { format!(" has size {},", shape_text(dims)) };
        let message = format!("`{}`{size} which makes the model larger than this program takes", member.name);
        let note = format!("at most {MAX_SCALARS} scalars in a model");
        Err(Diagnostic::error(Code::E0310, message).label(member.span, "").with_note(note).into())
    }

    fn dimension(
        &mut self,
        expression: &modeshift_syntax::ast::Expression,
        scope: Scope,
        member: &Member,
    ) -> Outcome<usize> {
        if let ExpressionKind::Reference(reference) = &expression.kind
            && let Some(size) = self.size_of_type(reference, scope)?
        {
            return Ok(size);
        }
        let size = self.evaluate_integer(expression, &mut Context::new(scope, Purpose::Evaluate))?;
        usize::try_from(size).map_err(|_| {
            let message = format!("the size of `{}` is {size}, which is negative", member.name);
            let diagnostic = Diagnostic::error(Code::E0311, message).label(expression.span, "");
            diagnostic.help("a size is 0 or more: change what it is computed from").into()
        })
    }

    /// The shape of the binding of a member whose size was left open.
    fn shape_of_binding(&mut self, declaration: &Declaration, member: &Member) -> Outcome<Vec<usize>> {
        let Some(layer) = declaration.layers.iter().find(|layer| layer.value().is_some()) else {
            let message = format!("the size of `{}` is left open, but it has no binding", member.name);
            return wrong(Code::E0304, message, member.span);
        };
        let term = self.layer_term(layer, Purpose::Shape)?;
        Ok(term.dims().to_vec())
    }
}

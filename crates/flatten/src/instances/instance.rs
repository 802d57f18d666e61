//! Instances: the tree of components, made from classes and modifiers, each element when it is first needed.
//!
//! Whether a component exists and how large an array is may depend on any parameter, wherever it is declared, so
//! slots are filled on demand and then, in declaration order, all of them (LANGUAGE 3.4 and 3.5). Variables are
//! numbered in that second walk only.

use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{Id, Type, VariableId};
use modeshift_diagnostics::{Diagnostic, Span};
use modeshift_syntax::ast::{ClassKind, Component, ElementKind, ExpressionKind, Subscript, TypePrefix};

use crate::classes::layout::{Layout, LayoutState, Member, MemberKind, TypeInfo, WrittenModifier, combined};
use crate::classes::library::ClassId;
use crate::classes::lookup::ClassReference;
use crate::expressions::context::{Context, Mode};
use crate::expressions::term::indices;
use crate::failure::{Failure, Outcome, unsupported, wrong};
use crate::flattener::Flattener;
use crate::instances::modification::{Layer, Modifier, Scope, child_layers};

/// A component of class type, or a class that is looked into for its constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct InstanceId(u32);

impl Id for InstanceId {
    fn from_index(index: usize) -> Self {
        InstanceId(u32::try_from(index).expect("fewer than 2^32 instances"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A component of predefined or enumeration type, scalar or array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PrimitiveId(u32);

impl Id for PrimitiveId {
    fn from_index(index: usize) -> Self {
        PrimitiveId(u32::try_from(index).expect("fewer than 2^32 components"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an element of an instance turned out to be.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    /// Not asked for yet.
    Pending,
    /// Being made; asking for it again is a cycle.
    Busy,
    /// Its condition is false.
    Absent,
    /// An error about it has been reported.
    Failed,
    /// A class.
    Class(ClassReference),
    /// A variable or an array of variables.
    Primitive(PrimitiveId),
    /// A component.
    Component(InstanceId),
    /// An array of components.
    Components(Rc<Components>),
    /// An `outer` element: the `inner` one it stands for.
    Outer(InstanceId, u32),
}

/// An array of components.
#[derive(Debug)]
pub(crate) struct Components {
    pub(crate) dims: Vec<usize>,
    pub(crate) instances: Vec<InstanceId>,
}

/// One component.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) class: ClassId,
    /// The instance in which its class was written, for classes inside models.
    pub(crate) context: Option<InstanceId>,
    pub(crate) parent: Option<InstanceId>,
    /// Its position in the parent.
    pub(crate) position: u32,
    /// Its index in an array of components, from 0.
    pub(crate) element: Option<Rc<[usize]>>,
    pub(crate) layout: Rc<Layout>,
    /// The modifiers of its elements, outermost first.
    pub(crate) environment: Rc<[Layer]>,
    pub(crate) slots: Vec<Slot>,
    /// Prefixes that its elements inherit.
    pub(crate) prefix: TypePrefix,
    /// Whether a class that is only looked into: its constants are values, not variables.
    pub(crate) is_static: bool,
    pub(crate) is_connector: bool,
    pub(crate) protected: bool,
    depth: u32,
}

/// One variable declaration.
#[derive(Debug)]
pub(crate) struct Primitive {
    pub(crate) instance: InstanceId,
    pub(crate) position: u32,
    pub(crate) ty: Type,
    pub(crate) prefix: TypePrefix,
    pub(crate) dims: Rc<[usize]>,
    /// The type it was declared with, where that has modifiers.
    pub(crate) info: Option<Rc<TypeInfo>>,
    /// The first of its scalars, once numbered.
    pub(crate) first: Option<VariableId>,
    /// Whether it is a connector by itself or part of one.
    pub(crate) is_connector: bool,
    /// Whether its value was needed at translation.
    pub(crate) evaluated: bool,
}

/// How deep components may be nested in each other.
const MAX_DEPTH: u32 = 120;

/// How many scalars a model may have.
pub(crate) const MAX_SCALARS: usize = 5_000_000;

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
        if let Some(&known) = self.static_instances.get(&class) {
            return Ok(known);
        }
        let info = self.type_info(class)?;
        let environment = self.class_layers(&info.modifiers, None);
        let new = NewInstance {
            class: info.class,
            environment: environment.into(),
            is_static: true,
            ..NewInstance::of(info.class)
        };
        let id = self.new_instance(new)?;
        self.static_instances.insert(class, id);
        Ok(id)
    }

    pub(crate) fn new_instance(&mut self, new: NewInstance) -> Outcome<InstanceId> {
        let layout = self.layout(new.class)?;
        let depth = new.parent.map_or(0, |parent| self.instances[parent].depth + 1);
        if depth > MAX_DEPTH {
            self.is_exhausted = true;
            return self.too_deep(&new);
        }
        let slots = vec![Slot::Pending; layout.members.len()];
        Ok(self.instances.push(Instance {
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
        let class = &self.library.class(new.class).name;
        let mut chain = vec![class.clone()];
        let mut at = new.parent;
        while let (Some(id), true) = (at, chain.len() < 6) {
            chain.push(self.library.class(self.instances[id].class).name.clone());
            at = self.instances[id].parent;
        }
        let span = new.parent.map_or(Span::default(), |parent| self.member(parent, new.position).span);
        let message = format!("components are nested more than {MAX_DEPTH} deep; does `{class}` contain itself?");
        Err(Diagnostic::error("E0212", message)
            .label(span, "")
            .with_note(format!("chain: {}", chain.join(" in ")))
            .into())
    }

    /// The member at a position of an instance.
    pub(crate) fn member(&self, instance: InstanceId, position: u32) -> &Member {
        &self.instances[instance].layout.members[position as usize]
    }

    /// What an element of an instance is; made when first asked for.
    pub(crate) fn slot(&mut self, instance: InstanceId, position: u32) -> Outcome<Slot> {
        match &self.instances[instance].slots[position as usize] {
            Slot::Pending => {}
            Slot::Failed => return Err(Failure::Reported),
            Slot::Busy => {
                let member = self.member(instance, position);
                let message = format!("the declaration of `{}` depends on itself", member.name);
                return wrong("E0302", message, member.span);
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
            MemberKind::Class(class) => self.class_slot(instance, member, *class),
            MemberKind::Component(_) if member.outer && !member.inner => self.outer_slot(instance, member),
            MemberKind::Component(_) => self.component_slot(instance, position, member),
        }
    }

    /// A class inside a model: itself, or what an outer modifier redeclares it to be.
    fn class_slot(&mut self, instance: InstanceId, member: &Member, class: ClassId) -> Outcome<Slot> {
        let layers = child_layers(&self.instances[instance].environment, &member.name);
        if let Some(layer) = layers.into_iter().next() {
            let Some(element) = &layer.modifier.redeclare else {
                return unsupported(format!("modification of the class `{}`", member.name), layer.modifier.span);
            };
            let ElementKind::Class(definition) = &element.kind else {
                let message = format!("`{}` is a class and cannot be redeclared as a component", member.name);
                return wrong("E0223", message, element.span);
            };
            let key = Rc::as_ptr(&layer.modifier);
            let class = match self.redeclared_classes.get(&key) {
                Some((_, known)) => *known,
                None => {
                    let class = self.library.add_class(definition.clone(), layer.scope.class, None);
                    self.redeclared_classes.insert(key, (layer.modifier.clone(), class));
                    class
                }
            };
            return Ok(Slot::Class(ClassReference::Class { class, context: layer.scope.instance }));
        }
        let context = (!self.instances[instance].is_static).then_some(instance);
        Ok(Slot::Class(ClassReference::Class { class, context }))
    }

    /// The nearest enclosing `inner` element of the same name (Modelica 3.6, 5.4).
    fn outer_slot(&mut self, instance: InstanceId, member: &Member) -> Outcome<Slot> {
        let mut at = self.instances[instance].parent;
        while let Some(id) = at {
            if let Some(&position) = self.instances[id].layout.index.get(&member.name)
                && self.member(id, position).inner
            {
                return Ok(Slot::Outer(id, position));
            }
            at = self.instances[id].parent;
        }
        let message = format!("no `inner {}` around this `outer` element", member.name);
        let help = format!("declare `inner {} …` in the model that contains it", member.name);
        Err(Diagnostic::error("E0209", message).label(member.span, "").help(help).into())
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
                let info = self.type_info(class)?;
                (info.scalar, Some(info))
            }
        };
        let dims = self.dimensions(&declaration, info.as_deref(), member)?;
        let of_type = info.as_ref().map_or(TypePrefix::default(), |info| info.prefix);
        let prefix = combined(combined(declaration.prefix, of_type), self.instances[instance].prefix);
        if let Some(ty) = ty {
            let is_connector =
                self.instances[instance].is_connector || info.as_ref().is_some_and(|info| info.connector);
            let info = info.filter(|info| !info.modifiers.is_empty());
            let dims: Rc<[usize]> = if dims.is_empty() { self.no_dims.clone() } else { dims.into() };
            let primitive =
                Primitive { instance, position, ty, prefix, dims, info, first: None, is_connector, evaluated: false };
            return Ok(Slot::Primitive(self.primitives.push(primitive)));
        }
        let (Some(info), ClassReference::Class { context, .. }) = (info, class) else { return Err(Failure::Reported) };
        self.check_component_class(info.class, member)?;
        let around = self.class_layers(&info.modifiers, context);
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
        let variables = self.layout(info.class)?.members.len();
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

    /// The modifiers of an aliased class where they were written.
    fn class_layers(&self, modifiers: &[WrittenModifier], context: Option<InstanceId>) -> Vec<Layer> {
        let layer = |(modifier, lexical): &WrittenModifier| {
            let instance = context.filter(|&context| self.instances[context].layout.classes.contains(&lexical.class));
            Layer::new(modifier.clone(), Scope { instance, class: lexical.class })
        };
        modifiers.iter().map(layer).collect()
    }

    /// The modifiers of a member written in its class or in `extends` clauses.
    fn member_layers(&self, instance: InstanceId, modifiers: &[WrittenModifier]) -> impl Iterator<Item = Layer> {
        modifiers.iter().map(move |(modifier, lexical)| {
            let instance = (!lexical.around).then_some(instance);
            Layer::new(modifier.clone(), Scope { instance, class: lexical.class })
        })
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
        let own: Vec<Layer> = self.member_layers(instance, &member.modifiers).collect();
        let is_dropped = |layer: &Layer| declaration.is_redeclared && member.is_of_default(&layer.modifier);
        let kept: Vec<Layer> = own.into_iter().filter(|layer| !is_dropped(layer)).collect();
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
            return wrong("E0223", message, element.span);
        };
        if member.is_final {
            let message = format!("`{}` is final and cannot be redeclared", member.name);
            return Err(Diagnostic::error("E0220", message)
                .label(element.span, "redeclared here")
                .label(member.span, "declared final here")
                .into());
        }
        if let Some(modification) = &component.modification {
            let modifier = Rc::new(Modifier::prepare(modification, self.diagnostics));
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
            && !self.evaluate_boolean(condition, &mut Context::new(*scope, Mode::Evaluate))?
        {
            return Ok(false);
        }
        let scope = Scope { instance: Some(instance), class: member.origin };
        for guard in &member.guards {
            match self.evaluate_boolean(&guard.expression, &mut Context::new(scope, Mode::Evaluate)) {
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
        let node = self.library.class(class);
        let kind = match node.definition.kind {
            ClassKind::Package => "a package",
            ClassKind::Function | ClassKind::OperatorFunction | ClassKind::Operator => "a function",
            _ if node.definition.partial => "partial",
            ClassKind::ExpandableConnector => {
                return unsupported(format!("the expandable connector `{}`", node.name), member.span);
            }
            _ if self.is_external_object(class) => {
                return unsupported(format!("the external object `{}`", node.name), member.span);
            }
            _ => return Ok(()),
        };
        let message = format!("`{}` cannot be a component: `{}` is {kind}", member.name, node.name);
        let diagnostic = Diagnostic::error("E0208", message).label(member.span, "");
        Err(diagnostic.label(node.definition.name.span, "declared here").into())
    }

    fn is_external_object(&self, class: ClassId) -> bool {
        let Some(LayoutState::Done(layout)) = self.layouts.get(&class) else { return false };
        layout.classes.iter().any(|&base| &*self.library.class(base).name == "ExternalObject")
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
                            return wrong("E0304", message, *span);
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
        self.scalars = self.scalars.saturating_add(total);
        if self.scalars <= MAX_SCALARS {
            return Ok(());
        }
        self.is_exhausted = true;
        let size = if dims.is_empty() {
            String::new()
        } else {
            format!(" has size {},", crate::expressions::term::shape_text(dims))
        };
        let message = format!("`{}`{size} which makes the model larger than this program takes", member.name);
        let note = format!("at most {MAX_SCALARS} scalars in a model");
        Err(Diagnostic::error("E0310", message).label(member.span, "").with_note(note).into())
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
        let size = self.evaluate_integer(expression, &mut Context::new(scope, Mode::Evaluate))?;
        usize::try_from(size).or_else(|_| {
            wrong("E0311", format!("the size of `{}` is {size}, which is negative", member.name), expression.span)
        })
    }

    /// The shape of the binding of a member whose size was left open.
    fn shape_of_binding(&mut self, declaration: &Declaration, member: &Member) -> Outcome<Vec<usize>> {
        let Some(layer) = declaration.layers.iter().find(|layer| layer.value().is_some()) else {
            let message = format!("the size of `{}` is left open, but it has no binding", member.name);
            return wrong("E0304", message, member.span);
        };
        let term = self.layer_term(layer, Mode::Shape)?;
        Ok(term.dims().to_vec())
    }

    /// The full name of an instance, empty for the model itself.
    pub(crate) fn instance_name(&self, instance: InstanceId) -> String {
        let mut chain = Vec::new();
        let mut at = instance;
        while let Some(parent) = self.instances[at].parent {
            let name = &self.member(parent, self.instances[at].position).name;
            let index = self.instances[at].element.as_deref().map_or(String::new(), index_text);
            chain.push(format!("{name}{index}"));
            at = parent;
        }
        chain.reverse();
        chain.join(".")
    }

    /// The name of an element of an instance.
    pub(crate) fn element_name(&self, instance: InstanceId, position: u32) -> Arc<str> {
        let prefix = self.instance_name(instance);
        let name = &self.member(instance, position).name;
        if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}").into() }
    }
}

/// `[1,2]`, from indices that start at 0.
pub(crate) fn index_text(index: &[usize]) -> String {
    let numbers: Vec<String> = index.iter().map(|number| (number + 1).to_string()).collect();
    format!("[{}]", numbers.join(","))
}

/// What a new instance is made of.
pub(crate) struct NewInstance {
    pub(crate) class: ClassId,
    pub(crate) context: Option<InstanceId>,
    pub(crate) parent: Option<InstanceId>,
    pub(crate) position: u32,
    pub(crate) element: Option<Rc<[usize]>>,
    pub(crate) environment: Rc<[Layer]>,
    pub(crate) prefix: TypePrefix,
    pub(crate) is_static: bool,
    pub(crate) is_connector: bool,
    pub(crate) protected: bool,
}

impl NewInstance {
    /// An unmodified instance without a parent.
    pub(crate) fn of(class: ClassId) -> Self {
        NewInstance {
            class,
            context: None,
            parent: None,
            position: 0,
            element: None,
            environment: Rc::from([]),
            prefix: TypePrefix::default(),
            is_static: false,
            is_connector: false,
            protected: false,
        }
    }
}

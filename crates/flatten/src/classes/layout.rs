//! The elements of a class with everything it inherits, prepared once per class (Modelica 3.6, 5.6.1 and 7.1).
//!
//! Every member keeps the class in which it was written, because that is where its names are looked up, and
//! collects the modifiers of the `extends` clauses through which it came, the outermost first.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{Enumeration, Type};
use modeshift_diagnostics::{Code, Diagnostic, SourceMap, Span};
use modeshift_syntax::ast::{
    Class, ClassBody, Component, Element, ElementKind, Expression, Modification, Subscript, TypePrefix, Variability,
};
use rustc_hash::FxHashMap;

use crate::classes::Classes;
use crate::classes::library::{ClassId, Library, ROOT, elements};
use crate::classes::lookup::ClassReference;
use crate::failure::{Outcome, unsupported, wrong};
use crate::instances::modification::Modifier;
use crate::restrictions::redeclarations::{Form, Meant, refusal, written_constraint};
use crate::suggestion::{with_parameters, with_suggestion};

/// Where a modifier of a class was written: in the class itself or one of its bases, or around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lexical {
    /// The class whose scope it is.
    pub(crate) class: ClassId,
    /// Whether `class` encloses the modified one (short class definitions) rather than being part of it.
    pub(crate) around: bool,
}

/// A modifier and where it was written.
pub(crate) type WrittenModifier = (Rc<Modifier>, Lexical);

/// A condition around a declaration, and whether it has to be true or false for the declaration to exist.
#[derive(Clone, Debug)]
pub(crate) struct DeclarationCondition {
    pub(crate) expression: Rc<Expression>,
    pub(crate) holds: bool,
}

/// What a member is.
#[derive(Clone, Debug)]
pub(crate) enum MemberKind {
    Component(Arc<Component>),
    Class(ClassId),
}

/// One element of a class, its own or inherited.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: Arc<str>,
    pub(crate) kind: MemberKind,
    /// The class in which its type and dimensions were written.
    pub(crate) origin: ClassId,
    /// The class in which its condition was written, with that condition.
    pub(crate) condition: Option<(Rc<Expression>, ClassId)>,
    /// The dimensions and the class in which they were written.
    pub(crate) dimensions: (Rc<[Subscript]>, ClassId),
    /// Its prefixes, those of the original declaration where a redeclaration has none.
    pub(crate) prefix: TypePrefix,
    pub(crate) protected: bool,
    pub(crate) inner: bool,
    pub(crate) outer: bool,
    pub(crate) is_final: bool,
    /// Modifiers, the strongest first.
    pub(crate) modifiers: Vec<WrittenModifier>,
    /// The modifier that belongs to the default type alone: with `constrainedby`, a redeclaration drops it.
    pub(crate) of_default: Option<Rc<Modifier>>,
    /// Conditions of surrounding `if` (variable dimension); written in `origin`.
    pub(crate) guards: Vec<DeclarationCondition>,
    pub(crate) span: Span,
    /// Whether it may be redeclared.
    pub(crate) replaceable: bool,
    /// What all its redeclarations have to offer, where that is not what it is itself.
    pub(crate) constraint: Option<Meant>,
    /// The class of a component, where it does not depend on the instance.
    pub(crate) resolved: OnceCell<ClassReference>,
}

impl Member {
    /// Whether a modifier is meant for the default type of a replaceable component only.
    pub(crate) fn is_of_default(&self, modifier: &Rc<Modifier>) -> bool {
        self.of_default.as_ref().is_some_and(|own| Rc::ptr_eq(own, modifier))
    }

    /// The declaration, where it is a component.
    pub(crate) fn component(&self) -> Option<&Arc<Component>> {
        match &self.kind {
            MemberKind::Component(component) => Some(component),
            MemberKind::Class(_) => None,
        }
    }
}

/// All elements of a class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// In declaration order, those of a base class where its `extends` stands.
    pub(crate) members: Vec<Member>,
    /// Their positions.
    pub(crate) index: FxHashMap<Arc<str>, u32>,
    /// All base classes and the class itself, bases first.
    pub(crate) classes: Vec<ClassId>,
    /// Set where the class extends a predefined type: that type and the modifiers on the way.
    pub(crate) scalar: Option<(Type, Vec<WrittenModifier>)>,
    /// The dimensions of that type, where it is an array, and where they were written.
    pub(crate) dimensions: Vec<(Subscript, ClassId)>,
}

impl Layout {
    /// The member of this name.
    pub(crate) fn member(&self, name: &str) -> Option<&Member> {
        self.index.get(name).map(|&at| &self.members[at as usize])
    }

    fn add_class(&mut self, class: ClassId) {
        if !self.classes.contains(&class) {
            self.classes.push(class);
        }
    }
}

/// A short class or alias, followed to what it stands for.
#[derive(Debug)]
pub(crate) struct TypeInfo {
    /// A predefined type or enumeration; `None` for a class with elements.
    pub(crate) scalar: Option<Type>,
    /// The class at the end of the aliases.
    pub(crate) class: ClassId,
    /// Modifiers on the way, nearest to the use first.
    pub(crate) modifiers: Vec<WrittenModifier>,
    /// Dimensions on the way, outermost first, and where they were written.
    pub(crate) dimensions: Vec<(Subscript, ClassId)>,
    /// Prefixes on the way.
    pub(crate) prefix: TypePrefix,
    /// Whether a connector.
    pub(crate) connector: bool,
}

/// A layout that may still be under construction.
#[derive(Clone, Debug)]
pub(crate) enum LayoutState {
    Busy,
    Done(Rc<Layout>),
}

impl Classes<'_> {
    /// The elements of a class; made once.
    pub(crate) fn layout(&mut self, class: ClassId) -> Outcome<Rc<Layout>> {
        match self.layouts.get(&class) {
            Some(LayoutState::Done(layout)) => return Ok(layout.clone()),
            Some(LayoutState::Busy) => {
                let node = self.library.class(class);
                let message = format!("`{}` inherits from itself", node.name);
                return wrong(Code::E0205, message, node.definition.name.span);
            }
            None => {}
        }
        if self.under_construction > MAX_INHERITANCE {
            let node = self.library.class(class);
            let message = format!("`{}` inherits through more than {MAX_INHERITANCE} classes", node.name);
            return wrong(Code::E0206, message, node.definition.name.span);
        }
        self.layouts.insert(class, LayoutState::Busy);
        self.under_construction += 1;
        let built = self.build_layout(class);
        self.under_construction -= 1;
        match built {
            Ok(mut layout) => {
                self.take_roles_of_types(class, &mut layout);
                let layout = Rc::new(layout);
                self.layouts.insert(class, LayoutState::Done(layout.clone()));
                self.check_class(class, &layout);
                if self.under_construction == 0 {
                    self.check_promises();
                }
                Ok(layout)
            }
            Err(failure) => {
                self.layouts.remove(&class);
                Err(failure)
            }
        }
    }

    /// The scope around a class.
    fn around(&self, class: ClassId) -> Lexical {
        Lexical { class: self.library.class(class).parent.unwrap_or(ROOT), around: true }
    }

    /// Whether the elements of a class are just being collected.
    pub(crate) fn layout_is_busy(&self, class: ClassId) -> bool {
        matches!(self.layouts.get(&class), Some(LayoutState::Busy))
    }

    fn build_layout(&mut self, class: ClassId) -> Outcome<Layout> {
        let definition = self.library.class(class).definition.clone();
        let mut layout = Layout::default();
        match &definition.body {
            ClassBody::Short { base, modification, .. } => {
                let base = self.lookup_base(base, class)?;
                self.check_base(class, base, definition.span);
                self.inherit(&mut layout, base, modification.as_ref(), self.around(class), definition.span)?;
            }
            ClassBody::Extends(modification, _) => {
                let Some(&base) = self.extended.get(&class) else {
                    let message =
                        format!("`{}` extends a class of the same name, but none is inherited", definition.name.name);
                    return wrong(Code::E0207, message, definition.name.span);
                };
                let lexical = Lexical { class, around: false };
                let base = ClassReference::Class { class: base, context: None };
                self.inherit(&mut layout, base, modification.as_ref(), lexical, definition.span)?;
                self.add_elements(&mut layout, class, elements(&definition), &[])?;
            }
            ClassBody::Long(_) => self.add_elements(&mut layout, class, elements(&definition), &[])?,
            ClassBody::Enumeration(_) => {
                layout.scalar = Some((self.enumeration_type(class), Vec::new()));
            }
            ClassBody::PartialDerivative { .. } => {
                return unsupported("a function defined as a partial derivative", definition.span);
            }
        }
        layout.add_class(class);
        Ok(layout)
    }

    /// The enumeration that a class defines.
    fn enumeration_type(&mut self, class: ClassId) -> Type {
        if let Some(&known) = self.enumerations.by_class.get(&class) {
            return Type::Enumeration(known);
        }
        let node = self.library.class(class);
        let literals: Vec<Arc<str>> = match &node.definition.body {
            ClassBody::Enumeration(Some(literals)) => {
                literals.iter().map(|literal| literal.name.name.clone()).collect()
            }
            _ => Vec::new(),
        };
        let id = self.enumerations.all.push(Enumeration { name: node.name.clone(), literals });
        self.enumerations.by_class.insert(class, id);
        Type::Enumeration(id)
    }

    fn add_elements(
        &mut self,
        layout: &mut Layout,
        class: ClassId,
        elements: &[Element],
        guards: &[DeclarationCondition],
    ) -> Outcome<()> {
        for element in elements {
            if !guards.is_empty() && !matches!(element.kind, ElementKind::Component(_) | ElementKind::Conditional(_)) {
                return unsupported("anything but components in an `if` around declarations", element.span);
            }
            match &element.kind {
                ElementKind::Import(_) => {}
                ElementKind::Extends { base, modification, .. } => {
                    let lexical = Lexical { class, around: false };
                    let base = self.lookup_base(base, class)?;
                    self.check_base(class, base, element.span);
                    let own = layout.members.len();
                    self.inherit(layout, base, modification.as_ref(), lexical, element.span)?;
                    // What is inherited in a protected section is protected (7.1.2).
                    layout.members[own..].iter_mut().for_each(|member| member.protected |= element.protected);
                }
                ElementKind::Class(nested) => self.add_nested_class(layout, class, element, nested)?,
                ElementKind::Component(component) => self.add_component(layout, class, element, component, guards),
                ElementKind::Conditional(conditional) => {
                    let mut path = guards.to_vec();
                    for (condition, declarations) in &conditional.branches {
                        let expression = Rc::new(condition.clone());
                        path.push(DeclarationCondition { expression: expression.clone(), holds: true });
                        self.add_elements(layout, class, declarations, &path)?;
                        path.pop();
                        path.push(DeclarationCondition { expression, holds: false });
                    }
                    self.add_elements(layout, class, &conditional.otherwise, &path)?;
                }
            }
        }
        Ok(())
    }

    fn add_nested_class(
        &mut self,
        layout: &mut Layout,
        class: ClassId,
        element: &Element,
        nested: &Arc<Class>,
    ) -> Outcome<()> {
        let name = nested.name.name.clone();
        let Some(id) = self.library.child(class, &name, self.diagnostics) else { return Ok(()) };
        if matches!(nested.body, ClassBody::Extends(..))
            && let Some(Member { kind: MemberKind::Class(base), .. }) = layout.member(&name)
        {
            self.extended.insert(id, *base);
        }
        let replaces = element.redeclare || matches!(nested.body, ClassBody::Extends(..));
        let mut member = Member {
            name: name.clone(),
            kind: MemberKind::Class(id),
            origin: class,
            condition: None,
            dimensions: (Rc::from([]), class),
            prefix: TypePrefix::default(),
            protected: element.protected,
            inner: element.inner,
            outer: element.outer,
            is_final: element.is_final,
            modifiers: Vec::new(),
            of_default: None,
            guards: Vec::new(),
            span: nested.name.span,
            replaceable: element.replaceable,
            constraint: written_constraint(element, class),
            resolved: OnceCell::new(),
        };
        self.promise_of_default(&member);
        match layout.index.get(&name) {
            Some(&at) if replaces => {
                let original = &layout.members[at as usize];
                if element.redeclare {
                    self.check_redeclaration(original, &mut member, element, Form::Element);
                } else if let Some(diagnostic) = refusal(original, element) {
                    self.diagnostics.push(diagnostic);
                }
                layout.members[at as usize] = member;
            }
            _ => self.add_member(layout, member),
        }
        Ok(())
    }

    fn add_component(
        &mut self,
        layout: &mut Layout,
        class: ClassId,
        element: &Element,
        component: &Arc<Component>,
        guards: &[DeclarationCondition],
    ) {
        let mut member = self.component_member(class, element, component);
        member.guards = guards.to_vec();
        match layout.index.get(&member.name) {
            Some(&at) if element.redeclare => {
                let original = &layout.members[at as usize];
                self.check_redeclaration(original, &mut member, element, Form::Element);
                layout.members[at as usize] = redeclared(original, member);
            }
            _ => self.add_member(layout, member),
        }
    }

    fn component_member(&mut self, class: ClassId, element: &Element, component: &Arc<Component>) -> Member {
        let own = component.modification.as_ref().map(|m| Modifier::prepare(m, self.diagnostics));
        let own = own.filter(|modifier| !modifier.is_empty()).map(|mut modifier| {
            modifier.is_final |= element.is_final;
            (Rc::new(modifier), Lexical { class, around: false })
        });
        let of_default = element.constrained_by.as_ref().and(own.as_ref()).map(|(modifier, _)| modifier.clone());
        let constraint = element.constrained_by.as_ref().and_then(|(_, modification)| modification.as_ref());
        let constraint = constraint.map(|modification| {
            (Rc::new(Modifier::prepare(modification, self.diagnostics)), Lexical { class, around: false })
        });
        let member = Member {
            name: component.name.name.clone(),
            kind: MemberKind::Component(component.clone()),
            origin: class,
            condition: component.condition.clone().map(|condition| (Rc::new(condition), class)),
            dimensions: (component.dimensions.clone().into(), class),
            prefix: component.prefix,
            protected: element.protected,
            inner: element.inner,
            outer: element.outer,
            is_final: element.is_final,
            modifiers: own.into_iter().chain(constraint).collect(),
            of_default,
            guards: Vec::new(),
            span: component.span,
            replaceable: element.replaceable,
            constraint: written_constraint(element, class),
            resolved: OnceCell::new(),
        };
        self.promise_of_default(&member);
        member
    }

    /// Adds the members of a base class, modified.
    fn inherit(
        &mut self,
        layout: &mut Layout,
        base: ClassReference,
        modification: Option<&Modification>,
        lexical: Lexical,
        span: Span,
    ) -> Outcome<()> {
        let modifier = modification.map(|modification| Rc::new(Modifier::prepare(modification, self.diagnostics)));
        let class = match base {
            ClassReference::Predefined(ty) => {
                layout.scalar = Some((ty, modifier.map(|modifier| (modifier, lexical)).into_iter().collect()));
                return Ok(());
            }
            ClassReference::Class { class, .. } => class,
        };
        let inherited = self.layout(class)?;
        if let Some((ty, modifiers)) = &inherited.scalar {
            let own = modifier.iter().map(|modifier| (modifier.clone(), lexical));
            layout.scalar = Some((*ty, own.chain(modifiers.iter().cloned()).collect()));
            layout.dimensions = self.type_info(class)?.dimensions.clone();
        }
        for member in &inherited.members {
            let child = modifier.as_ref().and_then(|modifier| modifier.child(&member.name));
            let member = match child {
                Some(child) => self.modified_member(member, child, lexical)?,
                None => member.clone(),
            };
            self.add_member(layout, member);
        }
        if let (Some(modifier), None) = (&modifier, &inherited.scalar) {
            self.check_modified_names(modifier, &inherited, class, span);
        }
        for &class in &inherited.classes {
            layout.add_class(class);
        }
        Ok(())
    }

    fn modified_member(&mut self, member: &Member, modifier: &Rc<Modifier>, lexical: Lexical) -> Outcome<Member> {
        let Some(element) = &modifier.redeclare else {
            let mut modified = member.clone();
            modified.modifiers.insert(0, (modifier.clone(), lexical));
            return Ok(modified);
        };
        match &element.kind {
            ElementKind::Component(component) => {
                let mut new = self.component_member(lexical.class, element, component);
                self.check_redeclaration(member, &mut new, element, Form::Modifier);
                Ok(redeclared(member, new))
            }
            ElementKind::Class(class) => {
                let id = self.library.add_class(class.clone(), lexical.class, None);
                let mut modified = member.clone();
                modified.kind = MemberKind::Class(id);
                modified.resolved = OnceCell::new();
                modified.replaceable = element.replaceable;
                modified.constraint = written_constraint(element, lexical.class);
                self.promise_of_default(&modified);
                self.check_redeclaration(member, &mut modified, element, Form::Modifier);
                Ok(modified)
            }
            _ => wrong(Code::E0223, "only components and classes can be redeclared", element.span),
        }
    }

    /// Every name in a modification of `class` must be one of its elements.
    pub(crate) fn check_modified_names(&mut self, modifier: &Modifier, layout: &Layout, class: ClassId, span: Span) {
        for (name, child) in &modifier.children {
            if layout.member(name).is_none() {
                let message = format!("`{}` has no element `{name}` to modify", self.library.class(class).name);
                let place = if child.span == Span::default() { span } else { child.span };
                let candidates = layout.members.iter().map(|member| &*member.name);
                let diagnostic = Diagnostic::error(Code::E0222, message).label(place, "");
                let diagnostic = with_suggestion(diagnostic, name, candidates);
                let diagnostic = with_parameters(diagnostic, name, &open_parameters(layout));
                self.diagnostics.push(diagnostic);
            }
        }
    }

    fn add_member(&mut self, layout: &mut Layout, member: Member) {
        match layout.index.get(&member.name) {
            None => {
                layout.index.insert(member.name.clone(), layout.members.len() as u32);
                layout.members.push(member);
            }
            Some(&at) => {
                let sources = self.library.sources();
                let known = &mut layout.members[at as usize];
                if same_declaration(known, &member, sources) || same_class(known, &member, self.library) {
                    // Of an equal declaration in another class only what was said on the way here is new.
                    let is_other = known.origin != member.origin;
                    let further = member.modifiers.into_iter().filter(|(new, lexical)| {
                        let is_own = lexical.class == member.origin && !lexical.around;
                        let is_known = known.modifiers.iter().any(|(old, _)| Rc::ptr_eq(old, new));
                        !(is_known || is_other && is_own)
                    });
                    let further: Vec<_> = further.collect();
                    known.modifiers.splice(0..0, further);
                } else {
                    self.diagnostics.push(
                        Diagnostic::error(Code::E0202, format!("`{}` is declared twice", member.name))
                            .label(member.span, "declared again here")
                            .label(known.span, "first declared here"),
                    );
                }
            }
        }
    }

    /// Whether a class stands for something outside Modelica.
    pub(crate) fn is_external_object(&self, class: ClassId) -> bool {
        let Some(LayoutState::Done(layout)) = self.layouts.get(&class) else { return false };
        layout.classes.iter().any(|&base| &*self.library.class(base).name == "ExternalObject")
    }

    /// Follows a class through short definitions to what it stands for.
    pub(crate) fn type_info(&mut self, class: ClassId) -> Outcome<Rc<TypeInfo>> {
        if let Some(known) = self.type_infos.get(&class) {
            return Ok(known.clone());
        }
        if self.under_construction > MAX_INHERITANCE {
            let node = self.library.class(class);
            return wrong(Code::E0205, format!("`{}` is defined by itself", node.name), node.definition.name.span);
        }
        self.under_construction += 1;
        let built = self.build_type_info(class);
        self.under_construction -= 1;
        let info = Rc::new(built?);
        self.type_infos.insert(class, info.clone());
        if self.under_construction == 0 {
            self.check_promises();
        }
        Ok(info)
    }

    fn build_type_info(&mut self, class: ClassId) -> Outcome<TypeInfo> {
        use modeshift_syntax::ast::ClassKind;
        let definition = self.library.class(class).definition.clone();
        let connector = matches!(definition.kind, ClassKind::Connector | ClassKind::ExpandableConnector);
        if let ClassBody::Short { prefix, base, dimensions, modification } = &definition.body {
            let lexical = self.around(class);
            let own = modification.as_ref().map(|m| Rc::new(Modifier::prepare(m, self.diagnostics)));
            let mut modifiers: Vec<_> = own.into_iter().map(|modifier| (modifier, lexical)).collect();
            let mut dims: Vec<_> = dimensions.iter().map(|dimension| (dimension.clone(), lexical.class)).collect();
            let base = self.lookup_base(base, class)?;
            self.check_base(class, base, definition.span);
            self.check_class(class, &Layout::default());
            return Ok(match base {
                ClassReference::Predefined(ty) => {
                    TypeInfo { scalar: Some(ty), class, modifiers, dimensions: dims, prefix: *prefix, connector }
                }
                ClassReference::Class { class: base, .. } => {
                    let base = self.type_info(base)?;
                    modifiers.extend(base.modifiers.iter().cloned());
                    dims.extend(base.dimensions.iter().cloned());
                    TypeInfo {
                        scalar: base.scalar,
                        class: base.class,
                        modifiers,
                        dimensions: dims,
                        prefix: combined(*prefix, base.prefix),
                        connector: connector || base.connector,
                    }
                }
            });
        }
        let layout = self.layout(class)?;
        let (scalar, modifiers) = layout.scalar.clone().map_or((None, Vec::new()), |(ty, list)| (Some(ty), list));
        let dimensions = layout.dimensions.clone();
        Ok(TypeInfo { scalar, class, modifiers, dimensions, prefix: TypePrefix::default(), connector })
    }
}

/// Deeper chains of `extends` are a mistake.
const MAX_INHERITANCE: usize = 200;

/// The prefixes of a declaration, completed by those of its type.
pub(crate) fn combined(own: TypePrefix, of_type: TypePrefix) -> TypePrefix {
    TypePrefix {
        connector: own.connector.or(of_type.connector),
        variability: own.variability.min(of_type.variability),
        causality: own.causality.or(of_type.causality),
    }
}

/// The new declaration, with what it leaves open taken from the original (Modelica 3.6, 7.3.2): its modifiers
/// stay underneath, and so do condition, dimensions and variability.
pub(crate) fn redeclared(original: &Member, new: Member) -> Member {
    let mut member = new;
    if member.condition.is_none() {
        member.condition = original.condition.clone();
    }
    if member.dimensions.0.is_empty() {
        member.dimensions = original.dimensions.clone();
    }
    member.prefix = combined(member.prefix, original.prefix);
    member.protected |= original.protected;
    member.inner |= original.inner;
    member.outer |= original.outer;
    member.guards = original.guards.clone();
    member
        .modifiers
        .extend(original.modifiers.iter().filter(|(modifier, _)| !original.is_of_default(modifier)).cloned());
    member
}

/// Whether two declarations are one: the same, or equal ones of two classes (Modelica 3.6, 7.1).
fn same_declaration(one: &Member, other: &Member, sources: &SourceMap) -> bool {
    match (&one.kind, &other.kind) {
        (MemberKind::Class(a), MemberKind::Class(b)) => a == b,
        (MemberKind::Component(a), MemberKind::Component(b)) => {
            let text = |component: &Component| crate::classes::lookup::path_text(&component.type_name);
            let words = |component: &Component| -> Vec<String> {
                let written = component.modification.as_ref().map_or("", |written| sources.text(written.span));
                written.split_whitespace().map(str::to_string).collect()
            };
            let equal = || text(a) == text(b) && a.prefix == b.prefix && words(a).concat() == words(b).concat();
            Arc::ptr_eq(a, b) || (one.origin != other.origin && equal())
        }
        _ => false,
    }
}

/// Whether two classes of one name are written alike, so that it does not matter which one is meant (7.1).
fn same_class(one: &Member, other: &Member, library: &Library) -> bool {
    let (MemberKind::Class(one), MemberKind::Class(other)) = (&one.kind, &other.kind) else { return false };
    let words = |class: ClassId| library.sources().text(library.class(class).definition.span).split_whitespace();
    library.class(*one).parent != library.class(*other).parent && words(*one).eq(words(*other))
}

/// The parameters of a class that a modification may set, with whether each has a value already.
fn open_parameters(layout: &Layout) -> Vec<(&str, bool)> {
    let is_open = |it: &&Member| {
        it.prefix.variability == Variability::Parameter && !it.protected && !it.is_final && it.component().is_some()
    };
    let has_value = |it: &Member| it.modifiers.iter().any(|(modifier, _)| modifier.value.is_some());
    layout.members.iter().filter(is_open).map(|it| (&*it.name, has_value(it))).collect()
}

//! Whether a class offers what another asks for (Modelica 3.6, 6.4), as far as names and predefined types tell.
//!
//! Asked of components only: what a package or a function has to offer is seen where it is used. Types of elements are
//! compared where both are predefined; a class inside may still be redeclared.

use std::sync::Arc;

use modeshift_dae::Type;
use modeshift_syntax::ast::{ClassKind, Path};

use crate::classes::Classes;
use crate::classes::layout::Member;
use crate::classes::library::ClassId;
use crate::classes::lookup::{ClassReference, Written};
use crate::failure::{Failure, Outcome};
use crate::restrictions::is_function;

/// What a class lacks.
pub(crate) enum Lack {
    /// It has no such element.
    Element(Arc<str>),
    /// It has that element, of another type, or is of another type itself.
    Type(Option<Arc<str>>),
    /// It has another number of dimensions.
    Dimensions,
}

impl Classes<'_> {
    /// The class of a name, seen from inside a class, by the classes alone.
    pub(crate) fn class_seen_from(&mut self, path: &Path, class: ClassId) -> Outcome<ClassReference> {
        let first = &path.parts[0].name;
        let mut found = if path.global { self.find_at_top(first)? } else { self.find_member(class, first)? };
        if found.is_none() && !path.global {
            found = self.find_outside(class, first)?;
        }
        match found {
            Some(Written::Predefined(ty)) => self.rest_of_class(path, ClassReference::Predefined(ty)),
            Some(Written::Class(class) | Written::Element { class: Some(class), .. }) => {
                self.rest_of_class(path, ClassReference::of(class))
            }
            _ => Err(Failure::Reported),
        }
    }

    /// What `offered` lacks of what `wanted` has; `None` where nothing is known to be missing.
    pub(crate) fn lack(&mut self, offered: ClassReference, wanted: ClassReference) -> Option<Lack> {
        if offered == wanted {
            return None;
        }
        let (of_offered, of_wanted) = (self.scalar_of(offered)?, self.scalar_of(wanted)?);
        match (of_offered, of_wanted) {
            (Some(one), Some(other)) => (!self.is_same(one, other)).then_some(Lack::Type(None)),
            (None, None) => self.lacking_element(offered, wanted),
            _ => Some(Lack::Type(None)),
        }
    }

    fn lacking_element(&mut self, offered: ClassReference, wanted: ClassReference) -> Option<Lack> {
        let (ClassReference::Class { class: offered, .. }, ClassReference::Class { class: wanted, .. }) =
            (offered, wanted)
        else {
            return None;
        };
        let kind = self.library.class(wanted).definition.kind;
        if is_function(kind) || matches!(kind, ClassKind::Package | ClassKind::Operator) {
            return None;
        }
        let (has, wants) = (self.layout(offered).ok()?, self.layout(wanted).ok()?);
        for member in &wants.members {
            let is_asked_for = member.component().is_some() && !member.protected && member.condition.is_none();
            if !is_asked_for {
                continue;
            }
            let Some(own) = has.member(&member.name).filter(|own| !own.protected) else {
                return Some(Lack::Element(member.name.clone()));
            };
            if let (Some(one), Some(other)) = (self.scalar_of_member(own), self.scalar_of_member(member))
                && !self.is_same(one, other)
            {
                return Some(Lack::Type(Some(member.name.clone())));
            }
        }
        None
    }

    /// The predefined type that a class is, or none; `None` where that cannot be told.
    pub(crate) fn scalar_of(&mut self, class: ClassReference) -> Option<Option<Type>> {
        match class {
            ClassReference::Predefined(ty) => Some(Some(ty)),
            ClassReference::Class { class, .. } => self.type_info(class).ok().map(|info| info.scalar),
        }
    }

    fn scalar_of_member(&mut self, member: &Member) -> Option<Type> {
        let component = member.component()?;
        let class = self.class_seen_from(&component.type_name, member.origin).ok()?;
        self.scalar_of(class)?
    }

    /// Enumerations are the same where their literals are; `enumeration(:)` leaves them open.
    fn is_same(&self, one: Type, other: Type) -> bool {
        match (one, other) {
            (Type::Enumeration(one), Type::Enumeration(other)) => {
                let (one, other) = (&self.enumerations.all[one].literals, &self.enumerations.all[other].literals);
                one == other || one.is_empty() || other.is_empty()
            }
            _ => one == other,
        }
    }
}

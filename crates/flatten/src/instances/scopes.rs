//! Names at a place: which component or class a name means in an instance, or in a class that is looked into.
//!
//! [`lookup`](crate::classes::lookup) finds what is written; elements are then taken from the instance where there
//! is one, so that redeclared classes and modified parameters are the ones meant.

use std::sync::Arc;

use modeshift_syntax::ast::Path;

use crate::classes::layout::MemberKind;
use crate::classes::library::ClassId;
use crate::classes::lookup::{ClassReference, Written, not_a_class};
use crate::failure::Outcome;
use crate::flattener::Flattener;
use crate::instances::modification::Scope;
use crate::instances::tree::{InstanceId, Slot};

/// What a name means.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    /// The component at this position of an instance.
    Component(InstanceId, u32),
    /// A class.
    Class(ClassReference),
    /// The literal at this position, from 0, of an enumeration.
    Literal(ClassId, u32),
}

impl Flattener<'_> {
    /// What an identifier means in a scope; `None` where nothing has that name.
    pub(crate) fn find(&mut self, name: &Arc<str>, scope: Scope) -> Outcome<Option<Found>> {
        let mut scope = scope;
        loop {
            if let Some(found) = self.find_member(scope, name)? {
                return Ok(Some(found));
            }
            let context = self.context_of(scope);
            if context.is_none() || self.classes.library.class(scope.class).definition.encapsulated {
                let written = self.classes.find_outside(scope.class, name)?;
                return self.outside_instances(written);
            }
            if let Some(written) = self.classes.find_import(scope.class, name)? {
                return self.outside_instances(Some(written));
            }
            let Some(parent) = self.classes.library.class(scope.class).parent else { return Ok(None) };
            scope = Scope { instance: context, class: parent };
        }
    }

    /// The instance in which the class of a scope was written, where there is one.
    fn context_of(&self, scope: Scope) -> Option<InstanceId> {
        let context = self.instances[scope.instance?].context?;
        let parent = self.classes.library.class(scope.class).parent?;
        self.instances[context].layout.classes.contains(&parent).then_some(context)
    }

    /// The element of this name of the class of a scope, own or inherited.
    fn find_member(&mut self, scope: Scope, name: &Arc<str>) -> Outcome<Option<Found>> {
        let written = self.classes.find_member(scope.class, name)?;
        match (scope.instance, written) {
            (Some(instance), Some(Written::Element { .. })) => self.find_in_instance(instance, name),
            _ => self.outside_instances(written),
        }
    }

    /// What is written, where no instance has a say in it.
    fn outside_instances(&mut self, written: Option<Written>) -> Outcome<Option<Found>> {
        match written {
            None => Ok(None),
            Some(Written::Predefined(ty)) => Ok(Some(Found::Class(ClassReference::Predefined(ty)))),
            Some(Written::Class(class)) => Ok(Some(Found::Class(ClassReference::of(class)))),
            Some(Written::Literal { of, position }) => Ok(Some(Found::Literal(of, position))),
            Some(Written::Element { of, class: Some(class), .. }) => {
                let class = self.classes.as_seen_in(of, class);
                Ok(Some(Found::Class(ClassReference::of(class))))
            }
            Some(Written::Element { of, position, class: None }) => {
                let name = self.classes.layout(of)?.members[position as usize].name.clone();
                let instance = self.static_instance(of)?;
                self.find_in_instance(instance, &name)
            }
        }
    }

    /// The element of an instance of this name.
    pub(crate) fn find_in_instance(&mut self, instance: InstanceId, name: &Arc<str>) -> Outcome<Option<Found>> {
        let Some(&at) = self.instances[instance].layout.index.get(name) else { return Ok(None) };
        let member = &self.instances[instance].layout.members[at as usize];
        match member.kind {
            // Of `inner outer` the class itself sees what is around it (Modelica 3.6, 5.4).
            MemberKind::Component(_) if member.inner && member.outer => {
                match self.instances.outer_slot(instance, member) {
                    Some(Slot::Outer(instance, at)) => Ok(Some(Found::Component(instance, at))),
                    _ => Ok(Some(Found::Component(instance, at))),
                }
            }
            MemberKind::Component(_) => Ok(Some(Found::Component(instance, at))),
            MemberKind::Class(_) => match self.slot(instance, at)? {
                Slot::Class(class) => Ok(Some(Found::Class(class))),
                _ => Ok(None),
            },
        }
    }

    /// The element of a class, without climbing out of it.
    pub(crate) fn find_in_class(&mut self, class: ClassReference, name: &Arc<str>) -> Outcome<Option<Found>> {
        let written = self.classes.find_in_class(class, name)?;
        self.outside_instances(written)
    }

    /// The first identifier of a name that starts with a dot or not.
    pub(crate) fn find_first(&mut self, global: bool, name: &Arc<str>, scope: Scope) -> Outcome<Option<Found>> {
        if !global {
            return self.find(name, scope);
        }
        let written = self.classes.find_at_top(name)?;
        self.outside_instances(written)
    }

    /// The class of a dotted name.
    pub(crate) fn lookup_class(&mut self, path: &Path, scope: Scope) -> Outcome<ClassReference> {
        match self.find_first(path.global, &path.parts[0].name, scope)? {
            None => Err(self.classes.unknown_class(path, Some(scope.class))),
            Some(Found::Component(instance, at)) => Err(not_a_class(path, self.instances.member(instance, at).span)),
            Some(Found::Class(class)) => self.classes.rest_of_class(path, class),
            Some(Found::Literal(class, _)) => {
                Err(not_a_class(path, self.classes.library.class(class).definition.name.span))
            }
        }
    }
}

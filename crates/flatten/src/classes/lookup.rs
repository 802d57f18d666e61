//! Names: which element or class a name means at a place (Modelica 3.6, 5.3 and 13.2).
//!
//! The first identifier is sought among the elements of the class, inherited ones included, then its imports,
//! then in the enclosing class and so on; an `encapsulated` class ends the climb. Further identifiers are sought
//! inside what was found and nowhere else. Elements are found in the instance where there is one, so that
//! redeclared classes and modified parameters are the ones meant.

use std::sync::Arc;

use modeshift_dae::Type;
use modeshift_diagnostics::Diagnostic;
use modeshift_syntax::ast::{ElementKind, Ident, Import, Path, Reference};

use crate::classes::layout::MemberKind;
use crate::classes::library::{ClassId, ROOT, elements};
use crate::failure::{Failure, Outcome};
use crate::flattener::Flattener;
use crate::instances::instance::{InstanceId, Slot};
use crate::instances::modification::Scope;
use crate::suggestion::with_suggestion;

/// A class, or a predefined type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClassReference {
    /// `Real`, `Integer`, `Boolean`, `String`
    Predefined(Type),
    /// A class of the tree.
    Class {
        class: ClassId,
        /// The instance in which it was written, for classes inside models.
        context: Option<InstanceId>,
    },
}

/// What a name means.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    /// The component at this position of an instance.
    Component(InstanceId, u32),
    /// A class.
    Class(ClassReference),
}

fn class_only(class: ClassId) -> Found {
    Found::Class(ClassReference::Class { class, context: None })
}

impl Flattener<'_> {
    /// What an identifier means in a scope; `None` where nothing has that name.
    pub(crate) fn find(&mut self, name: &Arc<str>, scope: Scope) -> Outcome<Option<Found>> {
        let mut scope = scope;
        loop {
            if let Some(found) = self.find_member(scope, name)? {
                return Ok(Some(found));
            }
            if scope.instance.is_none() || self.context_of(scope).is_none() {
                return self.find_outside(scope.class, name);
            }
            if let Some(found) = self.find_import(scope.class, name)? {
                return Ok(Some(found));
            }
            let Some(parent) = self.library.class(scope.class).parent else { return Ok(None) };
            scope = Scope { instance: self.context_of(scope), class: parent };
        }
    }

    /// The instance in which the class of a scope was written, where there is one.
    fn context_of(&self, scope: Scope) -> Option<InstanceId> {
        let context = self.instances[scope.instance?].context?;
        let parent = self.library.class(scope.class).parent?;
        self.instances[context].layout.classes.contains(&parent).then_some(context)
    }

    /// What an identifier means that is not an element of `class`: by its imports, or in the classes around it.
    fn find_outside(&mut self, class: ClassId, name: &Arc<str>) -> Outcome<Option<Found>> {
        let key = (class, name.clone());
        if let Some(known) = self.found_outside.get(&key) {
            return Ok(*known);
        }
        let found = match self.find_import(class, name)? {
            Some(found) => Some(found),
            None => self.find_around(class, name)?,
        };
        self.found_outside.insert(key, found);
        Ok(found)
    }

    fn find_around(&mut self, class: ClassId, name: &Arc<str>) -> Outcome<Option<Found>> {
        let node = self.library.class(class);
        let Some(parent) = node.parent.filter(|_| !node.definition.encapsulated) else {
            return Ok(self.find_predefined(name));
        };
        let scope = Scope { instance: None, class: parent };
        match self.find_member(scope, name)? {
            Some(found) => Ok(Some(found)),
            None => self.find_outside(parent, name),
        }
    }

    fn find_predefined(&mut self, name: &str) -> Option<Found> {
        let ty = match name {
            "Real" => Type::Real,
            "Integer" => Type::Integer,
            "Boolean" => Type::Boolean,
            "String" => Type::String,
            "StateSelect" | "AssertionLevel" | "ExternalObject" => {
                return self.library.child(ROOT, name, self.diagnostics).map(class_only);
            }
            _ => return None,
        };
        Some(Found::Class(ClassReference::Predefined(ty)))
    }

    /// The element of this name of the class of a scope, own or inherited.
    pub(crate) fn find_member(&mut self, scope: Scope, name: &Arc<str>) -> Outcome<Option<Found>> {
        if scope.class == ROOT || self.layout_is_busy(scope.class) {
            return Ok(self.library.child(scope.class, name, self.diagnostics).map(class_only));
        }
        let layout = self.layout(scope.class)?;
        let Some(&at) = layout.index.get(name) else {
            let classes = layout.classes.iter().rev();
            for &class in classes {
                if let Some(found) = self.library.child(class, name, self.diagnostics) {
                    return Ok(Some(class_only(found)));
                }
            }
            return Ok(None);
        };
        let instance = match (scope.instance, &layout.members[at as usize].kind) {
            (Some(instance), _) => instance,
            (None, MemberKind::Class(class)) => return Ok(Some(class_only(*class))),
            (None, MemberKind::Component(_)) => self.static_instance(scope.class)?,
        };
        let Some(&at) = self.instances[instance].layout.index.get(name) else { return Ok(None) };
        match self.instances[instance].layout.members[at as usize].kind {
            MemberKind::Component(_) => Ok(Some(Found::Component(instance, at))),
            MemberKind::Class(_) => match self.slot(instance, at)? {
                Slot::Class(class) => Ok(Some(Found::Class(class))),
                _ => Ok(None),
            },
        }
    }

    /// What the imports of a class say about a name; unqualified imports come last.
    fn find_import(&mut self, class: ClassId, name: &Arc<str>) -> Outcome<Option<Found>> {
        let definition = self.library.class(class).definition.clone();
        let imports = elements(&definition).iter().filter_map(|element| match &element.kind {
            ElementKind::Import(import) => Some(import),
            _ => None,
        });
        let mut all = Vec::new();
        for import in imports {
            let (path, last) = match import {
                Import::Qualified(path) if path.parts.last().is_some_and(|part| part.name == *name) => (path, None),
                Import::Renamed(alias, path) if alias.name == *name => (path, None),
                Import::List(path, names) => match names.iter().find(|listed| listed.name == *name) {
                    Some(listed) => (path, Some(listed)),
                    None => continue,
                },
                Import::All(path) => {
                    all.push(path);
                    continue;
                }
                _ => continue,
            };
            let found = self.find_global(&path.parts, last)?;
            return match found {
                Some(found) => Ok(Some(found)),
                None => Err(unknown(&path_text(path), path.span, "the imported").into()),
            };
        }
        for path in all {
            if let Some(Found::Class(package)) = self.find_global(&path.parts, None)?
                && let Some(found) = self.find_in_class(package, name)?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn find_global(&mut self, parts: &[Ident], last: Option<&Ident>) -> Outcome<Option<Found>> {
        let mut found = class_only(ROOT);
        for part in parts.iter().chain(last) {
            let Found::Class(class) = found else { return Ok(None) };
            match self.find_in_class(class, &part.name)? {
                Some(next) => found = next,
                None => return Ok(None),
            }
        }
        Ok(Some(found))
    }

    /// The element of a class, without climbing out of it.
    pub(crate) fn find_in_class(&mut self, class: ClassReference, name: &Arc<str>) -> Outcome<Option<Found>> {
        match class {
            ClassReference::Predefined(_) => Ok(None),
            ClassReference::Class { class, .. } => self.find_member(Scope { instance: None, class }, name),
        }
    }

    /// The first identifier of a name that starts with a dot or not.
    pub(crate) fn find_first(&mut self, global: bool, name: &Arc<str>, scope: Scope) -> Outcome<Option<Found>> {
        match global {
            false => self.find(name, scope),
            true => match self.find_in_class(ClassReference::Class { class: ROOT, context: None }, name)? {
                Some(found) => Ok(Some(found)),
                None => Ok(self.find_predefined(name)),
            },
        }
    }

    /// The class of a dotted name.
    pub(crate) fn lookup_class(&mut self, path: &Path, scope: Scope) -> Outcome<ClassReference> {
        let first = &path.parts[0];
        let found = self.find_first(path.global, &first.name, scope)?;
        self.rest_of_class(path, found, Some(scope))
    }

    /// The class named in an `extends` or short class definition of `class`: found without what it inherits.
    pub(crate) fn lookup_base(&mut self, path: &Path, class: ClassId) -> Outcome<ClassReference> {
        let first = &path.parts[0].name;
        let is_short =
            matches!(self.library.class(class).definition.body, modeshift_syntax::ast::ClassBody::Short { .. });
        let own = if path.global || is_short { None } else { self.library.child(class, first, self.diagnostics) };
        let found = match own {
            Some(own) => Some(class_only(own)),
            None if path.global => self.find_first(true, first, Scope { instance: None, class })?,
            None if is_short => self.find_around(class, first)?,
            None => self.find_outside(class, first)?,
        };
        let parent = self.library.class(class).parent.map(|class| Scope { instance: None, class });
        self.rest_of_class(path, found, parent)
    }

    fn rest_of_class(&mut self, path: &Path, first: Option<Found>, scope: Option<Scope>) -> Outcome<ClassReference> {
        let mut found = match first {
            Some(found) => found,
            None => {
                let diagnostic = unknown(&path.parts[0].name, path.parts[0].span, "class");
                return Err(self.suggest_names(diagnostic, &path.parts[0].name, scope).into());
            }
        };
        for part in &path.parts[1..] {
            let Found::Class(class) = found else { break };
            found = match self.find_in_class(class, &part.name)? {
                Some(next) => next,
                None => return Err(self.unknown_in_class(class, part)),
            };
        }
        match found {
            Found::Class(class) => Ok(class),
            Found::Component(instance, at) => {
                let span = self.instances[instance].layout.members[at as usize].span;
                let message = format!("`{}` is a component, not a class", path_text(path));
                Err(Diagnostic::error("E0203", message)
                    .label(path.span, "used as a class")
                    .label(span, "declared here")
                    .into())
            }
        }
    }

    /// `part` was not found inside `class`.
    pub(crate) fn unknown_in_class(&mut self, class: ClassReference, part: &Ident) -> Failure {
        let ClassReference::Class { class, .. } = class else {
            return unknown(&part.name, part.span, "name").into();
        };
        let message = format!("`{}` has no element `{}`", self.library.class(class).name, part.name);
        let diagnostic = Diagnostic::error("E0201", message).label(part.span, "not found");
        match self.layout(class) {
            Ok(layout) => with_suggestion(diagnostic, &part.name, layout.index.keys().map(|name| &**name)).into(),
            Err(_) => diagnostic.into(),
        }
    }

    /// Adds the nearest names of a scope and of those around it.
    pub(crate) fn suggest_names(&mut self, diagnostic: Diagnostic, name: &str, scope: Option<Scope>) -> Diagnostic {
        let mut names: Vec<Arc<str>> = ["Real", "Integer", "Boolean", "String"].map(Arc::from).to_vec();
        let mut class = scope.map(|scope| scope.class);
        while let Some(at) = class {
            if !self.layout_is_busy(at)
                && at != ROOT
                && let Ok(layout) = self.layout(at)
            {
                names.extend(layout.index.keys().cloned());
            }
            class = self.library.class(at).parent;
        }
        names.extend(self.library.given().iter().map(|&given| self.library.class(given).name.clone()));
        with_suggestion(diagnostic, name, names.iter().map(|name| &**name))
    }
}

/// Nothing has this name.
pub(crate) fn unknown(name: &str, span: modeshift_diagnostics::Span, what: &str) -> Diagnostic {
    Diagnostic::error("E0201", format!("unknown {what} `{name}`")).label(span, "not found")
}

/// `A.B.C`
pub(crate) fn path_text(path: &Path) -> String {
    let names: Vec<&str> = path.parts.iter().map(|part| &*part.name).collect();
    format!("{}{}", if path.global { "." } else { "" }, names.join("."))
}

/// `a.b.c`, without subscripts.
pub(crate) fn reference_text(reference: &Reference) -> String {
    let names: Vec<&str> = reference.parts.iter().map(|part| &*part.name.name).collect();
    names.join(".")
}

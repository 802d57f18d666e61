//! Names in classes: which element or class a name means there (Modelica 3.6, 5.3 and 13.2).
//!
//! The first identifier is sought among the elements of the class, inherited ones included, then its imports,
//! then in the enclosing class and so on; an `encapsulated` class ends the climb. Further identifiers are sought
//! inside what was found and nowhere else. What an instance makes of the name, for it may redeclare a class, is
//! the matter of [`scopes`](crate::instances::scopes).

use std::sync::Arc;

use modeshift_dae::Type;
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{ClassBody, ClassKind, ElementKind, Ident, Import, Path, Reference};

use crate::classes::Classes;
use crate::classes::builtin_library;
use crate::classes::layout::MemberKind;
use crate::classes::library::{ClassId, ROOT, elements};
use crate::failure::{Failure, Outcome};
use crate::instances::tree::InstanceId;
use crate::restrictions::visibility::imported_twice;
use crate::suggestion::{with_names, with_suggestion};

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

impl ClassReference {
    /// A class that is the same for all instances.
    pub(crate) fn of(class: ClassId) -> Self {
        ClassReference::Class { class, context: None }
    }
}

/// What a name means, by the classes alone.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Written {
    /// A predefined type.
    Predefined(Type),
    /// A class that no instance changes.
    Class(ClassId),
    /// The element at this position of a class, its own or inherited, and the class that it is, unless a component.
    Element { of: ClassId, position: u32, class: Option<ClassId> },
    /// The literal at this position, from 0, of an enumeration that is imported from.
    Literal { of: ClassId, position: u32 },
}

impl Written {
    /// Whether the same element is meant.
    fn is_same(self, other: Written) -> bool {
        match (self, other) {
            (Written::Predefined(one), Written::Predefined(other)) => one == other,
            (
                Written::Element { class: None, of, position },
                Written::Element { class: None, of: from, position: at },
            ) => of == from && position == at,
            (Written::Literal { of, position }, Written::Literal { of: from, position: at }) => {
                of == from && position == at
            }
            (one, other) => one.class() == other.class(),
        }
    }

    /// The class that is meant, unless a component is.
    fn class(self) -> Option<ClassReference> {
        match self {
            Written::Predefined(ty) => Some(ClassReference::Predefined(ty)),
            Written::Class(class) => Some(ClassReference::of(class)),
            Written::Element { class, .. } => class.map(ClassReference::of),
            Written::Literal { .. } => None,
        }
    }
}

impl Classes<'_> {
    /// What an identifier means that is not an element of `class`: by its imports, or in the classes around it.
    pub(crate) fn find_outside(&mut self, class: ClassId, name: &Arc<str>) -> Outcome<Option<Written>> {
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

    fn find_around(&mut self, class: ClassId, name: &Arc<str>) -> Outcome<Option<Written>> {
        let node = self.library.class(class);
        let Some(parent) = node.parent.filter(|_| !node.definition.encapsulated) else {
            return Ok(self.find_predefined(name));
        };
        let written_in = node.written_in;
        match (self.find_in_or_around(parent, name)?, written_in) {
            (None, Some(written_in)) => self.find_in_or_around(written_in, name),
            (found, _) => Ok(found),
        }
    }

    fn find_in_or_around(&mut self, class: ClassId, name: &Arc<str>) -> Outcome<Option<Written>> {
        match self.find_member(class, name)? {
            Some(found) => Ok(Some(found)),
            None => self.find_outside(class, name),
        }
    }

    /// A function of a package as the package sees it: one that it inherits uses what the package redeclares.
    pub(crate) fn as_seen_in(&mut self, package: ClassId, class: ClassId) -> ClassId {
        let is = |id: ClassId, kind: ClassKind| self.library.class(id).definition.kind == kind;
        let is_inherited = self.library.class(class).parent != Some(package);
        if !is_inherited || !is(package, ClassKind::Package) || !is(class, ClassKind::Function) {
            return class;
        }
        if let Some(&known) = self.inherited.get(&(package, class)) {
            return known;
        }
        let seen = self.library.add_inherited(class, package);
        if let Some(&base) = self.extended.get(&class) {
            self.extended.insert(seen, base);
        }
        self.inherited.insert((package, class), seen);
        seen
    }

    pub(crate) fn find_predefined(&mut self, name: &str) -> Option<Written> {
        let ty = match name {
            "Real" => Type::Real,
            "Integer" => Type::Integer,
            "Boolean" => Type::Boolean,
            "String" => Type::String,
            "StateSelect" | "AssertionLevel" | "ExternalObject" => {
                return self.library.child(ROOT, name, self.diagnostics).map(Written::Class);
            }
            _ => return None,
        };
        Some(Written::Predefined(ty))
    }

    /// The element of this name of a class, own or inherited.
    pub(crate) fn find_member(&mut self, class: ClassId, name: &Arc<str>) -> Outcome<Option<Written>> {
        if class == ROOT || self.layout_is_busy(class) {
            return Ok(self.library.child(class, name, self.diagnostics).map(Written::Class));
        }
        let layout = self.layout(class)?;
        if let Some(&position) = layout.index.get(name) {
            let nested = match layout.members[position as usize].kind {
                MemberKind::Class(nested) => Some(nested),
                MemberKind::Component(_) => None,
            };
            return Ok(Some(Written::Element { of: class, position, class: nested }));
        }
        for &class in layout.classes.iter().rev() {
            if let Some(found) = self.library.child(class, name, self.diagnostics) {
                return Ok(Some(Written::Class(found)));
            }
        }
        Ok(None)
    }

    /// What the imports of a class say about a name; unqualified imports come last.
    pub(crate) fn find_import(&mut self, class: ClassId, name: &Arc<str>) -> Outcome<Option<Written>> {
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
                Some(found) => {
                    self.check_imported(found, path.span)?;
                    Ok(Some(found))
                }
                None => Err(self.with_library(unknown(&path_text(path), path.span, "import"), usize::MAX).into()),
            };
        }
        let mut first: Option<(Written, Span)> = None;
        for path in all {
            let Some(package) = self.find_global(&path.parts, None)?.and_then(Written::class) else { continue };
            let Some(found) = self.find_in_class(package, name)? else { continue };
            if !self.is_imported_with_all(package, found, path.span)? {
                continue;
            }
            match first {
                None => first = Some((found, path.span)),
                Some((known, _)) if known.is_same(found) => {}
                Some((_, place)) => return Err(imported_twice(name, place, path.span).into()),
            }
        }
        Ok(first.map(|(found, _)| found))
    }

    fn find_global(&mut self, parts: &[Ident], last: Option<&Ident>) -> Outcome<Option<Written>> {
        let mut found = Written::Class(ROOT);
        for part in parts.iter().chain(last) {
            let Some(class) = found.class() else { return Ok(None) };
            match self.find_in_class(class, &part.name)? {
                Some(next) => found = next,
                None => match self.find_literal(class, &part.name) {
                    Some(literal) => found = literal,
                    None => return Ok(None),
                },
            }
        }
        Ok(Some(found))
    }

    /// The literal of this name where a class is an enumeration.
    fn find_literal(&mut self, class: ClassReference, name: &Arc<str>) -> Option<Written> {
        let ClassReference::Class { class: of, .. } = class else { return None };
        let ClassBody::Enumeration(Some(literals)) = &self.library.class(of).definition.body else { return None };
        let position = literals.iter().position(|literal| literal.name.name == *name)?;
        Some(Written::Literal { of, position: position as u32 })
    }

    /// The element of a class, without climbing out of it.
    pub(crate) fn find_in_class(&mut self, class: ClassReference, name: &Arc<str>) -> Outcome<Option<Written>> {
        match class {
            ClassReference::Predefined(_) => Ok(None),
            ClassReference::Class { class, .. } => self.find_member(class, name),
        }
    }

    /// What an identifier means at the top level.
    pub(crate) fn find_at_top(&mut self, name: &Arc<str>) -> Outcome<Option<Written>> {
        match self.find_member(ROOT, name)? {
            Some(found) => Ok(Some(found)),
            None => Ok(self.find_predefined(name)),
        }
    }

    /// The class named in an `extends` or short class definition of `class`: found without what it inherits.
    pub(crate) fn lookup_base(&mut self, path: &Path, class: ClassId) -> Outcome<ClassReference> {
        let first = &path.parts[0];
        let is_short = matches!(self.library.class(class).definition.body, ClassBody::Short { .. });
        let own = if path.global || is_short { None } else { self.library.child(class, &first.name, self.diagnostics) };
        let found = match own {
            Some(own) => Some(Written::Class(own)),
            None if path.global => self.find_at_top(&first.name)?,
            None if is_short => self.find_around(class, &first.name)?,
            None => self.find_outside(class, &first.name)?,
        };
        match found {
            None => Err(self.unknown_class(path, self.library.class(class).parent)),
            Some(Written::Element { of, position, class: None }) => Err(self.not_a_class(path, of, position)),
            Some(Written::Literal { of, .. }) => Err(not_a_class(path, self.library.class(of).definition.name.span)),
            Some(Written::Element { class: Some(class), .. } | Written::Class(class)) => {
                self.rest_of_class(path, ClassReference::of(class))
            }
            Some(Written::Predefined(ty)) => self.rest_of_class(path, ClassReference::Predefined(ty)),
        }
    }

    /// The class of a dotted name whose first identifier means `first`.
    pub(crate) fn rest_of_class(&mut self, path: &Path, first: ClassReference) -> Outcome<ClassReference> {
        let mut class = first;
        for part in &path.parts[1..] {
            if let ClassReference::Class { class, .. } = class {
                self.check_seen(class, part)?;
            }
            class = match self.find_in_class(class, &part.name)? {
                None => return Err(self.unknown_in_class(class, part)),
                Some(Written::Element { of, position, class: None }) => {
                    return Err(self.not_a_class(path, of, position));
                }
                Some(Written::Literal { of, .. }) => {
                    return Err(not_a_class(path, self.library.class(of).definition.name.span));
                }
                Some(Written::Element { class: Some(class), .. } | Written::Class(class)) => ClassReference::of(class),
                Some(Written::Predefined(ty)) => ClassReference::Predefined(ty),
            };
        }
        Ok(class)
    }

    fn not_a_class(&mut self, path: &Path, of: ClassId, position: u32) -> Failure {
        match self.layout(of) {
            Ok(layout) => not_a_class(path, layout.members[position as usize].span),
            Err(failure) => failure,
        }
    }

    /// Nothing has the first name of a path, seen from `class`.
    pub(crate) fn unknown_class(&mut self, path: &Path, class: Option<ClassId>) -> Failure {
        if let Some(import) = self.import_of_nothing(class) {
            let diagnostic = unknown(&path_text(&import), import.span, "package");
            return self.with_library(diagnostic, usize::MAX).into();
        }
        let first = &path.parts[0];
        let diagnostic = unknown(&first.name, first.span, "class");
        let diagnostic = self.suggest_names(diagnostic, &first.name, class);
        self.with_library(diagnostic, path.parts.len()).into()
    }

    /// An `import A.B.*` of the class or of those around it whose package is not there: what is missed may be in it.
    fn import_of_nothing(&mut self, class: Option<ClassId>) -> Option<Path> {
        let mut class = class;
        while let Some(at) = class {
            let definition = self.library.class(at).definition.clone();
            for element in elements(&definition) {
                if let ElementKind::Import(Import::All(path)) = &element.kind
                    && matches!(self.find_global(&path.parts, None), Ok(None))
                {
                    return Some(path.clone());
                }
            }
            class = self.library.class(at).parent;
        }
        None
    }

    /// `part` was not found inside `class`.
    pub(crate) fn unknown_in_class(&mut self, class: ClassReference, part: &Ident) -> Failure {
        let ClassReference::Class { class, .. } = class else {
            return unknown(&part.name, part.span, "name").into();
        };
        let message = format!("`{}` has no element `{}`", self.library.class(class).name, part.name);
        let diagnostic = Diagnostic::error(Code::E0201, message).label(part.span, "not found");
        let mut names = self.library.names_of_classes(class);
        if let Ok(layout) = self.layout(class) {
            names.extend(layout.index.keys().cloned());
        }
        if let ClassBody::Enumeration(Some(literals)) = &self.library.class(class).definition.body {
            names.extend(literals.iter().map(|literal| literal.name.name.clone()));
        }
        let names = || names.iter().map(|name| &**name);
        let diagnostic = with_suggestion(diagnostic, &part.name, names());
        let node = self.library.class(class);
        match builtin_library::is_modelica(&node.name, &node.definition) && diagnostic.help.is_none() {
            true => diagnostic
                .help(format!("the rest of `Modelica` is a library: say where it is, {WHERE_LIBRARIES_ARE}"))
                .into(),
            false => with_names(diagnostic, names()).into(),
        }
    }

    /// Where a dotted name begins with nothing known, it may be that of a library.
    pub(crate) fn with_library(&self, diagnostic: Diagnostic, parts: usize) -> Diagnostic {
        match diagnostic.help {
            None if parts > 1 && diagnostic.code == Code::E0201 => {
                diagnostic.help(format!("if it is a library, say where it is: {WHERE_LIBRARIES_ARE}"))
            }
            _ => diagnostic,
        }
    }

    /// Adds the nearest names of a class and of those around it.
    pub(crate) fn suggest_names(&mut self, diagnostic: Diagnostic, name: &str, class: Option<ClassId>) -> Diagnostic {
        let names = self.names_around(class);
        with_suggestion(diagnostic, name, names.iter().map(|name| &**name))
    }

    /// The names that a class sees: its own, those of the classes around it, and those at the top.
    pub(crate) fn names_around(&mut self, class: Option<ClassId>) -> Vec<Arc<str>> {
        self.looked_through += 1;
        if self.looked_through > MOST_LOOKED_THROUGH {
            return Vec::new();
        }
        let mut names: Vec<Arc<str>> = ["Real", "Integer", "Boolean", "String"].map(Arc::from).to_vec();
        let mut class = class;
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
        names
    }
}

/// So many unknown names are compared with all that are known: nobody reads as many messages, and all of thousands takes minutes.
const MOST_LOOKED_THROUGH: usize = 200;

/// How a user says where a library is.
const WHERE_LIBRARIES_ARE: &str = "`-L DIR`, or DIR in MODELICAPATH, with its directory in DIR";

/// Nothing has this name; one of the language that is not covered here is said to be that.
pub(crate) fn unknown(name: &str, span: Span, what: &str) -> Diagnostic {
    match not_covered(name) {
        Some(construct) => {
            Diagnostic::error(Code::E0290, format!("unsupported construct: {construct} (`{name}`)")).label(span, "")
        }
        None => Diagnostic::error(Code::E0201, format!("unknown {what} `{name}`")).label(span, "not found"),
    }
}

/// Clocks, which arguments of `sample` may be too.
pub(crate) const CLOCKS: &str = "clocks and clocked equations";

/// The part of the language that gives a name its meaning, where it is not covered here (Modelica 3.6, chapters 9 and 16).
fn not_covered(name: &str) -> Option<&'static str> {
    match name {
        "Clock" | "previous" | "hold" | "subSample" | "superSample" | "shiftSample" | "backSample" | "noClock"
        | "firstTick" | "interval" => Some(CLOCKS),
        "Connections" | "rooted" => Some("overconstrained connections"),
        _ => None,
    }
}

/// A path that leads to a component, declared at `span`, where a class is needed.
pub(crate) fn not_a_class(path: &Path, span: Span) -> Failure {
    let message = format!("`{}` is a component, not a class", path_text(path));
    Diagnostic::error(Code::E0203, message).label(path.span, "used as a class").label(span, "declared here").into()
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

//! Which element or class a name means in a class (Modelica 3.6, 5.3): own elements, inherited ones, imports, then the
//! class around.

use std::sync::Arc;

use modeshift_flatten::{ClassId, ROOT};
use modeshift_syntax::ast::{Class, ClassBody, Component, Element, ElementKind, Import, Path};

use super::{Names, Symbol, predefined};

/// How many lookups may stand inside each other; a circle ends here.
const DEEPEST: usize = 40;

impl Names {
    /// What a name means in a class.
    pub fn lookup(&mut self, scope: ClassId, name: &str) -> Option<Symbol> {
        let mut scope = Some(scope);
        while let Some(class) = scope.filter(|class| *class != ROOT) {
            if let Some(found) = self.member(class, name).or_else(|| self.imported(class, name)) {
                return Some(found);
            }
            let definition = self.definition(class);
            if definition.encapsulated {
                break;
            }
            scope = self.parent(class);
        }
        let predefined = || predefined::name(name).map(Symbol::Predefined);
        predefined().or_else(|| self.child(ROOT, name).map(Symbol::Class))
    }

    /// Whether a name means something in a class because an import gives it this name.
    pub fn is_alias(&mut self, scope: ClassId, name: &str) -> bool {
        let mut scope = Some(scope);
        while let Some(class) = scope.filter(|class| *class != ROOT) {
            if self.member(class, name).is_some() {
                return false;
            }
            let definition = self.definition(class);
            let gives = |element: &Element| matches!(&element.kind, ElementKind::Import(Import::Renamed(alias, _)) if &*alias.name == name);
            if elements(&definition).iter().any(gives) {
                return true;
            }
            scope = self.parent(class).filter(|_| !definition.encapsulated);
        }
        false
    }

    /// The class around a class.
    pub fn parent(&self, class: ClassId) -> Option<ClassId> {
        self.library.class(class).parent
    }

    /// The class that a name means in a class, whatever components there are of this name.
    pub fn lookup_class(&mut self, scope: ClassId, name: &str) -> Option<Symbol> {
        let mut scope = Some(scope);
        while let Some(class) = scope.filter(|class| *class != ROOT) {
            let inside = self.child(class, name).map(Symbol::Class).or_else(|| self.imported(class, name));
            if inside.is_some() {
                return inside;
            }
            scope = self.parent(class).filter(|_| !self.definition(class).encapsulated);
        }
        self.child(ROOT, name).map(Symbol::Class)
    }

    /// What each part of a dotted name means, as far as it leads. A name that is begun before a declaration is read as one with it, of
    /// a component that is called as the first part of the type there: where it leads nowhere, the class of its name is meant.
    pub fn lookup_path<'a>(
        &mut self,
        scope: ClassId,
        global: bool,
        parts: impl IntoIterator<Item = &'a str>,
    ) -> Vec<Symbol> {
        let parts: Vec<&str> = parts.into_iter().collect();
        let Some((first, rest)) = parts.split_first() else { return Vec::new() };
        let begin = match global {
            true => self.child(ROOT, first).map(Symbol::Class),
            false => self.lookup(scope, first),
        };
        let is_component = matches!(begin, Some(Symbol::Component { .. }));
        let found = self.follow(begin, rest);
        if !is_component || found.len() == parts.len() {
            return found;
        }
        let class = self.lookup_class(scope, first);
        let other = self.follow(class, rest);
        if other.len() > found.len() { other } else { found }
    }

    fn follow(&mut self, begin: Option<Symbol>, rest: &[&str]) -> Vec<Symbol> {
        let mut found: Vec<Symbol> = begin.into_iter().collect();
        for part in rest {
            let Some(next) = found.last().cloned().and_then(|symbol| self.inside(&symbol, part)) else { break };
            found.push(next);
        }
        found
    }

    /// The class that a path means.
    pub fn class_of_path(&mut self, scope: ClassId, path: &Path) -> Option<ClassId> {
        let parts: Vec<&str> = path.parts.iter().map(|part| &*part.name).collect();
        let found = self.lookup_path(scope, path.global, parts.iter().copied());
        match found.last() {
            Some(Symbol::Class(class)) if found.len() == parts.len() => Some(*class),
            _ => None,
        }
    }

    /// What a name means inside of something: an element of a class or of the class of a component.
    pub fn inside(&mut self, symbol: &Symbol, name: &str) -> Option<Symbol> {
        let class = self.class_of(symbol)?;
        self.member(class, name)
    }

    /// The class of a symbol: itself, or that of a component.
    pub fn class_of(&mut self, symbol: &Symbol) -> Option<ClassId> {
        match symbol {
            Symbol::Class(class) => Some(*class),
            // Half-written, `A.B A;` looks for its type inside itself.
            Symbol::Component { owner, component, .. } => {
                self.guarded(|names| names.class_of_path(*owner, &component.type_name))
            }
            Symbol::Literal { .. } | Symbol::Iterator(_) | Symbol::Predefined(_) => None,
        }
    }

    /// The predefined type at the end of a chain of short classes, `Real` for a `Modelica.Units.SI.Voltage`.
    pub fn predefined_type(&mut self, owner: ClassId, path: &Path) -> Option<&'static str> {
        if let [only] = path.parts.as_slice()
            && let Some(known) = predefined::TYPES.iter().find(|known| **known == &*only.name)
        {
            return Some(known);
        }
        let class = self.class_of_path(owner, path)?;
        let definition = self.definition(class);
        let ClassBody::Short { base, .. } = &definition.body else { return None };
        let around = self.parent(class)?;
        self.guarded(|names| names.predefined_type(around, base))
    }

    /// An element of a class, its own or an inherited one.
    pub fn member(&mut self, class: ClassId, name: &str) -> Option<Symbol> {
        let (mut pending, mut seen) = (vec![class], Vec::new());
        while let Some(class) = pending.pop() {
            if seen.contains(&class) {
                continue;
            }
            seen.push(class);
            if let Some(found) = self.own_member(class, name) {
                return Some(found);
            }
            pending.extend(self.bases(class).iter().rev());
        }
        None
    }

    fn own_member(&mut self, class: ClassId, name: &str) -> Option<Symbol> {
        let definition = self.definition(class);
        if let Some((component, protected)) = components(&definition).find(|(it, _)| &*it.name.name == name) {
            return Some(Symbol::Component { owner: class, component: component.clone(), protected });
        }
        if let ClassBody::Enumeration(Some(literals)) = &definition.body
            && let Some(literal) = literals.iter().find(|literal| &*literal.name.name == name)
        {
            return Some(Symbol::Literal { owner: class, name: literal.name.clone() });
        }
        self.child(class, name).map(Symbol::Class)
    }

    /// The classes that a class inherits from, or is another name for. Who asks while they are looked for, because classes
    /// inherit each other in a circle, is told of none.
    pub fn bases(&mut self, class: ClassId) -> Arc<[ClassId]> {
        if let Some(known) = self.bases.get(&class) {
            return known.clone();
        }
        self.bases.insert(class, Arc::default());
        let found: Arc<[ClassId]> = self.written_bases(class).into();
        self.bases.insert(class, found.clone());
        found
    }

    fn written_bases(&mut self, class: ClassId) -> Vec<ClassId> {
        let definition = self.definition(class);
        let around = self.parent(class).unwrap_or(ROOT);
        let mut found = Vec::new();
        if let ClassBody::Short { base, .. } = &definition.body {
            found.extend(self.guarded(|names| names.class_of_path(around, base)));
        }
        for element in elements(&definition) {
            if let ElementKind::Extends { base, .. } = &element.kind {
                // What is inherited is not looked for in what is inherited.
                let written = base.parts.first().and_then(|first| self.child(class, &first.name));
                let scope = if written.is_some() { class } else { around };
                let inherited = self.guarded(|names| names.class_of_path(scope, base));
                found.extend(inherited.or_else(|| {
                    let part = base.parts.first()?;
                    let Symbol::Class(first) = self.imported(class, &part.name)? else { return None };
                    base.parts[1..].iter().try_fold(first, |parent, part| self.child(parent, &part.name))
                }));
            }
        }
        found.retain(|base| *base != class);
        found
    }

    /// All elements of a class, own ones first; of one name, the first.
    pub fn members(&mut self, class: ClassId) -> Vec<(Arc<str>, Symbol)> {
        let (mut found, mut seen) = (Vec::new(), Vec::new());
        self.collect_members(class, &mut found, &mut seen);
        let mut names = std::collections::BTreeSet::new();
        found.retain(|(name, _): &(Arc<str>, Symbol)| names.insert(name.clone()));
        found
    }

    fn collect_members(&mut self, class: ClassId, found: &mut Vec<(Arc<str>, Symbol)>, seen: &mut Vec<ClassId>) {
        if seen.contains(&class) || seen.len() > DEEPEST {
            return;
        }
        seen.push(class);
        let definition = self.definition(class);
        for (component, protected) in components(&definition) {
            let symbol = Symbol::Component { owner: class, component: component.clone(), protected };
            found.push((component.name.name.clone(), symbol));
        }
        if let ClassBody::Enumeration(Some(literals)) = &definition.body {
            let symbol = |name| Symbol::Literal { owner: class, name };
            found.extend(literals.iter().map(|it| (it.name.name.clone(), symbol(it.name.clone()))));
        }
        for name in self.names_of_classes(class) {
            if let Some(child) = self.child(class, &name) {
                found.push((name, Symbol::Class(child)));
            }
        }
        for &base in &*self.bases(class) {
            self.collect_members(base, found, seen);
        }
    }

    /// What an import of a class means by a name.
    pub fn imported(&mut self, class: ClassId, name: &str) -> Option<Symbol> {
        let definition = self.definition(class);
        let imports = elements(&definition).iter().filter_map(|element| match &element.kind {
            ElementKind::Import(import) => Some(import),
            _ => None,
        });
        for import in imports {
            let parts = |path: &Path| path.parts.iter().map(|part| part.name.to_string()).collect::<Vec<_>>();
            let target = match import {
                Import::Qualified(path) if path.parts.last().is_some_and(|last| &*last.name == name) => parts(path),
                Import::Renamed(alias, path) if &*alias.name == name => parts(path),
                Import::List(path, list) if list.iter().any(|it| &*it.name == name) => {
                    parts(path).into_iter().chain([name.to_string()]).collect()
                }
                Import::All(path) => {
                    // Whatever is there counts; what is not leaves the other imports their chance.
                    parts(path).into_iter().chain([name.to_string()]).collect()
                }
                _ => continue,
            };
            let found = self.guarded(|names| {
                let found = names.lookup_path(ROOT, true, target.iter().map(String::as_str));
                (found.len() == target.len()).then(|| found.last().cloned()).flatten()
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Goes one level deeper, unless that is too deep.
    fn guarded<T>(&mut self, ask: impl FnOnce(&mut Names) -> Option<T>) -> Option<T> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let answer = ask(self);
        self.depth -= 1;
        answer
    }
}

/// The elements written in a class.
pub fn elements(class: &Class) -> &[Element] {
    match &class.body {
        ClassBody::Long(composition) | ClassBody::Extends(_, composition) => &composition.elements,
        _ => &[],
    }
}

/// Whether a component of a class is declared `inner` or `outer`.
pub fn is_inner_or_outer(class: &Class, name: &str) -> bool {
    let mut pending: Vec<&Element> = elements(class).iter().collect();
    while let Some(element) = pending.pop() {
        match &element.kind {
            ElementKind::Component(component) if &*component.name.name == name => {
                return element.inner || element.outer;
            }
            ElementKind::Conditional(conditional) => {
                pending
                    .extend(conditional.branches.iter().flat_map(|(_, inside)| inside).chain(&conditional.otherwise));
            }
            _ => {}
        }
    }
    false
}

/// The components written in a class, those inside of `if` included, and whether they are protected.
pub fn components(class: &Class) -> impl Iterator<Item = (&Arc<Component>, bool)> {
    let mut pending: Vec<&Element> = elements(class).iter().rev().collect();
    std::iter::from_fn(move || {
        while let Some(element) = pending.pop() {
            match &element.kind {
                ElementKind::Component(component) => return Some((component, element.protected)),
                ElementKind::Conditional(conditional) => {
                    pending.extend(conditional.otherwise.iter().rev());
                    pending.extend(conditional.branches.iter().rev().flat_map(|(_, inside)| inside.iter().rev()));
                }
                _ => {}
            }
        }
        None
    })
}

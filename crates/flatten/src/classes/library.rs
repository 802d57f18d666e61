//! The class tree: every class that was given or found on the library path, read when it is first asked for.
//!
//! Files are read only when a name leads there, so that one example of a large library costs a few dozen files;
//! where they lie is the matter of [`packages`](super::packages).

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{Id, IndexVec};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, SourceMap, Span};
use modeshift_syntax::ast::{Class, ClassBody, ClassKind, Composition, Element, ElementKind, Ident, StoredDefinition};
use rustc_hash::FxHashMap;

use crate::classes::builtin_library;
use crate::classes::files::{Files, Version};
use crate::classes::parsed::Parsed;

/// A class of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(u32);

impl Id for ClassId {
    fn from_index(index: usize) -> Self {
        ClassId(u32::try_from(index).expect("fewer than 2^32 classes"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The unnamed class that contains all top-level classes.
pub const ROOT: ClassId = ClassId(0);

/// One class with its place in the tree.
#[derive(Debug)]
pub struct ClassNode {
    /// Its definition.
    pub definition: Arc<Class>,
    /// The class that contains it; `None` for the root only.
    pub parent: Option<ClassId>,
    /// The class in which it was written, where it is seen as an element of another that inherits it.
    pub(super) written_in: Option<ClassId>,
    /// Its full name, `Modelica.Math.sin`.
    pub name: Arc<str>,
    /// Where further classes of this package are.
    pub(super) directory: Option<PathBuf>,
    /// The classes inside, as far as they were asked for.
    pub(super) children: FxHashMap<Arc<str>, Option<ClassId>>,
}

impl ClassNode {
    /// The class in which it was written, where it is seen as an element of another that inherits it.
    pub(crate) fn written_in(&self) -> Option<ClassId> {
        self.written_in
    }
}

/// All classes known so far, and where more are to be found.
pub struct Library {
    pub(super) files: Rc<dyn Files>,
    pub(super) directories: Vec<PathBuf>,
    sources: SourceMap,
    pub(super) classes: IndexVec<ClassId, ClassNode>,
    given: Vec<ClassId>,
    /// What was parsed for earlier questions, where there may be later ones.
    parsed: Option<Parsed>,
}

impl Library {
    /// A library that reads from `files`, looking for top-level packages in `directories`, first match first.
    pub fn new(files: impl Files + 'static, directories: Vec<PathBuf>) -> Self {
        let root = ClassNode {
            definition: Arc::new(package(Ident { name: "".into(), span: Span::default() })),
            parent: None,
            written_in: None,
            name: "".into(),
            directory: None,
            children: FxHashMap::default(),
        };
        Library {
            files: Rc::new(files),
            directories,
            sources: SourceMap::default(),
            classes: IndexVec::from_iter([root]),
            given: Vec::new(),
            parsed: None,
        }
    }

    /// The same, with what was parsed before; what is parsed now is kept there.
    pub fn keeping(self, parsed: Parsed) -> Self {
        Library { parsed: Some(parsed), ..self }
    }

    /// The texts read so far.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The texts read so far, to add to.
    pub fn sources_mut(&mut self) -> &mut SourceMap {
        &mut self.sources
    }

    /// Takes in a text of the user that has no place among files: its classes go where its `within` says.
    pub fn add_text(&mut self, name: &str, text: &str, diagnostics: &mut Diagnostics) {
        let stored = self.parse(name, text.to_string(), diagnostics);
        let parent = self.enclosing_package(&stored, None, diagnostics);
        for definition in &stored.classes {
            self.give(definition.clone(), parent, None, diagnostics);
        }
    }

    /// Takes in a class of the user.
    pub(super) fn give(
        &mut self,
        definition: Arc<Class>,
        parent: ClassId,
        directory: Option<PathBuf>,
        diagnostics: &mut Diagnostics,
    ) {
        let name = definition.name.name.clone();
        if let Some(&Some(earlier)) = self.classes[parent].children.get(&name) {
            diagnostics.push(declared_twice(&definition, &self.classes[earlier].definition));
            return;
        }
        let id = self.add_class(definition, parent, directory);
        self.classes[parent].children.insert(name, Some(id));
        self.given.push(id);
    }

    /// The class of this id.
    pub fn class(&self, id: ClassId) -> &ClassNode {
        &self.classes[id]
    }

    /// The class of this name directly inside `parent`, not counting inherited ones.
    pub fn child(&mut self, parent: ClassId, name: &str, diagnostics: &mut Diagnostics) -> Option<ClassId> {
        if let Some(known) = self.classes[parent].children.get(name) {
            return *known;
        }
        let found = self.find_child(parent, name, diagnostics);
        self.classes[parent].children.insert(name.into(), found);
        found
    }

    /// The class of a dotted name such as `Package.Model`, from the top.
    pub fn find(&mut self, name: &str, diagnostics: &mut Diagnostics) -> Option<ClassId> {
        name.trim_start_matches('.').split('.').try_fold(ROOT, |parent, part| self.child(parent, part, diagnostics))
    }

    /// The classes that the user gave, in order.
    pub fn given(&self) -> &[ClassId] {
        &self.given
    }

    /// Adds a class that stands in a modification, `redeclare model M = N`, as if it stood in `parent`.
    pub(crate) fn add_class(&mut self, definition: Arc<Class>, parent: ClassId, directory: Option<PathBuf>) -> ClassId {
        let prefix = &self.classes[parent].name;
        let name = match prefix.is_empty() {
            true => definition.name.name.clone(),
            false => format!("{prefix}.{}", definition.name.name).into(),
        };
        self.classes.push(ClassNode {
            definition,
            parent: Some(parent),
            written_in: None,
            name,
            directory,
            children: FxHashMap::default(),
        })
    }

    /// An inherited class as an element of the class that inherits it: names in it are first looked up there.
    pub(crate) fn add_inherited(&mut self, class: ClassId, heir: ClassId) -> ClassId {
        let written_in = self.classes[class].parent;
        let seen = self.add_class(self.classes[class].definition.clone(), heir, None);
        self.classes[seen].written_in = written_in;
        seen
    }

    fn find_child(&mut self, parent: ClassId, name: &str, diagnostics: &mut Diagnostics) -> Option<ClassId> {
        let definition = self.classes[parent].definition.clone();
        if let Some(written) = nested_classes(&definition).find(|class| &*class.name.name == name) {
            return Some(self.add_class(written.clone(), parent, None));
        }
        if parent == ROOT {
            return self.find_top_level(name, diagnostics);
        }
        if let Some(directory) = self.classes[parent].directory.clone() {
            return self.read_class(&directory, name, parent, diagnostics);
        }
        if let Some(text) = builtin_library::text_inside(&self.classes[parent].name, &definition, name) {
            return self.built_in(name, text, parent, diagnostics);
        }
        builtin_library::unit_type(&self.classes[parent].name, &definition, name)
            .map(|class| self.add_class(class, parent, None))
    }

    pub(super) fn parse(&mut self, name: &str, text: String, diagnostics: &mut Diagnostics) -> StoredDefinition {
        let file = self.sources.add(name, text);
        let text = self.sources.file(file).map_or("", |file| file.text());
        modeshift_syntax::parse(file, text, diagnostics).definition()
    }

    /// Parses a text that is not the user's, unless that was done before with the same version of it.
    pub(super) fn parse_or_recall(
        &mut self,
        (name, version): (&str, Option<Version>),
        text: impl FnOnce() -> Result<String, String>,
        diagnostics: &mut Diagnostics,
    ) -> Result<StoredDefinition, String> {
        match (&self.parsed, version) {
            (Some(parsed), Some(version)) => parsed.read((name, version), text, &mut self.sources, diagnostics),
            _ => Ok(self.parse(name, text()?, diagnostics)),
        }
    }
}

/// Two classes of one name in one place.
pub(super) fn declared_twice(again: &Class, first: &Class) -> Diagnostic {
    Diagnostic::error(Code::E0202, format!("`{}` is declared twice", again.name.name))
        .label(again.name.span, "declared again here")
        .label(first.name.span, "first declared here")
}

/// The classes written inside a class.
pub(crate) fn nested_classes(class: &Class) -> impl Iterator<Item = &Arc<Class>> {
    elements(class).iter().filter_map(|element| match &element.kind {
        ElementKind::Class(nested) => Some(nested),
        _ => None,
    })
}

/// The elements written in a class.
pub(crate) fn elements(class: &Class) -> &[Element] {
    composition(class).map_or(&[], |composition| &composition.elements)
}

/// The inside of a class that has one.
pub(crate) fn composition(class: &Class) -> Option<&Composition> {
    match &class.body {
        ClassBody::Long(composition) | ClassBody::Extends(_, composition) => Some(composition),
        _ => None,
    }
}

/// An empty package.
pub(super) fn package(name: Ident) -> Class {
    let span = name.span;
    Class {
        kind: ClassKind::Package,
        name,
        encapsulated: false,
        partial: false,
        impure: false,
        body: ClassBody::Long(Composition::default()),
        description: None,
        annotation: None,
        span,
    }
}

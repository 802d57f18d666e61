//! The class tree: every class that was given or found on the library path, read when it is first asked for.
//!
//! A directory with a `package.mo` is a package, and so is a file with a package in it (Modelica 3.6, 13.4); both
//! are looked into only when a name leads there, so that one example of a large library costs a few dozen files.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use modeshift_dae::{Id, IndexVec};
use modeshift_diagnostics::{Diagnostic, Diagnostics, SourceMap, Span};
use modeshift_syntax::ast::{Class, ClassBody, ClassKind, Composition, Element, ElementKind, Ident, StoredDefinition};
use rustc_hash::FxHashMap;

use crate::classes::builtin_library;
use crate::classes::files::Files;

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
    /// Its full name, `Modelica.Math.sin`.
    pub name: Arc<str>,
    /// Where further classes of this package are.
    directory: Option<PathBuf>,
    /// The classes inside, as far as they were asked for.
    children: FxHashMap<Arc<str>, Option<ClassId>>,
}

/// All classes known so far, and where more are to be found.
pub struct Library {
    files: Box<dyn Files>,
    directories: Vec<PathBuf>,
    sources: SourceMap,
    classes: IndexVec<ClassId, ClassNode>,
    given: Vec<ClassId>,
}

impl Library {
    /// A library that reads from `files`, looking for top-level packages in `directories`, first match first.
    pub fn new(files: impl Files + 'static, directories: Vec<PathBuf>) -> Self {
        let root = ClassNode {
            definition: Arc::new(package(Ident { name: "".into(), span: Span::default() })),
            parent: None,
            name: "".into(),
            directory: None,
            children: FxHashMap::default(),
        };
        Library {
            files: Box::new(files),
            directories,
            sources: SourceMap::default(),
            classes: IndexVec::from_iter([root]),
            given: Vec::new(),
        }
    }

    /// The texts read so far.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The texts read so far, to add to.
    pub fn sources_mut(&mut self) -> &mut SourceMap {
        &mut self.sources
    }

    /// Takes in a text of the user: its classes go where its `within` says.
    pub fn add_text(&mut self, name: &str, text: &str, diagnostics: &mut Diagnostics) {
        let stored = self.parse(name, text.to_string(), diagnostics);
        let parent = self.package_of(&stored, diagnostics);
        for definition in &stored.classes {
            let key = definition.name.name.clone();
            if let Some(Some(earlier)) = self.classes[parent].children.get(&key) {
                let earlier = self.classes[*earlier].definition.name.span;
                diagnostics.push(
                    Diagnostic::error("E0202", format!("`{key}` is declared twice"))
                        .label(definition.name.span, "declared again here")
                        .label(earlier, "first declared here"),
                );
                continue;
            }
            let id = self.add_class(definition.clone(), parent, None);
            self.classes[parent].children.insert(key, Some(id));
            self.given.push(id);
        }
    }

    /// Reads a file of the user.
    pub fn add_file(&mut self, path: &FilePath, diagnostics: &mut Diagnostics) {
        let name = path.display().to_string();
        match self.files.read(path) {
            Ok(text) => self.add_text(&name, &text, diagnostics),
            Err(reason) => {
                diagnostics.push(Diagnostic::error("E0001", format!("cannot read `{name}`: {reason}")));
            }
        }
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

    /// The last model of the given files that is not partial; models at the top before those inside packages.
    pub fn default_model(&mut self, diagnostics: &mut Diagnostics) -> Option<ClassId> {
        let is_model = |class: &Class| {
            matches!(class.kind, ClassKind::Model | ClassKind::Block | ClassKind::Class) && !class.partial
        };
        let mut level = self.given.clone();
        while !level.is_empty() {
            if let Some(found) = level.iter().rev().find(|&&id| is_model(&self.classes[id].definition)) {
                return Some(*found);
            }
            let packages = level.into_iter().filter(|&id| self.classes[id].definition.kind == ClassKind::Package);
            level = packages
                .collect::<Vec<_>>()
                .into_iter()
                .flat_map(|id| self.written_children(id, diagnostics))
                .collect();
        }
        None
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
            name,
            directory,
            children: FxHashMap::default(),
        })
    }

    fn written_children(&mut self, parent: ClassId, diagnostics: &mut Diagnostics) -> Vec<ClassId> {
        let definition = self.classes[parent].definition.clone();
        let names = nested_classes(&definition).map(|class| class.name.name.clone());
        names.filter_map(|name| self.child(parent, &name, diagnostics)).collect()
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
        builtin_library::unit_type(&self.classes[parent].name, &definition, name)
            .map(|class| self.add_class(class, parent, None))
    }

    fn find_top_level(&mut self, name: &str, diagnostics: &mut Diagnostics) -> Option<ClassId> {
        for directory in self.directories.clone() {
            if let Some(found) = self.read_class(&directory, name, ROOT, diagnostics) {
                return Some(found);
            }
        }
        let text = builtin_library::text(name)?;
        let stored = self.parse(&format!("<built-in {name}>"), text.to_string(), diagnostics);
        let definition = stored.classes.into_iter().next()?;
        Some(self.add_class(definition, ROOT, None))
    }

    fn read_class(
        &mut self,
        directory: &FilePath,
        name: &str,
        parent: ClassId,
        diagnostics: &mut Diagnostics,
    ) -> Option<ClassId> {
        let file = directory.join(format!("{name}.mo"));
        let package = directory.join(name).join("package.mo");
        let (path, inside) = match (self.files.is_file(&package), self.files.is_file(&file)) {
            (true, _) => (package, Some(directory.join(name))),
            (false, true) => (file, None),
            (false, false) if parent == ROOT => self.versioned_package(directory, name)?,
            _ => return None,
        };
        let text = match self.files.read(&path) {
            Ok(text) => text,
            Err(reason) => {
                let message = format!("cannot read `{}`: {reason}", path.display());
                diagnostics.push(Diagnostic::error("E0001", message));
                return None;
            }
        };
        let stored = self.parse(&path.display().to_string(), text, diagnostics);
        let definition = stored.classes.into_iter().find(|class| &*class.name.name == name)?;
        Some(self.add_class(definition, parent, inside))
    }

    /// `Modelica 4.1.0/package.mo`, the greatest version first.
    fn versioned_package(&self, directory: &FilePath, name: &str) -> Option<(PathBuf, Option<PathBuf>)> {
        let mut versions: Vec<String> = self.files.directories(directory);
        versions.retain(|entry| entry.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')));
        versions.sort();
        let inside = directory.join(versions.pop()?);
        let path = inside.join("package.mo");
        self.files.is_file(&path).then_some((path, Some(inside)))
    }

    /// The package that `within` names, made up where it does not exist.
    fn package_of(&mut self, stored: &StoredDefinition, diagnostics: &mut Diagnostics) -> ClassId {
        let Some(Some(within)) = &stored.within else { return ROOT };
        let mut parent = ROOT;
        for part in &within.parts {
            parent = match self.child(parent, &part.name, diagnostics) {
                Some(known) => known,
                None => {
                    let made_up = self.add_class(Arc::new(package(part.clone())), parent, None);
                    self.classes[parent].children.insert(part.name.clone(), Some(made_up));
                    made_up
                }
            };
        }
        parent
    }

    fn parse(&mut self, name: &str, text: String, diagnostics: &mut Diagnostics) -> StoredDefinition {
        let file = self.sources.add(name, text);
        let text = self.sources.file(file).map_or("", |file| file.text());
        modeshift_syntax::parse(file, text, diagnostics).definition()
    }
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
fn package(name: Ident) -> Class {
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

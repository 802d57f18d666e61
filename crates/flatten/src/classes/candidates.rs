//! Which class may be meant: the default, and what to say where there is none.

use std::sync::Arc;

use modeshift_diagnostics::{Code, Diagnostic, Diagnostics};
use modeshift_syntax::ast::{Class, ClassKind, ElementKind};
use rustc_hash::FxHashSet;

use crate::classes::library::{ClassId, Library, ROOT, elements, nested_classes};
use crate::classes::{annotations, builtin_library};
use crate::suggestion::with_suggestion;

/// How many classes are looked at to find some to propose: every small library, and of a large one enough.
const MOST_SEARCHED: usize = 3_000;

/// How many classes are proposed.
const MOST_PROPOSED: usize = 6;

impl Library {
    /// The last model of the given files that is not partial; models at the top before those inside packages.
    pub fn default_model(&mut self, diagnostics: &mut Diagnostics) -> Option<ClassId> {
        let mut level = self.given().to_vec();
        while !level.is_empty() {
            if let Some(found) = level.iter().rev().find(|&&id| is_model(&self.class(id).definition)) {
                return Some(*found);
            }
            level.retain(|&id| is_package(&self.class(id).definition));
            level = level.into_iter().flat_map(|id| self.written_children(id, diagnostics)).collect();
        }
        None
    }

    fn written_children(&mut self, parent: ClassId, diagnostics: &mut Diagnostics) -> Vec<ClassId> {
        let definition = self.class(parent).definition.clone();
        let names = nested_classes(&definition).map(|class| class.name.name.clone());
        names.filter_map(|name| self.child(parent, &name, diagnostics)).collect()
    }

    /// The class that a user names: from the top, or else from the package of a given file.
    pub(crate) fn named_model(&mut self, name: &str, diagnostics: &mut Diagnostics) -> Option<ClassId> {
        if let Some(found) = self.find(name, diagnostics) {
            return Some(found);
        }
        let mut around: Vec<ClassId> = self.given().iter().filter_map(|&given| self.class(given).parent).collect();
        around.dedup();
        around
            .into_iter()
            .filter(|&parent| parent != ROOT)
            .find_map(|parent| name.split('.').try_fold(parent, |parent, part| self.child(parent, part, diagnostics)))
    }

    /// There is no model in what was given: which could be named instead.
    pub(crate) fn no_model(&mut self) -> Diagnostic {
        let diagnostic = Diagnostic::error(Code::E0200, "there is no model to flatten");
        let proposed = self.proposed_models();
        if proposed.is_empty() {
            return diagnostic.help("name a class with `-m`, or add a `model` that is not partial");
        }
        let list: Vec<String> = proposed.iter().take(MOST_PROPOSED).map(|name| format!("`{name}`")).collect();
        let more = if proposed.len() > MOST_PROPOSED { ", …" } else { "" };
        diagnostic.help(format!("name a class with `-m`, such as {}{more}", list.join(", ")))
    }

    /// Models in the files of the given packages: those made to be run, or all where none is.
    fn proposed_models(&mut self) -> Vec<Arc<str>> {
        let (mut experiments, mut models) = (Vec::new(), Vec::new());
        let mut pending: Vec<ClassId> = self.given().iter().rev().copied().collect();
        let mut searched = 0;
        while let Some(id) = pending.pop() {
            searched += 1;
            if searched > MOST_SEARCHED || experiments.len() > MOST_PROPOSED {
                break;
            }
            let node = self.class(id);
            let (definition, name) = (node.definition.clone(), node.name.clone());
            if is_model(&definition) {
                if annotations::entry(definition.annotation.as_ref(), "experiment").is_some() {
                    experiments.push(name.clone());
                }
                models.push(name);
            }
            if is_package(&definition) {
                let names = self.names_of_classes(id);
                // What is wrong with files that nobody asked for is not said.
                let ignored = &mut Diagnostics::new();
                pending.extend(names.iter().rev().filter_map(|name| self.child(id, name, ignored)));
            }
        }
        if experiments.is_empty() { models } else { experiments }
    }

    /// There is no class of this name: where the name goes astray, and what is near.
    pub(crate) fn no_class(&mut self, name: &str) -> Diagnostic {
        let (package, missing) = self.deepest(name);
        if package == ROOT {
            let diagnostic = Diagnostic::error(Code::E0201, format!("there is no class `{name}`"));
            let given: Vec<Arc<str>> = self.given().iter().map(|&id| self.class(id).name.clone()).collect();
            return with_suggestion(diagnostic, name, given.iter().map(|name| &**name));
        }
        let inside = self.class(package).name.clone();
        let message = format!("there is no class `{name}`: `{inside}` has no class `{missing}`");
        let names = self.names_of_classes(package);
        with_suggestion(Diagnostic::error(Code::E0201, message), &missing, names.iter().map(|name| &**name))
    }

    /// The innermost class on the way along a dotted name, and the first part that is not there.
    fn deepest(&mut self, name: &str) -> (ClassId, String) {
        let mut class = ROOT;
        let ignored = &mut Diagnostics::new();
        for part in name.trim_start_matches('.').split('.') {
            match self.child(class, part, ignored) {
                Some(found) => class = found,
                None => return (class, part.to_string()),
            }
        }
        (class, String::new())
    }

    /// The names of the classes inside a class, files included, in the order of `package.order`, then as they are
    /// written, then by name.
    pub fn names_of_classes(&self, id: ClassId) -> Vec<Arc<str>> {
        let node = self.class(id);
        let mut names: Vec<Arc<str>> = match id {
            ROOT => self.names_at_the_top(),
            _ => self.order_of(id).unwrap_or_default(),
        };
        names.extend(builtin_library::names_inside(&node.name, &node.definition));
        names.retain(|name| !component_names(&node.definition).any(|component| component == name));
        names.extend(nested_classes(&node.definition).map(|class| class.name.name.clone()));
        names.extend(self.names_of_files(id));
        let mut seen = FxHashSet::default();
        names.retain(|name| seen.insert(name.clone()));
        names
    }

    /// The names of the classes at the top: those that were given, those of the library path, those that are built in.
    fn names_at_the_top(&self) -> Vec<Arc<str>> {
        let given = self.given().iter().filter(|id| self.class(**id).parent == Some(ROOT));
        let mut names: Vec<Arc<str>> = given.map(|id| self.class(*id).name.clone()).collect();
        for directory in &self.directories {
            match self.is_package_directory(directory) {
                true => names.extend(self.files.directory_name(directory).as_deref().map(without_version)),
                false => names.extend(self.names_in(directory).iter().map(|name| without_version(name))),
            }
        }
        names.extend(["Modelica", "Modeshift"].map(Arc::from));
        names
    }

    /// The names of the files and directories that belong to a package, sorted.
    fn names_of_files(&self, id: ClassId) -> Vec<Arc<str>> {
        self.class(id).directory.as_ref().map_or_else(Vec::new, |directory| self.names_in(directory))
    }

    fn names_in(&self, directory: &std::path::Path) -> Vec<Arc<str>> {
        let files = self.files.files(directory).into_iter();
        let mut names: Vec<Arc<str>> = files
            .filter_map(|file| file.strip_suffix(".mo").filter(|stem| *stem != "package").map(Arc::from))
            .collect();
        let mut directories = self.files.directories(directory);
        directories.retain(|name| self.is_package_directory(&directory.join(name)));
        names.extend(directories.into_iter().map(Arc::from));
        names.sort();
        names
    }

    /// What `package.order` lists, where there is one.
    fn order_of(&self, id: ClassId) -> Option<Vec<Arc<str>>> {
        let path = self.class(id).directory.as_ref()?.join("package.order");
        let text = self.files.is_file(&path).then(|| self.files.read(&path).ok())??;
        Some(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(Arc::from).collect())
    }

    /// Everything that the `package.order` of a given package lists must be there.
    pub(super) fn check_order(&self, id: ClassId, diagnostics: &mut Diagnostics) {
        let definition = &self.class(id).definition;
        let mut known: FxHashSet<Arc<str>> = self.names_of_files(id).into_iter().collect();
        known.extend(nested_classes(definition).map(|class| class.name.name.clone()));
        known.extend(component_names(definition).cloned());
        for name in self.order_of(id).unwrap_or_default().into_iter().filter(|name| !known.contains(name)) {
            let message =
                format!("`package.order` lists `{name}`, but package `{}` has no such element", definition.name.name);
            diagnostics.push(Diagnostic::warning(Code::W0216, message).label(definition.name.span, ""));
        }
    }
}

/// `Modelica 4.1.0` is the directory of `Modelica`.
fn without_version(directory: &str) -> Arc<str> {
    directory.split(' ').next().unwrap_or(directory).into()
}

fn component_names(class: &Class) -> impl Iterator<Item = &Arc<str>> {
    elements(class).iter().filter_map(|element| match &element.kind {
        ElementKind::Component(component) => Some(&component.name.name),
        _ => None,
    })
}

/// Whether a class can be flattened and is not a page of documentation: what is run where none is named.
pub fn is_model(class: &Class) -> bool {
    matches!(class.kind, ClassKind::Model | ClassKind::Block | ClassKind::Class)
        && !class.partial
        && !annotations::is_true(class.annotation.as_ref(), "DocumentationClass")
}

/// Whether models are looked for inside a class, where none is named.
pub fn is_package(class: &Class) -> bool {
    class.kind == ClassKind::Package && !annotations::is_true(class.annotation.as_ref(), "DocumentationClass")
}

//! Packages as files and directories (Modelica 3.6, 13.4): where a class is, and what lies around a file.
//!
//! A directory with a `package.mo` is a package, and so is a file with a package in it. From a name the way leads
//! down, to the file of that name. From a file that a user names the way leads up: `within A.B;` says that the
//! directory is that of `B` and the one above that of `A`, and where a `package.mo` is there, that is the package
//! meant, whatever the library path has. Top-level packages beside the outermost one are found too, after those of
//! the library path: `Modelica` needs `ModelicaServices`. Files that disagree with their directory are reported.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use modeshift_diagnostics::{Code, Diagnostic, Diagnostics};
use modeshift_syntax::ast::{Class, Ident, Path, StoredDefinition};

use crate::classes::builtin_library;
use crate::classes::library::{ClassId, Library, ROOT, declared_twice, nested_classes, package};
use crate::classes::lookup::path_text;

/// The file that makes a directory a package.
const PACKAGE_FILE: &str = "package.mo";

/// A file that holds a class, and the directory that belongs to the class.
type Found = (PathBuf, Option<PathBuf>);

impl Library {
    /// Takes in a file of the user, whose text is at hand: its classes go where its `within` says, and names are
    /// found in the packages among whose files it lies.
    pub fn add_file(&mut self, path: &FilePath, text: &str, diagnostics: &mut Diagnostics) {
        let stored = self.parse(&path.display().to_string(), text.to_string(), diagnostics);
        let real = self.place_of(path, &stored);
        let path = real.as_deref().unwrap_or(path);
        let directory = path.parent().unwrap_or(FilePath::new(""));
        let is_package = path.file_name().is_some_and(|name| name == PACKAGE_FILE);
        let (inside, around) = match is_package {
            true => (Some(directory.to_path_buf()), above(directory)),
            false => (None, Some(directory.to_path_buf())),
        };
        let around = around.filter(|around| self.is_package_directory(around));
        let parent = self.enclosing_package(&stored, around.as_deref(), diagnostics);
        self.look_beside(&stored, inside.as_deref(), around.as_deref());
        self.check_missing_within(&stored, around.as_deref(), diagnostics);
        if let Some(first) = stored.classes.first() {
            match &inside {
                Some(inside) => self.check_directory_name(first, inside, parent, diagnostics),
                None if around.is_some() && parent != ROOT => check_file_name(first, path, diagnostics),
                None => {}
            }
        }
        let enclosing = self.classes[parent].definition.clone();
        for (at, definition) in stored.classes.iter().enumerate() {
            let written = nested_classes(&enclosing).find(|class| class.name.name == definition.name.name);
            if let Some(written) = written.filter(|_| around.is_some()) {
                diagnostics.push(declared_twice(definition, written));
            }
            let inside = inside.clone().filter(|_| at == 0);
            self.give(definition.clone(), parent, inside, diagnostics);
        }
        if let Some(&given) = self.given().last().filter(|_| is_package) {
            self.check_order(given, diagnostics);
        }
    }

    /// Where a link leads to a file of a package, if what lies around the link is not that package: the files of the package are there.
    fn place_of(&self, path: &FilePath, stored: &StoredDefinition) -> Option<PathBuf> {
        let directory = path.parent().unwrap_or(FilePath::new(""));
        let is_package = path.file_name().is_some_and(|name| name == PACKAGE_FILE);
        let is_inside = matches!(stored.within, Some(Some(_)));
        let fits = match (is_package, stored.classes.first()) {
            (true, Some(first)) => self.is_directory_of(directory, &first.name.name),
            _ => !is_inside || self.is_package_directory(directory),
        };
        if fits { None } else { self.files.without_links(path) }
    }

    pub(super) fn is_package_directory(&self, directory: &FilePath) -> bool {
        self.files.is_file(&directory.join(PACKAGE_FILE))
    }

    /// The package that `within` names: the one in whose directory `around` the file lies, or one of the library
    /// path, or one made up.
    pub(super) fn enclosing_package(
        &mut self,
        stored: &StoredDefinition,
        around: Option<&FilePath>,
        diagnostics: &mut Diagnostics,
    ) -> ClassId {
        let Some(Some(within)) = &stored.within else { return ROOT };
        let mut directories = self.directories_above(around, within.parts.len());
        // Where the way up ends early, the outer packages are found by name.
        let found_by_name = within.parts.len() - directories.len();
        let mut parent = ROOT;
        for (level, part) in within.parts.iter().enumerate() {
            let directory = if level < found_by_name { None } else { directories.pop() };
            parent = self.enclosing_part(parent, part, directory, within, diagnostics);
        }
        parent
    }

    /// A directory and those above it, innermost first, as far as they are packages, at most `most`.
    fn directories_above(&self, around: Option<&FilePath>, most: usize) -> Vec<PathBuf> {
        let first = around.map(FilePath::to_path_buf);
        let up = std::iter::successors(first, |directory| above(directory));
        up.take(most).take_while(|directory| self.is_package_directory(directory)).collect()
    }

    /// Adds the directory in which the outermost package around a file lies to the library path, as its end.
    fn look_beside(&mut self, stored: &StoredDefinition, inside: Option<&FilePath>, around: Option<&FilePath>) {
        let outermost = match &stored.within {
            Some(Some(within)) => {
                let directories = self.directories_above(around, within.parts.len());
                directories.into_iter().nth(within.parts.len().saturating_sub(1))
            }
            Some(None) | None => inside.map(FilePath::to_path_buf),
        };
        if let Some(beside) = outermost.and_then(|outermost| above(&outermost))
            && !self.directories.contains(&beside)
        {
            self.directories.push(beside);
        }
    }

    /// One of the packages that `within` names.
    fn enclosing_part(
        &mut self,
        parent: ClassId,
        part: &Ident,
        directory: Option<PathBuf>,
        within: &Path,
        diagnostics: &mut Diagnostics,
    ) -> ClassId {
        if let Some(&Some(known)) = self.classes[parent].children.get(&part.name) {
            return known;
        }
        let read = directory.and_then(|directory| self.read_enclosing(parent, part, &directory, within, diagnostics));
        let found = read.or_else(|| self.child(parent, &part.name, diagnostics));
        let found = found.unwrap_or_else(|| self.add_class(Arc::new(package(part.clone())), parent, None));
        self.classes[parent].children.insert(part.name.clone(), Some(found));
        found
    }

    fn read_enclosing(
        &mut self,
        parent: ClassId,
        part: &Ident,
        directory: &FilePath,
        within: &Path,
        diagnostics: &mut Diagnostics,
    ) -> Option<ClassId> {
        let path = directory.join(PACKAGE_FILE);
        let stored = self.read(&path, diagnostics)?;
        let definition = stored.classes.first()?;
        if definition.name.name != part.name {
            let message = format!(
                "`within {}` does not fit the directory: `{}` is the package `{}`",
                path_text(within),
                path.display(),
                full_name(&stored, definition)
            );
            let diagnostic = Diagnostic::error(Code::E0213, message).label(within.span, "");
            diagnostics.push(diagnostic.help("mend `within`, or move the file to the directory of its package"));
            return None;
        }
        self.check_within(&stored, parent, diagnostics);
        Some(self.add_class(definition.clone(), parent, Some(directory.to_path_buf())))
    }

    /// A file without `within` beside a `package.mo` is not part of that package, which is rarely meant.
    fn check_missing_within(
        &mut self,
        stored: &StoredDefinition,
        around: Option<&FilePath>,
        diagnostics: &mut Diagnostics,
    ) {
        let (Some(around), None | Some(None)) = (around, &stored.within) else { return };
        let path = around.join(PACKAGE_FILE);
        // What is wrong with that package is no matter of a file outside it.
        let package = self.read(&path, &mut Diagnostics::new());
        let Some((package, first)) = package.as_ref().and_then(|package| Some((package, package.classes.first()?)))
        else {
            return;
        };
        let Some(own) = stored.classes.first() else { return };
        let package = full_name(package, first);
        let message = format!("`{}` lies in the directory of package `{package}`, but is not in it", own.name.name);
        let help = format!("write `within {package};` on the first line");
        diagnostics.push(Diagnostic::warning(Code::W0213, message).label(own.name.span, "").help(help));
    }

    /// `Lib/Sub/package.mo` is to hold the package `Sub`; a top-level directory may have a version in its name.
    fn check_directory_name(
        &self,
        definition: &Class,
        directory: &FilePath,
        parent: ClassId,
        diagnostics: &mut Diagnostics,
    ) {
        let Some(called) = self.files.directory_name(directory) else { return };
        let name = &definition.name;
        let fits = match parent == ROOT {
            true => self.is_directory_of(directory, &name.name),
            false => called == *name.name,
        };
        if !fits {
            let message = format!("package `{}` is in the directory `{called}`", name.name);
            let help = "call both the same; models that look for the package by its name do not find it";
            diagnostics.push(Diagnostic::warning(Code::W0214, message).label(name.span, "").help(help));
        }
    }

    /// Whether a directory is called like a top-level package, `Modelica` or `Modelica 4.1.0`.
    fn is_directory_of(&self, directory: &FilePath, name: &str) -> bool {
        let called = self.files.directory_name(directory);
        called.is_some_and(|called| {
            called.strip_prefix(name).is_some_and(|version| version.is_empty() || version.starts_with(' '))
        })
    }

    /// A file of a library is taken for what its place says; its `within` should say the same.
    fn check_within(&self, stored: &StoredDefinition, parent: ClassId, diagnostics: &mut Diagnostics) {
        let Some(Some(within)) = &stored.within else { return };
        let expected = &self.classes[parent].name;
        let written = path_text(within);
        if written.trim_start_matches('.') != &**expected {
            let message = match expected.is_empty() {
                true => format!("`within {written}` in a file that is read as a top-level package"),
                false => format!("`within {written}` in a file that is read as part of `{expected}`"),
            };
            diagnostics.push(Diagnostic::warning(Code::W0215, message).label(within.span, ""));
        }
    }

    /// A top-level class: from the library path, or built in.
    pub(super) fn find_top_level(&mut self, name: &str, diagnostics: &mut Diagnostics) -> Option<ClassId> {
        for directory in self.directories.clone() {
            // A directory of the path that is itself a package means that package, and hides what is in it.
            let found = match self.is_package_directory(&directory) {
                true if self.is_directory_of(&directory, name) => {
                    self.read_class_in((directory.join(PACKAGE_FILE), Some(directory)), name, ROOT, diagnostics)
                }
                true => None,
                false => self.read_class(&directory, name, ROOT, diagnostics),
            };
            if found.is_some() {
                return found;
            }
        }
        self.built_in(name, builtin_library::text(name)?, ROOT, diagnostics)
    }

    /// A class whose text is part of the program.
    pub(super) fn built_in(
        &mut self,
        name: &str,
        text: &str,
        parent: ClassId,
        diagnostics: &mut Diagnostics,
    ) -> Option<ClassId> {
        let version = (std::time::SystemTime::UNIX_EPOCH, text.len() as u64);
        let file = (&*format!("<built-in {name}>"), Some(version));
        let stored = self.parse_or_recall(file, || Ok(text.to_string()), diagnostics).ok()?;
        let definition = stored.classes.into_iter().next()?;
        Some(self.add_class(definition, parent, None))
    }

    /// The class of this name in a directory, where there is one.
    pub(super) fn read_class(
        &mut self,
        directory: &FilePath,
        name: &str,
        parent: ClassId,
        diagnostics: &mut Diagnostics,
    ) -> Option<ClassId> {
        let found = self.file_of_class(directory, name, parent)?;
        self.read_class_in(found, name, parent, diagnostics)
    }

    fn read_class_in(
        &mut self,
        (path, inside): Found,
        name: &str,
        parent: ClassId,
        diagnostics: &mut Diagnostics,
    ) -> Option<ClassId> {
        let errors = diagnostics.error_count();
        let stored = self.read(&path, diagnostics)?;
        let Some(definition) = stored.classes.iter().find(|class| &*class.name.name == name) else {
            // Behind a syntax error the class may only be unreadable.
            if diagnostics.error_count() == errors {
                let message = format!("`{}` has no class `{name}`", path.display());
                let first = stored.classes.first().map(|class| class.name.span);
                let diagnostic = Diagnostic::error(Code::E0214, message);
                diagnostics.push(first.into_iter().fold(diagnostic, |it, span| it.label(span, "found instead")));
            }
            return None;
        };
        self.check_within(&stored, parent, diagnostics);
        Some(self.add_class(definition.clone(), parent, inside))
    }

    /// The file that a `modelica://Package.Name/path` means: from the directory of the package, or of the innermost around it that
    /// has one. What is no such address is a path already.
    pub(crate) fn resource(&mut self, address: &str, diagnostics: &mut Diagnostics) -> Option<PathBuf> {
        if let Some(path) = address.strip_prefix("file://") {
            return Some(PathBuf::from(path));
        }
        let Some(inside) = address.strip_prefix("modelica://") else { return Some(PathBuf::from(address)) };
        let (package, path) = inside.split_once('/')?;
        let (mut class, mut directory) = (ROOT, None);
        for name in package.split('.') {
            class = self.child(class, name, diagnostics)?;
            directory = self.classes[class].directory.clone().or(directory);
        }
        Some(directory?.join(path))
    }

    /// What is in a file that is no Modelica.
    pub(crate) fn resource_bytes(&self, path: &FilePath) -> Result<Vec<u8>, String> {
        self.files.bytes(path)
    }

    fn file_of_class(&self, directory: &FilePath, name: &str, parent: ClassId) -> Option<Found> {
        let file = directory.join(format!("{name}.mo"));
        let inside = directory.join(name);
        match (self.is_package_directory(&inside), self.files.is_file(&file)) {
            (true, _) => Some((inside.join(PACKAGE_FILE), Some(inside))),
            (false, true) => Some((file, None)),
            (false, false) if parent == ROOT => self.versioned_package(directory, name),
            (false, false) => None,
        }
    }

    /// `Modelica 4.1.0/package.mo`, the greatest version first.
    fn versioned_package(&self, directory: &FilePath, name: &str) -> Option<Found> {
        let mut versions: Vec<String> = self.files.directories(directory);
        versions.retain(|entry| entry.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')));
        versions.sort();
        let inside = directory.join(versions.pop()?);
        self.is_package_directory(&inside).then(|| (inside.join(PACKAGE_FILE), Some(inside)))
    }

    fn read(&mut self, path: &FilePath, diagnostics: &mut Diagnostics) -> Option<StoredDefinition> {
        let (name, version) = (path.display().to_string(), self.files.version(path));
        let files = self.files.clone();
        match self.parse_or_recall((&name, version), || files.read(path), diagnostics) {
            Ok(stored) => Some(stored),
            Err(reason) => {
                let message = format!("cannot read `{}`: {reason}", path.display());
                diagnostics.push(Diagnostic::error(Code::E0001, message));
                None
            }
        }
    }
}

/// A class in the directory of a package is found by the name of its file.
fn check_file_name(definition: &Class, path: &FilePath, diagnostics: &mut Diagnostics) {
    let name = &definition.name;
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    if stem.is_some_and(|stem| stem != &*name.name) {
        let message = format!("`{}` is in the file `{}`", name.name, path.display());
        let help = "call both the same; models that look for the class by its name do not find it";
        diagnostics.push(Diagnostic::warning(Code::W0214, message).label(name.span, "").help(help));
    }
}

/// The name of a class by its file alone.
fn full_name(stored: &StoredDefinition, definition: &Class) -> String {
    match &stored.within {
        Some(Some(within)) => format!("{}.{}", path_text(within), definition.name.name),
        Some(None) | None => definition.name.name.to_string(),
    }
}

/// The directory above a directory; what the user wrote is kept, so that it can be shown.
fn above(directory: &FilePath) -> Option<PathBuf> {
    match directory.components().next_back() {
        None | Some(std::path::Component::CurDir) => Some(PathBuf::from("..")),
        Some(std::path::Component::ParentDir) => Some(directory.join("..")),
        Some(std::path::Component::Normal(_)) => directory.parent().map(FilePath::to_path_buf),
        Some(std::path::Component::RootDir | std::path::Component::Prefix(_)) => None,
    }
}

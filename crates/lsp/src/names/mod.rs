//! What names mean, as far as an editor has to know: by the declarations alone, without instances, and on text that may
//! be broken. What the flattener makes of a model is in the facts.
//!
//! | module | purpose |
//! |---|---|
//! | `lookup` | which element or class a name means in a class |
//! | `occurrence` | what the name at a place of the text means |
//! | `predefined` | types, attributes and functions of the language itself |

pub mod lookup;
mod occurrence;
pub mod predefined;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use modeshift_diagnostics::{Diagnostics, FileId, Span};
use modeshift_driver::Opened;
use modeshift_flatten::{ClassId, Library, Parsed, ROOT};
use modeshift_syntax::ast::{Class, Component, Ident};

use crate::documents::{Document, own_file};

/// What a name means.
#[derive(Clone, Debug)]
pub enum Symbol {
    /// A class.
    Class(ClassId),
    /// A component, and the class in which it is declared.
    Component {
        /// The class.
        owner: ClassId,
        /// The declaration.
        component: Arc<Component>,
        /// Whether it is in a `protected` section.
        protected: bool,
    },
    /// A literal of an enumeration.
    Literal {
        /// The enumeration.
        owner: ClassId,
        /// The literal.
        name: Ident,
    },
    /// The iterator of a loop, and where it is declared.
    Iterator(Ident),
    /// A type, attribute or function of the language itself.
    Predefined(&'static str),
}

/// The classes that a document sees.
pub struct Names {
    library: Library,
    ignored: Diagnostics,
    /// How many lookups stand inside each other: names may lead to themselves.
    depth: usize,
    /// Of classes that were asked for it, what they inherit from.
    bases: HashMap<ClassId, Arc<[ClassId]>>,
}

impl Names {
    /// The classes of a document, of the packages around it and of the libraries, where other documents may be open.
    pub fn new(document: &Document, libraries: &[PathBuf], parsed: &Parsed, opened: &Opened) -> Names {
        let mut library = Library::new(opened.clone(), libraries.to_vec()).keeping(parsed.clone());
        let mut ignored = Diagnostics::new();
        match &document.path {
            Some(path) => library.add_file(path, document.text.as_str(), &mut ignored),
            None => library.add_text(&document.uri, document.text.as_str(), &mut ignored),
        }
        Names { library, ignored, depth: 0, bases: HashMap::new() }
    }

    /// The definition of a class.
    pub fn definition(&self, class: ClassId) -> Arc<Class> {
        self.library.class(class).definition.clone()
    }

    /// The full name of a class.
    pub fn full_name(&self, class: ClassId) -> Arc<str> {
        self.library.class(class).name.clone()
    }

    /// The classes of the document at its top.
    pub fn given(&self) -> &[ClassId] {
        self.library.given()
    }

    /// The names of the classes inside a class, or at the top.
    pub fn names_of_classes(&self, class: ClassId) -> Vec<Arc<str>> {
        self.library.names_of_classes(class)
    }

    /// The class of this name directly inside.
    pub fn child(&mut self, parent: ClassId, name: &str) -> Option<ClassId> {
        self.library.child(parent, name, &mut self.ignored)
    }

    /// Where a symbol is declared: its name.
    pub fn declaration(&self, symbol: &Symbol) -> Option<Span> {
        match symbol {
            Symbol::Class(class) if *class == ROOT => None,
            Symbol::Class(class) => Some(self.library.class(*class).definition.name.span),
            Symbol::Component { component, .. } => Some(component.name.span),
            Symbol::Literal { name, .. } | Symbol::Iterator(name) => Some(name.span),
            Symbol::Predefined(_) => None,
        }
    }

    /// Whether a file is the document itself.
    pub fn is_own(&self, file: FileId) -> bool {
        file == own_file()
    }

    /// The name and the text of a file.
    pub fn file(&self, file: FileId) -> Option<(&str, &str)> {
        self.library.sources().file(file).map(|file| (file.name(), file.text()))
    }

    /// A declaration as a key that is the same for all documents: the file and the byte.
    pub fn key(&self, span: Span) -> Option<(String, u32)> {
        self.file(span.file).map(|(name, _)| (name.to_string(), span.start))
    }

    /// What is written in a span.
    pub fn written(&self, span: Span) -> &str {
        self.library.sources().text(span)
    }
}

//! The models of a document, and the one that is meant where none is named: for a client that lets choose.

use modeshift_driver::Dialect;
use modeshift_flatten::{is_model, is_package};
use modeshift_syntax::ast::{Class, ElementKind};
use serde_json::{Value, json};

use crate::documents::Document;
use crate::names::lookup::elements;

/// A model as a user names it.
pub struct Model<'d> {
    /// With the packages around it.
    pub name: String,
    /// Its definition.
    pub class: &'d Class,
    /// How many packages of the document are around it; nothing where another class is, inside which no default is looked for.
    depth: Option<usize>,
}

/// The models of a document, in their order.
pub fn models(document: &Document) -> Vec<Model<'_>> {
    let mut found = Vec::new();
    if document.dialect == Dialect::Mel {
        return found;
    }
    let within = match &document.definition().within {
        Some(Some(path)) => format!("{path}."),
        _ => String::new(),
    };
    for class in &document.definition().classes {
        add(class, &within, Some(0), &mut found);
    }
    found
}

fn add<'d>(class: &'d Class, prefix: &str, depth: Option<usize>, found: &mut Vec<Model<'d>>) {
    let name = format!("{prefix}{}", class.name.name);
    let inside = depth.filter(|_| is_package(class)).map(|depth| depth + 1);
    let nested = elements(class).iter().filter_map(|element| match &element.kind {
        ElementKind::Class(nested) => Some(nested),
        _ => None,
    });
    let prefix = format!("{name}.");
    if is_model(class) {
        found.push(Model { name, class, depth });
    }
    nested.for_each(|nested| add(nested, &prefix, inside, found));
}

/// The same for a client: names, and which is the default, as `Library::default_model` chooses it: the last one with the fewest packages
/// around.
pub fn listed(document: &Document) -> Value {
    let models = models(document);
    let fewest = models.iter().filter_map(|it| it.depth).min();
    let default = models.iter().rposition(|it| fewest.is_some() && it.depth == fewest);
    let listed = models.iter().enumerate();
    listed.map(|(at, it)| json!({"name": it.name, "isDefault": Some(at) == default})).collect()
}

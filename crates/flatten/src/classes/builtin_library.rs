//! What is known of the `Modelica` package without a library: elementary functions, constants and units.
//!
//! Written as Modelica text and read like any other package, but only where no library on the path has a
//! `Modelica`. A unit type that is not listed is a plain `Real`, so that a model which only wants the name works.

use std::sync::Arc;

use modeshift_syntax::ast::{Class, ClassBody, ClassKind, Ident, Path, TypePrefix};

/// The text of the built-in top-level class of this name.
pub(crate) fn text(name: &str) -> Option<&'static str> {
    match name {
        "Modelica" => Some(MODELICA),
        "StateSelect" => Some("type StateSelect = enumeration(never, avoid, default, prefer, always);"),
        "AssertionLevel" => Some("type AssertionLevel = enumeration(warning, error);"),
        "ExternalObject" => Some("partial class ExternalObject end ExternalObject;"),
        _ => None,
    }
}

/// A unit type that the text does not list.
pub(crate) fn unit_type(package: &str, definition: &Class, name: &str) -> Option<Arc<Class>> {
    let is_unit_package = matches!(package, "Modelica.Units.SI" | "Modelica.SIunits");
    let starts_like_a_type = name.starts_with(|first: char| first.is_ascii_uppercase());
    let is_built_in = definition.description.as_deref() == Some(BUILT_IN);
    if !is_unit_package || !starts_like_a_type || !is_built_in {
        return None;
    }
    let name = Ident { name: name.into(), span: definition.span };
    let real = Ident { name: "Real".into(), span: definition.span };
    Some(Arc::new(Class {
        kind: ClassKind::Type,
        name,
        encapsulated: false,
        partial: false,
        impure: false,
        body: ClassBody::Short {
            prefix: TypePrefix::default(),
            base: Path { global: true, parts: vec![real], span: definition.span },
            dimensions: Vec::new(),
            modification: None,
        },
        description: None,
        annotation: None,
        span: definition.span,
    }))
}

/// The description by which the packages of the text below are recognised.
const BUILT_IN: &str = "built in";

const MODELICA: &str = include_str!("builtin_library.mo");

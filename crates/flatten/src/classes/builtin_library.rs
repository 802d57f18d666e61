//! What is known without a library: elementary functions, constants and units of `Modelica`, and the elements of `Modeshift`.
//!
//! Written as Modelica text and read like any other package, but only where no library on the path has a
//! `Modelica`. A unit type that is not listed is a plain `Real`, so that a model which only wants the name works.

use std::sync::{Arc, OnceLock};

use miniz_oxide::inflate::decompress_to_vec_zlib;
use modeshift_syntax::ast::{Class, ClassBody, ClassKind, Ident, Path, TypePrefix};

/// The text of the built-in top-level class of this name.
pub(crate) fn text(name: &str) -> Option<&'static str> {
    match name {
        "Modelica" => Some(MODELICA),
        "Modeshift" => Some(MODESHIFT),
        "StateSelect" => Some("type StateSelect = enumeration(never, avoid, default, prefer, always);"),
        "AssertionLevel" => Some("type AssertionLevel = enumeration(warning, error);"),
        "ExternalObject" => Some("partial class ExternalObject end ExternalObject;"),
        _ => None,
    }
}

/// The text of a package inside a built-in one, which has the given full name and definition.
pub(crate) fn text_inside(package: &str, definition: &Class, name: &str) -> Option<&'static str> {
    let is_built_in = is_modeshift(package, definition);
    let found = MODESHIFT_PACKAGES.iter().find(|(known, ..)| is_built_in && *known == name);
    found.map(|&(_, start, end)| &modeshift_texts()[start..end])
}

/// The names of the packages inside a built-in one.
pub(crate) fn names_inside(package: &str, definition: &Class) -> impl Iterator<Item = Arc<str>> {
    let is_built_in = is_modeshift(package, definition);
    MODESHIFT_PACKAGES.iter().filter(move |_| is_built_in).map(|(name, ..)| Arc::from(*name))
}

/// Whether this is the part of `Modelica` that is known without its library.
pub(crate) fn is_modelica(package: &str, definition: &Class) -> bool {
    package == "Modelica" && definition.description.as_deref() == Some(BUILT_IN)
}

fn is_modeshift(package: &str, definition: &Class) -> bool {
    package == "Modeshift" && definition.description.as_deref() == Some(MODESHIFT_DESCRIPTION)
}

/// A unit type that the text does not list.
pub(crate) fn unit_type(package: &str, definition: &Class, name: &str) -> Option<Arc<Class>> {
    let is_unit_package = matches!(package, "Modelica.Units.SI" | "Modelica.SIunits");
    let is_predefined = matches!(name, "Real" | "Integer" | "Boolean" | "String");
    let starts_like_a_type = name.starts_with(|first: char| first.is_ascii_uppercase()) && !is_predefined;
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

/// The library of elements that comes with the program, `library/Modeshift`.
const MODESHIFT: &str = include_str!("../../../../library/Modeshift/package.mo");
const MODESHIFT_DESCRIPTION: &str = "Ideal elements whose equations change during a run";
/// The packages inside, packed by `build.rs`: name, and where its text starts and ends.
const MODESHIFT_PACKAGES: [(&str, usize, usize); 5] = include!(concat!(env!("OUT_DIR"), "/modeshift.rs"));

/// The texts of the packages, one behind the other.
fn modeshift_texts() -> &'static str {
    static TEXTS: OnceLock<String> = OnceLock::new();
    TEXTS.get_or_init(|| {
        let packed = include_bytes!(concat!(env!("OUT_DIR"), "/modeshift.zlib"));
        let bytes = decompress_to_vec_zlib(packed).expect("packed when this was built");
        String::from_utf8(bytes).expect("texts were packed")
    })
}

//! Names that cannot be declared, or not twice (Modelica 3.6, 4.9, 4.9.5.1 and 13.2.1.1).

use modeshift_diagnostics::{Code, Diagnostic, Diagnostics};
use modeshift_syntax::ast::{Class, ClassBody, ElementKind, EnumerationLiteral, Ident, Import};

use crate::classes::library::elements;

/// The predefined types.
const TYPES: [&str; 4] = ["Real", "Integer", "Boolean", "String"];

/// The attributes of enumerations, which share their names with the literals.
const ATTRIBUTES: [&str; 5] = ["quantity", "min", "max", "start", "fixed"];

/// Checks the names that a class declares.
pub(crate) fn check(class: &Class, diagnostics: &mut Diagnostics) {
    check_reserved(&class.name, diagnostics);
    if let ClassBody::Enumeration(Some(literals)) = &class.body {
        check_literals(class, literals, diagnostics);
    }
    let mut imported: Vec<&Ident> = Vec::new();
    for element in elements(class) {
        match &element.kind {
            ElementKind::Component(component) => check_reserved(&component.name, diagnostics),
            ElementKind::Class(nested) => check_reserved(&nested.name, diagnostics),
            ElementKind::Import(Import::Qualified(path)) => check_import(path.parts.last(), &mut imported, diagnostics),
            ElementKind::Import(Import::Renamed(name, _)) => check_import(Some(name), &mut imported, diagnostics),
            ElementKind::Import(Import::List(_, names)) => {
                names.iter().for_each(|name| check_import(Some(name), &mut imported, diagnostics));
            }
            _ => {}
        }
    }
}

fn check_reserved(name: &Ident, diagnostics: &mut Diagnostics) {
    if TYPES.contains(&&*name.name) {
        let message = format!("`{}` is the name of a predefined type and cannot be declared", name.name);
        diagnostics.push(Diagnostic::error(Code::E0240, message).label(name.span, "").help("choose another name"));
    }
}

fn check_literals(class: &Class, literals: &[EnumerationLiteral], diagnostics: &mut Diagnostics) {
    for (at, literal) in literals.iter().enumerate() {
        let name = &literal.name;
        if ATTRIBUTES.contains(&&*name.name) {
            let message = format!("`{}` is an attribute of enumerations and cannot be a literal of one", name.name);
            diagnostics.push(Diagnostic::error(Code::E0240, message).label(name.span, "").help("choose another name"));
        }
        if let Some(first) = literals[..at].iter().find(|known| known.name.name == name.name) {
            let message = format!("`{}` is a literal of `{}` twice", name.name, class.name.name);
            let diagnostic = Diagnostic::error(Code::E0240, message).label(name.span, "again here");
            diagnostics.push(diagnostic.label(first.name.span, "first here").help("remove one of them"));
        }
    }
}

fn check_import<'a>(name: Option<&'a Ident>, imported: &mut Vec<&'a Ident>, diagnostics: &mut Diagnostics) {
    let Some(name) = name else { return };
    if let Some(first) = imported.iter().find(|known| known.name == name.name) {
        let message = format!("`{}` is imported twice", name.name);
        let diagnostic = Diagnostic::error(Code::E0239, message).label(name.span, "again here");
        let help = format!("give one of them another name: `import Other = … .{};`", name.name);
        diagnostics.push(diagnostic.label(first.span, "first here").help(help));
    }
    imported.push(name);
}

//! Which elements are seen from outside a class: public ones (Modelica 3.6, 4.1), and of a class that is not a package
//! only what stands for itself (5.3.2).

use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{ClassKind, Ident, Variability};

use crate::classes::Classes;
use crate::classes::layout::{Layout, Member, MemberKind};
use crate::classes::library::ClassId;
use crate::classes::lookup::{ClassReference, Written};
use crate::failure::Outcome;
use crate::instances::modification::Layer;

/// A protected element that is used by `a.b`.
pub(crate) fn is_protected(member: &Member, place: Span) -> Diagnostic {
    let message = format!("`{}` is protected and cannot be used from outside its class", member.name);
    let help = format!("declare `{}` in a public section, or a public element with its value", member.name);
    Diagnostic::error(Code::E0233, message).label(place, "used here").label(member.span, "declared here").help(help)
}

impl Classes<'_> {
    /// Whether `name` may be used as an element of `class`, written `class.name`.
    pub(crate) fn check_seen(&mut self, class: ClassId, name: &Ident) -> Outcome<()> {
        if class == crate::classes::library::ROOT || self.layout_is_busy(class) {
            return Ok(());
        }
        let layout = self.layout(class)?;
        let Some(member) = layout.member(&name.name) else { return Ok(()) };
        if member.protected {
            return Err(is_protected(member, name.span).into());
        }
        let definition = self.library.class(class).definition.clone();
        let MemberKind::Class(nested) = member.kind else { return Ok(()) };
        let is_package = definition.kind == ClassKind::Package || is_like_a_package(&layout);
        let nested = &self.library.class(nested).definition;
        if is_package || nested.encapsulated {
            return Ok(());
        }
        let message = format!(
            "`{}` stands in `{}`, which has variables of its own: it cannot be used from outside",
            name.name, definition.name.name
        );
        let help = format!("move `{0}` into a package, or write `encapsulated` in front of it", name.name);
        let diagnostic = Diagnostic::error(Code::E0239, message).label(name.span, "used here");
        Err(diagnostic.label(nested.name.span, "declared here").help(help).into())
    }

    /// A constant is not looked up in a class that is partial (5.3.2).
    pub(crate) fn check_whole(&mut self, class: ClassId, name: &Ident) -> Outcome<()> {
        let definition = self.library.class(class).definition.clone();
        if !definition.partial || self.layout_is_busy(class) {
            return Ok(());
        }
        let layout = self.layout(class)?;
        if layout.member(&name.name).is_none_or(|member| member.component().is_none()) {
            return Ok(());
        }
        let message =
            format!("`{}` is partial: its elements cannot be used before it is filled in", definition.name.name);
        let diagnostic = Diagnostic::error(Code::E0239, message).label(name.span, "used here");
        let help = "use a class that extends it and is not partial";
        Err(diagnostic.label(definition.name.span, "declared here").help(help).into())
    }

    /// What is imported is public, and a package or an element of one (13.2.1.1).
    pub(crate) fn check_imported(&mut self, found: Written, span: Span) -> Outcome<()> {
        let (around, class) = match found {
            Written::Predefined(_) | Written::Literal { .. } => return Ok(()),
            Written::Class(class) => (self.library.class(class).parent, Some(class)),
            Written::Element { of, position, class } => {
                let layout = self.layout(of)?;
                let member = &layout.members[position as usize];
                if member.protected {
                    return Err(is_protected(member, span).into());
                }
                (Some(of), class)
            }
        };
        let is_package = |class: ClassId| self.library.class(class).definition.kind == ClassKind::Package;
        if class.is_some_and(is_package) || around.is_none_or(is_package) {
            return Ok(());
        }
        Err(not_a_package(span).into())
    }

    /// Whether `import P.*` brings an element: public ones come, and from packages only.
    pub(crate) fn is_imported_with_all(&mut self, from: ClassReference, found: Written, span: Span) -> Outcome<bool> {
        if let ClassReference::Class { class, .. } = from
            && self.library.class(class).definition.kind != ClassKind::Package
        {
            return Err(not_a_package(span).into());
        }
        match found {
            Written::Element { of, position, .. } => Ok(!self.layout(of)?.members[position as usize].protected),
            _ => Ok(true),
        }
    }

    /// Modifiers of a component name public elements of its class.
    pub(crate) fn check_modified_are_public(&mut self, layers: &[Layer], layout: &Layout) {
        for layer in layers.iter().filter(|layer| !layer.projected) {
            for (name, child) in &layer.modifier.children {
                if let Some(member) = layout.member(name).filter(|member| member.protected) {
                    let word = if child.redeclare.is_some() { "redeclared" } else { "modified" };
                    let message = format!("`{name}` is protected and cannot be {word} from outside its class");
                    let diagnostic = Diagnostic::error(Code::E0233, message).label(child.span, format!("{word} here"));
                    let help = format!("declare `{name}` in a public section");
                    self.diagnostics.push(diagnostic.label(member.span, "declared here").help(help));
                }
            }
        }
    }
}

fn not_a_package(span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::E0239, "imports take packages and elements of packages");
    diagnostic.label(span, "this is neither").help("move it into a package, or use its full name")
}

/// A name that two packages bring.
pub(crate) fn imported_twice(name: &str, first: Span, second: Span) -> Diagnostic {
    let message = format!("`{name}` is imported from two packages");
    let diagnostic = Diagnostic::error(Code::E0239, message).label(second, "from here").label(first, "and from here");
    diagnostic.help(format!("import the one that is meant by name: `import … .{name};`"))
}

/// Whether a class contains constants and classes only (4.7).
fn is_like_a_package(layout: &Layout) -> bool {
    layout.scalar.is_none()
        && layout.members.iter().all(|member| match member.kind {
            MemberKind::Class(_) => true,
            MemberKind::Component(_) => member.prefix.variability == Variability::Constant,
        })
}

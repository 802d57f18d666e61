//! What may be redeclared, and as what (Modelica 3.6, 7.3.2 and 7.3.3).
//!
//! Whether a new class offers what the old one promised is asked when no class is under construction any more: until
//! then its elements may not be known.

use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{ClassBody, Element, ElementKind, Path, Subscript, Variability};

use crate::classes::Classes;
use crate::classes::layout::{Member, MemberKind};
use crate::classes::library::ClassId;
use crate::classes::lookup::ClassReference;
use crate::restrictions::subtypes::Lack;

/// A class that is meant: by its name where that was written, or itself.
#[derive(Clone, Debug)]
pub(crate) enum Meant {
    Named(Path, ClassId),
    Class(ClassId),
}

/// Where a redeclaration stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Among the elements of the class that inherits the original.
    Element,
    /// In the modification of an `extends`.
    Modifier,
}

/// A class that has to offer what another has.
#[derive(Debug)]
pub(crate) struct Promise {
    offered: Meant,
    wanted: Meant,
    span: Span,
}

/// What the type of a member promises to all that it may become.
fn constraint_of(member: &Member) -> Meant {
    match (&member.constraint, &member.kind) {
        (Some(written), _) => written.clone(),
        (None, MemberKind::Class(class)) => Meant::Class(*class),
        (None, MemberKind::Component(component)) => Meant::Named(component.type_name.clone(), member.origin),
    }
}

/// The constraining type that is written behind an element.
pub(crate) fn written_constraint(element: &Element, class: ClassId) -> Option<Meant> {
    element.constrained_by.as_ref().map(|(path, _)| Meant::Named(path.clone(), class))
}

impl Classes<'_> {
    /// A replaceable element has to be what it says all its replacements are.
    pub(crate) fn promise_of_default(&mut self, member: &Member) {
        if let Some(wanted) = &member.constraint {
            let offered = match &member.kind {
                MemberKind::Class(class) => Meant::Class(*class),
                MemberKind::Component(component) => Meant::Named(component.type_name.clone(), member.origin),
            };
            self.promises.push(Promise { offered, wanted: wanted.clone(), span: member.span });
        }
    }

    /// Checks a redeclaration and lets the new element keep the constraint of the old one.
    pub(crate) fn check_redeclaration(&mut self, original: &Member, new: &mut Member, element: &Element, form: Form) {
        if let Some(diagnostic) = refusal(original, element) {
            self.diagnostics.push(diagnostic);
            return;
        }
        if form == Form::Element && original.protected != element.protected {
            let (one, other) = if original.protected { ("protected", "public") } else { ("public", "protected") };
            let message = format!("`{}` is {one} and cannot become {other}", original.name);
            let diagnostic = Diagnostic::error(Code::E0234, message).label(element.span, "redeclared here");
            let help = format!("move the redeclaration into a {one} section");
            self.diagnostics.push(diagnostic.label(original.span, "declared here").help(help));
        }
        let wanted = constraint_of(original);
        if let Some(own) = &new.constraint {
            self.promises.push(Promise { offered: own.clone(), wanted, span: element.span });
        } else {
            let offered = match &new.kind {
                MemberKind::Class(class) => Meant::Class(*class),
                MemberKind::Component(component) => Meant::Named(component.type_name.clone(), new.origin),
            };
            self.promises.push(Promise { offered, wanted: wanted.clone(), span: element.span });
            new.constraint = Some(wanted);
        }
    }

    /// Checks a redeclaration by a modifier of a component.
    pub(crate) fn check_modifier_redeclaration(&mut self, original: &Member, element: &Element, scope: ClassId) {
        if let Some(diagnostic) = refusal(original, element) {
            self.diagnostics.push(diagnostic);
            return;
        }
        let offered = match &element.kind {
            ElementKind::Component(component) => Meant::Named(component.type_name.clone(), scope),
            ElementKind::Class(class) => match &class.body {
                ClassBody::Short { base, .. } => Meant::Named(base.clone(), scope),
                _ => return,
            },
            _ => return,
        };
        self.promises.push(Promise { offered, wanted: constraint_of(original), span: element.span });
        if self.under_construction() == 0 {
            self.check_promises();
        }
    }

    /// Checks what could not be checked while classes were under construction.
    pub(crate) fn check_promises(&mut self) {
        while let Some(promise) = self.promises.pop() {
            let (Some(offered), Some(wanted)) = (self.meant(&promise.offered), self.meant(&promise.wanted)) else {
                continue;
            };
            let lack = match self.differ_in_dimensions(&promise, offered, wanted) {
                true => Some(Lack::Dimensions),
                false => self.lack(offered, wanted),
            };
            if let Some(lack) = lack {
                let diagnostic = self.broken_promise(&lack, offered, wanted, promise.span);
                self.diagnostics.push(diagnostic);
            }
        }
    }

    fn meant(&mut self, meant: &Meant) -> Option<ClassReference> {
        match meant {
            Meant::Class(class) => Some(ClassReference::of(*class)),
            Meant::Named(path, class) => self.class_seen_from(path, *class).ok(),
        }
    }

    /// The dimensions of a type are its own; a definition `type T = Base[n]` promises those of its base (7.3.2).
    fn differ_in_dimensions(&mut self, promise: &Promise, offered: ClassReference, wanted: ClassReference) -> bool {
        let base = match (&promise.offered, offered) {
            (Meant::Class(class), _) => {
                let definition = self.library.class(*class).definition.clone();
                match &definition.body {
                    ClassBody::Short { base, .. } => self.lookup_base(base, *class).ok(),
                    _ => Some(offered),
                }
            }
            _ => Some(offered),
        };
        let (Some(one), Some(other)) = (base.and_then(|base| self.rank(base)), self.rank(wanted)) else { return false };
        one != other && matches!(promise.wanted, Meant::Named(..))
    }

    fn rank(&mut self, class: ClassReference) -> Option<usize> {
        match class {
            ClassReference::Predefined(_) => Some(0),
            ClassReference::Class { class, .. } => {
                let info = self.type_info(class).ok()?;
                info.scalar.is_some().then_some(info.dimensions.len())
            }
        }
    }

    fn broken_promise(&self, lack: &Lack, offered: ClassReference, wanted: ClassReference, span: Span) -> Diagnostic {
        let (one, other) = (self.class_text(offered), self.class_text(wanted));
        let (message, help) = match lack {
            Lack::Element(name) => (
                format!("{one} cannot stand for {other}: it has no public `{name}`"),
                format!("declare `{name}` in it, or let it extend {other}"),
            ),
            Lack::Type(Some(name)) => (
                format!("{one} cannot stand for {other}: `{name}` has another type"),
                "give it the same type in both".to_string(),
            ),
            Lack::Type(None) => {
                (format!("{one} cannot stand for {other}: it is another type"), "choose a class that is one".into())
            }
            Lack::Dimensions => (
                format!("{one} cannot stand for {other}: it has another number of dimensions"),
                "choose a constraining type with as many dimensions".to_string(),
            ),
        };
        let diagnostic = Diagnostic::error(Code::E0235, message).label(span, "");
        let diagnostic = match wanted {
            ClassReference::Class { class, .. } => {
                diagnostic.label(self.library.class(class).definition.name.span, "what is asked for")
            }
            ClassReference::Predefined(_) => diagnostic,
        };
        diagnostic.help(help)
    }

    pub(crate) fn class_text(&self, class: ClassReference) -> String {
        match class {
            ClassReference::Predefined(ty) => format!("`{}`", crate::expressions::term::type_text(ty)),
            ClassReference::Class { class, .. } => format!("`{}`", self.library.class(class).name),
        }
    }
}

/// Sizes that were left open may be given by a redeclaration with the same type, replaceable or not.
fn only_sizes(original: &Member, element: &Element) -> bool {
    let (MemberKind::Component(old), ElementKind::Component(new)) = (&original.kind, &element.kind) else {
        return false;
    };
    let is_open = original.dimensions.0.iter().any(|dimension| matches!(dimension, Subscript::All(_)));
    let text = crate::classes::lookup::path_text;
    is_open && new.dimensions.len() == original.dimensions.0.len() && text(&old.type_name) == text(&new.type_name)
}

/// Why an element cannot be redeclared at all.
pub(crate) fn refusal(original: &Member, element: &Element) -> Option<Diagnostic> {
    let name = &original.name;
    let is_constant = original.prefix.variability == Variability::Constant && original.component().is_some();
    let (code, message, help) = if original.is_final {
        (Code::E0220, format!("`{name}` is final and cannot be redeclared"), "remove `final` from its declaration")
    } else if !original.replaceable && !only_sizes(original, element) {
        let help = "write `replaceable` in front of its declaration";
        (Code::E0234, format!("`{name}` is not replaceable and cannot be redeclared"), help)
    } else if is_constant {
        (Code::E0234, format!("`{name}` is constant and cannot be redeclared"), "modify its value instead")
    } else {
        return None;
    };
    let diagnostic = Diagnostic::error(code, message).label(element.span, "redeclared here");
    Some(diagnostic.label(original.span, "declared here").help(help))
}

//! The source as classes, components and equations with their places, and where something can be inserted or removed.

use std::sync::Arc;

use modeshift_diagnostics::{Diagnostics, Edit, FileId, Repair, Span};
use modeshift_syntax::ast::{
    Argument, ArgumentKind, Class, ClassBody, ClassKind, Component, Composition, Element, ElementKind, Equation,
    EquationKind, Expression, ExpressionKind, Import, Path, StoredDefinition,
};

/// One file, read again for its places.
pub(super) struct Outline {
    file: FileId,
    pub(super) text: String,
    /// Whether it is part of a package of other files.
    pub(super) is_within: bool,
    /// All classes with their full names, those around others first.
    classes: Vec<(String, Arc<Class>)>,
}

/// A component with the class in which it is written.
#[derive(Clone)]
pub(super) struct Member {
    /// The full name of that class.
    pub(super) class: String,
    /// The element, whose prefixes it has.
    pub(super) element: Element,
    pub(super) component: Arc<Component>,
}

impl Outline {
    pub(super) fn new(file: FileId, text: &str) -> Outline {
        let definition: StoredDefinition = modeshift_syntax::parse(file, text, &mut Diagnostics::new()).definition();
        let within = definition.within.iter().flatten().map(path_text).next().unwrap_or_default();
        let mut classes = Vec::new();
        let mut pending: Vec<(String, Arc<Class>)> =
            definition.classes.iter().rev().map(|class| (joined(&within, &class.name.name), class.clone())).collect();
        while let Some((name, class)) = pending.pop() {
            let nested = elements(&class).iter().rev().filter_map(|element| match &element.kind {
                ElementKind::Class(nested) => Some((joined(&name, &nested.name.name), nested.clone())),
                _ => None,
            });
            pending.extend(nested);
            classes.push((name, class));
        }
        Outline { file, text: text.to_string(), is_within: !within.is_empty(), classes }
    }

    pub(super) fn classes(&self) -> impl Iterator<Item = (&str, &Class)> {
        self.classes.iter().map(|(name, class)| (name.as_str(), &**class))
    }

    /// The class of this full name.
    pub(super) fn class(&self, name: &str) -> Option<&Class> {
        self.classes.iter().find(|(known, _)| known == name).map(|(_, class)| &**class)
    }

    /// The full name of the class that a name means in another class, as far as this file says.
    pub(super) fn resolved(&self, path: &Path, from: &str) -> Option<String> {
        let wanted = path_text(path);
        let mut around = from;
        loop {
            let name = joined(around, &wanted);
            if self.class(&name).is_some() {
                return Some(name);
            }
            if around.is_empty() {
                return None;
            }
            around = around.rsplit_once('.').map_or("", |(around, _)| around);
        }
    }

    /// The full names that a name may have in another class: as it is written, and as imports have it, whether these exist or not.
    pub(super) fn full_names(&self, path: &Path, from: &str) -> Vec<String> {
        let written = path_text(path);
        let (first, rest) =
            written.split_once('.').map_or((written.as_str(), None), |(first, rest)| (first, Some(rest)));
        let imported = self.imports(from).into_iter().filter_map(|(name, of)| match name {
            Some(name) => (name == first).then_some(of),
            None => Some(joined(&of, first)),
        });
        let mut names: Vec<String> = imported.map(|of| rest.map_or(of.clone(), |rest| joined(&of, rest))).collect();
        names.push(written);
        names
    }

    /// The name by which an import lets a class see another one.
    pub(super) fn imported_as(&self, class: &str, from: &str) -> Option<String> {
        let below = |of: &str| class.strip_prefix(of)?.strip_prefix('.');
        self.imports(from).into_iter().find_map(|(name, of)| match name {
            Some(name) if of == class => Some(name),
            Some(name) => below(&of).map(|rest| joined(&name, rest)),
            None => below(&of).filter(|rest| !rest.contains('.')).map(str::to_string),
        })
    }

    /// The imports of a class and those around it: a name with what it stands for, or a package of which all is imported.
    fn imports(&self, from: &str) -> Vec<(Option<String>, String)> {
        let mut found = Vec::new();
        let mut around = Some(from);
        while let Some(name) = around {
            for element in self.class(name).map(elements).unwrap_or_default() {
                let ElementKind::Import(import) = &element.kind else { continue };
                let last = |path: &Path| path.parts.last().map(|part| part.name.to_string());
                match import {
                    Import::Qualified(path) => found.push((last(path), path_text(path))),
                    Import::Renamed(name, path) => found.push((Some(name.name.to_string()), path_text(path))),
                    Import::List(base, names) => found
                        .extend(names.iter().map(|it| (Some(it.name.to_string()), joined(&path_text(base), &it.name)))),
                    Import::All(path) => found.push((None, path_text(path))),
                }
            }
            around = name.rsplit_once('.').map(|(around, _)| around);
        }
        found
    }

    /// The components of a class, inherited ones first; `None` where a base is not in this file.
    pub(super) fn members(&self, name: &str) -> Option<Vec<Member>> {
        self.members_below(name, 0)
    }

    fn members_below(&self, name: &str, depth: usize) -> Option<Vec<Member>> {
        let class = self.class(name).filter(|_| depth < 20)?;
        let mut members = Vec::new();
        for element in elements(class) {
            match &element.kind {
                ElementKind::Extends { base, .. } => {
                    let base = self.resolved(base, name).filter(|base| base != name)?;
                    members.extend(self.members_below(&base, depth + 1)?);
                }
                ElementKind::Component(component) => members.push(Member {
                    class: name.to_string(),
                    element: element.clone(),
                    component: component.clone(),
                }),
                ElementKind::Conditional(_) => return None,
                _ => {}
            }
        }
        Some(members)
    }

    /// The equations of a class, inherited ones first, without initial ones; `None` where a base is not in this file.
    pub(super) fn equations(&self, name: &str) -> Option<Vec<Equation>> {
        self.equations_below(name, 0)
    }

    fn equations_below(&self, name: &str, depth: usize) -> Option<Vec<Equation>> {
        let class = self.class(name).filter(|_| depth < 20)?;
        let mut equations = Vec::new();
        for element in elements(class) {
            if let ElementKind::Extends { base, .. } = &element.kind {
                let base = self.resolved(base, name).filter(|base| base != name)?;
                equations.extend(self.equations_below(&base, depth + 1)?);
            }
        }
        let sections = composition(class).map_or(&[][..], |inside| &inside.equations);
        equations
            .extend(sections.iter().filter(|section| !section.initial).flat_map(|it| it.equations.iter().cloned()));
        Some(equations)
    }

    /// How many components of this file are of a class, elements of an array as two.
    pub(super) fn uses(&self, class: &str) -> usize {
        let of_class = |(name, around): &(String, Arc<Class>)| -> usize {
            let components = all_elements(around).into_iter().filter_map(|element| match &element.kind {
                ElementKind::Component(component) => Some(component),
                _ => None,
            });
            let is_meant = |it: &&Arc<Component>| self.resolved(&it.type_name, name).as_deref() == Some(class);
            components.filter(is_meant).map(|it| if it.dimensions.is_empty() { 1 } else { 2 }).sum()
        };
        self.classes.iter().map(of_class).sum()
    }

    /// The class of the connector that a component is.
    pub(super) fn connector(&self, member: &Member) -> Option<String> {
        let name = self.resolved(&member.component.type_name, &member.class)?;
        let class = self.class(&name)?;
        (class.kind == ClassKind::Connector && member.component.dimensions.is_empty()).then_some(name)
    }

    /// The component in whose declaration a place lies.
    pub(super) fn component_at(&self, place: Span) -> Option<Member> {
        let inside = |span: Span| span.file == place.file && span.start <= place.start && place.end <= span.end;
        for (name, class) in &self.classes {
            for element in all_elements(class) {
                if let ElementKind::Component(component) = &element.kind
                    && inside(component.span)
                {
                    let component = component.clone();
                    return Some(Member { class: name.clone(), element: element.clone(), component });
                }
            }
        }
        None
    }

    /// The component of this name in a class of this file.
    pub(super) fn declared(&self, class: &str, name: &str) -> Option<Member> {
        self.members(class)?.into_iter().find(|member| &*member.component.name.name == name)
    }

    /// All equations of a class itself, those inside `if`, `for` and `when` too.
    pub(super) fn all_equations(&self, class: &str) -> Vec<&Equation> {
        let sections = self.class(class).and_then(composition).map_or(&[][..], |inside| &inside.equations);
        let mut found: Vec<&Equation> = Vec::new();
        let mut pending: Vec<&Equation> = sections.iter().rev().flat_map(|it| it.equations.iter().rev()).collect();
        while let Some(equation) = pending.pop() {
            found.push(equation);
            match &equation.kind {
                EquationKind::If { branches, otherwise } => {
                    pending.extend(otherwise.iter().rev());
                    pending.extend(branches.iter().rev().flat_map(|(_, body)| body.iter().rev()));
                }
                EquationKind::For { body, .. } => pending.extend(body.iter().rev()),
                EquationKind::When(branches) => {
                    pending.extend(branches.iter().rev().flat_map(|(_, body)| body.iter().rev()));
                }
                _ => {}
            }
        }
        found
    }

    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start, end)
    }

    /// What is written at a place; nothing of other files.
    pub(super) fn text_of(&self, span: Span) -> &str {
        let text = self.text.get(span.start as usize..span.end as usize);
        text.filter(|_| span.file == self.file).unwrap_or("")
    }

    /// Behind the next `;` from here, comments and strings left out.
    pub(super) fn behind_semicolon(&self, from: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < bytes.len() {
            let rest = &self.text[at..];
            match bytes[at] {
                b';' => return Some(at + 1),
                b'"' => {
                    at += 1;
                    while at < bytes.len() && bytes[at] != b'"' {
                        at += if bytes[at] == b'\\' { 2 } else { 1 };
                    }
                }
                b'/' if rest.starts_with("//") => at += rest.find('\n')?,
                b'/' if rest.starts_with("/*") => at += rest.find("*/")? + 1,
                _ => {}
            }
            at += 1;
            while at < bytes.len() && !self.text.is_char_boundary(at) {
                at += 1;
            }
        }
        None
    }

    /// The insertion of an equation at the end of a class's equations.
    pub(super) fn new_equation(&self, class: &str, equation: &str) -> Option<Edit> {
        let inside = composition(self.class(class)?)?;
        let section = inside.equations.iter().rev().find(|section| !section.initial && !section.equations.is_empty());
        if let Some(last) = section.and_then(|section| section.equations.last()) {
            let at = self.behind_semicolon(last.span.end as usize)?;
            return Some(Edit { span: self.span(at, at), text: format!("\n  {equation};") });
        }
        let at = self.behind_elements(class)?;
        Some(Edit { span: self.span(at, at), text: format!("\nequation\n  {equation};") })
    }

    /// The insertion of a declaration behind the others of a class.
    pub(super) fn new_declaration(&self, class: &str, declaration: &str) -> Option<Edit> {
        let at = self.behind_elements(class)?;
        Some(Edit { span: self.span(at, at), text: format!("\n  {declaration};") })
    }

    fn behind_elements(&self, class: &str) -> Option<usize> {
        let last = elements(self.class(class)?).iter().map(|element| element.span.end).max()?;
        self.behind_semicolon(last as usize)
    }

    /// A statement with its `;`, and with its line where it stands alone there.
    pub(super) fn whole_statement(&self, span: Span) -> Option<Span> {
        let end = self.behind_semicolon(span.end as usize)?;
        Some(self.with_line(span.start as usize, end))
    }

    /// A piece of text with its line, where it stands alone there.
    pub(super) fn with_line(&self, start: usize, end: usize) -> Span {
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let is_first = self.text[line..start].trim().is_empty();
        let rest = &self.text[end..];
        let line_end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        if is_first && rest[..line_end].trim().is_empty() {
            self.span(line, end + line_end)
        } else if self.text[..start].ends_with(' ') {
            self.span(start - 1, end)
        } else {
            self.span(start, end)
        }
    }

    /// The removal of one component from its declaration.
    pub(super) fn without_component(&self, member: &Member) -> Option<Edit> {
        let span = member.component.span;
        let (start, end) = (span.start as usize, span.end as usize);
        let behind = self.text[end..].trim_start();
        if behind.starts_with(',') {
            let comma = self.text.len() - behind.len() + 1;
            let next = self.text.len() - self.text[comma..].trim_start().len();
            return Some(Edit { span: self.span(start, next), text: String::new() });
        }
        let before = self.text[..start].trim_end();
        if before.ends_with(',') {
            return Some(Edit { span: self.span(before.len() - 1, end), text: String::new() });
        }
        let whole = self.behind_semicolon(end)?;
        let clause = (member.element.span.start as usize).min(start);
        Some(Edit { span: self.with_line(clause, whole), text: String::new() })
    }

    /// A name that is not yet declared in a class.
    pub(super) fn free_name(&self, class: &str, wish: &str) -> String {
        let used =
            |name: &str| self.members(class).is_some_and(|all| all.iter().any(|it| &*it.component.name.name == name));
        let numbered = (2..100).map(|number| format!("{wish}{number}"));
        std::iter::once(wish.to_string()).chain(numbered).find(|name| !used(name)).unwrap_or_else(|| wish.to_string())
    }

    /// Edits under one title; nothing where one of them is not possible.
    pub(super) fn repair(title: String, edits: impl IntoIterator<Item = Option<Edit>>) -> Option<Repair> {
        Some(Repair { title, edits: edits.into_iter().collect::<Option<Vec<Edit>>>()? })
    }
}

impl Member {
    /// The argument of its modification that sets an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&Argument> {
        let arguments = self.component.modification.iter().flat_map(|it| &it.arguments);
        arguments.into_iter().find(|argument| match &argument.kind {
            ArgumentKind::Modify { name: path, .. } => path.parts.len() == 1 && &*path.parts[0].name == name,
            _ => false,
        })
    }

    /// The value that an attribute is set to.
    pub(super) fn attribute_value(&self, name: &str) -> Option<&Expression> {
        match &self.attribute(name)?.kind {
            ArgumentKind::Modify { modification, .. } => modification.as_ref()?.value.as_ref(),
            _ => None,
        }
    }
}

/// The elements written in a class.
fn elements(class: &Class) -> &[Element] {
    composition(class).map_or(&[], |inside| &inside.elements)
}

/// The elements written in a class, those under conditions too.
fn all_elements(class: &Class) -> Vec<&Element> {
    let (mut found, mut pending): (Vec<&Element>, Vec<&Element>) = (Vec::new(), elements(class).iter().collect());
    while let Some(element) = pending.pop() {
        if let ElementKind::Conditional(conditional) = &element.kind {
            pending.extend(&conditional.otherwise);
            pending.extend(conditional.branches.iter().flat_map(|(_, inside)| inside));
        }
        found.push(element);
    }
    found
}

pub(super) fn composition(class: &Class) -> Option<&Composition> {
    match &class.body {
        ClassBody::Long(inside) | ClassBody::Extends(_, inside) => Some(inside),
        _ => None,
    }
}

pub(super) fn path_text(path: &Path) -> String {
    path.parts.iter().map(|part| &*part.name).collect::<Vec<_>>().join(".")
}

fn joined(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_string() } else { format!("{prefix}.{name}") }
}

/// The dotted name that an expression is, without subscripts.
pub(super) fn name_of(expression: &Expression) -> Option<String> {
    match &expression.kind {
        ExpressionKind::Reference(reference) if reference.parts.iter().all(|part| part.subscripts.is_empty()) => {
            Some(reference.parts.iter().map(|part| &*part.name.name).collect::<Vec<_>>().join("."))
        }
        _ => None,
    }
}

//! Modifications with the place where each was written: never text, always (expression, scope, path).
//!
//! A class's own modifiers are prepared once into trees; an element's environment is a list of layers, the
//! outermost modifier first, and the first layer that says something wins (Modelica 3.6, 7.2.4). A layer carries
//! the path by which its value is to be taken apart: along the dimensions of arrays of components, and along the
//! fields of records.

use std::rc::Rc;
use std::sync::Arc;

use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Span};
use modeshift_syntax::ast::{Argument, ArgumentKind, Element, ElementKind, Expression, Modification};

use crate::classes::library::ClassId;
use crate::instances::tree::InstanceId;

/// Where an expression was written: names are looked up in the elements of `class`, and found in `instance`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Scope {
    /// `None` for a class that is only looked into, not instantiated.
    pub(crate) instance: Option<InstanceId>,
    /// The lexical class.
    pub(crate) class: ClassId,
}

/// A prepared modification of one element.
#[derive(Debug, Default)]
pub(crate) struct Modifier {
    /// `= value`
    pub(crate) value: Option<Rc<Expression>>,
    /// Modifiers of the element's own elements and attributes.
    pub(crate) children: Vec<(Arc<str>, Rc<Modifier>)>,
    /// `each`
    pub(crate) each: bool,
    /// `final`
    pub(crate) is_final: bool,
    /// `redeclare …`
    pub(crate) redeclare: Option<Rc<Element>>,
    /// Where it was written.
    pub(crate) span: Span,
}

impl Modifier {
    /// Prepares what was written in parentheses and behind `=`.
    pub(crate) fn prepare(modification: &Modification, diagnostics: &mut Diagnostics) -> Modifier {
        let mut modifier =
            Modifier { value: modification.value.clone().map(Rc::new), span: modification.span, ..Modifier::default() };
        for argument in &modification.arguments {
            if let Some((name, child)) = prepare_argument(argument, diagnostics) {
                modifier.add(name, child, diagnostics);
            }
        }
        modifier
    }

    /// Whether it changes nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.value.is_none() && self.children.is_empty() && self.redeclare.is_none()
    }

    /// The modifier of an element or attribute inside.
    pub(crate) fn child(&self, name: &str) -> Option<&Rc<Modifier>> {
        self.children.iter().find(|(child, _)| &**child == name).map(|(_, modifier)| modifier)
    }

    fn add(&mut self, name: Arc<str>, child: Modifier, diagnostics: &mut Diagnostics) {
        match self.children.iter().position(|(known, _)| *known == name) {
            None => self.children.push((name, Rc::new(child))),
            Some(at) => {
                let known = self.children[at].1.clone();
                self.children[at].1 = Rc::new(merge(&known, child, &name, diagnostics));
            }
        }
    }
}

/// `a.b = 1, a.c = 2` is `a(b = 1, c = 2)`; the same leaf twice is an error.
fn merge(first: &Modifier, second: Modifier, name: &str, diagnostics: &mut Diagnostics) -> Modifier {
    if (first.value.is_some() && second.value.is_some()) || first.redeclare.is_some() || second.redeclare.is_some() {
        diagnostics.push(
            Diagnostic::error(Code::E0221, format!("`{name}` is modified twice"))
                .label(second.span, "again here")
                .label(first.span, "first here")
                .help("leave one of them out"),
        );
    }
    let mut merged = Modifier {
        value: first.value.clone().or(second.value),
        children: first.children.clone(),
        each: first.each || second.each,
        is_final: first.is_final || second.is_final,
        redeclare: first.redeclare.clone().or(second.redeclare),
        span: first.span,
    };
    for (name, child) in second.children {
        match merged.children.iter().position(|(known, _)| *known == name) {
            None => merged.children.push((name, child)),
            Some(at) => {
                let known = merged.children[at].1.clone();
                let copy = Modifier {
                    value: child.value.clone(),
                    children: child.children.clone(),
                    redeclare: child.redeclare.clone(),
                    ..*child
                };
                merged.children[at].1 = Rc::new(merge(&known, copy, &name, diagnostics));
            }
        }
    }
    merged
}

fn prepare_argument(argument: &Argument, diagnostics: &mut Diagnostics) -> Option<(Arc<str>, Modifier)> {
    match &argument.kind {
        ArgumentKind::Modify { name, modification } => {
            let mut modifier =
                modification.as_ref().map_or_else(Modifier::default, |m| Modifier::prepare(m, diagnostics));
            modifier.each = argument.each;
            modifier.is_final = argument.is_final;
            modifier.span = argument.span;
            let (first, rest) = name.parts.split_first()?;
            for part in rest.iter().rev() {
                let children = vec![(part.name.clone(), Rc::new(modifier))];
                modifier = Modifier { children, span: argument.span, ..Modifier::default() };
            }
            Some((first.name.clone(), modifier))
        }
        ArgumentKind::Redeclare(element) => {
            let name = match &element.kind {
                ElementKind::Component(component) => component.name.name.clone(),
                ElementKind::Class(class) => class.name.name.clone(),
                _ => return None,
            };
            let mut element = (**element).clone();
            element.is_final |= argument.is_final;
            let modifier = Modifier {
                redeclare: Some(Rc::new(element)),
                each: argument.each,
                span: argument.span,
                ..Modifier::default()
            };
            Some((name, modifier))
        }
        ArgumentKind::Break(path) => {
            let message = format!("unsupported construct: `break {}`", crate::classes::lookup::path_text(path));
            diagnostics.push(Diagnostic::error(Code::E0290, message).label(argument.span, ""));
            None
        }
    }
}

/// One step into the value of a modifier.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// An element of an array of components, from 0, and the sizes of that array.
    Index(Rc<[usize]>, Rc<[usize]>),
    /// A field of a record.
    Field(Arc<str>),
}

/// A modifier together with where it was written and which part of its value is meant.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    /// What it says.
    pub(crate) modifier: Rc<Modifier>,
    /// Where it was written.
    pub(crate) scope: Scope,
    /// Which part of the value is meant.
    pub(crate) path: Rc<[Step]>,
    /// Whether the path has led into the value, so that only the value counts.
    pub(crate) projected: bool,
}

impl Layer {
    /// A modifier where it was written.
    pub(crate) fn new(modifier: Rc<Modifier>, scope: Scope) -> Layer {
        Layer { modifier, scope, path: Rc::from([]), projected: false }
    }

    /// What it says about an element or attribute inside, the stronger first.
    fn push_children(&self, name: &Arc<str>, out: &mut Vec<Layer>) {
        if let (false, Some(child)) = (self.projected, self.modifier.child(name)) {
            let path = if child.each { Rc::from([]) } else { self.path.clone() };
            out.push(Layer { modifier: child.clone(), scope: self.scope, path, projected: false });
        }
    }

    /// What the binding of a record says about its field.
    fn push_field(&self, name: &Arc<str>, out: &mut Vec<Layer>) {
        if self.modifier.value.is_some() {
            let path = with_step(&self.path, Step::Field(name.clone()));
            out.push(Layer { modifier: self.modifier.clone(), scope: self.scope, path, projected: true });
        }
    }

    /// The same for one element of an array of components.
    pub(crate) fn element(&self, index: &Rc<[usize]>, dims: &Rc<[usize]>) -> Layer {
        Layer { path: with_step(&self.path, Step::Index(index.clone(), dims.clone())), ..self.clone() }
    }

    /// The value and where it was written.
    pub(crate) fn value(&self) -> Option<&Rc<Expression>> {
        self.modifier.value.as_ref()
    }
}

fn with_step(path: &Rc<[Step]>, step: Step) -> Rc<[Step]> {
    path.iter().cloned().chain([step]).collect()
}

/// The layers that concern one element inside, outermost first. The binding of a record as a whole stands behind
/// the modifiers of its fields that come from the same layer or further out.
pub(crate) fn child_layers(layers: &[Layer], name: &Arc<str>) -> Vec<Layer> {
    let mut out = Vec::new();
    for layer in layers {
        layer.push_children(name, &mut out);
        layer.push_field(name, &mut out);
    }
    out
}

/// The layers that concern one attribute of a variable, outermost first.
pub(crate) fn attribute_layers(layers: &[Layer], name: &Arc<str>) -> Vec<Layer> {
    let mut out = Vec::new();
    for layer in layers {
        layer.push_children(name, &mut out);
    }
    out
}

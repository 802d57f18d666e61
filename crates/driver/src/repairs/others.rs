//! Whether an edit leaves the other models of a file as right as they were: what repairs one model may break another that has the
//! same class as a part or as its base.
//!
//! Only models that mention an edited class, or one that mentions it, are looked at; of those, the ones that had no error before.

use std::collections::BTreeSet;

use modeshift_diagnostics::SourceMap;
use modeshift_syntax::ast::{Class, ClassKind};

use super::outline::Outline;
use super::with_text;
use crate::check::CheckOptions;
use crate::pipeline::Run;
use crate::question::{Dialect, Question};

/// So many other models are checked: more use a class of a large library than anybody waits for.
const MOST_MODELS: usize = 8;

/// Whether every other model that was right is right with the edited text.
pub(super) fn are_kept(question: &Question, edited: &str) -> bool {
    if question.source.dialect != Dialect::Modelica {
        return true;
    }
    let outline = |text: &str| Outline::new(SourceMap::default().add(question.source.name.as_str(), text), text);
    let (before, after) = (outline(&question.source.text), outline(edited));
    let affected = affected(&before, &after);
    let own = question.model.as_deref().or_else(|| last_model(&before));
    let models = before.classes().filter(|(name, class)| {
        is_model(class) && Some(*name) != own && after.class(name).is_some() && affected.contains(&*class.name.name)
    });
    models.take(MOST_MODELS).all(|(name, _)| {
        let is_right = |text: &str| {
            let of_model = Question { model: Some(name.to_string()), ..with_text(question, text.to_string()) };
            !Run::new(&of_model).examined(CheckOptions::default()).1.diagnostics.has_errors()
        };
        !is_right(&question.source.text) || is_right(edited)
    })
}

fn is_model(class: &Class) -> bool {
    !class.partial && matches!(class.kind, ClassKind::Model | ClassKind::Block | ClassKind::Class)
}

fn last_model(outline: &Outline) -> Option<&str> {
    outline.classes().filter(|(_, class)| is_model(class)).last().map(|(name, _)| name)
}

/// The names of classes that were edited, and of those that mention one of them.
fn affected<'a>(before: &'a Outline, after: &Outline) -> BTreeSet<&'a str> {
    let is_changed = |name: &str, class: &Class| {
        after.class(name).is_none_or(|it| after.text_of(it.span) != before.text_of(class.span))
    };
    let changed: Vec<(&str, &Class)> = before.classes().filter(|(name, class)| is_changed(name, class)).collect();
    // A package around an edited class is not edited itself.
    let is_inside = |inner: &Class, outer: &Class| {
        inner.span != outer.span && outer.span.start <= inner.span.start && inner.span.end <= outer.span.end
    };
    let innermost = changed.iter().filter(|(_, class)| !changed.iter().any(|(_, other)| is_inside(other, class)));
    let mut names: BTreeSet<&str> = innermost.map(|(_, class)| &*class.name.name).collect();
    loop {
        let mentions = |class: &Class| words(before.text_of(class.span)).any(|word| names.contains(word));
        let more: Vec<&str> =
            before.classes().filter(|(_, class)| mentions(class)).map(|(_, class)| &*class.name.name).collect();
        let known = names.len();
        names.extend(more);
        if names.len() == known {
            return names;
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_')
}

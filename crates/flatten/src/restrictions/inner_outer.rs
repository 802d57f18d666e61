//! `outer` elements and the `inner` ones that they stand for (Modelica 3.6, 5.4 and 5.5).

use modeshift_diagnostics::{Code, Diagnostic};
use modeshift_syntax::ast::{Expression, ExpressionKind, ReferencePart, Subscript};

use crate::classes::layout::Member;
use crate::classes::lookup::ClassReference;
use crate::expressions::term::shape_text;
use crate::failure::Outcome;
use crate::flattener::Flattener;
use crate::instances::modification::child_layers;
use crate::instances::tree::{InstanceId, Slot};
use crate::restrictions::subtypes::Lack;

impl Flattener<'_> {
    /// Checks one `outer` component against its `inner` one.
    pub(crate) fn check_outer(&mut self, instance: InstanceId, position: u32, inner: (InstanceId, u32)) -> Outcome<()> {
        let layout = self.instances[instance].layout.clone();
        let member = &layout.members[position as usize];
        self.check_outer_modified(instance, member);
        let declared = self.instances.member(inner.0, inner.1).clone();
        let class = self.class_of_outer(member);
        let of_inner = self.classes.class_seen_from(
            &declared.component().ok_or(crate::failure::Failure::Reported)?.type_name,
            declared.origin,
        );
        if let (Some(wanted), Ok(offered)) = (class, of_inner)
            && let Some(lack) = self.classes.lack(offered, wanted)
        {
            let (one, other) = (self.classes.class_text(offered), self.classes.class_text(wanted));
            let reason = match lack {
                Lack::Element(name) => format!("it has no public `{name}`"),
                Lack::Type(Some(name)) => format!("`{name}` has another type"),
                Lack::Type(None) | Lack::Dimensions => "it is another type".into(),
            };
            let message = format!("`inner {}` is {one}, which cannot stand for {other}: {reason}", member.name);
            return Err(different(message, member, &declared).into());
        }
        self.check_outer_sizes(member, &declared, inner)
    }

    /// What is outer is declared elsewhere, and so are its values. Of what is `inner` too, its own part is modified.
    fn check_outer_modified(&mut self, instance: InstanceId, member: &Member) {
        if member.inner {
            return;
        }
        let own = member.modifiers.first().map(|(modifier, _)| modifier.span);
        let layers = child_layers(&self.instances[instance].environment, &member.name);
        let around = layers.iter().find(|layer| !layer.projected).map(|layer| layer.modifier.span);
        if let Some(span) = around.or(own) {
            let message = format!("`{}` is `outer` and cannot be modified here", member.name);
            let help = format!("modify the declaration of `inner {}`", member.name);
            let diagnostic = Diagnostic::error(Code::E0236, message).label(span, "modified here");
            self.say(diagnostic.label(member.span, "declared `outer` here").help(help));
        }
    }

    fn check_outer_sizes(&mut self, member: &Member, declared: &Member, inner: (InstanceId, u32)) -> Outcome<()> {
        let has = match &self.instances[inner.0].slots[inner.1 as usize] {
            Slot::Primitive(id) => self.instances[*id].dims.to_vec(),
            Slot::Component(_) => Vec::new(),
            Slot::Components(components) => components.dims.clone(),
            _ => return Ok(()),
        };
        let Some(wants) = self.outer_dimensions(member) else { return Ok(()) };
        let fits =
            has.len() == wants.len() && has.iter().zip(&wants).all(|(has, wants)| wants.is_none_or(|it| it == *has));
        if fits {
            return Ok(());
        }
        let known: Option<Vec<usize>> = wants.iter().copied().collect();
        let wanted =
            known.map_or_else(|| format!("{} dimensions", wants.len()), |known| format!("size {}", shape_text(&known)));
        let message = format!("`outer {0}` has {wanted}, but `inner {0}` has size {1}", member.name, shape_text(&has));
        Err(different(message, member, declared).into())
    }

    /// The sizes that an `outer` component is declared with, as far as they are written as numbers.
    fn outer_dimensions(&mut self, member: &Member) -> Option<Vec<Option<usize>>> {
        let of_type = match self.class_of_outer(member)? {
            ClassReference::Predefined(_) => Vec::new(),
            ClassReference::Class { class, .. } => {
                let info = self.classes.type_info(class).ok()?;
                info.dimensions.iter().map(|(subscript, _)| written_size(subscript)).collect()
            }
        };
        Some(member.dimensions.0.iter().map(written_size).chain(of_type).collect())
    }

    /// The class that an `outer` component is declared with, by the classes alone.
    pub(crate) fn class_of_outer(&mut self, member: &Member) -> Option<ClassReference> {
        if let Some(&known) = member.resolved.get() {
            return Some(known);
        }
        self.classes.class_seen_from(&member.component()?.type_name, member.origin).ok()
    }

    /// Through `outer` only those elements are seen that its own class has.
    pub(crate) fn check_outer_offers(&mut self, member: &Member, part: &ReferencePart) -> Outcome<()> {
        let Some(ClassReference::Class { class, .. }) = self.class_of_outer(member) else { return Ok(()) };
        let layout = self.classes.layout(class)?;
        if layout.scalar.is_some() || layout.index.contains_key(&part.name.name) {
            return Ok(());
        }
        let (name, of) = (&part.name.name, &self.classes.library.class(class).name);
        let message = format!("`outer {}` is a `{of}`, which has no element `{name}`", member.name);
        let help = format!("declare `outer {}` with the class that has `{name}`", member.name);
        let diagnostic = Diagnostic::error(Code::E0236, message).label(part.name.span, "used here");
        Err(diagnostic.label(member.span, "declared here").help(help).into())
    }
}

fn written_size(subscript: &Subscript) -> Option<usize> {
    match subscript {
        Subscript::Expression(Expression { kind: ExpressionKind::Integer(size), .. }) => usize::try_from(*size).ok(),
        _ => None,
    }
}

fn different(message: String, member: &Member, declared: &Member) -> Diagnostic {
    Diagnostic::error(Code::E0236, message)
        .label(member.span, "declared `outer` here")
        .label(declared.span, "declared `inner` here")
        .help("declare both with the same type and size")
}

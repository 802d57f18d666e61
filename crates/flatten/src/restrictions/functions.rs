//! What functions contain and do (Modelica 3.6, 12.2).

use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Span};
use modeshift_syntax::ast::{
    Causality, Class, ClassKind, Component, Expression, ExpressionKind, Ident, Statement, StatementKind, Variability,
};

use crate::classes::Classes;
use crate::classes::layout::{Layout, Member};
use crate::classes::library::{ClassId, composition};
use crate::classes::lookup::ClassReference;
use crate::failure::Outcome;
use crate::flattener::Flattener;
use crate::restrictions::{is_function, kind_text};

/// Checks the body of a function as it is written.
pub(crate) fn check(class: &Class, layout: &Layout, diagnostics: &mut Diagnostics) {
    let Some(inside) = composition(class) else { return };
    let mut refuse = |span, message: String, help: &str| {
        let diagnostic = Diagnostic::error(Code::E0241, message).label(span, "");
        diagnostics.push(diagnostic.label(class.name.span, "in this function").help(help));
    };
    if let Some(section) = inside.algorithms.iter().find(|section| section.initial) {
        refuse(section.span, "a function has no initial algorithm".into(), "write `algorithm`");
    }
    if let [_, second, ..] = inside.algorithms.as_slice() {
        refuse(second.span, "a function has one algorithm".into(), "make one algorithm of them");
    }
    if let Some(equation) = inside.equations.iter().flat_map(|section| section.equations.first()).next() {
        refuse(equation.span, "a function has no equations".into(), "write `algorithm` and `:=`");
    }
    for section in &inside.algorithms {
        section.statements.iter().for_each(|statement| check_targets(statement, layout, diagnostics));
    }
}

/// Inputs keep what the caller gave.
fn check_targets(statement: &Statement, layout: &Layout, diagnostics: &mut Diagnostics) {
    match &statement.kind {
        StatementKind::Assign(target, _) => check_target(target, layout, diagnostics),
        StatementKind::MultiAssign(targets, _) => {
            targets.iter().flatten().for_each(|target| check_target(target, layout, diagnostics));
        }
        StatementKind::If { branches, otherwise } => {
            let inside = branches.iter().flat_map(|(_, body)| body).chain(otherwise);
            inside.for_each(|statement| check_targets(statement, layout, diagnostics));
        }
        StatementKind::For { body, .. } | StatementKind::While(_, body) => {
            body.iter().for_each(|statement| check_targets(statement, layout, diagnostics));
        }
        _ => {}
    }
}

fn check_target(target: &Expression, layout: &Layout, diagnostics: &mut Diagnostics) {
    let ExpressionKind::Reference(reference) = &target.kind else { return };
    let name = &reference.parts[0].name.name;
    let Some(member) = layout.member(name).filter(|_| !reference.global) else { return };
    if member.prefix.causality == Some(Causality::Input) {
        let message = format!("`{name}` is an input of this function and keeps the value that it was called with");
        let diagnostic = Diagnostic::error(Code::E0241, message).label(target.span, "assigned here");
        let help = format!("assign to a protected variable that begins as `{name}`");
        diagnostics.push(diagnostic.label(member.span, "declared here").help(help));
    }
}

impl Classes<'_> {
    /// A variable of a function whose type says `input` or `output` is one (4.6.1).
    pub(crate) fn take_roles_of_types(&mut self, class: ClassId, layout: &mut Layout) {
        if !is_function(self.library.class(class).definition.kind) {
            return;
        }
        for member in &mut layout.members {
            let is_open = !member.protected && member.prefix.causality.is_none() && member.origin == class;
            let Some(component) = member.component().filter(|component| is_open && !is_predefined(component)) else {
                continue;
            };
            if let Ok(ClassReference::Class { class: of, .. }) = self.class_seen_from(&component.type_name, class)
                && let Ok(info) = self.type_info(of)
            {
                member.prefix.causality = info.prefix.causality;
            }
        }
    }

    /// Public variables of functions are inputs and outputs, and none is a model.
    pub(crate) fn check_function_elements(&mut self, class: ClassId, layout: &Layout) {
        for member in &layout.members {
            let Some(component) = member.component().filter(|_| member.origin == class) else { continue };
            let has_role = member.protected || member.prefix.causality.is_some();
            if has_role && is_predefined(component) {
                continue;
            }
            let Ok(ClassReference::Class { class: of, .. }) = self.class_seen_from(&component.type_name, class) else {
                self.check_role(member, &component.name, has_role);
                continue;
            };
            let kind = self.library.class(of).definition.kind;
            if matches!(kind, ClassKind::Model | ClassKind::Block) {
                let message = format!("`{}` cannot be in a function: its class is {}", member.name, kind_text(kind));
                let diagnostic = Diagnostic::error(Code::E0241, message).label(member.span, "");
                self.diagnostics.push(diagnostic.help("functions compute with types and records"));
            }
            let of_type = self.type_info(of).ok().and_then(|info| info.prefix.causality);
            self.check_role(member, &component.name, has_role || of_type.is_some());
        }
    }

    fn check_role(&mut self, member: &Member, name: &Ident, has_role: bool) {
        // A public constant is no argument and no result; it is what its declaration says.
        if !has_role && member.prefix.variability != Variability::Constant {
            let message = format!("`{}` is public in a function, but neither input nor output", member.name);
            let diagnostic = Diagnostic::error(Code::E0241, message).label(name.span, "");
            self.diagnostics.push(diagnostic.help("write `input`, `output`, or `protected` in front of it"));
        }
    }
}

impl Flattener<'_> {
    /// What is called is whole. What a function of a partial package becomes is decided where the package is redeclared.
    pub(crate) fn check_called(&self, class: ClassId, span: Span) -> Outcome<()> {
        let node = self.classes.library.class(class);
        let function = &node.definition;
        let around = node.written_in().or(node.parent);
        if !function.partial || around.is_some_and(|around| self.classes.library.class(around).definition.partial) {
            return Ok(());
        }
        let message = format!("`{}` is partial and cannot be called", function.name.name);
        let diagnostic = Diagnostic::error(Code::E0241, message).label(span, "called here");
        let help = "call a function that extends it and is not partial";
        Err(diagnostic.label(function.name.span, "declared here").help(help).into())
    }
}

fn is_predefined(component: &Component) -> bool {
    matches!(component.type_name.parts.as_slice(), [only]
        if matches!(&*only.name, "Real" | "Integer" | "Boolean" | "String"))
}

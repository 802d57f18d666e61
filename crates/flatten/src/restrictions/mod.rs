//! What the language forbids although it could be translated: rules about classes, checked once per class when its
//! elements are known, and rules about uses, checked where a name is resolved or a component is made.
//!
//! Every rule names its section of the specification (Modelica 3.6), the place, and what to write instead.
//!
//! | file | purpose |
//! |---|---|
//! | [`class_kinds`] | what a record, a connector, a package, a block may contain |
//! | [`base_classes`] | which kinds of classes extend which, and bases that must stand alone |
//! | [`declared_names`] | predefined names, literals of enumerations, imports of one name |
//! | [`functions`] | what functions contain and do |
//! | [`prefixes`] | type prefixes of components and what they exclude |
//! | [`visibility`] | protected elements, and classes that are looked into |
//! | [`redeclarations`] | what may be redeclared, and as what |
//! | [`subtypes`] | whether a class offers what another asks for |
//! | [`inner_outer`] | `outer` elements and what they stand for |
//! | [`variability`] | what a constant, a parameter, an argument may depend on |
//! | [`assigned_once`] | discrete variables that two `when` clauses assign |
//! | [`connectors`] | balance of connectors, and where signals come from |

pub(crate) mod assigned_once;
pub(crate) mod base_classes;
pub(crate) mod class_kinds;
pub(crate) mod connectors;
pub(crate) mod declared_names;
pub(crate) mod functions;
pub(crate) mod inner_outer;
pub(crate) mod prefixes;
pub(crate) mod redeclarations;
pub(crate) mod subtypes;
pub(crate) mod variability;
pub(crate) mod visibility;

use std::sync::Arc;

use modeshift_syntax::ast::ClassKind;

use crate::classes::Classes;
use crate::classes::layout::Layout;
use crate::classes::library::ClassId;

impl Classes<'_> {
    /// Checks a class, once, when its elements are known.
    pub(crate) fn check_class(&mut self, class: ClassId, layout: &Layout) {
        let definition = self.library.class(class).definition.clone();
        if !self.checked.insert(Arc::as_ptr(&definition)) {
            return;
        }
        class_kinds::check(&definition, self.diagnostics);
        declared_names::check(&definition, self.diagnostics);
        if is_function(definition.kind) {
            functions::check(&definition, layout, self.diagnostics);
            self.check_function_elements(class, layout);
        }
    }
}

/// Whether classes of this kind are called.
pub(crate) fn is_function(kind: ClassKind) -> bool {
    matches!(kind, ClassKind::Function | ClassKind::OperatorFunction)
}

/// `a record`, for messages.
pub(crate) fn kind_text(kind: ClassKind) -> &'static str {
    match kind {
        ClassKind::Class => "a class",
        ClassKind::Model => "a model",
        ClassKind::Block => "a block",
        ClassKind::Record => "a record",
        ClassKind::OperatorRecord => "an operator record",
        ClassKind::Connector => "a connector",
        ClassKind::ExpandableConnector => "an expandable connector",
        ClassKind::Type => "a type",
        ClassKind::Package => "a package",
        ClassKind::Function => "a function",
        ClassKind::OperatorFunction => "an operator function",
        ClassKind::Operator => "an operator",
    }
}

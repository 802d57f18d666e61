//! Functions that are not predefined: run on terms.
//!
//! A body of assignments, loops over known ranges and branches is executed on the terms of its arguments. With
//! literal arguments that is evaluation; with others the result is the expression that the function stands for,
//! and its relations make no events. What cannot be executed so stays a call (`kept`).

use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{Builtin, ExpressionId, Memo, Node, Type};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{
    Causality, Class, ClassKind, Expression, Ident, Path, Reference, ReferencePart, Subscript, Variability,
};

use crate::classes::annotations;
use crate::classes::layout::{Layout, Member};
use crate::classes::library::{ClassId, composition};
use crate::classes::lookup::{ClassReference, reference_text, unknown};
use crate::expressions::context::{Context, Purpose};
use crate::expressions::evaluate::describe;
use crate::expressions::operators::check_items;
use crate::expressions::statements::Flow;
use crate::expressions::term::{FunctionTerm, RecordTerm, Term, stack, type_text};
use crate::failure::{Failure, Outcome, dynamic, unsupported, wrong};
use crate::flattener::Flattener;
use crate::instances::modification::Scope;
use crate::instances::scopes::Found;
use crate::instances::tree::{InstanceId, Slot};
use crate::restrictions::variability::is_conditional;
use crate::restrictions::visibility::is_protected;

/// How deep calls of functions may be nested.
pub(crate) const MAX_CALLS: u32 = 40;

impl Flattener<'_> {
    /// A call of a function, a record constructor or a conversion to an enumeration.
    pub(crate) fn user_call(
        &mut self,
        function: &Reference,
        arguments: &[Expression],
        named: &[(Ident, Expression)],
        span: Span,
        context: &mut Context,
    ) -> Outcome<Term> {
        let mut given = Vec::new();
        let class = match context.local(&function.parts[0].name.name) {
            Some(Term::Function(local)) if function.parts.len() == 1 => {
                given = local.named.clone();
                local.class
            }
            _ => self.called_class(function, context)?,
        };
        if context.calls >= MAX_CALLS {
            let message = format!("calls of `{}` are nested more than {MAX_CALLS} deep", reference_text(function));
            return wrong(Code::E0309, message, span);
        }
        let info = self.classes.type_info(class)?;
        let definition = self.classes.library.class(info.class).definition.clone();
        let layout = self.classes.layout(info.class)?;
        if self.classes.is_external_object(info.class) {
            return self.external_object(info.class, arguments, named, span, context);
        }
        let positional = self.terms(arguments, context)?;
        let mut by_name: Vec<(Ident, Term)> =
            given.into_iter().map(|(name, value)| (Ident { name, span }, value)).collect();
        for (name, value) in named {
            by_name.push((name.clone(), self.term(value, context)?));
        }
        match definition.kind {
            ClassKind::Record | ClassKind::OperatorRecord => {
                let call = Call { class: info.class, layout, positional, named: by_name, span };
                self.construct(&call, context)
            }
            ClassKind::Function | ClassKind::OperatorFunction => {
                self.check_called(info.class, function.span)?;
                let call = Call { class: info.class, layout, positional, named: by_name, span };
                self.run_elementwise(&call, &definition, context)
            }
            _ => wrong(Code::E0203, format!("`{}` is not a function", reference_text(function)), function.span),
        }
    }

    pub(crate) fn called_class(&mut self, function: &Reference, context: &Context) -> Outcome<ClassId> {
        let first = &function.parts[0].name;
        let mut found = match self.find_first(function.global, &first.name, context.scope)? {
            Some(found) => found,
            None => {
                let diagnostic = unknown(&first.name, first.span, "function");
                let mut names: Vec<Arc<str>> = self.classes.names_around(Some(context.scope.class));
                names.extend(Builtin::ALL.iter().map(|builtin| Arc::from(builtin.name())));
                names
                    .extend(["der", "pre", "edge", "change", "sum", "product", "size", "zeros", "ones"].map(Arc::from));
                let names = names.iter().map(|name| &**name);
                let diagnostic = crate::suggestion::with_suggestion(diagnostic, &first.name, names);
                return Err(self.classes.with_library(diagnostic, function.parts.len()).into());
            }
        };
        for part in &function.parts[1..] {
            let came_from_class = matches!(found, Found::Class(_));
            found = match found {
                Found::Class(class) => {
                    if let ClassReference::Class { class, .. } = class {
                        self.classes.check_seen(class, &part.name)?;
                    }
                    match self.find_in_class(class, &part.name.name)? {
                        Some(next) => next,
                        None => return Err(self.classes.unknown_in_class(class, &part.name)),
                    }
                }
                Found::Component(instance, position) => self.find_in_component(instance, position, &part.name)?,
                Found::Literal(..) => {
                    return wrong(
                        Code::E0203,
                        format!("`{}` is not a function", reference_text(function)),
                        function.span,
                    );
                }
            };
            if came_from_class && matches!(found, Found::Component(..)) {
                let message =
                    format!("`{}` is a component of a class: no function is called through it", part.name.name);
                let diagnostic = Diagnostic::error(Code::E0239, message).label(part.name.span, "");
                return Err(diagnostic
                    .help("name the function by classes alone, or by components and then classes")
                    .into());
            }
        }
        match found {
            Found::Class(ClassReference::Class { class, .. }) => Ok(class),
            _ => wrong(Code::E0203, format!("`{}` is not a function", reference_text(function)), function.span),
        }
    }

    /// `function f(k = 2)` as an argument of another function.
    pub(crate) fn function_argument(
        &mut self,
        function: &Path,
        named: &[(Ident, Expression)],
        context: &mut Context,
    ) -> Outcome<Term> {
        let part = |name: &Ident| ReferencePart { name: name.clone(), subscripts: Vec::new() };
        let parts = function.parts.iter().map(part).collect();
        let reference = Reference { global: function.global, parts, span: function.span };
        let class = self.called_class(&reference, context)?;
        let class = self.classes.type_info(class)?.class;
        let mut given = Vec::with_capacity(named.len());
        for (name, value) in named {
            given.push((name.name.clone(), self.term(value, context)?));
        }
        Ok(Term::Function(Rc::new(FunctionTerm { class, named: given })))
    }

    /// A class inside the class of a component, through which a function may be called (Modelica 3.7, 5.3.2).
    fn find_in_component(&mut self, instance: InstanceId, position: u32, name: &Ident) -> Outcome<Found> {
        if let Some(diagnostic) = is_conditional(self.instances.member(instance, position), name.span) {
            return Err(diagnostic.into());
        }
        match self.slot(instance, position)? {
            Slot::Component(component) => match self.seen_in_instance(component, name)? {
                Some(found) => Ok(found),
                None => Err(unknown(&name.name, name.span, "function").into()),
            },
            Slot::Outer(instance, position) => self.find_in_component(instance, position, name),
            _ => unsupported("a function called through an array of components", name.span),
        }
    }

    /// A public element of a component.
    fn seen_in_instance(&mut self, instance: InstanceId, name: &Ident) -> Outcome<Option<Found>> {
        if let Some(member) = self.instances[instance].layout.member(&name.name).filter(|member| member.protected) {
            return Err(is_protected(member, name.span).into());
        }
        self.find_in_instance(instance, &name.name)
    }

    /// A record from its fields.
    fn construct(&mut self, call: &Call, context: &mut Context) -> Outcome<Term> {
        let fields: Vec<&Member> = call.layout.members.iter().filter(|member| is_field(member)).collect();
        let mut inner = Context { calls: context.calls + 1, ..Context::new(self.scope_of(call), context.purpose) };
        inner.locals = self.bind(call, &fields, context)?;
        // What no argument is meant for follows from the others: final and constant fields.
        for member in call.layout.members.iter().filter(|member| member.component().is_some() && !is_field(member)) {
            let value = self.local_variable(member, &mut inner)?;
            inner.locals.push((member.name.clone(), value));
        }
        let class = self.classes.library.class(call.class).name.clone();
        let value = |member: &Member| inner.local(&member.name).map(|value| (member.name.clone(), value.clone()));
        let fields = call.layout.members.iter().filter_map(value).collect();
        Ok(Term::Record(Rc::new(RecordTerm { class, fields })))
    }

    fn scope_of(&self, call: &Call) -> Scope {
        Scope { instance: None, class: call.class }
    }

    /// Gives every input its argument, named argument or default, in declaration order.
    pub(crate) fn bind(
        &mut self,
        call: &Call,
        inputs: &[&Member],
        context: &Context,
    ) -> Outcome<Vec<(Arc<str>, Term)>> {
        if call.positional.len() > inputs.len() {
            let name = &self.classes.library.class(call.class).name;
            let message = format!("`{name}` takes {} arguments, not {}", inputs.len(), call.positional.len());
            return wrong(Code::E0307, message, call.span);
        }
        for (name, _) in &call.named {
            if !inputs.iter().any(|input| input.name == name.name) {
                let message = format!("`{}` has no input `{}`", self.classes.library.class(call.class).name, name.name);
                let diagnostic = Diagnostic::error(Code::E0307, message).label(name.span, "not found");
                let names = inputs.iter().map(|input| &*input.name);
                return Err(crate::suggestion::with_suggestion(diagnostic, &name.name, names).into());
            }
        }
        let scope = Scope { instance: None, class: call.class };
        let mut inner = Context { calls: context.calls + 1, ..Context::new(scope, context.purpose) };
        // Inputs that a partial application has given are not counted (Modelica 3.6, 12.4.2.1).
        let mut position = 0;
        for input in inputs {
            let named = call.named.iter().find(|(name, _)| name.name == input.name);
            let positional = match named {
                Some((name, _)) if name.span == call.span => None,
                _ => {
                    position += 1;
                    call.positional.get(position - 1)
                }
            };
            let value = match (positional, named) {
                (Some(value), None) => value.clone(),
                (None, Some((_, value))) => value.clone(),
                (Some(_), Some((name, _))) => {
                    return wrong(Code::E0307, format!("`{}` is given twice", name.name), name.span);
                }
                (None, None) => {
                    let default = input.modifiers.iter().find_map(|(modifier, _)| modifier.value.clone());
                    let Some(default) = default else {
                        let message = format!("the argument `{}` is missing", input.name);
                        return Err(Diagnostic::error(Code::E0307, message)
                            .label(call.span, "")
                            .label(input.span, "declared here")
                            .help("give it here, or a default in its declaration")
                            .into());
                    };
                    inner.scope.class = input.origin;
                    self.term(&default, &mut inner)?
                }
            };
            inner.locals.push((input.name.clone(), value));
        }
        Ok(inner.locals)
    }

    /// A function of scalars is applied to every element of array arguments (Modelica 3.6, 12.4.6).
    fn run_elementwise(&mut self, call: &Call, definition: &Class, context: &mut Context) -> Outcome<Term> {
        let inputs: Vec<&Member> = call.layout.members.iter().filter(|member| is_input(member)).collect();
        let bound = self.bind(call, &inputs, context)?;
        let mut outer: Option<Vec<usize>> = None;
        let mut extended = vec![false; bound.len()];
        for ((input, (_, value)), extends) in inputs.iter().zip(&bound).zip(&mut extended) {
            let rank = self.declared_rank(input);
            let extra = value.dims().len().saturating_sub(rank);
            if extra > 0 && !matches!(value, Term::Record(_)) {
                *extends = true;
                outer = Some(value.dims()[..extra].to_vec());
            }
        }
        let Some(outer) = outer else { return self.run(call, definition, bound, context) };
        let mut parts = Vec::new();
        for index in crate::expressions::term::indices(&outer) {
            let mut scalar = Vec::with_capacity(bound.len());
            for ((name, value), &extends) in bound.iter().zip(&extended) {
                if extends && (value.dims().len() < index.len() || value.dims()[..index.len()] != outer) {
                    return wrong(Code::E0304, "the arguments of this call differ in size", call.span);
                }
                scalar.push((name.clone(), if extends { value.part(&index) } else { value.clone() }));
            }
            parts.push(self.run(call, definition, scalar, context)?);
        }
        stack(Type::Real, &outer, parts).ok_or(Failure::Reported)
    }

    fn declared_rank(&mut self, input: &Member) -> usize {
        let own = input.dimensions.0.len();
        let Some(component) = input.component() else { return own };
        let scope = Scope { instance: None, class: input.origin };
        let of_type = match self.lookup_class(&component.type_name, scope) {
            Ok(ClassReference::Class { class, .. }) => {
                self.classes.type_info(class).map_or(0, |info| info.dimensions.len())
            }
            _ => 0,
        };
        own + of_type
    }

    /// Executes the body, or keeps the call as it is.
    fn run(
        &mut self,
        call: &Call,
        definition: &Class,
        bound: Vec<(Arc<str>, Term)>,
        context: &mut Context,
    ) -> Outcome<Term> {
        let inside = composition(definition);
        if let Some(external) = inside.and_then(|inside| inside.external.as_ref()) {
            return self.external_call(call, external, bound, context);
        }
        let is_known = bound.iter().all(|(_, value)| self.is_literal(value));
        // One that calls itself stays a call, unless its value is known here.
        if self.execution.inlined.contains(&call.class) && context.purpose == Purpose::Symbolic && !is_known {
            return match self.with_known_sizes(&bound, call.span)? {
                Some(known) => self.run(call, definition, known, context),
                None => self.opaque_call(call, &bound, context),
            };
        }
        let known_assertions = self.execution.assertions.len();
        self.execution.inlined.push(call.class);
        let executed = self.execute_body(call, bound.clone(), context);
        self.execution.inlined.pop();
        if !executed.as_ref().is_ok_and(|result| self.is_short(result)) {
            self.execution.assertions.truncate(known_assertions); // what is kept as a call checks for itself
        }
        match executed {
            Ok(result) if self.is_short(&result) => {
                let quiet = context.purpose == Purpose::Symbolic && !may_have_events(definition);
                Ok(if quiet { self.without_events(&result, &bound) } else { result })
            }
            Ok(_) => self.opaque_call(call, &bound, context),
            Err(Failure::Dynamic(_)) if context.purpose != Purpose::Evaluate => {
                match self.with_known_sizes(&bound, call.span)? {
                    Some(known) => self.run(call, definition, known, context),
                    None => self.opaque_call(call, &bound, context),
                }
            }
            Err(failure) => Err(failure),
        }
    }

    /// Whether an inlined result is short enough to be written out.
    fn is_short(&self, result: &Term) -> bool {
        let mut scalars = Vec::new();
        result.scalars(&mut scalars);
        let mut known = Memo::new();
        let sizes = scalars.iter().map(|&(_, id)| self.model.expressions.written_size(&mut known, id));
        sizes.fold(0_usize, |sum, size| sum.saturating_add(size)) < MAX_INLINED.saturating_add(scalars.len())
    }

    fn external_call(
        &mut self,
        call: &Call,
        external: &modeshift_syntax::ast::External,
        bound: Vec<(Arc<str>, Term)>,
        context: &mut Context,
    ) -> Outcome<Term> {
        if external.language.as_deref() == Some("builtin") {
            let name = external
                .call
                .as_ref()
                .map_or(self.classes.library.class(call.class).definition.name.name.clone(), |call| {
                    call.1.name.clone()
                });
            if let Some(builtin) = Builtin::by_name(&name) {
                let terms: Vec<Term> = bound.into_iter().map(|(_, value)| value).collect();
                return self.builtin(builtin, &terms, call.span, context.purpose);
            }
        }
        if let Some(known) = self.external_value(call, external, &bound)? {
            return Ok(known);
        }
        match context.purpose {
            Purpose::Evaluate => {
                let name = &self.classes.library.class(call.class).name;
                dynamic(format!("the external function `{name}` is not run at translation"), call.span)
            }
            _ => self.opaque_call(call, &bound, context),
        }
    }

    fn execute_body(&mut self, call: &Call, bound: Vec<(Arc<str>, Term)>, context: &Context) -> Outcome<Term> {
        let inner = self.execute_statements(call, bound, context)?;
        let outputs = call.layout.members.iter().filter(|member| is_output(member));
        let mut results = Vec::new();
        for output in outputs {
            let value = inner.local(&output.name).cloned().ok_or(Failure::Reported)?;
            if context.purpose != Purpose::Shape && self.has_unknown(&value) {
                let message = format!("the output `{}` is not assigned", output.name);
                return Err(Diagnostic::error(Code::E0313, message)
                    .label(output.span, "")
                    .label(call.span, "called here")
                    .into());
            }
            results.push(value);
        }
        match results.len() {
            0 => wrong(Code::E0307, "this function has no output", call.span),
            1 => results.pop().ok_or(Failure::Reported),
            _ => Ok(Term::Tuple(results.into())),
        }
    }

    /// Executes the statements of a function; its variables are the locals of what is returned.
    pub(crate) fn execute_statements(
        &mut self,
        call: &Call,
        bound: Vec<(Arc<str>, Term)>,
        context: &Context,
    ) -> Outcome<Context> {
        let mut inner =
            Context { locals: bound, calls: context.calls + 1, ..Context::new(self.scope_of(call), context.purpose) };
        for member in call.layout.members.iter().filter(|member| member.component().is_some() && !is_input(member)) {
            let value = self.local_variable(member, &mut inner)?;
            inner.locals.push((member.name.clone(), value));
        }
        for &class in &call.layout.classes {
            let definition = self.classes.library.class(class).definition.clone();
            inner.scope.class = class;
            for section in composition(&definition).map_or(&[][..], |inside| &inside.algorithms) {
                if let Flow::Return = self.execute(&section.statements, &mut inner)? {
                    break;
                }
            }
        }
        Ok(inner)
    }

    /// The first value of an output or local variable: its binding, or unknown in its declared size.
    pub(crate) fn local_variable(&mut self, member: &Member, context: &mut Context) -> Outcome<Term> {
        let binding = member.modifiers.iter().find_map(|(modifier, _)| modifier.value.clone());
        context.scope.class = member.origin;
        if let Some(binding) = binding {
            let value = self.term(&binding, context)?;
            return self.of_declared_type(value, member, binding.span);
        }
        let mut dims = Vec::new();
        for subscript in member.dimensions.0.iter() {
            dims.push(match subscript {
                Subscript::All(_) => 0,
                Subscript::Expression(expression) => {
                    let size = self.evaluate_integer(expression, context)?;
                    usize::try_from(size)
                        .or_else(|_| wrong(Code::E0311, format!("a size of {size} is negative"), expression.span))?
                }
            });
        }
        let Some(component) = member.component() else { return Err(Failure::Reported) };
        let scope = Scope { instance: None, class: member.origin };
        let (ty, record) = match self.lookup_class(&component.type_name, scope)? {
            ClassReference::Predefined(ty) => (ty, None),
            ClassReference::Class { class, .. } => {
                let info = self.classes.type_info(class)?;
                for (subscript, _) in &info.dimensions {
                    if let Subscript::Expression(expression) = subscript {
                        dims.push(self.evaluate_integer(expression, context)?.max(0) as usize);
                    }
                }
                (info.scalar.unwrap_or(Type::Real), info.scalar.is_none().then_some(info.class))
            }
        };
        let item = match record {
            None => Term::Scalar(ty, self.unknown_scalar()),
            Some(class) => self.unknown_record(class, context)?,
        };
        let total = dims.iter().try_fold(1_usize, |total, &dim| total.checked_mul(dim)).unwrap_or(usize::MAX);
        check_items(total, member.span)?;
        Ok(if dims.is_empty() { item } else { Term::array(ty, dims, vec![item; total]) })
    }

    /// The value that a variable of a function is declared with, in the variable's own type: `Real y = 0` begins with a Real.
    fn of_declared_type(&mut self, value: Term, member: &Member, span: Span) -> Outcome<Term> {
        let Some(component) = member.component() else { return Err(Failure::Reported) };
        let scope = Scope { instance: None, class: member.origin };
        let declared = match self.lookup_class(&component.type_name, scope)? {
            ClassReference::Predefined(ty) => Some(ty),
            ClassReference::Class { class, .. } => self.classes.type_info(class)?.scalar,
        };
        match (declared, value.scalar_type()) {
            (Some(Type::Real), Some(Type::Integer)) => value.map(|item| match item {
                Term::Scalar(_, id) => Ok(Term::Scalar(Type::Real, *id)),
                other => Ok(other.clone()),
            }),
            (Some(declared), Some(own)) if declared != own && !value.items().is_empty() => {
                let message = format!("`{}` is {}, but this is {}", member.name, type_text(declared), describe(&value));
                Err(Diagnostic::error(Code::E0303, message).label(span, "").label(member.span, "declared here").into())
            }
            _ => Ok(value),
        }
    }

    fn unknown_record(&mut self, class: ClassId, context: &mut Context) -> Outcome<Term> {
        if context.calls >= MAX_CALLS {
            return Err(Failure::Reported);
        }
        let layout = self.classes.layout(class)?;
        let mut fields = Vec::new();
        context.calls += 1;
        for member in layout.members.iter().filter(|member| member.component().is_some()) {
            fields.push((member.name.clone(), self.local_variable(member, context)?));
        }
        context.calls -= 1;
        let class = self.classes.library.class(class).name.clone();
        Ok(Term::Record(Rc::new(RecordTerm { class, fields })))
    }

    pub(crate) fn has_unknown(&self, term: &Term) -> bool {
        let mut scalars = Vec::new();
        term.scalars(&mut scalars);
        let unknown = Node::Mode(modeshift_dae::ModeVariableId(u32::MAX));
        scalars.iter().any(|&(_, id)| self.model.expressions.contains(id, |node| node == unknown))
    }

    /// `noEvent` around an inlined body, where a relation or a branch is in it that is not in its arguments: around each scalar of its
    /// results, fields of records and several outputs too.
    fn without_events(&mut self, result: &Term, bound: &[(Arc<str>, Term)]) -> Term {
        let mut given = Vec::new();
        for (_, value) in bound {
            let mut scalars = Vec::new();
            value.scalars(&mut scalars);
            scalars.iter().for_each(|&(_, id)| self.collect_relations(id, &mut given));
        }
        given.sort();
        self.without_events_but(result, &given)
    }

    fn without_events_but(&mut self, result: &Term, given: &[ExpressionId]) -> Term {
        match result {
            &Term::Scalar(_, id) => {
                let mut own = Vec::new();
                self.collect_relations(id, &mut own);
                let has_new = own.iter().any(|relation| given.binary_search(relation).is_err());
                if has_new { self.no_event(result) } else { result.clone() }
            }
            Term::Array(array) => {
                let items = array.items.iter().map(|item| self.without_events_but(item, given)).collect();
                Term::array(array.ty, array.dims.clone(), items)
            }
            Term::Record(record) => {
                let field = |(name, value): &(Arc<str>, Term)| (name.clone(), self.without_events_but(value, given));
                let fields = record.fields.iter().map(field).collect();
                Term::Record(Rc::new(RecordTerm { class: record.class.clone(), fields }))
            }
            Term::Tuple(outputs) => Term::Tuple(outputs.iter().map(|it| self.without_events_but(it, given)).collect()),
            Term::Function(_) => result.clone(),
        }
    }

    fn collect_relations(&self, id: ExpressionId, out: &mut Vec<ExpressionId>) {
        self.model.expressions.for_each(id, |id, node| {
            if matches!(node, Node::Relation(..) | Node::If(..)) {
                out.push(id);
            }
            true
        });
    }
}

/// How long the results of an inlined call may be before it is kept as a call.
const MAX_INLINED: usize = 20_000;

/// Inputs with their arguments, in the order of declaration.
pub(crate) type Bound = Vec<(Arc<str>, Term)>;

/// A call with its arguments translated.
pub(crate) struct Call {
    pub(crate) class: ClassId,
    pub(crate) layout: Rc<Layout>,
    pub(crate) positional: Vec<Term>,
    pub(crate) named: Vec<(Ident, Term)>,
    pub(crate) span: Span,
}

impl Call {
    /// A call whose arguments are told otherwise.
    pub(crate) fn of(class: ClassId, layout: Rc<Layout>, span: Span) -> Self {
        Call { class, layout, positional: Vec::new(), named: Vec::new(), span }
    }
}

pub(crate) fn is_input(member: &Member) -> bool {
    member.prefix.causality == Some(Causality::Input)
}

pub(crate) fn is_output(member: &Member) -> bool {
    member.prefix.causality == Some(Causality::Output)
}

fn is_field(member: &Member) -> bool {
    // A constant without a value is given one, like the others.
    let is_open = || member.modifiers.iter().all(|(modifier, _)| modifier.value.is_none());
    let is_given = member.prefix.variability > Variability::Constant || is_open();
    member.component().is_some() && is_given && !member.is_final
}

/// Whether the relations of a function may make events when it is inlined: `Inline = true`, `GenerateEvents = true`.
fn may_have_events(definition: &Class) -> bool {
    annotations::is_true(definition.annotation.as_ref(), "Inline")
        || annotations::is_true(definition.annotation.as_ref(), "GenerateEvents")
}

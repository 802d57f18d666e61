//! References `a.b[i].c`: walked through the instance tree, arrays of components and slices included.
//!
//! Only the elements that the subscripts name are visited, so that `element[k].u` costs the same for any number
//! of elements.

use std::rc::Rc;

use modeshift_dae::{Assertion, ExpressionId, Node, RelationOperator, Type, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{self, ExpressionKind, Reference, ReferencePart, Subscript, Variability};

use crate::classes::library::ClassId;
use crate::classes::lookup::{ClassReference, reference_text, unknown};
use crate::expressions::context::{Context, Purpose};
use crate::expressions::term::{FunctionTerm, RecordTerm, Term, stack};
use crate::failure::{Failure, Outcome, unsupported, wrong};
use crate::flattener::Flattener;
use crate::instances::modification::Scope;
use crate::instances::scopes::Found;
use crate::instances::tree::{InstanceId, PrimitiveId, Slot};
use crate::restrictions::visibility::is_protected;
use crate::suggestion::{with_names, with_suggestion};

/// Which elements of one dimension a subscript picks.
#[derive(Clone, Debug)]
pub(crate) enum Pick {
    /// One, from 0; the dimension disappears.
    One(usize),
    /// Several, from 0.
    Many(Vec<usize>),
    /// One that is known only at run time.
    Dynamic(ExpressionId, usize),
}

/// What a reference names: one element or an array of elements of instances.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// Sizes of the arrays of components on the way.
    pub(crate) dims: Vec<usize>,
    /// The elements, row-major.
    pub(crate) elements: Vec<(InstanceId, u32)>,
    /// The subscripts of the last part, not yet applied.
    pub(crate) last: Vec<Subscript>,
}

impl Flattener<'_> {
    /// The value of a reference.
    pub(crate) fn reference(&mut self, reference: &Reference, context: &mut Context) -> Outcome<Term> {
        let first = &reference.parts[0];
        if !reference.global {
            if let Some(local) = context.local(&first.name.name).cloned() {
                return self.local_part(local, reference, context);
            }
            if &*first.name.name == "time" && reference.parts.len() == 1 {
                self.check_time(reference.span, context)?;
                return match context.purpose {
                    Purpose::Evaluate => crate::failure::dynamic("`time` is not known at translation", reference.span),
                    _ => Ok(Term::Scalar(Type::Real, self.model.expressions.time())),
                };
            }
        }
        match self.find_first(reference.global, &first.name.name, context.scope)? {
            Some(Found::Component(instance, position)) => {
                self.check_not_around(instance, position, reference, context)?;
                self.component_reference(instance, position, reference, 0, context)
            }
            Some(Found::Class(class)) => self.class_member(class, reference, 1, context),
            Some(Found::Literal(class, position)) => self.imported_literal(class, position, reference),
            None => Err(self.unknown_reference(reference, context).into()),
        }
    }

    fn unknown_reference(&mut self, reference: &Reference, context: &Context) -> Diagnostic {
        let first = &reference.parts[0].name;
        let diagnostic = unknown(&first.name, first.span, "name");
        let diagnostic = self.classes.suggest_names(diagnostic, &first.name, Some(context.scope.class));
        let name = &first.name;
        let is_said = diagnostic.help.is_some() || diagnostic.code == Code::E0290;
        match (is_said, reference.parts.len()) {
            (true, _) => diagnostic,
            (false, 1) => diagnostic
                .help(format!("declare it: `parameter Real {name} = …`, or `Real {name}` with an equation for it")),
            (false, parts) => self.classes.with_library(diagnostic, parts),
        }
    }

    /// A part of an iterator or of a variable of a function.
    fn local_part(&mut self, local: Term, reference: &Reference, context: &mut Context) -> Outcome<Term> {
        let mut term = local;
        for (position, part) in reference.parts.iter().enumerate() {
            if position > 0 {
                term = match term.field(&part.name.name) {
                    Some(field) => field,
                    None => return wrong(Code::E0201, format!("no field `{}`", part.name.name), part.name.span),
                };
            }
            if !part.subscripts.is_empty() {
                let picks = self.picks(&part.subscripts, term.dims(), part, None, context)?;
                term = self.pick(&term, &picks)?;
            }
        }
        Ok(term)
    }

    /// A constant, literal or nested class of a class.
    fn class_member(
        &mut self,
        class: ClassReference,
        reference: &Reference,
        at: usize,
        context: &mut Context,
    ) -> Outcome<Term> {
        let Some(part) = reference.parts.get(at) else {
            if let ClassReference::Class { class, .. } = class
                && self.classes.library.class(class).definition.kind == ast::ClassKind::Function
            {
                let class = self.classes.type_info(class)?.class;
                return Ok(Term::Function(Rc::new(FunctionTerm { class, named: Vec::new() })));
            }
            let message = format!("`{}` is a class, not a value", reference_text(reference));
            return wrong(Code::E0203, message, reference.span);
        };
        if let ClassReference::Class { class, .. } = class
            && let Some(literal) = self.enumeration_literal(class, &part.name.name)
        {
            return Ok(literal);
        }
        if let ClassReference::Class { class, .. } = class {
            self.classes.check_seen(class, &part.name)?;
            self.classes.check_whole(class, &part.name)?;
        }
        match self.find_in_class(class, &part.name.name)? {
            Some(Found::Component(instance, position)) => {
                self.component_reference(instance, position, reference, at, context)
            }
            Some(Found::Class(class)) => self.class_member(class, reference, at + 1, context),
            Some(Found::Literal(class, position)) => self.imported_literal(class, position, reference),
            None => Err(self.classes.unknown_in_class(class, &part.name)),
        }
    }

    fn component_reference(
        &mut self,
        instance: InstanceId,
        position: u32,
        reference: &Reference,
        at: usize,
        context: &mut Context,
    ) -> Outcome<Term> {
        self.check_unconditional(instance, position, &reference.parts[at], context)?;
        let selection = self.select(instance, position, &reference.parts[at..], context)?;
        let Some(part) = reference.parts.last() else { return Err(Failure::Reported) };
        if selection.dims.is_empty() {
            let (instance, position) = selection.elements[0];
            return self.element_term(instance, position, part, &selection.last, context);
        }
        let mut parts = Vec::with_capacity(selection.elements.len());
        for &(instance, position) in &selection.elements {
            parts.push(self.element_term(instance, position, part, &selection.last, context)?);
        }
        match stack(Type::Real, &selection.dims, parts) {
            Some(term) => Ok(term),
            None => wrong(Code::E0304, "the elements of this slice differ in size", reference.span),
        }
    }

    /// Walks all parts but the subscripts of the last one.
    pub(crate) fn select(
        &mut self,
        instance: InstanceId,
        position: u32,
        parts: &[ReferencePart],
        context: &mut Context,
    ) -> Outcome<Selection> {
        let mut dims: Vec<usize> = Vec::new();
        let mut elements = vec![(instance, position)];
        for (at, part) in parts.iter().enumerate() {
            let Some(next) = parts.get(at + 1) else { break };
            let mut reached = Vec::new();
            let mut sizes = None;
            for &(instance, position) in &elements {
                let (picked_dims, instances) = self.components_at(instance, position, part, context)?;
                if sizes.as_ref().is_some_and(|sizes| *sizes != picked_dims) {
                    return wrong(Code::E0304, "the elements of this slice differ in size", part.name.span);
                }
                sizes = Some(picked_dims);
                let member = self.instances.member(instance, position);
                if member.outer && !member.inner {
                    let member = member.clone();
                    self.check_outer_offers(&member, next)?;
                }
                for instance in instances {
                    let position = self.position_in(instance, next)?;
                    let member = self.instances.member(instance, position);
                    if member.protected {
                        return Err(is_protected(member, next.name.span).into());
                    }
                    self.check_unconditional(instance, position, next, context)?;
                    reached.push((instance, position));
                }
            }
            dims.extend(sizes.unwrap_or_default());
            elements = reached;
        }
        let last = parts.last().map_or(Vec::new(), |part| part.subscripts.clone());
        Ok(Selection { dims, elements, last })
    }

    /// The position of the element that a part of a reference names.
    fn position_in(&mut self, instance: InstanceId, part: &ReferencePart) -> Outcome<u32> {
        if let Some(&position) = self.instances[instance].layout.index.get(&part.name.name) {
            return Ok(position);
        }
        let class = &self.classes.library.class(self.instances[instance].class).name;
        let message = format!("`{class}` has no element `{}`", part.name.name);
        let diagnostic = Diagnostic::error(Code::E0201, message).label(part.name.span, "not found");
        let layout = self.instances[instance].layout.clone();
        let names = || layout.index.keys().map(|name| &**name);
        Err(with_names(with_suggestion(diagnostic, &part.name.name, names()), names()).into())
    }

    /// The component or components that one part of a reference names, with the sizes of what is left.
    pub(crate) fn components_at(
        &mut self,
        instance: InstanceId,
        position: u32,
        part: &ReferencePart,
        context: &mut Context,
    ) -> Outcome<(Vec<usize>, Vec<InstanceId>)> {
        match self.slot(instance, position)? {
            Slot::Component(component) => {
                if !part.subscripts.is_empty() {
                    return wrong(Code::E0305, format!("`{}` is not an array", part.name.name), part.name.span);
                }
                Ok((Vec::new(), vec![component]))
            }
            Slot::Components(components) => {
                let span = self.instances.member(instance, position).span;
                let picks = self.picks(&part.subscripts, &components.dims, part, Some(span), context)?;
                let offsets = offsets(&picks, &components.dims, part.name.span)?;
                Ok((offsets.0, offsets.1.into_iter().map(|at| components.instances[at]).collect()))
            }
            Slot::Outer(instance, position) => self.components_at(instance, position, part, context),
            Slot::Primitive(_) => {
                let name = &part.name.name;
                wrong(Code::E0201, format!("`{name}` is a variable and has no elements"), part.name.span)
            }
            Slot::Absent => Err(self.absent(instance, position, part.name.span)),
            _ => wrong(Code::E0203, format!("`{}` is a class, not a component", part.name.name), part.name.span),
        }
    }

    fn absent(&self, instance: InstanceId, position: u32, span: Span) -> Failure {
        let name = self.instances.element_name(instance, position);
        Diagnostic::error(Code::E0210, format!("`{name}` does not exist: its condition is false"))
            .label(span, "used here")
            .label(self.instances.member(instance, position).span, "declared here")
            .into()
    }

    /// The value of one element with the subscripts of the last part of a reference.
    fn element_term(
        &mut self,
        instance: InstanceId,
        position: u32,
        part: &ReferencePart,
        subscripts: &[Subscript],
        context: &mut Context,
    ) -> Outcome<Term> {
        match self.slot(instance, position)? {
            Slot::Primitive(id) => self.primitive_term(id, part, subscripts, context),
            Slot::Outer(instance, position) => self.element_term(instance, position, part, subscripts, context),
            Slot::Absent => Err(self.absent(instance, position, part.name.span)),
            Slot::Component(_) | Slot::Components(_) => {
                let (dims, instances) = self.components_at(instance, position, part, context)?;
                let mut terms = Vec::new();
                for instance in instances {
                    terms.push(self.record_term(instance, part.name.span, context)?);
                }
                stack(Type::Real, &dims, terms).ok_or(Failure::Reported)
            }
            _ => wrong(Code::E0203, format!("`{}` is a class, not a value", part.name.name), part.name.span),
        }
    }

    /// A whole component as a record of its elements. What is `outer` is none of them: it is declared elsewhere, maybe as what
    /// contains this component, so that a walk through it would have no end.
    pub(crate) fn record_term(&mut self, instance: InstanceId, span: Span, context: &mut Context) -> Outcome<Term> {
        let layout = self.instances[instance].layout.clone();
        let mut fields = Vec::new();
        for (position, member) in layout.members.iter().enumerate() {
            if member.component().is_none()
                || matches!(self.slot(instance, position as u32)?, Slot::Absent | Slot::Outer(..))
            {
                continue;
            }
            let name = modeshift_syntax::ast::Ident { name: member.name.clone(), span };
            let part = ReferencePart { name, subscripts: Vec::new() };
            let value = self.element_term(instance, position as u32, &part, &[], context)?;
            fields.push((member.name.clone(), value));
        }
        let class = self.classes.library.class(self.instances[instance].class).name.clone();
        Ok(Term::Record(Rc::new(RecordTerm { class, fields })))
    }

    fn primitive_term(
        &mut self,
        id: PrimitiveId,
        part: &ReferencePart,
        subscripts: &[Subscript],
        context: &mut Context,
    ) -> Outcome<Term> {
        let primitive = &self.instances[id];
        let (ty, dims, first) = (primitive.ty, primitive.dims.clone(), primitive.first);
        let (instance, position) = (primitive.instance, primitive.position);
        let is_static = self.instances[instance].is_static;
        let is_known = primitive.prefix.variability <= Variability::Parameter;
        let span = self.instances.member(instance, position).span;
        if is_static && !is_known {
            let message = format!("`{}` belongs to a class around this one and is not constant", part.name.name);
            return Err(Diagnostic::error(Code::E0204, message)
                .label(part.name.span, "used here")
                .label(span, "declared here")
                .into());
        }
        if subscripts.is_empty() && dims.is_empty() && context.purpose == Purpose::Symbolic && !is_static {
            let variable = first.expect("variables are numbered before equations are translated");
            return Ok(Term::Scalar(ty, self.model.expressions.variable(variable, 0)));
        }
        if subscripts.iter().any(is_number_literal) {
            self.check_subscript_types(instance, position, subscripts)?;
        }
        let picks = self.picks(subscripts, &dims, part, Some(span), context)?;
        match context.purpose {
            Purpose::Symbolic if !is_static => {
                let variable = first.expect("variables are numbered before equations are translated");
                self.variable_term(ty, variable, &dims, &picks, part.name.span)
            }
            Purpose::Shape => {
                let unknown = Term::Scalar(ty, self.unknown_scalar());
                let whole = match dims.is_empty() {
                    true => unknown,
                    false => Term::array(ty, dims.to_vec(), vec![unknown; dims.iter().product()]),
                };
                self.pick(&whole, &picks)
            }
            _ => {
                let value = self.value_of(id, part.name.span)?;
                self.pick(&value, &picks)
            }
        }
    }

    /// A scalar of which nothing is known; in shapes only.
    pub(crate) fn unknown_scalar(&mut self) -> ExpressionId {
        self.model.expressions.add(Node::Mode(modeshift_dae::ModeVariableId(u32::MAX)))
    }

    fn variable_term(
        &mut self,
        ty: Type,
        first: VariableId,
        dims: &[usize],
        picks: &[Pick],
        span: Span,
    ) -> Outcome<Term> {
        if picks.iter().any(|pick| matches!(pick, Pick::Dynamic(..))) {
            let all: Vec<Pick> = dims.iter().map(|&dim| Pick::Many((0..dim).collect())).collect();
            let whole = self.variable_term(ty, first, dims, &all, span)?;
            return self.pick(&whole, picks);
        }
        let (left, offsets) = offsets(picks, dims, span)?;
        let mut items = Vec::with_capacity(offsets.len());
        for at in offsets {
            let scalar = VariableId(first.0 + at as u32);
            items.push(Term::Scalar(ty, self.model.expressions.variable(scalar, 0)));
        }
        Ok(if left.is_empty() { items.remove(0) } else { Term::array(ty, left, items) })
    }

    /// What subscripts pick of each dimension; dimensions without a subscript are picked whole.
    pub(crate) fn picks(
        &mut self,
        subscripts: &[Subscript],
        dims: &[usize],
        part: &ReferencePart,
        declared: Option<Span>,
        context: &mut Context,
    ) -> Outcome<Vec<Pick>> {
        if subscripts.len() > dims.len() {
            let name = &part.name.name;
            let message = match dims.len() {
                0 => format!("`{name}` is not an array"),
                count => format!("`{name}` has {count} dimensions, but {} subscripts", subscripts.len()),
            };
            let diagnostic = Diagnostic::error(Code::E0305, message).label(part.name.span, "");
            return Err(declared.map_or(diagnostic.clone(), |span| diagnostic.label(span, "declared here")).into());
        }
        let mut picks = Vec::with_capacity(dims.len());
        for (position, &dim) in dims.iter().enumerate() {
            picks.push(match subscripts.get(position) {
                None | Some(Subscript::All(_)) => Pick::Many((0..dim).collect()),
                Some(Subscript::Expression(expression)) => {
                    context.ends.push(dim);
                    let picked = self.picked(expression, dim, part, declared, context);
                    context.ends.pop();
                    picked?
                }
            });
        }
        Ok(picks)
    }

    fn picked(
        &mut self,
        expression: &modeshift_syntax::ast::Expression,
        dim: usize,
        part: &ReferencePart,
        declared: Option<Span>,
        context: &mut Context,
    ) -> Outcome<Pick> {
        if let ExpressionKind::Integer(value) = expression.kind
            && (1..=dim as i64).contains(&value)
        {
            return Ok(Pick::One(value as usize - 1));
        }
        let term = match self.evaluate(expression, context) {
            Err(Failure::Dynamic(_)) if context.purpose != Purpose::Evaluate => {
                return match self.term(expression, context)? {
                    Term::Scalar(Type::Integer, id) => {
                        self.assert_within_bounds(id, dim, part, expression.span, context);
                        Ok(Pick::Dynamic(id, dim))
                    }
                    Term::Scalar(Type::Enumeration(_), id) => Ok(Pick::Dynamic(id, dim)),
                    Term::Scalar(Type::Boolean, id) => {
                        let expressions = &mut self.model.expressions;
                        let (one, two) = (expressions.integer(1), expressions.integer(2));
                        Ok(Pick::Dynamic(expressions.if_then_else(id, two, one), dim))
                    }
                    _ => wrong(Code::E0303, "a subscript must be Integer", expression.span),
                };
            }
            other => other?,
        };
        let mut chosen = Vec::new();
        for item in term.items() {
            let Some(value) = self.integer_value(item) else {
                let what = crate::expressions::evaluate::describe(&term);
                return wrong(Code::E0303, format!("a subscript must be Integer, but this is {what}"), expression.span);
            };
            if value < 1 || value > dim as i64 {
                let name = &part.name.name;
                let message = format!("subscript {value} of `{name}` is out of bounds: its size is {dim}");
                let diagnostic = Diagnostic::error(Code::E0305, message).label(expression.span, "");
                let diagnostic =
                    diagnostic.help(format!("write a subscript from 1 to {dim}, or declare `{name}` larger"));
                return Err(declared.map_or(diagnostic.clone(), |span| diagnostic.label(span, "declared here")).into());
            }
            chosen.push(value as usize - 1);
        }
        match term.dims().len() {
            0 => Ok(Pick::One(chosen[0])),
            1 => Ok(Pick::Many(chosen)),
            _ => wrong(Code::E0303, "a subscript must be a scalar or a vector", expression.span),
        }
    }

    /// A subscript that is known only at run time must be within its bounds wherever it is evaluated. A function that is kept
    /// sees to it by itself.
    fn assert_within_bounds(
        &mut self,
        subscript: ExpressionId,
        dim: usize,
        part: &ReferencePart,
        span: Span,
        context: &Context,
    ) {
        if context.purpose != Purpose::Symbolic || self.execution.slots.is_some() {
            return;
        }
        let expressions = &mut self.model.expressions;
        let (first, last) = (expressions.integer(1), expressions.integer(dim as i64));
        let from = expressions.relation(RelationOperator::GreaterEqual, subscript, first);
        let to = expressions.relation(RelationOperator::LessEqual, subscript, last);
        let condition = expressions.and(from, to);
        let reached = context.path.unwrap_or_else(|| expressions.boolean(true));
        let guard = self.execution.conditions.iter().fold(reached, |all, &it| expressions.and(all, it));
        let text = format!("a subscript of `{}` is out of bounds: its size is {dim}", part.name.name);
        let message = expressions.string(&text);
        let is_known = |it: &Assertion| it.condition == condition && it.guard == guard;
        if !self.execution.assertions.iter().any(is_known) {
            self.execution.assertions.push(Assertion { condition, guard, message, is_error: true, span });
        }
    }

    /// The picked elements of a term.
    pub(crate) fn pick(&mut self, term: &Term, picks: &[Pick]) -> Outcome<Term> {
        if self.execution.slots.is_some() && picks.iter().any(|pick| matches!(pick, Pick::Dynamic(..))) {
            return self.computed_elements(term, picks);
        }
        if let Some(at) = picks.iter().position(|pick| matches!(pick, Pick::Dynamic(..))) {
            let Pick::Dynamic(index, dim) = picks[at] else { return Err(Failure::Reported) };
            let mut choice: Option<Term> = None;
            for value in (0..dim).rev() {
                let mut fixed = picks.to_vec();
                fixed[at] = Pick::One(value);
                let element = self.pick(term, &fixed)?;
                choice = Some(match choice {
                    None => element,
                    Some(otherwise) => {
                        let number = self.model.expressions.integer(value as i64 + 1);
                        let condition = self.model.expressions.relation(RelationOperator::Equal, index, number);
                        self.if_term(condition, &element, &otherwise)?
                    }
                });
            }
            return choice.ok_or(Failure::Reported);
        }
        let Term::Array(array) = term else { return Ok(term.clone()) };
        let (left, offsets) = offsets(picks, &array.dims, Span::default())?;
        let items: Vec<Term> = offsets.into_iter().map(|at| array.items[at].clone()).collect();
        Ok(match left.is_empty() {
            true => items.into_iter().next().ok_or(Failure::Reported)?,
            false => Term::array(array.ty, left, items),
        })
    }

    /// The picked elements where a function is kept: those that are computed are found at run time.
    fn computed_elements(&mut self, term: &Term, picks: &[Pick]) -> Outcome<Term> {
        let (mut whole, mut is_computed, mut subscripts, mut sizes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for pick in picks {
            match *pick {
                Pick::Dynamic(index, dim) => {
                    subscripts.push(index);
                    sizes.push(dim as u32);
                    is_computed.push(true);
                    whole.push(Pick::Many((0..dim).collect()));
                }
                Pick::Many(_) => {
                    is_computed.push(false);
                    whole.push(pick.clone());
                }
                Pick::One(_) => whole.push(pick.clone()),
            }
        }
        let whole = self.pick(term, &whole)?;
        let (kept, lists) = crate::functions::slots::along_computed(whole.dims(), &is_computed, whole.items());
        let mut items = Vec::with_capacity(lists.len());
        for list in lists {
            items.push(self.run_time_element(list, &sizes, &subscripts)?);
        }
        match kept.is_empty() {
            true => items.pop().ok_or(Failure::Reported),
            false => Ok(Term::array(whole.scalar_type().unwrap_or(Type::Real), kept, items)),
        }
    }

    /// The size that a type name has as a dimension: of `Boolean` 2, of an enumeration its number of literals.
    pub(crate) fn size_of_type(&mut self, reference: &Reference, scope: Scope) -> Outcome<Option<usize>> {
        if reference.parts.iter().any(|part| !part.subscripts.is_empty()) {
            return Ok(None);
        }
        Ok(self.enumeration_named(reference, scope)?.map(|(_, size)| size))
    }

    /// The type that a reference names, if it is one that can be counted through, with its number of values.
    pub(crate) fn enumeration_named(&mut self, reference: &Reference, scope: Scope) -> Outcome<Option<(Type, usize)>> {
        let first = &reference.parts[0].name.name;
        let Some(Found::Class(mut class)) = self.find_first(reference.global, first, scope)? else { return Ok(None) };
        for part in &reference.parts[1..] {
            match self.find_in_class(class, &part.name.name)? {
                Some(Found::Class(inner)) => class = inner,
                _ => return Ok(None),
            }
        }
        match class {
            ClassReference::Predefined(Type::Boolean) => Ok(Some((Type::Boolean, 2))),
            ClassReference::Predefined(_) => unsupported("this type as a dimension", reference.span),
            ClassReference::Class { class, .. } => match self.classes.type_info(class)?.scalar {
                Some(ty @ Type::Enumeration(id)) => Ok(Some((ty, self.classes.enumerations.all[id].literals.len()))),
                Some(Type::Boolean) => Ok(Some((Type::Boolean, 2))),
                _ => Ok(None),
            },
        }
    }

    /// A literal that an import names.
    fn imported_literal(&mut self, class: ClassId, position: u32, reference: &Reference) -> Outcome<Term> {
        let ty = self.classes.type_info(class)?.scalar;
        match ty.filter(|_| reference.parts.len() == 1 && reference.parts[0].subscripts.is_empty()) {
            Some(ty) => Ok(Term::Scalar(ty, self.model.expressions.integer(i64::from(position) + 1))),
            None => wrong(
                Code::E0203,
                format!("`{}` is a literal, without parts", reference_text(reference)),
                reference.span,
            ),
        }
    }

    /// The literal of an enumeration class.
    pub(crate) fn enumeration_literal(&mut self, class: ClassId, name: &str) -> Option<Term> {
        let Ok(info) = self.classes.type_info(class) else { return None };
        let Some(ty @ Type::Enumeration(id)) = info.scalar else { return None };
        let ordinal = self.classes.enumerations.all[id].literals.iter().position(|literal| &**literal == name)?;
        Some(Term::Scalar(ty, self.model.expressions.integer(ordinal as i64 + 1)))
    }
}

fn is_number_literal(subscript: &Subscript) -> bool {
    matches!(subscript, Subscript::Expression(expression) if matches!(expression.kind, ExpressionKind::Integer(_)))
}

/// The remaining sizes, and the row-major offsets of the picked elements.
pub(crate) fn offsets(picks: &[Pick], dims: &[usize], span: Span) -> Outcome<(Vec<usize>, Vec<usize>)> {
    let mut left = Vec::new();
    let mut offsets = vec![0];
    for (pick, &dim) in picks.iter().zip(dims) {
        match pick {
            Pick::One(index) => offsets.iter_mut().for_each(|offset| *offset = *offset * dim + index),
            Pick::Many(chosen) => {
                left.push(chosen.len());
                offsets =
                    offsets.iter().flat_map(|offset| chosen.iter().map(move |index| offset * dim + index)).collect();
            }
            Pick::Dynamic(..) => {
                return crate::failure::dynamic("a subscript that is not known at translation", span);
            }
        }
    }
    Ok((left, offsets))
}

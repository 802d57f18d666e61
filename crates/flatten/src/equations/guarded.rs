//! Equations: every scalar equation of every branch with its own guard (E22 §4.1).
//!
//! An `if` whose condition is known at translation keeps the chosen branch only; otherwise the equations of each
//! branch get the conjunction of conditions as guard, and branches may differ in length (E22 §3). Order: the
//! equations of components first, then bindings in declaration order, equations in source order with those of base
//! classes first, and connections.

use std::sync::Arc;

use modeshift_dae::{
    Assertion, Equation, EquationKind, ExpressionId, InitialEquation, Invariant, InvariantOrigin, Node, Scenario,
    ScenarioId, Type,
};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{self, Expression, ExpressionKind, Variability};

use crate::classes::annotations;
use crate::classes::library::composition;
use crate::equations::conditions::Open;
use crate::equations::names;
use crate::expressions::context::{Context, Purpose};
use crate::expressions::evaluate::describe;
use crate::expressions::term::{Term, shape_text};
use crate::expressions::translate::Decision;
use crate::failure::{Failure, Outcome, unsupported, wrong};
use crate::flattener::Flattener;
use crate::instances::modification::Scope;
use crate::instances::tree::{InstanceId, Slot, index_text};

/// Literals of an enumeration that are listed.
const MOST_LITERALS: usize = 8;

/// Where equations are being collected.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The model or component they belong to.
    pub(crate) instance: InstanceId,
    /// Its name with a dot behind, or nothing.
    pub(crate) prefix: Arc<str>,
    /// The modes of the surrounding `if`s.
    pub(crate) guard: ExpressionId,
    /// Whether in an initial section.
    pub(crate) initial: bool,
    /// The scenario they belong to.
    pub(crate) scenario: Option<ScenarioId>,
    /// The surrounding loops: iterators and their values as text.
    pub(crate) loops: Vec<(Arc<str>, String)>,
}

/// One scalar equation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides {
    pub(crate) ty: Type,
    pub(crate) left: ExpressionId,
    pub(crate) right: ExpressionId,
}

impl Flattener<'_> {
    /// Adds the equations of an instance and everything in it.
    pub(crate) fn add_equations(&mut self, instance: InstanceId, guard: ExpressionId) {
        let layout = self.instances[instance].layout.clone();
        for position in 0..layout.members.len() as u32 {
            let slot = self.instances[instance].slots[position as usize].clone();
            if !matches!(slot, Slot::Component(_) | Slot::Components(_)) {
                continue;
            }
            let around = guard;
            let Ok(guard) = self.member_guard(instance, position, guard) else { continue };
            match slot {
                Slot::Component(component) => self.add_equations_of(component, around, guard),
                Slot::Components(components) => {
                    components.instances.iter().for_each(|&component| self.add_equations_of(component, around, guard));
                }
                _ => {}
            }
        }
        let name = self.instances.instance_name(instance);
        let prefix = if name.is_empty() { "".into() } else { format!("{name}.").into() };
        let mut place = Place { instance, prefix, guard, initial: false, scenario: None, loops: Vec::new() };
        self.add_bindings(&place);
        for &class in &layout.classes {
            let definition = self.classes.library.class(class).definition.clone();
            let Some(inside) = composition(&definition) else { continue };
            let scope = Scope { instance: Some(instance), class };
            for section in &inside.equations {
                place.initial = section.initial;
                let mut context = Context::new(scope, Purpose::Symbolic);
                self.add_all(&section.equations, &mut place, &mut context);
            }
            for section in &inside.algorithms {
                place.initial = section.initial;
                if let Err(failure) = self.add_algorithm(section, &place, scope) {
                    self.report(failure);
                }
            }
        }
        self.add_connection_equations(instance, &place);
    }

    /// Adds the equations of a component, within the modes of its declaration.
    fn add_equations_of(&mut self, component: InstanceId, around: ExpressionId, guard: ExpressionId) {
        let guard = self.component_guard(component, around, guard);
        self.add_equations(component, guard);
    }

    /// Declaration equations of variables, `Real y = 2*x`.
    fn add_bindings(&mut self, place: &Place) {
        let instance = place.instance;
        let layout = self.instances[instance].layout.clone();
        for (position, member) in layout.members.iter().enumerate() {
            let Slot::Primitive(id) = self.instances[instance].slots[position] else { continue };
            let prefix = self.instances[id].prefix;
            let first = self.instances.first_variable(id);
            if prefix.variability <= Variability::Parameter || self.model.variables.get(first).is_some_and(|v| v.input)
            {
                continue;
            }
            if let Err(failure) = self.add_binding(id, member.span, place) {
                self.report(failure);
            }
        }
    }

    fn add_binding(&mut self, id: crate::instances::tree::PrimitiveId, span: Span, place: &Place) -> Outcome<()> {
        let layers = self.primitive_layers(id)?;
        let Some(layer) = layers.iter().find(|layer| layer.value().is_some()) else { return Ok(()) };
        let span = layer.value().map_or(span, |value| value.span);
        let Some(term) = self.binding_term(id, &layers, Purpose::Symbolic)? else { return Ok(()) };
        let first = self.instances.first_variable(id);
        let dims = self.instances[id].dims.clone();
        let mut scalars = Vec::new();
        term.scalars(&mut scalars);
        for (at, (ty, right)) in scalars.into_iter().enumerate() {
            let variable = modeshift_dae::VariableId(first.0 + at as u32);
            let guard = self.model.expressions.and(place.guard, self.model.variables[variable].guard);
            let left = self.model.expressions.variable(variable, 0);
            let name = names::unlabelled(&place.prefix, (!dims.is_empty()).then_some(at));
            let place = Place { guard, ..place.clone() };
            self.push_equation(name, Sides { ty, left, right }, span, &place);
        }
        self.add_assertions(place);
        Ok(())
    }

    /// Adds equations of a section, loop or branch; what is wrong with one does not stop the others.
    pub(crate) fn add_all(&mut self, equations: &[ast::Equation], place: &mut Place, context: &mut Context) {
        for equation in equations {
            if self.is_exhausted {
                return;
            }
            match self.add_equation(equation, place, context) {
                Ok(()) => self.add_assertions(place),
                Err(failure) => {
                    self.execution.assertions.clear();
                    self.report(failure);
                }
            }
        }
    }

    fn add_equation(&mut self, equation: &ast::Equation, place: &mut Place, context: &mut Context) -> Outcome<()> {
        if let Some(annotation) = annotations::entry(equation.annotation.as_ref(), "modeshift") {
            return self.add_scenario(equation, annotation, place, context);
        }
        match &equation.kind {
            ast::EquationKind::Equal(left, right) => self.add_equality(equation, left, right, place, context),
            ast::EquationKind::If { branches, otherwise } => self.add_if(branches, otherwise, place, context),
            ast::EquationKind::For { indices, body } => self.add_loop(indices, body, place, context),
            ast::EquationKind::When(branches) => self.add_when(branches, equation.span, place, context),
            ast::EquationKind::Connect(..) => Ok(()),
            ast::EquationKind::Call(call) => self.add_call(call, place, context),
            ast::EquationKind::Invariant(condition) => {
                let condition = self.condition(condition, context)?;
                let origin = InvariantOrigin::Declared;
                let invariant = Invariant { condition, origin, guard: place.guard, span: equation.span };
                self.model.invariants.push(invariant);
                Ok(())
            }
        }
    }

    fn add_equality(
        &mut self,
        equation: &ast::Equation,
        left: &Expression,
        right: &Expression,
        place: &Place,
        context: &mut Context,
    ) -> Outcome<()> {
        let sides = self.sides(left, right, context)?;
        let is_array = sides.len() != 1;
        for (at, (index, sides)) in sides.into_iter().enumerate() {
            let name = match &equation.label {
                Some(label) => names::labelled(&place.prefix, &label.name, &place.loops, &index),
                None => names::unlabelled(&place.prefix, (is_array || !index.is_empty()).then_some(at)),
            };
            self.push_equation(name, sides, equation.span, place);
        }
        Ok(())
    }

    /// The scalar equations of `left = right`, each with its index text.
    pub(crate) fn sides(
        &mut self,
        left: &Expression,
        right: &Expression,
        context: &mut Context,
    ) -> Outcome<Vec<(String, Sides)>> {
        if let ExpressionKind::Tuple(targets) = &left.kind
            && !matches!(targets.as_slice(), [Some(_)])
        {
            return self.tuple_sides(targets, right, context);
        }
        let a = self.term(left, context)?;
        let b = match self.term(right, context)? {
            Term::Tuple(outputs) => outputs.first().cloned().ok_or(Failure::Reported)?,
            other => other,
        };
        let mut out = Vec::new();
        self.pair(&a, &b, String::new(), (left.span, right.span), &mut out)?;
        Ok(out)
    }

    /// `(a, , b) = f(x)`: as many equations as there are targets.
    fn tuple_sides(
        &mut self,
        targets: &[Option<Expression>],
        right: &Expression,
        context: &mut Context,
    ) -> Outcome<Vec<(String, Sides)>> {
        let outputs = match self.term(right, context)? {
            Term::Tuple(outputs) => outputs.to_vec(),
            single => vec![single],
        };
        if targets.len() > outputs.len() {
            return wrong(
                Code::E0307,
                format!("{} results are wanted, but there are {}", targets.len(), outputs.len()),
                right.span,
            );
        }
        let mut out = Vec::new();
        for (target, output) in targets.iter().zip(outputs) {
            if let Some(target) = target {
                let term = self.term(target, context)?;
                self.pair(&term, &output, String::new(), (target.span, right.span), &mut out)?;
            }
        }
        Ok(out)
    }

    /// How values of an enumeration are written.
    fn literals_help(&self, types: [Type; 2]) -> String {
        let enumerations = types.into_iter().filter_map(|ty| match ty {
            Type::Enumeration(id) => Some(&self.classes.enumerations.all[id]),
            _ => None,
        });
        let literals: Vec<String> = enumerations
            .take(1)
            .flat_map(|it| it.literals.iter().map(|literal| format!("`{}.{literal}`", it.name)))
            .take(MOST_LITERALS)
            .collect();
        format!("an enumeration equals one of its own literals: {}; its number is `Integer(…)`", literals.join(", "))
    }

    /// Pairs the scalars of two terms, checking sizes and types.
    pub(crate) fn pair(
        &mut self,
        a: &Term,
        b: &Term,
        index: String,
        spans: (Span, Span),
        out: &mut Vec<(String, Sides)>,
    ) -> Outcome<()> {
        match (a, b) {
            (&Term::Scalar(x, left), &Term::Scalar(y, right)) => {
                let is_variable = |id| matches!(self.model.expressions.node(id), Node::Variable(..));
                let rounds = x == Type::Integer && y == Type::Real && is_variable(left) && !is_variable(right);
                let Some(ty) = common_type(x, y).filter(|_| !rounds) else {
                    let message =
                        format!("the sides of this equation differ in type: {} and {}", describe(a), describe(b));
                    let diagnostic = Diagnostic::error(Code::E0303, message);
                    let is_enumeration = |ty| matches!(ty, Type::Enumeration(_));
                    let help = match (x == Type::Boolean) != (y == Type::Boolean) {
                        _ if is_enumeration(x) || is_enumeration(y) => self.literals_help([x, y]),
                        true => "compare a number to make a Boolean of it (`x > 0`), or declare both alike".to_string(),
                        false => "declare both alike, or round: `integer(x)`".to_string(),
                    };
                    return Err(diagnostic.label(spans.0, describe(a)).label(spans.1, describe(b)).help(help).into());
                };
                out.push((index, Sides { ty, left, right }));
                Ok(())
            }
            (Term::Array(x), Term::Array(y)) if x.dims == y.dims => {
                for (at, (item, other)) in crate::expressions::term::indices(&x.dims).zip(x.items.iter().zip(&y.items))
                {
                    self.pair(item, other, format!("{index}{}", index_text(&at)), spans, out)?;
                }
                Ok(())
            }
            (Term::Record(x), Term::Record(_)) => {
                for (name, value) in &x.fields {
                    let Some(other) = b.field(name) else {
                        return wrong(Code::E0303, format!("the other side has no field `{name}`"), spans.1);
                    };
                    self.pair(value, &other, format!("{index}.{name}"), spans, out)?;
                }
                Ok(())
            }
            _ => {
                let message = match (a.dims(), b.dims()) {
                    (x, y) if x != y => {
                        format!("the sides of this equation differ in size: {} and {}", shape_text(x), shape_text(y))
                    }
                    _ => format!("the sides of this equation differ in type: {} and {}", describe(a), describe(b)),
                };
                Err(Diagnostic::error(Code::E0304, message)
                    .label(spans.0, describe(a))
                    .label(spans.1, describe(b))
                    .help("declare both with the same size, or take a part: `x[1:2]`")
                    .into())
            }
        }
    }

    pub(crate) fn push_equation(&mut self, name: Arc<str>, sides: Sides, span: Span, place: &Place) {
        let Sides { ty, left, right } = sides;
        if place.initial {
            let guard = place.guard;
            self.model.initial_equations.push(InitialEquation { left, right, guard, scenario: place.scenario, span });
            return;
        }
        let kind = if ty == Type::Real { EquationKind::Continuous } else { EquationKind::Discrete };
        self.model.equations.push(Equation { name, kind, guard: place.guard, left, right, span });
    }

    fn add_if(
        &mut self,
        branches: &[(Expression, Vec<ast::Equation>)],
        otherwise: &[ast::Equation],
        place: &mut Place,
        context: &mut Context,
    ) -> Outcome<()> {
        let outer = place.guard;
        let mut open = Open::new(outer);
        for (condition, body) in branches {
            let decision = self.decided(condition, context)?;
            place.guard = open.guard();
            self.add_assertions(place);
            match decision {
                Decision::Known(false) => {}
                Decision::Known(true) => {
                    self.add_all(body, place, context);
                    place.guard = outer;
                    return Ok(());
                }
                Decision::Open(id) => {
                    place.guard = self.model.expressions.and(open.guard(), id);
                    self.add_all(body, place, context);
                    open.exclude(&mut self.model.expressions, id);
                }
            }
        }
        place.guard = open.guard();
        self.add_all(otherwise, place, context);
        place.guard = outer;
        Ok(())
    }

    fn add_loop(
        &mut self,
        indices: &[ast::ForIndex],
        body: &[ast::Equation],
        place: &mut Place,
        context: &mut Context,
    ) -> Outcome<()> {
        let Some((index, rest)) = indices.split_first() else {
            self.add_all(body, place, context);
            return Ok(());
        };
        for value in self.iterations(index, context)? {
            let text = self.loop_value_text(&value);
            place.loops.push((index.name.name.clone(), text));
            context.locals.push((index.name.name.clone(), value));
            let added = self.add_loop(rest, body, place, context);
            context.locals.pop();
            place.loops.pop();
            added?;
        }
        Ok(())
    }

    fn loop_value_text(&self, value: &Term) -> String {
        match (self.integer_value(value), self.real_value(value)) {
            (Some(number), _) => number.to_string(),
            (None, Some(number)) => number.to_string(),
            _ => "?".to_string(),
        }
    }

    /// A Boolean scalar.
    pub(crate) fn condition(&mut self, condition: &Expression, context: &mut Context) -> Outcome<ExpressionId> {
        match self.term(condition, context)? {
            Term::Scalar(Type::Boolean, id) => Ok(id),
            other => wrong(
                Code::E0303,
                format!("a condition must be Boolean, but this is {}", describe(&other)),
                condition.span,
            ),
        }
    }

    fn add_call(&mut self, call: &Expression, place: &Place, context: &mut Context) -> Outcome<()> {
        let ExpressionKind::Call { function, arguments, named } = &call.kind else {
            return unsupported("this expression as an equation", call.span);
        };
        let name = crate::classes::lookup::reference_text(function);
        match &*name {
            "assert" => {
                let mut assertion = self.assertion(arguments, named, call.span, context)?;
                assertion.guard = place.guard;
                if place.initial {
                    let initial = self.model.expressions.call(modeshift_dae::Builtin::Initial, &[]);
                    assertion.guard = self.model.expressions.and(place.guard, initial);
                }
                self.model.assertions.push(assertion);
                Ok(())
            }
            "initialState" | "transition" if place.initial => {
                wrong(Code::E0403, format!("`{name}` cannot stand in an initial section"), call.span)
            }
            "initialState" | "transition" => Ok(()), // found before
            "reinit" | "terminate" => {
                let message = format!("`{name}` can stand inside `when` only");
                let help = "it happens at an instant: write `when … then` around it, with the condition that becomes true there";
                Err(Diagnostic::error(Code::E0403, message).label(call.span, "").help(help).into())
            }
            _ if self.is_without_effect(function, context)? => match arguments.is_empty() {
                true => Ok(()),
                false => self.terms(arguments, context).map(|_| ()),
            },
            _ if self.is_left_out(function, call.span, context)? => Ok(()),
            _ => unsupported(format!("a call of `{name}` as an equation"), call.span),
        }
    }

    /// `assert(condition, message, level)`
    pub(crate) fn assertion(
        &mut self,
        arguments: &[Expression],
        named: &[(ast::Ident, Expression)],
        span: Span,
        context: &mut Context,
    ) -> Outcome<Assertion> {
        let argument = |at: usize, name: &str| {
            arguments.get(at).or_else(|| named.iter().find(|(ident, _)| &*ident.name == name).map(|(_, value)| value))
        };
        let (Some(condition), Some(message)) = (argument(0, "condition"), argument(1, "message")) else {
            return wrong(Code::E0307, "`assert` needs a condition and a message", span);
        };
        let is_error = match argument(2, "level") {
            None => true,
            Some(level) => self.evaluate_integer(level, context)? != 1,
        };
        let condition = self.condition(condition, context)?;
        // The message is evaluated only where the condition is violated (8.3.7).
        let message = match self.model.expressions.literal_boolean(condition) {
            Some(true) => self.model.expressions.string(""),
            _ => self.message(message, context)?,
        };
        let guard = self.model.expressions.boolean(true);
        Ok(Assertion { condition, guard, message, is_error, span })
    }

    /// A String scalar.
    pub(crate) fn message(&mut self, message: &Expression, context: &mut Context) -> Outcome<ExpressionId> {
        match self.term(message, context)? {
            Term::Scalar(Type::String, id) => Ok(id),
            other => wrong(
                Code::E0303,
                format!("a message must be a String, but this is {}", describe(&other)),
                message.span,
            ),
        }
    }

    /// `annotation(modeshift(scenario = "cold start", modes = …))` on an initial equation (E22 §7.2). `'when'` may be
    /// written for `modes`, but needs the quotes: it is a keyword.
    fn add_scenario(
        &mut self,
        equation: &ast::Equation,
        annotation: &ast::Modification,
        place: &mut Place,
        context: &mut Context,
    ) -> Outcome<()> {
        let mut plain = equation.clone();
        plain.annotation = None;
        let Some(name) = annotations::value(Some(annotation), "scenario") else {
            return self.add_equation(&plain, place, context);
        };
        if !place.initial {
            return wrong(Code::E0404, "a scenario is made of initial equations", equation.span);
        }
        let ExpressionKind::String(name) = &name.kind else {
            return wrong(Code::E0404, "the name of a scenario is a String literal", name.span);
        };
        let modes = ["modes", "when", "'when'"].iter().find_map(|key| annotations::value(Some(annotation), key));
        let when = match (modes, &equation.kind) {
            (Some(when), _) => self.condition(when, context)?,
            (None, ast::EquationKind::If { branches, otherwise }) if otherwise.is_empty() && branches.len() == 1 => {
                self.condition(&branches[0].0, context)?
            }
            (None, _) => self.model.expressions.boolean(true),
        };
        let scenario = self.scenario(name, when, equation.span);
        let outer = place.scenario.replace(scenario);
        let added = self.add_equation(&plain, place, context);
        place.scenario = outer;
        added
    }

    fn scenario(&mut self, name: &Arc<str>, when: ExpressionId, span: Span) -> ScenarioId {
        let known = self.model.scenarios.iter_enumerated().find(|(_, scenario)| scenario.name == *name);
        match known {
            Some((id, _)) => id,
            None => self.model.scenarios.push(Scenario { name: name.clone(), when, span }),
        }
    }
}

/// The type of an equation between these types.
pub(crate) fn common_type(a: Type, b: Type) -> Option<Type> {
    match (a, b) {
        _ if a == b => Some(a),
        (Type::Real | Type::Integer, Type::Real | Type::Integer) => Some(Type::Real),
        _ => None,
    }
}

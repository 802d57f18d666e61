//! Functions that stay calls: one [`Function`] of the flat model for each shape of the arguments, with its body and its
//! derivative.
//!
//! The derivative is the function that the annotation names, else the derivative of the body (forward mode), and of
//! that once more: so `der(f(x))` and `der(der(f(x)))` are calls like any other.

use std::fmt::Write as _;
use std::sync::Arc;

use modeshift_dae::{Body, ExpressionId, Function, FunctionId, Implementation, Node, Type, Variability};
use modeshift_diagnostics::{Code, Span};
use modeshift_syntax::ast::{Class, Expression, ExpressionKind};

use crate::classes::annotations;
use crate::classes::layout::Member;
use crate::classes::library::composition;
use crate::classes::lookup::ClassReference;
use crate::expressions::functions::{Call, is_input, is_output};
use crate::expressions::term::Term;
use crate::failure::{Failure, Outcome};
use crate::flattener::Flattener;
use crate::functions::calls::scalar_count;
use crate::instances::modification::Scope;

/// How often a body is differentiated where no annotation names a derivative: second derivatives and their Jacobians
/// are what index reduction needs.
const MOST_DERIVATIVES: u32 = 2;

impl Flattener<'_> {
    /// The function of the flat model that a call means, made where it is the first of its shape.
    pub(crate) fn kept_function(&mut self, call: &Call, bound: &[(Arc<str>, Term)]) -> Outcome<FunctionId> {
        let mut shape = String::new();
        bound.iter().for_each(|(_, value)| self.write_shape(value, &mut shape));
        let key = (call.class, shape);
        if let Some(&known) = self.execution.functions.get(&key) {
            return Ok(known);
        }
        let node = self.classes.library.class(call.class);
        let (name, definition) = (node.name.clone(), node.definition.clone());
        let names = |wanted: fn(&Member) -> bool| {
            call.layout.members.iter().filter(|member| wanted(member)).map(|member| member.name.clone()).collect()
        };
        let shapes = self.output_shapes(call, bound).unwrap_or_default();
        let id = self.model.functions.push(Function {
            name,
            inputs: names(is_input),
            outputs: names(is_output),
            arguments: scalar_count(bound.iter().map(|(_, value)| value)) as u32,
            results: scalar_count(shapes.iter()) as u32,
            differentiable: annotations::smooth_order(definition.annotation.as_ref()).unwrap_or(u32::MAX),
            derivative: None,
            implementation: Implementation::Unknown,
            span: definition.name.span,
        });
        // Known before its body is made, which may call it.
        self.execution.functions.insert(key, id);
        self.execution.shapes.insert(id, shapes);
        self.implement(id, call, &definition, bound)?;
        let held = self.held(bound, &[]);
        match self.declared_derivative(call, &definition, bound)? {
            Some(derivative) => self.model.functions[id].derivative = Some(derivative),
            None => self.differentiate_body(id, held, MOST_DERIVATIVES),
        }
        Ok(id)
    }

    /// The sizes of a term, and the values in it that a body is made for.
    fn write_shape(&self, value: &Term, out: &mut String) {
        let _ = match value {
            Term::Scalar(Type::Real, _) => write!(out, "r"),
            Term::Scalar(_, id) => match self.model.expressions.node(*id) {
                Node::Integer(_) | Node::Boolean(_) | Node::String(_) => write!(out, "={id:?}"),
                _ => write!(out, "i"),
            },
            Term::Array(array) => {
                let _ = write!(out, "{:?}(", array.dims);
                array.items.iter().for_each(|item| self.write_shape(item, out));
                write!(out, ")")
            }
            Term::Record(record) => {
                record.fields.iter().for_each(|(_, field)| self.write_shape(field, out));
                write!(out, ".")
            }
            Term::Tuple(terms) => {
                terms.iter().for_each(|term| self.write_shape(term, out));
                write!(out, ";")
            }
            Term::Function(function) => {
                function.named.iter().for_each(|(_, value)| self.write_shape(value, out));
                write!(out, "f{:?}", function.class)
            }
        };
    }

    /// Gives a function what a call of it carries out.
    fn implement(
        &mut self,
        id: FunctionId,
        call: &Call,
        definition: &Class,
        bound: &[(Arc<str>, Term)],
    ) -> Outcome<()> {
        if let Some(external) = composition(definition).and_then(|inside| inside.external.as_ref()) {
            let own = &definition.name.name;
            let (name, order) = match &external.call {
                Some((_, name, arguments)) => (name.name.clone(), arguments.as_slice()),
                None => (own.clone(), &[][..]),
            };
            if is_in_order(order, &self.model.functions[id].inputs) {
                self.model.functions[id].implementation = Implementation::External(name);
            }
            return Ok(());
        }
        match self.lowered(call, bound) {
            Ok(lowered) => {
                let function = &mut self.model.functions[id];
                function.results = lowered.body.outputs.len() as u32;
                function.implementation = Implementation::Body(Arc::new(lowered.body));
                self.execution.shapes.insert(id, lowered.outputs);
            }
            Err(Failure::Dynamic(diagnostic)) => self.refuse(id, &diagnostic),
            Err(Failure::Wrong(diagnostic)) if diagnostic.code == Code::E0290 => {
                self.refuse(id, &diagnostic);
            }
            Err(failure) => return Err(failure),
        }
        Ok(())
    }

    /// What an algorithm section leaves of its variables: a call of a function that only it calls.
    pub(crate) fn algorithm_call(
        &mut self,
        body: Body,
        read: &[ExpressionId],
        outputs: &[Term],
        span: Span,
    ) -> Outcome<Vec<Term>> {
        let total = body.outputs.len();
        let id = self.model.functions.push(Function {
            name: format!("algorithm {}", self.model.functions.len() + 1).into(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            arguments: body.inputs,
            results: total as u32,
            differentiable: u32::MAX,
            derivative: None,
            implementation: Implementation::Body(Arc::new(body)),
            span,
        });
        let held: Vec<u32> = (0..read.len() as u32).filter(|&at| !self.is_real(read[at as usize])).collect();
        self.differentiate_body(id, held, MOST_DERIVATIVES);
        let node = self.model.expressions.function(id, read);
        let mut number = 0;
        outputs.iter().map(|shape| self.numbered_outputs(shape, node, total, &mut number)).collect()
    }

    /// Whether a value of the model is a Real that moves.
    pub(crate) fn is_real(&self, id: ExpressionId) -> bool {
        match self.model.expressions.node(id) {
            Node::Time => true,
            Node::Variable(variable, _) => {
                let declared = &self.model.variables[variable];
                declared.ty == Type::Real && declared.variability > Variability::Discrete
            }
            _ => false,
        }
    }

    fn refuse(&mut self, id: FunctionId, diagnostic: &modeshift_diagnostics::Diagnostic) {
        let place = diagnostic.labels.first().map_or(self.model.functions[id].span, |label| label.span);
        self.model.functions[id].implementation = Implementation::Refused(diagnostic.message.as_str().into(), place);
    }

    /// The positions of the arguments that no derivative goes along: those named, and all that are no Reals.
    fn held(&self, bound: &[(Arc<str>, Term)], named: &[Arc<str>]) -> Vec<u32> {
        let (mut held, mut position) = (Vec::new(), 0);
        for (name, value) in bound {
            let mut scalars = Vec::new();
            value.scalars(&mut scalars);
            for (ty, _) in scalars {
                if ty != Type::Real || named.contains(name) {
                    held.push(position);
                }
                position += 1;
            }
        }
        held
    }

    /// `derivative(noDerivative = table) = f_der`: the function and the arguments that are not differentiated.
    fn declared_derivative(
        &mut self,
        call: &Call,
        definition: &Class,
        bound: &[(Arc<str>, Term)],
    ) -> Outcome<Option<(FunctionId, Vec<u32>)>> {
        let Some((path, fixed)) = annotations::derivative(definition.annotation.as_ref()) else { return Ok(None) };
        let scope = Scope { instance: None, class: call.class };
        let ClassReference::Class { class, .. } = self.lookup_class(&path, scope)? else { return Ok(None) };
        let class = self.classes.type_info(class)?.class;
        let layout = self.classes.layout(class)?;
        let held = self.held(bound, &fixed);
        let is_moving = |(name, value): &&(Arc<str>, Term)| {
            value.scalar_type().is_none_or(|ty| ty == Type::Real) && !fixed.contains(name)
        };
        let moving = bound.iter().filter(is_moving);
        let values = bound.iter().chain(moving).map(|(_, value)| value.clone());
        let inputs: Vec<&Member> = layout.members.iter().filter(|member| is_input(member)).collect();
        let names = inputs.iter().map(|input| input.name.clone());
        let arguments: Vec<(Arc<str>, Term)> = names.zip(values.clone()).collect();
        if arguments.len() != inputs.len() || values.count() != inputs.len() {
            return Ok(None);
        }
        let derivative = Call::of(class, layout, call.span);
        Ok(Some((self.kept_function(&derivative, &arguments)?, held)))
    }

    /// Adds the derivative of a body as a function, and of that again.
    fn differentiate_body(&mut self, id: FunctionId, held: Vec<u32>, times: u32) {
        let of = &self.model.functions[id];
        let can_be = match &of.implementation {
            Implementation::Body(_) | Implementation::Derivative(_) => true,
            // Tables know their slopes; of another external function nothing is known.
            Implementation::External(name) => name.starts_with("ModelicaStandardTables_"),
            Implementation::Unknown | Implementation::Refused(..) => false,
        };
        if times == 0 || !can_be {
            return;
        }
        let moving = of.arguments - held.len() as u32;
        let derivative = Function {
            name: format!("der({})", of.name).into(),
            arguments: of.arguments + moving,
            derivative: None,
            implementation: Implementation::Derivative(id),
            ..of.clone()
        };
        let derivative = self.model.functions.push(derivative);
        self.model.functions[id].derivative = Some((derivative, held.clone()));
        self.differentiate_body(derivative, held, times - 1);
    }
}

/// Whether an external call names the inputs in the order in which they are declared: natives here rely on it.
fn is_in_order(arguments: &[Expression], inputs: &[Arc<str>]) -> bool {
    let position = |argument: &Expression| match &argument.kind {
        ExpressionKind::Reference(reference) if reference.parts.len() == 1 => {
            inputs.iter().position(|input| *input == reference.parts[0].name.name)
        }
        _ => None,
    };
    let named: Vec<usize> = arguments.iter().filter_map(position).collect();
    named.is_sorted()
}

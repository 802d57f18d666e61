//! A call that stays a call: its arguments and its results as scalars.

use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{ExpressionId, Node, Type};
use modeshift_diagnostics::Span;

use crate::expressions::context::{Context, Purpose};
use crate::expressions::functions::{Bound, Call, is_output};
use crate::expressions::term::{RecordTerm, Term};
use crate::failure::{Failure, Outcome};
use crate::flattener::Flattener;
use crate::instances::modification::Scope;

impl Flattener<'_> {
    /// A call that stays a call: its arguments as scalars, its outputs as scalars.
    pub(crate) fn opaque_call(&mut self, call: &Call, bound: &[(Arc<str>, Term)], context: &Context) -> Outcome<Term> {
        if context.purpose == Purpose::Shape {
            return one_or_all(self.output_shapes(call, bound)?);
        }
        let function = self.kept_function(call, bound)?;
        let mut scalars = Vec::new();
        bound.iter().for_each(|(_, value)| value.scalars(&mut scalars));
        let ids: Vec<_> = scalars.into_iter().map(|(_, id)| id).collect();
        let node = self.model.expressions.function(function, &ids);
        let shapes = self.execution.shapes[&function].clone();
        let total = scalar_count(shapes.iter());
        let (mut results, mut number) = (Vec::new(), 0);
        for shape in &shapes {
            results.push(self.numbered_outputs(shape, node, total, &mut number)?);
        }
        one_or_all(results)
    }

    /// The outputs as far as declarations tell their sizes.
    pub(crate) fn output_shapes(&mut self, call: &Call, bound: &[(Arc<str>, Term)]) -> Outcome<Vec<Term>> {
        let scope = Scope { instance: None, class: call.class };
        let mut context = Context { locals: bound.to_vec(), ..Context::new(scope, Purpose::Shape) };
        let outputs = call.layout.members.iter().filter(|member| is_output(member));
        outputs.map(|output| self.local_variable(output, &mut context)).collect()
    }

    pub(crate) fn numbered_outputs(
        &mut self,
        shape: &Term,
        node: ExpressionId,
        total: usize,
        number: &mut u32,
    ) -> Outcome<Term> {
        shape.map(|item| match item {
            Term::Scalar(ty, _) => {
                *number += 1;
                let id = if total == 1 { node } else { self.model.expressions.add(Node::Output(node, *number)) };
                Ok(Term::Scalar(*ty, id))
            }
            Term::Record(record) => {
                let mut fields = Vec::new();
                for (name, value) in &record.fields {
                    fields.push((name.clone(), self.numbered_outputs(value, node, total, number)?));
                }
                Ok(Term::Record(Rc::new(RecordTerm { class: record.class.clone(), fields })))
            }
            other => Ok(other.clone()),
        })
    }

    /// The arguments with Integers that depend on parameters alone replaced by their values: they may be sizes. `None`
    /// where there is nothing to replace.
    pub(crate) fn with_known_sizes(&mut self, bound: &[(Arc<str>, Term)], span: Span) -> Outcome<Option<Bound>> {
        let (mut known, mut is_changed) = (Vec::with_capacity(bound.len()), false);
        for (name, value) in bound {
            let is_size = value.scalar_type() == Some(Type::Integer) && !self.is_literal(value);
            let replaced = match is_size.then(|| self.with_parameter_values(value, span)) {
                // What the start finds is no size.
                None | Some(Err(Failure::Dynamic(_))) => value.clone(),
                Some(replaced) => replaced?,
            };
            is_changed |= is_size && self.is_literal(&replaced);
            known.push((name.clone(), if self.is_literal(&replaced) { replaced } else { value.clone() }));
        }
        Ok(is_changed.then_some(known))
    }
}

/// The only output, or all of them.
fn one_or_all(mut results: Vec<Term>) -> Outcome<Term> {
    match results.len() {
        1 => results.pop().ok_or(Failure::Reported),
        _ => Ok(Term::Tuple(results.into())),
    }
}

/// How many scalars there are in terms.
pub(crate) fn scalar_count<'t>(terms: impl Iterator<Item = &'t Term>) -> usize {
    let mut scalars = Vec::new();
    terms.for_each(|term| term.scalars(&mut scalars));
    scalars.len()
}

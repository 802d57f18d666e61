//! Predefined functions of arrays (Modelica 3.6, 10.3): sizes, constructors, reductions, matrix algebra.

use modeshift_dae::{Builtin, Type};
use modeshift_diagnostics::{Code, Span};
use modeshift_syntax::ast::{BinaryOperator, Expression};

use crate::expressions::context::{Context, Purpose};
use crate::expressions::evaluate::describe;
use crate::expressions::operators::check_items;
use crate::expressions::term::{Term, shape_text};
use crate::failure::{Outcome, wrong};
use crate::flattener::Flattener;

/// Whether a predefined function that works on arrays as a whole.
pub(crate) fn is_array_function(name: &str) -> bool {
    matches!(
        name,
        "size"
            | "ndims"
            | "fill"
            | "zeros"
            | "ones"
            | "identity"
            | "diagonal"
            | "transpose"
            | "cross"
            | "skew"
            | "outerProduct"
            | "linspace"
            | "cat"
            | "vector"
            | "matrix"
            | "scalar"
            | "symmetric"
            | "array"
            | "sum"
            | "product"
            | "min"
            | "max"
    )
}

impl Flattener<'_> {
    /// The result of a predefined function of arrays.
    pub(crate) fn array_function(
        &mut self,
        name: &str,
        terms: &[Term],
        arguments: &[Expression],
        span: Span,
        context: &mut Context,
    ) -> Outcome<Term> {
        match (name, terms) {
            ("size", [array]) => {
                let sizes = array.dims().to_vec();
                let items = sizes.into_iter().map(|size| self.operators().integer_term(size)).collect();
                Ok(Term::vector(Type::Integer, items))
            }
            ("size", [array, _]) => {
                let dimension = self.evaluate_integer(&arguments[1], context)?;
                match usize::try_from(dimension - 1).ok().and_then(|at| array.dims().get(at)) {
                    Some(&size) => Ok(self.operators().integer_term(size)),
                    None => wrong(
                        Code::E0305,
                        format!("this has no dimension {dimension}: its size is {}", shape_text(array.dims())),
                        span,
                    ),
                }
            }
            ("ndims", [array]) => Ok(self.operators().integer_term(array.dims().len())),
            ("fill", [value, _, ..]) => self.filled(value, &arguments[1..], span, context),
            ("zeros" | "ones", [_, ..]) => {
                let value = Term::Scalar(Type::Integer, self.model.expressions.integer(i64::from(name == "ones")));
                self.filled(&value, arguments, span, context)
            }
            ("identity", [_]) => {
                let size = self.size_argument(&arguments[0], context)?;
                check_items(size.saturating_mul(size), span)?;
                Ok(self.operators().identity(size))
            }
            ("diagonal", [vector]) if vector.dims().len() == 1 => self.operators().diagonal(vector, span),
            ("transpose", [matrix]) if matrix.dims().len() == 2 => Ok(transposed(matrix)),
            ("symmetric", [matrix]) if matrix.dims().len() == 2 => Ok(symmetric(matrix)),
            ("cross", [a, b]) if a.dims() == [3] && b.dims() == [3] => self.operators().cross(a, b, span),
            ("skew", [a]) if a.dims() == [3] => self.operators().skew(a),
            ("outerProduct", [a, b]) if a.dims().len() == 1 && b.dims().len() == 1 => {
                let column = Term::array(Type::Real, vec![a.dims()[0], 1], a.items().to_vec());
                let row = Term::array(Type::Real, vec![1, b.dims()[0]], b.items().to_vec());
                self.operators().product_term(&column, &row, span)
            }
            ("linspace", [from, to, _]) => self.linspace(from, to, &arguments[2], span, context),
            ("cat", [_, rest @ ..]) => {
                let dimension = self.evaluate_integer(&arguments[0], context)?;
                match usize::try_from(dimension - 1) {
                    Ok(at) => self.concatenate(at, rest.to_vec(), span),
                    Err(_) => wrong(Code::E0305, "the dimension of `cat` starts at 1", span),
                }
            }
            ("vector", [array]) => Ok(Term::vector(array.scalar_type().unwrap_or(Type::Real), array.items().to_vec())),
            ("scalar", [array]) if array.items().len() == 1 => Ok(array.items()[0].clone()),
            ("matrix", [array]) => {
                let mut dims = self.promote(array, 2).dims().to_vec();
                dims.truncate(2);
                match dims.iter().product::<usize>() == array.items().len() {
                    true => Ok(Term::array(array.scalar_type().unwrap_or(Type::Real), dims, array.items().to_vec())),
                    false => {
                        wrong(Code::E0304, format!("no matrix can be made of size {}", shape_text(array.dims())), span)
                    }
                }
            }
            ("array", items) if !items.is_empty() => self.stacked(vec![items.len()], items.to_vec(), span),
            ("sum" | "product", [array]) => self.reduce(name, array, span, context.purpose),
            ("min" | "max", [array]) => self.reduce(name, array, span, context.purpose),
            ("min" | "max", [_, _]) => {
                let builtin = if name == "min" { Builtin::Min } else { Builtin::Max };
                self.builtin(builtin, terms, span, context.purpose)
            }
            _ => {
                let given: Vec<String> = terms.iter().map(describe).collect();
                wrong(Code::E0307, format!("`{name}` does not take these arguments: {}", given.join(", ")), span)
            }
        }
    }

    fn size_argument(&mut self, argument: &Expression, context: &mut Context) -> Outcome<usize> {
        let size = self.evaluate_integer(argument, context)?;
        usize::try_from(size).or_else(|_| wrong(Code::E0311, format!("a size of {size} is negative"), argument.span))
    }

    fn filled(&mut self, value: &Term, sizes: &[Expression], span: Span, context: &mut Context) -> Outcome<Term> {
        let dims = sizes.iter().map(|size| self.size_argument(size, context)).collect::<Outcome<Vec<_>>>()?;
        let total = dims.iter().try_fold(1_usize, |total, &dim| total.checked_mul(dim)).unwrap_or(usize::MAX);
        check_items(total, span)?;
        let dims = [&dims, value.dims()].concat();
        let items = std::iter::repeat_n(value.items(), total).flatten().cloned().collect();
        Ok(Term::array(value.scalar_type().unwrap_or(Type::Real), dims, items))
    }

    fn linspace(
        &mut self,
        from: &Term,
        to: &Term,
        count: &Expression,
        span: Span,
        context: &mut Context,
    ) -> Outcome<Term> {
        let count = self.size_argument(count, context)?;
        check_items(count, span)?;
        if count < 2 {
            return wrong(Code::E0306, "`linspace` needs at least 2 points", span);
        }
        let mut items = Vec::with_capacity(count);
        for at in 0..count {
            let share = Term::Scalar(Type::Real, self.model.expressions.real(at as f64 / (count - 1) as f64));
            let width = self.operators().scalar_binary(BinaryOperator::Subtract, to, from, span)?;
            let offset = self.operators().scalar_binary(BinaryOperator::Multiply, &share, &width, span)?;
            items.push(self.operators().scalar_binary(BinaryOperator::Add, from, &offset, span)?);
        }
        Ok(Term::vector(Type::Real, items))
    }

    /// The same with dimensions of size 1 added behind until there are `rank`.
    pub(crate) fn promote(&self, term: &Term, rank: usize) -> Term {
        let mut dims = term.dims().to_vec();
        if dims.len() >= rank {
            return term.clone();
        }
        dims.resize(rank, 1);
        Term::array(term.scalar_type().unwrap_or(Type::Real), dims, term.items().to_vec())
    }

    /// Arrays put one behind the other along a dimension, from 0.
    pub(crate) fn concatenate(&mut self, along: usize, parts: Vec<Term>, span: Span) -> Outcome<Term> {
        let Some(first) = parts.first() else { return wrong(Code::E0304, "nothing to put together", span) };
        let mut dims = first.dims().to_vec();
        if along >= dims.len() {
            return wrong(Code::E0304, format!("no dimension {} in size {}", along + 1, shape_text(&dims)), span);
        }
        for part in &parts[1..] {
            let own = part.dims();
            let fits =
                own.len() == dims.len() && own.iter().zip(&dims).enumerate().all(|(at, (a, b))| at == along || a == b);
            if !fits {
                let message = format!("sizes do not go together: {} and {}", shape_text(&dims), shape_text(own));
                return wrong(Code::E0304, message, span);
            }
            dims[along] += own[along];
        }
        let outer: usize = dims[..along].iter().product();
        let mut items = Vec::new();
        for block in 0..outer {
            for part in &parts {
                let length: usize = part.dims()[along..].iter().product();
                items.extend_from_slice(&part.items()[block * length..(block + 1) * length]);
            }
        }
        let types = parts.iter().filter_map(Term::scalar_type);
        let ty = types.fold(None, |ty, own| if ty == Some(Type::Real) { ty } else { Some(own) }).unwrap_or(Type::Real);
        Ok(Term::array(ty, dims, items))
    }

    /// `sum`, `product`, `min` or `max` of all elements.
    pub(crate) fn reduce(&mut self, name: &str, array: &Term, span: Span, purpose: Purpose) -> Outcome<Term> {
        let mut result: Option<Term> = None;
        for item in array.items() {
            result = Some(match result {
                None => item.clone(),
                Some(so_far) => match name {
                    "sum" => self.operators().scalar_binary(BinaryOperator::Add, &so_far, item, span)?,
                    "product" => self.operators().scalar_binary(BinaryOperator::Multiply, &so_far, item, span)?,
                    "min" if is_boolean(item) => {
                        self.operators().scalar_binary(BinaryOperator::And, &so_far, item, span)?
                    }
                    "max" if is_boolean(item) => {
                        self.operators().scalar_binary(BinaryOperator::Or, &so_far, item, span)?
                    }
                    "min" => self.builtin(Builtin::Min, &[so_far, item.clone()], span, purpose)?,
                    _ => self.builtin(Builtin::Max, &[so_far, item.clone()], span, purpose)?,
                },
            });
        }
        let ty = array.scalar_type().unwrap_or(Type::Real);
        match (result, name) {
            (Some(result), _) => Ok(result),
            (None, "sum") => Ok(Term::Scalar(ty, self.model.expressions.integer(0))),
            (None, "product") => Ok(Term::Scalar(ty, self.model.expressions.integer(1))),
            (None, _) => wrong(Code::E0304, format!("`{name}` of an empty array"), span),
        }
    }
}

fn is_boolean(item: &Term) -> bool {
    matches!(item, Term::Scalar(Type::Boolean, _))
}

fn transposed(matrix: &Term) -> Term {
    let (rows, columns) = (matrix.dims()[0], matrix.dims()[1]);
    let items =
        (0..columns).flat_map(|column| (0..rows).map(move |row| matrix.items()[row * columns + column].clone()));
    Term::array(matrix.scalar_type().unwrap_or(Type::Real), vec![columns, rows], items.collect())
}

fn symmetric(matrix: &Term) -> Term {
    let (rows, columns) = (matrix.dims()[0], matrix.dims()[1]);
    let items = (0..rows * columns).map(|at| {
        let (row, column) = (at / columns, at % columns);
        let (row, column) = if row > column && column < rows && row < columns { (column, row) } else { (row, column) };
        matrix.items()[row * columns + column].clone()
    });
    Term::array(matrix.scalar_type().unwrap_or(Type::Real), vec![rows, columns], items.collect())
}

//! What an expression of the source becomes: a scalar, an array or a record of scalars of the flat model.
//!
//! Arrays are row-major lists of items with dimensions; items are scalars or records, never arrays. A value that
//! is known at translation is a term whose scalars are literals, so that one translation serves both the flat
//! equations and the evaluation of structural parameters.

use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{ExpressionId, Type};

use crate::classes::library::ClassId;

/// A translated expression.
#[derive(Clone, Debug)]
pub(crate) enum Term {
    /// One scalar with its type.
    Scalar(Type, ExpressionId),
    /// An array of scalars or records.
    Array(Rc<ArrayTerm>),
    /// A record.
    Record(Rc<RecordTerm>),
    /// The outputs of a function with several.
    Tuple(Rc<[Term]>),
    /// A function, as an argument of another.
    Function(Rc<FunctionTerm>),
}

/// `function f(k = 2)`: a function with some of its inputs given.
#[derive(Clone, Debug)]
pub(crate) struct FunctionTerm {
    pub(crate) class: ClassId,
    /// The inputs that are given.
    pub(crate) named: Vec<(Arc<str>, Term)>,
}

/// An array with at least one dimension, any of which may be zero.
#[derive(Clone, Debug)]
pub(crate) struct ArrayTerm {
    /// The type of its items where they are scalars, and of its absent items where it is empty.
    pub(crate) ty: Type,
    /// Sizes, outermost first.
    pub(crate) dims: Vec<usize>,
    /// As many as the product of `dims`.
    pub(crate) items: Vec<Term>,
}

/// Fields in declaration order.
#[derive(Clone, Debug)]
pub(crate) struct RecordTerm {
    /// The record class's full name.
    pub(crate) class: Arc<str>,
    /// Names and values.
    pub(crate) fields: Vec<(Arc<str>, Term)>,
}

impl Term {
    /// An array; the dimensions must fit the items.
    pub(crate) fn array(ty: Type, dims: Vec<usize>, items: Vec<Term>) -> Term {
        assert_eq!(dims.iter().product::<usize>(), items.len(), "dimensions fit the number of items");
        Term::Array(Rc::new(ArrayTerm { ty, dims, items }))
    }

    /// A vector of scalars.
    pub(crate) fn vector(ty: Type, items: Vec<Term>) -> Term {
        Term::array(ty, vec![items.len()], items)
    }

    /// The sizes; none for a scalar or record.
    pub(crate) fn dims(&self) -> &[usize] {
        match self {
            Term::Array(array) => &array.dims,
            _ => &[],
        }
    }

    /// The items of an array, or the term itself.
    pub(crate) fn items(&self) -> &[Term] {
        match self {
            Term::Array(array) => &array.items,
            _ => std::slice::from_ref(self),
        }
    }

    /// The type of its scalars; `None` for records.
    pub(crate) fn scalar_type(&self) -> Option<Type> {
        match self {
            Term::Scalar(ty, _) => Some(*ty),
            Term::Array(array) => match array.items.first() {
                Some(first) => first.scalar_type(),
                None => Some(array.ty),
            },
            _ => None,
        }
    }

    /// The same shape with every item replaced.
    pub(crate) fn map<E>(&self, mut change: impl FnMut(&Term) -> Result<Term, E>) -> Result<Term, E> {
        match self {
            Term::Array(array) => {
                let items = array.items.iter().map(change).collect::<Result<Vec<_>, E>>()?;
                let ty = items.first().and_then(Term::scalar_type).unwrap_or(array.ty);
                Ok(Term::array(ty, array.dims.clone(), items))
            }
            _ => change(self),
        }
    }

    /// The part of an array at the leading `indices`, from 0, which must be in range.
    pub(crate) fn part(&self, indices: &[usize]) -> Term {
        let Term::Array(array) = self else { return self.clone() };
        let (leading, rest) = array.dims.split_at(indices.len().min(array.dims.len()));
        let size: usize = rest.iter().product();
        let at = leading.iter().zip(indices).fold(0, |at, (dim, index)| at * dim + index) * size;
        match rest.is_empty() {
            true => array.items[at].clone(),
            false => Term::array(array.ty, rest.to_vec(), array.items[at..at + size].to_vec()),
        }
    }

    /// The field of a record, or of every record of an array.
    pub(crate) fn field(&self, name: &str) -> Option<Term> {
        match self {
            Term::Record(record) => {
                record.fields.iter().find(|(field, _)| &**field == name).map(|(_, value)| value.clone())
            }
            Term::Array(array) => {
                let fields = array.items.iter().map(|item| item.field(name)).collect::<Option<Vec<_>>>()?;
                stack(array.ty, &array.dims, fields)
            }
            _ => None,
        }
    }

    /// Every scalar inside, in order.
    pub(crate) fn scalars(&self, out: &mut Vec<(Type, ExpressionId)>) {
        match self {
            Term::Scalar(ty, id) => out.push((*ty, *id)),
            Term::Array(array) => array.items.iter().for_each(|item| item.scalars(out)),
            Term::Record(record) => record.fields.iter().for_each(|(_, value)| value.scalars(out)),
            Term::Tuple(terms) => terms.iter().for_each(|term| term.scalars(out)),
            Term::Function(function) => function.named.iter().for_each(|(_, value)| value.scalars(out)),
        }
    }
}

/// One array out of equally shaped parts, `outer` being the dimensions of the list of parts; `None` where the
/// parts differ in shape.
pub(crate) fn stack(ty: Type, outer: &[usize], parts: Vec<Term>) -> Option<Term> {
    let inner = parts.first().map_or(Vec::new(), |part| part.dims().to_vec());
    if parts.iter().any(|part| part.dims() != inner) {
        return None;
    }
    let ty = parts.first().and_then(Term::scalar_type).unwrap_or(ty);
    let dims = [outer, &inner].concat();
    let items = match inner.is_empty() {
        true => parts,
        false => parts.iter().flat_map(|part| part.items().to_vec()).collect(),
    };
    if dims.is_empty() { items.into_iter().next() } else { Some(Term::array(ty, dims, items)) }
}

/// All index vectors of an array, in row-major order, from 0.
pub(crate) fn indices(dims: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<> {
    let dims = dims.to_vec();
    let total: usize = dims.iter().product();
    (0..total).map(move |mut position| {
        let mut index = vec![0; dims.len()];
        for (slot, dim) in index.iter_mut().zip(&dims).rev() {
            *slot = position % dim;
            position /= dim;
        }
        index
    })
}

/// `[2, 3]`; empty for a scalar.
pub(crate) fn shape_text(dims: &[usize]) -> String {
    let sizes: Vec<String> = dims.iter().map(usize::to_string).collect();
    format!("[{}]", sizes.join(", "))
}

/// What users call a type.
pub(crate) fn type_text(ty: Type) -> &'static str {
    match ty {
        Type::Real => "Real",
        Type::Integer => "Integer",
        Type::Boolean => "Boolean",
        Type::String => "String",
        Type::Enumeration(_) => "an enumeration",
    }
}

//! What is not written in Modelica: objects that external functions work on, and external functions of Strings.
//!
//! An external object is made once, of arguments that are known at translation; in the flat model it is a parameter, its
//! number. Functions of Strings are carried out here where their arguments are known: the flat model has no Strings.

use std::sync::Arc;

use modeshift_dae::{ExternalObject, Node, ObjectArgument, Type};
use modeshift_diagnostics::{Code, Span};
use modeshift_syntax::ast::{Class, Expression, External, Ident};

use crate::classes::library::{ClassId, composition};
use crate::expressions::context::Context;
use crate::expressions::functions::{Call, is_input, is_output};
use crate::expressions::term::Term;
use crate::failure::{Failure, Outcome, unsupported, wrong};
use crate::flattener::Flattener;

impl Flattener<'_> {
    /// `ExternalCombiTable1D(…)`: the number of the object.
    pub(crate) fn external_object(
        &mut self,
        class: ClassId,
        arguments: &[Expression],
        named: &[(Ident, Expression)],
        span: Span,
        context: &mut Context,
    ) -> Outcome<Term> {
        let layout = self.classes.layout(class)?;
        let Some(constructor) = self.classes.library.child(class, "constructor", self.classes.diagnostics) else {
            return wrong(Code::E0203, "this external object has no constructor", span);
        };
        let definition = self.classes.library.class(constructor).definition.clone();
        let name = external_name(&definition);
        drop(layout);
        let layout = self.classes.layout(constructor)?;
        let positional =
            arguments.iter().map(|argument| self.evaluate(argument, context)).collect::<Outcome<Vec<Term>>>()?;
        let mut by_name = Vec::with_capacity(named.len());
        for (ident, value) in named {
            by_name.push((ident.clone(), self.evaluate(value, context)?));
        }
        let call = Call { class: constructor, layout: layout.clone(), positional, named: by_name, span };
        let inputs: Vec<_> = layout.members.iter().filter(|member| is_input(member)).collect();
        let bound = self.bind(&call, &inputs, context)?;
        let arguments =
            bound.iter().map(|(_, value)| self.object_argument(value, span)).collect::<Outcome<Vec<_>>>()?;
        let mut arguments = arguments;
        if name.starts_with("ModelicaStandardTables_") {
            self.with_table_of_file(&mut arguments, span)?;
        }
        let known = self.model.objects.iter();
        let mut known = known.enumerate().filter(|(_, it)| it.constructor == name && it.arguments == arguments);
        let number = match known.next() {
            Some((at, _)) => at,
            None => {
                let own = self.classes.library.class(class).name.clone();
                self.model.objects.push(ExternalObject { constructor: name, arguments, name: own, span });
                self.model.objects.len() - 1
            }
        };
        Ok(Term::Scalar(Type::Integer, self.model.expressions.integer(number as i64 + 1)))
    }

    fn object_argument(&self, value: &Term, span: Span) -> Outcome<ObjectArgument> {
        let expressions = &self.model.expressions;
        if let Term::Scalar(Type::String, id) = value
            && let Node::String(text) = expressions.node(*id)
        {
            return Ok(ObjectArgument::Text(expressions.text(text).into()));
        }
        let mut scalars = Vec::new();
        value.scalars(&mut scalars);
        let number = |&(_, id): &(Type, modeshift_dae::ExpressionId)| match expressions.node(id) {
            Node::Boolean(value) => Some(f64::from(u8::from(value))),
            _ => expressions.literal(id),
        };
        match scalars.iter().map(number).collect::<Option<Vec<f64>>>() {
            Some(numbers) => Ok(ObjectArgument::Numbers(value.dims().to_vec(), numbers)),
            None => unsupported("an external object made of anything but numbers and Strings", span),
        }
    }

    /// The value of an external function that is known at translation.
    pub(crate) fn external_value(
        &mut self,
        call: &Call,
        external: &External,
        bound: &[(Arc<str>, Term)],
    ) -> Outcome<Option<Term>> {
        let name = external.call.as_ref().map_or("", |(_, name, _)| &*name.name);
        let (of_text, of_files) = (name.strip_prefix("ModelicaStrings_"), name.strip_prefix("ModelicaInternal_"));
        if of_text.or(of_files).is_none() {
            return Ok(None);
        }
        let mut given = Vec::with_capacity(bound.len());
        for (_, value) in bound {
            let value = self.with_parameter_values(value, call.span)?;
            let Some(known) = self.known(&value) else { return Ok(None) };
            given.push(known);
        }
        let results = match (of_text, of_files) {
            (Some(operation), _) => of_strings(operation, &given),
            (None, Some(operation)) => match self.of_files(operation, &given) {
                Ok(results) => results,
                Err(problem) => return wrong(Code::E0376, problem, call.span),
            },
            (None, None) => None,
        };
        let Some(results) = results else { return Ok(None) };
        let outputs = call.layout.members.iter().filter(|member| is_output(member)).count();
        let mut terms = Vec::with_capacity(results.len());
        for result in results {
            let expressions = &mut self.model.expressions;
            terms.push(match result {
                Known::Text(text) => Term::Scalar(Type::String, expressions.string(&text)),
                Known::Whole(number) => Term::Scalar(Type::Integer, expressions.integer(number)),
                Known::Real(number) => Term::Scalar(Type::Real, expressions.real(number)),
                Known::Truth(truth) => Term::Scalar(Type::Boolean, expressions.boolean(truth)),
                Known::Ordinal(number) => {
                    let ty = self.output_type(call).ok_or(Failure::Reported)?;
                    Term::Scalar(ty, self.model.expressions.integer(number))
                }
            });
        }
        Ok(match outputs {
            1 => terms.pop(),
            _ => Some(Term::Tuple(terms.into())),
        })
    }

    /// Functions of files of the library that only read: the path of a resource, a line of a text, how many there are.
    fn of_files(&mut self, operation: &str, given: &[Known]) -> Result<Option<Vec<Known>>, String> {
        let [Known::Text(file), rest @ ..] = given else { return Ok(None) };
        if !matches!(operation, "fullPathName" | "readLine" | "countLines") {
            return Ok(None);
        }
        let Some(path) = self.classes.library.resource(file, self.classes.diagnostics) else {
            return Err(format!("no directory is known for `{file}`"));
        };
        if operation == "fullPathName" {
            return Ok(Some(vec![Known::Text(path.display().to_string())]));
        }
        let bytes = self.classes.library.resource_bytes(&path);
        let bytes = bytes.map_err(|reason| format!("`{}` cannot be read: {reason}", path.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(match (operation, rest) {
            ("countLines", []) => Some(vec![Known::Whole(text.lines().count() as i64)]),
            ("readLine", [Known::Whole(number)]) => {
                let line = usize::try_from(number - 1).ok().and_then(|at| text.lines().nth(at));
                let is_behind = line.is_none();
                Some(vec![Known::Text(line.unwrap_or_default().to_string()), Known::Truth(is_behind)])
            }
            _ => None,
        })
    }

    /// The type of the only output, where it is an enumeration.
    fn output_type(&mut self, call: &Call) -> Option<Type> {
        let shapes = self.output_shapes(call, &[]).ok()?;
        shapes.first().and_then(Term::scalar_type)
    }

    fn known(&self, value: &Term) -> Option<Known> {
        let Term::Scalar(_, id) = value else { return None };
        let expressions = &self.model.expressions;
        Some(match expressions.node(*id) {
            Node::String(text) => Known::Text(expressions.text(text).to_string()),
            Node::Integer(number) => Known::Whole(number),
            Node::Boolean(truth) => Known::Truth(truth),
            Node::Real(number) => Known::Real(number.value()),
            _ => return None,
        })
    }
}

/// A value that is known.
enum Known {
    Text(String),
    Whole(i64),
    Real(f64),
    Truth(bool),
    /// Of an enumeration.
    Ordinal(i64),
}

/// The functions of Strings of the library; characters are bytes, counted from 1.
fn of_strings(operation: &str, given: &[Known]) -> Option<Vec<Known>> {
    Some(vec![match (operation, given) {
        ("length", [Known::Text(text)]) => Known::Whole(text.len() as i64),
        ("substring", [Known::Text(text), Known::Whole(first), Known::Whole(last)]) => {
            let first = usize::try_from(first - 1).ok()?;
            let last = usize::try_from(*last).ok()?.max(first + 1);
            Known::Text(text.get(first..last)?.to_string())
        }
        ("compare", [Known::Text(a), Known::Text(b), Known::Truth(is_exact)]) => {
            let folded = |text: &String| if *is_exact { text.clone() } else { text.to_lowercase() };
            Known::Ordinal(2 + folded(a).cmp(&folded(b)) as i64)
        }
        ("skipWhiteSpace", [Known::Text(text), Known::Whole(start)]) => {
            let start = usize::try_from(start - 1).ok()?;
            let skipped = text.bytes().skip(start).take_while(u8::is_ascii_whitespace).count();
            Known::Whole((start + skipped + 1) as i64)
        }
        ("scanInteger" | "scanReal", [Known::Text(text), Known::Whole(start), Known::Truth(is_unsigned)]) => {
            return scanned(text, *start, operation == "scanReal", *is_unsigned);
        }
        ("hashString", [Known::Text(text)]) => Known::Whole(i64::from(hash(text) as i32)),
        _ => return None,
    }])
}

/// The number that a text has at a place, behind blanks, with the place behind it; where there is none, the place itself and zero.
fn scanned(text: &str, start: i64, is_real: bool, is_unsigned: bool) -> Option<Vec<Known>> {
    let from = usize::try_from(start - 1).ok().filter(|&from| from <= text.len())?;
    let rest = text.get(from..)?;
    let word = rest.trim_start();
    let digits = |word: &str| word.bytes().take_while(u8::is_ascii_digit).count();
    let sign = usize::from(word.starts_with(['+', '-']) && !is_unsigned);
    let mut length = sign + digits(&word[sign..]);
    let (has_digits, mut is_number) = (length > sign, length > sign);
    if is_real {
        if word[length..].starts_with('.') {
            let behind = digits(&word[length + 1..]);
            is_number |= behind > 0;
            length += 1 + behind;
        }
        let exponent = word[length..].strip_prefix(['e', 'E']);
        if let Some(exponent) = exponent.filter(|_| is_number) {
            let sign = usize::from(exponent.starts_with(['+', '-']));
            let behind = digits(&exponent[sign..]);
            length += if behind > 0 { 1 + sign + behind } else { 0 };
        }
    } else {
        is_number = has_digits && !word[length..].starts_with(['.', 'e', 'E']);
    }
    let next = start + (rest.len() - word.len() + length) as i64;
    Some(match (is_number, is_real) {
        (true, true) => vec![Known::Whole(next), Known::Real(word[..length].parse().ok()?)],
        (true, false) => vec![Known::Whole(next), Known::Whole(word[..length].parse().ok()?)],
        (false, true) => vec![Known::Whole(start), Known::Real(0.0)],
        (false, false) => vec![Known::Whole(start), Known::Whole(0)],
    })
}

/// The hash of Arash Partow, of 32 bits.
fn hash(text: &str) -> u32 {
    text.bytes().enumerate().fold(0xAAAA_AAAA, |hash: u32, (at, byte)| {
        let byte = u32::from(byte);
        hash ^ match at % 2 {
            0 => hash << 7 ^ byte.wrapping_mul(hash >> 3),
            _ => !(hash << 11).wrapping_add(byte ^ hash >> 5),
        }
    })
}

/// The name of an external function in its own language.
fn external_name(definition: &Class) -> Arc<str> {
    let external = composition(definition).and_then(|inside| inside.external.as_ref());
    let call = external.and_then(|external| external.call.as_ref());
    call.map_or(definition.name.name.clone(), |(_, name, _)| name.name.clone())
}

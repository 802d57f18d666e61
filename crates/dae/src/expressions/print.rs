//! Expressions as Modelica text, with as few parentheses as the grammar needs.

use std::fmt::{self, Write as _};

use rustc_hash::FxHashMap;

use super::arena::{ArithmeticOperator as Op, Builtin, Node, RelationOperator};
use crate::{Enumeration, ExpressionId, FlatModel, IndexVec, ModeVariable, ModeVariableId, MultimodeDae, Type};

/// Displays an expression of a model. Mode variables print by name where they are given.
pub struct ExpressionText<'a> {
    /// Names of variables and functions.
    pub model: &'a FlatModel,
    /// Names of mode variables.
    pub modes: Option<&'a IndexVec<ModeVariableId, ModeVariable>>,
    /// What to show.
    pub expression: ExpressionId,
}

impl fmt::Display for ExpressionText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let printer = Printer { model: self.model, modes: self.modes, named: None, most: Most::AsLarge };
        printer.write(f, self.expression, Level::Conditional)
    }
}

/// The beginning of an expression's text, to name it by: whole where it is short, else with `…` for what is left out.
pub fn short_text(
    model: &FlatModel,
    modes: Option<&IndexVec<ModeVariableId, ModeVariable>>,
    expression: ExpressionId,
) -> String {
    let printer = Printer { model, modes, named: None, most: Most::Parts(MOST_OF_A_NAME) };
    let mut text = fmt::from_fn(|f| printer.write(f, expression, Level::Conditional)).to_string();
    // Parts may have long names themselves.
    if let Some((end, _)) = text.char_indices().nth(LETTERS_OF_A_NAME) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Displays expressions of a multimode DAE: mode variables by name, and formulas by the Boolean that stands for
/// them where there is one.
pub struct DaeText<'a> {
    dae: &'a MultimodeDae,
    named: FxHashMap<ExpressionId, &'a str>,
    most: Most,
}

impl<'a> DaeText<'a> {
    /// For this multimode DAE; the names are looked up once, here.
    pub fn new(dae: &'a MultimodeDae) -> Self {
        let expressions = &dae.model.expressions;
        let is_composite = |formula| matches!(expressions.node(formula), Node::And(..) | Node::Or(..));
        let named = dae.named_formulas.iter().rev().filter(|named| is_composite(named.formula));
        DaeText { dae, named: named.map(|named| (named.formula, &*named.name)).collect(), most: Most::AsLarge }
    }

    /// The same for a document that is read again: what is shared is written out as far as that can be done.
    pub(crate) fn complete(dae: &'a MultimodeDae) -> Self {
        DaeText { most: Most::Parts(MOST_OF_A_DOCUMENT), ..DaeText::new(dae) }
    }

    /// One expression.
    pub fn expression(&self, expression: ExpressionId) -> impl fmt::Display {
        fmt::from_fn(move |f| self.printer().write(f, expression, Level::Conditional))
    }

    /// A formula, but not by the name that stands for all of it.
    pub fn definition(&self, formula: ExpressionId) -> impl fmt::Display {
        fmt::from_fn(move |f| self.printer().write_unnamed(f, formula))
    }

    fn printer(&self) -> Printer<'_> {
        let modes = Some(&self.dae.mode_variables);
        Printer { model: &self.dae.model, modes, named: Some(&self.named), most: self.most }
    }
}

struct Printer<'a> {
    model: &'a FlatModel,
    modes: Option<&'a IndexVec<ModeVariableId, ModeVariable>>,
    /// Names that stand for whole formulas.
    named: Option<&'a FxHashMap<ExpressionId, &'a str>>,
    most: Most,
}

/// How much of an expression is written out; the rest is `…`, which no grammar takes for a number. Parts that are shared
/// are written wherever they occur, so that a few dozen lines `y := y*y + y` would fill any disk.
#[derive(Clone, Copy)]
enum Most {
    /// So many parts.
    Parts(usize),
    /// [`MOST_SHARED`] parts, or of an expression that is large itself some times what it has.
    AsLarge,
}

/// Nobody reads more of a name.
const MOST_OF_A_NAME: usize = 200;
const LETTERS_OF_A_NAME: usize = 2_000;
/// Of expressions that are larger by what they share alone.
const MOST_SHARED: usize = 10_000;
/// So many times may the parts of a large expression be written.
const TIMES_SHARED: usize = 4;
const MOST_OF_A_DOCUMENT: usize = 1_000_000;

/// Binding strength, weakest first, as the grammar of Modelica has it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Conditional,
    Or,
    And,
    Not,
    Relation,
    Sum,
    Product,
    Power,
    Primary,
}

/// One piece of text still to be written.
enum Piece<'a> {
    Expression(ExpressionId, Level),
    Text(&'a str),
}

impl Printer<'_> {
    /// Writes without recursion: sums of 10^5 terms are expressions too.
    fn write(&self, f: &mut fmt::Formatter<'_>, root: ExpressionId, level: Level) -> fmt::Result {
        self.write_pieces(f, root, vec![Piece::Expression(root, level)])
    }

    fn write_unnamed(&self, f: &mut fmt::Formatter<'_>, root: ExpressionId) -> fmt::Result {
        let mut pieces = Vec::new();
        self.composite(f, root, Level::Conditional, &mut pieces)?;
        pieces.reverse();
        self.write_pieces(f, root, pieces)
    }

    /// The condition that a mode variable's name shows only in part, for a document that is read again.
    fn cut_off(&self, mode: &ModeVariable) -> Option<ExpressionId> {
        let is_document = matches!(self.most, Most::Parts(MOST_OF_A_DOCUMENT));
        mode.definition.filter(|_| is_document && mode.variable.is_none() && mode.name.contains('…'))
    }

    fn distinct_parts(&self, root: ExpressionId) -> usize {
        let mut count = 0;
        self.model.expressions.for_each(root, |_, _| {
            count += 1;
            true
        });
        count
    }

    fn write_pieces<'p>(
        &'p self,
        f: &mut fmt::Formatter<'_>,
        root: ExpressionId,
        mut pending: Vec<Piece<'p>>,
    ) -> fmt::Result {
        let (mut left, mut may_grow) = match self.most {
            Most::Parts(most) => (most, None),
            Most::AsLarge => (MOST_SHARED, Some(root)),
        };
        while let Some(piece) = pending.pop() {
            if left == 0
                && let Some(root) = may_grow.take()
            {
                left = (TIMES_SHARED * self.distinct_parts(root)).saturating_sub(MOST_SHARED);
            }
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Expression(..) if left == 0 => f.write_str("…")?,
                Piece::Expression(id, context) => {
                    left -= 1;
                    let at = pending.len();
                    self.pieces(f, id, context, &mut pending)?;
                    pending[at..].reverse();
                }
            }
        }
        Ok(())
    }

    /// Writes a leaf or a name, or appends the pieces of a composite in order.
    fn pieces<'p>(
        &'p self,
        f: &mut fmt::Formatter<'_>,
        id: ExpressionId,
        context: Level,
        out: &mut Vec<Piece<'p>>,
    ) -> fmt::Result {
        match self.named.and_then(|named| named.get(&id)) {
            Some(name) => f.write_str(name),
            None => self.composite(f, id, context, out),
        }
    }

    fn composite<'p>(
        &'p self,
        f: &mut fmt::Formatter<'_>,
        id: ExpressionId,
        context: Level,
        out: &mut Vec<Piece<'p>>,
    ) -> fmt::Result {
        use Piece::{Expression as E, Text as T};
        let expressions = &self.model.expressions;
        let node = expressions.node(id);
        let own = level_of(node);
        let open = own < context;
        if open {
            out.push(T("("));
        }
        match node {
            Node::Real(number) => write_real(f, number.value(), context)?,
            Node::Integer(value) if value < 0 && context > Level::Sum => write!(f, "({value})")?,
            Node::Integer(value) => write!(f, "{value}")?,
            Node::Boolean(value) => write!(f, "{value}")?,
            Node::String(text) => write_string(f, expressions.text(text))?,
            Node::Time => f.write_str("time")?,
            Node::Variable(variable, order) => {
                let name = &self.model.variables[variable].name;
                for _ in 0..order {
                    f.write_str("der(")?;
                }
                f.write_str(name)?;
                for _ in 0..order {
                    f.write_char(')')?;
                }
            }
            Node::Mode(mode) => match self.modes {
                Some(modes) if let Some(condition) = self.cut_off(&modes[mode]) => {
                    out.extend([T("("), E(condition, Level::Conditional), T(")")]);
                }
                Some(modes) if context >= Level::Relation && self.is_relation(&modes[mode]) => {
                    write!(f, "({})", modes[mode].name)?
                }
                Some(modes) => f.write_str(&modes[mode].name)?,
                None => write!(f, "mode{}", mode.0)?,
            },
            Node::Pre(a) => out.extend([T("pre("), E(a, Level::Conditional), T(")")]),
            Node::Negate(a) => out.extend([T("-"), E(a, Level::Product)]),
            Node::Not(a) => out.extend([T("not "), E(a, Level::Relation)]),
            Node::Arithmetic(operator, a, b) => {
                let (left, right) = operand_levels(operator);
                out.extend([E(a, left), T(operator_text(operator)), E(b, right)]);
            }
            Node::Relation(operator, a, b) => {
                self.operand(a, b, out);
                out.push(T(relation_text(operator)));
                self.operand(b, a, out);
            }
            Node::And(a, b) => out.extend([E(a, Level::And), T(" and "), E(b, Level::Not)]),
            Node::Or(a, b) => out.extend([E(a, Level::Or), T(" or "), E(b, Level::And)]),
            Node::If(condition, a, b) => out.extend([
                T("if "),
                E(condition, Level::Or),
                T(" then "),
                E(a, Level::Or),
                T(" else "),
                E(b, Level::Conditional),
            ]),
            Node::Call(builtin, arguments) => {
                let name = if builtin == Builtin::DelayMax { "delay" } else { builtin.name() };
                self.call(name, expressions.argument_list(arguments), out);
            }
            // A function of a run's own, which stands for one call, is named by it.
            Node::Function(function, _) if self.model.functions[function].name.ends_with(')') => {
                out.push(T(&self.model.functions[function].name));
            }
            Node::Function(function, arguments) => {
                self.call(&self.model.functions[function].name, expressions.argument_list(arguments), out)
            }
            Node::Output(call, which) => {
                let which = match which {
                    1 => "",
                    2 => ".output2",
                    3 => ".output3",
                    _ => ".outputN",
                };
                out.extend([E(call, Level::Primary), T(which)]);
            }
        }
        if open {
            out.push(T(")"));
        }
        Ok(())
    }

    /// One side of a relation: an ordinal that is compared with an enumeration prints as a literal of it.
    fn operand<'p>(&'p self, id: ExpressionId, other: ExpressionId, out: &mut Vec<Piece<'p>>) {
        match (self.model.expressions.node(id), self.enumeration_of(other)) {
            (Node::Integer(ordinal), Some(enumeration))
                if (1..=enumeration.literals.len() as i64).contains(&ordinal) =>
            {
                let literal = &enumeration.literals[ordinal as usize - 1];
                out.extend([Piece::Text(&enumeration.name), Piece::Text("."), Piece::Text(literal)]);
            }
            _ => out.push(Piece::Expression(id, Level::Sum)),
        }
    }

    /// Whether a mode variable's name is the text of a relation.
    fn is_relation(&self, mode: &ModeVariable) -> bool {
        let definition = mode.definition.filter(|_| mode.variable.is_none());
        definition.is_some_and(|definition| matches!(self.model.expressions.node(definition), Node::Relation(..)))
    }

    fn enumeration_of(&self, id: ExpressionId) -> Option<&Enumeration> {
        match self.model.expressions.node(id) {
            Node::Variable(variable, 0) => match self.model.variables[variable].ty {
                Type::Enumeration(enumeration) => self.model.enumerations.get(enumeration),
                _ => None,
            },
            Node::Pre(inner) => self.enumeration_of(inner),
            _ => None,
        }
    }

    fn call<'p>(&'p self, name: &'p str, arguments: &'p [ExpressionId], out: &mut Vec<Piece<'p>>) {
        out.extend([Piece::Text(name), Piece::Text("(")]);
        for (position, &argument) in arguments.iter().enumerate() {
            if position > 0 {
                out.push(Piece::Text(", "));
            }
            out.push(Piece::Expression(argument, Level::Conditional));
        }
        out.push(Piece::Text(")"));
    }
}

fn level_of(node: Node) -> Level {
    match node {
        Node::If(..) => Level::Conditional,
        Node::Or(..) => Level::Or,
        Node::And(..) => Level::And,
        Node::Not(_) => Level::Not,
        Node::Relation(..) => Level::Relation,
        Node::Negate(_) | Node::Arithmetic(Op::Add | Op::Subtract, ..) => Level::Sum,
        Node::Arithmetic(Op::Multiply | Op::Divide, ..) => Level::Product,
        Node::Arithmetic(Op::Power, ..) => Level::Power,
        _ => Level::Primary,
    }
}

fn operand_levels(operator: Op) -> (Level, Level) {
    match operator {
        Op::Add => (Level::Sum, Level::Product),
        Op::Subtract => (Level::Sum, Level::Product),
        Op::Multiply => (Level::Product, Level::Power),
        Op::Divide => (Level::Product, Level::Power),
        Op::Power => (Level::Primary, Level::Primary),
    }
}

fn operator_text(operator: Op) -> &'static str {
    match operator {
        Op::Add => " + ",
        Op::Subtract => " - ",
        Op::Multiply => "*",
        Op::Divide => "/",
        Op::Power => "^",
    }
}

fn relation_text(operator: RelationOperator) -> &'static str {
    match operator {
        RelationOperator::Less => " < ",
        RelationOperator::LessEqual => " <= ",
        RelationOperator::Greater => " > ",
        RelationOperator::GreaterEqual => " >= ",
        RelationOperator::Equal => " == ",
        RelationOperator::NotEqual => " <> ",
    }
}

/// Shortest text that reads back as the same number: `1`, `0.01`, `1e-11`, and as a Real, never as an Integer
/// where that matters for division: Modelica divides Integers as Reals, so it does not.
fn write_real(f: &mut fmt::Formatter<'_>, value: f64, context: Level) -> fmt::Result {
    let magnitude = value.abs();
    let text =
        if magnitude != 0.0 && !(1e-4..1e9).contains(&magnitude) { format!("{value:e}") } else { format!("{value}") };
    if value.is_sign_negative() && context > Level::Sum { write!(f, "({text})") } else { f.write_str(&text) }
}

fn write_string(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' | '\\' => write!(f, "\\{character}")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            _ => f.write_char(character)?,
        }
    }
    f.write_char('"')
}

//! Expressions: one hash-consed arena for a whole model.
//!
//! Equal expressions have equal ids, so sharing, comparison and memo tables cost nothing. Nodes are 16 bytes
//! and scalar: arrays, records and inlined functions are gone by the time an expression is built. Relations and
//! Boolean operators are ordinary nodes; where a condition decides which equations hold, its atoms have been
//! replaced by [`Node::Mode`].

use std::hash::{BuildHasher, Hash};
use std::num::NonZeroU32;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::{FunctionId, Id, IndexVec, ModeVariableId, StringId, VariableId};

/// An expression of an [`Expressions`] arena; four bytes, also as an `Option`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExpressionId(NonZeroU32);

impl Id for ExpressionId {
    fn from_index(index: usize) -> Self {
        let number = u32::try_from(index + 1).expect("fewer than 2^32 expressions");
        ExpressionId(NonZeroU32::new(number).expect("index + 1 is not zero"))
    }
    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// The arguments of a call, interned: equal lists have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arguments {
    start: u32,
    length: u32,
}

/// A floating-point literal, compared by its bits so that it can be hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Number(u64);

impl Number {
    /// The value.
    pub fn value(self) -> f64 {
        f64::from_bits(self.0)
    }

    pub(crate) fn from_bits(bits: u64) -> Self {
        Number(bits)
    }
}

/// One node of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A real literal.
    Real(Number),
    /// An integer literal; enumeration literals are their ordinals, from 1.
    Integer(i64),
    /// `true`, `false`.
    Boolean(bool),
    /// A string literal.
    String(StringId),
    /// `time`
    Time,
    /// `x`, or for an order `k > 0` its `k`-th derivative. Parameters and constants too, with order 0.
    Variable(VariableId, u32),
    /// The left limit of an expression: `pre(x)`, `last(x)`.
    Pre(ExpressionId),
    /// The value of a mode variable.
    Mode(ModeVariableId),
    /// `-a`
    Negate(ExpressionId),
    /// `not a`
    Not(ExpressionId),
    /// `a + b` and the other arithmetic operators.
    Arithmetic(ArithmeticOperator, ExpressionId, ExpressionId),
    /// `a < b` and the other relations.
    Relation(RelationOperator, ExpressionId, ExpressionId),
    /// `a and b`
    And(ExpressionId, ExpressionId),
    /// `a or b`
    Or(ExpressionId, ExpressionId),
    /// `if condition then a else b`
    If(ExpressionId, ExpressionId, ExpressionId),
    /// `sin(a)`, `noEvent(a)`, …
    Call(Builtin, Arguments),
    /// A call of a function that is not built in.
    Function(FunctionId, Arguments),
    /// The `n`-th output, from 1, of a call of a function with several outputs.
    Output(ExpressionId, u32),
}

/// `+`, `-`, `*`, `/`, `^`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum ArithmeticOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

/// `<`, `<=`, `>`, `>=`, `==`, `<>`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum RelationOperator {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

impl RelationOperator {
    /// The operator that holds exactly where this one does not.
    pub fn negated(self) -> Self {
        use RelationOperator::*;
        match self {
            Less => GreaterEqual,
            LessEqual => Greater,
            Greater => LessEqual,
            GreaterEqual => Less,
            Equal => NotEqual,
            NotEqual => Equal,
        }
    }

    /// The operator with its sides exchanged.
    pub fn mirrored(self) -> Self {
        use RelationOperator::*;
        match self {
            Less => Greater,
            LessEqual => GreaterEqual,
            Greater => Less,
            GreaterEqual => LessEqual,
            Equal => Equal,
            NotEqual => NotEqual,
        }
    }
}

/// Declares the built-in functions with their names and numbers of arguments.
macro_rules! builtins {
    ($($(#[$doc:meta])* $name:ident $text:literal $arity:literal,)*) => {
        /// A built-in function or operator that is written as a call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Builtin { $($(#[$doc])* #[doc = concat!("`", $text, "`")] $name,)* }

        impl Builtin {
            /// All of them.
            pub const ALL: &[Builtin] = &[$(Builtin::$name,)*];

            /// The name in Modelica.
            pub fn name(self) -> &'static str {
                match self { $(Builtin::$name => $text,)* }
            }

            /// How many arguments it takes.
            pub fn arity(self) -> usize {
                match self { $(Builtin::$name => $arity,)* }
            }

            /// The built-in of this name.
            pub fn by_name(name: &str) -> Option<Builtin> {
                match name { $($text => Some(Builtin::$name),)* _ => None }
            }
        }
    };
}

builtins! {
    Sin "sin" 1, Cos "cos" 1, Tan "tan" 1, Asin "asin" 1, Acos "acos" 1, Atan "atan" 1, Atan2 "atan2" 2,
    Sinh "sinh" 1, Cosh "cosh" 1, Tanh "tanh" 1,
    Exp "exp" 1, Log "log" 1, Log10 "log10" 1, Sqrt "sqrt" 1, Abs "abs" 1, Sign "sign" 1,
    Min "min" 2, Max "max" 2,
    Floor "floor" 1, Ceil "ceil" 1,
    /// The largest integer not above.
    Integer "integer" 1,
    /// The ordinal of an enumeration literal.
    Ordinal "Integer" 1,
    Div "div" 2, Mod "mod" 2, Rem "rem" 2,
    /// Relations inside make no events and no modes.
    NoEvent "noEvent" 1,
    /// The second argument is as often continuously differentiable as the first says.
    Smooth "smooth" 2,
    /// The first outside initialization; the second is a simplification that helps there.
    Homotopy "homotopy" 2,
    Initial "initial" 0, Terminal "terminal" 0,
    Sample "sample" 2, Edge "edge" 1, Change "change" 1,
    /// `delay(e, T)` and, with a maximum, `delay(e, T, max)` as [`Builtin::DelayMax`].
    Delay "delay" 2,
    /// `delay(e, T, max)`; prints as `delay`.
    DelayMax "delay " 3,
    /// Text of a number; only in messages.
    StringOf "String" 1,
}

/// The arena.
#[derive(Clone, Default)]
pub struct Expressions {
    nodes: IndexVec<ExpressionId, Node>,
    /// With the hash of each, so that a growing table need not look up nodes all over the arena.
    table: HashTable<(ExpressionId, u32)>,
    argument_pool: Vec<ExpressionId>,
    argument_table: HashTable<Arguments>,
    strings: IndexVec<StringId, String>,
    string_table: HashTable<StringId>,
}

impl std::fmt::Debug for Expressions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} expressions", self.nodes.len())
    }
}

fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    FxBuildHasher.hash_one(value)
}

/// A hash for a table, which looks at the highest and at the lowest bits.
fn spread(short: u32) -> u64 {
    u64::from(short) << 32 | u64::from(short)
}

impl Expressions {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many different expressions there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The expression made of this node, new or known. Nothing is simplified.
    pub fn add(&mut self, node: Node) -> ExpressionId {
        // What is mixed best is above; machines of 32 bits have nothing there.
        let short = (hash_of(&node) >> (usize::BITS - 32)) as u32;
        let nodes = &self.nodes;
        if let Some(&(known, _)) = self.table.find(spread(short), |&(id, hash)| hash == short && nodes[id] == node) {
            return known;
        }
        let id = self.nodes.push(node);
        self.table.insert_unique(spread(short), (id, short), |&(_, hash)| spread(hash));
        id
    }

    /// The nodes of all expressions, operands before what is made of them.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        self.nodes.iter().copied()
    }

    /// The node of an expression.
    #[inline]
    pub fn node(&self, id: ExpressionId) -> Node {
        self.nodes[id]
    }

    /// The interned list of these arguments.
    pub fn arguments(&mut self, list: &[ExpressionId]) -> Arguments {
        let hash = hash_of(list);
        let pool = &self.argument_pool;
        let same = |range: &Arguments| pool[range.start as usize..(range.start + range.length) as usize] == *list;
        if let Some(known) = self.argument_table.find(hash, same) {
            return *known;
        }
        let start = self.argument_pool.len() as u32;
        self.argument_pool.extend_from_slice(list);
        let range = Arguments { start, length: list.len() as u32 };
        let pool = &self.argument_pool;
        self.argument_table.insert_unique(hash, range, |range| {
            hash_of(&pool[range.start as usize..(range.start + range.length) as usize])
        });
        range
    }

    /// The members of an argument list.
    pub fn argument_list(&self, arguments: Arguments) -> &[ExpressionId] {
        &self.argument_pool[arguments.start as usize..(arguments.start + arguments.length) as usize]
    }

    /// An interned string.
    pub fn intern(&mut self, text: &str) -> StringId {
        let hash = hash_of(text);
        let strings = &self.strings;
        if let Some(known) = self.string_table.find(hash, |&id| strings[id] == text) {
            return *known;
        }
        let id = self.strings.push(text.to_string());
        let strings = &self.strings;
        self.string_table.insert_unique(hash, id, |&id| hash_of(strings[id].as_str()));
        id
    }

    /// The text of an interned string.
    pub fn text(&self, id: StringId) -> &str {
        &self.strings[id]
    }

    /// By expression, whether such a node is in it, not below one that `hides`. Operands are older than what is made of
    /// them, so that one look at each expression of the arena tells it of all.
    pub fn all_with(
        &self,
        is_wanted: impl Fn(Node) -> bool,
        hides: impl Fn(Node) -> bool,
    ) -> IndexVec<ExpressionId, bool> {
        let mut found: IndexVec<ExpressionId, bool> = IndexVec::new();
        for (id, &node) in self.nodes.iter_enumerated() {
            let inside = is_wanted(node) || !hides(node) && self.children(id).any(|child| found[child]);
            found.push(inside);
        }
        found
    }

    /// The direct subexpressions, in order.
    #[inline]
    pub fn children(&self, id: ExpressionId) -> Children<'_> {
        match self.nodes[id] {
            Node::Real(_)
            | Node::Integer(_)
            | Node::Boolean(_)
            | Node::String(_)
            | Node::Time
            | Node::Variable(..)
            | Node::Mode(_) => Children::few([]),
            Node::Pre(a) | Node::Negate(a) | Node::Not(a) | Node::Output(a, _) => Children::few([a]),
            Node::Arithmetic(_, a, b) | Node::Relation(_, a, b) | Node::And(a, b) | Node::Or(a, b) => {
                Children::few([a, b])
            }
            Node::If(a, b, c) => Children::few([a, b, c]),
            Node::Call(_, arguments) | Node::Function(_, arguments) => {
                Children { few: [None; 3], many: self.argument_list(arguments), next: 0 }
            }
        }
    }

    /// The node with its direct subexpressions replaced by what `replace` says.
    pub fn map_children(
        &mut self,
        id: ExpressionId,
        mut replace: impl FnMut(&mut Self, ExpressionId) -> ExpressionId,
    ) -> ExpressionId {
        let node = match self.nodes[id] {
            leaf @ (Node::Real(_)
            | Node::Integer(_)
            | Node::Boolean(_)
            | Node::String(_)
            | Node::Time
            | Node::Variable(..)
            | Node::Mode(_)) => leaf,
            Node::Pre(a) => Node::Pre(replace(self, a)),
            Node::Negate(a) => Node::Negate(replace(self, a)),
            Node::Not(a) => Node::Not(replace(self, a)),
            Node::Output(a, which) => Node::Output(replace(self, a), which),
            Node::Arithmetic(operator, a, b) => Node::Arithmetic(operator, replace(self, a), replace(self, b)),
            Node::Relation(operator, a, b) => Node::Relation(operator, replace(self, a), replace(self, b)),
            Node::And(a, b) => Node::And(replace(self, a), replace(self, b)),
            Node::Or(a, b) => Node::Or(replace(self, a), replace(self, b)),
            Node::If(a, b, c) => Node::If(replace(self, a), replace(self, b), replace(self, c)),
            Node::Call(builtin, arguments) => Node::Call(builtin, self.map_arguments(arguments, &mut replace)),
            Node::Function(function, arguments) => {
                Node::Function(function, self.map_arguments(arguments, &mut replace))
            }
        };
        self.add(node)
    }

    fn map_arguments(
        &mut self,
        arguments: Arguments,
        replace: &mut impl FnMut(&mut Self, ExpressionId) -> ExpressionId,
    ) -> Arguments {
        let mapped: Vec<ExpressionId> =
            self.argument_list(arguments).to_vec().into_iter().map(|argument| replace(self, argument)).collect();
        self.arguments(&mapped)
    }
}

/// Iterator over direct subexpressions.
pub struct Children<'a> {
    few: [Option<ExpressionId>; 3],
    many: &'a [ExpressionId],
    next: usize,
}

impl Children<'_> {
    fn few<const N: usize>(list: [ExpressionId; N]) -> Self {
        let mut few = [None; 3];
        for (slot, id) in few.iter_mut().zip(list) {
            *slot = Some(id);
        }
        Children { few, many: &[], next: 0 }
    }
}

impl Iterator for Children<'_> {
    type Item = ExpressionId;
    fn next(&mut self) -> Option<ExpressionId> {
        let at = self.next;
        self.next += 1;
        match self.many.get(at) {
            Some(&id) => Some(id),
            None => self.few.get(at).copied().flatten(),
        }
    }
}

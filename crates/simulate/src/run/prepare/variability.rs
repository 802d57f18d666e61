//! What the values of expressions depend on: time, continuous variables on either side of an instant, what changes at
//! events only.
//!
//! Subexpressions have smaller ids than what contains them, so one pass over the arena answers for all expressions.

use modeshift_dae::{Builtin, ExpressionId, FlatModel, Id, Node, Type, Variability, Variable};

use crate::run::delays::calls::is_of_the_past;

/// What an expression depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    /// `time`
    pub time: bool,
    /// Continuous variables at the current instant.
    pub now: bool,
    /// Left limits of continuous variables.
    pub before: bool,
    /// Variables, calls and modes that change at events only.
    pub discrete: bool,
    /// Text, which has no numeric value.
    pub text: bool,
}

impl Content {
    /// Whether the value can change between events.
    pub fn changes_continuously(self) -> bool {
        self.time || self.now || self.before
    }

    fn union(self, other: Content) -> Content {
        Content {
            time: self.time || other.time,
            now: self.now || other.now,
            before: self.before || other.before,
            discrete: self.discrete || other.discrete,
            text: self.text || other.text,
        }
    }
}

/// The contents of all expressions of a model.
pub(crate) struct Contents {
    known: Vec<Content>,
    /// Whether inputs change as they like, as time does.
    inputs_move: bool,
}

impl Contents {
    /// Looks at all expressions that the model has by now, with inputs that change at events only, or as they like.
    pub fn of(model: &FlatModel, inputs_move: bool) -> Self {
        let mut contents = Contents { known: Vec::with_capacity(model.expressions.len()), inputs_move };
        contents.extend(model);
        contents
    }

    /// Looks at expressions that were added since.
    pub fn extend(&mut self, model: &FlatModel) {
        for index in self.known.len()..model.expressions.len() {
            let content = self.content(model, ExpressionId::from_index(index));
            self.known.push(content);
        }
    }

    /// Whether a variable is an input that changes as it likes.
    pub fn moves(&self, declared: &Variable) -> bool {
        let is_signal = declared.input && declared.ty == Type::Real && declared.variability == Variability::Continuous;
        self.inputs_move && is_signal
    }

    /// What an expression depends on.
    pub fn get(&self, id: ExpressionId) -> Content {
        self.known[id.index()]
    }

    fn content(&self, model: &FlatModel, id: ExpressionId) -> Content {
        let expressions = &model.expressions;
        let operands =
            || expressions.children(id).map(|child| self.get(child)).fold(Content::default(), Content::union);
        match expressions.node(id) {
            Node::Time => Content { time: true, ..Content::default() },
            Node::String(_) => Content { text: true, ..Content::default() },
            Node::Variable(variable, _) => {
                let declared = &model.variables[variable];
                let discrete = declared.variability == Variability::Discrete || declared.input;
                let now = declared.is_continuous_unknown();
                let time = self.moves(declared);
                Content { time, now, discrete: discrete || is_other_unknown(declared, now), ..Content::default() }
            }
            Node::Mode(_) | Node::Call(Builtin::Sample | Builtin::Initial | Builtin::Terminal, _) => {
                Content { discrete: true, ..Content::default() }
            }
            // It jumps at instants at which its arguments do not.
            Node::Function(function, _) if is_of_the_past(model, function) => Content { now: true, ..operands() },
            Node::Pre(_) => {
                let inner = operands();
                Content { now: false, before: inner.now || inner.before, ..inner }
            }
            _ => operands(),
        }
    }
}

/// Whether an unknown that is no continuous Real.
fn is_other_unknown(declared: &Variable, continuous: bool) -> bool {
    declared.variability >= Variability::Discrete && !continuous
}

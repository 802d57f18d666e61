//! The discrete part of a model as data: what gives each discrete variable its value.
//!
//! A discrete variable is a Boolean, Integer, enumeration or String, or a Real that changes at events only. `elaborate`
//! decides once which equation defines which of them and solves it for the variable; initialization, simulation, mode
//! changes and rewriting read the answer here and never look at the sides of an equation for it.
//!
//! ```text
//! n = 3 + (if x > 2 then 1 else 0)
//! k = 2 if not straight, else as before
//! m is assigned by `when`
//! u comes from outside
//! start: pre(m) = 4
//! ```

use std::fmt;

use crate::{DaeText, EquationId, ExpressionId, Expressions, IndexVec, MultimodeDae, VariableId};

/// What gives a discrete variable its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// An equation that was solved for it.
    Equation {
        /// The equation.
        equation: EquationId,
        /// The modes in which it holds; in the others the variable keeps its value.
        guard: ExpressionId,
        /// The value: the other side of the equation, or what is left when all else has been brought there.
        value: ExpressionId,
        /// `if guard then value else pre(v)`: the value in all modes.
        in_all_modes: ExpressionId,
    },
    /// `when` clauses assign it; it keeps its value in between.
    When,
    /// Nothing: it keeps the value of the start.
    Start,
    /// It comes from outside.
    Input,
}

/// The value that an initial equation gives to a discrete variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitialValue {
    /// The variable.
    pub variable: VariableId,
    /// Whether the equation is about its left limit: `pre(v) = …`.
    pub is_left_limit: bool,
    /// The value.
    pub value: ExpressionId,
}

/// The discrete part of a model.
#[derive(Clone, Debug, Default)]
pub struct Discrete {
    /// By variable: what defines it; nothing for continuous unknowns, parameters and constants.
    pub definitions: IndexVec<VariableId, Option<Definition>>,
    /// By the number of an initial equation: the discrete variable that it is about; nothing for a condition on the
    /// continuous unknowns.
    pub initial: Vec<Option<InitialValue>>,
}

impl Discrete {
    /// What defines a variable; nothing for one that is not discrete.
    pub fn definition(&self, variable: VariableId) -> Option<Definition> {
        self.definitions.get(variable).copied().flatten()
    }

    /// The value of a variable that an equation defines in all modes.
    pub fn value_everywhere(&self, expressions: &Expressions, variable: VariableId) -> Option<ExpressionId> {
        match self.definition(variable)? {
            Definition::Equation { guard, value, .. } if expressions.literal_boolean(guard) == Some(true) => {
                Some(value)
            }
            _ => None,
        }
    }

    /// All definitions by equations, by ascending variable: variable, guard, and the value in all modes.
    pub fn equations(&self) -> impl Iterator<Item = (VariableId, ExpressionId, ExpressionId)> {
        self.definitions.iter_enumerated().filter_map(|(variable, definition)| match definition {
            Some(Definition::Equation { guard, in_all_modes, .. }) => Some((variable, *guard, *in_all_modes)),
            _ => None,
        })
    }

    /// The variables that keep their value until a `when`, or something from outside, changes it.
    pub fn kept(&self) -> impl Iterator<Item = VariableId> {
        self.definitions.iter_enumerated().filter_map(|(variable, definition)| match definition {
            Some(Definition::When | Definition::Start | Definition::Input) => Some(variable),
            Some(Definition::Equation { .. }) | None => None,
        })
    }
}

/// The discrete part of a model as text, one line per variable.
pub struct DiscreteText<'a>(pub &'a MultimodeDae);

impl fmt::Display for DiscreteText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MultimodeDae { model, discrete, .. } = self.0;
        let text = DaeText::new(self.0);
        for (variable, definition) in discrete.definitions.iter_enumerated() {
            let name = &model.variables[variable].name;
            match *definition {
                None => {}
                Some(Definition::When) => writeln!(f, "{name} is assigned by `when`")?,
                Some(Definition::Start) => writeln!(f, "{name} keeps its start value")?,
                Some(Definition::Input) => writeln!(f, "{name} comes from outside")?,
                Some(Definition::Equation { guard, value, .. }) => {
                    write!(f, "{name} = {}", text.expression(value))?;
                    match model.expressions.literal_boolean(guard) {
                        Some(true) => writeln!(f)?,
                        _ => writeln!(f, " if {}, else as before", text.expression(guard))?,
                    }
                }
            }
        }
        for InitialValue { variable, is_left_limit, value } in discrete.initial.iter().flatten() {
            let name = &model.variables[*variable].name;
            let value = text.expression(*value);
            match is_left_limit {
                true => writeln!(f, "start: pre({name}) = {value}")?,
                false => writeln!(f, "start: {name} = {value}")?,
            }
        }
        Ok(())
    }
}

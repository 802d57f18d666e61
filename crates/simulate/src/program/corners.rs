//! Where the equations of a mode are not smooth although no event shows it: relations inside `noEvent`, `abs`, `sign`, `min`, `max`,
//! and what happens inside functions.

use modeshift_dae::{Builtin, EquationId, ExpressionId, Expressions, Node, VariableId};
use modeshift_numerics::{Differentiated, Input};

use super::programs::Programs;
use super::states::quantities::Quantities;
use super::surroundings::Surroundings;

/// Expressions that decide, with their derivatives.
pub(crate) struct Corners {
    derivatives: Differentiated,
    sources: Vec<Source>,
    columns: Vec<Source>,
    kinds: Vec<(Kind, EquationId)>,
}

/// What an expression decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Which branch: at its zeros.
    Zero,
    /// The value of something whose branches cannot be seen.
    Argument,
}

#[derive(Clone, Copy)]
enum Source {
    Time,
    Quantity(usize),
    Given(usize),
    Surroundings(Input),
}

/// Values of such expressions, and how they change with their columns.
pub(crate) struct Decided {
    pub values: Vec<f64>,
    entries: Vec<f64>,
}

impl Corners {
    /// Of these equations of a mode, or nothing if they are smooth; an equation in which what decides has no derivatives.
    pub fn new(
        programs: &mut Programs<'_>,
        quantities: &Quantities,
        given: &[VariableId],
        residuals: &[(ExpressionId, EquationId)],
    ) -> Result<Option<Corners>, EquationId> {
        let mut deciding = Vec::new();
        for &(residual, equation) in residuals {
            for (kind, found) in decisions(programs.workshop().expressions(), residual) {
                let is_known = deciding.iter().any(|&(_, other, _)| other == found);
                if !is_known && programs.workshop_ref().compiler().tape(&[found]).is_ok() {
                    deciding.push((kind, found, equation));
                }
            }
        }
        let Some(&(_, _, first)) = deciding.first() else { return Ok(None) };
        let expressions: Vec<ExpressionId> = deciding.iter().map(|it| it.1).collect();
        let compiler = || programs.workshop_ref().compiler();
        let tape = compiler().tape(&expressions).map_err(|_| first)?;
        let source = |&input: &Input| match input {
            Input::Time => Source::Time,
            Input::Variable(variable, order) => match given.iter().position(|&it| it == variable) {
                Some(at) if order == 0 => Source::Given(at),
                _ => match quantities.index(variable, order) {
                    Some(quantity) => Source::Quantity(quantity.index()),
                    None => Source::Surroundings(input),
                },
            },
            _ => Source::Surroundings(input),
        };
        let changes = |input: &&Input| matches!(source(input), Source::Quantity(_) | Source::Given(_));
        let by: Vec<Input> = tape.inputs().iter().filter(changes).copied().collect();
        let derivatives = compiler().differentiated(&expressions, &by).map_err(|_| first)?;
        // What is given has its value in the surroundings.
        let read = |input: &Input| match source(input) {
            Source::Given(_) => Source::Surroundings(*input),
            other => other,
        };
        Ok(Some(Corners {
            sources: derivatives.inputs().iter().map(read).collect(),
            columns: by.iter().map(source).collect(),
            kinds: deciding.iter().map(|&(kind, _, equation)| (kind, equation)).collect(),
            derivatives,
        }))
    }

    /// What each expression decides, and the equation it is in.
    pub fn kinds(&self) -> &[(Kind, EquationId)] {
        &self.kinds
    }

    /// All expressions at a point.
    pub fn at(&self, time: f64, jet: &[f64], surroundings: &Surroundings) -> Decided {
        let value = |source: &Source| match *source {
            Source::Time => time,
            Source::Quantity(at) => jet[at],
            Source::Surroundings(input) => surroundings.value(input),
            Source::Given(_) => f64::NAN,
        };
        let inputs: Vec<f64> = self.sources.iter().map(value).collect();
        let mut values = vec![0.0; self.kinds.len()];
        let mut entries = vec![0.0; self.derivatives.pattern().entry_count()];
        self.derivatives.evaluate(&inputs, &mut self.derivatives.workspace(), &mut values, &mut entries);
        Decided { values, entries }
    }

    /// How an expression changes where quantities and what is given change like this, and what that is a sum of.
    pub fn change(&self, decided: &Decided, number: usize, quantities: &[f64], given: &[f64]) -> (f64, f64) {
        let mut sum = (0.0, 0.0);
        for (column, entry) in self.derivatives.pattern().row_entries(&decided.entries, number) {
            let change = match self.columns[column] {
                Source::Quantity(at) => quantities[at],
                Source::Given(at) => given[at],
                Source::Time | Source::Surroundings(_) => 0.0,
            };
            sum = (sum.0 + entry * change, sum.1 + (entry * change).abs());
        }
        sum
    }
}

/// What decides in an expression.
fn decisions(e: &mut Expressions, root: ExpressionId) -> Vec<(Kind, ExpressionId)> {
    let mut nodes = Vec::new();
    e.for_each(root, |_, node| {
        nodes.push(node);
        !matches!(node, Node::Pre(_))
    });
    let mut found = Vec::new();
    for node in nodes {
        match node {
            Node::Relation(_, a, b) => found.push((Kind::Zero, e.difference(a, b))),
            Node::Call(Builtin::Abs | Builtin::Sign, arguments) => {
                found.push((Kind::Zero, e.argument_list(arguments)[0]));
            }
            Node::Call(Builtin::Min | Builtin::Max, arguments) => {
                let (a, b) = (e.argument_list(arguments)[0], e.argument_list(arguments)[1]);
                found.push((Kind::Zero, e.difference(a, b)));
            }
            Node::Call(
                Builtin::Floor
                | Builtin::Ceil
                | Builtin::Integer
                | Builtin::Div
                | Builtin::Mod
                | Builtin::Rem
                | Builtin::Atan2,
                arguments,
            )
            | Node::Function(_, arguments) => {
                found.extend(e.argument_list(arguments).iter().map(|&it| (Kind::Argument, it)));
            }
            _ => {}
        }
    }
    found
}

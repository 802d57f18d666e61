//! Guards that bend: functions of what moves that are more than affine in it, written down so that they can be bounded.
//!
//! `abs(x - 0.5) < 1e-3` or `exp(-1e4*(x - c)^2) > 0.5` are true for a short time, of which a step of the states knows
//! nothing. Such guards are followed through definitions `y = f(x)` that hold in all modes down to *quantities*: states, and
//! what no such equation gives. With bounds of these on a stretch of time they have bounds themselves (`intervals`), by
//! which `short_events` finds what a step would pass over.
//!
//! What is affine in the quantities needs none of this: it turns only where they do. What calls functions that are not
//! built in, delays and `sign` have no bounds here; they are left to the pace of guards (`zero_crossings`).

use modeshift_dae::{
    ArithmeticOperator as Op, Builtin, Derivative, EquationKind, ExpressionId, Id, ModeVariableId, MultimodeDae, Node,
    RelationOperator, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::run::phase::intervals::{Bound, Interval, Stretch};
use crate::run::phase::zero_crossings::Guard;
use crate::run::prepare::discrete_part::DiscretePart;
use crate::run::values::Side;

/// A function of more steps is followed without definitions, or not at all: its bounds would cost more than a look at all
/// values.
const MOST_STEPS: usize = 200;
/// Expressions nested deeper are not followed.
const DEEPEST: usize = 100;

/// A step of the evaluation of a function; operands are steps before it.
#[derive(Clone, Copy)]
enum Step {
    Constant(f64),
    Discrete(VariableId),
    Mode(ModeVariableId),
    Time,
    /// The quantity of this number.
    Quantity(usize),
    Same(usize),
    Negate(usize),
    Not(usize),
    Arithmetic(Op, usize, usize),
    Relation(RelationOperator, usize, usize),
    Smaller(usize, usize),
    Larger(usize, usize),
    Call(Builtin, usize),
    Choice(usize, usize, usize),
}

/// A function that guards are made of: an atom, or the edges of a stair.
pub(crate) struct GuardFunction {
    pub guards: Vec<Guard>,
    steps: Vec<Step>,
    /// The numbers of its quantities, ascending.
    pub quantities: Vec<usize>,
}

/// All such functions of a model, with their quantities.
#[derive(Default)]
pub(crate) struct GuardFunctions {
    pub functions: Vec<GuardFunction>,
    pub quantities: Vec<Derivative<VariableId>>,
}

/// What a function is evaluated at.
pub(crate) struct Course<'c, 'a, B> {
    /// What stands still.
    pub side: &'c Side<'a>,
    pub time: B,
    /// By quantity.
    pub quantities: &'c [B],
}

impl GuardFunctions {
    /// Finds them; `parameter` gives the values of parameters.
    pub fn new(dae: &MultimodeDae, discrete: &DiscretePart, parameter: &dyn Fn(VariableId) -> Option<f64>) -> Self {
        let mut found = GuardFunctions::default();
        if discrete.atoms.is_empty() && discrete.stairs.is_empty() {
            return found;
        }
        let definitions = definitions(dae);
        let atoms = discrete.atoms.iter_enumerated().map(|(id, atom)| (vec![Guard::Atom(id)], atom.watched.to_vec()));
        let stairs =
            discrete.stairs.iter().enumerate().map(|(number, stair)| {
                (vec![Guard::Edge(number, false), Guard::Edge(number, true)], vec![stair.argument])
            });
        for (guards, parts) in atoms.chain(stairs) {
            let none = FxHashMap::default();
            let written = [&definitions, &none].into_iter().find_map(|definitions| {
                let mut writer = Writer::new(dae, parameter, definitions);
                writer.function(&parts).then_some(writer)
            });
            if let Some(writer) = written.filter(|it| !it.is_affine && !it.quantities.is_empty()) {
                found.add(guards, writer);
            }
        }
        found
    }

    /// Takes a function in, with its quantities numbered as those of all functions.
    fn add(&mut self, guards: Vec<Guard>, writer: Writer<'_>) {
        let numbers: Vec<usize> = writer.quantities.iter().map(|&quantity| self.number(quantity)).collect();
        let steps = writer.steps.into_iter().map(|(step, _)| match step {
            Step::Quantity(own) => Step::Quantity(numbers[own]),
            step => step,
        });
        let steps = steps.collect();
        let mut quantities = numbers;
        quantities.sort_unstable();
        self.functions.push(GuardFunction { guards, steps, quantities });
    }

    fn number(&mut self, quantity: Derivative<VariableId>) -> usize {
        // Few: only those of guards that bend.
        self.quantities.iter().position(|&it| it == quantity).unwrap_or_else(|| {
            self.quantities.push(quantity);
            self.quantities.len() - 1
        })
    }
}

impl GuardFunction {
    /// Bounds of it on a stretch of time; nothing where it has none.
    pub fn bounds<B: Bound>(&self, course: &Course<'_, '_, B>, values: &mut Vec<B>) -> Option<B> {
        values.clear();
        for step in &self.steps {
            let value = match *step {
                Step::Constant(value) => Some(B::constant(value)),
                Step::Discrete(variable) => Some(B::constant(course.side.discrete[variable])),
                Step::Mode(mode) => Some(B::constant(f64::from(u8::from(course.side.truth(mode))))),
                Step::Time => Some(course.time),
                Step::Quantity(number) => Some(course.quantities[number]),
                Step::Same(a) => Some(values[a]),
                Step::Negate(a) => Some(values[a].negated()),
                Step::Not(a) => B::combined(Op::Subtract, B::constant(1.0), values[a]),
                Step::Arithmetic(Op::Multiply, a, b) if a == b => Some(values[a].squared()),
                Step::Arithmetic(operator, a, b) => B::combined(operator, values[a], values[b]),
                Step::Relation(operator, a, b) => Some(relation(operator, values[a].values(), values[b].values())),
                Step::Smaller(a, b) => Some(values[a].smaller(values[b])),
                Step::Larger(a, b) => Some(values[a].larger(values[b])),
                Step::Call(function, a) => values[a].called(function),
                Step::Choice(condition, a, b) => Some(B::chosen(values[condition], values[a], values[b])),
            };
            values.push(value?);
        }
        values.last().copied()
    }
}

/// The truth of a relation that makes no event.
fn relation<B: Bound>(operator: RelationOperator, a: Interval, b: Interval) -> B {
    use RelationOperator::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    let is_apart = a.high < b.low || a.low > b.high;
    let (is_true, is_false) = match operator {
        Less => (a.high < b.low, a.low >= b.high),
        LessEqual => (a.high <= b.low, a.low > b.high),
        Greater => (a.low > b.high, a.high <= b.low),
        GreaterEqual => (a.low >= b.high, a.high < b.low),
        Equal => (false, is_apart),
        NotEqual => (is_apart, false),
    };
    match (is_true, is_false) {
        (true, _) => B::constant(1.0),
        (_, true) => B::constant(0.0),
        _ => B::between(Interval::new(0.0, 1.0)),
    }
}

/// Variables that equations give in all modes, as functions of others: none that is differentiated, since it is a state as a
/// rule. Of equations between two variables, each defines one that nothing else does.
fn definitions(dae: &MultimodeDae) -> FxHashMap<VariableId, ExpressionId> {
    let model = &dae.model;
    let nodes = (0..model.expressions.len()).map(|index| model.expressions.node(ExpressionId::from_index(index)));
    let differentiated: FxHashSet<VariableId> = nodes
        .filter_map(|node| match node {
            Node::Variable(variable, 1..) => Some(variable),
            _ => None,
        })
        .collect();
    let defined = |id: ExpressionId| match model.expressions.node(id) {
        Node::Variable(it, 0) if model.variables[it].is_continuous_unknown() && !differentiated.contains(&it) => {
            Some(it)
        }
        _ => None,
    };
    let mut found = FxHashMap::default();
    let equations = model.equations.iter().filter(|it| it.kind == EquationKind::Continuous);
    let (mut aliases, always) = (Vec::new(), |guard| matches!(model.expressions.node(guard), Node::Boolean(true)));
    for equation in equations.filter(|it| always(it.guard)) {
        match (defined(equation.left), defined(equation.right)) {
            (Some(left), Some(right)) => aliases.push([(left, equation.right), (right, equation.left)]),
            (Some(left), None) => drop(found.entry(left).or_insert(equation.right)),
            (None, Some(right)) => drop(found.entry(right).or_insert(equation.left)),
            (None, None) => {}
        }
    }
    for ways in aliases {
        if let Some((variable, value)) = ways.into_iter().find(|(variable, _)| !found.contains_key(variable)) {
            found.insert(variable, value);
        }
    }
    found
}

/// Writes down a function step by step.
struct Writer<'w> {
    dae: &'w MultimodeDae,
    parameter: &'w dyn Fn(VariableId) -> Option<f64>,
    definitions: &'w FxHashMap<VariableId, ExpressionId>,
    /// With whether they move between events.
    steps: Vec<(Step, bool)>,
    known: FxHashMap<ExpressionId, usize>,
    quantities: Vec<Derivative<VariableId>>,
    /// The definitions that are being put in, from the outside in.
    path: Vec<VariableId>,
    is_affine: bool,
}

impl<'w> Writer<'w> {
    fn new(
        dae: &'w MultimodeDae,
        parameter: &'w dyn Fn(VariableId) -> Option<f64>,
        definitions: &'w FxHashMap<VariableId, ExpressionId>,
    ) -> Self {
        let (steps, known) = (Vec::new(), FxHashMap::default());
        let (quantities, path) = (Vec::new(), Vec::new());
        Writer { dae, parameter, definitions, steps, known, quantities, path, is_affine: true }
    }

    /// Writes an expression, or the difference of two; whether it can be written.
    fn function(&mut self, parts: &[ExpressionId]) -> bool {
        let places: Option<Vec<usize>> = parts.iter().map(|&part| self.write(part, 0)).collect();
        match places.as_deref() {
            Some(&[left, right]) => {
                self.push(Step::Arithmetic(Op::Subtract, left, right));
                true
            }
            // The last step is the value.
            Some(&[only]) => {
                self.push(Step::Same(only));
                true
            }
            _ => false,
        }
    }

    fn moves(&self, place: usize) -> bool {
        self.steps[place].1
    }

    fn push(&mut self, step: Step) -> usize {
        let moves = match step {
            Step::Constant(_) | Step::Discrete(_) | Step::Mode(_) => false,
            Step::Time | Step::Quantity(_) => true,
            Step::Same(a) | Step::Negate(a) | Step::Not(a) | Step::Call(_, a) => self.moves(a),
            Step::Arithmetic(_, a, b) | Step::Relation(_, a, b) | Step::Smaller(a, b) | Step::Larger(a, b) => {
                self.moves(a) || self.moves(b)
            }
            Step::Choice(condition, a, b) => self.moves(condition) || self.moves(a) || self.moves(b),
        };
        let bends = match step {
            Step::Arithmetic(Op::Multiply, a, b) => self.moves(a) && self.moves(b),
            Step::Arithmetic(Op::Divide, _, b) => self.moves(b),
            Step::Arithmetic(Op::Power, ..) | Step::Relation(..) | Step::Smaller(..) | Step::Larger(..) => moves,
            Step::Call(..) => moves,
            Step::Choice(condition, ..) => self.moves(condition),
            _ => false,
        };
        self.is_affine &= !bends;
        self.steps.push((step, moves));
        self.steps.len() - 1
    }

    /// The place of an expression, written after its operands; nothing where it cannot be bounded.
    fn write(&mut self, id: ExpressionId, depth: usize) -> Option<usize> {
        if let Some(&known) = self.known.get(&id) {
            return Some(known);
        }
        if depth > DEEPEST || self.steps.len() > MOST_STEPS {
            return None;
        }
        let place = self.write_node(id, depth + 1)?;
        self.known.insert(id, place);
        Some(place)
    }

    fn write_node(&mut self, id: ExpressionId, depth: usize) -> Option<usize> {
        let step = match self.dae.model.expressions.node(id) {
            Node::Time => Step::Time,
            Node::Real(number) => Step::Constant(number.value()),
            Node::Integer(number) => Step::Constant(number as f64),
            Node::Boolean(truth) => Step::Constant(f64::from(u8::from(truth))),
            Node::Mode(mode) => Step::Mode(mode),
            Node::Variable(variable, order) => return self.write_variable(variable, order, depth),
            Node::Pre(a) => return self.write(a, depth),
            Node::Negate(a) => Step::Negate(self.write(a, depth)?),
            Node::Not(a) => Step::Not(self.write(a, depth)?),
            Node::Arithmetic(operator, a, b) => {
                let (a, b) = (self.write(a, depth)?, self.write(b, depth)?);
                if operator == Op::Power && self.moves(b) {
                    let logarithm = self.push(Step::Call(Builtin::Log, a));
                    let exponent = self.push(Step::Arithmetic(Op::Multiply, logarithm, b));
                    Step::Call(Builtin::Exp, exponent)
                } else {
                    Step::Arithmetic(operator, a, b)
                }
            }
            Node::Relation(operator, a, b) => Step::Relation(operator, self.write(a, depth)?, self.write(b, depth)?),
            Node::And(a, b) => Step::Smaller(self.write(a, depth)?, self.write(b, depth)?),
            Node::Or(a, b) => Step::Larger(self.write(a, depth)?, self.write(b, depth)?),
            Node::If(condition, a, b) => {
                Step::Choice(self.write(condition, depth)?, self.write(a, depth)?, self.write(b, depth)?)
            }
            Node::Call(function, arguments) => {
                let arguments = self.dae.model.expressions.argument_list(arguments);
                return self.write_call(function, arguments, depth);
            }
            Node::String(_) | Node::Function(..) | Node::Output(..) => return None,
        };
        Some(self.push(step))
    }

    fn write_call(&mut self, function: Builtin, arguments: &[ExpressionId], depth: usize) -> Option<usize> {
        let step = match (function, arguments) {
            (Builtin::NoEvent | Builtin::Ordinal, &[a]) | (Builtin::Smooth, &[_, a]) | (Builtin::Homotopy, &[a, _]) => {
                return self.write(a, depth);
            }
            (Builtin::Min, &[a, b]) => Step::Smaller(self.write(a, depth)?, self.write(b, depth)?),
            (Builtin::Max, &[a, b]) => Step::Larger(self.write(a, depth)?, self.write(b, depth)?),
            (_, &[a]) if Stretch::constant(0.5).called(function).is_some() => {
                Step::Call(function, self.write(a, depth)?)
            }
            _ => return None,
        };
        Some(self.push(step))
    }

    fn write_variable(&mut self, variable: VariableId, order: u32, depth: usize) -> Option<usize> {
        if !self.dae.model.variables[variable].is_continuous_unknown() {
            let step = (self.parameter)(variable).map_or(Step::Discrete(variable), Step::Constant);
            return Some(self.push(step));
        }
        // A definition that leads back to itself ends there.
        if let Some(&definition) = self.definitions.get(&variable).filter(|_| order == 0)
            && !self.path.contains(&variable)
        {
            let (steps, quantities, is_affine) = (self.steps.len(), self.quantities.len(), self.is_affine);
            self.path.push(variable);
            let written = self.write(definition, depth);
            self.path.pop();
            if written.is_some() {
                return written;
            }
            self.forget((steps, quantities), is_affine);
        }
        let quantity = Derivative { of: variable, order };
        let number = self.quantities.iter().position(|&it| it == quantity).unwrap_or(self.quantities.len());
        if number == self.quantities.len() {
            self.quantities.push(quantity);
        }
        Some(self.push(Step::Quantity(number)))
    }

    /// Takes back what was written of a definition that cannot be bounded.
    fn forget(&mut self, (steps, quantities): (usize, usize), is_affine: bool) {
        self.steps.truncate(steps);
        self.quantities.truncate(quantities);
        self.known.retain(|_, place| *place < steps);
        self.is_affine = is_affine;
    }
}

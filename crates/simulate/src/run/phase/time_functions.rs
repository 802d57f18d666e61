//! Functions of time in a model: how far ahead they can be seen through.
//!
//! Steps are as long as the states allow, which know nothing of a pulse that time alone makes. So no step leads beyond what
//! is resolved of functions of time: those that guards compare rise or fall all the way, so that they cross zero at most
//! once, and those in equations at least bend one way only. Both follow from bounds of derivatives on a stretch of time
//! (`intervals`); where bounds say nothing the stretch is halved. A half wave of a sine bends one way and is zero at both of
//! its ends, so that a step from one to the other would see nothing of it: of what only bends one way a half is seen.

use modeshift_dae::{
    ArithmeticOperator as Op, Builtin, EquationKind, ExpressionId, Id, IndexVec, MultimodeDae, Node, VariableId,
};
use rustc_hash::FxHashMap;

use crate::run::phase::intervals::{Interval, Stretch};
use crate::run::prepare::relations::Atom;
use modeshift_dae::RelationId;

/// The end of a stretch is found by so many halvings: to rounding.
const HALVINGS: u32 = 52;
/// A kink, or what the bounds do not resolve, is stepped over in this share of the time.
const KINK: f64 = 64.0 * f64::EPSILON;
/// And near a kink whose bounds are wide, in up to this share of a step.
const KINK_SHARE: f64 = 1e-3;
/// What a function of time leaves a line by, beside its values, is less than any tolerance asks for.
const UNSEEN: f64 = 1e-10;
/// Definitions that lead to definitions are followed so far.
const MOST_ROUNDS: usize = 16;

/// A step of the evaluation of a function of time; operands are steps before it.
#[derive(Clone, Copy)]
enum Step {
    Constant(f64),
    Discrete(VariableId),
    Time,
    Negate(usize),
    Arithmetic(Op, usize, usize),
    Call(Builtin, usize),
}

/// A function of time and of what changes at events only.
struct TimeFunction {
    steps: Vec<Step>,
    /// Whether it must rise or fall, because a guard is made of it.
    is_guard: bool,
}

/// All functions of time of a model that are more than affine.
pub(crate) struct TimeFunctions(Vec<TimeFunction>);

/// What an expression depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// What changes at events only.
    Still,
    /// Time as well.
    Timed,
    /// More than that, or it cannot be bounded.
    Other,
}

impl TimeFunctions {
    /// Finds them; `parameter` gives the values of parameters.
    pub fn new(
        dae: &MultimodeDae,
        atoms: &IndexVec<RelationId, Atom>,
        parameter: &dyn Fn(VariableId) -> Option<f64>,
    ) -> Self {
        let finder = Finder::new(dae, parameter);
        let mut found = Vec::new();
        for atom in atoms.iter() {
            let [left, right] = atom.watched;
            let is_timed = atom.watched.iter().any(|&side| finder.kind(side) == Kind::Timed);
            if is_timed && atom.watched.iter().all(|&side| finder.kind(side) != Kind::Other) {
                found.extend(finder.function(&[left, right], true));
            }
        }
        for root in finder.outermost(atoms) {
            found.extend(finder.function(&[root], false));
        }
        TimeFunctions(found)
    }

    /// Up to when all of them are resolved from a time on, and at most up to a limit, which may be infinite; `length` is a
    /// length to try first.
    pub fn resolved_until(&self, discrete: &IndexVec<VariableId, f64>, from: f64, length: f64, limit: f64) -> f64 {
        let mut workspace = Vec::new();
        self.0.iter().fold(limit, |until, function| {
            function.resolved_until(discrete, from, length.max(KINK * from.abs()), until, &mut workspace)
        })
    }
}

impl TimeFunction {
    /// Up to when it is resolved, at most up to a limit.
    fn resolved_until(
        &self,
        discrete: &IndexVec<VariableId, f64>,
        from: f64,
        length: f64,
        limit: f64,
        workspace: &mut Vec<Stretch>,
    ) -> f64 {
        if self.rises_or_falls(discrete, from, limit, workspace) {
            return limit;
        }
        let Some((begin, mut good)) = self.first_stretch(discrete, from, length, workspace) else { return limit };
        let mut is_resolved = |from: f64, to: f64| self.is_resolved(discrete, from, to, workspace);
        let mut bad = 2.0 * good;
        while is_resolved(begin, begin + bad) {
            (good, bad) = (bad, 4.0 * bad);
            if begin + 0.5 * good >= limit {
                return limit;
            }
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (good + bad);
            if is_resolved(begin, begin + middle) { good = middle } else { bad = middle }
        }
        let seen = if self.rises_or_falls(discrete, begin, begin + good, workspace) { good } else { 0.5 * good };
        self.straight_until(discrete, (from, begin + seen), limit, workspace)
    }

    /// Where a stretch begins that is resolved, from a time on or beyond an extremum or a kink there, and how long it is at
    /// least; nothing where what there is to be seen cannot be bounded.
    fn first_stretch(
        &self,
        discrete: &IndexVec<VariableId, f64>,
        from: f64,
        length: f64,
        workspace: &mut Vec<Stretch>,
    ) -> Option<(f64, f64)> {
        let (mut begin, mut beyond) = (from, KINK * from.abs().max(length));
        while beyond <= KINK_SHARE * length {
            let mut good = length;
            while good > beyond {
                if self.is_resolved(discrete, begin, begin + good, workspace) {
                    return Some((begin, good));
                }
                good *= 0.5;
            }
            begin = from + beyond;
            beyond *= 16.0;
        }
        None
    }

    fn is_resolved(&self, discrete: &IndexVec<VariableId, f64>, from: f64, to: f64, values: &mut Vec<Stretch>) -> bool {
        let bounds = self.bounds(discrete, from, to, values);
        bounds.is_some_and(|it| it.slope.has_a_sign() || !self.is_guard && it.curvature.has_a_sign())
    }

    /// The end of a stretch, or a later one up to which the function is straight.
    fn straight_until(
        &self,
        discrete: &IndexVec<VariableId, f64>,
        (from, seen): (f64, f64),
        limit: f64,
        workspace: &mut Vec<Stretch>,
    ) -> f64 {
        let mut is_straight = |length: f64| {
            let bounds = self.bounds(discrete, from, from + length, workspace);
            !self.is_guard && bounds.is_some_and(|it| is_straight(&it, length))
        };
        let mut length = seen - from;
        while from + length < limit && is_straight(2.0 * length) {
            length *= 2.0;
        }
        (from + length).min(limit)
    }

    fn rises_or_falls(
        &self,
        discrete: &IndexVec<VariableId, f64>,
        from: f64,
        to: f64,
        values: &mut Vec<Stretch>,
    ) -> bool {
        self.bounds(discrete, from, to, values).is_some_and(|it| it.slope.has_a_sign())
    }

    /// Bounds of it on a stretch of time; nothing where it has none.
    fn bounds(
        &self,
        discrete: &IndexVec<VariableId, f64>,
        from: f64,
        to: f64,
        values: &mut Vec<Stretch>,
    ) -> Option<Stretch> {
        values.clear();
        for step in &self.steps {
            let value = match *step {
                Step::Constant(value) => Some(Stretch::constant(value)),
                Step::Discrete(variable) => Some(Stretch::constant(discrete[variable])),
                Step::Time => Some(Stretch::time(from, to)),
                Step::Negate(a) => Some(values[a].negated()),
                Step::Arithmetic(operator, a, b) => Stretch::combined(operator, values[a], values[b]),
                Step::Call(function, a) => values[a].called(function),
            };
            values.push(value?);
        }
        Some(values.last().copied().unwrap_or(Stretch::constant(0.0)))
    }
}

/// Whether whatever bends within these bounds over such a length leaves the line between its ends by nothing that is seen beside its values:
/// where a function has come to rest, as `t^8/(1 + t^8)` has, bounds of how it bends are wider than that for ever.
fn is_straight(bounds: &Stretch, length: f64) -> bool {
    let largest = |it: Interval| it.low.abs().max(it.high.abs());
    0.125 * length * length * largest(bounds.curvature) <= UNSEEN * bounds.value.low.abs().min(bounds.value.high.abs())
}

/// Looks for functions of time in a model.
struct Finder<'a> {
    dae: &'a MultimodeDae,
    parameter: &'a dyn Fn(VariableId) -> Option<f64>,
    kinds: Vec<Kind>,
    /// Variables that equations, in all modes, give as functions of time.
    definitions: FxHashMap<VariableId, ExpressionId>,
}

impl<'a> Finder<'a> {
    fn new(dae: &'a MultimodeDae, parameter: &'a dyn Fn(VariableId) -> Option<f64>) -> Self {
        let mut finder = Finder { dae, parameter, kinds: Vec::new(), definitions: FxHashMap::default() };
        for _ in 0..MOST_ROUNDS {
            finder.look();
            if !finder.define() {
                break;
            }
        }
        finder
    }

    fn kind(&self, id: ExpressionId) -> Kind {
        self.kinds[id.index()]
    }

    /// Subexpressions have smaller numbers than what contains them.
    fn look(&mut self) {
        self.kinds.clear();
        for index in 0..self.dae.model.expressions.len() {
            let kind = self.kind_of(ExpressionId::from_index(index));
            self.kinds.push(kind);
        }
    }

    fn kind_of(&self, id: ExpressionId) -> Kind {
        let model = &self.dae.model;
        let of_operands = || {
            let kinds = model.expressions.children(id).map(|child| self.kind(child));
            kinds.fold(Kind::Still, |all, kind| match (all, kind) {
                (Kind::Other, _) | (_, Kind::Other) => Kind::Other,
                (Kind::Timed, _) | (_, Kind::Timed) => Kind::Timed,
                _ => Kind::Still,
            })
        };
        match model.expressions.node(id) {
            Node::Time => Kind::Timed,
            Node::Real(_) | Node::Integer(_) => Kind::Still,
            Node::Variable(variable, 0) if self.definitions.contains_key(&variable) => Kind::Timed,
            Node::Variable(variable, 0) if !model.variables[variable].is_continuous_unknown() => Kind::Still,
            Node::Negate(_) | Node::Arithmetic(..) => of_operands(),
            Node::Pre(a) if self.kind(a) == Kind::Still => Kind::Still,
            Node::Call(Builtin::Smooth | Builtin::Homotopy | Builtin::NoEvent, _) => {
                self.same(id).map_or(Kind::Other, |it| self.kind(it))
            }
            Node::Call(function, _) if Stretch::constant(0.5).called(function).is_some() => of_operands(),
            _ => Kind::Other,
        }
    }

    /// What it has the same value as, between events.
    fn same(&self, id: ExpressionId) -> Option<ExpressionId> {
        let expressions = &self.dae.model.expressions;
        match expressions.node(id) {
            Node::Pre(a) => Some(a),
            Node::Call(Builtin::Smooth, arguments) => expressions.argument_list(arguments).get(1).copied(),
            Node::Call(Builtin::Homotopy | Builtin::NoEvent, arguments) => {
                expressions.argument_list(arguments).first().copied()
            }
            _ => None,
        }
    }

    /// Takes in what equations define as functions of time; whether there was anything new.
    fn define(&mut self) -> bool {
        let model = &self.dae.model;
        let before = self.definitions.len();
        for equation in model.equations.iter().filter(|it| it.kind == EquationKind::Continuous) {
            if !matches!(model.expressions.node(equation.guard), Node::Boolean(true)) {
                continue;
            }
            for (variable, value) in [(equation.left, equation.right), (equation.right, equation.left)] {
                if let Node::Variable(variable, 0) = model.expressions.node(variable)
                    && model.variables[variable].is_continuous_unknown()
                    && self.kind(value) == Kind::Timed
                {
                    self.definitions.entry(variable).or_insert(value);
                }
            }
        }
        self.definitions.len() > before
    }

    /// The outermost functions of time in equations and guards.
    fn outermost(&self, atoms: &IndexVec<RelationId, Atom>) -> Vec<ExpressionId> {
        let model = &self.dae.model;
        let continuous = model.equations.iter().filter(|it| it.kind == EquationKind::Continuous);
        let mut pending: Vec<ExpressionId> = continuous.flat_map(|it| [it.left, it.right]).collect();
        pending.extend(atoms.iter().flat_map(|atom| atom.watched));
        let mut seen = vec![false; model.expressions.len()];
        let mut found = Vec::new();
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            match self.kind(id) {
                Kind::Timed => found.push(id),
                Kind::Other => pending.extend(model.expressions.children(id)),
                Kind::Still => {}
            }
        }
        found.sort_unstable();
        found
    }

    /// The difference of two expressions, or one, as a function of time; nothing where it is affine in it.
    fn function(&self, parts: &[ExpressionId], is_guard: bool) -> Option<TimeFunction> {
        let mut writer = Writer { finder: self, steps: Vec::new(), known: FxHashMap::default(), is_affine: true };
        let places: Vec<usize> = parts.iter().map(|&part| writer.write(part)).collect::<Option<_>>()?;
        if let [left, right] = places[..] {
            writer.steps.push((Step::Arithmetic(Op::Subtract, left, right), true));
        }
        let Writer { steps, is_affine, .. } = writer;
        (!is_affine).then(|| TimeFunction { steps: steps.into_iter().map(|(step, _)| step).collect(), is_guard })
    }
}

/// Writes down a function step by step.
struct Writer<'f, 'a> {
    finder: &'f Finder<'a>,
    /// With whether they depend on time.
    steps: Vec<(Step, bool)>,
    known: FxHashMap<ExpressionId, usize>,
    is_affine: bool,
}

impl Writer<'_, '_> {
    fn push(&mut self, id: ExpressionId, step: Step, is_timed: bool) {
        self.steps.push((step, is_timed));
        self.known.insert(id, self.steps.len() - 1);
    }

    /// The place of an expression, written after its operands.
    fn write(&mut self, root: ExpressionId) -> Option<usize> {
        let expressions = &self.finder.dae.model.expressions;
        let mut pending = vec![root];
        while let Some(&id) = pending.last() {
            if self.known.contains_key(&id) {
                pending.pop();
                continue;
            }
            let node = expressions.node(id);
            let definition = match node {
                Node::Variable(variable, 0) => self.finder.definitions.get(&variable).copied(),
                _ => self.finder.same(id),
            };
            let operands: Vec<ExpressionId> =
                definition.map_or_else(|| expressions.children(id).collect(), |definition| vec![definition]);
            let missing = operands.iter().copied().find(|operand| !self.known.contains_key(operand));
            if let Some(missing) = missing {
                // A definition that leads back to itself defines nothing.
                if pending.len() > expressions.len() || pending.contains(&missing) {
                    return None;
                }
                pending.push(missing);
                continue;
            }
            pending.pop();
            if let Some(definition) = definition {
                self.known.insert(id, self.known[&definition]);
                continue;
            }
            self.write_node(id, node)?;
        }
        self.known.get(&root).copied()
    }

    fn write_node(&mut self, id: ExpressionId, node: Node) -> Option<()> {
        let is_timed = |it: &Self, place: usize| it.steps[place].1;
        match node {
            Node::Time => self.push(id, Step::Time, true),
            Node::Real(number) => self.push(id, Step::Constant(number.value()), false),
            Node::Integer(number) => self.push(id, Step::Constant(number as f64), false),
            Node::Variable(variable, 0) => match (self.finder.parameter)(variable) {
                Some(value) => self.push(id, Step::Constant(value), false),
                None => self.push(id, Step::Discrete(variable), false),
            },
            Node::Negate(a) => {
                let a = self.known[&a];
                let timed = is_timed(self, a);
                self.push(id, Step::Negate(a), timed);
            }
            Node::Arithmetic(operator, a, b) => {
                let (a, b) = (self.known[&a], self.known[&b]);
                let timed = [a, b].map(|place| is_timed(self, place));
                let bends = match operator {
                    Op::Add | Op::Subtract => false,
                    Op::Multiply => timed[0] && timed[1],
                    Op::Divide => timed[1],
                    Op::Power => timed[0] || timed[1],
                };
                self.is_affine &= !bends;
                self.push(id, Step::Arithmetic(operator, a, b), timed[0] || timed[1]);
            }
            Node::Call(function, arguments) => {
                let [argument] = self.finder.dae.model.expressions.argument_list(arguments) else { return None };
                let a = self.known[argument];
                let timed = is_timed(self, a);
                self.is_affine &= !timed;
                self.push(id, Step::Call(function, a), timed);
            }
            _ => return None,
        }
        Some(())
    }
}

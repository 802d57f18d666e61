//! Equations solved for a discrete variable.
//!
//! `-n = 3`, `n + 1 = m` and `not a = b` say as much about `n`, `m`, `a` and `b` as `n = -3` does. A variable can be had
//! from an equation where it occurs once, below negations, sums and differences; of a discrete Real also below products
//! and quotients with what never changes. An Integer below a product is not had: its value need not be whole.

use modeshift_dae::{
    ArithmeticOperator as Op, Builtin, Context, Equation, EquationKind, ExpressionId, Expressions, FlatModel, Node,
    Type, Variability, VariableId, Walk,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A discrete variable, or its left limit, that an equation can be solved for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) variable: VariableId,
    pub(crate) is_left_limit: bool,
    /// Its place in the equation.
    leaf: ExpressionId,
    /// Whether it is a whole side.
    pub(crate) is_alone: bool,
}

impl Candidate {
    /// The discrete variable that is the left side of an equation whose right side does not need its present value: what an assignment
    /// is about, whatever else it could be solved for.
    pub(crate) fn on_the_left(model: &FlatModel, [left, right]: [ExpressionId; 2]) -> Option<Candidate> {
        let Node::Variable(variable, 0) = model.expressions.node(left) else { return None };
        let is_assigned =
            model.variables[variable].is_discrete_unknown() && !variables_now(model, &[right]).contains(&variable);
        is_assigned.then_some(Candidate { variable, is_left_limit: false, leaf: left, is_alone: true })
    }
}

/// Which leaves are looked for.
pub(crate) struct Wanted<'a> {
    pub(crate) is_unknown: &'a dyn Fn(VariableId) -> bool,
    /// `pre(v)` counts too: in initial equations.
    pub(crate) left_limits: bool,
}

/// What an equation can be solved for, those on the left first. Whether something occurs once or oftener is all that counts,
/// so that what is shared is looked at twice, however often it occurs.
pub(crate) fn candidates(
    model: &FlatModel,
    sides: [ExpressionId; 2],
    is_real: bool,
    wanted: &Wanted<'_>,
) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut occurrences: FxHashMap<VariableId, usize> = FxHashMap::default();
    let mut opaque: Vec<ExpressionId> = Vec::new();
    let mut visits: FxHashMap<ExpressionId, u32> = FxHashMap::default();
    let mut pending = vec![sides[1], sides[0]];
    while let Some(id) = pending.pop() {
        let visit = visits.entry(id).and_modify(|visit| *visit += 1).or_insert(1);
        if *visit > 2 {
            continue;
        }
        if let Some((variable, is_left_limit)) = discrete_leaf(model, id, wanted) {
            found.push(Candidate { variable, is_left_limit, leaf: id, is_alone: sides.contains(&id) });
            *occurrences.entry(variable).or_default() += 1;
            continue;
        }
        match below(model, id, is_real) {
            Some(Step::Unary(a)) | Some(Step::Scaled(a)) => pending.push(a),
            Some(Step::Binary(a, b)) => pending.extend([b, a]),
            None => opaque.push(id),
        }
    }
    if found.iter().all(|candidate| candidate.is_alone) {
        found.dedup_by_key(|candidate| candidate.leaf); // `n = n`
        return found;
    }
    let hidden = variables_now(model, &opaque);
    let occurs_once =
        |candidate: &&Candidate| occurrences[&candidate.variable] == 1 && !hidden.contains(&candidate.variable);
    let once: Vec<Candidate> = found.iter().filter(occurs_once).copied().collect();
    match once.is_empty() {
        true => found.into_iter().filter(|candidate| candidate.is_alone).collect(),
        false => once,
    }
}

/// What the candidate equals, by the equation.
pub(crate) fn solved(
    expressions: &mut Expressions,
    [left, right]: [ExpressionId; 2],
    candidate: Candidate,
) -> ExpressionId {
    let leaf = candidate.leaf;
    let is_left = left == leaf || right != leaf && reaches(expressions, left, leaf);
    let (mut at, mut value) = if is_left { (left, right) } else { (right, left) };
    while at != leaf {
        (at, value) = match expressions.node(at) {
            Node::Negate(a) => (a, expressions.negate(value)),
            Node::Not(a) => (a, expressions.not(value)),
            Node::Arithmetic(operator, a, b) if reaches(expressions, a, leaf) => {
                (a, undone(expressions, operator, value, b))
            }
            Node::Arithmetic(Op::Subtract, a, b) => (b, expressions.difference(a, value)),
            Node::Arithmetic(operator, a, b) => (b, undone(expressions, operator, value, a)),
            _ => unreachable!("a candidate stands below negations and arithmetic"),
        };
    }
    value
}

/// `value` with `operator other` taken away.
fn undone(expressions: &mut Expressions, operator: Op, value: ExpressionId, other: ExpressionId) -> ExpressionId {
    match operator {
        Op::Add => expressions.difference(value, other),
        Op::Subtract => expressions.sum(value, other),
        Op::Multiply => expressions.quotient(value, other),
        Op::Divide => expressions.product(value, other),
        Op::Power => unreachable!("no candidate stands below a power"),
    }
}

/// Whether the leaf is met on the way down that `candidates` goes.
fn reaches(expressions: &Expressions, root: ExpressionId, leaf: ExpressionId) -> bool {
    let mut walk = Walk::new();
    walk.add(root, Context::NOW);
    while let Some((id, context)) = walk.next() {
        if id == leaf {
            return true;
        }
        if matches!(expressions.node(id), Node::Negate(_) | Node::Not(_) | Node::Arithmetic(..)) {
            walk.add_operands(expressions, id, context);
        }
    }
    false
}

enum Step {
    Unary(ExpressionId),
    Binary(ExpressionId, ExpressionId),
    /// The other factor never changes and is not zero.
    Scaled(ExpressionId),
}

/// The operands that the expression can be solved for.
fn below(model: &FlatModel, id: ExpressionId, is_real: bool) -> Option<Step> {
    match model.expressions.node(id) {
        Node::Negate(a) | Node::Not(a) => Some(Step::Unary(a)),
        Node::Arithmetic(Op::Add | Op::Subtract, a, b) => Some(Step::Binary(a, b)),
        Node::Arithmetic(Op::Multiply, a, b) if is_real && is_fixed(model, a) => Some(Step::Scaled(b)),
        Node::Arithmetic(Op::Multiply | Op::Divide, a, b) if is_real && is_fixed(model, b) => Some(Step::Scaled(a)),
        _ => None,
    }
}

fn discrete_leaf(model: &FlatModel, id: ExpressionId, wanted: &Wanted<'_>) -> Option<(VariableId, bool)> {
    let (inner, is_left_limit) = match model.expressions.node(id) {
        Node::Pre(inner) if wanted.left_limits => (inner, true),
        _ => (id, false),
    };
    match model.expressions.node(inner) {
        Node::Variable(variable, 0) if (wanted.is_unknown)(variable) => Some((variable, is_left_limit)),
        _ => None,
    }
}

/// Whether it is made of literals and parameters, and not the literal zero.
fn is_fixed(model: &FlatModel, id: ExpressionId) -> bool {
    let changes = |node: Node| match node {
        Node::Variable(variable, _) => model.variables[variable].variability > Variability::Parameter,
        Node::Time | Node::Mode(_) | Node::Pre(_) | Node::Function(..) | Node::Call(..) => true,
        _ => false,
    };
    model.expressions.literal(id) != Some(0.0) && !model.expressions.contains(id, changes)
}

/// The variables whose present values these expressions need.
fn variables_now(model: &FlatModel, roots: &[ExpressionId]) -> FxHashSet<VariableId> {
    let mut found = FxHashSet::default();
    let mut walk = Walk::new();
    for &root in roots {
        walk.visit(&model.expressions, root, |_, node, _| {
            if let Node::Variable(variable, _) = node {
                found.insert(variable);
            }
            !matches!(node, Node::Pre(_))
        });
    }
    found
}

/// Whether an equation is one between Reals, as far as the forms of its sides show it. What a function gives that is not
/// built in shows in the kind that the equation was given by its types.
pub(crate) fn is_real_equation(model: &FlatModel, equation: &Equation) -> bool {
    let functions = equation.kind == EquationKind::Continuous;
    is_real(model, equation.left, functions) || is_real(model, equation.right, functions)
}

/// Whether an expression is Real, as far as its form shows it; `functions` says what those that are not built in give.
pub(crate) fn is_real(model: &FlatModel, root: ExpressionId, functions: bool) -> bool {
    let mut walk = Walk::new();
    walk.add(root, Context::NOW);
    while let Some((id, context)) = walk.next() {
        match model.expressions.node(id) {
            Node::Real(_) | Node::Time => return true,
            Node::Function(..) | Node::Output(..) if functions => return true,
            Node::Arithmetic(Op::Divide | Op::Power, ..) => return true,
            Node::Variable(variable, _) if model.variables[variable].ty == Type::Real => return true,
            Node::If(_, a, b) => [b, a].into_iter().for_each(|branch| walk.add(branch, context)),
            Node::Call(builtin, _) if builtin.gives_integer(false) || gives_truth_or_text(builtin) => {}
            Node::Call(builtin, _) if !builtin.gives_integer(true) => return true,
            Node::Negate(_) | Node::Arithmetic(..) | Node::Call(..) | Node::Pre(_) => {
                walk.add_operands(&model.expressions, id, context);
            }
            _ => {}
        }
    }
    false
}

fn gives_truth_or_text(builtin: Builtin) -> bool {
    use Builtin::{Change, Edge, Initial, Sample, StringOf, Terminal};
    matches!(builtin, Initial | Terminal | Sample | Edge | Change | StringOf)
}

/// Whether the value changes with a continuous unknown between events: one occurs outside of conditions, left limits
/// and functions that jump.
pub(crate) fn follows_continuous_unknown(model: &FlatModel, root: ExpressionId) -> bool {
    let hidden = Context::HIDDEN | Context::CONDITION;
    let mut walk = Walk::telling(hidden);
    walk.add(root, Context::NOW);
    while let Some((id, context)) = walk.next() {
        match model.expressions.node(id) {
            _ if context.is(hidden) => {}
            Node::Variable(variable, _) if model.variables[variable].is_continuous_unknown() => return true,
            Node::Relation(..) => {}
            Node::Call(Builtin::Floor | Builtin::Ceil | Builtin::Integer | Builtin::Div | Builtin::Sign, _) => {}
            _ => walk.add_operands(&model.expressions, id, context),
        }
    }
    false
}

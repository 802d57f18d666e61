//! The signature matrix of one mode, read off the model.
//!
//! Written without the machinery for all modes, so that the two check each other: the conditions of the mode are
//! evaluated first, and of an if-expression only the branch taken is walked. Conditions inside `noEvent` make no modes:
//! there both branches count.

use modeshift_dae::{
    Builtin, EquationKind, ExpressionId, Expressions, Id, IndexVec, Mode, ModeVariableId, MultimodeDae, Node,
    VariableId,
};
use rustc_hash::FxHashMap;

use super::signature::{ModeSignature, Signature};

/// Reads the signature matrix of the mode in which each mode variable has the value that `mode` says.
pub fn signature_in(dae: &MultimodeDae, mode: impl Fn(ModeVariableId) -> bool) -> ModeSignature {
    let mode = Mode::from_fn(dae.mode_variables.len(), mode);
    let mut reader = Reader::of_all(dae, &mode);
    let mut columns: IndexVec<VariableId, Option<u32>> = dae.model.variables.iter().map(|_| None).collect();
    let mut variables = Vec::new();
    for (id, variable) in dae.model.variables.iter_enumerated() {
        if variable.is_continuous_unknown() && reader.holds(variable.guard) != Some(false) {
            columns[id] = Some(variables.len() as u32);
            variables.push(id);
        }
    }
    let mut signature = Signature::new(variables.len());
    let mut equations = Vec::new();
    for (id, equation) in dae.model.equations.iter_enumerated() {
        if equation.kind == EquationKind::Continuous && reader.holds(equation.guard) != Some(false) {
            signature.push(reader.entries([equation.left, equation.right], |variable| columns[variable]));
            equations.push(id);
        }
    }
    ModeSignature { signature, equations, variables }
}

/// Reads formulas and equations in one mode.
pub(super) struct Reader<'a> {
    dae: &'a MultimodeDae,
    mode: &'a Mode,
    walked: Walked,
    round: u32,
}

/// The equation in which each expression was last walked, outside and inside `noEvent`.
enum Walked {
    /// Of all expressions of the model.
    All(Vec<[u32; 2]>),
    /// Of those of few equations.
    Few(FxHashMap<ExpressionId, [u32; 2]>),
}

impl Walked {
    fn of(&mut self, id: ExpressionId) -> &mut [u32; 2] {
        match self {
            Walked::All(walked) => &mut walked[id.index()],
            Walked::Few(walked) => walked.entry(id).or_default(),
        }
    }
}

impl<'a> Reader<'a> {
    /// For all equations of a model.
    fn of_all(dae: &'a MultimodeDae, mode: &'a Mode) -> Self {
        Reader { dae, mode, walked: Walked::All(vec![[0; 2]; dae.model.expressions.len()]), round: 0 }
    }

    /// For few of them: what it costs does not depend on how many others there are.
    pub(super) fn of_few(dae: &'a MultimodeDae, mode: &'a Mode) -> Self {
        Reader { dae, mode, walked: Walked::Few(FxHashMap::default()), round: 0 }
    }

    /// Whether a formula holds in the mode; nothing for what is no formula over mode variables.
    pub(super) fn holds(&self, formula: ExpressionId) -> Option<bool> {
        match self.dae.model.expressions.node(formula) {
            Node::Boolean(value) => Some(value),
            Node::Mode(mode) => Some(self.mode[mode]),
            _ => self.composite_holds(formula),
        }
    }

    /// The same for any formula, without recursion.
    fn composite_holds(&self, formula: ExpressionId) -> Option<bool> {
        enum Step {
            Evaluate(ExpressionId),
            Not,
            And,
            Or,
        }
        let mut pending = vec![Step::Evaluate(formula)];
        let mut values: Vec<bool> = Vec::new();
        while let Some(step) = pending.pop() {
            let value = match step {
                Step::Evaluate(id) => match self.dae.model.expressions.node(id) {
                    Node::Boolean(value) => value,
                    Node::Mode(mode) => self.mode[mode],
                    Node::Not(a) => {
                        pending.extend([Step::Not, Step::Evaluate(a)]);
                        continue;
                    }
                    Node::And(a, b) => {
                        pending.extend([Step::And, Step::Evaluate(a), Step::Evaluate(b)]);
                        continue;
                    }
                    Node::Or(a, b) => {
                        pending.extend([Step::Or, Step::Evaluate(a), Step::Evaluate(b)]);
                        continue;
                    }
                    _ => return None,
                },
                Step::Not => !values.pop()?,
                Step::And => values.pop()? & values.pop()?,
                Step::Or => values.pop()? | values.pop()?,
            };
            values.push(value);
        }
        values.pop()
    }

    /// Columns and highest orders of the unknowns that occur in these expressions.
    pub(super) fn entries(
        &mut self,
        sides: [ExpressionId; 2],
        column: impl Fn(VariableId) -> Option<u32>,
    ) -> Vec<(u32, u32)> {
        self.round += 1;
        let mut entries = Vec::new();
        let mut pending = sides.map(|side| (side, false)).to_vec();
        while let Some((id, inside)) = pending.pop() {
            let walked = &mut self.walked.of(id)[usize::from(inside)];
            if std::mem::replace(walked, self.round) == self.round {
                continue;
            }
            match self.dae.model.expressions.node(id) {
                Node::Variable(variable, order) => {
                    entries.extend(column(variable).map(|column| (column, order)));
                }
                Node::If(condition, yes, no) => match self.holds(condition).filter(|_| !inside) {
                    Some(holds) => pending.push((if holds { yes } else { no }, false)),
                    None => pending.extend([condition, yes, no].map(|part| (part, inside))),
                },
                node => now(&self.dae.model.expressions, id, node, inside, &mut pending),
            }
        }
        entries.sort_unstable_by_key(|&(column, order)| (column, std::cmp::Reverse(order)));
        entries.dedup_by_key(|entry| entry.0);
        entries
    }
}

/// Appends the subexpressions whose values at the current instant matter.
fn now(expressions: &Expressions, id: ExpressionId, node: Node, inside: bool, pending: &mut Vec<(ExpressionId, bool)>) {
    let skipped = match node {
        Node::Pre(_) => usize::MAX,
        Node::Call(Builtin::Initial | Builtin::Terminal | Builtin::Sample | Builtin::Edge | Builtin::Change, _) => {
            usize::MAX
        }
        Node::Call(Builtin::Delay | Builtin::DelayMax, _) => 1,
        _ => 0,
    };
    let kept = if matches!(node, Node::Call(Builtin::Homotopy, _)) { 1 } else { usize::MAX };
    let inside = inside || matches!(node, Node::Call(Builtin::NoEvent, _));
    pending.extend(expressions.children(id).skip(skipped).take(kept).map(|child| (child, inside)));
}

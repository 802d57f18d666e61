//! The walk over the different subexpressions of an equation, and which of their variables matter at the current instant.
//!
//! An if-expression whose condition is a formula over mode variables has one branch or the other, depending on the mode.
//! Under `noEvent` both branches count in all modes, and so do the variables of the condition.

use modeshift_dae::{
    Builtin, EquationId, ExpressionId, Expressions, FlatModel, Id, IndexVec, MultimodeDae, Node, VariableId,
};
use rustc_hash::FxHashMap;

use crate::formulas::is_formula;

/// A subexpression to be visited, and whether inside `noEvent`.
pub(crate) type Visit = (ExpressionId, bool);

/// Whether an if-expression with this condition has one branch or the other, depending on the mode.
pub(crate) fn splits(expressions: &Expressions, condition: ExpressionId, inside: bool) -> bool {
    !inside && is_formula(expressions, condition)
}

/// The subexpressions whose variables matter at the current instant.
pub(crate) fn for_each_child(expressions: &Expressions, (expression, inside): Visit, mut visit: impl FnMut(Visit)) {
    match expressions.node(expression) {
        Node::Pre(_) => {}
        Node::If(condition, yes, no) if splits(expressions, condition, inside) => {
            visit((yes, inside));
            visit((no, inside));
        }
        Node::Call(Builtin::NoEvent, arguments) => visit((expressions.argument_list(arguments)[0], true)),
        Node::Call(Builtin::Homotopy, arguments) => visit((expressions.argument_list(arguments)[0], inside)),
        Node::Call(Builtin::Delay | Builtin::DelayMax, arguments) => {
            expressions.argument_list(arguments)[1..].iter().for_each(|&argument| visit((argument, inside)));
        }
        Node::Call(Builtin::Initial | Builtin::Terminal | Builtin::Sample | Builtin::Edge | Builtin::Change, _) => {}
        _ => expressions.children(expression).for_each(|child| visit((child, inside))),
    }
}

/// Which variables are continuous unknowns, with their guards: what a walk asks of variables all over the model, apart
/// from all else that is known of them, so that it stays in the caches of the processor.
pub(crate) struct Unknowns(IndexVec<VariableId, Option<ExpressionId>>);

impl Unknowns {
    pub(crate) fn of(model: &FlatModel) -> Unknowns {
        let guard = |variable: &modeshift_dae::Variable| variable.is_continuous_unknown().then_some(variable.guard);
        Unknowns(model.variables.iter().map(guard).collect())
    }

    /// The guard of a continuous unknown; nothing for other variables.
    pub(crate) fn guard(&self, variable: VariableId) -> Option<ExpressionId> {
        self.0[variable]
    }
}

/// What a subexpression passes its modes on to. Numbers are positions among the parts of the equation.
#[derive(Clone, Copy)]
pub(crate) enum Use {
    /// It is a variable, differentiated this often.
    Variable(VariableId, u32),
    /// To one or the other by a condition.
    Branches(ExpressionId, u32, u32),
    /// To all of these, a range of [`Walk::children`].
    All(u32, u32),
}

/// The walk over the different subexpressions of one equation after the other.
pub(crate) struct Walk<'a> {
    dae: &'a MultimodeDae,
    unknowns: &'a Unknowns,
    /// Subexpressions of the current equation, children before parents.
    pub(crate) parts: Vec<Use>,
    /// Of each of them, whether a continuous unknown occurs in it.
    pub(crate) has_variables: Vec<bool>,
    pub(crate) children: Vec<u32>,
    pub(crate) sides: [u32; 2],
    /// Per expression: the equation in which it was last met, and its part there.
    met: Vec<(u32, u32)>,
    /// The same for the few expressions inside `noEvent`.
    met_inside: FxHashMap<ExpressionId, (u32, u32)>,
    round: u32,
    /// Empty between visits; kept for their memory.
    pending: Vec<Visit>,
    parents: Vec<Visit>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(dae: &'a MultimodeDae, unknowns: &'a Unknowns) -> Self {
        let met = vec![(0, 0); dae.model.expressions.len()];
        Walk {
            dae,
            unknowns,
            parts: Vec::new(),
            has_variables: Vec::new(),
            children: Vec::new(),
            sides: [0; 2],
            met,
            met_inside: FxHashMap::default(),
            round: 0,
            pending: Vec::new(),
            parents: Vec::new(),
        }
    }

    pub(crate) fn visit_equation(&mut self, equation: EquationId) {
        self.round += 1;
        self.parts.clear();
        self.has_variables.clear();
        self.children.clear();
        let (left, right) = (self.dae.model.equations[equation].left, self.dae.model.equations[equation].right);
        self.sides = [self.visit((left, false)), self.visit((right, false))];
    }

    fn part_of(&self, (expression, inside): Visit) -> Option<u32> {
        let met = if inside { self.met_inside.get(&expression).copied() } else { Some(self.met[expression.index()]) };
        met.filter(|(round, _)| *round == self.round).map(|(_, part)| part)
    }

    /// The part of an expression, after those of its subexpressions. Without recursion: sums may be long.
    fn visit(&mut self, root: Visit) -> u32 {
        let (mut pending, mut parents) = (std::mem::take(&mut self.pending), std::mem::take(&mut self.parents));
        pending.push(root);
        while let Some(visit) = pending.pop() {
            if self.part_of(visit).is_some() {
                continue;
            }
            if parents.last() == Some(&visit) {
                parents.pop();
                self.append(visit);
                continue;
            }
            let at = pending.len();
            pending.push(visit);
            for_each_child(&self.dae.model.expressions, visit, |child| pending.push(child));
            if pending.len() == at + 1 {
                pending.pop();
                self.append(visit);
            } else {
                parents.push(visit);
            }
        }
        (self.pending, self.parents) = (pending, parents);
        self.part_of(root).expect("the root of a walk was visited")
    }

    fn append(&mut self, visit: Visit) {
        let uses = self.uses(visit);
        let (expression, inside) = visit;
        let met = (self.round, self.parts.len() as u32);
        if inside {
            self.met_inside.insert(expression, met);
        } else {
            self.met[expression.index()] = met;
        }
        self.parts.push(uses);
        self.has_variables.push(self.has_variables_below(uses));
    }

    fn has_variables_below(&self, uses: Use) -> bool {
        let has = |part: u32| self.has_variables[part as usize];
        match uses {
            Use::Variable(..) => true,
            Use::Branches(_, yes, no) => has(yes) || has(no),
            Use::All(start, end) => self.children[start as usize..end as usize].iter().any(|&child| has(child)),
        }
    }

    fn uses(&mut self, visit: Visit) -> Use {
        let (expression, inside) = visit;
        match self.dae.model.expressions.node(expression) {
            Node::Variable(variable, order) if self.unknowns.guard(variable).is_some() => {
                Use::Variable(variable, order)
            }
            Node::If(condition, yes, no) if splits(&self.dae.model.expressions, condition, inside) => {
                let part = |branch| self.part_of((branch, inside)).expect("branches are visited before");
                Use::Branches(condition, part(yes), part(no))
            }
            _ => {
                let start = self.children.len() as u32;
                let mut children = std::mem::take(&mut self.children);
                for_each_child(&self.dae.model.expressions, visit, |child| {
                    children.push(self.part_of(child).expect("children are visited before"));
                });
                self.children = children;
                Use::All(start, self.children.len() as u32)
            }
        }
    }
}

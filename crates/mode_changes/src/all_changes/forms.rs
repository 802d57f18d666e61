//! Which equations are new in which mode changes.
//!
//! An equation is new where it holds after but not before, and where an if-expression in it takes another branch.

use modeshift_dae::{Builtin, Descent, Equation, EquationId, ExpressionId, IndexVec, MultimodeDae, Node};
use modeshift_modes::ModeSet;
use modeshift_structure::{Analysis, Formulas};

use super::space::PairSpace;

/// A condition inside an equation, and the modes in which the equation asks for it.
#[derive(Clone, Copy, Debug)]
pub struct FormCondition {
    /// Modes in which the branch that contains the condition is taken.
    pub context: ModeSet,
    /// Modes in which the condition holds.
    pub holds: ModeSet,
}

/// On which conditions the form of each equation depends.
pub type Forms = IndexVec<EquationId, Vec<FormCondition>>;

/// The conditions inside the equations of a model, those inside `noEvent` aside.
pub fn forms(dae: &MultimodeDae, analysis: &Analysis) -> Forms {
    let mut walk = Walk { dae, analysis, formulas: Formulas::new(&analysis.space, &dae.model.expressions) };
    dae.model.equations.iter().map(|equation| walk.conditions(equation)).collect()
}

struct Walk<'a> {
    dae: &'a MultimodeDae,
    analysis: &'a Analysis,
    formulas: Formulas<'a>,
}

impl Walk<'_> {
    fn conditions(&mut self, equation: &Equation) -> Vec<FormCondition> {
        let space = &self.analysis.space;
        let expressions = &self.dae.model.expressions;
        let mut found = Vec::new();
        // A shared condition is asked where any of the branches that contain it is taken.
        let unite = |one, other| space.or(one, other);
        let mut descent = Descent::new();
        [equation.left, equation.right].into_iter().for_each(|side| descent.hand(side, ModeSet::ALL, unite));
        while let Some((id, context)) = descent.next() {
            if context.is_empty() {
                continue;
            }
            match expressions.node(id) {
                Node::If(condition, yes, no) => match self.modes(condition) {
                    Some(holds) => {
                        found.push(FormCondition { context, holds });
                        descent.hand(yes, space.and(context, holds), unite);
                        descent.hand(no, space.difference(context, holds), unite);
                    }
                    None => [yes, no].into_iter().for_each(|branch| descent.hand(branch, context, unite)),
                },
                Node::Mode(_) => {
                    found.extend(self.modes(id).map(|holds| FormCondition { context, holds }));
                }
                Node::Call(Builtin::NoEvent, _) => {}
                _ => expressions.children(id).for_each(|child| descent.hand(child, context, unite)),
            }
        }
        found
    }

    fn modes(&mut self, condition: ExpressionId) -> Option<ModeSet> {
        let modes = self.formulas.modes(condition)?;
        Some(self.analysis.invariant.project(&self.analysis.space, modes))
    }
}

/// The pairs in which each equation is new.
pub fn new_equations(pairs: &PairSpace, analysis: &Analysis, forms: &Forms) -> IndexVec<EquationId, ModeSet> {
    let space = &pairs.space;
    let is_new = |(equation, conditions): (EquationId, &Vec<FormCondition>)| {
        let guard = analysis.incidence.equations()[equation].guard;
        let (before, after) = (pairs.before(guard), pairs.after(guard));
        let other_form = space.union(conditions.iter().map(|condition| {
            let asked = space.and(pairs.before(condition.context), pairs.after(condition.context));
            space.and(asked, space.xor(pairs.before(condition.holds), pairs.after(condition.holds)))
        }));
        space.intersection([pairs.regular, after, space.or(!before, other_form)])
    };
    forms.iter_enumerated().map(is_new).collect()
}

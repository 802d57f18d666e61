//! Whether a mode has the structure of another one: what a mode variable changes is local.
//!
//! A run goes from mode to mode, and most changes touch few equations. Where those contain the same variables as often
//! differentiated as before, and the same equations hold and the same variables exist, the signature matrix is the same to the last
//! entry, and so is all that follows from it. To find that out takes what the change touches, not what the mode has.

use modeshift_dae::{EquationId, EquationKind, ExpressionId, IndexVec, Mode, ModeVariableId, MultimodeDae, Node};

use super::mode_structure::ModeStructure;
use super::reading::Reader;

/// By mode variable: the formulas that it is in which decide whether an equation holds or a variable exists.
pub struct Existence {
    formulas: IndexVec<ModeVariableId, Vec<ExpressionId>>,
}

impl Existence {
    /// Reads the guards of a model.
    pub fn new(dae: &MultimodeDae) -> Self {
        let mut formulas: IndexVec<ModeVariableId, Vec<ExpressionId>> =
            dae.mode_variables.iter().map(|_| Vec::new()).collect();
        let equations = dae.model.equations.iter().filter(|it| it.kind == EquationKind::Continuous);
        let variables = dae.model.variables.iter().filter(|it| it.is_continuous_unknown());
        let mut guards: Vec<ExpressionId> = equations.map(|it| it.guard).chain(variables.map(|it| it.guard)).collect();
        guards.sort_unstable();
        guards.dedup();
        for guard in guards {
            dae.model.expressions.for_each(guard, |_, node| {
                if let Node::Mode(mode) = node {
                    formulas[mode].push(guard);
                }
                true
            });
        }
        Existence { formulas }
    }

    /// Whether the same equations hold and the same variables exist in two modes.
    fn is_same(&self, dae: &MultimodeDae, a: &Mode, b: &Mode) -> bool {
        let (in_a, in_b) = (Reader::of_few(dae, a), Reader::of_few(dae, b));
        let mut formulas = a.differing(b).flat_map(|mode| self.formulas[mode].iter());
        formulas.all(|&formula| in_a.holds(formula) == in_b.holds(formula))
    }
}

/// Whether a mode has the structure of another one, given the equations that contain a mode variable whose value is another one there.
pub fn is_alike(
    dae: &MultimodeDae,
    existence: &Existence,
    (before, structure): (&Mode, &ModeStructure),
    mode: &Mode,
    changed: &[EquationId],
) -> bool {
    let mut reader = Reader::of_few(dae, mode);
    let column = |variable| structure.column(variable).map(|column| column.0);
    existence.is_same(dae, before, mode)
        && changed.iter().filter_map(|&equation| Some((equation, structure.row(equation)?))).all(|(equation, row)| {
            let (left, right) = (dae.model.equations[equation].left, dae.model.equations[equation].right);
            let known = structure.incidence(row).iter().map(|entry| (entry.column.0, entry.order));
            known.eq(reader.entries([left, right], column))
        })
}

//! Conditions on modes: from formulas of the source to sets of modes, and from sets to the shortest expressions.
//!
//! The decision procedure of the transformation: whether a condition holds in all modes of a block, in none, or what is
//! left to be asked (E22 §10.4, `cond_q`).

use modeshift_dae::{ExpressionId, Expressions, Id, IndexVec, ModeVariableId, MultimodeDae, VariableId};
use modeshift_modes::{FormulaBuilder, FormulaPrinter, ModeSet, ModeSpace, ModeVariable};
use modeshift_structure::{Analysis, Formulas};

/// No formula is abbreviated before it has this many literals.
const MOST_LITERALS: usize = 20_000;

/// Conditions on the modes of an analyzed model.
pub(crate) struct Conditions<'a> {
    pub(crate) analysis: &'a Analysis,
    pub(crate) printer: FormulaPrinter<'a>,
    formulas: Formulas<'a>,
    /// Expressions of the source; what came later is no formula over mode variables.
    known: usize,
    /// The Boolean of the target that each mode variable is.
    pub(crate) booleans: IndexVec<ModeVariableId, VariableId>,
}

impl<'a> Conditions<'a> {
    /// `names` are those of the mode variables, for comments; `booleans` the variables of the target that they are.
    pub(crate) fn new(
        dae: &'a MultimodeDae,
        analysis: &'a Analysis,
        names: &'a [String],
        booleans: IndexVec<ModeVariableId, VariableId>,
    ) -> Self {
        let mut printer = analysis.formulas(names);
        printer.abbreviate_beyond(MOST_LITERALS);
        let formulas = Formulas::new(&analysis.space, &dae.model.expressions);
        Conditions { analysis, printer, formulas, known: dae.model.expressions.len(), booleans }
    }

    pub(crate) fn space(&self) -> &'a ModeSpace {
        &self.analysis.space
    }

    /// The modes in which a condition of the source holds; `None` if it is no formula over mode variables.
    pub(crate) fn modes(&mut self, condition: ExpressionId) -> Option<ModeSet> {
        if condition.index() >= self.known {
            return None;
        }
        let modes = self.formulas.modes(condition)?;
        Some(self.analysis.invariant.project(self.space(), modes))
    }

    /// A set of modes in words.
    pub(crate) fn text(&self, modes: ModeSet) -> String {
        self.printer.print(modes).text
    }

    /// The shortest condition that holds, among the modes of `context`, exactly in `modes`.
    pub(crate) fn expression(&self, expressions: &mut Expressions, modes: ModeSet, context: ModeSet) -> ExpressionId {
        let boolean = |expressions: &mut Expressions, variable: ModeVariable| {
            expressions.variable(self.booleans[ModeVariableId(variable.0)], 0)
        };
        let mut builder = Builder { expressions, variable: boolean };
        match self.printer.build_within(modes, context, &mut builder) {
            Some(formula) => formula,
            None => by_decisions(self.space(), &mut builder, modes),
        }
    }
}

/// A formula that follows the decision diagram: as many operations as the set has nodes, for sets that have no short
/// formula. Without recursion.
pub(crate) fn by_decisions<Variable: Fn(&mut Expressions, ModeVariable) -> ExpressionId>(
    space: &ModeSpace,
    builder: &mut Builder<'_, Variable>,
    modes: ModeSet,
) -> ExpressionId {
    let mut known: rustc_hash::FxHashMap<ModeSet, ExpressionId> = rustc_hash::FxHashMap::default();
    let mut pending = vec![modes];
    while let Some(&set) = pending.last() {
        let formula = match space.top(set) {
            None => builder.expressions.boolean(set.is_all()),
            Some((variable, low, high)) => match (known.get(&low).copied(), known.get(&high).copied()) {
                (Some(low), Some(high)) => {
                    let variable = builder.variable(variable);
                    builder.expressions.if_then_else(variable, high, low)
                }
                (known_low, known_high) => {
                    pending.extend(known_low.is_none().then_some(low));
                    pending.extend(known_high.is_none().then_some(high));
                    continue;
                }
            },
        };
        known.insert(set, formula);
        pending.pop();
    }
    known[&modes]
}

/// Builds formulas as expressions.
pub(crate) struct Builder<'a, Variable> {
    pub(crate) expressions: &'a mut Expressions,
    pub(crate) variable: Variable,
}

impl<Variable: Fn(&mut Expressions, ModeVariable) -> ExpressionId> FormulaBuilder for Builder<'_, Variable> {
    type Output = ExpressionId;

    fn constant(&mut self, value: bool) -> ExpressionId {
        self.expressions.boolean(value)
    }

    fn variable(&mut self, variable: ModeVariable) -> ExpressionId {
        (self.variable)(self.expressions, variable)
    }

    fn not(&mut self, part: ExpressionId) -> ExpressionId {
        self.expressions.not(part)
    }

    fn and(&mut self, parts: Vec<ExpressionId>) -> ExpressionId {
        let mut parts = parts.into_iter();
        let first = parts.next().expect("a conjunction has parts");
        parts.fold(first, |all, part| self.expressions.and(all, part))
    }

    fn or(&mut self, parts: Vec<ExpressionId>) -> ExpressionId {
        let mut parts = parts.into_iter();
        let first = parts.next().expect("a disjunction has parts");
        parts.fold(first, |any, part| self.expressions.or(any, part))
    }
}

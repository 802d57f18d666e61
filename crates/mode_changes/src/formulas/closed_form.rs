//! Restart values as formulas: elimination where impulsive variables enter linearly (E22 (41)–(42)).
//!
//! At level 1, with nothing impulsive above it, the restart is a linear system in right limits and weights whose
//! coefficients are expressions of left limits. Small blocks are eliminated symbolically. In the formulas, `pre(x)` is
//! a left limit, and continuous states are written that way; a name alone is a right limit that another equation gives; there is none where an unknown enters nonlinearly, or where
//! impulses are multiplied.

use std::convert::Infallible;

use modeshift_dae::{
    ArithmeticOperator as Op, Derivative, ExpressionId, Expressions, FlatModel, Fold, Memo, Mode, Node,
    NotDifferentiable, Operands, Rewritten, VariableId, assume_modes, differentiate_times, partial_derivative,
};
use modeshift_structure::one_mode::{Block, Column, Entry, ModeStructure, Row};
use rustc_hash::FxHashMap;

use super::signed;
use crate::one_change::{Condition, Potentials, Unknown, condition, unknown};

/// The largest block that is eliminated: formulas of larger ones fill pages, and nobody reads them.
const LARGEST: usize = 8;

/// A restart value as an expression of left limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosedForm {
    /// The variable.
    pub column: Column,
    /// Its right limit or the weight of its impulse.
    pub unknown: Unknown,
    /// The formula.
    pub formula: ExpressionId,
}

impl Potentials {
    /// Formulas for what a change makes jump, by block; blocks without a closed form are left out.
    ///
    /// These are the potentials of the change's defects; if they exceed level 1 there are no formulas. Those of `fresh` say what
    /// gets a right limit of its own without them: it stands in formulas by its name.
    pub fn closed_forms(
        &self,
        model: &mut FlatModel,
        structure: &ModeStructure,
        mode: &Mode,
        fresh: Option<&Potentials>,
    ) -> Result<Vec<ClosedForm>, NotDifferentiable> {
        let potential = |column: &Column| self.of(structure, *column);
        if structure.columns().any(|column| potential(&column).is_some_and(|level| level > 1)) {
            return Ok(Vec::new());
        }
        let columns = structure.columns().map(|column| (structure.variable(column), column)).collect();
        let solved = FxHashMap::default();
        let mut elimination = Elimination { model, structure, impulsive: self, fresh, columns, solved, mode };
        let mut found = Vec::new();
        for block in structure.blocks() {
            let jumps = block.columns.iter().any(|column| potential(column) == Some(1));
            if jumps && block.rows.len() <= LARGEST {
                found.extend(elimination.block(block)?.unwrap_or_default());
            }
        }
        Ok(found)
    }
}

struct Elimination<'a> {
    model: &'a mut FlatModel,
    structure: &'a ModeStructure,
    impulsive: &'a Potentials,
    fresh: Option<&'a Potentials>,
    columns: FxHashMap<VariableId, Column>,
    /// Right limits and weights with a formula.
    solved: FxHashMap<Column, ExpressionId>,
    mode: &'a Mode,
}

/// A row of a linear system: coefficients, zero where there is none, and the right-hand side.
struct LinearRow {
    coefficients: Vec<Option<ExpressionId>>,
    right: ExpressionId,
}

impl Elimination<'_> {
    fn block(&mut self, block: &Block) -> Result<Option<Vec<ClosedForm>>, NotDifferentiable> {
        let mut rows = Vec::new();
        for &row in &block.rows {
            let linear = match condition(self.structure, 1, row) {
                Condition::Constraint(order) => self.constraint(row, order, block)?,
                Condition::Balance(_) => self.balance(row, block)?,
            };
            match linear {
                Some(linear) => rows.push(linear),
                None => return Ok(None),
            }
        }
        let Some(values) = solve(&mut self.model.expressions, rows) else { return Ok(None) };
        let form = |(&column, formula): (&Column, ExpressionId)| ClosedForm {
            column,
            unknown: unknown(self.structure, 1, column),
            formula,
        };
        let forms: Vec<ClosedForm> = block.columns.iter().zip(values).map(form).collect();
        self.solved.extend(forms.iter().map(|form| (form.column, form.formula)));
        Ok(Some(forms))
    }

    fn residual(&mut self, row: Row) -> ExpressionId {
        let equation = &self.model.equations[self.structure.equation(row)];
        let residual = self.model.expressions.difference(equation.left, equation.right);
        let mode = self.mode;
        assume_modes(&mut self.model.expressions, residual, |variable| Some(mode[variable]))
    }

    /// `Σ a jump = 0` with coefficients at left limits; jumps outside the block are known, if they have a formula.
    fn balance(&mut self, row: Row, block: &Block) -> Result<Option<LinearRow>, NotDifferentiable> {
        let residual = self.residual(row);
        let mut right = self.model.expressions.real(0.0);
        let mut coefficients = vec![None; block.columns.len()];
        for &Entry { column, .. } in self.structure.incidence(row) {
            let (variable, leading) = (self.structure.variable(column), self.structure.variable_offset(column));
            let partial = partial_derivative(self.model, residual, Derivative::new(variable, leading))?;
            if self.reads_impulse(partial) {
                return Ok(None);
            }
            let coefficient = self.at_left_limits(partial);
            if self.model.expressions.literal(coefficient) == Some(0.0) {
                continue;
            }
            let inside = block.columns.binary_search(&column).ok();
            let value = match (inside, self.solved.get(&column)) {
                (Some(at), _) => {
                    coefficients[at] = Some(coefficient);
                    None
                }
                (None, Some(&formula)) => Some(formula),
                (None, None) if self.jumps(column) => return Ok(None),
                (None, None) => continue,
            };
            let expressions = &mut self.model.expressions;
            if let Some(value) = value {
                let known = signed::product(expressions, coefficient, value);
                right = signed::difference(expressions, right, known);
            }
            if leading > 0 {
                let before = expressions.variable(variable, leading - 1);
                let before = expressions.pre(before);
                let known = signed::product(expressions, coefficient, before);
                right = signed::sum(expressions, right, known);
            }
        }
        Ok(Some(LinearRow { coefficients, right }))
    }

    /// Whether something impulsive is in a coefficient: a product of impulses, which no left limit stands for.
    fn reads_impulse(&self, coefficient: ExpressionId) -> bool {
        self.model.expressions.contains(coefficient, |node| match node {
            Node::Variable(variable, order) => {
                let column = self.columns.get(&variable);
                let own = column.and_then(|&column| self.impulsive.order(self.structure, column));
                own.is_some_and(|own| own + i64::from(order) > 0)
            }
            _ => false,
        })
    }

    /// Whether the change moves the right limit, or makes the impulse, that level 1 seeks for a variable.
    fn jumps(&self, column: Column) -> bool {
        self.impulsive.of(self.structure, column) == Some(1)
    }

    /// Whether a right limit is sought at level 1.
    fn is_sought(&self, column: Column, order: u32) -> bool {
        unknown(self.structure, 1, column) == Unknown::RightLimit(order)
    }

    /// Whether an expression at right limits needs one that jumps, is no unknown of the block, and has no formula.
    fn needs_more(&self, expression: ExpressionId, block: &Block) -> bool {
        let mut found = false;
        self.model.expressions.for_each(expression, |_, node| {
            if let Node::Variable(variable, order) = node {
                found |= self.columns.get(&variable).is_some_and(|column| {
                    let open = block.columns.binary_search(column).is_err() && !self.solved.contains_key(column);
                    open && self.is_sought(*column, order) && self.jumps(*column)
                });
            }
            !found && !matches!(node, Node::Pre(_))
        });
        found
    }

    /// `f^(order) = 0` at right limits, if it is linear in the unknowns.
    fn constraint(&mut self, row: Row, order: u32, block: &Block) -> Result<Option<LinearRow>, NotDifferentiable> {
        let residual = self.residual(row);
        let constraint = differentiate_times(self.model, residual, order)?;
        if self.needs_more(constraint, block) {
            return Ok(None);
        }
        let unknowns: Vec<Option<Derivative<VariableId>>> = block
            .columns
            .iter()
            .map(|&column| match unknown(self.structure, 1, column) {
                Unknown::RightLimit(order) => Some(Derivative::new(self.structure.variable(column), order)),
                Unknown::Weight(_) => None,
            })
            .collect();
        let mut coefficients = vec![None; unknowns.len()];
        for (at, unknown) in unknowns.iter().enumerate() {
            let Some(unknown) = *unknown else { continue };
            let partial = partial_derivative(self.model, constraint, unknown)?;
            if unknowns.iter().flatten().any(|&unknown| self.contains(partial, unknown)) {
                return Ok(None);
            }
            let coefficient = self.at_right_limits(partial, &[]);
            if self.model.expressions.literal(coefficient) != Some(0.0) {
                coefficients[at] = Some(coefficient);
            }
        }
        let zeros: Vec<Derivative<VariableId>> = unknowns.into_iter().flatten().collect();
        let rest = self.at_right_limits(constraint, &zeros);
        let right = signed::negation(&mut self.model.expressions, rest);
        Ok(Some(LinearRow { coefficients, right }))
    }

    fn contains(&self, expression: ExpressionId, derivative: Derivative<VariableId>) -> bool {
        self.model.expressions.contains(expression, |node| node.derivative() == Some(derivative))
    }

    /// Variables of the mode replaced by their left limits.
    fn at_left_limits(&mut self, root: ExpressionId) -> ExpressionId {
        let columns = &self.columns;
        replace(&mut self.model.expressions, root, |expressions, id, variable, _| {
            if columns.contains_key(&variable) { expressions.pre(id) } else { id }
        })
    }

    /// Unknowns replaced by zero, what has a formula by that, other variables of the mode, continuous at this level, by
    /// their left limits.
    fn at_right_limits(&mut self, root: ExpressionId, zeros: &[Derivative<VariableId>]) -> ExpressionId {
        let (structure, columns, solved, fresh) = (self.structure, &self.columns, &self.solved, self.fresh);
        let is_fresh = |column: Column, order: u32| {
            let own = fresh.and_then(|fresh| fresh.order(structure, column));
            own.is_some_and(|own| own + i64::from(order) >= 0)
        };
        replace(&mut self.model.expressions, root, |expressions, id, variable, order| {
            let Some(&column) = columns.get(&variable) else { return id };
            let is_sought = unknown(structure, 1, column) == Unknown::RightLimit(order);
            match solved.get(&column) {
                _ if zeros.contains(&Derivative::new(variable, order)) => expressions.real(0.0),
                Some(&formula) if is_sought => formula,
                _ if is_fresh(column, order) => id,
                _ => expressions.pre(id),
            }
        })
    }
}

/// Replaces variables outside `pre`, and simplifies what is built anew.
fn replace(
    expressions: &mut Expressions,
    root: ExpressionId,
    variable_becomes: impl FnMut(&mut Expressions, ExpressionId, VariableId, u32) -> ExpressionId,
) -> ExpressionId {
    let Ok(result) = Replacement { expressions, variable_becomes }.fold(&mut Memo::new(), root, ());
    result
}

struct Replacement<'a, Variables> {
    expressions: &'a mut Expressions,
    variable_becomes: Variables,
}

impl<Variables> Fold for Replacement<'_, Variables>
where
    Variables: FnMut(&mut Expressions, ExpressionId, VariableId, u32) -> ExpressionId,
{
    type Context = ();
    type Value = ExpressionId;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        self.expressions
    }

    fn open(&mut self, id: ExpressionId, (): (), operands: &mut Operands<()>) -> Option<ExpressionId> {
        match self.expressions.node(id) {
            Node::Variable(variable, order) => Some((self.variable_becomes)(self.expressions, id, variable, order)),
            Node::Pre(_) => Some(id),
            _ => {
                operands.extend(self.expressions.children(id), ());
                None
            }
        }
    }

    /// Asks for nothing more: `open` asks for branches together with the condition.
    fn branches(&mut self, _: [ExpressionId; 3], (): (), _: &Rewritten, _: &mut Operands<()>) {}

    fn close(&mut self, id: ExpressionId, (): (), known: &Rewritten) -> Result<ExpressionId, Infallible> {
        let expressions = &mut *self.expressions;
        Ok(match expressions.node(id) {
            Node::Arithmetic(Op::Add, a, b) => signed::sum(expressions, known[a], known[b]),
            Node::Arithmetic(Op::Subtract, a, b) => signed::difference(expressions, known[a], known[b]),
            Node::Arithmetic(Op::Multiply, a, b) => signed::product(expressions, known[a], known[b]),
            Node::Arithmetic(Op::Divide, a, b) => signed::quotient(expressions, known[a], known[b]),
            Node::Arithmetic(operator, a, b) => expressions.arithmetic(operator, known[a], known[b]),
            Node::Negate(a) => signed::negation(expressions, known[a]),
            _ => expressions.map_children(id, |_, child| known[child]),
        })
    }
}

/// Gaussian elimination with expressions: literals, ones above all, are the preferred pivots.
fn solve(expressions: &mut Expressions, mut rows: Vec<LinearRow>) -> Option<Vec<ExpressionId>> {
    let size = rows.len();
    let mut pivot_rows: Vec<usize> = Vec::new();
    let mut pivot_of: Vec<Option<usize>> = vec![None; size];
    for _ in 0..size {
        let (row, column) = best_pivot(expressions, &rows, &pivot_rows, &pivot_of)?;
        pivot_rows.push(row);
        pivot_of[column] = Some(row);
        for other in (0..size).filter(|&other| other != row) {
            eliminate(expressions, &mut rows, row, column, other);
        }
    }
    let value = |column: usize| {
        let row = &rows[pivot_of[column].expect("every column has a pivot")];
        signed::quotient(expressions, row.right, row.coefficients[column].expect("pivots are not zero"))
    };
    Some((0..size).map(value).collect())
}

fn best_pivot(
    expressions: &Expressions,
    rows: &[LinearRow],
    used: &[usize],
    pivot_of: &[Option<usize>],
) -> Option<(usize, usize)> {
    let mut best: Option<((u8, usize), (usize, usize))> = None;
    for (at, row) in rows.iter().enumerate().filter(|(at, _)| !used.contains(at)) {
        let open = |column: &usize| pivot_of[*column].is_none();
        let count = row.coefficients.iter().flatten().count();
        for column in (0..rows.len()).filter(open) {
            let Some(coefficient) = row.coefficients[column] else { continue };
            let kind = match expressions.literal(coefficient) {
                Some(value) if value.abs() == 1.0 => 0,
                Some(_) => 1,
                None => 2,
            };
            if best.is_none_or(|(cost, _)| (kind, count) < cost) {
                best = Some(((kind, count), (at, column)));
            }
        }
    }
    best.map(|(_, place)| place)
}

/// Subtracts a multiple of the pivot row from another.
fn eliminate(expressions: &mut Expressions, rows: &mut [LinearRow], pivot: usize, column: usize, other: usize) {
    let Some(entry) = rows[other].coefficients[column] else { return };
    let own = rows[pivot].coefficients[column].expect("pivots are not zero");
    let factor = signed::quotient(expressions, entry, own);
    for at in 0..rows.len() {
        let Some(source) = rows[pivot].coefficients[at].filter(|_| at != column) else { continue };
        let product = signed::product(expressions, factor, source);
        let difference = match rows[other].coefficients[at] {
            Some(value) => signed::difference(expressions, value, product),
            None => signed::negation(expressions, product),
        };
        let vanishes = expressions.literal(difference) == Some(0.0);
        rows[other].coefficients[at] = (!vanishes).then_some(difference);
    }
    rows[other].coefficients[column] = None;
    let product = signed::product(expressions, factor, rows[pivot].right);
    rows[other].right = signed::difference(expressions, rows[other].right, product);
}

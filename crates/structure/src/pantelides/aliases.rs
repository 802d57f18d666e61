//! What is known beforehand and what only has two names, removed as MOE15 does before it sorts equations (§3).
//!
//! - *Known* is what an equation of the whole model determines by itself from time and parameters, and what a connection
//!   then hands on: the potential of the ground, and with it those of everything that is connected to it. So MOE15 (3) and
//!   (7) follow: a connection of states to a known potential is one equation for each state, without a dummy.
//! - *Aliases* are two variables that exist in the same modes and whose sum or difference is zero. States of the model
//!   stand for their aliases, then what stands beside a derivative, then what is declared first.
//!
//! Equations of states of a machine make nothing known: `i = 0` of an open switch is an equation like any other, and is
//! differentiated where its current must be.

use modeshift_dae::{
    ArithmeticOperator, EquationId, ExpressionId, Id, IndexVec, MultimodeDae, Node, UnionFind, VariableId,
};
use modeshift_modes::ModeSet;

use crate::Analysis;
use crate::approximate::United;
use crate::approximate::united::entries_of;

/// The united system without what is known and what has another name.
pub(super) struct Reduced {
    pub(super) united: United,
    pub(super) known: Vec<VariableId>,
    /// What another variable stands for, and that variable.
    pub(super) aliases: Vec<(VariableId, VariableId)>,
}

/// Reduces the united system of a model.
pub(super) fn reduced(dae: &MultimodeDae, analysis: &Analysis) -> Reduced {
    let mut knowledge = Knowledge::new(dae, analysis);
    knowledge.spread();
    let Knowledge { status, by, .. } = &knowledge;
    let is_known = |variable: VariableId| status[variable] != Status::Unknown;
    let mut united = United::new(dae, analysis, is_known);
    let is_spent = |equation: &EquationId| by[*equation];
    united.rows.retain(|row| !row.equations.iter().all(is_spent));
    let known: Vec<VariableId> = united_variables(analysis).filter(|&variable| is_known(variable)).collect();
    let aliases = knowledge.join_aliases(&mut united);
    Reduced { united, known, aliases }
}

fn united_variables(analysis: &Analysis) -> impl Iterator<Item = VariableId> + '_ {
    let variables = analysis.incidence.variables().iter_enumerated();
    variables.filter(|(_, it)| !it.guard.is_empty()).map(|(id, _)| id)
}

/// What is known of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Unknown,
    /// A function of time.
    Known,
    /// Zero.
    Zero,
}

struct Knowledge<'a> {
    dae: &'a MultimodeDae,
    analysis: &'a Analysis,
    status: IndexVec<VariableId, Status>,
    /// Equations that made something known.
    by: IndexVec<EquationId, bool>,
}

impl<'a> Knowledge<'a> {
    fn new(dae: &'a MultimodeDae, analysis: &'a Analysis) -> Self {
        Knowledge {
            dae,
            analysis,
            status: analysis.incidence.variables().iter().map(|_| Status::Unknown).collect(),
            by: analysis.incidence.equations().iter().map(|_| false).collect(),
        }
    }

    /// Everything that follows, equation by equation.
    fn spread(&mut self) {
        let incidence = &self.analysis.incidence;
        let mut pending: Vec<EquationId> = incidence.equations().ids().rev().collect();
        while let Some(equation) = pending.pop() {
            let Some(variable) = self.determines(equation) else { continue };
            self.by[equation] = true;
            self.status[variable] = if self.is_zero(equation, variable) { Status::Zero } else { Status::Known };
            let others = incidence.edges_of_variable(variable).iter().map(|&edge| incidence.equation(edge));
            pending.extend(others.filter(|&other| !self.by[other]));
        }
    }

    /// The only variable of an equation that is not known, where the equation determines it wherever it exists.
    fn determines(&self, equation: EquationId) -> Option<VariableId> {
        let (space, incidence) = (&self.analysis.space, &self.analysis.incidence);
        let guard = incidence.equations()[equation].guard;
        if self.by[equation] || guard.is_empty() {
            return None;
        }
        let mut open = incidence.edges_of_equation(equation).filter(|&it| !self.is_known(incidence.variable(it)));
        let (edge, None) = (open.next()?, open.next()) else { return None };
        let variable = incidence.variable(edge);
        let exists = incidence.variables()[variable].guard;
        let is_plain = incidence.orders(edge) == [(0, exists)] && space.implies(exists, guard);
        // A state's own equation has variables of the state alone.
        let is_of_all = exists.is_all() || self.reads_what_always_exists(equation);
        (is_plain && is_of_all).then_some(variable)
    }

    fn is_known(&self, variable: VariableId) -> bool {
        self.status[variable] != Status::Unknown
    }

    fn reads_what_always_exists(&self, equation: EquationId) -> bool {
        let incidence = &self.analysis.incidence;
        let mut variables = incidence.edges_of_equation(equation).map(|edge| incidence.variable(edge));
        variables.any(|variable| incidence.variables()[variable].guard.is_all())
    }

    /// Whether an equation says that a variable is zero.
    fn is_zero(&self, equation: EquationId, variable: VariableId) -> bool {
        self.sum(equation)
            .is_some_and(|terms| terms.iter().all(|&it| it == variable || self.status[it] == Status::Zero))
    }

    /// The variables whose sum, each with one sign or the other, an equation says to be zero; nothing for an equation that
    /// says anything else.
    fn sum(&self, equation: EquationId) -> Option<Vec<VariableId>> {
        let model = &self.dae.model;
        let equation = &model.equations[equation];
        let mut pending: Vec<ExpressionId> = vec![equation.left, equation.right];
        let mut terms = Vec::new();
        while let Some(id) = pending.pop() {
            match model.expressions.node(id) {
                Node::Variable(variable, 0) if model.variables[variable].is_continuous_unknown() => {
                    terms.push(variable)
                }
                Node::Negate(a) => pending.push(a),
                Node::Arithmetic(ArithmeticOperator::Add | ArithmeticOperator::Subtract, a, b) => {
                    pending.extend([a, b])
                }
                _ if model.expressions.literal(id) == Some(0.0) => {}
                _ => return None,
            }
        }
        Some(terms)
    }

    /// Joins aliases in a system, and says which variable stands for which.
    fn join_aliases(&self, united: &mut United) -> Vec<(VariableId, VariableId)> {
        let mut column_of = vec![u32::MAX; self.status.len()];
        united.columns.iter().enumerate().for_each(|(column, id)| column_of[id.index()] = column as u32);
        let mut classes: UnionFind<usize> = UnionFind::new(united.columns.len());
        united.rows.retain(|row| {
            let Some([one, other]) = self.alias(&row.equations, row.modes) else { return true };
            let (one, other) = (column_of[one.index()] as usize, column_of[other.index()] as usize);
            if classes.root(one) == classes.root(other) {
                return true;
            }
            classes.join(one, other);
            false
        });
        let ranks = self.ranks(united);
        let mut stands: Vec<usize> = (0..united.columns.len()).collect();
        for column in 0..united.columns.len() {
            let root = classes.root(column);
            if ranks[column] < ranks[stands[root]] {
                stands[root] = column;
            }
        }
        let representative: Vec<usize> = (0..united.columns.len()).map(|column| stands[classes.root(column)]).collect();
        let gone = |column: &usize| representative[*column] != *column;
        let aliases = (0..united.columns.len()).filter(gone);
        let aliases = aliases.map(|column| (united.columns[column], united.columns[representative[column]])).collect();
        rename(united, &representative, &self.analysis.space);
        aliases
    }

    /// The two variables that a row says to be the same or opposite, wherever they exist.
    fn alias(&self, equations: &[EquationId], modes: ModeSet) -> Option<[VariableId; 2]> {
        let &[equation] = equations else { return None };
        let mut terms = self.sum(equation)?;
        terms.retain(|&term| self.status[term] != Status::Zero);
        let &[one, other] = &terms[..] else { return None };
        let guard = |variable: VariableId| self.analysis.incidence.variables()[variable].guard;
        let is_alias = one != other
            && self.status[one] == Status::Unknown
            && self.status[other] == Status::Unknown
            && guard(one) == modes
            && guard(other) == modes;
        is_alias.then_some([one, other])
    }

    /// Who stands for whom: the smallest.
    fn ranks(&self, united: &United) -> Vec<(bool, bool, usize)> {
        let count = united.columns.len();
        let (mut is_state, mut is_beside) = (vec![false; count], vec![false; count]);
        for row in &united.rows {
            let has_derivative = row.entries.iter().any(|entry| entry.highest() > 0);
            for entry in &row.entries {
                is_state[entry.column as usize] |= entry.highest() > 0;
                is_beside[entry.column as usize] |= has_derivative;
            }
        }
        (0..count).map(|column| (!is_state[column], !is_beside[column], column)).collect()
    }
}

/// Lets columns stand for others, which go.
fn rename(united: &mut United, representative: &[usize], space: &modeshift_modes::ModeSpace) {
    let mut number = vec![0; representative.len()];
    let mut kept: Vec<usize> = (0..representative.len()).filter(|&column| representative[column] == column).collect();
    kept.sort_unstable();
    kept.iter().enumerate().for_each(|(new, &old)| number[old] = new as u32);
    for row in &mut united.rows {
        let occurrences = row.entries.iter().flat_map(|entry| {
            let column = number[representative[entry.column as usize]];
            entry.orders.iter().map(move |&(order, modes)| (column, order, modes))
        });
        row.entries = entries_of(space, occurrences.collect());
    }
    united.columns = kept.iter().map(|&column| united.columns[column]).collect();
    united.column_modes = kept.iter().map(|&column| united.column_modes[column]).collect();
}

//! Whether a sum vanishes because others do: elimination with whole numbers, in which every term counts as an unknown.

use std::collections::BTreeSet;

use modeshift_dae::{EquationId, ExpressionId, Expressions};

use super::terms::terms;

/// Terms with their coefficients, in order; none is zero.
type Row = Vec<(ExpressionId, i64)>;

/// Sums that vanish, in echelon form: no row contains the pivot of an earlier one.
#[derive(Default)]
pub(super) struct Span {
    rows: Vec<Eliminated>,
}

/// A row, its pivot with coefficient 1, and the equations it is made of.
struct Eliminated {
    pivot: ExpressionId,
    row: Row,
    sources: BTreeSet<EquationId>,
}

impl Span {
    /// Adds a sum that vanishes, because of an equation or otherwise. One without a coefficient of 1 or -1 left is not used,
    /// which is less but whole.
    pub fn add(&mut self, expressions: &Expressions, sum: ExpressionId, source: Option<EquationId>) {
        let Some((row, mut sources)) = row(expressions, sum).and_then(|row| self.reduced(row)) else { return };
        if let Some(&(pivot, coefficient)) = row.iter().find(|(_, coefficient)| coefficient.abs() == 1) {
            let row = row.into_iter().map(|(term, factor)| (term, factor * coefficient)).collect();
            sources.extend(source);
            self.rows.push(Eliminated { pivot, row, sources });
        }
    }

    /// The equations because of which a sum vanishes, if it does.
    pub fn reasons(&self, expressions: &Expressions, sum: ExpressionId) -> Option<BTreeSet<EquationId>> {
        let (rest, sources) = row(expressions, sum).and_then(|row| self.reduced(row))?;
        rest.is_empty().then_some(sources)
    }

    /// What is left when all pivots are eliminated, and the equations that did it; nothing where numbers become too large.
    fn reduced(&self, mut row: Row) -> Option<(Row, BTreeSet<EquationId>)> {
        let mut sources = BTreeSet::new();
        for by in &self.rows {
            if let Ok(at) = row.binary_search_by_key(&by.pivot, |&(term, _)| term) {
                row = less(&row, row[at].1, &by.row)?;
                sources.extend(&by.sources);
            }
        }
        Some((row, sources))
    }
}

fn row(expressions: &Expressions, sum: ExpressionId) -> Option<Row> {
    let mut found = Row::new();
    for term in terms(expressions, sum) {
        let (added, subtracted) = (i64::try_from(term.added).ok()?, i64::try_from(term.subtracted).ok()?);
        found.push((term.of, added.checked_sub(subtracted)?));
    }
    found.retain(|&(_, coefficient)| coefficient != 0);
    Some(found)
}

/// `row - factor*by`
fn less(row: &Row, factor: i64, by: &Row) -> Option<Row> {
    let mut found = row.clone();
    for &(term, coefficient) in by {
        let change = factor.checked_mul(coefficient)?;
        match found.binary_search_by_key(&term, |&(term, _)| term) {
            Ok(at) => found[at].1 = found[at].1.checked_sub(change)?,
            Err(at) => found.insert(at, (term, change.checked_neg()?)),
        }
    }
    found.retain(|&(_, coefficient)| coefficient != 0);
    Some(found)
}

//! Equations for the variables of states that are not active (MOE15 §2.1, (1) and (2), and §2.3).
//!
//! Where connections to n states become one equation, the variables of the n - 1 states that are not active have none. MOE15
//! gives them dummy equations `0 = h(p, f)` between the potential and the flow of a connector, which are there for
//! the structure only and are never differentiated: they relate whatever derivatives lead. The exact analysis needs
//! none of them, since variables there have guards.

use modeshift_dae::{EquationId, MultimodeDae};
use modeshift_diagnostics::Span;
use modeshift_modes::ModeSet;
use rustc_hash::FxHashMap;

use super::merge::Group;
use super::united::{Row, RowKind, UnitedEntry};
use crate::Analysis;

/// The dummy equations of all groups: as many as states that are not active at a time.
pub(super) fn dummies(
    dae: &MultimodeDae,
    analysis: &Analysis,
    groups: &[Group],
    rows: &[Row],
    column_modes: &[ModeSet],
) -> Vec<Row> {
    let flows = Flows::of(dae, groups, rows);
    let mut met: FxHashMap<Span, usize> = FxHashMap::default();
    let mut dummies = Vec::new();
    let of_several = |(_, group): &(&Row, &Group)| group.equations.len() > 1 && !group.is_definition;
    for (row, _) in rows.iter().zip(groups).filter(of_several) {
        let span = dae.model.equations[row.equations[0]].span;
        let place = met.entry(span).or_default();
        let flow = flows.of_span.get(&span).and_then(|rows| rows.get(*place)).map(|&row| &rows[row]);
        *place += 1;
        let guard = |equation: &EquationId| analysis.incidence.equations()[*equation].guard;
        let states: Vec<ModeSet> = row.equations.iter().map(guard).collect();
        let is_own = |entry: &&UnitedEntry| {
            let exists = column_modes[entry.column as usize];
            !exists.is_all() && states.iter().any(|&state| analysis.space.implies(exists, state))
        };
        let own: Vec<u32> = row.entries.iter().filter(is_own).map(|entry| entry.column).collect();
        let has_own =
            |state: &&ModeSet| own.iter().any(|&column| analysis.space.implies(column_modes[column as usize], **state));
        let count = states.iter().filter(has_own).count().saturating_sub(1);
        let flow = flow.into_iter().flat_map(|flow| flow.entries.iter().filter(is_own)).map(|entry| entry.column);
        let mut columns: Vec<u32> = own.iter().copied().chain(flow).collect();
        columns.sort_unstable();
        columns.dedup();
        let entry = |&column: &u32| UnitedEntry { column, orders: vec![(0, ModeSet::ALL)] };
        let entries: Vec<UnitedEntry> = columns.iter().map(entry).collect();
        let dummy = Row { equations: row.equations.clone(), kind: RowKind::Dummy, modes: ModeSet::ALL, entries };
        dummies.extend(std::iter::repeat_n(dummy, count));
    }
    with_leading_orders(dummies, rows)
}

/// Sums of flows by their `connect`, in order: the n-th is that of the n-th equality of potentials.
struct Flows {
    of_span: FxHashMap<Span, Vec<usize>>,
}

impl Flows {
    fn of(dae: &MultimodeDae, groups: &[Group], rows: &[Row]) -> Flows {
        let mut of_span: FxHashMap<Span, Vec<usize>> = FxHashMap::default();
        for (at, group) in groups.iter().enumerate() {
            if group.equations.len() == 1 && rows[at].kind == RowKind::Switching {
                of_span.entry(dae.model.equations[group.equations[0]].span).or_default().push(at);
            }
        }
        Flows { of_span }
    }
}

/// Dummies relate the highest derivatives that are written.
fn with_leading_orders(mut dummies: Vec<Row>, rows: &[Row]) -> Vec<Row> {
    let mut highest: FxHashMap<u32, u32> = FxHashMap::default();
    for entry in rows.iter().flat_map(|row| &row.entries) {
        let known = highest.entry(entry.column).or_default();
        *known = entry.highest().max(*known);
    }
    for entry in dummies.iter_mut().flat_map(|row| &mut row.entries) {
        entry.orders[0].0 = highest.get(&entry.column).copied().unwrap_or(0);
    }
    dummies
}

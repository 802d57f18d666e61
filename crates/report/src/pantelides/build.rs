//! From multi-mode Pantelides to its report.

use modeshift_dae::VariableId;
use modeshift_modes::Limit;
use modeshift_structure::approximate::{Row, RowKind, UnitedBlock};
use modeshift_structure::pantelides::{
    Iteration, MOST_ITERATIONS, MultiModePantelides, Outcome, SelectedState, SingularLoop,
};
use modeshift_structure::{Derivative, name};

use super::{
    DifferentiatedReport, ExactReport, IterationReport, LoopReport, PantelidesReport, SingularLoopReport, StateReport,
    TimesReport,
};
use crate::Analyzed;
use crate::analyze::{Case, valuation_text};
use crate::json::Version;
use crate::singular::singular_modes;
use crate::wording::{SetTexts, listed, mode_names};

/// Puts it into words.
pub fn report(analyzed: &Analyzed, found: &MultiModePantelides) -> Result<PantelidesReport, Limit> {
    let Analyzed { dae, analysis, within, singularities, .. } = analyzed;
    let names = mode_names(dae);
    let words = Wording { analyzed, found, texts: SetTexts::new(dae, analysis, &names) };
    let singular = singular_modes(dae, analysis, singularities);
    let united = &found.united;
    let count = |kind: RowKind| united.rows.iter().filter(|row| row.kind == kind).count();
    let connections = united.rows.iter().filter(|row| row.kind == RowKind::Switching);
    let loops = found.blocks.iter().filter(|block| block.rows.len() > 1);
    let report = PantelidesReport {
        version: Version,
        model: dae.model.name.to_string(),
        method: "pantelides",
        at: (!within.is_empty()).then(|| valuation_text(dae, within)),
        verdict: match found.outcome {
            Outcome::Regular => "regular",
            Outcome::Inconsistent { .. } => "inconsistent",
            Outcome::Stuck(_) => "stuck",
            Outcome::Stopped => "stopped",
        },
        reason: words.reason(!singular.is_empty()),
        note: words.note(),
        exact_singular: (!singular.is_empty()).then(|| words.texts.text(singular)),
        equation_count: united.rows.len() - count(RowKind::Dummy),
        variable_count: united.columns.len(),
        known: found.known.iter().map(|&known| words.variable(known, 0)).collect(),
        alias_count: found.aliases.len(),
        dummies: count(RowKind::Dummy),
        connections: connections.map(|row| words.row(row, 0)).collect(),
        iterations: found.iterations.iter().enumerate().map(|(at, it)| words.iteration(at + 1, it)).collect(),
        differentiated: found.differentiated().map(|(row, times)| words.differentiated(row, times)).collect(),
        loops: loops.map(|block| words.block(block)).collect(),
        states: found.states.as_ref().map(|states| states.iter().map(|state| words.state(state)).collect()),
    };
    analysis.space.check()?;
    Ok(report)
}

struct Wording<'a> {
    analyzed: &'a Analyzed,
    found: &'a MultiModePantelides,
    texts: SetTexts<'a>,
}

impl Wording<'_> {
    fn variable(&self, of: VariableId, order: u32) -> String {
        name(self.analyzed.analysis.incidence.variables(), Derivative { of, order })
    }

    fn variables(&self, list: &[Derivative<VariableId>]) -> Vec<String> {
        list.iter().map(|it| self.variable(it.of, it.order)).collect()
    }

    /// `e9|e10'`; the branches of one equation.
    fn row(&self, row: &Row, times: u32) -> String {
        let equations = self.analyzed.analysis.incidence.equations();
        let name = |&of| name(equations, Derivative { of, order: times });
        let names = row.equations.iter().map(name).collect::<Vec<_>>().join("|");
        if row.kind == RowKind::Dummy { format!("dummy({names})") } else { names }
    }

    fn row_at(&self, row: u32, times: u32) -> String {
        self.row(&self.found.united.rows[row as usize], times)
    }

    /// What is taken for the paper's connections where they are none.
    fn note(&self) -> Option<String> {
        let is_switching = |row: &Row| row.kind == RowKind::Switching;
        let has_none = self.analyzed.dae.model.machines.is_empty() && self.found.united.rows.iter().any(is_switching);
        let note = "there are no states of machines: equations with branches are taken for connections to them";
        has_none.then(|| note.to_string())
    }

    /// Why it did not end regularly, and what that comes from.
    fn reason(&self, is_singular: bool) -> Option<String> {
        let fault = match is_singular {
            true => "the exact analysis finds modes singular: no differentiation helps there",
            false => {
                "the exact analysis finds every mode regular: it is differentiating all branches alike that has no end"
            }
        };
        match &self.found.outcome {
            Outcome::Regular => None,
            Outcome::Inconsistent { rows, columns } => {
                let rows: Vec<String> = rows.iter().map(|&row| self.row_at(row, 0)).collect();
                let columns =
                    columns.iter().map(|&column| self.variable(self.found.united.columns[column as usize], 0));
                let columns: Vec<String> = columns.collect();
                let (rows, columns) =
                    (listed(rows.iter().map(String::as_str)), listed(columns.iter().map(String::as_str)));
                let rows = if rows.is_empty() { "no equation".to_string() } else { rows };
                let columns = if columns.is_empty() { "no variable".to_string() } else { columns };
                Some(format!(
                    "as if all modes were one, {rows} cannot be assigned to {columns}; standard Pantelides does not converge"
                ))
            }
            Outcome::Stuck(modes) => Some(format!(
                "when {}, equations are too many or too few, and no connection is among those that are too many; {fault}",
                self.texts.text(*modes)
            )),
            Outcome::Stopped => Some(format!("does not converge within {MOST_ITERATIONS} iterations; {fault}")),
        }
    }

    fn iteration(&self, number: usize, iteration: &Iteration) -> IterationReport {
        let times = |&(row, times): &(u32, u32)| TimesReport { equation: self.row_at(row, 0), times };
        let is_dummy = |row: u32| self.found.united.rows[row as usize].kind == RowKind::Dummy;
        IterationReport {
            number,
            differentiated: iteration.differentiated.iter().filter(|it| !is_dummy(it.0)).map(times).collect(),
            loops: iteration.loops,
            singular: iteration.singular.iter().map(|singular| self.singular(singular)).collect(),
        }
    }

    fn singular(&self, singular: &SingularLoop) -> SingularLoopReport {
        SingularLoopReport {
            equations: singular.block.rows.iter().map(|&row| self.row_at(row, 0)).collect(),
            unknowns: self.variables(&singular.unknowns),
            when: self.texts.text(singular.mode),
            is_single: singular.block.rows.len() == 1,
            differentiated: singular.differentiated.iter().map(|&row| self.row_at(row, 0)).collect(),
            introduced: self.variables(&singular.introduced),
        }
    }

    fn differentiated(&self, row: &Row, times: u32) -> DifferentiatedReport {
        let analysis = &self.analyzed.analysis;
        let spared = self.found.spared(analysis, row, times);
        let exact = row.equations.iter().map(|&equation| {
            let vertex = &analysis.incidence.equations()[equation];
            let cases = analysis.offsets.equations[equation].cases(&analysis.space, vertex.guard).into_iter().rev();
            let case = |(value, modes): (u32, _)| Case { when: self.texts.text(modes), value: value.into() };
            let less = spared.iter().find(|it| it.0 == equation);
            ExactReport {
                equation: vertex.name.to_string(),
                offsets: cases.map(case).collect(),
                spared: less.map(|&(_, modes)| self.texts.text(modes)),
            }
        });
        DifferentiatedReport { equation: self.row(row, 0), times, exact: exact.collect() }
    }

    fn block(&self, block: &UnitedBlock) -> LoopReport {
        let MultiModePantelides { united, row_offsets, column_offsets, .. } = self.found;
        let unknown = |&it: &u32| self.variable(united.columns[it as usize], column_offsets[it as usize]);
        LoopReport {
            equations: block.rows.iter().map(|&row| self.row_at(row, row_offsets[row as usize])).collect(),
            unknowns: block.columns.iter().map(unknown).collect(),
        }
    }

    fn state(&self, state: &SelectedState) -> StateReport {
        StateReport {
            name: self.variable(state.state.of, state.state.order),
            when: self.texts.text(state.modes),
            is_always: state.is_always,
        }
    }
}

//! From the approximate analysis to its report.

use modeshift_dae::{EquationId, ExpressionText, Mode, ModeVariableId, MultimodeDae, VariableId};
use modeshift_diagnostics::SourceMap;
use modeshift_modes::{Limit, ModeSet};
use modeshift_structure::approximate::{Approximate, Pivot, RowKind, United, UnitedBlock, pivots};
use modeshift_structure::one_mode::Parts;
use modeshift_structure::{Analysis, Block, Derivative, name};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{ApproximateBlock, ApproximateReport, BlockOrder, InsteadReport};
use crate::Analyzed;
use crate::analyze::{PartReport, valuation_text};
use crate::json::Version;
use crate::place::Place;
use crate::wording::{SetTexts, mode_names};

/// Of what is solved instead, at most so many cases are listed.
const MOST_INSTEAD: usize = 4;

/// What to put into words.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The model with its exact structure.
    pub analyzed: &'a Analyzed,
    /// What an ordinary tool makes of it; or the over- and underdetermined parts of the united system.
    pub approximate: Result<&'a Approximate, (&'a United, &'a Parts)>,
    /// When a run gets where blocks fail.
    pub reached: &'a Reached,
    /// The source, for places.
    pub sources: &'a SourceMap,
}

/// When a run first gets into a mode in which a block fails.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// By the number of the block; that of the other tool ends at the first, and blocks that fail later have no time.
    pub times: Vec<Option<f64>>,
    /// Why there is no time at all.
    pub otherwise: Option<String>,
}

/// The modes in which blocks fail, to be looked out for in a run.
pub struct Failures<'a> {
    analysis: &'a Analysis,
    blocks: Vec<(usize, ModeSet)>,
}

impl<'a> Failures<'a> {
    /// Those of an analysis.
    pub fn of(analysis: &'a Analysis, approximate: &Approximate) -> Failures<'a> {
        let failing = approximate.blocks.iter().enumerate().filter(|(_, block)| !block.fails.is_empty());
        Failures { analysis, blocks: failing.map(|(id, block)| (id, block.fails)).collect() }
    }

    /// Whether no block fails.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Notes the blocks that fail in a mode; whether any does.
    pub fn note(&self, reached: &mut Reached, time: f64, mode: &Mode) -> bool {
        let is_in = |fails: ModeSet| self.analysis.space.evaluate(fails, |it| mode[ModeVariableId(it.0)]);
        let failing: Vec<usize> = self.blocks.iter().filter(|(_, fails)| is_in(*fails)).map(|(id, _)| *id).collect();
        failing.iter().for_each(|&id| reached.times[id] = Some(time));
        !failing.is_empty()
    }
}

/// Puts it into words.
pub fn report(scope: Scope<'_>) -> Result<ApproximateReport, Limit> {
    let Analyzed { dae, analysis, within, .. } = scope.analyzed;
    let names = mode_names(dae);
    let words = Wording { scope, texts: SetTexts::new(dae, analysis, &names) };
    let mut report = ApproximateReport {
        version: Version,
        model: dae.model.name.to_string(),
        method: "approximate",
        at: (!within.is_empty()).then(|| valuation_text(dae, within)),
        verdict: "singular",
        fails: "true".to_string(),
        time: None,
        no_time: None,
        blocks: Vec::new(),
        dependencies: Vec::new(),
        overdetermined: None,
        underdetermined: None,
    };
    match scope.approximate {
        Ok(approximate) => words.describe(approximate, &mut report),
        Err((united, parts)) => words.describe_singular(united, parts, &mut report),
    }
    analysis.space.check()?;
    Ok(report)
}

struct Wording<'a> {
    scope: Scope<'a>,
    texts: SetTexts<'a>,
}

impl Wording<'_> {
    fn describe(&self, approximate: &Approximate, report: &mut ApproximateReport) {
        let Scope { analyzed, reached, .. } = self.scope;
        let fails = analyzed.analysis.space.union(approximate.blocks.iter().map(|block| block.fails));
        report.verdict = if fails.is_empty() { "right" } else { "fails" };
        report.fails = self.texts.text(fails);
        report.time = reached.times.iter().flatten().copied().reduce(f64::min);
        report.no_time = reached.otherwise.clone().filter(|_| report.time.is_none());
        let (solved, instead) = (self.solved(approximate), self.instead(approximate));
        let blocks = approximate.blocks.iter().enumerate();
        report.blocks = blocks.map(|(id, block)| self.block(approximate, id, block, &solved, &instead)).collect();
        report.dependencies = dependencies(approximate);
    }

    fn describe_singular(&self, united: &United, parts: &Parts, report: &mut ApproximateReport) {
        let part = |rows: &[u32], columns: &[u32]| {
            let equations = rows.iter().map(|&row| self.row_name(united, row, 0)).collect();
            let variables = columns.iter().map(|&it| self.variable(united.columns[it as usize], 0)).collect();
            Some(PartReport { equations, variables }).filter(|it| !it.equations.is_empty() || !it.variables.is_empty())
        };
        report.overdetermined = part(&parts.overdetermined_equations, &parts.overdetermined_variables);
        report.underdetermined = part(&parts.underdetermined_equations, &parts.underdetermined_variables);
    }

    fn variable(&self, of: VariableId, order: u32) -> String {
        name(self.scope.analyzed.analysis.incidence.variables(), Derivative { of, order })
    }

    /// `Zc|Zo'`
    fn row_name(&self, united: &United, row: u32, times: u32) -> String {
        let row = &united.rows[row as usize];
        let equations = self.scope.analyzed.analysis.incidence.equations();
        let names: Vec<String> =
            row.equations.iter().map(|&of| name(equations, Derivative { of, order: times })).collect();
        let names = names.join("|");
        if row.kind == RowKind::Dummy { format!("dummy({names})") } else { names }
    }

    /// The equations of failing blocks of one equation, as text: solved for the variable, and the pivot.
    fn solved(&self, approximate: &Approximate) -> FxHashMap<usize, (Option<String>, String)> {
        let failing: Vec<usize> =
            (0..approximate.blocks.len()).filter(|&id| !approximate.blocks[id].fails.is_empty()).collect();
        if failing.is_empty() {
            return FxHashMap::default();
        }
        let mut dae: MultimodeDae = self.scope.analyzed.dae.clone();
        let pivots = pivots(&mut dae, approximate, failing.iter().map(|&id| &approximate.blocks[id]));
        let text = |expression| {
            let modes = Some(&dae.mode_variables);
            ExpressionText { model: &dae.model, modes, expression }.to_string()
        };
        let words = |pivot: Pivot| {
            let variable = self.variable(pivot.variable.of, pivot.variable.order);
            (pivot.solved.map(|solved| format!("{variable} = {}", text(solved))), text(pivot.pivot))
        };
        let found = failing.into_iter().zip(pivots);
        found.filter_map(|(id, pivot)| Some((id, words(pivot?)))).collect()
    }

    /// The exact blocks of equations that are too many somewhere.
    fn instead(&self, approximate: &Approximate) -> FxHashMap<EquationId, Vec<Block<'_>>> {
        let failing = approximate.blocks.iter().filter(|block| !block.fails.is_empty());
        let wanted: FxHashSet<EquationId> = failing
            .flat_map(|block| block.rows.iter().zip(&block.too_many).filter(|(_, modes)| !modes.is_empty()))
            .flat_map(|(&row, _)| approximate.united.rows[row as usize].equations.iter().copied())
            .collect();
        let mut found: FxHashMap<EquationId, Vec<Block<'_>>> = FxHashMap::default();
        if !wanted.is_empty() {
            for (_, block) in self.scope.analyzed.analysis.graph.blocks() {
                for equation in block.equations.iter().filter(|equation| wanted.contains(&equation.of)) {
                    found.entry(equation.of).or_default().push(block);
                }
            }
        }
        found
    }

    fn block(
        &self,
        approximate: &Approximate,
        id: usize,
        block: &UnitedBlock,
        solved: &FxHashMap<usize, (Option<String>, String)>,
        instead: &FxHashMap<EquationId, Vec<Block<'_>>>,
    ) -> ApproximateBlock {
        let Approximate { united, row_offsets, column_offsets, .. } = approximate;
        let fails = !block.fails.is_empty();
        let solved = solved.get(&id);
        let first = if fails { block.failing_rows().first().copied() } else { None };
        let place = first.and_then(|row| {
            let equation = *united.rows[row as usize].equations.first()?;
            Place::of(self.scope.analyzed.dae.model.equations[equation].span, self.scope.sources)
        });
        ApproximateBlock {
            id,
            equations: block.rows.iter().map(|&row| self.row_name(united, row, row_offsets[row as usize])).collect(),
            reads: self.reads(approximate, block),
            writes: block
                .columns
                .iter()
                .map(|&it| self.variable(united.columns[it as usize], column_offsets[it as usize]))
                .collect(),
            fails: fails.then(|| self.texts.text(block.fails)),
            example: fails.then(|| self.texts.example(block.fails)),
            pivot: solved.map(|(_, pivot)| pivot.clone()),
            solved: solved.and_then(|(solved, _)| solved.clone()),
            time: self.scope.reached.times.get(id).copied().flatten(),
            instead: if fails { self.instead_of(approximate, block, instead) } else { Vec::new() },
            place,
        }
    }

    /// What is read: every other derivative that occurs in some mode.
    fn reads(&self, approximate: &Approximate, block: &UnitedBlock) -> Vec<String> {
        let Approximate { united, row_offsets, column_offsets, .. } = approximate;
        let mut reads: Vec<(u32, u32)> = Vec::new();
        for &row in block.rows.iter().filter(|&&row| united.rows[row as usize].kind != RowKind::Dummy) {
            for entry in &united.rows[row as usize].entries {
                reads.extend(entry.orders.iter().map(|(order, _)| (entry.column, order + row_offsets[row as usize])));
            }
        }
        reads.sort_unstable();
        reads.dedup();
        reads.retain(|&(column, order)| {
            order != column_offsets[column as usize] || block.columns.binary_search(&column).is_err()
        });
        reads.into_iter().map(|(column, order)| self.variable(united.columns[column as usize], order)).collect()
    }

    fn instead_of(
        &self,
        approximate: &Approximate,
        block: &UnitedBlock,
        exact: &FxHashMap<EquationId, Vec<Block<'_>>>,
    ) -> Vec<InsteadReport> {
        let analysis = &self.scope.analyzed.analysis;
        let mut cases: Vec<InsteadReport> = Vec::new();
        for (&row, &modes) in block.rows.iter().zip(&block.too_many) {
            let equations = approximate.united.rows[row as usize].equations.iter();
            for it in equations.filter_map(|equation| exact.get(equation)).flatten() {
                let there = analysis.space.and(it.guard, modes);
                let case = || InsteadReport {
                    when: self.texts.text(there),
                    equations: it.equations.iter().map(|it| name(analysis.incidence.equations(), *it)).collect(),
                    writes: it.writes.iter().map(|it| self.variable(it.of, it.order)).collect(),
                };
                if !there.is_empty() && cases.len() < MOST_INSTEAD {
                    let case = case();
                    if !cases.contains(&case) {
                        cases.push(case);
                    }
                }
            }
        }
        cases
    }
}

/// Which block reads what another writes.
fn dependencies(approximate: &Approximate) -> Vec<BlockOrder> {
    let Approximate { united, row_offsets, column_offsets, blocks, .. } = approximate;
    let mut writer = vec![usize::MAX; united.columns.len()];
    for (id, block) in blocks.iter().enumerate() {
        block.columns.iter().for_each(|&column| writer[column as usize] = id);
    }
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (to, block) in blocks.iter().enumerate() {
        for &row in &block.rows {
            let it = &united.rows[row as usize];
            for entry in &it.entries {
                let leads = column_offsets[entry.column as usize] == entry.highest() + row_offsets[row as usize];
                let from = writer[entry.column as usize];
                if leads && from != to {
                    found.push((from, to));
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|(from, to)| BlockOrder { from, to }).collect()
}

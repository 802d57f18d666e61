//! What an ordinary tool would do, as diagnostics: where, in which modes, when, and what Modeshift does instead.

use modeshift_dae::MultimodeDae;
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics};
use modeshift_structure::approximate::{Approximate, UnitedBlock};

use super::text::instead_line;
use super::{ApproximateBlock, ApproximateReport};
use crate::wording::time_text;

/// Says why an ordinary tool fails, block by block; that it does not, where it does not.
pub fn diagnose(
    dae: &MultimodeDae,
    approximate: Option<&Approximate>,
    report: &ApproximateReport,
    diagnostics: &mut Diagnostics,
) {
    let Some(approximate) = approximate else {
        let message = "other tools refuse this model: as if all modes were one, it is structurally singular";
        let help =
            "`analyze --method approximate` lists what is too many and too few; `rimis` writes a model for other tools";
        diagnostics.push(Diagnostic::warning(Code::W0610, message).help(help));
        return;
    };
    let mut fails = false;
    for (block, words) in approximate.blocks.iter().zip(&report.blocks) {
        if words.fails.is_some() {
            fails = true;
            diagnostics.push(failure(dae, approximate, report, block, words));
        }
    }
    if !fails {
        let message = "other tools solve this model in every mode as it is written; what happens at mode changes is another matter";
        diagnostics.push(Diagnostic::note(Code::N0610, message));
    }
}

fn failure(
    dae: &MultimodeDae,
    approximate: &Approximate,
    report: &ApproximateReport,
    block: &UnitedBlock,
    words: &ApproximateBlock,
) -> Diagnostic {
    let time = words.time.map(|time| format!(" at time {}", time_text(time))).unwrap_or_default();
    let (what, writes) = (words.equations.join(", "), words.writes.join(", "));
    let message = match words.pivot.is_some() {
        true => format!("other tools divide by zero{time}: they solve `{what}` for `{writes}` in every mode"),
        false => {
            format!("other tools fail{time}: they solve {} equations together in every mode", words.equations.len())
        }
    };
    let mut diagnostic = Diagnostic::warning(Code::W0610, message);
    let rows = block.failing_rows();
    for &equation in rows.iter().flat_map(|&row| &approximate.united.rows[row as usize].equations).take(4) {
        let equation = &dae.model.equations[equation];
        let text = match words.pivot.is_some() {
            true => format!("`{writes}` is not in it in these modes"),
            false => format!("`{}`: what is left to be solved for does not fit in these modes", equation.name),
        };
        diagnostic = diagnostic.label(equation.span, text);
    }
    diagnostic = diagnostic.when(words.fails.clone().unwrap_or_default());
    diagnostic = diagnostic.example(words.example.clone().unwrap_or_default());
    if let Some(solved) = &words.solved {
        diagnostic = diagnostic.with_note(solved.clone());
    }
    if let (None, Some(why)) = (words.time, &report.no_time) {
        diagnostic = diagnostic.with_note(why.clone());
    }
    for case in &words.instead {
        diagnostic = diagnostic.with_note(instead_line(case));
    }
    diagnostic
        .help("Modeshift solves each mode by its own structure; `rimis` writes an equivalent model for other tools")
}

//! What `analyze` prints of a model too large to list: numbers, the largest blocks, where the index is highest.

use modeshift_dae::Id;
use modeshift_drawing::shortened;
use modeshift_modes::Limit;
use modeshift_structure::{Block, DegreesOfFreedom, GraphText, Singularity, degrees_of_freedom, structural_index};

use super::{Scope, mode_count_text, section};
use crate::singular::singular_modes;
use crate::wording::SetTexts;
use crate::wording::mode_names;

/// Models with more equations than this are summarized.
pub const LARGEST_LISTING: usize = 1000;
/// How many of the largest blocks, and of the singular cases, are shown.
const SHOWN: usize = 5;
/// Longer lines are cut.
const LONGEST_LINE: usize = 160;

/// The summary as text.
pub fn summary_text(scope: Scope<'_>) -> Result<String, Limit> {
    let Scope { dae, analysis, singularities, .. } = scope;
    let names = mode_names(dae);
    let texts = SetTexts::new(dae, analysis, &names);
    let modes = mode_count_text(&analysis.invariant.mode_count(&analysis.space).to_string());
    let verdict = if singular_modes(dae, analysis, singularities).is_empty() {
        "regular in all of them"
    } else {
        "singular in some of them"
    };
    let mut text = format!("{}: {modes}, {verdict}\n", dae.model.name);
    section(&mut text, "size", size_lines(scope));
    section(&mut text, "singular", singular_lines(scope, &texts));
    section(&mut text, "structural index", index_lines(scope, &texts)?);
    section(&mut text, "degrees of freedom", freedom_lines(scope, &texts)?);
    section(&mut text, "largest blocks", largest_blocks(scope, &names));
    section(
        &mut text,
        "this is a summary",
        ["--format json lists everything; --at lists some modes or one".to_string()],
    );
    Ok(text)
}

fn size_lines(scope: Scope<'_>) -> Vec<String> {
    let Scope { dae, analysis, .. } = scope;
    let incidence = &analysis.incidence;
    let equations = incidence.equations().iter().filter(|it| !it.guard.is_empty()).count();
    let variables = incidence.variables().iter().filter(|it| !it.guard.is_empty()).count();
    let mut lines = vec![
        format!("{equations} equations, {variables} variables, {} mode variables", dae.mode_variables.len()),
        format!("{} blocks, {} dependencies", analysis.graph.block_count(), analysis.graph.dependencies().len()),
    ];
    let not_listed = analysis.graph.not_listed().len();
    if not_listed > 0 {
        lines.push(format!("the blocks of {not_listed} equations are too many to list"));
    }
    lines
}

fn singular_lines(scope: Scope<'_>, texts: &SetTexts<'_>) -> Vec<String> {
    let places = &scope.singularities.places;
    let line = |place: &Singularity| {
        let (kind, example) = (place.kind.word(), texts.example(place.modes));
        shortened(&format!("{kind}: when {}, for example {example}", texts.text(place.modes)), LONGEST_LINE)
    };
    let mut lines: Vec<String> = places.iter().take(SHOWN).map(line).collect();
    if places.len() > SHOWN {
        lines.push(format!("and {} more", places.len() - SHOWN));
    }
    lines
}

fn index_lines(scope: Scope<'_>, texts: &SetTexts<'_>) -> Result<Vec<String>, Limit> {
    let analysis = scope.analysis;
    let cases = structural_index(&analysis.space, &analysis.incidence, &analysis.offsets)?;
    Ok(case_lines(&cases, texts))
}

fn freedom_lines(scope: Scope<'_>, texts: &SetTexts<'_>) -> Result<Vec<String>, Limit> {
    let analysis = scope.analysis;
    Ok(match degrees_of_freedom(&analysis.space, &analysis.incidence, &analysis.matching)? {
        DegreesOfFreedom::Cases(cases) => case_lines(&cases, texts),
        DegreesOfFreedom::Between(least, most) => vec![format!("between {least} and {most}")],
    })
}

/// The largest values first, each with its modes or one of them.
fn case_lines(cases: &[modeshift_structure::Case], texts: &SetTexts<'_>) -> Vec<String> {
    let line = |case: &modeshift_structure::Case| match texts.text(case.modes) {
        all if all == "true" => case.value.to_string(),
        formula if formula.chars().count() < LONGEST_LINE / 2 => format!("{}  when {formula}", case.value),
        _ => shortened(&format!("{}  for example when {}", case.value, texts.example(case.modes)), LONGEST_LINE),
    };
    cases.iter().rev().take(SHOWN).map(line).collect()
}

fn largest_blocks(scope: Scope<'_>, names: &[String]) -> Vec<String> {
    let graph = &scope.analysis.graph;
    let formulas = scope.analysis.formulas(names);
    let words = GraphText { incidence: &scope.analysis.incidence, formulas: &formulas, graph };
    let mut blocks: Vec<(usize, Block<'_>)> = graph.blocks().map(|(id, block)| (id.index(), block)).collect();
    blocks.sort_by_key(|(id, block)| (std::cmp::Reverse(block.equations.len()), *id));
    let line = |(_, block): &(usize, Block<'_>)| {
        let count = block.equations.len();
        let equations = if count == 1 { "equation" } else { "equations" };
        shortened(&format!("{count} {equations}: {}", words.block(*block)), LONGEST_LINE)
    };
    blocks.iter().take(SHOWN).map(line).collect()
}

//! The signature matrix of one mode in block-triangular form, with offsets (RR9322 §3.2.2 and §3.3.3, Figures 6 and 9).

use modeshift_dae::ModeVariableId;
use modeshift_modes::ModeSet;
use modeshift_structure::one_mode::{Column, ModeStructure, Row};
use rustc_hash::FxHashMap;

use crate::Analyzed;
use crate::wording::{Names, counted};

/// Larger matrices are no longer read.
const LARGEST_MATRIX: usize = 80;

/// The matrix of one of the modes that the analysis is of, as text; or why there is none.
pub fn matrix_text(analyzed: &Analyzed) -> Result<String, String> {
    let Analyzed { dae, analysis, .. } = analyzed;
    let (space, invariant) = (&analysis.space, &analysis.invariant);
    let regular = space.not(analysis.lasting_singular_modes(ModeSet::EMPTY));
    let valid = invariant.components().fold(regular, |valid, component| space.and(valid, component));
    let Some(picked) = space.pick(valid) else {
        return Err("no mode is regular, so that none has offsets".to_string());
    };
    let values: FxHashMap<ModeVariableId, bool> = picked
        .into_iter()
        .map(|(mode, value)| (ModeVariableId(mode.0), value))
        .chain(analyzed.within.iter().copied())
        .collect();
    let signature = analysis.signature(|mode| values.get(&mode).copied().unwrap_or(false));
    let size = signature.equations.len();
    if size > LARGEST_MATRIX {
        return Err(format!("the mode has {size} equations; a matrix is drawn of at most {LARGEST_MATRIX}"));
    }
    let structure = ModeStructure::of_signature(&signature).map_err(|_| "this mode is singular".to_string())?;
    let mode: Vec<String> = dae
        .mode_variables
        .iter_enumerated()
        .map(|(id, mode)| format!("{} = {}", mode.name, values.get(&id).copied().unwrap_or(false)))
        .collect();
    let mode = if mode.is_empty() { String::new() } else { format!("mode: {}\n", mode.join(", ")) };
    Ok(format!("{mode}{}", matrix(&structure, &Names { dae })))
}

fn matrix(structure: &ModeStructure, names: &Names<'_>) -> String {
    let rows: Vec<Row> = structure.blocks().iter().flat_map(|block| block.rows.iter().copied()).collect();
    let columns: Vec<Column> = structure.blocks().iter().flat_map(|block| block.columns.iter().copied()).collect();
    let column_names: Vec<&str> = columns.iter().map(|&it| names.variable(structure.variable(it))).collect();
    let widths: Vec<usize> = column_names.iter().map(|name| name.chars().count().max(3) + 1).collect();
    let row_names: Vec<&str> = rows.iter().map(|&it| names.equation(structure.equation(it))).collect();
    let margin = row_names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(1);
    let blocks = structure.blocks();
    let mut text = format!(
        "{}, in the order in which they are solved; [ ] is the block's own, - leads nowhere\n\n",
        counted(blocks.len(), "block")
    );
    let block_of: FxHashMap<u32, usize> = blocks
        .iter()
        .enumerate()
        .flat_map(|(at, block)| block.columns.iter().map(move |column| (column.0, at)))
        .collect();
    text.push_str(&format!("{:margin$}", ""));
    for (name, width) in column_names.iter().zip(&widths) {
        text.push_str(&format!("{name:>width$}"));
    }
    text.push_str("   c\n");
    for (&row, name) in rows.iter().zip(&row_names) {
        text.push_str(&format!("{name:margin$}"));
        for (&column, width) in columns.iter().zip(&widths) {
            let entry = structure.incidence(row).iter().find(|entry| entry.column == column);
            let is_own = structure.block_of(row) == block_of[&column.0];
            let cell = match entry {
                // An entry below what the offsets ask for is known when the block is solved.
                Some(entry) if structure.slack(row, *entry) > 0 => format!("{}-", entry.order),
                Some(entry) if is_own => format!("[{}]", entry.order),
                Some(entry) => format!("{} ", entry.order),
                None if is_own => "[.]".to_string(),
                None => ". ".to_string(),
            };
            text.push_str(&format!("{cell:>width$}"));
        }
        text.push_str(&format!("   {}\n", structure.equation_offset(row)));
    }
    text.push_str(&format!("{:margin$}", "d"));
    for (&column, width) in columns.iter().zip(&widths) {
        text.push_str(&format!("{:>width$}", format!("{} ", structure.variable_offset(column))));
    }
    let offsets = |row: &Row| structure.equation_offset(*row);
    let index = rows.iter().map(offsets).max().unwrap_or(0)
        + u32::from(columns.iter().any(|&column| structure.variable_offset(column) == 0));
    let freedom = columns.iter().map(|&it| i64::from(structure.variable_offset(it))).sum::<i64>()
        - rows.iter().map(|row| i64::from(offsets(row))).sum::<i64>();
    text.push_str(&format!(
        "\n\nstructural index {index}, {}\n",
        counted(freedom.max(0) as usize, "degree") + " of freedom"
    ));
    text
}

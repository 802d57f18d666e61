//! Plans as CSV: a line of names, then the values of one run per line.

use crate::plan::{Design, Plan, Spread, Varied};

pub(crate) fn read(text: &str) -> Result<Plan, String> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let Some((_, heading)) = lines.next() else { return Err("the plan is empty".to_string()) };
    let names = cells(heading.trim_start_matches('\u{feff}'), 1)?;
    let mut lists: Vec<Vec<String>> = vec![Vec::new(); names.len()];
    for (at, line) in lines {
        let values = cells(line, at + 1)?;
        if values.len() != names.len() {
            let (found, expected) = (values.len(), names.len());
            return Err(format!("line {}: {found} values for {expected} parameters", at + 1));
        }
        lists.iter_mut().zip(values).for_each(|(list, value)| list.push(value));
    }
    let varied = names.into_iter().zip(lists).map(|(name, values)| Varied { name, spread: Spread::List(values) });
    Ok(Plan { varied: varied.collect(), design: Design::List, events: true, ..Plan::default() })
}

/// The cells of a line; commas inside quotes separate nothing.
fn cells(line: &str, number: usize) -> Result<Vec<String>, String> {
    let (mut cells, mut cell, mut letters) = (Vec::new(), String::new(), line.chars().peekable());
    let mut quoted = false;
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell).trim().to_string()),
            _ => cell.push(letter),
        }
    }
    if quoted {
        return Err(format!("line {number}: a quote is not closed"));
    }
    cells.push(cell.trim().to_string());
    match cells.iter().any(String::is_empty) {
        true => Err(format!("line {number}: a cell is empty")),
        false => Ok(cells),
    }
}

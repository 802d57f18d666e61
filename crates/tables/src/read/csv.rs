//! CSV: a line of names, then rows of numbers; cells may be empty, `true` or `false`.

use super::NumberColumn;

pub(super) fn read(text: &str) -> Result<Vec<NumberColumn>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, head) = lines.next().ok_or("it is empty")?;
    let mut columns: Vec<NumberColumn> = cells(head)
        .into_iter()
        .map(|name| NumberColumn { name: name.trim().to_string(), values: Vec::new() })
        .collect();
    for (number, line) in lines {
        let cells = cells(line);
        if cells.len() != columns.len() {
            let (found, wanted) = (cells.len(), columns.len());
            return Err(format!("line {} has {found} cells, and the first line {wanted}", number + 1));
        }
        for (column, cell) in columns.iter_mut().zip(&cells) {
            let value = match cell.trim() {
                "" => f64::NAN,
                "true" => 1.0,
                "false" => 0.0,
                text => text.parse().map_err(|_| format!("line {}: `{text}` is not a number", number + 1))?,
            };
            column.values.push(value);
        }
    }
    Ok(columns)
}

/// The cells of a line; in quotes, a comma is a letter and two quotes are one.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let last = cells.len() - 1;
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cells[last].push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            _ => cells[last].push(letter),
        }
    }
    cells
}
